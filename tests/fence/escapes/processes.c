// Signals to a process outside by every call that can send one, what is left behind, programs that are started by detours, and
// keys that are typed into the caller's terminal. `victim` holds the number of a process outside.
#include "ways.h"
#include <linux/prctl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int victim(void) { return number_in("victim"); }

static void by_kill(void) { kill(victim(), SIGKILL); }
static void by_group(void) { kill(-victim(), SIGKILL); }
static void by_all(void) { kill(-1, SIGKILL); }
static void by_tkill(void) { syscall(SYS_tkill, victim(), SIGKILL); }
static void by_tgkill(void) { syscall(SYS_tgkill, victim(), victim(), SIGKILL); }
static void by_queue(void) { sigqueue(victim(), SIGKILL, (union sigval){0}); }
static void by_pidfd(void) {
  syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, victim(), 0), SIGKILL, 0, 0);
}
static void by_stop(void) { kill(victim(), SIGSTOP); }
static void by_thread(void) {
  // A thread, and a process that shares all but its number.
  static char room[65536];
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD;
  waitpid(clone((int (*)(void *))by_kill, room + sizeof room, flags, 0), 0, 0);
}
static void by_signal_of_pipe(void) {
  int ends[2];
  if (pipe(ends)) return;
  fcntl(ends[0], F_SETOWN, victim()), fcntl(ends[0], F_SETSIG, SIGKILL);
  fcntl(ends[0], F_SETFL, O_ASYNC);
  if (write(ends[1], "x", 1) < 0) perror("pipe");
}
static void by_owner_of_socket(void) {
  int ends[2], owner = victim(), on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return;
  struct f_owner_ex whom = {F_OWNER_PID, owner};
  fcntl(ends[0], F_SETOWN_EX, &whom), fcntl(ends[0], F_SETSIG, SIGKILL), ioctl(ends[0], FIOASYNC, &on);
  if (write(ends[1], "x", 1) < 0) perror("socket");
}
// The kernel ends a process that used more of the processor than it may.
static void by_limit(void) {
  struct rlimit none = {1, 1};
  prlimit(victim(), RLIMIT_CPU, &none, 0);
}
static void by_limit_32_bits(void) {
#ifdef __x86_64__
  unsigned long *none = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  none[0] = none[1] = 1;
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(340), "b"(victim()), "c"(RLIMIT_CPU), "d"(none), "S"(0) : "memory");
#endif
}
// The sign of a domain, on the process that starts the lines: later ones would put on none.
static void by_mark(void) {
  struct rlimit held = {RLIM_INFINITY - 18, RLIM_INFINITY - 18};
  prlimit(number_in("agent"), RLIMIT_LOCKS, &held, 0);
}

// What is left behind, with a session of its own, waits to be told when the line has ended.
static void by_daemon(void) {
  if (fork()) _exit(0);
  setsid();
  if (fork()) _exit(0);
  int descriptor = open("told", O_RDONLY);
  char byte;
  if (read(descriptor, &byte, 1) < 0) perror("told");
  spoil(open("/root/planted", O_CREAT | O_WRONLY, 0644));
  spoil(open("ended", O_WRONLY));
}
static void by_orphan(void) {
  if (fork() == 0) {
    while (getppid() != 1) sched_yield();
    spoil(open("/root/planted", O_CREAT | O_WRONLY, 0644));
    spoil(open("ended", O_WRONLY));
    _exit(0);
  }
}

// Programs by detours.
static const char harm[] = "#!/bin/sh\necho evil > /root/planted\n";
static void by_memory_program(void) {
  int descriptor = syscall(SYS_memfd_create, "x", 0);
  char path[64];
  if (write(descriptor, harm, sizeof harm - 1) < 0) perror("memfd");
  sprintf(path, "/proc/self/fd/%d", descriptor);
  execl("/bin/sh", "sh", path, (char *)0);
}
static void by_execveat(void) {
  char *words[] = {"sh", "-c", "echo evil > /root/planted", 0};
  syscall(SYS_execveat, open("/bin/sh", O_PATH), "", words, environ, AT_EMPTY_PATH);
}
static void by_vfork(void) {
  pid_t child = vfork();
  if (child == 0) execl("/bin/touch", "touch", "/root/planted", (char *)0), _exit(1);
  waitpid(child, 0, 0);
}
static void by_undumpable(void) {
  prctl(PR_SET_DUMPABLE, 0);
  spoil(open("/root/planted", O_CREAT | O_WRONLY, 0644));
}
static void by_ids(void) {
  if (setresgid(0, 0, 0) || setresuid(0, 0, 0)) return;
  prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
  spoil(open("/root/planted", O_CREAT | O_WRONLY, 0644));
}

// Capabilities that a program of root gets back when it is started, and those that a file gives.
static void without_capabilities(void) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {0};
  syscall(SYS_capset, &head, none);
}
static void by_root_again(void) {
  without_capabilities();
  shell("cat closed > stolen");
}
static void by_capable_file(void) {
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
  without_capabilities();
  int out = open("stolen", O_CREAT | O_WRONLY, 0644);
  dup2(out, 1);
  execl("./capable", "cat", "closed", (char *)0);
}

static void type(unsigned long request) {
  for (const char *key = "typed\n"; *key; key++) syscall(SYS_ioctl, 0, request, key);
}
static void by_typing(void) { type(TIOCSTI); }
// The kernel looks at 32 bits of the request, whatever stands above them.
static void by_typing_wide(void) { type(TIOCSTI | 1UL << 32); }
static void by_typing_32_bits(void) {
#ifdef __x86_64__
  char *keys = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  long result;
  strcpy(keys, "typed\n");
  for (char *key = keys; *key; key++) __asm__ volatile("int $0x80" : "=a"(result) : "a"(54), "b"(0), "c"(TIOCSTI), "d"(key) : "memory");
#endif
}
static void by_typing_reopened(void) {
  close(0);
  if (open("/dev/tty", O_RDWR) == 0) type(TIOCSTI);
}

const struct way processes[] = {{"kill", by_kill},
                                {"group", by_group},
                                {"all", by_all},
                                {"tkill", by_tkill},
                                {"tgkill", by_tgkill},
                                {"queue", by_queue},
                                {"signal-by-pidfd", by_pidfd},
                                {"stop", by_stop},
                                {"thread", by_thread},
                                {"signal-of-pipe", by_signal_of_pipe},
                                {"owner-of-socket", by_owner_of_socket},
                                {"limit", by_limit},
                                {"limit-32-bits", by_limit_32_bits},
                                {"mark", by_mark},
                                {"daemon", by_daemon},
                                {"orphan", by_orphan},
                                {"memory-program", by_memory_program},
                                {"execveat", by_execveat},
                                {"vfork", by_vfork},
                                {"undumpable", by_undumpable},
                                {"ids", by_ids},
                                {"root-again", by_root_again},
                                {"capable-file", by_capable_file},
                                {"typing", by_typing},
                                {"typing-wide", by_typing_wide},
                                {"typing-32-bits", by_typing_32_bits},
                                {"typing-reopened", by_typing_reopened},
                                {0, 0}};
