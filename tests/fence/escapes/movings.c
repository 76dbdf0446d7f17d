// Files of the home, and of a directory that is none of the line's, that are moved, linked, removed or made by name.
#include "ways.h"
#include <pthread.h>
#include <sys/stat.h>

// Makes a file of the workspace that holds `evil`.
static void mine(void) { spoil(open("mine", O_CREAT | O_WRONLY, 0644)); }

static void by_rename(void) { rename("/root/notes", "/root/gone"); }
static void by_renameat(void) { renameat(home(), "notes", home(), "gone"); }
static void by_exchange(void) { renameat2(AT_FDCWD, "/root/.bashrc", AT_FDCWD, "/root/notes", RENAME_EXCHANGE); }
static void by_rename_out(void) { mine(), rename("mine", "/srv/other/planted"); }
static void by_rename_in(void) { rename("/srv/other/file", "got"); }
static void by_rename_over(void) { mine(), rename("mine", "/srv/other/file"); }
static void by_exchange_across(void) { mine(), renameat2(AT_FDCWD, "mine", AT_FDCWD, "/srv/other/file", RENAME_EXCHANGE); }
static void by_directory_in(void) { rename("/srv/other/deep", "deep"); }
static void by_directory_out(void) { mkdir("d", 0755), rename("d", "/srv/other/planted"); }
static void by_link_out(void) { mine(), (void)!link("mine", "/srv/other/planted"); }
static void by_link_in(void) { (void)!link("/srv/other/file", "hard"), spoil(open("hard", O_WRONLY | O_TRUNC)); }
static void by_link_beside(void) { (void)!link("/root/notes", "/root/planted"); }
static void by_linkat_of_descriptor(void) {
  char path[64];
  sprintf(path, "/proc/self/fd/%d", open("/srv/other/file", O_PATH));
  linkat(AT_FDCWD, path, AT_FDCWD, "hard", AT_SYMLINK_FOLLOW);
  spoil(open("hard", O_WRONLY | O_TRUNC));
}
static void by_nameless_out(void) {
  int descriptor = open(".", O_TMPFILE | O_WRONLY, 0644);
  linkat(descriptor, "", AT_FDCWD, "/srv/other/planted", AT_EMPTY_PATH);
}
static void by_unlink(void) { unlink("/root/notes"); }
static void by_unlinkat(void) { unlinkat(home(), "notes", 0); }
static void by_rmdir(void) { rmdir("/root/empty"); }
static void by_mkdir(void) { mkdir("/root/planted", 0755); }
static void by_mkdirat(void) { mkdirat(home(), "planted", 0755); }
static void by_symlink(void) { (void)!symlink("/srv/work/evil", "/root/.local/bin/git"); }
static void by_mknod(void) { mknod("/root/planted", S_IFREG | 0644, 0); }
static void by_fifo(void) { mkfifo("/root/planted", 0644); }
static void by_bind(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/root/planted"};
  bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof name);
}

// Races: what a name leads to changes while it is used.
static int over;
static void *swap(void *unused) {
  for (int round = 0; round < 20000; round++) renameat2(AT_FDCWD, "way", AT_FDCWD, "trap", RENAME_EXCHANGE);
  over = 1;
  return unused;
}
static void race(void (*attempt)(void)) {
  pthread_t other;
  mkdir("way", 0755);
  (void)!symlink("/root", "trap");
  pthread_create(&other, 0, swap, 0);
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) attempt();
  pthread_join(other, 0);
}
static void race_open(void) { close(open("way/planted", O_CREAT | O_WRONLY, 0644)); }
static void race_mkdir(void) { mkdir("way/planted", 0755); }
static void race_unlink(void) { unlink("way/notes"); }
static void race_rename(void) { rename("way/notes", "way/planted"); }
static void race_steal(void) { steal(open("way/.ssh/id_rsa", O_RDONLY)); }
static void race_truncate(void) { (void)!truncate("way/notes", 0); }
static void by_race_open(void) { race(race_open); }
static void by_race_mkdir(void) { race(race_mkdir); }
static void by_race_unlink(void) { race(race_unlink); }
static void by_race_rename(void) { race(race_rename); }
static void by_race_steal(void) { race(race_steal); }
static void by_race_truncate(void) { race(race_truncate); }
// A directory of the workspace that is held open, while its name leads to the home.
static void by_directory_exchanged(void) {
  mkdir("held", 0755), mkdir("held/sub", 0755);
  int inner = open("held/sub", O_RDONLY | O_DIRECTORY);
  rename("held/sub", "/srv/other/sub");
  spoil(openat(inner, "../planted", O_CREAT | O_WRONLY, 0644));
}

const struct way movings[] = {{"rename", by_rename},
                              {"renameat", by_renameat},
                              {"exchange", by_exchange},
                              {"rename-out", by_rename_out},
                              {"rename-in", by_rename_in},
                              {"rename-over", by_rename_over},
                              {"exchange-across", by_exchange_across},
                              {"directory-in", by_directory_in},
                              {"directory-out", by_directory_out},
                              {"link-out", by_link_out},
                              {"link-in", by_link_in},
                              {"link-beside", by_link_beside},
                              {"linkat-of-descriptor", by_linkat_of_descriptor},
                              {"nameless-out", by_nameless_out},
                              {"unlink", by_unlink},
                              {"unlinkat", by_unlinkat},
                              {"rmdir", by_rmdir},
                              {"mkdir", by_mkdir},
                              {"mkdirat", by_mkdirat},
                              {"symlink", by_symlink},
                              {"mknod", by_mknod},
                              {"fifo", by_fifo},
                              {"bind", by_bind},
                              {"race-open", by_race_open},
                              {"race-mkdir", by_race_mkdir},
                              {"race-unlink", by_race_unlink},
                              {"race-rename", by_race_rename},
                              {"race-steal", by_race_steal},
                              {"race-truncate", by_race_truncate},
                              {"directory-exchanged", by_directory_exchanged},
                              {0, 0}};
