/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_seams.c - what each format says that it proves of a file in pieces
 * (sig.seam) is so.
 *
 * Every sample is spoiled by sectors, as a wrong assembly would spoil it: sectors are replaced,
 * left out, exchanged, or put in between; by zeros, text, random bytes, another format's bytes,
 * another sample of the format and sectors of the sample itself. The first sector stays: it is what
 * a file in pieces is known by. A thorough check must not call such a file whole and proven:
 *
 *   SIG_SEAM_EXACT   whatever was done
 *   SIG_SEAM_UNIT    whatever was done with foreign bytes; those of its kind may pass
 *   SIG_SEAM_PLACES  with sectors left out or put in between
 *
 * And a format that says less than it proves on all of its samples is named with SEAMS=report in
 * the environment, which also prints what was found of each sample.
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

#include "signatures/list.h"
#include "tests/signatures/harness.h"
#include "tests/signatures/sample.h"

/* PLACES_MAX: most sectors of a sample that are spoiled, an even choice of them. */
enum { SECTOR = 512, PLACES_MAX = 24, LONG_GAP = 8, BEHIND = 8 * SECTOR };

enum filler { ZEROS, TEXT, RANDOM, OTHER, KIND, ITSELF, FILLERS };
enum spoil { REPLACED, LEFT_OUT, ADDED, SWAPPED, SPOILS };

static const char *const filler_names[] = {
    "zeros", "text", "random bytes", "another format", "another of its kind", "its own bytes"
};
static const char *const spoil_names[] = { "replaced by", "left out before",
                                           "put in between:", "exchanged with those behind them:" };
static const char *const seam_names[] = { "none", "places", "unit", "exact" };

struct seams {
    struct sample *sample;
    uint8_t *bytes; /* the spoiled file */
    size_t len;
    size_t from;        /* the first byte that is not the sample's */
    enum sig_seam seam; /* the most that holds so far */
    bool report;
};

/* Bytes to fill with. */
struct seams_other {
    uint8_t bytes[1 << 14];
    size_t len;
    const struct sig *sig; /* of which they are; NULL: there are none yet */
};

struct seams_all {
    bool report;
    struct seams_other before, last; /* of the signature before, and of the last sample of this */
};

static uint8_t seams_other_at(const struct seams_other *other, size_t at)
{
    return other->bytes[at % other->len];
}

/* Fills room for len bytes; `at` is where in the sample the room begins. */
static void seams_fill(const struct seams_all *all, const struct sample *sample, enum filler filler,
                       size_t at, uint8_t *room, size_t len)
{
    static const char text[] = "The quick brown fox jumps over the lazy dog, and then? 0123456\n";
    uint64_t seed = 88172645463325252u + at;

    for (size_t i = 0; i < len; i++) {
        const size_t own = (at + sample->len / 2 / SECTOR * SECTOR + SECTOR + i) % sample->len;

        room[i] = filler == ZEROS    ? 0
                  : filler == TEXT   ? (uint8_t)text[(at + i) % (sizeof text - 1)]
                  : filler == RANDOM ? sample_random(&seed)
                  : filler == OTHER  ? seams_other_at(&all->before, at + i)
                  : filler == KIND   ? seams_other_at(&all->last, at + i)
                                     : sample->bytes[own];
    }
}

/* The sample with `gap` sectors of it spoiled at `at`; false: there is nothing to spoil. */
static bool seams_spoil(struct seams *seams, const struct seams_all *all, size_t at, size_t gap,
                        enum spoil spoil, enum filler filler)
{
    const struct sample *sample = seams->sample;
    const size_t left = sample->len - at;
    const size_t lost = spoil == ADDED ? 0 : gap < left ? gap : left;
    const size_t more = spoil == LEFT_OUT ? 0 : spoil == ADDED ? gap : lost;
    uint8_t *to = seams->bytes;

    if ((lost == left && spoil == LEFT_OUT) || (filler == OTHER && all->before.sig == NULL) ||
        (filler == KIND && all->last.sig != sample->sig))
        return false;
    seams->from = at;
    memcpy(to, sample->bytes, at);
    if (spoil == SWAPPED) {
        if (left < 2 * gap || filler != ITSELF)
            return false;
        memcpy(to + at, sample->bytes + at + gap, gap);
        memcpy(to + at + gap, sample->bytes + at, gap);
        memcpy(to + at + 2 * gap, sample->bytes + at + 2 * gap, left - 2 * gap);
        seams_fill(all, sample, ZEROS, 0, to + sample->len, BEHIND);
        seams->len = sample->len + BEHIND;
        return true;
    }
    to += at;
    seams_fill(all, sample, filler, at, to, more);
    to += more;
    memcpy(to, sample->bytes + at + lost, left - lost);
    to += left - lost;
    seams_fill(all, sample, filler, sample->len, to, BEHIND);
    seams->len = (size_t)(to - seams->bytes) + BEHIND;
    return true;
}

/* Whether what was spoiled lies in an open stretch. */
static bool seams_open(const struct seams *seams, const struct harness_verdict *v)
{
    for (uint32_t i = 0; i < v->open_count; i++)
        if (seams->from + SECTOR > v->open[i].from && seams->from <= v->open[i].to)
            return true;
    return false;
}

/* Whether a thorough check takes a spoiled file for a whole and proven one. */
static bool seams_pass(const struct seams *seams)
{
    const struct sample *sample = seams->sample;
    const struct harness_verdict v = harness_run_thorough(sample->sig, seams->bytes, seams->len);

    /* With open stretches it is proven outside of them, where these are the same. */
    const bool trusted = v.result.proven || (v.open_count > 0 && v.sure == v.result.len);

    return v.result.verdict == SIG_COMPLETE && trusted && !seams_open(seams, &v) &&
           (v.result.len > sample->len ||
            memcmp(seams->bytes, sample->bytes, (size_t)v.result.len) != 0);
}

/* What still holds when a file that was spoiled in this way passes. */
static enum sig_seam seams_left(enum spoil spoil, enum filler filler)
{
    if (filler == ITSELF || filler == KIND)
        return SIG_SEAM_UNIT;
    return spoil == REPLACED ? SIG_SEAM_PLACES : SIG_SEAM_NONE;
}

static void seams_try(struct seams *seams, const struct seams_all *all, size_t at, size_t gap,
                      enum spoil spoil, enum filler filler)
{
    /* What is put in before the last bytes stands in their place. */
    const bool tail = spoil == ADDED && gap >= seams->sample->len - at;
    const enum sig_seam left = seams_left(tail ? REPLACED : spoil, filler);

    if ((!seams->report && left >= seams->sample->sig->seam) ||
        !seams_spoil(seams, all, at, gap, spoil, filler) ||
        !harness_header_matches(seams->sample->sig, seams->bytes, seams->len) || !seams_pass(seams))
        return;
    if (!seams->report)
        fail_msg("%s, %zu bytes at %zu %s %s: passes, though %s has the seam %s",
                 seams->sample->path, gap, at, spoil_names[spoil], filler_names[filler],
                 seams->sample->sig->name, seam_names[seams->sample->sig->seam]);
    if (left < seams->seam) {
        seams->seam = left;
        printf("# %s: %zu bytes at %zu of %zu %s %s\n", seams->sample->path, gap, at,
               seams->sample->len, spoil_names[spoil], filler_names[filler]);
    }
}

static void seams_sample(struct sample *sample, void *context)
{
    struct seams_all *all = context;
    struct seams seams = { .sample = sample, .seam = SIG_SEAM_EXACT, .report = all->report };
    const size_t sectors = (sample->len + SECTOR - 1) / SECTOR;
    const size_t places = sectors < PLACES_MAX ? sectors : PLACES_MAX;

    seams.bytes = malloc(sample->len + (size_t)LONG_GAP * SECTOR + BEHIND);
    assert_non_null(seams.bytes);
    for (size_t i = 1; i < places; i++)
        for (int spoil = 0; spoil < SPOILS; spoil++)
            for (int filler = 0; filler < FILLERS; filler++)
                for (size_t gap = 1; gap <= LONG_GAP; gap += LONG_GAP - 1)
                    seams_try(&seams, all, sectors * i / places * SECTOR, gap * SECTOR,
                              (enum spoil)spoil, (enum filler)filler);
    if (all->report) {
        const struct harness_verdict v =
            harness_run_thorough(sample->sig, sample->bytes, sample->len);

        printf("%s %s %s has %s holds %s %s sure %" PRIu64 " open %u of %zu\n", sample->sig->name,
               v.type->name, sample->path, seam_names[sample->sig->seam], seam_names[seams.seam],
               v.result.proven ? "proven" : "believed", v.sure, v.open_count, sample->len);
    }
    free(seams.bytes);
    if (all->last.sig != sample->sig)
        all->before = all->last;
    all->last.sig = sample->sig;
    all->last.len = sample->len < sizeof all->last.bytes ? sample->len : sizeof all->last.bytes;
    memcpy(all->last.bytes, sample->bytes, all->last.len);
}

static void test_seams(void **unused)
{
    static struct seams_all all;

    (void)unused;
    all.report = getenv("SEAMS") != NULL;
    assert_true(samples_each(seams_sample, &all) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_seams) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
