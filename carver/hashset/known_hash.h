/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_hash.h - hashes of files and of anything that comes piece by piece, several
 * kinds at once. */
#ifndef BURIN_CARVER_HASHSET_KNOWN_HASH_H
#define BURIN_CARVER_HASHSET_KNOWN_HASH_H

#include "carver/hashset/known.h"

/* Which kinds: bit 1u << DIGEST_MD5 and so on. */
struct known_hasher {
    uint32_t kinds;
    void *contexts[DIGEST_KINDS]; /* libcrypto's */
};

ERR_MUST_CHECK enum err_code known_hasher_init(struct known_hasher *hasher, uint32_t kinds,
                                               struct err *err);
void known_hasher_release(struct known_hasher *hasher); /* of a zeroed one: a no-op */

ERR_MUST_CHECK enum err_code known_hasher_begin(struct known_hasher *hasher, struct err *err);
ERR_MUST_CHECK enum err_code known_hasher_add(struct known_hasher *hasher, const void *bytes,
                                              size_t len, struct err *err);
ERR_MUST_CHECK enum err_code known_hasher_end(struct known_hasher *hasher,
                                              uint8_t digests[DIGEST_KINDS][DIGEST_MAX],
                                              struct err *err);

/* All of fd from where it stands, through buffer. ERR_INPUT: it cannot be read, with path and
 * place. */
ERR_MUST_CHECK enum err_code known_hasher_file(struct known_hasher *hasher, const char *path,
                                               int fd, uint8_t *buffer, size_t buffer_len,
                                               uint8_t digests[DIGEST_KINDS][DIGEST_MAX],
                                               struct err *err);

#endif
