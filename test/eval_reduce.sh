# svm-eval --reduce: models of fewer support vectors, as defined, with the changes that are printed

. "$TOP/test/eval.bash"

# ---- the nearest decision function ----

# as_defined N DATA MODEL: vectors, coefficients and the change of the norm, computed by other means
as_defined()
{
	svm-eval --report report.json --reduce "$1" "$2" "$3" small >lines && cat lines &&
		python3 "$TOP/test/plain_reduce.py" reduced "$3" small >expected &&
		sed -n 's/^change of the decision function, in its norm = //p' lines | near - expected 1e-5
}
head -n 60 heart_scale >h60
awk 'NR % 4 == 1' three_class >t75
awk 'NR % 3 == 0' sinc >s33
randsvm-train -q -c 3 -g 0.1 h60 h60.model
ok 'two classes'           as_defined 7 h60 h60.model
randsvm-train -q -t 1 -g 0.2 -r 1 -d 2 h60 poly.model
ok 'polynomial'            as_defined 7 h60 poly.model
randsvm-train -q -c 10 -g 1 t75 t75.model
ok 'three classes'         as_defined 8 t75 t75.model
randsvm-train -q -s 3 -p 0.05 -c 4 s33 s33.model
ok 'regression'            as_defined 5 s33 s33.model
randsvm-train -q -s 2 -n 0.3 -g 0.5 h60 one.model
ok 'one-class'             as_defined 5 h60 one.model
randsvm-train -q -s 1 -n 0.4 -g 0.2 h60 nu.model
ok 'nu-SVC'                as_defined 6 h60 nu.model
ok 'a single vector'       as_defined 1 h60 h60.model

# all vectors: the model again
gives_back()
{
	svm-eval -q --reduce 100000 "$1" "$2" whole 2>err; cat err
	svm-eval --scores "$1" "$2" before && svm-eval --scores "$1" whole after && near before after "$3" &&
		grep -E '^(label|nr_class|rho|probA|probB)' "$2" >a && grep -E '^(label|nr_class|rho|probA|probB)' whole | cmp - a
}
ok 'all vectors: two classes'    gives_back heart_scale heart.model 1e-7
ok 'all vectors: three classes'  gives_back three_class three.model 1e-7
ok 'all vectors: regression'     gives_back sinc sinc.model 1e-7
ok 'all vectors: one-class'      gives_back h60 one.model 1e-9
if command -v svm-predict >/dev/null; then
	ok 'svm-predict takes it' \
		'svm-eval -q --reduce 20 three_class three.model small && svm-predict three_class small theirs >x &&
		svm-eval three_class small ours && cmp theirs ours'
else
	skip 'no svm-predict'
fi

# a cubic kernel of two features, whose functions have ten dimensions; vectors that occur twice
ok 'a kernel of ten dimensions' \
	'randsvm-train -q -s 3 -c 1 -t 1 -d 3 -r 1 -g 1 sinc cubic.model; [ $(sed "1,/^SV/d" cubic.model | wc -l) -gt 20 ] &&
	svm-eval --reduce 20 sinc cubic.model small >out 2>err; cat out err; grep "support vectors = .* -> 10$" out &&
	grep "10 support vectors are all that do not depend on others" err &&
	svm-eval --scores sinc cubic.model a && svm-eval --scores sinc small b && near a b 1e-6'
twice()
{
	awk '/^total_sv/ { $2 *= 2 } /^nr_sv/ { $2 *= 2; $3 *= 2 } { print } body { print } /^SV/ { body = 1 }' h60.model >twice.model
	svm-eval --scores h60 twice.model a && svm-eval -q --reduce 1000 h60 twice.model small 2>err && cat err &&
		[ "$(grep ^total_sv small)" = "$(grep ^total_sv h60.model)" ] && svm-eval --scores h60 small b && near a b 1e-8
}
ok 'each vector twice'     twice
ok 'coefficients of 0' \
	'awk "body { \$1 = 0 } { print } /^SV/ { body = 1 }" h60.model >zero.model && svm-eval --reduce 3 h60 zero.model small &&
	grep "total_sv 3" small && svm-eval --scores h60 zero.model a && svm-eval --scores h60 small b && near a b 0'
ok 'any number of threads' \
	'for n in 1 2 3; do svm-eval -q --threads $n --reduce 30 --retrain heart_scale heart.model small.$n || exit; done; cmp small.1 small.2 && cmp small.1 small.3'

# ---- trained anew ----

# retrained N C P DATA MODEL [OPTION...]: the objective printed is that of the file, and no small change lowers it
retrained()
{
	local n=$1 c=$2 p=$3 data=$4 model=$5
	shift 5
	svm-eval --reduce "$n" --retrain -c "$c" "$@" "$data" "$model" small >lines && cat lines &&
		python3 "$TOP/test/plain_reduce.py" trained "$data" small "$c" "$p" >expected &&
		sed -n 's/^objective = .* -> //p' lines >got && cat expected got &&
		awk -v e="$(cat expected)" '{ exit !(e - $1 < 1e-4 * e && $1 - e < 1e-4 * e) }' got
}
ok 'two classes'                 retrained 7 3 0 h60 h60.model -e 1e-6
ok 'two classes, polynomial'     retrained 9 1 0 h60 poly.model -e 1e-6
ok 'the other order of labels'   'sed "s/^-1/x/; s/^+1/-1/; s/^x/+1/" h60 | sort -r >other; randsvm-train -q -g 0.1 other other.model; retrained 7 1 0 other other.model -e 1e-6'
ok 'regression'                  retrained 6 4 0.05 s33 s33.model -p 0.05 -e 1e-6

# reaches OPTIONS DATA MODEL: all vectors, trained anew, are as good as the model, whose optimum they span
reaches()
{
	svm-eval -q --report report.json --reduce 100000 --retrain $1 "$2" "$3" whole 2>err; cat err
	python3 -c 'import json
r = json.load(open("report.json"))
print(r["before"], r["after"])
assert -1e-3 < r["after"]["objective"] / r["before"]["objective"] - 1 < 1e-6'
}
ok 'all vectors: the optimum'                   reaches '-c 3 -e 1e-5' h60 h60.model
ok 'all vectors: the optimum, three classes'    reaches '-c 10 -e 1e-5' t75 t75.model
ok 'all vectors: the optimum, regression'       reaches '-c 4 -p 0.05 -e 1e-5' s33 s33.model
ok 'all vectors: weights of classes' \
	'randsvm-train -q -c 2 -w1 3 -g 0.1 h60 w.model && reaches "-c 2 -w1 3 -e 1e-5" h60 w.model'
ok 'all vectors: one-class and machines of nu' \
	'randsvm-train -q -s 2 -n 0.3 -g 0.05 -e 1e-6 heart_scale one && randsvm-train -q -s 1 -n 0.4 -g 0.05 -e 1e-6 heart_scale nu &&
	for m in "one -n 0.3" "nu -n 0.4"; do set -- $m; svm-eval -q --reduce 1000 --retrain $2 $3 -e 1e-6 heart_scale $1 whole &&
	svm-eval --scores heart_scale $1 x && cut -d " " -f 2 x >a && svm-eval --scores heart_scale whole x && cut -d " " -f 2 x >b && near a b 1e-3 || exit; done'
ok 'better than the nearest function' \
	'svm-eval -q --reduce 6 --retrain -c 3 --report report.json h60 h60.model small && svm-eval -q --reduce 6 h60 h60.model near &&
	python3 "$TOP/test/plain_reduce.py" trained h60 near 3 0 >x 2>&1; grep AssertionError x'
ok 'it is not the training that decides what is kept' '[ "$(sed "1,/^SV/d; s/^[^ ]* //" small)" = "$(sed "1,/^SV/d; s/^[^ ]* //" near)" ]'
ok '--certify reads it' \
	'svm-eval --reduce 30 --retrain -c 1 -e 1e-6 heart_scale heart.model small >lines && svm-eval --certify heart_scale --verbose small >out 2>err; cat lines out err;
	grep "^Objective .*, nothing is proved: dual unknown$" out && sed -n "s/^objective = .* -> //p" lines >a && sed -n "s/^primal = \([0-9.]*\).*/\1/p" out | near - a 1e-4'

# ---- what is printed ----

ok 'changes of values and predictions' \
	'svm-eval --reduce 10 three_class three.model small >lines && svm-eval --scores three_class three.model a && svm-eval --scores three_class small b && cat lines &&
	paste -d " " a b | sed 1d | awk "{ same += \$1 == \$5; for (i = 2; i < 5; i++) { d = \$i - \$(i + 4); d = d < 0 ? -d : d; s += d; n++; m = d > m ? d : m } }
	END { printf \"%.4g %.4g %d\n\", s / n, m, same }" >expected &&
	sed -n "s/^change of decision values: mean = \(.*\), largest = \(.*\), of.*/\1 \2/p; s/.*same predictions = \([0-9]*\) .*/\1/p" lines |
	paste -s -d " " | awk "{ printf \"%.4g %.4g %d\n\", \$1, \$2, \$3 }" | diff - expected &&
	grep "Accuracy = $(svm-eval three_class three.model | sed "s/Accuracy = \(.*\)% .*/\1/")% -> $(svm-eval three_class small | sed "s/Accuracy = \(.*\)% .*/\1/")%," lines'
ok 'regression'          'svm-eval --reduce 4 sinc sinc.model small | grep "^Mean squared error = .* -> .* (regression)$"'
ok 'quiet, gzip, -o, -'  'svm-eval -q --reduce 9 -z -o packed heart_scale heart.model >out; [ ! -s out ] && gzip -dc packed >a && svm-eval --reduce 9 heart_scale heart.model - 2>err | cmp - a && grep "support vectors = .* -> 9" err'
ok 'report'              'svm-eval -q --report report.json --reduce 9 --retrain heart_scale heart.model small && keys before "n_sv accuracy objective" && keys after "n_sv accuracy objective"'

# ---- weights: as many copies of the rows ----

awk '{ print NR % 4 }' h60 >h60.weights
awk '{ for (i = 0; i < NR % 4; i++) print }' h60 >h60.copies
numbers() { grep -v "same predictions" | sed 's/.*same.*//' | grep -o '[-0-9.][-0-9.e]*' ; }
# as_copies LIMIT OPTION...: the same coefficients, changes and objectives to a relative LIMIT
as_copies()
{
	local limit=$1
	shift
	svm-eval --reduce 9 "$@" -W h60.weights h60 h60.model small >a 2>err && svm-eval --reduce 9 "$@" h60.copies h60.model copied >b &&
		cat a b err && grep '15 of 60 rows' err && grep -o 'Accuracy = [^,]*' a >accuracy && grep -o 'Accuracy = [^,]*' b | cmp - accuracy &&
		grep -v Accuracy a | numbers >x && grep -v Accuracy b | numbers | near - x "$limit"
}
ok 'weights: nearest'                as_copies 1e-5
ok 'weights: retrained'              as_copies 1e-4 --retrain -c 3 -e 1e-8
ok 'weights are not those of 1'      'svm-eval --reduce 9 --retrain -c 3 h60 h60.model small >b; grep objective b >c; ! grep -F "$(cat c)" a'
fail 1 'fewer weights than the 60'   'head -n 9 h60.weights >w9; svm-eval --reduce 9 -W w9 h60 h60.model x'

# ---- errors ----

fail 1 'cannot use --reduce and --certify simultaneously'   svm-eval --certify h60 --reduce 3 h60.model
fail 1 '--retrain needs --reduce'                           svm-eval --retrain h60 h60.model x
fail 1 '-c needs --certify or --retrain'                    svm-eval -c 3 --reduce 3 h60 h60.model x
fail 1 'Usage: svm-eval'                                    svm-eval --reduce 3 h60 h60.model
fail 1 '--reduce: 0 is not between'                         svm-eval --reduce 0 h60 h60.model x
fail 1 'no row has the label'                               'grep "^+1" h60 >plus; svm-eval --reduce 3 --retrain plus h60.model x'
fail 1 'the kernel is linear'                               'randsvm-train -q -t 0 h60 l; svm-eval --reduce 3 h60 l x'
fail 1 'the kernel is not rbf, nor polynomial'              'randsvm-train -q -t 3 h60 l; svm-eval --reduce 3 h60 l x'
fail 1 '-w auto: is not for --retrain'                      svm-eval --reduce 3 --retrain -w auto h60 h60.model x
fail 1 'specified nu is infeasible'                         'svm-eval --reduce 3 --retrain -n 1 h60 nu.model x'
ok 'nothing is left behind'                                 '[ ! -e x ] || ! ls x.tmp*'
fail 1 'No space left'                                      'svm-eval --reduce 3 h60 h60.model >/dev/full - 2>err; s=$?; cat err; exit $s'
