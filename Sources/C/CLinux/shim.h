#pragma once
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// What Swift's Glibc module leaves out. Each call does nothing on systems that have no such thing.

// Takes blocks of up to `largest` bytes from the heap, which keeps up to twice as much free memory at its end.
static inline void sluice_keep_freed_memory(int largest) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, largest);
  mallopt(M_TRIM_THRESHOLD, 2 * largest);
#else
  (void)largest;
#endif
}
