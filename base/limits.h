/* base/limits.h - program-wide caps, each with the reason for its value. */
#ifndef BURIN_BASE_LIMITS_H
#define BURIN_BASE_LIMITS_H

enum {
    LIMIT_PATTERN_LEN = 255,          /* longest literal pattern, bytes; carry and lengths fit in a byte */
    LIMIT_REGEX_MATCH_LEN = 1024,     /* longest match of a regular expression, bytes (scalpel's overlap) */
    LIMIT_REGEX_POSITIONS = 4096,     /* bytes of an expression, classes and such, its counts written out */
    LIMIT_REGEX_MEMORY = 64 << 20,    /* bytes for all expressions of a scan, in all threads together */
    LIMIT_PATTERN_COUNT = 100000,     /* keyword lists of this size are in use */
    LIMIT_SEGMENT_MIN = 64 * 1024,    /* bytes; below it the cost of a hand-over shows */
    LIMIT_SEGMENT_MAX = 64 << 20,     /* bytes; three of them must fit in the memory budget */
    LIMIT_LANE_MAX = 1 << 30,         /* bytes; more than a device has use for at a time */
    LIMIT_SEGMENT_MEMORY = 256 << 20, /* bytes of segment buffers in all, so that a scan stays under 512 MiB */
    LIMIT_THREADS = 256,              /* more cores than one disk can feed */
    LIMIT_CHECKERS = 16,              /* threads that run checkers; each keeps 1 MiB of the image */
    LIMIT_LANES = LIMIT_THREADS + 8,  /* segments in flight */
    LIMIT_PATH = 4096,                /* PATH_MAX of Linux */
    LIMIT_IMAGE_PARTS = 4096,         /* parts of a split image */
    LIMIT_SECTOR = 512,               /* smallest unit that is retried and recorded as bad, bytes */
};

#endif
