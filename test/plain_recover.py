#!/usr/bin/env python3
#
# plain_recover.py - is a recovered model what its definition says?  With nothing but sums
#
#     plain_recover.py MODEL INDICES DATA RECOVERED [p=P] [loss=squared] [wLABEL=WEIGHT ...]
#
# MODEL was trained on projected rows, INDICES has the row of DATA that each of its vectors is, and
# RECOVERED is the answer of rp-project --recover.  For each pair of classes the weights must be
#
#     w = sum_j beta_j x_j        over the rows x_j of DATA
#
# to 1e-12 of the sum of sizes, and -rho the middle of the values that minimise the losses, which is
# found by sorting all values where a loss begins or ends.
#
# SPDX-License-Identifier: BSD-3-Clause
import sys


def read_rows(name):
    rows = []
    for line in open(name):
        label, *features = line.split("#")[0].split()
        rows.append((float(label), {int(f.split(":")[0]): float(f.split(":")[1]) for f in features}))
    return rows


def read_model(name):
    head, vectors = {}, []
    lines = open(name).read().splitlines()
    start = lines.index("SV")
    for line in lines[:start]:
        key, *values = line.split()
        head[key] = values
    for line in lines[start + 1:]:
        words = line.split()
        coefs = [float(w) for w in words if ":" not in w]
        vectors.append((coefs, {int(w.split(":")[0]): float(w.split(":")[1]) for w in words if ":" in w}))
    return head, vectors


def sums(vectors, n_class, n_sv):
    """For each pair a < b: the sum and the sum of sizes, by feature."""
    start = [sum(n_sv[:c]) for c in range(n_class + 1)]
    pairs = {}
    for a in range(n_class):
        for b in range(a + 1, n_class):
            w, size = {}, {}
            for own, other in (a, b), (b, a):
                for coefs, x in vectors[start[own]:start[own + 1]]:
                    c = coefs[other if other < own else other - 1]
                    for j, v in x.items():
                        w[j] = w.get(j, 0) + c * v
                        size[j] = size.get(j, 0) + abs(c * v)
            pairs[a, b] = w, size
    return pairs


def check_weights(name, w, size, found):
    for j in set(w) | set(found):
        off = abs(w.get(j, 0) - found.get(j, 0))
        assert off <= 1e-12 * size.get(j, 0), (name, j, w.get(j), found.get(j))


def check_constant(name, terms, b):
    """terms: (C, target, f, epsilon or None for the hinge loss)"""
    ends, slope = [], 0.0
    for c, y, f, e in terms:
        ends += [(y - f, c)] if e is None else [(y - f - e, c), (y - f + e, c)]
        slope -= c if e is not None or y > 0 else 0
    ends.sort()
    low = high = None
    for at, c in ends:
        if slope < -1e-9 and slope + c >= -1e-9:
            low = at
        if slope <= 1e-9 and slope + c > 1e-9:
            high = at
        slope += c
    assert abs((low + high) / 2 - b) <= 1e-9 * (1 + abs(b)), (name, low, high, b)


def check_squared(name, terms, b):
    """Is b where the derivative of the squared losses changes its sign?"""
    def slope(at):
        sum = 0
        for c, y, f, e in terms:
            r = y - f - at
            sum -= c * y * max(0, 1 - y * (f + at)) if e is None else c * max(0, abs(r) - e) * (1 if r > 0 else -1)
        return sum
    step = 1e-9 * (1 + abs(b))
    assert slope(b - step) < 0 < slope(b + step), (name, b, slope(b - step), slope(b + step))


def main():
    model, indices, data, recovered = sys.argv[1:5]
    more = dict(word.split("=") for word in sys.argv[5:])
    rows = read_rows(data)
    head, vectors = read_model(model)
    row_of = [int(line) - 1 for line in open(indices)]
    vectors = [(coefs, rows[i][1]) for (coefs, _), i in zip(vectors, row_of, strict=True)]
    n_class = int(head["nr_class"][0])
    labels = [float(x) for x in head.get("label", [])]
    n_sv = [int(x) for x in head.get("nr_sv", [])] or [len(vectors), 0]
    answer, weights = read_model(recovered)
    assert answer["label"] == head["label"] if labels else True
    found = sums(weights, n_class, [int(x) for x in answer.get("nr_sv", [1, 0])])
    for q, ((a, b), (w, size)) in enumerate(sums(vectors, n_class, n_sv).items()):
        check_weights((a, b), w, size, found[a, b][0])
        terms = []
        for y, x in rows:
            f = sum(v * w.get(j, 0) for j, v in x.items())
            if not labels:
                terms.append((1, y, f, float(more.get("p", 0.1))))
            elif y in (labels[a], labels[b]):
                c = float(more.get("w%d" % y, 1))
                terms.append((c, 1 if y == labels[a] else -1, f, None))
        check = check_squared if more.get("loss") == "squared" else check_constant
        check((a, b), terms, -float(answer["rho"][q]))


if __name__ == "__main__":
    main()
