/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/members.c - see members.h. */
#include <stdio.h>

#include "carver/assemble/members.h"

enum {
    MEMBERS_HEAD = 64 * 1024, /* bytes of headers before a member, at most */
    MEMBERS_WRONG = 20000,    /* the chance that the archive is another one's end, of 10^6 */
};

struct members {
    const struct members_job *job;
    struct io_range runs[MEMBERS_PIECES];
    uint32_t count;
};

/* Where a piece that begins here ends at the latest: where the file system itself, or a living
 * file, has the bytes. */
static uint64_t members_end(const struct members_job *job, uint64_t begin)
{
    const struct ground *ground = job->ground;

    for (size_t i = ground_from(ground, begin); i < ground->count; i++)
        if (ground->items[i].owner == GROUND_FILE_SYSTEM && ground->items[i].end > begin)
            return ground->items[i].begin > begin ? ground->items[i].begin : begin;
    return job->image_len;
}

/*
 * Ends the last piece at the seam of the next file in it, and lets the archive go on where that
 * file does. reached: bytes of the archive that its validator has looked at. False: no file over
 * whose seam it has gone begins in the archive.
 */
static bool members_follow(struct members *members, uint64_t reached)
{
    struct io_range *last = &members->runs[members->count - 1];
    const struct seam *seam = seams_behind(members->job->seams, last->offset);
    uint64_t before = 0;

    for (uint32_t i = 0; i + 1 < members->count; i++)
        before += members->runs[i].len;
    if (seam == NULL || members->count == MEMBERS_PIECES ||
        seam->first <= members->job->start->offset || seam->end - last->offset > last->len ||
        before + (seam->end - last->offset) >= reached)
        return false;
    const uint64_t end = members_end(members->job, seam->begin);
    if (end <= seam->begin)
        return false;
    last->len = seam->end - last->offset;
    members->runs[members->count++] = (struct io_range){ seam->begin, end - seam->begin };
    return true;
}

static enum err_code members_whole(struct members *members, struct trial *trial,
                                   const struct sig_result *result, struct whole *out,
                                   struct err *err)
{
    out->start = members->job->start;
    out->type = trial_type(trial);
    out->kind = "member";
    out->why = result->why;
    out->tried = members->count - 1;
    out->wrong = MEMBERS_WRONG;
    snprintf(
        out->text, sizeof out->text,
        "a proven file in it goes on there, and the headers behind that stand where they must");
    return whole_keep(out, members->runs, members->count, result->len, err);
}

enum err_code members_try(const struct members_job *job, struct trial *trial, struct whole *out,
                          struct err *err)
{
    const uint64_t start = job->start->offset, end = members_end(job, start);
    struct members members = { .job = job, .count = 1 };
    const struct seam *first = seams_behind(job->seams, start);
    struct sig_result result;
    enum err_code rc = ERR_OK;

    if (end <= start || first == NULL || first->first <= start ||
        first->first - start > job->known + MEMBERS_HEAD)
        return ERR_OK;
    members.runs[0] = (struct io_range){ start, end - start };
    do
        rc = trial_all(trial, job->start->sig, members.runs, members.count, &result, err);
    while (rc == ERR_OK && result.verdict != SIG_COMPLETE &&
           members_follow(&members, trial->in.reached));
    if (rc != ERR_OK || result.verdict != SIG_COMPLETE || members.count == 1 ||
        result.len <= splice_len(&trial->splice) - members.runs[members.count - 1].len)
        return rc;
    return members_whole(&members, trial, &result, out, err);
}
