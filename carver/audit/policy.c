/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy.c - see policy.h. Here: lines to libinih, and from it to the keys of
 * policy_keys.c.
 *
 * libinih counts no lines for its handler, cuts long ones and knows no file; so it is given lines
 * by a function of ours, which counts them and refuses those that it would cut.
 */
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "carver/audit/policy_keys.h"

#define POLICY_SPACE " \t\r\n\v\f" /* what libinih skips */
#define POLICY_MARK "\xef\xbb\xbf" /* of UTF-8, in front of the text */
enum { POLICY_ARENA = 4 * POLICY_BYTES_MAX + (64 << 10) };

struct policy_lines {
    struct policy_reading reading;
    const char *at, *end;
};

enum err_code policy_fault(struct err *err, const struct policy *policy, uint32_t line,
                           const char *where, const char *format, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_raise(err, ERR_INPUT, where, "%s:%u: %s", policy->path, line, text);
}

const char *policy_severity_name(enum policy_severity severity)
{
    static const char *const names[POLICY_SEVERITIES] = { "info", "warning", "critical" };

    return names[severity];
}

bool policy_has(const struct policy *policy, enum policy_kind kind)
{
    for (uint32_t i = 0; i < policy->rule_count; i++)
        if (policy->rules[i].kind == kind)
            return true;
    return false;
}

/* A section without a key does nothing: somebody meant it to. */
static void policy_end_section(struct policy_reading *reading)
{
    if (reading->rc == ERR_OK && reading->section_line != 0 && !reading->section_used)
        reading->rc = POLICY_FAULT(reading->err, reading->policy, reading->section_line,
                                   "the section has no key");
}

/* Notes what libinih will take the line for. */
static void policy_look(struct policy_reading *reading, const char *line)
{
    const char *begin = reading->line == 1 && strncmp(line, POLICY_MARK, 3) == 0 ? line + 3 : line;
    const char *first = begin + strspn(begin, POLICY_SPACE);

    reading->more = first != begin && *first != '\0' && reading->last_key != NULL;
    if (*first == '[' && !reading->more) {
        policy_end_section(reading);
        reading->section_line = reading->line;
        reading->section_used = false;
        reading->last = NULL;
        reading->last_key = NULL;
    }
}

/* libinih takes a comment out of the first line of a value alone. */
static void policy_cut_comment(char *line)
{
    for (char *c = line; *c != '\0'; c++)
        if (*c == ';' && c > line && (c[-1] == ' ' || c[-1] == '\t')) {
            c[0] = '\n';
            c[1] = '\0';
            return;
        }
}

/* The next line for libinih. NULL ends the file, or, with a fault on record, the reading. */
static char *policy_next(char *out, int size, void *stream)
{
    struct policy_lines *lines = stream;
    struct policy_reading *reading = &lines->reading;
    const size_t left = (size_t)(lines->end - lines->at);
    const char *feed = left > 0 ? memchr(lines->at, '\n', left) : NULL;
    const size_t len = feed != NULL ? (size_t)(feed - lines->at) : left;

    if (left == 0 || reading->rc != ERR_OK)
        return NULL;
    reading->line++;
    if (len > POLICY_LINE_MAX || (int)len + 2 > size)
        reading->rc = POLICY_FAULT(reading->err, reading->policy, reading->line,
                                   "the line has more than %d bytes; a value goes on in the next "
                                   "line, which begins with a space",
                                   POLICY_LINE_MAX);
    else if (memchr(lines->at, '\0', len) != NULL)
        reading->rc =
            POLICY_FAULT(reading->err, reading->policy, reading->line, "a NUL is in the line");
    if (reading->rc != ERR_OK)
        return NULL;
    memcpy(out, lines->at, len);
    out[len] = '\n';
    out[len + 1] = '\0';
    lines->at += len + (feed != NULL);
    policy_look(reading, out);
    if (reading->more)
        policy_cut_comment(out);
    return reading->rc == ERR_OK ? out : NULL;
}

static int policy_handle(void *user, const char *section, const char *name, const char *value)
{
    struct policy_lines *lines = user;

    if (lines->reading.rc == ERR_OK)
        lines->reading.rc = policy_key(&lines->reading, section, name, value);
    return 1;
}

enum err_code policy_parse(const char *path, const char *bytes, size_t len, struct policy *out,
                           struct err *err)
{
    struct policy_lines lines = { .reading = { .policy = out, .err = err },
                                  .at = bytes,
                                  .end = bytes + len };

    *out = (struct policy){ .path = path, .keep = POLICY_KEEP };
    arena_init(&out->arena, POLICY_ARENA);
    if (len > POLICY_BYTES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: it has more than %d bytes, and is no policy", path,
                         POLICY_BYTES_MAX);
    const int bad = ini_parse_stream(policy_next, &lines, policy_handle, &lines);
    if (bad == 0)
        policy_end_section(&lines.reading);
    if (lines.reading.rc == ERR_OK && bad > 0)
        return POLICY_FAULT(err, out, (uint32_t)bad,
                            "write KEY = VALUE, or a section: [audit], [rule NAME], [allow] or "
                            "[output]");
    if (lines.reading.rc == ERR_OK && bad < 0)
        return ERR_NO_MEMORY(err, POLICY_LINE_MAX);
    return lines.reading.rc == ERR_OK ? policy_complete(out, err) : lines.reading.rc;
}

enum err_code policy_read(const char *path, struct policy *out, struct err *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = NULL;

    *out = (struct policy){ .path = path };
    enum err_code rc = input_open(path, &file, err);
    if (rc == ERR_OK)
        rc = input_read(file, path, POLICY_BYTES_MAX, &text, &len, err);
    if (file != NULL)
        fclose(file);
    if (rc == ERR_OK)
        rc = policy_parse(path, text, len, out, err);
    free(text);
    return rc;
}

void policy_release(struct policy *policy)
{
    arena_release(&policy->arena);
    *policy = (struct policy){ 0 };
}
