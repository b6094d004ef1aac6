// A small C face on toml++ (MIT): values arrive one by one with their position. No C++ exception crosses this border.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int crl_toml_placeholder(void);
#ifdef __cplusplus
}
#endif
