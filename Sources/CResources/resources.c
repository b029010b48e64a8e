#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t openapi[] = {
#embed "../../openapi.yaml"
};

const uint8_t *pincluster_openapi(void) { return openapi; }
size_t pincluster_openapi_size(void) { return sizeof(openapi); }
