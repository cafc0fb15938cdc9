/* SPDX-License-Identifier: Apache-2.0
 * carver/report/json.c - what burin list --json prints. */
#include "carver/list/list_print.h"
#include "carver/report/report.h"
#include "carver/select/chosen.h"

static enum err_code json_object(void *arg, const struct db_object *object, const char *name,
                                 struct err *err)
{
    return list_print_row(arg, object, name, err);
}

enum err_code report_json(struct report *report, struct err *err)
{
    struct list_print print = { .form = LIST_JSON };
    enum err_code rc = list_print_open(&print, report->db, report->out, 0, false, err);

    if (rc == ERR_OK)
        rc = chosen_walk(report->db, report->selection, report->out, json_object, &print,
                         &report->chosen, err);
    if (rc == ERR_OK)
        list_print_end(&print);
    list_print_close(&print);
    return rc;
}
