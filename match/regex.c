/*
 * match/regex.c - see regex.h.
 *
 * TRE searches a wide stretch for the first start at all; each start found, or doubted, is then asked again with exactly
 * the window that defines its match. The stretch grows while nothing is found and shrinks to the window itself on a find,
 * so that an expression such as a.*b on a text of a's costs one window a start and not the whole text.
 */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <tre/tre.h>

#include "match/regex.h"
#include "match/regex_syntax.h"

enum { REGEX_STRETCH_MAX = 64 * 1024 }; /* starts searched by one call of TRE; more gains nothing */

struct regex {
    regex_t compiled;
    uint32_t pattern;
};

struct match_regexes {
    locale_t locale; /* "C": TRE then takes bytes for characters */
    uint32_t count;
    struct regex items[];
};

/* One expression on its way through a text. */
struct regex_walk {
    const struct regex *regex;
    const struct match_text *text;
    uint32_t at, to; /* starts not yet looked at */
    uint32_t stretch;
};

static enum err_code regex_compile(const struct match_pattern *pattern, regex_t *out, struct err *err)
{
    const int flags = REG_EXTENDED | (pattern->fold_case ? REG_ICASE : 0);
    const char *refused = NULL;
    char why[160];

    const int status = tre_regncomp(out, (const char *)pattern->bytes, pattern->len, flags);
    if (status != REG_OK) {
        tre_regerror(status, out, why, sizeof why);
        return ERR_RAISE(err, status == REG_ESPACE ? ERR_ENV : ERR_INPUT, "the regular expression /%.*s/ is wrong: %s",
                         (int)pattern->len, (const char *)pattern->bytes, why);
    }
    if (tre_have_backrefs(out))
        refused = "back-references are not supported; write the text out";
    else if (tre_have_approx(out))
        refused = "approximate matching is not supported; leave the {~} out";
    else
        refused = match_regex_refused(pattern->bytes, pattern->len);
    if (refused != NULL) {
        tre_regfree(out);
        return ERR_RAISE(err, ERR_INPUT, "the regular expression /%.*s/ cannot be looked for: %s", (int)pattern->len,
                         (const char *)pattern->bytes, refused);
    }
    return ERR_OK;
}

static enum err_code regex_locale(locale_t *out, struct err *err)
{
    *out = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (*out == (locale_t)0)
        return ERR_RAISE(err, ERR_ENV, "the C locale cannot be had: %s", strerror(errno));
    return ERR_OK;
}

enum err_code match_regex_check(const struct match_pattern *pattern, struct err *err)
{
    locale_t locale = (locale_t)0;
    regex_t compiled;

    enum err_code rc = regex_locale(&locale, err);
    if (rc != ERR_OK)
        return rc;
    const locale_t before = uselocale(locale);
    rc = regex_compile(pattern, &compiled, err);
    if (rc == ERR_OK)
        tre_regfree(&compiled);
    uselocale(before);
    freelocale(locale);
    return rc;
}

enum err_code match_regexes_open(const struct match_dictionary *dictionary, struct match_regexes **out, struct err *err)
{
    const uint32_t all = match_dictionary_count(dictionary);
    struct match_regexes *regexes = NULL;
    uint32_t count = 0;

    *out = NULL;
    for (uint32_t i = 0; i < all; i++)
        count += match_dictionary_get(dictionary, i)->kind == MATCH_REGEX;
    if (count == 0)
        return ERR_OK;

    const size_t size = sizeof *regexes + count * sizeof regexes->items[0];
    regexes = calloc(1, size);
    if (regexes == NULL)
        return ERR_NO_MEMORY(err, size);
    enum err_code rc = regex_locale(&regexes->locale, err);
    if (rc == ERR_OK) {
        const locale_t before = uselocale(regexes->locale);

        for (uint32_t i = 0; i < all && rc == ERR_OK; i++) {
            const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

            if (pattern->kind != MATCH_REGEX)
                continue;
            struct regex *regex = &regexes->items[regexes->count];
            regex->pattern = i;
            rc = regex_compile(pattern, &regex->compiled, err);
            if (rc == ERR_OK)
                regexes->count++;
        }
        uselocale(before);
    }
    if (rc != ERR_OK) {
        match_regexes_close(regexes);
        return rc;
    }
    *out = regexes;
    return ERR_OK;
}

void match_regexes_close(struct match_regexes *regexes)
{
    if (regexes == NULL)
        return;
    for (uint32_t i = 0; i < regexes->count; i++)
        tre_regfree(&regexes->items[i].compiled);
    if (regexes->locale != (locale_t)0)
        freelocale(regexes->locale);
    free(regexes);
}

/* TRE on text [at, at + len): *so and *eo count from at; so is -1 when nothing matches. */
static enum err_code regex_exec(const struct regex_walk *walk, uint32_t at, uint32_t len, regmatch_t *match,
                                struct err *err)
{
    const int status = tre_regnexec(&walk->regex->compiled, (const char *)walk->text->bytes + at, len, 1, match, 0);

    if (status == REG_NOMATCH) {
        *match = (regmatch_t){ .rm_so = -1, .rm_eo = -1 };
        return ERR_OK;
    }
    if (status != REG_OK)
        return ERR_RAISE(err, ERR_ENV, "no memory for the regular expression that is pattern %u, at offset %" PRIu64,
                         walk->regex->pattern, walk->text->offset + at);
    return ERR_OK;
}

static uint32_t regex_window(const struct regex_walk *walk, uint32_t at)
{
    const uint32_t left = walk->text->len - at;

    return left < LIMIT_REGEX_MATCH_LEN ? left : LIMIT_REGEX_MATCH_LEN;
}

/* The next start at or behind walk->at that has a match, and its length; length 0: there is none before walk->to. */
static enum err_code regex_next(struct regex_walk *walk, uint32_t *len, struct err *err)
{
    regmatch_t match;

    *len = 0;
    while (walk->at < walk->to) {
        const uint32_t left = walk->to - walk->at;
        const uint32_t stretch = walk->stretch < left ? walk->stretch : left;
        const uint32_t last = walk->at + stretch - 1; /* the last start that this call decides */

        enum err_code rc = regex_exec(walk, walk->at, last + regex_window(walk, last) - walk->at, &match, err);
        if (rc != ERR_OK)
            return rc;
        if (match.rm_so < 0 || (uint32_t)match.rm_so >= stretch) {
            walk->at += stretch;
            walk->stretch = walk->stretch < REGEX_STRETCH_MAX ? walk->stretch * 4 : REGEX_STRETCH_MAX;
            continue;
        }
        walk->at += (uint32_t)match.rm_so;
        walk->stretch = 1;
        rc = regex_exec(walk, walk->at, regex_window(walk, walk->at), &match, err);
        if (rc != ERR_OK)
            return rc;
        if (match.rm_so == 0 && match.rm_eo > 0) {
            *len = (uint32_t)match.rm_eo;
            return ERR_OK;
        }
        walk->at++;
    }
    return ERR_OK;
}

static enum err_code regexes_scan_all(const struct match_regexes *regexes, const struct match_text *text, uint32_t from,
                                      uint32_t to, struct match_sink *sink, bool *full, struct err *err)
{
    for (uint32_t i = 0; i < regexes->count; i++) {
        struct regex_walk walk = { .regex = &regexes->items[i], .text = text, .at = from, .to = to, .stretch = 4096 };

        for (;;) {
            uint32_t len;

            enum err_code rc = regex_next(&walk, &len, err);
            if (rc != ERR_OK)
                return rc;
            if (len == 0)
                break;
            if (sink->count == sink->max) {
                *full = true;
                return ERR_OK;
            }
            sink->items[sink->count++] =
                (struct hit){ .offset = text->offset + walk.at, .pattern = walk.regex->pattern, .len = len };
            walk.at++;
        }
    }
    return ERR_OK;
}

enum err_code match_regexes_scan(const struct match_regexes *regexes, const struct match_text *text, uint32_t from,
                                 uint32_t to, struct match_sink *sink, bool *full, struct err *err)
{
    const uint32_t before = sink->count;

    *full = false;
    const locale_t locale = uselocale(regexes->locale);
    enum err_code rc = regexes_scan_all(regexes, text, from, to, sink, full, err);
    uselocale(locale);
    if (*full || rc != ERR_OK)
        sink->count = before;
    return rc;
}
