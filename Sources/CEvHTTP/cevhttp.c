#include "cevhttp.h"
