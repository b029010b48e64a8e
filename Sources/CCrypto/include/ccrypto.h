#pragma once

// The part of OpenSSL's libcrypto that keys and tokens need: hashes, comparisons in constant time, random bytes, and
// signatures. All functions can be called on any thread.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The size of a SHA-256, in bytes.
enum { CCRYPTO_SHA256_SIZE = 32 };

/// The SHA-256 of some bytes. False if libcrypto fails, as without memory.
bool ccrypto_sha256(const void *data, size_t size, uint8_t digest[CCRYPTO_SHA256_SIZE]);

/// The HMAC of some bytes with SHA-256 (RFC 2104). False if libcrypto fails.
bool ccrypto_hmac_sha256(const void *key, size_t key_size, const void *data, size_t size,
                         uint8_t code[CCRYPTO_SHA256_SIZE]);

/// Whether bytes are equal, in a time that depends on their number only.
bool ccrypto_equal(const void *a, const void *b, size_t size);

/// Fills memory with random bytes. False if there are none.
bool ccrypto_random(void *bytes, size_t size);

/// The kind of a public key.
typedef enum { CCRYPTO_OTHER, CCRYPTO_RSA, CCRYPTO_P256, CCRYPTO_ED25519 } ccrypto_kind;

/// A public key.
typedef struct ccrypto_key ccrypto_key;

/// The first public key of a PEM text, and where the text goes on behind it. Null if there is no further one, or if
/// what is there isn't one; then `*used` is 0.
ccrypto_key *ccrypto_key_from_pem(const char *text, size_t size, size_t *used);

/// The key of an RSA modulus and exponent, both big-endian. Null if there is none.
ccrypto_key *ccrypto_key_from_rsa(const uint8_t *modulus, size_t modulus_size,
                                  const uint8_t *exponent, size_t exponent_size);

/// The key of a point on the curve P-256, 32 bytes each. Null if the point isn't on the curve.
ccrypto_key *ccrypto_key_from_p256(const uint8_t x[32], const uint8_t y[32]);

/// The Ed25519 key of 32 bytes. Null if there is none.
ccrypto_key *ccrypto_key_from_ed25519(const uint8_t bytes[32]);

/// Whether bytes begin with a public key or a certificate in DER.
bool ccrypto_is_public(const uint8_t *bytes, size_t size);

void ccrypto_key_free(ccrypto_key *key);

ccrypto_kind ccrypto_key_kind(const ccrypto_key *key);

/// The size of a key in bits, such as 2048.
int ccrypto_key_bits(const ccrypto_key *key);

/// Whether a signature of some bytes is that of a key: RSASSA-PKCS1-v1_5 with SHA-256 for RSA, ECDSA with SHA-256 for
/// P-256 (64 bytes, r and s), Ed25519; RFC 7518 and RFC 8037.
bool ccrypto_verify(const ccrypto_key *key, const void *data, size_t size,
                    const uint8_t *signature, size_t signature_size);
