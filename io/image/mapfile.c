/* SPDX-License-Identifier: Apache-2.0
 * io/image/mapfile.c - see io/mapfile.h. */
#include "io/mapfile.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image_impl.h"

enum { MAPFILE_WORDS_MAX = 4 };

#define MAPFILE_READ '+'
#define MAPFILE_NOW "?*/-FG+" /* what ddrescue was doing when it wrote the map */

struct mapfile_word {
    const char *at;
    size_t len;
};

struct mapfile_line {
    const char *name;
    uint64_t number;
    struct mapfile_word words[MAPFILE_WORDS_MAX];
    uint32_t count; /* one more than there is room for: too many */
};

static bool mapfile_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Cuts [at, end) into words. A # that begins one begins a comment. */
static void mapfile_cut(const char *at, const char *end, struct mapfile_line *line)
{
    line->count = 0;
    while (line->count <= MAPFILE_WORDS_MAX) {
        while (at < end && mapfile_blank(*at))
            at++;
        if (at == end || *at == '#')
            return;
        const char *from = at;
        while (at < end && !mapfile_blank(*at))
            at++;
        if (line->count < MAPFILE_WORDS_MAX)
            line->words[line->count] = (struct mapfile_word){ from, (size_t)(at - from) };
        line->count++;
    }
}

static int mapfile_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Decimal, or with 0x hexadecimal, or with 0 octal; at most 2^63 - 1. */
static bool mapfile_number(const struct mapfile_word *word, uint64_t *out)
{
    const char *at = word->at, *end = word->at + word->len;
    uint64_t base = 10, value = 0;

    if (word->len > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        base = 16;
        at += 2;
    } else if (word->len > 1 && at[0] == '0') {
        base = 8;
    }
    for (; at < end; at++) {
        const uint64_t digit = (uint64_t)mapfile_digit(*at);

        if (digit >= base || value > (INT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

static bool mapfile_letter(const struct mapfile_word *word, const char *letters, char *out)
{
    *out = word->at[0];
    return word->len == 1 && *out != '\0' && strchr(letters, *out) != NULL;
}

/* Position, status and, in newer maps, pass. Maps of old versions name no pass. */
static enum err_code mapfile_status(const struct mapfile_line *line, struct err *err)
{
    uint64_t number = 0;
    char status = 0;

    if (line->count >= 2 && line->count <= 3 && mapfile_number(&line->words[0], &number) &&
        mapfile_letter(&line->words[1], MAPFILE_NOW, &status) &&
        (line->count == 2 || mapfile_number(&line->words[2], &number)))
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s:%" PRIu64 ": not a map of GNU ddrescue: its first line gives a position, "
                     "a status and a pass, such as \"0x00000000 + 1\"",
                     line->name, line->number);
}

static enum err_code mapfile_add(struct io_mapfile *map, const struct io_bad_range *range,
                                 const struct mapfile_line *line, struct err *err)
{
    struct io_bad_range *last = map->count > 0 ? &map->bad[map->count - 1] : NULL;

    if (last != NULL && last->offset + last->len == range->offset &&
        last->status == range->status) {
        last->len += range->len;
        return ERR_OK;
    }
    if (map->count == IO_MAPFILE_BAD_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:%" PRIu64 ": more than %d areas that were not read: join them with "
                         "ddrescuelog, or let ddrescue go on",
                         line->name, line->number, IO_MAPFILE_BAD_MAX);
    const enum err_code rc = grow_items(&map->bad, map->count, &map->room, sizeof *map->bad, err);

    if (rc == ERR_OK)
        map->bad[map->count++] = *range;
    return rc;
}

static enum err_code mapfile_block(struct io_mapfile *map, const struct mapfile_line *line,
                                   bool first, struct err *err)
{
    struct io_bad_range range = { .source = IO_BAD_MAPFILE };

    if (line->count != 3 || !mapfile_number(&line->words[0], &range.offset) ||
        !mapfile_number(&line->words[1], &range.len) ||
        !mapfile_letter(&line->words[2], IO_STATUSES "+", &range.status))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:%" PRIu64 ": a block of a map is a position, a size, both below 2^63, "
                         "and one of ? * / - +",
                         line->name, line->number);
    if (range.len == 0 || range.len > INT64_MAX - range.offset)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:%" PRIu64 ": a block of %" PRIu64 " bytes at %" PRIu64
                         " cannot be: it is empty, or ends behind every disk",
                         line->name, line->number, range.len, range.offset);
    if (!first && range.offset != map->end)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:%" PRIu64 ": the block begins at %" PRIu64
                         ", and the one before it ends at %" PRIu64 ": the map %s",
                         line->name, line->number, range.offset, map->end,
                         range.offset > map->end ? "has a gap" : "says two things of some bytes");
    if (first)
        map->begin = range.offset;
    map->end = range.offset + range.len;
    if (range.status != MAPFILE_READ)
        return mapfile_add(map, &range, line, err);
    map->read_end = map->end;
    map->read_end_line = line->number;
    return ERR_OK;
}

enum err_code io_mapfile_parse(const char *name, const char *text, size_t len,
                               struct io_mapfile *out, struct err *err)
{
    const char *const end = text + len;
    struct mapfile_line line = { .name = name };
    bool status = false, block = false;
    enum err_code rc = ERR_OK;

    *out = (struct io_mapfile){ 0 };
    for (const char *at = text; rc == ERR_OK && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        line.number++;
        mapfile_cut(at, stop != NULL ? stop : end, &line);
        at = stop != NULL ? stop + 1 : end;
        if (line.count == 0)
            continue;
        rc = status ? mapfile_block(out, &line, !block, err) : mapfile_status(&line, err);
        block = status;
        status = true;
    }
    if (rc == ERR_OK && !status)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: not a map of GNU ddrescue: it has no line but comments",
                       name);
    return rc;
}

void io_mapfile_release(struct io_mapfile *map)
{
    free(map->bad);
    *map = (struct io_mapfile){ 0 };
}

/* The part of [offset, end) that lies in the image, if there is one. */
static void mapfile_count(uint64_t offset, uint64_t end, uint64_t size, uint64_t *bytes,
                          uint32_t *ranges)
{
    if (end > size)
        end = size;
    if (offset >= end)
        return;
    *bytes += end - offset;
    *ranges += 1;
}

void io_mapfile_count(const struct io_mapfile *map, uint64_t size, uint64_t *bytes,
                      uint32_t *ranges)
{
    *bytes = 0;
    *ranges = 0;
    mapfile_count(0, map->begin, size, bytes, ranges);
    for (uint32_t i = 0; i < map->count; i++)
        mapfile_count(map->bad[i].offset, map->bad[i].offset + map->bad[i].len, size, bytes,
                      ranges);
    mapfile_count(map->end, size, size, bytes, ranges);
}

/* Adds of the range what lies in the image and is not known already; *known: the first range of the
 * image's own list that may end behind it. */
static void mapfile_take(struct io_bad_list *out, const struct io_bad_list *own, uint32_t *known,
                         struct io_bad_range range, uint64_t size)
{
    const uint64_t end = range.offset + range.len < size ? range.offset + range.len : size;
    const struct io_bad_range *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
    uint64_t at = last != NULL && last->offset + last->len > range.offset ? last->offset + last->len
                                                                          : range.offset;

    while (at < end) {
        while (*known < own->count && own->items[*known].offset <= at) {
            const struct io_bad_range *item = &own->items[(*known)++];

            io_bad_list_add(out, item);
            if (item->offset + item->len > at)
                at = item->offset + item->len;
        }
        const uint64_t stop = *known < own->count && own->items[*known].offset < end
                                  ? own->items[*known].offset
                                  : end;
        if (stop > at) {
            range.offset = at;
            range.len = stop - at;
            io_bad_list_add(out, &range);
            at = stop;
        }
    }
}

enum err_code io_mapfile_apply(const struct io_mapfile *map, const char *name,
                               struct io_image *image, struct err *err)
{
    const struct io_bad_range before = { 0, map->begin, 0, IO_BAD_MAPFILE, IO_STATUS_UNTRIED };
    struct io_bad_range behind = { map->end, 0, 0, IO_BAD_MAPFILE, IO_STATUS_UNTRIED };
    struct io_bad_list list = { 0 };
    uint32_t known = 0;

    if (map->read_end > image->size)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:%" PRIu64 ": says that the disk was read up to byte %" PRIu64
                         ", but the image has %" PRIu64 " bytes: it is the map of another image, "
                         "or the image was not copied as a whole",
                         name, map->read_end_line, map->read_end, image->size);
    if (image->size > map->end)
        behind.len = image->size - map->end;
    mapfile_take(&list, &image->unread, &known, before, image->size);
    for (uint32_t i = 0; i < map->count; i++)
        mapfile_take(&list, &image->unread, &known, map->bad[i], image->size);
    mapfile_take(&list, &image->unread, &known, behind, image->size);
    while (known < image->unread.count)
        io_bad_list_add(&list, &image->unread.items[known++]);
    if (list.failed) {
        io_bad_list_release(&list);
        return ERR_NO_MEMORY(err, list.room * sizeof *list.items);
    }
    io_bad_list_release(&image->unread);
    image->unread = list;
    return ERR_OK;
}
