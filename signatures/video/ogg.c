/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/ogg.c - Ogg: Vorbis, Opus, Speex, FLAC and Theora in pages.
 *
 *   "OggS" | 0 | flags (1 continued, 2 first page, 4 last page) | u64le position | u32le serial |
 * u32le sequence | u32le crc | segments | that many segment lengths | body
 *
 * Every page's CRC is right, each stream's pages are numbered, and the file is whole when every
 * stream that began has had its last page. First pages directly behind that begin another link of
 * the same file (RFC 3533, section 4: chaining), unless they stand on a sector: there, a file of
 * its own is as likely, and the first one is whole without it.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/video/video_facts.h"

enum {
    OGG_HEAD = 27,
    OGG_CRC_AT = 22,
    OGG_STREAMS_MAX = 64, /* multiplexed at a time */
    OGG_PROVEN_PAGES = 2, /* with a right CRC: fewer are a beginning and no file */
    OGG_FIRST = 2,
    OGG_LAST = 4,
    OGG_FLAGS = 7,
};

enum ogg_kind { OGG_AUDIO, OGG_VIDEO, OGG_OPUS, OGG_SPEEX, OGG_KINDS };
static const struct sig_type ogg_types[] = {
    [OGG_AUDIO] = { "ogg", "ogg" },
    [OGG_VIDEO] = { "ogv", "ogv" },
    [OGG_OPUS] = { "opus", "opus" },
    [OGG_SPEEX] = { "spx", "spx" },
    [OGG_KINDS] = { 0 },
};

struct ogg_stream {
    uint32_t serial, next; /* sequence number of its next page */
    bool ended;
};

struct ogg_state {
    uint64_t at;    /* object offset of the next page */
    uint64_t whole; /* end of the last link whose streams have all ended; 0: none yet */
    uint64_t pages;
    uint32_t streams, open; /* of this link */
    bool in_data;           /* a page of this link that is not a first one was seen */
    bool known;             /* some stream has told what kind of file this is */
    enum ogg_kind kind;
    struct ogg_stream stream[OGG_STREAMS_MAX];
};

struct ogg_page {
    uint8_t flags;
    uint32_t serial, sequence, len;
};

/* What a stream's first packet says of the file: video wins, then the first stream that is known.
 */
static void ogg_learn(struct ogg_state *state, const uint8_t *body, uint32_t len)
{
    static const struct {
        const char *magic;
        uint32_t len;
        enum ogg_kind kind;
    } known[] = {
        { "\x80theora", 7, OGG_VIDEO }, { "BBCD", 4, OGG_VIDEO },
        { "OVP80", 5, OGG_VIDEO },      { "\x01video", 6, OGG_VIDEO },
        { "OpusHead", 8, OGG_OPUS },    { "Speex   ", 8, OGG_SPEEX },
        { "\x01vorbis", 7, OGG_AUDIO }, { "\x7f\x46LAC", 5, OGG_AUDIO },
    };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (len < known[i].len || memcmp(body, known[i].magic, known[i].len) != 0)
            continue;
        if (known[i].kind == OGG_VIDEO || !state->known)
            state->kind = known[i].kind;
        state->known = true;
    }
}

/* Reads one page and checks its CRC. */
static enum step ogg_read(struct sig_input *in, struct ogg_state *state, struct ogg_page *page,
                          const char **why)
{
    const uint8_t *bytes = sig_bytes(in, state->at, OGG_HEAD);
    uint8_t head[OGG_HEAD];

    if (bytes == NULL)
        return STEP_WAIT;
    memcpy(head, bytes, sizeof head);
    if (memcmp(head, "OggS", 5) != 0 || (head[5] & ~OGG_FLAGS) != 0)
        return step_bad(why, "a valid page must follow here, and none does");
    page->flags = head[5];
    page->serial = bytes_u32le(head + 14);
    page->sequence = bytes_u32le(head + 18);
    const uint32_t stored = bytes_u32le(head + OGG_CRC_AT), segments = head[26];
    page->len = OGG_HEAD + segments;
    if (segments > 0) {
        bytes = sig_bytes(in, state->at + OGG_HEAD, segments);
        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < segments; i++)
            page->len += bytes[i];
    }
    memset(head + OGG_CRC_AT, 0, 4);
    uint32_t crc =
        crc32_ieee(UINT32_MAX, head, OGG_HEAD); /* ISA-L inverts before and after, Ogg does not */
    if (page->len > OGG_HEAD) {
        bytes = sig_bytes(in, state->at, page->len);
        if (bytes == NULL)
            return STEP_WAIT;
        crc = crc32_ieee(crc, (uint8_t *)(uintptr_t)bytes + OGG_HEAD, page->len - OGG_HEAD);
    }
    if (~crc != stored)
        return step_bad(why, "the CRC of a page is wrong");
    if (state->whole == 0 && page->flags & OGG_FIRST && page->len > OGG_HEAD + segments)
        ogg_learn(state, bytes + OGG_HEAD + segments, page->len - OGG_HEAD - segments);
    return STEP_DONE;
}

/* A first page: a stream of this link, or the beginning of the next one. */
static enum step ogg_begin(struct sig_input *in, struct ogg_state *state,
                           const struct ogg_page *page, const char **why)
{
    if (state->in_data && state->open > 0)
        return step_bad(why, "another file begins before the streams have ended");
    if (state->open == 0) {
        state->streams = 0;
        state->in_data = false;
    }
    for (uint32_t i = 0; i < state->streams; i++)
        if (state->stream[i].serial == page->serial)
            return step_bad(why, "two streams have one serial number");
    if (state->streams == OGG_STREAMS_MAX)
        return step_bad(why, "there are more streams than any file has");
    state->stream[state->streams++] =
        (struct ogg_stream){ page->serial, page->sequence + 1, false };
    state->open++;
    sig_claim(in, state->at);
    return STEP_DONE;
}

static enum step ogg_continue(struct ogg_state *state, const struct ogg_page *page,
                              struct ogg_stream **found, const char **why)
{
    for (uint32_t i = 0; i < state->streams; i++) {
        struct ogg_stream *stream = &state->stream[i];

        if (stream->serial != page->serial)
            continue;
        if (stream->ended)
            return step_bad(why, "a page follows the last one of its stream");
        if (page->sequence != stream->next)
            return step_bad(why, "a page is missing");
        stream->next++;
        state->in_data = true;
        *found = stream;
        return STEP_DONE;
    }
    return step_bad(why, "a page belongs to a stream that has not begun");
}

static enum step ogg_page(struct sig_input *in, struct ogg_state *state, const char **why)
{
    struct ogg_stream *stream;
    struct ogg_page page;

    if (state->whole > 0 && state->whole == state->at &&
        (in->start + state->at) % LIMIT_SECTOR == 0)
        return step_bad(why, "the streams have ended, and a sector begins");
    enum step step = ogg_read(in, state, &page, why);
    if (step != STEP_DONE)
        return step;
    if (page.flags & OGG_FIRST) {
        step = ogg_begin(in, state, &page, why);
        stream = &state->stream[state->streams - 1];
    } else {
        step = ogg_continue(state, &page, &stream, why);
    }
    if (step != STEP_DONE)
        return step;
    if (page.flags & OGG_LAST) {
        stream->ended = true;
        state->open--;
    }
    state->at += page.len;
    state->pages++;
    in->type = &ogg_types[state->kind];
    if (state->open == 0 && state->in_data)
        state->whole = state->at;
    return STEP_DONE;
}

static struct sig_result ogg_check(struct sig_input *in, void *memory)
{
    struct ogg_state *state = memory;
    const char *why = NULL;

    for (;;) {
        if (sig_claims_full(in))
            return sig_again(in);
        const enum step step = ogg_page(in, state, &why);
        if (step == STEP_DONE) {
            if (state->pages >= OGG_PROVEN_PAGES)
                sig_valid(in, state->at);
            sig_sure(in, state->at);
            continue;
        }
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole,
                                "the CRC of every page is right, every stream has ended");
        if (step == STEP_WAIT && state->pages >= OGG_PROVEN_PAGES)
            sig_valid(in, in->limit);
        return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
    }
}

/* A page. Of a file of one stream the next one has its serial number, and the next number. */
static bool ogg_unit(const uint8_t *head, struct sig_unit *unit)
{
    struct sig_next *next = &unit->next[0];
    uint64_t len = OGG_HEAD + head[26];

    if (memcmp(head, "OggS", 5) != 0)
        return false;
    for (uint32_t i = 0; i < head[26]; i++)
        len += head[OGG_HEAD + i];
    *unit = (struct sig_unit){ .next_at = len, .next_count = 1 };
    *next = (struct sig_next){ .bytes = "OggS", .mask = "\xff\xff\xff\xff\xff", .len = 22 };
    memcpy(next->bytes + 14, head + 14, 4);
    memset(next->mask + 14, 0xff, 8);
    for (uint32_t i = 0, more = 1; i < 4; i++) {
        more += head[18 + i];
        next->bytes[18 + i] = (uint8_t)more;
        more >>= 8;
    }
    return true;
}

const struct sig sig_ogg = {
    .name = "ogg",
    .what = "Ogg audio or video",
    .proves = "every page's CRC-32 and number; every stream has its last page",
    .source = "RFC 3533 (Ogg), RFC 5334 (its file extensions)",
    .types = ogg_types,
    .headers = { SIG_PATTERN("OggS\0\x02") },
    .flags = SIG_CLAIMS,
    .size_min = 2 * OGG_HEAD,
    .size_max = UINT64_C(1) << 36, /* policy: the format has no limit */
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct ogg_state),
    .check = ogg_check,
    .unit = ogg_unit,
    .facts = ogg_facts,
};
