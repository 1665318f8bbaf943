// test_hpp.cc: tests gsort.hpp. It compares every kind of key with std::stable_sort, and tests
// sorters of one and several threads, files, arrays, and failures as exceptions and as statuses.
// Prints a line for each check that fails.
#include <gsort.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

static int broken;

static void check(bool is_so, const std::string &what)
{
    if (!is_so) {
        std::puts(what.c_str());
        broken = 1;
    }
}

template <class T> static std::vector<T> get(const char *name)
{
    std::ifstream file(name, std::ios::binary);
    std::vector<T> all;
    for (T one; file.read(reinterpret_cast<char *>(&one), sizeof one);)
        all.push_back(one);
    return all;
}

template <class T> static void put(const char *name, const std::vector<T> &all)
{
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char *>(all.data()),
               static_cast<std::streamsize>(all.size() * sizeof(T)));
}

template <class T> static bool same(const T &a, const T &b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/* ---- keys ---- */

enum Color { RED = -2, GREEN = 7 };
enum class Level : std::uint16_t { LOW = 3, HIGH = 60000 };
struct Seconds {
    explicit Seconds(std::int64_t of) : count_(of)
    {
    }
    std::int64_t count() const
    {
        return count_;
    }

  private:
    std::int64_t count_;
};
template <> struct gsort::key_as<Seconds> {
    using type = std::int64_t;
};
struct Point {
    std::int32_t x, y;
};
struct Named {
    char name[5];
};
struct All : Named { // no constructor without arguments, padding, a base
    explicit All(std::mt19937_64 &bits)
        : Named(), time(static_cast<std::int64_t>(bits())), color(bits() % 2 == 0 ? RED : GREEN),
          level(bits() % 2 == 0 ? Level::LOW : Level::HIGH)
    {
        const auto make = [&bits](auto &value) {
            using V = std::remove_reference_t<decltype(value)>;
            value = static_cast<V>(bits());
        };
        make(flag), make(letter), make(tiny), make(byte), make(word), make(half), make(whole);
        make(count), make(large), make(size);
        for (int i = 0; i < 3; i++)
            name[i] = static_cast<char>(bits()),
            id[static_cast<std::size_t>(i)] = std::byte(bits());
        single = static_cast<float>(static_cast<std::int64_t>(bits()));
        real = std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits())), -40);
        for (Point &point : points)
            make(point.x), make(point.y);
        for (std::uint16_t &lane : lanes)
            make(lane);
#ifdef __SIZEOF_INT128__
        wide = static_cast<gsort::detail::wide_int>(bits()) << 64 | bits();
#endif
    }
    bool flag;
    char letter;
    signed char tiny;
    unsigned char byte;
    short word;
    unsigned short half;
    int whole;
    unsigned count;
    long large;
    unsigned long long size;
    float single;
    double real;
    std::array<std::byte, 3> id = {};
    Seconds time;
    Color color;
    Level level;
    Point points[2];
    std::array<std::uint16_t, 3> lanes;
#ifdef __SIZEOF_INT128__
    gsort::detail::wide_int wide;
#endif
};

static std::vector<All> some(std::size_t n)
{
    std::mt19937_64 bits(n);
    std::vector<All> all;
    while (all.size() < n)
        all.emplace_back(bits);
    return all;
}

// By a key up and down, and what std::stable_sort makes with `value`.
template <auto Key, class Value> static void check_key(const char *name, Value value)
{
    const std::vector<All> given = some(700);
    std::vector<All> up = given, down = given, model = given;
    gsort::sort<Key>(up);
    gsort::sort<gsort::desc<Key>>(std::span(down));
    const auto below = [&](const All &a, const All &b) { return value(a) < value(b); };
    std::stable_sort(model.begin(), model.end(), below);
    check(std::ranges::equal(up, model, same<All>), std::string(name) + ": order");
    const auto above = [&](const All &a, const All &b) { return value(b) < value(a); };
    model = given;
    std::stable_sort(model.begin(), model.end(), above);
    check(std::ranges::equal(down, model, same<All>), std::string(name) + ": order of desc");
    const std::vector<std::uint64_t> places = gsort::argsort<gsort::desc<Key>>(given);
    bool is_so = places.size() == model.size();
    for (std::size_t i = 0; i < places.size() && is_so; i++)
        is_so = same(given[places[i]], model[i]);
    check(is_so, std::string(name) + ": argsort");
}

#define CHECK_MEMBER(member) \
    check_key<&All::member>(#member, [](const All &all) { return all.member; })

static void check_keys()
{
    CHECK_MEMBER(flag);
    CHECK_MEMBER(letter);
    CHECK_MEMBER(tiny);
    CHECK_MEMBER(byte);
    CHECK_MEMBER(word);
    CHECK_MEMBER(half);
    CHECK_MEMBER(whole);
    CHECK_MEMBER(count);
    CHECK_MEMBER(large);
    CHECK_MEMBER(size);
    CHECK_MEMBER(single);
    CHECK_MEMBER(real);
    CHECK_MEMBER(id);
    CHECK_MEMBER(color);
    CHECK_MEMBER(level);
#ifdef __SIZEOF_INT128__
    CHECK_MEMBER(wide);
#endif
    check_key<&All::time>("time", [](const All &all) { return all.time.count(); });
    check_key<&Named::name>("name", [](const All &all) { return std::string(all.name, 5); });
    check_key<gsort::within<&All::points, 1, &Point::y>>(
        "points", [](const All &all) { return all.points[1].y; });
    check_key<gsort::within<&All::lanes, 2>>("lanes", [](const All &all) { return all.lanes[2]; });

    std::vector<All> given = some(5000), model = given;
    gsort::sort<&All::color, gsort::desc<gsort::desc<&All::flag>>, gsort::desc<&All::level>>(given);
    std::stable_sort(model.begin(), model.end(), [](const All &a, const All &b) {
        return std::tuple(a.color, a.flag, b.level) < std::tuple(b.color, b.flag, a.level);
    });
    check(std::ranges::equal(given, model, same<All>), "three keys");
}

/* ---- elements that are no classes ---- */

template <class T> static void check_plain(const char *name)
{
    std::mt19937_64 bits(sizeof(T));
    std::vector<T> given(3000);
    for (T &one : given)
        one = static_cast<T>(static_cast<std::int64_t>(bits()) / 3);
    std::vector<T> model = given;
    std::sort(model.begin(), model.end());
    gsort::sorter<T> sorter{{"memory", "16M"}};
    for (const T &one : given)
        sorter.push(one);
    std::size_t i = 0;
    bool is_so = true;
    for (const T &one : sorter)
        is_so = is_so && i < model.size() && one == model[i++];
    check(is_so && i == model.size(), std::string(name) + ": a sorter");
    std::reverse(model.begin(), model.end());
    gsort::sort(given, {{"reverse", true}});
    check(given == model, std::string(name) + ": largest first");
}

static void check_plain_elements()
{
    check_plain<std::int8_t>("int8_t");
    check_plain<unsigned short>("short");
    check_plain<int>("int");
    check_plain<unsigned long>("long");
    check_plain<float>("float");
    check_plain<double>("double");
    std::vector<Seconds> times = {Seconds(5), Seconds(-5)};
    gsort::sort(times);
    check(times[0].count() == -5, "a class that is a number");
    std::vector<Level> levels = {Level::HIGH, Level::LOW};
    gsort::sort(levels);
    check(levels[0] == Level::LOW, "an enum");
    std::vector<std::array<unsigned char, 20>> hashes(2);
    hashes[0][19] = 200, hashes[1][19] = 100;
    gsort::sort(hashes);
    check(hashes[0][19] == 100, "arrays of bytes");
    std::vector<double> none;
    gsort::sort(none);
    check(none.empty() && gsort::argsort(none).empty(), "no elements");
}

/* ---- sorters ---- */

// Its size is no power of two, and it is aligned: elements straddle blocks.
struct alignas(64) Line {
    std::uint64_t key, place;
    unsigned char rest[176];
};
static_assert(sizeof(Line) == 192);

using Lines = gsort::sorter<Line, &Line::key>;
static_assert(std::ranges::input_range<Lines> && !std::ranges::forward_range<Lines>);
static_assert(std::input_iterator<Lines::iterator>);

static Line line(std::uint64_t i)
{
    return {.key = i * 7919 % 1000, .place = i, .rest = {static_cast<unsigned char>(i)}};
}

static void check_spilled()
{
    constexpr std::uint64_t COUNT = 150000;
    Lines first{{"memory", "12M"}, {"temporary-directory", "."}, {"threads", 2}};
    std::vector<Line> block;
    for (std::uint64_t i = 0; i < COUNT; i++) // in ones and in blocks, in this order
        if (i % 1000 < 300) {
            first.push(line(i));
        } else {
            block.push_back(line(i));
            if (i % 100 == 99) {
                first.push(block);
                block.clear();
            }
        }
    Lines sorter(std::move(first));
    std::uint64_t seen = 0, key = 0, place = 0;
    bool is_so = true;
    for (const Line &one : sorter) {
        is_so = is_so && reinterpret_cast<std::uintptr_t>(&one) % alignof(Line) == 0;
        is_so = is_so && one.key == one.place * 7919 % 1000;
        is_so = is_so && one.rest[0] == static_cast<unsigned char>(one.place);
        is_so = is_so && (seen == 0 || one.key > key || (one.key == key && one.place > place));
        key = one.key, place = one.place;
        seen++;
    }
    check(is_so && seen == COUNT, "what was spilled comes out in order");
    const gsort::report report = sorter.take_report();
    check(report.u64("tally.count") == COUNT && report.u64("spilled_bytes").value_or(0) > 0 &&
              report.text("type").has_value() && !report.u64("no.such"),
          "the report of a sorter");
}

// malloc decides the addresses of parts: of several, not all are at a multiple of 64 bytes.
static void check_aligned_parts()
{
    Lines sorter{{"memory", "12M"}, {"temporary-directory", "."}};
    for (std::uint64_t i = 0; i < 10000; i++)
        sorter.push(line(i));
    sorter.finish();
    std::uint64_t seen = 0;
    bool is_so = true;
    auto first = sorter.part(0, 3), second = sorter.part(1, 3), third = sorter.part(2, 3);
    auto at_first = first.begin(), at_second = second.begin(), at_third = third.begin();
    for (auto *at : {&at_first, &at_second, &at_third})
        for (; *at != std::default_sentinel; ++*at) {
            const Line &one = **at;
            is_so = is_so && reinterpret_cast<std::uintptr_t>(&one) % alignof(Line) == 0;
            is_so = is_so && one.key == one.place * 7919 % 1000;
            seen++;
        }
    check(is_so && seen == 10000, "elements of parts are aligned");
}

static void check_threads_and_parts()
{
    gsort::sorter<std::uint32_t> sorter{{"memory", "32M"}, {"temporary-directory", "."}};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; i++)
        threads.emplace_back([&sorter, i] {
            std::vector<std::uint32_t> mine;
            for (std::uint32_t k = 0; k < 1000; k++)
                mine.push_back(4 * k + i);
            sorter.push(mine);
        });
    for (std::thread &thread : threads)
        thread.join();
    sorter.finish();
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < 3; i++)
        for (const std::uint32_t &one : sorter.part(i, 3))
            found.push_back(one);
    bool is_so = found.size() == 4000;
    for (std::uint32_t i = 0; i < 4000 && is_so; i++)
        is_so = found[i] == i;
    check(is_so, "parts of what threads pushed");
    const auto places = sorter.rank_of(1234);
    check(sorter.rank(77) == 77 && places.below == 1234 && places.not_above == 1235, "ranks");
    gsort::sorter<std::uint32_t> other;
    other.push(3);
    other = std::move(sorter);
    check(other.pull().front() == 0, "a sorter that was moved");
    gsort::sorter<std::uint32_t> given_up;
    given_up.push(7);
    gsort::sorter<std::uint32_t> canceled;
    canceled.push(7);
    canceled.cancel();
    gs_error failure;
    check(
        canceled.finish(failure) == GS_E_CANCELED ||
            [&] {
                std::span<const std::uint32_t> block;
                return canceled.pull(block, failure) == GS_E_CANCELED;
            }(),
        "a sorter that was canceled");
}

/* ---- files ---- */

struct Edge {
    std::uint64_t from, to;
};

static void check_files()
{
    std::vector<Edge> edges;
    for (std::uint64_t i = 0; i < 3000; i++)
        edges.push_back({i * 31 % 17, i});
    put("a.bin", edges);
    put("b.bin", std::vector<Edge>{{0, 5000}});
    const gsort::report report = gsort::sort_file<Edge, &Edge::from, gsort::desc<&Edge::to>>(
        "a.bin", "c.bin", {{"memory", "64M"}, {"input", "b.bin"}});
    const std::vector<Edge> sorted = get<Edge>("c.bin");
    check(report.u64("tally.count") == 3001 && report.f64("seconds") >= 0.0, "the report of files");
    check(sorted.size() == 3001 && sorted[0].to == 5000 && sorted[3000].from == 16 &&
              std::ranges::is_sorted(sorted,
                                     [](const Edge &a, const Edge &b) {
                                         return std::tuple(a.from, b.to) < std::tuple(b.from, a.to);
                                     }),
          "files");
    gsort::job<Edge, &Edge::from, gsort::desc<&Edge::to>> job{{"input", "c.bin"}};
    job.run(GS_CHECK);
    gsort::job<Edge, &Edge::to> other{{"input", "c.bin"}};
    gs_error failure;
    check(other.run(GS_CHECK, failure) == GS_E_DISORDER, "a file in another order");
}

/* ---- failures ---- */

struct Padded {
    char letter;
    std::uint32_t number;
};

// Checks what a call throws: its status and a part of its text.
static void check_throws(gs_status status, const char *text, const std::function<void()> &call)
{
    try {
        call();
        check(false, std::string("nothing is thrown: ") + text);
    } catch (const gsort::error &error) {
        check(error.status() == status && error.exit_code() == gs_status_exit_code(status) &&
                  std::strstr(error.what(), text) != nullptr,
              std::string(text) + ": " + error.what());
    }
}

static void check_failures()
{
    std::vector<Edge> edges = {{2, 1}, {1, 2}};
    check_throws(GS_E_USAGE, "no-such", [&] { gsort::sort<&Edge::to>(edges, {{"no-such", 1}}); });
    check_throws(GS_E_USAGE, "memory", [&] { gsort::sort<&Edge::to>(edges, {{"memory", "2X"}}); });
    check_throws(GS_E_USAGE, "--key: is set by the element type", [&] {
        gsort::sort<&Edge::to>(edges, {{"key", "0:u32"}});
    });
    check_throws(GS_E_USAGE, "padding", [] {
        gsort::sorter<Padded, &Padded::number> sorter{{"ties", "bytes"}};
    });
    check_throws(GS_E_USAGE, "--count", [] {
        gsort::sorter<Edge, &Edge::to> sorter{{"unique", true}, {"count", true}};
    });
    check_throws(GS_E_USAGE, "--sum", [] {
        gsort::sorter<Edge, &Edge::to> sorter{{"unique", true}, {"sum", "0:u64:wide"}};
    });
    check_throws(GS_E_INPUT, "none.bin",
                 [] { gsort::sort_file<Edge, &Edge::to>("none.bin", "d.bin"); });
    check_throws(GS_E_USAGE, "gs_sorter_push", [] {
        gsort::sorter<double> sorter;
        sorter.finish();
        const std::array<double, 1> late = {1};
        sorter.push(late);
    });
    check_throws(GS_E_USAGE, "finish", [] { gsort::sorter<double>().rank(0); });
    check_throws(GS_E_USAGE, "not open", [] {
        gsort::sorter<double> sorter;
        gsort::sorter<double>(std::move(sorter)).push(1.0);
        sorter.cancel();
        sorter.push(1.0);
    });
    gs_error failure;
    check(gsort::sort_file<Edge, &Edge::to>("none.bin", "d.bin", {}, failure) == GS_E_INPUT &&
              failure.sys_errno == ENOENT,
          "a status instead");
    gsort::sorter<Edge, &Edge::to> refused({{"top", "x"}}, failure);
    check(failure.status == GS_E_USAGE && refused.get() == nullptr, "a sorter with a status");
    gsort::sorter<Edge, &Edge::to>::places places{};
    std::span<const Edge> block;
    check(refused.push({1, 2}, failure) == GS_E_USAGE &&
              refused.push(edges, failure) == GS_E_USAGE && refused.finish(failure) == GS_E_USAGE &&
              refused.pull(block, failure) == GS_E_USAGE &&
              refused.rank(0, edges[0], failure) == GS_E_USAGE &&
              refused.rank_of(edges[0], places, failure) == GS_E_USAGE,
          "a sorter that is not open");
    // Ties by all bytes, where each is a value's.
    gsort::sort<&Edge::to>(edges, {{"ties", "bytes"}});
    gsort::sorter<Edge, &Edge::from> unique{{"unique", true}, {"count", false}};
    check(unique.push(edges, failure) == GS_OK && unique.push({1, 9}, failure) == GS_OK &&
              unique.finish(failure) == GS_OK,
          "pushes with a status");
    std::size_t count = 0;
    while (unique.pull(block, failure) == GS_OK && !block.empty())
        count += block.size();
    check(count == 2 && failure.status == GS_OK, "blocks with a status");
}

int main()
{
    check_keys();
    check_plain_elements();
    check_spilled();
    check_aligned_parts();
    check_threads_and_parts();
    check_files();
    check_failures();
    return broken;
}
