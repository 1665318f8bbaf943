/* codec.h: compresses the keys of a frame and restores them, by one of two codecs: differences in
 * few bits (deltas.h), or byte planes of differences (planes.h), then zstd.
 *
 *     zstd     encode   keys at data --split--> planes --zstd--> data
 *              decode   bytes at data --zstd--> planes --join--> data
 *     deltas   encode   keys at data --code--> work --copy--> data
 *              decode   bytes at data --copy--> work --decode--> data
 *
 * Records are compressed by zstd, too: as byte planes (record_planes.h) or as they are, whichever
 * is smaller. Planes and work data are in a thread's own memory. So a frame is coded in place, and
 * each thread needs one frame of memory and its contexts. All memory is allocated at open, none
 * later.
 *
 * A device that splits and joins keys itself exchanges planes at data, and only zstd remains to be
 * done. Deltas are two to six times as fast, and as small or smaller. They are larger only if the
 * same differences repeat again and again, as in a list of all numbers. */
#ifndef GSI_CODEC_H
#define GSI_CODEC_H

#include "base/choices.h"
#include "base/memory.h"
#include "run/planes.h"
#include "run/record_planes.h"

/* The codec's number in a frame on disk; a number is never reused for another codec. */
enum gsi_codec_id {
    GSI_CODEC_NONE = 0,
    GSI_CODEC_ZSTD = 1,
    GSI_CODEC_DELTAS = 2,
    GSI_CODEC_RECORD_PLANES = 3 /* for records, also by zstd */
};

struct gsi_coder; /* one thread's state */

struct gsi_codec {
    struct gsi_ledger *ledger;
    enum gsi_codec_id id; /* NONE: not open */
    struct gsi_shelf shelf;
    uint64_t thread_bytes; /* of the shelf, per thread */
};

/* gsi_codec_of: returns the codec for frames, if frames are coded. Records have no differences,
 * and planes made by a device are for zstd. So both use zstd, unless deltas of numbers were
 * requested. */
enum gsi_codec_id gsi_codec_of(enum gsi_compress_choice choice, bool are_numbers,
                               bool takes_packed);

/* gsi_coder_id: returns the codec in which it codes frames of numbers; for NULL: GSI_CODEC_NONE.
 * gsi_coder_takes: returns whether it can decode a frame of numbers, or of records, with codec
 * `id`. */
enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder);
bool gsi_coder_takes(const struct gsi_coder *coder, bool are_numbers, uint32_t id);

/* How spilled frames are coded. */
struct gsi_codec_plan {
    enum gsi_codec_id id;
    uint32_t level; /* for zstd */
    uint64_t bytes; /* of each thread */
};

/* gsi_codec_bytes: returns the bytes that a thread needs for frames of at most `data_bytes` of
 * keys. */
uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes);

/* gsi_codec_open: allocates the memory of all threads. Level: 1 to GSI_ZSTD_LEVEL_MAX, for zstd.
 * fails GS_E_MEMORY */
enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error);
void gsi_codec_close(struct gsi_codec *codec); /* also zeroed ones */

/* gsi_codec_coder: returns a thread's coder, or NULL if the codec is not open: then frames are
 * stored raw. */
struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx);

/* gsi_coder_encode: codes `count` keys in place. Returns their new size in bytes, 1 to `most`.
 * Returns 0 if they need more than `most`: then the data are the keys, not split into planes.
 * in    packed: whether the keys at data are already split into planes (zstd only); out: not split,
 *       or the planes and first key that were coded
 * limit  most <= count * key_bytes <= data_bytes of open (else 0) */
size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed);

/* gsi_coder_encode_records, gsi_coder_decode_records: do the same for records; coders other than
 * zstd return 0 or false. *id: set to the codec of the frame. */
size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id);

/* gsi_coder_decode: turns `bytes` at data into `count` keys there, split into planes if
 * packed->is_packed (zstd only). The memory must hold the joined keys. The bytes may be damaged in
 * any way.
 * in    packed: planes and first key, as set by encode
 * Returns whether the bytes were exactly that many keys; if not, data is undefined. */
bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed);

#endif
