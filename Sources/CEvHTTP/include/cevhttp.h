#pragma once

// An evhttp server behind an opaque interface. Only this target includes event2/*.h. All names
// begin with `ceh_`.
//
// Threads: a loop owns one event_base and one evhttp and runs on one thread. Unless its comment says "any
// thread", a function must be called on the thread of the loop, or while the loop is not running.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of zero bytes after every request body, so that a parser may read past its end.
#define CEH_BODY_PADDING 64
/// The most bytes of a body, of a request or a response, that a loop copies. It leaves larger ones where they are.
#define CEH_MOST_COPIED 65536

/// The number of open connections, and that of handshakes that were finished, shared by the loops of one server. Any
/// thread.
typedef struct ceh_gauge ceh_gauge;
ceh_gauge *ceh_gauge_new(void);
long ceh_gauge_value(const ceh_gauge *gauge);
long ceh_gauge_handshakes(const ceh_gauge *gauge);
void ceh_gauge_free(ceh_gauge *gauge);

/// One event loop with its evhttp server.
typedef struct ceh_loop ceh_loop;
/// One request that waits for its reply.
typedef struct ceh_exchange ceh_exchange;
/// A reply whose body is sent piece by piece.
typedef struct ceh_stream ceh_stream;

typedef enum {
  CEH_GET, CEH_HEAD, CEH_POST, CEH_PUT, CEH_DELETE, CEH_OPTIONS, CEH_PATCH, CEH_TRACE, CEH_CONNECT,
  CEH_OTHER
} ceh_method;

typedef struct {
  size_t max_header_bytes;
  size_t max_body_bytes;
  int idle_timeout_seconds;
  /// The time in which the head of a request must arrive, in which a body, and a reply on its way, must advance
  /// by `min_pace_bytes`, and in which a peer must close what was closed here.
  int pace_seconds;
  size_t min_pace_bytes;
  /// The most bytes that a loop keeps of requests until they are answered, and of replies until the sockets
  /// have taken them.
  size_t max_input_bytes;
  size_t max_output_bytes;
  long max_connections;
  /// The most connections that a loop accepts before it looks at them.
  long max_accepted;
  /// The most closed connections whose peers' unread bytes a loop drains.
  long max_lingering;
} ceh_limits;

typedef struct {
  const void *bytes;
  size_t size;
} ceh_bytes;

/// Why a connection is refused or ended.
typedef enum {
  // Answered without a whole request, by what ceh_loop_set_refusal() was given.
  CEH_OVERLOAD,  ///< there are too many connections
  CEH_LATE,      ///< the request arrives too slowly
  CEH_FULL,      ///< too many bytes of requests wait
  CEH_SHARE,     ///< too many bytes of requests from one address wait
  CEH_CROWD,     ///< the address with most connections has to make room for another
  CEH_PLAIN,     ///< the request comes without TLS, and is answered so
  CEH_REFUSALS,  ///< the number of those above
  // Closed, as a response is on its way.
  CEH_UNTAKEN,  ///< too many bytes of responses wait
  CEH_UNREAD,   ///< the peer takes the response too slowly
  // Closed, as there is no TLS to answer with.
  CEH_HANDSHAKE,  ///< the handshake failed
  // Answered by on_failure.
  CEH_HEAD_LIMIT,
  CEH_BODY_LIMIT
} ceh_refusal;

typedef struct {
  void *context;
  /// A whole request has been read. The exchange must reach ceh_exchange_reply() or
  /// ceh_exchange_stream() exactly once.
  void (*on_request)(void *context, ceh_exchange *exchange);
  /// The peer violated the protocol or a limit. Must reply before it returns.
  void (*on_failure)(void *context, ceh_exchange *exchange, int status, const char *reason);
  /// Something was refused; for counting. `reason` tells more, or is NULL.
  void (*on_refusal)(void *context, ceh_refusal refusal, const char *reason);
} ceh_handlers;

/// A certificate, its key, and whose certificates clients must have, for TLS; shared by all connections that
/// were made with it. Any thread.
typedef struct ssl_ctx_st ceh_tls;

/// A file of TLS.
typedef enum { CEH_CERTIFICATE, CEH_KEY, CEH_AUTHORITIES, CEH_TICKETS, CEH_PAIR } ceh_tls_file;

/// The error of a file.
typedef struct {
  ceh_tls_file file;  ///< CEH_PAIR if the certificate is for another key
  char reason[160];
} ceh_tls_failure;

/// Reads files for a server: in PEM a certificate with those between it and its authority, its key, and the authorities
/// of clients, of which certificates are then required; and the keys of the tickets in which clients keep sessions. The
/// last two may be NULL. Returns NULL if something is wrong.
ceh_tls *ceh_tls_server(const char *certificate, const char *key, const char *client_authorities,
                        const char *tickets, ceh_tls_failure *failure);
void ceh_tls_free(ceh_tls *tls);
/// The last second of the certificate, since 1970.
int64_t ceh_tls_expiry(const ceh_tls *tls);

/// Opens a listening socket. `join` shares a port that an earlier call of this process opened. Returns the
/// descriptor, or -1 with errno set; `*resolve_error` is a getaddrinfo() code or 0.
int ceh_listen(const char *host, uint16_t port, bool join, uint16_t *bound_port,
               int *resolve_error);

/// Creates a loop. Takes ownership of `listener`, also on failure. The gauge must outlive the loop. Returns
/// NULL without memory.
ceh_loop *ceh_loop_new(int listener, const ceh_limits *limits, ceh_gauge *gauge,
                       const ceh_handlers *handlers);
/// Sets the whole response for a refusal, which is copied. Before the loop is started.
void ceh_loop_set_refusal(ceh_loop *loop, ceh_refusal refusal, ceh_bytes response);
/// Lets new connections use TLS, by a certificate that is retained. Any thread.
void ceh_loop_set_tls(ceh_loop *loop, ceh_tls *tls);
/// Runs the loop on a new thread with all signals blocked. Returns 0 or an errno.
int ceh_loop_start(ceh_loop *loop);
/// Asks the loop to stop accepting, end streams, answer requests in flight, close idle connections and then
/// end; it ends after `timeout_ms` in any case. Any thread.
void ceh_loop_stop(ceh_loop *loop, int timeout_ms);
/// Waits for the thread of a started loop to end. Any other thread.
void ceh_loop_join(ceh_loop *loop);
/// Frees a loop that was never started or has been joined.
void ceh_loop_free(ceh_loop *loop);
/// True on the loop's own thread. Any thread.
bool ceh_loop_is_current(const ceh_loop *loop);
/// True on the loop's own thread, and on any thread once the loop has ended. Any thread.
bool ceh_loop_is_confined(ceh_loop *loop);
/// Runs `job(argument)` on the loop's thread, after earlier jobs. Returns false, and does not run it, once
/// the loop has ended. Any thread.
bool ceh_loop_post(ceh_loop *loop, void (*job)(void *argument), void *argument);

// Reading a request. Only inside on_request and on_failure.
ceh_method ceh_exchange_method(const ceh_exchange *exchange);
/// The raw request target, or NULL if the request line is invalid.
const char *ceh_exchange_target(const ceh_exchange *exchange);
/// The header fields, each as `name NUL value NUL`: their size, and a copy into memory of that size.
size_t ceh_exchange_headers_size(const ceh_exchange *exchange);
void ceh_exchange_headers_copy(const ceh_exchange *exchange, char *destination);
/// The request's id, which the reply repeats: that of its field X-Request-Id, or one that was made.
const char *ceh_exchange_id(const ceh_exchange *exchange, size_t *size);
size_t ceh_exchange_body_size(const ceh_exchange *exchange);
/// The bytes of a large body as they arrived. Any thread, one at a time.
typedef struct evbuffer ceh_pieces;
/// Moves the body into a block from malloc(), followed by CEH_BODY_PADDING zero bytes, which the caller
/// must free(). Returns NULL without memory. If the body has more than CEH_MOST_COPIED bytes, the block isn't
/// written to, and `*pieces`, otherwise NULL, is what to fill it from; the caller must free that, too.
void *ceh_exchange_body_take(ceh_exchange *exchange, ceh_pieces **pieces);
/// Moves the bytes to the block that was made for them, and adds the padding. Linear in the bytes.
void ceh_pieces_move(ceh_pieces *pieces, void *block);
void ceh_pieces_free(ceh_pieces *pieces);

/// A number for the address that the request came from: an IPv4 address, or the first 64 bits of an IPv6 one.
uint64_t ceh_exchange_client(const ceh_exchange *exchange);
/// Whether the peer has closed the connection or its half of it; noticed within a second or two. Any thread,
/// before the reply.
bool ceh_exchange_is_abandoned(const ceh_exchange *exchange);

/// The owner of a body's bytes, which stay where they are until `release` is called with them, which happens once,
/// on the loop's thread or on that which frees the loop, and must not use the loop. If `release` is NULL, bytes are
/// copied.
typedef struct {
  void *object;
  void (*release)(const void *bytes, size_t size, void *object);
} ceh_owner;

typedef struct {
  int status;
  /// Header lines, each ended by CRLF, without Date, Content-Length, Connection and X-Request-Id.
  const char *headers;
  size_t headers_size;
  const void *body;
  size_t body_size;
  /// Whether Content-Length is left out, for HEAD of a stream.
  bool unsized;
  /// The owner of the body. None if that of a stream begins with it.
  ceh_owner owner;
} ceh_response;

/// Sends the response and frees the exchange. If its connection has gone, it only frees the exchange. On
/// the loop's thread, or on any thread after the loop has ended. Returns the number of bytes handed over. The owner
/// of the body is released when the socket has taken all of it or the connection has gone, perhaps before this
/// returns.
size_t ceh_exchange_reply(ceh_exchange *exchange, const ceh_response *response);

/// Creates a stream. Its owner frees it, before it has begun or after it has ended. Returns NULL without
/// memory.
ceh_stream *ceh_stream_new(void);
void ceh_stream_free(ceh_stream *stream);
/// Sends the head and the first part of the body, frees the exchange and begins the stream. Calls
/// `on_end(context)` once, on the loop's thread, when the stream has ended because it was finished, the
/// client has gone or the loop stops, perhaps before this returns. The stream may be freed after that. The
/// connection closes with the stream. Threads and result are those of ceh_exchange_reply().
size_t ceh_exchange_stream(ceh_exchange *exchange, const ceh_response *response,
                           ceh_stream *stream, void (*on_end)(void *context), void *context);
/// Sends bytes. Returns the number of bytes handed over; 0 once the stream has ended.
size_t ceh_stream_send(ceh_stream *stream, const void *bytes, size_t size);
/// Ends the stream after everything that was sent. No effect once it has ended.
void ceh_stream_finish(ceh_stream *stream);
/// Closes the connection at once. No effect once the stream has ended.
void ceh_stream_drop(ceh_stream *stream);
/// The number of bytes that were sent and that the socket has not taken. Any thread.
size_t ceh_stream_unsent(const ceh_stream *stream);

/// The reason phrase of a status code. Any thread.
const char *ceh_status_phrase(int status);

#ifdef __cplusplus
}
#endif
