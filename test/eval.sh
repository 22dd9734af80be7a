# svm-eval beyond svm-predict: measures, curves, pictures, and files of predictions.

. "$TOP/test/eval.bash"

# ---- measures ----

# values FILE: for the first word of each of its lines what report.json says: "key value..."
values()
{
	python3 -c '
import json, sys
report = json.load(open("report.json"))
for key in (line.split()[0] for line in open(sys.argv[1])):
    if key == "confusion":
        print(key, *(count for row in report[key] for count in row))
    elif key in ("precision", "recall", "f1"):
        print(key, *(one[key] for one in report["classes"]))
    else:
        print(key, report[key])' "$1"
}

# measured MODEL TEST [PROBABILITIES]: the report has what a plain computation makes of the
# predictions; all of them are kept, and listed in "kept"
measured()
{
	local n
	n=$(ls -d kept.* 2>/dev/null | wc -l)
	svm-eval -q --scores "$2" "$1" scores || return
	if [ "$3" ]; then
		svm-eval -q -b 1 --metrics --with-labels --report report.json "$2" "$1" table || return
		sed '1s/label prediction/labels/; 1s/p://g' table | awk 'NR > 1 { $1 = ""; sub(/^ /, "") } { print }' >probabilities
		# predicted by probability, which is another prediction
		cut -d ' ' -f 1 probabilities | tail -n +2 >labels
		(head -n 1 scores; tail -n +2 scores | cut -d ' ' -f 2- | paste -d ' ' labels -) >scores.b
		python3 "$TOP/test/plain_measures.py" "$2" scores.b probabilities >plain || return
	else
		svm-eval -q --metrics --report report.json "$2" "$1" || return
		python3 "$TOP/test/plain_measures.py" "$2" scores >plain || return
	fi
	values plain >ours && near plain ours 1e-5 || return
	mkdir kept.$n && cp "$2" kept.$n/test && cp ours kept.$n || return
	if [ "$3" ]; then
		cp scores.b kept.$n/scores && cp probabilities kept.$n || return
	else
		cp scores kept.$n || return
	fi
	echo "kept.$n/test kept.$n/scores kept.$n/ours ${3:+kept.$n/probabilities}" >>kept
}


randsvm-train -q -c 0.001 a1a narrow.model
randsvm-train -q -s 2 -n 0.1 heart_scale outlier.model

ok 'measures of three classes'              measured three.model rest
ok 'with probabilities'                     measured three.model rest yes
ok 'of two classes'                         measured heart.model heart_scale
ok 'of two, with probabilities'             measured heart.model heart_scale yes
ok 'the negative class first' \
	'sed -e "s/^+1/0/" -e "s/^-1/1/" heart_scale >zero; randsvm-train -q zero m && measured m zero'
ok 'a class never predicted'                'measured narrow.model a1a && grep "\"precision\":.*null" report.json'
ok 'of a regression'                        measured sinc.model sinc
ok 'labels that the model does not know' \
	'sed "5,8s/^[0-9]*/77/" rest >odd && svm-eval --metrics odd three.model >out &&
	grep "^ *other  *4  *0  *-  *0  *0" out'
ok 'those count as wrong' \
	'(cat odd; head -n 8 odd | tail -n 4 | sed "s/^77/78.5/") >odder; sed "s/^78.5/77/" odder >same;
	svm-eval --metrics odder three.model >a; svm-eval --metrics same three.model >b; same_files a b'
ok 'one class only: no AUC' \
	'grep ^+1 heart_scale >ones; svm-eval --metrics --report report.json ones heart.model >out &&
	grep -F "AUC is undefined: there are no examples of class -1" out && [ "$(value auc)" = null ]'
ok 'equal targets: no r^2' \
	'sed "s/^[^ ]*/1/" sinc >ones; svm-eval --metrics --report report.json ones sinc.model >out &&
	grep "r^2 is undefined" out && [ "$(value r2)" = null ]'
ok 'nor of targets too large to square' \
	'printf "%s\n" "1e300 1:1" "3 1:2" >far; svm-eval --metrics far sinc.model >out &&
	grep "r^2 is undefined: the squares overflow" out'
ok 'one-class' \
	'svm-eval --metrics --report report.json heart_scale outlier.model >out &&
	grep "AUC = .* (class 1 against -1)" out && is auc 0 1'
ok 'svm-predict'\''s line comes first' \
	'svm-eval --metrics a1a narrow.model >a; svm-eval a1a narrow.model >b; [ "$(head -n 1 a)" = "$(cat b)" ]'
ok 'settings and phases in the report' \
	'svm-eval -q --report report.json sinc sinc.model &&
	keys settings "probability scores with_labels comments metrics summary threshold explain reduce threads memory strict allow_nonfinite test_file model_file" &&
	keys seconds_per_phase "read predict write"'
ok 'not with -q'                            streams 0 '' '' svm-eval -q --metrics a1a narrow.model
ok 'any number of threads' \
	'for n in 1 2 7; do svm-eval --metrics --roc $n.tsv --threads $n a1a narrow.model >$n.out; done;
	same_files 1.out 2.out 7.out && same_files 1.tsv 2.tsv 7.tsv'
if command -v liblinear-train >/dev/null; then
	ok 'a model of LIBLINEAR, two classes'  'liblinear-train -q heart_scale m >/dev/null && measured m heart_scale'
	ok 'of three' \
		'liblinear-train -q three_class m >/dev/null && svm-eval --metrics three_class m |
		grep "^ *5  *80 "'
	ok 'by Crammer and Singer' \
		'liblinear-train -q -s 4 heart_scale m >/dev/null && svm-eval --metrics heart_scale m |
		grep "AUC = 0.9"'
else
	skip 'liblinear-train is not installed'
fi

python=$(python_with sklearn)
if [ -z "$python" ]; then
	skip 'scikit-learn is not installed'
else
	ok 'scikit-learn measures the same' \
		"$python -B \"$TOP/test/sklearn_measures.py\" <kept && [ \$(wc -l <kept) -ge 6 ]"
fi

# ---- curves and pictures ----

# area FILE: under the curve of a table
area() { awk 'NR > 1 { sum += ($2 - x) * ($3 + y) / 2; x = $2; y = $3 } END { printf "%.12f\n", sum }' "$1"; }

ok 'the table of a curve' \
	'svm-eval -q --metrics --report report.json --roc c.tsv heart_scale heart.model && head -n 1 c.tsv |
	grep "^threshold.false_positive_rate.true_positive_rate$" && sed -n 2p c.tsv | grep "^inf.0.0$" &&
	tail -n 1 c.tsv | grep "1.1$"'
ok 'its area is the AUC'              'area c.tsv >a; value auc >b; near a b 1e-11'
ok 'a compressed table is not asked for' \
	'svm-eval -q --roc c.tsv heart_scale heart.model && head -c 9 c.tsv | grep threshold'
fail 1 "'c.jpg' does not end in .png, .svg, .pdf, .eps or .tsv"   svm-eval --roc c.jpg heart_scale heart.model
fail 1 "'c.tsv' does not end in .png, .svg, .pdf or .eps"         svm-eval --plot c.tsv heart_scale heart.model
# of several classes: the curve of each is that of two, the class and the rest
ok '--roc and --pr of several classes' \
	'svm-eval -q --metrics --report report.json --roc c.tsv --pr p.tsv "$T/three_class" three.model &&
	python3 -c "
import json
classes = {str(c[\"label\"]): c[\"auc\"] for c in json.load(open(\"report.json\"))[\"classes\"]}
area = dict.fromkeys(classes, 0)
last = {}
for line in list(open(\"c.tsv\"))[1:]:
    name, threshold, x, y = line.split(\"\t\")
    x, y = float(x), float(y)
    if name in last:
        area[name] += (x - last[name][0]) * (y + last[name][1]) / 2
    last[name] = x, y
print(classes, area)
assert len(area) == 3 and all(abs(area[c] - classes[c]) < 1e-12 for c in area)
assert set(last.values()) == {(1, 1)}" &&
	head -n 1 p.tsv | grep "^class	threshold	precision	recall$" && [ "$(sed 1d p.tsv | cut -f 1 | uniq)" = "$(sed 1d c.tsv | cut -f 1 | uniq)" ]'
fail 1 'there are no examples of two classes'         'grep "^5 " "$T/three_class" >fives; svm-eval --roc new.tsv fives three.model'
fail 1 'the model does not have two classes'          svm-eval --threshold 0 rest three.model
fail 1 '--roc: the model does not have classes'        svm-eval --roc new.tsv sinc sinc.model
fail 1 'there are no examples of class -1' \
	'grep ^+1 heart_scale >ones; svm-eval --roc new.tsv ones heart.model'
fail 1 'are the same file' svm-eval --roc heart_scale.tsv heart_scale heart.model heart_scale.tsv
ok 'and none is left'                                 test ! -e new.tsv
ok 'nor an older one replaced' \
	'echo old | tee out c.tsv >/dev/null; svm-eval --roc c.tsv ones heart.model out; [ $? = 1 ] &&
	[ "$(cat out c.tsv)" = "$(printf "old\nold")" ]'
ok 'nor when the report fails' \
	'svm-eval -q --roc c.tsv --report /dev/full heart_scale heart.model out; [ $? = 1 ] &&
	[ "$(cat out c.tsv)" = "$(printf "old\nold")" ]'
mkdir bare
ln -s "$(command -v svm-eval)" bare/svm-eval
ok 'no gnuplot: said before any work' streams 1 '' "can't draw c.png: gnuplot is not installed" env PATH="$PWD/bare" \
	svm-eval --roc c.png no_such_file no_such_model
if command -v gnuplot >/dev/null; then
	ok 'a curve in png' \
		'svm-eval -q --roc c.png heart_scale heart.model && head -c 4 c.png | grep -a PNG'
	ok 'a curve in svg' \
		'svm-eval -q --roc c.svg heart_scale heart.model && grep "</svg>" c.svg &&
		grep "class 1 against -1" c.svg'
	ok 'the confusion matrix' \
		'svm-eval -q --plot p.svg rest three.model && grep "</svg>" p.svg && grep ">predicted<" p.svg &&
		! grep "<image" p.svg'
	ok 'predicted and true values' \
		'svm-eval -q --plot p.svg sinc sinc.model && grep "</svg>" p.svg && grep ">true value<" p.svg'
	ok 'many of them' \
		'for k in 1 2 3 4 5 6 7 8 9;
		do cat sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc; done >long;
		svm-eval -q --plot long.png long sinc.model && head -c 4 long.png | grep -a PNG'
	for locale in A=1 LC_ALL=C LC_ALL=C.UTF-8; do
		ok "no word of gnuplot, $locale" \
			"streams 0 '' '' env -u LC_ALL -u LANG $locale svm-eval -q --roc c.svg --pr p.png --plot \
			q.png heart_scale heart.model &&
			streams 0 '' '' env -u LC_ALL -u LANG $locale svm-eval -q --plot q.svg sinc sinc.model"
	done
	mkdir settings && printf 'set xrange [0.5:0.6]\nset label "mine" at 0.5, 0.5\n' | tee settings/.gnuplot >settings/gnuplotrc
	ok "not the user's settings" \
		'svm-eval -q --roc c.svg heart_scale heart.model &&
		HOME=$PWD/settings XDG_CONFIG_HOME=$PWD/settings svm-eval -q --roc settings/c.svg heart_scale \
		heart.model &&
		cmp c.svg settings/c.svg'
	ok "nor the user's terminal" \
		'GNUTERM=x11 svm-eval -q --plot q.png sinc sinc.model &&
		svm-eval -q --plot p.png sinc sinc.model && cmp p.png q.png'
	ok 'a failed gnuplot leaves none' \
		'(mkdir -p fake; printf "#!/bin/sh\nexit 3\n" >fake/gnuplot; chmod +x fake/gnuplot;
		PATH=$PWD/fake:$PATH; rm -f f.png; svm-eval -q --plot f.png rest three.model; [ $? = 1 ] &&
		[ ! -e f.png ])'
	ok 'and older files as they were' \
		'(PATH=$PWD/fake:$PATH; echo old | tee out c.tsv p.svg >/dev/null;
		svm-eval -q --roc c.tsv --plot p.svg heart_scale heart.model out; [ $? = 1 ] &&
		[ "$(cat out c.tsv p.svg)" = "$(printf "old\nold\nold")" ])'
else
	skip 'gnuplot is not installed'
fi

# ---- precision and recall, thresholds ----

# points SCORES: threshold, precision and recall at each score that a table of --pr has, by counting
points()
{
	python3 - "$1" <<-'END'
		import sys
		rows = [[float(w) for w in line.split()] for line in list(open(sys.argv[1]))[1:]]
		n = sum(r[0] == 1 for r in rows)
		print("threshold", "precision", "recall")
		for t in sorted({r[2] for r in rows}, reverse=True):
		    called = [r[0] == 1 for r in rows if r[2] >= t]
		    print(t, sum(called) / len(called), sum(called) / n)
	END
}
ok 'a curve of precision and recall' \
	'svm-eval -q --scores --with-labels --pr pr.tsv heart_scale heart.model table && points table >plain &&
	tail -n +2 plain >p && tail -n +2 pr.tsv | tr "\t" " " >q && near p q 1e-12'
fail 1 'the model does not have two classes'  svm-eval --threshold 0.2 rest three.model
# at every threshold of the table the rates that it lists; '$1': options, '$2': the model
leads_to()
{
	svm-eval -q $1 --roc roc.tsv --pr pr.tsv heart_scale $2 || return
	for k in 2 9 60 150; do
		set -- "$1" "$2" $(sed -n ${k}p pr.tsv)
		svm-eval -q $1 --threshold $3 --with-labels heart_scale $2 led &&
			awk -v p=$4 -v r=$5 'NR > 1 { n += $1 == 1; called += $2 == 1; both += $1 == 1 && $2 == 1 } END { p -= both / called; r -= both / n; exit !(p * p + r * r < 1e-20) }' led || return
		[ "$3" = "$(sed -n $((k + 1))p roc.tsv | cut -f 1)" ] || return
	done
}
ok 'thresholds of the tables: values'         leads_to '' heart.model
ok '... and probabilities, with -b 1'         leads_to '-b 1' heart.model
ok '... which are the ones predicted' \
	'[ "$(svm-eval -q -b 1 --roc r.tsv --with-labels heart_scale heart.model t; tail -n +3 r.tsv | cut -f 1 | sort)" = "$(tail -n +2 t | cut -d " " -f 3 | sort -u)" ]'
for t in 5 -0.1 1.0000001; do
	fail 1 "svm-eval: --threshold: $t is not between 0 and 1, and probabilities (-b 1) are compared with it" \
		svm-eval -b 1 --threshold $t heart_scale heart.model
done
fail 1 '--threshold: 5 is not between 0 and 1' \
	'svm-eval -q -b 1 --with-labels heart_scale heart.model t; svm-eval --measure t --threshold 5'
ok 'the ends can be had' \
	'svm-eval -b 1 --threshold 0 heart_scale heart.model | grep "(120/270)" &&
	svm-eval -b 1 --threshold 1 heart_scale heart.model | grep "(150/270)"'
fail 1 "'c.jpg' does not end in .png, .svg, .pdf, .eps or .tsv"  svm-eval --pr c.jpg heart_scale heart.model
fail 1 'there are no examples of class 1'  'grep ^-1 heart_scale >minus; svm-eval --pr new.tsv minus heart.model'
ok 'a threshold of decision values' \
	'svm-eval -q --threshold 0.5 heart_scale heart.model a && tail -n +2 table |
	awk "{ print (\$3 >= 0.5 ? 1 : -1) }" | cmp - a'
ok '... of probabilities' \
	'svm-train -q -b 1 heart_scale prob.model && svm-eval -q -b 1 --threshold 0.3 heart_scale prob.model b &&
	tail -n +2 b | awk "{ d = \$2 - 0.3; if (d * d < 1e-10) next; if (\$1 != (d > 0 ? 1 : -1)) exit 1 }"'
ok '... with -1 first in the model' \
	'(grep ^-1 heart_scale; grep ^+1 heart_scale) | sed "s/^-1/0/" >zero && svm-train -q zero zero.model &&
	svm-eval -q --scores --with-labels zero zero.model table0 &&
	svm-eval -q --threshold 0.25 zero zero.model a && head -n 1 table0 | grep "0/1$" && tail -n +2 table0 |
	awk "{ print (-\$3 >= 0.25 ? 1 : 0) }" | cmp - a'
ok 'the accuracy is that of the threshold'  'svm-eval --threshold 1e9 heart_scale heart.model | grep "55.5556%"'

# ten bins: sums and counts by hand
bins()
{
	python3 - "$1" <<-'END'
		import json, sys
		rows = [[float(w) for w in line.split()] for line in list(open(sys.argv[1]))[1:]]
		for k, b in enumerate(json.load(open("report.json"))["calibration"]):
		    inside = [r for r in rows if min(int(r[2] * 10), 9) == k]
		    assert b["rows"] == len(inside), (k, b, len(inside))
		    if inside:
		        assert abs(b["mean_probability"] - sum(r[2] for r in inside) / len(inside)) < 1e-5
		        assert abs(b["share"] - sum(r[0] == 1 for r in inside) / len(inside)) < 1e-12
	END
}
ok 'calibration in ten bins' \
	'svm-eval -q -b 1 --with-labels --metrics --report report.json heart_scale prob.model table && bins table'

# ---- files of predictions ----

# remeasured MODEL TEST OPTION...: --measure of what svm-eval writes prints what it said itself
remeasured()
{
	local model=$1 data=$2
	shift 2
	svm-eval --metrics --with-labels --scores "$@" "$data" "$model" table >said || return
	svm-eval --measure table | sed "1,2s/ (classification)//" >again
	sed "1,2s/ (classification)//" said | grep -v "^Prob\|^Model\|^z:" | diff - again
}
ok 'measures of a file: two classes'      remeasured heart.model heart_scale
ok 'measures of a file: three classes'    remeasured three.model rest
ok 'measures of a file: regression'       remeasured sinc.model sinc
ok 'measures of a file: one-class'        remeasured outlier.model heart_scale
ok 'measures of a file: probabilities'    remeasured prob.model heart_scale -b 1
ok '... of three classes'                 remeasured three.model rest -b 1
ok 'probabilities without values' \
	'svm-eval -b 1 --metrics --with-labels heart_scale prob.model table >said &&
	svm-eval --measure table >again && sed "1s/ (classification)//" said |
	cmp - <(sed "1s/ (classification)//" again) && grep "^AUC" again'
ok '... have a curve and a threshold' \
	'svm-eval -q --measure table --roc m.tsv && svm-eval -q -b 1 --roc e.tsv heart_scale prob.model &&
	cmp m.tsv e.tsv && svm-eval -q --measure table --pr m.tsv &&
	svm-eval -q -b 1 --pr e.tsv heart_scale prob.model && cmp m.tsv e.tsv &&
	svm-eval -b 1 --threshold 0.3 heart_scale prob.model | cut -d " " -f 1-4 >a &&
	svm-eval --measure table --threshold 0.3 | head -n 1 | cut -d " " -f 1-4 | cmp - a'
fail 1 '300000 classes: there can be 20000 at most' \
	'ulimit -t 20; awk "BEGIN { for (i = 0; i < 300000; i++) print i * 7919 % 300000, i }" |
	svm-eval --measure -'
fail 1 "--roc: there are no decision values or probabilities, only predictions" \
	'cut -d " " -f 1,2 table >two; svm-eval --measure two --roc m.tsv'
ok 'gzipped, from a pipe' \
	'svm-eval -q --with-labels --scores heart_scale heart.model t.gz && svm-eval --measure - <t.gz >a &&
	svm-eval --measure t.gz | cmp - a'
ok 'joined, each with its line of names' \
	'split -n l/3 table part. && svm-eval --measure table >a && for part in part.a?; do head -n 1 table;
	sed "s/$/\t/" "$part"; done | svm-eval --measure - | cmp - a'
fail 1 "joined:272: expected a number, or a name of --labels, got 'label'" \
	'svm-eval -q --with-labels heart_scale heart.model two; cat table two >joined; svm-eval --measure joined'
ok 'columns in any order, and a row' \
	'svm-eval -q --with-labels --scores heart_scale heart.model table &&
	awk "{ print (NR > 1 ? NR - 1 : \"row\"), \$3, \$2, \$1 }" table >turned && svm-eval --measure table >a &&
	svm-eval --measure turned | cmp - a'
printf '1 1 2.5\n1 -1 -0.5\n-1 -1 -3\n-1 1 0.25\n' >plain
ok 'without names' \
	'svm-eval --measure plain >out && grep "Accuracy = 50% (2/4)" out &&
	grep "AUC = 0.75, average precision = 0.833333 (class 1 against -1)" out'
ok '... and without a value' \
	'cut -d " " -f 1,2 plain >two && svm-eval --measure two >out && grep "Accuracy = 50% (2/4)" out &&
	! grep AUC out'
ok 'a threshold of a file' \
	'svm-eval --measure plain --threshold -1 | grep "75% (3/4)" && svm-eval --threshold 3 --measure plain |
	grep "50% (2/4)"'
ok 'numbers that are no classes' \
	'printf "0.5 1\n1 2\n" >r && svm-eval --measure r | grep "Mean squared error = 0.625"'
fail 1 'plain:5: 2 columns, expected 3'   'echo 1 1 >>plain; svm-eval --measure plain'
fail 1 "expected a number, or a name of --labels, got 'x'"       'printf "label prediction\n1 x\n" | svm-eval --measure -'
fail 1 "there are no columns 'label' and 'prediction'"  'printf "label 1/2\n1 1\n" | svm-eval --measure -'
fail 1 '2 columns of values and 0 of probabilities do not belong to 3 classes' \
	'printf "label prediction 1/2 1/3\n" | svm-eval --measure -'
fail 1 'do not belong to 3 classes'       'printf "label prediction 1/2 2/3 1/3\n" | svm-eval --measure -'
# not_measured TEXT LINES: a file that --measure refuses
not_measured() { printf "$2" >table.x; fail 1 "svm-eval: table.x:$1" svm-eval --measure table.x; }
not_measured "1: a second column 'label'"                   'label prediction label\n1 1 1\n'
not_measured "1: a second column '1/-1'"                    'label prediction 1/-1 1/-1\n1 1 2 2\n'
not_measured "1: a second column 'p:1'"                     'label prediction p:1 p:1\n1 1 2 2\n'
not_measured "1: columns of classes and of pairs of classes: '1'"  'label prediction 1/2 1\n1 1 2 2\n'
not_measured "1: predictions without the labels of the rows; svm-eval --with-labels writes both"  'labels 1 2\n1 .5 .5\n'
not_measured "1: unknown column 'label,prediction'; columns are separated by blanks or tabs: tr"  'label,prediction\n1,1\n'
not_measured "1: 1 column without names; expected label, prediction, and perhaps a value; columns" '1,1\n'
not_measured "3: not a probability: '1.5'"                  'label prediction p:1 p:2\n1 1 .5 .5\n1 1 1.5 -.5\n'
not_measured "3: the prediction 7 is no class of the columns"  'label prediction 1/2\n1 1 1\n2 7 -1\n'
not_measured "2: not finite (--allow-nonfinite accepts it): 'nan'"  '1 1\n1 nan\n'
not_measured "2: not finite (--allow-nonfinite accepts it): 'inf'"  '1 1\ninf 1\n'
not_measured "3: 1 column, expected 2"                      'label prediction\n1 1\n1\n'
not_measured "3: one column too many: '2'"                  'label prediction\n1 1\n1 1 2\n'
not_measured "2: expected a number, or a name of --labels, got '1x'"               '1 1\n1 1x\n'
fail 1 'svm-eval: heart_scale holds rows of data, not predictions; svm-eval --with-labels writes these' svm-eval \
	--measure heart_scale
fail 1 'svm-eval: heart.model holds a model, not predictions'  svm-eval --measure heart.model
ok 'a label of no class is one of others' \
	'printf "label prediction 1/2\n1 1 1\n9 1 -1\n" | svm-eval --measure - | grep "^ *other *1 "'
ok 'values that are nan are counted' \
	'printf "label prediction 1/2\n1 2 nan\n1 1 0.69\n2 2 nan\n2 2 nan\n1 1 .3\n" >an; svm-eval --measure an 2>err >out; cat err out
	grep -x "svm-eval: note: an: 3 of 5 rows, whose label is no class, or whose values are not all known, are left out of AUC and curves" err &&
	grep -x "AUC is undefined: there are no examples of class 2 whose value is known" out && grep "^Accuracy = 80%" out'
ok '... of several classes' \
	'printf "label prediction 1 2 3\n1 2 nan 1 1\n1 1 3 1 1\n2 2 0 2 1\n3 3 0 1 2\n" | svm-eval --measure - 2>&1 | grep -e "1 of 4 rows" -e "^AUC = 1 " | wc -l | grep -x 2'
ok 'nan as a value is one not known' \
	'printf "label prediction 1/2\n1 1 1\n2 2 -1\n2 1 nan\n" | svm-eval --measure - | grep "^AUC = 1,"'
ok '... in predictions, too' \
	'echo "1 1:nan" | cat heart_scale - >more && svm-eval --metrics heart_scale heart.model | grep ^AUC >a &&
	svm-eval --allow-nonfinite --metrics more heart.model | grep ^AUC | cmp - a'
ok '--allow-nonfinite' \
	'printf "1.5 1\n1 nan\n" | svm-eval --allow-nonfinite --measure - | grep "Mean squared error = -*nan"'
ok 'the mark of UTF-8' \
	'printf "\xef\xbb\xbflabel prediction\n1 1\n" | svm-eval --measure - | grep "(1/1)"'
ok 'classes in any order' \
	'randsvm-train -q -t 0 --multiclass ovr train ovr3 &&
	svm-eval --metrics --with-labels --scores rest ovr3 t >said &&
	awk "{ print \$1, \$2, \$5, \$3, \$4 }" t >turned && svm-eval --measure turned | tail -n +2 >a &&
	tail -n +2 said | cmp - a'
ok 'one-class: sides as classes' \
	'svm-eval -q --with-labels --scores heart_scale outlier.model t && head -n 1 t |
	grep "^label prediction 1/-1$"'
ok 'the pairs of 400 classes, with names that come again' '{ printf "label prediction"; awk "BEGIN { for (a = 0; a < 400; a++)
	for (b = a + 1; b < 400; b++) printf \" %d/%d\", a, b; print \"\" }"; } >names &&
	{ cat names; awk "BEGIN { printf \"7 7\"; for (k = 0; k < 79800; k++) printf \" 1\"; print \"\" }"; cat names; } |
	svm-eval --measure - | grep "(1/1)"'
fail 1 'no predictions'                   'svm-eval --measure - </dev/null'
ok 'comments are left out' \
	'sed "s/$/ # of 7/" heart_scale | svm-eval -q --with-labels --scores --comments - heart.model t &&
	grep -c "# of 7$" t | grep -x 270 && svm-eval -q --with-labels --scores heart_scale heart.model t2 &&
	svm-eval --measure t2 >said && svm-eval --measure t | cmp - said'
ok '... and rows without a label' \
	'(cat heart_scale; echo "1:0.5 2:1") | svm-eval -q --with-labels --scores - heart.model t && tail -n 1 t |
	grep "^nan " && svm-eval --measure t | cmp - said'
fail 1 'no predictions of rows with a label'  'printf "label prediction\nnan 1\n" | svm-eval --measure -'
for zeros in '\0\0\0\0' '1 -1\0'; do
	fail 1 'standard input: a byte 0: this is no text' "printf 'label prediction\n1 1\n$zeros\n1 -1\n' | svm-eval --measure -"
done
fail 1 'use --measure and --with-labels'  svm-eval --with-labels --measure plain

# options of the output_file without one
for option in --scores --with-labels --comments -z; do
	fail 1 "svm-eval: $option: needs an output_file ('-' is standard output); try 'svm-eval --help'" svm-eval \
		$option heart_scale heart.model
	ok "... $option, standard output" "svm-eval -q $option heart_scale heart.model - >x && [ -s x ]"
done
