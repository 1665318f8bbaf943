/* groups.h: opens folders, groups and their pieces, each from a bump allocator of its own. */
#ifndef TEST_GROUPS_H
#define TEST_GROUPS_H

#include "element/groups.h"

#include <string.h>

/* `place` runs twice; it allocates from *bump what is opened. */
#define GROUPS_OPEN(bump, place)                                     \
    do {                                                             \
        struct gs_error open_error = {0};                            \
        *(bump) = (struct gsi_bump){0};                              \
        place;                                                       \
        gsi_bump_open((bump), NULL, GSI_MEMORY_TABLES, &open_error); \
        place;                                                       \
    } while (0)

static inline struct gsi_bump folder_open(struct gsi_folder *folder, const struct gsi_fold *fold)
{
    struct gsi_bump bump;
    GROUPS_OPEN(&bump, gsi_folder_alloc(folder, fold, &bump));
    return bump;
}

static inline struct gsi_bump groups_open(struct gsi_groups *groups,
                                          const struct gsi_layout *layout,
                                          const struct gsi_groups_rule *rule)
{
    struct gsi_bump bump;
    GROUPS_OPEN(&bump, gsi_groups_alloc(groups, layout, rule, &bump));
    return bump;
}

static inline struct gsi_bump groups_piece_open(struct gsi_groups_batch *piece,
                                                const struct gsi_groups *groups)
{
    struct gsi_bump bump;
    GROUPS_OPEN(&bump, gsi_groups_batch_alloc(piece, groups, &bump));
    return bump;
}

static inline void bump_close(struct gsi_bump *bump)
{
    gsi_bump_close(bump, NULL, GSI_MEMORY_TABLES);
}

#endif
