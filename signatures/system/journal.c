/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/journal.c - journals of systemd.
 *
 *   "LPKSHHRH" | flags | state | identities | u64le sizes of header and arena | hash tables | last
 * object, number of objects and entries objects: type, u64le size, content, padded to 8 bytes
 *
 * The length is header and arena. Every object is walked up to the last one; there must be as many
 * as the header counts.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JOURNAL_HEAD_MIN = 208,
    JOURNAL_HEAD_MAX = 4096,
    JOURNAL_OBJECT_HEAD = 16,
    JOURNAL_TYPE_MAX = 7,
    JOURNAL_ARCHIVED = 2,
};
#define JOURNAL_ARENA_MAX (UINT64_C(1) << 40)

struct journal_state {
    uint64_t at, objects; /* next object; how many were there */
};

static enum step journal_objects(struct sig_input *in, struct journal_state *state, uint64_t last,
                                 uint64_t end)
{
    while (state->at <= last) {
        const uint8_t *p = sig_bytes(in, state->at, JOURNAL_OBJECT_HEAD);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t size = bytes_u64le(p + 8);
        if (p[0] == 0 || p[0] > JOURNAL_TYPE_MAX || p[1] > 7 ||
            memcmp(p + 2, "\0\0\0\0\0\0", 6) != 0 || size < JOURNAL_OBJECT_HEAD ||
            size > end - state->at)
            return STEP_BAD;
        if (state->at == last) {
            state->objects++;
            return STEP_DONE;
        }
        state->at += (size + 7) & ~UINT64_C(7);
        state->objects++;
        sig_valid(in, state->at);
    }
    return STEP_BAD;
}

static struct sig_result journal_check(struct sig_input *in, void *memory)
{
    struct journal_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, JOURNAL_HEAD_MIN);

    if (p == NULL)
        return sig_short(in);
    const uint64_t head = bytes_u64le(p + 88), arena = bytes_u64le(p + 96),
                   last = bytes_u64le(p + 136);
    const uint64_t count = bytes_u64le(p + 144), entries = bytes_u64le(p + 152);
    const uint8_t activity = p[16];
    if (activity > JOURNAL_ARCHIVED || memcmp(p + 17, "\0\0\0\0\0\0\0", 7) != 0 ||
        head < JOURNAL_HEAD_MIN || head > JOURNAL_HEAD_MAX || head % 8 != 0 || arena == 0 ||
        arena > JOURNAL_ARENA_MAX || last < head || last >= head + arena || last % 8 != 0 ||
        entries > count)
        return sig_reject("invalid header");
    if (state->at == 0)
        state->at = head;
    sig_valid(in, head);
    const enum step step = journal_objects(in, state, last, head + arena);
    if (step == STEP_WAIT && in->wanted > in->limit)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD || (state->objects != count && activity != 1))
        return sig_breaks(in, "invalid object, or wrong number of objects");
    return sig_complete(in, head + arena, "every object up to the last one is valid");
}

const struct sig sig_journal = {
    .name = "journal",
    .what = "systemd journal",
    .proves = "objects lead to the last one and are as many as the header counts",
    .source = "systemd, Journal File Format (docs/JOURNAL_FILE_FORMAT.md), version 255",
    .types = (const struct sig_type[]){ { "journal", "journal" }, { 0 } },
    .headers = { SIG_PATTERN("LPKSHHRH") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JOURNAL_HEAD_MIN + JOURNAL_OBJECT_HEAD,
    .size_max = UINT64_C(1) << 41,
    .state_size = sizeof(struct journal_state),
    .check = journal_check,
};
