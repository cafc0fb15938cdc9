/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf.h - scalpel.conf and foremost.conf as signatures.
 *
 * The grammar is the one that Scalpel 1.60, 2.x and foremost 1.5.7 share: the columns extension,
 * case, size, header, footer and type, separated by white space. Every rule becomes a struct sig
 * without a validator. By default a file is read as its documentation says. A compatibility mode
 * reads the file, and later pairs headers with footers, as that tool does, with its faults. A
 * linter warns about rules that can never match.
 *
 *                         none (documentation)  scalpel 2.x              foremost 1.5.7
 *   size "5:100"          5 to 100              5 to 100 (1.60: to 5)    at most 5
 *   largest size          2^63 - 1              2^63 - 1                 2^31 - 1 (it uses atoi)
 *   /expression/          regular expression    regular expression       plain text
 *   type ASCII            known                 unknown, so FORWARD      known
 *   footer \x00...        a footer              a footer                 none: max bytes carved
 *   NEXT                  footer excluded       footer excluded          if footer = header [1]
 *   rules                 SIG_CONF_RULES_MAX    101                      50
 *   CR at end of file     taken off             part of last column      part of last column
 *
 *   [1] else max bytes are carved.
 *
 * The same in all modes:
 *   - \xHH, \OOO and \\ \a \s \n \r \t \v are escapes. Every other backslash stays; the linter says
 *     so.
 *   - The last wildcard line sets the wildcard of the whole file. Wildcards are looked for after
 *     the escapes were translated, so \x3f is a wildcard as well as ?.
 *   - A size ends at its first byte that is not a digit.
 *   - An extension that begins with NONE means no extension (type "none").
 *   - Errors in every mode: an extension that is not a safe file name, a size that is negative or
 *     overflows, a header or footer that is only wildcards, a NUL byte.
 * carver/plan/pair.h says how a rule ends a file.
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
    SIG_CONF_SIZE_MAX = 64 << 20, /* bytes of a configuration file */
    SIG_CONF_RULES_MAX =
        50000, /* each has queues of its own, in which every part of a scan looks */
    SIG_CONF_WARNINGS_MAX = 10000, /* more warnings would not be read */
};

struct sig_conf_warning {
    uint32_t line, column; /* counted from 1; columns count bytes */
    const char *text;
};

struct sig_conf {
    struct arena arena; /* owns the memory of the other fields */
    struct sig *rules;  /* in the order of the file */
    uint32_t rule_count;
    struct sig_conf_warning *warnings; /* sorted by line, then column */
    uint32_t warning_count;
};

/*
 * sig_conf_read reads a configuration file ("-": standard input); sig_conf_parse reads len bytes of
 * text and uses path in messages only. A file without a rule is an error: a scan that looks for
 * nothing must not look like a scan that found nothing. Regular expressions are not compiled here:
 * match_dictionary_add does that, and the caller adds rule->line to its message.
 *
 * Errors     ERR_INPUT with "PATH:LINE:COLUMN: what is wrong and what to write instead"; ERR_ENV
 *            for no memory. After an error conf needs no release.
 * Ownership  The caller releases conf with sig_conf_release.
 */
ERR_MUST_CHECK enum err_code sig_conf_read(const char *path, enum sig_compat compat,
                                           struct sig_conf *conf, struct err *err);
ERR_MUST_CHECK enum err_code sig_conf_parse(const char *path, const char *text, size_t len,
                                            enum sig_compat compat, struct sig_conf *conf,
                                            struct err *err);
void sig_conf_release(struct sig_conf *conf);

/* The file's name in messages: path, or "standard input" for "-". */
const char *sig_conf_name(const char *path);

#endif
