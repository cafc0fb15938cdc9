/* SPDX-License-Identifier: Apache-2.0
 * carver/select/having.c - see having.h. */
#include <stdio.h>
#include <string.h>

#include "carver/cli/args.h"
#include "carver/cli/interrupt.h"
#include "carver/select/having.h"
#include "carver/select/names.h"
#include "signatures/fact.h"

enum { HAVING_WORD = 64, HAVING_GROUPS = 8 };

enum err_code having_date(const char *option, const char *text, int64_t *out, struct err *err)
{
    static const char *const rest[] = { [4] = "-01-01", [7] = "-01" };
    const size_t len = strlen(text);
    char whole[HAVING_WORD];
    bool zone;

    if (len < sizeof whole - 8) {
        snprintf(whole, sizeof whole, "%s%s", text,
                 len < sizeof rest / sizeof rest[0] && rest[len] != NULL ? rest[len] : "");
        if (sig_fact_date(whole, strlen(whole), out, &zone))
            return ERR_OK;
    }
    return ERR_RAISE(err, ERR_ARG,
                     "%s '%.64s': a date is YEAR, YEAR-MONTH or YEAR-MONTH-DAY, with "
                     "THOUR:MINUTE:SECOND, and Z or +HH:MM, behind it: 2024-05-31T12:00:00Z",
                     option, text);
}

/* What keys begin with before a point, and is no key itself: "gps". Each comes once. */
static size_t having_groups(const char **names, size_t count, char groups[][HAVING_WORD])
{
    size_t added = 0;

    for (enum sig_fact_key key = 0; key < SIG_FACT_KEYS; key++) {
        const char *word = sig_fact_word(key);
        const size_t len = strcspn(word, ".");
        bool known = word[len] == '\0' || added == HAVING_GROUPS;

        for (size_t i = 0; i < count + added && !known; i++)
            known = names_equal(word, len, names[i]);
        if (known)
            continue;
        snprintf(groups[added], HAVING_WORD, "%.*s", (int)len, word);
        names[count + added] = groups[added];
        added++;
    }
    return added;
}

enum err_code having_check(const char *list, struct err *err)
{
    const char *names[SIG_FACT_KEYS + HAVING_GROUPS];
    char groups[HAVING_GROUPS][HAVING_WORD];

    for (enum sig_fact_key key = 0; key < SIG_FACT_KEYS; key++)
        names[key] = sig_fact_word(key);
    return names_check("--has", list, names,
                       SIG_FACT_KEYS + having_groups(names, SIG_FACT_KEYS, groups), err);
}

static enum err_code having_add(void *arg, int64_t object_id, const struct db_fact *fact,
                                struct err *err)
{
    (void)fact;
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return ids_add(arg, object_id, err);
}

enum err_code having_open(const char *list, struct db_case *db, struct ids *out, struct err *err)
{
    char word[HAVING_WORD];
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && args_word(&list, word, sizeof word)) {
        for (char *c = word; *c != '\0'; c++)
            *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
        rc = db_facts_walk(db, strcmp(word, "all") == 0 ? NULL : word, having_add, out, err);
    }
    ids_settle(out);
    return rc;
}

struct having_dates {
    int64_t after, before;
    struct ids *out;
};

static enum err_code having_add_date(void *arg, int64_t object_id, const struct db_date *date,
                                     struct err *err)
{
    const struct having_dates *dates = arg;

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return date->unix_time >= dates->after && date->unix_time < dates->before
               ? ids_add(dates->out, object_id, err)
               : ERR_OK;
}

enum err_code having_dates(struct db_case *db, int64_t after, int64_t before, struct ids *out,
                           struct err *err)
{
    struct having_dates dates = { after, before, out };
    const enum err_code rc = db_dates_walk(db, having_add_date, &dates, err);

    ids_settle(out);
    return rc;
}
