#!/usr/bin/env python3
"""wide.py - linear models of columns of very different size, against exact arithmetic

    test/wide.py [--problems N] [--first K]     default: 40 problems

Draws problems of the linear kernel whose columns are 1 to 1e9 wide, and near 0 or far from it: C-SVC of
two and three classes, epsilon-SVR, both losses, --compact and --multiclass ovr.  Of each file, by
fractions,

    primal of training            is that of the weights in the file at the best constant, within its
                                  rounding; of one class against the rest at the constant in the file
    svm-eval --certify            says the same, within the sum of both roundings
    scores and predictions        of svm-eval and svm-predict are those of the file

Where a multiple of the weights separates the classes the certificate is the multiple's, and only compared
with svm-eval's.  The programs are taken from PATH.  Ends in "wide: N checks, M failed".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

KINDS = "svc", "svc", "three", "svr", "svr", "compact", "ovr", "ovr", "squared svc", "squared svr", "squared ovr"
n_checks = n_failed = n_refused = n_weights = 0


def check(name, holds, complaint):
    global n_checks, n_failed
    n_checks += 1
    if not holds:
        n_failed += 1
        print("FAIL %s: %s" % (name, complaint), flush=True)


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False)


def weights_of(path, classes):
    """Weights and constant of each pair of classes, or of each class, and the labels that are +1 and -1."""
    with open(path) as f:
        lines = f.read().splitlines()
    if "SV" not in lines:
        head = {line.split()[0]: line.split()[1:] for line in lines[: lines.index("w")]}
        rows = [[Fraction(float(v)) for v in line.split()] for line in lines[lines.index("w") + 1:]]
        return [({j + 1: row[c] for j, row in enumerate(rows[:-1])}, rows[-1][c], int(head["label"][c]), None)
                for c in range(len(rows[0]))]
    # the coefficients of a vector come before its features
    k, start = max(2, classes), lines.index("SV")
    head = {line.split()[0]: line.split()[1:] for line in lines[:start]}
    vectors = [line.split() for line in lines[start + 1:]]
    first = [0]
    for n in head.get("nr_sv", [len(vectors), 0]):
        first.append(first[-1] + int(n))
    found = []
    for a in range(k):
        for b in range(a + 1, k):
            w = {}
            for own, column in (a, b - 1), (b, a):
                for vector in vectors[first[own]:first[own + 1]]:
                    for entry in vector[k - 1:]:
                        j, value = entry.split(":")
                        w[int(j)] = w.get(int(j), 0) + Fraction(float(vector[column])) * Fraction(float(value))
            labels = [int(v) for v in head["label"]] if "label" in head else [0, 0]
            found.append((w, -Fraction(float(head["rho"][len(found)])), labels[a], labels[b]))
    return found


def primal(square, values, targets, b, c, epsilon, squared):
    excess = [abs(t - f - b) - epsilon if epsilon is not None else 1 - t * (f + b) for f, t in zip(values, targets)]
    return square / 2 + c * sum(e * e if squared else e for e in excess if e > 0)


def best_primal(values, targets, epsilon, at):
    """The least of a convex function of the constant, which is at a breakpoint."""
    points = sorted({t - f + side for f, t in zip(values, targets) for side in ([epsilon, -epsilon] if epsilon else [0])})
    low, high = 0, len(points) - 1
    while high - low > 2:
        middle = (low + high) // 2
        low, high = (low, middle + 1) if at(points[middle]) <= at(points[middle + 1]) else (middle + 1, high)
    return min(map(at, points[low:high + 1]))


class Problem:
    def __init__(self, rng):
        n, d = rng.choice([20, 60]), rng.choice([1, 2, 3, 5])
        width = [10.0 ** rng.choice([0, 0, 4, 5, 6, 7, 8, 9]) for _ in range(d)]
        far = [rng.choice([0, 0, 1, 10]) * w for w in width]
        digits, full = rng.choice([4, 10, 17]), rng.random() < 0.7
        self.rows = [[float("%.*g" % (digits, rng.gauss(0, 1) * w + o)) if full or rng.random() < 0.9 else 0.0
                      for w, o in zip(width, far)] for _ in range(n)]
        truth = [sum((v - o) / w for v, w, o in zip(row, width, far)) + rng.gauss(0, rng.choice([0.5, 2]))
                 for row in self.rows]
        self.kind, self.c, self.epsilon = rng.choice(KINDS), rng.choice([0.01, 1, 1, 100]), rng.choice([0, 0.1])
        order, parts = sorted(truth), 3 if self.kind in ("three", "squared ovr") else 2
        self.classes = 0 if "svr" in self.kind else parts
        self.y = [sum(t > order[k * n // parts] for k in range(1, parts)) if self.classes else float("%.6g" % t)
                  for t in truth]
        self.squared, self.rest = self.kind.startswith("squared"), self.kind.endswith("ovr")
        self.options = ["-c", self.c, "-p", self.epsilon] + ["--loss", "squared"] * self.squared
        self.form = ["-t", 0] + ["-s", 3] * (not self.classes) + ["--multiclass", "ovr"] * self.rest
        self.form += ["--compact"] * (self.kind == "compact")
        with open("data", "w") as f:
            for label, row in zip(self.y, self.rows):
                f.write("%r %s\n" % (label, " ".join("%d:%r" % (j + 1, v) for j, v in enumerate(row) if v)))

    def values(self, w):
        return [sum(w.get(j + 1, 0) * Fraction(v) for j, v in enumerate(row) if v) for row in self.rows]


def judge_pair(name, problem, training, file, pair):
    w, b, positive, negative = pair
    chosen = [i for i, y in enumerate(problem.y) if not problem.classes or negative is None or y in (positive, negative)]
    targets = [(1 if problem.y[i] == positive else -1) if problem.classes else Fraction(problem.y[i]) for i in chosen]
    f = problem.values(w)
    values = [f[i] for i in chosen]
    epsilon = None if problem.classes else Fraction(problem.epsilon)
    at = lambda b: primal(sum(v * v for v in w.values()), values, targets, b, Fraction(problem.c), epsilon, problem.squared)
    separates = problem.classes and (max(v for v, t in zip(values, targets) if t < 0) <
                                     min(v for v, t in zip(values, targets) if t > 0))
    # of files of LIBLINEAR's kind svm-eval has no multiples, and losses that are not squared another constant
    if file and not (problem.rest and (separates or not problem.squared)):
        apart = abs(training["primal"] - file["primal"])
        check(name + ": svm-eval", apart <= training["rounding"] + (file["rounding"] or 0),
              "%r of training, %r of the file" % (training["primal"], file["primal"]))
    if separates:
        return
    value = at(b) if problem.rest or problem.squared else best_primal(values, targets, epsilon, at)
    check(name + ": primal", abs(training["primal"] - value) <= training["rounding"],
          "%r +- %r, %r of the file" % (training["primal"], training["rounding"], float(value)))


def judge(k):
    global n_refused, n_weights
    problem = Problem(random.Random("wide %d" % k))
    name = "%d %s %s" % (k, problem.kind, " ".join(map(str, problem.form + problem.options)))
    for path in "model", "t.json", "e.json", "scores", "theirs", "ours":
        if os.path.exists(path):
            os.remove(path)
    trained = run("randsvm-train", "--report", "t.json", *problem.form, *problem.options, "data", "model")
    if not os.path.exists("model"):
        n_refused += 1
        check(name, "no solution" in trained.stderr, trained.stderr)
        return
    n_weights += "as with --compact" in trained.stderr
    run("svm-eval", "-q", "--certify", "data", "--report", "e.json", *problem.options, "model")
    run("svm-eval", "-q", "--scores", "data", "model", "scores")
    reports = []
    for path in "t.json", "e.json":
        with open(path) as f:
            report = json.load(f)
        reports.append(report.get("pairs") or [report])
    pairs = weights_of("model", problem.classes)
    for q, pair in enumerate(pairs):
        judge_pair("%s, %d" % (name, q), problem, reports[0][q], reports[1][q] if q < len(reports[1]) else None, pair)
    if len(pairs) > 1:
        return
    values = [v + pairs[0][1] for v in problem.values(pairs[0][0])]
    size = max(1, max(abs(v) for v in values), abs(pairs[0][1]))
    with open("scores") as f:
        scores = f.read().split("\n")[1:-1]  # behind a heading
    check(name + ": scores", all(abs(Fraction(float(s.split()[-1])) - v) <= 1e-12 * size for s, v in zip(scores, values)), "differ")
    if problem.rest or problem.squared or not shutil.which("svm-predict"):
        return
    run("svm-predict", "data", "model", "theirs")
    with open("theirs") as f:
        theirs = [float(line) for line in f]
    for i, (p, v) in enumerate(zip(theirs, values)):
        if problem.classes:
            holds = abs(v) < 0.05 or (p == pairs[0][2]) == (v > 0)
        else:
            holds = abs(Fraction(p) - v) <= 0.05 + 1e-5 * abs(v)
        check(name + ": svm-predict", holds, "row %d: %r, %r of the file" % (i, p, float(v)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for k in range(options.first, options.first + options.problems):
            judge(k)
        os.chdir("/")
    check("problems", n_refused <= options.problems // 10, "%d are refused" % n_refused)
    check("problems", n_weights > 0, "no model has weights")
    print("wide: %d checks, %d failed" % (n_checks, n_failed))
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
