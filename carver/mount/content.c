/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/content.c - see content.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "carver/carve/extract.h"
#include "carver/mount/content.h"

enum { CONTENT_RUNS_MAX = 4096 /* of a sparse image, at each open of it */ };

enum content_state { CONTENT_UNKNOWN, CONTENT_SAME, CONTENT_CHANGED };

/* What is known of an object before it is compared. */
struct content_sums {
    bool has_crc64, has_sha256;
    uint64_t crc64;
    char sha256[DB_SHA256_HEX + 1];
    struct db_extent *extents; /* owned */
    uint32_t extent_count;
};

enum err_code content_open(const struct carve_images *images, const struct tree *tree,
                           struct case_facts *facts, bool check_all, struct content *out,
                           struct err *err)
{
    bool some = check_all;

    *out =
        (struct content){ .images = images, .tree = tree, .facts = facts, .check_all = check_all };
    for (uint32_t i = 0; i < images->count; i++)
        some = some || images->changed[i];
    if (!some)
        return ERR_OK;
    out->checked = calloc((size_t)tree->count + 1, sizeof *out->checked);
    return out->checked != NULL ? ERR_OK : ERR_NO_MEMORY(err, tree->count);
}

void content_close(struct content *content)
{
    free(content->checked);
    *content = (struct content){ 0 };
}

struct content_file content_of(const struct content *content, const struct tree_node *node,
                               struct ranges_piece *one)
{
    const struct tree *tree = content->tree;
    struct content_file file = { .image = node->index, .pieces = one, .count = 1 };

    if (node->kind == TREE_OBJECT) {
        const struct tree_object *object = &tree->objects[node->index];

        file.image = tree->folders[object->folder].image;
        file.len = object->len;
        file.pieces = tree_pieces(tree, object, one, &file.count);
    } else {
        *one = (struct ranges_piece){ 0, 0 };
        file.len = tree->image_sizes[node->index - 1];
    }
    return file;
}

/* The first place that could not be read, in bytes of the image. */
static void content_note(void *arg, const struct io_bad_range *range)
{
    uint64_t *first = arg;

    if (range->offset < *first)
        *first = range->offset;
}

/* Reads bytes of the image. *good: how many of them could be read, before the first that could not.
 */
static int content_read_image(const struct content *content, uint32_t image, uint64_t offset,
                              uint8_t *to, size_t len, size_t *good)
{
    const struct unread *unread = &content->images->unread[image - 1];
    uint64_t bad = UINT64_MAX;
    struct err ignored = { 0 };

    *good = 0;
    if (!unread_first(unread, offset, len, &bad))
        bad = offset + len;
    const size_t known = (size_t)(bad - offset);
    bad = UINT64_MAX;
    if (known > 0 && io_salvage_read(content->images->items[image - 1], offset, to, known,
                                     content_note, &bad, &ignored) != ERR_OK)
        return EIO;
    *good = bad < offset + known ? (size_t)(bad - offset) : known;
    return *good == len ? 0 : EIO;
}

/* The piece that has the byte of the file at this place. */
static uint32_t content_piece(const struct content_file *file, uint64_t at)
{
    uint32_t low = 0, high = file->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (file->pieces[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int content_read(const struct content *content, const struct content_file *file, uint64_t at,
                 uint8_t *to, size_t len, bool part, size_t *done)
{
    int failed = 0;

    *done = 0;
    if (at >= file->len)
        return 0;
    if (len > file->len - at)
        len = (size_t)(file->len - at);
    for (uint32_t i = content_piece(file, at); failed == 0 && *done < len; i++) {
        const struct ranges_piece *piece = &file->pieces[i];
        const uint64_t end = i + 1 < file->count ? file->pieces[i + 1].start : file->len;
        const uint64_t from = at + *done, left = end - from;
        const size_t step = left < len - *done ? (size_t)left : len - *done;
        size_t good = step;

        if (piece->offset == RANGES_HOLE)
            memset(to + *done, 0, step);
        else if (step > 0)
            failed = content_read_image(content, file->image, piece->offset + (from - piece->start),
                                        to + *done, step, &good);
        *done += good;
    }
    return part && *done > 0 ? 0 : failed;
}

bool content_stored(const struct content *content, const struct content_file *file, uint64_t at,
                    size_t len, struct io_span *out)
{
    const uint32_t i = content_piece(file, at);
    const struct ranges_piece *piece = &file->pieces[i];
    const uint64_t end = i + 1 < file->count ? file->pieces[i + 1].start : file->len;
    uint64_t bad;

    if (len == 0 || at >= end || len > end - at || piece->offset == RANGES_HOLE)
        return false;
    const uint64_t offset = piece->offset + (at - piece->start);
    return !unread_first(&content->images->unread[file->image - 1], offset, len, &bad) &&
           io_image_map(content->images->items[file->image - 1], offset, out) &&
           out->how == IO_SPAN_STORED && out->len >= len;
}

/* The file that is a raw image, holes and all. -1: it is none, some of it cannot be read as it lies
 * there, or it has more runs than are looked at. */
static int content_file_of(const struct io_image *image)
{
    const uint64_t size = io_image_size(image);
    struct io_span span;
    uint64_t at = 0;
    int fd = -1;

    if (strcmp(io_image_format(image), "raw") != 0)
        return -1;
    for (uint32_t runs = 0; at < size && runs < CONTENT_RUNS_MAX; runs++) {
        if (!io_image_map(image, at, &span) || span.how == IO_SPAN_ASK)
            return -1;
        if (span.how == IO_SPAN_STORED)
            fd = span.fd;
        at += span.len;
    }
    return at >= size ? fd : -1;
}

int content_whole_file(const struct content *content, uint32_t image)
{
    const struct io_image *item = content->images->items[image - 1];
    const int fd = content->images->unread[image - 1].count == 0 ? content_file_of(item) : -1;
    struct stat st;

    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                   (uint64_t)st.st_size == io_image_size(item)
               ? fd
               : -1;
}

static void content_take_sums(void *arg, const struct db_object *object)
{
    struct content_sums *sums = arg;

    sums->extents = calloc((size_t)object->extent_count + 1, sizeof *sums->extents);
    if (sums->extents == NULL)
        return;
    memcpy(sums->extents, object->extents, object->extent_count * sizeof *sums->extents);
    sums->extent_count = object->extent_count;
    sums->has_crc64 = object->has_crc64;
    sums->crc64 = object->crc64;
    sums->has_sha256 = object->sha256 != NULL;
    if (object->sha256 != NULL)
        memcpy(sums->sha256, object->sha256, sizeof sums->sha256);
}

static enum err_code content_ignore(void *arg, const uint8_t *piece, size_t len, struct err *err)
{
    (void)arg;
    (void)piece;
    (void)len;
    (void)err;
    return ERR_OK;
}

static int content_compare(const struct content *content, const struct content_sums *sums,
                           uint32_t image, uint8_t *state)
{
    const struct extract_object what = { .image = content->images->items[image - 1],
                                         .unread = &content->images->unread[image - 1],
                                         .extents = sums->extents,
                                         .extent_count = sums->extent_count,
                                         .has_crc64 = sums->has_crc64,
                                         .crc64 = sums->crc64,
                                         .sha256 = sums->has_sha256 ? sums->sha256 : NULL };
    struct extract_result result;
    struct extract *extract = NULL;
    enum err_code rc = extract_open(NULL, false, NULL, NULL, &extract, NULL);

    if (rc == ERR_OK)
        rc = extract_stream(extract, &what, content_ignore, NULL, &result, NULL);
    extract_close(extract);
    if (rc == ERR_OK)
        *state = CONTENT_SAME;
    else if (rc == ERR_INPUT)
        *state = CONTENT_CHANGED;
    return rc == ERR_INTERRUPTED ? EINTR : rc == ERR_ENV ? ENOMEM : 0;
}

int content_check(const struct content *content, uint32_t index)
{
    const struct tree_object *object = &content->tree->objects[index];
    const uint32_t image = content->tree->folders[object->folder].image;
    struct content_sums sums = { 0 };
    int failed = 0;

    if (content->checked == NULL || (!content->check_all && !content->images->changed[image - 1]))
        return 0;
    uint8_t state = atomic_load(&content->checked[index]);
    if (state == CONTENT_UNKNOWN) {
        failed = case_facts_object(content->facts, object, content_take_sums, &sums);
        if (failed == 0 && sums.extents == NULL)
            failed = ENOMEM;
        if (failed == 0)
            failed = content_compare(content, &sums, image, &state);
        free(sums.extents);
        atomic_store(&content->checked[index], state);
    }
    return failed != 0 ? failed : state == CONTENT_CHANGED ? EIO : 0;
}
