#include "CBaseline.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

extern "C" int32_t crl_rapidjson_validate(const uint8_t *bytes, size_t count) {
    rapidjson::MemoryStream stream(reinterpret_cast<const char *>(bytes), count);
    rapidjson::Reader reader;
    rapidjson::BaseReaderHandler<> handler;
    return reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, handler) ? 1 : 0;
}
