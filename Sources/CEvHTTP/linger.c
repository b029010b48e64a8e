#include "internal.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  /// The most bytes that are discarded at a time.
  ROUND = 64 << 10,
  /// The most times that bytes of a peer whose connection is closed are discarded.
  MOST_ROUNDS = 4096
};

void ceh_linger_end(ceh_linger *linger) {
  LIST_REMOVE(linger, next);
  linger->loop->lingering_count -= 1;
  event_free(linger->event);
  close(linger->fd);
  free(linger);
}

// Discards, on Linux without a copy, until the peer closes, is silent for a second, or has sent far too much.
static void readable(evutil_socket_t fd, short what, void *argument) {
  ceh_linger *linger = argument;
  if (what & EV_READ && linger->rounds++ < MOST_ROUNDS &&
      recv(fd, NULL, ROUND, MSG_DONTWAIT | MSG_TRUNC) > 0)
    return;
  ceh_linger_end(linger);
}

bool ceh_linger_start(ceh_loop *loop, int fd) {
  const struct timeval patience = {.tv_sec = 1};
  CEH_CHECK_THREAD(loop);
  if (loop->lingering_count >= loop->limits.max_lingering) return false;
  ceh_linger *linger = calloc(1, sizeof *linger);
  if (linger == NULL) return false;
  linger->loop = loop;
  linger->fd = fd;
  linger->since = loop->seconds;
  linger->event = event_new(loop->base, fd, EV_READ | EV_PERSIST, readable, linger);
  if (linger->event == NULL || event_add(linger->event, &patience) < 0) {
    if (linger->event != NULL) event_free(linger->event);
    free(linger);
    return false;
  }
  LIST_INSERT_HEAD(&loop->lingering, linger, next);
  loop->lingering_count += 1;
  return true;
}
