#include "internal.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// The data of a connection with TLS. libevent reads it, and sends the buffer of output. Replies go to OpenSSL
// directly, in records as large as can be, and into that buffer only if the socket is full.

bool ceh_is_secured(const ceh_connection *connection) {
  return connection->ssl != NULL && SSL_is_init_finished(connection->ssl);
}

size_t ceh_arrived(const ceh_connection *connection) {
  if (connection->ssl == NULL) return connection->received;
  return BIO_number_read(SSL_get_rbio(connection->ssl));
}

size_t ceh_sent(const ceh_connection *connection) {
  return BIO_number_written(SSL_get_wbio(connection->ssl));
}

bool ceh_has_part_of_record(const ceh_connection *connection) {
  return ceh_arrived(connection) != connection->decrypted;
}

// MARK: The socket

// Writes as OpenSSL's own BIO of a socket does, but says of a record whether others follow it at once. Otherwise each
// record would be carried to the other end on its own, which takes longer than to encrypt it.
static int write_record(BIO *bio, const char *bytes, int size) {
  bool more = ceh_current != NULL && ceh_current->more_records;
  ssize_t n = send((int)BIO_get_fd(bio, NULL), bytes, (size_t)size, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  BIO_clear_retry_flags(bio);
  if (n < 0 && BIO_sock_should_retry((int)n)) BIO_set_retry_write(bio);
  return (int)n;
}

static BIO_METHOD *method;

static void make_method(void) {
  const BIO_METHOD *own = BIO_s_socket();
  method = BIO_meth_new(BIO_TYPE_SOCKET, "socket");
  if (method == NULL) return;
  BIO_meth_set_write(method, write_record);
  BIO_meth_set_read(method, BIO_meth_get_read(own));
  BIO_meth_set_puts(method, BIO_meth_get_puts(own));
  BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(own));
  BIO_meth_set_create(method, BIO_meth_get_create(own));
  BIO_meth_set_destroy(method, BIO_meth_get_destroy(own));
}

bool ceh_use_records(ceh_connection *connection) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_method);
  BIO *bio = method == NULL ? NULL : BIO_new(method);
  if (bio == NULL) return false;
  BIO_set_fd(bio, connection->fd, BIO_NOCLOSE);
  SSL_set_bio(connection->ssl, bio, bio);
  return true;
}

// MARK: Records

// Copies what follows `offset` bytes of all pieces; returns its size.
static size_t copy(const struct iovec *pieces, int count, size_t offset, char *destination,
                   size_t size) {
  size_t copied = 0;
  for (int i = 0; i < count && copied < size; i++) {
    size_t length = pieces[i].iov_len, rest = size - copied;
    if (offset >= length) {
      offset -= length;
      continue;
    }
    size_t part = length - offset < rest ? length - offset : rest;
    memcpy(destination + copied, (char *)pieces[i].iov_base + offset, part);
    copied += part;
    offset = 0;
  }
  return copied;
}

// The bytes of the record that begins at `offset`. They are copied unless one piece holds all of them, as it does if
// they are the rest of the last one.
static struct iovec record_at(const struct iovec *pieces, int count, size_t offset,
                              char scratch[CEH_RECORD]) {
  size_t inside = offset;
  for (int i = 0; i < count; i++) {
    size_t length = pieces[i].iov_len;
    size_t rest = inside < length ? length - inside : 0;
    if (rest >= CEH_RECORD || (rest > 0 && i == count - 1))
      return (struct iovec){(char *)pieces[i].iov_base + inside,
                            rest < CEH_RECORD ? rest : CEH_RECORD};
    if (rest > 0) break;
    inside -= length;
  }
  return (struct iovec){scratch, copy(pieces, count, offset, scratch, CEH_RECORD)};
}

// Adds what follows `offset` bytes of all pieces to the buffer of output. OpenSSL must be given at least the rest of a
// record that it has begun in one block: what is before the last piece is copied into one that holds a record, and
// what follows is kept, if that saves much, or all are copied.
static bool keep_rest(struct evbuffer *output, const struct iovec *pieces, int count, size_t offset,
                      size_t rest, ceh_owner *owner) {
  const struct iovec *last = &pieces[count - 1];
  size_t copied = rest > last->iov_len ? rest - last->iov_len : 0;
  if (copied > 0 && copied < CEH_RECORD) copied = rest < CEH_RECORD ? rest : CEH_RECORD;
  if (owner == NULL || owner->release == NULL || rest - copied <= CEH_MOST_COPIED) copied = rest;
  if (copied > 0) {
    struct evbuffer_iovec block;
    if (evbuffer_reserve_space(output, (ev_ssize_t)copied, &block, 1) != 1) return false;
    block.iov_len = copy(pieces, count, offset, block.iov_base, copied);
    if (evbuffer_commit_space(output, &block, 1) < 0) return false;
  }
  size_t kept = rest - copied;
  return kept == 0 ||
         ceh_keep(output, (char *)last->iov_base + last->iov_len - kept, kept, owner);
}

bool ceh_write_records(ceh_connection *connection, const struct iovec *pieces, int count,
                       ceh_owner *owner) {
  struct evbuffer *output = bufferevent_get_output(connection->bev);
  char scratch[CEH_RECORD];
  size_t size = 0, written = 0;
  for (int i = 0; i < count; i++) size += pieces[i].iov_len;
  bool is_full = evbuffer_get_length(output) > 0;  // of a 100 Continue, or of what came before in a stream
  while (!is_full && written < size && written < CEH_SINGLE_WRITE) {
    struct iovec record = record_at(pieces, count, written, scratch);
    size_t end = written + record.iov_len;
    ERR_clear_error();
    connection->loop->more_records = end < size && end < CEH_SINGLE_WRITE;
    int n = SSL_write(connection->ssl, record.iov_base, (int)record.iov_len);
    connection->loop->more_records = false;
    if (n > 0) written += (size_t)n;
    else if (SSL_get_error(connection->ssl, n) == SSL_ERROR_WANT_WRITE) is_full = true;
    else return false;
  }
  return written == size || keep_rest(output, pieces, count, written, size - written, owner);
}

void ceh_pause(ceh_connection *connection) {
  ceh_loop *loop = connection->loop;
  if (connection->paused) return;
  connection->paused = true;
  LIST_INSERT_HEAD(&loop->paused, connection, paused_next);
  bufferevent_disable(connection->bev, EV_WRITE);
  event_add(loop->resume, &(struct timeval){0});
}

// Runs in the next turn of the loop, after the work that others wait for.
void ceh_resume(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  while (!LIST_EMPTY(&loop->paused)) {
    ceh_connection *connection = LIST_FIRST(&loop->paused);
    LIST_REMOVE(connection, paused_next);
    connection->paused = false;
    connection->sent_at_once = 0;
    bufferevent_enable(connection->bev, EV_WRITE);
  }
}

// A response that is cut off must not look like one that has ended.
void ceh_send_close(ceh_connection *connection) {
  if (!ceh_is_secured(connection)) return;
  if (evbuffer_get_length(bufferevent_get_output(connection->bev)) > 0) return;
  ERR_clear_error();
  SSL_shutdown(connection->ssl);
  ERR_clear_error();
}
