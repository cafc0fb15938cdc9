/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap_files.c - see fsmap_files.h. */
#include "io/filesystem/fsmap_files.h"
#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>

void fsmap_files_release(struct fsmap_files *files)
{
    free(files->files);
    free(files->pieces);
    *files = (struct fsmap_files){ 0 };
}

enum err_code fsmap_files_begin(struct fsmap_files *files, const struct fsmap_record *record,
                                const char *path, struct err *err)
{
    const enum err_code rc = fsmap_files_end(files, err);

    files->now = (struct fsmap_file){ .path = path,
                                      .inode = record->offset,
                                      .size = record->len,
                                      .modified = (int64_t)record->file_offset,
                                      .first = files->piece_count,
                                      .deleted = (record->kind & FSMAP_FILE_DELETED) != 0 };
    files->have = 0;
    files->open = (record->kind & FSMAP_FILE_MAPPED) != 0 && record->len > 0;
    return rc;
}

static enum err_code files_piece(struct fsmap_files *files, struct io_range piece, struct err *err)
{
    if (files->piece_count >= FSMAP_PIECES_MAX) {
        files->open = false;
        return ERR_OK;
    }
    const enum err_code rc = grow_items(&files->pieces, files->piece_count, &files->piece_room,
                                        sizeof *files->pieces, err);
    if (rc == ERR_OK) {
        files->pieces[files->piece_count++] = piece;
        files->now.count++;
    }
    return rc;
}

enum err_code fsmap_files_run(struct fsmap_files *files, const struct fsmap_record *record,
                              struct err *err)
{
    struct io_range piece = { record->offset, record->len };

    if (!files->open || files->have == files->now.size ||
        (record->kind != IO_AREA_FILE && record->kind != IO_AREA_DELETED))
        return ERR_OK;
    if (record->file_offset != files->have || piece.len == 0 ||
        piece.len > UINT64_MAX - piece.offset) {
        files->open = false; /* a hole, or one who says anything */
        return ERR_OK;
    }
    if (piece.len > files->now.size - files->have)
        piece.len = files->now.size - files->have;
    files->have += piece.len;
    struct io_range *last = files->now.count > 0 ? &files->pieces[files->piece_count - 1] : NULL;
    if (last != NULL && last->offset + last->len == piece.offset) {
        last->len += piece.len;
        return ERR_OK;
    }
    return files_piece(files, piece, err);
}

static enum err_code files_keep(struct fsmap_files *files, struct err *err)
{
    const enum err_code rc =
        grow_items(&files->files, files->count, &files->room, sizeof *files->files, err);

    if (rc == ERR_OK)
        files->files[files->count++] = files->now;
    return rc;
}

enum err_code fsmap_files_end(struct fsmap_files *files, struct err *err)
{
    const bool whole = files->open && files->have == files->now.size && files->now.count > 1;

    files->open = false;
    if (whole)
        return files_keep(files, err);
    files->piece_count -= files->now.count;
    files->now.count = 0;
    return ERR_OK;
}
