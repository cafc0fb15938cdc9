/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/objects.c - the objects: what the script shows, and a table that needs none.
 */
#include <inttypes.h>

#include "carver/case/known_word.h"
#include "carver/report/html/base64.h"
#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

static const char *const objects_states[] = { "complete", "footer", "truncated", "fragmented",
                                              "other" };
static const char *const objects_places[] = { "",         "file",          "deleted",
                                              "slack",    "unallocated",   "allocated",
                                              "metadata", "unpartitioned", "other" };

/* Filters, rows and details; hidden until the script is there. */
static void objects_grid(FILE *out)
{
    fputs(
        "<div id=\"browser\" hidden>\n<form id=\"filters\" role=\"search\" aria-label=\"Choose "
        "objects\">\n<label class=\"wide\">Search<input id=\"f-q\" type=\"search\" "
        "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"name, path, type, reason, or "
        "offset in hex\"></label>\n<label>Category<select id=\"f-cat\"></select></label>\n"
        "<label>Type<select id=\"f-type\"></select></label>\n<label>State<select "
        "id=\"f-state\"></select></label>\n<label>Place<select id=\"f-place\"></select></label>\n"
        "<label>Known<select id=\"f-known\"></select></label>\n<label>At least<input id=\"f-min\" "
        "inputmode=\"numeric\" autocomplete=\"off\" placeholder=\"bytes, 10K, 2M\"></label>\n"
        "<label class=\"check\"><input id=\"f-marked\" type=\"checkbox\"> marked "
        "only</label>\n<button type=\"reset\" id=\"f-reset\">Show all</button>\n</form>\n"
        "<p id=\"status\" role=\"status\" aria-live=\"polite\">Reading the objects…</p>\n"
        "<div class=\"split\"><div id=\"grid\" role=\"grid\" aria-label=\"Objects\" tabindex=\"0\" "
        "aria-describedby=\"grid-help\">\n<div id=\"head\" role=\"row\" "
        "aria-rowindex=\"1\"></div>\n"
        "<div id=\"view\"><div id=\"space\"></div><div id=\"rows\" "
        "role=\"presentation\"></div></div>"
        "</div>\n<aside id=\"detail\" aria-live=\"polite\" aria-label=\"The chosen "
        "object\"><p class=\"empty\">Choose an object to see all that is known of it.</p></aside>"
        "</div>\n<p id=\"grid-help\" class=\"note\">Arrow keys, Page Up and Down, Home and End "
        "move; "
        "the space bar marks. <button type=\"button\" id=\"b-csv\">Save these as CSV</button> "
        "<button type=\"button\" id=\"b-ids\">Save the numbers of marked objects</button> for "
        "<code>burin carve --ids FILE</code>.</p>\n</div>\n",
        out);
}

static void objects_row(struct html *html, const struct columns_row *row)
{
    FILE *const out = html->out;
    size_t len;
    const char *text = texts_text(&html->columns.texts, row->type, &len);

    fprintf(out, "<tr><td class=\"n\">%" PRId64 "</td><td>", row->id);
    page_texts(out, text, len);
    fprintf(out, "</td><td>%s</td><td class=\"n\">", objects_states[row->state]);
    page_bytes(out, row->len);
    fputs("</td><td class=\"n mono\">", out);
    page_offset(out, row->offset);
    fputs("</td><td class=\"mono\">", out);
    if (html->report->link != NULL) { /* names have no character that an address escapes */
        fputs("<a href=\"", out);
        page_address(out, html->report->link);
        putc('/', out);
        html_name(html, row);
        fputs("\">", out);
    }
    html_name(html, row);
    fputs(html->report->link != NULL ? "</a></td><td>" : "</td><td>", out);
    text = texts_text(&html->columns.texts, row->path, &len);
    page_texts(out, text, len);
    if (row->place != PLACE_UNKNOWN && row->place != PLACE_FILE)
        fprintf(out, "%s%s", len > 0 ? ", " : "", objects_places[row->place]);
    fprintf(out, "</td><td>%s</td></tr>\n",
            row->known == DB_KNOWN_UNCHECKED ? "" : known_word((enum db_known)row->known));
}

static void objects_table(struct html *html)
{
    FILE *const out = html->out;
    const size_t count = html->columns.count < HTML_ROWS ? html->columns.count : HTML_ROWS;

    fputs("<div id=\"table\">\n", out);
    if (count < html->columns.count) {
        fputs("<p class=\"note\">The first ", out);
        page_count(out, count);
        fputs(" of ", out);
        page_count(out, html->columns.count);
        fputs(" objects. On screen, with JavaScript, all are here; <code>burin report --format "
              "csv</code> writes all as a table.</p>\n",
              out);
    }
    fputs("<table class=\"rows\"><thead><tr><th scope=\"col\" class=\"n\">No.</th><th "
          "scope=\"col\">Type</th><th scope=\"col\">State</th><th scope=\"col\" "
          "class=\"n\">Size</th><th scope=\"col\" class=\"n\">Offset</th><th "
          "scope=\"col\">Name</th><th scope=\"col\">Place</th><th "
          "scope=\"col\">Known</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < count; i++)
        objects_row(html, &html->columns.rows[i]);
    fputs("</tbody></table>\n</div>\n", out);
}

static void objects_gallery(struct html *html)
{
    FILE *const out = html->out;
    const struct gallery *gallery = &html->gallery;

    if (gallery->pictures == 0)
        return;
    page_section(out, "gallery", "Pictures");
    fputs("<p class=\"note\">", out);
    page_count(out, gallery->count);
    fputs(" of ", out);
    page_count(out, gallery->pictures);
    fputs(" pictures, the largest files first: the small picture that a camera put into the file, "
          "or the file itself where it is small, or one that was made from a large JPEG file for "
          "this "
          "page.",
          out);
    if (gallery->hidden > 0) {
        putc(' ', out);
        page_count(out, gallery->hidden);
        fputs(" that a set calls bad are not shown.", out);
    }
    if (gallery->late > 0) {
        putc(' ', out);
        page_count(out, gallery->late);
        fputs(" of large files are not here: to make them would have taken too long.", out);
    }
    if (gallery->why != NULL)
        fprintf(out, " %s", gallery->why);
    fputs("</p>\n<ul class=\"gallery\">\n", out);
    for (size_t i = 0; i < gallery->count; i++) {
        const struct gallery_item *item = &gallery->items[i];
        const struct columns_row *row = &html->columns.rows[item->row];
        size_t len;
        const char *type =
            texts_text(&html->columns.texts, html->columns.rows[item->source].type, &len);
        const char *mime = gallery_mime(type, len);

        if (mime == NULL)
            continue;
        fprintf(out,
                "<li><a href=\"#id=%" PRId64 "\"><img id=\"t%" PRId64
                "\" loading=\"lazy\" decoding=\"async\" alt=\"Picture ",
                row->id, row->id);
        fprintf(out, "%" PRId64 "%s\" src=\"data:%s;base64,", row->id,
                item->damaged ? ", cut short" : "", item->made ? "image/jpeg" : mime);
        base64_put(out, item->bytes, item->len);
        const char *path = texts_text(&html->columns.texts, row->path, &len);
        fputs("\"><span>", out);
        if (len > 0)
            page_texts(out, path, len);
        else
            html_name(html, row);
        fputs(item->damaged ? " (cut short)</span></a></li>\n" : "</span></a></li>\n", out);
    }
    fputs("</ul>\n</section>\n", out);
}

static void objects_maps(struct html *html)
{
    FILE *const out = html->out;

    page_section(out, "map", "Where on the disk");
    for (uint32_t i = 0; i < html->image_count; i++) {
        if (html->image_count > 1) {
            fputs("<h3>", out);
            page_text(out, html->images[i].image.path);
            fputs("</h3>\n", out);
        }
        map_put(out, &html->images[i].map, i + 1);
    }
    fputs("</section>\n", out);
}

void html_objects(struct html *html)
{
    objects_maps(html);
    page_section(html->out, "objects", "Objects");
    objects_grid(html->out);
    objects_table(html);
    fputs("</section>\n", html->out);
    objects_gallery(html);
}
