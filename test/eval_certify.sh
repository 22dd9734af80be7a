# svm-eval --certify: the certificates of models, right ones and wrong ones.

. "$TOP/test/eval.bash"
randsvm-train -q -s 2 -n 0.1 heart_scale outlier.model

# certified GAP VIOLATION OPTION...: the certificate in report.json is as good as that
certified()
{
	local gap=$1 violation=$2
	shift 2
	svm-eval --report report.json --certify "$@" && is relative_gap -1e-9 "$gap" &&
		is kkt_violation 0 "$violation" && [ "$(value feasible)" = true ]
}

# like_svm_train DATA OPTION...: svm-train's model has the dual it prints, within the primal; the
# numbers of support vectors too
like_svm_train()
{
	local data=$1
	shift
	svm-train "$@" "$data" m >out && certified 1e-3 1e-3 "$data" $(echo "$@" | sed 's/-[tgdrs] [^ ]*//g') m || return
	sed -n 's/^obj = \([^,]*\),.*/\1/p' out | awk -v OFMT=%.12g '{ sum -= $1 } END { print "objective", sum }' >a
	echo "objective $(value dual)" >b
	near a b 1e-6 && [ "$(sed -n 's/^nSV = \([0-9]*\), nBSV = \([0-9]*\)$/\1 \2/p' out | awk '{ a += $1; b += $2 } END { print a, b }')" = "$(value n_sv) $(value n_bsv)" ]
}

# like_ours DATA OPTION...: randsvm-train prints the same certificate of its own model
like_ours()
{
	local data=$1
	shift
	randsvm-train --verbose "$@" "$data" m >out && certified 1e-2 2e-3 "$data" $(echo "$@" | sed 's/-[tgdrs] [^ ]*//g') m || return
	grep -o '^primal = [^,]*, dual = [^,]*' out | tr -d , | awk -v OFMT=%.12g '{ p += $3; d += $6 } END { print "primal", p, "dual", d }' >a
	echo "primal $(value primal) dual $(value dual)" >b
	near a b 1e-5
}

if command -v svm-train >/dev/null; then
	ok 'svm-train, linear'                    like_svm_train heart_scale -t 0
	ok 'RBF'                                  like_svm_train heart_scale -c 5 -g 0.2
	ok 'polynomial'                           like_svm_train heart_scale -t 1 -r 1 -c 2
	ok 'weights'                              like_svm_train a1a -w1 3 -w-1 0.5
	ok 'regression'                           like_svm_train sinc -s 3 -c 10 -p 0.05
	ok 'regression, linear'                   like_svm_train sinc -s 3 -t 0 -p 0.2
	ok 'equal rows'                           'cat heart_scale heart_scale >again; like_svm_train again -c 3'
	ok 'equal rows, other targets' \
		'awk "{ print; \$1 = \$1 + 0.3; print; \$1 = \$1 - 0.7; print }" sinc >again;
		like_svm_train again -s 3 -c 2'
	ok 'three classes'                        like_svm_train three_class -c 10 -w2 0.5
	ok 'a precomputed kernel' \
		'awk "{ y[NR] = \$1; for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); x[NR, p[1]] = p[2] } } END { for (i = 1; i <= NR; i++) { printf \"%s 0:%d\", y[i], i; for (j = 1; j <= NR; j++) { s = 0; for (c = 1; c <= 13; c++) s += x[i, c] * x[j, c]; printf \" %d:%.17g\", j, s } print \"\" } }" heart_scale >k &&
		like_svm_train k -t 4'
	ok 'one-class' \
		'for n in 0.5 0.125 0.015625 0.75; do like_svm_train heart_scale -s 2 -n $n || exit; done'
	ok 'one-class, other kernels' \
		'for t in 0 1; do like_svm_train heart_scale -s 2 -t $t -n 0.25 || exit; done'
	ok 'nu-SVC' \
		'for n in 0.5 0.75; do like_svm_train heart_scale -s 1 -n $n || exit; done'
	ok 'nu-SVC, linear'                       like_svm_train heart_scale -s 1 -n 0.5 -t 0
	ok 'nu-SVC, three classes'                like_svm_train three_class -s 1 -n 0.5
	ok 'nu-SVR' \
		'for n in 0.5 0.25 1; do like_svm_train sinc -s 4 -n $n -c 2 || exit; done'
	ok 'nu-SVR, linear'                       like_svm_train sinc -s 4 -n 0.25 -t 0
	ok 'one-class, equal rows' \
		'cat heart_scale heart_scale >again; like_svm_train again -s 2 -n 0.25'
	ok 'one-class, a precomputed kernel with the origin inside: 0, and definite' \
		'awk "BEGIN { for (i = 0; i < 60; i++) { for (j = 0; j < 3; j++) x[i, j] = (i * (7 + 4 * j) + j) % 31 - 15 + i / 70 }
			for (i = 0; i < 60; i++) { printf \"1 0:%d\", i + 1; for (k = 0; k < 60; k++) {
				s = 0; for (j = 0; j < 3; j++) s += x[i, j] * x[k, j]; printf \" %d:%.17g\", k + 1, s } print \"\" } }" >inside &&
		randsvm-train -s 2 -t 4 -n 0.5 inside m >out 2>err && cat err && ! grep definite err &&
		grep "^Objective 0, .*relative gap = 0," out && svm-eval --certify inside m >out 2>err && [ ! -s err ] &&
		grep "^Objective 0, .*relative gap = 0," out'
	# other_nu TEXT DATA OPTIONS -- OPTIONS: trained with the first, certified with the second
	other_nu()
	{
		local text=$1 data=$2 options=()
		shift 2
		while [ "$1" != -- ]; do
			options+=("$1")
			shift
		done
		shift
		svm-train -q "${options[@]}" "$data" m && svm-eval --certify "$data" "$@" m >out 2>err
		echo "exit status $?" >>out
		cat out err
		grep -F -e "$text" err
	}
	ok 'one-class, another nu' \
		'other_nu "coefficients are those of -n 0.25, not -n 0.5" heart_scale -s 2 -n 0.25 -- &&
		grep "dual unknown" out && grep "status 1" out'
	ok 'one-class, a smaller nu' \
		'other_nu "coefficients are those of -n 0.25, not -n 0.125" heart_scale -s 2 -n 0.25 -- -n 0.125 &&
		grep "status 1" out'
	ok 'one-class, fewer rows' \
		'head -n 135 heart_scale >half; svm-train -q -s 2 -n 0.25 half m;
		streams 1 "dual unknown" "coefficients are those of -n 0.125, not -n 0.25" svm-eval --certify \
		heart_scale -n 0.25 m'
	ok 'nu-SVC, another nu' \
		'other_nu "coefficients are those of -n 0.5, not -n 0.75" heart_scale -s 1 -n 0.5 -- -n 0.75 &&
		grep "status 1" out'
	ok 'nu-SVC, a smaller nu' \
		'other_nu "coefficients are those of -n 0.5, not -n 0.375" heart_scale -s 1 -n 0.5 -- -n 0.375 &&
		grep "status 0" out'
	ok 'nu-SVR, another nu' \
		'other_nu "coefficients are those of -n 0.5, not -n 0.25" sinc -s 4 -c 2 -- -c 2 -n 0.25 &&
		grep "status 1" out'
	ok 'nu-SVR, a larger nu' \
		'other_nu "coefficients are those of -n 0.5, not -n 0.75" sinc -s 4 -c 2 -- -c 2 -n 0.75 &&
		grep "not the optimum for these -n, -c" err && grep "status 0" out'
	ok 'nu-SVR, another C'                    'other_nu "was it trained with -c 2?" sinc -s 4 -c 2 -- -c 4'
	ok 'nu-SVR, a smaller C' \
		'other_nu "it is 2 times C" sinc -s 4 -c 2 -- -c 1 && grep "status 1" out'
	ok 'an infeasible nu' \
		'svm-train -q -s 1 heart_scale m;
		streams 1 "" "specified nu is infeasible" svm-eval --certify heart_scale -n 1 m'
	ok 'other rows than those of training' \
		'svm-train -q -s 2 heart_scale m; head -n 200 heart_scale >part;
		streams 1 "dual unknown" "support vectors are not among the examples" svm-eval --certify part m'
	# the same in other words
	ok 'rows more exact than the model' \
		'awk "{ for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); \$i = p[1] \":\" sprintf(\"%.15g\", p[2] / 3) } print }" heart_scale >thirds;
		like_svm_train thirds -c 2'
	ok 'a looser tolerance shows' \
		'svm-train -q -e 0.5 -c 10 heart_scale m;
		svm-eval -q --report report.json --certify heart_scale -c 10 m && is kkt_violation 0.01 0.5 &&
		is relative_gap 1e-6 1 && is violators 1 270'
else
	skip 'svm-train is not installed'
fi
ok 'ours, linear'                             like_ours a1a -t 0
ok 'settings and phases' \
	'svm-eval -q --report report.json --certify a1a -w1 1 m;
	keys settings "probability scores with_labels comments metrics summary threshold explain certify exact C nu p eps weights weights_auto loss reduce threads memory strict allow_nonfinite model_file" &&
	keys seconds_per_phase "read certify"'
ok 'ours, RBF'                                like_ours a1a -c 2
ok 'a kernel that is not definite' \
	'randsvm-train -q -t 3 -g 0.01 a1a m && svm-eval --certify a1a m 2>&1 |
	grep "note: with this kernel there may be several optima" && randsvm-train -q -t 1 -r 1 -g 0.01 a1a m &&
	svm-eval --certify a1a m 2>&1 >out | grep optima && exit 1; true'
ok 'ours, regression'                         like_ours sinc -s 3 -c 10
ok 'ours, three classes'                      like_ours three_class -c 3
ok 'ours, one-class'                          like_ours heart_scale -s 2 -n 0.1
ok 'ours, nu-SVC'                             'like_ours heart_scale -s 1 -n 0.5 && like_ours three_class -s 1 -n 0.3'
ok 'ours, nu-SVR'                             like_ours sinc -s 4 -n 0.3 -c 3
ok 'one-class, compact: near the primal' \
	'randsvm-train -q -s 2 -t 0 -n 0.25 heart_scale m && svm-eval --certify heart_scale -n 0.25 m |
	sed -n "s/^\(Objective [^,]*\),.*/\1/p" >a && randsvm-train -q -s 2 -t 0 -n 0.25 --compact heart_scale m &&
	svm-eval --certify heart_scale -n 0.25 m 2>err | sed "s/, nothing is proved: dual unknown//" >b && near a b 1e-6 &&
	grep "weights, not multipliers" err'
ok 'any number of threads' \
	'randsvm-train -q -c 3 three_class m; for n in 1 2 5;
	do svm-eval --threads $n --certify three_class -c 3 m >$n.out; done; same_files 1.out 2.out 5.out'
ok 'the training set from a pipe' \
	'gzip -c three_class | svm-eval --certify - -c 3 m >out; same_files 1.out out'
ok 'in another order' \
	'sort -r three_class >turned; svm-eval -q --report report.json --certify turned -c 3 m &&
	is relative_gap 0 1e-3'
for program in 'randsvm-train -q -t 0' 'liblinear-train -q -s 2'; do
	command -v "${program%% *}" >/dev/null || continue
	ok 'from any kind of file: the same' \
		"svm-gen separable -n 3000 -d 20 >long; head -n 300 long >short; $program short m; for n in 1 3;
		do svm-eval --threads \$n --certify long m >file.\$n 2>&1;
		svm-eval --threads \$n --certify - m <long >input.\$n 2>&1; gzip -c long |
		svm-eval --threads \$n --certify /dev/stdin m >pipe.\$n 2>&1; done;
		same_files file.1 file.3 input.1 input.3 pipe.1 pipe.3"
	ok 'from the rest of a file' \
		'(tac three_class | head -n 20; cat long) >more && (for ((i = 0; i < 20; i++)); do read -r line; done; svm-eval --certify - m) <more >rest 2>&1;
		same_files rest file.1'
done
fail 1 'long:7:1: '                           'sed "7s/^/x/" long >bad; mv bad long; svm-eval --certify long m'
fail 1 'no examples'                          'svm-eval --certify /dev/null m'
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers take more memory'
else
	# peak DATA: of a certificate of m, in bytes
	peak() { svm-eval -q --threads 1 --report report.json --certify "$1" m 2>/dev/null && value peak_memory_bytes; }
	ok 'the rows are not kept' \
		'svm-gen separable -n 20000 -d 100 >long && head -n 3000 long >short && head -n 1000 long |
		randsvm-train -q -t 0 -c 0.01 - m && a=$(peak short) && b=$(peak long) && echo "$a $b" &&
		[ $((b - a)) -lt 8000000 ]'
fi

randsvm-train -q -c 3 heart_scale m
ok 'C less than it was' streams 1 'dual unknown' 'a coefficient exceeds its bound' svm-eval --certify heart_scale -c \
	1 m
ok 'more than it was' streams 0 'relative gap = 0.' 'was it trained with -c 3?' svm-eval --certify heart_scale -c 30 \
	m
ok 'another weight' streams 1 'dual unknown' 'a coefficient exceeds its bound' svm-eval --certify heart_scale -c 3 \
	-w1 0.5 m
ok 'another training set' streams 1 'dual unknown' 'support vectors are not among the examples' svm-eval --certify \
	a1a -c 3 m
ok 'a part of it' \
	'head -n 200 heart_scale >part; svm-eval --report report.json --certify part -c 3 m; [ $? = 1 ] &&
	is missing_sv 1 100 && is primal 1 1000 && [ "$(value dual)" = null ]'
ok 'labels the other way round' \
	'awk "{ \$1 = -\$1; print }" heart_scale >turned;
	streams 1 "dual unknown" "not among the examples of their class" svm-eval --certify turned -c 3 m'
ok 'a coefficient changed' \
	'awk "body && !done { \$1 = \$1 / 2; done = 1 } /^SV/ { body = 1 } { print }" m >m2;
	streams 1 "dual unknown" "do not sum to 0" svm-eval --certify heart_scale -c 3 m2'
ok 'a folded model' \
	'rp-project -q -k 10 -s map heart_scale p && randsvm-train -q -t 0 p pm &&
	rp-project -r map --fold pm folded &&
	streams 0 "dual unknown" "weights, not multipliers" svm-eval --certify heart_scale folded'
# doubted TEXT DATA OPTION...: nothing is infeasible, but it is no optimum, which is said with this text
doubted()
{
	local text=$1
	shift
	streams 0 'relative gap' "$text" svm-eval --report report.json --certify "$@" &&
		[ "$(value optimal)$(value feasible)" = falsetrue ]
}
# trusted DATA OPTION...: the optimum, and no word on standard error
trusted() { streams 0 'relative gap' '' svm-eval --report report.json --certify "$@" && [ "$(value optimal)" = true ]; }

randsvm-train -q -s 3 -p 0.1 sinc p.m
head -n 240 heart_scale >most
randsvm-train -q -c 3 most most.m
ok 'the right one'              trusted heart_scale -c 3 m
ok 'a weight more'              doubted 'not the optimum for these -c, -p, -w and data' heart_scale -c 3 -w1 2 m
ok 'a larger training set'      doubted 'not the optimum for these -c, -p, -w and data' heart_scale -c 3 most.m
ok 'the right -p'               trusted sinc -p 0.1 p.m
ok 'a larger -p'                doubted 'they suggest -p 0.1' sinc -p 0.5 p.m
ok 'a smaller -p'               doubted 'they suggest -p 0.1' sinc -p 0.05 p.m
ok '-p 0'                       doubted 'they suggest -p 0.1' sinc -p 0 p.m
ok 'though the gap is small' \
	'awk "{ \$1 *= 1000; print }" sinc >far; randsvm-train -q -s 3 -c 100 -g 1 -p 5 far p.m &&
	trusted far -c 100 -p 5 p.m && doubted "they suggest -p 5" far -c 100 -p 4.9 p.m && is relative_gap 0 1e-6'
fail 1 'the examples have 3 classes, the model 2'   svm-eval --certify three_class m
fail 1 'no example has class -1'                    'grep ^+1 heart_scale >ones; svm-eval --certify ones m'
ok 'one-class' \
	'svm-eval --certify heart_scale -n 0.1 outlier.model | grep "violators = 0"'
fail 1 'does not tell the scale of its margin' \
	'randsvm-train -q -s 1 -t 0 --compact heart_scale m; svm-eval --certify heart_scale m'
fail 1 'cannot use --geometry and --certify'        svm-eval --certify heart_scale --geometry heart_scale m
fail 1 'cannot use --certify and -z'                svm-eval --certify heart_scale -z m
fail 1 "too many: 'out'"                            svm-eval --certify heart_scale m out
fail 1 'cannot use -b and --certify'                svm-eval --certify heart_scale -b 1 m
fail 1 'Usage: svm-eval'                            svm-eval --certify heart_scale
# ---- --repair ----

# shifted MODEL FACTOR SHIFT: the model with its coefficients times FACTOR and rho + SHIFT
shifted()
{
	awk -v k="$2" -v s="$3" '/^rho/ { for (i = 2; i <= NF; i++) $i = sprintf("%.17g", $i + s * i) }
		body { for (i = 1; i < NF && $i !~ /:/; i++) $i = sprintf("%.17g", k * $i) } /^SV/ { body = 1 } { print }' "$1"
}
# own_primal DATA MODEL C: P of C-SVC at the model's own constant, |w|^2 by --geometry
own_primal()
{
	svm-eval --scores "$1" "$2" scores >/dev/null &&
		svm-eval --geometry "$1" -q --report geometry.json "$2" 2>/dev/null; awk '{ print $1 }' "$1" >labels
	sed 1d scores | paste labels - |
		awk -v C="$3" -v first="$(sed -n 's/^label \([^ ]*\).*/\1/p' "$2")" '
			{ y = $1 == first ? 1 : -1; loss = 1 - y * $3; if (loss > 0) sum += loss }
			END { printf "losses %.12g\n", C * sum }'
}
# repaired DATA OPTION... : a model with a shifted rho gets a constant that is as good as the best
repaired()
{
	local data=$1
	shift
	randsvm-train -q "$@" -e 1e-6 "$data" m && shifted m 1 0.3 >moved || return
	set -- $(echo "$@" | sed 's/-[tgdrs] [^ ]*//g')
	svm-eval --certify "$data" --verbose "$@" m >before && svm-eval --certify "$data" "$@" --repair mended moved >first 2>/dev/null &&
		grep "repaired = [1-9]" first && svm-eval --certify "$data" --verbose "$@" --repair twice mended >after 2>err &&
		grep "repaired = 0 of" after && cmp mended twice && [ ! -s err ] &&
		grep -o "primal = [^,]*" before >a && grep -o "primal = [^,]*" after >b && near a b 1e-6
}
ok 'a constant repaired'              'repaired heart_scale -c 3'
ok 'its predictions are the model'\''s own' \
	'randsvm-train -q -c 3 heart_scale m && shifted m 1 0.3 >moved && svm-eval -q --certify heart_scale -c 3 --repair mended moved;
	svm-eval heart_scale m p1 >a && svm-eval heart_scale mended p2 >b && near a b 1e-9 && own_primal heart_scale m 3 >a &&
	own_primal heart_scale mended 3 >b && near a b 1e-3 && own_primal heart_scale moved 3 >b && ! near a b 1e-3'
ok 'three classes'                    'repaired three_class -c 3'
ok 'regression'                       'repaired sinc -s 3 -c 10'
ok 'one-class'                        'repaired heart_scale -s 2 -n 0.25'
ok 'nu-SVC'                           'repaired heart_scale -s 1 -n 0.5'
ok 'nu-SVR'                           'repaired sinc -s 4 -n 0.3 -c 3'
ok 'an optimum stays the same bytes' \
	'randsvm-train -q -c 3 three_class m && svm-eval -q --certify three_class -c 3 --repair best m &&
	for out in mended out.gz; do svm-eval -q --certify three_class -c 3 --repair $out best || exit; done &&
	cmp mended best && gzip -dc out.gz | cmp - best'
# f separates the classes: half of w leaves losses of 5e5, and twice that none
ok 'classes apart: the multiple without a loss' \
	'awk "BEGIN { for (i = 1; i <= 20; i++) print i % 2 ? 1 : -1, \"1:\" (i % 2 ? 1 : -1) * (1 + i / 9) }" >apart &&
	randsvm-train -q -t 0 -c 1e5 apart m && shifted m 0.5 0 >half && svm-eval --certify apart -c 1e5 --verbose m >before &&
	svm-eval --certify apart -c 1e5 --repair mended half >first 2>/dev/null; grep "repaired = 1 of 1" first &&
	svm-eval --certify apart -c 1e5 --verbose mended >after && grep -o "primal = [^,]*" before >a && grep -o "primal = [^,]*" after >b &&
	near a b 1e-6'
fail 1 'needs --certify'              svm-eval --repair mended heart_scale m
fail 1 'are the same file'            svm-eval --certify heart_scale --repair m m
fail 1 'are the same file'            svm-eval --certify heart_scale --repair heart_scale m
fail 1 'was not trained on heart_scale with these' \
	'randsvm-train -q -c 3 heart_scale m; rm -f none; svm-eval --certify heart_scale -c 1 --repair none m; s=$?; [ ! -e none ] && exit $s'
fail 1 'a model of LIBLINEAR' \
	'randsvm-train -q -t 0 --model-format liblinear heart_scale m; svm-eval --certify heart_scale --repair mended m'
# sum_primals: of the lines of --verbose
sum_primals() { awk '/^primal = / { sum += $3 } END { printf "primal %.12g\n", sum }'; }
# large_features FILE ROWS: three classes by planes, of four features of size 100
large_features()
{
	awk -v n="$2" 'function next_one() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
		BEGIN { seed = 5; while (n-- > 0) {
			out = ""
			for (j = 1; j <= 4; j++) { x[j] = int(2000 * next_one() - 1000) / 10; out = out " " j ":" x[j] }
			c = x[1] - x[2] + 60 * next_one() > 40 ? 1 : x[3] + x[4] + 60 * next_one() > 30 ? 2 : 3
			print c out } }' >"$1"
}
ok 'squared losses, large features and C: proved' \
	'large_features large 300 && randsvm-train -t 0 --multiclass ovr --loss squared -c 10 --verbose large m >out &&
	svm-eval -q --report report.json --certify large -c 10 m && is relative_gap -1e-12 1e-6 &&
	[ "$(value constant)" = free ] && [ "$(value optimal)" = true ] &&
	sum_primals <out >a && echo "primal $(value primal)" >b &&
	near a b 1e-8'
ok 'from a pipe: the same' \
	'svm-eval --certify large -c 10 m >file && cat large | svm-eval --threads 2 --certify - -c 10 m >pipe &&
	same_files file pipe'
ok 'regression, with squared losses' \
	'awk "{ \$1 = \$1 * 3; print }" large >far; randsvm-train -q -s 3 -t 0 --loss squared -c 10 \
	--model-format liblinear far m && svm-eval -q --report report.json --certify far -c 10 m &&
	is relative_gap -1e-12 1e-6'
ok 'another C: the gap is of the optimum itself' \
	'randsvm-train -q -t 0 --multiclass ovr --loss squared -c 10 large m &&
	randsvm-train -t 0 --multiclass ovr --loss squared -c 0.01 --verbose large m2 >out &&
	svm-eval -q --report report.json --certify large -c 0.01 m 2>err; value dual &&
	sum_primals <out >a && echo "primal $(value dual)" >b &&
	near a b 1e-6'
if command -v liblinear-train >/dev/null; then
	# liblinear GAP SOLVER DATA OPTION...: the certificate of its model; GAP none: it has no dual
	liblinear()
	{
		local gap=$1 solver=$2 data=$3
		shift 3
		liblinear-train -s "$solver" "$@" -e 1e-6 "$data" m >out &&
			svm-eval -q --report report.json --certify "$data" $(echo "$@" | sed 's/-B [^ ]*//') m || return
		[ "$gap" = none ] && { [ "$(value dual)" = null ]; return; }
		is relative_gap -1e-9 "$gap"
	}
	ok 'LIBLINEAR -s 1'         liblinear 1e-4 1 heart_scale -B 1
	ok '-s 2'                   liblinear 1e-4 2 heart_scale -c 4 -w1 2
	ok 'the optimum'            trusted heart_scale -c 4 -w1 2 m
	ok 'with another weight'    doubted 'not proved to be near the optimum' heart_scale -c 4 -w1 1 m
	ok 'with less data'         doubted 'not proved to be near the optimum' most -c 4 -w1 2 m
	ok '-s 2, three classes'    liblinear 1e-4 2 three_class -c 0.5
	ok '-s 3'                   liblinear none 3 heart_scale -B 1
	ok 'nothing is checked' \
		'streams 0 "dual unknown" "nothing was checked" svm-eval --report report.json --certify heart_scale m &&
		[ "$(value optimal)" = null ]'
	ok 'its objective' \
		'sed -n "s/^Objective value = -*/objective /p" out >a; echo "objective $(value primal)" >b;
		near a b 1e-3'
	ok '-B: a part of |w|' \
		'liblinear 1e-4 2 three_class -B 1 && svm-eval --certify three_class m >out &&
		[ "$(grep -c "constant in |w| (class" out)" = 3 ] && [ "$(value constant)" = "in |w|" ]'
	ok 'without -B: no question' \
		'liblinear 1e-4 2 heart_scale && ! svm-eval --certify heart_scale m | grep constant'
	ok '-s 11'                  liblinear 1e-4 11 sinc -B 1 -p 0.1
	ok '-s 12'                  liblinear 1e-3 12 sinc -B 1 -p 0.1
	ok '-s 13'                  liblinear none 13 sinc -B 1 -p 0.1
	fail 1 'cannot be certified' 'liblinear-train -q -s 0 heart_scale m; svm-eval --certify heart_scale m'
	fail 1 'only 4 features'     'liblinear-train -q three_class m; svm-eval --certify heart_scale m'
fi

# ---- the certificate of a training is that of its model ----

# of so large a C that SMO takes half a million steps, whose rounding adds up
cat >steep <<'END'
-1 3:1.78 4:0.39
-1 1:0.8 2:-1.76 3:-1.71
-1 2:-1.37 3:-0.5
-1 1:-0.81 3:-0.79 4:-1.03
-1 1:-1.69 2:1.25 3:1.75 4:1.05
1 1:-0.2 2:0.18 3:-0.26 4:-1.55
-1 1:-0.97 2:-0.48 3:-0.66 4:-1.96
-1 1:1.67 2:-1.88 3:0.74 4:-1.84
-1 2:0.61 3:1.37 4:-0.19
-1 1:-1.69 2:1.65 3:-0.03 4:-0.43
-1 1:0.28 2:0.56 3:1.06 4:-1.38
-1 2:0.97 3:0.91 4:-1.59
END
need python3
ok 'many steps' \
	'randsvm-train -q -s 3 -g 0.5 -p 1e-300 -c 1e6 --report trained steep m &&
	svm-eval -q -c 1e6 -p 1e-300 --report certified --certify steep m &&
	python3 -c "import json
a, b = (json.load(open(f)) for f in (\"trained\", \"certified\"))
print(a[\"primal\"], b[\"primal\"], a[\"rounding\"])
assert abs(a[\"primal\"] - b[\"primal\"]) <= a[\"rounding\"] + b[\"rounding\"]"'
