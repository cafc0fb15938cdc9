/* carver/types.c - see types.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "carver/near.h"
#include "carver/types.h"
#include "signatures/list.h"

_Static_assert(SIG_TYPES_MAX <= 64, "a bit for each type of a signature");

static bool types_is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp(word, name, len) == 0;
}

/* Marks in masks, a word for each built-in signature, what one name asks for. False: nothing has that name. */
static bool types_mark(const struct sig *const *all, uint32_t count, const char *word, size_t len, uint64_t *masks)
{
    bool known = false;

    for (uint32_t i = 0; i < count; i++) {
        if (types_is(word, len, "all") || types_is(word, len, all[i]->name) ||
            types_is(word, len, sig_builtin_family(i))) {
            masks[i] = UINT64_MAX;
            known = true;
            continue;
        }
        for (uint32_t k = 0; k < SIG_TYPES_MAX && all[i]->types[k].name != NULL; k++) {
            const struct sig_type *type = &all[i]->types[k];

            if (types_is(word, len, type->name) ||
                (type->extension[0] != '\0' && types_is(word, len, type->extension))) {
                masks[i] |= UINT64_C(1) << k;
                known = true;
            }
        }
    }
    return known;
}

static enum err_code types_unknown(const struct sig *const *all, uint32_t count, const char *word, size_t len,
                                   struct err *err)
{
    char near[NEAR_LIST_MAX] = "";

    for (uint32_t i = 0; i < count; i++) {
        if (near_is(word, len, all[i]->name))
            near_add(near, all[i]->name);
        for (uint32_t k = 0; k < SIG_TYPES_MAX && all[i]->types[k].name != NULL; k++)
            if (near_is(word, len, all[i]->types[k].name))
                near_add(near, all[i]->types[k].name);
    }
    if (near[0] != '\0')
        return ERR_RAISE(err, ERR_ARG, "--types: no type '%.*s'; near it: %s ('burin info --types' lists all)",
                         (int)len, word, near);
    return ERR_RAISE(err, ERR_ARG, "--types: no type '%.*s'; 'burin info --types' lists all", (int)len, word);
}

enum err_code types_select(const char *list, struct types_selection *out, struct err *err)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);
    enum err_code rc = ERR_OK;

    *out = (struct types_selection){ 0 };
    out->sigs = calloc(count + 1, sizeof *out->sigs);
    out->types = calloc(count + 1, sizeof *out->types);
    if (out->sigs == NULL || out->types == NULL) {
        rc = ERR_NO_MEMORY(err, count * sizeof *out->sigs);
        goto out;
    }
    for (uint32_t i = 0; list == NULL && i < count; i++)
        out->types[i] = all[i]->flags & SIG_OFF ? 0 : UINT64_MAX;
    for (const char *word = list; word != NULL && rc == ERR_OK;) {
        const size_t len = strcspn(word, ",");

        if (len == 0)
            rc = ERR_RAISE(err, ERR_ARG, "--types '%s': a name is missing; write names with commas between, or \"all\"",
                           list);
        else if (!types_mark(all, count, word, len, out->types))
            rc = types_unknown(all, count, word, len, err);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    for (uint32_t i = 0; i < count && rc == ERR_OK; i++)
        if (out->types[i] != 0) {
            out->sigs[out->count] = all[i];
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

bool types_wanted(const struct types_selection *selection, const struct sig *sig, const struct sig_type *type)
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
