/* SPDX-License-Identifier: Apache-2.0
 * signatures/category.c - see category.h. */
#include <stdlib.h>
#include <string.h>

#include "signatures/category.h"

struct category_row {
    const char *type;
    enum sig_category category;
};

#define TYPE(type, category) { type, SIG_CATEGORY_##category },
static const struct category_row category_rows[] = {
#include "signatures/categories.def"
};
#undef TYPE

const char *sig_category_name(enum sig_category category)
{
    static const char *const names[SIG_CATEGORY_COUNT] = {
        [SIG_CATEGORY_PICTURES] = "pictures", [SIG_CATEGORY_VIDEO] = "video",
        [SIG_CATEGORY_SOUND] = "sound",       [SIG_CATEGORY_DOCUMENTS] = "documents",
        [SIG_CATEGORY_MAIL] = "mail",         [SIG_CATEGORY_DATABASES] = "databases",
        [SIG_CATEGORY_ARCHIVES] = "archives", [SIG_CATEGORY_KEYS] = "keys",
        [SIG_CATEGORY_SYSTEM] = "system",     [SIG_CATEGORY_PROGRAMS] = "programs",
        [SIG_CATEGORY_OTHER] = "other",
    };

    return names[category];
}

static int category_order(const void *key, const void *row)
{
    return strcmp(key, ((const struct category_row *)row)->type);
}

enum sig_category sig_category_of(const char *type)
{
    const struct category_row *row =
        bsearch(type, category_rows, sizeof category_rows / sizeof category_rows[0],
                sizeof category_rows[0], category_order);

    return row != NULL ? row->category : SIG_CATEGORY_OTHER;
}
