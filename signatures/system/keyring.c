/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/keyring.c - password stores of GNOME.
 *
 *   "GnomeKeyring\n\r\0\n" | version, cipher, hash | name | two times, flags, timeout, rounds,
 * salt, 16 bytes | number of items items: id, kind, attributes (name, kind, number or text) | u32be
 * length of the encrypted part | it
 *
 * Texts are u32be length and bytes; length 0xffffffff: none.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    KEYRING_HEAD = 20,
    KEYRING_FIXED = 52, /* bytes from the times to the number of items, without it */
    KEYRING_TEXT_MAX = 1 << 16,
    KEYRING_ITEMS_MAX = 1 << 16,
    KEYRING_ATTRIBUTES_MAX = 256,
    KEYRING_BLOCK = 16, /* of the cipher */
    KEYRING_SECRET_MAX = 16 << 20,
};

struct keyring_state {
    uint64_t at;    /* next item; 0: not begun */
    uint32_t items; /* left */
};

static enum step keyring_number(struct sig_input *in, uint64_t *at, uint32_t *number)
{
    const uint8_t *p = sig_bytes(in, *at, 4);

    if (p == NULL)
        return STEP_WAIT;
    *number = bytes_u32be(p);
    *at += 4;
    return STEP_DONE;
}

static enum step keyring_text(struct sig_input *in, uint64_t *at)
{
    uint32_t len;
    const enum step step = keyring_number(in, at, &len);

    if (step != STEP_DONE || len == UINT32_MAX)
        return step;
    if (len > KEYRING_TEXT_MAX)
        return STEP_BAD;
    *at += len;
    return STEP_DONE;
}

static enum step keyring_item(struct sig_input *in, uint64_t *at)
{
    uint32_t number = 0, count = 0, kind = 0;
    enum step step = keyring_number(in, at, &number);

    if (step == STEP_DONE)
        step = keyring_number(in, at, &kind);
    if (step == STEP_DONE)
        step = keyring_number(in, at, &count);
    if (step == STEP_DONE && count > KEYRING_ATTRIBUTES_MAX)
        return STEP_BAD;
    for (uint32_t i = 0; step == STEP_DONE && i < count; i++) {
        step = keyring_text(in, at);
        if (step == STEP_DONE)
            step = keyring_number(in, at, &kind);
        if (step == STEP_DONE && kind > 1)
            return STEP_BAD;
        if (step == STEP_DONE)
            step = kind == 0 ? keyring_text(in, at) : keyring_number(in, at, &number);
    }
    return step;
}

static struct sig_result keyring_check(struct sig_input *in, void *memory)
{
    struct keyring_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, KEYRING_HEAD);
    enum step step = STEP_DONE;
    uint64_t at;
    uint32_t len = 0;

    if (p == NULL)
        return sig_short(in);
    if (memcmp(p + 16, "\0\0\0\0", 4) != 0)
        return sig_reject("invalid version, cipher or hash");
    if (state->at == 0) {
        at = KEYRING_HEAD;
        step = keyring_text(in, &at);
        at += KEYRING_FIXED;
        if (step == STEP_DONE)
            step = keyring_number(in, &at, &state->items);
        if (step == STEP_DONE && state->items > KEYRING_ITEMS_MAX)
            step = STEP_BAD;
        if (step == STEP_DONE)
            state->at = at;
    }
    for (; step == STEP_DONE && state->items > 0; state->items--) {
        at = state->at;
        step = keyring_item(in, &at);
        if (step != STEP_DONE)
            break;
        state->at = at;
        sig_valid(in, at);
    }
    at = state->at;
    if (step == STEP_DONE)
        step = keyring_number(in, &at, &len);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD || len == 0 || len % KEYRING_BLOCK != 0 || len > KEYRING_SECRET_MAX)
        return sig_breaks(in, "invalid item or encrypted part");
    sig_valid(in, at);
    return sig_complete(in, at + len, "every item and the encrypted part are there");
}

const struct sig sig_keyring = {
    .name = "keyring",
    .what = "passwords of GNOME (keyring)",
    .proves = "items and attributes lead to the encrypted part",
    .source = "gnome-keyring, docs/file-format.txt",
    .types = (const struct sig_type[]){ { "keyring", "keyring" }, { 0 } },
    .headers = { SIG_PATTERN("GnomeKeyring\n\r\0\n") },
    .size_min = KEYRING_HEAD + 4 + KEYRING_FIXED + 8 + KEYRING_BLOCK,
    .size_max = 32 << 20,
    .state_size = sizeof(struct keyring_state),
    .check = keyring_check,
};
