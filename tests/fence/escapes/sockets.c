// Sockets outside: without a place in the file system, and by TCP on loopback to the port that stands in `port`.
#include "ways.h"
#include <netinet/in.h>
#include <netinet/tcp.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static void say(int socket) {
  if (write(socket, "evil", 4) < 0) perror("say");
}
static void to_abstract(int type) {
  struct sockaddr_un name;
  socklen_t length = abstract("outside", &name);
  int one = socket(AF_UNIX, type, 0);
  if (connect(one, (struct sockaddr *)&name, length) == 0) say(one);
}
static void by_stream(void) { to_abstract(SOCK_STREAM); }
static void by_connected_datagram(void) { to_abstract(SOCK_DGRAM); }
static void by_packets(void) { to_abstract(SOCK_SEQPACKET); }
static void by_datagram(void) {
  struct sockaddr_un name;
  socklen_t length = abstract("outside", &name);
  sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "evil", 4, 0, (struct sockaddr *)&name, length);
}
static void by_message(void) {
  struct sockaddr_un name;
  struct iovec part = {"evil", 4};
  struct msghdr message = {.msg_name = &name, .msg_namelen = abstract("outside", &name), .msg_iov = &part, .msg_iovlen = 1};
  sendmsg(socket(AF_UNIX, SOCK_DGRAM, 0), &message, 0);
}

static struct sockaddr_in loopback(void) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(number_in("port")), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}
static void connecting(int one) {
  struct sockaddr_in name = loopback();
  if (connect(one, (struct sockaddr *)&name, sizeof name) == 0) say(one);
}
static void by_tcp(void) { connecting(socket(AF_INET, SOCK_STREAM, 0)); }
static void by_mptcp(void) { connecting(socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP)); }
static void by_mapped(void) {
  struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_port = htons(number_in("port"))};
  name.sin6_addr.s6_addr[10] = name.sin6_addr.s6_addr[11] = 0xff;
  name.sin6_addr.s6_addr[12] = 127, name.sin6_addr.s6_addr[15] = 1;
  int one = socket(AF_INET6, SOCK_STREAM, 0);
  if (connect(one, (struct sockaddr *)&name, sizeof name) == 0) say(one);
}
// Data that go with the first packet connect without connect(2).
static void by_fast_open(void) {
  struct sockaddr_in name = loopback();
  sendto(socket(AF_INET, SOCK_STREAM, 0), "evil", 4, MSG_FASTOPEN, (struct sockaddr *)&name, sizeof name);
}
static void by_fast_open_message(void) {
  struct sockaddr_in name = loopback();
  struct iovec part = {"evil", 4};
  struct msghdr message = {.msg_name = &name, .msg_namelen = sizeof name, .msg_iov = &part, .msg_iovlen = 1};
  sendmsg(socket(AF_INET, SOCK_STREAM, 0), &message, MSG_FASTOPEN);
}
static void by_deferred_connection(void) {
  int one = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(one, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on);
  connecting(one);
}
static void listening(int one) {
  struct sockaddr_in name;
  socklen_t length = sizeof name;
  if (listen(one, 1) || getsockname(one, (struct sockaddr *)&name, &length)) return;
  FILE *out = fopen("listens", "w");
  fprintf(out, "%d\n", ntohs(name.sin_port));
  fclose(out);
}
static void by_listening_anywhere(void) { listening(socket(AF_INET, SOCK_STREAM, 0)); }
static void by_binding(void) {
  struct sockaddr_in name = loopback();
  name.sin_port = 0;
  int one = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(one, (struct sockaddr *)&name, sizeof name) == 0) listening(one);
}
static void by_mptcp_listening(void) { listening(socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP)); }

const struct way sockets[] = {{"abstract-stream", by_stream},
                              {"abstract-datagram", by_datagram},
                              {"abstract-connected-datagram", by_connected_datagram},
                              {"abstract-message", by_message},
                              {"abstract-packets", by_packets},
                              {"tcp", by_tcp},
                              {"mptcp", by_mptcp},
                              {"mapped", by_mapped},
                              {"fast-open", by_fast_open},
                              {"fast-open-message", by_fast_open_message},
                              {"deferred-connection", by_deferred_connection},
                              {"listening-anywhere", by_listening_anywhere},
                              {"binding", by_binding},
                              {"mptcp-listening", by_mptcp_listening},
                              {0, 0}};
