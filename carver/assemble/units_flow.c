/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units_flow.c - see units_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/assemble/units_impl.h"

enum {
    FLOW_PIECE = 16 * 1024,
    FLOW_LOOK = 256, /* of units->looked, for each place: to follow codes takes as long */
    FLOW_LEAST = 12, /* bits that a place is worth, at least: one of some thousands has as many */
};

/* The places where the file goes on best, the best first. */
struct flow_found {
    uint32_t worth[UNITS_CUTS];
};

static void flow_keep(struct units *units, struct flow_found *found, const struct units_cut *cut,
                      uint32_t worth)
{
    uint32_t at = units->cut_count;

    while (at > 0 && found->worth[at - 1] < worth)
        at--;
    if (at == UNITS_CUTS)
        return;
    if (units->cut_count < UNITS_CUTS)
        units->cut_count++;
    const uint32_t behind = units->cut_count - 1 - at;
    memmove(&units->cuts[at + 1], &units->cuts[at], behind * sizeof units->cuts[0]);
    memmove(&found->worth[at + 1], &found->worth[at], behind * sizeof found->worth[0]);
    units->cuts[at] = *cut;
    found->worth[at] = worth;
}

/* Whether packed bytes may begin there that nobody owns. */
static bool flow_may_begin(const struct units_job *job, uint64_t at)
{
    const struct islands *islands = job->places != NULL ? job->places->islands : NULL;

    if (islands == NULL)
        return true;
    const size_t i = islands_from(islands, at);
    return i < islands->count && islands->begins[i] <= at &&
           places_alike(job->places, at, LOOK_DENSE);
}

/* Looks at the places in image bytes [from, to), whose first one is such a place. */
static void flow_look(struct splice *splice, const struct units_job *job, void *flow, uint64_t from,
                      uint64_t to, uint8_t *bytes, struct flow_found *found, struct units *units)
{
    const struct sig_flow *sig = job->sig->flow;
    const uint32_t part =
        FLOW_PIECE / job->step > 0 ? FLOW_PIECE / job->step * job->step : job->step;

    for (uint64_t at = from; at < to; at += part) {
        const uint32_t have = splice_copy(splice, at, bytes, part + sig->there);

        units->read += have;
        for (uint32_t i = 0; i < part && i < have && at + i < to; i += job->step) {
            const uint32_t len = have - i < sig->there ? have - i : sig->there;
            uint32_t end = 0;

            if (!flow_may_begin(job, at + i))
                continue;
            units->looked += FLOW_LOOK;
            const uint32_t worth = sig->follow(flow, bytes + i, len, &end);

            if (worth >= FLOW_LEAST && job->at + end != at + i)
                flow_keep(units, found,
                          &(struct units_cut){ .end = job->at + end, .begin = at + i }, worth);
        }
    }
}

enum err_code units_flow(struct splice *splice, const struct units_job *job, struct units *units,
                         struct err *err)
{
    const struct sig_flow *sig = job->sig->flow;
    const uint64_t phase = job->cut_first % job->step, end = job->at + UNITS_REACH;
    const uint64_t before = job->at > UNITS_REACH ? job->at - UNITS_REACH : 0;
    const uint64_t low = (before + job->step - 1 - phase) / job->step * job->step + phase;
    const size_t room = (size_t)FLOW_PIECE + job->step + sig->there;
    const uint32_t most = sig->most + SIG_FLOW_SLACK;
    uint8_t *here = malloc(most), *bytes = malloc(room);
    const bool have = here != NULL && bytes != NULL;
    struct flow_found found;

    if (have) {
        const uint32_t have_len = splice_copy(splice, job->at, here, most);
        const struct sig_flow_job ask = { .here = here,
                                          .here_len = have_len < sig->most ? have_len : sig->most,
                                          .cut = (uint32_t)(job->cut_first - job->at),
                                          .step = job->step };
        void *flow = sig->open(&ask);

        if (flow != NULL) {
            flow_look(splice, job, flow, job->cut_first,
                      end < job->image_len ? end : job->image_len, bytes, &found, units);
            flow_look(splice, job, flow, low, job->at, bytes, &found, units);
        }
        sig->close(flow);
    }
    units->summed = true;
    free(here);
    free(bytes);
    return have ? ERR_OK : ERR_NO_MEMORY(err, most + room);
}
