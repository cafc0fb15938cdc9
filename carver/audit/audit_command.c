/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_command.c - `burin audit`: its words; see audit.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/audit_run.h"
#include "carver/case/confine.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"

static const char audit_text[] =
    "Scans the images that the policy file CONFIG names, looks for what its rules describe, and\n"
    "compares the files found with those of the run before. What it keeps lies in the state "
    "folder\n"
    "that CONFIG names; secrets are masked and not stored. docs/guide/operator.md describes "
    "CONFIG.\n"
    "\n"
    "Exit status: 0 nothing to report; 10 something new has met a rule of severity warning or\n"
    "critical; 11 only differences; 1 some evidence could not be read, or not yet; 2, 3, 4 and 130 "
    "as\n"
    "everywhere: nothing is known then. Where several hold: 130, 4, 3, 2, 10, 1, 11.\n"
    "\n"
    "What to do:\n"
    "  --check              read CONFIG and what it names, and say what is wrong or can never "
    "match\n"
    "  --diff               compare two case files, named in the place of CONFIG: OLD NEW. A line "
    "for\n"
    "                       each change, in columns separated by tabs: change, type, offset, "
    "length,\n"
    "                       offset before, image\n"
    "Output:\n"
    "  --all                report what meets a rule, also where it did in the run before\n"
    "  --nagios             print one line for Nagios; the status is 0 fine, 1 warning, 2 "
    "critical, "
    "3\n"
    "                       unknown\n"
#define OUTPUT(name, value, help) help
#include "carver/audit/outputs.def"
#undef OUTPUT
    "  --syslog             log to syslog, too\n"
    "  -q, --quiet          print no summary\n"
    "  --json               print the summary as JSON on standard output\n" CONFINE_TEXT
    "  --help               print this text\n";

enum {
    AUDIT_CHECK = ARGS_LONG,
    AUDIT_DIFF,
    AUDIT_ALL,
    AUDIT_NAGIOS,
    AUDIT_SYSLOG,
    AUDIT_JSON,
    AUDIT_NO_JAIL,
    AUDIT_OUTPUT, /* those of outputs.def from here on */
    AUDIT_LINE_MAX = 16384,
    AUDIT_NAGIOS_UNKNOWN = 3,
};

static const struct args_option audit_table[] = {
    { "check", AUDIT_CHECK, NULL },
    { "diff", AUDIT_DIFF, NULL },
    { "all", AUDIT_ALL, NULL },
    { "nagios", AUDIT_NAGIOS, NULL },
    { "syslog", AUDIT_SYSLOG, NULL },
    { "json", AUDIT_JSON, NULL },
    { "quiet", 'q', NULL },
    { "no-jail", AUDIT_NO_JAIL, NULL },
#define OUTPUT(name, value, help) { #name, AUDIT_OUTPUT + POLICY_OUTPUT_##name, value },
#include "carver/audit/outputs.def"
#undef OUTPUT
    { 0 },
};

static enum err_code audit_take(struct audit_options *o, int id, const char *value, struct err *err)
{
    bool *const flags[] = { &o->check,  &o->diff, &o->all,    &o->nagios,
                            &o->syslog, &o->json, &o->no_jail };

    if (id >= AUDIT_OUTPUT) {
        o->outputs[id - AUDIT_OUTPUT] = value;
        return args_file("the name of an output", value, err);
    }
    *(id == 'q' ? &o->quiet : flags[id - AUDIT_CHECK]) = true;
    return ERR_OK;
}

static enum err_code audit_options_read(int argc, char **argv, struct audit_options *out,
                                        struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id = ARGS_END, count = 0;
    enum err_code rc;

    args_begin(&args, "audit", audit_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = audit_take(out, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK && out->check && (out->diff || out->nagios))
        rc = ERR_RAISE(err, ERR_ARG, "--check goes with neither --diff nor --nagios");
    if (rc == ERR_OK && out->nagios && (out->diff || out->json))
        rc = ERR_RAISE(err, ERR_ARG, "--nagios goes with neither --diff nor --json");
    if (rc == ERR_OK)
        rc = args_operands(&args, 1 + out->diff, 1 + out->diff, out->diff ? "OLD NEW" : "CONFIG",
                           &operands, &count, err);
    for (int i = 0; rc == ERR_OK && i < count; i++)
        rc = args_file(out->diff ? "a case file" : "CONFIG", operands[i], err);
    if (rc == ERR_OK && out->diff) {
        out->old = operands[0];
        out->now = operands[1];
    } else if (rc == ERR_OK) {
        out->config = operands[0];
    }
    return rc;
}

static enum err_code audit_do(struct audit *audit, int argc, char **argv, enum exit_status *status,
                              struct err *err)
{
    enum err_code rc = audit_options_read(argc, argv, &audit->options, err);

    if (rc == ERR_OK && audit->options.diff)
        return audit_diff(&audit->options, status, err);
    if (rc == ERR_OK)
        rc = policy_read(audit->options.config, &audit->policy, err);
    if (rc == ERR_OK && audit->options.check)
        return audit_lint(audit, !audit->options.quiet, err);
    if (rc != ERR_OK)
        return rc;
    audit_run(audit);
    *status = audit_tell(audit);
    return ERR_OK;
}

static enum err_code audit_command_run(int argc, char **argv, enum exit_status *status,
                                       struct err *err)
{
    struct audit *audit = calloc(1, sizeof *audit);
    char command_line[AUDIT_LINE_MAX];
    bool nagios = false;

    if (audit == NULL)
        return ERR_NO_MEMORY(err, sizeof *audit);
    args_quote(argc, argv, command_line, sizeof command_line);
    for (int i = 1; i < argc; i++)
        nagios |= strcmp(argv[i], "--nagios") == 0;
    audit->command_line = command_line;
    audit->state.lock = -1;
    enum err_code rc = audit_do(audit, argc, argv, status, err);
    if (rc != ERR_OK && nagios) { /* whatever it is: what a check of Nagios does not know */
        printf("BURIN UNKNOWN - ");
        print_safe_line(stdout, "%s", err->text);
        *status = (enum exit_status)AUDIT_NAGIOS_UNKNOWN;
        rc = ERR_OK;
    }
    audit_release(audit);
    free(audit);
    return rc;
}

const struct command command_audit = {
    .name = "audit",
    .arguments = "[options] CONFIG",
    .what = "scan on a schedule, and say what has met a rule or has changed since the run before",
    .options = audit_text,
    .run = audit_command_run,
};
