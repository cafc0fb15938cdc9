/* SPDX-License-Identifier: Apache-2.0
 * io/image/bad_places.c - see bad_places.h. */
#include "io/image/bad_places.h"

#include "base/clock.h"

static const uint64_t bad_places_limit_ns = IO_BAD_PLACES_SECONDS * UINT64_C(1000000000);

uint64_t io_bad_places_now(const struct io_bad_places *places)
{
    return places->clock != NULL ? places->clock() : clock_now(CLOCK_MONOTONIC);
}

static struct io_bad_places_window *bad_places_slot(struct io_bad_places *places, uint64_t number)
{
    return &places->windows[number % IO_BAD_PLACES_WINDOWS];
}

/* The window before this one, where its last step reaches into this one. NULL: it does not. */
static const struct io_bad_places_window *bad_places_before(struct io_bad_places *places,
                                                            uint64_t number)
{
    const struct io_bad_places_window *before = bad_places_slot(places, number - 1);
    const uint64_t begin = (number - 1) * IO_BAD_PLACES_WINDOW;

    return before->number == number - 1 && before->step > 0 && before->step_until > begin ? before
                                                                                          : NULL;
}

/* The window of offset; it takes the place of another one, which is far away. With the lock. */
static struct io_bad_places_window *bad_places_window(struct io_bad_places *places, uint64_t offset)
{
    const uint64_t number = offset / IO_BAD_PLACES_WINDOW + 1;
    struct io_bad_places_window *window = bad_places_slot(places, number);

    if (window->number != number) {
        const struct io_bad_places_window *before = bad_places_before(places, number);

        *window = before != NULL ? *before : (struct io_bad_places_window){ 0 };
        window->number = number;
    }
    return window;
}

void io_bad_places_failed(struct io_bad_places *places, uint64_t offset, uint64_t since_ns)
{
    const uint64_t now = io_bad_places_now(places);

    pthread_mutex_lock(&places->lock);
    struct io_bad_places_window *window = bad_places_window(places, offset);
    const uint64_t from_ns = since_ns > window->counted_ns ? since_ns : window->counted_ns;
    if (now > from_ns) {
        window->spent_ns += now - from_ns;
        window->counted_ns = now;
    }
    if (window->step == 0 && window->spent_ns >= bad_places_limit_ns) {
        window->step = IO_BAD_PLACES_PROBE;
        window->step_until = offset + IO_BAD_PLACES_PROBE;
    }
    atomic_store(&places->any, true);
    pthread_mutex_unlock(&places->lock);
}

bool io_bad_places_slow(struct io_bad_places *places, uint64_t offset, uint64_t *until)
{
    const uint64_t number = offset / IO_BAD_PLACES_WINDOW + 1;

    if (!atomic_load(&places->any))
        return false;
    pthread_mutex_lock(&places->lock);
    const struct io_bad_places_window *window = bad_places_slot(places, number);
    if (window->number != number && bad_places_before(places, number) != NULL)
        window = bad_places_window(places, offset);
    const bool slow = window->number == number && window->step > 0;
    *until = slow ? window->step_until : offset;
    pthread_mutex_unlock(&places->lock);
    return slow;
}

bool io_bad_places_near(struct io_bad_places *places, uint64_t offset)
{
    const uint64_t number = offset / IO_BAD_PLACES_WINDOW + 1;

    if (!atomic_load(&places->any))
        return false;
    pthread_mutex_lock(&places->lock);
    const bool near = bad_places_slot(places, number)->number == number ||
                      (number > 1 && bad_places_slot(places, number - 1)->number == number - 1);
    pthread_mutex_unlock(&places->lock);
    return near;
}

void io_bad_places_step(struct io_bad_places *places, uint64_t failed, uint64_t offset)
{
    pthread_mutex_lock(&places->lock);
    struct io_bad_places_window *window = bad_places_window(places, failed);
    const uint64_t most = ++window->row > IO_BAD_PLACES_ROW ? (uint64_t)IO_BAD_PLACES_STEP_FAR
                                                            : (uint64_t)IO_BAD_PLACES_STEP_MAX;
    if (window->step < most)
        window->step *= 2;
    window->step_until = offset + window->step;
    pthread_mutex_unlock(&places->lock);
}

void io_bad_places_stepped(struct io_bad_places *places, uint64_t offset)
{
    pthread_mutex_lock(&places->lock);
    struct io_bad_places_window *window = bad_places_window(places, offset);
    window->row = 0;
    if (window->step > IO_BAD_PLACES_STEP_MAX)
        window->step = IO_BAD_PLACES_STEP_MAX;
    pthread_mutex_unlock(&places->lock);
}

bool io_bad_places_add(struct io_bad_places *places, const struct io_bad_range *range)
{
    pthread_mutex_lock(&places->lock);
    io_bad_list_remember(&places->found, range);
    const bool right = !places->found.failed;
    atomic_store(&places->any, true);
    pthread_mutex_unlock(&places->lock);
    return right;
}

bool io_bad_places_find(struct io_bad_places *places, uint64_t offset, struct io_bad_range *out)
{
    if (!atomic_load(&places->any))
        return false;
    pthread_mutex_lock(&places->lock);
    const struct io_bad_range *range = io_bad_list_find(&places->found, offset);
    if (range != NULL)
        *out = *range;
    pthread_mutex_unlock(&places->lock);
    return range != NULL;
}

void io_bad_places_add_page(struct io_bad_places *places, const struct io_bad_range *range)
{
    pthread_mutex_lock(&places->lock);
    io_bad_list_remember(&places->pages, range);
    places->pages.failed = false;
    atomic_store(&places->any, true);
    pthread_mutex_unlock(&places->lock);
}

bool io_bad_places_fails(struct io_bad_places *places, uint64_t begin, uint64_t end, int *cause)
{
    const struct io_bad_list *lists[] = { &places->found, &places->pages };
    bool fails = false;

    if (!atomic_load(&places->any))
        return false;
    pthread_mutex_lock(&places->lock);
    for (size_t i = 0; !fails && i < sizeof lists / sizeof lists[0]; i++) {
        const struct io_bad_range *range = io_bad_list_find(lists[i], begin);

        fails = range != NULL && range->offset < end;
        if (fails)
            *cause = range->cause;
    }
    pthread_mutex_unlock(&places->lock);
    return fails;
}

void io_bad_places_release(struct io_bad_places *places)
{
    io_bad_list_release(&places->found);
    io_bad_list_release(&places->pages);
}
