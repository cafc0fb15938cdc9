/* carver/scan/part.c - see part.h. */
#include "carver/scan/part.h"

#include <stdlib.h>
#include <string.h>

enum err_code part_open(const struct plan_options *options, struct lookback *lookback,
                        struct part **out, struct err *err)
{
    struct part *part = calloc(1, sizeof *part);

    *out = NULL;
    if (part == NULL)
        return ERR_NO_MEMORY(err, sizeof *part);
    enum err_code rc = found_open(options->sig_count, &part->found, err);
    if (rc == ERR_OK)
        rc = plan_open(options, lookback, &part->exit, err);
    if (rc == ERR_OK)
        *out = part;
    else
        part_close(part);
    return rc;
}

void part_close(struct part *part)
{
    if (part == NULL)
        return;
    found_release(&part->found);
    plan_close(part->exit);
    sums_close(part->sums);
    free(part->bad);
    free(part->blocks.items);
    free(part);
}

void part_begin(struct part *part, const struct plan_part *place)
{
    part->place = *place;
    part->last = part->whole = false;
    found_clear(&part->found);
    part->own_count = part->bad_count = part->blocks.count = 0;
    part->totals = (struct plan_totals){ 0 };
    part->reread = 0;
    part->next = NULL;
}

enum err_code part_add_bad(struct part *part, const struct io_bad_range *ranges, uint32_t count,
                           struct err *err)
{
    if (part->bad_count + count > part->bad_room) {
        const uint32_t room = 2 * (part->bad_count + count);
        struct io_bad_range *bad = realloc(part->bad, room * sizeof *bad);

        if (bad == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *bad);
        part->bad = bad;
        part->bad_room = room;
    }
    if (count > 0)
        memcpy(part->bad + part->bad_count, ranges, count * sizeof *ranges);
    part->bad_count += count;
    return ERR_OK;
}
