/* test_source.c: checks how many buffers a source uses to read a file: as few as its transfers
 * need, and more if it reads from the disk. Run: build/dev/tests/test_source */
#include "support/scratch.h"

#include "base/memory.h"
#include "input/source.h"
#include "io/engine.h"
#include "plan/plan.h"

#define BUFFERS      26u
#define BUFFER_BYTES ((uint64_t)64 << 10)
#define MOST_BUFFERS 100u /* that a file fills */
#define THREADS      2u

struct fixture {
    struct gsi_inputs_spec spec;
    struct gsi_plan plan;
    struct gs_error error;
    struct gsi_input input;
    struct gsi_layout layout;
    struct gsi_loop loop;
    struct gsi_inputs inputs;
    struct gsi_arena arena;
    struct gsi_source source;
};

static void wake(void *context)
{
    const struct gsi_loop *loop = context;
    gsi_engine_wake(loop->engine);
}

/* A file of so many bytes, each word its place. A second descriptor that is not direct is one as
 * far as the source can tell, on any file system. */
static void open_file(struct fixture *fixture, uint64_t bytes, bool is_direct)
{
    static uint64_t words[MOST_BUFFERS * BUFFER_BYTES / 8];
    struct gsi_loop *loop = &fixture->loop;
    void *memory;
    for (size_t w = 0; w < bytes / 8; w++)
        words[w] = w;
    put_bytes("in", words, bytes);
    *fixture = (struct fixture){.plan = {.chunk_bytes = BUFFER_BYTES, .thread_count = THREADS}};
    *loop = (struct gsi_loop){.error = &fixture->error,
                              .layout = &fixture->layout,
                              .plan = &fixture->plan,
                              .ledger.ceiling_bytes = UINT64_MAX};
    fixture->inputs = (struct gsi_inputs){.loop = loop,
                                          .layout = loop->layout,
                                          .spec = &fixture->spec,
                                          .table = &fixture->input,
                                          .count = 1,
                                          .bytes = bytes};
    fixture->input = (struct gsi_input){.path = "in",
                                        .name = "in",
                                        .fd = open("in", O_RDONLY),
                                        .direct_fd = is_direct ? open("in", O_RDONLY) : -1,
                                        .is_direct = is_direct,
                                        .is_sniffed = true,
                                        .bytes = bytes};
    char note[128];
    assert_int_equal(gsi_engine_open(GSI_IO_THREADS, GSI_PLAN_READS_MIN, &loop->engine, note,
                                     sizeof note, &fixture->error),
                     GS_OK);
    assert_int_equal(gsi_pool_create(THREADS, wake, loop, &loop->pool, &fixture->error), GS_OK);
    fixture->arena.bytes = BUFFERS * BUFFER_BYTES;
    assert_int_equal(gsi_memory_map(&loop->ledger, GSI_MEMORY_DATA, fixture->arena.bytes, &memory,
                                    &fixture->error),
                     GS_OK);
    fixture->arena.memory = memory;
    assert_int_equal(gsi_buffers_init(&fixture->arena.chunks, &loop->ledger, fixture->arena.memory,
                                      fixture->arena.bytes, gsi_shape_chunk(&fixture->plan), false,
                                      &fixture->error),
                     GS_OK);
    assert_int_equal(gsi_source_init(&fixture->source, &fixture->inputs), GS_OK);
}

static void close_file(struct fixture *fixture)
{
    struct gsi_loop *loop = &fixture->loop;
    gsi_pool_free(loop->pool);
    gsi_source_clear(&fixture->source);
    gsi_buffers_clear(&fixture->arena.chunks);
    gsi_memory_unmap(&loop->ledger, GSI_MEMORY_DATA, fixture->arena.memory, fixture->arena.bytes);
    gsi_engine_close(loop->engine);
    gsi_input_close(&fixture->input);
}

/* Read everything; buffers are returned in order, and freed at once. */
static void read_all(struct fixture *fixture)
{
    struct gsi_loop *loop = &fixture->loop;
    struct gsi_buffer *buffer;
    uint64_t word = 0;
    while (!gsi_source_is_end(&fixture->source)) {
        gsi_source_refill(&fixture->source, &fixture->arena.chunks);
        while ((buffer = gsi_source_next_filled(&fixture->source, &fixture->arena.chunks)) !=
               NULL) {
            const uint64_t *words = (const uint64_t *)(const void *)buffer->data;
            for (size_t w = 0; w < buffer->bytes / 8; w++)
                assert_true(words[w] == word++);
            gsi_buffers_return(&fixture->arena.chunks, buffer);
        }
        if (loop->io_pending > 0 || gsi_pool_pending(loop->pool) > 0)
            gsi_engine_wait(loop->engine, UINT64_MAX);
        gsi_pool_reap(loop->pool);
        assert_int_equal(fixture->error.status, GS_OK);
    }
    assert_true(word == fixture->input.bytes / 8);
    assert_int_equal(fixture->arena.chunks.free_count, BUFFERS);
}

static const struct {
    const char *name;
    uint64_t bytes;
    bool is_direct;
    uint32_t taken; /* of the buffers, before anything was read, */
    uint32_t first; /* and if their memory is not there yet */
} cases[] = {
    {"from the disk", MOST_BUFFERS *BUFFER_BYTES, true, GSI_PLAN_READS_MIN, THREADS},
    {"from the page cache", MOST_BUFFERS *BUFFER_BYTES, false,
     GSI_PLAN_READS_MIN / GSI_READER_COPY_PART, THREADS},
    {"a small file", 2 * BUFFER_BYTES, true, 2, 2},
    {"its end in a buffer of its own", 2 * BUFFER_BYTES + 8, true, 3, THREADS},
    {"a small file, cached", 2 * BUFFER_BYTES, false, 2, 2},
    {"a very small one", 8, true, 1, 1},
    {"an empty one", 0, true, 0, 0},
};

static uint32_t populated_count(const struct gsi_buffers *buffers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < buffers->count; i++)
        count += buffers->all[i].is_populated;
    return count;
}

static void check_refill(struct fixture *fixture, size_t c, bool is_populated)
{
    struct gsi_buffers *buffers = &fixture->arena.chunks;
    uint32_t want = is_populated ? cases[c].taken : cases[c].first;
    open_file(fixture, cases[c].bytes, cases[c].is_direct);
    for (uint32_t i = 0; i < BUFFERS; i++)
        buffers->all[i].is_populated = is_populated;
    gsi_source_refill(&fixture->source, buffers);
    if (BUFFERS - buffers->free_count != want)
        test_fail("%s: %u buffers, not %u", cases[c].name, BUFFERS - buffers->free_count, want);
    read_all(fixture);
    /* of a small file no more than it fills */
    uint32_t most = cases[c].bytes < BUFFERS * BUFFER_BYTES ? cases[c].taken : BUFFERS;
    if (!is_populated && populated_count(buffers) > most)
        test_fail("%s: %u buffers were made present", cases[c].name, populated_count(buffers));
    close_file(fixture);
}

static void test_source_refill__any_file__takes_few_buffers(void **state)
{
    (void)state;
    static struct fixture fixture;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        check_refill(&fixture, c, true);
        check_refill(&fixture, c, false);
    }
}

/* No buffer is freed: how far it reads ahead. */
static uint32_t read_ahead_count(struct fixture *fixture)
{
    struct gsi_loop *loop = &fixture->loop;
    do {
        gsi_source_refill(&fixture->source, &fixture->arena.chunks);
        while (gsi_source_next(&fixture->source) != NULL)
            ;
        if (loop->io_pending > 0 || gsi_pool_pending(loop->pool) > 0)
            gsi_engine_wait(loop->engine, UINT64_MAX);
        gsi_pool_reap(loop->pool);
        gsi_source_refill(&fixture->source, &fixture->arena.chunks);
    } while (loop->io_pending > 0 || gsi_pool_pending(loop->pool) > 0);
    return BUFFERS - fixture->arena.chunks.free_count;
}

static void test_source_refill__nothing_comes_back__ahead_only_of_the_disk(void **state)
{
    (void)state;
    static struct fixture fixture;
    for (int is_direct = 0; is_direct < 2; is_direct++) {
        open_file(&fixture, MOST_BUFFERS * BUFFER_BYTES, is_direct);
        uint32_t far_ahead = GSI_PLAN_READS_MIN / GSI_READER_COPY_PART + 2 * THREADS;
        uint32_t most = is_direct ? BUFFERS : far_ahead;
        assert_int_equal(read_ahead_count(&fixture), most);
        close_file(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_refill__any_file__takes_few_buffers),
        cmocka_unit_test(test_source_refill__nothing_comes_back__ahead_only_of_the_disk),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
