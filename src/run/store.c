/* store.c: manages temporary files and the frames in them. */
#include "run/store.h"

#include "base/assert.h"
#include "base/checked.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Number of descriptors that stay unused. */
#define SPARE_DESCRIPTORS 8

/* There is at most one file per this many bytes of spilled data. */
#define FILE_MIN_BYTES GSI_CONSTANT((uint64_t)8 << 20, (uint64_t)64 << 10)

/* Returns the number of files per directory. The kernel assigns the lowest unused descriptor, so a
 * new descriptor is about the number of open ones. */
static uint32_t choose_file_count(size_t directory_count, uint64_t bytes)
{
    struct rlimit limit;
    int fd = open("/", O_PATH | O_CLOEXEC);
    uint64_t most = 1;
    if (fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur > (uint64_t)fd + SPARE_DESCRIPTORS)
        most = (limit.rlim_cur - (uint64_t)fd - SPARE_DESCRIPTORS) / directory_count;
    if (fd >= 0)
        close(fd);
    most = gsi_min_u64(most, bytes / FILE_MIN_BYTES);
    return (uint32_t)gsi_clamp_u64(most, 1, GSI_SPILL_FILES_MAX);
}

static uint64_t *usable_bytes_of(struct gsi_spill_store *store,
                                 const struct gsi_spill_directory *directory)
{
    return &store->directories[directory->limit_idx].usable_bytes;
}

static struct gsi_spill_directory *directory_of(struct gsi_spill_store *store,
                                                const struct gsi_frame_ref *ref)
{
    return &store->directories[store->files[ref->file_idx].directory_idx];
}

static enum gs_status find_file_system(struct gsi_spill_store *store,
                                       struct gsi_spill_directory *directory,
                                       struct gs_error *error)
{
    uint64_t free_bytes;
    enum gs_status status =
        gsi_space_free(directory->path, &free_bytes, &directory->file_system, error);
    if (status != GS_OK)
        return status;
    while (store->directories[directory->limit_idx].file_system != directory->file_system)
        directory->limit_idx++;
    return GS_OK;
}

static enum gs_status open_directory(struct gsi_spill_store *store, uint32_t idx,
                                     struct gs_error *error)
{
    struct gsi_spill_directory *directory = &store->directories[idx];
    for (uint32_t i = 0; i < store->files_per_directory; i++) {
        struct gsi_spill_file *file = &store->files[idx * store->files_per_directory + i];
        GSI_TRY(gsi_temp_open(directory->path, &file->fd, &directory->is_direct, error));
    }
    return find_file_system(store, directory, error);
}

/* Allocates the tables of `count` directories with `parts` files each, and opens no file. */
static enum gs_status make_tables(struct gsi_spill_store *store, const char *const *directories,
                                  size_t count, uint32_t parts, struct gsi_ledger *ledger,
                                  struct gs_error *error)
{
    *store = (struct gsi_spill_store){.ledger = ledger};
    GSI_TRY(GSI_NEW(ledger, store->directories, count, error));
    store->directory_count = (uint32_t)count;
    GSI_TRY(GSI_NEW(ledger, store->files, count * parts, error));
    store->files_per_directory = parts;
    for (uint32_t i = 0; i < count; i++)
        store->directories[i] = (struct gsi_spill_directory){
            .path = directories[i], .file_system = UINT64_MAX, .usable_bytes = UINT64_MAX};
    for (uint32_t i = 0; i < count * parts; i++)
        store->files[i] = (struct gsi_spill_file){.fd = -1, .directory_idx = i / parts};
    return GS_OK;
}

enum gs_status gsi_spill_store_open(struct gsi_spill_store *store, const char *const *directories,
                                    size_t count, uint64_t bytes, struct gsi_ledger *ledger,
                                    struct gs_error *error)
{
    enum gs_status status = GS_OK;
    GSI_TRY_OR(
        make_tables(store, directories, count, choose_file_count(count, bytes), ledger, error),
        fail);
    for (uint32_t i = 0; i < count; i++)
        GSI_TRY_OR(open_directory(store, i, error), fail);
    return GS_OK;
fail:
    gsi_spill_store_close(store);
    return status;
}

enum gs_status gsi_spill_store_open_file(struct gsi_spill_store *store, const char *const *path,
                                         int fd, bool is_direct, uint64_t end,
                                         struct gsi_ledger *ledger, struct gs_error *error)
{
    enum gs_status status = make_tables(store, path, 1, 1, ledger, error);
    if (status != GS_OK) {
        close(fd);
        goto fail;
    }
    store->files[0].fd = fd;
    store->files[0].end = store->files[0].allocated = end;
    store->taken_bytes = store->peak_bytes = end;
    store->directories[0].is_direct = is_direct;
    if (ftruncate(fd, (off_t)end) != 0)
        GSI_TRY_OR(gsi_fail(error, gsi_status_of_errno(errno), errno,
                            "temporary file in '%s': cannot set the size", *path),
                   fail);
    GSI_TRY_OR(find_file_system(store, &store->directories[0], error), fail);
    return GS_OK;
fail:
    gsi_spill_store_close(store);
    return status;
}

void gsi_spill_restore_frame(struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    struct gsi_spill_directory *directory = directory_of(store, ref);
    uint64_t *usable = usable_bytes_of(store, directory);
    store->files[ref->file_idx].live_bytes += ref->bytes;
    *usable -= gsi_min_u64(*usable, ref->bytes);
}

static uint32_t file_count(const struct gsi_spill_store *store)
{
    return store->directory_count * store->files_per_directory;
}

void gsi_spill_store_close(struct gsi_spill_store *store)
{
    for (uint32_t i = 0; i < file_count(store); i++)
        if (store->files[i].fd >= 0)
            close(store->files[i].fd);
    GSI_FREE(store->ledger, store->files, file_count(store));
    GSI_FREE(store->ledger, store->directories, store->directory_count);
    *store = (struct gsi_spill_store){0};
}

void gsi_spill_store_set_limit(struct gsi_spill_store *store, uint64_t file_system, uint64_t bytes)
{
    for (uint32_t i = 0; i < store->directory_count; i++)
        if (store->directories[i].file_system == file_system)
            store->directories[store->directories[i].limit_idx].usable_bytes = bytes;
}

/* Returns the directory that has space for `bytes` and the fewest queued bytes. Directories with
 * equally many are chosen in turn. NULL: no directory has space. */
static struct gsi_spill_directory *choose_directory(struct gsi_spill_store *store, uint64_t bytes)
{
    struct gsi_spill_directory *best = NULL;
    for (uint32_t i = 0; i < store->directory_count; i++) {
        struct gsi_spill_directory *directory =
            &store->directories[(store->next_directory + i) % store->directory_count];
        bool has_space = !directory->is_full && *usable_bytes_of(store, directory) >= bytes;
        if (has_space && (best == NULL || directory->queued_bytes < best->queued_bytes))
            best = directory;
    }
    return best;
}

/* Allocates disk in advance, because direct writes that extend a file wait for each other: on ext4
 * they are half as fast. Returns false if there is not even room for `bytes`. */
static bool allocate_ahead(struct gsi_spill_store *store, struct gsi_spill_file *file,
                           uint64_t bytes, uint64_t ahead)
{
    if (file->end + bytes <= file->allocated)
        return true;
    uint64_t end = file->end + ahead;
    if (gsi_file_allocate(file->fd, file->allocated, end - file->allocated, NULL) != 0) {
        end = file->end + bytes;
        store->refusal = gsi_file_allocate(file->fd, file->allocated, end - file->allocated, NULL);
        if (store->refusal != 0)
            return false;
    }
    store->taken_bytes += end - file->allocated;
    store->peak_bytes = gsi_max_u64(store->peak_bytes, store->taken_bytes);
    file->allocated = end;
    return true;
}

bool gsi_spill_is_direct(const struct gsi_spill_store *store)
{
    for (uint32_t i = 0; i < store->directory_count; i++)
        if (!store->directories[i].is_direct)
            return false;
    for (uint32_t i = 0; i < store->directory_count * store->files_per_directory; i++) {
        const struct gsi_spill_file *file = &store->files[i];
        if (file->fd >= 0 && !gsi_file_is_direct(file->fd))
            return false;
    }
    return true;
}

static enum gs_status fail_disks_full(const struct gsi_spill_store *store, struct gs_error *error)
{
    char names[8192]; /* the error line shows as many names as fit */
    size_t used = 0;
    for (uint32_t i = 0; i < store->directory_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "', '" : "",
                                 store->directories[i].path);
    return gsi_fail_space(error, store->refusal == EFBIG ? EFBIG : ENOSPC, names, "spilling runs",
                          store->taken_bytes, UINT64_MAX, "name another directory with -T");
}

/* Returns how many bytes of a file to allocate in advance: for the run's next frames in this file,
 * as if each had `bytes`. `file` is the index within the directory. */
static uint64_t ahead_bytes(const struct gsi_spill_store *store, uint64_t frame_idx, uint64_t file,
                            uint64_t frame_count, uint64_t bytes)
{
    uint64_t frames_end = gsi_ceil_div_u64((file + 1) * frame_count, store->files_per_directory);
    uint64_t frames = gsi_min_u64(frames_end, frame_count) - frame_idx;
    uint64_t most = gsi_max_u64(1, GSI_SPILL_FRAMES_AHEAD / store->directory_count);
    return gsi_min_u64(gsi_ceil_div_u64(frames, store->directory_count), most) * bytes;
}

enum gs_status gsi_spill_allocate_frame(struct gsi_spill_store *store, uint64_t frame_idx,
                                        uint64_t frame_count, struct gsi_frame_ref *ref,
                                        struct gs_error *error)
{
    struct gsi_spill_directory *directory;
    uint32_t file_in_directory = (uint32_t)(frame_idx * store->files_per_directory / frame_count);
    uint64_t ahead = ahead_bytes(store, frame_idx, file_in_directory, frame_count, ref->bytes);
    while ((directory = choose_directory(store, ref->bytes)) != NULL) {
        uint32_t directory_idx = (uint32_t)(directory - store->directories);
        ref->file_idx = directory_idx * store->files_per_directory + file_in_directory;
        if (allocate_ahead(store, &store->files[ref->file_idx], ref->bytes, ahead))
            break;
        directory->is_full = true;
    }
    if (directory == NULL)
        return fail_disks_full(store, error);
    struct gsi_spill_file *file = &store->files[ref->file_idx];
    ref->off = file->end;
    file->end += ref->bytes;
    file->live_bytes += ref->bytes;
    directory->queued_bytes += ref->bytes;
    *usable_bytes_of(store, directory) -= ref->bytes;
    store->next_directory = (file->directory_idx + 1) % store->directory_count;
    return GS_OK;
}

void gsi_spill_frame_written(struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    directory_of(store, ref)->queued_bytes -= ref->bytes;
}

void gsi_spill_frame_refused(struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    gsi_spill_frame_written(store, ref);
    store->files[ref->file_idx].live_bytes -= ref->bytes;
    directory_of(store, ref)->is_full = true;
}

bool gsi_spill_frame_consumed(struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    struct gsi_spill_file *file = &store->files[ref->file_idx];
    file->live_bytes -= ref->bytes;
    return file->live_bytes == 0;
}

void gsi_spill_punch_hole(const struct gsi_spill_store *store, uint32_t file_idx, uint64_t off,
                          uint64_t bytes)
{
    gsi_file_release(store->files[file_idx].fd, off, bytes);
}

void gsi_spill_frame_released(struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    const struct gsi_spill_directory *released = directory_of(store, ref);
    store->taken_bytes -= ref->bytes;
    *usable_bytes_of(store, released) += ref->bytes;
    for (uint32_t i = 0; i < store->directory_count; i++)
        if (store->directories[i].limit_idx == released->limit_idx)
            store->directories[i].is_full = false;
}

void gsi_spill_trim_files(struct gsi_spill_store *store)
{
    for (uint32_t i = 0; i < file_count(store); i++) {
        struct gsi_spill_file *file = &store->files[i];
        if (file->allocated == file->end || ftruncate(file->fd, (off_t)file->end) != 0)
            continue; /* a failure only wastes disk until the job ends */
        store->taken_bytes -= file->allocated - file->end;
        file->allocated = file->end;
    }
}

enum gs_status gsi_spilled_run_alloc(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                     uint64_t frames, struct gs_error *error)
{
    *run = (struct gsi_spilled_run){.frame_capacity = frames};
    return GSI_NEW(ledger, run->frames, frames, error);
}

enum gs_status gsi_spilled_run_grow(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                    struct gs_error *error)
{
    struct gsi_frame_ref *frames;
    GSI_TRY(GSI_NEW(ledger, frames, 2 * run->frame_capacity, error));
    memcpy(frames, run->frames, run->frame_count * sizeof *run->frames);
    GSI_FREE(ledger, run->frames, run->frame_capacity);
    run->frames = frames;
    run->frame_capacity *= 2;
    return GS_OK;
}

void gsi_spilled_run_append(struct gsi_spilled_run *run, const struct gsi_frame_ref *ref)
{
    GSI_ASSERT(run->frame_count < run->frame_capacity);
    run->frames[run->frame_count++] = *ref;
    run->key_count += ref->count;
    run->bytes += ref->bytes;
}

void gsi_spilled_run_clear(struct gsi_ledger *ledger, struct gsi_spilled_run *run)
{
    GSI_FREE(ledger, run->frames, run->frame_capacity);
    *run = (struct gsi_spilled_run){0};
}

/* POSIX_FADV_DONTNEED starts writing dirty pages and drops clean ones. A failure only wastes page
 * cache. */
void gsi_spill_drop_cache(const struct gsi_io *io)
{
    if (io->is_copy)
        posix_fadvise(io->fd, (off_t)io->off, (off_t)io->bytes, POSIX_FADV_DONTNEED);
}
