/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_new.c - shards that are written: see shard_file.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/scan/shard_file.h"
#include "carver/scan/shard_impl.h"

enum { NEW_BUFFER = 1 << 20, NEW_PART_MAX = 1 << 30, NEW_BEGIN_MAX = 300 };

static enum err_code new_failed(const struct shard_new *shard, int why, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV,
                     "%s: cannot be written: %s; nothing of the part is kept, and the same "
                     "command scans it again",
                     shard->path, strerror(why != 0 ? why : EIO));
}

static enum err_code new_write(struct shard_new *shard, const void *bytes, size_t len,
                               struct err *err)
{
    errno = 0;
    if (fwrite(bytes, 1, len, shard->stream) != len)
        return new_failed(shard, errno, err);
    shard->bytes += len;
    if (EVP_DigestUpdate(shard->sha256, bytes, len) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    return ERR_OK;
}

static enum err_code new_number(struct shard_new *shard, uint32_t value, struct err *err)
{
    const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24) };

    return new_write(shard, bytes, sizeof bytes, err);
}

static enum err_code new_piece(struct shard_new *shard, const struct pack *piece, struct err *err)
{
    if (piece->failed)
        return ERR_NO_MEMORY(err, piece->len);
    if (piece->len > NEW_PART_MAX)
        return ERR_RAISE(err, ERR_FULL, "%s: a part has %zu bytes; make parts smaller: --part-size",
                         shard->path, piece->len);
    const enum err_code rc = new_number(shard, (uint32_t)piece->len, err);
    return rc == ERR_OK ? new_write(shard, piece->bytes, piece->len, err) : rc;
}

/* How the names of temporary files of this host for a part begin, up to the PID. */
static void new_begin(const struct shard_about *about, char out[NEW_BEGIN_MAX])
{
    char host[200];

    snprintf(host, sizeof host, "%s", about->host);
    for (char *at = host; *at != '\0'; at++)
        *at = *at == '/' ? '_' : *at;
    snprintf(out, NEW_BEGIN_MAX, ".%" PRIu32 ".%s.", about->number, host);
}

void shard_new_clear(const char *folder, const struct shard_about *about)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    char begin[NEW_BEGIN_MAX];

    new_begin(about, begin);
    const size_t len = strlen(begin);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        char *end = NULL;

        if (strncmp(entry->d_name, begin, len) != 0)
            continue;
        const long pid = strtol(entry->d_name + len, &end, 10);
        if (pid > 0 && *end == '\0' && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries != NULL)
        closedir(entries);
}

enum err_code shard_new_open(const char *folder, struct shard_about *about, struct shard_new *out,
                             struct err *err)
{
    struct pack head = { 0 };
    char begin[NEW_BEGIN_MAX];
    int fd = -1;

    *out = (struct shard_new){ 0 };
    new_begin(about, begin);
    if (!shard_path(folder, about->number, out->path) ||
        snprintf(out->temporary, sizeof out->temporary, "%s/%s%ld", folder, begin,
                 (long)getpid()) >= (int)sizeof out->temporary)
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", folder);
    shard_new_clear(folder, about);
    fd = open(out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: no shard can be made here: %s", folder,
                         strerror(errno));
    out->stream = fdopen(fd, "w");
    out->sha256 = EVP_MD_CTX_new();
    if (out->stream == NULL)
        close(fd);
    if (out->stream == NULL || out->sha256 == NULL ||
        EVP_DigestInit_ex(out->sha256, EVP_sha256(), NULL) != 1)
        return ERR_NO_MEMORY(err, NEW_BUFFER);
    setvbuf(out->stream, NULL, _IOFBF, NEW_BUFFER);
    shard_about_save(about, &head);
    enum err_code rc = new_write(out, SHARD_MAGIC, SHARD_MAGIC_LEN, err);
    if (rc == ERR_OK)
        rc = new_number(out, SHARD_VERSION, err);
    if (rc == ERR_OK)
        rc = new_piece(out, &head, err);
    pack_release(&head);
    return rc;
}

enum err_code shard_new_add(struct shard_new *shard, const struct pack *part, struct err *err)
{
    return new_piece(shard, part, err);
}

static void new_close(struct shard_new *shard)
{
    if (shard->stream != NULL)
        fclose(shard->stream);
    EVP_MD_CTX_free(shard->sha256);
    shard->stream = NULL;
    shard->sha256 = NULL;
}

void shard_new_drop(struct shard_new *shard)
{
    new_close(shard);
    if (shard->temporary[0] != '\0')
        unlink(shard->temporary);
    shard->temporary[0] = '\0';
}

/* The end, and the hash of all. */
static enum err_code new_end(struct shard_new *shard, const struct shard_end *end, struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    struct pack text = { 0 };

    pack_text(&text, end->finished);
    pack_number(&text, end->bytes);
    pack_number(&text, end->parts);
    pack_number(&text, end->hits);
    pack_number(&text, end->objects);
    pack_number(&text, end->bad_bytes);
    pack_text(&text, end->bad_sha256);
    enum err_code rc = new_number(shard, 0, err);
    if (rc == ERR_OK)
        rc = new_piece(shard, &text, err);
    pack_release(&text);
    if (rc != ERR_OK)
        return rc;
    if (EVP_DigestFinal_ex(shard->sha256, digest, &len) != 1)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    errno = 0;
    if (fwrite(digest, 1, len, shard->stream) != len || fflush(shard->stream) != 0 ||
        fsync(fileno(shard->stream)) != 0)
        return new_failed(shard, errno, err);
    shard->bytes += len;
    return ERR_OK;
}

/* A name is on the disk when its folder is. */
static enum err_code new_sync_folder(const struct shard_new *shard, struct err *err)
{
    char folder[LIMIT_PATH];

    snprintf(folder, sizeof folder, "%s", shard->path);
    *strrchr(folder, '/') = '\0';
    const int fd = open(folder[0] != '\0' ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int why = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return why == 0 || why == EINVAL ? ERR_OK : new_failed(shard, why, err);
}

enum err_code shard_folder(const char *folder, struct err *err)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST
               ? ERR_OK
               : ERR_RAISE(err, ERR_ENV, "%s: cannot be made: %s", folder, strerror(errno));
}

/* link(2) gives a name only where there is none; some network file systems lack it. */
static int new_name(const struct shard_new *shard, bool replace)
{
    if (!replace && link(shard->temporary, shard->path) == 0)
        return 0;
    if (!replace && errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return errno;
    return rename(shard->temporary, shard->path) == 0 ? 0 : errno;
}

enum err_code shard_new_keep(struct shard_new *shard, const struct shard_end *end, bool replace,
                             bool *first, struct err *err)
{
    enum err_code rc = new_end(shard, end, err);

    *first = true;
    if (rc == ERR_OK) {
        const int why = new_name(shard, replace);

        *first = why != EEXIST;
        if (why == 0)
            rc = new_sync_folder(shard, err);
        else if (why != EEXIST)
            rc = new_failed(shard, why, err);
    }
    shard_new_drop(shard);
    return rc;
}
