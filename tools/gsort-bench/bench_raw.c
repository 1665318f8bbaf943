/* bench_raw.c: reads and writes blocks in several lanes, each with one transfer in flight. */
#include "bench_raw.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "element/key_order.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BLOCKS_BYTES (BENCH_RAW_DEPTH * BENCH_RAW_BLOCK_BYTES)

struct lane {
    struct gsi_io io;
    struct pass *pass;
};

struct pass {
    struct bench_raw *raw;
    const struct bench_fill *fill; /* new data in each block that is written; NULL: none */
    uint64_t next_off, end_off;
    uint32_t busy_count;
    int sys_errno;
    struct lane lanes[BENCH_RAW_DEPTH];
};

enum gs_status bench_raw_open(struct bench_raw *raw, const char *directory, struct gs_error *error)
{
    char engine_note[128];
    void *blocks;
    *raw = (struct bench_raw){.directory = directory};
    GSI_TRY(gsi_engine_open(GSI_IO_AUTO, BENCH_RAW_DEPTH, &raw->engine, engine_note,
                            sizeof engine_note, error));
    GSI_TRY(gsi_memory_map(NULL, GSI_MEMORY_DATA, BLOCKS_BYTES, &blocks, error));
    raw->blocks = blocks;
    return GS_OK;
}

void bench_raw_close(struct bench_raw *raw)
{
    gsi_memory_unmap(NULL, GSI_MEMORY_DATA, raw->blocks, BLOCKS_BYTES);
    gsi_engine_close(raw->engine);
    *raw = (struct bench_raw){0};
}

static void fill_block(const struct pass *pass, uint64_t *words, uint64_t off, uint64_t bytes)
{
    const struct bench_fill *fill = pass->fill;
    uint64_t first = off / sizeof *words, count = pass->end_off / sizeof *words;
    for (uint64_t w = 0; w < bytes / sizeof *words; w++)
        words[w] =
            fill->make != NULL ? fill->make(first + w, count) : gsi_mix_u64(fill->seed + first + w);
}

/* Records may begin and end in other blocks. */
static void group_block(const struct pass *pass, uint8_t *block, uint64_t off, uint64_t bytes)
{
    const struct bench_fill *fill = pass->fill;
    uint64_t record_bytes = fill->record_bytes, end = off + bytes;
    uint64_t groups = gsi_max_u64(1, pass->end_off / record_bytes / fill->group_records);
    for (uint64_t r = off / record_bytes; r * record_bytes < end; r++) {
        uint64_t group = gsi_mix_u64(~r) % groups;
        uint64_t shared[2] = {gsi_mix_u64(group), gsi_mix_u64(groups + group)};
        for (uint64_t b = 0; b < fill->shared_bytes; b++)
            if (r * record_bytes + b >= off && r * record_bytes + b < end)
                block[r * record_bytes + b - off] = ((const uint8_t *)shared)[b];
    }
}

static void lane_next(struct lane *lane)
{
    struct pass *pass = lane->pass;
    if (pass->next_off == pass->end_off || pass->sys_errno != 0)
        return;
    pass->busy_count++;
    lane->io.off = pass->next_off;
    lane->io.bytes = gsi_min_u64(BENCH_RAW_BLOCK_BYTES, pass->end_off - pass->next_off);
    pass->next_off += lane->io.bytes;
    if (pass->fill != NULL)
        fill_block(pass, lane->io.data, lane->io.off, lane->io.bytes);
    if (pass->fill != NULL && pass->fill->record_bytes > 0)
        group_block(pass, lane->io.data, lane->io.off, lane->io.bytes);
    gsi_engine_submit(pass->raw->engine, &lane->io);
}

static void lane_done(struct gsi_io *io)
{
    struct lane *lane = GSI_CONTAINER_OF(io, struct lane, io);
    struct pass *pass = lane->pass;
    if (io->moved < io->bytes && pass->sys_errno == 0)
        pass->sys_errno = io->sys_errno != 0 ? io->sys_errno : EIO;
    pass->busy_count--;
    lane_next(lane);
}

/* *ns includes the sync of what was written. */
static enum gs_status run_pass(struct pass *pass, enum gsi_io_op op, int fd, uint64_t *ns,
                               struct gs_error *error)
{
    struct bench_raw *raw = pass->raw;
    uint64_t begin = gsi_clock_ns();
    for (uint32_t l = 0; l < BENCH_RAW_DEPTH; l++) {
        pass->lanes[l] = (struct lane){.pass = pass,
                                       .io = {.op = op,
                                              .fd = fd,
                                              .data = raw->blocks + l * BENCH_RAW_BLOCK_BYTES,
                                              .is_copy = !raw->is_direct,
                                              .done = lane_done}};
        lane_next(&pass->lanes[l]);
    }
    while (pass->busy_count > 0)
        gsi_engine_wait(raw->engine, UINT64_MAX);
    if (op == GSI_IO_WRITE && pass->sys_errno == 0 && fdatasync(fd) != 0)
        pass->sys_errno = errno;
    *ns = gsi_clock_ns() - begin;
    if (pass->sys_errno != 0)
        return gsi_fail(error, gsi_status_of_errno(pass->sys_errno), pass->sys_errno,
                        "'%s': cannot %s a temporary file", raw->directory,
                        op == GSI_IO_WRITE ? "write" : "read");
    return GS_OK;
}

enum gs_status bench_raw_create(struct bench_raw *raw, int *fd, struct gs_error *error)
{
    return gsi_temp_open(raw->directory, fd, &raw->is_direct, error);
}

static enum gs_status allocate(const struct bench_raw *raw, int fd, uint64_t from, uint64_t to,
                               struct gs_error *error)
{
    if (fallocate(fd, 0, (off_t)from, (off_t)(to - from)) == 0 || errno == EOPNOTSUPP)
        return GS_OK;
    return gsi_fail(error, gsi_status_of_errno(errno), errno,
                    "'%s': cannot allocate a temporary file of %llu bytes", raw->directory,
                    (unsigned long long)to);
}

enum gs_status bench_raw_fill(struct bench_raw *raw, int fd, const struct bench_fill *fill,
                              uint64_t from, uint64_t to, struct gs_error *error)
{
    uint64_t ns;
    struct pass pass = {.raw = raw, .fill = fill, .next_off = from, .end_off = to};
    enum gs_status status = allocate(raw, fd, from, to, error);
    return status != GS_OK ? status : run_pass(&pass, GSI_IO_WRITE, fd, &ns, error);
}

static enum gs_status read_file(struct bench_raw *raw, int fd, uint64_t bytes,
                                struct gs_error *error)
{
    struct pass pass = {.raw = raw, .end_off = bytes};
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return run_pass(&pass, GSI_IO_READ, fd, &raw->read_ns, error);
}

static enum gs_status write_file(struct bench_raw *raw, uint64_t bytes, struct gs_error *error)
{
    int fd = -1;
    struct pass pass = {.raw = raw, .end_off = bytes};
    enum gs_status status = bench_raw_create(raw, &fd, error);
    if (status == GS_OK)
        status = allocate(raw, fd, 0, bytes, error);
    if (status == GS_OK)
        status = run_pass(&pass, GSI_IO_WRITE, fd, &raw->write_ns, error);
    if (fd >= 0)
        close(fd);
    return status;
}

/* ---- the rows of a report ---- */

void bench_raw_rows_add(struct bench_raw *raw, struct bench_report *report)
{
    struct bench_row row = {.engine = raw->engine->ops->name,
                            .block_bytes = BENCH_RAW_BLOCK_BYTES,
                            .depth = BENCH_RAW_DEPTH};
    row.name = "read";
    raw->read = bench_row_add(report, row);
    row.name = "write";
    raw->write = bench_row_add(report, row);
    report->directory = raw->directory;
    report->access = raw->is_direct ? "direct" : "buffered";
}

enum gs_status bench_raw_measure(struct bench_raw *raw, int fd, uint64_t bytes,
                                 struct gs_error *error)
{
    GSI_TRY(read_file(raw, fd, bytes, error));
    GSI_TRY(write_file(raw, bytes, error));
    bench_row_sample(raw->read, bytes, raw->read_ns);
    bench_row_sample(raw->write, bytes, raw->write_ns);
    return GS_OK;
}

void bench_raw_ceiling_add(const struct bench_raw *raw, struct bench_report *report,
                           const char *name, bool is_twice)
{
    double once = 1 / (1 / bench_row_median(raw->read) + 1 / bench_row_median(raw->write));
    bench_ceiling_add(
        report, (struct bench_ceiling){.name = name,
                                       .text = is_twice ? "computed: read twice and write twice"
                                                        : "computed: read once, then write once",
                                       .speed = is_twice ? once / 2 : once});
}
