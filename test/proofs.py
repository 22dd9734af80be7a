#!/usr/bin/env python3
"""proofs.py - the proof that training prints, against that of the file it wrote

    test/proofs.py [--problems N] [--seed S] [--first K] [--exact ROWS]     default: 300 1 0 60

Draws problems of all machines, kernels, scales, weights and losses, and trains each.  For each pair of
classes

    primal and dual of training   lie within the sum of both roundings of those that svm-eval --certify
                                  finds of the file just written, which computes all in doubles
    primal, dual and gap of both  of problems of up to ROWS rows: are those of exact arithmetic (exact.py),
                                  within their roundings, and the gap is not above the gap told
    violators                     of a solution that claims to be the optimum: no more than the file has,
                                  but for one where rounding decides
    the lines of both programs    have bounds of the numbers in the reports, off by their last digit at most

The programs are taken from PATH, or from bin/.  Prints a line for each that does not, then
"proofs: N checks, M failed".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import exact

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPU_SECONDS = 120
OPTIMAL = "no violators left", "the working set was the whole set"

n_checks = n_failed = n_refused = 0
exact_rows = 0


def check(name, holds, complaint):
    global n_checks, n_failed
    n_checks += 1
    if not holds:
        n_failed += 1
        print("FAIL %s: %s" % (name, complaint), flush=True)


class Problem:
    """Rows, targets, weights and options of a training, drawn from 'rng'."""

    def __init__(self, rng):
        self.machine = rng.choice([0, 0, 0, 1, 2, 3, 3, 4])
        self.kernel = rng.choice([0, 0, 1, 1, 2, 2, 3])
        n, d = rng.choice([8, 20, 60, 150]), rng.choice([1, 2, 3, 8])
        scale = [10.0 ** rng.choice([0, 0, 0, 0, 1, 2]) for _ in range(d)]
        offset = [rng.choice([0, 0, 0, 0, 1, 1000]) * s for s in scale]
        digits = rng.choice([3, 6, 17])
        self.rows = [[float("%.*g" % (digits, rng.gauss(0, 1) * s + o)) if rng.random() < 0.8 else 0.0
                      for s, o in zip(scale, offset)] for _ in range(n)]
        repeated = rng.random() < 0.3
        if repeated:
            self.rows = [rng.choice(self.rows[: max(2, n // 3)]) for _ in self.rows]
        truth = [sum(v / s for v, s in zip(row, scale)) +
                 rng.gauss(0, rng.choice([0.1, 1])) for row in self.rows]
        middle = sorted(truth)[n // 2]
        if self.machine >= 3:
            self.labels = ["%.6g" % t for t in truth]
        else:
            self.labels = ["1" if t > middle else "-1" for t in truth]
            self.labels[0], self.labels[1] = "1", "-1"
        self.c = rng.choice([0.01, 1, 1, 10, 100])
        self.form = ["-s", self.machine, "-t", self.kernel]  # which a model tells
        self.options = ["-c", self.c, "-n", rng.choice([0.1, 0.3, 0.5]), "-p", rng.choice([0, 0.1, 0.5])]
        if self.kernel:
            self.form += ["-g", rng.choice([0.01, 0.1, 1]) / max(s * s for s in scale)]
        if self.kernel == 1:
            self.form += ["-d", rng.choice([1, 2, 3]), "-r", rng.choice([0, 1])]
        if self.kernel == 3:
            self.form += ["-r", rng.choice([0, -1])]
        if self.kernel == 0 and self.machine in (0, 3) and rng.random() < 0.3:
            self.options += ["--loss", "squared"]
        if self.machine == 0 and rng.random() < 0.2:
            self.options += ["-w1", rng.choice([0.5, 3])]
        self.weights = None
        if rng.random() < (0.6 if repeated else 0.2):
            self.weights = [rng.choice([0.3, 0.7, 1, 1, 2.2, 3]) for _ in self.rows]
        self.gap = ["--gap", "1e-9"] if rng.random() < 0.2 else []

    def write(self):
        with open("data", "w") as f:
            for label, row in zip(self.labels, self.rows):
                entries = " ".join("%d:%r" % (j + 1, v) for j, v in enumerate(row) if v)
                f.write("%s %s\n" % (label, entries))
        if self.weights:
            with open("weights", "w") as f:
                f.writelines("%g\n" % w for w in self.weights)

        self.options = [str(o) for o in self.options] + (["-W", "weights"] if self.weights else [])
        self.form = [str(o) for o in self.form + self.gap]


    def exact(self):
        """The same problem, for exact arithmetic."""
        class_weight = self.options[self.options.index("-w1") + 1] if "-w1" in self.options else 1
        return exact.Training(self.machine, "data", self.weights or [1] * len(self.rows), self.c,
                              float(self.options[3]), float(self.options[5]), class_weight,
                              "--loss" in self.options)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=CPU_SECONDS, check=False)


def pairs_of(report):
    """The certificates of each pair of classes; that of the whole where there is one alone."""
    with open(report) as f:
        found = json.load(f)
    return found.get("pairs") or [found]


def compare(name, training, file):
    """Do the two certificates of one problem agree within their roundings?"""
    if file["rounding"] is None:  # where doubles leave no room between classes
        return
    for key in "primal", "dual":
        a, b = training[key], file[key]
        if a is None or b is None:
            continue
        allowed = (training["rounding"] or 0) + (file["rounding"] or 0)
        if key == "dual" and training["stop_reason"] not in OPTIMAL:
            # the best bound that was met need not be that of the multipliers written
            check("%s: dual" % name, b - allowed <= a <= file["primal"] + allowed, "%r of training, %r of the file" % (a, b))
            continue
        check("%s: %s" % (name, key), abs(a - b) <= allowed * (1 + 1e-9),
              "%r of training, %r of the file: %.3g apart, %.3g allowed" % (a, b, abs(a - b), allowed))


def read_numbers(path):
    with open(path) as f:
        return [int(word) for word in f.read().split()]


def compare_exactly(name, found, primal, dual):
    """Are a certificate's numbers those of exact arithmetic, within its rounding?"""
    if found["rounding"] is None:
        return
    # the best bound that a training met need not be that of the multipliers written
    optimal = found.get("stop_reason", OPTIMAL[0]) in OPTIMAL
    for key, value in (("primal", primal), ("dual", dual))[: 1 + optimal]:
        off = float(abs(Fraction(found[key]) - value))
        check("%s: exact %s" % (name, key), off <= found["rounding"],
              "%r, and not %.17g: %.3g apart, %.3g allowed" % (found[key], value, off, found["rounding"]))
    # 0 stands for what rounding leaves of it
    if optimal and found["primal"] != 0 and found["gap_bound"] is not None:
        check("%s: exact gap" % name, primal - dual <= found["gap_bound"],
              "%.17g, %.17g allowed" % (primal - dual, found["gap_bound"]))


def printed(name, out, c):
    """Are the numbers of both lines of a proof bounds, each rounded to its side in its last digit?"""
    line, numbers = re.search("^Objective (.*)$", out, re.M), re.search("^primal = .*$", out, re.M)
    check(name, line and numbers, "no proof: %r" % out)
    words, error = line.group(1).split(", "), c["rounding"] or 0
    shown = [("objective", float(words[0]), c["primal"] and c["primal"] + error, max(1e-5 * abs(c["primal"]), 20 * error))]
    for key, within in ("primal", 20 * error), ("dual", -20 * error):
        value = re.search("%s = ([^,]*)" % key, numbers.group())
        if value and c[key]:
            shown.append((key, float(value.group(1)), c[key], within + math.copysign(1e-11 * abs(c[key]), within)))
    check(name, c["gap_bound"] is not None or "nothing is proved" in line.group(), line.group())
    for key in ("gap", "gap_bound"), ("relative gap", "relative_gap"):
        value = re.search(", [^,]*\\b%s = ([^,]*)" % key[0], line.group())
        if value and c[key[1]] is not None:
            shown.append((key[0], float(value.group(1)), c[key[1]], .1 * abs(c[key[1]])))
    for key, text, value, within in shown:
        check("%s: %s" % (name, key), min(0, within) <= text - value <= max(0, within), "%r printed of %r" % (text, value))


def judge(k, seed):
    global n_refused
    rng = random.Random("%d %d" % (seed, k))
    problem = Problem(rng)
    problem.write()
    name = "%d (%s)" % (k, " ".join(problem.form + problem.options))
    for file in "model", "t.json", "e.json":
        if os.path.exists(file):
            os.remove(file)
    trained = run("randsvm-train", "--verbose", "--time-limit", "20", "--report", "t.json", "--sv-indices", "indices",
                  *problem.form, *problem.options, "data", "model")
    if trained.returncode == 1 and not os.path.exists("model"):
        n_refused += 1
        return
    check(name, trained.returncode == 0, "training ends with %d: %s" % (trained.returncode, trained.stderr))
    if trained.returncode != 0:
        return
    certified = run("svm-eval", "--verbose", "--certify", "data", "--report", "e.json", *problem.options, "model")
    check(name, os.path.exists("e.json"), "svm-eval --certify: %s" % certified.stderr.strip())
    if not os.path.exists("e.json"):
        return
    check(name, "exceeds its bound" not in certified.stderr, certified.stderr)
    training, file = pairs_of("t.json"), pairs_of("e.json")
    check(name, len(training) == len(file), "%d certificates, %d" % (len(training), len(file)))
    if len(problem.rows) <= exact_rows:
        exactly = problem.exact().bounds("model", read_numbers("indices"))
        compare_exactly("%s: training" % name, training[0], *exactly)
        compare_exactly("%s: file" % name, file[0], *exactly)
    printed(name + ", training", trained.stdout, training[0])
    printed(name + ", svm-eval", certified.stdout, file[0])
    for a, b in zip(training, file):
        compare(name, a, b)
        if a["stop_reason"] in OPTIMAL and (b["rounding"] or math.inf) < 1e-3 * abs(b["primal"]):
            # one may be where rounding decides
            check("%s: violators" % name, a["violators"] <= b["violators"] + 1,
                  "%d of training, %d of the file" % (a["violators"], b["violators"]))


def main():
    global exact_rows
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exact", type=int, default=60, metavar="ROWS")
    options = parser.parse_args()
    exact_rows = options.exact
    if not shutil.which("randsvm-train"):
        os.environ["PATH"] = os.path.join(TOP, "bin") + ":" + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for k in range(options.first, options.first + options.problems):
            judge(k, options.seed)
        os.chdir(TOP)
    check("problems", n_refused <= options.problems // 4, "%d are refused" % n_refused)
    print("proofs: %d checks, %d failed" % (n_checks, n_failed))
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
