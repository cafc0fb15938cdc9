/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/sums_chain.c - see sums_chain.h. */
#include "carver/plan/sums_chain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "carver/case/sums_late.h"
#include "signatures/crc64.h"

enum {
    CHAIN_KEPT = 3 /* parts whose sums are kept */,
    CHAIN_BLOCK = 1 << 20 /* bytes of a read */
};

/* Places of a part whose CRC is known. */
struct chain_known {
    struct found_sum *items; /* sorted */
    uint32_t count, room;
};

struct sums_chain {
    struct lookback lookback; /* of the image, without a segment */
    struct record *record;
    struct sums_late late;
    struct sums_chain_part *parts;
    uint32_t count, room;
    struct sums *sums[CHAIN_KEPT];        /* of the last parts, the newest first; NULL: none */
    struct chain_known known[CHAIN_KEPT]; /* of the same parts */
    uint64_t front, value;
    uint8_t *block;
};

enum err_code sums_chain_open(struct io_image *image, struct record *record,
                              struct sums_chain **out, struct err *err)
{
    struct sums_chain *chain = calloc(1, sizeof *chain);

    *out = chain;
    if (chain == NULL)
        return ERR_NO_MEMORY(err, sizeof *chain);
    chain->lookback.image = image;
    chain->record = record;
    return ERR_OK;
}

void sums_chain_close(struct sums_chain *chain)
{
    if (chain == NULL)
        return;
    for (uint32_t i = 0; i < CHAIN_KEPT; i++) {
        sums_close(chain->sums[i]);
        free(chain->known[i].items);
    }
    sums_late_release(&chain->late);
    free(chain->parts);
    free(chain->block);
    free(chain);
}

void sums_chain_begin(struct sums_chain *chain, uint64_t offset)
{
    chain->count = 0;
    chain->front = offset;
    chain->value = 0;
    for (uint32_t i = 0; i < CHAIN_KEPT; i++)
        chain->known[i].count = 0;
    chain->late.count = 0;
}

static bool chain_begins(const void *part, uint64_t at)
{
    return ((const struct sums_chain_part *)part)->from <= at;
}

/* The number of the part that holds image offset at, which lies behind the range's beginning. */
static uint32_t chain_find(const struct sums_chain *chain, uint64_t at)
{
    return (uint32_t)bisect_last(chain->parts, chain->count, sizeof *chain->parts, chain_begins,
                                 at);
}

/* Goes on from *value over the image bytes [from, to). */
static enum err_code chain_read(struct sums_chain *chain, uint64_t from, uint64_t to,
                                uint64_t *value, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (chain->block == NULL)
        chain->block = malloc(CHAIN_BLOCK);
    if (chain->block == NULL)
        return ERR_NO_MEMORY(err, CHAIN_BLOCK);
    while (rc == ERR_OK && from < to) {
        const size_t len = to - from < CHAIN_BLOCK ? (size_t)(to - from) : CHAIN_BLOCK;

        rc = io_salvage_read(chain->lookback.image, from, chain->block, len, NULL, NULL, err);
        if (rc == ERR_OK)
            *value = crc64_add(*value, chain->block, len);
        from += len;
    }
    return rc;
}

enum err_code sums_chain_read(struct sums_chain *chain, uint64_t from, uint64_t to, uint64_t *value,
                              struct err *err)
{
    *value = 0;
    return chain_read(chain, from, to, value, err);
}

bool sums_chain_has(const struct sums_chain *chain, uint64_t at)
{
    return chain->count > 0 && at >= chain->parts[0].from;
}

enum err_code sums_chain_at(struct sums_chain *chain, uint64_t at, uint64_t *value, struct err *err)
{
    const uint32_t number = chain_find(chain, at), back = chain->count - 1 - number;
    uint64_t own = 0;
    enum err_code rc = ERR_OK;

    assert(chain->count > 0 && at <= chain->front);
    const struct sums_chain_part *part = &chain->parts[number];
    if (at == chain->front) {
        *value = chain->value;
        return ERR_OK;
    }
    const struct found_sum *known =
        back < CHAIN_KEPT ? found_sum_at(chain->known[back].items, chain->known[back].count, at)
                          : NULL;
    if (known != NULL)
        own = known->value;
    else if (back < CHAIN_KEPT && chain->sums[back] != NULL)
        rc = sums_at(chain->sums[back], at, &own, err);
    else
        rc = chain_read(chain, part->from, at, &own, err);
    *value = crc64_join(part->value, own, at - part->from);
    return rc;
}

/* Gives CRCs to the objects that end in what has been added. */
static enum err_code chain_front(struct sums_chain *chain, struct err *err)
{
    struct sums_late_one one;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && sums_late_take(&chain->late, chain->front, &one)) {
        uint64_t after = 0;

        rc = sums_chain_at(chain, one.end, &after, err);
        if (rc == ERR_OK)
            rc = record_crc64(chain->record, one.id,
                              crc64_rest(one.before, after, one.end - one.offset), err);
    }
    return rc;
}

/* Makes room for so many parts more. */
static enum err_code chain_room(struct sums_chain *chain, uint32_t more, struct err *err)
{
    const uint32_t room = 2 * (chain->count + more) + 64;

    if (chain->count + more <= chain->room)
        return ERR_OK;
    struct sums_chain_part *parts = realloc(chain->parts, room * sizeof *parts);
    if (parts == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *parts);
    chain->parts = parts;
    chain->room = room;
    return ERR_OK;
}

/* The places of the part that is added come first, and those of the oldest one go. */
static enum err_code chain_know(struct sums_chain *chain, const struct found *found,
                                struct err *err)
{
    struct chain_known known = chain->known[CHAIN_KEPT - 1];

    memmove(&chain->known[1], &chain->known[0], (CHAIN_KEPT - 1) * sizeof chain->known[0]);
    chain->known[0] = (struct chain_known){ 0 };
    if (found->sum_count > known.room) {
        free(known.items);
        known = (struct chain_known){ .room = 2 * found->sum_count };
        known.items = malloc(known.room * sizeof *known.items);
        if (known.items == NULL)
            return ERR_NO_MEMORY(err, known.room * sizeof *known.items);
    }
    if (found->sum_count > 0)
        memcpy(known.items, found->sums, found->sum_count * sizeof *known.items);
    known.count = found->sum_count;
    chain->known[0] = known;
    return ERR_OK;
}

enum err_code sums_chain_add(struct sums_chain *chain, struct sums **sums, uint64_t from,
                             uint64_t to, const struct found *found, struct err *err)
{
    struct sums *oldest = chain->sums[CHAIN_KEPT - 1];
    uint64_t own = 0;

    if (*sums == NULL || from == to)
        return ERR_OK;
    assert(from == chain->front);
    enum err_code rc = chain_room(chain, 1, err);
    if (rc == ERR_OK)
        rc = sums_at(*sums, to, &own, err);
    if (rc == ERR_OK)
        rc = chain_know(chain, found, err);
    if (rc != ERR_OK)
        return rc;
    chain->parts[chain->count++] = (struct sums_chain_part){ from, chain->value };
    memmove(&chain->sums[1], &chain->sums[0], (CHAIN_KEPT - 1) * sizeof(struct sums *));
    sums_attach(*sums, &chain->lookback);
    chain->sums[0] = *sums;
    *sums = oldest;
    chain->value = crc64_join(chain->value, own, to - from);
    chain->front = to;
    return chain_front(chain, err);
}

uint64_t sums_chain_value(const struct sums_chain *chain)
{
    return chain->value;
}

void sums_chain_save(const struct sums_chain *chain, struct pack *out)
{
    pack_number(out, chain->value);
    pack_number(out, chain->late.count);
    for (uint32_t i = 0; i < chain->late.count; i++) {
        const struct sums_late_one *one = &chain->late.heap[i];

        pack_number(out, (uint64_t)one->id);
        pack_number(out, one->offset);
        pack_number(out, one->end - one->offset);
        pack_number(out, one->before);
    }
}

enum err_code sums_chain_restore(struct sums_chain *chain, uint64_t front,
                                 const struct sums_chain_part *parts, uint32_t count,
                                 struct unpack *in, struct err *err)
{
    enum err_code rc = chain_room(chain, count, err);

    if (rc != ERR_OK)
        return rc;
    if (count > 0)
        memcpy(chain->parts, parts, count * sizeof *parts);
    chain->count = count;
    chain->front = front;
    chain->value = unpack_number(in, UINT64_MAX);
    const uint32_t late = unpack_count(in);
    for (uint32_t i = 0; rc == ERR_OK && i < late && !in->failed; i++) {
        struct sums_late_one one;

        one.id = (int64_t)unpack_number(in, INT64_MAX);
        one.offset = unpack_number(in, front);
        one.end = one.offset + unpack_number(in, INT64_MAX - one.offset);
        one.before = unpack_number(in, UINT64_MAX);
        if (!in->failed)
            rc = sums_late_add(&chain->late, &one, SUMS_LATE_MAX, err);
    }
    return rc;
}

enum err_code sums_chain_record(struct sums_chain *chain, struct record_object *object,
                                const uint64_t *before, const struct pack *facts, struct err *err)
{
    struct sums_late_one one = { .id = object->hit_id,
                                 .offset = object->offset,
                                 .end = object->offset + object->len };
    uint64_t after = 0;
    enum err_code rc = ERR_OK;

    if (object->has_crc64 || !sums_chain_has(chain, object->offset))
        return record_object(chain->record, object, facts, err);
    if (before != NULL)
        one.before = *before;
    else
        rc = sums_chain_at(chain, object->offset, &one.before, err);
    if (rc == ERR_OK && one.end > chain->front)
        rc = sums_late_add(&chain->late, &one, SUMS_LATE_MAX, err);
    else if (rc == ERR_OK) {
        rc = sums_chain_at(chain, one.end, &after, err);
        object->has_crc64 = true;
        object->crc64 = crc64_rest(one.before, after, object->len);
    }
    return rc == ERR_OK ? record_object(chain->record, object, facts, err) : rc;
}
