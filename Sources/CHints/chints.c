#define _GNU_SOURCE
#include "chints.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

_Thread_local struct chints_work chints_this_work = {.left = LONG_MAX};

int chints_processors(void) {
  cpu_set_t own;
  long count = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own)
                                                           : sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}
