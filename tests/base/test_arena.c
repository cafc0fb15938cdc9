/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_arena.c - what an arena hands out: zeroed, within its cap, and again when it was
 * cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"

static void is_zeroed(const void *bytes, size_t len)
{
    static const uint8_t zeros[4096];

    assert_non_null(bytes);
    assert_true(len <= sizeof zeros);
    assert_memory_equal(bytes, zeros, len);
}

static void the_cap_holds(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, 4096);
    is_zeroed(arena_alloc(&arena, 4096), 4096);
    assert_null(arena_alloc(&arena, 1));
    arena_clear(&arena);
    is_zeroed(arena_alloc(&arena, 4000), 4000);
    assert_null(arena_alloc(&arena, 112)); /* 4000 + 112 is more than 4096 */
    arena_release(&arena);
}

/* One block of memory holds 64 KiB: the second round has to do with what is left of three. */
static void cleared_is_as_new(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 48; i++) {
            uint8_t *bytes = arena_alloc(&arena, 4096);

            is_zeroed(bytes, 4096);
            memset(bytes, 0xff, 4096);
        }
        arena_clear(&arena);
        assert_int_equal(arena.used, 0);
    }
    assert_string_equal(arena_copy(&arena, "text", 4), "text");
    arena_release(&arena);
    arena_init(&arena, 64);
    arena_clear(&arena); /* with nothing in it */
    is_zeroed(arena_alloc(&arena, 64), 64);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cap_holds),
        cmocka_unit_test(cleared_is_as_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
