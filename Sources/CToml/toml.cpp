#include "CToml.h"

// The parser itself lives in libtomlplusplus.so; header-only use would cost four seconds in every build.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include <cstring>
#include <string_view>

namespace {

struct Walker {
    crl_toml_visit visit;
    void *context;

    void send(crl_toml_event &event) const { visit(context, &event); }

    static crl_toml_event describe(int kind, const toml::key *key, const toml::node &node) {
        crl_toml_event event{};
        event.kind = kind;
        event.key = "";
        event.text = "";
        if (key) {
            event.key = key->str().data();
            event.key_length = key->str().size();
            event.key_line = key->source().begin.line;
            event.key_column = key->source().begin.column;
        }
        event.line = node.source().begin.line;
        event.column = node.source().begin.column;
        return event;
    }

    void walk(const toml::key *key, const toml::node &node) const {
        if (const auto *table = node.as_table()) return walkTable(key, *table);
        if (const auto *array = node.as_array()) return walkArray(key, *array);
        auto event = describe(CRL_TOML_DATE, key, node);
        if (const auto *text = node.as_string()) {
            event.kind = CRL_TOML_STRING;
            event.text = text->get().data();
            event.text_length = text->get().size();
        } else if (const auto *integer = node.as_integer()) {
            event.kind = CRL_TOML_INTEGER;
            event.integer = integer->get();
        } else if (const auto *number = node.as_floating_point()) {
            event.kind = CRL_TOML_FLOAT;
            event.number = number->get();
        } else if (const auto *boolean = node.as_boolean()) {
            event.kind = CRL_TOML_BOOLEAN;
            event.integer = boolean->get() ? 1 : 0;
        }
        send(event);
    }

    void walkTable(const toml::key *key, const toml::table &table) const {
        auto begin = describe(CRL_TOML_TABLE_BEGIN, key, table);
        send(begin);
        for (const auto &[name, value] : table) walk(&name, value);
        auto end = describe(CRL_TOML_TABLE_END, key, table);
        send(end);
    }

    void walkArray(const toml::key *key, const toml::array &array) const {
        auto begin = describe(CRL_TOML_ARRAY_BEGIN, key, array);
        send(begin);
        for (const auto &value : array) walk(nullptr, value);
        auto end = describe(CRL_TOML_ARRAY_END, key, array);
        send(end);
    }
};

void fill(crl_toml_error *error, std::string_view message, uint32_t line, uint32_t column) {
    error->line = line;
    error->column = column;
    const size_t length = message.size() < sizeof error->message ? message.size() : sizeof error->message - 1;
    std::memcpy(error->message, message.data(), length);
    error->message[length] = 0;
}

}  // namespace

extern "C" int crl_toml_parse(
    const char *text, size_t length, crl_toml_visit visit, void *context, crl_toml_error *error) {
    try {
        const toml::table document = toml::parse(std::string_view(text, length));
        Walker{visit, context}.walk(nullptr, document);
        return 0;
    } catch (const toml::parse_error &problem) {
        const auto &begin = problem.source().begin;
        fill(error, problem.description(), begin.line, begin.column);
    } catch (const std::exception &problem) {
        fill(error, problem.what(), 0, 0);
    } catch (...) {
        fill(error, "unknown failure in the TOML parser", 0, 0);
    }
    return -1;
}
