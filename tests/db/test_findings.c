/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_findings.c - what an audit found: stored, read back by run, and refused where it
 * cannot be; what was to be scanned, and known blocks with their sets. */
#include "tests/db/case_fixture.h"

static char got[4096];

static enum err_code add_finding(void *arg, const struct db_finding *finding, struct err *err)
{
    (void)arg;
    (void)err;
    snprintf(got + strlen(got), sizeof got - strlen(got),
             "%u %s %s %d/%d %d+%d x%d %s '%s' %s '%s'\n", finding->number, finding->rule,
             finding->severity, (int)finding->image_id, (int)finding->object_id,
             (int)finding->offset, (int)finding->len, (int)finding->places, finding->fingerprint,
             finding->excerpt, finding->change, finding->allowed);
    return ERR_OK;
}

static enum err_code add_scanned(void *arg, uint64_t offset, uint64_t len, struct err *err)
{
    (void)arg;
    (void)err;
    snprintf(got + strlen(got), sizeof got - strlen(got), "%d+%d\n", (int)offset, (int)len);
    return ERR_OK;
}

static enum err_code add_blocks(void *arg, const struct db_known_run *run, const char *set_path,
                                struct err *err)
{
    (void)arg;
    (void)err;
    snprintf(got + strlen(got), sizeof got - strlen(got), "%d %d+%d %s %s %d %s\n",
             (int)run->image_id, (int)run->offset, (int)run->len, run->digest,
             run->name != NULL ? run->name : "-", (int)run->source, set_path);
    return ERR_OK;
}

static int64_t audit_run(struct db_case *db)
{
    const struct db_run run = { .command = "audit",
                                .command_line = "burin audit x",
                                .version = "1",
                                .build = "1",
                                .libraries = "",
                                .options = "{}",
                                .host = "h",
                                .user = "u",
                                .status = "done" };
    struct err err = { 0 };
    int64_t id = 0;

    OK(db_run_add(db, &run, &id, &err));
    return id;
}

static struct db_finding a_finding(void)
{
    return (struct db_finding){ .number = 0,
                                .rule = "keys",
                                .severity = "critical",
                                .image_id = 1,
                                .offset = 5900,
                                .len = 20,
                                .places = 2,
                                .fingerprint = "0123456789abcdef",
                                .excerpt = "AKIA... (20 characters)",
                                .change = "new",
                                .allowed = "" };
}

static void findings_come_back_of_the_last_audit(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    struct db_finding finding = a_finding();

    got[0] = '\0';
    OK(db_findings_walk(db, 0, add_finding, NULL, &err));
    assert_string_equal(got, ""); /* no audit yet */
    const int64_t first = audit_run(db);
    OK(db_finding_add(db, first, &finding, &err));
    const int64_t second = audit_run(db);
    finding.number = 1;
    finding.change = "unknown";
    finding.allowed = "a test key";
    finding.severity = "info";
    OK(db_finding_add(db, second, &finding, &err));
    finding = a_finding();
    finding.object_id = 1;
    finding.change = "same";
    OK(db_finding_add(db, second, &finding, &err));
    OK(db_findings_walk(db, 0, add_finding, NULL, &err));
    assert_string_equal(
        got, "0 keys critical 1/1 5900+20 x2 0123456789abcdef 'AKIA... (20 characters)' same ''\n"
             "1 keys info 1/0 5900+20 x2 0123456789abcdef 'AKIA... (20 characters)' unknown "
             "'a test key'\n");
    got[0] = '\0';
    OK(db_findings_walk(db, first, add_finding, NULL, &err));
    assert_string_equal(
        got, "0 keys critical 1/0 5900+20 x2 0123456789abcdef 'AKIA... (20 characters)' new ''\n");
    db_case_close(db);
}

static void what_is_no_finding_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    const int64_t run = audit_run(db);
    struct db_finding finding = a_finding();
    char out[64];

    FAILS(db_finding_add(db, 99, &finding, &err), ERR_INPUT, "");
    finding.image_id = 9;
    FAILS(db_finding_add(db, run, &finding, &err), ERR_INPUT, "");
    finding = a_finding();
    finding.change = "other";
    FAILS(db_finding_add(db, run, &finding, &err), ERR_INPUT, "");
    finding = a_finding();
    finding.severity = "high";
    FAILS(db_finding_add(db, run, &finding, &err), ERR_INPUT, "");
    finding = a_finding();
    finding.places = 0;
    FAILS(db_finding_add(db, run, &finding, &err), ERR_INPUT, "");
    finding = a_finding();
    OK(db_finding_add(db, run, &finding, &err));
    db_case_close(db);
    fixture_sql(f->path, "UPDATE findings SET fingerprint = '0123456789ABCDEF'", out, sizeof out);
    OK(db_case_open(f->path, DB_READ, &db, &err));
    FAILS(db_findings_walk(db, 0, add_finding, NULL, &err), ERR_INPUT, "fingerprint");
    db_case_close(db);
}

/* 300 bytes of two-byte characters: 254 of them stay. */
static void a_long_text_is_cut_between_characters(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    const int64_t run = audit_run(db);
    struct db_finding finding = a_finding();
    char text[301] = "";

    for (int i = 0; i < 150; i++)
        memcpy(text + 2 * (size_t)i, "\xc3\xbc", 3);
    finding.excerpt = text;
    OK(db_finding_add(db, run, &finding, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT length(excerpt), length(CAST(excerpt AS BLOB)) FROM findings",
             "127|254\n");
}

static void what_was_to_be_scanned_and_known_blocks_come_back(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    const char *sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
    const struct db_known_set set = { .run_id = 1,
                                      .path = "/etc/bad.set",
                                      .label = "",
                                      .verdict = "bad",
                                      .hash = "sha256",
                                      .block = 4096,
                                      .hashes = 1,
                                      .sha256 = sha256 };
    struct db_known_run run = {
        .image_id = 1, .offset = 8192, .len = 4096, .digest = "ab", .source = 0
    };

    OK(db_scanned_add(db, 1, 4096, 512, &err));
    OK(db_scanned_add(db, 1, 0, 1024, &err));
    got[0] = '\0';
    OK(db_scanned_walk(db, 1, add_scanned, NULL, &err));
    OK(db_scanned_walk(db, 2, add_scanned, NULL, &err));
    assert_string_equal(got, "0+1024\n4096+512\n");
    OK(db_known_set_add(db, &set, &run.set_id, &err));
    OK(db_known_run_put(db, &run, &err));
    run.offset = 4096;
    run.name = "x.jpg";
    OK(db_known_run_put(db, &run, &err));
    got[0] = '\0';
    OK(db_known_runs_walk(db, add_blocks, NULL, &err));
    assert_string_equal(got,
                        "1 4096+4096 ab x.jpg 0 /etc/bad.set\n1 8192+4096 ab - 0 /etc/bad.set\n");
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(findings_come_back_of_the_last_audit),
        CASE_TEST(what_is_no_finding_is_refused),
        CASE_TEST(a_long_text_is_cut_between_characters),
        CASE_TEST(what_was_to_be_scanned_and_known_blocks_come_back),
    };
    return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
