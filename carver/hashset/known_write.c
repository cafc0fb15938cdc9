/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_write.c - see known_write.h. Gathers entries; known_write_finish.c makes the
 * file of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/hashset/known_write_parts.h"

static void write_folder(struct known_write *write)
{
    const char *slash = strrchr(write->path, '/');

    if (slash == NULL)
        snprintf(write->folder, sizeof write->folder, ".");
    else
        snprintf(write->folder, sizeof write->folder, "%.*s",
                 slash == write->path ? 1 : (int)(slash - write->path), write->path);
}

static size_t write_record_len(const struct known_write *write)
{
    return digest_len(write->options.hash) + (write->options.names ? 16u : 0u);
}

/* The files that are filled while entries come: the set's own, and two without a name. */
static enum err_code write_files(struct known_write *write, struct err *err)
{
    int fd = -1;

    snprintf(write->part, sizeof write->part, "%s.XXXXXX", write->path);
    fd = mkostemp(write->part, O_CLOEXEC);
    if (fd < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be made: %s", write->path, strerror(errno));
    write->made = true;
    enum err_code rc = known_out_init(&write->set, fd, write->path, err);
    if (rc == ERR_OK && write->options.names)
        rc = known_temporary(write->folder, &fd, err);
    if (rc == ERR_OK && write->options.names)
        rc = known_out_init(&write->names, fd, write->folder, err);
    if (rc == ERR_OK && write->options.names)
        rc = known_temporary(write->folder, &fd, err);
    if (rc == ERR_OK && write->options.names)
        rc = known_out_init(&write->refs, fd, write->folder, err);
    return rc;
}

enum err_code known_write_open(const char *path, const struct known_write_options *options,
                               struct known_write **out, struct err *err)
{
    struct known_write *write = calloc(1, sizeof *write);

    *out = NULL;
    if (write == NULL)
        return ERR_NO_MEMORY(err, sizeof *write);
    write->options = *options;
    write->set.fd = write->names.fd = write->refs.fd = -1;
    enum err_code rc = ERR_OK;
    if (strlen(path) >= sizeof write->path)
        rc = ERR_RAISE(err, ERR_ARG, "the name of the set is longer than %zu bytes",
                       sizeof write->path - 1);
    snprintf(write->path, sizeof write->path, "%s", path);
    write_folder(write);
    if (rc == ERR_OK)
        rc = write_files(write, err);
    if (rc == ERR_OK)
        rc = known_sort_open(write_record_len(write), digest_len(options->hash), options->memory,
                             write->folder, &write->sort, err);
    if (rc == ERR_OK)
        *out = write;
    else
        known_write_close(write);
    return rc;
}

void known_write_close(struct known_write *write)
{
    if (write == NULL)
        return;
    if (write->made)
        unlink(write->part);
    known_sort_close(write->sort);
    known_out_release(&write->set);
    known_out_release(&write->names);
    known_out_release(&write->refs);
    free(write->index);
    free(write);
}

/* The blocks of a file come one after the other: a name like the last one is not stored again. */
static enum err_code write_name(struct known_write *write, const struct known_entry *entry,
                                uint64_t *at, struct err *err)
{
    const size_t most = entry->name != NULL ? entry->name_len : 0;
    const char *nul = most > 0 ? memchr(entry->name, '\0', most) : NULL;
    size_t len = nul != NULL ? (size_t)(nul - entry->name) : most;

    len = len < KNOWN_NAME_MAX ? len : KNOWN_NAME_MAX;
    if (!write->any_name || len != write->last_len ||
        (len > 0 && memcmp(entry->name, write->last_name, len) != 0)) {
        write->any_name = true;
        write->last_at = write->names.at;
        write->last_len = len;
        if (len > 0)
            memcpy(write->last_name, entry->name, len);
        write->last_name[len] = '\0';
        const enum err_code rc = known_out_put(&write->names, write->last_name, len + 1, err);
        if (rc != ERR_OK)
            return rc;
    }
    *at = write->last_at;
    return ERR_OK;
}

static void write_u64be(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (56 - 8 * i));
}

enum err_code known_write_add(void *arg, const struct known_entry *entry, struct err *err)
{
    struct known_write *write = arg;
    const uint32_t len = digest_len(write->options.hash);
    uint8_t record[KNOWN_RECORD_MAX];
    uint64_t name = 0;
    enum err_code rc = ERR_OK;

    memcpy(record, entry->digest, len);
    if (write->options.names) {
        rc = write_name(write, entry, &name, err);
        write_u64be(record + len, name); /* so that the first name of a hash is the least record */
        write_u64be(record + len + 8, entry->block);
    }
    return rc == ERR_OK ? known_sort_add(write->sort, record, err) : rc;
}
