#include "chints.h"
