/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_features.c - see list_features.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/feature/feature.h"
#include "carver/list/list_features.h"

enum {
    FEATURES_TEXT_MAX = 1 << 30,             /* bytes of all values */
    FEATURES_BYTES_MAX = 2 * FEATURE_LEN_MAX /* of one in the image */
};
#define FEATURES_ORIGIN "feature " /* what search writes before the encoding */

/* A signature of a search that is a feature. */
struct features_kind {
    int64_t signature_id;
    enum feature_pack pack;
    uint32_t zeros_before, zeros_after;
};

/* A place of a value, while they are collected; then a value, and how often it is there. */
struct features_item {
    const char *value;
    enum feature_pack pack;
    uint32_t image;
    uint64_t offset, count;
};

struct features {
    const struct carve_images *images;
    struct features_kind *kinds; /* by signature */
    size_t kind_count, kind_room;
    struct features_item *items;
    size_t count, room;
    struct arena text;
    uint32_t image; /* that is walked, from 1 */
};

static enum err_code features_kind_add(void *arg, const struct db_searched *searched,
                                       struct err *err)
{
    struct features *f = arg;
    const size_t before = strlen(FEATURES_ORIGIN);
    struct features_kind kind = { .signature_id = searched->signature_id };
    uint32_t pack = 0;

    if (strncmp(searched->origin, FEATURES_ORIGIN, before) != 0 || searched->hits == 0)
        return ERR_OK;
    while (pack < FEATURE_PACKS && strcmp(feature_name(pack), searched->name) != 0)
        pack++;
    if (pack == FEATURE_PACKS)
        return ERR_OK;
    kind.pack = (enum feature_pack)pack;
    kind.zeros_before = strcasecmp(searched->origin + before, "utf-16be") == 0;
    kind.zeros_after = strcasecmp(searched->origin + before, "utf-16le") == 0;
    const enum err_code rc =
        grow_items(&f->kinds, f->kind_count, &f->kind_room, sizeof *f->kinds, err);
    if (rc == ERR_OK)
        f->kinds[f->kind_count++] = kind;
    return rc;
}

static bool features_kind_before(const void *item, uint64_t at)
{
    return (uint64_t)((const struct features_kind *)item)->signature_id < at;
}

static const struct features_kind *features_kind(const struct features *f, int64_t signature_id)
{
    const size_t at = bisect(f->kinds, f->kind_count, sizeof *f->kinds, features_kind_before,
                             (uint64_t)signature_id);

    return at < f->kind_count && f->kinds[at].signature_id == signature_id ? &f->kinds[at] : NULL;
}

static enum err_code features_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    struct features *f = arg;
    const struct features_kind *kind = features_kind(f, hit->signature_id);
    struct io_image *image = f->images->items[f->image - 1];
    uint8_t bytes[FEATURES_BYTES_MAX];
    char value[FEATURE_LEN_MAX + 1];

    if (kind == NULL || hit->len > sizeof bytes || hit->offset > io_image_size(image) ||
        hit->len > io_image_size(image) - hit->offset)
        return ERR_OK;
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    enum err_code rc = io_image_read_at(image, hit->offset, bytes, hit->len, err);
    if (rc == ERR_IO) /* it could be read once, and cannot any more: it has no value */
        return ERR_OK;
    if (rc == ERR_OK)
        rc = grow_items(&f->items, f->count, &f->room, sizeof *f->items, err);
    if (rc != ERR_OK)
        return rc;
    const uint32_t len =
        feature_value(kind->pack, bytes, hit->len, kind->zeros_before, kind->zeros_after, value);
    const char *copy = arena_copy(&f->text, value, len);
    if (copy == NULL)
        return ERR_NO_MEMORY(err, len);
    f->items[f->count++] = (struct features_item){ copy, kind->pack, f->image, hit->offset, 1 };
    return ERR_OK;
}

static int features_by_value(const void *a, const void *b)
{
    const struct features_item *x = a, *y = b;

    if (x->pack != y->pack)
        return strcmp(feature_name(x->pack), feature_name(y->pack));
    const int order = strcmp(x->value, y->value);
    if (order != 0)
        return order;
    if (x->image != y->image)
        return x->image < y->image ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int features_by_count(const void *a, const void *b)
{
    const struct features_item *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : features_by_value(a, b);
}

/* Items of one value become one; those of one place count once. */
static void features_settle(struct features *f)
{
    size_t used = 0;

    if (f->count == 0)
        return;
    qsort(f->items, f->count, sizeof *f->items, features_by_value);
    for (size_t i = 0; i < f->count; i++) {
        const struct features_item *item = &f->items[i],
                                   *last = used > 0 ? &f->items[used - 1] : item;
        const bool same =
            used > 0 && item->pack == last->pack && strcmp(item->value, last->value) == 0;

        if (!same)
            f->items[used++] = *item;
        else if (item->image != f->items[i - 1].image || item->offset != f->items[i - 1].offset)
            f->items[used - 1].count++;
    }
    f->count = used;
    qsort(f->items, f->count, sizeof *f->items, features_by_count);
}

static void features_put(const struct features *f, FILE *out, bool as_json)
{
    struct json json;

    json_init(&json, out, 1);
    if (as_json)
        json_open_array(&json, NULL);
    for (size_t i = 0; i < f->count && ferror(out) == 0; i++) {
        const struct features_item *item = &f->items[i];

        if (as_json) {
            json_open_object(&json, NULL);
            json_string(&json, "feature", feature_name(item->pack));
            json_string(&json, "value", item->value);
            json_uint(&json, "count", item->count);
            json_close_object(&json);
            continue;
        }
        fprintf(out, "%" PRIu64 "\t%s\t", item->count, feature_name(item->pack));
        print_safe(out, item->value);
        putc('\n', out);
    }
    if (as_json) {
        json_close_array(&json);
        json_end(&json);
    }
}

enum err_code list_features(struct db_case *db, const struct carve_images *images, FILE *out,
                            bool json, uint64_t *count, struct err *err)
{
    struct features f = { .images = images };

    arena_init(&f.text, FEATURES_TEXT_MAX);
    enum err_code rc = db_searched_walk(db, features_kind_add, &f, err);
    for (f.image = 1; rc == ERR_OK && f.kind_count > 0 && f.image <= images->count; f.image++)
        rc = db_hits_walk(db, f.image, 0, features_hit, &f, err);
    if (rc == ERR_OK) {
        features_settle(&f);
        features_put(&f, out, json);
    }
    *count = f.count;
    arena_release(&f.text);
    free(f.kinds);
    free(f.items);
    return rc;
}
