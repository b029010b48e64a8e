#include "avx2.h"

#if defined(__x86_64__)

// Points and boxes four at a time. The results are those of the functions for AVX-512, bit for bit.

typedef struct {
  Words count, longitudes, latitudes;
  // Of x in the even 32-bit lanes, of y in the odd ones.
  __m256i least, most;
  // The number of the first point in each lane, in the even 32-bit lanes.
  __m256i first;
} Side;

INLINE2 Side nothing(void) {
  __m256i all = _mm256_set1_epi32(-1);
  return (Side){.least = all, .most = _mm256_setzero_si256(), .first = all};
}

/// Adds the points that a mask selects.
INLINE2 void add(Side *side, Words points, Words x, Words latitudes, Words places, Words mask) {
  __m256i others = (__m256i)~mask;
  side->count -= mask;
  side->longitudes += x & mask;
  side->latitudes += latitudes & mask;
  side->least = _mm256_min_epu32(side->least, _mm256_or_si256((__m256i)points, others));
  side->most = _mm256_max_epu32(side->most, (__m256i)(points & mask));
  side->first = _mm256_min_epu32(side->first, _mm256_or_si256((__m256i)places, others));
}

INLINE2 uint64_t total(Words lanes) {
  __m128i pair = _mm_add_epi64(_mm256_castsi256_si128((__m256i)lanes),
                               _mm256_extracti128_si256((__m256i)lanes, 1));
  return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair)));
}

/// The least x and the least y of four lanes.
INLINE2 uint64_t least_of(__m256i lanes) {
  __m128i pair = _mm_min_epu32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return (uint64_t)_mm_cvtsi128_si64(_mm_min_epu32(pair, _mm_unpackhi_epi64(pair, pair)));
}

INLINE2 uint64_t most_of(__m256i lanes) {
  __m128i pair = _mm_max_epu32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return (uint64_t)_mm_cvtsi128_si64(_mm_max_epu32(pair, _mm_unpackhi_epi64(pair, pair)));
}

INLINE2 void put(const Side *side, cvectors_sum *sum) {
  uint64_t least = least_of(side->least), most = most_of(side->most);
  uint32_t first = (uint32_t)least_of(side->first);
  sum->count = total(side->count);
  sum->longitudes = total(side->longitudes);
  sum->latitudes = total(side->latitudes);
  sum->min_x = (uint32_t)least;
  sum->min_y = (uint32_t)(least >> 32);
  sum->max_x = (uint32_t)most;
  sum->max_y = (uint32_t)(most >> 32);
  sum->first = first == UINT32_MAX ? UINT64_MAX : first;
}

enum { coefficients = 5 };

/// The polynomials of four points, and their centers.
typedef struct {
  Numbers k[coefficients];
  Numbers middle;
} Curves;

/// The middle of an interval minus half a step.
INLINE2 double middle(cvectors_latitudes latitudes) {
  return (double)(1u << latitudes.interval_bits) / 2 - 0.5;
}

/// The polynomial of one interval in all lanes.
INLINE2 Curves curve(cvectors_latitudes latitudes, uint64_t interval) {
  Curves own;
  for (int power = 0; power < coefficients; power++)
    own.k[power] = numbers(latitudes.table[(interval << avx2_row_bits) + (unsigned)power]);
  own.middle = numbers((double)(interval << latitudes.interval_bits) + middle(latitudes));
  return own;
}

INLINE2 Curves curves(cvectors_latitudes latitudes, Words y) {
  Words intervals = y >> words(latitudes.interval_bits);
  Curves own;
  for (int power = 0; power < coefficients; power++)
    own.k[power] = coefficients_of(latitudes, intervals, power);
  own.middle = small_numbers(intervals << words(latitudes.interval_bits)) + numbers(middle(latitudes));
  return own;
}

/// The latitudes of four ys plus 1.5 * 2^52, as bits.
INLINE2 Words fixed_latitudes(Words y, const Curves *own) {
  Numbers distance = small_numbers(y) - own->middle, units = own->k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--)
    units = own->k[power] + distance * units;
  return bits_of(units + numbers(0x1.8p52));
}

/// The points and where to split them.
enum { by_x, by_y, by_both };

INLINE2 void split_some(Side *sides, Words some, Words present, Words places, const Curves *own, Words x_line,
                        Words y_line, int how) {
  Words x = some & words(0xFFFFFFFF), y = some >> words(32);
  Words fixed = fixed_latitudes(y, own);
  Words east = how == by_y ? words(0) : (Words)((Integers)x > (Integers)x_line) & present;
  Words south = how == by_x ? words(0) : (Words)((Integers)y > (Integers)y_line) & present;
  add(&sides[0], some, x, fixed, places, present & ~(east | south));
  if (how == by_both) {
    add(&sides[1], some, x, fixed, places, east & ~south);
    add(&sides[2], some, x, fixed, places, south & ~east);
    add(&sides[3], some, x, fixed, places, east & south);
  } else {
    add(&sides[1], some, x, fixed, places, east | south);
  }
}

INLINE2 void split(const uint64_t *points, size_t count, uint32_t x_line, uint32_t y_line,
                   cvectors_latitudes latitudes, cvectors_sum *sums, int how) {
  int parts = how == by_both ? 4 : 2;
  Side sides[4] = {nothing(), nothing(), nothing(), nothing()};
  Curves own = curve(latitudes, points[0] >> 32 >> latitudes.interval_bits);
  Words lines_x = words(x_line), lines_y = words(y_line), lane = {0, 1, 2, 3};
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    Words some = (Words)_mm256_loadu_si256((const __m256i *)(points + at));
    if (!latitudes.is_one_interval) own = curves(latitudes, some >> words(32));
    split_some(sides, some, words(UINT64_MAX), words(at) + lane, &own, lines_x, lines_y, how);
  }
  if (at < count) {
    Words present = (Words)((Integers)lane < (Integers)words(count - at));
    // Lanes without a point are 0, which the tables have a place for.
    Words some = (Words)_mm256_maskload_epi64((const long long *)(points + at), (__m256i)present);
    if (!latitudes.is_one_interval) own = curves(latitudes, some >> words(32));
    split_some(sides, some, present, words(at) + lane, &own, lines_x, lines_y, how);
  }
  for (int part = 0; part < parts; part++) put(&sides[part], sums + part);
}

AVX2 static cvectors_two halves_by_x(const uint64_t *points, size_t count, uint32_t line,
                                     cvectors_latitudes latitudes) {
  cvectors_two sums;
  split(points, count, line, 0, latitudes, sums.parts, by_x);
  return sums;
}

AVX2 static cvectors_two halves_by_y(const uint64_t *points, size_t count, uint32_t line,
                                     cvectors_latitudes latitudes) {
  cvectors_two sums;
  split(points, count, 0, line, latitudes, sums.parts, by_y);
  return sums;
}

AVX2 static cvectors_four quarters(const uint64_t *points, size_t count, uint32_t x, uint32_t y,
                                   cvectors_latitudes latitudes) {
  cvectors_four sums;
  split(points, count, x, y, latitudes, sums.parts, by_both);
  return sums;
}

/// The cells of four steps on one axis.
typedef struct {
  Words cells;
  // One bit for each step:
  unsigned is_clear, is_from_first, is_to_last;
} Axis;

INLINE2 Axis axis(Words steps, const cvectors_window *window, uint32_t first, uint32_t last) {
  // With N cells in the world, step s begins exactly at s * N / 2^32 cells. Nothing here reaches 2^63, so that
  // signed comparisons do.
  Words parts = (Words)_mm256_mul_epu32((__m256i)steps, (__m256i)words(window->cells_per_world));
  Integers part = (Integers)(parts & words(0xFFFFFFFF));
  Axis axis;
  axis.cells = parts >> words(32);
  axis.is_clear = lanes((part > (Integers)words(window->quick_start)) &
                        (part < (Integers)words(window->quick_end)));
  axis.is_from_first = lanes((Integers)axis.cells >= (Integers)words(first));
  axis.is_to_last = lanes((Integers)axis.cells <= (Integers)words(last));
  return axis;
}

INLINE2 __m128i box(const void *records, size_t number) {
  return _mm_loadu_si128((const __m128i *)((const char *)records + number * 32 + 16));
}

AVX2 static void look(const void *records, size_t count, const cvectors_window *window,
                      cvectors_cells *cells) {
  enum { first_steps = 0x5, last_steps = 0xA };
  unsigned is_clear = 0, is_touched = 0, is_inside = 0;
  for (size_t at = 0; at < count; at += 2) {
    // The last of an odd number is looked at twice.
    Words steps = (Words)_mm256_setr_m128i(box(records, at), box(records, at + 1 < count ? at + 1 : at));
    Axis x = axis(steps, window, window->first_column, window->last_column);
    Axis y = axis(steps >> words(32), window, window->first_row, window->last_row);
    _mm256_storeu_si256((__m256i *)(cells->columns + at * 2), (__m256i)x.cells);
    _mm256_storeu_si256((__m256i *)(cells->rows + at * 2), (__m256i)y.cells);
    is_clear |= (x.is_clear & y.is_clear) << at * 2;
    // The box begins before the window ends, and ends after it begins.
    is_touched |= ((x.is_to_last & y.is_to_last & first_steps) |
                   (x.is_from_first & y.is_from_first & last_steps)) << at * 2;
    is_inside |= (x.is_to_last & y.is_to_last & x.is_from_first & y.is_from_first) << at * 2;
  }
  // One bit for each pair of set bits of those boxes that there are.
  unsigned present = _bzhi_u32(0x55, (unsigned)count * 2);
  cells->is_clear = (uint8_t)_pext_u32(is_clear & is_clear >> 1 & present, 0x55);
  cells->is_touched = (uint8_t)_pext_u32(is_touched & is_touched >> 1 & present, 0x55);
  cells->is_inside = (uint8_t)_pext_u32(is_inside & is_inside >> 1 & present, 0x55);
}

AVX2 static void locate(const uint64_t *points, size_t count, const cvectors_window *window,
                        cvectors_latitudes latitudes, cvectors_points *found) {
  unsigned is_clear = 0, is_inside = 0;
  Curves own = curve(latitudes, points[0] >> 32 >> latitudes.interval_bits);
  Words lane = {0, 1, 2, 3};
  for (size_t at = 0; at < count; at += 4) {
    Words present = (Words)((Integers)lane < (Integers)words(count - at));
    Words some = (Words)_mm256_maskload_epi64((const long long *)(points + at), (__m256i)present);
    Words y = some >> words(32);
    if (!latitudes.is_one_interval) own = curves(latitudes, y);
    Axis column = axis(some, window, window->first_column, window->last_column);
    Axis row = axis(y, window, window->first_row, window->last_row);
    _mm256_storeu_si256((__m256i *)(found->columns + at), (__m256i)column.cells);
    _mm256_storeu_si256((__m256i *)(found->rows + at), (__m256i)row.cells);
    _mm256_storeu_si256((__m256i *)(found->latitudes + at), (__m256i)fixed_latitudes(y, &own));
    is_clear |= (column.is_clear & row.is_clear) << at;
    is_inside |= (column.is_from_first & column.is_to_last & row.is_from_first & row.is_to_last) << at;
  }
  found->is_clear = (uint8_t)_bzhi_u32(is_clear, (unsigned)count);
  found->is_inside = (uint8_t)_bzhi_u32(is_inside, (unsigned)count);
}

const cvectors_functions cvectors_functions_avx2 = {
    halves_by_x, halves_by_y, quarters, look, locate, cvectors_decimals_avx2, cvectors_figures_avx2};

#endif
