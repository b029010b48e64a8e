#include "ccrypto.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <string.h>

// The library's memory stays until the process is gone. At exit other threads may still use what its own handler would
// free, and those that end later would leave behind what the library keeps for each thread.
__attribute__((constructor)) static void keep_until_the_end(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

// An EVP_PKEY under a name of our own.
static EVP_PKEY *evp(const ccrypto_key *key) { return (EVP_PKEY *)key; }
static ccrypto_key *owned(EVP_PKEY *key) { return (ccrypto_key *)key; }

static EVP_MD *sha256;
static void fetch_sha256(void) { sha256 = EVP_MD_fetch(NULL, "SHA256", NULL); }

bool ccrypto_sha256(const void *data, size_t size, uint8_t digest[CCRYPTO_SHA256_SIZE]) {
  // To look the algorithm up takes longer than to use it.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fetch_sha256);
  return sha256 && EVP_Digest(data, size, digest, NULL, sha256, NULL) == 1;
}

bool ccrypto_hmac_sha256(const void *key, size_t key_size, const void *data, size_t size,
                         uint8_t code[CCRYPTO_SHA256_SIZE]) {
  if (key_size > INT_MAX) return false;
  return HMAC(EVP_sha256(), key, (int)key_size, data, size, code, NULL) != NULL;
}

bool ccrypto_equal(const void *a, const void *b, size_t size) {
  return CRYPTO_memcmp(a, b, size) == 0;
}

bool ccrypto_random(void *bytes, size_t size) {
  return size <= INT_MAX && RAND_bytes(bytes, (int)size) == 1;
}

// MARK: Keys

ccrypto_key *ccrypto_key_from_pem(const char *text, size_t size, size_t *used) {
  *used = 0;
  if (size > INT_MAX) return NULL;
  BIO *bio = BIO_new_mem_buf(text, (int)size);
  if (!bio) return NULL;
  EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
  if (key) *used = size - (size_t)BIO_pending(bio);
  BIO_free(bio);
  ERR_clear_error();
  return owned(key);
}

bool ccrypto_is_public(const uint8_t *bytes, size_t size) {
  if (size > INT_MAX) return false;
  const uint8_t *at = bytes;
  EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)size);
  at = bytes;
  if (!key) key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, (long)size);
  at = bytes;
  X509 *certificate = key ? NULL : d2i_X509(NULL, &at, (long)size);
  bool is_public = key || certificate;
  EVP_PKEY_free(key);
  X509_free(certificate);
  ERR_clear_error();
  return is_public;
}

/// The key of a type from its parameters, which are freed.
static EVP_PKEY *from_parameters(const char *type, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (context && parameters && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1) {
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (!check || EVP_PKEY_public_check(check) != 1) {
      EVP_PKEY_free(key);
      key = NULL;
    }
    EVP_PKEY_CTX_free(check);
  }
  OSSL_PARAM_free(parameters);
  EVP_PKEY_CTX_free(context);
  ERR_clear_error();
  return key;
}

ccrypto_key *ccrypto_key_from_rsa(const uint8_t *modulus, size_t modulus_size,
                                  const uint8_t *exponent, size_t exponent_size) {
  if (modulus_size > 2048 || exponent_size > 8) return NULL;
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_size, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponent_size, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e))
    parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY *key = from_parameters("RSA", parameters);
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return owned(key);
}

ccrypto_key *ccrypto_key_from_p256(const uint8_t x[32], const uint8_t y[32]) {
  uint8_t point[65] = {POINT_CONVERSION_UNCOMPRESSED};
  memcpy(point + 1, x, 32);
  memcpy(point + 33, y, 32);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (builder &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point))
    parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY *key = from_parameters("EC", parameters);
  OSSL_PARAM_BLD_free(builder);
  return owned(key);
}

ccrypto_key *ccrypto_key_from_ed25519(const uint8_t bytes[32]) {
  EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
  ERR_clear_error();
  return owned(key);
}

void ccrypto_key_free(ccrypto_key *key) { EVP_PKEY_free(evp(key)); }

ccrypto_kind ccrypto_key_kind(const ccrypto_key *key) {
  switch (EVP_PKEY_get_base_id(evp(key))) {
    case EVP_PKEY_RSA: return CCRYPTO_RSA;
    case EVP_PKEY_ED25519: return CCRYPTO_ED25519;
    case EVP_PKEY_EC: {
      char name[32] = "";
      size_t length = 0;
      bool is_known = EVP_PKEY_get_group_name(evp(key), name, sizeof name, &length) == 1;
      return is_known && (!strcmp(name, "prime256v1") || !strcmp(name, "P-256")) ? CCRYPTO_P256
                                                                                 : CCRYPTO_OTHER;
    }
    default: return CCRYPTO_OTHER;
  }
}

int ccrypto_key_bits(const ccrypto_key *key) { return EVP_PKEY_get_bits(evp(key)); }

// MARK: Signatures

/// The DER form of an ECDSA signature of 64 bytes, to be freed with OPENSSL_free(); null without memory.
static uint8_t *der(const uint8_t signature[64], size_t *size) {
  uint8_t *text = NULL;
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
  if (pair && r && s && ECDSA_SIG_set0(pair, r, s)) {
    // The pair owns them now.
    r = s = NULL;
    int length = i2d_ECDSA_SIG(pair, &text);
    *size = length > 0 ? (size_t)length : 0;
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(pair);
  return text;
}

bool ccrypto_verify(const ccrypto_key *key, const void *data, size_t size,
                    const uint8_t *signature, size_t signature_size) {
  ccrypto_kind kind = ccrypto_key_kind(key);
  if (kind == CCRYPTO_OTHER) return false;
  uint8_t *converted = NULL;
  if (kind == CCRYPTO_P256) {
    if (signature_size != 64) return false;
    converted = der(signature, &signature_size);
    if (!converted) return false;
    signature = converted;
  }
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  // RSA is PKCS #1 v1.5 unless told otherwise.
  const EVP_MD *hash = kind == CCRYPTO_ED25519 ? NULL : EVP_sha256();
  bool is_valid = context && EVP_DigestVerifyInit(context, NULL, hash, NULL, evp(key)) == 1 &&
                  EVP_DigestVerify(context, signature, signature_size, data, size) == 1;
  EVP_MD_CTX_free(context);
  OPENSSL_free(converted);
  ERR_clear_error();
  return is_valid;
}
