/* SPDX-License-Identifier: Apache-2.0
 * carver/report/sarif.c - SARIF 2.1.0: what the last audit of the case found, as results with the
 * states that they have beside the run before.
 *
 * Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/ (3.27 results, 3.27.24
 * baselineState, 3.27.23 suppressions, 3.30.12 byteOffset). What was not read this time is called
 * "unchanged", as SARIF has no word for it; its property "change" says "unknown".
 */
#include <stdlib.h>
#include <string.h>

#include "carver/cli/about.h"
#include "carver/cli/json_write.h"
#include "carver/report/report.h"

enum { SARIF_URI_MAX = 3 * 4096 + 16, SARIF_TIME_MAX = 64 };

struct sarif {
    struct report *report;
    struct json json;
    char rule[128]; /* the one whose descriptor was written last */
    int64_t image;  /* whose address is in uri; 0: none */
    char uri[SARIF_URI_MAX];
    bool audited; /* the case has an audit; its last one: */
    int64_t run_id;
    char started[SARIF_TIME_MAX], ended[SARIF_TIME_MAX];
    bool done;  /* all of its rules were asked */
    char *line; /* owned */
};

/* The path as a URI (RFC 3986, RFC 8089); an address is one already. */
static void sarif_uri(const char *path, char out[SARIF_URI_MAX])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=:@";
    size_t used = 0;

    if (path[0] != '/') {
        snprintf(out, SARIF_URI_MAX, "%s", path);
        return;
    }
    used = (size_t)snprintf(out, SARIF_URI_MAX, "file://");
    for (const char *c = path; *c != '\0' && used + 4 < SARIF_URI_MAX; c++)
        used += (size_t)(strchr(plain, *c) != NULL
                             ? snprintf(out + used, 4, "%c", *c)
                             : snprintf(out + used, 4, "%%%02X", (unsigned char)*c));
}

static const char *sarif_level(const char *severity)
{
    return strcmp(severity, "critical") == 0  ? "error"
           : strcmp(severity, "warning") == 0 ? "warning"
                                              : "note";
}

static const char *sarif_state(const char *change)
{
    return strcmp(change, "new") == 0     ? "new"
           : strcmp(change, "moved") == 0 ? "updated"
           : strcmp(change, "gone") == 0  ? "absent"
                                          : "unchanged";
}

static enum err_code sarif_run(void *arg, const struct db_run *run, struct err *err)
{
    struct sarif *s = arg;

    if (strcmp(run->command, "audit") != 0)
        return ERR_OK;
    s->audited = true;
    s->run_id = run->id;
    snprintf(s->started, sizeof s->started, "%s", run->started);
    snprintf(s->ended, sizeof s->ended, "%s", run->ended != NULL ? run->ended : "");
    s->done = strcmp(run->status, "done") == 0;
    free(s->line);
    s->line = strdup(run->command_line);
    return s->line != NULL ? ERR_OK : ERR_NO_MEMORY(err, strlen(run->command_line));
}

/* A rule's descriptor; findings come by rule. */
static enum err_code sarif_rule(void *arg, const struct db_finding *finding, struct err *err)
{
    struct sarif *s = arg;

    (void)err;
    if (strcmp(s->rule, finding->rule) == 0)
        return ERR_OK;
    snprintf(s->rule, sizeof s->rule, "%s", finding->rule);
    json_open_object(&s->json, NULL);
    json_string(&s->json, "id", finding->rule);
    json_open_object(&s->json, "defaultConfiguration");
    json_string(&s->json, "level", sarif_level(finding->severity));
    json_close_object(&s->json);
    json_close_object(&s->json);
    return ERR_OK;
}

static void sarif_place(struct sarif *s, const struct db_finding *finding)
{
    json_open_array(&s->json, "locations");
    json_open_object(&s->json, NULL);
    json_open_object(&s->json, "physicalLocation");
    json_open_object(&s->json, "artifactLocation");
    json_string(&s->json, "uri", s->uri);
    json_close_object(&s->json);
    json_open_object(&s->json, "region");
    json_uint(&s->json, "byteOffset", finding->offset);
    json_uint(&s->json, "byteLength", finding->len);
    json_close_to(&s->json, 5);
}

static void sarif_result(struct sarif *s, const struct db_finding *finding)
{
    json_open_object(&s->json, NULL);
    json_string(&s->json, "ruleId", finding->rule);
    json_string(&s->json, "level", sarif_level(finding->severity));
    json_open_object(&s->json, "message");
    json_string(&s->json, "text", finding->excerpt);
    json_close_object(&s->json);
    sarif_place(s, finding);
    json_uint(&s->json, "occurrenceCount", finding->places);
    json_open_object(&s->json, "partialFingerprints");
    json_string(&s->json, "burin/v1", finding->fingerprint);
    json_close_object(&s->json);
    json_string(&s->json, "baselineState", sarif_state(finding->change));
    if (finding->allowed[0] != '\0') {
        json_open_array(&s->json, "suppressions");
        json_open_object(&s->json, NULL);
        json_string(&s->json, "kind", "external");
        json_string(&s->json, "status", "accepted");
        json_string(&s->json, "justification", finding->allowed);
        json_close_object(&s->json);
        json_close_array(&s->json);
    }
    json_open_object(&s->json, "properties");
    json_string(&s->json, "change", finding->change);
    if (finding->object_id != 0)
        json_int(&s->json, "object", finding->object_id);
    json_close_object(&s->json);
    json_close_object(&s->json);
}

/* Findings of a rule come by image, so an image is asked for now and then. */
static enum err_code sarif_finding(void *arg, const struct db_finding *finding, struct err *err)
{
    struct sarif *s = arg;
    struct db_image image;
    enum err_code rc = ERR_OK;

    if (s->image != finding->image_id) {
        rc = db_image_get(s->report->db, finding->image_id, &image, err);
        if (rc == ERR_OK)
            sarif_uri(image.path, s->uri);
        s->image = finding->image_id;
    }
    if (rc == ERR_OK)
        sarif_result(s, finding);
    return rc;
}

static enum err_code sarif_tool(struct sarif *s, struct err *err)
{
    json_open_object(&s->json, "tool");
    json_open_object(&s->json, "driver");
    json_string(&s->json, "name", "burin");
    json_string(&s->json, "version", about_version());
    json_open_array(&s->json, "rules");
    const enum err_code rc = db_findings_walk(s->report->db, 0, sarif_rule, s, err);
    json_close_to(&s->json, 3);
    return rc;
}

static void sarif_warning(struct sarif *s, const char *text)
{
    json_open_object(&s->json, NULL);
    json_string(&s->json, "level", "warning");
    json_open_object(&s->json, "message");
    json_string(&s->json, "text", text);
    json_close_object(&s->json);
    json_close_object(&s->json);
}

/* Whether all was read: what was not is told, so that no result is no good news. */
static enum err_code sarif_invocation(struct sarif *s, struct err *err)
{
    const struct unfinished *unfinished = s->report->unfinished;
    struct db_log_entry partly;
    const enum err_code rc = db_log_find(s->report->db, "partly", &partly, err);

    if (rc != ERR_OK)
        return rc;
    json_open_array(&s->json, "invocations");
    json_open_object(&s->json, NULL);
    json_string(&s->json, "commandLine", s->line);
    json_string(&s->json, "startTimeUtc", s->started);
    if (s->ended[0] != '\0')
        json_string(&s->json, "endTimeUtc", s->ended);
    json_bool(&s->json, "executionSuccessful", unfinished->count == 0 && s->done);
    json_open_array(&s->json, "toolExecutionNotifications");
    if (!s->done)
        sarif_warning(s, "the audit ended before all of its rules were asked");
    if (partly.id != 0 && partly.run_id == s->run_id)
        sarif_warning(s, partly.text);
    for (uint32_t i = 0; i < unfinished->count; i++)
        sarif_warning(s, unfinished->items[i].text);
    json_close_to(&s->json, 3);
    return ERR_OK;
}

enum err_code report_sarif(struct report *report, struct err *err)
{
    struct sarif *s = calloc(1, sizeof *s);

    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    enum err_code rc = db_runs_walk(report->db, sarif_run, s, err);
    if (rc == ERR_OK && !s->audited)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: it has no audit (burin audit), and SARIF is of what one found",
                       report->case_path);
    if (rc == ERR_OK) {
        s->report = report;
        json_init(&s->json, report->out, 5);
        json_open_object(&s->json, NULL);
        json_string(&s->json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
        json_string(&s->json, "version", "2.1.0");
        json_open_array(&s->json, "runs");
        json_open_object(&s->json, NULL);
        rc = sarif_tool(s, err);
    }
    if (rc == ERR_OK)
        rc = sarif_invocation(s, err);
    if (rc == ERR_OK) {
        json_open_array(&s->json, "results");
        rc = db_findings_walk(report->db, 0, sarif_finding, s, err);
        json_close_to(&s->json, 0);
        json_end(&s->json);
    }
    free(s->line);
    free(s);
    return rc;
}
