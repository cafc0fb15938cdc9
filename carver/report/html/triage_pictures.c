/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/triage_pictures.c - see triage_pictures.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "carver/carve/extract.h"
#include "carver/cli/interrupt.h"
#include "carver/report/html/base64.h"
#include "carver/report/html/page.h"
#include "carver/report/html/shrinker.h"
#include "carver/report/html/triage_pictures.h"

void triage_pictures_add(struct triage_pictures *pictures, const struct db_triage_found *found)
{
    if (strcmp(found->kind, "known") == 0 && pictures->known_count < TRIAGE_PICTURES_KNOWN)
        pictures->known[pictures->known_count++] = found->offset;
    if (strcmp(found->kind, "picture") != 0)
        return;
    const bool tells = found->detail[0] != '\0';
    pictures->all++;
    pictures->telling += tells;
    if (strcmp(found->what, "jpg") != 0 || pictures->count == TRIAGE_PICTURES_MET)
        return;
    const uint64_t len =
        found->len != 0 && found->len < TRIAGE_PICTURE_BYTES ? found->len : TRIAGE_PICTURE_BYTES;
    pictures->met[pictures->count++] = (struct triage_picture){ found->offset, len, tells };
}

static int pictures_order(const void *a, const void *b)
{
    const struct triage_picture *x = a, *y = b;

    if (x->tells != y->tells)
        return x->tells ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool pictures_is_known(const struct triage_pictures *pictures,
                              const struct triage_picture *picture)
{
    for (uint32_t i = 0; i < pictures->known_count; i++)
        if (pictures->known[i] >= picture->offset &&
            pictures->known[i] - picture->offset < picture->len)
            return true;
    return false;
}

/* The image of the triage; NULL: it is not there, or is not what it was. */
static struct io_image *pictures_image(const struct carve_images *images, int64_t image_id)
{
    return image_id >= 1 && image_id <= images->count && !images->changed[image_id - 1]
               ? images->items[image_id - 1]
               : NULL;
}

/* Reads the picture into the shrinker's file: the count of its bytes; 0: some could not be read. */
static enum err_code pictures_read(const struct html *html, struct extract *extract,
                                   struct shrinker *shrinker, int64_t image_id,
                                   const struct triage_picture *picture, uint32_t *len,
                                   struct err *err)
{
    const struct carve_images *images = html->report->images;
    struct io_image *image = pictures_image(images, image_id);
    const uint64_t size = io_image_size(image);
    struct gallery_bytes bytes = { .bytes = shrinker->file, .room = SHRINK_FILE };
    struct extract_result result = { 0 };

    *len = 0;
    if (picture->offset >= size)
        return ERR_OK;
    const uint64_t left = size - picture->offset;
    const struct db_extent extent = { .offset = picture->offset,
                                      .len = left < picture->len ? left : picture->len };
    const struct extract_object what = { .image = image,
                                         .extents = &extent,
                                         .extent_count = 1,
                                         .unread = &images->unread[image_id - 1] };
    const enum err_code rc = extract_stream(extract, &what, gallery_piece, &bytes, &result, err);

    if (rc == ERR_OK && result.bad_bytes == 0)
        *len = (uint32_t)bytes.len;
    return rc == ERR_INPUT ? ERR_OK : rc;
}

static void pictures_item(FILE *out, const struct triage_picture *picture,
                          const struct shrinker *shrinker, const struct shrunk *shrunk)
{
    fputs("<li><img loading=\"lazy\" decoding=\"async\" alt=\"Picture at ", out);
    page_offset(out, picture->offset);
    fprintf(out, "%s\" src=\"data:image/jpeg;base64,", shrunk->damaged != 0 ? ", cut short" : "");
    base64_put(out, shrinker->small, shrunk->len);
    fputs("\"><span>", out);
    page_offset(out, picture->offset);
    fputs(shrunk->damaged != 0 ? " (cut short)</span></li>\n" : "</span></li>\n", out);
}

/* Those that can be shown, up to so many and for so long. */
static enum err_code pictures_show(const struct html *html, const struct triage_pictures *pictures,
                                   int64_t image_id, struct err *err)
{
    const uint64_t end = clock_now(CLOCK_MONOTONIC) + GALLERY_SECONDS * UINT64_C(1000000000);
    const uint64_t most =
        html->report->thumbs < TRIAGE_PICTURES ? html->report->thumbs : TRIAGE_PICTURES;
    struct shrinker shrinker;
    struct extract *extract = NULL;
    uint64_t shown = 0;
    enum err_code rc = shrinker_open(&shrinker, NULL);

    if (rc == ERR_OK)
        rc = extract_open(NULL, false, NULL, NULL, &extract, err);
    else
        rc = ERR_OK; /* without the library there are no small pictures, and a page all the same */
    for (uint32_t i = 0; rc == ERR_OK && extract != NULL && i < pictures->count && shown < most &&
                         clock_now(CLOCK_MONOTONIC) < end;
         i++) {
        uint32_t len = 0;

        if (interrupt_requested()) {
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
            break;
        }
        if (!pictures_is_known(pictures, &pictures->met[i]))
            rc = pictures_read(html, extract, &shrinker, image_id, &pictures->met[i], &len, err);
        const struct shrunk shrunk = len > 0 ? shrinker_make(&shrinker, len) : (struct shrunk){ 0 };
        if (shrunk.len == 0)
            continue;
        if (shown++ == 0)
            fputs("<ul class=\"gallery\">\n", html->out);
        pictures_item(html->out, &pictures->met[i], &shrinker, &shrunk);
    }
    if (shown > 0)
        fputs("</ul>\n", html->out);
    extract_close(extract);
    shrinker_close(&shrinker);
    return rc;
}

enum err_code triage_pictures_put(const struct html *html, struct triage_pictures *pictures,
                                  int64_t image_id, struct err *err)
{
    FILE *const out = html->out;

    if (pictures->all == 0)
        return ERR_OK;
    qsort(pictures->met, pictures->count, sizeof pictures->met[0], pictures_order);
    fputs("<p>Pictures that were met and noted: ", out);
    page_count(out, pictures->all);
    fputs("; with the camera or the place in them: ", out);
    page_count(out, pictures->telling);
    fputs(". JPEG files are shown below, those with camera or place first, "
          "but for those with a known block.</p>\n",
          out);
    if (pictures_image(html->report->images, image_id) == NULL) {
        fputs("<p class=\"note\">The image could not be read when this page was made, or it has "
              "changed.</p>\n",
              out);
        return ERR_OK;
    }
    return pictures->count > 0 ? pictures_show(html, pictures, image_id, err) : ERR_OK;
}
