/* set_streams.h: copies streams to unnamed files for a set operation (--merge=SET), which needs
 * random access. All streams are copied at the same time.
 *
 * The digest of a copy is the sum of its words of 8 bytes, each multiplied by a factor that depends
 * on its index. Threads read parts of a copy in any order. The digests of these parts add up to the
 * digest of the copy. So the sum differs if a part is read twice, not at all, or not as it was
 * written. The sum has 128 bits, so it keeps all bits of the products, and any change of a single
 * word changes it. */
#ifndef GSI_SET_STREAMS_H
#define GSI_SET_STREAMS_H

#include "base/u128.h"
#include "input/inputs.h"

struct gsi_set_digest {
    gsi_u128 sum;
    uint64_t bytes;
};

/* gsi_set_digest_add: adds the `bytes` bytes at offset `off` of a copy to a digest. */
void gsi_set_digest_add(struct gsi_set_digest *digest, uint64_t off, const uint8_t *data,
                        uint64_t bytes);

/* gsi_set_streams_copy: copies the inputs that are streams to files in `temp_dir`; NULL: in the
 * directory of `output`. The inputs are files then, and keep their names. Their formats are known
 * before; the I/O engine is open.
 * out   written: the digest of each input that was copied; others do not change
 * fails GS_E_INPUT: a stream ends in its header; GS_E_SPACE, GS_E_IO, GS_E_MEMORY, GS_E_CANCELED */
enum gs_status gsi_set_streams_copy(struct gsi_inputs *inputs, const char *output,
                                    const char *temp_dir, struct gsi_set_digest *written);

#endif
