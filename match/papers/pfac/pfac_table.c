/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_table.c - see pfac_table.h; the plain table, and the choice among all. */
#include <stdlib.h>

#include "match/papers/pfac/pfac_table.h"

static const uint64_t table_2d_max =
    (uint64_t)4 << 30; /* bytes; there is another of the size while it is sent */

const char *pfac_kind_name(enum pfac_kind kind)
{
    static const char *const names[PFAC_KINDS] = { "2d", "mfph", "mfph-linked", "ph",
                                                   "ph-reciprocal" };

    return names[kind];
}

static enum err_code table_2d(const struct pfac *pfac, struct pfac_table *table, struct err *err)
{
    const uint64_t size = (uint64_t)pfac->leaf * 256 * sizeof(uint32_t);

    if (size > table_2d_max)
        return ERR_RAISE(
            err, ERR_FULL,
            "a plain table of %u states takes %llu bytes, more than %llu; use engine pfac:mfph",
            pfac->leaf, (unsigned long long)size, (unsigned long long)table_2d_max);
    uint32_t *cells = calloc((size_t)pfac->leaf * 256, sizeof *cells);
    if (cells == NULL)
        return ERR_NO_MEMORY(err, size);
    for (uint32_t state = 0; state < pfac->leaf; state++)
        for (uint32_t e = pfac->first[state]; e < pfac->first[state + 1]; e++)
            cells[(size_t)state * 256 + pfac->bytes[e]] = pfac->next[e];
    table->cells = cells;
    table->cells_size = size;
    table->slots = (uint64_t)pfac->leaf * 256;
    return ERR_OK;
}

enum err_code pfac_table_build(const struct pfac *pfac, enum pfac_kind kind, struct pfac_table *out,
                               struct err *err)
{
    enum err_code rc;

    *out = (struct pfac_table){ .kind = kind };
    switch (kind) {
    case PFAC_2D:
        rc = table_2d(pfac, out, err);
        break;
    case PFAC_MFPH:
        rc = pfac_mfph_build(pfac, out, err);
        break;
    case PFAC_LINKED:
        rc = pfac_linked_build(pfac, out, err);
        break;
    default:
        rc = pfac_ph_build(pfac, out, err);
        break;
    }
    if (rc != ERR_OK)
        pfac_table_release(out);
    return rc;
}

void pfac_table_release(struct pfac_table *table)
{
    free(table->rows);
    free(table->cells);
    *table = (struct pfac_table){ .kind = table->kind };
}
