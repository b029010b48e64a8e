#include "internal.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

// Handshakes of TLS. A handshake takes a thousand times as long as to read a request, so that a crowd of them must
// not be carried out as soon as their bytes are there: those that can go on wait, and in each turn of the loop some
// of them do, by turns of their addresses, beside everything else that the loop has to do.

enum {
  /// The bytes by which a hello is known: the heads of a record and of the message in it.
  HELLO_HEAD = 9,
  /// The most bytes of a hello. Those of browsers have two thousand, with a ticket and a key of many bytes more. For
  /// OpenSSL it may have 128 kB, which it would allocate at once.
  MOST_HELLO = 16 << 10,
  /// The most memory of OpenSSL for a handshake, beside the connection itself: a hello, a record, the output.
  HANDSHAKE_MEMORY = 48 << 10,
  /// The nanoseconds for which handshakes go on in one turn of the loop.
  SLICE = 500 * 1000
};

// MARK: Turns

static void wait_for_turn(ceh_handshake *handshake) {
  ceh_connection *connection = handshake->connection;
  ceh_loop *loop = connection->loop;
  if (handshake->waiting) return;
  handshake->waiting = true;
  if (TAILQ_EMPTY(&loop->turns)) event_add(loop->handshakes, &(struct timeval){0});
  if (TAILQ_EMPTY(&connection->peer->waiting))
    TAILQ_INSERT_TAIL(&loop->turns, connection->peer, turn);
  TAILQ_INSERT_TAIL(&connection->peer->waiting, handshake, next);
}

static void stop_waiting(ceh_handshake *handshake) {
  ceh_peer *peer = handshake->connection->peer;
  ceh_loop *loop = handshake->connection->loop;
  if (!handshake->waiting) return;
  handshake->waiting = false;
  TAILQ_REMOVE(&peer->waiting, handshake, next);
  TAILQ_REMOVE(&loop->turns, peer, turn);
  if (!TAILQ_EMPTY(&peer->waiting)) TAILQ_INSERT_TAIL(&loop->turns, peer, turn);
}

static void ready(evutil_socket_t fd, short what, void *handshake) { wait_for_turn(handshake); }

static void wait_for_peer(ceh_handshake *handshake, short what) {
  ceh_connection *connection = handshake->connection;
  event_assign(handshake->event, connection->loop->base, connection->fd, what, ready, handshake);
  event_add(handshake->event, NULL);
}

// MARK: One handshake

void ceh_handshake_start(ceh_connection *connection) {
  ceh_handshake *handshake = calloc(1, sizeof *handshake);
  struct event *event = event_new(connection->loop->base, connection->fd, EV_READ, ready, handshake);
  if (handshake == NULL || event == NULL) {
    free(handshake);
    if (event != NULL) event_free(event);
    evhttp_connection_free(connection->evcon);
    return;
  }
  handshake->connection = connection;
  handshake->event = event;
  connection->handshake = handshake;
  bufferevent_disable(connection->bev, EV_READ);
  event_add(event, NULL);
}

void ceh_handshake_end(ceh_connection *connection) {
  ceh_handshake *handshake = connection->handshake;
  connection->handshake = NULL;
  stop_waiting(handshake);
  event_free(handshake->event);
  free(handshake);
}

void ceh_handshake_look(ceh_connection *connection) {
  ceh_handshake *handshake = connection->handshake;
  if (!handshake->begun && !event_pending(handshake->event, EV_READ, NULL))
    wait_for_turn(handshake);
}

static void fail(ceh_connection *connection, const char *reason) {
  ceh_count_refusal(connection->loop, CEH_HANDSHAKE, reason);
  // So that the alert, which OpenSSL has sent, arrives.
  connection->linger = true;
  evhttp_connection_free(connection->evcon);
}

typedef enum { NOTHING, PART, HELLO, LARGE_HELLO, PLAIN, FOREIGN, GONE } beginning;

static bool has_ended(int fd) {
  struct pollfd state = {.fd = fd, .events = POLLRDHUP};
  return poll(&state, 1, 0) > 0;
}

// Classifies the first bytes, which stay in the socket.
static beginning look(int fd) {
  uint8_t head[HELLO_HEAD];
  ssize_t n = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? NOTHING : GONE;
  if (n == 0) return GONE;
  if (head[0] >= 'A' && head[0] <= 'Z') return PLAIN;
  if (head[0] != 22) return FOREIGN;
  if (n < HELLO_HEAD) return has_ended(fd) ? FOREIGN : PART;
  size_t record = (size_t)head[3] << 8 | head[4];
  size_t message = (size_t)head[6] << 16 | (size_t)head[7] << 8 | head[8];
  if (head[5] != 1 || record < 4) return FOREIGN;
  return message <= MOST_HELLO ? HELLO : LARGE_HELLO;
}

// Whether OpenSSL may go on; otherwise the connection may be gone.
static bool begin(ceh_handshake *handshake) {
  ceh_connection *connection = handshake->connection;
  ceh_loop *loop = connection->loop;
  switch (look(connection->fd)) {
    case HELLO:
      handshake->begun = true;
      ceh_set_received(connection, HANDSHAKE_MEMORY);
      if (loop->input_bytes > loop->limits.max_input_bytes) event_active(loop->relieve, EV_READ, 0);
      return true;
    case NOTHING: wait_for_peer(handshake, EV_READ); break;
    case PART: break;  // the sweep looks again, as the event would come at once
    case PLAIN: ceh_turn_away(connection, CEH_PLAIN); break;
    case GONE: evhttp_connection_free(connection->evcon); break;
    case LARGE_HELLO: fail(connection, "the hello is too large"); break;
    case FOREIGN: fail(connection, "the first bytes are none of TLS"); break;
  }
  return false;
}

static void finish(ceh_connection *connection) {
  ceh_handshake_end(connection);
  ceh_set_received(connection, 0);
  connection->decrypted = ceh_arrived(connection);
  ceh_begin_head(connection);
  bufferevent_enable(connection->bev, EV_READ);
}

static void go_on(ceh_handshake *handshake) {
  ceh_connection *connection = handshake->connection;
  if (!handshake->begun && !begin(handshake)) return;
  ERR_clear_error();
  int result = SSL_do_handshake(connection->ssl);
  if (result == 1) {
    atomic_fetch_add_explicit(&connection->loop->gauge->handshakes, 1, memory_order_relaxed);
    finish(connection);
    return;
  }
  switch (SSL_get_error(connection->ssl, result)) {
    case SSL_ERROR_WANT_READ: wait_for_peer(handshake, EV_READ); break;
    case SSL_ERROR_WANT_WRITE: wait_for_peer(handshake, EV_WRITE); break;
    default: {
      long verified = SSL_get_verify_result(connection->ssl);
      fail(connection, verified == X509_V_OK ? ceh_tls_error() : X509_verify_cert_error_string(verified));
    }
  }
}

void ceh_handshakes(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  uint64_t end = ceh_nanoseconds() + SLICE;
  ceh_peer *peer;
  CEH_CHECK_THREAD(loop);
  while ((peer = TAILQ_FIRST(&loop->turns)) != NULL) {
    ceh_handshake *handshake = TAILQ_FIRST(&peer->waiting);
    stop_waiting(handshake);
    go_on(handshake);  // may free both
    if (ceh_nanoseconds() < end) continue;
    if (!TAILQ_EMPTY(&loop->turns)) event_add(loop->handshakes, &(struct timeval){0});
    return;
  }
}
