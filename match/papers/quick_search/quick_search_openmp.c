/* SPDX-License-Identifier: Apache-2.0
 * match/papers/quick_search/quick_search_openmp.c - the engine quick-search:openmp.
 *
 * The thesis (match/quick_search/quick_search.h names it; section 7.2.2) gives each thread a
 * keyword. Here a thread takes a keyword in a part of the text, so that a few keywords too keep
 * many threads busy.
 */
#include "match/quick_search/quick_search.h"

enum { QUICK_SEARCH_LONG = 16 }; /* parts for each thread, from which on a text is long */

static const char *openmp_missing(void)
{
#ifdef _OPENMP
    return NULL;
#else
    return "this build has no OpenMP";
#endif
}

/* A thread takes all keywords over some parts of a long text, or else one keyword over one part. */
static bool openmp_scan(const void *program, const struct match_text *text, uint32_t from,
                        uint32_t to, struct match_sink *sink)
{
    const struct quick_search *search = program;
    const uint32_t parts = (to - from + QUICK_SEARCH_PART - 1) / QUICK_SEARCH_PART;
    const bool is_long = parts >= search->threads * QUICK_SEARCH_LONG;
    const uint32_t each = is_long ? search->literals.count : 1,
                   shares = is_long ? 1 : search->literals.count;
    const uint32_t chunk = is_long ? QUICK_SEARCH_LONG / 4 : 1;
    struct sink_writer writer;

    (void)chunk; /* without OpenMP */
    sink_writer_init(&writer, sink, true);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, chunk) num_threads(search->threads) if (parts > 1)
#endif
    for (uint64_t i = 0; i < (uint64_t)parts * shares; i++) {
        const uint32_t at = from + (uint32_t)(i / shares) * QUICK_SEARCH_PART,
                       first = (uint32_t)(i % shares);
        const uint32_t end = to - at > QUICK_SEARCH_PART ? at + QUICK_SEARCH_PART : to;
        struct sink_part hits;

        sink_part_init(&hits, &writer);
        for (uint32_t k = first; k < first + each && !sink_writer_full(&writer); k++)
            quick_search_keyword(search, k, text, at, end, &hits);
        (void)sink_part_end(&hits); /* the share knows when it was too full */
    }
    return sink_writer_end(&writer);
}

const struct match_engine match_quick_search_openmp_engine = {
    .name = "quick-search:openmp",
    .what = "Quick Search, keywords and parts of the text spread over threads by OpenMP",
    .device = "CPU",
    .threads_itself = true,
    .missing = openmp_missing,
    .compile = quick_search_compile,
    .release = quick_search_release,
    .scan = openmp_scan,
};
