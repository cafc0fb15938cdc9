/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/allow.c - see allow.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/grow.h"
#include "base/input.h"
#include "carver/audit/allow.h"
#include "carver/audit/policy.h"

enum {
    ALLOW_SHORT = 16, /* hex digits of a fingerprint */
    ALLOW_LONG = 64,  /* of a SHA-256 */
    ALLOW_WORDS = 3,
};

static const char allow_space[] = " \t\r";

/* A word of a line. */
struct allow_word {
    const char *at;
    size_t len;
};

static bool allow_is_hex(const char *text, size_t len)
{
    return strspn(text, "0123456789abcdef") >= len;
}

static bool allow_word_is(const struct allow_word *word, const char *text)
{
    return word->len == strlen(text) && memcmp(word->at, text, word->len) == 0;
}

static enum err_code allow_fault(const struct allow_entry *entry, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s:%" PRIu32 ": %s; write RULE:FINGERPRINT or the SHA-256 of an object, then "
                     "perhaps until YYYY-MM-DD, then # and why",
                     entry->path, entry->line, what);
}

static enum err_code allow_fingerprint(struct allow *allow, const struct allow_word *word,
                                       struct allow_entry *entry, struct err *err)
{
    const char *colon = memchr(word->at, ':', word->len);
    const char *hex = colon != NULL ? colon + 1 : word->at;
    const size_t rule_len = colon != NULL ? (size_t)(colon - word->at) : 0;
    const size_t len = word->len - (size_t)(hex - word->at);

    if (colon != NULL && (rule_len == 0 || rule_len > POLICY_NAME_MAX))
        return allow_fault(entry, "no name of a rule", err);
    if (len != (colon != NULL ? ALLOW_SHORT : ALLOW_LONG) || !allow_is_hex(hex, len))
        return allow_fault(entry, "no fingerprint (small hexadecimal digits)", err);
    entry->fingerprint = arena_copy(&allow->arena, hex, len);
    entry->rule = colon != NULL ? arena_copy(&allow->arena, word->at, rule_len) : NULL;
    return entry->fingerprint != NULL && (colon == NULL || entry->rule != NULL)
               ? ERR_OK
               : ERR_NO_MEMORY(err, word->len);
}

/* The second after a day, which is written as 2027-06-30. */
static bool allow_day(const struct allow_word *word, int64_t *out)
{
    static const uint32_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    char text[11];

    if (word->len != sizeof text - 1)
        return false;
    memcpy(text, word->at, word->len);
    text[word->len] = '\0';
    if (strspn(text, "0123456789") != 4 || text[4] != '-' || strspn(text + 5, "0123456789") != 2 ||
        text[7] != '-' || strspn(text + 8, "0123456789") != 2)
        return false;
    const uint32_t year = (uint32_t)strtoul(text, NULL, 10);
    const uint32_t month = (uint32_t)strtoul(text + 5, NULL, 10);
    const uint32_t day = (uint32_t)strtoul(text + 8, NULL, 10);

    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1] + (leap && month == 2))
        return false;
    *out = (civil_days(year, month, day) + 1) * CIVIL_DAY;
    return true;
}

/* The words of a line, and, behind "#", why. False: they are too many. */
static bool allow_words(const char *line, size_t len, struct allow_word words[ALLOW_WORDS],
                        uint32_t *count, struct allow_word *why)
{
    const char *hash = memchr(line, '#', len);
    const char *end = hash != NULL ? hash : line + len;

    *count = 0;
    *why = (struct allow_word){ end, 0 };
    if (hash != NULL) {
        const size_t skip = strspn(hash + 1, allow_space);

        *why = (struct allow_word){ hash + 1 + skip, (size_t)(line + len - hash) - 1 - skip };
        while (why->len > 0 && strchr(allow_space, why->at[why->len - 1]) != NULL)
            why->len--;
    }
    for (const char *at = line; at < end;) {
        const size_t skip = strspn(at, allow_space);
        const size_t word = strcspn(at + skip, " \t\r#\n");

        at += skip;
        if (at >= end || word == 0)
            return true;
        if (*count == ALLOW_WORDS)
            return false;
        words[(*count)++] = (struct allow_word){ at, word };
        at += word;
    }
    return true;
}

static enum err_code allow_line(struct allow *allow, const char *line, size_t len,
                                struct allow_entry *entry, bool *is, struct err *err)
{
    struct allow_word words[ALLOW_WORDS], why;
    uint32_t count;

    *is = false;
    if (!allow_words(line, len, words, &count, &why))
        return allow_fault(entry, "too many words", err);
    if (count == 0)
        return ERR_OK;
    const enum err_code rc = allow_fingerprint(allow, &words[0], entry, err);
    if (rc != ERR_OK)
        return rc;
    entry->until = INT64_MAX;
    if (count == 2 || (count == ALLOW_WORDS && (!allow_word_is(&words[1], "until") ||
                                                !allow_day(&words[2], &entry->until))))
        return allow_fault(entry, "no day until which it holds", err);
    entry->why = why.len > 0 ? arena_copy(&allow->arena, why.at, why.len) : "allowed";
    *is = true;
    return entry->why != NULL ? ERR_OK : ERR_NO_MEMORY(err, why.len);
}

static enum err_code allow_add(struct allow *allow, const struct allow_entry *entry,
                               struct err *err)
{
    if (allow->count == ALLOW_ENTRIES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: more than %d entries", entry->path,
                         ALLOW_ENTRIES_MAX);
    const enum err_code rc =
        grow_items(&allow->entries, allow->count, &allow->room, sizeof *allow->entries, err);

    if (rc == ERR_OK)
        allow->entries[allow->count++] = *entry;
    return rc;
}

enum err_code allow_parse(struct allow *allow, const char *path, const char *bytes, size_t len,
                          struct err *err)
{
    struct allow_entry entry = { .path = path };
    enum err_code rc = ERR_OK;
    bool is = false;

    if (len > ALLOW_BYTES_MAX || memchr(bytes, '\0', len) != NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: it has a NUL or more than %d bytes, and is no list",
                         path, ALLOW_BYTES_MAX);
    if (!allow->open)
        arena_init(&allow->arena, (size_t)POLICY_ALLOWS_MAX * 4 * ALLOW_BYTES_MAX);
    allow->open = true;
    /* A NUL behind it lets words be looked for with the functions of strings. */
    char *text = arena_copy(&allow->arena, bytes, len);
    if (text == NULL)
        return ERR_NO_MEMORY(err, len);
    for (char *line = text; rc == ERR_OK && line < text + len;) {
        const size_t line_len = strcspn(line, "\n");

        entry = (struct allow_entry){ .path = path, .line = entry.line + 1 };
        rc = allow_line(allow, line, line_len, &entry, &is, err);
        if (rc == ERR_OK && is)
            rc = allow_add(allow, &entry, err);
        line += line_len + 1;
    }
    return rc;
}

enum err_code allow_read(struct allow *allow, const char *path, struct err *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = NULL;
    enum err_code rc = input_open(path, &file, err);

    if (rc == ERR_OK)
        rc = input_read(file, path, ALLOW_BYTES_MAX, &text, &len, err);
    if (file != NULL)
        fclose(file);
    if (rc == ERR_OK && len > 0)
        rc = allow_parse(allow, path, text, len, err);
    free(text);
    return rc;
}

void allow_release(struct allow *allow)
{
    free(allow->entries);
    if (allow->open)
        arena_release(&allow->arena);
    *allow = (struct allow){ 0 };
}

const struct allow_entry *allow_find(const struct allow *allow, int64_t now, const char *rule,
                                     const char *fingerprint, const char *sha256)
{
    for (size_t i = 0; i < allow->count; i++) {
        const struct allow_entry *entry = &allow->entries[i];
        const char *wanted = entry->rule != NULL ? fingerprint : sha256;

        if (now < entry->until && wanted != NULL && strcmp(entry->fingerprint, wanted) == 0 &&
            (entry->rule == NULL || strcmp(entry->rule, rule) == 0))
            return entry;
    }
    return NULL;
}
