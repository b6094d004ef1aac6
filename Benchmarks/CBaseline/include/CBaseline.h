// What the benchmarks compare with: public C and C++ libraries behind a C interface.
#pragma once
#include "NeutralServer.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a JSON document with rapidjson's SAX reader, UTF-8 validation on. 1 when it is well-formed, else 0.
int32_t crl_rapidjson_validate(const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif
