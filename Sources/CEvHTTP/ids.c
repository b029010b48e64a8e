#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Ids of requests, by which log lines of several services are brought together. One that is made is random, so that
// it tells nothing of other requests, and nobody can make one that another request will have.

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

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
  // Many at a time, as each call asks the system.
  ceh_loop *loop = exchange->loop;
  if (loop->random_left < CEH_MADE_ID) arc4random_buf(loop->random, loop->random_left = sizeof loop->random);
  loop->random_left -= CEH_MADE_ID;
  const unsigned char *random = loop->random + loop->random_left;
  for (int i = 0; i < CEH_MADE_ID; i++) exchange->made_id[i] = digits[random[i] & 31];
  exchange->id = exchange->made_id;
  exchange->id_size = CEH_MADE_ID;
}
