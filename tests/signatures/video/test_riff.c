/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/video/test_riff.c - forms written chunk by chunk: where they end, which type
 * they are, and what does not hold together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 16, DATA = 2000 };

struct file {
    uint8_t bytes[FILE_MAX];
    size_t len;
};

static void put(struct file *f, const void *bytes, size_t len)
{
    assert_true(f->len + len <= FILE_MAX);
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}
#define PUT(f, literal) put((f), (literal), sizeof(literal) - 1)

static void set_u32le(uint8_t *p, size_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

/* Opens a chunk, a list or the form; its length is filled in by end_chunk. */
static size_t begin_chunk(struct file *f, const char *id, const char *name)
{
    const size_t at = f->len;

    put(f, id, 4);
    PUT(f, "\0\0\0\0");
    put(f, name, strlen(name));
    return at;
}

static void end_chunk(struct file *f, size_t at)
{
    set_u32le(f->bytes + at + 4, f->len - at - 8);
    if (f->len % 2 != 0)
        PUT(f, "\0");
}

static void put_noise(struct file *f, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t byte = (uint8_t)(i * i >> 3 ^ i);
        put(f, &byte, 1);
    }
}

static void chunk(struct file *f, const char *id, size_t len)
{
    const size_t at = begin_chunk(f, id, "");

    put_noise(f, len);
    end_chunk(f, at);
}

/* PCM, one channel, 8000 samples a second, 8 bits. */
static void put_wave_format(struct file *f)
{
    PUT(f, "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0");
}

static void make_wave(struct file *f, size_t data)
{
    f->len = 0;
    const size_t form = begin_chunk(f, "RIFF", "WAVE");
    put_wave_format(f);
    chunk(f, "data", data);
    end_chunk(f, form);
}

static struct harness_verdict check(const struct file *f, size_t len)
{
    return harness_check(harness_sig("riff"), f->bytes, len);
}

static void assert_complete(struct file *f, size_t len, const char *type)
{
    memset(f->bytes + f->len, 'x', 64);
    const struct harness_verdict v = check(f, f->len + 64);

    assert_true(harness_header_matches(harness_sig("riff"), f->bytes, f->len));
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    assert_string_equal(v.type->name, type);
}

static void a_sound_is_complete(void **state)
{
    static struct file f;

    (void)state;
    make_wave(&f, DATA);
    assert_complete(&f, 44 + DATA, "wav");
    f.bytes[20] = 2; /* ADPCM, whose blocks are large */
    f.bytes[33] = 8;
    assert_complete(&f, 44 + DATA, "wav");
    make_wave(&f, DATA + 1); /* padded, and the pad counted */
    assert_complete(&f, 44 + DATA + 2, "wav");
}

static void make_midi(struct file *f, size_t odd)
{
    f->len = 0;
    const size_t form = begin_chunk(f, "RIFF", "RMID"), list = begin_chunk(f, "data", "MThd");

    put_noise(f, 100 + odd);
    end_chunk(f, list);
    end_chunk(f, form);
}

/* The size leaves the pad byte out: so do those who write sounds. In other forms it is there all
 * the same when it is zero. */
static void a_pad_byte_that_is_not_counted(void **state)
{
    static struct file f;

    (void)state;
    make_wave(&f, DATA + 1);
    set_u32le(f.bytes + 4, f.len - 8 - 1);
    assert_complete(&f, 44 + DATA + 1, "wav");
    assert_int_equal(check(&f, f.len).result.len, 44 + DATA + 1);
    make_midi(&f, 1);
    set_u32le(f.bytes + 4, f.len - 8 - 1);
    assert_complete(&f, f.len, "rmi");
    f.len--;
    assert_complete(&f, f.len, "rmi"); /* assert_complete writes an x behind the file */
}

static void chunks_behind_the_sound_are_walked(void **state)
{
    static struct file f;

    (void)state;
    make_wave(&f, DATA);
    chunk(&f, "LIST", 26);
    chunk(&f, "id3 ", 77);
    set_u32le(f.bytes + 4, f.len - 8);
    assert_complete(&f, f.len, "wav");
    f.bytes[44 + DATA] = 7; /* the sound may be anything's then */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
}

static void wide_and_big_endian_sounds(void **state)
{
    static struct file f;

    (void)state;
    f.len = 0;
    PUT(&f, "RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
    const size_t sizes = f.len;
    PUT(&f, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    put_wave_format(&f);
    PUT(&f, "data\xff\xff\xff\xff");
    put_noise(&f, DATA);
    set_u32le(f.bytes + sizes, f.len - 8);
    set_u32le(f.bytes + sizes + 8, DATA);
    assert_complete(&f, 80 + DATA, "wav");
    memcpy(f.bytes, "BW64", 4);
    assert_complete(&f, 80 + DATA, "wav");
    memset(f.bytes + sizes, 0xff, 16); /* a length that wraps when it is rounded up */
    assert_string_equal(check(&f, f.len).result.why, "a chunk is longer than the form");

    f.len = 0;
    PUT(&f, "RIFX\0\0\x07\xf4WAVEfmt \0\0\0\x10\0\1\0\1\0\0\x1f\x40\0\0\x1f\x40\0\1\0\x08"
            "data\0\0\x07\xd0");
    put_noise(&f, DATA);
    assert_complete(&f, 44 + DATA, "wav");
}

static void a_stream_has_no_length(void **state)
{
    static struct file f;

    (void)state;
    make_wave(&f, DATA);
    memset(f.bytes + 4, 0xff, 4);
    memset(f.bytes + 40, 0xff, 4);
    const struct harness_verdict v = check(&f, f.len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 44);
}

static void the_image_ends_before_the_sound(void **state)
{
    static struct file f;

    (void)state;
    make_wave(&f, DATA);
    const struct harness_verdict v = check(&f, 1000);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 1000);
}

/* 16 bits: a slow wave is sound; text, noise at full scale, or zeros cut out of it at the edges of
 * sectors are not. */
static void samples_must_sound_like_samples(void **state)
{
    static struct file f;

    (void)state;
    for (int fill = 0; fill < 4; fill++) {
        f.len = 0;
        const size_t form = begin_chunk(&f, "RIFF", "WAVE");
        PUT(&f, "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0");
        const size_t data = begin_chunk(&f, "data", "");
        for (uint32_t i = 0; i < 20000; i++) {
            const uint16_t wave = (uint16_t)((int32_t)(i % 200) * 100 - 10000);
            const uint8_t sample[] = { (uint8_t)wave, (uint8_t)(wave >> 8) };
            put(&f, sample, 2);
        }
        end_chunk(&f, data);
        end_chunk(&f, form);
        uint32_t noise = 12345;
        for (uint32_t i = 8192; i < 8192 + 4096 && fill > 0; i++) {
            noise = noise * 1664525 + 1013904223;
            const uint8_t bytes[] = { 0, 0, (uint8_t) "what stands in some letter, "[i % 28],
                                      (uint8_t)(noise >> 24) };
            f.bytes[i] = bytes[fill];
        }
        const struct harness_verdict v = check(&f, f.len);
        assert_int_equal(v.result.verdict, fill == 0 ? SIG_COMPLETE : SIG_BREAKS);
        assert_int_equal(v.result.len, fill == 0 ? f.len : 8192);
    }
}

/*
 * A soft sound (steps of 100 at most) with one leap of 12,000: at the edge of a sector other data
 * begins there, anywhere else it is a click. And text behind the last whole sector.
 */
static void a_leap_at_the_edge_of_a_sector(void **state)
{
    static const struct {
        uint32_t at, text;
        uint64_t len; /* 0: whole */
    } rows[] = { { 4096, 0, 4096 }, { 4096 + 64, 0, 0 }, { 20000, 0, 0 }, { 0, 8192, 8192 } };
    static struct file f;

    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        f.len = 0;
        const size_t form = begin_chunk(&f, "RIFF", "WAVE");
        PUT(&f, "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0");
        const size_t data = begin_chunk(&f, "data", "");
        for (int32_t i = 0; f.len < 8192 + 300; i++) {
            const int32_t slope = i % 200 < 100 ? i % 200 : 200 - i % 200;
            const uint16_t wave =
                (uint16_t)(slope * 100 - 5000 +
                           (rows[row].at != 0 && f.len >= rows[row].at ? 12000 : 0));
            const uint8_t sample[] = { (uint8_t)wave, (uint8_t)(wave >> 8) };
            put(&f, sample, 2);
        }
        end_chunk(&f, data);
        end_chunk(&f, form);
        for (uint32_t i = rows[row].text; rows[row].text > 0 && i < f.len; i++)
            f.bytes[i] = (uint8_t) "what stands in some letter, "[i % 28];
        const struct harness_verdict v = check(&f, f.len);
        assert_int_equal(v.result.verdict, rows[row].len == 0 ? SIG_COMPLETE : SIG_BREAKS);
        assert_int_equal(v.result.len, rows[row].len == 0 ? f.len : rows[row].len);
    }
}

/* Offsets: format tag 20, channels 22, rate 24, block 32. */
static void sounds_that_cannot_be_are_refused(void **state)
{
    static const struct {
        uint16_t at;
        uint8_t value;
    } faults[] = { { 3, 'Y' }, { 8, 'w' }, { 12, 'x' }, { 12, 1 },   { 16, 12 }, { 20, 0 },
                   { 22, 0 },  { 27, 1 },  { 32, 0 },   { 36, 'D' }, { 43, 1 },  { 40, 1 } };
    static struct file f;

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        make_wave(&f, DATA);
        f.bytes[faults[i].at] = faults[i].value;
        assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    }
}

/* hdrl, movi with frames and a rec list, idx1: the frames' offsets are returned in frames[]. */
static void make_video(struct file *f, size_t frames[10])
{
    f->len = 0;
    const size_t form = begin_chunk(f, "RIFF", "AVI ");
    const size_t head = begin_chunk(f, "LIST", "hdrl");
    chunk(f, "avih", 56);
    end_chunk(f, head);
    chunk(f, "JUNK", 100);
    const size_t movie = begin_chunk(f, "LIST", "movi");
    for (size_t i = 0; i < 10; i++) {
        const size_t record = i == 4 ? begin_chunk(f, "LIST", "rec ") : 0;

        frames[i] = f->len;
        chunk(f, i % 3 == 2 ? "01wb" : "00dc", 501 + i);
        if (i == 4)
            end_chunk(f, record);
    }
    chunk(f, "ix00", 32);
    end_chunk(f, movie);
    const size_t index = begin_chunk(f, "idx1", "00dc");
    put_noise(f, 12 + 16);
    end_chunk(f, index);
    end_chunk(f, form);
}

static void a_video_is_complete(void **state)
{
    static struct file f;
    size_t frames[10];

    (void)state;
    make_video(&f, frames);
    assert_complete(&f, f.len, "avi");
    const size_t more = begin_chunk(&f, "RIFF", "AVIX"); /* OpenDML: the video goes on */
    const size_t movie = begin_chunk(&f, "LIST", "movi");
    chunk(&f, "00dc", 3000);
    end_chunk(&f, movie);
    end_chunk(&f, more);
    assert_complete(&f, f.len, "avi");
}

static void other_data_among_the_frames_breaks_the_video(void **state)
{
    static struct file f;
    size_t frames[10];

    (void)state;
    make_video(&f, frames);
    memset(f.bytes + frames[6], 0x5a, 400);
    const struct harness_verdict v = check(&f, f.len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, frames[5]);
    make_video(&f, frames);
    set_u32le(f.bytes + frames[8] + 4, 1 << 20);
    assert_int_equal(check(&f, f.len).result.verdict, SIG_BREAKS);
    assert_int_equal(check(&f, f.len).result.len, frames[7]);
}

static void pictures(void **state)
{
    static struct file f;

    (void)state;
    f.len = 0;
    size_t form = begin_chunk(&f, "RIFF", "WEBP"), picture = begin_chunk(&f, "VP8 ", "");
    PUT(&f, "\x10\x02\0\x9d\x01\x2a\x10\0\x10\0");
    put_noise(&f, 101);
    end_chunk(&f, picture);
    end_chunk(&f, form);
    assert_complete(&f, 8 + 4 + 8 + 112, "webp");
    f.bytes[23] = 0x9c;
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);

    f.len = 0; /* a sector of zeros in compressed data */
    form = begin_chunk(&f, "RIFF", "WEBP");
    picture = begin_chunk(&f, "VP8 ", "");
    PUT(&f, "\x10\x02\0\x9d\x01\x2a\x10\0\x10\0");
    put_noise(&f, 6000);
    end_chunk(&f, picture);
    end_chunk(&f, form);
    assert_complete(&f, f.len, "webp");
    memset(f.bytes + 2048, 0, 512);
    assert_int_equal(check(&f, f.len).result.verdict, SIG_BREAKS);
    assert_int_equal(check(&f, f.len).result.len, 2048);

    f.len = 0;
    form = begin_chunk(&f, "RIFF", "WEBP");
    chunk(&f, "VP8X", 10);
    picture = begin_chunk(&f, "VP8L", "\x2f\x0f\xc0\x03");
    put_noise(&f, 600);
    end_chunk(&f, picture);
    chunk(&f, "EXIF", 60);
    end_chunk(&f, form);
    assert_complete(&f, f.len, "webp");
    f.len = 0;
    form = begin_chunk(&f, "RIFF", "WEBP");
    chunk(&f, "VP8X", 10);
    chunk(&f, "EXIF", 60);
    end_chunk(&f, form);
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT); /* no picture */
}

static void smaller_forms(void **state)
{
    static struct file f;
    size_t form, list;

    (void)state;
    f.len = 0;
    form = begin_chunk(&f, "RIFF", "ACON");
    chunk(&f, "anih", 36);
    list = begin_chunk(&f, "LIST", "fram");
    chunk(&f, "icon", 300);
    end_chunk(&f, list);
    end_chunk(&f, form);
    assert_complete(&f, f.len, "ani");
    set_u32le(f.bytes + 4, f.len); /* a size that counts its own 8 bytes is usual here */
    assert_complete(&f, f.len, "ani");

    make_midi(&f, 0);
    assert_complete(&f, f.len, "rmi");

    f.len = 0;
    form = begin_chunk(&f, "RIFF", "sfbk");
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = { "INFO", "sdta", "pdta" };
        list = begin_chunk(&f, "LIST", names[i]);
        chunk(&f, "smpl", 300);
        end_chunk(&f, list);
    }
    end_chunk(&f, form);
    assert_complete(&f, f.len, "sf2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_is_complete),
        cmocka_unit_test(a_pad_byte_that_is_not_counted),
        cmocka_unit_test(chunks_behind_the_sound_are_walked),
        cmocka_unit_test(wide_and_big_endian_sounds),
        cmocka_unit_test(a_stream_has_no_length),
        cmocka_unit_test(the_image_ends_before_the_sound),
        cmocka_unit_test(samples_must_sound_like_samples),
        cmocka_unit_test(a_leap_at_the_edge_of_a_sector),
        cmocka_unit_test(sounds_that_cannot_be_are_refused),
        cmocka_unit_test(a_video_is_complete),
        cmocka_unit_test(other_data_among_the_frames_breaks_the_video),
        cmocka_unit_test(pictures),
        cmocka_unit_test(smaller_forms),
    };
    return cmocka_run_group_tests_name("riff", tests, NULL, NULL);
}
