/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rpm.c - RPM packages.
 *
 *   lead, 96 bytes: ed ab ee db | 3 or 4, 0 | kind | architecture | name 66 | system | 5 | zeros
 *   signature header, filled up to 8 | header | payload: a cpio, nearly always compressed
 *   header: 8e ad e8 01 | zeros 4 | u32be entries | u32be bytes of store | entries: tag, type,
 * offset, count | store
 *
 * The signature has the size of header and payload together. Every entry of both headers has to
 * point into its store. The payload has to begin with the magic number of a compression, and end as
 * such data do where that can be told (content_end.h); gzip data end with the size of the cpio,
 * which the signature has too.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/content_end.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    RPM_LEAD = 96,
    RPM_HEAD = 16,
    RPM_ENTRY = 16,
    RPM_ENTRIES_MAX = 1 << 16,
    RPM_STORE_MAX = 256 << 20, /* rpm's own limit */
    RPM_TYPE_MAX = 9,
    RPM_INT32 = 4,
    RPM_INT64 = 5,
    RPM_TAG_LONG_SIZE = 270,
    RPM_TAG_LONG_PAYLOAD = 271,
    RPM_TAG_SIZE = 1000,
    RPM_TAG_PAYLOAD = 1007,
};

enum rpm_phase { RPM_AT_LEAD, RPM_IN_SIGNATURE, RPM_IN_HEADER, RPM_IN_PAYLOAD };

struct rpm_state {
    enum rpm_phase phase;
    uint64_t header;      /* object offset of the second header, behind the signature */
    uint64_t payload;     /* of the payload */
    uint64_t size, plain; /* of header and payload; of the payload as it unpacks; 0: not told */
    uint32_t entry;       /* of the header being read */
    struct plausible plausible;
};

/* The sizes that an entry of the signature has; its value is at object offset at. */
static enum step rpm_size(struct sig_input *in, struct rpm_state *state, uint32_t tag,
                          uint32_t type, uint64_t at)
{
    const bool is_size = tag == RPM_TAG_SIZE || tag == RPM_TAG_LONG_SIZE;
    const bool wide = tag == RPM_TAG_LONG_SIZE || tag == RPM_TAG_LONG_PAYLOAD;

    if ((!is_size && tag != RPM_TAG_PAYLOAD && tag != RPM_TAG_LONG_PAYLOAD) ||
        type != (wide ? RPM_INT64 : RPM_INT32))
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, at, wide ? 8 : 4);
    if (bytes == NULL)
        return STEP_WAIT;
    *(is_size ? &state->size : &state->plain) = wide ? bytes_u64be(bytes) : bytes_u32be(bytes);
    return STEP_DONE;
}

/* The header at object offset at. *end is behind its store. */
static enum step rpm_header(struct sig_input *in, struct rpm_state *state, uint64_t at,
                            uint64_t *end)
{
    static const uint8_t widths[RPM_TYPE_MAX + 1] = { 1, 1, 1, 2, 4, 8, 1, 1, 1, 1 };
    const uint8_t *head = sig_bytes(in, at, RPM_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t entries = bytes_u32be(head + 8), store = bytes_u32be(head + 12);
    if (memcmp(head, "\x8e\xad\xe8\1\0\0\0", 8) != 0 || entries == 0 || entries > RPM_ENTRIES_MAX ||
        store > RPM_STORE_MAX)
        return STEP_BAD;
    const uint64_t store_at = at + RPM_HEAD + (uint64_t)entries * RPM_ENTRY;
    for (; state->entry < entries; state->entry++) {
        const uint8_t *entry =
            sig_bytes(in, at + RPM_HEAD + (uint64_t)state->entry * RPM_ENTRY, RPM_ENTRY);

        if (entry == NULL)
            return STEP_WAIT;
        const uint32_t tag = bytes_u32be(entry), type = bytes_u32be(entry + 4),
                       offset = bytes_u32be(entry + 8);
        const uint64_t count = bytes_u32be(entry + 12);
        if (type > RPM_TYPE_MAX || offset > store ||
            (uint64_t)offset + count * widths[type] > store)
            return STEP_BAD;
        if (state->phase == RPM_IN_SIGNATURE) {
            const enum step step = rpm_size(in, state, tag, type, store_at + offset);
            if (step != STEP_DONE)
                return step;
        }
    }
    state->entry = 0;
    *end = store_at + store;
    return STEP_DONE;
}

/* Sixteen bytes of the payload say how it is compressed. */
static bool rpm_payload_begins(const uint8_t *bytes)
{
    return memcmp(bytes, "\x1f\x8b\x08", 3) == 0 || memcmp(bytes, "\xfd\x37zXZ\0", 6) == 0 ||
           memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 || memcmp(bytes, "BZh", 3) == 0 ||
           memcmp(bytes, "\x5d\0\0", 3) == 0 || memcmp(bytes, "07070", 5) == 0 ||
           memcmp(bytes, "drpm", 4) == 0;
}

/* The payload reaches up to end. */
static enum step rpm_payload(struct sig_input *in, struct rpm_state *state, uint64_t end)
{
    const uint8_t *bytes = sig_bytes(in, state->payload, 16);

    if (bytes == NULL)
        return STEP_WAIT;
    if (!rpm_payload_begins(bytes))
        return STEP_BAD;
    const bool gzip = bytes[0] == 0x1f, plain = bytes[0] == '0';
    if (!plain) {
        const enum step step =
            plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->payload, end);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    }
    if (gzip && state->plain != 0) {
        const uint8_t *size = sig_bytes(in, end - 4, 4);
        if (size == NULL)
            return STEP_WAIT;
        return bytes_u32le(size) == (uint32_t)state->plain ? STEP_DONE : STEP_BAD;
    }
    switch (content_end(in, state->payload, end - state->payload, false)) {
    case STEP_WAIT:
        return STEP_WAIT;
    case STEP_BAD:
        return STEP_BAD;
    default:
        return STEP_DONE;
    }
}

static enum step rpm_lead(struct sig_input *in, struct rpm_state *state)
{
    const uint8_t *lead = sig_bytes(in, 0, RPM_LEAD);

    if (lead == NULL)
        return STEP_WAIT;
    if ((lead[4] != 3 && lead[4] != 4) || bytes_u16be(lead + 6) > 1 ||
        bytes_u16be(lead + 78) != 5 || memchr(lead + 10, 0, 66) == NULL)
        return STEP_BAD;
    state->phase = RPM_IN_SIGNATURE;
    return STEP_DONE;
}

static enum step rpm_step(struct sig_input *in, struct rpm_state *state)
{
    enum step step = STEP_DONE;
    uint64_t end = 0;

    if (state->phase == RPM_AT_LEAD)
        step = rpm_lead(in, state);
    if (step == STEP_DONE && state->phase == RPM_IN_SIGNATURE) {
        step = rpm_header(in, state, RPM_LEAD, &end);
        if (step == STEP_DONE) {
            state->header = (end + 7) / 8 * 8;
            state->phase = RPM_IN_HEADER;
        }
    }
    if (step == STEP_DONE && state->phase == RPM_IN_HEADER) {
        step = rpm_header(in, state, state->header, &end);
        if (step == STEP_DONE) {
            state->payload = end;
            state->phase = RPM_IN_PAYLOAD;
            sig_valid(in, end);
        }
    }
    return step;
}

static struct sig_result rpm_check(struct sig_input *in, void *memory)
{
    struct rpm_state *state = memory;
    enum step step = rpm_step(in, state);

    if (step == STEP_BAD)
        return sig_reject("invalid lead or headers");
    if (step == STEP_WAIT)
        return sig_short(in);
    if (state->size == 0 || state->header + state->size < state->payload + 16)
        return sig_reject("the signature does not give the size");
    const uint64_t end = sig_add(state->header, state->size);
    step = rpm_payload(in, state, end);
    if (step == STEP_WAIT && in->wanted > in->limit)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    return step == STEP_BAD
               ? sig_breaks(in, "the payload does not look compressed, or its end is invalid")
               : sig_complete(in, end,
                              "the headers are valid, and the payload has the size in "
                              "the signature");
}

const struct sig sig_rpm = {
    .name = "rpm",
    .what = "RPM package",
    .proves = "entries of both headers lie in their stores; the payload has the size in the "
              "signature, looks compressed, and "
              "ends so",
    .source = "RPM 4.18, docs/manual/format_v4.md; Linux Standard Base 5.0, Package File Format",
    .types = (const struct sig_type[]){ { "rpm", "rpm" }, { 0 } },
    .headers = { SIG_MASKED("\xed\xab\xee\xdb\0\0\0", "\xff\xff\xff\xff\xf8\xff\xff") },
    .flags = SIG_CONTAINER,
    .size_min = RPM_LEAD + 2 * (RPM_HEAD + RPM_ENTRY),
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct rpm_state),
    .check = rpm_check,
};
