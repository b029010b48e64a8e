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
  if (digits == 0 || (*rest != '\0' && *rest != ';')) return false;
  connection->in_chunk = strspn(line, "0") < digits;
  line[digits] = '\0';
  return true;
}

// The characters of a token (RFC 9110, section 5.6.2).
static const bool is_token[256] = {
    ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['!'] = true, ['#'] = true,
    ['$'] = true,         ['%'] = true,         ['&'] = true,         ['*'] = true, ['+'] = true,
    ['-'] = true,         ['.'] = true,         ['^'] = true,         ['_'] = true, ['`'] = true,
    ['|'] = true,         ['~'] = true,         ['\''] = true,
};

// Whether the line is a header field or a trailer, and not the next part of one (RFC 9112, section 5).
static bool is_field(const char *line) {
  size_t name = 0;
  while (is_token[(unsigned char)line[name]]) name++;
  return name > 0 && line[name] == ':';
}

// Whether the line is a method, a target without spaces and control characters, and a version that is HTTP/1, with a
// space between each (RFC 9112, section 3). evhttp finds out the rest.
static bool is_request_line(const char *line, size_t length) {
  static const char version[] = " HTTP/1.";
  const size_t size = sizeof version - 1;
  size_t at = 0;
  while (is_token[(unsigned char)line[at]]) at++;
  if (at == 0 || line[at] != ' ' || length < at + 2 + size + 1) return false;
  const char *end = line + length - size - 1;
  for (const char *target = line + at + 1; target < end; target++)
    if ((unsigned char)*target <= ' ' || *target == 0x7F) return false;
  return memcmp(end, version, size) == 0 && line[length - 1] >= '0' && line[length - 1] <= '9';
}

// Whether the line is as it must be where it stands, to the letter: whatever another server might read in
// another way, such as a folded line, is none.
static bool is_head_line(ceh_connection *connection, const char *line, size_t length) {
  bool first = !connection->in_fields && !connection->in_body;
  connection->in_fields = length > 0;
  if (first) return is_request_line(line, length);
  return length == 0 || is_field(line);
}

// Replaces libevent's function, as evhttp_send_error() in exchange.c does, because evhttp reads all lines of
// a request by it: the request line, header fields, trailers, and those before and after chunks, for which
// `length` is NULL. evhttp accepts lines that end in a bare LF, folded ones, names that are none, versions such
// as "HTTP/+1.01", chunk sizes such as "0x2" and lines without an end, refuses extensions, cuts a field off at a
// NUL, and takes trailers for fields of the head. Lines of responses, which a client reads, are left as they are.
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
  bool valid = end_size == 2 && memchr(line, '\r', size) == NULL && memchr(line, '\0', size) == NULL;
  if (is_chunk) {
    valid = ceh_count_chunk(connection) && valid && size <= MOST_CHUNK_LINE &&
            is_chunk_line(connection, line, size);
    return valid ? line : refused(connection, line, length);
  }
  connection->lines += 1;
  valid = valid && connection->lines <= CEH_MOST_LINES && is_head_line(connection, line, size);
  if (valid && connection->lines == 1 && !has_path_in_bounds(line)) {
    connection->lines = CEH_MOST_LINES + 1;
    valid = false;
  }
  if (!valid) return refused(connection, line, length);
  ceh_set_received(connection, connection->received + FIELD_MEMORY);
  // White space behind the colon may be tabs, too (RFC 9112, section 5), of which evhttp drops spaces alone.
  if (connection->lines > 1) {
    char *colon = strchr(line, ':');
    for (char *at = colon; at != NULL && (at == colon || *at == ' ' || *at == '\t'); at++)
      if (*at == '\t') *at = ' ';
  }
  // A trailer loses its name, so that it is no field of the head.
  if (size > 0 && connection->in_body) strcpy(line, ":");
  if (size == 0) ceh_begin_body(connection);
  return line;
}
