/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/binlog.c - binary logs of MySQL and MariaDB: every change of their tables.
 *
 *   fe "bin" | events: u32le time | u8 kind | u32le server | bytes | place behind it | u16le flags
 * | data | [CRC-32 of the event] The first describes the log (15): u16le 4 | 50 bytes of version |
 * ... | u8 1: events have a sum | its own sum. The last leads to the next log (4), or says that the
 * server stopped (3).
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/sig.h"

enum {
    BINLOG_MAGIC = 4,
    BINLOG_EVENT = 19,
    BINLOG_DESCRIPTION = 15,
    BINLOG_DESCRIPTION_MIN = BINLOG_EVENT + 2 + 50 + 4 + 1,
    BINLOG_STOP = 3,
    BINLOG_NEXT = 4,
    BINLOG_SUM = 4,
};

struct binlog_state {
    uint64_t at, summed; /* the next event; its bytes below this are in the sum */
    uint32_t crc, events;
    uint8_t last; /* the kind of the last event */
    bool sums;
};

/* The event at state->at: STEP_BAD: none. */
static enum step binlog_event(struct sig_input *in, struct binlog_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, BINLOG_EVENT);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t bytes = bytes_u32le(p + 9), next = bytes_u32le(p + 13);
    const uint8_t kind = p[4];
    const uint64_t end = state->at + bytes;
    if (kind == 0 || bytes < BINLOG_EVENT + (state->sums ? BINLOG_SUM : 0) ||
        (next != (uint32_t)end && next != 0))
        return STEP_BAD;
    if (kind == BINLOG_DESCRIPTION) {
        p = sig_bytes(in, end - BINLOG_SUM - 1, BINLOG_SUM + 1);
        if (p == NULL)
            return STEP_WAIT;
        state->sums = p[0] == 1;
    } else if (state->sums) {
        if (state->summed < state->at) {
            state->summed = state->at;
            state->crc = 0;
        }
        if (crc32_add(in, &state->summed, end - BINLOG_SUM, &state->crc) == STEP_WAIT)
            return STEP_WAIT;
        p = sig_bytes(in, end - BINLOG_SUM, BINLOG_SUM);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32le(p) != state->crc)
            return STEP_BAD;
    } else if (sig_bytes(in, end - 1, 1) == NULL) {
        return STEP_WAIT;
    }
    state->last = kind;
    state->at = end;
    state->events++;
    return STEP_DONE;
}

static struct sig_result binlog_check(struct sig_input *in, void *memory)
{
    struct binlog_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, BINLOG_MAGIC + BINLOG_EVENT + 2);

    if (p == NULL)
        return sig_short(in);
    if (p[BINLOG_MAGIC + 4] != BINLOG_DESCRIPTION ||
        bytes_u32le(p + BINLOG_MAGIC + 9) < BINLOG_DESCRIPTION_MIN ||
        bytes_u32le(p + BINLOG_MAGIC + 9) > 1024 ||
        bytes_u16le(p + BINLOG_MAGIC + BINLOG_EVENT) != 4)
        return sig_reject("the first event does not describe the log");
    if (state->at == 0)
        state->at = BINLOG_MAGIC;
    while (state->at < in->limit) {
        const enum step step = binlog_event(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            break;
        sig_valid(in, state->at);
        if (state->last == BINLOG_STOP || state->last == BINLOG_NEXT)
            return sig_complete(in, state->at, "events lead to the last one");
    }
    if (state->events < 2)
        return sig_breaks(in, "no event follows the description");
    return sig_believe(in, state->at, "events follow one another, and no other does");
}

const struct sig sig_binlog = {
    .name = "binlog",
    .what = "binary log of MySQL or MariaDB",
    .proves =
        "events tell the place of the next, and have their CRC-32 where the log has sums; up to "
        "the last, or to where no other follows",
    .source = "MySQL 8.0, Source Code Documentation: Binlog Event; MariaDB, Replication Protocol: "
              "binlog event header",
    .types = (const struct sig_type[]){ { "binlog", "binlog" }, { 0 } },
    .headers = { SIG_MASKED("\xfe\x62in????\x0f", "\xff\xff\xff\xff\0\0\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BINLOG_MAGIC + BINLOG_DESCRIPTION_MIN,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct binlog_state),
    .check = binlog_check,
};
