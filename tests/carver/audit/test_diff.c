/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/audit/test_diff.c - what has changed between two sets.
 *
 * Method: cases by hand; and random sets, of which the counts are worked out by another way: for
 * each content, min(old, new) things are the same or have moved, and those that are the same have
 * equal offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/audit/diff.h"
#include "carver/audit/secret.h"

enum { CONTENTS = 6, PLACES = 12, ROUNDS = 3000 };

static void add(struct diff_side *side, const char *content, uint32_t image, uint32_t type,
                uint64_t offset)
{
    struct diff_item item = {
        .image = image, .type = type, .offset = offset, .len = 10, .id = (int64_t)side->count
    };
    struct err err = { 0 };

    diff_key(content, strlen(content), item.key);
    assert_int_equal(diff_add(side, &item, &err), ERR_OK);
}

/* Places below 1000 were read. */
static bool was_read(void *arg, const struct diff_item *item)
{
    (void)arg;
    return item->offset < 1000;
}

static void counts(struct diff_side *old, struct diff_side *now, const uint64_t want[DIFF_CHANGES])
{
    uint64_t got[DIFF_CHANGES];

    diff_sides(old, now, was_read, NULL);
    diff_count(old, now, got);
    for (uint32_t i = 0; i < DIFF_CHANGES; i++)
        if (got[i] != want[i])
            fail_msg("%s: %d and not %d", diff_word((enum diff_change)i), (int)got[i],
                     (int)want[i]);
    diff_side_release(old);
    diff_side_release(now);
}

static void each_change_is_told(void **state)
{
    struct diff_side old = { 0 }, now = { 0 };

    (void)state;
    counts(&old, &now, (const uint64_t[]){ 0, 0, 0, 0, 0, 0 });
    add(&old, "a", 0, 1, 10); /* the same */
    add(&now, "a", 0, 1, 10);
    add(&old, "b", 0, 1, 20); /* moved */
    add(&now, "b", 0, 1, 30);
    add(&old, "c", 0, 1, 40); /* changed */
    add(&now, "d", 0, 1, 40);
    add(&now, "e", 0, 1, 50);   /* new */
    add(&old, "f", 0, 1, 60);   /* gone */
    add(&old, "g", 0, 1, 2000); /* not read */
    counts(&old, &now, (const uint64_t[]){ 1, 1, 1, 1, 1, 1 });

    add(&old, "a", 0, 1, 10); /* another image, and another type */
    add(&now, "a", 1, 1, 10);
    add(&old, "b", 0, 1, 20);
    add(&now, "c", 0, 2, 20);
    counts(&old, &now, (const uint64_t[]){ 2, 0, 0, 0, 2, 0 });

    add(&old, "a", 0, 1, 10); /* of three copies two are left, one of them elsewhere */
    add(&old, "a", 0, 1, 20);
    add(&old, "a", 0, 1, 30);
    add(&now, "a", 0, 1, 25);
    add(&now, "a", 0, 1, 30);
    counts(&old, &now, (const uint64_t[]){ 0, 1, 0, 1, 1, 0 });
}

static void partners_know_each_other(void **state)
{
    struct diff_side old = { 0 }, now = { 0 };

    (void)state;
    add(&old, "x", 0, 1, 5);
    add(&old, "b", 0, 1, 20);
    add(&now, "b", 0, 1, 30);
    diff_sides(&old, &now, was_read, NULL);
    assert_int_equal(now.items[0].change, DIFF_MOVED);
    assert_int_equal(now.items[0].before, 20);
    assert_int_equal(now.items[0].partner, 1);
    diff_side_release(&old);
    diff_side_release(&now);
}

/* Xorshift: the same numbers each time. */
static uint32_t random_next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* A set: at each place a content or none. */
static void random_side(struct diff_side *side, int at[PLACES], uint32_t *random)
{
    for (int place = 0; place < PLACES; place++) {
        char content[2] = "";

        at[place] = (int)(random_next(random) % (CONTENTS + 1)) - 1;
        content[0] = (char)('a' + at[place]);
        if (at[place] >= 0)
            add(side, content, 0, 1, (uint64_t)place);
    }
}

static void random_sets_add_up(void **state)
{
    uint32_t random = 7;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct diff_side old = { 0 }, now = { 0 };
        int a[PLACES], b[PLACES], free_old[PLACES] = { 0 }, free_now[PLACES] = { 0 };
        uint64_t want[DIFF_CHANGES] = { 0 }, got[DIFF_CHANGES];
        uint64_t partners = 0, olds = 0, nows = 0;

        random_side(&old, a, &random);
        random_side(&now, b, &random);
        olds = old.count;
        nows = now.count;
        for (int c = 0; c < CONTENTS; c++) {
            uint64_t in_old = 0, in_now = 0;

            for (int place = 0; place < PLACES; place++) {
                in_old += a[place] == c;
                in_now += b[place] == c;
                want[DIFF_SAME] += a[place] == c && b[place] == c;
            }
            partners += in_old < in_now ? in_old : in_now;
        }
        diff_sides(&old, &now, was_read, NULL);
        diff_count(&old, &now, got);
        assert_int_equal(got[DIFF_SAME], want[DIFF_SAME]);
        assert_int_equal(got[DIFF_SAME] + got[DIFF_MOVED], partners);
        assert_int_equal(partners + got[DIFF_CHANGED] + got[DIFF_GONE], olds);
        assert_int_equal(partners + got[DIFF_CHANGED] + got[DIFF_NEW], nows);
        /* What is gone and what is new have no place in common: it would have changed. */
        for (size_t i = 0; i < old.count; i++)
            free_old[old.items[i].offset] = old.items[i].change == DIFF_GONE;
        for (size_t i = 0; i < now.count; i++)
            free_now[now.items[i].offset] = now.items[i].change == DIFF_NEW;
        for (int place = 0; place < PLACES; place++)
            assert_false(free_old[place] && free_now[place]);
        diff_side_release(&old);
        diff_side_release(&now);
    }
}

/* RFC 4231's key is not of 32 bytes; these are Python's:
 * hmac.new(bytes(range(32)), b"keys\0AKIAIOSFODNN7EXAMPLE", "sha256").hexdigest()[:16] */
static void fingerprints_and_masks(void **state)
{
    uint8_t key[SECRET_KEY_LEN];
    char out[DB_FINGERPRINT_HEX + 1], excerpt[SECRET_EXCERPT_MAX];

    (void)state;
    for (uint8_t i = 0; i < SECRET_KEY_LEN; i++)
        key[i] = i;
    secret_fingerprint(key, "keys", "AKIAIOSFODNN7EXAMPLE", 20, out);
    assert_string_equal(out, "59bef23ab27bda14");
    secret_mask("4111111111111111", 16, 6, excerpt);
    assert_string_equal(excerpt, "411111... (16 characters)");
    secret_mask("abcd", 4, 32, excerpt); /* half of it at most */
    assert_string_equal(excerpt, "ab... (4 characters)");
    secret_mask("abcd", 4, 0, excerpt);
    assert_string_equal(excerpt, "(4 characters)");
    secret_mask("\x1b[2Jxxxx", 8, 4, excerpt); /* what a terminal would obey */
    assert_string_equal(excerpt, ".[2J... (8 characters)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_is_told),
        cmocka_unit_test(partners_know_each_other),
        cmocka_unit_test(random_sets_add_up),
        cmocka_unit_test(fingerprints_and_masks),
    };
    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
