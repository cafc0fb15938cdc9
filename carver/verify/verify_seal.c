/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_seal.c - the seal of a case file: see verify.h and carver/case/seal.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/seal.h"
#include "carver/cli/interrupt.h"
#include "carver/verify/verify.h"

static bool verify_stop(void *arg)
{
    (void)arg;
    return interrupt_requested();
}

/* Whether a command wrote behind this entry of the log and has sealed nothing: it was killed. */
static enum err_code verify_is_open(struct db_case *db, const struct db_log_entry *seal, bool *open,
                                    struct err *err)
{
    static const char *const kinds[] = { "start", "migrate" };
    enum err_code rc = ERR_OK;

    *open = false;
    for (size_t i = 0; rc == ERR_OK && i < sizeof kinds / sizeof kinds[0]; i++) {
        struct db_log_entry entry;

        rc = db_log_find(db, kinds[i], &entry, err);
        *open = *open || entry.id > seal->id;
    }
    return rc;
}

/* What stands behind the first words of such a line, which say how the seal was made. */
static const char *verify_seal_words(const char *line)
{
    const size_t head = sizeof DB_SEAL_HEAD - 1;
    const char *colon = strncmp(line, DB_SEAL_HEAD, head) == 0 ? strchr(line, ':') : NULL;

    return colon != NULL ? colon + 1 : "";
}

/* The line beside the case file: that of its last seal, or of an earlier one. */
static enum err_code verify_seal_file(struct verify *verify, struct db_case *db,
                                      const struct db_log_entry *seal, struct err *err)
{
    char line[SEAL_LINE_MAX], want[SEAL_LINE_MAX];
    struct db_log_entry entry;
    const char *word = "same";
    int64_t id = 0;
    enum err_code rc = ERR_OK;

    seal_read(verify->path, line);
    if (line[0] == '\0') {
        word = "missing";
        if (seal->id != 0)
            verify_say(verify, "seal: the file beside it, %s.seal, is missing", verify->path);
    } else {
        static const char head[] = " log entry ";
        const char *words = verify_seal_words(line);

        if (strncmp(words, head, sizeof head - 1) == 0)
            id = strtoll(words + sizeof head - 1, NULL, 10);
        rc = db_log_get(db, id, &entry, err);
        seal_line(&entry, want);
        if (rc == ERR_OK && (entry.id == 0 || strcmp(words, verify_seal_words(want)) != 0)) {
            word = "other";
            verify->failed = true;
            verify_say(verify, "seal: %s.seal is not of this case file, or the log was changed",
                       verify->path);
        } else if (rc == ERR_OK && entry.id != seal->id) {
            word = "older";
            verify_say(verify, "seal: %s.seal is that of entry %" PRId64, verify->path, entry.id);
        }
    }
    if (verify->as_json)
        json_string(&verify->json, "seal_file", word);
    return rc;
}

enum err_code verify_seal(struct verify *verify, struct db_case *db, struct err *err)
{
    struct db_log_entry entry;
    struct db_seal seal;
    char text[SEAL_LINE_MAX];
    const char *word = "holds";
    bool open = false;
    enum err_code rc = db_log_find(db, "seal", &entry, err);

    if (rc == ERR_OK)
        rc = db_seal(db, NULL, 1, verify_stop, NULL, &seal, err);
    if (rc == ERR_OK)
        rc = verify_is_open(db, &entry, &open, err);
    if (rc != ERR_OK)
        return rc;
    seal_text(&seal, text);
    if (entry.id != 0 && strcmp(entry.text, text) == 0) {
        verify_say(verify, "seal: the %" PRIu64 " rows are those of log entry %" PRId64, seal.rows,
                   entry.id);
    } else if (entry.id == 0) {
        word = "none";
        verify_say(verify, "seal: there is none: no command that seals has come to its end yet");
    } else if (open) {
        word = "open";
        verify_say(verify,
                   "seal: a command wrote to it behind the seal, entry %" PRId64
                   ", and did not come to its end: rows cannot be compared",
                   entry.id);
    } else {
        word = "broken";
        verify->failed = true;
        verify_say(verify,
                   "seal: broken: the rows are not those that were sealed by log entry %" PRId64,
                   entry.id);
    }
    if (verify->as_json) {
        json_string(&verify->json, "seal", word);
        json_int(&verify->json, "seal_entry", entry.id);
        json_string(&verify->json, "tables_sha256", seal.sha256);
        json_uint(&verify->json, "rows", seal.rows);
    }
    return verify_seal_file(verify, db, &entry, err);
}
