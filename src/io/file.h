/* file.h: opens, reads and writes the files of the pipeline: inputs, outputs that appear whole or
 * not at all, and temporary files that have no name. Every descriptor is O_CLOEXEC.
 *
 * Direct I/O is used if file system and alignment allow it (STATX_DIOALIGN, else by trying). A
 * refusal is silent: `direct_fd` is -1 then. A direct transfer needs memory, offset and length at
 * multiples of GSI_DIRECT_ALIGN, except for a read that ends at the end of the file. */
#ifndef GSI_FILE_H
#define GSI_FILE_H

#include "base/status.h"

#include <limits.h>

#define GSI_DIRECT_ALIGN 4096u

/* The descriptor of an array, which is neither file nor stream (array.h). */
#define GSI_FD_NO_FILE INT_MIN

struct gsi_array;

/* gsi_fd_is_callback: returns whether a descriptor stands for callbacks (callback.h); -1 is none. */
static inline bool gsi_fd_is_callback(int fd)
{
    return fd < -1 && fd != GSI_FD_NO_FILE;
}

/* How a file stores its data. */
enum gsi_coding { GSI_CODING_NONE, GSI_CODING_ZSTD };

struct gsi_input {
    const char *path; /* borrowed; "-" is stdin */
    const char *name; /* for messages: path or "standard input" */
    int fd;
    int direct_fd;           /* -1: only buffered */
    bool is_direct;          /* reads may be direct; direct_fd is open whenever fd is */
    bool is_device : 1;      /* a block device: its times are not those of its content */
    bool is_temporary : 1;   /* its disk is released as it is read */
    bool is_copy : 1;        /* gsi_input_replace made a file of a stream */
    bool is_stream;          /* no size, no offsets: read in order until it ends */
    bool is_sniffed;         /* its format was detected (input/sniff.h): */
    enum gsi_coding coding;  /* compressed data are read in order until they end, like streams */
    uint64_t base_off;       /* where reading begins (stdin may have been read from) */
    uint64_t bytes;          /* from base_off to the end; UINT64_MAX for streams, except those of
                              * known size (promised_bytes) */
    uint64_t passed_bytes;   /* data before base_off that are not read (input/inputs.h) */
    uint64_t window_bytes;   /* compressed: how far decompression refers back, as the header says */
    uint64_t file_bytes;     /* as stored; UINT64_MAX for streams */
    uint64_t promised_bytes; /* of a stream: as stored; 0: unknown */
    uint64_t skip_bytes;     /* of a stream: bytes before the data; reduced as they are read */
    uint64_t expected_bytes; /* of data; UINT64_MAX: unknown */
    uint8_t *head;           /* of a stream: already read, to be used first; from malloc */
    size_t head_bytes, head_off;
    int64_t mtime_ns, ctime_ns;
    uint64_t device_id, inode;
    const struct gsi_array *array; /* the array that this input is (array.h); NULL: a file */
};

/* gsi_input_open: opens a regular file, block device, pipe or terminal. It does not wait for the
 * writer of a FIFO; the first read does. A regular file whose size is unknown (/proc, /sys) is a
 * stream; bytes read from it to find that out are its head.
 * fails GS_E_INPUT: missing, unreadable, a directory, not readable as data */
enum gs_status gsi_input_open(const char *path, struct gsi_input *input, struct gs_error *error);
void gsi_input_close(struct gsi_input *input); /* also accepts zeroed and half-open ones */

/* gsi_input_disable_direct: disables direct reads from now on. */
void gsi_input_disable_direct(struct gsi_input *input);

/* gsi_input_skip: moves the beginning of the data by `bytes`. Only the head may have been read.
 * fails GS_E_INPUT: a file that has fewer */
enum gs_status gsi_input_skip(struct gsi_input *input, uint64_t bytes, struct gs_error *error);

/* gsi_input_close_for_now: closes the descriptors of a named regular file until gsi_input_reopen.
 * So any number of inputs needs only few descriptors. Other inputs stay open. Nothing may be in
 * flight. */
void gsi_input_close_for_now(struct gsi_input *input);

/* gsi_input_reopen: opens an input again that was closed for now; does nothing for others.
 * fails GS_E_INPUT: it is gone, or not the same file with the same size and time of change */
enum gs_status gsi_input_reopen(struct gsi_input *input, struct gs_error *error);

/* gsi_input_replace: replaces a stream by the file `fd`, which contains everything that the
 * stream returned, except its header. The input owns `fd` from now on.
 * in    bytes: size of the data in it */
void gsi_input_replace(struct gsi_input *input, int fd, uint64_t bytes);

/* gsi_input_read: reads `bytes` of data from data byte `off` on, and waits for them. The file must
 * be open.
 * fails GS_E_IO; as gsi_input_fail_short */
enum gs_status gsi_input_read(const struct gsi_input *input, void *data, uint64_t bytes,
                              uint64_t off, struct gs_error *error);

/* gsi_input_fail_short: fails: the input has fewer bytes than it had.
 * fails GS_E_INPUT; GS_E_CORRUPT: it is a copy of a stream */
enum gs_status gsi_input_fail_short(const struct gsi_input *input, struct gs_error *error);

/* gsi_input_is_cached: returns whether most of the file is in the page cache: then buffered reads
 * are faster than the disk. Uses cachestat(2) (Linux 6.5); returns false if the kernel does not
 * say. */
bool gsi_input_is_cached(const struct gsi_input *input);

enum gsi_output_kind {
    GSI_OUTPUT_ATOMIC, /* regular file: written under no name or a temporary one, then renamed */
    GSI_OUTPUT_SHARED, /* a regular file opened by the caller (stdout, /dev/fd/3): written at its
                        * position */
    GSI_OUTPUT_PART,   /* a part of a regular file to which others write, too (output_part.c) */
    GSI_OUTPUT_STREAM, /* pipe, terminal, device: written in place, in order */
    GSI_OUTPUT_ARRAY,  /* memory of the program (array.h) */
};

struct gsi_bytes { /* from malloc; NULL: none */
    uint8_t *data;
    size_t count;
};

struct gsi_output {
    enum gsi_output_kind kind;
    const char *path; /* borrowed; NULL: a given descriptor */
    const char *name; /* for messages */
    int fd, direct_fd, dir_fd;
    uint64_t base_off;  /* offset of the first byte; for a GSI_OUTPUT_PART, after the header, which
                         * every process writes at 0 */
    uint64_t allocated; /* bytes of disk allocated in advance */
    bool is_placed;     /* it has replaced the target, or is complete in its own place */
    char *directory;    /* of the target, resolved; for space checks and temp files */
    char *target_name;  /* last component, after following symbolic links */
    char temp_name[64]; /* empty: unnamed */
    int kept_dir_fd;    /* directory of temp_name, which is not removed: borrowed; -1: it is in
                         * `directory` */
    /* Permissions, used if there is no target to copy them from. */
    uint32_t new_mode;
    struct gsi_bytes new_acl; /* from the directory's default; none: only the mode applies */
    struct gsi_array *array;  /* GSI_OUTPUT_ARRAY */
};

/* gsi_output_open: checks before any work is done whether the output can be written.
 * If `path` is NULL or "-", or leads to a descriptor that this program was given (/dev/stdout,
 * /dev/fd/3), the output is that descriptor. Any other symbolic link is followed: the file that it
 * names is replaced, not the link. An existing regular file keeps its mode or ACL (and owner, if
 * allowed) and the user's attributes. A new one gets 0666 less the umask, or the permissions of the
 * directory's default ACL.
 * fails GS_E_IO: no directory, no permission, the name is a directory; GS_E_USAGE: an empty name */
enum gs_status gsi_output_open(const char *path, struct gsi_output *output, struct gs_error *error);

/* gsi_output_connect: tries again to open a FIFO. gsi_output_open does not wait for a reader, so a
 * FIFO without a reader has no output->fd after it. `waits`: wait for a reader.
 * fails GS_E_IO */
enum gs_status gsi_output_connect(struct gsi_output *output, bool waits, struct gs_error *error);

/* gsi_output_open_part: opens `path`, a file of `file_bytes`, to write in it from `off` on. Sets
 * its length if it does not exist or is empty. Several processes may do so at once, and each finds
 * the file of the first.
 * fails GS_E_USAGE: it has another length, is no regular file, or has an empty name; GS_E_SPACE: no
 *       room for it; GS_E_IO */
enum gs_status gsi_output_open_part(const char *path, uint64_t off, uint64_t file_bytes,
                                    struct gsi_output *output, struct gs_error *error);

/* gsi_output_locate: determines kind and directory as gsi_output_open does, without opening
 * anything. Treats standard output as a stream. Close the output all the same. */
enum gs_status gsi_output_locate(const char *path, struct gsi_output *output,
                                 struct gs_error *error);

/* gsi_output_reserve: allocates `bytes` on disk now, if the file system can.
 * fails GS_E_SPACE if there is no room */
enum gs_status gsi_output_reserve(struct gsi_output *output, uint64_t bytes,
                                  struct gs_error *error);

/* gsi_output_check_room: checks whether `bytes` of a file would have room now; allocates nothing.
 * gsi_output_fail_room: fails: the output cannot hold `bytes`, for the reason `refusal`, an errno
 * value.
 * fails GS_E_SPACE, GS_E_IO */
enum gs_status gsi_output_check_room(const struct gsi_output *output, uint64_t bytes,
                                     struct gs_error *error);
enum gs_status gsi_output_fail_room(const struct gsi_output *output, int refusal, uint64_t bytes,
                                    struct gs_error *error);

/* gsi_output_is_in_memory: returns whether the output is a GSI_OUTPUT_ATOMIC in a file system of
 * memory (tmpfs). */
bool gsi_output_is_in_memory(const struct gsi_output *output);

/* gsi_output_extend: allocates disk for the first `end` bytes of a GSI_OUTPUT_ATOMIC. If some of
 * them are not allocated yet, it allocates `step` bytes more than before, but none after `total`,
 * and at least `end`. A failure is noticed only when the bytes are written. */
void gsi_output_extend(struct gsi_output *output, uint64_t end, uint64_t step, uint64_t total);

/* gsi_output_redirect: redirects a GSI_OUTPUT_ATOMIC, to which nothing was written yet, to the file
 * `name` of directory `dir_fd`. The file stays, even if the output is not committed.
 * in    fd: that file, owned by the output from now on
 * fails GS_E_USAGE: it is not in the target's file system */
enum gs_status gsi_output_redirect(struct gsi_output *output, int dir_fd, const char *name, int fd,
                                   struct gs_error *error);

/* gsi_output_seal: sets the length, permissions and owner of a GSI_OUTPUT_ATOMIC, and syncs it.
 * Commit then only has to move it to its place. A second call changes nothing, not even the time of
 * modification. */
enum gs_status gsi_output_seal(const struct gsi_output *output, uint64_t bytes,
                               struct gs_error *error);

/* gsi_output_reread: opens the written data of a GSI_OUTPUT_ATOMIC or _PART, from byte `off` of the
 * file on, as an input of `bytes`, before the commit. The data are synced first and, if the file
 * system can, dropped from the cache. Close the input before the output.
 * fails GS_E_IO, GS_E_SPACE: it cannot be synced */
enum gs_status gsi_output_reread(const struct gsi_output *output, uint64_t off, uint64_t bytes,
                                 struct gsi_input *input, struct gs_error *error);

/* gsi_output_commit: cuts the file to `bytes`, syncs it, replaces the target with it and syncs the
 * directory. The position of a GSI_OUTPUT_SHARED moves to the end of the data. Shared files and
 * streams are closed; a block device and the file of a place are synced.
 * fails GS_E_IO, GS_E_SPACE; the old target then still exists */
enum gs_status gsi_output_commit(struct gsi_output *output, uint64_t bytes, struct gs_error *error);

/* gsi_output_ensure_name: ensures that the file has a name in the target's directory, at least a temporary
 * one.
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_output_ensure_name(struct gsi_output *output, struct gs_error *error);

/* gsi_output_rename: performs one part of a commit, after gsi_output_seal: the file replaces the
 * target.
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_output_rename(struct gsi_output *output, struct gs_error *error);

/* gsi_output_sync_dir: syncs the names in its directory; a part of commit.
 * fails GS_E_IO */
enum gs_status gsi_output_sync_dir(const struct gsi_output *output, struct gs_error *error);

/* gsi_output_close: frees the output; an uncommitted GSI_OUTPUT_ATOMIC leaves no files. */
void gsi_output_close(struct gsi_output *output);

/* gsi_temp_directory: returns the directory for temporary files that have no output beside them, if
 * none was named: $TMPDIR, else /tmp. */
const char *gsi_temp_directory(void);

/* gsi_temp_check: checks whether files can be created in `directory`, judged by permissions.
 * fails GS_E_IO */
enum gs_status gsi_temp_check(const char *directory, struct gs_error *error);

/* gsi_temp_open: opens an unnamed file, mode 0600, in `directory`. Sets *is_direct to whether *fd
 * does direct I/O. */
enum gs_status gsi_temp_open(const char *directory, int *fd, bool *is_direct,
                             struct gs_error *error);

/* gsi_file_is_direct: returns whether a descriptor still does direct I/O (engine.h). */
bool gsi_file_is_direct(int fd);

/* gsi_file_disable_direct: switches a descriptor to buffered I/O. */
void gsi_file_disable_direct(int fd);

/* gsi_file_read: reads `bytes` from `off` on; fewer only at the end of the file. Returns the bytes
 * read, or -1 with errno set. */
int64_t gsi_file_read(int fd, void *data, uint64_t bytes, uint64_t off);

/* gsi_file_write: writes all `bytes`. Returns 0, or an errno value. */
int gsi_file_write(int fd, const void *data, uint64_t bytes, uint64_t off);

/* gsi_file_allocate: allocates disk for a part of a file, and extends the file if necessary. Writes
 * that need not extend a file run concurrently (4 GiB by 1 MiB at depth 16, ext4, Linux 6.18: 2.5
 * GB/s, and 1.2 without). Returns 0: done, or impossible; ENOSPC, EDQUOT, EFBIG: no room.
 * out   is_allocated: it could, and did; NULL: not asked for */
int gsi_file_allocate(int fd, uint64_t off, uint64_t bytes, bool *is_allocated);

/* gsi_file_release: releases the disk of a part of a file, if the file system can. Any thread. */
void gsi_file_release(int fd, uint64_t off, uint64_t bytes);

/* gsi_space_free: returns the bytes that an ordinary user may still write in the directory's file
 * system. Also returns an id that is equal for directories that share one. */
enum gs_status gsi_space_free(const char *directory, uint64_t *bytes, uint64_t *file_system,
                              struct gs_error *error);

#endif
