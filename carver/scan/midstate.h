/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/midstate.h - MD5, SHA-1 and SHA-256 whose state can be copied, kept and taken up
 * again.
 *
 * OpenSSL's EVP interface gives no state out. Its older interface does; OpenSSL calls it deprecated
 * since 3.0, so it is used in midstate.c alone, which midstate_self_test compares with EVP.
 *
 * Source: RFC 1321 (MD5), FIPS 180-4 (SHA-1, SHA-256). All three take 64 bytes at a time, so behind
 * a multiple of 64 bytes the chaining words and the number of bytes are all there is to keep.
 *
 * Threads: one at a time for each struct.
 */
#ifndef BURIN_CARVER_SCAN_MIDSTATE_H
#define BURIN_CARVER_SCAN_MIDSTATE_H

#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "match/digest.h"

enum {
    MIDSTATE_ALIGN = 64,                         /* bytes; see midstate_save */
    MIDSTATE_TEXT = 2 * SHA256_DIGEST_LENGTH + 1 /* of a digest in hex digits, the NUL included */
};

/* Copied freely. */
struct midstate {
    enum digest_kind kind;
    union {
        MD5_CTX md5;
        SHA_CTX sha1;
        SHA256_CTX sha256;
    };
};

/* "md5", "sha1", "sha256"; static text. */
const char *midstate_name(enum digest_kind kind);

void midstate_begin(struct midstate *state, enum digest_kind kind);
void midstate_add(struct midstate *state, const void *bytes, size_t len);
/* Ends it: text becomes the digest in lower-case hex digits. */
void midstate_end(struct midstate *state, char text[MIDSTATE_TEXT]);

/*
 * Writes down a state, and brings it back. bytes: that it has taken, a multiple of MIDSTATE_ALIGN.
 * Words that cannot be are in in->failed.
 */
void midstate_save(const struct midstate *state, struct pack *out);
void midstate_restore(struct midstate *state, enum digest_kind kind, uint64_t bytes,
                      struct unpack *in);

/*
 * Whether each kind gives the digest that EVP gives, in one go and behind midstate_save and
 * midstate_restore. Errors: ERR_ENV: libcrypto cannot do that.
 */
ERR_MUST_CHECK enum err_code midstate_self_test(struct err *err);

#endif
