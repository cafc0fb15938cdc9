/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/image_hash.c - see image_hash.h. */
#include "carver/scan/image_hash.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/scan/tree_hash.h"

enum {
    IMAGE_HASH_STEP = 256 << 10, /* bytes that a thread hashes between two looks at the ring */
    /*
     * Bytes between states that are kept, and how many there are at most: of so many bytes a scan
     * may be ahead of what is recorded. Further ahead it would have more to read again.
     */
    IMAGE_HASH_APART = 4 << 20,
    IMAGE_HASH_KEPT = 1024,
    IMAGE_HASH_AGAIN = 1 << 20, /* bytes that are read again at a time */
};

/* The states of all kinds at one place. */
struct image_hash_kept {
    uint64_t offset; /* of the image, a multiple of MIDSTATE_ALIGN */
    uint64_t filled; /* bytes before it that zeros stood in for */
    struct midstate states[DIGEST_KINDS];
};

struct image_hash_thread {
    struct image_hash *hash;
    struct thread thread;
    struct midstate state;
    uint64_t position; /* image offset up to which it has hashed */
    uint64_t kept;     /* number of the state that it comes to next */
};

struct image_hash {
    uint32_t kinds;
    pthread_mutex_t lock;
    pthread_cond_t more, room; /* to the threads, from the threads */
    uint64_t position;         /* image offset up to which bytes were put */
    uint64_t filled;
    bool ends; /* no more comes */
    bool drop; /* and what is in the ring does not count */
    struct image_hash_thread threads[DIGEST_KINDS];
    struct tree_hash *tree; /* NULL: nobody asks for it */
    uint64_t given;         /* leaves that image_hash_leaves gave */
    uint64_t first, next; /* numbers of the states that are kept: first < next, once it has begun */
    struct image_hash_kept kept[IMAGE_HASH_KEPT]; /* a ring */
    uint8_t ring[IMAGE_HASH_RING];                /* image offset o stands at o % its length */
};

enum err_code image_hash_kinds(const char *option, const char *list, uint32_t *kinds,
                               struct err *err)
{
    enum err_code rc = args_list_check(option, list, 16, err);
    char word[16];

    *kinds = 0;
    while (rc == ERR_OK && args_word(&list, word, sizeof word)) {
        uint32_t kind = strcmp(word, "stored") == 0 ? IMAGE_HASH_STORED
                        : strcmp(word, "tree") == 0 ? IMAGE_HASH_TREE
                                                    : 0;

        for (int i = 0; i < DIGEST_KINDS; i++)
            if (strcmp(word, midstate_name((enum digest_kind)i)) == 0)
                kind = 1u << i;
        if (kind == 0)
            rc = ERR_RAISE(err, ERR_ARG,
                           "%s %s: write md5, sha1, sha256, tree, or stored for those that the "
                           "image has, comma-separated",
                           option, word);
        *kinds |= kind;
    }
    return rc;
}

static struct image_hash_kept *image_hash_kept(struct image_hash *hash, uint64_t number)
{
    return &hash->kept[number % IMAGE_HASH_KEPT];
}

/* Where states can be kept. */
static uint64_t image_hash_align(const struct image_hash *hash)
{
    return hash->tree != NULL ? TREE_HASH_LEAF : MIDSTATE_ALIGN;
}

/* A state is to be kept where bytes are put next. Called with the lock held. */
static void image_hash_keep(struct image_hash *hash)
{
    const uint64_t last =
        hash->next > hash->first ? image_hash_kept(hash, hash->next - 1)->offset : 0;

    if (hash->next > hash->first &&
        (hash->position - last < IMAGE_HASH_APART || hash->next - hash->first == IMAGE_HASH_KEPT))
        return;
    if (hash->position % image_hash_align(hash) != 0)
        return;
    struct image_hash_kept *kept = image_hash_kept(hash, hash->next++);
    kept->offset = hash->position;
    kept->filled = hash->filled;
}

/* Keeps the states that stand at the position of a thread. Called with the lock held. */
static void image_hash_note(struct image_hash_thread *thread)
{
    struct image_hash *hash = thread->hash;

    if (thread->kept < hash->next &&
        image_hash_kept(hash, thread->kept)->offset == thread->position)
        image_hash_kept(hash, thread->kept++)->states[thread->state.kind] = thread->state;
}

/* The bytes that a thread hashes next: up to where it has to keep its state. Called with the lock
 * held. */
static size_t image_hash_step(const struct image_hash_thread *thread)
{
    struct image_hash *hash = thread->hash;
    const uint64_t at = thread->position % IMAGE_HASH_RING;
    uint64_t len = hash->position - thread->position;

    if (len > IMAGE_HASH_STEP)
        len = IMAGE_HASH_STEP;
    if (len > IMAGE_HASH_RING - at)
        len = IMAGE_HASH_RING - at;
    if (thread->kept < hash->next) {
        const uint64_t to = image_hash_kept(hash, thread->kept)->offset;

        if (len > to - thread->position)
            len = to - thread->position;
    }
    return (size_t)len;
}

static void image_hash_run(void *arg)
{
    struct image_hash_thread *thread = arg;
    struct image_hash *hash = thread->hash;

    pthread_mutex_lock(&hash->lock);
    for (;;) {
        image_hash_note(thread);
        while (thread->position == hash->position && !hash->ends)
            pthread_cond_wait(&hash->more, &hash->lock);
        if (hash->drop || thread->position == hash->position)
            break;
        const uint8_t *bytes = &hash->ring[thread->position % IMAGE_HASH_RING];
        image_hash_note(thread); /* of a place that was made one while it waited */
        const size_t len = image_hash_step(thread);

        pthread_mutex_unlock(&hash->lock);
        midstate_add(&thread->state, bytes, len);
        pthread_mutex_lock(&hash->lock);
        thread->position += len;
        pthread_cond_broadcast(&hash->room);
    }
    pthread_mutex_unlock(&hash->lock);
}

enum err_code image_hash_open(uint32_t kinds, struct image_hash **out, struct err *err)
{
    struct image_hash *hash = NULL;
    enum err_code rc = midstate_self_test(err);

    *out = NULL;
    if (rc != ERR_OK)
        return rc;
    hash = calloc(1, sizeof *hash);
    if (hash == NULL)
        return ERR_NO_MEMORY(err, sizeof *hash);
    hash->kinds = kinds;
    pthread_mutex_init(&hash->lock, NULL);
    pthread_cond_init(&hash->more, NULL);
    pthread_cond_init(&hash->room, NULL);
    if ((kinds & IMAGE_HASH_TREE) != 0)
        rc = tree_hash_open(cpus_count(), &hash->tree, err);
    image_hash_keep(hash);
    for (int i = 0; rc == ERR_OK && i < DIGEST_KINDS; i++) {
        struct image_hash_thread *thread = &hash->threads[i];

        if ((kinds >> i & 1) == 0)
            continue;
        thread->hash = hash;
        midstate_begin(&thread->state, (enum digest_kind)i);
        rc = thread_start(&thread->thread, "digest", image_hash_run, thread, err);
    }
    if (rc == ERR_OK)
        *out = hash;
    else
        image_hash_close(hash);
    return rc;
}

static void image_hash_join(struct image_hash *hash, bool drop)
{
    pthread_mutex_lock(&hash->lock);
    hash->ends = true;
    hash->drop = drop;
    pthread_cond_broadcast(&hash->more);
    pthread_mutex_unlock(&hash->lock);
    for (int i = 0; i < DIGEST_KINDS; i++)
        thread_join(&hash->threads[i].thread);
}

void image_hash_close(struct image_hash *hash)
{
    if (hash == NULL)
        return;
    image_hash_join(hash, true);
    tree_hash_close(hash->tree);
    pthread_cond_destroy(&hash->more);
    pthread_cond_destroy(&hash->room);
    pthread_mutex_destroy(&hash->lock);
    free(hash);
}

/* Bytes that the ring has room for. Called with the lock held. */
static uint64_t image_hash_room(const struct image_hash *hash)
{
    uint64_t slowest = hash->position;

    for (int i = 0; i < DIGEST_KINDS; i++)
        if ((hash->kinds >> i & 1) != 0 && hash->threads[i].position < slowest)
            slowest = hash->threads[i].position;
    return IMAGE_HASH_RING - (hash->position - slowest);
}

/* Bytes of bad ranges in [from, to). */
static uint64_t image_hash_bad(const struct io_bad_range *bad, uint32_t count, uint64_t from,
                               uint64_t to)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = bad[i].offset > from ? bad[i].offset : from;
        const uint64_t end = bad[i].offset + bad[i].len < to ? bad[i].offset + bad[i].len : to;

        bytes += begin < end ? end - begin : 0;
    }
    return bytes;
}

void image_hash_put(struct image_hash *hash, uint64_t offset, const uint8_t *bytes, uint64_t len,
                    const struct io_bad_range *bad, uint32_t bad_count)
{
    const uint64_t to = offset + len;

    pthread_mutex_lock(&hash->lock);
    while (hash->position >= offset && hash->position < to) {
        const uint64_t from = hash->position, at = from % IMAGE_HASH_RING;
        uint64_t step = image_hash_room(hash);

        if (step == 0) {
            pthread_cond_wait(&hash->room, &hash->lock);
            continue;
        }
        image_hash_keep(hash);
        step = step < to - from ? step : to - from;
        step = step < IMAGE_HASH_STEP ? step : IMAGE_HASH_STEP;
        step = step < IMAGE_HASH_RING - at ? step : IMAGE_HASH_RING - at;
        if (hash->tree != NULL && step > TREE_HASH_LEAF - from % TREE_HASH_LEAF)
            step = TREE_HASH_LEAF - from % TREE_HASH_LEAF;
        pthread_mutex_unlock(&hash->lock);
        memcpy(&hash->ring[at], bytes + (from - offset), step);
        if (hash->tree != NULL)
            tree_hash_put(hash->tree, bytes + (from - offset), step);
        pthread_mutex_lock(&hash->lock);
        hash->position = from + step;
        hash->filled += image_hash_bad(bad, bad_count, from, from + step);
        pthread_cond_broadcast(&hash->more);
    }
    pthread_mutex_unlock(&hash->lock);
}

uint64_t image_hash_position(struct image_hash *hash)
{
    pthread_mutex_lock(&hash->lock);
    const uint64_t position = hash->position;
    pthread_mutex_unlock(&hash->lock);
    return position;
}

/* Whether all threads have been at the place of this state. Called with the lock held. */
static bool image_hash_is_kept(const struct image_hash *hash, uint64_t number)
{
    bool is = number < hash->next;

    if (is && hash->tree != NULL)
        is = tree_hash_done(hash->tree) >=
             hash->kept[number % IMAGE_HASH_KEPT].offset / TREE_HASH_LEAF;
    for (int i = 0; i < DIGEST_KINDS; i++)
        is = is && ((hash->kinds >> i & 1) == 0 || hash->threads[i].kept > number);
    return is;
}

void image_hash_save(struct image_hash *hash, uint64_t position, struct pack *out)
{
    pthread_mutex_lock(&hash->lock);
    while (image_hash_is_kept(hash, hash->first + 1) &&
           image_hash_kept(hash, hash->first + 1)->offset <= position)
        hash->first++;
    const struct image_hash_kept *kept = image_hash_kept(hash, hash->first);
    const bool begun = image_hash_is_kept(hash, hash->first);

    pack_number(out, begun ? kept->offset : 0); /* the first one is that of offset 0 */
    pack_number(out, begun ? kept->filled : 0);
    for (int i = 0; begun && kept->offset > 0 && i < DIGEST_KINDS; i++)
        if ((hash->kinds >> i & 1) != 0)
            midstate_save(&kept->states[i], out);
    pthread_mutex_unlock(&hash->lock);
}

/* All kinds go on from states that were kept. */
static void image_hash_set(struct image_hash *hash, struct unpack *in, uint64_t most)
{
    const uint64_t position = unpack_number(in, most), filled = unpack_number(in, position);

    in->failed = in->failed || position % image_hash_align(hash) != 0;
    if (in->failed || position == 0)
        return;
    pthread_mutex_lock(&hash->lock);
    assert(hash->position == 0);
    for (int i = 0; i < DIGEST_KINDS; i++) {
        struct image_hash_thread *thread = &hash->threads[i];

        if ((hash->kinds >> i & 1) == 0)
            continue;
        midstate_restore(&thread->state, (enum digest_kind)i, position, in);
        thread->position = position;
        thread->kept = 0;
    }
    hash->position = position;
    hash->filled = filled;
    hash->first = hash->next = 0;
    image_hash_keep(hash);
    for (int i = 0; i < DIGEST_KINDS; i++)
        if ((hash->kinds >> i & 1) != 0)
            image_hash_note(&hash->threads[i]);
    pthread_mutex_unlock(&hash->lock);
}

struct image_hash_reading {
    struct io_bad_range *bad; /* [IMAGE_HASH_AGAIN / 512 + 1] */
    uint32_t count;
};

static void image_hash_is_bad(void *arg, const struct io_bad_range *range)
{
    struct image_hash_reading *reading = arg;

    if (reading->count <= IMAGE_HASH_AGAIN / 512)
        reading->bad[reading->count++] = *range;
}

/* Puts [from, to), which is at most IMAGE_HASH_AGAIN bytes: as zeros, or as it is read. */
static enum err_code image_hash_again(struct image_hash *hash, struct io_image *image,
                                      uint64_t from, uint64_t to, bool zeros, uint8_t *buffer,
                                      struct image_hash_reading *reading, struct err *err)
{
    enum err_code rc = ERR_OK;

    reading->count = 0;
    if (zeros) {
        memset(buffer, 0, to - from);
        reading->bad[reading->count++] = (struct io_bad_range){ .offset = from, .len = to - from };
    } else {
        rc = io_salvage_read(image, from, buffer, to - from, image_hash_is_bad, reading, err);
    }
    if (rc == ERR_OK && interrupt_requested())
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request; --resume goes on from there");
    if (rc == ERR_OK)
        image_hash_put(hash, from, buffer, to - from, reading->bad, reading->count);
    return rc;
}

/* Puts what lies between the states and the position. */
static enum err_code image_hash_catch_up(struct image_hash *hash, uint64_t position,
                                         struct io_image *image, const struct io_range *bad,
                                         uint32_t bad_count, struct err *err)
{
    struct image_hash_reading reading = { .bad = calloc(IMAGE_HASH_AGAIN / 512 + 1,
                                                        sizeof *reading.bad) };
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, IMAGE_HASH_AGAIN);
    uint64_t at = image_hash_position(hash);
    enum err_code rc = ERR_OK;

    if (buffer == NULL || reading.bad == NULL) {
        free(buffer);
        free(reading.bad);
        return ERR_NO_MEMORY(err, IMAGE_HASH_AGAIN);
    }
    for (uint32_t i = 0; rc == ERR_OK && at < position;) {
        while (i < bad_count && bad[i].offset + bad[i].len <= at)
            i++;
        const bool zeros = i < bad_count && bad[i].offset <= at;
        uint64_t to = i == bad_count ? position
                      : zeros        ? bad[i].offset + bad[i].len
                                     : bad[i].offset;

        to = to < position ? to : position;
        to = to - at < IMAGE_HASH_AGAIN ? to : at + IMAGE_HASH_AGAIN;
        rc = image_hash_again(hash, image, at, to, zeros, buffer, &reading, err);
        at = to;
    }
    free(buffer);
    free(reading.bad);
    return rc;
}

enum err_code image_hash_restore(struct image_hash *hash, uint64_t position, struct io_image *image,
                                 const struct io_range *bad, uint32_t bad_count,
                                 const uint8_t *leaves, uint64_t leaf_count, struct unpack *in,
                                 struct err *err)
{
    image_hash_set(hash, in, position);
    if (!in->failed && hash->tree != NULL) {
        const uint64_t count = hash->position / TREE_HASH_LEAF;

        if (leaf_count != count)
            return ERR_RAISE(err, ERR_INPUT,
                             "the case file has %" PRIu64 " leaves of the tree hash, and %" PRIu64
                             " are needed to go on; begin anew with --force",
                             leaf_count, count);
        const enum err_code rc = tree_hash_begin(hash->tree, leaves, count, err);
        if (rc != ERR_OK)
            return rc;
        hash->given = count;
    }
    return in->failed ? ERR_OK : image_hash_catch_up(hash, position, image, bad, bad_count, err);
}

/* Copies the leaves from the first that was not given to one before `end`, and gives them. */
static enum err_code image_hash_give(struct image_hash *hash, uint64_t end, uint8_t **out,
                                     uint64_t *first, uint64_t *count, struct err *err)
{
    *out = NULL;
    *first = hash->given;
    *count = end - hash->given;
    if (*count == 0)
        return ERR_OK;
    *out = malloc(*count * TREE_HASH_SIZE);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, *count * TREE_HASH_SIZE);
    tree_hash_leaves(hash->tree, *first, *count, *out);
    hash->given = end;
    return ERR_OK;
}

enum err_code image_hash_leaves(struct image_hash *hash, uint8_t **out, uint64_t *first,
                                uint64_t *count, struct err *err)
{
    uint64_t end = hash->given;

    pthread_mutex_lock(&hash->lock);
    if (hash->tree != NULL && image_hash_is_kept(hash, hash->first))
        end = image_hash_kept(hash, hash->first)->offset / TREE_HASH_LEAF;
    pthread_mutex_unlock(&hash->lock);
    return image_hash_give(hash, end, out, first, count, err);
}

enum err_code image_hash_finish(struct image_hash *hash, uint64_t size,
                                struct image_hash_result *out, struct err *err)
{
    image_hash_join(hash, false);
    *out = (struct image_hash_result){ .bytes = hash->position, .filled = hash->filled };
    if (hash->position != size)
        return ERR_OK;
    for (int i = 0; i < DIGEST_KINDS; i++)
        if ((hash->kinds >> i & 1) != 0)
            midstate_end(&hash->threads[i].state, out->digests[i]);
    if (hash->tree != NULL) {
        uint64_t leaves = 0;
        enum err_code rc = tree_hash_finish(hash->tree, &leaves, out->root, err);

        if (rc == ERR_OK)
            rc = image_hash_give(hash, leaves, &out->leaves, &out->leaf_first, &out->leaf_count,
                                 err);
        if (rc != ERR_OK)
            return rc;
    }
    out->kinds = hash->kinds;
    return ERR_OK;
}
