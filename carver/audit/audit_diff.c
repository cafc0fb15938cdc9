/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_diff.c - `burin audit --diff OLD NEW`: see audit_run.h. */
#include <inttypes.h>

#include "carver/audit/audit_run.h"
#include "carver/audit/compare.h"
#include "carver/case/confine.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"

/* A thing that is otherwise: a line, or an object of JSON. */
static void diff_print(const struct compare *compare, const struct diff_item *item,
                       struct json *json)
{
    const char *image = compare->images[item->image].path, *type = compare->types[item->type];
    const bool has_before = item->change == DIFF_MOVED;

    if (json != NULL) {
        json_open_object(json, NULL);
        json_string(json, "change", diff_word(item->change));
        json_string(json, "type", type);
        json_string(json, "image", image);
        json_uint(json, "offset", item->offset);
        json_uint(json, "length", item->len);
        json_int(json, "id", item->id);
        if (has_before)
            json_uint(json, "before", item->before);
        json_close_object(json);
        return;
    }
    printf("%s\t", diff_word(item->change));
    print_safe(stdout, type);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t", item->offset, item->len);
    if (has_before)
        printf("%" PRIu64, item->before);
    else
        putchar('-');
    putchar('\t');
    print_safe(stdout, image);
    putchar('\n');
}

static void diff_print_all(const struct compare *compare, struct json *json)
{
    for (size_t i = 0; i < compare->sides[0].count; i++) {
        const struct diff_item *item = &compare->sides[0].items[i];

        if (item->change == DIFF_GONE || item->change == DIFF_UNKNOWN)
            diff_print(compare, item, json);
    }
    for (size_t i = 0; i < compare->sides[1].count; i++)
        if (compare->sides[1].items[i].change != DIFF_SAME)
            diff_print(compare, &compare->sides[1].items[i], json);
}

static enum err_code diff_open(const struct audit_options *options, struct db_case *cases[2],
                               struct err *err)
{
    struct confine confine = { 0 };

    confine_open(&confine, options->no_jail, CONFINE_ALL);
    confine_case(&confine, options->old);
    confine_case(&confine, options->now);
    enum err_code rc = confine_enter(&confine, err);
    if (rc == ERR_OK)
        rc = db_case_open(options->old, DB_READ, &cases[0], err);
    return rc == ERR_OK ? db_case_open(options->now, DB_READ, &cases[1], err) : rc;
}

enum err_code audit_diff(const struct audit_options *options, enum exit_status *status,
                         struct err *err)
{
    struct db_case *cases[2] = { NULL, NULL };
    struct compare compare = { 0 };
    uint64_t counts[DIFF_CHANGES];
    struct json json;
    enum err_code rc = diff_open(options, cases, err);

    if (rc == ERR_OK)
        rc = compare_open(cases[0], cases[1], &compare, err);
    if (rc == ERR_OK)
        rc = compare_objects(&compare, err);
    if (rc == ERR_OK) {
        json_init(&json, stdout, 1);
        if (options->json)
            json_open_array(&json, NULL);
        diff_print_all(&compare, options->json ? &json : NULL);
        if (options->json) {
            json_close_array(&json);
            json_end(&json);
        }
        diff_count(&compare.sides[0], &compare.sides[1], counts);
        if (counts[DIFF_NEW] + counts[DIFF_MOVED] + counts[DIFF_CHANGED] + counts[DIFF_GONE] > 0)
            *status = EXIT_CHANGES;
        if (!options->quiet && !options->json)
            print_safe_line(stderr,
                            "%" PRIu64 " new, %" PRIu64 " moved, %" PRIu64 " changed, %" PRIu64
                            " same, %" PRIu64 " gone, %" PRIu64 " unknown",
                            counts[DIFF_NEW], counts[DIFF_MOVED], counts[DIFF_CHANGED],
                            counts[DIFF_SAME], counts[DIFF_GONE], counts[DIFF_UNKNOWN]);
    }
    compare_close(&compare);
    db_case_close(cases[0]);
    db_case_close(cases[1]);
    return rc;
}
