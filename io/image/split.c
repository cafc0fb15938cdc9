/* SPDX-License-Identifier: Apache-2.0
 * io/image/split.c - see split.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "io/image/split.h"

enum {
    SPLIT_COUNTER_MIN = 2, /* letters or digits: shorter ones are file types, .c or .1 */
    SPLIT_COUNTER_MAX = 6,
    SPLIT_SURE_DIGITS = 3, /* a lone .002 is the part of a set; a lone .10 or .2024 need not be */
    SPLIT_STRAY_LETTERS = 26, /* further away, .db beside .aa and .ab is a file type and no part */
    SPLIT_STEP = 64,          /* paths allocated at a time */
};

struct split_name {
    char path[LIMIT_PATH];
    size_t at; /* of the counter in path */
    char low;  /* '0', 'a' or 'A' */
    char high;
};

/* False when the name does not end in a counter. */
static bool split_parse(const char *path, struct split_name *name)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    const size_t len = dot == NULL ? 0 : strlen(dot + 1);

    if (len < SPLIT_COUNTER_MIN || len > SPLIT_COUNTER_MAX || strlen(path) + 3 > sizeof name->path)
        return false;
    const unsigned char c = (unsigned char)dot[1];
    name->low = isdigit(c) ? '0' : islower(c) ? 'a' : 'A';
    name->high = isdigit(c) ? '9' : islower(c) ? 'z' : 'Z';
    for (const char *p = dot + 1; *p != '\0'; p++)
        if (*p < name->low || *p > name->high)
            return false;
    memcpy(name->path, path, strlen(path) + 1);
    name->at = (size_t)(dot + 1 - path);
    return true;
}

static bool split_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Sets the counter to its lowest value, of len characters. */
static void split_set_first(struct split_name *name, size_t len)
{
    memset(name->path + name->at, name->low, len);
    name->path[name->at + len] = '\0';
}

/* Counts one up or down, with carry. False at the end of the counters of this length. */
static bool split_step(struct split_name *name, bool up)
{
    const char from = up ? name->high : name->low, to = up ? name->low : name->high;
    size_t i = strlen(name->path);

    while (i > name->at && name->path[i - 1] == from)
        name->path[--i] = to;
    if (i == name->at)
        return false;
    name->path[i - 1] = (char)(name->path[i - 1] + (up ? 1 : -1));
    return true;
}

/* Steps to the part behind, which may have a longer counter. False, with the name that is missing,
 * when it is not there. */
static bool split_next(struct split_name *name)
{
    const size_t len = strlen(name->path) - name->at;

    if (!split_step(name, true)) { /* 999 1000 */
        split_set_first(name, len + 1);
        if (name->low == '0')
            name->path[name->at] = '1';
        return name->low == '0' && len < SPLIT_COUNTER_MAX && split_exists(name->path);
    }
    if (split_exists(name->path))
        return true;
    /* yz zaaa: from z0..0 on, split of GNU coreutils adds two characters behind */
    const char *counter = name->path + name->at;
    if (counter[0] != name->high || strspn(counter + 1, (char[]){ name->low, 0 }) != len - 1 ||
        len + 2 > SPLIT_COUNTER_MAX)
        return false;
    struct split_name longer = *name;
    split_set_first(&longer, len + 2);
    longer.path[longer.at] = name->high;
    if (!split_exists(longer.path))
        return false;
    *name = longer;
    return true;
}

static enum err_code split_add(struct io_split *split, const char *path, struct err *err)
{
    if (split->count == LIMIT_IMAGE_PARTS)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the split image has more than %d parts; join them first", path,
                         LIMIT_IMAGE_PARTS);
    if (split->count % SPLIT_STEP == 0) {
        const size_t size = (split->count + SPLIT_STEP) * sizeof *split->paths;
        char **grown = realloc(split->paths, size);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, size);
        split->paths = grown;
    }
    split->paths[split->count] = strdup(path);
    if (split->paths[split->count] == NULL)
        return ERR_NO_MEMORY(err, strlen(path) + 1);
    split->count++;
    return ERR_OK;
}

/* Finds the first part of a set whose counters begin with the length of the given one, or shorter.
 */
static bool split_find_first(const struct split_name *given, struct split_name *first)
{
    *first = *given;
    for (size_t len = strlen(given->path) - given->at; len >= SPLIT_COUNTER_MIN; len--) {
        split_set_first(first, len);
        if (split_exists(first->path))
            return true;
        if (given->low == '0' && split_step(first, true) && split_exists(first->path))
            return true;
    }
    return false;
}

static bool split_has_neighbour(const struct split_name *given)
{
    struct split_name other = *given;

    if (split_step(&other, true) && split_exists(other.path))
        return true;
    other = *given;
    return split_step(&other, false) && split_exists(other.path);
}

/* No first part is there: either the file is not of a set, or the set is not whole. */
static enum err_code split_without_first(const struct split_name *given, struct io_split *split,
                                         struct err *err)
{
    const size_t len = strlen(given->path) - given->at;
    const bool digits = given->low == '0';
    struct split_name first = *given;

    if (!(digits && len == SPLIT_SURE_DIGITS) &&
        (len > SPLIT_SURE_DIGITS || !split_has_neighbour(given)))
        return split_add(split, given->path, err);
    split_set_first(&first, len);
    if (digits)
        split_step(&first, true);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the first part of the split image, %s, is missing; to read this part "
                     "alone, give it a name "
                     "without a counter (a symbolic link will do)",
                     given->path, first.path);
}

/* How far candidate lies behind missing, 1 for the same; 0 when it is not of the set or lies
 * before. */
static uint64_t split_distance(const struct split_name *missing, const char *base,
                               const char *candidate)
{
    const size_t base_len = strlen(base); /* with its dot and counter */
    const size_t len = strlen(missing->path) - missing->at;
    const size_t stem = base_len - len;
    uint64_t a = 0, b = 0;

    if (strlen(candidate) != base_len || memcmp(candidate, base, stem) != 0)
        return 0;
    for (size_t i = stem; i < base_len; i++) {
        if (candidate[i] < missing->low || candidate[i] > missing->high)
            return 0;
        a = a * 26 + (uint64_t)(base[i] - missing->low);
        b = b * 26 + (uint64_t)(candidate[i] - missing->low);
    }
    return b < a ? 0 : b - a + 1;
}

/* The parts end before missing. A later one in the folder shows that this is a gap and not the end.
 */
static enum err_code split_look_behind(const struct split_name *missing, struct err *err)
{
    const char *slash = strrchr(missing->path, '/');
    const char *base = slash == NULL ? missing->path : slash + 1;
    char folder[LIMIT_PATH];
    struct dirent *entry;
    enum err_code rc = ERR_OK;

    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - missing->path) + 1,
             slash == NULL ? "." : missing->path);
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: the folder cannot be searched for parts of the image: %s", folder,
                         strerror(errno));
    while (rc == ERR_OK && (entry = readdir(dir)) != NULL) {
        const uint64_t distance = split_distance(missing, base, entry->d_name);
        if (distance > 0 && (missing->low == '0' || distance <= SPLIT_STRAY_LETTERS))
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: this part of the split image is missing, but %s%s is there",
                           missing->path, slash == NULL ? "" : folder, entry->d_name);
    }
    closedir(dir);
    return rc;
}

enum err_code io_split_find(const char *path, struct io_split *split, struct err *err)
{
    struct split_name given, name;
    bool found = false;
    enum err_code rc;

    *split = (struct io_split){ 0 };
    if (!split_parse(path, &given)) {
        rc = split_add(split, path, err);
        goto out;
    }
    if (!split_find_first(&given, &name)) {
        rc = split_without_first(&given, split, err);
        goto out;
    }
    do {
        found |= strcmp(name.path, path) == 0;
        rc = split_add(split, name.path, err);
    } while (rc == ERR_OK && split_next(&name));
    if (rc == ERR_OK)
        rc = split_look_behind(&name, err);
    if (rc == ERR_OK && !found) { /* .raw beside .aaa: a name of its own */
        io_split_release(split);
        rc = split_add(split, path, err);
    }
out:
    if (rc != ERR_OK)
        io_split_release(split);
    return rc;
}

void io_split_release(struct io_split *split)
{
    for (uint32_t i = 0; i < split->count; i++)
        free(split->paths[i]);
    free(split->paths);
    *split = (struct io_split){ 0 };
}
