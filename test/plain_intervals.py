"""plain_intervals.py TABLE REPORT LEVEL [UNITS] - check the intervals of svm-eval --intervals

TABLE is what `svm-eval --with-labels --scores` wrote, of a regression or of two classes, REPORT that of
--intervals.  Wilson's and DeLong's are by their definitions, and the bootstrap's ends compared with
those of other random numbers.  UNITS has the group of each row, or weights if its name ends in .w.
Two sets of draws differ: ends may by an eighth of the interval.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import math
import random
import statistics
import sys

table = [line.split() for line in open(sys.argv[1])]
names = table[0]
truth, predicted, score = ([float(row[names.index(n)]) for row in table[1:]]
                           for n in ("label", "prediction", names[-1]))
report = json.load(open(sys.argv[2]))
level = float(sys.argv[3])
units = [line.strip() for line in open(sys.argv[4])] if len(sys.argv) > 4 else []
weights = [float(u) for u in units] if units and sys.argv[4].endswith(".w") else [1.0] * len(truth)
groups = units if units and not sys.argv[4].endswith(".w") else list(range(len(truth)))
z = statistics.NormalDist().inv_cdf((1 + level) / 2)
# the decision value speaks for the class that it is named after first
high = max(truth)
if "/" in names[-1] and float(names[-1].split("/")[0]) != high:
    score = [-s for s in score]


def wilson(right, n):
    p = right / n
    middle, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - width) / (1 + z * z / n), (middle + width) / (1 + z * z / n)


def delong():
    x = [s for s, t in zip(score, truth) if t == high]
    y = [s for s, t in zip(score, truth) if t != high]
    above = [statistics.mean((a > b) + (a == b) / 2 for b in y) for a in x]
    below = [statistics.mean((a > b) + (a == b) / 2 for a in x) for b in y]
    auc = statistics.mean(above)
    error = math.sqrt(statistics.variance(above) / len(x) + statistics.variance(below) / len(y))
    ends = [math.log(auc / (1 - auc)) + s * z * error / (auc * (1 - auc)) for s in (-1, 1)]
    return tuple(1 / (1 + math.exp(-e)) for e in ends)


def mean(pairs):
    pairs = list(pairs)
    return sum(w * v for w, v in pairs) / sum(w for w, _ in pairs)


def auc_of(rows):
    above = pairs = below = 0.0
    by_score = {}
    for i, w in rows:
        by_score.setdefault(score[i], [0.0, 0.0])[truth[i] == high] += w
    for s in sorted(by_score):
        negative, positive = by_score[s]
        above += positive * (below + negative / 2)
        below += negative
        pairs += positive
    return above / (below * pairs)


def determination(rows):
    centre = mean((w, truth[i]) for i, w in rows)
    return 1 - mean((w, (truth[i] - predicted[i]) ** 2) for i, w in rows) / \
        mean((w, (truth[i] - centre) ** 2) for i, w in rows)


figures = {
    "accuracy": lambda rows: 100 * mean((w, predicted[i] == truth[i]) for i, w in rows),
    "balanced_accuracy": lambda rows: 100 * statistics.mean(
        mean((w, predicted[i] == c) for i, w in rows if truth[i] == c) for c in sorted(set(truth))),
    "auc": auc_of,
    "mse": lambda rows: mean((w, (predicted[i] - truth[i]) ** 2) for i, w in rows),
    "mae": lambda rows: mean((w, abs(predicted[i] - truth[i])) for i, w in rows),
    "r2": determination,
}


def bootstrap(figure):
    members = {}
    for i, g in enumerate(groups):
        members.setdefault(g, []).append((i, weights[i]))
    pool, draw = list(members.values()), random.Random(figure)
    values = sorted(figures[figure]([row for g in draw.choices(pool, k=len(pool)) for row in g])
                    for _ in range(1000))
    k = int(1001 * (1 - level) / 2 + 1e-9)
    return values[k - 1], values[-k]


seen = []
for one in report["intervals"]:
    name, ends = one["figure"], (one["from"], one["to"])
    same = [t for t in truth if t == one.get("label")]
    if one["method"] == "Wilson":
        right = sum(p == t for p, t in zip(predicted, truth))
        n = len(truth)
        if "label" in one:
            right = sum(p == t == one["label"] for p, t in zip(predicted, truth))
            n = len(same) if name == "recall" else predicted.count(one["label"])
        want, off = wilson(right, n), 1e-9
        ends = [e / (100 if name == "accuracy" else 1) for e in ends]
    elif one["method"] == "DeLong":
        want, off = delong(), 1e-9
    elif name in figures:
        want = bootstrap(name)
        off = (want[1] - want[0]) / 8
    else:
        continue
    seen.append(name + " by " + one["method"])
    if not one["from"] <= one["value"] <= one["to"] or \
            any(abs(a - b) > off for a, b in zip(ends, want)):
        sys.exit("%s: %s, not %s within %g" % (seen[-1], ends, want, off))
print(*seen, sep="\n")
