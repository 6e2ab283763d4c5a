#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

// Variadic functions, macros and some enums of libmicrohttpd are not importable: typed wrappers.

static inline enum MHD_Result sluice_mhd_yes(void) { return MHD_YES; }
static inline enum MHD_Result sluice_mhd_no(void) { return MHD_NO; }

/// What a server is started with. Callbacks get `context` as their first argument.
struct sluice_mhd_options {
  uint16_t port;  // 0: any
  size_t connection_memory;
  unsigned int idle_seconds;
  void *context;
  MHD_AccessHandlerCallback access;
  void *(*begin)(void *context, const char *uri, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
};

static inline size_t sluice_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/// Starts a server on 127.0.0.1 with one thread of its own. NULL where that fails; errno says why.
static inline struct MHD_Daemon *sluice_mhd_start(const struct sluice_mhd_options *options) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(options->port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, options->port, NULL, NULL, options->access,
      options->context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_URI_LOG_CALLBACK, options->begin,
      options->context, MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
      MHD_OPTION_UNESCAPE_CALLBACK, sluice_mhd_keep_escapes, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      options->connection_memory, MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds, MHD_OPTION_END);
}

/// The port a server listens on; 0 where it is not known.
static inline uint16_t sluice_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

/// A header of a request, NULL where it is absent.
static inline const char *sluice_mhd_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// A response over a copy of these bytes.
static inline struct MHD_Response *sluice_mhd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct sluice_mhd_part {
  size_t count;
  char bytes[];
};

static inline ssize_t sluice_mhd_read_part(void *context, uint64_t position, char *buffer, size_t capacity) {
  const struct sluice_mhd_part *part = context;
  if (position >= part->count) return MHD_CONTENT_READER_END_WITH_ERROR;
  size_t count = part->count - (size_t)position;
  if (count > capacity) count = capacity;
  memcpy(buffer, part->bytes + position, count);
  return (ssize_t)count;
}

/// A response that promises `promised` bytes and closes the connection after these fewer ones.
static inline struct MHD_Response *sluice_mhd_cut_response(const void *bytes, size_t count, uint64_t promised) {
  struct sluice_mhd_part *part = malloc(sizeof *part + count);
  if (part == NULL) return NULL;
  part->count = count;
  memcpy(part->bytes, bytes, count);
  return MHD_create_response_from_callback(promised, 64 * 1024, sluice_mhd_read_part, part, free);
}
