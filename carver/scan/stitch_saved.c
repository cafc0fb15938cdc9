/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch_saved.c - see stitch_save and stitch_restore in stitch.h. */
#include "carver/scan/stitch_impl.h"

enum { STITCH_STATE = 2 /* the version of what stitch_save writes */ };

static void stitch_save_totals(const struct stitch_totals *totals, struct pack *out)
{
    plan_totals_save(&totals->plan, out);
    pack_number(out, totals->parts);
    pack_number(out, totals->again_one);
    pack_number(out, totals->again_all);
    pack_number(out, totals->reread);
}

static void stitch_restore_totals(struct stitch_totals *totals, struct unpack *in)
{
    plan_totals_restore(&totals->plan, in);
    totals->parts = unpack_number(in, UINT64_MAX);
    totals->again_one = unpack_number(in, UINT64_MAX);
    totals->again_all = unpack_number(in, UINT64_MAX);
    totals->reread = unpack_number(in, UINT64_MAX);
}

void stitch_save(const struct stitch *s, struct pack *out)
{
    pack_number(out, STITCH_STATE);
    stitch_save_totals(&s->totals, out);
    record_save(s->options.record, out);
    if (s->runs.scan != NULL)
        known_runs_save(&s->runs, out);
    pack_number(out, s->in_range);
    if (!s->in_range)
        return;
    if (s->options.plan->runs != NULL)
        pack_number(out, s->run != NULL);
    sums_chain_save(s->chain, out);
    rules_save(s->rules, out);
    plan_again_save(s->truth, out);
}

const struct io_range *stitch_range(const struct io_range *ranges, uint32_t count, uint64_t at)
{
    const struct io_range *range = runs_last(ranges, count, at);

    return range != NULL && at - range->offset <= range->len ? range : NULL;
}

/* Whether the parts fill the range up to the position. */
static bool stitch_parts_fit(const struct stitch *s, const struct io_range *range,
                             const struct sums_chain_part *parts, uint32_t count)
{
    const uint64_t position = record_position(s->options.record);
    uint64_t last = range->offset;

    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].from < last || parts[i].from >= position ||
            (parts[i].from - s->options.whole.offset) % PART_ALIGN != 0)
            return false;
        last = parts[i].from + 1;
    }
    return count == 0 ? s->options.plan->hits_only : parts[0].from == range->offset;
}

static enum err_code stitch_restore_range(struct stitch *s, const struct io_range *range,
                                          const struct sums_chain_part *parts, uint32_t count,
                                          struct unpack *in, struct err *err)
{
    const struct io_range *whole = &s->options.whole;
    const uint64_t end = whole->offset + whole->len, at = record_position(s->options.record);
    const struct plan_part place = { whole->offset, end, at, at };
    const struct runs *runs = s->options.plan->runs;
    enum err_code rc = ERR_OK;

    s->in_range = true;
    s->front = at;
    found_clear(&s->again);
    plan_begin(s->truth, &place, &s->again, NULL);
    sums_chain_begin(s->chain, range->offset);
    rc = rules_begin(s->rules, whole->offset, end, err);
    s->run = runs != NULL && unpack_flag(in) ? runs_at(runs, at) : NULL;
    if (rc == ERR_OK && s->run != NULL)
        rc = rules_next(s->rules, s->run->offset, s->run->offset + s->run->len, err);
    if (rc == ERR_OK)
        rc = sums_chain_restore(s->chain, at, parts, count, in, err);
    if (rc != ERR_OK)
        return rc;
    rules_restore(s->rules, at, in);
    rc = plan_again_restore(s->truth, s->scratch, in, &s->again, err);
    for (uint32_t i = 0; rc == ERR_OK && !in->failed && i < s->again.object_count; i++)
        rc = stitch_hold(s, &s->again, &s->again.objects[i], err);
    return rc;
}

enum err_code stitch_restore(struct stitch *s, const struct sums_chain_part *parts, uint32_t count,
                             struct unpack *in, struct err *err)
{
    enum err_code rc = ERR_OK;

    in->failed = unpack_number(in, UINT64_MAX) != STITCH_STATE;
    stitch_restore_totals(&s->totals, in);
    record_restore(s->options.record, in);
    if (s->runs.scan != NULL)
        known_runs_restore(&s->runs, in);
    if (unpack_flag(in)) {
        const uint64_t position = record_position(s->options.record);
        const struct io_range *range =
            stitch_range(s->options.ranges, s->options.range_count, position);

        in->failed = range == NULL || position == range->offset ||
                     ((position - s->options.whole.offset) % PART_ALIGN != 0 &&
                      position != range->offset + range->len) ||
                     !stitch_parts_fit(s, range, parts, count);
        if (!in->failed)
            rc = stitch_restore_range(s, range, parts, count, in, err);
    }
    if (rc == ERR_OK && !unpack_whole(in))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "what the case file says of how far the scan came is damaged; scan the "
                       "image again with --force, which keeps this case file under another name");
    return rc;
}
