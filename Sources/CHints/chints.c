#define _GNU_SOURCE
#include "chints.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

_Thread_local struct chints_work chints_this_work = {.left = LONG_MAX};

int chints_processors(void) {
  cpu_set_t own;
  long count = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own)
                                                           : sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

void chints_limit_arenas(void) {
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
  rlim_t arenas = space.rlim_cur / 4 / (64 << 20);
  mallopt(M_ARENA_MAX, arenas < 1 ? 1 : arenas > 1024 ? 1024 : (int)arenas);
}

/// The resident memory of the process, in bytes; 0 if the system doesn't tell.
static size_t resident_bytes(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void chints_give_back_memory(size_t much) {
  static _Atomic size_t before;
  size_t now = resident_bytes(), last = atomic_load(&before);
  if (now > last + much) {
    malloc_trim(0);
    now = resident_bytes();
  } else if (now >= last) {
    return;
  }
  atomic_store(&before, now);
}

bool chints_flush_output(void) { return fflush(stdout) == 0 && !ferror(stdout); }
