/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_data.c - what the benchmark scans: files, and data made block by
 * block, the same for any number of threads.
 *
 * Buffers ask for huge pages, and each part is filled by the thread that will scan it, so that on a
 * machine with several memories it lies in the nearest one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/bench/match/bench_match.h"
#include "carver/cli/args.h"

enum { DATA_HUGE_PAGE = 2 << 20, DATA_PAGE = 4096, DATA_AREA = 16 /* blocks of one kind */ };

struct data_filler {
    struct bench_data *data;
    const struct bench_dictionary *dictionary;
    uint32_t threads;
    void (*fill)(const struct data_filler *filler, uint64_t block, uint8_t *out);
    int file;         /* -1: made */
    int *file_errors; /* by thread: errno, -1 for a file that became shorter */
};

static void data_zeros(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    (void)filler;
    (void)block;
    memset(out, 0, BENCH_BLOCK);
}

static void data_random(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block);

    (void)filler;
    for (uint32_t i = 0; i < BENCH_BLOCK; i += 4) {
        const uint32_t r = bench_random(&state);

        memcpy(out + i, &r, 4);
    }
}

/* Words by rank, each power of two of ranks as often as the one before; a sign now and then. */
static void data_text(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block ^ 0x74657874);

    (void)filler;
    for (uint32_t at = 0; at < BENCH_BLOCK;) {
        char word[BENCH_WORD_MAX + 2];
        const uint32_t r = bench_random(&state), octave = 1u << r % 18;
        uint32_t len = bench_word(octave - 1 + (r >> 8) % octave, word);

        if (r >> 28 == 0)
            word[0] = (char)(word[0] - 'a' + 'A');
        if (r >> 24 == 0x33)
            word[len++] = '.';
        word[len++] = r >> 24 == 0x77 ? '\n' : ' ';
        len = len < BENCH_BLOCK - at ? len : BENCH_BLOCK - at;
        memcpy(out + at, word, len);
        at += len;
    }
}

/* Records and code: small numbers in little-endian words, and bytes of which few are common. */
static void data_binary(uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block ^ 0x62696e61);

    for (uint32_t i = 0; i < BENCH_BLOCK; i += 4) {
        const uint32_t r = bench_random(&state), s = bench_random(&state);
        const uint32_t word = r % 8 < 3 ? s & 0xff : r % 8 < 4 ? 0 : r % 8 < 6 ? s & r : s;

        memcpy(out + i, &word, 4);
    }
}

/* Puts a pattern at out, as far as there is room; bits that a mask leaves open stay. */
static uint32_t data_put_pattern(const struct match_pattern *pattern, uint8_t *out, uint32_t room)
{
    const uint32_t len = pattern->len < room ? pattern->len : room;

    for (uint32_t i = 0; i < len; i++) {
        const uint8_t mask = pattern->mask != NULL ? pattern->mask[i] : 0xff;

        out[i] = (uint8_t)((out[i] & ~mask) | (pattern->bytes[i] & mask));
    }
    return len;
}

/* Areas of a megabyte: a fifth zeros, the rest text, compressed data, and records; on some pages a
 * file begins. */
static void data_disk(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block / DATA_AREA ^ 0x6469736b);
    const uint32_t kind = bench_random(&state) % 10;

    if (kind < 2)
        data_zeros(filler, block, out);
    else if (kind < 5)
        data_text(filler, block, out);
    else if (kind < 7)
        data_random(filler, block, out);
    else
        data_binary(block, out);
    state = bench_seed(block ^ 0x6d61676b);
    for (uint32_t at = 0; at < BENCH_BLOCK && kind >= 2; at += DATA_PAGE)
        if (bench_random(&state) % 32 == 0)
            data_put_pattern(match_dictionary_get(filler->dictionary->patterns,
                                                  bench_random(&state) % filler->dictionary->count),
                             out + at, DATA_PAGE);
}

/* A pattern of the dictionary at random, at out as far as there is room; its length there. */
static uint32_t data_put_any(const struct data_filler *filler, uint64_t *state, uint8_t *out,
                             uint32_t room, uint32_t *len)
{
    const struct match_pattern *pattern = match_dictionary_get(
        filler->dictionary->patterns, bench_random(state) % filler->dictionary->count);

    *len = pattern->len;
    return data_put_pattern(pattern, out, room);
}

/* Beginnings of patterns one behind the other, each some bytes short: a false start at every place.
 */
static void data_adversarial(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block ^ 0x61647665);
    uint32_t len = 0;

    for (uint32_t at = 0; at < BENCH_BLOCK;) {
        data_put_any(filler, &state, out + at, BENCH_BLOCK - at, &len);
        at += len > 1 ? 1 + bench_random(&state) % (len - 1) : 1;
    }
}

/* Whole patterns one behind the other, each with one byte of its second half wrong, mostly the last
 * one: harder still. */
static void data_near_misses(const struct data_filler *filler, uint64_t block, uint8_t *out)
{
    uint64_t state = bench_seed(block ^ 0x6e656172);
    uint32_t len = 0;

    data_random(filler, block, out);
    for (uint32_t at = 0; at < BENCH_BLOCK;) {
        const uint32_t put = data_put_any(filler, &state, out + at, BENCH_BLOCK - at, &len),
                       r = bench_random(&state);
        const uint32_t wrong = len - 1 - (r % 4 != 0 ? 0 : (r >> 8) % (len / 2 + 1));

        if (wrong < put)
            out[at + wrong] ^= (uint8_t)(1 + (r >> 16) % 31);
        at += put;
    }
}

static void data_file(const struct data_filler *filler, uint64_t from, uint64_t to, uint32_t thread)
{
    while (from < to && filler->file_errors[thread] == 0) {
        const ssize_t got = pread(filler->file, filler->data->bytes + from, to - from, (off_t)from);

        if (got > 0)
            from += (uint64_t)got;
        else if (got == 0 || errno != EINTR)
            filler->file_errors[thread] = got == 0 ? -1 : errno;
    }
}

static void data_fill_part(void *arg, uint32_t thread)
{
    const struct data_filler *filler = arg;
    const uint64_t len = filler->data->len;
    const uint64_t from = bench_part(len, filler->threads, thread),
                   to = bench_part(len, filler->threads, thread + 1);

    if (filler->file >= 0)
        data_file(filler, from, to, thread);
    for (uint64_t at = from; filler->file < 0 && at < to;
         at += BENCH_BLOCK) /* the memory is whole blocks */
        filler->fill(filler, at / BENCH_BLOCK, filler->data->bytes + at);
}

static enum err_code data_map(struct bench_data *data, struct err *err)
{
    data->memory_size = (size_t)(data->len + BENCH_BLOCK + 2 * DATA_HUGE_PAGE);
    data->memory =
        mmap(NULL, data->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data->memory == MAP_FAILED) {
        data->memory = NULL;
        return ERR_RAISE(err, ERR_ENV, "no memory for %zu bytes of data; use a smaller --size",
                         data->memory_size);
    }
    data->bytes =
        (uint8_t *)data->memory + (DATA_HUGE_PAGE - (uintptr_t)data->memory % DATA_HUGE_PAGE);
    (void)madvise(data->memory, data->memory_size,
                  MADV_HUGEPAGE); /* slower without, and no worse */
    return ERR_OK;
}

/* Opens FILE or FILE:LEN: the name as it is first, for names may hold a colon. */
static enum err_code data_open_file(const char *spec, struct bench_data *data, int *fd,
                                    struct err *err)
{
    const char *colon = strrchr(spec, ':');
    uint64_t most = UINT64_MAX;
    struct stat info;
    char path[LIMIT_PATH];
    const enum err_code named = args_file("--data", spec, err);

    if (named != ERR_OK)
        return named;
    snprintf(path, sizeof path, "%s", spec);
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 && colon != NULL && colon != spec) {
        path[colon - spec < LIMIT_PATH ? colon - spec : 0] = '\0';
        const enum err_code rc = args_size("--data", colon + 1, 1, UINT64_MAX, &most, err);
        if (rc != ERR_OK)
            return rc;
        *fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (*fd < 0 || fstat(*fd, &info) != 0)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: %s (made data is called disk, text, random, zeros, adversarial or near-misses)",
            path, strerror(errno));
    data->len = (uint64_t)info.st_size < most ? (uint64_t)info.st_size : most;
    if (!S_ISREG(info.st_mode) || data->len == 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: want a file that is not empty", path);
    const char *slash = strrchr(path, '/');
    snprintf(data->name, sizeof data->name, "%.90s", slash != NULL ? slash + 1 : path);
    return ERR_OK;
}

enum err_code bench_data_open(const char *spec, uint64_t size,
                              const struct bench_dictionary *dictionary, struct bench_crew *crew,
                              struct bench_data *out, struct err *err)
{
    static const struct {
        const char *name;
        void (*fill)(const struct data_filler *filler, uint64_t block, uint8_t *out);
    } made[] = { { "disk", data_disk },
                 { "text", data_text },
                 { "random", data_random },
                 { "zeros", data_zeros },
                 { "adversarial", data_adversarial },
                 { "near-misses", data_near_misses } };
    int errors[LIMIT_THREADS] = { 0 };
    struct data_filler filler = { .data = out,
                                  .dictionary = dictionary,
                                  .threads = bench_crew_threads(crew),
                                  .file = -1,
                                  .file_errors = errors };
    enum err_code rc = ERR_OK;

    *out = (struct bench_data){ .len = size };
    snprintf(out->name, sizeof out->name, "%s", spec);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (strcmp(spec, made[i].name) == 0)
            filler.fill = made[i].fill;
    out->made = filler.fill != NULL;
    if (!out->made)
        rc = data_open_file(spec, out, &filler.file, err);
    if (rc == ERR_OK)
        rc = data_map(out, err);
    if (rc == ERR_OK)
        bench_crew_run(crew, data_fill_part, &filler);
    if (filler.file >= 0)
        close(filler.file);
    for (uint32_t i = 0; rc == ERR_OK && i < filler.threads; i++)
        if (errors[i] != 0)
            rc = ERR_RAISE(err, ERR_INPUT, "%s: %s", spec,
                           errors[i] < 0 ? "became shorter" : strerror(errors[i]));
    if (rc != ERR_OK)
        bench_data_close(out);
    return rc;
}

void bench_data_close(struct bench_data *data)
{
    if (data->memory != NULL)
        munmap(data->memory, data->memory_size);
    *data = (struct bench_data){ 0 };
}
