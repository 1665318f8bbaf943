// consumer.cc: uses an installed libgsort from C++, which has no compound literals: merges two
// files, and cancels a job. Prints a line for each check that fails.
#include <gsort.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static int broken;

static void check(bool is_so, const std::string &what)
{
    if (!is_so) {
        std::puts(what.c_str());
        broken = 1;
    }
}

static void put(const char *name, const std::vector<std::uint32_t> &numbers)
{
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char *>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof numbers[0]));
}

int main()
{
    put("a.u32", {1, 4, 9});
    put("b.u32", {2, 3});
    gs_job *job = gs_job_create();
    gs_job_add(job, "input", "a.u32");
    gs_job_add(job, "input", "b.u32");
    gs_job_set(job, "output", "merged.u32");
    gs_job_set_u64(job, "merge", 1);
    std::string notes;
    gs_job_set_note(
        job, [](void *context, const char *text) { *static_cast<std::string *>(context) += text; },
        &notes);
    check(gs_job_run(job, GS_SORT) == GS_OK, gs_job_error(job)->text);
    std::ifstream file("merged.u32", std::ios::binary);
    std::string merged((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    check(merged.size() == 20 && merged[0] == 1 && merged[4] == 2 && merged[16] == 9, "order");
    std::uint64_t count = 0, is_merge = 0;
    gs_report_u64(gs_job_report(job), "tally.count", &count);
    gs_report_u64(gs_job_report(job), "plan.is_merge", &is_merge);
    check(count == 5 && is_merge == 1 && notes.empty(), "report");

    gs_cancel *cancel = gs_cancel_create();
    gs_job_set_cancel(job, cancel);
    gs_cancel_now(cancel);
    check(gs_job_run(job, GS_SORT) == GS_E_CANCELED, "cancel");
    gs_job_free(job);
    gs_cancel_free(cancel);

    gs_type type;
    std::uint64_t bytes = 0;
    check(gs_type_find("double", &type) && type.element_bytes == 8, "type");
    check(gs_size_parse("1K", 0, &bytes) && bytes == 1024, "size");
    return broken;
}
