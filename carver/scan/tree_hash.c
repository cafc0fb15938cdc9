/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/tree_hash.c - see tree_hash.h. */
#include "carver/scan/tree_hash.h"

#include <assert.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/thread.h"

enum {
    TREE_BUFFERS_MAX = TREE_HASH_THREADS_MAX + 2, /* one is filled, and one more waits */
    TREE_ROOM = 1024,                             /* leaves, at first */
};

struct tree_buffer {
    enum { TREE_EMPTY, TREE_FILLING, TREE_FULL, TREE_BUSY } state;
    uint64_t number; /* of the leaf */
    size_t len;
    uint8_t *bytes; /* [TREE_HASH_LEAF] */
};

struct tree_hash {
    pthread_mutex_t lock;
    pthread_cond_t more, room; /* to the threads, from the threads */
    struct thread threads[TREE_HASH_THREADS_MAX];
    struct tree_buffer buffers[TREE_BUFFERS_MAX];
    uint32_t buffer_count;
    struct tree_buffer *filling; /* by who puts; NULL: none */
    uint8_t *leaves;             /* [leaf_room * TREE_HASH_SIZE] */
    uint64_t leaf_room, next;    /* next: number of the leaf that is put next */
    bool ends;                   /* no more comes */
    bool failed;                 /* a leaf could not be made */
};

/* The leaf that a thread makes next: the first one, so that those that are made are the first ones.
 * NULL: none is full. Called with the lock held. */
static struct tree_buffer *tree_full(struct tree_hash *tree)
{
    struct tree_buffer *first = NULL;

    for (uint32_t i = 0; i < tree->buffer_count; i++) {
        struct tree_buffer *buffer = &tree->buffers[i];

        if (buffer->state == TREE_FULL && (first == NULL || buffer->number < first->number))
            first = buffer;
    }
    return first;
}

static void tree_run(void *arg)
{
    struct tree_hash *tree = arg;

    pthread_mutex_lock(&tree->lock);
    for (;;) {
        struct tree_buffer *buffer = tree_full(tree);
        uint8_t digest[EVP_MAX_MD_SIZE];

        if (buffer == NULL && tree->ends)
            break;
        if (buffer == NULL) {
            pthread_cond_wait(&tree->more, &tree->lock);
            continue;
        }
        buffer->state = TREE_BUSY;
        pthread_mutex_unlock(&tree->lock);
        const bool made =
            EVP_Digest(buffer->bytes, buffer->len, digest, NULL, EVP_sha256(), NULL) == 1;
        pthread_mutex_lock(&tree->lock);
        if (made)
            memcpy(tree->leaves + buffer->number * TREE_HASH_SIZE, digest, TREE_HASH_SIZE);
        tree->failed = tree->failed || !made;
        buffer->state = TREE_EMPTY;
        pthread_cond_broadcast(&tree->room);
    }
    pthread_mutex_unlock(&tree->lock);
}

enum err_code tree_hash_open(uint32_t threads, struct tree_hash **out, struct err *err)
{
    struct tree_hash *tree = calloc(1, sizeof *tree);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (tree == NULL)
        return ERR_NO_MEMORY(err, sizeof *tree);
    pthread_mutex_init(&tree->lock, NULL);
    pthread_cond_init(&tree->more, NULL);
    pthread_cond_init(&tree->room, NULL);
    threads = threads == 0 ? 1 : threads;
    threads = threads < TREE_HASH_THREADS_MAX ? threads : TREE_HASH_THREADS_MAX;
    tree->buffer_count = threads + 2;
    for (uint32_t i = 0; rc == ERR_OK && i < tree->buffer_count; i++) {
        tree->buffers[i].bytes = malloc(TREE_HASH_LEAF);
        if (tree->buffers[i].bytes == NULL)
            rc = ERR_NO_MEMORY(err, TREE_HASH_LEAF);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < threads; i++)
        rc = thread_start(&tree->threads[i], "leaves", tree_run, tree, err);
    if (rc == ERR_OK)
        *out = tree;
    else
        tree_hash_close(tree);
    return rc;
}

static void tree_join(struct tree_hash *tree)
{
    pthread_mutex_lock(&tree->lock);
    tree->ends = true;
    pthread_cond_broadcast(&tree->more);
    pthread_mutex_unlock(&tree->lock);
    for (uint32_t i = 0; i < TREE_HASH_THREADS_MAX; i++)
        thread_join(&tree->threads[i]);
}

void tree_hash_close(struct tree_hash *tree)
{
    if (tree == NULL)
        return;
    tree_join(tree);
    for (uint32_t i = 0; i < tree->buffer_count; i++)
        free(tree->buffers[i].bytes);
    free(tree->leaves);
    pthread_cond_destroy(&tree->more);
    pthread_cond_destroy(&tree->room);
    pthread_mutex_destroy(&tree->lock);
    free(tree);
}

/* Room for the digests of so many leaves. Called with the lock held. */
static bool tree_grow(struct tree_hash *tree, uint64_t count)
{
    uint64_t room = tree->leaf_room == 0 ? TREE_ROOM : tree->leaf_room;

    while (room < count)
        room *= 2;
    if (room == tree->leaf_room)
        return true;
    uint8_t *leaves = realloc(tree->leaves, room * TREE_HASH_SIZE);
    if (leaves == NULL)
        return false;
    tree->leaves = leaves;
    tree->leaf_room = room;
    return true;
}

enum err_code tree_hash_begin(struct tree_hash *tree, const uint8_t *leaves, uint64_t count,
                              struct err *err)
{
    assert(tree->next == 0 && tree->filling == NULL);
    if (count == 0)
        return ERR_OK;
    pthread_mutex_lock(&tree->lock);
    const bool room = tree_grow(tree, count);
    if (room) {
        memcpy(tree->leaves, leaves, count * TREE_HASH_SIZE);
        tree->next = count;
    }
    pthread_mutex_unlock(&tree->lock);
    return room ? ERR_OK : ERR_NO_MEMORY(err, count * TREE_HASH_SIZE);
}

/* A buffer to fill, waiting for one. Called with the lock held. */
static void tree_take(struct tree_hash *tree)
{
    while (tree->filling == NULL) {
        for (uint32_t i = 0; tree->filling == NULL && i < tree->buffer_count; i++)
            if (tree->buffers[i].state == TREE_EMPTY)
                tree->filling = &tree->buffers[i];
        if (tree->filling == NULL)
            pthread_cond_wait(&tree->room, &tree->lock);
    }
    tree->filling->state = TREE_FILLING;
    tree->filling->number = tree->next++;
    tree->filling->len = 0;
    tree->failed = tree->failed || !tree_grow(tree, tree->next);
}

/* The buffer is handed to the threads. Called with the lock held. */
static void tree_hand(struct tree_hash *tree)
{
    tree->filling->state = tree->failed ? TREE_EMPTY : TREE_FULL;
    tree->filling = NULL;
    pthread_cond_signal(&tree->more);
}

void tree_hash_put(struct tree_hash *tree, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        if (tree->filling == NULL) {
            pthread_mutex_lock(&tree->lock);
            tree_take(tree);
            pthread_mutex_unlock(&tree->lock);
        }
        struct tree_buffer *buffer = tree->filling;
        const size_t room = TREE_HASH_LEAF - buffer->len, step = len < room ? len : room;

        memcpy(buffer->bytes + buffer->len, bytes, step);
        buffer->len += step;
        bytes += step;
        len -= step;
        if (buffer->len == TREE_HASH_LEAF) {
            pthread_mutex_lock(&tree->lock);
            tree_hand(tree);
            pthread_mutex_unlock(&tree->lock);
        }
    }
}

uint64_t tree_hash_done(struct tree_hash *tree)
{
    pthread_mutex_lock(&tree->lock);
    uint64_t done = tree->next;
    for (uint32_t i = 0; i < tree->buffer_count; i++)
        if (tree->buffers[i].state != TREE_EMPTY && tree->buffers[i].number < done)
            done = tree->buffers[i].number;
    if (tree->failed)
        done = 0;
    pthread_mutex_unlock(&tree->lock);
    return done;
}

void tree_hash_leaves(struct tree_hash *tree, uint64_t first, uint64_t count, uint8_t *out)
{
    pthread_mutex_lock(&tree->lock);
    assert(first <= tree->next && count <= tree->next - first);
    if (count > 0)
        memcpy(out, tree->leaves + first * TREE_HASH_SIZE, count * TREE_HASH_SIZE);
    pthread_mutex_unlock(&tree->lock);
}

enum err_code tree_hash_finish(struct tree_hash *tree, uint64_t *count, char root[MIDSTATE_TEXT],
                               struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];

    pthread_mutex_lock(&tree->lock);
    if (tree->filling != NULL)
        tree_hand(tree);
    pthread_mutex_unlock(&tree->lock);
    tree_join(tree);
    *count = tree->next;
    if (tree->failed ||
        EVP_Digest(tree->leaves, *count * TREE_HASH_SIZE, digest, NULL, EVP_sha256(), NULL) != 1)
        return ERR_RAISE(err, ERR_ENV, "no memory for the tree hash");
    hex_bytes(digest, TREE_HASH_SIZE, root);
    root[2 * TREE_HASH_SIZE] = '\0';
    return ERR_OK;
}
