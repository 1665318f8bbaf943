"""variants.py: the options that random jobs have, which of them go together, and the sets of them that a run tries.

Each option is a Variant, by the name of its row in tests/cli/option_pairs.py. An option of `gsort --help=all` that is neither a
Variant nor in WITHOUT_MODEL makes the run fail.
"""
import itertools
import os
import random

# Options that no job has yet, each with the reason. The list may only get shorter.
WITHOUT_MODEL = {
    "--device-memory": "needs a GPU",
    "--device-model": "is for plans, which tests/golden has",
    "--tune": "needs a GPU",
    "--join-reports": "reads reports, of which none is modelled as a whole",
    "--explain": "prints a plan, which tests/golden has",
    "--permute": "has a model of its own, tests/cli/sort/permute.py",
    "--help": "prints texts, which tests/cli/options has",
    "--version": "prints a text, which tests/cli/options has",
}


class Variant:
    """An option, or one of the meanings of an option.

    row: its name in option_pairs.py; needs: variants it is drawn with; of: "numbers" or "records" if it is for one of them
    only; is_way: it changes how the work is done, and nothing that is written
    """

    def __init__(self, row, needs=(), of=None, is_way=False):
        self.row, self.needs, self.of, self.is_way = row, needs, of, is_way
        self.option = row.split("=")[0]


VARIANTS = {variant.row: variant for variant in [
    Variant("--type=i64", of="numbers"),
    Variant("--record=24", of="records"),
    Variant("--fields=id=0:u64,price=16:f64", of="records"),
    Variant("--key=16:f64", of="records"),
    Variant("--where=0:u64>4"),
    Variant("--reverse"),
    Variant("--nan=last"),
    Variant("--ties=bytes", of="records"),
    Variant("--ties=input", of="records"),
    Variant("--merge"),
    Variant("--merge=intersect"),
    Variant("--files0-from=names"),
    Variant("--header=24"),
    Variant("--drop-header", needs=("--header=24",)),
    Variant("--drop-tail"),
    Variant("--region=48:2256"),
    Variant("--range=40:50"),
    Variant("--part=1/2", needs=("--merge",)),
    Variant("--into=into", needs=("--part=1/2",)),
    Variant("--find=3..5"),
    Variant("--raw"),
    Variant("--strict"),
    Variant("--output=out.%d"),
    Variant("--split=3", needs=("--output=out.%d",)),
    Variant("--split-at=5", needs=("--output=out.%d",)),
    Variant("--unique"),
    Variant("--count", needs=("--unique",)),
    Variant("--keep=last", needs=("--unique",)),
    Variant("--keep=first", needs=("--unique",)),
    Variant("--keep=repeated", needs=("--unique",)),
    Variant("--group=1", needs=("--unique", "--key=16:f64"), of="records"),
    Variant("--sum=16:f64", needs=("--unique", "--key=16:f64"), of="records"),
    Variant("--min=16:f64", needs=("--unique", "--key=16:f64"), of="records"),
    Variant("--max=16:f64", needs=("--unique", "--key=16:f64"), of="records"),
    Variant("--sum=8:u64:wide", needs=("--unique", "--key=16:f64"), of="records"),
    Variant("--order-by=16:f64:desc", needs=("--unique",)),
    Variant("--out=16:8,0:4", of="records"),
    Variant("--out-order=big", of="numbers"),
    Variant("--values=values:8=values.out", needs=("--output=out.%d",)),
    Variant("--argsort"),
    Variant("--argsort=u32"),
    Variant("--top=5"),
    Variant("--shuffle=7"),
    Variant("--sample=5", needs=("--shuffle=7",)),
    Variant("--zstd"),
    Variant("--verify=read", needs=("--output=out.%d",), is_way=True),
    Variant("--memory=64M", is_way=True),
    Variant("--temporary-directory=.", is_way=True),
    Variant("--resume=kept", needs=("--output=out.%d",), is_way=True),
    Variant("--compress=none", is_way=True),
    Variant("--compress=auto", is_way=True),
    Variant("--compress=deltas", is_way=True),
    Variant("--spill=always", is_way=True),
    Variant("--spill=auto", is_way=True),
    Variant("--device=cpu", is_way=True),
    Variant("--check"),
    Variant("--check=quiet"),
    Variant("--head=2"),
    Variant("--tail=3"),
    Variant("--print=text"),
    Variant("--print=json", needs=("--head=2",)),
    Variant("--print=header", needs=("--head=2",)),
    Variant("--print=csv", needs=("--head=2",)),
    Variant("--stats=text"),
    Variant("--stats=json"),
    Variant("--stats=json:report.json"),
    Variant("--stats=none"),
    Variant("--stats-only"),
    Variant("--stats-of=16:f64", of="records"),
    Variant("--quantiles=0.5"),
    Variant("--histogram=3"),
    Variant("--distinct"),
    Variant("--mode"),
    Variant("--variance"),
    Variant("--quiet", is_way=True),
    Variant("--verbose", is_way=True),
    Variant("--progress=always", is_way=True),
    Variant("--parallel=2", is_way=True),
    Variant("--batch-size=4", is_way=True),
    Variant("--io=threads", is_way=True),
    Variant("--chunk=64K", is_way=True),
    Variant("--window=64K", is_way=True),
]}


def row_of(argument):
    """The variant that an argument is of: the first one of its option."""
    return next(row for row, variant in VARIANTS.items() if variant.option == argument.split("=")[0])


RANKS = ("--quantiles=0.5", "--histogram=3", "--distinct", "--mode")
FOLDS = ("--sum=16:f64", "--min=16:f64", "--max=16:f64", "--sum=8:u64:wide")

# Pairs that option_pairs.py sees refused because of the values that it gives.
BY_VALUES = [{a, b} for a in ("--key=16:f64", *FOLDS[:3]) for b in FOLDS[:3]]
BY_VALUES += [{"--shuffle=7", "--variance"}, {"--sample=5", "--variance"}]
BY_VALUES += [{"--stats-of=16:f64", rank} for rank in RANKS]

# Options whose code meets only if all are there; more jobs than chance has them.
TOGETHER = [("--group=1", "--keep=last", "--sum=16:f64"), ("--group=1", "--keep=last", "--max=16:f64"), ("--unique", "--sum=16:f64"),
            ("--keep=last", "--max=16:f64"), ("--keep=last", "--min=16:f64"), ("--argsort", "--where=0:u64>4")]

# Options of which no two exclude each other, but all three do.
TRIPLES = [{"--check", "--unique", "--ties"}, {"--merge", "--where", "--split"}]


def refused_pairs():
    """Pairs of rows that gsort refuses, as option_pairs.py keeps them."""
    pairs = set()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "refused_pairs.txt"), encoding="ascii") as file:
        for line in file:
            row, others = line.rstrip("\n").split(": ")
            pairs |= {frozenset((row, other)) for other in others.split()}
    return {pair for pair in pairs if pair not in BY_VALUES}


class Pairs:
    """Which variants go together."""

    def __init__(self):
        self.refused = refused_pairs()
        self.closures = {name: self.closure(name) for name in VARIANTS}
        self.allowed = self.allowed_sets(2)

    def allowed_sets(self, size):
        """Sets of so many variants that go together."""
        return {frozenset(names) for names in itertools.combinations(VARIANTS, size) if self.is_allowed(names)}

    def closure(self, name):
        names = {name}
        for need in VARIANTS[name].needs:
            if need in VARIANTS:
                names |= self.closure(need)
        return frozenset(names)

    def is_allowed(self, names):
        """Returns whether no two of these, and of their needs, exclude each other."""
        whole = set().union(*(self.closures[name] for name in names))
        options = [VARIANTS[name].option for name in whole if name not in FOLDS]  # --sum may be there twice
        kinds = {VARIANTS[name].of for name in whole} - {None}
        if len(kinds) > 1 or len(set(options)) < len(options):
            return False
        if any(triple <= set(options) for triple in TRIPLES):
            return False
        listed = list(whole)
        return not any(frozenset((a, b)) in self.refused for i, a in enumerate(listed) for b in listed[i + 1:])

    def goes_with(self, name, names):
        return self.is_allowed({name, *names})

    def grow(self, rng, names, size):
        """A set of so many variants that has these."""
        whole = set().union(*(self.closures[name] for name in names))
        others = [name for name in VARIANTS if name not in whole]
        rng.shuffle(others)
        for name in others:
            if len(whole) >= size:
                break
            more = whole | self.closures[name]
            if self.is_allowed(more):
                whole = more
        return whole


def sets_of_names(pairs, seed, count, size=2):
    """Yields the variants of each job: pairs, or larger sets, that no job had yet are first."""
    rng = random.Random(seed)
    missing = sorted(map(sorted, pairs.allowed if size == 2 else pairs.allowed_sets(size)))
    rng.shuffle(missing)
    had = set()
    for _ in range(count):
        while missing and frozenset(missing[-1]) in had:
            missing.pop()
        is_together = rng.random() < 0.06
        start = rng.choice(TOGETHER) if is_together else missing.pop() if missing else [rng.choice(list(VARIANTS))]
        names = pairs.grow(rng, start, rng.randrange(3, 9 if is_together else 14))
        had |= set(map(frozenset, itertools.combinations(names, size)))
        yield names


def refused_sets(pairs, seed, count):
    """Variants of which two exclude each other."""
    rng = random.Random(f"{seed} refused")
    known = [pair for pair in sorted(map(sorted, pairs.refused)) if all(name in VARIANTS for name in pair)]
    known = [pair for pair in known if len({VARIANTS[name].of for name in pair} - {None}) < 2]
    for _ in range(count):
        a, b = rng.choice(known)
        names = set(pairs.closures[a] | pairs.closures[b])
        is_number = any(VARIANTS[name].of == "numbers" for name in names)
        yield names if is_number else names | {"--record=24", "--key=16:f64"}  # as option_pairs.py has them
