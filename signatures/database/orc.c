/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/orc.c - tables of Apache ORC.
 *
 *   "ORC" | stripes | metadata | footer | postscript | u8 its bytes
 *   postscript, of Protocol Buffers: 1 bytes of the footer | 2 compression | 3 its block | 4
 * versions | 5 bytes of the metadata | 6 writer | 8000 "ORC", at the end
 *
 * Nothing at the beginning tells the length: the first postscript whose lengths fit ends the file.
 * It may be far away, and "ORC" stands in files of others, too. So it is looked for far away only
 * behind what begins such a file: the first entry of a row index or, where streams are packed,
 * blocks one behind another.
 *
 *   block: u24le 2 * its bytes + (1: they are not packed) | bytes
 *   entry of a row index: 0x0a | its bytes | 1 positions | 2 statistics
 */
#include <string.h>

#include "base/bytes.h"
#include "base/varint.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ORC_NEAR = 256 * 1024,    /* bytes in which a file without such a beginning ends */
    ORC_ENTRY_MAX = 4096,     /* bytes of the first entry of a row index; some dozens as a rule */
    ORC_BLOCKS = 8,           /* that are looked at: one in eight numbers of 24 bits is a length */
    ORC_BLOCK_HEAD = 3,       /* bytes */
    ORC_BLOCK_MAX = 1 << 20,  /* bytes of a block; writers make them of 256 KiB */
    ORC_POSTSCRIPT_MAX = 255, /* bytes: its length is one of them */
    ORC_KEY_FOOTER = 0x08,    /* of the first field of a postscript */
    ORC_KEY_ENTRY = 0x0a,     /* of each entry of a row index */
    ORC_KEY_POSITION = 0x08,  /* of its fields */
    ORC_KEY_POSITIONS = 0x0a,
    ORC_KEY_STATISTICS = 0x12,
    ORC_MAGIC = 3,
    ORC_MARK = 7, /* field 8000, its bytes, and "ORC" */
    ORC_FOOTER = 1,
    ORC_COMPRESSION = 2,
    ORC_METADATA = 5,
    ORC_KIND_VARINT = 0,
    ORC_KIND_BYTES = 2,
};

struct orc_state {
    uint64_t from;   /* where the mark is looked for; 0: not begun */
    uint64_t to;     /* and up to where */
    uint64_t block;  /* where the next block begins; 0: not begun */
    uint32_t blocks; /* that were looked at */
};

static const uint8_t orc_mark[ORC_MARK] = "\x82\xf4\3\3ORC";

/* Whether the postscript [p, end) has a footer and metadata that lie in the `before` bytes. */
static bool orc_fits(const uint8_t *p, const uint8_t *end, uint64_t before)
{
    uint64_t footer = 0, metadata = 0;
    bool packing = false;

    while (p < end) {
        uint64_t key, value;

        if (!varint_get(&p, end, &key) || !varint_get(&p, end, &value))
            return false;
        if ((key & 7) == ORC_KIND_BYTES) {
            if (value > (uint64_t)(end - p))
                return false;
            p += value;
        } else if ((key & 7) != ORC_KIND_VARINT) {
            return false;
        }
        footer = key >> 3 == ORC_FOOTER ? value : footer;
        metadata = key >> 3 == ORC_METADATA ? value : metadata;
        packing |= key >> 3 == ORC_COMPRESSION && value <= 6;
    }
    return packing && footer > 0 && footer < before && metadata < before &&
           footer + metadata <= before - ORC_MAGIC;
}

/* Whether the mark at `at` ends a postscript of the file. */
static enum step orc_ends(struct sig_input *in, uint64_t at)
{
    const uint8_t *p = sig_bytes(in, at + ORC_MARK, 1);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = p[0];
    if (len <= ORC_MARK || at + ORC_MARK < ORC_MAGIC + len)
        return STEP_BAD;
    const uint64_t begin = at + ORC_MARK - len;
    p = sig_bytes(in, begin, len);
    if (p == NULL)
        return STEP_WAIT;
    return orc_fits(p, p + len, begin) ? STEP_DONE : STEP_BAD;
}

/* Whether the fields of an entry of a row index fill [p, end). */
static bool orc_is_entry(const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t key = *p++;
        uint64_t value;

        if ((key != ORC_KEY_POSITION && key != ORC_KEY_POSITIONS && key != ORC_KEY_STATISTICS) ||
            !varint_get(&p, end, &value))
            return false;
        if (key == ORC_KEY_POSITION)
            continue;
        if (value > (uint64_t)(end - p))
            return false;
        p += value;
    }
    return true;
}

/* Whether a row index begins behind the magic, not packed. */
static enum step orc_indexed(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, ORC_MAGIC, 1 + VARINT_MAX);
    uint64_t len = 0;

    if (p == NULL)
        return STEP_WAIT;
    const uint8_t *at = p + 1;
    if (p[0] != ORC_KEY_ENTRY || !varint_get(&at, p + 1 + VARINT_MAX, &len) || len == 0 ||
        len > ORC_ENTRY_MAX)
        return STEP_BAD;
    const uint32_t head = (uint32_t)(at - p);
    p = sig_bytes(in, ORC_MAGIC + head, (uint32_t)len);
    if (p == NULL)
        return STEP_WAIT;
    return orc_is_entry(p, p + len) ? STEP_DONE : STEP_BAD;
}

/* Whether the postscript of the file begins at `at`. */
static enum step orc_postscript(struct sig_input *in, uint64_t at)
{
    const uint8_t *p = sig_bytes(in, at, 1);
    uint64_t mark;

    if (p == NULL)
        return STEP_WAIT;
    if (p[0] != ORC_KEY_FOOTER)
        return STEP_BAD;
    in->find_at = 0;
    const enum sig_found found =
        sig_find(in, at, sig_add(at, ORC_POSTSCRIPT_MAX), orc_mark, ORC_MARK, &mark);
    if (found != SIG_FOUND)
        return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_BAD;
    return orc_ends(in, mark);
}

/* Whether blocks lie one behind another from the magic on, up to the postscript or many of them. */
static enum step orc_packed(struct sig_input *in, struct orc_state *state)
{
    for (; state->blocks < ORC_BLOCKS; state->blocks++) {
        if (state->block + ORC_BLOCK_HEAD > in->limit)
            return STEP_BAD;
        const enum step end = orc_postscript(in, state->block);

        if (end != STEP_BAD)
            return end;
        const uint8_t *p = sig_bytes(in, state->block, ORC_BLOCK_HEAD);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t head = bytes_u16le(p) | (uint32_t)p[2] << 16, len = head >> 1;
        if (head == 0 || len > ORC_BLOCK_MAX) /* an empty block is one that is not packed */
            return STEP_BAD;
        state->block += ORC_BLOCK_HEAD + len;
    }
    return STEP_DONE;
}

/* Whether what stands behind the magic begins a table. */
static enum step orc_begins(struct sig_input *in, struct orc_state *state)
{
    if (state->block == 0) {
        const enum step indexed = orc_indexed(in);

        if (indexed != STEP_BAD)
            return indexed;
        state->block = ORC_MAGIC;
    }
    return orc_packed(in, state);
}

static struct sig_result orc_check(struct sig_input *in, void *memory)
{
    struct orc_state *state = memory;

    if (state->from == 0) {
        const enum step begins = orc_begins(in, state);

        if (begins == STEP_WAIT)
            return sig_short(in);
        in->find_at = 0;
        state->from = begins == STEP_DONE && state->block != 0 ? state->block : ORC_MAGIC;
        state->to = begins == STEP_DONE ? in->limit : ORC_NEAR;
    }
    for (;;) {
        uint64_t at;
        const enum sig_found found = sig_find(in, state->from, state->to, orc_mark, ORC_MARK, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE)
            return sig_reject("there is no postscript");
        const enum step step = orc_ends(in, at);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_believe(in, at + ORC_MARK + 1, "footer and metadata fit before the end");
        state->from = in->find_at = at + 1;
    }
}

const struct sig sig_orc = {
    .name = "orc",
    .what = "table of Apache ORC",
    .proves = "a postscript ends the file, as long as it says, with a footer that fits",
    .source = "Apache ORC Specification v1: File Tail; orc_proto.proto: PostScript",
    .types = (const struct sig_type[]){ { "orc", "orc" }, { 0 } },
    .headers = { SIG_PATTERN("ORC\n"), SIG_PATTERN("ORC\x0b"), SIG_PATTERN("ORC\x1f"),
                 SIG_MASKED("ORC\0\0\0", "\xff\xff\xff\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct orc_state),
    .check = orc_check,
};
