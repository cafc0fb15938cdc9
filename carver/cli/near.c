/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/near.c - see near.h. */
#include <stdio.h>
#include <string.h>

#include "carver/cli/near.h"

enum { NEAR_SHORT = 4 /* bytes of a word that has no room for two slips */ };

static char near_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool near_same(char a, char b)
{
    return near_lower(a) == near_lower(b);
}

static uint32_t near_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t near_distance(const char *word, size_t len, const char *name)
{
    const size_t name_len = strnlen(name, NEAR_WORD_MAX);
    /* Rows i - 2, i - 1 and i of the table of distances between beginnings of the two. */
    uint32_t rows[3][NEAR_WORD_MAX + 1];
    uint32_t *older = rows[0], *old = rows[1], *row = rows[2];

    for (uint32_t k = 0; k <= name_len; k++)
        old[k] = older[k] = k;
    for (size_t i = 1; i <= len; i++) {
        row[0] = (uint32_t)i;
        for (size_t k = 1; k <= name_len; k++) {
            row[k] = near_least(old[k], row[k - 1]) + 1;
            row[k] = near_least(row[k], old[k - 1] + !near_same(word[i - 1], name[k - 1]));
            if (i > 1 && k > 1 && near_same(word[i - 1], name[k - 2]) &&
                near_same(word[i - 2], name[k - 1]))
                row[k] = near_least(row[k], older[k - 2] + 1);
        }
        uint32_t *const free_row = older;
        older = old;
        old = row;
        row = free_row;
    }
    return old[name_len];
}

bool near_is(const char *word, size_t len, const char *name)
{
    return len > 0 && len <= NEAR_WORD_MAX && strnlen(name, NEAR_WORD_MAX + 1) <= NEAR_WORD_MAX &&
           near_distance(word, len, name) <= (len <= NEAR_SHORT ? 1 : 2);
}

/* Whether name is one of the names of the list. */
static bool near_listed(const char *list, const char *name)
{
    const size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

void near_add(char list[NEAR_LIST_MAX], const char *name)
{
    const size_t used = strlen(list);

    if (name[0] != '\0' && used + strlen(name) + 3 < NEAR_LIST_MAX && !near_listed(list, name))
        snprintf(list + used, NEAR_LIST_MAX - used, "%s%s", used == 0 ? "" : ", ", name);
}

const char *near_best(const char *word, size_t len, const char *const *names, size_t count)
{
    const char *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (near_is(word, len, names[i]) &&
            (best == NULL || near_distance(word, len, names[i]) < near_distance(word, len, best)))
            best = names[i];
    return best;
}
