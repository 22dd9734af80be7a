"""plain_margin.py MODEL - the least 1/|w| of a LIBSVM model's pairs of classes, by the definition

Linear and RBF kernels.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import sys

head, vectors = {}, []
for line in open(sys.argv[1]):
    words = line.split()
    if "SV" in head:
        vectors.append(words)
    else:
        head[words[0]] = words[1:]

classes = int(head["nr_class"][0])
counts = [int(n) for n in head.get("nr_sv", [len(vectors)])]
owner = [c for c, n in enumerate(counts) for _ in range(n)]
coefs = [[float(w) for w in v[:classes - 1]] for v in vectors]
points = [{int(k): float(x) for k, x in (w.split(":") for w in v[classes - 1:])} for v in vectors]


def kernel(a, b):
    if head["kernel_type"] == ["linear"]:
        return sum(x * b.get(k, 0) for k, x in a.items())
    keys = set(a) | set(b)
    return math.exp(-float(head["gamma"][0]) * sum((a.get(k, 0) - b.get(k, 0)) ** 2 for k in keys))


def margin(a, b):
    part = []
    for j, own in enumerate(owner):
        if own in (a, b):
            other = b if own == a else a
            part.append((coefs[j][other if other < own else other - 1], points[j]))
    return 1 / math.sqrt(sum(c * d * kernel(x, y) for c, x in part for d, y in part))


print(min(margin(a, b) for a in range(classes) for b in range(a + 1, classes)))
