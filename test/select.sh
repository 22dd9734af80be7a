# fs-select: the features that the definitions say, the same however the rows come; selections saved
# and applied; what supervised means; certificates that hold; and clear errors.

. "$TOP/test/helpers.bash"

usage='Usage: fs-select [options] [training_set_file [output_file]]'
methods='bss approx-bss leverage approx-leverage top rrqr rfe rmb lpsvm l1 t f uniform'

# the features of --list, without the heading; else the program as it is
fs-select()
{
	case " $* " in
	*' --list '*) command fs-select "$@" | sed '/^#/d'; return "${PIPESTATUS[0]}" ;;
	*) command fs-select "$@" ;;
	esac
}

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart
three=$T/three_class sinc=$T/sinc
svm-gen relevant -n 10 -d 30 -k 3 --seed 4 short
svm-gen relevant -n 40 -d 12 -k 3 --seed 4 tall

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
		ok 'rfe as defined'              'near_by=1e-5 defined rfe 4 heart -- -m rfe -e 1e-7'
		ok 'rfe as defined, n < d'       'near_by=1e-5 defined rfe 7 short -- -m rfe -e 1e-7'
		ok 'rmb as defined'              'near_by=1e-2 defined rmb 4 heart -- -m rmb -e 1e-7'
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
ok 'another seed, other features'    '[ "$(for s in 1 2 3 4294967297; do fs-select --unsupervised -m uniform -k 8 --seed $s --list a1a | head -n 1; done | sort -u | wc -l)" = 4 ]'
ok 'fewer are a beginning'           'fs-select --unsupervised -m uniform -k 5 --list a1a >x && fs-select --unsupervised -m uniform -k 50 --list a1a | head -n 5 | cmp - x && fs-select --unsupervised -m rrqr -k 5 --list a1a >x && fs-select --unsupervised -m rrqr -k 50 --list a1a | head -n 5 | cmp - x'
ok 'seed 1 is the default'           'fs-select -q -m leverage -k 30 --list a1a >x && fs-select -q -m leverage -k 30 --seed 1 --list a1a | cmp - x'
# by_default METHOD TEXT OPTION...: that method is taken, one line says so with TEXT, and none with -q
by_default()
{
	fs-select -k 30 "${@:3}" --list "$T/a1a.gz" 2>err >x && cat err && grep -c "^fs-select: method: $1, $2" err | grep -x 1 &&
		fs-select -q -k 30 -m "$1" "${@:3}" --list "$T/a1a.gz" | cmp - x &&
		! fs-select -q -k 30 "${@:3}" --list "$T/a1a.gz" 2>&1 >x | grep . &&
		! fs-select -k 30 -m "$1" "${@:3}" --list "$T/a1a.gz" 2>&1 >x | grep method
}
ok 'rfe is the default'              by_default rfe 'the default, by its errors on six public data sets'
ok 'rfe is the default: regression'  by_default rfe 'the default, by its errors on six public data sets' --regression
ok 'bss is the default without labels' by_default bss 'which needs no labels' --unsupervised
ok 'bss is the default of --epsilon' 'fs-select --epsilon 5 --list a1a 2>err >x && cat err && grep "method: bss, whose guarantee --epsilon" err && fs-select -q -m bss --epsilon 5 --list a1a | cmp - x'
ok 'scores add up to the rank'       'fs-select -q --unsupervised -m top -k 13 --list heart | awk "{ s += \$3 } END { exit !(s > 13 - 1e-9 && s < 13 + 1e-9) }"'
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
ok 'rfe drops one at a time'         'fs-select -q -m rfe --one -k 6 --list heart >x && fs-select -q -m rfe --fraction 1e-9 -k 6 --list heart | cmp - x && [ "$(wc -l <x)" = 6 ]'
ok 'rmb drops one at a time'         'fs-select -q -m rmb --one -k 6 --list heart >x && fs-select -q -m rmb --fraction 1e-9 -k 6 --list heart | cmp - x && [ "$(wc -l <x)" = 6 ] && awk "{ if (NR > 1 && \$3 > last) exit 1; last = \$3 }" x'
ok 'rmb: regression, pairs'          'fs-select -q -m rmb --regression -k 1 "$sinc" >x && fs-select -q -m rmb -k 2 --list "$three" | wc -l | grep -x " *2" && fs-select -q --unsupervised -m rmb -c 0.1 -k 2 --regression "$sinc" >x; grep . x'
# with the far rows, for which the ball is wide along feature 1, the change of the bound is most there; its
# weight is 0, as it is 0 in the rows near the boundary
ok 'rmb is not rfe'                  'for i in $(seq 30); do echo "+1 1:20 2:4 3:0.0$((i % 7))"; echo "-1 1:-20 2:-4 4:0.0$((i % 5))"; done >far_rows; for i in $(seq 9); do echo "+1 2:1 3:0.0$((i % 4))"; echo "-1 2:-1 4:0.0$((i % 3))"; done >>far_rows; [ "$(for m in rfe rmb; do fs-select -q --unsupervised -m $m -k 2 --list far_rows | cut -d " " -f 1 | sort | grep -c -x 1; done | tr "\n" " ")" = "0 1 " ]'
fail 1 '--nu: is not for rmb'        fs-select -m rmb --nu 1 heart
# rfe_of_size EXPONENT: what is chosen among values times 10^EXPONENT is what is without
rfe_of_size()
{
	svm-gen relevant -n 60 -d 30 -k 3 --seed 4 x && sed "s/\( [^ ]*\)/\1e$1/g" x >y &&
		fs-select -q --unsupervised -m rfe -k 5 -c 1e6 --list y | cut -d ' ' -f 1 >is &&
		fs-select -q --unsupervised -m rfe -k 5 -c 1e6 --list x | cut -d ' ' -f 1 | diff is -
}
ok 'rfe: huge values'                rfe_of_size 300
ok 'rfe: tiny values'                rfe_of_size -200
fail 1 'no finite solution: numbers are too large' 'svm-gen relevant -n 60 -d 30 -k 3 --seed 4 | sed "s/\( [^ ]*\)/\1e300/g" | fs-select -k 3'
ok 'rfe drops half'                  'fs-select -q -m rfe --fraction 0.5 -k 3 --list heart | awk "{ n++; if (n > 1 && \$3 > last) bad = 1; last = \$3 } END { exit bad || n != 3 }"'
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
ok 'lpsvm --nu: a small one finds none, and says that this is best'  'fs-select -q -m lpsvm --nu 1e-9 --list --report r heart >x 2>err && [ ! -s x ] && [ ! -s err ] && fs-select -q -m lpsvm --nu 1 --list heart | grep -c .'
fail 1 'lpsvm takes no feature with any NU' 'printf "1 1:1e-9\n-1 2:1e-9\n" | fs-select --unsupervised -m lpsvm -k 1'
ok 'rrqr --beyond none stops at the rank' 'fs-select -q --unsupervised -m rrqr --beyond none -k 25 --list short >x && [ "$(wc -l <x)" = 10 ]'
ok 'rrqr --beyond norm goes by length' 'fs-select -q --unsupervised -m rrqr --beyond norm -k 25 --list short | tail -n +11 >x && sort -k 3gr,3 x | cmp - x && [ "$(wc -l <x)" = 15 ]'
ok 'rrqr --beyond lapack: by index, also features without values' 'printf "1 1:1 9:3\n-1 5:2\n" | fs-select --unsupervised -m rrqr --beyond lapack -k 6 --list 2>err - | cut -d " " -f 1 | tr "\n" " " | grep -x "9 5 3 4 2 6 " && cat err && grep "4 of the features" err'

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
	ok 'l1: another seed'                                  'fs-select -q --unsupervised -m l1 -k 9 -e 1e-4 --list a1a | cut -d " " -f 1 >x && fs-select -q --unsupervised -m l1 --seed 4 -k 9 -e 1e-4 --list a1a | cut -d " " -f 1 | cmp - x'
else
	skip 'no liblinear-train'
fi
ok 'l1: the largest weights first'     'fs-select -q -m l1 -k 40 --list a1a >x && sort -k 3gr,3 x | cmp - x && [ "$(wc -l <x)" = 40 ] && ! awk "\$2 != 1" x | grep .'
ok 'l1 --nu: the C of the report'      'fs-select -q --unsupervised -m l1 -k 7 --list --report r heart >x && fs-select -q --unsupervised -m l1 --nu "$(sed -n "s/.*\"cost\":[[:space:]]*\([^,]*\),*/\1/p" r)" --list heart | cmp - x && [ "$(wc -l <x)" = 7 ]'
ok 'l1 --nu: a small one finds none'   'fs-select -q --unsupervised -m l1 --nu 1e-9 --list heart >x && [ ! -s x ]'
ok 'l1: features that come together'   'printf "1 1:1\n1 2:1\n-1 3:1\n-1 4:1\n" | fs-select --unsupervised -m l1 -k 1 --verbose --report r --list 2>err >x && cat x err r && [ "$(wc -l <x)" = 1 ] && grep "no C was found with 1: those with the largest weights" err && grep "\"weights\":[[:space:]]*4" r'
fail 1 'l1 takes no feature with any C' 'printf "1 1:1\n-1 1:1\n" | fs-select --unsupervised -m l1 -k 1'
ok 'l1: a warning at the limit of iterations' 'fs-select --unsupervised -m l1 --nu 1 -e 1e-5 --list --report r a1a 2>err >x && cat err && grep "warning: LIBLINEAR ended at its limit of iterations" err && grep "\"converged\":[[:space:]]*false" r && fs-select --unsupervised -m l1 --nu 1 --list a1a 2>err >x && ! grep warning err'
ok 'l1: huge and tiny values'           'for e in 200 -200; do sed "s/\( [0-9][^ ]*\)/\1e$e/g" heart >sized; fs-select -q --unsupervised -m l1 -k 3 --list sized >x && cat x && [ "$(wc -l <x)" = 3 ] || exit; done'
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
ok 'f --regression: the correlation'   'printf "1 1:1\n2 1:3\n4 1:4\n" >line && tested f 1 1 6.2592592592592595 line --regression'
ok 'f: a label is a name'              'sed "s/^1/7/; s/^-1/-30/" four >x4 && tested f 1 1 9.8 x4'
ok 't, f: all rows, no SVM'            'for m in t f; do fs-select -m $m -k 2 --verbose --report r four x 2>err && ! grep "support vectors" err && grep "\"rows_chosen_by\":[[:space:]]*4" r || exit; done'
ok 't, f: equal scores by number'      'for m in t f; do printf "1 3:1 5:2\n1 3:2 5:4\n2 3:7 5:14\n2 3:9 5:18\n" | fs-select -q -m $m -k 2 --list | cut -d " " -f 1 | tr "\n" " " | grep -x "3 5 " || exit; done'
fail 1 't is for two classes, not 3; -m f takes several'     fs-select -m t -k 1 "$three"
fail 1 't is for two classes, not 1'                         'printf "1 1:1\n1 2:1\n1 1:2\n" | fs-select -m t -k 1'
fail 1 'every class has only one row'                        'printf "1 1:1\n2 1:2\n" | fs-select -m f -k 1'
fail 1 'a correlation needs three rows'                      'printf "1 1:1\n2 1:2\n" | fs-select -m f -k 1 --regression'
fail 1 'all targets are the same'                            'printf "1 1:1\n1 1:2\n1 2:1\n" | fs-select -m f -k 1 --regression'
fail 1 '--regression: is not for t'                          fs-select -m t --regression -k 1 four
for option in '-c 1' '-e 0.1' '-p 0.1' --supervised; do
	fail 1 "${option%% *}: is not for f"                 "fs-select -m f $option -k 1 four"
done
fail 1 '--rows sv is not for f'                              fs-select -m f --rows sv -k 1 four

# ---- degenerate data ----

ok 'more than there are: bss'        'fs-select -m bss --unsupervised -k 50 --list heart 2>err >x && cat err && grep "^fs-select: only 13 features occur in the rows: all of them are chosen, with weight 1$" err && [ "$(wc -l <err)" = 1 ] && [ "$(wc -l <x)" = 13 ] && ! grep -v " 1 " x'
for method in approx-bss top rrqr uniform rfe l1; do
	ok "more than there are: $method" "fs-select --unsupervised -m $method -k 50 --list heart >x 2>err && cat err && grep -E '13 features (were chosen, not 50|occur in the rows)' err && [ \$(wc -l <x) = 13 ]"
done
ok 'bernoulli: all that have values' 'fs-select --unsupervised -m leverage --sampling bernoulli -k 50 --list heart | cut -d " " -f 1 | tr "\n" " " | grep -x "1 2 3 4 5 6 7 8 9 10 11 12 13 "'
# rank_warning TEXT OPTION...: of bss on heart_scale, on one line
rank_warning() { fs-select -m bss "${@:2}" --list heart 2>err >x && cat err && grep -c -x -e "fs-select: warning: $1" err | grep -x 1; }
ok 'k not above the rank: a warning' rank_warning 'the 270 rows have rank 13; bss guarantees nothing for 9 features. Take more than 13, or -m rfe, which looks at the labels' --unsupervised -k 9
ok 'k not above the rank of the support vectors' 'rank_warning "the [0-9]* support vectors have rank 10; bss guarantees nothing for 10 features. Take more than 10, or -m rfe" -k 10 --rank-tol 0.2'
ok 'k above the rank: no warning'    'fs-select -m bss -k 14 --list heart 2>&1 >x | cmp - <(echo "fs-select: only 13 features occur in the support vectors: all of them are chosen, with weight 1")'
fail 1 'approx-bss takes more features than the sketch has rows, 6' 'fs-select --unsupervised -m approx-bss -T 6 -k 6 short'
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
ok 'no features: rfe, uniform'       '[ -z "$(fs-select -q --unsupervised -m uniform -k 1 --list zeros; fs-select -q --unsupervised -m rfe -k 1 --list no_features)" ]'
sed 's/$/ 99:0/' heart >padded
# never_chosen METHOD FEATURE DATA: not even where all the others are not enough
never_chosen()
{
	fs-select -q --unsupervised -m "$1" -k 14 --list "$3" >x && [ -s x ] && ! grep "^$2 " x
}
for method in bss leverage top rrqr rfe rmb l1 uniform; do
	ok "a zero column is never chosen: $method" never_chosen $method 99 padded
done
ok 'a zero column: uniform --all-features' 'fs-select -q --unsupervised -m uniform --all-features -k 99 --list padded >x && grep "^99 " x'
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
ok 'equal columns: one of them has all pivots' 'fs-select -q --unsupervised -m rrqr --beyond none -k 60 --list twins.short >x && [ -s x ] && awk "\$1 > 100 { exit 1 }" x'
ok 'a feature 10^9 times shorter than another counts' 'seq 40 | awk "{ s = NR % 2 * 2 - 1; print s, \"1:\" s * NR * NR % 37 * 1e9, \"2:\" s }" >uneven && fs-select -q --unsupervised -m top -k 2 --list uneven >x && near <(cut -d " " -f 3 x) <(printf "1\n1\n") 1e-9'
ok 'index 0 with --all-features: where it has values' 'printf "1 0:2 3:1\n-1 0:3\n" >zero && fs-select -q --unsupervised -m uniform --all-features -k 9 --list zero >x && [ "$(cut -d " " -f 1 x | sort | tr "\n" " ")" = "0 1 2 3 " ] && printf "1 0:0 3:1\n" | fs-select -q --unsupervised -m uniform --all-features -k 9 --list >x && [ "$(cut -d " " -f 1 x | sort | tr "\n" " ")" = "1 2 3 " ]'
ok 'index 0 is a feature'            'printf "1 0:2 1:1\n-1 0:3\n" | fs-select --unsupervised -m top -k 2 --list | grep "^0 "'
ok 'one class: unsupervised works'   'for m in bss leverage top rrqr uniform; do fs-select -q --unsupervised -m $m -k 2 one_class || exit; done'
ok 'one class: rmb warns'            'fs-select --unsupervised -m rmb -k 2 --list one_class 2>err | cut -d " " -f 1 | tr "\n" " " | grep -x "1 2 " && cat err && grep "warning: there is only one class, so rmb has" err'
ok 'one class: rfe warns'            'fs-select --unsupervised -m rfe -k 2 --list one_class 2>err | cut -d " " -f 1 | tr "\n" " " | grep -x "1 2 " && cat err && grep "warning: there is only one class" err'
fail 1 'there is only one class, so no support vectors; say --unsupervised'  fs-select -k 2 one_class
fail 1 'lpsvm is for two classes, not 1'  fs-select --unsupervised -m lpsvm -k 2 one_class
fail 1 'l1 is for two classes or more, not 1'  fs-select --unsupervised -m l1 -k 2 one_class
fail 1 'lpsvm is for two classes, not 3'  fs-select -m lpsvm -k 2 "$three"
fail 1 'for targets say --regression'     fs-select -k 2 "$sinc"

# full matrices may take half of the memory
if [ -z "$SANITIZE$WRAP" ]; then
	seq 7000 | awk '{ print NR % 2 * 2 - 1, $1 ":1" }' >diagonal
	for options in '-m top' '-m approx-bss --certificate'; do
		fail 1 'GB; approx-bss does with less, or a supervised choice' "ulimit -v 2000000; fs-select --threads 1 --unsupervised -k 300 $options diagonal"
	done
fi

# ---- supervised ----

randsvm-train -q -t 0 --sv-indices sv a1a m
ok '--rows sv: the support vectors, in the order of the data' 'sort -n sv | awk "NR == FNR { sv[\$1]; next } FNR in sv" - a1a >rows && fs-select -q -m uniform -k 200 --all-features --rows sv a1a | diff - <(sed "s/ *\$//" rows)'
for method in bss leverage top rrqr uniform; do
	ok "$method: supervised is unsupervised on the support vectors" "fs-select -q -m $method -k 90 --list a1a >x && fs-select -q --unsupervised -m $method -k 90 --list rows | near - x 1e-6"
done
ok 'rfe: likewise'                   'fs-select -q -m rfe -k 90 --list a1a | cut -d " " -f 1 | sort >x && fs-select -q --unsupervised -m rfe -k 90 --list rows | cut -d " " -f 1 | sort | cmp - x'
ok 'retraining on the support vectors gives the whole objective' 'fs-select -q -m top -k 123 --rows sv a1a small && randsvm-train -t 0 a1a m >x && randsvm-train -t 0 small m >y && [ "$(wc -l <small)" -lt 800 ] && close_objectives x y 1e-4'
ok '-c counts'                       '[ "$(fs-select -q -c 0.01 -m top -k 200 --rows sv a1a | wc -l)" != "$(wc -l <rows)" ]'
ok 'several classes: the support vectors of all pairs' 'randsvm-train -q -t 0 --sv-indices s "$three" m && sort -n s | awk "NR == FNR { sv[\$1]; next } FNR in sv" - "$three" >pairs && fs-select -q -m uniform -k 9 --rows sv "$three" | diff - <(sed "s/ *\$//" pairs)'
ok 'several classes: rfe'            'fs-select -q -m rfe -k 2 --list "$three" | awk "{ n++ } END { exit n != 2 }"'
ok '--regression'                    'randsvm-train -q -s 3 -t 0 --sv-indices s "$sinc" m && fs-select -q --regression -m uniform -k 9 --rows sv "$sinc" | wc -l | grep -x "$(grep -c . s)" && fs-select -q --regression -m rfe -k 1 "$sinc" >x && [ "$(fs-select -q --regression -p 0.5 -m top -k 1 --rows sv "$sinc" | wc -l)" != "$(grep -c . s)" ]'
ok '--unsupervised looks at no label' 'fs-select -q --unsupervised -m top -k 1 "$sinc" >x && fs-select -q --unsupervised -m bss -k 20 --list a1a >x && sed "s/^[^ ]*/7.5/" a1a | fs-select -q --unsupervised -m bss -k 20 --list | cmp - x'

# ---- sizes, and certificates ----

svm-gen relevant -n 10 -d 300 -k 3 --seed 4 wider
ok '--epsilon'                       'fs-select --unsupervised --epsilon 0.5 --list short 2>err >x && cat err && grep "^fs-select: k = 198 = .* rank rho = 10 (by the paper: 9 rho / E^2 = 360, and 36 rho / E^2 = 1440 for an error E of the squared margin)$" err'
ok '--epsilon with estimates: their rank' 'fs-select --unsupervised -m approx-leverage --epsilon 2 --list --verbose wider 2>err >x && cat err && grep "^fs-select: k = 19 = .* rho = 10 " err && ! grep "^rank" err'
ok '--epsilon with a sketch: its rank' 'fs-select --unsupervised -m approx-bss -T 3 --epsilon 2 --list short 2>err >x && cat err && grep "^fs-select: k = 6 = .* rho = 3 " err && [ "$(wc -l <x)" = 6 ]'
ok 'the bounds of bss, --verbose'    'svm-gen relevant -n 20 -d 300 -k 9 wide && fs-select --unsupervised -k 60 --verbose --list wide 2>err >x && grep "^eigenvalues" err | awk "{ print; exit !(\$8 >= \$12 && \$10 + 0 <= \$14 && \$12 > 0.178 && \$12 < 0.179 && \$14 > 2.48 && \$14 < 2.49) }"'
ok 'its certificate says the same'   'fs-select --unsupervised -k 60 --verbose --certificate wide x 2>err >lines && cat lines err && grep -x "rows = 20, rank = 20, features = 60" lines && a=$(sed -n "s/^lambda_min = \([^,]*\), lambda_max = \([^,]*\),.*/\1 \2/p" lines) && b=$(sed -n "s/^fs-select: eigenvalues.* from \([^ ]*\) to \([^,]*\),.*/\1 \2/p" err) && near <(echo $a) <(echo $b) 1e-5'
ok 'to standard error, where rows go to standard output' 'fs-select --unsupervised -k 60 --certificate wide 2>err >x && grep "^rows = 20" err && fs-select --unsupervised -k 60 wide | cmp - x'
ok 'fewer features than the rank'    'fs-select -q --unsupervised -m top -k 5 --certificate heart x | grep "lambda_min is 0, as there are fewer features than the rank: nothing holds from below"'
# certified_whole OPTIONS...: the rank is that of the rows, not what --rank-tol leaves of it
certified_whole()
{
	fs-select -q --unsupervised -m top -k 13 --certificate "$@" heart x >lines && cat lines &&
		grep -x 'rows = 270, rank = 13, features = 13' lines
}
ok '--rank-tol is for the choice alone'      certified_whole --rank-tol 0.5
ok 'all features change nothing'     'fs-select -q --unsupervised -m top -k 13 --certificate heart x >lines && cat lines && near <(sed -n "s/^lambda_min = \([^,]*\), lambda_max = \([^,]*\),.*/\1 \2/p" lines) <(echo 1 1) 1e-9'
# margins FILE C: 1 / |w|^2 of the machine trained on FILE
margin()
{
	randsvm-train -q -t 0 -c "$2" -e 1e-6 "$1" margin.model &&
		awk -v rows="$1" '/^SV/ { body = 1; next }
			body { for (i = 2; i <= NF; i++) { split($i, a, ":"); w[a[1]] += $1 * a[2] } }
			END { for (j in w) s += w[j] * w[j]; print 1 / s }' margin.model
}
# margin_holds C METHOD K: the margin trained after the choice is within what the certificate says
margin_holds()
{
	fs-select -q --unsupervised -m "$2" -k "$3" --certificate wide small >lines || return
	margin wide "$1" >before && margin small "$1" >after && cat lines before after &&
		paste -d ' ' before after <(sed -n 's/^squared margin: \([^ ]*\) to \([^ ]*\) times.*/\1 \2/p' lines) |
		awk '{ r = $2 / $1; print "ratio", r; exit !(NF == 4 && r >= $3 * (1 - 1e-4) && r <= $4 * (1 + 1e-4)) }'
}
for c in 1e-4 0.01 1 100; do
	ok "bss: the margin is as certified, C = $c" margin_holds $c bss 60
done
ok 'leverage: the margin is as certified'        margin_holds 0.01 leverage 150
ok 'top: the margin is as certified'             margin_holds 0.01 top 100
ok 'supervised: rows of the certificate are the support vectors' 'fs-select -q -m top -k 123 --certificate a1a x | grep "^rows = $(wc -l <rows), "'

# ---- rows ----

ok 'only the features chosen'        'fs-select -q -m top -k 7 --list a1a | cut -d " " -f 1 | sort -n >x && fs-select -q -m top -k 7 a1a | tr " " "\n" | sed -n "s/:.*//p" | sort -nu | cmp - x'
ok 'values as they were'             'fs-select -q --unsupervised -m top -k 13 heart | cmp - <(sed "s/ *\$//" heart)'
ok 'labels stay as they are'         'printf "+1 1:1\n1.50 1:2\n-0 2:1\n" | fs-select --unsupervised -m top -k 2 | cut -d " " -f 1 | tr "\n" " " | grep -x -e "+1 1.50 -0 "'
ok 'qid and comments stay'           'printf "3 qid:7 1:1 5:1 #a: b \n# alone\n\n2 2:1\n" | fs-select -q --unsupervised -m rrqr -k 1 >out && cat out && grep -x -e "3 qid:7 1:1 #a: b" out && [ $(wc -l <out) = 2 ]'
ok 'they stay with -r'               'printf "3 qid:7 1:1 5:1 #a: b \n\n2 2:1\n" >q && fs-select -q --unsupervised -m rrqr -k 1 -s map q x && fs-select -r map q | cmp - x && grep "^3 qid:7 1:1 #a: b" x'
ok 'bss: values times weights'       'fs-select -q --unsupervised -k 20 -s map wide x && fs-select -q --unsupervised -k 20 --no-rescale wide y && awk "FNR == NR { if (/^[0-9]/) w[\$1] = \$2; next } { printf \"%s\", \$1; for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); printf \" %d:%.17g\", a[1], a[2] * w[a[1]] } print \"\" }" map y | tr ":" " " >z && tr ":" " " <x | near - z 1e-14 && ! cmp x y'
ok 'leverage too; others not'        'fs-select -q --unsupervised -m leverage -k 20 wide x && fs-select -q --unsupervised -m leverage --no-rescale -k 20 wide y && ! cmp -s x y && for m in top rrqr rfe uniform; do fs-select -q --unsupervised -m $m -k 20 wide x && fs-select -q --unsupervised --no-rescale -m $m -k 20 wide y && cmp x y && fs-select -q --unsupervised --rescale -m $m -k 20 wide y && cmp x y || exit; done'
ok '--renumber'                      'fs-select -q --unsupervised -m top -k 5 -s map wide x && fs-select -q --unsupervised -m top -k 5 --renumber wide y && sed -n "/^[0-9]/p" map | cut -d " " -f 1 | sort -n | awk "{ printf \"s/ %d:/ %d:/g\n\", \$1, NR }" >numbers && sed -f numbers x | cmp - y'
ok '--digits'                        'fs-select -q --unsupervised -k 50 --digits 3 wide | tr " " "\n" | sed -n "s/.*://p" | tr -d ".-" | sed "s/e.*//; s/^0*//" | awk "length > 3 { exit 1 }"'
ok '-z and .gz'                      'fs-select -q -k 20 a1a plain && fs-select -q -k 20 a1a x.gz && gzip -dc x.gz | cmp - plain && fs-select -q -z -k 20 a1a x && gzip -dc <x | cmp - plain'
ok '--binary is read by all'         'fs-select -q -k 20 a1a text && fs-select -q -k 20 --binary a1a bin && randsvm-train -q -t 0 text m1 && randsvm-train -q -t 0 bin m2 && cmp m1 m2 && fs-select -q -k 9 --list text >x && fs-select -q -k 9 --list bin | cmp - x'
ok '--binary through pipes'          'fs-select -q -k 20 --binary a1a | randsvm-train -q -t 0 - m3 && cmp m1 m3'

# ---- the same bytes, however the rows come, on any number of threads ----

svm-gen relevant -n 150 -d 400 -k 20 --noise 0.1 whole
for method in $methods; do
	options=
	case $method in approx-*) options=-T\ 16 ;; esac
	[ $method != approx-leverage ] || options=
	fs-select -q -m $method $options -k 60 -s map.$method whole out.$method
	ok "$method: any number of threads" "for n in 1 2 3; do fs-select -q -m $method $options -k 60 --threads \$n -s m whole o && cmp m map.$method && cmp o out.$method || exit; done"
	ok "$method: gzip, pipe, minus"     "gzip -c whole | fs-select -q -m $method $options -k 60 | cmp - out.$method && cat whole | fs-select -q -m $method $options -k 60 - - | cmp - out.$method"
	ok "$method: -r does the same"      "fs-select -r map.$method whole | cmp - out.$method && cat whole | fs-select -r map.$method --threads 3 - x && cmp x out.$method && head -n 20 whole | fs-select -r map.$method | cmp - <(head -n 20 out.$method)"
done
ok 'many rows'                       'for i in $(seq 60); do cat heart; done >many && fs-select -q --unsupervised -k 5 -m top --threads 1 -s m many x && fs-select -r m many --threads 3 >/dev/null 2>&1; fs-select --threads 3 -r m many | cmp - x && [ "$(wc -l <x)" = 16200 ]'

# ---- saved selections ----

ok 'known bytes of a selection'      'printf "1 1:3 2:4\n2 2:1\n" | fs-select -q --unsupervised -m top -k 2 --renumber -s map - x && cat map && printf "randsvm-selection 1\nmethod top\nrescale no\nrenumber yes\nselected 2\ndata 2\n" | cmp - <(head -n 6 map) && tail -n 1 map | grep -x "checksum [0-9a-f]\{8\}" && [ "$(wc -l <map)" = 9 ]'
ok 'test data: chosen features, no others' 'printf "7 1:5 3:6 9:1\n8 3:1\n" | fs-select -r map | cmp - <(printf "7 1:5\n8\n")'
ok 'a linear model needs no -r'      'fs-select -q -m rfe -k 5 -s five heart heart.five && randsvm-train -q -t 0 heart.five five.model && fs-select -r five heart | svm-eval --scores - five.model five.a && svm-eval --scores heart five.model five.b && cmp five.a five.b'
ok 'rows without a label stay so'    'printf "qid:3 1:2 # c\n# none\n99:1 #d\n2 2:1\nqid:4 99:1\n" >unlabelled && fs-select -r five unlabelled >x; cat x; printf "qid:3 # c\n1:0 #d\n2\nqid:4\n" | cmp - x && (command svm-eval -q x five.model unl.out 2>&1; [ "$(wc -l <unl.out)" = 4 ])'
ok '... and are predicted as with one' 'sed "s/^[^ ]* //" heart >bare && fs-select -r five bare | svm-eval -q --scores - five.model bare.out && cmp bare.out five.a'
fail 1 'row 1 has no label, and the binary form cannot say so' fs-select -r five --binary unlabelled
fail 1 "expected a label, got 'qid:3'"  fs-select -r five --strict unlabelled
fail 1 "expected a label, got 'qid:3'"  fs-select -k 1 unlabelled
ok 'a gzipped one'                   'gzip -c map.bss >packed && fs-select -r packed whole | cmp - out.bss'
ok 'most chosen features without values' 'echo "1 99:1" | fs-select -r five 2>&1 >out.five | grep -x "fs-select: note: 5 of 5 chosen features have no value in these rows" && fs-select -r five heart 2>&1 >out.five | cmp - /dev/null && echo "1 99:1" | fs-select -q -r five 2>&1 >out.five | cmp - /dev/null'
ok '-r --binary'                     'fs-select -r map.bss --binary whole | randsvm-train -q -t 0 - a && randsvm-train -q -t 0 out.bss b && cmp a b'
ok '-r --list'                       'fs-select -r map.bss --list >x && sed -n "/^[0-9]/p" map.bss | cmp - x && fs-select -r map.bss --list - listed && sed 1d listed | cmp x -'
ok '-r --list leaves data alone'     'cp whole data && fs-select -r map.bss --list data >x && cmp data whole && fs-select -r map.bss --list data listed && sed 1d listed | cmp x - && cmp data whole'
for i in $(seq 450); do echo "feature $i"; done >names
ok '--names in --list'               'fs-select -q -m top -k 9 --names names --list whole >x && cat x && ! awk "{ print \$1, \$5 }" x | grep -v "^\([0-9]*\) \1$" && ! grep -v " feature " x'
ok '--names in -s, and back'         'fs-select -q -m bss -k 60 --names names -s named whole x && cmp x out.bss && fs-select -r named whole | cmp - out.bss && grep "^[0-9]" named | cut -d " " -f 1-3 | cmp - <(grep "^[0-9]" map.bss) && grep -c " feature [0-9]*$" named | grep -x 60'
ok '-r --names'                      'fs-select -r map.bss --names names --list | cmp - <(grep "^[0-9]" named)'
ok 'blanks after names, gzip'           'printf "first  \t\r\n\nthird\nfourth" | gzip -c >few.gz && printf "1 1:1 2:2 3:3 4:4\n" | fs-select -q --unsupervised -m uniform -k 4 --names few.gz --list - | sort -n | cut -d " " -f 1,4- | cmp - <(printf "1 first\n2\n3 third\n4 fourth\n")'
ok '-r --list of what has names'        'fs-select -r named --list >x && grep "^[0-9]" named | cmp - x'
fail 1 'fs-select: --names: few.gz has 4 names, and feature ' fs-select -r named --names few.gz --list
seq 13 | sed 's/^/name/' >thirteen
fail 1 'fs-select: --names: few.gz has 4 names for 13 features' fs-select -m rfe -k 3 --names few.gz --list heart
ok 'names with a header'                '(echo "\"x\""; cat thirteen) >fourteen; fs-select -m rfe -k 3 --names fourteen --list heart 2>err >x && grep -x "fs-select: note: --names: fourteen has 14 names, and the highest feature is 13: line 1, '"'x'"', names feature 1" err'
ok '... and -q'                         'streams 0 " name" "" fs-select -q -m rfe -k 3 --names fourteen --list heart'
ok 'names with a blank last line'       '(cat thirteen; echo) >fourteen; streams 0 " name" "" fs-select -m rfe -k 3 --names fourteen --list heart'
ok 'the first of many names'            '(printf "a%.0s" {1..50}; echo; cat thirteen) >more; fs-select -m rfe -k 3 --names more --list heart 2>err >x && grep "line 1, .a\{40\}., names feature 1$" err'
ok 'quotes around names'                'sed "s/.*/\"&\"/; 3s/^/\"1\",/" thirteen >quoted && fs-select -q -m rfe -k 13 -s named13 --names quoted --list heart >x && fs-select -q -m rfe -k 13 --names thirteen --list heart | sed "s/ name3\$/ \"1\",\"name3\"/" | cmp - x && fs-select -r named13 --list | cmp - x'
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = (a[1] - 1) ":" a[2] } print }' heart >zero
ok 'features from 0'                    'fs-select -m rfe -k 3 --names thirteen --list zero 2>err | cut -d " " -f 4 >x && grep -x "fs-select: note: --names: the data count features from 0: line 1 of thirteen names feature 0" err && fs-select -q -m rfe -k 3 --names thirteen --list heart | cut -d " " -f 4 | cmp - x'
ok 'features from 0, saved'             'fs-select -q -m rfe -k 3 --names thirteen -s saved zero x && fs-select -r saved --list | awk "{ if (\$4 != \"name\" (\$1 + 1)) exit 1 }"'
fail 1 'fs-select: --names: few.gz has 4 names for 13 features, which count from 0' fs-select -m rfe -k 3 --names few.gz --list zero
ok '--list has a heading'            'command fs-select -q -k 60 --list whole | head -n 1 | grep -x "#index weight score" && command fs-select -q -k 60 --names names --list whole | head -n 1 | grep -x "#index weight score name" && command fs-select -r map.bss --list | head -n 1 | grep -x "#index weight score" && command fs-select -r named --list | head -n 1 | grep -x "#index weight score name"'
ok 'joined by join(1)'               'awk "{ print NR, \$0 }" names | sort -k 1b,1 >numbered && grep "^[0-9]" map.bss | sort -k 1b,1 | join - numbered | sort >x && grep "^[0-9]" named | sort | cmp - x'
sed 's/^rescale yes/rescale no/' map.bss >damaged
head -n 8 map.bss >cut
sed 's/selection 1/selection 2/' map.bss >newer
# signed FILE: its checksum made right
signed()
{
	python3 - "$1" <<-'END'
		import sys, zlib
		text = open(sys.argv[1], "rb").read()
		text = text[:text.rindex(b"checksum ")]
		open(sys.argv[1], "wb").write(text + b"checksum %08x\n" % zlib.crc32(text))
	END
}
sed '8p; 7d' map.bss >twice && signed twice
sed '7s/^[0-9]* /-3 /' map.bss >negative && signed negative
sed '7s/^\([0-9]*\) .*/\1 1/' map.bss >fewer && signed fewer
fail 1 'damaged:'                            fs-select -r damaged whole
fail 1 'cut:'                                fs-select -r cut whole
fail 1 'newer:1:'                            fs-select -r newer whole
fail 1 'heart:1:'                            fs-select -r heart heart
fail 1 'is selected twice'                   fs-select -r twice whole
fail 1 'negative:7: no feature index'        fs-select -r negative whole
fail 1 'fewer:7: '                           fs-select -r fewer whole
fail 1 "can't open selection file none: No such file or directory"  fs-select -r none heart
ok '-m l1: the tolerance in the report'  'fs-select -q -m l1 -k 3 --report r.json heart x && grep "\"l1_eps\":.0.01," r.json && grep "\"eps\":.0.001," r.json && fs-select -q -m l1 -e 0.25 -k 3 --report r.json heart x && grep "\"l1_eps\":.0.25," r.json && fs-select -q -m rfe -k 3 --report r.json heart x && ! grep l1_eps r.json'
fail 1 "can't open names file none: No such file or directory"      fs-select -k 3 --names none --list heart

# ---- models of chosen features ----

# folds DATA SELECT_OPTIONS... -- TRAIN...: scores by the folded model are those by the chosen features, and
# its weights are those that plain_fold.py makes
folds()
{
	local data=$1
	shift
	local select=()
	while [ "$1" != -- ]; do select+=("$1"); shift; done
	shift
	command fs-select -q "${select[@]}" -s saved "$data" small && "$@" small m >/dev/null &&
		command fs-select -r saved --fold m folded && svm-eval -q --scores small m s1 &&
		svm-eval -q --scores "$data" folded s2 && near s1 s2 1e-6 || return
	type python3 >/dev/null 2>&1 || return 0
	python3 "$TOP/test/plain_fold.py" m saved >a && python3 "$TOP/test/plain_fold.py" folded >b && near a b 1e-12
}
ok 'fold: two classes, weights'      folds a1a --unsupervised -m bss -k 40 -- randsvm-train -q -t 0
ok 'fold: svm-predict reads it'      'svm-predict a1a folded p && svm-eval -q a1a folded q && cmp p q'
ok 'fold: with all digits'           folds a1a --unsupervised -m leverage -k 40 -- randsvm-train -q -t 0 --compact
ok 'fold: renumbered, weights'       folds a1a --unsupervised -m leverage -k 40 --renumber -- randsvm-train -q -t 0
ok 'fold: renumbered, no weights'    folds a1a -m rfe -k 20 --renumber -- randsvm-train -q -t 0
ok 'fold: weights that are not used' folds a1a --unsupervised -m bss --no-rescale -k 40 -- randsvm-train -q -t 0
ok 'fold: three classes'             folds "$three" --unsupervised -m leverage -k 3 --renumber -- randsvm-train -q -t 0
ok 'fold: regression'                folds short --regression -m leverage -k 12 -- randsvm-train -q -s 3 -t 0
ok 'fold: one class'                 folds heart --unsupervised -m bss -k 5 --rank-tol 0.2 -- randsvm-train -q -s 2 -t 0
ok 'fold: weights of probabilities'  folds heart --unsupervised -m leverage -k 8 -- randsvm-train -q -t 0 -b 1
ok '... which are kept'              'svm-eval -q -b 1 small m p1 && svm-eval -q -b 1 heart folded p2 && near p1 p2 1e-6'
sed 's/ \([0-9]*\):/ 0:0.5 \1:/' heart >from_0
ok 'fold: feature 0'                 'folds from_0 --unsupervised -m leverage -k 60 --sampling iid -- randsvm-train -q -t 0 && grep "^0 0 " a'
ok 'fold: feature 0 was renumbered'  'folds from_0 --unsupervised -m leverage -k 60 --renumber -- randsvm-train -q -t 0 && grep "^0 0 " a'
ok 'fold: feature 0 and LIBLINEAR'   'randsvm-train -q -t 0 --model-format liblinear small m && streams 1 "" "fs-select: --fold: m: feature 0 was chosen, which models of LIBLINEAR cannot have" command fs-select -r saved --fold m unborn'
if command -v liblinear-train >/dev/null; then
	ok 'fold: LIBLINEAR, with a bias'    folds a1a --unsupervised -m bss -k 40 -- liblinear-train -q -B 1
	ok 'fold: LIBLINEAR, without'        folds a1a --unsupervised -m leverage -k 40 --renumber -- liblinear-train -q -s 0
	ok 'fold: LIBLINEAR, many classes'   folds "$three" --unsupervised -m bss -k 3 -- liblinear-train -q -s 4
	ok 'fold: LIBLINEAR, -d'             'folds a1a --unsupervised -m bss -k 40 -- liblinear-train -q && fs-select -r saved --fold m -d 200 folded200 && grep -x "nr_feature 200" folded200 && sed "1,/^w/d" folded >a && sed "1,/^w/d" folded200 >b && [ "$(wc -l <b)" = 200 ] && head -n "$(wc -l <a)" b | cmp - a && tail -n +"$(($(wc -l <a) + 1))" b | sort -u | grep -x "0 *" && svm-eval -q a1a folded s1 && svm-eval -q a1a folded200 s2 && cmp s1 s2 && svm-eval --certify a1a folded200 2>&1 | grep "^primal"'
else
	skip 'no liblinear-train'
fi
# of all features it is not the optimum, and of those that were chosen it is
ok 'fold: certified on all features' 'fs-select -q -m rfe -k 40 -s saved a1a small && randsvm-train -q -t 0 small m && fs-select -r saved --fold m folded && randsvm-train -q -t 0 a1a full && primal() { svm-eval --certify "$@" 2>/dev/null | sed "s/^primal = \([0-9.]*\).*/\1/"; } && primal small m >x && primal a1a folded >y && near x y 1e-5 && primal a1a full >z && cat x y z && awk "{ if (NR > 1 && \$1 <= last) exit 1; last = \$1 }" z y'
ok 'fold: gzip, pipe, minus'         'gzip -c m >packed_m && fs-select -r saved --fold packed_m | cmp - folded && cat m | fs-select -r saved --fold - folded.gz && gzip -dc folded.gz | cmp - folded && fs-select -r saved --fold m -z - | gzip -dc | cmp - folded && gzip -c saved >packed_s && fs-select -r packed_s --fold m --threads 3 | cmp - folded'
ok 'fold: a compact model'           'randsvm-train -q -t 0 --compact small m2 && fs-select -r saved --fold m2 | svm-eval --scores a1a - x >/dev/null && svm-eval --scores small m y >/dev/null && near x y 1e-6'
ok 'fold: the report'                'fs-select -r saved --fold m --report r.json x && cmp x folded && grep "\"file\":.\"m\"" r.json && grep "\"fold\":.\"m\"" r.json && ! grep "\"written\"" r.json'
randsvm-train -q a1a rbf
randsvm-train -q -t 0 a1a wide_model
cp folded same_folded
fail 1 "fs-select: --fold: rbf: the model's kernel is not linear"  fs-select -r saved --fold rbf folded
fail 1 'fs-select: --fold: wide_model: the model has feature '     fs-select -r saved --fold wide_model folded
ok '... which was not chosen'        'fs-select -r saved --fold wide_model unborn 2>&1 | grep "feature [0-9]*, which the selection does not have: it was trained on other data$"'
ok 'fold: a map of other data'       'fs-select -q -m rfe -k 5 --renumber -s five.r heart h5 && streams 1 "" "the model has feature 6, which the selection does not have" fs-select -r five.r --fold m unborn'
fail 1 "can't open model file none: No such file"                  fs-select -r saved --fold none folded
fail 1 "can't open selection file none: No such file"              fs-select -r none --fold m folded
fail 1 'damaged'                     'head -c 200 saved >damaged; fs-select -r damaged --fold m folded'
fail 1 'cut_m'                       'head -c 400 m >cut_m; fs-select -r saved --fold cut_m folded'
fail 1 '--fold needs -r'             fs-select --fold m folded
fail 1 '-d needs --fold'             fs-select -r saved -d 200 a1a folded
fail 1 '-d: feature [0-9]* was chosen, and 5 is less'              'fs-select -r saved --fold m -d 5 folded 2>&1 | grep "feature [0-9]* was" | sed "s/feature [0-9]* was/feature [0-9]* was/"; exit 1'
fail 1 'one file name too many'      fs-select -r saved --fold m folded a1a
for with in --list --binary '--digits 3' --strict --allow-nonfinite; do
	fail 1 'simultaneously'      fs-select -r saved --fold m $with folded
done
fail 1 'simultaneously'              fs-select -r saved --fold m --renumber folded
fail 1 'are the same file'           fs-select -r saved --fold m m
fail 1 'a1a holds rows of data'      fs-select -r saved --fold m a1a
ok 'fold: nothing from these'        'cmp folded same_folded && ! ls unborn'
ok 'fold: no features'               'printf "1 1:0\n-1 2:0\n" >empties && fs-select -q --unsupervised -m uniform -k 1 -s nothing empties x && printf "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nlabel 1 -1\nnr_sv 1 0\nSV\n1 \n" >m0 && fs-select -r nothing --fold m0 m1 && grep -x "rho 0.5" m1 && svm-eval heart m1'

# ---- what remains of the program ----

ok 'a report'                        'fs-select -m bss -k 60 --certificate --report r whole x >/dev/null && json_has r schema_version tool version settings seed seconds_per_phase selection certificate data map seconds peak_memory_bytes && python3 -c "
import json
r = json.load(open(\"r\"))
print(r)
s, c = r[\"selection\"], r[\"certificate\"]
assert r[\"map\"][\"features\"] == s[\"features\"] <= s[\"wanted\"] == 60
assert r[\"data\"][\"rows\"] == 150 and 0 < s[\"rows_chosen_by\"] <= 150
assert abs(s[\"least_eigenvalue\"] - c[\"lambda_min\"]) < 1e-9 or s[\"rank\"] < c[\"rank\"]
assert set(r[\"seconds_per_phase\"]) == {\"read\", \"train\", \"choose\", \"certify\", \"write\"}
"'
ok 'a report of -r'                  'fs-select -r map.bss --report r whole x && python3 -c "
import json
r = json.load(open(\"r\"))
crc = r[\"map\"].pop(\"crc32\")
assert crc > 0
assert r[\"map\"] == {\"method\": \"bss\", \"features\": $(grep -c "^[0-9]" map.bss), \"rescaled\": True, \"renumbered\": False}, r
assert r[\"data\"][\"rows\"] == 150 and r[\"settings\"][\"restored\"] == \"map.bss\", r
"'
ok 'no arguments'                    streams 1 '' "fs-select: -k: is missing" fs-select
ok '--help'                          streams 0 "$usage" '' fs-select --help
ok '--version'                       streams 0 'fs-select ' '' fs-select --version
ok '-q: nothing on standard error'   streams 0 '' '' fs-select -q -m leverage -k 30 a1a x
ok '--verbose'                       'fs-select -m bss -k 30 --verbose a1a x 2>err && cat err && grep "of 1605 rows are support vectors" err && grep "^fs-select: rank " err'
ok 'progress'                        '{ cat a1a; sleep 0.7; cat a1a; } | fs-select -q --unsupervised -m top -k 3 - x && { cat a1a; sleep 0.7; cat a1a; } | fs-select --unsupervised -m top -k 3 --progress --threads 1 - x 2>err; grep -a "reading" err'
ok 'an old file stands after an error' 'cp heart old && cp heart kept && { cat heart; echo "1 x"; } >bad; ! fs-select -k 4 -s kept bad old 2>err && cat err && cmp old heart && cmp kept heart && ! fs-select -r map.bss bad old 2>err && cmp old heart && ! ls | grep "^old.\|^kept."'
ok 'no new file after an error'      '! fs-select -k 4 -s unborn --report unborn2 bad unborn3 2>err && ! ls | grep unborn'
fail 1 'Wrong input format at line 2: standard input:2:3:'  'printf "1 1:1\n2 x\n" | fs-select -k 1'
fail 1 '-k: is missing: how many features?'           fs-select heart
fail 1 '-k: 0 is not between'                         fs-select -k 0 heart
fail 1 '-k: expected an integer'                      fs-select -k 1e3 heart
fail 1 '-m: expected one of bss approx-bss'           fs-select -m best -k 3 heart
fail 1 'cannot use -k and --epsilon simultaneously'   fs-select -k 3 --epsilon 0.5 heart
fail 1 'cannot use -k and --nu simultaneously'        fs-select -m lpsvm -k 3 --nu 0.5 heart
fail 1 '-T: is not for bss'                           fs-select -m bss -T 3 -k 3 heart
fail 1 '--sampling iid is not for top'                   fs-select -m top --sampling iid -k 3 heart
fail 1 '--sampling: expected one of iid bernoulli'    fs-select -m leverage --sampling x -k 3 heart
fail 1 '--beyond none is not for rfe'                     fs-select -m rfe --beyond none -k 3 heart
fail 1 '--fraction: is not for bss'                   fs-select -m bss --fraction 0.5 -k 3 heart
fail 1 '--one: is not for bss'                        fs-select -m bss --one -k 3 heart
fail 1 '--rank-tol: is not for rrqr'                  fs-select -m rrqr --rank-tol 0.1 -k 3 heart
fail 1 '--rank-tol: is not for approx-leverage'       fs-select -m approx-leverage --rank-tol 0.1 --epsilon 1 heart
fail 1 'more than 100000000 features to be selected'  'printf "1 1:1 2147483647:1\n-1 2:1\n" | fs-select --unsupervised -m rrqr --beyond lapack -k 2147483647'
fail 1 '-p: is for --regression'                      fs-select -p 7 -k 3 heart
for option in '-c 5' '-e 0.5' --regression; do
	fail 1 "cannot use --unsupervised and ${option%% *}" "fs-select --unsupervised $option -k 3 heart"
done
for option in --renumber --rescale --no-rescale; do
	fail 1 "cannot use --list and $option"            fs-select --list $option -k 3 heart
done
fail 1 'cannot use -r --list and --strict'            fs-select -r map.bss --list --strict
fail 1 "only one file can come from standard input"   'fs-select -r - <map.bss'
fail 1 "only one file can come from standard input"   'fs-select -k 3 --names - -s x <names'
fail 1 'more than 100000000 draws'                    fs-select --unsupervised -m leverage -k 100000001 heart
fail 1 'more than 100000000 draws'                    fs-select --unsupervised -m leverage --epsilon 1e-6 heart
for method in $methods; do
	fail 1 'feature 2 of row 2 is not finite' "printf '1 1:1\n-1 1:2 2:nan\n' | fs-select --allow-nonfinite --unsupervised -m $method -k 1"
done
printf 'old\n' >kept
fail 1 "can't write selection file /dev/full: No space left" fs-select -q -k 3 -s /dev/full heart kept
fail 1 "can't write report file /dev/full: No space left"    fs-select -q -k 3 --report /dev/full -s kept heart x
ok 'an old file stands where another output fails'    'printf "old\n" | cmp - kept'
fail 1 'cannot use --fraction and --one simultaneously' fs-select -m rfe --one --fraction 0.5 -k 3 heart
for options in '-m rfe --unsupervised' '-m l1 --unsupervised' '-m top'; do
	fail 1 '20001 classes: there can be 20000 at most (for targets say --regression'   "ulimit -t 20; seq 20001 | sed 's/\$/ 1:1/' | fs-select $options -k 1"
done
ok 'without machines any number of classes'          'seq 20001 | sed "s/\$/ 1:1/" | fs-select -m top --unsupervised -k 1 | wc -l | grep -x " *20001"'
if [ "$SANITIZE$WRAP" ]; then
	skip 'memory is not to be limited'
else
	seq 300 | awk '{ print $1, "1:" $1 % 7, "2:" $1 % 11, "3:" $1 % 13 }' >own
	seq 250 | awk '{ printf "%d", $1; for (j = 1; j <= 300; j++) printf " %d:%d", j, $1 * j % 13; print "" }' >wide
	for method in rfe rmb; do
		ok "$method: one pair of classes in memory"       "(ulimit -v 120000; fs-select --threads 1 --unsupervised -m $method -k 1 --list own)"
		ok '... in a supervised choice'                   "(ulimit -v 120000; fs-select --threads 1 -m $method -k 2 own | wc -l | grep -x ' *300')"
		ok '... with products of the rows'                "(ulimit -v 200000; fs-select --threads 1 --unsupervised -m $method -k 270 --list wide)"
	done
fi
fail 1 '--nu: is not for rfe'                         fs-select --nu 0.5 heart
fail 1 '--all-features: is not for top'               fs-select -m top --all-features -k 3 heart
fail 1 '--regression: is not for lpsvm'               fs-select -m lpsvm --regression -k 1 "$sinc"
fail 1 'cannot use --unsupervised and --supervised'     fs-select --supervised --unsupervised -k 3 heart
fail 1 'cannot use --no-rescale and --rescale'          fs-select --rescale --no-rescale -k 3 heart
fail 1 '--rows sv: there are no support vectors'      fs-select --unsupervised --rows sv -k 3 heart
fail 1 'cannot use --binary and --digits'               fs-select -k 3 --binary --digits 3 heart
fail 1 'cannot use --list and --binary'               fs-select -k 3 --list --binary heart
fail 1 'cannot use --list and --rows'                 fs-select -k 3 --list --rows sv heart
fail 1 '--names needs --list or -s'                     fs-select -k 3 --names names heart
for option in '-k 3' '-s x' '-m top' '--epsilon 1' '-c 1' '--rows sv' --certificate --rescale \
	--renumber '--seed 2' --unsupervised --one '-e 0.1'; do
	fail 1 "cannot use -r and ${option%% *} simultaneously"  "fs-select -r map.bss $option heart"
done
fail 1 "one file name too many: 'c'"                  fs-select -k 3 heart b c
fail 1 "can't open input file none: No such file"     fs-select -k 3 none
fail 1 "can't open output file none/x: No such file"  fs-select -k 3 heart none/x
fail 1 "can't open selection file none/x: No such"    fs-select -k 3 -s none/x heart x
fail 1 'No space left'                                'fs-select -q -k 3 heart >/dev/full'
fail 1 'no examples'                                  'printf "" | fs-select -k 3'
ok 'no rows in, no rows out'             'printf "" | streams 0 "" "no examples" fs-select -r map.bss'
fail 1 'heart'                                        fs-select -k 3 heart heart
fail 1 'names'                                        fs-select -k 3 --names names -s names heart x
