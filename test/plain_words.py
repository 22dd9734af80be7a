"""plain_words.py LABELS NUMBERED NAMED - are the lines of NAMED those of NUMBERED, with names for classes?

NUMBERED and NAMED are what svm-eval writes without and with --labels LABELS.  A line of NAMED is read by
the rule of randsvm-formats(5) alone: words are between blanks or tabs that are not in quotes, and their
parts between commas and slashes that are not.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import sys

labels, numbered, named = sys.argv[1:]
number = {}
for line in open(labels, newline="\n").read().splitlines():
    n, _, name = line.partition(" ")
    number[name] = n
assert len(number) == len(set(number.values()))


def plain(part):
    if part.startswith('"'):
        assert re.fullmatch(r'"(?:[^"]|"")*"', part), part
        return number[part[1:-1].replace('""', '"')]
    assert not set(part) & set(' \t",/#') or part.startswith("#"), part
    return part if part == "-" else number.get(part, part)


def split(line):
    """Parts and what is between them, in turn"""
    return re.findall(r'((?:"(?:[^"]|"")*"|[^" \t,/])*)([ \t,/]|$)', line)


lines = [open(f, newline="\n").read().splitlines() for f in (numbered, named)]
assert len(lines[0]) == len(lines[1]), [len(one) for one in lines]
for a, b in zip(*lines):
    back = "".join(plain(part) + between for part, between in split(b))
    assert back == a, (a, b, back)
