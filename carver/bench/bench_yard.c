/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_yard.c - see bench_yard.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/bench/bench_yard.h"
#include "carver/cli/interrupt.h"

enum {
    YARD_WINDOW = 64 << 20, /* bytes whose pages are asked for at a time */
    YARD_PAGE_MIN = 4096,
    YARD_LEFT_SHARE = 100, /* one part in so many may stay in the page cache */
};

static void yard_row(struct bench_row *rows, uint32_t *count, const char *name,
                     const char *const *words)
{
    struct bench_row *row = &rows[(*count)++];

    row->name = name;
    for (uint32_t i = 0; words[i] != NULL && i + 1 < BENCH_WORDS_MAX; i++)
        row->words[i] = words[i];
}

/* fio takes a colon for the end of a name. */
static void yard_fio_file(struct bench_yard *yard, const char *image)
{
    size_t len = (size_t)snprintf(yard->file, sizeof yard->file, "--filename=");

    for (; *image != '\0' && len + 2 < sizeof yard->file; image++) {
        if (*image == ':')
            yard->file[len++] = '\\';
        yard->file[len++] = *image;
    }
    yard->file[len] = '\0';
}

void bench_yard_add(struct bench_yard *yard, const char *image, bool cold, struct bench_row *rows,
                    uint32_t *count)
{
    const char *const direct = cold ? "iflag=direct" : NULL;

    snprintf(yard->in, sizeof yard->in, "if=%s", image);
    yard_fio_file(yard, image);
    yard->first = yard->cat = &rows[*count];
    yard_row(rows, count, "cat", (const char *const[]){ "cat", "--", image, NULL });
    yard_row(rows, count, "dd 1M",
             (const char *const[]){ "dd", yard->in, "of=/dev/null", "bs=1M", direct, NULL });
    yard_row(rows, count, "dd 4M",
             (const char *const[]){ "dd", yard->in, "of=/dev/null", "bs=4M", direct, NULL });
    yard_row(rows, count, "dd 16M",
             (const char *const[]){ "dd", yard->in, "of=/dev/null", "bs=16M", direct, NULL });
    yard_row(rows, count, "fio 1M x 8",
             (const char *const[]){ "fio", "--name=read", "--rw=read", "--readonly", "--bs=1M",
                                    "--ioengine=libaio", "--iodepth=8", "--invalidate=0",
                                    cold ? "--direct=1" : "--direct=0", yard->file, NULL });
}

const struct bench_row *bench_yard_best(const struct bench_yard *yard)
{
    const struct bench_row *best = NULL;
    double least = 0;

    for (uint32_t i = 0; yard->first != NULL && i < BENCH_YARD_ROWS; i++) {
        const struct bench_row *row = &yard->first[i];

        if (row->missing || row->runs == 0 || row->status != 0)
            continue;
        const double median = bench_figure(row->wall, row->runs).median;
        if (best == NULL || median < least) {
            best = row;
            least = median;
        }
    }
    return best;
}

/* Bytes of the open file that the page cache has, as far as the system tells. */
static uint64_t yard_cached(int fd, uint64_t size)
{
    static unsigned char pages[YARD_WINDOW / YARD_PAGE_MIN];
    const uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t cached = 0;

    for (uint64_t at = 0; at < size; at += YARD_WINDOW) {
        const size_t len = size - at < YARD_WINDOW ? (size_t)(size - at) : YARD_WINDOW;
        void *window = mmap(NULL, len, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, (off_t)at);

        if (window == MAP_FAILED)
            break;
        if (mincore(window, len, pages) == 0)
            for (uint64_t i = 0; i < (len + page_len - 1) / page_len; i++)
                cached += (pages[i] & 1) * page_len;
        munmap(window, len);
    }
    return cached;
}

static enum err_code yard_drop(int fd, const char *image, struct err *err)
{
    const int failed = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    const off_t size = lseek(fd, 0, SEEK_END);

    if (failed != 0 || size < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot drop it from the page cache: %s", image,
                         strerror(failed != 0 ? failed : errno));
    const uint64_t left = yard_cached(fd, (uint64_t)size);
    if (left > (uint64_t)size / YARD_LEFT_SHARE + YARD_WINDOW / YARD_LEFT_SHARE)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: cannot drop it from the page cache, which still has %" PRIu64
                         " bytes of it; if it was written just now, run sync",
                         image, left);
    return ERR_OK;
}

enum err_code bench_yard_cache(const char *image, bool cold, struct err *err)
{
    const int fd = open(image, O_RDONLY | O_CLOEXEC);
    enum err_code rc = ERR_OK;

    if (fd < 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", image, strerror(errno));
    if (cold) {
        rc = yard_drop(fd, image, err);
    } else {
        static char
            sink[1 << 20]; /* reading it is what warms the cache; what is read does not matter */

        for (ssize_t got = 1; got > 0 && !interrupt_requested();)
            got = read(fd, sink, sizeof sink);
    }
    close(fd);
    return rc;
}

struct bench_figure bench_yard_ratio(const struct bench_row *row, const struct bench_row *base)
{
    double ratios[BENCH_RUNS_MAX];

    for (uint32_t i = 0; i < row->runs; i++)
        ratios[i] = row->wall[i] / base->wall[i];
    return bench_figure(ratios, row->runs);
}

void bench_yard_print_ratio(const struct bench_row *row, const struct bench_row *base)
{
    if (base == NULL) {
        printf(" %24s", "-");
        return;
    }
    const struct bench_figure ratio = bench_yard_ratio(row, base);
    printf(" %8.3f [%5.2f .. %5.2f]", ratio.median, ratio.min, ratio.max);
}
