/* SPDX-License-Identifier: Apache-2.0
 * carver/report/objects.c - the objects of a report, with what else is known of each. */
#include "carver/report/report.h"
#include "carver/select/chosen.h"

struct objects {
    struct report *report;
    report_object_fn each;
    void *arg;
    struct report_object object; /* the one that is given */
    struct facts facts;          /* of it */
    bool placed;
};

static enum err_code objects_place(void *arg, const struct db_found_in *place, struct err *err)
{
    struct objects *objects = arg;

    objects->placed = true;
    objects->object.place = place;
    return objects->each(objects->arg, &objects->object, err);
}

static enum err_code objects_take(void *arg, const struct db_object *object, const char *name,
                                  struct err *err)
{
    struct objects *objects = arg;

    objects->object =
        (struct report_object){ .object = object, .name = name, .facts = &objects->facts };
    objects->placed = false;
    enum err_code rc = facts_read(&objects->facts, object->id, object->len, err);
    if (rc != ERR_OK)
        return rc;
    rc = db_found_in_of(objects->report->db, object->id, objects_place, objects, err);
    return rc == ERR_OK && !objects->placed ? objects->each(objects->arg, &objects->object, err)
                                            : rc;
}

enum err_code report_objects(struct report *report, report_object_fn each, void *arg,
                             struct err *err)
{
    struct objects objects = { .report = report, .each = each, .arg = arg };

    enum err_code rc = facts_open(&objects.facts, report->db, err);
    if (rc == ERR_OK)
        rc = chosen_walk(report->db, report->selection, report->out, objects_take, &objects,
                         &report->chosen, err);
    facts_close(&objects.facts);
    return rc;
}
