/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/tally.c - see tally.h. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "carver/triage/tally.h"

enum err_code tally_open(const struct io_volumes *volumes, uint32_t set_count,
                         uint32_t keyword_count, struct tally *out, struct err *err)
{
    const uint32_t places = (volumes != NULL ? io_volumes_count(volumes) : 0) + 1;

    *out = (struct tally){ .place_count = places,
                           .newest_at = UINT64_MAX,
                           .now = (int64_t)(clock_now(CLOCK_REALTIME) / 1000000000u),
                           .set_count = set_count,
                           .keyword_count = keyword_count };
    out->places = calloc(places, sizeof *out->places);
    out->sets = calloc(set_count + 1u, sizeof *out->sets);
    out->keywords = calloc(keyword_count + 1u, sizeof *out->keywords);
    if (out->places != NULL && out->sets != NULL && out->keywords != NULL)
        return ERR_OK;
    tally_close(out);
    return ERR_NO_MEMORY(err, (places + set_count + keyword_count) * sizeof(struct tally_place));
}

void tally_close(struct tally *tally)
{
    free(tally->places);
    free(tally->types);
    free(tally->sets);
    free(tally->keywords);
    *tally = (struct tally){ 0 };
}

bool tally_is_key(const struct sig_type *type)
{
    static const char *const public[] = { "cer", "crl", "csr",  "kbx", "known_hosts",
                                          "p7b", "pem", "pins", "sig", "ssh-pub" };

    for (size_t i = 0; i < sizeof public / sizeof public[0]; i++)
        if (strcmp(type->name, public[i]) == 0)
            return false;
    return sig_category_of(type->name) == SIG_CATEGORY_KEYS;
}

/* Logical volumes lie in the others. */
uint32_t tally_place_of(const struct io_volumes *volumes, uint64_t offset)
{
    const uint32_t count = volumes != NULL ? io_volumes_count(volumes) : 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct io_volume volume = io_volumes_get(volumes, i);

        if (volume.kind != IO_VOLUME_LOGICAL && volume.kind != IO_VOLUME_TABLE &&
            offset >= volume.offset && offset - volume.offset < volume.len)
            return i;
    }
    return count;
}

static enum err_code tally_type(struct tally *tally, const struct sig_type *type, bool stream,
                                struct tally_type **out, struct err *err)
{
    for (uint32_t i = 0; i < tally->type_count; i++)
        if (strcmp(tally->types[i].type->name, type->name) == 0) {
            *out = &tally->types[i];
            return ERR_OK;
        }
    const enum err_code rc =
        grow_items(&tally->types, tally->type_count, &tally->type_room, sizeof *tally->types, err);

    if (rc != ERR_OK)
        return rc;
    *out = &tally->types[tally->type_count++];
    **out = (struct tally_type){ .type = type,
                                 .category = sig_category_of(type->name),
                                 .stream = stream };
    return ERR_OK;
}

/*
 * One more in the unit under way, of which there were `before` already: the square of the unit's
 * count grows by 2 * before + 1.
 */
static void tally_one(struct tally_count *count, uint64_t before, uint64_t offset)
{
    if (count->count == 0 || offset < count->first)
        count->first = offset;
    count->units += before == 0;
    count->count++;
    count->squares += 2 * before + 1;
}

static bool tally_same(const struct unit_found *a, const struct unit_found *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == UNIT_FILE ? strcmp(a->type->name, b->type->name) == 0
                                : a->number == b->number;
}

static void tally_says(struct tally *tally, const struct unit_seen *seen, uint32_t at)
{
    const struct unit_found *found = &seen->found[at];

    for (uint32_t bit = 0; bit < UNIT_SAYS; bit++) {
        uint64_t before = 0;

        for (uint32_t i = 0; i < at; i++)
            before += seen->found[i].kind == UNIT_FILE && (seen->found[i].says >> bit & 1) != 0;
        if ((found->says >> bit & 1) != 0)
            tally_one(&tally->says[bit], before, found->offset);
    }
    if ((found->says & UNIT_DATE) != 0 && found->date <= tally->now &&
        (tally->newest_at == UINT64_MAX || found->date > tally->newest)) {
        tally->newest = found->date;
        tally->newest_at = found->offset;
    }
}

static enum err_code tally_file(struct tally *tally, const struct unit_seen *seen, uint32_t at,
                                uint64_t same, struct err *err)
{
    const struct unit_found *found = &seen->found[at];
    struct tally_type *type = NULL;
    uint64_t before = 0;
    const enum err_code rc =
        tally_type(tally, found->type, (found->sig->flags & SIG_STREAM) != 0, &type, err);

    if (rc != ERR_OK || type == NULL)
        return rc;
    tally_one(&type->count, same, found->offset);
    for (uint32_t i = 0; i < at; i++)
        before += seen->found[i].kind == UNIT_FILE &&
                  ((seen->found[i].sig->flags & SIG_STREAM) != 0) == type->stream &&
                  sig_category_of(seen->found[i].type->name) == type->category;
    tally_says(tally, seen, at);
    tally_one(type->stream ? &tally->streams[type->category] : &tally->categories[type->category],
              before, found->offset);
    return ERR_OK;
}

enum err_code tally_unit(struct tally *tally, const struct io_volumes *volumes,
                         const struct sampler_unit *unit, struct err *err)
{
    const struct unit_seen *seen = &unit->seen;
    struct tally_place *place = &tally->places[tally_place_of(volumes, unit->offset)];
    enum err_code rc = ERR_OK;
    bool hit = false;

    tally->units++;
    tally->full += seen->full;
    place->units++;
    place->classes[seen->what]++;
    for (uint32_t i = 0; rc == ERR_OK && i < seen->found_count; i++) {
        const struct unit_found *found = &seen->found[i];
        uint64_t same = 0;

        for (uint32_t k = 0; k < i; k++)
            same += tally_same(&seen->found[k], found);
        if (found->kind == UNIT_FILE)
            rc = tally_file(tally, seen, i, same, err);
        else
            tally_one(found->kind == UNIT_KNOWN ? &tally->sets[found->number]
                                                : &tally->keywords[found->number],
                      same, found->offset);
        hit |= found->kind != UNIT_FILE || tally_is_key(found->type);
    }
    place->hits += hit;
    return rc;
}

static void tally_add(struct tally_count *to, const struct tally_count *from)
{
    if (from->count > 0 && (to->count == 0 || from->first < to->first))
        to->first = from->first;
    to->units += from->units;
    to->count += from->count;
    to->squares += from->squares;
}

static void tally_empty(struct tally *tally)
{
    memset(tally->places, 0, tally->place_count * sizeof *tally->places);
    memset(tally->categories, 0, sizeof tally->categories);
    memset(tally->streams, 0, sizeof tally->streams);
    memset(tally->says, 0, sizeof tally->says);
    tally->newest_at = UINT64_MAX;
    memset(tally->sets, 0, tally->set_count * sizeof *tally->sets);
    memset(tally->keywords, 0, tally->keyword_count * sizeof *tally->keywords);
    tally->type_count = 0;
    tally->units = tally->full = 0;
}

enum err_code tally_join(struct tally *tally, struct tally *from, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < from->type_count; i++) {
        struct tally_type *type = NULL;

        rc = tally_type(tally, from->types[i].type, from->types[i].stream, &type, err);
        if (rc == ERR_OK && type != NULL)
            tally_add(&type->count, &from->types[i].count);
    }
    for (uint32_t i = 0; i < tally->place_count; i++) {
        tally->places[i].units += from->places[i].units;
        tally->places[i].hits += from->places[i].hits;
        for (int k = 0; k < BLOCK_CLASSES; k++)
            tally->places[i].classes[k] += from->places[i].classes[k];
    }
    for (int i = 0; i < SIG_CATEGORY_COUNT; i++) {
        tally_add(&tally->categories[i], &from->categories[i]);
        tally_add(&tally->streams[i], &from->streams[i]);
    }
    for (int i = 0; i < UNIT_SAYS; i++)
        tally_add(&tally->says[i], &from->says[i]);
    if (from->newest_at != UINT64_MAX &&
        (tally->newest_at == UINT64_MAX || from->newest > tally->newest ||
         (from->newest == tally->newest && from->newest_at < tally->newest_at))) {
        tally->newest = from->newest;
        tally->newest_at = from->newest_at;
    }
    for (uint32_t i = 0; i < tally->set_count; i++)
        tally_add(&tally->sets[i], &from->sets[i]);
    for (uint32_t i = 0; i < tally->keyword_count; i++)
        tally_add(&tally->keywords[i], &from->keywords[i]);
    tally->units += from->units;
    tally->full += from->full;
    tally_empty(from);
    return rc;
}
