/* carver/scan/scan_print.c - see scan_print.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/print_safe.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_hash.h"
#include "carver/scan/scan_print.h"

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

enum err_code scan_print(const struct scan_job *job, const struct scan_done *done,
                         struct json *json, struct err *err)
{
    const struct scan_how *how = job->how;
    const struct pipeline_totals *totals = done->totals;
    const char *path = done->path;
    struct db_totals rows;

    if (how->quiet &&
        !how->json) /* to count millions of rows would take longer than all else here */
        return ERR_OK;
    const enum err_code rc = db_totals(done->db, done->ids->image, &rows, err);
    if (rc != ERR_OK)
        return rc;
    if (how->json)
        scan_print_json(&rows, job, done, json);
    else if (!how->quiet)
        print_safe_line(stderr,
                        "%s: %" PRIu64 " hit%s, %" PRIu64 " object%s (%" PRIu64
                        " complete, %" PRIu64 " by footer, %" PRIu64 " truncated, %" PRIu64
                        " put together from pieces; %" PRIu64 " inside others) in %s, by engine %s",
                        path, totals->recorded.hits, plural_s(totals->recorded.hits), rows.objects,
                        plural_s(rows.objects), rows.complete, rows.footer, rows.truncated,
                        rows.fragmented, rows.embedded, how->case_path, totals->engine);
    if (!how->json && !how->quiet)
        scan_hash_print(done);
    if (job->known_count > 0 && !how->json && !how->quiet)
        print_safe_line(
            stderr,
            "%s: %" PRIu64 " object%s known to be bad, %" PRIu64 " good, %" PRIu64
            " known, %" PRIu64 " unknown; %" PRIu64 " known block%s in %" PRIu64 " run%s",
            path, totals->known.bad, plural_s(totals->known.bad), totals->known.good,
            totals->known.listed, totals->known.unknown, totals->known.blocks,
            plural_s(totals->known.blocks), totals->known.runs, plural_s(totals->known.runs));
    return ERR_OK;
}
