#pragma once
#include <zlib.h>

// What Swift cannot import of zlib: the initialisers, which are macros that add the version and the size of the stream.

// A stream that writes one gzip member: window of 32 KiB, header without name and time.
static inline int sluice_gzip_writer(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// A stream that reads gzip, and nothing else.
static inline int sluice_gzip_reader(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
