/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/tries_case.c - see tries_case.h. */
#include "carver/yara/tries_case.h"
#include "carver/case/casefile.h"

/* The rights that are left: to write the case file, and, when the images are known, to read. */
static enum err_code tries_case_confine(const struct tries_where *where, enum confine_about about,
                                        struct tries_case *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    confine_open(&out->confine, where->no_jail, about);
    confine_reach(&out->confine, where->reach, where->reach_count);
    if (about == CONFINE_ALL)
        rc = carve_images_confine(out->db, where->images, where->image_count, &out->confine, err);
    confine_case(&out->confine, where->case_path);
    if (rc == ERR_OK)
        rc = confine_enter(&out->confine, err);
    if (about == CONFINE_ALL)
        jail_rules_close(&out->confine.rules);
    return rc;
}

enum err_code tries_case_open(const struct tries_where *where, struct tries_case *out,
                              struct err *err)
{
    enum err_code rc = tries_case_confine(where, CONFINE_WRITING, out, err);

    if (rc == ERR_OK)
        rc = casefile_open(where->command, where->case_path, where->wait, &out->db, err);
    if (rc == ERR_OK)
        rc = tries_case_confine(where, CONFINE_ALL, out, err);
    if (rc == ERR_OK)
        rc = carve_images_open(out->db, where->images, where->image_count, &out->images, err);
    for (uint32_t i = 0; rc == ERR_OK && i < out->images.count; i++)
        rc = casefile_refuse_evidence(out->images.items[i], where->case_path, err);
    return rc;
}

void tries_case_close(struct tries_case *of)
{
    carve_images_close(&of->images);
    db_case_close(of->db);
    *of = (struct tries_case){ 0 };
}
