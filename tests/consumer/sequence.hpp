// sequence.hpp: a file of structs that a program appends to, sorts and reads in place, with the
// calls of Valhalla's midgard::sequence<T>; `sort` takes keys where that takes a predicate.
#pragma once
#include <gsort.hpp>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

template <class T> class sequence
{
  public:
    sequence(const std::string &name, bool create = false)
        : name_(name), file_(name, create ? std::ios::trunc | std::ios::out : std::ios::app)
    {
    }
    void push_back(const T &one)
    {
        file_.write(reinterpret_cast<const char *>(&one), sizeof one);
        map_.reset();
    }
    // Sorts the file in memory for that many elements.
    template <auto... Keys> void sort(std::size_t buffer_size = (512u << 20) / sizeof(T))
    {
        map_.reset();
        file_.close();
        gsort::sort_file<T, Keys...>(name_, name_, {{"memory", buffer_size * sizeof(T)}});
        file_.open(name_, std::ios::app);
    }
    T *begin()
    {
        file_.flush();
        count_ = map_ != nullptr ? count_ : std::filesystem::file_size(name_) / sizeof(T);
        if (map_ == nullptr && count_ > 0) {
            const int fd = ::open(name_.c_str(), O_RDWR);
            void *at = mmap(nullptr, count_ * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            ::close(fd);
            if (!file_ || at == MAP_FAILED)
                throw std::runtime_error("sequence: cannot write or map " + name_);
            map_ = {static_cast<T *>(at), [n = count_ * sizeof(T)](T *of) { munmap(of, n); }};
        }
        return map_.get();
    }
    T *end()
    {
        return begin() + count_;
    }
    T *find(const T &one, bool (*below)(const T &, const T &)) // in what is sorted
    {
        T *found = std::lower_bound(begin(), end(), one, below);
        return found == end() || below(one, *found) ? end() : found;
    }

  private:
    std::string name_;
    std::ofstream file_;
    std::shared_ptr<T> map_;
    std::size_t count_ = 0;
};
