# Slips of the hand that are caught: wrong options and their order, wrong files, wrong data.
#
# Each is answered by one line on standard error that begins with the program's name.

. "$TOP/test/helpers.bash"

mkdir here
cd here || exit 1

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
head -n 100 heart >h100
randsvm-train -q h100 model

# one_line COMMAND...: it fails with nothing on stdout and one line on stderr, which begins with the
# program's name; the files here are as they were
one_line()
{
	local status before
	before=$(ls -A)
	"$@" >../stdout 2>../stderr
	status=$?
	cat ../stdout ../stderr
	[ $status = 1 ] && [ ! -s ../stdout ] && [ "$(wc -l <../stderr)" = 1 ] &&
		grep "^$1: " ../stderr >/dev/null && diff <(echo "$before") <(ls -A)
}

# says TEXT COMMAND...: one_line, with this text
says() { one_line "${@:2}" && holds ../stderr "$1"; }

# ---- options behind the file names ----

for word in -c -q -x --strict; do
	ok "train: $word for a model" says "randsvm-train: options go before the file names: '$word'" randsvm-train \
		h100 $word 10
	ok "eval: $word behind" says "svm-eval: options go before the file names: '$word'" svm-eval h100 model $word
	ok "project: $word behind" says "rp-project: options go before the file names: '$word'" rp-project -k 3 h100 \
		$word 10
	ok "select: $word behind" says "fs-select: options go before the file names: '$word'" fs-select -k 3 h100 \
		out $word 10
	ok "fold: $word behind" says "svm-fold: options go before the file names: '$word'" svm-fold -v 3 h100 $word \
		10
	ok "gen: $word behind" says "svm-gen: options go before the file names: '$word'" svm-gen twonorm -n 3 out \
		$word 10
done
ok 'train: of three names the last is the model' '! randsvm-train h100 m extra 2>../stderr &&
	holds ../stderr "input file m: No such file" && [ ! -e extra ]'
ok 'eval: a fourth name'                  says "svm-eval: one file name too many: 'extra'" svm-eval h100 model p extra
ok 'gen: two files'                       says "svm-gen: one file name too many: 'b'" svm-gen twonorm -n 3 a b
ok './-c is a file name' \
	'mkdir cwd; (cd cwd; randsvm-train -q ../h100 ./-c && files_are -c && same_files ../model ./-c); rm -r cwd'
ok '- is one, too'                        'randsvm-train -q h100 - >m && same_files model m; rm -f m'

# ---- a file option that would take the next option for its file ----

ok 'train: --report -q' says "randsvm-train: --report: expected a file name, got '-q'; try" randsvm-train --report \
	-q h100 m
ok 'project: -s -z' says "rp-project: -s: expected a file name, got '-z'" rp-project -k 5 -s -z h100 out
ok 'select: --names --list' says "fs-select: --names: expected a file name, got '--list'" fs-select -k 5 --names \
	--list h100
ok 'eval: --certify -c' says "svm-eval: --certify: expected a file name, got '-c'" svm-eval --certify -c 10 h100 \
	model
ok 'project: --cw -k'                     says "rp-project: --cw: expected Q,A,V, got '-k'" rp-project --cw -k 8 h100
ok '--report - is standard output'        'fs-select -q -k 3 --report - h100 x | grep "\"program\""; rm -f x'
ok '--report=-q was meant so'             'randsvm-train -q --report=-q h100 m && test -s ./-q; rm -f m ./-q'
ok 'other values may begin with -'        'randsvm-train -q -t 1 -r -1 h100 m; rm -f m'

# ---- unknown options ----

for program in randsvm-train randsvm-grid svm-eval rp-project fs-select svm-fold; do
	ok "$program: a letter"           says "$program: Unknown option: -x; try '$program --help'" $program -x 3 h100
	ok "$program: a letter, last"     says "$program: Unknown option: -x; try" $program -x
	ok "$program: a name" says "$program: Unknown option: --nope; try '$program --help'" $program --nope h100
	ok "$program: --thread" says "$program: Unknown option: --thread; did you mean '--threads'?" $program \
		--thread 2 h100
	ok "$program: --hepl" says "$program: Unknown option: --hepl; did you mean '--help'?" $program --hepl
	ok "$program: -V"                 "$program -V >a && $program --version >b && cmp a b; rm -f a b"
done
for program in svm-eval rp-project fs-select svm-fold svm-gen; do
	ok "$program: -h"                 "$program -h >a && $program --help >b && cmp a b; rm -f a b"
done
ok 'train: -h is shrinking'               'randsvm-train -q -h 0 h100 m; rm -f m'
ok 'a name cut short'                     says "did you mean '--certificate'?" rp-project --cert -k 4 h100
ok 'a letter wrong' says "did you mean '--stratified'?" svm-fold --startified -v 3 -f 1 --test h100
ok 'with a value' says "Unknown option: --sed=4; did you mean '--seed'?" rp-project --sed=4 -k 4 h100
ok 'one dash for two' says "rp-project: Unknown option: -seed; did you mean '--seed'?" rp-project -seed 4 -k 4 h100
ok 'a word for a letter'                  says "fs-select: write '-c', not '-cost'" fs-select -cost 4 -k 4 h100
ok 'a glued number'                       says "rp-project: write '-k 5', not '-k5'" rp-project -k5 h100
ok 'a number behind ='                    says "rp-project: write '-k 5', not '-k=5'" rp-project -k=5 h100
ok 'two dashes for one' says "rp-project: Unknown option: --k; did you mean '-k'?" rp-project --k 5 h100
ok 'two dashes for one, with =' says "rp-project: Unknown option: --k=5; did you mean '-k'?" rp-project --k=5 h100
ok 'a question is asked' says "svm-fold: -f is missing: which fold? try 'svm-fold --help'" svm-fold -v 3 h100
ok 'train: a number behind ='             says "randsvm-train: write '-c 10', not '-c=10'" randsvm-train -c=10 h100 m
ok 'train: a glued number'                says "randsvm-train: write '-c 10', not '-c10'" randsvm-train -c10 h100 m
ok 'train: two of them'                   says "randsvm-train: write '-v 5', not '-v5'" randsvm-train -v5 -c10 h100 m
ok 'project: -m normalize' says "none; did you mean 'normalise'? try 'rp-project --help'" rp-project -m normalize \
	h100
ok 'select: -m levarage'                  says "uniform; did you mean 'leverage'? try" fs-select -m levarage -k 3 h100
ok 'select: a word like none of them'     says "t f uniform; try 'fs-select --help'" fs-select -m pearson -k 3 h100
ok 'an option without its value'          says "svm-fold: -v: needs a value" svm-fold -v
ok 'eval: an option of the training' says "svm-eval: Unknown option: -t; the model_file tells its machine and kernel" \
	svm-eval -t 2 h100 m
ok 'project: -y of svm-scale' says "rp-project: Unknown option: -y; svm-scale's -y LOWER UPPER is --range-y LOWER,UPPER" \
	rp-project -y -1 1 h100
ok 'no data from a wrong option'          'fs-select -x 3 h100 2>e | cmp - /dev/null; rm -f e'

# ---- options without effect ----

# unused WHERE OPTIONS COMMAND...: a note for each of these options, no other line, none with -q
unused()
{
	"${@:3}" >../stdout 2>../stderr || return
	cat ../stderr
	for option in $2; do
		echo "randsvm-train: note: $option has no effect $1"
	done | cmp - ../stderr && "$3" -q "${@:4}" >../stdout 2>../stderr && [ ! -s ../stderr ] && rm m
}
ok 'train: mode exact' unused 'in --mode exact' '-k --epsilon --delta --separable --sample-factor' randsvm-train -k \
	9 --epsilon 0.1 --delta 0.5 --separable --sample-factor 3 --sample 20 h100 m
ok 'train: mode direct' unused 'in --mode direct' '-k --sample --max-iter --solver' randsvm-train --mode direct -k 9 \
	--sample 20 --max-iter 2 --solver native h100 m
ok 'train: mode budget' unused 'in --mode budget' '-k --sample' randsvm-train --mode budget --budget 50 -k 9 \
	--sample 20 --max-iter 2 h100 m
ok 'train: mode paper' unused '' '' randsvm-train --mode paper -k 9 --sample 20 --sample-factor 3 --epsilon 0.3 \
	--max-iter 2 h100 m
ok 'train: mode reweight' unused 'in --mode reweight' '--sample-factor' randsvm-train --mode reweight -k 2 --sample \
	20 --sample-factor 3 --max-iter 2 h100 m
head -n 16 h100 >h16
ok 'train: LIBSVM alone' unused 'where LIBSVM trains on all examples' '--sample --max-iter' randsvm-train -t 0 \
	--sample 20 --max-iter 2 h16 m
ok 'train: one class against the rest' unused 'with --multiclass ovr' '--sample --max-iter' randsvm-train -t 0 \
	--multiclass ovr --sample 20 --max-iter 2 h100 m

# ---- files in the wrong place ----

gzip -c heart >heart.gz
rp-project -q -k 3 -s map heart small
randsvm-train -q -t 0 small small.model
svm-fold -v 4 -f 1 --test heart rows.gz
holding='holds rows of data: say --force to replace it by the'
ok 'train: data for a model'              says "randsvm-train: h100 $holding model" randsvm-train heart h100
ok 'train: data for a report'             says "randsvm-train: h100 $holding report" randsvm-train --report h100 heart m
ok 'train: packed data for a model'       says "rows.gz $holding model" randsvm-train heart rows.gz
ok 'train: binary rows for a model' \
	'rp-project --binary -k 3 heart b; says "b $holding model" randsvm-train heart b; r=$?; rm -f b; exit $r'
ok 'project: data for a map'              says "rp-project: h100 $holding map file" rp-project -k 3 -s h100 heart out
ok 'project: data for a model' says "rp-project: h100 $holding output file" rp-project -r map --fold small.model \
	h100
ok 'select: data for a list'              says "fs-select: h100 $holding output file" fs-select -k 3 --list heart h100
ok 'eval: data for predictions'           says "svm-eval: h100 $holding output file" svm-eval heart model h100
ok 'train: --force' \
	'cp h100 old && randsvm-train -q --force h100 old && same_files model old; rm -f old'
ok 'eval: --force' \
	'cp h100 old && svm-eval -q --force h100 model old && [ "$(head -c 2 old)" != "+1" ]; rm -f old'
ok 'select: --force' \
	'cp h100 old && fs-select -q -k 3 --force --list h100 old && [ "$(wc -l <old)" = 3 ]; rm -f old'
ok 'project: --force' \
	'cp h100 old && rp-project -q -k 3 --force -s old h100 x && grep -q projection old; rm -f old x'
ok 'a model may replace a model'          'cp small.model old && randsvm-train -q h100 old && cmp old model; rm -f old'
ok 'predictions may replace predictions' \
	'echo 1 >old && svm-eval -q h100 model old && [ "$(wc -l <old)" = 100 ]; rm -f old'
ok 'an empty file may be replaced'        ': >old && randsvm-train -q h100 old && cmp old model; rm -f old'

ok 'eval: model and data swapped'         'streams 1 "" "can'\''t open model file h100: it holds rows of data, which are named before the model" svm-eval model h100; rm -f stdout stderr'
ok 'eval: packed data for a model' \
	'streams 1 "" "it holds rows of data, which are named before" svm-eval model heart.gz; rm -f stdout stderr'
ok 'eval: an empty model'                 ': >empty; streams 1 "" "can'\''t open model file empty: it is empty" svm-eval h100 empty; rm -f stdout stderr empty'
ok 'train: a model for data'              'streams 1 "" "got '\''svm_type'\'': this is a model, not data" randsvm-train model heart.model; rm -f stdout stderr'

# ---- rows that do not fit the model ----

# notes STATUS TEXT COMMAND...: a note of this text on standard error; none with -q
notes()
{
	local status=$1 text=$2 got
	shift 2
	"$@" >../stdout 2>../stderr
	got=$?
	cat ../stdout ../stderr
	[ $got = "$status" ] && grep -F -e "$text" ../stderr && [ "$(grep -c '' ../stderr)" = 1 ] &&
		"$1" -q "${@:2}" >../stdout 2>../stderr && [ ! -s ../stderr ]
}

sed 's/^+1/3/; s/^-1/4/' h100 >other_classes
ok 'eval: other classes' notes 0 'svm-eval: note: no label of the test file is a class of the model' svm-eval \
	other_classes model
ok 'eval: features were not projected' notes 0 \
	'svm-eval: note: the highest feature is 13, the model'"'"'s is 3, and 76.2% of the values' svm-eval heart \
	small.model
ok 'eval: one class of them is known'     'streams 0 Accuracy "" svm-eval h100 model; rm -f stdout stderr'
ok 'eval: a few new words are usual' \
	'awk "NR == 7 { print \$0 \" 99:1\"; next } { print }" heart >more;
	streams 0 Accuracy "" svm-eval more model; r=$?; rm -f more stdout stderr; exit $r'
ok 'eval: fewer features are usual'       'streams 0 Accuracy "" svm-eval small model; rm -f stdout stderr'
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = (a[1] - 1) ":" a[2] } print }' heart >zero
randsvm-train -q -t 0 --model-format liblinear heart ll.model
ok 'eval: features from 0, LIBLINEAR' notes 0 \
	'svm-eval: note: the rows count features from 0, and the model has no feature 0' svm-eval zero ll.model
ok 'eval: features from 0, LIBSVM' notes 0 \
	'svm-eval: note: the rows count features from 0, and the model has no feature 0' svm-eval zero model
ok 'eval: model and rows from 0' \
	'randsvm-train -q zero m; streams 0 Accuracy "" svm-eval zero m; r=$?; rm -f m stdout stderr; exit $r'
# times N FILE: all values times N
times() { awk -v n="$1" '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] ":" a[2] * n } print }' "$2"; }
times 100 h100 >large
randsvm-train -q large large.model
ok 'eval: rows that were not scaled' notes 0 \
	'svm-eval: note: the values are 100 times those of the support vectors: were the rows scaled as the training rows' \
	svm-eval large model
ok 'eval: rows that were, and a model of rows that were not' notes 0 \
	'svm-eval: note: the values are 1/100 of those of the support vectors: were the rows scaled as the training rows' \
	svm-eval h100 large.model
# log2 of expressions, of which ranges make 0 to 1
awk 'BEGIN { srand(3); for (i = 0; i < 200; i++) { printf "%d", i % 2; for (k = 1; k <= 20; k++) printf " %d:%.2f", k, 6 + 4 * rand() + (i % 2) * (k < 4); print "" } }' >genes
head -n 100 genes >some && tail -n 100 genes >others && rp-project -q -m scale -l 0 -s ranges some scaled && randsvm-train -q scaled genes.model
ok 'eval: rows a few times as large, most of whose values no support vector has' \
	'svm-eval others genes.model 2>err; cat err; grep -E "note: the values are 1?[0-9](\.[0-9]*)? times those of the support vectors: were the rows scaled" err'
ok 'eval: not where they were'            'rp-project -q -r ranges others scaled && streams 0 Accuracy "" svm-eval scaled genes.model; r=$?; rm -f stdout stderr; exit $r'
ok 'eval: nor where a feature goes on'    'awk "{ \$2 = \"1:\" NR; print }" genes >on && head -n 100 on >on1 && randsvm-train -q on1 on.model && svm-eval on on.model 2>err && ! grep scaled err'
rm -f genes some others ranges scaled genes.model err on on1 on.model
ok 'eval: both were not'                  'streams 0 Accuracy "" svm-eval large large.model; r=$?; rm -f stdout stderr; exit $r'
ok 'eval: a few rows of another size are usual' \
	'(times 1e9 <(head -n 10 h100); tail -n 90 h100; echo 1; tail -n 90 h100) >some;
	streams 0 Accuracy "" svm-eval some model; r=$?; rm -f some stdout stderr; exit $r'
ok 'eval: 29 rows are too few to tell' \
	'head -n 29 large >some; streams 0 Accuracy "" svm-eval some model; r=$?; rm -f some stdout stderr; exit $r'
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d 1:%d 2:%d\n", i % 5, 100 + i % 5 * 10 + i * 7 % 6, 100 + i * 11 % 13 }' >fives
ok 'eval: weights in place of support vectors have no scale' \
	'randsvm-train -q -t 0 --compact fives compact.model; streams 0 Accuracy "" svm-eval fives compact.model; r=$?; rm -f compact.model stdout stderr; exit $r'
awk '{ printf "%s 0:%d", $1, NR; for (i = 1; i <= 40; i++) printf " %d:%g", i, 1e5 * (i == NR); print "" }' <(head -n 40 fives) >products
ok 'eval: nor numbers of rows of a precomputed kernel' \
	'randsvm-train -q -t 4 products products.model; streams 0 Accuracy "" svm-eval products products.model; r=$?; rm -f products.model stdout stderr; exit $r'
ok 'eval: rows and vectors of sizes that do not go together' \
	'times 1e300 h100 >some && randsvm-train -q -g 1e40 <(times 1e-20 h100) tiny.model && svm-eval some tiny.model 2>err; grep "the values are 1.01e+304 times" err; r=$?; rm -f some tiny.model err; exit $r'
rm -f zero other_classes large large.model fives products

# ---- rows without labels ----

cut -d ' ' -f 2- h100 >bare
ok 'eval: rows without labels'            'svm-eval -q h100 model a; svm-eval -q bare model b; same_files a b'
ok 'eval: they are not measured' \
	'streams 0 "" "svm-eval: note: 100 of 100 rows have no label: they are predicted, and not measured" \
	svm-eval bare model b;
	rm -f stdout stderr'
# targets that are whole numbers are told apart as classes unless --regression is given
ok 'select: many labels' \
	'awk "{ \$1 = NR % 60; print }" h100 >sixty; fs-select -k 3 -m f sixty out 2>err; cat err;
	grep "warning: sixty: 60 classes in 100 rows; for a regression say --regression" err &&
	fs-select --regression -k 3 -m f sixty out2 2>err; ! grep warning err; r=$?; rm -f sixty out out2 err; exit $r'
ok 'eval: labels here and there' \
	'{ head -n 50 h100; tail -n 50 bare; } >half; head -n 50 h100 >h50; svm-eval h50 model >a;
	svm-eval half model b 2>e | cmp - a && grep "50 of 100 rows" e; r=$?; rm -f half h50 a b e; exit $r'
ok 'eval: no accuracy without any'        '[ -z "$(svm-eval bare model b 2>/dev/null)" ]; rm -f b'
ok 'eval: qid first' \
	'[ "$(printf "qid:3 1:0.7 2:1\n" | svm-eval -q - model -)" = \
	"$(printf "1 1:0.7 2:1\n" | svm-eval -q - model -)" ]'
ok 'eval: a stream of one row'            '[ "$(printf "1:0.5 2:1\n" | svm-eval - model - 2>/dev/null)" ]'
ok 'eval: --metrics needs labels' says 'svm-eval: bare: no row has a label to measure by' svm-eval --metrics bare \
	model
ok 'eval: --metrics beside predictions' \
	'svm-eval -q bare model a;
	notes 0 "100 of 100 rows have no label: they are predicted, and not measured" svm-eval --metrics bare model b &&
	same_files a b && [ ! -s ../stdout ]; r=$?; rm -f a b; exit $r'
ok 'eval: ... of an empty part' \
	'notes 0 "no examples" svm-eval --allow-empty --metrics - model b </dev/null && [ ! -s b ]; r=$?; rm -f b; exit $r'
ok 'eval: --roc needs labels' says \
	'svm-eval: bare: no row has a label to measure by; to predict alone, leave out --roc and name an output_file' \
	svm-eval --roc b.tsv bare model b
ok 'eval: with probabilities' \
	'randsvm-train -q -b 1 h100 pm; svm-eval -q -b 1 h100 pm a; svm-eval -q -b 1 bare pm b; same_files a b;
	r=$?; rm -f a b pm; exit $r'
ok 'eval: --strict wants labels' \
	'streams 1 "" "expected a label" svm-eval --strict bare model; rm -f stdout stderr'
ok 'train: labels are needed' \
	'streams 1 "" "(a row begins with its label; put 0 where it is not known, but leave out such rows to train, unless for a one-class SVM)" randsvm-train bare m;
	rm -f stdout stderr'

# ---- training data that are probably not meant so ----

# noted TEXT COMMAND...: training says so on standard error, in one line; a note not with -q, a warning
# then, too
noted()
{
	randsvm-train "${@:2}" m >../stdout 2>../stderr
	cat ../stderr
	grep -x -F -e "randsvm-train: $1" ../stderr && [ "$(wc -l <../stderr)" = 1 ] &&
		randsvm-train -q "${@:2}" m 2>../quiet && diff <(grep -v note: ../stderr) ../quiet && rm m
}

awk '{ print (NR % 2 ? 1 : -1), "1:" NR % 7, "2:" NR * 400 }' h100 >unlike
ok 'eval: some labels of other classes' \
	'sed "s/^-1/0/" heart >zero_one && randsvm-train -q heart hm && svm-eval zero_one hm 2>&1 |
	grep "note: 150 of 270 rows have a label that is no class of the model" && svm-eval heart hm 2>&1 >out |
	grep class && exit 1; true'
ok 'eval: features in place of kernel values' \
	'printf "1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n" >gram && randsvm-train -q -t 4 gram m4 &&
	svm-eval heart m4 2>&1 | grep "270 of 270 rows do not begin with 0:" && svm-eval gram m4 2>&1 >out |
	grep begin && exit 1; true'
ok 'project: no suggestion for two letters' \
	'rp-project -m l2 heart 2>&1 | grep -v "did you mean" | grep "expected one of"'
ok 'train: features of unlike sizes' noted \
	'note: features differ in size by a factor of 6.6e+03: scaling them alike (rp-project -m scale) may help much' \
	-g 1e-9 unlike
# one line of the two: which rows are alone is told where the other is not
ok '... with -q' 'randsvm-train -q unlike m 2>&1 | grep "^randsvm-train: warning: of 30 rows 30 have no other row near" && rm m'
ok 'train: not with a linear kernel' \
	'randsvm-train -t 0 unlike m 2>../stderr >../stdout; [ ! -s ../stderr ]; r=$?; rm -f m; exit $r'
ok 'train: as svm-train in --mode direct' \
	'randsvm-train --mode direct unlike m 2>../stderr >../stdout; [ ! -s ../stderr ]; r=$?; rm -f m; exit $r'
# rows of features of one size, for which the default of gamma is too large by far; no two of them are near
awk 'BEGIN { srand(1); for (i = 0; i < 120; i++) { c = i % 3; printf "%d", c
	for (j = 1; j <= 16; j++) printf " %d:%d", j, 30 * (c + 1) + 25 * (rand() + rand() - 1); print "" } }' >hundred
# told FILE OPTION...: training says that rows have no other near, and names a gamma of which cross validation is right
told()
{
	randsvm-train "${@:2}" "$1" m 2>err >out && cat err && [ "$(wc -l <err)" = 1 ] && randsvm-train -q "${@:2}" "$1" m 2>&1 >out | diff - err &&
		gamma=$(sed -n "s/^randsvm-train: warning: of 30 rows .. have no other row near.*rp-project -m scale), or say -g //p" err) &&
		right=$(randsvm-train -q -v 3 -g "$gamma" "$1" | sed 's/.* = \([0-9]*\).*/\1/') && [ "$right" -ge 95 ]
}
# noise of size 1e4, whose products doubles hold to 1: training and cross validation warn, with -q too
awk 'BEGIN { srand(2); for (i = 0; i < 120; i++) print 2 * int(2 * rand()) - 1, "1:" 1e4 * rand(), "2:" 1e4 * rand() }' >coarse
for v in '' '-v 3' '-v 3 -b 1'; do
	ok "train: doubles are too coarse, $v" 'randsvm-train -q -t 1 -d 2 -g 1 '"$v"' coarse $([ -n "'"$v"'" ] || echo m) 2>&1 >out |
	tee /dev/stderr | grep "^randsvm-train: warning: .* violate .* C times the largest kernel value .*scale the features"'
done
ok 'train: a gamma too large for features of size 100'  told hundred
ok '... with folds'  'randsvm-train -v 3 hundred 2>err >out; grep "have no other row near" err && grep -E "= [1-4]?[0-9](%|\.)" out'
ok 'train: a gamma too large for features of size 1'    'times .01 hundred >ones && told ones -g 100 && ! randsvm-train ones m 2>&1 >out | grep .'
ok 'train: nine of ten in pairs'  'cat hundred hundred >pairs && ! randsvm-train pairs m 2>&1 >out | grep near'
ok '... and other kernels'  '! randsvm-train -t 1 hundred m 2>&1 >out | grep near'
# constant SIZE ROWS MODEL: svm-eval says that nearly all rows get one class, and why
constant() { svm-eval "$2" "$3" 2>&1 | tee out | grep "^svm-eval: note: [0-9.]*% of the rows are predicted as .*, which is the label of .* is too $1 for these features"; }
head -n 60 hundred >first; tail -n 60 hundred >rest
ok 'eval: a constant, as gamma is too large'  'randsvm-train -q first m && constant large rest m'
ok '... and not with a better one'   'randsvm-train -q -g 0.0003 first m && ! constant large rest m && grep "= 100%" out'
ok 'eval: chosen features with the default of gamma' \
	'for f in first rest; do times .01 $f | sed "s/\([0-9]*\):/\1\1\1:/g" >$f.k; done && sed -n "1~3p; 2~6p; 3~6p" first.k >uneven && mv uneven first.k &&
	randsvm-train -q first.k m && constant small rest.k m &&
	gamma=$(sed -n "s/.*or train with -g //p" out) && randsvm-train -q -g $gamma first.k m && ! constant small rest.k m && grep "= 100%" out'
ok 'eval: rows of one class alone'  'randsvm-train -q -g 0.0003 first m && grep "^1 " rest >of_one && ! svm-eval of_one m 2>&1 >out | grep .'
# of two rows each is predicted by the other alone, and of four as well
for rows in '-1 1:-1 2:-1\n1 1:1 2:1\n' '-1 1:1\n1 1:2\n-1 1:3\n1 1:4\n'; do
	ok 'probabilities that contradict decision values' \
		"printf -- '$rows' >opposed && randsvm-train -b 1 -t 0 opposed m 2>&1 >out | grep 'note: probabilities contradict decision values for 1 of 1 pairs' &&
		svm-eval -q -b 1 opposed m 2>&1 >out | grep 'warning: .*predict without -b 1' && ! svm-eval -q opposed m 2>&1 >out | grep ."
done
ok '... in cross validation, of noise' \
	'awk "BEGIN { srand(1); for (i = 0; i < 40; i++) print 2 * (i % 2) - 1, \"1:\" rand(), \"2:\" rand() }" >noise
	randsvm-train -b 1 -t 0 -v 3 noise 2>&1 >out | grep "note: probabilities contradict decision values for [1-3] pairs of classes in all folds" &&
	! randsvm-train -t 0 -v 3 noise 2>&1 | grep contradict && ! randsvm-train -b 1 -v 3 heart 2>&1 | grep contradict'
ok '... and none for others' \
	'randsvm-train -b 1 heart m 2>err >out && ! grep . err && ! svm-eval -b 1 heart m 2>&1 >out | grep .'
ok '... nor for a regression'  'randsvm-train -s 3 -b 1 "$T/sinc" m 2>err >out && ! grep contradict err'
for method in cw rs gaussian fht; do
	ok "project: as many columns as features, $method" \
		"rp-project -m $method -k 13 -s map heart p 2>&1 >out | grep 'note: 13 columns of 13 features: ' &&
		! rp-project -m $method -k 12 heart p 2>&1 >out | grep columns && ! rp-project -r map heart p 2>&1 >out | grep columns"
done
ok 'project: maps of kernels'  '! rp-project -m rff -g 1 -k 20 heart p 2>&1 >out | grep columns'
ok 'train: zeros that are not written' \
	'awk "{ print \$1, (NR % 2 ? \"1:1000\" : \"\"), \"2:\" 1000.5 + NR % 2 }" h100 >sparse;
	randsvm-train sparse m 2>&1 >../stdout | grep -F "by a factor of 1e+03:"; r=$?; rm -f m sparse; exit $r'
ok 'train: bytes are of one size' \
	'awk "{ print \$1, \"1:\" NR % 2, \"2:\" NR * 2.55 }" h100 >bytes;
	randsvm-train bytes m 2>../stderr >../stdout; [ ! -s ../stderr ]; r=$?; rm -f m bytes; exit $r'
ok 'train: scaled data' \
	'randsvm-train heart m 2>../stderr >../stdout; [ ! -s ../stderr ]; r=$?; rm -f m; exit $r'
# of ten times the features: as after fs-select, with two explicit zeros that are no values
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = 11 * a[1] ":" a[2] } sub(/ /, " 2:0 3:0 "); print }' heart >few
for options in '-t 1' '-t 2' '-t 3' '-s 1'; do
	ok "train: few features, $options" noted \
		'warning: 13 of 143 features have values: gamma is 1/143 by default, and 1/13 with -g 0.0769' $options \
		few
done
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = 3 * a[1] ":" a[2] } print }' heart >third
awk '{ for (i = 2; i <= NF; i++) if ((i + NR) % 3) $i = ""; print }' third >sparse
for program in randsvm-train 'randsvm-grid -log2c 0,1,1'; do
	ok "${program%% *}: few features, and folds" "$program -t 0 -v 3 few 2>&1 | grep -F ': warning: 13 of 143 features have values: if they were chosen by these rows, cross validation'"
	ok "${program%% *}: few features of dense rows, and folds" "$program -t 0 -v 3 third 2>&1 | grep -F ': warning: 13 of 39 features have values: if they were chosen by these rows, cross validation'"
	ok "${program%% *}: as many of sparse rows"     "$program -t 0 -v 3 sparse >told 2>&1 && ! grep 'features have values' told"
	ok "${program%% *}: not of all of them" "$program -t 0 -v 3 heart >log 2>&1; ! grep note log"
done
for options in '-g 0.01' '-t 0' '--mode direct'; do
	ok "train: no note with $options" \
		"! randsvm-train $options few m 2>&1 | grep -E 'note|warning'; r=\$?; rm -f m; exit \$r"
done
ok 'train: a tenth of the features' \
	'awk "{ print \$0, \"14:1\"; print \$1, \"140:1\" }" heart >tenth; ! randsvm-train tenth m 2>&1 |
	grep note; r=$?; rm -f m tenth; exit $r'
ok 'train: short rows of many features' \
	'svm-gen text -q -n 200 >words; ! randsvm-train words m 2>&1 | grep note; r=$?; rm -f m words; exit $r'
ok 'train: huge indices' \
	'printf "1 1:1 2147483647:9999\n-1 2:1\n" >huge; randsvm-train -g 1 huge m 2>../stderr >../stdout;
	[ ! -s ../stderr ]; r=$?; rm -f m huge; exit $r'
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = (a[1] - 1) ":" a[2] } print }' h100 >zero
ok 'train: features from 0'               noted 'note: zero counts features from 0; test data must do so too' zero
ok 'train: -t 4 has a column 0' \
	'printf "1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n" >gram; randsvm-train -t 4 gram m 2>../stderr >../stdout;
	[ ! -s ../stderr ]; r=$?; rm -f m gram; exit $r'
awk '{ $1 = NR % 23 / 1000; print }' heart >near
ok 'train: -s 2 of LIBLINEAR' noted \
	"note: -s 2 is a one-class SVM, which does not look at the labels 1 and -1; LIBLINEAR's -s 2 is -t 0 --loss squared" \
	-s 2 heart
for s in 3 4; do
	ok "train: -s $s of LIBLINEAR" noted \
		"note: -s $s is a regression, and its targets are 1 and -1: -s 0 classifies; LIBLINEAR's -s 3 is -t 0" \
		-s $s -t 0 heart
done
ok 'train: who names a kernel means LIBSVM' \
	'! randsvm-train -s 2 -t 2 heart m 2>&1 | grep LIBLINEAR; r=$?; rm -f m; exit $r'
for s in 2 3 4; do
	ok "train: -s $s, other labels" \
		"sed 's/^-1/0/' heart >zero_one; ! randsvm-train -s $s zero_one m 2>&1 | grep LIBLINEAR; r=\$?;
		rm -f m; exit \$r"
	ok "train: -s $s, one label" \
		"sed 's/^-1/1/' heart >ones; ! randsvm-train -s $s ones m 2>&1 | grep LIBLINEAR; r=\$?; rm -f m;
		exit \$r"
done
rm -f zero_one ones
ok 'train: a tube around all targets' noted \
	'note: no target is further than -p 0.1 from 0.011: the model is a constant' -s 3 near
ok 'train: a wide gap without violators' \
	'randsvm-train -q --solver libsvm -e 1 heart m 2>err; grep "relative gap is above 0.01.*try a smaller -e$" err &&
	randsvm-train -q --solver libsvm heart m 2>err && [ ! -s err ]; r=$?; rm -f m err; exit $r'
ok 'train: --gap that is not reached' \
	'randsvm-train -c 100 --gap 1e-12 heart m 2>err && grep "relative gap is above 1e-12, though no example violates" err &&
	randsvm-train -c 100 --gap 1e-6 heart m 2>err && [ ! -s err ]; r=$?; rm -f m err; exit $r'
ok 'train: a gap of rounding'             'randsvm-train -s 3 near m 2>err >out; grep "relative gap = [1-9]" out &&
	! grep "relative gap" err; r=$?; rm -f m err out; exit $r'
ok 'train: the same width' noted 'note: no target is further than -p 0.011 from 0.011: the model is a constant' -s 3 \
	-p 0.011 near
ok 'train: a narrower tube' \
	'! randsvm-train -s 3 -p 0.0109 near m 2>&1 | grep note; r=$?; rm -f m; exit $r'
ok 'train: nu finds its tube'             '! randsvm-train -s 4 near m 2>&1 | grep note; r=$?; rm -f m; exit $r'
awk '{ $1 = NR % 60; print }' heart >sixty
ok 'train: many classes' noted \
	'warning: sixty: 60 classes in 270 rows, 1770 pairs to train; for a regression say -s 3' sixty
# rings of abalones: 1 to 29 but for 28, most of them about 10
svm-gen friedman -q -n 1000 | awk '{ r = int($1); $1 = r < 1 ? 1 : r > 27 ? 29 : r; print }' >rings
ok 'train: counts that seem classes' noted \
	"warning: rings: 28 classes in 1000 rows, 378 pairs to train; for a regression say -s 3" rings
awk '{ $1 = NR % 26; print }' rings >letters
ok 'train: classes of one size'           '! randsvm-train letters m 2>&1 | grep warning; r=$?; rm -f m; exit $r'
awk '{ $1 = $1 * 100; print }' rings >codes
ok 'train: numbers far apart'             '! randsvm-train codes m 2>&1 | grep warning; r=$?; rm -f m; exit $r'
ok 'train: they may be targets' \
	'randsvm-train -s 3 sixty m 2>../stderr >../stdout; [ ! -s ../stderr ]; r=$?; rm -f m; exit $r'
ok 'train: twenty classes are few' \
	'awk "{ \$1 = NR % 20; print }" h100 >twenty; randsvm-train twenty m 2>../stderr >../stdout;
	[ ! -s ../stderr ]; r=$?; rm -f m twenty; exit $r'
ok 'train: fractions for classes' \
	'sed "s/^+1/21.6/" h100 >targets;
	streams 1 "" "Wrong input format: targets: class labels are integers, but example 1 has 21.6; for a regression say -s 3" randsvm-train targets m;
	r=$?; rm -f targets stdout stderr; exit $r'
ok 'train: the limit of iterations' \
	'randsvm-train -t 1 -g 1000 -d 5 -c 1e6 --max-iter 3 unlike m 2>../stderr >../stdout;
	! grep -i "reaching max number of iterations" ../stderr || grep "takes fewer iterations" ../stderr; r=$?;
	rm -f m; exit $r'

# ---- precomputed kernels ----

# gram N [NUMBERS]: rows of the kernel min(i, j), numbered by an expression of awk in i
gram()
{
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) {
		printf "%d 0:%d", i % 2 * 2 - 1, '"${2:-i}"'
		for (j = 1; j <= n; j++) printf " %d:%d", j, i < j ? i : j
		print "" } }'
}
# remarks TEXT COMMAND...: it succeeds, with this text on standard error; '' for nothing there
remarks() { "${@:2}" >../stdout 2>../stderr && cat ../stderr && holds ../stderr "$1"; }

gram 9 >gram
gram 9 1 >ones
gram 9 'i < 5 ? i : i - 4' >again
sed '4s/ 7:4/ 7:5/' gram >lopsided
sed -n '2,5p;8p;2p' gram >some
sed -n '1,6p' gram >begin
sed 's/\([1-9]\)\( \|$\)/\1.000001\2/3' gram >rounded
for mode in '' '-v 3' '--mode budget --budget 4' '-s 3' '-s 2 -n .5'; do
	model=m
	[ "$mode" = '-v 3' ] && model=
	ok "one number for all rows: $mode" says 'rows 1 and 2 differ, and have the same serial number, 1' \
		randsvm-train -t 4 -q $mode ones $model
	ok "numbers from 1 again: $mode" says 'rows 1 and 5 differ, and have the same serial number, 1' \
		randsvm-train -t 4 -q $mode again $model
	ok "a kernel that is not symmetric: $mode" remarks 'not symmetric: row 7 has 4 with row 4, which has 5 with it' \
		randsvm-train -t 4 -q $mode lopsided $model
	for data in gram some begin rounded; do
		ok "nothing to say of $data: $mode" remarks '' randsvm-train -t 4 -c .1 -q $mode $data $model
	done
done
ok 'search: one number for all' says 'the same serial number' randsvm-grid -t 4 -log2c 0,1,1 -v 3 ones
ok '--mode direct trains, and says it' streams 0 '' 'warning: ones: rows 1 and 2 differ' randsvm-train -t 4 -q --mode direct \
	ones m
ok 'a column too many, or a part' remarks 'rows have 9 kernel values, and there are 6 rows' randsvm-train -t 4 begin m
ok '... not where numbers say so' '! randsvm-train -t 4 some m 2>&1 | grep "kernel values, and"'

# ---- integers of more digits than a double holds ----

printf '1 1:3 2:1\n-1 1:9007199254740993 2:2 # 12345678901234567\n1 2:12345678901234569\n-1 1:1 2:4\n' >ids
sed 's/:9007199254740993/:9007199254740992/;s/12345678901234569/12345678901234568/' ids >exact
printf '1 1:3\n2 1:4\n-12345678901234567 1:5\n' >targets
# notes COMMAND...: how many of its lines tell of such an integer
notes() { "$@" 2>&1 >../stdout | grep -c ': note: .*:[0-9]*:[0-9]*: .[-0-9]*. has more digits than a double holds, and is rounded$'; }
# once PLACE COMMAND...: a note tells of the first one, at this place, in one line, and none with -q
once() { [ "$(notes "${@:2}")" = 1 ] && "${@:2}" 2>&1 >../stdout | holds /dev/stdin " note: $1: '" && [ "$(notes "$2" -q "${@:3}")" = 0 ]; }
while read -r name command; do
	ok "$name: rounded"         "once ids:2:6 $command"
	ok "$name: not rounded"     "[ \$(notes ${command//ids/exact}) = 0 ]"
done <<'END'
train      randsvm-train ids ids.model
ovr        randsvm-train -v 2 ids
linear     randsvm-train -t 0 --mode direct ids ids.model
grid       randsvm-grid -log2c 0,0,1 -log2g 0,0,1 -v 2 -gnuplot null ids
project    rp-project -k 2 ids mapped
pca        rp-project -m pca -k 1 ids mapped
scale      rp-project -m scale ids mapped
nystrom    rp-project -m nystrom -k 2 ids mapped
select     fs-select -m t -k 1 ids chosen
convert    svm-convert --to csv ids mapped.csv
eval       svm-eval ids model
certify    svm-eval --certify ids ids.model
END
ok 'targets: rounded'           once targets:3:1 randsvm-train -s 3 targets ids.model
ok 'a pipe read twice: rounded' '[ "$(rp-project -m scale - mapped 2>&1 >../stdout <ids | grep -c "note: standard input:2:6: ")" = 1 ]'
ok 'in its place behind others' "(yes '1 1:1' | head -n 200000; cat ids) >long; once long:200002:6 rp-project -k 2 --threads 2 long mapped"
ok 'bytes of a fold are kept'   '[ "$(notes svm-fold -v 2 -f 1 --train ids fold)" = 0 ] && ! grep -vFxf ids fold'
