#!/usr/bin/env python3
#
# certificates.py - certificates of models of all machines and kernels, for certificates.sh
#
#     test/certificates.py CHECKER SEED N
#
# Trains N models of some drawn rows each, and has the checker, a module that shares no code with
# the programs, look at their certificates, and at copies of certificate, model and data with one
# digit altered; altered models and data with the checksums that go with them, too.  Prints what was
# taken or refused in error.
#
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import ctypes
import importlib.util
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import zlib
from fractions import Fraction


def load(path):
    spec = importlib.util.spec_from_file_location("checker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verdict(checker, *files):
    """The line that the checker ends with: None, if the certificate holds, of the numbers 'found'."""
    found.clear()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            checker.main(*files)
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
        return str(error) or repr(error)
    return None


found = []  # primal, dual and gap of each decision function, as far as the checker came


def watch(checker):
    """Let 'found' have the fractions of functions that the checker takes."""
    check = checker.check_function
    checker.check_function = lambda *given: found.append(check(*given)) or found[-1]


def outside():
    """What of 'found' is not within the intervals of --exact, whose ends are neighbours but for
    what 192 bits leave; None, if all is."""
    with open("report") as file:
        report = json.load(file)
    functions = report.get("pairs", [report])
    if len(functions) != len(found):
        return "%d functions of %d" % (len(functions), len(found))
    for function, interval in zip(found, functions):
        for name, x in zip(("primal", "dual", "gap"), function):
            low, high = (interval["exact_%s_%s" % (name, end)] for end in ("least", "most"))
            if not Fraction(low) <= x <= Fraction(high):
                return "%s of %r is not within [%r, %r]" % (name, float(x), low, high)
            if high > math.nextafter(low, math.inf) and high - low > 1e-40 * abs(function[0]):
                return "%s: [%r, %r] is wide" % (name, low, high)
    return None


def draw(rng, kind):
    """Rows of a drawn problem, and options of its training."""
    n, digits = rng.randint(8, 14), rng.choice((1, 3, 17))
    rows = []
    for i in range(n):
        x = [rng.gauss(0, 1) for _ in range(3)]
        y = {"classes": 1 + i % 3, "two": 1 if i % 2 else -1}.get(kind, x[0] + rng.gauss(0, 1))
        x[0] += y if kind in ("classes", "two") and rng.random() < 0.7 else 0
        rows.append("%.*g %s" % (digits, y, " ".join(
            "%d:%.*g" % (k, digits, v) for k, v in enumerate(x, 1) if rng.random() < 0.8)))
    return "\n".join(rows) + "\n"


MACHINES = (("two", ["-s", "0"]), ("classes", ["-s", "0"]), ("two", ["-s", "1"]),
            ("values", ["-s", "2"]), ("values", ["-s", "3"]), ("values", ["-s", "4"]),
            ("two", ["-s", "0", "--loss", "squared"]), ("values", ["-s", "3", "--loss", "squared"]))


try:
    ctypes.CDLL("libmpfr.so.6")
    EXACT = ["--exact"]
except OSError:
    EXACT = []


def certify(rng, k):
    """Train, and write a certificate; returns its files, or None where there is no model."""
    kind, machine = MACHINES[k % len(MACHINES)]
    kernel = "0" if "--loss" in machine else str(k // len(MACHINES) % 4)
    both = ["-c", "%.3g" % 10 ** rng.uniform(-1, 1)] if machine[1] in "034" else []
    both += ["-n", "%.2g" % rng.uniform(.2, .6)] if machine[1] in "124" else []
    both += ["-p", "%.2g" % rng.uniform(0, .5)] if machine[1] == "3" else []
    both += ["-w1", "%.2g" % rng.uniform(.5, 3)] if kind == "two" and k % 3 == 0 and machine[1] == "0" else []
    both += machine[2:]
    files = ["certificate", "data", "model"]
    with open("data", "w") as data:
        data.write(draw(rng, kind))
    if k % 5 == 0:
        with open("weights", "w") as weights:
            weights.write("".join("%.2g\n" % rng.uniform(.5, 2) for _ in open("data")))
        both += ["-W", "weights"]
        files.append("weights")
    train = ["randsvm-train", "-q", "-t", kernel, *machine[:2], *both, "data", "model"]
    if subprocess.run(train, stderr=subprocess.DEVNULL).returncode:
        return None, train
    subprocess.run(["svm-eval", "-q", "--force", "--certify", "data", *both,
                    "--certificate", "certificate", "--report", "report", *EXACT, "model"],
                   check=True, stderr=subprocess.DEVNULL)
    return files, train


def alter(rng, text, pattern):
    """The text with another digit in one of the places that the pattern finds."""
    at = rng.choice([m.start() for m in re.finditer(pattern, text, re.M)])
    return text[:at] + rng.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1:]


def write(name, text):
    with open(name, "w") as to:
        to.write(text)


def sealed(text):
    """The certificate with the checksum that it ends with."""
    body = text[:text.rindex("checksum ")]
    return "%schecksum %08x\n" % (body, zlib.crc32(body.encode()))


def fit(certificate, name, text):
    """The certificate with the checksum of another file."""
    return sealed(re.sub("^%s .*" % name, "%s %08x" % (name, zlib.crc32(text.encode())), certificate,
                         flags=re.M))


def alter_number(rng, text, pattern):
    """The text with another digit in one of the numbers that the pattern finds."""
    start, end = rng.choice([m.span(m.lastindex) for m in re.finditer(pattern, text, re.M)])
    return text[:start] + alter(rng, text[start:end], r"\d") + text[end:]


def alterations(rng, certificate, data, model):
    """What has another digit, and certificate, data and model, of which the others may fit it."""
    yield "certificate", alter(rng, certificate, r"\d"), data, model
    for line in "primal", "dual":
        numbers = [float(x) for x in re.findall("^(?:%s|rounding) (.*)" % line, certificate, re.M)]
        if min(map(abs, numbers[::2])) > 1e6 * max(numbers[1::2]):  # its first digits are known
            other = alter_number(rng, certificate, r"^%s (-?[\d.]{1,6})" % line)
            yield line, sealed(other), data, model
    rows, lines = re.findall(r"^row (\d+) (?!0 )", certificate, re.M), data.split("\n")
    at = rng.choice([int(i) - 1 for i in rows if ":" in lines[int(i) - 1]])
    lines[at] = alter_number(rng, lines[at], r":(-?[\d.]{1,4})")
    other = "\n".join(lines)
    yield "data", certificate, other, model
    yield "data, fitting", fit(certificate, "data", other), other, model
    other = alter_number(rng, model, r"^(-?[\d.]{2,5})\S* .*:")
    yield "model", certificate, data, other
    yield "model, fitting", fit(certificate, "model", other), data, other


def main(checker, seed, n):
    rng, checker, n_held, n_refused, failed = random.Random(seed), load(checker), 0, 0, []
    watch(checker)
    for k in range(n):
        files, train = certify(rng, k)
        if not files:
            continue
        line = verdict(checker, *files) or (EXACT and outside())
        if line:
            failed.append("%d: %s: %s" % (k, " ".join(train), line))
            continue
        n_held += 1
        texts = [open(name).read() for name in files[:3]]
        for what, *others in alterations(rng, *texts):
            for name, text in zip(files, others):
                write(name, text)
            if verdict(checker, *files):
                n_refused += 1
            else:
                failed.append("%d: %s: %s altered, and not refused" % (k, " ".join(train), what))
    print("\n".join(failed + ["%d held, %d altered ones were refused" % (n_held, n_refused)]))
    return bool(failed) or n_held < n * 3 // 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
