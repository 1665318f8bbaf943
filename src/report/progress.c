/* progress.c: one line that is redrawn. It carries no state: a carriage return goes to the start of
 * the line, and ESC [ K clears what an earlier, longer line has left behind. */
#include "gsort.h"

#include "report/number.h"

#define ERASE_TO_END "\033[K"

static const char *const phase_names[GS_PHASE_COUNT] = {"reading", "merging runs", "writing",
                                                        "reading back"};

/* Time left if the phase goes on as fast as it went so far; bytes_done > 0. */
static uint64_t left_ns(const struct gs_progress *progress)
{
    double left = (double)(progress->bytes_total - progress->bytes_done);
    return (uint64_t)((double)progress->phase_ns * left / (double)progress->bytes_done);
}

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
    if (is_known && progress->bytes_done > 0) {
        uint64_t seconds = (left_ns(progress) + 999999999u) / 1000000000u;
        fprintf(file, ", %llu:%02d left", (unsigned long long)seconds / 60, (int)(seconds % 60));
    }
    fputs(ERASE_TO_END, file);
    fflush(file);
}

void gs_progress_erase(FILE *file)
{
    fputs("\r" ERASE_TO_END, file);
    fflush(file);
}
