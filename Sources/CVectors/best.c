#include "avx2.h"
#include "avx512.h"

int32_t cvectors_append(cvectors_table *table, uint32_t place) {
  uint64_t column = table->first_column + place % table->columns_in_row;
  cvectors_cell cell = {
      .column = column < table->cells_per_world ? column : column - table->cells_per_world,
      .row = table->first_row + place / table->columns_in_row,
      .sum = {.min_x = UINT32_MAX, .min_y = UINT32_MAX, .first = INT64_MAX},
      .last_column = UINT32_MAX, .last_row = UINT32_MAX};
  int32_t slot = (int32_t)table->count++;
  table->cells[slot] = cell;
  return table->slots[place] = slot;
}

#if defined(__x86_64__)

extern const cvectors_functions cvectors_functions_avx512, cvectors_functions_avx2;

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt");
}

// AVX-512 keeps its place beside AVX2 by the tenth to sixth of a view that it saves where nothing is cached; see
// docs/benchmarks.md.
const cvectors_functions *cvectors_usable(unsigned number) {
  __builtin_cpu_init();
  const cvectors_functions *usable[2];
  unsigned count = 0;
  // Some of its functions are those for AVX2.
  if (has_avx512() && has_avx2()) usable[count++] = &cvectors_functions_avx512;
  if (has_avx2()) usable[count++] = &cvectors_functions_avx2;
  return number < count ? usable[number] : NULL;
}

#else

const cvectors_functions *cvectors_usable(unsigned number) { return NULL; }

#endif

const cvectors_functions *cvectors_best(void) { return cvectors_usable(0); }
