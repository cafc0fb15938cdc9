/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/triage.c - what triages of the images met: the answer of each, of what classes
 * the places were that it looked at, and where something notable lies. Nothing is said of what was
 * not looked at but what the triage said itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/html/html.h"
#include "carver/report/html/page.h"
#include "carver/report/html/triage_pictures.h"

enum { TRIAGE_RUNS = 16, TRIAGE_FOUND = 200 /* finds of one that are told */ };

struct triages {
    struct html *html;
    struct db_triage_run runs[TRIAGE_RUNS]; /* their texts are in the arena of the page */
    uint32_t count, all;
    uint64_t found;                   /* of the one that is told */
    struct triage_pictures *pictures; /* likewise */
};

static const char *triage_copy(struct html *html, const char *text)
{
    const char *copy = arena_copy(&html->text, text, strlen(text));

    return copy != NULL ? copy : "";
}

static enum err_code triage_add(void *arg, const struct db_triage_run *run, struct err *err)
{
    struct triages *triages = arg;

    (void)err;
    triages->all++;
    if (triages->count == TRIAGE_RUNS)
        return ERR_OK;
    struct db_triage_run *copy = &triages->runs[triages->count++];
    *copy = *run;
    copy->started = triage_copy(triages->html, run->started);
    copy->status = triage_copy(triages->html, run->status);
    copy->answer = triage_copy(triages->html, run->answer);
    copy->sum.content = "";
    return ERR_OK;
}

static enum err_code triage_found(void *arg, const struct db_triage_found *found, struct err *err)
{
    struct triages *triages = arg;
    FILE *const out = triages->html->out;

    (void)err;
    triage_pictures_add(triages->pictures, found);
    if (strcmp(found->kind, "picture") == 0)
        return ERR_OK;
    if (triages->found++ >= TRIAGE_FOUND)
        return ERR_OK;
    if (triages->found == 1)
        fputs("<table class=\"rows\"><thead><tr><th scope=\"col\">What was met</th><th "
              "scope=\"col\">Which</th><th scope=\"col\">Detail</th><th scope=\"col\" "
              "class=\"n\">Offset</th></tr></thead><tbody>\n",
              out);
    fputs("<tr><td>", out);
    page_text(out, found->kind);
    fputs("</td><th scope=\"row\">", out);
    page_text(out, found->what);
    fputs("</th><td>", out);
    page_text(out, found->detail);
    fputs("</td><td class=\"n mono\">", out);
    page_offset(out, found->offset);
    fputs("</td></tr>\n", out);
    return ERR_OK;
}

static void triage_classes(FILE *out, const struct db_triage *sum)
{
    const struct {
        const char *name;
        uint64_t units;
    } classes[] = { { "zeros", sum->zero },
                    { "a few bytes over and over", sum->fill },
                    { "text", sum->text },
                    { "structured", sum->structured },
                    { "dense", sum->dense },
                    { "uniform", sum->uniform },
                    { "not readable", sum->unreadable } };
    bool first = true;

    fputs("<p>Of the places that were looked at: ", out);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].units == 0)
            continue;
        fprintf(out, "%s%s ", first ? "" : " · ", classes[i].name);
        page_share(out, classes[i].units, sum->units);
        first = false;
    }
    fputs(".</p>\n", out);
}

static const char *triage_image(const struct html *html, int64_t image_id)
{
    for (uint32_t i = 0; i < html->image_count; i++)
        if (html->images[i].image.id == image_id)
            return html->images[i].image.path;
    return "";
}

static enum err_code triage_put(struct triages *triages, const struct db_triage_run *run,
                                struct err *err)
{
    struct html *html = triages->html;
    FILE *const out = html->out;

    fputs("<h3 class=\"path\">", out);
    page_text(out, triage_image(html, run->image_id));
    fputs("</h3>\n<p><strong>", out);
    page_text(out, run->answer[0] != '\0' ? run->answer : run->status);
    fputs("</strong></p>\n<p class=\"note\">", out);
    page_count(out, run->sum.units);
    fputs(" places were looked at in ", out);
    page_count(out, run->sweeps);
    fprintf(out, " %s, from ", run->sweeps == 1 ? "sweep" : "sweeps");
    page_text(out, run->started);
    fputs(" on; ", out);
    page_count(out, run->sum.hits);
    fputs(" of them hold something notable.</p>\n", out);
    if (run->sum.units > 0)
        triage_classes(out, &run->sum);
    triages->found = 0;
    *triages->pictures = (struct triage_pictures){ 0 };
    const enum err_code rc =
        db_triage_found_walk(html->report->db, run->run_id, triage_found, triages, err);
    if (triages->found > 0)
        fputs("</tbody></table>\n", out);
    if (triages->found > TRIAGE_FOUND) {
        fputs("<p class=\"note\">And ", out);
        page_count(out, triages->found - TRIAGE_FOUND);
        fputs(" more, in the table triage_found of the case file.</p>\n", out);
    }
    return rc == ERR_OK ? triage_pictures_put(html, triages->pictures, run->image_id, err) : rc;
}

static enum err_code triages_put(struct triages *triages, struct err *err)
{
    FILE *const out = triages->html->out;
    enum err_code rc = ERR_OK;

    page_section(out, "triage", "Triage");
    fputs(
        "<p class=\"note\">A sample of the image: what was met is proved, with its place; what was "
        "not met may be there, up to the bound that is told.</p>\n",
        out);
    for (uint32_t i = 0; rc == ERR_OK && i < triages->count; i++)
        rc = triage_put(triages, &triages->runs[i], err);
    if (triages->all > triages->count)
        fprintf(out, "<p class=\"note\">%" PRIu32 " more triages are in the case file.</p>\n",
                triages->all - triages->count);
    fputs("</section>\n", out);
    return rc;
}

enum err_code html_triage(struct html *html, struct err *err)
{
    struct triages triages = { .html = html, .pictures = malloc(sizeof *triages.pictures) };

    if (triages.pictures == NULL)
        return ERR_NO_MEMORY(err, sizeof *triages.pictures);
    enum err_code rc = db_triage_runs_walk(html->report->db, triage_add, &triages, err);
    if (rc == ERR_OK && triages.count > 0)
        rc = triages_put(&triages, err);
    free(triages.pictures);
    return rc;
}
