/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_answer.c - see yara_answer.h. */
#include <string.h>

#include "carver/yara/yara_answer.h"

/* A text that is names and these characters, and may be empty. */
static bool answer_names(const char *text, size_t size, const char *also)
{
    const size_t len = strnlen(text, size);

    if (len == size)
        return false;
    for (size_t i = 0; i < len; i++) {
        const char c = text[i];

        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
              c == '_' || strchr(also, c) != NULL))
            return false;
    }
    return true;
}

static bool answer_is_right(const struct yara_rules_match *match, uint32_t len)
{
    return match->rule[0] != '\0' && answer_names(match->rule, sizeof match->rule, "") &&
           answer_names(match->space, sizeof match->space, "-") &&
           answer_names(match->tags, sizeof match->tags, ",") &&
           answer_names(match->string, sizeof match->string, "$") && match->offset <= len;
}

bool yara_answer_matches(const struct yara_match_answer *said,
                         const struct yara_rules_match *shared, uint32_t len,
                         struct yara_rules_match out[YARA_RULES_MATCHES_MAX])
{
    if (said->how != YARA_MATCH_DONE || said->count > YARA_RULES_MATCHES_MAX)
        return false;
    memcpy(out, shared, said->count * sizeof out[0]);
    for (uint32_t i = 0; i < said->count; i++)
        if (!answer_is_right(&out[i], len))
            return false;
    return true;
}

void yara_answer_fault(const struct yara_match_shared *shared, uint32_t file_count,
                       struct yara_answer_fault *out)
{
    const volatile uint32_t *file = &shared->file, *line = &shared->line; /* each is read once */

    out->file = *file;
    if (out->file >= file_count)
        out->file = 0;
    out->line = *line;
    memcpy(out->text, shared->text, sizeof out->text);
    out->text[sizeof out->text - 1] = '\0';
}
