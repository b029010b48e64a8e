#include "avx2.h"

#if defined(__x86_64__)

// Points and boxes four at a time. The results are those of the functions for AVX-512, bit for bit.

/// The points before a line and behind it.
typedef struct {
  // The sums of those behind it.
  Words longitudes, latitudes;
  // Of x in the even 32-bit lanes, of y in the odd ones; before and behind.
  __m256i least[2], most[2];
  /// One bit for each point behind it.
  uint64_t behind;
} Halves;

/// The sums of longitudes and of latitudes of the points behind the line, the latter with their magic numbers.
INLINE2 __m128i totals_of(const Halves *halves) {
  __m256i x = (__m256i)halves->longitudes, y = (__m256i)halves->latitudes;
  __m256i both = _mm256_add_epi64(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
  return _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

/// The least x and y of a half and the greatest.
INLINE2 __m128i box_of(const Halves *halves, int half) {
  // The minimum and maximum of two lanes, side by side.
  __m256i low = _mm256_unpacklo_epi64(halves->least[half], halves->most[half]);
  __m256i high = _mm256_unpackhi_epi64(halves->least[half], halves->most[half]);
  __m256i mins = _mm256_min_epu32(low, high), maxs = _mm256_max_epu32(low, high);
  return _mm_blend_epi32(
      _mm_min_epu32(_mm256_castsi256_si128(mins), _mm256_extracti128_si256(mins, 1)),
      _mm_max_epu32(_mm256_castsi256_si128(maxs), _mm256_extracti128_si256(maxs, 1)), 0xC);
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

/// The polynomials of an interval from some y on, and others before it.
INLINE2 Curves choose_curves(cvectors_latitudes latitudes, uint64_t interval, Words y, const Curves *later,
                             const Curves *earlier) {
  Integers is_later = (Integers)y >= (Integers)words(interval << latitudes.interval_bits);
  Curves own = {.middle = choose(is_later, later->middle, earlier->middle)};
  for (int power = 0; power < coefficients; power++)
    own.k[power] = choose(is_later, later->k[power], earlier->k[power]);
  return own;
}

/// The polynomials of four ys, none of which is in an earlier interval than the first or a later one than the last,
/// given those of the first two intervals.
INLINE2 Curves curves(cvectors_latitudes latitudes, const Curves *two, uint64_t first, uint64_t last, Words y) {
  if (first == last) return two[0];
  Curves own = choose_curves(latitudes, first + 1, y, &two[1], &two[0]);
  for (uint64_t interval = first + 2; interval <= last; interval++) {
    Curves later = curve(latitudes, interval);
    own = choose_curves(latitudes, interval, y, &later, &own);
  }
  return own;
}

/// The latitudes of four ys plus 1.5 * 2^52, as bits.
INLINE2 Words fixed_latitudes(Words y, const Curves *own) {
  Numbers distance = small_numbers(y) - own->middle, units = own->k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--)
    units = own->k[power] + distance * units;
  return bits_of(units + numbers(0x1.8p52));
}

/// The first four of some points; lanes without one repeat the first.
INLINE2 Words four_points(const uint64_t *points, size_t count) {
  if (count >= 4) return (Words)_mm256_loadu_si256((const __m256i *)points);
  Words present = (Words)((Words){0, 1, 2, 3} < words(count));
  Words some = (Words)_mm256_maskload_epi64((const long long *)points, (__m256i)present);
  return some | (words(points[0]) & ~present);
}

/// Divides up to 64 points by a line on the axis whose steps begin at a bit of a point.
INLINE2 Halves halve(const uint64_t *points, size_t count, uint64_t line, int axis_shift, cvectors_latitudes latitudes,
                     uint64_t first, uint64_t last) {
  __m256i all = _mm256_set1_epi32(-1), none = _mm256_setzero_si256();
  __m128i shift = _mm_cvtsi32_si128(axis_shift);
  Halves halves = {.least = {all, all}, .most = {none, none}};
  const Curves two[] = {curve(latitudes, first), curve(latitudes, first < last ? first + 1 : first)};
  for (size_t at = 0; at < count; at += 4) {
    Words some = four_points(points + at, count - at);
    Words x = some & words(0xFFFFFFFF), y = some >> words(32);
    Curves own = curves(latitudes, two, first, last, y);
    Words steps = (Words)_mm256_srl_epi64((__m256i)some, shift) & words(0xFFFFFFFF);
    Words behind = (Words)((Integers)steps > (Integers)words(line)), added = behind;
    // A point that is repeated changes no bounds.
    if (at + 4 > count) added &= (Words)((Words){0, 1, 2, 3} < words(count - at));
    halves.longitudes += x & added;
    halves.latitudes += fixed_latitudes(y, &own) & added;
    halves.behind |= (uint64_t)lanes((Integers)added) << at;
    halves.least[0] = _mm256_min_epu32(halves.least[0], (__m256i)(some | behind));
    halves.most[0] = _mm256_max_epu32(halves.most[0], (__m256i)(some & ~behind));
    halves.least[1] = _mm256_min_epu32(halves.least[1], (__m256i)(some | ~behind));
    halves.most[1] = _mm256_max_epu32(halves.most[1], (__m256i)(some & behind));
  }
  return halves;
}

/// Finds the latitudes of up to 64 points as bits, with the magic number.
INLINE2 void find_latitudes(const uint64_t *points, size_t count, cvectors_latitudes latitudes, uint64_t first,
                            uint64_t last, uint64_t *found) {
  const Curves two[] = {curve(latitudes, first), curve(latitudes, first < last ? first + 1 : first)};
  for (size_t at = 0; at < count; at += 4) {
    Words y = four_points(points + at, count - at) >> words(32);
    Curves own = curves(latitudes, two, first, last, y);
    _mm256_store_si256((__m256i *)(found + at), (__m256i)fixed_latitudes(y, &own));
  }
}

/// Adds up those of up to 64 points that have a bit, given their latitudes with magic numbers. Returns the sums of
/// longitudes and of latitudes.
INLINE2 __m128i sum_some(const uint64_t *points, const uint64_t *found, uint64_t some, __m128i *box) {
  Halves sum = {.least = {_mm256_set1_epi32(-1)}, .most = {_mm256_setzero_si256()}};
  const Words bits = {1, 2, 4, 8};
  for (; some; some >>= 4, points += 4, found += 4) {
    Words lanes = (Words)((words(some) & bits) == bits);
    Words own = (Words)_mm256_maskload_epi64((const long long *)points, (__m256i)lanes);
    sum.longitudes += own & words(0xFFFFFFFF);
    sum.latitudes += (Words)_mm256_maskload_epi64((const long long *)found, (__m256i)lanes);
    sum.least[0] = _mm256_min_epu32(sum.least[0], (__m256i)(own | ~lanes));
    sum.most[0] = _mm256_max_epu32(sum.most[0], (__m256i)own);
  }
  *box = box_of(&sum, 0);
  return totals_of(&sum);
}

#define TARGET AVX2
#define INLINED INLINE2
#include "descent.h"

const cvectors_functions cvectors_functions_avx2 = {
    descend, cvectors_decimals_avx2, cvectors_figures_avx2, cvectors_positions_avx2};

#endif
