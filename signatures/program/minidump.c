/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/minidump.c - memory dumps of Windows: of a process (minidump), of the whole
 * system.
 *
 *   process: "MDMP" | version 0xa793 | number and place of streams | directory: type, size, place
 * of each system: "PAGEDUMP" or "PAGEDU64" | header of 4 or 8 KiB with the kind of dump and the
 * room it needs
 *
 * The length of a minidump is the largest end of what its streams and their lists of threads,
 * modules and memory point to.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MINIDUMP_HEAD = 32,
    MINIDUMP_STREAM = 12,
    MINIDUMP_STREAMS_MAX = 1024,
    MINIDUMP_ITEMS_MAX = 1 << 20,
    MINIDUMP_TYPE_MAX =
        0x10000, /* Microsoft's own; others begin with letters or have higher bits */
    MINIDUMP_THREADS = 3,
    MINIDUMP_MODULES = 4,
    MINIDUMP_MEMORY = 5,
    MINIDUMP_MEMORY_64 = 9,
    MINIDUMP_THREAD = 48,
    MINIDUMP_MODULE = 108,
    MINIDUMP_RANGE = 16,
    MINIDUMP_KINDS = 6,
};
#define MINIDUMP_LENGTH_MAX (UINT64_C(1) << 44)

struct minidump_state {
    uint32_t stream; /* next one */
    uint64_t item;   /* next one of its list */
    uint64_t end, memory;
};

static void minidump_raise(struct minidump_state *state, uint64_t at, uint64_t size)
{
    if (at != 0 && size != 0 && sig_add(at, size) > state->end)
        state->end = sig_add(at, size);
}

/* Raises the end over a place described at p: u32le size, u32le place. */
static void minidump_place(struct minidump_state *state, const uint8_t *p)
{
    minidump_raise(state, bytes_u32le(p + 4), bytes_u32le(p));
}

/* A name that is counted: u32le length, then UTF-16. */
static enum step minidump_name(struct sig_input *in, struct minidump_state *state, uint32_t at)
{
    const uint8_t *p = at == 0 ? NULL : sig_bytes(in, at, 4);

    if (at == 0)
        return STEP_DONE;
    if (p == NULL)
        return STEP_WAIT;
    if (bytes_u32le(p) > 65536 || bytes_u32le(p) % 2 != 0)
        return STEP_BAD;
    minidump_raise(state, at, 4 + (uint64_t)bytes_u32le(p) + 2);
    return STEP_DONE;
}

/* The items of a stream that is a list. */
static enum step minidump_list(struct sig_input *in, struct minidump_state *state, uint32_t type,
                               uint32_t at, uint32_t size)
{
    const uint32_t width = type == MINIDUMP_THREADS   ? MINIDUMP_THREAD
                           : type == MINIDUMP_MODULES ? MINIDUMP_MODULE
                                                      : MINIDUMP_RANGE;
    const uint32_t head = type == MINIDUMP_MEMORY_64 ? 16 : 4;
    const uint8_t *p = size < head ? NULL : sig_bytes(in, at, head);

    if (size < head)
        return STEP_BAD;
    if (p == NULL)
        return STEP_WAIT;
    const uint64_t count = head == 16 ? bytes_u64le(p) : bytes_u32le(p);
    if (state->item == 0 && head == 16)
        state->memory = bytes_u64le(p + 8);
    const uint64_t padding =
        head == 4 && size >= 8 && (size - 8) / width == count && (size - 8) % width == 0 ? 4 : 0;
    if (count > MINIDUMP_ITEMS_MAX || head + padding + count * width > size)
        return STEP_BAD;
    for (; state->item < count; state->item++) {
        p = sig_bytes(in, at + head + padding + state->item * width, width);
        if (p == NULL)
            return STEP_WAIT;
        if (type == MINIDUMP_THREADS) {
            minidump_place(state, p + 32);
            minidump_place(state, p + 40);
        } else if (type == MINIDUMP_MEMORY) {
            minidump_place(state, p + 8);
        } else if (type == MINIDUMP_MEMORY_64) {
            state->memory = sig_add(state->memory, bytes_u64le(p + 8));
            minidump_raise(state, state->memory, 0);
            if (state->memory > state->end)
                state->end = state->memory;
        } else {
            minidump_place(state, p + 76);
            minidump_place(state, p + 84);
            const enum step step = minidump_name(in, state, bytes_u32le(p + 20));
            if (step != STEP_DONE)
                return step;
        }
    }
    state->item = 0;
    return STEP_DONE;
}

static enum step minidump_streams(struct sig_input *in, struct minidump_state *state,
                                  uint32_t directory, uint32_t count)
{
    for (; state->stream < count; state->stream++) {
        const uint8_t *p =
            sig_bytes(in, directory + (uint64_t)state->stream * MINIDUMP_STREAM, MINIDUMP_STREAM);
        enum step step = STEP_DONE;

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t type = bytes_u32le(p), size = bytes_u32le(p + 4), at = bytes_u32le(p + 8);
        if (size == 0)
            continue;
        if (at < MINIDUMP_HEAD || (type == 0 && at != 0))
            return STEP_BAD;
        minidump_raise(state, at, size);
        if (type == MINIDUMP_THREADS || type == MINIDUMP_MODULES || type == MINIDUMP_MEMORY ||
            type == MINIDUMP_MEMORY_64)
            step = minidump_list(in, state, type, at, size);
        if (step != STEP_DONE)
            return step;
    }
    return state->end <= MINIDUMP_LENGTH_MAX ? STEP_DONE : STEP_BAD;
}

/* The header of a dump of the whole system: the kind, and the room that the dump needs. */
static struct sig_result minidump_system(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, 0x1000);

    if (p == NULL)
        return sig_short(in);
    const bool wide = memcmp(p + 4, "DU64", 4) == 0;
    const uint32_t kind = bytes_u32le(p + (wide ? 0xf98 : 0xf88));
    const uint32_t machine = bytes_u32le(p + (wide ? 0x30 : 0x20)),
                   processors = bytes_u32le(p + (wide ? 0x34 : 0x24));
    const uint64_t size = bytes_u64le(p + 0xfa0);
    if (kind == 0 || kind > MINIDUMP_KINDS || size < 0x1000 || size > MINIDUMP_LENGTH_MAX ||
        processors == 0 || processors > 4096 ||
        (machine != 0x14c && machine != 0x8664 && machine != 0xaa64 && machine != 0x200))
        return sig_reject("invalid kind, processors or length");
    sig_valid(in, 0x1000);
    return sig_believe(in, size, "the header gives the length");
}

static struct sig_result minidump_check(struct sig_input *in, void *memory)
{
    struct minidump_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MINIDUMP_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (p[0] == 'P')
        return minidump_system(in);
    const uint32_t count = bytes_u32le(p + 8), directory = bytes_u32le(p + 12);
    if (count == 0 || count > MINIDUMP_STREAMS_MAX || directory < MINIDUMP_HEAD)
        return sig_reject("invalid directory");
    if (state->end == 0)
        state->end = directory + (uint64_t)count * MINIDUMP_STREAM;
    const enum step step = minidump_streams(in, state, directory, count);
    if (step == STEP_DONE || (step == STEP_WAIT && in->wanted > in->limit && state->stream > 0))
        sig_valid(in, MINIDUMP_HEAD);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid stream");
    return sig_believe(in, state->end, "streams, threads, modules and memory are valid");
}

const struct sig sig_minidump = {
    .name = "dmp",
    .what = "memory dump of Windows: process or system",
    .proves = "streams, threads, modules and ranges of memory lie inside; a dump of the system: "
              "its header reads",
    .source =
        "Microsoft, minidumpapiset.h: MINIDUMP_HEADER and on; rekall, crash dump headers (system)",
    .types = (const struct sig_type[]){ { "dmp", "dmp" }, { 0 } },
    .headers = { SIG_PATTERN("MDMP\x93\xa7"), SIG_PATTERN("PAGEDUMP"), SIG_PATTERN("PAGEDU64") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = MINIDUMP_HEAD + MINIDUMP_STREAM,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct minidump_state),
    .check = minidump_check,
};
