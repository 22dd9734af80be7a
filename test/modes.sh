# The ways to train: exact finds svm-train's optimum, paper and reweight stop as they say.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/a9a.t.gz" | head -n 2000 >a.t
cp "$T/three_class" "$T/sinc" .

# svm-train, or what compat_train.sh finds to be the same
if command -v svm-train >/dev/null; then
	reference() { svm-train "$@"; }
else
	reference() { randsvm-train --mode direct "$@"; }
fi

# exact DATA TEST OPTION...: working sets come to svm-train's optimum: objectives within 1e-4, no
# violators, a relative gap below 1e-3, and 99.8 % of the predictions
exact()
{
	local data=$1 test=$2
	shift 2
	reference "$@" "$data" m1 >out1 &&
		randsvm-train "${sets[@]}" "$@" --verbose "$data" m2 >out2 2>err2 || return
	tail -n 3 out2
	grep 'randsvm-train: solver: ' err2 &&
		close_objectives out1 out2 1e-4 && proved out2 1e-3 &&
		svm-eval "$test" m1 p1 && svm-eval "$test" m2 p2 && agree p1 p2 99.8
}

# ---- exact ----

sets=(--sample 200)
for t in 0 1 2; do
	ok "exact, -t $t"                exact a1a a.t -t $t -g 0.0625
done
ok 'exact, -t 3'                         exact a1a a.t -t 3
ok 'exact, small C'                      exact a1a a.t -c 0.015625
ok 'exact, large C'                      exact a1a a.t -c 64 -g 0.0625
ok 'exact, a weight'                     exact a1a a.t -w1 4
ok 'exact, weights'                      exact a1a a.t -w-1 0.25 -w1 2 -t 0
ok 'exact, polynomial with -r'           exact a1a a.t -t 1 -d 2 -r 1 -g 0.125
ok 'exact, -h 0 -m 1'                    exact a1a a.t -h 0 -m 1
sets=(--sample 60)
ok 'exact, labels 0 and 1'               'sed "s/^-1/0/" heart >other; exact other other'
ok 'exact, -1 first'                     'sort heart >other; exact other other'
ok 'exact, features from 0'              'sed "s/ 1:/ 0:/" heart >other; exact other other'
ok 'exact, rows without features' \
	'awk "NR % 5 == 0 { print \$1; next } { print }" heart >other; exact other other -e 0.0001220703125'
ok 'exact, every row twice'              'awk "{ print; print }" heart >other; exact other other'
# every vector cancels its twin: w is 0, so all predict by b alone, which is not unique
twins()
{
	awk '{ print; $1 = -$1; print }' heart | head -n 400 >other
	reference -c 16 other m1 >out1 &&
		randsvm-train "${sets[@]}" -c 16 other m2 >out2 &&
		close_objectives out1 out2 1e-4 && proved out2 1e-3
}
ok 'exact, the same with the other label'  twins
ok 'exact, all rows alike' \
	'for i in 1 2 3 4 5 6 7 8 9; do sed "s/ .*/ 1:1/" heart; done >other; exact other other'
ok 'exact, few of one class'             '(grep "^+1" heart | head -n 3; grep "^-1" heart) >other; exact other other'
ok 'exact, one row of a class' \
	'(grep "^-1" heart; grep "^+1" heart | head -n 1) >other; exact other other -c 16'
sets=(--sample 1)
ok 'exact from a single row'             exact heart heart
sets=(--sample 269)
ok 'exact from all rows but one'         exact heart heart
sets=(--sample 40)
for t in 0 1 2; do
	ok "exact, three classes, -t $t"  exact three_class three_class -t $t -e 0.0001220703125
done
# tanh() is no kernel where it bends: there may be several optima
ok 'exact, three classes, -t 3'          exact three_class three_class -t 3 -g 0.0625 -e 0.0001220703125
ok 'exact, three classes, weights'       exact three_class three_class -w5 4 -w2 0.5 -e 0.0001220703125
ok 'exact, twelve classes' \
	'awk "{ \$1 = NR % 12; print }" three_class >other; sets=(--sample 10);
	exact other other -e 0.0001220703125'

# without a --sample a set of more than 2000 rows is worked on in parts
gzip -dc "$T/a9a.gz" | head -n 4000 >a4k
sets=()
if [ "$SANITIZE" ]; then
	skip 'too much for sanitizers'
else
	ok 'exact, 4000 rows'            exact a4k a.t
	ok 'exact, 4000 rows, C 16'      exact a4k a.t -c 16
fi

# exact_values DATA OPTION...: likewise for regression; predictions within 0.01
exact_values()
{
	local data=$1
	shift
	reference "$@" -s 3 "$data" m1 >out1 &&
		randsvm-train --sample 60 "$@" -s 3 "$data" m2 >out2 || return
	tail -n 3 out2
	close_objectives out1 out2 1e-4 && proved out2 1e-3 &&
		svm-eval "$data" m1 p1 && svm-eval "$data" m2 p2 && near p1 p2 0.01
}
for t in 0 1 2; do
	ok "exact, regression, -t $t"    exact_values sinc -t $t -e 0.0001220703125
done
# gamma small enough for the kernel to be positive definite: else there are many optima
ok 'exact, regression, -t 3'             exact_values sinc -t 3 -g 0.25 -e 0.0001220703125
ok 'exact, regression, C and p'          exact_values sinc -c 16 -p 0.25 -e 0.0001220703125
ok 'exact, regression, p 0'              exact_values sinc -p 0 -e 0.0001220703125
ok 'exact, regression, p too large'      'randsvm-train --sample 60 -s 3 -p 100 sinc m | grep "^nSV = 0, nBSV = 0"'

# the lines are those of svm-train, but for the numbers in them
same_lines() { exact "$@" && lines_of out1 >l1 && lines_of out2 >l2 && same_files l1 l2; }
sets=(--sample 60)
ok 'the lines of svm-train'              same_lines heart heart
ok 'with a weight: no nu'                same_lines heart heart -w1 4
ok 'three classes: a block each'         same_lines three_class three_class -e 0.0001220703125
ok 'counts in the lines and the model' \
	'[ "$(grep "^Total nSV" out2 | tr -dc 0-9)" = "$(grep "^total_sv" m2 | tr -dc 0-9)" ] &&
	[ "$(sed "1,/^SV/d" m2 | wc -l)" = "$(grep "^total_sv" m2 | tr -dc 0-9)" ]'
ok 'the model begins like svm-train'"'"'s' \
	'diff <(sed -n "/^total_sv/q; p" m1) <(sed -n "/^total_sv/q; p" m2) &&
	[ "$(grep ^label m1)" = "$(grep ^label m2)" ]'
ok 'no weights in other machines' \
	'for type in 1 2 3 4;
	do streams 0 "nSV = " "note: -w has no effect with -s $type: only C-SVC has weights" randsvm-train -s \
	$type -w1 3 three_class m &&
	[ "$(wc -l <stderr)" = 1 ] && cp stdout weighted && randsvm-train -s $type three_class m2 >plain &&
	same_files weighted plain && same_files m m2 &&
	streams 0 "" "" randsvm-train -q -s $type -w1 3 three_class m || exit; done'
ok 'an unknown weight warns, once' \
	'randsvm-train -q --sample 40 -w7 3 three_class m 2>err;
	[ "$(cat err)" = "WARNING: class label 7 specified in weight is not found" ]'
ok '-q'                                  streams 0 '' '' randsvm-train -q --sample 60 three_class m
ok '-e small: a small gap'               'randsvm-train --sample 60 -e 1e-6 heart m >out; proved out 1e-6'
ok '--verbose tells the rounds'          streams 0 '' 'round 2: |T| = ' randsvm-train -q --verbose --sample 60 heart m
ok '--max-iter 1 tells what is left' \
	'randsvm-train --solver libsvm --sample 60 --max-iter 1 heart m | tail -n 1 | grep -v "violators = 0"'

# ---- seeds and threads ----

# what memory it took is not compared: it depends on threads
train()
{
	randsvm-train --sample 100 --verbose "${@:2}" a1a "$1" >"$1.out" 2>"$1.all" || return
	grep -v ': memory: ' "$1.all" >"$1.err"
}
ok 'same seed, same bytes' \
	'train s1 --seed 5 && train s2 --seed 5 && same_files s1 s2 && same_files s1.out s2.out &&
	same_files s1.err s2.err'
ok 'the default seed is 1'               'train s1 --seed 1 && train s2 && same_files s1 s2 && same_files s1.err s2.err'
ok 'other seed, other rounds'            'train s1 --seed 1 && train s2 --seed 2 && ! cmp s1.err s2.err'
ok 'other seed, same objective'          close_objectives s1.out s2.out 1e-4
ok 'other seed, same predictions'        'svm-eval a.t s1 p1 && svm-eval a.t s2 p2 && agree p1 p2 99.8'
ok 'a seed of 64 bits'                   'train s1 --seed 4294967297 && train s2 --seed 1 && ! cmp s1.err s2.err'
for mode in 'exact' 'exact -t 0 -w1 3' 'paper -k 400' 'reweight -k 10 --max-iter 6'; do
	ok "any number of threads, $mode" \
		'for n in 1 2 7; do train t$n --threads $n --mode $mode || exit; done; same_files t1 t2 t7 && same_files t1.out t2.out t7.out && same_files t1.err t2.err t7.err'
done
ok 'any number of threads, regression' \
	'for n in 1 2 7; do randsvm-train -q --sample 60 -s 3 --threads $n sinc t$n || exit; done;
	same_files t1 t2 t7'
ok 'any number of threads, classes' \
	'for n in 1 2 7; do randsvm-train -q --sample 60 --threads $n three_class t$n || exit; done;
	same_files t1 t2 t7'
ok 'same seed, same folds' \
	'randsvm-train -q -v 3 --seed 1 heart >a; randsvm-train -q -v 3 heart >b; cmp a b'

# ---- paper ----

# few support vectors: two clouds with a wide gap
awk 'BEGIN { srand(1); for (i = 0; i < 1500; i++) { y = i % 2 ? 1 : -1; printf "%d 1:%.4f 2:%.4f\n", y, y * (0.5 + rand()), 2 * rand() - 1 } }' >apart

# stops REASON OPTION...: on the two clouds, or a1a with 'a1a' first
stops()
{
	local reason=$1 data=apart
	shift
	if [ "$1" = a1a ]; then
		data=a1a
		shift
	fi
	timeout 60 randsvm-train --verbose "$@" $data m >out || return
	tail -n 9 out
	grep -x -F -e "$reason" <(sed -n 's/^stopped after round [0-9]*: //p' out) && grep '^Objective ' out
}
ok 'paper: no violators left'            stops 'no violators left' --mode paper -k 50 -t 0 -c 16
ok 'which is the optimum' \
	'proved out 1e-3 && reference -t 0 -c 16 apart m1 >out1 && close_objectives out1 out 1e-4'
ok 'paper: enough support vectors'       stops '|SV| >= k' a1a --mode paper -k 50
ok 'at least k of them'                  '[ "$(grep "^Total nSV" out | tr -dc 0-9)" -ge 50 ]'
ok 'the gap is an honest one' \
	'awk -F "[=,]" "/^primal/ { exit !(\$2 > 2 * \$4 && \$6 > 0 && \$10 > 0.5 && \$12 > 0) }" out'
ok 'paper: no room'                      stops '|SV| >= r: no room for violators' a1a --mode paper -k 800 --sample 400
ok 'paper: --max-iter' stops 'maximum number of rounds' a1a --mode paper -k 800 --sample 780 --max-iter 2
ok 'two rounds'                          '[ "$(grep -c "^round [0-9]*: |T| = " out)" = 2 ]'
ok 'paper: a tiny C does not go on for ever' \
	'timeout 60 randsvm-train --mode paper -k 1000 --sample 300 -c 1e-4 a1a m | grep "^stopped after round"'
ok 'paper: a tiny C, separable' \
	'timeout 60 randsvm-train --mode paper -k 100 -c 1e-4 apart m | grep "^stopped after round"'
ok 'paper: k and r by formula'           'randsvm-train --mode paper --epsilon 1 a1a m | grep -x "k = 284, r = 568"'
ok 'paper: half the k if separable' \
	'randsvm-train --mode paper --epsilon 1 --separable a1a m | grep -x "k = 142, r = 284"'
ok 'paper: --delta' \
	'randsvm-train --mode paper --epsilon 1 --delta 0.09 --separable a1a m | grep -x "k = 179, r = 358"'
ok 'paper: --sample-factor' \
	'randsvm-train --mode paper -k 100 --sample-factor 3 a1a m | grep -x "k = 100, r = 300"'
ok 'paper: --sample' \
	'randsvm-train --mode paper -k 100 --sample 250 a1a m | grep -x "k = 100, r = 250"'
ok 'paper: never more than r' \
	'randsvm-train --mode paper -k 800 --sample 400 a1a m | sed -n "s/^round.*|T| = \([0-9]*\),.*/\1/p" |
	awk "\$1 > 400 { bad = 1 } END { exit bad || !NR }"'
ok 'paper: three classes' \
	'randsvm-train --mode paper -k 20 three_class m >out; [ "$(grep -c "^stopped after round" out)" = 3 ] &&
	[ "$(grep -c "^Objective" out)" = 3 ]'
ok 'paper: regression' \
	'randsvm-train --mode paper -k 20 -s 3 sinc m >out; grep "^stopped after round" out && grep "^Objective" out'
ok 'paper: the default k holds a1a' \
	'randsvm-train --mode paper --verbose a1a m 2>&1 |
	grep "training by LIBSVM alone: the sample would hold the whole set"'
ok 'paper: -q'                           streams 0 '' '' randsvm-train -q --mode paper -k 100 apart m

# ---- reweight ----

ok 'reweight: no violators left'         stops 'no violators left' --mode reweight -k 5 -t 0 -c 16
ok 'reweight: the optimum' \
	'proved out 1e-3 && reference -t 0 -c 16 apart m1 >out1 && close_objectives out1 out 1e-4'
ok 'reweight: r is 6 k^2'                'randsvm-train --mode reweight -k 5 apart m | grep -x "k = 5, r = 150"'
ok 'reweight: --max-iter'                stops 'maximum number of rounds' a1a --mode reweight -k 10 --max-iter 3
ok 'reweight: ends by itself' \
	'timeout 100 randsvm-train --mode reweight -k 5 a1a m |
	grep "^stopped after round 100: maximum number of rounds"'
ok 'reweight: regression'                'randsvm-train --mode reweight -k 4 -s 3 sinc m | grep "^stopped after round"'

# ---- what LIBSVM does alone, and says so with --verbose ----

alone() { streams 0 "$1" "training by LIBSVM alone: $2" randsvm-train --verbose "${@:3}" m; }
ok 'nu-SVC, --solver libsvm'             alone 'Total nSV' 'machines of nu' -s 1 --solver libsvm heart
for s in '--mode paper' '--mode reweight' '--solver libsvm' '--mode budget --budget 400'; do
	# shellcheck disable=SC2086
	ok "all in the sample, $s"       alone 'Objective ' 'the sample would hold the whole set' $s heart
done
ok '--sample n' alone 'Objective ' 'the sample would hold the whole set' --mode paper --sample 270 heart
head -n 4 heart >four
ok 'four rows'                           alone 'Objective ' 'the sample would hold the whole set' four
ok 'five rows' \
	'streams 0 "Objective " "randsvm-train: solver: " randsvm-train --verbose <(head -n 5 heart) m'
ok 'four rows, a large C' \
	'streams 0 "Objective " "randsvm-train: solver: " randsvm-train --verbose -c 1e4 four m'
ok 'a regression of four rows'           alone 'Objective ' 'the sample would hold the whole set' -s 3 four
ok '16 rows, -t 0' \
	'head -n 16 heart >in && alone "Objective " "the sample would hold the whole set" -t 0 in'
awk 'BEGIN { for (i = 0; i < 600; i++) print i % 300, "1:" i * 7 % 11, "2:" i * 13 % 17 }' >couples
ok 'many classes of two' \
	'alone "Objective " "the sample would hold the whole set" -t 0 -c 0.125 couples &&
	svm-train -q -t 0 -c 0.125 couples m1 && cmp m m1'
ok '60 classes, a large C' \
	'awk "\$1 < 60" couples >fewer &&
	streams 0 "Objective " "randsvm-train: solver: " randsvm-train --verbose -t 0 -c 1e5 fewer m'
ok 'a small set, a large C'               'randsvm-train -t 0 -c 1e5 heart m >out && proved out 1e-3'
ok 'a small set, large values' \
	'awk "{ for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); \$i = a[1] \":\" 1000 * a[2] } print }" heart >other;
	randsvm-train -s 3 -t 0 other m >out && proved out 1e-3'
ok 'one class' \
	'grep "^+1" heart >one; alone "training data in only one class" "there is only one class" one'
ok '--mode direct'                       alone 'Total nSV' '--mode direct' --mode direct heart
ok 'precomputed, two rows' \
	'printf "%s\n" "1 0:1 1:1 2:0" "-1 0:2 1:0 2:1" >gram;
	alone "Objective " "the sample would hold the whole set" -t 4 gram'
ok '-v, all in the sample' streams 0 'Cross Validation Accuracy' \
	'training by LIBSVM alone: the sample would hold the whole set' randsvm-train --verbose -v 3 --mode paper \
	heart
ok '-v, nu-SVC' streams 0 'Cross Validation Accuracy' 'training by LIBSVM alone: machines of nu' randsvm-train \
	--verbose -s 1 --solver libsvm -v 3 heart
ok 'not so, without --verbose'           streams 0 'Total nSV' '' randsvm-train -s 1 -t 3 heart m
ok 'working sets' streams 0 'Total nSV' 'randsvm-train: solver: ' randsvm-train --verbose --sample 60 heart m

# progress FILE MODE: the report has a round an object, in the order of time; the dual bounds rise, none is above a
# primal, and in mode exact the last round is the one that is printed
progress()
{
	python3 - "$1" "$2" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		rounds = report["progress"]
		whole = [r for r in rounds if "primal" in r]
		times = [(r["seconds"], r["cpu_seconds"]) for r in rounds]
		assert len(rounds) == report["rounds"] and len(whole) >= (1 if sys.argv[2] == "exact" else 2), rounds
		assert times == sorted(times) and times[-1][0] < report["seconds"], times
		assert all(r["examples"] == report["data"]["rows"] for r in whole), rounds
		assert max(r["dual"] for r in whole) <= min(r["primal"] for r in whole), rounds
		if sys.argv[2] == "exact":
		    assert 1 < len(rounds) - len(whole) and whole[-1]["violators"] == 0 == report["violators"], rounds
	END
}
svm-gen twonorm -n 40000 >rows.of.rounds
ok 'progress in the report'                 'randsvm-train -q -g 0.05 --report r rows.of.rounds m && progress r exact'
ok 'progress of mode budget' \
	'randsvm-train -q -g 0.05 --mode budget --budget 1000 --report r rows.of.rounds m && progress r budget'
ok 'no progress of several problems' \
	'randsvm-train -q --report r "$T/three_class" m && ! grep progress\" r && randsvm-train -q -v 3 --report r rows.of.rounds &&
	! grep progress\" r'
