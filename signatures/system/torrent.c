/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/torrent.c - BitTorrent metainfo: one bencoded dictionary.
 *
 *   d … e dictionary | l … e list | i digits e | digits : so many bytes
 *
 * Keys are strings; the file ends with the e of the outermost dictionary, which must hold "info".
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TORRENT_DEPTH = 64,
    TORRENT_DIGITS = 20,
};

struct torrent_state {
    uint64_t at;
    uint32_t depth;
    bool info;                      /* the key was there */
    bool dictionary[TORRENT_DEPTH]; /* of what is open; else a list */
    bool value[TORRENT_DEPTH];      /* a dictionary's key was read, its value is next */
};

/* Digits at `from` up to the byte `end`. *next: behind it. */
static enum step torrent_number(struct sig_input *in, uint64_t from, uint8_t end, uint64_t *number,
                                uint64_t *next)
{
    *number = 0;
    for (uint32_t i = 0; i <= TORRENT_DIGITS; i++) {
        const uint8_t *p = sig_bytes(in, from + i, 1);

        if (p == NULL)
            return STEP_WAIT;
        if (p[0] == end && i > 0) {
            *next = from + i + 1;
            return STEP_DONE;
        }
        if (i == 0 && p[0] == '-' && end == 'e')
            continue;
        if (p[0] < '0' || p[0] > '9' || *number > UINT64_MAX / 10 - 9)
            return STEP_BAD;
        *number = *number * 10 + (uint64_t)(p[0] - '0');
    }
    return STEP_BAD;
}

static enum step torrent_string(struct sig_input *in, struct torrent_state *state, bool key)
{
    uint64_t len, next;
    const enum step step = torrent_number(in, state->at, ':', &len, &next);

    if (step != STEP_DONE)
        return step;
    if (len > in->sig->size_max || (key && len > 1024))
        return STEP_BAD;
    if (key && len == 4 && state->depth == 1) {
        const uint8_t *p = sig_bytes(in, next, 4);

        if (p == NULL)
            return STEP_WAIT;
        state->info |= memcmp(p, "info", 4) == 0;
    }
    state->at = next + len;
    return STEP_DONE;
}

/* One element, or the end of one that is open. */
static enum step torrent_element(struct sig_input *in, struct torrent_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 1);
    const uint32_t top = state->depth == 0 ? 0 : state->depth - 1;
    const bool key = state->depth > 0 && state->dictionary[top] && !state->value[top];
    enum step step = STEP_DONE;
    uint64_t number;

    if (p == NULL)
        return STEP_WAIT;
    const uint8_t kind = p[0];
    if (kind == 'e') {
        if (state->depth == 0 || (state->dictionary[top] && state->value[top]))
            return STEP_BAD;
        state->depth--;
        state->at++;
        return STEP_DONE;
    }
    if (key && (kind < '0' || kind > '9'))
        return STEP_BAD;
    if (kind >= '0' && kind <= '9')
        step = torrent_string(in, state, key);
    else if (kind == 'i')
        step = torrent_number(in, state->at + 1, 'e', &number, &state->at);
    else if ((kind != 'd' && kind != 'l') || state->depth == TORRENT_DEPTH)
        return STEP_BAD;
    if (step != STEP_DONE)
        return step;
    if (state->depth > 0)
        state->value[top] = key;
    if (kind == 'd' || kind == 'l') {
        state->dictionary[state->depth] = kind == 'd';
        state->value[state->depth++] = false;
        state->at++;
    }
    return STEP_DONE;
}

static struct sig_result torrent_check(struct sig_input *in, void *memory)
{
    struct torrent_state *state = memory;

    do {
        const enum step step = torrent_element(in, state);

        if (step == STEP_WAIT && in->wanted > in->limit && state->info)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a valid element must follow here, and none does");
        if (state->info)
            sig_valid(in, state->at);
    } while (state->depth > 0);
    if (!state->info)
        return sig_reject("there is no key info");
    return sig_complete(in, state->at, "the elements lead to the end of the dictionary");
}

const struct sig sig_torrent = {
    .name = "torrent",
    .what = "BitTorrent metainfo",
    .proves = "elements lead to the end of the dictionary, which holds the key info",
    .source = "BEP 3, The BitTorrent Protocol Specification",
    .types = (const struct sig_type[]){ { "torrent", "torrent" }, { 0 } },
    .headers = { SIG_PATTERN("d8:announce"), SIG_PATTERN("d13:announce-list"),
                 SIG_PATTERN("d7:comment"), SIG_PATTERN("d10:created by"),
                 SIG_PATTERN("d13:creation date"), SIG_PATTERN("d4:infod"),
                 SIG_PATTERN("d8:encoding") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = 64 << 20,
    .state_size = sizeof(struct torrent_state),
    .check = torrent_check,
};
