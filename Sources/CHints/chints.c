#define _GNU_SOURCE
#include "chints.h"

#include <sched.h>
#include <unistd.h>

int chints_processors(void) {
  cpu_set_t own;
  long count = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own)
                                                           : sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}
