/* test_engine.c: all I/O engines do the same: every test runs over each of them, and over the
 * smallest one (skeleton_engine.c).
 * Run: build/dev/tests/test_engine */
#include "support/transfer.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern const struct gsi_engine_ops skeleton_engine;

#define BLOCKS    200
#define BLOCK_MAX 40000u

struct fixture {
    const struct gsi_engine_ops *ops;
    struct gsi_engine *engine;
    struct gs_error error;
    struct test_random random;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->ops = *state;
    fixture->random = test_random_make(0);
    fixture->ops->open(DEPTH, &fixture->engine, &fixture->error);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    gsi_engine_close(fixture->engine);
    free(fixture);
    return 0;
}

/* The fixture, or the end of the test where this machine refuses the engine. */
static struct fixture *begin(void **state)
{
    struct fixture *fixture = *state;
    if (fixture->engine == NULL && fixture->ops == &gsi_engine_uring)
        test_skip("no io_uring");
    assert_non_null(fixture->engine);
    return fixture;
}

static uint8_t *random_bytes(struct fixture *fixture, size_t bytes)
{
    uint8_t *data = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)test_next(&fixture->random);
    return data;
}

struct block {
    uint64_t off;
    size_t bytes;
};

static void shuffle(struct fixture *fixture, struct block *blocks, size_t count)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = test_below(&fixture->random, i + 1);
        struct block block = blocks[i];
        blocks[i] = blocks[j];
        blocks[j] = block;
    }
}

static void test_engine__many_blocks_out_of_order__come_back_equal(void **state)
{
    struct fixture *fixture = begin(state);
    static struct transfer transfers[BLOCKS];
    struct block blocks[BLOCKS];
    uint64_t total = 0;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = (struct block){total, 1 + test_below(&fixture->random, BLOCK_MAX)};
        total += blocks[i].bytes;
    }
    uint8_t *written = random_bytes(fixture, total), *read = calloc(1, total);
    int fd = scratch_file();
    for (int pass = 0; pass < 2; pass++) {
        shuffle(fixture, blocks, BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            start(fixture->engine, &transfers[i], pass == 0 ? GSI_IO_WRITE : GSI_IO_READ, fd,
                  (pass == 0 ? written : read) + blocks[i].off, blocks[i].bytes, blocks[i].off);
            transfers[i].io.is_copy = i % 3 != 0; /* not started yet: wait starts transfers */
        }
        finish(fixture->engine, transfers, BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            assert_int_equal(transfers[i].io.sys_errno, 0);
            assert_int_equal(transfers[i].io.moved, blocks[i].bytes);
        }
    }
    assert_memory_equal(written, read, total);
    close(fd);
    free(written);
    free(read);
}

static void test_engine__read_past_the_end__is_short(void **state)
{
    struct fixture *fixture = begin(state);
    const size_t end = 10000;
    int fd = scratch_file();
    uint8_t *written = random_bytes(fixture, end), *read = aligned_alloc(4096, 16384);
    assert_int_equal(pwrite(fd, written, end, 0), end);
    const struct {
        uint64_t off;
        size_t bytes, moved;
    } rows[] = {{0, 16384, 10000}, {8192, 4096, 1808}, {9999, 2, 1},
                {10000, 1, 0},     {20480, 4096, 0},   {0, 0, 0}};
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int direct_fd = open(path, O_RDONLY | O_DIRECT);
    if (direct_fd < 0)
        test_part_skipped("direct reads", "no direct I/O in the file system of /tmp");
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct transfer transfer;
        size_t row = i / 2;
        bool is_direct = i % 2 == 1;
        if (is_direct && (direct_fd < 0 || rows[row].bytes % 4096 != 0))
            continue;
        start(fixture->engine, &transfer, GSI_IO_READ, is_direct ? direct_fd : fd, read,
              rows[row].bytes, rows[row].off);
        finish(fixture->engine, &transfer, 1);
        if (transfer.io.sys_errno != 0 || transfer.io.moved != rows[row].moved)
            test_fail("row %zu direct %d: errno %d, moved %zu, want %zu", row, is_direct,
                      transfer.io.sys_errno, transfer.io.moved, rows[row].moved);
        if (rows[row].moved > 0)
            assert_memory_equal(read, written + rows[row].off, rows[row].moved);
    }
    close(fd);
    if (direct_fd >= 0)
        close(direct_fd);
    free(written);
    free(read);
}

static void test_engine__refused_transfers__say_why(void **state)
{
    struct fixture *fixture = begin(state);
    const struct {
        const char *name, *path;
        int flags;
        enum gsi_io_op op;
        int sys_errno;
    } rows[] = {{"closed", NULL, 0, GSI_IO_READ, EBADF},
                {"closed", NULL, 0, GSI_IO_WRITE, EBADF},
                {"directory", ".", O_RDONLY, GSI_IO_READ, EISDIR},
                {"full", "/dev/full", O_WRONLY, GSI_IO_WRITE, ENOSPC},
                {"read-only", "/dev/null", O_RDONLY, GSI_IO_WRITE, EBADF}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int is_stream = 0; is_stream < 2; is_stream++) {
            char data[100] = {0};
            struct transfer transfer;
            int fd = rows[i].path != NULL ? open(rows[i].path, rows[i].flags) : -1;
            start(fixture->engine, &transfer, rows[i].op, fd, data, sizeof data,
                  is_stream ? GSI_IO_STREAM : 0);
            finish(fixture->engine, &transfer, 1);
            if (transfer.io.sys_errno != rows[i].sys_errno || transfer.io.moved != 0)
                test_fail("%s, op %d, stream %d: errno %d, want %d", rows[i].name, rows[i].op,
                          is_stream, transfer.io.sys_errno, rows[i].sys_errno);
            if (fd >= 0)
                close(fd);
        }
}

static void test_engine__write_to_a_closed_pipe__is_an_error(void **state)
{
    struct fixture *fixture = begin(state);
    int fds[2];
    struct transfer transfer;
    char data[100] = {0};
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    start(fixture->engine, &transfer, GSI_IO_WRITE, fds[1], data, sizeof data, GSI_IO_STREAM);
    finish(fixture->engine, &transfer, 1);
    assert_int_equal(transfer.io.sys_errno, EPIPE);
    close(fds[1]);
    signal(SIGPIPE, before);
}

/* Linux moves at most 2 GiB less a page a call; /dev/null takes it without looking. */
static void test_engine__more_than_a_call_moves__is_moved_whole(void **state)
{
    struct fixture *fixture = begin(state);
    size_t bytes = ((size_t)4 << 30) + 4096;
    void *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int fd = open("/dev/null", O_WRONLY);
    struct transfer transfer;
    assert_true(data != MAP_FAILED && fd >= 0);
    start(fixture->engine, &transfer, GSI_IO_WRITE, fd, data, bytes, 0);
    finish(fixture->engine, &transfer, 1);
    assert_int_equal(transfer.io.sys_errno, 0);
    assert_int_equal(transfer.io.moved, bytes);
    munmap(data, bytes);
    close(fd);
}

static void open_pair(const char *kind, int fds[2])
{
    if (strcmp(kind, "socket") == 0)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    else
        assert_int_equal(pipe2(fds, strcmp(kind, "nonblocking") == 0 ? O_NONBLOCK : 0), 0);
    if (strcmp(kind, "fifo") == 0) { /* another kind of pipe to some kernels */
        char path[] = "/tmp/test_engine.XXXXXX";
        close(fds[0]);
        close(fds[1]);
        assert_non_null(mkdtemp(path));
        char name[64];
        snprintf(name, sizeof name, "%s/fifo", path);
        assert_int_equal(mkfifo(name, 0600), 0);
        fds[0] = open(name, O_RDONLY | O_NONBLOCK);
        fds[1] = open(name, O_WRONLY);
        fcntl(fds[0], F_SETFL, 0);
        unlink(name);
        rmdir(path);
    }
}

static const char *const pair_kinds[] = {"pipe", "nonblocking", "fifo", "socket"};
#define PAIR_KINDS (sizeof pair_kinds / sizeof pair_kinds[0])

static void test_engine__pipes__carry_more_than_they_hold(void **state)
{
    struct fixture *fixture = begin(state);
    uint8_t *written = random_bytes(fixture, PIPE_BYTES), *read = malloc(PIPE_BYTES + 100);
    for (size_t i = 0; i < PAIR_KINDS; i++) {
        int fds[2];
        struct transfer transfers[2], rest;
        open_pair(pair_kinds[i], fds);
        memset(read, 0, PIPE_BYTES);
        start(fixture->engine, &transfers[0], GSI_IO_READ, fds[0], read, PIPE_BYTES - 5,
              GSI_IO_STREAM);
        start(fixture->engine, &transfers[1], GSI_IO_WRITE, fds[1], written, PIPE_BYTES,
              GSI_IO_STREAM);
        finish(fixture->engine, transfers, 2);
        close(fds[1]);
        start(fixture->engine, &rest, GSI_IO_READ, fds[0], read + PIPE_BYTES - 5, 100,
              GSI_IO_STREAM);
        finish(fixture->engine, &rest, 1);
        if (transfers[0].io.moved != PIPE_BYTES - 5 || transfers[1].io.moved != PIPE_BYTES ||
            rest.io.moved != 5 || memcmp(read, written, PIPE_BYTES) != 0)
            test_fail("%s: moved %zu, %zu and %zu", pair_kinds[i], transfers[0].io.moved,
                      transfers[1].io.moved, rest.io.moved);
        close(fds[0]);
    }
    free(written);
    free(read);
}

static void *wake_from_thread(void *engine)
{
    gsi_engine_wake(engine);
    return NULL;
}

static void test_engine__wake__ends_the_wait(void **state)
{
    struct fixture *fixture = begin(state);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wake_from_thread, fixture->engine), 0);
        gsi_engine_wait(fixture->engine, UINT64_MAX);
        pthread_join(thread, NULL);
    }
}

static void *close_end(void *fd)
{
    close(*(int *)fd);
    return NULL;
}

/* It stays readable; waits and transfers continue as before. */
static void test_engine__watched__ends_one_wait(void **state)
{
    struct fixture *fixture = begin(state);
    int fds[2], data[2];
    char byte = 1;
    pthread_t thread;
    struct transfer transfer;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(pipe(data), 0);
    gsi_engine_watch(fixture->engine, fds[0]);
    start(fixture->engine, &transfer, GSI_IO_READ, data[0], &byte, 1, GSI_IO_STREAM);
    gsi_engine_wait(fixture->engine, 0);
    assert_int_equal(pthread_create(&thread, NULL, close_end, &fds[1]), 0);
    gsi_engine_wait(fixture->engine, UINT64_MAX);
    pthread_join(thread, NULL);
    assert_false(transfer.done_count > 0);
    uint64_t begin_ns = gsi_clock_ns();
    gsi_engine_wait(fixture->engine, 2000000);
    assert_true(gsi_clock_ns() - begin_ns >= 2000000);
    assert_int_equal(write(data[1], &byte, 1), 1);
    finish(fixture->engine, &transfer, 1);
    close(fds[0]);
    close(data[0]);
    close(data[1]);
}

static void test_engine__timeout__ends_the_wait(void **state)
{
    struct fixture *fixture = begin(state);
    int fds[2];
    char data;
    struct transfer transfer;
    assert_int_equal(pipe(fds), 0);
    gsi_engine_wait(fixture->engine, 0);
    start(fixture->engine, &transfer, GSI_IO_READ, fds[0], &data, 1, GSI_IO_STREAM);
    gsi_engine_wait(fixture->engine, 0);
    gsi_engine_wait(fixture->engine, 1000000);
    assert_int_equal(transfer.done_count, 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    finish(fixture->engine, &transfer, 1);
    assert_int_equal(data, 'x');
    close(fds[0]);
    close(fds[1]);
}

static void test_engine__cancel__brings_everything_back(void **state)
{
    struct fixture *fixture = begin(state);
    uint8_t *data = calloc(1, PIPE_BYTES), byte = 0;
    for (size_t i = 0; i < PAIR_KINDS; i++) {
        int empty[2], full[2], file = scratch_file();
        struct transfer transfers[3 + DEPTH];
        open_pair(pair_kinds[i], empty);
        open_pair(pair_kinds[i], full);
        start(fixture->engine, &transfers[0], GSI_IO_READ, empty[0], &byte, 1, GSI_IO_STREAM);
        start(fixture->engine, &transfers[1], GSI_IO_WRITE, full[1], data, PIPE_BYTES,
              GSI_IO_STREAM);
        wait_until_full(fixture->engine, full[1]);
        for (int t = 2; t < 3 + DEPTH; t++) /* some start, some stay in the queue */
            start(fixture->engine, &transfers[t], GSI_IO_READ, empty[0], &byte, 1, GSI_IO_STREAM);
        gsi_engine_wait(fixture->engine, 0);
        gsi_engine_cancel(fixture->engine);
        gsi_engine_cancel(fixture->engine);
        finish(fixture->engine, transfers, 3 + DEPTH);
        for (int t = 0; t < 3 + DEPTH; t++)
            if (transfers[t].io.sys_errno != ECANCELED)
                test_fail("%s: transfer %d: errno %d", pair_kinds[i], t, transfers[t].io.sys_errno);
        assert_true(transfers[1].io.moved > 0 && transfers[1].io.moved < PIPE_BYTES);
        /* The engine is as new. */
        start(fixture->engine, &transfers[0], GSI_IO_READ, empty[0], &byte, 1, GSI_IO_STREAM);
        start(fixture->engine, &transfers[1], GSI_IO_WRITE, empty[1], "y", 1, GSI_IO_STREAM);
        start(fixture->engine, &transfers[2], GSI_IO_WRITE, file, "z", 1, 0);
        finish(fixture->engine, transfers, 3);
        assert_int_equal(byte, 'y');
        assert_int_equal(transfers[2].io.sys_errno, 0);
        for (int end = 0; end < 2; end++) {
            close(empty[end]);
            close(full[end]);
        }
        close(file);
    }
    free(data);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum { BLOCKED_WAIT_NS = 50000000, BLOCKED_WAITS = 10 };

/* A loaded machine may charge this process for one wait, but not for each of ten: an engine that
 * spins uses all of every wait. */
static uint64_t least_cpu_of_waits(struct gsi_engine *engine)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < BLOCKED_WAITS && least > BLOCKED_WAIT_NS / 2; i++) {
        uint64_t before = cpu_ns();
        gsi_engine_wait(engine, BLOCKED_WAIT_NS);
        uint64_t used = cpu_ns() - before;
        least = used < least ? used : least;
    }
    return least;
}

static void test_engine__blocked_transfers__cost_no_cpu(void **state)
{
    struct fixture *fixture = begin(state);
    uint8_t *data = calloc(1, PIPE_BYTES), byte;
    for (size_t i = 0; i < PAIR_KINDS; i++) {
        int empty[2], full[2];
        struct transfer transfers[2];
        open_pair(pair_kinds[i], empty);
        open_pair(pair_kinds[i], full);
        start(fixture->engine, &transfers[0], GSI_IO_READ, empty[0], &byte, 1, GSI_IO_STREAM);
        start(fixture->engine, &transfers[1], GSI_IO_WRITE, full[1], data, PIPE_BYTES,
              GSI_IO_STREAM);
        wait_until_full(fixture->engine, full[1]);
        uint64_t used = least_cpu_of_waits(fixture->engine);
        if (used > BLOCKED_WAIT_NS / 2)
            test_fail("%s: %llu of %u ns", pair_kinds[i], (unsigned long long)used,
                      BLOCKED_WAIT_NS);
        gsi_engine_cancel(fixture->engine);
        finish(fixture->engine, transfers, 2);
        for (int end = 0; end < 2; end++) {
            close(empty[end]);
            close(full[end]);
        }
    }
    free(data);
}

struct chain {
    struct transfer transfer;
    struct gsi_engine *engine;
    unsigned left;
};

static void chain_done(struct gsi_io *io)
{
    struct chain *chain = (struct chain *)io;
    chain->transfer.done_count++;
    if (io->sys_errno == 0 && io->moved == 1 && --chain->left > 0) {
        io->off++;
        gsi_engine_submit(chain->engine, io);
    }
}

static void test_engine__submit_from_done__goes_on(void **state)
{
    struct fixture *fixture = begin(state);
    char data[1000] = {0}, byte;
    int fd = scratch_file();
    assert_int_equal(write(fd, data, sizeof data), sizeof data);
    struct chain chain = {
        .transfer.io = {
            .op = GSI_IO_READ, .fd = fd, .data = &byte, .bytes = 1, .done = chain_done}};
    chain.engine = fixture->engine;
    chain.left = sizeof data;
    gsi_engine_submit(fixture->engine, &chain.transfer.io);
    while (chain.left > 0 && chain.transfer.io.sys_errno == 0)
        gsi_engine_wait(fixture->engine, UINT64_MAX);
    assert_int_equal(chain.transfer.done_count, sizeof data);
    close(fd);
}

static unsigned order_next;

static void order_done(struct gsi_io *io)
{
    ((struct transfer *)io)->done_count = ++order_next;
}

static void test_engine__depth_one__keeps_the_order(void **state)
{
    struct fixture *fixture = begin(state);
    struct gsi_engine *engine;
    struct transfer transfers[100];
    uint8_t data[100];
    int fd = scratch_file();
    assert_int_equal(fixture->ops->open(1, &engine, NULL), GS_OK);
    order_next = 0;
    for (unsigned i = 0; i < 100; i++) {
        start(engine, &transfers[i], GSI_IO_WRITE, fd, &data[i], 1, i);
        transfers[i].io.done = order_done;
    }
    while (order_next < 100)
        gsi_engine_wait(engine, UINT64_MAX);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(transfers[i].done_count, i + 1);
    gsi_engine_close(engine);
    close(fd);
}

#define OVER(engine, test) \
    cmocka_unit_test_prestate_setup_teardown(test, setup, teardown, (void *)&(engine))
#define EACH(test) \
    OVER(gsi_engine_uring, test), OVER(gsi_engine_threads, test), OVER(skeleton_engine, test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_engine__many_blocks_out_of_order__come_back_equal),
        EACH(test_engine__read_past_the_end__is_short),
        EACH(test_engine__refused_transfers__say_why),
        EACH(test_engine__write_to_a_closed_pipe__is_an_error),
        EACH(test_engine__more_than_a_call_moves__is_moved_whole),
        EACH(test_engine__pipes__carry_more_than_they_hold),
        EACH(test_engine__wake__ends_the_wait),
        EACH(test_engine__watched__ends_one_wait),
        EACH(test_engine__timeout__ends_the_wait),
        EACH(test_engine__cancel__brings_everything_back),
        EACH(test_engine__blocked_transfers__cost_no_cpu),
        EACH(test_engine__submit_from_done__goes_on),
        EACH(test_engine__depth_one__keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
