// SQLite 3.40 (public domain). Threads: opened NOMUTEX, one connection per thread.
// Ownership: statements are finalised before their connection closes.
#pragma once
#include <sqlite3.h>

// The destructor sentinels are cast macros that Swift cannot import.
static const sqlite3_destructor_type crl_sqlite_static = SQLITE_STATIC;
static const sqlite3_destructor_type crl_sqlite_transient = SQLITE_TRANSIENT;
