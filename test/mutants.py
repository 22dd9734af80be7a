#!/usr/bin/env python3
"""mutants.py - do the tests notice when the library is wrong?

    test/mutants.py                  a hundred mutants, drawn by --seed (`make check-mutants`)
    test/mutants.py --count N --seed S --only K...    other ones; these alone, as numbered in the output

A mutant is the tree with one small change in one line of lib/: another operator, an integer off by
one, a condition negated, a statement left out; each of a line with the same probability.  It is
built in a copy of the tree, $BUILD/mutant, and tested: first by unit tests that include the header of
its file, then by those that include others of its folder or have been seen to reach it, then by quick
tests of commands (QUICK below), each time the quickest first, until one fails.  A mutant is killed by a
test that fails, ends by a signal or takes TIMEOUT seconds; one that does not compile does not count.
All that survive are printed as lines of diff, to be read: some compute the same as before, the rest are
holes in the tests.

Builds by make, with CC from the environment.  The last line is "mutants: N killed, M survived".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import glob
import os
import random
import re
import resource
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ["Makefile", "VERSION", "version.sh", "lib", "cmd", "api", "shim", "test", "testdata", "fuzz", "scripts",
          "bench", "man", "python"]
QUICK = ("cli slips streams weights modes nu input output select_saved fold gen convert_matrix convert_out "
         "eval_labels start maps").split()
TIMEOUT = 120  # seconds of one file of tests
MEMORY = 8 << 30
# what a folder is for: units that include none of its headers and yet run all of it
REACHED_BY = {"base": ["decimal", "trainer"], "io": ["svmlight_read", "model"], "linear": ["linear", "linear_nu"],
              "search": ["search"], "source": ["trainer"], "smo": ["exact"], "train": ["trainer", "exact"],
              "problem": ["trainer"], "kernel": ["predict", "trainer", "nystrom"]}

SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " / "), (" += ", " -= "),
         (" -= ", " += "), ("++", "--"), (" * ", " + ")]
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")
CONDITION = re.compile(r"(\b(?:if|while) \()(.*)(\))$")
STATEMENT = re.compile(r"^(\t+)(?!return|goto|break|continue|case|static|const|struct|int|double|bool|char|\})"
                       r"([a-z_*][\w\[\]>.*-]*(?:\(.*\)| [-+*/|&]?= .*|\+\+));$")


def mutations(line):
    """All changes of a line of code: what it becomes."""
    code = re.sub(r'"[^"]*"', lambda m: "\0" * len(m.group()), line)  # not in strings
    if not line.startswith("\t") or re.match(r"\s*(\*|/\*|//|#)", line) or "/*" in line:
        return []
    found = []
    for old, new in SWAPS:
        found += [line[:m.start()] + new + line[m.end():] for m in re.finditer(re.escape(old), code)]
    if not re.match(r"\s*return -", line):
        found += [line[:m.start()] + str(int(m.group()) + 1) + line[m.end():] for m in NUMBER.finditer(code)]
    if m := CONDITION.search(line):
        found.append(line[:m.start()] + m.expand(r"\1!(\2)\3"))
    if m := STATEMENT.match(line):
        found.append(m.group(1) + ";")
    return found


def draw(count, seed):
    """Mutants as (file, number of the line, what it becomes), in the order of the draw."""
    lines = []
    for path in sorted(glob.glob("lib/*/*.c")):
        with open(path) as file:
            lines += [(path, i, line.rstrip("\n")) for i, line in enumerate(file)]
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        path, i, line = rng.choice(lines)
        if changes := mutations(line):
            drawn.append((path, i, rng.choice(changes)))
    return drawn


def run(command):
    """Exit status and output."""
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return p.returncode, p.stdout


def tests_of(path, seconds):
    """Lists of tests to be run in turn until one fails, each by its 'seconds'; without those that have none."""
    folder, name = path.split("/")[1:]
    header = '"%s/%s"' % (folder, name.replace(".c", ".h"))
    texts = {}
    for test in sorted(glob.glob("test/unit/test_*.c")):
        with open(test) as file:
            texts["unit/" + test[15:-2]] = file.read()
    near = [test for test, text in texts.items() if header in text]
    far = [test for test, text in texts.items() if '"%s/' % folder in text and test not in near]
    far += ["unit/" + test for test in REACHED_BY.get(folder, []) if "unit/" + test not in near + far]
    return [sorted(filter(seconds.get, tests), key=seconds.get) for tests in (near, far, QUICK)]


def judge(path, make, seconds):
    """The first line of a failure, or None of a mutant that survives, or "" of one that does not compile."""
    for tests in tests_of(path, seconds):
        if run(make + ["build/test/test_" + test[5:] for test in tests if test.startswith("unit/")] +
               ([] if tests and tests[0].startswith("unit/") else ["programs"]))[0] != 0:
            return ""
        for test in tests:
            status, output = run(["test/run", test])
            if status != 0:
                return next((line for line in output.split("\n") if line.startswith("FAIL")), "FAIL")
    return None


def main():
    parser = argparse.ArgumentParser(usage="mutants.py [--count N] [--seed S] [--only K...]")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+")
    o = parser.parse_args()
    copy = os.path.join(TOP, os.environ.get("BUILD", "build"), "mutant")
    os.makedirs(copy, exist_ok=True)
    for name in COPIED:  # with the time stamps, so that only what has changed is compiled again
        subprocess.run(["rm", "-rf", os.path.join(copy, name)], check=True)
        subprocess.run(["cp", "-a", os.path.join(TOP, name), copy], check=True)
    os.chdir(copy)
    os.environ.update(BUILD="build", BIN="bin", TEST_TIMEOUT=str(TIMEOUT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    make = ["make", "-j%d" % os.cpu_count(), "CFLAGS=-O1", "HAVE_MPI=no"]
    if run(make + ["programs", "unit"])[0] != 0:
        sys.exit("mutants.py: the tree does not build")
    # what fails of the tree as it is kills nothing
    output = run(["env", "TIMES=1", "test/run", "unit"] + QUICK)[1]
    ends = re.findall(r"^((?:unit/)?\w+): \d+ passed, (\d+) failed.*, ([\d.]+) s of CPU", output, re.M)
    seconds = {test: float(s) + 0.01 for test, failed, s in ends if failed == "0"}
    fails = [test for test, failed, _ in ends if failed != "0"]
    print("left out, as they fail without a mutant: %s" % (" ".join(fails) or "none"), flush=True)
    count = {True: 0, False: 0}
    for k, (path, i, changed) in enumerate(draw(o.count, o.seed), 1):
        if o.only and k not in o.only:
            continue
        with open(path) as file:
            original = file.read()
        lines = original.split("\n")
        with open(path, "w") as file:
            file.write("\n".join(lines[:i] + [changed] + lines[i + 1:]))
        end = judge(path, make, seconds)
        with open(path, "w") as file:
            file.write(original)
        count[end is None] += end != ""
        print("%3d %s:%d: %s" % (k, path, i + 1, end or ("survived" if end is None else "does not compile")))
        if end is None:
            print("    -%s\n    +%s" % (lines[i].strip(), changed.strip()))
        sys.stdout.flush()
    print("mutants: %d killed, %d survived" % (count[False], count[True]))


main()
