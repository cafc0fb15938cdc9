/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/page.h - pieces of a page: text that is never markup, numbers for people. */
#ifndef BURIN_CARVER_REPORT_HTML_PAGE_H
#define BURIN_CARVER_REPORT_HTML_PAGE_H

#include <stdint.h>
#include <stdio.h>

/* Between tags, or in double quotes: what print_safe_xml writes. */
void page_text(FILE *out, const char *text);
void page_texts(FILE *out, const char *text, size_t len); /* not ended by a NUL */

/* A path as an address of the page's own place, in double quotes: all but letters, digits, - . _ ~
 * and / as %HH of its bytes. So it has no scheme, and is none of another machine. */
void page_address(FILE *out, const char *path);

void page_count(FILE *out, uint64_t number);  /* 1,234,567 */
void page_bytes(FILE *out, uint64_t bytes);   /* 1.2 MiB */
void page_offset(FILE *out, uint64_t offset); /* 0x1000 */
/* A share in percent, of two digits that count: 100 %, 99.9 %, 0.012 %; never 100 of less than
 * all. */
void page_share(FILE *out, uint64_t part, uint64_t all);

/* A section that is open: </section> is the caller's. title: of ours. */
void page_section(FILE *out, const char *id, const char *title);

#endif
