/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/output_events.c - a line of JSON for each change, added to a file: see outputs.h.
 *
 * The words are osquery's: a thing is "added" or "removed". A file that changed was removed and
 * added. Behind them stands one line for the run, also for one that failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "carver/audit/compare.h"
#include "carver/audit/outputs.h"
#include "carver/cli/about.h"
#include "carver/cli/json_write.h"

struct events {
    const struct told *told;
    FILE *out;
    char time[ABOUT_TIME_MAX];
};

static void events_open(const struct events *events, struct json *json, const char *event)
{
    json_init(json, events->out, 0);
    json_open_object(json, NULL);
    json_string(json, "time", events->time);
    json_string(json, "audit", events->told->audit->policy.name.text);
    json_string(json, "event", event);
}

static void events_close(struct json *json)
{
    json_close_object(json);
    json_end(json);
}

static void events_finding(const struct events *events, const struct finding *finding,
                           const char *image)
{
    struct json json;

    events_open(events, &json, "finding");
    json_string(&json, "action", finding->change == DIFF_GONE ? "removed" : "added");
    json_string(&json, "rule", finding->rule);
    json_string(&json, "severity", policy_severity_name(finding->severity));
    json_string(&json, "fingerprint", finding->fingerprint);
    json_string(&json, "excerpt", finding->excerpt);
    json_string(&json, "image", image);
    json_uint(&json, "offset", finding->offset);
    json_uint(&json, "length", finding->len);
    json_uint(&json, "places", finding->places);
    events_close(&json);
}

static enum err_code events_findings(const struct events *events, struct err *err)
{
    const struct told *told = events->told;
    struct db_image image;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < told->list.count; i++) {
        const struct finding *finding = &told->list.items[i];

        if (finding->allowed[0] != '\0' ||
            (finding->change != DIFF_NEW && finding->change != DIFF_GONE))
            continue;
        rc = db_image_get(told->db, finding->image_id, &image, err);
        if (rc == ERR_OK)
            events_finding(events, finding, image.path);
    }
    return rc;
}

static void events_object(const struct events *events, const struct compare *compare,
                          const struct diff_item *item, const char *action)
{
    struct json json;

    events_open(events, &json, "object");
    json_string(&json, "action", action);
    json_string(&json, "change", diff_word(item->change));
    json_string(&json, "type", compare->types[item->type]);
    json_string(&json, "image", compare->images[item->image].path);
    json_uint(&json, "offset", item->offset);
    json_uint(&json, "length", item->len);
    if (item->change == DIFF_MOVED)
        json_uint(&json, "before", item->before);
    events_close(&json);
}

static enum err_code events_objects(const struct events *events, struct err *err)
{
    struct compare compare = { 0 };
    enum err_code rc = compare_open(events->told->old, events->told->db, &compare, err);

    if (rc == ERR_OK)
        rc = compare_objects(&compare, err);
    for (uint32_t side = 0; rc == ERR_OK && side < 2; side++)
        for (size_t i = 0; i < compare.sides[side].count; i++) {
            const struct diff_item *item = &compare.sides[side].items[i];

            if (item->change != DIFF_SAME && item->change != DIFF_UNKNOWN)
                events_object(events, &compare, item, side == 0 ? "removed" : "added");
        }
    compare_close(&compare);
    return rc;
}

static void events_run(const struct events *events)
{
    const struct audit *audit = events->told->audit;
    struct json json;

    events_open(events, &json, "run");
    json_int(&json, "status", events->told->status);
    json_bool(&json, "finished", audit->finished);
    json_string(&json, "why", audit->finished ? NULL : audit->why.text);
    json_double(&json, "seconds", (double)events->told->elapsed / 1e9);
    if (audit->judged) {
        json_uint(&json, "read", audit->counts.read);
        json_uint(&json, "unreadable", audit->counts.unreadable);
        json_uint(&json, "undecided", audit->counts.undecided);
        json_int(&json, "log_entry", audit->counts.log_id);
        json_string(&json, "log_hash", audit->counts.log_hash);
    }
    events_close(&json);
}

enum err_code audit_output_events(const struct told *told, const char *path, struct err *err)
{
    struct events events = { .told = told };
    enum err_code rc = ERR_OK;

    about_now(events.time);
    const int fd =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    events.out = fd >= 0 ? fdopen(fd, "a") : NULL;
    if (events.out == NULL) {
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot be opened: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    if (told->audit->judged && told->db != NULL)
        rc = events_findings(&events, err);
    if (rc == ERR_OK && told->audit->judged && told->db != NULL && told->old != NULL)
        rc = events_objects(&events, err);
    events_run(&events);
    errno = 0;
    const bool written = fflush(events.out) == 0 && !ferror(events.out);
    if (rc == ERR_OK && !written)
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot be written: %s", path, strerror(errno));
    fclose(events.out);
    return rc;
}
