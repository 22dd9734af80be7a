# randsvm-train --compact and --model-format: the weights of linear kernels, in either library's form.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .
awk '{ $1 = $1 " 0:" (NR % 3); print }' three_class >index0
grep -v '^5' index0 >two_index0
sed 's/^+1/0/; s/^-1/1/' heart >zero_one
grep '^+1' heart >one
printf '%s\n' '1 2000000000:1 2147483647:0.5' '-1 3:1' >far
printf '%s\n' 1 -1 >bare
printf '%s\n' '1 1:1' '-1 1:-1' >axis

# ---- one vector a pair ----

# compact VECTORS DATA OPTION...: so many vectors, and svm-predict and svm-eval say with them what they
# say with all support vectors
compact()
{
	local vectors=$1 data=$2 b=0
	shift 2
	[[ " $* " = *' -b 1 '* ]] && b=1
	randsvm-train -q -t 0 "$@" "$data" all && randsvm-train -q -t 0 --compact "$@" "$data" few &&
		grep "^total_sv $vectors\$" few &&
		svm-eval -q --scores "$data" all s1 && svm-eval -q --scores "$data" few s2 &&
		near s1 s2 1e-10 && predicted_alike svm-predict "$data" all few $b
}

# predicted_alike PROGRAM DATA MODEL MODEL B
predicted_alike()
{
	command -v "$1" >/dev/null || return 0
	svm-predict -b "$5" "$2" "$3" p1 >/dev/null && "$1" -b "$5" "$2" "$4" p2 >/dev/null &&
		near p1 p2 1e-10
}

for mode in exact direct; do
	ok "two classes, $mode"              compact 1 heart --mode $mode
	ok "two classes, a1a, $mode"         compact 1 a1a --mode $mode
	ok "three classes, $mode"            compact 3 three_class --mode $mode
	ok "weights, $mode"                  compact 3 three_class --mode $mode -w1 3 -w5 0.5
	ok "regression, $mode"               compact 1 sinc --mode $mode -s 3
	ok "-b 1, $mode"                     compact 1 heart --mode $mode -b 1
	ok "-b 1, three classes, $mode"      compact 3 three_class --mode $mode -b 1
	ok "-b 1, regression, $mode"         compact 1 sinc --mode $mode -s 3 -b 1
done
svm-gen text -q -n 30 | awk '{ $1 = NR % 5; print }' >pairs
ok 'a note where the weights are more' \
	'randsvm-train -t 0 --compact pairs few 2>err >out && randsvm-train -q -t 0 pairs all &&
	n=$(sed -n "s/.*note: --compact: \([0-9]*\) numbers in place of \([0-9]*\): without it .*/\1 \2/p" err) && echo $n &&
	[ $(sed "1,/^SV/d" few | grep -o ":" | wc -l) -le ${n% *} ] &&
	[ $(sed "1,/^SV/d" all | grep -o ":" | wc -l) -lt ${n#* } ] &&
	[ $(stat -c %s few) -gt $(stat -c %s all) ]'
ok '... and none where they are fewer'        'randsvm-train -t 0 --compact heart few 2>&1 | grep note; [ $? = 1 ]'
ok 'budget and bag'                       compact 1 a1a --mode budget --budget 300 --bag 3
ok 'nu-SVC'                               compact 3 three_class -s 1 -n 0.6
ok 'one-class'                            compact 1 heart -s 2
ok 'nu-SVR'                               compact 1 sinc -s 4
ok 'label 0 first'                        compact 1 zero_one
ok 'feature 0'                            compact 3 index0
ok 'large features'                       compact 1 far
ok 'no features'                          compact 1 bare
ok 'a class of weight 0'                  compact 1 heart -w1 0
ok 'one class'                            compact 0 one
ok 'the weights have all digits' grep -q -E '^1 3:-0\.8888888888888888 2000000000:' \
	<(randsvm-train -q -t 0 --compact far -)
ok 'shorter'                              'randsvm-train -q -t 0 --compact a1a few && [ "$(wc -c <few)" -lt 4000 ]'

ok 'the same lines of output' \
	'randsvm-train -t 0 heart m >out.all; randsvm-train -t 0 --compact heart m >out.few;
	same_files out.all out.few'
ok '--sv-indices are those of training' \
	'randsvm-train -q -t 0 --sv-indices i1 heart m; randsvm-train -q -t 0 --compact --sv-indices i2 heart m;
	same_files i1 i2'
ok 'the report says so' \
	'randsvm-train -q -t 0 --compact --report r heart m && json_has r n_sv && grep -q "\"compact\":.*true" r &&
	grep -q "\"model_format\":.*\"libsvm\"" r'
ok 'gzipped' \
	'randsvm-train -q -t 0 --compact heart few; randsvm-train -q -t 0 --compact heart few.gz; gzip -dc few.gz |
	cmp - few && randsvm-train -q -t 0 -z --compact heart x && gzip -dc x | cmp - few'
ok 'to a pipe'                            'randsvm-train -q -t 0 --compact heart - | cmp - few'
ok '-v writes none'                       'randsvm-train -q -t 0 --compact -v 3 heart unborn; [ ! -e unborn ]'

# no multipliers, and no row even where the weights equal one
ok 'certified as weights' \
	'randsvm-train -q -t 0 --compact axis few &&
	streams 0 "dual unknown" "weights, not multipliers" svm-eval --certify axis few'
ok 'certified, three classes' \
	'randsvm-train -q -t 0 --compact three_class few &&
	streams 0 "dual unknown" "weights, not multipliers" svm-eval --certify three_class few'
ok 'the primal is that of training' \
	'p() { grep -o "primal = [0-9.]*"; }; randsvm-train -t 0 --compact --verbose heart few | p >p1;
	svm-eval --certify heart --verbose few | p >p2; paste -d " " p1 p2 |
	awk "{ d = \$3 - \$6 } END { exit !(d * d < 1e-6) }"'

# ---- LIBLINEAR's format ----

# as_liblinear DATA OPTION...: liblinear-predict and svm-eval say what they say with LIBSVM's format
as_liblinear()
{
	local data=$1
	shift
	randsvm-train -q -t 0 "$@" "$data" all &&
		randsvm-train -q -t 0 --model-format liblinear "$@" "$data" weights &&
		svm-eval -q --scores "$data" all s1 && svm-eval -q --scores "$data" weights s2 &&
		near s1 s2 1e-10
}

# read_by_liblinear DATA OPTION...: likewise
read_by_liblinear() { as_liblinear "$@" && predicted_alike liblinear-predict "$1" all weights 0; }

for mode in exact direct; do
	ok "liblinear, $mode"                read_by_liblinear heart --mode $mode
	ok "liblinear, a1a, $mode"           read_by_liblinear a1a --mode $mode
	ok "liblinear, regression, $mode"    read_by_liblinear sinc --mode $mode -s 3
done
ok 'liblinear, nu-SVC'                    read_by_liblinear heart -s 1
ok 'liblinear, nu-SVR'                    read_by_liblinear sinc -s 4
ok 'liblinear, label 0 first'             read_by_liblinear zero_one
ok 'liblinear, no features'               read_by_liblinear bare
# liblinear-predict knows this solver from 2.40 on
ok 'liblinear, one-class'                 'as_liblinear heart -s 2 && grep -q "^solver_type ONECLASS_SVM$" weights'
ok 'liblinear, with --compact as well' \
	'randsvm-train -q -t 0 --model-format liblinear heart a;
	randsvm-train -q -t 0 --compact --model-format liblinear heart b; same_files a b'
ok 'liblinear, gzipped' \
	'randsvm-train -q -t 0 --model-format liblinear heart b.gz; gzip -dc b.gz | cmp - a &&
	svm-eval -q heart b.gz p'
ok 'liblinear, to a pipe'                 'randsvm-train -q -t 0 --model-format liblinear heart - | cmp - a'
ok 'liblinear, the report says so' \
	'randsvm-train -q -t 0 --model-format liblinear --report r heart m &&
	grep -q "\"model_format\":.*\"liblinear\"" r'
ok 'libsvm is the default' \
	'randsvm-train -q -t 0 heart a; randsvm-train -q -t 0 --model-format libsvm heart b; same_files a b'

# ---- refused before training ----

for t in 1 2 3; do
	fail 1 '--compact is for -t 0'                  randsvm-train --compact -t $t heart unborn
	fail 1 '--model-format liblinear is for -t 0'   randsvm-train --model-format liblinear -t $t heart unborn
done
for s in 2 3 4; do
	fail 1 '--model-format liblinear has no room for what -b 1 finds' \
		randsvm-train -s $s --model-format liblinear -t 0 -b 1 heart unborn
done
for s in 0 1; do
	ok "--model-format liblinear: the probabilities, -s $s" \
		"randsvm-train -q -s $s -t 0 -b 1 heart m && randsvm-train -q -s $s -t 0 -b 1 --model-format liblinear heart l &&
		grep ^prob m >a && tail -n 2 l | cmp - a && svm-eval -q -b 1 heart m p && svm-eval -q -b 1 heart l q &&
		sed 1d p >a && sed 1d q >b && near a b 1e-4"
done
fail 1 'is for two classes, and three_class has 3'      randsvm-train --model-format liblinear -t 0 three_class unborn
fail 1 'is for two classes, and one has 1'              randsvm-train --model-format liblinear -t 0 one unborn
fail 1 'begin with 1, and there is a 0 (two_index0: example 1)' randsvm-train --model-format liblinear -t 0 \
	two_index0 unborn
fail 1 '--model-format'                                 randsvm-train --model-format svmlight -t 0 heart unborn
ok 'nothing is left behind'               '! ls unborn*'

# ---- weights that are left when large terms cancel ----

awk 'BEGIN { srand(4); for (i = 0; i < 300; i++) { x = int(rand() * 1e8); y = int(rand() * 1e8); printf "%.4f 1:%d 2:%d 3:%.3f\n", x / 1e8 - y / 2e8 + 0.1 * rand(), x, y, rand() } }' >huge
cancelled()
{
	randsvm-train -q -s 3 -t 0 -c 10 -p 0.01 --report r "$@" huge m || return
	sed -n 's/.*"primal":[^0-9]*\([^,]*\),.*/\1/p' r | head -n 1 >a
	svm-eval -q --certify huge -c 10 -p 0.01 --report r m
	sed -n 's/.*"primal":[^0-9]*\([^,]*\),.*/\1/p' r | head -n 1 >b
	cat a b
	near a b 1e-6
}
ok 'features of 1e8'              cancelled
ok '... and their weights'        cancelled --compact

# ---- large models ----

awk 'BEGIN { for (i = 1; i <= 60000; i++) { printf "%d", i % 2; for (j = 1; j <= 25; j++) printf " %d:%d", j, i * (j + 57) % 997; print "" } }' >alike
randsvm-train -t 0 -c 1e-6 alike m >out 2>err
# a note with the size of the file and of what --compact writes
ok 'a model above 10 MB names --compact' \
	'cat err; [ $(wc -c <m) -gt 10000000 ] && size=$(awk "{ printf \"%.3g\", \$1 / 1e6 }" < <(wc -c <m)) &&
	grep "note: the model has $size MB of support vectors: --compact writes 25 weights" err'
ok '... not with --compact, -q, or where it is smaller' \
	'randsvm-train -t 0 -c 1e-6 --compact alike c 2>err && randsvm-train -q -t 0 -c 1e-6 alike m2 2>>err && head -n 9000 alike >fewer &&
	randsvm-train -t 0 -c 1e-6 fewer m2 2>>err && cat err && ! grep compact err'
ok '... which decides the same'    'svm-eval alike m p && svm-eval alike c q && same_files p q'
