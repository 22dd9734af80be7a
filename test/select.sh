# fs-select: the features that the definitions say, on plain and on degenerate data.

. "$TOP/test/select.bash"

# ---- the choice ----

# defined NAME K DATA [MORE] -- OPTIONS...: index, weight and score are those of the definition, to
# $near_by
defined()
{
	local name=$1 k=$2 data=$3 more=
	shift 3
	[ "$1" = -- ] || { more=$1; shift; }
	shift
	fs-select -q --unsupervised --seed 5 -k "$k" "$@" --list "$data" >ours &&
		python3 "$TOP/test/plain_selection.py" "$name" 5 "$k" "$data" $more >plain &&
		near ours plain "${near_by:-1e-8}"
}
if command -v python3 >/dev/null; then
	ok 'bss as defined'                      defined bss 22 short -- -m bss
	ok 'bss, k near the features'            defined bss 29 short -- -m bss
	ok 'bss, k all features'                 defined bss 30 short -- -m bss
	ok 'bss, k not above the rank'           defined bss 9 short -- -m bss
	ok 'bss, one feature'                    defined bss 1 short -- -m bss
	ok 'approx-bss as defined'               defined approx-bss 15 short 5 -- -m approx-bss -T 5
	ok 'approx-bss, more rows than features' defined approx-bss 10 tall 6 -- -m approx-bss -T 6
	ok 'approx-bss without a sketch is bss'  defined bss 22 short -- -m approx-bss -T 10
	ok 'top as defined'                      defined top 12 short -- -m top
	ok 'leverage as defined'                 defined iid 20 short -- -m leverage
	ok 'leverage by Bernoulli as defined'    defined bernoulli 14 short -- -m leverage --sampling bernoulli
	ok 'leverage by Bernoulli, most sure'    defined bernoulli 29 short -- -m leverage --sampling bernoulli
	ok 'rrqr as defined'                     defined rrqr 10 short -- -m rrqr
	ok 'rrqr beyond the rank'                defined rrqr 26 short -- -m rrqr
	if command -v svm-train >/dev/null; then
		head -n 90 heart >heart90
		ok 'rfe as defined'              'near_by=1e-5 defined rfe 4 heart -- -m rfe -e 1e-7'
		ok 'rfe as defined, n < d'       'near_by=1e-5 defined rfe 7 short -- -m rfe -e 1e-7'
		ok 'rmb as defined'              'near_by=1e-2 defined rmb 4 heart90 -- -m rmb -e 1e-7'
		ok 'rmb as defined, n < d'       'near_by=1e-2 defined rmb 7 short -- -m rmb -e 1e-7'
	else
		skip 'no svm-train'
	fi
	ok 'uniform as defined'                  defined uniform 12 short -- -m uniform
else
	skip 'no python3'
fi

# these are to stay: uniform has no arithmetic whose rounding could differ
same 'features of a seed'            select 'fs-select -q --unsupervised -m uniform -k 8 --seed 18446744073709551615 --list a1a; fs-select -q --unsupervised -m uniform -k 4 --all-features --list heart'
ok 'another seed, other features' \
	'[ "$(for s in 1 2 3 4294967297; do fs-select --unsupervised -m uniform -k 8 --seed $s --list a1a | head -n 1; done | sort -u | wc -l)" = 4 ]'
ok 'fewer are a beginning' \
	'fs-select --unsupervised -m uniform -k 5 --list a1a >x &&
	fs-select --unsupervised -m uniform -k 50 --list a1a | head -n 5 | cmp - x &&
	fs-select --unsupervised -m rrqr -k 5 --list a1a >x && fs-select --unsupervised -m rrqr -k 50 --list a1a |
	head -n 5 | cmp - x'
ok 'seed 1 is the default' \
	'fs-select -q -m leverage -k 30 --list a1a >x && fs-select -q -m leverage -k 30 --seed 1 --list a1a |
	cmp - x'
# by_default METHOD TEXT OPTION...: that method is taken, one line says so with TEXT, and none with -q
by_default()
{
	fs-select -k 30 "${@:3}" --list "$T/a1a.gz" 2>err >x && cat err && grep -c "^fs-select: method: $1, $2" err | grep -x 1 &&
		fs-select -q -k 30 -m "$1" "${@:3}" --list "$T/a1a.gz" | cmp - x &&
		! fs-select -q -k 30 "${@:3}" --list "$T/a1a.gz" 2>&1 >x | grep -v ": warning:" &&
		! fs-select -k 30 -m "$1" "${@:3}" --list "$T/a1a.gz" 2>&1 >x | grep method
}
ok 'rfe is the default'              by_default rfe 'the default, by its errors on six public data sets'
ok 'rfe is the default: regression'  by_default rfe 'the default, by its errors on six public data sets' --regression
ok 'bss is the default without labels' by_default bss 'which needs no labels' --unsupervised
ok 'bss is the default of --epsilon' \
	'fs-select --epsilon 5 --list a1a 2>err >x && cat err &&
	grep "method: bss, whose guarantee --epsilon" err && fs-select -q -m bss --epsilon 5 --list a1a | cmp - x'
# by_labels COUNT OPTION...: how many notes say that labels have chosen
by_labels()
{
	fs-select -k 5 -s chosen.map --force "${@:2}" heart chosen.rows 2>err && cat err && grep -c "^fs-select: note: the labels have chosen: -v" err | grep -x "$1"
}
for method in rfe t f lpsvm bss 'f --unsupervised' 'f --regression'; do ok "labels choose: $method" by_labels 1 -m $method; done
for method in 'bss --unsupervised' uniform 't -q'; do ok "no note of labels: $method" by_labels 0 -m $method; done
ok 'no note of a list, nor of a choice that is there' \
	'! fs-select -m t -k 5 --list heart 2>&1 | grep note && ! fs-select -r chosen.map heart 2>&1 | grep note'
ok 'scores add up to the rank' \
	'fs-select -q --unsupervised -m top -k 13 --list heart |
	awk "{ s += \$3 } END { exit !(s > 13 - 1e-9 && s < 13 + 1e-9) }"'
# scores_near DATA: of all features, to the exact ones: the median of the ratios within a tenth, and 99
# of 100 below 1.6
scores_near()
{
	fs-select -q --unsupervised -m top -k 100000 --list "$1" | cut -d ' ' -f 1,3 | sort >exact
	fs-select -q --unsupervised -m approx-leverage --sampling bernoulli -k 100000 --list "$1" |
		cut -d ' ' -f 1,3 | sort >near && [ "$(wc -l <exact)" = "$(wc -l <near)" ] &&
		join exact near | awk '{ print $3 / $2 }' | sort -g >ratios &&
		awk '{ r[NR] = $1 }
			END { m = r[int(NR / 2)]; most = r[int(NR * .99)]; print NR, m, most
				exit !(NR >= 300 && m > .9 && m < 1.1 && most < 1.6) }' ratios
}
svm-gen relevant -n 20 -d 400 -k 3 --seed 4 hashed
ok 'approximate scores are near'     scores_near hashed
ok 'rfe drops one at a time' \
	'fs-select -q -m rfe --one -k 6 --list heart >x && fs-select -q -m rfe --fraction 1e-9 -k 6 --list heart |
	cmp - x && [ "$(wc -l <x)" = 6 ]'
ok 'rmb drops one at a time' \
	'fs-select -q -m rmb --one -k 6 --list heart >x && fs-select -q -m rmb --fraction 1e-9 -k 6 --list heart |
	cmp - x && [ "$(wc -l <x)" = 6 ] && awk "{ if (NR > 1 && \$3 > last) exit 1; last = \$3 }" x'
ok 'rmb: regression, pairs' \
	'fs-select -q -m rmb --regression -k 1 "$sinc" >x && fs-select -q -m rmb -k 2 --list "$three" | wc -l |
	grep -x " *2" && fs-select -q --unsupervised -m rmb -c 0.1 -k 2 --regression "$sinc" >x; grep . x'
# with the far rows, for which the ball is wide along feature 1, the change of the bound is most there; its
# weight is 0, as it is 0 in the rows near the boundary
ok 'rmb is not rfe' \
	'for i in $(seq 30); do echo "+1 1:20 2:4 3:0.0$((i % 7))"; echo "-1 1:-20 2:-4 4:0.0$((i % 5))";
	done >far_rows; for i in $(seq 9); do echo "+1 2:1 3:0.0$((i % 4))"; echo "-1 2:-1 4:0.0$((i % 3))";
	done >>far_rows;
	[ "$(for m in rfe rmb; do fs-select -q --unsupervised -m $m -k 2 --list far_rows |
	cut -d " " -f 1 | sort | grep -c -x 1; done | tr "\n" " ")" = "0 1 " ]'
fail 1 '--nu: is not for rmb'        fs-select -m rmb --nu 1 heart
# rfe_of_size EXPONENT: what is chosen among values times 10^EXPONENT is what is without
rfe_of_size()
{
	svm-gen relevant -n 60 -d 30 -k 3 --seed 4 --force x && sed "s/\( [^ ]*\)/\1e$1/g" x >y &&
		fs-select -q --unsupervised -m rfe -k 5 -c 1e6 --list y | cut -d ' ' -f 1 >is &&
		fs-select -q --unsupervised -m rfe -k 5 -c 1e6 --list x | cut -d ' ' -f 1 | diff is -
}
ok 'rfe: huge values'                rfe_of_size 300
ok 'rfe: tiny values'                rfe_of_size -200
fail 1 'no finite solution: numbers are too large' \
	'svm-gen relevant -n 60 -d 30 -k 3 --seed 4 | sed "s/\( [^ ]*\)/\1e300/g" | fs-select -k 3'
ok 'rfe drops half' \
	'fs-select -q -m rfe --fraction 0.5 -k 3 --list heart |
	awk "{ n++; if (n > 1 && \$3 > last) bad = 1; last = \$3 } END { exit bad || n != 3 }"'
# lpsvm_aims K N: N features for -k K, none of them a zero that rounding left
lpsvm_aims()
{
	fs-select -q --unsupervised -m lpsvm -k "$1" --list heart >x && cat x &&
		awk -v n="$2" '$3 < 1e-3 { exit 1 } END { exit NR != n }' x
}
ok 'lpsvm: one feature'              lpsvm_aims 1 1
ok 'lpsvm: no rounding'              lpsvm_aims 2 1
ok 'lpsvm aims at k: 7'              lpsvm_aims 7 7
ok 'lpsvm aims at k: 10'             lpsvm_aims 10 10
ok 'lpsvm: rather two than none'     'fs-select -q -m lpsvm -k 1 --list heart >x && cat x && [ "$(wc -l <x)" = 2 ]'
ok 'lpsvm --nu: a small one finds none, and says that this is best' \
	'fs-select -q -m lpsvm --nu 1e-9 --list --report r heart >x 2>err && [ ! -s x ] && [ ! -s err ] &&
	fs-select -q -m lpsvm --nu 1 --list heart | grep -c .'
fail 1 'lpsvm takes no feature with any NU' 'printf "1 1:1e-9\n-1 2:1e-9\n" | fs-select --unsupervised -m lpsvm -k 1'
ok 'rrqr --beyond none stops at the rank' \
	'fs-select -q --unsupervised -m rrqr --beyond none -k 25 --list short >x && [ "$(wc -l <x)" = 10 ]'
ok 'rrqr --beyond norm goes by length' \
	'fs-select -q --unsupervised -m rrqr --beyond norm -k 25 --list short | tail -n +11 >x && sort -k 3gr,3 x |
	cmp - x && [ "$(wc -l <x)" = 15 ]'
ok 'rrqr --beyond lapack: by index, also features without values' \
	'printf "1 1:1 9:3\n-1 5:2\n" | fs-select --unsupervised -m rrqr --beyond lapack -k 6 --list 2>err - |
	cut -d " " -f 1 | tr "\n" " " | grep -x "9 5 3 4 2 6 " && cat err && grep "4 of the features" err'

# l1_is_liblinear SOLVER K DATA [OPTION...]: K features, of whose machines liblinear-train finds the same
# weights at the C of the report; features without values out of the way, which draw from rand() too
l1_is_liblinear()
{
	local solver=$1 k=$2 data=$3
	shift 3
	fs-select -q --unsupervised -m uniform -k 100000 --renumber "$data" dense &&
		fs-select -q --unsupervised -m l1 -k "$k" -e 0.001 --report r --list "$@" dense >list &&
		liblinear-train -q -s "$solver" -B 1 -e 0.001 -c "$(sed -n 's/.*"cost":[[:space:]]*\([^,]*\),*/\1/p' r)" \
			dense l1.model &&
		awk 'body { s = 0; for (i = 1; i <= NF; i++) s += $i < 0 ? -$i : $i; if (s > 0) printf "%d %.17g\n", NR - body, s }
			/^nr_feature/ { d = $2 } /^w$/ { body = NR }' l1.model |
			awk -v d="$(sed -n 's/^nr_feature //p' l1.model)" '$1 <= d' >theirs &&
		cut -d ' ' -f 1,3 list | sort -n >ours && wc -l list &&
		[ "$(wc -l <list)" = "$k" ] && near ours theirs 1e-6	# it reads -c and -e in single precision
}
if command -v liblinear-train >/dev/null; then
	for k in 1 5 12; do
		ok "l1: the weights of liblinear-train, $k"    l1_is_liblinear 5 $k heart
	done
	ok 'l1: the weights of liblinear-train, a1a'           l1_is_liblinear 5 40 a1a
	ok 'l1 --loss logistic: those of liblinear-train -s 6' l1_is_liblinear 6 40 a1a --loss logistic
	ok 'l1: the sums over three classes'                   l1_is_liblinear 5 2 "$three"
	ok 'l1: another seed' \
		'fs-select -q --unsupervised -m l1 -k 9 -e 1e-4 --list a1a | cut -d " " -f 1 >x &&
		fs-select -q --unsupervised -m l1 --seed 4 -k 9 -e 1e-4 --list a1a | cut -d " " -f 1 | cmp - x'
else
	skip 'no liblinear-train'
fi
ok 'l1: the largest weights first' \
	'fs-select -q -m l1 -k 40 --list a1a >x && sort -k 3gr,3 x | cmp - x && [ "$(wc -l <x)" = 40 ] &&
	! awk "\$2 != 1" x | grep .'
ok 'l1 --nu: the C of the report' \
	'fs-select -q --unsupervised -m l1 -k 7 --list --report r heart >x &&
	fs-select -q --unsupervised -m l1 --nu "$(sed -n "s/.*\"cost\":[[:space:]]*\([^,]*\),*/\1/p" r)" --list heart |
	cmp - x && [ "$(wc -l <x)" = 7 ]'
ok 'l1 --nu: a small one finds none'   'fs-select -q --unsupervised -m l1 --nu 1e-9 --list heart >x && [ ! -s x ]'
ok 'l1: features that come together' \
	'printf "1 1:1\n1 2:1\n-1 3:1\n-1 4:1\n" |
	fs-select --unsupervised -m l1 -k 1 --verbose --report r --list 2>err >x && cat x err r &&
	[ "$(wc -l <x)" = 1 ] && grep "no C was found with 1: those with the largest weights" err &&
	grep "\"weights\":[[:space:]]*4" r'
fail 1 'l1 takes no feature with any C' 'printf "1 1:1\n-1 1:1\n" | fs-select --unsupervised -m l1 -k 1'
ok 'l1: a warning at the limit of iterations' \
	'fs-select --unsupervised -m l1 --nu 1 -e 1e-5 --list --report r a1a 2>err >x && cat err &&
	grep "warning: LIBLINEAR ended at its limit of iterations" err &&
	grep "\"converged\":[[:space:]]*false" r && fs-select --unsupervised -m l1 --nu 1 --list a1a 2>err >x &&
	! grep warning err'
fail 1 'the score of feature 2 is too large' \
	'printf "1 1:1 2:1.7e308\n-1 2:-1.7e308\n" | fs-select -m rrqr --unsupervised -k 1'
ok 'l1: huge and tiny values' \
	'for e in 200 -200; do sed "s/\( [0-9][^ ]*\)/\1e$e/g" heart >sized;
	fs-select -q --unsupervised -m l1 -k 3 --list sized >x && cat x && [ "$(wc -l <x)" = 3 ] || exit; done'
fail 1 'row 2: overflow: a value times the weight of its feature is too large' \
	'printf "1 1:1 2:3\n-1 1:-1 2:2\n" | fs-select -q -m bss -k 1 --unsupervised --rescale -s sel >x &&
	printf "1 2:1\n1 2:1.797e308\n" | fs-select -q -r sel'
fail 1 'the score of feature 1 is too large' \
	'printf "1 1:1e-320\n-1 1:-1e-320\n" | fs-select -m l1 -k 1'
fail 1 '--regression: is not for l1'    fs-select -m l1 --regression -k 1 "$sinc"
fail 1 '--loss logistic is not for rfe'         fs-select -m rfe --loss logistic -k 1 heart
fail 1 '--loss: expected one of squared-hinge logistic' fs-select -m l1 --loss hinge -k 1 heart

# tested T|F N FEATURE SCORE DATA [OPTION...]: feature N of the list, and its score
tested()
{
	fs-select -q -m "$1" -k "$2" --list "${@:6}" "$5" >x && cat x &&
		tail -n 1 x | awk -v j="$3" -v s="$4" '{ d = $3 - s } END { exit !($1 == j && d * d < 1e-16 * s * s) }'
}
printf '1 1:1 2:5\n1 1:2 2:5\n-1 1:4 2:5\n-1 1:6\n' >four
ok 't: Welch'                          tested t 1 1 3.1304951684997055 four
ok 't: a feature in one row'           tested t 2 2 1 four
ok 'f: ANOVA'                          tested f 1 1 9.8 four
ok 'f --regression: the correlation' \
	'printf "1 1:1\n2 1:3\n4 1:4\n" >line && tested f 1 1 6.2592592592592595 line --regression'
ok 'f: a label is a name'              'sed "s/^1/7/; s/^-1/-30/" four >x4 && tested f 1 1 9.8 x4'
ok 't, f: all rows, no SVM' \
	'for m in t f; do fs-select -m $m -k 2 --verbose --report r four x 2>err && ! grep "support vectors" err &&
	grep "\"rows_chosen_by\":[[:space:]]*4" r || exit; done'
ok 't, f: equal scores by number' \
	'for m in t f; do printf "1 3:1 5:2\n1 3:2 5:4\n2 3:7 5:14\n2 3:9 5:18\n" |
	fs-select -q -m $m -k 2 --list | cut -d " " -f 1 | tr "\n" " " | grep -x "3 5 " || exit; done'
fail 1 't is for two classes, not 3; -m f takes several'     fs-select -m t -k 1 "$three"
fail 1 't is for two classes, not 1'                         'printf "1 1:1\n1 2:1\n1 1:2\n" | fs-select -m t -k 1'
fail 1 'every class has only one row'                        'printf "1 1:1\n2 1:2\n" | fs-select -m f -k 1'
fail 1 'a correlation needs three rows' \
	'printf "1 1:1\n2 1:2\n" | fs-select -m f -k 1 --regression'
fail 1 'all targets are the same' \
	'printf "1 1:1\n1 1:2\n1 2:1\n" | fs-select -m f -k 1 --regression'
fail 1 '--regression: is not for t'                          fs-select -m t --regression -k 1 four
for option in '-c 1' '-e 0.1' '-p 0.1' --supervised; do
	fail 1 "${option%% *}: is not for f"                 "fs-select -m f $option -k 1 four"
done
fail 1 '--rows sv is not for f'                              fs-select -m f --rows sv -k 1 four

# ---- degenerate data ----

ok 'more than there are: bss' \
	'fs-select -m bss --unsupervised -k 50 --list heart 2>err >x && cat err &&
	grep "^fs-select: only 13 features occur in the rows: all of them are chosen, with weight 1$" err &&
	[ "$(wc -l <err)" = 1 ] && [ "$(wc -l <x)" = 13 ] && ! grep -v " 1 " x'
for method in approx-bss top rrqr uniform rfe l1; do
	ok "more than there are: $method" \
		"fs-select --unsupervised -m $method -k 50 --list heart >x 2>err && cat err &&
		grep -E '13 features (were chosen, not 50|occur in the rows)' err && [ \$(wc -l <x) = 13 ]"
done
ok 'bernoulli: all that have values' \
	'fs-select --unsupervised -m leverage --sampling bernoulli -k 50 --list heart | cut -d " " -f 1 |
	tr "\n" " " | grep -x "1 2 3 4 5 6 7 8 9 10 11 12 13 "'
# warned COMMAND...: it has warnings, and with -q these alone
warned() { "$@" 2>err >x; "$1" -q "${@:2}" 2>quiet >y; cat err; cmp x y && grep ": warning:" err | cmp - quiet && [ -s quiet ]; }
awk '{ print int(NR / 2), $2, $3 }' heart >targets
ok 'warnings, with -q too: bss'    'warned fs-select -m bss -k 9 --unsupervised --list heart'
ok '... l1'                        'warned fs-select --unsupervised -m l1 --nu 1 -e 1e-5 --list a1a'
ok '... rrqr'                      'printf "1 1:1 9:3\n-1 5:2\n" >gaps; warned fs-select --unsupervised -m rrqr --beyond lapack -k 6 --list gaps'
ok '... targets for classes'       'warned fs-select -m f -k 1 --list targets'
# scores that only rounding tells apart: of a full rank, of equal columns; COMMAND... has TEXT, or no note of scores with ''
tied() { fs-select --list "${@:2}" 2>err >x; cat err; if [ "$1" ]; then grep "note: the score of the last feature chosen is that of $1 left out, but for rounding" err; else ! grep "the score of" err; fi; }
awk '{ print $0, "20" substr($2, 2), "21" substr($2, 2) }' heart >twice
ok 'equal scores: top of a full rank'    'tied 8 --unsupervised -m top -k 5 heart && tied "" --unsupervised -m top -k 13 heart'
ok '... of equal columns'                'for k in $(seq 16); do fs-select -q -m f -k $k --list twice >x; tail -n 1 x | cut -d " " -f 3; done >scores
	for k in $(seq 14); do n=$(sed -n "$k,\$p" scores | awk "NR == 1 { s = \$1 } NR > 1 && \$1 > s * (1 - 1e-9)" | wc -l); tied "${n#0}" -m f -k $k twice || exit; done'
ok '... none where they differ'          'tied "" -m f -k 5 heart && tied "" -m t -k 5 heart'
# rank_warning TEXT OPTION...: of bss on heart_scale, on one line
rank_warning() { fs-select -m bss "${@:2}" --list heart 2>err >x && cat err && grep -c -x -e "fs-select: warning: $1" err | grep -x 1; }
ok 'k not above the rank: a warning' rank_warning \
	'the 270 rows have rank 13; bss guarantees nothing for 9 features. Take more than 13, or -m rfe, which looks at the labels' \
	--unsupervised -k 9
ok 'k not above the rank of the support vectors' \
	'rank_warning "the [0-9]* support vectors have rank 10; bss guarantees nothing for 10 features. Take more than 10, or -m rfe" -k 10 --rank-tol 0.2'
ok 'k above the rank: no warning' \
	'fs-select -m bss -k 14 --list heart 2>&1 >x |
	cmp - <(echo "fs-select: only 13 features occur in the support vectors: all of them are chosen, with weight 1")'
fail 1 'approx-bss takes more features than the sketch has rows, 6' \
	'fs-select --unsupervised -m approx-bss -T 6 -k 6 short'
printf '1 2:3\n' >one_row
printf '1\n-1\n' >no_features
printf '1 1:0 2:0\n-1 1:0\n' >zeros
printf '1 1:1 2:1\n1 2:1 3:1\n1 1:2 4:1\n' >one_class
for method in bss approx-bss leverage approx-leverage top rrqr uniform; do
	ok "one row: $method" "fs-select -q --unsupervised -m $method -k 1 --list one_row | grep '^2 '"
done
for method in bss approx-bss leverage approx-leverage top rrqr; do
	fail 1 'have no features'     fs-select --unsupervised -m $method -k 1 zeros
	fail 1 'have no features'     fs-select --unsupervised -m $method -k 1 no_features
done
ok 'no features: rfe, uniform' \
	'[ -z "$(fs-select -q --unsupervised -m uniform -k 1 --list zeros; fs-select -q --unsupervised -m rfe -k 1 --list no_features)" ]'
sed 's/$/ 99:0/' heart >padded
# never_chosen METHOD FEATURE DATA: not even where all the others are not enough
never_chosen()
{
	fs-select -q --unsupervised -m "$1" -k 14 --list "$3" >x && [ -s x ] && ! grep "^$2 " x
}
for method in bss leverage top rrqr rfe rmb l1 uniform; do
	ok "a zero column is never chosen: $method" never_chosen $method 99 padded
done
ok 'a zero column: uniform --all-features' \
	'fs-select -q --unsupervised -m uniform --all-features -k 99 --list padded >x && grep "^99 " x'
# twins DATA: each feature j once more as 100 + j, and its negative as 200 + j
twins()
{
	awk '{ n = NF
		for (sign = 1; sign >= -1; sign -= 2)
			for (i = 2; i <= n; i++) {
				split($i, a, ":")
				if (sign < 0 && !sub(/^-/, "", a[2]))
					a[2] = "-" a[2]
				$(++NF) = a[1] + (sign > 0 ? 100 : 200) ":" a[2]
			}
		print }' "$1"
}
# first_of_twins METHOD DATA: in the list a feature stands before its copies
first_of_twins()
{
	fs-select -q --unsupervised -m "$1" -k 40 --list "$2" >x && [ -s x ] &&
		awk '{ place[$1] = NR }
			END { for (j in place) if (j + 0 > 100 && !(j % 100 in place && place[j % 100] < place[j]))
				{ print j, "without", j % 100; exit 1 } }' x
}
for data in short tall; do
	twins $data >twins.$data
	for method in top bss rrqr lpsvm; do
		ok "equal columns, $data: the first one, $method" first_of_twins $method twins.$data
	done
done
ok 'equal columns: one of them has all pivots' \
	'fs-select -q --unsupervised -m rrqr --beyond none -k 60 --list twins.short >x && [ -s x ] &&
	awk "\$1 > 100 { exit 1 }" x'
ok 'a feature 10^9 times shorter than another counts' \
	'seq 40 | awk "{ s = NR % 2 * 2 - 1; print s, \"1:\" s * NR * NR % 37 * 1e9, \"2:\" s }" >uneven &&
	fs-select -q --unsupervised -m top -k 2 --list uneven >x &&
	near <(cut -d " " -f 3 x) <(printf "1\n1\n") 1e-9'
ok 'index 0 with --all-features: where it has values' \
	'printf "1 0:2 3:1\n-1 0:3\n" >zero &&
	fs-select -q --unsupervised -m uniform --all-features -k 9 --list zero >x &&
	[ "$(cut -d " " -f 1 x | sort | tr "\n" " ")" = "0 1 2 3 " ] && printf "1 0:0 3:1\n" |
	fs-select -q --unsupervised -m uniform --all-features -k 9 --list >x &&
	[ "$(cut -d " " -f 1 x | sort | tr "\n" " ")" = "1 2 3 " ]'
ok 'index 0 is a feature' \
	'printf "1 0:2 1:1\n-1 0:3\n" | fs-select --unsupervised -m top -k 2 --list | grep "^0 "'
ok 'one class: unsupervised works' \
	'for m in bss leverage top rrqr uniform; do fs-select -q --unsupervised -m $m -k 2 one_class || exit; done'
# all multipliers are C, and the classes have the same mean but for rounding
ok 'weights of rounding: a warning, and by index' \
	'awk "BEGIN { for (y = 1; y >= -1; y -= 2) for (k = 0; k < 40; k++) {
		i = y > 0 ? k : (k * 17 + 3) % 40
		print y, \"1:\" i % 7 + i / 30, \"2:\" (i * i % 13) / 7 + 0.1, \"3:\" (i * i * i % 11) / 3 + 0.1 } }" >same_mean &&
	for m in rmb rfe; do
		fs-select -m $m -c 0.1 -k 1 --list same_mean 2>err | cut -d " " -f 1 | tail -n 1 | grep -x 1 &&
		grep "warning: all weights of $m.s machine are 0" err || exit; done'
fail 1 'rfe is for two classes or more, not 1'  fs-select --unsupervised -m rfe -k 2 one_class
fail 1 'rmb is for two classes or more, not 1'  fs-select --unsupervised -m rmb -k 2 one_class
fail 1 'there is only one class, so no support vectors; say --unsupervised -m bss'  fs-select -k 2 one_class
fail 1 'lpsvm is for two classes, not 1'  fs-select --unsupervised -m lpsvm -k 2 one_class
fail 1 'l1 is for two classes or more, not 1'  fs-select --unsupervised -m l1 -k 2 one_class
fail 1 'lpsvm is for two classes, not 3'  fs-select -m lpsvm -k 2 "$three"
fail 1 'for targets say --regression'     fs-select -k 2 "$sinc"

# full matrices may take half of the memory
if [ -z "$SANITIZE$WRAP" ]; then
	seq 7000 | awk '{ print NR % 2 * 2 - 1, $1 ":1" }' >diagonal
	for options in '-m top' '-m approx-bss --certificate'; do
		fail 1 'GB; approx-bss does with less, or a supervised choice' \
			"ulimit -v 2000000; fs-select --threads 1 --unsupervised -k 300 $options diagonal"
	done
fi
