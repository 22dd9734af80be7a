#!/usr/bin/env python3
#
# plain_reduce.py - svm-eval --reduce from its definition, slowly: what it is compared with
#
#     plain_reduce.py reduced MODEL REDUCED    its support vectors are those of the greedy choice, its
#                                              coefficients solve K_LL beta = f(L); prints the largest
#                                              |f - g| / |f| of a pair
#     plain_reduce.py trained DATA MODEL C P   prints the objective of MODEL on DATA (two classes, or
#                                              P > 0: regression), which no small change of its
#                                              coefficients may lower
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import random
import sys


class Model:
    def __init__(self, name):
        self.keys, self.sv, self.coef = {}, [], []
        lines = iter(open(name).read().splitlines())
        for line in lines:
            if line == "SV":
                break
            key, *values = line.split()
            self.keys[key] = values
        n_class = int(self.keys["nr_class"][0])
        for line in lines:
            words = line.split()
            self.coef.append([float(c) for c in words[:n_class - 1]])
            self.sv.append(entries(words[n_class - 1:]))
        of_class = [int(n) for n in self.keys.get("nr_sv", [len(self.sv)])]
        self.own = [c for c, n in enumerate(of_class) for _ in range(n)]
        self.pairs = [(a, b) for a in range(n_class) for b in range(a + 1, n_class)]

    def kernel(self, x, y):
        gamma = float(self.keys["gamma"][0])
        if self.keys["kernel_type"] == ["rbf"]:
            return math.exp(-gamma * sum((x.get(j, 0) - y.get(j, 0)) ** 2 for j in {*x, *y}))
        product = sum(v * y.get(j, 0) for j, v in x.items())
        return (gamma * product + float(self.keys["coef0"][0])) ** int(self.keys["degree"][0])

    def members(self, pair):
        return [i for i, c in enumerate(self.own) if c in pair]

    def weight(self, i, pair):
        a, b = pair
        other = b if self.own[i] == a else a
        return self.coef[i][other if other < self.own[i] else other - 1]


def entries(words):
    return {int(j): float(v) for j, v in (w.split(":") for w in words)}


def solve(a, b):
    """Gauss, with pivots; rows that depend on others are left out, with a solution of 0."""
    n = len(b)
    rows = [row[:] + [b[i]] for i, row in enumerate(a)]
    used, x = [], [0.0] * n
    for col in range(n):
        free = [i for i in range(n) if i not in (u for u, _ in used)]
        i = max(free, key=lambda i: abs(rows[i][col]), default=None)
        if i is None or abs(rows[i][col]) < 1e-11:
            continue
        used.append((i, col))
        for k in range(n):
            if k != i and rows[k][col]:
                factor = rows[k][col] / rows[i][col]
                rows[k] = [p - factor * q for p, q in zip(rows[k], rows[i])]
    for i, col in used:
        x[col] = rows[i][n] / rows[i][col]
    return x


def reduced(name, reduced_name):
    m, r = Model(name), Model(reduced_name)
    n = len(m.sv)
    gram = [[m.kernel(x, y) for y in m.sv] for x in m.sv]
    value = {p: [sum(m.weight(j, p) * gram[i][j] for j in m.members(p)) for i in range(n)]
             for p in m.pairs}
    norm2 = {p: sum(m.weight(i, p) * value[p][i] for i in m.members(p)) for p in m.pairs}

    def kept(pair, chosen):
        """<g, g> of the best g with these vectors; they are those of the pair's classes."""
        own = [i for i in chosen if m.own[i] in pair]
        beta = solve([[gram[i][j] for j in own] for i in own], [value[pair][i] for i in own])
        return sum(b * value[pair][i] for b, i in zip(beta, own))

    chosen = []
    for _ in r.sv:
        chosen.append(max((i for i in range(n) if i not in chosen),
                          key=lambda i: sum(kept(p, chosen + [i]) for p in m.pairs)))
    chosen.sort()
    assert [m.sv[i] for i in chosen] == r.sv, "other vectors"
    assert [m.own[i] for i in chosen] == r.own, "other classes"
    for p in m.pairs:
        own = r.members(p)
        for i in own:
            got = sum(r.weight(j, p) * m.kernel(r.sv[i], r.sv[j]) for j in own)
            assert abs(got - value[p][chosen[i]]) < 1e-9 * (1 + abs(got)), (p, i, got)
    assert m.keys["rho"] == r.keys["rho"] and m.keys.get("label") == r.keys.get("label")
    print(max(math.sqrt(max(0, 1 - kept(p, chosen) / norm2[p])) for p in m.pairs))


def trained(data, name, c, p):
    m = Model(name)
    rows = [line.split() for line in open(data)]
    first = float(m.keys["label"][0]) if "label" in m.keys else None
    y = [float(r[0]) if p else (1 if float(r[0]) == first else -1) for r in rows]
    values = [[m.kernel(entries(r[1:]), s) for s in m.sv] for r in rows]
    gram = [[m.kernel(s, t) for t in m.sv] for s in m.sv]

    def objective(beta, rho):
        norm2 = sum(a * b * gram[i][j] for i, a in enumerate(beta) for j, b in enumerate(beta))
        f = (sum(b * v for b, v in zip(beta, row)) - rho for row in values)
        if p:
            return norm2 / 2 + c * sum(max(0, abs(t - v) - p) for t, v in zip(y, f))
        return norm2 / 2 + c * sum(max(0, 1 - t * v) for t, v in zip(y, f))

    beta, rho = [w[0] for w in m.coef], float(m.keys["rho"][0])
    best = objective(beta, rho)
    random.seed(1)
    for size in 1e-1, 1e-2, 1e-3:
        for _ in range(60):
            other = [b + size * random.gauss(0, 1) for b in beta]
            assert objective(other, rho + size * random.gauss(0, 1)) > best * (1 - 1e-4), size
    print(best)


if sys.argv[1] == "reduced":
    reduced(*sys.argv[2:4])
else:
    trained(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
