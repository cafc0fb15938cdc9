/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/tracev3.c - unified logs of macOS and iOS.
 *
 *   chunks, filled up to 8 bytes: u32le kind | u32le version | u64le bytes | data
 *   0x1000 header, version 0x11, the first: 208 bytes: times, then texts of the machine | 0x600b
 * catalogue | 0x600d entries, packed: "bv41" LZ4 or "bv4-" plain, u32le lengths, "bv4$"
 *
 * Nothing says where a file ends: behind the last chunk.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TRACE_HEAD = 16,
    TRACE_FIRST = 0xd0,            /* bytes of the data of the header */
    TRACE_TEXTS = TRACE_HEAD + 40, /* parts: u32le kind | u32le bytes | data */
    TRACE_HEADER = 0x1000,
    TRACE_CATALOGUE = 0x600b,
    TRACE_ENTRIES = 0x600d,
    TRACE_CHUNK_MAX = 64 << 20,
    TRACE_CATALOGUE_HEAD = 40,
};

struct trace_state {
    uint64_t at;
    uint32_t catalogues, entries;
};

/* As enum step, and: no chunk begins here. */
enum trace_step { TRACE_DONE, TRACE_WAIT, TRACE_BAD, TRACE_NONE };

/* The packed entries: blocks up to the one that ends them, which ends with the chunk. */
static enum trace_step trace_entries(struct sig_input *in, uint64_t at, uint64_t end)
{
    while (end - at >= 4) {
        const uint8_t *p = sig_bytes(in, at, 4);

        if (p == NULL)
            return TRACE_WAIT;
        if (memcmp(p, "bv4$", 4) == 0)
            return at + 4 == end ? TRACE_DONE : TRACE_BAD;
        const bool packed = memcmp(p, "bv41", 4) == 0;
        if (!packed && memcmp(p, "bv4-", 4) != 0)
            return TRACE_BAD;
        if (end - at < 12)
            return TRACE_BAD;
        p = sig_bytes(in, at + 4, packed ? 8 : 4);
        if (p == NULL)
            return TRACE_WAIT;
        const uint64_t len =
            (packed ? UINT64_C(12) : UINT64_C(8)) + bytes_u32le(packed ? p + 4 : p);
        if (len > end - at)
            return TRACE_BAD;
        at += len;
    }
    return TRACE_BAD;
}

static enum trace_step trace_chunk(struct sig_input *in, struct trace_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, TRACE_HEAD);

    if (p == NULL)
        return TRACE_WAIT;
    const uint32_t kind = bytes_u32le(p), version = bytes_u32le(p + 4);
    const uint64_t bytes = bytes_u64le(p + 8), end = state->at + TRACE_HEAD + bytes;
    if (state->at == 0 ? kind != TRACE_HEADER || bytes != TRACE_FIRST
                       : kind != TRACE_CATALOGUE && kind != TRACE_ENTRIES)
        return TRACE_NONE;
    if (version != 0x11 || bytes == 0 || bytes > TRACE_CHUNK_MAX)
        return TRACE_NONE;
    enum trace_step step = TRACE_DONE;
    if (kind == TRACE_ENTRIES) {
        step = state->catalogues == 0 ? TRACE_BAD : trace_entries(in, state->at + TRACE_HEAD, end);
    } else if (kind == TRACE_CATALOGUE) {
        p = bytes < TRACE_CATALOGUE_HEAD - TRACE_HEAD ? NULL
                                                      : sig_bytes(in, state->at + TRACE_HEAD, 8);
        if (bytes < TRACE_CATALOGUE_HEAD - TRACE_HEAD)
            return TRACE_BAD;
        if (p == NULL)
            return TRACE_WAIT;
        /* texts, processes, and what describes the entries follow one another */
        if (bytes_u16le(p) > bytes_u16le(p + 2) || bytes_u16le(p + 2) > bytes_u16le(p + 6) ||
            TRACE_CATALOGUE_HEAD - TRACE_HEAD + (uint64_t)bytes_u16le(p + 6) > bytes)
            return TRACE_BAD;
    }
    if (step != TRACE_DONE)
        return step;
    const uint64_t next = (end + 7) / 8 * 8;
    if (sig_bytes(in, next - 1, 1) == NULL)
        return TRACE_WAIT;
    state->catalogues += kind == TRACE_CATALOGUE;
    state->entries += kind == TRACE_ENTRIES;
    state->at = next;
    sig_valid(in, state->at);
    return TRACE_DONE;
}

static struct sig_result trace_check(struct sig_input *in, void *memory)
{
    struct trace_state *state = memory;
    enum trace_step step = TRACE_DONE;

    while (step == TRACE_DONE && (state->at == 0 || state->at < in->limit))
        step = trace_chunk(in, state);
    if (step == TRACE_WAIT)
        return sig_short(in);
    if (state->at == 0)
        return sig_reject("invalid header");
    if (step == TRACE_BAD || state->catalogues == 0)
        return sig_breaks(in, "invalid chunk");
    return sig_believe(in, state->at, "chunks lead from one to the next, and no other follows");
}

static void trace_facts(struct sig_facts *facts)
{
    uint64_t at = TRACE_TEXTS;

    for (uint32_t i = 0; i < 4 && at + 8 <= TRACE_HEAD + TRACE_FIRST; i++) {
        const uint8_t *p = tell_bytes(facts, at, 8);
        const uint32_t kind = p == NULL ? 0 : bytes_u32le(p),
                       len = p == NULL ? 0 : bytes_u32le(p + 4);

        if (p == NULL || len > TRACE_FIRST)
            return;
        p = len > 24 ? tell_bytes(facts, at + 8, len) : NULL;
        if (kind == 0x6101 && p != NULL) { /* 8 bytes, then the build of the system */
            tell_text(facts, SIG_FACT_SOFTWARE, p + 8, 16);
        }
        at += 8 + (uint64_t)len;
    }
}

const struct sig sig_tracev3 = {
    .name = "tracev3",
    .what = "unified log of macOS or iOS (tracev3)",
    .proves = "chunks lead from one to the next, packed entries to their end mark; they are not "
              "unpacked",
    .source = "libyal, dtformats: Apple Unified Logging and Activity Tracing formats",
    .types = (const struct sig_type[]){ { "tracev3", "tracev3" }, { 0 } },
    .headers = { SIG_PATTERN("\0\x10\0\0\x11\0\0\0\xd0\0\0\0\0\0\0\0") },
    .size_min = TRACE_HEAD + TRACE_FIRST + TRACE_HEAD + TRACE_CATALOGUE_HEAD,
    .size_max = UINT64_C(1) << 34,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct trace_state),
    .check = trace_check,
    .facts = trace_facts,
};
