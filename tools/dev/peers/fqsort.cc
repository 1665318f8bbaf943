// fqsort.cc: tippecanoe's external quicksort sorts files of nodes (u64) in MEMORY bytes, and drops
// repeated nodes as tippecanoe's main.cpp does. Temporary files are in TMPDIR, or else in the
// current folder. TIPPECANOE is a folder with its sources.
//     fqsort MEMORY OUTPUT FILE...
//     g++ -std=c++17 -O3 -I TIPPECANOE fqsort.cc TIPPECANOE/sort.cpp -o fqsort
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sort.hpp"

static FILE *open_file(const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    if (!file) {
        perror(name);
        exit(1);
    }
    return file;
}

static int compare_nodes(const void *a, const void *b)
{
    uint64_t x = *static_cast<const uint64_t *>(a), y = *static_cast<const uint64_t *>(b);
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : ".";
    std::vector<FILE *> inputs;
    for (int i = 3; i < argc; i++)
        inputs.push_back(open_file(argv[i], "rb"));
    std::string name = std::string(folder) + "/fqsort.sorted";
    FILE *sorted = open_file(name.c_str(), "w+b");
    remove(name.c_str());
    fqsort(inputs, sizeof(uint64_t), compare_nodes, sorted, strtoull(argv[1], nullptr, 10), folder);
    rewind(sorted);

    FILE *output = open_file(argv[2], "wb");
    uint64_t node, written = UINT64_MAX;
    while (fread(&node, sizeof(node), 1, sorted)) {
        if (node != written)
            fwrite(&node, sizeof(node), 1, output);
        written = node;
    }
    return fclose(output) != 0;
}
