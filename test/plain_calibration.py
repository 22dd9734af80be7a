"""plain_calibration.py - what svm-eval --calibrate says, by plain formulas, and by scikit-learn

    plain_calibration.py isotonic|venn-abers|sklearn CALIBRATED PREDICTED
    plain_calibration.py sets SHARE CALIBRATED PREDICTED

CALIBRATED is what randsvm-train --cv-predictions wrote for two classes; PREDICTED what
`svm-eval --calibrate CALIBRATED --scores` did.  Ends with 1 and a line where they differ.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import sys


def table(name):
    rows = [line.split() for line in open(name)]
    return rows[0], rows[1:]


def pooled(examples):
    """the isotonic fit of (score, event) pairs, by pools of adjacent violators: {score: fit}"""
    pools = []
    for score in sorted({s for s, _ in examples}):
        events = [y for s, y in examples if s == score]
        pools.append([sum(events), len(events), [score]])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
            events, n, scores = pools.pop()
            pools[-1] = [pools[-1][0] + events, pools[-1][1] + n, pools[-1][2] + scores]
    return {s: events / n for events, n, scores in pools for s in scores}


def isotonic(fit, score):
    below = max((s for s in fit if s <= score), default=None)
    above = min((s for s in fit if s >= score), default=None)
    if below is None or above is None or below == above:
        return fit[above if below is None else below]
    return fit[below] + (fit[above] - fit[below]) * (score - below) / (above - below)


def near(what, row, found, expected):
    # probabilities are written with six digits
    if not abs(found - expected) <= 1e-5 * abs(expected) + 1e-7:
        sys.exit(f"{what} of row {row}: {found}, expected {expected}")


def main():
    how, share = sys.argv[1], sys.argv[2]
    header, rows = table(sys.argv[-2])
    positive = int(header[3].split("/")[0])
    examples = [(float(r[3]), int(int(float(r[1])) == positive)) for r in rows]
    header, rows = table(sys.argv[-1])
    value = header.index(f"{positive}/{-positive}")
    if how == "sets":
        bound = {}
        for label, sign in ((positive, 1), (-positive, -1)):
            scores = sorted(sign * s for s, y in examples if (y == 1) == (sign > 0))
            bound[label] = scores[math.floor(float(share) * (len(scores) + 1) + 1e-9) - 1]
        for i, row in enumerate(rows):
            score = float(row[value])
            holds = {str(label) for label, b in bound.items()
                     if (score if label == positive else -score) >= b}
            if set(row[1].split(",")) - {"-"} != holds:
                sys.exit(f"set of row {i}: {row[1]}, expected {holds}")
        return
    one = header.index(str(positive))
    if how == "sklearn":
        from sklearn.isotonic import IsotonicRegression
        model = IsotonicRegression(out_of_bounds="clip")
        model.fit([s for s, _ in examples], [y for _, y in examples])
        expected = model.predict([float(row[value]) for row in rows])
    fit = pooled(examples)
    for i, row in enumerate(rows):
        score = float(row[value])
        if how == "sklearn":
            near("probability", i, float(row[one]), expected[i])
        elif how == "isotonic":
            near("probability", i, float(row[one]), isotonic(fit, score))
        elif i % 7 == 0:
            p0, p1 = (pooled(examples + [(score, y)])[score] for y in (0, 1))
            near("low", i, float(row[header.index("low")]), p0)
            near("high", i, float(row[header.index("high")]), p1)
            near("probability", i, float(row[one]), p1 / (1 - p0 + p1))


main()
