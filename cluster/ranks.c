/* SPDX-License-Identifier: Apache-2.0
 * cluster/ranks.c - see ranks.h. */
#include "cluster/ranks.h"

#include <inttypes.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/boss.h"
#include "cluster/child.h"

enum {
    RANK_LOOK_NS = 10000000, /* between two looks at messages and processes */
    RANK_TELL_MS = 1000,
    RANK_BYE_MS = 5000, /* a rank that does not stop in that time is left */
    RANK_END_MS = 800,  /* mpirun kills a second after it has asked */
    RANK_SIGNAL = 130,
    RANK_CANNOT = 4,
};

enum rank_kind { RANK_GIVE, RANK_DROP, RANK_STOP, RANK_LEAVE, RANK_END, RANK_HEARD, RANK_BYE };

struct message {
    uint32_t kind, part;
    int64_t value; /* RANK_END: a status; RANK_HEARD: bytes */
};

struct rank {
    const struct options *options;
    uint32_t number, count; /* of ranks */
    struct options_part part;
    struct child child;
    char prefix[MPI_MAX_PROCESSOR_NAME + 64];
    uint64_t told_ms;
    bool stopping, leaving;
    struct boss *boss; /* of rank 0; else NULL */
};

/* Set by a signal, which is all that a handler may do. */
static volatile sig_atomic_t ranks_asked;

static void ranks_signal(int number)
{
    (void)number;
    ranks_asked = 1;
}

static uint64_t ranks_now(void)
{
    return clock_now(CLOCK_MONOTONIC) / 1000000;
}

static void rank_pause(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = RANK_LOOK_NS }, NULL);
}

static void rank_send(uint32_t to, enum rank_kind kind, uint32_t part, int64_t value)
{
    const struct message message = { (uint32_t)kind, part, value };

    MPI_Send(&message, sizeof message, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD);
}

/* The rank has ended its part; who does it in vain is told. */
static void boss_take_end(struct rank *r, uint32_t from, int status)
{
    const uint32_t vain = boss_end(r->boss, from, status, ranks_now());

    if (vain == 0)
        child_stop(&r->child);
    else if (vain != CLAIMS_NONE)
        rank_send(vain, RANK_DROP, 0, 0);
}

/* Its process has ended, or could not be started. */
static void rank_end(struct rank *r, int status)
{
    if (r->boss != NULL) {
        boss_heard(r->boss, 0, r->child.position, ranks_now());
        boss_take_end(r, 0, status);
        return;
    }
    rank_send(0, RANK_HEARD, r->part.number, (int64_t)r->child.position);
    rank_send(0, RANK_END, r->part.number, status);
}

static void rank_give(struct rank *r, uint32_t part)
{
    char *words[OPTIONS_WORDS_MAX + 16], text[256];
    struct err err = { 0 };

    r->part.number = part;
    options_scan(r->options, &r->part, text, words);
    if (child_start(words, &r->child, &err) == ERR_OK)
        return;
    fprintf(stderr, "%s%s\n", r->prefix, err.text);
    rank_end(r, RANK_CANNOT);
}

static void rank_take(struct rank *r, const struct message *message, uint32_t from)
{
    switch ((enum rank_kind)message->kind) {
    case RANK_GIVE:
        rank_give(r, message->part);
        break;
    case RANK_STOP:
        r->stopping = true;
        child_stop(&r->child);
        break;
    case RANK_DROP:
        child_stop(&r->child);
        break;
    case RANK_LEAVE:
        r->leaving = true;
        break;
    case RANK_END:
        boss_take_end(r, from, (int)message->value);
        break;
    case RANK_HEARD:
        boss_heard(r->boss, from, (uint64_t)message->value, ranks_now());
        break;
    case RANK_BYE:
        r->boss->ranks[from].bye = true;
        break;
    }
}

static void rank_messages(struct rank *r)
{
    struct message message;
    MPI_Status status;
    int there = 1;

    while (there) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
        if (!there)
            break;
        MPI_Recv(&message, sizeof message, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        rank_take(r, &message, (uint32_t)status.MPI_SOURCE);
    }
}

static void rank_process(struct rank *r)
{
    const uint64_t now_ms = ranks_now();
    int status = 0;

    if (r->child.pid == 0)
        return;
    if (child_poll(&r->child, r->prefix, &status)) {
        rank_end(r, status);
        return;
    }
    if (now_ms - r->told_ms < RANK_TELL_MS)
        return;
    r->told_ms = now_ms;
    if (r->boss != NULL)
        boss_heard(r->boss, 0, r->child.position, now_ms);
    else
        rank_send(0, RANK_HEARD, r->part.number, (int64_t)r->child.position);
}

/* Parts for all who have none. */
static void boss_give(struct rank *r)
{
    struct boss *boss = r->boss;

    for (uint32_t i = 0; i < boss->rank_count; i++) {
        if (claims_part(boss->claims, i) != CLAIMS_NONE)
            continue;
        const uint64_t now_ms = ranks_now();
        const uint32_t part = claims_next(boss->claims, i, now_ms);

        if (part == CLAIMS_NONE)
            continue;
        boss_heard(boss, i, 0, now_ms);
        if (i == 0)
            rank_give(r, part);
        else
            rank_send(i, RANK_GIVE, part, 0);
    }
}

/* All stop: those who do are known then. */
static bool boss_stop(struct rank *r)
{
    const uint64_t since_ms = ranks_now();
    uint32_t byes = 1;

    child_stop(&r->child);
    for (uint32_t i = 1; i < r->count; i++)
        rank_send(i, RANK_STOP, 0, 0);
    while ((byes < r->count || r->child.pid != 0) && ranks_now() - since_ms < RANK_BYE_MS) {
        rank_messages(r);
        rank_process(r);
        byes = 1;
        for (uint32_t i = 1; i < r->count; i++)
            byes += r->boss->ranks[i].bye;
        rank_pause();
    }
    return byes == r->count;
}

static int boss_work(struct rank *r, bool *leaves)
{
    int status = 0;

    while (!ranks_asked && !boss_over(r->boss, &status)) {
        boss_give(r);
        rank_messages(r);
        rank_process(r);
        boss_draw(r->boss, ranks_now());
        rank_pause();
    }
    if (ranks_asked) {
        child_stop(&r->child);
        *leaves = false;
        return boss_finish(r->boss, RANK_SIGNAL, ranks_now());
    }
    *leaves = boss_stop(r);
    status = boss_finish(r->boss, status, ranks_now());
    for (uint32_t i = 1; *leaves && i < r->count; i++)
        rank_send(i, RANK_LEAVE, 0, 0);
    return status;
}

static int rank_work(struct rank *r, bool *leaves)
{
    bool said = false;

    while (!ranks_asked && !r->leaving) {
        rank_messages(r);
        rank_process(r);
        if (r->stopping && r->child.pid == 0 && !said) {
            rank_send(0, RANK_BYE, 0, 0);
            said = true;
        }
        rank_pause();
    }
    *leaves = r->leaving;
    if (r->leaving)
        return 0;
    const uint64_t since_ms = ranks_now();
    child_stop(&r->child);
    for (int status; r->child.pid != 0 && ranks_now() - since_ms < RANK_END_MS;)
        if (!child_poll(&r->child, r->prefix, &status))
            rank_pause();
    return RANK_SIGNAL;
}

/* Numbers of the hosts of all ranks, and what this rank is among those of its own. */
static void rank_place(struct rank *r, const char *names, uint32_t *hosts)
{
    uint32_t together = 0, cpus = 1;
    cpu_set_t set;

    for (uint32_t i = 0; i < r->count; i++) {
        hosts[i] = 0;
        while (strcmp(names + (size_t)hosts[i] * MPI_MAX_PROCESSOR_NAME,
                      names + (size_t)i * MPI_MAX_PROCESSOR_NAME) != 0)
            hosts[i]++; /* the first rank of the host */
    }
    for (uint32_t i = 0; i < r->count; i++) {
        together += hosts[i] == hosts[r->number];
        r->part.local += i < r->number && hosts[i] == hosts[r->number];
    }
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cpus = (uint32_t)CPU_COUNT(&set);
    /* A rank that mpirun has bound to some processors has these for itself. */
    if ((long)cpus == sysconf(_SC_NPROCESSORS_ONLN))
        cpus /= together;
    r->part.threads = cpus < 1 ? 1 : cpus > LIMIT_THREADS ? LIMIT_THREADS : cpus;
    snprintf(r->prefix, sizeof r->prefix, "rank %" PRIu32 " (%s): ", r->number,
             names + (size_t)r->number * MPI_MAX_PROCESSOR_NAME);
}

static int ranks_run(struct rank *r, const uint32_t *hosts, bool *leaves)
{
    uint32_t begin[2] = { 0, 0 }; /* exit status, parts */

    if (r->boss != NULL) {
        begin[0] = (uint32_t)boss_open(r->boss, r->options, r->count, hosts, ranks_now());
        begin[1] = r->boss->count;
    }
    MPI_Bcast(begin, sizeof begin, MPI_BYTE, 0, MPI_COMM_WORLD);
    r->part.count = begin[1];
    int status = (int)begin[0];
    if (status == 0)
        status = r->boss != NULL ? boss_work(r, leaves) : rank_work(r, leaves);
    return status;
}

int ranks_work(const struct options *options, bool *leaves)
{
    const struct sigaction action = { .sa_handler = ranks_signal };
    struct rank *r = calloc(1, sizeof *r);
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    struct boss boss = { 0 };
    int number = 0, count = 1, len = 0, status = RANK_CANNOT;

    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Get_processor_name(name, &len);
    char *names = calloc((size_t)count, MPI_MAX_PROCESSOR_NAME);
    uint32_t *hosts = calloc((size_t)count, sizeof *hosts);
    *leaves = r != NULL && names != NULL && hosts != NULL;
    if (*leaves) {
        r->options = options;
        r->number = (uint32_t)number;
        r->count = (uint32_t)count;
        r->boss = number == 0 ? &boss : NULL;
        MPI_Allgather(name, sizeof name, MPI_BYTE, names, sizeof name, MPI_BYTE, MPI_COMM_WORLD);
        rank_place(r, names, hosts);
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGINT, &action, NULL);
        status = ranks_run(r, hosts, leaves);
    }
    boss_close(&boss);
    free(names);
    free(hosts);
    free(r);
    return status;
}
