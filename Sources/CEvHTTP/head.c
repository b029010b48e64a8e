#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *ceh_status_phrase(int status) {
  static const struct {
    int status;
    const char *phrase;
  } phrases[] = {
    {200, "OK"}, {201, "Created"}, {202, "Accepted"}, {204, "No Content"},
    {301, "Moved Permanently"}, {302, "Found"}, {303, "See Other"}, {304, "Not Modified"},
    {307, "Temporary Redirect"}, {308, "Permanent Redirect"}, {400, "Bad Request"},
    {401, "Unauthorized"}, {403, "Forbidden"}, {404, "Not Found"}, {405, "Method Not Allowed"},
    {406, "Not Acceptable"}, {408, "Request Timeout"}, {409, "Conflict"}, {410, "Gone"},
    {411, "Length Required"}, {412, "Precondition Failed"}, {413, "Content Too Large"},
    {414, "URI Too Long"}, {415, "Unsupported Media Type"}, {417, "Expectation Failed"},
    {422, "Unprocessable Content"}, {428, "Precondition Required"}, {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"}, {499, "Client Closed Request"}, {500, "Internal Server Error"},
    {501, "Not Implemented"}, {503, "Service Unavailable"}, {507, "Insufficient Storage"},
  };
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (phrases[i].status == status) return phrases[i].phrase;
  return status < 300 ? "OK" : status < 400 ? "Redirect" : "Error";
}

// The value of the Date field, formatted once a second, and not by strftime(), which follows the locale.
static const char *date(ceh_loop *loop) {
  static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  time_t now = time(NULL);
  if (now != loop->date_second) {
    struct tm t;
    gmtime_r(&now, &t);
    snprintf(loop->date, sizeof loop->date, "%s, %02u %s %04u %02u:%02u:%02u GMT",
             days[t.tm_wday], (unsigned)t.tm_mday % 100, months[t.tm_mon],
             (unsigned)(t.tm_year + 1900) % 10000, (unsigned)t.tm_hour % 100,
             (unsigned)t.tm_min % 100, (unsigned)t.tm_sec % 100);
    loop->date_second = now;
  }
  return loop->date;
}

static char *number(char *out, unsigned long value) {
  char digits[24];
  size_t count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}

// Does not use printf(), which would cost more than the rest of the head of a small response.
size_t ceh_write_head(ceh_exchange *exchange, char *destination, int status, long content_length,
                      const char *connection) {
  char *out = number(stpcpy(destination, "HTTP/1.1 "), (unsigned long)status % 1000);
  *out++ = ' ';
  out = stpcpy(stpcpy(out, ceh_status_phrase(status)), "\r\nDate: ");
  out = stpcpy(stpcpy(out, date(exchange->loop)), "\r\nX-Request-Id: ");
  out = stpcpy((char *)memcpy(out, exchange->id, exchange->id_size) + exchange->id_size, "\r\n");
  if (content_length >= 0) {
    out = number(stpcpy(out, "Content-Length: "), (unsigned long)content_length);
    out = stpcpy(out, "\r\n");
  }
  if (connection != NULL) {
    out = stpcpy(stpcpy(out, "Connection: "), connection);
    out = stpcpy(out, "\r\n");
  }
  return (size_t)(out - destination);
}
