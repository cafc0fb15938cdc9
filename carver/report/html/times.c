/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/times.c - when and where, as the files say: years as bars, places as points
 * and a table. No map of the world is fetched from anywhere. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

enum {
    TIMES_BARS = 120,   /* months or years in the picture */
    TIMES_PLACES = 200, /* places in the table */
    TIMES_DEGREE = 10000000,
    TIMES_YEAR_FIRST = 1980,
    TIMES_YEAR_LAST = 2099,
};

static int32_t times_year(int64_t seconds)
{
    const time_t time = seconds;
    struct tm tm = { 0 };

    (void)gmtime_r(&time, &tm);
    return tm.tm_year + 1900;
}

static void times_bars(FILE *out, const uint64_t years[], int32_t first, int32_t last)
{
    const int32_t count = last - first + 1, width = 1000 / count < 60 ? 1000 / count : 60;
    uint64_t most = 1;

    for (int32_t y = first; y <= last; y++)
        most = years[y - TIMES_YEAR_FIRST] > most ? years[y - TIMES_YEAR_FIRST] : most;
    fprintf(out,
            "<figure class=\"years\"><svg viewBox=\"0 0 %d 150\" role=\"img\" aria-label=\"Objects "
            "by the year of their own date; the table below has the numbers\">\n",
            count * width);
    for (int32_t y = first; y <= last; y++) {
        const uint64_t n = years[y - TIMES_YEAR_FIRST];
        const int32_t height = n == 0 ? 0 : 2 + (int32_t)(118.0 * (double)n / (double)most),
                      x = (y - first) * width;

        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"year\"><title>%d: "
                "%" PRIu64 "</title></rect>",
                x + 1, 124 - height, width > 3 ? width - 2 : width, height, y, n);
        if (count <= 24 || y % 10 == 0)
            fprintf(out, "<text x=\"%d\" y=\"143\">%d</text>", x + width / 2, y);
    }
    fputs("</svg></figure>\n<details><summary>The numbers</summary><table class=\"legend\"><thead>"
          "<tr><th scope=\"col\">Year</th><th scope=\"col\" "
          "class=\"n\">Objects</th></tr></thead><tbody>\n",
          out);
    for (int32_t y = first; y <= last; y++)
        if (years[y - TIMES_YEAR_FIRST] > 0) {
            fprintf(out, "<tr><th scope=\"row\">%d</th><td class=\"n\">", y);
            page_count(out, years[y - TIMES_YEAR_FIRST]);
            fputs("</td></tr>\n", out);
        }
    fputs("</tbody></table></details>\n", out);
}

static void times_years(struct html *html)
{
    uint64_t years[TIMES_YEAR_LAST - TIMES_YEAR_FIRST + 1] = { 0 }, beside = 0;
    int32_t first = TIMES_YEAR_LAST, last = TIMES_YEAR_FIRST;

    for (size_t i = 0; i < html->columns.count; i++) {
        const struct columns_row *row = &html->columns.rows[i];

        if (!row->dated)
            continue;
        const int32_t year = times_year(row->date);
        if (year < TIMES_YEAR_FIRST || year > TIMES_YEAR_LAST) {
            beside++;
            continue;
        }
        years[year - TIMES_YEAR_FIRST]++;
        first = year < first ? year : first;
        last = year > last ? year : last;
    }
    if (first <= last)
        times_bars(html->out, years, first, last);
    if (beside > 0)
        fprintf(html->out, "<p class=\"note\">%" PRIu64 " dates lie before %d or behind %d.</p>\n",
                beside, TIMES_YEAR_FIRST, TIMES_YEAR_LAST);
}

static double times_degrees(int32_t number)
{
    return (double)number / TIMES_DEGREE;
}

/* Longitude to the right, latitude upward, a line each 30 degrees. */
static void times_world(struct html *html)
{
    FILE *const out = html->out;

    fputs(
        "<figure class=\"world\"><svg viewBox=\"0 0 720 360\" role=\"img\" aria-label=\"Places by "
        "longitude and latitude; the table below has them\"><rect width=\"720\" height=\"360\" "
        "class=\"sea\"/>",
        out);
    for (int x = 60; x < 720; x += 60)
        fprintf(out, "<path d=\"M%d 0V360\" class=\"%s\"/>", x, x == 360 ? "axis" : "mesh");
    for (int y = 60; y < 360; y += 60)
        fprintf(out, "<path d=\"M0 %dH720\" class=\"%s\"/>", y, y == 180 ? "axis" : "mesh");
    uint32_t given = 0;
    for (size_t i = 0; i < html->columns.count && given < TIMES_PLACES; i++) {
        const struct columns_row *row = &html->columns.rows[i];

        if (!row->located)
            continue;
        given++;
        fprintf(out,
                "<a href=\"#id=%" PRId64 "\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" "
                "class=\"spot\"><title>%" PRId64 "</title></circle></a>",
                row->id, 2 * (times_degrees(row->longitude) + 180),
                2 * (90 - times_degrees(row->latitude)), row->id);
    }
    fputs("</svg><figcaption>Longitude to the right, latitude upward; a line each 30 "
          "degrees.</figcaption></figure>\n",
          out);
}

static void times_places(struct html *html)
{
    FILE *const out = html->out;
    uint32_t given = 0;

    times_world(html);
    fputs("<table class=\"rows\"><thead><tr><th scope=\"col\">Object</th><th scope=\"col\" "
          "class=\"n\">Latitude</th><th scope=\"col\" "
          "class=\"n\">Longitude</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < html->columns.count && given < TIMES_PLACES; i++) {
        const struct columns_row *row = &html->columns.rows[i];

        if (!row->located)
            continue;
        given++;
        fputs("<tr><td>", out);
        html_link(html, row);
        fprintf(out, "</td><td class=\"n mono\">%.6f</td><td class=\"n mono\">%.6f</td></tr>\n",
                times_degrees(row->latitude), times_degrees(row->longitude));
    }
    fputs("</tbody></table>\n", out);
}

void html_times(struct html *html)
{
    FILE *const out = html->out;

    if (html->dated == 0 && html->located == 0)
        return;
    page_section(out, "times", "Times and places");
    fputs("<p class=\"note\">As the files say: nothing vouches for it. Clocks are set wrong, and "
          "programs copy such claims from one file to another. ",
          out);
    page_count(out, html->dated);
    fputs(" objects have a date of their own, ", out);
    page_count(out, html->located);
    fputs(" a place.</p>\n", out);
    if (html->dated > 0)
        times_years(html);
    if (html->located > 0)
        times_places(html);
    fputs("</section>\n", out);
}
