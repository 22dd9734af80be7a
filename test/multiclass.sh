# --multiclass ovr: each class against the rest, weights, and lines for all pairs together.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .
svm-gen text -n 900 --seed 3 >text2
# four classes of text: by label and by parity
awk '{ l = ($1 > 0) * 2 + NR % 2; $1 = l; print }' text2 >text

# overlapping SHARE: ten classes, and labels of which that share is drawn
overlapping()
{
	awk -v share="$1" 'BEGIN { srand(1); for (i = 0; i < 1500; i++) { c = int(rand() * 10); y = rand() < share ? int(rand() * 10) : c
		printf "%d", y; for (j = 0; j < 10; j++) printf " %d:%.3f", j + 1, 1.6 * (j == c) + 1.4 * (rand() + rand() + rand() - rand() - rand() - rand()); print "" } }' </dev/null
}
# alike MODEL: on how many classes all rows have decision values below 0
alike() { svm-eval -q --scores rows "$1" scores; awk 'NR > 1 { for (k = 2; k <= NF; k++) most[k] = $k > 0 ? 1 : most[k] } END { for (k = 2; k <= NF; k++) n += !most[k]; print n + 0 }' scores; }
ok 'machines that give classes up are told, and what does not' '
	for share in 0 0.3; do overlapping $share >rows; randsvm-train -t 0 --multiclass ovr rows m 2>said >/dev/null; n=$(alike m)
		echo $n; grep "note: $n of 10 machines give all rows the same value, nearly: .*--loss logistic or squared" said || exit
		svm-eval rows m | sed "s/.*= //; s/%.*//" >before; for loss in squared logistic; do
			randsvm-train -t 0 --multiclass ovr --loss $loss rows m 2>said >/dev/null; ! grep note said &&
			svm-eval rows m | sed "s/.*= //; s/%.*//" | paste before - | awk "{ print; exit !(\$2 > \$1 + 1) }" || exit; done; done
	for w in "-w1 2" "-W weights"; do awk "{ print 2 }" rows >weights; randsvm-train -t 0 --multiclass ovr $w rows m 2>&1 | grep "of 10 machines give all" || exit; done
	[ $n = 10 ] && ! randsvm-train -q -t 0 --multiclass ovr rows m 2>&1 | grep . && for rows in three_class text a1a; do
		! randsvm-train -t 0 --multiclass ovr $rows m 2>&1 | grep "same value" || exit; done'

# against LABEL DATA OPTION...: the machine of LABEL is what training on two classes finds
against()
{
	local label=$1 data=$2
	shift 2
	randsvm-train -t 0 --multiclass ovr --gap 1e-7 --verbose "$@" "$data" m >out || return
	awk -v c="$label" '{ $1 = $1 == c ? 1 : -1; print }' "$data" >two
	randsvm-train -t 0 --verbose "$@" two m2 >out2 || return
	sed -n "s/^primal = \([^,]*\), dual = \([^,]*\),.*(class $label against the rest)/\1 \2/p" out >a
	sed -n 's/^primal = \([^,]*\), dual = \([^,]*\),.*/\1 \2/p' out2 >b
	cat a b
	near a b ${WITHIN:-1e-4}
}
ok 'a class of three against the rest'   against 5 three_class
ok '... at C = 100'                      against 1 three_class -c 100
ok '... with many features'              against 2 text
ok '... at C = 10'                       'WITHIN=1e-3 against 0 text -c 10' 
ok 'all proved' \
	'randsvm-train -t 0 --multiclass ovr --gap 1e-7 three_class m >out && proved out 1e-3 &&
	[ "$(grep -c ^Objective out)" = 3 ]'
ok 'a gap of 1e-3 is enough' \
	'randsvm-train -t 0 --multiclass ovr text m >out && [ "$(grep -c ^Objective out)" = 4 ] && grep ^Objective out |
	sed "s/.*relative gap = \([^,]*\),.*/\1/" | awk "\$1 > 0.001 { exit 1 }"'
ok 'two classes have one machine' \
	'randsvm-train -t 0 --multiclass ovr --gap 1e-7 heart m >out && grep "^nr_class 2" m &&
	[ "$(grep -c ^Objective out)" = 1 ] && randsvm-train -q -t 0 heart m2 && svm-eval -q heart m p &&
	svm-eval -q heart m2 q && agree p q 99'
ok 'as good as one against one' \
	'randsvm-train -q -t 0 --multiclass ovr a1a m && svm-eval a1a m | awk -F "[ %]" "{ exit !(\$3 > 80) }"'
ok 'the same bytes for any threads' \
	'for n in 1 2 5; do randsvm-train -t 0 --multiclass ovr --threads $n text m.$n >out.$n; done;
	same_files m.1 m.2 m.5 && same_files out.1 out.2 out.5'
ok 'a class that is not there' \
	'randsvm-train -t 0 --multiclass ovr -w77 2 three_class m 2>&1 |
	grep "class label 77 specified in weight is not found"'
ok '-v' \
	'randsvm-train -q -t 0 --multiclass ovr -v 5 three_class | grep "^Cross Validation Accuracy = [4-9]"'
ok '-v, a class that a fold lacks' \
	'(cat three_class; echo "9 1:1 2:1") >more;
	randsvm-train -q -t 0 --multiclass ovr -v 4 --cv-predictions t more && head -n 1 t | grep "1 2 5 9$"'
ok 'the report' \
	'randsvm-train -q -t 0 --multiclass ovr --report r.json three_class m &&
	json_has r.json primal relative_gap pairs && grep "one class against the rest" r.json'
ok 'a time limit writes the model so far' \
	'randsvm-train -q -t 0 --multiclass ovr --gap 1e-12 -e 1e-9 --time-limit 0.000001 text m 2>err &&
	grep "the model so far is written" err && svm-eval text m'
ok 'quiet'                               streams 0 '' '' randsvm-train -q -t 0 --multiclass ovr three_class m
if command -v liblinear-predict >/dev/null; then
	ok 'liblinear-predict reads it' \
		'randsvm-train -q -t 0 --multiclass ovr text m && liblinear-predict text m p >a &&
		svm-eval text m q >b && same_files p q && same_files a b'
	# LIBLINEAR counts the constant into |w|: accuracies near each other, objectives not
	for c in 0.1 1 10; do
		ok "as accurate as LIBLINEAR, C = $c" \
			"randsvm-train -q -t 0 -c $c --multiclass ovr three_class m &&
			liblinear-train -q -s 3 -B 1 -c $c three_class l && for f in m l;
			do svm-eval three_class \$f | tr -d %; done |
			awk '{ a[NR] = \$3 } END { print a[1], a[2]; exit !(a[1] >= a[2] - 1) }'"
	done
fi

fail 1 'is for -t 0, the linear kernel'  randsvm-train --multiclass ovr three_class m
fail 1 '-s 3 is not for --multiclass ovr' randsvm-train -t 0 -s 3 --multiclass ovr sinc m
fail 1 '--compact: is not for'           randsvm-train -t 0 --compact --multiclass ovr three_class m
fail 1 '--mode paper is not for'              randsvm-train -t 0 --mode paper --multiclass ovr three_class m
fail 1 'has a single class'              'grep ^+1 heart >one; randsvm-train -t 0 --multiclass ovr one m'
fail 1 "LIBLINEAR's features begin with 1" \
	'sed "s/1:/0:/" three_class >zero; randsvm-train -t 0 --multiclass ovr zero m'
ok '... as its message says: svm-convert --zero-based in' \
	'svm-convert -q --zero-based in zero from_one && randsvm-train -q -t 0 --multiclass ovr from_one m'

ok 'a note where it may be better' \
	'randsvm-train -t 0 text m 2>&1 >out |
	grep "note: 4 classes of sparse rows: --multiclass ovr is often more accurate" &&
	randsvm-train -q -t 0 text m 2>err && [ ! -s err ]'
ok '... and nowhere else' \
	'for a in "-t 0 three_class" "-t 0 heart" "-t 0 --multiclass ovr text" "-g 1 text";
	do randsvm-train $a m 2>&1 >out | grep "often more accurate" && exit 1; done; true'

# ---- labels that are no classes ----

# row i of N has a label of its own, in no order
own_labels() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i * 7919 % n, "1:" i / n }'; }

own_labels 20001 >own
for options in "" "-t 0 --multiclass ovr" "-w auto" "-v 2" "--mode direct"; do
	fail 1 'own: 20001 classes: there can be 20000 at most; for a regression say -s 3' \
		"ulimit -t 20; randsvm-train $options own unborn"
done
ok 'one less is none too many' \
	'sed 1d own >fewer && ! (ulimit -t 1; randsvm-train -q -t 0 --multiclass ovr fewer unborn) 2>err;
	! grep "at most" err'
ok 'labels are listed in linear time' \
	'for k in 1 2; do seq 400000 -1 1 | sed "s,$, 1:$k,"; done >twice && (ulimit -t 20;
	fs-select -m f -k 1 --list twice)'

# ---- weights of classes ----

ok '-w auto' \
	'randsvm-train -w auto heart m >out && grep "^weight of class 1 = 1.125$" out &&
	grep "^weight of class -1 = 0.9$" out && randsvm-train -q -w1 1.125 -w-1 0.9 heart m2 && cmp m m2'
ok '... times a given weight' \
	'randsvm-train -w auto -w1 2 heart m >out && grep "^weight of class 1 = 2.25$" out &&
	randsvm-train -q -w1 2.25 -w-1 0.9 heart m2 && cmp m m2'
ok '... of three classes of equal size' \
	'randsvm-train -q -w auto three_class m && randsvm-train -q three_class m2 && cmp m m2'
ok '... in the report' \
	'randsvm-train -q -w auto --report r.json heart m && json_has r.json class_weights &&
	grep "\"weights_auto\":.true" r.json && randsvm-train -q --report r.json heart m &&
	grep "\"weights_auto\":.false" r.json'
ok '-w 2 is still class 0'               'randsvm-train -w 2 heart m 2>&1 | grep "class label 0 specified"'
fail 1 '-w auto is for -s 0'             randsvm-train -s 3 -w auto sinc m
fail 1 "expected a number, got 'auto'"   randsvm-train -w1 auto heart m
# balanced DATA OPTION...: svm-eval --certify -w auto has the weights of training, and its optimum
balanced()
{
	local data=$1
	shift
	randsvm-train -t 0 -c 2 -w auto -e 1e-4 "$@" "$data" m >out || return
	set -- $(printf '%s\n' "$@" | sed '/^--m/d')
	svm-eval --certify "$data" -c 2 -w auto "$@" m >out2 2>err && [ ! -s err ] || return
	diff <(grep '^weight of class' out) <(grep '^weight of class' out2) &&
		gzip -c "$data" | svm-eval --certify - -c 2 -w auto "$@" m >out3 && same_files out2 out3
}
head -n 200 three_class >uneven
ok '-w auto of a certificate'            balanced heart
ok '... times a given weight'            balanced heart -w1 2
ok '... of three classes'                balanced uneven
ok '... of weights'                      balanced uneven --multiclass=ovr --loss=squared
ok '... in the report' \
	'randsvm-train -q heart m && svm-eval -q --certify heart -w auto --report r.json m;
	json_has r.json class_weights && grep "\"weights_auto\":.true" r.json'
fail 1 '-w auto is for models of C-SVC'  'randsvm-train -q -s 3 heart m && svm-eval --certify heart -w auto m'
fail 1 'no example has class -1' \
	'randsvm-train -q heart m && grep ^+1 heart >ones && svm-eval --certify ones -w auto m'
fail 1 'heart2:1:1: '                    'sed "1s/^/x/" heart >heart2 && svm-eval --certify heart2 -w auto m'

# ---- all pairs together ----

# summed OUT: the line of all pairs has the sums of objectives and gaps, and the worst is that of the
# largest relative gap
summed()
{
	tr -d , <"$1" | awk '
		/^Objective/ { sum += $2; gaps += $7; if ($11 > worst) { worst = $11; line = $0 } }
		/^worst: / { ok = $0 == "worst: " line }
		/^all/ { d = $5 - sum; e = $10 - gaps; ok = ok && d * d < 1e-8 * sum * sum && e * e < .01 * gaps * gaps }
		END { exit !ok }'
}
ok 'a line for all pairs' \
	'randsvm-train three_class m >out && tail -n 1 out |
	grep "^all 3 pairs: Objective .*, optimal to gap = .*, relative gap = .*, violators = 0$" && summed out'
ok '... for all classes' \
	'randsvm-train -t 0 --multiclass ovr --gap 1e-7 three_class m >out && tail -n 1 out |
	grep "^all 3 classes: " && summed out'
ok 'not for one pair'                    'randsvm-train heart m >out && ! grep ^all out'
ok 'small objectives have digits' \
	'randsvm-train -c 0.00001 heart m | grep "^Objective 0.00[1-9][0-9]\{5\}, "'

# ---- a larger -e takes no more work ----

# steps OPTION...: the steps of all problems
steps()
{
	randsvm-train -t 0 "$@" m | awk '/#iter/ { n += $NF } END { print n }'
}
# no_more TIMES OPTION... DATA: -e 0.1 takes no more steps than TIMES those of -e 0.001
no_more()
{
	local times=$1 loose tight
	shift
	loose=$(steps -e 0.1 "$@") && tight=$(steps -e 0.001 "$@") && echo "$loose $tight" &&
	awk "BEGIN { exit !($loose <= $times * $tight) }"
}
svm-gen text -n 3000 >text3000
awk '{ $1 = NR % 6 + 1; print }' text3000 >text6
# the sum that some words have
awk '{ h = 0; for (i = 2; i <= NF; i++) { split($i, a, ":"); if (a[1] < 300) h += a[2] * (a[1] % 6 - 2.5) }
	$1 = int((h + 100) * 7) % 4 + 1; print }' text3000 >text4
ok 'a larger -e: each class against the rest' no_more 1 --multiclass ovr -c 32 text6
ok '... pairs of classes'                     no_more 1.005 -c 100 text4

# ---- a large C: text by its directions, whose values are no floats ----

svm-gen text -q -n 2000 | rp-project -q -m normalise - directions
ok 'a larger C: each class against the rest' \
	'few=$(steps --multiclass ovr -c 1e3 directions) && many=$(steps --multiclass ovr -c 1e6 directions) &&
	echo $few $many && [ $many -le $((3 * few)) ]'
# a row of both classes, whose multipliers go to any C
svm-gen text -q -n 400 | rp-project -q -m normalise - few
(cat few; head -n 1 few | sed "s/^-/+/; t; s/^+*/-/") >both
ok '... a row of both classes' \
	'[ $(cut -d " " -f 2- both | sort | uniq -d | wc -l) = 1 ] &&
	randsvm-train -t 0 --multiclass ovr -c 1e6 both m >out && proved out 1e-3'

# ---- many classes of a few rows each ----

awk 'BEGIN { srand(2); for (c = 1; c <= 400; c++) { for (j = 1; j <= 20; j++) m[j] = 3 * rand()
	for (r = 0; r < 5; r++) { s = c; for (j = 1; j <= 20; j++) s = s " " j ":" m[j] + rand() - .5; print s } } }' >many
# peak COMMAND...: the most kilobytes in memory
peak() { python3 -c 'import resource, subprocess, sys; subprocess.check_call(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
if command -v svm-train python3 >/dev/null && [ -z "$SANITIZE$WRAP" ]; then
	ok 'many classes: the model of svm-train' \
		'svm-train -q -t 0 many m && randsvm-train -q -t 0 many m2 && same_files m m2'
	ok '... in as much memory' \
		'a=$(peak svm-train -q -t 0 many m) && b=$(peak randsvm-train -q -t 0 many m) && echo $a $b &&
		[ $b -le $((a * 11 / 10 + 5 * 1024)) ]'
else
	skip 'no svm-train, or memory of sanitizers'
fi
ok '... and a proof for each pair' \
	'[ "$(randsvm-train -t 0 -e 1e-4 many m | grep -c "^Objective .*, violators = 0 (")" = 79800 ]'

# ---- features with numbers up to 2^31 - 1, as of hashed words ----

awk 'BEGIN { for (i = 1; i <= 60; i++) printf "%d %d:1 %d:%g 2147483647:1\n", i % 3, i % 3 + 7, 1e6 * (i % 7 + 1), i % 5 + 1 }' >hashed
grep -v '^0' hashed >two
# named OPTION...: refused before training, by the index and with the cures, and nothing is written
named()
{
	rm -f m
	streams 1 '' 'the highest feature is 2147483647, and weights of all up to it take' randsvm-train -q -t 0 "$@" &&
		grep -q 'rp-project -m countsketch .*; without the option' stderr && [ ! -e m ]
}
ok 'one against the rest'            named --multiclass ovr hashed m
ok '... cross validation'            named --multiclass ovr -v 3 hashed
ok 'models of LIBLINEAR'             named --model-format liblinear two m
ok '... one class, a regression' \
	'named --model-format liblinear -s 2 two m && named --model-format liblinear -s 3 hashed m'
ok 'all other ways have them' \
	'for o in "" --compact "-v 3" "-s 1 -n .2" "-s 3" "--memory 50" "-t 1 -d 2 -r 1" "-t 2"; do
	set -- $o; case " $o" in *" -v"*) randsvm-train -q -t 0 "$@" hashed ;; *) randsvm-train -q -t 0 "$@" hashed m ;; esac || return; done'
ok 'smaller numbers' \
	'rp-project -q -m countsketch -k 65536 -s map hashed few && randsvm-train -q -t 0 --multiclass ovr few m &&
	svm-eval few m | grep "= 100%"'
fail 1 'highest feature is 2147483647' \
	'rp-project -q -m rs -k 8 -s map two z && randsvm-train -q -t 0 z m && rp-project -r map --fold m f'
fail 1 'highest feature is 2147483647' \
	'rp-project -q -m rs -k 8 -s map two z && randsvm-train -q -t 0 --model-format liblinear z m && rp-project -r map --fold m f'
ok 'chosen features are folded' \
	'fs-select -q -m f -k 2 -s chosen two y && randsvm-train -q -t 0 y m && fs-select -r chosen --fold m f && svm-eval two f'

# ---- -b 1: probabilities of each class against the rest ----

# fitted DATA OPTION...: A and B are the best sigmoids, by numpy, of the values of -v 5, whose folds are
# those of -b 1, times the best power of their odds; and the probabilities are by them, and the
# predictions by these
cat >sigmoids.py <<'END'
import sys
import numpy as np
table, scores, model, weights = (open(name).read().splitlines() for name in sys.argv[1:])
labels = [line.split()[1:] for line in model if line.startswith("label ")][0]
a, b = (np.array([float(x) for x in line.split()[1:]]) for line in model[-2:])
names, rows = table[0].split(), [line.split() for line in table[1:]]
weight = np.array(weights, float) if weights else np.ones(len(rows))


def value(row, k):  # of class k, or for two classes of the only pair
    if len(labels) == 2:
        name = "/".join(labels)
        x = float(row[names.index(name)]) if name in names else \
            -float(row[names.index("/".join(labels[::-1]))])
    else:
        x = float(row[names.index(labels[k])])
    return x


def sigmoid(f, own, weight):  # A and B
    counts = weight / weight.mean()
    n, m = counts[own].sum(), counts[~own].sum()
    t = np.where(own, (n + 1) / (n + 2), 1 / (m + 2))
    x = np.array([0, np.log((m + 1) / (n + 1))])
    for _ in range(60):
        p = 1 / (1 + np.exp(x[0] * f + x[1]))
        F, d = np.stack([f, np.ones_like(f)]), counts * p * (1 - p)
        x -= np.linalg.solve((F * d) @ F.T + 1e-12 * np.eye(2), F @ (counts * (t - p)))
    return x


def power(f, y, weight):  # of the odds: its objective, of sigmoids without the fifth that they judge
    has = ~np.isnan(f[np.arange(len(y)), y])
    f, y, weight = f[has], y[has], weight[has]
    odds = np.full(f.shape, np.log(1e-15))
    part = (np.arange(len(y), dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(32)) % np.uint64(5)
    for q in range(5):
        for k in range(f.shape[1]):
            known = ~np.isnan(f[:, k])
            use, to = known & (part != q), known & (part == q)
            A, B = sigmoid(f[use, k], y[use] == k, weight[use])
            odds[to, k] = -(A * f[to, k] + B)

    def objective(beta):
        p = np.exp(beta * (odds - odds.max(axis=1)[:, None]))
        p = p[np.arange(len(y)), y] / p.sum(axis=1)
        return (-weight * np.log(p)).sum() / weight.mean() + f.shape[1] * (beta - np.log(beta))
    low, high = 0.001, 8
    for _ in range(80):
        x = low + (high - low) * np.array([1, 2]) / 3
        low, high = (low, x[1]) if objective(x[0]) < objective(x[1]) else (x[0], high)
    return low


f = np.array([[value(row, k) for k in range(len(a))] for row in rows])
y = np.array([labels.index(row[1]) for row in rows])
beta = power(f, y, weight) if len(labels) > 2 else 1
for k in range(len(a)):
    known = ~np.isnan(f[:, k])  # the fold had rows of the class to train on
    x = beta * sigmoid(f[known, k], y[known] == k, weight[known])
    assert np.allclose(x, [a[k], b[k]], 1e-4, 1e-4), (k, x, a[k], b[k], beta)
rows = np.array([line.split() for line in scores[1:]], float)
p, f = rows[:, 1:1 + len(labels)], rows[:, 1 + len(labels):]
own = 1 / (1 + np.exp(a * f + b))
odds = own / (1 - own)
own = np.hstack([own, 1 - own]) if len(labels) == 2 else odds / odds.sum(axis=1)[:, None]
assert np.allclose(p, own, 1e-4, 2e-7), abs(p - own).max()
assert (np.array(labels, float)[own.argmax(axis=1)] == rows[:, 0]).all()
END
fitted()
{
	local data=$1
	shift
	randsvm-train -q -t 0 --multiclass ovr -b 1 "$@" "$data" m &&
		randsvm-train -q -t 0 --multiclass ovr -v 5 --cv-predictions table "$@" "$data" &&
		svm-eval -q -b 1 --scores "$data" m scores && "$numpy" sigmoids.py table scores m "${W:-/dev/null}"
}
awk '{ print 1 + NR % 3 }' three_class >three.w
awk '{ print int(NR / 4) }' three_class >three.groups
{ cat three_class; echo '8 1:0.5 2:-1'; } >rare
tac heart >backwards
numpy=$(python_with numpy)
if [ "$numpy" ]; then
	ok 'the best sigmoids'               fitted three_class
	ok '... of text'                     fitted text -c 0.1
	ok '... of two classes'              fitted heart
	ok '... the other one first'         fitted backwards
	ok '... another seed'                fitted three_class --seed 7
	ok '... squared losses'              fitted three_class --loss squared
	ok '... groups'                      fitted three_class --groups three.groups
	ok '... weights of rows'             'W=three.w fitted three_class -W three.w'
	ok '... a class of a single row' \
		'fitted rare && sed -n "s/^probA.* //p" m | awk "{ exit !(\$1 ^ 2 < 1e-12) }"'
else
	skip 'no numpy'
fi
randsvm-train -q -t 0 --multiclass ovr -b 1 three_class b.model
ok 'the weights are those without -b 1' \
	'randsvm-train -q -t 0 --multiclass ovr three_class m && head -n -2 b.model | cmp - m &&
	[ "$(tail -n 2 b.model | cut -d " " -f 1 | tr "\n" " ")" = "probA probB " ] && [ "$(tail -n 2 b.model | wc -w)" = 8 ]'
ok 'any number of threads' \
	'for n in 1 2 5; do randsvm-train -q -t 0 --multiclass ovr -b 1 --threads $n text m.$n || exit; done;
	cmp m.1 m.2 && cmp m.2 m.5'
if command -v liblinear-predict >/dev/null; then
	ok 'liblinear-predict stops before the probabilities' \
		'liblinear-predict three_class b.model p && svm-eval -q three_class b.model q && same_files p q'
fi
ok 'a file of groups where a class has one' \
	'awk "{ print \$1 == 5 ? 0 : NR }" three_class >g && randsvm-train -q -t 0 --multiclass ovr -b 1 --groups g three_class m &&
	grep ^probA m | awk "{ exit !(\$2 < -0.3 && \$3 < -0.3 && \$4 < -0.3) }"'
ok 'with -v' \
	'randsvm-train -q -v 4 -t 0 --multiclass ovr -b 1 --cv-predictions t rare | grep "^Cross Validation Accuracy = [67]" &&
	[ "$(head -n 1 t | wc -w)" = 11 ] && svm-eval --measure t | grep Log-loss'
ok 'more likely than one rate for all' \
	'svm-eval -q -b 1 --metrics three_class b.model | sed -n "s/^Log-loss = \([^,]*\),.*/\1/p" | awk "{ exit !(\$1 < 0.75) }"'
ok 'far from all classes' \
	'printf "0 1:%s\n" 1e6 -1e6 1e300 >far && svm-eval -q -b 1 far b.model - | sed 1d |
	awk "{ s = \$2 + \$3 + \$4 } !(s > 0.999 && s < 1.001) { exit 1 } END { exit NR != 3 }"'
ok 'said, where they are not asked for' \
	'svm-eval three_class b.model | grep "^Model supports probability estimates, but disabled in prediction.$"'
fail 1 'only supported for logistic regression, and for --multiclass ovr -b 1' \
	'randsvm-train -q -t 0 --multiclass ovr three_class m && svm-eval -b 1 three_class m'
ok 'kept by rp-project --fold' \
	'rp-project -q -k 3 -s map three_class z && randsvm-train -q -t 0 --multiclass ovr -b 1 z m &&
	rp-project -r map --fold m folded && tail -n 2 m >ab && tail -n 2 folded | cmp - ab &&
	svm-eval -q -b 1 z m p && svm-eval -q -b 1 three_class folded q && agree p q 100'
ok 'ended in its folds: no model' \
	'! randsvm-train -q -t 0 --multiclass ovr -b 1 --gap 1e-12 -e 1e-9 --time-limit 0.000001 text unborn 2>err &&
	cat err && grep "cross validation" err && [ ! -e unborn ]'
# refused LINES REASON: a model with these lines in place of its last two
refused()
{
	head -n -2 b.model >odd && printf "$1" >>odd && fail 1 "can't open model file odd: odd:$2" svm-eval three_class odd p
}
refused 'probA 1 2 3\n' "12: key 'probB' is missing"
refused 'probA 1 2\nprobB 1 2 3\n' '12: probA: 2 values, 3 expected'
refused 'probA 1 2 3\nprobB 1 2 3 4\n' '13: probB: 4 values, 3 expected'
refused 'probA 1 2 nan\nprobB 1 2 3\n' "12: probA: 'nan' is not finite"
refused 'probA 1 2 3\nprobB 1 2 3' '13: the line does not end (truncated file?)'
refused 'probA 1 2 3\nprobB 1 2 3\nx\n' '14: text after the 5 rows of weights promised'
refused 'probB 1 2 3\n' '12: text after the 5 rows of weights promised'
fail 1 "key 'probA' has no place in a model of type L2R_LR" \
	'sed "1s/ .*/ L2R_LR/" b.model >odd && svm-eval three_class odd p'
