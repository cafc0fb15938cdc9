/*
 * match/papers/quick_search/quick_search.c - Quick Search: each keyword by itself slides over the
 * text, and the byte behind its window says how far.
 *
 * The algorithm of the thesis on Bloom filters and Quick Search, chapter 7 (Sunday's variant of
 * Boyer-Moore, which keeps the bad character rule alone): section 7.2.1 is the serial form, 7.2.2
 * the OpenMP form, in which each thread takes a keyword. Here the text is taken in parts that stay
 * in the cache, and in the OpenMP form a thread takes a keyword in a part, so that a few keywords
 * too keep many threads busy.
 *
 * Masks and case folding, of which the thesis knows nothing: a place that takes several bytes gives
 * all of them its shift.
 *
 * Time: keywords * n / length for n bytes on average, keywords * n * length at worst (zeros in
 * zeros): good for few and long keywords alone.
 */
#include <stdlib.h>

#include "match/engine.h"
#include "match/papers/quick_search/quick_search.h"
#include "match/pattern/share.h"

enum {
    QUICK_SEARCH_PART = 16 * 1024, /* bytes; half of a first cache, the other half for shifts */
    QUICK_SEARCH_LONG = 16,        /* parts for each thread, from which on a text is long */
};

struct quick_search {
    struct match_literals literals;
    uint8_t (*skips)[256]; /* [literals.count] */
    uint32_t threads;
};

static const char *quick_search_missing(void)
{
    return NULL;
}

static void quick_search_release(void *program)
{
    struct quick_search *search = program;

    if (search == NULL)
        return;
    match_literals_close(&search->literals);
    free(search->skips);
    free(search);
}

static enum err_code quick_search_compile(const struct match_dictionary *dictionary,
                                          const struct match_setup *setup, void **program,
                                          struct err *err)
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

/* The matches of keyword k whose last byte lies in text [from, to), as long as there is room for
 * them. */
static void quick_search_keyword(const struct quick_search *search, uint32_t k,
                                 const struct match_text *text, uint32_t from, uint32_t to,
                                 struct match_part *hits)
{
    const struct match_literal *literal = &search->literals.items[k];
    const uint32_t len = literal->len;
    const uint8_t *skip = search->skips[k];
    uint32_t past = from + 1 > len ? from + 1 : len; /* behind the window */

    while (past <= to) {
        const uint32_t start = past - len;

        if (match_place_takes(literal, len - 1, text->bytes[past - 1]) &&
            match_literal_equal(literal, text->bytes + start) &&
            !match_part_add(hits, (struct hit){ .offset = text->offset + start,
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
    struct match_share share;
    struct match_part hits;

    match_share_init(&share, sink, false);
    match_part_init(&hits, &share);
    for (uint32_t at = from; at < to; at += QUICK_SEARCH_PART) {
        const uint32_t end = to - at > QUICK_SEARCH_PART ? at + QUICK_SEARCH_PART : to;

        for (uint32_t k = 0; k < search->literals.count && !match_share_full(&share); k++)
            quick_search_keyword(search, k, text, at, end, &hits);
    }
    return match_share_end(&share);
}

static const char *quick_search_openmp_missing(void)
{
#ifdef _OPENMP
    return NULL;
#else
    return "this build has no OpenMP";
#endif
}

/* A thread takes all keywords over some parts of a long text, or else one keyword over one part. */
static bool quick_search_scan_openmp(const void *program, const struct match_text *text,
                                     uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct quick_search *search = program;
    const uint32_t parts = (to - from + QUICK_SEARCH_PART - 1) / QUICK_SEARCH_PART;
    const bool is_long = parts >= search->threads * QUICK_SEARCH_LONG;
    const uint32_t each = is_long ? search->literals.count : 1,
                   shares = is_long ? 1 : search->literals.count;
    const uint32_t chunk = is_long ? QUICK_SEARCH_LONG / 4 : 1;
    struct match_share share;

    (void)chunk; /* without OpenMP */
    match_share_init(&share, sink, true);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, chunk) num_threads(search->threads) if (parts > 1)
#endif
    for (uint64_t i = 0; i < (uint64_t)parts * shares; i++) {
        const uint32_t at = from + (uint32_t)(i / shares) * QUICK_SEARCH_PART,
                       first = (uint32_t)(i % shares);
        const uint32_t end = to - at > QUICK_SEARCH_PART ? at + QUICK_SEARCH_PART : to;
        struct match_part hits;

        match_part_init(&hits, &share);
        for (uint32_t k = first; k < first + each && !match_share_full(&share); k++)
            quick_search_keyword(search, k, text, at, end, &hits);
        (void)match_part_end(&hits); /* the share knows when it was too full */
    }
    return match_share_end(&share);
}

const struct match_engine match_quick_search_engine = {
    .name = "quick-search",
    .what = "Quick Search, keyword by keyword",
    .device = "CPU",
    .missing = quick_search_missing,
    .compile = quick_search_compile,
    .release = quick_search_release,
    .scan = quick_search_scan,
};

const struct match_engine match_quick_search_openmp_engine = {
    .name = "quick-search:openmp",
    .what = "Quick Search, keywords and parts of the text spread over threads by OpenMP",
    .device = "CPU",
    .threads_itself = true,
    .missing = quick_search_openmp_missing,
    .compile = quick_search_compile,
    .release = quick_search_release,
    .scan = quick_search_scan_openmp,
};
