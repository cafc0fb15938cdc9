/*
 * signatures/conf_lint.c - warnings of rules that can never work, or surely do not mean what they say.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "signatures/conf_parse.h"

enum err_code conf_lint_wildcard(struct conf_parse *parse, const struct conf_line *line, struct err *err)
{
    if (line->count < 2)
        return conf_warn(parse, line->number, line->tokens[1].column, err,
                         "wildcard without a character: the line is ignored; write one, as in: wildcard ?");
    return ERR_OK;
}

enum err_code conf_lint_rule(struct conf_parse *parse, const struct conf_line *line, const struct sig *rule, struct err *err)
{
    (void)parse;
    (void)line;
    (void)rule;
    (void)err;
    return ERR_OK;
}

enum err_code conf_lint_all(struct conf_parse *parse, struct err *err)
{
    (void)parse;
    (void)err;
    return ERR_OK;
}
