/* set_streams.h: copies streams for a set operation (--merge=SET). It reads files at any place, so
 * all streams are copied to unnamed files first, at the same time.
 *
 * A copy has a digest, which is a sum over its words of 8 bytes. Each word is multiplied by a
 * factor that depends on its place. Parts of a copy are read in any order, on any thread. The
 * digests of these parts add up to the digest of the copy. So a part that is read twice, not at
 * all, or not as it was written, is noticed when all is read. The sum has 128 bits, so it keeps all
 * bits of the products, and any change of a single word changes it. */
#ifndef GSI_SET_STREAMS_H
#define GSI_SET_STREAMS_H

#include "base/u128.h"
#include "input/inputs.h"

struct gsi_set_digest {
    gsi_u128 sum;
    uint64_t bytes;
};

/* gsi_set_digest_add: adds `bytes` bytes of a copy, beginning at byte `off`. */
void gsi_set_digest_add(struct gsi_set_digest *digest, uint64_t off, const uint8_t *data,
                        uint64_t bytes);

/* gsi_set_streams_copy: copies the inputs that are streams into files, in `temp_dir`; NULL: next
 * to `output`. Their formats are known by then, and they keep their names. Needs the engine.
 * out   written: the digest of each input that was copied; others stay as they are
 * fails GS_E_INPUT: a stream ends in its header; GS_E_SPACE, GS_E_IO, GS_E_MEMORY, GS_E_CANCELED */
enum gs_status gsi_set_streams_copy(struct gsi_inputs *inputs, const char *output,
                                    const char *temp_dir, struct gsi_set_digest *written);

#endif
