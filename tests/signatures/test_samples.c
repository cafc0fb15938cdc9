/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_samples.c - what every format has to stand, on the well-formed files in
 * tests/samples/FAMILY (sample.h).
 *
 * Labels: slow
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/sample.h"

/* VIEW: most bytes that a validator is shown at a time where a file is read many times over.
 * harness_check shows it all that there is, and hardly any. */
enum { CUTS = 16, BEHIND = SAMPLE_BEHIND, VIEW = 4096 };

static void sample_same(const struct sample *sample, const struct harness_verdict *v,
                        const char *what)
{
    if (v->result.verdict != SIG_COMPLETE || v->result.len != sample->len ||
        strcmp(v->type->name, sample->type) != 0)
        fail_msg("%s (%zu bytes), %s: verdict %d, %" PRIu64 " bytes, type %s: %s", sample->path,
                 sample->len, what, v->result.verdict, v->result.len, v->type->name, v->result.why);
}

static void sample_breaks(const struct sample *sample, const struct harness_verdict *v,
                          const char *what)
{
    if (v->result.verdict != SIG_BREAKS || strcmp(v->type->name, sample->type) != 0)
        fail_msg("%s (%zu bytes), %s: verdict %d, %" PRIu64 " bytes, type %s: %s", sample->path,
                 sample->len, what, v->result.verdict, v->result.len, v->type->name, v->result.why);
}

static void sample_whole(struct sample *sample)
{
    if (!harness_header_matches(sample->sig, sample->bytes, sample->len))
        fail_msg("%s: no header of %s", sample->path, sample->sig->name);
    const struct harness_verdict v = harness_check(sample->sig, sample->bytes, sample->len);
    if (sample->end_unknown)
        sample_breaks(sample, &v, "alone");
    else
        sample_same(sample, &v, "alone");
}

/* Files of real programs may well lie in three others that unpack what they hold. */
static void sample_shared(struct sample *sample)
{
    const struct harness_verdict v = harness_run_shared(sample->sig, sample->bytes, sample->len, 3);

    if (v.result.spent)
        fail_msg("%s: is cut among four", sample->path);
    if (!sample->end_unknown)
        sample_same(sample, &v, "among four");
}

static void sample_followed(struct sample *sample)
{
    static const char text[] =
        "The quick brown fox jumps over the lazy dog, and then? 0123456789\n";
    static const char *const names[] = { "random behind it", "zeros behind it", "text behind it",
                                         "itself behind it" };
    uint8_t *behind = sample->bytes + sample->len;
    uint64_t seed = 88172645463325252u;

    for (int kind = 0; kind < 4; kind++) {
        size_t len = BEHIND;

        for (size_t i = 0; i < BEHIND; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            behind[i] = kind == 0   ? (uint8_t)(seed >> 32)
                        : kind == 1 ? 0
                                    : (uint8_t)text[i % (sizeof text - 1)];
        }
        if (kind == 3) {
            memcpy(behind, sample->bytes, sample->len);
            len = sample->len + (BEHIND < sample->len ? 0 : BEHIND - sample->len);
        }
        struct harness_verdict v =
            harness_run(sample->sig, sample->bytes, sample->len + len, 0, VIEW);
        if (kind == 3 && sample->joins && v.result.verdict == SIG_COMPLETE &&
            v.result.len == 2 * sample->len)
            v.result.len = sample->len;
        if ((sample->sig->flags & SIG_NO_HEADER) != 0 && kind != 1)
            continue; /* its own test says what these make of it: they belong to it, or it is none
                       */
        if (sample->end_unknown || (sample->end_zeros && kind != 1))
            sample_breaks(sample, &v, names[kind]);
        else
            sample_same(sample, &v, names[kind]);
    }
}

static void sample_cut(struct sample *sample)
{
    for (size_t i = 0; i <= CUTS && !sample->end_open; i++) {
        const size_t len = i == CUTS ? sample->len - 1 : sample->len * i / CUTS;
        const struct harness_verdict v = harness_run(sample->sig, sample->bytes, len, 0, VIEW);

        if (v.result.verdict == SIG_COMPLETE || v.result.len > len)
            fail_msg("%s cut to %zu of %zu bytes: verdict %d, %" PRIu64 " bytes: %s", sample->path,
                     len, sample->len, v.result.verdict, v.result.len, v.result.why);
    }
}

static void sample_flip(struct sample *sample)
{
    memset(sample->bytes + sample->len, 0x5a, BEHIND);
    for (uint32_t i = 0; i < sample->field_count; i++)
        for (size_t k = 0; k < sample->fields[i].len; k++) {
            uint8_t *byte = &sample->bytes[sample->fields[i].at + k];

            *byte ^= 0xff;
            const bool header = harness_header_matches(sample->sig, sample->bytes, sample->len);
            const struct harness_verdict v =
                harness_run(sample->sig, sample->bytes, sample->len + BEHIND / 16, 0, VIEW);
            *byte ^= 0xff;
            if (header && v.result.verdict == SIG_COMPLETE && v.result.len == sample->len &&
                strcmp(v.type->name, sample->type) == 0)
                fail_msg("%s with byte %zu flipped is still whole: %s", sample->path,
                         sample->fields[i].at + k, v.result.why);
        }
}

static void sample_run(struct sample *sample, void *unused)
{
    (void)unused;
    sample_whole(sample);
    sample_shared(sample);
    sample_followed(sample);
    sample_cut(sample);
    sample_flip(sample);
}

static void test_samples(void **unused)
{
    (void)unused;
    assert_true(samples_each(sample_run, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
