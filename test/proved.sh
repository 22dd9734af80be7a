# svm-eval --certify --predict: what is proved of every optimum holds of solutions of other runs.

. "$TOP/test/eval.bash"
awk 'NR <= 120' heart_scale >h1; awk 'NR > 120' heart_scale >h2
awk 'NR % 3' sinc >s1; awk 'NR % 3 == 0' sinc >s2

# optimum TRAIN TEST OPTION...: predictions of a solution as near to the optimum as training comes, in best
optimum()
{
	local train=$1 test=$2
	shift 2
	randsvm-train -q -e 1e-9 "$@" "$train" best.model && svm-eval -q --scores -o best "$test" best.model
}

# prove TRAIN TEST OPTION...: certify m, predict, and count in 'proved' or print the bound; -s, -t, -g are not certify's
prove()
{
	local train=$1 test=$2
	shift 2
	svm-eval --report report.json --certify "$train" $(echo "$@" | sed 's/-[tgdrse] [^ ]*//g; s/--seed [^ ]*//g; s/--mode [^ ]*//g') \
		--predict "$test" --scores -o scores m >out
}

# agrees: no prediction that 'scores' proves is another than the optimum's, nSV of best.model is within its bounds
agrees()
{
	paste -d' ' scores best | awk -v c="$(awk 'NR == 1 { print NF }' scores)" '
		NR == 1 { regression = $c == "within"; next }
		regression && ($1 - $(c + 1) > $c + 1e-6 || $(c + 1) - $1 > $c + 1e-6) { print; bad = 1 }
		!regression && $c == 1 && $1 != $(c + 1) { print; bad = 1 }
		END { exit bad || NR < 2 }' &&
		awk -v low="$(value optimum_n_sv_least)" -v high="$(value optimum_n_sv_most)" '
			$1 == "total_sv" && !(low <= $2 && $2 <= high) { print low, $2, high; exit 1 }' best.model
}

# never_contradicted TRAIN TEST OPTION...: whatever -e, seed and mode
never_contradicted()
{
	local train=$1 test=$2 e
	shift 2
	optimum "$train" "$test" "$@" || return
	for e in 1 .01 1e-5 1e-8; do
		randsvm-train -q -e $e --seed 7 "$@" "$train" m && prove "$train" "$test" "$@" && agrees || return
		value proved || value within
	done >found
	xargs <found
}

ok 'two classes'                 never_contradicted h1 h2 -c 10
ok 'a smaller -e proves more'    'xargs <found; awk "{ n[NR] = \$1 } END { exit !(n[1] < n[3] && n[3] < n[4]) }" found'
ok 'linear'                      never_contradicted h1 h2 -t 0 -c .5
ok 'polynomial'                  never_contradicted h1 h2 -t 1 -r 1 -d 2 -c 3
ok 'weights of classes'          never_contradicted h1 h2 -c 3 -w1 3
ok 'three classes'               never_contradicted train rest -c 10
ok 'regression'                  never_contradicted s1 s2 -s 3 -c 10 -p .05
ok 'and bounds values better'    'xargs <found; awk "{ n[NR] = \$1 } END { exit !(n[1] > 9 * n[3] && n[3] > 9 * n[4]) }" found'
ok 'squared losses'              never_contradicted h1 h2 -t 0 -c .5 --loss squared
ok 'squared losses, regression'  never_contradicted s1 s2 -s 3 -t 0 -p .2 --loss squared
ok 'weights of rows' \
	'awk "{ print 1 + NR % 3 }" h1 >w; never_contradicted h1 h2 -c 3 -W w'
if command -v svm-train >/dev/null; then
	ok 'of svm-train, other memory' \
		'optimum h1 h2 -c 10; for e in 1 .1 .001; do svm-train -q -m 1 -e $e -c 10 h1 m; prove h1 h2 -c 10; agrees || exit; done'
fi

randsvm-train -q -c 10 -e 1e-10 heart_scale near.model
ok 'near the optimum all is proved, and nSV known' \
	'svm-eval --report report.json --certify heart_scale -c 10 --predict heart_scale near.model &&
	[ "$(value proved)" = 270 ] && [ "$(value optimum_n_sv_most)" = "$(value n_sv)" ] && [ "$(value optimum_n_sv_least)" = "$(value n_bsv)" ]'
ok 'a tie is not proved' \
	'printf "1 1:1\n-1 1:-1\n" >two; printf "1 1:0\n1 1:.01\n" >tie; randsvm-train -q -t 0 -e 1e-10 two m;
	svm-eval --certify two --predict tie --scores -o scores m && [ "$(awk "{ print \$NF }" scores | xargs)" = "proved 0 1" ]'

# constants of the file are nothing to the optimum: what they change is not proved, and nothing is that is wrong
randsvm-train -q -c 10 -e 1e-5 h1 m
ok 'altered constants prove fewer' \
	'optimum h1 h2 -c 10; prove h1 h2 -c 10; all=$(value proved);
	for shift in .3 1 5; do
		awk -v shift=$shift "\$1 == \"rho\" { \$2 += shift } { print }" m >altered; mv m kept; mv altered m;
		prove h1 h2 -c 10; mv kept m; agrees || exit; echo "$all $(value proved)"; [ "$(value proved)" -lt "$all" ] || exit; all=$(value proved)
	done'
ok 'predictions are those without a certificate' \
	'svm-eval -q h2 m plain && svm-eval -q --certify h1 -c 10 --predict h2 m certified && cmp plain certified'
ok 'with labels, to be measured' \
	'svm-eval -q --certify h1 -c 10 --predict h2 --with-labels m labelled && svm-eval --measure labelled | grep Accuracy'

nothing() { fail 1 'nothing is proved' "randsvm-train -q $1 ${2:-h1} m && svm-eval -q --certify ${2:-h1} --predict h2 m"; }
nothing '-s 1'
nothing '-s 2'
nothing '-t 3'
nothing '-t 0 --compact'
nothing '-t 0 --multiclass ovr' train
if command -v svm-train >/dev/null; then
	awk '{ printf "%s", $1; for (i = 2; i <= 8; i++) printf " %d:%.17g", i, sin(NR * i) + ($1 > 0); print "" }' h1 >digits
	fail 1 'nothing is proved'       'svm-train -q digits m; svm-eval -q --certify digits --predict digits m'
fi
fail 1 'was not trained on'      'randsvm-train -q -c 10 h1 m; svm-eval -q --certify h1 -c 1 --predict h2 m'
fail 1 'cannot use --repair and --predict' svm-eval --certify h1 --predict h2 --repair r m
fail 1 '--predict needs --certify'         svm-eval --predict h2 m
fail 1 'cannot use --certify and --scores' svm-eval --certify h1 --scores m
