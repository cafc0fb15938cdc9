/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/keepass.c - password stores of KeePass: kdbx (2.x), kdb (1.x).
 *
 *   kdbx: 03 D9 A2 9A 67 FB 4B B5 | u16le minor, major version | fields: u8 kind | length, u16le
 * (3.x) or u32le (4.x) | data; kind 0 ends them 4.x: SHA-256 and HMAC of the header, 32 bytes each
 * | blocks: HMAC, 32 bytes | u32le length | data; a block of length 0 ends the file 3.x: AES blocks
 * of 16 bytes up to the end of the file kdb: 03 D9 A2 9A 65 FB 4B B5 | flags | version | two seeds
 * | groups, entries | hash | seed | rounds, 124 bytes in all | AES blocks
 *
 * Only the blocks of version 4 tell where the file ends. Of the others the header is checked, field
 * by field, and they count as broken where what follows does not look encrypted any more.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    KEEPASS_HEAD = 12,
    KEEPASS_OLD_HEAD = 124,
    KEEPASS_FIELDS_MAX = 32,
    KEEPASS_FIELD_LAST = 12,
    KEEPASS_HASHES = 64,
    KEEPASS_BLOCK_HEAD = 36,
    KEEPASS_BLOCK_MAX = 1 << 26,
    KEEPASS_OPEN_MIN = 512,      /* bytes that look encrypted, at least */
    KEEPASS_OPEN_MAX = 64 << 20, /* bytes that are looked at when nothing tells the end */
};

struct keepass_state {
    uint64_t content; /* place of what follows the header; 0: not read yet */
    uint64_t block;
    uint32_t blocks;
    struct plausible plausible;
};

static const struct sig_type keepass_types[] = { { "kdbx", "kdbx" }, { "kdb", "kdb" }, { 0 } };

/* The fields have the lengths that their kinds ask for, and those that every store has are there.
 */
static enum step keepass_fields(struct sig_input *in, struct keepass_state *state, bool wide)
{
    static const uint32_t lengths[KEEPASS_FIELD_LAST + 1] = {
        [2] = 16, [3] = 4, [4] = 32, [5] = 32, [6] = 8, [8] = 32, [9] = 32, [10] = 4
    };
    uint64_t at = KEEPASS_HEAD;
    uint32_t seen = 0;

    for (uint32_t i = 0; i < KEEPASS_FIELDS_MAX; i++) {
        const uint8_t *field = sig_bytes(in, at, wide ? 5 : 3);

        if (field == NULL)
            return STEP_WAIT;
        const uint32_t kind = field[0],
                       len = wide ? bytes_u32le(field + 1) : bytes_u16le(field + 1);
        if (kind > KEEPASS_FIELD_LAST || len > 65536 ||
            (lengths[kind] != 0 && len != lengths[kind]) || (seen >> kind & 1) != 0)
            return STEP_BAD;
        seen |= 1u << kind;
        at += (wide ? 5u : 3u) + len;
        if (kind == 0)
            break;
    }
    const uint32_t needed =
        1u | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 7; /* cipher, compression, seed, initial vector */
    if ((seen & needed) != needed || (seen >> (wide ? 11 : 5) & 1) == 0)
        return STEP_BAD;
    state->content = at;
    return STEP_DONE;
}

static struct sig_result keepass_blocks(struct sig_input *in, struct keepass_state *state)
{
    if (state->block == 0)
        state->block = state->content + KEEPASS_HASHES;
    for (;;) {
        const uint8_t *head = sig_bytes(in, state->block, KEEPASS_BLOCK_HEAD);

        if (head == NULL)
            return sig_short(in);
        const uint32_t len = bytes_u32le(head + 32);
        if (len > KEEPASS_BLOCK_MAX)
            return sig_breaks(in, "invalid block");
        state->block += KEEPASS_BLOCK_HEAD + (uint64_t)len;
        if (len == 0)
            break;
        state->blocks++;
        if (state->block <= in->limit)
            sig_valid(in, state->block);
    }
    if (state->blocks == 0)
        return sig_breaks(in, "there is no content");
    switch (plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->content,
                            state->block)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        return sig_breaks(in, "the content does not look encrypted");
    default:
        return sig_complete(in, state->block, "the blocks lead to the empty one that ends them");
    }
}

static struct sig_result keepass_open_end(struct sig_input *in, struct keepass_state *state)
{
    const uint64_t most = in->limit < KEEPASS_OPEN_MAX ? in->limit : KEEPASS_OPEN_MAX;
    const enum step step =
        plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->content, most);

    if (step == STEP_WAIT)
        return sig_short(in);
    if (state->plausible.at < state->content + KEEPASS_OPEN_MIN)
        return sig_reject("the data behind the header do not look encrypted");
    sig_valid(in, state->content + ((state->plausible.at - state->content) & ~UINT64_C(15)));
    return sig_breaks(in, "a store of this version does not store its end");
}

static struct sig_result keepass_check(struct sig_input *in, void *memory)
{
    struct keepass_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, KEEPASS_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool old = head[4] == 0x65;
    const uint32_t major = bytes_u16le(head + 10);
    in->type = &keepass_types[old];
    if (old) {
        head = sig_bytes(in, 0, KEEPASS_OLD_HEAD);
        if (head == NULL)
            return sig_short(in);
        if (bytes_u32le(head + 8) > 15 || bytes_u32le(head + 12) >> 8 != 0x300 ||
            bytes_u32le(head + 48) > 1u << 20 || bytes_u32le(head + 52) > 1u << 20)
            return sig_reject("header fields are out of range");
        state->content = KEEPASS_OLD_HEAD;
        return keepass_open_end(in, state);
    }
    if (major < 2 || major > 4)
        return sig_reject("the version is out of range");
    if (state->content == 0) {
        const enum step step = keepass_fields(in, state, major == 4);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid header fields");
    }
    return major == 4 ? keepass_blocks(in, state) : keepass_open_end(in, state);
}

const struct sig sig_keepass = {
    .name = "keepass",
    .what = "KeePass password store",
    .proves = "KDBX 4: blocks up to the empty one look encrypted; their HMACs need the key. "
              "Older ones store no end",
    .source =
        "KeePass, KDBX 4 (keepass.info/help/kb/kdbx_4.html); KeePassLib, KdbxFile.cs; KeePass 1.x, "
        "KeePassLibCpp: PW_DBHEADER",
    .types = keepass_types,
    .headers = { SIG_PATTERN("\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5"),
                 SIG_PATTERN("\x03\xd9\xa2\x9a\x66\xfb\x4b\xb5"),
                 SIG_PATTERN("\x03\xd9\xa2\x9a\x65\xfb\x4b\xb5") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = KEEPASS_OLD_HEAD,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct keepass_state),
    .check = keepass_check,
};
