#include "internal.h"

#include <linux/sockios.h>
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Bounds on what clients make a loop keep, in bytes and in time. A connection receives a request, waits for
// the reply, and sends it; streams have bounds of their own.

enum {
  /// When this many bytes less are kept than before, for some seconds, free memory is given back to the system.
  MUCH_MEMORY = 32 << 20,
  CALM_SECONDS = 2,
  /// The bytes of an address up to which its requests are spared, however many bytes there are in all.
  SMALL_REQUEST = 8 << 10,
  // The most bytes of one read: each connection waits for one read of each other, and for the work on it.
  /// Of a head, of which one read may hold several.
  HEAD_READ = 16 << 10,
  /// Of a body, which is only kept.
  BODY_READ = 32 << 10,
  /// Of a body in small chunks, each of which is work of its own.
  CHUNKS_READ = 1 << 10,
  /// The bytes on average for each line before or behind a chunk from which chunks aren't small.
  LARGE_CHUNK_LINE = 256,
  /// The number of lines before and behind chunks that are allowed however small the chunks are, and the bytes on
  /// average that each line beyond that must bring.
  FEW_CHUNK_LINES = 20000,
  LEAST_CHUNK_LINE = 12
};

static void set_read_size(ceh_connection *connection, size_t size) {
  if (connection->read_size == size) return;
  connection->read_size = size;
  bufferevent_set_max_single_read(connection->bev, size);
}

static void input_changed(struct evbuffer *input, const struct evbuffer_cb_info *info,
                          void *argument) {
  ceh_connection *connection = argument;
  ceh_loop *loop = connection->loop;
  if (connection->received == 0) ceh_begin_head(connection);
  else if (connection->in_body && connection->chunks == 0) set_read_size(connection, BODY_READ);
  ceh_set_received(connection, connection->received + info->n_added);
  if (connection->ssl != NULL) connection->decrypted = ceh_arrived(connection);
  loop->reading = connection;
  if (loop->input_bytes > loop->limits.max_input_bytes) event_active(loop->relieve, EV_READ, 0);
}

// Takes note of memory that is needed: much of it is given back when it no longer is.
static void note_memory(ceh_loop *loop) {
  size_t kept = loop->input_bytes + loop->output_bytes;
  if (kept > loop->most_kept) loop->most_kept = kept;
}

static void output_changed(struct evbuffer *output, const struct evbuffer_cb_info *info,
                           void *argument) {
  ceh_connection *connection = argument;
  ceh_loop *loop = connection->loop;
  loop->output_bytes += info->n_added - info->n_deleted;
  note_memory(loop);
  connection->peer->output += info->n_added - info->n_deleted;
  if (loop->output_bytes > loop->limits.max_output_bytes) event_active(loop->relieve, EV_READ, 0);
  // The time of the next request begins when the reply before it has been sent.
  bool is_empty = info->orig_size + info->n_added == info->n_deleted;
  if (connection->ssl != NULL && info->n_deleted > 0) {
    connection->sent_at_once += info->n_deleted;
    if (connection->sent_at_once >= CEH_SINGLE_WRITE && !is_empty) ceh_pause(connection);
  }
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
  connection->peer->output -= evbuffer_get_length(output);
  ceh_set_received(connection, 0);
}

// A request counts with its bytes until it is answered, as its body is in memory until then.
void ceh_set_received(ceh_connection *connection, size_t received) {
  size_t growth = received - connection->received;
  connection->loop->input_bytes += growth;
  note_memory(connection->loop);
  connection->peer->input += growth;
  if (connection->exchange != NULL) connection->peer->held += growth;
  connection->received = received;
}

void ceh_set_exchange(ceh_connection *connection, ceh_exchange *exchange) {
  if (connection->exchange != NULL) connection->peer->held -= connection->received;
  connection->exchange = exchange;
  if (exchange != NULL) connection->peer->held += connection->received;
}

void ceh_begin_head(ceh_connection *connection) {
  connection->lines = connection->chunks = 0;
  set_read_size(connection, HEAD_READ);
  connection->in_body = false;
  connection->since = connection->loop->seconds;
}

void ceh_begin_body(ceh_connection *connection) {
  connection->in_body = true;
  connection->since = connection->loop->seconds;
  connection->before = ceh_arrived(connection);
}

bool ceh_count_chunk(ceh_connection *connection) {
  connection->chunks += 1;
  bool large = connection->received / LARGE_CHUNK_LINE > connection->chunks;
  set_read_size(connection, large ? BODY_READ : CHUNKS_READ);
  connection->fragmented = connection->chunks > FEW_CHUNK_LINES &&
                       connection->received / LEAST_CHUNK_LINE < connection->chunks;
  return !connection->fragmented;
}

// The bytes of a reply that the peer has not acknowledged. OpenSSL tells only when it has sent a whole record, so
// that with TLS these are counted from a number that nobody can send.
static size_t unsent(const ceh_connection *connection) {
  int queued = 0;
  if (ioctl(connection->fd, SIOCOUTQ, &queued) != 0) queued = 0;
  if (connection->ssl != NULL) return SIZE_MAX / 2 + (size_t)queued - ceh_sent(connection);
  return evbuffer_get_length(bufferevent_get_output(connection->bev)) + (size_t)queued;
}

void ceh_begin_sending(ceh_connection *connection) {
  connection->in_body = false;
  connection->since = connection->loop->seconds;
  connection->before = unsent(connection);
}

void ceh_count_refusal(const ceh_loop *loop, ceh_refusal refusal, const char *reason) {
  loop->handlers.on_refusal(loop->handlers.context, refusal, reason);
}

void ceh_turn_away(ceh_connection *connection, ceh_refusal refusal) {
  ceh_count_refusal(connection->loop, refusal, NULL);
  ceh_bytes answer = connection->loop->refusals[refusal];
  // A socket whose buffer is empty takes this at once, unless the peer has gone. evhttp has no way to answer
  // half a request. Before the end of a handshake no answer can be sent, and a connection too many shall not
  // cost one.
  if (connection->ssl == NULL || refusal == CEH_PLAIN) {
    (void)!send(connection->fd, answer.bytes, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
  } else if (ceh_is_secured(connection)) {
    const struct iovec piece = {(void *)answer.bytes, answer.size};
    (void)ceh_write_records(connection, &piece, 1, NULL);
  }
  connection->linger = true;
  evhttp_connection_free(connection->evcon);
}

// Ends a connection whose peer does not take its replies.
static void cut_off(ceh_connection *connection, ceh_refusal refusal) {
  ceh_count_refusal(connection->loop, refusal, NULL);
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
  if (connection->handshake != NULL) {
    ceh_turn_away(connection, CEH_LATE);
  } else if (is_receiving(connection)) {
    bool fast = ceh_arrived(connection) >= connection->before + loop->limits.min_pace_bytes;
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

// A part of a record is a part of a request, which nobody has seen yet.
static void look_for_part_of_record(ceh_connection *connection) {
  if (connection->received > 0 || is_sending(connection) || !ceh_has_part_of_record(connection)) return;
  ceh_begin_head(connection);
  ceh_set_received(connection, CEH_RECORD_MEMORY);
}

void ceh_sweep(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  loop->seconds += 1;
  // First, as libevent frees the buffers of connections only after this turn of the loop.
  size_t kept = loop->input_bytes + loop->output_bytes;
  // This takes time, and is of no use while the memory is about to be used again.
  loop->calm = loop->most_kept > kept + MUCH_MEMORY ? loop->calm + 1 : 0;
  if (loop->calm > CALM_SECONDS) {
    loop->most_kept = kept;
    malloc_trim(0);
  }
  for (ceh_connection *c = LIST_FIRST(&loop->connections), *next; c != NULL; c = next) {
    next = LIST_NEXT(c, next);
    if (c->exchange != NULL) {
      look_for_peer(c);
      continue;
    }
    if (c->ssl != NULL && c->handshake == NULL && c->stream == NULL) look_for_part_of_record(c);
    if (c->handshake != NULL) ceh_handshake_look(c);
    check_pace(c);  // may free the connection
  }
  for (ceh_linger *l = LIST_FIRST(&loop->lingering), *next; l != NULL; l = next) {
    next = LIST_NEXT(l, next);
    if (loop->seconds - l->since > loop->limits.pace_seconds) ceh_linger_end(l);
  }
}

// Of two connections that keep memory, the one to end is that of the address which keeps more, and of one address
// that which keeps more itself.
static bool is_greedier(size_t of_peer, size_t own, size_t most_of_peer, size_t most) {
  return of_peer > most_of_peer || (of_peer == most_of_peer && own > most);
}

// Ends requests that are still arriving until the rest is within the limit.
static void relieve_input(ceh_loop *loop) {
  while (loop->input_bytes > loop->limits.max_input_bytes) {
    ceh_connection *victim = NULL, *c;
    LIST_FOREACH(c, &loop->connections, next) {
      if (!is_receiving(c) || c->peer->input <= SMALL_REQUEST) continue;
      if (victim == NULL ||
          is_greedier(c->peer->input, c->received, victim->peer->input, victim->received))
        victim = c;
    }
    if (victim == NULL) return;
    ceh_turn_away(victim, CEH_FULL);
  }
}

// Requests that are being answered are spared, and so is a reply that is the only one on its way, however large.
void ceh_relieve(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  relieve_input(loop);
  while (loop->output_bytes > loop->limits.max_output_bytes) {
    ceh_connection *victim = NULL, *c;
    size_t most = 0, count = 0;
    LIST_FOREACH(c, &loop->connections, next) {
      size_t size = evbuffer_get_length(bufferevent_get_output(c->bev));
      if (size == 0) continue;
      count += 1;
      if (victim == NULL || is_greedier(c->peer->output, size, victim->peer->output, most))
        (victim = c, most = size);
    }
    if (count < 2) break;
    cut_off(victim, CEH_UNTAKEN);
  }
}

// A request that has arrived is kept until it is answered, even if others are given up. So that one
// address cannot take all the room with such requests, it has three quarters of it.
bool ceh_admit(ceh_connection *connection) {
  ceh_loop *loop = connection->loop;
  size_t most = loop->limits.max_input_bytes, size = connection->received;
  if (connection->peer->input <= SMALL_REQUEST) return true;
  if (connection->peer->held + size > most / 4 * 3) {
    ceh_turn_away(connection, CEH_SHARE);
    return false;
  }
  // Others are turned away first, as they may never arrive; this one is not among them.
  ceh_exchange self = {.loop = loop};
  ceh_set_exchange(connection, &self);
  relieve_input(loop);
  ceh_set_exchange(connection, NULL);
  if (loop->input_bytes <= most) return true;
  ceh_turn_away(connection, CEH_FULL);
  return false;
}
