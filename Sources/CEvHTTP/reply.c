#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

bool ceh_keep(struct evbuffer *output, const char *bytes, size_t size, ceh_owner *owner) {
  if (owner == NULL || owner->release == NULL || size <= CEH_MOST_COPIED)
    return evbuffer_add(output, bytes, size) == 0;
  if (evbuffer_add_reference(output, bytes, size, owner->release, owner->object) < 0) return false;
  owner->release = NULL;
  return true;
}

bool ceh_write_out(ceh_connection *connection, const struct iovec *pieces, int count,
                   ceh_owner *owner) {
  struct evbuffer *output = bufferevent_get_output(connection->bev);
  size_t written = 0;
  CEH_CHECK_THREAD(connection->loop);
  if (connection->ssl != NULL) return ceh_write_records(connection, pieces, count, owner);
  if (evbuffer_get_length(output) == 0) {  // not behind a 100 Continue
    struct iovec first[CEH_PIECES];
    size_t room = CEH_SINGLE_WRITE;
    for (int i = 0; i < count; i++) {
      first[i] = pieces[i];
      if (first[i].iov_len > room) first[i].iov_len = room;
      room -= first[i].iov_len;
    }
    struct msghdr message = {.msg_iov = first, .msg_iovlen = (size_t)count};
    ssize_t n = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    written = n < 0 ? 0 : (size_t)n;
  }
  for (int i = 0; i < count; i++) {
    size_t done = written < pieces[i].iov_len ? written : pieces[i].iov_len;
    written -= done;
    if (done < pieces[i].iov_len &&
        !ceh_keep(output, (char *)pieces[i].iov_base + done, pieces[i].iov_len - done,
                  i == count - 1 ? owner : NULL))
      return false;
  }
  return true;
}

// Ends a reply whose bytes have been written. evhttp itself would format header fields one by one with
// printf(). Instead this leaves as a chunked response does, by evhttp_send_reply_end(), which accepts
// output that evhttp did not write.
void ceh_finish(ceh_connection *connection, struct evhttp_request *request) {
  struct bufferevent *bev = connection->bev;
  request->chunked = 0;            // otherwise evhttp appends a last chunk to the response
  request->type = EVHTTP_REQ_GET;  // otherwise evhttp never closes a CONNECT
  if (evbuffer_get_length(bufferevent_get_output(bev)) > 0) {
    ceh_begin_sending(connection);
    // Reading stays off: pipelined requests wait in the peer's memory, and a half-closed connection does
    // not look like a lost one.
    bufferevent_data_cb on_write = NULL;
    bufferevent_event_cb on_event = NULL;
    void *argument = NULL;
    bufferevent_getcb(bev, NULL, &on_write, &on_event, &argument);
    bufferevent_setcb(bev, NULL, on_write, on_event, argument);
    bufferevent_enable(bev, EV_WRITE);
  }
  // May free the request and the connection.
  evhttp_send_reply_end(request);
}

// Lets go of the body of a response, unless a buffer has taken over its owner.
static void let_go(const ceh_response *response, const ceh_owner *owner) {
  if (owner->release != NULL) owner->release(response->body, response->body_size, owner->object);
}

size_t ceh_exchange_reply(ceh_exchange *exchange, const ceh_response *response) {
  ceh_connection *connection = exchange->connection;
  struct evhttp_request *request = exchange->request;
  CEH_CHECK_THREAD(exchange->loop);
  if (connection == NULL) {
    free(exchange);
    let_go(response, &response->owner);
    return 0;
  }
  ceh_loop *loop = exchange->loop;
  bool close = exchange->close || loop->draining;
  bool empty = response->status == 204 || response->status == 304;
  bool keeps = !close && request->minor < 1;
  bool silent = empty || request->type == EVHTTP_REQ_HEAD;
  if (exchange->failure) request->major = request->minor = 1;

  char head[CEH_HEAD_SIZE];
  size_t head_size =
      ceh_write_head(exchange, head, response->status,
                     empty || response->unsized ? -1 : (long)response->body_size,
                     close ? "close" : keeps ? "keep-alive" : NULL);
  const struct iovec pieces[CEH_PIECES] = {
      {head, head_size},
      {(void *)response->headers, response->headers_size},
      {"\r\n", 2},
      {(void *)response->body, silent ? 0 : response->body_size},
  };
  size_t size = 0;
  for (int i = 0; i < CEH_PIECES; i++) size += pieces[i].iov_len;

  size_t unread = evbuffer_get_length(bufferevent_get_input(connection->bev));
  ceh_set_exchange(connection, NULL);
  ceh_set_received(connection, unread);
  ceh_begin_head(connection);
  if (close) {
    connection->linger |= exchange->failure || unread > 0;
    evhttp_add_header(request->output_headers, "Connection", "close");
  }
  free(exchange);
  ceh_owner owner = response->owner;
  bool written = ceh_write_out(connection, pieces, CEH_PIECES, &owner);
  let_go(response, &owner);
  if (written) {
    ceh_finish(connection, request);
  } else {
    connection->linger = false;
    evhttp_connection_free(connection->evcon);
  }
  return size;
}
