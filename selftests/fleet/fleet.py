#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Brings results of the simulated fleet into Documentation, or compares them with it.

    fleet.py record FLEET
    fleet.py check FLEET TOOL [--quick]

The record is fleets/tables.tsv and plots.tsv. A table of the first lies in fleets.md between the comments
"fleet: NAME" and "fleet: end", and the plots are drawn from the second. A quick run leaves out rows
and points; those that it has must be in the record, in the same order. The check also runs the
commands of fleets.md that merge streams; TOOL is the directory of kuid. Prints TAP.
"""
import collections
import difflib
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
RESULTS = "tables.tsv", "plots.tsv"
PLOTS = {
    "shared": "Numbers of 10 and 32 bits must be given or claimed; 47 and 64 bits may be random",
    "order": "IDs of a fleet are out of order by no more than its clocks and 100 ms",
}


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
    subprocess.run([fleet, RECORD], check=True)
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
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([fleet, "--streams", work], check=True)
        commands = re.findall(r"^    \$ (.*)$", PAGE.read_text().split("\n## Merging streams\n")[1], re.M)
        script = re.sub(r"--bound \d+", f"--bound {bound}" if bound else r"\g<0>", "\n".join(commands))
        text = subprocess.run(["sh", "-c", script], cwd=work, check=True, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{os.path.abspath(tool)}:{os.environ['PATH']}"})
        made = dict(line.split() for line in pathlib.Path(work, "made.tsv").read_text().splitlines())
    # Between two empty lines all IDs were made after those above.
    groups = [[int(made[line]) for line in group.split()] for group in text.stdout.split("\n\n") if group]
    before, in_order = 0, len(groups) > 50 and not text.stderr and sorted(text.stdout.split()) == sorted(made)
    for group in groups:
        in_order = in_order and min(group) >= before
        before = max(before, *group)
    return in_order


def check(fleet, tool, quick):
    good = True

    def report(what, wrong):
        nonlocal good
        print(*wrong, f"{'not ok' if wrong else 'ok'} - {what}", sep="\n")
        good = good and not wrong

    with tempfile.TemporaryDirectory() as work:
        sys.stdout.flush()
        good = not subprocess.run([fleet, *(["--quick"] if quick else []), work]).returncode
        for file in RESULTS:
            old, new = [pathlib.Path(place, file).read_text().splitlines() for place in (RECORD, work)]
            report(f"{file} of the record", differences(old, new, quick))
    report("tables of fleets.md", differences(PAGE.read_text().splitlines(), page().splitlines(), False))
    for name in PLOTS:
        drawn = tables.source_of(HERE / "plots.gp", points(name)) in (RECORD / f"{name}.svg").read_text()
        report(f"plot {name}", [] if drawn else ["it was drawn from other points: make fleet-record"])
    report("what is in order by the bound was made in that order",
           [] if merged(fleet, tool) else ["it was not"])
    # Otherwise the streams would prove nothing.
    report("it is not with a bound of 1 ns", ["it was"] if merged(fleet, tool, 1) else [])
    return good


if __name__ == "__main__":
    what, *of = sys.argv[1:] or [""]
    if what == "record" and len(of) == 1:
        sys.exit(record(of[0]))
    if what == "check" and len(of) in (2, 3) and of[2:] in ([], ["--quick"]):
        sys.exit(not check(of[0], of[1], len(of) == 3))
    sys.exit(__doc__)
