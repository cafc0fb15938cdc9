/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_opened.c - see scan_opened.h. */
#include "carver/scan/scan_opened.h"

#include "carver/scan/scan_how.h"

enum err_code scan_opened_open(const struct scan_job *job, const char *path,
                               struct scan_opened *out, struct err *err)
{
    if (out->image != NULL)
        return ERR_OK;
    enum err_code rc = io_image_open(path, job->how->image_type, &out->image, err);
    if (rc == ERR_OK)
        scan_how_set(job->how, out->image);
    if (rc == ERR_OK && job->shards != NULL)
        io_image_be_patient(out->image);
    if (rc == ERR_OK && job->how->mapfile != NULL)
        rc = scan_map_apply(job->how->mapfile, out->image, &out->map, err);
    return rc;
}

void scan_opened_close(struct scan_opened *opened)
{
    io_image_close(opened->image);
    sample_release(&opened->sample);
    *opened = (struct scan_opened){ 0 };
}
