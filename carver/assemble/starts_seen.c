/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/starts_seen.c - see starts_impl.h: starts by what a scan still has in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/share.h"
#include "carver/assemble/starts_impl.h"

enum { STARTS_PIECE = 1 << 14 /* headers that a thread looks at before it takes others */ };

static void starts_kinds(const struct starts_seen *seen, struct starts_kind *out)
{
    for (uint32_t i = 0; i < seen->sig_count; i++) {
        const struct sig *sig = seen->sigs[i];

        out[i] = starts_kind_of(starts_sig(sig->name) == sig ? sig : NULL);
    }
}

/* Headers in memory, at which threads look, a piece at a time. */
struct starts_pieces {
    const struct starts_seen *seen;
    const struct starts_kind *kinds; /* [sig_count] */
    const uint8_t *is_object;        /* one byte for each hit from the first header's on */
    bool strong;
    size_t *counts;      /* [pieces + 1]: starts of each; then those of all pieces before it */
    struct start *items; /* NULL: they are counted */
    size_t most;         /* what items have room for */
};

static void starts_piece(void *arg, size_t piece, uint32_t worker)
{
    const struct starts_pieces *all = arg;
    const struct starts_seen *seen = all->seen;
    const size_t from = piece * STARTS_PIECE, left = seen->header_count - from;
    const size_t to = from + (left < STARTS_PIECE ? left : STARTS_PIECE);
    size_t n = all->items != NULL ? all->counts[piece] : 0;
    struct start begun[SIG_HEADERS_MAX];

    (void)worker;
    for (size_t i = from; i < to; i++) {
        const struct record_header *at = &seen->headers[i];

        if (at->row >= seen->sig_count)
            continue; /* no signature's */
        const struct start header = {
            .offset = at->offset,
            .hit_id = at->hit_id,
            .signature_id = seen->signature_ids[at->row],
            .object = all->is_object[at->hit_id - seen->headers[0].hit_id] != 0
        };
        const uint32_t count = starts_of(&all->kinds[at->row], all->strong, &header, begun);

        for (uint32_t k = 0; all->items != NULL && k < count && n + k < all->most; k++)
            all->items[n + k] = begun[k];
        n += count;
    }
    if (all->items == NULL)
        all->counts[piece] = n;
}

/* Counts, and then writes each piece's where it belongs. */
static enum err_code starts_pieces(struct starts *starts, struct starts_pieces *all,
                                   uint32_t threads, struct err *err)
{
    const size_t pieces = (all->seen->header_count + STARTS_PIECE - 1u) / STARTS_PIECE;
    size_t sum = 0;

    share_out("starts", pieces, threads, starts_piece, all);
    for (size_t i = 0; i < pieces; i++) {
        const size_t count = all->counts[i];

        all->counts[i] = sum;
        sum += count;
    }
    starts->more = sum > STARTS_MAX;
    starts->count = starts->more ? STARTS_MAX : sum;
    free(starts->items);
    starts->room = starts->count + 1;
    starts->items = malloc(starts->room * sizeof *starts->items);
    if (starts->items == NULL)
        return ERR_NO_MEMORY(err, starts->room * sizeof *starts->items);
    all->items = starts->items;
    all->most = starts->count;
    share_out("starts", pieces, threads, starts_piece, all);
    return ERR_OK;
}

enum err_code starts_take_seen(struct starts *out, const struct starts_seen *seen, bool strong,
                               uint32_t threads, struct err *err)
{
    const int64_t first = seen->header_count > 0 ? seen->headers[0].hit_id : 0;
    const int64_t last = seen->header_count > 0 ? seen->headers[seen->header_count - 1].hit_id : 0;
    const size_t hits = (size_t)(last - first) + 1;
    struct starts_kind *kinds = malloc((seen->sig_count + 1) * sizeof *kinds);
    size_t *counts = malloc((seen->header_count / STARTS_PIECE + 1) * sizeof *counts);
    uint8_t *is_object = calloc(hits, 1);
    struct starts_pieces all = {
        .seen = seen, .kinds = kinds, .is_object = is_object, .strong = strong, .counts = counts
    };
    enum err_code rc = ERR_OK;

    if (kinds == NULL || counts == NULL || is_object == NULL) {
        rc = ERR_NO_MEMORY(err, hits);
    } else {
        starts_kinds(seen, kinds);
        for (uint32_t i = 0; i < seen->object_count; i++)
            if (seen->objects[i].id >= first && seen->objects[i].id <= last)
                is_object[seen->objects[i].id - first] = 1;
        rc = starts_pieces(out, &all, threads, err);
    }
    free(kinds);
    free(counts);
    free(is_object);
    return rc;
}
