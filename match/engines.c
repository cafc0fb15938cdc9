/* match/engines.c - the table of engines, read from engines.def. */
#include <string.h>

#include "match/engine.h"
#include "match/matcher.h"

static const struct match_engine *const engines[] = {
#define ENGINE(id) &match_##id##_engine,
#include "match/engines.def"
#undef ENGINE
};

enum { ENGINES_COUNT = sizeof engines / sizeof engines[0] };

uint32_t match_engine_count(void)
{
    return ENGINES_COUNT;
}

struct match_engine_info match_engine_get(uint32_t index)
{
    const struct match_engine *engine = engines[index];

    return (struct match_engine_info){
        .name = engine->name,
        .what = engine->what,
        .device = engine->device,
        .missing = engine->missing(),
    };
}

bool match_engine_look(const char *name, struct match_engine_info *out)
{
    const struct match_engine *engine = match_engine_named(name);

    if (engine == NULL)
        return false;
    *out = (struct match_engine_info){
        .name = engine->name,
        .what = engine->what,
        .device = engine->device,
        .missing = engine->offload != NULL ? match_device_absent() : engine->missing(),
    };
    return true;
}

const struct match_engine *match_engine_named(const char *name)
{
    for (uint32_t i = 0; i < ENGINES_COUNT; i++)
        if (name != NULL && strcmp(name, engines[i]->name) == 0)
            return engines[i];
    return NULL;
}

/* "ac, naive" into names. */
static void engines_list(char *names, size_t size)
{
    size_t used = 0;

    names[0] = 0;
    for (uint32_t i = 0; i < ENGINES_COUNT; i++) {
        const size_t len = strlen(engines[i]->name);

        if (engines[i]->missing() != NULL || used + len + 3 > size)
            continue;
        if (used > 0) {
            memcpy(names + used, ", ", 2);
            used += 2;
        }
        memcpy(names + used, engines[i]->name, len + 1);
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
        if (strcmp(name, engines[i]->name) != 0)
            continue;
        const char *missing = engines[i]->missing();
        if (missing != NULL)
            return ERR_RAISE(err, ERR_ENV, "engine %s cannot run here: %s; choose one of: %s", name,
                             missing, names);
        *out = engines[i];
        return ERR_OK;
    }
    return ERR_RAISE(err, ERR_ARG, "there is no engine %s; choose one of: %s", name, names);
}
