/* SPDX-License-Identifier: Apache-2.0
 * cluster/boss.c - see boss.h. */
#include "cluster/boss.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/child.h"

enum {
    BOSS_LIST_MAX = 1 << 20, /* bytes of the numbers of the parts that are missing */
    BOSS_EACH = 4,           /* parts for each rank */
    BOSS_DRAW_MS = 1000,
    BOSS_TELL_MS = 30000,
    BOSS_SILENT_MS = 10000, /* a rank that says nothing for so long is slow */
    BOSS_WAIT_NS = 10000000,
    BOSS_PARTLY = 1,
    BOSS_USAGE = 2,
    BOSS_INPUT = 3,
    BOSS_ENVIRONMENT = 4,
    BOSS_SIGNAL = 130,
};

static const uint64_t boss_part_max = UINT64_C(64) << 30;

/* Bytes of the image's first file; 0: it tells none. */
static uint64_t boss_image_size(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

    if (fd >= 0)
        close(fd);
    return size > 0 ? (uint64_t)size : 0;
}

static uint32_t boss_parts(const struct options *options, uint32_t rank_count)
{
    const uint64_t size = boss_image_size(options->image);
    const uint64_t least = size / boss_part_max + 1;
    const uint64_t each = (uint64_t)rank_count * BOSS_EACH;
    const uint64_t count = options->count > 0 ? options->count : each > least ? each : least;

    return count < OPTIONS_PARTS_MAX ? (uint32_t)count : OPTIONS_PARTS_MAX;
}

/* Takes "3,7-9": all other parts are done. */
static bool boss_take_missing(struct boss *boss, const char *list)
{
    uint32_t next = 0;
    char *end = (char *)list;

    while (*end != '\0') {
        const unsigned long first = strtoul(end, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        if (first < next || last < first || last >= boss->count || (*end != ',' && *end != '\0'))
            return false;
        for (; next < first; next++)
            claims_set_done(boss->claims, next);
        next = (uint32_t)last + 1;
        end += *end == ',';
    }
    for (; next < boss->count; next++)
        claims_set_done(boss->claims, next);
    return true;
}

/* What the folder has of the parts. */
static int boss_resume(struct boss *boss)
{
    char *list = malloc(BOSS_LIST_MAX);
    char *words[16];
    int status = BOSS_ENVIRONMENT;

    options_merge(boss->options, "--missing", words);
    if (list != NULL)
        status = child_ask(words, false, list, BOSS_LIST_MAX);
    if (status <= 1 && !boss_take_missing(boss, list))
        status = BOSS_INPUT;
    if (status > 1)
        fprintf(stderr, "burin-mpi: %s: it cannot be told which parts are there\n",
                boss->options->parts);
    free(list);
    return status <= 1 ? 0 : status;
}

/* The second number of "3 of 6 parts done, ...". */
static bool boss_count(const char *line, uint32_t *count)
{
    const char *of = strstr(line, " of ");
    char *end = NULL;
    const unsigned long value = of != NULL ? strtoul(of + strlen(" of "), &end, 10) : 0;

    *count = (uint32_t)value;
    return value >= 1 && value <= OPTIONS_PARTS_MAX && strncmp(end, " parts", 6) == 0;
}

static int boss_follow(struct boss *boss)
{
    struct err err = { 0 };
    char *words[16];

    if (!boss->options->follow)
        return 0;
    options_follow(boss->options, words);
    if (child_start(words, &boss->merge, &err) == ERR_OK)
        return 0;
    fprintf(stderr, "burin-mpi: %s\n", err.text);
    return BOSS_ENVIRONMENT;
}

int boss_open(struct boss *boss, const struct options *options, uint32_t rank_count,
              const uint32_t *hosts, uint64_t now_ms)
{
    char *words[16], line[256];
    uint32_t there = 0;

    *boss = (struct boss){ .options = options,
                           .rank_count = rank_count,
                           .since_ms = now_ms,
                           .drawn_ms = now_ms,
                           .terminal = isatty(STDERR_FILENO) != 0 };
    options_merge(options, "--status", words);
    const bool begun = child_ask(words, true, line, sizeof line) == 0 && boss_count(line, &there);
    if (begun && !options->resume) {
        fprintf(stderr,
                "burin-mpi: %s: has shards already; --resume goes on with them, or name another "
                "folder\n",
                options->parts);
        return BOSS_INPUT;
    }
    if (begun && options->count > 0 && options->count != there) {
        fprintf(stderr,
                "burin-mpi: --count %" PRIu32 ": the shards of %s are of %" PRIu32 " parts\n",
                options->count, options->parts, there);
        return BOSS_USAGE;
    }
    boss->count = begun ? there : boss_parts(options, rank_count);
    boss->ranks = calloc(rank_count, sizeof *boss->ranks);
    boss->claims = claims_open(boss->count, rank_count, hosts);
    if (boss->ranks == NULL || boss->claims == NULL) {
        fprintf(stderr, "burin-mpi: no memory for %" PRIu32 " parts\n", boss->count);
        return BOSS_ENVIRONMENT;
    }
    const int status = begun ? boss_resume(boss) : 0;
    return status == 0 ? boss_follow(boss) : status;
}

void boss_close(struct boss *boss)
{
    claims_close(boss->claims);
    free(boss->ranks);
}

uint32_t boss_end(struct boss *boss, uint32_t rank, int status, uint64_t now_ms)
{
    const uint32_t done = claims_done(boss->claims);
    const uint32_t vain = claims_end(boss->claims, rank, status, now_ms);

    if (claims_done(boss->claims) > done)
        boss->bytes += boss->ranks[rank].position;
    boss->ranks[rank].position = 0;
    boss->bad = boss->bad || status == BOSS_PARTLY;
    return vain;
}

void boss_heard(struct boss *boss, uint32_t rank, uint64_t position, uint64_t now_ms)
{
    boss->ranks[rank].position = position;
    boss->ranks[rank].heard_ms = now_ms;
}

static double boss_gib(uint64_t bytes)
{
    return (double)bytes / (double)(UINT64_C(1) << 30);
}

void boss_draw(struct boss *boss, uint64_t now_ms)
{
    uint64_t bytes = boss->bytes;
    uint32_t busy = 0, slow = 0;

    if (boss->options->quiet ||
        now_ms - boss->drawn_ms < (boss->terminal ? BOSS_DRAW_MS : BOSS_TELL_MS))
        return;
    for (uint32_t i = 0; i < boss->rank_count; i++) {
        const bool works = claims_part(boss->claims, i) != CLAIMS_NONE;

        bytes += boss->ranks[i].position;
        busy += works;
        slow += works && now_ms - boss->ranks[i].heard_ms > BOSS_SILENT_MS;
    }
    boss->drawn_ms = now_ms;
    fprintf(stderr,
            "%s%" PRIu32 " of %" PRIu32 " parts, %.1f GiB, %.2f GiB/s, %" PRIu32 " of %" PRIu32
            " ranks at work, %" PRIu32 " slow%s",
            boss->terminal ? "\r\033[K" : "burin-mpi: ", claims_done(boss->claims), boss->count,
            boss_gib(bytes), boss_gib(bytes) * 1000 / (double)(now_ms - boss->since_ms), busy,
            boss->rank_count, slow, boss->terminal ? "" : "\n");
}

bool boss_over(struct boss *boss, int *status)
{
    uint32_t part;

    if (boss->merge.pid != 0)
        (void)child_poll(&boss->merge, "", &boss->merged);
    *status = claims_failed(boss->claims, &part);
    if (*status == 0 && boss->merged > BOSS_PARTLY)
        *status = boss->merged;
    return *status != 0 || claims_done(boss->claims) == boss->count;
}

/* Waits until the merge that follows has ended. */
static void boss_await(struct boss *boss)
{
    while (boss->merge.pid != 0 && !child_poll(&boss->merge, "", &boss->merged))
        nanosleep(&(struct timespec){ .tv_nsec = BOSS_WAIT_NS }, NULL);
}

/*
 * All parts are done: the case file. A merge that follows waits for ever for what another host has
 * to read, too, where there is none: then one that does not wait says so.
 */
static int boss_merge(struct boss *boss)
{
    char *words[16], first[2];

    if (boss->options->follow && boss->bad && !boss->options->accept_bad) {
        options_merge(boss->options, "--missing", words);
        if (child_ask(words, true, first, sizeof first) == 0)
            boss->bad = false;
    }
    if (boss->options->follow && (!boss->bad || boss->options->accept_bad)) {
        boss_await(boss);
        return boss->merged;
    }
    child_stop(&boss->merge);
    boss_await(boss);
    options_merge(boss->options, NULL, words);
    return child_run(words);
}

int boss_finish(struct boss *boss, int status, uint64_t now_ms)
{
    uint32_t part;

    if (boss->terminal && !boss->options->quiet)
        fputs("\r\033[K", stderr);
    if (status == BOSS_SIGNAL)
        fprintf(stderr,
                "burin-mpi: stopped on request after %" PRIu32 " of %" PRIu32
                " parts; --resume goes on\n",
                claims_done(boss->claims), boss->count);
    else if (claims_failed(boss->claims, &part) != 0)
        fprintf(stderr,
                "burin-mpi: part %" PRIu32 " cannot be scanned; %" PRIu32 " of %" PRIu32
                " parts are done, and --resume goes on with the others\n",
                part, claims_done(boss->claims), boss->count);
    else if (status != 0)
        fprintf(stderr,
                "burin-mpi: the merge has ended after %" PRIu32 " of %" PRIu32
                " parts; --resume goes on\n",
                claims_done(boss->claims), boss->count);
    else if (!boss->options->quiet)
        fprintf(stderr,
                "burin-mpi: %" PRIu32 " parts by %" PRIu32 " ranks, %.1f GiB in %.1f seconds\n",
                boss->count, boss->rank_count, boss_gib(boss->bytes),
                (double)(now_ms - boss->since_ms) / 1000);
    if (status != 0) {
        child_stop(&boss->merge);
        boss_await(boss);
    }
    return status != 0 || boss->options->case_path == NULL ? status : boss_merge(boss);
}
