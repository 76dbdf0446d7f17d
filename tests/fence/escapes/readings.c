// Secrets of the home that are read by every call that can.
#include "ways.h"
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

static const char key[] = "/root/.ssh/id_rsa";

static void by_open(void) { steal(open(key, O_RDONLY)); }
static void by_both(void) { steal(open(key, O_RDWR)); }
static void by_opath_directory(void) { steal(openat(open("/root/.ssh", O_PATH), "id_rsa", O_RDONLY)); }
static void by_reopening(void) {
  char path[64];
  sprintf(path, "/proc/self/fd/%d", open(key, O_PATH));
  steal(open(path, O_RDONLY));
}
static void by_root(void) { steal(open("/proc/self/root/root/.ssh/id_rsa", O_RDONLY)); }
static void by_link(void) { (void)!symlink(key, "way"), steal(open("way", O_RDONLY)); }
static void by_hard_link(void) { (void)!link(key, "/root/other/mine"), steal(open("/root/other/mine", O_RDONLY)); }
static void by_rename(void) { rename(key, "/root/other/mine"), steal(open("/root/other/mine", O_RDONLY)); }
static void by_directory_renamed(void) { rename("/root/.ssh", "/root/other/mine"), steal(open("/root/other/mine/id_rsa", O_RDONLY)); }
static void by_map(void) {
  char *bytes = mmap(0, 4, PROT_READ, MAP_PRIVATE, open(key, O_RDONLY), 0);
  if (bytes == MAP_FAILED) return;
  int out = open("stolen", O_CREAT | O_WRONLY, 0644);
  if (write(out, bytes, 4) < 0) perror("stolen");
}
static void by_sendfile(void) { sendfile(open("stolen", O_CREAT | O_WRONLY, 0644), open(key, O_RDONLY), 0, 100); }
static void by_chroot(void) {
  int out = open("stolen", O_CREAT | O_WRONLY, 0644);
  char bytes[16];
  if (chroot("/root/.ssh")) return;
  ssize_t length = read(open("/id_rsa", O_RDONLY), bytes, sizeof bytes);
  if (length > 0 && write(out, bytes, length) < 0) perror("stolen");
}
static void by_child(void) {
  if (fork() == 0) {
    setsid();
    by_open();
    _exit(0);
  }
  wait(0);
}

const struct way readings[] = {{"read", by_open},
                               {"read-both", by_both},
                               {"read-opath-directory", by_opath_directory},
                               {"read-reopening", by_reopening},
                               {"read-root", by_root},
                               {"read-link", by_link},
                               {"read-hard-link", by_hard_link},
                               {"read-rename", by_rename},
                               {"read-directory-renamed", by_directory_renamed},
                               {"read-map", by_map},
                               {"read-sendfile", by_sendfile},
                               {"read-chroot", by_chroot},
                               {"read-child", by_child},
                               {0, 0}};
