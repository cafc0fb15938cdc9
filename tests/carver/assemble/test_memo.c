/* SPDX-License-Identifier: Apache-2.0
 * Goal: an answer that is known is the one that was kept for this very question; one that is lost
 * is not known, and never another one; and so it is when several threads ask.
 * Method: many more questions than there are slots, whose answers follow from them by arithmetic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/share.h"
#include "carver/assemble/memo.h"

enum { QUESTIONS = 20 * MEMO_SLOTS, THREADS = 4 };

static struct memo_question ask(uint64_t number)
{
    struct memo_question question = { .words = { number % 3, number }, .count = 2 };

    if (number % 2 == 1) /* as long as can be: all but the last word are those of others */
        question = (struct memo_question){ .words = { 7, [MEMO_WORDS - 1] = number },
                                           .count = MEMO_WORDS };
    return question;
}

static uint64_t answer_of(uint64_t number)
{
    return number * number + 17;
}

static void keeps_and_knows(void *arg, size_t task, uint32_t thread)
{
    struct memo *memo = arg;

    (void)thread;
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        const uint64_t number = (i * 7 + task * 1001) % QUESTIONS, answer = answer_of(number);
        const struct memo_question question = ask(number);
        uint64_t known = 0;

        if (memo_knows(memo, &question, &known, sizeof known))
            assert_true(known == answer);
        memo_keep(memo, &question, &answer, sizeof answer);
    }
}

static void what_is_known_was_kept(void **state)
{
    struct memo *memo = NULL;
    struct err err = { 0 };
    const struct memo_question first = ask(0), other = ask(2);
    uint64_t answer = answer_of(0), known = 0;
    uint32_t count = 0;

    (void)state;
    assert_int_equal(memo_open(&memo, &err), ERR_OK);
    assert_false(memo_knows(memo, &first, &known, sizeof known));
    memo_keep(memo, &first, &answer, sizeof answer);
    assert_true(memo_knows(memo, &first, &known, sizeof known));
    assert_true(known == answer_of(0));
    assert_false(memo_knows(memo, &other, &known, sizeof known));

    share_out("memo", THREADS, THREADS, keeps_and_knows, memo);
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        const struct memo_question question = ask(i);

        known = 0;
        if (!memo_knows(memo, &question, &known, sizeof known))
            continue;
        assert_true(known == answer_of(i));
        count++;
    }
    assert_in_range(count, MEMO_SLOTS / 2, MEMO_SLOTS); /* nearly all slots are in use */
    memo_close(memo);
}

static void where_there_is_none_nothing_is_known(void **state)
{
    const struct memo_question question = ask(1);
    uint64_t answer = 1;

    (void)state;
    memo_keep(NULL, &question, &answer, sizeof answer);
    assert_false(memo_knows(NULL, &question, &answer, sizeof answer));
    memo_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_was_kept),
        cmocka_unit_test(where_there_is_none_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
