/*
 * signatures/conf.h - scalpel.conf and foremost.conf as signatures.
 *
 * The grammar is the one that Scalpel 1.60, 2.x and foremost 1.5.7 share: white-space separated columns extension, case,
 * size, header, footer, type. Every rule becomes a struct sig without a checker. Read correctly by default; a
 * compatibility mode reads (and later pairs) as that tool does, quirks included. A linter warns of rules that can never work.
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
};

struct sig_conf_warning {
    uint32_t    line, column; /* counted from 1 */
    const char *text;
};

struct sig_conf {
    struct arena             arena; /* owns all below */
    struct sig              *rules; /* in the order of the file */
    uint32_t                 rule_count;
    struct sig_conf_warning *warnings;
    uint32_t                 warning_count;
};

/*
 * Reads a configuration file, or text already in memory; path is for messages.
 * Errors: ERR_INPUT with "PATH:LINE:COLUMN: what is wrong and what to write instead"; ERR_ENV no memory. On an error conf
 * needs no release. Ownership: the caller gives conf to sig_conf_release.
 */
ERR_MUST_CHECK enum err_code sig_conf_read(const char *path, enum sig_compat compat, struct sig_conf *conf, struct err *err);
ERR_MUST_CHECK enum err_code sig_conf_parse(const char *path, const char *text, size_t len, enum sig_compat compat,
                                            struct sig_conf *conf, struct err *err);
void sig_conf_release(struct sig_conf *conf);

#endif
