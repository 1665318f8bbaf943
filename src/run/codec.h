/* codec.h: declares codecs, which compress and restore the keys or records of spilled frames, and
 * coders, which are the state of a codec in one thread.
 *
 *     deltas   encode   keys at data --encode--> work --copy--> data
 *              decode   bytes at data --copy--> work --decode--> data
 *     zstd     encode   keys at data --split--> planes --zstd--> data
 *              decode   bytes at data --zstd--> planes --join--> data
 *
 * A coder encodes a frame in place, with work memory of its own. All memory is allocated when the
 * codec is opened.
 *
 * Some devices split keys into planes and join them; then `data` contains planes, and a coder runs
 * only zstd. Deltas (deltas.h) are two to six times as fast as planes with zstd (planes.h), and
 * usually as small or smaller. Deltas are larger if the same differences repeat, as in a list of
 * all numbers.
 *
 * A new codec is a file, codec_WORD.c, and a row of GSI_CODECS (base/choices.h). The file defines
 * `const struct gsi_codec_ops gsi_codec_WORD`. The smallest codec, with comments, is in
 * tests/unit/run/test_skeleton_codec.c. */
#ifndef GSI_CODEC_H
#define GSI_CODEC_H

#include "base/choices.h"
#include "base/memory.h"
#include "run/planes.h"

#define GSI_CODEC_NUMBER(NAME, word, number, levels) GSI_CODEC_##NAME = (number),

/* The number of a codec in the header of a frame. */
enum gsi_codec_id {
    GSI_CODEC_NONE = 0,
    GSI_CODECS(GSI_CODEC_NUMBER) GSI_CODEC_RECORD_PLANES = 3 /* for records, also by zstd */
};

/* ---- used by the implementations of codecs ---- */

#define GSI_CODEC_ALIGNMENT 64u

/* The state of a codec in one thread. */
struct gsi_coder {
    const struct gsi_codec_ops *ops;
    enum gsi_codec_id id;
    uint32_t level;
    uint64_t data_bytes; /* maximum bytes of a frame's keys or records */
    uint8_t *work;       /* data_bytes + slack_bytes of the codec */
    void *state;         /* state_bytes of the codec */
};

/* The functions of a codec. Each function replaces the bytes at `data`, and may use coder->work.
 * Threads call them at the same time, each with its own coder. The caller has checked that most <=
 * count * key_bytes <= coder->data_bytes. Bytes to be decoded may be damaged in any way. */
struct gsi_codec_ops {
    /* Must be set. decode: restores `count` keys from `bytes` bytes. Returns whether the bytes
     * encode exactly `count` keys; if not, `data` is undefined. */
    size_t (*encode)(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                     size_t most, struct gsi_packed_keys *packed);
    bool (*decode)(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                   uint64_t count, const struct gsi_packed_keys *packed);

    /* encode_records, decode_records: the same for records; optional. NULL: zstd compresses
     * records. *id is the codec's number; encode_records may set it to records_id. */
    size_t (*encode_records)(struct gsi_coder *coder, const struct gsi_record_planes *which,
                             void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
    bool (*decode_records)(struct gsi_coder *coder, const struct gsi_record_planes *which,
                           void *data, size_t bytes, uint64_t count, enum gsi_codec_id id);
    enum gsi_codec_id records_id; /* a second number for frames of records; NONE: not used */

    /* May be set: the memory of each coder. coder->state is zeroed. lay_out allocates more memory
     * from `bump`, by gsi_bump_alloc_rounded with GSI_CODEC_ALIGNMENT. A first call only adds up
     * bytes, with coder->state NULL. The second call returns whether the coder can be used. */
    uint32_t state_bytes; /* of coder->state */
    uint32_t slack_bytes; /* of coder->work, above data_bytes */
    bool (*lay_out)(struct gsi_coder *coder, struct gsi_bump *bump);

    /* The codec compresses planes. encode and decode then accept keys that a device splits and
     * joins (packed->is_packed). */
    bool has_planes;
};

/* ---- used by all others ---- */

struct gsi_codec {
    struct gsi_ledger *ledger;
    const struct gsi_codec_ops *ops; /* NULL: not open */
    enum gsi_codec_id id;
    struct gsi_bump bump;
    uint64_t thread_bytes; /* allocated per thread */
};

/* gsi_codec_choose_id: returns the codec for the frames of a job. This is the requested codec; but
 * zstd for records if the requested codec has no functions for records. For AUTO it is deltas; but
 * zstd for records, or if the device splits keys into planes. */
enum gsi_codec_id gsi_codec_choose_id(enum gsi_compress_choice choice, bool are_numbers,
                                      bool device_splits_keys);

/* gsi_codec_choice_of: returns the value of --compress that requests codec `id`; NONE for no
 * codec. */
enum gsi_compress_choice gsi_codec_choice_of(enum gsi_codec_id id);

/* gsi_codec_ops_of: returns the functions of codec `id`, or NULL if no codec has that number. */
const struct gsi_codec_ops *gsi_codec_ops_of(enum gsi_codec_id id);

/* gsi_codec_has_planes: returns whether a codec compresses planes; false if it is not open.
 * gsi_coder_has_planes: returns whether `id` is the codec of the coder, and it compresses
 * planes. */
bool gsi_codec_has_planes(const struct gsi_codec *codec);
bool gsi_coder_has_planes(const struct gsi_coder *coder, uint32_t id);

/* gsi_coder_id: returns the codec of a coder; for NULL: GSI_CODEC_NONE.
 * gsi_coder_can_decode: returns whether the coder can decode a frame of numbers (are_numbers) or of
 * records that has codec `id` in its header. */
enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder);
bool gsi_coder_can_decode(const struct gsi_coder *coder, bool are_numbers, uint32_t id);

/* The codec of spilled frames, as planned. */
struct gsi_codec_plan {
    enum gsi_codec_id id;
    uint32_t level; /* for codecs with levels */
    uint64_t bytes; /* memory of each thread */
};

/* gsi_codec_bytes: returns the memory that one coder needs for frames of at most `data_bytes` of
 * keys. */
uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes);

/* gsi_codec_open: opens a codec and allocates the coders of all threads. * gsi_codec_open_ops:
 * opens a codec that GSI_CODECS does not list: `model` has its functions.
 * fails GS_E_MEMORY */
enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error);
enum gs_status gsi_codec_open_ops(struct gsi_codec *codec, struct gsi_ledger *ledger,
                                  const struct gsi_coder *model, uint32_t thread_count,
                                  struct gs_error *error);
void gsi_codec_close(struct gsi_codec *codec); /* also zeroed ones */

/* gsi_codec_coder: returns the coder of a thread, or NULL if the codec is not open. */
struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx);

/* gsi_coder_encode: compresses `count` keys in place. Returns the compressed size in bytes, 1 to
 * `most`. Returns 0 if the keys need more than `most`; then `data` contains the keys, not split
 * into planes.
 * in    packed: whether the keys at data are already split into planes (codecs with planes only);
 *       out: not split, or the planes and the first key that were compressed
 * limit  most <= count * key_bytes <= data_bytes of open; otherwise it returns 0 */
size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed);

/* gsi_coder_encode_records, gsi_coder_decode_records: encode and decode records. A codec without
 * functions for records makes them return 0 or false. *id is set to the codec of the frame. */
size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id);

/* gsi_coder_decode: replaces the `bytes` bytes at `data` by the `count` keys that they encode. The
 * keys stay split into planes if packed->is_packed (codecs with planes only). `data` has memory for
 * the joined keys. The bytes may be damaged in any way.
 * in    packed: planes and first key, as set by encode
 * Returns whether the bytes encode exactly `count` keys; if not, `data` is undefined. */
bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed);

#endif
