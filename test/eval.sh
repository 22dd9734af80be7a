# svm-eval beyond svm-predict: measures, curves, pictures, geometry and certificates.

. "$TOP/test/helpers.bash"
need python3

for file in heart_scale a1a; do
	gzip -dc "$T/$file.gz" >$file
done
cp "$T/three_class" "$T/sinc" .
awk 'NR % 2' three_class >train
awk 'NR % 2 == 0' three_class >rest

# value KEY [FILE]: that entry of a report; report.json if not said
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))[sys.argv[1]])' "$1" "${2:-report.json}"; }

# is KEY LOW HIGH: an entry of report.json is a number in that range
is() { value "$1" | awk -v key="$1" -v low="$2" -v high="$3" '{ print key, $0; exit !($0 != "None" && $0 + 0 >= low && $0 + 0 <= high) }'; }

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

# keys KEY WORDS: an object in report.json has these keys
keys() { [ "$(python3 -c 'import json, sys; print(*json.load(open("report.json"))[sys.argv[1]])' "$1")" = "$2" ]; }

randsvm-train -q -b 1 train three.model
randsvm-train -q -b 1 heart_scale heart.model
randsvm-train -q -s 3 -c 10 sinc sinc.model
randsvm-train -q -c 0.001 a1a narrow.model
randsvm-train -q -s 2 -n 0.1 heart_scale outlier.model

ok 'measures of three classes'              measured three.model rest
ok 'with probabilities'                     measured three.model rest yes
ok 'of two classes'                         measured heart.model heart_scale
ok 'of two, with probabilities'             measured heart.model heart_scale yes
ok 'the negative class first'               'sed -e "s/^+1/0/" -e "s/^-1/1/" heart_scale >zero; randsvm-train -q zero m && measured m zero'
ok 'a class never predicted'                'measured narrow.model a1a && value classes | grep "'"'precision': None"'"'
ok 'of a regression'                        measured sinc.model sinc
ok 'labels that the model does not know'    'sed "5,8s/^[0-9]*/77/" rest >odd && svm-eval --metrics odd three.model >out && grep "^ *other  *4  *0  *-  *0  *0" out'
ok 'those count as wrong'                   '(cat odd; head -n 8 odd | tail -n 4 | sed "s/^77/78.5/") >odder; sed "s/^78.5/77/" odder >same; svm-eval --metrics odder three.model >a; svm-eval --metrics same three.model >b; same_files a b'
ok 'one class only: no AUC'                 'grep ^+1 heart_scale >ones; svm-eval --metrics --report report.json ones heart.model >out && grep -F "AUC is undefined: there are no examples of class -1" out && [ "$(value auc)" = None ]'
ok 'equal targets: no r^2'                  'sed "s/^[^ ]*/1/" sinc >ones; svm-eval --metrics --report report.json ones sinc.model >out && grep "r^2 is undefined" out && [ "$(value r2)" = None ]'
ok 'nor of targets too large to square'     'printf "%s\n" "1e300 1:1" "3 1:2" >far; svm-eval --metrics far sinc.model >out && grep "r^2 is undefined: the squares overflow" out'
ok 'one-class'                              'svm-eval --metrics --report report.json heart_scale outlier.model >out && grep "AUC = .* (class 1 against -1)" out && is auc 0 1'
ok 'svm-predict'\''s line comes first'      'svm-eval --metrics a1a narrow.model >a; svm-eval a1a narrow.model >b; [ "$(head -n 1 a)" = "$(cat b)" ]'
ok 'settings and phases in the report'      'svm-eval -q --report report.json sinc sinc.model && keys settings "probability scores with_labels comments metrics threshold threads memory strict allow_nonfinite test_file model_file" && keys seconds_per_phase "read predict write"'
ok 'not with -q'                            streams 0 '' '' svm-eval -q --metrics a1a narrow.model
ok 'any number of threads'                  'for n in 1 2 7; do svm-eval --metrics --roc $n.tsv --threads $n a1a narrow.model >$n.out; done; same_files 1.out 2.out 7.out && same_files 1.tsv 2.tsv 7.tsv'
if command -v liblinear-train >/dev/null; then
	ok 'a model of LIBLINEAR, two classes'  'liblinear-train -q heart_scale m >/dev/null && measured m heart_scale'
	ok 'of three'                           'liblinear-train -q three_class m >/dev/null && svm-eval --metrics three_class m | grep "^ *5  *80 "'
	ok 'by Crammer and Singer'              'liblinear-train -q -s 4 heart_scale m >/dev/null && svm-eval --metrics heart_scale m | grep "AUC = 0.9"'
else
	skip 'liblinear-train is not installed'
fi

python=$(python_with sklearn)
if [ -z "$python" ]; then
	skip 'scikit-learn is not installed'
else
	ok 'scikit-learn measures the same'     "$python -B \"$TOP/test/sklearn_measures.py\" <kept && [ \$(wc -l <kept) -ge 6 ]"
fi

# ---- curves and pictures ----

# area FILE: under the curve of a table
area() { awk 'NR > 1 { sum += ($2 - x) * ($3 + y) / 2; x = $2; y = $3 } END { printf "%.12f\n", sum }' "$1"; }

ok 'the table of a curve'             'svm-eval -q --metrics --report report.json --roc c.tsv heart_scale heart.model && head -n 1 c.tsv | grep "^threshold.false_positive_rate.true_positive_rate$" && sed -n 2p c.tsv | grep "^inf.0.0$" && tail -n 1 c.tsv | grep "1.1$"'
ok 'its area is the AUC'              'area c.tsv >a; value auc >b; near a b 1e-11'
ok 'a compressed table is not asked for' 'svm-eval -q --roc c.tsv heart_scale heart.model && head -c 9 c.tsv | grep threshold'
fail 1 "'c.pdf' does not end in .png, .svg or .tsv"   svm-eval --roc c.pdf heart_scale heart.model
fail 1 "'c.tsv' does not end in .png or .svg"         svm-eval --plot c.tsv heart_scale heart.model
fail 1 'the model does not have two classes'          svm-eval --roc new.tsv rest three.model
fail 1 'the model does not have two classes'          svm-eval --roc new.tsv sinc sinc.model
fail 1 'there are no examples of class -1'            'grep ^+1 heart_scale >ones; svm-eval --roc new.tsv ones heart.model'
fail 1 'are the same file'                            svm-eval --roc heart_scale.tsv heart_scale heart.model heart_scale.tsv
ok 'and none is left'                                 test ! -e new.tsv
ok 'nor an older one replaced'                        'echo old | tee out c.tsv >/dev/null; svm-eval --roc c.tsv ones heart.model out; [ $? = 1 ] && [ "$(cat out c.tsv)" = "$(printf "old\nold")" ]'
ok 'nor when the report fails'                        'svm-eval -q --roc c.tsv --report /dev/full heart_scale heart.model out; [ $? = 1 ] && [ "$(cat out c.tsv)" = "$(printf "old\nold")" ]'
mkdir bare
ln -s "$(command -v svm-eval)" bare/svm-eval
ok 'no gnuplot: said before any work' streams 1 '' "can't draw c.png: gnuplot is not installed" env PATH="$PWD/bare" svm-eval --roc c.png no_such_file no_such_model
if command -v gnuplot >/dev/null; then
	ok 'a curve in png'               'svm-eval -q --roc c.png heart_scale heart.model && head -c 4 c.png | grep -a PNG'
	ok 'a curve in svg'               'svm-eval -q --roc c.svg heart_scale heart.model && grep "</svg>" c.svg && grep "class 1 against -1" c.svg'
	ok 'the confusion matrix'         'svm-eval -q --plot p.svg rest three.model && grep "</svg>" p.svg && grep ">predicted<" p.svg'
	ok 'predicted and true values'    'svm-eval -q --plot p.svg sinc sinc.model && grep "</svg>" p.svg && grep ">true value<" p.svg'
	ok 'many of them'                 'for k in 1 2 3 4 5 6 7 8 9; do cat sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc sinc; done >long; svm-eval -q --plot long.png long sinc.model && head -c 4 long.png | grep -a PNG'
	for locale in A=1 LC_ALL=C LC_ALL=C.UTF-8; do
		ok "no word of gnuplot, $locale"  "streams 0 '' '' env -u LC_ALL -u LANG $locale svm-eval -q --roc c.svg --pr p.png --plot q.png heart_scale heart.model && streams 0 '' '' env -u LC_ALL -u LANG $locale svm-eval -q --plot q.svg sinc sinc.model"
	done
	mkdir settings && printf 'set xrange [0.5:0.6]\nset label "mine" at 0.5, 0.5\n' | tee settings/.gnuplot >settings/gnuplotrc
	ok "not the user's settings"      'svm-eval -q --roc c.svg heart_scale heart.model && HOME=$PWD/settings XDG_CONFIG_HOME=$PWD/settings svm-eval -q --roc settings/c.svg heart_scale heart.model && cmp c.svg settings/c.svg'
	ok "nor the user's terminal"      'GNUTERM=x11 svm-eval -q --plot q.png sinc sinc.model && svm-eval -q --plot p.png sinc sinc.model && cmp p.png q.png'
	ok 'a failed gnuplot leaves none' '(mkdir -p fake; printf "#!/bin/sh\nexit 3\n" >fake/gnuplot; chmod +x fake/gnuplot; PATH=$PWD/fake:$PATH; rm -f f.png; svm-eval -q --plot f.png rest three.model; [ $? = 1 ] && [ ! -e f.png ])'
	ok 'and older files as they were' '(PATH=$PWD/fake:$PATH; echo old | tee out c.tsv p.svg >/dev/null; svm-eval -q --roc c.tsv --plot p.svg heart_scale heart.model out; [ $? = 1 ] && [ "$(cat out c.tsv p.svg)" = "$(printf "old\nold\nold")" ])'
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
ok 'a curve of precision and recall'      'svm-eval -q --scores --with-labels --pr pr.tsv heart_scale heart.model table && points table >plain && tail -n +2 plain >p && tail -n +2 pr.tsv | tr "\t" " " >q && near p q 1e-12'
fail 1 'the model does not have two classes'  svm-eval --pr new.tsv rest three.model
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
ok '... which are the ones predicted'         '[ "$(svm-eval -q -b 1 --roc r.tsv --with-labels heart_scale heart.model t; tail -n +3 r.tsv | cut -f 1 | sort)" = "$(tail -n +2 t | cut -d " " -f 3 | sort -u)" ]'
for t in 5 -0.1 1.0000001; do
	fail 1 "svm-eval: --threshold: $t is not between 0 and 1, and probabilities (-b 1) are compared with it"  svm-eval -b 1 --threshold $t heart_scale heart.model
done
fail 1 '--threshold: 5 is not between 0 and 1'  'svm-eval -q -b 1 --with-labels heart_scale heart.model t; svm-eval --measure t --threshold 5'
ok 'the ends can be had'                      'svm-eval -b 1 --threshold 0 heart_scale heart.model | grep "(120/270)" && svm-eval -b 1 --threshold 1 heart_scale heart.model | grep "(150/270)"'
fail 1 "'c.pdf' does not end in .png, .svg or .tsv"  svm-eval --pr c.pdf heart_scale heart.model
fail 1 'there are no examples of class 1'  'grep ^-1 heart_scale >minus; svm-eval --pr new.tsv minus heart.model'
ok 'a threshold of decision values'       'svm-eval -q --threshold 0.5 heart_scale heart.model a && tail -n +2 table | awk "{ print (\$3 >= 0.5 ? 1 : -1) }" | cmp - a'
ok '... of probabilities'                 'svm-train -q -b 1 heart_scale prob.model && svm-eval -q -b 1 --threshold 0.3 heart_scale prob.model b && tail -n +2 b | awk "{ d = \$2 - 0.3; if (d * d < 1e-10) next; if (\$1 != (d > 0 ? 1 : -1)) exit 1 }"'
ok '... with -1 first in the model'       '(grep ^-1 heart_scale; grep ^+1 heart_scale) | sed "s/^-1/0/" >zero && svm-train -q zero zero.model && svm-eval -q --scores --with-labels zero zero.model table0 && svm-eval -q --threshold 0.25 zero zero.model a && head -n 1 table0 | grep "0/1$" && tail -n +2 table0 | awk "{ print (-\$3 >= 0.25 ? 1 : 0) }" | cmp - a'
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
ok 'calibration in ten bins'              'svm-eval -q -b 1 --with-labels --metrics --report report.json heart_scale prob.model table && bins table'

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
ok 'probabilities without values'         'svm-eval -b 1 --metrics --with-labels heart_scale prob.model table >said && svm-eval --measure table >again && sed "1s/ (classification)//" said | cmp - <(sed "1s/ (classification)//" again) && grep "^AUC" again'
ok '... have a curve and a threshold'     'svm-eval -q --measure table --roc m.tsv && svm-eval -q -b 1 --roc e.tsv heart_scale prob.model && cmp m.tsv e.tsv && svm-eval -q --measure table --pr m.tsv && svm-eval -q -b 1 --pr e.tsv heart_scale prob.model && cmp m.tsv e.tsv && svm-eval -b 1 --threshold 0.3 heart_scale prob.model | cut -d " " -f 1-4 >a && svm-eval --measure table --threshold 0.3 | head -n 1 | cut -d " " -f 1-4 | cmp - a'
fail 1 '300000 classes: there can be 20000 at most'  'ulimit -t 20; awk "BEGIN { for (i = 0; i < 300000; i++) print i * 7919 % 300000, i }" | svm-eval --measure -'
fail 1 "--roc: there are no decision values or probabilities, only predictions"  'cut -d " " -f 1,2 table >two; svm-eval --measure two --roc m.tsv'
ok 'gzipped, from a pipe'                 'svm-eval -q --with-labels --scores heart_scale heart.model t.gz && svm-eval --measure - <t.gz >a && svm-eval --measure t.gz | cmp - a'
ok 'joined, each with its line of names'   'split -n l/3 table part. && svm-eval --measure table >a && for part in part.a?; do head -n 1 table; sed "s/$/\t/" "$part"; done | svm-eval --measure - | cmp - a'
fail 1 "joined:272: expected a number, got 'label'"  'svm-eval -q --with-labels heart_scale heart.model two; cat table two >joined; svm-eval --measure joined'
ok 'columns in any order, and a row'      'svm-eval -q --with-labels --scores heart_scale heart.model table && awk "{ print (NR > 1 ? NR - 1 : \"row\"), \$3, \$2, \$1 }" table >turned && svm-eval --measure table >a && svm-eval --measure turned | cmp - a'
printf '1 1 2.5\n1 -1 -0.5\n-1 -1 -3\n-1 1 0.25\n' >plain
ok 'without names'                        'svm-eval --measure plain >out && grep "Accuracy = 50% (2/4)" out && grep "AUC = 0.75, average precision = 0.833333 (class 1 against -1)" out'
ok '... and without a value'              'cut -d " " -f 1,2 plain >two && svm-eval --measure two >out && grep "Accuracy = 50% (2/4)" out && ! grep AUC out'
ok 'a threshold of a file'                'svm-eval --measure plain --threshold -1 | grep "75% (3/4)" && svm-eval --threshold 3 --measure plain | grep "50% (2/4)"'
ok 'numbers that are no classes'          'printf "0.5 1\n1 2\n" >r && svm-eval --measure r | grep "Mean squared error = 0.625"'
fail 1 'plain:5: 2 columns, expected 3'   'echo 1 1 >>plain; svm-eval --measure plain'
fail 1 "expected a number, got 'x'"       'printf "label prediction\n1 x\n" | svm-eval --measure -'
fail 1 "there are no columns 'label' and 'prediction'"  'printf "label 1/2\n1 1\n" | svm-eval --measure -'
fail 1 '2 columns of values and 0 of probabilities do not belong to 3 classes'  'printf "label prediction 1/2 1/3\n" | svm-eval --measure -'
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
not_measured "2: expected a number, got '1x'"               '1 1\n1 1x\n'
fail 1 'svm-eval: heart_scale holds rows of data, not predictions; svm-eval --with-labels writes these'  svm-eval --measure heart_scale
fail 1 'svm-eval: heart.model holds a model, not predictions'  svm-eval --measure heart.model
ok 'a label of no class is one of others'  'printf "label prediction 1/2\n1 1 1\n9 1 -1\n" | svm-eval --measure - | grep "^ *other *1 "'
ok 'nan as a value is one not known'      'printf "label prediction 1/2\n1 1 1\n2 2 -1\n2 1 nan\n" | svm-eval --measure - | grep "^AUC = 1,"'
ok '... in predictions, too'              'echo "1 1:nan" | cat heart_scale - >more && svm-eval --metrics heart_scale heart.model | grep ^AUC >a && svm-eval --allow-nonfinite --metrics more heart.model | grep ^AUC | cmp - a'
ok '--allow-nonfinite'                    'printf "1.5 1\n1 nan\n" | svm-eval --allow-nonfinite --measure - | grep "Mean squared error = -*nan"'
ok 'the mark of UTF-8'                    'printf "\xef\xbb\xbflabel prediction\n1 1\n" | svm-eval --measure - | grep "(1/1)"'
ok 'classes in any order'                 'randsvm-train -q -t 0 --multiclass ovr train ovr3 && svm-eval --metrics --with-labels --scores rest ovr3 t >said && awk "{ print \$1, \$2, \$5, \$3, \$4 }" t >turned && svm-eval --measure turned | tail -n +2 >a && tail -n +2 said | cmp - a'
ok 'one-class: sides as classes'          'svm-eval -q --with-labels --scores heart_scale outlier.model t && head -n 1 t | grep "^label prediction 1/-1$"'
fail 1 'no predictions'                   'svm-eval --measure - </dev/null'
ok 'comments are left out'                'sed "s/$/ # of 7/" heart_scale | svm-eval -q --with-labels --scores --comments - heart.model t && grep -c "# of 7$" t | grep -x 270 && svm-eval -q --with-labels --scores heart_scale heart.model t2 && svm-eval --measure t2 >said && svm-eval --measure t | cmp - said'
ok '... and rows without a label'         '(cat heart_scale; echo "1:0.5 2:1") | svm-eval -q --with-labels --scores - heart.model t && tail -n 1 t | grep "^nan " && svm-eval --measure t | cmp - said'
fail 1 'no predictions of rows with a label'  'printf "label prediction\nnan 1\n" | svm-eval --measure -'
fail 1 'use --measure and --with-labels'  svm-eval --with-labels --measure plain

# options of the output_file without one
for option in --scores --with-labels --comments -z; do
	fail 1 "svm-eval: $option: needs an output_file ('-' is standard output); try 'svm-eval --help'"  svm-eval $option heart_scale heart.model
	ok "... $option, standard output" "svm-eval -q $option heart_scale heart.model - >x && [ -s x ]"
done

# ---- weights ----

# weighed DATA MODEL: decision values by --weights are those of --scores
weighed()
{
	svm-eval --weights "$2" >weights && svm-eval -q --scores --with-labels "$1" "$2" table || return
	python3 - "$1" <<-'END'
		import sys
		lines = [line.split() for line in open("weights")]
		w = {l[0]: [float(x) for x in l[1:]] for l in lines[1:]}
		table = [line.split() for line in open("table")]
		assert lines[0][0] == "#index" and lines[0][1:] == table[0][2:], lines[0]
		for line, row in zip((l for l in open(sys.argv[1])), table[1:]):
		    f = list(w["constant"])
		    for word in line.split()[1:]:
		        j, v = word.split(":")
		        f = [a + float(v) * b for a, b in zip(f, w.get(j, [0] * len(f)))]
		    for a, b in zip(f, row[2:]):
		        assert abs(a - float(b)) < 1e-6 * max(1, abs(a)), (a, b)
	END
}
ok 'weights of two classes'               'randsvm-train -q -t 0 heart_scale lin && weighed heart_scale lin'
ok 'weights of three'                     'randsvm-train -q -t 0 three_class lin3 && weighed three_class lin3'
ok 'weights of a compact model'           'randsvm-train -q -t 0 --compact three_class c3 && weighed three_class c3'
ok 'weights of a regression'              'randsvm-train -q -s 3 -t 0 sinc lins && weighed sinc lins'
ok 'weights of one against the rest'      'randsvm-train -q -t 0 --multiclass ovr three_class ovr3 && weighed three_class ovr3'
ok "weights of LIBLINEAR's"               'randsvm-train -q -t 0 --model-format liblinear heart_scale ll && weighed heart_scale ll'
ok 'the largest first'                    'svm-eval --weights --top 4 lin | sed 1d | sed \$d | awk "{ x = \$2 < 0 ? -\$2 : \$2; if (NR > 1 && x > last) exit 1; last = x } END { exit NR != 4 }"'
ok 'with names'                           'seq -f "gene %g" 13 >names && svm-eval --weights --names names lin | grep "^5 gene 5 "'
fail 1 'svm-eval: --names: few has 3 names for 13 features'  'head -n 3 names >few; svm-eval --weights --names few lin'
fail 1 "the model's kernel is not linear"  svm-eval --weights heart.model
fail 1 'one file name too many'           svm-eval --weights lin lin
ok 'names of features from 0'             'awk "{ for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); \$i = (a[1] - 1) \":\" a[2] } print }" heart_scale >zero && randsvm-train -q -t 0 zero zlin && seq -f "gene %g" 0 12 >zn && svm-eval --weights --names zn zlin 2>err | tail -n +2 | awk "\$1 != \"constant\" && \$3 != \$1 { exit 1 }" && grep -x "svm-eval: note: --names: the model counts features from 0: line 1 of zn names feature 0" err'
ok '... and -q'                           'streams 0 "gene 12" "" svm-eval -q --weights --names zn zlin'
ok 'names with a header line'             '(echo name; cat names) >fourteen; svm-eval --weights --names fourteen lin 2>&1 >out | grep -x "svm-eval: note: --names: fourteen has 14 names, and the highest feature is 13: line 1, .name., names feature 1"'
ok 'a model of LIBLINEAR knows its number of features' 'svm-eval --weights --names fourteen ll 2>&1 >out | grep "highest feature is 13: line 1"'
fail 1 'few has 11 names for 13 features, which count from 0'  'head -n 11 names >few; svm-eval --weights --names few zlin'
ok 'a feature 0 without a name'            'head -n 12 names >few; svm-eval --weights --names few zlin >out 2>err; cat out err; grep "line 1 of few names feature 1, and feature 0 has no name" err && grep "^1 $(head -n 1 few) " out'
ok 'quotes around names'                  'sed "s/.*/\"&\"/" names >quoted && svm-eval --weights --names quoted lin 2>&1 | diff - <(svm-eval --weights --names names lin)'
ok 'more names, and a feature 0'          '(cat zn; echo more) >more; svm-eval --weights --names more zlin 2>&1 >out | grep -x "svm-eval: note: --names: more has 14 names, and the highest feature is 12: line 1, .gene 0., names feature 0"'
fail 1 '--top needs --weights'            svm-eval --top 3 heart_scale lin

# ---- geometry ----

# margin_is MODEL: what --geometry says of it is the margin by definition
margin_is()
{
	svm-eval -q --report report.json --geometry three_class "$1" && value margin >a &&
		python3 "$TOP/test/plain_margin.py" "$1" >b && near a b 1e-9
}

randsvm-train -q -t 0 heart_scale linear.model
randsvm-train -q -t 0 three_class linear3.model
printf '%s\n' '1 1:3' '-1 5:4' '1 1:3 # again' >two

ok 'two points'                          'svm-eval --report report.json --geometry two >out && grep "^rank = 2$" out && grep "^radius = 2.5 (proved: 2.5 to 2.5)" out && [ "$(value radius_upper)" = 2.5 ] && [ "$(value rank)" = 2 ]'
ok 'the bound'                           'svm-eval -q --report report.json --ball-tol 1e-7 --geometry heart_scale && python3 -c "import json; r = json.load(open(\"report.json\")); assert 0 < r[\"radius\"] <= r[\"radius_upper\"] <= r[\"radius\"] * (1 + 1e-7)"'
ok 'settings and phases'                 'keys settings "probability scores with_labels comments metrics threshold geometry ball_tol p threads memory strict allow_nonfinite" && keys seconds_per_phase "read measure"'
ok 'no model, no margin'                 '! grep margin report.json'
ok 'margin, linear'                      margin_is linear.model
ok 'of three classes'                    margin_is linear3.model
ok 'RBF'                                 margin_is heart.model
ok 'of three classes, RBF'               margin_is three.model
ok 'of a regression'                     margin_is sinc.model
ok 'radius^2 over margin^2'              'svm-eval -q --report report.json --geometry heart_scale linear.model && python3 -c "import json; r = json.load(open(\"report.json\")); assert abs(r[\"radius2_over_margin2\"] / (r[\"radius_upper\"] / r[\"margin\"]) ** 2 - 1) < 1e-12"'
ok 'for other kernels there is none'     'svm-eval --report report.json --geometry heart_scale heart.model | grep "not for this kernel" && [ "$(value radius2_over_margin2)" = None ]'

# by hand: w = 1, radius 1, n = 2; k = 8 / .5^2 (1 + 2 / 2)^2 ln 80, 2 (2 / .05)^2 ln 80, 800 ln(8 / .9)
printf '%s\n' '1 1:1' '-1 1:-1' >pair
printf '%s\n' '1.1 1:1' '-1.1 1:-1' >slope
ok 'sizes by hand'                       'randsvm-train -q -t 0 -c 10 pair m; svm-eval --report report.json --geometry pair m >out && grep "^k by the theorem = 561 (keeps 0.5 " out && grep "^k of RandSVM = 1748 " out && grep "^core set for the margin = 2 " out && grep "^support vectors = 2$" out && grep "^core set of the ball = 2 rows$" out && [ "$(value theorem_k) $(value paper_k) $(value n_sv) $(value ball_core_set)" = "561 1748 2 2" ]'
ok '... of a regression'                 'randsvm-train -q -s 3 -t 0 -c 10 slope m; svm-eval --report report.json --geometry slope m | grep "^k by the theorem = 14023 (keeps the tube to 1.5 of p " && [ "$(value margin_core_set)" = None ] && svm-eval --geometry slope -p 0.2 m | grep "^k by the theorem = 3506 "'
ok '... of no tube'                      'svm-eval --report report.json --geometry slope -p 0 m >out && ! grep -E "theorem|inf" out && grep "^k of RandSVM" out && [ "$(value theorem_k)" = None ]'
ok '... of nu-SVR, which does not tell'  'randsvm-train -q -s 4 -n .5 -t 0 -c 10 slope m; svm-eval --geometry slope m >out && ! grep theorem out && svm-eval --geometry slope -p 0.2 m | grep "^k by the theorem = "'
ok '-p of no regression is noted'        'streams 0 "k by the theorem" "note: -p has no effect: linear.model is no regression" svm-eval --geometry heart_scale -p 0.2 linear.model'
ok '... in the space of the kernel'      'svm-eval -q --report report.json --geometry heart_scale heart.model && python3 -c "import json, math; r = json.load(open(\"report.json\")); l = r[\"margin\"]; assert r[\"theorem_k\"] == math.ceil(32 * (1 + 1 / l) ** 2 * math.log(2700 * 4)) and r[\"margin_core_set\"] == math.ceil(2 / l ** 2)"'
ok '... of weights, without vectors'     'randsvm-train -q -t 0 -c 10 --model-format liblinear pair m; svm-eval --geometry pair m >out && grep "^k by the theorem = 561 " out && ! grep "^support" out'
ok '... not of one class'                'randsvm-train -q -s 2 heart_scale m; svm-eval --geometry heart_scale m >out && ! grep "theorem" out'
ok 'features that the model has not'     'cut -d " " -f 1-4 heart_scale >small && randsvm-train -q -t 0 small m && streams 0 "radius = " "above it: was the map or the selection applied?" svm-eval --geometry heart_scale m && streams 0 "" "" svm-eval -q --geometry heart_scale m && streams 0 "radius = " "" svm-eval --geometry small m'
ok 'any number of threads'               'for n in 1 2 5; do svm-eval --threads $n --geometry heart_scale heart.model >$n.out; done; same_files 1.out 2.out 5.out'
ok 'from a pipe'                         'gzip -c heart_scale | svm-eval --geometry - linear.model | grep "^rank = 13$"'
ok 'many rows and features'              'svm-gen separable -n 1500 -d 1200 >wide; svm-eval --report report.json --geometry wide | grep "^rank >= 1000 (estimated" && [ "$(value rank_is_lower_bound)" = True ]'
ok 'few dimensions among them'           'awk "{ printf \"%s\", \$1; for (j = 1; j <= 1100; j++) printf \" %d:%.9g\", j, (j * NR) % 7 + (j * j * NR) % 3; print \"\" }" wide >flat; svm-eval --report report.json --geometry flat && is rank 1 30'
ok 'a reduction that is none'            'svm-eval -q --report report.json --geometry heart_scale --reference heart_scale linear.model linear.model && is epsilon_measured 0 1e-12 && is radius2_ratio 1 1 && is margin2_ratio 1 1'
ok 'features multiplied by 2'            'awk -v CONVFMT=%.17g "{ for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); \$i = p[1] \":\" 2 * p[2] } print }" heart_scale >twice; svm-eval -q --report report.json --geometry twice --reference heart_scale && is epsilon_measured 2.9999999 3.0000001 && is radius2_ratio 3.999 4.001'
ok 'a projection keeps its bounds'       'rp-project -k 600 heart_scale heart.p; svm-eval -q --report report.json --ball-tol 1e-6 --geometry heart.p --reference heart_scale && python3 -c "import json; r = json.load(open(\"report.json\")); e = 1e-5; assert r[\"lambda_min\"] - e <= r[\"radius2_ratio\"] <= r[\"lambda_max\"] + e, r"'
fail 1 'svm-eval: --reference: heart_scale has 270 rows, and part has 100; they must be the same rows' 'head -n 100 heart_scale >part; svm-eval --geometry part --reference heart_scale'
fail 1 'use --geometry and --metrics'    svm-eval --metrics --geometry heart_scale linear.model
# of a multiplier of 1e-3 at C = 1e6 nothing is lost
awk 'BEGIN { for (i = 0; i < 400; i++) { x = i * 37 % 101 / 16 - 3; y = i * 53 % 103 / 17 - 3; print (i % 2 ? 1 : -1), "1:" x, "2:" y, "3:" sin(2 * x) + cos(3 * y) / 3 + (i % 2 ? 1 : -1) * (.02 + i * 29 % 97 / 48) } }' >apart
ok 'small multipliers at a large C'         'randsvm-train -t 2 -g 10 -c 1e6 apart m >out && svm-eval --certify apart -c 1e6 m >out2 && diff <(grep -o "^primal.*relative gap" out) <(grep -o "^primal.*relative gap" out2)'
fail 1 '--reference needs --geometry'    svm-eval --reference heart_scale heart_scale linear.model
fail 1 '--reference needs --geometry'    svm-eval --certify heart_scale --reference heart_scale linear.model
fail 1 '--ball-tol needs --geometry'     svm-eval --ball-tol 0.1 heart_scale linear.model
fail 1 '-n needs --certify'              svm-eval -n 0.5 heart_scale linear.model
fail 1 '-n: 1.5 is not between'           svm-eval --certify heart_scale -n 1.5 linear.model
fail 1 '-c needs --certify'              svm-eval -c 5 heart_scale linear.model
fail 1 '-wi needs --certify'             svm-eval -w1 5 --geometry heart_scale linear.model
fail 1 "too many: 'extra'"               svm-eval --geometry heart_scale --reference heart_scale linear.model linear.model extra
ok 'strict: extra names as in svm-predict'       svm-eval -q --strict heart_scale linear.model out extra
fail 1 'needs --reference'               svm-eval --geometry heart_scale linear.model linear.model
fail 1 "can't open input file nofile"    svm-eval --geometry nofile
fail 1 'only one file can come'           svm-eval --geometry - --reference -
fail 1 'are the same file'               svm-eval --report heart_scale --geometry heart_scale
fail 1 'weight < 0'                      svm-eval --certify heart_scale -w1 -1 heart.model
ok 'a precomputed kernel'                'printf "%s\n" "1 0:1 1:2 2:0" "-1 0:2 1:0 2:2" >k; randsvm-train -q -t 4 k k.model; streams 1 "" "does not hold the kernel values" svm-eval --geometry k k.model'

# ---- certificates ----

# certified GAP VIOLATION OPTION...: the certificate in report.json is as good as that
certified()
{
	local gap=$1 violation=$2
	shift 2
	svm-eval --report report.json --certify "$@" && is relative_gap -1e-9 "$gap" &&
		is kkt_violation 0 "$violation" && [ "$(value feasible)" = True ]
}

# like_svm_train DATA OPTION...: svm-train's model has the dual it prints, within the primal; the
# numbers of support vectors too
like_svm_train()
{
	local data=$1
	shift
	svm-train "$@" "$data" m >out && certified 1e-3 1e-3 "$data" $(echo "$@" | sed 's/-[tgdrs] [^ ]*//g') m || return
	sed -n 's/^obj = \([^,]*\),.*/\1/p' out | awk -v OFMT=%.12g '{ sum -= $1 } END { print "objective", sum }' >a
	echo "objective $(value dual)" >b
	near a b 1e-6 && [ "$(sed -n 's/^nSV = \([0-9]*\), nBSV = \([0-9]*\)$/\1 \2/p' out | awk '{ a += $1; b += $2 } END { print a, b }')" = "$(value n_sv) $(value n_bsv)" ]
}

# like_ours DATA OPTION...: randsvm-train prints the same certificate of its own model
like_ours()
{
	local data=$1
	shift
	randsvm-train "$@" "$data" m >out && certified 1e-2 2e-3 "$data" $(echo "$@" | sed 's/-[tgdrs] [^ ]*//g') m || return
	grep -o '^primal = [^,]*, dual = [^,]*' out | tr -d , | awk -v OFMT=%.12g '{ p += $3; d += $6 } END { print "primal", p, "dual", d }' >a
	echo "primal $(value primal) dual $(value dual)" >b
	near a b 1e-5
}

if command -v svm-train >/dev/null; then
	ok 'svm-train, linear'                    like_svm_train heart_scale -t 0
	ok 'RBF'                                  like_svm_train heart_scale -c 5 -g 0.2
	ok 'polynomial'                           like_svm_train heart_scale -t 1 -r 1 -c 2
	ok 'weights'                              like_svm_train a1a -w1 3 -w-1 0.5
	ok 'regression'                           like_svm_train sinc -s 3 -c 10 -p 0.05
	ok 'regression, linear'                   like_svm_train sinc -s 3 -t 0 -p 0.2
	ok 'equal rows'                           'cat heart_scale heart_scale >again; like_svm_train again -c 3'
	ok 'equal rows, other targets'            'awk "{ print; \$1 = \$1 + 0.3; print; \$1 = \$1 - 0.7; print }" sinc >again; like_svm_train again -s 3 -c 2'
	ok 'three classes'                        like_svm_train three_class -c 10 -w2 0.5
	ok 'a precomputed kernel'                 'awk "{ y[NR] = \$1; for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); x[NR, p[1]] = p[2] } } END { for (i = 1; i <= NR; i++) { printf \"%s 0:%d\", y[i], i; for (j = 1; j <= NR; j++) { s = 0; for (c = 1; c <= 13; c++) s += x[i, c] * x[j, c]; printf \" %d:%.17g\", j, s } print \"\" } }" heart_scale >k && like_svm_train k -t 4'
	ok 'one-class'                            'for n in 0.5 0.125 0.015625 0.75; do like_svm_train heart_scale -s 2 -n $n || exit; done'
	ok 'one-class, other kernels'             'for t in 0 1; do like_svm_train heart_scale -s 2 -t $t -n 0.25 || exit; done'
	ok 'nu-SVC'                               'for n in 0.5 0.75; do like_svm_train heart_scale -s 1 -n $n || exit; done'
	ok 'nu-SVC, linear'                       like_svm_train heart_scale -s 1 -n 0.5 -t 0
	ok 'nu-SVC, three classes'                like_svm_train three_class -s 1 -n 0.5
	ok 'nu-SVR'                               'for n in 0.5 0.25 1; do like_svm_train sinc -s 4 -n $n -c 2 || exit; done'
	ok 'nu-SVR, linear'                       like_svm_train sinc -s 4 -n 0.25 -t 0
	ok 'one-class, equal rows'                'cat heart_scale heart_scale >again; like_svm_train again -s 2 -n 0.25'
	# other_nu TEXT DATA OPTIONS -- OPTIONS: trained with the first, certified with the second
	other_nu()
	{
		local text=$1 data=$2 options=()
		shift 2
		while [ "$1" != -- ]; do
			options+=("$1")
			shift
		done
		shift
		svm-train -q "${options[@]}" "$data" m && svm-eval --certify "$data" "$@" m >out 2>err
		echo "exit status $?" >>out
		cat out err
		grep -F -e "$text" err
	}
	ok 'one-class, another nu'                'other_nu "coefficients are those of -n 0.25, not -n 0.5" heart_scale -s 2 -n 0.25 -- && grep "dual unknown" out && grep "status 1" out'
	ok 'one-class, a smaller nu'              'other_nu "coefficients are those of -n 0.25, not -n 0.125" heart_scale -s 2 -n 0.25 -- -n 0.125 && grep "status 1" out'
	ok 'one-class, fewer rows'                'head -n 135 heart_scale >half; svm-train -q -s 2 -n 0.25 half m; streams 1 "dual unknown" "coefficients are those of -n 0.125, not -n 0.25" svm-eval --certify heart_scale -n 0.25 m'
	ok 'nu-SVC, another nu'                   'other_nu "coefficients are those of -n 0.5, not -n 0.75" heart_scale -s 1 -n 0.5 -- -n 0.75 && grep "status 1" out'
	ok 'nu-SVC, a smaller nu'                 'other_nu "coefficients are those of -n 0.5, not -n 0.375" heart_scale -s 1 -n 0.5 -- -n 0.375 && grep "status 0" out'
	ok 'nu-SVR, another nu'                   'other_nu "coefficients are those of -n 0.5, not -n 0.25" sinc -s 4 -c 2 -- -c 2 -n 0.25 && grep "status 1" out'
	ok 'nu-SVR, a larger nu'                  'other_nu "coefficients are those of -n 0.5, not -n 0.75" sinc -s 4 -c 2 -- -c 2 -n 0.75 && grep "not the optimum for these -n, -c" err && grep "status 0" out'
	ok 'nu-SVR, another C'                    'other_nu "was it trained with -c 2?" sinc -s 4 -c 2 -- -c 4'
	ok 'nu-SVR, a smaller C'                  'other_nu "it is 2 times C" sinc -s 4 -c 2 -- -c 1 && grep "status 1" out'
	ok 'an infeasible nu'                     'svm-train -q -s 1 heart_scale m; streams 1 "" "specified nu is infeasible" svm-eval --certify heart_scale -n 1 m'
	ok 'other rows than those of training'    'svm-train -q -s 2 heart_scale m; head -n 200 heart_scale >part; streams 1 "dual unknown" "support vectors are not among the examples" svm-eval --certify part m'
	# the same in other words
	ok 'rows more exact than the model'       'awk "{ for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); \$i = p[1] \":\" sprintf(\"%.15g\", p[2] / 3) } print }" heart_scale >thirds; like_svm_train thirds -c 2'
	ok 'a looser tolerance shows'             'svm-train -q -e 0.5 -c 10 heart_scale m; svm-eval -q --report report.json --certify heart_scale -c 10 m && is kkt_violation 0.01 0.5 && is relative_gap 1e-6 1 && is violators 1 270'
else
	skip 'svm-train is not installed'
fi
ok 'ours, linear'                             like_ours a1a -t 0
ok 'settings and phases'                      'svm-eval -q --report report.json --certify a1a -w1 1 m; keys settings "probability scores with_labels comments metrics threshold certify C nu p eps weights weights_auto loss threads memory strict allow_nonfinite model_file" && keys seconds_per_phase "read certify"'
ok 'ours, RBF'                                like_ours a1a -c 2
ok 'a kernel that is not definite'            'randsvm-train -q -t 3 -g 0.01 a1a m && svm-eval --certify a1a m 2>&1 | grep "note: with this kernel there may be several optima" && randsvm-train -q -t 1 -r 1 -g 0.01 a1a m && svm-eval --certify a1a m 2>&1 >out | grep optima && exit 1; true'
ok 'ours, regression'                         like_ours sinc -s 3 -c 10
ok 'ours, three classes'                      like_ours three_class -c 3
ok 'ours, one-class'                          like_ours heart_scale -s 2 -n 0.1
ok 'ours, nu-SVC'                             'like_ours heart_scale -s 1 -n 0.5 && like_ours three_class -s 1 -n 0.3'
ok 'ours, nu-SVR'                             like_ours sinc -s 4 -n 0.3 -c 3
ok 'one-class, compact: near the primal'      'randsvm-train -q -s 2 -t 0 -n 0.25 heart_scale m && svm-eval --certify heart_scale -n 0.25 m | sed "s/, dual.*//" >a && randsvm-train -q -s 2 -t 0 -n 0.25 --compact heart_scale m && svm-eval --certify heart_scale -n 0.25 m 2>err | sed "s/, dual unknown//" >b && near a b 1e-6 && grep "weights, not multipliers" err'
ok 'any number of threads'                    'randsvm-train -q -c 3 three_class m; for n in 1 2 5; do svm-eval --threads $n --certify three_class -c 3 m >$n.out; done; same_files 1.out 2.out 5.out'
ok 'the training set from a pipe'             'gzip -c three_class | svm-eval --certify - -c 3 m >out; same_files 1.out out'
ok 'in another order'                         'sort -r three_class >turned; svm-eval -q --report report.json --certify turned -c 3 m && is relative_gap 0 1e-3'
for program in 'randsvm-train -q -t 0' 'liblinear-train -q -s 2'; do
	command -v "${program%% *}" >/dev/null || continue
	ok 'from any kind of file: the same'  "svm-gen separable -n 3000 -d 20 >long; head -n 300 long >short; $program short m; for n in 1 3; do svm-eval --threads \$n --certify long m >file.\$n 2>&1; svm-eval --threads \$n --certify - m <long >input.\$n 2>&1; gzip -c long | svm-eval --threads \$n --certify /dev/stdin m >pipe.\$n 2>&1; done; same_files file.1 file.3 input.1 input.3 pipe.1 pipe.3"
done
fail 1 'long:7:1: '                           'sed "7s/^/x/" long >bad; mv bad long; svm-eval --certify long m'
fail 1 'no examples'                          'svm-eval --certify /dev/null m'
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers take more memory'
else
	# peak DATA: of a certificate of m, in bytes
	peak() { svm-eval -q --threads 1 --report report.json --certify "$1" m 2>/dev/null && value peak_memory_bytes; }
	ok 'the rows are not kept'            'svm-gen separable -n 20000 -d 100 >long && head -n 3000 long >short && head -n 1000 long | randsvm-train -q -t 0 -c 0.01 - m && a=$(peak short) && b=$(peak long) && echo "$a $b" && [ $((b - a)) -lt 8000000 ]'
fi

randsvm-train -q -c 3 heart_scale m
ok 'C less than it was'         streams 1 'dual unknown' 'a coefficient exceeds its bound' svm-eval --certify heart_scale -c 1 m
ok 'more than it was'           streams 0 'relative gap = 0.' 'was it trained with -c 3?' svm-eval --certify heart_scale -c 30 m
ok 'another weight'             streams 1 'dual unknown' 'a coefficient exceeds its bound' svm-eval --certify heart_scale -c 3 -w1 0.5 m
ok 'another training set'       streams 1 'dual unknown' 'support vectors are not among the examples' svm-eval --certify a1a -c 3 m
ok 'a part of it'               'head -n 200 heart_scale >part; svm-eval --report report.json --certify part -c 3 m; [ $? = 1 ] && is missing_sv 1 100 && is primal 1 1000 && [ "$(value dual)" = None ]'
ok 'labels the other way round' 'awk "{ \$1 = -\$1; print }" heart_scale >turned; streams 1 "dual unknown" "not among the examples of their class" svm-eval --certify turned -c 3 m'
ok 'a coefficient changed'      'awk "body && !done { \$1 = \$1 / 2; done = 1 } /^SV/ { body = 1 } { print }" m >m2; streams 1 "dual unknown" "do not sum to 0" svm-eval --certify heart_scale -c 3 m2'
ok 'a folded model'             'rp-project -q -k 10 -s map heart_scale p && randsvm-train -q -t 0 p pm && rp-project -r map --fold pm folded && streams 0 "dual unknown" "weights, not multipliers" svm-eval --certify heart_scale folded'
# doubted TEXT DATA OPTION...: nothing is infeasible, but it is no optimum, which is said with this text
doubted()
{
	local text=$1
	shift
	streams 0 'relative gap' "$text" svm-eval --report report.json --certify "$@" &&
		[ "$(value optimal)$(value feasible)" = FalseTrue ]
}
# trusted DATA OPTION...: the optimum, and no word on standard error
trusted() { streams 0 'relative gap' '' svm-eval --report report.json --certify "$@" && [ "$(value optimal)" = True ]; }

randsvm-train -q -s 3 -p 0.1 sinc p.m
head -n 240 heart_scale >most
randsvm-train -q -c 3 most most.m
ok 'the right one'              trusted heart_scale -c 3 m
ok 'a weight more'              doubted 'not the optimum for these -c, -p, -w and data' heart_scale -c 3 -w1 2 m
ok 'a larger training set'      doubted 'not the optimum for these -c, -p, -w and data' heart_scale -c 3 most.m
ok 'the right -p'               trusted sinc -p 0.1 p.m
ok 'a larger -p'                doubted 'they suggest -p 0.1' sinc -p 0.5 p.m
ok 'a smaller -p'               doubted 'they suggest -p 0.1' sinc -p 0.05 p.m
ok '-p 0'                       doubted 'they suggest -p 0.1' sinc -p 0 p.m
ok 'though the gap is small'    'awk "{ \$1 *= 1000; print }" sinc >far; randsvm-train -q -s 3 -c 100 -g 1 -p 5 far p.m && trusted far -c 100 -p 5 p.m && doubted "they suggest -p 5" far -c 100 -p 4.9 p.m && is relative_gap 0 1e-6'
fail 1 'the examples have 3 classes, the model 2'   svm-eval --certify three_class m
fail 1 'no example has class -1'                    'grep ^+1 heart_scale >ones; svm-eval --certify ones m'
ok 'one-class'                                  'svm-eval --certify heart_scale -n 0.1 outlier.model | grep "violators = 0"'
fail 1 'does not tell the scale of its margin'   'randsvm-train -q -s 1 -t 0 --compact heart_scale m; svm-eval --certify heart_scale m'
fail 1 'cannot use --geometry and --certify'        svm-eval --certify heart_scale --geometry heart_scale m
fail 1 'cannot use --certify and -z'                svm-eval --certify heart_scale -z m
fail 1 "too many: 'out'"                            svm-eval --certify heart_scale m out
fail 1 'cannot use -b and --certify'                svm-eval --certify heart_scale -b 1 m
fail 1 'Usage: svm-eval'                            svm-eval --certify heart_scale
if command -v liblinear-train >/dev/null; then
	# liblinear GAP SOLVER DATA OPTION...: the certificate of its model; GAP none: it has no dual
	liblinear()
	{
		local gap=$1 solver=$2 data=$3
		shift 3
		liblinear-train -s "$solver" "$@" -e 1e-6 "$data" m >out &&
			svm-eval -q --report report.json --certify "$data" $(echo "$@" | sed 's/-B [^ ]*//') m || return
		[ "$gap" = none ] && { [ "$(value dual)" = None ]; return; }
		is relative_gap -1e-9 "$gap"
	}
	ok 'LIBLINEAR -s 1'         liblinear 1e-4 1 heart_scale -B 1
	ok '-s 2'                   liblinear 1e-4 2 heart_scale -c 4 -w1 2
	ok 'the optimum'            trusted heart_scale -c 4 -w1 2 m
	ok 'with another weight'    doubted 'not proved to be near the optimum' heart_scale -c 4 -w1 1 m
	ok 'with less data'         doubted 'not proved to be near the optimum' most -c 4 -w1 2 m
	ok '-s 2, three classes'    liblinear 1e-4 2 three_class -c 0.5
	ok '-s 3'                   liblinear none 3 heart_scale -B 1
	ok 'nothing is checked'     'streams 0 "dual unknown" "nothing was checked" svm-eval --report report.json --certify heart_scale m && [ "$(value optimal)" = None ]'
	ok 'its objective'          'sed -n "s/^Objective value = -*/objective /p" out >a; echo "objective $(value primal)" >b; near a b 1e-3'
	ok '-B: a part of |w|'      'liblinear 1e-4 2 three_class -B 1 && svm-eval --certify three_class m >out && [ "$(grep -c "constant in |w| (class" out)" = 3 ] && [ "$(value constant)" = "in |w|" ]'
	ok 'without -B: no question'  'liblinear 1e-4 2 heart_scale && ! svm-eval --certify heart_scale m | grep constant'
	ok '-s 11'                  liblinear 1e-4 11 sinc -B 1 -p 0.1
	ok '-s 12'                  liblinear 1e-3 12 sinc -B 1 -p 0.1
	ok '-s 13'                  liblinear none 13 sinc -B 1 -p 0.1
	fail 1 'cannot be certified' 'liblinear-train -q -s 0 heart_scale m; svm-eval --certify heart_scale m'
	fail 1 'only 4 features'     'liblinear-train -q three_class m; svm-eval --certify heart_scale m'
fi
