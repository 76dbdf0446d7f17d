// Mounts and namespaces: places that show the home or another directory anew, or as something else.
#include "ways.h"
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>

int mount(const char *, const char *, const char *, unsigned long, const void *);
int umount2(const char *, int);

// From linux/fs.h, which does not go with linux/mount.h everywhere.
#define BIND 4096
#define MOVE 8192
#define REMOUNT 32
#define READ_ONLY 1

static void by_bind(void) {
  mkdir("here", 0755);
  if (mount("/root", "here", 0, BIND, 0) == 0) spoil(open("here/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_new_file_system(void) {
  if (mount("x", "/srv/other", "tmpfs", 0, 0) == 0) spoil(open("/srv/other/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_moving(void) {
  mkdir("here", 0755);
  mount("/srv/there", "here", 0, MOVE, 0);
}
static void by_unmounting(void) { umount2("/srv/there", 2); }
static void by_read_only(void) { mount(0, "/srv/there", 0, REMOUNT | BIND | READ_ONLY, 0); }
static void by_attributes(void) {
  struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
  syscall(SYS_mount_setattr, AT_FDCWD, "/srv/there", 0, &attributes, sizeof attributes);
}
static void by_picking(void) {
  int picked = syscall(SYS_fspick, AT_FDCWD, "/srv/there", 0);
  syscall(SYS_fsconfig, picked, FSCONFIG_SET_FLAG, "ro", 0, 0);
  syscall(SYS_fsconfig, picked, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0);
}
static void by_root(void) {
  mkdir("here", 0755);
  if (mount("/", "here", 0, BIND | 16384, 0) == 0 && chdir("here") == 0) syscall(SYS_pivot_root, ".", ".");
  spoil(open("root/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_copied_tree(void) {
  spoil(openat(syscall(SYS_open_tree, AT_FDCWD, "/root", OPEN_TREE_CLONE), "planted", O_CREAT | O_WRONLY, 0644));
}
static void by_copied_tree_attached(void) {
  int tree = syscall(SYS_open_tree, AT_FDCWD, "/root", OPEN_TREE_CLONE);
  mkdir("here", 0755);
  syscall(SYS_move_mount, tree, "", AT_FDCWD, "here", MOVE_MOUNT_F_EMPTY_PATH);
  spoil(open("here/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_copied_tree_reading(void) {
  steal(openat(syscall(SYS_open_tree, AT_FDCWD, "/root/.ssh", OPEN_TREE_CLONE), "id_rsa", O_RDONLY));
}
static void by_made_file_system(void) {
  int context = syscall(SYS_fsopen, "tmpfs", 0);
  syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
  int made = syscall(SYS_fsmount, context, 0, 0);
  if (made < 0 || syscall(SYS_move_mount, made, "", AT_FDCWD, "/srv/other", MOVE_MOUNT_F_EMPTY_PATH)) return;
  spoil(open("/srv/other/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_users(void) {
  if (unshare(CLONE_NEWUSER) == 0) spoil(open("/root/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_users_and_mounts(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return;
  by_bind();
}
static void by_overlay(void) {
  mkdir("upper", 0755), mkdir("work", 0755);
  if (mount("x", "/root/other", "overlay", 0, "lowerdir=/root/other,upperdir=upper,workdir=work") == 0)
    close(open("mounted", O_CREAT | O_WRONLY, 0644));
}
static void by_entering(void) {
  char path[64];
  sprintf(path, "/proc/%d/ns/mnt", number_in("victim"));
  if (setns(open(path, O_RDONLY), CLONE_NEWNS) == 0) shell("touch /srv/hidden/planted");
}
static void by_entering_by_pidfd(void) {
  int process = syscall(SYS_pidfd_open, number_in("victim"), 0);
  if (setns(process, CLONE_NEWNS) == 0) shell("touch /srv/hidden/planted");
}

const struct way spaces[] = {{"mount-bind", by_bind},
                             {"mount-new", by_new_file_system},
                             {"mount-moving", by_moving},
                             {"unmounting", by_unmounting},
                             {"mount-read-only", by_read_only},
                             {"mount-attributes", by_attributes},
                             {"mount-picking", by_picking},
                             {"mount-root", by_root},
                             {"copied-tree", by_copied_tree},
                             {"copied-tree-attached", by_copied_tree_attached},
                             {"copied-tree-reading", by_copied_tree_reading},
                             {"made-file-system", by_made_file_system},
                             {"users", by_users},
                             {"users-and-mounts", by_users_and_mounts},
                             {"overlay", by_overlay},
                             {"entering", by_entering},
                             {"entering-by-pidfd", by_entering_by_pidfd},
                             {0, 0}};
