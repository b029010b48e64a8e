#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char pincluster_openapi[] = {
#embed "../../openapi.yaml"
};
const size_t pincluster_openapi_size = sizeof(pincluster_openapi);
