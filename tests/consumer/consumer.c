/* consumer.c: what a program in C does with an installed libgsort: sorts a file, asks for the report,
 * and is told what is wrong. Prints a line for each thing that is not so. */
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

    const char *inputs[] = {"in.f64"};
    struct gs_options options = {.inputs = inputs, .input_count = 1, .output = "out.f64"};
    struct gs_report report;
    struct gs_error error;
    check(gs_run(&options, &report, &error) == GS_OK, error.text);
    check(report.tally.count == 3 && strcmp(report.type, "f64") == 0, "report");
    file = fopen("out.f64", "rb");
    check(file != NULL && fread(sorted, sizeof sorted, 1, file) == 1 && fclose(file) == 0, "read");
    check(sorted[0] == -1 && sorted[1] == 0.5 && sorted[2] == 2, "order");
    char *json = gs_report_string(&report, GS_FORMAT_JSON);
    check(json != NULL && strstr(json, "\"max\": \"2\"") != NULL, "JSON");
    gs_string_free(json);
    double max;
    check(gs_report_f64(&report, "tally.max", &max) == GS_FOUND && max == 2, "a field");

    inputs[0] = "missing.f64";
    check(gs_run(&options, &report, &error) == GS_E_INPUT, "missing input");
    check(strstr(error.text, "missing.f64") != NULL && gs_status_exit_code(error.status) == 2,
          "error");

    snprintf(version, sizeof version, "%d.%d.%d", GS_VERSION_MAJOR, GS_VERSION_MINOR,
             GS_VERSION_PATCH);
    check(strcmp(gs_version(), version) == 0, "version");
    return broken;
}
