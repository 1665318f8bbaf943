// structs.cc: makes structs of 40 bytes, sorts them by an id and adds them up in their order. It
// uses gsort::sorter, gs_sorter of C, or, compiled with -DSTXXL, stxxl::sorter.
//     structs hpp|c|stxxl COUNT MEMORY      MEMORY: bytes
// Prints seconds of wall clock and of processors, and a sum that is the same for all.
//     g++ -std=c++20 -O3 structs.cc $(pkg-config --cflags --libs gsort) -o structs
//     g++ -std=c++14 -O3 -w -DSTXXL structs.cc -lstxxl -fopenmp -o structs_stxxl
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/resource.h>
#include <time.h>
#include <vector>

struct Node {
    uint64_t id;
    uint32_t place[8];
};
static_assert(sizeof(Node) == 40, "as long as Valhalla's nodes of ways");

static Node make(uint64_t i)
{
    uint64_t z = i * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return {z ^ (z >> 31), {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32)}};
}

struct sum {
    uint64_t value = 0, last = 0;
    bool is_ordered = true;
    void add(const Node &one)
    {
        is_ordered = is_ordered && one.id >= last;
        last = one.id;
        value = value * 31 + one.place[0];
    }
};

#ifdef STXXL
#include <stxxl/sorter>

struct below {
    bool operator()(const Node &a, const Node &b) const
    {
        return a.id < b.id;
    }
    Node min_value() const
    {
        return {0, {}};
    }
    Node max_value() const
    {
        return {std::numeric_limits<uint64_t>::max(), {}};
    }
};

static void sort(const char *, uint64_t count, uint64_t memory, sum &all)
{
    stxxl::sorter<Node, below> sorter(below(), memory);
    for (uint64_t i = 0; i < count; i++)
        sorter.push(make(i));
    sorter.sort();
    for (; !sorter.empty(); ++sorter)
        all.add(*sorter);
}
#else
#include <gsort.hpp>

static void by_c(uint64_t count, uint64_t memory, sum &all)
{
    gs_job *job = gs_job_create();
    gs_job_set_u64(job, "record", sizeof(Node));
    gs_job_add(job, "key", "0:u64");
    gs_job_set_u64(job, "memory", memory);
    gs_error error;
    gs_sorter *sorter = gs_sorter_open(job, &error);
    std::vector<Node> block;
    for (uint64_t i = 0; i < count; i++) {
        block.push_back(make(i));
        if (block.size() == 1000 || i + 1 == count) {
            gs_sorter_push(sorter, block.data(), block.size() * sizeof(Node), &error);
            block.clear();
        }
    }
    gs_sorter_finish(sorter, &error);
    const void *data;
    uint64_t bytes;
    while (gs_sorter_pull(sorter, &data, &bytes, &error) == GS_OK && bytes > 0)
        for (uint64_t i = 0; i < bytes / sizeof(Node); i++)
            all.add(static_cast<const Node *>(data)[i]);
    all.is_ordered = all.is_ordered && error.status == GS_OK;
    gs_sorter_close(sorter);
    gs_job_free(job);
}

static void sort(const char *by, uint64_t count, uint64_t memory, sum &all)
{
    if (std::strcmp(by, "c") == 0)
        return by_c(count, memory, all);
    gsort::sorter<Node, &Node::id> sorter{{"memory", memory}};
    for (uint64_t i = 0; i < count; i++)
        sorter.push(make(i));
    for (const Node &one : sorter)
        all.add(one);
}
#endif

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    sum all;
    sort(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10), all);
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double seconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                           static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9;
    const auto time = [](const timeval &of) {
        return static_cast<double>(of.tv_sec) + static_cast<double>(of.tv_usec) / 1e6;
    };
    std::printf("%s %.2f s, user %.2f, system %.2f, sum %016llx%s\n", argv[1], seconds,
                time(used.ru_utime), time(used.ru_stime),
                static_cast<unsigned long long>(all.value), all.is_ordered ? "" : ", not in order");
    return !all.is_ordered;
}
