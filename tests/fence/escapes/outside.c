// The world outside of a line, for what has to be seen there: servers, and a process that others may want to end. Each tells
// by the file `/srv/other/heard` that it was reached, before it answers the question of the row, which comes by two pipes with a name.
#include "ways.h"
#include <netinet/in.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void write_number(const char *file, long number) {
  FILE *out = fopen(file, "w");
  fprintf(out, "%ld\n", number);
  fclose(out);
}

// Goes to the background, and lets the row go on.
static void go_behind(void) {
  mkfifo("/srv/other/end", 0600), mkfifo("/srv/other/ended", 0600);
  if (fork()) _exit(0);
  setsid();
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0), dup2(nothing, 1), dup2(nothing, 2);
}
static void heard(void) { close(open("/srv/other/heard", O_CREAT | O_WRONLY, 0644)); }
static void wait_for_question(void) { close(open("/srv/other/end", O_RDONLY)); }
static void answer(void) {
  close(open("/srv/other/ended", O_WRONLY));
  _exit(0);
}

// Whoever connected or sent until the question came is seen, since nothing is taken from the socket before.
static void serve(int family, int type, const struct sockaddr *name, socklen_t length) {
  int server = socket(family, type | SOCK_NONBLOCK, 0);
  char byte;
  if (bind(server, name, length)) perror("bind");
  if (type != SOCK_DGRAM) listen(server, 8);
  struct sockaddr_in bound;
  length = sizeof bound;
  if (family == AF_INET && getsockname(server, (struct sockaddr *)&bound, &length) == 0) write_number("port", ntohs(bound.sin_port));
  go_behind();
  wait_for_question();
  if (type == SOCK_DGRAM ? recv(server, &byte, 1, 0) >= 0 : accept(server, 0, 0) >= 0) heard();
  answer();
}
static void serve_abstract(int type) {
  struct sockaddr_un name;
  socklen_t length = abstract("outside", &name);
  serve(AF_UNIX, type, (struct sockaddr *)&name, length);
}
static void serve_stream(void) { serve_abstract(SOCK_STREAM); }
static void serve_datagrams(void) { serve_abstract(SOCK_DGRAM); }
static void serve_packets(void) { serve_abstract(SOCK_SEQPACKET); }
static void serve_tcp(void) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  serve(AF_INET, SOCK_STREAM, (struct sockaddr *)&name, sizeof name);
}

// Hands a descriptor of a file that is not the line's to whoever connects.
static void give(void) {
  struct sockaddr_un name;
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (bind(server, (struct sockaddr *)&name, abstract("giver", &name)) || listen(server, 1)) perror("giver");
  go_behind();
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
  *(int *)CMSG_DATA(head) = open("/srv/other/file", O_WRONLY | O_TRUNC);
  sendmsg(accept(server, 0, 0), &message, 0);
  _exit(0);
}

// The victim: its number stands in `victim`, and where it keeps something secret in `address`. It has a file open at descriptor 7, and
// works in the home. It ends by itself when it is asked to, unless it was ended or stopped before.
static char secret[4096] = "KEY of another process";
static void end(int unused) { _exit(unused ? 42 : 0); }
static void be_victim(void) {
  int ready[2];
  char byte;
  if (pipe(ready)) return;
  mkfifo("/srv/other/end", 0600), mkfifo("/srv/other/ended", 0600);
  if (fork()) {
    // The row goes on when the victim stands.
    if (read(ready[0], &byte, 1) < 0) perror("victim");
    _exit(0);
  }
  setsid();
  pid_t victim = fork();
  if (victim == 0) {
    setsid();
    signal(SIGUSR1, end);
    dup2(open("/srv/other/file", O_RDWR), 7);
    write_number("address", (long)secret);
    write_number("victim", getpid());
    if (chdir("/root") || write(ready[1], "x", 1) < 0) perror("victim");
    for (;;) pause();
  }
  int status = 0;
  wait_for_question();
  kill(victim, SIGUSR1);
  waitpid(victim, &status, WUNTRACED);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 42) heard();
  kill(victim, SIGKILL);
  answer();
}

// What an earlier line left behind: it exchanges a directory with a link to the home, again and again.
static void exchange(const char *directory) {
  char trap[64];
  sprintf(trap, "%s.trap", directory);
  mkdir(directory, 0755);
  if (symlink("/root", trap)) perror(trap);
  if (fork()) _exit(0);
  setsid();
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0), dup2(nothing, 1), dup2(nothing, 2);
  for (;;) renameat2(AT_FDCWD, directory, AT_FDCWD, trap, RENAME_EXCHANGE);
}
static void exchange_temporary(void) { exchange("/tmp/temp"); }
static void exchange_workspace(void) { exchange("/srv/work/sub"); }

const struct way around[] = {{"serve-stream", serve_stream},
                              {"serve-datagrams", serve_datagrams},
                              {"serve-packets", serve_packets},
                              {"serve-tcp", serve_tcp},
                              {"give", give},
                              {"be-victim", be_victim},
                              {"exchange-temporary", exchange_temporary},
                              {"exchange-workspace", exchange_workspace},
                              {0, 0}};
