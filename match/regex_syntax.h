/* match/regex_syntax.h - what an expression asks for that carving cannot give. */
#ifndef BURIN_MATCH_REGEX_SYNTAX_H
#define BURIN_MATCH_REGEX_SYNTAX_H

#include <stdint.h>

/*
 * NULL when the expression consumes bytes and looks at nothing outside of its match; else the reason to refuse it. It is no
 * syntax check: give it expressions that TRE has compiled.
 */
const char *match_regex_refused(const uint8_t *text, uint32_t len);

#endif
