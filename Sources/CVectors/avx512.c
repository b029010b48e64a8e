#include "avx512.h"

#if defined(__x86_64__)

/// The points before a line and behind it.
typedef struct {
  // The sums of those behind it.
  __m512i longitudes, latitudes;
  // Of x in the even 32-bit lanes, of y in the odd ones; before and behind.
  __m512i least[2], most[2];
  /// One bit for each point behind it.
  uint64_t behind;
} Halves;

/// The lower and upper halves of eight lanes.
#define LOWER(vector) _mm512_castsi512_si256(vector)
#define UPPER(vector) _mm512_extracti64x4_epi64(vector, 1)

/// The sums of longitudes and of latitudes of the points behind the line, the latter with their magic numbers.
INLINE __m128i totals_of(const Halves *halves) {
  __m256i x = _mm256_add_epi64(LOWER(halves->longitudes), UPPER(halves->longitudes));
  __m256i y = _mm256_add_epi64(LOWER(halves->latitudes), UPPER(halves->latitudes));
  __m256i both = _mm256_add_epi64(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
  return _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

/// The least x and y of a half and the greatest.
INLINE __m128i box_of(const Halves *halves, int half) {
  __m256i least = _mm256_min_epu32(LOWER(halves->least[half]), UPPER(halves->least[half]));
  __m256i most = _mm256_max_epu32(LOWER(halves->most[half]), UPPER(halves->most[half]));
  // The minimum and maximum of two lanes, side by side.
  __m256i low = _mm256_unpacklo_epi64(least, most), high = _mm256_unpackhi_epi64(least, most);
  __m128i mins = _mm_min_epu32(
      _mm_min_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)),
      _mm_min_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
  __m128i maxs = _mm_max_epu32(
      _mm_max_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)),
      _mm_max_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
  return _mm_blend_epi32(mins, maxs, 0xC);
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

/// The polynomials of an interval from some y on, and others before it.
INLINE Curves choose_curves(cvectors_latitudes latitudes, uint64_t interval, __m512i y, const Curves *later,
                            const Curves *earlier) {
  __mmask8 is_later =
      _mm512_cmpge_epu64_mask(y, _mm512_set1_epi64((long long)(interval << latitudes.interval_bits)));
  Curves own = {.middle = _mm512_mask_mov_pd(earlier->middle, is_later, later->middle)};
  for (int power = 0; power < coefficients; power++)
    own.k[power] = _mm512_mask_mov_pd(earlier->k[power], is_later, later->k[power]);
  return own;
}

/// The polynomials of eight ys, none of which is in an earlier interval than the first or a later one than the last,
/// given those of the first two intervals.
INLINE Curves curves(cvectors_latitudes latitudes, const Curves *two, uint64_t first, uint64_t last, __m512i y) {
  if (first == last) return two[0];
  Curves own = choose_curves(latitudes, first + 1, y, &two[1], &two[0]);
  for (uint64_t interval = first + 2; interval <= last; interval++) {
    Curves later = curve(latitudes, interval);
    own = choose_curves(latitudes, interval, y, &later, &own);
  }
  return own;
}

/// The latitudes of eight ys plus 1.5 * 2^52, as bits.
INLINE __m512i fixed_latitudes(__m512i y, const Curves *own) {
  __m512d distance = _mm512_sub_pd(_mm512_cvtepi64_pd(y), own->middle);
  __m512d units = own->k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--)
    units = _mm512_add_pd(own->k[power], _mm512_mul_pd(distance, units));
  return _mm512_castpd_si512(_mm512_add_pd(units, _mm512_set1_pd(0x1.8p52)));
}

/// Divides up to 64 points by a line on the axis whose steps begin at a bit of a point.
INLINE Halves halve(const uint64_t *points, size_t count, uint64_t line, int axis_shift, cvectors_latitudes latitudes,
                    uint64_t first, uint64_t last) {
  __m512i all = _mm512_set1_epi32(-1), none = _mm512_setzero_si512();
  Halves halves = {.least = {all, all}, .most = {none, none}};
  const __m512i lower = _mm512_set1_epi64(0xFFFFFFFF);
  __m128i shift = _mm_cvtsi32_si128(axis_shift);
  const Curves two[] = {curve(latitudes, first), curve(latitudes, first < last ? first + 1 : first)};
  // Lanes without a point repeat the first one, which changes no bounds.
  __m512i repeated = _mm512_set1_epi64((long long)points[0]), lines = _mm512_set1_epi64((long long)line);
  for (size_t at = 0; at < count; at += 8) {
    __mmask8 present = (__mmask8)_bzhi_u32(0xFF, count - at < 8 ? (unsigned)(count - at) : 8);
    __m512i some = _mm512_mask_loadu_epi64(repeated, present, points + at);
    __m512i x = _mm512_and_si512(some, lower), y = _mm512_srli_epi64(some, 32);
    __m512i steps = _mm512_and_si512(_mm512_srl_epi64(some, shift), lower);
    Curves own = curves(latitudes, two, first, last, y);
    __mmask8 behind = _mm512_cmpgt_epu64_mask(steps, lines), added = behind & present;
    halves.longitudes = _mm512_mask_add_epi64(halves.longitudes, added, halves.longitudes, x);
    halves.latitudes =
        _mm512_mask_add_epi64(halves.latitudes, added, halves.latitudes, fixed_latitudes(y, &own));
    halves.behind |= (uint64_t)added << at;
    halves.least[0] = _mm512_min_epu32(halves.least[0], _mm512_mask_mov_epi64(some, behind, all));
    halves.most[0] = _mm512_max_epu32(halves.most[0], _mm512_mask_mov_epi64(some, behind, none));
    halves.least[1] = _mm512_min_epu32(halves.least[1], _mm512_mask_mov_epi64(all, behind, some));
    halves.most[1] = _mm512_max_epu32(halves.most[1], _mm512_maskz_mov_epi64(behind, some));
  }
  return halves;
}

/// Finds the latitudes of up to 64 points as bits, with the magic number.
INLINE void find_latitudes(const uint64_t *points, size_t count, cvectors_latitudes latitudes, uint64_t first,
                           uint64_t last, uint64_t *found) {
  const Curves two[] = {curve(latitudes, first), curve(latitudes, first < last ? first + 1 : first)};
  __m512i repeated = _mm512_set1_epi64((long long)points[0]);
  for (size_t at = 0; at < count; at += 8) {
    __mmask8 present = (__mmask8)_bzhi_u32(0xFF, count - at < 8 ? (unsigned)(count - at) : 8);
    __m512i y = _mm512_srli_epi64(_mm512_mask_loadu_epi64(repeated, present, points + at), 32);
    Curves own = curves(latitudes, two, first, last, y);
    _mm512_storeu_si512(found + at, fixed_latitudes(y, &own));
  }
}

/// Adds up those of up to 64 points that have a bit, given their latitudes with magic numbers. Returns the sums of
/// longitudes and of latitudes.
INLINE __m128i sum_some(const uint64_t *points, const uint64_t *found, uint64_t some, __m128i *box) {
  __m512i all = _mm512_set1_epi32(-1);
  Halves sum = {.least = {all}};
  for (; some; some >>= 8, points += 8, found += 8) {
    __mmask8 lanes = (__mmask8)some;
    __m512i own = _mm512_maskz_loadu_epi64(lanes, points);
    sum.longitudes = _mm512_add_epi64(sum.longitudes, _mm512_and_si512(own, _mm512_set1_epi64(0xFFFFFFFF)));
    sum.latitudes = _mm512_add_epi64(sum.latitudes, _mm512_maskz_loadu_epi64(lanes, found));
    sum.least[0] = _mm512_min_epu32(sum.least[0], _mm512_mask_mov_epi64(all, lanes, own));
    sum.most[0] = _mm512_max_epu32(sum.most[0], own);
  }
  *box = box_of(&sum, 0);
  return totals_of(&sum);
}

/// The first four of some points; lanes without one repeat the first.
INLINE __m256i four_points(const uint64_t *points, size_t count) {
  __mmask8 present = (__mmask8)_bzhi_u32(0xF, count < 4 ? (unsigned)count : 4);
  return _mm256_mask_loadu_epi64(_mm256_set1_epi64x((long long)points[0]), present, points);
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

#define TARGET AVX512
#define INLINED INLINE
#include "descent.h"

const cvectors_functions cvectors_functions_avx512 = {
    descend, decimals, cvectors_figures_avx512, cvectors_positions_avx2};

#endif
