/*
 * signatures/conf.h - scalpel.conf and foremost.conf as signatures.
 *
 * The grammar is the one that Scalpel 1.60, 2.x and foremost 1.5.7 share: white-space separated columns extension,
 * case, size, header, footer, type. Every rule becomes a struct sig without a checker. Read correctly by default; a
 * compatibility mode reads (and later pairs) as that tool does, quirks included. A linter warns of rules that can
 * never work.
 *
 *                        SIG_COMPAT_NONE          SIG_COMPAT_SCALPEL (2.x)    SIG_COMPAT_FOREMOST (1.5.7)
 *   size "5:100"         5 to 100                 5 to 100 (1.60: at most 5)  at most 5
 *   largest size         2^63 - 1                 2^63 - 1                    2^31 - 1 (it uses atoi)
 *   /expression/         regular expression       regular expression          plain text
 *   type ASCII           known                    unknown, so FORWARD         known
 *   footer \x00...       a footer                 a footer                    no footer: max bytes are carved
 *   NEXT                 footer excluded          footer excluded             only if footer = header, else max bytes
 *   rules                SIG_CONF_RULES_MAX       101                         50
 *   CR at end of file    taken off                part of the last column     part of the last column
 *
 * The same in all modes: \xHH, \OOO and \\ \a \s \n \r \t \v are escapes and every other backslash stays (the linter
 * says so); the wildcard of the last wildcard line holds for the whole file and is looked for after translation, so
 * \x3f is one as well as ?; a size ends at its first byte that is no digit; an extension that begins with NONE means
 * none (type "none"). Never taken over: extensions that are no safe file name, negative or overflowing sizes, headers
 * and footers of wildcards alone and NUL bytes are errors. How a rule then ends a file is carver/plan/pair.h.
 */
#ifndef BURIN_SIGNATURES_CONF_H
#define BURIN_SIGNATURES_CONF_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "signatures/sig.h"

enum sig_compat { SIG_COMPAT_NONE, SIG_COMPAT_SCALPEL, SIG_COMPAT_FOREMOST };

enum {
    SIG_CONF_SIZE_MAX = 64 << 20,  /* bytes of a configuration file */
    SIG_CONF_RULES_MAX = 50000,    /* two patterns a rule, LIMIT_PATTERN_COUNT in all */
    SIG_CONF_WARNINGS_MAX = 10000, /* more help nobody */
};

struct sig_conf_warning {
    uint32_t line, column; /* counted from 1, columns in bytes */
    const char *text;
};

struct sig_conf {
    struct arena arena; /* owns all below */
    struct sig *rules;  /* in the order of the file */
    uint32_t rule_count;
    struct sig_conf_warning *warnings; /* by line and column */
    uint32_t warning_count;
};

/*
 * Reads a configuration file ("-": standard input), or text already in memory; path is for
 * messages. A file without a rule is an error: a scan for nothing must not look like a scan that
 * found nothing. Regular expressions are not compiled here: match_dictionary_add does that, and the
 * caller adds rule->line to its message. Errors: ERR_INPUT with "PATH:LINE:COLUMN: what is wrong
 * and what to write instead"; ERR_ENV no memory. On an error conf needs no release. Ownership: the
 * caller gives conf to sig_conf_release.
 */
ERR_MUST_CHECK enum err_code sig_conf_read(const char *path, enum sig_compat compat, struct sig_conf *conf,
                                           struct err *err);
ERR_MUST_CHECK enum err_code sig_conf_parse(const char *path, const char *text, size_t len, enum sig_compat compat,
                                            struct sig_conf *conf, struct err *err);
void sig_conf_release(struct sig_conf *conf);

/* What messages call the file: the path, or "standard input" for "-". */
const char *sig_conf_name(const char *path);

#endif
