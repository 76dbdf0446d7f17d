// io_uring: calls that no filter of system calls sees.
#include "ways.h"
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/mman.h>

// Has a ring do one thing. Returns what the call would.
static int done_by_ring(struct io_uring_sqe what, unsigned flags) {
  struct io_uring_params params = {.flags = flags, .sq_thread_idle = 100};
  int ring = syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) return -1;
  size_t size = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  size_t answers = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
  char *shared = mmap(0, size > answers ? size : answers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe *entries =
      mmap(0, params.sq_entries * sizeof what, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  if (shared == MAP_FAILED || (void *)entries == MAP_FAILED) return -1;
  entries[0] = what;
  *(unsigned *)(shared + params.sq_off.array) = 0;
  __atomic_store_n((unsigned *)(shared + params.sq_off.tail), 1, __ATOMIC_RELEASE);
  unsigned wait = IORING_ENTER_GETEVENTS | (flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, wait, 0, 0) < 0) return -1;
  return ((struct io_uring_cqe *)(shared + params.cq_off.cqes))->res;
}

static struct io_uring_sqe named(int operation, const char *path) {
  return (struct io_uring_sqe){.opcode = operation, .fd = AT_FDCWD, .addr = (uintptr_t)path};
}
static struct io_uring_sqe opening(const char *path, int flags) {
  struct io_uring_sqe what = named(IORING_OP_OPENAT, path);
  what.open_flags = flags, what.len = 0644;
  return what;
}
static struct io_uring_sqe from_to(int operation, const char *from, const char *to) {
  struct io_uring_sqe what = named(operation, from);
  what.len = AT_FDCWD, what.addr2 = (uintptr_t)to;
  return what;
}

static void by_open(void) { spoil(done_by_ring(opening("/root/planted", O_CREAT | O_WRONLY), 0)); }
static void by_polling(void) {
  spoil(done_by_ring(opening("/root/planted", O_CREAT | O_WRONLY), IORING_SETUP_SQPOLL));
}
static void by_worker(void) {
  struct io_uring_sqe what = opening("/root/planted", O_CREAT | O_WRONLY);
  what.flags = IOSQE_ASYNC;
  spoil(done_by_ring(what, 0));
}
static void by_emptying(void) { close(done_by_ring(opening("/root/notes", O_WRONLY | O_TRUNC), 0)); }
static void by_reading(void) { steal(done_by_ring(opening("/root/.ssh/id_rsa", O_RDONLY), 0)); }
static void by_unlink(void) { done_by_ring(named(IORING_OP_UNLINKAT, "/root/notes"), 0); }
static void by_mkdir(void) {
  struct io_uring_sqe what = named(IORING_OP_MKDIRAT, "/root/planted");
  what.len = 0755;
  done_by_ring(what, 0);
}
static void by_rename(void) { done_by_ring(from_to(IORING_OP_RENAMEAT, "/root/notes", "/root/gone"), 0); }
static void by_link(void) { done_by_ring(from_to(IORING_OP_LINKAT, "/root/notes", "/root/planted"), 0); }
static void by_symlink(void) {
  struct io_uring_sqe what = named(IORING_OP_SYMLINKAT, "/srv/work/evil");
  what.addr2 = (uintptr_t) "/root/planted";
  done_by_ring(what, 0);
}
static void by_abstract_socket(void) {
  struct sockaddr_un name;
  socklen_t length = abstract("outside", &name);
  struct io_uring_sqe what = named(IORING_OP_CONNECT, (char *)&name);
  what.fd = socket(AF_UNIX, SOCK_STREAM, 0), what.off = length;
  done_by_ring(what, 0);
}
static void by_tcp(void) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(number_in("port")), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct io_uring_sqe what = {.opcode = IORING_OP_SOCKET, .fd = AF_INET, .off = SOCK_STREAM};
  int one = done_by_ring(what, 0);
  what = named(IORING_OP_CONNECT, (char *)&name);
  what.fd = one, what.off = sizeof name;
  done_by_ring(what, 0);
}

const struct way rings[] = {{"ring-open", by_open},
                            {"ring-polling", by_polling},
                            {"ring-worker", by_worker},
                            {"ring-emptying", by_emptying},
                            {"ring-reading", by_reading},
                            {"ring-unlink", by_unlink},
                            {"ring-mkdir", by_mkdir},
                            {"ring-rename", by_rename},
                            {"ring-link", by_link},
                            {"ring-symlink", by_symlink},
                            {"ring-abstract-socket", by_abstract_socket},
                            {"ring-tcp", by_tcp},
                            {0, 0}};
