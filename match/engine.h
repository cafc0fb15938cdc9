/*
 * match/engine.h - what an engine implements. Files of match/, their tests and `burin bench match` include it; callers
 * use matcher.h.
 *
 * An engine is one file and one line in match/engines.def. A CPU engine gives compile, release and scan: a pure search of
 * one stretch of text, run by the thread pool of matcher.c, one call per lane and thread. An engine with a device behind it
 * gives compile, release and offload.
 */
#ifndef BURIN_MATCH_ENGINE_H
#define BURIN_MATCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "match/dictionary.h"
#include "match/matcher.h"

struct match_lab;

/* Where an engine puts what it finds. */
struct match_sink {
    struct hit *items;
    uint32_t count, max;
};

struct match_text {
    const uint8_t *bytes; /* carry bytes, then fresh bytes */
    uint32_t len;         /* bytes in all */
    uint64_t offset;      /* image offset of bytes[0] */
};

/* What is known of the scan when an engine compiles. */
struct match_setup {
    uint32_t threads;     /* that will scan, 1..LIMIT_THREADS */
    uint32_t segment_len; /* bytes of the largest segment; 0: not known */

    /* For engines with a device behind them. */
    uint32_t lanes;    /* segments in flight */
    uint32_t carry;    /* bytes in front of a segment, at most */
    uint32_t hits_max; /* room of a sink */
    enum match_strategy strategy;
    uint32_t device_mask;
    bool devices_later;
    uint32_t patience;
    uint64_t bytes;                        /* that will be searched; 0: not known */
    const struct device_provider *devices; /* NULL: the CUDA runtime's */
};

/*
 * What an engine with a device behind it has instead of scan. It is told of a segment as soon as there is one, works on it beside
 * others, and is asked for the hits later. A device that fails is the engine's business: it searches otherwise.
 */
struct match_offload {
    /* The lane's bytes will stand in memory, which is the engine's to lock in place until it is released. */
    enum err_code (*attach)(void *program, uint32_t lane, void *memory, size_t size, struct err *err);

    /* Search for matches whose last byte lies in text [from, text->len). The bytes stay until the lane's next start. */
    void (*start)(void *program, uint32_t lane, const struct match_text *text, uint32_t from);

    /* Somebody waits for the lane; no further one may come before. */
    void (*hurry)(void *program, uint32_t lane);

    /* As scan: any part of what was started, by any thread, and again if need be. */
    bool (*take)(void *program, uint32_t lane, const struct match_text *text, uint32_t from, uint32_t to,
                 struct match_sink *sink);

    /* True with a line for people when something has gone wrong that has not been told yet: a device is lost. */
    bool (*news)(void *program, char *text, size_t size);

    /* A line for people on how the devices fared: times, strategies, why they were lost. */
    void (*say)(void *program, char *text, size_t size);

    const struct match_lab *lab; /* for benchmarks and tests; see match/lab.h */
};

struct match_engine {
    const char *name;   /* --engine value */
    const char *what;   /* one line for people */
    const char *device; /* "CPU" */

    /* Spreads one scan over setup->threads by itself (OpenMP): its pool then has one worker. */
    bool threads_itself;

    /* NULL when the engine runs on this machine, else why not. */
    const char *(*missing)(void);

    /* Whether `auto` should take the engine for this dictionary; NULL: for any. Called by name, it is compile that may refuse. */
    bool (*suits)(const struct match_dictionary *dictionary);

    /*
     * Literal patterns of the dictionary into a program that threads share: immutable, or what it adds while they scan is theirs at once
     * and whole. setup is never NULL.
     */
    enum err_code (*compile)(const struct match_dictionary *dictionary, const struct match_setup *setup, void **program,
                             struct err *err);
    void (*release)(void *program); /* NULL is a no-op */

    /*
     * Appends to sink every literal match whose last byte lies in text [from, to), in any order. Bytes before from may be
     * read: the longest pattern - 1 of them where text has that many. Returns false, with sink as it was, when there is no
     * room for all of them: the caller then asks again for a smaller stretch. One byte always fits: sink->max is at least
     * the number of patterns.
     */
    bool (*scan)(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                 struct match_sink *sink);

    const struct match_offload *offload; /* NULL: a CPU engine; else there is no scan */
};

/* match_ac_engine and so on, one for each line of engines.def. */
#define ENGINE(id) extern const struct match_engine match_##id##_engine;
#include "match/engines.def"
#undef ENGINE

/*
 * `auto`: compiles the engines that may be the fastest for the dictionary, times them on slices of what is scanned, and goes on with the
 * one that is. It is not in engines.def, for it is none of its own.
 */
extern const struct match_engine match_auto_engine;
const char *match_choose_name(const void *program); /* of a program of match_auto_engine: the engine that scans now */
void match_choose_why(const void *program, char *text, size_t size); /* the same and the reason, for people */

/* The engine of that name; NULL is "auto". ERR_ARG when there is none of that name, ERR_ENV when it cannot run here. */
ERR_MUST_CHECK enum err_code match_engine_find(const char *name, const struct match_engine **out, struct err *err);

/* The engine of that name, whether or not it has what it needs here; NULL when there is none. */
const struct match_engine *match_engine_named(const char *name);

#endif
