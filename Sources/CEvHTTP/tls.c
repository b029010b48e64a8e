#include "internal.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Contexts of TLS, by what Mozilla calls "intermediate": TLS 1.2 with ephemeral keys and authenticated encryption,
// and TLS 1.3. Without finite-field Diffie-Hellman, which costs the server much more than a client. Keys of 128 bits come first,
// as AES takes less time with them than with 256, and ChaCha20 if a client prefers that, as those do that have no instructions
// for AES.

static const char suites[] = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
static const char ciphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

/// The most bytes of a chain of certificates that a client may send.
enum { MOST_CHAIN = 16 << 10 };

const char *ceh_tls_error(void) {
  unsigned long error = ERR_peek_last_error();
  const char *reason = error == 0 ? NULL : ERR_reason_error_string(error);
  if (error != 0 && ERR_SYSTEM_ERROR(error)) return strerror(ERR_GET_REASON(error));
  return reason != NULL ? reason : "the connection was lost";
}

// The protocol of all connections; others are refused.
static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *chosen_size,
                           const unsigned char *offered, unsigned size, void *argument) {
  static const unsigned char own[] = "\x08http/1.1";
  unsigned char *found = NULL;
  if (SSL_select_next_proto(&found, chosen_size, own, sizeof own - 1, offered, size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

// A key with a password can't be read, rather than asked for on a terminal.
static int no_password(char *buffer, int size, int is_writing, void *argument) { return -1; }

static bool configure_server(SSL_CTX *tls) {
  SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                               SSL_OP_PRIORITIZE_CHACHA);
  // A reply's record is as large as can be, so that one write must not stand for all.
  SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Messages that carry no data, such as updates of keys, are read one at a time, not all before anything else.
  SSL_CTX_clear_mode(tls, SSL_MODE_AUTO_RETRY);
  // Clients keep sessions, as tickets.
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(tls, 1);
  SSL_CTX_set_max_cert_list(tls, MOST_CHAIN);
  SSL_CTX_set_alpn_select_cb(tls, choose_protocol, NULL);
  static const unsigned char name[] = "pincluster";
  return SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_ciphersuites(tls, suites) == 1 && SSL_CTX_set_cipher_list(tls, ciphers) == 1 &&
         SSL_CTX_set1_groups_list(tls, "X25519:P-256:P-384") == 1 &&
         SSL_CTX_set_session_id_context(tls, name, sizeof name - 1) == 1;
}

static bool failed(SSL_CTX *tls, ceh_tls_failure *failure, ceh_tls_file file, const char *reason) {
  failure->file = file;
  snprintf(failure->reason, sizeof failure->reason, "%s", reason);
  ERR_clear_error();
  SSL_CTX_free(tls);
  return false;
}

// The error of a file, as OpenSSL reports it. For a file without anything of the kind, its messages are many and
// say less than `otherwise`.
static const char *file_error(const char *otherwise) {
  unsigned long error;
  const char *found = NULL;
  while ((error = ERR_get_error()) != 0) {
    int library = ERR_GET_LIB(error), reason = ERR_GET_REASON(error);
    if (ERR_SYSTEM_ERROR(error)) return strerror(reason);
    if (library == ERR_LIB_PEM && reason == PEM_R_BAD_PASSWORD_READ) return "it needs a password";
    bool is_known = library == ERR_LIB_SSL && (reason == SSL_R_EE_KEY_TOO_SMALL ||
                                               reason == SSL_R_CA_MD_TOO_WEAK);
    if (is_known) found = ERR_reason_error_string(error);
  }
  return found != NULL ? found : otherwise;
}

static bool require_certificates(SSL_CTX *tls, const char *authorities) {
  STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(authorities);
  if (names == NULL || SSL_CTX_load_verify_locations(tls, authorities, NULL) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return false;
  }
  SSL_CTX_set_client_CA_list(tls, names);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  return true;
}

// Tickets of the same keys are good at all instances, and after a restart. Returns false, and frees the context, if
// something is wrong.
static bool use_tickets(SSL_CTX *tls, const char *path, ceh_tls_failure *failure) {
  enum { SIZE = 80 };  // a name, and keys for HMAC and AES
  unsigned char keys[SIZE + 1];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return failed(tls, failure, CEH_TICKETS, strerror(errno));
  setbuf(file, NULL);  // so that nothing else holds the keys
  size_t size = fread(keys, 1, sizeof keys, file);
  fclose(file);
  bool is_used = size == SIZE && SSL_CTX_set_tlsext_ticket_keys(tls, keys, SIZE) == 1;
  OPENSSL_cleanse(keys, sizeof keys);
  return is_used || failed(tls, failure, CEH_TICKETS, "it must have 80 bytes");
}

// Returns false, and frees the context, if something is wrong.
static bool use_pair(SSL_CTX *tls, const char *certificate, const char *key,
                     ceh_tls_failure *failure) {
  static const char none[] = "it holds no certificate in PEM";
  SSL_CTX_set_default_passwd_cb(tls, no_password);
  if (SSL_CTX_use_certificate_chain_file(tls, certificate) != 1)
    return failed(tls, failure, CEH_CERTIFICATE, file_error(none));
  ERR_clear_error();
  bool is_read = SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) == 1;
  if (!is_read && ERR_GET_LIB(ERR_peek_last_error()) != ERR_LIB_X509)
    return failed(tls, failure, CEH_KEY, file_error("it holds no key in PEM"));
  if (!is_read || SSL_CTX_check_private_key(tls) != 1)
    return failed(tls, failure, CEH_PAIR, "the certificate is for another key");
  return true;
}

ceh_tls *ceh_tls_server(const char *certificate, const char *key, const char *client_authorities,
                        const char *tickets, ceh_tls_failure *failure) {
  ERR_clear_error();
  SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
  if (tls == NULL || !configure_server(tls)) {
    failed(tls, failure, CEH_PAIR, ceh_tls_error());
    return NULL;
  }
  if (!use_pair(tls, certificate, key, failure)) return NULL;
  if (tickets != NULL && !use_tickets(tls, tickets, failure)) return NULL;
  if (client_authorities != NULL && !require_certificates(tls, client_authorities)) {
    failed(tls, failure, CEH_AUTHORITIES, file_error("it holds no certificate in PEM"));
    return NULL;
  }
  ERR_clear_error();
  return tls;
}

void ceh_tls_free(ceh_tls *tls) { SSL_CTX_free(tls); }

int64_t ceh_tls_expiry(const ceh_tls *tls) {
  struct tm end = {0};
  const X509 *certificate = SSL_CTX_get0_certificate(tls);
  if (certificate == NULL || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return 0;
  return timegm(&end);
}
