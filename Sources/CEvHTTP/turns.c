#include "internal.h"

#include <stdlib.h>
#include <time.h>

// Requests that have arrived, by turns of addresses. libevent handles all connections that are ready one after the
// other, so that an address with many of them would keep all others waiting. The address that has had least of the loop
// is next instead: this is start-time fair queueing, as in FairQueue.swift, in which time is the work that an address
// has had, also by connections that are closed. An address that has had little lately never waits, and none does while
// there is only one.

enum {
  /// The time by which an address may be ahead of the others without having to wait, if none of them waits, in
  /// nanoseconds.
  ALLOWANCE = 200 * 1000,
  /// The most credit of an address for time without requests.
  CREDIT = 1000 * 1000,
  /// How long requests that have waited are handled in one turn of the loop.
  SLICE = 500 * 1000
};

static ceh_debt *debt_of(ceh_loop *loop, uint64_t number) {
  // Fibonacci hashing.
  return &loop->debts[number * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CEH_DEBT_BITS)];
}

void ceh_begin_turns(ceh_loop *loop, ceh_peer *peer) {
  ceh_debt *debt = debt_of(loop, peer->number);
  peer->used = loop->present;
  if (debt->number == peer->number && debt->used > peer->used) peer->used = debt->used;
}

void ceh_end_turns(ceh_loop *loop, const ceh_peer *peer) {
  ceh_debt *debt = debt_of(loop, peer->number);
  if (peer->used > loop->present && peer->used > debt->used) *debt = (ceh_debt){peer->number, peer->used};
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t ceh_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

// Puts an address with waiting requests where its turn is.
static void enter(ceh_loop *loop, ceh_peer *peer) {
  ceh_peer *before = TAILQ_LAST(&loop->busy, ceh_peers);
  while (before != NULL && before->used > peer->used) before = TAILQ_PREV(before, ceh_peers, busy);
  if (before != NULL) TAILQ_INSERT_AFTER(&loop->busy, before, peer, busy);
  else TAILQ_INSERT_HEAD(&loop->busy, peer, busy);
}

// Hands a request to the handler. The connection may be gone afterwards, and the peer, too.
static void handle(ceh_exchange *exchange) {
  ceh_loop *loop = exchange->loop;
  ceh_peer *peer = exchange->connection->peer;
  peer->connections += 1;  // so that it stays
  // Of the processor, which other programs may have had meanwhile.
  uint64_t start = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  loop->handlers.on_request(loop->handlers.context, exchange);
  peer->used += nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start;
  if (!TAILQ_EMPTY(&peer->requests)) {
    TAILQ_REMOVE(&loop->busy, peer, busy);
    enter(loop, peer);
  }
  ceh_peer_release(loop, peer);
}

static void wait_for_turn(ceh_exchange *exchange) {
  ceh_loop *loop = exchange->loop;
  ceh_peer *peer = exchange->connection->peer;
  if (TAILQ_EMPTY(&loop->busy)) event_add(loop->serve, &(struct timeval){0});
  if (TAILQ_EMPTY(&peer->requests)) enter(loop, peer);
  TAILQ_INSERT_TAIL(&peer->requests, exchange, next);
  exchange->waiting = true;
}

void ceh_stop_waiting(ceh_exchange *exchange) {
  ceh_peer *peer = exchange->connection->peer;
  if (!exchange->waiting) return;
  exchange->waiting = false;
  TAILQ_REMOVE(&peer->requests, exchange, next);
  if (TAILQ_EMPTY(&peer->requests)) TAILQ_REMOVE(&exchange->loop->busy, peer, busy);
}

void ceh_take_turn(ceh_exchange *exchange) {
  ceh_loop *loop = exchange->loop;
  ceh_peer *peer = exchange->connection->peer;
  if (LIST_NEXT(LIST_FIRST(&loop->peers), next) == NULL && TAILQ_EMPTY(&loop->busy)) {
    loop->handlers.on_request(loop->handlers.context, exchange);
    return;
  }
  if (peer->used + CREDIT < loop->present) peer->used = loop->present - CREDIT;
  bool first = TAILQ_EMPTY(&peer->requests) &&
               peer->used <= loop->present + (TAILQ_EMPTY(&loop->busy) ? ALLOWANCE : 0);
  if (first) handle(exchange);
  else wait_for_turn(exchange);
}

// Runs while requests wait, in each turn of the loop after new arrivals.
void ceh_serve(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  uint64_t end = ceh_nanoseconds() + SLICE;
  ceh_peer *peer;
  CEH_CHECK_THREAD(loop);
  while ((peer = TAILQ_FIRST(&loop->busy)) != NULL) {
    ceh_exchange *exchange = TAILQ_FIRST(&peer->requests);
    if (peer->used > loop->present) loop->present = peer->used;
    ceh_stop_waiting(exchange);
    handle(exchange);
    if (ceh_nanoseconds() < end) continue;
    if (!TAILQ_EMPTY(&loop->busy)) event_add(loop->serve, &(struct timeval){0});
    return;
  }
}
