# Folds of whole groups, --groups and --by-qid: the same in svm-fold, randsvm-train and randsvm-grid.

. "$TOP/test/helpers.bash"

plain="$TOP/test/plain_groups.py"
gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .
awk '{ print "patient", int(NR * NR / 500) }' heart >heart.groups
awk '{ print int(NR / 4) }' three_class >three_class.groups
awk '{ print int(NR / 5) }' sinc >sinc.groups
# with_qid DATA: DATA.qid, the groups as qids
with_qid() { paste -d '\t' "$1.groups" "$1" | sed 's/^[a-z ]*\([0-9]*\)\t\([^ ]*\)/\2 qid:\1/' >"$1.qid"; }
for f in heart three_class sinc; do
	with_qid $f
done

# ---- the folds themselves ----

# dealt SEED CLASSES GROUPS: svm-fold's folds are those of the definition, whole and even
dealt()
{
	local n by
	"$plain" data "$@" >drawn || return
	cut -d ' ' -f 1 drawn >labels && cut -d ' ' -f 2- drawn >names && sed 's/$/ 1:1/' labels >rows
	for n in 2 5 9; do
		for by in - labels; do
			# without classes nothing is stratified
			svm-fold -v $n --list --seed "$1" $([ $by = - ] || echo --stratified) --groups names rows >folds &&
				"$plain" check $by names folds && "$plain" folds $n "$1" $by names | cmp - folds || return
		done
	done
}
if command -v python3 >/dev/null; then
	for seed in 1 2 3; do
		ok "groups of two classes, $seed"    dealt $seed 2 35
		ok "groups of three classes, $seed"  dealt $seed 3 20
		ok "groups of many classes, $seed"   dealt $seed 12 60
	done
	ok 'groups of patients' \
		'cut -d " " -f 1 heart >labels; svm-fold -v 5 --list --stratified --groups heart.groups heart >f &&
		"$plain" check labels heart.groups f && "$plain" folds 5 1 labels heart.groups | cmp - f'
else
	skip 'python3 is not installed'
fi

svm-fold -v 5 --list --stratified --groups heart.groups heart >folds
awk '{ print int(NR / 7) }' heart >others
ok 'groups that divide rows of one qid' '
	randsvm-train -q -v 5 --groups others heart.qid 2>said; grep "warning: others divides rows of one group of heart.qid" said &&
	randsvm-train -q -v 5 --groups heart.groups heart.qid 2>said && ! grep divides said &&
	sed "9s/ qid:[0-9]*//" heart.qid >some && randsvm-train -q -v 5 --groups others some >a 2>said && ! grep divides said &&
	randsvm-train -q -v 5 --groups others heart | cmp - a'
ok '... of folds that are written, and of intervals' '
	for file in heart.qid some heart; do svm-fold -q -v 5 -f 2 --train --groups others $file 2>&1 >/dev/null; done >said; cat said; [ "$(cat said)" = "svm-fold: warning: others divides rows of one group of heart.qid" ] &&
	! svm-fold -q -v 5 -f 2 --train --groups heart.groups heart.qid 2>&1 >/dev/null | grep divides && randsvm-train -q -t 0 heart linear &&
	for file in heart.qid some heart; do svm-eval -q --metrics --intervals .9 --groups others $file linear; done 2>&1 | grep divides >said; cat said
	[ "$(cat said)" = "svm-eval: warning: others divides rows of one group of heart.qid" ]'
ok 'by qid, from a pipe, gzipped, on any number of threads' '
	gzip -c heart.qid >q.gz; gzip -c heart.groups >g.gz
	svm-fold -v 5 --list --stratified --by-qid heart.qid | cmp - folds &&
	cat q.gz | svm-fold -v 5 --list --stratified --by-qid --threads 3 | cmp - folds &&
	svm-fold -v 5 --list --stratified --groups g.gz --threads 1 - <heart | cmp - folds &&
	cat heart | svm-fold -v 5 --list --stratified --groups <(cat heart.groups) | cmp - folds'
ok 'rows go where the list says' \
	'svm-fold -v 5 -f 2 --test --stratified --by-qid heart.qid |
	cmp - <(paste -d " " folds heart.qid | sed -n "s/^2 //p")'

# ---- -v ----

# folds_alone N DATA OPTION...: the sum over the folds of svm-fold of right answers, or of squared errors
folds_alone()
{
	local n=$1 data=$2 i
	shift 2
	for i in $(seq "$n"); do
		svm-fold -v "$n" -f "$i" --train $STRATIFIED --by-qid "$data.qid" part &&
			svm-fold -v "$n" -f "$i" --test $STRATIFIED --by-qid "$data.qid" rest &&
			randsvm-train -q -e 1e-6 "$@" part m && svm-eval rest m predicted >/dev/null && paste -d ' ' predicted rest || return
	done | awk -v r="$STRATIFIED" '{ s += r ? $1 == $2 + 0 : ($1 - $2) ^ 2 } END { printf "%.10g\n", s }'
}

# validated N DATA OPTION...: -v says what the folds of svm-fold say one by one, whichever way the
# groups are given
validated()
{
	local alone
	alone=$(folds_alone "$@") || return
	local n=$1 data=$2
	shift 2
	randsvm-train -q -e 1e-6 "$@" -v "$n" --by-qid "$data.qid" | head -n 1 >said || return
	randsvm-train -q -e 1e-6 "$@" -v "$n" --groups "$data.groups" "$data" | head -n 1 | cmp - said || return
	cat said
	awk -v alone="$alone" -v r="$STRATIFIED" -v n="$(wc -l <"$data")" '
		{ x = alone / n * (r ? 100 : 1); d = $NF - x; print x; exit !(d ^ 2 <= (1e-4 * x) ^ 2) }' said
}
STRATIFIED=--stratified
ok 'C-SVC'                     validated 5 heart -c 10 -g 0.01
ok 'C-SVC, linear'             validated 4 heart -t 0 -c 0.1
ok 'three classes'             validated 3 three_class -c 2 -g 0.5
ok 'each class against the rest'  validated 3 three_class -t 0 --multiclass ovr --gap 1e-9
ok 'nu-SVC'                    validated 5 heart -s 1 -n 0.4
ok 'squared loss'              validated 4 heart -t 0 -c 0.1 --loss squared
ok 'another seed'              '! cmp <(svm-fold -v 5 --list --seed 9 --groups heart.groups --stratified heart) folds &&
	for s in 1 9; do randsvm-train -q -v 5 --seed $s --by-qid --cv-predictions p$s heart.qid; done && ! cmp p1 p9'
STRATIFIED=
ok 'epsilon-SVR'               validated 4 sinc -s 3 -c 10
ok 'nu-SVR'                    validated 4 sinc -s 4 -c 10

ok 'one-class' \
	'randsvm-train -q -s 2 -n 0.2 -v 4 --by-qid heart.qid >a &&
	randsvm-train -q -s 2 -n 0.2 -v 4 --groups heart.groups heart | cmp - a'
ok 'weights of rows, some of them 0' '
	awk "{ print NR % 3 }" heart >w; paste -d "|" w heart.qid | sed -n "s/^[12]|//p" >left
	sed "/^0/d" w >left.w; randsvm-train -q -v 4 --by-qid -W left.w left >a &&
	randsvm-train -q -v 4 --by-qid -W w heart.qid | cmp - a &&
	randsvm-train -q -v 4 --groups heart.groups -W w heart | cmp - a'
ok 'a precomputed kernel' '
	head -n 60 three_class.qid >few; awk "
		{ for (k = 3; k <= NF; k++) { split(\$k, e, \":\"); x[NR, e[1]] = e[2]; if (e[1] + 0 > d) d = e[1] + 0 }
		  head[NR] = \$1 \" \" \$2 }
		END { for (i = 1; i <= NR; i++) { printf \"%s 0:%d\", head[i], i
			for (j = 1; j <= NR; j++) { s = 0; for (k = 1; k <= d; k++) s += x[i, k] * x[j, k]
				printf \" %d:%.17g\", j, s } print \"\" } }" few >kernel
	randsvm-train -q -t 0 -e 1e-6 -v 4 --by-qid few >a && randsvm-train -q -t 4 -e 1e-6 -v 4 --by-qid kernel | cmp - a'
ok 'as many threads as you like, and little memory' \
	'for o in "--threads 1" "--threads 3" "--memory 64"; do
	randsvm-train -q -v 4 --by-qid $o --cv-predictions p heart.qid && md5sum <p; done | tee /dev/stderr | sort -u | grep -v Accuracy | wc -l | grep -x 1'
ok 'groups of single rows are no error'  'seq 270 >own; randsvm-train -q -v 270 --groups own heart'

# ---- the grid ----

one='-log2c 1,1,1 -log2g -3,-3,1 -gnuplot null -out null'
# as_train DATA OPTION...: the rate of a single point is that of randsvm-train -v
as_train()
{
	local data=$1
	shift
	randsvm-train -q "$@" -c 2 -g 0.125 -v 4 --by-qid "$data.qid" | head -n 1 | sed 's/.*= //; s/%//' >a
	randsvm-grid -q "$@" $one -v 4 --by-qid "$data.qid" | tail -n 1 | awk '{ print $NF }' >b
	paste a b | awk '{ print; d = $1 - $2; exit !(d ^ 2 <= (1e-3 * $1) ^ 2) }'
}
ok 'the rate of -v'                as_train heart
ok '... of three classes'          as_train three_class
ok '... of a regression'           as_train sinc -s 3
ok '... with probabilities'        as_train heart -b 1
ok '... polynomial'                as_train heart -t 1 -d 2
ok '... of a linear kernel, each class against the rest' \
	'one="-log2c 1,1,1 -gnuplot null -out null"; as_train three_class -t 0 --multiclass ovr'

# nested N: the outer folds are svm-fold's, and each search is one of its own
nested()
{
	local i grid='-t 0 -log2c -3,1,2 -v 3 -gnuplot null -out null'
	randsvm-grid -q $grid --nested "$1" --by-qid heart.qid | grep '^\[outer [0-9]' >told || return
	cat told
	for i in $(seq "$1"); do
		svm-fold -v "$1" -f "$i" --train --stratified --by-qid heart.qid part &&
			svm-fold -v "$1" -f "$i" --test --stratified --by-qid heart.qid rest &&
			randsvm-grid -q $grid --by-qid --model m part 2>/dev/null | awk 'END { print $2 }' >inner &&
			sed -n "${i}s/.* \(.*\) (left.*/\1/p" told | cmp - inner &&
			svm-eval rest m | sed 's/.*= //; s/%.*//' | awk '{ print $1 + 0 }' >outer &&
			sed -n "${i}s/.*rate=\(.*\))/\1/p" told | awk '{ print $1 + 0 }' | cmp - outer || return
	done
}
ok '--nested'                      nested 4
ok 'the points of other groups are refused' '
	awk "{ print int(NR / 9) }" heart >nine; o="-t 0 -log2c -3,1,2 -gnuplot null -q"
	randsvm-grid $o --groups heart.groups -out points heart && randsvm-grid $o --by-qid -resume points -out null heart.qid &&
	for g in "" "--groups nine"; do
		! randsvm-grid $o $g -resume points -out null heart 2>err && grep "points of another search" err || exit
	done'
ok 'shards join' '
	o="-t 0 -log2c -3,1,2 -gnuplot null -q --groups heart.groups"
	randsvm-grid $o -out whole heart | tail -n 1 >a && for k in 1 2; do
	randsvm-grid $o --shard $k/2 -out s$k heart; done && randsvm-grid -q -t 0 -log2c -3,1,2 --merge s1 s2 | cmp - <(
	randsvm-grid $o -resume whole -out null heart)'
ok 'the model is that of randsvm-train' '
	randsvm-grid -q -t 0 -log2c 0,0,1 -gnuplot null -out null --by-qid --model a heart.qid && randsvm-train -q -t 0 heart b && cmp a b'

# ---- labels drawn at random, each six times: nothing can be learned ----

awk 'BEGIN {
	srand(5)
	for (p = 0; p < 40; p++) {
		for (j = 1; j <= 200; j++) { c[j] = 0; for (k = 0; k < 12; k++) c[j] += rand(); c[j] -= 6 }
		l = rand() < 0.5 ? 1 : -1
		for (r = 0; r < 6; r++) {
			printf "%d qid:%d", l, p
			for (j = 1; j <= 200; j++) printf " %d:%.4f", j, c[j] + (rand() - 0.5) / 2
			print ""
		}
	} }' >replicates
sed 's/.*qid:\([0-9]*\) .*/patient \1/' replicates >patients
chance() { tee /dev/stderr | awk '{ r = $1 + 0; n++; if (r < 25 || r > 75) exit 1 } END { exit !n }'; }
for o in --by-qid '--groups patients'; do
	ok "chance: -v $o"         "randsvm-train -q -t 0 -c 0.06 -v 5 $o replicates | sed 's/.*= //' | chance"
	ok "chance: a grid, $o"    "randsvm-grid -q -t 0 -log2c -8,0,4 -gnuplot null -out null $o replicates | awk '{ print \$3 }' | head -n 3 | chance"
	ok "chance: --nested $o"   "randsvm-grid -q -t 0 -log2c -8,0,4 -gnuplot null -out null --nested 5 $o replicates | sed -n 's/.*mean rate=//p' | chance"
done
# log_loss OPTION...: of probabilities that cross validation finds
log_loss() { randsvm-train -q -t 0 -c 0.06 -b 1 -v 5 --metrics "$@" replicates | sed -n 's/Log-loss = \([0-9.]*\),.*/\1/p' | grep .; }
ok 'probabilities are no better than chance, ln 2, nor much worse' \
	'log_loss --by-qid | tee /dev/stderr | awk "{ exit !(\$1 > 0.5 && \$1 < 0.9) }" && log_loss | awk "{ exit !(\$1 < 0.05) }"'

# ---- what is said ----

note='rows have qid, and those of one qid are not kept together; with --by-qid they are'
for q in "" -q; do
	fail 0 "randsvm-train: warning: replicates: $note"   randsvm-train $q -t 0 -v 5 replicates
	fail 0 "randsvm-train: warning: replicates: $note"   randsvm-train $q -t 0 -b 1 replicates m
	fail 0 "randsvm-grid: warning: replicates: $note"    randsvm-grid $q -t 0 -log2c 0,0,1 -gnuplot null -out null replicates
	fail 0 "svm-fold: warning: replicates: $note"        svm-fold $q -v 5 -f 1 --train --stratified replicates x
done
ok 'no warning with groups, without folds' \
	'{ randsvm-train -t 0 -v 5 --by-qid replicates &&
	randsvm-train -t 0 -v 5 --groups patients replicates && randsvm-train -t 0 replicates m &&
	svm-fold -v 5 --list --by-qid replicates; } 2>&1 >/dev/null | grep -c qid | grep -x 0'
ok 'a class of few groups' \
	'awk "NR <= 12 { \$1 = 3 } NR > 12 && NR <= 24 { \$1 = 4 } { print }" replicates >four
	sed "s/qid:[0-9]* //" four >bare; sed -n "s/.*qid:\([0-9]*\) .*/\1/p" four | sed "13,24s/.*/2/" >of_four
	for p in "randsvm-train -t 0 -v 5" "randsvm-grid -t 0 -log2c 0,0,1 -gnuplot null -out null"; do $p --groups of_four bare 2>&1 |
	grep "2 of 4 classes have fewer groups than there are folds, 1 of them a single one" || exit; done'
ok 'the report counts groups' \
	'randsvm-train -q -v 5 --by-qid --report r heart.qid && grep "\"groups\":.*$(sort -u heart.groups | wc -l)," r'

few='groups are not enough for'
fail 1 "randsvm-train: 40 $few 41 folds: there can be no more folds than groups"  randsvm-train -v 41 --by-qid replicates
fail 1 "randsvm-grid: 40 $few 41 folds"           randsvm-grid -v 41 --by-qid -gnuplot null -out null replicates
fail 1 "40 $few 41 folds"                         svm-fold -v 41 --list --stratified --groups patients replicates
fail 1 'randsvm-grid: --nested 2 leaves 20 of 40 groups to a search, which are not enough for 21 folds: give -v 20 at most' \
	randsvm-grid -t 0 -v 21 --nested 2 --by-qid -gnuplot null -out null replicates
fail 1 'randsvm-train: patients:241: fewer groups than the 480 rows of twice' \
	'cat replicates replicates >twice; randsvm-train -v 5 --groups patients twice'
fail 1 'randsvm-grid: patients:3: more groups than the 2 rows of two' \
	'head -n 2 replicates >two; randsvm-grid -v 2 --groups patients -gnuplot null -out null two'
for p in 'randsvm-train -v 5' 'randsvm-grid -gnuplot null -out null' 'svm-fold -v 5 --list'; do
	fail 1 'gap:3: expected the name of a group, got an empty line'  "sed '3s/.*/ /' patients >gap; $p --groups gap replicates"
	fail 1 "can't open groups file none: No such file"               "$p --groups none replicates"
	fail 1 'mixed: example 8 has no qid, and its group is not known' "sed '8s/qid:[0-9]*//' replicates >mixed; $p --by-qid mixed"
	fail 1 'has no qid, and its group is not known: the binary form has no qids' \
		"rp-project -m none --binary replicates bin; $p --by-qid bin"
	fail 1 'cannot use --by-qid and --groups simultaneously'         "$p --groups patients --by-qid replicates"
done
fail 1 '--by-qid is for -v and for -b 1, which make folds'          randsvm-train --by-qid replicates m
fail 1 '--groups is for -v and for -b 1, which make folds'          randsvm-train -s 2 -b 1 --groups patients replicates m
unknown='is not for folds of groups, which LIBSVM does not know'
fail 1 "--mode direct $unknown"                                     randsvm-train --mode direct -v 5 --by-qid replicates
fail 1 "--solver libsvm $unknown"                                   randsvm-train -s 1 --solver libsvm -v 5 --by-qid replicates
fail 1 "--mode budget $unknown"                                     randsvm-train -s 1 --mode budget --budget 9 -b 1 --groups patients replicates
fail 1 '--groups needs --data with --merge'                         randsvm-grid --merge --groups patients x
fail 1 'patients'                                                   randsvm-train -v 5 --groups patients --report patients replicates
