/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2.c - OLE compound files: doc, xls, ppt, msg, msi, vsd, pub, thumbs.db and
 * many more.
 *
 *   header, one sector: signature | class 0 | version 3 or 4 | FE FF | sector shift 9 or 12 | 6 |
 * zeros | sectors of the directory (version 4) 44 sectors of the allocation table | 48 first sector
 * of the directory | 56 4096 | 60 mini table, its sectors 68 further places of the allocation
 * table, sectors of them | 76 the first 109 places sectors, numbered from 0 behind the header; the
 * allocation table (FAT) says for each which follows in its chain directory: entries of 128 bytes:
 * name, kind, siblings and child, class, first sector, size
 *
 * The file ends with the last sector that the table has in use. That end counts as proven when
 * every number in the table is in bounds, no sector has two before it, every chain begins where
 * nothing leads to it, the chain of each stream of the directory is at least as long as the stream,
 * and the streams of known structure can be walked (ole2_content.c). A file whose last sector was
 * never filled up by its writer is given the whole sector.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/document_facts.h"
#include "signatures/document/ole2.h"

enum {
    OLE2_HEADER = 512,
    OLE2_HEADER_FATS = 109,
    OLE2_MINI_SHIFT = 6,
    OLE2_SPARE = 8, /* sectors of a stream behind its last byte, at most */
};

enum ole2_phase {
    OLE2_AT_HEAD,
    OLE2_AT_DIFAT,
    OLE2_AT_ROOT,
    OLE2_AT_FAT,
    OLE2_AT_MINIFAT,
    OLE2_AT_DIRECTORY,
    OLE2_AT_NAMES,
    OLE2_AT_CONTENT,
    OLE2_AT_END
};

static enum step ole2_bad(struct ole2_state *state, uint64_t at, const char *why)
{
    state->bad_at = at;
    state->why = why;
    return STEP_BAD;
}

static uint32_t ole2_per_sector(const struct ole2_state *state)
{
    return 1u << (state->shift - 2);
}

/* Sectors that the allocation table has numbers for. */
static uint64_t ole2_sectors(const struct ole2_state *state)
{
    return (uint64_t)state->fat_count << (state->shift - 2);
}

/* Marks that something leads to this sector. False: something did already. */
static bool ole2_mark(struct ole2_state *state, uint32_t sector)
{
    const uint32_t bit = 1u << sector % 32;

    if (!state->has_bits)
        return true;
    uint32_t *word = &state->memory[state->bits_at + sector / 32];
    if ((*word & bit) != 0)
        return false;
    *word |= bit;
    return true;
}

enum step ole2_follow(struct sig_input *in, struct ole2_state *state, uint32_t sector,
                      uint32_t *next)
{
    if (sector >= ole2_sectors(state))
        return ole2_bad(state, 0, "a chain leaves the file");
    const uint32_t table = state->memory[sector >> (state->shift - 2)],
                   entry_at = (sector & (ole2_per_sector(state) - 1)) * 4;
    const uint64_t at = ole2_offset(state, table) + entry_at;
    const uint8_t *entry = sig_bytes(in, at, 4);
    if (entry == NULL)
        return STEP_WAIT;
    *next = bytes_u32le(entry);
    if (*next != OLE2_END && *next > state->last_used)
        return ole2_bad(state, at, "a chain goes on in a sector that is not in use");
    return STEP_DONE;
}

enum step ole2_seek(struct sig_input *in, struct ole2_state *state, struct ole2_stream *stream,
                    uint64_t at, uint64_t *place, uint32_t *left)
{
    const uint32_t index = (uint32_t)(at >> state->shift),
                   within = (uint32_t)(at & ((1u << state->shift) - 1));

    if (index < stream->index && state->back_seeks++ > OLE2_BACK_SEEKS)
        return ole2_bad(state, 0, "the pages of the document are out of order");
    if (index < stream->index || stream->index == 0) {
        stream->index = 0;
        stream->sector = stream->start;
    }
    for (; stream->index < index; stream->index++) {
        uint32_t next;
        const enum step step = ole2_follow(in, state, stream->sector, &next);

        if (step != STEP_DONE)
            return step;
        if (next == OLE2_END)
            return ole2_bad(state, ole2_offset(state, stream->sector),
                            "a stream is shorter than its size");
        stream->sector = next;
    }
    *place = ole2_offset(state, stream->sector) + within;
    *left = (1u << state->shift) - within;
    if (*left > stream->size - at)
        *left = (uint32_t)(stream->size - at);
    return STEP_DONE;
}

/* NULL: right, and the state is filled. */
static const char *ole2_head(const uint8_t *head, struct ole2_state *state)
{
    static const uint8_t zeros[16];

    state->version = bytes_u16le(head + 26);
    state->shift = bytes_u16le(head + 30);
    if (!(state->version == 3 && state->shift == 9) && !(state->version == 4 && state->shift == 12))
        return "version and sector size contradict each other";
    state->fat_count = bytes_u32le(head + 44);
    state->dir_start = bytes_u32le(head + 48);
    state->dir_count = bytes_u32le(head + 40);
    state->minifat_start = bytes_u32le(head + 60);
    state->minifat_count = bytes_u32le(head + 64);
    state->difat_sector = bytes_u32le(head + 68);
    state->difat_left = bytes_u32le(head + 72);
    if (memcmp(head + 8, zeros, 16) != 0 || memcmp(head + 34, zeros, 6) != 0 ||
        bytes_u32le(head + 56) != OLE2_CUTOFF)
        return "reserved fields have wrong values";
    if (state->version == 3 && state->dir_count != 0)
        return "a count of directory sectors is not allowed in version 3";
    if (state->fat_count == 0 || state->fat_count > OLE2_MEMORY)
        return "the size of the allocation table is out of range";
    if (state->dir_start >= ole2_sectors(state) || state->minifat_count > ole2_sectors(state))
        return "the directory lies outside the file";
    if (state->minifat_count > 0 ? state->minifat_start >= ole2_sectors(state)
                                 : state->minifat_start < OLE2_DIFAT && state->minifat_start != 0)
        return "the mini table lies outside the file";
    const uint32_t more =
        state->fat_count <= OLE2_HEADER_FATS ? 0 : state->fat_count - OLE2_HEADER_FATS;
    const uint32_t each =
        state->shift == 9 ? 127 : 1023; /* places in a sector of them; its last word leads on */
    if (state->difat_left != (more + each - 1) / each)
        return "wrong number of DIFAT sectors";
    for (uint32_t i = 0; i < OLE2_HEADER_FATS; i++) {
        const uint32_t sector = bytes_u32le(head + 76 + 4 * i);

        if (i < state->fat_count ? sector >= ole2_sectors(state) : sector != OLE2_NONE)
            return "the allocation table lies outside the file";
        if (i < state->fat_count)
            state->memory[state->fat_known++] = sector;
    }
    state->bits_at = state->fat_count;
    state->has_bits = ole2_sectors(state) / 32 + state->fat_count < OLE2_MEMORY / 4 * 3;
    state->dirs_at =
        state->fat_count + (state->has_bits ? (uint32_t)(ole2_sectors(state) / 32) : 0);
    state->budget = ole2_sectors(state) + 16;
    return NULL;
}

static enum step ole2_difat(struct sig_input *in, struct ole2_state *state)
{
    const uint32_t per = ole2_per_sector(state);

    for (; state->difat_left > 0; state->difat_left--) {
        if (state->difat_sector >= ole2_sectors(state))
            return ole2_bad(state, 0, "the allocation table lies outside the file");
        const uint64_t at = ole2_offset(state, state->difat_sector);
        const uint8_t *places = sig_bytes(in, at, per * 4);
        if (places == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < per - 1; i++) {
            const uint32_t sector = bytes_u32le(places + 4 * i);

            if (state->fat_known < state->fat_count ? sector >= ole2_sectors(state)
                                                    : sector != OLE2_NONE)
                return ole2_bad(state, at, "invalid place of an allocation table sector");
            if (state->fat_known < state->fat_count)
                state->memory[state->fat_known++] = sector;
        }
        state->difat_sector = bytes_u32le(places + 4 * (per - 1));
    }
    return STEP_DONE;
}

/* The first entry of the directory is the root storage. */
static enum step ole2_root(struct sig_input *in, struct ole2_state *state)
{
    const uint8_t *root = sig_bytes(in, ole2_offset(state, state->dir_start), OLE2_ENTRY);

    if (root == NULL)
        return STEP_WAIT;
    const uint32_t child = bytes_u32le(root + 76), len = bytes_u16le(root + 64);
    if (root[66] != 5 || root[67] > 1 || len > 64 || len % 2 != 0 ||
        bytes_u32le(root + 68) != OLE2_NONE || bytes_u32le(root + 72) != OLE2_NONE)
        return ole2_bad(state, 0, "invalid root storage");
    memcpy(state->clsid, root + 80, 16);
    state->mini_size = bytes_u32le(root + 120);
    state->parts[OLE2_MINI] =
        (struct ole2_stream){ .start = bytes_u32le(root + 116), .size = state->mini_size };
    if (child != OLE2_NONE)
        state->stack[state->stack_len++] = child;
    return STEP_DONE;
}

static enum step ole2_fat(struct sig_input *in, struct ole2_state *state)
{
    const uint32_t per = ole2_per_sector(state);

    for (; state->next < state->fat_count; state->next++) {
        const uint64_t at = ole2_offset(state, state->memory[state->next]);
        const uint8_t *table = sig_bytes(in, at, per * 4);

        if (table == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < per; i++) {
            const uint32_t value = bytes_u32le(table + 4 * i), sector = state->next * per + i;

            if (value == OLE2_NONE)
                continue;
            state->last_used = sector;
            if (value >= OLE2_DIFAT)
                continue;
            if (value >= ole2_sectors(state) || value == sector)
                return ole2_bad(state, at, "the allocation table points outside the file");
            if (!ole2_mark(state, value))
                return ole2_bad(state, at, "two chains share a sector");
        }
    }
    if (state->last_used < state->dir_start)
        return ole2_bad(state, 0, "the allocation table does not list the directory");
    for (uint32_t i = 0; i < state->fat_count; i++)
        if (state->memory[i] > state->last_used)
            return ole2_bad(state, 0, "the allocation table does not list itself");
    return STEP_DONE;
}

/* Follows a chain from first on to its end; it must have at least `need` sectors. */
static enum step ole2_chain(struct sig_input *in, struct ole2_state *state, uint32_t first,
                            uint64_t need)
{
    if (!state->chain_open) {
        if (first > state->last_used || !ole2_mark(state, first))
            return ole2_bad(state, 0, "a stream begins in the middle of another");
        state->chain_open = true;
        state->chain_sector = first;
        state->chain_len = 0;
    }
    while (state->chain_sector != OLE2_END) {
        uint32_t next;
        const enum step step = ole2_follow(in, state, state->chain_sector, &next);

        if (step != STEP_DONE)
            return step;
        if (state->budget == 0)
            return ole2_bad(state, 0, "chains are longer than the file");
        state->budget--;
        state->chain_len++;
        state->chain_sector = next;
    }
    state->chain_open = false;
    if (state->chain_len < need)
        return ole2_bad(state, ole2_offset(state, first), "a stream is shorter than its size");
    /* The directory of another file mostly says so. */
    if (in->thorough && state->chain_len > need + OLE2_SPARE)
        return ole2_bad(state, ole2_offset(state, first), "a chain is longer than its stream");
    return STEP_DONE;
}

/* The table of the 64-byte pieces: no piece behind the end of the root's stream is in use. */
static enum step ole2_minifat(struct sig_input *in, struct ole2_state *state)
{
    const uint32_t per = ole2_per_sector(state);
    const uint64_t pieces = (state->mini_size + (1u << OLE2_MINI_SHIFT) - 1) >> OLE2_MINI_SHIFT;

    if (state->next == 0)
        state->dir_sector = state->minifat_start;
    for (; state->next < state->minifat_count; state->next++) {
        const uint32_t sector = state->dir_sector;
        const uint64_t at = ole2_offset(state, sector);

        if (sector > state->last_used)
            return ole2_bad(state, 0, "the mini table is shorter than its size");
        const uint8_t *table = sig_bytes(in, at, per * 4);
        if (table == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < per; i++) {
            const uint32_t value = bytes_u32le(table + 4 * i);

            if (value != OLE2_NONE && (value != OLE2_END && value >= pieces))
                return ole2_bad(state, at, "the mini table points outside its stream");
        }
        const enum step step = ole2_follow(in, state, sector, &state->dir_sector);
        if (step != STEP_DONE)
            return step;
    }
    return state->minifat_count == 0
               ? STEP_DONE
               : ole2_chain(in, state, state->minifat_start, state->minifat_count);
}

/* One entry: kind, name, and its chain. Zero-sized streams may say anything of where they begin. */
static enum step ole2_entry(struct sig_input *in, struct ole2_state *state, uint64_t at)
{
    const uint8_t *entry = sig_bytes(in, at, OLE2_ENTRY);

    if (entry == NULL)
        return STEP_WAIT;
    const uint32_t kind = entry[66], len = bytes_u16le(entry + 64),
                   start = bytes_u32le(entry + 116);
    const uint64_t size = state->version == 3 ? bytes_u32le(entry + 120) : bytes_u64le(entry + 120);
    const bool is_root = kind == 5;

    if (kind == 0)
        return STEP_DONE;
    if (kind > 5 || kind == 3 || kind == 4 || is_root != (state->next == 0 && state->entry == 0) ||
        entry[67] > 1 || len > 64 || len % 2 != 0)
        return ole2_bad(state, at, "invalid directory entry");
    if (!is_root && (len < 4 || bytes_u16le(entry + len - 2) != 0 || bytes_u16le(entry) == 0))
        return ole2_bad(state, at, "a directory entry has no valid name");
    if (kind == 1 || size == 0)
        return STEP_DONE;
    if (size > (ole2_sectors(state) << state->shift))
        return ole2_bad(state, at, "a stream is larger than the file");
    if (!is_root && size < OLE2_CUTOFF) {
        const uint64_t pieces_at = (uint64_t)start << OLE2_MINI_SHIFT;

        return pieces_at < state->mini_size && size <= state->mini_size
                   ? STEP_DONE
                   : ole2_bad(state, at, "a short stream lies outside the mini stream");
    }
    return ole2_chain(in, state, start, (size + (1u << state->shift) - 1) >> state->shift);
}

/*
 * Some writers mark the whole rest of the table as chains of one sector, in which no stream begins:
 * they are not in the file. Where the table ends otherwise, a lost sector is taken for one.
 */
static enum step ole2_orphans(struct sig_input *in, struct ole2_state *state)
{
    if (!state->has_bits || state->last_used + UINT64_C(1) != ole2_sectors(state))
        return STEP_DONE;
    while (state->last_used > 0 &&
           (state->memory[state->bits_at + state->last_used / 32] >> state->last_used % 32 & 1) ==
               0) {
        uint32_t next;
        const enum step step = ole2_follow(in, state, state->last_used, &next);

        if (step != STEP_DONE || next != OLE2_END)
            return step == STEP_WAIT ? step : STEP_DONE;
        state->last_used--;
    }
    return STEP_DONE;
}

static enum step ole2_directory(struct sig_input *in, struct ole2_state *state)
{
    const uint32_t entries = (1u << state->shift) / OLE2_ENTRY;

    for (;;) {
        for (; state->entry < entries; state->entry++) {
            const enum step step = ole2_entry(
                in, state, ole2_offset(state, state->dir_sector) + state->entry * OLE2_ENTRY);

            if (step != STEP_DONE)
                return step;
        }
        uint32_t next;
        const enum step step = ole2_follow(in, state, state->dir_sector, &next);
        if (step != STEP_DONE)
            return step;
        if (state->dirs_at + state->next < OLE2_MEMORY)
            state->memory[state->dirs_at + state->next] = state->dir_sector;
        if (state->next >= state->last_used) /* longer than the file: a circle */
            return ole2_bad(state, ole2_offset(state, state->dir_start),
                            "the directory has no end");
        state->next++;
        if (next == OLE2_END)
            break;
        state->entry = 0;
        state->dir_sector = next;
    }
    if (state->dir_count != 0 && state->next != state->dir_count)
        return ole2_bad(state, ole2_offset(state, state->dir_start),
                        "the length of the directory differs from the header");
    state->dir_count = state->next;
    if (state->has_bits && !ole2_mark(state, state->dir_start))
        return ole2_bad(state, ole2_offset(state, state->dir_start),
                        "another chain leads into the directory");
    return ole2_orphans(in, state);
}

/* The entries of the root storage alone: a document embedded in this one has streams of the same
 * names. */
static enum step ole2_names(struct sig_input *in, struct ole2_state *state)
{
    const uint32_t entries = (1u << state->shift) / OLE2_ENTRY, all = state->dir_count * entries;

    while (state->stack_len > 0 && state->visited < all &&
           state->dirs_at + state->dir_count <= OLE2_MEMORY) {
        const uint32_t id = state->stack[state->stack_len - 1];

        if (id >= all)
            return ole2_bad(state, ole2_offset(state, state->dir_start),
                            "a directory entry points to one that does not exist");
        const uint64_t at = ole2_offset(state, state->memory[state->dirs_at + id / entries]) +
                            id % entries * OLE2_ENTRY;
        const uint8_t *entry = sig_bytes(in, at, OLE2_ENTRY);
        if (entry == NULL)
            return STEP_WAIT;
        if (entry[66] == 0)
            return ole2_bad(state, at, "a directory entry points to an empty one");
        const struct ole2_stream stream = { .start = bytes_u32le(entry + 116),
                                            .size = entry[66] == 2 ? bytes_u32le(entry + 120) : 0 };
        const uint32_t left = bytes_u32le(entry + 68), right = bytes_u32le(entry + 72);

        state->visited++;
        state->stack_len--;
        ole2_name(state, entry, bytes_u16le(entry + 64) / 2u - 1, &stream);
        if (left != OLE2_NONE && state->stack_len < OLE2_STACK)
            state->stack[state->stack_len++] = left;
        if (right != OLE2_NONE && state->stack_len < OLE2_STACK)
            state->stack[state->stack_len++] = right;
    }
    return STEP_DONE;
}

/* Is this a sector of a directory? Of a former one, since it is not in use. */
static bool ole2_is_directory(const uint8_t *sector, uint32_t len)
{
    static const uint8_t zeros[64];

    for (uint32_t at = 0; at < len; at += OLE2_ENTRY) {
        const uint8_t *entry = sector + at;
        const uint32_t name = bytes_u16le(entry + 64);

        if (entry[66] == 0 && name == 0 && at > 0 && memcmp(entry, zeros, 64) == 0)
            continue;
        if ((entry[66] != 1 && entry[66] != 2 && entry[66] != 5) || entry[67] > 1 || name < 4 ||
            name > 64 || name % 2 != 0 || memcmp(entry + name - 2, zeros, 66 - name) != 0 ||
            memcmp(entry + 100, zeros, 8) != 0)
            return false;
    }
    return true;
}

/* LibreOffice leaves the sectors of former directories behind the last one in use. */
static enum step ole2_end(struct sig_input *in, struct ole2_state *state)
{
    while (state->last_used + UINT64_C(1) < ole2_sectors(state)) {
        const uint8_t *sector =
            sig_bytes(in, ole2_offset(state, state->last_used + 1), 1u << state->shift);

        if (sector == NULL && in->wanted <= in->limit)
            return STEP_WAIT;
        if (sector == NULL || !ole2_is_directory(sector, 1u << state->shift))
            break;
        state->last_used++;
    }
    return STEP_DONE;
}

static enum step ole2_phase(struct sig_input *in, struct ole2_state *state)
{
    switch ((enum ole2_phase)state->phase) {
    case OLE2_AT_DIFAT:
        return ole2_difat(in, state);
    case OLE2_AT_ROOT:
        return ole2_root(in, state);
    case OLE2_AT_FAT:
        return ole2_fat(in, state);
    case OLE2_AT_MINIFAT:
        return ole2_minifat(in, state);
    case OLE2_AT_DIRECTORY:
        return ole2_directory(in, state);
    case OLE2_AT_NAMES:
        return ole2_names(in, state);
    case OLE2_AT_CONTENT:
        return ole2_content(in, state);
    default:
        return ole2_end(in, state);
    }
}

static uint32_t ole2_live(const void *memory)
{
    const struct ole2_state *state = memory;
    const uint64_t dirs = state->next > state->dir_count ? state->next : state->dir_count;
    const uint64_t words = state->dirs_at + dirs + 1;

    /* Before the header is read nothing says how many of those zeros are bits. */
    return (uint32_t)offsetof(struct ole2_state, memory) +
           (uint32_t)(state->fat_count != 0 && words < OLE2_MEMORY ? words : OLE2_MEMORY) *
               (uint32_t)sizeof state->memory[0];
}

static struct sig_result ole2_check(struct sig_input *in, void *memory)
{
    struct ole2_state *state = memory;

    if (state->phase == OLE2_AT_HEAD) {
        const uint8_t *head = sig_bytes(in, 0, OLE2_HEADER);
        if (head == NULL)
            return sig_short(in);
        const char *why = ole2_head(head, state);
        if (why != NULL)
            return sig_reject(why);
        state->phase = OLE2_AT_DIFAT;
    }
    while (state->phase <= OLE2_AT_END) {
        const enum step step = ole2_phase(in, state);

        if (step == STEP_WAIT && state->phase > OLE2_AT_FAT && in->wanted > in->limit)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD) {
            if (state->phase > OLE2_AT_FAT || (state->phase == OLE2_AT_FAT && state->next > 0))
                sig_valid(in, state->bad_at > OLE2_HEADER ? state->bad_at : OLE2_HEADER * 2);
            return sig_breaks(in, state->why);
        }
        if (state->phase == OLE2_AT_NAMES)
            in->type = ole2_type(state);
        state->phase++;
        state->next = state->entry = 0;
        state->dir_sector = state->dir_start;
    }
    return sig_complete(in, ole2_offset(state, state->last_used + 1),
                        "every chain ends, and the last sector in use is there");
}

const struct sig sig_ole2 = {
    .name = "ole",
    .what = "OLE compound file: Word, Excel, PowerPoint 97-2003, Outlook messages, installers, "
            "Visio, Publisher, ...",
    .proves = "every chain of sectors ends and none is shared; sheets, slides and texts of Word "
              "read as records",
    .source = "[MS-CFB] 2.2 to 2.6; [MS-DOC] 2.5, [MS-XLS] 2.1, [MS-PPT] 2.1, [MS-OLEPS] 2.21 for "
              "what is in it",
    .types = ole2_types,
    .headers = { SIG_MASKED(
                     "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1??????????????????\x03\0\xfe\xff\x09\0\x06\0",
                     "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff"
                     "\xff\xff\xff"
                     "\xff\xff\xff"),
                 SIG_MASKED(
                     "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1??????????????????\x04\0\xfe\xff\x0c\0\x06\0",
                     "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff"
                     "\xff\xff\xff"
                     "\xff\xff\xff") },
    .flags = SIG_CONTAINER,
    .size_min = 3 * 512,
    .size_max = UINT64_C(1) << 37,
    .state_size = sizeof(struct ole2_state),
    .state_live = ole2_live,
    .check = ole2_check,
    .marks = ole2_marks,
    .is_vague = ole2_is_vague,
    .is_mark = ole2_is_mark,
    .may_be_mark = ole2_may_be_mark,
    .facts = ole2_facts,
};
