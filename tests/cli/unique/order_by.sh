# --order-by writes the bytes of two commands: one makes groups, and one sorts them. Records, aggregates and orders are random.
# Some jobs have so little memory that both sorts spill.
cat >compare.py <<'END'
import os, random, struct, subprocess, sys

seeded = random.Random(int(sys.argv[1]))
FIELDS = {"id": "0:u32", "side": "4:uint8", "price": "8:f64", "qty": "16:i64", "fee": "24:i32"}
SUMS = {"qty": (24 + 4, "i128"), "fee": (24 + 4, "i64"), "price": (24 + 4, "f64")}


def run(*args):
    done = subprocess.run(["gsort", "-R28", *args], capture_output=True, timeout=120)
    assert done.returncode == 0, (args, done)
    return done.stdout


def compare(count, ids, memory):
    with open("x", "wb") as file:
        for _ in range(count):
            price = seeded.choice([seeded.randrange(9) / 4, seeded.random(), float("nan"), -0.0])
            file.write(struct.pack("<IB3xdqi", seeded.randrange(ids), seeded.randrange(3), price,
                                   seeded.randrange(-50, 50), seeded.randrange(-2**31, 2**31)))
    fields = [f"--fields={name}={place}" for name, place in FIELDS.items()]
    keys = ["-k", "id", *seeded.choice([[], ["-k", "side:desc"]])]
    columns, wide, options = ["id", "price", "qty", "8:f64", "16:i64", "24:i32", "0:b4"], {}, ["-u", *keys]
    entry = 28
    for name in seeded.sample(["qty", "fee", "price"], seeded.randrange(3)):
        if name == "fee" or seeded.randrange(2):
            options.append(f"--sum={name}:wide")
            wide[name + ":wide"] = f"{entry}:{SUMS[name][1]}"
            entry += 16 if name == "qty" else 8
        else:
            options.append(f"--sum={name}" if seeded.randrange(2) else f"--max={name}")
    if seeded.randrange(2):
        options.append("--count")
        wide["count"] = f"{entry}:u64"
        entry += 8
    columns += 3 * list(wide)
    if seeded.randrange(3) == 0:
        options.append("--keep=last")
    if seeded.randrange(4) == 0:
        options.append("--reverse")
    if seeded.randrange(4) == 0:
        options.append("--where=qty>0")
    nan = seeded.choice([[], ["--nan=last"], ["--nan=first"]])
    top = seeded.choice([[], [f"--top={seeded.choice([0, 1, 7, count // 2, count])}"]])
    order, places = [], set()
    for column in seeded.sample(columns, seeded.randrange(1, 4)):
        place = wide.get(column, FIELDS.get(column, column))
        if place not in places:
            places.add(place)
            order.append((column, place, seeded.choice(["", ":desc", ":asc"])))
    run(*fields, *options, *nan, "x", "-o", "groups")
    again = [f"-k{place}{way}" for _, place, way in order]
    done = subprocess.run(["gsort", f"-R{entry}", *again, *nan, *top, "groups", "-o", "expected"], capture_output=True)
    assert done.returncode == 0, done
    asked = "--order-by=" + ",".join(column + way for column, _, way in order)
    limits = memory and ["-S", memory, "--spill=always", "-T."]
    command = [*fields, *options, *nan, *top, asked, "x", *limits]
    run(*command, "-o", "result", *seeded.choice([[], ["--verify=read"], ["--io=threads"], ["--parallel=1"]]))
    expected = open("expected", "rb").read()
    assert open("result", "rb").read() == expected, command
    assert run(*command) == expected, command
    assert set(os.listdir(".")) == {"x", "groups", "expected", "result", "compare.py"}, os.listdir(".")


for i in range(int(sys.argv[2])):
    compare(seeded.choice([0, 1, 50, 3000]), seeded.choice([1, 20, 100000]), [])
for i in range(int(sys.argv[3])):
    compare(400000, 300000, seeded.choice(["20M", "24M"]))
END
python3 compare.py "${GS_TEST_SEED:-1}" "$(sized 60 10)" "$(sized 4 1)"
