/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_crew.c - many objects in hand: how many, in which order they come back,
 * and as what.
 */
#include "tests/carver/carve_fixture.h"

#include "carver/carve/crew.h"

enum { CREW_THREADS = 4, CREW_OBJECTS = 3000 };

struct crew_test {
    struct io_image *image;
    struct outdir dir;
    struct crew *crew;
};

static void crew_test_open(struct crew_test *t, struct fixture *f, uint32_t threads)
{
    struct err err = { 0 };

    *t = (struct crew_test){ 0 };
    OK(io_image_open_memory(f->bytes, FIXTURE_IMAGE, &t->image, &err));
    OK(outdir_open(f->out, &t->dir, &err));
    OK(crew_open(&t->dir, threads, NULL, &t->crew, &err));
}

static void crew_test_close(struct crew_test *t)
{
    crew_close(t->crew);
    outdir_close(&t->dir);
    io_image_close(t->image);
}

/* Every text lies in memory that is overwritten afterwards. */
static void crew_test_submit(struct crew_test *t, int64_t id, const struct db_extent *extents,
                             uint32_t count)
{
    char type[32], reason[300];
    struct object_path path;
    struct err err = { 0 };
    struct db_object object = { .id = id,
                                .type = type,
                                .extension = "x",
                                .state = "complete",
                                .reason = reason,
                                .name = type,
                                .extents = extents,
                                .extent_count = count,
                                .offset = extents[0].offset };

    for (uint32_t i = 0; i < count; i++)
        object.len += extents[i].len;
    snprintf(type, sizeof type, "t%d", (int)(id % 7));
    snprintf(reason, sizeof reason, "%*d", (int)(id % 250) + 10, (int)id);
    object_path_make(&path, NULL, type, "x", object.offset);
    const struct extract_object what = { .image = t->image, .path = &path };
    OK(crew_submit(t->crew, &what, &object, &err));
    memset(type, '!', sizeof type);
    memset(reason, '!', sizeof reason);
}

static void crew_test_take(struct crew_test *t, int64_t id, uint64_t len)
{
    const struct crew_done *done = crew_take(t->crew);
    char want[300];

    assert_non_null(done);
    if (done->rc != ERR_OK)
        fail_msg("object %d: %s", (int)id, done->why.text);
    assert_int_equal(done->object.id, id);
    assert_int_equal(done->result.len, len);
    snprintf(want, sizeof want, "t%d", (int)(id % 7));
    assert_string_equal(done->object.type, want);
    assert_string_equal(done->object.name, want);
    assert_string_equal(done->object.extension, "x");
    assert_string_equal(done->object.state, "complete");
    assert_null(done->object.sha256);
    snprintf(want, sizeof want, "%*d", (int)(id % 250) + 10, (int)id);
    assert_string_equal(done->object.reason, want);
}

static void objects_come_back_in_order(void **state)
{
    static const uint32_t threads[] = { 1, CREW_THREADS };
    struct crew_test t;

    for (size_t i = 0; i < 2; i++) {
        int64_t taken = 0, most = 0;

        crew_test_open(&t, *state, threads[i]);
        for (int64_t id = 1; id <= CREW_OBJECTS; id++) {
            const struct db_extent extents[] = { { (uint64_t)id * 8, 100 },
                                                 { (uint64_t)id, (uint64_t)id % 50 } };

            while (crew_is_full(t.crew)) {
                taken++;
                crew_test_take(&t, taken, 100 + (uint64_t)taken % 50);
            }
            crew_test_submit(&t, id, extents, 2);
            most = id - taken > most ? id - taken : most;
        }
        for (; taken < CREW_OBJECTS; taken++)
            crew_test_take(&t, taken + 1, 100 + (uint64_t)(taken + 1) % 50);
        assert_null(crew_take(t.crew));
        assert_int_equal(most, threads[i] == 1 ? 1 : CREW_THREADS + CREW_AHEAD);
        crew_test_close(&t);
        assert_int_equal(fixture_teardown(state), 0);
        assert_int_equal(fixture_setup(state), 0);
    }
}

/* Objects in very many pieces take memory while they are in hand: few of them are. */
static void objects_in_many_pieces_fill_it(void **state)
{
    const uint32_t count = CREW_EXTENTS / 4;
    struct db_extent *extents = calloc(CREW_EXTENTS + 1u, sizeof *extents);
    struct crew_test t;
    int64_t id = 0;

    assert_non_null(extents);
    extents[0] = extents[count - 1] = (struct db_extent){ 64, 10 };
    crew_test_open(&t, *state, CREW_THREADS);
    while (!crew_is_full(t.crew))
        crew_test_submit(&t, ++id, extents, count);
    assert_int_equal(id, 4);
    crew_test_take(&t, 1, 20);
    assert_false(crew_is_full(t.crew));
    for (int64_t i = 2; i <= id; i++)
        crew_test_take(&t, i, 20);
    /* One that is more than that by itself is written, and alone. */
    crew_test_submit(&t, ++id, extents, CREW_EXTENTS + 1);
    assert_true(crew_is_full(t.crew));
    crew_test_take(&t, id, 20);
    crew_test_submit(&t, ++id, extents, 1);
    assert_false(crew_is_full(t.crew));
    crew_test_take(&t, id, 10);
    assert_null(crew_take(t.crew));
    crew_test_close(&t);
    free(extents);
}

static void a_stopped_crew_writes_nothing_more(void **state)
{
    static const struct db_extent extent = { 0, 1000 };
    struct fixture *f = *state;
    struct crew_test t;
    char got[65536];

    crew_test_open(&t, f, CREW_THREADS);
    crew_stop(t.crew);
    for (int64_t id = 1; id <= 100; id++)
        crew_test_submit(&t, id, &extent, 1);
    for (const struct crew_done *done; (done = crew_take(t.crew)) != NULL;)
        assert_int_equal(done->rc, ERR_INTERRUPTED);
    crew_test_close(&t);
    fixture_shell(f, "find $F/out 2>/dev/null | wc -l", got);
    assert_string_equal(got, "0\n"); /* nor a folder */
}

/* The reason is that of all that is not written, and none is written behind it. */
static void a_crew_that_gives_up_says_why(void **state)
{
    const struct err why = { .code = ERR_ENV, .text = "no room" };
    struct fixture *f = *state;
    struct crew_test t;
    char got[65536];
    int64_t written = 0, taken = 0;

    crew_test_open(&t, f, CREW_THREADS);
    for (int64_t id = 1; id <= 500; id++) {
        const struct db_extent extent = { (uint64_t)id, 1000 };

        crew_test_submit(&t, id, &extent, 1);
    }
    crew_give_up(t.crew, ERR_ENV, &why);
    fixture_shell(f, "find $F/out -type f | wc -l", got);
    const int there = atoi(got);
    for (const struct crew_done *done; (done = crew_take(t.crew)) != NULL; taken++) {
        written += done->rc == ERR_OK;
        if (done->rc != ERR_OK) {
            assert_int_equal(done->rc, ERR_ENV);
            assert_string_equal(done->why.text, "no room");
        }
    }
    assert_int_equal(taken, 500);
    assert_int_equal(written, there);
    fixture_shell(f, "find $F/out -type f | wc -l", got);
    assert_int_equal(atoi(got), there);
    crew_test_close(&t);
}

#define CREW_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CREW_TEST(objects_come_back_in_order),
        CREW_TEST(objects_in_many_pieces_fill_it),
        CREW_TEST(a_stopped_crew_writes_nothing_more),
        CREW_TEST(a_crew_that_gives_up_says_why),
    };
    return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
