/* consumer.c: uses an installed libgsort from C: sorts a file, reads the report, and gets an error
 * line. Prints a line for each check that fails. */
#include <gsort.h>

#include <string.h>

static int broken;

static void check(int is_so, const char *what)
{
    if (!is_so) {
        printf("%s\n", what);
        broken = 1;
    }
}

int main(void)
{
    static const double numbers[] = {2, -1, 0.5};
    double sorted[3] = {0};
    char version[32];
    FILE *file = fopen("in.f64", "wb");
    check(file != NULL && fwrite(numbers, sizeof numbers, 1, file) == 1 && fclose(file) == 0,
          "write");

    gs_job *job = gs_job_create();
    gs_job_add(job, "input", "in.f64");
    gs_job_set(job, "output", "out.f64");
    check(gs_job_run(job, GS_SORT) == GS_OK, gs_job_error(job)->text);
    file = fopen("out.f64", "rb");
    check(file != NULL && fread(sorted, sizeof sorted, 1, file) == 1 && fclose(file) == 0, "read");
    check(sorted[0] == -1 && sorted[1] == 0.5 && sorted[2] == 2, "order");
    uint64_t count;
    double max;
    char type[8];
    const gs_report *report = gs_job_report(job);
    check(gs_report_u64(report, "tally.count", &count) == GS_FOUND && count == 3, "a count");
    check(gs_report_f64(report, "tally.max", &max) == GS_FOUND && max == 2, "a double");
    check(gs_report_text(report, "type", type, sizeof type) == GS_FOUND && strcmp(type, "f64") == 0,
          "a text");
    char *json = gs_report_string(report, GS_FORMAT_JSON);
    check(json != NULL && strstr(json, "\"max\": \"2\"") != NULL, "JSON");
    gs_string_free(json);

    gs_job_set(job, "input", "missing.f64");
    check(gs_job_run(job, GS_SORT) == GS_E_INPUT, "missing input");
    const struct gs_error *error = gs_job_error(job);
    check(strstr(error->text, "missing.f64") != NULL && gs_status_exit_code(error->status) == 2,
          "error");
    gs_job_free(job);

    snprintf(version, sizeof version, "%d.%d.%d", GS_VERSION_MAJOR, GS_VERSION_MINOR,
             GS_VERSION_PATCH);
    check(strcmp(gs_version(), version) == 0, "version");
    return broken;
}
