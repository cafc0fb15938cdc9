/* SPDX-License-Identifier: Apache-2.0
 * db/sha256.c - see sha256.h. */
#include <openssl/evp.h>

#include "base/hex.h"
#include "db/sha256.h"

enum err_code db_sha256(const void *bytes, size_t len, char out[DB_SHA256_HEX + 1], struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;

    if (EVP_Digest(bytes, len, digest, &digest_len, EVP_sha256(), NULL) != 1 ||
        2 * digest_len != DB_SHA256_HEX)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    hex_bytes(digest, digest_len, out);
    out[DB_SHA256_HEX] = '\0';
    return ERR_OK;
}
