/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tune.c - see tune.h: the cache. A file is a few lines of text, the key among them,
 * written beside its place and moved there. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "match/offload/tune.h"

enum {
    TUNE_PATH = 4096,
    TUNE_TEXT = 512,  /* bytes of a file, at most */
    TUNE_VERSION = 1, /* of kernels and files: what was found for others is forgotten */
};

static uint64_t tune_mix(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

uint64_t tune_digest(const struct match_dictionary *dictionary)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        const uint32_t head[] = { (uint32_t)pattern->kind, pattern->len, pattern->fold_case,
                                  pattern->mask != NULL };

        hash = tune_mix(hash, head, sizeof head);
        hash = tune_mix(hash, pattern->bytes, pattern->len);
        if (pattern->mask != NULL)
            hash = tune_mix(hash, pattern->mask, pattern->len);
    }
    return hash;
}

/* The folder of the cache, by the rules of the XDG base directories; false where there is none. */
static bool tune_folder(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int len = -1;

    if (cache != NULL && cache[0] == '/')
        len = snprintf(path, size, "%s/burin/tune", cache);
    else if (home != NULL && home[0] == '/')
        len = snprintf(path, size, "%s/.cache/burin/tune", home);
    return len > 0 && (size_t)len < size;
}

/* Everything up to the launch: a file that does not begin with it is of another key. */
static int tune_head(const struct tune_key *key, char *text, size_t size)
{
    return snprintf(text, size,
                    "burin tune %d\nengine %s\ndevice %s, %u, %u\ndictionary %016" PRIx64 "\n",
                    TUNE_VERSION, key->engine, key->device->name, key->device->version,
                    key->device->processors, key->dictionary);
}

static bool tune_path(const struct tune_key *key, char *path, size_t size)
{
    char head[TUNE_TEXT], folder[TUNE_PATH];
    const int len = tune_head(key, head, sizeof head);

    if (len <= 0 || (size_t)len >= sizeof head || !tune_folder(folder, sizeof folder))
        return false;
    const int path_len =
        snprintf(path, size, "%s/%016" PRIx64, folder, tune_mix(0, head, (size_t)len));
    return path_len > 0 && (size_t)path_len < size;
}

/* "NAME NUMBER\n" at *at, which goes on behind it. */
static bool tune_number(const char **at, const char *name, uint32_t *out)
{
    const size_t len = strlen(name);
    char *end = NULL;

    if (strncmp(*at, name, len) != 0 || (*at)[len] < '0' || (*at)[len] > '9')
        return false;
    const unsigned long number = strtoul(*at + len, &end, 10);
    *at = end + 1;
    *out = (uint32_t)number;
    return *end == '\n' && number <= UINT16_MAX;
}

bool tune_recall(const struct tune_key *key, const struct match_launch *launches, uint32_t count,
                 struct match_launch *out)
{
    char path[TUNE_PATH], head[TUNE_TEXT], text[TUNE_TEXT + 1] = "";
    struct match_launch launch = { 0, 0 };

    if (count == 0 || !tune_path(key, path, sizeof path))
        return false;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    const ssize_t len = read(file, text, TUNE_TEXT);
    close(file);
    const size_t head_len = (size_t)tune_head(key, head, sizeof head);
    const char *at = text + head_len;
    if (len <= 0 || (size_t)len < head_len || memcmp(text, head, head_len) != 0 ||
        !tune_number(&at, "threads ", &launch.threads) ||
        !tune_number(&at, "words ", &launch.words) || *at != '\0')
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (launches[i].threads == launch.threads && launches[i].words == launch.words) {
            *out = launch;
            return true;
        }
    return false;
}

/* The folders of a path, as far as they are not there. */
static bool tune_make_folders(const char *path)
{
    char folder[TUNE_PATH];

    for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

bool tune_remember(const struct tune_key *key, struct match_launch launch)
{
    char path[TUNE_PATH], beside[TUNE_PATH + 8], text[TUNE_TEXT];

    if (!tune_path(key, path, sizeof path) || !tune_make_folders(path))
        return false;
    const int head = tune_head(key, text, sizeof text);
    const int tail = snprintf(text + head, sizeof text - (size_t)head, "threads %u\nwords %u\n",
                              launch.threads, launch.words);
    const size_t len = (size_t)head + (size_t)tail;
    snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    const int file = len < sizeof text ? mkstemp(beside) : -1;
    if (file < 0)
        return false;
    const bool written = write(file, text, len) == (ssize_t)len;
    const bool closed = close(file) == 0;
    if (written && closed && rename(beside, path) == 0)
        return true;
    unlink(beside);
    return false;
}
