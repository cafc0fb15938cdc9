/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_sums.c - lists as md5sum, sha1sum and sha256sum write them (GNU coreutils,
 * "cksum output modes"), and lists of words.
 *
 * Lines that are empty or begin with "#" are comments. See known_read.h.
 */
#include <string.h>

#include "carver/hashset/known_read.h"

/* Where a line has its parts. */
struct known_sum {
    size_t digest, digest_len; /* in the line */
    size_t name, name_len;     /* name_len 0: none */
    bool escaped;              /* "\\" and "\n" in the name stand for a backslash and a line feed */
    bool tagged;               /* BSD's form */
};

static bool known_sums_comment(const char *line, size_t len)
{
    return len == 0 || line[0] == '#';
}

/* "SHA256 (NAME) = HASH"; true when the line has that form. */
static bool known_sums_tagged(const char *line, size_t len, size_t from, struct known_sum *sum)
{
    static const char joint[] = ") = ";
    size_t at = from;

    while (at < len && ((line[at] >= 'A' && line[at] <= 'Z') ||
                        (line[at] >= '0' && line[at] <= '9') || line[at] == '-'))
        at++;
    if (at == from || at + 2 > len || line[at] != ' ' || line[at + 1] != '(')
        return false;
    sum->name = at + 2;
    for (size_t end = len; end >= sum->name + sizeof joint - 1;
         end--) /* a name may hold the joint, a hash cannot */
        if (memcmp(line + end - (sizeof joint - 1), joint, sizeof joint - 1) == 0) {
            sum->name_len = end - (sizeof joint - 1) - sum->name;
            sum->digest = end;
            sum->digest_len = len - end;
            sum->tagged = true;
            return true;
        }
    return false;
}

static struct known_sum known_sums_split(const char *line, size_t len)
{
    struct known_sum sum = { .escaped = line[0] == '\\' };
    size_t at = sum.escaped;

    if (known_sums_tagged(line, len, at, &sum))
        return sum;
    sum.digest = at;
    while (at < len && line[at] != ' ' && line[at] != '\t')
        at++;
    sum.digest_len = at - sum.digest;
    if (at + 1 < len && line[at] == ' ' && (line[at + 1] == ' ' || line[at + 1] == '*'))
        at += 2;
    else if (at < len)
        at++;
    sum.name = at;
    sum.name_len = len - at;
    return sum;
}

bool known_sums_hash(const char *line, size_t len, enum digest_kind *out)
{
    if (known_sums_comment(line, len))
        return false;
    const struct known_sum sum = known_sums_split(line, len);
    uint8_t digest[DIGEST_MAX];

    return known_hash_of_length(sum.digest_len, out) &&
           known_parse_hex(line + sum.digest, sum.digest_len, sum.digest_len, digest) ==
               sum.digest_len;
}

/* Turns an escaped name into what it stands for. */
static size_t known_sums_unescape(const char *name, size_t len, char out[KNOWN_NAME_MAX])
{
    size_t used = 0;

    for (size_t i = 0; i < len && used < KNOWN_NAME_MAX; i++) {
        char c = name[i];

        if (c == '\\' && i + 1 < len) {
            c = name[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        out[used++] = c;
    }
    return used;
}

enum err_code known_read_sums(const struct known_list *list, enum digest_kind hash,
                              known_entry_fn each, void *arg, struct err *err)
{
    struct known_lines lines;
    const char *line = NULL;
    size_t len = 0;
    enum err_code rc = known_lines_open(list, &lines, err);

    while (rc == ERR_OK && (rc = known_lines_next(&lines, &line, &len, err)) == ERR_OK &&
           line != NULL) {
        if (known_sums_comment(line, len))
            continue;
        const struct known_sum sum = known_sums_split(line, len);
        uint8_t digest[DIGEST_MAX];
        char name[KNOWN_NAME_MAX];
        struct known_entry entry = { .digest = digest,
                                     .name = line + sum.name,
                                     .name_len = sum.name_len };

        if (sum.escaped) {
            entry.name_len = known_sums_unescape(entry.name, entry.name_len, name);
            entry.name = name;
        }
        if (entry.name_len == 0)
            entry.name = NULL;
        rc = known_lines_digest(&lines, line + sum.digest, sum.digest_len, sum.digest + 1, hash,
                                digest, err);
        if (rc == ERR_OK)
            rc = each(arg, &entry, err);
    }
    known_lines_close(&lines);
    return rc;
}
