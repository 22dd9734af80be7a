# Weights of rows, -W: a weight of k is k copies of the row, a weight of 0 none.

. "$TOP/test/helpers.bash"

linear_data
# copies DATA: DATA.w, a weight of 0 to 3 for each row, and copies.DATA, each row as often as it says
copies()
{
	awk 'BEGIN { srand(7) } { print int(rand() * 4) }' "$1" >"$1.w"
	paste -d '|' "$1.w" "$1" | awk -F '|' '{ for (k = 0; k < $1; k++) print $2 }' >"copies.$1"
}
for f in heart three_class sinc friedman; do
	copies $f
done

# value KEY FILE: a number of a report
value()
{
	sed -n "s/^\t\"$1\":\t\([^,]*\),*$/\1/p" "$2" | grep .
}

# same_optimum A B GAP: two reports have gaps of at most GAP, bounds that enclose one optimum, and
# objectives that are equal to 1e-9; nu-SVC's are over its own r^2, so that bounds may miss by 1e-10
same_optimum()
{
	local r
	for r in "$1" "$2"; do
		value primal $r && value dual $r && value relative_gap $r && value rounding $r || return
	done >bounds
	paste -s -d ' ' bounds | awk -v most="$3" '
		function size(x) { return x < 0 ? -x : x }
		{
			room = $4 + $8 + 1e-10 * size($1)
			print
			exit !($3 <= most && $7 <= most && $2 <= $5 + room && $6 <= $1 + room &&
			       size($1 - $5) <= 1e-9 * size($1))
		}'
}

# values DATA MODEL: the decision values of the rows, which are 0 for free vectors of one class, so
# that their signs, the predictions, are rounding
values()
{
	svm-eval -q --scores "$1" "$2" scores >/dev/null 2>&1 && cut -d ' ' -f 2- scores | tail -n +2
}

# copied DATA OPTION...: the model of weights is that of copies: objective to 1e-9, decision values
copied()
{
	local data=$1
	shift
	randsvm-train -q -e 1e-9 --gap 1e-10 "$@" -W $data.w --report a $data m.a 2>err.a &&
		randsvm-train -q -e 1e-9 --gap 1e-10 "$@" --report b copies.$data m.b 2>err.b &&
		same_optimum a b ${gap:-1e-9} && values $data m.a >p.a && values $data m.b >p.b &&
		near p.a p.b 1e-5
}
for t in '-t 0' '-t 1 -g .1 -r 1' '-t 2' '-t 3 -g .01'; do
	ok "C-SVC, $t"       copied heart $t
	ok "epsilon-SVR, $t" copied sinc -s 3 $t
done
for t in '-t 0' '-t 2'; do
	ok "nu-SVC, $t"      copied heart -s 1 $t
	ok "one-class, $t"   copied heart -s 2 -n .3 $t
	ok "nu-SVR, $t"      copied sinc -s 4 $t
	ok "three classes, $t" copied three_class -c 10 $t
done
ok 'squared losses' \
	'copied heart -t 0 --loss squared && copied friedman -t 0 -s 3 --loss squared -p .5'
ok 'one class against the rest'   copied three_class -t 0 --multiclass ovr
ok 'a weight of a class as well'  copied heart -w1 3
ok 'the weights of -w auto'       copied heart -w auto
ok 'working sets, of 12,000 rows' \
	'gap=1e-8; svm-gen checkerboard -n 6000 --seed 2 >board && copies board && copied board -c 10 -g 1 &&
	copied board -s 1 -n .3 -g 1 && copied board -s 2 -n .1 -g 1 && copied board -s 3 -p .5 -g 1'

# ---- removal, scale, sums ----

awk 'NR % 3 { print 1 } !(NR % 3) { print 0 }' heart >thirds
awk 'NR % 3' heart >heart.left
for s in '-s 0' '-s 1' '-s 2' '-t 0' '-s 3'; do
	ok "a weight of 0 is a row that is not there, $s" \
		"randsvm-train $s -W thirds heart m >out 2>err && randsvm-train $s heart.left m2 >out2 2>err2 &&
		same_files m m2 && same_files out out2 &&
		grep 'note: 90 of 270 rows have weight 0 and are left out' err"
done
ok '... with -q too' 'randsvm-train -q -W thirds heart m >out 2>err && [ ! -s out ] && [ ! -s err ]'
awk '{ print 2 * (NR % 5 + 1) }' heart >twice
awk '{ print NR % 5 + 1 }' heart >once
ok 'twice the weights are twice C, to the last bit' \
	'for s in 0 3; do
		randsvm-train -q -s $s -c 1 -W twice heart m && randsvm-train -q -s $s -c 2 -W once heart m2 &&
		same_files m m2 || exit
	done'
ok '... and for nu-SVC the same function' \
	'randsvm-train -q -s 1 -e 1e-9 -W twice heart m && randsvm-train -q -s 1 -e 1e-9 -W once heart m2 &&
	values heart m >a && values heart m2 >b && near a b 1e-6'
ok 'weights of 1 change no byte' \
	'sed "s/.*/1/" heart >ones && randsvm-train -W ones heart m >out && randsvm-train heart m2 >out2 &&
	same_files m m2 && same_files out out2'
awk 'BEGIN { srand(3) } { print exp(6 * rand() - 3) }' heart >uneven
ok 'nu w(S) / 2 is the sum of nu-SVC, and nu w(S) that of one class' \
	'randsvm-train -q -s 2 -n .3 -W uneven heart m &&
	awk -v nu=.3 "NR == FNR { w += \$1; next } on { sum += \$1 } /^SV/ { on = 1 }
		END { print sum, nu * w; d = sum - nu * w; exit !(d * d < 1e-8 * w * w) }" uneven m'
ok 'no multiplier is above its bound' \
	'randsvm-train -q -s 0 -c 3 -W uneven --sv-indices rows heart m && sed "1,/^SV/d" m |
	paste -d " " rows - | awk "NR == FNR { w[NR] = \$1; next } { a = \$2 < 0 ? -\$2 : \$2 }
		a > 3 * w[\$1] * (1 + 1e-12) { bad = 1; print } a > 2.99 * w[\$1] { n++ }
		END { exit bad || n < 20 }" uneven -'
ok 'nu that the weight of the smaller class does not allow' \
	'awk "{ print (\$1 > 0) ? 1 : 100 }" heart >heavy && randsvm-train -q -s 1 -n .5 heart m &&
	! randsvm-train -s 1 -n .5 -W heavy heart m 2>err && grep "specified nu is infeasible" err'

# ---- files and rows ----

ok 'rows keep the numbers of the file' \
	'randsvm-train -q -W thirds --sv-indices rows heart m && awk "\$1 % 3 == 0" rows | wc -l | grep -x 0 &&
	[ $(sort -n rows | tail -n 1) -gt 250 ] && randsvm-train -q --sv-indices rows2 heart.left m2 &&
	awk "{ print \$1 + int((\$1 - 1) / 2) }" rows2 >rows3 && same_files rows rows3'
ok '... in --cv-predictions' \
	'randsvm-train -q -v 3 -W thirds --cv-predictions p heart >out && awk "NR > 1 { print \$1 }" p >a &&
	awk "NR % 3 { print NR }" heart >b && same_files a b'
ok '... in --start-indices' \
	'randsvm-train -q --sv-indices rows heart m && randsvm-train -q -e 1e-6 -W thirds heart m2 &&
	randsvm-train -q -e 1e-6 -W thirds --start m --start-indices rows --report r heart m3 &&
	values heart m2 >a && values heart m3 >b && near a b 1e-3'
ok 'a start without indices' \
	'randsvm-train -q -e 1e-6 -W uneven heart m && randsvm-train -q -e 1e-6 -W twice heart m2 &&
	randsvm-train -q -e 1e-6 -W twice --start m heart m3 && values heart m2 >a && values heart m3 >b &&
	near a b 1e-3'
ok 'gzipped, and from standard input' \
	'randsvm-train -q -W uneven heart m && gzip -c uneven >uneven.gz && randsvm-train -q -W uneven.gz heart m2 &&
	randsvm-train -q -W - heart m3 <uneven && same_files m m2 m3'
ok 'blanks, and a last line without its end' \
	'{ sed "s/.*/ &	\r/" uneven | head -n 269; tail -n 1 uneven | tr -d "\n"; } >blanks &&
	randsvm-train -q -W blanks heart m2 && same_files m m2'
ok 'the same bytes for any threads' \
	'for n in 1 2 5; do randsvm-train --threads $n -c 10 -W three_class.w three_class m.$n >out.$n; done;
	same_files m.1 m.2 m.5 && same_files out.1 out.2 out.5'
if [ "$SANITIZE" ]; then
	skip 'sanitizers take more memory'
else
	ok 'within --memory' \
		'randsvm-train -q -t 0 -W board.w board m && randsvm-train -q -t 0 -W board.w --memory 30 board m2 &&
		same_files m m2'
fi

w=weights
bad()
{
	awk -v line="$1" -v text="$2" 'NR == line { $0 = text } { print }' uneven >$w
}
for line in 1 7 270; do
	for text in -1 nan inf -inf x '1 2' '' 1e400 '1,5' '# 1' -1e-300; do
		bad $line "$text"
		fail 1 "randsvm-train: weights:$line: expected a weight, a number of 0 or more, got '$text'" \
			randsvm-train -W $w heart m
	done
done
ok 'a denormal weight is one' 'bad 7 1e-320; randsvm-train -q -W weights heart m'
ok '0 in other ways'          'bad 7 -0; randsvm-train -W weights heart m 2>&1 | grep "1 of 270 rows have weight 0"'
head -n 269 uneven >$w
fail 1 'randsvm-train: weights:270: fewer weights than the 270 rows of heart' randsvm-train -W $w heart m
{ cat uneven; echo 1; } >$w
fail 1 'randsvm-train: weights:271: more weights than the 270 rows of heart'  randsvm-train -W $w heart m
{ cat uneven; echo; } >$w
fail 1 "weights:271: expected a weight, a number of 0 or more, got ''"        randsvm-train -W $w heart m
: >$w
fail 1 'randsvm-train: weights: no weights'       randsvm-train -W $w heart m
sed 's/.*/0/' heart >$w
fail 1 'randsvm-train: weights: all weights are 0' randsvm-train -W $w heart m
head -c 100000 /dev/zero | tr '\0' 1 >$w
fail 1 'weights:1: expected a weight, a number of 0 or more, got '            randsvm-train -W $w heart m
fail 1 "can't open weights file nowhere"          randsvm-train -W nowhere heart m
fail 1 'heart'                                    randsvm-train -W heart heart m
ok 'a model that would replace the weights' \
	'cp uneven u; ! randsvm-train -W u heart u 2>err; cat err; same_files u uneven'
fail 1 'standard input'   'randsvm-train -W - - m <heart'
for mode in paper reweight; do
	fail 1 "-W is not for --mode $mode, which draws examples as it is published" \
		randsvm-train -W uneven --mode $mode heart m
done
fail 1 '-W is not for --mode direct: LIBSVM has no weights of rows'    randsvm-train -W uneven --mode direct heart m
fail 1 '-W is not for --solver libsvm: LIBSVM has no weights of rows'  randsvm-train -W uneven --solver libsvm heart m
fail 1 '-W is not for -s 1 in --mode budget' \
	randsvm-train -W uneven -s 1 --mode budget --budget 50 heart m

# ---- svm-eval --certify ----

# certified DATA WEIGHTS OPTION...: training proves the optimum, and svm-eval --certify
# with the weights proves the same bounds; but without them they are not the optimum
certified()
{
	local data=$1 w=$2
	shift 2
	randsvm-train -q -e 1e-5 "$@" -W $w --report a $data m 2>err || return
	set -- $(printf '%s\n' "$@" | sed '/^-[st]$/,+1d' | grep -v -x -e '--multiclass' -e ovr)
	svm-eval -q --certify $data -e 1e-5 "$@" -W $w --report b m 2>err &&
		value primal a >a2 && value dual a >>a2 && value primal b >b2 && value dual b >>b2 &&
		cat a2 b2 err && near a2 b2 1e-6 && [ "$(value optimal b)" = true ] &&
		[ "$(value feasible b)" = true ] && ! grep warning err || return
	svm-eval -q --certify $data -e 1e-5 "$@" --report b m 2>err
	[ "$(value optimal b)" != true ]
}
for f in sinc friedman three_class; do
	awk 'BEGIN { srand(5) } { print exp(4 * rand() - 2) }' $f >$f.uneven
done
cp uneven heart.uneven
for t in '-t 0' '-t 2'; do
	ok "certified, C-SVC, $t"         certified heart heart.uneven $t -c 3
	ok "certified, nu-SVC, $t"        certified heart heart.uneven -s 1 -n .3 $t
	ok "certified, one-class, $t"     certified heart heart.uneven -s 2 -n .3 $t
	ok "certified, epsilon-SVR, $t"   certified sinc sinc.uneven -s 3 -p .05 $t
	ok "certified, nu-SVR, $t"        certified sinc sinc.uneven -s 4 $t
	ok "certified, three classes, $t" certified three_class three_class.uneven $t -c 5
done
ok 'certified, weights of 0'          certified heart heart.w -c 2
ok 'certified, weights of classes'    certified heart heart.uneven -c 2 -w1 3
ok 'certified, -w auto'               certified heart heart.uneven -w auto
ok 'certified, squared losses'        certified heart heart.uneven -t 0 --loss squared
ok 'certified, squared, regression'   certified friedman friedman.uneven -t 0 -s 3 --loss squared -p .5
ok 'certified, equal rows of unequal weights' \
	'cat heart heart >double && awk "{ print }
		END { for (i = 0; i < 270; i++) print (i % 7) / 2 + .1 }" uneven >double.w &&
	certified double double.w -c .1 && certified double double.w -s 2 -n .4 &&
	cat sinc sinc >twosinc && { cat sinc.uneven; tac sinc.uneven; } >twosinc.w &&
	certified twosinc twosinc.w -s 3 -p .01 -c .3'
if command -v liblinear-predict >/dev/null; then
	ok 'certified, one against the rest, squared' \
		'randsvm-train -q -t 0 --multiclass ovr --loss squared -e 1e-6 --gap 1e-9 -W three_class.uneven \
			three_class m && svm-eval --certify three_class -W three_class.uneven m >out 2>err &&
		! grep warning err && svm-eval --certify three_class m 2>&1 | grep "warning: not proved"'
fi
ok 'gaps of a chain of pipes' \
	'randsvm-train -q -W uneven heart m && cat heart | svm-eval --certify - -W uneven m >out &&
	svm-eval --certify heart -W uneven m >out2 && same_files out out2'
ok 'a file of weights that is too short' 'head -n 3 uneven >w3'
fail 1 'svm-eval: w3:4: fewer weights than the 270 rows of heart'  svm-eval --certify heart -W w3 m

# ---- measures ----

# measured TEST COPIES MODEL OPTION...: the measures by weights are those of copies
measured()
{
	local test=$1 copies=$2 model=$3
	shift 3
	svm-eval --metrics "$@" -W $test.w $test $model >out.w && svm-eval --metrics "$@" $copies $model >out.c &&
		svm-eval -q --with-labels --scores "$@" $test $model table >/dev/null &&
		svm-eval --measure table -W $test.w >out.m && cat out.w out.c out.m && near out.w out.c 1e-9 &&
		grep -v -e '^Model supports' -e '^Prob' out.w | sed 's/ (classification)//' >w &&
		sed 's/ (classification)//' out.m >m && near w m 1e-6
}
ok 'measures, two classes' \
	'randsvm-train -q -g 1 heart m.two && measured heart copies.heart m.two'
ok 'measures, probabilities' \
	'randsvm-train -q -b 1 -g .1 heart m.b && measured heart copies.heart m.b -b 1'
ok 'measures, three classes' \
	'randsvm-train -q three_class m.three && measured three_class copies.three_class m.three'
ok 'measures, regression' \
	'randsvm-train -q -s 3 -t 0 friedman m.value && measured friedman copies.friedman m.value'
ok 'measures, one class' \
	'randsvm-train -q -s 2 -n .3 heart m.one && measured heart copies.heart m.one'
ok 'curves' \
	'svm-eval -q --roc a.tsv --pr b.tsv -W heart.w heart m.two && svm-eval -q --roc c.tsv --pr d.tsv copies.heart m.two &&
	near a.tsv c.tsv 1e-9 && near b.tsv d.tsv 1e-9'
ok 'sums of weights in the report' \
	'svm-eval -q --metrics -W heart.w --report a heart m.b && python3 -c "
import json
print(sum(map(sum, json.load(open(\"a\"))[\"confusion\"])))" >sum && awk "{ s += \$1 } END { printf \"%.6f\n\", s }" heart.w >wanted && near sum wanted 1e-6'
ok 'calibration in the report' \
	'svm-eval -q -b 1 --metrics -W heart.w --report a heart m.b && svm-eval -q -b 1 --metrics --report b copies.heart m.b &&
	for f in a b; do sed -n "/calibration/,/]/p" $f | tr -d , >$f.bins; done && near a.bins b.bins 1e-9'
ok 'predictions of rows of weight 0 are written' \
	'svm-eval -q -W heart.w heart m.two p.two && [ $(wc -l <p.two) = 270 ]'
ok 'uneven weights: accuracy by its definition' \
	'svm-eval -q heart m.two p.two && paste uneven p.two heart | awk "{ all += \$1; right += (\$2 == \$3) * \$1 }
		END { printf \"%.6g\\n\", 100 * right / all }" >a &&
	svm-eval -W uneven heart m.two | sed "s/Accuracy = \(.*\)%.*/\1/" >b && cat a b && near a b 1e-5'
python=$(python_with sklearn)
if [ -z "$python" ]; then
	skip 'scikit-learn is not installed'
else
	ok 'scikit-learn: models and measures by sample_weight' \
		"\"$python\" -B \"$TOP/test/sklearn_weights.py\" \"$BIN\" heart uneven friedman friedman.uneven"
fi
fail 1 'svm-eval: w3:4: fewer weights than the 270 rows of heart'  svm-eval -W w3 heart m.two
fail 1 'svm-eval: uneven:4: more weights than the 3 rows of three' \
	'head -n 3 heart >three; svm-eval -W uneven three m.two'
ok '... and no predictions appear' '! svm-eval -W uneven three m.two new 2>err && [ ! -e new ]'
fail 1 'svm-eval: twos:1: expected a weight'      'echo -2 >twos; svm-eval -W twos heart m.two'
fail 1 'cannot use --geometry and -W simultaneously' svm-eval --geometry heart -W uneven

# ---- cross validation and probabilities ----

ok '-v counts by weights' \
	'randsvm-train -q -v 5 -W uneven --metrics --cv-predictions p heart >out && svm-eval --measure p -W uneven >out2 &&
	sed -n "s/.*Accuracy = \([0-9.]*\)%.*/\1/p" out out2 >accuracies && cat accuracies &&
	[ $(sort -u accuracies | wc -l) = 1 ] && sed 1d out >a && sed 1d out2 >b && near a b 1e-9'
ok '... trains with them' \
	'randsvm-train -q -v 5 -c 1 -W twice --cv-predictions p heart >out &&
	randsvm-train -q -v 5 -c 2 -W once --cv-predictions p2 heart >out2 && same_files p p2 &&
	randsvm-train -q -v 5 -c 1 --cv-predictions p3 heart >out && ! cmp p p3'
ok '... for regressions' \
	'randsvm-train -q -v 5 -s 3 -W friedman.uneven --cv-predictions p friedman >out &&
	svm-eval --measure p -W friedman.uneven >out2 && sed -n "s/.* = \([0-9.]*\).*/\1/p" out >a &&
	sed -n "s/.* = \([0-9.]*\).*/\1/p" out2 | head -n 2 >b && cat a b && near a b 1e-5'
ok '... one class against the rest' \
	'awk "{ print 2 * \$1 }" three_class.w >three.twice &&
	randsvm-train -q -v 3 -t 0 --multiclass ovr -c 2 -W three_class.w --cv-predictions p three_class >out &&
	randsvm-train -q -v 3 -t 0 --multiclass ovr -c 1 -W three.twice --cv-predictions p2 three_class >out2 &&
	same_files out out2 && same_files p p2 && awk "!\$1 { n++ } END { print NR - n }" three_class.w >n &&
	sed 1d p | wc -l >n2 && same_files n n2'
ok '-b 1: the scale of weights does not matter' \
	'randsvm-train -q -b 1 -c 1 -W twice heart m && randsvm-train -q -b 1 -c 2 -W once heart m2 &&
	grep prob m >a && grep prob m2 >b && near a b 1e-6 && randsvm-train -q -b 1 heart m3 && grep prob m3 >c &&
	! cmp -s a c'
ok '... regression' \
	'randsvm-train -q -b 1 -s 3 -W friedman.uneven friedman m && randsvm-train -q -b 1 -s 3 friedman m2 &&
	grep probA m >a && grep probA m2 >b && ! cmp -s a b'
fail 1 '-W is not for -s 2 with -b 1' randsvm-train -s 2 -b 1 -W uneven heart m
ok 'a training that goes on' \
	'randsvm-train -q -c 10 -g 1 -W board.w board m &&
	{ struck TERM "[ -s state ]" randsvm-train -q -c 10 -g 1 -W board.w --checkpoint state \
		--checkpoint-every 0 board m2; [ $? = 143 ]; } && cp state state2 &&
	randsvm-train -q -c 10 -g 1 -W board.w --checkpoint state board m2 && same_files m m2'
fail 1 ', -W none: remove it to begin anew' randsvm-train -q -c 10 -g 1 --checkpoint state2 board m
ok 'a precomputed kernel' \
	'awk "{ for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); x[NR, p[1]] = p[2] } y[NR] = \$1 }
		END { for (i = 1; i <= NR; i++) { printf \"%s 0:%d\", y[i], i
			for (j = 1; j <= NR; j++) { k = 0; for (f = 1; f <= 13; f++) k += x[i, f] * x[j, f]
				printf \" %d:%.17g\", j, k } print \"\" } }" heart >kernel &&
	for s in 0 1 2 3 4; do
		randsvm-train -q -s $s -e 1e-6 -t 4 -W heart.w --report a kernel m &&
		randsvm-train -q -s $s -e 1e-6 -t 0 -W heart.w --report b heart m2 &&
		value primal a >p && value primal b >q && cat p q && near p q 1e-4 || exit
	done && svm-eval --certify kernel -n .5 -W heart.w m | grep "violators = 0"'

# ---- fs-select ----

# chosen TOLERANCE DATA OPTION...: weights choose what copies choose, with scores equal to TOLERANCE
chosen()
{
	local tolerance=$1 data=$2
	shift 2
	fs-select -q "$@" --list -W $data.w $data a && fs-select -q "$@" --list copies.$data b &&
		cut -d ' ' -f 1,2 a >a.features && cut -d ' ' -f 1,2 b >b.features &&
		same_files a.features b.features && sed 1d a >p && sed 1d b >q && near p q $tolerance
}
copies a1a
# products of whole numbers are exact in floats, of which the rows of rfe are with more features than rows
awk 'BEGIN { srand(5); for (i = 0; i < 30; i++) { sum = 0; line = ""
	for (j = 1; j <= 90; j++) { v = int(rand() * 19) - 9; sum += j <= 5 ? v : 0; line = line " " j ":" v }
	print (sum > 0 ? 1 : -1) line } }' >wide
copies wide
ok 'features of t: copies'        chosen 1e-9 heart -m t -k 8
ok 'features of f: copies' \
	'chosen 1e-9 heart -m f -k 8 && chosen 1e-9 three_class -m f -k 3 && chosen 1e-9 friedman -m f --regression -k 6 &&
	chosen 1e-9 a1a -m f -k 30'
# the optimum is found to a relative 1e-6; unit/lpsvm has more digits
ok 'features of lpsvm: copies' \
	'chosen 1e-6 heart -m lpsvm -k 5 && chosen 1e-6 heart -m lpsvm --nu .3 &&
	chosen 1e-6 heart -m lpsvm --nu 1 --unsupervised'
ok 'features of rfe: copies' \
	'chosen 1e-9 heart -e 1e-9 -k 6 && chosen 1e-9 heart -m rfe --unsupervised -e 1e-9 -k 4 &&
	chosen 1e-9 three_class -e 1e-9 -k 2 && chosen 1e-9 friedman --regression -e 1e-9 -k 4'
ok '... of more features than rows' \
	'for c in 1 1e-3 1e-4; do chosen 1e-9 wide -m rfe -c $c --unsupervised -e 1e-10 -k 10 || exit; done'
# balls are found to a relative 1e-6 of their radius
ok 'features of rmb: copies'      chosen 3e-6 heart -m rmb -e 1e-9 -k 8
ok 'features by uneven weights, by the definitions' \
	'for f in "t heart" "f heart" "f three_class"; do
		set -- $f
		python3 "$TOP/test/plain_tests.py" $1 $2 $2.uneven >p &&
		fs-select -q -m $1 -k 100 --list -W $2.uneven $2 | sed 1d | cut -d " " -f 1,3 >q && near p q 1e-9 || exit
	done && python3 "$TOP/test/plain_tests.py" r friedman friedman.uneven >p &&
	fs-select -q -m f --regression -k 100 --list -W friedman.uneven friedman | sed 1d | cut -d " " -f 1,3 >q &&
	near p q 1e-9'
for m in rfe rmb lpsvm t f; do
	ok "$m: a weight of 0 is a row that is not there" \
		"fs-select -m $m -k 5 --list -W thirds heart a 2>err && fs-select -q -m $m -k 5 --list heart.left b &&
		same_files a b && grep 'note: 90 of 270 rows have weight 0 and are left out' err"
	ok "$m: weights of 1 change no byte" \
		"fs-select -q -m $m -k 5 --list -W ones heart a && fs-select -q -m $m -k 5 --list heart b && same_files a b"
done
ok 'twice the weights are twice C, or twice nu, to the last bit' \
	'for m in rfe rmb; do
		fs-select -q -m $m -c 1 -k 5 --list -W twice heart a && fs-select -q -m $m -c 2 -k 5 --list -W once heart b &&
		same_files a b || exit
	done; fs-select -q -m lpsvm -c 1 --nu .05 --list -W twice heart a &&
	fs-select -q -m lpsvm -c 2 --nu .1 --list -W once heart b && same_files a b'
ok 'the scale of weights changes no order of f' \
	'fs-select -q -m f -k 13 --list -W twice heart | cut -d " " -f 1 >a &&
	fs-select -q -m f -k 13 --list -W once heart | cut -d " " -f 1 >b && same_files a b &&
	fs-select -q -m f -k 13 --list heart | cut -d " " -f 1 >c && ! cmp -s a c'
ok 'all rows are written' \
	'fs-select -q -k 5 -s map -W thirds heart small && fs-select -q -r map heart small2 && same_files small small2 &&
	randsvm-train -q -W thirds small m'
ok '... or the support vectors, none of weight 0' \
	'fs-select -q -k 13 --rows sv -W thirds heart a && fs-select -q -k 13 --rows sv heart.left b && same_files a b'
ok 'weights for fs-select from standard input, gzipped' \
	'fs-select -q -k 5 -W uneven heart a && fs-select -q -k 5 -W - heart b <uneven && gzip -c uneven >u.gz &&
	cat heart | fs-select -q -k 5 -W u.gz - c && same_files a b c && fs-select -q -k 5 heart d && ! cmp -s a d'
fail 1 'only one file can come from standard input'  'fs-select -k 5 -W - - <heart'
fail 1 'fs-select: w3:4: fewer weights than the 270 rows of heart'  fs-select -k 5 -W w3 heart
fail 1 'fs-select: twos:1: expected a weight'        fs-select -k 5 -W twos heart
fail 1 'fs-select: heart: the rows weigh 2 in all'   'sed "s/.*/0/; 1,4s/0/.5/" heart >w2; fs-select -m t -k 5 -W w2 heart'
fail 1 'fs-select: friedman: the rows weigh 1.5 in all' \
	'sed "s/.*/0/; 1,3s/0/.5/" friedman >w3f; fs-select -m f --regression -k 5 -W w3f friedman'
for m in bss approx-bss leverage approx-leverage top rrqr uniform; do
	fail 1 "-W is not for -m $m, which "   fs-select -m $m -k 5 -W uneven heart
done
fail 1 '-W is not for -m l1, which trains by LIBLINEAR'  fs-select -m l1 -k 5 -W uneven heart
fail 1 'cannot use -r and -W simultaneously' 'fs-select -q -k 5 -s map heart small; fs-select -r map -W uneven heart'

# ---- randsvm-grid ----

# gridded DATA N OPTION...: the rates of all N points are those of randsvm-train -v with the same weights
gridded()
{
	local data=$1 n=$2 words word options
	shift 2
	randsvm-grid -q -e 1e-5 -out points -png null -W $data.uneven "$@" $data >lines || return
	[ "$(grep -c rate= points)" = $n ] || return
	# options of the grid alone
	set -- $(printf '%s\n' "$@" | sed '/^-log2/,+1d')
	while read -r words; do
		options=
		for word in $words; do
			case $word in
			log2*) options="$options -$(echo $word | awk -F = '{ printf "%s %.17g", substr($1, 5), 2 ^ $2 }')" ;;
			rate=*) echo "${word#rate=}" >>rates ;;
			esac
		done
		randsvm-train -q -e 1e-5 -v 5 -W $data.uneven "$@" $options $data 2>&1 |
			sed -n 's/^Cross Validation \(Accuracy\|Mean squared error\) = \([^%]*\)%*$/\2/p' >>trained
	done < <(: >rates; : >trained; grep rate= points)
	cat rates trained && near rates trained ${tolerance:-1e-6}
}
ok 'a grid of C-SVC'          gridded heart 16 -log2c -1,5,2 -log2g -7,-1,2
ok '... of three classes'     gridded three_class 4 -log2c -1,5,6 -log2g -3,-1,2
ok '... of linear kernels'    gridded heart 3 -t 0 -log2c -3,1,2
ok '... of polynomials'       gridded heart 4 -t 1 -d 2 -r 1 -log2c -1,5,6 -log2g -5,-3,2
ok '... of nu-SVC'            gridded heart 4 -s 1 -log2g -5,-3,2 -log2n -3,-2,1
ok '... of one class'         gridded heart 4 -s 2 -log2g -5,-3,2 -log2n -3,-1,2
# examples within the tolerance of a tube move errors
ok '... of epsilon-SVR'       'tolerance=1e-4 gridded sinc 8 -s 3 -log2c -1,3,4 -log2g -1,1,2 -log2p -5,-3,2'
ok '... of nu-SVR'            'tolerance=1e-4 gridded sinc 4 -s 4 -log2c -1,3,4 -log2g -1,1,2 -n .25'
ok '... of squared losses'    gridded heart 2 -t 0 --loss squared -log2c -3,1,4
ok '... of one against the rest'  gridded three_class 2 -t 0 --multiclass ovr -log2c -3,1,4
ok '... of probabilities'     gridded heart 2 -b 1 -log2c -1,3,4 -log2g -5,-5,1
ok '... with weights of classes'  gridded heart 2 -w1 3 -log2c -1,3,4 -log2g -5,-5,1
awk 'BEGIN { srand(5) } { print exp(4 * rand() - 2) }' text >text.uneven
ok '... of text'              gridded text 3 -t 0 -log2c -1,7,4
rm -f a b
grid='-q -png null -log2c -1,5,2 -log2g -7,-1,2'
ok 'all measures of a point are those of svm-eval -W' \
	'randsvm-train -q -v 5 -c 2 -g .125 -b 1 -W uneven --cv-predictions p heart >out &&
	svm-eval --measure p -W uneven --report r >out && cat r &&
	for m in balanced:balanced_accuracy auc:auc log-loss:log_loss; do
		randsvm-grid -q -png null -out points -b 1 -log2c 1,1,1 -log2g -3,-3,1 --measure ${m%:*} -W uneven heart >out &&
		rate=$(sed -n "s/.* rate=\([^ ]*\).*/\1/p" points) && value ${m#*:} r >a &&
		echo $rate >b && cat a b && near a b 1e-5 || exit
	done'
ok 'twice the weights are twice C' \
	'randsvm-grid $grid -out a -W twice heart >out && randsvm-grid $grid -log2c 0,6,2 -out b -W once heart >out2 &&
	for f in a b; do sed "1d; s/log2c=[^ ]* //; s/ crc32=.*//" $f >$f.rates; done && same_files a.rates b.rates'
ok 'a weight of 0 is a row that is not there' \
	'randsvm-grid -png null -log2c -1,5,2 -log2g -7,-1,2 -out a -W thirds heart >out 2>err &&
	randsvm-grid $grid -out b heart.left >out2 && same_files a b && same_files out out2 &&
	grep "90 of 270 rows have weight 0 and are left out" err'
ok 'weights of 1 change no byte' \
	'randsvm-grid $grid -out a -W ones heart >out && randsvm-grid $grid -out b heart >out2 && same_files a b &&
	same_files out out2'
ok 'the same bytes for any threads' \
	'for n in 1 3; do randsvm-grid $grid --threads $n -out a.$n -W uneven heart >out.$n || exit; done
	same_files a.1 a.3 && same_files out.1 out.3'
ok '--race gives up no best point' \
	'randsvm-grid $grid -log2g -7,3,2 -out null -W uneven heart >out &&
	randsvm-grid $grid -log2g -7,3,2 -out raced --race -W uneven heart >out2 &&
	grep skipped raced && tail -n 1 out >p && tail -n 1 out2 >q && same_files p q'
ok '--model is that of randsvm-train' \
	'randsvm-grid $grid -out null --model m -W uneven heart >out 2>err && set -- $(tail -n 1 out) &&
	randsvm-train -q -c $1 -g $2 -W uneven heart m2 && same_files m m2 &&
	svm-eval --certify heart -c $1 -W uneven m >out && ! grep "not proved" out'
# nested FOLD: rows and weights without a fold choose what --nested chose there, whose model has its rate
nested()
{
	svm-fold -v 3 -f $1 --train --svm-train-order --lines uneven --lines-output w.train heart train &&
		svm-fold -v 3 -f $1 --test --svm-train-order --lines uneven --lines-output w.test heart test &&
		randsvm-grid $grid -out null --model m -W w.train train >chosen 2>err && tail -n 1 chosen &&
		svm-eval -W w.test test m | sed -n 's/Accuracy = \(.*\)%.*/\1/p' >rate && grep "^\[outer $1/3\]" lines &&
		grep "^\[outer $1/3\].*left out rate=$(cat rate)" lines
}
ok '--nested is a search on the other rows with their weights' \
	'randsvm-grid $grid -out null --nested 3 -W uneven heart >lines && for k in 1 2 3; do nested $k || exit; done'
ok '--refine, shards and what was resumed' \
	'randsvm-grid $grid -out all --refine -W uneven heart >out && randsvm-grid $grid -out whole -W uneven heart >out &&
	for k in 1 2; do randsvm-grid $grid -out shard.$k --shard $k/2 -W uneven heart >out2 || exit; done
	randsvm-grid $grid -out merged --merge shard.1 shard.2 >out2 && sort whole >p && sort merged >q && same_files p q &&
	tail -n 1 out >p && tail -n 1 out2 >q && same_files p q && head -n 5 whole >part &&
	randsvm-grid $grid -out part -resume part -W uneven heart >out2 && same_files whole part &&
	randsvm-grid $grid -out whole -resume whole --refine -W uneven heart >out2 && same_files all whole'
ok '--merge --model trains with them' \
	'randsvm-grid $grid --data heart --model m2 -W uneven --merge shard.1 shard.2 >out2 2>err &&
	randsvm-grid $grid -out null --model m -W uneven heart >out 2>err && same_files m m2'
fail 1 'part:1: points of another search'  randsvm-grid $grid -out part -resume part -W twice heart
fail 1 'part:1: points of another search'  randsvm-grid $grid -out part -resume part heart
fail 1 '-W needs --data with --merge'      randsvm-grid $grid -W uneven --merge shard.1
fail 1 'randsvm-grid: w3:4: fewer weights than the 270 rows of heart'  randsvm-grid $grid -out null -W w3 heart
fail 1 'only one file can come from standard input'  'randsvm-grid $grid -out null -W - - <heart'
ok 'weights of a grid from standard input' \
	'randsvm-grid $grid -out a -W - heart <uneven >out && randsvm-grid $grid -out b -W uneven heart >out2 && same_files a b'

# ---- svm-fold --lines ----

awk '{ print NR " \t\"x\"" }' heart >numbers
for way in '' --stratified --svm-train-order; do
	ok "lines of a fold, ${way:-plain}" \
		"cat heart | svm-fold -v 4 -f 2 --train $way --lines numbers --lines-output l.train - train &&
		svm-fold -v 4 -f 2 --test $way --lines numbers --lines-output l.test heart test &&
		svm-fold -v 4 --list $way heart list &&
		paste list numbers | sed -n 's/^2\t//p' >expected && same_files expected l.test &&
		paste list numbers | sed -n '/^2\t/!s/^[0-9]*\t//p' >expected && same_files expected l.train &&
		paste list heart | sed -n '/^2\t/!s/^[0-9]*\t//p' >expected && same_files expected train"
done
ok 'a chain of folds with weights' \
	'svm-fold -v 3 -f 1 --train --lines uneven --lines-output w.gz heart train &&
	svm-fold -v 3 -f 1 --test --lines uneven --lines-output w.test heart test &&
	randsvm-train -q -W w.gz train m && svm-eval -W w.test test m | grep "Accuracy = [6789]"'
ok 'binary rows' \
	'rp-project -q -m normalise --binary heart binary && svm-fold -v 4 -f 2 --test --lines numbers --lines-output l binary test &&
	svm-fold -v 4 -f 2 --test --lines numbers --lines-output l2 heart test2 && same_files l l2'
fail 1 'svm-fold: w3:4: fewer lines than the 270 rows of heart' \
	svm-fold -v 3 -f 1 --test --lines w3 --lines-output l heart test
fail 1 'svm-fold: uneven:4: more lines than the 3 rows of three' \
	svm-fold -v 3 -f 1 --test --lines uneven --lines-output l three test
fail 1 '--lines needs --lines-output'  svm-fold -v 3 -f 1 --test --lines uneven heart test
fail 1 '--lines-output needs --lines'  svm-fold -v 3 -f 1 --test --lines-output l heart test
fail 1 'cannot use --list and --lines simultaneously' \
	svm-fold -v 3 --list --lines uneven --lines-output l heart
fail 1 'are the same file'  svm-fold -v 3 -f 1 --test --lines uneven --lines-output uneven heart test
fail 1 'file of lines'      svm-fold -v 3 -f 1 --test --lines uneven --lines-output /dev/full heart test
fail 1 "can't open file of lines nowhere" svm-fold -v 3 -f 1 --test --lines nowhere --lines-output l heart
