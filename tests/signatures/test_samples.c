/*
 * tests/signatures/test_samples.c - what every format has to stand, on the well-formed files in
 * tests/samples/FAMILY.
 *
 * FILE.fields beside FILE says, a line each:
 *
 * - sig NAME: the signature that reads it
 * - type NAME: what it must be called
 * - end open: nothing in the format says that more should follow: a file that was cut may be whole
 * - joins: another file of the type behind it makes one file (concatenated streams)
 * - end zeros: the end can only be told alone or where zeros are behind it
 * - end unknown: the end can never be told: such a file is never whole
 * - field OFFSET LEN WORDS...: bytes that the validator looks at: with any of them changed it is
 * not the same whole file
 *
 * Labels: slow
 */
#include <dirent.h>
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

#ifdef __SANITIZE_ADDRESS__
enum { BEHIND = 1 << 18 }; /* several times as slow */
#else
enum { BEHIND = 1 << 20 };
#endif
/* VIEW: most bytes that a validator is shown at a time where a file is read many times over.
 * harness_check shows it all that there is, and hardly any. */
enum { CUTS = 16, PATH_LEN = 512, SAMPLE_MAX = 4 << 20, VIEW = 4096 };

struct sample {
    char path[PATH_LEN], type[64];
    const struct sig *sig;
    bool end_open, end_zeros, end_unknown, joins;
    uint8_t *bytes; /* len of the file, then room for BEHIND + len more */
    size_t len;
    struct {
        size_t at, len;
    } fields[256];
    uint32_t field_count;
};

static void sample_line(struct sample *sample, const char *line)
{
    char word[64];
    unsigned long at, len;

    if (sscanf(line, "sig %63s", word) == 1)
        sample->sig = harness_sig(word);
    else if (sscanf(line, "type %63s", word) == 1)
        snprintf(sample->type, sizeof sample->type, "%s", word);
    else if (strncmp(line, "end open", 8) == 0)
        sample->end_open = true;
    else if (strncmp(line, "end zeros", 9) == 0)
        sample->end_open = sample->end_zeros = true;
    else if (strncmp(line, "end unknown", 11) == 0)
        sample->end_unknown = true;
    else if (strncmp(line, "joins", 5) == 0)
        sample->joins = true;
    else if (sscanf(line, "field %lu %lu", &at, &len) == 2) {
        if (at >= sample->len || len > sample->len - at || sample->field_count == 256)
            fail_msg("%s: field %lu+%lu is not in the file", sample->path, at, len);
        sample->fields[sample->field_count].at = at;
        sample->fields[sample->field_count++].len = len;
    } else if (line[0] != '#' && line[0] != '\n')
        fail_msg("%s.fields: cannot read: %s", sample->path, line);
}

static void sample_load(struct sample *sample, const char *path)
{
    char fields[PATH_LEN + 8], line[256];
    FILE *file = fopen(path, "rb");

    *sample = (struct sample){ 0 };
    snprintf(sample->path, sizeof sample->path, "%s", path);
    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    sample->len = (size_t)ftell(file);
    rewind(file);
    sample->bytes = malloc(2 * sample->len + BEHIND);
    if (sample->bytes == NULL || fread(sample->bytes, 1, sample->len, file) != sample->len)
        fail_msg("cannot read %s", path);
    fclose(file);
    snprintf(fields, sizeof fields, "%s.fields", path);
    file = fopen(fields, "r");
    if (file == NULL)
        fail_msg("%s is missing: which bytes of the sample does the validator look at?", fields);
    while (fgets(line, sizeof line, file) != NULL)
        sample_line(sample, line);
    fclose(file);
    if (sample->sig == NULL || sample->type[0] == '\0' || sample->field_count == 0)
        fail_msg("%s: wants lines sig, type and field", fields);
}

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

/* Runs all samples of one family; says how many there are. */
static uint32_t family_run(const char *family)
{
    char folder[PATH_LEN / 2], path[PATH_LEN];
    struct sample sample;
    uint32_t count = 0;

    snprintf(folder, sizeof folder, "tests/samples/%s", family);
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir == NULL ? NULL : readdir(dir); entry != NULL;
         entry = readdir(dir)) {
        const size_t len = strlen(entry->d_name);

        if (entry->d_name[0] == '.' || (len > 7 && strcmp(entry->d_name + len - 7, ".fields") == 0))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        sample_load(&sample, path);
        sample_whole(&sample);
        sample_shared(&sample);
        sample_followed(&sample);
        sample_cut(&sample);
        sample_flip(&sample);
        free(sample.bytes);
        count++;
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

/* With the name of a family as argument (the environment variable FAMILY): that one alone. */
static void test_samples(void **unused)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);
    const char *only = getenv("FAMILY");
    const char *last = "";

    (void)unused;
    for (uint32_t i = 0; i < count; i++) {
        const char *family = sig_builtin_family(i);

        if (all[i]->check == NULL || strcmp(family, last) == 0 ||
            (only != NULL && strcmp(only, family) != 0))
            continue;
        last = family;
        if (family_run(family) == 0)
            fail_msg("no sample of %s: put one into tests/samples/%s", family, family);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
