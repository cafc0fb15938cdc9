/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tracker.c - modules of trackers: ProTracker (mod), FastTracker 2 (xm), Scream
 * Tracker 3 (s3m), Impulse Tracker (it).
 *
 * None of them tells its length. mod and xm are read from one end to the other; s3m and it point to
 * their parts, in any order, and end where the last one does. What trackers of today append behind
 * that (plug-ins) is not counted.
 */
#include "signatures/sound/tracker.h"

enum tracker_kind { TRACKER_MOD, TRACKER_XM, TRACKER_S3M, TRACKER_IT, TRACKER_KINDS };
static const struct sig_type tracker_types[TRACKER_KINDS][2] = {
    [TRACKER_MOD] = { { "mod", "mod" }, { 0 } },
    [TRACKER_XM] = { { "xm", "xm" }, { 0 } },
    [TRACKER_S3M] = { { "s3m", "s3m" }, { 0 } },
    [TRACKER_IT] = { { "it", "it" }, { 0 } },
};

static struct sig_result tracker_run(struct sig_input *in, struct tracker *state,
                                     enum tracker_kind kind)
{
    static enum step (*const of_kind[])(struct sig_input *, struct tracker *,
                                        const char **) = { [TRACKER_MOD] = tracker_mod,
                                                           [TRACKER_XM] = tracker_xm,
                                                           [TRACKER_S3M] = tracker_s3m,
                                                           [TRACKER_IT] = tracker_it };
    const char *why = NULL;

    enum step step = of_kind[kind](in, state, &why);
    if (step == STEP_DONE && sig_bytes(in, state->end - 1, 1) == NULL)
        step = STEP_WAIT;
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    return sig_believe(in, state->end, "the patterns and samples end there");
}

static struct sig_result tracker_check_mod(struct sig_input *in, void *memory)
{
    return tracker_run(in, memory, TRACKER_MOD);
}

static struct sig_result tracker_check_xm(struct sig_input *in, void *memory)
{
    return tracker_run(in, memory, TRACKER_XM);
}

static struct sig_result tracker_check_s3m(struct sig_input *in, void *memory)
{
    return tracker_run(in, memory, TRACKER_S3M);
}

static struct sig_result tracker_check_it(struct sig_input *in, void *memory)
{
    return tracker_run(in, memory, TRACKER_IT);
}

const struct sig sig_mod = {
    .name = "mod",
    .what = "ProTracker module",
    .proves = "patterns and samples are as long as the header says; patterns hold notes, samples "
              "are not read",
    .source = "Lars Hamre, ProTracker 2.1A: module format; FireLight, MOD player tutorial",
    .types = tracker_types[TRACKER_MOD],
    .headers = { SIG_PATTERN_AT(1080, "M.K."), SIG_PATTERN_AT(1080, "M!K!"),
                 SIG_PATTERN_AT(1080, "FLT4"), SIG_PATTERN_AT(1080, "FLT8"),
                 SIG_PATTERN_AT(1080, "4CHN"), SIG_PATTERN_AT(1080, "6CHN"),
                 SIG_PATTERN_AT(1080, "8CHN"), SIG_PATTERN_AT(1080, "CD81"),
                 SIG_PATTERN_AT(1080, "OKTA"), SIG_PATTERN_AT(1080, "10CH"),
                 SIG_PATTERN_AT(1080, "12CH"), SIG_PATTERN_AT(1080, "14CH"),
                 SIG_PATTERN_AT(1080, "16CH"), SIG_PATTERN_AT(1080, "18CH"),
                 SIG_PATTERN_AT(1080, "20CH"), SIG_PATTERN_AT(1080, "22CH"),
                 SIG_PATTERN_AT(1080, "24CH"), SIG_PATTERN_AT(1080, "26CH"),
                 SIG_PATTERN_AT(1080, "28CH"), SIG_PATTERN_AT(1080, "30CH"),
                 SIG_PATTERN_AT(1080, "32CH") },
    .size_min = 1084 + 1024,
    .size_max = 1 << 24,
    .state_size = sizeof(struct tracker),
    .check = tracker_check_mod,
};

const struct sig sig_xm = {
    .name = "xm",
    .what = "FastTracker 2 module",
    .proves = "heads of patterns, instruments and samples lead to the end; samples are not read",
    .source = "Triton, The XM module format description for XM files version $0104",
    .types = tracker_types[TRACKER_XM],
    .headers = { SIG_PATTERN("Extended Module: ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 60 + 20,
    .size_max = 1 << 28, /* policy: the format has no limit */
    .state_size = sizeof(struct tracker),
    .check = tracker_check_xm,
};

const struct sig sig_s3m = {
    .name = "s3m",
    .what = "Scream Tracker 3 module",
    .proves = "instruments and patterns are where the pointers say; samples are not read",
    .source = "Future Crew, TECH.DOC of Scream Tracker 3.20",
    .types = tracker_types[TRACKER_S3M],
    .headers = { SIG_PATTERN_AT(44, "SCRM") },
    .size_min = 96,
    .size_max = 1 << 26, /* paragraphs are counted in 24 bits, and nobody needs more */
    .state_size = sizeof(struct tracker),
    .check = tracker_check_s3m,
};

const struct sig sig_it = {
    .name = "it",
    .what = "Impulse Tracker module",
    .proves = "instruments, samples and patterns are where the pointers say; compressed samples "
              "block by block",
    .source = "Jeffrey Lim, ITTECH.TXT of Impulse Tracker 2.14",
    .types = tracker_types[TRACKER_IT],
    .headers = { SIG_PATTERN("IMPM") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 192,
    .size_max = 1 << 28, /* policy: pointers have 32 bits */
    .state_size = sizeof(struct tracker),
    .check = tracker_check_it,
};
