#pragma once

// Files that are embedded in the binary, so that it is all there is to install.

#include <stddef.h>
#include <stdint.h>

/// The description of the API, openapi.yaml: its first byte and its size.
const uint8_t *pincluster_openapi(void);
size_t pincluster_openapi_size(void);

/// The same in OpenAPI 3.0, as JSON; its first server has the URL "/".
const uint8_t *pincluster_openapi30(void);
size_t pincluster_openapi30_size(void);

/// A file of the folder clients, as it is served.
struct pincluster_file {
  const char *name;
  const char *type;
  const uint8_t *bytes;
  size_t size;
};

/// The files of that folder, and how many there are.
const struct pincluster_file *pincluster_clients(void);
size_t pincluster_clients_count(void);

/// The map page, in which names in double braces stand for what the service fills in.
const uint8_t *pincluster_map_page(void);
size_t pincluster_map_page_size(void);

/// The icon of the pages, as SVG.
const uint8_t *pincluster_favicon(void);
size_t pincluster_favicon_size(void);
