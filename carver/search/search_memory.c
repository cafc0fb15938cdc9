/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_memory.c - see search_memory.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/pipeline_slots.h"
#include "carver/search/search_memory.h"
#include "match/matcher.h"

enum {
    MEMORY_ROWS = 160 << 20, /* bytes of the hits and rows that are under way, and of SQLite */
    MEMORY_HITS = 2,         /* bytes of hits for a byte of a segment, at most */
    MEMORY_MIB = 1 << 20,
};

/* What is there by now. */
static uint64_t memory_words(const struct keyword_set *keywords, const struct patterns *patterns)
{
    return keywords->arena.used + keywords->room * sizeof *keywords->items +
           match_dictionary_bytes(patterns->dictionary) + patterns->count * sizeof *patterns->uses;
}

/* Segments of all threads and their hits, rows and their numbers. */
static uint64_t memory_scan(const struct patterns *patterns, const struct scan_how *how)
{
    const uint64_t segments = (uint64_t)pipeline_threads(how->threads, how->segment_len) *
                              pipeline_slots(how->threads, how->segment_len, false);

    return segments * how->segment_len * (1 + MEMORY_HITS) + patterns->count * sizeof(int64_t) +
           MEMORY_ROWS;
}

enum err_code search_memory(const struct keyword_set *keywords, const struct patterns *patterns,
                            const struct scan_how *how, char note[SEARCH_MEMORY_NOTE],
                            struct err *err)
{
    struct match_needs needs;

    note[0] = '\0';
    if (patterns->count < SEARCH_LONG)
        return ERR_OK;
    match_needs(patterns->dictionary, how->engine, &needs);
    const uint64_t words = memory_words(keywords, patterns),
                   more = needs.bytes + memory_scan(patterns, how);
    const uint64_t left = memory_left("/proc", "/sys/fs/cgroup");

    snprintf(note, SEARCH_MEMORY_NOTE,
             "%" PRIu32 " keywords in %" PRIu32 " encoding%s make %" PRIu32
             " patterns; with engine %s they take %s%" PRIu64 " MiB of memory",
             keywords->word_count, keywords->encoding_count, plural_s(keywords->encoding_count),
             patterns->count, needs.engine, needs.bytes == 0 ? "more than " : "about ",
             (words + more) / MEMORY_MIB + 1);
    if (more <= left)
        return ERR_OK;
    return ERR_RAISE(err, ERR_ENV,
                     "%s, and %" PRIu64 " MiB are free: close other programs, name fewer "
                     "--encoding, or split the list (split -l %" PRIu32
                     ") and search once for each part",
                     note, left / MEMORY_MIB, keywords->word_count / 2 + 1);
}
