/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/otapayload.c - updates of Android and ChromeOS (payload.bin).
 *
 *   "CrAU" | u64be version 2 | u64be bytes of the manifest | u32be bytes of its signature |
 * manifest, a message of Protocol Buffers | signature | data
 *   manifest: 1, 2 operations (old) | 4, 5 place and bytes of the signature of the data | 13
 * partitions, with their operations in 8; an operation: 2, 3 place and bytes of its data
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/number.h"
#include "signatures/sig.h"

enum {
    OTA_HEAD = 24,
    OTA_MANIFEST_MAX = 256 << 20,
    OTA_SIGNATURE_MAX = 1 << 20,
    OTA_DEPTH = 3,
};
#define OTA_SIZE_MAX (UINT64_C(1) << 40)

/* Messages of the manifest that are read. */
enum ota_message { OTA_MANIFEST, OTA_PARTITION, OTA_OPERATION };

struct ota_state {
    uint64_t at; /* of the next field; 0: not begun */
    uint32_t depth;
    enum ota_message message[OTA_DEPTH];
    uint64_t end[OTA_DEPTH];         /* of each message that is open */
    uint64_t place, bytes;           /* of the operation */
    uint64_t sign_place, sign_bytes; /* of the manifest */
    uint64_t data;                   /* bytes of the data */
    uint32_t operations;
};

static bool ota_reach(struct ota_state *state, uint64_t place, uint64_t bytes)
{
    if (place > OTA_SIZE_MAX || bytes > OTA_SIZE_MAX)
        return false;
    if (bytes > 0 && place + bytes > state->data)
        state->data = place + bytes;
    return true;
}

/* Ends the messages that end at state->at. */
static bool ota_close(struct ota_state *state)
{
    while (state->depth > 0 && state->at == state->end[state->depth - 1]) {
        if (state->message[--state->depth] != OTA_OPERATION)
            continue;
        if (!ota_reach(state, state->place, state->bytes))
            return false;
        state->operations++;
    }
    return true;
}

static enum step ota_field(struct sig_input *in, struct ota_state *state)
{
    const enum ota_message message = state->message[state->depth - 1];
    const uint64_t end = state->end[state->depth - 1];
    struct number_field field;
    uint64_t at = state->at;
    const enum step step = number_field(in, &at, &field);

    if (step != STEP_DONE)
        return step;
    const bool bytes = field.kind == NUMBER_BYTES;
    if (at > end || (bytes && field.value > end - at))
        return STEP_BAD;
    state->at = bytes ? at + field.value : at;
    if (message == OTA_OPERATION) {
        if (field.number == 2)
            state->place = field.value;
        if (field.number == 3)
            state->bytes = field.value;
        return (field.number == 2 || field.number == 3) && bytes ? STEP_BAD : STEP_DONE;
    }
    const bool old = message == OTA_MANIFEST && (field.number == 1 || field.number == 2);
    const bool partition = message == OTA_MANIFEST && field.number == 13;
    if (message == OTA_MANIFEST && field.number == 4)
        state->sign_place = field.value;
    if (message == OTA_MANIFEST && field.number == 5)
        state->sign_bytes = field.value;
    if (!old && !partition && !(message == OTA_PARTITION && field.number == 8))
        return STEP_DONE;
    if (!bytes)
        return STEP_BAD;
    state->place = state->bytes = 0;
    state->end[state->depth] = state->at;
    state->message[state->depth++] = partition ? OTA_PARTITION : OTA_OPERATION;
    state->at = at;
    return STEP_DONE;
}

static struct sig_result ota_check(struct sig_input *in, void *memory)
{
    struct ota_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, OTA_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t manifest = bytes_u64be(p + 12);
    const uint32_t signature = bytes_u32be(p + 20);
    if (manifest == 0 || manifest > OTA_MANIFEST_MAX || signature > OTA_SIGNATURE_MAX)
        return sig_reject("invalid length of the manifest or its signature");
    if (state->at == 0) {
        state->at = OTA_HEAD;
        state->end[0] = OTA_HEAD + manifest;
        state->depth = 1;
    }
    while (state->depth > 0) {
        const enum step step = ota_field(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || !ota_close(state)) {
            return state->operations == 0 ? sig_reject("invalid manifest")
                                          : sig_breaks(in, "invalid manifest");
        }
        if (state->operations > 0)
            sig_valid(in, state->at);
    }
    if (state->operations == 0 || !ota_reach(state, state->sign_place, state->sign_bytes))
        return sig_reject("the manifest has no operations");
    return sig_believe(in, OTA_HEAD + manifest + signature + state->data,
                       "the operations and the signature reach to the end");
}

const struct sig sig_otapayload = {
    .name = "otapayload",
    .what = "update of Android or ChromeOS (payload.bin)",
    .proves = "the manifest is well-formed; its operations and the signature give the length",
    .source = "Android Open Source Project, update_engine: update_metadata.proto, "
              "payload_consumer/payload_metadata.cc",
    .types = (const struct sig_type[]){ { "ota-payload", "bin" }, { 0 } },
    .headers = { SIG_PATTERN("CrAU\0\0\0\0\0\0\0\2\0\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = OTA_HEAD + 2,
    .size_max = OTA_SIZE_MAX,
    .state_size = sizeof(struct ota_state),
    .check = ota_check,
};
