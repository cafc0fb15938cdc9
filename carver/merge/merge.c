/* SPDX-License-Identifier: Apache-2.0
 * carver/merge/merge.c - `burin merge`: the shards of all parts of an image become the case file
 * that one machine's scan, or search, would have written.
 *
 *   folder ──► shards: options, image ──► merge_job: a job of `burin scan` or `burin search`, whose
 *   parts come from the shards ──► scan_images
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/key_file.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/merge/merge_job.h"
#include "carver/merge/merge_status.h"

enum { MERGE_COMMAND_LINE_MAX = 16384 };

enum {
    OPT_CASE = ARGS_LONG,
    OPT_MISSING,
    OPT_STATUS,
    OPT_PARTIAL,
    OPT_FOLLOW,
    OPT_ACCEPT_BAD,
    OPT_LINK,
    OPT_IMAGE,
    OPT_FORCE,
    OPT_RESUME,
    OPT_THREADS,
    OPT_WAIT,
    OPT_SIGN,
    OPT_NO_JAIL,
    OPT_JSON,
    OPT_PROGRESS,
};

static const struct args_option merge_options_table[] = {
    KEY_FILE_OPTION,
    { "case", OPT_CASE, "FILE" },
    { "missing", OPT_MISSING, NULL },
    { "status", OPT_STATUS, NULL },
    { "partial", OPT_PARTIAL, NULL },
    { "follow", OPT_FOLLOW, NULL },
    { "accept-bad", OPT_ACCEPT_BAD, NULL },
    { "link", OPT_LINK, NULL },
    { "image", OPT_IMAGE, "PATH" },
    { "force", OPT_FORCE, NULL },
    { "resume", OPT_RESUME, NULL },
    { "threads", OPT_THREADS, "N" },
    { "wait", OPT_WAIT, NULL },
    { "sign", OPT_SIGN, "CMD" },
    { "no-jail", OPT_NO_JAIL, NULL },
    { "json", OPT_JSON, NULL },
    { "quiet", 'q', NULL },
    { "progress", OPT_PROGRESS, "HOW" },
    { NULL, 0, NULL },
};

#define MERGE_TEXT                                                                                 \
    "  --case FILE          the case file to be made\n"                                            \
    "  --missing            print the numbers of the parts that have no whole shard, as 3,7-9, "   \
    "and\n"                                                                                        \
    "                       do no more; exit status 1 where there are some\n"                      \
    "  --status             print how many parts are done, under way and missing, and do no "      \
    "more\n"                                                                                       \
    "  --partial            merge the parts that are there; the others count as not read\n"        \
    "  --follow             begin with the parts that are there, and wait for the others while "   \
    "they\n"                                                                                       \
    "                       are scanned\n"                                                         \
    "  --accept-bad         merge parts with bytes that could not be read, though no other host "  \
    "has\n"                                                                                        \
    "                       tried\n"                                                               \
    "  --link               leave hits and objects in the shards, which have to stay there\n"      \
    "  --image PATH         where the image is, if not where it was scanned\n"                     \
    "  --force              keep an existing case file under another name, and make a new one\n"   \
    "  --resume             go on with a merge of a scan's parts that was stopped\n"               \
    "  --threads N          threads that read shards, assemble and hash (default: one for each "   \
    "CPU)\n"                                                                                       \
    "  --wait               wait while another program writes to the case file\n"                  \
    "  --sign CMD           seal the case file with the signature that CMD makes (see burin "      \
    "scan)\n" KEY_FILE_TEXT CONFINE_TEXT PROGRESS_TEXT                                             \
    "  -q, --quiet          print no progress and no summary\n"                                    \
    "  --json               print the summary as JSON on standard output\n"                        \
    "  --help               print this text\n"                                                     \
    "\n"                                                                                           \
    "DIR is the folder of burin scan --part K/N --parts DIR, or of burin search. The hits of a "   \
    "search\n"                                                                                     \
    "go into FILE also where it is the case file of a scan.\n"

struct merge_options {
    struct merge_how merge;
    bool missing, status, partial, follow, accept_bad;
};

static enum err_code merge_take(struct merge_options *o, int id, const char *value, struct err *err)
{
    switch (id) {
    case OPT_CASE:
        return scan_how_take(&o->merge.how, SCAN_OPT_CASE, value, err);
    case OPT_MISSING:
        o->missing = true;
        return ERR_OK;
    case OPT_STATUS:
        o->status = true;
        return ERR_OK;
    case OPT_PARTIAL:
        o->partial = true;
        return ERR_OK;
    case OPT_FOLLOW:
        o->follow = true;
        return ERR_OK;
    case OPT_ACCEPT_BAD:
        o->accept_bad = true;
        return ERR_OK;
    case OPT_LINK:
        o->merge.link = true;
        return ERR_OK;
    case OPT_IMAGE:
        o->merge.image = value;
        return args_file("--image", value, err);
    case OPT_FORCE:
        o->merge.force = true;
        return ERR_OK;
    case OPT_RESUME:
        o->merge.resume = true;
        return ERR_OK;
    case OPT_THREADS:
        return scan_how_take(&o->merge.how, SCAN_OPT_THREADS, value, err);
    case OPT_WAIT:
        return scan_how_take(&o->merge.how, SCAN_OPT_WAIT, value, err);
    case OPT_SIGN:
        return scan_how_take(&o->merge.how, SCAN_OPT_SIGN, value, err);
    case KEY_FILE:
        return key_file_take(value, err);
    case OPT_NO_JAIL:
        return scan_how_take(&o->merge.how, SCAN_OPT_NO_JAIL, value, err);
    case OPT_JSON:
        return scan_how_take(&o->merge.how, SCAN_OPT_JSON, value, err);
    case OPT_PROGRESS:
        return scan_how_take(&o->merge.how, SCAN_OPT_PROGRESS, value, err);
    default:
        return scan_how_take(&o->merge.how, SCAN_OPT_QUIET, value, err);
    }
}

static enum err_code merge_options_read(int argc, char **argv, struct merge_options *out,
                                        struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id = ARGS_END, count = 0;
    enum err_code rc;

    *out = (struct merge_options){ .merge = { .how = scan_how_defaults() } };
    args_begin(&args, "merge", merge_options_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = merge_take(out, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "DIR", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("DIR", operands[0], err);
    if (rc != ERR_OK)
        return rc;
    out->merge.folder = operands[0];
    if (out->merge.how.case_path[0] == '\0' && !out->missing && !out->status)
        return ERR_RAISE(err, ERR_ARG, "--case FILE is missing: the case file to be made");
    if (out->follow && (out->partial || out->missing || out->status))
        return ERR_RAISE(err, ERR_ARG,
                         "--follow waits for parts: it goes with none of --partial, --missing and "
                         "--status");
    if (out->merge.resume && out->merge.link)
        return ERR_RAISE(err, ERR_ARG,
                         "--resume and --link exclude each other: a merge with --link is quick, "
                         "and begins anew with --force");
    if (out->merge.resume && out->merge.force)
        return ERR_RAISE(err, ERR_ARG,
                         "--resume and --force exclude each other: --force begins anew");
    return ERR_OK;
}

static void merge_tell(void *arg, const char *line)
{
    (void)arg;
    print_safe_line(stderr, "burin: merge: %s", line);
}

/* All parts must be there, or may be missing. */
static enum err_code merge_check(const struct merge_options *o, struct shards *shards,
                                 struct err *err)
{
    char missing[MERGE_LIST_MAX];
    uint32_t wrong = 0;

    if (o->partial)
        shards_accept_bad(shards);
    const uint32_t count = merge_missing(shards, missing, &wrong);
    const uint32_t unproven = merge_unproven(shards);
    if (wrong > 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %" PRIu32 " of %" PRIu32
                         " parts cannot be used; burin merge --missing lists what to scan again",
                         o->merge.folder, wrong, shards_count(shards));
    if (count == 0 || o->partial || o->follow)
        return ERR_OK;
    if (count == unproven)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %" PRIu32 " of %" PRIu32
                         " parts have bytes that could not be read, and no other host has tried: "
                         "%s; scan them on another one, or give --accept-bad",
                         o->merge.folder, count, shards_count(shards), missing);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: %" PRIu32 " of %" PRIu32
                     " parts are missing: %s; scan them, or merge the others with --partial",
                     o->merge.folder, count, shards_count(shards), missing);
}

static enum err_code merge_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    char command_line[MERGE_COMMAND_LINE_MAX];
    struct merge_options options;
    struct shards *shards = NULL;

    args_quote(argc, argv, command_line, sizeof command_line);
    enum err_code rc = merge_options_read(argc, argv, &options, err);
    if (rc != ERR_OK)
        return rc;
    if (options.follow && !options.merge.how.quiet)
        print_safe_line(stderr, "burin: merge: %s: goes on as shards come", options.merge.folder);
    if (options.follow)
        rc = shards_await(options.merge.folder, err);
    if (rc == ERR_OK)
        rc = shards_open(options.merge.folder, merge_tell, NULL, &shards, err);
    if (rc == ERR_OK && options.accept_bad)
        shards_accept_bad(shards);
    if (rc == ERR_OK && options.follow)
        shards_follow(shards);
    if (rc == ERR_OK && options.missing)
        merge_print_missing(shards, status);
    else if (rc == ERR_OK && options.status)
        rc = merge_print_status(shards, err);
    else if (rc == ERR_OK) {
        rc = merge_check(&options, shards, err);
        if (rc == ERR_OK)
            rc = merge_job_run(&options.merge, shards, command_line, status, err);
    }
    shards_close(shards);
    return rc;
}

const struct command command_merge = {
    .name = "merge",
    .arguments = "[options] DIR",
    .what = "make a case file of the parts that burin scan or search --part has left",
    .options = MERGE_TEXT,
    .run = merge_run,
};
