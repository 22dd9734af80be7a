#!/usr/bin/env python3
"""tables.py - small files of the kinds people have, through svm-convert

    test/tables.py            all files
    test/tables.py KIND...    those of some kinds: R, pandas, spreadsheet, Weka, ...
    test/tables.py --list     their names

A few tables are written in the habits of many programs.  The rows that a person expects of each file
are computed here, from the table and not from the file: a column of numbers is a feature, a column of
words is a feature for each word in the order of their bytes, words as labels are classes from 1 on.
Of what is no such table it is told which word the message of svm-convert has, and its status is 1.
A column of numbers is never taken for categories without a note.

Prints a line for each wrong end, then "tables: N files, M wrong"; status 1 if any is.  svm-convert is
taken from PATH.

SPDX-License-Identifier: BSD-3-Clause
"""

import bz2
import gzip
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile

FILES = []  # (kind, name, bytes, options, what is expected)

# ---- the tables: names of columns, and their values; None is missing ----

Y = [1, -1, 1, -1, 1, -1]
WORDS = ["yes", "no", "yes", "no", "no", "yes"]
HEIGHT = [1.5, 2.25, 0, 10, -3.125, 0.0625]
WEIGHT = [12, 700.5, 31, 1000, 5, 44.75]
COUNT = [3, 0, 4, 1, 5, 9]
KIND = ["oak", "elm", "oak", "ash", "elm", "oak"]
NUMBERS = {"y": Y, "height": HEIGHT, "weight": WEIGHT, "count": COUNT}
TABLES = {
    "numbers": NUMBERS,
    "labels of words": {"height": HEIGHT, "weight": WEIGHT, "y": WORDS},
    "missing values": {"height": HEIGHT[:2] + [None] + HEIGHT[3:], "y": Y, "weight": WEIGHT[:5] + [None]},
    "categories": {"kind": KIND, "y": WORDS, "weight": WEIGHT},
    "blanks": {"the height": HEIGHT, "y": Y, "kind": ["red oak" if k == "oak" else k for k in KIND]},
}


def features(values):
    """The features that a column becomes, a list each; those of a missing value are 0."""
    if all(v is None or not isinstance(v, str) for v in values):
        return [[float(v or 0) for v in values]]
    return [[float(v == word) for v in values] for word in sorted(set(values) - {None})]


def expected(table, label="y"):
    """Rows as (label, {feature: value}); without a label 0."""
    n = len(next(iter(table.values())))
    labels = table.get(label, [0] * n)
    if any(isinstance(v, str) for v in labels):
        labels = [1 + sorted(set(labels)).index(v) for v in labels]
    columns = [f for name, values in table.items() if name != label for f in features(values)]
    return [(float(labels[i]), {j: f[i] for j, f in enumerate(columns, 1) if f[i]}) for i in range(n)]


def add(kind, name, content, options, outcome):
    """A file of some kind, whose outcome is rows, or the word of a refusal; (rows, word): and a note."""
    data = content if isinstance(content, bytes) else content.encode()
    FILES.append((kind, name, data, options, outcome))


def habit(kind, name, write, tables=TABLES, options=(), label="y"):
    """Write each of the tables as 'write' does; label: what -l says."""
    for which in tables:
        missing = ["--missing", "zero"] if which == "missing values" else []
        add(kind, f"{name}: {which}", write(TABLES[which]), ["-l", label, *options, *missing],
            expected(TABLES[which]))


def number(v, point="."):
    return f"{v:.15g}".replace(".", point)


def quoted(text, always=True):
    need = always or any(c in text for c in ',;"\t\n')
    return '"' + text.replace('"', '""') + '"' if need else text


def delimited(between=",", end="\n", point=".", na="NA", quote="always", names="", heading=True, form=None):
    """A writer of delimited text; names: R's, "short" (no field for it in line 1), pandas', or none."""

    def cell(v):
        if v is None:
            return na
        if not isinstance(v, str):
            return (form or number)(v) if point == "." else number(v, point)
        return v if quote == "never" else quoted(v, quote == "always")

    def write(table):
        lines = []
        if heading:
            first = {"R": [quoted("")], "pandas": [""]}.get(names, [])
            lines.append(between.join(first + [cell(name) for name in table]))
        for i, values in enumerate(zip(*table.values())):
            own = {"R": [quoted(str(i + 1))], "short": [quoted(str(i + 1))], "pandas": [str(i)]}.get(names, [])
            lines.append(between.join(own + [cell(v) for v in values]))
        return end.join(lines) + end

    return write


def aligned(table, gap=" ", names=True, na="NA"):
    """Columns aligned at the right, as R and pandas print them."""
    columns = [[name] + [na if v is None else v if isinstance(v, str) else number(v) for v in values]
               for name, values in table.items()]
    if names:
        columns.insert(0, [""] + [str(i + 1) for i in range(len(columns[0]) - 1)])
    widths = [max(map(len, column)) for column in columns]
    return "".join(gap.join(v.rjust(w) for v, w in zip(line, widths)) + "\n" for line in zip(*columns))


# ---- R ----

WITHOUT_BLANKS = [name for name in TABLES if name != "blanks"]
ONLY_NUMBERS = ["numbers"]
SINGLE_TEXTS = ["numbers", "labels of words", "missing values"]

habit("R", "write.csv", delimited(names="R"))
habit("R", "write.csv without names", delimited())
habit("R", "write.csv, quote = FALSE", delimited(quote="never"))
habit("R", "write.csv2", delimited(";", point=",", names="R"), options=["--decimal-comma"])
habit("R", "write.csv2 without names", delimited(";", point=","), options=["--decimal-comma"])
habit("R", "write.table", delimited(" ", names="short"))
habit("R", "write.table without names", delimited(" "))
habit("R", "write.table, quote = FALSE", delimited(" ", names="short", quote="never"), SINGLE_TEXTS)
habit("R", "write.table, quote = FALSE, told", delimited(" ", names="short", quote="never"), WITHOUT_BLANKS,
      options=["--header"])
habit("R", "write.table, tabs", delimited("\t", quote="never"))
habit("R", "write.table, col.names = NA", delimited("\t", names="R"))
habit("R", "print", aligned, WITHOUT_BLANKS)
add("R", "write.csv2 without the option", delimited(";", point=",")(NUMBERS), ["-l", "y"], "--decimal-comma")
add("R", "write.table, quote = FALSE, texts beside texts",
    delimited(" ", names="short", quote="never")(TABLES["categories"]), ["-l", "y"], "--header")
add("R", "print of a matrix", "     [,1] [,2]\n[1,]    1    2\n[2,]   -1    3\n", ["-l", "2"],
    (expected({"y": [1, -1], "x": [2, 3]}), "names of rows"))
add("R", "dput", 'structure(list(y = c(1, -1), x = c(2, 3)), class = "data.frame")\n', ["-l", "y"], "column")
add("R", "missing without a rule", delimited()(TABLES["missing values"]), ["-l", "y"], "--missing")

# ---- pandas ----

habit("pandas", "to_csv", delimited(names="pandas", quote="need", na=""))
habit("pandas", "to_csv, index=False", delimited(quote="need", na=""))
habit("pandas", "to_csv, tabs", delimited("\t", quote="need", na=""))
habit("pandas", "to_csv, decimal", delimited(";", quote="need", na="", point=","), options=["--decimal-comma"])
habit("pandas", "to_csv, na_rep", delimited(quote="need", na="NaN"))
habit("pandas", "to_csv, QUOTE_ALL", delimited(names="pandas", na='""', form=lambda v: f'"{v}"'))
habit("pandas", "to_csv, float_format", delimited(quote="need", na="", form=lambda v: f"{v:.12e}"))
habit("pandas", "to_csv, bars", delimited("|", quote="need", na=""))
habit("pandas", "to_csv, no header", delimited(heading=False, quote="need"), ONLY_NUMBERS, label="1")
habit("pandas", "to_string", lambda t: aligned(t, "  ", na="NaN"), WITHOUT_BLANKS)
RECORDS = [{"y": 1, "x": 0.5}, {"y": 2, "x": 0.25}]
LINES = "".join(json.dumps(r) + "\n" for r in RECORDS)
add("pandas", "to_json, lines", LINES, ["-l", "y"], "JSON")
add("pandas", "to_json, lines, by number", LINES, ["-l", "1"], "JSON")
add("pandas", "to_json, records", json.dumps(RECORDS), ["-l", "y"], "JSON")
add("pandas", "to_json, indented", json.dumps(RECORDS, indent=4), ["-l", "1"], "JSON")
add("pandas", "to_html", "<table>\n <tr><th>y</th><th>x</th></tr>\n <tr><td>1</td><td>2</td></tr>\n</table>\n",
    ["-l", "1"], "--delimiter")
add("pandas", "to_parquet", b"PAR1\x15\x04\x15\x10\x15\x14\x4c\x15\x02\x15\0\x12\0\0PAR1", ["-l", "1"], "Parquet")
add("pandas", "to_feather", b"ARROW1\0\0\xff\xff\xff\xff\x10\0\0\0", ["-l", "1"], "Feather")
add("pandas", "to_pickle", b"\x80\x04\x95\x1c\0\0\0\0\0\0\0}\x94.", ["-l", "1"], "pickle")
add("pandas", "an index of two levels", "a,b,y,x\np,u,1,2\np,v,0,3\nq,u,1,4\n", ["-l", "y", "--ignore", "a,b"],
    expected({"y": [1, 0, 1], "x": [2, 3, 4]}))
add("pandas", "columns of two levels", "a,a,b\nu,v,w\n" + "1,2,3\n4,5,6\n7,8,9\n" * 4, ["-l", "b"], "--na")

# ---- spreadsheets ----

NO_NA = [name for name in TABLES if name != "missing values"]
SHEET = {"quote": "need", "na": "", "end": "\r\n"}
habit("spreadsheet", "commas", delimited(**SHEET))
habit("spreadsheet", "a mark of UTF-8", lambda t: "\ufeff" + delimited(**SHEET)(t))
habit("spreadsheet", "semicolons", delimited(";", point=",", **SHEET), options=["--decimal-comma"])
habit("spreadsheet", "sep=;", lambda t: "sep=;\r\n" + delimited(";", **SHEET)(t))
habit("spreadsheet", "trailing empty columns", lambda t: delimited(**SHEET)(t).replace("\r\n", ",,\r\n"))
habit("spreadsheet", "errors", delimited(quote="need", end="\r\n", na="#DIV/0!"), ["missing values"])
habit("spreadsheet", "a mark and sep=", lambda t: "\ufeffsep=;\r\n" + delimited(";", **SHEET)(t), ONLY_NUMBERS)
habit("spreadsheet", "no last line end", lambda t: delimited(**SHEET)(t)[:-2], NO_NA)

for text, other in [("$%d", "$"), ("%d%%", "%"), ("%d €", "€"), ("€%d", "€"), ("£%d.50", "£"), ("(%d)", "("),
                    ('"1,%d"', ","), ("1'%d", "'"), ("1 %d", " "), ("%d*", "*"), ("¥%d", "¥"),
                    ("$ %d", "$"), ('"$1,%d"', "$"), ('"1,%d.50"', ",")]:
    column = "".join(f"{text % v},{k % 2}\n" for k, v in enumerate([120, 345, 120, 678, 345, 120]))
    add("spreadsheet", f"decorated as {text % 120}", "x,y\n" + column, ["-l", "y"], other)
for name, texts in [("dates", ["2024-01-31", "2024-02-29"]), ("dates with points", ["31.01.2024", "29.02.2024"]),
                    ("dates with bars", ["1/31/2024", "2/29/2024"]), ("times", ["12:30", "13:45"]),
                    ("units", ["12 kg", "13 kg"]), ("EUR behind", ["5 EUR", "6 EUR"]),
                    ("EUR before", ["EUR 5", "EUR 6"]), ("rupees", ["Rs. 5", "Rs. 6"]), ("yen", ["5円", "6円"]),
                    ("numbers of houses", ["5号", "6号"]), ("temperatures", ["5°C", "6°C"])]:
    table = {"x": texts * 3, "y": Y}
    add("spreadsheet", f"a note of {name}", delimited()(table), ["-l", "y"], (expected(table), "'x'"))
add("spreadsheet", "a title above", "Measurements 2024,,\r\n,,\r\n" + delimited(**SHEET)(
    {"y": Y, "u": COUNT, "v": COUNT}), ["-l", "y"], "y")
add("spreadsheet", "a title of one field", "Measurements 2024\n" + delimited()(NUMBERS), ["-l", "1"], "field")
add("spreadsheet", "a total below", "y,x\n" + "1,2\n2,5\n" * 6 + "Total,10\n", ["-l", "y"], "--na")
add("spreadsheet", "truth", "x,y\nTRUE,1\nFALSE,2\n", ["-l", "y"], expected({"x": ["TRUE", "FALSE"], "y": [1, 2]}))
add("spreadsheet", "a line end in a name", '"the\nheight",y\n1,2\n3,4\n', ["-l", "y"],
    expected({"x": [1, 3], "y": [2, 4]}))
add("spreadsheet", "empty rows at the end", "x,y\r\n1,2\r\n3,4\r\n,\r\n,\r\n", ["-l", "y"], "missing")
add("spreadsheet", "columns of one name", "x,y,x\n1,2,3\n4,5,6\n", ["-l", "y"],
    (expected({"x": [1, 4], "y": [2, 5], "z": [3, 6]}), "same name"))
add("spreadsheet", "an old workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64), ["-l", "1"], "Excel")
add("spreadsheet", "tabs in UTF-16", delimited("\t", **SHEET)(NUMBERS).encode("utf-16"), ["-l", "y"], "iconv")

for text in "y,x\n1,'a,b'\n2,'c,d'\n", "y,x\n1,[1, 2]\n2,[3, 4]\n", "y,x\n1,5,2\n2,5,3\n":
    add("spreadsheet", f"a comma within a field of {text!r}", text, ["-l", "y"], "a field more")
    add("spreadsheet", f"likewise below quotes, {text!r}", text.replace("y,x", '"y","x"'), ["-l", "y"], "a field more")
add("spreadsheet", "names of rows as the label", ",y,x\n0,1,2\n1,2,3\n", ["-l", "1"],
    (expected({"y": [0, 1], "a": [1, 2], "b": [2, 3]}), "it is the label"))
add("spreadsheet", "names of rows, commas", "y,x\nr1,1,2\nr2,2,3\n", ["-l", "y", "--header"],
    expected({"y": [1, 2], "x": [2, 3]}))
add("spreadsheet", "names of rows, tabs", "y\tx\nr1\t1\t2\nr2\t2\t3\n", ["-l", "y"],
    expected({"y": [1, 2], "x": [2, 3]}))
add("spreadsheet", "delimiters behind records", "y,x\n1,2,\n3,4,\n", ["-l", "y"], "3 fields, not 2")
for text in "y,x\r\r\n1,2\r\r\n3,4\r\r\n", 'y,"x"\r\r\n1,"2"\r\r\n3,"4"\r\r\n':
    add("spreadsheet", f"two CR, {text!r}", text, ["-l", "y"], expected({"y": [1, 3], "x": [2, 4]}))
for comma in ", ", "; ", " ,":
    text = f'"y"{comma}"a{comma}b"{comma}"t"\n"1"{comma}"2"{comma}"u{comma}v"\n"3"{comma}"4"{comma}"w"\n'
    add("spreadsheet", f"blanks beside quotes, {text!r}", text, ["-l", "y"],
        expected({"y": [1, 3], "a": [2, 4], "t": [f"u{comma}v", "w"]}))
add("spreadsheet", "quotes within a text", 't,x,y\nu, "so-called" friend,1\nv, "b" "c", 2\n', ["-l", "y"],
    expected({"t": ["u", "v"], "x": ['"so-called" friend', '"b" "c"'], "y": [1, 2]}))
add("spreadsheet", "a text behind a quoted one that has a comma", 'x,y\n "a,b" c,1\n', ["-l", "y"], "behind a quoted field")
for length in 4093, 4094:
    add("spreadsheet", f"CR and LF behind a name of {length} bytes", f"y,{'x' * length}\r\n1,2\r\n3,4\r\n", ["-l", "y"],
        expected({"y": [1, 3], "x": [2, 4]}))
add("spreadsheet", "a quoted year above numbers", '"2019","a"\n1.5,yes\n2.5,no\n', ["-l", "2"],
    expected({"x": [1.5, 2.5], "y": ["yes", "no"]}))
add("spreadsheet", "a quoted year above dates", '"2019","a"\n2024-01-31,yes\n2024-02-28,no\n', ["-l", "2"],
    (expected({"x": ["2024-01-31", "2024-02-28"], "y": ["yes", "no"]}), "'-' beside"))
DECIMALS = ["-l", "1", "--decimal-comma"]
add("spreadsheet", "decimal commas beside quoted words", '1,5 "a;b" 3\n2,5 "c" 4\n', DECIMALS,
    expected({"y": [1.5, 2.5], "t": ["a;b", "c"], "x": [3, 4]}))
add("spreadsheet", "decimal commas beside words", "1,5 yes 3\n2,5 no 4\n", DECIMALS,
    expected({"y": [1.5, 2.5], "t": ["yes", "no"], "x": [3, 4]}))
add("spreadsheet", "a comment of as many words", "# made by a program\n1.0; 2; -1; 3\n1.5; 3; 1; 4\n", ["-l", "1"],
    expected({"y": [1, 1.5], "a": [2, 3], "b": [-1, 1], "c": [3, 4]}))
add("spreadsheet", "a comment of a word less", "# made by me\n1  2.5  3  4\n0  3.5  4  5\n", ["-l", "1"],
    expected({"y": [1, 0], "a": [2.5, 3.5], "b": [3, 4], "c": [4, 5]}))
for between in " ", "\t":
    for heading in "", f"a{between}b\n":
        add("spreadsheet", f"decimal commas between {between!r}, heading {heading!r}",
            f"{heading}1,5{between}2,5\n2,5{between}3\n", ["-l", "1", "--decimal-comma"],
            expected({"y": [1.5, 2.5], "x": [2.5, 3]}))
        add("spreadsheet", f"not told of decimal commas between {between!r}, heading {heading!r}",
            f"{heading}1,5{between}2,5\n2,5{between}3\n", ["-l", "1"], "--decimal-comma")
add("spreadsheet", "records of dates", "2024-01-31,yes\n2024-02-28,no\n2024-02-29,no\n", ["-l", "2"],
    (expected({"y": ["yes", "no", "no"], "x": ["2024-01-31", "2024-02-28", "2024-02-29"]}), "--header"))
add("spreadsheet", "names that begin with numbers", "1st,2nd,y\n1,2,yes\n3,4,no\n", ["-l", "3"],
    expected({"a": [1, 3], "b": [2, 4], "y": ["yes", "no"]}))
add("spreadsheet", "likewise above texts that do", "1stFlr,2nd,y\n8a,9b,yes\n7a,10b,no\n", ["-l", "3"],
    (expected({"a": ["8a", "7a"], "b": ["9b", "10b"], "y": ["yes", "no"]}), "--no-header"))
add("spreadsheet", "quoted numbers above numbers", '"1","2"\n3,4\n5,6\n', ["-l", "1"],
    (expected({"y": [3, 5], "x": [4, 6]}), "--no-header"))
add("spreadsheet", "words in line 1 and line 2", "a b\nc d\ne f\n", ["-l", "1"],
    (expected({"y": ["c", "e"], "x": ["d", "f"]}), "--no-header"))
add("spreadsheet", "another delimiter", "y^a^b\n1^2^3\n", ["-l", "y"], "'y^a^b'")
add("spreadsheet", "more than a double", "x,y\n1e999,1\n1e999,2\n", ["-l", "y"], (expected({"x": ["a", "a"], "y": [1, 2]}), "'e'"))
for sign in "--5", "+-5", ".5.":
    add("spreadsheet", f"signs of {sign}", f"x,y\n{sign},1\n{sign},2\n", ["-l", "y"],
        (expected({"x": ["a", "a"], "y": [1, 2]}), f"'{sign[0]}' beside"))
for options in ["-l", "x", "--categories", "x"], ["-l", "y", "--categories", "x"]:
    for text in "5%", "+49 (30) 1234", "№5", "≤5":
        x = [text, text.replace("5", "6").replace("34", "35")]
        add("spreadsheet", f"{text} told by {' '.join(options)}", f"x,y\n{x[0]},1\n{x[1]},2\n", options,
            expected({"x": x, "y": [1, 2]}, options[1]))
for brackets in "[]", "{}", "()":
    lists = "".join(f"{brackets[0]}{v}, {v + 1}{brackets[1]}\n" for v in (1, 2, 3))
    add("spreadsheet", f"lists in {brackets}", lists, ["-l", "1"], f"'{brackets[0]}'")

# ---- Weka ----


def arff(comment="", between=",", numeric="numeric", shout=False, sparse=False):
    """A writer of ARFF, with nominal attributes for words."""

    def text(v):
        return "?" if v is None else number(v) if not isinstance(v, str) else f"'{v}'" if " " in v else v

    def write(table):
        lines = ["% made by hand", "@relation 'a table'", ""]
        for name, values in table.items():
            words = sorted({v for v in values if isinstance(v, str)})
            kind = "{" + ",".join(map(text, words)) + "}" if words else numeric
            lines.append(f"@attribute {text(name)} {kind}{comment}")
        lines += ["", "@data" + comment]
        if shout:
            lines = [line.replace("@attribute", "@ATTRIBUTE").replace("@data", "@DATA") for line in lines]
        firsts = [sorted(values)[0] if isinstance(values[0], str) else 0 for values in table.values()]
        for values in zip(*table.values()):
            if sparse:
                kept = [f"{k} {text(v)}" for k, v in enumerate(values) if v != firsts[k]]
                lines.append("{" + ", ".join(kept) + "}" + comment)
            else:
                lines.append(between.join(map(text, values)) + comment)
        return "\n".join(lines) + "\n"

    return write


habit("Weka", "dense", arff())
habit("Weka", "comments behind lines", arff("  % of 2024"))
habit("Weka", "tabs", arff(between="\t", numeric="real"))
habit("Weka", "capitals", arff(shout=True, numeric="NUMERIC"))
habit("Weka", "sparse", arff(sparse=True))
HEAD = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n"
add("Weka", "weights of records", HEAD + "1,a,{2}\n2,b,{1}\n", ["-l", "y"], "weight")
add("Weka", "a value not declared", HEAD + "1,a\n2,c\n", ["-l", "y"], "declared")
add("Weka", "a field too many", HEAD + "1,a,3\n", ["-l", "y"], "attributes")
add("Weka", "no data", "@relation r\n@attribute x numeric\n", ["-l", "x"], "@data")
add("Weka", "relational", "@relation r\n@attribute b relational\n@attribute x numeric\n@end b\n@data\n1\n",
    ["-l", "b"], "relational")

# ---- NumPy, Octave, MATLAB ----

habit("NumPy", "savetxt", delimited(" ", heading=False, form="{:.18e}".format), ONLY_NUMBERS, label="1")
habit("NumPy", "savetxt, commas", delimited(heading=False, form="{:.18e}".format), ONLY_NUMBERS, label="1")
habit("NumPy", "savetxt, %g", delimited("\t", heading=False), ONLY_NUMBERS, label="1")
habit("NumPy", "savetxt, header", lambda t: "# " + delimited(quote="never")(t), ONLY_NUMBERS)
habit("NumPy", "savetxt, header, blanks", lambda t: "# " + delimited(" ", quote="never")(t), ONLY_NUMBERS)
add("NumPy", "print", "[[1. 2. 3.]\n [4. 5. 6.]\n [7. 8. 9.]]\n", ["-l", "1"], "brackets")
add("NumPy", "print, commas", "array([[1., 2., 3.],\n       [4., 5., 6.]])\n", ["-l", "1"], "field")
OCTAVE = "".join(" " + " ".join(map(number, v)) + "\n" for v in zip(*NUMBERS.values()))
add("Octave", "save -text", "# Created by Octave 8.4.0\n# name: x\n# type: matrix\n# rows: 6\n# columns: 4\n"
    + OCTAVE + "\n\n", ["-l", "1"], expected(NUMBERS))
add("Octave", "save -ascii", OCTAVE, ["-l", "1"], expected(NUMBERS))
add("Octave", "display", "x =\n\n   1   2   3\n   4   5   6\n\n", ["-l", "1"],
    expected({"y": [1, 4], "u": [2, 5], "v": [3, 6]}))
add("Octave", "a MATLAB file", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 86 + b"\0\1IM" + bytes(64),
    ["-l", "1"], "MATLAB")

# ---- Fortran ----


def fixed(form):
    return lambda t: "".join("".join(form(v) for v in values) + "\n" for values in zip(*t.values()))


def exponent_d(v):
    return f"{v:23.15E}".replace("E", "D")


habit("Fortran", "F10.4", fixed("{:10.4f}".format), ONLY_NUMBERS, label="1")
habit("Fortran", "list-directed", fixed("{:26.16f}".format), ONLY_NUMBERS, label="1")
habit("Fortran", "E", fixed("{:20.12E}".format), ONLY_NUMBERS, label="1")
habit("Fortran", "D", fixed(exponent_d), ONLY_NUMBERS, label="1")
habit("Fortran", "D, commas", lambda t: delimited(heading=False, form=exponent_d)(t), ONLY_NUMBERS, label="1")
habit("Fortran", "a heading", aligned, ONLY_NUMBERS)
for width in 8, 14:
    stars = "*" * (width - 1)
    add("Fortran", f"overflow of {width - 1}", fixed(f"{{:{width}.2f}}".format)(NUMBERS).replace(
        "1000.00".rjust(width), " " + stars), ["-l", "1"], f"'{stars}' is a missing value")
add("Fortran", "three digits of an exponent", "  1.0  0.1234-100\n  2.0  0.5678-101\n", ["-l", "1"],
    (expected({"y": [1, 2], "x": ["0.1234-100", "0.5678-101"]}), "0.1234-100"))
for touching in ["   1.00-200.00   3.00\n   2.00  30.00   4.00\n", "   1.00-200.00\n   2.00  30.00\n",
                 "   1-20\n   1  30\n"]:
    add("Fortran", f"columns that touch in {touching!r}", touching, ["-l", "1"], "field")

# ---- SQL ----


def psql(table, frame=False):
    """Columns between bars, as psql and mysql print them."""
    rows = [list(table)] + [["" if v is None else v if isinstance(v, str) else number(v) for v in values]
                            for values in zip(*table.values())]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table))]
    edge = "|" if frame else ""
    lines = [edge + "|".join(" " + v.ljust(w) + " " for v, w in zip(row, widths)) + edge for row in rows]
    rule = "+".join("-" * (w + 2) for w in widths)
    rule = "+" + rule + "+" if frame else rule
    body = [lines[0], rule] + lines[1:]
    return "\n".join([rule] + body + [rule] if frame else body + [f"({len(rows) - 1} rows)"]) + "\n"


habit("SQL", "COPY, csv", delimited(quote="need", na=""))
habit("SQL", "COPY, tabs", delimited("\t", na="\\N", quote="never", heading=False), ONLY_NUMBERS, label="1")
habit("SQL", "COPY, a header", delimited("\t", na="\\N", quote="never"))
habit("SQL", "mysql --batch", delimited("\t", na="NULL", quote="never"))
habit("SQL", "INTO OUTFILE", delimited(na="\\N"))
habit("SQL", "sqlite3 -header", delimited("|", na="", quote="never"))
habit("SQL", "bcp", delimited("\t", na="NULL", quote="never", end="\r\n"))
for which, table in TABLES.items():
    rule = ["--missing", "zero"] if which == "missing values" else []
    add("SQL", f"psql: {which}", psql(table), ["-l", "y", *rule], "psql --csv")
    add("SQL", f"mysql: {which}", psql(table, True), ["-l", "y", *rule], "mysql --batch")
add("SQL", "psql -A", delimited("|", quote="never")(NUMBERS) + "(6 rows)\n", ["-l", "y"], "field")
add("SQL", "sqlite3 -column", "y  x\n-  -\n1  2\n3  4\n", ["-l", "y"], "sqlite3 -csv")
add("SQL", "a dump", "CREATE TABLE t (y int, x real);\nINSERT INTO t VALUES (1, 2.5);\n", ["-l", "y"], "dump")
add("SQL", "a dump of data", "INSERT INTO t VALUES (1,2,3);\nINSERT INTO t VALUES (2,3,4);\n", ["-l", "1"], "dump")
for client in "MySQL dump 10.13", "PostgreSQL database dump":
    add("SQL", f"a dump by {client}", f"-- {client}\n\nSET x = 1;\n", ["-l", "1"], "dump")
add("SQL", "a database", b"SQLite format 3\0\x10\0\1\1\0\x40\x20\x20" + bytes(64), ["-l", "1"], "SQLite")

# ---- texts with blanks, lines that rule off ----

for text in ["id  y  name\n1   1  John Smith\n2  -1  Ann Lee\n", "name y\nJohn Smith 1\nAnn Lee 2\n",
             "      name  y\nJohn Smith  1\n   Ann Lee  2\n", "y name\n1 John Smith\n2 Ann Lee\n",
             "size  y\n5 kg  1\n6 kg  2\n"]:
    add("printed", f"a blank in {text!r}", text, ["-l", "y"], "tabs")
for text in ["y  full name\n1  John Smith\n2  Ann Lee\n", "y  car 1     x\n1  Fiat 500  3\n2  Audi 80   4\n3  Seat 4    5\n",
             "1  John Smith  5\n2  Jane Lee    7\n3  Ann Lee     6\n"]:
    add("printed", f"a blank in {text!r}", text, ["-l", "1"], "--delimiter")
add("printed", "a blank in a name", "  the name\n1        5\n2        7\n", ["-l", "name"], "begins behind")
add("printed", "a blank in a name, not aligned", "the name\n1 5\n2 7\n", ["-l", "name"],
    (expected({"x": [1, 2], "y": [5, 7]}), "counts the rows"))
UMLAUTS = "größe  farbe y\n    1    rot 2\n    2   blau 3\n    5   grün 3\n    5  müüde 3\n"
add("printed", "umlauts", UMLAUTS, ["-l", "y"],
    expected({"x": [1, 2, 5, 5], "k": ["rot", "blau", "grün", "müüde"], "y": [2, 3, 3, 3]}))
for rule in ["| y | x |\n|---|--:|\n| 1 | 2 |\n", "y  x\n=  ==\n1  2\n", "y,x\n-,--\n1,2\n",
             "--- ---\ny x\n--- ---\n1 2\n"]:
    for options in ["-l", "1"], ["--no-label", "--missing", "zero"]:
        add("printed", f"ruled off, {rule!r}, {' '.join(options)}", rule, options, "rules off")
add("printed", "strands", "a,b\n+,-\n-,+\n", ["--no-label"], expected({"a": ["+", "-"], "b": ["-", "+"]}))

# ---- SAS, SPSS, Stata ----

habit("statistics", "PROC EXPORT", delimited(na=".", quote="need"))
habit("statistics", "PROC EXPORT, blanks", delimited(" ", na=".", quote="never"), WITHOUT_BLANKS)
habit("statistics", "export delimited", delimited(na="", quote="need"))
habit("statistics", "outsheet", delimited("\t", na="."))
habit("statistics", "SAVE TRANSLATE", delimited(";", point=",", na="", quote="need", end="\r\n"),
      options=["--decimal-comma"])
add("statistics", "kinds of missing values", "y,x\n1,.\n2,.a\n1,3\n", ["-l", "y", "--missing", "zero"],
    expected({"y": [1, 2, 1], "x": [0, 0, 3]}))
habit("statistics", "list", lambda t: aligned(t, "  ", na="."), WITHOUT_BLANKS)

# ---- rows and matrices ----

ROWS = "".join(f"{label:g} " + " ".join(f"{k}:{v:.15g}" for k, v in row.items()) + "\n"
               for label, row in expected(NUMBERS))
ENTRIES = [(i + 1, k + 1, v) for k, values in enumerate(NUMBERS.values()) for i, v in enumerate(values) if v]
COORDINATES = f"6 4 {len(ENTRIES)}\n" + "".join(f"{i} {k} {v:.15g}\n" for i, k, v in ENTRIES)
ARRAY = "6 4\n" + "".join(f"{v:.15g}\n" for values in NUMBERS.values() for v in values)
BANNER = "%%MatrixMarket matrix "
PATTERN = "coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n"
PATTERN_ROWS = [(0, {2: 1, 3: 1}), (0, {1: 1}), (0, {1: 1})]
add("matrix", "rows of LIBSVM", ROWS, ["--from", "svmlight"], expected(NUMBERS))
add("matrix", "rows of LIBSVM, not told", ROWS, ["-l", "1"], "SVMlight")
add("matrix", "coordinates", BANNER + "coordinate real general\n%\n" + COORDINATES, ["-l", "1"], expected(NUMBERS))
add("matrix", "an array", BANNER + "array real general\n" + ARRAY, ["-l", "1"], expected(NUMBERS))
add("matrix", "a mark of UTF-8", "\ufeff" + BANNER + "coordinate real general\n" + COORDINATES, ["-l", "1"],
    expected(NUMBERS))
add("matrix", "unsigned", BANNER + "coordinate unsigned-integer general\n2 2 2\n1 1 5\n2 2 7\n", ["--no-label"],
    [(0, {1: 5}), (0, {2: 7})])
add("matrix", "a pattern", BANNER + PATTERN, ["--no-label"], PATTERN_ROWS)
add("matrix", "one percent", BANNER[1:] + PATTERN, ["--no-label"], PATTERN_ROWS)
add("matrix", "complex", BANNER + "coordinate complex general\n1 1 1\n1 1 5 0\n", ["--no-label"], "complex")
NPY = "{'descr': '%s', 'fortran_order': %s, 'shape': (6, 4), }"


def npy(code, order, letter):
    head = (NPY % (code, order)).ljust(117).encode() + b"\n"
    values = list(zip(*NUMBERS.values())) if order == "False" else NUMBERS.values()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + b"".join(
        struct.pack(code[0] + letter, float(v)) for row in values for v in row)


for code, letter in [("<f8", "d"), ("<f4", "f"), (">f8", "d"), (">f4", "f")]:
    for order in "False", "True":
        add("matrix", f"npy {code}, Fortran's order {order}", npy(code, order, letter), ["-l", "1"], expected(NUMBERS))

# ---- encodings and packers ----

PLAIN = delimited()(NUMBERS)
for code in "utf-16-le", "utf-16-be":
    add("encoding", f"{code} without a mark", PLAIN.encode(code), ["-l", "y"], "UTF-16")
    add("encoding", f"{code} with a mark", ("\ufeff" + PLAIN).encode(code), ["-l", "y"], "iconv")
add("encoding", "Latin-1", "größe,y\n1,2\n3,4\n".encode("latin-1"), ["-l", "y"], expected({"x": [1, 3], "y": [2, 4]}))
add("packed", "gzip", gzip.compress(PLAIN.encode(), mtime=0), ["-l", "y"], expected(NUMBERS))
for tool, data in [("xz", lzma.compress(PLAIN.encode())), ("bzip2", bz2.compress(PLAIN.encode())),
                   ("zstd", b"\x28\xb5\x2f\xfd\x24\x05\x29\0\0abcde"), ("lz4", b"\x04\x22\x4d\x18\x64\x40\xa7\0"),
                   ("compress", b"\x1f\x9d\x90\x79\x58\x01")]:
    add("packed", tool, data, ["-l", "1"], tool)


def rows_of(text):
    rows = []
    for line in text.split("\n")[:-1]:
        label, *fields = line.split("#")[0].split()
        rows.append((float(label), {int(k): float(v) for k, v in (f.split(":") for f in fields)}))
    return rows


def fault(path, options, outcome):
    """What is wrong with the end of svm-convert, or None."""
    run = subprocess.run(["svm-convert", *options, path], capture_output=True)
    said = run.stderr.decode(errors="replace").replace(path, "FILE")
    if isinstance(outcome, str):
        if run.returncode == 0:
            return f"no refusal: {run.stdout.decode()[:60]!r}, {said.strip()!r}"
        return None if run.returncode == 1 and outcome in said and not run.stdout else said.strip()
    rows, word = outcome if isinstance(outcome, tuple) else (outcome, "")
    if run.returncode != 0:
        return f"status {run.returncode}: {said.strip()}"
    got = rows_of(run.stdout.decode())
    if got != rows:
        k = next((k for k, pair in enumerate(zip(got, rows)) if pair[0] != pair[1]), min(len(got), len(rows)))
        return f"row {k + 1} is {got[k:k + 1]}, not {rows[k:k + 1]}; {said.strip()}"
    return None if word in said else f"no note with {word!r}: {said.strip()!r}"


def main(kinds):
    names = [f"{kind}, {name}" for kind, name, *_ in FILES]
    if kinds == ["--list"]:
        print("\n".join(names))
        return 0
    chosen = [f for f in FILES if not kinds or f[0] in kinds]
    n_wrong = 0 if chosen and len(set(names)) == len(names) else 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table")
        for kind, name, data, options, outcome in chosen:
            with open(path, "wb") as f:
                f.write(data)
            wrong = fault(path, options, outcome)
            if wrong:
                print(f"{kind}, {name} ({' '.join(options)}): {wrong}")
            n_wrong += bool(wrong)
    print(f"tables: {len(chosen)} files, {n_wrong} wrong")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
