# svm-eval --intervals: how far measures may be from those of all rows.

. "$TOP/test/eval.bash"

plain="$TOP/test/plain_intervals.py"
awk '{ print "patient", int(NR * NR / 900) }' heart_scale >heart.groups
awk '{ print NR % 3 + 0.5 }' heart_scale >heart.w
awk '{ print NR % 4 + 1 }' sinc >sinc.w
awk '{ print int(NR / 3) }' sinc >sinc.groups
sed 's/^[a-z ]*//' heart.groups | paste -d ' ' - heart_scale | awk '{ $2 = $2 " qid:" $1; $1 = ""; print substr($0, 2) }' >heart.qid
randsvm-train -q -c 10 -g 0.01 heart_scale two.model

# held MODEL TEST LEVEL [UNITS]: intervals are those of other computations
held()
{
	local units=
	[ -z "$4" ] || units="--groups $4"
	[ "${4%.w}" = "$4" ] || units="-W $4"
	svm-eval -q --scores --with-labels --metrics --intervals $3 $units --report report.json "$2" "$1" table &&
		python3 "$plain" table report.json $3 $4 >seen && cat seen
}
ok 'of two classes'                     held two.model heart_scale 0.95
ok 'shares by Wilson, AUC by DeLong'    'grep "accuracy by Wilson" seen && grep "recall by Wilson" seen && grep "auc by DeLong" seen'
ok 'of another level'                   held two.model heart_scale 0.8
ok 'of whole groups, all drawn'         'held two.model heart_scale 0.9 heart.groups && ! grep -E "Wilson|DeLong" seen'
ok 'of weighted rows, all drawn'        'held two.model heart_scale 0.9 heart.w && ! grep -E "Wilson|DeLong" seen'
ok 'of regressions'                     'held sinc.model sinc 0.95 && grep -c . seen | grep -x 3'
ok 'of regressions, of groups'          held sinc.model sinc 0.9 sinc.groups
ok 'of regressions, weighted'           held sinc.model sinc 0.9 sinc.w

svm-eval --metrics --intervals 0.95 --report report.json heart_scale two.model >said
ok 'printed as reported' '
	python3 -c "
import json
for i in json.load(open(\"report.json\"))[\"intervals\"]:
    print(i[\"figure\"], *(\"%.6g\" % i[k] for k in (\"value\", \"from\", \"to\")), i[\"method\"])" >wanted
	sed "1,/^95% intervals/d; /^1000 draws/d" said | tail -n +2 | sed "s/, class.*//" | tr -s " " | sed "s/^ //" | cmp - wanted && wc -l <wanted | grep -x 13'
ok 'the other lines are those without'  'svm-eval --metrics heart_scale two.model | cmp - <(sed "/^95% intervals/,\$d" said)'
ok 'of a file of predictions'           '
	svm-eval -q --with-labels --scores heart_scale two.model table
	svm-eval --measure table --intervals 0.95 | sed "1s/ (class.*//" | cmp - <(sed "1s/ (class.*//" said)'
ok 'on any number of threads'           '
	for t in 1 2 5; do svm-eval --metrics --intervals 0.95 --threads $t heart_scale two.model | cmp - said || exit; done'
ok 'another seed moves what is drawn alone' '
	svm-eval --metrics --intervals 0.95 --seed 2 heart_scale two.model >other
	! cmp -s other said && cmp <(grep -E "Wilson|DeLong" other) <(grep -E "Wilson|DeLong" said)'
ok 'groups by qid are those of a file'  '
	svm-eval --metrics --intervals 0.95 --by-qid heart.qid two.model >a &&
	svm-eval --metrics --intervals 0.95 --groups <(sed "s/.* //" heart.groups) heart_scale two.model | cmp - a &&
	tail -n 1 a | grep -x "1000 draws of [0-9]* groups: not independent .*"'
ok 'groups of a cross validation are in its file' '
	sed "s/.* //" heart.groups >names
	for groups in "--groups names heart_scale" "--by-qid heart.qid"; do
		randsvm-train -q -v 5 -c 10 -g 0.01 --cv-predictions cv $groups >cv.said
		[ "$(head -n 1 cv)" = "row label prediction 1/-1 group" ] && svm-eval --measure cv --intervals 0.95 >a &&
		svm-eval --measure <(sed "s/ [^ ]*$//" cv) --groups names --intervals 0.95 | cmp - a || exit
	done && tail -n 1 a | grep " groups: not independent" &&
	awk "{ if (NR == 9) \$2 = \"nan\"; print }" cv >some && svm-eval --measure some --intervals 0.95 >b &&
	sed "9d" some | svm-eval --measure - --intervals 0.95 | cmp - b && randsvm-train -q -v 5 --cv-predictions plain heart_scale >/dev/null && ! grep group plain'
ok '... and a file may divide them'     'svm-eval -q --measure cv --intervals 0.9 --groups <(seq 270) 2>&1 >/dev/null | grep "divides rows of one group of cv"'
ok 'copies of rows, as groups, change nothing' '
	for n in 1 3; do awk -v n=$n "{ for (k = 0; k < n; k++) print }" heart_scale >copies
		awk -v n=$n "{ for (k = 0; k < n; k++) print NR }" heart_scale >own
		svm-eval --metrics --intervals 0.95 --groups own copies two.model | grep -E "balanced.*bootstrap"; done | uniq | wc -l | grep -x 1'
ok 'a note where qids are not looked at' 'svm-eval --metrics --intervals 0.95 heart.qid two.model 2>&1 >a | grep "warning: .*those of one qid are not kept together" && cmp a said'
ok 'a note on few groups'               'awk "{ print NR % 7 }" heart_scale >few
	svm-eval --metrics --intervals 0.95 --groups few heart_scale two.model 2>&1 >a | grep "note: of so few rows or groups"'
ok 'many classes, with probabilities'   '
	svm-eval -b 1 --metrics --intervals 0.9 rest three.model | tee /dev/stderr | grep -E "(log_loss|brier|auc) .*bootstrap" | wc -l | grep -x 3'
ok 'an undefined figure has no interval' '
	sed -n "/^+1/p" heart_scale | head -n 9 >ones; svm-eval --metrics --intervals 0.9 ones two.model | grep -E "auc +- +- +-"'
ok 'draws that lack a class are left out' '
	(sed -n "/^+1/p" heart_scale | head -n 9; sed -n "/^-1/p" heart_scale | head -n 3) >few
	svm-eval --metrics --intervals 0.9 --seed 3 few two.model | grep -E "average_precision +[01].*bootstrap"'
ok 'rows without labels are not drawn'  '
	(sed "s/^[^ ]* //" heart_scale | head -n 50; cat heart_scale) >more
	svm-eval --metrics --intervals 0.95 more two.model | cmp - said'
ok 'nor groups without labels'          '
	for side in before behind; do
		sed "s/^[^ ]* //" heart_scale | head -n 50 >bare; seq 50 | sed "s/^/b/" >own
		[ $side = before ] && files="bare heart_scale" names="own heart.groups" || files="heart_scale bare" names="heart.groups own"
		svm-eval --metrics --intervals 0.95 --groups <(cat $names) <(cat $files) two.model >$side
	done
	svm-eval --metrics --intervals 0.95 --groups heart.groups heart_scale two.model | cmp - before && cmp before behind'
ok 'no labels at all'                   'sed "s/^[^ ]* //" heart_scale >none; svm-eval --metrics --intervals 0.9 none two.model out && [ -s out ]'

ok 'a level beyond the draws'           '
	svm-eval --metrics --intervals 0.999 heart_scale two.model >beyond
	grep -E "accuracy +[0-9.]+ +[0-9.]+ +[0-9.]+  Wilson" beyond && grep -E "macro_f1 +[0-9.]+ +- +-  bootstrap" beyond'
fail 1 '--intervals needs' svm-eval --intervals 0.9 heart_scale two.model
fail 1 '--groups needs' svm-eval --metrics --groups heart.groups heart_scale two.model
fail 1 'heart.few:101: fewer groups than the 270 rows' \
	'head -n 100 heart.groups >heart.few; svm-eval --metrics --intervals 0.9 --groups heart.few heart_scale two.model'
fail 1 'has no qid' svm-eval --metrics --intervals 0.9 --by-qid heart_scale two.model

# ---- two files of predictions ----

randsvm-train -q -t 0 heart_scale linear.model
randsvm-train -q -s 3 -c 0.3 sinc other.model
svm-eval -q --with-labels --scores heart_scale linear.model other
svm-eval -q --with-labels --scores heart_scale two.model table
svm-eval -q --with-labels sinc sinc.model sinc.one
svm-eval -q --with-labels sinc other.model sinc.other
# differ ONE OTHER LEVEL [GROUPS]: differences are those of other computations
differ()
{
	svm-eval -q --measure $1 --compare $2 --intervals $3 ${4:+--groups $4} --report report.json &&
		python3 "$TOP/test/plain_compare.py" differences $1 $2 report.json $3 $4 | tee /dev/stderr | grep -c . | grep -x 2
}
ok 'of two files'                       differ table other 0.95
ok 'the other way round'                differ other table 0.8
ok 'of whole groups'                    differ table other 0.9 heart.groups
ok 'of two regressions'                 differ sinc.one sinc.other 0.95
ok 'of regressions, of groups'          differ sinc.one sinc.other 0.9 sinc.groups
ok 'level and power, by simulation'     python3 "$TOP/test/plain_compare.py" level
ok 'groups of the other file alone' \
	'awk "{ print \$0, NR == 1 ? \"group\" : int(NR / 9) }" table >grouped && svm-eval -q --measure table --compare grouped --intervals .9 2>&1 | grep "^svm-eval: warning: groups are in grouped alone" &&
	! svm-eval --measure grouped --compare table --intervals .9 2>&1 | grep warning'
ok 'equal files do not differ'          'svm-eval --measure table --compare table | tee said &&
	sed -n "s/^ .*[a-z0-9] \(.*\)bootstrap.*/\1/p" said | tr -s " \n" " " | grep -x " \(0 \)*" && grep "p = 1 (0 rows" said'
svm-eval --metrics --compare other heart_scale two.model >said
ok 'behind the lines of --metrics'      'svm-eval --metrics heart_scale two.model | cmp - <(sed "/^95% intervals/,\$d" said) &&
	grep -x "95% intervals of differences from other" said'
ok 'of a file, as of a model'           'svm-eval --measure table --compare other | sed "1s/ (class.*//" | cmp - <(sed "1s/ (class.*//" said)'
ok 'on any number of threads, gz and pipe' 'gzip <other >other.gz
	for t in 1 2 5; do svm-eval --metrics --compare other --threads $t heart_scale two.model | cmp - said || exit; done
	for o in other.gz -; do svm-eval --metrics --compare $o heart_scale two.model <other | sed "s/ from .*/ from other/;/figure/d" |
		cmp - <(sed "/figure/d" said) || exit; done'
ok 'another seed moves the ends alone'  'svm-eval --metrics --compare other --seed 2 heart_scale two.model >moved; ! cmp -s moved said &&
	cmp <(grep McNemar moved) <(grep McNemar said) && cmp <(grep boot moved | cut -c -30) <(grep boot said | cut -c -30)'
ok 'labels and predictions alone'       'tail -n +2 other | cut -d " " -f 1,2 >bare && svm-eval --measure table --compare bare | tee bared |
	grep -E "auc +- +- +-" && cmp <(grep -v -E "auc|average_pre|from bare" bared) <(svm-eval --measure table --compare other | grep -v -E "auc|average_pre|from other")'
ok 'of probabilities and of many classes' 'svm-eval -q -b 1 --with-labels rest three.model three.b &&
	svm-eval -q --with-labels --scores rest three.model three.v && svm-eval --measure three.b --compare three.v | grep -E "log_loss +- +- +-" &&
	svm-eval -b 1 --metrics --compare three.b rest three.model | grep -E "log_loss +0 +0 +0  bootstrap"'
ok 'names of classes'                   'printf "1 ill\n-1 well\n" >names; svm-eval -q --labels names --with-labels --scores heart_scale linear.model named &&
	svm-eval --labels names --metrics --compare named heart_scale two.model | sed "s/ill/1/; s/well/-1/; s/named/other/" |
	grep bootstrap | cmp - <(grep bootstrap said)'
ok 'rows of groups have no McNemar'     'svm-eval --measure table --compare other --groups heart.groups | { ! grep McNemar; }'
fail 1 'row 100 is not in both'         'head -n 100 other >few; svm-eval --measure table --compare few'
fail 1 'row 100 is not in both'         svm-eval --measure few --compare table
fail 1 'row 3 is not in both, or has another label in wrong' \
	'awk "NR == 4 { \$1 = -\$1 } { print }" other >wrong; svm-eval --measure table --compare wrong'
fail 1 'has predictions of other classes' svm-eval --measure table --compare three.v
fail 1 'has predictions of other classes' svm-eval --measure table --compare sinc.one
fail 1 'holds rows of data'             svm-eval --measure table --compare heart_scale
fail 1 'no row has a label'             svm-eval --metrics --compare other none two.model out2
fail 1 '--compare needs'                svm-eval --compare other heart_scale two.model
fail 1 'simultaneously'                 svm-eval --metrics --compare other -W heart.w heart_scale two.model
ok 'and nothing is written'             '! [ -e out2 ]'
