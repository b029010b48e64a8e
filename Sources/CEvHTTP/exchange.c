#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Fields without a name are trailers.
static size_t pairs_size(const struct evkeyvalq *headers) {
  size_t size = 0;
  const struct evkeyval *field;
  TAILQ_FOREACH(field, headers, next)
    if (field->key[0] != '\0') size += strlen(field->key) + strlen(field->value) + 2;
  return size;
}

static void pairs_copy(const struct evkeyvalq *headers, char *destination) {
  const struct evkeyval *field;
  TAILQ_FOREACH(field, headers, next) {
    if (field->key[0] == '\0') continue;
    destination = stpcpy(destination, field->key) + 1;
    destination = stpcpy(destination, field->value) + 1;
  }
}

// By ceh_method.
static const enum evhttp_cmd_type commands[CEH_OTHER] = {
    EVHTTP_REQ_GET,     EVHTTP_REQ_HEAD,  EVHTTP_REQ_POST,  EVHTTP_REQ_PUT,    EVHTTP_REQ_DELETE,
    EVHTTP_REQ_OPTIONS, EVHTTP_REQ_PATCH, EVHTTP_REQ_TRACE, EVHTTP_REQ_CONNECT};

ceh_method ceh_exchange_method(const ceh_exchange *exchange) {
  int method = 0;
  while (method < CEH_OTHER && commands[method] != exchange->request->type) method++;
  return (ceh_method)method;
}

const char *ceh_exchange_target(const ceh_exchange *exchange) {
  return exchange->request->uri;
}

uint64_t ceh_exchange_client(const ceh_exchange *exchange) {
  return exchange->connection->peer->number;
}

const char *ceh_exchange_id(const ceh_exchange *exchange, size_t *size) {
  *size = exchange->id_size;
  return exchange->id;
}

bool ceh_exchange_is_abandoned(const ceh_exchange *exchange) {
  return atomic_load_explicit(&exchange->abandoned, memory_order_relaxed);
}

size_t ceh_exchange_headers_size(const ceh_exchange *exchange) {
  return pairs_size(exchange->request->input_headers);
}

void ceh_exchange_headers_copy(const ceh_exchange *exchange, char *destination) {
  pairs_copy(exchange->request->input_headers, destination);
}

size_t ceh_exchange_body_size(const ceh_exchange *exchange) {
  return evbuffer_get_length(exchange->request->input_buffer);
}

// To copy 60 MB takes some 50 ms, and most of what is refused is refused by its head. So a large body is copied on the
// thread that reads it, if one does; until then the system gives the block no memory.
void *ceh_exchange_body_take(ceh_exchange *exchange, ceh_pieces **pieces) {
  struct evbuffer *input = exchange->request->input_buffer;
  size_t size = evbuffer_get_length(input);
  char *block = malloc(size + CEH_BODY_PADDING);
  *pieces = NULL;
  if (block == NULL) return NULL;
  if (size <= CEH_MOST_COPIED) {
    ceh_pieces_move(input, block);
    return block;
  }
  *pieces = evbuffer_new();
  // This moves the pieces themselves.
  if (*pieces != NULL && evbuffer_add_buffer(*pieces, input) == 0) return block;
  if (*pieces != NULL) evbuffer_free(*pieces);
  *pieces = NULL;
  free(block);
  return NULL;
}

void ceh_pieces_move(ceh_pieces *pieces, void *block) {
  /// The pieces that have been copied are freed after so many bytes, so that the body isn't in memory twice.
  enum { PART = 1 << 20 };
  char *end = block;
  int moved;
  while ((moved = evbuffer_remove(pieces, end, PART)) > 0) end += moved;
  memset(end, 0, CEH_BODY_PADDING);
}

void ceh_pieces_free(ceh_pieces *pieces) { evbuffer_free(pieces); }

// The framing of the message, by its header fields.
typedef struct {
  bool body, chunked, close, keep_alive, invalid;
  int hosts;
} framing;

/// The most members of a field Connection, as of other lists; see HTTPHeaders.swift.
enum { MOST_MEMBERS = 64 };

// Reads a field Connection.
static void read_connection(const char *list, framing *found) {
  for (int members = 0;; members++) {
    list += strspn(list, " \t,");
    if (*list == '\0') return;
    if (members == MOST_MEMBERS) {
      found->invalid = true;
      return;
    }
    size_t n = strcspn(list, " \t,");
    found->close |= n == 5 && strncasecmp(list, "close", n) == 0;
    found->keep_alive |= n == 10 && strncasecmp(list, "keep-alive", n) == 0;
    list += n;
  }
}

static framing framing_of(const struct evhttp_request *request) {
  const struct evkeyvalq *headers = request->input_headers;
  framing found = {0};
  const char *length = NULL;
  const struct evkeyval *field;
  TAILQ_FOREACH(field, headers, next) {
    switch (field->key[0] | 0x20) {
      case 'c':
        if (strcasecmp(field->key, "Connection") == 0) {
          read_connection(field->value, &found);
        } else if (strcasecmp(field->key, "Content-Length") == 0) {
          // Digits only. A repeated length is fine, a different one is not.
          if (field->value[strspn(field->value, "0123456789")] != '\0' ||
              (length != NULL && strcmp(length, field->value) != 0))
            found.invalid = true;
          length = field->value;
          found.body |= length[strspn(length, "0")] != '\0';
        }
        break;
      case 'h': found.hosts += strcasecmp(field->key, "Host") == 0; break;
      case 't':
        if (strcasecmp(field->key, "Transfer-Encoding") == 0) {
          if (found.chunked || strcasecmp(field->value, "chunked") != 0) found.invalid = true;
          found.body = found.chunked = true;
        }
        break;
      default: break;
    }
  }
  // A peer before HTTP/1.1 may not know of chunks (RFC 9112, section 6.1).
  if (found.chunked && (length != NULL || request->minor < 1)) found.invalid = true;
  return found;
}

// Where a target in absolute form has a host, that counts (RFC 9112, section 3.2.2). Returns false if it has an
// empty one, or without memory.
static bool take_host(struct evhttp_request *request) {
  const char *host = request->uri;
  if (strncasecmp(host, "http", 4) != 0) return true;
  host += (host[4] | 0x20) == 's' ? 5 : 4;
  if (strncmp(host, "://", 3) != 0) return true;
  host += 3;
  size_t size = strcspn(host, "/?");
  if (size == 0) return false;
  char *copy = strndup(host, size);
  if (copy == NULL) return false;
  (void)evhttp_remove_header(request->input_headers, "Host");
  bool done = evhttp_add_header(request->input_headers, "Host", copy) == 0;
  free(copy);
  return done;
}

static ceh_exchange *begin(ceh_loop *loop, ceh_connection *connection,
                           struct evhttp_request *request) {
  ceh_exchange *exchange = calloc(1, sizeof *exchange);
  if (exchange == NULL) return NULL;
  exchange->loop = loop;
  exchange->connection = connection;
  exchange->request = request;
  ceh_set_exchange(connection, exchange);
  ceh_take_id(exchange);
  // evhttp would treat a target in absolute form as a proxy's, with other rules for keep-alive.
  request->flags &= ~EVHTTP_PROXY_REQUEST;
  return exchange;
}

static void fail(ceh_loop *loop, struct evhttp_request *request, int status, const char *reason) {
  ceh_connection *connection = ceh_connection_of(loop, request);
  ceh_exchange *exchange = begin(loop, connection, request);
  if (exchange == NULL) {
    evhttp_connection_free(evhttp_request_get_connection(request));
    return;
  }
  bufferevent_disable(connection->bev, EV_READ);
  exchange->close = exchange->failure = true;
  loop->handlers.on_failure(loop->handlers.context, exchange, status, reason);
}

// While a request waits for its reply, evhttp does not read its connection, so libevent watches no event
// of it and only this shim can free it.
void ceh_handle_request(struct evhttp_request *request, void *argument) {
  ceh_loop *loop = argument;
  CEH_CHECK_THREAD(loop);
  if (ceh_connection_of(loop, request) == NULL) {
    // There was no memory to make it, and evhttp has made one that nothing here knows of, without TLS.
    evhttp_connection_free(evhttp_request_get_connection(request));
    return;
  }
  framing frame = framing_of(request);
  if (frame.invalid) {
    fail(loop, request, 400, "malformed or ambiguous header fields");
    return;
  }
  // RFC 9112, section 3.2.
  if (frame.hosts > 1 || (frame.hosts == 0 && request->minor >= 1)) {
    fail(loop, request, 400, "a request must have one Host field");
    return;
  }
  if (!take_host(request)) {
    fail(loop, request, 400, "the request target has no host");
    return;
  }
  ceh_connection *connection = ceh_connection_of(loop, request);
  if (!ceh_admit(connection)) return;
  ceh_exchange *exchange = begin(loop, connection, request);
  if (exchange == NULL) {
    evhttp_connection_free(evhttp_request_get_connection(request));
    return;
  }
  exchange->close = frame.close || (request->minor < 1 && !frame.keep_alive);
  // evhttp reads no body for these methods; it must not be taken for the next request.
  bool skipped = request->type == EVHTTP_REQ_HEAD || request->type == EVHTTP_REQ_TRACE ||
                 (int)request->type == CEH_UNKNOWN_METHOD;
  if (frame.body && skipped) exchange->close = connection->linger = true;
  if (request->type == EVHTTP_REQ_CONNECT) exchange->close = true;
  ceh_take_turn(exchange);
}

// The exact status of an error: evhttp reports 400 for every error of a head and 413 for every error of a
// chunked body.
static int refine(const ceh_loop *loop, const ceh_connection *connection,
                  const struct evhttp_request *request, int status) {
  const ceh_limits *limits = &loop->limits;
  size_t unread = evbuffer_get_length(bufferevent_get_input(connection->bev));
  if (connection->lines > CEH_MOST_LINES) return 431;
  if (request->headers_size + unread > limits->max_header_bytes && status == 400) return 431;
  if (request->headers_size == 0 && connection->line_size > limits->max_header_bytes) return 431;
  if (status == 413 && request->chunked && !connection->fragmented) {
    if (request->headers_size > limits->max_header_bytes) return 431;  // in the trailer
    if (connection->malformed || request->ntoread == 0) return 400;
  }
  return status;
}

static const char *describe(int status) {
  switch (status) {
    case 413: return "the body is larger than this server accepts";
    case 417: return "the only supported expectation is 100-continue";
    case 431: return "the request line and header fields are larger or more than this server accepts";
    default: return "the request is not valid HTTP/1.1";
  }
}

// Replaces evhttp's HTML error pages. libevent 2.1 has no hook for them, but the shared library calls its
// own evhttp_send_error() through the PLT, and a definition in the executable comes first in the search
// order; the linker exports it because a library on its command line defines it. (If libevent were linked
// statically, the linker would report a duplicate symbol. A test checks the effect.)
void evhttp_send_error(struct evhttp_request *request, int error, const char *reason) {
  ceh_loop *loop = ceh_current;
  ceh_connection *connection = loop != NULL ? ceh_connection_of(loop, request) : NULL;
  if (connection == NULL) {
    evhttp_connection_free(evhttp_request_get_connection(request));
    return;
  }
  int status = refine(loop, connection, request, error);
  if (status == 431) ceh_count_refusal(loop, CEH_HEAD_LIMIT, NULL);
  if (status == 413) ceh_count_refusal(loop, CEH_BODY_LIMIT, NULL);
  fail(loop, request, status,
       connection->fragmented ? "the body comes in too many small chunks" : describe(status));
}
