# `randsvm-train --mode direct` is the installed svm-train: model, stdout and stderr to the byte.
#
# Debian's svm-train reads its options' numbers as floats, so the numbers here are ones that
# are the same as floats and as doubles (0.25, not 0.3).

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .

direct() { randsvm-train --mode direct "$@"; }

# ---- what LIBSVM 3.37 prints for heart_scale ----

# prints TEXT ARGUMENTS...
prints()
{
	direct "${@:2}" heart m | tee out
	tr '\n' ' ' <out | grep -q -F -e "$1"
}

ok 'heart_scale' prints \
	'#iter = 162 nu = 0.431029 obj = -100.877288, rho = 0.424462 nSV = 132, nBSV = 107 Total nSV = 132'
ok 'heart_scale, -s 1'   prints '#iter = 129 C = 0.465959 obj = 9.563391, ' -s 1
ok 'heart_scale, -s 2'   prints '#iter = 102 obj = 3366.935440, rho = 54.425690 nSV = 141, ' -s 2
ok 'heart_scale, -s 3'   prints '#iter = 392 nu = 0.627175 obj = -95.509946, ' -s 3
ok 'heart_scale, -s 4'   prints '#iter = 300 epsilon = 0.225870 ' -s 4
ok 'heart_scale, -v 3'   prints 'Cross Validation Accuracy = 83.7037% ' -v 3
ok 'heart_scale, LOO'    prints 'Cross Validation Accuracy = 81.8519% ' -v 1000 -q
ok 'heart_scale, fit'    'direct -q heart m; svm-eval heart m p | grep -F "Accuracy = 86.6667% (234/270)"'
ok 'heart_scale, -b 1'   'direct -q -b 1 heart m; svm-eval -b 1 heart m p | grep -F "Accuracy = 86.2963% "'

need svm-train

# compat ARGUMENTS...: no difference, the model included
compat() { both svm-train direct PROGRAM "$@" RESULT; }

# trained ARGUMENTS...: likewise, and both have trained
trained() { compat "$@" && grep -q '^SV' b.result; }

# ---- every type with every kernel ----

for t in 0 1 2 3; do
	for s in 0 1; do
		ok "-s $s -t $t, two classes"     trained -s $s -t $t -n 0.25 heart
		ok "-s $s -t $t, three classes"   trained -s $s -t $t -n 0.25 three_class
	done
	ok "-s 2 -t $t"                           trained -s 2 -t $t heart
	for s in 3 4; do
		ok "-s $s -t $t"                  trained -s $s -t $t -n 0.25 sinc
	done
done

# gram_of ROWS GAMMA: x.z of the rows on stdin; or, if GAMMA is not 0, tanh(GAMMA x.z - 1)
gram_of()
{
	awk -v rows="$1" -v gamma="$2" '
	{ y[NR] = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); x[NR, a[1]] = a[2] } }
	NR == rows { exit }
	END {
		for (i = 1; i <= NR; i++) {
			printf "%s 0:%d", y[i], i
			for (j = 1; j <= NR; j++) {
				s = 0
				for (k = 1; k <= 13; k++)
					s += x[i, k] * x[j, k]
				if (gamma != 0) {
					e = exp(2 * (gamma * s - 1))
					s = (e - 1) / (e + 1)
				}
				printf " %d:%.6g", j, s
			}
			print ""
		}
	}'
}

gram_of 60 0 <heart >gram

for s in 0 1 2 3 4; do
	ok "-s $s -t 4"                           trained -s $s -t 4 -n 0.25 gram
done
ok '-t 4 -v 5'                                compat -t 4 -v 5 gram
ok '-t 4 -b 1'                                trained -t 4 -b 1 gram
ok '-t 4, weights'                            trained -t 4 -w1 4 gram
# a row whose numbers are not in order is trained on again under its other name
sed -n '40,$p;1,39p' gram >gram.turned
ok '-t 4, rows in another order'              trained -t 4 gram.turned

# ---- every option ----

ok 'no options'                               trained heart
ok 'C small'                                  trained -c 0.0078125 heart
ok 'C large'                                  trained -c 1024 heart
ok 'C large, SVR'                             trained -s 3 -c 64 sinc
ok '-g'                                       trained -g 0.5 three_class
ok '-g 0'                                     trained -g 0 three_class
ok '-d -g -r, polynomial'                     trained -t 1 -d 2 -g 0.5 -r 1 heart
ok '-d 0'                                     trained -t 1 -d 0 heart
ok '-d -1 where it is not used'               trained -d -1 heart
ok '-g -1 where it is not used'               trained -t 0 -g -1 heart
ok '-g -r, sigmoid'                           trained -t 3 -g 0.25 -r -1 heart
ok '-n'                                       trained -s 1 -n 0.5 heart
ok '-n, one-class'                            trained -s 2 -n 0.125 heart
ok '-p'                                       trained -s 3 -p 0.25 sinc
ok '-p 0'                                     trained -s 3 -p 0 sinc
ok '-m 1'                                     trained -m 1 a1a
ok '-m 0.0625'                                trained -m 0.0625 heart
ok '-e 0.5'                                   trained -e 0.5 heart
ok '-e small'                                 trained -e 0.0000152587890625 heart
ok '-h 0'                                     trained -h 0 heart
ok '-h 0, SVR'                                trained -s 4 -h 0 sinc
ok '-q'                                       trained -q heart
ok 'the dots of longer runs'                  trained a1a
ok 'stars and dots'                           trained -c 1024 -t 0 -e 0.0625 three_class
ok '-b 1'                                     trained -b 1 heart
ok '-b 1, three classes'                      trained -b 1 three_class
ok '-b 1, nu-SVC'                             trained -s 1 -n 0.25 -b 1 three_class
ok '-b 1, SVR'                                trained -s 3 -b 1 sinc
ok '-b 1, nu-SVR'                             trained -s 4 -b 1 sinc
ok '-b 1, one-class'                          compat -s 2 -b 1 heart
ok '-b 1 -q'                                  trained -b 1 -q heart

ok '-w1'                                      trained -w1 3 heart
ok '-w1 -w-1'                                 trained -w1 3 -w-1 0.5 heart
ok '-w of three classes'                      trained -w1 2 -w2 0.5 -w5 4 three_class
ok '-w of a class twice'                      trained -w1 3 -w1 2 heart
ok '-w of no class warns'                     trained -w7 3 heart
ok '-w of no class did warn'                  grep -q 'WARNING: class label 7 specified in weight is not found' b.stderr
ok '-w 2, of class 0'                         trained -w 2 heart
ok '-w with nu-SVC'                           trained -s 1 -n 0.25 -w1 3 heart
ok '-w with SVR'                              trained -s 3 -w1 3 sinc

# ---- cross validation ----

ok '-v 3'                                     compat -v 3 heart
ok '-v 3 printed its result'                  grep -q '^Cross Validation Accuracy = [0-9.]*%$' b.stdout
ok '-v 5'                                     compat -v 5 heart
ok '-v 5, three classes'                      compat -v 5 three_class
ok '-v 5 -q'                                  compat -v 5 -q three_class
ok '-v 2'                                     compat -v 2 heart
ok '-v 3, nu-SVC'                             compat -s 1 -n 0.25 -v 3 heart
ok '-v 3, one-class'                          compat -s 2 -v 3 heart
ok '-v 5, SVR'                                compat -s 3 -v 5 sinc
ok '-v 5, SVR, printed its results' \
	'grep -q "^Cross Validation Mean squared error = " b.stdout &&
	grep -q "^Cross Validation Squared correlation coefficient = " b.stdout'
ok '-v 3, nu-SVR'                             compat -s 4 -v 3 sinc
ok '-v 4 -b 1'                                compat -v 4 -b 1 heart
ok '-v 3 -w1 4'                               compat -v 3 -w1 4 heart
ok '-v, a weight of no class'                 compat -v 3 -w7 4 heart
ok '-v, more folds than rows of a class'      compat -v 90 -q three_class
head -n 40 heart >h40
ok '-v 40 of 40'                              compat -v 40 -q h40
ok '-v 39 of 40'                              compat -v 39 -q h40
ok '-v 1000 leaves one out'                   compat -v 1000 -q h40
ok '-v 1000 did warn'                         grep -q '^WARNING: # folds .*Will use # folds = # data instead' b.stderr
ok '-v 1000, SVR'                             'head -n 30 sinc >s30; compat -s 3 -v 1000 -q s30'
ok '-v the same again'                        'direct -v 3 -q heart >a; direct -v 3 -q heart >b; cmp a b'

# ---- kinds of data ----

of_each_kind()
{
	ok "$2, C-SVC"       trained "$1"
	ok "$2, nu-SVC"      trained -s 1 -n 0.25 "$1"
	ok "$2, -b 1"        trained -t 1 -b 1 "$1"
	ok "$2, one-class"   trained -s 2 "$1"
	ok "$2, SVR"         trained -s 3 "$1"
}

awk '{ $1 = $1 " 0:" (NR % 3); print }' three_class >index0
of_each_kind index0 'features from 0'
grep '^+1' heart >one
of_each_kind one 'one class'
ok '-v of one class'                          compat -v 4 one
(grep '^-1' heart; grep '^+1' heart) >negative_first
of_each_kind negative_first '-1 first'
(grep '^+1' heart; grep '^-1' heart) >positive_first
of_each_kind positive_first '+1 first'
sed 's/^+1/1/; s/^-1/0/' heart >zero_one
of_each_kind zero_one 'labels 1 and 0'
sed 's/^+1/0/; s/^-1/1/' heart >one_zero
of_each_kind one_zero 'labels 0 and 1'
tac three_class >turned
of_each_kind turned 'three classes, the last first'
sed 's/^1 /-7 /; s/^5 /1e2 /; s/^2 /+3.0 /' three_class >odd_labels
of_each_kind odd_labels 'labels -7, 3.0 and 1e2'
awk '{ print $0 " 50:0" }' heart >zeros
of_each_kind zeros 'explicit zeros'
awk 'NR % 7 == 0 { print $1; next } { print }' three_class >bare
of_each_kind bare 'rows without features'
awk '{ print $0; print $0 }' h40 >twice
of_each_kind twice 'every row twice'
sed 's/$/\r/' h40 | tr ' ' '\t' >crlf
of_each_kind crlf 'tabs and CR LF'
printf '%s 1:%s\n' 1 1e-300 -1 1e300 1 -1e300 -1 12345678.901234567 >wide
ok 'very large and small values'              trained -t 0 wide
printf '%s\n' '1 2000000000:1 2147483647:0.5' '-1 3:1' >far
ok 'large indices'                            trained far
ok 'two rows'                                 'printf "%s\n" "1 1:1" "-1 1:2" >two; trained two'
ok 'one row'                                  'echo "3 1:1 2:2" >row; trained row'

# ---- what both refuse ----

ok '-c 0'                                     compat -c 0 heart
ok '-s 7'                                     compat -s 7 heart
ok '-t 7'                                     compat -t 7 heart
ok '-t 1 -d -1'                               compat -t 1 -d -1 heart
ok '-g -1'                                    compat -g -1 heart
ok '-n 0'                                     compat -s 1 -n 0 heart
ok 'infeasible -n'                            compat -s 1 -n 1 heart
ok '-p -1'                                    compat -s 3 -p -1 sinc
ok '-m 0'                                     compat -m 0 heart
ok '-e 0'                                     compat -e 0 heart
ok '-h 2'                                     compat -h 2 heart
ok '-b 2'                                     compat -b 2 heart

# ---- without --mode direct: small sets give the same optimum and lines, then the gap ----

# header_of MODEL: its lines above those whose numbers depend on the solver
header_of() { sed '/^total_sv/q' "$1" | grep -v '^total_sv'; }

# with_gap PAIRS ARGUMENTS...: exit status, stderr, lines of output but for the numbers in them, and
# the beginning of the model are the same; objectives agree to 1e-4 and are proved
with_gap()
{
	local pairs=$1
	shift
	both svm-train randsvm-train PROGRAM "$@" RESULT >/dev/null
	cmp a.status b.status && cmp a.stderr b.stderr &&
		diff <(header_of a.result) <(header_of b.result) &&
		diff <(lines_of a.stdout) <(lines_of b.stdout) &&
		close_objectives a.stdout b.stdout 1e-4 && proved b.stdout 0.001 &&
		[ "$(grep -c '^Objective .*gap = .*, relative gap = .*, violators = 0' b.stdout)" = "$pairs" ]
}

# as_always ARGUMENTS...: no difference at all
as_always() { both svm-train randsvm-train PROGRAM "$@" RESULT; }

for t in 0 1 2 3; do
	ok "default mode, -t $t"                  with_gap 1 -t $t heart
	ok "default mode, three classes, -t $t"   with_gap 3 -t $t three_class
done
ok 'default mode, SVR'                        with_gap 1 -s 3 sinc
ok 'default mode, a1a'                        with_gap 1 a1a
ok 'default mode, weights'                    with_gap 1 -w1 4 heart
ok 'default mode, weights of three classes'   with_gap 3 -w1 4 -w5 0.5 three_class
ok 'default mode, a weight of no class'       with_gap 1 -w7 4 heart
ok 'default mode, -b 1'                       with_gap 1 -b 1 heart
# 150 classes of rows of 20 columns that overlap: multipliers of all sizes, in some 11,000 pairs
crowd() { awk -v rows="$1" 'BEGIN { srand(7); for (c = 1; c <= 150; c++) for (i = 0; i < rows; i++) { printf "%d", c; for (j = 1; j <= 20; j++) printf " %d:%.4f", j, rand() - 0.5 + sin(c * j) / 4; print "" } }'; }
crowd 5 >crowd5
crowd 10 >crowd10
ok '150 classes of 5 rows, to the byte'       compat -t 0 crowd5
ok '... default mode, the same model' \
	'cp a.result libsvm && randsvm-train -q -t 0 crowd5 m && same_files libsvm m'
ok '150 classes of 10 rows'                   with_gap 11175 -t 0 -h 0 crowd10
ok '... -t 2'                                 with_gap 11175 -t 2 crowd10
gram_of 270 0 <heart >products
gram_of 270 0.5 <heart >indefinite
gram_of 300 0 <three_class >classes
sed -n '100,$p;1,120p' products >turned # some rows twice, none in its place
# the same coefficients but for their last digits: the steps were svm-train's
same_steps()
{
	both svm-train randsvm-train PROGRAM "$@" RESULT >/dev/null
	diff <(cut -c 1-8,18-25 a.result) <(cut -c 1-8,18-25 b.result) &&
		diff <(grep '#iter' a.stdout) <(grep '#iter' b.stdout)
}
# as many steps, and the same optimum: r, which multipliers of nu-SVC are divided by, and rho have the last digits of
# other decision values
as_many_steps()
{
	both svm-train randsvm-train PROGRAM "$@" RESULT >/dev/null
	diff <(grep '#iter' a.stdout) <(grep '#iter' b.stdout) && close_objectives a.stdout b.stdout 1e-5
}
# close_probabilities FILE FILE: the numbers of probA and probB agree to 0.001
close_probabilities()
{
	paste -d ' ' <(grep ^prob "$1") <(grep ^prob "$2") | awk '
		{ m = NF / 2; for (i = 2; i <= m; i++) { d = $i - $(m + i); if (d * d > 1e-6) exit 1 } n++ }
		END { exit !n }'
}
ok 'default mode, precomputed'                with_gap 1 -t 4 products
ok 'it is the linear kernel'                  'randsvm-train -t 0 heart m >other; close_objectives b.stdout other 1e-4'
ok 'default mode, precomputed, small'         with_gap 1 -t 4 gram
ok 'default mode, precomputed, subsets'       with_gap 1 -t 4 -c 4 turned
ok 'its subsets were several' \
	'randsvm-train --verbose -t 4 -c 4 --sample 40 turned m >out 2>err && grep "^round 2" err &&
	proved out 1e-3 && close_objectives b.stdout out 1e-4'
ok 'default mode, precomputed, three classes' with_gap 3 -t 4 classes
ok 'default mode, precomputed, SVR'           with_gap 1 -s 3 -t 4 -c 0.25 products
ok 'default mode, precomputed, weights'       with_gap 1 -t 4 -w1 4 products
ok 'default mode, precomputed, large C'       with_gap 1 -t 4 -c 100 gram
ok 'default mode, precomputed, -v 5' \
	'for f in products classes; do diff <(svm-train -t 4 -v 5 $f | grep ^Cross) <(randsvm-train -t 4 -v 5 $f |
	grep ^Cross) || exit; done'
ok 'default mode, precomputed, -v 3 -b 1' \
	'diff <(svm-train -t 4 -v 3 -b 1 products | grep ^Cross) <(randsvm-train -t 4 -v 3 -b 1 products |
	grep ^Cross)'
ok 'default mode, precomputed, -b 1' \
	'with_gap 1 -t 4 -c 0.25 -b 1 products && close_probabilities a.result b.result'
ok 'default mode, precomputed, SVR, -b 1' \
	'with_gap 1 -s 3 -t 4 -c 0.25 -b 1 gram && close_probabilities a.result b.result'
ok 'default mode, precomputed, one-class'     with_gap 1 -s 2 -n 0.125 -t 4 products
ok 'default mode, precomputed, nu-SVC'        with_gap 1 -s 1 -n 0.5 -t 4 products
ok 'default mode, precomputed, nu-SVR'        with_gap 1 -s 4 -n 0.5 -t 4 products
ok 'default mode, not definite, one-class'    as_many_steps -s 2 -n 0.125 -t 4 indefinite
ok 'default mode, not definite, nu-SVC'       as_many_steps -s 1 -n 0.75 -t 4 indefinite
ok 'default mode, not definite, nu-SVR'       same_steps -s 4 -n 0.5 -t 4 indefinite
ok 'default mode, not definite'               same_steps -t 4 indefinite
ok 'default mode, not definite, SVR'          same_steps -s 3 -t 4 indefinite
awk 'NR % 2 { $9 = $9 ":x"; sub(/:[^:]*:x/, ":7", $9) } { print }' gram >lopsided
ok 'default mode, not symmetric'              same_steps -t 4 lopsided
for threads in 1 2 3; do
	randsvm-train -q --threads "$threads" --sample 40 -t 4 turned "m.$threads"
done
ok 'default mode, precomputed, threads'       same_files m.1 m.2 m.3
ok 'default mode, one class'                  as_always one
for t in 1 2; do
	ok "default mode, nu-SVC, -t $t"          with_gap 1 -s 1 -e 0.00001 -t $t heart
	ok "default mode, three classes, nu-SVC, -t $t" with_gap 3 -s 1 -n 0.5 -e 0.00001 -t $t three_class
	ok "default mode, one-class, -t $t"       with_gap 1 -s 2 -t $t heart
	ok "default mode, nu-SVR, -t $t"          with_gap 1 -s 4 -t $t sinc
done
ok 'default mode, nu-SVC, -b 1'               with_gap 1 -s 1 -b 1 heart
ok 'default mode, nu-SVR, -b 1'               with_gap 1 -s 4 -b 1 sinc
ok 'default mode, a sigmoid kernel, nu-SVC'   with_gap 1 -s 1 -t 3 heart
head -n 60 heart >sixty
ok '... whose steps are more than rows' \
	'as_many_steps -s 1 -e 1e-7 -t 3 -g 0.05 sixty && [ "$(sed -n "s/.*#iter = //p" b.stdout)" -gt 60 ]'
ok '... one-class'                            as_many_steps -s 2 -t 3 heart
ok '... nu-SVR, whose steps are more'         as_many_steps -s 4 -n 0.75 -c 10 -t 3 -g 0.0625 heart
ok 'default mode, -v' \
	'diff <(svm-train -v 3 heart | grep ^Cross) <(randsvm-train -v 3 heart | grep ^Cross)'
ok 'default mode, -q' \
	'streams 0 "" "" randsvm-train -q heart m && svm-train -q heart m1 && svm-predict heart m p >/dev/null &&
	svm-predict heart m1 p1 >/dev/null && same_files p p1'
