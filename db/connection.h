/* SPDX-License-Identifier: Apache-2.0
 * db/connection.h - what the files of db/ share: the handle, its statements, errors, and atoms. Not
 * for other folders.
 *
 * Every call prepares (once) and resets (always) its statement through db_prepare, fills it with
 * db/bind.h, steps it with db_step, and reads it with db/row.h, which also walks over many rows. A
 * call that writes stands between db_atom_begin and db_atom_end, so that it happens whole or not at
 * all, inside a transaction of the caller's and outside of one.
 */
#ifndef BURIN_DB_CONNECTION_H
#define BURIN_DB_CONNECTION_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/arena.h"
#include "db/case.h"
#include "db/lock.h"

enum {
    DB_TEXT_MAX = 1 << 20,     /* longest text of a run, an image or the log, bytes */
    DB_NAME_MAX = 4096,        /* longest path, bytes (PATH_MAX) */
    DB_WORD_MAX = 64,          /* longest type, extension, kind, status, bytes */
    DB_REASON_MAX = 1024,      /* longest reason of an object, bytes */
    DB_FACT_MAX = 1024,        /* longest value of a fact, bytes */
    DB_EXTENTS_MAX = 1 << 20,  /* most extents of an object: 16 MiB of them */
    DB_BUSY_MS = 5000,         /* wait this long for another program's lock, ms */
    DB_CACHE_KIB = 16 * 1024,  /* page cache, KiB */
    DB_CACHE_BULK_KIB = 2048,  /* between db_bulk_begin and db_bulk_end */
    DB_CACHE_LITTLE_KIB = 256, /* where each page is read once */
};

enum db_statement {
    DB_BEGIN,
    DB_COMMIT,
    DB_ROLLBACK,
    DB_SNAPSHOT,
    DB_SNAPSHOT_END,
    DB_IMAGE_ADD,
    DB_IMAGE_PART_ADD,
    DB_IMAGE_MOVE,
    DB_IMAGE_PARTS_DROP,
    DB_IMAGE_COUNT,
    DB_IMAGE_GET,
    DB_IMAGE_PARTS,
    DB_SAMPLE_ADD,
    DB_SAMPLES,
    DB_FACT_ADD,
    DB_FACTS,
    DB_HASH_ADD,
    DB_HASHES,
    DB_LEAVES_ADD,
    DB_LEAVES_GET,
    DB_TEXT_SPOTS_ADD,
    DB_TEXT_SPOTS,
    DB_TEXT_SPOTS_DROP,
    DB_RUN_ADD,
    DB_RUN_PROGRESS,
    DB_RUN_FINISH,
    DB_RUN_LATEST,
    DB_RUNS,
    DB_SEARCHED,
    DB_RUN_DEAD,
    DB_RUN_INTERRUPT,
    DB_SCAN_EXISTS,
    DB_RUN_COMPARE,
    DB_SIGNATURE_ADD,
    DB_SIGNATURE_IDS,
    DB_PART_ADD,
    DB_PARTS,
    DB_STATE_PUT,
    DB_STATE_GET,
    DB_STATE_DROP,
    DB_SCAN_ROWS,
    DB_PATTERN_GET,
    DB_PATTERN_ADD,
    DB_HIT_ADD,
    DB_HITS_ADD,
    DB_HIT_LAST,
    DB_HIT_LAST_ROW,
    DB_LINK_ADD,
    DB_LINK_GET,
    DB_LINKED_ADD,
    DB_LINKED_SPANS,
    DB_LINKED_GET,
    DB_LINKED_NESTED_ADD,
    DB_LINKED_NESTED_CLEAR,
    DB_LINKED_NESTED_LAST,
    DB_SIGNATURE_NUMBERS,
    DB_HITS_WALK,
    DB_OBJECTS_ADD,
    DB_OBJECT_CRC64,
    DB_EXTENTS_ADD,
    DB_OBJECT_FACTS_ADD,
    DB_OBJECT_FACTS_DROP,
    DB_OBJECT_FACTS_OF,
    DB_OBJECT_FACTS_KEY,
    DB_OBJECT_FACTS_ALL,
    DB_DATES,
    DB_DATE_OF,
    DB_NESTED_CLEAR,
    DB_NESTED_CLEAR_HASHES,
    DB_NESTED_ADD,
    DB_NESTED_ADD_PARENTS,
    DB_CONTENT_PUT,
    DB_CONTENT_FORGET,
    DB_KNOWN_SET_ADD,
    DB_KNOWN_SETS,
    DB_KNOWN_OBJECT_ADD,
    DB_KNOWN_RUN_PUT,
    DB_PLACES,
    DB_PLACES_ANY,
    DB_OWNERS,
    DB_PIECES,
    DB_TYPES,
    DB_OBJECT_TYPES,
    DB_TOTAL_HITS,
    DB_TOTAL_OBJECTS,
    DB_TOTAL_TYPES,
    DB_BAD_RANGE_GROW,
    DB_BAD_RANGE_ADD,
    DB_BAD_RANGES,
    DB_BAD_RANGES_OF,
    DB_OUTPUT_ADD,
    DB_OUTPUT_HASH,
    DB_STARTS,
    DB_ASSEMBLED_ADD,
    DB_ASSEMBLED_PIECE,
    DB_ASSEMBLED_JOIN,
    DB_JOINS,
    DB_LIKELY_CLEAR,
    DB_LIKELY_CLEAR_PIECES,
    DB_LIKELY_ADD,
    DB_LIKELY_PIECE,
    DB_LIKELY,
    DB_LIKELY_FIND,
    DB_LIKELY_COUNT,
    DB_FOUND_IN,
    DB_FOUND_IN_ANY,
    DB_FOUND_IN_ALL,
    DB_FOUND_IN_ADD,
    DB_FOUND_IN_CLEAR,
    DB_VOLUME_ADD,
    DB_VOLUMES,
    DB_SCANNED_ADD,
    DB_TRIAGE_ADD,
    DB_TRIAGE_FOUND_ADD,
    DB_TRIAGE_RUNS,
    DB_TRIAGE_FOUND,
    DB_SCANNED,
    DB_KNOWN_BLOCKS,
    DB_FINDING_ADD,
    DB_FINDINGS,
    DB_YARA_ADD,
    DB_YARA_RUN,
    DB_YARA_ALL,
    DB_LINES_HITS,
    DB_LINES_OBJECTS,
    DB_LINES_EXTENTS,
    DB_LINES_NESTED,
    DB_LINES_ASSEMBLED,
    DB_LINES_PIECES,
    DB_LINES_JOINS,
    DB_LINES_FACTS,
    DB_LINES_KNOWN_OBJECTS,
    DB_LINES_KNOWN_BLOCKS,
    DB_LINES_BAD_RANGES,
    DB_LINES_LIKELY,
    DB_LINES_LIKELY_PIECES,
    DB_LOG_ADD,
    DB_LOG_LAST,
    DB_LOG_WALK,
    DB_LOG_FIND,
    DB_LOG_GET,
    DB_STATEMENT_COUNT
};

/* Tables that the rows which a scan writes refer to. */
enum db_parent {
    DB_PARENT_IMAGE,
    DB_PARENT_RUN,
    DB_PARENT_SIGNATURE,
    DB_PARENT_HIT,
    DB_PARENT_SET,
    DB_PARENT_OBJECT,
    DB_PARENT_COUNT
};

struct db_ids {
    int64_t first, last; /* each id from first to last has a row; last 0: nothing is known */
};

/* Ids of rows, some of a span: bit i of words says that the row `first` + i is there. */
struct db_id_set {
    int64_t first;
    uint64_t *words; /* [count] */
    size_t count;
};

struct db_bad_cache {
    int64_t image_id;         /* whose ranges these are; 0: nothing is cached */
    struct db_extent *ranges; /* ascending, disjoint */
    size_t count, room;
};

enum db_access {
    DB_ACCESS_WRITE,
    DB_ACCESS_READ_TIDY, /* reads; may remove the -wal and -shm files that reading makes */
    DB_ACCESS_READ,      /* reads; leaves those files behind */
    DB_ACCESS_IMMUTABLE, /* reads a file that cannot change, without locks and without those files
                          */
};

struct db_log_hash; /* see db/log.c */
struct linked;      /* see db/linked.h */
struct feed;        /* see db/feed.h */
struct db_patterns; /* see db/patterns.h */
struct wal_frames;  /* see db/wal_frames.h */

struct db_case {
    sqlite3 *sqlite;
    char *path; /* absolute */
    enum db_access access;
    pthread_t owner;      /* the one thread that may use it */
    struct db_lock *lock; /* owned; NULL: not open for writing, or its opener still has it */
    dev_t device;         /* of the file, with its inode: is it still the one at the path? */
    ino_t inode;
    bool in_transaction;       /* between db_begin and db_commit */
    int64_t changes;           /* rows that the connection had changed before db_begin */
    int64_t log_broken;        /* see db_log_broken */
    bool failed;               /* a write was lost: no more of them before the next db_begin */
    uint64_t ticks, ticks_max; /* of the statement that runs; see connection.c */
    struct arena image_text, run_text; /* what db_image_get and db_run_latest handed out */
    struct db_bad_cache bad;
    bool bulk; /* between db_bulk_begin and db_bulk_end */
    struct db_ids there[DB_PARENT_COUNT];
    struct db_id_set objects;     /* that were inserted since db_bulk_begin: some, or all */
    struct db_log_hash *log_hash; /* owned; NULL: no entry was hashed yet */
    struct linked *linked;        /* owned; NULL: nothing stays in shards */
    struct feed *feed;            /* owned; NULL: not open for writing */
    struct db_patterns *patterns; /* owned; NULL: no id of a pattern is known */
    struct wal_frames *frames;    /* owned; NULL: none was there, or no bulk yet */
    struct db_seal_ahead *ahead;  /* owned; NULL: nothing is known, or somebody has taken it */
    sqlite3_stmt *statements[DB_STATEMENT_COUNT];
};

enum db_kind { DB_KIND_EMPTY, DB_KIND_NOT_SQLITE, DB_KIND_FOREIGN, DB_KIND_OURS };

/* ERR_INPUT unless path is a regular file. */
ERR_MUST_CHECK enum err_code db_need_regular(const char *path, struct err *err);
/* What the first bytes of the file say that it is. */
ERR_MUST_CHECK enum err_code db_look(struct db_case *db, enum db_kind *kind, struct err *err);
/* As db_case_open_locked, of a file that was made just now, under the lock, of our schema. */
ERR_MUST_CHECK enum err_code db_case_open_made(struct db_lock *lock, struct db_case **out,
                                               struct err *err);
/* Ends runs that are called running though nobody has been at work since the lock was taken. */
ERR_MUST_CHECK enum err_code db_runs_end_dead(struct db_case *db, struct err *err);

/* A handle on an empty database in memory. */
ERR_MUST_CHECK enum err_code db_handle_open_memory(struct db_case **out, struct err *err);
/* A handle on path, which exists. Nothing has been read yet. */
ERR_MUST_CHECK enum err_code db_handle_open(const char *path, enum db_access access,
                                            struct db_case **out, struct err *err);
/*
 * From db_config on only what our own statements need is compiled. SQLite's ALTER TABLE needs more;
 * then no trigger runs, for the file's own have not been looked at yet.
 */
void db_authorize(struct db_case *db, bool on);
/*
 * What db_config has SQLite call every DB_TICK_OPS machine steps of a statement, with the case: not
 * 0 ends the statement, because it has taken more steps than a walk over the file can. db_watch
 * makes it so again, after another call was set.
 */
enum { DB_TICK_OPS = 1000000 };
int db_tick(void *db);
void db_watch(struct db_case *db);
/* The first settings: nothing that the file says can make SQLite run code or use memory without
 * bound. */
ERR_MUST_CHECK enum err_code db_config(struct db_case *db, struct err *err);

/*
 * In a statement behind the table objects: it goes over them in the order of their places. The
 * table of objects in shards has no index, but that order; this word is left out then.
 */
#define DB_BY_PLACE "INDEXED BY objects_by_offset "
/* The object that this one lies in, where n is its row of nested and a that of assembled. What has
 * become a piece of a file is no object, and nothing lies in it. */
#define DB_PARENT                                                                                  \
    "coalesce(a.parent_id, iif(EXISTS (SELECT 1 FROM assembled q WHERE q.object_id = "             \
    "n.parent_id AND q.part = 1), NULL, n.parent_id))"

/* Fills err from SQLite's last error on db; doing says at what. Never ERR_OK. */
#define DB_FAIL(db, err, doing) db_fail((db), (err), __FILE__ ":" ERR_STR(__LINE__), (doing))
enum err_code db_fail(struct db_case *db, struct err *err, const char *where, const char *doing);

/* ERR_INPUT: what the file holds cannot be. */
enum err_code db_damaged(struct db_case *db, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

ERR_MUST_CHECK enum err_code db_exec(struct db_case *db, const char *sql, const char *doing,
                                     struct err *err);
ERR_MUST_CHECK enum err_code db_prepare(struct db_case *db, enum db_statement which,
                                        const char *sql, sqlite3_stmt **out, struct err *err);
/* The same for a statement that is used once; the caller finalizes it. */
ERR_MUST_CHECK enum err_code db_prepare_once(struct db_case *db, const char *sql,
                                             sqlite3_stmt **out, struct err *err);
ERR_MUST_CHECK enum err_code db_step(struct db_case *db, sqlite3_stmt *stmt, bool *row,
                                     const char *doing, struct err *err);
/* Steps a statement that gives no rows. */
ERR_MUST_CHECK enum err_code db_run_to_end(struct db_case *db, sqlite3_stmt *stmt,
                                           const char *doing, struct err *err);
/* A connection that only reads refuses to make TEMP tables and views, too, but for while it is let.
 */
ERR_MUST_CHECK enum err_code db_let_make(struct db_case *db, bool let, struct err *err);
/* How much the page cache may hold from now on, in KiB. */
ERR_MUST_CHECK enum err_code db_set_cache(struct db_case *db, int kib, struct err *err);

/* *own is for db_atom_end, which takes what the work between the two came to and hands it on. Not
 * called when begin fails. */
ERR_MUST_CHECK enum err_code db_atom_begin(struct db_case *db, bool *own, struct err *err);
ERR_MUST_CHECK enum err_code db_atom_end(struct db_case *db, bool own, enum err_code rc,
                                         struct err *err);

/*
 * What is read between the two is one state of the file, also while another program writes to it.
 * Not in a transaction. db_snapshot_end is not called when begin fails.
 */
ERR_MUST_CHECK enum err_code db_snapshot_begin(struct db_case *db, struct err *err);
void db_snapshot_end(struct db_case *db);

/* Parts of atoms: facts of objects that have none yet; new ones instead of those of one object. */
ERR_MUST_CHECK enum err_code db_facts_insert(struct db_case *db, const struct db_object *objects,
                                             uint32_t count, struct err *err);
ERR_MUST_CHECK enum err_code db_facts_replace(struct db_case *db, int64_t object_id,
                                              const struct db_fact *facts, uint32_t count,
                                              struct err *err);

/* Parts of atoms: what is said of an object; what its bytes hash to, and what is known of that
 * (below 0: it stays as it is). */
ERR_MUST_CHECK enum err_code db_nested_add(struct db_case *db, const struct db_nested *row,
                                           struct err *err);
/* The hash of what an object had been says nothing of it any more. */
ERR_MUST_CHECK enum err_code db_contents_forget(struct db_case *db, int64_t id, struct err *err);
ERR_MUST_CHECK enum err_code db_contents_put(struct db_case *db, int64_t id, int known,
                                             const char *sha256, struct err *err);

void db_log_hash_close(struct db_log_hash *hash); /* NULL is a no-op */

/* Verifies the log, and notes in it what is wrong with it. */
ERR_MUST_CHECK enum err_code db_log_check(struct db_case *db, struct err *err);

enum { DB_TIME_SIZE = 32 };
void db_time_now(char out[DB_TIME_SIZE]); /* "2026-01-31T12:34:56.789Z" */

/* The program's name, version and build. */
const char *db_writer(void);

ERR_MUST_CHECK enum err_code db_schema_apply(struct db_case *db,
                                             struct err *err); /* into an empty file */
ERR_MUST_CHECK enum err_code db_schema_check(struct db_case *db,
                                             struct err *err); /* the tables are what we read */

#endif
