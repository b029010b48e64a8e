#include "cvectors.h"

// Comparisons of levels: numbers of 16 bits in the order of others that are larger.

static uint64_t within(const uint16_t *levels, size_t count, uint16_t low, uint16_t high) {
  uint64_t mask = 0;
  for (size_t at = 0; at < count; at++)
    mask |= (uint64_t)(levels[at] >= low && levels[at] <= high) << at;
  return mask;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/// All bits of those lanes that hold a level from `lows` to `highs`.
AVX2 static inline __m256i lanes_within(const uint16_t *levels, __m256i lows, __m256i highs) {
  __m256i some = _mm256_loadu_si256((const __m256i *)levels);
  // There are no comparisons of numbers without a sign, but differences that stop at 0.
  __m256i beyond = _mm256_or_si256(_mm256_subs_epu16(lows, some), _mm256_subs_epu16(some, highs));
  return _mm256_cmpeq_epi16(beyond, _mm256_setzero_si256());
}

AVX2 static inline uint64_t half_within(const uint16_t *levels, __m256i lows, __m256i highs) {
  __m256i bytes = _mm256_packs_epi16(lanes_within(levels, lows, highs), lanes_within(levels + 16, lows, highs));
  // The halves of both vectors take turns.
  return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8));
}

AVX2 static void within_avx2(const uint16_t *levels, size_t words, uint16_t low, uint16_t high, uint64_t *bits) {
  __m256i lows = _mm256_set1_epi16((short)low), highs = _mm256_set1_epi16((short)high);
  for (size_t word = 0; word < words; word++)
    bits[word] =
        half_within(levels + 64 * word, lows, highs) | half_within(levels + 64 * word + 32, lows, highs) << 32;
}

#endif

void cvectors_levels_within(const uint16_t *levels, size_t count, uint16_t low, uint16_t high, uint64_t *bits) {
  size_t words = count / 64;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    within_avx2(levels, words, low, high, bits);
  } else
#endif
  {
    for (size_t word = 0; word < words; word++) bits[word] = within(levels + 64 * word, 64, low, high);
  }
  if (count % 64) bits[words] = within(levels + 64 * words, count % 64, low, high);
}
