#include "internal.h"

#include <netinet/in.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

// The addresses of open connections, and the part of a loop's resources that each has.

static uint64_t number(const struct sockaddr *address) {
  uint64_t number = 0;
  if (address != NULL && address->sa_family == AF_INET) {
    number = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
  } else if (address != NULL && address->sa_family == AF_INET6) {
    const uint8_t *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
    // An IPv4 address in an IPv6 one is at its end.
    bool mapped = IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)address)->sin6_addr);
    memcpy(&number, mapped ? bytes + 12 : bytes, mapped ? 4 : 8);
  }
  return number;
}

static int compare(const void *a, const void *b) {
  uint64_t first = ((const ceh_peer *)a)->number, second = ((const ceh_peer *)b)->number;
  return (first > second) - (first < second);
}

bool ceh_peer_join(ceh_connection *connection) {
  ceh_loop *loop = connection->loop;
  ceh_peer *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return false;
  TAILQ_INIT(&peer->waiting);
  TAILQ_INIT(&peer->requests);
  peer->number = number(evhttp_connection_get_addr(connection->evcon));
  ceh_peer **found = tsearch(peer, &loop->peer_tree, compare);
  if (found == NULL || *found != peer) free(peer);
  else {
    ceh_begin_turns(loop, peer);
    LIST_INSERT_HEAD(&loop->peers, peer, next);
  }
  if (found == NULL) return false;
  connection->peer = *found;
  connection->peer->connections += 1;
  return true;
}

void ceh_peer_leave(ceh_connection *connection) {
  ceh_peer *peer = connection->peer;
  connection->peer = NULL;
  ceh_peer_release(connection->loop, peer);
}

void ceh_peer_release(ceh_loop *loop, ceh_peer *peer) {
  peer->connections -= 1;
  if (peer->connections > 0) return;
  ceh_end_turns(loop, peer);
  tdelete(peer, &loop->peer_tree, compare);
  LIST_REMOVE(peer, next);
  free(peer);
}

/// How willingly a connection is given up for another, from what costs its peer nothing to what costs most.
typedef enum { IDLE, RECEIVING, SENDING, STREAMING, WAITING } state;

static state state_of(const ceh_connection *connection) {
  if (connection->stream != NULL) return STREAMING;
  if (connection->exchange != NULL) return WAITING;
  if (evbuffer_get_length(bufferevent_get_output(connection->bev)) > 0) return SENDING;
  return connection->received > 0 ? RECEIVING : IDLE;
}

// The address with most connections gives up its oldest idle one, or that which is slowest to send or take; if
// it has more than half of all, any.
bool ceh_peer_make_room(const ceh_connection *newcomer) {
  ceh_loop *loop = newcomer->loop;
  ceh_peer *greedy = NULL, *peer;
  long all = 0;
  LIST_FOREACH(peer, &loop->peers, next) {
    all += peer->connections;
    bool more = greedy == NULL || peer->connections > greedy->connections;
    if (peer != newcomer->peer && more) greedy = peer;
  }
  if (greedy == NULL || greedy->connections < newcomer->peer->connections) return false;
  state last = greedy->connections * 2 > all ? WAITING : SENDING;
  ceh_connection *victim = NULL, *c;
  // The oldest come last.
  LIST_FOREACH(c, &loop->connections, next) {
    if (c->peer != greedy || state_of(c) > last) continue;
    bool first = victim == NULL || state_of(c) < state_of(victim);
    if (first || (state_of(c) == state_of(victim) && c->since <= victim->since)) victim = c;
  }
  if (victim == NULL) return false;
  if (state_of(victim) == RECEIVING) {
    ceh_turn_away(victim, CEH_CROWD);
  } else {
    ceh_count_refusal(loop, CEH_CROWD, NULL);
    evhttp_connection_free(victim->evcon);
  }
  return true;
}
