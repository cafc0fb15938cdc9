/* SPDX-License-Identifier: Apache-2.0
 * carver/case/unfinished.c - see unfinished.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/unfinished.h"
#include "carver/cli/about.h"
#include "carver/cli/print_safe.h"

/* How a scan that is not done stands. */
static const char *unfinished_how(struct db_case *db, const struct db_run *run, char *out,
                                  size_t size)
{
    char host[ABOUT_NAME_MAX];
    /* Who opened the case for writing since then has called the run interrupted; it has no end all
     * the same. */
    const bool dead = run->ended == NULL && strcmp(run->status, "interrupted") == 0;

    about_host(host);
    if (strcmp(run->status, "running") != 0 && !dead)
        snprintf(out, size, "is not finished (%s)", run->status);
    else if (!dead && db_written_now(db))
        snprintf(out, size, "is still going on: another program writes to the case file now");
    else if (dead || strcmp(run->host, host) == 0)
        snprintf(out, size, "did not finish: it was killed, or the machine stopped");
    else
        snprintf(out, size, "is not finished: it still runs on the machine %s, or was killed there",
                 run->host);
    return out;
}

/* The sentence about an image, to be freed. *text NULL: there is nothing to say. */
static enum err_code unfinished_look(struct db_case *db, int64_t image_id, char **text,
                                     struct err *err)
{
    struct db_run run = { 0 };
    struct db_image image;
    char how[ABOUT_NAME_MAX + 128];
    bool scanned = false;
    int len = 0;
    enum err_code rc = db_image_get(db, image_id, &image, err);

    *text = NULL;
    if (rc == ERR_OK)
        rc = db_scan_exists(db, image_id, &scanned, err);
    if (rc == ERR_OK && scanned)
        rc = db_run_latest(db, image_id, &run, err);
    if (rc != ERR_OK || (scanned && strcmp(run.status, "done") == 0))
        return rc;
    if (scanned)
        len = asprintf(
            text, "the scan of %s %s; objects are known only below offset %" PRIu64 " of %" PRIu64,
            image.path, unfinished_how(db, &run, how, sizeof how), run.position, image.size);
    else
        len = asprintf(text, "%s was searched but not scanned: the case file has no objects of it",
                       image.path);
    if (len < 0) {
        *text = NULL;
        rc = ERR_NO_MEMORY(err, strlen(image.path));
    }
    return rc;
}

enum err_code unfinished_find(struct db_case *db, struct unfinished *out, struct err *err)
{
    uint32_t images = 0;
    enum err_code rc = db_image_count(db, &images, err);

    *out = (struct unfinished){ 0 };
    if (rc != ERR_OK)
        return rc;
    out->items = calloc(images + 1u, sizeof *out->items);
    if (out->items == NULL)
        return ERR_NO_MEMORY(err, images * sizeof *out->items);
    for (uint32_t i = 1; i <= images && rc == ERR_OK; i++) {
        char *text = NULL;

        rc = unfinished_look(db, i, &text, err);
        if (text != NULL)
            out->items[out->count++] = (struct unfinished_scan){ i, text };
    }
    if (rc != ERR_OK)
        unfinished_release(out);
    return rc;
}

void unfinished_release(struct unfinished *unfinished)
{
    for (uint32_t i = 0; i < unfinished->count; i++)
        free(unfinished->items[i].text);
    free(unfinished->items);
    *unfinished = (struct unfinished){ 0 };
}

void unfinished_tell(const struct unfinished *unfinished, const char *command)
{
    for (uint32_t i = 0; i < unfinished->count; i++) {
        fprintf(stderr, "burin: %s: ", command);
        print_safe_message(stderr, unfinished->items[i].text);
        putc('\n', stderr);
    }
}
