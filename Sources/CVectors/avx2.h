#pragma once

// The common part of the functions for AVX2: vectors of four numbers of 64 bits, in the notation that clang has
// for them. A comparison has all bits of a lane set where it holds.

#include "cvectors.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Sums must not depend on the processor, so products and sums are rounded separately.
#pragma STDC FP_CONTRACT OFF

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE2 AVX2 __attribute__((always_inline)) static inline

typedef uint64_t Words __attribute__((ext_vector_type(4)));
typedef int64_t Integers __attribute__((ext_vector_type(4)));
typedef double Numbers __attribute__((ext_vector_type(4)));

INLINE2 Words words(uint64_t value) { return (Words)value; }
INLINE2 Numbers numbers(double value) { return (Numbers)value; }
INLINE2 Words bits_of(Numbers values) { return (Words)values; }

/// The lanes of `values` where a mask is set, else those of `others`.
INLINE2 Numbers choose(Integers mask, Numbers values, Numbers others) {
  return (Numbers)_mm256_blendv_pd((__m256d)others, (__m256d)values, (__m256d)mask);
}

/// One bit for each lane of a mask.
INLINE2 unsigned lanes(Integers mask) { return (unsigned)_mm256_movemask_pd((__m256d)mask); }

/// Integers below 2^52 as numbers.
INLINE2 Numbers small_numbers(Words values) {
  return (Numbers)(values | words(0x4330000000000000)) - numbers(0x1p52);
}

/// Integers as numbers, rounded once: both halves are exact before they are added up.
INLINE2 Numbers large_numbers(Words values) {
  Numbers upper = (Numbers)(values >> words(32) | words(0x4530000000000000));
  Numbers lower = (Numbers)((values & words(0xFFFFFFFF)) | words(0x4330000000000000));
  return (upper - numbers(0x1.00000001p84)) + lower;
}

INLINE2 Numbers magnitudes(Numbers values) {
  return (Numbers)(bits_of(values) & words(0x7FFFFFFFFFFFFFFF));
}

/// The whole parts of numbers from 0 up to 2^52.
INLINE2 Words whole_parts(Numbers values) {
  Numbers whole = (Numbers)_mm256_round_pd((__m256d)values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return bits_of(whole + numbers(0x1p52)) & words((1ull << 52) - 1);
}

enum { avx2_row_bits = 3 };

/// The first coefficients of the polynomials of four intervals, which are the same one more often than not.
INLINE2 void find_coefficients(const double *table, Words intervals, int count, Numbers *found) {
  Words rows = intervals << words(avx2_row_bits);
  bool is_one = lanes((Integers)rows == (Integers)words(rows[0])) == 0xF;
  for (int power = 0; power < count; power++)
    found[power] = is_one ? numbers(table[rows[0] + (unsigned)power])
                          : (Numbers)_mm256_i64gather_pd(table + power, (__m256i)rows, 8);
}

cvectors_write_decimals cvectors_decimals_avx2;
cvectors_find_figures cvectors_figures_avx2;
cvectors_find_positions cvectors_positions_avx2;

#endif
