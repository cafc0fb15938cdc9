/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/holes.c - see holes.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/assemble/holes.h"

enum {
    HOLES_SEEN = 16 << 20, /* clusters, free or not, of which is kept what was seen, a byte each */
    HOLES_SOON = 64,       /* islands that begin to be read before the one that is looked at */
};

/* What was seen where a cluster begins. */
enum holes_look { HOLES_LOOK_NONE, HOLES_LOOK_ON, HOLES_LOOK_BEHIND };

/* Whether so few clusters are free that the ends of all can be looked at. */
static bool holes_are_few(const struct islands *islands)
{
    uint64_t clusters = 0;

    for (size_t i = 0; i < islands->count; i++)
        clusters += (islands->ends[i] - islands->begins[i]) / islands->unit;
    return clusters <= HOLES_LOOKS;
}

/* Whether nothing but one byte, again and again, lies there: no file was written there since the
 * volume was made. */
static bool holes_is_blank(struct splice *splice, uint64_t at, uint32_t len)
{
    uint32_t have = 0, differ = 0;
    const uint8_t *bytes = splice_image(splice, at, &have);

    for (uint32_t i = 1; bytes != NULL && i < len && i < have; i++)
        differ |= bytes[i] ^ bytes[0];
    return differ == 0;
}

/* Whether a piece may begin there, which is behind the beginning of its island: another one ends
 * before it. */
static bool holes_is_behind(struct splice *splice, uint64_t at)
{
    return splice_image_zeros(splice, at - HOLES_ZEROS, HOLES_ZEROS) &&
           !splice_image_zeros(splice, at, LIMIT_SECTOR);
}

/*
 * As holes_is_behind, which reads all that is free: once for all times that holes are looked for.
 * What lies there is what it was.
 */
static bool holes_look_behind(struct holes *holes, struct splice *splice, uint64_t at)
{
    const uint64_t cluster = (at - holes->look_phase) / holes->look_unit;
    uint8_t unkept = HOLES_LOOK_NONE;
    uint8_t *look = cluster < holes->look_count ? &holes->looks[cluster] : &unkept;

    if (*look == HOLES_LOOK_NONE)
        *look = holes_is_behind(splice, at) ? HOLES_LOOK_BEHIND : HOLES_LOOK_ON;
    return *look == HOLES_LOOK_BEHIND;
}

/* Room for what is seen at each cluster, up to the last one that is free; none where these are too
 * far apart, or where there is no memory: then it is looked for each time. */
static void holes_look_room(struct holes *holes, const struct islands *islands)
{
    const uint64_t end = islands->count > 0 ? islands->ends[islands->count - 1] : islands->phase;
    const uint64_t count = (end - islands->phase) / islands->unit + 1;

    if (holes->look_unit == islands->unit && holes->look_phase == islands->phase)
        return;
    free(holes->looks);
    holes->looks = count <= HOLES_SEEN ? calloc(count, 1) : NULL;
    holes->look_count = holes->looks != NULL ? count : 0;
    holes->look_unit = islands->unit;
    holes->look_phase = islands->phase;
}

/* Adds the first cluster of an island, and, where ends are looked at, those behind one that ends in
 * zeros. Where a volume begins there is none, nor behind it, as long as nothing was written. */
static enum err_code holes_of_island(const struct islands *islands, size_t island,
                                     struct splice *splice, bool look, struct holes *out,
                                     struct err *err)
{
    const uint64_t begin = islands->begins[island];
    const uint64_t end = look ? islands->ends[island] : begin + 1;
    bool fresh = begin == islands->phase;
    enum err_code rc = ERR_OK;

    for (uint64_t at = begin; rc == ERR_OK && at < end && out->count <= HOLES_MAX;
         at += islands->unit) {
        fresh = fresh && (at == begin || holes_is_blank(splice, at - islands->unit, islands->unit));
        if (fresh || (at == begin ? holes_is_blank(splice, at, HOLES_BLANK)
                                  : !holes_look_behind(out, splice, at)))
            continue;
        rc = grow_items(&out->begins, out->count, &out->room, sizeof *out->begins, err);
        if (rc == ERR_OK)
            out->begins[out->count++] = at;
    }
    return rc;
}

static enum err_code holes_heads(const struct resemble_table *table, struct splice *splice,
                                 struct holes *out, struct err *err)
{
    const size_t sectors = out->count * HOLES_HEAD;
    uint64_t *ats = malloc((sectors + 1) * sizeof *ats);

    if (ats == NULL)
        return ERR_NO_MEMORY(err, sectors * sizeof *ats);
    for (size_t i = 0; i < sectors; i++)
        ats[i] = out->begins[i / HOLES_HEAD] + i % HOLES_HEAD * LIMIT_SECTOR;
    const enum err_code rc =
        resemble_open_at(&out->heads, table, splice, ats, (uint32_t)sectors, err);
    free(ats);
    if (rc == ERR_OK)
        resemble_keep_grams(&out->heads); /* all threads read them */
    return rc;
}

/* Whether these are the islands that the holes were found in. */
static bool holes_are_of(const struct holes *holes, const struct islands *islands)
{
    const size_t bytes = islands->count * sizeof *islands->begins;

    return holes->of_begins != NULL && holes->of_count == islands->count &&
           holes->of_unit == islands->unit && holes->of_phase == islands->phase &&
           (bytes == 0 || (memcmp(holes->of_begins, islands->begins, bytes) == 0 &&
                           memcmp(holes->of_ends, islands->ends, bytes) == 0));
}

static enum err_code holes_note(struct holes *holes, const struct islands *islands, struct err *err)
{
    const size_t bytes = islands->count * sizeof *islands->begins;

    holes->of_begins = malloc(bytes + 1);
    holes->of_ends = malloc(bytes + 1);
    if (holes->of_begins == NULL || holes->of_ends == NULL)
        return ERR_NO_MEMORY(err, bytes);
    if (bytes > 0) {
        memcpy(holes->of_begins, islands->begins, bytes);
        memcpy(holes->of_ends, islands->ends, bytes);
    }
    holes->of_count = islands->count;
    holes->of_unit = islands->unit;
    holes->of_phase = islands->phase;
    return ERR_OK;
}

/* Forgets the holes, and not what was seen where clusters begin. */
static void holes_forget(struct holes *holes)
{
    free(holes->begins);
    free(holes->of_begins);
    free(holes->of_ends);
    resemble_close(&holes->heads);
    *holes = (struct holes){ .looks = holes->looks,
                             .look_count = holes->look_count,
                             .look_unit = holes->look_unit,
                             .look_phase = holes->look_phase };
}

static enum err_code holes_look(const struct islands *islands, const struct resemble_table *table,
                                struct splice *splice, struct holes *out, struct err *err)
{
    const bool look = holes_are_few(islands);
    size_t soon = 0;
    enum err_code rc = holes_note(out, islands, err);

    if (look)
        holes_look_room(out, islands);
    for (size_t i = 0; rc == ERR_OK && i < islands->count && out->count <= HOLES_MAX; i++) {
        for (; soon < islands->count && soon <= i + HOLES_SOON; soon++)
            splice_soon(splice->image, islands->begins[soon],
                        look ? islands->ends[soon] - islands->begins[soon] : 1);
        rc = holes_of_island(islands, i, splice, look, out, err);
    }
    if (out->count > HOLES_MAX)
        out->count = 0;
    if (rc == ERR_OK)
        rc = splice_error(splice, err);
    return rc == ERR_OK && out->count > 0 ? holes_heads(table, splice, out, err) : rc;
}

enum err_code holes_find(const struct islands *islands, const struct resemble_table *table,
                         struct splice *splice, struct holes *holes, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (holes_are_of(holes, islands))
        return ERR_OK;
    holes_forget(holes);
    if (islands->unit > LIMIT_SECTOR && islands->count <= HOLES_MAX)
        rc = holes_look(islands, table, splice, holes, err);
    if (rc != ERR_OK)
        holes_release(holes);
    return rc;
}

void holes_release(struct holes *holes)
{
    holes_forget(holes);
    free(holes->looks);
    *holes = (struct holes){ 0 };
}
