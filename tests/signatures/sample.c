/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/sample.c - see sample.h. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/list.h"
#include "tests/signatures/sample.h"

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
    char fields[SAMPLE_PATH + 8], line[256];
    FILE *file = fopen(path, "rb");

    *sample = (struct sample){ 0 };
    snprintf(sample->path, sizeof sample->path, "%s", path);
    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    sample->len = (size_t)ftell(file);
    rewind(file);
    sample->bytes = malloc(2 * sample->len + SAMPLE_BEHIND);
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
    if (sample->sig == NULL || sample->type[0] == '\0' ||
        (sample->field_count == 0 && (sample->sig->flags & SIG_NO_HEADER) == 0))
        fail_msg("%s: wants lines sig, type and field", fields);
}

/* Calls one for all samples of one family; says how many there are. */
static uint32_t samples_family(const char *family, void (*one)(struct sample *, void *),
                               void *context)
{
    char folder[SAMPLE_PATH / 2], path[SAMPLE_PATH];
    struct sample sample;
    uint32_t count = 0;

    snprintf(folder, sizeof folder, "tests/samples/%s", family);
    struct dirent **entries = NULL;
    const int found = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        const size_t len = strlen(name);

        if (name[0] != '.' && (len <= 7 || strcmp(name + len - 7, ".fields") != 0)) {
            snprintf(path, sizeof path, "%s/%.200s", folder, name);
            sample_load(&sample, path);
            one(&sample, context);
            free(sample.bytes);
            count++;
        }
        free(entries[i]);
    }
    free(entries);
    return count;
}

uint32_t samples_each(void (*one)(struct sample *sample, void *context), void *context)
{
    uint32_t count, samples = 0;
    const struct sig *const *all = sig_builtin(&count);
    const char *only = getenv("FAMILY");
    const char *last = "";

    for (uint32_t i = 0; i < count; i++) {
        const char *family = sig_builtin_family(i);

        if (all[i]->check == NULL || strcmp(family, last) == 0 ||
            (only != NULL && strcmp(only, family) != 0))
            continue;
        last = family;
        const uint32_t here = samples_family(family, one, context);
        if (here == 0)
            fail_msg("no sample of %s: put one into tests/samples/%s", family, family);
        samples += here;
    }
    return samples;
}

uint8_t sample_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint8_t)(*seed >> 32);
}
