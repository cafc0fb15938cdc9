/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/facts/test_exif.c - Exif in a JPEG file and a TIFF file, made by hand from CIPA
 * DC-008 and TIFF 6.0; numbers of dates from `date -u -d ... +%s`.
 */
#include "tests/signatures/facts/facts_of.h"

enum { ROOM = 4096, BYTE = 1, ASCII, SHORT, LONG, RATIONAL };

/* A TIFF structure that grows: entries in front, values behind. */
struct tiff {
    uint8_t bytes[ROOM];
    size_t values; /* where the next value goes */
    bool big;
};

static void u16(const struct tiff *tiff, uint8_t *at, uint32_t value)
{
    at[tiff->big ? 0 : 1] = (uint8_t)(value >> 8);
    at[tiff->big ? 1 : 0] = (uint8_t)value;
}

static void u32(const struct tiff *tiff, uint8_t *at, uint32_t value)
{
    u16(tiff, at + (tiff->big ? 0 : 2), value >> 16);
    u16(tiff, at + (tiff->big ? 2 : 0), value & 0xffff);
}

static void tiff_begin(struct tiff *tiff, bool big)
{
    *tiff = (struct tiff){ .values = 1024, .big = big };
    memcpy(tiff->bytes, big ? "MM" : "II", 2);
    u16(tiff, tiff->bytes + 2, 42);
    u32(tiff, tiff->bytes + 4, 8);
}

/* Adds entry number i of the directory at `at`; a value of more than four bytes goes behind. */
static uint8_t *tiff_entry(struct tiff *tiff, size_t at, uint32_t i, uint32_t tag, uint32_t type,
                           uint32_t count)
{
    static const uint8_t sizes[] = { 0, 1, 1, 2, 4, 8 };
    uint8_t *entry = tiff->bytes + at + 2 + 12 * (size_t)i;
    const size_t size = (size_t)count * sizes[type];
    uint8_t *value = entry + 8;

    u16(tiff, tiff->bytes + at, i + 1);
    u16(tiff, entry, tag);
    u16(tiff, entry + 2, type);
    u32(tiff, entry + 4, count);
    if (size > 4) {
        u32(tiff, value, (uint32_t)tiff->values);
        value = tiff->bytes + tiff->values;
        tiff->values += size;
        assert_true(tiff->values <= ROOM);
    }
    return value;
}

static void tiff_text(struct tiff *tiff, size_t at, uint32_t i, uint32_t tag, const char *text)
{
    const size_t len = strlen(text) + 1;

    memcpy(tiff_entry(tiff, at, i, tag, ASCII, (uint32_t)len), text, len);
}

static void tiff_number(struct tiff *tiff, size_t at, uint32_t i, uint32_t tag, uint32_t type,
                        uint32_t value)
{
    uint8_t *to = tiff_entry(tiff, at, i, tag, type, 1);

    if (type == SHORT)
        u16(tiff, to, value);
    else if (type == LONG)
        u32(tiff, to, value);
    else
        *to = (uint8_t)value;
}

static void tiff_rational(struct tiff *tiff, size_t at, uint32_t i, uint32_t tag, uint32_t count,
                          const uint32_t *values)
{
    uint8_t *to = tiff_entry(tiff, at, i, tag, RATIONAL, count);

    for (uint32_t k = 0; k < 2 * count; k++)
        u32(tiff, to + (size_t)4 * k, values[k]);
}

/* A photo's: directories at 8, 256 and 512. */
static void photo(struct tiff *tiff, bool big)
{
    static const uint32_t lat[] = { 48, 1, 51, 1, 302508, 10000 }; /* 48 51 30.2508 = 48.858403 */
    static const uint32_t lon[] = { 2, 1, 17, 1, 402480, 10000 };  /* 2 17 40.248 = 2.2945133.. */
    static const uint32_t alt[] = { 35250, 1000 }, clock[] = { 10, 1, 11, 1, 12, 1 };

    tiff_begin(tiff, big);
    tiff_number(tiff, 8, 0, 256, SHORT, 4000); /* of the thumbnail, or a leftover: not used */
    tiff_text(tiff, 8, 1, 270, "  La tour \t");
    tiff_text(tiff, 8, 2, 271, "Maker");
    tiff_text(tiff, 8, 3, 272, "Model 5");
    tiff_text(tiff, 8, 4, 305, "Firm 1.0");
    tiff_text(tiff, 8, 5, 306, "2024:05:31 12:00:01");
    tiff_text(tiff, 8, 6, 315, "\xc3\x84nne \xff");
    tiff_number(tiff, 8, 7, 34665, LONG, 256);
    tiff_number(tiff, 8, 8, 34853, LONG, 512);
    tiff_text(tiff, 256, 0, 36867, "2024:02:29 23:59:59");
    tiff_text(tiff, 256, 1, 36868, "2024:02:29 23:59:59");
    tiff_text(tiff, 256, 2, 36881, "+02:00");
    tiff_text(tiff, 256, 3, 42033, "SN-1");
    tiff_text(tiff, 512, 0, 1, "N");
    tiff_rational(tiff, 512, 1, 2, 3, lat);
    tiff_text(tiff, 512, 2, 3, "W");
    tiff_rational(tiff, 512, 3, 4, 3, lon);
    tiff_number(tiff, 512, 4, 5, BYTE, 1);
    tiff_rational(tiff, 512, 5, 6, 1, alt);
    tiff_rational(tiff, 512, 6, 7, 3, clock);
    tiff_text(tiff, 512, 7, 29, "2024:02:29");
}

/* 2024-02-29T23:59:59+02:00 is 1709243999; without a zone 1709251199; 10:11:12Z 1709201472. */
#define PHOTO                                                                                      \
    "title=La tour\ncamera.make=Maker\ncamera.model=Model 5\nsoftware=Firm 1.0\n"                  \
    "author=\xc3\x84nne \xef\xbf\xbd\nserial=SN-1\n"                                               \
    "taken=2024:02:29 23:59:59 #1709243999\ncreated.local=2024:02:29 23:59:59 #1709251199\n"       \
    "modified.local=2024:05:31 12:00:01 #1717156801\n"                                             \
    "gps.lat=48.8584030 #488584030\ngps.lon=-2.2945133 #-22945133\ngps.alt=-35.250 #-35250\n"      \
    "gps.time=2024:02:29 10:11:12Z #1709201472\n"

/* And cut, behind the date: its zone is gone. */
#define CUT "taken.local=2024:02:29 23:59:59 #1709251199\nwidth=640 #640\nheight=480 #480\n"

/* The structure in a JPEG file of 640 x 480 pixels; returns its length. */
static size_t jpeg(const struct tiff *tiff, uint8_t out[ROOM + 64])
{
    static const uint8_t frame[] = { 0xff,     0xc0,      0, 17,   8,    480 >> 8, 480 & 255,
                                     640 >> 8, 640 & 255, 3, 1,    0x22, 0,        2,
                                     0x11,     1,         3, 0x11, 1,    0xff,     0xda };
    const size_t len = 2 + 6 + tiff->values;
    size_t at = 0;

    memcpy(out, "\xff\xd8\xff\xe1", 4);
    out[4] = (uint8_t)(len >> 8);
    out[5] = (uint8_t)len;
    memcpy(out + 6, "Exif\0\0", 6);
    memcpy(out + 12, tiff->bytes, tiff->values);
    at = 12 + tiff->values;
    memcpy(out + at, frame, sizeof frame);
    return at + sizeof frame;
}

static void test_a_photo_says_when_and_where(void **unused)
{
    uint8_t file[ROOM + 64];
    struct tiff tiff;

    (void)unused;
    for (int big = 0; big < 2; big++) {
        photo(&tiff, big != 0);
        const size_t len = jpeg(&tiff, file);
        facts_are("jpg", file, len, PHOTO "width=640 #640\nheight=480 #480\n");
    }
}

/* However it is cut, no fact is another one: those that are told are among those of the whole, but
 * for the date's zone, which lies behind the date. */
static void test_a_cut_photo_says_nothing_else(void **unused)
{
    uint8_t file[ROOM + 64];
    struct tiff tiff;
    char got[16384];

    (void)unused;
    photo(&tiff, false);
    const size_t whole = jpeg(&tiff, file);
    for (size_t len = 1; len < whole; len++) {
        struct sig_facts *facts = facts_read("jpg", file, len);

        facts_print(facts, got, sizeof got);
        for (char *line = strtok(got, "\n"); line != NULL; line = strtok(NULL, "\n"))
            if (strstr(PHOTO CUT, line) == NULL)
                fail_msg("cut to %zu bytes it says %s", len, line);
        free(facts);
    }
}

static void test_a_tiff_file_has_its_size(void **unused)
{
    struct tiff tiff;

    (void)unused;
    tiff_begin(&tiff, true);
    tiff_number(&tiff, 8, 0, 256, LONG, 70000);
    tiff_number(&tiff, 8, 1, 257, SHORT, 3);
    facts_are("tiff", tiff.bytes, tiff.values, "width=70000 #70000\nheight=3 #3\n");
    tiff_begin(&tiff, false); /* the first picture is a smaller one */
    tiff_number(&tiff, 8, 0, 254, LONG, 1);
    tiff_number(&tiff, 8, 1, 256, LONG, 160);
    tiff_number(&tiff, 8, 2, 257, SHORT, 120);
    facts_are("tiff", tiff.bytes, tiff.values, "");
}

static void test_what_cannot_be_is_not_told(void **unused)
{
    static const uint32_t lat[] = { 91, 1, 0, 1, 0, 1 }, lon[] = { 2, 0, 17, 1, 40, 1 };
    static const uint32_t zero[] = { 0, 1, 0, 1, 0, 1 };
    struct tiff tiff;

    (void)unused;
    tiff_begin(&tiff, false);
    tiff_text(&tiff, 8, 0, 306, "0000:00:00 00:00:00");
    tiff_number(&tiff, 8, 1, 34853, LONG, 512);
    tiff_rational(&tiff, 512, 0, 2, 3, lat);
    tiff_rational(&tiff, 512, 1, 4, 3, lon); /* no number: its divisor is 0 */
    facts_are("tiff", tiff.bytes, tiff.values, "");
    tiff_begin(&tiff, false); /* a device that does not know where it is */
    tiff_number(&tiff, 8, 0, 34853, LONG, 512);
    tiff_rational(&tiff, 512, 0, 2, 3, zero);
    tiff_rational(&tiff, 512, 1, 4, 3, zero);
    facts_are("tiff", tiff.bytes, tiff.values, "");
    tiff_begin(&tiff, false); /* a directory in itself, and one behind the end */
    tiff_number(&tiff, 8, 0, 34665, LONG, 8);
    tiff_number(&tiff, 8, 1, 34853, LONG, 1 << 30);
    facts_are("tiff", tiff.bytes, tiff.values, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_photo_says_when_and_where),
        cmocka_unit_test(test_a_cut_photo_says_nothing_else),
        cmocka_unit_test(test_a_tiff_file_has_its_size),
        cmocka_unit_test(test_what_cannot_be_is_not_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
