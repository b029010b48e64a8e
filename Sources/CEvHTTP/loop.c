#include "internal.h"

#include <errno.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Thread_local ceh_loop *ceh_current = NULL;

enum {
  /// For so many ticks of draining, of 10 ms, connections that wait to be accepted keep the listener open.
  MOST_CROWDED = 50,
  /// For so many, a new connection may be silent before its first request.
  MOST_SILENT = 20
};

static void init_threads(void) { evthread_use_pthreads(); }

ceh_gauge *ceh_gauge_new(void) { return calloc(1, sizeof(ceh_gauge)); }
long ceh_gauge_value(const ceh_gauge *gauge) { return atomic_load(&gauge->value); }
long ceh_gauge_handshakes(const ceh_gauge *gauge) { return atomic_load(&gauge->handshakes); }
void ceh_gauge_free(ceh_gauge *gauge) { free(gauge); }

static void stop_accepting(ceh_loop *loop) {
  if (loop->bound == NULL) return;
  evhttp_del_accept_socket(loop->http, loop->bound);
  loop->bound = NULL;
}

// Pauses when descriptors or memory have run out, because accepting again at once would spin. The argument
// is that of evhttp's own callback.
static void accept_failed(struct evconnlistener *listener, void *http) {
  ceh_loop *loop = ceh_current;
  const struct timeval pause = {.tv_usec = 100000};
  if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) return;
  evconnlistener_disable(listener);
  event_add(loop->accept_again, &pause);
}

static void accept_again(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  if (loop->bound != NULL)
    evconnlistener_enable(evhttp_bound_socket_get_listener(loop->bound));
}

static void run_jobs(ceh_loop *loop) {
  for (;;) {
    pthread_mutex_lock(&loop->lock);
    ceh_job *job = STAILQ_FIRST(&loop->jobs);
    STAILQ_INIT(&loop->jobs);
    pthread_mutex_unlock(&loop->lock);
    if (job == NULL) return;
    while (job != NULL) {
      ceh_job *next = STAILQ_NEXT(job, next);
      job->run(job->argument);
      free(job);
      job = next;
    }
  }
}

// The clock of deadlines, unlike which that of the machine may be set.
static struct timeval monotonic_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (struct timeval){now.tv_sec, now.tv_nsec / 1000};
}

// Whether connections wait to be accepted, all of which closing the listener would reset.
static bool is_awaited(ceh_loop *loop) {
  struct pollfd listener = {evhttp_bound_socket_get_fd(loop->bound), POLLIN, 0};
  return poll(&listener, 1, 0) > 0;
}

// Runs every 10 ms while draining: closes the listener as soon as nobody waits there, then connections that have become
// idle, and ends the loop when none is left.
static void tick(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  loop->ticks += 1;
  if (loop->bound != NULL && loop->ticks < MOST_CROWDED && is_awaited(loop)) return;
  stop_accepting(loop);
  for (ceh_connection *c = LIST_FIRST(&loop->connections), *next; c != NULL; c = next) {
    next = LIST_NEXT(c, next);
    bool is_new = c->read_size == 0 && loop->ticks < MOST_SILENT;
    if (!is_new && ceh_connection_is_idle(c)) evhttp_connection_free(c->evcon);
  }
  const struct timeval now = monotonic_time();
  bool empty = LIST_EMPTY(&loop->connections) && LIST_EMPTY(&loop->lingering) && loop->fresh_count == 0;
  if (empty || evutil_timercmp(&now, &loop->deadline, >=)) event_base_loopbreak(loop->base);
}

static void begin_draining(ceh_loop *loop, int timeout_ms) {
  const struct timeval period = {.tv_usec = 10000};
  const struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  CEH_CHECK_THREAD(loop);
  loop->draining = true;
  ceh_end_streams(loop);
  loop->deadline = monotonic_time();
  evutil_timeradd(&loop->deadline, &limit, &loop->deadline);
  event_add(loop->tick, &period);
}

static void woken(evutil_socket_t fd, short what, void *argument) {
  ceh_loop *loop = argument;
  run_jobs(loop);
  pthread_mutex_lock(&loop->lock);
  int timeout_ms = loop->stop_timeout_ms;
  pthread_mutex_unlock(&loop->lock);
  if (timeout_ms >= 0 && !loop->draining) begin_draining(loop, timeout_ms);
}

static struct event_base *new_base(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_threads);
  struct event_config *config = event_config_new();
  if (config == NULL) return NULL;
  // Each request switches reading off and on again, which with a change list needs no system call. A
  // change list is unsafe only with duplicated descriptors, which this shim does not have.
  event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
  struct event_base *base = event_base_new_with_config(config);
  event_config_free(config);
  return base;
}

static bool set_up(ceh_loop *loop) {
  loop->base = new_base();
  if (loop->base == NULL || (loop->http = evhttp_new(loop->base)) == NULL) return false;
  loop->wake = event_new(loop->base, -1, EV_PERSIST, woken, loop);
  loop->adopt = event_new(loop->base, -1, EV_PERSIST, ceh_adopt, loop);
  loop->tick = event_new(loop->base, -1, EV_PERSIST, tick, loop);
  loop->accept_again = event_new(loop->base, -1, 0, accept_again, loop);
  loop->sweep = event_new(loop->base, -1, EV_PERSIST, ceh_sweep, loop);
  loop->relieve = event_new(loop->base, -1, EV_PERSIST, ceh_relieve, loop);
  if (!loop->wake || !loop->adopt || !loop->tick || !loop->accept_again) return false;
  loop->handshakes = event_new(loop->base, -1, 0, ceh_handshakes, loop);
  loop->resume = event_new(loop->base, -1, 0, ceh_resume, loop);
  loop->serve = event_new(loop->base, -1, 0, ceh_serve, loop);
  if (!loop->sweep || !loop->relieve || !loop->handshakes || !loop->resume || !loop->serve) return false;
  if (event_add(loop->sweep, &(struct timeval){.tv_sec = 1}) < 0) return false;
  evhttp_set_bevcb(loop->http, ceh_bufferevent_new, loop);
  evhttp_set_gencb(loop->http, ceh_handle_request, loop);
  evhttp_set_allowed_methods(loop->http, 0xFFFF);  // including unknown ones
  evhttp_set_max_headers_size(loop->http, (ev_ssize_t)loop->limits.max_header_bytes);
  evhttp_set_max_body_size(loop->http, (ev_ssize_t)loop->limits.max_body_bytes);
  evhttp_set_timeout(loop->http, loop->limits.idle_timeout_seconds);
  return true;
}

ceh_loop *ceh_loop_new(int listener, const ceh_limits *limits, ceh_gauge *gauge,
                       const ceh_handlers *handlers) {
  ceh_loop *loop = calloc(1, sizeof *loop);
  if (loop == NULL) {
    close(listener);
    return NULL;
  }
  loop->limits = *limits;
  loop->gauge = gauge;
  loop->handlers = *handlers;
  loop->stop_timeout_ms = -1;
  LIST_INIT(&loop->connections);
  LIST_INIT(&loop->lingering);
  LIST_INIT(&loop->paused);
  TAILQ_INIT(&loop->turns);
  TAILQ_INIT(&loop->busy);
  STAILQ_INIT(&loop->jobs);
  pthread_mutex_init(&loop->lock, NULL);
  if (set_up(loop)) loop->bound = evhttp_accept_socket_with_handle(loop->http, listener);
  if (loop->bound == NULL) {
    close(listener);
    ceh_loop_free(loop);
    return NULL;
  }
  evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(loop->bound), accept_failed);
  return loop;
}

void ceh_loop_set_refusal(ceh_loop *loop, ceh_refusal refusal, ceh_bytes response) {
  void *copy = malloc(response.size);
  if (copy == NULL) return;  // the connection is then closed without an answer
  loop->refusals[refusal] = (ceh_bytes){memcpy(copy, response.bytes, response.size), response.size};
}

void ceh_loop_set_tls(ceh_loop *loop, ceh_tls *tls) {
  SSL_CTX_up_ref(tls);
  pthread_mutex_lock(&loop->lock);
  ceh_tls *before = loop->tls;
  loop->tls = tls;
  pthread_mutex_unlock(&loop->lock);
  ceh_tls_free(before);
}

static void *run(void *argument) {
  ceh_loop *loop = argument;
  ceh_current = loop;
  event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
  stop_accepting(loop);
  while (!LIST_EMPTY(&loop->connections))
    evhttp_connection_free(LIST_FIRST(&loop->connections)->evcon);
  while (!LIST_EMPTY(&loop->lingering)) ceh_linger_end(LIST_FIRST(&loop->lingering));
  // Late replies find their connection gone. Nothing is posted after `ended` is set.
  run_jobs(loop);
  pthread_mutex_lock(&loop->lock);
  loop->ended = true;
  pthread_mutex_unlock(&loop->lock);
  run_jobs(loop);
  ceh_current = NULL;
  return NULL;
}

int ceh_loop_start(ceh_loop *loop) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failure = pthread_create(&loop->thread, NULL, run, loop);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

void ceh_loop_stop(ceh_loop *loop, int timeout_ms) {
  pthread_mutex_lock(&loop->lock);
  if (loop->stop_timeout_ms < 0) loop->stop_timeout_ms = timeout_ms < 0 ? 0 : timeout_ms;
  pthread_mutex_unlock(&loop->lock);
  event_active(loop->wake, EV_READ, 0);
}

void ceh_loop_join(ceh_loop *loop) { pthread_join(loop->thread, NULL); }

bool ceh_loop_is_current(const ceh_loop *loop) { return ceh_current == loop; }

bool ceh_loop_is_confined(ceh_loop *loop) {
  if (ceh_current == loop) return true;
  pthread_mutex_lock(&loop->lock);
  bool ended = loop->ended;
  pthread_mutex_unlock(&loop->lock);
  return ended;
}

bool ceh_loop_post(ceh_loop *loop, void (*run)(void *), void *argument) {
  ceh_job *job = malloc(sizeof *job);
  // A reply must not be lost. These few bytes fail only when Swift's own objects would, too.
  if (job == NULL) abort();
  job->run = run;
  job->argument = argument;
  pthread_mutex_lock(&loop->lock);
  bool ended = loop->ended;
  bool first = STAILQ_EMPTY(&loop->jobs);
  if (!ended) STAILQ_INSERT_TAIL(&loop->jobs, job, next);
  pthread_mutex_unlock(&loop->lock);
  if (ended) free(job);
  else if (first) event_active(loop->wake, EV_READ, 0);
  return !ended;
}

void ceh_loop_free(ceh_loop *loop) {
  for (size_t i = 0; i < loop->fresh_count; i++) bufferevent_decref(loop->fresh[i]);
  if (loop->http) evhttp_free(loop->http);
  if (loop->wake) event_free(loop->wake);
  if (loop->adopt) event_free(loop->adopt);
  if (loop->tick) event_free(loop->tick);
  if (loop->accept_again) event_free(loop->accept_again);
  if (loop->sweep) event_free(loop->sweep);
  if (loop->relieve) event_free(loop->relieve);
  if (loop->handshakes) event_free(loop->handshakes);
  if (loop->resume) event_free(loop->resume);
  if (loop->serve) event_free(loop->serve);
  if (loop->base) event_base_free(loop->base);
  ceh_tls_free(loop->tls);
  pthread_mutex_destroy(&loop->lock);
  free(loop->fresh);
  free(loop->table);
  for (int i = 0; i < CEH_REFUSALS; i++) free((void *)loop->refusals[i].bytes);
  free(loop);
}
