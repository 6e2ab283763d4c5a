#pragma once
#include <curl/curl.h>

// What Swift cannot import of libcurl: its variadic functions and its macros that cast. One typed wrapper for each type
// of argument; nothing else lives here.

#if LIBCURL_VERSION_NUM < 0x075801
#error "libcurl 7.88.1 or later is needed"
#endif

static inline CURLcode sluice_easy_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sluice_easy_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sluice_easy_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sluice_easy_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sluice_easy_set_headers(CURL *handle, struct curl_slist *value) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, value);
}

// The write, header and read callbacks have one type.
static inline CURLcode sluice_easy_set_data_callback(CURL *handle, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sluice_easy_set_seek_callback(CURL *handle, curl_seek_callback value) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode sluice_easy_set_socket_callback(CURL *handle, curl_sockopt_callback value) {
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode sluice_easy_set_before_request_callback(CURL *handle, curl_prereq_callback value) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode sluice_easy_set_debug_callback(CURL *handle, curl_debug_callback value) {
  return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}

static inline CURLMcode sluice_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLcode sluice_easy_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode sluice_easy_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
