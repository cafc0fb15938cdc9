/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tiff.c - TIFF, BigTIFF, and the camera formats that are TIFF inside.
 *
 *   "II" or "MM" | u16 42 (43: BigTIFF) | offset of the first directory
 *   directory: number of entries | entries: tag, type, count, value or its offset | offset of the
 * next directory
 *
 * Nothing says how long the file is: it ends where the last of its directories, values and strips
 * does. All directories are read (pages, SubIFDs, Exif, GPS), every strip's place and size is
 * compared with width, height and depth, and what is compressed in a way we know is followed to its
 * end.
 *
 * The Exif block of a JPEG is a TIFF file too, but for the picture: without a picture in the first
 * directory, or in one of its SubIFDs, there is no file. Only some writers of Panasonic's files
 * tell how much raw data there is (tiff_picture.c).
 */
#include <string.h>

#include "signatures/lib/inflate.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/picture/tiff.h"

enum {
    TIFF_HEADER = 8,
    TIFF_WIDE_HEADER = 16,
    TIFF_DOUBTFUL = 4096, /* bytes of the first strip; where those are wrong already the rest is not
                             there either */
};

enum {
    TIFF_TYPE_TIFF,
    TIFF_TYPE_DNG,
    TIFF_TYPE_CR2,
    TIFF_TYPE_ORF,
    TIFF_TYPE_RW2,
    TIFF_TYPE_JXR,
    TIFF_TYPE_MAKES
};

static const struct sig_type tiff_types[] = {
    { "tiff", "tif" }, { "dng", "dng" }, { "cr2", "cr2" }, { "orf", "orf" },
    { "rw2", "rw2" },  { "jxr", "jxr" }, { "nef", "nef" }, { "arw", "arw" },
    { "pef", "pef" },  { "pef", "pef" }, { "srw", "srw" }, { "3fr", "3fr" },
    { "erf", "erf" },  { "dcr", "dcr" }, { "dcr", "dcr" }, { 0 },
};

/* The beginnings of names in the entry Make; in the order of the types from TIFF_TYPE_MAKES on. */
static const char *const tiff_makes[] = { "NIKON",  "SONY",  "PENTAX", "RICOH",  "SAMSUNG",
                                          "Hassel", "SEIKO", "Kodak",  "EASTMAN" };

static const struct sig_type *tiff_type(const struct tiff_state *state)
{
    uint32_t type = TIFF_TYPE_TIFF;

    if (state->dng)
        type = TIFF_TYPE_DNG;
    else if (state->canon)
        type = TIFF_TYPE_CR2;
    else if (state->magic != TIFF_CLASSIC)
        type = state->magic == TIFF_ORF   ? TIFF_TYPE_ORF
               : state->magic == TIFF_RW2 ? TIFF_TYPE_RW2
                                          : TIFF_TYPE_JXR;
    else
        for (uint32_t i = 0; state->camera_raw && i < sizeof tiff_makes / sizeof tiff_makes[0]; i++)
            if (memcmp(state->make, tiff_makes[i], strlen(tiff_makes[i])) == 0)
                type = TIFF_TYPE_MAKES + i;
    return &tiff_types[type];
}

static bool tiff_push(struct tiff_state *state, uint64_t at, enum tiff_kind kind)
{
    if (state->pending_count == TIFF_PENDING_MAX || at < TIFF_HEADER)
        return false;
    state->pending[state->pending_count].at = at;
    state->pending[state->pending_count++].kind = kind;
    return true;
}

static enum step tiff_header(struct sig_input *in, struct tiff_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, TIFF_WIDE_HEADER);

    if (head == NULL)
        return STEP_WAIT;
    state->big = head[0] == 'M';
    const uint32_t magic = tiff_u16(state, head + 2);
    state->wide = magic == 43;
    state->magic = magic == 42 || magic == 43 ? TIFF_CLASSIC
                   : magic == 0x55            ? TIFF_RW2
                   : magic == 0x1bc           ? TIFF_JXR
                                              : TIFF_ORF;
    state->canon = memcmp(head + 8, "CR\2", 3) == 0;
    const uint64_t first = state->wide ? tiff_u64(state, head + 8) : tiff_u32(state, head + 4);
    *why = "the first directory lies inside the header";
    return tiff_push(state, first, TIFF_FIRST) &&
                   first >= (state->wide ? TIFF_WIDE_HEADER : TIFF_HEADER)
               ? STEP_DONE
               : STEP_BAD;
}

/* Takes the next directory and reads it. */
static enum step tiff_next(struct sig_input *in, struct tiff_state *state, const char **why)
{
    const uint64_t at = state->pending[state->pending_count - 1].at;
    const enum tiff_kind kind = state->pending[state->pending_count - 1].kind;
    const enum step step = tiff_directory(in, state, at, kind, why);

    if (step != STEP_DONE)
        return step;
    const struct tiff_directory *dir = &state->dir;
    state->pending_count--;
    *why = "the directories lead in a circle";
    state->walked += dir->end - dir->at + dir->places.count * dir->places.width +
                     dir->sizes.count * dir->sizes.width;
    if (++state->directories > TIFF_DIRECTORIES_MAX || state->walked > state->end ||
        state->walked > in->limit)
        return STEP_BAD;
    if (kind == TIFF_FIRST || kind == TIFF_PAGE) {
        if (at == state->mark)
            return STEP_BAD;
        if ((state->lap & (state->lap + 1)) == 0)
            state->mark = at;
        state->lap++;
    }
    state->dng |= dir->dng;
    *why = "there is no picture in the first directory";
    if (kind == TIFF_FIRST && dir->subs.count == 0 && dir->raw_at == 0 &&
        (dir->width == 0 || dir->height == 0 || (dir->places.count == 0 && dir->jpeg_at == 0)))
        return STEP_BAD;
    *why = "there are too many directories";
    return dir->next == 0 || tiff_push(state, dir->next, kind == TIFF_FIRST ? TIFF_PAGE : kind)
               ? STEP_DONE
               : STEP_BAD;
}

static enum step tiff_bits(struct sig_input *in, struct tiff_state *state)
{
    struct tiff_directory *dir = &state->dir;
    uint64_t bits = 1, all = 0, value;

    for (uint64_t i = 0; i < dir->samples && i < TIFF_SAMPLES_MAX; i++) {
        if (i < dir->bits_each.count &&
            tiff_pick(in, state, &dir->bits_each, i, &bits) == STEP_WAIT)
            return STEP_WAIT;
        all += bits > 64 ? 64 : bits;
    }
    dir->bits = (uint32_t)all;
    dir->sub_h = dir->sub_v = dir->photometric == TIFF_YCBCR ? 2 : 1;
    if (dir->sub_each.count == 2) {
        if (tiff_pick(in, state, &dir->sub_each, 0, &value) == STEP_WAIT)
            return STEP_WAIT;
        dir->sub_h = (uint32_t)value;
        if (tiff_pick(in, state, &dir->sub_each, 1, &value) == STEP_WAIT)
            return STEP_WAIT;
        dir->sub_v = (uint32_t)value;
    }
    return STEP_DONE;
}

/* Values that stand elsewhere: bits, the camera's maker, the directories below this one. */
static enum step tiff_values(struct sig_input *in, struct tiff_state *state, const char **why)
{
    const struct tiff_directory *dir = &state->dir;
    const struct tiff_numbers *const metas[] = { &dir->exif, &dir->gps, &dir->interop };
    const uint32_t before = state->pending_count;
    uint64_t at;

    *why = "invalid directory below this one";
    if (tiff_bits(in, state) == STEP_WAIT)
        return STEP_WAIT;
    if (dir->kind == TIFF_FIRST && dir->make.count > 0) {
        const uint32_t len =
            dir->make.count < TIFF_MAKE_LEN ? (uint32_t)dir->make.count : TIFF_MAKE_LEN;
        const uint8_t *make = sig_bytes(in, dir->make.at, len);

        if (make == NULL)
            return STEP_WAIT;
        memcpy(state->make, make, len);
    }
    for (uint64_t i = 0; i < dir->subs.count; i++) {
        const enum step step = tiff_pick(in, state, &dir->subs, i, &at);

        if (step == STEP_WAIT)
            state->pending_count = before;
        if (step == STEP_WAIT ||
            !tiff_push(state, at, dir->kind == TIFF_META ? TIFF_META : TIFF_SUB))
            return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    }
    for (uint32_t i = 0; i < sizeof metas / sizeof metas[0]; i++) {
        const bool there = metas[i]->count == 1;

        if (there && tiff_pick(in, state, metas[i], 0, &at) == STEP_WAIT) {
            state->pending_count = before;
            return STEP_WAIT;
        }
        if (there && at != 0 && !tiff_push(state, at, TIFF_META))
            return STEP_BAD;
    }
    return STEP_DONE;
}

static enum step tiff_walk(struct sig_input *in, struct tiff_state *state, const char **why)
{
    for (;;) {
        enum step step;

        switch (state->phase) {
        case TIFF_AT_HEADER:
            step = tiff_header(in, state, why);
            break;
        case TIFF_AT_DIRECTORY:
            if (state->pending_count == 0)
                return STEP_DONE;
            step = tiff_next(in, state, why);
            state->piece = state->strip.at = 0;
            break;
        case TIFF_AT_VALUES:
            step = tiff_values(in, state, why);
            break;
        default:
            step = tiff_picture(in, state, why);
            break;
        }
        if (step != STEP_DONE)
            return step;
        state->phase = state->phase == TIFF_AT_STRIPS ? TIFF_AT_DIRECTORY : state->phase + 1;
    }
}

static struct sig_result tiff_check(struct sig_input *in, void *memory)
{
    struct tiff_state *state = memory;
    const char *why = NULL;
    const enum step step = tiff_walk(in, state, &why);

    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    in->type = tiff_type(state);
    if (step != STEP_DONE) {
        if (state->strip.at > state->strip.from + TIFF_DOUBTFUL ||
            (state->strip.at != 0 && (state->pictures > 0 || state->piece > 0)))
            sig_valid(in, state->strip.at < in->limit ? state->strip.at : in->limit);
        else if (state->pictures > 0)
            sig_valid(in, state->end < in->limit ? state->end : in->limit);
        return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
    }
    if (state->pictures == 0)
        return sig_reject("there is no picture in the first directory or below it");
    if (!state->opaque)
        return sig_complete(in, state->end, "every strip decodes to its part of the picture");
    why = "every directory and strip has its place";
    if (state->previews) /* one that begins on a sector is no sign of another file */
        return sig_complete(in, state->end, why);
    return sig_believe(in, state->end, why);
}

static uint32_t tiff_live(const void *memory)
{
    const struct tiff_state *state = memory;
    const struct tiff_strip *strip = &state->strip;
    const bool deflate =
        state->dir.compression == TIFF_DEFLATE || state->dir.compression == TIFF_DEFLATE_OLD;
    const bool begun = state->phase == TIFF_AT_STRIPS && state->magic != TIFF_JXR && deflate &&
                       strip->at != 0 && strip->at != strip->from;

    return (uint32_t)offsetof(struct tiff_state, inflate) +
           (begun ? inflate_live(&state->inflate) : 0);
}

const struct sig sig_tiff = {
    .name = "tiff",
    .what = "TIFF picture, BigTIFF; camera raw files that are TIFF inside; JPEG XR",
    .proves = "directories and strips have their places; strips decode to their part, or look like "
              "pixels",
    .source = "Adobe, TIFF revision 6.0 (1992), technical notes 1 and 2 (1995, 2002); AWare "
              "Systems, BigTIFF; Adobe, "
              "DNG 1.7; ITU-T T.832 annex A (JPEG XR); the ExifTool tables of maker formats",
    .types = tiff_types,
    .headers = { SIG_PATTERN("II*\0"), SIG_PATTERN("MM\0*"), SIG_PATTERN("II+\0\x08\0\0\0"),
                 SIG_PATTERN("MM\0+\0\x08\0\0"), SIG_PATTERN("IIRO\x08\0\0\0"),
                 SIG_PATTERN("IIRS\x08\0\0\0"), SIG_PATTERN("MMOR\0\0\0\x08"),
                 SIG_MASKED("IIU\0??\0\0", "\xff\xff\xff\xff\0\0\xff\xff"),
                 SIG_PATTERN("II\xbc\1") },
    .flags = SIG_CONTAINER | SIG_UNPACKS,
    .size_min = 64,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct tiff_state),
    .state_clean = offsetof(struct tiff_state, inflate),
    .state_live = tiff_live,
    .check = tiff_check,
    .facts = tiff_facts,
};
