/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_scan.c - one pass over a text for all packs: see feature.h. */
#include <string.h>

#include "carver/feature/feature_masks.h"
#include "match/engine.h"

enum { SCAN_WORD = 64 };

typedef bool (*feature_fn)(const struct feature_view *view, struct feature_span *out);

static const feature_fn feature_functions[] = {
#define PACK(id, name, what) feature_##name,
#include "carver/feature/packs.def"
#undef PACK
};

/*
 * Characters between the beginning of a feature and the place at which its function is asked, at
 * most; a place may also lie before what it gives.
 */
enum { SCAN_LEAD = FEATURE_LEFT };

struct feature_walk {
    const struct match_text *text;
    uint32_t from, to; /* features that begin here are told */
    struct match_sink *sink;
};

/* Classes of the 64 bytes from text index `at` on; outside of the text there are zeros. */
static void walk_classify(const struct match_text *text, int64_t at, uint64_t words[CLASSES])
{
    uint8_t edge[SCAN_WORD] = { 0 };

    if (at >= 0 && at + SCAN_WORD <= text->len) {
        feature_classify(text->bytes + at, words);
        return;
    }
    const int64_t first = at < 0 ? 0 : at;
    const int64_t end = at + SCAN_WORD < text->len ? at + SCAN_WORD : text->len;
    if (first < end)
        memcpy(edge + (first - at), text->bytes + first, (size_t)(end - first));
    feature_classify(edge, words);
}

/* Asks the function at all places of a word that begins at text index `at`; false: no room. */
static bool walk_places(const struct feature_walk *walk, const struct feature_form *form,
                        enum feature_pack pack, int64_t at, uint64_t places)
{
    struct feature_view view = { .bytes = walk->text->bytes,
                                 .len = walk->text->len,
                                 .unit = 1 + form->zeros_before + form->zeros_after,
                                 .zero_at = form->zeros_after - form->zeros_before };
    struct feature_span span;

    for (; places != 0; places &= places - 1) {
        view.at = at + __builtin_ctzll(places);
        if (!feature_functions[pack](&view, &span))
            continue;
        const int64_t begins = view.at + (int64_t)span.from * view.unit - form->zeros_before;
        if (begins < walk->from || begins >= walk->to)
            continue;
        if (walk->sink->count == walk->sink->max)
            return false;
        walk->sink->items[walk->sink->count++] =
            (struct hit){ .offset = walk->text->offset + (uint64_t)begins,
                          .pattern = form->pattern[pack],
                          .len = (uint32_t)((span.to - span.from) * view.unit) };
    }
    return true;
}

static bool walk_form(const struct feature_walk *walk, const struct feature_words *words,
                      const struct feature_form *form, int64_t at)
{
    uint64_t places[FEATURE_PACKS];
    bool fits = true;

    if (!feature_places(words, form, places))
        return true;
    for (uint32_t pack = 0; pack < FEATURE_PACKS && fits; pack++)
        if (form->pattern[pack] != FEATURE_NONE && places[pack] != 0)
            fits = walk_places(walk, form, pack, at, places[pack]);
    return fits;
}

static bool feature_scan(const void *arg, const struct match_text *text, uint32_t from, uint32_t to,
                         struct match_sink *sink)
{
    const struct feature_finder *finder = arg;
    const struct feature_walk walk = { .text = text, .from = from, .to = to, .sink = sink };
    const int64_t lead = 2 * SCAN_LEAD;
    const int64_t end = to + lead < text->len ? to + lead : text->len;
    struct feature_words words;
    int64_t at = (int64_t)from - lead;
    bool fits = true;

    at = at < 0 ? 0 : at;
    walk_classify(text, at - SCAN_WORD, words.here);
    walk_classify(text, at, words.next);
    for (; at < end && fits; at += SCAN_WORD) {
        memcpy(words.last, words.here, sizeof words.last);
        memcpy(words.here, words.next, sizeof words.here);
        walk_classify(text, at + SCAN_WORD, words.next);
        for (uint32_t i = 0; i < finder->form_count && fits; i++)
            fits = walk_form(&walk, &words, &finder->forms[i], at);
    }
    return fits;
}

struct match_finder feature_match(const struct feature_finder *finder)
{
    return (struct match_finder){ .before = FEATURE_BEFORE, .scan = feature_scan, .arg = finder };
}
