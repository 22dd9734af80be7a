#!/usr/bin/env python3
#
# plain_projection.py - random projections from their definitions, slowly: what rp-project is
#                       compared with
#
#     plain_projection.py METHOD SEED K D FILE [with-replacement | Q,A,V | S]
#
# Prints rows as `label value value ...`, K values each.  Uses nothing but the definitions in
# rp-project(1) and randsvm-formats(5).
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import sys

MASK = 0xffffffff


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & MASK, a >> 32 ^ c[3] ^ k[1], a & MASK]
        k = [k[0] + 0x9e3779b9 & MASK, k[1] + 0xbb67ae85 & MASK]
    return c


def draw(seed, stream, i, b):
    return philox([i & MASK, i >> 32, b, stream], [seed & MASK, seed >> 32])


def first64(w):
    return w[0] | w[1] << 32


def second64(w):
    return w[2] | w[3] << 32


def unit(a):
    return ((a >> 12) + 0.5) / 2.0 ** 52


def below(w, m):
    return w * m >> 32


def bit(w, t):
    return w[t >> 5 & 3] >> (t & 31) & 1


def dense_entry(method, seed, j, t, k, s):
    if method == "rs":
        return (1 - 2 * bit(draw(seed, 0x10, j, t >> 7), t)) / math.sqrt(k)
    if method == "gaussian":
        w = draw(seed, 0x11, j, t // 2)
        radius = math.sqrt(-2 * math.log(unit(first64(w))))
        angle = 2 * math.pi * unit(second64(w))
        return radius * (math.sin(angle) if t % 2 else math.cos(angle)) / math.sqrt(k)
    if method == "uniform":
        w = draw(seed, 0x12, j, t // 2)
        u = unit(second64(w) if t % 2 else first64(w))
        return math.sqrt(3 / k) * (2 * u - 1)
    if method == "achlioptas":
        w = draw(seed, 0x13, j, t // 4)[t % 4]
        return math.sqrt(3 / k) * {0: 1, 1: -1}.get(below(w, 6), 0)
    w = draw(seed, 0x14, j, t // 4)[t % 4]
    threshold = 2 * round(2 ** 31 / s)
    return math.sqrt(s / k) * (1 - 2 * (w & 1)) if w < threshold else 0


def hadamard_map(seed, k, d, with_replacement):
    size = 1
    while size < d:
        size *= 2
    if with_replacement:
        sample = [first64(draw(seed, 0x21, t, 0)) * size >> 64 for t in range(k)]
    else:
        key = sorted((first64(draw(seed, 0x21, t, 0)), t) for t in range(size))
        sample = [t for _, t in key[:k]]

    def entry(j, t):
        sign = 1 - 2 * bit(draw(seed, 0x20, j >> 7, 0), j & 127)
        return sign * (-1) ** bin(j & sample[t]).count("1") / math.sqrt(k)
    return entry


def embedding_map(seed, q, a, v):
    def entry(j, t):
        h = below(draw(seed, 0x30, j, 0)[0], q)
        for s in range(a):
            w = draw(seed, 0x31, j, s >> 1)
            p, g = (w[0], w[1]) if s % 2 == 0 else (w[2], w[3])
            if t == (h * a + s) * v + below(p, v):
                return (1 - 2 * (g & 1)) / math.sqrt(a)
        return 0
    return entry


def make_entry(method, seed, k, d, more):
    if method == "fht":
        return hadamard_map(seed, k, d, more == "with-replacement")
    if method == "countsketch":
        return embedding_map(seed, k, 1, 1)
    if method in ("cw", "osnap"):
        if more:
            return embedding_map(seed, *map(int, more.split(",")))
        if method == "cw" and k % 32 == 0:
            return embedding_map(seed, k // 32, 4, 8)
        a = next(a for a in (4, 2, 1) if k % a == 0)
        return embedding_map(seed, 1, a, k // a)
    s = float(more) if more else math.sqrt(d)
    return lambda j, t: dense_entry(method, seed, j, t, k, s)


def main():
    method, seed, k, d, name = sys.argv[1:6]
    seed, k, d = int(seed), int(k), int(d)
    entry = make_entry(method, seed, k, d, sys.argv[6] if len(sys.argv) > 6 else "")
    row_of = {}
    for line in open(name):
        label, *features = line.split()
        sums = [0.0] * k
        for feature in features:
            j, x = feature.split(":")
            j = int(j) - 1
            if j not in row_of:
                row_of[j] = [entry(j, t) for t in range(k)]
            for t, r in enumerate(row_of[j]):
                sums[t] += float(x) * r
        print(label, *(repr(value) for value in sums))


if __name__ == "__main__":
    main()
