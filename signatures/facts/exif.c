/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/exif.c - see exif.h. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"

enum {
    EXIF_ENTRIES_MAX = 256, /* of a directory; real ones have some dozen */
    EXIF_ENTRY = 12,        /* bytes */
    EXIF_DATE = 32,         /* bytes of a date that are looked at */
    EXIF_ZONE = 8,
    EXIF_E7 = 10000000, /* parts of a degree */
};

enum exif_type { EXIF_BYTE = 1, EXIF_ASCII, EXIF_SHORT, EXIF_LONG, EXIF_RATIONAL };

/* A text that comes before or behind what it belongs to. */
struct exif_word {
    char text[EXIF_DATE];
    uint32_t len; /* 0: there is none */
};

struct exif {
    struct sig_facts *facts;
    uint64_t base, len;
    bool big;
    bool size;    /* width and height count */
    bool reduced; /* the first directory is of a smaller picture */
    uint32_t exif_at, gps_at;
    uint32_t width, height;
    struct exif_word modified, taken, created, modified_zone, taken_zone, created_zone;
    struct exif_word gps_day;
    bool south, west, below;
    bool has_lat, has_lon, has_alt, has_clock;
    int64_t lat, lon, alt; /* degrees times 10^7, millimetres */
    uint32_t clock[3];
};

struct exif_entry {
    uint32_t tag, type, count;
    uint64_t at; /* object offset of its value */
};

static uint32_t exif_u16(const struct exif *exif, const uint8_t *p)
{
    return exif->big ? bytes_u16be(p) : bytes_u16le(p);
}

static uint32_t exif_u32(const struct exif *exif, const uint8_t *p)
{
    return exif->big ? bytes_u32be(p) : bytes_u32le(p);
}

/* len bytes at offset `at` of the structure. */
static const uint8_t *exif_bytes(const struct exif *exif, uint64_t at, uint32_t len)
{
    return at <= exif->len && len <= exif->len - at ? tell_bytes(exif->facts, exif->base + at, len)
                                                    : NULL;
}

/* A text's bytes, SIG_FACT_LEN at most. */
static const uint8_t *exif_value(const struct exif *exif, const struct exif_entry *entry,
                                 uint32_t *len)
{
    *len = entry->count < SIG_FACT_LEN ? entry->count : SIG_FACT_LEN;
    return *len > 0 ? exif_bytes(exif, entry->at, *len) : NULL;
}

static void exif_text(const struct exif *exif, const struct exif_entry *entry,
                      enum sig_fact_key key)
{
    uint32_t len;
    const uint8_t *text = entry->type == EXIF_ASCII ? exif_value(exif, entry, &len) : NULL;

    if (text != NULL)
        tell_text(exif->facts, key, text, len);
}

/* Texts of Windows: UTF-16, as bytes. */
static void exif_wide(const struct exif *exif, const struct exif_entry *entry,
                      enum sig_fact_key key)
{
    uint32_t len;
    const uint8_t *text = entry->type == EXIF_BYTE ? exif_value(exif, entry, &len) : NULL;

    if (text != NULL)
        tell_utf16(exif->facts, key, text, len, false);
}

static void exif_word(const struct exif *exif, const struct exif_entry *entry,
                      struct exif_word *word)
{
    const uint32_t len = entry->count < EXIF_DATE ? entry->count : EXIF_DATE;
    const uint8_t *text =
        entry->type == EXIF_ASCII && len > 0 ? exif_bytes(exif, entry->at, len) : NULL;

    if (text == NULL)
        return;
    memcpy(word->text, text, len);
    word->len = len;
}

/* An integer of one value. */
static uint32_t exif_number(const struct exif *exif, const struct exif_entry *entry)
{
    const uint8_t *value = exif_bytes(exif, entry->at, 4);

    if (value == NULL || entry->count != 1)
        return 0;
    return entry->type == EXIF_SHORT  ? exif_u16(exif, value)
           : entry->type == EXIF_LONG ? exif_u32(exif, value)
           : entry->type == EXIF_BYTE ? value[0]
                                      : 0;
}

/*
 * Up to `most` rational numbers, each times scale; out[i] is 0 where there are fewer. False: they
 * cannot be read, or the first has no value.
 */
static bool exif_rationals(const struct exif *exif, const struct exif_entry *entry, uint32_t most,
                           uint32_t scale, int64_t *out)
{
    const uint32_t count = entry->count < most ? entry->count : most;
    const uint8_t *value =
        entry->type == EXIF_RATIONAL && count > 0 ? exif_bytes(exif, entry->at, 8 * count) : NULL;

    for (uint32_t i = 0; i < most; i++)
        out[i] = 0;
    for (uint32_t i = 0; value != NULL && i < count; i++) {
        const uint64_t top = exif_u32(exif, value + (size_t)8 * i);
        const uint64_t bottom = exif_u32(exif, value + (size_t)8 * i + 4);

        if (bottom == 0 && i == 0)
            return false;
        if (bottom != 0)
            out[i] = (int64_t)((top * scale + bottom / 2) / bottom); /* below 2^32 * 10^7 */
    }
    return value != NULL;
}

/* Degrees, minutes and seconds. */
static bool exif_angle(const struct exif *exif, const struct exif_entry *entry, int64_t most,
                       int64_t *out)
{
    int64_t parts[3];

    if (!exif_rationals(exif, entry, 3, EXIF_E7, parts) || parts[0] > most * EXIF_E7 ||
        parts[1] > INT64_C(60) * EXIF_E7 || parts[2] > INT64_C(3600) * EXIF_E7)
        return false;
    *out = (parts[0] * 3600 + parts[1] * 60 + parts[2] + 1800) / 3600;
    return *out <= most * EXIF_E7;
}

static bool exif_letter(const struct exif *exif, const struct exif_entry *entry, char letter)
{
    const uint8_t *value =
        entry->type == EXIF_ASCII && entry->count > 0 ? exif_bytes(exif, entry->at, 1) : NULL;

    return value != NULL && (value[0] & 0xdf) == letter;
}

static void exif_first_entry(struct exif *exif, const struct exif_entry *entry)
{
    switch (entry->tag) {
    case 254:
        exif->reduced = (exif_number(exif, entry) & 1) != 0;
        break;
    case 256:
    case 0xbc80:
        exif->width = exif_number(exif, entry);
        break;
    case 257:
    case 0xbc81: /* JPEG XR */
        exif->height = exif_number(exif, entry);
        break;
    case 270:
        exif_text(exif, entry, SIG_FACT_TITLE);
        break;
    case 271:
        exif_text(exif, entry, SIG_FACT_CAMERA_MAKE);
        break;
    case 272:
        exif_text(exif, entry, SIG_FACT_CAMERA_MODEL);
        break;
    case 305:
        exif_text(exif, entry, SIG_FACT_SOFTWARE);
        break;
    case 306:
        exif_word(exif, entry, &exif->modified);
        break;
    case 315:
        exif_text(exif, entry, SIG_FACT_AUTHOR);
        break;
    case 34665:
        exif->exif_at = exif_number(exif, entry);
        break;
    case 34853:
        exif->gps_at = exif_number(exif, entry);
        break;
    case 40091:
        exif_wide(exif, entry, SIG_FACT_TITLE);
        break;
    case 40093:
        exif_wide(exif, entry, SIG_FACT_AUTHOR);
        break;
    case 40095:
        exif_wide(exif, entry, SIG_FACT_SUBJECT);
        break;
    default:
        break;
    }
}

static void exif_photo_entry(struct exif *exif, const struct exif_entry *entry)
{
    switch (entry->tag) {
    case 36867:
        exif_word(exif, entry, &exif->taken);
        break;
    case 36868:
        exif_word(exif, entry, &exif->created);
        break;
    case 36880:
        exif_word(exif, entry, &exif->modified_zone);
        break;
    case 36881:
        exif_word(exif, entry, &exif->taken_zone);
        break;
    case 36882:
        exif_word(exif, entry, &exif->created_zone);
        break;
    case 42033:
        exif_text(exif, entry, SIG_FACT_SERIAL);
        break;
    default:
        break;
    }
}

static void exif_gps_clock(struct exif *exif, const struct exif_entry *entry)
{
    int64_t parts[3];

    exif->has_clock = exif_rationals(exif, entry, 3, 1, parts) && parts[0] <= 23 &&
                      parts[1] <= 59 && parts[2] <= 59;
    for (uint32_t i = 0; exif->has_clock && i < 3; i++)
        exif->clock[i] = (uint32_t)parts[i];
}

static void exif_gps_entry(struct exif *exif, const struct exif_entry *entry)
{
    switch (entry->tag) {
    case 1:
        exif->south = exif_letter(exif, entry, 'S');
        break;
    case 2:
        exif->has_lat = exif_angle(exif, entry, 90, &exif->lat);
        break;
    case 3:
        exif->west = exif_letter(exif, entry, 'W');
        break;
    case 4:
        exif->has_lon = exif_angle(exif, entry, 180, &exif->lon);
        break;
    case 5:
        exif->below = (exif_number(exif, entry) & 1) != 0; /* 3: below the ellipsoid */
        break;
    case 6:
        exif->has_alt = exif_rationals(exif, entry, 1, 1000, &exif->alt);
        break;
    case 7:
        exif_gps_clock(exif, entry);
        break;
    case 29:
        exif_word(exif, entry, &exif->gps_day);
        break;
    default:
        break;
    }
}

static void exif_directory(struct exif *exif, uint64_t at,
                           void (*take)(struct exif *exif, const struct exif_entry *entry))
{
    static const uint8_t sizes[] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8 };
    const uint8_t *bytes = at >= 8 ? exif_bytes(exif, at, 2) : NULL;

    if (bytes == NULL)
        return;
    const uint32_t count = exif_u16(exif, bytes);
    uint8_t all[EXIF_ENTRIES_MAX * EXIF_ENTRY];
    if (count == 0 || count > EXIF_ENTRIES_MAX ||
        (bytes = exif_bytes(exif, at + 2, count * EXIF_ENTRY)) == NULL)
        return;
    memcpy(all, bytes, (size_t)count * EXIF_ENTRY);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *from = all + (size_t)i * EXIF_ENTRY;
        struct exif_entry entry = { .tag = exif_u16(exif, from),
                                    .type = exif_u16(exif, from + 2),
                                    .count = exif_u32(exif, from + 4),
                                    .at = at + 2 + (uint64_t)i * EXIF_ENTRY + 8 };

        if (entry.type == 0 || entry.type >= sizeof sizes)
            continue;
        if ((uint64_t)entry.count * sizes[entry.type] > 4)
            entry.at = exif_u32(exif, from + 8);
        take(exif, &entry);
    }
}

static void exif_date(const struct exif *exif, enum sig_fact_key key, const struct exif_word *date,
                      const struct exif_word *zone)
{
    if (date->len > 0)
        tell_date(exif->facts, key, date->text, date->len, zone->text,
                  zone->len < EXIF_ZONE ? zone->len : EXIF_ZONE);
}

/* The clock of the satellites shows UTC. */
static void exif_gps_time(const struct exif *exif)
{
    char text[EXIF_DATE];

    if (exif->gps_day.len < 10 || !exif->has_clock)
        return;
    memcpy(text, exif->gps_day.text, 10);
    text[10] = ' ';
    for (uint32_t i = 0; i < 3; i++) {
        text[11 + 3 * i] = (char)('0' + exif->clock[i] / 10);
        text[12 + 3 * i] = (char)('0' + exif->clock[i] % 10);
        text[13 + 3 * i] = i < 2 ? ':' : 'Z';
    }
    tell_date(exif->facts, SIG_FACT_GPS_TIME, text, 20, "", 0);
}

/* 0 north, 0 east is what devices write that do not know where they are. */
static void exif_place(const struct exif *exif)
{
    if (!exif->has_lat || !exif->has_lon || (exif->lat == 0 && exif->lon == 0))
        return;
    tell_scaled(exif->facts, SIG_FACT_GPS_LAT, exif->south ? -exif->lat : exif->lat, 7);
    tell_scaled(exif->facts, SIG_FACT_GPS_LON, exif->west ? -exif->lon : exif->lon, 7);
    if (exif->has_alt)
        tell_scaled(exif->facts, SIG_FACT_GPS_ALT, exif->below ? -exif->alt : exif->alt, 3);
}

void exif_tell(struct sig_facts *facts, uint64_t base, uint64_t len, bool size)
{
    struct exif exif = { .facts = facts, .base = base, .len = len, .size = size };
    const uint8_t *head = exif_bytes(&exif, 0, 8);

    if (head == NULL || (memcmp(head, "II", 2) != 0 && memcmp(head, "MM", 2) != 0))
        return;
    exif.big = head[0] == 'M';
    exif_directory(&exif, exif_u32(&exif, head + 4), exif_first_entry);
    if (exif.exif_at != 0)
        exif_directory(&exif, exif.exif_at, exif_photo_entry);
    if (exif.gps_at != 0)
        exif_directory(&exif, exif.gps_at, exif_gps_entry);
    exif_date(&exif, SIG_FACT_TAKEN, &exif.taken, &exif.taken_zone);
    exif_date(&exif, SIG_FACT_CREATED, &exif.created, &exif.created_zone);
    exif_date(&exif, SIG_FACT_MODIFIED, &exif.modified, &exif.modified_zone);
    exif_place(&exif);
    exif_gps_time(&exif);
    if (size && !exif.reduced)
        tell_size(facts, exif.width, exif.height);
}
