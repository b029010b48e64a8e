#include "cvectors.h"

// Loops over numbers and points of which a bit each tells which ones count. The functions for AVX2 give the same
// bits as the others.

// Sums must not depend on the processor, so products and sums are rounded separately.
#pragma STDC FP_CONTRACT OFF

enum { coefficients = 5, row = 8 };

static const double magic = 0x1.8p52;

// MARK: Without vectors

static uint64_t within(const double *numbers, size_t from, size_t count, double low, double high) {
  uint64_t mask = 0;
  for (size_t at = from; at < count; at++)
    mask |= (uint64_t)(numbers[at] >= low && numbers[at] <= high) << at;
  return mask;
}

static uint64_t known(const double *numbers, size_t from, size_t count) {
  uint64_t mask = 0;
  for (size_t at = from; at < count; at++) mask |= (uint64_t)(numbers[at] == numbers[at]) << at;
  return mask;
}

static uint64_t apart(const double *firsts, const double *lasts, size_t from, size_t count, double low,
                      double high) {
  uint64_t mask = 0;
  for (size_t at = from; at < count; at++) {
    double last = lasts[at] == lasts[at] ? lasts[at] : firsts[at];
    mask |= (uint64_t)(firsts[at] > high || last < low) << at;
  }
  return mask;
}

/// The bits of up to 64 points.
static uint64_t bits_at(const uint64_t *bits, size_t start, size_t count) {
  size_t shift = start % 64;
  uint64_t some = bits[start / 64] >> shift;
  if (shift && shift + count > 64) some |= bits[start / 64 + 1] << (64 - shift);
  return count < 64 ? some & ((UINT64_C(1) << count) - 1) : some;
}

static void add_one(cvectors_sum *sum, uint64_t point, size_t at, cvectors_latitudes latitudes) {
  uint32_t x = (uint32_t)point, y = (uint32_t)(point >> 32);
  uint32_t interval = y >> latitudes.interval_bits;
  const double *k = latitudes.table + (size_t)interval * row;
  double middle = (double)((uint64_t)interval << latitudes.interval_bits) +
                  ((double)(UINT32_C(1) << (latitudes.interval_bits - 1)) - 0.5);
  double distance = (double)y - middle, units = k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--) units = k[power] + distance * units;
  union {
    double number;
    uint64_t bits;
  } fixed = {.number = units + magic};
  if (sum->count == 0) sum->first = at;
  sum->count++;
  sum->longitudes += x;
  sum->latitudes += fixed.bits - CVECTORS_MAGIC;
  sum->min_x = x < sum->min_x ? x : sum->min_x;
  sum->min_y = y < sum->min_y ? y : sum->min_y;
  sum->max_x = x > sum->max_x ? x : sum->max_x;
  sum->max_y = y > sum->max_y ? y : sum->max_y;
}

static cvectors_sum scalar_sum(const uint64_t *points, size_t count, const uint64_t *bits, size_t start,
                               cvectors_latitudes latitudes) {
  cvectors_sum sum = {.min_x = UINT32_MAX, .min_y = UINT32_MAX, .first = UINT64_MAX};
  for (size_t at = 0; at < count; at += 64) {
    uint64_t some = bits_at(bits, start + at, count - at < 64 ? count - at : 64);
    for (; some; some &= some - 1) {
      size_t place = at + (size_t)__builtin_ctzll(some);
      add_one(&sum, points[place], place, latitudes);
    }
  }
  return sum;
}

// MARK: AVX2

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

AVX2 static uint64_t within_avx2(const double *numbers, size_t count, double low, double high) {
  __m256d lows = _mm256_set1_pd(low), highs = _mm256_set1_pd(high);
  uint64_t mask = 0;
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    __m256d some = _mm256_loadu_pd(numbers + at);
    __m256d is_within =
        _mm256_and_pd(_mm256_cmp_pd(some, lows, _CMP_GE_OQ), _mm256_cmp_pd(some, highs, _CMP_LE_OQ));
    mask |= (uint64_t)(unsigned)_mm256_movemask_pd(is_within) << at;
  }
  return mask | within(numbers, at, count, low, high);
}

AVX2 static uint64_t known_avx2(const double *numbers, size_t count) {
  uint64_t mask = 0;
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    __m256d some = _mm256_loadu_pd(numbers + at);
    mask |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_cmp_pd(some, some, _CMP_EQ_OQ)) << at;
  }
  return mask | known(numbers, at, count);
}

AVX2 static uint64_t apart_avx2(const double *firsts, const double *lasts, size_t count, double low,
                                double high) {
  __m256d lows = _mm256_set1_pd(low), highs = _mm256_set1_pd(high);
  uint64_t mask = 0;
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    __m256d first = _mm256_loadu_pd(firsts + at), last = _mm256_loadu_pd(lasts + at);
    last = _mm256_blendv_pd(first, last, _mm256_cmp_pd(last, last, _CMP_EQ_OQ));
    __m256d is_apart =
        _mm256_or_pd(_mm256_cmp_pd(first, highs, _CMP_GT_OQ), _mm256_cmp_pd(last, lows, _CMP_LT_OQ));
    mask |= (uint64_t)(unsigned)_mm256_movemask_pd(is_apart) << at;
  }
  return mask | apart(firsts, lasts, at, count, low, high);
}

/// The lanes of each half byte of a mask.
#define LANES(a, b, c, d) {-(a), -(b), -(c), -(d)}
static const int64_t lanes_of[16][4] __attribute__((aligned(32))) = {
    LANES(0, 0, 0, 0), LANES(1, 0, 0, 0), LANES(0, 1, 0, 0), LANES(1, 1, 0, 0),
    LANES(0, 0, 1, 0), LANES(1, 0, 1, 0), LANES(0, 1, 1, 0), LANES(1, 1, 1, 0),
    LANES(0, 0, 0, 1), LANES(1, 0, 0, 1), LANES(0, 1, 0, 1), LANES(1, 1, 0, 1),
    LANES(0, 0, 1, 1), LANES(1, 0, 1, 1), LANES(0, 1, 1, 1), LANES(1, 1, 1, 1)};

/// Which halves of four points come first so that those with a bit do.
#define HALVES(a, b, c, d) {2 * (a), 2 * (a) + 1, 2 * (b), 2 * (b) + 1, 2 * (c), 2 * (c) + 1, 2 * (d), 2 * (d) + 1}
static const int32_t packed_by[16][8] __attribute__((aligned(32))) = {
    HALVES(0, 1, 2, 3), HALVES(0, 1, 2, 3), HALVES(1, 0, 2, 3), HALVES(0, 1, 2, 3),
    HALVES(2, 0, 1, 3), HALVES(0, 2, 1, 3), HALVES(1, 2, 0, 3), HALVES(0, 1, 2, 3),
    HALVES(3, 0, 1, 2), HALVES(0, 3, 1, 2), HALVES(1, 3, 0, 2), HALVES(0, 1, 3, 2),
    HALVES(2, 3, 0, 1), HALVES(0, 2, 3, 1), HALVES(1, 2, 3, 0), HALVES(0, 1, 2, 3)};

/// Fetches 64 points into the cache: a processor doesn't on its own across pages, nor before it has missed some.
AVX2 static inline void prefetch(const uint64_t *points) {
  for (int line = 0; line < 8; line++) _mm_prefetch((const char *)(points + 8 * line), _MM_HINT_T0);
}

/// The sums of four lanes, of points in one interval of latitudes.
typedef struct {
  __m256d k[coefficients], middle;
  __m256i longitudes, latitudes, least, most;
} lanes_sum;

/// Adds four points, of which those that don't count are 0.
AVX2 __attribute__((always_inline)) static inline void add_four(lanes_sum *sum, __m256i point, __m256i lanes) {
  const __m256i all = _mm256_set1_epi64x(-1), lower = _mm256_set1_epi64x(0xFFFFFFFF);
  // An integer below 2^32 in the low bits of 2^52.
  const __m256i exponent = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
  sum->longitudes = _mm256_add_epi64(sum->longitudes, _mm256_and_si256(point, lower));
  __m256i y = _mm256_or_si256(_mm256_srli_epi64(point, 32), exponent);
  __m256d distance =
      _mm256_sub_pd(_mm256_sub_pd(_mm256_castsi256_pd(y), _mm256_castsi256_pd(exponent)), sum->middle);
  __m256d units = sum->k[coefficients - 1];
  for (int power = coefficients - 2; power >= 0; power--)
    units = _mm256_add_pd(sum->k[power], _mm256_mul_pd(distance, units));
  __m256i latitude = _mm256_castpd_si256(_mm256_add_pd(units, _mm256_set1_pd(magic)));
  sum->latitudes = _mm256_add_epi64(sum->latitudes, _mm256_and_si256(latitude, lanes));
  sum->least = _mm256_min_epu32(sum->least, _mm256_or_si256(point, _mm256_xor_si256(lanes, all)));
  sum->most = _mm256_max_epu32(sum->most, point);
}

/// Adds those of up to 64 points that have a bit.
AVX2 __attribute__((always_inline)) static inline void add_some(lanes_sum *sum, const uint64_t *points,
                                                                uint64_t some) {
  for (; some; some >>= 4, points += 4) {
    if (!(some & 15)) continue;
    __m256i lanes = _mm256_load_si256((const __m256i *)lanes_of[some & 15]);
    // Doesn't read beyond the points, and gives 0 for those that don't count.
    add_four(sum, _mm256_maskload_epi64((const long long *)points, lanes), lanes);
  }
}

/// Adds points that lie side by side.
AVX2 __attribute__((always_inline)) static inline void add_packed(lanes_sum *sum, const uint64_t *points,
                                                                  size_t count) {
  size_t at = 0;
  for (; at + 4 <= count; at += 4)
    add_four(sum, _mm256_loadu_si256((const __m256i *)(points + at)), _mm256_set1_epi64x(-1));
  add_some(sum, points + at, (UINT64_C(1) << (count - at)) - 1);
}

/// Copies those of up to 64 points that have a bit. Returns the end.
AVX2 __attribute__((always_inline)) static inline uint64_t *pick(uint64_t *to, const uint64_t *points,
                                                                 uint64_t some) {
  for (; some; some &= some - 1) *to++ = points[__builtin_ctzll(some)];
  return to;
}

/// Copies those of 64 points that have a bit, and up to four more behind them. Returns the end.
AVX2 __attribute__((always_inline)) static inline uint64_t *pack(uint64_t *to, const uint64_t *points,
                                                                 uint64_t some) {
  for (int at = 0; at < 64; at += 4, some >>= 4) {
    __m256i four = _mm256_loadu_si256((const __m256i *)(points + at));
    __m256i order = _mm256_load_si256((const __m256i *)packed_by[some & 15]);
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(four, order));
    to += _mm_popcnt_u64(some & 15);
  }
  return to;
}

enum { most_packed = 1024 };

/// The sum of points in one interval of latitudes.
AVX2 static cvectors_sum sum_avx2(const uint64_t *points, size_t count, const uint64_t *bits, size_t start,
                                  cvectors_latitudes latitudes) {
  uint64_t interval = points[0] >> 32 >> latitudes.interval_bits;
  lanes_sum lanes = {.least = _mm256_set1_epi64x(-1)};
  for (int power = 0; power < coefficients; power++)
    lanes.k[power] = _mm256_set1_pd(latitudes.table[interval * row + (uint64_t)power]);
  lanes.middle = _mm256_set1_pd((double)(interval << latitudes.interval_bits) +
                                ((double)(UINT32_C(1) << (latitudes.interval_bits - 1)) - 0.5));
  cvectors_sum sum = {.first = UINT64_MAX};
  for (size_t at = 0; at < count; at += 64) {
    uint64_t some = bits_at(bits, start + at, count - at < 64 ? count - at : 64);
    if (some && sum.first == UINT64_MAX) sum.first = at + (uint64_t)__builtin_ctzll(some);
    sum.count += (uint64_t)_mm_popcnt_u64(some);
  }
  // Few points are brought together before they are added up. Of many, those that don't count are added as nothing.
  bool is_sparse = 8 * sum.count <= count;
  if (8 * sum.count <= 5 * count && count <= most_packed) {
    uint64_t packed[most_packed + 4], *end = packed;
    for (size_t at = 0; at < count; at += 64) {
      uint64_t some = bits_at(bits, start + at, count - at < 64 ? count - at : 64);
      if (!is_sparse && at + 192 <= count) prefetch(points + at + 128);
      end = is_sparse || count - at < 64 ? pick(end, points + at, some) : pack(end, points + at, some);
    }
    add_packed(&lanes, packed, sum.count);
  } else {
    for (size_t at = 0; at < count; at += 64) {
      if (at + 192 <= count) prefetch(points + at + 128);
      add_some(&lanes, points + at, bits_at(bits, start + at, count - at < 64 ? count - at : 64));
    }
  }
  uint64_t x[4], y[4];
  uint32_t low[8], high[8];
  _mm256_storeu_si256((__m256i *)x, lanes.longitudes);
  _mm256_storeu_si256((__m256i *)y, lanes.latitudes);
  _mm256_storeu_si256((__m256i *)low, lanes.least);
  _mm256_storeu_si256((__m256i *)high, lanes.most);
  sum.min_x = sum.min_y = UINT32_MAX;
  for (int lane = 0; lane < 4; lane++) {
    sum.longitudes += x[lane];
    sum.latitudes += y[lane];
    sum.min_x = low[2 * lane] < sum.min_x ? low[2 * lane] : sum.min_x;
    sum.min_y = low[2 * lane + 1] < sum.min_y ? low[2 * lane + 1] : sum.min_y;
    sum.max_x = high[2 * lane] > sum.max_x ? high[2 * lane] : sum.max_x;
    sum.max_y = high[2 * lane + 1] > sum.max_y ? high[2 * lane + 1] : sum.max_y;
  }
  sum.latitudes -= sum.count * CVECTORS_MAGIC;
  return sum;
}

#endif

// MARK: The best for this processor

uint64_t cvectors_within(const double *numbers, size_t count, double low, double high) {
#if defined(__x86_64__)
  if (has_avx2()) return within_avx2(numbers, count, low, high);
#endif
  return within(numbers, 0, count, low, high);
}

uint64_t cvectors_known(const double *numbers, size_t count) {
#if defined(__x86_64__)
  if (has_avx2()) return known_avx2(numbers, count);
#endif
  return known(numbers, 0, count);
}

uint64_t cvectors_apart(const double *firsts, const double *lasts, size_t count, double low, double high) {
#if defined(__x86_64__)
  if (has_avx2()) return apart_avx2(firsts, lasts, count, low, high);
#endif
  return apart(firsts, lasts, 0, count, low, high);
}

cvectors_sum cvectors_masked_sum(const uint64_t *points, size_t count, const uint64_t *bits, size_t start,
                                 cvectors_latitudes latitudes, bool is_plain) {
#if defined(__x86_64__)
  if (!is_plain && latitudes.is_one_interval && has_avx2())
    return sum_avx2(points, count, bits, start, latitudes);
#endif
  return scalar_sum(points, count, bits, start, latitudes);
}
