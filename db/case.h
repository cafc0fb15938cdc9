/* SPDX-License-Identifier: Apache-2.0
 * db/case.h - the case file. Nothing else in burin speaks SQL; docs/reference/case-file.md
 * describes the tables.
 *
 * One case file holds one or more images, the runs over them, every hit and every recoverable
 * object, and a log whose entries are chained by hash. One process writes it at a time; others may
 * read it meanwhile. All offsets and lengths are bytes of the image. They must be below 2^63;
 * greater ones are ERR_INPUT.
 *
 * Errors   ERR_INPUT  the file is damaged or refuses a value; the text names table, row and column
 *                     and says what to try.
 *          ERR_ENV    the disk is full, there is no memory, the file may not be written, or another
 *                     program is writing.
 *          ERR_FULL   a text is longer than a case file stores.
 *          Every call can return these.
 * Threads  See db_case_take.
 * Source   https://www.sqlite.org/c3ref/intro.html; tests/db/ has the tests.
 */
#ifndef BURIN_DB_CASE_H
#define BURIN_DB_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    DB_SCHEMA_VERSION = 19,
    DB_SHA256_HEX = 64,
    DB_APPLICATION_ID = 0x4255524e, /* "BURN", in the header of every case file */
};

struct db_case; /* owned by the caller of db_case_create / db_case_open; see db_case_take */

/*
 * Makes a new case file with the present schema, and locks out every other writer until
 * db_case_close.
 *
 * force   What happens to a case file that is at the path already. False: ERR_INPUT. True: if it
 * has
 *         runs, it is renamed (CASE.old.1, ...); otherwise it is removed. A file that is not a case
 *         file is never replaced.
 * Errors  ERR_INPUT also when another program is writing to the case file; the text names it.
 */
ERR_MUST_CHECK enum err_code db_case_create(const char *path, bool force, struct db_case **out,
                                            struct err *err);

enum db_mode { DB_READ, DB_WRITE };

/*
 * Opens a case file.
 *
 * DB_WRITE  locks out every other writer until db_case_close, migrates an older schema, and sets
 * the
 *           status of runs to "interrupted" whose program died.
 * DB_READ   changes nothing in the file; an older schema is migrated in a temporary copy.
 * Errors    ERR_INPUT: the file is missing, is not a case file, is damaged (the text says what to
 *           try), or has a newer schema (the text says which burin wrote it); with DB_WRITE also
 *           when another program is writing.
 */
ERR_MUST_CHECK enum err_code db_case_open(const char *path, enum db_mode mode, struct db_case **out,
                                          struct err *err);

/*
 * The same for a program that already holds the lock of the case file. After ERR_OK the lock
 * belongs to the case; after an error it stays the caller's. kept is NULL, or DB_KEPT_MAX bytes for
 * the new path of a case file that was renamed; "" when none was.
 */
struct db_lock; /* lock.h */
struct db_wait;
enum { DB_KEPT_MAX = 4112 };
ERR_MUST_CHECK enum err_code db_case_create_locked(struct db_lock *lock, bool force, char *kept,
                                                   struct db_case **out, struct err *err);
ERR_MUST_CHECK enum err_code db_case_open_locked(struct db_lock *lock, struct db_case **out,
                                                 struct err *err);

/*
 * As db_case_open with DB_WRITE, but waits while another program writes, for as long as wait->go_on
 * returns true. wait NULL: it does not wait.
 */
ERR_MUST_CHECK enum err_code db_case_open_wait(const char *path, const struct db_wait *wait,
                                               struct db_case **out, struct err *err);

/* Keeps few pages in memory, for whoever goes over rows once. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code db_keep_little(struct db_case *db, struct err *err);

/*
 * A case belongs to one thread, at first to the one that opened it. This call gives it to the
 * calling thread; the thread that had it before must not use it any more. A call from any other
 * thread fails an assertion.
 */
void db_case_take(struct db_case *db);

/*
 * Rolls back what was not committed and closes the file. It frees the strings that the calls handed
 * out. NULL is a no-op.
 */
void db_case_close(struct db_case *db);

/*
 * Begin and end a transaction: its writes are stored together or not at all. Transactions do not
 * nest. Outside of them each call is a transaction of its own. When a write or the commit fails,
 * nothing of the transaction is stored, and every further write and db_commit fail until the next
 * db_begin. Errors: ERR_ENV when another program writes for longer than 5 s.
 */
ERR_MUST_CHECK enum err_code db_begin(struct db_case *db, struct err *err);
ERR_MUST_CHECK enum err_code db_commit(struct db_case *db, struct err *err);
/* Ends a transaction, if there is one: nothing of it is stored. */
void db_rollback(struct db_case *db);

/*
 * Between these two calls SQLite does not look whether the rows that a new row refers to are there,
 * which takes it half of the time of an object. db_objects_insert, db_object_insert,
 * db_nested_insert, db_bad_range_add and db_known_run_put look themselves, so the hit of an object
 * must be inserted before it, and both objects before what lies in what; the other calls that
 * insert rows with references are not for this time. Inside a transaction or outside of one.
 */
void db_bulk_begin(struct db_case *db);
void db_bulk_end(struct db_case *db);

/*
 * Copies committed changes from SQLite's write-ahead log into the case file (a checkpoint), as
 * db_case_close does, as far as readers allow. Not inside a transaction. It has no error: what
 * cannot be copied now is copied later, and the log keeps it until then.
 */
void db_checkpoint(struct db_case *db);

/* Whether the file's pages are consistent and its rows keep the rules of their tables. */
struct db_check {
    bool whole;
    char text[512]; /* the first fault, in SQLite's words, unless whole */
};
/* Checks the whole file. */
ERR_MUST_CHECK enum err_code db_check_pages(struct db_case *db, struct db_check *out,
                                            struct err *err);

/* ---- images ---- */

struct db_image_part {
    const char *path;     /* absolute */
    uint64_t size;        /* bytes; UINT64_MAX: not recorded */
    const char *modified; /* UTC, ISO 8601; NULL: not recorded */
};

struct db_image {
    int64_t id;           /* 0 when adding; 1 for the first image */
    const char *path;     /* as the user gave it, made absolute */
    const char *format;   /* as io_image_format gives it */
    uint64_t size;        /* bytes */
    uint32_t sector_size; /* bytes */
    const struct db_image_part *parts;
    uint32_t part_count;
};

/* The hash of a block of the image, from the time when the image was scanned. */
struct db_sample {
    uint64_t offset, len;
    char sha256[DB_SHA256_HEX + 1];
};

ERR_MUST_CHECK enum err_code db_image_add(struct db_case *db, const struct db_image *image,
                                          int64_t *id, struct err *err);
/* Stores hashes of blocks, by which a later command can tell whether the image is unchanged. */
ERR_MUST_CHECK enum err_code db_image_samples_add(struct db_case *db, int64_t image_id,
                                                  const struct db_sample *samples, uint32_t count,
                                                  struct err *err);
typedef enum err_code (*db_sample_fn)(void *arg, const struct db_sample *sample, struct err *err);
/*
 * Calls each for every such block, by ascending offset, under the rules of db_hits_walk. An image
 * that an older burin scanned has none.
 */
ERR_MUST_CHECK enum err_code db_image_samples(struct db_case *db, int64_t image_id,
                                              db_sample_fn each, void *arg, struct err *err);
/* Stores what the container says of the image; again for the same name: replaces it. */
ERR_MUST_CHECK enum err_code db_image_fact_add(struct db_case *db, int64_t image_id,
                                               const char *name, const char *value,
                                               struct err *err);
typedef enum err_code (*db_image_fact_fn)(void *arg, const char *name, const char *value,
                                          struct err *err);
/* Calls each for every such fact, by ascending name, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_image_facts(struct db_case *db, int64_t image_id,
                                            db_image_fact_fn each, void *arg, struct err *err);

/* A hash of the whole image, from the run that scanned it. */
struct db_image_hash {
    int64_t image_id, run_id;
    const char *kind, *digest; /* "md5", "sha1", "sha256", "tree"; hex digits */
    uint64_t bytes;            /* of the image */
    uint64_t filled;           /* of them, that zeros stood in for */
};
ERR_MUST_CHECK enum err_code db_image_hash_add(struct db_case *db, const struct db_image_hash *hash,
                                               struct err *err);
typedef enum err_code (*db_image_hash_fn)(void *arg, const struct db_image_hash *hash,
                                          struct err *err);
/* Calls each for every such hash, by ascending run and kind, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_image_hashes(struct db_case *db, int64_t image_id,
                                             db_image_hash_fn each, void *arg, struct err *err);
enum { DB_LEAF = 32 /* bytes of a digest of a MiB of an image */ };

/*
 * Leaves of the tree hash of an image, DB_LEAF bytes each, from number `first` on. run_id: the run
 * that began the scan. get: *leaves, [*count * DB_LEAF], is the caller's to free, and is NULL where
 * there are none; run_id 0: of the run that came to a tree hash last. Errors of get also:
 * ERR_INPUT: one is missing among them.
 */
ERR_MUST_CHECK enum err_code db_leaves_add(struct db_case *db, int64_t image_id, int64_t run_id,
                                           uint64_t first, const uint8_t *leaves, uint64_t count,
                                           struct err *err);
ERR_MUST_CHECK enum err_code db_leaves_get(struct db_case *db, int64_t image_id, int64_t run_id,
                                           uint8_t **leaves, uint64_t *count, struct err *err);
/*
 * The image lies elsewhere now: its paths and parts become those of *image, whose id says which one
 * it is. Format and sizes stay.
 */
ERR_MUST_CHECK enum err_code db_image_move(struct db_case *db, const struct db_image *image,
                                           struct err *err);
ERR_MUST_CHECK enum err_code db_image_count(struct db_case *db, uint32_t *count, struct err *err);
/*
 * Reads an image. The strings of *out are valid until the next db_image_get or db_case_close.
 * Errors: ERR_INPUT when there is no such image.
 */
ERR_MUST_CHECK enum err_code db_image_get(struct db_case *db, int64_t id, struct db_image *out,
                                          struct err *err);

/* ---- runs ---- */

struct db_run {
    int64_t id;
    int64_t image_id;                        /* 0 for a run that is not about one image (carve) */
    const char *command;                     /* "scan", "carve" */
    const char *command_line;                /* the whole line, quoted for a shell */
    const char *version, *build, *libraries; /* of burin: text for people */
    const char *options;                     /* a JSON object with the settings of the run */
    const char *host, *user;
    const char *engine;          /* name and device; NULL: the run has no engine */
    const char *started, *ended; /* UTC, ISO 8601; started NULL: now; ended NULL: it still runs */
    const char *status;          /* "running", "done", "interrupted", "failed" */
    uint64_t position;           /* image offset up to which all objects have been decided */
    int64_t resumes;             /* the run that began the scan which this one went on with, or 0 */
};

ERR_MUST_CHECK enum err_code db_run_add(struct db_case *db, const struct db_run *run, int64_t *id,
                                        struct err *err);
ERR_MUST_CHECK enum err_code db_run_progress(struct db_case *db, int64_t id, uint64_t position,
                                             struct err *err);
ERR_MUST_CHECK enum err_code db_run_finish(struct db_case *db, int64_t id, const char *status,
                                           struct err *err);
/*
 * Reads the latest scan of an image. The strings of *out are valid until the next db_run_latest or
 * db_case_close. Errors: ERR_INPUT when the image has no scan.
 */
ERR_MUST_CHECK enum err_code db_run_latest(struct db_case *db, int64_t image_id, struct db_run *out,
                                           struct err *err);

typedef enum err_code (*db_run_fn)(void *arg, const struct db_run *run, struct err *err);
/* Calls each for every run of the case, in their order, under the rules of db_hits_walk. Its
 * strings are valid during the call. */
ERR_MUST_CHECK enum err_code db_runs_walk(struct db_case *db, db_run_fn each, void *arg,
                                          struct err *err);

/* Whether the image has a scan. An image may have been added by a search only. */
ERR_MUST_CHECK enum err_code db_scan_exists(struct db_case *db, int64_t image_id, bool *exists,
                                            struct err *err);

/* Whether another program has the case file open for writing. */
bool db_written_now(const struct db_case *db);

/* ---- signatures and hits ---- */

struct db_signature {
    int64_t run_id;
    uint32_t number;             /* the signature's number within the run, counted from 0 */
    const char *name;            /* name of its type */
    const char *kind;            /* "validator" or "rule" */
    const char *origin;          /* "built-in", or "FILE:LINE" */
    const char *header, *footer; /* text with \xHH escapes; footer NULL: it has none */
    uint64_t size_max;           /* bytes; stored as 2^63 - 1, no limit, when it is 2^63 or more */
};

ERR_MUST_CHECK enum err_code db_signature_add(struct db_case *db,
                                              const struct db_signature *signature, int64_t *id,
                                              struct err *err);

/* ---- how far a scan came, and what it needs to go on ---- */

/* A part of the image that a run has gone over. */
struct db_part {
    uint64_t offset, len; /* bytes of the image */
    bool has_crc64;
    uint64_t crc64; /* CRC-64 (ECMA-182) of the bytes of its range before it */
};
typedef enum err_code (*db_part_fn)(void *arg, const struct db_part *part, struct err *err);

ERR_MUST_CHECK enum err_code db_part_add(struct db_case *db, int64_t run_id,
                                         const struct db_part *part, struct err *err);
/*
 * Calls each for every part of a scan that begins at image offset `from` or behind it, by ascending
 * offset, under the rules of db_hits_walk. scan_id: the run that began the scan; parts of the runs
 * that went on with it are among them.
 */
ERR_MUST_CHECK enum err_code db_parts_walk(struct db_case *db, int64_t scan_id, uint64_t from,
                                           db_part_fn each, void *arg, struct err *err);

/* A volume of an image that a scan was not asked to look at as a whole, and why it looked at what
 * it did. Strings of db_volumes_walk are valid during the call of each. */
struct db_volume {
    uint32_t number; /* from 0, in the order of io/volumes.h */
    uint32_t slot;   /* of mmls */
    const char *kind, *description, *content, *label;
    uint64_t offset, len; /* bytes of the image */
    uint64_t scanned;     /* bytes of it that were to be looked at */
    const char *why;      /* it is not known which of its bytes are in use; "" where it is */
};
typedef enum err_code (*db_volume_fn)(void *arg, int64_t image_id, const struct db_volume *volume,
                                      struct err *err);

/* run_id: the run that began the scan. */
ERR_MUST_CHECK enum err_code db_volume_add(struct db_case *db, int64_t run_id,
                                           const struct db_volume *volume, struct err *err);
/* Calls each for all volumes of the case, by run and number, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_volumes_walk(struct db_case *db, db_volume_fn each, void *arg,
                                             struct err *err);

#define DB_NO_TIME INT64_MIN

/* What file systems say of the place that an object begins at. Strings of db_found_in_of are valid
 * during the call of each. */
struct db_found_in {
    int64_t object_id;
    uint32_t slot; /* of the partition, as mmls numbers it; 0: in none */
    const char *kind, *file_system, *path;
    uint64_t inode, file_offset;
    /* Of the file, in seconds since 1970 UTC; DB_NO_TIME: not known. */
    int64_t modified, accessed, changed, created;
};
typedef enum err_code (*db_found_in_fn)(void *arg, const struct db_found_in *place,
                                        struct err *err);

/* Removes what is said of the objects of an image. */
ERR_MUST_CHECK enum err_code db_found_in_clear(struct db_case *db, int64_t image_id,
                                               struct err *err);
ERR_MUST_CHECK enum err_code db_found_in_add(struct db_case *db, const struct db_found_in *place,
                                             struct err *err);
/* Whether anything is known of the place of any object. */
ERR_MUST_CHECK enum err_code db_found_in_any(struct db_case *db, bool *any, struct err *err);
/* Calls each with what is known of the place of the object, if anything is. */
ERR_MUST_CHECK enum err_code db_found_in_of(struct db_case *db, int64_t object_id,
                                            db_found_in_fn each, void *arg, struct err *err);
/* The same for all objects, by ascending id, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_found_in_walk(struct db_case *db, db_found_in_fn each, void *arg,
                                              struct err *err);

/* A run of bytes in which hits count, of a scan that does not look at the whole image. */
ERR_MUST_CHECK enum err_code db_scanned_add(struct db_case *db, int64_t run_id, uint64_t offset,
                                            uint64_t len, struct err *err);
typedef enum err_code (*db_scanned_fn)(void *arg, uint64_t offset, uint64_t len, struct err *err);
/* Calls each for every such run of a scan, by ascending offset, under the rules of db_hits_walk;
 * for none where it looks at all that it was asked to. scan_id: the run that began the scan. */
ERR_MUST_CHECK enum err_code db_scanned_walk(struct db_case *db, int64_t scan_id,
                                             db_scanned_fn each, void *arg, struct err *err);

/*
 * What a scan needs to go on at an image offset: bytes that only carver/scan/ understands. There is
 * one of a scan; put replaces it. get: *bytes is the caller's to free; NULL: there is none.
 */
ERR_MUST_CHECK enum err_code db_state_put(struct db_case *db, int64_t scan_id, uint64_t position,
                                          const uint8_t *bytes, size_t len, struct err *err);
ERR_MUST_CHECK enum err_code db_state_get(struct db_case *db, int64_t scan_id, uint64_t *position,
                                          uint8_t **bytes, size_t *len, struct err *err);
ERR_MUST_CHECK enum err_code db_state_drop(struct db_case *db, int64_t scan_id, struct err *err);

/*
 * Sectors of parts that may begin plain text, for the run that goes on with the scan: bytes that
 * only carver/text/ understands, in a row for each commit. offset: of the first part, and behind
 * those of the rows before. walk: calls each for all rows of a scan, by ascending offset, under the
 * rules of db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_text_spots_add(struct db_case *db, int64_t scan_id, uint64_t offset,
                                               const uint8_t *bytes, size_t len, struct err *err);
typedef enum err_code (*db_text_spots_fn)(void *arg, const uint8_t *bytes, size_t len,
                                          struct err *err);
ERR_MUST_CHECK enum err_code db_text_spots_walk(struct db_case *db, int64_t scan_id,
                                                db_text_spots_fn each, void *arg, struct err *err);
ERR_MUST_CHECK enum err_code db_text_spots_drop(struct db_case *db, int64_t scan_id,
                                                struct err *err);

/* What a sweep of a triage met in a volume, or in no volume. */
struct db_triage {
    uint32_t sweep;
    uint32_t volume, slot; /* as of struct db_volume */
    const char *content;   /* "" when unknown */
    /* Units, of which each of the next seven is a part; hits: units that hold something notable. */
    uint64_t units, zero, fill, text, structured, dense, uniform, unreadable, hits;
};
ERR_MUST_CHECK enum err_code db_triage_add(struct db_case *db, int64_t run_id,
                                           const struct db_triage *counts, struct err *err);

/* Something that a triage met. */
struct db_triage_found {
    uint32_t number; /* from 0 */
    uint64_t offset, len;
    const char *kind;          /* "file", "known", "keyword", "picture" */
    const char *what, *detail; /* longer ones are cut */
};
ERR_MUST_CHECK enum err_code db_triage_found_add(struct db_case *db, int64_t run_id,
                                                 const struct db_triage_found *found,
                                                 struct err *err);

/* A triage, its sweeps and volumes taken together. Texts are valid during the call of each. */
struct db_triage_run {
    int64_t run_id, image_id;
    const char *started, *status; /* as in the table runs */
    const char *answer;           /* its last line of the log; "" where it did not end */
    uint64_t sweeps;
    struct db_triage sum; /* sweep, volume, slot and content say nothing */
};
typedef enum err_code (*db_triage_run_fn)(void *arg, const struct db_triage_run *run,
                                          struct err *err);
typedef enum err_code (*db_triage_found_fn)(void *arg, const struct db_triage_found *found,
                                            struct err *err);
/* Calls each for every triage of the case, or for what one met, in their order, under the rules of
 * db_hits_walk. */
ERR_MUST_CHECK enum err_code db_triage_runs_walk(struct db_case *db, db_triage_run_fn each,
                                                 void *arg, struct err *err);
ERR_MUST_CHECK enum err_code db_triage_found_walk(struct db_case *db, int64_t run_id,
                                                  db_triage_found_fn each, void *arg,
                                                  struct err *err);

/* ---- what an audit found ---- */

enum { DB_FINGERPRINT_HEX = 16 };

/* What met a rule in an image: a value, wherever it stands there, or an object. */
struct db_finding {
    uint32_t number;                          /* from 0 */
    const char *rule, *severity;              /* "critical", "warning", "info" */
    int64_t image_id, object_id;              /* object_id 0: it is none */
    uint64_t offset, len;                     /* of its first place */
    uint64_t places;                          /* at least 1 */
    char fingerprint[DB_FINGERPRINT_HEX + 1]; /* hex digits */
    const char *excerpt; /* for people, with secrets masked; longer ones are cut */
    const char *change;  /* "new", "moved", "same", "gone", "unknown" */
    const char *allowed; /* why the allow list lets it pass, or ""; cut likewise */
};
ERR_MUST_CHECK enum err_code db_finding_add(struct db_case *db, int64_t run_id,
                                            const struct db_finding *finding, struct err *err);
typedef enum err_code (*db_finding_fn)(void *arg, const struct db_finding *finding,
                                       struct err *err);
/*
 * Calls each for every finding of an audit, in their order, under the rules of db_hits_walk.
 * run_id 0: of the last audit of the case; no call where it has none.
 */
ERR_MUST_CHECK enum err_code db_findings_walk(struct db_case *db, int64_t run_id,
                                              db_finding_fn each, void *arg, struct err *err);

/* ---- rules of YARA ---- */

/* A rule that an object meets, or why an object is not decided. */
struct db_yara {
    uint32_t number; /* from 0, of the run */
    int64_t object_id;
    const char *rule, *space, *tags; /* rule "": none; space: its namespace */
    const char *string;              /* that stands first in the object, or "" */
    uint64_t offset;                 /* of it, or of the object, in the image */
    const char *why;                 /* "" for a rule; a longer one is ERR_FULL */
};
ERR_MUST_CHECK enum err_code db_yara_add(struct db_case *db, int64_t run_id,
                                         const struct db_yara *row, struct err *err);
typedef enum err_code (*db_yara_fn)(void *arg, const struct db_yara *row, struct err *err);
/*
 * Calls each for every row of a run, in their order, under the rules of db_hits_walk; but each may
 * read objects. run_id 0: of all runs, each row that says something new, by object and offset;
 * number is 0 then.
 */
ERR_MUST_CHECK enum err_code db_yara_walk(struct db_case *db, int64_t run_id, db_yara_fn each,
                                          void *arg, struct err *err);

enum { DB_SETTING_MAX = 256 /* bytes of each text, the NUL included; longer ones are cut */ };
/*
 * Compares the options of a run, a JSON object, with another object: the first member that differs.
 * Those named in `but`, a JSON array, do not count. *found false: there is none; else
 * out[0], out[1], out[2] are its name, what it was and what it is ("null" where it is missing).
 */
ERR_MUST_CHECK enum err_code db_run_compare(struct db_case *db, int64_t run_id, const char *options,
                                            const char *but, bool *found,
                                            char out[3][DB_SETTING_MAX], struct err *err);

/* The ids of the signatures of a run, by their numbers: ids[count]. Errors: ERR_INPUT when it has
 * others than so many. */
ERR_MUST_CHECK enum err_code db_signature_ids(struct db_case *db, int64_t run_id, int64_t *ids,
                                              uint32_t count, struct err *err);
/* Whether a hit or a range that could not be read belongs to the scan. */
ERR_MUST_CHECK enum err_code db_scan_has_rows(struct db_case *db, int64_t scan_id, bool *has,
                                              struct err *err);

struct db_hit {
    /*
     * Chosen by the caller. Ids ascend with (image, offset, pattern), so a hit has the same id in
     * every run; those of signatures without a header come behind all others.
     */
    int64_t id;
    int64_t image_id;
    int64_t signature_id;
    uint64_t offset;
    uint32_t len;
    bool footer; /* true: a footer; false: a header */
};

/* Inserts hits; inside a transaction millions a second. */
ERR_MUST_CHECK enum err_code db_hits_insert(struct db_case *db, const struct db_hit *hits,
                                            uint32_t count, struct err *err);
/* The greatest id of a hit; 0: there are no hits. */
ERR_MUST_CHECK enum err_code db_hit_last_id(struct db_case *db, int64_t *id, struct err *err);

typedef enum err_code (*db_hit_fn)(void *arg, const struct db_hit *hit, struct err *err);

/*
 * Calls each for every hit of the image with an id above after, by ascending id. each must not use
 * db. An error that each returns ends the walk and is returned.
 */
ERR_MUST_CHECK enum err_code db_hits_walk(struct db_case *db, int64_t image_id, int64_t after,
                                          db_hit_fn each, void *arg, struct err *err);

/* Hits and objects that stay in shards: what the case file has of them. */

enum { DB_LINK_PATTERNS_MAX = 1 << 20 }; /* most patterns that a linked scan has */

struct db_link {
    int64_t run_id, image_id; /* whose hits they are */
    const char *folder;       /* where the shards NUMBER.part are, absolute */
    /* [len]: what the patterns of the shards are, as db/linked_kinds.c says. */
    const uint8_t *patterns;
    size_t len;
};

/* Hits that stand one behind another in a shard, as base/hit_saved.h writes them, and behind them
 * objects, as base/object_saved.h does. */
struct db_linked {
    int64_t run_id;
    int64_t first_id;   /* of the first of them; the others follow without a gap */
    uint32_t hits;      /* of them that are hits of the case */
    uint32_t shard;     /* it is the file SHARD.part */
    uint64_t at, len;   /* bytes of it that hold them */
    const char *sha256; /* of these bytes */
    /* [left_out_len]: how many of the hits are none, and their numbers, each as its distance from
     * the one behind the last; the same of the objects; as base/pack.h has numbers. None: all
     * are. */
    const uint8_t *left_out;
    size_t left_out_len;
};

/*
 * The hits and objects of the scan will stay in shards. CASE.shards becomes a file that says where
 * these are.
 * Errors: ERR_INPUT: the case has hits in shards already.
 */
ERR_MUST_CHECK enum err_code db_link_begin(struct db_case *db, const struct db_link *link,
                                           struct err *err);
/* Ids ascend, also those of db_hits_insert. */
ERR_MUST_CHECK enum err_code db_linked_add(struct db_case *db, const struct db_linked *linked,
                                           struct err *err);
/* Inside a transaction: db_linked_add will follow for these ids, and objects may refer to them. */
void db_linked_expect(struct db_case *db, int64_t first_id, int64_t last_id);

/*
 * Whether the case has hits that stay in shards: *folder is where they are looked for, valid while
 * the case is open; NULL: it has none.
 */
void db_link_folder(const struct db_case *db, const char **folder);

/* Reads all hits and objects in shards; *count: hits. Errors: ERR_INPUT: a shard is missing, or was
 * changed. */
ERR_MUST_CHECK enum err_code db_linked_check(struct db_case *db, uint64_t *count, struct err *err);

/* What a search looked for, and how often it is there. */
struct db_searched {
    int64_t signature_id, image_id;
    const char *name, *origin; /* the keyword; "keyword" and its encoding, ... */
    uint64_t hits;
};
typedef enum err_code (*db_searched_fn)(void *arg, const struct db_searched *searched,
                                        struct err *err);
/*
 * Calls each for everything that searches of the case looked for, in the order in which they were
 * run and in that of their words, under the rules of db_hits_walk. All hits are looked at where
 * there was a search.
 */
ERR_MUST_CHECK enum err_code db_searched_walk(struct db_case *db, db_searched_fn each, void *arg,
                                              struct err *err);

/* ---- objects ---- */

struct db_extent {
    uint64_t offset, len;
};

/* The bytes from the end of an object that begins on a sector to the end of its last sector. */
enum db_slack {
    DB_SLACK_NONE,   /* there are none, or they were not looked at */
    DB_SLACK_ZEROS,  /* zeros, which today's file systems write there */
    DB_SLACK_OTHER,  /* other bytes */
    DB_SLACK_FOREIGN /* other bytes, and the object's own last bytes are not proven to be right */
};

/*
 * What sets of known hashes say about an object. When several sets have it, the greatest value
 * counts.
 */
enum db_known {
    DB_KNOWN_UNCHECKED, /* no set was asked */
    DB_KNOWN_UNKNOWN,   /* no set has it */
    DB_KNOWN_LISTED,    /* a set has it, and does not say whether it is good or bad */
    DB_KNOWN_GOOD,
    DB_KNOWN_BAD,
};

/* What an object says of itself: signatures/fact.h has the keys. */
struct db_fact {
    const char *key, *value;
    bool has_number;
    int64_t number;
    uint64_t reach; /* it lies in the first so many bytes of the object */
};

/*
 * An object. db_object_insert stores the verdict of a validator or a rule. The functions after it
 * store separately what other objects show about the object later (parent, cut, doubt). A reader
 * gets one struct, in which the later values replace the first ones.
 */
struct db_object {
    int64_t id; /* the id of the header's hit */
    int64_t image_id, signature_id;
    const char *type, *extension; /* extension may be "" */
    const char *state;            /* "complete", "footer", "truncated", "fragmented" */
    const char *reason;           /* the reason for the state, for people */
    /* True: a validator gave the verdict; false: a header/footer rule */
    bool validated;
    bool proven;          /* a validator checked the content, not only the header's length */
    bool container;       /* may have children */
    uint64_t offset, len; /* bytes; len is the sum of the extents */
    const struct db_extent *extents;
    uint32_t extent_count;
    int64_t parent_id;  /* 0: it lies in no other object */
    const char *sha256; /* hex, or NULL while it is not known */
    const char *name;   /* "TYPE/OFFSET.EXT"; carver/case/object_names.h has carve's path */
    enum db_slack slack;
    enum db_known known; /* db_object_insert ignores it */
    bool has_crc64;
    uint64_t crc64; /* CRC-64 (ECMA-182, as in XZ) of its bytes when they were scanned */
    const struct db_fact *facts; /* for db_object_insert; db_facts_of reads them */
    uint32_t fact_count;
};

/*
 * Removes all that was stored later about the objects of an image, so that it can be stored anew.
 * The hashes of objects that were not cut stay.
 */
ERR_MUST_CHECK enum err_code db_nested_clear(struct db_case *db, int64_t image_id, struct err *err);

/* Inserts an object. Its hit and its parent may be inserted later in the same transaction. */
ERR_MUST_CHECK enum err_code db_object_insert(struct db_case *db, const struct db_object *object,
                                              struct err *err);
/*
 * The same for many objects: a fifth of the time where DB_OBJECTS_AT_ONCE of them come together.
 */
enum { DB_OBJECTS_AT_ONCE = 64 };
ERR_MUST_CHECK enum err_code db_objects_insert(struct db_case *db, const struct db_object *objects,
                                               uint32_t count, struct err *err);
/*
 * Sets the CRC-64 of an object that was inserted before its last byte was scanned. has false: the
 * object has no CRC-64.
 */
ERR_MUST_CHECK enum err_code db_object_set_crc64(struct db_case *db, int64_t id, bool has,
                                                 uint64_t crc64, struct err *err);
/* What the objects around an object say of it, beside what its validator said. */
struct db_nested {
    int64_t id, parent_id; /* of the object; of the one it lies in, or 0 */
    const char *state;     /* NULL: as the validator said */
    const char *reason;    /* NULL: likewise */
    bool cut;              /* another file begins inside: it is len bytes long, fewer than before */
    uint64_t len;
    bool has_crc64; /* crc64 is of what is left of it; only where it is cut */
    uint64_t crc64;
};

/*
 * Stores that of many objects, of each once behind db_nested_clear. An object that is cut has one
 * extent; its sha256 is removed, because its content has changed.
 */
ERR_MUST_CHECK enum err_code db_nested_insert(struct db_case *db, const struct db_nested *rows,
                                              uint32_t count, struct err *err);
/* Sets what the sets of known hashes say, and the sha256. sha256 NULL: it stays as it is. */
ERR_MUST_CHECK enum err_code db_object_set_known(struct db_case *db, int64_t id,
                                                 enum db_known known, const char *sha256,
                                                 struct err *err);
ERR_MUST_CHECK enum err_code db_object_set_sha256(struct db_case *db, int64_t id,
                                                  const char *sha256, struct err *err);

/*
 * A cursor walks the objects in the order (image, offset, id), as they are when the walk begins.
 * Strings and extents are valid until the next call on the cursor. During the walk db may be
 * written and committed, but no object may be inserted. The walk may or may not see what is stored
 * about objects meanwhile. After a rollback the walk ends with an error. Close the cursor before
 * db.
 */
struct db_object_cursor; /* owned by the caller of db_objects_open */
ERR_MUST_CHECK enum err_code db_objects_open(struct db_case *db, int64_t image_id /* 0: all */,
                                             struct db_object_cursor **out, struct err *err);
ERR_MUST_CHECK enum err_code db_objects_next(struct db_object_cursor *cursor, bool *found,
                                             struct db_object *out, struct err *err);
void db_objects_close(struct db_object_cursor *cursor); /* NULL is a no-op */

/*
 * A cursor that walks nowhere: db_objects_find gives the object of an id, of the state that the
 * case has at that call. *found false: there is none, or it is a piece of another one. What it
 * gives is valid until the next call on the cursor.
 */
ERR_MUST_CHECK enum err_code db_objects_open_any(struct db_case *db, struct db_object_cursor **out,
                                                 struct err *err);
ERR_MUST_CHECK enum err_code db_objects_find(struct db_object_cursor *cursor, int64_t id,
                                             bool *found, struct db_object *out, struct err *err);

typedef enum err_code (*db_id_fn)(void *arg, int64_t id, struct err *err);
/*
 * Calls each with the id of every object for which an SQL expression over the columns of v_objects
 * is true, in any order. The expression may read the tables of a case file and call functions that
 * compute; it can change nothing, and reach nothing else.
 *
 * stop    Asked now and then; true ends it with ERR_INTERRUPTED. Or NULL.
 * Errors  ERR_ARG: it is no such expression, or takes more work than a walk over the file may.
 *         each must not use db.
 */
ERR_MUST_CHECK enum err_code db_where(struct db_case *db, const char *expression,
                                      bool (*stop)(void *arg), void *stop_arg, db_id_fn each,
                                      void *arg, struct err *err);

typedef enum err_code (*db_fact_fn)(void *arg, int64_t object_id, const struct db_fact *fact,
                                    struct err *err);
/*
 * Calls each for every fact of an object of that length, by key; or for every fact of all objects
 * that has the key or one that goes on with a ".", by object and key; key NULL: for all. Facts from
 * bytes that the object has no more, because it was cut, are left out. Strings are valid until each
 * returns; under the rules of db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_facts_of(struct db_case *db, int64_t object_id, uint64_t len,
                                         db_fact_fn each, void *arg, struct err *err);
ERR_MUST_CHECK enum err_code db_facts_walk(struct db_case *db, const char *key, db_fact_fn each,
                                           void *arg, struct err *err);

/*
 * What db_facts_of does, for one object after another: in half the time where most come by their
 * numbers. It reads one state of the file as long as it is open.
 */
struct db_facts_follow; /* owned by the caller of db_facts_follow_open, who closes it before db */
ERR_MUST_CHECK enum err_code db_facts_follow_open(struct db_case *db, struct db_facts_follow **out,
                                                  struct err *err);
void db_facts_follow_close(struct db_facts_follow *follow); /* NULL is a no-op */
ERR_MUST_CHECK enum err_code db_facts_follow(struct db_facts_follow *follow, int64_t object_id,
                                             uint64_t len, db_fact_fn each, void *arg,
                                             struct err *err);

/*
 * The date that an object says is its own: of taken, sent, modified, created and last_run the first
 * that it has and that is a date. unix_time: seconds since 1970, in UTC, or, when the key ends with
 * ".local", as if the clock of the file showed UTC.
 */
struct db_date {
    const char *key; /* valid until each returns */
    int64_t unix_time;
};
typedef enum err_code (*db_date_fn)(void *arg, int64_t object_id, const struct db_date *date,
                                    struct err *err);
/* Calls each for every object that has one, by object, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_dates_walk(struct db_case *db, db_date_fn each, void *arg,
                                           struct err *err);
/* The same for one object. */
ERR_MUST_CHECK enum err_code db_date_of(struct db_case *db, int64_t object_id, db_date_fn each,
                                        void *arg, struct err *err);

/* The type of an object, or the name of a signature that a scan looked for. */
struct db_type {
    const char *name, *extension; /* valid until each returns; a signature's extension is "" */
};
typedef enum err_code (*db_type_fn)(void *arg, const struct db_type *type, struct err *err);

enum { DB_TYPES_MAX = 65536 };

/*
 * Calls each once for every pair of a type and an extension that objects have, and for the name of
 * every signature that a scan looked for: in any order, DB_TYPES_MAX times at most, under the rules
 * of db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_types_walk(struct db_case *db, db_type_fn each, void *arg,
                                           struct err *err);

typedef enum err_code (*db_object_type_fn)(void *arg, int64_t image_id, const char *type,
                                           struct err *err);
/*
 * Calls each with the image and the type of every object, in any order, under the rules of
 * db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_object_types_walk(struct db_case *db, db_object_type_fn each,
                                                  void *arg, struct err *err);

/* An object without its strings, for walks over all objects. */
struct db_place {
    int64_t id, signature_id;
    uint64_t offset, len;
    bool validated, proven, container, complete;
    enum db_slack slack;
};
typedef enum err_code (*db_place_fn)(void *arg, const struct db_place *place, struct err *err);

/*
 * Calls each for every object of the image by ascending (offset, id), many times faster than a
 * cursor. Called inside a transaction. each may set checksums and insert into nested and found_in,
 * and must not use db otherwise. An error that each returns ends the walk and is returned.
 */
ERR_MUST_CHECK enum err_code db_places_walk(struct db_case *db, int64_t image_id, db_place_fn each,
                                            void *arg, struct err *err);
/* Whether the image has objects. */
ERR_MUST_CHECK enum err_code db_places_any(struct db_case *db, int64_t image_id, bool *any,
                                           struct err *err);

/* What an object owns of the image: as a cursor gives it, but for what it does not name. */
struct db_owner {
    int64_t id, parent_id; /* parent_id 0: it lies in none */
    uint64_t offset, len;  /* of its first piece, or of what is left of it, in the image */
    bool complete; /* and it has a header: what has none is believed where nothing else is */
    bool proven;
    bool in_pieces;     /* it was put together from several; len is that of all of them */
    bool ends_in_zeros; /* they stand behind its end, to the end of its last sector */
};
typedef enum err_code (*db_owner_fn)(void *arg, const struct db_owner *owner, struct err *err);
/* As db_places_walk, outside of a transaction, too; pieces of other objects are left out. */
ERR_MUST_CHECK enum err_code db_owners_walk(struct db_case *db, int64_t image_id, db_owner_fn each,
                                            void *arg, struct err *err);

/* One extent of an object. */
struct db_piece {
    uint64_t offset, len; /* bytes of the image */
    int64_t object_id;
    uint64_t object_len; /* bytes of the whole object */
    const char *name;    /* the object's name; valid until each returns */
};
typedef enum err_code (*db_piece_fn)(void *arg, const struct db_piece *piece, struct err *err);

/*
 * Calls each for every piece of every object of the image, by ascending (offset, object), under the
 * rules of db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_pieces_walk(struct db_case *db, int64_t image_id, db_piece_fn each,
                                            void *arg, struct err *err);

struct db_totals {
    uint64_t hits, objects, complete, footer, truncated, fragmented, embedded, bad_ranges,
        bad_bytes;
};
/*
 * Counts the hits, objects and bad ranges of an image; image_id 0: of all images. Each object
 * counts once by its state. An object with a parent counts in `embedded` as well.
 */
ERR_MUST_CHECK enum err_code db_totals(struct db_case *db, int64_t image_id, struct db_totals *out,
                                       struct err *err);

/* The objects of one type. */
struct db_type_totals {
    const char *type; /* valid until each returns */
    uint64_t objects, complete, footer, fragmented, truncated;
    uint64_t embedded; /* those that have a parent */
    uint64_t bytes;    /* of all of them; 9.2e18 where it is more */
    /* Of those that are not truncated and have no parent: few bytes count twice. */
    uint64_t bytes_whole;
};
typedef enum err_code (*db_type_totals_fn)(void *arg, const struct db_type_totals *totals,
                                           struct err *err);
/*
 * Calls each for every type that objects of an image have, by name; image_id 0: of all images;
 * under the rules of db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_type_totals(struct db_case *db, int64_t image_id,
                                            db_type_totals_fn each, void *arg, struct err *err);

/* ---- objects in pieces ---- */

/* A header in the image, and the object that it began, if its validator did not refuse it. */
struct db_start {
    int64_t hit_id, signature_id;
    const char *signature; /* its name; valid until each returns */
    uint64_t offset;       /* of the hit: the file may begin before it */
    bool object;           /* it began an object */
};
typedef enum err_code (*db_start_fn)(void *arg, const struct db_start *start, struct err *err);

/*
 * Calls each for every header of a signature with a validator, that was built in, in the image, in
 * the order of the hits, under the rules of db_hits_walk.
 *
 * places  where in a sector of 512 bytes hits are wanted, as a JSON array of numbers: other hits
 *         are left out. At most DB_STARTS_PLACES_MAX bytes
 */
enum { DB_STARTS_PLACES_MAX = 4096 };
ERR_MUST_CHECK enum err_code db_starts_walk(struct db_case *db, int64_t image_id,
                                            const char *places, db_start_fn each, void *arg,
                                            struct err *err);

/* The seam before a piece of an object. */
struct db_join {
    uint64_t at;      /* bytes of the object before it */
    const char *kind; /* what gave the place: "record", "indirect", ... */
    uint32_t bits;    /* a wrong place would have passed once in 2 to the power of this */
    uint64_t tried;   /* places that were tried, at least 1 */
    const char *text; /* the proof, for people */
};

/* The seam before piece `number` of an object, as it was stored. */
typedef enum err_code (*db_join_fn)(void *arg, uint32_t number, const struct db_join *join,
                                    struct err *err);
/* Calls each for every seam of the object, in order, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_joins_of(struct db_case *db, int64_t object_id, db_join_fn each,
                                         void *arg, struct err *err);

/* What assembly says of an object. */
struct db_assembled {
    int64_t object_id; /* the id of its header's hit */
    int64_t parent_id; /* the object in whose pieces it lies; 0: as before */
    bool part;         /* it is a piece of its parent, and is listed no more; or */
    bool pieces;       /* it was put together: all that follows is set */
    bool added;        /* and was no object before: */
    int64_t image_id, signature_id;
    bool container;
    const char *name; /* as in struct db_object */
    const char *type, *extension, *state, *reason;
    bool proven, has_crc64;
    uint64_t crc64;
    const struct db_extent *extents; /* two at least */
    uint32_t extent_count;
    const struct db_join *joins; /* [extent_count - 1] */
    const struct db_fact *facts; /* of the whole; they replace those of its first piece */
    uint32_t fact_count;
};
/* Stores it; an object has one row. Its hash is forgotten when its bytes are others now. */
ERR_MUST_CHECK enum err_code db_assembled_add(struct db_case *db, int64_t run_id,
                                              const struct db_assembled *row, struct err *err);

/* ---- likely files ---- */

/* A file that was put together by resemblance, without proof. It is no object, and owns nothing. */
struct db_likely {
    int64_t hit_id; /* of its header; an object may have the same number */
    int64_t image_id;
    const char *type, *extension, *reason; /* as in struct db_object */
    uint32_t wrong;                        /* the chance that it is wrong: 1 to 10^6 millionths */
    uint64_t tried;                        /* ways that were tried, at least 1 */
    const char *text;                      /* what speaks for it, for people */
    bool has_crc64;
    uint64_t crc64;
    const struct db_extent *extents; /* two at least, and DB_LIKELY_PIECES at most */
    uint32_t extent_count;
    uint64_t len; /* the sum of its extents; db_likely_add makes it itself */
};
enum { DB_LIKELY_PIECES = 16 };

/* Forgets those of the image: they are looked for anew. */
ERR_MUST_CHECK enum err_code db_likely_clear(struct db_case *db, int64_t image_id, struct err *err);
ERR_MUST_CHECK enum err_code db_likely_add(struct db_case *db, int64_t run_id,
                                           const struct db_likely *row, struct err *err);
typedef enum err_code (*db_likely_fn)(void *arg, const struct db_likely *likely, struct err *err);
/* Calls each for every one, by image and hit, under the rules of db_hits_walk. */
ERR_MUST_CHECK enum err_code db_likely_walk(struct db_case *db, db_likely_fn each, void *arg,
                                            struct err *err);
/* The same, of this one alone. */
ERR_MUST_CHECK enum err_code db_likely_find(struct db_case *db, int64_t hit_id, db_likely_fn each,
                                            void *arg, struct err *err);
/* How many there are in the image; image_id 0: in all of them. */
ERR_MUST_CHECK enum err_code db_likely_count(struct db_case *db, int64_t image_id, uint64_t *count,
                                             struct err *err);

/* ---- sets of known hashes ---- */

struct db_known_set {
    int64_t run_id;
    const char *path, *label;   /* path is absolute */
    const char *verdict, *hash; /* "known", "good", "bad"; "md5", "sha1", "sha256" */
    uint32_t block;             /* bytes of a block; 0: the hashes are of whole files */
    uint64_t hashes;            /* number of hashes in the set */
    const char *sha256;         /* of the set's content, hex */
};
ERR_MUST_CHECK enum err_code db_known_set_add(struct db_case *db, const struct db_known_set *set,
                                              int64_t *id, struct err *err);
typedef enum err_code (*db_known_set_fn)(void *arg, int64_t id, const struct db_known_set *set,
                                         struct err *err);
/* Calls each for every set of a run, in the order in which they were added, under the rules of
 * db_hits_walk. */
ERR_MUST_CHECK enum err_code db_known_sets_walk(struct db_case *db, int64_t run_id,
                                                db_known_set_fn each, void *arg, struct err *err);
/*
 * Notes that a set has an object's hash. name: the file's name in the set, or NULL. A second call
 * for the same object and set is a no-op.
 */
ERR_MUST_CHECK enum err_code db_known_object_add(struct db_case *db, int64_t object_id,
                                                 int64_t set_id, const char *digest,
                                                 const char *name, struct err *err);

/* Blocks of the image that follow each other and whose hashes a set has. */
struct db_known_run {
    int64_t image_id, set_id;
    uint64_t offset, len;
    const char *digest; /* hash of the first block, hex */
    const char *name;   /* name of the file that the blocks come from, or NULL */
    uint64_t source;    /* offset of the first block in that file, bytes */
};
/* Stores a run. A run at the same place and of the same set is replaced: it may have grown. */
ERR_MUST_CHECK enum err_code db_known_run_put(struct db_case *db, const struct db_known_run *run,
                                              struct err *err);
typedef enum err_code (*db_known_run_fn)(void *arg, const struct db_known_run *run,
                                         const char *set_path, struct err *err);
/* Calls each for every run of known blocks of the case, by image and offset, under the rules of
 * db_hits_walk, with the path of its set. */
ERR_MUST_CHECK enum err_code db_known_runs_walk(struct db_case *db, db_known_run_fn each, void *arg,
                                                struct err *err);

/* ---- all rows as text ---- */

typedef enum err_code (*db_line_fn)(void *arg, const char *line, size_t len, struct err *err);
/*
 * Calls each with a line of text, its line feed included, for every row that scans stored of hits,
 * objects, extents, what is nested, known objects and blocks, and bad ranges. Two case files of the
 * same images and signatures give the same lines in the same order, however the images were
 * scanned: docs/reference/case-file.md, "The digest". Not in a transaction; the file is read in one
 * state. each must not use db. An error that each returns ends the walk and is returned.
 */
ERR_MUST_CHECK enum err_code db_lines_walk(struct db_case *db, db_line_fn each, void *arg,
                                           struct err *err);

/* ---- the seal ---- */

/* A hash over all rows of all tables but the log: see docs/reference/case-file.md, "The seal". */
struct db_seal {
    char sha256[DB_SHA256_HEX + 1];
    uint64_t rows;
};
enum { DB_SEAL_MANY = 1 << 15 /* hits, for which more readers pay */ };
/*
 * Threads that open the case file at path, one after the other, and wait to read it for one seal;
 * and one that folds its -wal file into it from now on. count 0: that one alone.
 * The file may be written to meanwhile. Errors: ERR_ENV; those of opening it are told by db_seal.
 */
struct db_seal_readers;
ERR_MUST_CHECK enum err_code db_seal_readers_open(const char *path, uint32_t count,
                                                  struct db_seal_readers **out, struct err *err);
/* Ends them, wherever they are. NULL is a no-op. */
void db_seal_readers_close(struct db_seal_readers *readers);
/*
 * Hits that are hashed while others wait to be written: the next seal of the case by this handle
 * need not read them. take: gives one that goes on with hit first_id, which is the first that will
 * be written; NULL: no memory, and the seal reads all. add: they are in the order of their ids. The
 * caller hands it back by give when it is sure that all of them are written, or closes it. What
 * db_hits_insert writes while the handle has it is added. Take, give: the thread of the handle; add
 * and close: one thread. NULL is a no-op.
 */
struct db_seal_ahead;
struct db_seal_ahead *db_seal_ahead_take(struct db_case *db, int64_t first_id);
void db_seal_ahead_add(struct db_seal_ahead *ahead, const struct db_hit *hits, uint32_t count);
void db_seal_ahead_give(struct db_case *db, struct db_seal_ahead *ahead);
void db_seal_ahead_close(struct db_seal_ahead *ahead);
/*
 * Computes it, of what the caller's transaction sees, or of one state of the file. Where the
 * caller's transaction has written nothing and there are many rows, others read them: `ready`, or,
 * where that is NULL, so many threads as `readers`, each with a connection of its own. stop: asked
 * now and then; true ends it with ERR_INTERRUPTED. Or NULL.
 */
ERR_MUST_CHECK enum err_code db_seal(struct db_case *db, struct db_seal_readers *ready,
                                     uint32_t readers, bool (*stop)(void *arg), void *arg,
                                     struct db_seal *out, struct err *err);

/* What a line in the file beside a case file that has its seal begins with, and what this burin
 * writes behind it: in schemas before 17 it was 1, and one hash was over all rows. */
#define DB_SEAL_HEAD "burin seal "
#define DB_SEAL_WAY "2:"

/* ---- what could not be read ---- */

struct db_bad_range {
    int64_t image_id;
    uint64_t offset, len;
    int cause;          /* errno, or 0 */
    const char *source; /* as io_bad_source_name gives it */
    char status;        /* '-', '*', '/' or '?', as in a map of GNU ddrescue */
};

/*
 * Stores a range. A range that begins where the row before it ends, with the same run,
 * cause, source and status, is joined to that row.
 */
ERR_MUST_CHECK enum err_code db_bad_range_add(struct db_case *db, int64_t run_id,
                                              const struct db_bad_range *range, struct err *err);
/* Counts the bytes of [offset, offset + len) that lie in bad ranges. */
ERR_MUST_CHECK enum err_code db_bad_bytes(struct db_case *db, int64_t image_id, uint64_t offset,
                                          uint64_t len, uint64_t *bytes, struct err *err);

typedef enum err_code (*db_bad_range_fn)(void *arg, const struct db_bad_range *range,
                                         struct err *err);
/*
 * Calls each for every bad range that the run met in the image, by ascending offset, under the
 * rules of db_hits_walk. Its strings are valid during the call.
 */
ERR_MUST_CHECK enum err_code db_bad_ranges_walk(struct db_case *db, int64_t image_id,
                                                int64_t run_id, db_bad_range_fn each, void *arg,
                                                struct err *err);

/* ---- outputs ---- */

struct db_output {
    int64_t run_id, object_id;
    const char *path;   /* path of the file that was written */
    uint64_t len;       /* bytes written */
    const char *sha256; /* hash of these bytes, hex */
};
ERR_MUST_CHECK enum err_code db_output_add(struct db_case *db, const struct db_output *output,
                                           struct err *err);
/* The hash of the object's last output that has len bytes; "" when there is no such output. */
ERR_MUST_CHECK enum err_code db_output_sha256(struct db_case *db, int64_t object_id, uint64_t len,
                                              char out[DB_SHA256_HEX + 1], struct err *err);

/* ---- the log ---- */

/*
 * Appends one entry to the log: time, run, kind ("start", "note", "read-error", "output", "end", …)
 * and text. Its hash includes the hash of the entry before it.
 */
ERR_MUST_CHECK enum err_code db_log(struct db_case *db, int64_t run_id, const char *kind,
                                    const char *text, struct err *err);

/* Recomputes the chain of hashes. *broken_id becomes the first entry that does not fit, or 0. */
ERR_MUST_CHECK enum err_code db_log_verify(struct db_case *db, int64_t *broken_id, struct err *err);

/* An entry of the log. */
struct db_log_entry {
    int64_t id;     /* 0: there is none */
    int64_t run_id; /* 0: of no run */
    char hash[DB_SHA256_HEX + 1];
    char text[DB_SETTING_MAX]; /* longer ones are cut */
};
/* The last entry of this kind; and the one of this id. */
ERR_MUST_CHECK enum err_code db_log_find(struct db_case *db, const char *kind,
                                         struct db_log_entry *out, struct err *err);
ERR_MUST_CHECK enum err_code db_log_get(struct db_case *db, int64_t id, struct db_log_entry *out,
                                        struct err *err);

/*
 * What db_log_verify found when the case was opened for writing: the entry that does not fit, or 0.
 * A note in the log says so too.
 */
int64_t db_log_broken(const struct db_case *db);

/*
 * The id of the last entry, and its hash; 0 and zeros when the log is empty. A person who writes
 * both down can prove later that no entry up to this one was changed.
 */
ERR_MUST_CHECK enum err_code db_log_last(struct db_case *db, int64_t *id,
                                         char hash[DB_SHA256_HEX + 1], struct err *err);

#endif
