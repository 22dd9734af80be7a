"""plain_group_column.py KIND - tables with a column 'who' of a hundred groups or of a feature, to be noted or not

SPDX-License-Identifier: BSD-3-Clause
"""
import random
import sys

kind, draw = sys.argv[1], random.Random(sys.argv[1])
n = 400
who = [i // 4 for i in range(n)]
ill = [draw.random() < .5 for _ in range(n)]
y = [int(ill[w]) for w in who]
if kind == "shuffled":
    order = draw.sample(range(n), n)
    who, y = [who[i] for i in order], [y[i] for i in order]
elif kind == "wrong 5":
    y[1:21:4] = [1 - label for label in y[1:21:4]]
elif kind == "wrong 6":
    y[1:25:4] = [1 - label for label in y[1:25:4]]
elif kind == "chance":
    y = [int(draw.random() < .5) for _ in who]
elif kind == "rare":  # all groups but one have one label, which chance gives them
    y = [int(w == 7) for w in who]
elif kind == "threshold":
    y = [int(w >= 40) for w in who]
elif kind == "values":
    y = [ill[w] + w / 7 for w in who]
elif kind == "three":
    y = ["abc"[w * 7 % 3] for w in who]
name = draw.sample(range(10000), n)
fraction = .5 if kind == "fractions" else 0
print("y,who,site,number,x")
for label, w in zip(y, who):
    number = w if kind == "threshold" else name[w] + fraction
    print(f"{label},P{w},s{draw.randrange(4)},{number},{draw.gauss(0, 1):.2f}")
