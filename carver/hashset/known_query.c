/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_query.c - `burin known query` and `burin known info`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/hashset/known_files.h"
#include "carver/hashset/known_options.h"
#include "carver/hashset/known_set.h"

struct query {
    const struct known_options *options;
    struct known_set set;
    struct json json;
    const char *asked; /* NULL: the entry's own name */
    uint64_t known, unknown;
    uint64_t blocks, blocks_known; /* of the file that is being looked at */
};

static void query_put(const char *text, size_t len)
{
    char copy[KNOWN_NAME_MAX + 1];

    len = len < KNOWN_NAME_MAX ? len : KNOWN_NAME_MAX;
    memcpy(copy, text, len);
    copy[len] = '\0';
    print_safe(stdout, copy);
}

static void query_print(struct query *q, const struct known_entry *entry, bool found,
                        const struct known_found *what)
{
    const char *answer = found ? known_verdict_name(q->set.about.verdict) : "unknown";
    char hex[2 * DIGEST_MAX + 1];

    known_hex(entry->digest, q->set.digest_len, hex);
    if (q->options->json) {
        char copy[KNOWN_NAME_MAX + 1];

        snprintf(copy, sizeof copy, "%.*s",
                 (int)(entry->name_len < KNOWN_NAME_MAX ? entry->name_len : KNOWN_NAME_MAX),
                 entry->name != NULL ? entry->name : "");
        json_open_object(&q->json, NULL);
        json_string(&q->json, "hash", hex);
        json_string(&q->json, "answer", answer);
        json_string(&q->json, "name", found ? what->name : NULL);
        json_string(&q->json, "asked",
                    q->asked != NULL      ? q->asked
                    : entry->name != NULL ? copy
                                          : NULL);
        json_close_object(&q->json);
        return;
    }
    printf("%s\t%s\t", hex, answer);
    print_safe(stdout, found && what->name != NULL ? what->name : "-");
    putchar('\t');
    if (q->asked != NULL)
        print_safe(stdout, q->asked);
    else if (entry->name != NULL)
        query_put(entry->name, entry->name_len);
    else
        fputs(hex, stdout);
    putchar('\n');
}

static enum err_code query_one(void *arg, const struct known_entry *entry, struct err *err)
{
    struct query *q = arg;
    struct known_found what = { 0 };
    const bool found = known_set_find(&q->set, entry->digest, &what);

    if (ferror(stdout))
        return ERR_RAISE(err, ERR_ENV, "cannot write to standard output");
    q->known += found;
    q->unknown += !found;
    query_print(q, entry, found, &what);
    return ERR_OK;
}

static enum err_code query_block(void *arg, const struct known_entry *entry, struct err *err)
{
    struct query *q = arg;
    struct known_found what;

    (void)err;
    q->blocks++;
    q->blocks_known += known_set_find(&q->set, entry->digest, &what);
    return ERR_OK;
}

/* A file beside a set of blocks: how many of its blocks are in it. */
static void query_print_blocks(struct query *q, const char *path)
{
    const char *answer = q->blocks_known > 0 ? known_verdict_name(q->set.about.verdict) : "unknown";

    q->known += q->blocks_known > 0;
    q->unknown += q->blocks_known == 0;
    if (q->options->json) {
        json_open_object(&q->json, NULL);
        json_string(&q->json, "answer", answer);
        json_uint(&q->json, "blocks", q->blocks);
        json_uint(&q->json, "blocks_known", q->blocks_known);
        json_string(&q->json, "asked", path);
        json_close_object(&q->json);
        return;
    }
    printf("%" PRIu64 "/%" PRIu64 "\t%s\t-\t", q->blocks_known, q->blocks, answer);
    print_safe(stdout, path);
    putchar('\n');
}

static enum err_code query_file(struct query *q, char *path, struct err *err)
{
    const struct known_about *about = &q->set.about;
    const struct known_files_options files = {
        .hash = about->hash, .block_len = about->block_len, .threads = 1, .trouble = known_trouble
    };
    struct known_files_totals totals;
    struct stat info;

    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && about->block_len != 0) {
        q->blocks = q->blocks_known = 0;
        const enum err_code rc = known_files_read(&path, 1, &files, query_block, q, &totals, err);

        q->unknown += totals.unread;
        if (rc == ERR_OK && totals.unread == 0)
            query_print_blocks(q, path);
        return rc;
    }
    q->asked = NULL;
    const enum err_code rc = known_files_read(&path, 1, &files, query_one, q, &totals, err);
    q->unknown += totals.unread;
    return rc;
}

static enum err_code query_stdin(struct query *q, struct err *err)
{
    const struct known_options *o = q->options;
    const struct known_list list = { .path = "standard input",
                                     .in = stdin,
                                     .format =
                                         o->format == KNOWN_WORDS ? KNOWN_WORDS : KNOWN_SUMS };

    q->asked = NULL;
    return known_list_read(&list, q->set.about.hash, query_one, q, err);
}

/* A word that is to be hashed itself: as a list of one line. */
static enum err_code query_word(struct query *q, char *word, struct err *err)
{
    if (word[0] == '\0')
        return ERR_RAISE(err, ERR_ARG, "an empty word is in no list");
    FILE *in = fmemopen(word, strlen(word), "rb");
    const struct known_list list = { .path = word, .in = in, .format = KNOWN_WORDS };

    if (in == NULL)
        return ERR_NO_MEMORY(err, strlen(word));
    q->asked = word;
    const enum err_code rc = known_list_read(&list, q->set.about.hash, query_one, q, err);
    fclose(in);
    return rc;
}

static enum err_code query_operand(struct query *q, char *word, struct err *err)
{
    const size_t digits = 2 * (size_t)q->set.digest_len;
    uint8_t digest[DIGEST_MAX];
    struct stat info;

    if (strcmp(word, "-") == 0 && !q->options->files)
        return query_stdin(q, err);
    if (q->options->format == KNOWN_WORDS)
        return query_word(q, word, err);
    if (!q->options->files && strlen(word) == digits &&
        known_parse_hex(word, digits, digits, digest) == digits) {
        q->asked = word;
        return query_one(q, &(struct known_entry){ .digest = digest }, err);
    }
    if (!q->options->files && stat(word, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: neither a file (%s) nor a %s, which has %zu hexadecimal digits", word,
                         strerror(errno), known_hash_name(q->set.about.hash), digits);
    return query_file(q, word, err);
}

enum err_code known_query(const struct known_options *options, enum exit_status *status,
                          struct err *err)
{
    struct query q = { .options = options };
    enum err_code rc = known_set_open(options->set, &q.set, err);

    if (rc == ERR_OK && options->has_hash && options->hash != q.set.about.hash)
        rc = ERR_RAISE(err, ERR_INPUT, "--hash %s: the set has %s", known_hash_name(options->hash),
                       known_hash_name(q.set.about.hash));
    json_init(&q.json, stdout, 1);
    if (options->json)
        json_open_array(&q.json, NULL);
    for (int i = 0; rc == ERR_OK && i < options->operand_count; i++)
        rc = query_operand(&q, options->operands[i], err);
    if (options->json && rc == ERR_OK) {
        json_close_array(&q.json);
        json_end(&q.json);
    }
    known_set_close(&q.set);
    if (rc == ERR_ENV && ferror(stdout)) /* main.c says so */
        rc = ERR_OK;
    if (rc == ERR_OK && q.unknown > 0)
        *status = EXIT_PARTLY;
    return rc;
}

static void info_json(struct json *json, const struct known_set *set)
{
    const struct known_about *a = &set->about;
    char hex[2 * DIGEST_MAX + 1];

    known_hex(a->body_sha256, KNOWN_SHA256, hex);
    json_open_object(json, NULL);
    json_string(json, "set", set->path);
    json_string(json, "label", a->label);
    json_string(json, "verdict", known_verdict_name(a->verdict));
    json_string(json, "hash", known_hash_name(a->hash));
    json_uint(json, "block", a->block_len);
    json_uint(json, "hashes", a->count);
    json_bool(json, "names", a->has_names);
    json_uint(json, "bytes", a->size);
    json_uint(json, "filter_bytes", a->bloom.len);
    json_uint(json, "filter_k", a->filter.k);
    json_double(json, "filter_rate", bloom_rate(&a->filter, a->count));
    json_string(json, "sha256", hex);
    json_string(json, "created", a->created);
    json_string(json, "writer", a->writer);
    json_close_object(json);
}

static void info_text(const struct known_set *set)
{
    const struct known_about *a = &set->about;
    char hex[2 * DIGEST_MAX + 1];

    known_hex(a->body_sha256, KNOWN_SHA256, hex);
    print_safe(stdout, set->path);
    printf("\n  label    ");
    print_safe(stdout, a->label[0] != '\0' ? a->label : "-");
    printf("\n  verdict  %s\n  hashes   %" PRIu64 " %s", known_verdict_name(a->verdict), a->count,
           known_hash_name(a->hash));
    if (a->block_len != 0)
        printf(" of blocks of %" PRIu32 " bytes", a->block_len);
    printf("%s\n  filter   %" PRIu64 " bytes, k = %" PRIu32 ", lets %.3g through\n",
           a->has_names ? ", with names" : "", a->bloom.len, a->filter.k,
           bloom_rate(&a->filter, a->count));
    printf("  file     %" PRIu64 " bytes\n  sha256   %s\n  created  ", a->size, hex);
    print_safe(stdout, a->created);
    printf(" by ");
    print_safe(stdout, a->writer);
    putchar('\n');
}

enum err_code known_info(const struct known_options *options, enum exit_status *status,
                         struct err *err)
{
    struct json json;
    enum err_code rc = ERR_OK;

    (void)status;
    json_init(&json, stdout, 1);
    if (options->json)
        json_open_array(&json, NULL);
    for (int i = -1; rc == ERR_OK && i < options->operand_count; i++) {
        struct known_set set;

        rc = known_set_open(i < 0 ? options->set : options->operands[i], &set, err);
        if (rc != ERR_OK)
            break;
        if (options->check)
            rc = known_set_check(&set, err);
        if (rc == ERR_OK && options->json)
            info_json(&json, &set);
        else if (rc == ERR_OK)
            info_text(&set);
        known_set_close(&set);
    }
    if (options->json && rc == ERR_OK) {
        json_close_array(&json);
        json_end(&json);
    }
    return rc;
}
