#pragma once

// Files that are embedded in the binary, so that it is all there is to install.

#include <stddef.h>
#include <stdint.h>

/// The description of the API, openapi.yaml: its first byte and its size.
const uint8_t *pincluster_openapi(void);
size_t pincluster_openapi_size(void);
