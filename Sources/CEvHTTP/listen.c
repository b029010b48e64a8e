#define _GNU_SOURCE
#include "cevhttp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_listener(const struct addrinfo *address, bool join) {
  const int on = 1;
  int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  // Accepted sockets inherit TCP_NODELAY.
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
    goto fail;
  // The first socket binds without SO_REUSEPORT, so that a port that another process serves (even one of
  // this program) is an error. The option is set before listen() so that sockets of this process can join.
  if (join && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0) goto fail;
  if (bind(fd, address->ai_addr, address->ai_addrlen) < 0) goto fail;
  if (!join && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0) goto fail;
  if (listen(fd, 1024) < 0) goto fail;
  return fd;

fail:;
  int reason = errno;
  close(fd);
  errno = reason;
  return -1;
}

int ceh_listen(const char *host, uint16_t port, bool join, uint16_t *bound_port,
               int *resolve_error) {
  struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  *resolve_error = getaddrinfo(host, service, &hints, &found);
  if (*resolve_error != 0) return -1;

  int fd = -1;
  for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
    fd = open_listener(a, join);
  int reason = errno;
  freeaddrinfo(found);
  errno = reason;
  if (fd < 0) return -1;

  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
    reason = errno;
    close(fd);
    errno = reason;
    return -1;
  }
  *bound_port = ntohs(address.ss_family == AF_INET6
                          ? ((struct sockaddr_in6 *)&address)->sin6_port
                          : ((struct sockaddr_in *)&address)->sin_port);
  return fd;
}
