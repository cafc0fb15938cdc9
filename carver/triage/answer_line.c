/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_line.c - an image among others, in a line; see answer_print.h. */
#include <inttypes.h>

#include "carver/cli/print_safe.h"
#include "carver/triage/answer_print.h"
#include "carver/triage/answer_words.h"

void answer_print_line(FILE *out, const struct answer *answer)
{
    const enum answer_word word = answer_word(answer);
    static const char *const words[] = { [ANSWER_RED] = "RED",
                                         [ANSWER_AMBER] = "AMBER",
                                         [ANSWER_UNKNOWN] = "UNKNOWN",
                                         [ANSWER_CLEAR] = "CLEAR" };
    uint64_t blocks = 0, keys = 0, keywords = 0, locked = 0;

    fprintf(out, "%-8s ", words[word]);
    print_safe(out, answer->path);
    for (uint32_t i = 0; i < io_volumes_count(answer->facts.volumes); i++) {
        const struct io_volume volume = io_volumes_get(answer->facts.volumes, i);

        locked += disk_facts_locked(&volume) || answer_suspects(answer, i);
    }
    for (uint32_t i = 0; i < answer->found_count; i++) {
        blocks += answer->found[i].found.kind == UNIT_KNOWN;
        keys += answer->found[i].found.kind == UNIT_FILE;
        keywords += answer->found[i].found.kind == UNIT_KEYWORD;
    }
    fprintf(out,
            ": %" PRIu64 " known blocks, %" PRIu64 " keys, %" PRIu64 " keywords, %" PRIu64
            " volumes locked or like it",
            blocks, keys, keywords, locked);
    if (answer->sweeps > 0) {
        fputs("; unseen at most ", out);
        text_bytes(out, answer_unseen_bytes(answer));
        fprintf(out, ", %d %%", (int)(100 * answer->confidence + 0.5));
    }
    fputc('\n', out);
}
