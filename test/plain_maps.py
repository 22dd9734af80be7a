#!/usr/bin/env python3
#
# plain_maps.py - kernel maps from their definitions, slowly: what rp-project is compared with
#
#     plain_maps.py rff KERNEL FREQUENCIES GAMMA SEED K D FILE
#     plain_maps.py tensorsketch DEGREE COEF0 GAMMA SEED K D FILE
#
# Prints rows as `label value value ...`, K values each.  Uses nothing but the definitions in
# rp-project(1) and randsvm-formats(5).
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plain_projection import bit, draw, first64, second64, unit

TWO_PI = 2 * math.pi


def normals(w):
    size = math.sqrt(-2 * math.log(unit(first64(w))))
    angle = TWO_PI * unit(second64(w))
    return size * math.cos(angle), size * math.sin(angle)


def dot(x, y):
    return math.fsum(a * b for a, b in zip(x, y))


def independent(seed, kernel, k, d):
    """Vectors w_t with one number for each feature."""
    def entry(t, j):
        if kernel == "rbf":
            return normals(draw(seed, 0x11, j, t // 2))[t % 2]
        w = draw(seed, 0x15, j, t // 2)
        return math.tan(TWO_PI * unit(second64(w) if t % 2 else first64(w)))
    return [[entry(t, j) for j in range(d)] for t in range((k + 1) // 2)]


def axes(seed, k, d):
    """Orthogonal ones of up to 64 features: Gram and Schmidt, blocks of d vectors."""
    result, unit_vectors = [], []
    for t in range((k + 1) // 2):
        g = [normals(draw(seed, 0x40, t, j // 2))[j % 2] for j in range(d)]
        if t % d == 0:
            unit_vectors = []
        q = g
        for _ in range(3):
            for u in unit_vectors:
                along = dot(q, u)
                q = [a - along * b for a, b in zip(q, u)]
        q = [a / math.sqrt(dot(q, q)) for a in q]
        unit_vectors.append(q)
        result.append([math.sqrt(dot(g, g)) * a for a in q])
    return result


def transforms(seed, k, d):
    """Orthogonal ones of more features: three Hadamard matrices, multiplied out."""
    size = 1
    while size < d:
        size *= 2

    def sign(block, r, j):
        return 1 - 2 * bit(draw(seed, 0x41, 3 * block + r, j // 128), j % 128)

    def hadamard(x):
        if len(x) == 1:
            return x
        half = len(x) // 2
        low, high = hadamard(x[:half]), hadamard(x[half:])
        return [a + b for a, b in zip(low, high)] + [a - b for a, b in zip(low, high)]
    result = []
    signs = {}
    for t in range((k + 1) // 2):
        block = t // size
        if block not in signs:
            signs[block] = [[sign(block, r, j) for j in range(size)] for r in range(3)]
        # the row of the matrix: its transpose applied to a unit vector
        row = [1.0 if i == t % size else 0.0 for i in range(size)]
        for r in range(3):
            row = [s * a for s, a in zip(signs[block][r], hadamard(row))]
        length = 0.0
        for i in range(size // 2):
            a, b = normals(draw(seed, 0x42, t, i))
            length += a * a + b * b
        result.append([math.sqrt(length) * a / size ** 1.5 for a in row[:d]])
    return result


def fourier(kernel, frequencies, gamma, seed, k, d):
    if frequencies == "independent":
        w = independent(seed, kernel, k, d)
    else:
        w = axes(seed, k, d) if d <= 64 else transforms(seed, k, d)
    scale = math.sqrt(2 * gamma) if kernel == "rbf" else gamma

    def values(x):
        result = []
        for t, row in enumerate(w):
            angle = scale * dot(row, x)
            if 2 * t + 1 == k:
                angle += TWO_PI * unit(first64(draw(seed, 0x43, t, 0)))
            result += [math.cos(angle), math.sin(angle)]
        return [math.sqrt(2 / k) * value for value in result[:k]]
    return values


def tensor_sketch(degree, coef0, gamma, seed, k, d):
    """Count sketches, convolved over bits by the definition, for each bit of k."""
    def hashed(j, t, size):
        w = draw(seed, 0x46, j, t // 4)[t % 4]
        return w * size >> 32, -1 if w & 1 else 1

    def values(x):
        entries = [(j, math.sqrt(gamma) * v) for j, v in enumerate(x) if v]
        entries.append((1 << 32, math.sqrt(coef0)))
        result, t = [], 0
        for bit_number in reversed(range(k.bit_length())):
            size = 1 << bit_number
            if not k & size:
                continue
            z = [1.0] + [0.0] * (size - 1)
            for _ in range(degree):
                sketch = [0.0] * size
                for j, v in entries:
                    i, sign = hashed(j, t, size)
                    sketch[i] += sign * v
                z = [math.fsum(z[i] * sketch[i ^ m] for i in range(size)) for m in range(size)]
                t += 1
            result += [math.sqrt(size / k) * v for v in z]
        return result
    return values


def rows(name, d):
    for line in open(name):
        label, *features = line.split()
        x = [0.0] * d
        for feature in features:
            j, value = feature.split(":")
            x[int(j) - 1] = float(value)
        yield label, x


def main():
    method, first, second, gamma, seed, k, d, name = sys.argv[1:9]
    if method == "rff":
        values = fourier(first, second, float(gamma), int(seed), int(k), int(d))
    else:
        values = tensor_sketch(int(first), float(second), float(gamma), int(seed), int(k), int(d))
    for label, x in rows(name, int(d)):
        print(label, *(repr(value) for value in values(x)))


if __name__ == "__main__":
    main()
