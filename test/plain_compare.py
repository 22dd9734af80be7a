"""plain_compare.py - check what svm-eval --compare says of two files of predictions

    plain_compare.py differences ONE OTHER REPORT LEVEL [GROUPS]
    plain_compare.py level

'differences': ONE and OTHER have labels and predictions, as --with-labels writes them, REPORT is that of
comparing them.  McNemar's test is by whole numbers and fractions, and the ends of the intervals are
compared with those of other random numbers, from which they may differ by an eighth of the interval.

'level': svm-eval is run on predictions of machines that are equally good in truth, and of one that is
better.  Of the first 10 % of the intervals of level 0.9 are without 0, within four standard deviations, and
at most as many of McNemar's p are below 0.1.

SPDX-License-Identifier: BSD-3-Clause
"""
from fractions import Fraction
import json
import math
import random
import statistics
import subprocess
import sys


def table(name):
    rows = [line.split() for line in open(name)]
    columns = [rows[0].index(n) for n in ("label", "prediction")]
    return [tuple(float(row[c]) for c in columns) for row in rows[1:]]


def mcnemar(a, b):
    n, least = a + b, min(a, b)
    return min(Fraction(1), Fraction(2 * sum(math.comb(n, k) for k in range(least + 1)), 2 ** n))


def recall(rows):
    return statistics.mean(statistics.mean(t == p for t, p in rows if t == c)
                           for c in {t for t, _ in rows})


FIGURES = {
    "accuracy": lambda rows: 100 * statistics.mean(t == p for t, p in rows),
    "macro_recall": recall,
    "mse": lambda rows: statistics.mean((t - p) ** 2 for t, p in rows),
    "mae": lambda rows: statistics.mean(abs(t - p) for t, p in rows),
}


def differences(one, other, report, level, groups=None):
    one, other, report, level = table(one), table(other), json.load(open(report)), float(level)
    units = [line.strip() for line in open(groups)] if groups else range(len(one))
    members, draw, n_seen = {}, random.Random(1), 0
    for i, unit in enumerate(units):
        members.setdefault(unit, []).append(i)
    members = list(members.values())
    alone = [sum(x[0] == x[1] and y[0] != y[1] for x, y in zip(a, b))
             for a, b in ((one, other), (other, one))]
    if [report["right_alone"], report["other_right_alone"]] != alone and \
            "accuracy" in report:
        sys.exit(f"right alone: {alone}")
    if groups or "accuracy" not in report:
        if report["mcnemar"] is not None:
            sys.exit("McNemar's test of what is not for it")
    elif abs(report["mcnemar"] / float(mcnemar(*alone)) - 1) > 1e-11:
        sys.exit(f"McNemar's test: {report['mcnemar']}, not {float(mcnemar(*alone))}")
    for found in report["differences"]:
        figure = FIGURES.get(found["figure"])
        if not figure:
            continue
        values = []
        for _ in range(1000):
            rows = [i for unit in draw.choices(members, k=len(members)) for i in unit]
            values.append(figure([one[i] for i in rows]) - figure([other[i] for i in rows]))
        values.sort()
        k = int(1001 * (1 - level) / 2 + 1e-9)
        ends = values[k - 1], values[-k]
        if abs(found["value"] - (figure(one) - figure(other))) > 1e-9 or \
                any(abs(found[key] - end) > (ends[1] - ends[0]) / 8
                    for key, end in zip(("from", "to"), ends)):
            sys.exit(f"{found}, not within {ends}")
        n_seen += 1
        print(found["figure"])
    if n_seen == 0:
        sys.exit("no figure is known")


def compared(draw, rates, n):
    """McNemar's p and the interval of the accuracies of machines that are right at these rates"""
    for name, rate in zip("xy", rates):
        with open(name, "w") as to:
            print("label prediction", file=to)
            for i in range(n):
                label = 1 + i % 3
                print(label, label if draw.random() < rate else 1 + label % 3, file=to)
    subprocess.run("svm-eval -q --measure x --compare y --intervals 0.9 --report report.json".split(),
                   check=True)
    report = json.load(open("report.json"))
    return report["mcnemar"], report["differences"][0]


def level():
    draw, n = random.Random(2), 200
    equal = [compared(draw, (0.8, 0.8), 120) for _ in range(n)]
    outside = sum(not d["from"] <= 0 <= d["to"] for _, d in equal)
    rejected = sum(p < 0.1 for p, _ in equal)
    off = 4 * math.sqrt(0.1 * 0.9 * n)
    if abs(outside - 0.1 * n) > off or rejected > 0.1 * n + off:
        sys.exit(f"of {n} pairs {outside} intervals are without 0, and {rejected} p are below 0.1")
    p, found = compared(draw, (0.95, 0.7), 300)
    if not found["from"] > 0 or not p < 1e-6:
        sys.exit(f"a better machine is not found: {p}, {found}")


{"differences": differences, "level": level}[sys.argv[1]](*sys.argv[2:])
