/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_way.c - see fork_impl.h. */
#include "base/limits.h"
#include "carver/assemble/fork_impl.h"

enum {
    FORK_FARTHER = 2, /* nothing else comes a half as far */
    FORK_WAY = 2048,  /* work of a way, beside that of the validator, */
    FORK_COPY = 16,   /* and bytes of a state that are copied in one unit of work */
};

/* Notes a way that failed: the one that came farthest, and the next best that begins elsewhere. */
static void fork_note(struct fork *fork, const struct fork_way *way)
{
    if (way->far - way->cut > fork->best.far - fork->best.cut) {
        if (fork->best.begin != way->begin)
            fork->second = fork->best;
        fork->best = *way;
    } else if (way->begin != fork->best.begin &&
               way->far - way->cut > fork->second.far - fork->second.cut)
        fork->second = *way;
}

static void fork_end(const struct fork *fork, const struct fork_way *way, struct fork_ends *ends)
{
    if (ends->count++ == 0)
        ends->tried = fork->tried;
    ends->way = *way;
    ends->result = fork->result;
    ends->type = trial_type(fork->trial);
}

/* Shows the piece that begins at the cut, a little at first: wrong bytes fail soon. */
static void fork_race(struct fork *fork, uint64_t cut)
{
    struct trial *trial = fork->trial;
    const uint64_t len = splice_len(&trial->splice);
    const uint64_t soon = cut + LIMIT_SECTOR, race = cut + FORK_RACE;

    fork->way_from = trial->work;
    bool more = fork_show(fork, soon < len ? soon : len);
    if (more && soon < len)
        more = fork_show(fork, race < len ? race : len);
    if (more && trial->in.find_at <= cut)
        fork->way_from = trial->work; /* it does not search */
    if (more)
        fork_feed(fork, false);
    if (fork->result.verdict == SIG_MORE && trial->splice.visible == len) {
        trial->in.limit = len < trial->in.limit ? len : trial->in.limit;
        fork_show(fork, len); /* there is no more */
    }
}

/* How far the way came, when it has been raced. */
static void fork_measure(const struct fork *fork, struct fork_way *way)
{
    const struct trial *trial = fork->trial;
    const uint64_t len = splice_len(&trial->splice);
    /* What it has searched only, is not right. */
    const bool searched = fork->result.verdict == SIG_MORE && trial->in.find_at > way->cut;
    const uint64_t far = searched ? trial->in.valid : trial->in.reached;

    way->far = far > way->cut ? far : way->cut;
    way->to_end = !searched && trial->splice.visible == len && trial->in.wanted > len;
}

enum err_code fork_way(struct fork *fork, uint64_t cut, uint64_t begin, struct fork_ends *ends,
                       struct err *err)
{
    const uint64_t end = fork_piece_end(fork->job, begin);
    const uint32_t last = fork->count - 1;
    const struct io_range before = fork->runs[last];
    const uint64_t sum = splice_len(&fork->trial->splice) - before.len;
    struct fork_way way = { .cut = cut, .begin = begin, .far = cut, .told = fork->told };

    if (end <= begin)
        return ERR_OK;
    fork->tried++;
    fork->trial->work += FORK_WAY + fork_state_size(fork) / FORK_COPY;
    fork->runs[last].len = cut - sum;
    fork->runs[fork->count++] = (struct io_range){ begin, end - begin };
    fork_back_to_cut(fork);
    enum err_code rc = fork_lay(fork, err);
    if (rc == ERR_OK) {
        fork_race(fork, cut);
        fork_measure(fork, &way);
        if (trial_proves(fork->trial, &fork->result) && fork->result.len > cut)
            fork_end(fork, &way, ends);
        else if (fork->result.verdict != SIG_COMPLETE)
            fork_note(fork, &way);
    }
    fork->count--;
    fork->runs[last] = before;
    return rc == ERR_OK ? fork_lay(fork, err) : rc;
}

bool fork_stands_out(const struct fork *fork)
{
    const uint64_t best = fork->best.far - fork->best.cut;

    return best >= (fork->best.told ? FORK_FAR_TOLD : FORK_FAR) &&
           (fork->second.far - fork->second.cut) * FORK_FARTHER < best;
}
