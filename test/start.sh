# randsvm-train --start: the optimum and its certificate from every start, and what is no start

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .
head -n 200 heart >heart200
randsvm-train -q heart heart.m
randsvm-train -q --sample 50 a1a a1a.m

# as_cold START DATA OPTION...: the certificate and the objectives from the start are those without
as_cold()
{
	local start=$1 data=$2
	shift 2
	randsvm-train "$@" "$data" m1 >out1 && randsvm-train "$@" --start "$start" "$data" m2 >out2 &&
		close_objectives out1 out2 1e-4 && proved out2 1e-3
}

# steps OUT: all iterations
steps() { awk -F= '/#iter/ { n += $2 } END { print n }' "$1"; }

# ---- every start leads to the optimum ----

for c in 0.01 0.5 1 10 1000; do
	ok "-c $c from -c 1"             as_cold heart.m heart -c $c
	ok "-c $c from -c 1, subsets"    as_cold a1a.m a1a --sample 50 -c $c
done
ok 'weights'                             as_cold heart.m heart -w1 3 -w-1 0.5
ok 'another gamma'                       as_cold heart.m heart -g 5
ok 'another kernel'                      as_cold heart.m heart -t 1 -d 2 -r 1
ok 'a linear one'                        as_cold heart.m heart -t 0
ok 'a linear one, squared losses'        as_cold heart.m heart -t 0 --loss squared
ok 'rows that are new'                   'randsvm-train -q heart200 m && as_cold m heart'
ok 'rows that are gone'                  'randsvm-train -q heart m && as_cold m heart200'
for t in 0 1 2; do
	ok "three classes, -t $t"        "randsvm-train -q -t $t three_class m && as_cold m three_class -t $t -c 5"
	ok "regression, -t $t"           "randsvm-train -q -s 3 -t $t sinc m && as_cold m sinc -s 3 -t $t -c 5 -p 0.05"
done
ok 'classes in another order'            'sort -r three_class >s && randsvm-train -q s m && as_cold m three_class -c 2'
ok 'a class that the model lacks'        'grep -v "^2" three_class >s && randsvm-train -q s m && as_cold m three_class'
ok 'from nu-SVC'                         'randsvm-train -q -s 1 heart m && as_cold m heart'
ok 'with probabilities'                  'randsvm-train -q -b 1 --start heart.m heart m && grep -q probA m'

# few_steps START DATA OPTION...: from the solution there are hardly any steps left
few_steps()
{
	as_cold "$@" && [ $((10 * $(steps out2))) -le $(($(steps out1) + 20)) ]
}
ok 'from the solution no steps are left'   few_steps heart.m heart
ok 'nor with subsets'                      few_steps a1a.m a1a --sample 50
ok 'nor with a linear kernel'              'randsvm-train -q -t 0 heart m && few_steps m heart -t 0'
ok 'nor with three classes'                'randsvm-train -q three_class m && few_steps m three_class'
ok 'nor in a regression'                   'randsvm-train -q -s 3 sinc m && few_steps m sinc -s 3'
# without N DATA OPTION...: a row in N is gone, and the start from all takes half of the steps at most
without()
{
	local n=$1 data=$2
	shift 2
	awk -v n="$n" 'NR % n != 7' "$data" >less && randsvm-train -q "$@" "$data" m &&
		as_cold m less "$@" && [ $((2 * $(steps out2))) -le "$(steps out1)" ]
}
svm-gen checkerboard --noise 0.02 -n 6000 board
svm-gen twonorm -n 6000 -d 10 two
ok 'where support vectors are gone, few'   without 300 board -c 100 -g 2
ok 'nor where the gap is then wide'        without 300 two -c 1000 -g 0.05
ok 'values of more than 8 digits' \
	'sed -E "s/:([-0-9.]+)/:\11234567891/g" heart >h && randsvm-train -q h m && few_steps m h'
ok 'values written in another way' \
	'sed -E "s/:1( |$)/:+1.0e0 /g; s/:-1( |$)/:-1.000 /g" heart >h && few_steps heart.m h'

# ---- files ----

ok 'gzip' \
	'gzip -k heart.m heart && few_steps heart.m.gz heart.gz; r=$?; rm -f heart.m.gz heart.gz; exit $r'
ok 'the model from a pipe' \
	'randsvm-train -q -c 2 --start <(cat heart.m) heart m1; randsvm-train -q -c 2 --start heart.m heart m2;
	same_files m1 m2'
ok 'the data from a pipe'          'cat heart | randsvm-train -q -c 2 --start heart.m - m1; same_files m1 m2'
ok 'the model from standard input' 'randsvm-train -q -c 2 --start - heart m1 <heart.m; same_files m1 m2'
ok 'any number of threads' \
	'for n in 1 2 5; do randsvm-train -q -c 3 --sample 50 --threads $n --start a1a.m a1a m$n; done;
	same_files m1 m2 m5'
ok 'of three classes too' \
	'randsvm-train -q three_class m; for n in 1 2 5;
	do randsvm-train -q -c 3 --threads $n --start m three_class m$n; done; same_files m1 m2 m5'
fail 1 'standard input'            'randsvm-train -q --start - - m <heart'
fail 1 "can't open model file none: No such file or directory" randsvm-train -q --start none heart m
fail 1 'promised'                  'head -n 20 heart.m >cut; randsvm-train -q --start cut heart m'
fail 1 'are the same file'         'cp heart.m same; randsvm-train -q --start same heart same'

if command -v svm-train >/dev/null; then
	ok "svm-train's models"            'svm-train -q -g 0.5 heart m && few_steps m heart -g 0.5'
	ok "svm-train's, three classes"    'svm-train -q -g 0.5 three_class m && few_steps m three_class -g 0.5'
	ok "svm-train's, regression"       'svm-train -q -s 3 -g 0.5 sinc m && few_steps m sinc -s 3 -g 0.5'
else
	skip 'svm-train is not installed'
fi

# ---- rows by number ----

randsvm-train -q --sv-indices heart.i heart heart.m
ok 'rows by number' \
	'randsvm-train -q -c 2 --start heart.m --start-indices heart.i heart m1; same_files m1 m2 ||
	randsvm-train -q -c 2 --start heart.m heart m2 && same_files m1 m2'
ok 'of data in another form' \
	'rp-project -q -m gaussian -k 8 --seed 1 heart p && randsvm-train -q --sv-indices i p m &&
	randsvm-train --start m --start-indices i heart m1 >out2 && randsvm-train heart m2 >out1 &&
	close_objectives out1 out2 1e-4 && proved out2 1e-3'
ok 'gzip of numbers' \
	'gzip -kf heart.i && randsvm-train -q -c 2 --start heart.m --start-indices heart.i heart m1;
	randsvm-train -q -c 2 --start heart.m --start-indices heart.i.gz heart m2; same_files m1 m2'
i() { fail 1 "$1" "$2 >i; randsvm-train -q --start heart.m --start-indices i heart m"; }
i 'i:131: 131 rows, and the model has 132 support vectors' 'head -n 131 heart.i'
i 'i:133: more rows than the 132 support vectors'          '(cat heart.i; echo 1)'
i "i:1: row: '0'"                                          '(echo 0; sed 1d heart.i)'
i "i:1: row: '271'"                                        '(echo 271; sed 1d heart.i)'
i "i:2: row 2 again"                                       '(echo 2; echo 2; sed 1,2d heart.i)'
i "i:1: one row a line expected"                           '(tr "\n" " " <heart.i; echo)'
i 'has class 1, and row'                                   'tac heart.i'
i 'i:1: 0 rows, and the model has 132 support vectors'     ':'
fail 1 'needs --start'             randsvm-train -q --start-indices heart.i heart m
fail 1 "can't open start indices none: No such file"       randsvm-train -q --start heart.m --start-indices none heart m

# ---- what is no start ----

fail 1 'no support vector of heart.m is a row of a1a with its label; --start-indices tells' \
	randsvm-train -q --start heart.m a1a m
ok 'a note on vectors that are no rows' streams 0 'optimization finished' \
	' support vectors of heart.m are no rows of heart200: left out' randsvm-train --start heart.m heart200 m1
ok 'a note on another kernel' \
	'[ "$(randsvm-train -g 3 --start heart.m heart m1 2>&1 >out1 | grep -c "heart.m has another kernel")" = 1 ]'
ok 'no note on a gamma in single precision' \
	'sed "s/^gamma .*/gamma 0.100000001490116/" heart.m >single.m;
	[ -z "$(randsvm-train -g 0.1 --start single.m heart m1 2>&1 >out1)" ] &&
	[ "$(randsvm-train -g 0.1000001 --start single.m heart m1 2>&1 >out1 | grep -c "another kernel")" = 1 ]'
ok 'no note with -q'               streams 0 '' '' randsvm-train -q -g 3 --start heart.m heart200 m1
ok 'no note without a reason'      '[ -z "$(randsvm-train -c 3 --start heart.m heart m1 2>&1 >out1)" ]'
fail 1 'is a classification, which has no multipliers of a regression' randsvm-train -q -s 3 --start heart.m heart m
fail 1 'is a regression, which has no multipliers of a classification' \
	'randsvm-train -q -s 3 sinc r.m; randsvm-train -q --start r.m three_class m'
fail 1 'is a one-class SVM'        'randsvm-train -q -s 2 heart o.m; randsvm-train -q --start o.m heart m'
fail 1 'has weights of features' \
	'randsvm-train -q -t 0 --model-format liblinear heart l.m; randsvm-train -q -t 0 --start l.m heart m'
fail 1 'no support vector of c.m' \
	'randsvm-train -q -t 0 --compact heart c.m; randsvm-train -q -t 0 --start c.m heart m'
fail 1 'has no support vectors' \
	'grep "^1" three_class >s; randsvm-train -q s o.m; randsvm-train -q --start o.m three_class m'
fail 1 'positive definite'         randsvm-train -q -t 3 --start heart.m heart m
fail 1 'positive definite'         randsvm-train -q -t 1 -r -1 --start heart.m heart m
fail 1 '-t 4'                      randsvm-train -q -t 4 --start heart.m heart m
for type in 1 2 4; do
	fail 1 "--start is for -s 0 and -s 3"  randsvm-train -q -s $type --start heart.m heart m
done
fail 1 "-v 3 is not for --start"     randsvm-train -q -v 3 --start heart.m heart m
fail 1 "--mode paper is not for --start" randsvm-train -q --mode paper --start heart.m heart m
fail 1 "--solver libsvm is not for --start"     randsvm-train -q --solver libsvm --start heart.m heart m
fail 1 "--multiclass ovr is not for --start" randsvm-train -q -t 0 --multiclass ovr --start heart.m heart m
ok 'the report' \
	'randsvm-train -q --start heart.m --report r heart200 m1; grep -q "\"start_vectors\":[[:space:]]*132" r &&
	grep -q "\"start_rows\":[[:space:]]*[1-9]" r'
