/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/matroska_facts.c - facts of Matroska and WebM files: Info and the first track
 * with pictures. Source: RFC 8794 (EBML), RFC 9559.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/media.h"
#include "signatures/video/video_facts.h"

#define MATROSKA_EPOCH INT64_C(978307200) /* seconds from 1970 to 2001 */

enum {
    MATROSKA_FACTS_ELEMENTS = 256, /* of a list, that are looked at */
    MATROSKA_FACTS_DEPTH = 6,
};

struct matroska_facts_walk {
    struct sig_facts *facts;
    uint64_t scale; /* nanoseconds of a unit */
    double duration;
    uint64_t width, height;
    bool clusters;
};

/* A number in as many bytes as its first byte says; keep: with the bits that say so. Returns its
 * bytes; 0: there is none. */
static uint32_t matroska_facts_number(struct sig_facts *facts, uint64_t at, uint64_t end, bool keep,
                                      uint64_t *out)
{
    const uint8_t *bytes = at < end ? tell_bytes(facts, at, 1) : NULL;
    uint32_t len = 1;

    if (bytes == NULL || bytes[0] == 0)
        return 0;
    for (uint8_t mark = 0x80; (bytes[0] & mark) == 0; mark >>= 1)
        len++;
    bytes = len <= end - at ? tell_bytes(facts, at, len) : NULL;
    if (bytes == NULL)
        return 0;
    *out = keep ? bytes[0] : bytes[0] & ((1u << (8 - len)) - 1u);
    for (uint32_t i = 1; i < len; i++)
        *out = *out << 8 | bytes[i];
    if (!keep && *out == (UINT64_C(1) << (7 * len)) - 1)
        *out = UINT64_MAX; /* of unknown size */
    return len;
}

static uint64_t matroska_facts_uint(struct sig_facts *facts, uint64_t at, uint64_t len)
{
    const uint8_t *bytes = len >= 1 && len <= 8 ? tell_bytes(facts, at, (uint32_t)len) : NULL;
    uint64_t value = 0;

    for (uint32_t i = 0; bytes != NULL && i < len; i++)
        value = value << 8 | bytes[i];
    return value;
}

static double matroska_facts_float(struct sig_facts *facts, uint64_t at, uint64_t len)
{
    const uint64_t bits = matroska_facts_uint(facts, at, len);
    const uint32_t half = (uint32_t)bits;
    double wide = 0;
    float narrow = 0;

    if (len == 8)
        memcpy(&wide, &bits, sizeof wide);
    else if (len == 4)
        memcpy(&narrow, &half, sizeof narrow);
    return len == 8 ? wide : (double)narrow;
}

static void matroska_facts_text(struct sig_facts *facts, enum sig_fact_key key, uint64_t at,
                                uint64_t len)
{
    const uint32_t want = len < SIG_FACT_LEN ? (uint32_t)len : SIG_FACT_LEN;
    const uint8_t *bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;

    if (bytes != NULL)
        tell_text(facts, key, bytes, want);
}

static void matroska_facts_element(struct matroska_facts_walk *walk, uint64_t id, uint64_t at,
                                   uint64_t len)
{
    struct sig_facts *facts = walk->facts;

    switch (id) {
    case 0x2ad7b1: /* TimestampScale */
        walk->scale = matroska_facts_uint(facts, at, len);
        break;
    case 0x4489: /* Duration */
        walk->duration = matroska_facts_float(facts, at, len);
        break;
    case 0x4461: /* DateUTC: nanoseconds since 2001 */
        if (len == 8) {
            const int64_t ns = (int64_t)matroska_facts_uint(facts, at, len);

            tell_moment(facts, SIG_FACT_CREATED, ns / 1000000000 + MATROSKA_EPOCH);
        }
        break;
    case 0x7ba9:
        matroska_facts_text(facts, SIG_FACT_TITLE, at, len);
        break;
    case 0x5741: /* WritingApp */
        matroska_facts_text(facts, SIG_FACT_SOFTWARE, at, len);
        break;
    case 0xb0: /* PixelWidth */
        walk->width = walk->width == 0 ? matroska_facts_uint(facts, at, len) : walk->width;
        break;
    case 0xba:
        walk->height = walk->height == 0 ? matroska_facts_uint(facts, at, len) : walk->height;
        break;
    case 0x1f43b675: /* Cluster: all that is looked for stands before it */
        walk->clusters = true;
        break;
    default:
        break;
    }
}

static bool matroska_facts_is_list(uint64_t id)
{
    /* Segment, Info, Tracks, TrackEntry, Video */
    return id == 0x18538067 || id == 0x1549a966 || id == 0x1654ae6b || id == 0xae || id == 0xe0;
}

static void matroska_facts_list(struct matroska_facts_walk *walk, uint64_t at, uint64_t end,
                                uint32_t depth)
{
    for (uint32_t i = 0; i < MATROSKA_FACTS_ELEMENTS && at < end && !walk->clusters; i++) {
        uint64_t id = 0, len = 0;
        const uint32_t id_len = matroska_facts_number(walk->facts, at, end, true, &id);
        const uint32_t size_len =
            id_len > 0 && id_len <= 4
                ? matroska_facts_number(walk->facts, at + id_len, end, false, &len)
                : 0;

        if (size_len == 0)
            return;
        at += id_len + size_len;
        len = len < end - at ? len : end - at;
        if (matroska_facts_is_list(id) && depth < MATROSKA_FACTS_DEPTH)
            matroska_facts_list(walk, at, at + len, depth + 1);
        else
            matroska_facts_element(walk, id, at, len);
        at += len;
    }
}

void matroska_facts(struct sig_facts *facts)
{
    struct matroska_facts_walk walk = { .facts = facts, .scale = 1000000 };

    matroska_facts_list(&walk, 0, tell_len(facts), 0);
    tell_size(facts, walk.width, walk.height);
    const double ns = walk.duration * (double)walk.scale;
    if (ns >= 0 && ns < 3e19 && walk.scale < UINT64_C(1) << 40)
        media_duration(facts, (uint64_t)(ns / 1000 + 0.5), 1000000);
}
