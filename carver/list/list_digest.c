/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_digest.c - see list_digest.h. */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "carver/cli/interrupt.h"
#include "carver/list/list_digest.h"

enum { LIST_DIGEST_BUFFER = 64 * 1024 }; /* bytes that are hashed together */

struct list_digest {
    EVP_MD_CTX *hash;
    size_t len;
    char buffer[LIST_DIGEST_BUFFER];
};

static enum err_code list_digest_update(struct list_digest *digest, const void *bytes, size_t len,
                                        struct err *err)
{
    if (EVP_DigestUpdate(digest->hash, bytes, len) == 1)
        return ERR_OK;
    return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
}

static enum err_code list_digest_flush(struct list_digest *digest, struct err *err)
{
    const size_t len = digest->len;

    digest->len = 0;
    return list_digest_update(digest, digest->buffer, len, err);
}

static enum err_code list_digest_line(void *arg, const char *line, size_t len, struct err *err)
{
    struct list_digest *digest = arg;
    enum err_code rc = ERR_OK;

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (len > sizeof digest->buffer - digest->len)
        rc = list_digest_flush(digest, err);
    if (rc == ERR_OK && len > sizeof digest->buffer)
        return list_digest_update(digest, line, len, err);
    if (rc == ERR_OK) {
        memcpy(digest->buffer + digest->len, line, len);
        digest->len += len;
    }
    return rc;
}

enum err_code list_digest(struct db_case *db, struct err *err)
{
    struct list_digest digest = { .hash = EVP_MD_CTX_new() };
    uint8_t bytes[EVP_MAX_MD_SIZE];
    char text[2 * EVP_MAX_MD_SIZE];
    unsigned len = 0;
    enum err_code rc = ERR_OK;

    if (digest.hash == NULL)
        return ERR_NO_MEMORY(err, LIST_DIGEST_BUFFER);
    if (EVP_DigestInit_ex(digest.hash, EVP_sha256(), NULL) != 1)
        rc = ERR_RAISE(err, ERR_ENV, "libcrypto has no SHA-256");
    if (rc == ERR_OK)
        rc = db_lines_walk(db, list_digest_line, &digest, err);
    if (rc == ERR_OK)
        rc = list_digest_flush(&digest, err);
    if (rc == ERR_OK && EVP_DigestFinal_ex(digest.hash, bytes, &len) != 1)
        rc = ERR_RAISE(err, ERR_ENV, "libcrypto cannot finish a hash");
    EVP_MD_CTX_free(digest.hash);
    if (rc == ERR_OK) {
        hex_bytes(bytes, len, text);
        printf("%.*s\n", (int)(2 * len), text);
    }
    return rc;
}
