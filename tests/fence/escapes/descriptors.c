// What processes outside have open or are: their memory, descriptors, directories and roots. `victim` holds the number of one
// that has the file `/srv/other/file` open for writing at descriptor 7.
#include "ways.h"
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

static int of_victim(const char *below, int flags) {
  char path[128];
  sprintf(path, "/proc/%d/%s", number_in("victim"), below);
  return open(path, flags, 0644);
}

static void by_root(void) { spoil(of_victim("root/root/planted", O_CREAT | O_WRONLY)); }
static void by_directory(void) { spoil(of_victim("cwd/planted", O_CREAT | O_WRONLY)); }
static void by_descriptor(void) { spoil(of_victim("fd/7", O_WRONLY | O_TRUNC)); }
static void by_first_process(void) { spoil(open("/proc/1/root/root/planted", O_CREAT | O_WRONLY, 0644)); }
static void by_pidfd(void) {
  int process = syscall(SYS_pidfd_open, number_in("victim"), 0);
  int descriptor = syscall(SYS_pidfd_getfd, process, 7, 0);
  if (descriptor >= 0 && ftruncate(descriptor, 0) == 0) spoil(descriptor);
}
// Where the victim's environment is: written down before the fence was on.
static off_t environment(void) {
  char text[64] = {0};
  int descriptor = open("address", O_RDONLY);
  if (read(descriptor, text, sizeof text - 1) < 0) perror("address");
  return strtol(text, 0, 0);
}
static void keep(const char *page, ssize_t length) {
  if (length <= 0) return;
  int out = open("stolen", O_CREAT | O_WRONLY, 0644);
  if (write(out, page, length) < 0) perror("stolen");
}
static void by_reading_memory(void) {
  char page[4096];
  struct iovec here = {page, sizeof page}, there = {(void *)environment(), sizeof page};
  keep(page, process_vm_readv(number_in("victim"), &here, 1, &there, 1, 0));
}
static void by_memory_file(void) {
  char page[4096];
  keep(page, pread(of_victim("mem", O_RDONLY), page, sizeof page, environment()));
}
static void by_writing_memory(void) {
  static char zeros[4096];
  struct iovec here = {zeros, sizeof zeros}, there = {(void *)environment(), sizeof zeros};
  if (process_vm_writev(number_in("victim"), &here, 1, &there, 1, 0) > 0)
    close(open("changed", O_CREAT | O_WRONLY, 0644));
}
static void by_environment(void) { steal(of_victim("environ", O_RDONLY)); }
static void by_auxiliary(void) { steal(of_victim("auxv", O_RDONLY)); }
static void by_ptrace(void) {
  int victim = number_in("victim");
  if (ptrace(PTRACE_ATTACH, victim, 0, 0)) return;
  waitpid(victim, 0, __WALL);
  ptrace(PTRACE_KILL, victim, 0, 0);
}
static void by_seize(void) {
  int victim = number_in("victim");
  if (ptrace(PTRACE_SEIZE, victim, 0, 0) || ptrace(PTRACE_INTERRUPT, victim, 0, 0)) return;
  waitpid(victim, 0, __WALL);
  close(open("seized", O_CREAT | O_WRONLY, 0644));
  ptrace(PTRACE_DETACH, victim, 0, SIGKILL);
}
// A child of the fenced program is as it is; a grandchild that was left behind too.
static void by_traced_child(void) {
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    shell("echo evil > /root/planted");
  }
  waitpid(child, 0, 0);
  ptrace(PTRACE_CONT, child, 0, 0);
  waitpid(child, 0, 0);
}
// A server outside hands over a descriptor that is open for writing, by a socket without a place in the file system.
static void by_passing(void) {
  struct sockaddr_un name;
  int giver = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(giver, (struct sockaddr *)&name, abstract("giver", &name))) return;
  char byte, room[CMSG_SPACE(sizeof(int))];
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  if (recvmsg(giver, &message, 0) < 0 || !CMSG_FIRSTHDR(&message)) return;
  spoil(*(int *)CMSG_DATA(CMSG_FIRSTHDR(&message)));
}
// Descriptors that the line passes to itself gain nothing.
static void by_passing_to_itself(void) {
  int ends[2];
  char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
  *(int *)CMSG_DATA(head) = open("/root/notes", O_PATH);
  sendmsg(ends[0], &message, 0);
  if (recvmsg(ends[1], &message, 0) < 0) return;
  char path[64];
  sprintf(path, "/proc/self/fd/%d", *(int *)CMSG_DATA(CMSG_FIRSTHDR(&message)));
  spoil(open(path, O_WRONLY | O_TRUNC));
}

const struct way descriptors[] = {{"victims-root", by_root},
                                  {"victims-directory", by_directory},
                                  {"victims-descriptor", by_descriptor},
                                  {"first-process", by_first_process},
                                  {"pidfd", by_pidfd},
                                  {"reading-memory", by_reading_memory},
                                  {"memory-file", by_memory_file},
                                  {"writing-memory", by_writing_memory},
                                  {"victims-environment", by_environment},
                                  {"victims-auxiliary", by_auxiliary},
                                  {"ptrace", by_ptrace},
                                  {"seize", by_seize},
                                  {"traced-child", by_traced_child},
                                  {"passing", by_passing},
                                  {"passing-to-itself", by_passing_to_itself},
                                  {0, 0}};
