/* SPDX-License-Identifier: Apache-2.0
 * db/log.c - the log, whose entries are chained by hash.
 *
 * The hash of an entry is the SHA-256 of
 *     HASH \n ID \n TIME \n RUN \n KIND \n TEXT
 * where HASH is that of the entry before it as 64 lower-case hex digits (64 zeros before the
 * first), ID and RUN are decimal, and "\n" is one line feed (the blanks are not there). No field
 * but the last can hold a line feed, so that no two entries have the same encoding. Tables may be
 * emptied by whoever owns the file; the chain shows it as long as its last hash is known from
 * elsewhere.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "db/bind.h"
#include "db/row.h"

enum { LOG_HASH_SIZE = DB_SHA256_HEX + 1, LOG_PREFIX_MAX = LOG_HASH_SIZE + 3 * DB_WORD_MAX };

struct log_entry {
    int64_t id, run_id;
    const char *time, *kind, *text;
};

static void log_no_hash(char hash[LOG_HASH_SIZE])
{
    memset(hash, '0', DB_SHA256_HEX);
    hash[DB_SHA256_HEX] = '\0';
}

/* Kept from one entry to the next: to look the algorithm up takes longer than to hash an entry. */
struct db_log_hash {
    EVP_MD *sha256;
    EVP_MD_CTX *state;
};

void db_log_hash_close(struct db_log_hash *hash)
{
    if (hash == NULL)
        return;
    EVP_MD_CTX_free(hash->state);
    EVP_MD_free(hash->sha256);
    free(hash);
}

/* The one of this case. NULL: no memory, or libcrypto has no SHA-256. */
static struct db_log_hash *log_hash(struct db_case *db)
{
    struct db_log_hash *hash = db->log_hash;

    if (hash != NULL)
        return hash;
    hash = calloc(1, sizeof *hash);
    if (hash == NULL)
        return NULL;
    hash->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    hash->state = EVP_MD_CTX_new();
    if (hash->sha256 != NULL && hash->state != NULL) {
        db->log_hash = hash;
        return hash;
    }
    db_log_hash_close(hash);
    return NULL;
}

/* Replaces the hash of the entry before by that of this one. */
static enum err_code log_chain(struct db_case *db, const struct log_entry *entry,
                               char out[LOG_HASH_SIZE], struct err *err)
{
    const struct db_log_hash *hash = log_hash(db);
    char prefix[LOG_PREFIX_MAX];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;

    const int len = snprintf(prefix, sizeof prefix, "%s\n%" PRId64 "\n%s\n%" PRId64 "\n%s\n", out,
                             entry->id, entry->time, entry->run_id, entry->kind);
    if (hash == NULL || EVP_DigestInit_ex2(hash->state, hash->sha256, NULL) != 1 ||
        EVP_DigestUpdate(hash->state, prefix, (size_t)len) != 1 ||
        EVP_DigestUpdate(hash->state, entry->text, strlen(entry->text)) != 1 ||
        EVP_DigestFinal_ex(hash->state, digest, &digest_len) != 1 ||
        digest_len * 2 != DB_SHA256_HEX)
        return ERR_RAISE(err, ERR_ENV,
                         "computing a SHA-256 failed; look at the installation of OpenSSL");
    hex_bytes(digest, digest_len, out);
    return ERR_OK;
}

enum err_code db_log_last(struct db_case *db, int64_t *id, char hash[LOG_HASH_SIZE],
                          struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_LOG_LAST,
                                  "SELECT id, hash FROM log ORDER BY id DESC LIMIT 1", &stmt, err);

    *id = 0;
    log_no_hash(hash);
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "reading the log", err);
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "log", err);

        *id = row_int(&row, "id", 1, INT64_MAX - 1);
        const char *text = row_text(&row, "hash", DB_SHA256_HEX);
        if (row.rc == ERR_OK && !row_is_sha256(text))
            row_damaged(&row, "hash", "not 64 hex digits");
        if (row.rc == ERR_OK)
            memcpy(hash, text, LOG_HASH_SIZE);
        rc = row.rc;
        sqlite3_reset(stmt);
    }
    return rc;
}

static enum err_code log_append(struct db_case *db, struct log_entry *entry, struct err *err)
{
    char hash[LOG_HASH_SIZE];
    sqlite3_stmt *stmt = NULL;

    if (strlen(entry->kind) > DB_WORD_MAX || strchr(entry->kind, '\n') != NULL)
        return ERR_RAISE(err, ERR_ARG, "%s: \"%s\" is no kind of log entry", db->path, entry->kind);
    enum err_code rc = db_log_last(db, &entry->id, hash, err);
    entry->id++;
    if (rc == ERR_OK)
        rc = log_chain(db, entry, hash, err);
    if (rc == ERR_OK)
        rc = db_prepare(
            db, DB_LOG_ADD,
            "INSERT INTO log (id, time, run_id, kind, text, hash) VALUES (?, ?, ?, ?, ?, ?)", &stmt,
            err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, entry->id);
    bind_text(&bind, "the time of a log entry", entry->time, DB_WORD_MAX);
    bind_int(&bind, entry->run_id);
    bind_text(&bind, "the kind of a log entry", entry->kind, DB_WORD_MAX);
    bind_text(&bind, "the text of a log entry", entry->text, DB_TEXT_MAX);
    bind_text(&bind, "the hash of a log entry", hash, DB_SHA256_HEX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding to the log", err) : bind.rc;
}

enum err_code db_log(struct db_case *db, int64_t run_id, const char *kind, const char *text,
                     struct err *err)
{
    char now[DB_TIME_SIZE];
    struct log_entry entry = { .run_id = run_id, .time = now, .kind = kind, .text = text };
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    db_time_now(now);
    return rc == ERR_OK ? db_atom_end(db, own, log_append(db, &entry, err), err) : rc;
}

enum err_code db_log_verify(struct db_case *db, int64_t *broken_id, struct err *err)
{
    char hash[LOG_HASH_SIZE];
    int64_t before = 0;
    sqlite3_stmt *stmt;
    bool found = true;
    enum err_code rc =
        db_prepare(db, DB_LOG_WALK,
                   "SELECT id, time, run_id, kind, text, hash FROM log ORDER BY id", &stmt, err);

    *broken_id = 0;
    log_no_hash(hash);
    while (rc == ERR_OK && found && *broken_id == 0) {
        rc = db_step(db, stmt, &found, "reading the log", err);
        if (rc != ERR_OK || !found)
            break;
        struct row row = row_init(db, stmt, "log", err);
        struct log_entry entry = { 0 };

        entry.id = row_id(&row, "id");
        entry.time = row_text(&row, "time", DB_WORD_MAX);
        entry.run_id = row_int(&row, "run_id", 0, INT64_MAX);
        entry.kind = row_text(&row, "kind", DB_WORD_MAX);
        entry.text = row_text(&row, "text", DB_TEXT_MAX);
        const char *stored = row_text(&row, "hash", DB_SHA256_HEX);
        rc = row.rc == ERR_OK ? log_chain(db, &entry, hash, err) : row.rc;
        if (rc == ERR_OK && (entry.id != before + 1 || strcmp(hash, stored) != 0 ||
                             strchr(entry.time, '\n') != NULL || strchr(entry.kind, '\n') != NULL))
            *broken_id = entry.id;
        before = entry.id;
    }
    sqlite3_reset(stmt);
    return rc;
}

/* Goes on: what is found now is worth having, and what was changed before stays to be seen. */
enum err_code db_log_check(struct db_case *db, struct err *err)
{
    char text[160];
    enum err_code rc = db_log_verify(db, &db->log_broken, err);

    if (rc != ERR_OK || db->log_broken == 0)
        return rc;
    snprintf(text, sizeof text,
             "the chain of the log is broken at entry %" PRId64
             ": that one, or one before it, was changed or removed",
             db->log_broken);
    return db_log(db, 0, "note", text, err);
}

int64_t db_log_broken(const struct db_case *db)
{
    return db->log_broken;
}
