/* SPDX-License-Identifier: Apache-2.0
 * carver/case/cut_short.c - see cut_short.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/cut_short.h"
#include "carver/cli/print_safe.h"
#include "signatures/category.h"

bool cut_short_is(const struct db_object *object)
{
    return object->validated && strcmp(object->state, "truncated") == 0;
}

void cut_short_add(struct cut_short *to, const char *type, uint64_t count)
{
    switch (sig_category_of(type)) {
    case SIG_CATEGORY_PICTURES:
        to->pictures += count;
        break;
    case SIG_CATEGORY_DOCUMENTS:
        to->documents += count;
        break;
    default:
        to->others += count;
        break;
    }
}

uint64_t cut_short_sum(const struct cut_short *cut)
{
    return cut->pictures + cut->documents + cut->others;
}

void cut_short_text(const struct cut_short *cut, char out[CUT_SHORT_TEXT])
{
    const struct {
        const char *word;
        uint64_t count;
    } parts[] = { { "picture", cut->pictures },
                  { "document", cut->documents },
                  { "other", cut->others } };
    uint32_t left = 0;
    int len = 0;

    out[0] = '\0';
    for (size_t i = 0; i < 3; i++)
        left += parts[i].count > 0;
    for (size_t i = 0; i < 3; i++)
        if (parts[i].count > 0)
            len += snprintf(out + len, (size_t)(CUT_SHORT_TEXT - len), "%" PRIu64 " %s%s%s",
                            parts[i].count, parts[i].word, plural_s(parts[i].count),
                            --left == 0 ? ""
                            : left == 1 ? " and "
                                        : ", ");
}
