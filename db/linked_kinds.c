/* SPDX-License-Identifier: Apache-2.0
 * db/linked_kinds.c - what the patterns of linked shards are: see linked.h.
 *
 * The column patterns of the table link: how many there are, and for each twice the number of its
 * signature's row and 1 more of a footer. Where objects stay in the shards, too, there follow for
 * each pattern the number of its kind and where it is in a file; the kinds, each as whether it is a
 * container, how many types it has, and their names and extensions; and the names of facts. All as
 * base/pack.h writes numbers and texts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "db/linked.h"

enum {
    KINDS_MAX = 1 << 16,     /* signatures */
    KINDS_KEYS_MAX = 64,     /* names of facts */
    KINDS_AT_MAX = 64 * 1024 /* bytes of a file before the pattern that tells it */
};

static void kinds_word(struct unpack *in, char out[OBJECT_NAME_WORD])
{
    uint32_t len = 0;
    const char *text = text_saved_next(in, &len);

    in->failed = in->failed || len >= OBJECT_NAME_WORD;
    if (!in->failed && len > 0)
        memcpy(out, text, len);
    out[in->failed ? 0 : len] = '\0';
}

static enum err_code kinds_types(struct linked *linked, struct unpack *in, size_t *room,
                                 struct linked_kind *kind, struct err *err)
{
    enum err_code rc = ERR_OK;

    kind->container = unpack_flag(in);
    kind->type = linked->type_count;
    kind->type_count = (uint32_t)unpack_number(in, OBJECT_SAVED_TYPES);
    for (uint32_t i = 0; rc == ERR_OK && i < kind->type_count && !in->failed; i++) {
        rc = grow_items(&linked->types, linked->type_count, room, sizeof *linked->types, err);
        if (rc != ERR_OK)
            break;
        struct linked_type *type = &linked->types[linked->type_count++];
        kinds_word(in, type->name);
        kinds_word(in, type->extension);
        in->failed = in->failed || type->name[0] == '\0';
    }
    return rc;
}

/* What objects are. */
static enum err_code kinds_objects(struct linked *linked, struct unpack *in, struct err *err)
{
    size_t room = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < linked->use_count; i++) {
        linked->uses[i].kind = (uint32_t)unpack_number(in, KINDS_MAX - 1);
        linked->uses[i].at = (uint32_t)unpack_number(in, KINDS_AT_MAX);
        if (linked->uses[i].at > linked->at_most)
            linked->at_most = linked->uses[i].at;
    }
    linked->kind_count = (uint32_t)unpack_number(in, KINDS_MAX);
    linked->kinds = calloc(linked->kind_count + 1u, sizeof *linked->kinds);
    if (linked->kinds == NULL)
        return ERR_NO_MEMORY(err, linked->kind_count * sizeof *linked->kinds);
    for (uint32_t i = 0; rc == ERR_OK && i < linked->kind_count && !in->failed; i++)
        rc = kinds_types(linked, in, &room, &linked->kinds[i], err);
    for (uint32_t i = 0; i < linked->use_count; i++)
        in->failed = in->failed || linked->uses[i].kind >= linked->kind_count;
    linked->key_count = (uint32_t)unpack_number(in, KINDS_KEYS_MAX);
    linked->keys = calloc(linked->key_count + 1u, sizeof *linked->keys);
    if (linked->keys == NULL)
        return ERR_NO_MEMORY(err, linked->key_count * sizeof *linked->keys);
    for (uint32_t i = 0; i < linked->key_count; i++)
        kinds_word(in, linked->keys[i].name);
    linked->objects = true;
    return rc;
}

enum err_code linked_kinds_read(struct linked *linked, const uint8_t *bytes, size_t len,
                                const int64_t *ids, uint32_t count, struct err *err)
{
    struct unpack in = { .at = bytes, .end = bytes + len };
    const uint32_t patterns = unpack_count(&in);
    enum err_code rc = ERR_OK;

    in.failed = in.failed || patterns > DB_LINK_PATTERNS_MAX;
    linked->uses = in.failed ? NULL : calloc(patterns + 1u, sizeof *linked->uses);
    if (!in.failed && linked->uses == NULL)
        return ERR_NO_MEMORY(err, patterns * sizeof *linked->uses);
    for (uint32_t i = 0; i < patterns && !in.failed; i++) {
        const uint64_t use = unpack_number(&in, 2 * (uint64_t)LINKED_SIGNATURES_MAX);
        const uint32_t number = (uint32_t)(use / 2);

        in.failed = in.failed || number >= count || ids[number] == 0;
        if (!in.failed)
            linked->uses[i] =
                (struct linked_use){ .signature_id = ids[number], .footer = use % 2 != 0 };
    }
    linked->use_count = in.failed ? 0 : patterns;
    if (!in.failed && in.at < in.end)
        rc = kinds_objects(linked, &in, err);
    if (rc != ERR_OK || unpack_whole(&in))
        return rc;
    return db_damaged(linked->db, err, "its table link says what cannot be of patterns");
}
