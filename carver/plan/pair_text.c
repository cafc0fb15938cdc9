/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair_text.c - see pair_text.h. */
#include "carver/plan/pair_text.h"

enum { TEXT_BLOCK = 4096 };

struct pair_text_reader {
    pair_text_read_fn read;
    void *arg;
};

static bool pair_text_is(uint8_t byte)
{
    return (byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* The end of the text that begins at `at`, at most `to`. */
static enum err_code pair_text_forward(const struct pair_text_reader *in, uint64_t at, uint64_t to,
                                       uint64_t *end, struct err *err)
{
    uint8_t block[TEXT_BLOCK];

    for (*end = at; *end < to;) {
        const uint32_t len = to - *end < TEXT_BLOCK ? (uint32_t)(to - *end) : TEXT_BLOCK;
        enum err_code rc = in->read(in->arg, *end, block, len, err);

        for (uint32_t i = 0; rc == ERR_OK && i < len; i++) {
            if (!pair_text_is(block[i]))
                return ERR_OK;
            ++*end;
        }
        if (rc != ERR_OK)
            return rc;
    }
    return ERR_OK;
}

/* The start of the text that ends before `at`, at least `from`. */
static enum err_code pair_text_back(const struct pair_text_reader *in, uint64_t at, uint64_t from,
                                    uint64_t *begin, struct err *err)
{
    uint8_t block[TEXT_BLOCK];

    for (*begin = at; *begin > from;) {
        const uint32_t len = *begin - from < TEXT_BLOCK ? (uint32_t)(*begin - from) : TEXT_BLOCK;
        enum err_code rc = in->read(in->arg, *begin - len, block, len, err);

        for (uint32_t i = len; rc == ERR_OK && i > 0; i--) {
            if (!pair_text_is(block[i - 1]))
                return ERR_OK;
            --*begin;
        }
        if (rc != ERR_OK)
            return rc;
    }
    return ERR_OK;
}

enum err_code pair_text_expand(struct pair_text *last, uint64_t range_offset, uint64_t range_end,
                               uint64_t size_max, pair_text_read_fn read, void *arg,
                               struct pair_range *range, bool *fresh, struct err *err)
{
    const struct pair_text_reader in = { read, arg };
    const uint64_t reach = size_max < PAIR_TEXT_MAX ? size_max : PAIR_TEXT_MAX;
    const uint64_t start = range->offset, start_end = range->offset + range->len;
    uint64_t from = last->end > range_offset ? last->end : range_offset;
    uint64_t to = range_end, begin = start, end = start_end;

    *fresh = start >= last->end;
    if (!*fresh)
        return ERR_OK;
    if (start - from > reach)
        from = start - reach;
    if (to - start > reach)
        to = start + reach;
    enum err_code rc = pair_text_back(&in, start, from, &begin, err);
    if (rc == ERR_OK && to > start_end)
        rc = pair_text_forward(&in, start_end, to, &end, err);
    if (rc != ERR_OK)
        return rc;
    *last = (struct pair_text){ begin, end };
    range->offset = begin;
    range->len = end - begin;
    return ERR_OK;
}
