/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/map.c - see map.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "carver/report/html/map.h"
#include "carver/report/html/page.h"

enum {
    MAP_SECTOR = 512,
    MAP_WIDTH = 7, /* of a cell, in units of the picture */
    MAP_HEIGHT = 13,
    MAP_GAP = 1,
    MAP_LEFT = 76,          /* where offsets stand */
    MAP_NONE = MAP_CLASSES, /* read, and nothing found */
    MAP_UNREAD,             /* not read */
    MAP_LABEL_ROWS = 4,     /* every such row has its offset */
};

enum err_code map_open(struct map *map, uint64_t size, struct err *err)
{
    const uint64_t sectors = size / MAP_SECTOR + (size % MAP_SECTOR != 0);
    const uint64_t per = sectors / MAP_CELLS + (sectors % MAP_CELLS != 0);

    *map = (struct map){ .size = size, .cell = (per > 0 ? per : 1) * MAP_SECTOR };
    map->cells = (uint32_t)(size / map->cell + (size % map->cell != 0));
    map->bytes = calloc(map->cells + 1u, sizeof *map->bytes);
    map->whole = calloc(map->cells + 1u, sizeof *map->whole);
    if (map->bytes != NULL && map->whole != NULL)
        return ERR_OK;
    map_close(map);
    return ERR_NO_MEMORY(err, MAP_CELLS * sizeof *map->bytes);
}

void map_close(struct map *map)
{
    free(map->bytes);
    free(map->whole);
    *map = (struct map){ 0 };
}

void map_add(struct map *map, uint32_t class, uint64_t offset, uint64_t len)
{
    if (map->cells == 0 || offset >= map->size || len == 0)
        return;
    if (len > map->size - offset)
        len = map->size - offset;
    const uint64_t end = offset + len;
    const uint32_t first = (uint32_t)(offset / map->cell), last = (uint32_t)((end - 1) / map->cell);
    map->all[class] += len;
    if (first == last) {
        map->bytes[first][class] += len;
        return;
    }
    map->bytes[first][class] += (first + 1) * map->cell - offset;
    map->bytes[last][class] += end - last * map->cell;
    map->whole[first + 1][class]++;
    map->whole[last][class]--;
}

void map_settle(struct map *map)
{
    for (uint32_t class = 0; class < MAP_CLASSES; class ++) {
        int64_t open = 0;

        for (uint32_t i = 0; i < map->cells; i++) {
            open += map->whole[i][class];
            map->bytes[i][class] += (uint64_t)open * map->cell;
        }
    }
}

/* What a cell is, and how much of it: 1 little to 3 most. */
struct map_look {
    uint32_t class;
    uint32_t level;
};

static uint64_t map_cell_len(const struct map *map, uint32_t cell)
{
    const uint64_t at = cell * map->cell;

    return map->size - at < map->cell ? map->size - at : map->cell;
}

static struct map_look map_look(const struct map *map, uint32_t cell)
{
    const uint64_t *bytes = map->bytes[cell], len = map_cell_len(map, cell);
    struct map_look look = { MAP_NONE, 3 };
    uint64_t most = 0;

    if (bytes[MAP_BAD] > 0)
        return (struct map_look){ MAP_BAD, 3 };
    for (uint32_t class = 0; class < SIG_CATEGORY_COUNT; class ++)
        if (bytes[class] > most) {
            most = bytes[class];
            look.class = class;
        }
    if (most > 0)
        look.level = most < len / 16 ? 1 : most < len / 3 ? 2 : 3;
    else if (bytes[MAP_READ] < len / 2 + 1)
        look.class = MAP_UNREAD;
    return look;
}

static const char *map_word(uint32_t class)
{
    if (class < SIG_CATEGORY_COUNT)
        return sig_category_name((enum sig_category) class);
    return class == MAP_BAD ? "unreadable" : class == MAP_UNREAD ? "not read" : "nothing found";
}

/* What style sheets call it. */
static const char *map_class(uint32_t class)
{
    if (class < SIG_CATEGORY_COUNT)
        return sig_category_name((enum sig_category) class);
    return class == MAP_BAD ? "bad" : class == MAP_UNREAD ? "unread" : "none";
}

/* Cells of one look that stand side by side. */
static void map_put_run(FILE *out, const struct map *map, uint32_t first, uint32_t count,
                        struct map_look look)
{
    const uint32_t last = first + count - 1;
    const uint64_t from = first * map->cell, to = last * map->cell + map_cell_len(map, last);

    fprintf(out,
            "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32
            "\" height=\"%d\" class=\"m-%s l%" PRIu32 "\" data-from=\"0x%" PRIx64
            "\" data-to=\"0x%" PRIx64 "\"><title>0x%" PRIx64 " to 0x%" PRIx64 ": %s</title></rect>",
            MAP_LEFT + first % MAP_COLUMNS * MAP_WIDTH,
            first / MAP_COLUMNS * (MAP_HEIGHT + MAP_GAP), count * MAP_WIDTH, MAP_HEIGHT,
            map_class(look.class), look.level, from, to, from, to, map_word(look.class));
}

static void map_put_row(FILE *out, const struct map *map, uint32_t row)
{
    const uint32_t begin = row * MAP_COLUMNS,
                   end = begin + MAP_COLUMNS < map->cells ? begin + MAP_COLUMNS : map->cells;

    if (row % MAP_LABEL_ROWS == 0) {
        fprintf(out, "<text x=\"%d\" y=\"%" PRIu32 "\">", MAP_LEFT - 10,
                row * (MAP_HEIGHT + MAP_GAP) + 10);
        page_bytes(out, begin * map->cell);
        fputs("</text>", out);
    }
    for (uint32_t at = begin, next; at < end; at = next) {
        const struct map_look look = map_look(map, at);

        for (next = at + 1; next < end; next++) {
            const struct map_look other = map_look(map, next);

            if (other.class != look.class || other.level != look.level)
                break;
        }
        map_put_run(out, map, at, next - at, look);
    }
    putc('\n', out);
}

/* Each class that is there, in words and numbers: colours alone say nothing. */
static void map_put_table(FILE *out, const struct map *map)
{
    static const uint32_t order[] = { MAP_BAD, MAP_UNREAD, MAP_NONE };
    uint64_t cells[MAP_UNREAD + 1] = { 0 };

    for (uint32_t i = 0; i < map->cells; i++)
        cells[map_look(map, i).class]++;
    fputs("<table class=\"legend\"><caption>What the colours mean</caption><thead><tr><th "
          "scope=\"col\">Class</th><th scope=\"col\" class=\"n\">Bytes</th><th scope=\"col\" "
          "class=\"n\">Share of the image</th></tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < SIG_CATEGORY_COUNT + 3; i++) {
        const uint32_t class = i < SIG_CATEGORY_COUNT ? i : order[i - SIG_CATEGORY_COUNT];
        const uint64_t unread =
            map->size - (map->all[MAP_READ] < map->size ? map->all[MAP_READ] : map->size);
        const uint64_t bytes = class < MAP_CLASSES   ? map->all[class]
                               : class == MAP_UNREAD ? unread
                                                     : 0;

        if (bytes == 0 && cells[class] == 0)
            continue;
        fprintf(out, "<tr><th scope=\"row\"><i class=\"key m-%s\"></i>%s</th>", map_class(class),
                map_word(class));
        if (class == MAP_NONE) {
            fputs("<td class=\"n\"></td><td class=\"n\"></td></tr>\n", out);
            continue;
        }
        fputs("<td class=\"n\">", out);
        page_bytes(out, bytes);
        fputs("</td><td class=\"n\">", out);
        page_share(out, bytes, map->size);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

void map_put(FILE *out, const struct map *map, uint32_t number)
{
    const uint32_t rows = (map->cells + MAP_COLUMNS - 1) / MAP_COLUMNS;

    fputs("<figure class=\"map\"><figcaption>Left to right and top to bottom, from the first byte "
          "to the last. A cell is ",
          out);
    page_bytes(out, map->cell);
    fputs(" and has the colour of what most of the found bytes in it are: the paler, the less of "
          "it is filled.</figcaption>\n",
          out);
    fprintf(out,
            "<svg viewBox=\"0 0 %d %" PRIu32 "\" role=\"img\" aria-label=\"Map of image %" PRIu32
            "\" data-image=\"%" PRIu32 "\">\n",
            MAP_LEFT + MAP_COLUMNS * MAP_WIDTH, rows * (MAP_HEIGHT + MAP_GAP), number, number);
    for (uint32_t row = 0; row < rows; row++)
        map_put_row(out, map, row);
    fputs("</svg>\n", out);
    map_put_table(out, map);
    fputs("</figure>\n", out);
}
