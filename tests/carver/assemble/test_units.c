/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_units.c - the cut of a unit by its CRC-32, and where what follows it
 * lies: chunks of PNG pictures laid down by ISO/IEC 15948, pages of RFC 3533 and members of
 * APPNOTE.TXT, cut at known sectors; their sums are taken bit by bit here. So are frames of RFC
 * 9639, which do not say how long they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/units.h"

extern const struct sig sig_png, sig_zip, sig_ogg, sig_flac;

enum { SECTOR = 512, IMAGE = 512 * SECTOR, UNIT = 20000, FIRST = 100 * SECTOR, FRAME = 15000 };

struct image {
    uint8_t bytes[IMAGE];
    struct unread unread; /* nothing */
};

/* Any bytes, the same each time. */
static void noise(uint8_t *out, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525 + 1013904223;
        out[i] = (uint8_t)(seed >> 24);
    }
}

static struct image *image_new(void)
{
    struct image *image = calloc(1, sizeof *image);

    assert_non_null(image);
    noise(image->bytes, IMAGE, 1);
    return image;
}

static uint32_t sum_of(const uint8_t *bytes, size_t len)
{
    uint32_t sum = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static void big(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void little(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

/* A chunk of data and the head of the last one. Returns their bytes. */
static size_t chunk(uint8_t *out)
{
    const uint32_t len = UNIT - 12;

    big(out, len);
    memcpy(out + 4, "IDAT", 4);
    noise(out + 8, len, 2);
    big(out + 8 + len, sum_of(out + 4, 4 + len));
    memcpy(out + UNIT, "\0\0\0\0IEND", 8);
    return UNIT + 8;
}

/* A stored member and the head of the directory's first entry. */
static size_t member(uint8_t *out)
{
    const uint32_t size = UNIT - 34;

    memset(out, 0, 34);
    memcpy(out, "PK\3\4", 4);
    noise(out + 34, size, 3);
    little(out + 14, sum_of(out + 34, size));
    little(out + 18, size);
    little(out + 22, size);
    out[26] = 4;
    memcpy(out + UNIT, "PK\1\2", 4);
    return UNIT + 4;
}

/* What is found for a unit that lies `into` bytes into a sector; the image is released. */
static struct units find(struct image *image, const struct sig *sig, size_t into)
{
    const struct units_job job = { .sig = sig,
                                   .at = FIRST + into,
                                   .cut_first = FIRST + SECTOR,
                                   .step = SECTOR,
                                   .image_len = IMAGE };
    struct io_image *opened = NULL;
    struct splice splice;
    struct units units = { 0 };
    struct err err = { 0 };

    assert_int_equal(io_image_open_memory(image->bytes, IMAGE, &opened, &err), ERR_OK);
    assert_int_equal(splice_open(opened, &image->unread, 1, &splice, &err), ERR_OK);
    assert_int_equal(units_find(&splice, &job, &units, &err), ERR_OK);
    assert_int_equal(splice_error(&splice, NULL), ERR_OK);
    assert_true(units.read > 0 && units.read < 16 * (uint64_t)IMAGE);
    splice_close(&splice);
    io_image_close(opened);
    free(image);
    return units;
}

/* Lays a unit down in two pieces: the first one has so many sectors, the second one begins there.
 */
static struct image *laid(size_t (*unit)(uint8_t *out), size_t into, size_t sectors, size_t there)
{
    struct image *image = image_new();
    uint8_t bytes[UNIT + 64];
    const size_t len = unit(bytes), cut = sectors * SECTOR - into;

    memcpy(image->bytes + FIRST + into, bytes, cut);
    memcpy(image->bytes + there, bytes + cut, len - cut);
    return image;
}

/* Every cut is found, the first and the last ones too, behind the first piece and before it. */
static void test_cuts(void **state)
{
    static const size_t intos[] = { 0, 1, 300, 508 };

    (void)state;
    for (size_t n = 0; n < sizeof intos / sizeof intos[0]; n++)
        for (size_t sectors = 1; sectors * SECTOR - intos[n] <= UNIT - 4; sectors++)
            for (int way = 0; way < 2; way++) {
                const size_t into = intos[n], there = (way == 0 ? 200 : 3) * SECTOR;
                size_t (*const unit)(uint8_t *) = way == 0 ? chunk : member;

                if (sectors * SECTOR - into < 40)
                    continue; /* the unit's own head is elsewhere */
                const struct units units =
                    find(laid(unit, into, sectors, there), way == 0 ? &sig_png : &sig_zip, into);
                assert_int_equal(units.cut_count, 1);
                assert_true(units.summed);
                assert_int_equal(units.cuts[0].end, FIRST + sectors * SECTOR);
                assert_int_equal(units.cuts[0].begin, there);
            }
}

/* A foreign byte on either side, and no cut is right; where nothing follows, there is no shift. */
static void test_wrong(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct image *image = laid(chunk, 20, 15, 200 * SECTOR);

        image->bytes[side == 0 ? FIRST + 5000 : 200 * SECTOR + 5000] ^= 1;
        const struct units units = find(image, &sig_png, 20);
        assert_int_equal(units.shift_count, 1);
        assert_int_equal(units.cut_count, 0);
    }
    struct image *image = laid(chunk, 20, 15, 200 * SECTOR);
    memset(image->bytes + 200 * SECTOR + (UNIT - (15 * SECTOR - 20)), 0, 8);
    assert_int_equal(find(image, &sig_png, 20).shift_count, 0);
}

/* The page that follows has the same serial number and the next number of a page, over bytes too.
 */
static void test_pages(void **state)
{
    static const uint8_t page[] = "OggS\0\0\0\0\0\0\0\0\0\0abcd\xff\xff\0\0sums\4\x80\x80\x80\x80";
    struct image *image = image_new();
    uint8_t *there = image->bytes + 300 * SECTOR + 20 + 31 + 512;

    (void)state;
    memcpy(image->bytes + FIRST + 20, page, sizeof page - 1);
    for (size_t i = 0; i < 3; i++, there += 20 * SECTOR) {
        memcpy(there, page, sizeof page - 1);
        memcpy(there + 18, i == 1 ? "\0\0\1\0" : "\xfe\xff\0\0", 4);
    }
    const struct units units = find(image, &sig_ogg, 20);
    assert_int_equal(units.shift_count, 1);
    assert_int_equal(units.shifts[0], 220 * SECTOR);
    assert_false(units.summed);
}

/* An image of chunks gives no more than there is room for, and lengths are not believed. */
static void test_many(void **state)
{
    struct image *image = image_new();

    (void)state;
    for (size_t at = 4; at < IMAGE - 8; at += SECTOR)
        memcpy(image->bytes + at, "IDAT", 4);
    big(image->bytes + FIRST, SECTOR - 16);
    assert_true(find(image, &sig_png, 0).shift_count <= UNITS_SHIFTS);
    image = image_new();
    memcpy(image->bytes + FIRST, "\xff\xff\xff\xffIDAT", 8);
    const struct units_job job = { .sig = &sig_png,
                                   .at = FIRST,
                                   .cut_first = FIRST + SECTOR,
                                   .step = SECTOR,
                                   .image_len = IMAGE };
    struct io_image *opened = NULL;
    struct splice splice;
    struct units units = { 0 };
    struct err err = { 0 };
    assert_int_equal(io_image_open_memory(image->bytes, IMAGE, &opened, &err), ERR_OK);
    assert_int_equal(splice_open(opened, &image->unread, 1, &splice, &err), ERR_OK);
    assert_int_equal(units_find(&splice, &job, &units, &err), ERR_OK);
    assert_int_equal(units.shift_count, 0);
    splice_close(&splice);
    io_image_close(opened);
    free(image);
}

/* By bits, the most significant one first. */
static uint32_t frame_sum(const uint8_t *bytes, size_t len, uint32_t width, uint32_t polynomial)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < len * 8; i++) {
        const uint32_t bit = bytes[i / 8] >> (7 - i % 8) & 1, top = sum >> (width - 1) & 1;

        sum = (sum << 1 & ((1u << width) - 1)) ^ (bit != top ? polynomial : 0);
    }
    return sum;
}

/* Frame 127 of two channels, 4096 samples and 16 bits, and the head of the next one, whose number
 * has two bytes, and whose channels are coded in another way. */
static size_t frame(uint8_t *out)
{
    memcpy(out, "\xff\xf8\xc9\x18\x7f", 5);
    noise(out + 6, FRAME - 8, 4);
    out[5] = (uint8_t)frame_sum(out, 5, 8, 0x07);
    const uint32_t sum = frame_sum(out, FRAME - 2, 16, 0x8005);
    out[FRAME - 2] = (uint8_t)(sum >> 8);
    out[FRAME - 1] = (uint8_t)sum;
    memcpy(out + FRAME, "\xff\xf8\xc9\xa8\xc2\x80", 6);
    return FRAME + 6;
}

static bool has_cut(const struct units *units, uint64_t end, uint64_t begin)
{
    bool has = false;

    for (uint32_t i = 0; i < units->cut_count; i++)
        has = has || (units->cuts[i].end == end && units->cuts[i].begin == begin);
    return has;
}

/* Every cut of a frame is found, behind the first piece and before it; none where the next frame is
 * another one. */
static void test_frames(void **state)
{
    (void)state;
    for (size_t sectors = 1; sectors * SECTOR - 30 <= FRAME; sectors++)
        for (int way = 0; way < 2; way++) {
            const size_t there = (way == 0 ? 200 : 3) * SECTOR;
            const struct units units = find(laid(frame, 30, sectors, there), &sig_flac, 30);

            assert_int_equal(units.shift_count, 0);
            assert_true(has_cut(&units, FIRST + sectors * SECTOR, there));
            assert_true(units.cut_count <= 2); /* one in 65,536 comes out right */
        }
    struct image *image = laid(frame, 30, 9, 200 * SECTOR);
    image->bytes[200 * SECTOR + FRAME - (9 * SECTOR - 30) + 5] ^= 1;
    assert_int_equal(find(image, &sig_flac, 30).cut_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts), cmocka_unit_test(test_wrong),  cmocka_unit_test(test_pages),
        cmocka_unit_test(test_many), cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
