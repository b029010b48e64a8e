#include "internal.h"

#include <linux/sockios.h>
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Bounds on what clients make a loop keep, in bytes and in time. A connection receives a request, waits for
// the reply, and sends it; streams have bounds of their own.

enum {
  /// After this many bytes more than now have been kept, free memory is given back to the system.
  MUCH_MEMORY = 32 << 20,
  /// Requests of so few bytes are let be, however many bytes there are.
  SMALL_REQUEST = 64 << 10
};

static void input_changed(struct evbuffer *input, const struct evbuffer_cb_info *info,
                          void *argument) {
  ceh_connection *connection = argument;
  ceh_loop *loop = connection->loop;
  if (connection->received == 0) ceh_begin_head(connection);
  ceh_set_received(connection, connection->received + info->n_added);
  loop->reading = connection;
  if (loop->input_bytes > loop->limits.max_input_bytes) event_active(loop->relieve, EV_READ, 0);
}

static void output_changed(struct evbuffer *output, const struct evbuffer_cb_info *info,
                           void *argument) {
  ceh_connection *connection = argument;
  ceh_loop *loop = connection->loop;
  loop->output_bytes += info->n_added - info->n_deleted;
  if (loop->output_bytes > loop->limits.max_output_bytes) event_active(loop->relieve, EV_READ, 0);
  // The time of the next request begins when the reply before it has been sent.
  bool is_empty = info->orig_size + info->n_added == info->n_deleted;
  if (is_empty && connection->exchange == NULL && !connection->in_body) ceh_begin_head(connection);
}

void ceh_count_bytes(ceh_connection *connection) {
  evbuffer_add_cb(bufferevent_get_input(connection->bev), input_changed, connection);
  evbuffer_add_cb(bufferevent_get_output(connection->bev), output_changed, connection);
}

void ceh_forget_bytes(ceh_connection *connection) {
  struct evbuffer *output = bufferevent_get_output(connection->bev);
  evbuffer_remove_cb(bufferevent_get_input(connection->bev), input_changed, connection);
  evbuffer_remove_cb(output, output_changed, connection);
  connection->loop->output_bytes -= evbuffer_get_length(output);
  ceh_set_received(connection, 0);
}

// A request counts with its bytes until it is answered, as its body is in memory until then.
void ceh_set_received(ceh_connection *connection, size_t received) {
  connection->loop->input_bytes += received - connection->received;
  connection->received = received;
}

void ceh_begin_head(ceh_connection *connection) {
  connection->in_body = false;
  connection->since = connection->loop->seconds;
}

void ceh_begin_body(ceh_connection *connection) {
  connection->in_body = true;
  connection->since = connection->loop->seconds;
  connection->before = connection->received;
}

// The bytes of a reply that the peer has not acknowledged.
static size_t unsent(const ceh_connection *connection) {
  int queued = 0;
  if (ioctl(connection->fd, SIOCOUTQ, &queued) != 0) queued = 0;
  return evbuffer_get_length(bufferevent_get_output(connection->bev)) + (size_t)queued;
}

void ceh_begin_sending(ceh_connection *connection) {
  connection->in_body = false;
  connection->since = connection->loop->seconds;
  connection->before = unsent(connection);
}

void ceh_count_refusal(const ceh_loop *loop, ceh_refusal refusal) {
  loop->handlers.on_refusal(loop->handlers.context, refusal);
}

void ceh_turn_away(ceh_connection *connection, ceh_refusal refusal) {
  ceh_count_refusal(connection->loop, refusal);
  ceh_bytes answer = connection->loop->refusals[refusal];
  // A socket whose buffer is empty takes this at once, unless the peer has gone. evhttp has no way to answer
  // half a request.
  (void)!send(connection->fd, answer.bytes, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
  connection->linger = true;
  evhttp_connection_free(connection->evcon);
}

// Ends a connection whose peer does not take what it is sent.
static void cut_off(ceh_connection *connection, ceh_refusal refusal) {
  ceh_count_refusal(connection->loop, refusal);
  evhttp_connection_free(connection->evcon);
}

static bool is_sending(const ceh_connection *connection) {
  // While a body arrives, only a 100 Continue can be on its way.
  return connection->exchange == NULL && connection->stream == NULL && !connection->in_body &&
         evbuffer_get_length(bufferevent_get_output(connection->bev)) > 0;
}

static bool is_receiving(const ceh_connection *connection) {
  return connection->exchange == NULL && connection->stream == NULL && connection->received > 0 &&
         !is_sending(connection);
}

// Ends a connection whose request takes too long to arrive, or whose peer takes its reply too slowly.
static void check_pace(ceh_connection *connection) {
  ceh_loop *loop = connection->loop;
  if (loop->seconds - connection->since <= loop->limits.pace_seconds) return;
  if (is_receiving(connection)) {
    bool fast = connection->received >= connection->before + loop->limits.min_pace_bytes;
    if (connection->in_body && fast) ceh_begin_body(connection);
    else ceh_turn_away(connection, CEH_LATE);
  } else if (is_sending(connection)) {
    if (unsent(connection) + loop->limits.min_pace_bytes <= connection->before)
      ceh_begin_sending(connection);
    else cut_off(connection, CEH_UNREAD);
  }
}

// Notes that the peer of a request that waits for its reply has gone. Nothing is read meanwhile, so that
// libevent does not notice.
static void look_for_peer(ceh_connection *connection) {
  struct pollfd state = {.fd = connection->fd, .events = POLLRDHUP};
  if (poll(&state, 1, 0) > 0)
    atomic_store_explicit(&connection->exchange->abandoned, true, memory_order_relaxed);
}

void ceh_sweep(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  loop->seconds += 1;
  // First, as libevent frees the buffers of connections only after this turn of the loop.
  size_t kept = loop->input_bytes + loop->output_bytes;
  if (kept > loop->most_kept) loop->most_kept = kept;
  if (loop->most_kept > kept + MUCH_MEMORY) {
    loop->most_kept = kept;
    malloc_trim(0);
  }
  for (ceh_connection *c = LIST_FIRST(&loop->connections), *next; c != NULL; c = next) {
    next = LIST_NEXT(c, next);
    // May free the connection.
    if (c->exchange != NULL) look_for_peer(c);
    else check_pace(c);
  }
  for (ceh_linger *l = LIST_FIRST(&loop->lingering), *next; l != NULL; l = next) {
    next = LIST_NEXT(l, next);
    if (loop->seconds - l->since > loop->limits.pace_seconds) ceh_linger_end(l);
  }
}

// Ends the connections that keep most, until the rest is within the limits. Requests that are being answered
// are let be, and so is a reply that is the only one on its way, however large.
void ceh_relieve(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  while (loop->input_bytes > loop->limits.max_input_bytes) {
    ceh_connection *largest = NULL, *c;
    LIST_FOREACH(c, &loop->connections, next)
      if (is_receiving(c) && (largest == NULL || c->received > largest->received)) largest = c;
    if (largest == NULL || largest->received <= SMALL_REQUEST) break;
    ceh_turn_away(largest, CEH_FULL);
  }
  while (loop->output_bytes > loop->limits.max_output_bytes) {
    ceh_connection *largest = LIST_FIRST(&loop->connections), *c;
    size_t most = 0, count = 0;
    LIST_FOREACH(c, &loop->connections, next) {
      size_t size = evbuffer_get_length(bufferevent_get_output(c->bev));
      if (size > most) (largest = c, most = size);
      count += size > 0;
    }
    if (count < 2) break;
    cut_off(largest, CEH_UNTAKEN);
  }
}
