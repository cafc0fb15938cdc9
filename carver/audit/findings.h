/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/findings.h - what met the rules of an audit, gathered: each value or object of an
 * image under a rule once, with its first place and the number of its places.
 */
#ifndef BURIN_CARVER_AUDIT_FINDINGS_H
#define BURIN_CARVER_AUDIT_FINDINGS_H

#include "carver/audit/allow.h"
#include "carver/audit/diff.h"
#include "carver/audit/policy.h"
#include "carver/audit/secret.h"
#include "db/case.h"

enum {
    FINDINGS_MAX = 100000, /* that are kept; the others are counted */
    FINDINGS_WHY_MAX = 96, /* bytes of why one is allowed, the NUL included */
    FINDINGS_NAME_MAX = POLICY_NAME_MAX + 1,
};

struct finding {
    char rule[FINDINGS_NAME_MAX];
    enum policy_severity severity;
    int64_t image_id, object_id; /* object_id 0: none */
    uint64_t offset, len, places;
    char fingerprint[DB_FINGERPRINT_HEX + 1];
    char excerpt[SECRET_EXCERPT_MAX];
    char allowed[FINDINGS_WHY_MAX]; /* "": it is not */
    enum diff_change change;
    int64_t undecided; /* an object of this run that has its content, and that rules of YARA have
                          not decided; 0: none */
};

/* Zeroed: none. */
struct findings {
    struct finding *items;
    size_t count, room;
    uint64_t matches[POLICY_RULES_MAX];  /* of a rule's pattern, before its check */
    uint64_t accepted[POLICY_RULES_MAX]; /* of them, those that passed it */
    uint64_t left_out;                   /* places that had no room */
};

/* Adds a place. Where the same finding is there already, it has one place more. */
ERR_MUST_CHECK enum err_code findings_add(struct findings *findings, const struct finding *finding,
                                          struct err *err);
/* Puts them in order: by rule, image and first offset; each is there once then. */
void findings_settle(struct findings *findings);
void findings_release(struct findings *findings);

/* Adds the findings of the last audit of a case file; those that are gone only where gone is true.
 */
ERR_MUST_CHECK enum err_code findings_load(struct findings *findings, struct db_case *db, bool gone,
                                           struct err *err);

#endif
