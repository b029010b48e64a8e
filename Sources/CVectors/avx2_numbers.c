#include "avx2.h"

#if defined(__x86_64__)

// Texts of numbers, and means and bounds of cells, four at a time. Each operation is that of the functions for
// AVX-512, in the same order, so that the results are the same bit for bit.

// MARK: Texts

INLINE2 Words product(Words values, uint32_t factor) {
  return (Words)_mm256_mul_epu32((__m256i)values, (__m256i)words(factor));
}

INLINE2 Words product32(Words values, int factor) {
  return (Words)_mm256_mullo_epi32((__m256i)values, _mm256_set1_epi32(factor));
}

INLINE2 Words product16(Words values, short factor) {
  return (Words)_mm256_mullo_epi16((__m256i)values, _mm256_set1_epi16(factor));
}

/// Shifts of each lane by a count of its own; 64 and more leave nothing.
INLINE2 Words up(Words values, Words counts) {
  return (Words)_mm256_sllv_epi64((__m256i)values, (__m256i)counts);
}
INLINE2 Words down(Words values, Words counts) {
  return (Words)_mm256_srlv_epi64((__m256i)values, (__m256i)counts);
}

/// The eight digits of numbers below 10^8, the first one in the lowest byte: fields of 4, 2 and 1 digits are
/// split in parallel, and the divisions are multiplications, which are exact in these ranges.
INLINE2 Words eight_digits(Words values) {
  Words high = product(values, 3518437209) >> words(45);
  Words fours = high | (values - product(high, 10000)) << words(32);
  Words upper = (Words)_mm256_srli_epi32((__m256i)product32(fours, 10486), 20);
  Words lower = (Words)_mm256_sub_epi32((__m256i)fours, (__m256i)product32(upper, 100));
  Words twos = upper | (Words)_mm256_slli_epi32((__m256i)lower, 16);
  Words tens = (Words)_mm256_srli_epi16((__m256i)product16(twos, 103), 10);
  Words ones = (Words)_mm256_sub_epi16((__m256i)twos, (__m256i)product16(tens, 10));
  return tens | (Words)_mm256_slli_epi16((__m256i)ones, 8);
}

/// The bytes up to the last one that isn't 0.
INLINE2 Words used_bytes(Words values) {
  Words used;
  for (int lane = 0; lane < 4; lane++) used[lane] = 8 - (__builtin_ia32_lzcnt_u64(values[lane]) >> 3);
  return used;
}

/// Writes four numbers; returns a bit for each that has a text.
INLINE2 unsigned write_four(const double *from, cvectors_decimals *found, int at) {
  Numbers values = (Numbers)_mm256_loadu_pd(from), magnitude = magnitudes(values);
  // A sum from 2^52 on is rounded to an integer, which its low bits hold.
  Numbers sum = magnitude * numbers(1e8) + numbers(0x1p52);
  Numbers back = (sum - numbers(0x1p52)) / numbers(1e8);
  Words scaled = bits_of(sum) & words((1ull << 52) - 1);
  unsigned is_plain = lanes((back == magnitude) & (magnitude >= numbers(1e-6)) & (magnitude < numbers(1000)));
  // The whole part has at most three digits. The results for other numbers aren't used.
  Words whole = whole_parts(magnitude);
  Words fraction = scaled - product(whole, 100000000);
  Words hundreds = product(whole, 656) >> words(16);
  Words rest = whole - product(hundreds, 100);
  Words tens = product(rest, 103) >> words(10);
  Words ones = rest - product(tens, 10);
  Words three = (hundreds | tens << words(8) | ones << words(16)) | words(0x303030);
  // A comparison that holds is -1.
  Words zeros = words(0) - (Words)((Integers)whole < (Integers)words(100)) -
                (Words)((Integers)whole < (Integers)words(10));
  Words text = down(three, zeros << words(3)), length = words(3) - zeros;
  Words negative = (Words)((Integers)bits_of(values) < (Integers)words(0));
  text = up(text, negative & words(8)) | (negative & words('-'));
  length -= negative;
  // The point and the fraction, without zeros at its end.
  Words has_fraction = (Words)((Integers)fraction != (Integers)words(0));
  text |= up(words('.'), length << words(3));
  Words digits = eight_digits(fraction);
  Words shown = words(1) + used_bytes(digits);
  digits |= words(0x3030303030303030);
  Words before = (length + words(1)) << words(3);
  __m256i low = (__m256i)(text | up(digits, before));
  __m256i high = (__m256i)down(digits, words(64) - before);
  length += shown & has_fraction;
  __m256i even = _mm256_unpacklo_epi64(low, high), odd = _mm256_unpackhi_epi64(low, high);
  _mm256_storeu_si256((__m256i *)found->texts[at], _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256((__m256i *)found->texts[at + 2], _mm256_permute2x128_si256(even, odd, 0x31));
  _mm256_storeu_si256((__m256i *)(found->lengths + at), (__m256i)length);
  return is_plain << at;
}

AVX2 void cvectors_decimals_avx2(const double *from, cvectors_decimals *found) {
  unsigned is_plain = write_four(from, found, 0);
  found->is_plain = (uint8_t)(is_plain | write_four(from + 4, found, 4));
}

// MARK: Means and bounds

static const double degrees_per_step = 360 / 0x1p32, per_unit = 0x1p-28, tolerance = 1e-11;

/// The nearest integers; halves are rounded away from zero.
INLINE2 Numbers nearest(Numbers values) {
  Numbers whole = (Numbers)_mm256_round_pd((__m256d)values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  Integers is_over = magnitudes(values - whole) >= numbers(0.5);
  Words sign = bits_of(values) & words(1ull << 63);
  Numbers one = (Numbers)(bits_of(numbers(1)) | sign);
  Numbers result = choose(is_over, whole + one, whole);
  // Keeps the sign of a zero.
  return (Numbers)(bits_of(magnitudes(result)) | sign);
}

/// The decimals between two edges of a step: of seven digits if there is one, else the middle.
INLINE2 Numbers decimals_between(Numbers low, Numbers high) {
  Numbers scaled = (low - numbers(tolerance)) * numbers(1e7);
  Numbers above = (Numbers)_mm256_round_pd((__m256d)scaled, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  Numbers decimals = above / numbers(1e7);
  Integers is_between = (decimals < high + numbers(tolerance)) & (decimals < numbers(180));
  if (lanes(is_between) == 0xF) return decimals;
  Numbers middle = (low + high) / numbers(2) * numbers(1e8);
  return choose(is_between, decimals, nearest(middle) / numbers(1e8));
}

INLINE2 Numbers longitudes(Words x) {
  Numbers west = small_numbers(x) * numbers(degrees_per_step) - numbers(180);
  return decimals_between(west, west + numbers(degrees_per_step));
}

/// The latitudes of the northern edges of steps.
INLINE2 Numbers northern_edges(Numbers y, cvectors_latitudes latitudes) {
  uint64_t last = (1ull << (32 - latitudes.interval_bits)) - 1;
  Words intervals = whole_parts(y) >> words(latitudes.interval_bits);
  Words is_beyond = (Words)((Integers)intervals > (Integers)words(last));
  intervals = (words(last) & is_beyond) | (intervals & ~is_beyond);
  Numbers start = small_numbers(intervals << words(latitudes.interval_bits));
  Numbers d = y - start - numbers((double)(1u << (latitudes.interval_bits - 1)));
  Numbers k[7];
  find_coefficients(latitudes.table, intervals, 7, k);
  Numbers units = k[6];
  for (int power = 5; power >= 0; power--) units = units * d + k[power];
  return units * numbers(per_unit);
}

INLINE2 Numbers bound_latitudes(Words y, cvectors_latitudes latitudes) {
  Numbers steps = small_numbers(y);
  return decimals_between(northern_edges(steps + numbers(1), latitudes), northern_edges(steps, latitudes));
}

/// Means rounded to seven decimals and clamped.
INLINE2 Numbers means_between(Numbers means, Numbers low, Numbers high) {
  Numbers rounded = nearest(means * numbers(1e7)) / numbers(1e7);
  return (Numbers)_mm256_min_pd((__m256d)high, _mm256_max_pd((__m256d)rounded, (__m256d)low));
}

INLINE2 Numbers mean_longitudes(Words sums, Words counts) {
  // Integers are divided first, because large sums exceed the precision of doubles. The quotient is below 2^32,
  // so that of the doubles is off by one at most.
  Numbers divisors = large_numbers(counts);
  Words whole = whole_parts(large_numbers(sums) / divisors), rest = sums - whole * counts;
  Words is_over = (Words)((Integers)rest < (Integers)words(0));
  whole += is_over;
  rest += counts & is_over;
  Words is_under = (Words)((Integers)rest >= (Integers)counts);
  whole -= is_under;
  rest -= counts & is_under;
  Numbers part = large_numbers(rest) / divisors + numbers(0.5);
  return (small_numbers(whole) + part) * numbers(degrees_per_step) - numbers(180);
}

INLINE2 void find_four(const cvectors_point_sum *const *sums, cvectors_latitudes latitudes,
                       cvectors_figures *found, int at) {
  Words counts, x_sums, least, most;
  Numbers y_sums;
  for (int lane = 0; lane < 4; lane++) {
    const cvectors_point_sum *sum = sums[at + lane];
    counts[lane] = sum->count;
    x_sums[lane] = sum->longitudes;
    y_sums[lane] = (double)sum->latitudes;
    least[lane] = sum->min_x | (uint64_t)sum->min_y << 32;
    most[lane] = sum->max_x | (uint64_t)sum->max_y << 32;
  }
  const Words lower = words(0xFFFFFFFF);
  Numbers west = longitudes(least & lower), east = longitudes(most & lower);
  Numbers north = bound_latitudes(least >> words(32), latitudes);
  Numbers south = bound_latitudes(most >> words(32), latitudes);
  Numbers mean_y = y_sums / (numbers(0x1p28) * large_numbers(counts));
  _mm256_storeu_pd(found->latitudes + at, (__m256d)means_between(mean_y, south, north));
  _mm256_storeu_pd(found->longitudes + at, (__m256d)means_between(mean_longitudes(x_sums, counts), west, east));
  _mm256_storeu_pd(found->west + at, (__m256d)west);
  _mm256_storeu_pd(found->south + at, (__m256d)south);
  _mm256_storeu_pd(found->east + at, (__m256d)east);
  _mm256_storeu_pd(found->north + at, (__m256d)north);
}

AVX2 void cvectors_figures_avx2(const cvectors_point_sum *const *sums, cvectors_latitudes latitudes,
                                cvectors_figures *found) {
  find_four(sums, latitudes, found, 0);
  find_four(sums, latitudes, found, 4);
}

#endif
