/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/columns_pack.c - the block of columns.h, and what packs it. */
#include <libdeflate.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/json_write.h"
#include "carver/report/html/columns.h"

enum { PACK_LEVEL = 6, PACK_TEXT_MAX = 4096 };

/* One number of a row, as 32 bits. */
struct pack_column {
    const char *name;
    size_t at;     /* in struct columns_row */
    uint8_t size;  /* bytes of it there */
    uint8_t shift; /* bits that are left out below */
};
#define PACK(name, field)                                                                          \
    {                                                                                              \
        name, offsetof(struct columns_row, field), sizeof(((struct columns_row *)NULL)->field), 0  \
    }
#define PACK_HIGH(name, field)                                                                     \
    {                                                                                              \
        name, offsetof(struct columns_row, field), 8, 32                                           \
    }

static const struct pack_column pack_wide[] = {
    PACK("id", id),
    PACK_HIGH("idHigh", id),
    PACK("offset", offset),
    PACK_HIGH("offsetHigh", offset),
    PACK("len", len),
    PACK_HIGH("lenHigh", len),
    PACK("type", type),
    PACK("folder", folder),
    PACK("tail", tail),
    PACK("reason", reason),
    PACK("volume", volume),
    PACK("path", path),
    PACK("pieces", pieces),
    PACK("image", image),
    PACK("facts", facts),
    PACK("date", date),
    PACK_HIGH("dateHigh", date),
};
static const struct pack_column pack_narrow[] = {
    PACK("state", state), PACK("known", known), PACK("category", category),
    PACK("place", place), PACK("dated", dated),
};
enum {
    PACK_WIDE = sizeof pack_wide / sizeof pack_wide[0],
    PACK_NARROW = sizeof pack_narrow / sizeof pack_narrow[0],
};

static void pack_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t pack_number(const struct columns_row *row, const struct pack_column *column)
{
    const uint8_t *at = (const uint8_t *)row + column->at;
    uint64_t wide;
    uint32_t number;

    switch (column->size) {
    case 1:
        return *at;
    case 4:
        memcpy(&number, at, sizeof number);
        return number;
    default:
        memcpy(&wide, at, sizeof wide);
        return (uint32_t)(wide >> column->shift);
    }
}

/* Where the rows are, by their ids. */
struct pack_id {
    int64_t id;
    uint32_t row;
};

static int pack_order(const void *a, const void *b)
{
    const struct pack_id *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* The row of each one's parent + 1; 0: none, or one that is not on the page. */
static enum err_code pack_parents(const struct columns *columns, uint8_t *to, struct err *err)
{
    struct pack_id *ids = malloc((columns->count + 1) * sizeof *ids);
    bool sorted = true;

    if (ids == NULL)
        return ERR_NO_MEMORY(err, columns->count * sizeof *ids);
    for (size_t i = 0; i < columns->count; i++) {
        ids[i] = (struct pack_id){ columns->rows[i].id, (uint32_t)i };
        sorted = sorted && (i == 0 || ids[i - 1].id < ids[i].id);
    }
    if (!sorted)
        qsort(ids, columns->count, sizeof *ids, pack_order);
    for (size_t i = 0; i < columns->count; i++) {
        const struct pack_id want = { columns->rows[i].parent, 0 };
        const struct pack_id *found =
            want.id != 0 ? bsearch(&want, ids, columns->count, sizeof *ids, pack_order) : NULL;

        pack_u32(to + 4 * i, found != NULL ? found->row + 1 : 0);
    }
    free(ids);
    return ERR_OK;
}

/* What the columns are: names, numbers of rows and texts. Its length is a multiple of four. */
static size_t pack_text(const struct columns *columns, char text[PACK_TEXT_MAX])
{
    struct json json;
    FILE *out;

    memset(text, ' ', PACK_TEXT_MAX);
    out = fmemopen(text, PACK_TEXT_MAX, "w");
    if (out == NULL)
        return 0;
    json_init(&json, out, 0);
    json_open_object(&json, NULL);
    json_uint(&json, "rows", columns->count);
    json_uint(&json, "texts", columns->texts.count);
    json_uint(&json, "textBytes", columns->texts.used);
    json_open_array(&json, "wide");
    for (size_t i = 0; i < PACK_WIDE; i++)
        json_string(&json, NULL, pack_wide[i].name);
    json_string(&json, NULL, "parent");
    json_close_array(&json);
    json_open_array(&json, "narrow");
    for (size_t i = 0; i < PACK_NARROW; i++)
        json_string(&json, NULL, pack_narrow[i].name);
    json_close_array(&json);
    json_close_object(&json);
    const long len = ftell(out);
    (void)fclose(out);
    if (len < 0 || len >= PACK_TEXT_MAX - 4)
        return 0;
    text[len] = ' '; /* fclose has ended it with a NUL */
    return ((size_t)len + 3) / 4 * 4;
}

static enum err_code pack_bytes(const uint8_t *bytes, size_t len, struct columns_block *out,
                                struct err *err)
{
    struct libdeflate_compressor *packer = libdeflate_alloc_compressor(PACK_LEVEL);
    const size_t room = packer != NULL ? libdeflate_gzip_compress_bound(packer, len) : 0;
    enum err_code rc = ERR_OK;

    out->bytes = packer != NULL ? malloc(room) : NULL;
    if (out->bytes == NULL)
        rc = ERR_NO_MEMORY(err, room);
    else
        out->len = libdeflate_gzip_compress(packer, bytes, len, out->bytes, room);
    libdeflate_free_compressor(packer);
    return rc;
}

enum err_code columns_pack(const struct columns *columns, struct columns_block *out,
                           struct err *err)
{
    const struct texts *texts = &columns->texts;
    char text[PACK_TEXT_MAX];
    const size_t n = columns->count, text_len = pack_text(columns, text),
                 wide = 4 * (PACK_WIDE + 1) * n, ends = 4 * (texts->count + 1),
                 len = 4 + text_len + wide + ends + PACK_NARROW * n + texts->used;
    uint8_t *bytes = malloc(len), *to = bytes;
    enum err_code rc;

    *out = (struct columns_block){ 0 };
    if (bytes == NULL || text_len == 0) {
        free(bytes);
        return ERR_NO_MEMORY(err, len);
    }
    pack_u32(to, (uint32_t)text_len);
    memcpy(to + 4, text, text_len);
    to += 4 + text_len;
    for (size_t c = 0; c < PACK_WIDE; c++)
        for (size_t i = 0; i < n; i++, to += 4)
            pack_u32(to, pack_number(&columns->rows[i], &pack_wide[c]));
    rc = pack_parents(columns, to, err);
    to += 4 * n;
    for (size_t i = 0; i <= texts->count; i++, to += 4)
        pack_u32(to, texts->at != NULL ? texts->at[i] : 0);
    for (size_t c = 0; c < PACK_NARROW; c++)
        for (size_t i = 0; i < n; i++)
            *to++ = (uint8_t)pack_number(&columns->rows[i], &pack_narrow[c]);
    if (texts->used > 0)
        memcpy(to, texts->text, texts->used);
    if (rc == ERR_OK)
        rc = pack_bytes(bytes, len, out, err);
    free(bytes);
    return rc;
}

enum err_code columns_pack_hashes(const struct columns *columns, struct columns_block *out,
                                  struct err *err)
{
    const size_t len = COLUMNS_SHA256 * columns->count;
    uint8_t *bytes = malloc(len + 1);

    *out = (struct columns_block){ 0 };
    if (bytes == NULL)
        return ERR_NO_MEMORY(err, len);
    for (size_t i = 0; i < columns->count; i++)
        memcpy(bytes + COLUMNS_SHA256 * i, columns->rows[i].sha256, COLUMNS_SHA256);
    const enum err_code rc = pack_bytes(bytes, len, out, err);
    free(bytes);
    return rc;
}

void columns_block_close(struct columns_block *block)
{
    free(block->bytes);
    *block = (struct columns_block){ 0 };
}
