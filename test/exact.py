"""exact.py - primal and dual of a model file, exactly, for proofs.py

Doubles are integers times a power of two, so that the kernel values of linear and polynomial kernels,
decision values, primal and dual are fractions.  exp() of Gaussian kernels and tanh() are those of
decimal, which rounds correctly, in 60 digits: far below any bound that is tested.

SPDX-License-Identifier: BSD-3-Clause
"""

import decimal
from fractions import Fraction

C_SVC, NU_SVC, ONE_CLASS, EPSILON_SVR, NU_SVR = range(5)
decimal.getcontext().prec = 60
DIGITS = 10 ** 60


def read_rows(lines):
    """The first field of each line, and its other fields as a vector."""
    rows = []
    for line in lines:
        first, *entries = line.split()
        pairs = (entry.split(":") for entry in entries)
        rows.append((Fraction(float(first)), {int(j): Fraction(float(v)) for j, v in pairs}))
    return rows


def read_model(path):
    with open(path) as f:
        lines = f.read().splitlines()
    start = lines.index("SV")
    return {key: value for key, *value in map(str.split, lines[:start])}, read_rows(lines[start + 1:])


def integers(vectors):
    """The vectors as lists of integers, and the number by which they are multiplied."""
    columns = sorted({j for v in vectors for j in v})
    scale = max([1] + [value.denominator for v in vectors for value in v.values()])
    return [[int(v.get(j, 0) * scale) for j in columns] for v in vectors], scale


def kernel_value(header, product, distance2):
    """K as a fraction from x.z and |x - z|^2."""
    number = lambda key: Fraction(float(header[key][0]))
    kind = header["kernel_type"][0]
    if kind == "linear":
        return product
    if kind == "polynomial":
        return (number("gamma") * product + number("coef0")) ** int(header["degree"][0])
    if kind == "rbf":
        return Fraction(int(exp(-number("gamma") * distance2) * DIGITS), DIGITS)
    at = number("gamma") * product + number("coef0")
    small = exp(-2 * abs(at))
    return Fraction(int((1 - small) / (1 + small) * DIGITS), DIGITS) * (1 if at > 0 else -1)


def exp(x):
    return (decimal.Decimal(x.numerator) / x.denominator).exp()


def decision_values(header, vectors, rows):
    """sum_j coef_j K(x_j, z) of each row z"""
    scaled, scale = integers([v for _, v in vectors] + rows)
    norms = [sum(a * a for a in v) for v in scaled]
    n, values = len(vectors), []
    for i in range(n, len(scaled)):
        value = Fraction(0)
        for j, (coef, _) in enumerate(vectors):
            product = sum(a * b for a, b in zip(scaled[i], scaled[j]))
            value += coef * kernel_value(header, Fraction(product, scale ** 2),
                                         Fraction(norms[i] + norms[j] - 2 * product, scale ** 2))
        values.append(value)
    return values


def least(falling, rising, slope):
    """min over t of sum c max(0, p - t) over falling (p, c), sum d max(0, t - q) over rising, slope t"""
    at = slope - sum(c for _, c in falling)
    for t, c in sorted(falling + rising):
        at += c
        if at >= 0:
            break
    return slope * t + sum(c * max(0, p - t) for p, c in falling) + sum(d * max(0, t - q) for q, d in rising)


class Training:
    """What a file of rows, weights and options ask for."""

    def __init__(self, machine, data, weights, c, nu, p, class_weight, squared):
        self.machine, self.squared, self.nu = machine, squared, Fraction(nu)
        with open(data) as f:
            rows = read_rows(f)
        self.rows, targets = [v for _, v in rows], [t for t, _ in rows]
        self.weights = [Fraction(w) for w in weights]
        self.target = [0] * len(rows) if machine in (NU_SVC, ONE_CLASS) else targets
        # of nu-SVC and one-class C is 1
        c = Fraction(c) if machine in (C_SVC, EPSILON_SVR, NU_SVR) else 1
        limit = [c * w * (Fraction(class_weight) if t == 1 and machine == C_SVC else 1)
                 for w, t in zip(self.weights, targets)]
        both = machine in (EPSILON_SVR, NU_SVR)
        self.upper = [b if both or machine == ONE_CLASS or t > 0 else 0 for b, t in zip(limit, targets)]
        self.lower = [b if both or machine in (C_SVC, NU_SVC) and t < 0 else 0 for b, t in zip(limit, targets)]
        self.p = Fraction(p) if machine == EPSILON_SVR else 0
        half = self.nu * c * sum(self.weights) / 2
        self.sums = (2 * half, 0) if machine == ONE_CLASS else (half, half)

    def primal(self, square, f, b):
        """The least P that the program knows of this w."""
        u = [t - v for t, v in zip(self.target, f)]
        falling = [(x, c) for x, c in zip(u, self.upper) if c]
        rising = [(x, c) for x, c in zip(u, self.lower) if c]
        if self.squared:
            return square / 2 + sum(c * max(0, x - self.p - b) ** 2 for x, c in falling) + \
                sum(c * max(0, b - self.p - x) ** 2 for x, c in rising)
        if self.machine in (C_SVC, EPSILON_SVR):
            found = square / 2 + least([(x - self.p, c) for x, c in falling],
                                       [(x + self.p, c) for x, c in rising], 0)
            if self.machine == C_SVC:
                width = min(v for v, c in zip(f, self.upper) if c) - max(v for v, c in zip(f, self.lower) if c)
                found = min(found, 2 * square / width ** 2) if width > 0 else found
            return found
        losses = least(falling, [], self.sums[0]) + (least([], rising, -self.sums[1]) if rising else 0)
        if self.machine == NU_SVR:
            return square / 2 + losses
        return -losses ** 2 / (2 * square) if losses < 0 and square > 0 else 0

    def dual(self, square, beta):
        soft = [x ** 2 / (4 * (u or l)) if self.squared else 0
                for x, u, l in zip(beta, self.upper, self.lower)]
        return sum(t * x - self.p * abs(x) - s for t, x, s in zip(self.target, beta, soft)) - square / 2

    def bounds(self, model, indices):
        """P and D of a model, whose vectors are the rows with these numbers."""
        header, vectors = read_model(model)
        f, beta = decision_values(header, vectors, self.rows), [Fraction(0)] * len(self.rows)
        swap = -1 if header.get("label", ["1"])[0] == "-1" else 1  # the first label is the side above 0
        for (coef, _), i in zip(vectors, indices):
            beta[i - 1] += swap * coef
        r = Fraction(1)
        if self.machine == NU_SVC:  # beta / r is written
            r = 2 * self.sums[0] / sum(map(abs, beta))
        beta, f = [r * x for x in beta], [r * swap * v for v in f]
        square = sum(x * v for x, v in zip(beta, f))
        b = -swap * Fraction(float(header["rho"][0]))
        return self.primal(square, f, b) / r ** 2, self.dual(square, beta) / r ** 2
