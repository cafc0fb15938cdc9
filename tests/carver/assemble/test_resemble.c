/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_resemble.c - what sectors cost together is what the formula of
 * Krichevsky and Trofimov says, computed here by the logarithm of the gamma function; sectors of
 * one value cost nothing; of a sample those places are told that go together as well; what comes
 * again in two pieces counts by how rare it is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/resemble.h"

enum { SECTOR = 512, SECTORS = 2048 };

struct image {
    uint8_t bytes[SECTORS * SECTOR];
    struct io_image *image;
    struct unread unread; /* nothing */
    struct splice splice;
    struct resemble_table *table;
};

/* Sectors 0 to 999 are text, 1000 to 1499 any bytes, 1500 to 1519 zeros, and the others text. */
static void fill(struct image *image)
{
    uint64_t seed = 1;

    for (size_t i = 0; i < sizeof image->bytes; i++) {
        const size_t sector = i / SECTOR;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        image->bytes[i] = sector >= 1500 && sector < 1520   ? 0
                          : sector >= 1000 && sector < 1500 ? (uint8_t)(seed >> 56)
                                                            : (uint8_t)('a' + (seed >> 56) % 20);
    }
}

static int setup(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    struct err err = { 0 };

    assert_non_null(image);
    fill(image);
    assert_int_equal(io_image_open_memory(image->bytes, sizeof image->bytes, &image->image, &err),
                     ERR_OK);
    assert_int_equal(splice_open(image->image, &image->unread, 1, &image->splice, &err), ERR_OK);
    assert_int_equal(resemble_table_make(&image->table, &err), ERR_OK);
    *state = image;
    return 0;
}

static int teardown(void **state)
{
    struct image *image = *state;

    resemble_table_free(image->table);
    splice_close(&image->splice);
    io_image_close(image->image);
    free(image);
    return 0;
}

/* Bits that the bytes of these sectors cost in one code. */
static double cost(const struct image *image, size_t from, size_t to)
{
    const double n = (double)((to - from) * SECTOR);
    double counts[256] = { 0 }, bits;

    for (size_t i = from * SECTOR; i < to * SECTOR; i++)
        counts[image->bytes[i]]++;
    bits = lgamma(n + 128) - lgamma(128);
    for (int i = 0; i < 256; i++)
        bits -= lgamma(counts[i] + 0.5) - lgamma(0.5);
    return bits / log(2);
}

static void savings_are_those_of_the_formula(void **state)
{
    struct image *image = *state;
    struct resemble window;
    struct err err = { 0 };
    double alone = 0;

    assert_int_equal(resemble_open(&window, image->table, &image->splice, sizeof image->bytes,
                                   990 * SECTOR, 40, &err),
                     ERR_OK);
    assert_int_equal(window.sectors, 40);
    for (size_t i = 0; i < 30; i++)
        alone += cost(image, 990 + i, 990 + i + 1);
    const struct resemble_range all = { 0, 30 };
    const double saved = (double)resemble_saved(&window, &all, 1) / RESEMBLE_BIT;
    /* Logarithms are rounded down to 256ths: half of one is lost for each byte, four times. */
    assert_true(fabs(saved - (alone - cost(image, 990, 1020))) < 30 * SECTOR * 4 / 256.0);
    const struct resemble_range text[] = { { 0, 5 }, { 5, 10 } },
                                mixed[] = { { 5, 10 }, { 10, 15 } };
    assert_true(resemble_saved(&window, text, 2) > resemble_saved(&window, mixed, 2));
    assert_true(resemble_is_text(&window, &text[0]) && resemble_is_text(&window, &text[1]));
    assert_false(resemble_is_text(&window, &mixed[1]) || resemble_is_text(&window, &all));
    resemble_close(&window);
}

static void a_window_ends_with_the_image_and_zeros_cost_nothing(void **state)
{
    struct image *image = *state;
    struct resemble window;
    struct err err = { 0 };

    assert_int_equal(resemble_open(&window, image->table, &image->splice, sizeof image->bytes,
                                   1490 * SECTOR, RESEMBLE_SECTORS, &err),
                     ERR_OK);
    assert_int_equal(window.sectors, SECTORS - 1490);
    const struct resemble_range zeros = { 10, 30 }, text = { 40, 60 };
    const struct resemble_range both[] = { zeros, text };
    assert_int_equal(resemble_saved(&window, &zeros, 1), 0);
    assert_int_equal(resemble_saved(&window, both, 2), resemble_saved(&window, &text, 1));
    assert_true(resemble_is_flat(&window, 10) && resemble_is_flat(&window, 29));
    assert_false(resemble_is_flat(&window, 9) || resemble_is_flat(&window, 30));
    resemble_close(&window);
}

/* Its spots from the last to the first: threads take them in any order. */
static void make_sample(struct image *image, struct resemble_sample **sample)
{
    assert_int_equal(resemble_sample_open(sample, NULL), ERR_OK);
    for (uint32_t spot = RESEMBLE_SPOTS; spot-- > 0;)
        assert_int_equal(resemble_sample_take(*sample, spot, image->table, &image->splice,
                                              sizeof image->bytes, NULL),
                         ERR_OK);
    resemble_sample_settle(*sample);
}

static void places_of_a_sample_that_go_together_are_told(void **state)
{
    struct image *image = *state;
    struct resemble window;
    struct resemble_sample *sample;
    struct err err = { 0 };
    uint64_t at[RESEMBLE_PLACES];

    make_sample(image, &sample);
    assert_in_range(resemble_sample_count(sample), 1, RESEMBLE_PLACES);
    assert_int_equal(
        resemble_open(&window, image->table, &image->splice, sizeof image->bytes, 0, 1100, &err),
        ERR_OK);
    /* Random bytes never go together with text as well as text does; half of all text does. */
    const struct grams_set strings = { 0 };
    const struct edges edges = { 0 };
    const struct resemble_with nothing = {
        .strings = &strings, .edges = &edges, .before = image->bytes, .at = 16 * SECTOR
    };
    const struct resemble_range first = { 0, 16 };
    const uint32_t n = resemble_sample_alike(sample, &window, &nothing, first, 20, 8, at);
    for (uint32_t i = 0; i < n; i++)
        assert_true(at[i] / SECTOR < 1000 || at[i] / SECTOR >= 1500);
    assert_in_range(n, 1, resemble_sample_count(sample) - 1);
    /* Of no sectors all do, and those that are not zeros are the ones that count. */
    const uint32_t all = resemble_sample_alike(sample, &window, &nothing, first, 1010, 0, at);
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t any = 0;

        for (uint32_t k = 0; k < RESEMBLE_PLACE * SECTOR; k++)
            any |= image->bytes[at[i] + k];
        zeros += any == 0;
    }
    assert_true(zeros > 0);
    assert_int_equal(all - zeros, resemble_sample_count(sample));
    resemble_close(&window);
    resemble_sample_free(sample);
}

/* Strings that come again: the sectors of text from 100 on, once more from 500 on. */
static void shared_strings_say_as_much_as_they_are_rare(void **state)
{
    struct image *image = *state;
    struct resemble window;
    struct resemble_sample *sample;
    struct grams_set set = { 0 };
    struct err err = { 0 };

    memcpy(image->bytes + 500 * SECTOR, image->bytes + 100 * SECTOR, 8 * SECTOR);
    make_sample(image, &sample);
    assert_int_equal(
        resemble_open(&window, image->table, &image->splice, sizeof image->bytes, 0, 1100, &err),
        ERR_OK);
    resemble_add_grams(&window, (struct resemble_range){ 100, 108 }, &set);
    resemble_keep_grams(&window);
    uint32_t strings = 0;
    for (uint32_t i = 500; i < 508; i++)
        strings += window.grams[i].count;
    const int64_t same =
        resemble_shared(sample, &window, &set, NULL, (struct resemble_range){ 500, 508 });
    const int64_t other =
        resemble_shared(sample, &window, &set, NULL, (struct resemble_range){ 600, 608 });
    /* What is kept of each sector says the same, and once more when it is asked for. */
    uint64_t kept[1100] = { 0 };
    for (uint32_t i = 0; i < 4; i++) {
        const struct resemble_range range = { i % 2 == 0 ? 500 : 600, i % 2 == 0 ? 508 : 608 };
        assert_int_equal(resemble_shared(sample, &window, &set, kept, range),
                         i % 2 == 0 ? same : other);
    }
    /* Each string stands in one place or two of the sample, or in few by chance: it says nearly as
     * many bits as its number of places has. */
    const double most = log2(resemble_sample_count(sample) + 1) * RESEMBLE_SHARED * RESEMBLE_BIT;
    assert_true((double)same <= strings * most);
    assert_true((double)same > strings * most / 2);
    assert_true(other < same / 10); /* 20 letters: six of them are seldom the same */
    resemble_close(&window);
    resemble_sample_free(sample);
}

static void packed_bytes_are_dense_and_text_is_not(void **state)
{
    struct image *image = *state;
    struct resemble window;
    struct err err = { 0 };

    assert_int_equal(resemble_open(&window, image->table, &image->splice, sizeof image->bytes,
                                   990 * SECTOR, 600, &err),
                     ERR_OK);
    for (uint32_t i = 0; i < 600; i++)
        assert_int_equal(resemble_is_dense(&window, i), i >= 10 && i < 510);
    resemble_close(&window);
}

static void sectors_that_lie_apart_cost_what_they_do_together(void **state)
{
    const uint64_t ats[] = { 3 * SECTOR, 1700 * SECTOR, 1200 * SECTOR, 1201 * SECTOR };
    struct image *image = *state, copy = *image;
    const struct resemble_range text = { 0, 2 }, packed = { 2, 4 }, head = { 0, 1 };
    const struct resemble_range both[] = { text, packed };
    struct resemble window, other;
    struct err err = { 0 };

    for (size_t i = 0; i < 4; i++)
        memcpy(copy.bytes + i * SECTOR, image->bytes + ats[i], SECTOR);
    assert_int_equal(resemble_open_at(&window, image->table, &image->splice, ats, 4, &err), ERR_OK);
    assert_int_equal(resemble_open_at(&other, image->table, &image->splice, ats, 1, &err), ERR_OK);
    assert_memory_equal(window.bytes, copy.bytes, 4 * SECTOR);
    const double alone =
        cost(&copy, 0, 1) + cost(&copy, 1, 2) + cost(&copy, 2, 3) + cost(&copy, 3, 4);
    const double saved = (double)resemble_saved(&window, both, 2) / RESEMBLE_BIT;
    assert_true(fabs(saved - (alone - cost(&copy, 0, 4))) < 4 * SECTOR * 4 / 256.0);
    /* One window or two. */
    assert_int_equal(resemble_saved_with(&window, text, &window, packed),
                     resemble_saved(&window, both, 2));
    const struct resemble_range first[] = { packed, head };
    assert_int_equal(resemble_saved_with(&window, packed, &other, head),
                     resemble_saved(&window, first, 2));
    resemble_close(&window);
    resemble_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sectors_that_lie_apart_cost_what_they_do_together, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(savings_are_those_of_the_formula, setup, teardown),
        cmocka_unit_test_setup_teardown(a_window_ends_with_the_image_and_zeros_cost_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(shared_strings_say_as_much_as_they_are_rare, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(packed_bytes_are_dense_and_text_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(places_of_a_sample_that_go_together_are_told, setup,
                                        teardown),
    };
    return cmocka_run_group_tests_name("resemblance", tests, NULL, NULL);
}
