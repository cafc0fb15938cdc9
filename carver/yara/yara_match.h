/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_match.h - what the process without rights does for yara_rules.h: it calls
 * libyara. A build without libyara has yara_match_absent.c in place of yara_match.c.
 */
#ifndef BURIN_CARVER_YARA_MATCH_H
#define BURIN_CARVER_YARA_MATCH_H

#include <stddef.h>

#include "carver/yara/yara_rules.h"

enum { YARA_MATCH_TEXT_MAX = 512 };

enum yara_match_how {
    YARA_MATCH_NOTHING, /* no answer */
    YARA_MATCH_DONE,
    YARA_MATCH_WRONG_RULES, /* file, line and text of struct yara_match_shared say what is wrong */
    YARA_MATCH_TIME,
    YARA_MATCH_MEMORY,
    YARA_MATCH_FAILED, /* code: YARA's number of the error */
};

struct yara_match_answer {
    uint32_t how, code;
    uint32_t count, left_out; /* rules that are met: in struct yara_match_shared, and beside those;
                                 without an object: rules that can be met */
};

/* The memory that both processes share. */
struct yara_match_shared {
    struct yara_rules_match matches[YARA_RULES_MATCHES_MAX];
    uint32_t file, line;
    char text[YARA_MATCH_TEXT_MAX];
    uint8_t object[YARA_RULES_OBJECT_BYTES];
};

struct yara_match; /* owned by the caller of yara_match_open: what a process has of its own */

/* Loads libyara. rules and shared stay the caller's. ERR_ENV: it is not there; no memory. */
ERR_MUST_CHECK enum err_code yara_match_open(const struct yara_rules *rules,
                                             struct yara_match_shared *shared,
                                             struct yara_match **out, struct err *err);
void yara_match_close(struct yara_match *match); /* NULL is a no-op */

/* Compiles the rules, and with_object tries them on the first len bytes of the shared object. */
void yara_match_do(struct yara_match *match, bool with_object, size_t len,
                   struct yara_match_answer *answer);

#endif
