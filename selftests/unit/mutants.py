#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure what the unit tests find.

A mutant is kmod/core with one token replaced, or one statement removed. The
script draws mutants of all files, builds the tests and the models with each of
them, and runs each case in a process of its own. A mutant that no case finds is
either listed in equivalent.tsv, with the reason why no caller can see it, or
shows that a test is missing.

A mutant for which the compiler makes the same programs as for the original is
not run, and doesn't count.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
LISTED = TOP / "selftests/unit/equivalent.tsv"
# The sources that the programs are built from.
SOURCES = ["kmod", "uapi", "userspace/libkuid"] + [
    "selftests/" + name for name in ("private", "unit", "vectors")
]
# Optimized less than usually, because most of the time is the compiler's. The
# columns in debugging information would differ between equal programs. An index
# beyond an array ends the program, as "make check" reports it, too. A variable
# without a value has a bad one.
# Relative paths, because assertions contain them.
BUILD = [
    "TOP=../..",
    "O=../../build",
    "FLAGS_plain=-O1 -g0 -fsanitize=bounds -fsanitize-undefined-trap-on-error"
    " -ftrivial-auto-var-init=pattern -include count.h",
    "FLAGS_model=-O1 -g0 -ftrivial-auto-var-init=pattern -include scheduler.h",
]
# More preemptions and more random interleavings find no more mutants.
MODEL = {"MODEL_PREEMPTIONS": "1", "MODEL_WALKS": "1500"}

# Regular expressions and what replaces the text that they match.
SWAPS = [
    (r"(?<![<>=!\-+*/&|])<(?![<=])", "<="),
    (r"<=(?!=)", "<"),
    (r"(?<![->])>(?![>=])", ">="),
    (r"(?<!>)>=", ">"),
    (r"==", "!="),
    (r"!=", "=="),
    (r"&&", "||"),
    (r"\|\|", "&&"),
    (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    (r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    (r" % ", " / "),
    (r" \+= ", " -= "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bmin(?=\()", "max"),
    (r"\bmax(?=\()", "min"),
    (r"\b0\b", "1"),
    (r"\b1\b", "2"),
    (r"\bif \((?=.*\)( \{)?$)", "if (!"),
]
# A statement on one line that is no declaration.
STATEMENT = r"\s+(?!return\b|const |struct |enum |u\d+ |int |bool |unsigned )"
STATEMENT += r"\w[\w\->.\[\]]*(\(| = | \+= |\+\+)[^;]*;$"
# Not code of the core: the licence, and what the compiler or lockdep checks.
CHECKS = r"\s*(#|//|(_?static_assert|BUILD_BUG|lockdep_)\w*\()"

HANGS = "hangs"
# A program that hangs this often isn't tried with its other cases.
MOST_HANGS = 3

Mutant = collections.namedtuple("Mutant", "file line before after")


def without_comments(text):
    """The text with comments and strings blanked, each line as long as before."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|"[^"\n]*"', blank, text, flags=re.S)


def mutants_of_line(line):
    """All variants of a line that is free of comments, as (from, to, new)."""
    for pattern, new in SWAPS:
        for match in re.finditer(pattern, line):
            yield *match.span(), new
    if re.match(STATEMENT, line):
        yield len(line) - len(line.lstrip()), len(line), ";"


def mutants_of_file(path):
    text = path.read_text()
    plain = without_comments(text).split("\n")
    for number, (line, code) in enumerate(zip(text.split("\n"), plain), 1):
        if re.match(CHECKS, code):
            continue
        for begin, end, new in mutants_of_line(code.rstrip()):
            yield Mutant(path.name, number, line.strip(),
                         (line[:begin] + new + line[end:]).strip())


def draw(seed):
    """All mutants in an order that the seed decides.

    The place of a mutant does not depend on other lines, so an edit of the core
    exchanges only the mutants of the lines that it changes.
    """
    placed = []
    for path in sorted((TOP / "kmod/core").glob("*.[ch]")):
        alike = collections.Counter()
        for mutant in mutants_of_file(path):
            key = (seed, mutant.file, mutant.before, mutant.after)
            alike[key] += 1
            digest = hashlib.sha256(repr((*key, alike[key])).encode()).digest()
            placed.append((digest, mutant))
    return [mutant for _, mutant in sorted(placed)]


class Equivalents:
    """The mutants of equivalent.tsv."""

    def __init__(self):
        rows = [line.split("\t") for line in LISTED.read_text().splitlines()
                if line and not line.startswith("#")]
        self.reasons = {tuple(row[:3]): row[3] for row in rows}

    def has(self, mutant):
        return (mutant.file, mutant.before, mutant.after) in self.reasons

    def stale(self, mutants):
        """The rows that are no mutant of the present sources."""
        present = {(m.file, m.before, m.after) for m in mutants}
        return [row for row in self.reasons if row not in present]


class Tree:
    """A copy of the sources, with programs that were built from it."""

    def __init__(self, path, of=None):
        self.path = path
        self.of = of
        shutil.rmtree(path, ignore_errors=True)
        if of:
            shutil.copytree(of.path, path, copy_function=shutil.copy2)
            return
        for name in SOURCES:
            shutil.copytree(TOP / name, path / name, copy_function=shutil.copy2)

    def build(self, *targets, jobs=1):
        """Return whether the compiler takes the sources."""
        make = ["make", "-s", f"-j{jobs}", "-C", self.path / "selftests/unit"]
        built = subprocess.run(make + BUILD + list(targets), text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if built.returncode and not self.of:
            sys.exit(built.stderr)
        return not built.returncode

    def programs(self):
        return {path.name: path for path in
                sorted((self.path / "build").glob("*/*_test"))}

    def put(self, mutant):
        source = self.path / "kmod/core" / mutant.file
        lines = source.read_text().split("\n")
        line = lines[mutant.line - 1]
        lines[mutant.line - 1] = line.replace(mutant.before, mutant.after)
        source.write_text("\n".join(lines))

    def restore(self):
        """Make all files those of the original again, with their times."""
        for name in ("build", "kmod/core"):
            for path in (self.path / name).rglob("*"):
                original = self.of.path / path.relative_to(self.path)
                if path.is_dir():
                    continue
                if not original.exists():
                    path.unlink()
                elif path.stat().st_mtime_ns != original.stat().st_mtime_ns:
                    shutil.copy2(original, path)

    def is_changed(self, program):
        """Whether a program differs from that of the original."""
        of = self.of.path / program.relative_to(self.path)
        return program.read_bytes() != of.read_bytes()


class Cases:
    """All cases: their programs, how long each takes, and what it has found."""

    def __init__(self, base, seed):
        self.environment = dict(os.environ, SEED=str(seed), **MODEL)
        self.seconds = {}
        self.kills = collections.Counter()
        for program in base.programs().values():
            listing = subprocess.run(
                [program], capture_output=True, text=True,
                env=dict(self.environment, CMOCKA_MESSAGE_OUTPUT="TAP"))
            if listing.returncode:
                sys.exit(f"{program.name} fails without a mutant")
            for name in re.findall(r"^ok \d+ - (.*)$", listing.stdout, re.M):
                begin = self.seconds_of_children()
                if self.run(program, name, 600):
                    sys.exit(f"{program.name}: {name} fails when it runs alone")
                self.seconds[program.name, name] = (self.seconds_of_children() -
                                                    begin)

    @staticmethod
    def seconds_of_children():
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime

    def run(self, program, name, cpu_seconds):
        """Return the status, or HANGS: CPU time and sleep are limited."""
        child = subprocess.Popen(
            [program], env=dict(self.environment, CASE=name),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            resource.prlimit(child.pid, resource.RLIMIT_CPU,
                             (cpu_seconds, cpu_seconds + 1))
            status = child.wait(timeout=20 * cpu_seconds)
        except ProcessLookupError:
            status = child.wait()
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return HANGS
        return HANGS if status == -signal.SIGXCPU else status

    def order(self):
        """The cases that find most mutants in a second come first."""
        return sorted(self.seconds, key=lambda case:
                      -(self.kills[case] + 0.1) / (self.seconds[case] + 0.01))

    def programs(self):
        """All programs, in the same order."""
        return list(dict.fromkeys(program for program, _ in self.order()))

    def find(self, program, all_of_them):
        """The cases that fail; without @all_of_them only the first one."""
        found, hung = [], 0
        for case in self.order():
            if case[0] != program.name or hung == MOST_HANGS:
                continue
            result = self.run(program, case[1],
                              2 + int(4 * self.seconds[case]))
            if result:
                found.append(case)
                hung += result == HANGS
                if not all_of_them:
                    break
        self.kills.update(found)
        return found


class Run:
    """Mutants are tried by two threads until enough of them differed."""

    def __init__(self, arguments, build, mutants):
        self.ledger = arguments.ledger and open(arguments.ledger, "w")
        self.left = arguments.count
        self.mutants = iter(mutants)
        self.equivalents = Equivalents()
        self.lock = threading.Lock()
        self.results = []
        self.base = Tree(build / "base")
        self.base.build("plain", "models", jobs=2)
        self.cases = Cases(self.base, arguments.seed)
        print(f"{len(self.cases.seconds)} cases,"
              f" {sum(self.cases.seconds.values()):.0f} s of CPU time", flush=True)
        threads = [threading.Thread(target=self.work, args=(build / str(n),))
                   for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def next(self):
        with self.lock:
            if not self.left:
                return None
            self.left -= 1
            return next(self.mutants, None)

    def work(self, path):
        tree = Tree(path, self.base)
        programs = tree.programs()
        while mutant := self.next():
            tree.put(mutant)
            ran, found = False, []
            # The compiler takes longer than the tests: build one by one.
            for name in self.cases.programs():
                program = programs[name]
                if found and not self.ledger or not tree.build(
                        "../.." / program.relative_to(path)):
                    break
                if tree.is_changed(program):
                    ran = True
                    found += self.cases.find(program, self.ledger)
            tree.restore()
            with self.lock:
                self.note(mutant, ran, found)

    def note(self, mutant, ran, found):
        where = f"{mutant.file}:{mutant.line} [{mutant.before}] -> [{mutant.after}]"
        if not ran:
            self.left += 1
            print(f"not another program: {where}", flush=True)
            return
        if found:
            verdict = "found"
        else:
            verdict = "equivalent" if self.equivalents.has(mutant) else "SURVIVES"
        self.results.append((verdict, mutant, found))
        by = f" by {found[0][0]}: {found[0][1]}" if found else ""
        print(f"{verdict}: {where}{by}", flush=True)
        if self.ledger:
            names = [":".join(case) for case in found]
            print(mutant.file, mutant.line, mutant.before, mutant.after, verdict,
                  *names, sep="\t", file=self.ledger, flush=True)

    def summary(self):
        """Print the score. Return whether all is well."""
        count = collections.Counter(verdict for verdict, _, _ in self.results)
        differ = count["found"] + count["SURVIVES"]
        if self.ledger:
            self.print_programs()
        print(f"{count['found']} of {differ} mutants found"
              f" ({100 * count['found'] / max(differ, 1):.1f} %),"
              f" {count['equivalent']} more are equivalent")
        return differ and count["found"] >= 0.95 * differ

    def print_programs(self):
        """For each program, how many mutants it finds, and finds alone."""
        finds, alone = collections.Counter(), collections.Counter()
        for _, _, found in self.results:
            programs = {case[0] for case in found}
            finds.update(programs)
            if len(programs) == 1:
                alone.update(programs)
        for program in sorted({case[0] for case in self.cases.seconds}):
            cases = [case for case in self.cases.seconds if case[0] == program]
            idle = sum(not self.cases.kills[case] for case in cases)
            print(f"{program}: finds {finds[program]}, alone {alone[program]};"
                  f" {len(cases)} cases, {idle} of them find none")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=40,
                        help="mutants that differ from the original")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--ledger", metavar="FILE",
                        help="run all cases on each mutant, and write who finds it")
    parser.add_argument("build", type=pathlib.Path, help="directory to build in")
    arguments = parser.parse_args()
    print(f"# SEED={arguments.seed}", flush=True)
    mutants = draw(arguments.seed)
    # Not a failure: such a row hides no mutant.
    for row in Equivalents().stale(mutants):
        print("equivalent.tsv: not in the sources any more:", *row)
    print(f"{len(mutants)} mutants can be drawn", flush=True)
    sys.exit(not Run(arguments, arguments.build.resolve(), mutants).summary())


if __name__ == "__main__":
    main()
