/*
 * carver/info/info_case.c - `burin info CASE`: the images of a case file and, where a scan left out
 * some of their bytes, the volumes: how much of each was scanned, and why no more was left out.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "carver/cli/print_safe.h"
#include "carver/info/info.h"
#include "db/case.h"

enum { INFO_HEAD = 72, INFO_ID_AT = 68 };

bool info_is_case(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    uint8_t head[INFO_HEAD];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = fd >= 0 && pread(fd, head, sizeof head, 0) == INFO_HEAD &&
                    memcmp(head, magic, sizeof magic) == 0 &&
                    bytes_u32be(head + INFO_ID_AT) == DB_APPLICATION_ID;

    if (fd >= 0)
        close(fd);
    return is;
}

struct info_case {
    struct json *json; /* NULL: lines */
};

static void info_case_json(struct json *json, int64_t image_id, const struct db_volume *volume)
{
    json_open_object(json, NULL);
    json_int(json, "image", image_id);
    json_uint(json, "number", volume->slot);
    json_string(json, "kind", volume->kind);
    json_uint(json, "offset", volume->offset);
    json_uint(json, "length", volume->len);
    json_uint(json, "scanned", volume->scanned);
    json_string(json, "description", volume->description);
    json_string(json, "content", volume->content);
    json_string(json, "label", volume->label);
    json_string(json, "why", volume->why);
    json_close_object(json);
}

static void info_case_text(const char *text)
{
    putchar('\t');
    print_safe(stdout, text[0] != '\0' ? text : "-");
}

static enum err_code info_case_volume(void *arg, int64_t image_id, const struct db_volume *volume,
                                      struct err *err)
{
    const struct info_case *info = arg;

    (void)err;
    if (info->json != NULL) {
        info_case_json(info->json, image_id, volume);
        return ERR_OK;
    }
    const bool logical = strcmp(volume->kind, "logical") == 0; /* counted where it lies */
    printf("%03" PRIu32 "\t%" PRId64, volume->slot, image_id);
    info_case_text(volume->kind);
    printf("\t%" PRIu64 "\t%" PRIu64, volume->offset, volume->len);
    if (logical)
        printf("\t-\t-");
    else
        printf("\t%" PRIu64 "\t%" PRIu64, volume->scanned,
               volume->len > volume->scanned ? volume->len - volume->scanned : 0);
    info_case_text(volume->description);
    info_case_text(volume->content);
    info_case_text(volume->label);
    info_case_text(volume->why);
    putchar('\n');
    return ERR_OK;
}

static enum err_code info_case_images(struct db_case *db, struct json *json, struct err *err)
{
    struct db_image image;
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    for (int64_t i = 1; rc == ERR_OK && i <= count; i++) {
        rc = db_image_get(db, i, &image, err);
        if (rc != ERR_OK)
            break;
        if (json != NULL) {
            json_open_object(json, NULL);
            json_int(json, "image", i);
            json_string(json, "path", image.path);
            json_string(json, "format", image.format);
            json_uint(json, "size", image.size);
            json_close_object(json);
        } else {
            printf("image %" PRId64 "\t%s\t%" PRIu64 "\t", i, image.format, image.size);
            print_safe(stdout, image.path);
            putchar('\n');
        }
    }
    return rc;
}

enum err_code info_case(const char *path, bool as_json, struct err *err)
{
    struct db_case *db = NULL;
    struct json json;
    struct info_case info = { .json = as_json ? &json : NULL };
    enum err_code rc = db_case_open(path, DB_READ, &db, err);

    if (rc == ERR_OK && as_json) {
        json_init(&json, stdout, 2);
        json_open_object(&json, NULL);
        json_string(&json, "case", path);
        json_open_array(&json, "images");
        rc = info_case_images(db, &json, err);
        json_close_array(&json);
        json_open_array(&json, "volumes");
    } else if (rc == ERR_OK) {
        rc = info_case_images(db, NULL, err);
        printf(
            "\nslot\timage\tkind\toffset\tlength\tscanned\tleft out\tdescription\tcontent\tlabel\t"
            "note\n");
    }
    if (rc == ERR_OK)
        rc = db_volumes_walk(db, info_case_volume, &info, err);
    if (rc == ERR_OK && as_json) {
        json_close_array(&json);
        json_close_object(&json);
        json_end(&json);
    }
    db_case_close(db);
    return rc;
}
