/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/relabel.c - see relabel.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/relabel.h"

static bool relabel_header_at(struct lookback_view *view, const struct sig_pattern *pattern,
                              uint64_t start, uint64_t len)
{
    uint32_t have;

    if (pattern->at > len || pattern->len > len - pattern->at)
        return false;
    const uint8_t *bytes =
        view->source.view(&view->source, start + pattern->at, pattern->len, &have);
    return bytes != NULL && sig_pattern_stands(pattern, bytes);
}

/* The built-in signature with a validator whose header stands at the start of the object. */
static const struct sig *relabel_find(struct lookback_view *view,
                                      const struct record_object *object)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0;
             all[i]->check != NULL && k < SIG_HEADERS_MAX && all[i]->headers[k].len != 0; k++)
            if (relabel_header_at(view, &all[i]->headers[k], object->offset, object->len))
                return all[i];
    return NULL;
}

enum err_code relabel_object(struct lookback_view *view, struct record_object *object,
                             struct err *err)
{
    const struct sig *sig = relabel_find(view, object);
    char rule[RECORD_REASON];

    if (sig == NULL)
        return lookback_view_error(view, err);
    void *state = calloc(1, sig->state_size + 1u);
    if (state == NULL)
        return ERR_NO_MEMORY(err, sig->state_size);
    struct sig_input in = {
        .source = &view->source, .sig = sig, .type = &sig->types[0], .start = object->offset
    };
    in.limit = object->len < sig->size_max ? object->len : sig->size_max;
    struct sig_result result;
    do {
        in.claim_count = 0;
        result = sig_check(sig, &in, state);
    } while (result.verdict == SIG_MORE && result.len == 0);
    free(state);
    const enum err_code rc = lookback_view_error(view, err);
    if (rc != ERR_OK)
        return rc;

    memcpy(rule, object->reason, sizeof rule);
    if (result.verdict == SIG_COMPLETE && result.len == object->len) {
        object->state = "complete";
        object->validated = true;
        object->proven = result.proven;
        snprintf(object->reason, sizeof object->reason, "%.80s; a whole %s", rule, in.type->name);
    } else if (result.verdict == SIG_COMPLETE) {
        snprintf(object->reason, sizeof object->reason,
                 "%.80s; holds a whole %s of %" PRIu64 " bytes", rule, in.type->name, result.len);
    } else if (result.verdict == SIG_BREAKS) {
        snprintf(object->reason, sizeof object->reason,
                 "%.80s; as %s it breaks after %" PRIu64 " bytes: %.60s", rule, in.type->name,
                 result.len, result.why);
    } else {
        snprintf(object->reason, sizeof object->reason, "%.80s; not a %s: %.60s", rule,
                 in.type->name, result.why);
    }
    return ERR_OK;
}
