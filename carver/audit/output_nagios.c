/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/output_nagios.c - one line for Nagios and its kin: see outputs.h.
 *
 * Source: https://www.monitoring-plugins.org/doc/guidelines.html: STATUS - text |
 * label=value;warn;crit
 */
#include <inttypes.h>
#include <stdio.h>

#include "carver/audit/outputs.h"
#include "carver/cli/print_safe.h"

enum { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN };

static int nagios_status(const struct told *told)
{
    const struct audit *audit = told->audit;

    if (audit->failed != ERR_OK)
        return NAGIOS_UNKNOWN;
    if (told_count(told, POLICY_CRITICAL) > 0)
        return NAGIOS_CRITICAL;
    return told_count(told, POLICY_WARNING) > 0 || audit->partly || !audit->finished
               ? NAGIOS_WARNING
               : NAGIOS_OK;
}

int told_nagios(const struct told *told)
{
    static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
    const struct audit_counts *counts = &told->audit->counts;
    const int status = nagios_status(told);
    char line[TOLD_LINE_MAX];

    told_line(told, line);
    for (char *c = line; *c != '\0'; c++)
        if (*c == '|' || *c == '\n')
            *c = ' '; /* what they part is not said by a path */
    printf("BURIN %s - ", words[status]);
    print_safe_message(stdout, line);
    if (told->audit->judged) {
        if (audit_asked_all(told->audit))
            printf(" | findings=%" PRIu64 ";0;0", told_count(told, POLICY_WARNING));
        else
            printf(" | findings=U;0;0"); /* not known, and not none */
        printf(" new=%" PRIu64 " gone=%" PRIu64 " read=%" PRIu64 "B unreadable=%" PRIu64
               "B time=%" PRIu64 "s",
               counts->changes[DIFF_NEW], counts->changes[DIFF_GONE], counts->read,
               counts->unreadable, told->elapsed / UINT64_C(1000000000));
    }
    putchar('\n');
    return status;
}
