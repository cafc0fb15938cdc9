/* SPDX-License-Identifier: Apache-2.0
 * base/fds.c - see fds.h. */
#include "base/fds.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union fds_control {
    char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    struct cmsghdr align;
};

bool fds_send(int socket, const void *bytes, size_t len, const int *fds, uint32_t count)
{
    union fds_control control = { .bytes = { 0 } };
    struct iovec part = { (void *)(uintptr_t)bytes, len };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    ssize_t done;

    assert(count <= FDS_MAX);
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof *fds);
        memcpy(CMSG_DATA(head), fds, count * sizeof *fds);
    }
    do
        done = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (done < 0 && errno == EINTR);
    return done == (ssize_t)len;
}

ssize_t fds_receive(int socket, void *bytes, size_t len, int *fds, uint32_t *count)
{
    union fds_control control;
    struct iovec part = { bytes, len };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    const uint32_t room = *count;
    int came[FDS_MAX];
    ssize_t got;

    assert(room <= FDS_MAX);
    *count = 0;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    uint32_t n = 0;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        n = (uint32_t)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(came, CMSG_DATA(head), n * sizeof(int));
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || n > room) {
        while (n > 0)
            close(came[--n]);
        return -1;
    }
    if (n > 0)
        memcpy(fds, came, n * sizeof(int));
    *count = n;
    return got;
}
