/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/progress.c - see progress.h. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/cli/terminal.h"

enum {
    PROGRESS_BAR = 20,       /* characters between the brackets */
    PROGRESS_WHAT_MAX = 128, /* bytes: a word, and two numbers */
};
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

/* The pieces of a line, each with what stands before it. "": not told. */
struct progress_parts {
    char done[32], left[32], rate[32], position[80], objects[40], hits[40];
};

static void progress_left(const struct progress_state *state, uint64_t done, double rate,
                          char out[32])
{
    if (state->total <= done || rate <= 0)
        return;
    const double left = (double)(state->total - done) / rate;
    if (left >= (double)PROGRESS_SHOWN_LONGEST)
        return;
    const uint32_t s = (uint32_t)(left + 0.5);
    if (s >= 3600)
        snprintf(out, 32, ", %u:%02u:%02u left", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, 32, ", %u:%02u left", s / 60, s % 60);
}

static struct progress_parts progress_tell(const struct progress_state *state)
{
    const uint64_t done =
        state->total != 0 && state->position > state->total ? state->total : state->position;
    const double seconds = (double)state->elapsed / (double)PROGRESS_SECOND;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    struct progress_parts parts = { 0 };
    char position[32], total[32];

    progress_bytes(done, position);
    progress_bytes(state->total, total);
    if (state->total != 0)
        snprintf(parts.done, sizeof parts.done, " %3u%%",
                 (uint32_t)((double)done / (double)state->total * 100));
    progress_left(state, done, rate, parts.left);
    snprintf(parts.rate, sizeof parts.rate, ", %.1f MB/s", rate / 1e6);
    snprintf(parts.position, sizeof parts.position, ", %s%s%s", position,
             state->total != 0 ? " of " : "", state->total != 0 ? total : "");
    if (state->objects != UINT64_MAX)
        snprintf(parts.objects, sizeof parts.objects, ", %" PRIu64 " object%s", state->objects,
                 plural_s(state->objects));
    if (state->hits != UINT64_MAX)
        snprintf(parts.hits, sizeof parts.hits, ", %" PRIu64 " hit%s", state->hits,
                 plural_s(state->hits));
    return parts;
}

/* A bar of so many cells, PROGRESS_BAR at most, with a blank before it. */
static void progress_bar(const struct progress_state *state, uint32_t cells,
                         char out[PROGRESS_BAR + 4])
{
    const double share =
        state->position > state->total ? 1 : (double)state->position / (double)state->total;
    const uint32_t filled = (uint32_t)(share * cells);

    memcpy(out, " [", 2);
    memset(out + 2, '#', filled);
    memset(out + 2 + filled, '-', cells - filled);
    memcpy(out + 2 + cells, "]", 2);
}

void progress_format(const char *what, const struct progress_state *state, uint32_t columns,
                     char line[PROGRESS_LINE_MAX])
{
    static const uint32_t widths[] = { PROGRESS_BAR, PROGRESS_BAR / 2, PROGRESS_BAR / 4 };
    const struct progress_parts parts = progress_tell(state);
    /* In the order in which they stand, and in which they are given room. */
    const char *const pieces[] = { parts.objects, parts.rate, parts.position, parts.hits };
    const size_t room = columns == 0 || columns > PROGRESS_LINE_MAX ? PROGRESS_LINE_MAX : columns;
    char bar[PROGRESS_BAR + 4] = "";
    size_t all = strlen(what) + strlen(parts.done) + strlen(parts.left), used;
    bool first = true;

    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        all += strlen(pieces[i]);
    for (size_t i = 0; columns > 0 && state->total != 0 && i < sizeof widths / sizeof widths[0];
         i++)
        /* The widest one with room for all, else the least; the comma behind it goes. */
        if (bar[0] == '\0' || all + strlen(bar) > room)
            progress_bar(state, widths[i], bar);
    used = (size_t)snprintf(line, room, "%s%s", what, parts.done);
    if (used + strlen(parts.left) < room)
        used += (size_t)snprintf(line + used, room - used, "%s", parts.left);
    if (used + strlen(bar) < room)
        used += (size_t)snprintf(line + used, room - used, "%s", bar);
    else
        bar[0] = '\0';
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        /* Behind a bar, and where nothing is before it, no comma is needed. */
        const char *piece =
            first && (bar[0] != '\0' || state->total == 0) ? pieces[i] + 1 : pieces[i];

        if (pieces[i][0] == '\0' || used + strlen(piece) >= room)
            continue;
        used += (size_t)snprintf(line + used, room - used, "%s", piece);
        first = false;
    }
}

enum err_code progress_word(const char *word, enum progress_how *out, struct err *err)
{
    static const char *const words[] = { "auto", "none", "json" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (enum progress_how)i;
            return ERR_OK;
        }
    return ERR_RAISE(err, ERR_ARG, "--progress '%s': one of auto, json and none", word);
}

enum progress_how progress_unless_quiet(enum progress_how how, bool quiet)
{
    return quiet && how == PROGRESS_AUTO ? PROGRESS_QUIET : how;
}

static void progress_count(struct json *json, const char *key, uint64_t count)
{
    if (count == UINT64_MAX)
        json_null(json, key);
    else
        json_uint(json, key, count);
}

static void progress_json(const struct progress *progress, bool ended)
{
    const struct progress_state *state = &progress->last;
    const bool known = state->total != 0;
    const uint64_t done = known && state->position > state->total ? state->total : state->position;
    const double seconds = (double)state->elapsed / (double)PROGRESS_SECOND;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    struct json json;

    json_init(&json, progress->out, 0);
    json_open_object(&json, NULL);
    json_string(&json, "progress", progress->what);
    json_uint(&json, "position", done);
    progress_count(&json, "total", known ? state->total : UINT64_MAX);
    if (known)
        json_double(&json, "percent", (double)done / (double)state->total * 100);
    else
        json_null(&json, "percent");
    progress_count(&json, "objects", state->objects);
    progress_count(&json, "hits", state->hits);
    json_double(&json, "seconds", seconds);
    json_uint(&json, "bytes_per_second", (uint64_t)rate);
    if (known && rate > 0)
        json_uint(&json, "seconds_left", (uint64_t)((double)(state->total - done) / rate + 0.5));
    else
        json_null(&json, "seconds_left");
    progress_count(&json, "slow_at", progress->slow_seconds == 0 ? UINT64_MAX : progress->slow_at);
    progress_count(&json, "slow_seconds",
                   progress->slow_seconds == 0 ? UINT64_MAX : progress->slow_seconds);
    json_bool(&json, "ended", ended);
    json_close_object(&json);
    json_end(&json);
    fflush(progress->out);
}

void progress_start(struct progress *progress, const char *what, uint64_t total_bytes,
                    enum progress_how how)
{
    *progress = (struct progress){
        .out = stderr,
        .what = what,
        .total = total_bytes,
        .how = how,
        .terminal = how == PROGRESS_AUTO && terminal_is(stderr),
        .started = clock_now(CLOCK_MONOTONIC),
        .last = { .total = total_bytes, .hits = UINT64_MAX, .objects = UINT64_MAX },
    };
    if (how == PROGRESS_JSON)
        progress_json(progress, false);
}

void progress_slow(struct progress *progress, uint64_t offset, uint64_t seconds)
{
    progress->slow_at = offset;
    progress->slow_seconds = seconds;
}

/* What is done, and whether it waits for the disk. */
static void progress_what(const struct progress *progress, char out[PROGRESS_WHAT_MAX])
{
    if (progress->slow_seconds == 0)
        snprintf(out, PROGRESS_WHAT_MAX, "%s", progress->what);
    else
        snprintf(out, PROGRESS_WHAT_MAX,
                 "%s, slow at %" PRIu64 " for %" PRIu64 " s:", progress->what, progress->slow_at,
                 progress->slow_seconds);
}

void progress_update(struct progress *progress, uint64_t position, uint64_t hits, uint64_t objects)
{
    const uint64_t every = progress->how == PROGRESS_JSON ? PROGRESS_SECOND
                           : progress->terminal           ? PROGRESS_REDRAW
                                                          : PROGRESS_LINE_EVERY;
    char line[PROGRESS_LINE_MAX], what[PROGRESS_WHAT_MAX];

    if (progress->how == PROGRESS_QUIET)
        return;
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    progress->last = (struct progress_state){ position, progress->total, hits, objects,
                                              now - progress->started };
    if (now - (progress->told != 0 ? progress->told : progress->started) < every)
        return;
    progress->told = now;
    if (progress->how == PROGRESS_JSON) {
        progress_json(progress, false);
        return;
    }
    progress_what(progress, what);
    progress_format(what, &progress->last, progress->terminal ? terminal_columns(progress->out) : 0,
                    line);
    if (progress->terminal)
        fprintf(progress->out, "\r%s\033[K", line);
    else
        fprintf(progress->out, "%s\n", line);
    fflush(progress->out);
    progress->drawn = progress->terminal;
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
    if (progress->how == PROGRESS_JSON) {
        progress->slow_seconds = 0;
        progress->last.elapsed = clock_now(CLOCK_MONOTONIC) - progress->started;
        progress_json(progress, true);
    }
    progress->how = PROGRESS_QUIET;
}
