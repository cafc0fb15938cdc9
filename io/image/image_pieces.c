/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_pieces.c - see image_pieces.h. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/image/decode.h"
#include "io/image/file.h"
#include "io/image/image_pieces.h"
#include "io/system/again.h"

enum {
    PIECES_FILES_STEP = 64,        /* files allocated at a time */
    PIECES_TABLE_READ = 16 * 1024, /* bytes of a table read at a time */
    PIECES_RUN = 32,               /* packed pieces read at a time */
    PIECES_RUN_LEN = 1 << 20,      /* packed bytes read at a time, at most one piece more */
};

struct pieces_file {
    int fd;
    uint64_t size; /* bytes */
};

struct io_pieces {
    struct io_image base;
    struct pieces_file *files; /* [base.part_count], owned */
    const struct io_piece_ops *ops;
    void *table; /* owned; NULL: not given yet */
    struct io_again again;
    struct io_decoders decoders;
    io_pieces_change_fn change; /* of what is loaded of part 0, or NULL */
    const void *change_arg;
};

static enum err_code pieces_find(const struct io_pieces *pieces, uint64_t offset,
                                 struct io_piece *piece, struct err *err)
{
    const enum err_code rc = pieces->ops->find(pieces->table, offset, piece, err);
    const uint64_t size = pieces->base.size;

    if (piece->len > size - piece->offset)
        piece->len = size - piece->offset;
    return rc;
}

static bool pieces_map(const struct io_image *image, uint64_t offset, struct io_span *span)
{
    const struct io_pieces *pieces = (const struct io_pieces *)image;
    struct io_piece piece;
    const enum err_code rc = pieces_find(pieces, offset, &piece, NULL);
    const uint64_t into = offset - piece.offset;

    *span = (struct io_span){ .fd = -1, .len = piece.len - into, .how = IO_SPAN_ASK };
    if (rc == ERR_OK && piece.how == IO_PIECE_ZERO) {
        span->how = IO_SPAN_ZERO;
    } else if (rc == ERR_OK && piece.how == IO_PIECE_STORED) {
        span->how = IO_SPAN_STORED;
        span->fd = pieces->files[piece.file].fd;
        span->fd_offset = piece.at + into;
    } else if (rc == ERR_OK && io_piece_is_packed(piece.how)) {
        span->fd = pieces->files[piece.file].fd;
        span->fd_offset = piece.at;
        if (image->salvage_unit != 0)
            span->len = pieces->ops->together == NULL
                            ? image->size - offset
                            : pieces->ops->together(pieces->table, offset);
    }
    return true;
}

static enum err_code pieces_stored(struct io_pieces *pieces, const struct io_piece *piece,
                                   uint64_t into, uint8_t *dst, size_t len, bool again,
                                   struct io_failure *failure, struct err *err)
{
    const struct pieces_file *file = &pieces->files[piece->file];
    const uint64_t at = piece->at + into;

    failure->cause = again ? io_again_read(&pieces->again, file->fd, at, dst, len, &failure->unit)
                           : io_file_pread(file->fd, at, dst, len);
    return io_file_result(file->fd, pieces->base.parts[piece->file].path, file->size, at, len,
                          failure->cause, err);
}

static enum err_code pieces_packed(struct io_pieces *pieces, const struct io_piece *piece,
                                   uint64_t into, uint8_t *dst, size_t len,
                                   struct io_failure *failure, struct err *err)
{
    struct io_piece second = *piece;
    struct io_decode_file file = { pieces->files[piece->file].fd,
                                   pieces->base.parts[piece->file].path,
                                   pieces->files[piece->file].size };
    enum err_code rc = io_decode(&pieces->decoders, &file, piece, into, dst, len, failure, err);

    if (rc != ERR_IO || pieces->ops->second == NULL || !pieces->ops->second(pieces->table, &second))
        return rc;
    struct io_failure again = *failure;
    if (io_decode(&pieces->decoders, &file, &second, into, dst, len, &again, NULL) == ERR_OK)
        rc = ERR_OK;
    return rc;
}

/*
 * Reads, of an image of packed pieces of one size, those that are wanted whole and lie one behind
 * the other in the file. *step: bytes of the image; 0: there are not two of them, or one is
 * damaged, so that they are to be read one by one.
 */
static enum err_code pieces_run(struct io_pieces *pieces, const struct io_piece *first,
                                uint8_t *dst, size_t len, size_t *step, struct err *err)
{
    const uint32_t file = first->file;
    struct io_piece run[PIECES_RUN] = { *first };
    uint32_t count = 1;
    size_t wanted = (size_t)first->len;
    struct io_failure failure;

    *step = 0;
    if (first->skip != 0 || first->len != first->whole_len)
        return ERR_OK;
    while (count < PIECES_RUN && wanted < len && run[count - 1].at - first->at < PIECES_RUN_LEN) {
        const struct io_piece *last = &run[count - 1];
        struct io_piece *next = &run[count];

        if (pieces_find(pieces, last->offset + last->len, next, NULL) != ERR_OK ||
            !io_piece_is_packed(next->how) || next->skip != 0 || next->len != next->whole_len ||
            next->len > len - wanted || next->file != file ||
            next->at != last->at + last->stored_len)
            break;
        wanted += (size_t)next->len;
        count++;
    }
    if (count == 1)
        return ERR_OK;
    const struct io_decode_file from = { pieces->files[file].fd, pieces->base.parts[file].path,
                                         pieces->files[file].size };
    const enum err_code rc =
        io_decode_run(&pieces->decoders, &from, run, count, dst, &failure, err);
    if (rc == ERR_OK)
        *step = wanted;
    return rc == ERR_IO ? ERR_OK : rc;
}

static enum err_code pieces_one(struct io_pieces *pieces, const struct io_piece *piece,
                                uint64_t into, uint8_t *dst, size_t len, bool again,
                                struct io_failure *failure, struct err *err)
{
    switch (piece->how) {
    case IO_PIECE_ZERO:
        memset(dst, 0, len);
        return ERR_OK;
    case IO_PIECE_FILL:
        memset(dst, piece->fill, len);
        return ERR_OK;
    case IO_PIECE_UNREAD:
        failure->source = piece->source;
        failure->unit = UINT32_MAX;
        return ERR_RAISE(err, ERR_IO, "%s: bytes %" PRIu64 "+%" PRIu64 " of the image are damaged",
                         pieces->base.parts[0].path, piece->offset, piece->len);
    case IO_PIECE_STORED:
        return pieces_stored(pieces, piece, into, dst, len, again, failure, err);
    default:
        return pieces_packed(pieces, piece, into, dst, len, failure, err);
    }
}

static enum err_code pieces_read(struct io_pieces *pieces, uint64_t offset, uint8_t *dst,
                                 size_t len, bool again, struct io_failure *failure,
                                 struct err *err)
{
    const uint32_t unit = pieces->base.salvage_unit;
    enum err_code rc = ERR_OK;

    for (size_t done = 0, step; rc == ERR_OK && done < len; done += step) {
        struct io_piece piece;

        rc = pieces_find(pieces, offset + done, &piece, err);
        const uint64_t into = offset + done - piece.offset, left = piece.len - into;
        step = 0;
        if (rc != ERR_OK) {
            failure->cause = EIO;
            failure->unit = UINT32_MAX; /* all of it */
            break;
        }
        if (unit != 0 && into == 0 && left < len - done && io_piece_is_packed(piece.how))
            rc = pieces_run(pieces, &piece, dst + done, len - done, &step, err);
        if (rc != ERR_OK || step > 0)
            continue;
        step = left < len - done ? (size_t)left : len - done;
        rc = pieces_one(pieces, &piece, into, dst + done, step, again, failure, err);
    }
    if (rc == ERR_IO && unit != 0) {
        failure->unit = unit;
        if (failure->cause == 0 && failure->source == IO_BAD_CHECKSUM)
            failure->cause = EIO; /* as of a chunk that libewf reads: records have it */
    }
    return rc;
}

static enum err_code pieces_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                    size_t len, struct io_failure *failure, struct err *err)
{
    return pieces_read((struct io_pieces *)image, offset, dst, len, false, failure, err);
}

static enum err_code pieces_read_again(struct io_image *image, uint64_t offset, uint8_t *dst,
                                       size_t len, struct io_failure *failure, struct err *err)
{
    return pieces_read((struct io_pieces *)image, offset, dst, len, true, failure, err);
}

static void pieces_close(struct io_image *image)
{
    struct io_pieces *pieces = (struct io_pieces *)image;

    if (pieces->table != NULL)
        pieces->ops->release(pieces->table);
    io_again_release(&pieces->again);
    io_decoders_release(&pieces->decoders);
    for (uint32_t i = 0; i < image->part_count; i++)
        close(pieces->files[i].fd);
    free(pieces->files);
    io_image_release(image);
    free(pieces);
}

enum err_code io_pieces_begin(const struct io_container *container, struct io_pieces **out,
                              struct err *err)
{
    static const struct io_image_ops ops = {
        .read_at = pieces_read_at,
        .read_again = pieces_read_again,
        .map = pieces_map,
        .close = pieces_close,
    };
    struct io_pieces *pieces = calloc(1, sizeof *pieces);

    *out = pieces;
    if (pieces == NULL)
        return ERR_NO_MEMORY(err, sizeof *pieces);
    io_again_init(&pieces->again);
    pieces->base.ops = &ops;
    pieces->base.format = container->name;
    pieces->base.sector_size = LIMIT_SECTOR;
    return ERR_OK;
}

enum err_code io_pieces_add_file(struct io_pieces *pieces, const char *path, uint64_t *size,
                                 struct err *err)
{
    const uint32_t count = pieces->base.part_count;
    struct pieces_file file = { .fd = -1 };
    uint32_t sector_size;
    struct stat st;

    if (count % PIECES_FILES_STEP == 0) {
        const size_t bytes = (count + PIECES_FILES_STEP) * sizeof *pieces->files;
        struct pieces_file *grown = realloc(pieces->files, bytes);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, bytes);
        pieces->files = grown;
    }
    enum err_code rc = io_file_open(path, &file.fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    rc = io_file_size(path, file.fd, &st, &file.size, &sector_size, err);
    if (rc == ERR_OK)
        rc = io_image_add_part(&pieces->base, path, &st, err);
    if (rc != ERR_OK) {
        close(file.fd);
        return rc;
    }
    pieces->files[count] = file;
    *size = file.size;
    return ERR_OK;
}

enum err_code io_pieces_load(const struct io_pieces *pieces, uint32_t file, uint64_t at,
                             uint8_t *dst, size_t len, const char *what, struct err *err)
{
    const char *path = pieces->base.parts[file].path;
    const uint64_t size = pieces->files[file].size;

    if (at > size || len > size - at)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is damaged or cut short: %s at byte %" PRIu64
                         " has %zu bytes, and the file ends at %" PRIu64
                         "; copy it again from its source",
                         path, what, at, len, size);
    const int cause = io_file_pread(pieces->files[file].fd, at, dst, len);
    if (cause != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s at byte %" PRIu64 " cannot be read: %s", path,
                         what, at, strerror(cause));
    if (pieces->change != NULL && file == 0)
        pieces->change(pieces->change_arg, at, dst, len);
    return ERR_OK;
}

void io_pieces_change(struct io_pieces *pieces, io_pieces_change_fn change, const void *arg)
{
    pieces->change = change;
    pieces->change_arg = arg;
}

enum err_code io_pieces_each(const struct io_pieces *pieces, uint32_t file, uint64_t at,
                             uint64_t count, uint32_t width, const char *what,
                             io_pieces_entry_fn each, void *arg, struct err *err)
{
    uint8_t bytes[PIECES_TABLE_READ];
    const uint64_t most = sizeof bytes / width;
    enum err_code rc = ERR_OK;

    assert(width > 0 && width <= IO_PIECES_ENTRY_MAX);
    if (count > pieces->files[file].size / width)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is damaged or cut short: %s at byte %" PRIu64 " has %" PRIu64
                         " entries of %" PRIu32 " bytes, and the file ends at %" PRIu64
                         "; copy it again from its source",
                         pieces->base.parts[file].path, what, at, count, width,
                         pieces->files[file].size);
    for (uint64_t done = 0, step; rc == ERR_OK && done < count; done += step) {
        step = count - done < most ? count - done : most;
        rc =
            io_pieces_load(pieces, file, at + done * width, bytes, (size_t)step * width, what, err);
        for (uint64_t i = 0; rc == ERR_OK && i < step; i++)
            rc = each(arg, done + i, bytes + i * width, err);
    }
    return rc;
}

bool io_pieces_has(const struct io_pieces *pieces, const char *path)
{
    return io_image_is_part(&pieces->base, path);
}

int io_pieces_fd(const struct io_pieces *pieces, uint32_t file)
{
    return pieces->files[file].fd;
}

void io_pieces_sector_size(struct io_pieces *pieces, uint32_t bytes)
{
    pieces->base.sector_size = bytes;
}

void io_pieces_unit(struct io_pieces *pieces, uint32_t bytes)
{
    pieces->base.salvage_unit = bytes;
}

struct io_image *io_pieces_image(struct io_pieces *pieces)
{
    return &pieces->base;
}

void io_pieces_table(struct io_pieces *pieces, const struct io_piece_ops *ops, void *table,
                     uint64_t size)
{
    pieces->ops = ops;
    pieces->table = table;
    pieces->base.size = size;
}

static enum err_code pieces_list_find(const void *table, uint64_t offset, struct io_piece *piece,
                                      struct err *err)
{
    (void)err;
    io_piece_list_find(table, offset, piece);
    return ERR_OK;
}

static void pieces_list_release(void *table)
{
    io_piece_list_release(table);
    free(table);
}

enum err_code io_pieces_list(struct io_pieces *pieces, struct io_piece_list *list, struct err *err)
{
    static const struct io_piece_ops ops = { .find = pieces_list_find,
                                             .release = pieces_list_release };
    struct io_piece_list *own = malloc(sizeof *own);

    if (own == NULL)
        return ERR_NO_MEMORY(err, sizeof *own);
    *own = *list;
    *list = (struct io_piece_list){ 0 };
    io_pieces_table(pieces, &ops, own, own->size);
    return io_piece_list_unread(own, &pieces->base.unread, err);
}

enum err_code io_pieces_finish(struct io_pieces *pieces, enum err_code rc, struct io_image **out,
                               struct err *err)
{
    if (rc == ERR_OK && pieces->base.size == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the image in it is empty",
                       io_image_part_path(&pieces->base, 0));
    if (rc == ERR_OK)
        *out = &pieces->base;
    else if (pieces != NULL)
        pieces_close(&pieces->base);
    return rc;
}
