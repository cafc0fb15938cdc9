/* SPDX-License-Identifier: Apache-2.0
 * carver/report/case_id.h - names of nodes of CASE: kb:CLASS-UUID, where the UUID is made from what
 * the node is of (RFC 4122, version 5, in its name space of URLs). The same thing has the same
 * name in every report.
 */
#ifndef BURIN_CARVER_REPORT_CASE_ID_H
#define BURIN_CARVER_REPORT_CASE_ID_H

#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

/* What all names begin with where "kb:" stands, in the context of a report. */
#define CASE_ID_PREFIX "urn:burin:kb:"

enum { CASE_UUID = 37, CASE_ID = 96 }; /* bytes with the NUL */

/* One thread. Its functions fail together: case_id_failed tells. */
struct case_id;

ERR_MUST_CHECK enum err_code case_id_open(struct case_id **out, struct err *err);
void case_id_close(struct case_id *id); /* NULL is a no-op */

/* The UUID of urn:burin: and these texts, one behind the other, with a colon between them. NULL
 * ends them. */
void case_id_uuid(struct case_id *id, char out[CASE_UUID], ...) __attribute__((sentinel));
/* That of an object: of its type and its pieces in the image. */
void case_id_object(struct case_id *id, const char *image, const struct db_object *object,
                    char out[CASE_UUID]);

/* kb:CLASS-UUID. */
void case_id_text(const char *class, const char uuid[CASE_UUID], char out[CASE_ID]);

/* ERR_ENV when libcrypto would not hash: no name since case_id_open is one then. */
ERR_MUST_CHECK enum err_code case_id_failed(const struct case_id *id, struct err *err);

#endif
