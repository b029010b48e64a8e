#include "avx512.h"

#if defined(__x86_64__)

// The means and bounds of the points of eight cells. Each operation is that of StepDegrees and PointSum in
// ClusterCore, in the same order, so that the results are the same bit for bit.

static const double degrees_per_step = 360 / 0x1p32, per_unit = 0x1p-28, tolerance = 1e-11;

INLINE __m512d all(double value) { return _mm512_set1_pd(value); }

INLINE __m512d to_zero(__m512d values) {
  return _mm512_roundscale_pd(values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/// The nearest integers; halves are rounded away from zero.
INLINE __m512d nearest(__m512d values) {
  __m512d whole = to_zero(values), rest = _mm512_sub_pd(values, whole);
  __mmask8 is_over = _mm512_cmp_pd_mask(_mm512_abs_pd(rest), all(0.5), _CMP_GE_OQ);
  __m512d sign = _mm512_and_pd(values, all(-0.0));
  __m512d result = _mm512_mask_add_pd(whole, is_over, whole, _mm512_or_pd(sign, all(1)));
  // Keeps the sign of a zero.
  return _mm512_or_pd(_mm512_abs_pd(result), sign);
}

/// The decimals between two edges of a step: of seven digits if there is one, else the middle.
INLINE __m512d decimals_between(__m512d low, __m512d high) {
  __m512d scaled = _mm512_mul_pd(_mm512_sub_pd(low, all(tolerance)), all(1e7));
  __m512d up = _mm512_roundscale_pd(scaled, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  __m512d decimals = _mm512_div_pd(up, all(1e7));
  __mmask8 is_between =
      _mm512_cmp_pd_mask(decimals, _mm512_add_pd(high, all(tolerance)), _CMP_LT_OQ) &
      _mm512_cmp_pd_mask(decimals, all(180), _CMP_LT_OQ);
  if (is_between == 0xFF) return decimals;
  __m512d middle = _mm512_mul_pd(_mm512_div_pd(_mm512_add_pd(low, high), all(2)), all(1e8));
  return _mm512_mask_mov_pd(_mm512_div_pd(nearest(middle), all(1e8)), is_between, decimals);
}

INLINE __m512d longitudes(__m512i x) {
  __m512d west = _mm512_sub_pd(_mm512_mul_pd(_mm512_cvtepu64_pd(x), all(degrees_per_step)), all(180));
  return decimals_between(west, _mm512_add_pd(west, all(degrees_per_step)));
}

/// The latitudes of the northern edges of steps.
INLINE __m512d northern_edges(__m512d y, cvectors_latitudes latitudes) {
  __m128i bits = _mm_cvtsi32_si128((int)latitudes.interval_bits);
  __m512i last = _mm512_set1_epi64((1ll << (32 - latitudes.interval_bits)) - 1);
  __m512i intervals = _mm512_min_epi64(_mm512_srl_epi64(_mm512_cvttpd_epi64(y), bits), last);
  __m512d start = _mm512_cvtepi64_pd(_mm512_sll_epi64(intervals, bits));
  double half = (double)(1u << (latitudes.interval_bits - 1));
  __m512d d = _mm512_sub_pd(_mm512_sub_pd(y, start), all(half));
  __m512d k[7];
  long long first = _mm_cvtsi128_si64(_mm512_castsi512_si128(intervals));
  if (_mm512_cmpeq_epi64_mask(intervals, _mm512_set1_epi64(first)) == 0xFF) {
    for (int power = 0; power < 7; power++) k[power] = all(latitudes.table[first * 8 + power]);
  } else {
    __m512i rows = _mm512_slli_epi64(intervals, 3);
    for (int power = 0; power < 7; power++)
      k[power] = _mm512_i64gather_pd(rows, latitudes.table + power, 8);
  }
  __m512d units = k[6];
  for (int power = 5; power >= 0; power--)
    units = _mm512_add_pd(_mm512_mul_pd(units, d), k[power]);
  return _mm512_mul_pd(units, all(per_unit));
}

INLINE __m512d bound_latitudes(__m512i y, cvectors_latitudes latitudes) {
  __m512d steps = _mm512_cvtepu64_pd(y);
  return decimals_between(northern_edges(_mm512_add_pd(steps, all(1)), latitudes),
                          northern_edges(steps, latitudes));
}

/// Means rounded to seven decimals and clamped.
INLINE __m512d means_between(__m512d means, __m512d low, __m512d high) {
  __m512d rounded = _mm512_div_pd(nearest(_mm512_mul_pd(means, all(1e7))), all(1e7));
  return _mm512_min_pd(high, _mm512_max_pd(rounded, low));
}

INLINE __m512d mean_longitudes(__m512i sums, __m512i counts) {
  // Integers are divided first, because large sums exceed the precision of doubles. The quotient is below 2^32,
  // so that of the doubles is off by one at most.
  __m512d divisors = _mm512_cvtepu64_pd(counts);
  __m512i whole = _mm512_cvttpd_epu64(_mm512_div_pd(_mm512_cvtepu64_pd(sums), divisors));
  __m512i rest = _mm512_sub_epi64(sums, _mm512_mullo_epi64(whole, counts)), one = _mm512_set1_epi64(1);
  __mmask8 is_over = _mm512_movepi64_mask(rest);
  whole = _mm512_mask_sub_epi64(whole, is_over, whole, one);
  rest = _mm512_mask_add_epi64(rest, is_over, rest, counts);
  __mmask8 is_under = _mm512_cmpge_epu64_mask(rest, counts);
  whole = _mm512_mask_add_epi64(whole, is_under, whole, one);
  rest = _mm512_mask_sub_epi64(rest, is_under, rest, counts);
  __m512d part = _mm512_add_pd(_mm512_div_pd(_mm512_cvtepu64_pd(rest), divisors), all(0.5));
  __m512d steps = _mm512_add_pd(_mm512_cvtepu64_pd(whole), part);
  return _mm512_sub_pd(_mm512_mul_pd(steps, all(degrees_per_step)), all(180));
}

AVX512 void cvectors_figures_avx512(const cvectors_point_sum *const *sums,
                                    cvectors_latitudes latitudes, cvectors_figures *found) {
  __m512i addresses = _mm512_loadu_si512(sums);
#define MEMBER(name) \
  _mm512_i64gather_epi64(_mm512_add_epi64(addresses, _mm512_set1_epi64(offsetof(cvectors_point_sum, name))), 0, 1)
  __m512i counts = MEMBER(count), x_sums = MEMBER(longitudes), y_sums = MEMBER(latitudes);
  __m512i least = MEMBER(min_x), most = MEMBER(max_x);
#undef MEMBER
  const __m512i lower = _mm512_set1_epi64(0xFFFFFFFF);
  __m512d west = longitudes(_mm512_and_si512(least, lower));
  __m512d east = longitudes(_mm512_and_si512(most, lower));
  __m512d north = bound_latitudes(_mm512_srli_epi64(least, 32), latitudes);
  __m512d south = bound_latitudes(_mm512_srli_epi64(most, 32), latitudes);
  __m512d units = _mm512_mul_pd(all(0x1p28), _mm512_cvtepu64_pd(counts));
  __m512d mean_y = _mm512_div_pd(_mm512_cvtepi64_pd(y_sums), units);
  _mm512_storeu_pd(found->latitudes, means_between(mean_y, south, north));
  _mm512_storeu_pd(found->longitudes, means_between(mean_longitudes(x_sums, counts), west, east));
  _mm512_storeu_pd(found->west, west);
  _mm512_storeu_pd(found->south, south);
  _mm512_storeu_pd(found->east, east);
  _mm512_storeu_pd(found->north, north);
}

#endif
