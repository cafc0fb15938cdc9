/* SPDX-License-Identifier: Apache-2.0
 * signatures/media.c - see media.h. */
#include <stdlib.h>
#include <string.h>

#include "signatures/media.h"

struct media_row {
    const char *type, *media_type, *pronom;
};

#define MEDIA(type, media_type, pronom) { type, media_type, pronom },
static const struct media_row media_rows[] = {
#include "signatures/media.def"
};
#undef MEDIA

static int media_order(const void *key, const void *row)
{
    return strcmp(key, ((const struct media_row *)row)->type);
}

static const struct media_row *media_of(const char *type)
{
    return bsearch(type, media_rows, sizeof media_rows / sizeof media_rows[0], sizeof media_rows[0],
                   media_order);
}

const char *sig_media_type(const char *type)
{
    const struct media_row *row = media_of(type);

    return row != NULL && row->media_type[0] != '\0' ? row->media_type : NULL;
}

const char *sig_pronom(const char *type)
{
    const struct media_row *row = media_of(type);

    return row != NULL && row->pronom[0] != '\0' ? row->pronom : NULL;
}
