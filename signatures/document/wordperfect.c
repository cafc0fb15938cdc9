/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/wordperfect.c - WordPerfect 6 and later (wpd) and its pictures (wpg).
 *
 *   FF "WPC" | u32le place of the content | product, kind of file | version | encryption | u16le
 * place of the index | 20 u32le size of the file index: ... | u16le entries at 2 | entries of 14
 * bytes from 14 on: flags, kind | uses, 2 | u32le size, place of a packet text: letters 01-7F;
 * functions of one byte 80-CF; D0-EF | kind | u16le length | ... | the same byte again; F0-FF, of
 * fixed lengths pictures of version 1: records: kind | length, of 1, 3 or 5 bytes | data, from 0F
 * to 10
 *
 * Documents of version 5 and before say nothing of where they end; they are found, and count as
 * broken where their text cannot go on. Encrypted text is not followed.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WPC_HEAD = 26,
    WPC_INDEX = 14,
    WPC_IS_DOCUMENT = 0x0a,
    WPC_IS_PICTURE = 0x16,
    WPC_PACKETS_MAX = 4096,
    WPC_START = 0x0f, /* records of pictures */
    WPC_END = 0x10,
    WPC_RECORD_MAX = 0x1f,
    WPC_OLD_MIN = 256, /* bytes of text that make a find of a document without a size */
};

struct wpc_state {
    uint64_t at; /* next function or record */
    uint32_t content, size, packet, records;
    bool is_picture, is_old, encrypted, begun; /* is_old: version 5 or before */
};

static const struct sig_type wpc_types[] = { { "wpd", "wpd" }, { "wpg", "wpg" }, { 0 } };

static enum step wpc_packets(struct sig_input *in, struct wpc_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, WPC_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t index = bytes_u16le(head + 14);
    head = sig_bytes(in, index, WPC_INDEX);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u16le(head + 2);
    if (index < WPC_HEAD || count > WPC_PACKETS_MAX)
        return STEP_BAD;
    for (; state->packet + 1 < count; state->packet++) {
        const uint8_t *entry =
            sig_bytes(in, index + WPC_INDEX * (UINT64_C(1) + state->packet), WPC_INDEX);

        if (entry == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u32le(entry + 6), place = bytes_u32le(entry + 10);
        if (entry[1] != 0 && len > 0 && (place > state->size || len > state->size - place))
            return STEP_BAD;
    }
    return STEP_DONE;
}

/* The length of the function at state->at, which begins with code; 0: there is none. */
static enum step wpc_function(struct sig_input *in, const struct wpc_state *state, uint8_t code,
                              uint64_t *len)
{
    static const uint8_t fixed[16] = { 4, 5, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 8, 8, 0 };
    static const uint8_t fixed_5[16] = { 4, 9, 11, 3, 3, 5, 6, 7, 0 };
    const uint8_t from = state->is_old ? 0xd0 : 0xf0;

    *len = 0;
    if (code == 0 || (state->is_old && code < 0xc0))
        return STEP_DONE;
    if (state->is_old ? code < from : code >= from) {
        *len = state->is_old ? fixed_5[code & 15] : fixed[code & 15];
        return STEP_DONE;
    }
    const uint8_t *bytes = sig_bytes(in, state->at, 4);
    if (bytes == NULL)
        return STEP_WAIT;
    *len = bytes_u16le(bytes + 2) + (state->is_old ? 4u : 0u);
    if (*len < 5)
        *len = 0;
    return STEP_DONE;
}

/* The text, function by function. */
static enum step wpc_text(struct sig_input *in, struct wpc_state *state)
{
    const uint8_t first = state->is_old ? 0xc0 : 0xd0; /* functions below are of one byte */

    while (state->at < state->size) {
        uint32_t have;
        const uint8_t *bytes = sig_span_to(in, state->at, state->size, &have);

        if (bytes == NULL)
            return STEP_WAIT;
        uint32_t letters = 0;
        while (letters < have && bytes[letters] != 0 && bytes[letters] < first)
            letters++;
        state->at += letters;
        if (letters == have)
            continue;
        const uint8_t code = bytes[letters];
        uint64_t len;
        if (wpc_function(in, state, code, &len) == STEP_WAIT)
            return STEP_WAIT;
        if (len == 0 || len > state->size - state->at)
            return STEP_BAD;
        bytes = sig_bytes(in, state->at + len - 1, 1);
        if (bytes == NULL)
            return STEP_WAIT;
        if (bytes[0] != code)
            return STEP_BAD;
        state->at += len;
    }
    return STEP_DONE;
}

/* The records of a picture; its size is where they end. */
static enum step wpc_picture(struct sig_input *in, struct wpc_state *state)
{
    for (;;) {
        const uint8_t *record = sig_bytes(in, state->at, 2);
        uint64_t len = 2;

        if (record == NULL)
            return STEP_WAIT;
        const uint32_t kind = record[0];
        uint32_t data = record[1];
        if (kind == 0 || kind > WPC_RECORD_MAX || (state->records == 0) != (kind == WPC_START))
            return STEP_BAD;
        if (data == 0xff) {
            record = sig_bytes(in, state->at, 6);
            if (record == NULL)
                return STEP_WAIT;
            data = bytes_u16le(record + 2);
            len = 4;
            if ((data & 0x8000) != 0) {
                data = (data & 0x7fff) << 16 | bytes_u16le(record + 4);
                len = 6;
            }
        }
        if (state->records > 0)
            sig_valid(in, state->at);
        state->at += len + data;
        state->records++;
        if (kind == WPC_END) {
            state->size = (uint32_t)state->at;
            return data == 0 ? STEP_DONE : STEP_BAD;
        }
    }
}

static const char *wpc_head(struct sig_input *in, const uint8_t *head, struct wpc_state *state)
{
    const uint32_t major = head[10];

    state->content = bytes_u32le(head + 4);
    state->is_picture = head[9] == WPC_IS_PICTURE;
    state->encrypted = bytes_u16le(head + 12) != 0;
    state->at = state->content;
    in->type = &wpc_types[state->is_picture];
    if (head[8] != 1 || (head[9] != WPC_IS_DOCUMENT && !state->is_picture) || state->content < 16 ||
        major > 3)
        return "neither a document nor a picture";
    if (state->is_picture && (major != 1 || state->encrypted))
        return "unknown version of the picture";
    state->is_old = !state->is_picture && major < 2;
    state->size = state->is_picture || state->is_old ? UINT32_MAX : bytes_u32le(head + 20);
    if (state->is_old && memcmp(head + 16, "\xfb\xff\x05\0\x32\0", 6) != 0)
        return "there are no packets in front of the text";
    if (state->size <= state->content)
        return "the content lies outside the file";
    return NULL;
}

/* A document whose end nothing tells: as far as there are functions and letters, which may be too
 * far where text follows. */
static struct sig_result wpc_old(struct sig_input *in, struct wpc_state *state)
{
    const enum step step = state->encrypted ? STEP_BAD : wpc_text(in, state);

    if (state->at >= state->content + WPC_OLD_MIN)
        sig_valid(in, state->at);
    if (step == STEP_WAIT)
        return sig_short(in);
    return sig_breaks(in, "a document of this version does not store its end");
}

static struct sig_result wpc_check(struct sig_input *in, void *memory)
{
    struct wpc_state *state = memory;
    enum step step = STEP_DONE;

    if (!state->begun) {
        const uint8_t *head = sig_bytes(in, 0, WPC_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = wpc_head(in, head, state);
        if (why != NULL)
            return sig_reject(why);
        state->begun = true;
    }
    if (state->is_old)
        return wpc_old(in, state);
    if (state->is_picture) {
        step = wpc_picture(in, state);
    } else {
        step = wpc_packets(in, state);
        if (step == STEP_BAD)
            return sig_reject("invalid index");
        if (step == STEP_DONE && state->at == state->content && state->content <= in->limit)
            sig_valid(in, state->content);
        if (step == STEP_DONE && !state->encrypted)
            step = wpc_text(in, state);
    }
    if (!state->is_picture && state->at > state->content)
        sig_valid(in, state->at);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid function or record");
    if (state->encrypted)
        return sig_believe(in, state->size, "the header gives the size; the text is encrypted");
    return sig_complete(in, state->size, "the functions or records lead to the end");
}

const struct sig sig_wordperfect = {
    .name = "wordperfect",
    .what = "WordPerfect document (wpd) or picture (wpg)",
    .proves =
        "functions or records lead to the size in the header; an encrypted one: only its index",
    .source = "Corel, WordPerfect File Format SDK: prefix, function groups; WPG file format 1.0",
    .types = wpc_types,
    .headers = { SIG_MASKED("\xffWPC????\x01\x0a", "\xff\xff\xff\xff\0\0\0\0\xff\xff"),
                 SIG_MASKED("\xffWPC????\x01\x16\x01", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = WPC_HEAD,
    .size_max = UINT64_C(1) << 30,
    .state_size = sizeof(struct wpc_state),
    .check = wpc_check,
};
