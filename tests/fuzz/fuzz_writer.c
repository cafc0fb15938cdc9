/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_writer.c - what a case file says of objects, as any bytes, in what a command
 * prints of it. FUZZ_WRITER is a format of `burin report`, or lines, table: those of `burin list`.
 * One target each (cmake/fuzz.cmake).
 *
 * The bytes are rows, each numbers and then texts that end with a zero, and are stored in a case
 * file. Found: crashes, leaks; a text that is of another form than the format has, of another
 * number of objects, or not to be seen as it is: escapes for terminals, marks of direction, line
 * ends.
 */
#include <unistd.h>

#include "carver/cli/print_safe.h"
#include "carver/list/list_print.h"
#include "carver/report/report.h"
#include "carver/select/chosen.h"
#include "tests/fuzz/lib_printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 300, OBJECTS_MAX = 24, TEXTS = 10 };

/* Made once, and kept: to make a case file takes longer than all else. */
static struct {
    struct db_case *db;
    int64_t image_id, run_id, signature_id;
} fixture;

struct input {
    const uint8_t *at, *end;
};

static uint64_t number(struct input *in)
{
    uint64_t value = 0;

    for (int i = 0; i < 8 && in->at < in->end; i++)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value >> 1; /* what a case file stores */
}

static void text(struct input *in, char out[TEXT_MAX], size_t max)
{
    size_t len = 0;

    while (in->at < in->end && *in->at != 0) {
        if (len < max - 1)
            out[len++] = (char)*in->at;
        in->at++;
    }
    out[len] = '\0';
    in->at += in->at < in->end;
}

/* A run, and a file with this path, of which the case file may say anything, too. */
static void make_run(struct input *in)
{
    char words[6][TEXT_MAX];
    struct db_image image = {
        .format = words[0], .path = words[1], .size = INT64_MAX, .sector_size = 512
    };
    struct db_run run = { .command = words[0],
                          .command_line = words[2],
                          .version = words[3],
                          .build = words[4],
                          .libraries = words[4],
                          .options = "{}",
                          .host = words[4],
                          .user = words[5],
                          .started = words[5],
                          .status = "done" };
    struct db_signature signature = {
        .name = words[0], .kind = "validator", .origin = words[4], .header = words[5]
    };

    for (int i = 0; i < 6; i++)
        text(in, words[i], i == 1 || i == 2 ? TEXT_MAX : 60);
    must(db_image_add(fixture.db, &image, &fixture.image_id, NULL) == ERR_OK);
    run.image_id = fixture.image_id;
    must(db_run_add(fixture.db, &run, &fixture.run_id, NULL) == ERR_OK);
    signature.run_id = fixture.run_id;
    must(db_signature_add(fixture.db, &signature, &fixture.signature_id, NULL) == ERR_OK);
}

static void make_object(struct input *in, int64_t id)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    static const char hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    char words[TEXTS][TEXT_MAX];

    for (int i = 0; i < TEXTS; i++)
        text(in, words[i], i < 2 || i == 5 ? 32 : i == 6 || i == 8 ? 20 : 256);
    const uint64_t bits = number(in), split = bits >> 8 & 1;
    const struct db_extent extents[2] = { { number(in) >> 1, number(in) >> 2 },
                                          { number(in) >> 1, number(in) >> 2 } };
    const struct db_fact facts[] = { { words[6], words[7], (bits & 1) != 0, (int64_t)number(in),
                                       0 },
                                     { "taken", words[7], true, (int64_t)number(in), 0 },
                                     { "camera.make", words[9], false, 0, 0 } };
    const struct db_hit hit = { .id = id,
                                .image_id = fixture.image_id,
                                .signature_id = fixture.signature_id,
                                .offset = extents[0].offset,
                                .len = 1 };
    const struct db_object object = { .id = id,
                                      .image_id = fixture.image_id,
                                      .signature_id = fixture.signature_id,
                                      .type = words[0],
                                      .extension = words[1],
                                      .state = states[bits >> 1 & 3],
                                      .reason = words[2],
                                      .offset = extents[0].offset,
                                      .len = extents[0].len + split * extents[1].len,
                                      .extents = extents,
                                      .extent_count = 1 + (uint32_t)split,
                                      .sha256 = (bits >> 9 & 1) != 0 ? hash : NULL,
                                      .name = "x/1",
                                      .facts = facts,
                                      .fact_count = sizeof facts / sizeof facts[0] };
    const struct db_found_in place = { .object_id = id,
                                       .slot = (uint32_t)(bits >> 16) & 0xff,
                                       .kind = words[5],
                                       .file_system = words[8],
                                       .path = words[4],
                                       .modified = facts[0].number,
                                       .accessed = DB_NO_TIME,
                                       .changed = facts[1].number,
                                       .created = -facts[1].number };

    must(db_hits_insert(fixture.db, &hit, 1, NULL) == ERR_OK);
    /* A key twice is what no case file has. */
    if (strcmp(words[6], "taken") == 0 || strcmp(words[6], "camera.make") == 0)
        words[6][0] = 'x';
    must(db_object_insert(fixture.db, &object, NULL) == ERR_OK);
    if ((bits >> 10 & 1) != 0)
        must(db_found_in_add(fixture.db, &place, NULL) == ERR_OK);
}

static enum err_code list_take(void *arg, const struct db_object *object, const char *name,
                               struct err *err)
{
    return list_print_row(arg, object, name, err);
}

static enum err_code write_list(struct report *report, enum list_form form, struct err *err)
{
    struct list_print print = { .form = form, .known = true, .place = true };
    enum err_code rc = list_print_open(&print, report->db, report->out, 120, false, err);

    if (rc == ERR_OK)
        rc = chosen_walk(report->db, report->selection, report->out, list_take, &print,
                         &report->chosen, err);
    if (rc == ERR_OK)
        list_print_end(&print);
    list_print_close(&print);
    return rc;
}

static enum err_code write_report(struct report *report, struct err *err)
{
    static const struct {
        const char *name;
        report_fn write;
    } formats[] = {
#define FORMAT(name, about) { #name, report_##name },
#include "carver/report/formats.def"
#undef FORMAT
    };

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, FUZZ_WRITER) == 0)
            return formats[i].write(report, err);
    return write_list(report, strcmp(FUZZ_WRITER, "lines") == 0 ? LIST_LINES : LIST_TABLE, err);
}

static void check_json_lines(const char *said)
{
    uint64_t objects = 0;

    while (*said != '\0')
        said = printed_blank(printed_json(said, 0, 0, &objects));
}

static void check(const char *said, size_t len, uint64_t objects, uint64_t left_out)
{
    static const char writer[] = FUZZ_WRITER;
    uint64_t found = 0;

    printed_is_seen(said, len,
                    strcmp(writer, "csv") == 0     ? "\r"
                    : strcmp(writer, "lines") == 0 ? "\t"
                                                   : "");
    if (strcmp(writer, "csv") == 0)
        must(printed_csv(said) == objects + 1);
    else if (strcmp(writer, "lines") == 0)
        must(printed_lines(said, '\t', 11) == objects);
    else if (strcmp(writer, "table") == 0)
        must(printed_lines(said, '\t', 1) == (objects > 0 ? objects + 1 : 0));
    else if (strcmp(writer, "bodyfile") == 0)
        must(printed_lines(said, '|', 11) == objects);
    else if (strcmp(writer, "sha256sum") == 0)
        must(printed_lines(said, '\\', 1) == objects - left_out);
    else if (strcmp(writer, "timesketch") == 0)
        check_json_lines(said);
    else if (strcmp(writer, "json") == 0 || strcmp(writer, "case") == 0) {
        must(*printed_blank(printed_json(said, 0, 1, &found)) == '\0');
        must(strcmp(writer, "case") == 0 || found == objects);
    } else if (strcmp(writer, "html") == 0)
        (void)printed_elements(said, "p");
    else
        must(printed_elements(said, "fileobject") == objects);
}

static void make_case(void)
{
    static const char *const beside[] = { "", "-wal", "-shm", ".lock" };
    char path[] = "/dev/shm/fuzz_writer_XXXXXX";

    must(close(mkstemp(path)) == 0 && unlink(path) == 0);
    must(db_case_create(path, false, &fixture.db, NULL) == ERR_OK);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) { /* it is held open */
        char name[sizeof path + 8];

        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    struct selection selection = selection_all();
    struct unfinished unfinished = { 0 };
    struct carve_images images = { 0 };
    char *said = NULL, title[TEXT_MAX], examiner[TEXT_MAX];
    size_t len = 0;
    uint64_t objects = 0;
    struct err err = { 0 };

    if (fixture.db == NULL)
        make_case();
    must(db_begin(fixture.db, NULL) == ERR_OK);
    text(&in, title, TEXT_MAX);
    text(&in, examiner, TEXT_MAX);
    make_run(&in);
    for (; objects < OBJECTS_MAX && in.at < in.end; objects++)
        make_object(&in, (int64_t)objects + 1);
    must(unfinished_find(fixture.db, &unfinished, NULL) == ERR_OK);
    struct report report = { .out = open_memstream(&said, &len),
                             .db = fixture.db,
                             .case_path = title,
                             .command_line = examiner,
                             .started = "2026-01-01T00:00:00Z",
                             .selection = &selection,
                             .unfinished = &unfinished,
                             .title = title,
                             .examiner = examiner,
                             .images = &images };

    must(report.out != NULL && selection_open(&selection, fixture.db, NULL) == ERR_OK);
    if (write_report(&report, &err) != ERR_OK) {
        fprintf(stderr, "%s\n", err.text);
        must(false);
    }
    must(report.chosen == objects);
    must(fclose(report.out) == 0);
    check(said, len, objects, report.left_out);
    free(said);
    selection_close(&selection);
    unfinished_release(&unfinished);
    db_rollback(fixture.db);
    return 0;
}
