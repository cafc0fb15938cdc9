/* SPDX-License-Identifier: Apache-2.0
 * carver/identify.c - `burin identify`: the validators of scan on plain files, each from its first
 * byte on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/case/fact_json.h"
#include "carver/case/fact_pack.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/file_source.h"
#include "signatures/media.h"
#include "signatures/sig.h"

static const char identify_options_text[] =
    "Prints one file a line, in columns separated by tabs: path, type or \"unknown\", state "
    "(complete,\n"
    "truncated or \"-\"), length of the part that was found, reason. Exit status 1 when a file is "
    "unknown\n"
    "or cannot be read.\n"
    "\n"
    "Options:\n"
    "  --json               print a JSON array, with facts too: what the file says of "
    "itself\n" CONFINE_TEXT "  --help               print this text\n";

enum { IDENTIFY_JSON = ARGS_LONG, IDENTIFY_NO_JAIL, IDENTIFY_REASON_MAX = 256 };

static const struct args_option identify_table[] = { { "json", IDENTIFY_JSON, NULL },
                                                     { "no-jail", IDENTIFY_NO_JAIL, NULL },
                                                     { 0 } };

/* The best answer so far for one file. */
struct identify_answer {
    const struct sig *sig;       /* NULL: unknown */
    const struct sig_type *kind; /* and its type: */
    const char *type;            /* NULL: unknown */
    const char *state;           /* "complete", "truncated", "-" */
    uint64_t len;
    uint32_t rank;    /* larger is better; 0: none */
    uint32_t literal; /* bytes of the header that are not wild: the longer, the less by chance */
    char reason[IDENTIFY_REASON_MAX];
};

enum { IDENTIFY_HEADER = 1, IDENTIFY_BREAKS, IDENTIFY_COMPLETE, IDENTIFY_EXACT };

/* Whether one of the signature's headers stands at its place; *literal says how many of its bytes
 * are fixed. */
static bool identify_header(struct file_source *source, const struct sig *sig, uint32_t *literal)
{
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0; i++) {
        const struct sig_pattern *p = &sig->headers[i];
        uint32_t have = 0, fixed = 0, wrong = 0;

        if (p->at > source->size || p->len > source->size - p->at)
            continue;
        const uint8_t *bytes = source->source.view(&source->source, p->at, p->len, &have);
        for (uint32_t k = 0; bytes != NULL && k < p->len; k++) {
            const uint8_t mask = p->mask == NULL ? 0xff : (uint8_t)p->mask[k];
            uint8_t differ = (uint8_t)((bytes[k] ^ (uint8_t)p->bytes[k]) & mask);

            if ((sig->flags & SIG_NO_CASE) != 0 && differ == 0x20 && (bytes[k] | 0x20) >= 'a' &&
                (bytes[k] | 0x20) <= 'z')
                differ = 0;
            wrong += differ != 0;
            fixed += mask != 0;
        }
        if (bytes != NULL && wrong == 0) {
            *literal = fixed;
            return true;
        }
    }
    return false;
}

/* Runs a validator to its verdict. All bytes are there, so it can only ask to be called again, or
 * for what could not be read. */
static struct sig_result identify_check(struct file_source *source, const struct sig *sig,
                                        void *state, const struct sig_type **type)
{
    struct sig_input in = { .source = &source->source,
                            .sig = sig,
                            .limit = source->size < sig->size_max ? source->size : sig->size_max };
    struct sig_result result;
    bool claimed;

    memset(state, 0, sig_state_clean(sig));
    do {
        in.claim_count = 0;
        result = sig_check(sig, &in, state);
        claimed = in.claim_count > 0;
    } while (result.verdict == SIG_MORE && claimed && source->error == 0 && !interrupt_requested());
    *type = in.type != NULL ? in.type : &sig->types[0];
    return result;
}

static void identify_take(struct identify_answer *best, const struct identify_answer *answer)
{
    if (answer->rank > best->rank || (answer->rank == best->rank && answer->len > best->len) ||
        (answer->rank == best->rank && answer->len == best->len && answer->literal > best->literal))
        *best = *answer;
}

static void identify_signature(struct file_source *source, const struct sig *sig, void *state,
                               struct identify_answer *best)
{
    struct identify_answer answer = { .state = "-" };
    const struct sig_type *type = &sig->types[0];
    struct sig_result result;

    if ((sig->flags & SIG_NO_HEADER) == 0 && !identify_header(source, sig, &answer.literal))
        return;
    answer.sig = sig;
    answer.kind = type;
    answer.type = type->name;
    if (sig->check == NULL) {
        answer.rank = IDENTIFY_HEADER;
        snprintf(answer.reason, sizeof answer.reason,
                 "the header is that of %s; burin has no validator for this type", sig->what);
        identify_take(best, &answer);
        return;
    }
    result = identify_check(source, sig, state, &type);
    answer.kind = type;
    answer.type = type->name;
    answer.len = result.len;
    snprintf(answer.reason, sizeof answer.reason, "%s", result.why);
    if (result.verdict == SIG_COMPLETE) {
        answer.rank = result.len == source->size ? IDENTIFY_EXACT : IDENTIFY_COMPLETE;
        answer.state = "complete";
        if (result.len < source->size)
            snprintf(answer.reason, sizeof answer.reason, "%s; %" PRIu64 " bytes follow it",
                     result.why, source->size - result.len);
    } else if (result.verdict == SIG_BREAKS) {
        answer.rank = IDENTIFY_BREAKS;
        answer.state = "truncated";
    } else {
        return;
    }
    identify_take(best, &answer);
}

/* What the file at path is. False: it could not be read; answer->reason says why. */
static bool identify_file(struct file_source *source, const char *path, void *state,
                          struct identify_answer *answer)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);
    struct err err = { 0 };

    *answer =
        (struct identify_answer){ .state = "-",
                                  .reason = "no known header, or its validator rejects the file" };
    if (file_source_open(source, path, &err) != ERR_OK) {
        snprintf(answer->reason, sizeof answer->reason, "%.*s", IDENTIFY_REASON_MAX - 1, err.text);
        return false;
    }
    if (source->size == 0)
        snprintf(answer->reason, sizeof answer->reason, "empty");
    for (uint32_t low = 0; low < 2 && answer->type == NULL; low++) /* those without a header last */
        for (uint32_t i = 0; i < count && source->error == 0 && source->size > 0; i++)
            if (((all[i]->flags & SIG_NO_HEADER) != 0) == (low == 1))
                identify_signature(source, all[i], state, answer);
    if (source->error != 0) {
        *answer = (struct identify_answer){ .state = "-" };
        snprintf(answer->reason, sizeof answer->reason, "cannot read: %s", strerror(source->error));
        return false;
    }
    return true;
}

/* What the file says of itself, as far as its validator has found it right. */
static void identify_facts(struct file_source *source, const struct identify_answer *answer,
                           struct sig_facts *facts, struct json *json)
{
    struct db_fact rows[SIG_FACTS_MAX];
    uint32_t count = 0;

    if (answer->sig != NULL) {
        sig_facts_read(answer->sig, answer->kind, &source->source, 0, answer->len, facts);
        count = fact_rows(facts, answer->len, rows);
    }
    json_open_object(json, "facts");
    for (uint32_t i = 0; i < count; i++)
        fact_json(json, &rows[i]);
    json_close_object(json);
}

/* facts: memory for them; json NULL: they are not printed. */
static void identify_print(struct json *json, const char *path, struct file_source *source,
                           const struct identify_answer *answer, bool readable,
                           struct sig_facts *facts)
{
    const char *type = answer->type != NULL ? answer->type : "unknown";

    if (json != NULL) {
        json_open_object(json, NULL);
        json_string(json, "path", path);
        json_bool(json, "readable", readable);
        json_string(json, "type", type);
        json_string(json, "media_type", sig_media_type(type));
        json_string(json, "pronom", sig_pronom(type));
        json_string(json, "state", answer->state);
        json_uint(json, "length", answer->len);
        json_string(json, "reason", answer->reason);
        identify_facts(source, answer, facts, json);
        json_close_object(json);
        return;
    }
    print_safe(stdout, path);
    printf("\t%s\t%s\t%" PRIu64 "\t", type, answer->state, answer->len);
    print_safe(stdout, answer->reason);
    putchar('\n');
}

static enum err_code identify_files(char **paths, int count, struct json *json,
                                    enum exit_status *status, struct err *err)
{
    struct file_source source;
    void *state = aligned_alloc(64, SIG_STATE_MAX);
    struct sig_facts *facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *facts);
    enum err_code rc = file_source_init(&source, err);

    if (rc == ERR_OK && (state == NULL || facts == NULL))
        rc = ERR_NO_MEMORY(err, SIG_STATE_MAX);
    for (int i = 0; i < count && rc == ERR_OK; i++) {
        struct identify_answer answer;
        const bool readable = identify_file(&source, paths[i], state, &answer);

        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc != ERR_OK || ferror(stdout)) /* main.c says so */
            break;
        if (!readable)
            print_safe_line(stderr, "burin: identify: %s: %s", paths[i], answer.reason);
        if (!readable || answer.type == NULL)
            *status = EXIT_PARTLY;
        identify_print(json, paths[i], &source, &answer, readable, facts);
    }
    file_source_release(&source);
    free(facts);
    free(state);
    return rc;
}

static enum err_code identify_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct json json, *out = NULL;
    struct confine confine = { 0 };
    bool no_jail = false;
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    args_begin(&args, "identify", identify_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if (id == IDENTIFY_JSON)
            out = &json;
        else
            no_jail = true;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, argc, "FILE...", &operands, &count, err);
    for (int i = 0; rc == ERR_OK && i < count; i++)
        rc = args_file("FILE", operands[i], err);
    if (rc != ERR_OK)
        return rc;
    confine_open(&confine, no_jail, CONFINE_ALL);
    for (int i = 0; i < count; i++)
        confine_read(&confine, operands[i]);
    rc = confine_enter(&confine, err);
    if (rc != ERR_OK)
        return rc;
    json_init(&json, stdout, 1);
    if (out != NULL)
        json_open_array(out, NULL);
    rc = identify_files(operands, count, out, status, err);
    if (out != NULL && rc == ERR_OK) {
        json_close_array(out);
        json_end(out);
    }
    return rc;
}

const struct command command_identify = {
    .name = "identify",
    .arguments = "[options] FILE...",
    .what = "find the type of plain files, and whether they are whole",
    .options = identify_options_text,
    .run = identify_run,
};
