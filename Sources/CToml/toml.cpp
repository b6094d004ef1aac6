#include "CToml.h"
extern "C" int crl_toml_placeholder(void) { return 0; }
