# -v and -b 1 on working sets: svm-train's folds, so its results up to the tolerance.
#
# At a small -e no example here is so close to the boundary that the last digits matter.

. "$TOP/test/helpers.bash"
need svm-train

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .
awk '{ $1 = $1 * 7 - 20 + (NR % 2) * 100; print }' three_class >six_class
head -n 40 heart >h40

E='-e 0.0000152587890625'
sets='--sample 40'

# validated DATA OPTION...: -v says the same, and needs LIBSVM for nothing
validated()
{
	local data=$1
	shift
	svm-train -q $E "$@" "$data" >a 2>a.err &&
		randsvm-train -q $E $sets --verbose "$@" "$data" >b 2>b.err || return
	cat a b b.err
	grep -q 'randsvm-train: solver: ' b.err && same_files a b
}

# validated_values DATA OPTION...: likewise for regression, up to the last digits
validated_values()
{
	local data=$1
	shift
	svm-train -q -s 3 $E "$@" "$data" >a 2>a.err &&
		randsvm-train -q -s 3 $E $sets --verbose "$@" "$data" >b 2>b.err || return
	cat a b
	grep -q 'randsvm-train: solver: ' b.err && near a b 0.0001
}

# ---- cross validation ----

for t in 0 1 2; do
	ok "-v 5 -t $t"                   validated heart -v 5 -t $t
	ok "-v 5 -t $t, three classes"    validated three_class -v 5 -t $t -g 0.125
done
# a sigmoid of little curvature: else the kernel is so indefinite that there are several optima
ok '-v 5 -t 3'                            validated heart -v 5 -t 3 -g 0.0078125
ok '-v 5 -t 3, three classes'             validated three_class -v 5 -t 3 -g 0.125
for v in 2 3 10 90 269 270; do
	ok "-v $v"                        validated heart -v $v
done
ok '-v 5, a1a'                            validated a1a -v 5
ok '-v 5, six classes'                    validated six_class -v 5
ok '-v 7, weights'                        validated three_class -v 7 -w1 4 -w5 0.5
ok '-v 5, a weight'                       validated heart -v 5 -w-1 0.25 -c 16
ok '-v 100 of classes of 80'              validated three_class -v 100
ok '-v 5, -1 first'                       'sort heart >other; validated other -v 5'
ok '-v 5, labels 0 and 1'                 'sed "s/^-1/0/" heart >other; validated other -v 5'
ok '-v 4, one row of a class' \
	'(grep "^-1" heart; grep "^+1" heart | head -n 1) >other; validated other -v 4'
ok '-v 4, one row of a class of three'    '(cat heart; echo "3 1:1 2:1") >other; validated other -v 4'
ok '-v 3, solver libsvm'                  'sets="$sets --solver libsvm" validated heart -v 3'
for t in 0 1 2; do
	ok "-v 5 -t $t, regression"       validated_values sinc -v 5 -t $t
done
ok '-v 4, regression, C and p'            validated_values sinc -v 4 -c 16 -p 0.25
ok '-v 200, regression'                   validated_values sinc -v 200

few() { sets='--sample 5' validated h40 -v "$1"; }
ok '-v 40 of 40'                          few 40
ok '-v 39 of 40'                          few 39
ok '-v 1000 leaves one out'               few 1000
ok '-v 1000 warns as svm-train does' \
	'tail -n 1 b.err >said; grep "^WARNING: # folds" b.err >ours; grep "^WARNING: # folds" a.err |
	sed "s/ ([0-9]*)//g" >theirs; [ "$(wc -l <ours)" = 1 ] && same_files ours theirs'
ok '-v 2 of two rows'                     'printf "%s\n" "1 1:1" "-1 1:2" >two; sets="--sample 1" validated two -v 2'

# ---- probabilities ----

# calibrated DATA OPTION...: the constants within 1e-3, the probabilities within 1e-3
calibrated()
{
	local data=$1
	shift
	svm-train $E -b 1 "$@" "$data" m1 >out1 &&
		randsvm-train $E $sets -b 1 --verbose "$@" "$data" m2 >out2 2>err2 || return
	grep '^prob' m1 m2
	grep -q 'randsvm-train: solver: ' err2 &&
		near <(grep '^prob' m1) <(grep '^prob' m2) 0.001 &&
		svm-eval -b 1 "$data" m1 p1 && svm-eval -b 1 "$data" m2 p2 && near p1 p2 0.001
}
for t in 0 1 2; do
	ok "-b 1 -t $t"                   calibrated heart -t $t
	ok "-b 1 -t $t, three classes"    calibrated three_class -t $t
	ok "-b 1 -t $t, regression"       calibrated sinc -s 3 -t $t
done
ok '-b 1, a1a'                            calibrated a1a
ok '-b 1, six classes'                    calibrated six_class
ok '-b 1, weights'                        calibrated three_class -w1 4 -w5 0.5
ok '-b 1, -1 first'                       'sort heart >other; calibrated other'
ok '-b 1, one row of a class' \
	'(grep "^-1" heart; grep "^+1" heart | head -n 1) >other; calibrated other -c 16'
ok '-b 1, four rows' \
	'printf "%s\n" "1 1:1" "-1 1:2" "2 1:4" "2 1:5" >four; sets="--sample 1" calibrated four'
ok '-b 1, targets far out'                'awk "NR % 50 == 0 { \$1 = 40 } { print }" sinc >other; calibrated other -s 3'
ok '-b 1, svm-predict reads it' \
	'randsvm-train -q $sets -b 1 three_class m && svm-predict -b 1 three_class m p1 &&
	svm-eval -b 1 three_class m p2 && near p1 p2 0.00001'

ok '-v 3 -b 1'                            validated heart -v 3 -b 1
ok '-v 5 -b 1, three classes'             validated three_class -v 5 -b 1
ok '-v 3 -b 1, weights'                   validated three_class -v 3 -b 1 -w1 4 -w5 0.5
ok '-v 2 -b 1, six classes'               validated six_class -v 2 -b 1
ok '-v 40 -b 1 of 40'                     'sets="--sample 5" validated h40 -v 40 -b 1'
ok '-v 3 -b 1, regression'                validated_values sinc -v 3 -b 1

# ---- the lines are those of svm-train, but for dots and the numbers in them ----

lines_of() { grep -v -E '^[.*]+$|^$' "$1" | grep -v '^Objective' | sed -E 's/[-+0-9.]+(e[-+][0-9]+)?/N/g'; }
same_lines()
{
	svm-train $E "$@" m1 >out1 && randsvm-train $E $sets "$@" m2 >out2 || return
	tail -n 12 out2
	lines_of out1 >l1 && lines_of out2 >l2 && same_files l1 l2 || return
	! grep -q '^obj' out1 || close_objectives out1 out2 1e-4
}
ok 'lines, -v'                            same_lines -v 3 heart
ok 'lines, -v, three classes'             same_lines -v 3 three_class
ok 'lines, -v, weights: no nu'            same_lines -v 3 -w1 2 heart
ok 'lines, -v, regression'                same_lines -s 3 -v 3 sinc
ok 'lines, -v, one class in a fold'       'sets="--sample 1" same_lines -v 2 two'
ok 'which is a line of its own'           grep 'training data in only one class' out2
ok 'lines, -b 1'                          same_lines -b 1 heart
ok 'lines, -b 1, regression'              same_lines -s 3 -b 1 sinc
ok 'which says what z is'                 grep -F 'z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= 0.24' out2
ok 'lines, -v -b 1'                       same_lines -v 3 -b 1 heart
# the pairs' own blocks come last
ok '-b 1, three classes, 15 within and 3' '[ "$(randsvm-train $sets -b 1 three_class m | grep -c "^obj")" = 18 ]'

# ---- ours alone ----

ok '-q: the result and nothing else' streams 0 'Cross Validation Accuracy' '' randsvm-train -q $sets -v 3 -b 1 heart
ok '-q -v, one line'                      '[ "$(wc -l <stdout)" = 1 ]'
ok '-q -b 1'                              streams 0 '' '' randsvm-train -q $sets -b 1 three_class m
ok '-b 1 ends with the certificate'       'randsvm-train $sets -b 1 heart m >out && proved out 1e-3'
ok '-b 1 changes nothing but the constants' 'randsvm-train -q $sets heart m2 && cmp m2 <(grep -v "^prob" m)'
ok 'an unknown weight warns, once' \
	'randsvm-train -q $sets -w7 3 -v 3 -b 1 three_class 2>err >out;
	[ "$(cat err)" = "WARNING: class label 7 specified in weight is not found" ]'
ok '--verbose tells the folds' streams 0 'Cross Validation Accuracy' 'fold 2 of 3: 159 examples to train on' \
	randsvm-train -q --verbose $sets -v 3 -b 1 three_class
ok '--verbose tells whose'                holds stderr 'probabilities of classes 1 and 5, fold 5 of 5: '
ok 'another seed, other folds' \
	'for s in 1 2 3; do randsvm-train -q $sets -v 3 -s 3 --seed $s sinc >s$s; done; ! cmp s1 s2 && ! cmp s1 s3'
ok 'any number of threads' \
	'for n in 1 2 7; do randsvm-train $sets --threads $n -v 3 -b 1 three_class >t$n || exit; done;
	same_files t1 t2 t7'
ok 'any number of threads, regression' \
	'for n in 1 2 7; do randsvm-train $sets --threads $n -s 3 -b 1 sinc t$n || exit; done; same_files t1 t2 t7'
ok 'any number of threads, probabilities' \
	'for n in 1 2 7; do randsvm-train $sets --threads $n -b 1 heart t$n || exit; done; same_files t1 t2 t7'
ok 'paper' \
	'randsvm-train --mode paper -k 60 -v 3 a1a >out; [ "$(grep -c "^stopped after round" out)" = 3 ] &&
	grep "^Cross Validation Accuracy = [5-9][0-9]" out'
ok 'paper, -b 1' \
	'randsvm-train --mode paper -k 60 -b 1 a1a m >out; [ "$(grep -c "^stopped after round" out)" = 6 ] &&
	grep "^probA -" m'
ok 'reweight' \
	'randsvm-train -q --mode reweight -k 5 --max-iter 5 -v 3 a1a |
	grep "^Cross Validation Accuracy = [78][0-9]"'
ok 'report' \
	'randsvm-train -q $sets -v 3 --report r heart && json_has r accuracy seconds_per_phase &&
	grep "\"route\":.*\"working sets\"" r'
ok 'report has the accuracy' \
	'[ "$(randsvm-train -q $sets -v 3 heart | tr -dc 0-9.)" = \
	"$(sed -n "s/.*\"accuracy\":[^0-9]*\([0-9.]*\),*/\1/p" r | awk "{ printf \"%g\", \$1 }")" ]'
ok 'report, regression' \
	'randsvm-train -q $sets -s 3 -v 3 --report r sinc && json_has r mse squared_correlation'
ok '--mode direct is svm-train'"'"'s'     both svm-train 'randsvm-train' PROGRAM -q -v 3 -b 1 h40
ok 'no model with -v'                     'rm -f m; randsvm-train -q $sets -v 3 -b 1 heart m && [ ! -e m ]'

# a kernel of 5000 rows, without asking for a --sample
gzip -dc "$T/a9a.gz" | head -n 5000 >a5k
if [ "$SANITIZE" ]; then
	skip 'too much for sanitizers'
else
	sets=
	E='-e 0.0001220703125'
	ok '5000 rows, -v 3'              validated a5k -v 3
	ok '5000 rows, -b 1'              calibrated a5k
fi

# ---- measures of a cross validation ----

# folded DATA OPTION...: --cv-predictions are those of a model that svm-fold's training part gives
folded()
{
	local data=$1 i
	shift
	randsvm-train -q "$@" -v 3 --cv-predictions table "$data" >said || return
	for i in 1 2 3; do
		svm-fold -v 3 -f $i --svm-train-order --train "$data" >part &&
		svm-fold -v 3 -f $i --svm-train-order --test "$data" >rest &&
		randsvm-train -q "$@" part m && svm-eval -q rest m p && cat p || return
	done >all
	svm-fold -v 3 --list --svm-train-order "$data" >list
	for i in 1 2 3; do
		tail -n +2 table | paste -d ' ' - list | awk -v i=$i '$NF == i { print $3 }'
	done >ours
	agree all ours 98
}
ok '--cv-predictions: two classes'        folded heart -c 2
ok '--cv-predictions: three classes'      folded three_class -g 0.5
ok '--cv-predictions: one against the rest'  folded three_class -t 0 --multiclass ovr
ok 'their values decide' \
	'randsvm-train -q -v 4 --cv-predictions t heart && awk "NR > 1 && (\$4 > 0 ? 1 : -1) != \$3 { exit 1 }" t'
ok 'values in the order of all classes' \
	'randsvm-train -q -v 7 --cv-predictions t three_class && head -n 1 t |
	grep "^row label prediction 1/2 1/5 2/5$" &&
	awk "NR > 1 { v[1] = (\$4 > 0) + (\$5 > 0); v[2] = (\$4 < 0) + (\$6 > 0); v[5] = (\$5 < 0) + (\$6 < 0); if (v[\$3] < v[1] || v[\$3] < v[2] || v[\$3] < v[5]) exit 1 }" t'
ok 'a class missing from a fold' \
	'(cat three_class; echo "9 1:1 2:1") >more; randsvm-train -q -v 4 --metrics --cv-predictions t more &&
	grep -c nan t'
# a row 9 that only the second fold has, so the model of that fold does not know its class
randsvm-train -q -v 4 -b 1 --metrics --report r --cv-predictions t more >said
ok '... has no part in log-loss and Brier score' 'python3 - <<-END
	import json, math
	lines = [line.split() for line in open("t")]
	names, rows = lines[0], [[float(x) for x in line] for line in lines[1:]]
	p = {int(w[2:]): k for k, w in enumerate(names) if w.startswith("p:")}
	known = [r for r in rows if not math.isnan(r[p[int(r[1])]])]
	lost = [r for r in rows if math.isnan(r[p[9]])]
	assert 0 < len(rows) - len(known) < len(lost) < len(rows), (len(known), len(lost))
	zero = lambda x: 0 if math.isnan(x) else x
	log_loss = sum(-math.log(r[p[int(r[1])]]) for r in known) / len(known)
	brier = sum((zero(r[k]) - (c == r[1])) ** 2 for r in known for c, k in p.items()) / len(known)
	def auc(c):
	    of = [r for r in known if not math.isnan(r[p[c]])]
	    high, low = [r[p[c]] for r in of if r[1] == c], [r[p[c]] for r in of if r[1] != c]
	    if high and low:
	        return sum((x > y) + (x == y) / 2 for x in high for y in low) / len(high) / len(low)
	areas = [a for a in map(auc, p) if a is not None]
	m = json.load(open("r"))["measures"]
	for key, plain in ("log_loss", log_loss), ("brier", brier), ("auc", sum(areas) / len(areas)):
	    assert abs(m[key] - plain) < 1e-9, (key, m[key], plain)
END'
# noted TEXT COMMAND...: this is all that standard error has, and nothing with -q
noted()
{
	"${@:2}" >out 2>err && cat err && [ "$(cat err)" = "randsvm-train: note: $1" ] &&
		"$2" -q "${@:3}" >out 2>err && [ ! -s err ]
}
ok 'a note on it' noted \
	'1 of 4 classes have fewer rows than there are folds, 1 of them a single one, which is predicted by a model that does not know its class' \
	randsvm-train -v 4 more
ok '... and on a class of two' \
	'(cat three_class; echo "9 1:1 2:1"; echo "9 1:1 2:3") >two;
	noted "1 of 4 classes have fewer rows than there are folds: not every fold has one of them" randsvm-train \
	-v 4 two'
ok '... none with fewer folds'             'randsvm-train -v 2 two 2>err >out; [ ! -s err ]'
ok '... with a fold for each row'          'head -n 20 heart >h20; randsvm-train -v 20 h20 2>err >out; [ ! -s err ]'
ok '... for regressions'                   'randsvm-train -s 3 -v 5 more 2>err >out; [ ! -s err ]'
ok '... nor with --mode direct'            'randsvm-train --mode direct -v 4 more 2>err >out; [ ! -s err ]'
ok '... whose measures are those of the file' 'svm-eval --measure t | tail -n +2 | diff - <(tail -n +2 said)'
ok '... nor in AUC without probabilities'  'randsvm-train -q -v 4 --metrics --report r --cv-predictions t more >said && python3 - <<-END
	import json, math
	lines = [line.split() for line in open("t")]
	names, rows = lines[0], [[float(x) for x in line] for line in lines[1:]]
	classes = sorted({int(c) for w in names[3:] for c in w.split("/")})
	def score(r, c):
	    terms = [r[k] * (1 if w.split("/")[0] == str(c) else -1) for k, w in enumerate(names)
	             if "/" in w and str(c) in w.split("/") and not math.isnan(r[k])]
	    return sum(terms) if terms else None
	def auc(c):
	    of = [r for r in rows if score(r, int(r[1])) is not None and score(r, c) is not None]
	    high, low = [score(r, c) for r in of if r[1] == c], [score(r, c) for r in of if r[1] != c]
	    if high and low:
	        return sum((x > y) + (x == y) / 2 for x in high for y in low) / len(high) / len(low)
	areas = [a for a in map(auc, classes) if a is not None]
	m = json.load(open("r"))["measures"]
	assert abs(m["auc"] - sum(areas) / len(areas)) < 1e-9, (m["auc"], areas)
END'
ok 'a fold with a single class of two' \
	'(grep ^-1 heart; grep ^+1 heart | head -n 1) >other;
	randsvm-train -q -v 4 --metrics --cv-predictions t other >said; grep -c "nan$" t &&
	grep "^AUC is undefined: there are no examples of class 1" said && svm-eval --measure t | tail -n +2 |
	diff - <(tail -n +2 said)'
ok '--metrics are those of the file' \
	'randsvm-train -q -v 5 --metrics --cv-predictions t three_class | tail -n +2 >a; svm-eval --measure t |
	tail -n +2 | cmp - a'
ok '... with probabilities' \
	'randsvm-train -q -v 5 -b 1 --metrics --cv-predictions t three_class | tail -n +2 >a;
	svm-eval --measure t | tail -n +2 | cmp - a'
ok '... of LIBSVM, which has no values' \
	'randsvm-train -q -v 5 -s 1 --solver libsvm --metrics --cv-predictions t heart | tail -n +2 >a; head -n 1 t |
	grep "^row label prediction$" && svm-eval --measure t | tail -n +2 | cmp - a'
ok '... of nu-SVC' \
	'randsvm-train -q -v 5 -s 1 -b 1 --metrics --cv-predictions t heart | tail -n +2 >a; svm-eval --measure t |
	tail -n +2 | cmp - a'
ok '... of a regression' \
	'randsvm-train -q -v 5 -s 3 --metrics --cv-predictions t sinc | tail -n +3 >a; svm-eval --measure t |
	tail -n +3 | cmp - a && head -n 1 t | grep -x "row label prediction value"'
ok 'the line of svm-train stays' \
	'randsvm-train -q -v 5 --metrics heart | head -n 1 >a; randsvm-train -q -v 5 heart | cmp - a'
# kernel values that overflow, of so few rows that LIBSVM would validate them
printf '%s 1:%se154\n' 1 3 -1 -3 1 2 -1 -1 >far
for o in '-t 0' '-t 1' '-t 1 -b 1' '-t 1 -s 3' '-t 0 -s 1'; do
	fail 1 'no finite solution: '     "randsvm-train -v 2 $o far"
done
fail 1 'cross validation takes two rows' 'head -n 1 heart >one; randsvm-train -s 3 -v 2 one'
ok 'one row, as svm-train'                'randsvm-train -q --mode direct -v 2 one'
fail 1 '--metrics needs -v'               randsvm-train --metrics heart m
fail 1 '--cv-predictions needs -v'        randsvm-train --cv-predictions t heart m

# ---- labels that are exchanged ----

# tested DATA OPTION...: the result of -v, and after it a p that is that of the counts, in the report too
tested()
{
	local data=$1
	shift
	randsvm-train -q -v 3 "$@" "$data" >alone && randsvm-train -q -v 3 --permutations 19 --report r "$@" "$data" >said || return
	cat said
	head -n "$(wc -l <alone)" said | cmp - alone &&
		sed -n 's/^Permutation test: p = \([0-9.]*\) (\([0-9]*\) of 19 draws of the labels are predicted as well)$/\1 \2/p' said >p &&
		awk '{ d = $1 - (1 + $2) / 20; exit !(NR == 1 && d * d < 1e-12) }' p &&
		python3 -c 'import json; t = json.load(open("r"))["permutation_test"]; print("%.3g" % t["p"], t["as_good"])' | cmp - p
}
awk '{ $1 = int(NR * NR / 7) % 2 ? 1 : -1; print }' heart | head -n 60 >chance
awk '{ print int(NR / 6) }' chance >chance.groups
ok '--permutations: what is no chance'     'tested heart && grep "p = 0.05 (0 of" said'
ok '--permutations: what labels have done before is not repeated' \
	'randsvm-train -v 3 --permutations 2 heart 2>&1 | grep "note: p does not count what labels have done before" && ! randsvm-train -q -v 3 --permutations 2 heart 2>&1 | grep note'
ok '--permutations: what is chance'        'tested chance && grep -v "p = 0.05 (0 of" said'
ok '--permutations: a regression'          'tested sinc -s 3 -c 10 && grep "p = 0.05 (0 of" said'
ok '--permutations: weights and probabilities' 'awk "{ print NR % 3 }" heart >w; tested heart -b 1 -W w -w auto'
ok '--permutations: LIBSVM'                tested chance --mode direct
ok '--permutations: nu-SVC'                tested heart -s 1 -n 0.4
ok '--permutations: one-class, which labels do not train' tested heart -s 2 -n 0.3
ok '--permutations: groups'                tested chance --groups chance.groups
ok '--permutations: groups of one label each' \
	'awk "{ \$1 = int((NR - 1) / 6) % 2 ? 1 : -1; print }" heart | head -n 60 >one; awk "{ print int((NR - 1) / 6) }" one >g
	tested one --groups g'
ok '--permutations: groups of one label each but for one that has two' '
	awk "BEGIN { for (i = 0; i < 80; i++) print (int(i / 2) % 2 != (i == 0)) \" 1:\" int(i / 2) % 2 \" 2:\" i % 7 / 7 }" >one
	awk "{ print int((NR - 1) / 2) }" one >g; tested one --groups g && grep "p = 0.05 (0 of" said'
ok '--permutations: any number of threads, by the seed' '
	for t in 1 2 3; do randsvm-train -q -v 3 --permutations 9 --threads $t chance; done | sort -u | wc -l | grep -x 2
	for s in 1 2 3 4; do randsvm-train -q -v 3 --permutations 39 --seed $s chance | grep Permutation; done | sort -u | wc -l | grep -v -x 1'
fail 1 '--permutations needs -v'          randsvm-train --permutations 9 heart m
fail 1 'time limit reached during cross validation' randsvm-train -v 3 --permutations 100000 --time-limit 1 heart
