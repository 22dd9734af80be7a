"""plain_offset.py OFFSET... <rows - the rows with offset j added to each value of column j, exactly

'-' leaves a column as it is; a further argument --gaps takes the last offset's column out of every
fifth row.

SPDX-License-Identifier: BSD-3-Clause
"""
import decimal
import sys

decimal.getcontext().prec = 60
gaps = "--gaps" in sys.argv
offsets = [decimal.Decimal(w) if w != "-" else 0 for w in sys.argv[1:] if w != "--gaps"]
for number, line in enumerate(sys.stdin):
    label, *words = line.split()
    row = []
    for word in words:
        column, value = word.split(":")
        j = int(column)
        if j <= len(offsets):
            if gaps and j == len(offsets) and number % 5 == 0:
                continue
            value = format(decimal.Decimal(value) + offsets[j - 1], "f")
        row.append(column + ":" + value)
    print(label, *row)
