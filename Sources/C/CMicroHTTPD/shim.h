#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Variadic functions, macros and some enums of libmicrohttpd are not importable: typed wrappers.

static inline enum MHD_Result sluice_mhd_yes(void) { return MHD_YES; }
static inline enum MHD_Result sluice_mhd_no(void) { return MHD_NO; }

static inline bool sluice_mhd_is_new(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/// What a server is started with. Callbacks get `context` as their first argument.
struct sluice_mhd_options {
  uint16_t port;  // 0: any
  size_t connection_memory;
  unsigned int idle_seconds;
  void *context;
  MHD_AccessHandlerCallback access;
  void *(*begin)(void *context, const char *uri, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
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
      MHD_OPTION_NOTIFY_CONNECTION, options->connection, options->context, MHD_OPTION_UNESCAPE_CALLBACK, sluice_mhd_keep_escapes,
      NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory, MHD_OPTION_CONNECTION_TIMEOUT,
      options->idle_seconds, MHD_OPTION_END);
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

/// The socket of a connection; -1 where it is not known.
static inline int sluice_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

/// What the connection callback put into a connection's context, as a number.
static inline size_t sluice_mhd_connection_number(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? 0 : (size_t)info->socket_context;
}

/// Sends what there is room for, without waiting and without SIGPIPE. Negative with errno where that fails.
static inline ssize_t sluice_mhd_send(int descriptor, const void *bytes, size_t count) {
#ifdef __APPLE__
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  return send(descriptor, bytes, count, MSG_DONTWAIT);
#else
  return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
#endif
}

/// Whether the other side has closed or broken the connection. What it sent and nobody read yet stays.
static inline bool sluice_mhd_peer_has_left(int descriptor) {
  char byte;
  ssize_t count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

/// Breaks a connection: the other side gets a reset. libmicrohttpd shuts a socket down before it closes it, so that
/// lingering alone would not do; on Linux, an empty address is what resets at once (connect(2)).
static inline void sluice_mhd_reset(int descriptor) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
#ifdef __linux__
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  connect(descriptor, &nobody, sizeof nobody);
#endif
}
