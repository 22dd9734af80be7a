# --loss squared: the optimum of squared losses, its proof, and models.

. "$TOP/test/helpers.bash"

linear_data
awk '{ $1 = ($1 > 0) * 2 + NR % 2; print }' text >topics

# proves DATA OPTION...: training says that it is the optimum, and svm-eval --certify says so of the
# model, from the data
proves()
{
	local data=$1
	shift
	randsvm-train -t 0 --loss squared --verbose "$@" "$data" m >out && proved out 1e-6 || return
	set -- $(printf '%s\n' "$@" | sed '/^-s$/,+1d')
	svm-eval --certify "$data" --loss squared --verbose "$@" m >out2 || return
	sed -n 's/^primal = \([^,]*\), dual = \([^,]*\),.*/\1 \2/p' out >a
	sed -n 's/^primal = \([^,]*\), dual = \([^,]*\),.*/\1 \2/p' out2 >b
	cat a b
	near a b 1e-5
}
for c in 0.01 1 1000; do
	ok "two classes, C = $c"             proves heart -c $c
	ok "sparse features, C = $c"         proves a1a -c $c
	ok "many features, C = $c"           proves text -c $c
	ok "regression, C = $c"              proves friedman -s 3 -c $c
done
ok 'a weight of one class'                   proves heart -c 2 -w1 5
ok '... of both, many features'              proves text -c 2 -w1 .5 -w0 3
ok 'three classes'                           proves three_class -c 10
ok 'a narrow tube'                           proves sinc -s 3 -p 0.001 -c 10
ok 'a tube that holds all: no multipliers' \
	'randsvm-train -t 0 -s 3 --loss squared -p 1e6 sinc m >out && grep "^nSV = 0, nBSV = 0" out'
ok 'another C is noticed' \
	'randsvm-train -q -t 0 --loss squared heart m; svm-eval --certify heart --loss squared -c 2 m 2>&1 >out |
	grep "not the optimum"'
ok '... and the other loss' \
	'randsvm-train -q -t 0 --loss squared heart m; svm-eval --certify heart m 2>&1 >out |
	grep "warning: a coefficient exceeds its bound: .* -w, trained with --loss squared (then say so here), or another training set"'
ok '... but not where it cannot be' \
	'randsvm-train -q -c 3 heart m && ! svm-eval --certify heart m 2>err >out &&
	grep "wrong -c or -w, or another" err && randsvm-train -q -t 0 -c 3 heart m &&
	! svm-eval --certify heart --loss hinge m 2>err >out && grep "wrong -c or -w, or another" err'
ok 'no nu, which is of multipliers up to C' \
	'randsvm-train -t 0 --loss squared heart m >out && grep "^obj = -" out && ! grep "^nu" out'
ok 'the same bytes for any threads' \
	'for n in 1 2 5; do randsvm-train -t 0 --loss squared --threads $n text m.$n >out.$n; done;
	same_files m.1 m.2 m.5 && same_files out.1 out.2 out.5'
ok 'gzipped, from a pipe' \
	'randsvm-train -q -t 0 --loss squared heart m && gzip -c heart |
	randsvm-train -q -t 0 --loss squared - m2 && same_files m m2'
ok 'weights of the features' \
	'randsvm-train -q -t 0 --loss squared --compact heart m && svm-eval heart m p &&
	randsvm-train -q -t 0 --loss squared heart m2 && svm-eval heart m2 q && same_files p q'
ok 'the name of the loss in LIBLINEAR models' \
	'randsvm-train -q -t 0 --loss squared --model-format liblinear heart m &&
	grep -x "solver_type L2R_L2LOSS_SVC" m &&
	randsvm-train -q -t 0 -s 3 --loss squared --model-format liblinear sinc m &&
	grep -x "solver_type L2R_L2LOSS_SVR" m &&
	randsvm-train -q -t 0 --multiclass ovr --loss squared three_class m &&
	grep -x "solver_type L2R_L2LOSS_SVC" m'
ok '--multiclass ovr' \
	'randsvm-train -t 0 --loss squared --multiclass ovr three_class m >out &&
	sed -n "s/^all 3 classes.*worst \([^ ]*\) .*/\1/p" out | awk "{ exit !(\$1 < .001) }" &&
	svm-eval three_class m'
ok '-v' \
	'randsvm-train -q -t 0 --loss squared -v 5 heart | grep "^Cross Validation Accuracy = [89]"'
ok '-v of a regression' \
	'randsvm-train -q -t 0 -s 3 --loss squared -v 5 friedman | grep "^Cross Validation Mean squared error = "'
ok '-b 1' \
	'randsvm-train -q -t 0 --loss squared -b 1 heart m && svm-eval -b 1 heart m p && [ "$(wc -l <p)" = 271 ]'
ok 'the report names the loss' \
	'randsvm-train -q -t 0 --loss squared --report r.json heart m &&
	grep "\"loss\":[[:space:]]*\"squared\"" r.json'
ok 'each pair of two examples' \
	'printf "1 1:1\n2 1:2\n3 1:4\n" >tiny && randsvm-train -t 0 --loss squared -c 10 tiny m >out &&
	proved out 1e-6'

# weights DATA OPTION...: the model in LIBLINEAR's format, of two classes, a regression or of classes
# against the rest, is certified as the problem with the free constant, with the primals of training
weights()
{
	local data=$1 format=--model-format=liblinear
	shift
	[[ " $* " == *' --multiclass '* ]] && format=
	randsvm-train -t 0 --loss squared -e 1e-6 --gap 1e-9 $format --report a.json "$@" "$data" m >/dev/null || return
	set -- $(printf '%s\n' "$@" | sed '/^-s$/,+1d; /^--multiclass$/,+1d')
	streams 0 'constant free' '' svm-eval --report b.json --certify "$data" "$@" m || return
	grep '^Objective' stdout | grep -v 'constant free' && return 1
	python3 - <<-END
		import json
		a, b = json.load(open("a.json")), json.load(open("b.json"))
		assert b["constant"] == "free" and b["optimal"]
		a, b = a.get("pairs", [a]), b.get("pairs", [b])
		assert len(a) == len(b)
		for p, q in zip(a, b):
		    print(p["primal"], q["primal"], q["dual"])
		    assert q["constant"] == "free"
		    assert abs(p["primal"] - q["primal"]) <= 1e-6 * p["primal"]
		    assert abs(q["relative_gap"]) <= 1e-6
	END
}
for c in 0.0001 1 100; do
	ok "weights certified, C = $c"       weights heart -c $c
	ok "... classes against the rest"    weights three_class --multiclass ovr -c $c -w2 3
	ok "... many features"               weights topics --multiclass ovr -c $c
	ok "... of a regression"             weights friedman -s 3 -c $c -p 0.5
done
ok 'weights certified, weights of classes'   weights a1a -c 0.01 -w1 5 -w-1 0.5
ok 'weights certified, a weight of 0' \
	'randsvm-train -q -t 0 --loss squared --model-format liblinear -c 2 -w1 0 heart m &&
	svm-eval --certify heart -c 2 -w1 0 m | grep "relative gap = 0, constant"'
ok 'another C of weights is noticed' \
	'randsvm-train -q -t 0 --loss squared --multiclass ovr three_class m;
	svm-eval --certify three_class -c 0.01 m 2>&1 >out | grep "not proved to be near the optimum"'
ok 'weights of the hinge loss: two primals' \
	'randsvm-train -t 0 --model-format liblinear --verbose heart m >out && svm-eval --certify heart m 2>err >out2 &&
	grep "dual unknown, constant in |w|" out2 && sed -n "s/^primal = \([^,]*\),.*/\1/p" out >a &&
	sed -n "s/.*constant free = //p" out2 >b && near a b 1e-6'

if command -v liblinear-train >/dev/null; then
	# finds SOLVER TYPE DATA OPTION...: LIBLINEAR's solver comes to our primal.  It counts the
	# constant into |w|, of which a bias of 1000 makes a millionth
	finds()
	{
		local solver=$1 type=$2 data=$3
		shift 3
		randsvm-train -t 0 -s $type --loss squared --verbose "$@" "$data" m >out || return
		liblinear-train -q -s $solver -B 1000 -e 1e-6 "$@" "$data" l || return
		svm-eval --certify "$data" --verbose "$@" l >out2 2>/dev/null
		sed -n 's/^primal = \([^,]*\),.*/\1/p' out >a
		sed -n 's/^primal = \([^,]*\),.*/\1/p' out2 >b
		cat a b
		near a b 1e-3
	}
	ok "LIBLINEAR's optimum"             finds 2 0 heart -c 1
	ok '... of a large C'                finds 2 0 a1a -c 100
	ok '... with weights'                finds 2 0 heart -c 1 -w1 4
	ok '... of a regression'             finds 11 3 friedman -c 0.1 -p 0.5
fi

fail 1 'is for -t 0, the linear kernel'      randsvm-train --loss squared heart m
fail 1 '--mode direct is not for --loss squared'   randsvm-train -t 0 --mode direct --loss squared heart m
fail 1 '-s 4 is not for --loss squared'       randsvm-train -t 0 -s 4 --loss squared sinc m
fail 1 '--solver libsvm is not for'                randsvm-train -t 0 --solver libsvm --loss squared heart m
fail 1 'not squared' \
	'randsvm-train -q -t 0 --model-format liblinear heart m; svm-eval --certify heart --loss squared m'
fail 1 'with the linear kernel'              'randsvm-train -q heart m; svm-eval --certify heart --loss squared m'
for type in 1 2 4; do
	fail 1 'squared losses are those of C-SVC and epsilon-SVR' \
		"randsvm-train -q -s $type -t 0 heart m; svm-eval --certify heart --loss squared m"
done
