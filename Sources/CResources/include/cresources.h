#pragma once

// Files that the binary carries, so that one file is all there is to install.

#include <stddef.h>

/// The API's description, openapi.yaml.
extern const unsigned char pincluster_openapi[];
extern const size_t pincluster_openapi_size;
