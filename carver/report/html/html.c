/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/html.c - one page that needs nothing but itself: it can be handed on, opened
 * without a network, searched, and printed.
 *
 * No text of the evidence is ever markup: between tags it is escaped, and what the script reads is
 * base64. The page forbids itself everything else by a Content-Security-Policy that names its own
 * script and its own style by their hashes; pictures may be data of the page alone, and with --link
 * also files beside it.
 *
 * Source: https://www.w3.org/TR/CSP3/; https://html.spec.whatwg.org/
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/about.h"
#include "carver/report/html/base64.h"
#include "carver/report/html/html.h"
#include "carver/report/html/page.css.h"
#include "carver/report/html/page.h"
#include "carver/report/html/page.js.h"

enum { HTML_SHA256 = 32, HTML_LARGE = 60 << 20 /* bytes of a page that still opens well */ };

/* What the page is allowed: itself. */
static enum err_code html_policy(FILE *out, bool files, struct err *err)
{
    uint8_t script[HTML_SHA256], style[HTML_SHA256];

    if (EVP_Digest(page_js, sizeof page_js - 1, script, NULL, EVP_sha256(), NULL) != 1 ||
        EVP_Digest(page_css, sizeof page_css - 1, style, NULL, EVP_sha256(), NULL) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
          "'sha256-",
          out);
    base64_put(out, script, sizeof script);
    fputs("'; style-src 'sha256-", out);
    base64_put(out, style, sizeof style);
    fprintf(out, "'; img-src data:%s; base-uri 'none'; form-action 'none'\">\n",
            files ? " 'self'" : "");
    return ERR_OK;
}

static const char *html_title(const struct html *html)
{
    return html->report->title != NULL ? html->report->title : "What was found on the disk";
}

static enum err_code html_begin(struct html *html, struct err *err)
{
    FILE *const out = html->out;

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    const enum err_code rc = html_policy(out, html->report->link != NULL, err);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
          "content=\"no-referrer\">\n<title>",
          out);
    page_text(out, html_title(html));
    fputs("</title>\n<style>", out);
    fwrite(page_css, 1, sizeof page_css - 1, out);
    const char *slash = strrchr(html->report->case_path, '/');
    fprintf(out, "</style>\n</head>\n<body data-images=\"%" PRIu32 "\" data-case=\"",
            html->image_all);
    page_text(out, slash != NULL ? slash + 1 : html->report->case_path);
    if (html->report->link != NULL) {
        fputs("\" data-link=\"", out);
        page_address(out, html->report->link);
    }
    fputs("\">\n", out);
    return rc;
}

/* Patterns of the map: classes that are no category are told by more than a colour. */
static const char html_patterns[] =
    "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>"
    "<pattern id=\"p-bad\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
    "width=\"6\" "
    "height=\"6\" class=\"pb\"/><path d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\" class=\"ps\"/></pattern>"
    "<pattern id=\"p-unread\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><circle "
    "cx=\"2.5\" cy=\"2.5\" r=\"0.9\" class=\"pu\"/></pattern></defs></svg>\n";

static void html_header(struct html *html)
{
    const struct report *report = html->report;
    FILE *const out = html->out;

    fputs("<a class=\"skip\" href=\"#main\">To the content</a>\n", out);
    fputs(html_patterns, out);
    fputs("<header>\n", out);
    if (report->exhibit != NULL) {
        fputs("<p class=\"exhibit\">", out);
        page_text(out, report->exhibit);
        fputs("</p>\n", out);
    }
    fputs("<h1>", out);
    page_text(out, html_title(html));
    fputs("</h1>\n<p class=\"made\">", out);
    if (report->examiner != NULL) {
        fputs("Examiner: ", out);
        page_text(out, report->examiner);
        fputs(" · ", out);
    }
    fputs("Case file: ", out);
    const char *slash = strrchr(report->case_path, '/');
    page_text(out, slash != NULL ? slash + 1 : report->case_path);
    /* The one line that differs between two pages of one case file. */
    fprintf(out, "</p>\n<p class=\"made\">Made by burin %s, %s</p>\n</header>\n", about_version(),
            report->started);
}

/* Sections that may not be there are left out of it by the script's style: here are all that are.
 */
static void html_nav(struct html *html)
{
    FILE *const out = html->out;

    fputs("<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#summary\">Summary</a></li>\n", out);
    if (html->triages > 0)
        fputs("<li><a href=\"#triage\">Triage</a></li>\n", out);
    fputs("<li><a href=\"#look\">Look here first</a></li>\n<li><a href=\"#map\">On the "
          "disk</a></li>\n"
          "<li><a href=\"#objects\">Objects</a></li>\n",
          out);
    if (html->gallery.pictures > 0)
        fputs("<li><a href=\"#gallery\">Pictures</a></li>\n", out);
    if (html->dated > 0 || html->located > 0)
        fputs("<li><a href=\"#times\">Times and places</a></li>\n", out);
    fputs("<li><a href=\"#unread\">Not read</a></li>\n<li><a href=\"#method\">Method</a></li>\n"
          "<li><a href=\"#words\">Words</a></li>\n</ul></nav>\n",
          out);
}

static void html_block(FILE *out, const char *id, const struct columns_block *block)
{
    fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    base64_put(out, block->bytes, block->len);
    fputs("</script>\n", out);
}

/* Hashes take most of the room of a page, and are not packed: they go where it is too large. */
static enum err_code html_data(struct html *html, struct err *err)
{
    struct columns_block data = { 0 }, hashes = { 0 };
    FILE *const out = html->out;
    const bool many = html->columns.hashed * COLUMNS_SHA256 / 3 * 4 > HTML_LARGE;
    enum err_code rc = columns_pack(&html->columns, &data, err);

    if (rc == ERR_OK && html->columns.hashed > 0 && !many)
        rc = columns_pack_hashes(&html->columns, &hashes, err);
    if (rc == ERR_OK && many)
        fputs("<p class=\"note\">The SHA-256 of the objects are not on this page, which would be "
              "too large: <code>burin report --format csv</code> has them.</p>\n",
              out);
    fputs("</main>\n</div>\n", out);
    if (rc == ERR_OK)
        html_block(out, "data", &data);
    fputs("<script>", out);
    fwrite(page_js, 1, sizeof page_js - 1, out);
    fputs("</script>\n", out);
    /* Behind the script, which shows the objects while the browser reads them. */
    if (rc == ERR_OK && hashes.bytes != NULL)
        html_block(out, "hashes", &hashes);
    columns_block_close(&data);
    columns_block_close(&hashes);
    fputs("</body>\n</html>\n", out);
    return rc;
}

static enum err_code html_page(struct html *html, struct err *err)
{
    enum err_code rc = html_begin(html, err);

    html_header(html);
    fputs("<div class=\"page\">\n", html->out);
    html_nav(html);
    fputs("<main id=\"main\">\n", html->out);
    html_summary(html);
    if (rc == ERR_OK)
        rc = html_triage(html, err);
    html_look(html);
    html_objects(html);
    html_times(html);
    if (rc == ERR_OK)
        rc = html_keywords(html, err);
    if (rc == ERR_OK)
        rc = html_known(html, err);
    if (rc == ERR_OK)
        rc = html_unread(html, err);
    if (rc == ERR_OK)
        rc = html_method(html, err);
    html_words(html);
    return rc == ERR_OK ? html_data(html, err) : rc;
}

enum err_code report_html(struct report *report, struct err *err)
{
    struct html html = { .report = report, .out = report->out };
    enum err_code rc = html_gather(&html, err);

    if (rc == ERR_OK)
        rc = gallery_open(&html.gallery, &html.columns, report, err);
    if (rc == ERR_OK)
        rc = html_page(&html, err);
    gallery_close(&html.gallery);
    for (uint32_t i = 0; html.images != NULL && i < html.image_count; i++)
        map_close(&html.images[i].map);
    free(html.images);
    columns_close(&html.columns);
    arena_release(&html.text);
    return rc;
}
