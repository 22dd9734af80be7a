#!/usr/bin/env python3
#
# plain_shapley.py - svm-eval --explain 0 by the definition: all sets of features, in 50 digits
#
#     plain_shapley.py ROWS MODEL [BACKGROUND]     the table; without BACKGROUND that of a row of zeros
#
# Numbers of files are taken as they are, sums and products are exact fractions but for exp().
#
# SPDX-License-Identifier: BSD-3-Clause
import decimal
import itertools
import math
import sys
from fractions import Fraction

decimal.getcontext().prec = 50


def entries(words):
    return {int(j): Fraction(float(v)) for j, v in (w.split(":") for w in words)}


def rows_of(name):
    return [entries(w for w in line.split() if ":" in w) for line in open(name)]


class Model:
    def __init__(self, name):
        self.keys, self.sv, self.coef = {}, [], []
        lines = iter(open(name).read().splitlines())
        for line in lines:
            if line == "SV":
                break
            key, *values = line.split()
            self.keys[key] = values
        self.n_class = int(self.keys["nr_class"][0])
        for line in lines:
            words = line.split()
            self.coef.append([Fraction(float(c)) for c in words[:self.n_class - 1]])
            self.sv.append(entries(words[self.n_class - 1:]))
        of_class = [int(n) for n in self.keys.get("nr_sv", [len(self.sv)])]
        self.own = [c for c, n in enumerate(of_class) for _ in range(n)]
        self.pairs = list(itertools.combinations(range(self.n_class), 2))
        self.labels = self.keys.get("label")

    def value(self, name, default=0):
        return Fraction(float(self.keys.get(name, [default])[0]))

    def kernel(self, s, y):
        kind = self.keys["kernel_type"][0]
        if kind == "rbf":
            d = sum((s.get(j, 0) - y.get(j, 0)) ** 2 for j in {*s, *y})
            d = -self.value("gamma") * d
            return Fraction((decimal.Decimal(d.numerator) / decimal.Decimal(d.denominator)).exp())
        dot = sum(v * y.get(j, 0) for j, v in s.items())
        if kind == "linear":
            return dot
        return (self.value("gamma") * dot + self.value("coef0")) ** int(self.keys["degree"][0])

    def decisions(self, y):
        k = [self.kernel(s, y) for s in self.sv]
        return [sum(k[i] * self.coef[i][0 if self.n_class == 2 or not self.labels else
                                        (b if c == a else a) - ((b if c == a else a) > c)]
                    for i, c in enumerate(self.own) if c in (a, b)) - Fraction(float(rho))
                for (a, b), rho in zip(self.pairs, self.keys["rho"])]

    def winner(self, values):
        votes = [0] * self.n_class
        for (a, b), f in zip(self.pairs, values):
            votes[a if f > 0 else b] += 1
        return votes.index(max(votes))

    def output(self, c, values):
        if self.n_class == 2:
            return values[0]
        return sum(f if c == a else -f for (a, b), f in zip(self.pairs, values) if c in (a, b))


def label_of(model, values):
    machine = model.keys["svm_type"][0]
    if machine in ("epsilon_svr", "nu_svr"):
        return float(values[0])
    if machine == "one_class":
        return 1 if values[0] > 0 else -1
    return model.labels[model.winner(values)]


def main():
    model, rows = Model(sys.argv[2]), rows_of(sys.argv[1])
    background = rows_of(sys.argv[3]) if len(sys.argv) > 3 else [{}]
    features = range(1, max(j for row in model.sv + background for j in row) + 1)
    d = len(features)
    print("label", "value", "base", *features, sep="\t")
    for x in rows:
        values = model.decisions(x)
        c = model.winner(values)
        worth = {}
        for size in range(d + 1):
            for chosen in itertools.combinations(features, size):
                y = [{j: (x if j in chosen else z).get(j, 0) for j in features}
                     for z in background]
                worth[chosen] = sum(model.output(c, model.decisions(one)) for one in y) / len(y)
        phi = []
        for j in features:
            phi.append(sum(Fraction(math.factorial(len(s)) * math.factorial(d - len(s) - 1),
                                    math.factorial(d)) *
                           (worth[tuple(sorted((*s, j)))] - v)
                           for s, v in worth.items() if j not in s))
        assert sum(phi) + worth[()] == worth[tuple(features)]
        print(label_of(model, values), float(model.output(c, values)), float(worth[()]),
              *map(float, phi), sep="\t")


main()
