/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/args.c - see args.h. */
#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "carver/cli/args.h"
#include "carver/cli/near.h"

void args_begin(struct args *args, const char *command, const struct args_option *options, int argc,
                char **argv)
{
    *args = (struct args){ .command = command, .options = options, .argc = argc, .argv = argv };
    optind = 0; /* glibc: forget what was read before */
    opterr = 0;
}

static const struct args_option *args_find(const struct args *args, int id)
{
    for (const struct args_option *o = args->options; o->name != NULL; o++)
        if (o->id == id)
            return o;
    return NULL;
}

/* How many options begin with word, which has its dashes and perhaps "=VALUE". */
static uint32_t args_alike(const struct args *args, const char *word)
{
    const size_t len = strcspn(word + 2, "=");
    uint32_t alike = 0;

    for (const struct args_option *o = args->options; o->name != NULL; o++)
        alike += strncmp(o->name, word + 2, len) == 0;
    return alike;
}

/* A long option that is none, with the one that may have been meant. */
static enum err_code args_unknown_option(const struct args *args, const char *word, struct err *err)
{
    const char *names[ARGS_OPTIONS_MAX + 2];
    const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word;
    size_t count = 0;

    for (const struct args_option *o = args->options; o->name != NULL; o++)
        names[count++] = o->name;
    names[count++] = "help";
    names[count++] = "version";
    const char *near = near_best(name, strcspn(name, "="), names, count);
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG,
                         "unknown option %s; did you mean --%s? see 'burin %s --help'", word, near,
                         args->command);
    return ERR_RAISE(err, ERR_ARG, "unknown option %s; try 'burin %s --help'", word, args->command);
}

static enum err_code args_bad_option(const struct args *args, int answer, struct err *err)
{
    const struct args_option *known = optopt != 0 ? args_find(args, optopt) : NULL;
    const char *word = optind > 0 && optind <= args->argc ? args->argv[optind - 1] : "";

    if (known != NULL && answer == ':')
        return ERR_RAISE(err, ERR_ARG, "--%s needs a value: --%s %s", known->name, known->name,
                         known->value);
    if (known != NULL && known->value == NULL)
        return ERR_RAISE(err, ERR_ARG, "--%s takes no value", known->name);
    if (optopt != 0)
        return ERR_RAISE(err, ERR_ARG, "unknown option -%c; try 'burin %s --help'", optopt,
                         args->command);
    if (strncmp(word, "--", 2) == 0 && args_alike(args, word) > 1)
        return ERR_RAISE(err, ERR_ARG, "option %s is ambiguous; try 'burin %s --help'", word,
                         args->command);
    return args_unknown_option(args, word, err);
}

enum err_code args_next(struct args *args, int *id, const char **value, struct err *err)
{
    struct option longs[ARGS_OPTIONS_MAX + 1] = { 0 };
    char shorts[2 * ARGS_OPTIONS_MAX + 2] = ":";
    size_t at = 1, count = 0;

    for (const struct args_option *o = args->options; o->name != NULL; o++, count++) {
        assert(count < ARGS_OPTIONS_MAX);
        longs[count] = (struct option){ o->name, o->value != NULL ? required_argument : no_argument,
                                        NULL, o->id };
        if (o->id < ARGS_LONG) {
            shorts[at++] = (char)o->id;
            if (o->value != NULL)
                shorts[at++] = ':';
        }
    }
    optarg = NULL;
    const int answer = getopt_long(args->argc, args->argv, shorts, longs, NULL);
    if (answer == '?' || answer == ':')
        return args_bad_option(args, answer, err);
    *id = answer == -1 ? ARGS_END : answer;
    *value = optarg;
    return ERR_OK;
}

enum err_code args_operands(const struct args *args, int min, int max, const char *what,
                            char ***operands, int *count, struct err *err)
{
    *operands = args->argv + optind;
    *count = args->argc - optind;
    if (*count < min) {
        for (int i = 0; i < *count && strchr(what, ' ') != NULL; i++)
            what = strchr(what, ' ') + 1; /* its word is there */
        return ERR_RAISE(err, ERR_ARG, "%s is missing; try 'burin %s --help'", what, args->command);
    }
    if (*count > max)
        return ERR_RAISE(err, ERR_ARG, "unexpected word '%s'; try 'burin %s --help'",
                         (*operands)[max], args->command);
    return ERR_OK;
}

enum args_number { ARGS_NUMBER, ARGS_NO_NUMBER, ARGS_NUMBER_TOO_LARGE };

/* Reads digits at text and moves *end behind them. */
static enum args_number args_digits(const char *text, const char **end, uint64_t *out)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const int base = hex ? 16 : 10;
    const char *p = hex ? text + 2 : text;
    const char *first = p;
    enum args_number how = ARGS_NUMBER;
    uint64_t value = 0;

    for (int digit; (digit = hex_digit(*p)) >= 0 && digit < base; p++) {
        if (value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            how = ARGS_NUMBER_TOO_LARGE;
        else
            value = value * (uint64_t)base + (uint64_t)digit;
    }
    *end = p;
    *out = value;
    return p == first ? ARGS_NO_NUMBER : how;
}

/* A number with an optional suffix at text, up to the byte `until`. */
static enum args_number args_scaled(const char *text, char until, const char **end, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    enum args_number how = args_digits(text, end, out);

    if (how == ARGS_NO_NUMBER)
        return how;
    if (**end != until && **end != '\0') {
        const char c = (char)(**end >= 'a' && **end <= 'z' ? **end - 'a' + 'A' : **end);
        const char *suffix = strchr(suffixes, c);

        if (suffix == NULL)
            return ARGS_NO_NUMBER;
        const int shift = 10 * ((int)(suffix - suffixes) + 1);
        if (*out > UINT64_MAX >> shift)
            how = ARGS_NUMBER_TOO_LARGE;
        *out <<= shift;
        (*end)++;
    }
    return **end == until || **end == '\0' ? how : ARGS_NO_NUMBER;
}

/* bytes as a person would have written it: "64K", "16M", "100". */
static const char *args_show(uint64_t bytes, char text[32])
{
    static const char suffixes[] = " KMGT";
    uint32_t power = 0;

    while (power < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        power++;
    }
    if (power == 0)
        snprintf(text, 32, "%" PRIu64, bytes);
    else
        snprintf(text, 32, "%" PRIu64 "%c", bytes, suffixes[power]);
    return text;
}

enum err_code args_size(const char *option, const char *text, uint64_t min, uint64_t max,
                        uint64_t *out, struct err *err)
{
    char low[32], high[32];
    const char *end;
    const enum args_number how = args_scaled(text, '\0', &end, out);

    if (how == ARGS_NO_NUMBER)
        return ERR_RAISE(
            err, ERR_ARG,
            "%s '%s' is not a size: write bytes, or a number with K, M, G or T behind it", option,
            text);
    if (how == ARGS_NUMBER_TOO_LARGE || *out < min || *out > max) {
        if (max == UINT64_MAX)
            return ERR_RAISE(err, ERR_ARG,
                             "%s %s is out of range: at least %s, less than 16777216T", option,
                             text, args_show(min, low));
        return ERR_RAISE(err, ERR_ARG, "%s %s is out of range: %s to %s", option, text,
                         args_show(min, low), args_show(max, high));
    }
    return ERR_OK;
}

enum err_code args_count(const char *option, const char *text, uint64_t min, uint64_t max,
                         uint64_t *out, struct err *err)
{
    const char *end;
    const enum args_number how = args_digits(text, &end, out);

    if (how == ARGS_NO_NUMBER || *end != '\0')
        return ERR_RAISE(err, ERR_ARG, "%s '%s' is not a number", option, text);
    if (how == ARGS_NUMBER_TOO_LARGE || *out < min || *out > max)
        return ERR_RAISE(err, ERR_ARG, "%s %s is out of range: %" PRIu64 " to %" PRIu64, option,
                         text, min, max);
    return ERR_OK;
}

enum err_code args_time(const char *option, const char *text, uint32_t max_hours, uint64_t *out,
                        struct err *err)
{
    uint64_t value;
    const char *end;
    const enum args_number how = args_digits(text, &end, &value);
    const uint64_t unit = how == ARGS_NO_NUMBER                     ? 0
                          : strcmp(end, "h") == 0                   ? 3600
                          : strcmp(end, "m") == 0                   ? 60
                          : strcmp(end, "s") == 0 || end[0] == '\0' ? 1
                                                                    : 0;
    if (how != ARGS_NUMBER || unit == 0 || value == 0 || value > UINT64_C(3600) * max_hours / unit)
        return ERR_RAISE(err, ERR_ARG, "%s %s: write a time up to %uh, such as 60s, 5m or 1h",
                         option, text, max_hours);
    *out = value * unit * UINT64_C(1000000000);
    return ERR_OK;
}

enum err_code args_part(const char *option, const char *text, uint32_t max, uint32_t *number,
                        uint32_t *count, struct err *err)
{
    const char *slash = strchr(text, '/');
    char first[16] = "";
    uint64_t value = 0, parts = 0;

    if (slash == NULL || slash - text >= (ptrdiff_t)sizeof first)
        return ERR_RAISE(err, ERR_ARG, "%s %s: write K/N: part K (from 0 on) of N", option, text);
    memcpy(first, text, (size_t)(slash - text));
    enum err_code rc = args_count(option, slash + 1, 1, max, &parts, err);
    if (rc == ERR_OK)
        rc = args_count(option, first, 0, parts - 1, &value, err);
    *number = (uint32_t)value;
    *count = (uint32_t)parts;
    return rc;
}

enum err_code args_range(const char *option, const char *text, uint64_t *start, uint64_t *len,
                         struct err *err)
{
    const char *end;
    enum args_number how = args_scaled(text, ':', &end, start);
    bool bad = how == ARGS_NO_NUMBER;
    bool large = how == ARGS_NUMBER_TOO_LARGE;

    if (!bad && !large) {
        *len = UINT64_MAX - *start;
        if (*end == ':' && end[1] != '\0') {
            how = args_scaled(end + 1, '\0', &end, len);
            bad = how == ARGS_NO_NUMBER;
            large = how == ARGS_NUMBER_TOO_LARGE || *len > UINT64_MAX - *start;
        }
    }
    if (bad)
        return ERR_RAISE(err, ERR_ARG,
                         "%s '%s' is not a range: write START:LENGTH in bytes, for example "
                         "1G:512M, or START alone",
                         option, text);
    if (large)
        return ERR_RAISE(err, ERR_ARG,
                         "%s %s is out of range: START + LENGTH must be less than 16777216T",
                         option, text);
    if (*len == 0)
        return ERR_RAISE(err, ERR_ARG, "%s %s is empty: LENGTH must be at least 1", option, text);
    return ERR_OK;
}

enum err_code args_file(const char *what, const char *text, struct err *err)
{
    if (text[0] == '\0')
        return ERR_RAISE(err, ERR_ARG, "%s: the name is empty", what);
    if (strcmp(text, "-") == 0)
        return ERR_RAISE(err, ERR_ARG,
                         "%s '-': standard input can be read only once, from its start; save it to "
                         "a file and name that (./- "
                         "is a file of this name)",
                         what);
    return ERR_OK;
}

enum err_code args_more_files(const char *option, const char *text, const char **files,
                              uint32_t most, uint32_t *count, struct err *err)
{
    if (*count == most)
        return ERR_RAISE(err, ERR_ARG, "%s: at most %u", option, most);
    files[(*count)++] = text;
    return args_file(option, text, err);
}

/* The next word of a list, *len bytes long, and *list behind it and its comma; NULL behind the last
 * one. */
static const char *args_list_word(const char **list, size_t *len)
{
    const char *word = *list;

    *len = strcspn(word, ",");
    *list += *len + (word[*len] == ',');
    return *word == '\0' ? NULL : word;
}

enum err_code args_list_check(const char *option, const char *list, uint32_t max, struct err *err)
{
    uint32_t count = 0;
    size_t len;

    while (args_list_word(&list, &len) != NULL)
        count++;
    if (count < 1 || count > max)
        return ERR_RAISE(err, ERR_ARG, "%s: name 1 to %" PRIu32 ", with commas between", option,
                         max);
    return ERR_OK;
}

bool args_word(const char **list, char *word, size_t size)
{
    size_t len;
    const char *next = args_list_word(list, &len);

    if (next == NULL)
        return false;
    snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), next);
    return true;
}

/* Appends bytes to out, or nothing when they do not fit with the mark of a cut behind them. */
static bool args_append(char *out, uint32_t size, uint32_t *at, const char *bytes, size_t len)
{
    if (len + 5 > size - *at)
        return false;
    memcpy(out + *at, bytes, len);
    *at += (uint32_t)len;
    out[*at] = '\0';
    return true;
}

void args_quote(int argc, char *const *argv, char *out, uint32_t out_size)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
    uint32_t at = 0;
    bool fits;

    assert(out_size >= 16);
    fits = args_append(out, out_size, &at, "burin", 5);
    for (int i = 0; i < argc && fits; i++) {
        const bool quoted = argv[i][0] == '\0' || argv[i][strspn(argv[i], plain)] != '\0';

        fits = args_append(out, out_size, &at, " ", 1);
        if (quoted)
            fits = fits && args_append(out, out_size, &at, "'", 1);
        for (const char *p = argv[i]; *p != '\0' && fits; p++)
            fits = *p == '\'' ? args_append(out, out_size, &at, "'\\''", 4)
                              : args_append(out, out_size, &at, p, 1);
        if (quoted)
            fits = fits && args_append(out, out_size, &at, "'", 1);
    }
    if (!fits)
        memcpy(out + at, " ...", 5);
}
