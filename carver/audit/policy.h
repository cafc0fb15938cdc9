/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy.h - the policy file of an audit, read into data.
 *
 *   CONFIG ──policy_read──► struct policy ──policy_lint──► nothing in it is dead
 *
 * An INI file (libinih): sections [audit], [rule NAME], [allow] and [output]. A value goes on in
 * lines that begin with a space; ";" behind a space begins a comment. A word that nobody knows is
 * an error, and each error names file and line. docs/guide/operator.md says what the keys mean.
 *
 * What the file says is not trusted: its size, its lines, its rules and its lists have limits.
 */
#ifndef BURIN_CARVER_AUDIT_POLICY_H
#define BURIN_CARVER_AUDIT_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "carver/feature/feature.h"

enum {
    POLICY_BYTES_MAX = 1 << 20, /* of the file */
    POLICY_LINE_MAX = 198,      /* bytes of a line, its end not counted: what libinih takes */
    POLICY_VALUE_MAX = 16384,   /* bytes of a value, all its lines */
    POLICY_RULES_MAX = 256,
    POLICY_NAME_MAX = 32, /* bytes of a rule's or the audit's name: letters, digits, "-", "_" */
    POLICY_IMAGES_MAX = 256,
    POLICY_ALLOWS_MAX = 16,
    POLICY_KEEP_MAX = 10000,
    POLICY_HOURS_MAX = 8760,
    POLICY_MASK_MAX = 32,
    POLICY_KEEP = 12, /* where the file does not say */
    POLICY_MASK = 4,
};

enum policy_severity { POLICY_INFO, POLICY_WARNING, POLICY_CRITICAL, POLICY_SEVERITIES };

/* What a rule looks at. */
enum policy_kind {
    POLICY_WHERE,
    POLICY_PATTERN,
    POLICY_KNOWN,
    POLICY_PACK,
    POLICY_YARA,
    POLICY_KINDS
};

/* What a match of a pattern must be besides. */
enum policy_check {
    POLICY_CHECK_NONE,
    POLICY_CHECK_LUHN,
    POLICY_CHECK_IBAN,
    POLICY_CHECK_JWT,
    POLICY_CHECK_PEM,
    POLICY_CHECK_ENTROPY, /* bits a character, at least */
};

enum policy_read { POLICY_READ_ALL, POLICY_READ_UNALLOCATED, POLICY_READ_CHANGED };

/* A value and the line that it begins in; text NULL: there is none. */
struct policy_text {
    const char *text;
    uint32_t line;
};

struct policy_rule {
    struct policy_text name;
    enum policy_severity severity;
    /* One of them is there, that of the kind; beside POLICY_YARA there may be POLICY_WHERE: which
     * objects it is tried on. */
    struct policy_text what[POLICY_KINDS];
    enum policy_kind kind;
    struct policy_text anchor;
    enum policy_check check;
    double entropy;
    enum feature_pack pack;                        /* of POLICY_PACK */
    uint32_t mask;                                 /* characters of a value that are shown */
    uint32_t check_line, mask_line, severity_line; /* 0: not said */
};

/* Where an audit is told: an id for each line of outputs.def. */
enum policy_output {
#define OUTPUT(name, value, help) POLICY_OUTPUT_##name,
#include "carver/audit/outputs.def"
#undef OUTPUT
    POLICY_OUTPUTS
};

struct policy {
    const char *path; /* of the file, as given */
    struct policy_text name, state;
    struct policy_text changed; /* a map of what was changed since the last finished run */
    struct policy_text images[POLICY_IMAGES_MAX]; /* paths, or patterns of glob(7) */
    uint32_t image_count;
    enum policy_read read;
    uint32_t keep;     /* case files of finished runs */
    uint64_t time;     /* nanoseconds that a run may take; 0: any */
    uint64_t max_read; /* bytes of an image that are read in a second at most; 0: any */
    struct policy_rule rules[POLICY_RULES_MAX];
    uint32_t rule_count;
    struct policy_text allows[POLICY_ALLOWS_MAX]; /* files */
    uint32_t allow_count;
    struct policy_text outputs[POLICY_OUTPUTS];
    uint32_t keep_line, read_line, time_line, max_read_line; /* 0: not said */
    struct arena arena;                                      /* of all texts */
};

/*
 * Reads a policy file. path stays the caller's.
 * Ownership  *out is the caller's, to be given to policy_release, after an error too.
 * Errors     ERR_INPUT: what is wrong, with file and line, the first fault alone; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code policy_read(const char *path, struct policy *out, struct err *err);

/* The same of a text in memory. path names it in messages. */
ERR_MUST_CHECK enum err_code policy_parse(const char *path, const char *bytes, size_t len,
                                          struct policy *out, struct err *err);
void policy_release(struct policy *policy);

/* Whether a rule of the policy is of the kind. */
bool policy_has(const struct policy *policy, enum policy_kind kind);

/* "critical", "warning", "info". */
const char *policy_severity_name(enum policy_severity severity);

/* ERR_INPUT for a place of the file: "FILE:LINE: ...". */
#define POLICY_FAULT(err, policy, line, ...)                                                       \
    policy_fault((err), (policy), (line), __FILE__ ":" ERR_STR(__LINE__), __VA_ARGS__)
enum err_code policy_fault(struct err *err, const struct policy *policy, uint32_t line,
                           const char *where, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
