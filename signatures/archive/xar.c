/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/xar.c - xar archives: macOS installer packages, Safari extensions.
 *
 *   "xar!" | u16be size of this header | u16be 1 | u64be size of the table | u64be of it unpacked |
 * u32be checksum 0-4 | … table of contents: XML, packed by zlib | heap: checksum of the table,
 * signatures, data of files
 *
 * The table is inflated (its Adler-32 checked) and searched for the places in the heap that it
 * names: elements offset, with length (data) or size (checksum, signature). The file ends with the
 * last of them. The heap itself is not checked: a reader compares its SHA-1s.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    XAR_HEAD = 28,
    XAR_HEAD_MAX = 64,
    XAR_PIECE = 4096,
    XAR_OUT = 32 << 10,
    XAR_NAME_MAX = 15,
    XAR_COST = 4, /* reading text takes several times as long as unpacking it does */
};
#define XAR_TABLE_MAX (UINT64_C(64) << 20)  /* packed */
#define XAR_PLAIN_MAX (UINT64_C(512) << 20) /* and unpacked */

struct xar_text {
    bool inside, closing; /* of a tag; it is a closing one */
    bool has_offset, has_length, has_number;
    uint32_t name_len;
    char name[XAR_NAME_MAX + 1]; /* of the tag, cut */
    uint64_t number;             /* in the element */
    uint64_t offset, length;
    uint64_t end; /* of what in the heap has been named */
    bool package; /* a file has a name that installers look for */
    uint32_t word_len;
    char word[XAR_NAME_MAX + 1]; /* what stands between tags, cut */
};

struct xar_state {
    uint64_t at; /* object offset of the next piece of the table; 0: not begun */
    uint64_t plain;
    bool done;
    struct xar_text text;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct xar_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

static bool xar_is(const struct xar_text *text, const char *name)
{
    return strcmp(text->name, name) == 0;
}

/* A tag has been read to its end. */
static void xar_tag(struct xar_text *text)
{
    text->name[text->name_len] = '\0';
    if (!text->closing) {
        if (xar_is(text, "data") || xar_is(text, "ea") || xar_is(text, "checksum") ||
            xar_is(text, "signature") || xar_is(text, "x-signature"))
            text->has_offset = text->has_length = false;
    } else if (xar_is(text, "offset") && text->has_number) {
        text->offset = text->number;
        text->has_offset = true;
    } else if (xar_is(text, "length") && text->has_number) {
        text->length = text->number;
        text->has_length = true;
    } else if (xar_is(text, "size") && text->has_number && !text->has_length) {
        text->length = text->number; /* of data it is the unpacked one, and the length comes before
                                        or after it */
    }
    if (text->closing && text->has_offset &&
        (((xar_is(text, "data") || xar_is(text, "ea")) && text->has_length) ||
         xar_is(text, "checksum") || xar_is(text, "signature") || xar_is(text, "x-signature"))) {
        const uint64_t end = sig_add(text->offset, text->length);

        if (end > text->end)
            text->end = end;
        text->has_offset = text->has_length = false;
    }
    text->number = 0;
    text->has_number = false;
}

static void xar_read(struct xar_text *text, const uint8_t *bytes, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t c = bytes[i];

        if (c == '<') {
            text->word[text->word_len] = '\0';
            text->package |=
                strcmp(text->word, "Distribution") == 0 || strcmp(text->word, "PackageInfo") == 0;
            text->inside = true;
            text->closing = false;
            text->name_len = 0;
        } else if (c == '>') {
            if (text->inside)
                xar_tag(text);
            text->inside = false;
            text->word_len = 0;
        } else if (text->inside) {
            if (c == '/' && text->name_len == 0)
                text->closing = true;
            else if (text->name_len < XAR_NAME_MAX)
                text->name[text->name_len++] = c == ' ' ? '\0' : (char)c;
        } else {
            if (text->word_len < XAR_NAME_MAX)
                text->word[text->word_len++] = (char)c;
            if (c >= '0' && c <= '9' && text->number < UINT64_C(1) << 58) {
                text->number = text->number * 10 + (c - '0');
                text->has_number = true;
            }
        }
    }
}

/* Inflates the table, which ends at `end`. */
static enum step xar_table(struct sig_input *in, struct xar_state *state, uint64_t end,
                           uint64_t plain)
{
    uint8_t out[XAR_OUT];

    while (!inflate_ended(&state->inflate)) {
        const uint32_t len = end - state->at < XAR_PIECE ? (uint32_t)(end - state->at) : XAR_PIECE;
        const uint8_t *bytes = len == 0 ? NULL : sig_bytes(in, state->at, len);

        if (len == 0)
            return STEP_BAD;
        if (bytes == NULL)
            return STEP_WAIT;
        inflate_give(&state->inflate, bytes, len);
        do {
            uint32_t got;

            if (!inflate_take(&state->inflate, out, sizeof out, &got))
                return STEP_BAD;
            xar_read(&state->text, out, got);
            state->plain += got;
            if (state->plain > plain ||
                !sig_unpacked(in, state->at + len, (uint64_t)XAR_COST * got))
                return STEP_BAD;
        } while (inflate_more(&state->inflate));
        state->at += len;
    }
    return state->at == end && state->plain == plain ? STEP_DONE : STEP_BAD;
}

/* libarchive writes the first 20 or 16 bytes of the packed table once more behind the heap. */
static struct sig_result xar_end(struct sig_input *in, uint64_t table, uint64_t end, uint32_t kind)
{
    const uint32_t len = kind == 1 ? 20 : kind == 2 ? 16 : 0;
    const uint8_t *bytes = len == 0 ? NULL : sig_bytes(in, table, len);
    uint8_t first[20];

    if (bytes != NULL)
        memcpy(first, bytes, len);
    bytes = len == 0 ? NULL : sig_bytes(in, end, len);
    if (bytes == NULL && len > 0 && in->wanted <= in->limit)
        return sig_short(in);
    return sig_believe(in, bytes != NULL && memcmp(first, bytes, len) == 0 ? end + len : end,
                       "the table of contents names the content of the heap");
}

static struct sig_result xar_check(struct sig_input *in, void *memory)
{
    struct xar_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, XAR_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t kind = bytes_u32be(head + 24);
    const uint64_t head_len = bytes_u16be(head + 4), packed = bytes_u64be(head + 8),
                   plain = bytes_u64be(head + 16);
    if (head_len < XAR_HEAD || head_len > XAR_HEAD_MAX || bytes_u16be(head + 6) != 1 ||
        packed < 8 || packed > XAR_TABLE_MAX || plain > XAR_PLAIN_MAX || plain == 0 || kind > 4)
        return sig_reject("invalid header");
    if (state->at == 0) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB;
        state->at = head_len;
    }
    const uint64_t heap = head_len + packed;
    const enum step step = state->done ? STEP_DONE : xar_table(in, state, heap, plain);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("the table of contents does not inflate to its size");
    state->done = true;
    if (state->text.package)
        in->type = &in->sig->types[1];
    sig_valid(in, heap);
    return xar_end(in, head_len, sig_add(heap, state->text.end), kind);
}

const struct sig sig_xar = {
    .name = "xar",
    .what = "xar archive (macOS installer package)",
    .proves = "the table of contents inflates and has its Adler-32; the heap is as long as it says",
    .source = "xar 1.6, include/xar.h.in and the wiki page xarformat",
    .types = (const struct sig_type[]){ { "xar", "xar" }, { "pkg", "pkg" }, { 0 } },
    .headers = { SIG_MASKED("xar!\0\0\0\1", "\xff\xff\xff\xff\xff\xc0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_UNPACKS,
    .size_min = XAR_HEAD + 8,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct xar_state),
    .state_clean = offsetof(struct xar_state, inflate),
    .check = xar_check,
};
