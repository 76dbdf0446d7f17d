// Files of the home that are made, written or emptied by every call that can.
#include "ways.h"
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static const char planted[] = "/root/planted", notes[] = "/root/notes";

static void by_open(void) { spoil(open(planted, O_CREAT | O_WRONLY, 0644)); }
static void by_creat(void) { spoil(creat(planted, 0644)); }
static void by_open_syscall(void) {
#ifdef SYS_open
  spoil(syscall(SYS_open, planted, O_CREAT | O_WRONLY, 0644));
#endif
}
static void by_openat(void) { spoil(openat(home(), "planted", O_CREAT | O_WRONLY, 0644)); }
static void by_opath_directory(void) {
  spoil(openat(open("/root", O_PATH | O_DIRECTORY), "planted", O_CREAT | O_WRONLY, 0644));
}
static void by_openat2(void) {
  struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = 0644, .resolve = RESOLVE_IN_ROOT};
  spoil(syscall(SYS_openat2, home(), "/planted", &how, sizeof how));
}
static void by_fchdir(void) {
  if (fchdir(home()) == 0) spoil(open("planted", O_CREAT | O_WRONLY, 0644));
}
static void by_parents(void) { spoil(open("../../../../root/planted", O_CREAT | O_WRONLY, 0644)); }
static void by_chroot(void) {
  if (chroot("/root") == 0) spoil(open("/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_nameless(void) {
  int descriptor = open("/root", O_TMPFILE | O_RDWR, 0600);
  char path[64];
  sprintf(path, "/proc/self/fd/%d", descriptor);
  linkat(AT_FDCWD, path, AT_FDCWD, planted, AT_SYMLINK_FOLLOW);
}
// A file that is opened for nothing or for reading, and then anew by its descriptor.
static void again(int descriptor, int flags) {
  char path[64];
  sprintf(path, "/proc/self/fd/%d", descriptor);
  spoil(open(path, flags));
}
static void by_reopening(void) { again(open(notes, O_RDONLY), O_WRONLY | O_TRUNC); }
static void by_reopening_opath(void) { again(open(notes, O_PATH), O_WRONLY | O_TRUNC); }
static void by_reopening_in_thread(void) {
  char path[64];
  sprintf(path, "/proc/thread-self/fd/%d", open(notes, O_PATH));
  spoil(open(path, O_WRONLY));
}
static void by_append(void) { spoil(open("/root/.bashrc", O_WRONLY | O_APPEND)); }
static void by_reading_and_emptying(void) { close(open(notes, O_RDONLY | O_TRUNC)); }
static void by_truncate(void) { (void)!truncate(notes, 0); }
static void by_ftruncate(void) { (void)!ftruncate(open(notes, O_RDWR), 0); }
static void by_fallocate(void) {
  // FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE
  fallocate(open(notes, O_RDWR), 3, 0, 4);
}
static void by_pwritev(void) {
  struct iovec part = {.iov_base = "evil", .iov_len = 4};
  (void)!pwritev2(open(notes, O_WRONLY), &part, 1, 0, 0);
}
static void by_map(void) {
  int descriptor = open(notes, O_RDWR);
  char *bytes = mmap(0, 4, PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (bytes != MAP_FAILED) memcpy(bytes, "evil", 4);
}
static void by_map_made_writable(void) {
  char *bytes = mmap(0, 4, PROT_READ, MAP_SHARED, open(notes, O_RDWR), 0);
  if (bytes != MAP_FAILED && mprotect(bytes, 4, PROT_READ | PROT_WRITE) == 0) memcpy(bytes, "evil", 4);
}
// A file of the workspace that holds `evil`.
static int evil(void) {
  int descriptor = open("evil", O_CREAT | O_RDWR, 0644);
  if (write(descriptor, "evil", 4) < 0) perror("evil");
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}
static void by_copy_file_range(void) {
  (void)!copy_file_range(evil(), 0, open("/srv/other/file", O_WRONLY), 0, 4, 0);
}
static void by_sendfile(void) { sendfile(open(notes, O_WRONLY), evil(), 0, 4); }
static void by_splice(void) {
  int ends[2];
  if (pipe(ends) || write(ends[1], "evil", 4) < 0) return;
  (void)!splice(ends[0], 0, open(notes, O_WRONLY), 0, 4, 0);
}
static void by_link_in_workspace(void) {
  (void)!symlink(planted, "way");
  spoil(open("way", O_CREAT | O_WRONLY, 0644));
}
static void by_links_of_links(void) {
  (void)!symlink("/proc/self/root/root", "one");
  (void)!symlink("one/../root/.", "two");
  spoil(open("two/planted", O_CREAT | O_WRONLY, 0644));
}
// The call of 32-bit programs: flags and mode are the same; its pointers must fit 32 bits.
static void by_32_bits(void) {
#ifdef __x86_64__
  char *low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  long descriptor;
  strcpy(low, planted);
  __asm__ volatile("int $0x80" : "=a"(descriptor) : "a"(5), "b"(low), "c"(O_CREAT | O_WRONLY), "d"(0644) : "memory");
  spoil((int)descriptor);
#endif
}
const struct way files[] = {{"open", by_open},
                            {"creat", by_creat},
                            {"open-syscall", by_open_syscall},
                            {"openat", by_openat},
                            {"opath-directory", by_opath_directory},
                            {"openat2", by_openat2},
                            {"fchdir", by_fchdir},
                            {"parents", by_parents},
                            {"chroot", by_chroot},
                            {"nameless", by_nameless},
                            {"reopening", by_reopening},
                            {"reopening-opath", by_reopening_opath},
                            {"reopening-in-thread", by_reopening_in_thread},
                            {"append", by_append},
                            {"reading-and-emptying", by_reading_and_emptying},
                            {"truncate", by_truncate},
                            {"ftruncate", by_ftruncate},
                            {"fallocate", by_fallocate},
                            {"pwritev", by_pwritev},
                            {"map", by_map},
                            {"map-made-writable", by_map_made_writable},
                            {"copy-file-range", by_copy_file_range},
                            {"sendfile", by_sendfile},
                            {"splice", by_splice},
                            {"link-in-workspace", by_link_in_workspace},
                            {"links-of-links", by_links_of_links},
                            {"32-bits", by_32_bits},
                            {0, 0}};
