/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_open.c - which shards a folder has, and what is wrong with them: see shards.h.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/object_saved.h"
#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/scan/shard_proof.h"
#include "carver/scan/shards_impl.h"

enum {
    SHARDS_WAIT_MS = 200,   /* between two looks for a shard that is not there yet */
    SHARDS_AT_ONCE = 8,     /* that are read as a whole */
    SHARDS_WAIT_POLLS = 50, /* as many of them between two readings of one that is not enough */
};

static void shards_sleep(void)
{
    const struct timespec some = { .tv_nsec = SHARDS_WAIT_MS * 1000000L };

    (void)nanosleep(&some, NULL);
}

void shards_say(const struct shards *s, const char *line)
{
    if (s->tell != NULL)
        s->tell(s->arg, line);
}

/* The number in "17.part". */
static bool shards_name(const char *name, uint32_t *number)
{
    char *end = NULL;

    if (name[0] < '0' || name[0] > '9' || (name[0] == '0' && name[1] != '.'))
        return false;
    errno = 0;
    const unsigned long value = strtoul(name, &end, 10);
    *number = (uint32_t)value;
    return errno == 0 && value < SHARD_COUNT_MAX && strcmp(end, ".part") == 0;
}

/* The first one that can be read says what the others are to be. */
static enum err_code shards_first(struct shards *s, struct shard_file *file, struct err *err)
{
    s->states = calloc(file->about.count, sizeof *s->states);
    if (s->states == NULL)
        return ERR_NO_MEMORY(err, file->about.count);
    s->about = file->about;
    file->about = (struct shard_about){ 0 };
    snprintf(s->engine, sizeof s->engine, "%s", s->about.engine);
    return ERR_OK;
}

/* One that can be read: does it belong to the others? */
static enum err_code shards_take(struct shards *s, uint32_t number, struct shard_file *file,
                                 struct err *err)
{
    const bool first = s->states == NULL;
    const uint32_t says = file->about.number;
    enum err_code rc = first ? shards_first(s, file, err) : ERR_OK;

    if (rc != ERR_OK)
        return rc;
    const char *differs = first ? NULL : shard_about_differs(&file->about, &s->about);
    if (number < s->about.count)
        s->states[number] = SHARD_WRONG;
    if (differs != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s than the other shards here; remove one or the others", file->path,
                         differs);
    if (says != number)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: says that it is part %" PRIu32
                         ": it was copied or renamed; remove it and scan the part again",
                         file->path, says);
    s->states[number] =
        s->accept_bad || shard_proof_there(s->folder, file) ? SHARD_WHOLE : SHARD_UNPROVEN;
    s->objects += file->end.objects < file->at / OBJECT_SAVED_LEAST ? file->end.objects
                                                                    : file->at / OBJECT_SAVED_LEAST;
    if (!first && strcmp(s->engine, file->about.engine) != 0)
        snprintf(s->engine, sizeof s->engine, "several engines");
    return ERR_OK;
}

/* A shard that is read as a whole. */
struct shards_one {
    struct pool_job job;
    const char *folder;
    uint32_t number;
    char path[LIMIT_PATH];
    struct shard_file file;
    enum err_code rc;
    struct err err;
};

static void shards_check(void *arg)
{
    struct shards_one *one = arg;

    one->file = (struct shard_file){ 0 };
    one->rc = shard_path(one->folder, one->number, one->path)
                  ? shard_file_open(one->path, &one->file, &one->err)
                  : ERR_RAISE(&one->err, ERR_INPUT, "%s: its name is too long", one->folder);
    if (one->rc == ERR_OK)
        one->rc = shard_file_check(&one->file, &one->err);
}

/* It was read: its state. */
static enum err_code shards_checked(struct shards *s, struct shards_one *one, struct err *err)
{
    enum err_code rc = one->rc;

    if (rc == ERR_OK)
        rc = shards_take(s, one->number, &one->file, err);
    else
        *err = one->err;
    shard_file_close(&one->file);
    return rc;
}

enum err_code shards_look(struct shards *s, uint32_t number, struct err *err)
{
    struct shards_one one = { .folder = s->folder, .number = number };

    shards_check(&one);
    return shards_checked(s, &one, err);
}

static int shards_by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The numbers of the shards of the folder, ascending. */
static enum err_code shards_list(const char *folder, uint32_t **out, uint32_t *count,
                                 struct err *err)
{
    uint32_t *numbers = calloc(SHARD_COUNT_MAX, sizeof *numbers);
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    *count = 0;
    *out = numbers;
    if (numbers == NULL || entries == NULL) {
        const int why = errno;

        if (entries != NULL)
            closedir(entries);
        return numbers == NULL
                   ? ERR_NO_MEMORY(err, SHARD_COUNT_MAX * sizeof *numbers)
                   : ERR_RAISE(err, ERR_INPUT, "%s: cannot be read: %s", folder, strerror(why));
    }
    while ((entry = readdir(entries)) != NULL && *count < SHARD_COUNT_MAX)
        *count += shards_name(entry->d_name, &numbers[*count]);
    closedir(entries);
    qsort(numbers, *count, sizeof *numbers, shards_by_number);
    return *count > 0 ? ERR_OK
                      : ERR_RAISE(err, ERR_INPUT,
                                  "%s: there is no shard (a file NUMBER.part of burin scan --part)",
                                  folder);
}

/* Looks at each, some at a time; what is wrong with one is told. */
static enum err_code shards_each(struct shards *s, const uint32_t *numbers, uint32_t count,
                                 struct pool *pool, struct shards_one ones[SHARDS_AT_ONCE],
                                 bool *wrong, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < count + SHARDS_AT_ONCE; i++) {
        struct shards_one *one = &ones[i % SHARDS_AT_ONCE];
        const uint32_t before = i - SHARDS_AT_ONCE; /* the one that has its place */
        struct err why = { 0 };

        if (i >= SHARDS_AT_ONCE && one->folder != NULL) {
            pool_wait(pool, &one->job);
            const enum err_code said = shards_checked(s, one, &why);

            wrong[before] = said == ERR_INPUT;
            if (wrong[before])
                shards_say(s, why.text);
            else if (rc == ERR_OK && said != ERR_OK) {
                rc = said;
                *err = why;
            }
        }
        one->folder = i < count && rc == ERR_OK ? s->folder : NULL;
        one->number = i < count ? numbers[i] : 0;
        one->job = (struct pool_job){ .run = shards_check, .arg = one };
        if (one->folder != NULL)
            pool_submit(pool, &one->job);
    }
    return rc;
}

static enum err_code shards_look_all(struct shards *s, const uint32_t *numbers, uint32_t count,
                                     struct err *err)
{
    const uint32_t cpus = cpus_count();
    struct shards_one *ones = calloc(SHARDS_AT_ONCE, sizeof *ones);
    bool *wrong = calloc(count + 1u, sizeof *wrong);
    struct pool *pool = NULL;
    enum err_code rc =
        ones != NULL && wrong != NULL ? ERR_OK : ERR_NO_MEMORY(err, SHARDS_AT_ONCE * sizeof *ones);

    if (rc == ERR_OK)
        rc = pool_open(cpus < SHARDS_AT_ONCE ? cpus : SHARDS_AT_ONCE, &pool, err);
    if (rc == ERR_OK)
        rc = shards_each(s, numbers, count, pool, ones, wrong, err);
    pool_close(pool);
    free(ones);
    if (rc == ERR_OK && s->states == NULL)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: none of its %" PRIu32 " shards can be read", s->folder,
                       count);
    for (uint32_t i = 0; wrong != NULL && s->states != NULL && i < count; i++)
        if (wrong[i] && numbers[i] < s->about.count)
            s->states[numbers[i]] = SHARD_WRONG;
    free(wrong);
    return rc;
}

enum err_code shards_open(const char *folder, void (*tell)(void *arg, const char *line), void *arg,
                          struct shards **out, struct err *err)
{
    struct shards *s = calloc(1, sizeof *s);
    uint32_t *numbers = NULL, count = 0;

    *out = NULL;
    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    s->tell = tell;
    s->arg = arg;
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    enum err_code rc = shards_list(folder, &numbers, &count, err);
    if (rc == ERR_OK)
        rc = shards_look_all(s, numbers, count, err);
    free(numbers);
    if (rc == ERR_OK)
        *out = s;
    else
        shards_close(s);
    return rc;
}

enum err_code shards_wait(struct shards *s, uint32_t number, bool *there, struct err *err)
{
    struct stat st;

    *there = false;
    if (!shard_path(s->folder, number, s->path))
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", s->folder);
    const bool read = shards_state(s, number) == SHARD_UNPROVEN;
    if (lstat(s->path, &st) != 0 || (read && ++s->polls % SHARDS_WAIT_POLLS != 0)) {
        shards_sleep();
        return ERR_OK;
    }
    const enum err_code rc = shards_look(s, number, err);
    *there = rc == ERR_OK && shards_state(s, number) == SHARD_WHOLE;
    return rc;
}

enum err_code shards_await(const char *folder, struct err *err)
{
    bool there = false;

    while (!there) {
        DIR *entries = opendir(folder);
        const struct dirent *entry;
        uint32_t number = 0;

        while (entries != NULL && (entry = readdir(entries)) != NULL)
            there = there || shards_name(entry->d_name, &number);
        if (entries != NULL)
            closedir(entries);
        if (!there && interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request; no shard was there yet");
        if (!there)
            shards_sleep();
    }
    return ERR_OK;
}
