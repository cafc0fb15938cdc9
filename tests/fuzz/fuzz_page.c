/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_page.c - what a case file says of objects, as any bytes, on the page of a report.
 *
 * The bytes are rows, each numbers and then texts that end with a zero. Found: crashes, leaks, a
 * block that does not unpack to what its own text says, texts in it that are no UTF-8 or hide,
 * text of the page that is markup.
 */
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/object_names.h"
#include "carver/cli/print_safe.h"
#include "carver/report/html/columns.h"
#include "carver/report/html/map.h"
#include "carver/report/html/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 300, OBJECTS = 64, UNPACKED = 1 << 20 };

static void must(bool right)
{
    if (!right)
        abort();
}

struct input {
    const uint8_t *at, *end;
};

static uint64_t number(struct input *in)
{
    uint64_t value = 0;

    for (int i = 0; i < 8 && in->at < in->end; i++)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value;
}

static void text(struct input *in, char out[TEXT_MAX])
{
    size_t len = 0;

    while (in->at < in->end && *in->at != 0 && len < TEXT_MAX - 1)
        out[len++] = (char)*in->at++;
    out[len] = '\0';
    in->at += in->at < in->end;
}

static void check_page(const char *said)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);

    must(out != NULL);
    page_text(out, said);
    must(fclose(out) == 0 && strpbrk(got, "<>\"") == NULL);
    free(got);
}

static void add(struct columns *columns, struct map *map, struct input *in)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented", "x" };
    char words[7][TEXT_MAX], name[OBJECT_PATH_MAX];
    struct object_path path;
    struct facts facts = { .count = 2 };

    for (int i = 0; i < 7; i++) {
        text(in, words[i]);
        check_page(words[i]);
    }
    const struct db_extent extents[2] = { { number(in), number(in) }, { number(in), number(in) } };
    const uint64_t bits = number(in);
    const struct db_object object = { .id = (int64_t)(number(in) >> 1),
                                      .image_id = 1,
                                      .type = words[0],
                                      .extension = words[1],
                                      .state = states[bits % 5],
                                      .reason = words[2],
                                      .offset = extents[0].offset,
                                      .len = extents[0].len,
                                      .extents = extents,
                                      .extent_count = 1 + (bits >> 8 & 1),
                                      .parent_id = (int64_t)(number(in) >> 1),
                                      .sha256 = (bits >> 9 & 1) != 0 ? words[3] : NULL,
                                      .known = (enum db_known)((bits >> 16) % 5) };
    const struct db_found_in place = {
        .slot = (uint32_t)bits, .kind = words[3], .file_system = words[4], .path = words[5]
    };
    const struct report_object report = { .object = &object,
                                          .name = name,
                                          .place = (bits >> 10 & 1) != 0 ? &place : NULL,
                                          .facts = &facts };

    facts.items[0] = (struct db_fact){ "gps.lat", words[6], true, (int64_t)number(in), 0 };
    facts.items[1] = (struct db_fact){ "taken", words[6], true, (int64_t)number(in), 0 };
    object_path_make(&path, NULL, object.type, object.extension, object.offset);
    object_path_text(&path, name);
    if (object.sha256 != NULL && strlen(object.sha256) != DB_SHA256_HEX) /* a case gives no other */
        return;
    must(columns_add(columns, &report, NULL) == ERR_OK);
    for (uint32_t i = 0; i < object.extent_count; i++)
        map_add(map, (uint32_t)(bits >> 32) % MAP_CLASSES, extents[i].offset, extents[i].len);
}

static void check_block(const struct columns *columns)
{
    struct columns_block block;
    struct libdeflate_decompressor *reader = libdeflate_alloc_decompressor();
    uint8_t *bytes = malloc(UNPACKED);
    size_t len = 0;

    must(columns_pack(columns, &block, NULL) == ERR_OK && reader != NULL && bytes != NULL);
    must(libdeflate_gzip_decompress(reader, block.bytes, block.len, bytes, UNPACKED, &len) ==
         LIBDEFLATE_SUCCESS);
    const size_t used = columns->texts.used;
    must(len > used);
    for (size_t at = 0; at < used;) {
        uint32_t code;
        const size_t step = utf8_sequence((const char *)bytes + len - used + at, used - at, &code);

        must(step > 0 && !utf8_hides(code));
        at += step;
    }
    libdeflate_free_decompressor(reader);
    free(bytes);
    columns_block_close(&block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    struct columns columns = { 0 };
    struct map map;
    char *page = NULL;
    size_t len = 0;

    must(map_open(&map, number(&in) >> 1, NULL) == ERR_OK);
    for (int i = 0; i < OBJECTS && in.at < in.end; i++)
        add(&columns, &map, &in);
    check_block(&columns);
    map_settle(&map);
    if (size > 0 && data[0] % 16 == 0) { /* a picture takes longer than all else */
        FILE *out = open_memstream(&page, &len);

        must(out != NULL);
        map_put(out, &map, 1);
        must(fclose(out) == 0);
        free(page);
    }
    map_close(&map);
    columns_close(&columns);
    return 0;
}
