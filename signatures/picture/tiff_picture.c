/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tiff_picture.c - the strips or tiles of one directory: how many, how large,
 * where; TIFF 6.0 sections 3, 15, 21, 22. */
#include <string.h>

#include "signatures/picture/tiff.h"

enum {
    TIFF_FAX_TIMES = 5,          /* fax codes of pixels that alternate take more than the pixels */
    TIFF_STRIP_SLACK = 16,       /* bytes that a plain strip may have more than its pixels */
    TIFF_COMPRESSED_SLACK = 4096 /* that a compressed one may have more than twice of them */
};

/* Registered numbers, and those of cameras; anything else is chance. */
static bool tiff_compression_known(uint32_t compression)
{
    static const uint16_t known[] = { 32766, 32767, 32769, 32770, 32771, 32772, 32773, 32809,
                                      32895, 32896, 32897, 32898, 32908, 32909, 32946, 32947,
                                      33003, 33005, 34661, 34676, 34677, 34712, 34713, 34715,
                                      34718, 34719, 34720, 34887, 34892, 34925, 34926, 34927,
                                      34933, 34934, 50000, 50001, 50002, 52546, 65000, 65535 };

    if (compression >= 1 && compression <= 10)
        return true;
    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == compression)
            return true;
    return false;
}

static bool tiff_is_raw(const struct tiff_directory *dir)
{
    return dir->photometric == TIFF_CFA || dir->photometric == TIFF_LINEAR_RAW;
}

static uint64_t tiff_parts(uint64_t whole, uint64_t part)
{
    return (whole + part - 1) / part;
}

/* Bytes of width x rows pixels in a plane. */
static uint64_t tiff_bytes(const struct tiff_directory *dir, uint64_t width, uint64_t rows,
                           bool first_plane)
{
    const uint64_t sample = dir->bits / dir->samples;

    if (dir->photometric == TIFF_YCBCR && (dir->planar != 2 || !first_plane)) {
        const uint64_t units = tiff_parts(width, dir->sub_h) * tiff_parts(rows, dir->sub_v);

        return (units * sample * (dir->planar == 2 ? 1 : dir->sub_h * dir->sub_v + 2u) + 7) / 8;
    }
    return (width * (dir->planar == 2 ? sample : dir->bits) + 7) / 8 * rows;
}

/* NULL when dimensions, samples and tables go together. */
static const char *tiff_geometry(const struct tiff_state *state)
{
    const struct tiff_directory *dir = &state->dir;

    if (dir->width == 0 || dir->height == 0 || dir->width > TIFF_SIDE_MAX ||
        dir->height > TIFF_SIDE_MAX)
        return "width or height is out of range";
    if (state->magic == TIFF_JXR)
        return dir->places.count == 1 && dir->sizes.count == 1 ? NULL
                                                               : "a picture has no place or size";
    if (!tiff_compression_known(dir->compression))
        return "unknown compression";
    if (dir->samples == 0 || dir->samples > TIFF_SAMPLES_MAX || dir->bits < dir->samples ||
        dir->bits > 64 * dir->samples || dir->planar < 1 || dir->planar > 2 ||
        dir->fill_order < 1 || dir->fill_order > 2 || dir->sub_h < 1 || dir->sub_h > 4 ||
        dir->sub_v < 1 || dir->sub_v > 4)
        return "invalid samples of a picture";
    const uint64_t planes = dir->planar == 2 ? dir->samples : 1;
    if (dir->tiled && (dir->tile_width == 0 || dir->tile_height == 0 ||
                       dir->tile_width > TIFF_SIDE_MAX || dir->tile_height > TIFF_SIDE_MAX))
        return "the tiles have no valid size";
    const uint64_t count = planes * (dir->tiled ? tiff_parts(dir->width, dir->tile_width) *
                                                      tiff_parts(dir->height, dir->tile_height)
                                                : tiff_parts(dir->height, dir->rows));
    if (dir->places.count != count)
        return "the number of strips differs from what the height needs";
    if (dir->sizes.width == 0 ? dir->compression != TIFF_PLAIN : dir->sizes.count != count)
        return "the strips have no sizes";
    return NULL;
}

/* What strip number piece decodes to; least and most. */
static void tiff_room(struct tiff_state *state)
{
    const struct tiff_directory *dir = &state->dir;
    struct tiff_strip *strip = &state->strip;
    const uint64_t planes = dir->planar == 2 ? dir->samples : 1,
                   in_plane = dir->places.count / planes;
    const bool first_plane = state->piece < in_plane;

    if (dir->tiled) {
        strip->least = tiff_bytes(dir, dir->tile_width, dir->tile_height, first_plane);
        strip->most = strip->least;
    } else {
        const uint64_t above = state->piece % in_plane * dir->rows, below = dir->height - above;

        strip->most = tiff_bytes(dir, dir->width, dir->rows, first_plane);
        strip->least =
            tiff_bytes(dir, dir->width, below < dir->rows ? below : dir->rows, first_plane);
    }
}

static bool tiff_size_ok(const struct tiff_state *state, uint64_t size)
{
    const struct tiff_directory *dir = &state->dir;
    const struct tiff_strip *strip = &state->strip;

    if (state->magic == TIFF_CLASSIC && !tiff_is_raw(dir) && dir->compression == TIFF_PLAIN)
        return size >= strip->least && size <= strip->most + TIFF_STRIP_SLACK;
    const uint32_t times = dir->compression >= 2 && dir->compression <= 4 ? TIFF_FAX_TIMES : 2;

    return size > 0 && size <= times * strip->most + TIFF_COMPRESSED_SLACK;
}

/* Place and size of strip number piece. STEP_DONE with to 0: it is left out. */
static enum step tiff_place(struct sig_input *in, struct tiff_state *state, const char **why)
{
    const struct tiff_directory *dir = &state->dir;
    struct tiff_strip *strip = &state->strip;
    const bool whole = dir->width != 0 && dir->height != 0;
    uint64_t place, size = 0;

    strip->at = strip->to = strip->out = strip->repeat = 0;
    strip->have = strip->code = 0;
    if (whole && state->magic != TIFF_JXR)
        tiff_room(state);
    if (tiff_pick(in, state, &dir->places, state->piece, &place) == STEP_WAIT)
        return STEP_WAIT;
    if (dir->sizes.width == 0)
        size = strip->least;
    else if (tiff_pick(in, state, &dir->sizes, state->piece, &size) == STEP_WAIT)
        return STEP_WAIT;
    if (place == 0 && size == 0) /* sparse: nothing there */
        return STEP_DONE;
    *why = "invalid size of a strip";
    if (whole && state->magic != TIFF_JXR && !tiff_size_ok(state, size))
        return STEP_BAD;
    strip->from = place;
    strip->to = sig_add(place, size);
    *why = "invalid place of a strip";
    if (place < 8 || size == 0 || strip->to == UINT64_MAX ||
        (place < dir->end && strip->to > dir->at))
        return STEP_BAD;
    tiff_reach(state, strip->to);
    return STEP_DONE;
}

/* All strips. */
static enum step tiff_strips(struct sig_input *in, struct tiff_state *state, const char **why)
{
    const struct tiff_directory *dir = &state->dir;
    const bool whole = dir->width != 0 && dir->height != 0;

    for (; state->piece < dir->places.count; state->piece++) {
        enum step step = STEP_DONE;

        if (state->strip.at == 0) {
            step = tiff_place(in, state, why);
            if (step != STEP_DONE)
                return step;
        }
        if (state->strip.to != 0 && (whole || dir->compression == TIFF_OLD_JPEG))
            step = tiff_strip(in, state, why);
        if (step != STEP_DONE)
            return step;
        state->strip.at = 0;
    }
    return STEP_DONE;
}

/*
 * Panasonic's raw data begin where their own entry says; the size is that of the strip, if it is
 * not that of the pixels when unpacked, and else 16 bytes for every 14 pixels.
 */
static enum step tiff_panasonic(struct sig_input *in, struct tiff_state *state, const char **why)
{
    enum { UNPACKED_FORMAT = 5 };
    const struct tiff_directory *dir = &state->dir;
    const uint64_t pixels = dir->raw_width * dir->raw_height;
    uint64_t size = 0;

    *why = "invalid size of raw data";
    if (dir->raw_width == 0 || dir->raw_height == 0 || dir->raw_width > TIFF_SIDE_MAX ||
        dir->raw_height > TIFF_SIDE_MAX || dir->raw_at < dir->end)
        return STEP_BAD;
    if (dir->sizes.count == 1 && tiff_pick(in, state, &dir->sizes, 0, &size) == STEP_WAIT)
        return STEP_WAIT;
    if (size == 0 || size == 2 * pixels) {
        if (dir->raw_format >= UNPACKED_FORMAT)
            return STEP_BAD;
        size = tiff_parts(pixels, 14) * 16;
    }
    if (size < pixels / 2 || size > 2 * pixels + TIFF_COMPRESSED_SLACK)
        return STEP_BAD;
    tiff_reach(state, sig_add(dir->raw_at, size));
    state->opaque = true;
    return STEP_DONE;
}

enum step tiff_picture(struct sig_input *in, struct tiff_state *state, const char **why)
{
    struct tiff_directory *dir = &state->dir;
    const bool whole = dir->width != 0 && dir->height != 0;
    const bool jpeg = dir->jpeg_at != 0 && dir->jpeg_len != 0;
    enum step step = STEP_DONE;

    if (dir->kind == TIFF_META)
        return STEP_DONE;
    if (jpeg)
        tiff_reach(state, sig_add(dir->jpeg_at, dir->jpeg_len));
    state->previews |= jpeg || dir->compression == TIFF_OLD_JPEG || dir->compression == TIFF_JPEG ||
                       state->magic == TIFF_RW2 || state->magic == TIFF_ORF;
    if (state->magic == TIFF_RW2 && dir->raw_at != 0) {
        step = tiff_panasonic(in, state, why);
        state->pictures += step == STEP_DONE;
        return step;
    }
    if (dir->places.count > 0 && whole && state->piece == 0 && state->strip.at == 0) {
        if (dir->rows == 0 || dir->rows > dir->height)
            dir->rows = dir->height;
        *why = tiff_geometry(state);
        if (*why != NULL)
            return STEP_BAD;
    }
    if (dir->places.count > 0) {
        *why = "the strips have no sizes";
        if (!whole && (dir->sizes.width == 0 || dir->sizes.count != dir->places.count))
            return STEP_BAD;
        step = tiff_strips(in, state, why);
        if (step != STEP_DONE)
            return step;
    }
    state->camera_raw |= tiff_is_raw(dir) || dir->compression == 34713 ||
                         dir->compression == 32767 || dir->compression == 65535 ||
                         dir->compression == 65000;
    if (dir->kind != TIFF_PAGE && whole && (dir->places.count > 0 || jpeg))
        state->pictures++;
    return STEP_DONE;
}
