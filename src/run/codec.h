/* codec.h: the keys of a frame made smaller and back, by one of two codecs: differences in few bits
 * (deltas.h), or byte planes of differences (planes.h), then zstd.
 *
 *     zstd     encode   keys at data --split--> planes --zstd--> data
 *              decode   bytes at data --zstd--> planes --join--> data
 *     deltas   encode   keys at data --code--> work --copy--> data
 *              decode   bytes at data --copy--> work --decode--> data
 *
 * Records are byte planes, too (record_planes.h), or as they are, whatever is smaller; zstd as
 * well. Planes and what is worked on lie in a thread's own memory. So a frame is coded where it
 * lies, and each thread needs one frame of memory and its contexts; they are taken at open, nothing
 * is allocated later. A device that splits and joins itself gives and takes planes at data, and
 * only zstd is left to do. Deltas are two to six times as fast, and as small or smaller, but where
 * the same differences come again and again, as of every number there is (gsort-bench codec). */
#ifndef GSI_CODEC_H
#define GSI_CODEC_H

#include "base/memory.h"
#include "base/options.h"
#include "run/planes.h"
#include "run/record_planes.h"

/* What a frame on disk says of its codec; a number is never given to another one. */
enum gsi_codec_id {
    GSI_CODEC_NONE = 0,
    GSI_CODEC_ZSTD = 1,
    GSI_CODEC_DELTAS = 2,
    GSI_CODEC_RECORD_PLANES = 3 /* of records, by zstd as well */
};

struct gsi_coder; /* one thread's part */

struct gsi_codec {
    struct gsi_ledger *ledger;
    enum gsi_codec_id id; /* NONE: it is not open */
    struct gsi_shelf shelf;
    uint64_t thread_bytes; /* of it */
};

/* gsi_codec_of: what codes frames, if they are coded. Records have no differences, and planes that
 * a device makes are for zstd, so both get that, unless deltas of numbers are asked for. */
enum gsi_codec_id gsi_codec_of(enum gsi_compress_choice choice, bool are_numbers,
                               bool takes_packed);

/* gsi_coder_id: what the frames of numbers are that it codes; of NULL: GSI_CODEC_NONE.
 * gsi_coder_takes: whether it can decode a frame of numbers, or of records, that says `id`. */
enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder);
bool gsi_coder_takes(const struct gsi_coder *coder, bool are_numbers, uint32_t id);

/* gsi_codec_describe: a choice as an option says it; with a level where it has one (0: the
 * default). */
void gsi_codec_describe(enum gsi_compress_choice choice, uint32_t level, char *text, size_t bytes);

/* How spilled frames are coded. */
struct gsi_codec_plan {
    enum gsi_codec_id id;
    uint32_t level; /* of zstd */
    uint64_t bytes; /* of each thread */
};

/* gsi_codec_bytes: what a thread takes for frames of `data_bytes` of keys at most. */
uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes);

/* gsi_codec_open: level 1 to GSI_ZSTD_LEVEL_MAX, of zstd.
 * fails GS_E_MEMORY */
enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error);
void gsi_codec_close(struct gsi_codec *codec); /* also zeroed ones */

/* gsi_codec_coder: a thread's part; NULL: the codec is not open, frames are stored raw. */
struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx);

/* gsi_coder_encode: codes `count` keys in place. Returns the bytes they take now, 1 to `most`; 0 if
 * they need more than `most`: then they are unpacked keys, as they were.
 * in    packed: the keys lie at data packed (zstd only) or not; out: unpacked, or the planes and
 *       first key that were coded
 * limit  most <= count * key_bytes <= data_bytes of open (else 0) */
size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed);

/* gsi_coder_encode_records, gsi_coder_decode_records: the same for records; other coders than zstd
 * refuse. *id: what the frame is then. */
size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id);

/* gsi_coder_decode: turns `bytes` at data into `count` keys there, packed if packed->is_packed
 * (zstd only). The memory must hold the unpacked keys. The bytes may be damaged in any way.
 * in    packed: planes and first key, as encode gave them
 * Returns whether they were exactly that many keys; if not, data is undefined. */
bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed);

#endif
