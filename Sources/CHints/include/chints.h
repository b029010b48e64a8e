#pragma once

// Functions that Swift cannot express or import: hints to the processor and the allocator, and functions
// of the C library that need _GNU_SOURCE.

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

/// Prefetches the cache line of an address, which need not be valid.
static inline void chints_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }

void *_Nullable memmem(const void *_Nullable text, size_t text_length, const void *_Nullable piece,
                       size_t piece_length);

/// The first occurrence of a piece in a text, or NULL. Linear in both lengths.
static inline const void *_Nullable chints_find(const void *_Nullable text, size_t text_length,
                                                const void *_Nullable piece, size_t piece_length) {
  return memmem(text, text_length, piece, piece_length);
}

/// Makes the allocator return blocks of 256 KiB and more to the system as soon as they are freed. By
/// default it raises that threshold once such blocks have been freed, and buffers leave gaps.
static inline void chints_give_back_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

/// Lets the allocator set a quarter of the address space aside, where that is limited (ulimit -v), rather than
/// 64 MiB for each of up to eight threads a processor, so that there is room for the threads themselves.
void chints_limit_arenas(void);

/// Gives memory that was freed back to the system, if the process has more than some bytes beyond what it had
/// after the last time. May take some milliseconds, in which other threads wait for memory.
void chints_give_back_memory(size_t much);

/// The state of a thread's present work; see Cancellation.swift.
struct chints_work {
  /// The work until the next look whether it must stop, in units of about a nanosecond.
  long left;
  /// Whether it must stop.
  bool is_over;
  /// The cancellation that it is bound to, and whether this thread only helps another; NULL if none.
  const void *_Nullable cancellation;
  bool is_helper;
  /// Without a cancellation: the processor time that it may take, in nanoseconds, 0 if it has no limit; and the
  /// thread's processor time at its beginning, 0 until the first look.
  unsigned long limit;
  unsigned long start;
};

extern _Thread_local struct chints_work chints_this_work;

/// The work of the calling thread.
static inline struct chints_work *_Nonnull chints_current_work(void) { return &chints_this_work; }

/// The number of processors that this process may run on: those of the machine, or fewer in a container or
/// under taskset.
int chints_processors(void);

/// Writes what was printed. False if some of it could not be written, also earlier.
bool chints_flush_output(void);
