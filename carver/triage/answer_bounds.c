/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_bounds.c - what was not met, and what was not read, for people; see
 * answer_print.h. */
#include <inttypes.h>
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/triage/answer_print.h"
#include "carver/triage/answer_words.h"

/* Keywords that were not met, in any encoding: those of one word follow each other. */
static void text_unseen_words(FILE *out, const struct answer *answer, int percent)
{
    const struct keyword *items = answer->keywords->items;
    uint32_t words = 0, unmet = 0;

    for (uint32_t i = 0, next; i < answer->whole.keyword_count; i = next) {
        bool met = false;

        for (next = i;
             next < answer->whole.keyword_count && strcmp(items[next].text, items[i].text) == 0;
             next++)
            met |= answer->whole.keywords[next].count + answer->rest.keywords[next].count > 0;
        words++;
        unmet += !met;
    }
    if (unmet == 0)
        return;
    text_head(out, "NOT SEEN", "keywords");
    fprintf(out, "%" PRIu32 " of %" PRIu32 " word%s: each is in no more than ", unmet, words,
            plural_s(words));
    text_about(out, (double)answer_unseen(answer));
    fprintf(out, " places of %" PRIu32 " KiB, %d %%\n", answer->unit / 1024, percent);
}

/* What was asked for and not met. */
static void text_unseen(FILE *out, const struct answer *answer)
{
    const uint64_t unseen = answer_unseen(answer);
    const int percent = (int)(100 * answer->confidence + 0.5);
    static const enum sig_category about[] = { SIG_CATEGORY_PICTURES,  SIG_CATEGORY_VIDEO,
                                               SIG_CATEGORY_DATABASES, SIG_CATEGORY_MAIL,
                                               SIG_CATEGORY_DOCUMENTS, SIG_CATEGORY_KEYS };

    for (uint32_t i = 0; i < answer->whole.set_count; i++) {
        const struct known_set *set = &answer->known->sets[i];

        if (answer_met(&answer->whole.sets[i], &answer->rest.sets[i]).count > 0)
            continue;
        text_head(out, "NOT SEEN", "known");
        fputs("set \"", out);
        print_safe(out, set->about.label[0] != '\0' ? set->about.label : set->path);
        fputs("\": no more than ", out);
        text_bytes(out, answer_unseen_bytes(answer));
        fprintf(out, ", %d %%; a run of ", percent);
        text_bytes(out, answer_certain(answer));
        fputs(" would have been met\n", out);
    }
    if (answer->whole.keyword_count > 0)
        text_unseen_words(out, answer, percent);
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++) {
        if (answer_has(answer, about[i]))
            continue;
        text_head(out, "NOT SEEN", sig_category_name(about[i]));
        if (unseen == 0) {
            fputs("none begins on a sector of the image\n", out);
            continue;
        }
        fputs("they begin in no more than ", out);
        text_about(out, (double)unseen);
        fprintf(out, " places of %" PRIu32 " KiB, %d %%\n", answer->unit / 1024, percent);
    }
}

static void text_unreadable(FILE *out, const struct answer *answer)
{
    const uint64_t units = answer_unreadable(answer);
    const struct answer_number share = answer_share(answer, units);

    if (units == 0)
        return;
    text_head(out, "NOT READ", "content");
    fprintf(out,
            "%" PRIu64 " of %" PRIu64 " places: %.2f %% of the image (%.2f to %.2f); nothing is "
            "said of them, and bounds count them as not seen\n",
            units, answer->whole.units, 100 * share.value, 100 * share.low, 100 * share.high);
}

void answer_print_bounds(FILE *out, const struct answer *answer)
{
    text_unseen(out, answer);
    text_unreadable(out, answer);
}
