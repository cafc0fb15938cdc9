/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_task.h - a stretch of starts, for each of which the match that begins there is
 * wanted.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_TASK_H
#define BURIN_MATCH_REGEX_REGEX_TASK_H

#include "match/engine.h"
#include "match/regex/regex_nfa.h"

struct regex_task {
    const struct regex_nfa *nfa;
    uint32_t pattern; /* number of the expression in the dictionary */
    uint32_t window;  /* bytes of the longest match that counts */
    const struct match_text *text;
    uint32_t from, to; /* starts, as places of the text */
    struct match_sink *sink;
    void *memory; /* to work in, aligned to 64 */
};

/* The place behind the last byte that a match may have. */
static inline uint32_t regex_task_end(const struct regex_task *task)
{
    const uint32_t left = task->text->len - task->to;

    return task->to + (left < task->window ? left : task->window - 1);
}

#endif
