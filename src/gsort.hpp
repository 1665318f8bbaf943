/* gsort.hpp: gsort for C++20. Keys are members of a class, known to the compiler. The header is a
 * layer over gsort.h, which documents each call, and needs only libgsort. It is one file, so that
 * programs can carry it along.
 *
 *     struct Edge { std::uint32_t from, to; float weight; };
 *     gsort::sorter<Edge, &Edge::from, gsort::desc<&Edge::weight>> sorter{{"memory", "64M"}};
 *     for (std::uint32_t i = 0; i < 1000; i++)
 *         sorter.push({i * 7919 % 1009, i, 0.5f});
 *     for (const Edge &edge : sorter)
 *         std::printf("%u %u\n", edge.from, edge.to);
 *
 * Elements: integers of 1 to 16 bytes, float, double, bool, enums; std::array of char, unsigned
 * char or std::byte; classes and unions that are copied as bytes (trivially copyable), by keys.
 * The compiler refuses other types, and says why.
 * Keys (the first one decides first):
 *     &Edge::from                       a member, also of a base class
 *     gsort::desc<&Edge::weight>        descending
 *     gsort::within<&Way::node, &Node::id>   a member of a member
 *     gsort::within<&Cell::at, 2>       an item of an array
 * A member is a number, a bool, an enum (sorted as its integer), or an array of bytes, sorted as
 * memcmp compares. Numbers have the byte order of the machine. Floats have a total order: -0 before
 * 0, NaNs last. Without keys an element is its own key.
 * Padding never decides: elements with equal keys keep their order. Types that may have padding
 * refuse {"ties", "bytes"}, which would compare it.
 * Options are pairs of names and values, as in gs_job_set. Repeat a pair for a list such as
 * "input".
 *
 * Failures: a call throws gsort::error. A call with a gs_error as its last argument throws nothing
 * but std::bad_alloc, fills in the gs_error and returns the status. */
#ifndef GSORT_HPP
#define GSORT_HPP

#if __cplusplus <= 201703L
#error "gsort.hpp needs C++20: compile with -std=c++20, or include gsort.h"
#else

#include "gsort.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gsort
{

/* ---- keys ---- */

/* key_as: names the type of the number that a class consists of and is ordered by:
 *     template <> struct gsort::key_as<Seconds> { using type = std::int64_t; }; */
template <class M> struct key_as {
    using type = M;
};

/* A key: the members and indexes that lead to it. Programs write within and desc. */
template <bool IsDescending, auto... Steps> struct key {
};

namespace detail
{

template <class> inline constexpr bool never = false;

template <auto Key, class K = std::remove_const_t<decltype(Key)>> struct as_key {
    using type = key<false, Key>;
    using turned = key<true, Key>;
};
template <auto Key, bool IsDescending, auto... Steps>
struct as_key<Key, key<IsDescending, Steps...>> {
    using type = key<IsDescending, Steps...>;
    using turned = key<!IsDescending, Steps...>;
};

template <class> inline constexpr bool is_char = false;
template <> inline constexpr bool is_char<char> = true;
template <> inline constexpr bool is_char<unsigned char> = true;
template <> inline constexpr bool is_char<char8_t> = true;
template <> inline constexpr bool is_char<std::byte> = true;
template <class> inline constexpr bool is_bytes = false;
template <class C, std::size_t N> inline constexpr bool is_bytes<C[N]> = is_char<C>;
template <class C, std::size_t N> inline constexpr bool is_bytes<std::array<C, N>> = is_char<C>;

template <class M> inline constexpr bool is_wide = false;
template <class M> inline constexpr bool is_wide_signed = false;
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_unsigned;
template <> inline constexpr bool is_wide<wide_int> = true;
template <> inline constexpr bool is_wide<wide_unsigned> = true;
template <> inline constexpr bool is_wide_signed<wide_int> = true;
#endif

template <class M> std::string number_word()
{
    constexpr bool is_signed = std::is_signed_v<M> || is_wide_signed<M>;
    std::string word = std::is_floating_point_v<M> ? "f" : is_signed ? "i" : "u";
    if (sizeof(M) == 1)
        return is_signed ? "int8" : "uint8";
    word += std::to_string(8 * sizeof(M));
    return word + (std::endian::native == std::endian::big ? "be" : "");
}

/* The type of a member as options name it. A member without one does not compile. */
template <class Member> std::string type_word()
{
    using M = std::remove_cv_t<Member>;
    using As = typename key_as<M>::type;
    if constexpr (!std::is_same_v<As, M>) {
        static_assert(sizeof(As) == sizeof(M),
                      "gsort: the type in key_as does not have the size of the class");
        return type_word<As>();
    } else if constexpr (std::is_enum_v<M> && !std::is_same_v<M, std::byte>) {
        return type_word<std::underlying_type_t<M>>();
    } else if constexpr (is_bytes<M>) {
        return std::string("b").append(std::to_string(sizeof(M))); // gcc 12 warns of "b" + it
    } else if constexpr (std::is_same_v<M, std::byte>) {
        return "uint8";
    } else if constexpr (std::is_integral_v<M> || is_wide<M>) {
        return number_word<M>();
    } else if constexpr (std::is_same_v<M, float> || std::is_same_v<M, double>) {
        static_assert(std::numeric_limits<M>::is_iec559,
                      "gsort: this compiler's floats are not IEEE 754");
        return number_word<M>();
    } else if constexpr (std::is_floating_point_v<M>) {
        static_assert(never<M>,
                      "gsort: of the floating-point types only float and double can be keys");
    } else if constexpr (std::is_pointer_v<M> || std::is_member_pointer_v<M> ||
                         std::is_null_pointer_v<M>) {
        static_assert(never<M>, "gsort: a pointer cannot be a key, it means nothing in another "
                                "process; sort by the value it points to");
    } else if constexpr (std::is_array_v<M>) {
        static_assert(never<M>,
                      "gsort: only arrays of char, unsigned char and std::byte can be keys; "
                      "one item of another array can be one, as in gsort::within<&Cell::at, 2>");
    } else {
        static_assert(
            never<M>,
            "gsort: a class cannot be a key; name a member of it, as in gsort::within<&Way::node, "
            "&Node::id>, or specialise gsort::key_as for a class that is one number");
    }
}

template <class C, class M> C class_of(M C::*); /* declared only */

template <class T> const T &walk(const T &object)
{
    return object;
}

template <auto Step, auto... Rest, class T> const auto &walk(const T &object)
{
    if constexpr (std::is_integral_v<decltype(Step)>) {
        static_assert(
            std::is_array_v<T> || requires { std::tuple_size<T>::value; },
            "gsort: a number in gsort::within must follow an array, whose index it is");
        return walk<Rest...>(object[static_cast<std::size_t>(Step)]);
    } else {
        static_assert(std::is_member_object_pointer_v<decltype(Step)>,
                      "gsort: a key must be a member, as in &Edge::from, or gsort::desc or "
                      "gsort::within of members");
        static_assert(std::is_base_of_v<decltype(class_of(Step)), T>,
                      "gsort: a key must be a member of the element, or of the member before it");
        return walk<Rest...>(object.*Step);
    }
}

/* OFF:TYPE[:desc]. The offset is taken in an object that is never read: T may lack a
 * constructor. */
template <class T, bool IsDescending, auto... Steps>
std::string key_text(key<IsDescending, Steps...> /*which*/)
{
    alignas(T) static std::byte room[sizeof(T)];
    const auto &member = walk<Steps...>(*std::launder(reinterpret_cast<const T *>(room)));
    const auto *at = reinterpret_cast<const std::byte *>(std::addressof(member));
    return std::to_string(at - room) + ":" + type_word<std::remove_cvref_t<decltype(member)>>() +
           (IsDescending ? ":desc" : "");
}

template <class T, auto... Keys> inline constexpr bool is_sortable()
{
    static_assert(
        std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
        "gsort: the element type must be an object type, not const, volatile or a reference");
    static_assert(!std::is_array_v<T>, "gsort: an array cannot be an element; use std::array");
    static_assert(std::is_trivially_copyable_v<T>,
                  "gsort: elements are moved as bytes and must be trivially copyable: no "
                  "std::string or std::vector in them, no virtual functions, no copy constructors");
    static_assert(sizeof(T) <= 65536, "gsort: an element can have at most 65536 bytes");
    static_assert(sizeof...(Keys) <= 64, "gsort: there can be at most 64 keys");
    static_assert(sizeof...(Keys) > 0 || !(std::is_class_v<T> || std::is_union_v<T>) ||
                      is_bytes<T> || !std::is_same_v<typename key_as<T>::type, T>,
                  "gsort: name the members to sort a class by, as in gsort::sorter<Edge, "
                  "&Edge::from, &Edge::to>");
    static_assert(sizeof...(Keys) == 0 || std::is_class_v<T> || std::is_union_v<T>,
                  "gsort: only classes have members to sort by");
    return true;
}

struct free_job {
    void operator()(gs_job *job) const
    {
        gs_job_free(job);
    }
};
struct free_report {
    void operator()(gs_report *report) const
    {
        gs_report_free(report);
    }
};
struct close_sorter {
    void operator()(gs_sorter *sorter) const
    {
        gs_sorter_close(sorter);
    }
};

} // namespace detail

/* The steps to a key, in descending order. */
template <auto... Steps> inline constexpr key<false, Steps...> within{};
template <auto Key> inline constexpr typename detail::as_key<Key>::turned desc{};

/* ---- failures, options, reports ---- */

class error : public std::runtime_error
{
  public:
    explicit error(const gs_error &what)
        : std::runtime_error(what.text), status_(what.status), sys_errno_(what.sys_errno)
    {
    }
    gs_status status() const noexcept
    {
        return status_;
    }
    int sys_errno() const noexcept /* 0: not a system error */
    {
        return sys_errno_;
    }
    int exit_code() const noexcept /* that a program should exit with */
    {
        return gs_status_exit_code(status_);
    }

  private:
    gs_status status_;
    int sys_errno_;
};

namespace detail
{

/* Calls a function that may fail, and throws if it did. */
template <class Call> void must([[maybe_unused]] Call &&call)
{
#ifdef __cpp_exceptions
    gs_error failure{};
    if (call(failure) != GS_OK)
        throw error(failure);
#else
    static_assert(never<Call>, "gsort: without exceptions, give a gs_error as the last argument");
#endif
}

} // namespace detail

struct option {
    std::string name, value;

    option(std::string of, std::string is) : name(std::move(of)), value(std::move(is))
    {
    }
    option(std::string of, const char *is) : name(std::move(of)), value(is)
    {
    }
    template <class N>
    requires std::is_integral_v<N> option(std::string of, N is) : name(std::move(of))
    {
        if constexpr (std::is_same_v<N, bool>)
            value = is ? "true" : "false";
        else
            value = std::to_string(is);
    }
};
using options = std::vector<option>;

/* The report of a job that was run, or nothing. Its fields are those of the JSON, by their
 * paths. */
class report
{
  public:
    explicit report(gs_report *owned = nullptr) : report_(owned)
    {
    }
    std::optional<std::uint64_t> u64(const char *path) const
    {
        std::uint64_t value = 0;
        return gs_report_u64(get(), path, &value) == GS_FOUND ? std::optional(value) : std::nullopt;
    }
    std::optional<double> f64(const char *path) const
    {
        double value = 0;
        return gs_report_f64(get(), path, &value) == GS_FOUND ? std::optional(value) : std::nullopt;
    }
    std::optional<std::string> text(const char *path) const
    {
        std::array<char, GS_REPORT_TEXT_BYTES> value;
        return gs_report_text(get(), path, value.data(), value.size()) == GS_FOUND
                   ? std::optional<std::string>(value.data())
                   : std::nullopt;
    }
    const gs_report *get() const noexcept
    {
        return report_.get();
    }

  private:
    std::unique_ptr<gs_report, detail::free_report> report_;
};

/* ---- jobs ---- */

/* job: a gs_job that knows the type of its elements. `get` returns it for all calls of gsort.h. */
template <class T, auto... Keys> class job
{
    static_assert(detail::is_sortable<T, Keys...>());

  public:
    explicit job(const options &given = {}) : job_(gs_job_create())
    {
        detail::must([&](gs_error &failure) { return describe(given, failure); });
    }
    job(std::initializer_list<option> given) : job(options(given))
    {
    }
    job(const options &given, gs_error &failure) : job_(gs_job_create())
    {
        failure = {};
        describe(given, failure);
    }
    gs_job *get() noexcept
    {
        return job_.get();
    }
    gs_status set(const option &one, gs_error &failure)
    {
        return done(take(one, failure), failure);
    }
    void set(const option &one)
    {
        detail::must([&](gs_error &failure) { return set(one, failure); });
    }
    gs_status run(gs_action action, gs_error &failure)
    {
        failure = {};
        return done(gs_job_run(get(), action), failure);
    }
    void run(gs_action action)
    {
        detail::must([&](gs_error &failure) { return run(action, failure); });
    }
    report take_report()
    {
        return report(gs_job_take_report(get()));
    }
    /* Returns the result of a call of gsort.h with this job. `failure` is zeros before. */
    gs_status done(gs_status status, gs_error &failure)
    {
        if (status != GS_OK && failure.status == GS_OK) {
            failure.status = GS_E_MEMORY;
            if (const gs_error *told = gs_job_error(get()))
                failure = *told;
        }
        return status;
    }

  private:
    gs_status take(const option &one, gs_error &failure)
    {
        failure = {};
        const char *name = one.name.c_str();
        for (const char *of_type : {"type", "record", "key"})
            if (one.name == of_type)
                return gs_fail(&failure, GS_E_USAGE, 0,
                               "--%s: is set by the element type and its keys; leave it out", name);
        constexpr bool has_members = std::is_class_v<T> || std::is_union_v<T>;
        if constexpr (has_members && !std::has_unique_object_representations_v<T>)
            if (one.name == "ties" && one.value == "bytes")
                return gs_fail(&failure, GS_E_USAGE, 0,
                               "--ties=bytes: the element type may have padding, and padding would "
                               "affect the order; name all its members as keys");
        const gs_option *row = gs_option_find(name);
        return row != nullptr && row->is_list ? gs_job_add(get(), name, one.value.c_str())
                                              : gs_job_set(get(), name, one.value.c_str());
    }
    gs_status describe(const options &given, gs_error &failure)
    {
        gs_status status;
        if constexpr (sizeof...(Keys) == 0 && !detail::is_bytes<T>) {
            status = gs_job_set(get(), "type", detail::type_word<T>().c_str());
        } else {
            status = gs_job_set_u64(get(), "record", sizeof(T));
            for (const std::string &text : std::initializer_list<std::string>{
                     detail::key_text<T>(typename detail::as_key<Keys>::type{})...})
                if (status == GS_OK)
                    status = gs_job_add(get(), "key", text.c_str());
        }
        for (std::size_t i = 0; i < given.size() && status == GS_OK; i++)
            status = take(given[i], failure);
        return done(status, failure);
    }

    std::unique_ptr<gs_job, detail::free_job> job_;
};

/* sort_file: sorts the file `in`, and files that options name as "input", into `out`, which may be
 * `in`. Returns the report. */
template <class T, auto... Keys>
gs_status sort_file(const std::string &in, const std::string &out, const options &given,
                    gs_error &failure, report *made = nullptr)
{
    job<T, Keys...> work(given, failure);
    if (failure.status != GS_OK || work.set({"input", in}, failure) != GS_OK ||
        work.set({"output", out}, failure) != GS_OK || work.run(GS_SORT, failure) != GS_OK)
        return failure.status;
    if (made != nullptr)
        *made = work.take_report();
    return GS_OK;
}
template <class T, auto... Keys>
report sort_file(const std::string &in, const std::string &out, const options &given = {})
{
    report made;
    detail::must(
        [&](gs_error &failure) { return sort_file<T, Keys...>(in, out, given, failure, &made); });
    return made;
}

/* sort: sorts an array, vector or span in place: gsort::sort<&Edge::from>(edges). */
template <auto... Keys, std::ranges::contiguous_range R>
gs_status sort(R &&elements, const options &given, gs_error &failure)
{
    using T = std::ranges::range_value_t<R>;
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>,
                  "gsort: const elements cannot be sorted");
    job<T, Keys...> work(given, failure);
    if (failure.status != GS_OK)
        return failure.status;
    return work.done(gs_job_sort_array(work.get(), std::ranges::data(elements),
                                       std::ranges::size(elements) * sizeof(T)),
                     failure);
}
template <auto... Keys, std::ranges::contiguous_range R>
void sort(R &&elements, const options &given = {})
{
    detail::must([&](gs_error &failure) { return sort<Keys...>(elements, given, failure); });
}

/* argsort: returns the positions of the elements in order, and leaves the elements unchanged. */
template <auto... Keys, std::ranges::contiguous_range R>
gs_status argsort(const R &elements, std::vector<std::uint64_t> &places, const options &given,
                  gs_error &failure)
{
    using T = std::ranges::range_value_t<R>;
    job<T, Keys...> work(given, failure);
    if (failure.status != GS_OK)
        return failure.status;
    places.resize(std::ranges::size(elements));
    return work.done(gs_job_argsort_array(work.get(), std::ranges::data(elements),
                                          places.size() * sizeof(T), places.data()),
                     failure);
}
template <auto... Keys, std::ranges::contiguous_range R>
std::vector<std::uint64_t> argsort(const R &elements, const options &given = {})
{
    std::vector<std::uint64_t> places;
    detail::must(
        [&](gs_error &failure) { return argsort<Keys...>(elements, places, given, failure); });
    return places;
}

/* ---- sorter ---- */

namespace detail
{

/* Fails for a sorter that is not open, or was moved from. */
inline gs_status is_open(const gs_sorter *sorter, gs_error &failure)
{
    failure = {};
    return sorter != nullptr ? GS_OK : gs_fail(&failure, GS_E_USAGE, 0, "the sorter is not open");
}

} // namespace detail

/* elements: the sorted elements of a sorter, or one of n equal parts of them, in blocks, or one by
 * one
 * in a for loop. Blocks and elements are valid until the next ones. Only the end of the loop proves
 * that no element was lost. A loop that ends early has seen elements in order. */
template <class T> class elements
{
  public:
    class iterator
    {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        explicit iterator(elements *of = nullptr) : of_(of)
        {
        }
        const T &operator*() const
        {
            return *at_;
        }
        const T *operator->() const
        {
            return at_;
        }
        iterator &operator++()
        {
            if (++at_ == end_)
                take();
            return *this;
        }
        void operator++(int)
        {
            ++*this;
        }
        friend bool operator==(const iterator &a, std::default_sentinel_t)
        {
            return a.at_ == a.end_;
        }

      private:
        friend elements;
        void take()
        {
            const std::span<const T> block = of_->pull();
            at_ = block.data();
            end_ = at_ + block.size();
        }

        elements *of_;
        const T *at_ = nullptr, *end_ = nullptr;
    };

    /* Returns the next block; a block without elements is the end. */
    gs_status pull(std::span<const T> &block, gs_error &failure)
    {
        const void *data = nullptr;
        std::uint64_t bytes = 0;
        block = {};
        gs_status status = detail::is_open(sorter_, failure);
        if (status == GS_OK)
            status = n_ == 0 ? gs_sorter_pull(sorter_, &data, &bytes, &failure)
                             : gs_sorter_pull_part(sorter_, i_, n_, &data, &bytes, &failure);
        if (status == GS_OK && bytes > 0)
            block = std::span(aligned(data, bytes), bytes / sizeof(T));
        return status;
    }
    std::span<const T> pull()
    {
        std::span<const T> block;
        detail::must([&](gs_error &failure) { return pull(block, failure); });
        return block;
    }
    iterator begin()
    {
        iterator first(this);
        first.take();
        return first;
    }
    std::default_sentinel_t end() const
    {
        return {};
    }

  private:
    template <class, auto...> friend class sorter;
    struct free_room {
        void operator()(void *room) const
        {
            ::operator delete(room, std::align_val_t(alignof(T)));
        }
    };

    explicit elements(gs_sorter *sorter, std::uint32_t i = 0, std::uint32_t n = 0)
        : sorter_(sorter), i_(i), n_(n)
    {
    }
    /* A block of one element, if its bytes are in two buffers. It is aligned as malloc aligns. */
    const T *aligned(const void *data, std::uint64_t bytes)
    {
        if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0) {
            if (room_bytes_ < bytes) {
                room_.reset(::operator new(bytes, std::align_val_t(alignof(T))));
                room_bytes_ = bytes;
            }
            data = std::memcpy(room_.get(), data, bytes);
        }
        return static_cast<const T *>(data);
    }

    gs_sorter *sorter_;
    std::uint32_t i_, n_; /* n 0: all */
    std::unique_ptr<void, free_room> room_;
    std::uint64_t room_bytes_ = 0;
};

/* sorter: sorts pushed elements within "memory", and spills the rest.
 * push: a span (array, vector) by any number of threads at once, while no thread pushes single
 * elements.
 * push: an element by one thread. The element is written where it will be sorted, without another
 * copy.
 * finish: says that everything was pushed. `begin` calls it if necessary.
 * part: returns part i of n equal parts of the order. Each part may have a thread of its own.
 * rank, rank_of: return the element at a position, and the positions of an element.
 * "count", and "sum" with :wide, would change the elements: use gs_sorter_open for them. */
template <class T, auto... Keys> class sorter
{
  public:
    using value_type = T;
    using iterator = typename elements<T>::iterator;
    struct places {
        std::uint64_t below, not_above;
    };

    explicit sorter(const options &given = {})
    {
        detail::must([&](gs_error &failure) { return open(given, failure); });
    }
    sorter(std::initializer_list<option> given) : sorter(options(given))
    {
    }
    sorter(const options &given, gs_error &failure)
    {
        open(given, failure);
    }
    sorter(sorter &&other) noexcept
        : sorter_(std::move(other.sorter_)), all_(std::exchange(other.all_, elements<T>(nullptr))),
          lent_(std::exchange(other.lent_, {})), is_finished_(other.is_finished_)
    {
    }
    sorter &operator=(sorter &&other) noexcept
    {
        sorter_ = std::move(other.sorter_);
        all_ = std::exchange(other.all_, elements<T>(nullptr));
        lent_ = std::exchange(other.lent_, {});
        is_finished_ = other.is_finished_;
        return *this;
    }
    ~sorter() = default;

    gs_status push(const T &element, gs_error &failure)
    {
        if (lent_.at == lent_.end) [[unlikely]]
            if (const gs_status status = lend(failure); status != GS_OK)
                return status;
        std::memcpy(lent_.at, &element, sizeof(T));
        lent_.at += sizeof(T);
        return GS_OK;
    }
    void push(const T &element)
    {
        if (lent_.at == lent_.end) [[unlikely]]
            detail::must([this](gs_error &failure) { return lend(failure); });
        std::memcpy(lent_.at, &element, sizeof(T));
        lent_.at += sizeof(T);
    }
    gs_status push(std::span<const T> many, gs_error &failure)
    {
        if (const gs_status status = give_back(failure); status != GS_OK)
            return status;
        return gs_sorter_push(get(), many.data(), many.size_bytes(), &failure);
    }
    void push(std::span<const T> many)
    {
        detail::must([&](gs_error &failure) { return push(many, failure); });
    }

    gs_status finish(gs_error &failure)
    {
        const gs_status status = give_back(failure);
        if (status != GS_OK)
            return status;
        is_finished_ = true;
        return gs_sorter_finish(get(), &failure);
    }
    void finish()
    {
        detail::must([this](gs_error &failure) { return finish(failure); });
    }

    gs_status pull(std::span<const T> &block, gs_error &failure)
    {
        return all_.pull(block, failure);
    }
    std::span<const T> pull()
    {
        return all_.pull();
    }
    iterator begin()
    {
        if (!is_finished_)
            finish();
        return all_.begin();
    }
    std::default_sentinel_t end() const
    {
        return {};
    }
    elements<T> part(std::uint32_t i, std::uint32_t n)
    {
        return elements<T>(get(), i, n == 0 ? UINT32_MAX : n);
    }

    gs_status rank(std::uint64_t at, T &element, gs_error &failure)
    {
        const gs_status status = detail::is_open(get(), failure);
        return status != GS_OK ? status : gs_sorter_rank(get(), at, &element, &failure);
    }
    T rank(std::uint64_t at)
    {
        std::array<std::byte, sizeof(T)> element;
        detail::must([&](gs_error &failure) {
            const gs_status status = detail::is_open(get(), failure);
            return status != GS_OK ? status : gs_sorter_rank(get(), at, element.data(), &failure);
        });
        return std::bit_cast<T>(element);
    }
    gs_status rank_of(const T &element, places &found, gs_error &failure)
    {
        const gs_status status = detail::is_open(get(), failure);
        return status != GS_OK
                   ? status
                   : gs_sorter_rank_of(get(), &element, &found.below, &found.not_above, &failure);
    }
    places rank_of(const T &element)
    {
        places found{};
        detail::must([&](gs_error &failure) { return rank_of(element, found, failure); });
        return found;
    }

    /* Returns the report, after the sort is over. */
    report take_report()
    {
        gs_report *made = nullptr;
        detail::must([&](gs_error &failure) {
            if (detail::is_open(get(), failure) == GS_OK)
                made = gs_sorter_report(get(), &failure);
            return failure.status;
        });
        return report(made);
    }
    void cancel() noexcept /* by any thread */
    {
        if (sorter_ != nullptr)
            gs_sorter_cancel(get());
    }
    gs_sorter *get() noexcept
    {
        return sorter_.get();
    }

  private:
    static constexpr std::uint64_t LENT_BYTES = std::uint64_t{1} << 20;

    gs_status open(const options &given, gs_error &failure)
    {
        job<T, Keys...> work(given, failure);
        for (const option &one : given)
            if ((one.name == "count" && one.value != "false" && one.value != "0") ||
                (one.name == "sum" && one.value.ends_with(":wide")))
                gs_fail(
                    &failure, GS_E_USAGE, 0,
                    "--%s: its output is not of the element type; use gs_sorter_open of gsort.h",
                    one.name.c_str());
        if (failure.status != GS_OK)
            return failure.status;
        sorter_.reset(gs_sorter_open(work.get(), &failure));
        all_ = elements<T>(get());
        return failure.status;
    }
    gs_status lend(gs_error &failure)
    {
        gs_status status = give_back(failure);
        void *data = nullptr;
        std::uint64_t bytes = 0;
        if (status == GS_OK)
            status = gs_sorter_reserve(get(), LENT_BYTES, &data, &bytes, &failure);
        if (status == GS_OK) {
            lent_.data = lent_.at = static_cast<std::byte *>(data);
            lent_.end = lent_.at + bytes;
        }
        return status;
    }
    /* Commits elements that were pushed one by one. */
    gs_status give_back(gs_error &failure)
    {
        const gs_status status = detail::is_open(get(), failure);
        if (lent_.data == nullptr)
            return status;
        const room was = std::exchange(lent_, {});
        return gs_sorter_commit(get(), was.data, static_cast<std::uint64_t>(was.at - was.data),
                                &failure);
    }

    /* Reserves room in the sorter's own memory for single elements. */
    struct room {
        std::byte *data = nullptr, *at = nullptr, *end = nullptr;
    };

    std::unique_ptr<gs_sorter, detail::close_sorter> sorter_;
    elements<T> all_{nullptr};
    room lent_;
    bool is_finished_ = false;
};

} // namespace gsort

#endif /* C++20 */
#endif
