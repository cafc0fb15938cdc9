/* SPDX-License-Identifier: Apache-2.0
 * carver/select/selection.c - see selection.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/known_word.h"
#include "carver/cli/args.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/select/having.h"
#include "carver/select/names.h"
#include "carver/select/selection.h"
#include "signatures/category.h"

enum { SELECTION_KNOWN_WORDS = DB_KNOWN_BAD + 1 };

static const char selection_unknown[] = "unknown"; /* no file system says anything of the place */

struct selection selection_all(void)
{
    return (struct selection){
        .size_max = UINT64_MAX,
        .range_len = UINT64_MAX,
        .after = INT64_MIN,
        .before = INT64_MAX,
        .limit = UINT64_MAX,
        .all = true,
    };
}

bool selection_is(int id)
{
    return id == SELECTION_TYPES || (id >= SELECTION_CATEGORY && id <= SELECTION_LIMIT);
}

static enum err_code selection_take_partition(struct selection *selection, const char *value,
                                              struct err *err)
{
    uint64_t number = 0;

    if (selection->partition_count == SELECTION_PARTITIONS_MAX)
        return ERR_RAISE(err, ERR_ARG, "--partition: at most %d", SELECTION_PARTITIONS_MAX);
    const enum err_code rc = args_count("--partition", value, 1, UINT32_MAX, &number, err);
    selection->partitions[selection->partition_count++] = (uint32_t)number;
    return rc;
}

static enum err_code selection_take_sort(struct selection *selection, const char *value,
                                         struct err *err)
{
    static const char *const words[] = { "offset", "size", "type" };
    const uint32_t count = sizeof words / sizeof words[0];
    uint32_t at = 0;

    while (at < count && strcmp(value, words[at]) != 0)
        at++;
    selection->sort_word = value;
    selection->sort = (enum selection_sort)at;
    return at < count ? ERR_OK
                      : ERR_RAISE(err, ERR_ARG, "--sort '%s': by offset, size or type", value);
}

enum err_code selection_take(struct selection *selection, int id, const char *value,
                             struct err *err)
{
    selection->all = selection->all && (id == SELECTION_SORT || id == SELECTION_LIMIT);
    switch (id) {
    case SELECTION_TYPES:
        selection->types = value;
        break;
    case SELECTION_CATEGORY:
        selection->categories = value;
        break;
    case SELECTION_STATE:
        selection->states = value;
        break;
    case SELECTION_KNOWN:
        selection->known = value;
        break;
    case SELECTION_MIN:
        return args_size("--min-size", value, 0, UINT64_MAX, &selection->size_min, err);
    case SELECTION_MAX:
        return args_size("--max-size", value, 1, UINT64_MAX, &selection->size_max, err);
    case SELECTION_RANGE:
        return args_range("--range", value, &selection->range_start, &selection->range_len, err);
    case SELECTION_PARTITION:
        return selection_take_partition(selection, value, err);
    case SELECTION_PLACE:
        selection->places = value;
        break;
    case SELECTION_WHERE:
        selection->where = value;
        break;
    case SELECTION_HAS:
        selection->has = value;
        break;
    case SELECTION_AFTER:
        return having_date("--after", selection->after_word = value, &selection->after, err);
    case SELECTION_BEFORE:
        return having_date("--before", selection->before_word = value, &selection->before, err);
    case SELECTION_IDS:
        selection->ids_file = value;
        break;
    case SELECTION_SORT:
        return selection_take_sort(selection, value, err);
    case SELECTION_LIMIT:
        return args_count("--limit", value, 1, UINT64_MAX - 1, &selection->limit, err);
    default:
        break;
    }
    return ERR_OK;
}

static enum err_code selection_check_words(const struct selection *selection, struct err *err)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    static const char *const places[] = { "file",          "deleted",        "slack",
                                          "unallocated",   "allocated",      "metadata",
                                          "unpartitioned", selection_unknown };
    const char *known[SELECTION_KNOWN_WORDS], *categories[SIG_CATEGORY_COUNT];

    for (int i = 0; i < SELECTION_KNOWN_WORDS; i++)
        known[i] = known_word((enum db_known)(SELECTION_KNOWN_WORDS - 1 - i));
    for (int i = 0; i < SIG_CATEGORY_COUNT; i++)
        categories[i] = sig_category_name((enum sig_category)i);
    enum err_code rc = types_check(selection->types, err);
    if (rc == ERR_OK)
        rc = names_check("--category", selection->categories, categories, SIG_CATEGORY_COUNT, err);
    if (rc == ERR_OK)
        rc = names_check("--state", selection->states, states, sizeof states / sizeof states[0],
                         err);
    if (rc == ERR_OK)
        rc = names_check("--known", selection->known, known, SELECTION_KNOWN_WORDS, err);
    if (rc == ERR_OK)
        rc = names_check("--place", selection->places, places, sizeof places / sizeof places[0],
                         err);
    if (rc == ERR_OK)
        rc = having_check(selection->has, err);
    return rc;
}

enum err_code selection_check(const struct selection *selection, struct err *err)
{
    enum err_code rc = selection_check_words(selection, err);

    if (rc == ERR_OK && selection->size_min > selection->size_max)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--min-size %" PRIu64 " is more than --max-size %" PRIu64
                       ": no object can be of such a size",
                       selection->size_min, selection->size_max);
    if (rc == ERR_OK && selection->after >= selection->before)
        rc = ERR_RAISE(err, ERR_ARG, "--after %s is not before --before %s: no date can be so",
                       selection->after_word, selection->before_word);
    if (rc == ERR_OK && selection->partition_count > 0 && selection->places != NULL &&
        (strcmp(selection->places, "unpartitioned") == 0 ||
         strcmp(selection->places, selection_unknown) == 0))
        rc = ERR_RAISE(err, ERR_ARG, "--place %s is in no partition: leave out --partition",
                       selection->places);
    return rc;
}

enum err_code selection_read(struct selection *selection, struct err *err)
{
    return selection->ids_file != NULL ? ids_read(&selection->ids, selection->ids_file, err)
                                       : ERR_OK;
}

static bool selection_in_partition(const struct selection *selection, uint32_t slot)
{
    bool in = selection->partition_count == 0;

    for (uint32_t i = 0; i < selection->partition_count && !in; i++)
        in = selection->partitions[i] == slot;
    return in;
}

/*
 * Where objects are wanted of whose places nothing is known, those are noted that are not wanted:
 * the others cannot be seen.
 */
static enum err_code selection_add_place(void *arg, const struct db_found_in *place,
                                         struct err *err)
{
    struct selection *selection = arg;
    const bool wanted = names_have(selection->places, place->kind) &&
                        selection_in_partition(selection, place->slot);

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return wanted != selection->placed_unknown ? ids_add(&selection->placed, place->object_id, err)
                                               : ERR_OK;
}

static bool selection_asks_places(const struct selection *selection)
{
    return selection->places != NULL || selection->partition_count > 0;
}

static bool selection_asks_dates(const struct selection *selection)
{
    return selection->after_word != NULL || selection->before_word != NULL;
}

static enum err_code selection_add_found(void *arg, int64_t id, struct err *err)
{
    return ids_add(arg, id, err);
}

static bool selection_stop(void *arg)
{
    (void)arg;
    return interrupt_requested();
}

enum err_code selection_open(struct selection *selection, struct db_case *db, struct err *err)
{
    enum err_code rc = types_filter_open(selection->types, db, &selection->filter, err);

    if (rc == ERR_OK && selection_asks_places(selection)) {
        selection->placed_unknown =
            selection->partition_count == 0 && names_have(selection->places, selection_unknown);
        rc = db_found_in_walk(db, selection_add_place, selection, err);
        ids_settle(&selection->placed);
    }
    if (rc == ERR_OK && selection->where != NULL) {
        rc = db_where(db, selection->where, selection_stop, NULL, selection_add_found,
                      &selection->found, err);
        ids_settle(&selection->found);
    }
    if (rc == ERR_OK && selection->has != NULL)
        rc = having_open(selection->has, db, &selection->having, err);
    if (rc == ERR_OK && selection_asks_dates(selection))
        rc = having_dates(db, selection->after, selection->before, &selection->dated, err);
    return rc;
}

void selection_close(struct selection *selection)
{
    types_filter_close(&selection->filter);
    ids_close(&selection->ids);
    ids_close(&selection->placed);
    ids_close(&selection->found);
    ids_close(&selection->having);
    ids_close(&selection->dated);
}

void selection_restart(struct selection *selection)
{
    selection->counts = (struct selection_counts){ 0 };
}

static bool selection_in_range(const struct selection *selection, uint64_t offset)
{
    return offset >= selection->range_start &&
           offset - selection->range_start < selection->range_len;
}

bool selection_has(struct selection *selection, const struct db_object *object)
{
    struct selection_counts *counts = &selection->counts;

    counts->objects++;
    if (selection->all)
        return true;
    const bool types = types_filter_has(&selection->filter, object->type, object->extension);
    const bool categories =
        selection->categories == NULL ||
        names_have(selection->categories, sig_category_name(sig_category_of(object->type)));
    const bool states = names_have(selection->states, object->state);
    const bool known = names_have(selection->known, known_word(object->known));
    const bool size = object->len >= selection->size_min && object->len <= selection->size_max;
    const bool range = selection_in_range(selection, object->offset);
    const bool places = !selection_asks_places(selection) ||
                        ids_has(&selection->placed, object->id) != selection->placed_unknown;
    const bool where = selection->where == NULL || ids_has(&selection->found, object->id);
    const bool has = selection->has == NULL || ids_has(&selection->having, object->id);
    const bool dates = !selection_asks_dates(selection) || ids_has(&selection->dated, object->id);
    const bool ids = selection->ids_file == NULL || ids_has(&selection->ids, object->id);

    counts->types += types;
    counts->categories += categories;
    counts->states += states;
    counts->known += known;
    counts->size += size;
    counts->range += range;
    counts->places += places;
    counts->where += where;
    counts->has += has;
    counts->dates += dates;
    counts->ids += ids;
    return types && categories && states && known && size && range && places && where && has &&
           dates && ids;
}

void selection_json(const struct selection *selection, struct json *json)
{
    json_string(json, "types", selection->types);
    json_string(json, "category", selection->categories);
    json_string(json, "state", selection->states);
    json_string(json, "known", selection->known);
    json_uint(json, "min_size", selection->size_min);
    json_uint(json, "max_size", selection->size_max);
    json_uint(json, "range_start", selection->range_start);
    json_uint(json, "range_length", selection->range_len);
    json_open_array(json, "partitions");
    for (uint32_t i = 0; i < selection->partition_count; i++)
        json_uint(json, NULL, selection->partitions[i]);
    json_close_array(json);
    json_string(json, "place", selection->places);
    json_string(json, "where", selection->where);
    json_string(json, "has", selection->has);
    json_string(json, "after", selection->after_word);
    json_string(json, "before", selection->before_word);
    json_string(json, "ids", selection->ids_file);
    json_string(json, "sort", selection->sort_word);
    if (selection->limit != UINT64_MAX)
        json_uint(json, "limit", selection->limit);
    else
        json_null(json, "limit");
}

static void selection_tell(const char *what, const char *words, uint64_t count)
{
    if (words == NULL)
        return;
    fprintf(stderr, ", %" PRIu64 " %s", count, what);
    if (words[0] != '\0')
        putc(' ', stderr);
    print_safe_message(stderr, words);
}

void selection_tell_none(const struct selection *selection, const char *command,
                         const char *case_path)
{
    const struct selection_counts *counts = &selection->counts;
    const bool size = selection->size_min > 0 || selection->size_max < UINT64_MAX;
    const bool range = selection->range_start > 0 || selection->range_len < UINT64_MAX;
    const bool partition = selection->partition_count > 0;

    fprintf(stderr, "burin: %s: no object matches: ", command);
    print_safe_message(stderr, case_path);
    fprintf(stderr, " has %" PRIu64 " object%s", counts->objects, plural_s(counts->objects));
    selection_tell("of type", selection->types, counts->types);
    selection_tell("of category", selection->categories, counts->categories);
    selection_tell("of state", selection->states, counts->states);
    selection_tell("known as", selection->known, counts->known);
    selection_tell("of the size asked for", size ? "" : NULL, counts->size);
    selection_tell("in the range asked for", range ? "" : NULL, counts->range);
    if (partition)
        selection_tell(selection->places != NULL ? "in such a partition, and a place of"
                                                 : "in such a partition",
                       selection->places != NULL ? selection->places : "", counts->places);
    else
        selection_tell("in a place of", selection->places, counts->places);
    selection_tell("for which --where is true", selection->where != NULL ? "" : NULL,
                   counts->where);
    selection_tell("that have", selection->has, counts->has);
    selection_tell("of such a date", selection_asks_dates(selection) ? "" : NULL, counts->dates);
    selection_tell("with a number of", selection->ids_file, counts->ids);
    putc('\n', stderr);
}
