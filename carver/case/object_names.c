/* SPDX-License-Identifier: Apache-2.0
 * carver/case/object_names.c - see object_names.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/hex.h"
#include "carver/case/cut_short.h"
#include "carver/case/object_names.h"

enum {
    NAMES_KEY_MAX = 2 * OUTDIR_NAME_MAX + 32,
    NAMES_SLOTS_FIRST = 256,
    NAMES_TEXT_MAX = OBJECT_NAMES_KINDS * (NAMES_KEY_MAX + 16),
};

/* A type of an image, or a type with an extension; its key is what its names have in common. */
struct names_kind {
    const char *key;
    uint64_t hash;
    uint64_t count;  /* of a type: its objects in the image */
    uint64_t seen;   /* of a type: those that have their names */
    uint64_t offset; /* with an extension: of the last object of this name, */
    uint32_t number; /* and how many there have been at this offset; 0: no object yet */
};

struct object_names {
    uint32_t images;
    struct names_kind *slots; /* a hash table with open addresses; a free one has no key */
    uint32_t slot_count, count;
    struct arena text;
    struct names_kind *counted; /* while types are counted: the last one, and what it is of */
    int64_t counted_image;
    char counted_type[NAMES_KEY_MAX];
};

/* Safe names hold ASCII alone. */
static void names_lower(char *text)
{
    for (; *text != '\0'; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

/* FNV-1a, 64 bits. */
static uint64_t names_hash(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *key != '\0'; key++)
        hash = (hash ^ (uint8_t)*key) * 0x100000001b3u;
    return hash;
}

/* The slot of the key, or the free one where it belongs. */
static struct names_kind *names_slot(const struct object_names *names, const char *key,
                                     uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (names->slot_count - 1);

    while (names->slots[at].key != NULL &&
           (names->slots[at].hash != hash || strcmp(names->slots[at].key, key) != 0))
        at = (at + 1) & (names->slot_count - 1);
    return &names->slots[at];
}

static enum err_code names_grow(struct object_names *names, struct err *err)
{
    struct object_names old = *names;

    names->slot_count = old.slot_count == 0 ? NAMES_SLOTS_FIRST : 2 * old.slot_count;
    names->slots = calloc(names->slot_count, sizeof *names->slots);
    if (names->slots == NULL) {
        *names = old;
        return ERR_NO_MEMORY(err, 2 * old.slot_count * sizeof *names->slots);
    }
    for (uint32_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].key != NULL)
            *names_slot(names, old.slots[i].key, old.slots[i].hash) = old.slots[i];
    free(old.slots);
    return ERR_OK;
}

/* Finds the kind of this key, or makes it; valid until the next call. NULL: see *rc. */
static struct names_kind *names_find(struct object_names *names, const char *key, enum err_code *rc,
                                     struct err *err)
{
    const uint64_t hash = names_hash(key);

    *rc = 2 * names->count >= names->slot_count ? names_grow(names, err) : ERR_OK;
    if (*rc != ERR_OK)
        return NULL;
    struct names_kind *kind = names_slot(names, key, hash);
    if (kind->key != NULL)
        return kind;
    if (names->count == OBJECT_NAMES_KINDS) {
        *rc = ERR_RAISE(err, ERR_INPUT,
                        "the case file has more than %d types and extensions of objects",
                        OBJECT_NAMES_KINDS);
        return NULL;
    }
    const char *copy = arena_copy(&names->text, key, strlen(key));
    if (copy == NULL) {
        *rc = ERR_NO_MEMORY(err, strlen(key));
        return NULL;
    }
    *kind = (struct names_kind){ .key = copy, .hash = hash };
    names->count++;
    return kind;
}

static void names_safe_type(char out[OUTDIR_NAME_MAX], const char *type)
{
    /* What the folder of carve holds besides, and that of mount. */
    static const char *const taken[] = {
        "audit.txt", "report.xml", "by",         "carvpath",
        "image",     "inside",     "README.txt", OBJECT_NAMES_CUT
    };

    outdir_safe_name(out, type, "unknown");
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(out, taken[i]) == 0)
            out[0] = '_';
}

/* Appends text, which fits, and a NUL; gives where that is. Lists have millions of names. */
static char *names_put(char *to, const char *text)
{
    const size_t len = strlen(text);

    memcpy(to, text, len + 1);
    return to + len;
}

/* The number with four digits at least, and a NUL: 21 bytes at most. */
static void names_put_number(char *to, uint64_t number)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put(text, number, false), len = sizeof text - at;

    for (size_t i = len; i < 4; i++)
        *to++ = '0';
    memcpy(to, text + at, len);
    to[len] = '\0';
}

void object_path_make(struct object_path *out, const char *top, const char *type,
                      const char *extension, uint64_t offset)
{
    char safe_type[OUTDIR_NAME_MAX], safe_extension[OUTDIR_NAME_MAX];

    names_safe_type(safe_type, type);
    outdir_safe_name(safe_extension, extension, "");
    out->offset = offset;
    out->number = 1;
    (void)names_put(names_put(out->extension, safe_extension[0] != '\0' ? "." : ""),
                    safe_extension);
    char *to = names_put(out->folder, top != NULL ? top : "");
    (void)names_put(names_put(to, top != NULL ? "/" : ""), safe_type);
}

void object_path_text(const struct object_path *path, char out[OBJECT_PATH_MAX])
{
    char *to = names_put(out, path->folder);

    *to++ = '/';
    to = hex_number(path->offset, to);
    if (path->number > 1)
        to += snprintf(to, 16, "-%" PRIu32, path->number);
    (void)names_put(to, path->extension);
}

/* The key of a type of an image; its length. */
static size_t names_type_key(char key[NAMES_KEY_MAX], int64_t image_id, const char *safe_type)
{
    size_t len = 0;

    for (; image_id > 0; image_id /= 10)
        key[len++] = (char)('0' + image_id % 10);
    key[len++] = '/';
    const char *end = names_put(key + len, safe_type);
    names_lower(key + len);
    return (size_t)(end - key);
}

/* Objects of one type often stand together. */
static enum err_code names_count(void *arg, int64_t image_id, const char *type, struct err *err)
{
    struct object_names *names = arg;
    char safe[OUTDIR_NAME_MAX], key[NAMES_KEY_MAX];
    enum err_code rc = ERR_OK;

    if (names->counted == NULL || names->counted_image != image_id ||
        strcmp(names->counted_type, type) != 0) {
        names_safe_type(safe, type);
        names_type_key(key, image_id, safe);
        names->counted = names_find(names, key, &rc, err);
        names->counted_image = image_id;
        const size_t len = strnlen(type, sizeof names->counted_type - 1);
        memcpy(names->counted_type, type, len);
        names->counted_type[len] = '\0';
    }
    if (rc == ERR_OK)
        names->counted->count++;
    return rc;
}

enum err_code object_names_open(struct db_case *db, struct object_names **out, struct err *err)
{
    struct object_names *names = calloc(1, sizeof *names);

    *out = NULL;
    if (names == NULL)
        return ERR_NO_MEMORY(err, sizeof *names);
    arena_init(&names->text, NAMES_TEXT_MAX);
    enum err_code rc = db_image_count(db, &names->images, err);
    if (rc == ERR_OK)
        rc = db_object_types_walk(db, names_count, names, err);
    if (rc == ERR_OK)
        *out = names;
    else
        object_names_close(names);
    return rc;
}

void object_names_close(struct object_names *names)
{
    if (names == NULL)
        return;
    arena_release(&names->text);
    free(names->slots);
    free(names);
}

/* Which folder of its type the object lies in. */
static enum err_code names_folder(struct object_names *names, const char *key,
                                  struct object_path *path, struct err *err)
{
    enum err_code rc;
    struct names_kind *kind = names_find(names, key, &rc, err);

    if (kind == NULL)
        return rc;
    if (kind->count > OBJECT_NAMES_FOLDER) {
        char *to = path->folder + strlen(path->folder);

        *to++ = '/';
        names_put_number(to, kind->seen / OBJECT_NAMES_FOLDER + 1);
    }
    kind->seen++;
    return ERR_OK;
}

enum err_code object_names_next(struct object_names *names, const struct db_object *object,
                                struct object_path *out, struct err *err)
{
    const bool cut = cut_short_is(object);
    char top[OBJECT_NAMES_TOP], key[NAMES_KEY_MAX];

    if (names->images > 1)
        snprintf(top, sizeof top, "image%" PRId64 "%s", object->image_id,
                 cut ? "/" OBJECT_NAMES_CUT : "");
    object_path_make(out,
                     names->images > 1 ? top
                     : cut             ? OBJECT_NAMES_CUT
                                       : NULL,
                     object->type, object->extension, object->offset);
    const char *type = strrchr(out->folder, '/');
    size_t len = names_type_key(key, object->image_id, type != NULL ? type + 1 : out->folder);
    enum err_code rc = names_folder(names, key, out, err);
    if (rc != ERR_OK)
        return rc;
    key[len++] = '/';
    (void)names_put(key + len, out->extension);
    names_lower(key + len);
    struct names_kind *kind = names_find(names, key, &rc, err);
    if (kind == NULL)
        return rc;
    kind->number = kind->number > 0 && kind->offset == object->offset ? kind->number + 1 : 1;
    kind->offset = object->offset;
    out->number = kind->number;
    return ERR_OK;
}
