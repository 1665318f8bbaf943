/* spill.c: counts the runs and bytes written to disk. */
#include "spill/spill.h"

void gsi_spill_note(struct gsi_spill *spill, const struct gsi_spilled_run *run, uint32_t key_bytes)
{
    spill->run_count++;
    spill->coded_run_count += spill->choice.is_coding;
    spill->key_bytes += run->key_count * key_bytes;
    spill->frame_bytes += run->bytes;
}
