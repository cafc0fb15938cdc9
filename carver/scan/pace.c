/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pace.c - see pace.h. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/scan/pace.h"

static void pace_settle(struct pace *pace, uint32_t at_once, const char *why)
{
    char count[64] = "one part at a time, in the order of the image";

    if (at_once > 1)
        snprintf(count, sizeof count, "%" PRIu32 " parts at a time", at_once);
    pace->state = PACE_SETTLED;
    pace->at_once = at_once;
    snprintf(pace->why, sizeof pace->why, "read %s: %s", count, why);
}

void pace_begin(struct pace *pace, uint32_t threads, uint32_t asked,
                const struct io_storage *storage, bool cached)
{
    char why[PACE_WHY / 2];

    assert(threads > 0 && asked <= threads);
    *pace = (struct pace){ .threads = threads, .storage = *storage };
    if (asked > 0) {
        pace_settle(pace, asked, "--parts-at-once");
    } else if (threads == 1) {
        pace_settle(pace, 1, "one thread scans");
    } else if (cached) {
        pace_settle(pace, threads, "the page cache has the image");
    } else if (storage->kind == IO_STORAGE_MEMORY) {
        pace_settle(pace, threads, "the image lies in memory");
    } else if (storage->kind == IO_STORAGE_MANY) {
        snprintf(why, sizeof why, "%s takes many requests at a time", storage->name);
        pace_settle(pace, threads, why);
    } else if (storage->kind == IO_STORAGE_SPINNING) {
        snprintf(why, sizeof why, "%s is a spinning disk", storage->name);
        pace_settle(pace, 1, why);
    } else {
        pace_settle(pace, 1, "the scan was too short to measure the storage");
        pace->state = PACE_TRIES_ONE;
    }
}

void pace_fix(struct pace *pace, uint32_t threads, uint32_t at_once, const char *why)
{
    *pace = (struct pace){ .threads = threads };
    pace_settle(pace, at_once, why);
}

void pace_add_asked(struct pace *pace, uint32_t asked)
{
    const size_t len = strlen(pace->why);

    snprintf(pace->why + len, sizeof pace->why - len,
             "; of %" PRIu32 " threads %" PRIu32 " scan, as more would only share the processors",
             asked, pace->threads);
}

/* Parts at a time begin to be counted anew. */
static void pace_try(struct pace *pace, uint64_t now_ns, uint64_t bytes, uint64_t waited_ns)
{
    pace->begun = true;
    pace->since_ns = now_ns;
    pace->since_bytes = bytes;
    pace->since_waited_ns = waited_ns;
}

/* One part at a time delivered so much, and threads waited so long for it. */
static void pace_judge_one(struct pace *pace, uint64_t rate, uint64_t ns, uint64_t waited_ns)
{
    char why[PACE_WHY / 2];

    if (rate >= PACE_QUICK) {
        snprintf(why, sizeof why, "one at a time delivered %" PRIu64 " MB/s already",
                 rate / 1000000);
        pace_settle(pace, pace->threads, why);
    } else if (waited_ns < ns / 2) {
        pace_settle(pace, pace->threads, "threads did not wait for the storage");
    } else {
        pace->one = rate;
        pace->slow = true;
        pace->at_once = pace->threads;
        pace->state = PACE_TRIES_ALL;
    }
}

/* All at a time delivered so much: a tenth more than one is worth it. */
static void pace_judge_all(struct pace *pace, uint64_t rate)
{
    char why[PACE_WHY / 2];

    snprintf(why, sizeof why,
             "one at a time delivered %" PRIu64 " MB/s, %" PRIu32 " at a time %" PRIu64 " MB/s",
             pace->one / 1000000, pace->threads, rate / 1000000);
    pace_settle(pace, rate > pace->one + pace->one / 10 ? pace->threads : 1, why);
}

bool pace_note(struct pace *pace, uint64_t now_ns, uint64_t bytes, uint64_t waited_ns)
{
    const uint32_t before = pace->at_once;

    if (pace->state == PACE_SETTLED)
        return false;
    if (!pace->begun) {
        pace_try(pace, now_ns, bytes, waited_ns);
        return false;
    }
    const uint64_t ns = now_ns - pace->since_ns, read = bytes - pace->since_bytes;
    const uint64_t waited = waited_ns - pace->since_waited_ns;
    const uint64_t rate = ns == 0 ? 0 : (uint64_t)((double)read * 1e9 / (double)ns);

    if (read == 0 || (ns < PACE_NS && (read < PACE_BYTES || rate < PACE_QUICK)))
        return false;
    pace_try(pace, now_ns, bytes, waited_ns);
    if (pace->state == PACE_TRIES_ONE)
        pace_judge_one(pace, rate, ns, waited);
    else
        pace_judge_all(pace, rate);
    return pace->at_once != before;
}
