#pragma once

// The common part of the functions for AVX-512.

#include "cvectors.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Sums must not depend on the processor, so products and sums are rounded separately.
#pragma STDC FP_CONTRACT OFF

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512cd,bmi2,popcnt")))
#define INLINE AVX512 __attribute__((always_inline)) static inline

cvectors_find_figures cvectors_figures_avx512;
cvectors_find_positions cvectors_positions_avx2;

#endif
