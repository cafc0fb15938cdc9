/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/page.c - see page.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/report/html/page.h"

void page_text(FILE *out, const char *text)
{
    print_safe_xml(out, text);
}

void page_texts(FILE *out, const char *text, size_t len)
{
    char *copy = strndup(text, len);

    if (copy != NULL)
        print_safe_xml(out, copy);
    free(copy);
}

/* RFC 3986, 2.3 and 3.3. Two slashes at its begin would name a machine. */
void page_address(FILE *out, const char *path)
{
    while (path[0] == '/' && path[1] == '/')
        path++;
    for (; *path != '\0'; path++)
        if ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
            (*path >= '0' && *path <= '9') || strchr("-._~/", *path) != NULL)
            putc(*path, out);
        else
            fprintf(out, "%%%02X", (uint8_t)*path);
}

void page_count(FILE *out, uint64_t number)
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, number);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            putc(',', out);
        putc(digits[i], out);
    }
}

void page_bytes(FILE *out, uint64_t bytes)
{
    char text[32];

    progress_bytes(bytes, text);
    fputs(text, out);
}

void page_offset(FILE *out, uint64_t offset)
{
    fprintf(out, "0x%" PRIx64, offset);
}

void page_share(FILE *out, uint64_t part, uint64_t all)
{
    const double percent = all > 0 ? 100.0 * (double)part / (double)all : 0;

    if (part >= all && all > 0)
        fputs("100 %", out);
    else if (percent > 99.9)
        fputs("more than 99.9 %", out);
    else
        fprintf(out, percent >= 10 ? "%.1f %%" : "%.2g %%", percent);
}

void page_section(FILE *out, const char *id, const char *title)
{
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
            id, id, id, title);
}
