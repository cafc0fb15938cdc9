/* match/words.c - the engine for large dictionaries, in each of its forms. See words.h. */
#include "match/words.h"

static const char *words_here(void)
{
    return NULL;
}

static enum err_code words_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                   void **program, struct err *err)
{
    struct words_program *words = NULL;

    (void)setup;
    const enum err_code rc = words_build(dictionary, &words, err);

    *program = words;
    return rc;
}

static void words_release(void *program)
{
    words_destroy(program);
}

static bool words_scan_portable(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                                struct match_sink *sink)
{
    return words_scan(program, words_find_portable, text, from, to, sink);
}

#ifdef __x86_64__
static const char *words_missing_avx512(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("gfni")
               ? NULL
               : "this processor has no AVX-512 with VBMI2 and GFNI";
}

static const char *words_missing_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? NULL : "this processor has no AVX2";
}

static bool words_scan_avx512(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                              struct match_sink *sink)
{
    return words_scan(program, words_find_avx512, text, from, to, sink);
}

static bool words_scan_avx2(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                            struct match_sink *sink)
{
    return words_scan(program, words_find_avx2, text, from, to, sink);
}

static bool words_scan_best(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                            struct match_sink *sink)
{
    words_find_fn find = words_missing_avx512() == NULL ? words_find_avx512
                         : words_missing_avx2() == NULL ? words_find_avx2
                                                        : words_find_portable;

    return words_scan(program, find, text, from, to, sink);
}
#else
static const char *words_missing_avx512(void)
{
    return "it is written for x86-64";
}

static const char *words_missing_avx2(void)
{
    return words_missing_avx512();
}

#define words_scan_avx512 words_scan_portable
#define words_scan_avx2 words_scan_portable
#define words_scan_best words_scan_portable
#endif

const struct match_engine match_words_engine = {
    .name = "words",
    .what = "hashed windows behind a filter, for hundreds of patterns and more; best form of this machine",
    .device = "CPU",
    .missing = words_here,
    .suits = words_suits,
    .compile = words_compile,
    .release = words_release,
    .scan = words_scan_best,
};

const struct match_engine match_words_avx512_engine = {
    .name = "words:avx512",
    .what = "hashed windows behind a filter, AVX-512",
    .device = "CPU",
    .missing = words_missing_avx512,
    .suits = words_suits,
    .compile = words_compile,
    .release = words_release,
    .scan = words_scan_avx512,
};

const struct match_engine match_words_avx2_engine = {
    .name = "words:avx2",
    .what = "hashed windows behind a filter, AVX2",
    .device = "CPU",
    .missing = words_missing_avx2,
    .suits = words_suits,
    .compile = words_compile,
    .release = words_release,
    .scan = words_scan_avx2,
};

const struct match_engine match_words_portable_engine = {
    .name = "words:portable",
    .what = "hashed windows behind a filter, portable C",
    .device = "CPU",
    .missing = words_here,
    .suits = words_suits,
    .compile = words_compile,
    .release = words_release,
    .scan = words_scan_portable,
};
