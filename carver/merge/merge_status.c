/* SPDX-License-Identifier: Apache-2.0
 * carver/merge/merge_status.c - see merge_status.h. */
#include "carver/merge/merge_status.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "carver/cli/args.h"

enum { STATUS_SILENT = 60 /* seconds without a byte: a part has most likely died */ };

/* The next run of parts without a whole shard, from *at on: [*first, *at). False: there is none. */
static bool status_run(const struct shards *shards, uint32_t *first, uint32_t *at)
{
    const uint32_t count = shards_count(shards);

    while (*at < count && shards_state(shards, *at) == SHARD_WHOLE)
        ++*at;
    *first = *at;
    while (*at < count && shards_state(shards, *at) != SHARD_WHOLE)
        ++*at;
    return *first < *at;
}

/* "7-9" or "3" */
static void status_text(uint32_t first, uint32_t end, bool comma, char out[32])
{
    if (end - first == 1)
        snprintf(out, 32, "%s%" PRIu32, comma ? "," : "", first);
    else
        snprintf(out, 32, "%s%" PRIu32 "-%" PRIu32, comma ? "," : "", first, end - 1);
}

uint32_t merge_missing(const struct shards *shards, char out[MERGE_LIST_MAX], uint32_t *wrong)
{
    uint32_t first = 0, at = 0, missing = 0;
    size_t len = 0;
    char word[32];

    out[0] = '\0';
    *wrong = 0;
    while (status_run(shards, &first, &at)) {
        status_text(first, at, len > 0, word);
        if (len + strlen(word) + 5 < MERGE_LIST_MAX)
            len += (size_t)snprintf(out + len, MERGE_LIST_MAX - len, "%s", word);
        else if (out[len] == '\0' && len > 0 && out[len - 1] != '.')
            len += (size_t)snprintf(out + len, MERGE_LIST_MAX - len, ",...");
        for (uint32_t i = first; i < at; i++)
            *wrong += shards_state(shards, i) == SHARD_WRONG;
        missing += at - first;
    }
    return missing;
}

uint32_t merge_unproven(const struct shards *shards)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < shards_count(shards); i++)
        count += shards_state(shards, i) == SHARD_UNPROVEN;
    return count;
}

void merge_print_missing(const struct shards *shards, enum exit_status *status)
{
    uint32_t first = 0, at = 0;
    bool comma = false;
    char word[32];

    while (status_run(shards, &first, &at)) {
        status_text(first, at, comma, word);
        fputs(word, stdout);
        comma = true;
    }
    if (comma) {
        putchar('\n');
        *status = EXIT_PARTLY;
    }
}

/* A shard that is being written has the name ".NUMBER.HOST.PID". *silent: for some time nothing of
 * it was. */
static bool status_under_way(const char *folder, const char *name, bool *silent)
{
    char path[LIMIT_PATH];
    struct stat st;

    if (name[0] != '.' || name[1] < '0' || name[1] > '9' ||
        snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *silent = time(NULL) - st.st_mtime > STATUS_SILENT;
    return true;
}

enum err_code merge_print_status(const struct shards *shards, struct err *err)
{
    const char *folder = shards_folder(shards);
    uint32_t way = 0, silent_count = 0, wrong = 0;
    char list[MERGE_LIST_MAX];
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    if (entries == NULL)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be read: %s", folder, strerror(errno));
    while ((entry = readdir(entries)) != NULL) {
        bool silent = false;

        if (!status_under_way(folder, entry->d_name, &silent))
            continue;
        way += !silent;
        silent_count += silent;
    }
    closedir(entries);
    const uint32_t count = shards_count(shards), missing = merge_missing(shards, list, &wrong);
    printf("%" PRIu32 " of %" PRIu32 " parts done, %" PRIu32 " under way, %" PRIu32
           " silent for a minute, %" PRIu32 " cannot be used, %" PRIu32
           " with bytes that another host has to try",
           count - missing, count, way, silent_count, wrong, merge_unproven(shards));
    printf(missing > 0 ? "; not done: %s\n" : "\n", list);
    return ERR_OK;
}
