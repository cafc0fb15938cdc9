/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_worth.c - see offload_worth.h. */
#include "match/offload/offload_worth.h"

static const double worth_start = 1.0; /* seconds: start and end of a runtime, locking of memory */
static const double worth_part = 0.1;  /* of the rest: less may be chance */
static const double worth_bus = 20e9;  /* bytes a second that a device gets, at least */

double offload_share(const struct offload_pace *pace)
{
    const double all = pace->seconds * pace->threads;

    return all <= 0 ? 0 : pace->matching < all ? pace->matching / all : 1;
}

static double worth_rest(const struct offload_pace *pace)
{
    return pace->bytes == 0 ? 0 : (double)pace->left * pace->seconds / (double)pace->bytes;
}

double offload_gain(const struct offload_pace *pace)
{
    const double rest = worth_rest(pace), bus = (double)pace->left / worth_bus;
    const double without = rest * (1 - offload_share(pace));
    const double then = without > bus ? without : bus;

    return rest > then ? rest - then : 0;
}

bool offload_worth(const struct offload_pace *pace)
{
    const double gain = offload_gain(pace);

    return gain >= worth_start && gain >= worth_rest(pace) * worth_part;
}

void offload_trial_note(struct offload_trial *trial, uint64_t now_ns, uint64_t bytes,
                        bool on_device)
{
    const uint64_t ns = now_ns - trial->since_ns, got = bytes - trial->since_bytes;
    const double rate = ns == 0 ? 0 : (double)got / (double)ns;

    if (trial->state == OFFLOAD_BEFORE && on_device) {
        trial->state = rate > 0 ? OFFLOAD_WITH : OFFLOAD_JUDGED;
        trial->before = rate;
        trial->since_ns = now_ns;
        trial->since_bytes = bytes;
    } else if (trial->state == OFFLOAD_WITH && ns >= OFFLOAD_TRIAL_NS) {
        trial->state = OFFLOAD_JUDGED;
        trial->slower = rate < trial->before;
    }
}
