/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_edges.c - a ramp gives what the definition does, worked out by hand;
 * sound, a picture's points and text go on over a seam, and at other places do not; random bytes
 * say nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/edges.h"

enum { PIECE = 4096, SEAMS = 256, ALL = PIECE + 512 * SEAMS };

static uint64_t seed = 1;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/*
 * 508 bytes that count up: four have a byte 504 before them. From a byte to the one four before it,
 * at each of 4 places, the difference is 4 once, and to the one 504 bytes before it 8 (modulo 256),
 * of another class. That is log2(4 * 1 + 1) each, 594 256ths rounded down, for the first, and less
 * log2(3 * 1 + 1), 512, for the other. Steps of 1, 2 and 3 give 1046, 1622 and 2107 in all; with
 * one of 6 both differences are of the same class: 492.
 */
static void a_ramp_gives_what_the_definition_does(void **state)
{
    const uint8_t up[EDGES_BYTES] = { 252, 253, 254, 255, 0, 1, 2, 3 };
    uint8_t bytes[508];
    struct edges edges;

    (void)state;
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    edges_learn(&edges, bytes, sizeof bytes, 0);
    assert_int_equal(edges.step, 4);
    assert_int_equal(edges_go_on(&edges, bytes + 500, up, 508), 4 * 594);
    const uint8_t far[EDGES_BYTES] = { 0, 1, 2, 3, 4, 5, 6, 7 }; /* 8 more than four before */
    assert_int_equal(edges_go_on(&edges, bytes + 500, far, 508), -4 * 512);
}

/* How many of all seams say that the piece goes on, with its own next bytes and with others. */
static void count(const uint8_t *bytes, uint32_t *right, uint32_t *wrong, int64_t *most)
{
    struct edges edges;

    *right = *wrong = 0;
    *most = 0;
    for (uint32_t i = 0; i < SEAMS; i++) {
        const uint8_t *seam = bytes + PIECE + (size_t)i * 512;
        const uint8_t *other = bytes + PIECE + (size_t)((i + 77) % SEAMS) * 512;
        const uint64_t at = (uint64_t)(seam - bytes);

        edges_learn(&edges, seam - PIECE, PIECE, at - PIECE);
        const int64_t on = edges_go_on(&edges, seam - EDGES_BYTES, seam, at);
        *right += on > 0;
        *wrong += edges_go_on(&edges, seam - EDGES_BYTES, other, at) > 0;
        *most = on > *most ? on : *most;
    }
}

/* Samples of 16 bits, two of them side by side, each near the one before. */
static void sound_goes_on(void **state)
{
    uint8_t *bytes = malloc(ALL + EDGES_BYTES);
    int values[2] = { 0, 0 };
    uint32_t right, wrong;
    int64_t most;

    (void)state;
    assert_non_null(bytes);
    for (uint32_t i = 0; i < (ALL + EDGES_BYTES) / 2; i++) {
        int *value = &values[i % 2];

        *value += (int)random_below(801) - 400;
        *value = *value > 30000 ? 29000 : *value < -30000 ? -29000 : *value;
        bytes[2 * i] = (uint8_t)*value;
        bytes[2 * i + 1] = (uint8_t)(*value >> 8);
    }
    count(bytes, &right, &wrong, &most);
    assert_in_range(right, SEAMS * 9 / 10, SEAMS);
    assert_in_range(wrong, 0, SEAMS / 3);
    free(bytes);
}

/* Words of two to nine letters out of a hundred, which are cut anywhere. */
static void text_goes_on(void **state)
{
    char words[100][10] = { 0 };
    uint8_t *bytes = malloc(ALL + EDGES_BYTES + sizeof words[0]);
    uint32_t right, wrong;
    int64_t most;

    (void)state;
    assert_non_null(bytes);
    for (int i = 0; i < 100; i++)
        for (uint32_t k = 0; k < 2 + (uint32_t)i % 8; k++)
            words[i][k] = (char)('a' + random_below(26));
    for (size_t i = 0; i < ALL + EDGES_BYTES;) {
        const char *word = words[random_below(100)];

        memcpy(bytes + i, word, strlen(word));
        i += strlen(word);
        bytes[i++] = ' ';
    }
    count(bytes, &right, &wrong, &most);
    assert_in_range(right, SEAMS * 8 / 10, SEAMS);
    assert_in_range(wrong, 0, SEAMS / 3);
    free(bytes);
}

static void random_bytes_say_nothing(void **state)
{
    uint8_t *bytes = malloc(ALL + EDGES_BYTES);
    uint32_t right, wrong;
    int64_t most;

    (void)state;
    assert_non_null(bytes);
    for (uint32_t i = 0; i < ALL + EDGES_BYTES; i++)
        bytes[i] = (uint8_t)random_below(256);
    count(bytes, &right, &wrong, &most);
    assert_true(most < 8 * 256);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_gives_what_the_definition_does),
        cmocka_unit_test(sound_goes_on),
        cmocka_unit_test(text_goes_on),
        cmocka_unit_test(random_bytes_say_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
