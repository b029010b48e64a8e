// evhttp-bare PORT BYTES: the yardstick of scripts/bench, libevent's evhttp alone. One event_base on one
// thread answers every GET with the same BYTES bytes of application/json. It uses what makes evhttp fast:
// TCP_NODELAY, which accepted sockets inherit, writes of up to a megabyte instead of 16 kB, and a body that
// is referenced instead of copied. Port 0 takes any free port. Prints the port.
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { single_io = 1 << 20, max_body = 64 << 20 };

typedef struct {
  char *bytes;
  size_t count;
} body_t;

static struct bufferevent *new_bufferevent(struct event_base *base, void *argument) {
  struct bufferevent *bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  if (bev == NULL) return NULL;
  bufferevent_set_max_single_read(bev, single_io);
  bufferevent_set_max_single_write(bev, single_io);
  return bev;
}

static void answer(struct evhttp_request *request, void *argument) {
  const body_t *body = argument;
  evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                    "application/json");
  evbuffer_add_reference(evhttp_request_get_output_buffer(request), body->bytes, body->count, NULL,
                         NULL);
  evhttp_send_reply(request, 200, "OK", NULL);
}

// Listens on 127.0.0.1. Returns the socket, or -1.
static int listen_on(unsigned short *port) {
  const int on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
      bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 1024) < 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) < 0)
    return -1;
  *port = ntohs(address.sin_port);
  return fd;
}

static struct event_base *new_base(void) {
  struct event_config *config = event_config_new();
  if (config == NULL) return NULL;
  event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST | EVENT_BASE_FLAG_NOLOCK);
  struct event_base *base = event_base_new_with_config(config);
  event_config_free(config);
  return base;
}

int main(int count, char **arguments) {
  long number = count == 3 ? strtol(arguments[1], NULL, 10) : -1;
  long size = count == 3 ? strtol(arguments[2], NULL, 10) : -1;
  if (number < 0 || number > 65535 || size < 1 || size > max_body) {
    fputs("usage: evhttp-bare PORT BYTES\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  unsigned short port = (unsigned short)number;
  body_t body = {malloc((size_t)size), (size_t)size};
  struct event_base *base = new_base();
  struct evhttp *http = base != NULL ? evhttp_new(base) : NULL;
  int fd = listen_on(&port);
  if (body.bytes == NULL || http == NULL || fd < 0 || evhttp_accept_socket(http, fd) != 0) {
    fprintf(stderr, "evhttp-bare: can't serve on port %ld: %s\n", number, strerror(errno));
    return 1;
  }
  memset(body.bytes, ' ', body.count);
  body.bytes[0] = '0';
  evhttp_set_bevcb(http, new_bufferevent, NULL);
  evhttp_set_gencb(http, answer, &body);
  printf("%d\n", port);
  fflush(stdout);
  return event_base_dispatch(base) == 0 ? 0 : 1;
}
