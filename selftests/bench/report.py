#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the benchmark, and makes its report.

    report.py run [--quick] BENCH KERNEL [PART...]
    report.py record BENCH
    report.py check

"run": BENCH is the directory of the built programs, KERNEL that of fetch.sh. All parts run if none
is named, or with --quick the one that measures what is held to the record. Lines that a part
prints with tabs are results; other lines are shown. A fifth field "held" stands in results that may
differ by 3 % from the record. Results go to BENCH/parts/PART.tsv, and the report beside that, or
with --quick below BENCH/quick.

"record" copies the parts to Documentation/performance, and writes tables and plots there, in
performance.md and in README.md. "check" fails if these don't have what is recorded.
"""
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "run"))
import tables  # noqa: E402

RECORDED = tables.TOP / "Documentation/performance"
DOCUMENTS = {"README.md": "Documentation/performance/", "Documentation/performance.md": "performance/"}
TOLERANCE = 3  # percent
# A run fails if a value of these breaks its budget. Other values depend on the machine's load.
HELD = {"single", "others", "batch-read", "batch-ioctl", "batch-text", "batch-lane"}

# Parts that are programs of a machine or of this one; those of parts/ are scripts.
BOOTED = {
    # Instructions of calls, in a machine that counts them, and in one that tells of clones.
    "counts": ["--icount /guest/bench.sh full",
               "--icount --qemu '-device vmgenid,guid=auto' /guest/bench.sh vmgenid"],
    # Costs as files and waiters become more.
    "growth": ["--icount /guest/with_module.sh snowflake_worker=17 /bench/cost growth"],
    # How reads scale with CPUs. The large window keeps slots from running out.
    "scaling": ["--smp 2 /guest/with_module.sh snowflake_worker=17,max_ahead_ms=1000 /bench/scaling device"],
    # Other generators with the libraries of Debian 12 and 13, on a kernel that offers getrandom()
    # without a system call, as the C library of Debian 13 uses it.
    "debian13": ["--icount /guest/debian13.sh"],
}
SCRIPTS = {script.stem: script for script in sorted((HERE / "parts").glob("*.sh"))}
PARTS = [*BOOTED, "threads", *SCRIPTS]


def commands(part, bench, kernel, quick):
    if part in BOOTED:
        for rest in BOOTED[part]:
            words = shlex.split(rest.replace("full", "quick") if quick else rest)
            yield [HERE / "../vm/boot.sh", "--kernel", kernel, "--initrd", bench / "initrd.cpio",
                   "--timeout", "900", *words]
    elif part == "threads":
        yield [bench / "root/bench/scaling", "threads"]
    else:
        yield [SCRIPTS[part], bench, kernel]


def run_part(part, bench, kernel, quick, file):
    """Writes the results of a part, and shows all else. Returns whether it has succeeded."""
    if part == "debian13":
        kernel = subprocess.check_output([HERE / "../vm/fetch.sh", "6.12"], text=True).strip()
    cpu = [line.split(": ")[1] for line in open("/proc/cpuinfo") if line.startswith("model name")]
    machine = {"date": time.strftime("%F", time.gmtime()),
               "processor": cpu[0].strip() if cpu else os.uname().machine,
               "CPUs": os.cpu_count(), "kernel": os.uname().release,
               "booted kernel": pathlib.Path(kernel, "release").read_text().strip()}
    lines, ended = [], True
    for command in commands(part, bench, kernel, quick):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
            for line in map(str.rstrip, process.stdout):
                if line.count("\t") not in (3, 4):
                    print(line, file=sys.stderr)
                    continue
                if not any(line.split("\t")[0] == other.split("\t")[0] for other in lines):
                    print(f"{part}: {line.split(chr(9))[0]}", file=sys.stderr)
                lines.append(line)
        ended &= not process.returncode
    if lines:
        head = [f"machine\t{part}\t{what}\t{value}" for what, value in machine.items()]
        file.write_text("\n".join(["# SPDX-License-Identifier: GPL-2.0-only", *head, *lines, ""]))
    return ended


def held(file):
    """The values that are held to the record, by table, row and column."""
    lines = file.read_text().splitlines() if file.exists() else []
    cells = [line.split("\t") for line in lines if line.endswith("\theld")]
    return {": ".join([cell[0], ", ".join(cell[1:3])]): float(cell[3]) for cell in cells}


def is_as_recorded(file):
    recorded, measured, good = held(RECORDED / file.name), held(file), True
    for what in {**recorded, **measured}:
        was, now = recorded.get(what), measured.get(what)
        if was is None or now is None or abs(now / was - 1) * 100 > TOLERANCE:
            print(f"{what}: recorded {was}, measured {now}")
            good = False
    if measured and good:
        print(f"{len(measured)} values are within {TOLERANCE} % of the record")
    return good


def draw(of, to):
    for picture in to.glob("*.svg"):
        picture.unlink()
    for table in of.values():
        if table.points():
            tables.draw(HERE / "plot.gp", table.points(), to / f"{table.name}.svg")


def add_budgets(of):
    """Adds the table of budgets. Prints those that a value breaks, and returns whether there are none."""
    good = True
    for table in of.values():
        for row, *limits in map(tables.words, table.about.get("budgets", "").strip().splitlines()):
            for limit in limits:
                limit, _, other = limit.partition(" + ")
                column, least, most = re.fullmatch(r"(.*?)( >)? ([\d.]+)", limit).groups()
                value = table.values.get(row, {}).get(column)
                if value is None:
                    continue
                most = float(most) + (float(of["others"].values[other]["instructions"]) if other else 0)
                kept = float(value) >= most if least else float(value) <= most
                what = f"{table.name}, {row}, {column}"
                for name, cell in (("measured", value), ("at least" if least else "at most", f"{most:.2f}"),
                                   ("kept", "yes" if kept else "no")):
                    of["budgets"].add(what, name, cell)
                if not kept:
                    print(f"{what}: {value} is beyond the budget of {most:.2f}")
                    good = good and table.name not in HELD
    print(f"{len(of['budgets'].values)} budgets were compared")
    return good


def write_report(out, files):
    of = tables.read(HERE / "tables.list", files, False)
    good = add_budgets(of)
    shown = [table for table in of.values() if table.values]
    (out / "results.tsv").write_text("".join(file.read_text() for file in files))
    (out / "report.md").write_text("# Benchmarks of kuid\n" + "".join(
        f"\n## {table.about['title']}\n\n{table.markdown(True, 'performance/')}" for table in shown))
    (out / "report.csv").write_text("table,row,column,value\n" + "".join(
        f'{table.name},"{row}","{column}","{values[column]}"\n' for table in shown
        for row, values in table.values.items() for column in table.columns if column in values))
    draw(of, out / "performance")
    print(f"report.py: the report is {out}/report.md")
    return good


def run(arguments):
    quick = arguments[:1] == ["--quick"]
    bench, kernel, *parts = arguments[quick:]
    bench = pathlib.Path(bench)
    out, good = bench / "quick" if quick else bench, True
    parts = parts or (["counts"] if quick else PARTS)
    if not set(parts) <= set(PARTS):
        sys.exit(f"report.py: the parts are {' '.join(PARTS)}")
    shutil.rmtree(out / "parts", ignore_errors=True)
    (out / "parts").mkdir(parents=True)
    for part in parts:
        begin = time.monotonic()
        if not run_part(part, bench, kernel, quick, out / f"parts/{part}.tsv"):
            print(f"report.py: {part} failed", file=sys.stderr)
            (out / f"parts/{part}.failed").touch()
            good = False
        print(f"report.py: {part} took {time.monotonic() - begin:.0f} s", file=sys.stderr)
    others = [f"{file.stem} of {line.split(chr(9))[3]}" for file in sorted(RECORDED.glob("*.tsv"))
              if file.stem not in parts for line in file.read_text().splitlines() if "\tdate\t" in line]
    print(f"report.py: measured: {' '.join(parts)}; "
          f"not measured, in the record: {', '.join(others) or 'none'}", file=sys.stderr)
    files = sorted((out / "parts").glob("*.tsv"))
    good = write_report(out, files) and good
    if not all([is_as_recorded(file) for file in files]):
        good = False
        print("report.py: if this is intended: make bench, and then make bench-record", file=sys.stderr)
    return good


def recorded_tables():
    """The tables of the record, and each document as it must be."""
    of = tables.read(HERE / "tables.list", sorted(RECORDED.glob("*.tsv")), True)
    return of, {name: tables.filled("bench", (tables.TOP / name).read_text(),
                                    lambda table, to=to: of[table].markdown(to=to))
                for name, to in DOCUMENTS.items()}


def record(bench):
    failed = [file.stem for file in (bench / "parts").glob("*.failed")]
    files = list((bench / "parts").glob("*.tsv"))
    if failed or not files:
        sys.exit(f"report.py: nothing is recorded, failed: {' '.join(failed) or 'no results: make bench'}")
    for file in files:
        shutil.copy(file, RECORDED)
    of, documents = recorded_tables()
    draw(of, RECORDED)
    for name, text in documents.items():
        (tables.TOP / name).write_text(text)


def check():
    of, documents = recorded_tables()
    wrong = []
    for name, text in documents.items():
        wrong += difflib.unified_diff((tables.TOP / name).read_text().splitlines(), text.splitlines(),
                                      name, "record", lineterm="")
    shown = "".join(documents.values())
    for name, table in of.items():
        if table.about.get("rows") != "none" and f"<!-- bench: {name} -->" not in shown:
            wrong.append(f"no document has the table {name}")
        picture = RECORDED / f"{name}.svg"
        if table.points() and tables.source_of(HERE / "plot.gp", table.points()) not in picture.read_text():
            wrong.append(f"{picture} was drawn from other values: make bench-record")
    for line in wrong:
        print(line)
    return not wrong


if __name__ == "__main__":
    what, *of = sys.argv[1:] or [""]
    if (what, len(of)) == ("check", 0):
        sys.exit(not check())
    if (what, len(of)) == ("record", 1):
        sys.exit(record(pathlib.Path(of[0])))
    if what != "run" or len(of) < 2 + of.count("--quick"):
        sys.exit(__doc__)
    sys.exit(not run(of))
