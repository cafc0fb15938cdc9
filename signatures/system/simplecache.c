/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/simplecache.c - an entry of the cache of Chrome on Android, Linux and macOS
 * (Simple Cache): an answer of a server with its address.
 *
 *   30 5c 72 a7 1b 6d fb fc | u32le version 5 | u32le bytes of the key | u32le hash of the key | 4
 * bytes | key | stream 1, the content | end | stream 0, the header fields of HTTP | SHA-256 of the
 * key | end
 *   end: d8 41 0d 97 45 6f fa f4 | u32le flags: 1 a CRC-32, 2 the SHA-256 | u32le CRC-32 of the
 * stream | u32le bytes of the stream | 4 bytes
 *
 * A file with stream 2 alone (NAME_1) has one stream and one end.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SIMPLE_HEAD = 24,
    SIMPLE_END = 24,
    SIMPLE_KEY_MAX = 65536,
    SIMPLE_FIELDS_MAX = 1 << 20, /* bytes of stream 0 */
    SIMPLE_SHA256 = 32,
    SIMPLE_HAS_CRC = 1,
    SIMPLE_HAS_SHA256 = 2,
};

static const uint8_t simple_end_mark[8] = { 0xd8, 0x41, 0x0d, 0x97, 0x45, 0x6f, 0xfa, 0xf4 };

struct simple_state {
    uint64_t first;  /* place of the end of stream 1; 0: not found yet */
    uint64_t summed; /* object offset up to which the CRC of the stream being read is made */
    uint32_t crc;
};

/*
 * Whether the mark at `at` ends a stream that begins at `from`, with its CRC. Not every version
 * writes the length of stream 1 (which = 1).
 */
static enum step simple_end(struct sig_input *in, struct simple_state *state, uint32_t which,
                            uint64_t from, uint64_t at)
{
    const uint8_t *p = sig_bytes(in, at, SIMPLE_END);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = bytes_u32le(p + 8), crc = bytes_u32le(p + 12),
                   size = bytes_u32le(p + 16);
    const uint32_t sha256 = (flags & SIMPLE_HAS_SHA256) != 0 ? SIMPLE_SHA256 : 0;
    if (flags > (SIMPLE_HAS_CRC | SIMPLE_HAS_SHA256) || at - from < sha256 ||
        (which == 1 && sha256 != 0))
        return STEP_BAD;
    const uint64_t len = at - from - sha256;
    if (size != len && (which == 0 || size != 0 || (flags & SIMPLE_HAS_CRC) == 0))
        return STEP_BAD;
    if ((flags & SIMPLE_HAS_CRC) == 0)
        return STEP_DONE;
    if (state->summed < from)
        state->summed = from;
    if (state->summed > from + len)
        return STEP_BAD;
    const enum step step = crc32_add(in, &state->summed, from + len, &state->crc);
    if (step != STEP_DONE)
        return step;
    return state->crc == crc ? STEP_DONE : STEP_BAD;
}

/* The key: text, of which the first byte is printable. */
static enum step simple_key(struct sig_input *in, uint32_t len)
{
    const uint8_t *key = sig_bytes(in, SIMPLE_HEAD, len);

    if (key == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < len; i++)
        if (key[i] < ' ' || key[i] == 0x7f)
            return STEP_BAD;
    return STEP_DONE;
}

/* Finds the first end behind `from` that fits. *at: its place. */
static enum step simple_find(struct sig_input *in, struct simple_state *state, uint32_t which,
                             uint64_t from, uint64_t to, uint64_t *at)
{
    for (uint64_t next = from;;) {
        const enum sig_found found =
            sig_find(in, next, to, simple_end_mark, sizeof simple_end_mark, at);

        if (found != SIG_FOUND)
            return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_BAD;
        const enum step step = simple_end(in, state, which, from, *at);
        if (step != STEP_BAD)
            return step;
        next = *at + 1;
        in->find_at = next;
    }
}

/* Behind the end of stream 1: stream 0 and its end; or zeros, behind the only stream of a file. */
static struct sig_result simple_rest(struct sig_input *in, struct simple_state *state)
{
    static const uint8_t zeros[SIMPLE_HEAD];
    const uint64_t from = state->first + SIMPLE_END,
                   most = from < in->limit && in->limit - from > SIMPLE_FIELDS_MAX
                              ? from + SIMPLE_FIELDS_MAX
                              : in->limit;
    uint64_t at;

    if (in->limit - from < SIMPLE_HEAD)
        return sig_complete(in, from, "the stream has its CRC-32");
    const uint8_t *p = sig_bytes(in, from, SIMPLE_HEAD);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, zeros, SIMPLE_HEAD) == 0)
        return sig_complete(in, from, "the stream has its CRC-32");
    const enum step step = simple_find(in, state, 0, from, most, &at);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_DONE)
        return sig_complete(in, at + SIMPLE_END, "both streams have their length and CRC-32");
    return sig_breaks(in, "no end fits the second stream");
}

static struct sig_result simple_check(struct sig_input *in, void *memory)
{
    struct simple_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SIMPLE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t key = bytes_u32le(p + 12);
    if (key == 0 || key > SIMPLE_KEY_MAX)
        return sig_reject("invalid length of the key");
    const enum step text = simple_key(in, key);
    if (text == STEP_WAIT)
        return sig_short(in);
    if (text == STEP_BAD)
        return sig_reject("the key is no text");
    const uint64_t from = SIMPLE_HEAD + (uint64_t)key;
    sig_valid(in, from);
    if (state->first == 0) {
        uint64_t at;
        const enum step step = simple_find(in, state, 1, from, in->limit, &at);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "no end fits the stream");
        memset(state, 0, sizeof *state);
        state->first = at;
        in->find_at = 0;
    }
    sig_valid(in, state->first + SIMPLE_END);
    return simple_rest(in, state);
}

static void simple_facts(struct sig_facts *facts)
{
    const uint8_t *p = tell_bytes(facts, 12, 4);
    const uint32_t len = p == NULL ? 0 : bytes_u32le(p);

    p = len > 0 && len <= SIMPLE_KEY_MAX ? tell_bytes(facts, SIMPLE_HEAD, len) : NULL;
    if (p != NULL)
        tell_text(facts, SIG_FACT_TITLE, p, len);
}

const struct sig sig_simplecache = {
    .name = "simplecache",
    .what = "entry of the cache of Chrome (Simple Cache)",
    .proves = "the CRC-32 of the content and of the fields of HTTP behind it, where it is stored; "
              "the hash of the key is not compared",
    .source = "Chromium, net/disk_cache/simple/simple_entry_format.h, version 5",
    .types = (const struct sig_type[]){ { "simplecache", "simplecache" }, { 0 } },
    .headers = { SIG_PATTERN("\x30\x5c\x72\xa7\x1b\x6d\xfb\xfc\5\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = SIMPLE_HEAD + 1 + SIMPLE_END,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct simple_state),
    .check = simple_check,
    .facts = simple_facts,
};
