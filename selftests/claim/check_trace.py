#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks what has happened to claims against the rules of Documentation/design/claims.md.

check_trace.py TRACE HISTORY BOOK

TRACE has the kernel's tracepoints kuid_claim* and the messages of kuid-claim, which were written to
trace_marker, in the order of their time stamps. HISTORY has the writes to the store in their order, a line
NUMBER RECORD each. BOOK has a line NUMBER FROM TO OWNER for each time, in seconds, for which a kuid-claim
with --print had a number. Prints what is wrong, or what was compared.
"""
import json
import re
import sys

SECOND = 10**9


class Claim:
    """What the kernel has done with a token, and what was written for it."""

    def __init__(self, number):
        self.number = number
        self.lives = False  # it was set
        self.written = []  # ceilings that the daemon knows to be in the store
        self.over = None  # the end of its IDs, in ns
        self.first, self.last = None, None  # its IDs are from first to below last, in ns


def read_trace(path):
    """The events of the kernel, and the words of each message about a write, in their order."""
    lines = []
    with open(path) as file:
        for line in file:
            found = re.search(r"\s(\d+): (kuid_claim\w*|tracing_mark_write): (.*)", line)
            if found:
                lines.append((int(found[1]), found[2], found[3]))
    for _, kind, text in sorted(lines):
        if kind != "tracing_mark_write":
            fields = dict(field.split("=") for field in text.split())
            if int(fields["token"], 16):
                yield "span" if kind == "kuid_claim_span" else fields["state"], fields
        elif " cas: " in text:
            words = text.split(" cas: ")[1].split()
            yield "cas", {**dict(zip(words[::2], words[1::2])), "outcome": words[-1]}


def read_history(path):
    history = {}
    with open(path) as file:
        for line in file:
            number, text = line.split(" ", 1)
            history.setdefault(int(number), []).append(json.loads(text))
    return history


def number_of(fields):
    if "snowflake" in fields["parts"]:
        return int(fields["snowflake"])
    return int(fields["worker"], 16)


class Check:
    def __init__(self, history, book):
        self.history = history
        self.book = book
        self.claims = {}
        self.wrong = []
        self.counts = {}
        self.cas = {}  # by nonce: the position in the trace of its first mention
        self.ends = {}  # by token: the position of its end
        self.position = 0

    def bad(self, rule, token, text):
        self.wrong.append("%s: token %s: %s" % (rule, token, text))

    def run(self, trace):
        for self.position, (kind, fields) in enumerate(trace):
            self.counts[kind] = self.counts.get(kind, 0) + 1
            getattr(self, "see_" + kind)(fields["token"], fields)
        for number, records in self.history.items():
            self.check_records(number, records)
        self.check_spans()

    def claim(self, token, number):
        return self.claims.setdefault(token, Claim(number))

    def see_cas(self, token, fields):
        self.cas.setdefault(fields["nonce"], self.position)
        if fields["outcome"] != "done":
            return
        number, ceiling = int(fields["number"]), int(fields["ceiling"])
        self.claim(token, number).written.append(ceiling)
        if not any(
            (record["token"], record["nonce"], record["ceiling"]) == (token, fields["nonce"], ceiling)
            for record in self.history.get(number, [])
        ):
            self.bad("written", token, "the store never had the write with nonce " + fields["nonce"])

    def see_lives(self, token, fields):
        """It was set or raised."""
        number, ceiling_ns = number_of(fields), int(fields["ceiling_ns"])
        claim = self.claim(token, number)
        if claim.number != number or not any(s * SECOND >= ceiling_ns for s in claim.written):
            self.bad("written", token, "the kernel has ceiling %d before the store" % ceiling_ns)
        if claim.over is not None:
            self.bad("over", token, "it was set or raised after its end")
        if claim.lives:
            self.counts["raised"] = self.counts.get("raised", 0) + 1
        claim.lives = True
        former = 0
        for record in self.history.get(claim.number, []):
            if record["token"] == token:
                break
            former = record["ceiling"]
        if int(fields["floor_ns"]) < former * SECOND:
            self.bad("floor", token, "the floor is below the former ceiling, %d" % former)

    def see_forked(self, token, fields):
        self.claim(token, number_of(fields)).over = int(fields["end_ns"])

    def see_ended(self, token, fields):
        self.see_forked(token, fields)
        self.ends.setdefault(token, self.position)

    def see_span(self, token, fields):
        claim = self.claim(token, number_of(fields))
        first, last = int(fields["floor_ns"]), int(fields["end_ns"])
        if first >= last:
            return
        if claim.over is not None and last > claim.over:
            self.bad("over", token, "it has IDs after its end")
        claim.first = first if claim.first is None else min(first, claim.first)
        claim.last = last if claim.last is None else max(last, claim.last)

    def check_records(self, number, records):
        """A ceiling is lowered only by the owner of the token, to the end of its IDs."""
        for before, after in zip(records, records[1:]):
            token, ceiling = after["token"], after["ceiling"]
            if ceiling >= before["ceiling"]:
                continue
            self.counts["lowered"] = self.counts.get("lowered", 0) + 1
            printed = any(row[0] == number and row[2] == ceiling for row in self.book)
            claim = self.claims.get(token)
            if before["token"] != token:
                self.bad("lowered", token, "the ceiling was lowered by another token")
            elif not claim:
                if not printed:
                    self.bad("lowered", token, "the ceiling was lowered without an end")
            elif token not in self.ends or self.ends[token] > self.cas.get(after["nonce"], -1):
                self.bad("lowered", token, "the ceiling was lowered before the end")
            elif claim.over > ceiling * SECOND:
                self.bad("lowered", token, "the ceiling was lowered below the end")

    def check_spans(self):
        spans = [(n, first * SECOND, last * SECOND, owner) for n, first, last, owner in self.book]
        for token, claim in self.claims.items():
            if claim.last is not None:
                spans.append((claim.number, claim.first, claim.last, token))
        spans.sort()
        for one, other in zip(spans, spans[1:]):
            if one[0] == other[0] and other[1] < one[2]:
                self.bad("spans", other[3], "its IDs overlap with those of " + one[3])
        self.counts["spans"] = len(spans)


def main():
    with open(sys.argv[3]) as file:
        rows = [line.split() for line in file]
    check = Check(read_history(sys.argv[2]), [(int(r[0]), int(r[1]), int(r[2]), r[3]) for r in rows])
    check.run(read_trace(sys.argv[1]))
    print(*check.wrong, check.counts, sep="\n")
    # Not if there is no kernel.
    wanted = {"cas", "lives", "raised", "ended", "forked", "lowered"} if "lives" in check.counts else set()
    sys.exit(bool(check.wrong or wanted - check.counts.keys()))


main()
