"""letter_runs.py - print lib/tables/letter_runs.c, by the character classes of Python's Unicode

SPDX-License-Identifier: BSD-3-Clause
"""
import unicodedata


def kind(c):
    """0: neither; 1: letter or digit, as str.isalnum() has them; 2: combining mark; None: no character"""
    category = unicodedata.category(chr(c))
    if category in ('Cn', 'Co', 'Cs'):
        return None
    return 1 if chr(c).isalnum() else 2 * (category[0] == 'M')


END = 1 + max(c for c in range(0x110000) if kind(c) == 1)


def runs():
    """3 length + kind of all runs of characters of one kind; those that are none belong to any run"""
    found, before = [], None
    for k in map(kind, range(END)):
        if k is not None and k != before:
            found.append(k)
            before = k
        found[-1] += 3
    return found


def capitals():
    """distance from the capital before, how many each or (negative) each other one, and how far
    behind each its small letter is"""
    lower = {c: ord(chr(c).lower()[0]) - c for c in range(END) if chr(c).lower() != chr(c)}
    found = []
    for c, shift in lower.items():
        for run in found[-3:]:
            first, n, step, by = run
            if by == shift and (c == first + n * step or (n == 1 and c - first == 2)):
                run[1:3] = n + 1, c - first if n == 1 else step
                break
        else:
            found.append([c, 1, 1, shift])
    numbers, before = [], 0
    for first, n, step, by in found:
        numbers += [first - before, n if step == 1 else -n, by]
        before = first
    return numbers


def table(declaration, numbers):
    lines = ['']
    for number in numbers:
        if len(lines[-1]) + len('%d,' % number) > 92:
            lines.append('')
        lines[-1] += '%d,' % number
    return '%s[] = {\n%s\n};\n' % (declaration, '\n'.join('\t' + line for line in lines))


print('''/*
 * letter_runs.c - letters, digits, marks and small letters of Unicode %s: see text_words.c
 *
 * Made by test/letter_runs.py.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_features.h"

/* clang-format off */''' % unicodedata.unidata_version)
print(table('const uint32_t letter_runs', runs() + [0]) + table('const int32_t letter_capitals', capitals() + [0]) +
      '/* clang-format on */')
