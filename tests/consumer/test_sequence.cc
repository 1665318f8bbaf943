// test_sequence.cc: sorts a router's nodes with sequence.hpp, by a nested member and by two keys,
// and reads them in place. Prints a line for each check that fails.
#include "sequence.hpp"

#include <cstdio>

struct Node {
    std::uint64_t id;
    std::uint64_t lng : 32, lat : 32;
    std::uint32_t access, traffic;
};
struct WayNode {
    Node node;
    std::uint32_t way, place;
    double length;
};
static_assert(sizeof(WayNode) == 40);

static int broken;

static void check(bool is_so, const char *what)
{
    if (!is_so) {
        std::puts(what);
        broken = 1;
    }
}

int main()
{
    constexpr std::uint32_t COUNT = 1000000; // 40 MB, in 16
    sequence<WayNode> nodes("way_nodes.bin", true);
    for (std::uint32_t i = 0; i < COUNT; i++)
        nodes.push_back({{i * 7919u % 500009u, i, i, 3, 4}, i / 10, i % 10, 0.5});
    check(std::ranges::size(nodes) == COUNT && nodes.end()[-1].way == COUNT / 10 - 1,
          "as they were pushed");
    nodes.sort<gsort::within<&WayNode::node, &Node::id>>((16u << 20) / sizeof(WayNode));
    const auto below = [](const WayNode &a, const WayNode &b) { return a.node.id < b.node.id; };
    check(std::ranges::is_sorted(nodes, below), "by id");
    WayNode wanted = nodes.begin()[700];
    const WayNode *found = nodes.find(wanted, below);
    check(found != nodes.end() && found->node.id == wanted.node.id, "one of them");
    wanted.node.id = UINT64_MAX;
    check(nodes.find(wanted, below) == nodes.end(), "one that is not there");
    nodes.push_back(wanted);
    nodes.sort<&WayNode::way, gsort::desc<&WayNode::place>>();
    const auto earlier = [](const WayNode &a, const WayNode &b) {
        return std::tuple(a.way, b.place) < std::tuple(b.way, a.place);
    };
    check(std::ranges::size(nodes) == COUNT + 1 && std::ranges::is_sorted(nodes, earlier),
          "by way and place");
    return broken;
}
