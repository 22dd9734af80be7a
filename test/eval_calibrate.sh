# svm-eval --calibrate: probabilities, sets, intervals and thresholds of predictions with labels.

. "$TOP/test/eval.bash"

randsvm-train -q -v 5 --cv-predictions heart.cv heart_scale
calibrated() { svm-eval -q --calibrate heart.cv --scores "$@" heart_scale heart.model out; }
plain() { python3 "$TOP/test/plain_calibration.py" "$@"; }

# ---- probabilities ----

ok 'isotonic, by pools'         'calibrated --method isotonic && plain isotonic heart.cv out'
ok 'Venn-Abers, by definition'  'calibrated --method venn-abers && plain venn-abers heart.cv out'
python=$(python_with sklearn)
if [ "$python" ]; then
	ok 'isotonic as in scikit-learn' \
		'calibrated --method isotonic && "$python" "$TOP/test/plain_calibration.py" sklearn heart.cv out'
else
	skip 'scikit-learn is not installed'
fi
ok 'columns'                    'calibrated --method venn-abers && head -n 1 out | grep -x "labels 1 -1 low high 1/-1"'
ok 'p0 and p1 are of --scores'  'svm-eval -q --calibrate heart.cv --method venn-abers heart_scale heart.model out &&
	head -n 1 out | grep -x "labels 1 -1"'
# the sigmoid is that of the model's -b 1, which it makes of other folds: near
ok 'sigmoid: near -b 1'         'calibrated --method sigmoid && tail -n +2 out | cut -d " " -f 2 >a &&
	svm-eval -q -b 1 heart_scale heart.model out && tail -n +2 out | cut -d " " -f 2 | near a - 0.1'
ok 'the default of few rows is sigmoid' 'svm-eval --calibrate heart.cv heart_scale heart.model | grep "(sigmoid by 270 rows)"'
ok '... and of 1000 isotonic'   'for i in 1 2 3 4; do cat heart.cv; done >many &&
	svm-eval --calibrate many heart_scale heart.model | grep "(isotonic by 1080 rows)"'
ok 'classes in another order'   'sed -e "s#1/-1#-1/1#" -e "2,\$ { s/ \([^ ]*\)\$/ -\1/; s/--// }" heart.cv >turned &&
	calibrated && mv out first && svm-eval -q --calibrate turned --scores heart_scale heart.model out && cmp first out'
ok 'p: columns are passed over' 'randsvm-train -q -b 1 -v 5 --cv-predictions b.cv heart_scale && head -n 1 b.cv | grep p:1 &&
	svm-eval -q --calibrate b.cv heart_scale heart.model out && cut -d " " -f 1-3,6 b.cv >bare.cv &&
	svm-eval -q --calibrate bare.cv heart_scale heart.model b && cmp out b'
ok '--with-labels, and --measure of it' 'svm-eval --calibrate heart.cv --metrics --with-labels heart_scale heart.model out >a &&
	svm-eval --measure out >b && grep Log-loss a >c && grep -F -f c b'
ok 'the error is that of the bins' 'svm-eval -q --calibrate heart.cv --metrics --report report.json heart_scale heart.model &&
	python3 -c "
import json
report = json.load(open(\"report.json\"))
bins = [b for b in report[\"calibration\"] if b[\"rows\"]]
error = sum(b[\"rows\"] * abs(b[\"mean_probability\"] - b[\"share\"]) for b in bins) / 270
assert abs(error - report[\"calibrated\"][\"calibration_error\"]) < 1e-9, error"'
ok 'of a1a it is near the shares' 'gzip -dc "$T/a9a.t.gz" | head -n 4000 >a9a.new; randsvm-train -q -b 1 a1a a1a.model &&
	randsvm-train -q -v 5 --cv-predictions a1a.cv a1a && svm-eval -q --calibrate a1a.cv --report report.json a9a.new a1a.model &&
	python3 -c "import json; assert json.load(open(\"report.json\"))[\"calibrated\"][\"calibration_error\"] < 0.045"'
# each class against the rest: sums are 1, and the class is the most probable
sums() { awk 'NR > 1 { s = most = 0; for (k = 2; k <= 4; k++) { s += $k; if ($k > most) { most = $k; at = label[k] } }
	if (s < 0.99999 || s > 1.00001 || $1 != at) exit 1 } NR == 1 { for (k = 2; k <= 4; k++) label[k] = $k }' "$1"; }
for how in sigmoid isotonic venn-abers; do
	ok "three classes, $how" "randsvm-train -q -v 5 --cv-predictions three.cv train &&
		svm-eval -q --calibrate three.cv --method $how rest three.model out && sums out"
done
ok 'one against the rest, which has no -b 1' 'randsvm-train -q -t 0 --multiclass ovr -v 5 --cv-predictions ovr.cv train &&
	randsvm-train -q -t 0 --multiclass ovr train ovr.model && svm-eval -q --calibrate ovr.cv rest ovr.model out && sums out'
ok '... whose odds are coupled: near -b 1' 'svm-eval -q --calibrate ovr.cv --method sigmoid rest ovr.model out &&
	randsvm-train -q -t 0 --multiclass ovr -b 1 train m && svm-eval -q -b 1 rest m b && head -n 1 b | cmp - <(head -n 1 out) &&
	for k in 2 3 4; do tail -n +2 out | cut -d " " -f $k >a && tail -n +2 b | cut -d " " -f $k | near a - 0.1 || exit; done'
# texts of five kinds, of which each has three words; a quarter of the labels are drawn at random.  The
# largest probability is the share of right predictions, and both ways are as good for any threads
texts() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); for (i = 0; i < n; i++) { k = int(5 * rand()); split("", has)
	for (j = 0; j < 2; j++) has[3 * k + int(3 * rand()) + 1] = 1
	for (j = 0; j < 5; j++) has[16 + int(40 * rand())] = 1
	line = rand() < .25 ? int(5 * rand()) : k; for (j = 1; j < 56; j++) if (j in has) line = line " " j ":.4"; print line } }'; }
texts 1 1200 >texts && texts 2 3000 >texts.new
randsvm-train -q -t 0 --multiclass ovr -v 5 --cv-predictions texts.cv texts
randsvm-train -q -t 0 --multiclass ovr -b 1 texts texts.model
# sure LOW HIGH LOSS: mean of the largest probability less the share that is right is between; log-loss
sure() { svm-eval --measure out --report report.json >/dev/null && is log_loss 0.6 "$3" &&
	awk -v low="$1" -v high="$2" 'NR > 1 { m = 0; for (k = 3; k <= 7; k++) if ($k > m) m = $k; s += m - ($1 == $2); n++ }
	END { print s / n; exit !(low < s / n && s / n < high) }' out; }
for how in sigmoid isotonic venn-abers; do
	ok "wrong labels, $how" "svm-eval -q --calibrate texts.cv --method $how --with-labels texts.new texts.model out && sure -.05 .05 0.83"
done
ok 'wrong labels, -b 1'         'svm-eval -q -b 1 --with-labels texts.new texts.model out && sure -.16 .05 0.88'
ok '... the noise is reported'  'svm-eval -q --calibrate texts.cv --report r texts.new texts.model &&
	python3 -c "import json; c = json.load(open(\"r\"))[\"calibrated\"]; assert .2 < c[\"noise\"] < .3 and .5 < c[\"power\"] < 2, c"'
ok '... the same bytes for any threads' 'for n in 1 3; do randsvm-train -q -t 0 --multiclass ovr -b 1 --threads $n texts m.$n &&
	svm-eval -q --threads $n --calibrate texts.cv --scores texts.new texts.model out.$n || exit; done; cmp m.1 m.3 && cmp out.1 out.3'
ok 'the default of many rows of several classes' 'for i in $(seq 10); do tail -n +2 three.cv; done | cat three.cv - >many &&
	svm-eval --calibrate many rest three.model | grep "(venn-abers by [0-9]* rows)"'

# ---- sets, intervals, thresholds ----

ok 'sets, by definition'        'calibrated --sets 0.9 && plain sets 0.1 heart.cv out'
ok '.9 is 0.9'                  'calibrated --sets 0.9 && mv out a && calibrated --sets .9 && cmp a out'
ok 'an empty set'               'calibrated --sets 0.5 && plain sets 0.5 heart.cv out && grep " - " out'
ok 'names in sets'              'printf "1 ill\n-1 well\n" >names; svm-eval -q --labels names --calibrate heart.cv --sets 0.95 \
	heart_scale heart.model out && grep -x "ill ill,well" out && grep -x "well well" out'
ok 'three classes have sets'    'svm-eval -q --calibrate three.cv --sets 0.9 --report report.json rest three.model out &&
	head -n 1 out | grep -x "label set" && grep -x ". [125],[125]" out &&
	python3 -c "
import json
sets = json.load(open(\"report.json\"))[\"calibrated\"]
assert min(c[\"coverage\"] for c in sets[\"classes\"]) > 0.7 and 1 < sets[\"mean_size\"] < 3, sets"'
# rows held out, new rows of the same distribution: five binomial standard errors, of both samples
svm-gen twonorm -q -n 500 rows
svm-gen twonorm -q -n 4000 --first 501 held
svm-gen twonorm -q -n 20000 --first 4501 new
randsvm-train -q rows rows.model
svm-eval -q --scores --with-labels held rows.model held.cv
covers() { svm-eval --calibrate held.cv --report report.json "$@" new rows.model &&
	python3 -c '
import json, math, sys
for c in json.load(open("report.json"))["calibrated"]["classes"]:
    found, p = c.get("coverage", c.get("false_alarms")), float(sys.argv[1])
    assert abs(found - p) < 5 * math.sqrt(p * (1 - p) * (1 / 2000 + 1 / 10000)), c' "$2"; }
for p in 0.5 0.9 0.95 0.99; do
	ok "sets of $p of rows held out" covers --sets $p
done
for share in 0.3 0.05 0.01; do
	ok "false alarms of $share"     covers --false-alarms $share
done
ok 'the threshold is one of --threshold' 'svm-eval --calibrate held.cv --false-alarms 0.01 new rows.model a >said &&
	svm-eval --threshold "$(sed -n "s/Threshold = \([^ ]*\) .*/\1/p" said)" new rows.model b && cmp a b'
ok 'shifted rows are not exchangeable' 'awk "{ for (i = 2; i <= NF; i++) { split(\$i, x, \":\"); \$i = x[1] \":\" x[2] + 0.3 } print }" new >shifted &&
	svm-eval --calibrate held.cv --sets 0.99 shifted rows.model | grep "Coverage = [78][0-9][.%].*class -1"'
svm-gen friedman -q -n 2000 friedman
svm-gen friedman -q -n 10000 --first 2001 friedman.new
ok 'intervals of a regression' 'randsvm-train -q -s 3 -v 5 --cv-predictions friedman.cv friedman && randsvm-train -q -s 3 friedman friedman.model &&
	svm-eval --calibrate friedman.cv --intervals 0.9 friedman.new friedman.model out | tee said && grep "Coverage = \(8[89]\|9[012]\)" said &&
	head -n 1 out | grep -x "label low high" &&
	awk "NR > 1 && !(\$2 < \$1 && \$1 < \$3 && (\$3 - \$1) / (\$1 - \$2) > .999999) { exit 1 }" out'
# of one-class, of rows held out: those of folds have the values of smaller models
grep '^+1' rows >normal
grep '^+1' held >normal.held
grep '^+1' new >normal.new
ok 'normal rows as outliers'    'randsvm-train -q -s 2 -n 0.1 normal normal.model &&
	svm-eval -q --scores --with-labels normal.held normal.model normal.cv &&
	svm-eval --calibrate normal.cv --false-alarms 0.05 normal.new normal.model out | tee said &&
	grep "False alarms = [3456]\..* of class 1$" said && grep -c -x -e -1 out'
fail 1 'one-class models grow with the rows' \
	'randsvm-train -q -s 2 -v 5 --cv-predictions folds.cv normal; svm-eval --calibrate folds.cv --false-alarms 0.1 normal.new normal.model'
ok 'weights count'              'awk "{ print NR % 2 }" new >odd && awk "NR % 2" new >half &&
	svm-eval --calibrate held.cv --sets 0.9 -W odd new rows.model >a &&
	svm-eval --calibrate held.cv --sets 0.9 half rows.model >b && cmp a b'
ok 'of classes --intervals are those of --metrics' 'svm-eval --calibrate held.cv --metrics --intervals 0.9 new rows.model out |
	grep "log_loss.*bootstrap" && head -n 1 out | grep -x "labels 1 -1"'
ok 'rows without labels'        'cut -d " " -f 2- new >bare && svm-eval -q --calibrate held.cv --sets 0.9 new rows.model a &&
	svm-eval -q --calibrate held.cv --sets 0.9 bare rows.model b && cmp a b &&
	svm-eval --calibrate held.cv --sets 0.9 bare rows.model b | { ! grep Coverage; }'
ok 'the same bytes for any threads, gz and pipe' 'gzip <new >new.gz; gzip <held.cv >held.cv.gz
	for o in "--method venn-abers --scores" "--sets 0.9" "--false-alarms 0.1"; do
		svm-eval -q --threads 1 --calibrate held.cv $o new rows.model a &&
		svm-eval -q --threads 5 --calibrate held.cv.gz $o new.gz rows.model b && cmp a b &&
		svm-eval -q --calibrate <(cat held.cv) $o - rows.model - <new >b && cmp a b || exit 1
	done'

# ---- refusals ----

calibrate() { svm-eval "$@" heart_scale heart.model nothing; }
fail 1 'has not the classes and decision values'   calibrate --calibrate three.cv
fail 1 'has not the classes and decision values'   calibrate --calibrate friedman.cv
fail 1 'has not the classes and decision values'   'cut -d " " -f 1-3 heart.cv >bare.cv; calibrate --calibrate bare.cv'
fail 1 'has not the classes and decision values'   svm-eval --calibrate three.cv rest ovr.model
fail 1 'holds rows of data, not predictions'       calibrate --calibrate heart_scale
fail 1 'there are --intervals alone'               svm-eval --calibrate friedman.cv friedman friedman.model
fail 1 'there are --intervals alone'               svm-eval --calibrate friedman.cv --sets 0.9 friedman friedman.model
fail 1 'a regression and --metrics simultaneously' svm-eval --calibrate friedman.cv --intervals 0.9 --metrics friedman friedman.model
fail 1 'a regression and --groups simultaneously'  svm-eval --calibrate friedman.cv --intervals 0.9 --groups friedman friedman friedman.model
fail 1 'there are --sets, and --intervals of --metrics' calibrate --calibrate heart.cv --intervals 0.9
fail 1 'there are --sets, and --intervals of'        svm-eval --calibrate three.cv --false-alarms 0.1 rest three.model
ok 'classes of few rows: a note'  'awk "NR == 1 || \$2 == 1 || n++ < 9" heart.cv >few.cv; svm-eval --calibrate few.cv heart_scale heart.model 2>&1 >x | tee told | grep -c "rows of class" | grep -x 1 &&
	grep "note: few.cv has 9 rows of class -1, few for probabilities: take predictions of more rows" told &&
	! svm-eval -q --calibrate few.cv heart_scale heart.model 2>&1 | grep . && ! svm-eval --calibrate heart.cv heart_scale heart.model 2>&1 | grep note'
fail 1 'has 0 of at least 1 rows of class 1 with known values: take predictions of more rows, such as --cv-predictions' \
	'awk "NR > 1 && \$2 == 1 { \$4 = \"nan\" } { print }" heart.cv >few.cv; calibrate --calibrate few.cv'
fail 1 'has 0 of at least 1 rows of class -1' \
	'awk "NR == 1 || \$2 == 1" heart.cv >one.cv; calibrate --calibrate one.cv'
fail 1 'has 120 of at least 999 rows of class 1'  calibrate --calibrate heart.cv --sets 0.999
fail 1 'has 10 of at least 19 rows' \
	'head -n 11 friedman.cv >ten.cv; svm-eval --calibrate ten.cv --intervals 0.95 friedman friedman.model'
ok 'with 19 it is done'         'head -n 20 friedman.cv >ten.cv; svm-eval --calibrate ten.cv --intervals 0.95 friedman friedman.model'
ok 'values against the labels'  'awk "NR > 1 { \$4 = -\$4 } { print }" heart.cv >wrong; svm-eval --calibrate wrong heart_scale heart.model 2>&1 |
	grep -c "warning: the decision values of wrong speak against its labels" | grep -x 1'
ok 'rows left out are told, and a cut' '
	{ sed -e "2s/ [^ ]*\$/ nan/" heart.cv; echo "271 nan 1 0.5"; echo "272 nan 1 0.5"; } | head -c -1 >holes; svm-eval -q --calibrate holes heart_scale heart.model 2>said
	cat said; grep "holes: 1 rows whose label is no class, or whose values are not all known, are left out" said &&
	grep "holes: 2 rows have no label or an error, and are left out" said && grep "the last line does not end" said &&
	svm-eval -q --calibrate heart.cv heart_scale heart.model 2>said && ! [ -s said ]'
ok 'the report says which method' 'svm-eval -q --report r --calibrate many rest three.model &&
	python3 -c "import json, sys; r = json.load(open(\"r\")); c = r[\"calibrated\"]; sys.exit(\"method\" in r[\"settings\"] or c[\"method\"] != \"venn-abers\" or \"classes\" in c)"'
fail 1 'simultaneously'         calibrate -b 1 --calibrate heart.cv
fail 1 'simultaneously'         calibrate --calibrate heart.cv --sets 0.9 --method sigmoid
fail 1 'simultaneously'         calibrate --calibrate heart.cv --false-alarms 0.1 --threshold 1
fail 1 '--sets needs --calibrate' calibrate --sets 0.9
fail 1 "--sets: 1 is not between"  calibrate --calibrate heart.cv --sets 1
ok 'and nothing is written'     '! [ -e nothing ]'
