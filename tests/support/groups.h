/* groups.h: opens folders, groups and their pieces, each on a shelf of its own. */
#ifndef TEST_GROUPS_H
#define TEST_GROUPS_H

#include "element/groups.h"

#include <string.h>

/* `place` runs twice; it places what is opened on *shelf. */
#define GROUPS_OPEN(shelf, place)                                      \
    do {                                                               \
        struct gs_error open_error = {0};                              \
        *(shelf) = (struct gsi_shelf){0};                              \
        place;                                                         \
        gsi_shelf_open((shelf), NULL, GSI_MEMORY_TABLES, &open_error); \
        place;                                                         \
    } while (0)

static inline struct gsi_shelf folder_open(struct gsi_folder *folder, const struct gsi_fold *fold)
{
    struct gsi_shelf shelf;
    GROUPS_OPEN(&shelf, gsi_folder_place(folder, fold, &shelf));
    return shelf;
}

static inline struct gsi_shelf groups_open(struct gsi_groups *groups,
                                           const struct gsi_layout *layout,
                                           const struct gsi_groups_rule *rule)
{
    struct gsi_shelf shelf;
    GROUPS_OPEN(&shelf, gsi_groups_place(groups, layout, rule, &shelf));
    return shelf;
}

static inline struct gsi_shelf groups_piece_open(struct gsi_groups_piece *piece,
                                                 const struct gsi_groups *groups)
{
    struct gsi_shelf shelf;
    GROUPS_OPEN(&shelf, gsi_groups_piece_place(piece, groups, &shelf));
    return shelf;
}

static inline void shelf_close(struct gsi_shelf *shelf)
{
    gsi_shelf_close(shelf, NULL, GSI_MEMORY_TABLES);
}

#endif
