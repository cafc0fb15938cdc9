/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/sums.c - see sums.h.
 *
 * Places are counted from the beginning of the range. A thread that looks at a segment knows its
 * bytes and not the CRC up to there. So its steps count from the beginning of a unit, of which a
 * segment has one or more, and the collector knows the running CRC at the beginning of each unit.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/sums.h"
#include "signatures/crc64.h"

enum {
    SUMS_MARK = 1 << 20,     /* bytes between two places whose running CRC is kept to the end */
    SUMS_MARKS_FIRST = 1024, /* of them, for a beginning */
    SUMS_UNIT = SUMS_SAVED,  /* the least segment: a unit is no longer */
    SUMS_BLOCK = 64 * 1024,  /* bytes of one read of what has left memory */
};

struct sums_slot {
    uint64_t *steps; /* CRC of the bytes from the unit's beginning to each step */
    uint64_t *units; /* CRC of each unit */
};

struct sums_place {
    uint64_t at, value;
};

struct sums {
    const struct lookback *lookback;
    uint32_t unit; /* bytes */
    uint32_t slot_count;
    struct sums_slot *slots;
    uint64_t *memory; /* of the slots' numbers */

    uint64_t begin, front; /* image offsets */
    uint64_t value;        /* running CRC at the front */
    uint64_t *steps;       /* a ring, by the step's number: as in slots; NULL: none is known */
    uint64_t *units;       /* a ring, by the unit's number: running CRC at its beginning */
    uint64_t step_count, unit_count;
    uint64_t *marks; /* by MiB: running CRC */
    uint64_t mark_room;

    struct sums_place *kept; /* [SUMS_KEPT]: a ring */
    uint32_t kept_first, kept_count;
    uint64_t block_offset; /* of the image, of what was read again last */
    uint32_t block_len;
    uint8_t *block;
    uint64_t reread;
};

/* The slots' numbers lie together: steps, then units. */
static enum err_code sums_open_slots(struct sums *sums, uint32_t slots, uint32_t segment_len,
                                     struct err *err)
{
    const size_t steps = segment_len / SUMS_STEP, units = segment_len / sums->unit;

    sums->slot_count = slots;
    sums->slots = calloc(slots, sizeof *sums->slots);
    sums->memory = malloc(slots * (steps + units) * sizeof *sums->memory);
    if (sums->slots == NULL || sums->memory == NULL)
        return ERR_NO_MEMORY(err, slots * (steps + units) * sizeof *sums->memory);
    for (uint32_t i = 0; i < slots; i++)
        sums->slots[i] = (struct sums_slot){ .steps = sums->memory + i * (steps + units),
                                             .units = sums->memory + i * (steps + units) + steps };
    return ERR_OK;
}

enum err_code sums_open(const struct lookback *lookback, uint32_t slots, uint32_t segment_len,
                        uint64_t reach, struct sums **out, struct err *err)
{
    struct sums *sums = calloc(1, sizeof *sums);

    assert(segment_len >= SUMS_STEP && (segment_len & (segment_len - 1)) == 0 &&
           reach % segment_len == 0);
    *out = NULL;
    if (sums == NULL)
        return ERR_NO_MEMORY(err, sizeof *sums);
    sums->lookback = lookback;
    sums->unit = segment_len < SUMS_UNIT ? segment_len : SUMS_UNIT;
    enum err_code rc = sums_open_slots(sums, slots, segment_len, err);
    sums->step_count = reach / SUMS_STEP;
    sums->unit_count = reach / sums->unit;
    sums->steps =
        calloc(sums->step_count, sizeof *sums->steps); /* what is never written takes no memory */
    sums->units = calloc(sums->unit_count, sizeof *sums->units);
    sums->kept = malloc(SUMS_KEPT * sizeof *sums->kept);
    sums->block = aligned_alloc(4096, SUMS_BLOCK);
    if (rc == ERR_OK &&
        (sums->steps == NULL || sums->units == NULL || sums->kept == NULL || sums->block == NULL))
        rc = ERR_NO_MEMORY(err, sums->step_count * sizeof *sums->steps);
    if (rc == ERR_OK)
        *out = sums;
    else
        sums_close(sums);
    return rc;
}

void sums_close(struct sums *sums)
{
    if (sums == NULL)
        return;
    free(sums->slots);
    free(sums->memory);
    free(sums->steps);
    free(sums->units);
    free(sums->marks);
    free(sums->kept);
    free(sums->block);
    free(sums);
}

void sums_look(void *arg, uint32_t slot, const uint8_t *bytes, uint32_t len)
{
    const struct sums *sums = arg;
    const struct sums_slot *to = &sums->slots[slot];
    uint64_t value = 0;

    for (uint32_t at = 0; at < len; at += SUMS_STEP) {
        if (at % sums->unit == 0)
            value = 0;
        to->steps[at / SUMS_STEP] = value;
        value = crc64_add(value, bytes + at, len - at < SUMS_STEP ? len - at : SUMS_STEP);
        to->units[at / sums->unit] = value;
    }
}

uint64_t sums_reach(const struct sums *sums)
{
    return sums->step_count * SUMS_STEP;
}

void sums_attach(struct sums *sums, const struct lookback *lookback)
{
    sums->lookback = lookback;
}

void sums_begin(struct sums *sums, uint64_t offset)
{
    sums->begin = sums->front = offset;
    sums->value = 0;
    sums->kept_count = 0;
    sums->block_len = 0;
    sums->reread = 0;
}

static enum err_code sums_mark(struct sums *sums, uint64_t number, struct err *err)
{
    if (number >= sums->mark_room) {
        const uint64_t room = sums->mark_room == 0 ? SUMS_MARKS_FIRST : 2 * sums->mark_room;
        uint64_t *marks = realloc(sums->marks, room * sizeof *marks);

        if (marks == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *marks);
        sums->marks = marks;
        sums->mark_room = room;
    }
    sums->marks[number] = sums->value;
    return ERR_OK;
}

enum err_code sums_collect(struct sums *sums, uint32_t slot, uint32_t len, struct err *err)
{
    const struct sums_slot *from = &sums->slots[slot];
    const uint64_t begin = sums->front - sums->begin;
    enum err_code rc = ERR_OK;

    assert(slot < sums->slot_count && begin % sums->unit == 0);
    for (uint32_t at = 0; rc == ERR_OK && at < len; at += sums->unit) {
        const uint32_t unit = len - at < sums->unit ? len - at : sums->unit;

        sums->units[(begin + at) / sums->unit % sums->unit_count] = sums->value;
        if ((begin + at) % SUMS_MARK == 0)
            rc = sums_mark(sums, (begin + at) / SUMS_MARK, err);
        sums->value = crc64_join(sums->value, from->units[at / sums->unit], unit);
    }
    /* A segment begins at a multiple of its length, and so goes over the ring's end nowhere. */
    memcpy(&sums->steps[begin / SUMS_STEP % sums->step_count], from->steps,
           (len + (size_t)SUMS_STEP - 1) / SUMS_STEP * sizeof *from->steps);
    sums->front += len;
    return rc;
}

uint64_t sums_first(const struct sums *sums)
{
    return sums->begin;
}

uint64_t sums_front(const struct sums *sums)
{
    return sums->front;
}

uint64_t sums_reread(const struct sums *sums)
{
    return sums->reread;
}

/* Bytes at image offset at, up to the front at most, that have left memory. */
static enum err_code sums_block(struct sums *sums, uint64_t at, const uint8_t **bytes,
                                uint64_t *len, struct err *err)
{
    const uint64_t offset = at / SUMS_BLOCK * SUMS_BLOCK;
    const uint64_t left = sums->front - offset;
    const uint32_t want = left < SUMS_BLOCK ? (uint32_t)left : SUMS_BLOCK;

    if (sums->block_offset != offset || sums->block_len < want) {
        sums->block_len = 0;
        const enum err_code rc =
            io_salvage_read(sums->lookback->image, offset, sums->block, want, NULL, NULL, err);
        if (rc != ERR_OK)
            return rc;
        sums->block_offset = offset;
        sums->block_len = want;
        sums->reread += want;
    }
    *bytes = sums->block + (at - offset);
    *len = want - (at - offset);
    return ERR_OK;
}

/* Goes on from *value over the image bytes [from, to). */
static enum err_code sums_go_on(struct sums *sums, uint64_t from, uint64_t to, uint64_t *value,
                                struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && from < to) {
        uint64_t len = 0;
        const uint8_t *bytes = lookback_memory(sums->lookback, from, &len);

        if (bytes == NULL)
            rc = sums_block(sums, from, &bytes, &len, err);
        if (rc != ERR_OK)
            return rc;
        if (len > to - from)
            len = to - from;
        *value = crc64_add(*value, bytes, len);
        from += len;
    }
    return rc;
}

/* Whether the value at image offset at was kept. */
static bool sums_recall(const struct sums *sums, uint64_t at, uint64_t *value)
{
    uint32_t low = 0, high = sums->kept_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct sums_place *place = &sums->kept[(sums->kept_first + middle) % SUMS_KEPT];

        if (place->at == at) {
            *value = place->value;
            return true;
        }
        if (place->at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

enum err_code sums_at(struct sums *sums, uint64_t at, uint64_t *value, struct err *err)
{
    const uint64_t place = at - sums->begin, newest = (sums->front - sums->begin - 1) / sums->unit;
    uint64_t known, before, sum = 0, from;

    assert(at >= sums->begin && at <= sums->front);
    if (at == sums->front) {
        *value = sums->value;
        return ERR_OK;
    }
    if (sums_recall(sums, at, value))
        return ERR_OK;
    if (place / sums->unit + sums->unit_count > newest) { /* the ring still has its unit */
        known = place / sums->unit * sums->unit;
        before = sums->units[place / sums->unit % sums->unit_count];
        sum = sums->steps != NULL ? sums->steps[place / SUMS_STEP % sums->step_count] : 0;
        from = sums->steps != NULL ? place / SUMS_STEP * SUMS_STEP : known;
    } else {
        known = from = place / SUMS_MARK * SUMS_MARK;
        before = sums->marks[place / SUMS_MARK];
    }
    const enum err_code rc = sums_go_on(sums, sums->begin + from, at, &sum, err);
    *value = crc64_join(before, sum, place - known);
    return rc;
}

enum err_code sums_remember(struct sums *sums, uint64_t at, struct err *err)
{
    const uint32_t last = (sums->kept_first + sums->kept_count - 1) % SUMS_KEPT;
    uint64_t value;

    if (sums->kept_count > 0 && sums->kept[last].at >= at)
        return ERR_OK;
    const enum err_code rc = sums_at(sums, at, &value, err);
    if (rc != ERR_OK)
        return rc;
    if (sums->kept_count == SUMS_KEPT)
        sums->kept_first = (sums->kept_first + 1) % SUMS_KEPT; /* the oldest makes room */
    else
        sums->kept_count++;
    sums->kept[(sums->kept_first + sums->kept_count - 1) % SUMS_KEPT] =
        (struct sums_place){ at, value };
    return ERR_OK;
}

/* Units of so many bytes. */
static uint64_t sums_units(uint64_t len)
{
    return (len + SUMS_UNIT - 1) / SUMS_UNIT;
}

enum err_code sums_save(struct sums *sums, uint64_t to, struct pack *out, struct err *err)
{
    const uint64_t len = to - sums->begin, count = sums_units(len);
    const uint64_t each = SUMS_UNIT / sums->unit;
    uint64_t value = 0;
    const enum err_code rc = sums_at(sums, to, &value, err);

    assert(sums->front - sums->begin <= sums->unit_count * sums->unit);
    pack_u64(out, value);
    for (uint64_t i = 1; i < count; i++)
        pack_bytes(out, &sums->units[i * each], sizeof sums->units[0]);
    return rc;
}

/* Sums of a range, with room for the CRCs at its units. */
static enum err_code sums_of_units(const struct lookback *lookback, uint64_t from, uint64_t to,
                                   struct sums **out, struct err *err)
{
    const uint64_t count = sums_units(to - from);
    struct sums *sums = calloc(1, sizeof *sums);
    uint64_t *units = calloc(count + 1u, sizeof *units);
    uint8_t *block = aligned_alloc(4096, SUMS_BLOCK);

    *out = sums;
    if (sums == NULL || units == NULL || block == NULL) {
        *out = NULL;
        free(sums);
        free(units);
        free(block);
        return ERR_NO_MEMORY(err, count * sizeof *units + SUMS_BLOCK);
    }
    *sums = (struct sums){ .lookback = lookback,
                           .unit = SUMS_UNIT,
                           .begin = from,
                           .front = to,
                           .units = units,
                           .unit_count = count,
                           .block = block };
    return ERR_OK;
}

enum err_code sums_blank(const struct lookback *lookback, uint64_t from, uint64_t to,
                         struct sums **out, struct err *err)
{
    const enum err_code rc = sums_of_units(lookback, from, to, out, err);
    uint64_t unit;

    if (rc != ERR_OK)
        return rc;
    struct sums *sums = *out;
    memset(sums->block, 0, SUMS_BLOCK);
    unit = crc64_add(0, sums->block, SUMS_UNIT);
    for (uint64_t i = 1; i < sums->unit_count; i++)
        sums->units[i] = crc64_join(sums->units[i - 1], unit, SUMS_UNIT);
    if (sums->unit_count > 0) {
        const uint64_t last = sums->unit_count - 1, rest = to - from - last * SUMS_UNIT;

        sums->value = crc64_add(sums->units[last], sums->block, rest);
    }
    return ERR_OK;
}

enum err_code sums_restore(const struct lookback *lookback, uint64_t from, uint64_t to,
                           struct unpack *in, struct sums **out, struct err *err)
{
    const uint64_t count = sums_units(to - from);

    *out = NULL;
    in->failed = in->failed || count > (size_t)(in->end - in->at) / sizeof(uint64_t);
    if (in->failed)
        return ERR_OK;
    struct sums *sums = NULL;
    const enum err_code rc = sums_of_units(lookback, from, to, &sums, err);
    if (rc != ERR_OK || sums == NULL)
        return rc;
    *out = sums;
    unpack_bytes(in, &sums->value, sizeof sums->value);
    for (uint64_t i = 1; i < count; i++)
        unpack_bytes(in, &sums->units[i], sizeof sums->units[0]);
    return ERR_OK;
}
