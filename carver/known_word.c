/* carver/known_word.c - see known_word.h. */
#include <stdbool.h>
#include <string.h>

#include "carver/known_word.h"

const char *known_word(enum db_known known)
{
    static const char *const words[] = { "unchecked", "unknown", "known", "good", "bad" };

    return words[known];
}

enum err_code known_words_check(const char *option, const char *list, struct err *err)
{
    for (const char *word = list; word != NULL;) {
        const size_t len = strcspn(word, ",");
        bool found = false;

        for (int i = DB_KNOWN_UNCHECKED; i <= DB_KNOWN_BAD; i++)
            found = found || (strlen(known_word((enum db_known)i)) == len &&
                              strncmp(known_word((enum db_known)i), word, len) == 0);
        if (!found)
            return ERR_RAISE(err, ERR_ARG, "%s: no word '%.*s'; write good, bad, known, unknown or unchecked", option,
                             (int)len, word);
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return ERR_OK;
}
