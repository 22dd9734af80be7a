#!/usr/bin/env python3
#
# plain_selection.py - features chosen by the definitions, slowly: what fs-select is compared with
#
#     plain_selection.py METHOD SEED K FILE [T]
#
# METHOD is bss, approx-bss (T rows), top, iid, bernoulli, rrqr, rfe, rmb or uniform.  Prints `index
# weight score` in order of choice, for all rows of FILE.  Full matrices as lists, eigenvalues by Jacobi's
# rotations; uses nothing but the definitions in fs-select(1), the random numbers of
# plain_projection.py, and for rfe and rmb (two classes, a tenth at a time) svm-train.
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from plain_projection import draw, first64, second64, unit  # noqa: E402


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def eigen(matrix):
    """Eigenvalues and eigenvectors (as rows) of a symmetric matrix, by cyclic Jacobi."""
    n = len(matrix)
    a = [row[:] for row in matrix]
    z = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(60):
        off = math.fsum(a[i][j] ** 2 for i in range(n) for j in range(n) if i != j)
        if off <= 1e-32 * math.fsum(a[i][i] ** 2 for i in range(n)):
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if a[p][q] == 0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for k in range(n):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(n):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
                z[p], z[q] = ([c * x - s * y for x, y in zip(z[p], z[q])],
                              [s * x + c * y for x, y in zip(z[p], z[q])])
    return [a[i][i] for i in range(n)], z


def row_space(columns):
    """The vector of each column in an orthonormal basis of the rows; all in descending order."""
    n = len(columns[0])
    gram = [[math.fsum(c[i] * c[k] for c in columns) for k in range(n)] for i in range(n)]
    value, vector = eigen(gram)
    order = sorted(range(n), key=lambda k: -value[k])
    order = [k for k in order if value[k] > 1e-8 * value[order[0]]]
    return [[dot(vector[k], c) / math.sqrt(value[k]) for k in order] for c in columns]


def judge(a, v, low, high, delta):
    """upper(v) and lower(v) of all vectors."""
    value, z = eigen(a)
    p = [math.fsum(1 / (x - at) for x in value) for at in (low, low + 1)]
    q = [math.fsum(1 / (at - x) for x in value) for at in (high, high + delta)]
    up = [1 / (high + delta - x) for x in value]
    down = [1 / (x - low - 1) for x in value]
    result = []
    for vector in v:
        y = [dot(direction, vector) ** 2 for direction in z]
        result.append((dot(y, [u * u / (q[0] - q[1]) + u for u in up]),
                       dot(y, [d * d / (p[1] - p[0]) - d for d in down])))
    return result


def bss(feature, v, r):
    size = [dot(x, x) for x in v]
    by_size = sorted(range(len(v)), key=lambda j: -size[j])
    if r >= len(v):
        return [(feature[j], 1, size[j]) for j in by_size]
    rank = len(v[0])
    length = rank if r > rank else max(1, r // 2)
    v = [x[:length] for x in v]
    size = [dot(x, x) for x in v]
    by_size = sorted(range(len(v)), key=lambda j: -size[j])
    if r == 1:
        return [(feature[by_size[0]], 1 / math.sqrt(size[by_size[0]]), size[by_size[0]])]
    s = math.sqrt(length / r)
    delta = (1 + s) / (1 - s)
    a = [[0.0] * length for _ in range(length)]
    total = {}
    for step in range(r):
        verdict = judge(a, v, step - math.sqrt(r * length),
                        delta * (step + math.sqrt(r * length)), delta)
        admitted = [j for j in by_size if verdict[j][0] <= verdict[j][1]]
        fresh = [j for j in admitted if j not in total]
        j = (fresh or admitted)[0]
        t = 2 / sum(verdict[j])
        total[j] = total.get(j, 0) + t
        for x in range(length):
            for y in range(length):
                a[x][y] += t * v[j][x] * v[j][y]
    return [(feature[j], math.sqrt(t * (1 - s) / r), size[j]) for j, t in total.items()]


def sketch(columns, t, seed):
    def normal(i, k):
        w = draw(seed, 0x50, i, k // 2)
        radius = math.sqrt(-2 * math.log(unit(first64(w))))
        angle = 2 * math.pi * unit(second64(w))
        return radius * (math.sin(angle) if k % 2 else math.cos(angle))
    g = [[normal(i, k) for i in range(len(columns[0]))] for k in range(t)]
    return [[dot(row, c) for row in g] for c in columns]


def iid(feature, score, r, seed):
    drawn = {}
    for k in range(r):
        at = unit(first64(draw(seed, 0x61, k, 0))) * math.fsum(score)
        sums = 0
        for j, x in enumerate(score):
            sums += x
            if sums > at:
                break
        drawn[j] = drawn.get(j, 0) + 1
    rank = math.fsum(score)
    return [(feature[j], math.sqrt(c * rank / (r * score[j])), score[j]) for j, c in drawn.items()]


def bernoulli(feature, score, r, seed):
    low, high = 0.0, 1e12
    for _ in range(200):
        c = (low + high) / 2
        if math.fsum(min(1, c * x) for x in score) < r:
            low = c
        else:
            high = c
    chosen = []
    for j, x in zip(feature, score):
        q = min(1, c * x)
        if q > 1 - 1e-9 or unit(first64(draw(seed, 0x60, j - 1, 0))) < q:
            chosen.append((j, 1 / math.sqrt(q), x))
    return chosen


def rrqr(feature, columns, r):
    """Restarted at the rank, each time among the columns that are left."""
    chosen, left = [], dict(zip(feature, columns))
    while left and len(chosen) < r:
        rest, first, basis = dict(left), None, []
        while rest and len(chosen) < r:
            distance = {}
            for j, c in rest.items():
                for _ in range(2):
                    for b in basis:
                        part = dot(b, c)
                        c = [x - part * y for x, y in zip(c, b)]
                distance[j] = (math.sqrt(dot(c, c)), c)
            j = max(distance, key=lambda j: distance[j][0])
            size, c = distance[j]
            first = size if first is None else first
            if size <= 1e-10 * first:
                break
            basis.append([x / size for x in c])
            chosen.append((j, 1, size))
            del rest[j], left[j]
    return chosen


def weights(name):
    """w of a linear model in a file of svm-train's."""
    w, body = {}, False
    for line in open(name):
        words = line.split()
        for word in words[1:] if body else []:
            j, x = word.split(":")
            w[int(j)] = w.get(int(j), 0) + float(words[0]) * float(x)
        body = body or words == ["SV"]
    return w


def train(rows, left):
    """The weights of the features left, in a machine that sees no others."""
    with tempfile.TemporaryDirectory() as folder:
        data, model = os.path.join(folder, "data"), os.path.join(folder, "model")
        with open(data, "w") as f:
            for label, row in rows:
                f.write(label + "".join(" %d:%s" % (j, x) for j, x in row if j in left) + "\n")
        subprocess.run(["svm-train", "-q", "-t", "0", "-e", "1e-7", data, model], check=True)
        w = weights(model)
    return {j: abs(w.get(j, 0)) for j in left}


def ball(points):
    """The weights of the points whose mean is the centre of the smallest ball around them all."""
    n = len(points)
    gram = [[dot(a, b) for b in points] for a in points]
    u = [1 / n] * n
    for _ in range(100000):
        toward = [gram[i][i] - 2 * dot(gram[i], u) for i in range(n)]
        far = max(range(n), key=lambda i: toward[i])
        near = min((i for i in range(n) if u[i] > 0), key=lambda i: toward[i])
        gain, size = toward[far] - toward[near], gram[far][far] - 2 * gram[far][near] + gram[near][near]
        if gain <= 1e-9 * max(gram[i][i] for i in range(n)):
            break
        step = min(u[near], gain / (2 * size))
        u[far] += step
        u[near] = 0 if step == u[near] else u[near] - step
    return u


def change(rows, left):
    """How fast R^2 |w|^2 changes with the square of each feature's scale."""
    w = train(rows, left)
    x = [dict((j, float(v)) for j, v in row) for _, row in rows]
    names = sorted(left)
    u = ball([[row.get(j, 0.0) for j in names] for row in x])
    centre = {j: math.fsum(a * row.get(j, 0.0) for a, row in zip(u, x)) for j in names}
    spread = {j: math.fsum(a * (row.get(j, 0.0) - centre[j]) ** 2 for a, row in zip(u, x)) for j in names}
    radius2, norm2 = math.fsum(spread.values()), math.fsum(v * v for v in w.values())
    return {j: abs(radius2 * w[j] ** 2 - norm2 * spread[j]) for j in names}


def eliminate(rows, feature, r, judge):
    left = score = dict.fromkeys(feature, 0)
    while len(left) > r:
        score = judge(rows, left)
        gone = sorted(left, key=lambda j: (score[j], -j))
        left = set(left) - set(gone[:min(max(1, len(left) // 10), len(left) - r)])
    return [(j, 1, score[j]) for j in sorted(left, key=lambda j: (-score[j], j))]


def uniform(feature, r, seed):
    def key(j):
        return first64(draw(seed, 0x70, j - 1, 0))
    return [(j, 1, unit(key(j))) for j in sorted(feature, key=key)[:r]]


def read_words(name):
    """The label of each row, and (index, value) of its features; both values as written."""
    rows = []
    for line in open(name):
        label, *words = line.split("#")[0].split()
        rows.append((label, [(int(j), x) for j, x in (word.split(":") for word in words)]))
    return rows


def read(name):
    rows = [{j: float(x) for j, x in row} for _, row in read_words(name)]
    feature = sorted({j for row in rows for j, x in row.items() if x != 0})
    return feature, [[row.get(j, 0.0) for row in rows] for j in feature]


def main():
    method, seed, r, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    if method in ("rfe", "rmb"):
        rows = read_words(name)
        feature = {j for _, row in rows for j, x in row if float(x) != 0}
        return show(eliminate(rows, feature, r, train if method == "rfe" else change))
    feature, columns = read(name)
    if method == "rrqr":
        chosen = rrqr(feature, columns, r)
    elif method == "uniform":
        chosen = uniform(feature, r, seed)
    elif method == "approx-bss":
        chosen = bss(feature, row_space(sketch(columns, int(sys.argv[5]), seed)), r)
    else:
        v = row_space(columns)
        score = [dot(x, x) for x in v]
        if method == "bss":
            chosen = bss(feature, v, r)
        elif method == "top":
            chosen = sorted(zip(feature, [1] * len(v), score), key=lambda x: -x[2])[:r]
        else:
            chosen = {"iid": iid, "bernoulli": bernoulli}[method](feature, score, r, seed)
    show(chosen)


def show(chosen):
    for index, weight, value in chosen:
        print(index, repr(weight), repr(value))


main()
