/* SPDX-License-Identifier: Apache-2.0
 * match/digest.h - MD5, SHA-1 and SHA-256 of many blocks of one length, several blocks at a time.
 *
 * Each step of a hash depends on the step before, so one text cannot be hashed faster than one
 * chain of steps. The blocks of a disk are many texts: a vector holds one step of several chains,
 * 16 with AVX-512, 8 with AVX2, 4 elsewhere. For whole files use libcrypto. Any thread may call any
 * function.
 */
#ifndef BURIN_MATCH_DIGEST_H
#define BURIN_MATCH_DIGEST_H

#include <stdint.h>
#include <string.h>

enum digest_kind { DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256, DIGEST_KINDS };

enum {
    DIGEST_MAX = 32,       /* bytes of the longest hash */
    DIGEST_LANES_MAX = 16, /* most blocks that are hashed at a time */
    DIGEST_STEP = 64,      /* bytes; the length of a block is a multiple of it */
};

/* Bytes of a hash. */
static inline uint32_t digest_len(enum digest_kind kind)
{
    return kind == DIGEST_MD5 ? 16 : kind == DIGEST_SHA1 ? 20 : 32;
}

/* The initial state of each hash: RFC 1321, 3.3; FIPS 180-4, 5.3. */
static const uint32_t digest_begin[DIGEST_KINDS][8] = {
    { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 },
    { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 },
    { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
      0x5be0cd19 },
};

/*
 * Hashes count blocks. out gets count * digest_len(kind) bytes. block_len: bytes of each block, a
 * multiple of DIGEST_STEP below 2^29.
 */
void digest_blocks(enum digest_kind kind, const uint8_t *const *blocks, uint32_t count,
                   uint32_t block_len, uint8_t *out);

/* An implementation, for tests. run hashes exactly `lanes` texts at a time. */
struct digest_form {
    const char *name;
    uint32_t lanes;
    const char *missing; /* NULL: it runs here; else the reason why not */
    void (*run)(enum digest_kind kind, const uint8_t *const *texts, uint32_t len, uint8_t *out);
};
enum { DIGEST_FORMS = 3 };
struct digest_form digest_form_get(uint32_t index); /* fastest first */

void digest_run_avx512(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                       uint8_t *out);
void digest_run_avx2(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                     uint8_t *out);
void digest_run_portable(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                         uint8_t *out);

#endif
