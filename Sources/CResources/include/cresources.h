#pragma once

// Files that the binary carries, so that one file is all there is to install.

#include <stddef.h>
#include <stdint.h>

/// The API's description, openapi.yaml: its first byte, and how many there are.
const uint8_t *pincluster_openapi(void);
size_t pincluster_openapi_size(void);
