/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_found.c - see list_found.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"
#include "carver/case/object_places.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/keyword/keyword_context.h"
#include "carver/list/list_found.h"

enum {
    FOUND_TEXT_MAX = 1 << 30,                             /* bytes of all keywords */
    FOUND_NAMES = LIMIT_ENCODINGS * KEYWORD_ENCODING_NAME /* bytes of the names of the encodings */
};

/* What a search looked for: a signature. */
struct found_kind {
    int64_t signature_id;
    struct keyword keyword; /* text and encoding, no more */
    const char *kind;       /* "keyword", "regex", "feature" */
};

struct found_hit {
    uint64_t offset;
    uint32_t len, kind;
};

struct found {
    const struct carve_images *images;
    FILE *out;
    bool as_json;
    struct json json;
    struct found_kind *kinds; /* by signature */
    size_t kind_count, kind_room;
    struct found_hit *hits; /* of one image */
    size_t count, room;
    struct arena text;
    char names[FOUND_NAMES]; /* of encodings, comma-joined */
    uint32_t name_count;
    struct keyword_set set; /* of no words: what decodes the encodings */
    uint32_t image;         /* that is walked, from 1 */
    uint64_t told;
};

/* Whether bytes can be told as text of this encoding: the case file may name anything. */
static bool found_decodes(const char *encoding)
{
    struct keyword_set set = { 0 };
    const bool knows = strlen(encoding) < KEYWORD_ENCODING_NAME && strchr(encoding, ',') == NULL &&
                       keyword_set_open(encoding, false, &set, NULL) == ERR_OK;

    keyword_set_close(&set);
    return knows;
}

static void found_encoding_add(struct found *f, const char *encoding)
{
    const size_t used = strlen(f->names);

    for (size_t i = 0; i < f->kind_count; i++)
        if (strcmp(f->kinds[i].keyword.encoding, encoding) == 0)
            return;
    if (f->name_count == LIMIT_ENCODINGS || !found_decodes(encoding))
        return; /* its bytes are told as they are */
    snprintf(f->names + used, sizeof f->names - used, "%s%s", used > 0 ? "," : "", encoding);
    f->name_count++;
}

static enum err_code found_kind_add(void *arg, const struct db_searched *searched, struct err *err)
{
    struct found *f = arg;
    const char *space = strchr(searched->origin, ' ');

    if (searched->hits == 0 || space == NULL)
        return ERR_OK;
    const struct found_kind kind = {
        .signature_id = searched->signature_id,
        .keyword = { .text = arena_copy(&f->text, searched->name, strlen(searched->name)),
                     .encoding = arena_copy(&f->text, space + 1, strlen(space + 1)) },
        .kind = arena_copy(&f->text, searched->origin, (size_t)(space - searched->origin)),
    };
    if (kind.keyword.text == NULL || kind.keyword.encoding == NULL || kind.kind == NULL)
        return ERR_NO_MEMORY(err, strlen(searched->name));
    const enum err_code rc =
        grow_items(&f->kinds, f->kind_count, &f->kind_room, sizeof *f->kinds, err);
    if (rc == ERR_OK) {
        found_encoding_add(f, kind.keyword.encoding);
        f->kinds[f->kind_count++] = kind;
    }
    return rc;
}

static bool found_kind_before(const void *item, uint64_t at)
{
    return (uint64_t)((const struct found_kind *)item)->signature_id < at;
}

/* One that does not lie in the image is none: nothing that a case file says is trusted. */
static enum err_code found_hit_add(void *arg, const struct db_hit *hit, struct err *err)
{
    struct found *f = arg;
    const uint64_t size = io_image_size(f->images->items[f->image - 1]);
    const size_t at = bisect(f->kinds, f->kind_count, sizeof *f->kinds, found_kind_before,
                             (uint64_t)hit->signature_id);

    if (at == f->kind_count || f->kinds[at].signature_id != hit->signature_id ||
        hit->offset > size || hit->len > size - hit->offset || hit->len > LIMIT_REGEX_MATCH_LEN)
        return ERR_OK;
    const enum err_code rc = grow_items(&f->hits, f->count, &f->room, sizeof *f->hits, err);
    if (rc == ERR_OK)
        f->hits[f->count++] = (struct found_hit){ hit->offset, (uint32_t)hit->len, (uint32_t)at };
    return rc;
}

/* By offset, then by what was looked for, whichever search looked for it. */
static int found_order(const void *a, const void *b, void *arg)
{
    const struct found_hit *x = a, *y = b;
    const struct found *f = arg;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    const struct keyword *p = &f->kinds[x->kind].keyword, *q = &f->kinds[y->kind].keyword;
    int order = strcmp(p->text, q->text);
    if (order == 0)
        order = strcmp(p->encoding, q->encoding);
    if (order == 0)
        order = strcmp(f->kinds[x->kind].kind, f->kinds[y->kind].kind);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static enum err_code found_put(struct found *f, struct keyword_context *around,
                               const struct found_hit *hit, const struct object_place *object,
                               struct err *err)
{
    const struct found_kind *kind = &f->kinds[hit->kind];

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (f->as_json) {
        json_open_object(&f->json, NULL);
        json_string(&f->json, "image", f->images->paths[f->image - 1]);
        json_uint(&f->json, "offset", hit->offset);
        json_uint(&f->json, "length", hit->len);
        json_string(&f->json, "kind", kind->kind);
        json_string(&f->json, "keyword", kind->keyword.text);
        json_string(&f->json, "encoding", kind->keyword.encoding);
        object_place_json(object, &f->json);
    } else {
        fprintf(f->out, "%" PRIu64 "\t", hit->offset);
        print_safe(f->out, kind->keyword.text);
        putc('\t', f->out);
        print_safe(f->out, kind->keyword.encoding);
        putc('\t', f->out);
        print_safe(f->out, object != NULL ? object->name : "-");
    }
    const enum err_code rc =
        keyword_context_put(around, hit->offset, hit->len, LIST_FOUND_AROUND, &kind->keyword,
                            f->as_json ? &f->json : NULL, f->out, err);
    if (f->as_json)
        json_close_object(&f->json);
    else
        putc('\n', f->out);
    return rc;
}

/* Tells the hits of the image under way, each once. */
static enum err_code found_image(struct found *f, struct db_case *db, struct err *err)
{
    struct keyword_context *around = NULL;
    struct object_places *places = NULL;
    enum err_code rc;

    f->count = 0;
    rc = db_hits_walk(db, f->image, 0, found_hit_add, f, err);
    if (rc != ERR_OK || f->count == 0)
        return rc;
    qsort_r(f->hits, f->count, sizeof *f->hits, found_order, f);
    rc = object_places_open(db, f->image, &places, err);
    if (rc == ERR_OK)
        rc = keyword_context_open(f->images->items[f->image - 1], &f->set, &around, err);
    for (size_t i = 0; rc == ERR_OK && i < f->count && ferror(f->out) == 0; i++) {
        if (i > 0 && found_order(&f->hits[i - 1], &f->hits[i], f) == 0)
            continue;
        f->told++;
        rc = found_put(f, around, &f->hits[i], object_places_at(places, f->hits[i].offset), err);
    }
    keyword_context_close(around);
    object_places_close(places);
    return rc;
}

enum err_code list_found(struct db_case *db, const struct carve_images *images, FILE *out,
                         bool json, uint64_t *count, struct err *err)
{
    struct found f = { .images = images, .out = out, .as_json = json };

    arena_init(&f.text, FOUND_TEXT_MAX);
    enum err_code rc = db_searched_walk(db, found_kind_add, &f, err);
    if (rc == ERR_OK && f.name_count > 0)
        rc = keyword_set_open(f.names, false, &f.set, err);
    json_init(&f.json, out, 1);
    if (json)
        json_open_array(&f.json, NULL);
    for (f.image = 1; rc == ERR_OK && f.kind_count > 0 && f.image <= images->count; f.image++)
        rc = found_image(&f, db, err);
    if (json && rc == ERR_OK) {
        json_close_array(&f.json);
        json_end(&f.json);
    }
    *count = f.told;
    keyword_set_close(&f.set);
    arena_release(&f.text);
    free(f.kinds);
    free(f.hits);
    return rc;
}
