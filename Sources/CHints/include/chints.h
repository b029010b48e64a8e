#pragma once

// What Swift has no words for: hints to the processor, and a function of the C library that its
// headers keep to those who ask for GNU extensions before including the first of them.

#include <stddef.h>

/// Asks for the cache line at an address, which may be any address at all.
static inline void chints_prefetch(const void *address) { __builtin_prefetch(address); }

void *memmem(const void *text, size_t text_length, const void *piece, size_t piece_length);

/// Where a piece first lies in a text, or NULL. Linear in both lengths.
static inline const void *chints_find(const void *text, size_t text_length, const void *piece,
                                      size_t piece_length) {
  return memmem(text, text_length, piece, piece_length);
}
