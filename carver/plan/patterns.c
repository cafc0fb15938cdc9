/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/patterns.c - see patterns.h. */
#include <stdlib.h>

#include "carver/plan/patterns.h"
#include "match/regex.h"

/* A regular expression that cannot be looked for: says where in its configuration file. */
static enum err_code patterns_check(const struct sig *sig, const struct sig_pattern *source,
                                    const struct match_pattern *pattern, struct err *err)
{
    struct err cause = { .code = ERR_OK };
    uint32_t at;

    const enum err_code rc = match_regex_check(pattern, &at, &cause);
    if (rc == ERR_INPUT)
        return ERR_RAISE(err, rc, "%s:%u:%u: %s", sig->source, sig->line, source->column + at,
                         cause.text);
    if (rc != ERR_OK && err != NULL)
        *err = cause;
    return rc;
}

static enum err_code patterns_add(struct patterns *patterns, const struct sig *sig,
                                  uint32_t sig_index, const struct sig_pattern *source, bool footer,
                                  struct err *err)
{
    const uint32_t regex = footer ? SIG_REGEX_FOOTER : SIG_REGEX_HEADER;
    const bool grid = (sig->flags & SIG_SECTOR_ALIGNED) != 0;
    const struct match_pattern pattern = {
        .kind = (sig->flags & regex) != 0 ? MATCH_REGEX
                : grid                    ? MATCH_SECTOR_ALIGNED
                                          : MATCH_LITERAL,
        .bytes = (const uint8_t *)source->bytes,
        .mask = (const uint8_t *)source->mask,
        .len = source->len,
        .fold_case = (sig->flags & SIG_NO_CASE) != 0,
        .at = grid ? source->at : 0,
    };
    uint32_t index;

    if (pattern.kind == MATCH_REGEX && sig->line != 0) {
        const enum err_code checked = patterns_check(sig, source, &pattern, err);
        if (checked != ERR_OK)
            return checked;
    }
    const enum err_code rc = match_dictionary_add(patterns->dictionary, &pattern, &index, err);
    if (rc != ERR_OK) {
        if (sig->line != 0)
            err_while(err, "reading the %s of rule %s on line %u", footer ? "footer" : "header",
                      sig->name, sig->line);
        else
            err_while(err, "adding the %s of %s", footer ? "footer" : "header", sig->name);
        return rc;
    }
    patterns->uses[index] = (struct pattern_use){
        .sig = sig_index, .row = sig_index, .at = source->at, .footer = footer
    };
    patterns->count = index + 1;
    return ERR_OK;
}

enum err_code patterns_build(const struct sig *const *sigs, uint32_t sig_count,
                             struct patterns *out, struct err *err)
{
    size_t most = 1;

    for (uint32_t i = 0; i < sig_count; i++) {
        for (uint32_t k = 0; k < SIG_HEADERS_MAX && sigs[i]->headers[k].len != 0; k++)
            most++;
        most++; /* the footer */
    }
    *out = (struct patterns){ 0 };
    out->uses = calloc(most, sizeof *out->uses);
    if (out->uses == NULL)
        return ERR_NO_MEMORY(err, most * sizeof *out->uses);
    enum err_code rc = match_dictionary_create(&out->dictionary, err);
    for (uint32_t i = 0; rc == ERR_OK && i < sig_count; i++) {
        const struct sig *sig = sigs[i];

        for (uint32_t k = 0; rc == ERR_OK && k < SIG_HEADERS_MAX && sig->headers[k].len != 0; k++)
            rc = patterns_add(out, sig, i, &sig->headers[k], false, err);
        if (rc == ERR_OK && sig->check == NULL && sig->footer.len != 0)
            rc = patterns_add(out, sig, i, &sig->footer, true, err);
    }
    if (rc != ERR_OK)
        patterns_release(out);
    return rc;
}

void patterns_release(struct patterns *patterns)
{
    match_dictionary_destroy(patterns->dictionary);
    free(patterns->uses);
    *patterns = (struct patterns){ 0 };
}
