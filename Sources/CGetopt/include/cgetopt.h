#pragma once

// getopt_long(3) for Swift, which cannot use its global variables.

#include <stdbool.h>

/// The results of cgetopt_next() other than the index of a flag.
enum { CGETOPT_END = -1, CGETOPT_UNKNOWN = -2, CGETOPT_NO_VALUE = -3, CGETOPT_SURPLUS_VALUE = -4 };

typedef struct {
  const char *name;
  bool takes_value;
} cgetopt_flag;

/// The index in `flags` (ended by a null name) of the next long flag in argv[1...]; -h stands for the last of
/// them. `*value` is its value, or the invalid argument. At the end, the operands are in argv from
/// `*first_operand` on. `restart` begins with the first argument. Not thread-safe.
int cgetopt_next(int argc, char **argv, const cgetopt_flag *flags, bool restart,
                 const char **value, int *first_operand);
