/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_print.h - the rows of `burin list`: lines for programs, JSON, or a table for
 * people.
 */
#ifndef BURIN_CARVER_LIST_LIST_PRINT_H
#define BURIN_CARVER_LIST_LIST_PRINT_H

#include <stdio.h>

#include "carver/cli/json_write.h"
#include "carver/cli/table.h"
#include "db/case.h"

enum list_form { LIST_LINES, LIST_JSON, LIST_TABLE };

struct list_print {
    struct db_case *db;
    FILE *out;
    enum list_form form;
    bool known, place; /* columns of their own; JSON always has both */
    bool placed;       /* something is known of the places of objects */
    struct json json;
    struct db_facts_follow *facts; /* for JSON */
    struct table table;
    uint32_t id_width, offset_width; /* of the table */
    bool parent, offset, name;       /* columns that the table has room for */
    bool any;                        /* a row was printed */
};

/* The form, known and place are set. columns, color: of the table. */
ERR_MUST_CHECK enum err_code list_print_open(struct list_print *print, struct db_case *db,
                                             FILE *out, uint32_t columns, bool color,
                                             struct err *err);
ERR_MUST_CHECK enum err_code list_print_row(struct list_print *print,
                                            const struct db_object *object, const char *name,
                                            struct err *err);
void list_print_end(struct list_print *print);   /* behind the last row; not after an error */
void list_print_close(struct list_print *print); /* more than once is a no-op */

/* Where the pieces, [count], of what is printed lie, under the key "extents". */
void list_print_extents(struct json *json, const struct db_extent *extents, uint32_t count);

#endif
