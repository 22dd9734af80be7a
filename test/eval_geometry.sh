# svm-eval --weights and --geometry: the weights of linear models; rank, radius and margin of data.

. "$TOP/test/eval.bash"

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
ok 'weights of one against the rest' \
	'randsvm-train -q -t 0 --multiclass ovr three_class ovr3 && weighed three_class ovr3'
ok "weights of LIBLINEAR's" \
	'randsvm-train -q -t 0 --model-format liblinear heart_scale ll && weighed heart_scale ll'
ok 'the largest first' \
	'svm-eval --weights --top 4 lin | sed 1d | sed \$d |
	awk "{ x = \$2 < 0 ? -\$2 : \$2; if (NR > 1 && x > last) exit 1; last = x } END { exit NR != 4 }"'
ok 'with names' \
	'seq -f "gene %g" 13 >names && svm-eval --weights --names names lin | grep "^5 gene 5 "'
fail 1 'svm-eval: --names: few has 3 names for 13 features'  'head -n 3 names >few; svm-eval --weights --names few lin'
fail 1 "the model's kernel is not linear"  svm-eval --weights heart.model
fail 1 'one file name too many'           svm-eval --weights lin lin
ok 'names of features from 0' \
	'awk "{ for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); \$i = (a[1] - 1) \":\" a[2] } print }" \
	heart_scale >zero &&
	randsvm-train -q -t 0 zero zlin && seq -f "gene %g" 0 12 >zn && svm-eval --weights --names zn zlin 2>err |
	tail -n +2 | awk "\$1 != \"constant\" && \$3 != \$1 { exit 1 }" &&
	grep -x "svm-eval: note: --names: the model counts features from 0: line 1 of zn names feature 0" err'
ok '... and -q'                           'streams 0 "gene 12" "" svm-eval -q --weights --names zn zlin'
ok 'names with a header line' \
	'(echo name; cat names) >fourteen; svm-eval --weights --names fourteen lin 2>&1 >out |
	grep -x "svm-eval: note: --names: fourteen has 14 names, and the highest feature is 13: line 1, .name., names feature 1"'
ok 'names of other features' \
	'cat names names >double; svm-eval --weights --names double lin 2>&1 >out | grep "double has 26 names, and the highest feature is 13"'
ok 'a model of LIBLINEAR knows its number of features' \
	'svm-eval --weights --names fourteen ll 2>&1 >out | grep "highest feature is 13: line 1"'
fail 1 'few has 11 names for 13 features, which count from 0' \
	'head -n 11 names >few; svm-eval --weights --names few zlin'
ok 'a feature 0 without a name' \
	'head -n 12 names >few; svm-eval --weights --names few zlin >out 2>err; cat out err;
	grep "line 1 of few names feature 1, and feature 0 has no name" err && grep "^1 $(head -n 1 few) " out'
ok 'quotes around names' \
	'sed "s/.*/\"&\"/" names >quoted && svm-eval --weights --names quoted lin 2>&1 |
	diff - <(svm-eval --weights --names names lin)'
ok 'more names, and a feature 0' \
	'(cat zn; echo more) >more; svm-eval --weights --names more zlin 2>&1 >out |
	grep -x "svm-eval: note: --names: more has 14 names, and the highest feature is 12: line 1, .gene 0., names feature 0"'
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

ok 'two points' \
	'svm-eval --report report.json --geometry two >out && grep "^rank = 2$" out &&
	grep "^radius = 2.5 (proved: 2.5 to 2.5)" out && [ "$(value radius_upper)" = 2.5 ] &&
	[ "$(value rank)" = 2 ]'
ok 'the bound' \
	'svm-eval -q --report report.json --ball-tol 1e-7 --geometry heart_scale &&
	python3 -c "import json; r = json.load(open(\"report.json\")); assert 0 < r[\"radius\"] <= r[\"radius_upper\"] <= r[\"radius\"] * (1 + 1e-7)"'
ok 'settings and phases' \
	'keys settings "probability scores with_labels comments metrics summary threshold explain geometry ball_tol p reduce threads memory strict allow_nonfinite" &&
	keys seconds_per_phase "read measure"'
ok 'no model, no margin'                 '! grep margin report.json'
ok 'margin, linear'                      margin_is linear.model
ok 'of three classes'                    margin_is linear3.model
ok 'RBF'                                 margin_is heart.model
ok 'of three classes, RBF'               margin_is three.model
ok 'of a regression'                     margin_is sinc.model
ok 'radius^2 over margin^2' \
	'svm-eval -q --report report.json --geometry heart_scale linear.model &&
	python3 -c "import json; r = json.load(open(\"report.json\")); assert abs(r[\"radius2_over_margin2\"] / (r[\"radius_upper\"] / r[\"margin\"]) ** 2 - 1) < 1e-12"'
ok 'for other kernels there is none' \
	'svm-eval --report report.json --geometry heart_scale heart.model | grep "not for this kernel" &&
	[ "$(value radius2_over_margin2)" = null ]'

# by hand: w = 1, radius 1, n = 2; k = 8 / .5^2 (1 + 2 / 2)^2 ln 80, 2 (2 / .05)^2 ln 80, 800 ln(8 / .9)
printf '%s\n' '1 1:1' '-1 1:-1' >pair
printf '%s\n' '1.1 1:1' '-1.1 1:-1' >slope
ok 'sizes by hand' \
	'randsvm-train -q -t 0 -c 10 pair m; svm-eval --report report.json --geometry pair m >out &&
	grep "^k by the theorem = 561 (keeps 0.5 " out && grep "^k of RandSVM = 1748 " out &&
	grep "^core set for the margin = 2 " out && grep "^support vectors = 2$" out &&
	grep "^core set of the ball = 2 rows$" out &&
	[ "$(value theorem_k) $(value paper_k) $(value n_sv) $(value ball_core_set)" = "561 1748 2 2" ]'
ok '... of a regression' \
	'randsvm-train -q -s 3 -t 0 -c 10 slope m; svm-eval --report report.json --geometry slope m |
	grep "^k by the theorem = 14023 (keeps the tube to 1.5 of p, by default 0.1, " && [ "$(value margin_core_set)" = null ] &&
	svm-eval --geometry slope -p 0.2 m | grep "^k by the theorem = 3506 "'
ok '... of no tube' \
	'svm-eval --report report.json --geometry slope -p 0 m >out && ! grep -E "theorem|inf" out &&
	grep "^k of RandSVM" out && [ "$(value theorem_k)" = null ]'
ok '... of nu-SVR, which does not tell' \
	'randsvm-train -q -s 4 -n .5 -t 0 -c 10 slope m; svm-eval --geometry slope m >out && ! grep theorem out &&
	svm-eval --geometry slope -p 0.2 m | grep "^k by the theorem = "'
ok '-p of no regression is noted' \
	'streams 0 "k by the theorem" "note: -p has no effect: linear.model is no regression" svm-eval --geometry \
	heart_scale -p 0.2 linear.model'
ok '... in the space of the kernel' \
	'svm-eval -q --report report.json --geometry heart_scale heart.model &&
	python3 -c "import json, math; r = json.load(open(\"report.json\")); l = r[\"margin\"]; assert r[\"theorem_k\"] == math.ceil(32 * (1 + 1 / l) ** 2 * math.log(2700 * 4)) and r[\"margin_core_set\"] == math.ceil(2 / l ** 2)"'
ok '... of weights, without vectors' \
	'randsvm-train -q -t 0 -c 10 --model-format liblinear pair m; svm-eval --geometry pair m >out &&
	grep "^k by the theorem = 561 " out && ! grep "^support" out'
ok '... not of one class' \
	'randsvm-train -q -s 2 heart_scale m; svm-eval --geometry heart_scale m >out && ! grep "theorem" out'
ok 'features that the model has not' \
	'cut -d " " -f 1-4 heart_scale >small && randsvm-train -q -t 0 small m &&
	streams 0 "radius = " "above it: was the map or the selection applied?" svm-eval --geometry heart_scale m &&
	streams 0 "" "" svm-eval -q --geometry heart_scale m &&
	streams 0 "radius = " "" svm-eval --geometry small m'
ok 'any number of threads' \
	'for n in 1 2 5; do svm-eval --threads $n --geometry heart_scale heart.model >$n.out; done;
	same_files 1.out 2.out 5.out'
ok 'from a pipe'                         'gzip -c heart_scale | svm-eval --geometry - linear.model | grep "^rank = 13$"'
ok 'many rows and features' \
	'svm-gen separable -n 1500 -d 1200 >wide; svm-eval --report report.json --geometry wide |
	grep "^rank >= 1000 (estimated" && [ "$(value rank_is_lower_bound)" = true ]'
ok 'few dimensions among them' \
	'awk "{ printf \"%s\", \$1; for (j = 1; j <= 1100; j++) printf \" %d:%.9g\", j, (j * NR) % 7 + (j * j * NR) % 3; print \"\" }" wide >flat;
	svm-eval --report report.json --geometry flat && is rank 1 30'
ok 'a reduction that is none' \
	'svm-eval -q --report report.json --geometry heart_scale --reference heart_scale linear.model linear.model &&
	is epsilon_measured 0 1e-12 && is radius2_ratio 1 1 && is margin2_ratio 1 1'
ok 'features multiplied by 2' \
	'awk -v CONVFMT=%.17g \
	"{ for (i = 2; i <= NF; i++) { split(\$i, p, \":\"); \$i = p[1] \":\" 2 * p[2] } print }" heart_scale >twice;
	svm-eval -q --report report.json --geometry twice --reference heart_scale &&
	is epsilon_measured 2.9999999 3.0000001 && is radius2_ratio 3.999 4.001'
ok 'a projection keeps its bounds' \
	'rp-project -k 600 heart_scale heart.p;
	svm-eval -q --report report.json --ball-tol 1e-6 --geometry heart.p --reference heart_scale &&
	python3 -c "import json; r = json.load(open(\"report.json\")); e = 1e-5; assert r[\"lambda_min\"] - e <= r[\"radius2_ratio\"] <= r[\"lambda_max\"] + e, r"'
fail 1 'svm-eval: --reference: heart_scale has 270 rows, and part has 100; they must be the same rows' \
	'head -n 100 heart_scale >part; svm-eval --geometry part --reference heart_scale'
fail 1 'use --geometry and --metrics'    svm-eval --metrics --geometry heart_scale linear.model
# of a multiplier of 1e-3 at C = 1e6 nothing is lost
awk 'BEGIN { for (i = 0; i < 400; i++) { x = i * 37 % 101 / 16 - 3; y = i * 53 % 103 / 17 - 3; print (i % 2 ? 1 : -1), "1:" x, "2:" y, "3:" sin(2 * x) + cos(3 * y) / 3 + (i % 2 ? 1 : -1) * (.02 + i * 29 % 97 / 48) } }' >apart
ok 'small multipliers at a large C' \
	'randsvm-train -t 2 -g 10 -c 1e6 apart m >out && svm-eval --certify apart -c 1e6 m >out2 &&
	diff <(grep "^Objective" out) <(grep "^Objective" out2)'
fail 1 '--reference needs --geometry'    svm-eval --reference heart_scale heart_scale linear.model
fail 1 '--reference needs --geometry'    svm-eval --certify heart_scale --reference heart_scale linear.model
fail 1 '--ball-tol needs --geometry'     svm-eval --ball-tol 0.1 heart_scale linear.model
fail 1 '-n needs --certify'              svm-eval -n 0.5 heart_scale linear.model
fail 1 '-n: 1.5 is not between'           svm-eval --certify heart_scale -n 1.5 linear.model
fail 1 '-c needs --certify'              svm-eval -c 5 heart_scale linear.model
fail 1 '-wi needs --certify'             svm-eval -w1 5 --geometry heart_scale linear.model
fail 1 "too many: 'extra'" svm-eval --geometry heart_scale --reference heart_scale linear.model linear.model extra
ok 'strict: extra names as in svm-predict'       svm-eval -q --strict heart_scale linear.model out extra
fail 1 'needs --reference'               svm-eval --geometry heart_scale linear.model linear.model
fail 1 "can't open input file nofile"    svm-eval --geometry nofile
fail 1 'only one file can come'           svm-eval --geometry - --reference -
fail 1 'are the same file'               svm-eval --report heart_scale --geometry heart_scale
fail 1 'weight < 0'                      svm-eval --certify heart_scale -w1 -1 heart.model
ok 'a precomputed kernel' \
	'printf "%s\n" "1 0:1 1:2 2:0" "-1 0:2 1:0 2:2" >k; randsvm-train -q -t 4 k k.model;
	streams 1 "" "does not hold the kernel values" svm-eval --geometry k k.model'
