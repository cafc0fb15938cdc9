/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_stdin.h - standard input as a list of hashes.
 *
 * What a list is shows in its first bytes, which are then read again as its content: those are
 * kept, so that the stream can be sought to its start as long as no more than KNOWN_STDIN_HEAD
 * bytes of it have been read.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_STDIN_H
#define BURIN_CARVER_HASHSET_KNOWN_STDIN_H

#include <stdio.h>

enum { KNOWN_STDIN_HEAD = 4096 /* bytes */ };

/* NULL: no memory. fclose of it leaves standard input open. One of them at a time. */
FILE *known_stdin_open(void);

#endif
