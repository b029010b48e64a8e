#pragma once

// Hints to the processor that Swift has no words for.

/// Asks for the cache line at an address, which may be any address at all.
static inline void chints_prefetch(const void *address) { __builtin_prefetch(address); }
