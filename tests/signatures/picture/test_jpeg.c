/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_jpeg.c - pictures written bit by bit after T.81: what is whole,
 * where it ends, and what must not pass for it.
 *
 * The pictures use Huffman tables of two and three codes, so that every bit of a scan can be worked
 * out by hand:
 *   DC: 0 = no change, 10 = three more bits of change      AC: 0 = end of block, 10 = 0/1 (one
 *                                                          bit), 110 = 15/0 (sixteen zeros)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 17 };

struct picture {
    uint8_t bytes[FILE_MAX];
    size_t len;
    uint32_t acc, bits; /* of the scan being written */
};

static void put(struct picture *p, const void *bytes, size_t len)
{
    assert_true(p->len + len <= FILE_MAX);
    memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
}
#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

/* Up to 16 bits, most significant first; 00 is stuffed behind ff. */
static void put_bits(struct picture *p, uint32_t value, uint32_t count)
{
    p->acc = p->acc << count | value;
    p->bits += count;
    while (p->bits >= 8) {
        const uint8_t byte = (uint8_t)(p->acc >> (p->bits - 8));

        put(p, &byte, 1);
        if (byte == 0xff)
            PUT(p, "\0");
        p->bits -= 8;
    }
}

static void end_bits(struct picture *p)
{
    if (p->bits > 0)
        put_bits(p, (1u << (8 - p->bits)) - 1, 8 - p->bits);
}

static void put_head(struct picture *p, uint8_t sof, uint32_t width, uint32_t height,
                     uint8_t components)
{
    const uint8_t frame[] = { 0xff,
                              sof,
                              0,
                              (uint8_t)(8 + 3 * components),
                              8,
                              (uint8_t)(height >> 8),
                              (uint8_t)height,
                              (uint8_t)(width >> 8),
                              (uint8_t)width,
                              components };
    const uint8_t quantisation[] = { 0xff, 0xdb, 0, 67, 0 };
    uint8_t ones[64];

    memset(p, 0, sizeof *p);
    memset(ones, 1, sizeof ones);
    PUT(p, "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0");
    put(p, quantisation, sizeof quantisation);
    put(p, ones, sizeof ones);
    put(p, frame, sizeof frame);
    for (uint8_t i = 1; i <= components; i++) {
        const uint8_t component[] = { i, 0x11, 0 };
        put(p, component, sizeof component);
    }
    PUT(p, "\xff\xc4\0\x15\x00\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3");
    PUT(p, "\xff\xc4\0\x16\x10\1\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\xf0");
}

static void put_gray_sos(struct picture *p)
{
    PUT(p, "\xff\xda\0\x08\1\1\0\0\x3f\0");
}

/* A block that is different for different n: DC goes up and down by 4 or stays, n % 7 AC
 * coefficients. */
static void put_block(struct picture *p, uint32_t n)
{
    if (n % 4 == 1)
        put_bits(p, 2 << 3 | 4, 5);
    else if (n % 4 == 3)
        put_bits(p, 2 << 3 | 3, 5);
    else
        put_bits(p, 0, 1);
    for (uint32_t i = 0; i < n % 7; i++)
        put_bits(p, 2 << 1 | (n >> i & 1), 3);
    put_bits(p, 0, 1);
}

/* side x side pixels of gray, baseline. */
static void make_gray(struct picture *p, uint32_t side)
{
    put_head(p, 0xc0, side, side, 1);
    put_gray_sos(p);
    for (uint32_t n = 0; n < (side / 8) * (side / 8); n++)
        put_block(p, n);
    end_bits(p);
    PUT(p, "\xff\xd9");
}

/* DC of all blocks, then the AC of all blocks, then one more bit of each AC: what libjpeg calls
 * spectral selection and refinement. */
static void make_progressive(struct picture *p, uint32_t side, const char *refinement,
                             size_t refinement_len)
{
    const uint32_t blocks = (side / 8) * (side / 8);

    put_head(p, 0xc2, side, side, 1);
    PUT(p, "\xff\xda\0\x08\1\1\0\0\0\0");
    for (uint32_t n = 0; n < blocks; n++)
        put_bits(p, n % 4 == 1 ? 2 << 3 | 4 : n % 4 == 3 ? 2 << 3 | 3 : 0, n % 2 == 1 ? 5 : 1);
    end_bits(p);
    /* 0 = 0/0, 10 = 0/1, 110 = 2/0: the end of four to seven blocks, two bits say how many */
    PUT(p, "\xff\xc4\0\x16\x10\1\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x20");
    PUT(p, "\xff\xda\0\x08\1\1\0\1\x3f\1");
    for (uint32_t n = 0; n < blocks;) {
        for (uint32_t i = 0; i < n % 5; i++)
            put_bits(p, 2 << 1 | (n >> i & 1), 3);
        if (blocks - n >= 5 && n % 3 == 0) {
            put_bits(p, 6 << 2 | 1, 5); /* this block and four more */
            n += 5;
        } else {
            put_bits(p, 0, 1);
            n++;
        }
    }
    end_bits(p);
    PUT(p, "\xff\xda\0\x08\1\1\0\1\x3f\x10");
    put(p, refinement, refinement_len);
    PUT(p, "\xff\xd9");
}

static struct harness_verdict check(const struct picture *p)
{
    return harness_check(harness_sig("jpg"), p->bytes, p->len);
}

static void assert_complete(const struct picture *p, size_t len)
{
    const struct harness_verdict v = check(p);

    assert_true(harness_header_matches(harness_sig("jpg"), p->bytes, p->len));
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
}

static void put_u32le(struct picture *p, uint32_t value)
{
    const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24) };

    put(p, bytes, sizeof bytes);
}

enum { LIST_LEN = 2 + 2 + 4 + 8 + 2 + 12 + 4 + 32, LIST_BASE = 2 + 2 + 2 + 4 };

/* A picture with a list (CIPA DC-007) of itself and another one, which is said to stand `gap` bytes
 * behind it. Gives the first one's length. */
static size_t make_listed(struct picture *p, uint32_t gap)
{
    static struct picture first, second;

    make_gray(&first, 512);
    make_gray(&second, 128);
    const size_t first_len = first.len + LIST_LEN;
    memset(p, 0, sizeof *p);
    PUT(p, "\xff\xd8\xff\xe2");
    const uint8_t len[] = { 0, LIST_LEN - 2 };
    put(p, len, sizeof len);
    PUT(p, "MPF\0II*\0\x08\0\0\0\1\0\x02\xb0\7\0\x20\0\0\0\x1a\0\0\0\0\0\0\0");
    put_u32le(p, 0x20030000);
    put_u32le(p, (uint32_t)first_len);
    put_u32le(p, 0);
    put_u32le(p, 0);
    put_u32le(p, 0x10001);
    put_u32le(p, (uint32_t)second.len);
    put_u32le(p, (uint32_t)first_len + gap - LIST_BASE);
    put_u32le(p, 0);
    put(p, first.bytes + 2, first.len - 2);
    assert_int_equal(p->len, first_len);
    p->len += gap;
    put(p, second.bytes, second.len);
    return first_len;
}

/* Pieces of one picture that fit each other byte by byte, with some left out: only its blocks tell.
 */
static void a_short_scan_is_decoded(void **state)
{
    static struct picture p;
    enum { SIDE = 672, AT = 4096, LEFT_OUT = 512 };
    uint32_t noise = 12345;

    (void)state;
    put_head(&p, 0xc0, SIDE, SIDE, 1);
    put_gray_sos(&p);
    for (uint32_t n = 0; n < SIDE / 8 * (SIDE / 8); n++) {
        noise = noise * 1664525 + 1013904223;
        put_block(&p, (noise >> 8 & ~3u) | (n & 3));
    }
    end_bits(&p);
    PUT(&p, "\xff\xd9");
    assert_in_range(p.len, 8 << 10, 15 << 10);
    assert_complete(&p, p.len);
    memmove(p.bytes + AT, p.bytes + AT + LEFT_OUT, p.len - AT - LEFT_OUT);
    memset(p.bytes + p.len - LEFT_OUT, 0,
           LEFT_OUT); /* and zeros behind, as behind the end of a file */
    assert_int_equal(check(&p).result.verdict, SIG_BREAKS);
}

/* An Exif segment whose maker note says that a picture of size bytes is behind this one, after gap
 * bytes. */
static void make_preview(struct picture *p, size_t gap, bool big)
{
    static struct picture first, second;
    enum { EXIF_LEN = 4 + 6 + 8 + 24 };

    make_gray(&first, 64);
    make_gray(&second, 8);
    memset(p, 0, sizeof *p);
    PUT(p, "\xff\xd8\xff\xe1");
    const uint8_t len[] = { 0, EXIF_LEN - 2 };
    put(p, len, sizeof len);
    PUT(p, "Exif\0\0");
    const uint32_t values[] = { (uint32_t)(first.len + EXIF_LEN + gap - 12), (uint32_t)second.len };
    put(p, big ? "MM\0*\0\0\0\10" : "II*\0\10\0\0", 8);
    for (uint8_t i = 0; i < 2; i++) {
        const uint8_t tag = (uint8_t)(0x88 + i);
        const uint8_t entry[2][8] = { { tag, 0, 4, 0, 1, 0, 0, 0 }, { 0, tag, 0, 4, 0, 0, 0, 1 } };

        put(p, entry[big], 8);
        if (big) {
            const uint8_t value[] = { 0, 0, (uint8_t)(values[i] >> 8), (uint8_t)values[i] };
            put(p, value, 4);
        } else {
            put_u32le(p, values[i]);
        }
    }
    put(p, first.bytes + 2, first.len - 2);
    p->len += gap;
    put(p, second.bytes, second.len);
    p->bytes[p->len - second.len] = 2; /* as Minolta's cameras do */
}

static void a_preview_behind_belongs_to_the_file(void **state)
{
    static struct picture p;

    (void)state;
    for (int big = 0; big < 2; big++) {
        make_preview(&p, 300, big);
        const size_t len = p.len;
        PUT(&p, "what comes behind it");
        assert_complete(&p, len);
        make_preview(&p, 300, big); /* none is there */
        memset(p.bytes + len - 50, 0x55, 50);
        assert_true(check(&p).result.len < len - 300);
    }
}

static void pictures_of_a_list_belong_to_the_file(void **state)
{
    static struct picture p;

    (void)state;
    make_listed(&p, 0);
    const size_t len = p.len;
    PUT(&p, "what comes behind it");
    assert_complete(&p, len);
    make_listed(&p, 300);
    assert_complete(&p, p.len);
}

static void pictures_that_are_not_where_the_list_says_do_not(void **state)
{
    static struct picture p;

    (void)state;
    size_t first = make_listed(&p, 0);
    p.bytes[first] ^= 0xff; /* none at all */
    assert_complete(&p, first);
    first = make_listed(&p, 0);
    p.len = first + 200; /* cut off */
    assert_complete(&p, first);
    first = make_listed(&p, 0);
    memset(p.bytes + p.len - 40, 0xff, 30); /* broken */
    assert_complete(&p, first);
    first = make_listed(&p, 0);
    p.len = first; /* left out by an editor */
    assert_complete(&p, first);
}

static void a_whole_picture_is_complete_up_to_its_eoi(void **state)
{
    static struct picture p;

    (void)state;
    make_gray(&p, 512);
    const size_t len = p.len;
    assert_complete(&p, len);
    PUT(&p, "\xff\xd8\xff\xe0 what follows, another picture even, is not a part of it \xff\xd9");
    assert_complete(&p, len);
}

/* A thumbnail inside of APP1 has an EOI of its own. */
static void a_thumbnail_is_not_the_end(void **state)
{
    static struct picture p, outer;

    (void)state;
    make_gray(&p, 64);
    const uint8_t app1[] = {
        0xff, 0xd8, 0xff, 0xe1, (uint8_t)((p.len + 2) >> 8), (uint8_t)(p.len + 2)
    };
    outer.len = 0;
    put(&outer, app1, sizeof app1);
    put(&outer, p.bytes, p.len);
    make_gray(&p, 256);
    put(&outer, p.bytes + 2, p.len - 2);
    assert_complete(&outer, outer.len);
}

static void make_restarts(struct picture *p, uint32_t first, uint32_t step)
{
    put_head(p, 0xc0, 256, 256, 1);
    PUT(p, "\xff\xdd\0\4\0\x20"); /* every 32 blocks: one row */
    put_gray_sos(p);
    for (uint32_t row = 0; row < 32; row++) {
        for (uint32_t n = 0; n < 32; n++)
            put_block(p, row + n);
        end_bits(p);
        if (row < 31) {
            const uint8_t restart[] = { 0xff, (uint8_t)(0xd0 + (first + row * step) % 8) };
            put(p, restart, 2);
        }
    }
    PUT(p, "\xff\xd9");
}

static void restart_markers_come_in_their_order(void **state)
{
    static struct picture p;

    (void)state;
    make_restarts(&p, 0, 1);
    assert_complete(&p, p.len);
    make_restarts(&p, 1, 1);
    assert_int_equal(check(&p).result.verdict, SIG_REJECT);
    make_restarts(&p, 0, 2);
    assert_int_equal(check(&p).result.verdict, SIG_REJECT);
}

static void restart_markers_need_an_interval(void **state)
{
    static struct picture p;

    (void)state;
    make_restarts(&p, 0, 1);
    uint8_t *interval = memmem(p.bytes, p.len, "\xff\xdd\0\4\0\x20", 6);
    assert_non_null(interval);
    interval[5] = 0;
    assert_int_equal(check(&p).result.verdict, SIG_REJECT);
}

static void the_image_ends_before_the_picture(void **state)
{
    static struct picture p;

    (void)state;
    make_gray(&p, 512);
    p.len = 1800;
    const struct harness_verdict v = check(&p);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 1800);
    p.len = 500;
    assert_int_equal(check(&p).result.verdict, SIG_REJECT);
}

static void a_header_with_other_content_behind_it_is_refused(void **state)
{
    static struct picture p;
    size_t cut;

    (void)state;
    for (cut = 3; cut < 200; cut += 13) {
        make_gray(&p, 512);
        for (size_t i = cut; i < p.len; i++)
            p.bytes[i] = (uint8_t)(i * i * 31 >> 3 ^ 0xff);
        assert_int_equal(check(&p).result.verdict, SIG_REJECT);
    }
}

/* MCUs of six blocks: 2 x 2 of the first component, one each of the others. 20 x 20 pixels are 2 x
 * 2 MCUs. */
static void components_share_mcus(void **state)
{
    static struct picture p;

    (void)state;
    for (uint32_t blocks = 23; blocks <= 25; blocks++) {
        put_head(&p, 0xc0, 20, 20, 3);
        p.bytes[100] = 0x22;
        PUT(&p, "\xff\xda\0\x0c\3\1\0\2\0\3\0\0\x3f\0");
        for (uint32_t n = 0; n < blocks; n++)
            for (uint32_t i = 0; i < 64; i++)
                put_bits(&p, i == 0 ? 0 : 2 << 1 | (i & 1), i == 0 ? 1 : 3);
        end_bits(&p);
        PUT(&p, "\xff\xd9");
        if (blocks == 24)
            assert_complete(&p, p.len);
        else
            assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
    }
}

static void a_scan_has_exactly_its_blocks(void **state)
{
    static struct picture p;

    (void)state;
    for (uint32_t blocks = 4094; blocks <= 4098;
         blocks += 2) { /* one block less or more may be the bits of padding */
        put_head(&p, 0xc0, 512, 512, 1);
        put_gray_sos(&p);
        for (uint32_t n = 0; n < blocks; n++)
            put_block(&p, n);
        end_bits(&p);
        PUT(&p, "\xff\xd9");
        assert_true((check(&p).result.verdict == SIG_COMPLETE) == (blocks == 4096));
    }
}

/* Whatever stands in the middle, it is seen, and dated to its sector where it does not decode. */
static void other_data_in_the_middle_is_no_whole_picture(void **state)
{
    static struct picture p;

    (void)state;
    for (int fill = 0; fill < 4; fill++) {
        make_gray(&p, 512);
        assert_true(p.len > 5000);
        for (size_t i = 2048; i < 2048 + 1024; i++) {
            const uint8_t bytes[] = { 0, (uint8_t) "some text or other, "[i % 20],
                                      (uint8_t)(i * i * 37 >> 3), 0xee };
            p.bytes[i] = bytes[fill];
        }
        const struct harness_verdict v = check(&p);
        assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
        if (fill == 3) { /* 1110…: no code */
            assert_int_equal(v.result.verdict, SIG_BREAKS);
            assert_int_equal(v.result.len, 2048);
        }
    }
}

/* Scans of more than 16 KiB are not decoded as long as nothing looks odd. */
static void a_long_scan_is_told_whole_from_broken(void **state)
{
    static struct picture p;

    (void)state;
    make_gray(&p, 1024);
    const size_t len = p.len;
    assert_true(len > 20000);
    assert_complete(&p, len);
    memset(p.bytes + p.len, 0, 1000);
    p.len += 1000;
    assert_complete(&p, len);
    for (int fill = 0; fill < 4; fill++) {
        uint32_t noise = 12345;

        make_gray(&p, 1024);
        for (size_t i = 8192; i < 8192 + 2048; i++) {
            noise = noise * 1664525 + 1013904223;
            const uint8_t bytes[] = { 0, (uint8_t) "some text or other, "[i % 20],
                                      (uint8_t)(noise >> 24), 0xee };
            p.bytes[i] = bytes[fill];
        }
        assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
    }
}

/* Random bytes hold an EOI now and then; what is behind it is no picture's end. */
static void an_eoi_in_the_middle_of_other_data_is_no_end(void **state)
{
    static struct picture p;
    uint32_t noise = 12345;

    (void)state;
    make_gray(&p, 1024);
    for (size_t i = 18432; i < p.len; i++) {
        noise = noise * 1664525 + 1013904223;
        p.bytes[i] = (uint8_t)(noise >> 24 == 0xff ? 0xfe : noise >> 24);
    }
    memcpy(p.bytes + 18432 + 100, "\xff\xd9", 2);
    assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
}

/* Each 5 bits 10 100 add 4 to the DC; beyond what eight bits of brightness give, the data is not a
 * picture's. */
static void the_mean_of_a_block_stays_in_range(void **state)
{
    static struct picture p;

    (void)state;
    put_head(&p, 0xc0, 512, 512, 1);
    put_gray_sos(&p);
    for (uint32_t n = 0; n < 4096; n++)
        put_bits(&p, (2 << 3 | 7) << 1, 6); /* + 7 */
    end_bits(&p);
    PUT(&p, "\xff\xd9");
    assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
}

static void a_restart_marker_behind_the_last_interval_is_tolerated(void **state)
{
    static struct picture p;

    (void)state;
    make_restarts(&p, 0, 1);
    p.len -= 2;
    PUT(&p, "\xff\xd7\xff\xd9"); /* 31 restarts were before: the next is number 7 */
    assert_complete(&p, p.len);
}

static void restart_markers_prove_what_is_before_them(void **state)
{
    static struct picture p;
    size_t at = 0;

    (void)state;
    make_restarts(&p, 0, 1);
    for (uint32_t n = 0; n <= 30; n++) {
        const uint8_t restart[] = { 0xff, (uint8_t)(0xd0 + n % 8) };
        const uint8_t *found = memmem(p.bytes + at, p.len - at, restart, 2);
        assert_non_null(found);
        at = (size_t)(found - p.bytes) + 2;
    }
    assert_true(at > 1024);
    memmove(p.bytes + at + 1, p.bytes + at + 9,
            p.len - at - 9); /* some blocks less in the last row */
    p.len -= 8;
    const struct harness_verdict v = check(&p);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_true(v.result.len >= at && v.result.len < at + 512);
}

static void progressive_pictures(void **state)
{
    static struct picture p;
    static char refinement[3000];

    (void)state;
    for (size_t i = 0; i < sizeof refinement; i++)
        refinement[i] =
            (char)((i * i >> 3 ^ i * 5) & 0xff) == (char)0xff ? 0x7e : (char)(i * i >> 3 ^ i * 5);
    make_progressive(&p, 256, refinement, sizeof refinement);
    assert_complete(&p, p.len);
    memset(refinement + 1000, 0, 1000); /* refinements are not decoded, but look random */
    make_progressive(&p, 256, refinement, sizeof refinement);
    assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
    for (size_t i = 1000; i < 2000; i++)
        refinement[i] = "A line of text. "[i % 16];
    make_progressive(&p, 256, refinement, sizeof refinement);
    assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
    memset(refinement + 1000, 0x56, 1000); /* 0, 101, 0, 110 of every block: a flat area */
    make_progressive(&p, 256, refinement, sizeof refinement);
    assert_complete(&p, p.len);
}

/* A band twice, a band before DC, a refinement of what has not been coded, DC and AC together. */
static void progressive_scans_come_in_order(void **state)
{
    static const char *const scans[] = { "\0\0\0", "\1\x3f\1", "\1\x3f\x21", "\0\x3f\1", "\5\4\1" };
    static struct picture p;

    (void)state;
    for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++) {
        make_progressive(&p, 256, "\x80\x80", 2);
        uint8_t *last = memmem(p.bytes, p.len, "\xff\xda\0\x08\1\1\0\1\x3f\x10", 10);
        assert_non_null(last);
        memcpy(last + 7, scans[i], 3);
        assert_int_not_equal(check(&p).result.verdict, SIG_COMPLETE);
    }
}

/* An end on a sector, before the bits of all coefficients, is another file's; one elsewhere is
 * believed. */
static void a_progressive_picture_has_all_of_its_bits(void **state)
{
    static struct picture p, padded;

    (void)state;
    make_progressive(&p, 256, "\x80\x80", 2);
    const uint8_t *last = memmem(p.bytes, p.len, "\xff\xda\0\x08\1\1\0\1\x3f\x10", 10);
    assert_non_null(last);
    const size_t rest = (size_t)(last - p.bytes) - 2;
    for (uint32_t aside = 0; aside < 2; aside++) {
        const uint32_t comment = 1024 - (uint32_t)(rest + 2 + 2) % 512 + aside;
        const uint8_t head[] = { 0xff, 0xfe, (uint8_t)(comment >> 8), (uint8_t)comment };
        static const uint8_t text[2048] = { 'x' };

        memset(&padded, 0, sizeof padded);
        put(&padded, p.bytes, 2);
        put(&padded, head, sizeof head);
        put(&padded, text, comment - 2);
        put(&padded, p.bytes + 2, rest);
        assert_int_equal(padded.len % 512, aside);
        PUT(&padded, "\xff\xd9");
        const struct harness_verdict v = check(&padded);
        assert_int_equal(v.result.verdict, aside == 0 ? SIG_BREAKS : SIG_COMPLETE);
        assert_int_equal(v.result.len, aside == 0 ? padded.len - 2 : padded.len);
    }
}

/* Offsets are those of put_head: DQT at 20, SOF at 89, DHT at 102 and 125, SOS at 149. */
static void segments_that_cannot_be_are_refused(void **state)
{
    static const struct {
        uint16_t at;
        uint8_t value;
    } faults[] = { { 24, 0x25 },  { 24, 0x04 }, { 23, 68 },    { 93, 12 },
                   { 98, 0 },     { 99, 0x51 }, { 92, 12 },    { 100, 0x01 },
                   { 100, 0x15 }, { 101, 4 },   { 106, 0x25 }, { 107, 3 },
                   { 124, 17 },   { 154, 2 },   { 153, 9 },    { 155, 0x40 } };
    static struct picture p;

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        make_gray(&p, 128);
        assert_true(p.bytes[faults[i].at] != faults[i].value);
        p.bytes[faults[i].at] = faults[i].value;
        assert_int_equal(check(&p).result.verdict, SIG_REJECT);
    }
}

static void a_thorough_check_decodes_every_scan(void **state)
{
    static struct picture p;
    static const uint8_t comment[600];

    (void)state;
    make_gray(&p, 8 * 64);
    struct harness_verdict v = harness_run_thorough(harness_sig("jpg"), p.bytes, p.len);
    assert_true(v.result.proven);
    assert_int_equal(v.sure, p.len);

    /* Nothing tells what a comment must be: it is open. */
    memmove(p.bytes + 2 + 604, p.bytes + 2, p.len - 2);
    memcpy(p.bytes + 2, "\xff\xfe\2\x5a", 4);
    memcpy(p.bytes + 6, comment, sizeof comment);
    p.len += 604;
    v = harness_run_thorough(harness_sig("jpg"), p.bytes, p.len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_false(v.result.proven);
    assert_int_equal(v.sure, p.len);
    assert_int_equal(v.open_count, 1);
    assert_int_equal(v.open[0].from, 2);
    assert_int_equal(v.open[0].to, 2 + 604);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_picture_is_complete_up_to_its_eoi),
        cmocka_unit_test(a_short_scan_is_decoded),
        cmocka_unit_test(a_preview_behind_belongs_to_the_file),
        cmocka_unit_test(pictures_of_a_list_belong_to_the_file),
        cmocka_unit_test(pictures_that_are_not_where_the_list_says_do_not),
        cmocka_unit_test(a_thumbnail_is_not_the_end),
        cmocka_unit_test(restart_markers_come_in_their_order),
        cmocka_unit_test(restart_markers_need_an_interval),
        cmocka_unit_test(the_image_ends_before_the_picture),
        cmocka_unit_test(a_header_with_other_content_behind_it_is_refused),
        cmocka_unit_test(components_share_mcus),
        cmocka_unit_test(a_scan_has_exactly_its_blocks),
        cmocka_unit_test(other_data_in_the_middle_is_no_whole_picture),
        cmocka_unit_test(a_long_scan_is_told_whole_from_broken),
        cmocka_unit_test(an_eoi_in_the_middle_of_other_data_is_no_end),
        cmocka_unit_test(the_mean_of_a_block_stays_in_range),
        cmocka_unit_test(a_restart_marker_behind_the_last_interval_is_tolerated),
        cmocka_unit_test(restart_markers_prove_what_is_before_them),
        cmocka_unit_test(progressive_pictures),
        cmocka_unit_test(progressive_scans_come_in_order),
        cmocka_unit_test(a_progressive_picture_has_all_of_its_bits),
        cmocka_unit_test(segments_that_cannot_be_are_refused),
        cmocka_unit_test(a_thorough_check_decodes_every_scan),
    };
    return cmocka_run_group_tests_name("jpeg", tests, NULL, NULL);
}
