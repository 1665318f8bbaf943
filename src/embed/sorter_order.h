/* sorter_order.h: sorted elements in an unnamed file, for those who ask for any place of the order.
 *
 * The file is made of blocks of whole elements; a checksum of each stays in memory, and a block
 * that is read is compared with it. One thread writes everything, then any number read. */
#ifndef GSI_SORTER_ORDER_H
#define GSI_SORTER_ORDER_H

#include "base/status.h"

struct gsi_layout;

/* A share that is being pulled; one thread at a time. */
struct gsi_order_share {
    uint64_t next, end; /* entries */
    uint8_t *block;     /* the memory of one, while it is being pulled */
};

struct gsi_order {
    const struct gsi_layout *layout; /* borrowed, as is `directory` */
    const char *directory;           /* NULL: where temporary files go by default */
    uint32_t entry_bytes;
    uint64_t block_bytes, bytes;
    bool is_open; /* something was written to `fd` */
    int fd;
    uint64_t *hashes, block_count, block_room;
    void *hash; /* state of the block that is being written */
    struct gsi_order_share whole, *parts;
    uint32_t part_count;
};

/* gsi_order_init: nothing is open. Entries are elements, perhaps with a count after each.
 * gsi_order_close: also zeroed ones. */
void gsi_order_init(struct gsi_order *order, const struct gsi_layout *layout, uint32_t entry_bytes,
                    const char *directory);
void gsi_order_close(struct gsi_order *order);

/* gsi_order_write: the next bytes in order. gsi_order_end_writing: those were all. */
enum gs_status gsi_order_write(struct gsi_order *order, const void *data, uint64_t bytes,
                               struct gs_error *error);
enum gs_status gsi_order_end_writing(struct gsi_order *order, struct gs_error *error);

/* gsi_order_share: the i-th of n; one call at a time. It is the order's. */
enum gs_status gsi_order_share(struct gsi_order *order, uint32_t i, uint32_t n,
                               struct gsi_order_share **part, struct gs_error *error);

/* As gs_sorter_pull_part, gs_sorter_rank and gs_sorter_rank_of. Any thread. */
enum gs_status gsi_order_pull(const struct gsi_order *order, struct gsi_order_share *part,
                              const void **data, uint64_t *bytes, struct gs_error *error);
enum gs_status gsi_order_element_at(const struct gsi_order *order, uint64_t rank, void *element,
                                    struct gs_error *error);
enum gs_status gsi_order_rank_of(const struct gsi_order *order, const void *element,
                                 uint64_t *below, uint64_t *not_above, struct gs_error *error);

#endif
