// A clock that can be set, for a process that is started with this library in LD_PRELOAD: the real-time clock is ahead by
// as many seconds as stand in the file that CLOCK_OFFSET names, a 64-bit integer, which may change at any time. The
// monotonic clocks go on as they are, as they do on a machine whose clock is set. A second integer is for how long the machine
// has slept, which CLOCK_BOOTTIME alone counts.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t none[2];
static volatile int64_t *offset = none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CLOCK_OFFSET");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

static int is_real(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && is_real(clock)) time->tv_sec += offset[0];
  if (result == 0 && clock == CLOCK_BOOTTIME) time->tv_sec += offset[1];
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

// MARK: Waits until a moment

// Waits as the kernel has it: a clock that is set back makes a wait until a moment longer, and one that is set ahead ends it.
// This is how libdispatch waits for a semaphore with a timeout; no other library here waits until a moment of this clock.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  for (;;) {
    struct timespec now, next;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec)) {
      if (sem_trywait(semaphore) == 0) return 0;
      errno = ETIMEDOUT;
      return -1;
    }
    // By 10 ms at a time, or less for the last of them.
    clock_gettime(CLOCK_MONOTONIC, &next);
    long rest = until->tv_sec - now.tv_sec > 1 ? 10000000 : (until->tv_sec - now.tv_sec) * 1000000000 + until->tv_nsec - now.tv_nsec;
    next.tv_nsec += rest < 10000000 ? rest : 10000000;
    if (next.tv_nsec >= 1000000000) next = (struct timespec){next.tv_sec + 1, next.tv_nsec - 1000000000};
    int result = sem_clockwait(semaphore, CLOCK_MONOTONIC, &next);
    if (result == 0 || errno != ETIMEDOUT) return result;
  }
}
