/* SPDX-License-Identifier: Apache-2.0
 * carver/case/run.c - see run.h. */
#include "carver/case/run.h"
#include "carver/cli/about.h"

enum err_code run_settings_open(struct run_settings *settings, struct err *err)
{
    settings->out = fmemopen(settings->text, sizeof settings->text, "w");
    if (settings->out == NULL)
        return ERR_NO_MEMORY(err, sizeof settings->text);
    json_init(&settings->json, settings->out, 0);
    json_open_object(&settings->json, NULL);
    return ERR_OK;
}

enum err_code run_settings_close(struct run_settings *settings, struct err *err)
{
    json_close_object(&settings->json);
    if (fclose(settings->out) != 0)
        return ERR_RAISE(err, ERR_ARG,
                         "the options are too long to be recorded: more than %d bytes",
                         RUN_SETTINGS_MAX);
    return ERR_OK;
}

enum err_code run_begin(struct db_case *db, const struct db_run *run, int64_t *id, struct err *err)
{
    char libraries[ABOUT_LIBRARIES_TEXT], host[ABOUT_NAME_MAX], user[ABOUT_NAME_MAX];
    char now[ABOUT_TIME_MAX];
    struct db_run whole = *run;

    about_libraries_text(libraries);
    about_host(host);
    about_user(user);
    whole.version = about_version();
    whole.build = about_build();
    whole.libraries = libraries;
    whole.host = host;
    whole.user = user;
    if (whole.started == NULL) {
        about_now(now);
        whole.started = now;
    }
    if (whole.status == NULL)
        whole.status = "running";
    const enum err_code rc = db_run_add(db, &whole, id, err);
    return rc == ERR_OK ? db_log(db, *id, "start", run->command_line, err) : rc;
}

enum err_code run_begin_noted(struct db_case *db, const struct db_run *run, const char *note,
                              int64_t *id, struct err *err)
{
    enum err_code rc = db_begin(db, err);

    if (rc == ERR_OK)
        rc = run_begin(db, run, id, err);
    if (rc == ERR_OK)
        rc = db_log(db, *id, "note", note, err);
    return rc == ERR_OK ? db_commit(db, err) : rc;
}

const char *run_status(enum err_code how)
{
    return how == ERR_OK ? "done" : how == ERR_INTERRUPTED ? "interrupted" : "failed";
}
