/* carver/verify.c - `burin verify`: whether a case file is whole, and what its log says of itself.
 */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/confine.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "db/case.h"

static const char verify_options_text[] =
    "Reads the whole case file and checks its pages, its tables, and the chain of hashes of its "
    "log.\n"
    "Prints the number and the hash of the last entry of the log. Note both: as long as this entry "
    "has\n"
    "this hash, nothing up to it was changed. Exit status 1: a check failed.\n"
    "\n"
    "Options:\n"
    "  --json               print the answer as JSON\n" CONFINE_TEXT
    "  --help               print this text\n";

enum { VERIFY_JSON = ARGS_LONG, VERIFY_NO_JAIL };

static const struct args_option verify_table[] = { { "json", VERIFY_JSON, NULL },
                                                   { "no-jail", VERIFY_NO_JAIL, NULL },
                                                   { 0 } };

struct verify {
    const char *path;
    bool json, no_jail;
    struct db_check pages;
    int64_t broken, last; /* entries of the log; broken 0: none */
    char hash[DB_SHA256_HEX + 1];
};

static enum err_code verify_read_options(int argc, char **argv, struct verify *out, struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    args_begin(&args, "verify", verify_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        *(id == VERIFY_JSON ? &out->json : &out->no_jail) = true;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        out->path = operands[0];
    return rc;
}

static void verify_print_json(const struct verify *verify)
{
    struct json json;

    json_init(&json, stdout, 1);
    json_open_object(&json, NULL);
    json_string(&json, "case", verify->path);
    json_string(&json, "pages", verify->pages.whole ? "whole" : verify->pages.text);
    json_bool(&json, "log_holds", verify->broken == 0);
    if (verify->broken != 0)
        json_int(&json, "log_broken_at", verify->broken);
    json_int(&json, "log_last", verify->last);
    json_string(&json, "log_last_hash", verify->hash);
    json_close_object(&json);
    json_end(&json);
}

static void verify_print(const struct verify *verify)
{
    print_safe(stdout, verify->path);
    if (verify->pages.whole) {
        fputs(": its pages and tables are whole\n", stdout);
    } else {
        fputs(": damaged: ", stdout);
        print_safe(stdout, verify->pages.text);
        putchar('\n');
    }
    if (verify->broken == 0)
        printf("log: the chain of %" PRId64 " entries holds; the hash of the last one is %s\n",
               verify->last, verify->hash);
    else
        printf("log: the chain is broken at entry %" PRId64 " of %" PRId64
               ": this entry or one before it was changed or removed\n",
               verify->broken, verify->last);
}

static enum err_code verify_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct verify verify = { 0 };
    struct confine confine = { 0 };
    struct db_case *db = NULL;
    enum err_code rc = verify_read_options(argc, argv, &verify, err);

    if (rc == ERR_OK) {
        confine_open(&confine, verify.no_jail, CONFINE_ALL);
        confine_case(&confine, verify.path);
        rc = confine_enter(&confine, err);
    }
    if (rc == ERR_OK)
        rc = db_case_open(verify.path, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = db_check_pages(db, &verify.pages, err);
    if (rc == ERR_OK)
        rc = db_log_verify(db, &verify.broken, err);
    if (rc == ERR_OK)
        rc = db_log_last(db, &verify.last, verify.hash, err);
    if (rc == ERR_OK && verify.json)
        verify_print_json(&verify);
    else if (rc == ERR_OK)
        verify_print(&verify);
    if (rc == ERR_OK && (!verify.pages.whole || verify.broken != 0))
        *status = EXIT_PARTLY;
    db_case_close(db);
    return rc;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "[options] CASE",
    .what = "check a case file, and the chain of hashes of its log",
    .options = verify_options_text,
    .run = verify_run,
};
