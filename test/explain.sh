# svm-eval --explain: Shapley values by their definition, for all machines, kernels and chains.

. "$TOP/test/helpers.bash"
need python3

gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .
# five features, which have 32 sets; few rows
awk '{ printf "%s", $1; for (i = 2; i <= NF; i++) if ($i ~ /^([1-5]):/) printf " %s", $i; print "" }' heart >five
head -n 40 five >train
sed -n '41,43p' five >rows
sed -n '51,52p' five >background
randsvm-train -q -c 10 -g 0.3 heart heart.model

# ---- the definition ----

# defined ROWS MODEL [BACKGROUND]: the table is that of all sets of features
defined()
{
	svm-eval -q --explain 0 ${3:+--background "$3"} "$1" "$2" table && python3 "$TOP/test/plain_shapley.py" "$@" >exact &&
		near table exact 1e-11
}
for kernel in '-t 0' '-t 1 -d 1 -g .5' '-t 1 -d 2 -r 1 -g .5' '-t 1 -d 3 -r 1 -g .5' '-g .01' '-g 1' '-g 30'; do
	randsvm-train -q $kernel train model
	ok "C-SVC, $kernel"                  defined rows model background
done
ok 'a background of zeros'               defined rows model
for machine in '-s 1 -n .4' '-s 2 -n .4' '-s 3' '-s 4'; do
	randsvm-train -q $machine -g .4 train model
	ok "$machine"                        defined rows model background
done
awk 'NR % 5 == 1' three_class >t3
randsvm-train -q -g 1 t3 t3.model
ok 'three classes: the sum of the pairs' 'head -n 4 three_class >r3 && sed -n "5,7p" three_class >b3 && defined r3 t3.model b3'
randsvm-train -q -t 0 t3 t3.model
ok '... linear'                          defined r3 t3.model b3

# ---- sums ----

# adds_up FILE: base, others and reasons are the value
adds_up()
{
	awk -F '\t' '
	NR > 1 {
		sum = $3
		for (i = 4; i <= NF; i++) { sub(/^.*=/, "", $i); sum += $i }
		d = sum - $2; d = d < 0 ? -d : d
		if (d > 1e-9) { print; bad = 1 }
	}
	END { exit bad || NR < 2 }' "$1"
}
# each row costs as much as the background has rows
many=$([ "$SANITIZE" ] && echo train || echo heart)
ok 'values add up'                       'svm-eval -q --explain 0 --background $many heart heart.model all && adds_up all'
ok '... with those that are not shown' \
	'svm-eval -q --explain 3 --background $many heart heart.model some && adds_up some && [ "$(awk -F "\t" "{ print NF }" some | sort | uniq -c | wc -l)" = 2 ]'
ok 'values are those of --scores, predictions, too' \
	'svm-eval -q --scores heart heart.model scores && near <(tail -n +2 scores) <(tail -n +2 all | cut -f 1,2) 0'
ok 'the largest come first' \
	'tail -n +2 some | awk -F "\t" "{ for (i = 5; i < NF; i++) { a = \$i; b = \$(i + 1); sub(/.*=/, \"\", a); sub(/.*=/, \"\", b); if (a * a < b * b) exit 1 } }"'
ok 'more than there are: all' \
	'svm-eval -q --explain 99 heart heart.model a && ! tail -n +2 a | cut -f 4 | grep -v "^0$"'
ok 'models of LIBLINEAR' \
	'randsvm-train -q -t 0 --multiclass ovr three_class l && svm-eval -q --explain 0 three_class l a && adds_up a &&
	svm-eval -q --scores three_class l b && tail -n +2 b | awk "{ m = \$2; for (i = 3; i <= 4; i++) if (\$i > m) m = \$i; print m }" |
	near - <(tail -n +2 a | cut -f 2) 0'

# ---- the same from all forms, for any threads ----

ok 'any threads'                         'svm-eval -q --explain 0 --threads 1 --background train heart heart.model a && svm-eval -q --explain 0 --threads 3 --background train heart heart.model b && cmp a b'
ok 'compressed, from a pipe, to standard output' \
	'gzip -c heart >heart.gz; gzip -c train >train.gz; cat heart.gz | svm-eval -q --explain 0 --background train.gz - heart.model - >c && cmp a c &&
	svm-eval -q -z --explain 0 --background train.gz heart.gz heart.model - | gzip -dc | cmp - a'
ok 'labels do not count'                 'sed "s/^[^ ]* //" heart | svm-eval -q --explain 0 --background <(sed "s/^[^ ]* //" train) - heart.model - 2>err | cmp - a'
ok 'a feature that only the row has' \
	'printf "1 1:.5 99:1\n" >r; svm-eval -q --explain 2 --background train r heart.model a && grep "99=" a && adds_up a'
ok 'the report' \
	'svm-eval -q --explain 2 --background train --report report.json heart heart.model a && json_has report.json accuracy background_rows explained_to'
ok 'what it is exact to'                 streams 0 'label' 'exact to ' svm-eval --explain 2 --background train heart heart.model -
ok '... by one row or several' \
	'svm-eval --explain 2 heart heart.model table | grep "by 1 background row, exact to" && svm-eval --explain 2 --background background heart heart.model table | grep "by 2 background rows, exact to"'
ok 'the default background is told'      streams 0 'label' 'the background is one row of zeros' svm-eval --explain 2 heart heart.model -

# ---- chains ----

rp-project -q -m scale -l 0 -s ranges heart >scaled
rp-project -q -r ranges train >scaled.train
randsvm-train -q scaled scaled.model
ok 'ranges: the features of the data' \
	'svm-eval --force --chain c ranges scaled.model && svm-eval -q --explain 0 --background train heart c a && svm-eval -q --explain 0 --background scaled.train scaled scaled.model b && cmp a b'
ok 'choices: their numbers, and names of the data' \
	'fs-select -q -m t -k 4 --renumber -s choice heart >chosen && randsvm-train -q -g .2 chosen chosen.model && svm-eval --force --chain c choice chosen.model &&
	fs-select -q -m t -k 4 -s choice2 heart >kept && randsvm-train -q -g .2 kept kept.model && svm-eval -q --explain 2 kept kept.model a && svm-eval -q --explain 2 heart c b && cmp a b &&
	seq 13 | sed "s/^/f/" >names && svm-eval -q --names names --explain 2 heart c b && sed "s/	\([0-9]*=\)/	f\1/g" a | cmp - b'
ok 'a feature 0, which no choice makes' \
	'sed "s/ 1:/ 0:/" chosen | randsvm-train -q - zero.model && svm-eval --force --chain c choice zero.model &&
	svm-eval -q --explain 0 heart c - | head -n 1 | grep "^label	value	base	0	[1-9]"'
ok 'tables: names of the columns' \
	'svm-convert -q -l heart -s columns "$T/heart.csv" t && randsvm-train -q t t.model 2>err; svm-eval --force --chain c columns t.model &&
	svm-eval -q --explain 2 --background "$T/heart.csv" "$T/heart.csv" c a && adds_up a && head -n 3 a && grep -q "	[a-z_]*=[-0-9]" a'
ok 'names of classes'                    'printf "1 ill\n-1 well\n" >l; svm-eval -q --labels l --explain 1 heart heart.model a && cut -f 1 a | sort | uniq | paste -s | grep "ill	label	well"'
ok 'names in a table'                    'svm-eval -q --names names --explain 0 heart heart.model a && head -n 1 a | grep "base	f1	f2"'
rp-project -q -m pca -k 4 -s map heart >mapped
randsvm-train -q mapped mapped.model
svm-eval --chain mapped.chain map mapped.model

# a row without features by the row of zeros: nothing has changed
printf '1\n' >bare
ok 'a row without features'     'svm-eval -q --explain 0 bare heart.model bare.out && tail -n 1 bare.out | awk "NF != 16 || \$2 != \$3 { exit 1 }"'

# ---- refusals ----

fail 1 'svm-eval: --explain: a map in mapped.chain makes each feature of many' svm-eval --explain 1 heart mapped.chain x
randsvm-train -q -t 3 -g .01 heart sigmoid.model
fail 1 'for linear, rbf and polynomial'  svm-eval --explain 1 heart sigmoid.model x
ok     'nothing is written'              '[ ! -e x ]'
randsvm-train -q -t 1 -d 4 heart quartic.model
fail 1 'of degree 3 at most' svm-eval --explain 1 heart quartic.model x
printf '1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n' >kernel
randsvm-train -q -t 4 kernel kernel.model
fail 1 'for linear, rbf and polynomial'             svm-eval --explain 1 kernel kernel.model x
fail 1 'cannot use --scores and --explain simultaneously' svm-eval --scores --explain 1 heart heart.model x
fail 1 '--explain: needs an output_file' svm-eval --explain 1 heart heart.model
fail 1 '--background needs --explain'    svm-eval --background train heart heart.model
fail 1 '-b'                              svm-eval -b 1 --explain 1 heart heart.model x
: >empty
fail 1 'the background has no rows'                        svm-eval --explain 1 --background empty heart heart.model x
fail 1 'no examples'                     svm-eval --explain 1 --background train empty heart.model x
fail 1 'feature 99 is none of model and background' svm-eval --explain 0 r heart.model x
printf '1 0:1 1:1\n' >zero
fail 1 'feature 0 is none of model'      svm-eval --explain 0 zero heart.model x
printf '1 1:1\n1 2:x\n' >bad
fail 1 'bad:2:'                          svm-eval --explain 1 bad heart.model x
fail 1 'bad:2:'                          svm-eval --explain 1 --background bad heart heart.model x
ok     'nothing is written'              '[ ! -e x ]'
printf '1 1:1e200\n' >far
fail 1 'row 1: Shapley values'           svm-eval --explain 1 far heart.model x
# with --on-error answer each such row has a line, and all others are explained
(sed -n 1,2p heart; cat far bad; echo 1 99:1; echo 1 0:1; sed -n '3,$p' heart) >mixed
ok '--on-error answer' \
	'svm-eval -q --explain 0 <(cat heart; echo 1 1:1) heart.model b && svm-eval --on-error answer --explain 0 mixed heart.model a 2>told; cat told; cut -c 1-60 a | sed -n 4,8p
	(sed -n 1,3p b; tail -n 1 b; sed "1,3d; \$d" b) | near - <(sed "4d; 6,8d" a) 1e-11 && sed -n 4p a | grep "^error: Shapley values are not known" &&
	sed -n 6p a | grep "^error: mixed:5:5: " && sed -n 7,8p a | cut -d , -f 1 | diff - <(printf "error: feature %d is none of model and background\n" 99 0) &&
	grep "errors in place of predictions: 4, the first: row 3: it is not explained" told'
ok '... of the largest' \
	'svm-eval --on-error answer --explain 2 mixed heart.model a 2>told && grep -c ^error: a | grep -x 2 && grep "errors in place of predictions: 2," told && grep -c "99=" a | grep -x 1'
randsvm-train -q -t 0 heart flat.model
ok 'a feature without weight adds nothing' 'svm-eval -q --explain 0 <(sed "s/$/ 99:5/" heart) flat.model a && svm-eval -q --explain 0 heart flat.model b && cmp a b'
