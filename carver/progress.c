/* carver/progress.c - see progress.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/progress.h"

enum { PROGRESS_BAR = 20 };                              /* characters between the brackets */
static const uint64_t PROGRESS_SECOND = 1000000000;      /* nanoseconds */
static const uint64_t PROGRESS_REDRAW = 100000000;       /* ten times a second */
static const uint64_t PROGRESS_LINE_EVERY = 30000000000; /* where there is no terminal */
static const uint64_t PROGRESS_SHOWN_LONGEST = 99 * 3600;

void progress_bytes(uint64_t bytes, char text[32])
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double value = (double)bytes / 1024;
    uint32_t unit = 0;

    if (bytes < 1024) {
        snprintf(text, 32, "%" PRIu64 " B", bytes);
        return;
    }
    for (; value >= 1023.95 && unit < 5; unit++)
        value /= 1024;
    snprintf(text, 32, "%.1f %s", value, units[unit]);
}

__attribute__((format(printf, 3, 4))) static void progress_add(char *line, size_t *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int len = vsnprintf(line + *at, PROGRESS_LINE_MAX - *at, format, args);
    va_end(args);
    if (len > 0)
        *at = *at + (size_t)len < PROGRESS_LINE_MAX ? *at + (size_t)len : PROGRESS_LINE_MAX - 1;
}

void progress_format(const char *what, const struct progress_state *state, uint32_t columns,
                     char line[PROGRESS_LINE_MAX])
{
    const uint64_t done = state->total != 0 && state->position > state->total ? state->total : state->position;
    const double seconds = (double)state->elapsed / (double)PROGRESS_SECOND;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    char position[32], total[32];
    size_t at = 0;

    progress_bytes(done, position);
    progress_bytes(state->total, total);
    progress_add(line, &at, "%s", what);
    if (state->total != 0) {
        const uint32_t filled = (uint32_t)((double)done / (double)state->total * PROGRESS_BAR);

        progress_add(line, &at, " %3u%%", (uint32_t)((double)done / (double)state->total * 100));
        if (columns > 0)
            progress_add(line, &at, " [%.*s%.*s]", (int)filled, "####################", (int)(PROGRESS_BAR - filled),
                         "--------------------");
        progress_add(line, &at, " %s of %s", position, total);
    } else {
        progress_add(line, &at, " %s", position);
    }
    progress_add(line, &at, ", %.1f MB/s", rate / 1e6);
    if (state->hits != UINT64_MAX)
        progress_add(line, &at, ", %" PRIu64 " hits", state->hits);
    if (state->objects != UINT64_MAX)
        progress_add(line, &at, ", %" PRIu64 " objects", state->objects);
    if (state->total > done && rate > 0) {
        const double left = (double)(state->total - done) / rate;

        if (left < (double)PROGRESS_SHOWN_LONGEST) {
            const uint32_t s = (uint32_t)(left + 0.5);

            if (s >= 3600)
                progress_add(line, &at, ", %u:%02u:%02u left", s / 3600, s / 60 % 60, s % 60);
            else
                progress_add(line, &at, ", %u:%02u left", s / 60, s % 60);
        }
    }
    if (columns > 0 && at >= columns)
        line[columns - 1] = '\0';
}

void progress_start(struct progress *progress, const char *what, uint64_t total_bytes, bool quiet)
{
    *progress = (struct progress){
        .out = stderr,
        .what = what,
        .total = total_bytes,
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) == 1,
        .started = clock_now(CLOCK_MONOTONIC),
    };
}

static uint32_t progress_columns(FILE *out)
{
    struct winsize size = { 0 };

    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

void progress_update(struct progress *progress, uint64_t position, uint64_t hits, uint64_t objects)
{
    char line[PROGRESS_LINE_MAX];

    if (progress->quiet)
        return;
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    const uint64_t since = now - (progress->told != 0 ? progress->told : progress->started);
    if (since < (progress->terminal ? PROGRESS_REDRAW : PROGRESS_LINE_EVERY))
        return;
    const struct progress_state state = { position, progress->total, hits, objects, now - progress->started };
    progress_format(progress->what, &state, progress->terminal ? progress_columns(progress->out) : 0, line);
    if (progress->terminal)
        fprintf(progress->out, "\r%s\033[K", line);
    else
        fprintf(progress->out, "%s\n", line);
    fflush(progress->out);
    progress->drawn = progress->terminal;
    progress->told = now;
}

void progress_clear(struct progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
        progress->drawn = false;
    }
}

void progress_end(struct progress *progress)
{
    progress_clear(progress);
    progress->quiet = true;
}
