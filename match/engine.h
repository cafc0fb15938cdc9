/* SPDX-License-Identifier: Apache-2.0
 * match/engine.h - what an engine implements.
 *
 * Files of match/, their tests and `burin bench match` include it; callers use matcher.h.
 *
 * An engine is one folder and one line in match/engines.def. A CPU engine gives compile, release
 * and scan. scan is a pure search of one stretch of text; many threads call it at a time, each with
 * its own matcher and text. An engine with a device behind it gives compile, release and offload.
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

/* Where an engine writes its hits: an array of the caller's. */
struct match_sink {
    struct hit *items;   /* [max] */
    uint32_t count, max; /* hits written so far; hits that fit */
};

struct match_text {
    const uint8_t *bytes; /* carry bytes, then fresh bytes */
    uint32_t len;         /* bytes, carry and fresh together */
    uint64_t offset;      /* image offset of bytes[0] */
};

/* What is known of the scan when an engine compiles. */
struct match_setup {
    uint32_t threads;     /* number of threads that will scan, 1..LIMIT_THREADS */
    uint32_t segment_len; /* bytes of the largest segment; 0: not known */

    /* For engines with a device behind them; the fields without a comment are match_options's. */
    uint32_t slots;    /* segments in flight */
    uint32_t carry;    /* most bytes in front of a segment */
    uint32_t hits_max; /* hits that fit into a sink */
    enum match_strategy strategy;
    uint32_t device_mask;
    bool devices_later, devices_auto;
    uint32_t device_delay;
    const struct device_provider *devices; /* NULL: the CUDA runtime's */
};

/*
 * What an engine with a device behind it has instead of scan. The engine gets each segment as soon
 * as it has been filled, works on several segments at a time, and hands out the hits of a segment
 * when the matcher asks for them. When a device fails, the engine searches by other means.
 */
struct match_offload {
    /*
     * A program for another matcher, with slots of its own, on the same devices; to be given to
     * the engine's release. The first program is released last.
     */
    enum err_code (*share)(void *program, uint32_t slots, void **out, struct err *err);

    void (*expect)(void *program, uint64_t bytes); /* see match_expect */
    bool (*beside)(void *program);                 /* see match_beside */

    /*
     * The bytes of the slot will lie in memory. The engine may lock (pin) this memory until the
     * program is released.
     */
    enum err_code (*attach)(void *program, uint32_t slot, void *memory, size_t size,
                            struct err *err);

    /*
     * Begins to search for matches whose last byte lies in text [from, text->len). The bytes of
     * text stay unchanged until the slot's next start.
     */
    void (*start)(void *program, uint32_t slot, const struct match_text *text, uint32_t from);

    /* The caller waits for this slot, and might not start another one before it has the hits. */
    void (*hurry)(void *program, uint32_t slot);

    /*
     * As scan, for any part of the text that was started. Any thread may call it, and it may be
     * called again for the same part.
     */
    bool (*take)(void *program, uint32_t slot, const struct match_text *text, uint32_t from,
                 uint32_t to, struct match_sink *sink);

    /* True, with a line for people in text, for each device that was lost; once for each. */
    bool (*warning)(void *program, char *text, size_t size);

    /* Writes one line for people about the devices: times, strategies, why one was lost. */
    void (*describe)(void *program, char *text, size_t size);

    /* The engine that searches: this one, or the CPU's while devices_auto has started no device. */
    const char *(*name)(void *program);

    const struct match_lab *lab; /* for benchmarks and tests; see match/lab.h */
};

struct match_engine {
    const char *name;   /* --engine value */
    const char *what;   /* one line for people */
    const char *device; /* "CPU", "CUDA" */

    /* True: scan itself uses setup->threads threads (OpenMP), so one thread alone calls it. */
    bool threads_itself;

    /* NULL when the engine runs on this machine; else the reason why not, static text. */
    const char *(*missing)(void);

    /*
     * Candidates of `auto` alone, else NULL. good_for: for what dictionaries the engine is the
     * fastest, a few words for people. suits: whether `auto` may try it for this dictionary. An
     * engine that was chosen by name is not asked; its compile may refuse the dictionary.
     */
    const char *good_for;
    bool (*suits)(const struct match_dictionary *dictionary);

    /*
     * Compiles the literal patterns of the dictionary into a program that all threads share. Either
     * the program never changes, or it changes itself in a way that is safe while threads scan.
     * setup is never NULL.
     */
    enum err_code (*compile)(const struct match_dictionary *dictionary,
                             const struct match_setup *setup, void **program, struct err *err);
    void (*release)(void *program); /* NULL is a no-op */

    /*
     * About how many bytes of memory compile takes for the dictionary, what it frees again before
     * it returns counted in. NULL: nobody asks, since the engine is not for long lists.
     */
    uint64_t (*bytes)(const struct match_dictionary *dictionary);

    /*
     * Appends to sink every literal match whose last byte lies in text [from, to), in any order. It
     * may read the (length of the longest pattern - 1) bytes before from, as far as text has them.
     * Returns false, and leaves sink as it was, when the matches do not all fit: the caller then
     * asks again for a smaller stretch. The matches that end at one byte always fit: see
     * match/pattern/crowd.h.
     */
    bool (*scan)(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                 struct match_sink *sink);

    const struct match_offload *offload; /* NULL: a CPU engine. Otherwise scan is NULL */
};

/* Declares match_ac_engine and so on, one for each line of engines.def. */
#define ENGINE(id, role) extern const struct match_engine match_##id##_engine;
#include "match/engines.def"
#undef ENGINE

/* What an engine is taken for: the second word of its line in engines.def. */
enum match_role {
    MATCH_BY_NAME, /* it is taken by name alone: the oracle, and single forms of other engines */
    MATCH_PAPER,   /* the same; it reproduces a published paper */
    MATCH_DEVICES, /* it is taken when devices are named and no engine is; one line has it */

    /* From here on: candidates of `auto`. */
    MATCH_AUTO,
    MATCH_AUTO_FEW,  /* the first candidate for few patterns */
    MATCH_AUTO_MANY, /* the first candidate for many patterns */
    /* It takes any dictionary: it scans when no candidate can be compiled. One line has it */
    MATCH_AUTO_ANY,
};

/* A line of engines.def. */
struct match_listed {
    const struct match_engine *engine;
    enum match_role role;
};

/* The lines of engines.def: [*count]. */
const struct match_listed *match_engine_list(uint32_t *count);

/*
 * `auto`: compiles the candidates of engines.def that suit the dictionary, times them on pieces of
 * the text that is scanned, and goes on with the fastest. It is not in engines.def, because it only
 * runs engines that are.
 */
extern const struct match_engine match_auto_engine;
/* The candidate that it compiles first; NULL: none suits. */
const struct match_engine *match_auto_first(const struct match_dictionary *dictionary);
/* The name of the engine that scans now; program is one of match_auto_engine. */
const char *match_auto_name(const void *program);
/* Writes one line for people: that engine and the reason why it was chosen. */
void match_auto_why(const void *program, char *text, size_t size);

/*
 * Finds the engine of that name; NULL means "auto".
 * Errors: ERR_ARG when no engine has the name, ERR_ENV when the engine cannot run here.
 */
ERR_MUST_CHECK enum err_code match_engine_find(const char *name, const struct match_engine **out,
                                               struct err *err);

/*
 * Has the engine compile the dictionary, unless it has more patterns than the engine's tables are
 * made for: ERR_FULL then. Errors: those of engine->compile.
 */
ERR_MUST_CHECK enum err_code match_compile(const struct match_engine *engine,
                                           const struct match_dictionary *dictionary,
                                           const struct match_setup *setup, void **program,
                                           struct err *err);

/*
 * The engine of that name, even if it cannot run on this machine. NULL when no engine has the name.
 */
const struct match_engine *match_engine_named(const char *name);

#endif
