/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_fuzz_findings.c - inputs that fuzzing found,
 * tests/signatures/findings/FAMILY-N, go through the validators of their family again: a verdict
 * that depends on how the bytes were cut, or work out of proportion, shows.
 *
 * hdf5: continuations of an object's header that lead in a circle, below a superblock that tells of
 * a file of terabytes: each round was looked at, without an end. flac: a frame with more bytes than
 * its samples can take, of which more was looked at the more bytes lay together. mail: a line of
 * base64 of more than 1,000 characters, whose beginning was looked at or not as the text behind it
 * lay together with it or not. xml: a value with a < in it, of which what stands before told the
 * kind of the document only where the < lay in other bytes.
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

#define FINDINGS "tests/signatures/findings"
enum { FINDING_MAX = 1 << 20, VIEWS_PER_BYTE = 16, VIEWS_MORE = 4096 };

static void finding_of(const struct sig *sig, const uint8_t *bytes, size_t len)
{
    const size_t step = 1 + len / 16;
    const struct harness_verdict whole = harness_check(sig, bytes, len);
    const struct harness_verdict cut = harness_run(sig, bytes, len, step, 3);

    harness_compare(sig, &whole, &cut, step);
    if (whole.views > VIEWS_PER_BYTE * len + VIEWS_MORE)
        fail_msg("%s asks %" PRIu64 " times for bytes of %zu", sig->name, whole.views, len);
}

static void finding(const char *name, uint8_t *bytes)
{
    char path[512], family[64];
    uint32_t count, validators = 0;

    snprintf(path, sizeof path, FINDINGS "/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, FINDING_MAX, file);
    fclose(file);
    assert_true(len > 0 && len < FINDING_MAX);
    if (sscanf(name, "%63[a-z0-9_]-", family) != 1)
        fail_msg("%s does not begin with the name of a family", path);
    const struct sig *const *all = sig_builtin(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(sig_builtin_family(i), family) == 0 && all[i]->check != NULL) {
            finding_of(all[i], bytes, len);
            validators++;
        }
    if (validators == 0)
        fail_msg("%s: no family %s has a validator", path, family);
}

static void every_finding_is_mended(void **state)
{
    uint8_t *bytes = malloc(FINDING_MAX);
    DIR *folder = opendir(FINDINGS);
    uint32_t files = 0;

    (void)state;
    assert_non_null(bytes);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (entry->d_name[0] != '.') {
            finding(entry->d_name, bytes);
            files++;
        }
    closedir(folder);
    free(bytes);
    assert_true(files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_finding_is_mended) };

    return cmocka_run_group_tests_name("fuzz findings", tests, NULL, NULL);
}
