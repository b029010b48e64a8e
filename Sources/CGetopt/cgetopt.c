#define _GNU_SOURCE
#include "cgetopt.h"

#include <getopt.h>
#include <string.h>

enum { FIRST = 256, MOST = 64 };

int cgetopt_next(int argc, char **argv, const cgetopt_flag *flags, bool restart,
                 const char **value, int *first_operand) {
  struct option table[MOST + 1];
  int count = 0;
  memset(table, 0, sizeof table);
  for (; flags[count].name != NULL && count < MOST; count++) {
    table[count].name = flags[count].name;
    table[count].has_arg = flags[count].takes_value ? required_argument : no_argument;
    table[count].val = FIRST + count;
  }
  if (restart) optind = 0;
  opterr = 0;
  int found = getopt_long(argc, argv, ":h", table, NULL);
  if (found == -1) {
    *first_operand = optind;
    return CGETOPT_END;
  }
  // The last flag is that for help, which many write as a letter.
  if (found == 'h') found = FIRST + count - 1;
  if (found >= FIRST) {
    *value = optarg != NULL ? optarg : "";
    return found - FIRST;
  }
  int invalid = optind - 1;
  if (found == '?' && optopt >= FIRST) {
    *value = argv[invalid];
    return CGETOPT_SURPLUS_VALUE;
  }
  if (found == '?' && optopt != 0) {
    // A letter: its argument is the one before only if that was its last.
    const char *before = argv[invalid];
    if (before[0] != '-' || strchr(before, optopt) == NULL) invalid = optind;
  }
  *value = invalid > 0 && invalid < argc ? argv[invalid] : "";
  return found == ':' ? CGETOPT_NO_VALUE : CGETOPT_UNKNOWN;
}
