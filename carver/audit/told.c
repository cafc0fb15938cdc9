/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/told.c - what an audit came to, in words and as an exit status: see outputs.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "carver/audit/outputs.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"

/* The counts of a rule that make it told. */
static uint64_t told_of_rule(const struct audit *audit, uint32_t rule)
{
    return audit->options.all ? audit->counts.found[rule] : audit->counts.fresh[rule];
}

static uint64_t told_sum(const struct audit *audit, enum policy_severity least)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < audit->policy.rule_count; i++)
        if (audit->policy.rules[i].severity >= least)
            sum += told_of_rule(audit, i);
    return sum;
}

uint64_t told_count(const struct told *told, enum policy_severity least)
{
    return told_sum(told->audit, least);
}

bool audit_asked(const struct audit_counts *counts, enum policy_kind kind)
{
    return kind == POLICY_YARA                             ? counts->tried
           : kind == POLICY_PATTERN || kind == POLICY_PACK ? counts->searched
                                                           : true;
}

bool audit_asked_all(const struct audit *audit)
{
    for (uint32_t i = 0; i < audit->policy.rule_count; i++)
        if (!audit_asked(&audit->counts, audit->policy.rules[i].kind))
            return false;
    return true;
}

/* Whether anything is otherwise than before. */
static bool told_changed(const struct audit *audit)
{
    const uint64_t *changes = audit->counts.changes;

    return changes[DIFF_NEW] + changes[DIFF_MOVED] + changes[DIFF_CHANGED] + changes[DIFF_GONE] >
               0 ||
           audit->counts.gone > 0 || told_sum(audit, POLICY_INFO) > 0;
}

enum exit_status audit_status(const struct audit *audit)
{
    switch (audit->failed) {
    case ERR_INTERRUPTED:
        return EXIT_SIGNAL;
    case ERR_ENV:
    case ERR_FULL:
        return EXIT_ENVIRONMENT;
    case ERR_INPUT:
    case ERR_IO:
        return EXIT_INPUT;
    case ERR_ARG:
        return EXIT_USAGE;
    case ERR_OK:
        break;
    }
    if (told_sum(audit, POLICY_WARNING) > 0)
        return EXIT_FINDINGS;
    if (audit->partly || !audit->finished)
        return EXIT_PARTLY;
    return told_changed(audit) ? EXIT_CHANGES : EXIT_DONE;
}

/* Appends to a line. */
static void told_put(char out[TOLD_LINE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void told_put(char out[TOLD_LINE_MAX], const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;

    va_start(args, format);
    vsnprintf(out + used, TOLD_LINE_MAX - used, format, args);
    va_end(args);
}

static void told_put_findings(const struct told *told, char out[TOLD_LINE_MAX])
{
    const struct audit *audit = told->audit;
    const uint64_t count = told_count(told, POLICY_INFO);
    bool first = true;

    told_put(out, "%" PRIu64 " %sfinding%s", count, audit->options.all ? "" : "new ",
             plural_s(count));
    for (uint32_t i = 0; i < audit->policy.rule_count; i++)
        if (told_of_rule(audit, i) > 0) {
            told_put(out, "%s%s %" PRIu64, first ? " (" : ", ", audit->policy.rules[i].name.text,
                     told_of_rule(audit, i));
            first = false;
        }
    told_put(out, "%s, %" PRIu64 " gone", first ? "" : ")", audit->counts.gone);
}

void told_line(const struct told *told, char out[TOLD_LINE_MAX])
{
    const struct audit *audit = told->audit;
    const uint64_t *changes = audit->counts.changes;

    out[0] = '\0';
    told_put(out, "%s: ", audit->policy.name.text != NULL ? audit->policy.name.text : "?");
    if (audit->failed != ERR_OK) {
        told_put(out, "FAILED, nothing is known: %s", audit->why.text);
        return;
    }
    if (!audit->judged) {
        told_put(out, "NOT FINISHED, nothing is known yet: %" PRIu64 " bytes read; %s",
                 told->position, audit->why.text);
        return;
    }
    if (!audit->finished)
        told_put(out, "NOT FINISHED: %s; so far ", audit->why.text);
    told_put_findings(told, out);
    if (audit->counts.has_baseline)
        told_put(out,
                 "; objects: %" PRIu64 " new, %" PRIu64 " moved, %" PRIu64 " changed, %" PRIu64
                 " gone, %" PRIu64 " unknown",
                 changes[DIFF_NEW], changes[DIFF_MOVED], changes[DIFF_CHANGED], changes[DIFF_GONE],
                 changes[DIFF_UNKNOWN]);
    else
        told_put(out, "; the first run: what it found is what later ones are compared with");
    if (audit->counts.unreadable > 0)
        told_put(out, "; %" PRIu64 " bytes could not be read", audit->counts.unreadable);
    if (audit->counts.undecided > 0)
        told_put(out, "; rules of YARA have not decided %" PRIu64 " object%s, or not by all bytes",
                 audit->counts.undecided, plural_s(audit->counts.undecided));
}

/* For programs: the line's figures, and each finding. */
static void told_json(const struct told *told)
{
    const struct audit *audit = told->audit;
    const struct audit_counts *counts = &audit->counts;
    struct json json;

    json_init(&json, stdout, 2);
    json_open_object(&json, NULL);
    json_string(&json, "audit", audit->policy.name.text);
    json_int(&json, "status", told->status);
    json_bool(&json, "finished", audit->finished);
    json_string(&json, "why", audit->finished ? NULL : audit->why.text);
    json_double(&json, "seconds", (double)told->elapsed / 1e9);
    if (audit->failed == ERR_OK && !audit->judged)
        json_uint(&json, "read", told->position);
    if (audit->judged) {
        json_bool(&json, "first", !counts->has_baseline);
        json_uint(&json, "read", counts->read);
        json_uint(&json, "unreadable", counts->unreadable);
        json_uint(&json, "undecided", counts->undecided);
        json_open_object(&json, "objects");
        for (uint32_t i = 0; i < DIFF_CHANGES && counts->has_baseline; i++)
            json_uint(&json, diff_word((enum diff_change)i), counts->changes[i]);
        json_close_object(&json);
        json_open_array(&json, "findings");
        for (size_t i = 0; i < told->list.count; i++) {
            const struct finding *finding = &told->list.items[i];

            json_open_object(&json, NULL);
            json_string(&json, "rule", finding->rule);
            json_string(&json, "severity", policy_severity_name(finding->severity));
            json_string(&json, "fingerprint", finding->fingerprint);
            json_string(&json, "excerpt", finding->excerpt);
            json_string(&json, "change", diff_word(finding->change));
            json_int(&json, "image", finding->image_id);
            json_uint(&json, "offset", finding->offset);
            json_uint(&json, "length", finding->len);
            json_uint(&json, "places", finding->places);
            json_string(&json, "allowed", finding->allowed[0] != '\0' ? finding->allowed : NULL);
            json_close_object(&json);
        }
        json_close_array(&json);
        json_int(&json, "log_entry", counts->log_id);
        json_string(&json, "log_hash", counts->log_hash);
    }
    json_close_object(&json);
    json_end(&json);
}

void told_summary(const struct told *told)
{
    const struct audit *audit = told->audit;
    char line[TOLD_LINE_MAX];

    if (audit->options.json) {
        told_json(told);
        return;
    }
    told_line(told, line);
    print_safe_line(stdout, "%s", line);
    if (audit->judged)
        print_safe_line(stdout, "%s: the log of %s ends with entry %" PRId64 ", %s",
                        audit->policy.name.text,
                        audit->finished ? audit->state.last : audit->state.unfinished,
                        audit->counts.log_id, audit->counts.log_hash);
}
