/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/outputs.c - all outputs of an audit: see outputs.h. */
#include <string.h>
#include <syslog.h>

#include "carver/audit/outputs.h"

static const struct {
    const char *name;
    enum err_code (*write)(const struct told *told, const char *path, struct err *err);
} outputs_all[POLICY_OUTPUTS] = {
#define OUTPUT(name, value, help) { #name, audit_output_##name },
#include "carver/audit/outputs.def"
#undef OUTPUT
};

enum err_code outputs_write(struct told *told, struct err *err)
{
    enum err_code first = ERR_OK;

    for (uint32_t i = 0; i < POLICY_OUTPUTS; i++) {
        const char *path = audit_output_path(told->audit, (enum policy_output)i);
        struct err why = { 0 };

        if (path[0] == '\0' || outputs_all[i].write(told, path, &why) == ERR_OK)
            continue;
        log_line(told->audit, LOG_ERR, "%s: %s", outputs_all[i].name, why.text);
        if (first != ERR_OK)
            continue;
        first = ERR_RAISE(err, ERR_ENV, "%s: %s", outputs_all[i].name, why.text);
        told->status = EXIT_ENVIRONMENT;
    }
    return first;
}
