/* bench_disk.c: measures a disk's sequential transfers with gsort's own I/O engines.
 *
 * One measurement opens a new unnamed file, allocates it, writes it in blocks, `depth` of them in
 * flight, and syncs; then reads it back in the same way. Direct I/O, so the page cache has no part
 * in it; where the file system refuses that, the cache is dropped before reading. The data is
 * random: disks and file systems may compress. The copy reads one file and writes another at the
 * same time, as each pass of an external sort does; it runs with each engine's best block and depth
 * of writing. */
#include "bench.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "element/key_order.h"
#include "io/engine.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 32
#define BLOCK_MAX ((uint64_t)4 << 20)
static const uint64_t block_sizes[] = {(uint64_t)256 << 10, (uint64_t)1 << 20, BLOCK_MAX};
static const uint32_t depths[] = {1, 4, 8, 16, DEPTH_MAX};
static const enum gsi_io_choice engines[] = {GSI_IO_URING, GSI_IO_THREADS};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define CASES_MAX    (COUNT(engines) * COUNT(block_sizes) * COUNT(depths))

/* One engine, block size and depth. */
struct disk_case {
    enum gsi_io_choice engine;
    uint64_t block_bytes;
    uint32_t depth;
    struct bench_row *write, *read, *copy; /* copy: NULL unless it is measured */
};

struct disk {
    const char *directory;
    uint64_t size_bytes;
    struct gsi_ledger ledger;
    uint8_t *memory; /* DEPTH_MAX blocks of BLOCK_MAX, random */
    bool is_direct;
};

/* ---- one stream of transfers ---- */

/* A lane has one block in flight: a piece is read, written, or read and then written. */
struct lane {
    struct gsi_io io;
    struct stream *stream;
};

struct stream {
    struct gsi_engine *engine;
    int read_fd, write_fd; /* -1: not this time */
    uint64_t block_bytes, next_off, end_off;
    uint32_t busy_count;
    int sys_errno;
    struct lane lanes[DEPTH_MAX];
};

static void lane_start(struct lane *lane, enum gsi_io_op op)
{
    lane->io.op = op;
    lane->io.fd = op == GSI_IO_READ ? lane->stream->read_fd : lane->stream->write_fd;
    gsi_engine_submit(lane->stream->engine, &lane->io);
}

static void lane_next(struct lane *lane)
{
    struct stream *stream = lane->stream;
    if (stream->next_off == stream->end_off || stream->sys_errno != 0)
        return;
    stream->busy_count++;
    lane->io.off = stream->next_off;
    lane->io.bytes = gsi_min_u64(stream->block_bytes, stream->end_off - stream->next_off);
    stream->next_off += lane->io.bytes;
    lane_start(lane, stream->read_fd >= 0 ? GSI_IO_READ : GSI_IO_WRITE);
}

static void lane_done(struct gsi_io *io)
{
    struct lane *lane = GSI_CONTAINER_OF(io, struct lane, io);
    struct stream *stream = lane->stream;
    if (io->moved < io->bytes && stream->sys_errno == 0)
        stream->sys_errno = io->sys_errno != 0 ? io->sys_errno : EIO;
    if (io->op == GSI_IO_READ && stream->write_fd >= 0 && stream->sys_errno == 0) {
        lane_start(lane, GSI_IO_WRITE);
        return;
    }
    stream->busy_count--;
    lane_next(lane);
}

/* Move the whole of one file; *ns includes the sync of what was written. */
static enum gs_status time_stream(const struct disk *disk, const struct disk_case *disk_case,
                                  int read_fd, int write_fd, uint64_t *ns, struct gs_error *error)
{
    struct stream stream = {.read_fd = read_fd,
                            .write_fd = write_fd,
                            .block_bytes = disk_case->block_bytes,
                            .end_off = disk->size_bytes};
    char note[128];
    enum gs_status status = gsi_engine_open(disk_case->engine, disk_case->depth, &stream.engine,
                                            note, sizeof note, error);
    if (status != GS_OK)
        return status;
    uint64_t begin = gsi_clock_ns();
    for (uint32_t l = 0; l < disk_case->depth; l++) {
        stream.lanes[l] = (struct lane){.stream = &stream,
                                        .io = {.data = disk->memory + l * disk_case->block_bytes,
                                               .is_copy = !disk->is_direct,
                                               .done = lane_done}};
        lane_next(&stream.lanes[l]);
    }
    while (stream.busy_count > 0)
        gsi_engine_wait(stream.engine, UINT64_MAX);
    if (write_fd >= 0 && stream.sys_errno == 0 && fdatasync(write_fd) != 0)
        stream.sys_errno = errno;
    *ns = gsi_clock_ns() - begin;
    gsi_engine_close(stream.engine);
    if (stream.sys_errno != 0)
        return gsi_fail(error, gsi_status_of_errno(stream.sys_errno), stream.sys_errno,
                        "'%s': cannot %s a temporary file", disk->directory,
                        write_fd >= 0 ? "write" : "read");
    return GS_OK;
}

/* ---- cases ---- */

static enum gs_status open_file(struct disk *disk, int *fd, struct gs_error *error)
{
    enum gs_status status = gsi_temp_open(disk->directory, fd, &disk->is_direct, error);
    if (status != GS_OK)
        return status;
    if (fallocate(*fd, 0, 0, (off_t)disk->size_bytes) != 0 && errno != EOPNOTSUPP)
        return gsi_fail(error, gsi_status_of_errno(errno), errno,
                        "'%s': cannot allocate a temporary file of %llu bytes", disk->directory,
                        (unsigned long long)disk->size_bytes);
    return GS_OK;
}

/* Writes a new file, reads it back, and copies it to another if the case has a row for that. */
static enum gs_status measure_case(struct disk *disk, const struct disk_case *disk_case,
                                   struct gs_error *error)
{
    int file = -1, copy = -1;
    uint64_t ns;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(open_file(disk, &file, error), done);
    GSI_TRY_OR(time_stream(disk, disk_case, -1, file, &ns, error), done);
    if (disk_case->copy == NULL) {
        bench_row_sample(disk_case->write, disk->size_bytes, ns);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        GSI_TRY_OR(time_stream(disk, disk_case, file, -1, &ns, error), done);
        bench_row_sample(disk_case->read, disk->size_bytes, ns);
    } else {
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        GSI_TRY_OR(open_file(disk, &copy, error), done);
        GSI_TRY_OR(time_stream(disk, disk_case, file, copy, &ns, error), done);
        bench_row_sample(disk_case->copy, disk->size_bytes, ns);
    }
done:
    if (file >= 0)
        close(file);
    if (copy >= 0)
        close(copy);
    return status;
}

static struct bench_row *add_row(struct bench_report *report, const char *name,
                                 const struct disk_case *disk_case)
{
    const char *engine = gsi_engine_find(disk_case->engine)->name;
    return bench_row_add(report, (struct bench_row){.name = name,
                                                    .engine = engine,
                                                    .block_bytes = disk_case->block_bytes,
                                                    .depth = disk_case->depth});
}

/* A machine may refuse an engine: then the report says so. */
static bool has_engine(enum gsi_io_choice choice, struct bench_report *report)
{
    struct gsi_engine *engine;
    struct gs_error refusal = {0};
    if (gsi_engine_open(choice, 1, &engine, NULL, 0, &refusal) != GS_OK) {
        snprintf(report->note, sizeof report->note, "%.*s", (int)sizeof report->note - 1,
                 refusal.text);
        return false;
    }
    gsi_engine_close(engine);
    return true;
}

static enum gs_status measure(struct disk *disk, const struct disk_case *cases, uint32_t case_count,
                              uint32_t repeat_count, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    for (uint32_t repeat = 0; repeat < repeat_count; repeat++) {
        bench_round(repeat, repeat_count);
        for (uint32_t c = 0; c < case_count; c++)
            GSI_TRY_OR(measure_case(disk, &cases[c], error), done);
    }
done:
    bench_round(repeat_count, repeat_count);
    return status;
}

static enum gs_status measure_grid(struct disk *disk, uint32_t repeat_count,
                                   struct bench_report *report, struct gs_error *error)
{
    struct disk_case cases[CASES_MAX];
    uint32_t case_count = 0;
    for (size_t e = 0; e < COUNT(engines); e++)
        for (size_t b = 0; has_engine(engines[e], report) && b < COUNT(block_sizes); b++)
            for (size_t d = 0; d < COUNT(depths); d++)
                cases[case_count++] = (struct disk_case){
                    .engine = engines[e], .block_bytes = block_sizes[b], .depth = depths[d]};
    if (case_count == 0)
        return gsi_fail(error, GS_E_IO, 0, "no I/O engine starts: %s", report->note);
    for (uint32_t c = 0; c < case_count; c++)
        cases[c].write = add_row(report, "write", &cases[c]);
    for (uint32_t c = 0; c < case_count; c++)
        cases[c].read = add_row(report, "read", &cases[c]);
    return measure(disk, cases, case_count, repeat_count, error);
}

static enum gs_status measure_copies(struct disk *disk, uint32_t repeat_count,
                                     struct bench_report *report, struct gs_error *error)
{
    struct disk_case cases[COUNT(engines)];
    uint32_t case_count = 0;
    for (size_t e = 0; e < COUNT(engines); e++) {
        const char *name = gsi_engine_find(engines[e])->name;
        const struct bench_row *best = bench_best(report, "write", name);
        if (best == NULL)
            continue;
        struct disk_case *added = &cases[case_count++];
        *added = (struct disk_case){
            .engine = engines[e], .block_bytes = best->block_bytes, .depth = best->depth};
        added->copy = add_row(report, "copy", added);
    }
    return measure(disk, cases, case_count, repeat_count, error);
}

static void add_ceilings(struct bench_report *report)
{
    const struct bench_row *write = bench_best(report, "write", NULL);
    const struct bench_row *read = bench_best(report, "read", NULL);
    double both = 1 / (1 / bench_row_median(write) + 1 / bench_row_median(read));
    const struct bench_ceiling ceilings[] = {
        {.name = "write", .text = "sequential, synced", .row = write},
        {.name = "read", .text = "sequential", .row = read},
        {.name = "copy",
         .text = "read and write at the same time, synced: one pass of a sort that spills",
         .row = bench_best(report, "copy", NULL)},
        {.name = "read, then write",
         .text = "computed: read once, then write once: a sort that fits in memory",
         .speed = both},
    };
    for (size_t c = 0; c < COUNT(ceilings); c++)
        bench_ceiling_add(report, ceilings[c]);
}

enum gs_status bench_disk(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error)
{
    struct disk disk = {.directory = settings->directory,
                        .size_bytes = settings->size_bytes,
                        .ledger = {.ceiling_bytes = UINT64_MAX}};
    const uint64_t memory_bytes = DEPTH_MAX * BLOCK_MAX;
    uint64_t free_bytes, file_system;
    void *memory = NULL;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_space_free(disk.directory, &free_bytes, &file_system, error), done);
    if (free_bytes / 2 < disk.size_bytes)
        GSI_TRY_OR(gsi_fail_space(error, 0, disk.directory, "the copy",
                                  gsi_mul_max_u64(disk.size_bytes, 2), free_bytes,
                                  "use a smaller --size"),
                   done);
    GSI_TRY_OR(gsi_memory_map(&disk.ledger, GSI_MEMORY_DATA, memory_bytes, &memory, error), done);
    disk.memory = memory;
    for (uint64_t w = 0; w < memory_bytes / sizeof(uint64_t); w++)
        ((uint64_t *)memory)[w] = gsi_mix_u64(w);
    GSI_TRY_OR(measure_grid(&disk, settings->repeat_count, report, error), done);
    GSI_TRY_OR(measure_copies(&disk, settings->repeat_count, report, error), done);
    add_ceilings(report);
    report->directory = disk.directory;
    report->access = disk.is_direct ? "direct" : "buffered";
done:
    if (memory != NULL)
        gsi_memory_unmap(&disk.ledger, GSI_MEMORY_DATA, memory, memory_bytes);
    return status;
}
