/* SPDX-License-Identifier: Apache-2.0
 * carver/report/facts.c - see facts.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "carver/report/facts.h"

enum { FACTS_TEXT_MAX = 1 << 20 };
/* From the year 1 to the year 9999. */
static const int64_t FACTS_FIRST = -62135596800, FACTS_LAST = 253402300799;

enum err_code facts_open(struct facts *facts, struct db_case *db, struct err *err)
{
    facts->count = 0;
    arena_init(&facts->text, FACTS_TEXT_MAX);
    return db_facts_follow_open(db, &facts->follow, err);
}

void facts_close(struct facts *facts)
{
    arena_release(&facts->text);
    db_facts_follow_close(facts->follow);
}

static enum err_code facts_take(void *arg, int64_t object_id, const struct db_fact *fact,
                                struct err *err)
{
    struct facts *facts = arg;

    (void)object_id;
    if (facts->count == FACTS_MAX)
        return ERR_OK;
    struct db_fact *to = &facts->items[facts->count];
    *to = *fact;
    to->key = arena_copy(&facts->text, fact->key, strlen(fact->key));
    to->value = arena_copy(&facts->text, fact->value, strlen(fact->value));
    if (to->key == NULL || to->value == NULL)
        return ERR_NO_MEMORY(err, strlen(fact->value));
    facts->count++;
    return ERR_OK;
}

enum err_code facts_read(struct facts *facts, int64_t object_id, uint64_t len, struct err *err)
{
    facts->count = 0;
    arena_clear(&facts->text);
    return db_facts_follow(facts->follow, object_id, len, facts_take, facts, err);
}

const struct db_fact *facts_find(const struct facts *facts, const char *key)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(facts->items[i].key, key) == 0)
            return &facts->items[i];
    return NULL;
}

const struct db_fact *facts_date(const struct facts *facts, const char *key)
{
    const struct db_fact *fact = facts_find(facts, key);
    char local[64];

    if (fact == NULL || !facts_is_date(fact)) {
        snprintf(local, sizeof local, "%s.local", key);
        fact = facts_find(facts, local);
    }
    return fact != NULL && facts_is_date(fact) ? fact : NULL;
}

const struct db_fact *facts_own_date(const struct facts *facts)
{
    static const char *const keys[] = { "taken", "modified", "created" };
    const struct db_fact *fact = NULL;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && fact == NULL; i++)
        fact = facts_date(facts, keys[i]);
    return fact;
}

bool facts_is_local(const struct db_fact *fact)
{
    const char *dot = strrchr(fact->key, '.');

    return dot != NULL && strcmp(dot, ".local") == 0;
}

bool facts_is_date(const struct db_fact *fact)
{
    static const char *const keys[] = { "taken", "created", "modified", "printed", "gps.time" };
    const size_t len = strlen(fact->key) - (facts_is_local(fact) ? strlen(".local") : 0);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strlen(keys[i]) == len && memcmp(keys[i], fact->key, len) == 0)
            return fact->has_number && fact->number >= FACTS_FIRST && fact->number <= FACTS_LAST;
    return false;
}

void facts_time(const struct db_fact *fact, char out[FACTS_TIME_MAX])
{
    const time_t time = fact->number;
    struct tm tm = { 0 };

    (void)gmtime_r(&time, &tm);
    snprintf(out, FACTS_TIME_MAX, "%04d-%02d-%02dT%02d:%02d:%02d%s", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
             facts_is_local(fact) ? "" : "Z");
}
