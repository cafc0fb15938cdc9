/* SPDX-License-Identifier: Apache-2.0
 * carver/select/names.c - see words.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "carver/cli/near.h"
#include "carver/select/names.h"

static const char names_all[] = "all";

bool names_equal(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp(word, name, len) == 0;
}

static enum err_code names_wrong(const char *option, const char *word, size_t len,
                                 const char *const *names, size_t count, struct err *err)
{
    const char *near = near_best(word, len, names, count);
    char allowed[NEAR_LIST_MAX] = "";

    for (size_t i = 0; i < count; i++)
        near_add(allowed, names[i]);
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG,
                         "%s: unknown word '%.*s'; did you mean '%s'? allowed are %s and all",
                         option, (int)len, word, near, allowed);
    return ERR_RAISE(err, ERR_ARG, "%s: unknown word '%.*s'; allowed are %s and all", option,
                     (int)len, word, allowed);
}

enum err_code names_check(const char *option, const char *list, const char *const *names,
                          size_t count, struct err *err)
{
    for (const char *word = list; word != NULL;) {
        const size_t len = strcspn(word, ",");
        bool found = names_equal(word, len, names_all);

        for (size_t i = 0; i < count && !found; i++)
            found = names_equal(word, len, names[i]);
        if (!found)
            return names_wrong(option, word, len, names, count, err);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return ERR_OK;
}

bool names_have(const char *list, const char *name)
{
    bool found = list == NULL;

    for (const char *word = list; word != NULL && !found;) {
        const size_t len = strcspn(word, ",");

        found = names_equal(word, len, names_all) || names_equal(word, len, name);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return found;
}
