/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_print.c - see scan_print.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/overview.h"
#include "carver/cli/args.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/cli/terminal.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_hash.h"
#include "carver/scan/scan_print.h"
#include "io/image.h"

enum {
    SCAN_PRINT_TYPES = 5, /* of a category, that have lines of their own */
    SCAN_NEXT_MAX = 8192, /* bytes of a command */
};

static void scan_print_json(const struct db_totals *rows, const struct scan_job *job,
                            const struct scan_done *done, struct json *json)
{
    const struct pipeline_totals *totals = done->totals;

    if (job->how->image_count > 1 && json->depth == 0)
        json_open_array(json, NULL);
    json_open_object(json, NULL);
    json_string(json, "image", done->path);
    json_string(json, "case", job->how->case_path);
    json_uint(json, "bytes", totals->bytes);
    json_uint(json, "hits", totals->recorded.hits);
    json_uint(json, "objects", rows->objects);
    json_uint(json, "complete", rows->complete);
    json_uint(json, "footer", rows->footer);
    json_uint(json, "truncated", rows->truncated);
    json_uint(json, "fragmented", rows->fragmented);
    json_uint(json, "embedded", rows->embedded);
    json_uint(json, "headers_checked", totals->plan.headers);
    json_uint(json, "headers_rejected", totals->plan.rejected);
    scan_cut_json(&totals->plan, json);
    json_uint(json, "bad_bytes", totals->recorded.bad_bytes);
    json_uint(json, "bytes_read_again", totals->reread);
    if (job->known_count > 0) {
        json_open_object(json, "known");
        json_uint(json, "good", totals->known.good);
        json_uint(json, "bad", totals->known.bad);
        json_uint(json, "known", totals->known.listed);
        json_uint(json, "unknown", totals->known.unknown);
        json_uint(json, "unchecked", totals->known.skipped);
        json_uint(json, "blocks", totals->known.blocks);
        json_uint(json, "block_runs", totals->known.runs);
        json_close_object(json);
    }
    scan_hash_json(done, json);
    json_string(json, "engine", totals->engine);
    json_string(json, "engine_why", totals->engine_why);
    json_string(json, "reader_why", totals->reader_why);
    json_string(json, "reader", totals->reader);
    json_close_object(json);
    if (job->how->image_count == 1)
        json_end(json);
}

void scan_print_end(struct json *json)
{
    if (json->depth == 0)
        return;
    json_close_array(json);
    json_end(json);
}

void scan_print_next(const char *case_path)
{
    char path[SCAN_NEXT_MAX];
    char *words[] = { "list", (char *)case_path };

    args_quote(2, words, path, sizeof path);
    print_safe_line(stderr, "next: %s", path);
    print_safe_line(stderr, "      burin carve --out DIR%s", path + strlen("burin list"));
}

/* How long it took; what was not read, and why. */
static void scan_print_read(const struct scan_done *done)
{
    const struct pipeline_totals *totals = done->totals;
    const uint64_t size = io_image_size(done->image);
    const double seconds = (double)done->elapsed / 1e9;
    char text[32];

    progress_bytes(done->bytes, text);
    fprintf(stderr, "%s in ", text);
    if (seconds < 60)
        fprintf(stderr, "%.1f s", seconds);
    else
        fprintf(stderr, "%u:%02u:%02u", (uint32_t)(seconds / 3600), (uint32_t)(seconds / 60) % 60,
                (uint32_t)seconds % 60);
    if (seconds > 0)
        fprintf(stderr, ", %.1f MB/s", (double)done->bytes / seconds / 1e6);
    if (totals->bytes < size) {
        progress_bytes(size - totals->bytes, text);
        fprintf(stderr, "; %s were not to be read", text);
    }
    if (totals->recorded.bad_bytes > 0) {
        progress_bytes(totals->recorded.bad_bytes, text);
        fprintf(stderr, "; %s could not be read (burin report --format mapfile lists them)", text);
    }
    putc('\n', stderr);
}

/* The summary for people. */
static enum err_code scan_print_text(const struct scan_job *job, const struct scan_done *done,
                                     struct err *err)
{
    const struct pipeline_totals *totals = done->totals;
    struct overview overview;
    enum err_code rc = overview_open(done->db, done->ids->image, &overview, err);

    if (rc != ERR_OK)
        return rc;
    print_safe_line(stderr,
                    "%s: %" PRIu64 " hit%s, %" PRIu64 " object%s (%" PRIu64 " complete, %" PRIu64
                    " by footer, %" PRIu64 " truncated, %" PRIu64
                    " put together from pieces; %" PRIu64 " inside others) in %s, by engine %s",
                    done->path, totals->recorded.hits, plural_s(totals->recorded.hits),
                    overview.all.objects, plural_s(overview.all.objects), overview.all.complete,
                    overview.all.footer, overview.all.truncated, overview.all.fragmented,
                    overview.all.embedded, job->how->case_path, totals->engine);
    if (done->pick != NULL)
        scan_print_read(done);
    scan_hash_print(done);
    rc = overview_print(&overview, stderr, terminal_columns(stderr), SCAN_PRINT_TYPES, err);
    overview_close(&overview);
    if (job->known_count > 0)
        print_safe_line(
            stderr,
            "%s: %" PRIu64 " object%s known to be bad, %" PRIu64 " good, %" PRIu64
            " known, %" PRIu64 " unknown; %" PRIu64 " known block%s in %" PRIu64 " run%s",
            done->path, totals->known.bad, plural_s(totals->known.bad), totals->known.good,
            totals->known.listed, totals->known.unknown, totals->known.blocks,
            plural_s(totals->known.blocks), totals->known.runs, plural_s(totals->known.runs));
    return rc;
}

enum err_code scan_print(const struct scan_job *job, const struct scan_done *done,
                         struct json *json, struct err *err)
{
    const struct scan_how *how = job->how;
    struct db_totals rows;

    if (!how->json) /* to count millions of rows would take longer than all else here */
        return how->quiet ? ERR_OK : scan_print_text(job, done, err);
    const enum err_code rc = db_totals(done->db, done->ids->image, &rows, err);
    if (rc == ERR_OK)
        scan_print_json(&rows, job, done, json);
    return rc;
}
