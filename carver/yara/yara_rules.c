/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_rules.c - see yara_rules.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/jailed.h"
#include "carver/cli/interrupt.h"
#include "carver/yara/yara_answer.h"
#include "carver/yara/yara_rules.h"

enum {
    YARA_RULES_FAILURES = 100, /* processes that ended */
    YARA_RULES_MORE = 10,   /* seconds that a process may take beside YARA's: it looks at times */
    YARA_RULES_COMPILE = 1, /* an order; one of an object is YARA_RULES_OBJECT and its length */
    YARA_RULES_OBJECT = 2,
};
#define YARA_RULES_MEMORY (UINT64_C(3) << 30)

struct yara_rules_work {
    struct jailed process;
    struct yara_match_shared *shared;
    struct yara_match *match;
    struct yara_rules_match matches[YARA_RULES_MATCHES_MAX]; /* of the last object */
};

static void yara_rules_work_do(void *arg, uint64_t order, void *answer)
{
    struct yara_rules_work *work = arg;
    struct yara_match_answer said = { .how = YARA_MATCH_NOTHING };

    if (order <= YARA_RULES_OBJECT + (uint64_t)YARA_RULES_OBJECT_BYTES)
        yara_match_do(work->match, order >= YARA_RULES_OBJECT,
                      order >= YARA_RULES_OBJECT ? (size_t)order - YARA_RULES_OBJECT : 0, &said);
    memcpy(answer, &said, sizeof said);
}

enum err_code yara_rules_add(struct yara_rules *rules, const char *path, const char *space,
                             struct err *err)
{
    struct yara_rules_file *to = &rules->files[rules->file_count];
    FILE *file = NULL;
    size_t len = 0;

    if (rules->file_count == YARA_RULES_FILES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: more than %d files of rules", path,
                         YARA_RULES_FILES_MAX);
    *to = (struct yara_rules_file){ .path = strdup(path), .space = strdup(space) };
    rules->file_count++;
    if (to->path == NULL || to->space == NULL)
        return ERR_NO_MEMORY(err, strlen(path) + strlen(space));
    enum err_code rc = input_open(path, &file, err);
    if (rc == ERR_OK)
        rc = input_read(file, path, YARA_RULES_FILE_BYTES, &to->text, &len, err);
    if (file != NULL)
        fclose(file);
    if (rc != ERR_OK)
        return rc;
    rules->bytes += len;
    if (len > YARA_RULES_FILE_BYTES || rules->bytes > YARA_RULES_BYTES)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: a file of rules has at most %d bytes, and all together %d", path,
                         YARA_RULES_FILE_BYTES, YARA_RULES_BYTES);
    char *text = realloc(to->text, len + 1);
    if (text == NULL)
        return ERR_NO_MEMORY(err, len + 1);
    text[len] = '\0';
    to->text = text;
    return memchr(text, '\0', len) == NULL
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "%s: this is no file of rules: it has a byte 0", path);
}

/* What is wrong with the rules, in YARA's words. */
static enum err_code yara_rules_wrong(const struct yara_rules *rules, struct err *err)
{
    struct yara_answer_fault fault;

    yara_answer_fault(rules->work->shared, rules->file_count, &fault);
    return ERR_RAISE(err, ERR_INPUT, "%s:%" PRIu32 ": %s", rules->files[fault.file].path,
                     fault.line, fault.text);
}

static enum err_code yara_rules_compile(struct yara_rules *rules, struct err *err)
{
    struct yara_match_answer said = { .how = YARA_MATCH_NOTHING };

    if (!jailed_ask(&rules->work->process, YARA_RULES_COMPILE, &said))
        return interrupt_requested()
                   ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted")
                   : ERR_RAISE(err, ERR_INPUT,
                               "%s: the process that compiles these rules has ended, or takes more "
                               "than %u seconds",
                               rules->files[0].path, rules->seconds + YARA_RULES_MORE);
    rules->rule_count = said.count;
    if (said.how == YARA_MATCH_WRONG_RULES)
        return yara_rules_wrong(rules, err);
    return said.how == YARA_MATCH_DONE
               ? ERR_OK
               : ERR_RAISE(err, ERR_ENV, "%s: YARA cannot compile these rules: its error %u",
                           rules->files[0].path, said.code);
}

enum err_code yara_rules_open(struct yara_rules *rules, uint32_t seconds, struct err *err)
{
    struct yara_rules_work *work = calloc(1, sizeof *work);

    if (work == NULL)
        return ERR_NO_MEMORY(err, sizeof *work);
    rules->work = work;
    rules->seconds = seconds;
    const struct jailed_how how = { .shared = sizeof(struct yara_match_shared),
                                    .answer = sizeof(struct yara_match_answer),
                                    .seconds = seconds + YARA_RULES_MORE,
                                    .patience = 10 * (seconds + YARA_RULES_MORE),
                                    .failures = YARA_RULES_FAILURES,
                                    .memory = YARA_RULES_MEMORY,
                                    .stop = interrupt_requested,
                                    .work = yara_rules_work_do,
                                    .arg = work };
    enum err_code rc = jailed_open(&how, &work->process, err);
    work->shared = (struct yara_match_shared *)(void *)work->process.shared;
    if (rc == ERR_OK)
        rc = yara_match_open(rules, work->shared, &work->match, err);
    if (rc == ERR_OK)
        rc = yara_rules_compile(rules, err);
    if (rc == ERR_OK)
        jailed_rest(&work->process);
    return rc;
}

void yara_rules_close(struct yara_rules *rules)
{
    if (rules->work != NULL) {
        jailed_close(&rules->work->process);
        yara_match_close(rules->work->match);
    }
    free(rules->work);
    for (uint32_t i = 0; i < rules->file_count; i++) {
        free(rules->files[i].path);
        free(rules->files[i].space);
        free(rules->files[i].text);
    }
    *rules = (struct yara_rules){ 0 };
}

uint8_t *yara_rules_room(struct yara_rules *rules)
{
    return rules->work->shared->object;
}

void yara_rules_try(struct yara_rules *rules, uint32_t len, struct yara_rules_verdict *out)
{
    struct yara_rules_work *work = rules->work;
    struct yara_match_answer said = { .how = YARA_MATCH_NOTHING };

    *out = (struct yara_rules_verdict){ .matches = work->matches };
    if (!jailed_ask(&work->process, YARA_RULES_OBJECT + (uint64_t)len, &said))
        snprintf(out->why, sizeof out->why, "%s",
                 work->process.failures >= YARA_RULES_FAILURES
                     ? "too many processes of YARA have ended before"
                     : "the process of YARA has ended, or took too long");
    else if (said.how == YARA_MATCH_TIME)
        snprintf(out->why, sizeof out->why, "YARA took more than %u second%s", rules->seconds,
                 rules->seconds == 1 ? "" : "s");
    else if (said.how == YARA_MATCH_MEMORY)
        snprintf(out->why, sizeof out->why, "YARA has not enough memory");
    else if (said.how == YARA_MATCH_FAILED)
        snprintf(out->why, sizeof out->why, "YARA's error %u", said.code);
    else if (yara_answer_matches(&said, work->shared->matches, len, work->matches)) {
        out->count = said.count;
        out->left_out = said.left_out;
    } else {
        jailed_distrust(&work->process);
        snprintf(out->why, sizeof out->why, "what the process of YARA says cannot be");
    }
}
