/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/volume.c - see volume.h. */
#include "io/filesystem/volume.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"

struct volume volume_begin(struct io_image *image, uint64_t size)
{
    return (struct volume){ .image = image, .size = size };
}

void volume_release(struct volume *volume)
{
    for (uint32_t i = 0; i < volume->count; i++)
        free(volume->stretches[i].places);
    free(volume->stretches);
    *volume = (struct volume){ 0 };
}

static bool volume_is_stretch(const struct volume *volume, const struct volume_stretch *stretch)
{
    const struct volume_stretch *last =
        volume->count > 0 ? &volume->stretches[volume->count - 1] : NULL;

    return stretch->len > 0 && stretch->len <= UINT64_MAX - stretch->at && stretch->stripes > 0 &&
           stretch->stripes <= VOLUME_STRIPES_MAX &&
           (stretch->stripes == 1 || stretch->stripe_len > 0) &&
           (last == NULL || last->at + last->len <= stretch->at) &&
           volume->count < VOLUME_STRETCHES_MAX;
}

enum err_code volume_add(struct volume *volume, const struct volume_stretch *stretch,
                         struct err *err)
{
    struct volume_stretch copy = *stretch;

    if (!volume_is_stretch(volume, &copy))
        return ERR_RAISE(err, ERR_INPUT, "its pieces lie over one another, or are too many");
    if (stretch->at >= volume->size)
        return ERR_OK;
    if (copy.len > volume->size - copy.at)
        copy.len = volume->size - copy.at;
    for (uint32_t i = 0; i < copy.stripes; i++) {
        const struct volume *on = copy.places[i].on;

        if (on != NULL && on->depth >= volume->depth)
            volume->depth = on->depth + 1;
    }
    if (volume->depth >= VOLUME_DEPTH_MAX)
        return ERR_RAISE(err, ERR_INPUT, "too many volumes lie on one another");
    const enum err_code rc = grow_items(&volume->stretches, volume->count, &volume->room,
                                        sizeof *volume->stretches, err);
    if (rc != ERR_OK)
        return rc;
    copy.places = malloc(copy.stripes * sizeof *copy.places);
    if (copy.places == NULL)
        return ERR_NO_MEMORY(err, copy.stripes * sizeof *copy.places);
    memcpy(copy.places, stretch->places, copy.stripes * sizeof *copy.places);
    volume->stretches[volume->count++] = copy;
    return ERR_OK;
}

static bool volume_begins(const void *stretch, uint64_t at)
{
    return ((const struct volume_stretch *)stretch)->at <= at;
}

/* The stretch with the byte at `at`; NULL: none. */
static const struct volume_stretch *volume_stretch_at(const struct volume *volume, uint64_t at)
{
    const size_t begun =
        bisect(volume->stretches, volume->count, sizeof *volume->stretches, volume_begins, at);
    const struct volume_stretch *last = begun > 0 ? &volume->stretches[begun - 1] : NULL;

    return last != NULL && at - last->at < last->len ? last : NULL;
}

bool volume_find(const struct volume *volume, uint64_t at, uint64_t *offset, uint64_t *len)
{
    const struct volume_stretch *stretch = volume_stretch_at(volume, at);
    const uint64_t image_size = io_image_size(volume->image);

    *len = 0;
    if (stretch == NULL)
        return false;
    const uint64_t in = at - stretch->at;
    uint64_t left = stretch->len - in, below = in;
    const struct volume_place *place = &stretch->places[0];
    if (stretch->stripes > 1) {
        const uint64_t number = in / stretch->stripe_len, rest = in % stretch->stripe_len;

        place = &stretch->places[number % stretch->stripes];
        below = number / stretch->stripes * stretch->stripe_len + rest;
        if (left > stretch->stripe_len - rest)
            left = stretch->stripe_len - rest;
    }
    if (below > UINT64_MAX - place->offset)
        return false;
    *offset = place->offset + below;
    if (place->on != NULL) {
        if (!volume_find(place->on, *offset, offset, len))
            return false;
    } else {
        if (*offset >= image_size)
            return false;
        *len = image_size - *offset;
    }
    if (*len > left)
        *len = left;
    return true;
}

bool volume_read(const struct volume *volume, uint64_t at, void *out, uint32_t len)
{
    uint8_t *to = out;

    while (len > 0) {
        struct err err = { 0 };
        uint64_t offset = 0, have = 0;

        if (!volume_find(volume, at, &offset, &have))
            return false;
        const uint32_t step = have < len ? (uint32_t)have : len;
        if (io_image_read_at(volume->image, offset, to, step, &err) != ERR_OK)
            return false;
        at += step;
        to += step;
        len -= step;
    }
    return true;
}

static bool volume_source_read(void *arg, uint64_t at, void *out, uint32_t len)
{
    return volume_read(arg, at, out, len);
}

struct source volume_source(const struct volume *volume)
{
    return (struct source){ .read = volume_source_read,
                            .arg = (struct volume *)(uintptr_t)volume,
                            .size = volume->size };
}
