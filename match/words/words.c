/* SPDX-License-Identifier: Apache-2.0
 * match/words/words.c - the engine for large dictionaries, in each of its forms. See words.h. */
#include "match/words/words.h"

#ifdef __x86_64__
#include <cpuid.h>

#define WORDS_HALF_FLOATS (1u << 23) /* AVX512-FP16, of leaf 7 in EDX */
#endif

static const char *words_here(void)
{
    return NULL;
}

static enum err_code words_compile_form(const struct match_dictionary *dictionary,
                                        const struct words_form *form, void **program,
                                        struct err *err)
{
    struct words_program *words = NULL;
    const enum err_code rc = words_build(dictionary, form, &words, err);

    *program = words;
    return rc;
}

static enum err_code words_compile_portable(const struct match_dictionary *dictionary,
                                            const struct match_setup *setup, void **program,
                                            struct err *err)
{
    (void)setup;
    return words_compile_form(dictionary, &words_portable, program, err);
}

#ifdef __x86_64__
static const char *words_missing_avx512(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("gfni") &&
                   __builtin_cpu_supports("bmi2")
               ? NULL
               : "this processor has no AVX-512 with VBMI2 and GFNI";
}

static const char *words_missing_gather(void)
{
    return words_missing_avx512() == NULL && __builtin_cpu_supports("avx512bitalg")
               ? NULL
               : "this processor has no AVX-512 with VBMI2, GFNI and BITALG";
}

/* Whether gathers are fast: on Intel's processors since Sapphire Rapids, which have AVX512-FP16.
 * Those before it were slowed by what keeps data from being sampled, and AMD's take longer than
 * what gathers would stand for. */
static bool words_gathers(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;

    return words_missing_gather() == NULL && __builtin_cpu_is("intel") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & WORDS_HALF_FLOATS) != 0;
}

static const char *words_missing_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
               ? NULL
               : "this processor has no AVX2";
}

static enum err_code words_compile_avx512(const struct match_dictionary *dictionary,
                                          const struct match_setup *setup, void **program,
                                          struct err *err)
{
    (void)setup;
    return words_compile_form(dictionary, &words_avx512, program, err);
}

static enum err_code words_compile_gather(const struct match_dictionary *dictionary,
                                          const struct match_setup *setup, void **program,
                                          struct err *err)
{
    (void)setup;
    return words_compile_form(dictionary, &words_gather, program, err);
}

static enum err_code words_compile_avx2(const struct match_dictionary *dictionary,
                                        const struct match_setup *setup, void **program,
                                        struct err *err)
{
    (void)setup;
    return words_compile_form(dictionary, &words_avx2, program, err);
}

static enum err_code words_compile_best(const struct match_dictionary *dictionary,
                                        const struct match_setup *setup, void **program,
                                        struct err *err)
{
    const struct words_form *form = words_gathers()                  ? &words_gather
                                    : words_missing_avx512() == NULL ? &words_avx512
                                    : words_missing_avx2() == NULL   ? &words_avx2
                                                                     : &words_portable;

    (void)setup;
    return words_compile_form(dictionary, form, program, err);
}
#else
static const char *words_missing_avx512(void)
{
    return "it is written for x86-64";
}

#define words_missing_gather words_missing_avx512
#define words_missing_avx2 words_missing_avx512
#define words_compile_avx512 words_compile_portable
#define words_compile_gather words_compile_portable
#define words_compile_avx2 words_compile_portable
#define words_compile_best words_compile_portable
#endif

static void words_release(void *program)
{
    words_destroy(program);
}

const struct match_engine match_words_engine = {
    .name = "words",
    .what =
        "hashed fingerprints behind a filter, for hundreds of patterns and more; best form of this "
        "machine",
    .device = "CPU",
    .missing = words_here,
    .good_for = "many patterns",
    .suits = words_suits,
    .compile = words_compile_best,
    .release = words_release,
    .bytes = words_bytes,
    .scan = words_scan,
};

const struct match_engine match_words_gather_engine = {
    .name = "words:gather",
    .what = "hashed fingerprints behind a filter, AVX-512, every second place in a gathered table",
    .device = "CPU",
    .missing = words_missing_gather,
    .compile = words_compile_gather,
    .release = words_release,
    .bytes = words_bytes,
    .scan = words_scan,
};

const struct match_engine match_words_avx512_engine = {
    .name = "words:avx512",
    .what = "hashed fingerprints behind a filter, AVX-512",
    .device = "CPU",
    .missing = words_missing_avx512,
    .compile = words_compile_avx512,
    .release = words_release,
    .bytes = words_bytes,
    .scan = words_scan,
};

const struct match_engine match_words_avx2_engine = {
    .name = "words:avx2",
    .what = "hashed fingerprints behind a filter, AVX2",
    .device = "CPU",
    .missing = words_missing_avx2,
    .compile = words_compile_avx2,
    .release = words_release,
    .bytes = words_bytes,
    .scan = words_scan,
};

const struct match_engine match_words_portable_engine = {
    .name = "words:portable",
    .what = "hashed fingerprints behind a filter, portable C",
    .device = "CPU",
    .missing = words_here,
    .compile = words_compile_portable,
    .release = words_release,
    .bytes = words_bytes,
    .scan = words_scan,
};
