"""plain_summary.py N ROWS ANSWERS LINES [RANGES] - are LINES those of svm-eval --summary N, by its definition?

ANSWERS has what svm-eval --scores --on-error answer wrote for ROWS, and RANGES what svm-scale -s writes;
'-' for ROWS: rows of a table, of which only answers are looked at.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import json
import sys

n, rows_file, answers_file, lines_file = int(sys.argv[1]), *sys.argv[2:5]
ranges = {}
if len(sys.argv) > 5:
    for line in open(sys.argv[5]).read().split("\n")[2:]:
        if line:
            feature, least, most = line.split()
            ranges[int(feature)] = (float(least), float(most))
head, *answers = open(answers_file).read().splitlines()
n_values = len(head.split()) - 1
rows = open(rows_file).read().splitlines() if rows_file != "-" else [""] * len(answers)
assert len(rows) == len(answers)


def value_of(answer):
    values = [float(v) for v in answer.split()[1:]]
    return values[0] if n_values == 1 else max(abs(v) for v in values)


lines = [json.loads(line) for line in open(lines_file) if line.startswith("{")]
assert len(lines) == -(-len(rows) // n), len(lines)
for k, line in enumerate(lines):
    part = list(zip(rows, answers))[k * n:(k + 1) * n]
    good = [(r, a) for r, a in part if not a.startswith("error: ")]
    assert line["rows"] == len(good) and line["refused"] == len(part) - len(good), line
    if "predicted" in line:
        names = [next(csv.reader([a], delimiter=" "))[0] for _, a in good]
        assert sum(line["predicted"].values()) == len(good)
        assert all(names.count(name) == m for name, m in line["predicted"].items()), line
    values = sorted(value_of(a) for _, a in good)
    expected = {"p%d" % p: values[(len(values) - 1) * p // 100] for p in (0, 5, 25, 50, 75, 95, 100) if values}
    assert line["values"] == expected, (line, expected)
    if ranges:
        outside = unknown = 0
        for row, _ in good:
            x = {int(j): float(v) for j, v in (w.split(":") for w in row.split() if ":" in w)}
            unknown += any(v != 0 and j not in ranges for j, v in x.items())
            outside += any(not least <= x.get(j, 0) <= most for j, (least, most) in ranges.items())
        assert (line["out_of_range"], line["unknown_features"]) == (outside, unknown), (line, outside, unknown)
    else:
        assert line["out_of_range"] == 0
