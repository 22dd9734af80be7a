#!/usr/bin/env python3
# check_certificate.py CERTIFICATE DATA MODEL [WEIGHTS] - check what svm-eval --certificate wrote
# Prints what is proved, and of which problem; exits with 1 if the certificate is not so of these
# bytes.  Computes by doc/certificates.md, in fractions, of which two enclose exp and tanh.
# SPDX-License-Identifier: BSD-3-Clause
import gzip, sys, zlib
from fractions import Fraction
from math import ceil, floor, inf, nextafter
ONE = 1 << 400  # exp(-y) is enclosed by multiples of 1 / ONE
class Interval:
    def __init__(self, low, high=None):
        self.low, self.high = low, low if high is None else high
    def __add__(self, other):
        other = other if isinstance(other, Interval) else Interval(other)
        return Interval(self.low + other.low, self.high + other.high)
    def __mul__(self, factor):
        return Interval(*sorted((factor * self.low, factor * self.high)))
    __radd__, __rmul__ = __add__, __mul__
    def raised(self, power=1):
        return Interval(max(self.low, 0) ** power, max(self.high, 0) ** power)
    def near(self, x, distance):
        return self.high - distance <= x <= self.low + distance
def check(is_so, what):
    if not is_so:
        raise ValueError(what)
def exp_minus(y):
    """exp(-y), y >= 0: the series of exp(-y / 2^halvings), squared so often"""
    if y == 0 or y > 1000:
        return Interval(Fraction(y == 0), Fraction(1, 1 if y == 0 else ONE))
    halvings = floor(y).bit_length() + 8
    r, term, total, error = floor(y * ONE) >> halvings, ONE, ONE, 200  # units of roundings above
    for n in range(1, 60):  # r < 2^-8: the rest of the series is below 2^-700
        term = -term * r // (n * ONE)
        total += term
    for _ in range(halvings):
        total, error = total * total // ONE, 2 * error + 2
    return Interval(Fraction(max(total - error, 0), ONE), Fraction(min(total + error, ONE), ONE))
def tanh(x):
    e = exp_minus(2 * abs(x))
    ends = floor((1 - e.high) / (1 + e.high) * ONE), ceil((1 - e.low) / (1 + e.low) * ONE)
    return Interval(*(Fraction(end, ONE) for end in ends)) * (1 if x >= 0 else -1)
def kernel(m, v, x):
    if m["kernel_type"] == ["rbf"]:
        return exp_minus(m["gamma"] * sum((v.get(k, 0) - x.get(k, 0)) ** 2 for k in {**v, **x}))
    dot = sum(v[k] * x[k] for k in v if k in x)
    if m["kernel_type"] == ["sigmoid"]:
        return tanh(m["gamma"] * dot + m["coef0"])
    check(m["kernel_type"] in (["linear"], ["polynomial"]), "not a kernel that is known")
    return Interval(dot if "gamma" not in m else (m["gamma"] * dot + m["coef0"]) ** m["degree"])
def end_of(x, to):  # the double next to x in that direction, whose decimal is read back as it
    return float(x) if (Fraction(float(x)) - x) * (to > 0 or -1) >= 0 else nextafter(float(x), to)
def read(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
def words_of(text):
    return [w for w in (line.split("#")[0].split() for line in text.decode().split("\n")) if w]
def entries(words):
    return {int(k): Fraction(float(v)) for k, v in (w.split(":") for w in words)}
def read_model(text):
    lines, start = words_of(text), words_of(text).index(["SV"])
    m = {words[0]: words[1:] for words in lines[:start]}
    m.update({k: Fraction(float(m[k][0])) for k in ("gamma", "coef0") if k in m})
    m["degree"], n = int(m.get("degree", [0])[0]), int(m["nr_class"][0]) - 1
    vectors = [([Fraction(float(c)) for c in w[:n]], entries(w[n:])) for w in lines[start + 1:]]
    for size in m.get("nr_sv", [len(vectors), 0]):
        m.setdefault("vectors", []).append([vectors.pop(0) for _ in range(int(size))])
    return m
def balance(beta, bounds, sign, target):
    """One multiplier of a sign, that which has most room, takes up what their sum is off"""
    sizes = {i: max(sign * beta.get(i, 0), 0) for i, side in bounds if side == sign}
    rest = target - sum(sizes.values())
    room = {i: size if rest < 0 else bounds[i, sign] - size for i, size in sizes.items()}
    if rest:
        i = max(room, key=room.get)
        check(abs(rest) <= room[i], "the sums of multipliers")
        beta[i] = beta.get(i, 0) + sign * rest
def check_function(m, function, rows, v, a, b):
    kind, (loss, *numbers) = m["svm_type"][0], function["problem"]
    up, down, *numbers = (float(x) for x in numbers)
    epsilon, plus, minus = (Fraction(x) for x in numbers)
    labels = [float(m["label"][k]) for k in (a, b) if "label" in m]
    known = {"c_svc": (0, 0, 0), "epsilon_svr": (abs(epsilon), 0, 0), "one_class": (0, plus, 0),
             "nu_svc": (-abs(epsilon), plus, plus), "nu_svr": (abs(epsilon), plus, plus)}[kind]
    check(list(map(float, function["function"])) == labels and known == (epsilon, plus, minus)
          and loss in ("hinge", "squared") and len({i for i, _, _ in function["row"]}) == len(function["row"]), "problem")
    scale = -epsilon if kind == "nu_svc" else 1
    rho = scale * Fraction(float(m["rho"][v]))
    file = [(scale * c[b - 1], x) for c, x in m["vectors"][a]] + [(scale * c[a], x) for c, x in m["vectors"][b]]
    value = lambda w, x: sum((kernel(m, u, x) * c for c, u in w if c), Interval(0))
    square = lambda w: sum((value(w, x) * c for c, x in w if c), Interval(0))
    examples = {i: row for i, row in enumerate(rows, 1) if not labels or row[0] in labels}
    bounds = {(i, sign): Fraction(w * c) for i, (y, _, w) in examples.items()
              for sign, c in ((1, up), (-1, down)) if (kind != "one_class" or sign > 0)
              and (not labels or (y == labels[0]) == (sign > 0))}
    beta, terms = {}, {int(i): Fraction(float(term)) for i, _, term in function["row"]}
    for i, own in ((int(i), Fraction(float(own))) for i, own, _ in function["row"]):
        c = bounds.get((i, 1 if own > 0 else -1), 0)
        beta[i] = own if abs(own) <= c or (loss == "squared" and c) else c if own > 0 else -c
    least = min([sum(max(sign * own, 0) for own in beta.values()) for sign in (1, -1)]
                + [plus] * (kind == "nu_svr"))
    for sign, total in (1, plus), (-1, minus):
        balance(beta, bounds, sign, total if kind in ("nu_svc", "one_class") else least)
    rounding = Fraction(float(function["rounding"][0]))
    primal = square(file) * Fraction(1, 2) + (epsilon * (plus + minus) - rho * (plus - minus))
    dual = square([(own, rows[i - 1][1]) for i, own in beta.items()]) * Fraction(-1, 2)
    for i, (y, x, _) in examples.items():
        t = 0 if kind in ("nu_svc", "one_class") else Fraction((y == labels[0]) * 2 - 1 if labels else y)
        own, f, term = beta.get(i, 0), value(file, x), Interval(0)
        dual += t * own - (epsilon * abs(own) if kind in ("c_svc", "epsilon_svr") else 0)
        for sign in (sign for sign in (1, -1) if (i, sign) in bounds):
            c, size, slack = bounds[i, sign], max(sign * own, 0), (f * -1 + (t + rho)) * sign + -epsilon
            soft = size * size / (4 * c) if size and loss == "squared" else 0
            primal += slack.raised(2 if loss == "squared" else 1) * c
            dual += -soft
            term += (slack.raised(2) * c + slack * -size + soft if loss == "squared" else
                     slack.raised() * (c - size) + (slack * -1).raised() * size)
        check(term.near(terms.pop(i, 0), rounding), "the term of row %d" % i)
    for name, x in (("primal", primal), ("dual", dual)):
        check(not terms and x.near(Fraction(float(function[name][0])), rounding), "the " + name)
    return [x / scale ** 2 for x in (primal.high, dual.low, primal.high - dual.low)]
def main(certificate, data, model, weights=None):
    text, _, checksum = read(certificate).rpartition(b"checksum ")
    check(int(checksum, 16) == zlib.crc32(text), "altered")
    lines = words_of(text)
    starts = [i for i, words in enumerate(lines) if words[0] == "function"] + [len(lines)]
    head = {words[0]: words[1:] for words in lines[:starts[0]]}
    check(head.get("svm-eval-certificate") == ["1"], "not a certificate of a known kind")
    for name, path in (("data", data), ("model", model), ("weights", weights)):
        check(head.get(name) == (path and ["%08x" % zlib.crc32(read(path))]), "other %s" % name)
    w = [float(x) for x in read(weights).split()] if weights else [1.0] * len(words_of(read(data)))
    rows = [row for row in ((float(y), entries(x), w.pop(0)) for y, *x in words_of(read(data))) if row[2] > 0]
    m = read_model(read(model))
    pairs = sorted((a, b) for b in range(len(m["vectors"])) for a in range(b))
    check(not w and len(pairs) == len(starts) - 1, "another number of functions")
    bounds, problems = [], set()
    for v, (a, b) in enumerate(pairs):
        part = lines[starts[v]:starts[v + 1]]
        function = dict({words[0]: words[1:] for words in part}, row=[w[1:] for w in part if w[0] == "row"])
        bounds.append(check_function(m, function, rows, v, a, b))
        problems.add(" ".join(function["problem"]))
    primal, dual, gap = (sum(x) for x in zip(*bounds))
    convex = m["kernel_type"] != ["sigmoid"] and m.get("coef0", 0) >= 0 <= m.get("gamma", 0)
    print("the certificate holds: objective <= %s, %s >= %s, gap <= %s" %
          (end_of(primal, inf), "optimum" if convex else "dual", end_of(dual, -inf), end_of(gap, inf)))
    print("problem:", ", ".join(sorted(problems)))
if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
        sys.exit("the certificate is refused: %s" % error)
