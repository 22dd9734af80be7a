# Linear models of columns of very different size are what training says of them, by exact fractions.

need randsvm-train svm-eval python3

ok 'columns of 1 to 1e9'  python3 "$TOP/test/wide.py"
