/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_gzip_flow.c - where a gzip file in two pieces goes on.
 *
 * Method: a file of random words, packed by zlib, is cut at each sector, with random bytes behind
 * the first piece; the second piece is compared with hundreds of random places.
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

extern const struct sig sig_gzip;

enum {
    SECTOR = 512,
    ROOM = 32 * SECTOR,
    OTHERS = 400, /* random places that are asked about */
};

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void noise(uint8_t *out, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(next(&seed) >> 13);
}

static uint32_t load(uint8_t out[ROOM])
{
    FILE *file = fopen("tests/samples/gzip/words.gz", "rb");

    assert_non_null(file);
    const size_t len = fread(out, 1, ROOM, file);
    fclose(file);
    assert_in_range(len, 10 * SECTOR, ROOM / 2);
    return (uint32_t)len;
}

/* How well the bytes go on; of a copy of exactly so many: a sanitizer sees what is read behind. */
static uint32_t ask(void *flow, const uint8_t *there, uint32_t len, uint32_t *end)
{
    uint8_t *copy = malloc(len);

    assert_non_null(copy);
    memcpy(copy, there, len);
    const uint32_t worth = sig_gzip.flow->follow(flow, copy, len, end);
    free(copy);
    return worth;
}

/* Opens a flow of a file whose first `cut` bytes are in one piece, and random ones behind it; of
 * exactly `room` bytes and the slack. *here is to be freed when it is closed. */
static void *begin(const uint8_t *file, uint32_t cut, uint32_t room, uint8_t **here)
{
    *here = malloc(room + SIG_FLOW_SLACK);
    assert_non_null(*here);
    noise(*here, room + SIG_FLOW_SLACK, cut);
    memcpy(*here, file, cut);
    return sig_gzip.flow->open(
        &(struct sig_flow_job){ .here = *here, .here_len = room, .cut = SECTOR, .step = SECTOR });
}

static void end(void *flow, uint8_t *here)
{
    if (flow != NULL)
        sig_gzip.flow->close(flow);
    free(here);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whether the second piece goes on better than all others do, right behind the cut. */
static bool stands_out(const uint8_t *file, uint32_t len, uint32_t cut)
{
    const uint32_t there = least(len - cut, sig_gzip.flow->there);
    uint8_t *here, noisy[4 * SECTOR];
    void *flow = begin(file, cut, ROOM, &here);
    uint32_t at = 0, best = 0, other = 0;

    assert_non_null(flow);
    const uint32_t right = ask(flow, file + cut, there, &at);
    for (uint32_t i = 0; i < OTHERS; i++) {
        noise(noisy, sizeof noisy, i + 1000ull * cut);
        const uint32_t worth = ask(flow, noisy, sizeof noisy, &other);

        best = worth > best ? worth : best;
    }
    end(flow, here);
    return right > best && at == cut;
}

static void second_pieces_stand_out(void **state)
{
    uint8_t file[ROOM];
    const uint32_t len = load(file);
    uint32_t cuts = 0, found = 0;

    (void)state;
    for (uint32_t cut = 3 * SECTOR; cut + SECTOR < len; cut += SECTOR, cuts++)
        found += stands_out(file, len, cut);
    assert_in_range(found, cuts - 1, cuts); /* one in ten may be lost */
}

/* Damaged headers, files that end anywhere and other bytes are no harm. */
static void other_bytes_are_no_harm(void **state)
{
    uint8_t file[ROOM];
    const uint32_t len = load(file);

    (void)state;
    for (uint32_t bit = 0; bit < 1600; bit++) {
        const uint32_t room = bit % 3 == 0 ? 1 + bit : len - bit;
        uint8_t *here;
        uint32_t at = 0;

        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        void *flow = begin(file, least(room, 8 * SECTOR), room, &here);
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (uint32_t i = 0; flow != NULL && i < 8; i++) {
            (void)ask(flow, file + i * SECTOR, 1 + i * 200, &at);
            assert_true(at <= room);
        }
        end(flow, here);
    }
}

/* A flush of the packer leaves a stored block of no bytes: nothing is unpacked before it. */
static void a_stored_block_may_have_no_bytes(void **state)
{
    static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff };
    uint8_t file[ROOM], *here;
    const uint32_t len = load(file);
    uint32_t at = 0;

    (void)state;
    memmove(file + sizeof head, file + 10, len - 10);
    memcpy(file, head, sizeof head);
    void *flow = begin(file, 4 * SECTOR, ROOM, &here);
    if (flow != NULL)
        ask(flow, file + 4 * SECTOR, sig_gzip.flow->there, &at);
    end(flow, here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_block_may_have_no_bytes),
        cmocka_unit_test(second_pieces_stand_out),
        cmocka_unit_test(other_bytes_are_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
