/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/landmarks.c - see landmarks.h. */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/landmarks.h"

enum {
    LANDMARKS_NEAR = 256 * 1024, /* bytes on each side that are looked at first */
    LANDMARKS_FILE = 64 << 20,   /* bytes of a file that is looked for this way, at most */
    LANDMARKS_SOON = 1 << 20,    /* bytes on each side that begin to be read together */
};

static bool landmarks_has(const struct landmarks *landmarks, uint32_t mark, int64_t shift)
{
    bool has = false;

    for (uint32_t i = 0; i < landmarks->shift_count[mark]; i++)
        has = has || landmarks->shifts[mark][i] == shift;
    return has;
}

/* Notes the marks that the sector at this image offset may be. */
static void landmarks_look(struct landmarks *landmarks, struct splice *splice, uint64_t at)
{
    uint32_t have = 0;
    const uint8_t *bytes = splice_image(splice, at, &have);

    const struct sig *sig = landmarks->job->sig;

    if (bytes == NULL || have < SIG_MARK ||
        (sig->may_be_mark != NULL && !sig->may_be_mark(landmarks->head, bytes)))
        return;
    for (uint32_t i = 0; i < landmarks->mark_count; i++)
        if (landmarks->shift_count[i] < LANDMARKS_SHIFTS &&
            sig->is_mark(landmarks->head, &landmarks->marks[i], bytes))
            landmarks->shifts[i][landmarks->shift_count[i]++] =
                (int64_t)(at - landmarks->job->start - landmarks->marks[i].at);
}

static bool landmarks_is_vague(const struct landmarks *landmarks, uint32_t mark)
{
    const struct sig *sig = landmarks->job->sig;

    return sig->is_vague != NULL && sig->is_vague(landmarks->marks[mark].number);
}

/* Whether all marks are where they are if the file lies in one piece; vague: but for vague ones. */
static bool landmarks_in_place(const struct landmarks *landmarks, struct splice *splice, bool vague)
{
    const struct landmarks_job *job = landmarks->job;
    bool all = true;

    for (uint32_t i = 0; all && i < landmarks->mark_count; i++) {
        const struct sig_mark *mark = &landmarks->marks[i];
        uint8_t sector[SIG_MARK];

        if (vague && landmarks_is_vague(landmarks, i))
            continue;
        all = splice_copy(splice, sig_add(job->start, mark->at), sector, sizeof sector) ==
                  sizeof sector &&
              job->sig->is_mark(landmarks->head, mark, sector);
    }
    return all;
}

static uint64_t landmarks_far(int64_t shift)
{
    return shift < 0 ? 0 - (uint64_t)shift : (uint64_t)shift;
}

/* Counts the shifts of all marks: those that more speak for come first, then the nearest ones. */
static void landmarks_count(struct landmarks *landmarks)
{
    struct landmarks_shift *all = landmarks->all;

    landmarks->all_count = 0;
    for (uint32_t m = 0; m < landmarks->mark_count; m++)
        for (uint32_t i = 0; i < landmarks->shift_count[m]; i++) {
            struct landmarks_shift shift = { landmarks->shifts[m][i], 0 };
            uint32_t at = 0;

            for (uint32_t k = 0; k < landmarks->mark_count; k++)
                shift.votes += landmarks_has(landmarks, k, shift.shift);
            while (at < landmarks->all_count && all[at].shift != shift.shift &&
                   (all[at].votes > shift.votes ||
                    (all[at].votes == shift.votes &&
                     landmarks_far(all[at].shift) <= landmarks_far(shift.shift))))
                at++;
            if (shift.shift == 0 || at == LANDMARKS_SHIFTS_ALL ||
                (at < landmarks->all_count && all[at].shift == shift.shift))
                continue;
            if (landmarks->all_count < LANDMARKS_SHIFTS_ALL)
                landmarks->all_count++;
            memmove(&all[at + 1], &all[at], (landmarks->all_count - 1 - at) * sizeof all[0]);
            all[at] = shift;
        }
}

/*
 * Whether all marks lie in pieces with these shifts, one behind the other: each piece has all marks
 * behind those of the one before it, up to the first that it cannot have. vague: of vague marks
 * nothing is to be explained.
 */
static bool landmarks_explain(const struct landmarks *landmarks, const int64_t *shifts,
                              uint32_t count, bool vague, struct landmarks_way *way)
{
    uint32_t piece = 0;

    *way = (struct landmarks_way){ .pieces = { { .to = SIG_MARK } }, .count = count };
    for (uint32_t m = 0; m < landmarks->mark_count; m++) {
        const uint64_t at = landmarks->marks[m].at;

        if (vague && landmarks_is_vague(landmarks, m))
            continue;
        if (!landmarks_has(landmarks, m, shifts[piece])) {
            if (++piece == count || !landmarks_has(landmarks, m, shifts[piece]))
                return false;
            way->pieces[piece] = (struct landmarks_piece){ .shift = shifts[piece], .from = at };
        }
        way->pieces[piece].to = at + SIG_MARK;
    }
    return piece + 1 == count;
}

/* Whether a way of two pieces with this shift is new. */
static bool landmarks_is_new(struct landmarks *landmarks, int64_t shift)
{
    for (uint32_t i = 0; i < landmarks->given_count; i++)
        if (landmarks->given[i] == shift)
            return false;
    if (landmarks->given_count < LANDMARKS_SHIFTS_ALL)
        landmarks->given[landmarks->given_count++] = shift;
    return true;
}

/* The ways of so many pieces at most, and so many of them. */
static uint32_t landmarks_ways(struct landmarks *landmarks, uint32_t pieces, bool vague,
                               uint32_t most, struct landmarks_way *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < landmarks->all_count && count < most; i++) {
        const int64_t two[] = { 0, landmarks->all[i].shift };

        count += landmarks_explain(landmarks, two, 2, vague, &out[count]) &&
                 landmarks_is_new(landmarks, two[1]);
    }
    for (uint32_t i = 0; pieces > 2 && i < landmarks->all_count; i++)
        for (uint32_t k = 0; k < landmarks->all_count && count < most; k++) {
            const int64_t three[] = { 0, landmarks->all[i].shift, landmarks->all[k].shift };

            count += i != k && landmarks_explain(landmarks, three, 3, vague, &out[count]);
        }
    return count;
}

/* Begins to read what lies on both sides from this distance on, up to the next that is a multiple
 * of LANDMARKS_SOON. Returns that one. */
static uint64_t landmarks_soon(const struct landmarks *landmarks, const struct io_image *image,
                               uint64_t from, uint64_t to)
{
    const uint64_t start = landmarks->job->start, left = landmarks->job->image_len - start;
    const uint64_t next = (from / LANDMARKS_SOON + 1) * LANDMARKS_SOON;
    const uint64_t end = next < to ? next : to;
    const uint64_t up = end < left ? end : left, down = end < start ? end : start;

    if (from < up)
        splice_soon(image, start + from, up - from);
    /* Not the block that was asked for with those behind it: an image that has the last byte is
     * taken to have them all. */
    const uint64_t behind = from < start ? (start - from) / SPLICE_BLOCK * SPLICE_BLOCK : 0;
    if (start - down < behind)
        splice_soon(image, start - down, behind - (start - down));
    return next;
}

/* Looks at the sectors on both sides that are so far away, the nearest ones first. */
static void landmarks_search(struct landmarks *landmarks, struct splice *splice, uint64_t from,
                             uint64_t to)
{
    const struct landmarks_job *job = landmarks->job;
    uint64_t soon = from; /* up to this distance all begins to be read */

    for (uint64_t far = from; far < to; far += SIG_MARK) {
        while (soon < to && soon <= far + LANDMARKS_SOON)
            soon = landmarks_soon(landmarks, splice->image, soon, to);
        if (job->image_len - job->start >= far + SIG_MARK)
            landmarks_look(landmarks, splice, job->start + far);
        if (job->start >= far)
            landmarks_look(landmarks, splice, job->start - far);
    }
}

/* Whether each mark is somewhere; vague: but for vague ones. */
static bool landmarks_all(const struct landmarks *landmarks, bool vague)
{
    bool all = true;

    for (uint32_t i = 0; i < landmarks->mark_count; i++)
        all = all && (landmarks->shift_count[i] > 0 || (vague && landmarks_is_vague(landmarks, i)));
    return all;
}

bool landmarks_open(struct landmarks *landmarks, const struct landmarks_job *job,
                    struct splice *splice)
{
    const uint32_t head = job->sig->marks_head != 0 ? job->sig->marks_head : SIG_MARK;

    *landmarks = (struct landmarks){ .job = job, .far = SIG_MARK };
    if (splice_copy(splice, job->start, landmarks->head, head) < SIG_MARK)
        return false;
    landmarks->mark_count = job->sig->marks(landmarks->head, landmarks->marks);
    if (landmarks->mark_count == 0)
        return false;
    const uint64_t last = landmarks->marks[landmarks->mark_count - 1].at;
    landmarks->end = LANDMARKS_REACH + last;
    return last <= LANDMARKS_FILE && !landmarks_in_place(landmarks, splice, false);
}

bool landmarks_stay(const struct landmarks *landmarks, struct splice *splice)
{
    return landmarks->mark_count > 0 && landmarks_in_place(landmarks, splice, true);
}

bool landmarks_next(struct landmarks *landmarks, struct splice *splice,
                    struct landmarks_way out[LANDMARKS_WAYS], uint32_t *count, uint64_t *read)
{
    const uint64_t from = landmarks->far;
    const uint64_t to = from < LANDMARKS_NEAR       ? LANDMARKS_NEAR
                        : 2 * from < landmarks->end ? 2 * from
                                                    : landmarks->end;
    const bool last = to == landmarks->end;

    *count = 0;
    if (from == landmarks->end)
        return false;
    landmarks_search(landmarks, splice, from, to);
    landmarks->far = to;
    *read += 2 * (to - from);
    landmarks_count(landmarks);
    const uint32_t pieces = last ? LANDMARKS_PIECES : 2, half = LANDMARKS_WAYS / 2;
    const bool vague = landmarks->job->sig->is_vague != NULL && last &&
                       landmarks->given_count == 0 && landmarks_all(landmarks, true);

    if (landmarks_all(landmarks, false))
        *count = landmarks_ways(landmarks, pieces, false, vague ? half : 2 * half, out);
    if (vague)
        *count += landmarks_ways(landmarks, pieces, true, LANDMARKS_WAYS - *count, out + *count);
    return true;
}
