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

#ifdef __linux__
// From <fcntl.h>, which shows it with _GNU_SOURCE only.
extern int sync_file_range(int descriptor, int64_t offset, int64_t length, unsigned int flags);
#endif

// Lets the kernel begin to bring a part of a file onto the disk, without waiting for it.
static inline void sluice_begin_writing(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
  sync_file_range(descriptor, offset, length, 2 /* SYNC_FILE_RANGE_WRITE */);
#else
  (void)descriptor, (void)offset, (void)length;
#endif
}
