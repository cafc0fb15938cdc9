/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/around.c - see around.h. */
#include <stdlib.h>

#include "base/clock.h"
#include "carver/triage/around.h"

struct around {
    struct io_image *image;
    const struct unit_aim *aim;
    struct unit_looker *looker;
    uint8_t *bytes; /* [unit] */
    struct answer *answer;
};

static bool around_has(const struct unit_seen *seen, uint32_t set)
{
    for (uint32_t i = 0; i < seen->found_count; i++)
        if (seen->found[i].kind == UNIT_KNOWN && seen->found[i].number == set)
            return true;
    return false;
}

/* One unit beside a block of the set. */
static enum err_code around_unit(struct around *a, uint64_t unit, uint32_t set, struct err *err)
{
    const uint64_t offset = unit * a->aim->unit, left = a->aim->image_size - offset;
    const uint32_t len = left < a->aim->unit ? (uint32_t)left : a->aim->unit;
    struct unit_seen seen;
    enum err_code rc = io_image_read_at(a->image, offset, a->bytes, len, err);

    if (rc == ERR_IO)
        return ERR_OK;
    if (rc == ERR_OK)
        rc = unit_look(a->looker, offset, a->bytes, len, &seen, err);
    if (rc != ERR_OK)
        return rc;
    a->answer->around.units++;
    a->answer->around.known += around_has(&seen, set);
    return ERR_OK;
}

static enum err_code around_place(struct around *a, const struct unit_found *found, struct err *err)
{
    const uint64_t unit = found->offset / a->aim->unit;
    enum err_code rc = ERR_OK;

    a->answer->around.places++;
    for (uint64_t k = 0; rc == ERR_OK && k <= 2 * AROUND_UNITS; k++)
        if (k != AROUND_UNITS && unit + k >= AROUND_UNITS &&
            unit + k - AROUND_UNITS < a->answer->strata.units)
            rc = around_unit(a, unit + k - AROUND_UNITS, found->number, err);
    return rc;
}

enum err_code around_look(struct io_image *image, const struct unit_aim *aim, struct answer *answer,
                          uint32_t from, uint64_t deadline_ns, struct err *err)
{
    struct around a = { .image = image, .aim = aim, .answer = answer };
    uint64_t last = UINT64_MAX; /* the unit of the find before */
    enum err_code rc = ERR_OK;

    for (uint32_t i = from;
         rc == ERR_OK && i < answer->found_count && answer->around.places < AROUND_PLACES &&
         (deadline_ns == 0 || clock_now(CLOCK_MONOTONIC) < deadline_ns);
         i++) {
        const struct unit_found *found = &answer->found[i].found;

        if (found->kind != UNIT_KNOWN || found->offset / aim->unit == last)
            continue;
        last = found->offset / aim->unit;
        if (a.looker == NULL)
            rc = unit_look_open(aim, &a.looker, err);
        if (rc == ERR_OK && a.bytes == NULL && (a.bytes = malloc(aim->unit)) == NULL)
            rc = ERR_NO_MEMORY(err, aim->unit);
        if (rc == ERR_OK)
            rc = around_place(&a, found, err);
    }
    unit_look_close(a.looker);
    free(a.bytes);
    return rc;
}
