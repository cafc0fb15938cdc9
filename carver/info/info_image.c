/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info_image.c - `burin info IMAGE`: what an image is, and what it holds: its
 * partitions as mmls numbers them, file systems, and what cannot be read here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/info/info.h"
#include "io/image.h"
#include "io/volumes.h"

enum { INFO_SIZE = 32 };

/* "512 B", "1.5 GiB": as people say it. */
static void info_size(uint64_t bytes, char out[INFO_SIZE])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    uint32_t unit = 0;
    uint64_t whole = bytes, tenths = 0;

    for (; whole >= 1024; unit++) {
        tenths = whole % 1024 * 10 / 1024;
        whole /= 1024;
    }
    if (tenths == 0)
        snprintf(out, INFO_SIZE, "%" PRIu64 " %s", whole, units[unit]);
    else
        snprintf(out, INFO_SIZE, "%" PRIu64 ".%" PRIu64 " %s", whole, tenths, units[unit]);
}

void info_text(const char *text)
{
    putchar('\t');
    print_safe(stdout, text[0] != '\0' ? text : "-");
}

static void info_volume_line(const struct io_volume *volume)
{
    const uint64_t unit = volume->sector_size, first = volume->offset / unit;
    const uint64_t count = volume->len / unit;
    char size[INFO_SIZE];

    printf("%03" PRIu32, volume->number);
    if (volume->kind == IO_VOLUME_LOGICAL) /* it may lie in pieces */
        printf("\t-\t-\t%010" PRIu64, count);
    else
        printf("\t%010" PRIu64 "\t%010" PRIu64 "\t%010" PRIu64, first,
               count > 0 ? first + count - 1 : first, count);
    info_size(volume->len, size);
    printf("\t%s", size);
    info_text(volume->description);
    info_text(volume->content);
    info_text(volume->label);
    info_size(volume->content_len, size);
    info_text(volume->content_len != 0 ? size : "");
    printf("\t%" PRIu32, volume->block_size);
    info_text(volume->why);
    putchar('\n');
}

void info_volume_json(struct json *json, const struct io_volume *volume)
{
    json_open_object(json, NULL);
    json_uint(json, "number", volume->number);
    json_string(json, "kind", io_volume_kind_name(volume->kind));
    json_uint(json, "offset", volume->offset);
    json_uint(json, "length", volume->len);
    json_uint(json, "sector_size", volume->sector_size);
    json_string(json, "table", volume->table);
    json_string(json, "description", volume->description);
    json_string(json, "content", volume->content);
    json_string(json, "label", volume->label);
    json_uint(json, "content_length", volume->content_len);
    json_uint(json, "block_size", volume->block_size);
    json_string(json, "why", volume->why);
    json_close_object(json);
}

void info_fact(struct json *json, const char *name, const char *value)
{
    if (json != NULL) {
        json_string(json, name, value);
        return;
    }
    print_safe(stdout, name);
    info_text(value);
    putchar('\n');
}

/* What the container says of its image. */
static void info_facts(const struct io_image *image, struct json *json)
{
    struct io_fact fact;

    for (uint32_t i = 0; io_image_fact(image, i, &fact); i++)
        info_fact(json, fact.name, fact.value);
}

/* The older states that the container keeps. */
static void info_snapshots(const struct io_image *image, struct json *json)
{
    struct io_snapshot one;
    char size[INFO_SIZE];

    if (json != NULL)
        json_open_array(json, "snapshots");
    for (uint32_t i = 0; io_image_snapshot(image, i, &one); i++) {
        if (json != NULL) {
            json_open_object(json, NULL);
            json_string(json, "id", one.id);
            json_string(json, "name", one.name);
            json_string(json, "taken", one.taken);
            json_uint(json, "size", one.size);
            json_close_object(json);
            continue;
        }
        printf("snapshot");
        info_text(one.id);
        info_text(one.name);
        info_text(one.taken);
        info_size(one.size, size);
        printf("\t%s\n", size);
    }
    if (json != NULL)
        json_close_array(json);
}

static void info_image_json(struct json *json, const char *path, const struct io_image *image,
                            const struct io_volumes *volumes)
{
    json_open_object(json, NULL);
    json_string(json, "image", path);
    json_string(json, "format", io_image_format(image));
    json_uint(json, "size", io_image_size(image));
    json_uint(json, "sector_size", io_image_sector_size(image));
    json_uint(json, "parts", io_image_part_count(image));
    json_open_object(json, "container");
    info_facts(image, json);
    json_close_object(json);
    info_snapshots(image, json);
    json_open_array(json, "volumes");
    for (uint32_t i = 0; i < io_volumes_count(volumes); i++) {
        const struct io_volume volume = io_volumes_get(volumes, i);

        info_volume_json(json, &volume);
    }
    json_close_array(json);
    json_string(json, "note", io_volumes_note(volumes));
    json_close_object(json);
    json_end(json);
}

static void info_image_lines(const char *path, const struct io_image *image,
                             const struct io_volumes *volumes)
{
    const uint32_t count = io_volumes_count(volumes);
    const char *table = "";

    for (uint32_t i = 0; i < count && table[0] == '\0'; i++)
        if (io_volumes_get(volumes, i).kind != IO_VOLUME_LOGICAL)
            table = io_volumes_get(volumes, i).table;
    printf("image\t");
    print_safe(stdout, path);
    printf("\nformat\t%s\nsize\t%" PRIu64 "\nsector\t%" PRIu32 "\nparts\t%" PRIu32 "\n",
           io_image_format(image), io_image_size(image), io_image_sector_size(image),
           io_image_part_count(image));
    info_facts(image, NULL);
    info_snapshots(image, NULL);
    printf("table\t%s\n\n", table[0] != '\0' ? table : "-");
    printf("slot\tstart\tend\tlength\tsize\tdescription\tcontent\tlabel\tits size\tblock\tnote\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct io_volume volume = io_volumes_get(volumes, i);

        info_volume_line(&volume);
    }
}

enum err_code info_image(const char *path, const char *type, bool as_json, struct err *err)
{
    struct io_volumes *volumes = NULL;
    struct io_image *image = NULL;
    struct json json;
    enum err_code rc = io_image_open(path, type, &image, err);

    if (rc == ERR_OK)
        rc = io_volumes_open(image, 0, interrupt_requested, &volumes, err);
    if (rc == ERR_OK && as_json) {
        json_init(&json, stdout, 2);
        info_image_json(&json, path, image, volumes);
    } else if (rc == ERR_OK) {
        info_image_lines(path, image, volumes);
    }
    if (rc == ERR_OK && io_volumes_note(volumes)[0] != '\0')
        print_safe_line(stderr, "burin: info: %s: %s", path, io_volumes_note(volumes));
    io_volumes_close(volumes);
    io_image_close(image);
    return rc;
}
