/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/method.c - how the answers came about, and what they do not cover. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/known_word.h"
#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

/* Rows of a table while a walk of the case gives them. */
struct method_rows {
    struct html *html;
    uint64_t count;
    int64_t *runs; /* owned: ids of those that are told */
    uint32_t run_count;
};

static void method_heading(FILE *out, const char *const *names)
{
    fputs("<table class=\"rows\"><thead><tr>", out);
    for (; *names != NULL; names++)
        fprintf(out, "<th scope=\"col\">%s</th>", *names);
    fputs("</tr></thead><tbody>\n", out);
}

static void method_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    page_text(out, text);
    fputs("</td>", out);
}

static enum err_code method_run_id(void *arg, const struct db_run *run, struct err *err)
{
    struct method_rows *rows = arg;

    (void)err;
    if (rows->run_count < HTML_RUNS)
        rows->runs[rows->run_count++] = run->id;
    return ERR_OK;
}

static enum err_code method_set(void *arg, int64_t id, const struct db_known_set *set,
                                struct err *err)
{
    static const char *const names[] = { "Set", "What it says", "Hashes", "SHA-256 of the set",
                                         NULL };
    struct method_rows *rows = arg;
    FILE *const out = rows->html->out;

    (void)id;
    (void)err;
    if (rows->count++ == 0) {
        page_section(out, "known", "Known files");
        method_heading(out, names);
    }
    fputs("<tr><th scope=\"row\">", out);
    page_text(out, set->label[0] != '\0' ? set->label : set->path);
    fputs("</th>", out);
    method_cell(out, set->verdict);
    fputs("<td>", out);
    page_count(out, set->hashes);
    putc(' ', out);
    page_text(out, set->hash);
    if (set->block > 0)
        fprintf(out, " of blocks of %" PRIu32 " bytes", set->block);
    fputs("</td><td><code>", out);
    page_text(out, set->sha256);
    fputs("</code></td></tr>\n", out);
    return ERR_OK;
}

enum err_code html_known(struct html *html, struct err *err)
{
    struct method_rows rows = { .html = html, .runs = calloc(HTML_RUNS, sizeof *rows.runs) };
    FILE *const out = html->out;
    enum err_code rc = rows.runs != NULL ? db_runs_walk(html->report->db, method_run_id, &rows, err)
                                         : ERR_NO_MEMORY(err, HTML_RUNS * sizeof *rows.runs);

    for (uint32_t i = 0; rc == ERR_OK && i < rows.run_count; i++)
        rc = db_known_sets_walk(html->report->db, rows.runs[i], method_set, &rows, err);
    if (rc == ERR_OK && rows.count > 0) {
        fputs("</tbody></table>\n<dl class=\"counts\">", out);
        for (uint32_t i = 0; i <= DB_KNOWN_BAD; i++) {
            fprintf(out, "<dt><a href=\"#known=%s\">%s</a></dt><dd>", known_word((enum db_known)i),
                    known_word((enum db_known)i));
            page_count(out, html->known[i]);
            fputs("</dd>", out);
        }
        fputs("</dl>\n</section>\n", out);
    }
    free(rows.runs);
    return rc;
}

static enum err_code method_bad(void *arg, const struct db_bad_range *range, struct err *err)
{
    static const char *const names[] = { "Image", "From", "Bytes", "Why", "Cause", NULL };
    struct method_rows *rows = arg;
    FILE *const out = rows->html->out;

    (void)err;
    if (rows->count++ == 0)
        method_heading(out, names);
    if (rows->count > HTML_RANGES)
        return ERR_OK;
    fprintf(out, "<tr><td>%" PRId64 "</td><td class=\"mono\">", range->image_id);
    page_offset(out, range->offset);
    fputs("</td><td>", out);
    page_count(out, range->len);
    fputs("</td>", out);
    method_cell(out, range->source);
    method_cell(out, range->cause != 0 ? strerror(range->cause) : "");
    fputs("</tr>\n", out);
    return ERR_OK;
}

static enum err_code method_ranges(struct html *html, struct method_rows *rows, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < html->image_count; i++) {
        const int64_t id = html->images[i].image.id;
        struct db_run run;

        if (html->images[i].scanned == NULL)
            continue;
        rc = db_run_latest(html->report->db, id, &run, err);
        if (rc == ERR_OK)
            rc = db_bad_ranges_walk(html->report->db, id, run.resumes != 0 ? run.resumes : run.id,
                                    method_bad, rows, err);
    }
    return rc;
}

static enum err_code method_volume(void *arg, int64_t image_id, const struct db_volume *volume,
                                   struct err *err)
{
    static const char *const names[] = { "Image",       "No.",           "What",
                                         "File system", "From",          "Size",
                                         "Looked at",   "Why all of it", NULL };
    struct method_rows *rows = arg;
    FILE *const out = rows->html->out;

    (void)err;
    if (rows->count++ == 0) {
        fputs("<h3>Volumes, and how much of each was looked at</h3>\n", out);
        method_heading(out, names);
    }
    if (rows->count > HTML_RANGES)
        return ERR_OK;
    fprintf(out, "<tr><td>%" PRId64 "</td><td>%" PRIu32 "</td><td>", image_id, volume->slot);
    page_text(out, volume->description[0] != '\0' ? volume->description : volume->kind);
    fputs("</td>", out);
    method_cell(out, volume->content);
    fputs("<td class=\"mono\">", out);
    page_offset(out, volume->offset);
    fputs("</td><td>", out);
    page_bytes(out, volume->len);
    fputs("</td><td>", out);
    page_bytes(out, volume->scanned);
    fputs("</td>", out);
    method_cell(out, volume->why);
    fputs("</tr>\n", out);
    return ERR_OK;
}

/* The end of a table that a walk began, if it did. */
static void method_end(FILE *out, const struct method_rows *rows)
{
    if (rows->count > 0)
        fputs("</tbody></table>\n", out);
    if (rows->count > HTML_RANGES) {
        fputs("<p class=\"note\">", out);
        page_count(out, rows->count - HTML_RANGES);
        fputs(" more are in the case file.</p>\n", out);
    }
}

enum err_code html_unread(struct html *html, struct err *err)
{
    struct method_rows ranges = { .html = html }, volumes = { .html = html };
    FILE *const out = html->out;
    const struct unfinished *unfinished = html->report->unfinished;

    page_section(out, "unread", "What was not read, and what was not decided");
    for (uint32_t i = 0; i < html->image_count; i++) {
        const struct html_image *image = &html->images[i];
        const uint64_t size = image->image.size;
        const uint64_t read = image->read < size ? image->read : size;

        fputs("<p>", out);
        page_text(out, image->image.path);
        if (image->scanned == NULL) {
            fputs(" was not scanned.</p>\n", out);
            continue;
        }
        fputs(": ", out);
        page_share(out, read, size);
        fputs(" was gone over; ", out);
        page_count(out, size - read);
        fputs(" bytes were not; ", out);
        page_count(out, image->bad);
        fputs(" of those that were could not be read, and zeros stood in for them.</p>\n", out);
    }
    for (uint32_t i = 0; i < unfinished->count; i++) {
        fputs("<p class=\"warn\">", out);
        page_text(out, unfinished->items[i].text);
        fputs("</p>\n", out);
    }
    if (html->states[STATE_TRUNCATED] > 0) {
        fputs("<p>", out);
        page_count(out, html->states[STATE_TRUNCATED]);
        fputs(" objects are cut off: right from their beginning on, and then broken. The rest of "
              "such a file may lie elsewhere. <a href=\"#state=truncated\">Show them</a></p>\n",
              out);
    }
    enum err_code rc = method_ranges(html, &ranges, err);
    method_end(out, &ranges);
    if (rc == ERR_OK)
        rc = db_volumes_walk(html->report->db, method_volume, &volumes, err);
    method_end(out, &volumes);
    fputs("</section>\n", out);
    return rc;
}

static enum err_code method_run(void *arg, const struct db_run *run, struct err *err)
{
    struct method_rows *rows = arg;
    FILE *const out = rows->html->out;

    (void)err;
    if (++rows->count > HTML_RUNS)
        return ERR_OK;
    fprintf(out, "<li><p><code>");
    page_text(out, run->command_line);
    fputs("</code></p><p class=\"note\">", out);
    page_text(out, run->started);
    fputs(" to ", out);
    page_text(out, run->ended != NULL ? run->ended : "an end that nobody knows");
    fputs(": ", out);
    page_text(out, run->status);
    fputs(". burin ", out);
    page_text(out, run->version);
    fputs(" (", out);
    page_text(out, run->build);
    fputs(") on ", out);
    page_text(out, run->host);
    fputs(", by ", out);
    page_text(out, run->user);
    if (run->engine != NULL) {
        fputs(", engine ", out);
        page_text(out, run->engine);
    }
    fputs("</p><details><summary>Options and libraries</summary><p><code>", out);
    page_text(out, run->options);
    fputs("</code></p><p>", out);
    page_text(out, run->libraries);
    fputs("</p></details></li>\n", out);
    return ERR_OK;
}

enum err_code html_method(struct html *html, struct err *err)
{
    struct method_rows rows = { .html = html };
    char hash[DB_SHA256_HEX + 1] = "";
    FILE *const out = html->out;
    int64_t last = 0;

    page_section(out, "method", "Method");
    fputs("<p>The image is opened read-only and read once. Headers of known formats are looked for "
          "at every place; for each a validator of the format reads the structure from there on, "
          "and says how long the file is and whether it is whole. A header that its validator "
          "refuses is not listed.</p>\n<h3>What was run</h3>\n<ol class=\"runs\">\n",
          out);
    enum err_code rc = db_runs_walk(html->report->db, method_run, &rows, err);
    if (rc == ERR_OK)
        rc = db_log_last(html->report->db, &last, hash, err);
    fputs(
        "</ol>\n<h3>How to verify</h3>\n<p>The case file keeps a log whose entries are chained by "
        "hash. When this page was made, the last one was number ",
        out);
    fprintf(out, "%" PRId64 ", with the hash <code>%s</code>.</p>\n<pre><code>burin verify ", last,
            hash);
    const char *slash = strrchr(html->report->case_path, '/');
    page_text(out, slash != NULL ? slash + 1 : html->report->case_path);
    fputs("</code></pre>\n<p>checks the chain, the seal over all rows, and the image itself.</p>\n"
          "</section>\n",
          out);
    return rc;
}

void html_words(struct html *html)
{
    static const struct {
        const char *word, *what;
    } words[] = {
        { "object", "A file, or a part of one, that was recognised by its content." },
        { "complete", "A validator of the format read it to its end, and all that it checks is "
                      "right." },
        { "fragmented", "Complete, in more than one piece; every seam was proved." },
        { "truncated", "Right from its beginning on; then it breaks. Its length is that of the "
                       "right part." },
        { "footer", "Header and footer of a rule matched; no validator looked at it." },
        { "offset", "Where it begins, in bytes from the beginning of the image." },
        { "place", "What the file system says of that place: a living file, a deleted one, the "
                   "slack behind a file's end, unallocated space." },
        { "known", "What sets of hashes say: good, bad, or known without a verdict; unknown where "
                   "no set has it, unchecked where none was asked." },
        { "unreadable", "Bytes that the disk did not give, that were never acquired, or whose "
                        "checksum is wrong; never taken for data." },
    };
    FILE *const out = html->out;

    page_section(out, "words", "Words");
    fputs("<dl class=\"words\">\n", out);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", words[i].word, words[i].what);
    fputs("</dl>\n</section>\n", out);
}
