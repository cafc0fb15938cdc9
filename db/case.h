/*
 * db/case.h - the case file. Nothing else in burin speaks SQL; docs/reference/case-file.md describes the tables.
 *
 * One case file holds one or more images, the runs over them, every hit and every recoverable object, and a log whose
 * entries are chained by hash. One process writes it at a time, others may read meanwhile. All offsets and lengths are bytes
 * of the image, below 2^63: greater ones are ERR_INPUT.
 *
 * Errors of every call: ERR_INPUT when the file is damaged or does not take what it is given (which table, row and column,
 * and what to try), ERR_ENV when the disk is full, memory is out, the file may not be written, or another program is
 * writing, ERR_FULL when a text is longer than a case file holds. Written against https://www.sqlite.org/c3ref/intro.html,
 * and tested by tests/db/.
 */
#ifndef BURIN_DB_CASE_H
#define BURIN_DB_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { DB_SCHEMA_VERSION = 4, DB_SHA256_HEX = 64 };

struct db_case; /* owned by the caller of db_case_create / db_case_open; see db_case_take */

/*
 * Makes a new case file with the present schema, and keeps every other writer away from it until
 * db_case_close. A case file at the path is ERR_INPUT unless force: then one that has runs gets another
 * name beside it (CASE.old.1, ...), and one without is removed. What is no case file is never replaced,
 * not even with force. ERR_INPUT also when another program writes to the case file, which the text names.
 */
ERR_MUST_CHECK enum err_code db_case_create(const char *path, bool force, struct db_case **out, struct err *err);

enum db_mode { DB_READ, DB_WRITE };

/*
 * Opens a case file. ERR_INPUT: missing, not a case file, corrupt (says so and what to try), of a newer
 * schema (says which burin wrote it). DB_WRITE keeps every other writer away until db_case_close (ERR_INPUT
 * when there is one), migrates an older schema, and calls runs interrupted that a program has left running
 * when it died. DB_READ changes nothing; an older schema is migrated in a copy of its own.
 */
ERR_MUST_CHECK enum err_code db_case_open(const char *path, enum db_mode mode, struct db_case **out, struct err *err);

/*
 * The same for a program that holds the lock of the case file already. The lock is the case's when they
 * return ERR_OK, and stays the caller's otherwise. kept: NULL, or DB_KEPT_MAX bytes for the path that an
 * old case file has got, "" when there was none.
 */
struct db_lock; /* lock.h */
struct db_wait;
enum { DB_KEPT_MAX = 4112 };
ERR_MUST_CHECK enum err_code db_case_create_locked(struct db_lock *lock, bool force, char *kept, struct db_case **out,
                                                   struct err *err);
ERR_MUST_CHECK enum err_code db_case_open_locked(struct db_lock *lock, struct db_case **out, struct err *err);

/* db_case_open with DB_WRITE that waits while another program writes, as wait says; NULL: not at all. */
ERR_MUST_CHECK enum err_code db_case_open_wait(const char *path, const struct db_wait *wait, struct db_case **out,
                                               struct err *err);

/*
 * A case is used by one thread, at first by the one that opened it. This makes it the property of the
 * calling thread; whoever had it before does nothing with it any more. A call from any other thread fails
 * an assertion.
 */
void db_case_take(struct db_case *db);

/* Rolls back what was not committed. Strings that it handed out end with it. NULL is a no-op. */
void db_case_close(struct db_case *db);

/*
 * Everything that belongs together goes between these two. Not nested. Outside of them each call is a transaction of its
 * own. When a write between them has failed, or the commit, then nothing of the transaction is kept, and every write and
 * db_commit fail until the next db_begin: half of what belongs together is worse than none. ERR_ENV when another program
 * writes for longer than 5 s.
 */
ERR_MUST_CHECK enum err_code db_begin(struct db_case *db, struct err *err);
ERR_MUST_CHECK enum err_code db_commit(struct db_case *db, struct err *err);

/*
 * Outside of a transaction: folds what was committed into the file, as closing it does, as far as no reader is in the way. What cannot be
 * done now is done later, and nothing is lost if it is not, so there is no error.
 */
void db_fold(struct db_case *db);

/* Whether the pages of the file fit together, and its rows the rules of their tables. */
struct db_check {
    bool whole;
    char text[512]; /* what does not fit, as SQLite says it; the first finding */
};
ERR_MUST_CHECK enum err_code db_check_pages(struct db_case *db, struct db_check *out, struct err *err);

/* ---- images ---- */

struct db_image_part {
    const char *path;     /* absolute */
    uint64_t size;        /* bytes; UINT64_MAX: not recorded */
    const char *modified; /* UTC, ISO 8601; NULL: not recorded */
};

struct db_image {
    int64_t id;       /* 0 when adding; 1 for the first image */
    const char *path; /* as given, made absolute */
    const char *format;
    uint64_t size;        /* bytes */
    uint32_t sector_size; /* bytes */
    const struct db_image_part *parts;
    uint32_t part_count;
};

/* A block of the image, as it was when the image was scanned. */
struct db_sample {
    uint64_t offset, len;
    char sha256[DB_SHA256_HEX + 1];
};

ERR_MUST_CHECK enum err_code db_image_add(struct db_case *db, const struct db_image *image, int64_t *id,
                                          struct err *err);
/* Blocks that tell later whether the image is the same one. */
ERR_MUST_CHECK enum err_code db_image_samples_add(struct db_case *db, int64_t image_id, const struct db_sample *samples,
                                                  uint32_t count, struct err *err);
typedef enum err_code (*db_sample_fn)(void *arg, const struct db_sample *sample, struct err *err);
/* Calls each for every block by its offset. As db_hits_walk. None: the image was scanned by an older burin. */
ERR_MUST_CHECK enum err_code db_image_samples(struct db_case *db, int64_t image_id, db_sample_fn each, void *arg,
                                              struct err *err);
ERR_MUST_CHECK enum err_code db_image_count(struct db_case *db, uint32_t *count, struct err *err);
/* Strings of *out are valid until the next db_image_get or the close. ERR_INPUT: no such image. */
ERR_MUST_CHECK enum err_code db_image_get(struct db_case *db, int64_t id, struct db_image *out, struct err *err);

/* ---- runs ---- */

struct db_run {
    int64_t id;
    int64_t image_id;                        /* 0 for a run that has no image of its own (carve) */
    const char *command;                     /* "scan", "carve" */
    const char *command_line;                /* whole, quoted for a shell */
    const char *version, *build, *libraries; /* text */
    const char *options;                     /* JSON object of the settings in force */
    const char *host, *user;
    const char *engine;          /* with its device; NULL where none */
    const char *started, *ended; /* UTC, ISO 8601; started NULL: now; ended NULL while it runs */
    const char *status;          /* "running", "done", "interrupted", "failed" */
    uint64_t position;           /* the image has been scanned and decided up to here */
};

ERR_MUST_CHECK enum err_code db_run_add(struct db_case *db, const struct db_run *run, int64_t *id, struct err *err);
ERR_MUST_CHECK enum err_code db_run_progress(struct db_case *db, int64_t id, uint64_t position, struct err *err);
ERR_MUST_CHECK enum err_code db_run_finish(struct db_case *db, int64_t id, const char *status, struct err *err);
/* The latest scan of an image. ERR_INPUT: none. Strings valid until the next db_run_get. */
ERR_MUST_CHECK enum err_code db_run_latest(struct db_case *db, int64_t image_id, struct db_run *out, struct err *err);

/* Whether the image was scanned at all: it may have been searched alone. */
ERR_MUST_CHECK enum err_code db_scan_exists(struct db_case *db, int64_t image_id, bool *exists, struct err *err);

/* Whether another program has the case file open for writing. */
bool db_written_now(const struct db_case *db);

/* ---- signatures and hits ---- */

struct db_signature {
    int64_t run_id;
    uint32_t number;             /* of the signature within the run, counted from 0 */
    const char *name;            /* type name */
    const char *kind;            /* "validator" or "rule" */
    const char *origin;          /* "built-in", or "FILE:LINE" */
    const char *header, *footer; /* as text with \xHH escapes; footer NULL where none */
    uint64_t size_max;           /* bytes; 2^63 and more are stored as 2^63 - 1: no limit */
};

ERR_MUST_CHECK enum err_code db_signature_add(struct db_case *db, const struct db_signature *signature, int64_t *id,
                                              struct err *err);

struct db_hit {
    int64_t id; /* given by the caller: ascending in (image, offset, pattern), so that it is the same in every run */
    int64_t image_id;
    int64_t signature_id;
    uint64_t offset;
    uint32_t len;
    bool footer; /* else a header */
};

/* Made for hundreds of thousands of rows a second inside one transaction. */
ERR_MUST_CHECK enum err_code db_hits_insert(struct db_case *db, const struct db_hit *hits, uint32_t count,
                                            struct err *err);
ERR_MUST_CHECK enum err_code db_hit_last_id(struct db_case *db, int64_t *id, struct err *err); /* 0: no hits */

typedef enum err_code (*db_hit_fn)(void *arg, const struct db_hit *hit, struct err *err);

/* Calls each for every hit of the image with an id above after, ascending. each does nothing with db; its first error ends the walk. */
ERR_MUST_CHECK enum err_code db_hits_walk(struct db_case *db, int64_t image_id, int64_t after, db_hit_fn each,
                                          void *arg, struct err *err);

/* ---- objects ---- */

struct db_extent {
    uint64_t offset, len;
};

/* What stands between the end of an object that begins on a sector and the end of its last sector. */
enum db_slack {
    DB_SLACK_NONE,   /* nothing, or nobody looked */
    DB_SLACK_ZEROS,  /* zeros, as file systems of today leave them */
    DB_SLACK_OTHER,  /* other bytes */
    DB_SLACK_FOREIGN /* other bytes, and nothing in the object says that its own last bytes are right */
};

/* What sets of known hashes say about an object; the greatest of what they say counts. */
enum db_known {
    DB_KNOWN_UNCHECKED, /* nobody looked */
    DB_KNOWN_UNKNOWN,   /* in no set */
    DB_KNOWN_LISTED,    /* in a set that says no more */
    DB_KNOWN_GOOD,
    DB_KNOWN_BAD,
};

/*
 * What was found, and what was said of it later: db_object_insert stores what a checker or a rule said, and the functions
 * behind it put beside that what other objects show of it. Who reads gets both in one, the later word first.
 */
struct db_object {
    int64_t id; /* the id of the header's hit */
    int64_t image_id, signature_id;
    const char *type, *extension; /* extension may be "" */
    const char *state;            /* "complete", "footer", "truncated", "fragmented" */
    const char *reason;           /* why */
    bool checked;                 /* a checker gave the verdict, not a header/footer rule alone */
    bool proven;          /* the checker saw that what lies inside is the file's own; else its length was believed */
    bool container;       /* may have children */
    uint64_t offset, len; /* of the object: len is the sum of the extents */
    const struct db_extent *extents;
    uint32_t extent_count;
    int64_t parent_id;  /* 0: none */
    const char *sha256; /* hex, or NULL while not known */
    const char *name;   /* "TYPE/OFFSET.EXT": where carve puts it */
    enum db_slack slack;
    enum db_known known; /* not taken by db_object_insert */
    bool has_crc64;
    uint64_t crc64; /* ECMA-182, as in XZ, of its bytes when they were scanned */
};

/* Forgets all that was said later of the objects of an image, but for hashes of those that were not cut: to say it anew. */
ERR_MUST_CHECK enum err_code db_nested_clear(struct db_case *db, int64_t image_id, struct err *err);

/* Its hit and its parent may be added later in the same transaction. */
ERR_MUST_CHECK enum err_code db_object_insert(struct db_case *db, const struct db_object *object, struct err *err);
/* The CRC-64 of an object that was added before its last byte was scanned; has false: it gets none. */
ERR_MUST_CHECK enum err_code db_object_set_crc64(struct db_case *db, int64_t id, bool has, uint64_t crc64,
                                                 struct err *err);
ERR_MUST_CHECK enum err_code db_object_set_parent(struct db_case *db, int64_t id, int64_t parent_id, struct err *err);
/*
 * Another file was found to begin inside: the object, of one extent, is truncated and has len bytes, fewer than before. Its content is
 * another one than before: a sha256 is forgotten.
 */
ERR_MUST_CHECK enum err_code db_object_cut(struct db_case *db, int64_t id, uint64_t len, const char *reason,
                                           struct err *err);
/* The CRC-64 of what is left of an object that was cut. */
ERR_MUST_CHECK enum err_code db_object_cut_crc64(struct db_case *db, int64_t id, uint64_t crc64, struct err *err);
/* The object's last bytes are not its own: truncated, though nobody knows where. */
ERR_MUST_CHECK enum err_code db_object_doubt(struct db_case *db, int64_t id, const char *reason, struct err *err);
/* sha256 NULL: it stays as it is. */
ERR_MUST_CHECK enum err_code db_object_set_known(struct db_case *db, int64_t id, enum db_known known,
                                                 const char *sha256, struct err *err);
ERR_MUST_CHECK enum err_code db_object_set_sha256(struct db_case *db, int64_t id, const char *sha256, struct err *err);

/*
 * Walks objects in the order (image, offset, id), as they are when the walk begins. Strings and extents are valid until the
 * next call on the cursor. Meanwhile db may be written and committed, but for the objects themselves; what is said of them
 * later is not seen before the next walk, or is. After a rollback the walk ends with an error. Close the cursor before db.
 */
struct db_object_cursor; /* owned by the caller of db_objects_open */
ERR_MUST_CHECK enum err_code db_objects_open(struct db_case *db, int64_t image_id /* 0: all */,
                                             struct db_object_cursor **out, struct err *err);
ERR_MUST_CHECK enum err_code db_objects_next(struct db_object_cursor *cursor, bool *found, struct db_object *out,
                                             struct err *err);
void db_objects_close(struct db_object_cursor *cursor); /* NULL is a no-op */

/* What an object is called, or what a scan looked for. */
struct db_type {
    const char *name, *extension; /* until each returns; a signature's extension is "" */
};
typedef enum err_code (*db_type_fn)(void *arg, const struct db_type *type, struct err *err);

enum { DB_TYPES_MAX = 65536 };

/*
 * Calls each for every type of an object with its extension, and for the name of every signature
 * that a scan looked for; once for each pair, in no order, and for DB_TYPES_MAX of them at most. As
 * db_hits_walk.
 */
ERR_MUST_CHECK enum err_code db_types_walk(struct db_case *db, db_type_fn each, void *arg, struct err *err);

/* Where an object lies, without its strings: for walks over all of them. */
struct db_place {
    int64_t id, signature_id;
    uint64_t offset, len;
    bool checked, proven, container, complete;
    enum db_slack slack;
};
typedef enum err_code (*db_place_fn)(void *arg, const struct db_place *place, struct err *err);

/*
 * Calls each for every object of the image by (offset, id), many times faster than a cursor. Inside a transaction; each may set
 * parents and checksums and cut objects, and may do nothing else with db. Its first error ends the walk and is handed on.
 */
ERR_MUST_CHECK enum err_code db_places_walk(struct db_case *db, int64_t image_id, db_place_fn each, void *arg,
                                            struct err *err);

/* A piece of an object. */
struct db_piece {
    uint64_t offset, len; /* of the image */
    int64_t object_id;
    uint64_t object_len;
    const char *name; /* the object's; until each returns */
};
typedef enum err_code (*db_piece_fn)(void *arg, const struct db_piece *piece, struct err *err);

/* Calls each for every piece of every object of the image by (offset, object). As db_hits_walk. */
ERR_MUST_CHECK enum err_code db_pieces_walk(struct db_case *db, int64_t image_id, db_piece_fn each, void *arg,
                                            struct err *err);

/* Complete objects of an image by what their slack holds. */
struct db_slack_counts {
    uint64_t zeros, other;      /* of the proven ones */
    uint64_t believed, foreign; /* of the others: zeros, DB_SLACK_FOREIGN */
};
ERR_MUST_CHECK enum err_code db_slack_count(struct db_case *db, int64_t image_id, struct db_slack_counts *out,
                                            struct err *err);

struct db_totals {
    uint64_t hits, objects, complete, footer, truncated, fragmented, embedded, bad_ranges, bad_bytes;
};
/* image_id 0: all of them. Objects are counted whole by state; embedded ones (with a parent) are counted there too. */
ERR_MUST_CHECK enum err_code db_totals(struct db_case *db, int64_t image_id, struct db_totals *out, struct err *err);

/* ---- sets of known hashes ---- */

struct db_known_set {
    int64_t run_id;
    const char *path, *label;   /* path absolute */
    const char *verdict, *hash; /* "known", "good", "bad"; "md5", "sha1", "sha256" */
    uint32_t block;             /* bytes; 0: whole files */
    uint64_t hashes;
    const char *sha256; /* hex */
};
ERR_MUST_CHECK enum err_code db_known_set_add(struct db_case *db, const struct db_known_set *set, int64_t *id,
                                              struct err *err);
/* The set has the object's hash. name NULL: none. Again for the same pair is a no-op. */
ERR_MUST_CHECK enum err_code db_known_object_add(struct db_case *db, int64_t object_id, int64_t set_id,
                                                 const char *digest, const char *name, struct err *err);

/* Blocks of the image, one behind the other, whose hashes a set has. */
struct db_known_run {
    int64_t image_id, set_id;
    uint64_t offset, len;
    const char *digest; /* of the first block, hex */
    const char *name;   /* of the file that they come from, or NULL */
    uint64_t source;    /* offset of the first block in it */
};
/* Again for the same place and set: takes the place of what was stored, for a run that has grown. */
ERR_MUST_CHECK enum err_code db_known_run_put(struct db_case *db, const struct db_known_run *run, struct err *err);

/* ---- what could not be read ---- */

struct db_bad_range {
    int64_t image_id;
    uint64_t offset, len;
    int cause;          /* errno or 0 */
    const char *source; /* "read", "checksum" (what was read is wrong), "acquisition" (nobody ever read it) */
};

/* Goes on with the row before, where it begins at that one's end and run, cause and source are the same. */
ERR_MUST_CHECK enum err_code db_bad_range_add(struct db_case *db, int64_t run_id, const struct db_bad_range *range,
                                              struct err *err);
/* Bytes of [offset, offset + len) that lie in bad ranges. */
ERR_MUST_CHECK enum err_code db_bad_bytes(struct db_case *db, int64_t image_id, uint64_t offset, uint64_t len,
                                          uint64_t *bytes, struct err *err);

typedef enum err_code (*db_bad_range_fn)(void *arg, uint64_t offset, uint64_t len, struct err *err);
/* Calls each for every range that this run met in the image, by offset. As db_hits_walk. */
ERR_MUST_CHECK enum err_code db_bad_ranges_walk(struct db_case *db, int64_t image_id, int64_t run_id,
                                                db_bad_range_fn each, void *arg, struct err *err);

/* ---- outputs ---- */

struct db_output {
    int64_t run_id, object_id;
    const char *path; /* as written */
    uint64_t len;
    const char *sha256; /* hex */
};
ERR_MUST_CHECK enum err_code db_output_add(struct db_case *db, const struct db_output *output, struct err *err);
/* The hash of the last output of the object that has len bytes; "" when there is none. */
ERR_MUST_CHECK enum err_code db_output_sha256(struct db_case *db, int64_t object_id, uint64_t len,
                                              char out[DB_SHA256_HEX + 1], struct err *err);

/* ---- the log ---- */

/* Appends one entry: time, run, kind ("start", "note", "read-error", "output", "end", …) and text, chained to the one before it. */
ERR_MUST_CHECK enum err_code db_log(struct db_case *db, int64_t run_id, const char *kind, const char *text,
                                    struct err *err);

/* Recomputes the chain. *broken_id is the first entry that does not fit, or 0. */
ERR_MUST_CHECK enum err_code db_log_verify(struct db_case *db, int64_t *broken_id, struct err *err);

/* What db_log_verify found when the case was opened for writing: the entry that does not fit, or 0. A note in the log says it too. */
int64_t db_log_broken(const struct db_case *db);

/* The last entry, and its hash: whoever has noted both can tell later that nothing before it was changed. 0 and zeros: none. */
ERR_MUST_CHECK enum err_code db_log_last(struct db_case *db, int64_t *id, char hash[DB_SHA256_HEX + 1],
                                         struct err *err);

#endif
