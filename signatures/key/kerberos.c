/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/kerberos.c - keys and tickets of Kerberos: keytab, credential cache.
 *
 *   keytab: 05 02 | entries: i32be bytes, below 0 for a hole | u16be components | realm |
 * components | u32be kind of name, time | u8 version | u16be kind of key | key [| u32be version]; a
 * text is u16be bytes and they cache: 05 04 | u16be bytes of fields | fields: u16be tag, bytes |
 * principal | credentials: client, server | u16be kind of key, u32be bytes, key | four times | u8 |
 * u32be flags | addresses, data of authorization: u32be count, each u16be kind, u32be bytes |
 * ticket, second ticket: u32be bytes; a principal: u32be kind of name, u32be components | realm,
 * components: u32be bytes
 *
 * Nothing says where one ends: behind the last entry that is right.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    KERBEROS_HEAD = 2,
    KERBEROS_ENTRY_MAX = 4096,
    KERBEROS_COMPONENTS_MAX = 16,
    KERBEROS_TEXT_MAX = 1024,
    KERBEROS_NAME_MAX = 4096, /* kinds of names; 10 of enterprises is the highest of RFC 6806 */
    KERBEROS_KEY_MAX = 1024,  /* bytes, and kinds */
    KERBEROS_TAGS_MAX = 1024,
    KERBEROS_LIST_MAX = 256,
    KERBEROS_TICKET_MAX = 1 << 20,
};

struct kerberos_state {
    uint64_t at; /* of the next entry; 0: not begun */
    uint32_t entries;
};

/* A number of `width` bytes, at most `most`. */
static enum step kerberos_number(struct sig_input *in, uint64_t *at, uint32_t width, uint32_t most,
                                 uint32_t *value)
{
    const uint8_t *p = sig_bytes(in, *at, width);

    if (p == NULL)
        return STEP_WAIT;
    *value = width == 2 ? bytes_u16be(p) : bytes_u32be(p);
    *at += width;
    return *value <= most ? STEP_DONE : STEP_BAD;
}

/* A text whose length is a number of `width` bytes. */
static enum step kerberos_text(struct sig_input *in, uint64_t *at, uint32_t width, bool empty)
{
    uint32_t len;
    const enum step step = kerberos_number(in, at, width, KERBEROS_TEXT_MAX, &len);

    if (step != STEP_DONE || len == 0)
        return step == STEP_DONE && !empty ? STEP_BAD : step;
    const uint8_t *p = sig_bytes(in, *at, len);
    if (p == NULL)
        return STEP_WAIT;
    *at += len;
    for (uint32_t i = 0; i < len; i++)
        if (p[i] < ' ' || p[i] == 0x7f)
            return STEP_BAD;
    return STEP_DONE;
}

/* Realm and components. */
static enum step kerberos_name(struct sig_input *in, uint64_t *at, uint32_t width, uint32_t count)
{
    enum step step = count == 0 ? STEP_BAD : kerberos_text(in, at, width, false);

    for (uint32_t i = 0; i < count && step == STEP_DONE; i++)
        step = kerberos_text(in, at, width, i > 0);
    return step;
}

/* The entry of a keytab. */
static enum step keytab_entry(struct sig_input *in, struct kerberos_state *state)
{
    uint64_t at = state->at;
    uint32_t bytes, value;
    enum step step = kerberos_number(in, &at, 4, UINT32_MAX, &bytes);

    if (step != STEP_DONE)
        return step;
    const bool hole = bytes >> 31 != 0;
    bytes = hole ? -bytes : bytes;
    if (bytes == 0 || bytes > KERBEROS_ENTRY_MAX)
        return STEP_BAD;
    const uint64_t end = at + bytes;
    if (!hole) {
        step = kerberos_number(in, &at, 2, KERBEROS_COMPONENTS_MAX, &value);
        if (step == STEP_DONE)
            step = kerberos_name(in, &at, 2, value);
        if (step == STEP_DONE)
            step = kerberos_number(in, &at, 4, KERBEROS_NAME_MAX, &value);
        at += 4 + 1; /* time, version */
        if (step == STEP_DONE)
            step = kerberos_number(in, &at, 2, KERBEROS_KEY_MAX, &value);
        if (step == STEP_DONE)
            step = kerberos_number(in, &at, 2, KERBEROS_KEY_MAX, &value);
        if (step != STEP_DONE)
            return step;
        if (value == 0 || (end != at + value && end != at + value + 4))
            return STEP_BAD;
    }
    if (sig_bytes(in, end - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = end;
    state->entries += !hole;
    return STEP_DONE;
}

static enum step ccache_principal(struct sig_input *in, uint64_t *at)
{
    uint32_t value;
    enum step step = kerberos_number(in, at, 4, KERBEROS_NAME_MAX, &value);

    if (step == STEP_DONE)
        step = kerberos_number(in, at, 4, KERBEROS_COMPONENTS_MAX, &value);
    return step == STEP_DONE ? kerberos_name(in, at, 4, value) : step;
}

/* Addresses, or data of authorization. */
static enum step ccache_list(struct sig_input *in, uint64_t *at)
{
    uint32_t count = 0, value = 0;
    enum step step = kerberos_number(in, at, 4, KERBEROS_LIST_MAX, &count);

    for (uint32_t i = 0; step == STEP_DONE && i < count; i++) {
        *at += 2;
        step = kerberos_number(in, at, 4, KERBEROS_TICKET_MAX, &value);
        *at += step == STEP_DONE ? value : 0;
    }
    return step;
}

/* The fields and the principal that a cache begins with. */
static enum step ccache_head(struct sig_input *in, struct kerberos_state *state)
{
    uint64_t at = KERBEROS_HEAD;
    uint32_t bytes, value;
    enum step step = kerberos_number(in, &at, 2, KERBEROS_TAGS_MAX, &bytes);
    const uint64_t end = at + (step == STEP_DONE ? bytes : 0);

    while (step == STEP_DONE && at < end) {
        step = kerberos_number(in, &at, 2, KERBEROS_TAGS_MAX, &value);
        if (step == STEP_DONE)
            step = kerberos_number(in, &at, 2, KERBEROS_TAGS_MAX, &value);
        at += step == STEP_DONE ? value : 0;
    }
    if (step == STEP_DONE && at != end)
        step = STEP_BAD;
    if (step == STEP_DONE)
        step = ccache_principal(in, &at);
    if (step == STEP_DONE)
        state->at = at;
    return step;
}

static enum step ccache_entry(struct sig_input *in, struct kerberos_state *state)
{
    uint64_t at = state->at;
    uint32_t value = 0;
    enum step step = ccache_principal(in, &at);

    if (step == STEP_DONE)
        step = ccache_principal(in, &at);
    if (step == STEP_DONE)
        step = kerberos_number(in, &at, 2, KERBEROS_KEY_MAX, &value);
    if (step == STEP_DONE)
        step = kerberos_number(in, &at, 4, KERBEROS_KEY_MAX, &value);
    at += step == STEP_DONE ? value + 4 * 4 + 1 + 4 : 0; /* times, flags */
    if (step == STEP_DONE)
        step = ccache_list(in, &at);
    if (step == STEP_DONE)
        step = ccache_list(in, &at);
    for (uint32_t i = 0; i < 2 && step == STEP_DONE; i++) {
        step = kerberos_number(in, &at, 4, KERBEROS_TICKET_MAX, &value);
        at += step == STEP_DONE ? value : 0;
    }
    if (step != STEP_DONE)
        return step;
    if (sig_bytes(in, at - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = at;
    state->entries++;
    return STEP_DONE;
}

static struct sig_result kerberos_check(struct sig_input *in, void *memory)
{
    struct kerberos_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, KERBEROS_HEAD);
    enum step step = STEP_DONE;

    if (p == NULL)
        return sig_short(in);
    const bool cache = p[1] == 4;
    in->type = &in->sig->types[cache];
    if (state->at == 0 && cache)
        step = ccache_head(in, state);
    else if (state->at == 0)
        state->at = KERBEROS_HEAD;
    while (step == STEP_DONE && state->at < in->limit) {
        step = cache ? ccache_entry(in, state) : keytab_entry(in, state);
        if (step == STEP_DONE && state->entries > 0)
            sig_valid(in, state->at);
    }
    if (step == STEP_WAIT)
        return sig_short(in);
    if (state->entries == 0)
        return sig_reject("there is no entry");
    return sig_believe(in, state->at, "entries follow one another, and no other does");
}

const struct sig sig_kerberos = {
    .name = "kerberos",
    .what = "keys (keytab) or tickets (credential cache) of Kerberos",
    .proves = "names, keys and tickets of every entry have their lengths; the file ends where no "
              "other follows",
    .source = "MIT Kerberos documentation: Keytab file format, Credential cache file format "
              "(version 4)",
    .types = (const struct sig_type[]){ { "keytab", "keytab" }, { "ccache", "ccache" }, { 0 } },
    .headers = { SIG_MASKED("\5\2\0\0\0?\0\0", "\xff\xff\xff\xff\xf0\0\xff\xf0"),
                 SIG_MASKED("\5\4\0\x0c\0\1\0\x08", "\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\5\4\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xf0\xff\xff\xff\xf0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 30,
    .size_max = 1 << 24,
    .seam = SIG_SEAM_NONE,
    .state_size = sizeof(struct kerberos_state),
    .check = kerberos_check,
};
