# svm-eval --export: a model as a program of C, whose decision values have the bits of svm-eval's, and
# as a graph of ONNX.  EXPORT_MODELS from the environment: so many models are drawn by chance.

. "$TOP/test/export_helpers.bash"
need cc

compilers=$(for c in gcc clang; do command -v $c >/dev/null && echo $c; done)
strict='-std=c99 -pedantic -Wall -Wextra -Werror' optimised=-O2
# the text is to be right, what compilers make of it does not depend on svm-eval's sanitizer
[ ! "$SANITIZE" ] || compilers=cc optimised=-O0

# exported MODEL ROWS [-b 1]: the program of all compilers on the rows
exported()
{
	local cc flag=
	svm-eval -q --export c "$1" m.c && known "$2" && svm-eval -q --scores $3 $4 rows "$1" told || return
	[ -z "$3" ] || flag=-DP
	for cc in $compilers; do
		$cc $strict $optimised -c m.c && $cc $flag -o driver driver.c m.o -lm && ./driver rows told || return
		[ "$SANITIZE" ] || { $cc $strict -DM_SELF_TEST -o self m.c && ./self; } || return
	done
}

# in floats
exported_float()
{
	svm-eval -q --export c-float "$1" m.c && known "$2" && svm-eval -q --scores rows "$1" told &&
		cc $strict $optimised -c m.c && cc -DREAL=float -o driver driver.c m.o -lm && ./driver rows told &&
		cc $strict -DM_SELF_TEST -o self m.c && ./self
}

gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" three
gzip -dc "$T/a1a.gz" | head -n 400 >sparse
rp-project -q -m scale -s ranges "$T/sinc" sinc

# ---- machines and kernels ----

for kernel in '-t 0' '-t 1 -d 3 -r 1' '-t 1 -d 2 -g 0.3' '-t 2 -g 0.1' '-t 3 -g 0.05 -r -0.2'; do
	for machine in '-s 0 -c 3' '-s 1 -n 0.5' '-s 2 -n 0.4'; do
		ok "two classes: $machine $kernel" "randsvm-train -q $machine $kernel heart model && exported model heart"
	done
	for machine in '-s 3 -c 2' '-s 4 -n 0.3'; do
		ok "a regression: $machine $kernel" "randsvm-train -q $machine $kernel sinc model && exported model sinc"
	done
	ok "three classes: $kernel"        "randsvm-train -q $kernel three model && exported model three"
	ok "... with probabilities"        "randsvm-train -q -b 1 $kernel three model && exported model three -b 1"
	ok "sparse rows: $kernel"          "randsvm-train -q -b 1 $kernel sparse model && exported model sparse -b 1"
	ok "in floats: $kernel"            "randsvm-train -q $kernel heart model && exported_float model heart"
done
ok 'one class with probabilities' \
	'randsvm-train -q -s 2 -n 0.2 heart m2 && sed "/^rho/aprob_density_marks -3 -2 -1 -0.5 0 0.5 1 2 3 4" m2 >model && exported model heart -b 1'
ok 'each class against the rest' \
	'randsvm-train -q -t 0 --multiclass ovr three model && exported model three &&
	randsvm-train -q -t 0 --multiclass ovr -b 1 three model && exported model three -b 1'
ok '... two classes'               'randsvm-train -q -t 0 --multiclass ovr -b 1 heart model && exported model heart -b 1'
ok 'logistic regression'           'randsvm-train -q -t 0 --loss logistic heart model && exported model heart -b 1'

# drawn N: model and rows of a machine, kernel, parameters and data that N draws
drawn()
{
	local kernel kind machine probability=
	RANDOM=$1
	kernel="-t $((RANDOM % 4)) -d $((1 + RANDOM % 5)) -g 0.$((RANDOM % 99 + 1)) -r $((RANDOM % 3))"
	kind=$(set -- twonorm ringnorm checkerboard friedman text three; shift $((RANDOM % 6)); echo $1)
	machine="-s 0 -c $((1 + RANDOM % 20))"
	case $((RANDOM % 4)) in
	0) [ $kind = three ] || machine='-s 2 -n 0.3' ;;
	1) probability=-b\ 1 ;;
	2) kernel='-t 0 --multiclass ovr' probability=-b\ 1 ;;
	esac
	if [ $kind = three ]; then
		cp "$T/three_class" data
	else
		svm-gen $kind -n $((40 + RANDOM % 200)) --seed $1 >data
	fi
	if [ $kind = friedman ]; then
		machine="-s $((3 + RANDOM % 2)) -c $((1 + RANDOM % 20))" probability= kernel=${kernel%--m*}
	fi
	echo "$1: $kind $machine $kernel $probability"
	randsvm-train -q $machine $kernel $probability data model && exported model data $probability
}
ok 'models by chance'              'for i in $(seq ${EXPORT_MODELS:-$([ "$SANITIZE" ] && echo 3 || echo 6)}); do drawn $i || exit 1; done'

# ---- chains ----

ok 'ranges' \
	'sed "s/^\([^ ]*\) .*/\1/" heart | paste -d " " - <(awk "{ \$1 = \"\"; for (i = 2; i <= NF; i++) { split(\$i, p, \":\");
		\$i = p[1] \":\" 100 * p[1] + 7 * p[2] } print }" heart | sed "s/^ //") >raw
	rp-project -q -m scale -s r raw | randsvm-train -q -b 1 - model && svm-eval --chain chain r model &&
	exported chain raw -b 1 && exported_float chain raw'
ok 'a choice of features, with weights, before ranges and behind them' \
	'fs-select -q -m bss -k 6 -s c raw >few && rp-project -q -m scale -l 0 -s r few | randsvm-train -q - model &&
	svm-eval --chain chain c r model && exported chain raw &&
	rp-project -q -m scale -s r raw >x && fs-select -q --renumber -m leverage -k 5 -s c x | randsvm-train -q -g 0.3 - model &&
	svm-eval --chain chain r c model && exported chain raw'
ok 'a linear model of a choice' \
	'fs-select -q -m t -k 20 -s c sparse | randsvm-train -q -t 0 - model && svm-eval --chain chain c model && exported chain sparse'
ok '-q says nothing of columns and names' \
	'svm-convert --force -q -l heart -s columns --labels names "$T/heart.csv" rows && randsvm-train -q -t 0 rows model && svm-eval --force --chain named columns names model &&
	svm-eval --export c named m.c 2>told && grep "note: m.c: takes the rows" told && grep "note: m.c: predicts the numbers" told &&
	svm-eval -q --export c named m.c >told 2>&1 && ! test -s told'
ok 'compressed'                    'mkdir n; gzip -c chain >chain.gz; svm-eval -q --export c chain m.c && svm-eval -q --export c chain.gz n/m.c && cmp m.c n/m.c'
ok 'far from 0' \
	'awk "{ printf \"%s\", \$1; for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); printf \" %d:%.17g\", p[1], 1e9 + p[2] } print \"\" }" heart >far
	randsvm-train -q -g 0.05 far model && exported model far'
ok 'a linear chain of more features than a stack holds' \
	'awk "BEGIN { for (i = 0; i < 20; i++) { printf \"%d\", i % 2; for (j = 1 + i; j < 1100000; j += 20) printf \" %d:%d\", j, i + j % 7; print \"\" } }" >long
	rp-project -q -m scale -l 0 -s r long | randsvm-train -q -t 0 -c 1e-4 - model && svm-eval --force --chain chain r model &&
	svm-eval -q --export c chain m.c && cc -DM_SELF_TEST -o self m.c && ./self'
ok 'features numbered up to a million' \
	'sed "s/ 13:/ 1000000:/" heart >wide; randsvm-train -q wide model && exported model wide && grep -q _column m.c'

ok 'constants' \
	'printf "5 1:1\n5 1:2\n" >flat; printf "1\n-1\n1\n" >bare; for rows in "-s 3 flat" "-s 3 -t 0 flat" bare; do randsvm-train -q $rows model && exported model ${rows##* } || exit 1; done'
fail 1 'a constant, which no operator of ONNX says' 'svm-eval --export onnx model x.c'

# ---- ONNX ----

[ "$onnx_python" ] || skip 'onnx is not installed'
[ "$onnx_node" ] || skip 'onnxruntime-node is not installed'

# graph MODEL ROWS [-b 1]: the graph is right by onnx's checker, and predicts the rows as svm-eval does:
# labels but where values are near 0 or each other, values as near as sums of floats are
graph()
{
	local by
	svm-eval -q --export onnx $3 $4 "$1" m.onnx && svm-eval -q --export c "$1" m.c && known "$2" || return
	svm-eval -q --scores $3 $4 rows "$1" told && sed 1d told >expected || return
	for by in ${onnx_node:+"node run.js"} ${onnx_python:+"$onnx_python run.py"}; do
		$by m.onnx rows >got
		case $? in
		0) near_expected || return ;;
		3) ;;
		*) return 1 ;;
		esac
	done
}

for kernel in '-t 0' '-t 1 -d 2 -g 0.1 -r 1' '-t 2 -g 0.1' '-t 3 -g 0.05 -r -0.2'; do
	for machine in '-s 0' '-s 1 -n 0.5' '-s 2 -n 0.4' '-s 3 -p 0.3'; do
		ok "onnx: $machine $kernel" "randsvm-train -q $machine $kernel heart model && graph model heart"
	done
	ok "onnx: three classes $kernel" "randsvm-train -q -b 1 $kernel three model && graph model three && graph model three -b 1"
	ok "onnx: two classes, probabilities $kernel" "randsvm-train -q -b 1 $kernel heart model && graph model heart -b 1"
done
ok 'onnx: each class against the rest' \
	'for rows in three heart; do randsvm-train -q -t 0 --multiclass ovr -b 1 $rows model && graph model $rows && graph model $rows -b 1 || exit 1; done'
ok 'onnx: logistic regression' \
	'for rows in three heart; do randsvm-train -q -t 0 --loss logistic $rows model && graph model $rows && graph model $rows -b 1 || exit 1; done'
ok 'onnx: a linear model as weights' 'randsvm-train -q -t 0 --compact -b 1 heart model && graph model heart && graph model heart -b 1'
ok 'onnx: a chain of a choice and ranges' \
	'fs-select -q -m bss -k 6 -s c heart >few && rp-project -q -m scale -l 0 -s r few | randsvm-train -q - model &&
	svm-eval --chain chain c r model && graph chain heart'
ok 'onnx: ranges alone'            'rp-project -q -m scale -s r raw | randsvm-train -q -b 1 - model && svm-eval --chain chain r model && graph chain raw -b 1'
ok 'onnx: a class without vectors' \
	'randsvm-train -q three model && awk "/^nr_sv/ { n = \$3; first = \$2; \$3 = 0 } /^total_sv/ { t = NR } { line[NR] = \$0 } /^SV/ { sv = NR }
	END { line[t] = \"total_sv \" NR - sv - n; for (i = 1; i <= NR; i++) if (i <= sv + first || i > sv + first + n) print line[i] }" model >none &&
	graph none three'
ok 'onnx: large coefficients'      'randsvm-train -q -s 3 -c 1e5 -g 2 -p 1e-3 sinc model && graph model sinc'
ok 'onnx: is told to be single'    'svm-eval --export onnx model m.onnx 2>&1 | grep "m.onnx: in single precision, by which labels"'
fail 1 'the model has no probabilities' 'randsvm-train -q heart model; svm-eval -q -b 1 --export onnx model x.c'
fail 1 'ONNX have probabilities of classes alone' \
	'randsvm-train -q -s 2 -n 0.2 heart m2; sed "/^rho/aprob_density_marks -3 -2 -1 -0.5 0 0.5 1 2 3 4" m2 >model; svm-eval -q -b 1 --export onnx model x.c'

# ---- what is told, what is refused ----

ok 'tells the size' \
	'randsvm-train -q heart model && svm-eval --export c model m.c 2>&1 | grep "m.c: 13 features, [0-9]* bytes of constants; --reduce"'
ok '... fewer vectors, fewer bytes' \
	'svm-eval -q --reduce 20 heart model small && svm-eval --export c-float small m.c 2>&1 | grep " 1[0-9][0-9][0-9] bytes of constants" && exported small heart'
ok '... in the report'             'svm-eval -q --export c --report r.json model m.c && grep "\"constant_bytes\"" r.json'
ok 'no library, no allocation'     'svm-eval -q --export c model m.c && [ "$(grep "#include" m.c | grep -v "\"m.c\"" | sort -u)" = "$(printf "#include <stdint.h>\n#include <stdio.h>")" ]'
ok 'standard output'               'svm-eval -q --export c model - | cc -x c -std=c99 -Wall -Wextra -Werror -c -o m.o -'
ok 'C++ declares it'               'echo "#define M_DECLARATIONS
#include \"m.c\"" >m.cc; ! command -v g++ >/dev/null || g++ -Wall -Wextra -Werror -c m.cc'
ok 'names that are no identifiers' 'svm-eval -q --export c model 3-a.b.c && grep -q "model_3_a_predict" 3-a.b.c && cc -DMODEL_3_A_SELF_TEST -o self 3-a.b.c && ./self'
ok 'not where the compiler may fuse' \
	'svm-eval -q --export c model m.c; for cc in $compilers; do $cc -O3 -march=native -c m.c && $cc -o driver driver.c m.o -lm || exit 1
	svm-eval -q --scores heart model told && ./driver heart told || exit 1; done'
if command -v arm-none-eabi-gcc >/dev/null; then
	ok 'for a microcontroller' \
		'for kind in c c-float; do svm-eval -q --export $kind model m.c && arm-none-eabi-gcc $strict -mcpu=cortex-m4 -mthumb -Os -c m.c || exit 1; done'
else
	skip 'arm-none-eabi-gcc is not installed'
fi

rp-project -q -m pca -k 5 -s map heart | randsvm-train -q - mapped
svm-eval -q --chain pca.chain map mapped
fail 1 'pca.chain: of maps only ranges and choices of features are exported, not pca' 'svm-eval --export c pca.chain x.c'
fail 1 'a precomputed kernel takes kernel values' \
	'printf "1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n" >k; randsvm-train -q -t 4 k k.model; svm-eval --export c k.model x.c'
fail 1 'the model has feature 0, and features begin at 1' \
	'sed "s/ 1:/ 0:/" heart | randsvm-train -q - zero; svm-eval --export c zero x.c'
fail 1 'a model of a single class' 'grep "^+1" heart | randsvm-train -q - one 2>/dev/null; svm-eval --export c one x.c'
fail 1 'a number of the model is beyond single precision' \
	'printf "1 1:1e40\n-1 1:-1e40\n" | randsvm-train -q -g 1e-30 - big; svm-eval --export c-float big x.c'
ok '... nothing is left of it'     '[ ! -e x.c ]'
fail 1 'beyond double precision' \
	'printf "1 1:1e200\n-1 1:-1e200\n" | randsvm-train -q -g 1e-300 - big; svm-eval --export c big x.c'
printf '1 1:1e20\n-1 1:-1e20\n' | randsvm-train -q -g 1e-50 - smooth
ok 'a gamma of doubles'            'svm-eval -q --export c smooth m.c && cc -DM_SELF_TEST -o self m.c && ./self'
fail 1 'gamma is beyond single precision' "svm-eval --export c-float smooth x.c"
printf '%s\n' 'svm_type epsilon_svr' 'kernel_type polynomial' 'degree 2' 'gamma 1e-30' 'coef0 0' 'nr_class 2' \
	'total_sv 2' 'rho 0' SV '1 1:1e21 ' '-1 1:2e21 ' >steep
svm-gen twonorm -q -d 2 -n 500 --noise 0.1 noisy
fail 1 'coefficients are too large for single precision, in which values may be wrong by ' \
	'randsvm-train -q -s 1 -n 0.1 -g 0.5 noisy coarse && svm-eval --export c coarse x.c && svm-eval --export c-float coarse x.c'
ok 'a self-test of values that are nan fails' 'svm-eval -q --export c-float steep m.c && cc -DM_SELF_TEST -o self m.c && ! ./self'
fail 1 'too large for a file of ONNX' 'sed "s/ 13:/ 2000000000:/" heart | randsvm-train -q - w; svm-eval --export onnx w x.c'
fail 1 'Usage'                     'svm-eval --export c model'
fail 1 'expected one of c c-float onnx' 'svm-eval --export java model x'
fail 1 '--export'                  'svm-eval --export c --metrics model x.c'
fail 1 '--export'                  'svm-eval --export c --on-error answer model x.c'
