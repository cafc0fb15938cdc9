/* SPDX-License-Identifier: Apache-2.0
 * carver/merge/merge_job.c - see merge_job.h. */
#include "carver/merge/merge_job.h"

#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/args.h"
#include "carver/cli/print_safe.h"
#include "carver/keyword/keyword_sources.h"
#include "carver/plan/patterns.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_files.h"
#include "carver/scan/scan_keywords.h"
#include "carver/scan/scan_print.h"

enum { MERGE_NEXT_MAX = 8192 /* bytes of a command */ };

/* Options of the scan, as the shards have them, with what is to be done here. */
static struct scan_options job_options(const struct merge_how *merge,
                                       const struct shard_about *about, char **image)
{
    struct scan_options options = about->options;
    const struct scan_how scanned = options.how;

    options.how = merge->how;
    options.how.image_type = scanned.image_type;
    options.how.mapfile = scanned.mapfile;
    options.how.has_range = scanned.has_range;
    options.how.range = scanned.range;
    options.how.device_auto = false;
    options.how.images = image;
    options.how.image_count = 1;
    options.force = merge->force;
    options.resume = merge->resume;
    return options;
}

static enum err_code job_files(const struct scan_options *options, struct shards *shards, bool link,
                               const char *command_line, enum exit_status *status, struct err *err)
{
    struct patterns patterns = { 0 };
    struct scan_files files;
    enum err_code rc = scan_files_open(options, &files, err);

    if (rc == ERR_OK)
        rc = patterns_build(files.sigs, files.count, &patterns, err);
    if (rc == ERR_OK) {
        struct scan_job job = *scan_files_job(&files, &patterns, command_line);

        job.command = "merge";
        job.made_by = "scan";
        job.shards = shards;
        job.link = link;
        job.resumable = !link;
        rc = scan_images(&job, status, err);
    }
    if (rc == ERR_OK && !options->how.quiet && !options->how.json && !options->hits_only)
        scan_print_next(options->how.case_path);
    scan_files_close(&files);
    patterns_release(&patterns);
    return rc;
}

/* Of a search. */
struct job_search {
    struct keyword_set keywords;
    struct scan_job job;
    struct json json;
};

static void job_name(void *arg, uint32_t number, struct scan_name *out)
{
    const struct job_search *s = arg;

    scan_keywords_name(&s->keywords, number, out);
}

static enum err_code job_report(void *arg, const struct scan_done *done, struct err *err)
{
    struct job_search *s = arg;
    const struct scan_how *how = s->job.how;
    char next[MERGE_NEXT_MAX];
    char *words[] = { "list", "--found", (char *)(uintptr_t)how->case_path };

    if (how->json)
        return scan_print(&s->job, done, &s->json, err);
    if (how->quiet)
        return ERR_OK;
    scan_keywords_tell(how, done, done->totals->recorded.hits);
    args_quote(3, words, next, sizeof next);
    print_safe_line(stderr, "next: %s", next);
    return ERR_OK;
}

static enum err_code job_search(const struct scan_options *options, struct shards *shards,
                                const char *command_line, enum exit_status *status, struct err *err)
{
    const struct keyword_sources *sources = &shards_about(shards)->search;
    struct job_search s = { 0 };
    struct patterns patterns = { 0 };

    json_init(&s.json, stdout, 1);
    enum err_code rc = keyword_sources_read(sources, &s.keywords, err);
    if (rc == ERR_OK)
        rc = keyword_patterns(&s.keywords, &patterns, err);
    if (rc == ERR_OK) {
        s.job = (struct scan_job){ .command = "merge",
                                   .made_by = "search",
                                   .command_line = command_line,
                                   .how = &options->how,
                                   .plan = scan_keywords_plan(&s.keywords, &patterns),
                                   .row_count = s.keywords.count,
                                   .keywords = &s.keywords,
                                   .sources = sources,
                                   .name = job_name,
                                   .force = options->force,
                                   .shards = shards,
                                   .report = job_report,
                                   .arg = &s };
        rc = scan_images(&s.job, status, err);
    }
    patterns_release(&patterns);
    keyword_set_close(&s.keywords);
    return rc;
}

enum err_code merge_job_run(const struct merge_how *merge, struct shards *shards,
                            const char *command_line, enum exit_status *status, struct err *err)
{
    const struct shard_about *about = shards_about(shards);
    const bool search = about->search.encodings != NULL;
    char image[LIMIT_PATH];
    char *images[] = { image };
    const struct scan_options options = job_options(merge, about, images);

    if (snprintf(image, sizeof image, "%s", merge->image != NULL ? merge->image : about->image) >=
        (int)sizeof image)
        return ERR_RAISE(err, ERR_INPUT, "the path of the image is too long");
    if (search && merge->resume)
        return ERR_RAISE(err, ERR_ARG,
                         "--resume is of a scan, and %s has the shards of a search: merge them "
                         "into another case file, or with --force",
                         merge->folder);
    if (search && merge->link)
        return ERR_RAISE(err, ERR_ARG,
                         "--link is of a scan, and %s has the shards of a search: merge them "
                         "without it",
                         merge->folder);
    const enum err_code rc =
        search ? job_search(&options, shards, command_line, status, err)
               : job_files(&options, shards, merge->link, command_line, status, err);
    return rc == ERR_ARG ? ERR_RAISE(err, ERR_INPUT, "%s: what the shards were made with: %s",
                                     merge->folder, err->text)
                         : rc;
}
