/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/caf.c - Core Audio Format, and Sony Wave64.
 *
 *   CAF: "caff" | u16be 1 | u16be 0 | (type | u64be length | data)*; "desc" comes first. Nothing
 * tells how many chunks there are: the file ends where no chunk of a known type follows. A "data"
 * of length -1 goes on to the end of the file, and cannot be measured. W64: GUID "riff" | u64le
 * size of the file | GUID "wave" | (GUID | u64le length, with these 24 bytes | data | pad to 8)*
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CAF_HEAD = 8,
    CAF_CHUNK = 12,
    CAF_DESC = 32,
    CAF_CHUNKS_MAX = 4096,
    W64_HEAD = 40,
    W64_CHUNK = 24,
};

static const struct sig_type caf_types[] = { { "caf", "caf" }, { "w64", "w64" }, { 0 } };
static const char w64_guid[] =
    "\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a"; /* of all chunks but the first, behind four
                                                           letters */

struct caf_state {
    uint64_t at, end; /* at: object offset of the next chunk; 0: not begun */
    uint64_t packet;  /* bytes of a packet; 0: they differ */
    uint32_t chunks;
    bool has_format, has_sound;
};

static bool caf_known(const uint8_t *type)
{
    static const char types[][5] = { "desc", "data", "pakt", "chan", "kuki", "strg",
                                     "mark", "regn", "inst", "midi", "ovvw", "peak",
                                     "edct", "info", "umid", "uuid", "free", "ldsc" };

    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (memcmp(type, types[i], 4) == 0)
            return true;
    return false;
}

static enum step caf_desc(struct sig_input *in, struct caf_state *state, uint64_t len)
{
    const uint8_t *desc = len != CAF_DESC ? NULL : sig_bytes(in, state->at + CAF_CHUNK, CAF_DESC);

    if (desc == NULL)
        return len != CAF_DESC ? STEP_BAD : STEP_WAIT;
    const uint32_t exponent = (uint32_t)bytes_u16be(desc) >> 4, channels = bytes_u32be(desc + 24);
    if (!text_is_printable(desc + 8, 4) || exponent < 0x3ff || exponent > 0x3ff + 24 ||
        channels == 0 || channels > 256 || bytes_u32be(desc + 28) > 64)
        return STEP_BAD;
    state->packet = bytes_u32be(desc + 16);
    const uint64_t least =
        bytes_u32be(desc + 20) * ((bytes_u32be(desc + 28) + 7) / 8) * (uint64_t)channels;
    if (memcmp(desc + 8, "lpcm", 4) == 0 &&
        (state->packet < least || state->packet % channels != 0))
        return STEP_BAD;
    state->has_format = true;
    return STEP_DONE;
}

/* One chunk. *ended: what stands there is none. */
static enum step caf_chunk(struct sig_input *in, struct caf_state *state, bool *ended,
                           const char **why)
{
    const uint8_t *chunk = sig_bytes(in, state->at, CAF_CHUNK);

    *why = "invalid chunk";
    *ended = chunk == NULL ? in->wanted > in->limit && state->has_sound : !caf_known(chunk);
    if (*ended || chunk == NULL)
        return *ended ? STEP_DONE : STEP_WAIT;
    const uint64_t len = bytes_u64be(chunk + 4);
    const bool data = memcmp(chunk, "data", 4) == 0, desc = memcmp(chunk, "desc", 4) == 0;

    if (desc != (state->chunks == 0) || (data && state->has_sound) ||
        state->chunks == CAF_CHUNKS_MAX)
        return STEP_BAD;
    if (data && len == UINT64_MAX) {
        *why = "the file was written as a stream: its length is not recorded";
        return STEP_BAD;
    }
    if (len > in->sig->size_max ||
        (data && (len < 4 || (state->packet > 0 && (len - 4) % state->packet != 0))))
        return STEP_BAD;
    if (desc) {
        const enum step step = caf_desc(in, state, len);

        if (step != STEP_DONE)
            return step;
    }
    if (len > 0 && sig_bytes(in, state->at + CAF_CHUNK + len - 1, 1) == NULL)
        return STEP_WAIT;
    state->has_sound |= data;
    state->at += CAF_CHUNK + len;
    state->chunks++;
    return STEP_DONE;
}

static enum step w64_chunk(struct sig_input *in, struct caf_state *state, bool *ended,
                           const char **why)
{
    *ended = state->at >= state->end;
    if (*ended)
        return STEP_DONE;
    const uint8_t *chunk = sig_bytes(in, state->at, W64_CHUNK);
    if (chunk == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u64le(chunk + 16);
    *why = "invalid chunk";
    if (memcmp(chunk + 4, w64_guid, 12) != 0 || len < W64_CHUNK || len > state->end - state->at ||
        state->chunks == CAF_CHUNKS_MAX)
        return STEP_BAD;
    state->has_format |= memcmp(chunk, "fmt ", 4) == 0;
    state->has_sound |= memcmp(chunk, "data", 4) == 0;
    state->at += (len + 7) & ~UINT64_C(7);
    state->chunks++;
    return STEP_DONE;
}

static struct sig_result caf_check(struct sig_input *in, void *memory)
{
    struct caf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, W64_HEAD);
    const char *why = NULL;
    bool ended = false;

    if (head == NULL)
        return sig_short(in);
    const bool wave64 = head[0] == 'r';
    in->type = &caf_types[wave64];
    if (state->at == 0) {
        state->end = bytes_u64le(head + 16);
        state->at = wave64 ? W64_HEAD : CAF_HEAD;
        if (wave64 && state->end > in->sig->size_max)
            return sig_reject("the length is larger than that of any file");
    }
    for (;;) {
        const enum step step = (wave64 ? w64_chunk : caf_chunk)(in, state, &ended, &why);

        if (state->has_format && state->chunks > 1)
            sig_valid(in, wave64 && state->at > state->end ? state->end : state->at);
        if (step == STEP_WAIT && in->wanted > in->limit && state->has_format)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, why);
        if (ended)
            break;
    }
    if (!state->has_format || !state->has_sound)
        return sig_breaks(in, "the file ends before its format or its samples");
    return sig_believe(in, wave64 ? state->end : state->at,
                       wave64 ? "the chunks end with the file" : "the chunks lead to other data");
}

const struct sig sig_caf = {
    .name = "caf",
    .what = "Core Audio Format, or Sony Wave64",
    .proves = "chunks up to the end, a whole number of packets; the sound is not read",
    .source = "Apple, Core Audio Format Specification 1.0; Sony Pictures Digital, Wave64 (2003)",
    .types = caf_types,
    .headers = { SIG_PATTERN("caff\0\1\0\0desc\0\0\0\0\0\0\0\x20"),
                 SIG_PATTERN("riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = CAF_HEAD + CAF_CHUNK + CAF_DESC + CAF_CHUNK,
    .size_max = UINT64_C(1) << 40, /* policy: lengths have 64 bits */
    .state_size = sizeof(struct caf_state),
    .check = caf_check,
};
