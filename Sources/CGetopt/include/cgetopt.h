#pragma once

// getopt_long(3) for Swift, which can't touch its global variables.

#include <stdbool.h>

/// What cgetopt_next() returns beside the index of a flag.
enum { CGETOPT_END = -1, CGETOPT_UNKNOWN = -2, CGETOPT_NO_VALUE = -3 };

typedef struct {
  const char *name;
  bool takes_value;
} cgetopt_flag;

/// The index of the next long flag in argv[1...], of which `flags` (ended by a null name) lists
/// what there is. `*value` is its value, or the argument that is wrong. At the end the operands
/// stand in argv from `*first_operand` on. `restart` begins anew. Not thread-safe.
int cgetopt_next(int argc, char **argv, const cgetopt_flag *flags, bool restart,
                 const char **value, int *first_operand);
