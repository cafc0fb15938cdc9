/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_feature.c - text in which all packs of features are looked for, in all forms.
 *
 * Found: crashes; reads outside of the text; matches outside of it; another set of matches where
 * the text is gone over in two parts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carver/feature/feature.h"
#include "match/engine.h"

enum { HITS = 1 << 16, TEXT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

/* All matches that begin in [from, to); a part more for each. */
static void scan(const struct match_finder *finder, const struct match_text *text, uint32_t from,
                 uint32_t to, struct match_sink *sink)
{
    const uint32_t before = sink->count;

    must(finder->scan(finder->arg, text, from, to, sink));
    for (uint32_t i = before; i < sink->count; i++) {
        const struct hit *hit = &sink->items[i];

        must(hit->offset >= text->offset + from && hit->offset < text->offset + to);
        must(hit->len > 0 && hit->offset - text->offset + hit->len <= text->len);
    }
}

static uint64_t sum(const struct match_sink *sink)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < sink->count; i++)
        all += (sink->items[i].offset * 31 + sink->items[i].pattern) * 31 + sink->items[i].len;
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hit items[2][HITS];
    struct match_sink whole = { .items = items[0], .max = HITS };
    struct match_sink parts = { .items = items[1], .max = HITS };
    struct feature_finder finder = { .form_count = FEATURE_FORMS };
    const uint32_t len = size < TEXT_MAX ? (uint32_t)size : TEXT_MAX;
    uint8_t *bytes = malloc(len + 1); /* its end is watched */
    char value[FEATURE_LEN_MAX + 1];

    must(bytes != NULL);
    if (len > 0)
        memcpy(bytes, data, len);
    finder.forms[1].zeros_after = 1;
    finder.forms[2].zeros_before = 1;
    for (uint32_t form = 0; form < FEATURE_FORMS; form++)
        for (uint32_t pack = 0; pack < FEATURE_PACKS; pack++)
            finder.forms[form].pattern[pack] = form * FEATURE_PACKS + pack;
    const struct match_finder match = feature_match(&finder);
    const struct match_text text = { .bytes = bytes, .len = len, .offset = 1000 };
    const uint32_t middle = len > 0 ? bytes[0] * len / 256 : 0;
    scan(&match, &text, 0, len, &whole);
    scan(&match, &text, 0, middle, &parts);
    scan(&match, &text, middle, len, &parts);
    must(whole.count == parts.count && sum(&whole) == sum(&parts));
    for (uint32_t i = 0; i < whole.count; i++) {
        const struct feature_form *form = &finder.forms[whole.items[i].pattern / FEATURE_PACKS];
        const uint32_t given = feature_value(
            whole.items[i].pattern % FEATURE_PACKS, bytes + (whole.items[i].offset - text.offset),
            whole.items[i].len, form->zeros_before, form->zeros_after, value);

        must(given <= FEATURE_LEN_MAX && strlen(value) == given);
    }
    free(bytes);
    return 0;
}
