/* bench_raw.h: plain passes over a file, the ceilings of a sort: direct where the file system
 * allows it, 2 MiB blocks, 16 in flight, through gsort's own I/O engine. */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "base/status.h"
#include "io/engine.h"

#define BENCH_RAW_BLOCK_BYTES ((uint64_t)2 << 20)
#define BENCH_RAW_DEPTH       16u

struct bench_raw {
    const char *directory;
    struct gsi_engine *engine;
    uint8_t *blocks; /* BENCH_RAW_DEPTH of them */
    bool is_direct;  /* of the file created last */
};

enum gs_status bench_raw_open(struct bench_raw *raw, const char *directory, struct gs_error *error);
void bench_raw_close(struct bench_raw *raw); /* also zeroed and half-open ones */

/* bench_raw_create: a file without a name, not written yet. *fd is -1 after a failure. */
enum gs_status bench_raw_create(struct bench_raw *raw, int *fd, struct gs_error *error);

/* Records whose first `shared_bytes`, 16 at most, are equal in groups of `group_records` of them,
 * which lie anywhere. record_bytes 0: no such thing. */
struct bench_fill {
    uint32_t record_bytes, shared_bytes;
    uint64_t group_records;
    uint64_t seed; /* files with different ones hold different data */
};

/* bench_raw_fill: bytes [from, to) of a file become new random data: the mix of their own word
 * numbers, seeded, uniform, not compressible; then `fill` (groups are of the whole file, which has
 * `to` bytes). */
enum gs_status bench_raw_fill(struct bench_raw *raw, int fd, const struct bench_fill *fill,
                              uint64_t from, uint64_t to, struct gs_error *error);

/* bench_raw_read: all of `bytes` once, out of the page cache. bench_raw_write: a new file of as
 * many, allocated before the clock runs, and synced within it. */
enum gs_status bench_raw_read(struct bench_raw *raw, int fd, uint64_t bytes, uint64_t *ns,
                              struct gs_error *error);
enum gs_status bench_raw_write(struct bench_raw *raw, uint64_t bytes, uint64_t *ns,
                               struct gs_error *error);

#endif
