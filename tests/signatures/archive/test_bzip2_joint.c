/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_bzip2_joint.c - where a block of bzip2 in two pieces is cut.
 *
 * Method: files that bzip2 wrote are cut at each sector, with random bytes behind the first piece
 * and before the second one; the mark behind the block is looked for bit by bit here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/sig.h"

extern const struct sig sig_bzip2;

enum {
    SECTOR = 512,
    FILE_MAX = 256 * SECTOR,
    ROOM = 3 * FILE_MAX,
    BEFORE = FILE_MAX, /* random bytes before the second piece */
    HEADERS = 2,       /* sectors that what stands before the codes may take */
    LONG_HEADERS = 6,  /* and before those of a long block */
    SEAMS = 64,
};

static uint32_t load(const char *path, uint8_t out[FILE_MAX])
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    const size_t len = fread(out, 1, FILE_MAX, file);
    fclose(file);
    assert_in_range(len, 1, FILE_MAX - 1);
    return (uint32_t)len;
}

/* One block of 110,000 bytes that hardly become less: its codes have eight bits, as a rule. */
static uint32_t make_long(uint8_t out[FILE_MAX])
{
    FILE *pipe = popen("python3 -c \""
                       "import bz2, random, sys\n"
                       "r = random.Random(5)\n"
                       "text = bytes(int(r.gauss(128, 40)) & 255 for _ in range(110000))\n"
                       "sys.stdout.buffer.write(bz2.compress(text))\n\"",
                       "r");

    assert_non_null(pipe);
    const size_t len = fread(out, 1, FILE_MAX, pipe);
    assert_int_equal(pclose(pipe), 0);
    assert_in_range(len, 100000, FILE_MAX - 1);
    return (uint32_t)len;
}

static void noise(uint8_t *out, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[i] = (uint8_t)(seed >> 56);
    }
}

/* The bit at which the last mark of the end of a stream begins. */
static uint32_t end_bit(const uint8_t *bytes, uint32_t len)
{
    uint64_t last = 0;
    uint32_t at = 0;

    for (uint32_t bit = 0; bit < len * 8; bit++) {
        last = (last << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1)) & 0xffffffffffff;
        at = last == 0x177245385090 ? bit + 1 - 48 : at;
    }
    assert_true(at > 0);
    return at;
}

/* Whether the seam is found where the first `cut` bytes of the file are in one piece. */
static bool found(const uint8_t *file, uint32_t len, uint32_t cut)
{
    static uint8_t here[ROOM], there[ROOM];
    struct sig_seam_at seams[SEAMS];
    uint32_t count = 0;
    bool has = false;

    noise(here, sizeof here, cut);
    noise(there, sizeof there, cut + 1);
    memcpy(here, file, cut);
    memcpy(there + BEFORE, file + cut, len - cut);
    const struct sig_joint_job job = { .here = here,
                                       .there = there,
                                       .here_len = sizeof here,
                                       .there_len = BEFORE + len - cut,
                                       .cut = SECTOR,
                                       .begin = 0,
                                       .step = SECTOR,
                                       .end_bit = end_bit(file, len) + (BEFORE - cut) * 8 };
    assert_true(sig_bzip2.joint->join(&job, seams, SEAMS, &count));
    assert_in_range(count, 0, SEAMS);
    for (uint32_t i = 0; i < count; i++)
        has = has || (seams[i].end == cut && seams[i].begin == BEFORE);
    return has;
}

static void every_cut_of_the_codes_is_found(void **state)
{
    static const char *const paths[] = { "tests/samples/bzip2/runs.bz2",
                                         "tests/samples/bzip2/tables.bz2" };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        static uint8_t file[FILE_MAX];
        const uint32_t len = load(paths[i], file);

        for (uint32_t cut = HEADERS * SECTOR; cut < end_bit(file, len) / 8; cut += SECTOR)
            assert_true(found(file, len, cut));
    }
}

/* Codes of much the same length do not soon fall into step: many ways lead back from the end. */
static void a_cut_far_before_the_end_is_found(void **state)
{
    static uint8_t file[FILE_MAX];
    const uint32_t len = make_long(file);

    (void)state;
    for (uint32_t cut = LONG_HEADERS * SECTOR; cut < len; cut += 23 * SECTOR)
        assert_true(found(file, len, cut));
}

/* Asks about copies of exactly so many bytes: a sanitizer sees what is read behind them. */
static uint32_t ask(const uint8_t *here, uint32_t here_len, const uint8_t *there,
                    uint32_t there_len, uint32_t at_bit)
{
    uint8_t *a = malloc(here_len), *b = malloc(there_len);
    const struct sig_joint_job job = { .here = a,
                                       .there = b,
                                       .here_len = here_len,
                                       .there_len = there_len,
                                       .cut = SECTOR,
                                       .step = SECTOR,
                                       .end_bit = at_bit };
    struct sig_seam_at seam;
    uint32_t count = 0;

    assert_true(a != NULL && b != NULL);
    memcpy(a, here, here_len);
    memcpy(b, there, there_len);
    assert_true(sig_bzip2.joint->join(&job, &seam, 1, &count));
    assert_in_range(count, 0, 1);
    free(a);
    free(b);
    return count;
}

/* The second piece is of another file, or what is asked about is no block: no harm is done. */
static void other_bytes_are_no_harm(void **state)
{
    static uint8_t file[FILE_MAX], other[FILE_MAX];
    const uint32_t len = load("tests/samples/bzip2/runs.bz2", file);
    const uint32_t other_len = load("tests/samples/bzip2/tables.bz2", other);

    (void)state;
    for (uint32_t bit = 0; bit < 1200; bit++) {
        file[4 + bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (uint32_t less = 0; less < 3; less++)
            (void)ask(file, len - less * 1500, other, other_len - less * 800,
                      (other_len - less * 800) * 8 - bit);
        file[4 + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    (void)ask(file, 1, other, 1, 0);
    noise(file, sizeof file, 3);
    assert_int_equal(ask(file, len, other, other_len, end_bit(other, other_len)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_the_codes_is_found),
        cmocka_unit_test(a_cut_far_before_the_end_is_found),
        cmocka_unit_test(other_bytes_are_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
