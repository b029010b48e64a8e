#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "include/cevhttp.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <assert.h>
#include <openssl/types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>
#include <sys/uio.h>
// After sys/queue.h: the layout of evhttp_request. Debian ships it with this very library.
#include <event2/http_struct.h>

/// evhttp's mark for a method that it does not know.
#define CEH_UNKNOWN_METHOD (1 << 15)
/// The most bytes of one write, some 30 µs of a loop, for which 64 clients of large answers keep others waiting for 2 ms.
/// With libevent's 16 kB a response leaves in pieces, the last of which waits for an ACK.
#define CEH_SINGLE_WRITE (128 * 1024)

struct ceh_gauge {
  atomic_long value;
  atomic_long handshakes;
};

/// An address with open connections, and what it has of a loop's.
typedef struct ceh_peer {
  LIST_ENTRY(ceh_peer) next;
  uint64_t number;  ///< see ceh_exchange_client()
  long connections;
  size_t input;   ///< bytes of requests that are not answered yet
  size_t held;    ///< those of requests that have arrived as a whole
  size_t output;  ///< bytes of replies that the sockets have not taken yet
  TAILQ_ENTRY(ceh_peer) turn;
  TAILQ_HEAD(, ceh_handshake) waiting;  ///< its handshakes that can go on; if any, it is in `turns`
  TAILQ_ENTRY(ceh_peer) busy;
  TAILQ_HEAD(, ceh_exchange) requests;  ///< those that wait for their turn; if any, it is in the loop's `busy`
  uint64_t used;                        ///< the loop's time that it has had, as turns.c counts
} ceh_peer;

/// The time of a loop that an address without connections has had beyond the others.
typedef struct {
  uint64_t number, used;
} ceh_debt;

/// The binary logarithm of how many of these a loop remembers; of two in one place it is the larger one.
#define CEH_DEBT_BITS 8

/// A handshake of TLS that is not finished.
typedef struct ceh_handshake {
  TAILQ_ENTRY(ceh_handshake) next;
  struct ceh_connection *connection;
  struct event *event;
  bool begun;    ///< OpenSSL has seen the first bytes
  bool waiting;  ///< it can go on, and is in its peer's `waiting`
} ceh_handshake;

/// One accepted connection, from accept to close.
typedef struct ceh_connection {
  LIST_ENTRY(ceh_connection) next;
  ceh_loop *loop;
  ceh_peer *peer;
  struct evhttp_connection *evcon;
  struct bufferevent *bev;
  SSL *ssl;                  ///< NULL without TLS
  ceh_handshake *handshake;  ///< until it is finished
  unsigned long decrypted;   ///< bytes that had arrived when some were decrypted last
  int fd;
  ceh_exchange *exchange;  ///< the request that waits for its reply, if any
  ceh_stream *stream;      ///< the stream that is the reply, if any
  size_t received;         ///< bytes that arrived since the last reply
  size_t line_size;        ///< bytes of the last line that was read
  bool malformed;          ///< that line was not valid
  bool in_fields;          ///< that line was one of a head or trailer that goes on
  bool in_chunk;           ///< the data of a chunk is being read
  size_t lines;            ///< of the head and the trailer that is being read
  size_t chunks;           ///< lines before and after chunks of the body that is being read
  bool fragmented;             ///< its chunks are too many and too small
  size_t read_size;        ///< the most bytes of one read
  bool in_body;            ///< the head of the request has been read
  long since;              ///< the second in which the head, or a period of a body, began
  size_t before;           ///< bytes that had arrived or were unsent at that time
  size_t sent_at_once;     ///< bytes that OpenSSL has encrypted in this turn of the loop
  LIST_ENTRY(ceh_connection) paused_next;
  bool paused;  ///< it has sent so many that others come first, and is in the loop's `paused`
  bool linger;             ///< drain the peer's unread bytes after the close
} ceh_connection;

/// The bytes of an id that is made, of five random bits each; so many Swift keeps without allocating.
#define CEH_MADE_ID 15
/// The most bytes of an id that a client may give.
#define CEH_MOST_ID 128

/// The most lines of a head and its trailer: the first, the last, and 128 fields, each of which is work of its own.
#define CEH_MOST_LINES 130

struct ceh_exchange {
  TAILQ_ENTRY(ceh_exchange) next;
  bool waiting;  ///< it is in its peer's `requests`
  ceh_loop *loop;
  ceh_connection *connection;  ///< NULL once the connection has gone
  struct evhttp_request *request;
  bool close;    ///< the connection ends with the reply
  bool failure;  ///< made by the protocol, not by a handler
  atomic_bool abandoned;
  const char *id;  ///< of the request: its own, which goes with the connection, or `made_id`
  size_t id_size;
  char made_id[CEH_MADE_ID];
};

typedef struct ceh_job {
  STAILQ_ENTRY(ceh_job) next;
  void (*run)(void *);
  void *argument;
} ceh_job;

typedef struct ceh_linger {
  LIST_ENTRY(ceh_linger) next;
  ceh_loop *loop;
  struct event *event;
  int fd;
  int rounds;
  long since;  ///< the second in which it began
} ceh_linger;

struct ceh_loop {
  struct event_base *base;
  struct evhttp *http;
  struct evhttp_bound_socket *bound;
  struct event *wake, *adopt, *tick, *accept_again, *sweep, *relieve, *handshakes, *resume, *serve;
  ceh_limits limits;
  ceh_gauge *gauge;
  ceh_handlers handlers;
  ceh_bytes refusals[CEH_REFUSALS];

  // Connections that were accepted and are not in the table yet.
  struct bufferevent **fresh;
  size_t fresh_count, fresh_capacity;
  // Connections by descriptor.
  ceh_connection **table;
  size_t table_size;
  LIST_HEAD(, ceh_connection) connections;
  LIST_HEAD(, ceh_peer) peers;
  void *peer_tree;  ///< the peers, for tsearch()
  TAILQ_HEAD(, ceh_peer) turns;  ///< peers whose handshakes can go on
  TAILQ_HEAD(ceh_peers, ceh_peer) busy;  ///< peers whose requests wait for their turns, the next one first
  uint64_t present;                      ///< the time of the turn that began last, as turns.c counts
  ceh_debt debts[1 << CEH_DEBT_BITS];
  LIST_HEAD(, ceh_connection) paused;
  LIST_HEAD(, ceh_linger) lingering;
  long lingering_count;
  ceh_connection *reading;  ///< the connection whose input changed last
  bool more_records;        ///< the record that OpenSSL is writing is followed by another at once
  long seconds;             ///< since the loop was made
  size_t input_bytes;       ///< of requests that are not answered yet
  size_t output_bytes;      ///< of replies that the sockets have not taken yet
  size_t most_kept;         ///< both together at most, since memory was given back
  long calm;                ///< the seconds for which much less was kept than that

  bool draining;
  int ticks;  ///< since then
  struct timeval deadline;
  long date_second;
  char date[40];
  // Random bytes for the ids of the next requests.
  unsigned char random[17 * CEH_MADE_ID];
  size_t random_left;

  pthread_t thread;
  // Protects the fields below, which any thread may use.
  pthread_mutex_t lock;
  STAILQ_HEAD(, ceh_job) jobs;
  bool ended;
  int stop_timeout_ms;  ///< -1 until a stop is asked for
  ceh_tls *tls;         ///< for new connections; NULL for plain HTTP
};

/// The loop that runs on this thread.
extern _Thread_local ceh_loop *ceh_current;

/// Checks, in debug builds, that the state of a loop is used on its thread or after the loop has ended.
#ifdef DEBUG
#define CEH_CHECK_THREAD(loop) assert(ceh_loop_is_confined(loop))
#else
#define CEH_CHECK_THREAD(loop) ((void)0)
#endif

// connection.c
struct bufferevent *ceh_bufferevent_new(struct event_base *base, void *loop);
void ceh_adopt(evutil_socket_t fd, short what, void *loop);
ceh_connection *ceh_connection_of(ceh_loop *loop, struct evhttp_request *request);
bool ceh_connection_is_idle(const ceh_connection *connection);
// peers.c
/// Counts a connection to its address. Returns false without memory.
bool ceh_peer_join(ceh_connection *connection);
void ceh_peer_leave(ceh_connection *connection);
/// Counts one connection of an address less, and forgets the address with the last one.
void ceh_peer_release(ceh_loop *loop, ceh_peer *peer);
/// Ends a connection for the sake of a new one; false if none is to be had. A newcomer of the address with most
/// connections has no such claim.
bool ceh_peer_make_room(const ceh_connection *newcomer);
// bounds.c
void ceh_count_bytes(ceh_connection *connection);
void ceh_forget_bytes(ceh_connection *connection);
void ceh_set_received(ceh_connection *connection, size_t received);
/// Notes that a request has arrived, or has been answered (NULL).
void ceh_set_exchange(ceh_connection *connection, ceh_exchange *exchange);
/// Whether there is room to keep a request that has arrived; if not, its connection has been ended.
bool ceh_admit(ceh_connection *connection);
void ceh_begin_head(ceh_connection *connection);
void ceh_begin_body(ceh_connection *connection);
/// Counts a line before or behind a chunk; false if its body has too many small ones.
bool ceh_count_chunk(ceh_connection *connection);
void ceh_begin_sending(ceh_connection *connection);
/// `reason` tells more, or is NULL.
void ceh_count_refusal(const ceh_loop *loop, ceh_refusal refusal, const char *reason);
void ceh_turn_away(ceh_connection *connection, ceh_refusal refusal);
/// Runs every second.
void ceh_sweep(evutil_socket_t fd, short what, void *loop);
/// Runs when a limit of bytes is exceeded.
void ceh_relieve(evutil_socket_t fd, short what, void *loop);
// turns.c
/// Of a clock that never goes back.
uint64_t ceh_nanoseconds(void);

/// Gives an address, which has had no connections, its turn behind what it had of the loop before.
void ceh_begin_turns(ceh_loop *loop, ceh_peer *peer);

/// Remembers what an address has had of the loop, as its last connection has gone.
void ceh_end_turns(ceh_loop *loop, const ceh_peer *peer);
/// Hands a request to the handler, now or when its address has its turn.
void ceh_take_turn(ceh_exchange *exchange);
/// Gives up the turn of a request, if it waits for one.
void ceh_stop_waiting(ceh_exchange *exchange);
/// Runs while requests wait.
void ceh_serve(evutil_socket_t fd, short what, void *loop);
// handshake.c
/// Begins the handshake of a new connection, which may free it.
void ceh_handshake_start(ceh_connection *connection);
/// Goes on with one that had too few bytes to begin.
void ceh_handshake_look(ceh_connection *connection);
void ceh_handshake_end(ceh_connection *connection);
/// Runs while handshakes wait.
void ceh_handshakes(evutil_socket_t fd, short what, void *loop);
// records.c
/// The most bytes of a record.
#define CEH_RECORD (16 << 10)
/// Whether TLS can be used, as the handshake is finished.
bool ceh_is_secured(const ceh_connection *connection);
/// Lets OpenSSL write to the socket by a function of records.c. Returns false without memory.
bool ceh_use_records(ceh_connection *connection);
/// ceh_write_out() for a connection with TLS.
bool ceh_write_records(ceh_connection *connection, const struct iovec *pieces, int count,
                       ceh_owner *owner);
/// The bytes that have arrived, and those that were sent, with what TLS adds.
size_t ceh_arrived(const ceh_connection *connection);
size_t ceh_sent(const ceh_connection *connection);
/// Whether bytes have arrived of which none could be decrypted yet.
bool ceh_has_part_of_record(const ceh_connection *connection);
/// The most memory that OpenSSL takes for a record that has not arrived as a whole.
#define CEH_RECORD_MEMORY (17 << 10)
/// Lets others send before this connection sends on.
void ceh_pause(ceh_connection *connection);
void ceh_resume(evutil_socket_t fd, short what, void *loop);
/// Tells the peer that the connection closes.
void ceh_send_close(ceh_connection *connection);
// tls.c
/// What OpenSSL reports as wrong, in a few words, for the last operation on this thread.
const char *ceh_tls_error(void);
// linger.c
bool ceh_linger_start(ceh_loop *loop, int fd);
void ceh_linger_end(ceh_linger *linger);
// exchange.c
void ceh_handle_request(struct evhttp_request *request, void *loop);
// reply.c
/// The most pieces of a write.
#define CEH_PIECES 4
/// Hands the pieces to the socket, up to CEH_SINGLE_WRITE, and the other bytes to evhttp's buffer. `owner` is that of
/// the last piece, or NULL; its `release` becomes NULL if the buffer has taken it over. Returns false when the
/// connection is broken or there is no memory for the bytes; it must then be closed.
bool ceh_write_out(ceh_connection *connection, const struct iovec *pieces, int count,
                   ceh_owner *owner);
/// Adds bytes to a buffer of output: many bytes that have an owner by reference, others as a copy. Returns false
/// without memory.
bool ceh_keep(struct evbuffer *output, const char *bytes, size_t size, ceh_owner *owner);
void ceh_finish(ceh_connection *connection, struct evhttp_request *request);
// stream.c
void ceh_stream_detach(ceh_stream *stream);
void ceh_end_streams(ceh_loop *loop);
// head.c
/// The most bytes of a head. The longest phrase, a date, a length and "keep-alive" take 128.
#define CEH_HEAD_SIZE (256 + CEH_MOST_ID)
size_t ceh_write_head(ceh_exchange *exchange, char destination[CEH_HEAD_SIZE], int status,
                      long content_length, const char *connection);
// ids.c
/// Takes the id of a request, or makes one.
void ceh_take_id(ceh_exchange *exchange);
