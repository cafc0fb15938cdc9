/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_unit.c - arbitrary bytes as a unit of a triage: all headers, validators and facts
 * on what a unit has of files, keywords, classes.
 *
 * The first byte says where in the image the unit lies. Found: crashes, reads outside of the unit,
 * finds outside of it, answers that are not the same a second time.
 */
#include <stdlib.h>
#include <string.h>

#include "carver/select/types.h"
#include "carver/triage/unit_look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
    struct types_selection types;
    struct patterns files, words;
    struct keyword_set keywords;
    struct known_scan known;
    struct match_matcher *file_matcher, *word_matcher;
    struct unit_aim aim;
    struct unit_looker *looker;
};

static void must(enum err_code rc)
{
    if (rc != ERR_OK)
        abort();
}

static struct fuzz *fuzz_open(void)
{
    static struct fuzz fuzz;
    const struct match_options options = { .threads = 1, .slots = 1, .segment_len = UNIT_MOST };

    if (fuzz.looker != NULL)
        return &fuzz;
    must(types_select(NULL, &fuzz.types, NULL));
    must(patterns_build(fuzz.types.sigs, fuzz.types.count, &fuzz.files, NULL));
    must(match_open(fuzz.files.dictionary, &options, &fuzz.file_matcher, NULL));
    must(keyword_set_open("utf-8,utf-16le", true, &fuzz.keywords, NULL));
    must(keyword_add(&fuzz.keywords, "Stra\u00dfe", NULL));
    must(keyword_add(&fuzz.keywords, "key", NULL));
    must(keyword_patterns(&fuzz.keywords, &fuzz.words, NULL));
    must(match_open(fuzz.words.dictionary, &options, &fuzz.word_matcher, NULL));
    fuzz.aim = (struct unit_aim){ .sigs = fuzz.types.sigs,
                                  .files = &fuzz.files,
                                  .file_matcher = fuzz.file_matcher,
                                  .keywords = &fuzz.keywords,
                                  .keyword_matcher = fuzz.word_matcher,
                                  .known = &fuzz.known,
                                  .unit = UNIT_MOST,
                                  .image_size = UINT64_C(1) << 40 };
    must(unit_look_open(&fuzz.aim, &fuzz.looker, NULL));
    return &fuzz;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz *fuzz = fuzz_open();
    static struct unit_found before[UNIT_FOUND_MAX];

    if (size < 2 || size - 1 > UNIT_MOST)
        return 0;
    /* At its end the image ends with the unit. */
    const uint32_t len = (uint32_t)size - 1;
    const uint64_t offset =
        data[0] == 255 ? fuzz->aim.image_size - len : (uint64_t)data[0] * UNIT_MOST;
    uint8_t *bytes = malloc(len);
    struct unit_seen seen, again;

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data + 1, len);
    must(unit_look(fuzz->looker, offset, bytes, len, &seen, NULL));
    for (uint32_t i = 0; i < seen.found_count; i++) {
        const struct unit_found *found = &seen.found[i];

        if (found->offset < offset || found->offset >= offset + len ||
            (found->kind == UNIT_KEYWORD && found->offset + found->len > offset + len))
            abort();
        before[i] = *found;
    }
    must(unit_look(fuzz->looker, offset, bytes, len, &again, NULL));
    if (again.what != seen.what || again.found_count != seen.found_count || again.full != seen.full)
        abort();
    for (uint32_t i = 0; i < again.found_count; i++)
        if (again.found[i].offset != before[i].offset || again.found[i].len != before[i].len ||
            again.found[i].type != before[i].type || again.found[i].date != before[i].date)
            abort();
    free(bytes);
    return 0;
}
