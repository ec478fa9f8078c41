#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares a simulated fleet with formulas, and brings both into Documentation or compares them with it.

    fleet.py record FLEET
    fleet.py check FLEET TOOL [--quick]

The record is fleets/tables.tsv and plots.tsv. A table of the first lies in fleets.md between the comments
"fleet: NAME" and "fleet: end", and the plots are drawn from the second. A quick run leaves out rows
and points; those that it has must be in the record, in the same order. The check also runs the
commands of fleets.md that merge streams; TOOL is the directory of kuid. Prints TAP.
"""
import collections
import difflib
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "run"))
import tables  # noqa: E402

PAGE = tables.TOP / "Documentation/fleets.md"
RECORD = tables.TOP / "Documentation/fleets"
HEADS = {
    "repeats": "hosts | IDs a second of each | v7: repeats a year | v1, v6: repeats a year",
    "epochs": "hosts | one epoch in 30 days | one a day | 24 a day",
    "numbers": "hosts | 10 bits: snowflake | 32 bits: k96 | 64 bits: lex, k128",
    "pairs": "IDs a second of each | k96, k128 | snowflake | lex",
    "counted": "experiment | expected | counted",
    "order": "clocks | format | hosts | IDs a second of each | clocks apart, ms | bound, ms | "
             "out of order by, ms | places | places, mean",
    "intervals": "I | 2^I, s | out of order by, s | places, s of IDs | places, mean | 2^I / 3, s",
}
PLOTS = {
    "shared": "Numbers of 10 and 32 bits must be given or claimed; 47 and 64 bits may be random",
    "order": "IDs of a fleet are out of order by no more than its clocks and 100 ms",
}


SIZES = [10 ** power for power in range(1, 7)]
YEAR = 365.25 * 86400
V7_BITS, LANES = 47, 128
# clock_seq has ns % 100 plus an offset of 0 to 27 of each epoch: the part of a tick of 100 ns in which
# two epochs with the same node can make the same v1.
OVERLAP = sum(100 - abs(a - b) for a in range(28) for b in range(28)) / 28 / 28 / 100
TICK_S, LAST_TICK_S = 1024e-6, 1 - 976 * 1024e-6  # of the k-ordered grid

failed = False


def check(good, what):
    global failed
    print(f"{'ok' if good else 'not ok'} - {what}", flush=True)
    failed = failed or not good


def pairs(hosts):
    return hosts * (hosts - 1) / 2


def shared(hosts, bits):
    """The odds that two of the hosts have the same random number."""
    return -math.expm1(-pairs(hosts) / 2 ** bits)


def same_ns(hosts, rate):
    """Pairs of IDs of the same nanosecond, a second, if hosts make them at random times."""
    return pairs(hosts) * rate * rate / 1e9


def v7(hosts, rate):
    """Repeats a second."""
    return same_ns(hosts, rate) / LANES / 2 ** V7_BITS


def epochs(hosts, a_day, days, bits):
    """Pairs of epochs with the same node at the same time: each new one meets the other host's."""
    return pairs(hosts) * (1 + 2 * a_day * days) / 2 ** bits


def mean_of_lower(mean):
    """Of two Poisson numbers with the same mean: the sum of P(X >= k)^2, where far terms are 0."""
    above, total = 1, 0
    for k in range(1, math.ceil(mean + 20 * math.sqrt(mean) + 20)):
        above = max(above - math.exp((k - 1) * math.log(mean) - mean - math.lgamma(k)), 0)
        total += above * above
    return total


def grid(rate, ticks, tick_s):
    """Repeats a second of two hosts with one number: each tick begins with the same slot."""
    return ticks * mean_of_lower(rate * tick_s)


def korder(rate):
    return grid(rate, 976, TICK_S) + grid(rate, 1, LAST_TICK_S)


# What an experiment counts is expected to be this, of the numbers in its name.
V7 = r"v7, (\d+) hosts, (\d+) IDs a second, 1 s: pairs that agree in time"
EXPECTED = {
    V7: same_ns,
    V7 + " and lane": lambda hosts, rate: same_ns(hosts, rate) / LANES,
    V7 + " and 4 of the 47 random bits": lambda hosts, rate: same_ns(hosts, rate) / 16,
    r"v6, (\d+) pairs of hosts with one node and one lane, (\d+) IDs a second, 1 s: repeats":
        lambda number, rate: number * rate * rate / 1e9 * OVERLAP,
    r"v1, (\d+) hosts, (\d+) epochs a day, (\d+) days, (\d+) bits of the node: "
    "pairs of epochs that share them": epochs,
    r"k96, (\d+) fleets of (\d+) hosts: fleets with a shared node":
        lambda fleets, hosts: fleets * shared(hosts, 32),
    r"k96, two hosts with one node, (\d+) IDs a second, (\d+) s: repeats":
        lambda rate, seconds: korder(rate) * seconds,
    r"lex, two hosts with one worker, (\d+) IDs a second, (\d+) s: repeats":
        lambda rate, seconds: grid(rate, 1e6, 1e-6) * seconds,
    r"lex, (\d+) names like .*: names with the worker of another one":
        lambda hosts: pairs(hosts) / 2 ** 64,
    r"k96, (\d+) names like .*: names with the node of another one":
        lambda hosts: pairs(hosts) / 2 ** 32,
}


def number(x):
    return f"{x:.1e}" if x >= 1e7 or 0 < x < 1e-3 else f"{x:.0f}" if x >= 99.5 else f"{x:.2g}"


def odds(x):
    return "certain" if x > 0.9995 else f"{x:.1e}" if x < 1e-5 else f"{x * 100:.2g} %"


def ms(ns):
    return number(int(ns) / 1e6)


def computed(rows, plots):
    """The tables and lines of odds. Known values were computed in other ways."""
    for what, value, wanted in [
            ("birthdays of 23 people", shared(23, math.log2(365)), 0.5),
            ("v7, 10^4 hosts, repeats a year", v7(1e4, 1e4) * YEAR, 8.76e-3),
            ("v7, 10^6 hosts, repeats a year", v7(1e6, 1e4) * YEAR, 87.6),
            ("k96, 10^4 hosts, a shared node", shared(1e4, 32), 0.01157),
            ("k96, two hosts with few IDs", korder(0.01), 0.0001 * 1.0236e-3),
            # Each takes the first slots of a tick: nearly all repeat.
            ("k96, two hosts with many IDs", korder(1e6), 1e6)]:
        check(abs(value / wanted - 1) < 0.03, f"formula: {what}: {value:.4g}")
    for hosts in SIZES:
        rows["repeats"] += [f"{hosts} | {rate} | {number(v7(hosts, rate) * YEAR)} | "
                            f"{number(v7(hosts, rate) * OVERLAP * YEAR)}" for rate in (100, 10000)]
        rows["epochs"].append(" | ".join([str(hosts), *(
            odds(-math.expm1(-epochs(hosts, a_day, 365.25, V7_BITS))) for a_day in (1 / 30, 1, 24))]))
        rows["numbers"].append(" | ".join([str(hosts), *(odds(shared(hosts, n)) for n in (10, 32, 64))]))
        rate = hosts // 10
        rows["pairs"].append(f"{rate} | {number(korder(rate))} | {number(grid(rate, 1000, 1e-3))} | "
                             f"{number(grid(rate, 1e6, 1e-6))}")
    at = 10
    while at < 1.1e6:
        plots += [f"shared-{bits}\t{at:.4g}\t{shared(at, bits):.4g}" for bits in (10, 32, 47, 64)]
        at *= 1.25


def add_counted(rows, plots, what, count):
    name = next(name for name in EXPECTED if re.fullmatch(name, what))
    values = [int(text) for text in re.fullmatch(name, what).groups()]
    expected, count = EXPECTED[name](*values), int(count)
    rows["counted"].append(f"{what} | {number(expected)} | {count}")
    # Five times the deviation of chance is exceeded once in two million runs.
    check(abs(count - expected) <= 5 * math.sqrt(expected) + 1,
          f"{what}: expected {expected:.1f}, counted {count}")
    if "fleets" in what:
        plots.append(f"shared-counted\t{values[1]:.4g}\t{count / values[0]:.4g}")


def add_order(rows, plots, kind, what, apart, bound, most, places, mean):
    if kind == "order":
        rows["order"].append(f"{what} | {ms(apart)} | {ms(bound)} | {ms(most)} | {places} | "
                             f"{number(float(mean))}")
    else:
        plots.append(f"{what.split()[0]}\t{int(apart) / 1e6:.4g}\t{int(most) / 1e6:.4g}")
    check(int(most) <= int(bound), f"order: {what}: out of order by {ms(most)} of {ms(bound)} ms")


def add_interval(rows, interval, rate, most, places, mean):
    span, most = 2 ** int(interval), int(most) / 1e9
    places, mean = int(places) / float(rate), float(mean) / float(rate)
    rows["intervals"].append(f"{interval} | {span} | {number(most)} | {number(places)} | {number(mean)} | "
                             f"{number(span / 3)}")
    # The clocks are 20 ms apart, and all IDs are in time.
    check(most <= span + 0.022 and abs(mean * 3 / span - 1) < 0.1,
          f"k96, I {interval}: out of order by {most:.1f} s, mean of places {mean:.1f} s")


def results(fleet, quick):
    """The lines of each file of the record."""
    rows = {name: [head] for name, head in HEADS.items()}
    plots = []
    computed(rows, plots)
    command = [fleet, "--quick"] if quick else [fleet]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            kind, *cells = line.rstrip("\n").split("\t")
            if kind == "counted":
                add_counted(rows, plots, *cells)
            elif kind == "interval":
                add_interval(rows, *cells)
            elif kind == "pairs":
                apart, span = float(cells[1]), 2 ** int(cells[0])
                check(abs(float(cells[2]) - max(0, 1 - apart / span) / 2) < 0.05,
                      f"k96, I {cells[0]}, {apart:.0f} s apart: pairs out of order as expected")
            else:
                add_order(rows, plots, kind, *cells)
    check(not process.returncode, "the simulation")
    licence = "# SPDX-License-Identifier: GPL-2.0-only"
    return {"tables.tsv": [licence, *(f"{name}\t{row}" for name in rows for row in rows[name])],
            "plots.tsv": [licence, *plots]}


def series(file):
    """The lines of each table or series of points."""
    found = collections.defaultdict(list)
    for line in (RECORD / file).read_text().splitlines()[1:]:
        name, rest = line.split("\t", 1)
        found[name].append(rest)
    return found


def page():
    def table(name):
        head, *rows = [f"| {row} |" for row in series("tables.tsv")[name]]
        return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows, ""])
    return tables.filled("fleet", PAGE.read_text(), table)


def points(name):
    blocks = "".join(f"${of.replace('-', '_')} << END\n" + "\n".join(lines) + "\nEND\n"
                     for of, lines in series("plots.tsv").items())
    return f'plot_name = "{name}"\ntitle_text = "{PLOTS[name]}"\n{blocks}'


def record(fleet):
    for file, lines in results(fleet, False).items():
        (RECORD / file).write_text("\n".join(lines) + "\n")
    PAGE.write_text(page())
    for name in PLOTS:
        tables.draw(HERE / "plots.gp", points(name), RECORD / f"{name}.svg")


def differences(old, new, quick):
    rest = iter(old)
    if quick:
        return [f"not in the record: {line}" for line in new if line not in rest]
    return list(difflib.unified_diff(old, new, "record", "measured", lineterm=""))


def merged(fleet, tool, bound=None):
    """Whether what the commands put in order was made in it, and is all that was made."""
    streams = [line.split("\t")[1:] for line in
               subprocess.check_output([fleet, "--streams"], text=True).splitlines()]
    made = {text: int(at) for _, text, at in streams}
    commands = re.findall(r"^    \$ (.*)$", PAGE.read_text().split("\n## Merging streams\n")[1], re.M)
    script = re.sub(r"--bound \d+", f"--bound {bound}" if bound else r"\g<0>", "\n".join(commands))
    with tempfile.TemporaryDirectory() as work:
        for host, text, _ in streams:
            with open(f"{work}/host-{host}.ids", "a") as file:
                file.write(text + "\n")
        done = subprocess.run(["sh", "-c", script], cwd=work, check=True, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{os.path.abspath(tool)}:{os.environ['PATH']}"})
    # Between two empty lines all IDs were made after those above.
    groups = [[made[text] for text in group.split()] for group in done.stdout.split("\n\n") if group]
    before, in_order = 0, len(groups) > 50 and not done.stderr and sorted(done.stdout.split()) == sorted(made)
    for group in groups:
        in_order = in_order and min(group) >= before
        before = max(before, *group)
    return in_order


def compare(what, wrong):
    for line in wrong:
        print(line)
    check(not wrong, what)


def check_all(fleet, tool, quick):
    for file, lines in results(fleet, quick).items():
        old = (RECORD / file).read_text().splitlines()
        compare(f"{file} of the record", differences(old, lines, quick))
    compare("tables of fleets.md", differences(PAGE.read_text().splitlines(), page().splitlines(), False))
    for name in PLOTS:
        check(tables.source_of(HERE / "plots.gp", points(name)) in (RECORD / f"{name}.svg").read_text(),
              f"plot {name} was drawn from these points, else: make fleet-record")
    check(merged(fleet, tool), "what is in order by the bound was made in that order")
    # Otherwise the streams would prove nothing.
    check(not merged(fleet, tool, 1), "it is not with a bound of 1 ns")


if __name__ == "__main__":
    what, *of = sys.argv[1:] or [""]
    if what == "record" and len(of) == 1:
        record(of[0])
    elif what == "check" and len(of) in (2, 3) and of[2:] in ([], ["--quick"]):
        check_all(of[0], of[1], len(of) == 3)
    else:
        sys.exit(__doc__)
    sys.exit(failed)
