# rp-project --recover: weights from the multipliers of projected rows and the rows as they were

. "$TOP/test/helpers.bash"

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart

# recovers DATA 'MAP OPTIONS' 'TRAINING OPTIONS' [RECOVERY OPTIONS]: into map, small, m, i, and rec
recovers()
{
	local data=$1 map=$2 train=$3
	shift 3
	rp-project -q $map -s map "$data" small && randsvm-train -q -t 0 $train --sv-indices i small m &&
		rp-project -r map --recover "$data" --sv-indices i "$@" m rec
}
# by_hand DATA [p=P] [wLABEL=WEIGHT]: and they are what plain sums are
if command -v python3 >/dev/null; then
	by_hand() { python3 "$TOP/test/plain_recover.py" m i "$1" rec "${@:2}"; }
else
	by_hand() { true; }
	skip 'no python3'
fi

# ---- weights and constants ----

ok 'two classes'                 'recovers a1a "-m rs -k 16" "" && by_hand a1a'
ok 'a map that stays sparse'     'recovers a1a "-m cw -k 32" "" && by_hand a1a'
ok 'counts: whole numbers'       'recovers a1a "-m countsketch -k 64" "-c 0.1" && by_hand a1a'
ok 'fht'                         'recovers heart "-m fht -k 8" "" && by_hand heart'
ok 'single precision'            'recovers heart "-m gaussian -k 8 --single" "" && by_hand heart'
ok 'principal components'        'recovers heart "-m pca -k 5" "" && by_hand heart'
ok 'three classes'               'recovers "$T/three_class" "-m rs -k 3" "-c 10" && by_hand "$T/three_class"'
ok 'regression'                  'recovers "$T/sinc" "-m gaussian -k 2" "-s 3" && by_hand "$T/sinc"'
ok 'regression, -p'              'recovers "$T/sinc" "-m gaussian -k 2" "-s 3 -p 0.3" -p 0.3 && by_hand "$T/sinc" p=0.3'
awk '{ $1 = $2 = ""; print NR % 2 ? "+1 1:" 3 + NR % 5 : "-1 1:" -3 - NR % 3 }' heart >apart
ok 'squared losses' \
	'recovers heart "-m rs -k 4" "--loss squared -w1 3" --loss squared -w1 3 &&
	by_hand heart loss=squared w1=3 && cp rec x && rp-project -r map --recover heart --sv-indices i -w1 3 m y &&
	! same_files x y'
ok 'squared losses, regression' \
	'recovers "$T/sinc" "-m gaussian -k 2" "-s 3 --loss squared" --loss squared &&
	by_hand "$T/sinc" loss=squared'
ok 'weights of classes' \
	'recovers heart "-m rs -k 4" "-w1 5 -c 0.1" && cp rec plain &&
	recovers heart "-m rs -k 4" "-w1 5 -c 0.1" -w1 5 && by_hand heart w1=5 && ! cmp rec plain &&
	diff <(sed 1,/^SV/d rec) <(sed 1,/^SV/d plain)'
ok 'weights have a ratio, no size' 'rp-project -r map --recover heart --sv-indices i -w1 50 -w-1 10 m x && same_files x rec'
ok '-w auto' \
	'n=$(grep -c "^+1" heart) && recovers heart "-m rs -k 4" "-w auto" -w auto && cp rec x &&
	rp-project -r map --recover heart --sv-indices i -w1 $((270 - n)) -w-1 $n m y && diff <(tail -n +6 x) <(tail -n +6 y) &&
	paste <(grep ^rho x) <(grep ^rho y) | awk "{ exit !((\$2 - \$4) ^ 2 < 1e-20) }"'
ok 'a weight of no class' \
	'rp-project -r map --recover heart --sv-indices i -w7 3 m x 2>err &&
	grep "WARNING: class label 7 specified in weight is not found" err'
ok 'no row with a loss: b in the middle' 'recovers apart "-m rs -k 1" "-c 10" && by_hand apart'
# a rotation changes no product, so the multipliers are optimal for the original rows
rotated()
{
	recovers heart '-m fht -k 16' '-e 1e-5' --keep-sv && svm-eval --certify heart -e 1e-4 rec >c && cat c &&
		awk '{ match($0, /relative gap = [^,]*/); gap = substr($0, RSTART + 15, RLENGTH - 15)
			exit !(RSTART && gap + 0 < 1e-5 && gap + 0 > -1e-6) }' c && rp-project -r map --recover heart --sv-indices i m rec &&
		randsvm-train -q -t 0 -e 1e-5 heart whole && svm-eval --scores heart whole s1 >a &&
		svm-eval --scores heart rec s2 >b && near s1 s2 1e-3
}
ok 'by a rotation the optimum is recovered' rotated
ok 'a bound of the optimum' \
	'recovers a1a "-m rs -k 64" "" --keep-sv && grep -x "total_sv $(wc -l <i)" rec &&
	svm-eval --certify a1a --verbose rec 2>err >c; cat c err; randsvm-train -q -t 0 a1a whole &&
	svm-eval --certify a1a --verbose whole >d && paste -d " " c d | tr -d , |
	awk "{ for (k = 1; k <= NF; k++) { if (\$k == \"primal\") p[++n] = \$(k + 2); if (\$k == \"dual\") d[++m] = \$(k + 2) } exit !(d[1] <= d[2] && p[2] <= p[1]) }"'

# ---- however the rows come ----

recovers a1a '-m cw -k 32' '' && cp map a1a.map && cp m a1a.m && cp i a1a.i && cp rec a1a.rec
ok 'any number of threads' \
	'for n in 1 2 3 7; do rp-project --threads $n -r a1a.map --recover a1a --sv-indices a1a.i a1a.m | cmp - a1a.rec || exit; done'
ok 'gzip, a pipe, minus' \
	'gzip -c a1a >packed && rp-project -r a1a.map --recover packed --sv-indices a1a.i a1a.m | cmp - a1a.rec && cat a1a |
	rp-project -r a1a.map --recover - --sv-indices a1a.i a1a.m x && cmp x a1a.rec &&
	rp-project -r a1a.map --recover <(cat packed) --sv-indices a1a.i a1a.m | cmp - a1a.rec'
# begun COMMAND...: with rows of another file before those of a1a, which are read already
begun() { (head -n 20 heart; cat a1a) >more; (for ((i = 0; i < 20; i++)); do read -r line; done; "$@") <more; }
ok 'standard input is a file' \
	'rp-project -r a1a.map --recover - --sv-indices a1a.i a1a.m <a1a | cmp - a1a.rec && rp-project -r a1a.map --recover - --sv-indices a1a.i a1a.m <packed | cmp - a1a.rec'
ok 'standard input is the rest of a file' 'begun rp-project -r a1a.map --recover - --sv-indices a1a.i a1a.m | cmp - a1a.rec'
ok 'a pipe, with indices' \
	'cat a1a | rp-project -r a1a.map --recover - --sv-indices a1a.i a1a.m | cmp - a1a.rec &&
	rp-project -r a1a.map --recover a1a --sv-indices <(gzip -c a1a.i) a1a.m | cmp - a1a.rec'
ok 'the binary form' \
	'rp-project -m none --binary a1a bin && rp-project -r a1a.map --recover bin --sv-indices a1a.i a1a.m | cmp - a1a.rec'
ok 'the model through a pipe, -o, .gz' \
	'rp-project -r a1a.map --recover a1a --sv-indices a1a.i -o x.gz <(cat a1a.m) && gzip -dc x.gz | cmp - a1a.rec'
ok 'lines without rows do not count' \
	'{ echo "# x"; echo; cat a1a; } >lines && rp-project -r a1a.map --recover lines --sv-indices a1a.i a1a.m |
	cmp - a1a.rec'
ok 'svm-predict reads it'        'svm-predict a1a a1a.rec p | grep "$(svm-eval a1a a1a.rec | sed "s/ (.*//")"'
ok 'rows of few digits' \
	'for n in 3 8 9 10 16; do rp-project -r a1a.map --digits $n a1a small &&
	randsvm-train -q -t 0 --sv-indices i small m && rp-project -r a1a.map --recover a1a --sv-indices i m rec &&
	by_hand a1a || exit; done'
ok '--verbose' \
	'rp-project --verbose -r a1a.map --recover a1a --sv-indices a1a.i a1a.m x 2>err && grep "reading a1a twice" err && cat a1a |
	rp-project --verbose -r a1a.map --recover - --sv-indices a1a.i a1a.m x 2>err && grep "second time from memory" err'
ok 'a report' \
	'rp-project --report r -r a1a.map --recover a1a --sv-indices a1a.i a1a.m x && json_has r tool settings map data seconds &&
	grep "\"rows\":	*1605" r && grep "\"recover\":	*\"a1a\"" r'
ok 'probabilities are left out' \
	'randsvm-train -q -t 0 -b 1 small m && rp-project -r a1a.map --recover a1a --sv-indices a1a.i m x 2>err &&
	grep "without its probabilities" err && ! grep prob x &&
	rp-project -q -r a1a.map --recover a1a --sv-indices a1a.i m x 2>err && ! [ -s err ]'

# ---- equal rows ----

cat heart heart heart >thrice
ok 'every row three times'       'recovers thrice "-m rs -k 6" "-c 0.2" && by_hand thrice'
sed 's/^+1/0/;s/^-1/+1/;s/^0/-1/' heart | head -n 40 | cat heart - >both
ok 'equal rows of either class'  'recovers both "-m rs -k 6" "-c 0.2" && by_hand both'
awk '{ print; $1 = $1 + 0.25; print }' "$T/sinc" | head -n 120 >levels
ok 'regression: equal rows, other targets' \
	'recovers levels "-m gaussian -k 2" "-s 3 -p 0.01" -p 0.01 && by_hand levels p=0.01'

# features 2 and 3 share a column of this map, with one sign: rows that differ have one projection
printf '+1 2:1\n-1 5:-1\n+1 3:1 7:0\n-1 5:-1.5\n' >alike
shared=
for seed in $(seq 200); do
	rp-project -q -m countsketch -k 2 --seed $seed -s alike.map alike small
	[ "$(sed -n 1p small)" = "$(sed -n 3p small)" ] && [ "$(sed -n 1p small)" != "+1" ] &&
		[ "$(sed -n 1p small | cut -d: -f1)" != "$(sed -n 2p small | sed 's/^-1/+1/' | cut -d: -f1)" ] && { shared=$seed; break; }
done
# alike COEF COEF: a model by hand, of rows 1, 3 and 2
alike_model()
{
	printf 'svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 3\nrho 0\nlabel 1 -1\nnr_sv 2 1\nSV\n'
	for row in "$1 1" "$2 3" "-1 2"; do
		echo "${row% *} $(sed -n "${row#* }p" small | cut -d ' ' -f 2-) "
	done
}
ok 'a seed where they meet'      '[ "$shared" ]'
alike_model 0.25 0.75 >alike.m
printf '1\n3\n2\n' >alike.i
ok '--sv-indices says which' \
	'rp-project -r alike.map --recover alike --sv-indices alike.i alike.m x && sed 1,/^SV/d x &&
	sed 1,/^SV/d x | grep -x "1 2:0.25 3:0.75 5:1 "'
# ---- what does not fit ----

head -n 200 heart >part
rp-project -q -m rs -k 6 -s map heart small
rp-project -q -m rs -k 6 --seed 2 -s map.2 heart /dev/null
randsvm-train -q -t 0 --sv-indices i small m
n=$(wc -l <i)
fail 1 "row $(sort -n i | head -n 1) does not project to support vector" rp-project -r map.2 --recover heart --sv-indices i \
	--sv-indices i m unborn
fail 1 'does not project to support vector' \
	'sed "s/^+1/0/;s/^-1/+1/;s/^0/-1/" heart >turned;
	rp-project -r map --recover turned --sv-indices i m unborn'
fail 1 'but there are only 200 rows'                   rp-project -r map --recover part --sv-indices i m unborn
fail 1 'does not project to support vector' \
	'tac i >back; rp-project -r map --recover heart --sv-indices back m unborn'
fail 1 "short:3: 3 rows, and the model has $n support vectors" \
	'head -n 3 i >short; rp-project -r map --recover heart --sv-indices short m unborn'
fail 1 'word:2: ' 'sed 2s/.*/1x/ i >word; rp-project -r map --recover heart --sv-indices word m unborn'
fail 1 'zero:2: ' 'sed 2s/.*/0/ i >zero; rp-project -r map --recover heart --sv-indices zero m unborn'
fail 1 'again:3: row 7 again' \
	'sed "2s/.*/7/;3s/.*/7/" i | sed "4,\$s/^7$/8/" >again;
	rp-project -r map --recover heart --sv-indices again m unborn'
fail 1 "can't open indices file none"                  rp-project -r map --recover heart --sv-indices none m unborn
fail 1 "can't open model file none"                    rp-project -r map --recover heart --sv-indices i none unborn
fail 1 "can't open input file none"                    rp-project -r map --recover none --sv-indices i m unborn
fail 1 'the model has no class 7' \
	'{ cat heart; echo "7 1:1"; } >seven; rp-project -r map --recover seven --sv-indices i m unborn'
fail 1 'row 1: the model has no class 1.5' \
	'sed "1s/^+1/1.5/" heart >half; rp-project -r map --recover half --sv-indices i m unborn'
fail 1 'no examples'                                   rp-project -r map --recover /dev/null --sv-indices i m unborn
fail 1 'Wrong input format at line 271: bad:271:3' \
	'{ cat heart; echo "1 x"; } >bad; rp-project -r map --recover bad --sv-indices i m unborn'
fail 1 'the model has feature 13, the map 6 columns' \
	'randsvm-train -q -t 0 heart w; rp-project -r map --recover heart --sv-indices i w unborn'
fail 1 'the model has weights and no multipliers: train without --compact, --model-format liblinear' \
	'randsvm-train -q -t 0 --compact small other; rp-project -r map --recover heart --sv-indices i other unborn'
fail 1 'no multipliers: train without --compact, --model-format liblinear and --multiclass ovr' \
	'randsvm-train -q -t 0 --model-format liblinear small other; rp-project -r map --recover heart --sv-indices i other unborn'
fail 1 "the model's kernel is not linear" \
	'randsvm-train -q small other; rp-project -r map --recover heart --sv-indices i other unborn'
fail 1 'only models of C-SVC and epsilon-SVR' \
	'randsvm-train -q -t 0 -s 1 small other; rp-project -r map --recover heart --sv-indices i other unborn'
fail 1 'the model is of one class alone' \
	'grep "^+1" small >one; randsvm-train -q -t 0 one other 2>x; rp-project -r map --recover heart --sv-indices i other unborn'
fail 1 '--recover needs --sv-indices: the file that randsvm-train --sv-indices writes' \
	rp-project -r map --recover heart m unborn
fail 1 '--recover needs -r'                            rp-project --recover heart --sv-indices i m unborn
fail 1 '--sv-indices needs --recover'                  rp-project -r map --sv-indices i heart unborn
fail 1 'cannot use --fold and --recover simultaneously' rp-project -r map --recover heart --sv-indices i --fold m m unborn
fail 1 'cannot use -d and --recover simultaneously'    rp-project -r map --recover heart --sv-indices i -d 13 m unborn
fail 1 'cannot use --recover and --binary simultaneously' rp-project -r map --recover heart --sv-indices i --binary m unborn
fail 1 '--recover: the model_file is missing'          rp-project -r map --recover heart --sv-indices i
fail 1 "one file name too many: 'c'"                   rp-project -r map --recover heart --sv-indices i m unborn c
fail 1 '-w1: a weight must be above 0'                 rp-project -r map --recover heart --sv-indices i -w1 0 m unborn
fail 1 '-w1: a weight must be above 0'                 rp-project -r map --recover heart --sv-indices i -w1 0 m nowhere/unborn
fail 1 '--recover: is not for scale' \
	'rp-project -q -m scale -s range heart /dev/null; rp-project -r range --recover heart --sv-indices i m unborn'
fail 1 "'m' and 'm' are the same file"                 rp-project -r map --recover heart --sv-indices i m m
ok 'no file from any of these'   '! ls unborn'
