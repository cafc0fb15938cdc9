/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tail.c - see tail.h. */
#include <string.h>

#include "base/limits.h"
#include "base/two_bytes.h"
#include "carver/assemble/tail.h"

enum { TAIL_PIECE = 16 * 1024 };

/* What is found. */
struct tail_found {
    int64_t *shifts; /* [TAIL_SHIFTS] */
    uint32_t count, room;
    int64_t near; /* the first one that nothing else speaks for; 0: there is none */
};

/* Whether the file's beginning fits what leads to the record at image offset at. */
static bool tail_fits(struct splice *splice, const struct tail_job *job, uint64_t at, uint64_t lead)
{
    uint8_t head[SIG_LEAD], bytes[SIG_LEAD];

    if (lead == 0 || lead > at)
        return false;
    splice_copy(splice, job->start, head, sizeof head);
    splice_copy(splice, at - lead, bytes, sizeof bytes);
    return job->sig->tail_fits(head, bytes);
}

/* The bytes from what the record at image offset at names to the record; 0: it names nothing. */
static uint64_t tail_named(struct splice *splice, const struct tail_job *job, uint64_t at)
{
    uint8_t before[SIG_NAMED];
    const uint32_t len = at < SIG_NAMED ? (uint32_t)at : SIG_NAMED;

    if (job->sig->tail_names == NULL)
        return 0;
    splice_copy(splice, at - len, before, len);
    return job->sig->tail_names(before, len);
}

/* Notes what the record at image offset at says. */
static void tail_note(struct splice *splice, const struct tail_job *job, const uint8_t *record,
                      uint64_t at, struct tail_found *found)
{
    uint64_t lead = 0;
    const uint64_t object = job->sig->tail_at(record, &lead);
    const uint64_t named = object != 0 ? tail_named(splice, job, at) : 0;
    const int64_t shift = (int64_t)(at - named - job->start - object);
    bool known = object == 0 || shift == 0 || shift % LIMIT_SECTOR != 0 ||
                 (named == 0 && job->sig->tail_names != NULL);

    lead += named;

    for (uint32_t i = 0; i < found->count; i++)
        known = known || found->shifts[i] == shift;
    if (known || found->count == found->room)
        return;
    if (tail_fits(splice, job, at, lead))
        found->shifts[found->count++] = shift;
    else if (found->near == 0 && at > job->start && shift > 0 && shift <= TAIL_NEAR)
        found->near = shift;
}

/* The first record that begins in [at, end), with all of its bytes there; NULL: there is none. It
 * is found by two bytes in its middle, which are rarer in texts than its first ones. */
static const uint8_t *tail_next(const struct sig_pattern *tail, const uint8_t *at,
                                const uint8_t *end)
{
    const uint32_t into = (tail->len - 1) / 2;
    const uint8_t first = (uint8_t)tail->bytes[into], second = (uint8_t)tail->bytes[into + 1];

    for (; (at = two_bytes_find(at + into, end + into, first, second, second)) != NULL;
         at = at - into + 1)
        if (memcmp(at - into, tail->bytes, tail->len) == 0)
            return at - into;
    return NULL;
}

/* Looks for records that begin in [from, to), as far as the image goes. */
static void tail_look(struct splice *splice, const struct tail_job *job, uint64_t from, uint64_t to,
                      struct tail_found *found, uint64_t *read)
{
    const struct sig_pattern *tail = &job->sig->tail;
    uint8_t bytes[TAIL_PIECE + SIG_TAIL];

    /* What is read overlaps by one record, so that each lies whole in one part of it. */
    for (uint64_t at = from; at < to && at < job->image_len && found->count < found->room;
         at += TAIL_PIECE) {
        const uint64_t part = to - at < TAIL_PIECE ? to - at : TAIL_PIECE;
        const uint32_t len = splice_copy(splice, at, bytes, sizeof bytes);
        const uint32_t most = len < tail->len ? 0 : len - tail->len + 1;
        const uint8_t *end = bytes + (part < most ? part : most);

        *read += part;
        for (const uint8_t *next = bytes; (next = tail_next(tail, next, end)) != NULL; next++)
            tail_note(splice, job, next, at + (uint64_t)(next - bytes), found);
    }
}

uint32_t tail_shifts(struct splice *splice, const struct tail_job *job, int64_t out[TAIL_SHIFTS],
                     uint64_t *read)
{
    /* What a record names lies a whole number of sectors away in one other file of LIMIT_SECTOR:
     * such a file on one side is no reason not to look on the other. */
    const bool names = job->sig->tail_names != NULL;
    struct tail_found found = { .shifts = out, .room = names ? TAIL_SHIFTS / 2 : TAIL_SHIFTS };
    const uint64_t before = job->start > TAIL_REACH ? job->start - TAIL_REACH : 0;

    tail_look(splice, job, job->from, sig_add(job->from, TAIL_REACH), &found, read);
    if (found.count == 0 && found.near != 0)
        out[found.count++] = found.near;
    found.room = TAIL_SHIFTS;
    if (found.count == 0 || names)
        tail_look(splice, job, before, job->start, &found, read);
    return found.count;
}
