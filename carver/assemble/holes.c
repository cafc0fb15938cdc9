/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/holes.c - see holes.h. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/assemble/holes.h"

static bool holes_zeros(struct splice *splice, uint64_t at, uint32_t len)
{
    uint32_t have = 0, any = 0;
    const uint8_t *bytes = splice_image(splice, at, &have);

    for (uint32_t i = 0; bytes != NULL && i < len && i < have; i++)
        any |= bytes[i];
    return any == 0;
}

/* Adds the first cluster of an island, and those behind one that ends in zeros. */
static enum err_code holes_of_island(const struct islands *islands, size_t island,
                                     struct splice *splice, uint32_t *looks, struct holes *out,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint64_t at = islands->begins[island];
         rc == ERR_OK && at < islands->ends[island] && out->count <= HOLES_MAX;
         at += islands->unit) {
        if (at != islands->begins[island] &&
            ((*looks)++ >= HOLES_LOOKS || !holes_zeros(splice, at - HOLES_ZEROS, HOLES_ZEROS) ||
             holes_zeros(splice, at, LIMIT_SECTOR)))
            continue;
        rc = grow_items(&out->begins, out->count, &out->room, sizeof *out->begins, err);
        if (rc == ERR_OK)
            out->begins[out->count++] = at;
    }
    return rc;
}

static enum err_code holes_heads(const struct resemble_table *table, struct splice *splice,
                                 struct holes *out, struct err *err)
{
    const size_t sectors = out->count * HOLES_HEAD;
    uint64_t *ats = malloc((sectors + 1) * sizeof *ats);

    if (ats == NULL)
        return ERR_NO_MEMORY(err, sectors * sizeof *ats);
    for (size_t i = 0; i < sectors; i++)
        ats[i] = out->begins[i / HOLES_HEAD] + i % HOLES_HEAD * LIMIT_SECTOR;
    const enum err_code rc =
        resemble_open_at(&out->heads, table, splice, ats, (uint32_t)sectors, err);
    free(ats);
    return rc;
}

enum err_code holes_find(const struct islands *islands, const struct resemble_table *table,
                         struct splice *splice, struct holes *out, struct err *err)
{
    uint32_t looks = 0;
    enum err_code rc = ERR_OK;

    *out = (struct holes){ 0 };
    for (size_t i = 0; rc == ERR_OK && islands->unit > LIMIT_SECTOR && i < islands->count; i++)
        rc = holes_of_island(islands, i, splice, &looks, out, err);
    if (out->count > HOLES_MAX)
        out->count = 0;
    if (rc == ERR_OK)
        rc = splice_error(splice, err);
    if (rc == ERR_OK && out->count > 0)
        rc = holes_heads(table, splice, out, err);
    if (rc != ERR_OK)
        holes_release(out);
    return rc;
}

void holes_release(struct holes *holes)
{
    free(holes->begins);
    resemble_close(&holes->heads);
    *holes = (struct holes){ 0 };
}
