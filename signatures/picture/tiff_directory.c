/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tiff_directory.c - the entries of one directory; TIFF 6.0 section 2, BigTIFF.
 */
#include <string.h>

#include "signatures/picture/tiff.h"

enum {
    TIFF_ODD_SHARE = 8, /* one entry of so many may be out of order or of a type unknown: some
                           writers are careless */
    TIFF_TYPE_MAX = 18,
};

static const uint8_t tiff_type_bytes[TIFF_TYPE_MAX + 1] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                                            8, 4, 8, 4, 0, 0, 8, 8, 8 };

struct tiff_entry {
    uint32_t tag, type;
    uint64_t count, size, at; /* at: object offset of the values */
};

enum step tiff_pick(struct sig_input *in, const struct tiff_state *state,
                    const struct tiff_numbers *numbers, uint64_t i, uint64_t *value)
{
    const uint8_t *bytes = sig_bytes(in, sig_add(numbers->at, i * numbers->width), numbers->width);

    if (bytes == NULL)
        return STEP_WAIT;
    *value = tiff_number(state, bytes, numbers->width);
    return STEP_DONE;
}

static bool tiff_is_integer(uint32_t type)
{
    return type == 1 || type == 3 || type == 4 || type == 13 || type >= 16;
}

/* Entry `bytes` at object offset at. False: of a type that is not known, or with values that cannot
 * lie where it says. */
static bool tiff_entry(const struct tiff_state *state, const uint8_t *bytes, uint64_t at,
                       struct tiff_entry *entry)
{
    const uint32_t room = state->wide ? 8 : 4;

    entry->tag = tiff_u16(state, bytes);
    entry->type = tiff_u16(state, bytes + 2);
    entry->count = state->wide ? tiff_u64(state, bytes + 4) : tiff_u32(state, bytes + 4);
    if (entry->type > TIFF_TYPE_MAX || tiff_type_bytes[entry->type] == 0 ||
        entry->count > UINT64_C(1) << 40)
        return false;
    entry->size = entry->count * tiff_type_bytes[entry->type];
    entry->at = at + 4 + room;
    if (entry->size > room) {
        const uint8_t *place = bytes + 4 + room;

        entry->at = state->wide ? tiff_u64(state, place) : tiff_u32(state, place);
        const uint64_t end = sig_add(entry->at, entry->size);
        if (entry->at < 8 || end == UINT64_MAX ||
            (entry->at < state->dir.end && end > state->dir.at))
            return false;
    }
    return true;
}

static void tiff_numbers(struct tiff_numbers *numbers, const struct tiff_entry *entry)
{
    if (!tiff_is_integer(entry->type) && entry->type != 2)
        return;
    *numbers = (struct tiff_numbers){ .at = entry->at,
                                      .count = entry->count,
                                      .width = tiff_type_bytes[entry->type] };
}

/* What is told by tables of numbers, or by names. */
static bool tiff_take_table(struct tiff_state *state, const struct tiff_entry *entry)
{
    struct tiff_directory *dir = &state->dir;

    switch (entry->tag) {
    case 258:
        tiff_numbers(&dir->bits_each, entry);
        return true;
    case 271:
        if (entry->count >= TIFF_MAKE_LEN / 2)
            tiff_numbers(&dir->make, entry);
        return true;
    case 273:
    case 324:
        tiff_numbers(&dir->places, entry);
        dir->tiled = entry->tag == 324;
        return true;
    case 279:
    case 325:
        tiff_numbers(&dir->sizes, entry);
        return true;
    case 330:
        tiff_numbers(&dir->subs, entry);
        return true;
    case 530:
        tiff_numbers(&dir->sub_each, entry);
        return true;
    case 0xbcc0: /* JPEG XR */
        tiff_numbers(&dir->places, entry);
        return true;
    case 0xbcc1:
        tiff_numbers(&dir->sizes, entry);
        return true;
    case 34665:
        tiff_numbers(&dir->exif, entry);
        return true;
    case 34853:
        tiff_numbers(&dir->gps, entry);
        return true;
    case 40965:
        tiff_numbers(&dir->interop, entry);
        return true;
    case 50706:
        dir->dng = true;
        return true;
    default:
        return false;
    }
}

/* What is told by one number. */
static void tiff_take_number(struct tiff_state *state, uint32_t tag, uint64_t value)
{
    struct tiff_directory *dir = &state->dir;
    const bool rw2 = state->magic == TIFF_RW2 && dir->kind <= TIFF_PAGE;

    switch (tag) {
    case 2:
        dir->raw_width = rw2 ? value : 0;
        break;
    case 3:
        dir->raw_height = rw2 ? value : 0;
        break;
    case 0x2d:
        dir->raw_format = rw2 ? (uint32_t)value : 0;
        break;
    case 256:
    case 0xbc80:
        dir->width = value;
        break;
    case 257:
    case 0xbc81:
        dir->height = value;
        break;
    case 259:
        dir->compression = (uint32_t)value;
        break;
    case 262:
        dir->photometric = (uint32_t)value;
        break;
    case 266:
        dir->fill_order = (uint32_t)value;
        break;
    case 277:
        dir->samples = (uint32_t)value;
        break;
    case 278:
        dir->rows = value;
        break;
    case 0x118:
        dir->raw_at = rw2 ? value : 0;
        break;
    case 284:
        dir->planar = (uint32_t)value;
        break;
    case 322:
        dir->tile_width = value;
        break;
    case 323:
        dir->tile_height = value;
        break;
    case 513:
        dir->jpeg_at = value;
        break;
    case 514:
        dir->jpeg_len = value;
        break;
    default:
        break;
    }
}

/* All entries, whose bytes are at hand. NULL: right. */
static const char *tiff_entries(struct tiff_state *state, const uint8_t *bytes, uint64_t count,
                                uint64_t at)
{
    const uint32_t size = state->wide ? 20 : 12, head = state->wide ? 12 : 8;
    uint64_t odd = 0, reach = state->dir.end;
    uint32_t last = 0;

    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at_entry = bytes + i * size;
        struct tiff_entry entry;

        if (!tiff_entry(state, at_entry, at + i * size, &entry)) {
            odd++;
            continue;
        }
        odd += i > 0 && entry.tag <= last;
        last = entry.tag;
        if (entry.size > (state->wide ? 8u : 4u) && entry.at + entry.size > reach)
            reach = entry.at + entry.size;
        if (!tiff_take_table(state, &entry) && entry.count == 1 && tiff_is_integer(entry.type) &&
            entry.size <= size - head)
            tiff_take_number(state, entry.tag,
                             tiff_number(state, at_entry + head, tiff_type_bytes[entry.type]));
    }
    if (odd * TIFF_ODD_SHARE > count)
        return "a directory has invalid entries";
    tiff_reach(state, reach);
    return NULL;
}

enum step tiff_directory(struct sig_input *in, struct tiff_state *state, uint64_t at,
                         enum tiff_kind kind, const char **why)
{
    const uint32_t count_len = state->wide ? 8 : 2, size = state->wide ? 20 : 12,
                   next_len = state->wide ? 8 : 4;
    const uint8_t *bytes = sig_bytes(in, at, count_len);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint64_t count = tiff_number(state, bytes, (uint8_t)count_len);
    *why = "a directory has no entries, or too many";
    if (count == 0 || count > TIFF_ENTRIES_MAX)
        return STEP_BAD;
    const uint32_t len = (uint32_t)count * size;
    bytes = sig_bytes(in, at + count_len, len + next_len);
    if (bytes == NULL)
        return STEP_WAIT;
    state->dir = (struct tiff_directory){
        .at = at,
        .end = at + count_len + len + next_len,
        .kind = kind,
        .compression = TIFF_PLAIN,
        .samples = 1,
        .planar = 1,
        .fill_order = 1,
        .next = kind == TIFF_META ? 0 : tiff_number(state, bytes + len, (uint8_t)next_len),
    };
    *why = tiff_entries(state, bytes, count, at + count_len);
    return *why == NULL ? STEP_DONE : STEP_BAD;
}
