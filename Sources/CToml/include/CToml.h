// A small C face on toml++ (MIT): values arrive one by one with their position, tables sorted by key.
//
// Ownership: every pointer is valid only during the callback. Threads: any; the parser keeps no state between calls.
// Errors: no C++ exception crosses this border; what goes wrong comes back as a value.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
    CRL_TOML_TABLE_BEGIN = 1,
    CRL_TOML_TABLE_END = 2,
    CRL_TOML_ARRAY_BEGIN = 3,
    CRL_TOML_ARRAY_END = 4,
    CRL_TOML_STRING = 5,
    CRL_TOML_INTEGER = 6,
    CRL_TOML_FLOAT = 7,
    CRL_TOML_BOOLEAN = 8,
    CRL_TOML_DATE = 9,
};

// One step through the document. `key` is empty for array elements and for the root table.
typedef struct crl_toml_event {
    int32_t kind;
    uint32_t key_line, key_column;
    uint32_t line, column;
    const char *key;
    size_t key_length;
    const char *text;  // CRL_TOML_STRING only
    size_t text_length;
    int64_t integer;  // CRL_TOML_INTEGER, and 0 or 1 for CRL_TOML_BOOLEAN
    double number;    // CRL_TOML_FLOAT only
} crl_toml_event;

// A syntax error. The message is UTF-8, cut at 255 bytes, and ends with a zero byte.
typedef struct crl_toml_error {
    uint32_t line, column;
    char message[256];
} crl_toml_error;

typedef void (*crl_toml_visit)(void *context, const crl_toml_event *event);

// Parses `length` bytes and walks the document. Returns 0, or -1 with `error` filled and no event sent.
int crl_toml_parse(const char *text, size_t length, crl_toml_visit visit, void *context, crl_toml_error *error);

#ifdef __cplusplus
}
#endif
