/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_hash.c - see known_hash.h. */
#include <errno.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include "carver/cli/interrupt.h"
#include "carver/hashset/known_hash.h"

static const EVP_MD *known_hasher_type(int kind)
{
    return kind == DIGEST_MD5 ? EVP_md5() : kind == DIGEST_SHA1 ? EVP_sha1() : EVP_sha256();
}

static bool known_hasher_has(const struct known_hasher *hasher, int kind)
{
    return (hasher->kinds >> kind & 1) != 0;
}

static enum err_code known_hasher_failed(int kind, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash with %s; its configuration may forbid it",
                     known_hash_name((enum digest_kind)kind));
}

enum err_code known_hasher_init(struct known_hasher *hasher, uint32_t kinds, struct err *err)
{
    *hasher = (struct known_hasher){ .kinds = kinds };
    for (int i = 0; i < DIGEST_KINDS; i++) {
        if (!known_hasher_has(hasher, i))
            continue;
        hasher->contexts[i] = EVP_MD_CTX_new();
        if (hasher->contexts[i] == NULL) {
            known_hasher_release(hasher);
            return ERR_NO_MEMORY(err, 64);
        }
    }
    return ERR_OK;
}

void known_hasher_release(struct known_hasher *hasher)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        EVP_MD_CTX_free(hasher->contexts[i]);
    *hasher = (struct known_hasher){ 0 };
}

enum err_code known_hasher_begin(struct known_hasher *hasher, struct err *err)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (known_hasher_has(hasher, i) &&
            EVP_DigestInit_ex(hasher->contexts[i], known_hasher_type(i), NULL) != 1)
            return known_hasher_failed(i, err);
    return ERR_OK;
}

enum err_code known_hasher_add(struct known_hasher *hasher, const void *bytes, size_t len,
                               struct err *err)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (known_hasher_has(hasher, i) && EVP_DigestUpdate(hasher->contexts[i], bytes, len) != 1)
            return known_hasher_failed(i, err);
    return ERR_OK;
}

enum err_code known_hasher_end(struct known_hasher *hasher,
                               uint8_t digests[DIGEST_KINDS][DIGEST_MAX], struct err *err)
{
    for (int i = 0; i < DIGEST_KINDS; i++) {
        uint8_t digest[EVP_MAX_MD_SIZE];
        unsigned len = 0;

        if (!known_hasher_has(hasher, i))
            continue;
        if (EVP_DigestFinal_ex(hasher->contexts[i], digest, &len) != 1 ||
            len != digest_len((enum digest_kind)i))
            return known_hasher_failed(i, err);
        memcpy(digests[i], digest, len);
    }
    return ERR_OK;
}

enum err_code known_hasher_file(struct known_hasher *hasher, const char *path, int fd,
                                uint8_t *buffer, size_t buffer_len,
                                uint8_t digests[DIGEST_KINDS][DIGEST_MAX], struct err *err)
{
    enum err_code rc = known_hasher_begin(hasher, err);
    uint64_t at = 0;

    while (rc == ERR_OK) {
        const ssize_t got = read(fd, buffer, buffer_len);

        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: cannot be read at offset %" PRIu64 ": %s", path,
                             at, strerror(errno));
        if (got == 0)
            break;
        rc = known_hasher_add(hasher, buffer, (size_t)got, err);
        at += (uint64_t)got;
    }
    return rc == ERR_OK ? known_hasher_end(hasher, digests, err) : rc;
}
