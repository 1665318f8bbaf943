"""Python's sort, which is stable, and times by its datetime."""
import datetime
import glob
import struct


def ticks(name):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack('<qIId', file.read()))


def nanoseconds(hour):
    time = datetime.datetime(2026, 11, 3, hour, tzinfo=datetime.timezone.utc)
    return int(time.timestamp()) * 1_000_000_000


days = [ticks(name) for name in sorted(glob.glob('day.?'))]
assert len(days) == 5 and all(day != sorted(day, key=lambda tick: tick[0]) for day in days)
week = sorted(sum(days, []), key=lambda tick: tick[0])
assert ticks('week') == week
assert ticks('hour') == [tick for tick in week if nanoseconds(10) <= tick[0] <= nanoseconds(11)] != []
by_instrument = sorted(week, key=lambda tick: tick[1])
assert ticks('by_instrument') == by_instrument
assert ticks('last') == list({tick[1]: tick for tick in by_instrument}.values())
