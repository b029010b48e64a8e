#include "avx2.h"

#if defined(__x86_64__)

// The positions of coordinates, four at a time. Each operation is that of Position and LatitudeSteps in ClusterCore, in the
// same order, so that the results are the same bit for bit.

/// Two pairs of a longitude and a latitude; those behind `count` are 0.
INLINE2 Numbers two_pairs(const double *pairs, size_t count) {
  if (count >= 2) return (Numbers)_mm256_loadu_pd(pairs);
  return count == 1 ? (Numbers)_mm256_zextpd128_pd256(_mm_loadu_pd(pairs)) : numbers(0);
}

/// The x of four longitudes, the easternmost of which is the westernmost.
INLINE2 Words columns_of(Numbers longitudes) {
  Numbers folded = choose(longitudes == numbers(180), numbers(-180), longitudes);
  Numbers steps = (folded + numbers(180)) / numbers(360) * numbers(0x1p32);
  steps = (Numbers)_mm256_min_pd((__m256d)steps, (__m256d)numbers(0x1p32 - 1));
  return whole_parts((Numbers)_mm256_max_pd((__m256d)steps, (__m256d)numbers(0)));
}

/// The y of four latitudes, and whether each is certain.
INLINE2 Words rows_of(Numbers latitudes, const cvectors_steps *steps, Integers *certain) {
  Numbers place = (latitudes + numbers(steps->northern_edge)) * numbers(steps->intervals_per_degree);
  Integers is_inside = (place >= numbers(0)) & (place < numbers(steps->intervals));
  Words interval = whole_parts(choose(is_inside, place, numbers(0)));
  Numbers middle = (small_numbers(interval) + numbers(0.5)) / numbers(steps->intervals_per_degree) -
                   numbers(steps->northern_edge);
  Numbers d = latitudes - middle, d2 = d * d, k[8];
  find_coefficients(steps->table, interval, 8, k);
  Numbers upper = (k[4] + d * k[5]) + d2 * (k[6] + d * k[7]);
  Numbers all = (k[0] + d * k[1]) + d2 * (k[2] + d * k[3]) + d2 * d2 * upper;
  Integers is_step = is_inside & (all >= numbers(0)) & (all < numbers(0x1p32));
  Words whole = whole_parts(choose(is_step, all, numbers(0)));
  Numbers rest = all - small_numbers(whole);
  *certain = is_step & (rest > numbers(steps->tolerance)) & (rest < numbers(1 - steps->tolerance));
  return whole;
}

AVX2 uint64_t cvectors_positions_avx2(const double *coordinates, size_t count, cvectors_steps steps, uint64_t *points) {
  uint64_t uncertain = 0;
  for (size_t at = 0; at < count; at += 4) {
    size_t left = count - at;
    Numbers first = two_pairs(coordinates + 2 * at, left);
    Numbers second = two_pairs(coordinates + 2 * at + 4, left > 2 ? left - 2 : 0);
    Numbers longitudes = (Numbers)_mm256_unpacklo_pd((__m256d)first, (__m256d)second);
    Numbers latitudes = (Numbers)_mm256_unpackhi_pd((__m256d)first, (__m256d)second);
    Integers certain;
    Words y = rows_of(latitudes, &steps, &certain), x = columns_of(longitudes);
    // The second and the third are the other way round.
    __m256i found = _mm256_permute4x64_epi64((__m256i)(x | y << words(32)), 0xD8);
    certain = (Integers)_mm256_permute4x64_epi64((__m256i)certain, 0xD8);
    Words present = (Words)((Words){0, 1, 2, 3} < words(left));
    _mm256_maskstore_epi64((long long *)(points + at), (__m256i)present, found);
    uncertain |= (uint64_t)lanes((Integers)present & ~certain) << at;
  }
  return uncertain;
}

#endif
