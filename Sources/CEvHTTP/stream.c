#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

/// The most bytes that a peer may send after the request of a stream.
enum { MOST_STRAY_BYTES = 65536 };

struct ceh_stream {
  ceh_connection *connection;  ///< NULL before the stream begins and once it has ended
  struct evhttp_request *request;
  bool chunked;                ///< otherwise the stream ends with the connection
  atomic_size_t unsent;        ///< bytes that the socket has not taken yet
  size_t stray;                ///< bytes that the peer has sent after the request
  void (*on_end)(void *context);
  void *context;
  // evhttp's own callbacks, which are restored at the end.
  bufferevent_data_cb on_read, on_write;
  bufferevent_event_cb on_event;
  void *argument;
};

ceh_stream *ceh_stream_new(void) { return calloc(1, sizeof(ceh_stream)); }
void ceh_stream_free(ceh_stream *stream) { free(stream); }
size_t ceh_stream_unsent(const ceh_stream *stream) { return atomic_load(&stream->unsent); }

static void output_changed(struct evbuffer *output, const struct evbuffer_cb_info *info,
                           void *argument) {
  ceh_stream *stream = argument;
  atomic_store(&stream->unsent, info->orig_size + info->n_added - info->n_deleted);
}

// Discards input. No request may follow that of a stream, whose response says that the connection closes,
// but only reading notices that the peer has gone.
static void readable(struct bufferevent *bev, void *argument) {
  ceh_connection *connection = argument;
  struct evbuffer *input = bufferevent_get_input(bev);
  connection->stream->stray += evbuffer_get_length(input);
  evbuffer_drain(input, evbuffer_get_length(input));
  ceh_set_received(connection, 0);
  if (connection->stream->stray > MOST_STRAY_BYTES) evhttp_connection_free(connection->evcon);
}

// The peer has gone, or has taken nothing for the idle timeout. A peer that has closed only its sending
// half cannot be told from one that has gone, and counts as gone.
static void gone(struct bufferevent *bev, short what, void *argument) {
  ceh_connection *connection = argument;
  evhttp_connection_free(connection->evcon);
}

// May free the stream, through the callback.
void ceh_stream_detach(ceh_stream *stream) {
  ceh_connection *connection = stream->connection;
  CEH_CHECK_THREAD(connection->loop);
  evbuffer_remove_cb(bufferevent_get_output(connection->bev), output_changed, stream);
  atomic_store(&stream->unsent, 0);
  connection->stream = NULL;
  stream->connection = NULL;
  stream->on_end(stream->context);
}

static void attach(ceh_stream *stream, ceh_connection *connection) {
  const struct timeval patience = {.tv_sec = connection->loop->limits.idle_timeout_seconds};
  struct bufferevent *bev = connection->bev;
  stream->connection = connection;
  connection->stream = stream;
  bufferevent_getcb(bev, &stream->on_read, &stream->on_write, &stream->on_event,
                    &stream->argument);
  bufferevent_setcb(bev, readable, NULL, gone, connection);
  // The client of a stream need not send anything, but must take the data sent to it.
  bufferevent_set_timeouts(bev, NULL, &patience);
  evbuffer_add_cb(bufferevent_get_output(bev), output_changed, stream);
}

size_t ceh_exchange_stream(ceh_exchange *exchange, const ceh_response *response,
                           ceh_stream *stream, void (*on_end)(void *context), void *context) {
  ceh_connection *connection = exchange->connection;
  struct evhttp_request *request = exchange->request;
  ceh_loop *loop = exchange->loop;
  CEH_CHECK_THREAD(loop);
  if (connection == NULL) {
    free(exchange);
    on_end(context);
    return 0;
  }
  stream->request = request;
  stream->chunked = request->minor >= 1;
  stream->on_end = on_end;
  stream->context = context;
  ceh_set_exchange(connection, NULL);
  ceh_set_received(connection, evbuffer_get_length(bufferevent_get_input(connection->bev)));
  evhttp_add_header(request->output_headers, "Connection", "close");
  attach(stream, connection);

  static const char chunked[] = "Transfer-Encoding: chunked\r\n";
  char head[CEH_HEAD_SIZE];
  size_t head_size = ceh_write_head(exchange, head, response->status, -1, "close");
  free(exchange);
  const struct iovec pieces[CEH_PIECES] = {
      {head, head_size},
      {(void *)chunked, stream->chunked ? sizeof chunked - 1 : 0},
      {(void *)response->headers, response->headers_size},
      {"\r\n", 2},
  };
  size_t size = 0;
  for (int i = 0; i < CEH_PIECES; i++) size += pieces[i].iov_len;
  if (!ceh_write_out(connection, pieces, CEH_PIECES, NULL)) {
    evhttp_connection_free(connection->evcon);
    return size;
  }
  size += ceh_stream_send(stream, response->body, response->body_size);
  if (stream->connection == NULL) return size;
  if (loop->draining) {
    ceh_stream_finish(stream);
  } else {
    bufferevent_enable(connection->bev, EV_READ | EV_WRITE);
  }
  return size;
}

size_t ceh_stream_send(ceh_stream *stream, const void *bytes, size_t size) {
  ceh_connection *connection = stream->connection;
  if (connection == NULL || size == 0) return 0;
  char head[24];
  int head_size = stream->chunked ? snprintf(head, sizeof head, "%zx\r\n", size) : 0;
  size_t end_size = stream->chunked ? 2 : 0;
  const struct iovec pieces[] = {
      {head, (size_t)head_size}, {(void *)bytes, size}, {"\r\n", end_size}};
  if (!ceh_write_out(connection, pieces, 3, NULL)) {
    evhttp_connection_free(connection->evcon);
    return 0;
  }
  return (size_t)head_size + size + end_size;
}

void ceh_stream_finish(ceh_stream *stream) {
  static const char last[] = "0\r\n\r\n";
  ceh_connection *connection = stream->connection;
  if (connection == NULL) return;
  CEH_CHECK_THREAD(connection->loop);
  const struct iovec piece = {(void *)last, sizeof last - 1};
  if (stream->chunked && !ceh_write_out(connection, &piece, 1, NULL)) {
    evhttp_connection_free(connection->evcon);
    return;
  }
  struct evhttp_request *request = stream->request;
  bufferevent_disable(connection->bev, EV_READ);
  bufferevent_setcb(connection->bev, stream->on_read, stream->on_write, stream->on_event,
                    stream->argument);
  connection->linger |= stream->stray > 0 || connection->received > 0;
  ceh_stream_detach(stream);
  ceh_finish(connection, request);
}

void ceh_stream_drop(ceh_stream *stream) {
  if (stream->connection != NULL) evhttp_connection_free(stream->connection->evcon);
}

// Ends all streams. One whose peer has not taken everything is dropped, because the peer can reconnect
// elsewhere.
void ceh_end_streams(ceh_loop *loop) {
  for (ceh_connection *c = LIST_FIRST(&loop->connections), *next; c != NULL; c = next) {
    next = LIST_NEXT(c, next);
    if (c->stream == NULL) continue;
    if (ceh_stream_unsent(c->stream) == 0) ceh_stream_finish(c->stream);
    else ceh_stream_drop(c->stream);
  }
}
