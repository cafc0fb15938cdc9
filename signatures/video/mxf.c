/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/mxf.c - Material Exchange Format.
 *
 *   (16-byte key 06 0e 2b 34 … | BER length | value)*: header partition, body partitions, footer
 * partition [, random index pack]
 *
 * Keys and lengths are walked. Every partition pack says where it stands itself and where the one
 * before it does; the random index pack lists them all and ends with its own length: the end of the
 * file. A file without one ends with what belongs to its footer partition.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/sig.h"

enum {
    MXF_KEY = 16,
    MXF_PACK = 88,  /* bytes of a partition pack without its list of containers */
    MXF_HEADER = 2, /* kinds of partitions */
    MXF_FOOTER = 4,
    MXF_RIP = 0x11,
    MXF_RIP_MAX = 64 << 10,
};

#define MXF_PARTITION                                                                              \
    "\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01" /* kind, status, 0 follow */

struct mxf_state {
    uint64_t at;
    uint64_t partition;   /* offset of the last partition pack */
    uint64_t footer_told; /* by the header; 0: it does not know */
    uint32_t partitions;
    bool has_footer;
};

/* As enum step, and: no key stands here. */
enum mxf_step { MXF_DONE, MXF_WAIT, MXF_BAD, MXF_NONE };

/* A key and its length at object offset at. MXF_NONE: no key. */
static enum mxf_step mxf_klv(struct sig_input *in, uint64_t at, uint8_t key[MXF_KEY],
                             uint64_t *value, uint64_t *end)
{
    const uint8_t *head = sig_bytes(in, at, MXF_KEY + 1);

    if (head == NULL)
        return MXF_WAIT;
    memcpy(key, head, MXF_KEY);
    if (memcmp(head, "\x06\x0e\x2b\x34", 4) != 0 || head[4] == 0 || head[4] > 4)
        return MXF_NONE;
    const uint32_t more = head[MXF_KEY] < 0x80 ? 0 : head[MXF_KEY] & 0x7f;
    uint64_t len = more == 0 ? head[MXF_KEY] & 0x7f : 0;
    if (more > 8 || head[MXF_KEY] == 0x80)
        return MXF_BAD;
    head = sig_bytes(in, at, MXF_KEY + 1 + more);
    if (head == NULL)
        return MXF_WAIT;
    for (uint32_t i = 0; i < more; i++)
        len = len << 8 | head[MXF_KEY + 1 + i];
    *value = at + MXF_KEY + 1 + more;
    *end = sig_add(*value, len);
    return *end == UINT64_MAX ? MXF_BAD : MXF_DONE;
}

/* A partition pack must know where it stands. */
static enum mxf_step mxf_partition(struct sig_input *in, struct mxf_state *state, uint8_t kind,
                                   uint64_t value, uint64_t end)
{
    const uint8_t *pack = end - value < MXF_PACK ? NULL : sig_bytes(in, value, MXF_PACK);

    if (pack == NULL)
        return end - value < MXF_PACK ? MXF_BAD : MXF_WAIT;
    const uint64_t here = bytes_u64be(pack + 8), before = bytes_u64be(pack + 16),
                   footer = bytes_u64be(pack + 24);
    if (bytes_u16be(pack) != 1 || here != state->at || before != state->partition ||
        bytes_u32be(pack + 84) != MXF_KEY ||
        (uint64_t)bytes_u32be(pack + 80) * MXF_KEY != end - value - MXF_PACK)
        return MXF_BAD;
    if (kind == MXF_HEADER)
        state->footer_told = footer;
    if (kind == MXF_FOOTER) {
        if (state->footer_told != 0 && state->footer_told != here)
            return MXF_BAD;
        state->has_footer = true;
    }
    state->partition = here;
    state->partitions++;
    return MXF_DONE;
}

/* The list of partitions; its last entry is the footer, when there is one. */
static enum mxf_step mxf_index(struct sig_input *in, const struct mxf_state *state, uint64_t value,
                               uint64_t end)
{
    const uint64_t len = end - value;
    const uint32_t count = (uint32_t)((len - 4) / 12);

    if (len < 16 || len > MXF_RIP_MAX || (len - 4) % 12 != 0)
        return MXF_BAD;
    const uint8_t *pack = sig_bytes(in, value, (uint32_t)len);
    if (pack == NULL)
        return MXF_WAIT;
    if (bytes_u32be(pack + len - 4) != end - state->at || count != state->partitions ||
        bytes_u64be(pack + len - 12) != state->partition || bytes_u64be(pack + 4) != 0)
        return MXF_BAD;
    return MXF_DONE;
}

static struct sig_result mxf_stop(struct sig_input *in, const struct mxf_state *state,
                                  enum mxf_step step)
{
    if (step == MXF_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    const uint8_t *next =
        step == MXF_WAIT && state->at < in->limit ? sig_bytes(in, state->at, 1) : NULL;
    const bool cut = next != NULL && *next == 0x06;
    if (state->has_footer && !cut && (step == MXF_NONE || step == MXF_WAIT))
        return sig_complete(in, state->at, "the keys lead to the footer partition");
    if (state->partitions > 0 && state->at > LIMIT_SECTOR)
        sig_valid(in, step == MXF_WAIT ? in->limit : state->at);
    return sig_breaks(in, step == MXF_WAIT ? "the image ends before the file does"
                                           : "invalid key, or a partition contradicts its place");
}

static struct sig_result mxf_check(struct sig_input *in, void *memory)
{
    struct mxf_state *state = memory;

    for (;;) {
        uint8_t key[MXF_KEY];
        uint64_t value, end;
        enum mxf_step step = mxf_klv(in, state->at, key, &value, &end);

        if (step != MXF_DONE)
            return mxf_stop(in, state, step);
        if (memcmp(key, MXF_PARTITION, sizeof MXF_PARTITION - 1) == 0) {
            if (key[13] == MXF_RIP) {
                step = mxf_index(in, state, value, end);
                return step == MXF_DONE
                           ? sig_complete(in, end, "partitions are where their index says")
                           : mxf_stop(in, state, step);
            }
            if (key[13] == MXF_HEADER && state->partitions > 0)
                return mxf_stop(in, state, MXF_NONE); /* of the next file */
            if (key[13] >= MXF_HEADER && key[13] <= MXF_FOOTER)
                step = mxf_partition(in, state, key[13], value, end);
            if (step != MXF_DONE)
                return mxf_stop(in, state, step);
        }
        state->at = end;
    }
}

const struct sig sig_mxf = {
    .name = "mxf",
    .what = "Material Exchange Format (MXF)",
    .proves = "keys and lengths lead to the end; every partition and their index say where they "
              "are",
    .source = "SMPTE ST 377-1: 6 (KLV), 7 (partitions), 12 (random index pack)",
    .types = (const struct sig_type[]){ { "mxf", "mxf" }, { 0 } },
    .headers = { SIG_PATTERN(MXF_PARTITION "\x02") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * MXF_PACK,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct mxf_state),
    .check = mxf_check,
};
