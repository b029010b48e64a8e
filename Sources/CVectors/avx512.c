#include "avx512.h"

#if defined(__x86_64__)

typedef struct {
  __m512i longitudes, latitudes;
  // Of x in the even 32-bit lanes, of y in the odd ones.
  __m512i least, most;
  uint64_t count, first;
} Side;

INLINE Side nothing(void) {
  Side side = {.least = _mm512_set1_epi32(-1), .first = UINT64_MAX};
  return side;
}

INLINE void add(Side *side, __m512i points, __m512i x, __m512i latitudes, size_t at, __mmask8 mask) {
  uint64_t first = mask ? at + (uint64_t)__builtin_ctz(mask) : UINT64_MAX;
  side->first = first < side->first ? first : side->first;
  side->count += (uint64_t)_mm_popcnt_u32(mask);
  side->longitudes = _mm512_mask_add_epi64(side->longitudes, mask, side->longitudes, x);
  side->latitudes = _mm512_mask_add_epi64(side->latitudes, mask, side->latitudes, latitudes);
  __m512i all = _mm512_set1_epi32(-1);
  side->least = _mm512_min_epu32(side->least, _mm512_mask_mov_epi64(all, mask, points));
  side->most = _mm512_max_epu32(side->most, _mm512_maskz_mov_epi64(mask, points));
}

/// The lower and upper halves of eight lanes.
#define LOWER(vector) _mm512_castsi512_si256(vector)
#define UPPER(vector) _mm512_extracti64x4_epi64(vector, 1)

INLINE void put(const Side *side, cvectors_sum *sum) {
  __m256i x = _mm256_add_epi64(LOWER(side->longitudes), UPPER(side->longitudes));
  __m256i y = _mm256_add_epi64(LOWER(side->latitudes), UPPER(side->latitudes));
  __m256i both = _mm256_add_epi64(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
  __m256i least = _mm256_min_epu32(LOWER(side->least), UPPER(side->least));
  __m256i most = _mm256_max_epu32(LOWER(side->most), UPPER(side->most));
  // The minimum and maximum of two lanes, side by side.
  __m256i low = _mm256_unpacklo_epi64(least, most), high = _mm256_unpackhi_epi64(least, most);
  __m128i mins = _mm_min_epu32(
      _mm_min_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)),
      _mm_min_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
  __m128i maxs = _mm_max_epu32(
      _mm_max_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)),
      _mm_max_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
  sum->count = side->count;
  sum->first = side->first;
  _mm_storeu_si128((__m128i *)&sum->longitudes, _mm_add_epi64(_mm256_castsi256_si128(both),
                                                             _mm256_extracti128_si256(both, 1)));
  _mm_storeu_si128((__m128i *)&sum->min_x, _mm_blend_epi32(mins, maxs, 0xC));
}

enum { coefficients = 5, row_bits = 3, row = 1 << row_bits };

/// The middle of an interval minus half a step.
INLINE double middle(cvectors_latitudes latitudes) {
  return (double)(1u << latitudes.interval_bits) / 2 - 0.5;
}

/// The polynomials of eight intervals, and their centers.
typedef struct {
  __m512d k[coefficients];
  __m512d middle;
} Curves;

/// The polynomial of one interval in eight lanes.
INLINE Curves curve(cvectors_latitudes latitudes, uint64_t interval) {
  Curves curves;
  for (int power = 0; power < coefficients; power++)
    curves.k[power] = _mm512_set1_pd(latitudes.table[interval * row + power]);
  double start = (double)(interval << latitudes.interval_bits);
  curves.middle = _mm512_set1_pd(start + middle(latitudes));
  return curves;
}

INLINE Curves curves(cvectors_latitudes latitudes, __m512i intervals) {
  Curves curves;
  __m512i rows = _mm512_slli_epi64(intervals, row_bits);
  for (int power = 0; power < coefficients; power++)
    curves.k[power] = _mm512_i64gather_pd(rows, latitudes.table + power, 8);
  __m512i start = _mm512_sll_epi64(intervals, _mm_cvtsi32_si128((int)latitudes.interval_bits));
  curves.middle = _mm512_add_pd(_mm512_cvtepi64_pd(start), _mm512_set1_pd(middle(latitudes)));
  return curves;
}

/// The latitudes of eight ys plus 1.5 * 2^52, as bits.
INLINE __m512i fixed_latitudes(__m512i y, const Curves *own) {
  __m512d distance = _mm512_sub_pd(_mm512_cvtepi64_pd(y), own->middle);
  __m512d units = own->k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--)
    units = _mm512_add_pd(own->k[power], _mm512_mul_pd(distance, units));
  return _mm512_castpd_si512(_mm512_add_pd(units, _mm512_set1_pd(0x1.8p52)));
}

/// The points and where to split them.
enum { by_x, by_y, by_both };

INLINE void split(const uint64_t *points, size_t count, uint32_t x_line, uint32_t y_line,
                  cvectors_latitudes latitudes, cvectors_sum *sums, int how) {
  int parts = how == by_both ? 4 : 2;
  Side sides[4] = {nothing(), nothing(), nothing(), nothing()};
  __m128i bits = _mm_cvtsi32_si128((int)latitudes.interval_bits);
  Curves own = curve(latitudes, points[0] >> 32 >> latitudes.interval_bits);
  __m512i lines_x = _mm512_set1_epi64(x_line), lines_y = _mm512_set1_epi64(y_line);
  for (size_t at = 0; at < count; at += 8) {
    size_t left = count - at;
    __mmask8 mask = (__mmask8)_bzhi_u32(0xFF, left < 8 ? (unsigned)left : 8);
    __m512i some = _mm512_maskz_loadu_epi64(mask, points + at);
    __m512i x = _mm512_and_si512(some, _mm512_set1_epi64(0xFFFFFFFF));
    __m512i y = _mm512_srli_epi64(some, 32);
    if (!latitudes.is_one_interval) own = curves(latitudes, _mm512_srl_epi64(y, bits));
    __m512i fixed = fixed_latitudes(y, &own);
    __mmask8 east = how == by_y ? 0 : _mm512_mask_cmpgt_epu64_mask(mask, x, lines_x);
    __mmask8 south = how == by_x ? 0 : _mm512_mask_cmpgt_epu64_mask(mask, y, lines_y);
    add(&sides[0], some, x, fixed, at, mask & ~(east | south));
    if (how == by_both) {
      add(&sides[1], some, x, fixed, at, east & ~south);
      add(&sides[2], some, x, fixed, at, south & ~east);
      add(&sides[3], some, x, fixed, at, east & south);
    } else {
      add(&sides[1], some, x, fixed, at, east | south);
    }
  }
  for (int part = 0; part < parts; part++) put(&sides[part], sums + part);
}

AVX512 static cvectors_two halves_by_x(const uint64_t *points, size_t count, uint32_t line,
                                       cvectors_latitudes latitudes) {
  cvectors_two sums;
  split(points, count, line, 0, latitudes, sums.parts, by_x);
  return sums;
}

AVX512 static cvectors_two halves_by_y(const uint64_t *points, size_t count, uint32_t line,
                                       cvectors_latitudes latitudes) {
  cvectors_two sums;
  split(points, count, 0, line, latitudes, sums.parts, by_y);
  return sums;
}

AVX512 static cvectors_four quarters(const uint64_t *points, size_t count, uint32_t x, uint32_t y,
                                     cvectors_latitudes latitudes) {
  cvectors_four sums;
  split(points, count, x, y, latitudes, sums.parts, by_both);
  return sums;
}

/// The cells of four boxes on one axis, where each has two steps.
typedef struct {
  __m512i cells;
  // One bit for each step:
  __mmask8 is_clear, is_from_first, is_to_last;
} Axis;

INLINE Axis axis(__m512i steps, const cvectors_window *window, uint32_t first, uint32_t last) {
  // With N cells in the world, step s begins exactly at s * N / 2^32 cells.
  __m512i parts = _mm512_mul_epu32(steps, _mm512_set1_epi64(window->cells_per_world));
  __m512i part = _mm512_and_si512(parts, _mm512_set1_epi64(0xFFFFFFFF));
  Axis axis;
  axis.cells = _mm512_srli_epi64(parts, 32);
  axis.is_clear = _mm512_cmpgt_epu64_mask(part, _mm512_set1_epi64(window->quick_start)) &
                  _mm512_cmplt_epu64_mask(part, _mm512_set1_epi64(window->quick_end));
  axis.is_from_first = _mm512_cmpge_epu64_mask(axis.cells, _mm512_set1_epi64(first));
  axis.is_to_last = _mm512_cmple_epu64_mask(axis.cells, _mm512_set1_epi64(last));
  return axis;
}

enum { first_steps = 0x55, last_steps = 0xAA };

/// One bit for each pair of set bits.
INLINE uint8_t pairs(unsigned mask) { return (uint8_t)_pext_u32(mask & mask >> 1, first_steps); }

AVX512 static void look(const void *records, size_t count, const cvectors_window *window,
                        cvectors_cells *cells) {
  unsigned mask = _bzhi_u32(0xFFFF, (unsigned)count * 4);
  const char *bytes = records;
  __m512i two = _mm512_maskz_loadu_epi64((__mmask8)mask, bytes);
  __m512i more = _mm512_maskz_loadu_epi64((__mmask8)(mask >> 8), bytes + 64);
  const __m512i ends = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
  __m512i boxes = _mm512_permutex2var_epi64(two, ends, more);
  Axis x = axis(boxes, window, window->first_column, window->last_column);
  Axis y = axis(_mm512_srli_epi64(boxes, 32), window, window->first_row, window->last_row);
  _mm512_storeu_si512(cells->columns, x.cells);
  _mm512_storeu_si512(cells->rows, y.cells);
  cells->is_clear = pairs(x.is_clear & y.is_clear);
  // The box begins before the window ends, and ends after it begins.
  cells->is_touched = pairs((x.is_to_last & y.is_to_last & first_steps) |
                            (x.is_from_first & y.is_from_first & last_steps));
  cells->is_inside =
      pairs(x.is_to_last & y.is_to_last & x.is_from_first & y.is_from_first);
}

AVX512 static void locate(const uint64_t *points, size_t count, const cvectors_window *window,
                          cvectors_latitudes latitudes, cvectors_points *found) {
  __mmask8 mask = (__mmask8)_bzhi_u32(0xFF, (unsigned)count);
  // Lanes without a point repeat the first one, so that all are in the tables.
  __m512i some = _mm512_mask_loadu_epi64(_mm512_set1_epi64((long long)points[0]), mask, points);
  __m512i y = _mm512_srli_epi64(some, 32);
  __m128i bits = _mm_cvtsi32_si128((int)latitudes.interval_bits);
  Curves own = latitudes.is_one_interval
                   ? curve(latitudes, points[0] >> 32 >> latitudes.interval_bits)
                   : curves(latitudes, _mm512_srl_epi64(y, bits));
  Axis column = axis(some, window, window->first_column, window->last_column);
  Axis row = axis(y, window, window->first_row, window->last_row);
  _mm512_storeu_si512(found->columns, column.cells);
  _mm512_storeu_si512(found->rows, row.cells);
  _mm512_storeu_si512(found->latitudes, fixed_latitudes(y, &own));
  found->is_clear = column.is_clear & row.is_clear;
  found->is_inside =
      column.is_from_first & column.is_to_last & row.is_from_first & row.is_to_last & mask;
}

/// The eight digits of numbers below 10^8, the first one in the lowest byte: fields of 4, 2 and 1 digits are
/// split in parallel, and the divisions are multiplications, which are exact in these ranges.
INLINE __m512i eight_digits(__m512i values) {
  __m512i high = _mm512_srli_epi64(_mm512_mul_epu32(values, _mm512_set1_epi64(3518437209)), 45);
  __m512i low = _mm512_sub_epi64(values, _mm512_mul_epu32(high, _mm512_set1_epi64(10000)));
  __m512i fours = _mm512_or_si512(high, _mm512_slli_epi64(low, 32));
  __m512i upper = _mm512_srli_epi32(_mm512_mullo_epi32(fours, _mm512_set1_epi32(10486)), 20);
  __m512i lower = _mm512_sub_epi32(fours, _mm512_mullo_epi32(upper, _mm512_set1_epi32(100)));
  __m512i twos = _mm512_or_si512(upper, _mm512_slli_epi32(lower, 16));
  __m512i tens = _mm512_srli_epi16(_mm512_mullo_epi16(twos, _mm512_set1_epi16(103)), 10);
  __m512i ones = _mm512_sub_epi16(twos, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
  return _mm512_or_si512(tens, _mm512_slli_epi16(ones, 8));
}

AVX512 static void decimals(const double *numbers, cvectors_decimals *found) {
  const __m512d values = _mm512_loadu_pd(numbers), two52 = _mm512_set1_pd(0x1p52);
  const __m512i one = _mm512_set1_epi64(1), ascii_zeros = _mm512_set1_epi8('0');
  __m512d magnitude = _mm512_abs_pd(values);
  // A sum from 2^52 on is rounded to an integer, which its low bits hold.
  __m512d sum = _mm512_add_pd(_mm512_mul_pd(magnitude, _mm512_set1_pd(1e8)), two52);
  __m512d back = _mm512_div_pd(_mm512_sub_pd(sum, two52), _mm512_set1_pd(1e8));
  __m512i scaled = _mm512_and_si512(_mm512_castpd_si512(sum), _mm512_set1_epi64((1ll << 52) - 1));
  found->is_plain = _mm512_cmp_pd_mask(back, magnitude, _CMP_EQ_OQ) &
                    _mm512_cmp_pd_mask(magnitude, _mm512_set1_pd(1e-6), _CMP_GE_OQ) &
                    _mm512_cmp_pd_mask(magnitude, _mm512_set1_pd(1000), _CMP_LT_OQ);
  // The whole part has at most three digits.
  __m512i whole = _mm512_cvttpd_epi64(magnitude);
  __m512i fraction =
      _mm512_sub_epi64(scaled, _mm512_mul_epu32(whole, _mm512_set1_epi64(100000000)));
  __m512i hundreds = _mm512_srli_epi64(_mm512_mul_epu32(whole, _mm512_set1_epi64(656)), 16);
  __m512i rest = _mm512_sub_epi64(whole, _mm512_mul_epu32(hundreds, _mm512_set1_epi64(100)));
  __m512i tens = _mm512_srli_epi64(_mm512_mul_epu32(rest, _mm512_set1_epi64(103)), 10);
  __m512i ones = _mm512_sub_epi64(rest, _mm512_mul_epu32(tens, _mm512_set1_epi64(10)));
  __m512i three = _mm512_or_si512(
      _mm512_or_si512(hundreds, _mm512_slli_epi64(tens, 8)), _mm512_slli_epi64(ones, 16));
  three = _mm512_or_si512(three, _mm512_set1_epi64(0x303030));
  __m512i zeros = _mm512_mask_add_epi64(
      _mm512_maskz_mov_epi64(_mm512_cmplt_epu64_mask(whole, _mm512_set1_epi64(100)), one),
      _mm512_cmplt_epu64_mask(whole, _mm512_set1_epi64(10)), one, one);
  __m512i text = _mm512_srlv_epi64(three, _mm512_slli_epi64(zeros, 3));
  __m512i length = _mm512_sub_epi64(_mm512_set1_epi64(3), zeros);
  __mmask8 negative = _mm512_movepi64_mask(_mm512_castpd_si512(values));
  text = _mm512_mask_or_epi64(text, negative, _mm512_slli_epi64(text, 8), _mm512_set1_epi64('-'));
  length = _mm512_mask_add_epi64(length, negative, length, one);
  // The point and the fraction, without zeros at its end.
  __mmask8 has_fraction = _mm512_test_epi64_mask(fraction, fraction);
  text = _mm512_or_si512(text, _mm512_sllv_epi64(_mm512_set1_epi64('.'), _mm512_slli_epi64(length, 3)));
  __m512i digits = eight_digits(fraction);
  __m512i shown = _mm512_sub_epi64(
      _mm512_set1_epi64(9), _mm512_srli_epi64(_mm512_lzcnt_epi64(digits), 3));
  digits = _mm512_or_si512(digits, ascii_zeros);
  __m512i before = _mm512_slli_epi64(_mm512_add_epi64(length, one), 3);
  __m512i low = _mm512_or_si512(text, _mm512_sllv_epi64(digits, before));
  __m512i high = _mm512_srlv_epi64(digits, _mm512_sub_epi64(_mm512_set1_epi64(64), before));
  length = _mm512_mask_add_epi64(length, has_fraction, length, shown);
  const __m512i firsts = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i seconds = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  _mm512_storeu_si512(found->texts[0], _mm512_permutex2var_epi64(low, firsts, high));
  _mm512_storeu_si512(found->texts[4], _mm512_permutex2var_epi64(low, seconds, high));
  _mm512_storeu_si512(found->lengths, length);
}

const cvectors_functions cvectors_functions_avx512 = {
    halves_by_x, halves_by_y, quarters, look, locate, decimals, cvectors_figures_avx512};

#endif
