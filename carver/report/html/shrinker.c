/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/shrinker.c - see shrinker.h. */
#include <string.h>

#include "carver/report/html/shrinker.h"

enum { SHRINKER_PATIENCE = 60 /* seconds of the clock: then it waits for something */ };

/* In the process: the order is the length of the file. */
static void shrinker_work(void *arg, uint64_t order, void *answer)
{
    const struct shrinker *shrinker = arg;
    const size_t len = order <= SHRINK_FILE ? (size_t)order : 0;
    const struct shrunk shrunk = shrink_jpeg(&shrinker->jpeg, shrinker->file, len, shrinker->small);

    memcpy(answer, &shrunk, sizeof shrunk);
}

enum err_code shrinker_open(struct shrinker *out, struct err *err)
{
    const struct jailed_how how = { .shared = SHRINK_FILE + SHRINK_BYTES,
                                    .answer = sizeof(struct shrunk),
                                    .seconds = SHRINKER_SECONDS,
                                    .patience = SHRINKER_PATIENCE,
                                    .failures = SHRINKER_FAILURES,
                                    .work = shrinker_work,
                                    .arg = out };

    *out = (struct shrinker){ 0 };
    if (!lib_turbojpeg_find(&out->jpeg))
        return ERR_RAISE(err, ERR_ENV, "libturbojpeg is not loaded");
    const enum err_code rc = jailed_open(&how, &out->process, err);
    if (rc == ERR_OK) {
        out->file = out->process.shared;
        out->small = out->file + SHRINK_FILE;
    }
    return rc;
}

void shrinker_close(struct shrinker *shrinker)
{
    jailed_close(&shrinker->process);
    *shrinker = (struct shrinker){ 0 };
}

struct shrunk shrinker_make(struct shrinker *shrinker, uint32_t len)
{
    struct shrunk shrunk = { 0 };

    if (len == 0 || !jailed_ask(&shrinker->process, len, &shrunk))
        return (struct shrunk){ 0 };
    /* It may be anything, once a picture has taken the process over. */
    if (shrunk.len <= SHRINK_BYTES && shrunk.damaged <= 1)
        return shrunk;
    jailed_distrust(&shrinker->process);
    return (struct shrunk){ 0 };
}
