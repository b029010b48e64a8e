#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum {
  /// The most bytes of the line before a chunk, which holds its size and perhaps extensions.
  MOST_CHUNK_LINE = 4096,
  /// The memory that a header field takes beside its bytes.
  FIELD_MEMORY = 128,
  /// The most bytes of a path, perhaps with a scheme and an authority before it: an id has 256 characters, each of at
  /// most 12 bytes where it is escaped. evhttp decodes it, and everything else looks at it more than once.
  MOST_PATH = 4096
};

// The connection whose input this is; NULL for one that is not in the table. Bytes must have been removed.
static ceh_connection *owner(const ceh_loop *loop, const struct evbuffer *input) {
  ceh_connection *connection = loop != NULL ? loop->reading : NULL;
  bool is_own = connection != NULL && bufferevent_get_input(connection->bev) == input;
  return is_own ? connection : NULL;
}

// Whether the path in a request line is as long as any may be.
static bool has_path_in_bounds(const char *line) {
  const char *target = strchr(line, ' '), *version = strrchr(line, ' ');
  if (target == version) return true;
  const char *query = strchr(target, '?');
  return (query != NULL ? query : version) - target - 1 <= MOST_PATH;
}

// A line that evhttp refuses wherever it stands: it has no method, no colon and no digit.
static char *refused(ceh_connection *connection, char *line, size_t *length) {
  if (connection != NULL) connection->malformed = true;
  free(line);
  if (length != NULL) *length = 1;
  return strdup("?");
}

// Whether the line is a chunk size (RFC 9112, section 7.1), which is then cut off behind its digits. The end
// of a chunk's data must be an empty line.
static bool is_chunk_line(ceh_connection *connection, char *line, size_t length) {
  if (connection->in_chunk) {
    connection->in_chunk = false;
    return length == 0;
  }
  size_t digits = strspn(line, "0123456789abcdefABCDEF");
  const char *rest = line + digits + strspn(line + digits, " \t");
  if (digits == 0 || strlen(line) != length || (*rest != '\0' && *rest != ';')) return false;
  connection->in_chunk = strspn(line, "0") < digits;
  line[digits] = '\0';
  return true;
}

// Replaces libevent's function, as evhttp_send_error() in exchange.c does, because evhttp reads all lines of
// a request by it: the request line, header fields, trailers, and those before and after chunks, for which
// `length` is NULL. evhttp accepts chunk sizes such as "0x2" and lines without an end, refuses extensions,
// and cuts a field off at a NUL. Lines of responses, which a client reads, are left as they are.
char *evbuffer_readln(struct evbuffer *input, size_t *length, enum evbuffer_eol_style style) {
  ceh_loop *loop = ceh_current;
  bool is_chunk = length == NULL && loop != NULL;
  size_t end_size = 0;
  struct evbuffer_ptr end = evbuffer_search_eol(input, NULL, &end_size, style);
  if (end.pos < 0) {
    if (!is_chunk || evbuffer_get_length(input) <= MOST_CHUNK_LINE) return NULL;
    evbuffer_drain(input, evbuffer_get_length(input));
    return refused(owner(loop, input), NULL, length);
  }
  size_t size = (size_t)end.pos;
  char *line = malloc(size + 1);
  if (line == NULL) return NULL;
  // Removing bytes tells which connection is being read; see input_changed() in bounds.c.
  evbuffer_remove(input, line, size);
  evbuffer_drain(input, end_size);
  line[size] = '\0';
  if (length != NULL) *length = size;
  ceh_connection *connection = owner(loop, input);
  if (connection == NULL) return line;
  connection->line_size = size;
  if (is_chunk) {
    bool valid = ceh_count_chunk(connection) && end_size == 2 && size <= MOST_CHUNK_LINE &&
                 is_chunk_line(connection, line, size);
    return valid ? line : refused(connection, line, length);
  }
  connection->lines += 1;
  bool valid = memchr(line, '\0', size) == NULL && connection->lines <= CEH_MOST_LINES;
  if (connection->lines == 1 && !has_path_in_bounds(line)) {
    connection->lines = CEH_MOST_LINES + 1;
    valid = false;
  }
  if (!valid) return refused(connection, line, length);
  ceh_set_received(connection, connection->received + FIELD_MEMORY);
  if (size == 0) ceh_begin_body(connection);
  return line;
}
