/* positions.h: reads the file of --permute: positions of elements, as --argsort writes them.
 *
 *     positions   2 0 0 3       u64 or u32, little endian; plain, or in a .npy file
 *     elements    a b c d
 *     output      c a a d
 */
#ifndef GSI_POSITIONS_H
#define GSI_POSITIONS_H

#include "io/file.h"

struct gsi_positions {
    char *path; /* from malloc; NULL: nothing is open */
    struct gsi_input input;
    uint64_t count;
    uint32_t bytes;  /* of each, 4 or 8 */
    bool are_signed; /* of type i32 or i64 */
};

/* gsi_positions_open: opens "FILE" or "FILE:TYPE". Without TYPE, a .npy file or the file's name
 * says the type; else it is u64. With `is_raw`, only TYPE counts.
 * fails GS_E_USAGE: the type is not one of positions, or the file is a stream or compressed;
 *       GS_E_INPUT: it cannot be read, or has a part of a position; GS_E_MEMORY
 * gsi_positions_close: closes them; also zeroed ones. */
enum gs_status gsi_positions_open(struct gsi_positions *positions, const char *text, bool is_raw,
                                  struct gs_error *error);
void gsi_positions_close(struct gsi_positions *positions);

/* gsi_positions_read: reads `n` positions from `first` on, and checks that each is below `count`.
 * Any thread.
 * out   good: how many precede the first that is not
 * fails GS_E_INPUT, as gsi_positions_refuse; as gsi_input_read */
enum gs_status gsi_positions_read(const struct gsi_positions *positions, uint64_t first, size_t n,
                                  uint64_t count, uint64_t *to, size_t *good,
                                  struct gs_error *error);

/* gsi_positions_refuse: fails: position `idx` of the file is no position of `count` elements. */
enum gs_status gsi_positions_refuse(const struct gsi_positions *positions, uint64_t idx,
                                    uint64_t position, uint64_t count, struct gs_error *error);

#endif
