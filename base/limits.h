/* SPDX-License-Identifier: Apache-2.0
 * base/limits.h - program-wide caps, each with the reason for its value. */
#ifndef BURIN_BASE_LIMITS_H
#define BURIN_BASE_LIMITS_H

enum {
    LIMIT_PATTERN_LEN = 255,       /* bytes of a literal pattern: its length fits into a byte */
    LIMIT_REGEX_MATCH_LEN = 1024,  /* bytes of a match of an expression (scalpel's overlap) */
    LIMIT_REGEX_POSITIONS = 4096,  /* parts of an expression, its counts written out */
    LIMIT_REGEX_MEMORY = 64 << 20, /* bytes; all expressions of a scan, all threads together */
    LIMIT_KEYWORDS = 1000000,      /* words of a search; lists of this size are in use */
    LIMIT_ENCODINGS = 16,          /* in which a search looks for each of its words */
    LIMIT_PATTERN_COUNT = LIMIT_KEYWORDS * LIMIT_ENCODINGS, /* patterns, so that all fit */
    LIMIT_PAPER_PATTERNS = 100000, /* of an engine that reproduces a paper: no paper has more */
    LIMIT_SEGMENT_MIN = 64 * 1024, /* bytes; less costs too much for what is done once for each */
    LIMIT_SEGMENT_MAX = 64 << 20,  /* bytes; three segments must fit in the memory budget */
    LIMIT_SLOT_MAX = 1 << 30,      /* bytes; no device needs more at a time */
    LIMIT_SEGMENT_MEMORY = 256 << 20, /* bytes of the segment buffers of all threads that scan */
    LIMIT_THREADS = 256,              /* threads; one disk cannot feed more cores */
    LIMIT_SLOTS = 64,          /* segments that one thread has in memory; it wants 39 at most */
    LIMIT_PATH = 4096,         /* bytes of a path: PATH_MAX of Linux */
    LIMIT_IMAGE_PARTS = 65536, /* parts of a split image: 128 TB in parts of 2 GB */
    LIMIT_SECTOR = 512,        /* bytes; files begin at multiples of it, disks fail in it */
};

#endif
