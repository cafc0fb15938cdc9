/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac.c - the engines `pfac`: Aho-Corasick without failure links, a walk for
 * each byte of the text, over the tables of pfac_table.h.
 *
 * Chien, Hon, Lin and Liu, Perfect Hashing of String Matching on GPU. Unlike their library it
 * reports every match, not the longest at each place, compacted; and it takes on what they leave
 * for the future, walks of unequal length (pfac.h).
 */
#include "match/offload/offload.h"
#include "match/papers/pfac/pfac_gpu.h"

static const uint64_t pfac_small = 4 << 20; /* bytes of a plain table with which `pfac` takes it */

static uint32_t pfac_byte(const struct pfac_search *s, uint32_t at)
{
    const uint32_t byte = s->search.view.text[at];

    return s->pfac.folds ? pfac_fold(byte) : byte;
}

/* Reports what is found in state `index` by a run that begins there; whether there is anything. */
static bool pfac_report(const struct pfac_search *s, uint32_t index, uint32_t begin, bool emit)
{
    const struct pfac_found found = s->pfac.found[index];
    bool any = false;

    for (uint32_t i = found.first; i < found.first + found.count; i++) {
        const struct pfac_output *o = &s->pfac.outputs[i];

        if (!pfac_matches(s, o, begin))
            continue;
        any = true;
        if (emit)
            search_emit(&s->search.view, begin - o->at, o->pattern, o->len);
    }
    return any;
}

static void pfac_walk(const struct pfac_search *s, enum pfac_kind kind, uint32_t begin)
{
    struct pfac_state state = pfac_start(&s->pfac);
    uint32_t longest = PFAC_EMPTY;

    for (uint32_t at = begin; at < s->search.view.to; at++) {
        if (!pfac_step(&s->pfac, kind, &state, pfac_byte(s, at)))
            break;
        if (!pfac_finds(&s->pfac, kind, &state))
            continue;
        const uint32_t index = pfac_index(&s->pfac, kind, &state);
        if (pfac_report(s, index, begin, !s->pfac.longest) && s->pfac.longest)
            longest = index;
        if (pfac_ends(&s->pfac, kind, &state))
            break;
    }
    if (longest != PFAC_EMPTY)
        pfac_report(s, longest, begin, true);
}

static uint32_t pfac_window(const struct ring_view *view, uint32_t at)
{
    uint32_t window = 0;

    for (uint32_t i = 0; i < 4 && at + i < view->len; i++)
        window |= (uint32_t)view->text[at + i] << i * 8;
    return window;
}

static void pfac_host(const void *args, enum pfac_kind kind, enum pfac_walks walks)
{
    const struct pfac_search *s = args;

    for (uint32_t at = search_first(&s->search); at < s->search.view.to; at++)
        if (walks == PFAC_EACH ||
            pfac_sift(&s->pfac, s->pfac.sieve_bits, pfac_window(&s->search.view, at)))
            pfac_walk(s, kind, at);
}

#define PFAC_HOST(id, kind)                                                                        \
    static void pfac_##id##_each_host(const void *args)                                            \
    {                                                                                              \
        pfac_host(args, kind, PFAC_EACH);                                                          \
    }                                                                                              \
    static void pfac_##id##_queued_host(const void *args)                                          \
    {                                                                                              \
        pfac_host(args, kind, PFAC_QUEUED);                                                        \
    }
PFAC_HOST(2d, PFAC_2D)
PFAC_HOST(mfph, PFAC_MFPH)
PFAC_HOST(linked, PFAC_LINKED)
PFAC_HOST(ph, PFAC_PH)
PFAC_HOST(ph_reciprocal, PFAC_PH_RECIPROCAL)

#define PFAC_KERNEL(id, walks, text)                                                               \
    {                                                                                              \
        .name = text, .args_size = sizeof(struct pfac_search), .host = pfac_##id##_##walks##_host, \
        .cuda = PFAC_CUDA(pfac_##id##_##walks)                                                     \
    }
static const struct device_kernel pfac_kernels[PFAC_KINDS][PFAC_WALKS] = {
    { PFAC_KERNEL(2d, each, "pfac:2d each"), PFAC_KERNEL(2d, queued, "pfac:2d queued") },
    { PFAC_KERNEL(mfph, each, "pfac:mfph each"), PFAC_KERNEL(mfph, queued, "pfac:mfph queued") },
    { PFAC_KERNEL(linked, each, "pfac:mfph-linked each"),
      PFAC_KERNEL(linked, queued, "pfac:mfph-linked queued") },
    { PFAC_KERNEL(ph, each, "pfac:ph each"), PFAC_KERNEL(ph, queued, "pfac:ph queued") },
    { PFAC_KERNEL(ph_reciprocal, each, "pfac:ph-reciprocal each"),
      PFAC_KERNEL(ph_reciprocal, queued, "pfac:ph-reciprocal queued") },
};

_Static_assert(sizeof(struct pfac_search) <= DEVICE_ARGS_MAX, "the arguments of a kernel");

/* What an engine is compiled for. */
struct pfac_choice {
    bool free; /* kind is chosen by the automaton's size */
    enum pfac_kind kind;
    enum pfac_walks walks;
    bool longest;
};

static enum err_code pfac_block_of(const struct pfac_choice *choice,
                                   const struct match_dictionary *dictionary, void **extra,
                                   size_t *size, struct err *err)
{
    struct pfac_block *block = NULL;
    struct pfac *pfac = NULL;
    enum pfac_kind kind = choice->kind;
    enum err_code rc = pfac_build(dictionary, &pfac, err);

    if (rc == ERR_OK && choice->longest && !pfac->whole)
        rc = ERR_RAISE(err, ERR_ARG,
                       "which match is the longest is known of patterns without masks alone");
    if (rc == ERR_OK && choice->free)
        kind = (uint64_t)pfac->leaf * 256 * sizeof(uint32_t) <= pfac_small ? PFAC_2D : PFAC_LINKED;
    if (rc == ERR_OK)
        rc = pfac_block_build(pfac, kind, &block, err);
    if (rc == ERR_OK) {
        block->walks = choice->walks;
        block->view.longest = choice->longest;
        *extra = block;
        *size = block->size;
    }
    pfac_destroy(pfac);
    return rc;
}

static enum err_code pfac_enqueue(const struct tables *tables, const struct offload_extra *extra,
                                  struct device_stream *stream, const struct ring_view *view,
                                  struct err *err)
{
    const struct pfac_block *block = extra->host;
    const struct pfac_search search = { .search = { .tables = *tables, .view = *view },
                                        .pfac = pfac_block_view(block, extra->device) };

    return device_launch(stream, &pfac_kernels[block->kind][block->walks], &search, err);
}

#define PFAC(scope, id, name_text, what_text, ...)                                                 \
    static enum err_code id##_extra(const struct match_dictionary *dictionary, void **extra,       \
                                    size_t *size, struct err *err)                                 \
    {                                                                                              \
        return pfac_block_of(&(struct pfac_choice){ __VA_ARGS__ }, dictionary, extra, size, err);  \
    }                                                                                              \
    static const struct offload_form id##_form = { .name = name_text,                              \
                                                   .extra = id##_extra,                            \
                                                   .enqueue = pfac_enqueue };                      \
    static enum err_code id##_compile(const struct match_dictionary *dictionary,                   \
                                      const struct match_setup *setup, void **program,             \
                                      struct err *err)                                             \
    {                                                                                              \
        return offload_compile(&id##_form, dictionary, setup, program, err);                       \
    }                                                                                              \
    scope const struct match_engine match_##id##_engine = {                                        \
        .name = name_text,                                                                         \
        .what = what_text,                                                                         \
        .device = "CUDA",                                                                          \
        .missing = device_cuda_missing,                                                            \
        .compile = id##_compile,                                                                   \
        .release = offload_release,                                                                \
        .offload = &offload_calls,                                                                 \
    };

PFAC(, pfac, "pfac",
     "failureless Aho-Corasick on a GPU, a walk from each byte; the best table for the dictionary",
     true, PFAC_LINKED, PFAC_QUEUED, false)

/* The engine of a table, and the forms to compare it with. */
#define PFAC_TABLE(id, kind, name_text, what_text)                                                 \
    PFAC(, pfac_##id, name_text, what_text, false, kind, PFAC_QUEUED, false)                       \
    PFAC(static, pfac_##id##_each, name_text, what_text, false, kind, PFAC_EACH, false)            \
    PFAC(static, pfac_##id##_longest, name_text, what_text, false, kind, PFAC_QUEUED, true)        \
    PFAC(static, pfac_##id##_longest_each, name_text, what_text, false, kind, PFAC_EACH, true)

PFAC_TABLE(2d, PFAC_2D, "pfac:2d", "pfac over the plain table: 1 KiB a state")
PFAC_TABLE(mfph, PFAC_MFPH, "pfac:mfph",
           "pfac over modulo-free perfect hashing: a fiftieth of the plain table")
PFAC_TABLE(linked, PFAC_LINKED, "pfac:mfph-linked",
           "pfac:mfph with one look-up a step: cells say where the next state's are")
PFAC_TABLE(ph, PFAC_PH, "pfac:ph",
           "pfac over perfect hashing in two levels, with divisions; to compare")
PFAC_TABLE(ph_reciprocal, PFAC_PH_RECIPROCAL, "pfac:ph-reciprocal",
           "pfac:ph with reciprocals instead of divisions; to compare")

const struct match_engine *match_pfac_form(enum pfac_kind kind, enum pfac_walks walks, bool longest)
{
#define FORMS(id)                                                                                  \
    {                                                                                              \
        { &match_pfac_##id##_each_engine, &match_pfac_##id##_longest_each_engine },                \
            { &match_pfac_##id##_engine, &match_pfac_##id##_longest_engine },                      \
    }
    static const struct match_engine *const forms[PFAC_KINDS][PFAC_WALKS][2] = {
        [PFAC_2D] = FORMS(2d),
        [PFAC_MFPH] = FORMS(mfph),
        [PFAC_LINKED] = FORMS(linked),
        [PFAC_PH] = FORMS(ph),
        [PFAC_PH_RECIPROCAL] = FORMS(ph_reciprocal),
    };
#undef FORMS

    return forms[kind][walks][longest];
}
