// stxxl_sort.cc: STXXL (Debian: libstxxl-dev 1.4.1) sorts a file of u64 in place, in MEMORY bytes.
// Its temporary files are where STXXLCFG says.
//     stxxl_sort FILE MEMORY
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <stxxl/io>
#include <stxxl/sort>
#include <stxxl/vector>

struct less_u64 {
    bool operator()(uint64_t a, uint64_t b) const
    {
        return a < b;
    }
    uint64_t min_value() const
    {
        return 0;
    }
    uint64_t max_value() const
    {
        return std::numeric_limits<uint64_t>::max();
    }
};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    stxxl::syscall_file file(argv[1], stxxl::file::RDWR | stxxl::file::DIRECT);
    stxxl::VECTOR_GENERATOR<uint64_t>::result elements(&file);
    stxxl::sort(elements.begin(), elements.end(), less_u64(), std::strtoull(argv[2], nullptr, 10));
}
