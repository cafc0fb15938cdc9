/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/log_line.c - lines of the log: see outputs.h.
 *
 * Where standard error is the journal's, it reads "<4>" in front of a line as its priority
 * (sd-daemon(3)); the environment variable JOURNAL_STREAM says whether it is (systemd.exec(5)).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "carver/audit/outputs.h"
#include "carver/cli/print_safe.h"

enum { LOG_TEXT_MAX = 2048, LOG_LINES_MAX = 100 /* findings of a run that are told one by one */ };

static bool log_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char mine[64];
    struct stat st;

    if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
        return false;
    snprintf(mine, sizeof mine, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(stream, mine) == 0;
}

void log_line(const struct audit *audit, int priority, const char *format, ...)
{
    char text[LOG_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (audit->options.syslog)
        syslog(priority, "%s", text);
    if (log_is_journal())
        fprintf(stderr, "<%d>", priority);
    print_safe_line(stderr, "burin: audit: %s", text);
}

static int log_priority(enum policy_severity severity)
{
    static const int priorities[POLICY_SEVERITIES] = { LOG_INFO, LOG_WARNING, LOG_CRIT };

    return priorities[severity];
}

bool told_is_fresh(const struct told *told, const struct finding *finding)
{
    if (finding->allowed[0] != '\0' || finding->change == DIFF_GONE ||
        finding->change == DIFF_UNKNOWN)
        return false;
    return told->audit->options.all || finding->change == DIFF_NEW;
}

static void log_findings(const struct told *told)
{
    const struct audit *audit = told->audit;
    uint64_t lines = 0, left = 0;

    for (size_t i = 0; i < told->list.count; i++) {
        const struct finding *finding = &told->list.items[i];
        struct db_image image = { .path = "?" };
        struct err err = { 0 };

        if (!told_is_fresh(told, finding))
            continue;
        if (lines++ >= LOG_LINES_MAX) {
            left++;
            continue;
        }
        if (db_image_get(told->db, finding->image_id, &image, &err) != ERR_OK)
            image.path = "?"; /* the case file has said what is wrong with it before */
        log_line(audit, log_priority(finding->severity),
                 "%s: %s: %s:%s %s, %s at %" PRIu64 " of %s, %" PRIu64 " place%s",
                 audit->policy.name.text, policy_severity_name(finding->severity), finding->rule,
                 finding->fingerprint, diff_word(finding->change), finding->excerpt,
                 finding->offset, image.path, finding->places, plural_s(finding->places));
    }
    if (left > 0)
        log_line(audit, LOG_WARNING, "%s: %" PRIu64 " more finding%s, which the case file has",
                 audit->policy.name.text, left, plural_s(left));
}

void told_log(const struct told *told)
{
    const struct audit *audit = told->audit;

    if (audit->judged && told->db != NULL)
        log_findings(told);
    if (audit->failed != ERR_OK)
        log_line(audit, LOG_ERR, "%s: %s", audit->policy.name.text, audit->why.text);
    else if (!audit->finished)
        log_line(audit, LOG_WARNING, "%s: not finished: %s", audit->policy.name.text,
                 audit->why.text);
    if (audit->counts.left_out > 0)
        log_line(audit, LOG_WARNING,
                 "%s: %" PRIu64 " place%s of findings left out: there are more than %d findings",
                 audit->policy.name.text, audit->counts.left_out, plural_s(audit->counts.left_out),
                 FINDINGS_MAX);
}
