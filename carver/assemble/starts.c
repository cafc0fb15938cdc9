/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/starts.c - see starts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "base/late.h"
#include "base/limits.h"
#include "carver/assemble/starts_impl.h"

enum { STARTS_NAMES = 1024 /* signatures that are looked up once, unless two share a place */ };

/* The signature that a row names. */
struct starts_names {
    int64_t id;
    struct starts_kind kind;
};

struct starts_walk {
    struct starts *starts;
    struct starts_names names[STARTS_NAMES]; /* by their id */
    bool strong;                             /* only strong headers are taken */
};

/*
 * The number of fixed bits of the weakest header of a signature. A byte of zeros counts as one bit:
 * half of many images is zeros.
 */
static uint32_t starts_header_bits(const struct sig *sig)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0; i++) {
        const struct sig_pattern *p = &sig->headers[i];
        uint32_t bits = 0;

        for (uint32_t k = 0; k < p->len; k++) {
            const uint8_t mask = p->mask == NULL ? 0xff : (uint8_t)p->mask[k];

            bits += (p->bytes[k] & mask) != 0 ? (uint32_t)__builtin_popcount(mask) : mask != 0;
        }
        least = bits < least ? bits : least;
    }
    return least;
}

const struct sig *starts_sig(const char *name)
{
    uint32_t count;
    const struct sig *const *sigs = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(sigs[i]->name, name) == 0)
            return sigs[i];
    return NULL;
}

struct starts_kind starts_kind_of(const struct sig *sig)
{
    struct starts_kind kind = { .sig = sig };

    if (sig == NULL || sig->check == NULL)
        return (struct starts_kind){ .sig = NULL };
    kind.weak = starts_header_bits(sig) < STARTS_STRONG_BITS;
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0; i++) {
        bool seen = false;

        for (uint32_t k = 0; k < kind.at_count; k++)
            seen = seen || kind.ats[k] == sig->headers[i].at;
        if (!seen)
            kind.ats[kind.at_count++] = sig->headers[i].at;
    }
    return kind;
}

uint32_t starts_of(const struct starts_kind *kind, bool strong, const struct start *header,
                   struct start out[SIG_HEADERS_MAX])
{
    uint32_t n = 0;

    if (kind->sig == NULL || (strong && kind->weak && !header->object))
        return 0;
    for (uint32_t i = 0; i < kind->at_count; i++) {
        const uint32_t at = kind->ats[i];

        if (header->offset < at || (header->offset - at) % LIMIT_SECTOR != 0)
            continue;
        out[n] = *header;
        out[n].offset -= at;
        out[n].sig = kind->sig;
        out[n++].weak = kind->weak;
    }
    return n;
}

static enum err_code starts_add(struct starts *starts, const struct start *start, struct err *err)
{
    if (starts->count == STARTS_MAX) {
        starts->more = true;
        return ERR_OK;
    }
    const enum err_code rc =
        grow_items(&starts->items, starts->count, &starts->room, sizeof *starts->items, err);

    if (rc == ERR_OK)
        starts->items[starts->count++] = *start;
    return rc;
}

static enum err_code starts_take(void *arg, const struct db_start *row, struct err *err)
{
    struct starts_walk *walk = arg;
    struct starts_names *name = &walk->names[(uint64_t)row->signature_id % STARTS_NAMES];

    if (name->id != row->signature_id)
        *name = (struct starts_names){ .id = row->signature_id,
                                       .kind = starts_kind_of(starts_sig(row->signature)) };
    const struct start header = { .offset = row->offset,
                                  .hit_id = row->hit_id,
                                  .signature_id = row->signature_id,
                                  .object = row->object };
    struct start begun[SIG_HEADERS_MAX];
    const uint32_t count = starts_of(&name->kind, walk->strong, &header, begun);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = starts_add(walk->starts, &begun[i], err);
    return rc;
}

/* Where in a sector headers stand of files that begin on sectors, as db_starts_walk wants it. */
static void starts_places(char out[DB_STARTS_PLACES_MAX])
{
    bool stands[LIMIT_SECTOR] = { false };
    uint32_t count;
    const struct sig *const *sigs = sig_builtin(&count);
    size_t len = 0;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SIG_HEADERS_MAX && sigs[i]->headers[k].len != 0; k++)
            stands[sigs[i]->headers[k].at % LIMIT_SECTOR] = true;
    for (uint32_t at = 0; at < LIMIT_SECTOR; at++)
        if (stands[at])
            len += (size_t)snprintf(out + len, DB_STARTS_PLACES_MAX - len, "%c%u",
                                    len == 0 ? '[' : ',', at);
    snprintf(out + len, DB_STARTS_PLACES_MAX - len, len == 0 ? "[]" : "]");
}

/* Notes where headers stand that are not in a file's first sector. */
static void starts_note_ats(struct starts *starts)
{
    uint32_t count;
    const struct sig *const *sigs = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SIG_HEADERS_MAX && sigs[i]->headers[k].len != 0; k++) {
            const uint32_t at = sigs[i]->headers[k].at;
            bool known = at < LIMIT_SECTOR || starts->at_count == STARTS_OF_RUNS;

            for (uint32_t n = 0; n < starts->at_count; n++)
                known = known || starts->ats[n] == at;
            if (!known)
                starts->ats[starts->at_count++] = at;
        }
}

static int starts_compare(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->hit_id < y->hit_id ? -1 : x->hit_id > y->hit_id;
}

/* In the order of the image, in which most of them are: their headers were. */
static enum err_code starts_sort(struct starts *starts, struct err *err)
{
    struct start *items = starts->items, *late = NULL;
    size_t late_count = 0, late_room = 0, kept = 0;

    for (size_t i = 0; i < starts->count; i++) {
        if (kept == 0 || starts_compare(&items[kept - 1], &items[i]) <= 0) {
            if (kept < i)
                items[kept] = items[i];
            kept++;
            continue;
        }
        const enum err_code rc = grow_items(&late, late_count, &late_room, sizeof *late, err);
        if (rc != ERR_OK) {
            free(late);
            return rc;
        }
        late[late_count++] = items[i];
    }
    late_put_back(items, kept, late, late_count, sizeof *late, starts_compare);
    free(late);
    return ERR_OK;
}

static enum err_code starts_all(struct starts_walk *walk, struct db_case *db, int64_t image_id,
                                const struct starts_seen *seen, uint32_t threads, struct err *err)
{
    char places[DB_STARTS_PLACES_MAX];

    if (seen != NULL)
        return starts_take_seen(walk->starts, seen, walk->strong, threads, err);
    starts_places(places);
    return db_starts_walk(db, image_id, places, starts_take, walk, err);
}

enum err_code starts_load(struct db_case *db, int64_t image_id, const struct starts_seen *seen,
                          uint32_t threads, struct starts *out, struct err *err)
{
    struct starts_walk walk = { .starts = out };

    *out = (struct starts){ 0 };
    starts_note_ats(out);
    enum err_code rc = starts_all(&walk, db, image_id, seen, threads, err);
    if (rc == ERR_OK && out->more) {
        walk = (struct starts_walk){ .starts = out, .strong = true };
        out->count = 0;
        out->more = false;
        out->weak_left_out = true;
        rc = starts_all(&walk, db, image_id, seen, threads, err);
    }
    if (rc == ERR_OK)
        rc = starts_sort(out, err);
    if (rc != ERR_OK)
        starts_release(out);
    return rc;
}

void starts_release(struct starts *starts)
{
    free(starts->items);
    *starts = (struct starts){ 0 };
}

uint64_t starts_reach(const struct starts *starts, uint64_t image_len)
{
    uint64_t sum = 0, to = 0; /* what is counted ends there */

    for (size_t i = 0; i < starts->count && starts->items[i].offset < image_len; i++) {
        const uint64_t at = starts->items[i].offset, left = image_len - at;
        const uint64_t end = at + (left < STARTS_REACH ? left : STARTS_REACH);

        sum += end - (at > to ? at : to);
        to = end;
    }
    return sum;
}

static bool starts_before(const void *start, uint64_t at)
{
    return ((const struct start *)start)->offset < at;
}

size_t starts_at(const struct starts *starts, uint64_t offset, size_t *count)
{
    return starts_at_next(starts, offset, 0, count);
}

size_t starts_at_next(const struct starts *starts, uint64_t offset, size_t next, size_t *count)
{
    const size_t first =
        bisect_on(starts->items, starts->count, sizeof *starts->items, starts_before, offset, next);

    *count = 0;
    while (first + *count < starts->count && starts->items[first + *count].offset == offset)
        ++*count;
    return first;
}

/* Adds those at this offset; at: of which the header stands so far behind it; UINT32_MAX: all. */
static uint32_t starts_add_at(const struct starts *starts, uint64_t offset, uint32_t at,
                              const struct start **out, uint32_t n)
{
    size_t count;
    const size_t first = starts_at(starts, offset, &count);

    for (size_t i = first; i < first + count && n < STARTS_OF_RUNS; i++) {
        const bool elsewhere = at != UINT32_MAX;
        bool stands = !elsewhere;

        if (elsewhere && starts->items[i].object)
            continue; /* it is the header of the object that is there */
        for (uint32_t k = 0; k < SIG_HEADERS_MAX && starts->items[i].sig->headers[k].len != 0; k++)
            stands = stands || starts->items[i].sig->headers[k].at == at;
        if (stands)
            out[n++] = &starts->items[i];
    }
    return n;
}

uint32_t starts_of_runs(const struct starts *starts, const struct io_range *runs, uint32_t count,
                        const struct start **out)
{
    uint32_t n = starts_add_at(starts, runs[0].offset, UINT32_MAX, out, 0);

    for (uint32_t i = 0; i < starts->at_count; i++) {
        const uint32_t at = starts->ats[i];
        uint64_t sum = 0;
        uint32_t k = 0;

        while (k < count && at - sum >= runs[k].len)
            sum += runs[k++].len;
        if (k > 0 && k < count && runs[k].offset + (at - sum) >= at)
            n = starts_add_at(starts, runs[k].offset + (at - sum) - at, at, out, n);
    }
    return n;
}
