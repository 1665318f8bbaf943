/* test_frame_fuzz.c: damages frames at random, as disks and bugs do. Bits are flipped; parts are
 * lost, shifted, repeated or from another frame; whole frames are exchanged; and references are
 * wrong. Only the right frame is ever accepted, and only a frame's memory is touched: it is between
 * pages that may not be accessed. GS_TEST_SEED=N draws others, GS_FUZZ=N as many. Run:
 * build/dev/tests/test_frame_fuzz */
#include "support/support.h"

#include "run/frame.h"

#include <sys/mman.h>

#define FRAME_BYTES 16384u /* of memory, as much as the largest frame on disk */
#define PAGE_BYTES  4096u
#define FRAMES      24u
#define DRAWS       20000u
#define KEYS_OFF    GSI_FRAME_HEADER_BYTES

/* The written data, and what a reader must get. */
struct original {
    struct gsi_frame_ref ref;
    _Alignas(64) uint8_t disk[FRAME_BYTES];
    uint8_t keys[FRAME_BYTES];
};

struct fuzz {
    struct gsi_layout layout;
    struct gsi_coder *coder; /* NULL: raw */
    int way;                 /* which */
    struct original frames[FRAMES];
};

static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
static struct gsi_codec codecs[2]; /* zstd, deltas */
static uint8_t *memory;            /* FRAME_BYTES, exactly */

static int open_all(void **state)
{
    (void)state;
    struct gs_error error = {0};
    uint8_t *pages = mmap(NULL, FRAME_BYTES + 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE) != 0 ||
        mprotect(pages + PAGE_BYTES + FRAME_BYTES, PAGE_BYTES, PROT_NONE) != 0)
        return -1;
    memory = pages + PAGE_BYTES;
    return gsi_codec_open(&codecs[0], &ledger, GSI_CODEC_ZSTD, 1, FRAME_BYTES, 1, &error) !=
               GS_OK ||
           gsi_codec_open(&codecs[1], &ledger, GSI_CODEC_DELTAS, 1, FRAME_BYTES, 1, &error) !=
               GS_OK;
}

static int close_all(void **state)
{
    (void)state;
    gsi_codec_close(&codecs[0]);
    gsi_codec_close(&codecs[1]);
    return munmap(memory - PAGE_BYTES, FRAME_BYTES + 2 * PAGE_BYTES) != 0 ||
           ledger.reserved_bytes != 0;
}

/* Sorted keys from few values, so that frames share first keys and counts, and some are alike. */
static void fill_keys(struct test_random *random, uint32_t key_bytes, uint8_t *keys, uint32_t count)
{
    uint64_t key = test_below(random, 3);
    memset(keys, 0, (size_t)count * key_bytes);
    for (uint32_t i = 0; i < count; i++) {
        key += test_below(random, 40) == 0 ? test_below(random, 1000) : 0;
        memcpy(keys + (size_t)i * key_bytes, &key, key_bytes < 8 ? key_bytes : 8);
    }
}

static void make_frames(struct fuzz *fuzz, const char *type, int way)
{
    struct test_random random = test_random_make((uint64_t)way);
    fuzz->layout = gsi_layout_make(gsi_key_type_find(type), false);
    fuzz->way = way;
    fuzz->coder = way == 0 ? NULL : gsi_codec_coder(&codecs[way - 1], 0);
    uint32_t key_bytes = fuzz->layout.key_bytes, most = (FRAME_BYTES - KEYS_OFF) / key_bytes;
    for (uint32_t f = 0; f < FRAMES; f++) {
        struct original *frame = &fuzz->frames[f];
        uint32_t count = f % 4 == 0 ? 1 + (uint32_t)test_below(&random, most) : most;
        fill_keys(&random, key_bytes, frame->keys, count);
        memset(frame->disk, 0, FRAME_BYTES);
        memcpy(frame->disk + KEYS_OFF, frame->keys, (size_t)count * key_bytes);
        gsi_frame_seal(&fuzz->layout, frame->disk, count, fuzz->coder,
                       &(struct gsi_packed_keys){0});
        frame->ref = gsi_frame_ref_of(frame->disk);
    }
}

/* Mostly in the header, where most is at stake. */
static size_t any_place(struct test_random *random, size_t bytes)
{
    return test_below(random, 2) ? test_below(random, KEYS_OFF) : test_below(random, bytes);
}

enum damage { FLIP, OVERWRITE, TRUNCATE, SHIFT, SPLICE, SWAP, HEADER_OF_OTHER, REF, DAMAGE_COUNT };

static void damage_ref(struct test_random *random, struct gsi_frame_ref *ref)
{
    switch (test_below(random, 4)) {
    case 0:
        ref->count = test_below(random, 2) ? ref->count ^ 1u << test_below(random, 32)
                                           : (uint32_t)test_next(random);
        break;
    case 1:
        ref->bytes = test_below(random, 2) ? ref->bytes ^ 1u << test_below(random, 32)
                                           : (uint32_t)test_next(random);
        break;
    case 2:
        ref->data_hash ^= (uint64_t)1 << test_below(random, 64);
        break;
    default:
        ref->first_key[test_below(random, 16)] ^= (uint8_t)(1u << test_below(random, 8));
    }
}

/* Does one kind of damage to the frame in `memory`, of which `bytes` were read. */
static void do_damage(const struct fuzz *fuzz, struct test_random *random,
                      struct gsi_frame_ref *ref, size_t bytes)
{
    const struct original *other = &fuzz->frames[test_below(random, FRAMES)];
    size_t at = any_place(random, bytes), length = test_below(random, bytes - at) + 1;
    switch ((enum damage)test_below(random, DAMAGE_COUNT)) {
    case FLIP:
        memory[at] ^= (uint8_t)(1u << test_below(random, 8));
        break;
    case OVERWRITE:
        for (size_t i = 0; i < length && i < 8; i++)
            memory[at + i] = (uint8_t)test_next(random);
        break;
    case TRUNCATE:
        memset(memory + at, test_below(random, 2) ? 0 : 0xff, bytes - at);
        break;
    case SHIFT:
        memmove(memory + at, memory + at + 1, length - 1);
        break;
    case SPLICE:
        memcpy(memory + at, other->disk + at, length);
        break;
    case SWAP:
        memcpy(memory, other->disk, FRAME_BYTES);
        break;
    case HEADER_OF_OTHER:
        memcpy(memory, other->disk, KEYS_OFF);
        break;
    default:
        damage_ref(random, ref);
    }
}

/* Returns whether accepted data are the written ones. */
static bool has_keys(const struct fuzz *fuzz, const struct original *frame,
                     const struct gsi_packed_keys *packed)
{
    static _Alignas(64) uint8_t joined[FRAME_BYTES];
    uint32_t key_bytes = fuzz->layout.key_bytes;
    const uint8_t *keys = memory + KEYS_OFF;
    if (packed->is_packed) {
        gsi_planes_join(key_bytes, keys, frame->ref.count, packed->planes, packed->first_key,
                        joined);
        keys = joined;
    }
    return memcmp(keys, frame->keys, (size_t)frame->ref.count * key_bytes) == 0;
}

static uint64_t draw_count(void)
{
    const char *text = getenv("GS_FUZZ");
    return text != NULL ? strtoull(text, NULL, 0) : DRAWS;
}

static void check_damaged(const struct fuzz *fuzz, const char *type)
{
    struct gsi_coder *coder = fuzz->coder != NULL ? fuzz->coder : gsi_codec_coder(&codecs[0], 0);
    uint64_t refused = 0, draws = draw_count();
    for (uint64_t draw = 0; draw < draws; draw++) {
        struct test_random random = test_random_make(draw * 3 + (uint64_t)fuzz->way);
        const struct original *frame = &fuzz->frames[draw % FRAMES];
        struct gsi_frame_ref ref = frame->ref;
        const char *what = NULL;
        memcpy(memory, frame->disk, FRAME_BYTES);
        for (uint64_t times = 1 + test_below(&random, 3); times > 0; times--)
            do_damage(fuzz, &random, &ref, frame->ref.bytes);
        struct gsi_packed_keys packed = {.is_packed = test_below(&random, 2) == 0};
        bool is_accepted = gsi_frame_open(&fuzz->layout, memory, FRAME_BYTES, &ref, coder, &packed,
                                          &what) == GS_OK;
        if (is_accepted != (what == NULL))
            test_fail("%s, way %d, draw %llu: no reason, or one too many", type, fuzz->way,
                      (unsigned long long)draw);
        if (is_accepted && (ref.count != frame->ref.count || !has_keys(fuzz, frame, &packed)))
            test_fail("%s, way %d, draw %llu: a wrong frame was accepted", type, fuzz->way,
                      (unsigned long long)draw);
        refused += !is_accepted;
    }
    assert_true(refused > draws / 2);
}

/* Puts every frame in the place of every other one, as after misdirected writes. */
static void check_order(const struct fuzz *fuzz, const char *type)
{
    for (uint32_t f = 0; f < FRAMES; f++)
        for (uint32_t other = 0; other < FRAMES; other++) {
            const struct original *frame = &fuzz->frames[f];
            const char *what;
            struct gsi_packed_keys packed = {.is_packed = f % 2 == 0};
            memcpy(memory, fuzz->frames[other].disk, FRAME_BYTES);
            enum gs_status status = gsi_frame_open(&fuzz->layout, memory, FRAME_BYTES, &frame->ref,
                                                   fuzz->coder, &packed, &what);
            if (f == other ? status != GS_OK : status == GS_OK && !has_keys(fuzz, frame, &packed))
                test_fail("%s, way %d: frame %u in place of %u", type, fuzz->way, other, f);
        }
}

static void test_frame__damaged_at_random__never_accepted(void **state)
{
    (void)state;
    static const char *const types[] = {"u32", "u64", "u128"};
    static struct fuzz fuzz;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int way = 0; way < 3; way++) {
            make_frames(&fuzz, types[t], way);
            check_order(&fuzz, types[t]);
            check_damaged(&fuzz, types[t]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame__damaged_at_random__never_accepted),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
