# randsvm-grid: rates of svm-train -v, lines of grid.py, and the same bytes however the search is divided.
#
# At a small -e no example here is so close to the boundary that the last digits matter.

. "$TOP/test/helpers.bash"
need svm-train python3

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" | head -n 300 >a300
cp "$T/three_class" "$T/sinc" .
head -n 60 heart >h60

E='-e 0.0000152587890625'
small='-log2c -1,5,2 -log2g -7,-1,2'
none='-out null -png null'

# json_true FILE EXPRESSION: true in Python of the object r in FILE
json_true()
{
	python3 - "$@" <<-'END'
		import json, sys
		r = json.load(open(sys.argv[1]))
		sys.exit(not eval(sys.argv[2]))
	END
}

# ---- rates ----

# as_validated DATA RATE_LINE DIGITS OPTION...: the rates of all points of the grid 'small' are svm-train's,
# which RATE_LINE, a sed expression, finds in its output, to within 10^-DIGITS of themselves
as_validated()
{
	local data=$1 line=$2 digits=$3
	shift 3
	randsvm-grid -q $small $E -out points -png null "$@" "$data" >lines || return
	sed -n 's/^log2c=\([^ ]*\) log2g=\([^ ]*\) rate=\([^ ]*\).*/\1 \2 \3/p' points >rates
	[ "$(wc -l <rates)" = 16 ] || return
	while read -r c g rate; do
		other=$($trainer -v 5 $E -c "$(pow "$c")" -g "$(pow "$g")" "$@" "$data" 2>&1 | sed -n "$line")
		echo "$c $g $rate $other"
		awk -v a="$rate" -v b="$other" -v d="$digits" \
			'BEGIN { e = a - b; exit !(b != "" && (e < 0 ? -e : e) <= 10 ^ -d * b) }' || return
	done <rates
}
pow() { awk -v x="$1" 'BEGIN { printf "%.17g", 2 ^ x }'; }
trainer=svm-train
accuracy='s/^Cross Validation Accuracy = \(.*\)%/\1/p'
mse='s/^Cross Validation Mean squared error = //p'
rho='s/^Cross Validation Squared correlation coefficient = //p'

ok 'rates of two classes'             as_validated heart "$accuracy" 7
ok 'of three'                         as_validated three_class "$accuracy" 7
ok 'of sparse rows'                   as_validated a300 "$accuracy" 7
ok 'weights'                          as_validated heart "$accuracy" 7 -w1 3 -w-1 0.5
ok 'polynomials'                      as_validated heart "$accuracy" 7 -t 1 -d 2 -r 1
ok 'polynomials of large values'      as_validated heart "$accuracy" 7 -t 1 -d 9 -r 1
ok 'C that no multiplier reaches' \
	'randsvm-grid -q -log2c 20,60,20 -log2g -1,-1,1 -out points -png null heart >lines && cat points &&
	[ "$(sed -n "s/.* rate=\([^ ]*\).*/\1/p" points | uniq -c | tr -s " ")" = \
		" 3 $(svm-train -v 5 -c 1048576 -g 0.5 heart | sed -n "$accuracy")" ]'
ok 'probabilities'                    as_validated h60 "$accuracy" 7 -b 1
ok 'leave one out'                    as_validated h60 "$accuracy" 7 -v 60
ok 'a regression'                     as_validated sinc "$mse" 3 -s 3 -p 0.01
ok 'its correlation' \
	'randsvm-grid() { command randsvm-grid --measure rho "$@"; }; as_validated sinc "$rho" 3 -s 3 -p 0.01'
# the constant of nu-SVR is not unique where no multiplier is free: svm-train's errors are up to 0.2 % off at any -e
ok 'nu-SVR'                           'trainer="randsvm-train -q"; as_validated sinc "$mse" 3 -s 4 -n 0.25'

# one_axis DATA LINE OPTION...: one axis is searched, without a gamma or a C
one_axis()
{
	local data=$1 line=$2 name=$3
	shift 3
	randsvm-grid -q $E $none "$@" "$data" >lines || return
	cat lines
	sed -n 's/^\[local\] \([^ ]*\) \([^ ]*\) .*/\1 \2/p' lines >rates
	[ -s rates ] && while read -r x rate; do
		# the axis is among the options, which svm-train does not know
		other=$(svm-train -v 5 $E "$name" "$(pow "$x")" $fixed "$data" 2>&1 | sed -n "$line")
		awk -v a="$rate" -v b="$other" 'BEGIN { exit !(b != "" && a - b < 1e-3 && b - a < 1e-3) }' ||
			{ echo "$x: $rate, not $other"; return 1; }
	done <rates
}
ok 'C alone'                          'fixed="-t 0" one_axis heart "$accuracy" -c -t 0 -log2c -3,5,2'
# more columns than rows, and more rows than the first working set has
svm-gen text -n 1400 -d 3000 --words 15 >text
ok 'C alone, text'                    'fixed="-t 0" one_axis text "$accuracy" -c -t 0 -log2c -1,7,4'
ok 'gamma alone, nu-SVC'              'fixed="-s 1 -n 0.5" one_axis heart "$accuracy" -g -s 1 -n 0.5 -log2g -7,-1,2'
ok 'nu alone'                         'fixed="-s 2 -g 0.125" one_axis heart "$accuracy" -n -s 2 -g 0.125 -log2g null -log2n -4,-1,1'
ok 'C is -c'                          'fixed="-c 8" one_axis heart "$accuracy" -g -log2c null -c 8 -log2g -7,-1,2'
ok 'three axes' \
	'randsvm-grid -q -s 3 -log2c -1,3,2 -log2g -1,1,2 -log2p -5,-3,2 -out points -png null sinc >lines &&
	[ "$(grep -c "^log2c=.* log2g=.* log2p=.* rate=" points)" = 12 ] && tail -n 1 lines | awk "NF != 4 { exit 1 }"'

# least: the last line has the least rate, of a regression
ok 'of errors the least is the best' \
	'randsvm-grid -q -s 3 $small -out points -png null sinc >lines &&
	[ "$(sed -n "s/.* rate=\([^ ]*\).*/\1/p" points | sort -g | head -n 1)" = "$(tail -n 1 lines | cut -d " " -f 3)" ]'

# ---- lines and files of grid.py ----

randsvm-grid -q $small -out points -png null heart >lines
ok 'a line for each point' \
	'[ "$(grep -c -E "^\[local\] -?[0-9]+ -?[0-9]+ [0-9.]+ \(best c=[0-9.]+, g=[0-9.]+, rate=[0-9.]+\)$" lines)" = 16 ]'
ok 'the last line' \
	'[ "$(tail -n 1 lines)" = "$(tail -n 2 lines | sed -n "1s/.*c=\(.*\), g=\(.*\), rate=\(.*\))/\1 \2 \3/p")" ]'
# columns FILE: values of gamma in the order in which they come
columns() { sed -n 's/.*log2g=\([^ ]*\) .*/\1/p' "$1" | uniq; }
ok 'columns from coarse to fine' \
	'randsvm-grid -q -log2c 1,1,1 -out all -png null heart >lines &&
	echo -7 -1 -11 3 -13 1 -15 -5 -9 -3 >a; columns all | sort -g >b; [ "$(wc -l <b)" = 10 ] &&
	[ "$(columns all | head -n 1)" = -7 ]'
ok 'defaults of grid.py: 110 points'  'randsvm-grid -q -out some -png null h60 >lines && [ "$(grep -c rate= some)" = 110 ]'
ok 'a name of its own' \
	'mkdir -p named && cd named && randsvm-grid -q $small ../h60 >lines && [ -s h60.out ] &&
	{ ! command -v gnuplot || head -c 4 h60.png | grep PNG; }'
if command -v gnuplot >/dev/null; then
	ok '-png: an axis of one value' 'randsvm-grid -q -log2c -1,1,1 -log2g -3,-3,1 -out null -png one.svg h60 && grep "<svg" one.svg'
fi
ok '-png: a word where nothing is drawn' '! command -v gnuplot ||
	randsvm-grid -q -log2c 1,1,1 -log2g -3,-3,1 -out null -png none.svg h60 2>&1 >lines | grep "nothing to draw" && ! [ -e none.svg ]'
ok 'options of grid.py that do nothing' \
	'randsvm-grid -svmtrain nowhere -gnuplot nowhere $small $none h60 2>&1 >lines | grep -c "has no effect" | grep -x 2'
if command -v svm-grid >/dev/null; then
	# svm_grid ARGUMENT...: Debian's is a script for an interpreter named python, which need not be there
	svm_grid() { python3 "$(command -v svm-grid)" "$@"; }
	# same_order: grid.py visits gammas in this order, too
	ok 'grid.py resumes our file' \
		'cp points ours && svm_grid -log2c -1,5,2 -log2g -7,-1,2 -svmtrain "$(command -v svm-train)" \
		-gnuplot null -out null -resume ours heart >lines; cat lines; [ "$(grep -c "^\[resumed\]" lines)" = 16 ] &&
		! grep "^\[local\]" lines'
	ok 'and we resume its file' \
		'svm_grid -log2c -1,5,2 -log2g -7,-1,2 -svmtrain "$(command -v svm-train)" -gnuplot null -out theirs heart >lines &&
		randsvm-grid -q $small $none -resume theirs heart >ours && [ "$(grep -c "^\[resumed\]" ours)" = 16 ] &&
		! grep "^\[local\]" ours'
	ok 'each adds to the file of the other' \
		'svm_grid() { python3 "$(command -v svm-grid)" -log2c -1,5,2 -log2g -7,-1,2 -svmtrain "$(command -v svm-train)" -gnuplot null "$@"; }
		head -n 6 points >both && svm_grid -out both -resume both heart >first && [ "$(grep -c "^\[local\]" first)" = 11 ] &&
		randsvm-grid -q $small -png null -out null -resume both heart >again && [ "$(grep -c "^\[resumed\]" again)" = 16 ] &&
		head -n 7 theirs >both && randsvm-grid -q $small -png null -out both -resume both heart >second &&
		[ "$(grep -c "^\[local\]" second)" = 9 ] && svm_grid -out null -resume both heart >again &&
		[ "$(grep -c "^\[resumed\]" again)" = 16 ] && ! grep "^\[local\]" again'
else
	skip 'svm-grid is not installed'
fi
# easy.py finds its programs by paths beside its folder
if command -v svm-easy svm-scale svm-predict >/dev/null && [ -x /usr/bin/gnuplot ]; then
	mkdir -p easy/tools
	for program in svm-scale svm-train svm-predict; do
		ln -s "$(command -v $program)" easy/$program
	done
	ln -s "$BIN/randsvm-grid" easy/tools/grid.py
	ok 'easy.py runs with it' \
		'cd easy/tools && head -n 100 ../../heart >train && tail -n 100 ../../heart >test &&
		python3 "$(command -v svm-easy)" train test && [ -s train.model ] && [ -s test.predict ]'
else
	skip 'svm-easy is not installed, or what it calls'
fi

# ---- memory: one matrix for all values of gamma, and none for few points ----

svm-gen twonorm -q -n 3300 -d 4 | awk '{ split($2 ":" $3 ":" $4, x, ":")
	$1 = (x[2] > 0) + 2 * (x[4] > 0) + 4 * (x[6] > 0); print }' >eight
# peak COMMAND...: the most kilobytes in memory
peak() { python3 -c 'import resource, subprocess, sys; subprocess.check_call(sys.argv[1:], stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
if [ -z "$SANITIZE$WRAP" ]; then
	ok 'memory of a matrix of 87 MB' \
		'a=$(peak randsvm-grid -q --threads 1 $none -e .1 -log2c -3,3,2 -log2g 0,-4,-2 eight) && echo $a &&
		[ $a -ge 87000 ] && [ $a -le 130000 ]'
	ok '... and of two points of a column' \
		'a=$(peak randsvm-grid -q --threads 1 $none -e .1 -log2c -1,3,4 -log2g 0,-4,-2 eight) && echo $a &&
		[ $a -le 40000 ]'
	gzip -dc "$T/a1a.gz" >a1a
	ok 'memory of a fold is the next one'\''s' \
		'a=$(peak randsvm-grid -q --threads 1 $none -e .1 -log2c -3,9,4 -log2g 1,-9,-4 a1a) && echo $a &&
		[ $a -le 60000 ]'
else
	skip 'memory of sanitizers'
fi

# ---- the same bytes ----

randsvm-grid -q $small -out whole -png null --threads 1 heart >whole.lines
ok 'two threads'  'randsvm-grid -q $small -out two -png null --threads 2 heart | cmp - whole.lines && cmp two whole'
ok 'a bound of memory' \
	'randsvm-grid -q $small -out bound -png null --memory 60 heart | cmp - whole.lines && cmp bound whole'
ok 'gzipped rows, from a pipe' \
	'gzip <heart | randsvm-grid -q $small -out pipe -png null - | cmp - whole.lines && cmp pipe whole'
for bytes in 0 50 99 100 101 300 500; do
	ok "resumed after $bytes bytes" \
		"head -c $bytes whole >cut && randsvm-grid -q \$small -png null -out cut -resume cut heart >lines &&
		cmp cut whole && tail -n 1 lines | cmp - <(tail -n 1 whole.lines)"
done
# Whatever became of a byte, or of what follows it: the points and the choice are those of the whole file.
cat >damage.py <<'END_OF_PYTHON'
import random, subprocess, sys
whole = open('whole', 'rb').read()
best = open('whole.lines').read().split('\n')[-2]
random.seed(int(sys.argv[1]))
def resumed(damaged):
    open('hit', 'wb').write(damaged)
    return subprocess.run(['randsvm-grid', '-q', '-out', 'hit', '-png', 'null', '-resume', 'hit', *sys.argv[2:]],
                          capture_output=True, text=True)
def points(text):
    return sorted(line for line in text.split(b'\n') if line and not line.startswith(b'#'))
def damage(text, at, way):
    end = text.find(b'\n', at)
    there = text[at:at + 1]
    return text[:at] + {
        'bit': bytes([text[at] ^ 1 << random.randrange(8)]) + text[at + 1:],
        'byte': bytes([random.choice(b'\0\n #=09')]) + text[at + 1:],
        'more': bytes([random.randrange(256)]) + text[at:],
        'lost': text[at + random.randrange(1, 60):],
        'line': bytes(end - at) + text[end:],
        'zeros': bytes(len(text) - at),
        'end': b''}[way]
for at in random.sample(range(len(whole)), 20):
    for way in 'bit', 'byte', 'more', 'lost', 'line', 'zeros', 'end':
        text = damage(whole, at, way)
        run = resumed(text)
        after = open('hit', 'rb').read()
        if run.returncode or run.stdout.split('\n')[-2] != best or points(after) != points(whole):
            sys.exit(f'{way} at {at}: {text}\n{run}\n{after}')
        again = resumed(after)
        if again.stderr or '[local]' in again.stdout:
            sys.exit(f'{way} at {at}: not mended: {again}')
END_OF_PYTHON
for seed in 1 2; do
	ok "a damaged file, $seed"  "python3 damage.py $seed $small heart"
done
ok 'zeros in a line of an old file' \
	'sed "s/ crc32=[0-9a-f]*$//" whole >old && cp old cut && sed -i "5s/rate=\(.\)......./rate=\1\x00\x00\x00\x00\x00\x00\x00/" cut && ! cmp -s old cut &&
	randsvm-grid -q $small -png null -out cut -resume cut heart 2>messages | tail -n 1 | cmp - <(tail -n 1 whole.lines) && cat messages &&
	grep "warning: cut:5: damaged (there is a byte 0).*computed again" messages && sed "s/ crc32=[0-9a-f]*$//" cut | sort | cmp - <(sort old)'
ok 'an editor has put a byte order mark before it' \
	'(printf "\xef\xbb\xbf"; cat whole) >marked && cp marked before && randsvm-grid -q $small -png null -out marked -resume marked heart >lines &&
	! grep local lines && tail -n 1 lines | cmp - <(tail -n 1 whole.lines) && cmp marked before &&
	! randsvm-grid $small -png null -out marked --shard 1/2 heart 2>messages && grep "has the points of all shards" messages && cmp marked before'
ok 'an old file is taken as it is' \
	'randsvm-grid -q $small -png null -out old -resume old heart 2>&1 | grep -c "^\[resumed\]" | grep -x 16 && ! grep -q local old'
ok 'points of other rows' \
	'(grep "#" whole; randsvm-grid -q $small -png null -out other h60 >lines; grep -v "#" other) >mixed &&
	randsvm-grid -q $small -png null -out mixed -resume mixed heart 2>messages >lines && grep "lines whose points are computed again" messages &&
	cmp mixed whole'
ok 'resumed into another file' \
	'head -c 400 whole >cut && cp cut before && randsvm-grid -q $small -png null -out new -resume cut heart >lines &&
	cmp new whole && cmp cut before'
ok 'the default name of -resume' \
	'rm -f heart.out && randsvm-grid -q $small -png null heart >lines && randsvm-grid -q -png null -resume $small heart >lines &&
	! grep local lines && cmp heart.out whole'
# killed N: of a search that is killed when N lines are written the file has whole lines, and is resumed to the
# same bytes
killed()
{
	rm -f killed
	struck KILL "[ \"\$(wc -l <killed)\" -ge $1 ]" randsvm-grid -q -b 1 $small -out killed -png null h60
	[ $? = 137 ] && head -n "$(wc -l <killed)" killed | cmp - killed &&
		randsvm-grid -q -b 1 $small -out killed -png null -resume killed h60 >lines && cmp killed probable
}
randsvm-grid -q -b 1 $small -out probable -png null h60 >lines
for n in 1 4 7; do
	ok "killed after $n lines"    killed $n
done
ok 'shards' \
	'for i in 1 2 3; do randsvm-grid -q $small --shard $i/3 heart >lines || return; done; ls &&
	randsvm-grid -q $small --merge -out merged heart.*of3.out >lines && cmp merged whole &&
	tail -n 1 lines | cmp - <(tail -n 1 whole.lines)'
ok 'a shard is missing' \
	'randsvm-grid -q $small --merge heart.1of3.out heart.3of3.out 2>&1 >lines | grep "warning: 4 of 16 points of the grid of these options are in no file" &&
	[ -z "$(randsvm-grid -q $small --merge whole 2>&1 >lines)" ]'
ok 'a point with two rates' \
	'sed "s/rate=8/rate=9/; s/ crc32=[0-9a-f]*$//" whole >raised; n=$(grep -c "rate=8" whole)
	randsvm-grid -q $small --merge whole raised 2>messages | cmp - <(randsvm-grid -q $small --merge whole) && cat messages &&
	grep "warning: raised: $n points have other rates than before, which are kept" messages'
ok 'shards in one file' \
	'rm -f same; randsvm-grid -q $small -png null --shard 1/2 -out same heart >lines && cp same before &&
	! randsvm-grid -q $small -png null --shard 2/2 -out same heart 2>messages && cat messages && cmp same before &&
	grep "same has the points of shard 1/2, not those of shard 2/2" messages &&
	randsvm-grid -q $small -png null --shard 1/2 -out same heart >lines && cmp same before &&
	randsvm-grid -q $small -png null --shard 2/2 -out same -resume same heart | tail -n 1 | cmp - <(tail -n 1 whole.lines) &&
	cp whole w && ! randsvm-grid -q $small -png null --shard 1/2 -out w heart && cmp w whole &&
	randsvm-grid -q $small -png null --shard 1/2 -out w --force heart >lines && cmp w before'
ok 'two runs with one file' \
	'cp whole w && ! flock w randsvm-grid -q $small -png null -out w heart 2>messages && grep "another run writes results to w" messages &&
	! flock w randsvm-grid -q $small -png null -out w -resume w heart && cmp w whole'
ok 'shards are refined' \
	'randsvm-grid -q $small --merge -out merged heart.*of3.out >lines &&
	randsvm-grid -q $small $none -resume merged --refine heart >lines && [ "$(grep -c "^.resumed" lines)" = 16 ] && grep "^.local" lines'
ok 'more shards than columns' \
	'randsvm-grid -q $small --shard 9/9 -out nine heart >lines && [ ! -s lines ] && [ "$(wc -l <nine)" = 1 ]'
ok 'a table' \
	'randsvm-grid -q $small $none --table table.tsv heart >lines &&
	awk -F "\t" "NF != 9 { exit 1 } NR > 1 { n += \$9 == \"rated\" } END { exit n != 16 }" table.tsv'
ok 'a report' \
	'randsvm-grid -q $small $none --report report heart >lines &&
	json_true report "len(r[\"points\"]) == 16 and r[\"choice\"][\"rate\"] == max(p[\"rate\"] for p in r[\"points\"])"'

# ---- the model ----

# model DATA OPTION...: the model of the point chosen is that of randsvm-train
model()
{
	local data=$1
	shift
	randsvm-grid -q $small $none --model ours.model "$@" "$data" >lines || return
	# shellcheck disable=SC2046
	set -- "$@" $(tail -n 1 lines | awk '{ print "-c", $1, "-g", $2 }')
	randsvm-train -q "$@" "$data" theirs && cmp ours.model theirs
}
ok 'the model of randsvm-train'       model heart
ok 'of three classes'                 model three_class
ok 'with probabilities'               model h60 -b 1
ok 'of a regression'                  model sinc -s 3
ok 'of classes against the rest' \
	'randsvm-grid -q -t 0 --multiclass ovr -log2c -1,1,2 $none --model ours.model three_class >lines &&
	randsvm-train -q -t 0 --multiclass ovr -c "$(tail -n 1 lines | cut -d " " -f 1)" three_class theirs && cmp ours.model theirs'
ok 'of merged shards' \
	'randsvm-grid -q $small --merge --data heart --model merged.model heart.*of3.out >lines && model heart &&
	cmp merged.model ours.model'
ok 'its lines are on standard error' \
	'randsvm-grid $small $none --model ours.model heart 2>messages | cmp - whole.lines && grep "^Objective " messages'

# ---- which point ----

# score MEASURE NAME OPTION...: the rate of a point is what svm-train's folds and svm-eval say
score()
{
	local measure=$1 key=$2
	shift 2
	randsvm-grid -q -log2c 1,1,1 -log2g -5,-5,1 $E $none --measure "$measure" "$@" >lines &&
		randsvm-train -v 5 $E --metrics -c 2 -g 0.03125 --report report "${@:1:$#-1}" "${@:$#}" >out || return
	cat lines
	rate=$(tail -n 1 lines | cut -d ' ' -f 3)
	json_true report "abs(r['measures']['$key'] - $rate) <= 1e-5 * $rate"
}
ok 'balanced accuracy'                score balanced balanced_accuracy three_class
ok 'AUC of two classes'               score auc auc heart
ok 'AUC of three'                     score auc auc three_class
ok 'F1 of three'                      score f1 macro_f1 three_class
ok 'log-loss'                         score log-loss log_loss -b 1 heart
ok 'F1 of two classes is that of the larger label' \
	'randsvm-grid -q -log2c 1,1,1 -log2g -5,-5,1 $none --measure f1 heart >lines &&
	randsvm-train -v 5 --metrics -c 2 -g 0.03125 --report report heart >out &&
	json_true report "abs(r[\"measures\"][\"classes\"][1][\"f1\"] - $(tail -n 1 lines | cut -d " " -f 3)) < 1e-5"'
# errors_of_folds: the standard error of an accuracy, from those of svm-fold's folds
errors_of_folds()
{
	randsvm-grid -q -log2c 1,1,1 -log2g -5,-5,1 -out points -png null heart >lines &&
		randsvm-train -q -v 5 -c 2 -g 0.03125 --cv-predictions table heart >out || return
	# rows whose one feature is the prediction
	sed 1d table | awk '{ print $2, "1:" $3 }' >predicted
	for f in 1 2 3 4 5; do
		svm-fold -q -v 5 -f $f --test --svm-train-order predicted |
			awk '{ split($2, a, ":"); n += $1 == a[2] } END { print 100 * n / NR }'
	done | tee /dev/stderr | awk -v se="$(sed -n 's/.* se=//p' points)" '
		{ s += $1; q += $1 ^ 2 }
		END { e = sqrt((q - s ^ 2 / NR) / (NR - 1) / NR); print e, se; exit !(e - se < 1e-4 && se - e < 1e-4) }'
}
ok 'standard errors are those of the folds'   errors_of_folds
ok 'of equal rates the smallest C, then gamma' \
	'randsvm-grid -q -log2c -20,-18,1 -log2g -30,-28,1 $none heart >lines &&
	[ "$(tail -n 1 lines | cut -d " " -f 1,2)" = "9.5367431640625e-07 9.313225746154785e-10" ]'
ok 'the smoothest within a standard error' \
	'randsvm-grid -q $small $none --one-se --table table.tsv heart >lines &&
	awk -F "\t" -v choice="$(tail -n 1 lines)" "
		NR > 1 { rate[NR] = \$5; c[NR] = \$1; g[NR] = \$2; if (\$5 > best) { best = \$5; se = \$6 } }
		END {
			for (i in rate)
				if (rate[i] >= best - se && (!k || c[i] < c[k] || c[i] == c[k] && g[i] < g[k]))
					k = i
			split(choice, a, \" \")
			exit !(a[1] == 2 ^ c[k] && a[2] == 2 ^ g[k])
		}" table.tsv'
ok 'without a standard error the best' \
	'grep -v "^#" whole | sed "s/ se=.*//" >bare; randsvm-grid $small $none --one-se -resume bare heart 2>messages | tail -n 1 |
	cmp - <(tail -n 1 whole.lines) && grep "note: --one-se: the best point has no standard error" messages'
ok 'a finer grid around the best' \
	'randsvm-grid -q $small -out fine -png null --refine heart >lines && [ "$(grep -c rate= fine)" -ge 289 ] &&
	awk -v a="$(tail -n 1 whole.lines)" -v b="$(tail -n 1 lines)" \
		"BEGIN { split(a, x); split(b, y); exit !(y[3] >= x[3] && y[1] <= 4 * x[1] && y[1] >= x[1] / 4) }"'
randsvm-grid -q -out all -png null heart >all.lines
for bytes in 300 3000 9000; do
	ok "a finer grid resumed after $bytes bytes" \
		"head -c $bytes fine >cut && randsvm-grid -q \$small -png null --refine -out cut -resume cut heart >again &&
		cmp cut fine && tail -n 1 again | cmp - <(tail -n 1 lines)"
done
ok 'a race has the same winner' \
	'randsvm-grid -q --race -out raced -png null heart >lines && grep -c "outcome=skipped" raced &&
	tail -n 1 lines | cmp - <(tail -n 1 all.lines) &&
	grep -v skipped raced | grep -v -x -F -f all | grep -c . | grep -x 0'
ok 'a race is resumed' \
	'head -n 40 raced >cut && randsvm-grid -q --race -out cut -png null -resume cut heart >other && cmp cut raced'
ok 'a race, two threads'              'randsvm-grid -q --race --threads 2 -out two -png null heart >other && cmp two raced && cmp other lines'
ok 'nested: a line for each fold' \
	'randsvm-grid -q $small $none --nested 3 --report report heart >lines && [ "$(grep -c "^\[outer [1-3]/3\] " lines)" = 3 ] &&
	tail -n 1 lines | cmp - <(tail -n 1 whole.lines) &&
	json_true report "len(r[\"nested\"][\"folds\"]) == 3 and abs(r[\"nested\"][\"mean\"] - sum(f[\"left_out_rate\"] for f in r[\"nested\"][\"folds\"]) / 3) < 1e-9"'
# nested_by_hand DATA [OPTIONS]: the search on the rows outside of each fold of svm-train -v 3, the test on the fold
nested_by_hand()
{
	data=$1
	shift
	randsvm-grid -q $small $none "$@" --nested 3 $data | sed -n 's/^\[outer [^ ]* \([^ ]* [^ ]* [^ ]*\) (left out rate=\(.*\))/\1 \2/p' >nested
	for f in 1 2 3; do
		svm-fold -q -v 3 -f $f --train --svm-train-order $data part &&
			svm-fold -q -v 3 -f $f --test --svm-train-order $data rest &&
			randsvm-grid -q $small $none "$@" --model m part | tail -n 1 >choice || return
		svm-eval rest m | sed -n 's/^Accuracy = \(.*\)% .*/\1/p' | paste -d ' ' choice - |
			awk '{ print log($1) / log(2), log($2) / log(2), $3 + 0, $4 }'
	done >by_hand
	cat nested by_hand
	[ -s nested ] && near nested by_hand 1e-5
}
ok 'nested: as by hand'               nested_by_hand heart
# of ten rows of a class six or seven are outside of a fold: -w auto is by these
svm-gen twonorm -q --seed 2 -n 200 -d 4 | awk '/^-/ || n++ < 10' >rare
ok 'nested: the balance of classes is that of the rows outside' \
	'nested_by_hand rare -w auto'
echo 'log2c=1 log2g=-1 rate=0.75' >known
ok 'nested: folds without a rate are not in the mean' \
	'head -n 20 heart >h20; randsvm-grid -q $small $none --measure auc --nested 15 --report report h20 >lines; cat lines
	n=$(grep -c "(left out rate=[0-9.]*)" lines) && [ "$n" -gt 2 ] && grep "(left out rate=nan)" lines &&
	sed -n "s/.*(left out rate=\([0-9.]*\))/\1/p" lines | awk "{ s += \$1 } END { printf \"%.6g\n\", s / NR }" >mean &&
	grep -F "[outer] mean rate=$(cat mean), " lines | grep ", of the $n folds that have a rate$" &&
	json_true report "abs(r[\"nested\"][\"mean\"] - $(cat mean)) < 1e-5"'
ok 'nested: few rows end nothing' \
	'head -n 1 heart >first; (grep -m 1 "^+1" heart; grep -m 1 "^-1" heart) >two
	for f in first two; do
		randsvm-grid -q $small $none --measure auc --nested 4 -resume known --model m $f >lines || return
		cat lines; grep "^\[outer 1/.\] failed$" lines && tail -n 1 lines | grep "^2.0 0.5 0.75$" && [ -s m ] || return
	done'
fail 1 'no point has a rate: of these labels and their predictions there is no auc' \
	'grep "^+1" heart >one; randsvm-grid $none $small --measure auc one'
# squares of targets beyond doubles: no point is the best, nor is one after -resume
awk '{ $1 = $1 "e200"; print }' sinc >large
fail 1 'no point has a rate: of these labels and their predictions there is no mse'  'randsvm-grid $small -s 3 -v 3 -out infinite -png null --model unborn large'
ok 'rates beyond doubles' \
	'[ "$(grep -c " rate=nan " infinite)" = 16 ] && ! grep -q inf infinite && [ ! -e unborn ] &&
	! randsvm-grid -q $none $small -s 3 -v 3 -resume infinite large >lines && ! grep local lines'
# labels that mean nothing: the best rate promises more than there is
svm-gen twonorm -q -n 80 -d 40 | awk '{ $1 = NR % 2 ? "+1" : "-1"; print }' >chance
ok 'nested: of chance it promises nothing' \
	'randsvm-grid -q $none --nested 4 chance >lines; tail -n 2 lines;
	awk "/^\[outer\] mean/ { split(\$3, a, /[=,]/); n = a[2] < 60 && a[2] > 40 } END { exit !n }" lines &&
	tail -n 1 lines | awk "\$3 < 60 { exit 1 }"'

# ---- pictures ----

if command -v gnuplot >/dev/null; then
	ok 'areas of like rates'      'randsvm-grid -q $small -out null -png a.svg heart >lines && grep -q "log2(gamma)" a.svg && grep -q "<polygon" a.svg'
	for form in pdf:%PDF eps:%!PS; do
		ok "as ${form%:*}"        'randsvm-grid -q $small -out null -png "a.${form%:*}" heart >lines && head -n 1 "a.${form%:*}" | grep -a "^${form#*:}"'
	done
	ok 'of another size'          'randsvm-grid -q $small -out null --size 320x300 -png b.svg heart >lines && grep "width=.320. height=.300." b.svg'
	for size in 10x600 640 640x 640x600x 640x99999; do
		fail 1 "from 200 to 10000, such as 640x600, got '$size'"  randsvm-grid --size "$size" -png b.svg heart
	done
	ok 'a curve'                  'randsvm-grid -q -t 0 -log2c -3,5,2 -out null -png a.svg heart >lines && grep -q "log2(C)" a.svg'
	ok 'PNG'                      'randsvm-grid -q $small -out null -png a.png heart >lines && head -c 4 a.png | grep PNG'
	ok 'the same picture for any number of threads' \
		'randsvm-grid -q --threads 1 $small -out null -png b.png heart >lines && cmp a.png b.png'
	ok 'nothing to draw' \
		'randsvm-grid -log2c 1,1,1 -log2g 1,1,1 -out null -png c.png heart 2>&1 | grep "nothing to draw" && ! [ -e c.png ]'
	fail 1 "does not end in .png, .svg, .pdf or .eps"    randsvm-grid -png a.jpg heart
else
	skip 'gnuplot is not installed'
fi

# ---- hostile rows and files ----

sed 's/ .*/ 1:1 2:2/' heart >constant
ok 'one class'                        'randsvm-grid -q $small $none one | tail -n 1 | grep "^0.5 0.0078125 100.0$"'
ok 'constant features'                'randsvm-grid -q $small $none constant | tail -n 1 | grep "^0.5 0.0078125 55.5556$"'
ok 'two rows'                         '(grep -m 1 "^+1" heart; grep -m 1 "^-1" heart) >two; randsvm-grid $small $none two | tail -n 1 | grep " 0.0$"'
ok 'more folds than rows'             'randsvm-grid -v 100 $small $none h60 2>&1 | grep "# folds > # data"'
ok 'a nu that does not fit ends nothing' \
	'randsvm-grid -s 1 -log2g -5,-5,1 -log2n -3,0,1 -out nu -png null heart >lines 2>messages; cat lines messages
	grep "failed" lines && grep "outcome=failed" nu && grep "points cannot be trained; the first: specified nu is infeasible" messages &&
	tail -n 1 lines | grep "^0.03125 0"'
ok 'and is resumed' \
	'randsvm-grid -q -s 1 -log2g -5,-5,1 -log2n -3,0,1 -out nu2 -png null -resume nu heart >lines && cmp nu nu2 && ! grep local lines'
fail 1 'specified nu is infeasible'   'randsvm-grid $none -s 1 -n 1 heart'
fail 1 'Wrong input format'           'randsvm-grid $none "$T/bad/label_fraction"'
printf 'rate\n' >wrong
fail 1 "wrong:1: expected log2c=... log2g=... rate=..., got rate"     randsvm-grid $none -resume wrong heart
printf 'log2c=1 log2g=-1 rate=80x\n' >wrong
fail 1 "wrong:1: expected log2c=... log2g=... rate=..., got rate=80x" randsvm-grid $none -resume wrong heart
printf '\n# nothing\nlog2c=1 rate=80\n' >wrong
fail 1 'wrong:3: no log2g, which is searched'                         randsvm-grid $none -resume wrong heart
printf 'log2c=1 log2g=1\n' >wrong
fail 1 'wrong:1: no rate='                                            randsvm-grid $none -resume wrong heart
printf 'log2c=1 log2g=1 log2p=1 rate=3\n' >wrong
fail 1 'wrong:1: there is log2p, which is not searched'               randsvm-grid $none -s 3 -resume wrong sinc
fail 1 "wrong:1: expected log2c=... log2g=... rate=..., got log2p=1"  randsvm-grid $none -s 4 -log2n -2,-1,1 -resume wrong sinc
# doubtful LINES OPTION...: the point of a file of these lines is computed again, which one line says
doubtful()
{
	printf "$1" >wrong
	randsvm-grid -q $none -log2c 1,1,1 -log2g 1,1,1 -resume wrong "${@:2}" 2>messages | tee lines &&
		cat messages && [ "$(wc -l <messages)" = 1 ] && grep 'damaged.*computed again' messages &&
		[ "$(grep -c '^\[local\] 1 1 ' lines)" = 1 ]
}
good='log2c=3 log2g=1 rate=0\n'
for rate in 1e300 -5 100.001 -1e-9 inf; do
	ok "accuracy $rate"  doubtful "${good}log2c=1 log2g=1 rate=$rate\n" heart
done
for measure in auc f1 balanced:-0.5 mse:-3:3 mse:inf:3 mse:1e400:3 rho:1.01:3 log-loss:-1:0; do
	IFS=: read -r measure rate type <<<"$measure"
	ok "$measure of ${rate:=1.2}" \
		doubtful "${good}log2c=1 log2g=1 rate=$rate\n" --measure $measure -s ${type:=0} \
		$([ $measure != log-loss ] || echo -b 1) $([ $type = 3 ] && echo sinc || echo heart)
done
ok 'a standard error below 0'  doubtful "${good}log2c=1 log2g=1 rate=3 se=-1\n" heart
ok 'unfinished ones without number' doubtful "${good}log2c=1 log2g=1 rate=3 unfinished=1e300\n" heart
ok 'a parameter beyond doubles'     doubtful "${good}log2c=2000 log2g=1 rate=99\n" heart
ok 'two lines in one'          doubtful "${good}log2c=5 log2g=1 rate=99 log2c=1 log2g=1 rate=99\n" heart
ok 'a line filled with zeros'  doubtful "${good}\n"'log2c=1 log2g=1 rate=7\0\0\0\0\n' heart
fail 1 "can't open results nowhere: No such file"                     randsvm-grid $none -resume nowhere heart
fail 1 "can't read results .: Is a directory"                         randsvm-grid $none -resume . heart
fail 1 'whole:1: points of another search'                            randsvm-grid $none -v 7 -resume whole heart
fail 1 'whole:1: points of another search'                            randsvm-grid $none -resume whole h60
fail 1 'whole:1: points of another search'                            randsvm-grid -e 0.01 $none -resume whole heart
fail 1 'points of another search'     'randsvm-grid -q -v 7 $small -out seven -png null heart >lines; randsvm-grid --merge whole seven'
fail 1 "can't write results /dev/full: No space left on device"       randsvm-grid -out /dev/full -png null $small heart
fail 1 "No space left on device"      'randsvm-grid $none $small heart >/dev/full'
fail 1 "can't write table /dev/full"  randsvm-grid $none $small --table /dev/full heart
fail 1 "can't open results nowhere/a: No such file"                   randsvm-grid -out nowhere/a -png null heart
fail 1 'h60 holds rows of data: say --force'                          'cp h60 before; randsvm-grid -out h60 -png null heart'
ok 'and they are kept'                cmp h60 before

# ---- options ----

fail 1 '-c: use -log2c, or -log2c null with it'       randsvm-grid -c 1 heart
fail 1 '-g: use -log2g, or -log2g null with it'       randsvm-grid -g 1 heart
fail 1 '-log2c is not for -s 1'                       randsvm-grid -s 1 -log2c 1,3,1 heart
fail 1 '-log2g is not for -t 0'                       randsvm-grid -t 0 -log2g 1,3,1 heart
fail 1 '-log2p is not for -s 0'                       randsvm-grid -log2p 1,3,1 heart
fail 1 '-log2n is not for -s 3'                       randsvm-grid -s 3 -log2n -3,0,1 sinc
fail 1 '-log2n: 1 is above 0'                         randsvm-grid -s 4 -log2n -3,1,1 sinc
fail 1 'no axis is left to search'                    randsvm-grid -log2c null -log2g null heart
fail 1 "-log2c: expected begin,end,step or null, got '1,2'"  randsvm-grid -log2c 1,2 heart
fail 1 "-log2c: expected begin,end,step or null, got '1,2,x'" randsvm-grid -log2c 1,2,x heart
fail 1 '-log2c: steps of -1 do not lead from 1 to 2'  randsvm-grid -log2c 1,2,-1 heart
fail 1 '-log2c: the step is 0'                        randsvm-grid -log2c 1,2,0 heart
fail 1 '-log2c: more than 1000 values'                randsvm-grid -log2c 1,2,0.0001 heart
fail 1 '-log2c: 2000 is above 1000'                   randsvm-grid -log2c 1,2000,1999 heart
fail 1 '--measure mse is for -s 3 and -s 4'           randsvm-grid --measure mse heart
fail 1 '--measure auc is for -s 0, 1 and 2'           randsvm-grid -s 3 --measure auc sinc
fail 1 '--measure log-loss needs -b 1'                randsvm-grid --measure log-loss heart
fail 1 '--race is not for --measure auc'              randsvm-grid --race --measure auc heart
fail 1 'cannot use --race and --one-se'               randsvm-grid --race --one-se heart
fail 1 'cannot use --shard and --model'               randsvm-grid --shard 1/2 --model m heart
fail 1 'cannot use --shard and --refine'              randsvm-grid --shard 1/2 --refine heart
fail 1 'cannot use --merge and --refine'              randsvm-grid --merge --refine whole
fail 1 'cannot use --shard and --nested'              randsvm-grid --shard 1/2 --nested 3 heart
fail 1 'cannot use -resume and --merge'               randsvm-grid --merge -resume whole heart
fail 1 '--data needs --merge'                         randsvm-grid --data heart heart
fail 1 '--model needs --data with --merge'            randsvm-grid --merge --model m whole
fail 1 "--shard: expected I/N, 1 <= I <= N, got '3/2'"  randsvm-grid --shard 3/2 heart
fail 1 "one file name too many: 'h60'"                randsvm-grid heart h60
fail 1 'n-fold cross validation: n must >= 2'         randsvm-grid -v 1 heart
fail 1 '--loss squared is for -t 0'                   randsvm-grid --loss squared heart
fail 1 "'heart' and 'heart' are the same file"        randsvm-grid --model heart heart
fail 1 "-out: a file has to have a name"              randsvm-grid -out - heart
fail 1 "Unknown option: -log2k; did you mean '-log2c'"  randsvm-grid -log2k 1,2,1 heart
ok 'two dashes as well'  'randsvm-grid -q --log2c=-1,5,2 --log2g -7,-1,2 $none heart | cmp - whole.lines'

# ---- Ctrl-C and the time limit ----

# interrupted: the best point so far is printed and trained, and the program dies by the signal
interrupted()
{
	rm -f i.model
	# nobody waits for the end of this one
	struck INT '[ "$(wc -l <stdout)" -ge 4 ]' env --default-signal=INT \
		randsvm-grid -q -b 1 -log2c -1,5,0.01 $none --model i.model h60
	[ $? = 130 ] && cat stderr &&
		grep 'warning: interrupted: the best point so far is chosen' stderr &&
		randsvm-train -q -b 1 $(tail -n 1 stdout | awk '{ print "-c", $1, "-g", $2 }') h60 j.model && cmp i.model j.model
}
if env --default-signal=INT true 2>/dev/null; then
	ok 'Ctrl-C'  interrupted
else
	skip 'env cannot reset signals'
fi
fail 1 'no point has a rate: the search ended before the first'  randsvm-grid -q $none --time-limit 0.000001 heart
# a point that is known already: on a busy machine no other may be in time
ok 'a time limit' \
	'echo "log2c=0 log2g=0 rate=1" >known
	randsvm-grid -q -b 1 -log2c -5,15,0.1 -log2g -7,3,1 $none -resume known --time-limit 0.5 a300 >lines 2>messages; cat messages
	grep "reaching the time limit: the best point so far is chosen" messages && tail -n 1 lines | awk "NF != 3 { exit 1 }"'
