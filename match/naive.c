/* SPDX-License-Identifier: Apache-2.0
 * match/naive.c - every pattern compared at every offset: slow, obvious, and the oracle for every
 * other engine.
 *
 * It shares no code with them on purpose.
 */
#include <stdlib.h>

#include "match/engine.h"

struct naive {
    const struct match_dictionary *dictionary;
};

static const char *naive_missing(void)
{
    return NULL;
}

static enum err_code naive_compile(const struct match_dictionary *dictionary,
                                   const struct match_setup *setup, void **program, struct err *err)
{
    struct naive *naive = malloc(sizeof *naive);

    (void)setup;
    if (naive == NULL)
        return ERR_NO_MEMORY(err, sizeof *naive);
    naive->dictionary = dictionary;
    *program = naive;
    return ERR_OK;
}

/* Not match_other_case: this engine is what the others are compared with. */
static uint8_t naive_other_case(uint8_t byte)
{
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');

    return letter ? byte ^ 0x20 : byte;
}

static bool naive_matches(const struct match_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];
        const uint8_t want = pattern->bytes[i];

        if ((text[i] & mask) == (want & mask))
            continue;
        if (!pattern->fold_case || (text[i] & mask) != (naive_other_case(want) & mask))
            return false;
    }
    return true;
}

static bool naive_scan(const void *program, const struct match_text *text, uint32_t from,
                       uint32_t to, struct match_sink *sink)
{
    const struct match_dictionary *dictionary = ((const struct naive *)program)->dictionary;
    const uint32_t before = sink->count;

    for (uint32_t last = from; last < to; last++) {
        for (uint32_t p = 0; p < match_dictionary_count(dictionary); p++) {
            const struct match_pattern *pattern = match_dictionary_get(dictionary, p);

            if (pattern->kind != MATCH_LITERAL || pattern->len > last + 1)
                continue;
            const uint32_t start = last + 1 - pattern->len;
            if (!naive_matches(pattern, text->bytes + start))
                continue;
            if (sink->count == sink->max) {
                sink->count = before;
                return false;
            }
            sink->items[sink->count++] =
                (struct hit){ .offset = text->offset + start, .pattern = p, .len = pattern->len };
        }
    }
    return true;
}

const struct match_engine match_naive_engine = {
    .name = "naive",
    .what = "every pattern compared at every offset; slow, for checking the others",
    .device = "CPU",
    .missing = naive_missing,
    .compile = naive_compile,
    .release = free,
    .scan = naive_scan,
};
