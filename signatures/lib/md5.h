/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/md5.h - the MD5 of bytes that a validator is given piece by piece.
 *
 * Source: RFC 1321. The state is plain memory, as that of a validator has to be (sig.h): that of a
 * library lies on a heap.
 */
#ifndef BURIN_SIGNATURES_LIB_MD5_H
#define BURIN_SIGNATURES_LIB_MD5_H

#include <stdint.h>

enum { MD5_LEN = 16, MD5_BLOCK = 64 };

struct md5 {
    uint32_t words[4];
    uint64_t len; /* bytes so far */
    uint8_t block[MD5_BLOCK];
};

void md5_begin(struct md5 *md5);
void md5_add(struct md5 *md5, const uint8_t *bytes, uint32_t len);
/* The sum of all that was added. It cannot go on behind it; a copy can. */
void md5_end(struct md5 *md5, uint8_t sum[MD5_LEN]);

#endif
