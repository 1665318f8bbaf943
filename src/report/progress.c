/* progress.c: draws one line over and over. Each time, a carriage return goes to the start of the
 * line, and ESC [ K clears the rest of an earlier, longer line.
 *
 * A line that is wider than the terminal would wrap, and the carriage return would only go to the
 * start of its last row. So parts that do not fit are left out, the last ones first. */
#include "gsort.h"

#include "report/number.h"

#include <sys/ioctl.h>

#define ERASE_TO_END "\033[K"

static const char *const phase_names[GS_PHASE_COUNT] = {"reading", "merging runs", "writing",
                                                        "reading back"};

/* Returns how many characters fit into a row of the terminal before the cursor wraps. */
static size_t columns_of(FILE *file)
{
    struct winsize size;
    bool is_known = ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col - 1u : SIZE_MAX;
}

/* Prints a part of the line if all of it fits; after one that did not, none does. */
static void print_part(FILE *file, const char *part, size_t *columns)
{
    size_t length = strlen(part);
    bool fits = length <= *columns;
    *columns = fits ? *columns - length : 0;
    if (fits)
        fputs(part, file);
}

void gs_progress_draw(FILE *file, const struct gs_progress *progress)
{
    char done[GSI_NUMBER_BYTES], rate[GSI_NUMBER_BYTES], part[2 * GSI_NUMBER_BYTES];
    size_t columns = columns_of(file);
    bool is_known = progress->bytes_total > 0 && progress->bytes_done <= progress->bytes_total;
    fputc('\r', file);
    print_part(file, phase_names[progress->phase], &columns);
    if (is_known) {
        double share = (double)progress->bytes_done / (double)progress->bytes_total;
        snprintf(part, sizeof part, " %d %%", (int)(100 * share));
    } else {
        gsi_number_size(done, progress->bytes_done);
        snprintf(part, sizeof part, " %s", done);
    }
    print_part(file, part, &columns);
    gsi_number_rate(rate, progress->bytes_done, progress->phase_ns);
    snprintf(part, sizeof part, ", %s", rate);
    print_part(file, part, &columns);
    if (progress->left_ns > 0) {
        uint64_t seconds = (progress->left_ns - 1) / 1000000000u + 1;
        snprintf(part, sizeof part, ", %llu:%02d left in total", (unsigned long long)seconds / 60,
                 (int)(seconds % 60));
        print_part(file, part, &columns);
    }
    fputs(ERASE_TO_END, file);
    fflush(file);
}

void gs_progress_erase(FILE *file)
{
    fputs("\r" ERASE_TO_END, file);
    fflush(file);
}
