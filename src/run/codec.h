/* codec.h: declares the codecs of spilled frames, and the coders that apply them. A codec
 * compresses the keys of a frame, or its records, and restores them.
 *
 *     deltas   encode   keys at data --code--> work --copy--> data
 *              decode   bytes at data --copy--> work --decode--> data
 *     zstd     encode   keys at data --split--> planes --zstd--> data
 *              decode   bytes at data --zstd--> planes --join--> data
 *
 * A coder codes a frame in place, with work memory of its thread. All memory is allocated at open.
 *
 * A device that splits and joins keys itself exchanges planes at data, and only zstd remains to be
 * done. Deltas (deltas.h) are two to six times as fast as planes with zstd (planes.h), and as small
 * or smaller. They are larger only if the same differences repeat again and again, as in a list of
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

/* The codec's number in a frame on disk. */
enum gsi_codec_id {
    GSI_CODEC_NONE = 0,
    GSI_CODECS(GSI_CODEC_NUMBER) GSI_CODEC_RECORD_PLANES = 3 /* for records, also by zstd */
};

/* ---- for codecs ---- */

#define GSI_CODEC_ALIGNMENT 64u

/* One thread's state. */
struct gsi_coder {
    const struct gsi_codec_ops *ops;
    enum gsi_codec_id id;
    uint32_t level;
    uint64_t data_bytes; /* most bytes of a frame's keys or records */
    uint8_t *work;       /* data_bytes, and the codec's slack_bytes */
    void *state;         /* state_bytes of the codec */
};

/* The hooks of a codec. All work in place at `data`, with coder->work; any thread, each with its
 * own coder. Sizes were checked: count * key_bytes <= coder->data_bytes, and most is no more than
 * that. A decoder's bytes may be damaged in any way. */
struct gsi_codec_ops {
    /* Must be set.
     * encode: codes `count` keys. Returns their new size, 1 to `most`. Returns 0 if they need more;
     * then data are the keys as before, not split into planes. packed->first_key is set.
     * decode: turns `bytes` into `count` keys. Returns whether they were exactly that many; if not,
     * data is undefined. */
    size_t (*encode)(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                     size_t most, struct gsi_packed_keys *packed);
    bool (*decode)(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                   uint64_t count, const struct gsi_packed_keys *packed);

    /* May be set, both or none: the same for records; NULL: zstd codes those. *id: the codec's
     * number, which encode may set to records_id. */
    size_t (*encode_records)(struct gsi_coder *coder, const struct gsi_record_planes *which,
                             void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
    bool (*decode_records)(struct gsi_coder *coder, const struct gsi_record_planes *which,
                           void *data, size_t bytes, uint64_t count, enum gsi_codec_id id);
    enum gsi_codec_id records_id; /* a second number, for frames of records; NONE: there is none */

    /* May be set: memory of each thread. coder->state is zeroed. lay_out allocates more from a bump
     * allocator, by gsi_bump_alloc_whole with GSI_CODEC_ALIGNMENT. It is called without memory,
     * too, to add up bytes; then coder->state is NULL. Returns whether the coder works. */
    uint32_t state_bytes, slack_bytes; /* of coder->state; of coder->work, besides data_bytes */
    bool (*lay_out)(struct gsi_coder *coder, struct gsi_bump *bump);

    /* Coded keys are planes, which encode and decode exchange with a device (packed->is_packed). */
    bool has_planes;
};

/* ---- for users of codecs ---- */

struct gsi_codec {
    struct gsi_ledger *ledger;
    const struct gsi_codec_ops *ops; /* NULL: not open */
    enum gsi_codec_id id;
    struct gsi_bump bump;
    uint64_t thread_bytes; /* allocated per thread */
};

/* gsi_codec_of: returns the codec for frames, if frames are coded. A codec that was requested codes
 * numbers; records need one with hooks for them. AUTO: deltas, but zstd for records and for planes
 * that a device makes. */
enum gsi_codec_id gsi_codec_of(enum gsi_compress_choice choice, bool are_numbers,
                               bool takes_packed);

/* gsi_codec_choice_of: returns the choice that requests a codec; NONE for no codec. */
enum gsi_compress_choice gsi_codec_choice_of(enum gsi_codec_id id);

/* gsi_codec_ops_of: returns a codec's hooks, or NULL if no codec has that number. */
const struct gsi_codec_ops *gsi_codec_ops_of(enum gsi_codec_id id);

/* gsi_codec_has_planes: returns whether a codec, which may be closed, codes planes.
 * gsi_coder_has_planes: returns whether frames of numbers with codec `id` are planes, for a coder
 * that decodes them. */
bool gsi_codec_has_planes(const struct gsi_codec *codec);
bool gsi_coder_has_planes(const struct gsi_coder *coder, uint32_t id);

/* gsi_coder_id: returns the codec in which it codes frames of numbers; for NULL: GSI_CODEC_NONE.
 * gsi_coder_takes: returns whether it can decode a frame of numbers, or of records, with codec
 * `id`. */
enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder);
bool gsi_coder_takes(const struct gsi_coder *coder, bool are_numbers, uint32_t id);

/* How spilled frames are coded. */
struct gsi_codec_plan {
    enum gsi_codec_id id;
    uint32_t level; /* for codecs with levels */
    uint64_t bytes; /* of each thread */
};

/* gsi_codec_bytes: returns the bytes that a thread needs for frames of at most `data_bytes` of
 * keys. */
uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes);

/* gsi_codec_open: allocates the memory of all threads. gsi_codec_open_ops: the same for a codec
 * without a row.
 * fails GS_E_MEMORY */
enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error);
enum gs_status gsi_codec_open_ops(struct gsi_codec *codec, struct gsi_ledger *ledger,
                                  const struct gsi_coder *model, uint32_t thread_count,
                                  struct gs_error *error);
void gsi_codec_close(struct gsi_codec *codec); /* also zeroed ones */

/* gsi_codec_coder: returns a thread's coder, or NULL if the codec is not open: then frames are
 * stored raw. */
struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx);

/* gsi_coder_encode: codes `count` keys in place. Returns their new size in bytes, 1 to `most`.
 * Returns 0 if they need more than `most`: then the data are the keys, not split into planes.
 * in    packed: whether the keys at data are already split into planes (codecs with planes only);
 *       out: not split, or the planes and first key that were coded
 * limit  most <= count * key_bytes <= data_bytes of open (else 0) */
size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed);

/* gsi_coder_encode_records, gsi_coder_decode_records: do the same for records; coders without hooks
 * for records return 0 or false. *id: set to the codec of the frame. */
size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id);
bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id);

/* gsi_coder_decode: turns `bytes` at data into `count` keys there, split into planes if
 * packed->is_packed (codecs with planes only). The memory must hold the joined keys. The bytes may
 * be damaged in any way.
 * in    packed: planes and first key, as set by encode
 * Returns whether the bytes were exactly that many keys; if not, data is undefined. */
bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed);

#endif
