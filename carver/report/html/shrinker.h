/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/shrinker.h - a process without rights that makes small pictures of large ones:
 * base/jailed.h. A picture that ends it, or takes SHRINKER_SECONDS and more, has no small one.
 */
#ifndef BURIN_CARVER_REPORT_HTML_SHRINKER_H
#define BURIN_CARVER_REPORT_HTML_SHRINKER_H

#include "base/jailed.h"
#include "carver/report/html/shrink.h"

enum {
    SHRINKER_SECONDS = 2,   /* of the processor, for one picture */
    SHRINKER_FAILURES = 100 /* then it is given up */
};

struct shrinker {
    struct lib_turbojpeg jpeg;
    uint8_t *file;  /* shared: SHRINK_FILE bytes of the file that is to be made smaller, */
    uint8_t *small; /* and behind them SHRINK_BYTES of the small picture */
    struct jailed process;
};

/* *out stays where it is until shrinker_close, which it needs also after an error. ERR_ENV: the
 * library is not loaded, no memory. */
ERR_MUST_CHECK enum err_code shrinker_open(struct shrinker *out, struct err *err);
void shrinker_close(struct shrinker *shrinker); /* of a zeroed one: a no-op */

/*
 * Makes a small picture of the first len bytes of shrinker->file, in shrinker->small; of none where
 * that cannot be done. len: SHRINK_FILE at most.
 */
struct shrunk shrinker_make(struct shrinker *shrinker, uint32_t len);

#endif
