/* bench_raw.h: makes plain passes over a file, which are the ceilings of a sort. They use gsort's
 * I/O engine, blocks of 2 MiB, 16 in flight, and direct I/O if the file system allows it. A bench
 * that compares with them calls bench_raw_rows_add once, bench_raw_measure in each round, and then
 * bench_raw_ceiling_add. */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "bench.h"

#include "io/engine.h"

#define BENCH_RAW_BLOCK_BYTES ((uint64_t)2 << 20)
#define BENCH_RAW_DEPTH       16u

struct bench_raw {
    const char *directory;
    struct gsi_engine *engine;
    uint8_t *blocks; /* BENCH_RAW_DEPTH of them */
    bool is_direct;  /* of the file created last */
    struct bench_row *read, *write;
    uint64_t read_ns, write_ns; /* of the last round */
};

enum gs_status bench_raw_open(struct bench_raw *raw, const char *directory, struct gs_error *error);
void bench_raw_close(struct bench_raw *raw); /* also zeroed and half-open ones */

/* bench_raw_create: makes an empty file without a name. *fd is -1 after a failure. */
enum gs_status bench_raw_create(struct bench_raw *raw, int *fd, struct gs_error *error);

/* The data of a file. With record_bytes, the first `shared_bytes` (at most 16) of records are equal
 * in groups of `group_records` records, which are anywhere. */
struct bench_fill {
    uint32_t record_bytes, shared_bytes;
    uint64_t group_records;
    uint64_t seed; /* files with different ones hold different data */
    /* Word i of a file of n; NULL: a mix of its number. */
    uint64_t (*make)(uint64_t i, uint64_t n);
};

/* bench_raw_fill: fills bytes [from, to) of a file with random data, which are uniform and not
 * compressible: mixes of word numbers and a seed. Then `fill` changes them. Groups are drawn
 * over the whole file, so `to` must be its length. */
enum gs_status bench_raw_fill(struct bench_raw *raw, int fd, const struct bench_fill *fill,
                              uint64_t from, uint64_t to, struct gs_error *error);

/* bench_raw_rows_add: adds the rows "read" and "write", and where and how files are accessed. Call
 * it after a bench_raw_create. */
void bench_raw_rows_add(struct bench_raw *raw, struct bench_report *report);

/* bench_raw_measure: adds a sample to both rows. It reads `bytes` once, past the page cache. Then
 * it writes a new file of as many bytes, which it allocates before the clock starts, and syncs
 * before the clock stops. */
enum gs_status bench_raw_measure(struct bench_raw *raw, int fd, uint64_t bytes,
                                 struct gs_error *error);

/* bench_raw_ceiling_add: adds the time of reading once and writing once, or of both twice, computed
 * from the rows. */
void bench_raw_ceiling_add(const struct bench_raw *raw, struct bench_report *report,
                           const char *name, bool is_twice);

#endif
