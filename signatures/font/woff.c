/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/woff.c - web fonts: WOFF 1.0, whose tables are inflated and summed, and WOFF 2.0,
 * whose Brotli data is only looked at.
 *
 *   WOFF:  "wOFF" | u32be kind | u32be file length | u16be tables | 0 | u32be length as a font |
 * versions | metadata: offset, length, inflated length | private data: offset, length | tables x
 * (tag | offset | length | inflated length | sum) WOFF2: likewise, with the length of all data
 * behind the length as a font, and a directory of variable-length numbers
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/marks.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WOFF_HEAD = 44,
    WOFF_ENTRY = 20,
    WOFF_PACKED = 3, /* bytes of a packed table that say that it is one */
    WOFF_TABLES_MAX = 127,
    WOFF_PIECE = 16 << 10,
    WOFF_OUT = 32 << 10,
    WOFF_COST = 2,       /* what is summed as well counts twice */
    WOFF_FONT_HEAD = 12, /* bytes of a font's own header and of an entry of its directory */
    WOFF_FONT_ENTRY = 16,
    WOFF_ADJUSTMENT = 8, /* in the table "head": a sum that its own sum leaves out */
    WOFF2_HEAD = 48,
    WOFF2_DIRECTORY =
        4096, /* bytes of directory, at most: 127 entries of 15, and the fonts of a collection */
    WOFF2_KNOWN_TAG =
        63, /* tags below are numbers into a list; this one says that the tag follows */
};

/* Bytes that are stored as they are, or deflated. */
struct woff_block {
    uint32_t offset, length, inflated, sum;
    bool head, summed;
};

struct woff_state {
    struct woff_block blocks[WOFF_TABLES_MAX + 1]; /* by offset; the metadata is the last */
    uint32_t count;
    bool begun;      /* the directory was read */
    uint32_t block;  /* being read */
    bool inflating;  /* inflate is set up for it */
    uint32_t done;   /* bytes of it read */
    uint32_t summed; /* bytes that they gave */
    uint32_t sum;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct woff_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

struct woff2_state {
    struct plausible plausible;
};

static uint32_t woff_live(const void *memory)
{
    const struct woff_state *state = memory;

    return (uint32_t)offsetof(struct woff_state, inflate) +
           (state->inflating ? inflate_live(&state->inflate) : 0);
}

static bool woff_keep(struct woff_state *state, const struct woff_block *block)
{
    uint32_t at = state->count;

    if (state->count == WOFF_TABLES_MAX + 1)
        return false;
    for (; at > 0 && state->blocks[at - 1].offset > block->offset; at--)
        state->blocks[at] = state->blocks[at - 1];
    state->blocks[at] = *block;
    state->count++;
    return true;
}

/* Reads the entries of the directory; head is all of it. */
static const char *woff_entries(struct woff_state *state, const uint8_t *head, uint32_t tables)
{
    uint64_t font = WOFF_FONT_HEAD + (uint64_t)tables * WOFF_FONT_ENTRY;

    for (uint32_t i = 0; i < tables; i++) {
        const uint8_t *entry = head + WOFF_HEAD + i * WOFF_ENTRY;
        const struct woff_block block = { .offset = bytes_u32be(entry + 4),
                                          .length = bytes_u32be(entry + 8),
                                          .inflated = bytes_u32be(entry + 12),
                                          .sum = bytes_u32be(entry + 16),
                                          .head = memcmp(entry, "head", 4) == 0,
                                          .summed = true };

        if (!text_is_printable(entry, 4))
            return "invalid tag";
        if (i > 0 && memcmp(entry - WOFF_ENTRY, entry, 4) >= 0)
            return "the directory of tables is not in order";
        if (block.length > block.inflated || block.offset % 4 != 0)
            return "invalid table";
        font += ((uint64_t)block.inflated + 3) & ~UINT64_C(3);
        if (block.length > 0)
            woff_keep(state, &block);
    }
    return font == bytes_u32be(head + 16) ? NULL : "the tables do not add up to the font's length";
}

/* Fills state->blocks. */
static enum step woff_directory(struct sig_input *in, struct woff_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, WOFF_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t file = bytes_u32be(head + 8), tables = bytes_u16be(head + 12);
    if (tables == 0 || tables > WOFF_TABLES_MAX || bytes_u16be(head + 14) != 0)
        return step_bad(why, "invalid header");
    head = sig_bytes(in, 0, WOFF_HEAD + tables * WOFF_ENTRY);
    if (head == NULL)
        return STEP_WAIT;
    state->count = 0;
    *why = woff_entries(state, head, tables);
    if (*why != NULL)
        return STEP_BAD;
    const struct woff_block meta = { .offset = bytes_u32be(head + 24),
                                     .length = bytes_u32be(head + 28),
                                     .inflated = bytes_u32be(head + 32) };
    const uint32_t own = bytes_u32be(head + 36), own_length = bytes_u32be(head + 40);
    if ((meta.offset == 0) != (meta.length == 0) || (own == 0) != (own_length == 0))
        return step_bad(why, "metadata or private data have no place or no length");
    if (meta.length > 0)
        woff_keep(state, &meta);
    uint64_t end = WOFF_HEAD + (uint64_t)tables * WOFF_ENTRY;
    for (uint32_t i = 0; i < state->count; i++) {
        if (state->blocks[i].offset < end || state->blocks[i].offset - end > 3)
            return step_bad(why, "the tables overlap, or do not follow one another");
        end = (uint64_t)state->blocks[i].offset + state->blocks[i].length;
    }
    if (own != 0 && (own < end || own - end > 3))
        return step_bad(why, "the private data do not follow the tables");
    if (own != 0)
        end = (uint64_t)own + own_length;
    sig_open_field(in, end - own_length, end);
    if (file < end || file - end > 3)
        return step_bad(why, "the tables do not end where the file does");
    return STEP_DONE;
}

/* The sum of 4-byte words, of which len bytes come now. */
static void woff_sum(struct woff_state *state, const uint8_t *bytes, uint32_t len)
{
    uint32_t sum = 0, i = 0;

    for (; i < len && (state->summed + i) % 4 != 0; i++)
        sum += (uint32_t)bytes[i] << (24 - (state->summed + i) % 4 * 8);
    for (; i + 4 <= len; i += 4)
        sum += bytes_u32be(bytes + i);
    for (; i < len; i++)
        sum += (uint32_t)bytes[i] << (24 - (state->summed + i) % 4 * 8);
    if (state->blocks[state->block].head && state->summed == 0 && len >= WOFF_ADJUSTMENT + 4)
        sum -= bytes_u32be(bytes + WOFF_ADJUSTMENT);
    state->sum += sum;
    state->summed += len;
}

static enum step woff_inflate(struct sig_input *in, struct woff_state *state, const uint8_t *bytes,
                              uint32_t len, const char **why)
{
    const uint32_t inflated = state->blocks[state->block].inflated;
    uint8_t out[WOFF_OUT];

    inflate_give(&state->inflate, bytes, len);
    do {
        uint32_t got;

        if (!inflate_take(&state->inflate, out, sizeof out, &got))
            return step_bad(why, "a table cannot be inflated");
        if (got > inflated - state->summed)
            return step_bad(why, "a table inflates to more than the directory says");
        if (!sig_unpacked(in, (uint64_t)state->blocks[state->block].offset + state->done + len,
                          (uint64_t)WOFF_COST * got))
            return STEP_BAD;
        woff_sum(state, out, got);
    } while (inflate_more(&state->inflate));
    return STEP_DONE;
}

/* One table, or the metadata. */
static enum step woff_block(struct sig_input *in, struct woff_state *state, const char **why)
{
    const struct woff_block *block = &state->blocks[state->block];
    const bool deflated = !block->summed || block->length < block->inflated;

    if (deflated && !state->inflating) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB;
        state->inflating = true;
    }
    while (state->done < block->length) {
        const uint32_t rest = block->length - state->done,
                       len = rest < WOFF_PIECE ? rest : WOFF_PIECE;
        const uint8_t *bytes = sig_bytes(in, block->offset + (uint64_t)state->done, len);

        if (bytes == NULL)
            return STEP_WAIT;
        if (!deflated)
            woff_sum(state, bytes, len);
        else if (woff_inflate(in, state, bytes, len, why) != STEP_DONE)
            return STEP_BAD;
        state->done += len;
    }
    if (deflated && (!inflate_ended(&state->inflate) || state->summed != block->inflated))
        return step_bad(why, "a table inflates to less than the directory says");
    if (block->summed && state->sum != block->sum)
        return step_bad(why, "the checksum of a table is wrong");
    sig_valid(in, (uint64_t)block->offset + block->length);
    state->block++;
    state->inflating = false;
    state->done = 0;
    state->summed = 0;
    state->sum = 0;
    return STEP_DONE;
}

static struct sig_result woff_check(struct sig_input *in, void *memory)
{
    struct woff_state *state = memory;
    const char *why = NULL;
    enum step step = STEP_DONE;

    if (!state->begun)
        step = woff_directory(in, state, &why);
    state->begun = step == STEP_DONE;
    while (step == STEP_DONE && state->block < state->count)
        step = woff_block(in, state, &why);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    const uint8_t *length = sig_bytes(in, 8, 4);
    if (length == NULL)
        return sig_short(in);
    return sig_complete(in, bytes_u32be(length), "the checksum of every table is right");
}

/* A number of 7 bits a byte, the last one below 0x80, as UIntBase128. False: none. */
static bool woff2_number(const uint8_t *bytes, uint32_t len, uint32_t *at, uint32_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < 5 && *at < len; i++) {
        const uint8_t byte = bytes[(*at)++];

        if ((i == 0 && byte == 0x80) || *value >> 25 != 0)
            return false;
        *value = *value << 7 | (byte & 0x7f);
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* A number of one to three bytes, as 255UInt16. */
static bool woff2_short(const uint8_t *bytes, uint32_t len, uint32_t *at, uint32_t *value)
{
    enum { WORD = 253, MORE2 = 254, MORE1 = 255 };
    const uint32_t code = *at < len ? bytes[(*at)++] : 0, more = code == WORD    ? 2
                                                                 : code >= MORE2 ? 1
                                                                                 : 0;

    if (*at > len || more > len - *at)
        return false;
    *value = more == 2       ? bytes_u16be(bytes + *at)
             : more == 0     ? code
             : code == MORE1 ? 253u + bytes[*at]
                             : 506u + bytes[*at];
    *at += more;
    return true;
}

/* Steps *at over the directory of tables. NULL: right. */
static const char *woff2_entries(const uint8_t *bytes, uint32_t len, uint32_t tables, uint32_t *at)
{
    static const uint32_t glyf = 10, loca = 11;

    for (uint32_t i = 0; i < tables; i++) {
        uint32_t inflated, transformed;

        if (*at >= len)
            return "the directory of tables has no end";
        const uint8_t flags = bytes[(*at)++], tag = flags & 0x3f, version = flags >> 6;
        if (tag == WOFF2_KNOWN_TAG) {
            if (len - *at < 4)
                return "the directory of tables has no end";
            if (!text_is_printable(bytes + *at, 4))
                return "invalid tag";
            *at += 4;
        }
        if (!woff2_number(bytes, len, at, &inflated))
            return "invalid length";
        const bool outline = tag == glyf || tag == loca;
        if (outline ? version == 0 : version != 0) {
            if (!woff2_number(bytes, len, at, &transformed) || (tag == loca && transformed != 0))
                return "invalid length";
        }
    }
    return NULL;
}

/* The fonts of a collection, behind the directory. */
static const char *woff2_fonts(const uint8_t *bytes, uint32_t len, uint32_t tables, uint32_t *at)
{
    uint32_t fonts, count, index;

    if (len - *at < 4 ||
        (bytes_u32be(bytes + *at) != 0x10000 && bytes_u32be(bytes + *at) != 0x20000))
        return "unknown version of the collection";
    *at += 4;
    if (!woff2_short(bytes, len, at, &fonts) || fonts == 0)
        return "the collection has no fonts";
    for (uint32_t i = 0; i < fonts; i++) {
        if (!woff2_short(bytes, len, at, &count) || count == 0 || count > tables || len - *at < 4)
            return "invalid font of the collection";
        *at += 4;
        for (uint32_t k = 0; k < count; k++)
            if (!woff2_short(bytes, len, at, &index) || index >= tables)
                return "invalid font of the collection";
    }
    return NULL;
}

/* The end that metadata and private data give, behind the fonts' data that ends at end; 0: they
 * contradict one another. */
static uint64_t woff2_end(const uint8_t *head, uint64_t end)
{
    const uint32_t meta = bytes_u32be(head + 28), meta_length = bytes_u32be(head + 32);
    const uint32_t own = bytes_u32be(head + 40), own_length = bytes_u32be(head + 44);

    if ((meta == 0) != (meta_length == 0) || (own == 0) != (own_length == 0))
        return 0;
    if (meta != 0) {
        if (meta < end || meta - end > 3 || meta_length > bytes_u32be(head + 36) * UINT64_C(2) + 64)
            return 0;
        end = (uint64_t)meta + meta_length;
    }
    if (own != 0) {
        if (own < end || own - end > 3)
            return 0;
        end = (uint64_t)own + own_length;
    }
    return end;
}

static struct sig_result woff2_check(struct sig_input *in, void *memory)
{
    struct woff2_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, WOFF2_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t file = bytes_u32be(head + 8), tables = bytes_u16be(head + 12),
                   data = bytes_u32be(head + 20);
    const bool collection = memcmp(head + 4, "ttcf", 4) == 0;
    if (tables == 0 || tables > (collection ? WOFF2_DIRECTORY / 8 : WOFF_TABLES_MAX) ||
        bytes_u16be(head + 14) != 0 || data == 0 || data >= file)
        return sig_reject("invalid header");
    const uint32_t most = file < WOFF2_DIRECTORY ? file : WOFF2_DIRECTORY;
    head = sig_bytes(in, 0, most);
    if (head == NULL)
        return sig_short(in);
    uint32_t at = WOFF2_HEAD;
    const char *why = woff2_entries(head, most, tables, &at);
    if (why == NULL && collection)
        why = woff2_fonts(head, most, tables, &at);
    if (why != NULL)
        return sig_reject(why);
    const uint64_t data_end = (uint64_t)at + data, last = woff2_end(head, data_end);
    if (last == 0 || file < last || file - last > 3)
        return sig_reject("the data do not end where the file does");
    if (in->valid == 0)
        sig_valid(in, at);
    return plausible_believe(in, &state->plausible, PLAUSIBLE_COMPRESSED, at, data_end, file,
                             "the lengths of the header agree");
}

/* Tables that are packed begin as zlib's do, which is little; but there are many. */
static uint32_t woff_marks(const uint8_t *head, struct sig_mark *out)
{
    const uint32_t room = (SIG_MARK - WOFF_HEAD) / WOFF_ENTRY, tables = bytes_u16be(head + 12);
    uint32_t count = 0;

    for (uint32_t i = 0; i < tables && i < room; i++) {
        const uint8_t *entry = head + WOFF_HEAD + i * WOFF_ENTRY;
        const uint32_t at = bytes_u32be(entry + 4);

        if (bytes_u32be(entry + 8) < bytes_u32be(entry + 12) && at >= SIG_MARK &&
            at % SIG_MARK + WOFF_PACKED <= SIG_MARK)
            marks_add(out, &count, at, i);
    }
    return count;
}

static bool woff_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    const uint8_t *entry = head + WOFF_HEAD + mark->number * WOFF_ENTRY;
    const uint8_t *table = sector + bytes_u32be(entry + 4) % SIG_MARK;
    const uint32_t block = table[2] >> 1 & 3; /* how the first one is packed; 3: not at all */

    return table[0] == 0x78 && bytes_u16be(table) % 31 == 0 && (table[1] & 0x20) == 0 && block != 3;
}

const struct sig sig_woff = {
    .name = "woff",
    .what = "web font, WOFF 1.0",
    .proves =
        "directory in order and in bounds; every table inflates to its length and has its checksum",
    .source = "W3C, WOFF File Format 1.0",
    .types = (const struct sig_type[]){ { "woff", "woff" }, { 0 } },
    .headers = { SIG_MASKED("wOFF????\0???\0?\0\0",
                            "\xff\xff\xff\xff\0\0\0\0\xc0\0\0\0\xff\x80\xff\xff") },
    .flags = SIG_UNPACKS,
    .size_min = WOFF_HEAD + WOFF_ENTRY,
    .size_max = UINT64_C(1) << 28,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct woff_state),
    .state_clean = offsetof(struct woff_state, inflate),
    .state_live = woff_live,
    .check = woff_check,
    .marks = woff_marks,
    .is_mark = woff_is_mark,
};

const struct sig sig_woff2 = {
    .name = "woff2",
    .what = "web font, WOFF 2.0",
    .proves = "directory reads; lengths add up to the file; data looks compressed",
    .source = "W3C, WOFF File Format 2.0",
    .types = (const struct sig_type[]){ { "woff2", "woff2" }, { 0 } },
    .headers = { SIG_MASKED("wOF2????\0???\0?\0\0",
                            "\xff\xff\xff\xff\0\0\0\0\xc0\0\0\0\xf0\0\xff\xff") },
    .size_min = WOFF2_HEAD + 2,
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct woff2_state),
    .check = woff2_check,
};
