/*
 * carver/report.c - `burin report`: what a case file says, in the format of another tool.
 *
 * mapfile: the map of GNU ddrescue. Every byte of the image is in one block: a bad range has the
 * letter that is on record; else what the scan has gone over is '+', and the rest '?'.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/cli/about.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "db/case.h"

static const char report_options_text[] =
    "Prints on standard output what the case file says of an image.\n"
    "\n"
    "Options:\n"
    "  --format NAME        mapfile: a map of GNU ddrescue. + is what the latest scan has read, ? "
    "what\n"
    "                       it has not, and - * / what could not be read. + does not mean that "
    "the\n"
    "                       bytes were copied: do not let ddrescue go on with this map\n"
    "  --image N            of image N of the case file, from 1 on (default: the only "
    "one)\n" CONFINE_TEXT "  --help               print this text\n";

enum { REPORT_FORMAT = ARGS_LONG, REPORT_IMAGE, REPORT_NO_JAIL, REPORT_ROOM = 64 };

static const struct args_option report_table[] = { { "format", REPORT_FORMAT, "NAME" },
                                                   { "image", REPORT_IMAGE, "N" },
                                                   { "no-jail", REPORT_NO_JAIL, NULL },
                                                   { 0 } };

/* Bytes of one letter. */
struct report_block {
    uint64_t offset, len;
    char letter;
};

struct report_blocks {
    struct report_block *items; /* by ascending offset; owned */
    size_t count, room;
};

struct report {
    const char *path;
    const char *format;
    uint64_t image; /* 0: not said */
    bool no_jail;
    struct report_blocks read, bad;
};

static enum err_code report_read_options(int argc, char **argv, struct report *out, struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    args_begin(&args, "report", report_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == REPORT_FORMAT)
            out->format = value;
        else if (id == REPORT_NO_JAIL)
            out->no_jail = true;
        else
            rc = args_count("--image", value, 1, UINT32_MAX, &out->image, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        out->path = operands[0];
    if (rc == ERR_OK && (out->format == NULL || strcmp(out->format, "mapfile") != 0))
        rc = ERR_RAISE(err, ERR_ARG, "--format %s: write mapfile",
                       out->format == NULL ? "is missing" : out->format);
    return rc;
}

/* Adds a block; it is joined with the last one where they touch and have one letter. */
static enum err_code report_add(struct report_blocks *blocks, uint64_t offset, uint64_t len,
                                char letter, struct err *err)
{
    struct report_block *last = blocks->count > 0 ? &blocks->items[blocks->count - 1] : NULL;

    if (last != NULL && last->letter == letter && offset <= last->offset + last->len) {
        if (offset + len > last->offset + last->len)
            last->len = offset + len - last->offset;
        return ERR_OK;
    }
    if (blocks->count == blocks->room) {
        const size_t room = blocks->room == 0 ? REPORT_ROOM : blocks->room * 2;
        struct report_block *items = realloc(blocks->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        blocks->items = items;
        blocks->room = room;
    }
    blocks->items[blocks->count++] = (struct report_block){ offset, len, letter };
    return ERR_OK;
}

static enum err_code report_add_part(void *arg, const struct db_part *part, struct err *err)
{
    return report_add(&((struct report *)arg)->read, part->offset, part->len, '+', err);
}

static enum err_code report_add_bad(void *arg, const struct db_bad_range *range, struct err *err)
{
    return report_add(&((struct report *)arg)->bad, range->offset, range->len, range->status, err);
}

/* The first block, from *at on, that ends behind offset; NULL: none. */
static const struct report_block *report_next(const struct report_blocks *blocks, size_t *at,
                                              uint64_t offset)
{
    while (*at < blocks->count && blocks->items[*at].offset + blocks->items[*at].len <= offset)
        ++*at;
    return *at < blocks->count ? &blocks->items[*at] : NULL;
}

/* Cuts the image into blocks. */
static enum err_code report_cut(const struct report *report, uint64_t size,
                                struct report_blocks *out, struct err *err)
{
    size_t next_read = 0, next_bad = 0;
    enum err_code rc = ERR_OK;

    for (uint64_t at = 0, end; rc == ERR_OK && at < size; at = end) {
        const struct report_block *bad = report_next(&report->bad, &next_bad, at);
        const struct report_block *read = report_next(&report->read, &next_read, at);
        const struct report_block *here = bad != NULL && bad->offset <= at     ? bad
                                          : read != NULL && read->offset <= at ? read
                                                                               : NULL;

        end = here != NULL ? here->offset + here->len : size;
        if (here != bad && bad != NULL && bad->offset < end)
            end = bad->offset;
        if (here == NULL && read != NULL && read->offset < end)
            end = read->offset;
        if (end > size)
            end = size;
        rc = report_add(out, at, end - at, here != NULL ? here->letter : '?', err);
    }
    return rc;
}

static void report_print_map(const struct report *report, const struct db_image *image,
                             const struct report_blocks *blocks)
{
    const bool all = blocks->count == 1 && blocks->items[0].letter == '+';

    printf("# Mapfile. Created by burin %s from the case file ", about_version());
    print_safe(stdout, report->path);
    printf("\n# of image %" PRId64 ", ", image->id);
    print_safe(stdout, image->path);
    printf(
        "\n# + means: read by burin. It does not mean: copied. ddrescue must not go on with this "
        "map.\n"
        "# current_pos  current_status  current_pass\n"
        "0x%08" PRIX64 "     %c               1\n"
        "#      pos        size  status\n",
        UINT64_C(0), all ? '+' : '?');
    for (size_t i = 0; i < blocks->count; i++)
        printf("0x%08" PRIX64 "  0x%08" PRIX64 "  %c\n", blocks->items[i].offset,
               blocks->items[i].len, blocks->items[i].letter);
}

/* Which image is meant. */
static enum err_code report_image(const struct report *report, struct db_case *db,
                                  struct db_image *out, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    if (rc == ERR_OK && report->image == 0 && count > 1)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: it has %" PRIu32 " images; say which with --image N",
                       report->path, count);
    return rc == ERR_OK
               ? db_image_get(db, report->image == 0 ? 1 : (int64_t)report->image, out, err)
               : rc;
}

static enum err_code report_map(struct report *report, struct db_case *db, struct err *err)
{
    struct report_blocks blocks = { 0 };
    struct db_image image;
    struct db_run run;
    int64_t scan = 0;
    bool done = false;

    enum err_code rc = report_image(report, db, &image, err);
    if (rc == ERR_OK)
        rc = db_run_latest(db, image.id, &run, err);
    if (rc == ERR_OK) {
        scan = run.resumes != 0 ? run.resumes : run.id;
        done = strcmp(run.status, "done") == 0;
        rc = db_parts_walk(db, scan, 0, report_add_part, report, err);
    }
    if (rc == ERR_OK && report->read.count == 0 && done)
        rc =
            ERR_RAISE(err, ERR_INPUT,
                      "%s: it names no bytes that were scanned; those of an older burin do not, so "
                      "scan the image again",
                      report->path);
    if (rc == ERR_OK)
        rc = db_bad_ranges_walk(db, image.id, scan, report_add_bad, report, err);
    if (rc == ERR_OK)
        rc = report_cut(report, image.size, &blocks, err);
    if (rc == ERR_OK)
        report_print_map(report, &image, &blocks);
    free(blocks.items);
    return rc;
}

static enum err_code report_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct report report = { 0 };
    struct confine confine = { 0 };
    struct db_case *db = NULL;
    enum err_code rc = report_read_options(argc, argv, &report, err);

    (void)status;
    if (rc == ERR_OK) {
        confine_open(&confine, report.no_jail, CONFINE_ALL);
        confine_case(&confine, report.path);
        rc = confine_enter(&confine, err);
    }
    if (rc == ERR_OK)
        rc = db_case_open(report.path, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = report_map(&report, db, err);
    db_case_close(db);
    free(report.read.items);
    free(report.bad.items);
    return rc;
}

const struct command command_report = {
    .name = "report",
    .arguments = "--format NAME [options] CASE",
    .what = "print what a case file says, in the format of another tool",
    .options = report_options_text,
    .run = report_run,
};
