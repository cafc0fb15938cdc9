/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/case_facts.c - see case_facts.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/known_word.h"
#include "carver/mount/case_facts.h"
#include "signatures/category.h"

#define CASE_FACTS_HEAD "user.burin."

void case_facts_open(struct case_facts *facts, struct db_case *db, const struct tree *tree,
                     const struct carve_images *images)
{
    *facts = (struct case_facts){ .db = db, .tree = tree, .images = images };
    pthread_mutex_init(&facts->lock, NULL);
}

void case_facts_close(struct case_facts *facts)
{
    if (facts->db == NULL)
        return;
    db_case_take(facts->db);
    pthread_mutex_destroy(&facts->lock);
    facts->db = NULL;
}

/* Whether it is the object of the tree: the same bytes of the same image. */
static bool case_facts_same(const struct case_facts *facts, const struct tree_object *object,
                            const struct db_object *row)
{
    struct ranges_piece one;
    uint32_t count = 0;
    const struct ranges_piece *pieces = tree_pieces(facts->tree, object, &one, &count);
    bool same = row->offset == object->offset && row->len == object->len &&
                row->extent_count == count &&
                row->image_id == facts->tree->folders[object->folder].image;

    for (uint32_t i = 0; same && i < count; i++)
        same = row->extents[i].offset == pieces[i].offset;
    return same;
}

int case_facts_object(struct case_facts *facts, const struct tree_object *object,
                      void (*each)(void *arg, const struct db_object *object), void *arg)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object row;
    bool found = false;

    pthread_mutex_lock(&facts->lock);
    db_case_take(facts->db);
    /* A cursor that stayed open would keep the case as it is now for as long. */
    enum err_code rc = db_objects_open_any(facts->db, &cursor, NULL);
    if (rc == ERR_OK)
        rc = db_objects_find(cursor, object->id, &found, &row, NULL);
    const bool same = rc == ERR_OK && found && case_facts_same(facts, object, &row);
    if (same)
        each(arg, &row);
    db_objects_close(cursor);
    pthread_mutex_unlock(&facts->lock);
    return rc != ERR_OK ? EIO : same ? 0 : ESTALE;
}

/* What is asked of an object, and the answer. */
struct case_facts_question {
    const struct case_facts *facts;
    const char *name; /* behind CASE_FACTS_HEAD */
    char *out;
    size_t len; /* of the answer */
    bool known; /* there is one */
};

static void case_facts_put(struct case_facts_question *question, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void case_facts_put(struct case_facts_question *question, const char *format, ...)
{
    const size_t room = CASE_FACTS_VALUE_MAX - question->len;
    va_list args;

    va_start(args, format);
    const int len = vsnprintf(question->out + question->len, room, format, args);
    va_end(args);
    question->known = len >= 0 && (size_t)len < room;
    question->len += question->known ? (size_t)len : 0;
}

static void case_facts_extents(struct case_facts_question *question, const struct db_object *row)
{
    question->known = true;
    for (uint32_t i = 0; question->known && i < row->extent_count; i++)
        case_facts_put(question, "%s%" PRIu64 "+%" PRIu64, i > 0 ? "," : "", row->extents[i].offset,
                       row->extents[i].len);
}

static uint64_t case_facts_bad_bytes(const struct case_facts *facts, const struct db_object *row)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < row->extent_count; i++)
        bytes += unread_bytes(&facts->images->unread[row->image_id - 1], row->extents[i].offset,
                              row->extents[i].len);
    return bytes;
}

static void case_facts_id(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRId64, row->id);
}

static void case_facts_image(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRId64, row->image_id);
}

static void case_facts_type(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", row->type);
}

static void case_facts_category(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", sig_category_name(sig_category_of(row->type)));
}

static void case_facts_state(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", row->state);
}

static void case_facts_reason(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", row->reason);
}

static void case_facts_offset(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRIu64, row->offset);
}

static void case_facts_length(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRIu64, row->len);
}

static void case_facts_known(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", known_word(row->known));
}

static void case_facts_parent(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRId64, row->parent_id);
}

static bool case_facts_has_parent(const struct case_facts *facts, const struct db_object *row)
{
    (void)facts;
    return row->parent_id != 0;
}

static void case_facts_sha256(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%s", row->sha256);
}

static bool case_facts_has_sha256(const struct case_facts *facts, const struct db_object *row)
{
    (void)facts;
    return row->sha256 != NULL;
}

static void case_facts_crc64(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%016" PRIx64, row->crc64);
}

static bool case_facts_has_crc64(const struct case_facts *facts, const struct db_object *row)
{
    (void)facts;
    return row->has_crc64;
}

static void case_facts_bad(struct case_facts_question *question, const struct db_object *row)
{
    case_facts_put(question, "%" PRIu64, case_facts_bad_bytes(question->facts, row));
}

static bool case_facts_has_bad(const struct case_facts *facts, const struct db_object *row)
{
    return case_facts_bad_bytes(facts, row) > 0;
}

static const struct {
    const char *name;
    void (*put)(struct case_facts_question *question, const struct db_object *row);
    bool (*has)(const struct case_facts *facts, const struct db_object *row); /* NULL: always */
} case_facts_table[] = {
    { "id", case_facts_id, NULL },
    { "image", case_facts_image, NULL },
    { "type", case_facts_type, NULL },
    { "category", case_facts_category, NULL },
    { "state", case_facts_state, NULL },
    { "reason", case_facts_reason, NULL },
    { "offset", case_facts_offset, NULL },
    { "length", case_facts_length, NULL },
    { "extents", case_facts_extents, NULL },
    { "known", case_facts_known, NULL },
    { "parent", case_facts_parent, case_facts_has_parent },
    { "sha256", case_facts_sha256, case_facts_has_sha256 },
    { "crc64", case_facts_crc64, case_facts_has_crc64 },
    { "bad_bytes", case_facts_bad, case_facts_has_bad },
};
enum { CASE_FACTS_COUNT = sizeof case_facts_table / sizeof case_facts_table[0] };

static bool case_facts_has(const struct case_facts *facts, int i, const struct db_object *row)
{
    return case_facts_table[i].has == NULL || case_facts_table[i].has(facts, row);
}

static void case_facts_answer(void *arg, const struct db_object *row)
{
    struct case_facts_question *question = arg;

    for (int i = 0; i < CASE_FACTS_COUNT; i++)
        if (strcmp(question->name, case_facts_table[i].name) == 0 &&
            case_facts_has(question->facts, i, row))
            case_facts_table[i].put(question, row);
}

int case_facts_value(struct case_facts *facts, const struct tree_object *object, const char *name,
                     char out[CASE_FACTS_VALUE_MAX], size_t *len)
{
    struct case_facts_question question = { .facts = facts, .out = out };

    *len = 0;
    if (strncmp(name, CASE_FACTS_HEAD, sizeof CASE_FACTS_HEAD - 1) != 0)
        return ENODATA;
    question.name = name + sizeof CASE_FACTS_HEAD - 1;
    const int failed = case_facts_object(facts, object, case_facts_answer, &question);
    *len = question.len;
    return failed == ESTALE || (failed == 0 && !question.known) ? ENODATA : failed;
}

/* All of them are far shorter than a value may be. */
static void case_facts_list(void *arg, const struct db_object *row)
{
    struct case_facts_question *names = arg;

    for (int i = 0; i < CASE_FACTS_COUNT; i++) {
        if (!case_facts_has(names->facts, i, row))
            continue;
        case_facts_put(names, CASE_FACTS_HEAD "%s", case_facts_table[i].name);
        names->len++;
    }
}

int case_facts_names(struct case_facts *facts, const struct tree_object *object,
                     char out[CASE_FACTS_VALUE_MAX], size_t *len)
{
    struct case_facts_question names = { .facts = facts, .out = out };
    const int failed = case_facts_object(facts, object, case_facts_list, &names);

    *len = names.len;
    return failed == ESTALE ? 0 : failed;
}
