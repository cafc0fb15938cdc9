/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units.c - see units.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/two_bytes.h"
#include "carver/assemble/units_impl.h"

enum {
    UNITS_PIECE = 16 * 1024,
    UNITS_FIXED = 3, /* bytes of what follows that are looked for */
};

/* What follows the unit begins here, as far as it can be seen. */
static bool units_follows(struct splice *splice, const struct units_job *job,
                          const struct sig_next *next, uint64_t at)
{
    uint8_t bytes[SIG_BEHIND];
    bool follows = at <= job->image_len && next->len <= job->image_len - at;

    if (!follows)
        return false;
    splice_copy(splice, at, bytes, next->len);
    for (uint32_t i = 0; i < next->len; i++)
        follows = follows && ((bytes[i] ^ next->bytes[i]) & next->mask[i]) == 0;
    return follows;
}

/* Notes the shift of what stands at image offset at, if that may follow the unit. */
static void units_note(struct splice *splice, const struct units_job *job,
                       const struct sig_unit *unit, const struct sig_next *next, uint64_t at,
                       struct units *units)
{
    /* Of a unit that does not say how long it is: how far behind its first byte that stands. */
    const bool open = unit->next_most != 0;
    const int64_t shift = (int64_t)(at - job->at - (open ? 0 : unit->next_at));
    bool known = shift == 0 || (!open && shift % LIMIT_SECTOR != 0);

    for (uint32_t i = 0; i < units->shift_count; i++)
        known = known || units->shifts[i] == shift;
    if (!known && units->shift_count < UNITS_SHIFTS && units_follows(splice, job, next, at))
        units->shifts[units->shift_count++] = shift;
}

/* Notes what may follow of all that has the same first byte as next[first]. */
static void units_note_alike(struct splice *splice, const struct units_job *job,
                             const struct sig_unit *unit, uint32_t first, const uint8_t *found,
                             uint64_t at, struct units *units)
{
    for (uint32_t i = first; i < unit->next_count; i++)
        if (memcmp(found, unit->next[i].bytes, UNITS_FIXED) == 0)
            units_note(splice, job, unit, &unit->next[i], at, units);
}

/* Of those that begin with the same byte as next[number], the second byte of the last one: with its
 * own it is one of two, at most. */
static uint8_t units_other(const struct sig_unit *unit, uint32_t number)
{
    uint8_t other = unit->next[number].bytes[1];

    for (uint32_t i = number + 1; i < unit->next_count; i++)
        if (unit->next[i].bytes[0] == unit->next[number].bytes[0])
            other = unit->next[i].bytes[1];
    return other;
}

/* Whether one before it begins with the same byte. */
static bool units_is_later(const struct sig_unit *unit, uint32_t number)
{
    bool later = false;

    for (uint32_t i = 0; i < number; i++)
        later = later || unit->next[i].bytes[0] == unit->next[number].bytes[0];
    return later;
}

/* Looks for what may follow in image bytes [from, to), by its first two bytes. */
static void units_look(struct splice *splice, const struct units_job *job,
                       const struct sig_unit *unit, uint64_t from, uint64_t to, struct units *units)
{
    uint8_t bytes[UNITS_PIECE + UNITS_FIXED];

    to = to < job->image_len ? to : job->image_len;
    for (uint64_t at = from; at < to && units->shift_count < UNITS_SHIFTS; at += UNITS_PIECE) {
        const uint64_t left = to - at;
        const uint32_t len =
            left < sizeof bytes ? (uint32_t)left : (uint32_t)sizeof bytes; /* one over the border */
        const uint8_t *end = bytes + (len < UNITS_FIXED ? 0 : len - UNITS_FIXED + 1);

        splice_copy(splice, at, bytes, len);
        units->read += len;
        for (uint32_t i = 0; i < unit->next_count; i++) {
            const uint8_t *next = unit->next[i].bytes, other = units_other(unit, i);

            if (units_is_later(unit, i))
                continue;
            for (const uint8_t *found = bytes;
                 (found = two_bytes_find(found, end, next[0], next[1], other)) != NULL; found++)
                units_note_alike(splice, job, unit, i, found, at + (uint64_t)(found - bytes),
                                 units);
        }
    }
}

/* The sums of the unit at all of its cuts, and what a byte adds to one, or takes back from it. */
struct units_room {
    uint32_t *here, *there; /* as it lies in the piece that breaks; and as the shift says */
    uint32_t steps[256], unsteps[256];
};

static void units_steps(struct units_room *room)
{
    static const uint32_t polynomial = 0xedb88320, top = UINT32_C(1) << 31;

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t step = i, back = i << 24;

        for (int bit = 0; bit < 8; bit++) {
            step = (step & 1) != 0 ? step >> 1 ^ polynomial : step >> 1;
            back = (back & top) != 0 ? (back ^ polynomial) << 1 | 1 : back << 1;
        }
        room->steps[i] = step;
        room->unsteps[i] = back;
    }
}

/* The sums of the unit's bytes from this one on, as it lies at image offset at, up to each place
 * where it may be cut. Returns that of all of them. */
static uint32_t units_sums(struct splice *splice, const struct units_job *job,
                           const struct sig_unit *unit, uint64_t at, uint64_t from,
                           const uint32_t steps[256], uint32_t *sums, struct units *units)
{
    const uint64_t first = job->cut_first - job->at;
    uint32_t sum = UINT32_MAX, n = 0;
    uint8_t bytes[UNITS_PIECE];

    for (uint64_t cut = first; from < unit->sum_to; cut += job->step) {
        const uint64_t to = cut < unit->sum_to ? cut : unit->sum_to;

        while (from < to) {
            const uint32_t len = to - from < sizeof bytes ? (uint32_t)(to - from) : UNITS_PIECE;

            splice_copy(splice, at + from, bytes, len);
            for (uint32_t i = 0; i < len; i++)
                sum = sum >> 8 ^ steps[(uint8_t)(sum ^ bytes[i])];
            units->read += len;
            from += len;
        }
        if (cut <= unit->sum_to)
            sums[n++] = sum;
    }
    return sum;
}

/* The cuts of the unit for one shift at which its sum is right. */
static void units_cuts(struct splice *splice, const struct units_job *job,
                       const struct sig_unit *unit, int64_t shift, const struct units_room *room,
                       struct units *units)
{
    const uint64_t first = job->cut_first - job->at, there = job->at + (uint64_t)shift;
    const uint64_t last = (unit->sum_to - first) / job->step; /* its number */
    uint8_t stored[4];
    uint32_t want = unit->sum;

    /* The shifted unit may begin before the image: what is summed of it before a cut says nothing.
     */
    const uint64_t in_image = there <= job->image_len ? 0 : 0 - there;
    const uint64_t from = unit->sum_from > in_image ? unit->sum_from : in_image;

    if (from > unit->sum_to || there + unit->next_at > job->image_len)
        return;
    if (unit->sum_at != 0) {
        splice_copy(splice, there + unit->sum_at, stored, sizeof stored);
        want = (uint32_t)stored[0] << 24 | (uint32_t)stored[1] << 16 | (uint32_t)stored[2] << 8 |
               stored[3];
    }
    uint32_t differ =
        units_sums(splice, job, unit, there, from, room->steps, room->there, units) ^ ~want;
    uint64_t at = unit->sum_to;

    for (uint64_t n = last + 1; n-- > 0;) {
        const uint64_t cut = first + n * job->step;
        const uint64_t to = cut < unit->sum_from ? unit->sum_from : cut;

        if (to < from)
            break;
        for (; at > to; at--)
            differ = differ << 8 ^ room->unsteps[differ >> 24];
        if (differ == (room->here[n] ^ room->there[n]) && units->cut_count < UNITS_CUTS)
            units->cuts[units->cut_count++] =
                (struct units_cut){ .end = job->at + cut, .begin = there + cut };
    }
    units->read += unit->sum_to;
}

enum err_code units_find(struct splice *splice, const struct units_job *job, struct units *units,
                         struct err *err)
{
    const uint64_t before = job->at > UNITS_REACH ? job->at - UNITS_REACH : 0;
    struct sig_unit unit = { 0 };
    uint8_t head[SIG_LEAD];

    if (job->sig->joint != NULL)
        return units_joint(splice, job, units, err);
    if (job->sig->flow != NULL)
        return units_flow(splice, job, units, err);
    if (job->sig->unit == NULL || job->image_len - job->at < sizeof head)
        return ERR_OK;
    splice_copy(splice, job->at, head, sizeof head);
    if (!job->sig->unit(head, &unit) || unit.next_at > UNITS_LONGEST)
        return ERR_OK;
    if (units->shift_count == 0) {
        units_look(splice, job, &unit, job->at, job->at + UNITS_REACH, units);
        units_look(splice, job, &unit, before, job->at, units);
    }
    if (unit.next_most != 0) {
        const uint32_t count = units->shift_count;

        units->shift_count = 0; /* they are none */
        return units_open(splice, job, &unit, units->shifts, count, units, err);
    }
    units->summed = unit.sum_to > unit.sum_from;
    if (!units->summed || job->cut_first - job->at > unit.sum_to)
        return ERR_OK;
    const size_t cuts = (size_t)(unit.sum_to / job->step) + 1;
    struct units_room room = { .here = malloc(cuts * sizeof *room.here),
                               .there = malloc(cuts * sizeof *room.there) };
    const bool have = room.here != NULL && room.there != NULL;

    if (have && units->shift_count > 0) {
        units_steps(&room);
        units_sums(splice, job, &unit, job->at, unit.sum_from, room.steps, room.here, units);
        for (uint32_t i = 0; i < units->shift_count; i++)
            units_cuts(splice, job, &unit, units->shifts[i], &room, units);
    }
    free(room.here);
    free(room.there);
    return have ? ERR_OK : ERR_NO_MEMORY(err, 2 * cuts * sizeof *room.here);
}
