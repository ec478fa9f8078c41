#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tables and plots of documents, from results.

A result is a line of table, row, column and value with tabs between them. The list of tables is a
file of sections; selftests/bench/tables.list says what they have. As a program,

    tables.py WORD DIRECTORY DOCUMENT

brings DIRECTORY/NAME.md between the comments "WORD: NAME" and "WORD: end" of the document.
"""
import configparser
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]


def words(text):
    return [word.strip() for word in text.replace("\n", " ").split("|")] if text else []


def number(text):
    """46570 as 46,570; with fewer digits behind the point the larger the number is."""
    if not re.fullmatch(r"-?\d+(\.\d+)?", text):
        return text
    if "." not in text:
        return f"{int(text):,}"
    value = float(text)
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


class Table:
    def __init__(self, name, about):
        self.name, self.about, self.values = name, about, {}
        self.columns = words(about.get("columns"))
        self.is_fixed = bool(self.columns)

    def add(self, row, column, value):
        if column not in self.columns:
            if self.is_fixed:
                sys.exit(f"tables.py: table {self.name} has no column {column}")
            self.columns.append(column)
        self.values.setdefault(row, {})[column] = value

    def markdown(self, every_row=False, to=""):
        shown = not every_row and words(self.about.get("rows"))
        form = str if self.about.getboolean("verbatim") else number
        unit = self.about.get("unit") and f"Unit: {self.about['unit']}."
        text = " ".join(filter(None, [self.about.get("caption", "").replace("\n", " "), unit]))
        lines = [[self.about["head"], *self.columns]]
        lines += [[row, *(form(of.get(column, "-")) for column in self.columns)]
                  for row, of in self.values.items() if not shown or row in shown]
        lines = [f"| {' | '.join(cells)} |" for cells in lines]
        lines.insert(1, re.sub(r"[^|]+", "---", lines[0]))
        if text:
            lines[:0] = [text, ""]
        if self.points():
            lines += ["", f"![{self.about['finding']}]({to}{self.name}.svg)"]
        return "\n".join(lines) + "\n"

    def points(self):
        """Variables and points for bench/plot.gp; nothing if no value was measured."""
        about, columns = self.about, words(self.about.get("plotted")) or self.columns
        rows = [[row, *(of.get(column, "-") for column in columns)] for row, of in self.values.items()]
        if not about.get("plot") or {cell for row in rows for cell in row[1:]} <= {"-"}:
            return ""
        colours = " ".join("#2060c0" if is_kuid(column) else "#999999" for column in columns)
        text = f'title_text = "{about["finding"]}"\nkind = "{about["plot"]}"\nx_label = "{about["x"]}"\n'
        if about["plot"] == "bars":
            rows = [[row, value, str(int(is_kuid(row))), number(value)]
                    for row, value, *_ in rows if value[0].isdigit()]
        else:
            text += f'y_label = "{about["y"]}"\nlog_axes = "{about["log"]}"\n'
            rows.insert(0, ["row", *columns])
        text += "$points << END\n" + "".join("\t".join(row) + "\n" for row in rows) + "END\n"
        if about["plot"] == "lines":
            text += f'nr_columns = {len(columns)}\nnames = " {" ".join(columns)}"\ncolours = " {colours}"\n'
        return text


def is_kuid(name):
    return "kuid" in name or name in ("v1", "v6", "v7", "lex", "k64", "snowflake")


def read(listed, files, complete):
    """All tables. With complete, each must have values, and each row of "made" all of them."""
    about = configparser.ConfigParser(interpolation=None)
    about.read(listed)
    tables = {name: Table(name, about[name]) for name in about.sections()}
    for file in files:
        for line in file.read_text().splitlines():
            if line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) not in (4, 5) or cells[0] not in tables:
                sys.exit(f"tables.py: {file}: not a result: {line}")
            tables[cells[0]].add(*cells[1:4])
    for table in tables.values():
        of = [word.split(" > ") for word in words(table.about.get("from"))]
        for made in table.about.get("made", "").strip().splitlines():
            name, *rows = words(made)
            cells = [row if row == "-" else
                     tables[source].values.get(name if row == "=" else row, {}).get(column)
                     for (source, column), row in zip(of, rows)]
            if complete and None in cells:
                sys.exit(f"tables.py: {table.name}: {name} lacks a value")
            if any(cell not in (None, "-") for cell in cells):
                for column, cell in zip(table.columns, cells):
                    table.add(name, column, cell or "-")
        if complete and not table.values and table.name != "budgets":
            sys.exit(f"tables.py: table {table.name} has no value")
    return tables


def filled(word, document, text_of):
    """A document with its tables."""
    text, count = re.subn(
        rf"(^<!-- {word}: (?!end )(\S+) -->\n)(?:(?!<!-- {word}: (?!end )).*\n)*?(<!-- {word}: end)",
        lambda at: f"{at[1]}\n{text_of(at[2])}\n{at[3]}", document, flags=re.M)
    if count != len(re.findall(rf"^<!-- {word}: (?!end )", document, re.M)):
        sys.exit(f"tables.py: a table has no end: {word}")
    return text


def source_of(script, points):
    """What a plot says of its origin: the checksum of all that it is drawn from."""
    return f"drawn from sha256 {hashlib.sha256(script.read_bytes() + points.encode()).hexdigest()} -->"


def draw(script, points, picture):
    title = re.search(r'^title_text = "(.*)"', points, re.M)[1]
    with tempfile.TemporaryDirectory() as work:
        plot, data = pathlib.Path(work, "plot.svg"), pathlib.Path(work, "points.gp")
        data.write_text(points)
        subprocess.run(["gnuplot", "-e", f"to='{plot}'", data, script], check=True)
        # Gnuplot names the picture after itself, and its parts, which a browser shows, by its input.
        lines = [re.sub("<title>.*</title>", "", line) if '<g id="gnuplot_plot' in line else line
                 for line in plot.read_text().replace("<title>Gnuplot<", f"<title>{title}<").split("\n")]
    lines[1:1] = ["<!-- SPDX-License-Identifier: GPL-2.0-only -->", f"<!-- {source_of(script, points)}"]
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text("\n".join(lines))


if __name__ == "__main__":
    kind, tables_in, filled_in = sys.argv[1:]
    print(filled(kind, pathlib.Path(filled_in).read_text(),
                 lambda name: pathlib.Path(tables_in, name + ".md").read_text()), end="")
