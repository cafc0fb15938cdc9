/* SPDX-License-Identifier: Apache-2.0
 * carver/select/ids.c - see ids.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "base/input.h"
#include "carver/cli/interrupt.h"
#include "carver/select/ids.h"

enum err_code ids_add(struct ids *ids, int64_t id, struct err *err)
{
    const enum err_code rc =
        grow_items(&ids->items, ids->count, &ids->room, sizeof *ids->items, err);

    if (rc == ERR_OK)
        ids->items[ids->count++] = id;
    return rc;
}

static int ids_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void ids_settle(struct ids *ids)
{
    size_t kept = 0;

    if (ids->count > 0)
        qsort(ids->items, ids->count, sizeof *ids->items, ids_order);
    for (size_t i = 0; i < ids->count; i++)
        if (kept == 0 || ids->items[kept - 1] != ids->items[i])
            ids->items[kept++] = ids->items[i];
    ids->count = kept;
}

static bool ids_before(const void *item, uint64_t at)
{
    return *(const int64_t *)item < (int64_t)at;
}

bool ids_has(const struct ids *ids, int64_t id)
{
    const size_t at = bisect(ids->items, ids->count, sizeof *ids->items, ids_before, (uint64_t)id);

    return at < ids->count && ids->items[at] == id;
}

void ids_close(struct ids *ids)
{
    free(ids->items);
    *ids = (struct ids){ 0 };
}

/* The number at the beginning of a line of len bytes. False: there is none. */
static bool ids_number(const char *line, size_t len, int64_t *out)
{
    size_t digits = 0;

    *out = 0;
    for (; digits < len && line[digits] >= '0' && line[digits] <= '9'; digits++) {
        const int64_t digit = line[digits] - '0';

        if (*out > (INT64_MAX - digit) / 10)
            return false;
        *out = 10 * *out + digit;
    }
    return digits > 0 &&
           (digits == len || line[digits] == '\t' || line[digits] == ' ' || line[digits] == '\r');
}

static enum err_code ids_parse(struct ids *ids, const char *path, const char *text, size_t len,
                               struct err *err)
{
    uint64_t number = 1;
    enum err_code rc = ERR_OK;

    for (const char *at = text; rc == ERR_OK && at < text + len; number++) {
        const size_t left = (size_t)(text + len - at);
        const char *feed = memchr(at, '\n', left);
        const size_t line = feed != NULL ? (size_t)(feed - at) : left;
        int64_t id;

        if (ids_number(at, line, &id))
            rc = ids_add(ids, id, err);
        else if (line > 0 && !(line == 1 && at[0] == '\r'))
            rc = ERR_RAISE(
                err, ERR_INPUT,
                "%s:%" PRIu64
                ": no number of an object; write one a line, as the first column of burin "
                "list has them",
                path, number);
        at += line + (feed != NULL);
    }
    return rc;
}

enum err_code ids_read(struct ids *ids, const char *path, struct err *err)
{
    const bool in = strcmp(path, "-") == 0;
    const char *name = in ? "standard input" : path;
    FILE *file = in ? stdin : NULL;
    char *text = NULL;
    size_t len = 0;
    enum err_code rc = in ? ERR_OK : input_open(path, &file, err);

    if (rc == ERR_OK)
        rc = input_read(file, name, IDS_FILE_MAX, &text, &len, err);
    if (interrupt_requested())
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (rc == ERR_OK && len > IDS_FILE_MAX)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: more than %d bytes of numbers", name, IDS_FILE_MAX);
    if (rc == ERR_OK)
        rc = ids_parse(ids, name, text, len, err);
    ids_settle(ids);
    free(text);
    if (file != NULL && !in)
        fclose(file);
    return rc;
}
