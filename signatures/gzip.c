/*
 * signatures/gzip.c - gzip files: one or more members, each inflated to its end and proved by its CRC-32 and length.
 *
 *   member: 1f 8b 08 | flags | mtime | xfl | os | [extra] [name] [comment] [header crc] | deflate stream | u32le CRC-32 | u32le length
 *
 * Nothing in a gzip file tells its length but the stream itself, so it is inflated. A member that begins right behind another one
 * belongs to the same file. Input is inflated in blocks of a fixed size, so that where a broken stream is noticed does not depend on
 * how the bytes came; such a file is valid up to the block in which it broke.
 */
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    GZIP_HEADER = 10,
    GZIP_TRAILER = 8,
    GZIP_BLOCK = 16 * 1024,  /* bytes of input at a time */
    GZIP_OUTPUT = 16 * 1024, /* bytes of output at a time; thrown away */
    GZIP_TEXT_MAX = 4096,    /* longest file name or comment that is believed */
    GZIP_FHCRC = 2,
    GZIP_FEXTRA = 4,
    GZIP_FNAME = 8,
    GZIP_FCOMMENT = 16,
};

static const uint64_t GZIP_INFLATED_MAX = UINT64_C(1) << 38; /* bytes; a bomb is left alone behind this */

struct gzip_state {
    bool                 inflating; /* a member's header has been read */
    uint64_t             at;        /* next byte of input */
    uint64_t             whole;     /* end of the last whole member; 0: none yet */
    uint64_t             inflated;
    struct inflate_state stream;
    uint8_t              output[GZIP_OUTPUT];
};

/* The length of a zero-terminated text at `at`, the zero included; 0: not there yet or too long. */
static uint32_t gzip_text(struct sig_input *in, uint64_t at, bool *wait)
{
    uint64_t end;

    in->find_at = 0;
    switch (sig_find(in, at, at + GZIP_TEXT_MAX, "", 1, &end)) {
    case SIG_FOUND:
        return (uint32_t)(end - at + 1);
    case SIG_FIND_WAIT:
        *wait = true;
        return 0;
    default:
        return 0;
    }
}

/* The length of the member header at `at`; 0 with *wait: more bytes needed; 0 without: it is none. */
static uint64_t gzip_header(struct sig_input *in, uint64_t at, bool *wait)
{
    const uint8_t *head = sig_bytes(in, at, GZIP_HEADER);
    uint64_t len = GZIP_HEADER;

    *wait = head == NULL;
    if (head == NULL || memcmp(head, "\x1f\x8b\x08", 3) != 0 || (head[3] & 0xe0) != 0 ||
        (head[8] != 0 && head[8] != 2 && head[8] != 4) || (head[9] > 13 && head[9] != 255))
        return 0;
    const uint8_t flags = head[3];
    if ((flags & GZIP_FEXTRA) != 0) {
        const uint8_t *extra = sig_bytes(in, at + len, 2);

        if (extra == NULL) {
            *wait = true;
            return 0;
        }
        len += 2u + bytes_u16le(extra);
    }
    for (uint32_t flag = GZIP_FNAME; flag <= GZIP_FCOMMENT; flag <<= 1) {
        if ((flags & flag) == 0)
            continue;
        const uint32_t text = gzip_text(in, at + len, wait);
        if (text == 0)
            return 0;
        len += text;
    }
    return len + ((flags & GZIP_FHCRC) != 0 ? 2 : 0);
}

/* Inflates one block of input. ISAL_DECOMP_OK, or the library's error. *ended: the member and its trailer have been read. */
static int gzip_block(struct gzip_state *state, const uint8_t *bytes, uint32_t len, bool *ended)
{
    int rc = ISAL_DECOMP_OK;

    state->stream.next_in = (uint8_t *)(uintptr_t)bytes; /* the library does not write there */
    state->stream.avail_in = len;
    do {
        state->stream.next_out = state->output;
        state->stream.avail_out = GZIP_OUTPUT;
        rc = isal_inflate(&state->stream);
        state->inflated += GZIP_OUTPUT - state->stream.avail_out;
        *ended = rc == ISAL_DECOMP_OK && state->stream.block_state == ISAL_BLOCK_FINISH;
    } while (rc == ISAL_DECOMP_OK && !*ended && state->stream.avail_out == 0 && state->inflated <= GZIP_INFLATED_MAX);
    state->at += len - state->stream.avail_in;
    return rc;
}

/* Looks for a member at state->at and gets ready to inflate it. False: return *result. */
static bool gzip_begin(struct sig_input *in, struct gzip_state *state, struct sig_result *result)
{
    bool wait = false;
    const uint64_t header = gzip_header(in, state->at, &wait);

    if (header == 0) {
        if (wait && in->wanted <= in->limit)
            *result = sig_short(in);
        else if (state->whole > 0)
            *result = sig_complete(in, state->whole, "inflated to its end, CRC-32 right");
        else
            *result = wait ? sig_short(in) : sig_reject("no gzip header");
        return false;
    }
    if (state->whole > 0)
        sig_claim(in, state->at);
    state->at += header;
    state->inflating = true;
    isal_inflate_init(&state->stream);
    state->stream.crc_flag = ISAL_GZIP_NO_HDR_VER;
    return true;
}

/* A member that does not inflate: the file ends before it, or breaks in it. */
static struct sig_result gzip_broken(struct sig_input *in, const struct gzip_state *state, const char *why)
{
    if (state->whole > 0)
        return sig_complete(in, state->whole, "inflated to its end, CRC-32 right");
    return sig_breaks(in, why);
}

static struct sig_result gzip_check(struct sig_input *in, void *kept)
{
    struct gzip_state *state = kept;
    struct sig_result result;

    for (;;) {
        bool ended = false;

        if (!state->inflating && !gzip_begin(in, state, &result))
            return result;
        const uint64_t left = in->limit > state->at ? in->limit - state->at : 0;
        if (left == 0)
            return gzip_broken(in, state, "the image ends before the file does");
        const uint32_t len = left < GZIP_BLOCK ? (uint32_t)left : GZIP_BLOCK;
        const uint8_t *bytes = sig_bytes(in, state->at, len);
        if (bytes == NULL)
            return sig_short(in);
        const uint64_t begin = state->at;
        const int rc = gzip_block(state, bytes, len, &ended);

        if (rc == ISAL_INCORRECT_CHECKSUM)
            return gzip_broken(in, state, "CRC-32 or length of the inflated data is wrong");
        if (rc != ISAL_DECOMP_OK)
            return gzip_broken(in, state, "the deflate stream breaks");
        if (state->inflated > GZIP_INFLATED_MAX)
            return gzip_broken(in, state, "inflates to more than the limit");
        if (ended) {
            state->whole = state->at;
            state->inflating = false;
            sig_valid(in, state->at);
        } else if (state->whole == 0) {
            sig_valid(in, begin + len);
        }
    }
}

const struct sig sig_gzip = {
    .name = "gz",
    .what = "gzip",
    .source = "RFC 1952 (gzip 4.3), RFC 1951 (deflate 1.3)",
    .types = (const struct sig_type[]){ { "gz", "gz" }, { 0 } },
    .headers = { SIG_MASKED("\x1f\x8b\x08\x00", "\xff\xff\xff\xe0") },
    .size_min = GZIP_HEADER + 2 + GZIP_TRAILER,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct gzip_state),
    .check = gzip_check,
};
