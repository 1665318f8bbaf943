/* gsort.c: the program: parse, call, report, exit. */
#include "command_line.h"
#include "common/program.h"
#include "common/tool.h"
#include "help.h"
#include "print.h"
#include "print_output.h"
#include "report_file.h"
#include "json/join_reports.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static gs_cancel *cancel;
static volatile sig_atomic_t signal_taken, is_job_over, is_line_drawn;

#define LEFT_BYTES (PATH_MAX + 64)

/* The end of a message after the commit: "'out' is complete". It is empty before that. */
static char left_text[LEFT_BYTES];

static void write_stderr(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Ends the process as the signal does by default. Erases the line of progress before that, and says
 * that the output is complete, if it is; not to a user whose `head` has left. */
static void end_at_once(int number)
{
    if (is_line_drawn)
        write_stderr("\r\033[K");
    if (left_text[0] != '\0' && number != SIGPIPE) {
        write_stderr("gsort: interrupted; ");
        write_stderr(left_text);
        write_stderr("\n");
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* The first signal asks the job to clean up and end; a second one ends the process at once. */
static void take_signal(int number)
{
    if (number == SIGPIPE || is_job_over || signal_taken != 0) {
        end_at_once(number);
        return;
    }
    signal_taken = number;
    gs_cancel_now(cancel);
}

/* Signals that were ignored (nohup) stay ignored. */
static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        struct sigaction before, action = {.sa_handler = take_signal};
        sigemptyset(&action.sa_mask);
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

/* A standard stream that is closed stays one that cannot be used: the next file to be opened would
 * take its place. Files are opened at the lowest free number, so the order here is right. */
static void guard_standard_streams(void)
{
    static const int unusable[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", unusable[fd]);
}

/* Shells give few, as programs with select can use no more; a split may take four a file. */
static void take_all_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void draw_progress(void *context, const struct gs_progress *progress)
{
    (void)context;
    is_line_drawn = 1;
    gs_progress_draw(stderr, progress);
}

/* A job, and where what is said of it goes. */
struct run {
    const struct command_line *line;
    gs_output *file;    /* of the report; NULL: it goes to a standard stream */
    bool writes_stdout; /* the data do */
};

static void erase_progress(void)
{
    if (is_line_drawn)
        gs_progress_erase(stderr);
    is_line_drawn = 0;
}

/* Returns whether a note is printed: with --quiet only if the result may be wrong. */
static bool is_said(const struct command_line *line, const char *text)
{
    static const char warning[] = "warning: ";
    return !line->is_quiet || strncmp(text, warning, sizeof warning - 1) == 0;
}

/* Over the line of progress, if there is one. */
static void say_note(void *context, const char *text)
{
    const struct run *run = context;
    if (!is_said(run->line, text))
        return;
    erase_progress();
    fprintf(stderr, "gsort: %s\n", text);
}

/* End as the default action of a signal does. */
static void end_by(int number)
{
    fflush(stderr);
    signal(number, SIG_DFL);
    raise(number);
}

/* A reader that left ends gsort as it ends sort(1), whichever thread wrote; where SIGPIPE is
 * ignored it is an error like others. */
static bool is_sigpipe(const struct gs_error *error)
{
    struct sigaction action;
    return error->sys_errno == EPIPE && sigaction(SIGPIPE, NULL, &action) == 0 &&
           action.sa_handler != SIG_IGN;
}

static int say(const struct command_line *line, const struct gs_error *error)
{
    command_line_say(line, error, stderr);
    return gs_status_exit_code(error->status);
}

/* From now on failures and signals say that the output is complete, if there is one. */
static void note_output(const struct command_line *line, const gs_report *report)
{
    const char *output = command_line_output(line);
    if (line->action != GS_SORT || number_at(report, "is_placed") == 0)
        return;
    if (output == NULL || strcmp(output, "-") == 0)
        output = "standard output";
    snprintf(left_text, sizeof left_text,
             line->is_split          ? "the files of '%s' are complete"
             : line->value_count > 0 ? "'%s' and the files of --values are complete"
                                     : "'%s' is complete",
             output);
}

/* A failure after the output took its place. */
static int say_late(const struct command_line *line, const struct gs_error *error)
{
    if (left_text[0] == '\0')
        return say(line, error);
    fprintf(stderr, "gsort: %s; %s\n", error->text, left_text);
    return gs_status_exit_code(error->status);
}

static bool is_check(enum gs_action action)
{
    return action == GS_CHECK || action == GS_CHECK_ALL;
}

/* A check that found nothing says so to a person. */
static void say_in_order(const struct command_line *line, const gs_report *report)
{
    bool is_wanted = line->is_verbose || (isatty(STDERR_FILENO) && !line->is_quiet);
    if (is_check(line->action) && is_wanted && !line->check_quietly)
        fprintf(stderr, "gsort: in order: %" PRIu64 " elements%s\n",
                number_at(report, "tally.count"),
                command_line_given(line, "unique") != NULL ? ", no two with the same key" : "");
}

/* Says what happened to the output when a signal ended the job. */
static void say_interrupted(const struct command_line *line, const gs_report *report)
{
    struct stat info;
    struct gs_error shown = {0};
    const char *output = command_line_output(line);
    bool is_named = output != NULL && strcmp(output, "-") != 0;
    bool exists = is_named && stat(output, &info) == 0;
    note_output(line, report);
    if (left_text[0] != '\0') {
        fprintf(stderr, "gsort: interrupted; %s\n", left_text);
    } else if (line->is_split || command_line_given(line, "into") != NULL) {
        gs_fail(&shown, GS_E_CANCELED, 0,
                line->is_split ? "interrupted; no file of '%s' was written"
                               : "interrupted; the part written into '%s' may be incomplete",
                output);
        say(line, &shown);
    } else if (number_at(report, "is_kept") != 0) {
        fputs("gsort: interrupted; run the same command again to continue\n", stderr);
    } else if (is_named && (!exists || S_ISREG(info.st_mode))) {
        gs_fail(&shown, GS_E_CANCELED, 0, "interrupted; '%s' %s", output,
                exists ? "is unchanged" : "was not written");
        say(line, &shown);
    } else {
        fputs("gsort: interrupted\n", stderr);
    }
}

/* Checks that no terminal is used for binary numbers. */
static enum gs_status check_terminals(const struct command_line *line, struct gs_error *error)
{
    if (line->input_count == 0 && isatty(STDIN_FILENO))
        return gs_fail(error, GS_E_USAGE, 0,
                       "standard input is a terminal; name a FILE, or pipe data in: gsort -t TYPE "
                       "FILE -o OUT (see gsort -h)");
    if (line->action == GS_SORT && command_line_output(line) == NULL &&
        command_line_given(line, "print") == NULL && isatty(STDOUT_FILENO))
        return gs_fail(error, GS_E_USAGE, 0,
                       "standard output is a terminal; give -o FILE or pipe the output; --print "
                       "shows it as text, -o - writes it to the terminal");
    return GS_OK;
}

static enum gs_format format_of(const struct command_line *line)
{
    bool is_json = line->stats == STATS_JSON;
    if (line->action == GS_EXPLAIN)
        return is_json ? GS_FORMAT_PLAN_JSON : GS_FORMAT_PLAN_TEXT;
    return is_json ? GS_FORMAT_JSON : GS_FORMAT_TEXT;
}

/* The stream of a report that has no file of its own. */
static FILE *stream_of(const struct run *run)
{
    const struct command_line *line = run->line;
    bool is_free = line->action != GS_SORT || !run->writes_stdout;
    bool is_the_result =
        line->action == GS_STATS || line->action == GS_EXPLAIN || line->stats == STATS_JSON;
    return is_free && is_the_result ? stdout : stderr;
}

/* Nothing else goes to standard error then, so that it is JSON as a whole. */
static bool is_json_on_stderr(const struct run *run)
{
    return run->line->stats == STATS_JSON && run->line->report_path == NULL &&
           stream_of(run) == stderr;
}

static enum gs_status check_progress(const struct run *run, struct gs_error *error)
{
    if (run->line->progress != PROGRESS_ALWAYS || !is_json_on_stderr(run))
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0,
                   "--progress=always cannot be used with --stats=json on standard error, which "
                   "holds only JSON; write the report to a file: --stats=json:FILE");
}

/* Notes are in the JSON; where there is none, they are said. */
static void say_kept_notes(const struct run *run, const gs_report *report)
{
    char path[32], text[GS_REPORT_TEXT_BYTES];
    for (unsigned i = 0; is_json_on_stderr(run); i++) {
        snprintf(path, sizeof path, "notes[%u]", i);
        if (gs_report_text(report, path, text, sizeof text) != GS_FOUND)
            return;
        if (is_said(run->line, text))
            fprintf(stderr, "gsort: %s\n", text);
    }
}

static enum gs_status report_result(const struct run *run, const gs_report *report,
                                    struct gs_error *error)
{
    const struct command_line *line = run->line;
    if (line->action == GS_FIND) {
        printf("%" PRIu64 ":%" PRIu64 "\n", number_at(report, "find.first"),
               number_at(report, "find.count"));
        return GS_OK;
    }
    if (line->is_verbose && line->action == GS_SORT && !is_json_on_stderr(run))
        gs_report_print(report, stderr, GS_FORMAT_PLAN_TEXT);
    if (run->file != NULL)
        return report_file_write(run->file, report, format_of(line), error);
    if (line->stats != STATS_NONE || line->action == GS_EXPLAIN)
        gs_report_print(report, stream_of(run), format_of(line));
    return GS_OK;
}

/* Checks that everything was printed: help, a plan, a report, and any output before it. */
static enum gs_status flush_stdout(struct gs_error *error)
{
    bool is_whole = ferror(stdout) == 0;
    return fflush(stdout) == 0 && is_whole
               ? GS_OK
               : gs_fail(error, GS_E_IO, errno, "'standard output': cannot write");
}

/* Reports the result of a job. Returns the exit code. */
static int say_result(const struct run *run, const gs_report *report, enum gs_status status,
                      const struct gs_error *error)
{
    const struct command_line *line = run->line;
    struct gs_error unreported = {0};
    char room[8];
    bool lacks_room = line->action == GS_EXPLAIN &&
                      gs_report_text(report, "has_room", room, sizeof room) == GS_FOUND &&
                      strcmp(room, "false") == 0;
    if (status == GS_OK) {
        if (report_result(run, report, &unreported) != GS_OK || flush_stdout(&unreported) != GS_OK)
            return say_late(line, &unreported);
        say_in_order(line, report);
    } else if (status == GS_E_DISORDER) {
        if (!line->check_quietly)
            say(line, error);
        if (report_result(run, report, &unreported) != GS_OK)
            return say_late(line, &unreported);
    } else {
        say_kept_notes(run, report);
        if (status == GS_E_CANCELED)
            say_interrupted(line, report);
        else if (!is_sigpipe(error))
            say(line, error);
    }
    return gs_status_exit_code(status == GS_OK && lacks_room ? GS_E_SPACE : status);
}

static bool shows_progress(const struct run *run)
{
    const struct command_line *line = run->line;
    bool is_seen = !line->is_quiet && !is_json_on_stderr(run) && isatty(STDERR_FILENO);
    return line->progress == PROGRESS_ALWAYS || (line->progress == PROGRESS_AUTO && is_seen);
}

/* Hides the GPUs after the last one that --device names, which keeps the numbers of the others:
 * CUDA needs a part of a second to find each one. A choice in the environment stays. */
static void hide_other_gpus(const struct command_line *line)
{
    const char *device = command_line_given(line, "device");
    unsigned last = 0;
    char visible[256] = "0";
    if (device == NULL || strncmp(device, "cuda", 4) != 0)
        return;
    for (const char *at = device + 4; *at != '\0';) {
        char *end;
        unsigned long number = strtoul(at + 1, &end, 10);
        if (end == at + 1 || number > 63 || (*end != ',' && *end != '\0'))
            return; /* cuda:all, or an error of the job's */
        last = number > last ? (unsigned)number : last;
        at = end;
    }
    for (unsigned i = 1; i <= last; i++)
        snprintf(visible + strlen(visible), sizeof visible - strlen(visible), ",%u", i);
    setenv("CUDA_VISIBLE_DEVICES", visible, 0);
}

/* The job, with signals and progress; the exit code. */
static int run_job(const struct run *run, struct print_output *printer)
{
    const struct command_line *line = run->line;
    cancel = gs_cancel_create();
    gs_job_set_cancel(line->job, cancel);
    if (cancel != NULL)
        catch_signals();
    if (shows_progress(run))
        gs_job_set_progress(line->job, draw_progress, NULL);
    hide_other_gpus(line);
    struct gs_error error;
    enum gs_status status = gs_job_run(line->job, line->action);
    const gs_report *report = gs_job_report(line->job);
    error = *gs_job_error(line->job);
    if (status == GS_OK)
        status = print_output_end(printer, &error);
    erase_progress();
    if (status == GS_OK)
        note_output(line, report);
    is_job_over = 1;
    int code = say_result(run, report, status, &error);
    gs_output_close(run->file);
    gs_cancel_free(cancel);
    if (status == GS_E_CANCELED && signal_taken != 0)
        end_by(signal_taken);
    if (is_sigpipe(&error))
        end_by(SIGPIPE);
    return code;
}

/* Returns whether a job must run. */
static bool is_job(const struct command_line *line)
{
    return !line->wants_help && !line->wants_version && !line->joins_reports &&
           line->action != GS_LOOK;
}

static int run_program(int argc, char **argv)
{
    struct command_line line;
    struct gs_error error = {0};
    struct run run = {.line = &line};
    int code = 0;
    struct print_output *printer = NULL;
    guard_standard_streams();
    take_all_descriptors();
    enum gs_status status = command_line_parse(argc, argv, &line, &error);
    bool wants_text = line.wants_help || line.wants_version;
    if (status == GS_OK && !wants_text)
        status = check_terminals(&line, &error);
    if (status == GS_OK && is_job(&line)) {
        run.writes_stdout = command_line_writes_stdout(&line);
        status = check_progress(&run, &error);
    }
    if (!line.check_quietly && !is_json_on_stderr(&run))
        gs_job_set_note(line.job, say_note, &run);
    if (status == GS_OK && line.wants_help)
        help_print(&line, stdout);
    else if (status == GS_OK && line.wants_version)
        gs_version_text(stdout);
    else if (status == GS_OK && line.joins_reports)
        status = join_reports(&line, stdout, &error);
    else if (status == GS_OK && line.action == GS_LOOK)
        status = print_elements(&line, stdout, &error);
    else if (status == GS_OK)
        status = print_output_open(&line, stdout, &printer, &error);
    if (status == GS_OK && is_job(&line))
        status = report_file_open(&line, &run.file, &error);
    if (status == GS_OK && is_job(&line))
        code = run_job(&run, printer);
    else if (status == GS_OK)
        status = flush_stdout(&error);
    if (status != GS_OK)
        code = say(&line, &error);
    print_output_close(printer);
    command_line_clear(&line);
    return code;
}

int main(int argc, char **argv)
{
    return program_run(run_program, argc, argv);
}
