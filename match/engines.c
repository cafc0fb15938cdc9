/* SPDX-License-Identifier: Apache-2.0
 * match/engines.c - the table of engines, read from engines.def. */
#include <string.h>

#include "match/engine.h"
#include "match/matcher.h"

static const struct match_listed engines[] = {
#define ENGINE(id, role) { &match_##id##_engine, MATCH_##role },
#include "match/engines.def"
#undef ENGINE
};

/* match_device_engine looks for one line. */
enum {
    ENGINES_FOR_DEVICES = 0
#define ENGINE(id, role) +(MATCH_##role == MATCH_DEVICES)
#include "match/engines.def"
#undef ENGINE
};
_Static_assert(ENGINES_FOR_DEVICES == 1, "one line of engines.def has DEVICES");

enum { ENGINES_COUNT = sizeof engines / sizeof engines[0] };

const struct match_listed *match_engine_list(uint32_t *count)
{
    *count = ENGINES_COUNT;
    return engines;
}

static const struct match_listed *engines_named(const char *name)
{
    for (uint32_t i = 0; i < ENGINES_COUNT; i++)
        if (name != NULL && strcmp(name, engines[i].engine->name) == 0)
            return &engines[i];
    return NULL;
}

uint32_t match_engine_count(void)
{
    return ENGINES_COUNT;
}

struct match_engine_info match_engine_get(uint32_t index)
{
    const struct match_engine *engine = engines[index].engine;

    return (struct match_engine_info){
        .name = engine->name,
        .what = engine->what,
        .device = engine->device,
        .missing = engine->missing(),
        .threads_itself = engines[index].engine->threads_itself,
        .is_paper = engines[index].role == MATCH_PAPER,
    };
}

bool match_engine_look(const char *name, struct match_engine_info *out)
{
    const struct match_listed *listed = engines_named(name);

    if (listed == NULL)
        return false;
    *out = (struct match_engine_info){
        .name = listed->engine->name,
        .what = listed->engine->what,
        .device = listed->engine->device,
        .missing =
            listed->engine->offload != NULL ? match_device_absent() : listed->engine->missing(),
        .threads_itself = listed->engine->threads_itself,
        .is_paper = listed->role == MATCH_PAPER,
    };
    return true;
}

const struct match_engine *match_engine_named(const char *name)
{
    const struct match_listed *listed = engines_named(name);

    return listed == NULL ? NULL : listed->engine;
}

enum err_code match_compile(const struct match_engine *engine,
                            const struct match_dictionary *dictionary,
                            const struct match_setup *setup, void **program, struct err *err)
{
    const struct match_listed *listed = engines_named(engine->name);
    const uint32_t count = match_dictionary_count(dictionary);

    *program = NULL;
    if (listed != NULL && listed->role == MATCH_PAPER && count > LIMIT_PAPER_PATTERNS)
        return ERR_RAISE(err, ERR_FULL,
                         "engine %s takes %d patterns at most, and these are %u; leave out "
                         "--engine, or give fewer",
                         engine->name, LIMIT_PAPER_PATTERNS, count);
    return engine->compile(dictionary, setup, program, err);
}

const char *match_device_engine(void)
{
    uint32_t i = 0;

    while (engines[i].role != MATCH_DEVICES)
        i++;
    return engines[i].engine->name;
}

/* "ac, naive" into names. */
static void engines_list(char *names, size_t size)
{
    size_t used = 0;

    names[0] = 0;
    for (uint32_t i = 0; i < ENGINES_COUNT; i++) {
        const size_t len = strlen(engines[i].engine->name);

        if (engines[i].engine->missing() != NULL || used + len + 3 > size)
            continue;
        if (used > 0) {
            memcpy(names + used, ", ", 2);
            used += 2;
        }
        memcpy(names + used, engines[i].engine->name, len + 1);
        used += len;
    }
}

enum err_code match_engine_find(const char *name, const struct match_engine **out, struct err *err)
{
    char names[512];

    if (name == NULL || strcmp(name, match_auto_engine.name) == 0) {
        *out = &match_auto_engine;
        return ERR_OK;
    }
    engines_list(names, sizeof names);
    for (uint32_t i = 0; i < ENGINES_COUNT; i++) {
        if (strcmp(name, engines[i].engine->name) != 0)
            continue;
        const char *missing = engines[i].engine->missing();
        if (missing != NULL)
            return ERR_RAISE(err, ERR_ENV, "engine %s cannot run here: %s; choose one of: %s", name,
                             missing, names);
        *out = engines[i].engine;
        return ERR_OK;
    }
    return ERR_RAISE(err, ERR_ARG, "there is no engine %s; choose one of: %s", name, names);
}
