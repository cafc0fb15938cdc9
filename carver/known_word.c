/* carver/known_word.c - see known_word.h. */
#include "carver/known_word.h"
#include "carver/args.h"

static const char *const known_words[] = { "unchecked", "unknown", "known", "good", "bad" }; /* by enum db_known */

const char *known_word(enum db_known known)
{
    return known_words[known];
}

enum err_code known_words_check(const char *option, const char *list, struct err *err)
{
    size_t len;
    const char *word = args_list_stranger(list, known_words, sizeof known_words / sizeof known_words[0], &len);

    return word == NULL ? ERR_OK
                        : ERR_RAISE(err, ERR_ARG, "%s: no word '%.*s'; write good, bad, known, unknown or unchecked",
                                    option, (int)len, word);
}
