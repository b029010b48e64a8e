#ifndef PINCLUSTER_CLIBPQ_SHIM_H
#define PINCLUSTER_CLIBPQ_SHIM_H

#include <libpq-fe.h>

#endif
