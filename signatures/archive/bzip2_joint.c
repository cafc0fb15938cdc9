/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2_joint.c - where a block that lies in two pieces is cut, in one pass over
 * each of them.
 *
 * The header of the block says by which table each of its codes is read, and how many there are but
 * for the last 50. So the codes are followed forwards from the header, over the place where the
 * piece ends and beyond; and backwards from the mark behind the block: which bits may be the code
 * before, and the one before that. Backwards some hundred ways lead on at a time; where they are
 * more than JOINT_WAYS, which long blocks of programs have, the right one may be lost. At each
 * place where a piece may end or begin, both know the number of the code there: where it is the
 * same, the block may be cut. Bytes of another file have such a number by chance, in one place of
 * some hundred.
 *
 * Of the selectors all are taken to be used, as bzip2 writes them.
 */
#include <stdlib.h>

#include "signatures/archive/bzip2.h"

enum {
    JOINT_MARK = 48,  /* bits of the numbers that begin a block, and stand behind it */
    JOINT_WAYS = 512, /* ways back that are followed at a time */
};

/* Where a piece may end: so many codes are before it, and some bits of the next one. */
struct joint_end {
    uint32_t number, place, bits;
};

/* Where a piece may begin: the first code behind, and the bits before that. */
struct joint_begin {
    uint32_t number, place, bits;
};

struct joint {
    const struct sig_joint_job *job;
    struct bzip2_codes codes;
    uint64_t codes_at; /* bit of here */
    bool first;        /* the block is the first one of its stream */
    struct joint_end *ends;
    struct joint_begin *begins; /* with descending numbers */
    uint32_t end_count, begin_count, begin_room;
    uint64_t ways[2][JOINT_WAYS]; /* bits of there at which a code begins that leads to the end */
};

static struct bzip2_bits joint_bits(const uint8_t *bytes, uint32_t len, uint64_t at)
{
    return (struct bzip2_bits){ .bytes = bytes, .len = (uint64_t)len * 8, .at = at };
}

static uint32_t joint_next(const uint8_t *bytes, uint32_t len, uint64_t at)
{
    const struct bzip2_bits bits = joint_bits(bytes, len, at);

    return (uint32_t)(bzip2_peek(&bits) >> (64 - BZIP2_CODE_MAX));
}

static const struct bzip2_table *joint_table(const struct joint *joint, uint32_t number)
{
    return &joint->codes.tables[joint->codes.selectors[number / BZIP2_GROUP]];
}

/* Reads what stands before the codes: behind a stream's header, or at any bit of the first byte. */
static bool joint_open(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    struct bzip2_bits bits = joint_bits(job->here, job->here_len, 0);

    joint->first = bzip2_peek(&bits) >> 40 == 0x425a68; /* "BZh" */
    joint->codes.level = 9;                             /* at most */
    bits.at = joint->first ? BZIP2_HEAD * 8 : 0;
    for (uint32_t i = 0; bzip2_peek(&bits) >> (64 - JOINT_MARK) != BZIP2_BLOCK; i++) {
        if (joint->first || i == 7)
            return false;
        bits.at++;
    }
    bits.at += JOINT_MARK;
    if (bzip2_block(&bits, &joint->codes) != NULL || bits.at > bits.len)
        return false;
    joint->codes_at = bits.at;
    return true;
}

/* Whether what stands behind the block may stand there: the CRC of a stream of one block is its. */
static bool joint_fits(const struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    struct bzip2_bits bits = joint_bits(job->there, job->there_len, job->end_bit);
    const bool ends = bzip2_peek(&bits) >> (64 - JOINT_MARK) == BZIP2_END;

    bits.at += JOINT_MARK;
    return !ends || !joint->first || bzip2_take(&bits, 32) == joint->codes.crc;
}

/* Follows the codes forwards. */
static void joint_forwards(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    const uint32_t total = joint->codes.selector_count * BZIP2_GROUP;
    uint64_t at = joint->codes_at, place = job->cut;
    bool on = true;

    while (place * 8 < at)
        place += job->step;
    for (uint32_t number = 0; on && number < total && at / 8 < job->here_len; number++) {
        const struct bzip2_table *table = joint_table(joint, number);
        const uint32_t next = joint_next(job->here, job->here_len, at);
        const uint32_t len = bzip2_code(table, next);

        for (; place * 8 < at + len && place < job->here_len; place += job->step)
            joint->ends[joint->end_count++] =
                (struct joint_end){ number, (uint32_t)place, (uint32_t)(place * 8 - at) };
        on = len <= BZIP2_CODE_MAX && !bzip2_is_end(table, next, len);
        at += len;
    }
}

/* Notes the code of this number that begins at this bit, if it is the first one behind a place.
 * False: no memory. */
static bool joint_note(struct joint *joint, uint32_t number, uint64_t at)
{
    const struct sig_joint_job *job = joint->job;
    const uint64_t byte = at / 8;

    if (byte < job->begin || at - (byte - (byte - job->begin) % job->step) * 8 >= BZIP2_CODE_MAX)
        return true;
    if (joint->begin_count == joint->begin_room) {
        const uint32_t room = joint->begin_room * 2 + 1024;
        struct joint_begin *more = realloc(joint->begins, room * sizeof *more);

        if (more == NULL)
            return false;
        joint->begins = more;
        joint->begin_room = room;
    }
    const uint32_t place = (uint32_t)(byte - (byte - job->begin) % job->step);
    joint->begins[joint->begin_count++] =
        (struct joint_begin){ number, place, (uint32_t)(at - place * 8ull) };
    return true;
}

/* Adds the codes of a table that may stand before this bit: most of the time goes here. */
static uint32_t joint_before(const struct joint *joint, const struct bzip2_table *table,
                             uint64_t at, uint64_t *ways, uint32_t count)
{
    const struct sig_joint_job *job = joint->job;
    const uint32_t most = at < BZIP2_CODE_MAX ? (uint32_t)at : BZIP2_CODE_MAX;
    const struct bzip2_bits bits = joint_bits(job->there, job->there_len, at - most);
    const uint64_t around =
        bzip2_peek(&bits); /* `most` bits before, and as many as a code behind */

    for (uint32_t len = 1; len <= most && count < JOINT_WAYS; len++) {
        const uint32_t next = (uint32_t)(around << (most - len) >> (64 - BZIP2_CODE_MAX));

        if (next >= table->limit[len - 1] && next < table->limit[len] &&
            !bzip2_is_end(table, next, len))
            ways[count++] = at - len;
    }
    return count;
}

/* Follows the codes backwards, as far as those were followed that go forwards. False: no memory. */
static bool joint_backwards(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    const uint32_t total = joint->codes.selector_count * BZIP2_GROUP;
    const struct bzip2_table *last = joint_table(joint, total - 1);
    const uint64_t end_at = job->end_bit - last->end_length;
    uint32_t count = 0;
    bool have = true;

    if (job->end_bit < last->end_length ||
        !bzip2_is_end(last, joint_next(job->there, job->there_len, end_at), last->end_length))
        return true;
    for (uint32_t number = total; have && number-- > joint->ends[0].number;) {
        const uint64_t *behind = joint->ways[(number + 1) % 2];
        uint64_t *ways = joint->ways[number % 2];
        uint32_t found = 0;

        for (uint32_t i = 0; i < count; i++)
            found = joint_before(joint, joint_table(joint, number), behind[i], ways, found);
        if (number >= total - BZIP2_GROUP && found < JOINT_WAYS)
            ways[found++] = end_at;
        for (uint32_t i = 0; have && i < found; i++)
            have = joint_note(joint, number, ways[i]);
        count = found;
        if (count == 0)
            break;
    }
    return have;
}

/* Bits of the code that the cut goes through which lie behind it; UINT32_MAX: it is none. */
static uint32_t joint_rest(const struct joint *joint, const struct joint_end *end,
                           const struct joint_begin *begin)
{
    const struct sig_joint_job *job = joint->job;
    const struct bzip2_table *table = joint_table(joint, end->number);
    const uint32_t there = joint_next(job->there, job->there_len, begin->place * 8ull);
    const uint32_t rest = BZIP2_CODE_MAX - end->bits;

    if (end->bits == 0)
        return 0;
    const uint32_t here = joint_next(job->here, job->here_len, end->place * 8ull - end->bits);
    const uint32_t next = here >> rest << rest | there >> end->bits;
    const uint32_t len = bzip2_code(table, next);
    return len > BZIP2_CODE_MAX || len <= end->bits || bzip2_is_end(table, next, len)
               ? UINT32_MAX
               : len - end->bits;
}

static uint32_t joint_match(const struct joint *joint, struct sig_seam_at *out, uint32_t room)
{
    uint32_t count = 0, left = joint->begin_count;

    for (uint32_t i = 0; i < joint->end_count; i++) {
        const struct joint_end *end = &joint->ends[i];
        const uint32_t number = end->bits == 0 ? end->number : end->number + 1;

        while (left > 0 && joint->begins[left - 1].number < number)
            left--;
        for (uint32_t k = left; k > 0 && joint->begins[k - 1].number == number; k--)
            if (count < room &&
                joint_rest(joint, end, &joint->begins[k - 1]) == joint->begins[k - 1].bits)
                out[count++] = (struct sig_seam_at){ end->place, joint->begins[k - 1].place };
    }
    return count;
}

static bool bzip2_join(const struct sig_joint_job *job, struct sig_seam_at *out, uint32_t room,
                       uint32_t *count)
{
    struct joint *joint = calloc(1, sizeof *joint);
    bool have = joint != NULL;

    *count = 0;
    if (have) {
        joint->job = job;
        joint->ends = malloc((job->here_len / job->step + 1) * sizeof *joint->ends);
        have = joint->ends != NULL;
    }
    if (have && joint_open(joint) && joint_fits(joint)) {
        joint_forwards(joint);
        have = joint->end_count == 0 || joint_backwards(joint);
        if (have)
            *count = joint_match(joint, out, room);
    }
    if (joint != NULL) {
        free(joint->ends);
        free(joint->begins);
    }
    free(joint);
    return have;
}

const struct sig_joint bzip2_joint = {
    .ends = { BZIP2_END, BZIP2_BLOCK },
    .most = 1 << 20, /* 900,000 bytes and a hundredth more, as bzip2 says, and its header */
    .join = bzip2_join,
};
