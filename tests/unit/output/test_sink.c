/* test_sink.c: checks that the output has every byte of its windows, in any order in which
 * transfers finish. No two transfers write the same place, not even padding, and a failed one is
 * reported. Also tests resumed sorts that can use direct I/O for the first time, or no more. Run:
 * build/dev/tests/test_sink */
#include "support/scratch.h"

#include "base/checked.h"
#include "output/sink.h"
#include "plan/plan.h"

#include <errno.h>

#define WINDOW_BYTES ((uint64_t)16 << 10)
#define WINDOWS      24u
#define MOST_BYTES   (8192 + WINDOWS * WINDOW_BYTES)

/* Holds transfers back, and does the last one first. */
struct late_engine {
    struct gsi_engine engine;
    struct gsi_io *last;
    int direct_fd;
    uint32_t done_count, fails; /* one transfer fails, from 1 on; 0: none */
};

static void late_submit(struct gsi_engine *engine, struct gsi_io *io)
{
    struct late_engine *late = (struct late_engine *)engine;
    io->next = late->last;
    late->last = io;
}

static void late_wait(struct gsi_engine *engine, uint64_t timeout_ns)
{
    (void)timeout_ns;
    struct late_engine *late = (struct late_engine *)engine;
    for (struct gsi_io *io; (io = late->last) != NULL;) {
        late->last = io->next;
        bool is_aligned = ((uintptr_t)io->data | io->bytes | io->off) % GSI_DIRECT_ALIGN == 0;
        assert_true(io->fd != late->direct_fd || is_aligned);
        assert_int_equal(pwrite(io->fd, io->data, io->bytes, (off_t)io->off), io->bytes);
        io->moved = io->bytes;
        io->sys_errno = ++late->done_count == late->fails ? EIO : 0;
        io->done(io);
    }
}

static const struct gsi_engine_ops late_ops = {
    .name = "late", .submit = late_submit, .wait = late_wait};

struct fixture {
    struct gsi_output_spec spec;
    struct gsi_plan plan;
    struct gs_error error;
    struct gsi_record record;
    struct gsi_layout layout;
    struct late_engine engine;
    struct gsi_loop loop;
    struct gsi_inputs inputs;
    struct gsi_target target;
    struct gsi_sink sink;
    struct gsi_buffers windows;
    uint64_t far; /* where the data begin that this life writes */
    uint8_t header[8192];
};

static uint8_t memory[WINDOWS * WINDOW_BYTES] __attribute__((aligned(4096)));
static uint8_t wanted[MOST_BYTES], found[MOST_BYTES];

struct way {
    const char *name;
    uint32_t record_bytes; /* 0: numbers */
    uint64_t header_bytes;
};

/* A life: the output is open, with direct I/O or without; a descriptor is direct as far as the sink
 * can tell. */
static void begin_life(struct fixture *life, const struct way *way, bool is_direct)
{
    struct gsi_target *target = &life->target;
    *life =
        (struct fixture){.plan = {.window_bytes = WINDOW_BYTES, .record_bytes = way->record_bytes},
                         .record = {.bytes = way->record_bytes},
                         .engine = {.engine.ops = &late_ops}};
    memcpy(life->header, wanted, sizeof life->header);
    life->layout.record = &life->record;
    life->layout.form = way->record_bytes > 0 ? GSI_FORM_TAGS : GSI_FORM_KEYS;
    life->layout.align_bytes = way->record_bytes > 0 ? 1 : 8;
    life->loop = (struct gsi_loop){.error = &life->error,
                                   .layout = &life->layout,
                                   .plan = &life->plan,
                                   .engine = &life->engine.engine,
                                   .ledger.ceiling_bytes = UINT64_MAX};
    life->inputs.header = (struct gsi_header){life->header, way->header_bytes};
    *target =
        (struct gsi_target){.loop = &life->loop, .spec = &life->spec, .inputs = &life->inputs};
    target->output = (struct gsi_output){.kind = GSI_OUTPUT_ATOMIC,
                                         .name = "out",
                                         .fd = open("out", O_RDWR | O_CREAT, 0600),
                                         .direct_fd = is_direct ? open("out", O_WRONLY) : -1};
    life->engine.direct_fd = target->output.direct_fd;
    assert_int_equal(gsi_buffers_init(&life->windows, &life->loop.ledger, memory, sizeof memory,
                                      gsi_shape_window(&life->plan), false, &life->error),
                     GS_OK);
    gsi_sink_init(&life->sink, target, &life->windows, MOST_BYTES);
}

static void end_life(struct fixture *life)
{
    bool fails;
    late_wait(life->loop.engine, 0);
    fails = life->engine.fails > 0 && life->engine.done_count >= life->engine.fails;
    assert_int_equal(life->sink.pending, 0);
    assert_int_equal(life->error.status, fails ? GS_E_IO : GS_OK);
    gsi_buffers_clear(&life->windows);
    close(life->target.output.fd);
    if (life->target.output.direct_fd >= 0)
        close(life->target.output.direct_fd);
}

/* Windows as a merge makes them: full, except for the last one; records begin as far into a page as
 * in the file. */
static void write_windows(struct fixture *life, uint64_t end)
{
    struct gsi_sink *sink = &life->sink;
    while (sink->bytes < end) {
        struct gsi_buffer *window = gsi_buffers_pop(&life->windows);
        assert_non_null(window);
        if (!gsi_layout_is_native(&life->layout))
            window->data = window->memory + sink->bytes % GSI_DIRECT_ALIGN;
        window->bytes = gsi_min_u64(window->capacity, end - sink->bytes);
        memcpy(window->data, wanted + life->inputs.header.bytes + sink->bytes - life->far,
               window->bytes);
        gsi_sink_accept(sink, window);
    }
}

static void expect_output(const struct way *way, const char *what, uint64_t end)
{
    uint64_t bytes = way->header_bytes + end;
    assert_int_equal(truncate("out", (off_t)bytes), 0);
    assert_int_equal(get_bytes("out", found, sizeof found), bytes);
    for (uint64_t i = 0; i < bytes; i++)
        if (found[i] != wanted[i])
            test_fail("%s, %s: byte %llu of %llu", way->name, what, (unsigned long long)i,
                      (unsigned long long)bytes);
}

static const struct way ways[] = {
    {"numbers", 0, 0},
    {"numbers behind a header", 0, 128},
    {"numbers behind a page", 0, 4096},
    {"records", 100, 0},
    {"records of a part of a page", 64, 0},
    {"records of three parts of a page", 3072, 0},
    {"records behind a header", 100, 96},
    {"records behind a header, of a part of a page", 64, 64},
    {"records behind a page", 100, 4096},
};

static void fill(void)
{
    struct test_random random = test_random_make(0);
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i] = (uint8_t)(test_next(&random) | 1); /* no zeros: these are padding */
}

/* A whole number of elements that does not end with a page. */
static uint64_t odd_end(const struct way *way, uint64_t most)
{
    uint64_t unit = way->record_bytes > 0 ? way->record_bytes : 8;
    return most / unit * unit - unit;
}

static void test_sink__any_order_of_transfers__same_bytes(void **state)
{
    (void)state;
    struct fixture life;
    fill();
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int is_direct = 0; is_direct < 2; is_direct++) {
            unlink("out");
            begin_life(&life, &ways[w], is_direct);
            uint64_t end = odd_end(&ways[w], (WINDOWS - 4) * life.windows.all->capacity);
            write_windows(&life, end);
            gsi_sink_finish(&life.sink);
            end_life(&life);
            expect_output(&ways[w], is_direct ? "direct" : "not direct", end);
        }
}

static void test_sink__any_transfer_that_fails__is_told(void **state)
{
    (void)state;
    struct fixture life;
    fill();
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int is_direct = 0; is_direct < 2; is_direct++) {
            uint32_t fails = 0, count;
            do {
                unlink("out");
                begin_life(&life, &ways[w], is_direct);
                life.engine.fails = ++fails;
                write_windows(&life, odd_end(&ways[w], 4 * life.windows.all->capacity));
                gsi_sink_finish(&life.sink);
                end_life(&life);
                count = life.engine.done_count;
            } while (fails <= count);
            assert_true(count >= 4);
        }
}

/* A life that continues after 4 GiB, which are a hole. */
static void test_sink__behind_4_gib__same_bytes(void **state)
{
    (void)state;
    struct fixture life;
    fill();
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int is_direct = 0; is_direct < 2; is_direct++) {
            const struct way *way = &ways[w];
            uint64_t unit = GSI_DIRECT_ALIGN * (way->record_bytes > 0 ? way->record_bytes : 8);
            bool is_there;
            unlink("out");
            begin_life(&life, way, is_direct);
            life.far = (((uint64_t)1 << 32) / unit + 1) * unit;
            uint64_t bytes = odd_end(way, 4 * life.windows.all->capacity);
            uint64_t at = way->header_bytes + life.far;
            assert_int_equal(ftruncate(life.target.output.fd, (off_t)at), 0);
            assert_int_equal(gsi_sink_restore(&life.sink, life.far, found, 0, &is_there), GS_OK);
            assert_true(is_there);
            write_windows(&life, life.far + bytes);
            gsi_sink_finish(&life.sink);
            late_wait(life.loop.engine, 0);
            assert_int_equal(pread(life.target.output.fd, found, bytes, (off_t)at), bytes);
            if (memcmp(found, wanted + way->header_bytes, bytes) != 0)
                test_fail("%s, %sdirect", way->name, is_direct ? "" : "not ");
            end_life(&life);
        }
}

/* The first life is killed after a mark, which is on the disk. The second one continues after it.
 */
static void go_on(const struct way *way, bool was_direct, bool is_direct, uint32_t windows)
{
    struct fixture first, second;
    char what[64];
    unlink("out");
    begin_life(&first, way, was_direct);
    uint64_t capacity = first.windows.all->capacity, marked = windows * capacity;
    uint64_t end = odd_end(way, (WINDOWS - 4) * capacity);
    write_windows(&first, marked);
    gsi_sink_mark(&first.sink);
    uint32_t rest_bytes = first.sink.rest_bytes;
    uint8_t rest[GSI_DIRECT_ALIGN];
    bool is_there;
    memcpy(rest, first.sink.rest, rest_bytes);
    late_wait(first.loop.engine, 0);
    assert_true(gsi_sink_mark_is_written(&first.sink));
    end_life(&first);
    begin_life(&second, way, is_direct);
    assert_int_equal(gsi_sink_restore(&second.sink, marked, rest, rest_bytes, &is_there), GS_OK);
    assert_true(is_there);
    write_windows(&second, end);
    gsi_sink_finish(&second.sink);
    end_life(&second);
    snprintf(what, sizeof what, "%sdirect, then %sdirect, marked after %u windows",
             was_direct ? "" : "not ", is_direct ? "" : "not ", windows);
    expect_output(way, what, end);
}

static void test_sink__another_life__same_bytes(void **state)
{
    (void)state;
    fill();
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (uint32_t windows = 1; windows < WINDOWS - 5; windows++)
            for (int lives = 0; lives < 4; lives++)
                go_on(&ways[w], lives & 1, lives & 2, windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sink__any_order_of_transfers__same_bytes),
        cmocka_unit_test(test_sink__any_transfer_that_fails__is_told),
        cmocka_unit_test(test_sink__behind_4_gib__same_bytes),
        cmocka_unit_test(test_sink__another_life__same_bytes),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
