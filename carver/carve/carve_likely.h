/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_likely.h - files that are likely in pieces, as objects of carve: they lie in a
 * folder of their own, and no row of the case is theirs but that of the table likely.
 */
#ifndef BURIN_CARVER_CARVE_CARVE_LIKELY_H
#define BURIN_CARVER_CARVE_CARVE_LIKELY_H

#include "carver/case/object_names.h"
#include "carver/case/seams.h"
#include "carver/select/ids.h"

#define CARVE_LIKELY_STATE "likely"

/* The likely file as an object; it lasts as long as likely does. */
struct db_object carve_likely_object(const struct db_likely *likely);
bool carve_likely_is(const struct db_object *object);

/* likely/TYPE/OFFSET.EXT, under imageN/ when the case has several images. */
void carve_likely_path(const struct db_likely *likely, uint32_t images, struct object_path *out);

/* What speaks for the likely file of this object, for the reports. Errors: those of the case file.
 */
ERR_MUST_CHECK enum err_code carve_likely_seams(struct db_case *db, const struct db_object *object,
                                                struct seams *out, struct err *err);

/* The hits of all of them, by image and hit; not settled. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code carve_likely_ids(struct db_case *db, struct ids *out, struct err *err);

#endif
