/* carver/select/selection.c - see selection.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/known_word.h"
#include "carver/cli/print_safe.h"
#include "carver/select/names.h"
#include "carver/select/selection.h"

enum { SELECTION_KNOWN = DB_KNOWN_BAD + 1 };

struct selection selection_all(void)
{
    return (struct selection){ .size_max = UINT64_MAX };
}

enum err_code selection_check(const struct selection *selection, struct err *err)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    const char *known[SELECTION_KNOWN];

    for (int i = 0; i < SELECTION_KNOWN; i++)
        known[i] = known_word((enum db_known)(SELECTION_KNOWN - 1 - i));
    enum err_code rc = types_check(selection->types, err);
    if (rc == ERR_OK)
        rc = names_check("--state", selection->states, states, sizeof states / sizeof states[0],
                         err);
    if (rc == ERR_OK)
        rc = names_check("--known", selection->known, known, SELECTION_KNOWN, err);
    if (rc == ERR_OK && selection->size_min > selection->size_max)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--min-size %" PRIu64 " is more than --max-size %" PRIu64
                       ": no object can be of such a size",
                       selection->size_min, selection->size_max);
    return rc;
}

enum err_code selection_open(struct selection *selection, struct db_case *db, struct err *err)
{
    return types_filter_open(selection->types, db, &selection->filter, err);
}

void selection_close(struct selection *selection)
{
    types_filter_close(&selection->filter);
}

void selection_restart(struct selection *selection)
{
    selection->objects = selection->of_types = selection->of_states = 0;
    selection->of_known = selection->of_size = 0;
}

bool selection_has(struct selection *selection, const struct db_object *object)
{
    const bool types = types_filter_has(&selection->filter, object->type, object->extension);
    const bool states = names_have(selection->states, object->state);
    const bool known = names_have(selection->known, known_word(object->known));
    const bool size = object->len >= selection->size_min && object->len <= selection->size_max;

    selection->objects++;
    selection->of_types += types;
    selection->of_states += states;
    selection->of_known += known;
    selection->of_size += size;
    return types && states && known && size;
}

static void selection_tell(const char *what, const char *words, uint64_t count)
{
    if (words == NULL)
        return;
    fprintf(stderr, ", %" PRIu64 " %s ", count, what);
    print_safe_message(stderr, words);
}

void selection_tell_none(const struct selection *selection, const char *command,
                         const char *case_path)
{
    fprintf(stderr, "burin: %s: no object matches: ", command);
    print_safe_message(stderr, case_path);
    fprintf(stderr, " has %" PRIu64 " object%s", selection->objects, plural_s(selection->objects));
    selection_tell("of type", selection->types, selection->of_types);
    selection_tell("of state", selection->states, selection->of_states);
    selection_tell("known as", selection->known, selection->of_known);
    if (selection->size_min > 0 || selection->size_max < UINT64_MAX)
        fprintf(stderr, ", %" PRIu64 " of the size asked for", selection->of_size);
    putc('\n', stderr);
}
