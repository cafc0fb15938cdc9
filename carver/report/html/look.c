/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/look.c - what an examiner will want to see first, each with some examples. */
#include <inttypes.h>

#include "carver/report/html/html.h"
#include "carver/report/html/page.h"

enum { LOOK_EXAMPLES = 5 };

/* A matter to look at. */
struct look {
    const char *title, *what; /* of ours */
    const char *link;         /* the words that choose its objects on this page; "" none */
    const char *tone;         /* "red", "amber", "calm" */
    bool (*has)(const struct columns_row *row);
};

static bool look_bad(const struct columns_row *row)
{
    return row->known == DB_KNOWN_BAD;
}

static bool look_keys(const struct columns_row *row)
{
    return row->category == SIG_CATEGORY_KEYS;
}

static bool look_mail(const struct columns_row *row)
{
    return row->category == SIG_CATEGORY_MAIL;
}

static bool look_databases(const struct columns_row *row)
{
    return row->category == SIG_CATEGORY_DATABASES;
}

static bool look_located(const struct columns_row *row)
{
    return row->located;
}

static bool look_deleted(const struct columns_row *row)
{
    return row->place == PLACE_DELETED;
}

static bool look_unallocated(const struct columns_row *row)
{
    return row->place == PLACE_UNALLOCATED || row->place == PLACE_UNPARTITIONED ||
           row->place == PLACE_SLACK;
}

static bool look_pieces(const struct columns_row *row)
{
    return row->state == STATE_FRAGMENTED;
}

static const struct look look_all[] = {
    { "Known bad", "Their hashes are in a set of files that is called bad.", "known=bad", "red",
      look_bad },
    { "Keys, passwords and encrypted volumes",
      "Private keys and certificates, password stores, wallets, and volumes that need a key.",
      "cat=keys", "amber", look_keys },
    { "Pictures that say where", "The place that the camera wrote into them.", "q=gps.lat", "amber",
      look_located },
    { "Mail and contacts", "Messages, mailboxes, address books and calendars.", "cat=mail", "calm",
      look_mail },
    { "Databases", "Chats, histories of browsers and what else programs keep.", "cat=databases",
      "calm", look_databases },
    { "Deleted files", "The file system still says which file was there.", "place=deleted", "calm",
      look_deleted },
    { "Outside of files", "In free space, behind the ends of files, or in no partition.",
      "place=free", "calm", look_unallocated },
    { "Put together from pieces", "Files that lay in more than one piece; every seam was proved.",
      "state=fragmented", "calm", look_pieces },
};

static bool look_put(struct html *html, const struct look *look)
{
    FILE *const out = html->out;
    uint64_t count = 0;

    for (size_t i = 0; i < html->columns.count; i++)
        count += look->has(&html->columns.rows[i]);
    if (count == 0)
        return false;
    fprintf(out, "<li class=\"%s\"><h3><a href=\"#%s\">%s</a> <span class=\"count\">", look->tone,
            look->link, look->title);
    page_count(out, count);
    fprintf(out, "</span></h3><p>%s</p><p class=\"examples\">", look->what);
    uint32_t given = 0;
    for (size_t i = 0; i < html->columns.count && given < LOOK_EXAMPLES; i++)
        if (look->has(&html->columns.rows[i])) {
            given++;
            html_link(html, &html->columns.rows[i]);
        }
    fputs("</p></li>\n", out);
    return true;
}

/* What lessens all other answers comes with them. */
static bool look_damage(struct html *html)
{
    FILE *const out = html->out;
    uint64_t bad = 0;
    bool undone = false;

    for (uint32_t i = 0; i < html->image_count; i++) {
        bad += html->images[i].bad;
        undone = undone || !html->images[i].done;
    }
    if (bad > 0) {
        fputs("<li class=\"amber\"><h3><a href=\"#unread\">Not all could be read</a> <span "
              "class=\"count\">",
              out);
        page_bytes(out, bad);
        fputs("</span></h3><p>Files may lie there that nobody can see here.</p></li>\n", out);
    }
    if (undone)
        fputs("<li class=\"amber\"><h3><a href=\"#unread\">A scan is not complete</a></h3><p>What "
              "lies behind the place where it stopped was not looked at.</p></li>\n",
              out);
    return bad > 0 || undone;
}

void html_look(struct html *html)
{
    FILE *const out = html->out;
    bool any = false;

    page_section(out, "look", "Look here first");
    fputs("<ul class=\"look\">\n", out);
    for (size_t i = 0; i < sizeof look_all / sizeof look_all[0]; i++)
        any = look_put(html, &look_all[i]) || any;
    any = look_damage(html) || any;
    fputs("</ul>\n", out);
    if (!any)
        fputs(
            "<p>Nothing here stands out by itself: no file that a set calls bad, no keys, mail or "
            "databases, no deleted files.</p>\n",
            out);
    fputs("</section>\n", out);
}
