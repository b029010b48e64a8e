#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *ceh_status_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 507: return "Insufficient Storage";
    default: return status < 300 ? "OK" : status < 400 ? "Redirect" : "Error";
  }
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
size_t ceh_write_head(ceh_loop *loop, char *destination, int status, long content_length,
                      const char *connection) {
  char *out = number(stpcpy(destination, "HTTP/1.1 "), (unsigned long)status % 1000);
  *out++ = ' ';
  out = stpcpy(stpcpy(out, ceh_status_phrase(status)), "\r\nDate: ");
  out = stpcpy(stpcpy(out, date(loop)), "\r\n");
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
