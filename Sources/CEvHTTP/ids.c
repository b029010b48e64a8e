#include "internal.h"

#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

// Ids of requests, by which log lines of several services are brought together. One that is made is seven random
// characters of the loop's and the count of its requests: short, and unlike those of other loops and processes.

enum { SALT = 7 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

void ceh_begin_ids(ceh_loop *loop) {
  if (getrandom(&loop->id_salt, sizeof loop->id_salt, 0) == sizeof loop->id_salt) return;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  loop->id_salt = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u + (uint64_t)now.tv_sec + (uintptr_t)loop;
}

static bool is_allowed(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr("._~:+/=-", c) != NULL);
}

// The size of an id that a client gives; 0 if it isn't one.
static size_t size_of(const char *id) {
  size_t size = 0;
  while (is_allowed((unsigned char)id[size]) && size < CEH_MOST_ID) size++;
  return id[size] == '\0' ? size : 0;
}

void ceh_take_id(ceh_exchange *exchange) {
  const struct evkeyval *field;
  TAILQ_FOREACH(field, exchange->request->input_headers, next) {
    if ((field->key[0] | 0x20) != 'x' || strcasecmp(field->key, "X-Request-Id") != 0) continue;
    exchange->id = field->value;
    exchange->id_size = size_of(field->value);
    if (exchange->id_size > 0) return;
    break;
  }
  ceh_loop *loop = exchange->loop;
  char *out = exchange->made_id;
  for (int i = 0; i < SALT; i++) *out++ = digits[loop->id_salt >> 5 * i & 31];
  uint64_t count = ++loop->id_count;
  do *out++ = digits[count & 31];
  while ((count >>= 5) != 0 && out < exchange->made_id + CEH_MADE_ID);
  exchange->id = exchange->made_id;
  exchange->id_size = (size_t)(out - exchange->made_id);
}
