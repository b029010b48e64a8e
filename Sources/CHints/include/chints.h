#pragma once

// What Swift has no words for: hints to the processor and the allocator, and a function of the C
// library that its headers keep to those who ask for GNU extensions before including the first of
// them.

#include <malloc.h>
#include <stddef.h>

/// Asks for the cache line at an address, which may be any address at all.
static inline void chints_prefetch(const void *address) { __builtin_prefetch(address); }

void *memmem(const void *text, size_t text_length, const void *piece, size_t piece_length);

/// Where a piece first lies in a text, or NULL. Linear in both lengths.
static inline const void *chints_find(const void *text, size_t text_length, const void *piece,
                                      size_t piece_length) {
  return memmem(text, text_length, piece, piece_length);
}

/// Asks that blocks from 256 KiB on go back to the system as soon as they are freed. By default the
/// allocator keeps them once it has seen some, and buffers that come and go leave gaps.
static inline void chints_give_back_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

/// How many processors this process may run on: those of the machine, or fewer in a container or under
/// taskset.
int chints_processors(void);
