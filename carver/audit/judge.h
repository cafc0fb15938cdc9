/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge.h - what the files of the stage that judges share: see audit.h.
 *
 *   patterns ────── judge_search ─┐
 *   yara ──────────── judge_yara ─┤
 *   where, known ─── judge_rules ─┴─► findings ─► judge_change ─► judge_record ─► case file
 *                         findings of the run before ─┘ each is new, moved, same, gone, unknown
 */
#ifndef BURIN_CARVER_AUDIT_JUDGE_H
#define BURIN_CARVER_AUDIT_JUDGE_H

#include "carver/audit/audit.h"
#include "carver/audit/compare.h"
#include "carver/audit/findings.h"
#include "carver/audit/undecided.h"

struct judge {
    const struct audit *audit;
    struct audit_counts *counts;
    struct db_case *db, *old; /* the run's case file, and that of the run before; NULL: none */
    struct findings findings; /* that are there */
    struct findings before;   /* that were there before */
    struct undecided undecided;
    struct compare compare;
    char baseline[STATE_PATH_MAX + 128]; /* for the log: which file, its last entry and its hash */
    char jail[512];                      /* what was given up, for the log; "": nothing more */
};

/* The rule's number, by its name; POLICY_RULES_MAX: the policy has none of that name. */
uint32_t judge_rule(const struct policy *policy, const char *name);

/* A finding of the rule, with its fingerprint, and whether the allow list lets it pass. sha256: of
 * the object, or NULL. */
void judge_finding(const struct judge *judge, const struct policy_rule *rule, const void *value,
                   size_t len, const char *sha256, struct finding *out);

/* Looks for the patterns and packs of the rules; adds what they find, and gives up rights. */
ERR_MUST_CHECK enum err_code judge_search(struct judge *judge, enum exit_status *status,
                                          struct err *err);
/* Whether a rule has to be looked for in the images. */
bool judge_searches(const struct policy *policy);

/* An object as a value, wherever it lies; met: "", or what of it met a rule, which parts it from
 * what else it meets. */
void judge_object_value(const struct db_object *object, const char *met,
                        char out[UNDECIDED_VALUE_MAX]);
/* Adds an object that meets a rule. */
ERR_MUST_CHECK enum err_code judge_object(struct judge *judge, const struct policy_rule *rule,
                                          const struct db_object *object, const char *met,
                                          struct err *err);

/* Adds the objects that met a rule of YARA of the policy's, and notes those not decided. */
ERR_MUST_CHECK enum err_code judge_yara(struct judge *judge, struct err *err);
/* Marks those of the findings of a case file that may be there still, on objects which are not
 * decided. */
ERR_MUST_CHECK enum err_code judge_yara_before(const struct judge *judge, struct db_case *db,
                                               struct findings *before, struct err *err);

/* Adds the objects that meet a rule, and blocks and objects that a set has. */
ERR_MUST_CHECK enum err_code judge_rules(struct judge *judge, struct err *err);

/* Opens the run before, and sees that each run is the one that the run after it has noted. */
ERR_MUST_CHECK enum err_code judge_open_baseline(struct judge *judge, struct err *err);

/* What has become of the findings since; those that are gone are added. Where patterns were not
 * looked for, or rules of YARA not tried, nothing is known of their findings. */
ERR_MUST_CHECK enum err_code judge_change(struct judge *judge, struct err *err);

/* Writes the run and its findings into the case file. */
ERR_MUST_CHECK enum err_code judge_record(struct judge *judge, struct err *err);

#endif
