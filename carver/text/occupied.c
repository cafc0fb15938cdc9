/* SPDX-License-Identifier: Apache-2.0
 * carver/text/occupied.c - see occupied.h. */
#include "carver/text/occupied.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "carver/plan/clusters.h"

enum { OCCUPIED_CLUSTER_LEAST = 64 /* proven files, before their clusters are believed */ };

struct occupied_walk {
    struct occupied *out;
    struct clusters clusters;
    int64_t signature_id;
};

static enum err_code occupied_add(struct occupied *out, uint64_t offset, uint64_t len,
                                  struct err *err)
{
    struct io_range *last = out->count > 0 ? &out->items[out->count - 1] : NULL;

    if (len == 0)
        return ERR_OK;
    if (last != NULL && last->offset <= offset && offset <= last->offset + last->len) {
        if (offset + len > last->offset + last->len)
            last->len = offset + len - last->offset;
        return ERR_OK;
    }
    const enum err_code rc = grow_items(&out->items, out->count, &out->room, sizeof *last, err);
    if (rc == ERR_OK)
        out->items[out->count++] = (struct io_range){ offset, len };
    return rc;
}

static enum err_code occupied_piece(void *arg, const struct db_piece *piece, struct err *err)
{
    struct occupied_walk *walk = arg;

    return occupied_add(walk->out, piece->offset, piece->len, err);
}

static enum err_code occupied_place(void *arg, const struct db_place *place, struct err *err)
{
    struct occupied_walk *walk = arg;

    (void)err;
    walk->out->done = walk->out->done || place->signature_id == walk->signature_id;
    if (place->complete && place->proven)
        clusters_see(&walk->clusters, place->offset, place->len);
    return ERR_OK;
}

static int occupied_order(const void *a, const void *b)
{
    const struct io_range *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What could not be read lies in between: all in order, and what touches as one. */
static enum err_code occupied_unread(struct occupied *out, const struct unread *unread,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;
    size_t kept = 0;

    for (size_t i = 0; rc == ERR_OK && i < unread->count; i++)
        rc = occupied_add(out, unread->ranges[i].offset, unread->ranges[i].len, err);
    if (rc != ERR_OK || unread->count == 0 || out->count == 0)
        return rc;
    qsort(out->items, out->count, sizeof *out->items, occupied_order);
    for (size_t i = 1; i < out->count; i++) {
        struct io_range *last = &out->items[kept];
        const struct io_range item = out->items[i];

        if (item.offset > last->offset + last->len)
            out->items[++kept] = item;
        else if (item.offset + item.len > last->offset + last->len)
            last->len = item.offset + item.len - last->offset;
    }
    out->count = kept + 1;
    return ERR_OK;
}

enum err_code occupied_load(struct db_case *db, int64_t image_id, int64_t signature_id,
                            const struct unread *unread, struct occupied *out, struct err *err)
{
    struct occupied_walk walk = { .out = out, .signature_id = signature_id };

    *out = (struct occupied){ 0 };
    enum err_code rc = db_places_walk(db, image_id, occupied_place, &walk, err);
    if (rc == ERR_OK)
        rc = db_pieces_walk(db, image_id, occupied_piece, &walk, err);
    if (rc == ERR_OK)
        rc = occupied_unread(out, unread, err);
    out->cluster = clusters_find(&walk.clusters, OCCUPIED_CLUSTER_LEAST, &out->phase);
    if (rc != ERR_OK)
        occupied_release(out);
    return rc;
}

void occupied_release(struct occupied *occupied)
{
    free(occupied->items);
    *occupied = (struct occupied){ 0 };
}

static bool occupied_ends(const void *item, uint64_t at)
{
    const struct io_range *range = item;

    return range->offset + range->len <= at;
}

const struct io_range *occupied_at(const struct occupied *occupied, uint64_t offset)
{
    const size_t i =
        bisect(occupied->items, occupied->count, sizeof *occupied->items, occupied_ends, offset);

    return i < occupied->count ? &occupied->items[i] : NULL;
}

uint64_t occupied_cluster(const struct occupied *occupied, uint64_t offset)
{
    const uint64_t behind = offset % occupied->cluster;
    const uint64_t to = occupied->phase >= behind ? occupied->phase - behind
                                                  : occupied->cluster + occupied->phase - behind;

    return offset + to;
}
