/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/dfxml.h - report.xml in Digital Forensics XML, valid under the schema 2.0.0-beta.0
 * of the DFXML working group.
 *
 * What DFXML has no element for stands in our own namespace, behind the elements it has: type,
 * state, reason, image, parent, bytes that could not be read. Text is escaped as print_safe_xml
 * does.
 */
#ifndef BURIN_CARVER_CARVE_DFXML_H
#define BURIN_CARVER_CARVE_DFXML_H

#include <stdio.h>

#include "carver/carve/written.h"

#define DFXML_OWN_NAMESPACE "urn:burin:dfxml:1"

/* All write to out; the caller looks for write errors. */
void dfxml_begin(FILE *out, const struct written_run *run);
void dfxml_object(FILE *out, const struct written_object *written);
void dfxml_end(FILE *out, const struct written_run *run, const struct written_totals *totals);

#endif
