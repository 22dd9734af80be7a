# work.sh - the work of trainings, counted: as little as it was, and the same for any number of threads
#
# Counts are nearly the same on any machine, so that they can be held to bounds where seconds cannot.  A
# bound is 1.15 times what the training took, over its floor, when the line was written: a change
# that makes it more has to say why, and one that makes it less lowers the bound.
#
# SPDX-License-Identifier: BSD-3-Clause

need python3
gunzip -c "$T/a9a.t.gz" | head -6000 >adult
svm-gen twonorm -q -n 8000 -o twonorm
svm-gen ringnorm -q -n 6000 -o ringnorm
svm-gen checkerboard -q -n 6000 -o board
svm-gen friedman -q -n 5000 -o friedman
svm-gen text -q -n 2000 -o text
# whole numbers, a seventh of the rows equal to another
awk 'BEGIN {
	srand(3)
	for (i = 0; i < 8000; i++) {
		a = int(rand() * 40) - 20; b = int(rand() * 40) - 20; c = int(rand() * 12) - 6
		printf "%d 1:%d 2:%d 3:%d\n", a * a + b * b + 2 * c * c < 270 ? 1 : -1, a, b, c
	}
}' >whole


# work MOST OPTIONS...: a training's work is at most MOST times its floor, and the same with one
# thread and with two
work()
{
	for n in 1 2; do
		randsvm-train -q --threads $n --report r$n "${@:2}" m || return
	done
	python3 - "$1" <<-'END'
		import json, sys
		one, two = (json.load(open(name))["work"] for name in ("r1", "r2"))
		print(one, two)
		assert one == two, "threads change counts"
		assert any(any(of.values()) for of in one.values() if isinstance(of, dict)), "nothing is counted"
		assert one["per_floor"] <= float(sys.argv[1]), one["per_floor"]
	END
}

ok 'C-SVC'                    work 2.76 twonorm
ok 'C-SVC, larger C'          work 2.51 -c 10 adult
ok 'C-SVC, all are free'      work 12.4 -c 100 -g .1 adult
ok 'C-SVC, a narrow kernel'   work 7.11 -c 10 -g 100 board
ok 'C-SVC, equal examples'    work 4.66 -c 10 -g 1 whole
ok 'C-SVC, values kept'       work 1.48 -c 1000 -g 1 "$T/heart_scale.gz"
ok 'three classes'            work 1.60 "$T/three_class"
ok 'probabilities'            work 1.29 -b 1 "$T/three_class"
ok 'nu-SVC'                   work 2.31 -s 1 -n .4 adult
ok 'one-class'                work 2.20 -s 2 -n .1 adult
ok 'epsilon-SVR'              work 3.41 -s 3 -p 1 -c 10 -g .5 friedman
ok 'nu-SVR'                   work 2.74 -s 4 -n .3 -c 10 friedman
ok 'polynomial'               work 6.25 -t 1 -r 1 -g .1 -c 10 ringnorm
ok 'monomials'                work 0.01 -t 1 -d 2 -r 1 -g .1 -c 10 board
ok 'sigmoid'                  work 3.31 -t 3 -g .01 "$T/heart_scale.gz"
ok 'linear'                   work 44.4 -t 0 adult
ok 'linear, more columns'     work 23.8 -t 0 text
ok 'linear, large C'          work 425 -t 0 -c 100 text
ok 'linear regression'        work 27.7 -t 0 -s 3 friedman
ok 'one against the rest'     work 30.6 -t 0 --multiclass ovr "$T/three_class"
ok 'in words' \
	'randsvm-train --verbose -t 0 text m | grep "^Work, in millions: [0-9.]* entries of rows; .* times the floor of 0[.]277$"'
ok 'none by LIBSVM' \
	'randsvm-train -q --mode direct --report r "$T/heart_scale.gz" m && ! grep per_floor r'
