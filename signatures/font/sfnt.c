/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/sfnt.c - TrueType and OpenType fonts, alone and in collections. See sfnt.h for
 * the layout.
 *
 * Every table has a sum in the directory, so each byte of a font but the directory itself and the
 * padding is checked. Some programs write wrong sums: where those of a few short tables are wrong,
 * and that of the last one is right, the font is whole, though not proven. The file ends behind the
 * last table, padded with zeros to 4 bytes as every writer in use does.
 */
#include "signatures/font/sfnt.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/marks.h"

enum {
    SFNT_HEAD = 12,
    SFNT_ENTRY = 16,
    SFNT_DIRECTORY_MAX = 127, /* tables of one font; the specifications together know some 60 */
    SFNT_DIRECTORY_MIN = 3,
    SFNT_FONTS_MAX = 1024, /* of a collection; policy */
    SFNT_HEAD_TABLE = 54,  /* bytes of "head" */
    SFNT_ADJUSTMENT =
        8, /* where in "head" the sum of the whole font stands, which its own sum leaves out */
    SFNT_MAGIC = 12,
    SFNT_MARK = 16, /* bytes of a table that tell that it begins */
    SFNT_PIECE = 4096,
    SFNT_GAP_MAX =
        64 << 10, /* bytes between tables: directories of collections, slack of editors */
};

static bool sfnt_is_kind(const uint8_t *kind)
{
    return memcmp(kind, "\0\1\0\0", 4) == 0 || memcmp(kind, "OTTO", 4) == 0 ||
           memcmp(kind, "true", 4) == 0;
}

/* Keeps the tables in order of their offsets, each once. False: no room, or one that overlaps
 * another. */
static bool sfnt_keep(struct sfnt_state *state, const struct sfnt_table *table)
{
    uint32_t low = 0, high = state->count;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (state->tables[middle].offset < table->offset ||
            (state->tables[middle].offset == table->offset &&
             state->tables[middle].length < table->length))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < state->count && state->tables[low].offset == table->offset &&
        state->tables[low].length == table->length)
        return state->tables[low].sum == table->sum;
    if (state->count == SFNT_TABLES_MAX)
        return false;
    memmove(&state->tables[low + 1], &state->tables[low],
            (state->count - low) * sizeof state->tables[0]);
    state->tables[low] = *table;
    state->count++;
    return true;
}

static bool sfnt_is_tag(const uint8_t *tag)
{
    return text_is_printable(tag, 4) && tag[0] != ' ';
}

/* Reads the directory at offset at of the font. */
static enum step sfnt_directory(struct sig_input *in, struct sfnt_state *state, uint64_t base,
                                uint64_t at, const char **why)
{
    const uint8_t *head = sig_bytes(in, sig_add(base, at), SFNT_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t tables = bytes_u16be(head + 4);
    if (!sfnt_is_kind(head) || tables < SFNT_DIRECTORY_MIN || tables > SFNT_DIRECTORY_MAX)
        return step_bad(why, "invalid directory of tables");
    const uint8_t *entry = sig_bytes(in, base + at + SFNT_HEAD, tables * SFNT_ENTRY);
    if (entry == NULL)
        return STEP_WAIT;
    const uint8_t *last = NULL;
    bool has_head = false, has_maximum = false;
    for (uint32_t i = 0; i < tables; i++, last = entry, entry += SFNT_ENTRY) {
        const struct sfnt_table table = { .sum = bytes_u32be(entry + 4),
                                          .offset = bytes_u32be(entry + 8),
                                          .length = bytes_u32be(entry + 12),
                                          .head = memcmp(entry, "head", 4) == 0 ||
                                                  memcmp(entry, "bhed", 4) == 0 };

        if (!sfnt_is_tag(entry) || (last != NULL && memcmp(last, entry, 4) >= 0))
            return step_bad(why, "the directory of tables is not in order");
        if (table.offset < SFNT_HEAD + tables * SFNT_ENTRY || table.offset % 4 != 0)
            return step_bad(why, "invalid place of a table");
        if (table.head && table.length < SFNT_HEAD_TABLE)
            return step_bad(why, "the font's header is too short");
        has_head |= table.head;
        has_maximum |= memcmp(entry, "maxp", 4) == 0;
        if (table.length > 0 && !sfnt_keep(state, &table))
            return step_bad(why, "the tables contradict each other");
    }
    return has_head && has_maximum ? STEP_DONE
                                   : step_bad(why, "a table that every font must have is missing");
}

static enum step sfnt_collection(struct sig_input *in, struct sfnt_state *state, uint64_t base,
                                 const char **why)
{
    const uint8_t *head = sig_bytes(in, base, SFNT_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t version = bytes_u32be(head + 4), fonts = bytes_u32be(head + 8);
    if ((version != 0x10000 && version != 0x20000) || fonts == 0 || fonts > SFNT_FONTS_MAX)
        return step_bad(why, "invalid header of a collection");
    for (; state->fonts < fonts; state->fonts++) {
        const uint8_t *offset = sig_bytes(in, base + SFNT_HEAD + 4 * (uint64_t)state->fonts, 4);

        if (offset == NULL)
            return STEP_WAIT;
        const uint32_t at = bytes_u32be(offset);
        if (at < SFNT_HEAD + 4 * fonts || at % 4 != 0)
            return step_bad(why, "invalid place of a font of the collection");
        const enum step step = sfnt_directory(in, state, base, at, why);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

/* Tables must not overlap, nor lie far apart. */
static enum step sfnt_layout(const struct sfnt_state *state, const char **why)
{
    uint64_t end = state->tables[0].offset;

    for (uint32_t i = 0; i < state->count; i++) {
        if (state->tables[i].offset < end || state->tables[i].offset - end > SFNT_GAP_MAX)
            return step_bad(why, "the tables overlap, or lie far apart");
        end = (uint64_t)state->tables[i].offset + state->tables[i].length;
    }
    return STEP_DONE;
}

/* The sum of a table of 4-byte words, the last one filled up with zeros. */
static enum step sfnt_sum(struct sig_input *in, struct sfnt_state *state, uint64_t base,
                          const char **why)
{
    const struct sfnt_table *table = &state->tables[state->table];
    const uint64_t start = base + table->offset;

    while (state->done < table->length) {
        const uint32_t rest = table->length - state->done,
                       len = rest < SFNT_PIECE ? rest : SFNT_PIECE;
        const uint8_t *bytes = sig_bytes(in, start + state->done, len);
        uint8_t tail[4] = { 0 };
        uint32_t sum = 0;

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i + 4 <= len; i += 4)
            sum += bytes_u32be(bytes + i);
        memcpy(tail, bytes + len / 4 * 4, len % 4);
        sum += bytes_u32be(tail);
        if (table->head && state->done == 0) {
            if (bytes_u32be(bytes + SFNT_MAGIC) != 0x5f0f3cf5)
                return step_bad(why, "there is no magic number in the font's header");
            sum -= bytes_u32be(bytes + SFNT_ADJUSTMENT);
        }
        state->sum += sum;
        state->done += len;
    }
    if (state->sum != table->sum) {
        state->wrong++;
        /* Another file's sector would be wrong in the tables beside a short one, too. */
        if (!state->tolerant || state->wrong > state->count / 4 || table->length >= LIMIT_SECTOR ||
            state->table + 1 == state->count)
            return step_bad(why, "the checksum of a table is wrong");
    } else {
        sig_valid(in, start + table->length);
    }
    state->done = 0;
    state->sum = 0;
    state->table++;
    return STEP_DONE;
}

enum step sfnt_walk(struct sig_input *in, struct sfnt_state *state, uint64_t base, uint64_t *end,
                    const char **why)
{
    enum step step = STEP_DONE;

    if (!state->read) {
        const uint8_t *kind = sig_bytes(in, base, 4);

        if (kind == NULL)
            return STEP_WAIT;
        if (memcmp(kind, "ttcf", 4) == 0) {
            step = sfnt_collection(in, state, base, why);
        } else {
            state->count = 0; /* of an earlier try that came to no end */
            step = sfnt_directory(in, state, base, 0, why);
        }
        if (step == STEP_DONE)
            step = sfnt_layout(state, why);
        state->read = step == STEP_DONE;
    }
    while (step == STEP_DONE && state->table < state->count)
        step = sfnt_sum(in, state, base, why);
    if (step == STEP_DONE)
        *end =
            base + state->tables[state->count - 1].offset + state->tables[state->count - 1].length;
    return step;
}

/* The verdict on a font whose last table ends at `end`. */
static struct sig_result sfnt_end(struct sig_input *in, const struct sfnt_state *state,
                                  uint64_t end)
{
    uint64_t padded = (end + 3) & ~UINT64_C(3);

    /* Padding that something else stands in place of is none: the last table is then the end. */
    for (uint64_t at = end; at < padded; at++) {
        const uint8_t *zero = sig_bytes(in, at, 1);

        if (zero == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (zero == NULL || *zero != 0)
            padded = end;
    }
    if (state->wrong > 0)
        return sig_believe(in, padded, "every checksum is right but those of a few short tables");
    return sig_complete(in, padded, "the checksum of every table is right");
}

static uint32_t sfnt_live(const void *memory)
{
    const struct sfnt_state *state = memory;

    return (uint32_t)offsetof(struct sfnt_state, tables) +
           state->count * (uint32_t)sizeof(struct sfnt_table);
}

static struct sig_result sfnt_check(struct sig_input *in, void *memory)
{
    struct sfnt_state *state = memory;
    const char *why = NULL;
    uint64_t end = 0;
    const uint8_t *kind = sig_bytes(in, 0, 4);

    if (kind == NULL)
        return sig_short(in);
    in->type = &in->sig->types[kind[0] == 'O' ? 1 : kind[1] == 't' ? 2 : 0];
    /* Editors write wrong sums; pieces are put together by right ones. */
    state->tolerant = !in->thorough;
    switch (sfnt_walk(in, state, 0, &end, &why)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        return sig_breaks(in, why);
    default:
        break;
    }
    return sfnt_end(in, state, end);
}

/* tables, searchRange, entrySelector, rangeShift: small numbers; and the first letter of the first
 * table's tag */
#define SFNT_FONT(kind)                                                                            \
    SIG_MASKED(kind "\0\0\0\0\0\0\0\0@", "\xff\xff\xff\xff\xff\x80\xf8\x0f\xff\xf8\xf8\0\xc0")

/* What a table begins with, as far as all writers agree. */
struct sfnt_begin {
    char tag[5];
    uint8_t len;
    uint8_t bytes[8], mask[8];
};

static const struct sfnt_begin sfnt_begins[] = {
    { "head", 4, { 0, 1, 0, 0 }, { 0xff, 0xff, 0xff, 0xff } },
    { "hhea", 4, { 0, 1, 0, 0 }, { 0xff, 0xff, 0xff, 0xff } },
    { "maxp", 4, { 0, 0, 0, 0 }, { 0xff, 0xfe, 0xaf, 0xff } }, /* 0.5, or 1.0 */
    { "name", 4, { 0, 0, 0, 0 }, { 0xff, 0xfe, 0xfe, 0 } },
    { "post", 4, { 0, 0, 0, 0 }, { 0xff, 0xfc, 0xff, 0xff } },
    { "cmap", 6, { 0, 0, 0, 0, 0, 0 }, { 0xff, 0xff, 0xff, 0xf0, 0xff, 0xfc } },
    { "GSUB", 6, { 0, 1, 0, 0, 0, 10 }, { 0xff, 0xff, 0xff, 0xfe, 0xff, 0xf0 } },
    { "GPOS", 6, { 0, 1, 0, 0, 0, 10 }, { 0xff, 0xff, 0xff, 0xfe, 0xff, 0xf0 } },
    { "CFF ", 4, { 1, 0, 4, 0 }, { 0xff, 0xff, 0xff, 0xf8 } },
    { "DSIG", 6, { 0, 0, 0, 1, 0, 1 }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
};

static const uint8_t *sfnt_entry(const uint8_t *head, uint32_t number)
{
    return head + SFNT_HEAD + number * SFNT_ENTRY;
}

/* What the table of a directory's entry begins with; NULL: nothing that is known, or its first
 * bytes lie in two sectors, or in the first one. */
static const struct sfnt_begin *sfnt_known(const uint8_t *entry)
{
    const uint32_t at = bytes_u32be(entry + 8);

    for (uint32_t i = 0; i < sizeof sfnt_begins / sizeof sfnt_begins[0]; i++)
        if (memcmp(entry, sfnt_begins[i].tag, 4) == 0)
            return at >= SIG_MARK && at % SIG_MARK + SFNT_MARK <= SIG_MARK ? &sfnt_begins[i] : NULL;
    return NULL;
}

static uint32_t sfnt_marks(const uint8_t *head, struct sig_mark *out)
{
    const uint32_t room = (SIG_MARK - SFNT_HEAD) / SFNT_ENTRY, all = bytes_u16be(head + 4);
    uint32_t count = 0;

    for (uint32_t i = 0; sfnt_is_kind(head) && i < all && i < room; i++) {
        const uint8_t *entry = sfnt_entry(head, i);

        if (sfnt_known(entry) != NULL)
            marks_add(out, &count, bytes_u32be(entry + 8), i);
    }
    return count;
}

static bool sfnt_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    const uint8_t *entry = sfnt_entry(head, mark->number);
    const uint8_t *table = sector + bytes_u32be(entry + 8) % SIG_MARK;
    const struct sfnt_begin *begin = sfnt_known(entry);
    bool is = true;

    for (uint32_t i = 0; is && i < begin->len; i++)
        is = ((table[i] ^ begin->bytes[i]) & begin->mask[i]) == 0;
    if (is && memcmp(entry, "head", 4) == 0)
        return bytes_u32be(table + SFNT_MAGIC) == UINT32_C(0x5f0f3cf5);
    if (is && memcmp(entry, "name", 4) == 0)
        return bytes_u16be(table + 2) > 0 &&
               bytes_u16be(table + 4) >= 6 + 12 * bytes_u16be(table + 2);
    return is;
}

/* All tables but "head", whose sum leaves out a number in it, are summed as they are. */
static bool sfnt_sums(const uint8_t *head, uint32_t number, struct sig_sum *out)
{
    const uint32_t room = (SIG_MARK - SFNT_HEAD) / SFNT_ENTRY, all = bytes_u16be(head + 4);
    const uint8_t *entry = sfnt_entry(head, number < room ? number : 0);
    const uint64_t at = bytes_u32be(entry + 8), len = bytes_u32be(entry + 12);
    const bool summed = memcmp(entry, "head", 4) != 0 && at % 4 == 0;

    *out =
        (struct sig_sum){ .from = at, .to = summed ? at + len : at, .sum = bytes_u32be(entry + 4) };
    return sfnt_is_kind(head) && number < all && number < room;
}

const struct sig sig_sfnt = {
    .name = "sfnt",
    .what = "TrueType and OpenType fonts and collections",
    .proves =
        "directory in order and in bounds; the checksum of every table, but for a few short ones",
    .source = "ISO/IEC 14496-22 (OpenType 1.9): font file, table directory, TTC header, "
              "calculating checksums",
    .types =
        (const struct sig_type[]){ { "ttf", "ttf" }, { "otf", "otf" }, { "ttc", "ttc" }, { 0 } },
    .headers = { SFNT_FONT("\0\1\0\0"), SFNT_FONT("OTTO"), SFNT_FONT("true"),
                 SIG_MASKED("ttcf\0\1\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SFNT_HEAD + SFNT_DIRECTORY_MIN * SFNT_ENTRY + SFNT_HEAD_TABLE,
    .size_max = UINT64_C(1) << 30,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct sfnt_state),
    .state_clean = offsetof(struct sfnt_state, tables),
    .state_live = sfnt_live,
    .check = sfnt_check,
    .marks = sfnt_marks,
    .is_mark = sfnt_is_mark,
    .sums = sfnt_sums,
};
