/* SPDX-License-Identifier: Apache-2.0
 * io/image/qcow2_snapshot.h - the older states of a disk that a qcow2 file keeps (io/ only).
 *
 * Each is a table of tables of its own, whose clusters it shares with the others. Source: QEMU,
 * docs/interop/qcow2.txt, "Snapshots".
 */
#ifndef BURIN_IO_IMAGE_QCOW2_SNAPSHOT_H
#define BURIN_IO_IMAGE_QCOW2_SNAPSHOT_H

#include "io/image/qcow2_header.h"

/*
 * Lists the snapshots of part 0 as those of its image. Where their table is damaged the list ends,
 * and the image's trouble says so: the state of now does not need it.
 * Errors  ERR_ENV  no memory.
 */
ERR_MUST_CHECK enum err_code io_qcow2_snapshots(struct io_pieces *pieces,
                                                const struct qcow2_header *header, struct err *err);

/*
 * Makes *header, of part 0, that of the snapshot with this id or, where none has it, the first with
 * this name, and the format of the image say so. *header has what io_qcow2_header gave.
 * Errors  ERR_INPUT  there is no such one; their table, or what it says of this one, is damaged.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_qcow2_snapshot(struct io_pieces *pieces, const char *which,
                                               struct qcow2_header *header, struct err *err);

#endif
