#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t openapi[] = {
#embed "../../openapi.yaml"
};

static const uint8_t openapi30[] = {
#embed "../../api/openapi30.json"
};

static const uint8_t favicon[] = {
#embed "favicon.svg"
};

const uint8_t *pincluster_openapi(void) { return openapi; }
size_t pincluster_openapi_size(void) { return sizeof(openapi); }

const uint8_t *pincluster_openapi30(void) { return openapi30; }
size_t pincluster_openapi30_size(void) { return sizeof(openapi30); }

const uint8_t *pincluster_favicon(void) { return favicon; }
size_t pincluster_favicon_size(void) { return sizeof(favicon); }
