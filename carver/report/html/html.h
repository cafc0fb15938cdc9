/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/html.h - what the parts of a page share: all that was gathered before the
 * first byte is written.
 */
#ifndef BURIN_CARVER_REPORT_HTML_HTML_H
#define BURIN_CARVER_REPORT_HTML_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "carver/report/html/columns.h"
#include "carver/report/html/gallery.h"
#include "carver/report/html/map.h"
#include "carver/report/report.h"

enum {
    HTML_IMAGES = 64,    /* images that have a card and a map; others are counted */
    HTML_ROWS = 500,     /* objects in the table that needs no script */
    HTML_RANGES = 200,   /* unreadable ranges that are told one by one */
    HTML_RUNS = 200,     /* runs that are told */
    HTML_KEYWORDS = 500, /* keywords that are told, */
    HTML_HITS = 5,       /* and hits of each */
};

struct html_image {
    struct db_image image; /* its texts are in the arena; no parts */
    struct map map;
    uint64_t read, bad;      /* bytes */
    uint64_t objects, found; /* top-level ones, and their bytes */
    const char *hash_kind, *hash;
    const char *scanned; /* when, or NULL: it was not */
    bool done;           /* the scan came to its end */
};

struct html {
    struct report *report;
    FILE *out;
    struct arena text;
    struct columns columns;
    struct html_image *images; /* owned */
    uint32_t image_count, image_all;
    uint64_t states[STATE_OTHER + 1], places[PLACE_COUNT], categories[SIG_CATEGORY_COUNT];
    uint64_t category_bytes[SIG_CATEGORY_COUNT], known[DB_KNOWN_BAD + 1];
    uint64_t dated, located;
    uint64_t bytes, inside; /* bytes of top-level objects; objects inside others */
    struct gallery gallery;
    uint32_t triages;
};

/* What the case says of its images, before the objects are known, and what is counted of those. */
ERR_MUST_CHECK enum err_code html_gather(struct html *html, struct err *err);

/* The parts, each one or more sections, in their order on the page. */
void html_summary(struct html *html);
void html_look(struct html *html);
void html_objects(struct html *html);
void html_times(struct html *html);
ERR_MUST_CHECK enum err_code html_triage(struct html *html, struct err *err);
ERR_MUST_CHECK enum err_code html_keywords(struct html *html, struct err *err);
ERR_MUST_CHECK enum err_code html_known(struct html *html, struct err *err);
ERR_MUST_CHECK enum err_code html_unread(struct html *html, struct err *err);
ERR_MUST_CHECK enum err_code html_method(struct html *html, struct err *err);
void html_words(struct html *html);

/* The name of an object; and a link to it on this page, by the path of its file if it is known. */
void html_name(struct html *html, const struct columns_row *row);
void html_link(struct html *html, const struct columns_row *row);

#endif
