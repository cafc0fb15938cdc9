/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_lint.h - what the files of the linter share. Only conf_lint*.c include it.
 */
#ifndef BURIN_SIGNATURES_CONF_CONF_LINT_H
#define BURIN_SIGNATURES_CONF_CONF_LINT_H

#include "signatures/conf/conf_parse.h"

/* What the checks of one line share. */
struct lint {
    struct conf_parse *parse;
    const struct conf_line *line;
    const struct sig *rule;
    struct err *err;
    bool comment;     /* a # stands where no comment can begin */
    enum err_code rc; /* of the first warning that could not be kept */
};

#define LINT_WARN(lint, column, ...)                                                               \
    do {                                                                                           \
        if ((lint)->rc == ERR_OK)                                                                  \
            (lint)->rc = conf_warn((lint)->parse, (lint)->line->number, (column), (lint)->err,     \
                                   __VA_ARGS__);                                                   \
    } while (0)

/* Warns of the text of a header or footer column: escapes, control characters, expressions that are
 * paths. */
void conf_lint_pattern(struct lint *lint, const struct conf_token *token, const char *what);

#endif
