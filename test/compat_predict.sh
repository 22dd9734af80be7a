# svm-eval is svm-predict, and liblinear-predict for LIBLINEAR's models.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/a9a.t.gz" | head -n 1000 >a.t
cp "$T/three_class" "$T/sinc" .

# ---- models that have been damaged: testdata/bad/*.model, a defect each ----

ln -s "$T/bad" bad
cat >good.model <<'END'
svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho 0.25
label 1 -1
nr_sv 2 1
SV
0.5 1:0.5 2:1 
0.5 2:-1 
-1 1:-0.25 
END
cat >good_linear.model <<'END'
solver_type L2R_LR
nr_class 3
label 1 2 5
nr_feature 2
bias 1
w
0.5 -0.5 1 
1 0 -1 
0.25 0.125 0 
END
printf '%s\n' '1 1:0.5 2:1' '-1 1:-0.25' '1 2:-1 4:7' >small

# bad_model NAME TEXT: svm-eval refuses the model, and says why
bad_model()
{
	streams 1 '' "can't open model file bad/$1.model: bad/$1.model:$2" svm-eval small "bad/$1.model" p &&
		[ ! -e p ]
}

# fail_on TEXT COMMAND...: refused with that text, and no output file p
fail_on() { streams 1 '' "$@" && [ ! -e p ]; }

ok 'the model without a defect'          svm-eval -q small good.model p1
ok 'the linear one'                      svm-eval -q small good_linear.model p1
ok 'cut in the header'                   bad_model cut_header "5: the header ends without 'SV'"
ok 'cut between vectors'                 bad_model cut_vectors '11: 3 support vectors promised, 2 found'
ok 'cut within a vector'                 bad_model cut_vector "12: value: '1:' is not a number"
ok 'cut before the last newline'         bad_model cut_newline '12: the line does not end'
ok 'one vector too many'                 bad_model long '13: text after the 3 support vectors promised'
ok 'total_sv too large'                  bad_model total_sv '9: nr_sv adds up to 3, total_sv is 4'
ok 'total_sv absurd'                     bad_model total_sv_absurd '12: 1000000000000 support vectors promised, 3 found'
ok 'total_sv negative'                   bad_model total_sv_negative "5: total_sv: '-3' is not an integer"
ok 'total_sv not a number'               bad_model total_sv_word "5: total_sv: '3x' is not an integer"
ok 'nr_sv does not add up'               bad_model nr_sv '9: nr_sv adds up to 4, total_sv is 3'
ok 'nr_sv negative'                      bad_model nr_sv_negative "8: nr_sv: '-1' is not an integer"
ok 'nr_class absurd'                     bad_model nr_class_absurd '6: rho: 1 values, 4999950000 expected'
ok 'nr_class not a number'               bad_model nr_class_word "4: nr_class: 'two' is not an integer"
ok 'nr_class missing'                    bad_model nr_class_missing "5: key 'nr_class' must come before 'rho'"
ok 'nr_class twice'                      bad_model nr_class_twice "5: repeated key 'nr_class'"
ok 'too few labels'                      bad_model label_few '7: label: 1 values, 2 expected'
ok 'too many labels'                     bad_model label_many '7: label: 3 values, 2 expected'
ok 'a label twice'                       bad_model label_twice '9: label 1 stands for two classes'
ok 'too few rho'                         bad_model rho_few '6: rho: 0 values, 1 expected'
ok 'rho not finite'                      bad_model rho_nan "6: rho: 'nan' is not finite"
ok 'an unknown key'                      bad_model unknown_key "6: unknown key 'seed'"
ok 'an unknown type'                     bad_model unknown_type "1: unknown svm_type 'd_svc'"
ok 'an unknown kernel'                   bad_model unknown_kernel "2: unknown kernel_type 'fourier'"
ok 'gamma missing'                       bad_model gamma_missing "8: key 'gamma' is missing"
ok 'too few coefficients'                bad_model coefficient "11: coefficients: '2:-1' is not a number"
ok 'a value is missing'                  bad_model value "10: value: '2:' is not a number"
ok 'indices descend'                     bad_model descend '10: feature 1 after 2; indices must ascend'
ok 'an index too large'                  bad_model index_large "12: '4294967297:-0.25': index too large"
ok 'LIBLINEAR: cut'                      bad_model linear_cut '8: 3 rows of weights promised, 2 found'
ok 'LIBLINEAR: too long'                 bad_model linear_long '10: text after the 3 rows of weights promised'
ok 'LIBLINEAR: a weight too few'         bad_model linear_few '8: weights: 2 in this line, 3 expected'
ok 'LIBLINEAR: weight not a number'      bad_model linear_word "8: weights: 'x' is not a number"
ok 'LIBLINEAR: nr_feature absurd'        bad_model linear_absurd '9: 2000000001 rows of weights promised, 3 found'
ok 'LIBLINEAR: an unknown solver'        bad_model linear_solver "1: unknown solver_type 'L9R_LR'"
ok 'data for a model' fail_on \
	"can't open model file heart: it holds rows of data, which are named before the model" svm-eval heart heart \
	p
ok 'binary data for a model'              'rp-project -q -k 2 --binary heart b && fail_on "can'"'"'t open model file b: it holds rows of data, which are named before the model" svm-eval heart b p'
ok 'nothing for a model'                 fail_on "can't open model file /dev/null: " svm-eval heart /dev/null p
ok 'every file of testdata/bad is here' \
	'for f in bad/*.model; do n=${f#bad/}; grep -q "bad_model ${n%.model} " "$TOP/test/compat_predict.sh" ||
	{ echo "$n"; false; } || exit; done'

# every cut of a real model is noticed, also in its last byte
randsvm-train -q --mode direct heart m
every_cut()
{
	local n=$1 size
	size=$(wc -c <"$2")
	while [ $((n += $3)) -lt "$size" ]; do
		head -c $n "$2" >start
		if svm-eval small start p >out 2>&1; then
			echo "$n bytes are accepted"
			return 1
		fi
		grep -q "^can't open model file start: start:" out || { cat out; return 1; }
	done
}
ok 'a model cut anywhere'                every_cut 0 good.model 1
ok 'a linear model cut anywhere'         every_cut 0 good_linear.model 1
ok 'a long model cut here and there'     every_cut 100 m 331
if [ "$SANITIZE" ]; then
	skip 'sanitizers take more memory'
else
	ok 'absurd sizes need no memory' \
		'for n in total_sv_absurd nr_class_absurd linear_absurd; do (ulimit -v 1000000; svm-eval --threads 1 small bad/$n.model p; [ $? = 1 ]) || exit; done'
fi

# ---- forms of models that are fine ----

svm-eval -q heart m p1
ok 'a gzipped model'                     'gzip -c m >m.x; svm-eval -q heart m.x p2; same_files p1 p2'
ok 'a model from a pipe'                 'cat m | svm-eval -q heart /dev/stdin p2; same_files p1 p2'
ok 'a model from -'                      'svm-eval -q heart - p2 <m; same_files p1 p2'
ok 'a model from a substitution'         'svm-eval -q heart <(gzip -c m) p2; same_files p1 p2'
ok 'rho after nr_sv' \
	'(sed -n "1,5p;7,8p" m; sed -n 6p m; sed 1,8d m) >m.x; svm-eval -q heart m.x p2; same_files p1 p2'
ok 'CR LF'                               'sed "s/\$/\r/" m >m.x; svm-eval -q heart m.x p2; same_files p1 p2'
ok 'no blank at the end of vectors'      'sed "s/ \$//" m >m.x; svm-eval -q heart m.x p2; same_files p1 p2'

# ---- what can be computed by hand ----

cat >hand.model <<'END'
svm_type c_svc
kernel_type linear
nr_class 2
total_sv 2
rho 0.5
label 3 -4
nr_sv 1 1
SV
2 1:1 2:0.5 
-1 2:3 
END
printf '%s\n' '3 1:1' '-4 2:1' '3 1:2 2:1 9:5' '3' >hand
ok 'decision values' \
	'[ "$(svm-eval --scores hand hand.model - | tr "\n" " ")" = "label 3/-4 3 1.5 -4 -2.5 3 1.5 -4 -0.5 " ]'
ok 'accuracy'                            '[ "$(svm-eval hand hand.model)" = "Accuracy = 75% (3/4) (classification)" ]'
printf '%s\n' 'solver_type ONECLASS_SVM' 'nr_class 2' 'nr_feature 2' 'bias -1' 'rho 0.5' w '1 ' '-1 ' >one_class.model
ok 'LIBLINEAR: one-class' \
	'[ "$(svm-eval --scores hand one_class.model - | tr "\n" " ")" = "label value 1 0.5 -1 -1.5 1 0.5 -1 -0.5 " ]'
printf '%s\n' 'solver_type L2R_L2LOSS_SVR' 'nr_class 2' 'nr_feature 2' 'bias 2' w '1 ' '-1 ' '0.25 ' >svr.model
ok 'LIBLINEAR: regression' \
	'[ "$(svm-eval hand svr.model - 2>out | tr "\n" " ")" = "1.5 -0.5 1.5 0.5 " ] &&
	grep "^Mean squared error = 5.75 (regression)" out'
ok 'three columns of values' \
	'svm-eval --scores small good_linear.model - | head -n 1 | grep -x "label 1 2 5"'
ok '--scores with -b 1' \
	'[ "$(svm-eval -b 1 --scores small good_linear.model - | awk "{ print NF }" | uniq)" = 7 ]'
ok 'any number of threads' \
	'svm-eval -q --scores --threads 1 a.t m p1 && svm-eval -q --scores --threads 2 a.t m p2 &&
	svm-eval -q --scores --threads 7 a.t m p3 && same_files p1 p2 p3'

# LIBSVM 3.3 and later: which tenth of the training values a value falls into
cat >marks.model <<'END'
svm_type one_class
kernel_type linear
nr_class 2
total_sv 1
rho 0
prob_density_marks -4 -3 -2 -1 0 1 2 3 4 5
SV
1 1:1 
END
printf '%s\n' '1 1:-10' '1 1:-3.5' '1 1:0.5' '1 1:100' >marks
ok 'one-class probabilities' \
	'[ "$(svm-eval -b 1 marks marks.model - | tr "\n" " ")" = \
	"label normal outlier -1 0.001 0.999 -1 0.1 0.9 1 0.5 0.5 1 0.999 0.001 " ]'

# ---- svm-predict ----

# equal ARGUMENTS...: no difference
equal() { both svm-predict svm-eval PROGRAM "$@" RESULT; }

# equal_values ARGUMENTS...: likewise, but for the last digits of numbers
equal_values()
{
	both svm-predict svm-eval PROGRAM "$@" RESULT >/dev/null
	cmp a.status b.status && cmp a.stdout b.stdout && cmp a.stderr b.stderr &&
		near a.result b.result 1e-12
}

if command -v svm-train >/dev/null && command -v svm-predict >/dev/null; then
	for t in 0 1 2 3; do
		for s in 0 1; do
			svm-train -q -s $s -t $t -n 0.25 heart m.$s.$t
			ok "-s $s -t $t"                    equal heart m.$s.$t
			svm-train -q -s $s -t $t -n 0.25 three_class m.$s.$t
			ok "-s $s -t $t, three classes"     equal three_class m.$s.$t
		done
		svm-train -q -s 2 -t $t heart m.2.$t
		ok "-s 2 -t $t"                             equal heart m.2.$t
		for s in 3 4; do
			svm-train -q -s $s -t $t -n 0.25 sinc m.$s.$t
			ok "-s $s -t $t"                    equal_values sinc m.$s.$t
		done
	done
	for s in 0 1; do
		svm-train -q -s $s -b 1 -n 0.25 heart m.b$s
		svm-train -q -s $s -b 1 -n 0.25 three_class m.b3$s
		ok "-s $s: -b 1"                            equal -b 1 heart m.b$s
		ok "-s $s: -b 1, three classes"             equal -b 1 three_class m.b3$s
		ok "-s $s: -b 0"                            equal -b 0 heart m.b$s
		ok "-s $s: no -b"                           equal three_class m.b3$s
		ok "-s $s: no -b says so" holds b.stdout \
			'Model supports probability estimates, but disabled in prediction.'
		ok "-s $s: -q"                              equal -q heart m.b$s
		ok "-s $s: -b 1 -q"                         equal -b 1 -q heart m.b$s
	done
	for s in 3 4; do
		svm-train -q -s $s -b 1 -n 0.25 sinc m.b$s
		ok "-s $s: -b 1"                            equal_values -b 1 sinc m.b$s
		ok "-s $s: -b 1 says what z is" holds b.stdout \
			'z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma='
		ok "-s $s: no -b"                           equal_values sinc m.b$s
		ok "-s $s: -q"                              equal_values -q sinc m.b$s
	done
	svm-train -q heart m.heart
	ok 'svm-predict knows no probabilities' streams 1 '' 'Model does not support probabiliy estimates' \
		svm-predict -b 1 heart m.heart p0
	ok 'nor do we' fail_on 'Model does not support probabiliy estimates' svm-eval -b 1 heart m.heart p
	ok '-b 1, one-class' fail_on 'Model does not support probabiliy estimates' svm-eval -b 1 heart m.2.2 p
	ok '-b 1, SVR' fail_on 'Model does not support probabiliy estimates' svm-eval -b 1 sinc m.3.2 p

	grep '^+1' heart >one
	svm-train -q one m.one >out
	ok 'nr_class 1'                             equal heart m.one
	svm-train -q -b 1 one m.one >out
	ok 'nr_class 1, -b 1'                       equal -b 1 heart m.one
	svm-train -q a1a m.a1a
	ok 'other rows than in training'            equal a.t m.a1a
	ok 'more features than in training'         equal a.t m.heart
	ok 'many classes' \
		'awk "{ \$1 = NR % 12 - 3; print }" three_class >twelve; svm-train -q twelve m.12;
		equal twelve m.12'
	svm-train -q -b 1 twelve m.12
	# a word more than svm-predict where probabilities are upside down
	ok 'many classes, -b 1' \
		'both svm-predict svm-eval PROGRAM -b 1 twelve m.12 RESULT >/dev/null
		cmp a.status b.status && cmp a.stdout b.stdout && cmp a.result b.result &&
		[ ! -s a.stderr ] && [ "$(wc -l <b.stderr)" = 1 ] && grep "contradict" b.stderr'
	ok 'labels in other notation'               'sed "s/^+1/1.0/; s/^-1/-1e0/" heart >other; equal other m.heart'
	ok 'labels that are no class'               'sed "s/^+1/1.5/; s/^-1/7/" heart >other; equal other m.heart'
	ok 'rows without features'                  'sed "s/ .*//" heart >other; equal other m.heart'
	ok 'features from 0'                        'sed "s/ / 0:3 /" heart >other; equal other m.heart'
	ok 'large features'                         'sed "s/\$/ 2147483647:1/" heart >other; equal other m.heart'
	ok 'one row'                                'head -n 1 heart >other; equal other m.heart'
	ok 'regression: one row'                    'head -n 1 sinc >other; equal_values other m.3.2'
	# svm-predict has nan or inf for a correlation with targets that do not vary, by the rounding
	ok 'regression: all targets equal' \
		'sed "s/^[^ ]*/3/" sinc >other; equal_values other m.3.2
		cmp a.status b.status && near a.result b.result 1e-12 && [ ! -s b.stderr ] &&
		[ "$(head -n 1 a.stdout)" = "$(head -n 1 b.stdout)" ] &&
		sed 1d b.stdout | grep -x "Squared correlation coefficient = -*nan (regression)"'
	# far DATA: rows of which |x|^2 overflows, or leaves nothing of a distance; two each that are near
	far()
	{
		for v in 1e9 1e20 -1e100 1e160 1e200 -1.7976931348623157e308; do
			awk -v v="$v" 'NR <= 8 && !sub(/ 2:[^ ]*/, " 2:" v) { $0 = $0 " 99:" v } { print }' "$1"
		done
	}
	for data in heart three_class sinc; do far $data >far.$data; done
	ok 'rows far from 0'                        equal far.heart m.heart
	ok 'rows far from 0: -b 1'                  equal -b 1 far.three_class m.b30
	ok 'rows far from 0: regression'            equal_values far.sinc m.3.2
	for data in heart three_class; do
		randsvm-train -q far.$data m.ours 2>out
		ok "rows far from 0: models of them, $data" equal far.$data m.ours
	done
	svm-train -q -t 1 heart m.t1
	ok 'values that are no numbers: a warning' \
		'both svm-predict svm-eval PROGRAM far.heart m.t1 RESULT; cmp a.status b.status &&
		cmp a.stdout b.stdout && cmp a.result b.result &&
		holds b.stderr "svm-eval: warning: 24 of 1620 rows have decision values that are not finite, the first of them row "'
	awk '{ y[NR] = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); x[NR, a[1]] = a[2] } }
		END {
			for (i = 1; i <= 90; i++) {
				printf "%s 0:%d", y[i], i
				for (j = 1; j <= 60; j++) {
					s = 0
					for (k = 1; k <= 13; k++)
						s += x[i, k] * x[j, k]
					printf " %d:%.6g", j, s
				}
				print ""
			}
		}' heart >gram
	head -n 60 gram >gram.train
	svm-train -q -t 4 gram.train m.4
	ok 'precomputed'                            equal gram m.4
	svm-train -q -s 3 -t 4 gram.train m.4
	ok 'precomputed, SVR'                       equal_values gram m.4

	# models of ours, read by both
	randsvm-train -q --mode direct heart m.ours
	ok "ours: direct"                           equal heart m.ours
	randsvm-train -q --sample 60 heart m.ours
	ok "ours: working sets"                     equal heart m.ours
	randsvm-train -q --sample 60 -w1 4 three_class m.ours
	ok "ours: three classes"                    equal three_class m.ours
	randsvm-train -q --mode paper -k 20 -t 1 three_class m.ours
	ok "ours: as published"                     equal three_class m.ours
	randsvm-train -q -s 3 --sample 60 sinc m.ours
	ok "ours: regression"                       equal_values sinc m.ours
	randsvm-train -q -b 1 three_class m.ours
	ok "ours: probabilities"                    equal -b 1 three_class m.ours
	randsvm-train -q -s 2 heart m.ours
	ok "ours: one-class"                        equal heart m.ours
	randsvm-train -q -t 4 gram.train m.ours
	ok "ours: precomputed"                      equal gram m.ours
	randsvm-train -q one m.ours >out
	ok "ours: nr_class 1"                       equal heart m.ours

		ok 'no test file: the same words' \
			'both svm-predict svm-eval PROGRAM nofile m.heart RESULT; holds b.stderr "$(cat a.stderr)"'
	ok 'no model file: the same words' \
		'both svm-predict svm-eval PROGRAM heart nofile RESULT; holds b.stderr "$(cat a.stderr)"'
else
	skip 'svm-train and svm-predict are not installed'
fi

# ---- liblinear-predict ----

need liblinear-train liblinear-predict

linear() { both liblinear-predict svm-eval PROGRAM "$@" RESULT; }

linear_values()
{
	both liblinear-predict svm-eval PROGRAM "$@" RESULT >/dev/null
	cmp a.status b.status && cmp a.stdout b.stdout && cmp a.stderr b.stderr &&
		near a.result b.result 1e-12
}

for bias in '' '-B 1' '-B 0.5'; do
	for s in 0 1 2 3 4 5 6 7; do
		for data in heart three_class; do
			# shellcheck disable=SC2086
			liblinear-train -q -s $s $bias $data m.l >out
			name="LIBLINEAR -s $s $bias, $data"
			ok "$name"                          linear $data m.l
			case $s in
			[067])
				ok "$name, -b 1"            linear -b 1 $data m.l
				ok "$name, -b 1 -q"         linear -b 1 -q $data m.l
				;;
			*)
				ok "$name, -b 1 is refused" fail_on \
					'probability output is only supported for logistic regression' svm-eval -b 1 \
					$data m.l p
				;;
			esac
		done
	done
	for s in 11 12 13; do
		# shellcheck disable=SC2086
		liblinear-train -q -s $s $bias sinc m.l >out
		ok "LIBLINEAR -s $s $bias"                  linear_values sinc m.l
		ok "LIBLINEAR -s $s $bias -b 1 is refused" fail_on \
			'probability output is only supported for logistic regression' svm-eval -b 1 sinc m.l p
	done
done
liblinear-train -q -s 0 heart m.l
ok 'LIBLINEAR: no (classification)'             '[ "$(svm-eval heart m.l)" = "$(liblinear-predict heart m.l p0)" ]'
ok 'LIBLINEAR: -q'                              linear -q heart m.l
ok 'LIBLINEAR: labels are not mentioned twice'  'linear -b 1 heart m.l; head -n 1 b.result | grep -x "labels 1 -1"'
ok 'LIBLINEAR: more features than in training'  linear a.t m.l
ok 'LIBLINEAR: labels 0 and 1' \
	'sed "s/^-1/0/" heart >other; liblinear-train -q other m.l; linear other m.l'
ok 'LIBLINEAR: -1 first'                        'sort heart >other; liblinear-train -q other m.l; linear other m.l'
ok 'LIBLINEAR: gzipped' \
	'gzip -c m.l >m.x; svm-eval -q heart m.l p1; svm-eval -q heart m.x p2; same_files p1 p2'
ok 'LIBLINEAR: one class'                       'grep "^+1" heart >one; liblinear-train -q one m.l; linear heart m.l'
