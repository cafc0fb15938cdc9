/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_match_absent.c - a build without libyara: see yara_match.h. */
#include "carver/yara/yara_match.h"

enum err_code yara_match_open(const struct yara_rules *rules, struct yara_match_shared *shared,
                              struct yara_match **out, struct err *err)
{
    (void)rules;
    (void)shared;
    *out = NULL;
    return ERR_RAISE(err, ERR_ENV,
                     "this burin was built without YARA: install the package libyara-dev and build "
                     "it with -DBURIN_YARA=ON");
}

void yara_match_close(struct yara_match *match)
{
    (void)match;
}

void yara_match_do(struct yara_match *match, bool with_object, size_t len,
                   struct yara_match_answer *answer)
{
    (void)match;
    (void)with_object;
    (void)len;
    answer->how = YARA_MATCH_FAILED;
}
