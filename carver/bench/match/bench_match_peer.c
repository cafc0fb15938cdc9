/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_peer.c - Hyperscan and its port Vectorscan as a peer: opened at
 * run time where installed, needed nowhere.
 *
 * The few functions and constants of their C interface (version 5) that it takes are declared here.
 * Literals go to hs_compile_lit_multi; where there are masks, or the library refuses literals
 * (versions from 5.4.1 on refuse those that begin with NUL), all go as expressions of \xNN to
 * hs_compile_multi, which compiles them into the same matchers.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/match/bench_match.h"

enum {
    PEER_CASELESS = 1,
    PEER_DOTALL = 2,
    PEER_MODE_BLOCK = 1,
    PEER_STEP = 1 << 30,  /* bytes of one call: its length is an int */
    PEER_BYTE_MAX = 1030, /* "[" 256 x "\xNN" "]" */
};

static const unsigned long long peer_feature_avx2 = 1u << 2;

struct peer_database;
struct peer_scratch;
struct peer_error {
    char *message;
    int expression;
};
struct peer_platform {
    unsigned tune;
    unsigned long long features, reserved1, reserved2;
};
typedef int peer_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                       void *context);

struct peer_calls {
    int (*compile_lit_multi)(const char *const *, const unsigned *, const unsigned *,
                             const size_t *, unsigned, unsigned, const struct peer_platform *,
                             struct peer_database **, struct peer_error **);
    int (*compile_multi)(const char *const *, const unsigned *, const unsigned *, unsigned,
                         unsigned, const struct peer_platform *, struct peer_database **,
                         struct peer_error **);
    int (*free_compile_error)(struct peer_error *);
    int (*alloc_scratch)(const struct peer_database *, struct peer_scratch **);
    int (*free_scratch)(struct peer_scratch *);
    int (*free_database)(struct peer_database *);
    int (*scan)(const struct peer_database *, const char *, unsigned, unsigned,
                struct peer_scratch *, peer_match *, void *);
    const char *(*version)(void);
};

struct bench_peer {
    char name[BENCH_NAME_MAX];
    void *library;
    struct peer_calls calls;
    bool avx2;
};

struct bench_peer_program {
    const struct bench_peer *peer;
    struct peer_database *database;
    uint32_t *lengths; /* by pattern */
    uint32_t longest, threads;
    struct peer_scratch *scratch[];
};

static bool peer_find_calls(struct bench_peer *peer)
{
    const struct {
        const char *name;
        void *to;
    } calls[] = { { "hs_compile_lit_multi", &peer->calls.compile_lit_multi },
                  { "hs_compile_multi", &peer->calls.compile_multi },
                  { "hs_free_compile_error", &peer->calls.free_compile_error },
                  { "hs_alloc_scratch", &peer->calls.alloc_scratch },
                  { "hs_free_scratch", &peer->calls.free_scratch },
                  { "hs_free_database", &peer->calls.free_database },
                  { "hs_scan", &peer->calls.scan },
                  { "hs_version", &peer->calls.version } };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *symbol = dlsym(peer->library, calls[i].name);

        if (symbol == NULL)
            return false;
        memcpy(calls[i].to, &symbol,
               sizeof symbol); /* C has no cast from a data pointer to a function */
    }
    return true;
}

enum err_code bench_peer_open(const char *spec, bool avx2, struct bench_peer **out, struct err *err)
{
    const char *equals = strchr(spec, '='), *path = equals != NULL ? equals + 1 : spec;
    struct bench_peer *peer = calloc(1, sizeof *peer);

    *out = NULL;
    if (peer == NULL)
        return ERR_NO_MEMORY(err, sizeof *peer);
    peer->avx2 = avx2;
    peer->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (peer->library == NULL || !peer_find_calls(peer)) {
        const enum err_code rc =
            ERR_RAISE(err, ERR_ENV, "%s: %s", path,
                      peer->library == NULL ? dlerror() : "not Hyperscan's interface");
        bench_peer_close(peer);
        return rc;
    }
    const char *version = peer->calls.version();
    if (equals != NULL)
        snprintf(peer->name, sizeof peer->name, "%.*s%s", (int)(equals - spec), spec,
                 avx2 ? ":avx2" : "");
    else
        snprintf(peer->name, sizeof peer->name, "libhs-%.*s%s", (int)strcspn(version, " "), version,
                 avx2 ? ":avx2" : "");
    *out = peer;
    return ERR_OK;
}

void bench_peer_close(struct bench_peer *peer)
{
    if (peer == NULL)
        return;
    if (peer->library != NULL)
        dlclose(peer->library);
    free(peer);
}

const char *bench_peer_name(const struct bench_peer *peer)
{
    return peer->name;
}

bool bench_peer_avx2(const struct bench_peer *peer)
{
    return peer->avx2;
}

/* The values that place i of the pattern matches, as an expression; its length. */
static size_t peer_byte(const struct match_pattern *pattern, uint32_t i, char out[PEER_BYTE_MAX])
{
    const uint8_t want = pattern->bytes[i], small = want | 0x20,
                  mask = pattern->mask != NULL ? pattern->mask[i] : 0xff;
    const bool folds = pattern->fold_case && small >= 'a' && small <= 'z';
    size_t len = 0;

    if (mask == 0xff && !folds)
        return (size_t)snprintf(out, PEER_BYTE_MAX, "\\x%02x", want);
    if (mask == 0)
        return (size_t)snprintf(out, PEER_BYTE_MAX, ".");
    out[len++] = '[';
    for (unsigned v = 0; v < 256; v++)
        if (((v ^ want) & mask) == 0 || (folds && ((v ^ want ^ 0x20) & mask) == 0))
            len += (size_t)snprintf(out + len, PEER_BYTE_MAX - len, "\\x%02x", v);
    out[len++] = ']';
    out[len] = '\0';
    return len;
}

static char *peer_expression(const struct match_pattern *pattern)
{
    char *text = malloc((size_t)pattern->len * PEER_BYTE_MAX + 1), byte[PEER_BYTE_MAX + 1];
    size_t len = 0;

    for (uint32_t i = 0; text != NULL && i < pattern->len; i++) {
        const size_t byte_len = peer_byte(pattern, i, byte);

        memcpy(text + len, byte, byte_len + 1);
        len += byte_len;
    }
    return text;
}

/* A dictionary as the arrays that the library takes. */
struct peer_list {
    uint32_t count;
    const char **words;
    unsigned *flags, *ids;
    size_t *lengths;
};

static void peer_list_free(struct peer_list *list, bool own_words)
{
    for (uint32_t i = 0; own_words && list->words != NULL && i < list->count; i++)
        free((char *)(uintptr_t)list->words[i]);
    free(list->words);
    free(list->flags);
    free(list->ids);
    free(list->lengths);
}

static bool peer_list_make(struct peer_list *list, const struct match_dictionary *patterns,
                           bool expressions)
{
    const uint32_t count = match_dictionary_count(patterns);
    bool made = true;

    *list = (struct peer_list){ .count = count,
                                .words = calloc(count, sizeof *list->words),
                                .flags = calloc(count, sizeof *list->flags),
                                .ids = calloc(count, sizeof *list->ids),
                                .lengths = calloc(count, sizeof *list->lengths) };
    if (list->words == NULL || list->flags == NULL || list->ids == NULL || list->lengths == NULL)
        return false;
    for (uint32_t i = 0; made && i < count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(patterns, i);

        list->words[i] = expressions ? peer_expression(pattern) : (const char *)pattern->bytes;
        list->flags[i] = expressions ? PEER_DOTALL : pattern->fold_case ? PEER_CASELESS : 0;
        list->ids[i] = i;
        list->lengths[i] = pattern->len;
        made = list->words[i] != NULL;
    }
    return made;
}

static bool peer_has_masks(const struct match_dictionary *patterns)
{
    for (uint32_t i = 0; i < match_dictionary_count(patterns); i++)
        if (match_dictionary_get(patterns, i)->mask != NULL)
            return true;
    return false;
}

/* One of the two ways into the library. */
static enum err_code peer_compile(const struct bench_peer *peer,
                                  const struct match_dictionary *patterns, bool expressions,
                                  struct peer_database **database, struct err *err)
{
    const struct peer_platform avx2 = { .features = peer_feature_avx2 },
                               *platform = peer->avx2 ? &avx2 : NULL;
    const struct peer_calls *calls = &peer->calls;
    struct peer_error *error = NULL;
    struct peer_list list;
    enum err_code rc = ERR_OK;
    int status = 0;

    if (!peer_list_make(&list, patterns, expressions))
        rc = ERR_NO_MEMORY(err, list.count * PEER_BYTE_MAX);
    else if (expressions)
        status = calls->compile_multi(list.words, list.flags, list.ids, list.count, PEER_MODE_BLOCK,
                                      platform, database, &error);
    else
        status = calls->compile_lit_multi(list.words, list.flags, list.ids, list.lengths,
                                          list.count, PEER_MODE_BLOCK, platform, database, &error);
    if (rc == ERR_OK && status != 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s does not compile the dictionary: %s", peer->name,
                       error != NULL ? error->message : "no reason given");
    if (error != NULL)
        calls->free_compile_error(error);
    peer_list_free(&list, expressions);
    return rc;
}

enum err_code bench_peer_compile(const struct bench_peer *peer,
                                 const struct match_dictionary *patterns, uint32_t threads,
                                 struct bench_peer_program **out, struct err *err)
{
    const uint32_t count = match_dictionary_count(patterns);
    const bool masks = peer_has_masks(patterns);
    const size_t size = sizeof(struct bench_peer_program) + threads * sizeof(struct peer_scratch *);
    struct bench_peer_program *program = calloc(1, size);

    *out = NULL;
    if (program == NULL)
        return ERR_NO_MEMORY(err, size);
    program->peer = peer;
    program->threads = threads;
    program->lengths = calloc(count, sizeof *program->lengths);
    if (program->lengths == NULL) {
        free(program);
        return ERR_NO_MEMORY(err, count * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < count; i++) {
        program->lengths[i] = match_dictionary_get(patterns, i)->len;
        if (program->lengths[i] > program->longest)
            program->longest = program->lengths[i];
    }
    enum err_code rc = peer_compile(peer, patterns, masks, &program->database, err);
    if (rc != ERR_OK && !masks)
        rc = peer_compile(peer, patterns, true, &program->database, err);
    for (uint32_t i = 0; rc == ERR_OK && i < threads; i++)
        if (peer->calls.alloc_scratch(program->database, &program->scratch[i]) != 0)
            rc = ERR_RAISE(err, ERR_ENV, "%s: no memory for its scratch space", peer->name);
    if (rc == ERR_OK)
        *out = program;
    else
        bench_peer_release(program);
    return rc;
}

void bench_peer_release(struct bench_peer_program *program)
{
    if (program == NULL)
        return;
    for (uint32_t i = 0; i < program->threads; i++)
        if (program->scratch[i] != NULL)
            program->peer->calls.free_scratch(program->scratch[i]);
    if (program->database != NULL)
        program->peer->calls.free_database(program->database);
    free(program->lengths);
    free(program);
}

struct peer_context {
    const uint32_t *lengths;
    uint64_t base; /* of the bytes handed to the library */
    uint64_t skip; /* matches that end up to here belong to the part before */
    struct bench_result *result;
};

static int peer_count(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                      void *arg)
{
    const struct peer_context *context = arg;

    (void)from;
    (void)flags;
    if (to > context->skip)
        bench_count(context->result, context->base + to - context->lengths[id], id);
    return 0;
}

bool bench_peer_scan(const struct bench_peer_program *program, uint32_t thread,
                     const uint8_t *bytes, uint64_t from, uint64_t to, struct bench_result *result)
{
    for (uint64_t at = from; at < to; at += PEER_STEP) {
        const uint64_t before = at > program->longest - 1 ? at - (program->longest - 1) : 0;
        const uint64_t end = to - at > PEER_STEP ? at + PEER_STEP : to;
        struct peer_context context = {
            .lengths = program->lengths, .base = before, .skip = at - before, .result = result
        };

        if (program->peer->calls.scan(program->database, (const char *)bytes + before,
                                      (unsigned)(end - before), 0, program->scratch[thread],
                                      peer_count, &context) != 0)
            return false;
    }
    return true;
}
