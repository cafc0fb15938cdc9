/* SPDX-License-Identifier: Apache-2.0
 * db/findings.c - the table findings: what met the rules of an audit. */
#include <string.h>

#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

enum { FINDING_TEXT_MAX = 255 /* bytes of a text that is kept */ };

/* As much of a text as is kept: whole characters of UTF-8. */
static const char *finding_text(const char *text, char out[FINDING_TEXT_MAX + 1])
{
    size_t len = strnlen(text, FINDING_TEXT_MAX);

    if (len == FINDING_TEXT_MAX)
        while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
            len--;
    memcpy(out, text, len);
    out[len] = '\0';
    return out;
}

static enum err_code finding_add(struct db_case *db, int64_t run_id,
                                 const struct db_finding *finding, struct err *err)
{
    static const char sql[] =
        "INSERT INTO findings (run_id, number, rule, severity, image_id, object_id, offset, len, "
        "places, fingerprint, excerpt, change, allowed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?)";
    char excerpt[FINDING_TEXT_MAX + 1], allowed[FINDING_TEXT_MAX + 1];
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_refer(db, DB_PARENT_IMAGE, finding->image_id, err);
    if (rc == ERR_OK)
        rc = db_prepare(db, DB_FINDING_ADD, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_int(&bind, finding->number);
    bind_text(&bind, "the rule of a finding", finding->rule, DB_WORD_MAX);
    bind_text(&bind, "the severity of a finding", finding->severity, DB_WORD_MAX);
    bind_int(&bind, finding->image_id);
    bind_id_or_null(&bind, finding->object_id);
    bind_size(&bind, "the offset of a finding", finding->offset);
    bind_size(&bind, "the length of a finding", finding->len);
    bind_size(&bind, "the places of a finding", finding->places);
    bind_text(&bind, "the fingerprint of a finding", finding->fingerprint, DB_FINGERPRINT_HEX);
    bind_text(&bind, "a finding", finding_text(finding->excerpt, excerpt), DB_REASON_MAX);
    bind_text(&bind, "the change of a finding", finding->change, DB_WORD_MAX);
    bind_text(&bind, "why a finding is allowed", finding_text(finding->allowed, allowed),
              DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a finding", err) : bind.rc;
}

enum err_code db_finding_add(struct db_case *db, int64_t run_id, const struct db_finding *finding,
                             struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, finding_add(db, run_id, finding, err), err) : rc;
}

struct findings_walk {
    db_finding_fn each;
    void *arg;
};

static enum err_code finding_read(void *arg, struct row *row)
{
    const struct findings_walk *walk = arg;
    struct db_finding finding = { .number = (uint32_t)row_int(row, "number", 0, UINT32_MAX) };

    finding.rule = row_text(row, "rule", DB_WORD_MAX);
    finding.severity = row_text(row, "severity", DB_WORD_MAX);
    finding.image_id = row_id(row, "image_id");
    finding.object_id = row_id_or_null(row, "object_id");
    finding.offset = row_size(row, "offset");
    finding.len = row_size(row, "len");
    finding.places = row_size(row, "places");
    const char *fingerprint = row_text(row, "fingerprint", DB_FINGERPRINT_HEX);
    finding.excerpt = row_text(row, "excerpt", DB_REASON_MAX);
    finding.change = row_text(row, "change", DB_WORD_MAX);
    finding.allowed = row_text(row, "allowed", DB_REASON_MAX);
    if (row->rc == ERR_OK && (strlen(fingerprint) != DB_FINGERPRINT_HEX ||
                              strspn(fingerprint, "0123456789abcdef") != DB_FINGERPRINT_HEX))
        row_damaged(row, "fingerprint", "it is not 16 hex digits");
    if (row->rc != ERR_OK)
        return row->rc;
    memcpy(finding.fingerprint, fingerprint, sizeof finding.fingerprint);
    return walk->each(walk->arg, &finding, row->err);
}

enum err_code db_findings_walk(struct db_case *db, int64_t run_id, db_finding_fn each, void *arg,
                               struct err *err)
{
    static const char sql[] =
        "SELECT number, rule, severity, image_id, object_id, offset, len, places, fingerprint, "
        "excerpt, change, allowed FROM findings WHERE run_id = CASE ?1 WHEN 0 THEN (SELECT "
        "max(id) FROM runs WHERE command = 'audit') ELSE ?1 END ORDER BY number";
    struct findings_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_FINDINGS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    return row_each(&bind, "findings", "reading findings", finding_read, &walk);
}
