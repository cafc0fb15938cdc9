/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/piece_hash.c - see piece_hash.h. */
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/hex.h"
#include "base/thread.h"
#include "carver/carve/piece_hash.h"

struct piece {
    const uint8_t *bytes;
    size_t len;
};

struct piece_hash {
    EVP_MD *sha256; /* found once: to look it up takes longer than to hash a small file */
    EVP_MD_CTX *state;
    bool failed; /* libcrypto has */
    bool apart;  /* the thread runs */
    struct thread thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    struct piece pieces[PIECE_HASH_PLACES];
    uint64_t added, hashed; /* pieces */
    bool ending;
};

enum err_code piece_hash_open(struct piece_hash **out, struct err *err)
{
    struct piece_hash *hash = calloc(1, sizeof *hash);

    *out = NULL;
    if (hash == NULL)
        return ERR_NO_MEMORY(err, sizeof *hash);
    pthread_mutex_init(&hash->lock, NULL);
    pthread_cond_init(&hash->changed, NULL);
    hash->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    hash->state = EVP_MD_CTX_new();
    if (hash->sha256 == NULL || hash->state == NULL) {
        piece_hash_close(hash);
        return ERR_RAISE(err, ERR_ENV, "libcrypto has no SHA-256");
    }
    *out = hash;
    return ERR_OK;
}

void piece_hash_close(struct piece_hash *hash)
{
    if (hash == NULL)
        return;
    EVP_MD_CTX_free(hash->state);
    EVP_MD_free(hash->sha256);
    pthread_cond_destroy(&hash->changed);
    pthread_mutex_destroy(&hash->lock);
    free(hash);
}

static void piece_hash_update(struct piece_hash *hash, const struct piece *piece)
{
    hash->failed = EVP_DigestUpdate(hash->state, piece->bytes, piece->len) != 1 || hash->failed;
}

static void piece_hash_run(void *arg)
{
    struct piece_hash *hash = arg;

    pthread_mutex_lock(&hash->lock);
    while (hash->hashed < hash->added || !hash->ending) {
        if (hash->hashed == hash->added) {
            pthread_cond_wait(&hash->changed, &hash->lock);
            continue;
        }
        const struct piece piece = hash->pieces[hash->hashed % PIECE_HASH_PLACES];

        pthread_mutex_unlock(&hash->lock);
        piece_hash_update(hash, &piece);
        pthread_mutex_lock(&hash->lock);
        hash->hashed++;
        pthread_cond_signal(&hash->changed);
    }
    pthread_mutex_unlock(&hash->lock);
}

enum err_code piece_hash_begin(struct piece_hash *hash, bool apart, struct err *err)
{
    struct err ignored = { 0 };

    hash->added = hash->hashed = 0;
    hash->ending = hash->failed = false;
    if (EVP_DigestInit_ex2(hash->state, hash->sha256, NULL) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot begin a hash");
    hash->apart =
        apart && thread_start(&hash->thread, "hash", piece_hash_run, hash, &ignored) == ERR_OK;
    return ERR_OK;
}

void piece_hash_wait(struct piece_hash *hash)
{
    if (!hash->apart)
        return;
    pthread_mutex_lock(&hash->lock);
    while (hash->added - hash->hashed == PIECE_HASH_PLACES)
        pthread_cond_wait(&hash->changed, &hash->lock);
    pthread_mutex_unlock(&hash->lock);
}

void piece_hash_add(struct piece_hash *hash, const uint8_t *bytes, size_t len)
{
    const struct piece piece = { bytes, len };

    if (!hash->apart) {
        piece_hash_update(hash, &piece);
        return;
    }
    pthread_mutex_lock(&hash->lock);
    hash->pieces[hash->added++ % PIECE_HASH_PLACES] = piece;
    pthread_cond_signal(&hash->changed);
    pthread_mutex_unlock(&hash->lock);
}

enum err_code piece_hash_end(struct piece_hash *hash, char sha256[DB_SHA256_HEX + 1],
                             struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (hash->apart) {
        pthread_mutex_lock(&hash->lock);
        hash->ending = true;
        pthread_cond_signal(&hash->changed);
        pthread_mutex_unlock(&hash->lock);
        thread_join(&hash->thread);
        hash->apart = false;
    }
    sha256[0] = '\0';
    if (hash->failed || EVP_DigestFinal_ex(hash->state, digest, &len) != 1 ||
        len * 2 != DB_SHA256_HEX)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    hex_bytes(digest, len, sha256);
    sha256[DB_SHA256_HEX] = '\0';
    return ERR_OK;
}
