# What training proves, of random problems of all machines and kernels, holds for the file it wrote.

need randsvm-train svm-eval python3

ok '300 problems'  python3 "$TOP/test/proofs.py"
