/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/text/test_text_summed.c - the CRC of a file that is read from its beginning on is
 * that of its bytes, whatever was read, and in which order; and what was read last is not read
 * again.
 *
 * The CRC of all bytes in one go is the oracle; the source counts the bytes that it gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carver/text/text_summed.h"
#include "signatures/crc64.h"

enum { LEN = 100000, BEGIN = 1000, BLOCK = 4096 };

struct blocks {
    struct sig_source source;
    uint8_t bytes[LEN];
    uint64_t given;
};

/* What lies in one block, and more of it where more is wanted. */
static const uint8_t *view(struct sig_source *source, uint64_t at, uint32_t want, uint32_t *have)
{
    struct blocks *blocks = (struct blocks *)source;
    const uint64_t rest = BLOCK - at % BLOCK, len = rest < want ? want : rest;

    if (at + want > LEN)
        return NULL;
    *have = at + len <= LEN ? (uint32_t)len : (uint32_t)(LEN - at);
    blocks->given += *have;
    return blocks->bytes + at;
}

static struct blocks blocks = { .source = { view } };

static void assert_sum(struct text_summed *summed, uint64_t end)
{
    assert_int_equal(text_summed_to(summed, end), crc64_add(0, blocks.bytes + BEGIN, end - BEGIN));
}

static void read_at(struct text_summed *summed, uint64_t at, uint32_t want)
{
    uint32_t have = 0;

    assert_non_null(summed->source.view(&summed->source, at, want, &have));
    assert_true(have >= want);
}

static void in_order(void **state)
{
    struct text_summed summed;

    (void)state;
    text_summed_open(&summed, &blocks.source, BEGIN);
    assert_sum(&summed, BEGIN);
    for (uint64_t at = BEGIN; at < LEN - BLOCK; at += 100)
        read_at(&summed, at, 120);
    for (uint64_t end = summed.now.at - BLOCK; end <= summed.now.at; end += 97) {
        blocks.given = 0;
        assert_sum(&summed, end);
        assert_in_range(blocks.given, 0, 2 * BLOCK);
    }
    assert_sum(&summed, BEGIN + 1); /* long forgotten */
    assert_sum(&summed, LEN);       /* not read yet */
}

static void in_any_order(void **state)
{
    struct text_summed summed;
    uint32_t drawn = 7;

    (void)state;
    text_summed_open(&summed, &blocks.source, BEGIN);
    read_at(&summed, BEGIN + 50000, 4); /* ahead of all that was read */
    for (uint32_t i = 0; i < 400; i++) {
        drawn = drawn * 1103515245 + 12345;
        read_at(&summed, BEGIN + drawn / 7 % (LEN - BEGIN - 200), 1 + drawn / 3 % 200);
        assert_sum(&summed, BEGIN + drawn / 5 % (LEN - BEGIN));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(in_any_order),
    };
    for (uint32_t i = 0; i < LEN; i++)
        blocks.bytes[i] = (uint8_t)(i * i * 31 + i / 7);
    return cmocka_run_group_tests_name("sums of text", tests, NULL, NULL);
}
