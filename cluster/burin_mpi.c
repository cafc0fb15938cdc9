/* SPDX-License-Identifier: Apache-2.0
 * cluster/burin_mpi.c - burin-mpi: one image, scanned by the ranks of an MPI job.
 *
 * It is a program of its own, so that burin needs no MPI. What the ranks leave are the shards that
 * burin scan --part makes, and burin merge makes the case file of them.
 */
#include <mpi.h>
#include <stdio.h>

#include "cluster/options.h"
#include "cluster/ranks.h"

enum { MPI_USAGE = 2, MPI_ENVIRONMENT = 4 };

int main(int argc, char **argv)
{
    static struct options options;
    struct err err = { 0 };
    bool leaves = true;
    int rank = 0;

    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return MPI_ENVIRONMENT;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const enum err_code rc = options_read(argc, argv, &options, &err);
    int status = rc == ERR_OK ? 0 : rc == ERR_ARG ? MPI_USAGE : MPI_ENVIRONMENT;
    if (rc != ERR_OK && rank == 0)
        fprintf(stderr, "burin-mpi: %s\n", err.text);
    if (rc == ERR_OK && options.help && rank == 0)
        options_help();
    if (rc == ERR_OK && !options.help)
        status = ranks_work(&options, &leaves);
    if (!leaves)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    return rank == 0 ? status : 0;
}
