/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/html.h - the walk over an HTML page to its </html>; for pages that call
 * themselves XML and are none, too. */
#ifndef BURIN_SIGNATURES_TEXT_HTML_H
#define BURIN_SIGNATURES_TEXT_HTML_H

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum html_phase { HTML_START, HTML_BODY, HTML_COMMENT, HTML_RAW, HTML_TAIL, HTML_TAIL_COMMENT };

/* Kept between calls; zeroed before the first. */
struct html_walk {
    struct chars text;
    enum html_phase phase;
    uint32_t raw;    /* which element's text is skipped: index of html_raw */
    uint64_t raw_at; /* where that, or a comment, began */
    bool plain;      /* one of them never ended: nothing is skipped since */
    uint32_t depth;  /* <html> elements open */
    uint32_t tags;   /* seen */
    bool head;       /* <head>, <body> or <title> among them */
    uint64_t end;    /* behind </html>; 0: not there yet */
};

/* Reads the page from its first character on. The caller has seen that it begins like one. */
struct sig_result html_walk(struct sig_input *in, struct html_walk *walk);

/* See struct sig, nest. */
void html_nest(struct sig_nest *nest, const uint8_t *bytes, uint32_t len);
uint32_t html_nest_wrong(const struct sig_nest *nest);

#endif
