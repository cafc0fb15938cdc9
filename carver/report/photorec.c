/* SPDX-License-Identifier: Apache-2.0
 * carver/report/photorec.c - Digital Forensics XML with the names that PhotoRec gives: f, the
 * sector, the extension. A file that does not begin with its sector has the byte in it, too.
 */
#include <inttypes.h>
#include <stdio.h>

#include "carver/report/dfxml_report.h"
#include "carver/report/report.h"

enum { PHOTOREC_SECTOR = 512 };

static void photorec_name(const struct report_object *object, char out[OBJECT_PATH_MAX])
{
    const uint64_t offset = object->object->offset, byte = offset % PHOTOREC_SECTOR;
    const char *extension = object->object->extension;
    char within[8] = "";

    if (byte != 0)
        snprintf(within, sizeof within, "+%" PRIu64, byte);
    snprintf(out, OBJECT_PATH_MAX, "f%07" PRIu64 "%s%s%s", offset / PHOTOREC_SECTOR, within,
             extension[0] != '\0' ? "." : "", extension);
}

enum err_code report_photorec(struct report *report, struct err *err)
{
    return dfxml_report(report, photorec_name, err);
}
