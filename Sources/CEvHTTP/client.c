#include "internal.h"

#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct ceh_client {
  struct event_base *base;
  struct evhttp_connection *evcon;
  struct evhttp_request *request;  ///< being prepared
  char *host;
  ceh_outcome outcome;
  bool done;
  int status;
  char *headers;
  size_t headers_size;
  struct evbuffer *body;
  struct bufferevent *bev;
  SSL *ssl;           ///< NULL without TLS
  bool secured;       ///< the handshake of the last connection is finished
  const char *error;  ///< why TLS failed, if it did
};

// Makes a write to a closed socket an error instead of the end of the process.
static void ignore_broken_pipes(void) {
  struct sigaction now;
  if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

static void failed(enum evhttp_request_error error, void *argument) {
  ceh_client *client = argument;
  client->outcome = error == EVREQ_HTTP_TIMEOUT ? CEH_TIMEOUT : CEH_BROKEN;
}

static void answered(struct evhttp_request *request, void *argument) {
  ceh_client *client = argument;
  client->done = true;
  if (request != NULL && request->response_code != 0) {
    client->outcome = CEH_SENT;
    client->status = request->response_code;
    client->headers_size = ceh_pairs_size(request->input_headers);
    client->headers = malloc(client->headers_size + 1);
    if (client->headers == NULL ||
        evbuffer_add_buffer(client->body, request->input_buffer) < 0)
      client->outcome = CEH_NO_MEMORY;
    else
      ceh_pairs_copy(request->input_headers, client->headers);
  } else if (request != NULL) {
    client->outcome = CEH_UNREACHABLE;
  }
  event_base_loopbreak(client->base);
}

static bool prepare(ceh_client *client) {
  if (client->request != NULL) return true;
  client->request = evhttp_request_new(answered, client);
  if (client->request == NULL) return false;
  evhttp_request_set_error_cb(client->request, failed);
  return evhttp_add_header(client->request->output_headers, "Host", client->host) == 0;
}

static void note_handshake(const SSL *ssl, int where, int result) {
  ceh_client *client = SSL_get_app_data(ssl);
  if (where & SSL_CB_HANDSHAKE_START) client->secured = false;
  if (where & SSL_CB_HANDSHAKE_DONE) client->secured = true;
}

// A connection's certificate must be for the host.
static SSL *secured(ceh_client *client, const char *host, ceh_tls *tls) {
  SSL *ssl = SSL_new(tls);
  if (ssl == NULL) return NULL;
  X509_VERIFY_PARAM *wanted = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  SSL_set_app_data(ssl, client);
  SSL_set_info_callback(ssl, note_handshake);
  bool is_address = X509_VERIFY_PARAM_set1_ip_asc(wanted, host) == 1;
  if (is_address || (SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1))
    return ssl;
  SSL_free(ssl);
  return NULL;
}

static struct bufferevent *new_bufferevent(ceh_client *client, const char *host, ceh_tls *tls) {
  if (tls == NULL) return bufferevent_socket_new(client->base, -1, BEV_OPT_CLOSE_ON_FREE);
  client->ssl = secured(client, host, tls);
  if (client->ssl == NULL) return NULL;
  return bufferevent_openssl_socket_new(client->base, -1, client->ssl, BUFFEREVENT_SSL_CONNECTING,
                                        BEV_OPT_CLOSE_ON_FREE);
}

// Notes the reason of a failure of TLS, if OpenSSL gives one.
static void explain(ceh_client *client) {
  unsigned long error;
  while ((error = bufferevent_get_openssl_error(client->bev)) != 0) {
    bool has_ended = ERR_GET_LIB(error) == ERR_LIB_SSL &&
                     ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    const char *reason = ERR_reason_error_string(error);
    if (client->error == NULL && !has_ended) client->error = reason;
  }
  long verified = SSL_get_verify_result(client->ssl);
  bool verifies = SSL_get_verify_mode(client->ssl) != SSL_VERIFY_NONE;
  if (client->error != NULL && verifies && verified != X509_V_OK)
    client->error = X509_verify_cert_error_string(verified);
  if (client->error != NULL) client->outcome = CEH_INSECURE;
  else if (client->outcome == CEH_BROKEN && !client->secured) client->outcome = CEH_UNREACHABLE;
}

ceh_client *ceh_client_new(const char *host, uint16_t port, ceh_tls *tls) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, ignore_broken_pipes);
  ceh_client *client = calloc(1, sizeof *client);
  if (client == NULL) return NULL;
  client->base = event_base_new();
  client->body = evbuffer_new();
  client->host = strdup(host);
  struct bufferevent *bev = client->base ? new_bufferevent(client, host, tls) : NULL;
  client->bev = bev;
  if (bev != NULL) {
    bufferevent_set_max_single_read(bev, CEH_SINGLE_WRITE);
    bufferevent_set_max_single_write(bev, CEH_SINGLE_WRITE);
    client->evcon =
        evhttp_connection_base_bufferevent_new(client->base, NULL, bev, host, port);
  }
  if (client->evcon == NULL || client->body == NULL || client->host == NULL) {
    ceh_client_free(client);
    return NULL;
  }
  evhttp_connection_set_flags(client->evcon, EVHTTP_CON_READ_ON_WRITE_ERROR);
  return client;
}

void ceh_client_free(ceh_client *client) {
  if (client->request) evhttp_request_free(client->request);
  if (client->evcon) evhttp_connection_free(client->evcon);
  if (client->body) evbuffer_free(client->body);
  if (client->base) event_base_free(client->base);
  free(client->headers);
  free(client->host);
  free(client);
}

bool ceh_client_add_header(ceh_client *client, const char *name, const char *value) {
  if (!prepare(client)) return false;
  if (strcasecmp(name, "Host") == 0) evhttp_remove_header(client->request->output_headers, "Host");
  return strpbrk(value, "\r\n") == NULL &&
         evhttp_add_header(client->request->output_headers, name, value) == 0;
}

ceh_outcome ceh_client_send(ceh_client *client, ceh_method method, const char *target,
                            const void *body, size_t body_size, int timeout_ms) {
  const struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  free(client->headers);
  client->headers = NULL;
  client->headers_size = 0;
  client->status = 0;
  client->done = false;
  client->outcome = CEH_UNREACHABLE;
  client->error = NULL;
  evbuffer_drain(client->body, evbuffer_get_length(client->body));
  if (!prepare(client)) return CEH_NO_MEMORY;
  // Lets evhttp notice that the server has closed the idle connection, so that it opens another.
  event_base_loop(client->base, EVLOOP_NONBLOCK);

  struct evhttp_request *request = client->request;
  client->request = NULL;  // evhttp frees it from now on
  char length[24];
  snprintf(length, sizeof length, "%zu", body_size);
  if (body_size > 0 || method == CEH_POST || method == CEH_PUT || method == CEH_PATCH)
    evhttp_add_header(request->output_headers, "Content-Length", length);
  if (evbuffer_add(request->output_buffer, body, body_size) < 0) {
    evhttp_request_free(request);
    return CEH_NO_MEMORY;
  }
  evhttp_connection_set_timeout_tv(client->evcon, &timeout);
  if (evhttp_make_request(client->evcon, request, ceh_commands[method], target) < 0)
    return CEH_UNREACHABLE;
  while (!client->done && event_base_loop(client->base, EVLOOP_ONCE) == 0) {
  }
  if (client->ssl != NULL && client->outcome != CEH_SENT && client->outcome != CEH_NO_MEMORY)
    explain(client);
  return client->outcome;
}

const char *ceh_client_error(const ceh_client *client) { return client->error; }
int ceh_client_status(const ceh_client *client) { return client->status; }
size_t ceh_client_headers_size(const ceh_client *client) { return client->headers_size; }
void ceh_client_headers_copy(const ceh_client *client, char *destination) {
  if (client->headers_size > 0) memcpy(destination, client->headers, client->headers_size);
}
size_t ceh_client_body_size(const ceh_client *client) {
  return evbuffer_get_length(client->body);
}
void ceh_client_body_copy(ceh_client *client, void *destination) {
  evbuffer_remove(client->body, destination, evbuffer_get_length(client->body));
}
