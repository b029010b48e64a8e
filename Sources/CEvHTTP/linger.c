#include "internal.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/// The most reads of 64 kB from a peer whose connection is closed.
enum { MOST_ROUNDS = 4096 };

void ceh_linger_end(ceh_linger *linger) {
  LIST_REMOVE(linger, next);
  linger->loop->lingering_count -= 1;
  event_free(linger->event);
  close(linger->fd);
  free(linger);
}

// Reads and discards until the peer closes, is silent for a second, or has sent far too much.
static void readable(evutil_socket_t fd, short what, void *argument) {
  static _Thread_local char waste[65536];
  ceh_linger *linger = argument;
  if (what & EV_READ && linger->rounds++ < MOST_ROUNDS &&
      recv(fd, waste, sizeof waste, MSG_DONTWAIT) > 0)
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
