#pragma once

// A target of its own, so that a commit compiles nothing else anew.

/// The commit of the sources, with "-dirty" where they differ from it; empty if the build wasn't told.
const char *_Nonnull ccommit(void);
