/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_ground.c - who owns bytes, and what belongs to no object of a scan,
 * over many drawn grounds: the same as by a look at each range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/assemble/ground.h"

enum { GROUNDS = 300, RANGES_MAX = 40, PLACES = 400 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33) % below;
}

static void draw_ground(uint64_t *state, struct ground *ground)
{
    const uint32_t count = draw(state, RANGES_MAX);

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = draw(state, PLACES), len = 1 + draw(state, PLACES / 4);

        assert_int_equal(ground_add(ground, begin, begin + len, (int64_t)draw(state, 12) - 3, NULL),
                         ERR_OK);
    }
    ground_settle(ground);
}

/* Where the first range begins that is firm and ends behind the place; PLACES * 2: none does. */
static uint64_t firm_begin(const struct ground *ground, uint64_t place)
{
    uint64_t begin = PLACES * 2;

    for (size_t i = 0; i < ground->count; i++)
        if (ground->items[i].owner <= GROUND_FILE_SYSTEM && ground->items[i].end > place &&
            ground->items[i].begin < begin)
            begin = ground->items[i].begin;
    return begin;
}

static uint64_t owned_begin(const struct ground *ground, uint64_t begin, uint64_t end)
{
    uint64_t least = PLACES * 2;

    for (size_t i = 0; i < ground->count; i++)
        if (ground->items[i].begin < end && ground->items[i].end > begin &&
            ground->items[i].begin < least)
            least = ground->items[i].begin;
    return least;
}

static void asks_alike(void **arg)
{
    uint64_t state = 18;

    (void)arg;
    for (uint32_t n = 0; n < GROUNDS; n++) {
        struct ground ground = { 0 };

        draw_ground(&state, &ground);
        for (uint64_t place = 0; place < PLACES * 2; place++) {
            const struct ground_owned *firm = ground_firm(&ground, place);
            const struct ground_owned *owned = ground_owner(&ground, place, place + 7, NULL, 0);

            assert_int_equal(firm != NULL ? firm->begin : PLACES * 2, firm_begin(&ground, place));
            if (firm != NULL)
                assert_true(firm->owner <= GROUND_FILE_SYSTEM && firm->end > place);
            assert_int_equal(owned != NULL ? owned->begin : PLACES * 2,
                             owned_begin(&ground, place, place + 7));
        }
        ground_release(&ground);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(asks_alike) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
