#pragma once

// Functions that Swift cannot express or import: hints to the processor and the allocator, and functions
// of the C library that need _GNU_SOURCE.

#include <malloc.h>
#include <stddef.h>

/// Prefetches the cache line of an address, which need not be valid.
static inline void chints_prefetch(const void *address) { __builtin_prefetch(address); }

void *memmem(const void *text, size_t text_length, const void *piece, size_t piece_length);

/// The first occurrence of a piece in a text, or NULL. Linear in both lengths.
static inline const void *chints_find(const void *text, size_t text_length, const void *piece,
                                      size_t piece_length) {
  return memmem(text, text_length, piece, piece_length);
}

/// Makes the allocator return blocks of 256 KiB and more to the system as soon as they are freed. By
/// default it raises that threshold once such blocks have been freed, and buffers leave gaps.
static inline void chints_give_back_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

/// The number of processors that this process may run on: those of the machine, or fewer in a container or
/// under taskset.
int chints_processors(void);
