/* SPDX-License-Identifier: Apache-2.0
 * cluster/options.c - see options.h. */
#include "cluster/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char options_text[] =
    "usage: mpirun [options of mpirun] burin-mpi scan --case FILE [options] IMAGE\n"
    "       mpirun [options of mpirun] burin-mpi search --case FILE [options] IMAGE\n"
    "\n"
    "Ranks scan or search parts of IMAGE, each with burin scan --part or burin search --part, and\n"
    "the first one merges them.\n"
    "\n"
    "  --case FILE          the case file to be made, on a disk of the first rank's own host\n"
    "  --parts DIR          the folder of the shards, which all hosts see (default: FILE.parts)\n"
    "  --count N            parts (default: four for each rank, and no part above 64 GiB)\n"
    "  --resume             go on in a folder that has shards: parts that are there are not\n"
    "                       scanned again\n"
    "  --follow             merge while parts are scanned, beside the first rank; of a scan\n"
    "  --accept-bad         as for burin merge\n"
    "  --no-merge           leave the shards, and make no case file; needs --parts\n"
    "  -q, --quiet          print no progress and no summary\n"
    "  --help               print this text\n"
    "\n"
    "Other options are for burin scan or search; what is searched for is named by options, as\n"
    "--file. --devices local is the GPU with the number that the rank\n"
    "has among those of its host. Without --threads, the ranks of a host share its processors.\n"
    "BURIN is the program, if it does not lie beside this one. See burin-mpi(1).\n";

void options_help(void)
{
    fputs(options_text, stdout);
}

/* The program beside this one, or the one that BURIN names. */
static enum err_code options_program(char out[LIMIT_PATH], struct err *err)
{
    const char *named = getenv("BURIN");
    const ssize_t len = named == NULL || named[0] == '\0'
                            ? readlink("/proc/self/exe", out, LIMIT_PATH - 16)
                            : snprintf(out, LIMIT_PATH, "%s", named);

    if (len <= 0 || len >= LIMIT_PATH - 16)
        return ERR_RAISE(err, ERR_ENV, "burin cannot be found; name it with BURIN");
    out[len] = '\0';
    if (named == NULL || named[0] == '\0')
        snprintf(strrchr(out, '/') + 1, 16, "burin");
    return access(out, X_OK) == 0
               ? ERR_OK
               : ERR_RAISE(err, ERR_ENV, "%s: cannot be run; name burin with BURIN", out);
}

static enum err_code options_count(const char *text, uint32_t *out, struct err *err)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);

    *out = (uint32_t)value;
    return text[0] >= '1' && text[0] <= '9' && *end == '\0' && value <= OPTIONS_PARTS_MAX
               ? ERR_OK
               : ERR_RAISE(err, ERR_ARG, "--count %s: write a number from 1 to %d", text,
                           OPTIONS_PARTS_MAX);
}

/* An option of this program's own; *taken: words that it has, 0: it is burin's. */
static enum err_code options_own(struct options *o, const char *word, const char *value,
                                 const char **parts, bool *merges, int *taken, struct err *err)
{
    const bool has_value =
        strcmp(word, "--case") == 0 || strcmp(word, "--parts") == 0 || strcmp(word, "--count") == 0;

    *taken = has_value ? 2 : 1;
    if (has_value && value == NULL)
        return ERR_RAISE(err, ERR_ARG, "%s: a word is missing behind it", word);
    if (strcmp(word, "--case") == 0)
        o->case_path = value;
    else if (strcmp(word, "--parts") == 0)
        *parts = value;
    else if (strcmp(word, "--count") == 0 && value != NULL)
        return options_count(value, &o->count, err);
    else if (strcmp(word, "--resume") == 0)
        o->resume = true;
    else if (strcmp(word, "--follow") == 0)
        o->follow = true;
    else if (strcmp(word, "--accept-bad") == 0)
        o->accept_bad = true;
    else if (strcmp(word, "--no-merge") == 0)
        *merges = false;
    else if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0)
        o->quiet = true;
    else
        *taken = 0;
    return ERR_OK;
}

static enum err_code options_folder(struct options *o, const char *parts, bool merges,
                                    struct err *err)
{
    if (merges && o->case_path == NULL)
        return ERR_RAISE(err, ERR_ARG,
                         "--case FILE is missing: the case file to be made; or --no-merge");
    if (o->follow && (!merges || strcmp(o->command, "scan") != 0))
        return ERR_RAISE(err, ERR_ARG, "--follow is of a scan whose parts are merged");
    if (!merges && parts == NULL)
        return ERR_RAISE(err, ERR_ARG, "--no-merge needs --parts DIR");
    if (!merges)
        o->case_path = NULL;
    const int len = parts != NULL ? snprintf(o->parts, sizeof o->parts, "%s", parts)
                                  : snprintf(o->parts, sizeof o->parts, "%s.parts", o->case_path);
    return len < (int)sizeof o->parts
               ? ERR_OK
               : ERR_RAISE(err, ERR_ARG, "--parts: the name is longer than %d bytes",
                           LIMIT_PATH - 1);
}

enum err_code options_read(int argc, char **argv, struct options *out, struct err *err)
{
    const char *parts = NULL;
    bool merges = true;
    int taken = 0;

    *out = (struct options){ 0 };
    for (int i = 1; i < argc; i++)
        out->help = out->help || strcmp(argv[i], "--help") == 0;
    if (out->help || argc < 2 || (strcmp(argv[1], "scan") != 0 && strcmp(argv[1], "search") != 0))
        return out->help ? ERR_OK
                         : ERR_RAISE(err, ERR_ARG,
                                     "the first word is scan or search; see burin-mpi --help");
    out->command = argv[1];
    if (argc < 3 || argv[argc - 1][0] == '-' || argc > OPTIONS_WORDS_MAX)
        return ERR_RAISE(err, ERR_ARG, "the last word is the image; see burin-mpi --help");
    out->image = argv[argc - 1];
    enum err_code rc = ERR_OK;
    for (int i = 2; rc == ERR_OK && i<argc - 1; i += taken> 0 ? taken : 1) {
        rc = options_own(out, argv[i], i + 1 < argc - 1 ? argv[i + 1] : NULL, &parts, &merges,
                         &taken, err);
        if (taken == 0)
            out->others[out->other_count++] = argv[i];
        out->threads = out->threads || strcmp(argv[i], "--threads") == 0;
    }
    if (rc == ERR_OK)
        rc = options_folder(out, parts, merges, err);
    return rc == ERR_OK ? options_program(out->program, err) : rc;
}

void options_scan(const struct options *o, const struct options_part *part, char text[256],
                  char *words[OPTIONS_WORDS_MAX + 16])
{
    char *number = text, *local = text + 64, *threads = text + 128;
    uint32_t n = 0;

    snprintf(number, 64, "%" PRIu32 "/%" PRIu32, part->number, part->count);
    snprintf(local, 64, "%" PRIu32, part->local);
    snprintf(threads, 64, "%" PRIu32, part->threads);
    char *const first[] = { (char *)o->program, (char *)o->command, "--part",     number, "--parts",
                            (char *)o->parts,   "--quiet",          "--progress", "json" };
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        words[n++] = first[i];
    if (!o->threads) {
        words[n++] = "--threads";
        words[n++] = threads;
    }
    for (uint32_t i = 0; i < o->other_count; i++) {
        const bool here = i > 0 && strcmp(o->others[i], "local") == 0 &&
                          strcmp(o->others[i - 1], "--devices") == 0;

        words[n++] = here ? local : (char *)o->others[i];
    }
    words[n++] = (char *)o->image;
    words[n] = NULL;
}

void options_merge(const struct options *o, const char *how, char *words[16])
{
    uint32_t n = 0;

    words[n++] = (char *)o->program;
    words[n++] = "merge";
    if (o->accept_bad)
        words[n++] = "--accept-bad";
    if (o->quiet)
        words[n++] = "--quiet";
    if (how != NULL) {
        words[n++] = (char *)how;
    } else {
        if (o->follow)
            words[n++] = "--resume";
        words[n++] = "--case";
        words[n++] = (char *)o->case_path;
    }
    words[n++] = (char *)o->parts;
    words[n] = NULL;
}

void options_follow(const struct options *o, char *words[16])
{
    uint32_t n = 0;

    options_merge(o, NULL, words);
    while (words[n] != NULL)
        n++;
    words[n + 1] = NULL;
    words[n] = words[n - 1];
    words[n - 1] = "--follow";
}
