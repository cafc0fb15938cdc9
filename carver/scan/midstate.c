/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/midstate.c - see midstate.h. */
#define OPENSSL_SUPPRESS_DEPRECATED /* MD5_Init and the others: see midstate.h */

#include "carver/scan/midstate.h"

#include <assert.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/hex.h"

enum { MIDSTATE_TEST = 3 * MIDSTATE_ALIGN + 5 /* bytes that the self-test hashes */ };

const char *midstate_name(enum digest_kind kind)
{
    static const char *const names[DIGEST_KINDS] = { "md5", "sha1", "sha256" };

    return names[kind];
}

void midstate_begin(struct midstate *state, enum digest_kind kind)
{
    *state = (struct midstate){ .kind = kind };
    if (kind == DIGEST_MD5)
        MD5_Init(&state->md5);
    else if (kind == DIGEST_SHA1)
        SHA1_Init(&state->sha1);
    else
        SHA256_Init(&state->sha256);
}

void midstate_add(struct midstate *state, const void *bytes, size_t len)
{
    if (state->kind == DIGEST_MD5)
        MD5_Update(&state->md5, bytes, len);
    else if (state->kind == DIGEST_SHA1)
        SHA1_Update(&state->sha1, bytes, len);
    else
        SHA256_Update(&state->sha256, bytes, len);
}

void midstate_end(struct midstate *state, char text[MIDSTATE_TEXT])
{
    uint8_t bytes[SHA256_DIGEST_LENGTH];
    size_t len = MD5_DIGEST_LENGTH;

    if (state->kind == DIGEST_MD5) {
        MD5_Final(bytes, &state->md5);
    } else if (state->kind == DIGEST_SHA1) {
        SHA1_Final(bytes, &state->sha1);
        len = SHA_DIGEST_LENGTH;
    } else {
        SHA256_Final(bytes, &state->sha256);
        len = SHA256_DIGEST_LENGTH;
    }
    hex_bytes(bytes, len, text);
    text[2 * len] = '\0';
}

/* The chaining words of a state, and how many bytes of its next 64 it holds. */
static uint32_t midstate_words(struct midstate *state, unsigned *words[8], unsigned *held)
{
    if (state->kind == DIGEST_SHA256) {
        for (int i = 0; i < 8; i++)
            words[i] = &state->sha256.h[i];
        *held = state->sha256.num;
        return 8;
    }
    if (state->kind == DIGEST_SHA1) {
        SHA_CTX *const sha1 = &state->sha1;
        unsigned *const all[5] = { &sha1->h0, &sha1->h1, &sha1->h2, &sha1->h3, &sha1->h4 };

        memcpy(words, all, sizeof all);
        *held = sha1->num;
        return 5;
    }
    unsigned *const all[4] = { &state->md5.A, &state->md5.B, &state->md5.C, &state->md5.D };

    memcpy(words, all, sizeof all);
    *held = state->md5.num;
    return 4;
}

void midstate_save(const struct midstate *state, struct pack *out)
{
    struct midstate copy = *state;
    unsigned *words[8], held;
    const uint32_t count = midstate_words(&copy, words, &held);

    assert(held == 0);
    for (uint32_t i = 0; i < count; i++)
        pack_number(out, *words[i]);
}

void midstate_restore(struct midstate *state, enum digest_kind kind, uint64_t bytes,
                      struct unpack *in)
{
    const unsigned low = (unsigned)(bytes << 3), high = (unsigned)(bytes >> 29); /* of bits */
    unsigned *words[8], held;

    midstate_begin(state, kind);
    const uint32_t count = midstate_words(state, words, &held);
    for (uint32_t i = 0; i < count; i++)
        *words[i] = (unsigned)unpack_number(in, UINT32_MAX);
    if (kind == DIGEST_MD5) {
        state->md5.Nl = low;
        state->md5.Nh = high;
    } else if (kind == DIGEST_SHA1) {
        state->sha1.Nl = low;
        state->sha1.Nh = high;
    } else {
        state->sha256.Nl = low;
        state->sha256.Nh = high;
    }
}

/* The digest of the bytes in two pieces, the state between them written down and brought back. */
static bool midstate_in_two(enum digest_kind kind, const uint8_t *bytes, size_t len,
                            char text[MIDSTATE_TEXT])
{
    const size_t first = len / MIDSTATE_ALIGN * MIDSTATE_ALIGN;
    struct midstate state;
    struct pack pack = { 0 };

    midstate_begin(&state, kind);
    midstate_add(&state, bytes, first);
    midstate_save(&state, &pack);
    struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
    if (!pack.failed)
        midstate_restore(&state, kind, first, &in);
    const bool whole = !pack.failed && unpack_whole(&in);
    pack_release(&pack);
    midstate_add(&state, bytes + first, len - first);
    midstate_end(&state, text);
    return whole;
}

enum err_code midstate_self_test(struct err *err)
{
    const EVP_MD *const theirs[DIGEST_KINDS] = { EVP_md5(), EVP_sha1(), EVP_sha256() };
    uint8_t bytes[MIDSTATE_TEST], digest[EVP_MAX_MD_SIZE];
    char text[MIDSTATE_TEXT], want[2 * EVP_MAX_MD_SIZE];
    unsigned len = 0;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        const bool whole = midstate_in_two((enum digest_kind)kind, bytes, sizeof bytes, text);

        /* A libcrypto in FIPS mode has no MD5 by EVP: what RFC 1321 says holds all the same. */
        if (EVP_Digest(bytes, sizeof bytes, digest, &len, theirs[kind], NULL) != 1 &&
            kind == DIGEST_MD5)
            continue;
        hex_bytes(digest, len, want);
        if (!whole || strlen(text) != 2 * len || memcmp(text, want, 2 * len) != 0)
            return ERR_RAISE(err, ERR_ENV,
                             "libcrypto's %s cannot be taken up again; look at the installation "
                             "of OpenSSL, or leave --hash out",
                             midstate_name((enum digest_kind)kind));
    }
    return ERR_OK;
}
