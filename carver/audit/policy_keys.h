/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy_keys.h - the keys of a policy file: between policy.c and policy_keys.c. */
#ifndef BURIN_CARVER_AUDIT_POLICY_KEYS_H
#define BURIN_CARVER_AUDIT_POLICY_KEYS_H

#include "carver/audit/policy.h"

/* A policy file while it is read. */
struct policy_reading {
    struct policy *policy;
    uint32_t line;            /* that was read last */
    bool more;                /* it begins with a space: it goes on with the value before it */
    uint32_t section_line;    /* of the section that it stands in; 0: none */
    bool section_used;        /* the section has a key */
    uint32_t rule_line;       /* of the section of the last rule */
    struct policy_text *last; /* the value of the last key, where it can go on; or NULL */
    const char *last_key;     /* of the section, so far: static; NULL: none */
    enum err_code rc;
    struct err *err;
};

/* Takes a line of the file: a key with its value, or, indented, more of the value before it. */
ERR_MUST_CHECK enum err_code policy_key(struct policy_reading *reading, const char *section,
                                        const char *name, const char *value);

/* Makes the rule that a built-in pack is by its name. */
ERR_MUST_CHECK enum err_code policy_pack_rule(struct policy_reading *reading, const char *pack);

/* The parts of policy_keys.c that policy_sections.c needs. key is of the section; value is not
 * empty. */
struct policy_rule *policy_last_rule(struct policy_reading *reading);
ERR_MUST_CHECK enum err_code policy_copy(struct policy_reading *reading, const char *value,
                                         struct policy_text *out);
/* A name that stands in file names, metrics and fingerprints: ERR_INPUT, it is none. */
ERR_MUST_CHECK enum err_code policy_name(struct policy_reading *reading, const char *what,
                                         const char *value);
/* More of the last value, which may be long. */
ERR_MUST_CHECK enum err_code policy_join(struct policy_reading *reading, const char *between,
                                         const char *value);
typedef enum err_code (*policy_take_fn)(struct policy_reading *reading, const char *key,
                                        const char *value);
ERR_MUST_CHECK enum err_code policy_take_audit(struct policy_reading *reading, const char *key,
                                               const char *value);
ERR_MUST_CHECK enum err_code policy_take_rule(struct policy_reading *reading, const char *key,
                                              const char *value);
ERR_MUST_CHECK enum err_code policy_take_allow(struct policy_reading *reading, const char *key,
                                               const char *value);
ERR_MUST_CHECK enum err_code policy_take_output(struct policy_reading *reading, const char *key,
                                                const char *value);

/* What is said once all of the file is read: what is missing, and what goes with what. */
ERR_MUST_CHECK enum err_code policy_complete(struct policy *policy, struct err *err);

#endif
