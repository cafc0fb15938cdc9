/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_keywords.c - see scan_keywords.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/print_safe.h"
#include "carver/scan/scan_keywords.h"

static bool keywords_confirm(void *arg, uint32_t pattern, const uint8_t *bytes)
{
    const struct keyword_set *keywords = arg;

    return keyword_confirm(&keywords->items[pattern], bytes);
}

struct plan_options scan_keywords_plan(const struct keyword_set *keywords,
                                       const struct patterns *patterns)
{
    /* The planner knows nothing of keywords but that their hits are to be recorded: one signature
     * does for all of them. */
    static const struct sig keyword = { .name = "keyword" };
    static const struct sig *const sigs[] = { &keyword };

    return (struct plan_options){ .sigs = sigs,
                                  .sig_count = sizeof sigs / sizeof sigs[0],
                                  .patterns = patterns,
                                  .hits_only = true,
                                  .align = 1,
                                  .confirm = keywords->ignore_case ? keywords_confirm : NULL,
                                  .confirm_arg = (void *)(uintptr_t)keywords };
}

void scan_keywords_name(const struct keyword_set *keywords, uint32_t number, struct scan_name *out)
{
    const struct keyword *keyword = &keywords->items[number];
    const struct sig_pattern pattern = { .bytes = (const char *)keyword->bytes,
                                         .mask = (const char *)keyword->mask,
                                         .len = keyword->len };

    out->name = keyword->text;
    out->kind = "rule";
    out->has_footer = false;
    out->size_max = keyword->regex || keyword->feature ? LIMIT_REGEX_MATCH_LEN : keyword->len;
    scan_name_pattern(&pattern, keyword->regex, out->header);
    snprintf(out->origin, sizeof out->origin, "%s %s", keyword_kind(keyword), keyword->encoding);
}

void scan_keywords_tell(const struct scan_how *how, const struct scan_done *done, uint64_t hits)
{
    const uint64_t bytes = done->totals->bytes;

    print_safe_line(stderr,
                    "%s: %" PRIu64 " hit%s in %" PRIu64 " byte%s, recorded in %s, by engine %s",
                    done->path, hits, plural_s(hits), bytes, plural_s(bytes), how->case_path,
                    done->totals->engine);
}
