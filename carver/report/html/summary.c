/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/summary.c - what was examined, what was found, and what to look at first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

static void summary_figure(FILE *out, uint64_t number, const char *what, const char *more)
{
    fputs("<div class=\"figure\"><b>", out);
    page_count(out, number);
    fprintf(out, "</b><span>%s</span>", what);
    if (more[0] != '\0')
        fprintf(out, "<small>%s</small>", more);
    fputs("</div>\n", out);
}

static void summary_figures(struct html *html)
{
    FILE *const out = html->out;
    const uint64_t deleted = html->places[PLACE_DELETED];

    fputs("<div class=\"figures\">\n", out);
    summary_figure(out, html->columns.count, "objects found",
                   html->inside > 0 ? "those inside others among them" : "");
    summary_figure(out, html->states[STATE_COMPLETE] + html->states[STATE_FRAGMENTED], "whole",
                   "read to their end and right");
    if (html->states[STATE_FRAGMENTED] > 0)
        summary_figure(out, html->states[STATE_FRAGMENTED], "put together", "from several pieces");
    summary_figure(out, html->states[STATE_TRUNCATED], "cut off",
                   "right from their beginning on, then broken");
    if (html->states[STATE_FOOTER] > 0)
        summary_figure(out, html->states[STATE_FOOTER], "by footer", "no validator looked at them");
    if (deleted > 0)
        summary_figure(out, deleted, "in deleted files", "as the file systems say");
    fputs("</div>\n", out);
}

static void summary_row(FILE *out, const char *name)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
}

static void summary_image(struct html *html, const struct html_image *image)
{
    FILE *const out = html->out;

    fputs("<div class=\"card\"><h3>", out);
    page_text(out, strrchr(image->image.path, '/') != NULL ? strrchr(image->image.path, '/') + 1
                                                           : image->image.path);
    fputs("</h3>\n<dl>", out);
    summary_row(out, "Path");
    page_text(out, image->image.path);
    fputs("</dd>", out);
    summary_row(out, "Size");
    page_bytes(out, image->image.size);
    fputs(" (", out);
    page_count(out, image->image.size);
    fputs(" bytes)</dd>", out);
    summary_row(out, "Container");
    page_text(out, image->image.format);
    fputs("</dd>", out);
    if (image->hash != NULL) {
        summary_row(out, "Hash");
        page_text(out, image->hash_kind);
        fputs(" <code>", out);
        page_text(out, image->hash);
        fputs("</code></dd>", out);
    }
    summary_row(out, "Scanned");
    if (image->scanned == NULL) {
        fputs("not scanned</dd>", out);
    } else {
        page_text(out, image->scanned);
        if (!image->done)
            fputs(" <strong class=\"warn\">did not come to its end</strong>", out);
        fputs("</dd>", out);
        summary_row(out, "Read");
        page_share(out, image->read < image->image.size ? image->read : image->image.size,
                   image->image.size);
        fputs(" of its bytes", out);
        if (image->bad > 0) {
            fputs("; <strong class=\"warn\">", out);
            page_count(out, image->bad);
            fputs(" bytes could not be read</strong>", out);
        }
        fputs("</dd>", out);
    }
    summary_row(out, "Found");
    page_count(out, image->objects);
    fputs(html->inside > 0 ? " objects that lie in no other one, together " : " objects, together ",
          out);
    page_bytes(out, image->found);
    fputs("</dd></dl></div>\n", out);
}

/* A bar of the categories by number of objects, and the table beside it. */
static void summary_categories(struct html *html)
{
    FILE *const out = html->out;
    uint32_t at = 0;

    if (html->columns.count == 0)
        return;
    fputs("<h3>By category</h3>\n<svg class=\"bar\" viewBox=\"0 0 1000 14\" "
          "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Objects by category; the table "
          "below has the numbers\">",
          out);
    for (uint32_t i = 0; i < SIG_CATEGORY_COUNT; i++) {
        const uint32_t width =
            (uint32_t)(1000.0 * (double)html->categories[i] / (double)html->columns.count + 0.5);

        if (html->categories[i] == 0)
            continue;
        fprintf(out,
                "<rect x=\"%" PRIu32 "\" y=\"0\" width=\"%" PRIu32
                "\" height=\"14\" class=\"m-%s\"><title>%s</title></rect>",
                at, width > 0 ? width : 1, sig_category_name((enum sig_category)i),
                sig_category_name((enum sig_category)i));
        at += width;
    }
    fputs("</svg>\n<table class=\"legend\"><thead><tr><th scope=\"col\">Category</th><th "
          "scope=\"col\" class=\"n\">Objects</th><th scope=\"col\" class=\"n\">Share</th><th "
          "scope=\"col\" class=\"n\">Bytes</th></tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < SIG_CATEGORY_COUNT; i++) {
        const char *name = sig_category_name((enum sig_category)i);

        if (html->categories[i] == 0)
            continue;
        fprintf(out,
                "<tr><th scope=\"row\"><i class=\"key m-%s\"></i><a href=\"#cat=%s\">%s</a></th>"
                "<td class=\"n\">",
                name, name, name);
        page_count(out, html->categories[i]);
        fputs("</td><td class=\"n\">", out);
        page_share(out, html->categories[i], html->columns.count);
        fputs("</td><td class=\"n\">", out);
        page_bytes(out, html->category_bytes[i]);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

void html_summary(struct html *html)
{
    FILE *const out = html->out;

    page_section(out, "summary", "Summary");
    summary_figures(html);
    fputs("<p class=\"note\">What was found are files and parts of files, recognised by what is in "
          "them. A file may be found that was never deleted; one that is not found may still be "
          "there, in pieces, packed, encrypted, or of a format that was not looked for.</p>\n",
          out);
    if (!html->report->selection->all)
        fputs("<p class=\"note\"><strong>This page is of chosen objects, not of all that the case "
              "file has.</strong></p>\n",
              out);
    summary_categories(html);
    fputs("<h3>Evidence</h3>\n<div class=\"cards\">\n", out);
    for (uint32_t i = 0; i < html->image_count; i++)
        summary_image(html, &html->images[i]);
    fputs("</div>\n", out);
    if (html->image_all > html->image_count)
        fprintf(out, "<p>%" PRIu32 " more images are in the case file.</p>\n",
                html->image_all - html->image_count);
    fputs("</section>\n", out);
}

void html_name(struct html *html, const struct columns_row *row)
{
    size_t len;
    const char *text = texts_text(&html->columns.texts, row->folder, &len);

    page_texts(html->out, text, len);
    fprintf(html->out, "%016" PRIx64, row->offset);
    text = texts_text(&html->columns.texts, row->tail, &len);
    page_texts(html->out, text, len);
}

void html_link(struct html *html, const struct columns_row *row)
{
    size_t len;
    const char *path = texts_text(&html->columns.texts, row->path, &len);

    fprintf(html->out, "<a href=\"#id=%" PRId64 "\">", row->id);
    if (len > 0)
        page_texts(html->out, path, len);
    else
        html_name(html, row);
    fputs("</a>", html->out);
}
