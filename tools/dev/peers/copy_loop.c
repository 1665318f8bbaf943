/* copy_loop.c: the least that a sort of a file can do: read IN and write OUT, 2 MiB by 16,
 * O_DIRECT, io_uring, and fdatasync. PASSES (default 1) of it, each from IN: 2 for a sort that
 * spills everything. copy_loop IN OUT [PASSES] */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (2u << 20)
#define DEPTH 16

struct slot {
    uint8_t *data;
    off_t off;
    unsigned bytes; /* of the file; what is written is rounded up to pages */
    bool is_writing;
};

static void die(const char *what, int code)
{
    fprintf(stderr, "copy_loop: %s: %s\n", what, strerror(code));
    exit(1);
}

static void submit(struct io_uring *ring, struct slot *slot, int fd)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    if (slot->is_writing)
        io_uring_prep_write(sqe, fd, slot->data, (slot->bytes + 4095) & ~4095u, slot->off);
    else
        io_uring_prep_read(sqe, fd, slot->data, BLOCK, slot->off);
    io_uring_sqe_set_data(sqe, slot);
    io_uring_submit(ring);
}

/* The next block of `size` bytes into the slot; false: there is none. */
static bool begin(struct io_uring *ring, struct slot *slot, int in, off_t *next, off_t size)
{
    if (*next >= size)
        return false;
    slot->is_writing = false;
    slot->off = *next;
    slot->bytes = size - *next < BLOCK ? (unsigned)(size - *next) : BLOCK;
    *next += BLOCK;
    submit(ring, slot, in);
    return true;
}

static void copy(struct io_uring *ring, struct slot *slots, int in, int out, off_t size)
{
    off_t next = 0;
    unsigned busy = 0;
    for (unsigned i = 0; i < DEPTH; i++)
        busy += begin(ring, &slots[i], in, &next, size);
    while (busy > 0) {
        struct io_uring_cqe *cqe;
        int code = io_uring_wait_cqe(ring, &cqe);
        if (code < 0)
            die("waiting", -code);
        struct slot *slot = io_uring_cqe_get_data(cqe);
        if (cqe->res < 0 || (unsigned)cqe->res < slot->bytes)
            die(slot->is_writing ? "write" : "read", cqe->res < 0 ? -cqe->res : EIO);
        io_uring_cqe_seen(ring, cqe);
        if (!slot->is_writing) {
            slot->is_writing = true;
            submit(ring, slot, out);
        } else {
            busy -= !begin(ring, slot, in, &next, size);
        }
    }
    if (ftruncate(out, size) != 0 || fdatasync(out) != 0)
        die("end", errno);
}

int main(int argc, char **argv)
{
    struct io_uring ring;
    struct slot slots[DEPTH];
    struct stat info;
    int code = io_uring_queue_init(2 * DEPTH, &ring, 0);
    if (argc < 3 || code < 0)
        die(argc < 3 ? "copy_loop IN OUT [PASSES]" : "io_uring", code < 0 ? -code : EINVAL);
    for (unsigned i = 0; i < DEPTH; i++)
        if ((slots[i].data = aligned_alloc(4096, BLOCK)) == NULL)
            die("memory", ENOMEM);
    for (int passes = argc > 3 ? atoi(argv[3]) : 1; passes > 0; passes--) {
        int in = open(argv[1], O_RDONLY | O_DIRECT);
        int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0644);
        if (in < 0 || out < 0 || fstat(in, &info) != 0)
            die(in < 0 ? argv[1] : argv[2], errno);
        if (info.st_size > 0 && fallocate(out, 0, 0, info.st_size) != 0 && errno != EOPNOTSUPP)
            die(argv[2], errno);
        copy(&ring, slots, in, out, info.st_size);
        close(in);
        close(out);
    }
    return 0;
}
