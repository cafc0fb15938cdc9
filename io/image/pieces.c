/* SPDX-License-Identifier: Apache-2.0
 * io/image/pieces.c - see pieces.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"
#include "io/image/pieces.h"

/* A piece as a list keeps it. Its length is where the next one begins. */
struct io_piece_item {
    uint64_t offset, at;
    uint32_t stored_len, whole_len, skip;
    uint16_t file; /* less than LIMIT_IMAGE_PARTS */
    uint8_t how, source;
};

static bool pieces_joined(const struct io_piece_item *last, uint64_t end,
                          const struct io_piece *piece)
{
    if (last->how != piece->how)
        return false;
    if (piece->how == IO_PIECE_STORED)
        return last->file == piece->file && last->at + (end - last->offset) == piece->at;
    if (io_piece_is_packed(piece->how))
        return last->file == piece->file && last->at == piece->at &&
               last->whole_len == piece->whole_len &&
               last->skip + (end - last->offset) == piece->skip;
    return piece->how == IO_PIECE_ZERO || last->source == piece->source;
}

enum err_code io_piece_list_add(struct io_piece_list *list, const struct io_piece *piece,
                                struct err *err)
{
    const uint64_t end = list->size;

    if (piece->len == 0)
        return ERR_OK;
    if (piece->len > ((uint64_t)IO_PIECES_TIB_MAX << 40) - end)
        return ERR_RAISE(err, ERR_INPUT, "the image in it is larger than any disk");
    if (io_piece_is_packed(piece->how) &&
        (piece->stored_len > IO_PIECE_PACKED_MAX || piece->whole_len > IO_PIECE_PACKED_MAX ||
         piece->skip > piece->whole_len || piece->len > piece->whole_len - piece->skip))
        return ERR_RAISE(err, ERR_INPUT,
                         "the image has a packed piece of %" PRIu32 " bytes at %" PRIu64,
                         piece->whole_len, piece->at);
    list->size += piece->len;
    if (list->count > 0 && pieces_joined(&list->items[list->count - 1], end, piece))
        return ERR_OK;
    if (list->count == IO_PIECES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "the image has more than %d pieces", IO_PIECES_MAX);
    const enum err_code rc =
        grow_items(&list->items, list->count, &list->room, sizeof *list->items, err);

    if (rc == ERR_OK)
        list->items[list->count++] = (struct io_piece_item){ .offset = end,
                                                             .at = piece->at,
                                                             .stored_len = piece->stored_len,
                                                             .whole_len = piece->whole_len,
                                                             .skip = piece->skip,
                                                             .file = (uint16_t)piece->file,
                                                             .how = (uint8_t)piece->how,
                                                             .source = (uint8_t)piece->source };
    return rc;
}

static uint64_t pieces_end(const struct io_piece_list *list, uint32_t i)
{
    return i + 1 < list->count ? list->items[i + 1].offset : list->size;
}

static void pieces_get(const struct io_piece_list *list, uint32_t i, struct io_piece *piece)
{
    const struct io_piece_item *item = &list->items[i];

    *piece = (struct io_piece){ .offset = item->offset,
                                .len = pieces_end(list, i) - item->offset,
                                .at = item->at,
                                .stored_len = item->stored_len,
                                .whole_len = item->whole_len,
                                .skip = item->skip,
                                .file = item->file,
                                .how = (enum io_piece_how)item->how,
                                .source = (enum io_bad_source)item->source };
}

static bool pieces_begins(const void *item, uint64_t at)
{
    return ((const struct io_piece_item *)item)->offset <= at;
}

void io_piece_list_find(const struct io_piece_list *list, uint64_t offset, struct io_piece *piece)
{
    const size_t i =
        bisect_last(list->items, list->count, sizeof *list->items, pieces_begins, offset);

    pieces_get(list, (uint32_t)i, piece);
}

enum err_code io_piece_list_unread(const struct io_piece_list *list, struct io_bad_list *out,
                                   struct err *err)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct io_piece piece;

        pieces_get(list, i, &piece);
        if (piece.how != IO_PIECE_UNREAD)
            continue;
        const struct io_bad_range range = { piece.offset, piece.len, 0, piece.source,
                                            IO_STATUS_BAD };
        io_bad_list_add(out, &range);
    }
    return out->failed ? ERR_NO_MEMORY(err, out->room * sizeof *out->items) : ERR_OK;
}

void io_piece_list_release(struct io_piece_list *list)
{
    free(list->items);
    *list = (struct io_piece_list){ 0 };
}

static enum err_code places_twice(const struct io_places *places, uint64_t at, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is damaged: its tables use the bytes at %" PRIu64
                     " of the file twice; copy it again from its source",
                     places->path, at);
}

enum err_code io_places_add(struct io_places *places, uint64_t at, uint64_t len, const char *what,
                            struct err *err)
{
    struct io_place *last = places->count > 0 ? &places->items[places->count - 1] : NULL;

    if (at > places->file_size || len > places->file_size - at)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is damaged or cut short: %s at byte %" PRIu64 " has %" PRIu64
                         " bytes, and the file ends at %" PRIu64 "; copy it again from its source",
                         places->path, what, at, len, places->file_size);
    if (last != NULL && last->at + last->len == at) {
        last->len += len;
        return ERR_OK;
    }
    if (last != NULL && at < last->at + last->len && last->at < at + len)
        return places_twice(places, at, err);
    if (places->count >= IO_PIECES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: has more than %d pieces", places->path,
                         IO_PIECES_MAX);
    const enum err_code rc =
        grow_items(&places->items, places->count, &places->room, sizeof *places->items, err);

    if (rc == ERR_OK)
        places->items[places->count++] = (struct io_place){ at, len };
    return rc;
}

enum err_code io_places_add_packed(struct io_places *places, const struct io_piece *piece,
                                   struct err *err)
{
    const uint32_t sure =
        piece->stored_len < LIMIT_SECTOR ? 1 : piece->stored_len - LIMIT_SECTOR + 1;

    return io_places_add(places, piece->at, sure, "a packed block", err);
}

static int places_compare(const void *a, const void *b)
{
    const struct io_place *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

enum err_code io_places_check(struct io_places *places, struct err *err)
{
    if (places->count > 1)
        qsort(places->items, places->count, sizeof *places->items, places_compare);
    for (uint32_t i = 1; i < places->count; i++) {
        const struct io_place *before = &places->items[i - 1], *place = &places->items[i];

        if (place->at < before->at + before->len)
            return places_twice(places, place->at, err);
    }
    return ERR_OK;
}

void io_places_release(struct io_places *places)
{
    free(places->items);
    *places = (struct io_places){ 0 };
}
