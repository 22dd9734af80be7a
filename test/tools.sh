# LIBSVM's tools work unmodified beside ours: svm-grid, svm-easy, svm-scale, svm-subset, svm-checkdata.

. "$TOP/test/helpers.bash"
need svm-train svm-scale

gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .

# ---- svm-scale ----

# features as people have them: of all sizes
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] ":" a[2] * 10 ^ (a[1] % 5 - 2) + a[1] } print }' heart >raw
svm-scale -s range raw >scaled 2>scale.err
head -n 200 raw >raw.train
tail -n 70 raw >raw.test
svm-scale -s range.train raw.train >train 2>scale.err
svm-scale -r range.train raw.test >test.scaled 2>scale.err

ok 'svm-scale | randsvm-train -' \
	'svm-scale raw 2>/dev/null | randsvm-train -q --mode direct - m1 && svm-train -q scaled m2 &&
	same_files m1 m2'
ok 'svm-scale | gzip | randsvm-train -' \
	'svm-scale raw 2>/dev/null | gzip -c | randsvm-train -q --mode direct - m1 && same_files m1 m2'
ok 'svm-scale -r' \
	'svm-train -q train m1; svm-predict test.scaled m1 p1; svm-scale -r range.train raw.test 2>/dev/null |
	svm-eval -q - m1 p2 && same_files p1 p2'
ok 'all in one pipe' \
	'svm-scale -r range.train raw.train 2>/dev/null | randsvm-train -q - - | svm-eval test.scaled - p2 &&
	same_files p1 p2'
ok 'svm-scale -l 0, targets' \
	'svm-scale -l 0 -y 0 1 sinc 2>/dev/null >in; svm-train -q -s 3 in m2 &&
	svm-scale -l 0 -y 0 1 sinc 2>/dev/null | randsvm-train -q --mode direct -s 3 - m1 && same_files m1 m2'
ok 'predictions back through svm-scale' \
	'svm-eval -q heart m1 - | paste -d " " - <(cut -d " " -f 2- heart) >in && svm-scale in >out 2>/dev/null &&
	[ "$(wc -l <out)" = 270 ]'

need python3

# tool NAME ARGUMENTS...: one of LIBSVM's scripts; not all of them have an interpreter's path
tool() { python3 "$(command -v "$1")" "${@:2}"; }

# ---- bench/landscape: what it makes of its tables ----

# table FACTOR OBJECTIVE: four cases; randsvm-train took FACTOR times 2 ms, .5 s, 1 s, and 6 s, and
# found this objective in the second
table()
{
	printf '%s\t' name rows features n_sv their_{wall,cpu,mb,state} wall cpu mb ratio their_objective objective gap
	printf 'state\n'
	awk -v f="$1" -v objective="$2" -v OFS='\t' '{
		split($0, a)
		print a[1], 9, 2, 5, a[2], a[2] / 2, 3, a[3], a[4] * f, a[4] * f / 4, 8, 1, -7,
			NR == 2 ? objective : -7, 1e-5, a[5]
	}' <<-'END'
		tiny:t2,c1 .001 ok .002 slower
		small:t0,c1 2 ok .5 ok
		large:t2,c1 8 ok 1 ok
		long:t2,c10 60 cut 6 ok
	END
}

table 1 -7 >old.tsv
table 2 -7.7 >new.tsv
ok 'landscape --summary' \
	'"$TOP/bench/landscape" --summary old.tsv >out; cat out;
	grep -x "below 10 ms  *1  *0.50  +1.0 ms tiny:t2,c1" out &&
	grep -x "over 1 s, kernels  *2  *8.94  8.00 large:t2,c1" out &&
	grep -x "over 1 s, linear  *1  *4.00  4.00 small:t0,c1" out &&
	grep -x "all  *4  *3.56  0.50 tiny:t2,c1" out && grep -x "slower than svm-train: 1" out'
ok 'landscape --summary --cpu' \
	'"$TOP/bench/landscape" --summary old.tsv --cpu >out; cat out;
	grep -x "all  *4  *7.11  1.00 tiny:t2,c1" out && grep -x "slower than svm-train: 0" out'
ok 'landscape --summary of counts' \
	'paste old.tsv - >counted.tsv <<-END && "$TOP/bench/landscape" --summary counted.tsv >out; cat out;
		work	floor	doubles
		100	100	.5
		400	20	-
		200	100	.1
		800	100	.101
	END
	grep -x "work / floor, kernels: 3 cases, mean 2.52; worst:" out && grep -x " *8.00 *1.500 s  long:t2,c10" out &&
	grep -x "work / floor, linear: 1 cases, mean 20.00; worst:" out &&
	grep -x "more than a tenth of kernel values in doubles: 2 of 3 cases" out'
ok 'landscape --compare' \
	'"$TOP/bench/landscape" --compare old.tsv new.tsv >out; cat out; grep "old / new: mean 0.500" out &&
	grep -x "slower by more than 20 %: 3" out && grep -x "faster by more than 20 %: 0" out &&
	grep -x -e "-1.0e-01  small:t0,c1  ok -> ok" out'

# ---- svm-checkdata ----

if command -v svm-checkdata >/dev/null; then
	ok 'svm-checkdata finds no error where we find none' \
		'for f in heart three_class sinc scaled; do tool svm-checkdata $f | grep -x "No error." &&
		randsvm-train -q -s 3 $f m || exit; done'
	for name in descend duplicate index_negative value_missing_within value_word value_nan comma label_missing label_word no_colon; do
		ok "svm-checkdata finds what we find: $name" \
			"! tool svm-checkdata $T/bad/$name >out && grep '^line 2: ' out && ! randsvm-train -q $T/bad/$name m"
	done
else
	skip 'svm-checkdata is not installed'
fi

# ---- svm-subset ----

if command -v svm-subset >/dev/null; then
	ok 'svm-subset' \
		'tool svm-subset heart 100 part rest && svm-train -q part m1 &&
		randsvm-train -q --mode direct part m2 && same_files m1 m2'
	ok 'the rest'                    'svm-predict rest m1 p1 && svm-eval rest m1 p2 && same_files p1 p2'
	ok 'svm-subset | randsvm-train' \
		'tool svm-subset -s 1 three_class 50 >part && tool svm-subset -s 1 three_class 50 |
		randsvm-train -q - m && [ "$(wc -l <part)" = 50 ]'
else
	skip 'svm-subset is not installed'
fi

# ---- svm-grid ----

if ! command -v svm-grid >/dev/null; then
	skip 'svm-grid is not installed'
	finish
fi

# grid PROGRAM OUT ARGUMENTS...: all that svm-grid prints with this for svm-train; its lines in
# an order of their own
grid()
{
	tool svm-grid -svmtrain "$(command -v "$1")" -gnuplot null -out "$2.out" "${@:3}" >"$2" || return
	sort -o "$2.out" "$2.out"
	tail -n 1 "$2"
}

# grids ARGUMENTS...: the same lines with svm-train and randsvm-train, the best one included
grids()
{
	grid svm-train theirs "$@" && grid randsvm-train ours "$@" &&
		tail -n 1 ours | grep -E '^[0-9.]+ [0-9.]+ [0-9.]+$' &&
		cmp ours theirs && same_files ours.out theirs.out
}

ok 'svm-grid'                            grids -log2c -1,3,2 -log2g -5,-1,2 heart
ok 'svm-grid -v 3'                       grids -log2c -1,1,1 -log2g -4,-2,1 -v 3 heart
ok 'svm-grid, three classes'             grids -log2c -1,3,2 -log2g -3,1,2 three_class
ok 'svm-grid, options passed on'         grids -log2c -1,1,1 -log2g -3,-1,1 -w1 2 -m 50 heart
ok 'svm-grid, C alone' \
	'grid svm-train theirs -log2c -3,3,1 -log2g null -t 0 heart;
	grid randsvm-train ours -log2c -3,3,1 -log2g null -t 0 heart; cmp ours theirs &&
	same_files ours.out theirs.out'
ok 'svm-grid with a long option of ours' \
	'grid randsvm-train ours -log2c -1,1,1 -log2g -3,-1,1 --mode=exact heart;
	grid svm-train theirs -log2c -1,1,1 -log2g -3,-1,1 heart; cmp ours theirs'
ok 'svm-grid -resume' \
	'head -n 3 ours.out >begun; grid randsvm-train ours -resume begun -log2c -1,1,1 -log2g -3,-1,1 heart;
	[ "$(tail -n 1 ours)" = "$(tail -n 1 theirs)" ]'
ok 'svm-grid on gzipped data' \
	'gzip -c heart >heart.gz; grid randsvm-train ours -log2c -1,1,1 -log2g -3,-1,1 heart.gz;
	[ "$(tail -n 1 ours)" = "$(tail -n 1 theirs)" ]'

# ---- svm-easy: looks for the programs in the folder above ----

if ! command -v svm-easy >/dev/null || [ ! -x /usr/bin/gnuplot ]; then
	skip 'svm-easy or gnuplot is not installed'
	finish
fi
if [ "$SANITIZE" ]; then
	skip 'svm-easy cross-validates 110 times'
	finish
fi

# easy NAME TRAIN PREDICT: svm-easy in NAME/tools with these two for svm-train and svm-predict
easy()
(
	mkdir -p "$1/tools" && cd "$1/tools" || return
	ln -s "$(command -v svm-scale)" ../svm-scale
	ln -s "$(command -v "$2")" ../svm-train
	ln -s "$(command -v "$3")" ../svm-predict
	printf '#!/bin/sh\nexec python3 "%s" "$@"\n' "$(command -v svm-grid)" >grid.py
	chmod +x grid.py
	tool svm-easy ../../raw.train ../../raw.test 2>&1
)
ok 'svm-easy' \
	'easy easy.ours randsvm-train svm-eval >ours; easy easy.theirs svm-train svm-predict >theirs; cat ours;
	cmp ours theirs && grep "^Best c=" ours && grep "^Accuracy = " ours'
ok 'svm-easy: predictions'               same_files easy.ours/tools/raw.test.predict easy.theirs/tools/raw.test.predict
