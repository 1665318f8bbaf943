/* file.h: opens, reads and writes files: inputs, outputs that appear whole or not at all, and
 * temporary files without names. All descriptors have O_CLOEXEC.
 *
 * Files are opened a second time for direct I/O (direct_fd). If the file system does not support
 * that, direct_fd is -1. Memory, offset and length of a direct transfer must be multiples of
 * GSI_DIRECT_ALIGN. Only the length of a read up to the end of the file need not be. */
#ifndef GSI_FILE_H
#define GSI_FILE_H

#include "base/status.h"

#include <limits.h>

#define GSI_DIRECT_ALIGN 4096u

/* Takes the place of a descriptor in inputs and outputs that are arrays (array.h). */
#define GSI_FD_NO_FILE INT_MIN

struct gsi_array;

/* gsi_fd_is_callback: returns whether a number is not a descriptor, but stands for a callback
 * (callback.h). */
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
    int direct_fd;           /* the same file with O_DIRECT; -1: not possible */
    bool is_direct;          /* reads may be direct: direct_fd is open whenever fd is open */
    bool is_device : 1;      /* a block device: mtime does not tell whether its data changed */
    bool is_temporary : 1;   /* its disk space is released while it is read */
    bool is_copy : 1;        /* gsi_input_replace replaced a stream by a file */
    bool is_stream;          /* it is read in order until it ends, without offsets */
    bool is_sniffed;         /* its format was detected (input/sniff.h) */
    enum gsi_coding coding;  /* compressed files are read as streams */
    uint64_t base_off;       /* offset of the first data byte in the file */
    uint64_t bytes;          /* from base_off to the end; UINT64_MAX: a stream of unknown size */
    uint64_t passed_bytes;   /* bytes of elements before base_off that --range skips */
    uint64_t window_bytes;   /* compressed: the window size in the zstd header */
    uint64_t file_bytes;     /* size of the file; UINT64_MAX: a stream */
    uint64_t promised_bytes; /* size of a stream if the program told it; 0: unknown */
    uint64_t skip_bytes;     /* of a stream: header bytes that were not read yet */
    uint64_t expected_bytes; /* bytes of data according to the header; UINT64_MAX: unknown */
    uint8_t *head;           /* of a stream: first bytes, which were read to inspect it; from
                              * malloc */
    size_t head_bytes, head_off;
    int64_t mtime_ns, ctime_ns;
    uint64_t device_id, inode;
    const struct gsi_array *array; /* the array that this input is (array.h); NULL: a file */
};

/* gsi_input_open: opens a regular file, block device, pipe or terminal. It does not wait for the
 * writer of a FIFO; the first read waits. Regular files of unknown size (/proc, /sys) are streams.
 * The function may read their first bytes into input->head.
 * fails GS_E_INPUT: missing, unreadable, a directory, not readable as data */
enum gs_status gsi_input_open(const char *path, struct gsi_input *input, struct gs_error *error);
void gsi_input_close(struct gsi_input *input); /* accepts zeroed inputs */

/* gsi_input_disable_direct: disables direct reads from now on. */
void gsi_input_disable_direct(struct gsi_input *input);

/* gsi_input_skip: skips the first `bytes` of an input from which nothing but its head was read.
 * fails GS_E_INPUT: the file is shorter */
enum gs_status gsi_input_skip(struct gsi_input *input, uint64_t bytes, struct gs_error *error);

/* gsi_input_close_for_now: closes the descriptors of a regular file until gsi_input_reopen. So a
 * job can have more inputs than descriptors. Other kinds of inputs stay open. No transfer may be in
 * progress. */
void gsi_input_close_for_now(struct gsi_input *input);

/* gsi_input_reopen: opens an input again after gsi_input_close_for_now; does nothing if it is open.
 * fails GS_E_INPUT: the file is missing, replaced or changed */
enum gs_status gsi_input_reopen(struct gsi_input *input, struct gs_error *error);

/* gsi_input_replace: replaces a stream by the file `fd`, which has all data of the stream except
 * its header. The input owns `fd`.
 * in    bytes: size of the data */
void gsi_input_replace(struct gsi_input *input, int fd, uint64_t bytes);

/* gsi_input_read: reads `bytes` from byte `off` of the data on; blocks. The file must be open.
 * fails GS_E_IO; as gsi_input_fail_short */
enum gs_status gsi_input_read(const struct gsi_input *input, void *data, uint64_t bytes,
                              uint64_t off, struct gs_error *error);

/* gsi_input_fail_short: always fails: the file is shorter than it was when it was opened.
 * fails GS_E_INPUT; GS_E_CORRUPT: the file is gsort's copy of a stream */
enum gs_status gsi_input_fail_short(const struct gsi_input *input, struct gs_error *error);

/* gsi_input_is_cached: returns whether more than half of the file is in the page cache. Then
 * buffered reads are faster than direct reads. Needs cachestat(2) (Linux 6.5); without it, returns
 * false. */
bool gsi_input_is_cached(const struct gsi_input *input);

enum gsi_output_kind {
    GSI_OUTPUT_ATOMIC, /* a regular file that gets its name only at the commit */
    GSI_OUTPUT_SHARED, /* a regular file that another program opened (stdout, /dev/fd/3): written at
                        * its position */
    GSI_OUTPUT_PART,   /* a part of a regular file to which others write, too (output_part.c) */
    GSI_OUTPUT_STREAM, /* a pipe, terminal or device: written in place, in order */
    GSI_OUTPUT_ARRAY,  /* memory of the program (array.h) */
};

struct gsi_bytes { /* memory from malloc; NULL: none */
    uint8_t *data;
    size_t count;
};

struct gsi_output {
    enum gsi_output_kind kind;
    const char *path; /* borrowed; NULL: the output is a descriptor that the program was given */
    const char *name; /* for messages */
    int fd, direct_fd, dir_fd;
    uint64_t base_off;  /* offset of the first byte; of a GSI_OUTPUT_PART: after the header, which
                         * each process writes at 0 */
    uint64_t allocated; /* bytes of disk allocated in advance */
    bool is_placed;     /* it is committed */
    char *directory;    /* resolved directory of the target */
    char *target_name;  /* name of the target in `directory` */
    char temp_name[64]; /* temporary name; empty: none */
    int kept_dir_fd;    /* directory of temp_name if that file must stay after a failure; borrowed;
                         * -1: temp_name is in `directory` */
    /* Permissions of the new file if it replaces no file. */
    uint32_t new_mode;
    struct gsi_bytes new_acl; /* from the directory's default ACL; none: only the mode applies */
    struct gsi_array *array;  /* GSI_OUTPUT_ARRAY */
};

/* gsi_output_open: opens an output, and checks whether it can be written.
 * NULL and "-" are standard output. Names such as /dev/fd/3 are the descriptor that this program
 * was given. If the name is another symbolic link, the commit replaces the file that it points to.
 * The output keeps the mode or ACL, the attributes user.* and, if allowed, the owner of the file
 * that it replaces. Otherwise its permissions follow from umask or the directory's default ACL.
 * fails GS_E_IO: no directory, no permission, the name is a directory; GS_E_USAGE: an empty name */
enum gs_status gsi_output_open(const char *path, struct gsi_output *output, struct gs_error *error);

/* gsi_output_connect: opens a FIFO that had no reader when gsi_output_open was called; output->fd
 * is -1 until then. `waits`: wait for a reader.
 * fails GS_E_IO */
enum gs_status gsi_output_connect(struct gsi_output *output, bool waits, struct gs_error *error);

/* gsi_output_open_part: opens `path`, a file of `file_bytes`, to write a part of it from `off` on.
 * Creates the file if it does not exist. Several processes may call this at the same time.
 * fails GS_E_USAGE: the file has another length, is not a regular file, or has an empty name;
 *       GS_E_SPACE; GS_E_IO */
enum gs_status gsi_output_open_part(const char *path, uint64_t off, uint64_t file_bytes,
                                    struct gsi_output *output, struct gs_error *error);

/* gsi_output_locate: determines kind and directory as gsi_output_open does, without opening the
 * file. Standard output counts as a stream. Call gsi_output_close afterwards. */
enum gs_status gsi_output_locate(const char *path, struct gsi_output *output,
                                 struct gs_error *error);

/* gsi_output_reserve: allocates disk for `bytes` of output now, if the file system supports that.
 * fails GS_E_SPACE: the disk is too full */
enum gs_status gsi_output_reserve(struct gsi_output *output, uint64_t bytes,
                                  struct gs_error *error);

/* gsi_output_check_room: checks whether there is free disk space for `bytes` of output.
 * gsi_output_fail_room: always fails: the output cannot have `bytes`, because of the errno value
 * `refusal`.
 * fails GS_E_SPACE, GS_E_IO */
enum gs_status gsi_output_check_room(const struct gsi_output *output, uint64_t bytes,
                                     struct gs_error *error);
enum gs_status gsi_output_fail_room(const struct gsi_output *output, int refusal, uint64_t bytes,
                                    struct gs_error *error);

/* gsi_output_is_in_memory: returns whether the output is a GSI_OUTPUT_ATOMIC in tmpfs. */
bool gsi_output_is_in_memory(const struct gsi_output *output);

/* gsi_output_extend: ensures that disk is allocated for the first `end` bytes of a
 * GSI_OUTPUT_ATOMIC. It allocates at least `step` bytes at a time, but none after `total`. It
 * ignores failures, because the writes report them. */
void gsi_output_extend(struct gsi_output *output, uint64_t end, uint64_t step, uint64_t total);

/* gsi_output_redirect: lets a GSI_OUTPUT_ATOMIC write to the file `name` of directory `dir_fd`
 * instead of a file of its own. Nothing was written yet. The file stays if the output is not
 * committed.
 * in    fd: that file, which the output owns now
 * fails GS_E_USAGE: the file is not in the target's file system */
enum gs_status gsi_output_redirect(struct gsi_output *output, int dir_fd, const char *name, int fd,
                                   struct gs_error *error);

/* gsi_output_seal: sets the length, permissions and owner of a GSI_OUTPUT_ATOMIC, and syncs it.
 * Afterwards a commit only has to rename it. A second call changes nothing. */
enum gs_status gsi_output_seal(const struct gsi_output *output, uint64_t bytes,
                               struct gs_error *error);

/* gsi_output_reread: opens `bytes` of written data, from byte `off` of the file on, as an input
 * before the commit. The output is a GSI_OUTPUT_ATOMIC or _PART. The function syncs the data, and
 * asks the kernel to drop them from its cache. Close the input before the output.
 * fails GS_E_IO, GS_E_SPACE: the sync failed */
enum gs_status gsi_output_reread(const struct gsi_output *output, uint64_t off, uint64_t bytes,
                                 struct gsi_input *input, struct gs_error *error);

/* gsi_output_commit: commits an output of `bytes`. GSI_OUTPUT_ATOMIC: sets the length, syncs the
 * file, replaces the target by it, and syncs the directory. GSI_OUTPUT_PART: syncs file and
 * directory. GSI_OUTPUT_SHARED: moves the position to the end of the data, and closes the file.
 * GSI_OUTPUT_STREAM: syncs a block device, and closes.
 * fails GS_E_IO, GS_E_SPACE; then the old target still exists */
enum gs_status gsi_output_commit(struct gsi_output *output, uint64_t bytes, struct gs_error *error);

/* gsi_output_ensure_name: gives a nameless file a temporary name in the target's directory.
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_output_ensure_name(struct gsi_output *output, struct gs_error *error);

/* gsi_output_rename: replaces the target by the file, after gsi_output_seal; a part of
 * gsi_output_commit.
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_output_rename(struct gsi_output *output, struct gs_error *error);

/* gsi_output_sync_dir: syncs the target's directory; a part of gsi_output_commit.
 * fails GS_E_IO */
enum gs_status gsi_output_sync_dir(const struct gsi_output *output, struct gs_error *error);

/* gsi_output_close: closes and frees the output. A GSI_OUTPUT_ATOMIC that is not committed is
 * deleted. */
void gsi_output_close(struct gsi_output *output);

/* gsi_temp_directory: returns the default directory for temporary files if the output has no
 * directory: $TMPDIR, else /tmp. */
const char *gsi_temp_directory(void);

/* gsi_temp_check: checks by its permissions whether files can be created in `directory`.
 * fails GS_E_IO */
enum gs_status gsi_temp_check(const char *directory, struct gs_error *error);

/* gsi_temp_open: creates a nameless file with mode 0600 in `directory`. Sets *is_direct to whether
 * *fd does direct I/O. */
enum gs_status gsi_temp_open(const char *directory, int *fd, bool *is_direct,
                             struct gs_error *error);

/* gsi_file_is_direct: returns whether a descriptor has O_DIRECT. The engine may have cleared it
 * (engine.h). */
bool gsi_file_is_direct(int fd);

/* gsi_file_disable_direct: switches a descriptor to buffered I/O. */
void gsi_file_disable_direct(int fd);

/* gsi_file_read: reads `bytes` from `off` on; blocks. Returns the bytes read, fewer only at the end
 * of the file; or -1 with errno set. */
int64_t gsi_file_read(int fd, void *data, uint64_t bytes, uint64_t off);

/* gsi_file_write: writes all `bytes`; blocks. Returns 0, or an errno value. */
int gsi_file_write(int fd, const void *data, uint64_t bytes, uint64_t off);

/* gsi_file_allocate: allocates disk for a part of a file, and extends the file if necessary.
 * Afterwards writes need not extend the file, so they run concurrently (ext4, Linux 6.18: 2.5 GB/s
 * instead of 1.2). Returns ENOSPC, EDQUOT or EFBIG if there is not enough space, otherwise 0.
 * out   is_allocated: false if the file system does not support this; may be NULL */
int gsi_file_allocate(int fd, uint64_t off, uint64_t bytes, bool *is_allocated);

/* gsi_file_release: releases the disk of a part of a file, if the file system supports that. Any
 * thread. */
void gsi_file_release(int fd, uint64_t off, uint64_t bytes);

/* gsi_space_free: sets *bytes to the bytes that a user without privileges can still write in the
 * directory's file system, and *file_system to that file system's id. */
enum gs_status gsi_space_free(const char *directory, uint64_t *bytes, uint64_t *file_system,
                              struct gs_error *error);

#endif
