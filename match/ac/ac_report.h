/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_report.h - from a state in which something has been found to hits: for whoever walks
 * the automaton of ac.h, here or on a device. */
#ifndef BURIN_MATCH_AC_AC_REPORT_H
#define BURIN_MATCH_AC_AC_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "match/ac/ac.h"
#include "match/engine.h"
#include "match/pattern/literals.h"

/* What one call of scan works on. */
struct ac_scan {
    const struct ac *ac;
    const struct match_text *text;
    uint32_t from, to; /* last bytes of matches to report */
    struct match_sink *sink;
};

/* Reports what ac->found[found] says when text[end - 1] was the last byte; false when the sink is
 * full. */
static inline bool ac_report_found(const struct ac_scan *scan, uint32_t found, uint32_t end)
{
    const struct ac *ac = scan->ac;
    struct match_sink *sink = scan->sink;

    for (uint32_t f = found; f != AC_NONE; f = ac->found[f].link) {
        const struct ac_output *outputs = ac->outputs + ac->found[f].first;

        for (uint32_t i = 0; i < ac->found[f].count; i++) {
            const struct ac_output *output = &outputs[i];
            const uint64_t past =
                (uint64_t)end - output->end + output->len; /* behind the pattern's last byte */

            if (end < output->end || past <= scan->from || past > scan->to)
                continue;
            const uint32_t start = end - output->end;
            if (!output->exact &&
                !match_pattern_equal(match_dictionary_get(ac->dictionary, output->pattern),
                                     scan->text->bytes + start))
                continue;
            if (sink->count == sink->max)
                return false;
            sink->items[sink->count++] = (struct hit){ .offset = scan->text->offset + start,
                                                       .pattern = output->pattern,
                                                       .len = output->len };
        }
    }
    return true;
}

#endif
