/* SPDX-License-Identifier: Apache-2.0
 * carver/select/types.c - see types.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "carver/cli/near.h"
#include "carver/select/names.h"
#include "carver/select/types.h"
#include "signatures/category.h"
#include "signatures/list.h"

_Static_assert(SIG_TYPES_MAX <= 64, "a bit for each type of a signature");

/* The built-in signatures, and for each what the words ask for: bit i is its type i. */
struct types_marks {
    const struct sig *const *sigs;
    uint64_t *masks;
    uint32_t count;
    struct db_case *db; /* whose types are names too; NULL: none are */
    bool off;           /* a category has the types of signatures that are off by default, too */
};

static bool types_all(const char *word, size_t len)
{
    return names_equal(word, len, "all");
}

/* What a scan looks for that is given no words. */
static bool types_default(const char *word, size_t len)
{
    return names_equal(word, len, "default");
}

/* Marks the types of a category. False: there is none of that name. */
static bool types_mark_category(struct types_marks *marks, const char *word, size_t len)
{
    uint32_t category = 0;

    while (category < SIG_CATEGORY_OTHER &&
           !names_equal(word, len, sig_category_name((enum sig_category)category)))
        category++;
    for (uint32_t i = 0; category < SIG_CATEGORY_OTHER && i < marks->count; i++)
        for (uint32_t k = 0; k < SIG_TYPES_MAX && marks->sigs[i]->types[k].name != NULL; k++)
            if ((marks->off || (marks->sigs[i]->flags & SIG_OFF) == 0) &&
                (uint32_t)sig_category_of(marks->sigs[i]->types[k].name) == category)
                marks->masks[i] |= UINT64_C(1) << k;
    return category < SIG_CATEGORY_OTHER;
}

/* Marks what one name asks for. False: nothing built in has that name. */
static bool types_mark(struct types_marks *marks, const char *word, size_t len)
{
    bool known = types_mark_category(marks, word, len);

    for (uint32_t i = 0; i < marks->count; i++) {
        const struct sig *sig = marks->sigs[i];

        if (types_default(word, len))
            known = true;
        if (types_all(word, len) || names_equal(word, len, sig->name) ||
            (types_default(word, len) && (sig->flags & SIG_OFF) == 0) ||
            names_equal(word, len, sig_builtin_family(i))) {
            marks->masks[i] = UINT64_MAX;
            known = true;
            continue;
        }
        for (uint32_t k = 0; k < SIG_TYPES_MAX && sig->types[k].name != NULL; k++) {
            const struct sig_type *type = &sig->types[k];

            if (names_equal(word, len, type->name) ||
                (type->extension[0] != '\0' && names_equal(word, len, type->extension))) {
                marks->masks[i] |= UINT64_C(1) << k;
                known = true;
            }
        }
    }
    return known;
}

/* A word that is looked for among the types of a case file. */
struct types_word {
    const char *word;
    size_t len;
    bool found;
    char near[NEAR_LIST_MAX]; /* names that come near it */
};

static enum err_code types_look(void *arg, const struct db_type *type, struct err *err)
{
    struct types_word *look = arg;

    (void)err;
    look->found =
        look->found || names_equal(look->word, look->len, type->name) ||
        (type->extension[0] != '\0' && names_equal(look->word, look->len, type->extension));
    if (near_is(look->word, look->len, type->name))
        near_add(look->near, type->name);
    return ERR_OK;
}

/* A word that is nothing built in: it may be a name of the case file's. */
static enum err_code types_look_up(const struct types_marks *marks, const char *word, size_t len,
                                   struct err *err)
{
    struct types_word look = { .word = word, .len = len };
    const char *where = marks->db != NULL ? ", and none in the case file" : "";

    for (int i = 0; i < SIG_CATEGORY_OTHER; i++)
        if (near_is(word, len, sig_category_name((enum sig_category)i)))
            near_add(look.near, sig_category_name((enum sig_category)i));
    for (uint32_t i = 0; i < marks->count; i++) {
        if (near_is(word, len, marks->sigs[i]->name))
            near_add(look.near, marks->sigs[i]->name);
        for (uint32_t k = 0; k < SIG_TYPES_MAX && marks->sigs[i]->types[k].name != NULL; k++)
            if (near_is(word, len, marks->sigs[i]->types[k].name))
                near_add(look.near, marks->sigs[i]->types[k].name);
    }
    const enum err_code rc =
        marks->db != NULL ? db_types_walk(marks->db, types_look, &look, err) : ERR_OK;
    if (rc != ERR_OK || look.found)
        return rc;
    if (look.near[0] != '\0')
        return ERR_RAISE(err, ERR_ARG,
                         "--types: no type '%.*s'%s; did you mean %s? 'burin info --types' lists "
                         "all",
                         (int)len, word, where, look.near);
    return ERR_RAISE(err, ERR_ARG, "--types: no type '%.*s'%s; 'burin info --types' lists all",
                     (int)len, word, where);
}

enum err_code types_check(const char *list, struct err *err)
{
    for (const char *word = list; word != NULL;) {
        const size_t len = strcspn(word, ",");

        if (len == 0)
            return ERR_RAISE(
                err, ERR_ARG,
                "--types '%s': a name is missing; write names with commas between, or \"all\"",
                list);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return ERR_OK;
}

static enum err_code types_mark_list(struct types_marks *marks, const char *list, struct err *err)
{
    enum err_code rc = types_check(list, err);

    for (const char *word = list; word != NULL && rc == ERR_OK;) {
        const size_t len = strcspn(word, ",");

        if (!types_mark(marks, word, len))
            rc = types_look_up(marks, word, len, err);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return rc;
}

static enum err_code types_marks_open(struct types_marks *marks, struct db_case *db, bool off,
                                      struct err *err)
{
    *marks = (struct types_marks){ .db = db, .off = off };
    marks->sigs = sig_builtin(&marks->count);
    marks->masks = calloc(marks->count + 1u, sizeof *marks->masks);
    return marks->masks != NULL ? ERR_OK : ERR_NO_MEMORY(err, marks->count * sizeof *marks->masks);
}

enum err_code types_select(const char *list, struct types_selection *out, struct err *err)
{
    struct types_marks marks;
    enum err_code rc = types_marks_open(&marks, NULL, false, err);

    *out = (struct types_selection){ .types = marks.masks };
    if (rc != ERR_OK)
        goto out;
    out->sigs = calloc(marks.count + 1u, sizeof *out->sigs);
    if (out->sigs == NULL) {
        rc = ERR_NO_MEMORY(err, marks.count * sizeof *out->sigs);
        goto out;
    }
    for (uint32_t i = 0; list == NULL && i < marks.count; i++)
        marks.masks[i] = marks.sigs[i]->flags & SIG_OFF ? 0 : UINT64_MAX;
    rc = types_mark_list(&marks, list, err);
    for (uint32_t i = 0; i < marks.count && rc == ERR_OK; i++)
        if (out->types[i] != 0) {
            out->sigs[out->count] = marks.sigs[i];
            out->types[out->count++] = out->types[i];
        }
out:
    if (rc != ERR_OK)
        types_release(out);
    return rc;
}

void types_release(struct types_selection *selection)
{
    free(selection->sigs);
    free(selection->types);
    *selection = (struct types_selection){ 0 };
}

bool types_wanted(const struct types_selection *selection, const struct sig *sig,
                  const struct sig_type *type)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        if (selection->sigs[i] != sig)
            continue;
        if (type == NULL || selection->types[i] == UINT64_MAX)
            return selection->types[i] == UINT64_MAX || (selection->types[i] & 1) != 0;
        for (uint32_t k = 0; k < SIG_TYPES_MAX && sig->types[k].name != NULL; k++)
            if (strcmp(sig->types[k].name, type->name) == 0)
                return (selection->types[i] >> k & 1) != 0;
        return false;
    }
    return false;
}

static int types_order(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* The words of the list, and the names of all types that are marked. */
static void types_filter_fill(struct types_filter *out, const struct types_marks *marks)
{
    for (char *word = out->text; word != NULL;) {
        char *comma = strchr(word, ',');

        if (comma != NULL)
            *comma = '\0';
        out->all = out->all || types_all(word, strlen(word));
        out->words[out->word_count++] = word;
        out->names[out->name_count++] = word;
        word = comma != NULL ? comma + 1 : NULL;
    }
    for (uint32_t i = 0; i < marks->count; i++)
        for (uint32_t k = 0; k < SIG_TYPES_MAX && marks->sigs[i]->types[k].name != NULL; k++)
            if ((marks->masks[i] >> k & 1) != 0)
                out->names[out->name_count++] = marks->sigs[i]->types[k].name;
    qsort(out->words, out->word_count, sizeof *out->words, types_order);
    qsort(out->names, out->name_count, sizeof *out->names, types_order);
}

enum err_code types_filter_open(const char *list, struct db_case *db, struct types_filter *out,
                                struct err *err)
{
    struct types_marks marks = { 0 };
    enum err_code rc;

    *out = (struct types_filter){ 0 };
    if (list == NULL)
        return ERR_OK;
    rc = types_marks_open(&marks, db, true, err);
    if (rc == ERR_OK)
        rc = types_mark_list(&marks, list, err);
    if (rc == ERR_OK) {
        const size_t room = strlen(list) + 1; /* words are no more than that */
        const size_t all = room + (size_t)marks.count * SIG_TYPES_MAX;

        out->text = strdup(list);
        out->words = calloc(room, sizeof *out->words);
        out->names = calloc(all, sizeof *out->names);
        if (out->text == NULL || out->words == NULL || out->names == NULL)
            rc = ERR_NO_MEMORY(err, all * sizeof *out->names);
        else
            types_filter_fill(out, &marks);
    }
    free(marks.masks);
    if (rc != ERR_OK)
        types_filter_close(out);
    return rc;
}

void types_filter_close(struct types_filter *filter)
{
    free(filter->text);
    free(filter->names);
    free(filter->words);
    *filter = (struct types_filter){ 0 };
}

bool types_filter_has(const struct types_filter *filter, const char *type, const char *extension)
{
    return filter->word_count == 0 || filter->all ||
           bsearch(&type, filter->names, filter->name_count, sizeof *filter->names, types_order) !=
               NULL ||
           (extension[0] != '\0' && bsearch(&extension, filter->words, filter->word_count,
                                            sizeof *filter->words, types_order) != NULL);
}
