/* SPDX-License-Identifier: Apache-2.0
 * match/quick_search/quick_search.c - Quick Search: each keyword by itself slides over the text,
 * and the byte behind its window says how far. See quick_search.h.
 *
 * The text is taken in parts that stay in the cache while one keyword after the other goes over it.
 */
#include <stdlib.h>

#include "match/quick_search/quick_search.h"

enum {
    QUICK_SEARCH_COUNT = 2, /* most keywords with which it may be the fastest engine */
    QUICK_SEARCH_LEN = 32,  /* fewest bytes of each of them */
};

static const char *quick_search_missing(void)
{
    return NULL;
}

void quick_search_release(void *program)
{
    struct quick_search *search = program;

    if (search == NULL)
        return;
    match_literals_close(&search->literals);
    free(search->skips);
    free(search);
}

enum err_code quick_search_compile(const struct match_dictionary *dictionary,
                                   const struct match_setup *setup, void **program, struct err *err)
{
    struct quick_search *search = calloc(1, sizeof *search);

    *program = NULL;
    if (search == NULL)
        return ERR_NO_MEMORY(err, sizeof *search);
    search->threads = setup->threads;
    enum err_code rc = match_literals_open(dictionary, &search->literals, err);
    if (rc == ERR_OK) {
        search->skips = malloc((search->literals.count + 1u) * sizeof *search->skips);
        if (search->skips == NULL)
            rc = ERR_NO_MEMORY(err, (search->literals.count + 1u) * sizeof *search->skips);
    }
    if (rc != ERR_OK) {
        quick_search_release(search);
        return rc;
    }
    for (uint32_t i = 0; i < search->literals.count; i++)
        quick_search_skips(&search->literals.items[i], search->skips[i]);
    *program = search;
    return ERR_OK;
}

void quick_search_keyword(const struct quick_search *search, uint32_t k,
                          const struct match_text *text, uint32_t from, uint32_t to,
                          struct sink_part *hits)
{
    const struct match_literal *literal = &search->literals.items[k];
    const uint32_t len = literal->len;
    const uint8_t *skip = search->skips[k];
    uint32_t past = from + 1 > len ? from + 1 : len; /* behind the window */

    while (past <= to) {
        const uint32_t start = past - len;

        if (match_place_takes(literal, len - 1, text->bytes[past - 1]) &&
            match_literal_equal(literal, text->bytes + start) &&
            !sink_part_add(hits, (struct hit){ .offset = text->offset + start,
                                               .pattern = literal->index,
                                               .len = len }))
            return;
        if (past == to)
            return;
        past += skip[text->bytes[past]] + 1u;
    }
}

static bool quick_search_scan(const void *program, const struct match_text *text, uint32_t from,
                              uint32_t to, struct match_sink *sink)
{
    const struct quick_search *search = program;
    struct sink_writer writer;
    struct sink_part hits;

    sink_writer_init(&writer, sink, false);
    sink_part_init(&hits, &writer);
    for (uint32_t at = from; at < to; at += QUICK_SEARCH_PART) {
        const uint32_t end = to - at > QUICK_SEARCH_PART ? at + QUICK_SEARCH_PART : to;

        for (uint32_t k = 0; k < search->literals.count && !sink_writer_full(&writer); k++)
            quick_search_keyword(search, k, text, at, end, &hits);
    }
    return sink_writer_end(&writer);
}

/* Two long keywords at most: a scan goes over the text once for each of them. */
static bool quick_search_suits(const struct match_dictionary *dictionary)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        if (pattern->len < QUICK_SEARCH_LEN || ++count > QUICK_SEARCH_COUNT)
            return false;
    }
    return count > 0;
}

const struct match_engine match_quick_search_engine = {
    .name = "quick-search",
    .what = "Quick Search, keyword by keyword",
    .device = "CPU",
    .missing = quick_search_missing,
    .good_for = "one or two long patterns",
    .suits = quick_search_suits,
    .compile = quick_search_compile,
    .release = quick_search_release,
    .scan = quick_search_scan,
};
