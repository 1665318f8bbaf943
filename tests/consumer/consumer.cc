// consumer.cc: the same in C++, which knows no compound literals: two files are merged, and a job is
// canceled. Prints a line for each thing that is not so.
#include <gsort.h>

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
    const char *inputs[] = {"a.u32", "b.u32"};
    gs_options options{};
    options.inputs = inputs;
    options.input_count = 2;
    options.output = "merged.u32";
    options.merge = true;
    std::string notes;
    options.note = [](void *context, const char *text) {
        *static_cast<std::string *>(context) += text;
    };
    options.note_context = &notes;
    gs_report report;
    gs_error error;
    check(gs_run(&options, &report, &error) == GS_OK, error.text);
    std::ifstream file("merged.u32", std::ios::binary);
    std::string merged((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    check(merged.size() == 20 && merged[0] == 1 && merged[4] == 2 && merged[16] == 9, "order");
    check(report.tally.count == 5 && report.plan.is_merge && notes.empty(), "report");

    gs_cancel *cancel = gs_cancel_create();
    options.cancel = cancel;
    gs_cancel_now(cancel);
    check(gs_run(&options, nullptr, nullptr) == GS_E_CANCELED, "cancel");
    gs_cancel_free(cancel);

    gs_type type;
    std::uint64_t bytes = 0;
    check(gs_type_find("double", &type) && type.element_bytes == 8, "type");
    check(gs_size_parse("1K", 0, &bytes) && bytes == 1024, "size");
    return broken;
}
