/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_sums.c - see mapped_impl.h.
 *
 * A table that is cut has the sum of its words before the cut, as they lie in the one piece, and of
 * those behind it, as they lie in the other: one pass gives it for all cuts.
 */
#include "base/bytes.h"
#include "base/limits.h"
#include "carver/assemble/mapped_impl.h"

enum { MAPPED_TABLE = 16 << 20 /* bytes of a table, at most */ };

/* The sum of bytes [from, to) of the file, as they lie with this shift; of words that begin at
 * `base` and every four bytes behind it. */
static uint32_t mapped_sum(const struct mapped *mapped, int64_t shift, uint64_t base, uint64_t from,
                           uint64_t to)
{
    uint8_t bytes[LIMIT_SECTOR];
    uint32_t sum = 0;

    for (uint64_t at = from; at < to;) {
        const uint64_t rest = to - at, sector = LIMIT_SECTOR - at % LIMIT_SECTOR;
        const uint32_t len = (uint32_t)(rest < sector ? rest : sector);
        const uint64_t image_at = mapped->job->start->offset + at + (uint64_t)shift;
        const uint32_t have = image_at < mapped->job->image_len
                                  ? splice_copy(&mapped->trial->splice, image_at, bytes, len)
                                  : 0;

        for (uint32_t i = 0; i < have; i++)
            sum += (uint32_t)bytes[i] << (24 - (at + i - base) % 4 * 8);
        at += len;
    }
    mapped->trial->work += to - from;
    return sum;
}

/* The cuts inside of a table that give its sum. */
static void mapped_sum_cut(const struct mapped *mapped, const struct landmarks_piece *one,
                           const struct sig_sum *table, struct mapped_cuts *out)
{
    const int64_t here = one[0].shift, there = one[1].shift;
    const uint64_t low = one[0].to > table->from ? one[0].to : table->from + 1;
    const uint64_t first = (low + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    const uint64_t last = one[1].from < table->to ? one[1].from : table->to - 1;

    if (first > last || table->to - table->from > MAPPED_TABLE)
        return;
    uint32_t sum = mapped_sum(mapped, here, table->from, table->from, first) +
                   mapped_sum(mapped, there, table->from, first, table->to);
    for (uint64_t cut = first; cut <= last && out->count < MAPPED_CUTS; cut += LIMIT_SECTOR) {
        const uint64_t next = cut + LIMIT_SECTOR < table->to ? cut + LIMIT_SECTOR : table->to;

        if (sum == table->sum)
            out->items[out->count++] = (struct mapped_cut){ .at = cut };
        sum += mapped_sum(mapped, here, table->from, cut, next) -
               mapped_sum(mapped, there, table->from, cut, next);
    }
}

void mapped_sum_cuts(const struct mapped *mapped, const struct landmarks_piece *one,
                     struct mapped_cuts *out)
{
    const struct sig *sig = mapped->job->start->sig;
    uint8_t head[SIG_MARK];
    struct sig_sum table;

    out->count = 0;
    if (sig->sums == NULL || one[1].from < one[0].to)
        return;
    splice_copy(&mapped->trial->splice, mapped->job->start->offset, head, sizeof head);
    for (uint32_t i = 0; sig->sums(head, i, &table); i++)
        if (table.from < one[1].from && table.to > one[0].to)
            mapped_sum_cut(mapped, one, &table, out);
}
