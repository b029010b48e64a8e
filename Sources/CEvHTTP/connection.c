#include "internal.h"

#include <event2/bufferevent_ssl.h>
#include <event2/listener.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// With TLS, libevent takes the handshake for finished, as it is carried out in handshake.c before anything is read.
static struct bufferevent *new_bufferevent(ceh_loop *loop, struct event_base *base) {
  pthread_mutex_lock(&loop->lock);
  bool secure = loop->tls != NULL;
  SSL *ssl = secure ? SSL_new(loop->tls) : NULL;
  pthread_mutex_unlock(&loop->lock);
  if (!secure) return bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  if (ssl == NULL) return NULL;
  SSL_set_accept_state(ssl);
  return bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_OPEN, BEV_OPT_CLOSE_ON_FREE);
}

// evhttp does not report a new connection before its first request, but it asks for a bufferevent. The
// bufferevent is kept and looked at again in the same turn of the loop, when evhttp has attached its
// connection to it and no input can have been read.
struct bufferevent *ceh_bufferevent_new(struct event_base *base, void *argument) {
  ceh_loop *loop = argument;
  CEH_CHECK_THREAD(loop);
  if (loop->fresh_count == loop->fresh_capacity) {
    size_t capacity = loop->fresh_capacity * 2 + 16;
    void *larger = realloc(loop->fresh, capacity * sizeof *loop->fresh);
    if (larger == NULL) return NULL;
    loop->fresh = larger;
    loop->fresh_capacity = capacity;
  }
  struct bufferevent *bev = new_bufferevent(loop, base);
  if (bev == NULL) return NULL;
  bool secure = bufferevent_openssl_get_ssl(bev) != NULL;
  bufferevent_set_max_single_write(bev, secure ? CEH_RECORD : CEH_SINGLE_WRITE);
  bufferevent_incref(bev);
  loop->fresh[loop->fresh_count++] = bev;
  // Of a crowd that waits, no more are accepted than there are descriptors kept for.
  if ((long)loop->fresh_count >= loop->limits.max_accepted)
    evconnlistener_disable(evhttp_bound_socket_get_listener(loop->bound));
  event_active(loop->adopt, EV_READ, 0);
  return bev;
}

// Called first when evhttp frees a connection, for whatever reason.
static void closed(struct evhttp_connection *evcon, void *argument) {
  ceh_connection *connection = argument;
  ceh_loop *loop = connection->loop;
  CEH_CHECK_THREAD(loop);
  ceh_exchange *exchange = connection->exchange;
  bool is_unseen = exchange != NULL && exchange->waiting;
  if (is_unseen) {
    ceh_stop_waiting(exchange);
  } else if (exchange != NULL) {
    exchange->connection = NULL;
    exchange->request = NULL;
    atomic_store_explicit(&exchange->abandoned, true, memory_order_relaxed);
  }
  if (connection->stream != NULL) ceh_stream_detach(connection->stream);
  if (connection->handshake != NULL) ceh_handshake_end(connection);
  if (connection->ssl != NULL) ceh_send_close(connection);
  if (connection->paused) LIST_REMOVE(connection, paused_next);
  ceh_set_exchange(connection, NULL);
  if (is_unseen) free(exchange);
  ceh_forget_bytes(connection);
  ceh_peer_leave(connection);
  if (loop->reading == connection) loop->reading = NULL;
  loop->table[connection->fd] = NULL;
  LIST_REMOVE(connection, next);
  atomic_fetch_sub(&loop->gauge->value, 1);
  // Closing with unread input sends a reset, which can destroy the response on its way. So evhttp only
  // shuts down the writing side, and the descriptor is taken from it to be closed later.
  if (connection->linger && ceh_linger_start(loop, connection->fd))
    bufferevent_setfd(connection->bev, -1);
  free(connection);
}

static bool enter_table(ceh_loop *loop, ceh_connection *connection) {
  size_t fd = (size_t)connection->fd;
  if (fd >= loop->table_size) {
    size_t size = loop->table_size * 2 > fd + 64 ? loop->table_size * 2 : fd + 64;
    void *larger = realloc(loop->table, size * sizeof *loop->table);
    if (larger == NULL) return false;
    loop->table = larger;
    memset(loop->table + loop->table_size, 0, (size - loop->table_size) * sizeof *loop->table);
    loop->table_size = size;
  }
  loop->table[fd] = connection;
  return true;
}

static void adopt(ceh_loop *loop, struct bufferevent *bev, struct evhttp_connection *evcon) {
  ceh_connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) {
    evhttp_connection_free(evcon);
    return;
  }
  connection->loop = loop;
  connection->evcon = evcon;
  connection->bev = bev;
  connection->ssl = bufferevent_openssl_get_ssl(bev);
  connection->fd = bufferevent_getfd(bev);
  connection->since = loop->seconds;
  bool is_ready = connection->ssl == NULL || ceh_use_records(connection);
  if (!is_ready || !ceh_peer_join(connection) || !enter_table(loop, connection)) {
    if (connection->peer != NULL) ceh_peer_leave(connection);
    free(connection);
    evhttp_connection_free(evcon);
    return;
  }
  LIST_INSERT_HEAD(&loop->connections, connection, next);
  long open = atomic_fetch_add(&loop->gauge->value, 1) + 1;
  evhttp_connection_set_closecb(evcon, closed, connection);
  ceh_count_bytes(connection);
  if (open > loop->limits.max_connections && !ceh_peer_make_room(connection))
    ceh_turn_away(connection, CEH_OVERLOAD);
  else if (connection->ssl != NULL) ceh_handshake_start(connection);
}

void ceh_adopt(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  for (size_t i = 0; i < loop->fresh_count; i++) {
    void *evcon = NULL;
    struct bufferevent *bev = loop->fresh[i];
    bufferevent_getcb(bev, NULL, NULL, NULL, &evcon);  // NULL if evhttp gave up
    if (evcon != NULL) adopt(loop, bev, evcon);
    bufferevent_decref(bev);
  }
  loop->fresh_count = 0;
  if (loop->bound != NULL) evconnlistener_enable(evhttp_bound_socket_get_listener(loop->bound));
}

ceh_connection *ceh_connection_of(ceh_loop *loop, struct evhttp_request *request) {
  struct evhttp_connection *evcon = evhttp_request_get_connection(request);
  size_t fd = (size_t)bufferevent_getfd(evhttp_connection_get_bufferevent(evcon));
  return fd < loop->table_size ? loop->table[fd] : NULL;
}

bool ceh_connection_is_idle(const ceh_connection *connection) {
  int unread = 0;
  return connection->exchange == NULL && connection->stream == NULL && connection->received == 0 &&
         evbuffer_get_length(bufferevent_get_output(connection->bev)) == 0 &&
         (ioctl(connection->fd, FIONREAD, &unread) != 0 || unread == 0);
}
