/* test_partition.c: partitions keys in place, by one thread and by several. Afterwards all keys are
 * there, on their sides, and each was prepared once. After a stop they are all there. Run:
 * build/dev/tests/test_partition */
#include "support/support.h"

#include "device/cpu/cpu_partition.h"
#include "element/key_order.h"

#include <pthread.h>

#define BLOCK_KEYS (GSI_PARTITION_BLOCK_BYTES / 8)
#define MOST_KEYS  (40 * BLOCK_KEYS + 17)
#define THREADS    4
#define GUARD      0x5a5a5a5a5a5a5a5a

static _Alignas(64) uint8_t room[MOST_KEYS * 8 + 64];
static struct gsi_partition_worker workers[THREADS + 1];
static uint64_t prepared[THREADS + 1]; /* keys */
static atomic_bool stop;
static uint64_t stop_at; /* so many keys of the first worker; UINT64_MAX: never */

struct split {
    uint32_t key_bytes;
    uint64_t count, threads;
};

/* Prepares keys by inverting all bits. */
static void prepare(void *context, void *keys, size_t n)
{
    uint64_t *count = context;
    uint8_t *bytes = keys;
    *count += n;
    for (size_t i = 0; i < n * 8; i++)
        bytes[i] ^= 0xff;
    if (count == &prepared[0] && *count >= stop_at)
        atomic_store(&stop, true);
}

static struct gsi_partition partition;

static void *work(void *context)
{
    gsi_partition_run(&partition, context);
    return NULL;
}

static gsi_u128 key_at(uint32_t key_bytes, uint64_t i)
{
    gsi_u128 key = 0;
    memcpy(&key, room + i * key_bytes, key_bytes);
    return key;
}

/* As a sum of mixes: the order is no matter. */
static uint64_t sum_of(uint32_t key_bytes, uint64_t begin, uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t words[2] = {0, 0};
        memcpy(words, room + i * key_bytes, key_bytes);
        sum += gsi_mix_u128(words[0], words[1]);
    }
    return sum;
}

static void run_workers(const struct split *split, struct gsi_partition_worker **list)
{
    pthread_t threads[THREADS];
    for (uint64_t i = 0; i <= THREADS; i++) {
        prepared[i] = 0;
        list[i] = &workers[i];
        gsi_partition_worker_begin(&workers[i], &prepared[i]);
    }
    if (split->threads == 1) {
        gsi_partition_run(&partition, list[0]);
        return;
    }
    for (uint64_t i = 0; i < split->threads; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, list[i]), 0);
    for (uint64_t i = 0; i < split->threads; i++)
        pthread_join(threads[i], NULL);
}

static void fill(struct test_random *random, const struct split *split)
{
    uint64_t values = test_below(random, 3) == 0 ? 1 + test_below(random, 5) : 0;
    memset(room, 0x5a, sizeof room);
    for (uint64_t i = 0; i < split->count * split->key_bytes / 4; i++) {
        uint32_t word = (uint32_t)(values > 0 ? test_below(random, values) : test_next(random));
        memcpy(room + 4 * i, &word, 4);
    }
}

/* Blocks of low keys, of high ones, and of both. */
static void make_blocks(struct test_random *random, const struct split *split)
{
    uint64_t bytes = split->count * split->key_bytes;
    for (uint64_t at = 0; at + GSI_PARTITION_BLOCK_BYTES <= bytes; at += GSI_PARTITION_BLOCK_BYTES)
        if (test_below(random, 4) > 0)
            memset(room + at, test_below(random, 2) == 0 ? 0 : 0xff, GSI_PARTITION_BLOCK_BYTES);
}

static uint64_t prepared_keys(void)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i <= THREADS; i++)
        all += prepared[i];
    return all;
}

static void check_guard(const struct split *split)
{
    uint64_t word;
    memcpy(&word, room + split->count * split->key_bytes, sizeof word);
    assert_true(word == GUARD);
}

/* The pivot is a key, or beside all of them. */
static void begin(struct test_random *random, const struct split *split)
{
    gsi_u128 pivot = 0;
    if (split->count > 0 && test_below(random, 5) > 0)
        pivot = key_at(split->key_bytes, test_below(random, split->count));
    else if (test_below(random, 2) == 0)
        pivot = ~pivot;
    gsi_partition_begin(&partition, split->key_bytes, room, split->count, &pivot);
    atomic_store(&stop, false);
    stop_at = UINT64_MAX;
}

/* Workers by turns on one thread: while one has taken a block, the next may begin, and ends first.
 */
static struct test_random *turns;
static uint64_t begun;

static void let_next_work(void *context, void *keys, size_t n)
{
    const struct split *split = context;
    (void)keys, (void)n;
    if (begun < split->threads && test_below(turns, 3) == 0) {
        gsi_partition_worker_begin(&workers[begun], context);
        gsi_partition_run(&partition, &workers[begun++]);
    }
}

static void run_by_turns(struct test_random *random, struct split *split,
                         struct gsi_partition_worker **list)
{
    partition.prepare = let_next_work;
    turns = random;
    begun = 1;
    for (uint64_t i = 0; i <= THREADS; i++) {
        list[i] = &workers[i];
        gsi_partition_worker_begin(&workers[i], split);
    }
    gsi_partition_run(&partition, list[0]);
    begun = THREADS;
}

static void check_split(struct test_random *random, struct split *split, bool by_turns)
{
    struct gsi_partition_worker *list[THREADS + 1];
    fill(random, split);
    if (test_below(random, 2) == 0)
        make_blocks(random, split);
    uint64_t sum = sum_of(split->key_bytes, 0, split->count);
    begin(random, split);
    if (by_turns)
        run_by_turns(random, split, list);
    else
        run_workers(split, list);
    uint64_t below = gsi_partition_end(&partition, list, (uint32_t)split->threads, list[THREADS]);
    gsi_u128 pivot = 0;
    memcpy(&pivot, partition.pivot, split->key_bytes);
    for (uint64_t i = 0; i < split->count; i++)
        if ((key_at(split->key_bytes, i) < pivot) != (i < below))
            test_fail("%u-byte keys, %llu, %llu threads: key %llu is on the wrong side of %llu",
                      split->key_bytes, (unsigned long long)split->count,
                      (unsigned long long)split->threads, (unsigned long long)i,
                      (unsigned long long)below);
    assert_true(sum_of(split->key_bytes, 0, split->count) == sum);
    check_guard(split);
}

static void test_partition__any_count_and_threads__keys_are_on_their_sides(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0,
                                      1,
                                      2,
                                      BLOCK_KEYS - 1,
                                      BLOCK_KEYS,
                                      BLOCK_KEYS + 1,
                                      2 * BLOCK_KEYS,
                                      3 * BLOCK_KEYS - 1,
                                      MOST_KEYS / 2};
    struct test_random random = test_random_make(1);
    int rounds = test_is_small() ? 300 : 3000;
    for (int round = 0; round < rounds; round++) {
        struct split split = {.key_bytes = 4u << test_below(&random, 3),
                              .threads = 1 + test_below(&random, THREADS)};
        uint64_t most = MOST_KEYS * 8 / split.key_bytes;
        split.count = round % 3 == 0 ? counts[test_below(&random, 9)] : test_below(&random, most);
        if (round % 2 == 0) /* few blocks, so that each matters */
            split.count = test_below(&random, most / 5);
        check_split(&random, &split, round % 2 == 0);
    }
}

/* Each key once; also those that no block has. */
static void test_partition__keys_that_need_it__are_prepared_once(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (int round = 0; round < 200; round++) {
        struct gsi_partition_worker *list[THREADS + 1];
        struct split split = {.key_bytes = 8,
                              .count = test_below(&random, MOST_KEYS),
                              .threads = 1 + test_below(&random, THREADS)};
        fill(&random, &split);
        uint64_t want = 0;
        for (uint64_t i = 0; i < split.count; i++)
            want += ~(uint64_t)key_at(8, i);
        begin(&random, &split);
        partition.prepare = prepare;
        run_workers(&split, list);
        gsi_partition_end(&partition, list, (uint32_t)split.threads, list[THREADS]);
        assert_true(prepared_keys() == split.count);
        for (uint64_t i = 0; i < split.count; i++)
            want -= (uint64_t)key_at(8, i);
        assert_true(want == 0);
        check_guard(&split);
    }
}

/* A stop loses no keys, and reports which keys were not prepared. */
static void test_partition__stop__leaves_all_keys(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    uint64_t stopped = 0;
    for (int round = 0; round < 300; round++) {
        struct gsi_partition_worker *list[THREADS + 1];
        struct split split = {
            .key_bytes = 8, .count = MOST_KEYS - 5, .threads = 1 + test_below(&random, THREADS)};
        uint64_t first, end;
        fill(&random, &split);
        uint64_t sum = sum_of(8, 0, split.count);
        begin(&random, &split);
        stop_at = test_below(&random, MOST_KEYS / 2);
        partition.prepare = prepare;
        partition.stop = &stop;
        run_workers(&split, list);
        gsi_partition_restore(&partition, list, (uint32_t)split.threads, &first, &end);
        assert_true(prepared_keys() == split.count - (end - first));
        stopped += end - first >= BLOCK_KEYS;
        stop_at = UINT64_MAX;
        prepare(&prepared[0], room, first);
        prepare(&prepared[0], room + end * 8, split.count - end);
        assert_true(sum_of(8, 0, split.count) == sum);
        check_guard(&split);
    }
    assert_true(stopped > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition__any_count_and_threads__keys_are_on_their_sides),
        cmocka_unit_test(test_partition__keys_that_need_it__are_prepared_once),
        cmocka_unit_test(test_partition__stop__leaves_all_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
