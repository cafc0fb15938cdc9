/* SPDX-License-Identifier: Apache-2.0
 * carver/report/dfxml.c - Digital Forensics XML, as burin carve writes it to report.xml. */
#include <stdlib.h>
#include <string.h>

#include "carver/carve/dfxml.h"
#include "carver/cli/about.h"
#include "carver/report/dfxml_report.h"
#include "carver/report/report.h"

struct dfxml {
    struct db_case *db;
    FILE *out;
    dfxml_name *name;
    struct written_totals totals;
};

static enum err_code dfxml_take(void *arg, const struct report_object *report, struct err *err)
{
    struct dfxml *dfxml = arg;
    struct seams seams;
    char name[OBJECT_PATH_MAX];
    const struct written_object written = { .object = report->object,
                                            .path = dfxml->name != NULL ? name : report->name,
                                            .sha256 = report->object->sha256,
                                            .seams = &seams,
                                            .place = report->place };
    const enum err_code rc = seams_read(dfxml->db, report->object, &seams, err);

    if (rc != ERR_OK)
        return rc;
    if (dfxml->name != NULL)
        dfxml->name(report, name);
    dfxml_object(dfxml->out, &written);
    dfxml->totals.files++;
    dfxml->totals.bytes += report->object->len;
    return ERR_OK;
}

/* The paths of all images; to be freed, each and all. */
static enum err_code dfxml_images(struct db_case *db, char ***out, uint32_t *count, struct err *err)
{
    enum err_code rc = db_image_count(db, count, err);

    *out = rc == ERR_OK ? calloc((size_t)*count + 1, sizeof **out) : NULL;
    if (rc == ERR_OK && *out == NULL)
        rc = ERR_NO_MEMORY(err, *count * sizeof **out);
    for (uint32_t i = 0; rc == ERR_OK && *out != NULL && i < *count; i++) {
        struct db_image image;

        rc = db_image_get(db, (int64_t)i + 1, &image, err);
        if (rc == ERR_OK && ((*out)[i] = strdup(image.path)) == NULL)
            rc = ERR_NO_MEMORY(err, strlen(image.path));
    }
    return rc;
}

enum err_code dfxml_report(struct report *report, dfxml_name *name, struct err *err)
{
    struct dfxml dfxml = { .db = report->db, .out = report->out, .name = name };
    char **images = NULL, ended[ABOUT_TIME_MAX];
    uint32_t count = 0;
    enum err_code rc = dfxml_images(report->db, &images, &count, err);
    const struct written_run run = { .command_line = report->command_line,
                                     .case_path = report->case_path,
                                     .started = report->started,
                                     .images = (const char *const *)images,
                                     .image_count = count,
                                     .unfinished = report->unfinished };

    if (rc == ERR_OK) {
        dfxml_begin(report->out, &run);
        rc = report_objects(report, dfxml_take, &dfxml, err);
    }
    if (rc == ERR_OK) {
        about_now(ended);
        dfxml.totals.ended = ended;
        dfxml.totals.status = "done";
        dfxml_end(report->out, &run, &dfxml.totals);
    }
    for (uint32_t i = 0; images != NULL && i < count; i++)
        free(images[i]);
    free(images);
    return rc;
}

enum err_code report_dfxml(struct report *report, struct err *err)
{
    return dfxml_report(report, NULL, err);
}
