/* SPDX-License-Identifier: Apache-2.0
 * carver/report/dfxml_report.h - a report in Digital Forensics XML, its files named as one likes.
 */
#ifndef BURIN_CARVER_REPORT_DFXML_REPORT_H
#define BURIN_CARVER_REPORT_DFXML_REPORT_H

#include "carver/case/object_names.h"
#include "carver/report/report.h"

/* Writes the name of an object to out. */
typedef void dfxml_name(const struct report_object *object, char out[OBJECT_PATH_MAX]);

/* name: NULL: as carve names them. Errors as for report_objects. */
ERR_MUST_CHECK enum err_code dfxml_report(struct report *report, dfxml_name *name, struct err *err);

#endif
