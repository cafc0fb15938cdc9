/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/riff_facts.c - facts of WAVE, AVI and WebP files.
 *
 * Sources: Microsoft, Multimedia Programming Interface and Data Specifications 1.0 (INFO);
 * AVIMAINHEADER; Google, WebP container specification, RFC 6386 and 9649.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/facts/media.h"
#include "signatures/facts/xmp.h"
#include "signatures/video/video_facts.h"

enum {
    RIFF_FACTS_HEAD = 12,
    RIFF_FACTS_CHUNKS = 256, /* that are looked at, at most */
    RIFF_FACTS_DEPTH = 4,
    RIFF_DATA_EVER = 0x7ffff000, /* a recorder that was stopped hard has not written the length */
};

struct riff_facts_walk {
    struct sig_facts *facts;
    uint32_t byte_rate; /* of sound */
};

static bool riff_facts_is(const char *type, const char *name)
{
    return memcmp(type, name, 4) == 0;
}

static void riff_facts_info(struct sig_facts *facts, const char *type, uint64_t at, uint32_t len)
{
    static const struct {
        const char *name;
        enum sig_fact_key key;
    } names[] = { { "INAM", SIG_FACT_TITLE },    { "IART", SIG_FACT_AUTHOR },
                  { "ISFT", SIG_FACT_SOFTWARE }, { "ISBJ", SIG_FACT_SUBJECT },
                  { "IPRD", SIG_FACT_ALBUM },    { "ICRD", SIG_FACT_CREATED } };
    const uint32_t want = len < SIG_FACT_LEN ? len : SIG_FACT_LEN;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const uint8_t *bytes =
            riff_facts_is(type, names[i].name) && want > 0 ? tell_bytes(facts, at, want) : NULL;

        if (bytes == NULL)
            continue;
        if (names[i].key == SIG_FACT_CREATED)
            tell_date(facts, SIG_FACT_CREATED, (const char *)bytes, want, "", 0);
        else
            tell_text(facts, names[i].key, bytes, want);
    }
}

static void riff_facts_avih(struct sig_facts *facts, uint64_t at)
{
    const uint8_t *bytes = tell_bytes(facts, at, 40);

    if (bytes == NULL)
        return;
    media_duration(facts, (uint64_t)bytes_u32le(bytes) * bytes_u32le(bytes + 16), 1000000);
    tell_size(facts, bytes_u32le(bytes + 32), bytes_u32le(bytes + 36));
}

/* The picture's own header, where no VP8X has told the size of the canvas. */
static void riff_facts_webp(struct sig_facts *facts, const char *type, uint64_t at)
{
    const uint8_t *bytes = tell_bytes(facts, at, 10);

    if (bytes == NULL)
        return;
    if (riff_facts_is(type, "VP8X")) {
        tell_size(facts, 1 + (bytes_u32le(bytes + 4) & 0xffffff),
                  1 + (bytes_u32le(bytes + 6) >> 8));
    } else if (riff_facts_is(type, "VP8 ")) {
        if (memcmp(bytes + 3, "\x9d\x01\x2a", 3) == 0)
            tell_size(facts, bytes_u16le(bytes + 6) & 0x3fff, bytes_u16le(bytes + 8) & 0x3fff);
    } else if (bytes[0] == 0x2f) {
        const uint32_t bits = bytes_u32le(bytes + 1);

        tell_size(facts, 1 + (bits & 0x3fff), 1 + (bits >> 14 & 0x3fff));
    }
}

static void riff_facts_exif(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    const uint8_t *bytes = len > 6 ? tell_bytes(facts, at, 6) : NULL;
    const uint32_t skip = bytes != NULL && memcmp(bytes, "Exif\0\0", 6) == 0 ? 6 : 0;

    if (bytes != NULL)
        exif_tell(facts, at + skip, len - skip, false);
}

/* A chunk that is none of chunks; len bytes at object offset at. */
static void riff_facts_chunk(struct riff_facts_walk *walk, const char *form, const char *type,
                             uint64_t at, uint32_t len)
{
    struct sig_facts *facts = walk->facts;
    const uint8_t *bytes;

    if (riff_facts_is(form, "INFO"))
        riff_facts_info(facts, type, at, len);
    else if (riff_facts_is(type, "avih") && len >= 40)
        riff_facts_avih(facts, at);
    else if (riff_facts_is(type, "fmt ") && len >= 16 &&
             (bytes = tell_bytes(facts, at, 16)) != NULL)
        walk->byte_rate = bytes_u32le(bytes + 8);
    else if (riff_facts_is(form, "WAVE") && riff_facts_is(type, "data") && len < RIFF_DATA_EVER)
        media_duration(facts, len, walk->byte_rate);
    else if (riff_facts_is(form, "WEBP") && memcmp(type, "VP8", 3) == 0 && len >= 10)
        riff_facts_webp(facts, type, at);
    else if (riff_facts_is(form, "WEBP") && riff_facts_is(type, "EXIF"))
        riff_facts_exif(facts, at, len);
    else if (riff_facts_is(form, "WEBP") && riff_facts_is(type, "XMP "))
        xmp_tell(facts, at, len);
}

/* The chunks from `at` on, of a form or list. */
static void riff_facts_list(struct riff_facts_walk *walk, const char *form, uint64_t at,
                            uint64_t end, uint32_t depth)
{
    for (uint32_t i = 0; i < RIFF_FACTS_CHUNKS && at < end && end - at >= 8; i++) {
        const uint8_t *head = tell_bytes(walk->facts, at, 8);
        char type[4], inner[4];

        if (head == NULL)
            return;
        memcpy(type, head, 4);
        const uint32_t len = bytes_u32le(head + 4);
        const uint64_t data = at + 8, room = end - data;
        const uint8_t *name = riff_facts_is(type, "LIST") && len >= 4 && depth < RIFF_FACTS_DEPTH
                                  ? tell_bytes(walk->facts, data, 4)
                                  : NULL;
        if (name != NULL && (riff_facts_is((const char *)name, "hdrl") ||
                             riff_facts_is((const char *)name, "INFO"))) {
            memcpy(inner, name, 4);
            riff_facts_list(walk, inner, data + 4, data + (len < room ? len : room), depth + 1);
        } else if (name == NULL) {
            riff_facts_chunk(walk, form, type, data, len);
        }
        at = data + len + (len & 1);
    }
}

void riff_facts(struct sig_facts *facts)
{
    struct riff_facts_walk walk = { .facts = facts };
    const uint8_t *head = tell_bytes(facts, 0, RIFF_FACTS_HEAD);
    char form[4];

    if (head == NULL)
        return;
    memcpy(form, head + 8, 4);
    riff_facts_list(&walk, form, RIFF_FACTS_HEAD, tell_len(facts), 0);
}
