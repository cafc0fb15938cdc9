/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_encase.c - a hash set of EnCase 6 (.hash): 1152 bytes of header, then
 * records of 18 bytes, an MD5 each and two bytes more.
 *
 * The header begins with "HASH\r\n\xff\0"; at 16 stands the number of hashes, 32 bits little-endian
 * (format as in libtsk's reader and the Forensics Wiki; EnCase's vendor publishes none). There are
 * no names in it. See known_read.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_read.h"

enum {
    KNOWN_ENCASE_HEADER = 1152,
    KNOWN_ENCASE_COUNT = 16,
    KNOWN_ENCASE_RECORD = 18,
    KNOWN_ENCASE_BATCH = 4096, /* records read at a time */
};

static enum err_code known_encase_records(const struct known_list *list, uint8_t *records,
                                          known_entry_fn each, void *arg, uint64_t *count,
                                          struct err *err)
{
    enum err_code rc = ERR_OK;
    size_t got = 1;

    while (rc == ERR_OK && got > 0) {
        got = fread(records, 1, (size_t)KNOWN_ENCASE_BATCH * KNOWN_ENCASE_RECORD, list->in);
        const uint64_t at = KNOWN_ENCASE_HEADER + *count * KNOWN_ENCASE_RECORD;

        if (ferror(list->in))
            return ERR_RAISE(err, ERR_INPUT, "%s: byte offset %" PRIu64 ": cannot be read: %s",
                             list->path, at, strerror(errno));
        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (got % KNOWN_ENCASE_RECORD != 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: byte offset %" PRIu64
                             ": the file ends within a record of %d bytes; copy it again",
                             list->path, at + got - got % KNOWN_ENCASE_RECORD, KNOWN_ENCASE_RECORD);
        for (size_t i = 0; rc == ERR_OK && i < got; i += KNOWN_ENCASE_RECORD, ++*count)
            rc = each(arg, &(struct known_entry){ .digest = records + i }, err);
    }
    return rc;
}

enum err_code known_read_encase(const struct known_list *list, enum digest_kind hash,
                                known_entry_fn each, void *arg, struct err *err)
{
    static const uint8_t magic[8] = { 'H', 'A', 'S', 'H', '\r', '\n', 0xff, 0 };
    uint8_t header[KNOWN_ENCASE_HEADER];
    uint64_t count = 0;

    if (hash != DIGEST_MD5)
        return ERR_RAISE(err, ERR_INPUT, "%s: an EnCase hash set has only MD5; give --hash md5",
                         list->path);
    const size_t got = fread(header, 1, sizeof header, list->in);
    if (got < sizeof magic || memcmp(header, magic, sizeof magic) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: byte offset 0: not an EnCase hash set; it would begin with HASH",
                         list->path);
    if (got < sizeof header)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: byte offset %zu: the file ends within its header of %d bytes; copy it again",
            list->path, got, KNOWN_ENCASE_HEADER);
    uint8_t *records = malloc((size_t)KNOWN_ENCASE_BATCH * KNOWN_ENCASE_RECORD);
    if (records == NULL)
        return ERR_NO_MEMORY(err, (size_t)KNOWN_ENCASE_BATCH * KNOWN_ENCASE_RECORD);
    enum err_code rc = known_encase_records(list, records, each, arg, &count, err);
    free(records);
    const uint32_t said = bytes_u32le(header + KNOWN_ENCASE_COUNT);
    if (rc == ERR_OK && count < said)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: byte offset %d: the header says %" PRIu32 " hashes, and %" PRIu64
                       " are there; copy it again",
                       list->path, KNOWN_ENCASE_COUNT, said, count);
    return rc;
}
