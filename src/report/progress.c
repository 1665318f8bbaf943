/* progress.c: one line that is redrawn. It carries no state: a carriage return goes to the start of
 * the line, and ESC [ K clears what an earlier, longer line has left behind. */
#include "gsort.h"

#include "report/number.h"

#define ERASE_TO_END "\033[K"

static const char *const phase_names[GS_PHASE_COUNT] = {"reading", "merging runs", "writing",
                                                        "reading back"};

void gs_progress_draw(FILE *file, const struct gs_progress *progress)
{
    char done[GSI_NUMBER_BYTES], rate[GSI_NUMBER_BYTES];
    bool is_known = progress->bytes_total > 0 && progress->bytes_done <= progress->bytes_total;
    gsi_number_rate(rate, progress->bytes_done, progress->phase_ns);
    fprintf(file, "\r%s ", phase_names[progress->phase]);
    if (is_known) {
        double part = (double)progress->bytes_done / (double)progress->bytes_total;
        fprintf(file, "%d %%", (int)(100 * part));
    } else {
        gsi_number_size(done, progress->bytes_done);
        fputs(done, file);
    }
    fprintf(file, ", %s", rate);
    if (progress->left_ns > 0) {
        uint64_t seconds = (progress->left_ns - 1) / 1000000000u + 1;
        fprintf(file, ", %llu:%02d left in all", (unsigned long long)seconds / 60,
                (int)(seconds % 60));
    }
    fputs(ERASE_TO_END, file);
    fflush(file);
}

void gs_progress_erase(FILE *file)
{
    fputs("\r" ERASE_TO_END, file);
    fflush(file);
}
