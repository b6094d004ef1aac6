// What the benchmarks compare with: public C and C++ libraries behind a C interface.
#pragma once
#include "NeutralServer.h"
