/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff_facts.c - facts of MP4, QuickTime and HEIF files: when the movie was
 * made, how long it is, where it was taken; the size of its first track with pictures; the Exif
 * structure of a picture.
 *
 * Sources: ISO/IEC 14496-12, 8.2.2 (mvhd), 8.3.2 (tkhd), 8.11 (meta); ISO/IEC 23008-12 (Exif
 * items, ispe); Apple, QuickTime File Format Specification (user data, metadata keys); ISO 21496-1
 * (tmap); ExifTool, QuickTime tags (those of DJI).
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/facts/media.h"
#include "signatures/video/video_facts.h"

#define ISOBMFF_EPOCH INT64_C(2082844800) /* seconds from 1904 to 1970 */

enum {
    ISOBMFF_FACTS_BOXES = 128, /* of a list, that are looked at */
    ISOBMFF_FACTS_DEPTH = 6,
    ISOBMFF_FACTS_KEYS = 64,
};

/* Metadata keys of QuickTime, numbered from 1. */
enum isobmff_word {
    ISOBMFF_PLACE = 1,
    ISOBMFF_DATE,
    ISOBMFF_MAKE,
    ISOBMFF_MODEL,
    ISOBMFF_SOFTWARE,
    ISOBMFF_TITLE,
    ISOBMFF_ARTIST,
    ISOBMFF_ALBUM,
};

struct isobmff_walk {
    struct sig_facts *facts;
    uint8_t keys[ISOBMFF_FACTS_KEYS]; /* enum isobmff_word, by number of the key - 1 */
    uint32_t exif_item;               /* 0: none */
    uint64_t exif_at, exif_len;
    uint32_t width, height; /* of the widest picture of HEIF, the last of those: others are tiles */
};

struct isobmff_span {
    uint64_t at, end; /* of a box's content */
    char type[4];
};

/* The box at `at`, inside of what ends at `end`; false: there is none. */
static bool isobmff_span_read(struct sig_facts *facts, uint64_t at, uint64_t end,
                              struct isobmff_span *box)
{
    const uint8_t *head = end - at >= 8 ? tell_bytes(facts, at, 8) : NULL;

    if (head == NULL)
        return false;
    uint64_t size = bytes_u32be(head), skip = 8;
    memcpy(box->type, head + 4, 4);
    if (size == 1) {
        head = end - at >= 16 ? tell_bytes(facts, at + 8, 8) : NULL;
        if (head == NULL)
            return false;
        size = bytes_u64be(head);
        skip = 16;
    }
    if (size == 0)
        size = end - at;
    box->at = at + skip;
    box->end = size <= end - at ? at + size : end; /* a cut file */
    return size >= skip;
}

static bool isobmff_is(const struct isobmff_span *box, const char *type)
{
    return memcmp(box->type, type, 4) == 0;
}

/* A moment in seconds since 1904. */
static void isobmff_moment(struct sig_facts *facts, enum sig_fact_key key, uint64_t seconds)
{
    if (seconds > 0 && seconds < UINT64_C(1) << 40)
        tell_moment(facts, key, (int64_t)seconds - ISOBMFF_EPOCH);
}

static void isobmff_mvhd(struct sig_facts *facts, const struct isobmff_span *box)
{
    const uint8_t *bytes = box->end - box->at >= 20 ? tell_bytes(facts, box->at, 20) : NULL;

    if (bytes == NULL)
        return;
    if (bytes[0] == 0) {
        const uint32_t units = bytes_u32be(bytes + 16);

        isobmff_moment(facts, SIG_FACT_CREATED, bytes_u32be(bytes + 4));
        isobmff_moment(facts, SIG_FACT_MODIFIED, bytes_u32be(bytes + 8));
        media_duration(facts, units != UINT32_MAX ? units : 0, bytes_u32be(bytes + 12));
        return;
    }
    bytes = box->end - box->at >= 32 ? tell_bytes(facts, box->at, 32) : NULL;
    if (bytes == NULL)
        return;
    const uint64_t units = bytes_u64be(bytes + 24);
    isobmff_moment(facts, SIG_FACT_CREATED, bytes_u64be(bytes + 4));
    isobmff_moment(facts, SIG_FACT_MODIFIED, bytes_u64be(bytes + 12));
    media_duration(facts, units != UINT64_MAX ? units : 0, bytes_u32be(bytes + 20));
}

/* Width and height are the last two numbers, with 16 bits behind the point. */
static void isobmff_tkhd(struct sig_facts *facts, const struct isobmff_span *box)
{
    const uint8_t *bytes = box->end - box->at >= 84 ? tell_bytes(facts, box->at, 1) : NULL;
    const uint64_t at = bytes != NULL && bytes[0] == 1 ? box->at + 88 : box->at + 76;

    bytes =
        bytes != NULL && box->end - box->at >= at - box->at + 8 ? tell_bytes(facts, at, 8) : NULL;
    if (bytes != NULL)
        tell_size(facts, bytes_u32be(bytes) >> 16, bytes_u32be(bytes + 4) >> 16);
}

/* User data of QuickTime: u16 length | u16 language | text. */
static void isobmff_user(struct sig_facts *facts, const struct isobmff_span *box)
{
    const uint64_t room = box->end - box->at;
    const uint8_t *bytes = room > 4 ? tell_bytes(facts, box->at, 4) : NULL;
    uint32_t len = bytes != NULL ? bytes_u16be(bytes) : 0;

    if (len == 0 || len > room - 4)
        return;
    len = len < SIG_FACT_LEN ? len : SIG_FACT_LEN;
    bytes = tell_bytes(facts, box->at + 4, len);
    if (bytes == NULL)
        return;
    if (isobmff_is(box, "\xa9xyz"))
        media_place(facts, bytes, len);
    else if (isobmff_is(box, "\xa9mak"))
        tell_text(facts, SIG_FACT_CAMERA_MAKE, bytes, len);
    else if (isobmff_is(box, "\xa9mod"))
        tell_text(facts, SIG_FACT_CAMERA_MODEL, bytes, len);
    else if (isobmff_is(box, "\xa9swr"))
        tell_text(facts, SIG_FACT_SOFTWARE, bytes, len);
    else if (isobmff_is(box, "\xa9"
                             "day"))
        tell_date(facts, SIG_FACT_TAKEN, (const char *)bytes, len, "", 0);
}

/* u32 version | u32 number | (u32 size | "mdta" | name)* */
static void isobmff_keys(struct isobmff_walk *walk, const struct isobmff_span *box)
{
    static const struct {
        const char *name;
        enum isobmff_word word;
    } words[] = { { "com.apple.quicktime.location.ISO6709", ISOBMFF_PLACE },
                  { "com.apple.quicktime.creationdate", ISOBMFF_DATE },
                  { "com.apple.quicktime.make", ISOBMFF_MAKE },
                  { "com.apple.quicktime.model", ISOBMFF_MODEL },
                  { "com.apple.quicktime.software", ISOBMFF_SOFTWARE } };
    uint64_t at = box->at + 8;

    for (uint32_t i = 0; i < ISOBMFF_FACTS_KEYS && at < box->end && box->end - at > 8; i++) {
        const uint8_t *bytes = tell_bytes(walk->facts, at, 4);
        const uint32_t size = bytes != NULL ? bytes_u32be(bytes) : 0;
        const uint32_t len = size > 8 && size <= box->end - at && size < 128 ? size - 8 : 0;

        bytes = len > 0 ? tell_bytes(walk->facts, at + 8, len) : NULL;
        for (size_t k = 0; bytes != NULL && k < sizeof words / sizeof words[0]; k++)
            if (len == strlen(words[k].name) && memcmp(bytes, words[k].name, len) == 0)
                walk->keys[i] = (uint8_t)words[k].word;
        if (size < 8)
            return;
        at += size;
    }
}

/* What a box of ilst is about: the key of its number, or the name that iTunes gave it. */
static uint8_t isobmff_word_of(const struct isobmff_walk *walk, const struct isobmff_span *item)
{
    static const struct {
        const char *type;
        enum isobmff_word word;
    } words[] = { { "\xa9nam", ISOBMFF_TITLE },
                  { "\xa9"
                    "ART",
                    ISOBMFF_ARTIST },
                  { "\xa9"
                    "alb",
                    ISOBMFF_ALBUM },
                  { "\xa9too", ISOBMFF_SOFTWARE },
                  { "\xa9"
                    "day",
                    ISOBMFF_DATE },
                  { "\xa9xyz", ISOBMFF_PLACE } };
    const uint32_t number = bytes_u32be((const uint8_t *)item->type);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (isobmff_is(item, words[i].type))
            return (uint8_t)words[i].word;
    return number >= 1 && number <= ISOBMFF_FACTS_KEYS ? walk->keys[number - 1] : 0;
}

/* One value of ilst: its box has the number of the key as type, and in it a box "data": u32 type |
 * u32 locale | value. */
static void isobmff_value(const struct isobmff_walk *walk, const struct isobmff_span *item)
{
    static const enum sig_fact_key keys[] = {
        [ISOBMFF_MAKE] = SIG_FACT_CAMERA_MAKE,  [ISOBMFF_MODEL] = SIG_FACT_CAMERA_MODEL,
        [ISOBMFF_SOFTWARE] = SIG_FACT_SOFTWARE, [ISOBMFF_TITLE] = SIG_FACT_TITLE,
        [ISOBMFF_ARTIST] = SIG_FACT_AUTHOR,     [ISOBMFF_ALBUM] = SIG_FACT_ALBUM
    };
    const uint8_t word = isobmff_word_of(walk, item);
    struct isobmff_span data;

    if (word == 0 || !isobmff_span_read(walk->facts, item->at, item->end, &data) ||
        !isobmff_is(&data, "data") || data.end - data.at <= 8)
        return;
    const uint64_t room = data.end - data.at - 8;
    const uint32_t len = room < SIG_FACT_LEN ? (uint32_t)room : SIG_FACT_LEN;
    const uint8_t *bytes = tell_bytes(walk->facts, data.at + 8, len);
    if (bytes == NULL)
        return;
    if (word == ISOBMFF_PLACE)
        media_place(walk->facts, bytes, len);
    else if (word == ISOBMFF_DATE)
        tell_date(walk->facts, SIG_FACT_TAKEN, (const char *)bytes, len, "", 0);
    else
        tell_text(walk->facts, keys[word], bytes, len);
}

/* Items of HEIF: infe, version 2: u16 number | u16 protection | type. */
static void isobmff_item(struct isobmff_walk *walk, const struct isobmff_span *box)
{
    const uint8_t *bytes = box->end - box->at >= 12 ? tell_bytes(walk->facts, box->at, 12) : NULL;

    if (bytes != NULL && bytes[0] == 2 && memcmp(bytes + 8, "Exif", 4) == 0 && walk->exif_item == 0)
        walk->exif_item = bytes_u16be(bytes + 4);
    if (bytes != NULL && bytes[0] == 2 && memcmp(bytes + 8, "tmap", 4) == 0)
        tell_text(walk->facts, SIG_FACT_GAIN_MAP, "ISO 21496-1", strlen("ISO 21496-1"));
}

/* What a picture beside the first one is for: u32 version | URN. Apple's own gain maps say so. */
static void isobmff_auxiliary(struct sig_facts *facts, const struct isobmff_span *box)
{
    static const char name[] = "urn:com:apple:photo:2020:aux:hdrgainmap";
    const uint8_t *bytes =
        box->end - box->at >= 4 + sizeof name ? tell_bytes(facts, box->at + 4, sizeof name) : NULL;

    if (bytes != NULL && memcmp(bytes, name, sizeof name) == 0)
        tell_text(facts, SIG_FACT_GAIN_MAP, "Apple", strlen("Apple"));
}

/* The model of a drone of DJI, which has no length and language before the text. */
static void isobmff_model(struct sig_facts *facts, const struct isobmff_span *box)
{
    const uint64_t room = box->end - box->at;
    const uint32_t len = room < SIG_FACT_LEN ? (uint32_t)room : SIG_FACT_LEN;
    const uint8_t *bytes = len > 0 ? tell_bytes(facts, box->at, len) : NULL;

    if (bytes != NULL)
        tell_text(facts, SIG_FACT_CAMERA_MODEL, bytes, len);
}

static uint64_t isobmff_sized(const uint8_t **bytes, uint32_t size)
{
    const uint8_t *at = *bytes;

    *bytes += size;
    return size == 4 ? bytes_u32be(at) : size == 8 ? bytes_u64be(at) : 0;
}

/* Places of items: sizes of the fields, then for each item its extents; versions 0 and 1. */
static void isobmff_places(struct isobmff_walk *walk, const struct isobmff_span *box)
{
    const uint8_t *head = box->end - box->at >= 8 ? tell_bytes(walk->facts, box->at, 8) : NULL;
    uint64_t at = box->at + 8;

    if (head == NULL || head[0] > 1)
        return;
    const bool methods = head[0] == 1;
    const uint32_t offset_size = head[4] >> 4, len_size = head[4] & 15, base_size = head[5] >> 4,
                   index_size = methods ? head[5] & 15u : 0, count = bytes_u16be(head + 6);
    const uint32_t item = 2u + (methods ? 2 : 0) + 2 + base_size + 2;
    const uint32_t extent = index_size + offset_size + len_size;
    if ((offset_size & 3) != 0 || (len_size & 3) != 0 || (base_size & 3) != 0 || extent == 0)
        return;
    for (uint32_t i = 0; i < count && box->end - at >= item + extent; i++) {
        const uint8_t *bytes = tell_bytes(walk->facts, at, item + extent);

        if (bytes == NULL)
            return;
        const uint32_t number = bytes_u16be(bytes), method = methods ? bytes[3] & 15u : 0;
        const uint8_t *next = bytes + (methods ? 6 : 4);
        const uint64_t base = isobmff_sized(&next, base_size);
        const uint32_t extents = bytes_u16be(next);
        next += 2 + index_size;
        const uint64_t offset = isobmff_sized(&next, offset_size);
        if (number == walk->exif_item && method == 0 && extents == 1) {
            walk->exif_at = sig_add(base, offset);
            walk->exif_len = isobmff_sized(&next, len_size);
        }
        at += item + (uint64_t)extents * extent;
        if (at > box->end)
            return;
    }
}

/* The content of an Exif item: u32 offset of the TIFF structure, and so many bytes before it. */
static void isobmff_exif(const struct isobmff_walk *walk)
{
    const uint8_t *bytes = walk->exif_item != 0 && walk->exif_len > 12
                               ? tell_bytes(walk->facts, walk->exif_at, 4)
                               : NULL;

    if (bytes == NULL || bytes_u32be(bytes) > walk->exif_len - 12)
        return;
    const uint64_t skip = 4 + (uint64_t)bytes_u32be(bytes);
    exif_tell(walk->facts, walk->exif_at + skip, walk->exif_len - skip, false);
}

static void isobmff_list(struct isobmff_walk *walk, uint64_t at, uint64_t end, uint32_t depth);

/* The bytes in front of the boxes of a list; 0xff: it is none that is looked into. */
static uint32_t isobmff_lead(struct sig_facts *facts, const struct isobmff_span *box)
{
    static const char plain[][5] = { "moov", "trak", "udta", "iprp", "ipco" };

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (isobmff_is(box, plain[i]))
            return 0;
    if (isobmff_is(box, "meta")) { /* QuickTime's has no version */
        const uint8_t *bytes = box->end - box->at >= 8 ? tell_bytes(facts, box->at, 8) : NULL;

        return bytes != NULL && memcmp(bytes + 4, "hdlr", 4) == 0 ? 0 : 4;
    }
    if (isobmff_is(box, "iinf"))
        return 6;
    return 0xff;
}

static void isobmff_box(struct isobmff_walk *walk, const struct isobmff_span *box, uint32_t depth)
{
    struct sig_facts *facts = walk->facts;
    const uint32_t lead = isobmff_lead(facts, box);

    if (lead != 0xff && box->end - box->at > lead) {
        isobmff_list(walk, box->at + lead, box->end, depth + 1);
    } else if (isobmff_is(box, "mvhd")) {
        isobmff_mvhd(facts, box);
    } else if (isobmff_is(box, "tkhd")) {
        isobmff_tkhd(facts, box);
    } else if (isobmff_is(box, "ispe")) {
        const uint8_t *bytes = box->end - box->at >= 12 ? tell_bytes(facts, box->at, 12) : NULL;

        if (bytes != NULL && bytes_u32be(bytes + 4) >= walk->width) {
            walk->width = bytes_u32be(bytes + 4);
            walk->height = bytes_u32be(bytes + 8);
        }
    } else if (isobmff_is(box, "keys")) {
        isobmff_keys(walk, box);
    } else if (isobmff_is(box, "ilst")) {
        uint64_t at = box->at;
        struct isobmff_span item;

        for (uint32_t i = 0;
             i < ISOBMFF_FACTS_KEYS && isobmff_span_read(facts, at, box->end, &item);
             i++, at = item.end)
            isobmff_value(walk, &item);
    } else if (isobmff_is(box, "infe")) {
        isobmff_item(walk, box);
    } else if (isobmff_is(box, "iloc")) {
        isobmff_places(walk, box);
    } else if (isobmff_is(box, "GPMF")) {
        gopro_facts(facts, box->at, box->end);
    } else if (isobmff_is(box, "auxC")) {
        isobmff_auxiliary(facts, box);
    } else if (isobmff_is(box, "\xa9mdl")) {
        isobmff_model(facts, box);
    } else if (box->type[0] == '\xa9') {
        isobmff_user(facts, box);
    }
}

static void isobmff_list(struct isobmff_walk *walk, uint64_t at, uint64_t end, uint32_t depth)
{
    struct isobmff_span box;

    for (uint32_t i = 0; depth < ISOBMFF_FACTS_DEPTH && i < ISOBMFF_FACTS_BOXES && at < end &&
                         isobmff_span_read(walk->facts, at, end, &box);
         i++, at = box.end)
        isobmff_box(walk, &box, depth);
}

void isobmff_facts(struct sig_facts *facts)
{
    struct isobmff_walk walk = { .facts = facts };

    isobmff_list(&walk, 0, tell_len(facts), 0);
    tell_size(facts, walk.width, walk.height);
    isobmff_exif(&walk);
}
