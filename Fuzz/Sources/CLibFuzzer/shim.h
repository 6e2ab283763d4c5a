#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a library; linked with `-sanitize=fuzzer`. Comes back only with an error in its arguments, or at its end.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
