# A model file is the model that was trained: tables whose columns have a large part in common, such
# as numbers, times and amounts, in 8 digits of which their rows are the same.

. "$TOP/test/helpers.bash"

# ---- tables ----

printf '1 1:123456789\n1 1:123456790\n-1 1:123456780\n-1 1:123456781\n' >ids
printf '1 1:20240101123\n-1 1:20240101124\n' >two
# rows PROGRAM: lines of awk for u and v, the same numbers in 0 .. 1 each time
rows()
{
	awk "BEGIN { for (k = 1; k <= ${2:-200}; k++) { u = k * 0.6180339887 % 1; v = k * 0.7548776662 % 1; $1 } }"
}
rows 'printf "%d 1:%.6f 2:%.6f\n", ((u - .5) ^ 2 + (v - .5) ^ 2 < .1 ? 1 : -1), 1.7e9 + 100 * u, 1.7e9 + 100 * v' 300 >times
rows 'printf "%d 1:%.3f 2:%.9f\n", (v > .5 ? 1 : -1), 1e6 + u, v' >amounts
rows 'printf "%d 1:%.17ge160\n", (u > .5 ? 1 : -1), u' >large
rows 'printf "%.9g 1:%.6f 2:%.6f\n", sin(6 * u), 1.7e9 + u, 1.7e9 + v' 100 >regression
rows 'printf "%d 1:%.9f 2:%.9f 3:%.9f\n", (u > .5) + (v > .5), 1e6 + u, 1e6 + v, u * v' 150 >three
awk 'BEGIN { for (i = 0; i < 30; i++) printf "1 1:%d\n", 1000000000 + i }' >one

# decides TRAINING RIGHT: of the training rows the file gets at least so many percent right, and
# svm-predict decides by it as svm-eval does
decides()
{
	local data=${1##* } right=$2
	randsvm-train -q $1 m && svm-eval "$data" m predicted >line || return
	cat line
	awk -v right="$right" '{ exit !($3 + 0 >= right) }' line || return
	! command -v svm-predict >/dev/null || svm-predict -q "$data" m theirs && cmp predicted theirs
}

ok 'numbers, linear'                 decides '-t 0 ids' 100
ok 'numbers, RBF'                    decides '-g 1 ids' 100
ok 'two of eleven digits'            decides '-g 1 two' 100
ok 'times'                           decides '-g 0.01 -c 10 times' 99
ok 'amounts, linear'                 decides '-t 0 amounts' 96
ok 'amounts, nu-SVC'                 decides '-s 1 -n 0.2 amounts' 98
ok 'values that are large'           decides '-g 1 large' 100
ok 'three classes'                   decides '-g 10 -c 10 three' 98

# fits TRAINING CORRELATION: the file's predictions have this squared correlation with the targets
fits()
{
	randsvm-train -q $1 m && svm-eval "${1##* }" m | tee line
	awk -v least="$2" '/Squared/ { exit !($5 >= least) }' line
}
ok 'regression'                      fits '-s 3 -c 100 -g 1 -p 0.01 regression' 0.95
ok 'nu-SVR'                          fits '-s 4 -c 100 -g 1 regression' 0.95
ok 'one class: nu, not all or none, are outside' \
	'randsvm-train -q -s 2 -n 0.2 -g 0.01 one m && svm-eval one m p; n=$(grep -c "^-1" p); echo $n;
	[ $n -ge 3 ] && [ $n -le 9 ]'

# ---- every writer: the vectors are rows, digit by digit ----

# are_rows DATA MODEL: each vector of the model has the doubles of a row of the data
are_rows()
{
	awk 'function entry(text) { split(text, part, ":"); return sprintf("%s:%.17g", part[1], part[2]) }
	     NR == FNR { for (i = 2; i <= NF; i++) row[entry($i)] = 1; next }
	     vectors { n++; for (i = 2; i <= NF; i++) if (!(entry($i) in row)) { print $i; bad = 1 } }
	     /^SV/ { vectors = 1 }
	     END { exit bad || !n }' "$1" "$2"
}
ok 'randsvm-train'                   'randsvm-train -q -g 0.01 -c 10 times m && are_rows times m'
ok 'randsvm-grid' \
	'randsvm-grid -q -log2c 3,3,1 -log2g -7,-7,1 -gnuplot null --model m times && are_rows times m'
ok '--reduce'                        'randsvm-train -q -g 0.01 -c 10 times m && svm-eval -q --reduce 20 times m r && are_rows times r'
ok 'its coefficients trained'        'svm-eval -q --reduce 20 --retrain -c 10 times m r && are_rows times r'
ok '--repair'                        'svm-eval --certify times -c 10 --repair r m && are_rows times r'
ok '--start'                         'randsvm-train -q -g 0.01 -c 20 --start m times r && are_rows times r'
ok 'the digits of %.8g where these are the value' \
	'gzip -dc "$T/heart_scale.gz" >heart; printf "1 1:120000000 2:1e-5\n-1 1:0.5 2:1.25\n" >forms;
	for d in heart forms; do randsvm-train -q "$d" m && randsvm-train -q --mode direct "$d" d && sed "1,/^SV/d" m | cut -d" " -f2- >a;
	sed "1,/^SV/d" d | cut -d" " -f2- >b; same_files a b || return; done; grep -q "1:1.2e+08 2:1e-05" a'
ok 'forms of a model' \
	'randsvm-train -q -t 0 -c 100 amounts m && svm-eval amounts m p &&
	for form in --compact "--model-format liblinear"; do
	randsvm-train -q -t 0 -c 100 $form amounts f && svm-eval amounts f q && same_files p q || return; done'
ok 'landmarks' \
	'rp-project -q -m nystrom -g 0.01 -k 20 -s map times z && randsvm-train -q -t 0 z m && rp-project -r map --fold m f && are_rows times f'
ok 'rows of a projection, by their vectors' \
	'rp-project -q -k 2 -s map amounts z 2>err && randsvm-train -q -t 0 --sv-indices i z m && rp-project -r map --recover amounts --sv-indices i m f &&
	python3 "$TOP/test/plain_recover.py" m i amounts f'

# ---- certificates of files ----

ok 'of a file with all digits' \
	'randsvm-train -q -t 0 amounts m && streams 0 "violators = 0" "" svm-eval --certify amounts m'
# --mode direct writes as svm-train does
ok 'rows are known in 8 digits: the file is told from what is certified' \
	'randsvm-train -q --mode direct -g 1 two m; streams 0 "violators = 0" "8 digits only, as svm-train writes them: decision" svm-eval --certify two m'
ok 'rows are not known' \
	'randsvm-train -q --mode direct -g 0.01 -c 10 times m;
	streams 0 "Objective" "may be several that differ" svm-eval --certify times -c 10 m && ! grep -e "training set" -e "not the optimum" stderr'
fail 1 'are examples in 8 digits only' svm-eval --certify times -c 10 --repair r m
# rounding SEED: rows of values that 8 digits hardly tell apart, of many of which they are the middle
rounding()
{
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		offset = seed % 3 ? 10 ^ (6 + 3 * rand()) : int(10 ^ (6 + 3 * rand())) + .5
		n = 20 + int(rand() * 30); d = 1 + int(rand() * 4); step = seed % 2 ? .5 : .05
		form = " %d:%." 3 + int(rand() * 4) "f"
		for (i = 0; i < n; i++) {
			printf "%d", rand() < .5 ? 1 : -1
			for (j = 1; j <= d; j++)
				printf form, j, offset + (seed % 5 ? step * int(20 * rand()) : 6 * rand())
			print ""
		} }'
}
ok 'each vector has its row, which is the one that rounding makes of it' \
	'n=0; for seed in {1..30}; do rounding $seed >rows && randsvm-train -q --mode direct -s $((seed % 5)) -n .2 -g .01 rows m 2>err || continue
	svm-eval --certify rows m >out 2>err; ! grep "not among the examples" err || { echo "seed $seed"; return 1; }; n=$((n + 1)); done; [ $n -gt 20 ]'
ok 'the report'                      'svm-eval -q --certify times -c 10 --report report m; grep -q "\"optimal\":[[:space:]]*false" report'
ok 'no word where 8 digits are enough' \
	'rows "printf \"%d 1:%.17g 2:%.17g\n\", (u > .5 ? 1 : -1), u / 3, v / 3" >thirds; randsvm-train -q --mode direct thirds m &&
	streams 0 "violators = 0" "" svm-eval --certify thirds m'
ok 'a start from either' \
	'for mode in direct exact; do randsvm-train -q --mode $mode -g 1 -c 10 amounts m &&
	randsvm-train -g 1 -c 10 --start m amounts r >out 2>err && [ ! -s err ] && proved out 1e-3 || return; done'

# ---- --mode direct ----

ok 'what 8 digits lose is told' \
	'randsvm-train -q --mode direct -g 0.01 -c 10 times m 2>err; grep "8 digits, as svm-train does: decision values .* off by" err'
ok 'not where they lose nothing' \
	'for t in 0 1 2 3; do randsvm-train -q --mode direct -t $t thirds m 2>err && [ ! -s err ] || return; done'
if command -v svm-train >/dev/null; then
	ok "svm-train's bytes" \
		'for d in times amounts two; do svm-train -q -g 0.5 $d a; randsvm-train -q --mode direct -g 0.5 $d b 2>err; same_files a b || return; done'
else
	skip 'svm-train is not installed'
fi
