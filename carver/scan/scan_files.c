/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_files.c - see scan_files.h. */
#include <stdio.h>
#include <stdlib.h>

#include "carver/cli/print_safe.h"
#include "carver/scan/scan_files.h"
#include "carver/scan/scan_print.h"

enum err_code scan_files_open(const struct scan_options *options, struct scan_files *out,
                              struct err *err)
{
    *out = (struct scan_files){ .options = options };
    json_init(&out->json, stdout, options->how.image_count > 1 ? 2 : 1);
    if (options->dictionary == NULL) {
        const enum err_code rc = types_select(options->types, &out->selection, err);

        out->sigs = out->selection.sigs;
        out->count = out->selection.count;
        return rc;
    }
    enum err_code rc = sig_conf_read(options->dictionary, options->compat, &out->conf, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < out->conf.warning_count && !options->how.quiet; i++)
        print_safe_line(stderr, "burin: scan: %s:%u:%u: warning: %s",
                        sig_conf_name(options->dictionary), out->conf.warnings[i].line,
                        out->conf.warnings[i].column, out->conf.warnings[i].text);
    out->sigs = calloc(out->conf.rule_count, sizeof *out->sigs);
    if (out->sigs == NULL)
        return ERR_NO_MEMORY(err, out->conf.rule_count * sizeof *out->sigs);
    for (uint32_t i = 0; i < out->conf.rule_count; i++)
        out->sigs[i] = &out->conf.rules[i];
    out->count = out->conf.rule_count;
    return ERR_OK;
}

void scan_files_close(struct scan_files *files)
{
    scan_print_end(&files->json);
    if (files->sigs != NULL && files->sigs != files->selection.sigs)
        free(files->sigs);
    types_release(&files->selection);
    sig_conf_release(&files->conf);
    *files = (struct scan_files){ 0 };
}

static bool scan_files_wanted(void *arg, const struct sig *sig, const struct sig_type *type)
{
    return types_wanted(arg, sig, type);
}

static void scan_files_name(void *arg, uint32_t number, struct scan_name *out)
{
    const struct scan_files *files = arg;
    const struct sig *sig = files->sigs[number];

    out->name = sig->name;
    out->kind = sig->check != NULL ? "validator" : "rule";
    out->has_footer = sig->check == NULL && sig->footer.len > 0;
    out->size_max = sig->size_max;
    scan_name_pattern(&sig->headers[0], (sig->flags & SIG_REGEX_HEADER) != 0, out->header);
    scan_name_pattern(&sig->footer, (sig->flags & SIG_REGEX_FOOTER) != 0, out->footer);
    if (sig->line != 0)
        snprintf(out->origin, sizeof out->origin, "%s:%u",
                 sig_conf_name(files->options->dictionary), sig->line);
    else
        snprintf(out->origin, sizeof out->origin, "built-in");
}

static enum err_code scan_files_report(void *arg, const struct scan_done *done, struct err *err)
{
    struct scan_files *files = arg;

    return scan_print(&files->job, done, &files->json, err);
}

const struct scan_job *scan_files_job(struct scan_files *files, const struct patterns *patterns,
                                      const char *command_line)
{
    const struct scan_options *o = files->options;

    files->job = (struct scan_job){
        .command = "scan",
        .command_line = command_line,
        .how = &o->how,
        .plan = { .sigs = files->sigs,
                  .sig_count = files->count,
                  .patterns = patterns,
                  .compat = o->compat,
                  .all_hits = o->all_hits,
                  .hits_only = o->hits_only,
                  .label = o->compat == SIG_COMPAT_NONE,
                  .align = o->align,
                  .wanted = o->dictionary == NULL ? scan_files_wanted : NULL,
                  .wanted_arg = &files->selection },
        .row_count = files->count,
        .name = scan_files_name,
        .types = o->types,
        .dictionary = o->dictionary,
        .known = o->known,
        .known_count = o->known_count,
        .known_step = o->known_step,
        .pick = o->pick,
        .places = !o->no_file_systems,
        .assemble = !o->no_assemble,
        .hash_kinds = o->hash_kinds,
        .force = o->force,
        .once = true,
        .resumable = true,
        .resume = o->resume,
        .moved = o->moved_count > 0,
        .options = o,
        .keep_parts = o->keep_parts,
        .since = o->since,
        .changed = o->changed,
        .report = scan_files_report,
        .arg = files,
    };
    return &files->job;
}
