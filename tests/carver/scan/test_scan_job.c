/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_scan_job.c - a job says all that a scan needs: what is looked for, what it
 * is called in the case file, what counts, and who is told.
 *
 * Where the words stand follows from how the image is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/scan/pipeline.h"
#include "carver/scan/scan.h"

enum { IMAGE_LEN = 200000, FIRST = 5, SECOND = 65534 };

struct told {
    uint32_t images, hits;
    uint64_t offsets[4];
    enum err_code answer; /* of the report */
    char name[32];
};

struct fixture {
    char dir[32], image[64];
    char *images[1];
    struct scan_how how;
    struct sig sig;
    const struct sig *sigs[1];
    struct patterns patterns;
    struct told told;
    struct scan_job job;
    struct err err;
};

static void name_it(void *arg, uint32_t sig, struct scan_name *out)
{
    (void)arg;
    assert_int_equal(sig, 0);
    out->name = "needle";
    out->kind = "rule";
    out->has_footer = false;
    out->size_max = 6;
    strcpy(out->origin, "a test");
    strcpy(out->header, "Needle");
}

static enum err_code add_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    struct told *told = arg;

    (void)err;
    assert_true(told->hits < 4);
    told->offsets[told->hits++] = hit->offset;
    return ERR_OK;
}

static enum err_code take_name(void *arg, const struct db_type *type, struct err *err)
{
    struct told *told = arg;

    (void)err;
    snprintf(told->name, sizeof told->name, "%s", type->name);
    return ERR_OK;
}

static enum err_code report(void *arg, const struct scan_done *done, struct err *err)
{
    struct told *told = arg;

    told->images++;
    assert_int_equal(done->totals->bytes, IMAGE_LEN);
    assert_int_equal(io_image_size(done->image), IMAGE_LEN);
    assert_int_equal(db_types_walk(done->db, take_name, told, err), ERR_OK);
    assert_int_equal(
        db_hits_walk(done->db, done->ids->image, done->ids->before, add_hit, told, err), ERR_OK);
    return told->answer == ERR_OK ? ERR_OK : ERR_RAISE(err, told->answer, "enough");
}

/* Not the one whose last letter is another one. */
static bool confirm(void *arg, uint32_t pattern, const uint8_t *bytes)
{
    (void)arg;
    (void)pattern;
    return memcmp(bytes, "Needle", 6) == 0;
}

static int set_up(void **state)
{
    static const uint8_t mask[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0 };
    const struct match_pattern pattern = {
        .kind = MATCH_LITERAL, .bytes = (const uint8_t *)"Needle", .mask = mask, .len = 6
    };
    struct fixture *f = calloc(1, sizeof *f);
    uint8_t *bytes = calloc(1, IMAGE_LEN);
    uint32_t index;

    assert_non_null(f);
    assert_non_null(bytes);
    strcpy(f->dir, "/tmp/burin-job-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->image, sizeof f->image, "%s/a.raw", f->dir);
    memcpy(bytes + FIRST, "Needle", 6);
    memcpy(bytes + SECOND, "Needle", 6); /* over the border of a segment */
    memcpy(bytes + 100000, "Needly", 6);
    FILE *file = fopen(f->image, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, IMAGE_LEN, file), IMAGE_LEN);
    assert_int_equal(fclose(file), 0);
    free(bytes);

    f->images[0] = f->image;
    f->how = scan_how_defaults();
    f->how.no_jail = true; /* other tests of this program come after it */
    f->how.quiet = true;
    f->how.threads = 2;
    f->how.segment_len = 65536;
    f->how.images = f->images;
    f->how.image_count = 1;
    snprintf(f->how.case_path, sizeof f->how.case_path, "%s/a.burin", f->dir);
    f->sig.name = "planner's";
    f->sigs[0] = &f->sig;
    f->patterns.uses = calloc(1, sizeof *f->patterns.uses);
    f->patterns.count = 1;
    assert_int_equal(match_dictionary_create(&f->patterns.dictionary, &f->err), ERR_OK);
    assert_int_equal(match_dictionary_add(f->patterns.dictionary, &pattern, &index, &f->err),
                     ERR_OK);
    f->job = (struct scan_job){ .command = "scan",
                                .command_line = "burin test",
                                .how = &f->how,
                                .plan = { .sigs = f->sigs,
                                          .sig_count = 1,
                                          .patterns = &f->patterns,
                                          .hits_only = true,
                                          .align = 1 },
                                .row_count = 1,
                                .name = name_it,
                                .report = report,
                                .arg = &f->told };
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = { "a.raw", "a.burin", "a.burin.lock", "a.burin.seal" };
    struct fixture *f = *state;
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->dir, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(f->dir), 0);
    patterns_release(&f->patterns);
    free(f);
    return 0;
}

static enum err_code scan(struct fixture *f)
{
    enum exit_status status = EXIT_DONE;
    const enum err_code rc = scan_images(&f->job, &status, &f->err);

    assert_int_equal(status, EXIT_DONE);
    return rc;
}

static void what_a_job_looks_for_is_recorded_and_told(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(scan(f), ERR_OK);
    assert_int_equal(f->told.images, 1);
    assert_int_equal(f->told.hits, 3);
    assert_int_equal(f->told.offsets[0], FIRST);
    assert_int_equal(f->told.offsets[1], SECOND);
    assert_int_equal(f->told.offsets[2], 100000);
    assert_string_equal(f->told.name, "needle");
}

static void a_job_confirms_its_hits(void **state)
{
    struct fixture *f = *state;

    f->job.plan.confirm = confirm;
    assert_int_equal(scan(f), ERR_OK);
    assert_int_equal(f->told.hits, 2);
    assert_int_equal(f->told.offsets[1], SECOND);
}

static void images_are_scanned_again_unless_the_job_says_once(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(scan(f), ERR_OK);
    f->told.hits = 0;
    assert_int_equal(scan(f), ERR_OK);
    assert_int_equal(f->told.images, 2);
    assert_int_equal(f->told.hits, 3); /* those of its own run */
}

static void an_error_of_the_report_ends_the_scan(void **state)
{
    struct fixture *f = *state;

    f->told.answer = ERR_FULL;
    assert_int_equal(scan(f), ERR_FULL);
    assert_non_null(strstr(f->err.text, "enough, while scanning /tmp/"));
}

static void a_pipeline_that_runs_nothing_ends(void **state)
{
    struct fixture *f = *state;
    struct pipeline *pipeline = NULL;

    assert_int_equal(pipeline_begin(&f->job, &pipeline, &f->err), ERR_OK);
    pipeline_end(pipeline);
    pipeline_end(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_job_looks_for_is_recorded_and_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_job_confirms_its_hits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(images_are_scanned_again_unless_the_job_says_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_error_of_the_report_ends_the_scan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipeline_that_runs_nothing_ends, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
