/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/keywords.c - what searches found: each keyword, how often, and its first hits
 * with what stands around them, as far as the image is there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

enum { KEYWORDS_BEFORE = 32, KEYWORDS_AROUND = 112 /* bytes of a context */ };

struct keywords_hit {
    uint64_t offset;
    uint32_t len;
};

struct keywords_word {
    int64_t signature_id, image_id;
    char *name, *origin; /* owned */
    uint64_t hits;
    struct keywords_hit first[HTML_HITS];
    uint32_t count;
};

struct keywords {
    struct keywords_word *words; /* by signature */
    size_t count;
    uint64_t all;
};

static enum err_code keywords_add(void *arg, const struct db_searched *searched, struct err *err)
{
    struct keywords *keywords = arg;

    keywords->all++;
    if (keywords->count == HTML_KEYWORDS || searched->hits == 0)
        return ERR_OK;
    struct keywords_word *word = &keywords->words[keywords->count];
    *word = (struct keywords_word){ .signature_id = searched->signature_id,
                                    .image_id = searched->image_id,
                                    .name = strdup(searched->name),
                                    .origin = strdup(searched->origin),
                                    .hits = searched->hits };
    keywords->count++;
    return word->name != NULL && word->origin != NULL ? ERR_OK
                                                      : ERR_NO_MEMORY(err, strlen(searched->name));
}

static int keywords_order(const void *a, const void *b)
{
    const struct keywords_word *x = a, *y = b;

    return x->signature_id < y->signature_id ? -1 : x->signature_id > y->signature_id;
}

static enum err_code keywords_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    const struct keywords *keywords = arg;
    const struct keywords_word want = { .signature_id = hit->signature_id };
    struct keywords_word *word =
        bsearch(&want, keywords->words, keywords->count, sizeof want, keywords_order);

    (void)err;
    if (word != NULL && word->count < HTML_HITS)
        word->first[word->count++] = (struct keywords_hit){ hit->offset, hit->len };
    return ERR_OK;
}

/* What stands around a hit, as text: what is none is a dot, and the zeros of UTF-16 are left out.
 */
static void keywords_context(struct html *html, int64_t image_id, const struct keywords_hit *hit)
{
    const struct carve_images *images = html->report->images;
    uint8_t bytes[KEYWORDS_AROUND];
    char text[KEYWORDS_AROUND + 1];
    size_t used = 0;

    if (image_id < 1 || image_id > images->count)
        return;
    struct io_image *image = images->items[image_id - 1];
    const uint64_t size = io_image_size(image);
    const uint64_t from = hit->offset > KEYWORDS_BEFORE ? hit->offset - KEYWORDS_BEFORE : 0;
    if (from >= size)
        return;
    const size_t len = size - from < sizeof bytes ? (size_t)(size - from) : sizeof bytes;
    if (io_image_read_at(image, from, bytes, len, NULL) != ERR_OK)
        return;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == 0 && i > 0 && bytes[i - 1] >= 0x20 && bytes[i - 1] < 0x7f)
            continue;
        text[used++] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
    }
    text[used] = '\0';
    fputs(" <code>", html->out);
    page_text(html->out, text);
    fputs("</code>", html->out);
}

static void keywords_put(struct html *html, const struct keywords *keywords)
{
    FILE *const out = html->out;

    page_section(out, "keywords", "Keywords");
    fputs("<p class=\"note\">", out);
    page_count(out, keywords->all);
    fputs(" were looked for; those that are there:</p>\n<table class=\"rows\"><thead><tr><th "
          "scope=\"col\">Keyword</th><th scope=\"col\">How</th><th scope=\"col\" "
          "class=\"n\">Hits</th><th scope=\"col\">The first ones</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < keywords->count; i++) {
        const struct keywords_word *word = &keywords->words[i];

        fputs("<tr><th scope=\"row\">", out);
        page_text(out, word->name);
        fputs("</th><td>", out);
        page_text(out, word->origin);
        fputs("</td><td class=\"n\">", out);
        page_count(out, word->hits);
        fputs("</td><td><ul class=\"hits\">", out);
        for (uint32_t k = 0; k < word->count; k++) {
            fputs("<li><span class=\"mono\">", out);
            page_offset(out, word->first[k].offset);
            fputs("</span>", out);
            keywords_context(html, word->image_id, &word->first[k]);
            fputs("</li>", out);
        }
        fputs("</ul></td></tr>\n", out);
    }
    fputs("</tbody></table>\n</section>\n", out);
}

enum err_code html_keywords(struct html *html, struct err *err)
{
    struct keywords keywords = { .words = calloc(HTML_KEYWORDS, sizeof *keywords.words) };
    enum err_code rc = keywords.words != NULL
                           ? db_searched_walk(html->report->db, keywords_add, &keywords, err)
                           : ERR_NO_MEMORY(err, HTML_KEYWORDS * sizeof *keywords.words);

    for (uint32_t i = 0; rc == ERR_OK && keywords.count > 0 && i < html->image_all; i++)
        rc = db_hits_walk(html->report->db, (int64_t)i + 1, 0, keywords_hit, &keywords, err);
    if (rc == ERR_OK && keywords.all > 0)
        keywords_put(html, &keywords);
    for (size_t i = 0; keywords.words != NULL && i < keywords.count; i++) {
        free(keywords.words[i].name);
        free(keywords.words[i].origin);
    }
    free(keywords.words);
    return rc;
}
