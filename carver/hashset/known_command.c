/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_command.c - `burin known`: reads the command line and calls the verb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/case/confine.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/cli/near.h"
#include "carver/cli/print_safe.h"
#include "carver/hashset/known_options.h"

enum {
    OPT_FORMAT = ARGS_LONG,
    OPT_FILES,
    OPT_HASH,
    OPT_BLOCK,
    OPT_GOOD,
    OPT_BAD,
    OPT_LABEL,
    OPT_NAMES,
    OPT_RATE,
    OPT_MEMORY,
    OPT_THREADS,
    OPT_FORCE,
    OPT_CHECK,
    OPT_JSON,
    OPT_NO_JAIL,
};

static const struct args_option known_table[] = {
    { "format", OPT_FORMAT, "NAME" },
    { "files", OPT_FILES, NULL },
    { "hash", OPT_HASH, "NAME" },
    { "block", OPT_BLOCK, "BYTES" },
    { "good", OPT_GOOD, NULL },
    { "bad", OPT_BAD, NULL },
    { "label", OPT_LABEL, "TEXT" },
    { "names", OPT_NAMES, NULL },
    { "rate", OPT_RATE, "P" },
    { "memory", OPT_MEMORY, "SIZE" },
    { "threads", OPT_THREADS, "N" },
    { "force", OPT_FORCE, NULL },
    { "check", OPT_CHECK, NULL },
    { "json", OPT_JSON, NULL },
    { "quiet", 'q', NULL },
    { "no-jail", OPT_NO_JAIL, NULL },
    { 0 },
};

static const char known_options_text[] =
    "  build SET LIST...    make a set of known files from lists of hashes (-: standard input)\n"
    "  add SET LIST...      add to a set\n"
    "  query SET WORD...    look up hashes, or files by their hash; \"-\" reads a list of hashes\n"
    "                       from standard input\n"
    "  info SET...          show what a set holds\n"
    "\n"
    "build and add:\n"
    "  --format NAME        format of the lists: sums (md5sum, sha1sum, sha256sum), rds2 "
    "(NSRLFile.txt),\n"
    "                       rds3 (SQLite of the NSRL), encase (.hash), hashkeeper (.hsh), words (a "
    "word\n"
    "                       a line), or auto (found from the content; the default)\n"
    "  --files              hash LIST, which is a file or a folder with files in it\n"
    "  --hash NAME          md5, sha1 or sha256 (default: that of the first list; sha256 for "
    "files)\n"
    "  --block BYTES        make a set of blocks of BYTES (a power of two, 512 to 65536): --files "
    "hashes\n"
    "                       each whole block that is not trivial; lists hold hashes of blocks\n"
    "  --good               mark the files of the set as known to be good\n"
    "  --bad                mark the files of the set as known to be bad\n"
    "  --label TEXT         give the set this name\n"
    "  --names              keep the name beside each hash\n"
    "  --rate P             rate of false positives of the filter before the hashes (default "
    "0.0001)\n"
    "  --memory SIZE        memory for sorting (default 256M)\n"
    "  --threads N          threads for hashing and for the filter (default: one for each CPU)\n"
    "  --force              replace an existing set\n"
    "query:\n"
    "  --files              read WORD as a file even if it looks like a hash\n"
    "  --format words       hash WORD, or each line of standard input\n"
    "info:\n"
    "  --check              read all of the set and check that it is whole\n"
    "All:\n"
    "  --json               print the answer as JSON\n" CONFINE_TEXT
    "  -q, --quiet          print no summary\n"
    "  --help               print this text\n"
    "\n"
    "query prints a line for each hash: hash, good, bad, known or unknown, the name in the set or\n"
    "\"-\", and the WORD. Exit status of query: 0 all are in the set, 1 some are not or cannot be "
    "read.\n";

static enum err_code known_take_hash(struct known_options *o, const char *value, struct err *err)
{
    if (!known_hash_named(value, &o->hash))
        return ERR_RAISE(err, ERR_ARG, "--hash %s: write md5, sha1 or sha256", value);
    o->has_hash = true;
    return ERR_OK;
}

static enum err_code known_take_block(struct known_options *o, const char *value, struct err *err)
{
    uint64_t bytes = 0;
    enum err_code rc = args_size("--block", value, KNOWN_BLOCK_MIN, KNOWN_BLOCK_MAX, &bytes, err);

    if (rc == ERR_OK && (bytes & (bytes - 1)) != 0)
        rc = ERR_RAISE(err, ERR_ARG, "--block %s: write a power of two from 512 to 65536", value);
    o->block_len = (uint32_t)bytes;
    o->has_block = true;
    return rc;
}

static enum err_code known_take_verdict(struct known_options *o, enum known_verdict verdict,
                                        struct err *err)
{
    if (o->has_verdict && o->verdict != verdict)
        return ERR_RAISE(err, ERR_ARG, "--good and --bad exclude each other: give one of them");
    o->verdict = verdict;
    o->has_verdict = true;
    return ERR_OK;
}

static enum err_code known_take_rate(struct known_options *o, const char *value, struct err *err)
{
    char *end;

    o->rate = strtod(value, &end);
    o->has_rate = true;
    if (end == value || *end != '\0' || !(o->rate >= 1e-9 && o->rate <= 0.5))
        return ERR_RAISE(err, ERR_ARG, "--rate %s: write a number from 0.000000001 to 0.5", value);
    return ERR_OK;
}

static enum err_code known_take_label(struct known_options *o, const char *value, struct err *err)
{
    if (strlen(value) >= KNOWN_LABEL_MAX)
        return ERR_RAISE(err, ERR_ARG, "--label: at most %d bytes are allowed",
                         KNOWN_LABEL_MAX - 1);
    o->label = value;
    o->has_label = true;
    return ERR_OK;
}

static enum err_code known_take(struct known_options *o, int id, const char *value, struct err *err)
{
    uint64_t count = 0;
    enum err_code rc = ERR_OK;

    switch (id) {
    case OPT_FORMAT:
        if (!known_format_named(value, &o->format))
            rc = ERR_RAISE(err, ERR_ARG,
                           "--format %s: write sums, rds2, rds3, encase, hashkeeper, words or auto",
                           value);
        return rc;
    case OPT_HASH:
        return known_take_hash(o, value, err);
    case OPT_BLOCK:
        return known_take_block(o, value, err);
    case OPT_GOOD:
        return known_take_verdict(o, KNOWN_GOOD, err);
    case OPT_BAD:
        return known_take_verdict(o, KNOWN_BAD, err);
    case OPT_LABEL:
        return known_take_label(o, value, err);
    case OPT_RATE:
        return known_take_rate(o, value, err);
    case OPT_MEMORY:
        return args_size("--memory", value, 1 << 20, UINT64_C(1) << 40, &o->memory, err);
    case OPT_THREADS:
        rc = args_count("--threads", value, 1, LIMIT_THREADS, &count, err);
        o->threads = (uint32_t)count;
        return rc;
    case OPT_FILES:
        o->files = true;
        break;
    case OPT_NAMES:
        o->names = true;
        break;
    case OPT_FORCE:
        o->force = true;
        break;
    case OPT_CHECK:
        o->check = true;
        break;
    case OPT_JSON:
        o->json = true;
        break;
    case OPT_NO_JAIL:
        o->no_jail = true;
        break;
    default:
        o->quiet = true;
        break;
    }
    return rc;
}

void known_trouble(void *arg, const char *text)
{
    (void)arg;
    print_safe_line(stderr, "burin: known: %s", text);
}

/* One operand may be a list on standard input. sets: the operands are sets. */
static enum err_code known_check_operands(const struct known_options *o, bool sets, struct err *err)
{
    int piped = 0;
    enum err_code rc = args_file("SET", o->set, err);

    for (int i = 0; rc == ERR_OK && i < o->operand_count; i++) {
        if (sets || o->files)
            rc = args_file(sets ? "SET" : "FILE", o->operands[i], err);
        piped += strcmp(o->operands[i], "-") == 0;
    }
    if (rc == ERR_OK && piped > 1)
        rc = ERR_RAISE(err, ERR_ARG, "- is named twice, and standard input can be read only once");
    if (rc == ERR_OK && piped > 0 && o->format == KNOWN_RDS3)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--format rds3: an SQLite database cannot be read from standard input");
    return rc;
}

/* A hash that lists of a format do not have. */
static enum err_code known_check_hash(const struct known_options *o, struct err *err)
{
    const bool md5_alone = o->format == KNOWN_ENCASE || o->format == KNOWN_HASHKEEPER;

    if (o->has_hash && ((md5_alone && o->hash != DIGEST_MD5) ||
                        (o->format == KNOWN_RDS2 && o->hash == DIGEST_SHA256)))
        return ERR_RAISE(err, ERR_ARG, "--format %s --hash %s: these lists have only %s",
                         known_format_name(o->format), known_hash_name(o->hash),
                         md5_alone ? "md5" : "sha1 and md5");
    return ERR_OK;
}

/* The verb that was meant: an index into names. */
static enum err_code known_find_verb(const char *word, const char *const *names, size_t count,
                                     size_t *verb, struct err *err)
{
    const char *near = near_best(word, strlen(word), names, count);

    for (*verb = 0; *verb < count; ++*verb)
        if (strcmp(word, names[*verb]) == 0)
            return ERR_OK;
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG, "%s: did you mean %s? write build, add, query or info", word,
                         near);
    return ERR_RAISE(err, ERR_ARG, "%s: write build, add, query or info", word);
}

/* The operands may be anything: those that are files, or folders, may be read. */
static enum err_code known_confine(const struct known_options *o, bool write, struct err *err)
{
    struct confine confine = { .calls = JAIL_CALLS_MODES };

    confine_open(&confine, o->no_jail, CONFINE_ALL);
    if (write)
        confine_case(&confine, o->set);
    confine_read(&confine, o->set);
    for (int i = 0; i < o->operand_count; i++)
        confine_read(&confine, o->operands[i]);
    return confine_enter(&confine, err);
}

static enum err_code known_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    enum { BUILD, ADD, QUERY, INFO, VERBS };
    static const char *const verbs[VERBS] = { "build", "add", "query", "info" };
    struct known_options o = { .rate = 1e-4, .memory = 256 << 20, .threads = cpus_count() };
    struct args args;
    const char *value = NULL;
    char **words;
    int id, count;
    size_t verb = VERBS;
    enum err_code rc;

    args_begin(&args, "known", known_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = known_take(&o, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, INT32_MAX, "build, add, query or info, and a SET", &words,
                           &count, err);
    if (rc == ERR_OK)
        rc = known_find_verb(words[0], verbs, VERBS, &verb, err);
    if (rc != ERR_OK)
        return rc;
    if (count < (verb == INFO ? 2 : 3))
        return ERR_RAISE(err, ERR_ARG, "known %s: %s is missing; try 'burin known --help'",
                         words[0],
                         count < 2       ? "SET"
                         : verb == QUERY ? "WORD"
                                         : "LIST");
    o.set = words[1];
    o.operands = words + 2;
    o.operand_count = count - 2;
    rc = known_check_operands(&o, verb == INFO, err);
    if (rc == ERR_OK)
        rc = known_check_hash(&o, err);
    if (rc == ERR_OK)
        rc = known_confine(&o, verb == BUILD || verb == ADD, err);
    if (rc != ERR_OK)
        return rc;
    if (verb == INFO)
        return known_info(&o, status, err);
    return verb == QUERY ? known_query(&o, status, err) : known_build(&o, verb == ADD, status, err);
}

const struct command command_known = {
    .name = "known",
    .arguments = "build|add|query|info [options] SET ...",
    .what = "make and query sets of hashes of known files and blocks",
    .options = known_options_text,
    .run = known_run,
};
