/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve_fixture.h - an image of 1 MiB and a case about it, for the tests of list and
 * carve.
 *
 *   id  type offset        length  state      what it is there for
 *    1  jpg  4096          5000    complete   a plain object
 *    2  jpg  4200          100     complete   lies in 1
 *    3  png  65536, 70000  1234    fragmented two extents: 1000 + 234
 *    4  zip  131072        3000    truncated  a validator found it broken: left out
 *    5  gif  131200        50      complete   lies in 4, which is left out
 *    6  gif  131200        60      footer     has the name of 5
 *    7  pdf  200000        100     truncated  cut by a rule, no validator
 *    8  elf  1048000       576     complete   has no extension and ends with the image
 */
#ifndef BURIN_TESTS_CARVER_CARVE_FIXTURE_H
#define BURIN_TESTS_CARVER_CARVE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carver/case/sample.h"
#include "carver/cli/command.h"
#include "db/case.h"

enum { FIXTURE_IMAGE = 1 << 20, FIXTURE_WORDS = 12 /* of a command line */ };

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != ERR_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

struct fixture {
    char folder[64];
    char image[96], case_path[96], out[96];
    uint8_t *bytes; /* of the image */
};

static inline uint8_t fixture_byte(uint32_t at)
{
    return (uint8_t)((at * 2654435761u) >> 23);
}

static inline int fixture_write(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *out = fopen(path, "w");

    if (out == NULL)
        return -1;
    const size_t wrote = fwrite(bytes, 1, len, out);
    return fclose(out) == 0 && wrote == len ? 0 : -1;
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (f == NULL)
        return -1;
    *state = f;
    f->bytes = malloc(FIXTURE_IMAGE);
    if (f->bytes == NULL)
        return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/burin-carve-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->image, sizeof f->image, "%s/disk image.raw", f->folder);
    snprintf(f->case_path, sizeof f->case_path, "%s/case", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    for (uint32_t i = 0; i < FIXTURE_IMAGE; i++)
        f->bytes[i] = fixture_byte(i);
    return fixture_write(f->image, f->bytes, FIXTURE_IMAGE);
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    const int status = system(command);
    free(f->bytes);
    free(f);
    return status;
}

static inline void fixture_object(struct db_case *db, const struct db_object *object)
{
    const struct db_hit hit = { object->id, object->image_id, 1, object->offset, 4, false };
    struct err err = { 0 };

    OK(db_hits_insert(db, &hit, 1, &err));
    OK(db_object_insert(db, object, &err));
}

/* Makes the case with image_count times the same image, and its objects in the first and the last
 * one of them. */
static inline void fixture_case(struct fixture *f, uint32_t image_count, const char *status)
{
    const struct db_extent one[] = { { 4096, 5000 } }, two[] = { { 4200, 100 } },
                           three[] = { { 65536, 1000 }, { 70000, 234 } },
                           four[] = { { 131072, 3000 } }, five[] = { { 131200, 50 } },
                           six[] = { { 131200, 60 } }, seven[] = { { 200000, 100 } },
                           eight[] = { { 1048000, 576 } };
    const struct db_object objects[] = {
        { 1,
          0,
          1,
          "jpg",
          "jpg",
          "complete",
          "EOI reached",
          true,
          true,
          true,
          4096,
          5000,
          one,
          1,
          0,
          NULL,
          "jpg/a.jpg",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 2,
          0,
          1,
          "jpg",
          "jpg",
          "complete",
          "EOI reached",
          true,
          true,
          false,
          4200,
          100,
          two,
          1,
          1,
          NULL,
          "jpg/b.jpg",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 3,
          0,
          1,
          "png",
          "png",
          "fragmented",
          "two \x01 & <pieces>",
          true,
          true,
          false,
          65536,
          1234,
          three,
          2,
          0,
          NULL,
          "png/c.png",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 4,
          0,
          1,
          "zip",
          "zip",
          "truncated",
          "member cut",
          true,
          true,
          true,
          131072,
          3000,
          four,
          1,
          0,
          NULL,
          "zip/d.zip",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 5,
          0,
          1,
          "gif",
          "gif",
          "complete",
          "trailer reached",
          true,
          true,
          false,
          131200,
          50,
          five,
          1,
          4,
          NULL,
          "gif/e.gif",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 6,
          0,
          1,
          "gif",
          "gif",
          "footer",
          "footer found",
          false,
          false,
          false,
          131200,
          60,
          six,
          1,
          0,
          NULL,
          "gif/f.gif",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 7,
          0,
          1,
          "pdf",
          "pdf",
          "truncated",
          "no footer",
          false,
          false,
          false,
          200000,
          100,
          seven,
          1,
          0,
          NULL,
          "pdf/g.pdf",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
        { 8,
          0,
          1,
          "elf",
          "",
          "complete",
          "sections read",
          true,
          true,
          false,
          1048000,
          576,
          eight,
          1,
          0,
          NULL,
          "elf/h",
          DB_SLACK_NONE,
          DB_KNOWN_UNCHECKED,
          false,
          0,
          NULL,
          0 },
    };
    const struct db_image_part parts[] = { { f->image, UINT64_MAX, NULL } };
    const struct db_image image = { 0, f->image, "raw", FIXTURE_IMAGE, 512, parts, 1 };
    struct db_case *db = NULL;
    struct err err = { 0 };

    OK(db_case_create(f->case_path, false, &db, &err));
    OK(db_begin(db, &err));
    for (uint32_t i = 0; i < image_count; i++) {
        int64_t image_id, run_id, signature_id;

        struct io_image *opened = NULL;
        struct sample sample = { 0 };

        OK(db_image_add(db, &image, &image_id, &err));
        OK(io_image_open(f->image, NULL, &opened, &err));
        OK(sample_take(opened, &sample, &err));
        OK(sample_record(db, image_id, &sample, &err));
        sample_release(&sample);
        io_image_close(opened);
        const struct db_run run = { 0,    image_id, "scan", "burin scan x", "0",  "b",  "l",
                                    "{}", "host",   "user", "ac",           NULL, NULL, "running",
                                    0,    0 };
        OK(db_run_add(db, &run, &run_id, &err));
        OK(db_run_progress(db, run_id, 1000000, &err));
        if (strcmp(status, "running") != 0)
            OK(db_run_finish(db, run_id, status, &err));
        const struct db_signature signature = { run_id,     0,       "jpg", "validator",
                                                "built-in", "\\xFF", NULL,  1 << 20 };
        OK(db_signature_add(db, &signature, &signature_id, &err));
        if (i != 0 && i != image_count - 1)
            continue;
        for (size_t k = 0; k < sizeof objects / sizeof objects[0]; k++) {
            struct db_object object = objects[k];

            object.image_id = image_id;
            object.signature_id = signature_id;
            object.id += (int64_t)i * 100;
            object.parent_id += object.parent_id != 0 ? (int64_t)i * 100 : 0;
            fixture_object(db, &object);
        }
    }
    OK(db_commit(db, &err));
    db_case_close(db);
}

/* What a shell command prints, cut at 64 KiB; its status must be 0. */
static inline void fixture_shell(const struct fixture *f, const char *command, char out[65536])
{
    char folder[sizeof f->folder];

    snprintf(folder, sizeof folder, "%s", f->folder);
    setenv("F", folder, 1);
    FILE *shell = popen(command, "r");

    assert_non_null(shell);
    const size_t len = fread(out, 1, 65535, shell);
    out[len] = '\0';
    if (pclose(shell) != 0)
        fail_msg("%s failed: %s", command, out);
}

struct fixture_ran {
    enum err_code rc;
    enum exit_status status;
    struct err err;
};

/*
 * Runs a command, in a process of its own, because it gives up its rights; what it prints goes to
 * FOLDER/stdout and FOLDER/stderr.
 */
static inline enum err_code fixture_run(const struct fixture *f, const struct command *command,
                                        enum exit_status *status, struct err *err,
                                        const char *const *words)
{
    char path[2][128], *argv[FIXTURE_WORDS + 2] = { (char *)(uintptr_t)command->name };
    int argc = 1, kept[2];

    for (; words[argc - 1] != NULL; argc++) {
        assert_true(argc <= FIXTURE_WORDS);
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    }
    struct fixture_ran *ran =
        mmap(NULL, sizeof *ran, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ended = 0;
    assert_true(ran != MAP_FAILED);
    snprintf(path[0], sizeof path[0], "%s/stdout", f->folder);
    snprintf(path[1], sizeof path[1], "%s/stderr", f->folder);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 2; i++) {
        FILE *to = fopen(path[i], "w");

        assert_non_null(to);
        kept[i] = dup(i + 1);
        dup2(fileno(to), i + 1);
        fclose(to);
    }
    const pid_t pid = fork();
    if (pid == 0) {
        ran->rc = command->run(argc, argv, &ran->status, &ran->err);
        fflush(stdout);
        fflush(stderr);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], i + 1);
        close(kept[i]);
    }
    assert_int_equal(ended, 0);
    const enum err_code rc = ran->rc;
    *status = ran->status;
    if (rc != ERR_OK)
        *err = ran->err;
    munmap(ran, sizeof *ran);
    return rc;
}

#define FIXTURE_RUN(f, command, status, err, ...)                                                  \
    fixture_run((f), (command), (status), (err), (const char *const[]){ __VA_ARGS__, NULL })

#endif
