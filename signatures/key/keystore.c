/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/keystore.c - stores of keys: Java's (jks, jceks) and GnuPG's key box (kbx).
 *
 *   feedfeed or cececece | u32 version 1, 2 | u32 entries | entries: u32 kind | u16 length, alias |
 * u64 date | 1, a private key: u32 length, key | u32 certificates, each: [u16 length, type] u32
 * length, certificate 2, a certificate: [u16 length, type] u32 length, certificate | 20 bytes of
 * SHA-1 key box: blobs, each: u32 length | u8 type | u8 version 1 ...; the first: type 1, flags,
 * "KBXf", times. All big-endian.
 *
 * Nothing says where the entries of a key box end: with the first bytes that are no blob. Secret
 * keys of JCEKS (kind 3) are Java objects without a length: a store that has one cannot be
 * measured.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JKS_HEAD = 12,
    JKS_DIGEST = 20,
    JKS_ENTRIES_MAX = 100000,
    JKS_CHAIN_MAX = 100,
    JKS_ALIAS_MAX = 1024,
    JKS_PART_MAX = 1 << 20, /* bytes of a key or a certificate */
    JKS_BREAK_MIN = 64,
    KBX_HEAD = 32,
    KBX_BLOB_MIN = 40,
    KBX_BLOB_MAX = 16 << 20,
};

struct jks_state {
    uint64_t at;
    uint32_t entries; /* read */
};

/* Text of a known kind: u16 length and printable bytes. */
static enum step jks_text(struct sig_input *in, uint64_t *at, const char *want)
{
    const uint8_t *bytes = sig_bytes(in, *at, 2);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u16be(bytes);
    if (len > JKS_ALIAS_MAX || (want != NULL && len != strlen(want)))
        return STEP_BAD;
    *at += 2;
    if (len == 0)
        return STEP_DONE;
    bytes = sig_bytes(in, *at, len);
    if (bytes == NULL)
        return STEP_WAIT;
    *at += len;
    for (uint32_t i = 0; i < len; i++)
        if (bytes[i] < ' ' || bytes[i] == 0x7f)
            return STEP_BAD;
    return want == NULL || memcmp(bytes, want, len) == 0 ? STEP_DONE : STEP_BAD;
}

/* u32 length and that many bytes, a SEQUENCE in DER that is as long. */
static enum step jks_der(struct sig_input *in, uint64_t *at)
{
    const uint8_t *bytes = sig_bytes(in, *at, 8);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32be(bytes);
    if (len < 8 || len > JKS_PART_MAX || bytes[4] != 0x30)
        return STEP_BAD;
    if (bytes[5] == 0x82 ? (uint32_t)bytes_u16be(bytes + 6) + 4 != len
                         : bytes[5] == 0x81 && (uint32_t)bytes[6] + 3 != len)
        return STEP_BAD;
    *at += 4 + (uint64_t)len;
    return STEP_DONE;
}

static enum step jks_certificate(struct sig_input *in, uint32_t version, uint64_t *at)
{
    enum step step = STEP_DONE;

    if (version == 2)
        step = jks_text(in, at, "X.509");
    return step == STEP_DONE ? jks_der(in, at) : step;
}

static enum step jks_entry(struct sig_input *in, uint32_t version, uint64_t *from)
{
    uint64_t at = *from;
    const uint8_t *bytes = sig_bytes(in, at, 4);
    uint32_t chain = 1;

    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u32be(bytes);
    if (kind != 1 && kind != 2)
        return STEP_BAD;
    at += 4;
    enum step step = jks_text(in, &at, NULL);
    if (step != STEP_DONE)
        return step;
    bytes = sig_bytes(in, at, 8);
    if (bytes == NULL)
        return STEP_WAIT;
    if (bytes_u64be(bytes) >> 42 != 0) /* milliseconds: until 2109 */
        return STEP_BAD;
    at += 8;
    if (kind == 1) {
        step = jks_der(in, &at);
        if (step != STEP_DONE)
            return step;
        bytes = sig_bytes(in, at, 4);
        if (bytes == NULL)
            return STEP_WAIT;
        chain = bytes_u32be(bytes);
        if (chain > JKS_CHAIN_MAX)
            return STEP_BAD;
        at += 4;
    }
    for (uint32_t i = 0; step == STEP_DONE && i < chain; i++)
        step = jks_certificate(in, version, &at);
    if (step == STEP_DONE)
        *from = at;
    return step;
}

static struct sig_result jks_check(struct sig_input *in, void *memory)
{
    struct jks_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, JKS_HEAD);

    if (head == NULL)
        return sig_short(in);
    in->type = &in->sig->types[head[0] == 0xce];
    const uint32_t version = bytes_u32be(head + 4), entries = bytes_u32be(head + 8);
    if (version < 1 || version > 2 || entries == 0 || entries > JKS_ENTRIES_MAX)
        return sig_reject("invalid version or number of entries");
    if (state->at == 0)
        state->at = JKS_HEAD;
    while (state->entries < entries) {
        const enum step step = jks_entry(in, version, &state->at);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && state->at < JKS_BREAK_MIN)
            return sig_reject("invalid entry");
        if (step == STEP_BAD) {
            sig_valid(in, state->at);
            return sig_breaks(in, "invalid entry");
        }
        state->entries++;
    }
    return sig_complete(in, state->at + JKS_DIGEST,
                        "the entries are as many as the header says, "
                        "and the digest follows");
}

const struct sig sig_jks = {
    .name = "jks",
    .what = "Java key store",
    .proves = "as many entries as the header says, certificates and keys as long as their DER; "
              "the SHA-1 needs the password",
    .source = "OpenJDK, sun.security.provider.JavaKeyStore: engineStore",
    .types = (const struct sig_type[]){ { "jks", "jks" }, { "jceks", "jceks" }, { 0 } },
    .headers = { SIG_PATTERN("\xfe\xed\xfe\xed\0\0\0\1"), SIG_PATTERN("\xfe\xed\xfe\xed\0\0\0\2"),
                 SIG_PATTERN("\xce\xce\xce\xce\0\0\0\1"), SIG_PATTERN("\xce\xce\xce\xce\0\0\0\2") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JKS_HEAD + JKS_DIGEST,
    .size_max = 1 << 28,
    .state_size = sizeof(struct jks_state),
    .check = jks_check,
};

struct kbx_state {
    uint64_t at;
    uint32_t blobs;
};

/* The blob at state->at: where the key block lies in it, how many keys, of which size. */
static enum step kbx_blob(struct sig_input *in, struct kbx_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 24);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32be(head), block = bytes_u32be(head + 8),
                   block_len = bytes_u32be(head + 12);
    const uint32_t keys = bytes_u16be(head + 16), key_size = bytes_u16be(head + 18);
    const uint8_t kind = head[4];
    if (len < KBX_BLOB_MIN || len > KBX_BLOB_MAX || (kind != 2 && kind != 3) || head[5] < 1 ||
        head[5] > 2)
        return STEP_BAD;
    if (block > len || block_len > len - block || keys == 0 || key_size < 28 || key_size > 128 ||
        20 + (uint64_t)keys * key_size > block)
        return STEP_BAD;
    const uint8_t *key = sig_bytes(in, state->at + block, 1);
    if (key == NULL)
        return STEP_WAIT;
    if (kind == 2 ? (key[0] & 0x80) == 0 : key[0] != 0x30)
        return STEP_BAD;
    state->at += len;
    state->blobs++;
    return STEP_DONE;
}

static struct sig_result kbx_check(struct sig_input *in, void *memory)
{
    struct kbx_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, KBX_HEAD);
    enum step step = STEP_DONE;

    if (head == NULL)
        return sig_short(in);
    if (bytes_u32be(head) != KBX_HEAD || head[4] != 1 || head[5] != 1 ||
        bytes_u32be(head + 12) != 0)
        return sig_reject("invalid first blob of a key box");
    if (state->at == 0)
        state->at = KBX_HEAD;
    while (step == STEP_DONE)
        step = kbx_blob(in, state);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (step == STEP_WAIT && state->at < in->limit && in->limit - state->at >= 24) {
        sig_valid(in, in->limit);
        return sig_short(in);
    }
    if (state->blobs == 0)
        return sig_reject("the key box has no key");
    return sig_complete(in, state->at, "the parts of every blob lie inside it");
}

const struct sig sig_kbx = {
    .name = "kbx",
    .what = "GnuPG key box",
    .proves = "blobs follow one another, the parts of each lie inside; SHA-1s are not compared",
    .source = "GnuPG, kbx/keybox-blob.c: The keybox blob formats",
    .types = (const struct sig_type[]){ { "kbx", "kbx" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\0\x20\1\1??KBXf",
                            "\xff\xff\xff\xff\xff\xff\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = KBX_HEAD + KBX_BLOB_MIN,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct kbx_state),
    .check = kbx_check,
};
