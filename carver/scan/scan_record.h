/* carver/scan/scan_record.h - which signatures a scan uses, and what it writes about itself into
 * the case file. */
#ifndef BURIN_CARVER_SCAN_SCAN_RECORD_H
#define BURIN_CARVER_SCAN_SCAN_RECORD_H

#include <stdint.h>

#include "base/err.h"
#include "carver/cli/json.h"
#include "carver/keyword/keyword.h"
#include "carver/scan/pipeline.h"
#include "carver/scan/scan_options.h"
#include "carver/select/types.h"
#include "db/case.h"
#include "db/lock.h"

struct scan_ids {
    int64_t image, run;
    int64_t *signatures; /* by index; the caller frees it */
    int64_t before;      /* the last hit that the case file had before */
};

/*
 * Keywords instead of signatures: each is recorded as a signature of its own, its hits make no
 * objects, and the case file may be there already.
 */
struct scan_search {
    const struct keyword_set *keywords;
    /* Instead of the summary. */
    enum err_code (*report)(void *arg, struct db_case *db, struct io_image *image,
                            const struct scan_ids *ids, const struct pipeline_totals *totals,
                            struct err *err);
    void *arg;
};

struct scan_signatures {
    struct types_selection selection; /* of the built-in ones */
    struct sig_conf conf;             /* or the rules of a file */
    const struct sig **sigs;
    uint32_t count;
};

/* The signatures that the options ask for. Warnings of the linter go to standard error. */
ERR_MUST_CHECK enum err_code scan_signatures_open(const struct scan_options *options,
                                                  struct scan_signatures *out, struct err *err);
void scan_signatures_close(struct scan_signatures *signatures);

/* "scan" or "search". */
const char *scan_command_name(const struct scan_options *options);

/*
 * The case file that the lock is for: a new one, or the one that is there, if it has no scan of the
 * images yet. The lock is the case's as soon as *lock is NULL, also on an error.
 */
ERR_MUST_CHECK enum err_code scan_case_open(const struct scan_options *options,
                                            struct db_lock **lock, struct db_case **out,
                                            struct err *err);

/*
 * The rows that everything else refers to, in a transaction of their own. jail: what the program
 * has given up, for the log.
 */
ERR_MUST_CHECK enum err_code scan_record_begin(struct db_case *db, struct io_image *image,
                                               const char *path, const struct scan_options *options,
                                               const struct scan_signatures *signatures,
                                               const char *command_line, const char *jail,
                                               struct scan_ids *ids, struct err *err);

/*
 * The summary: text on standard error, or JSON on standard output. json: initialized; the document
 * is an object where one image is scanned, else an array of these objects, which stays open:
 * scan_print_end closes it.
 */
ERR_MUST_CHECK enum err_code scan_print(struct db_case *db, int64_t image_id, const char *path,
                                        const struct scan_options *options,
                                        const struct pipeline_totals *totals, struct json *json,
                                        struct err *err);
void scan_print_end(struct json *json);

#endif
