#ifndef PINCLUSTER_CCURL_SHIM_H
#define PINCLUSTER_CCURL_SHIM_H

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift can't import. The first returns an error for an
// option that this library doesn't know, or without memory.

static inline CURLcode ccurl_set_number(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode ccurl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode ccurl_set_taker(CURL *curl, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(curl, option, value);
}

/// The status of the last response.
static inline long ccurl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

#endif
