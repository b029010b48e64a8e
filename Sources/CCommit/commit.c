#include "ccommit.h"

// Package.swift passes the commit that PINCLUSTER_COMMIT names. Without it there is the one that git writes into its
// archives (.gitattributes), or none.
#ifndef PINCLUSTER_COMMIT
#define PINCLUSTER_COMMIT "$Format:%H$"
#endif

const char *ccommit(void) { return PINCLUSTER_COMMIT[0] == '$' ? "" : PINCLUSTER_COMMIT; }
