# --loss logistic: logistic regression with a constant that is free, and LIBLINEAR's models of it.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" .
svm-gen text -n 900 --seed 3 | awk '{ $1 = ($1 > 0) * 2 + NR % 2; print }' >text
train='randsvm-train -t 0 --loss logistic'

# worth MODEL DATA C: of each class, the objective of a LIBLINEAR model whose constant costs nothing
worth()
{
	awk -v C="$3" '
		NR == FNR && !of_weights {
			if ($1 == "label") for (k = 2; k <= NF; k++) label[k - 1] = $k
			if ($1 == "bias") bias = $2
			of_weights = $1 == "w"
			next
		}
		NR == FNR { last++; n = NF; for (k = 1; k <= n; k++) w[last, k] = $k; next }
		{
			for (k = 1; k <= n; k++) {
				f = bias * w[last, k]
				for (j = 2; j <= NF; j++) { split($j, e, ":"); if (e[1] < last) f += w[e[1], k] * e[2] }
				m = $1 + 0 == label[k] + 0 ? f : -f
				loss[k] += m > 0 ? log(1 + exp(-m)) : log(1 + exp(m)) - m
			}
		}
		END {
			for (k = 1; k <= n; k++) {
				s = C * loss[k]
				for (j = 1; j < last; j++) s += w[j, k] ^ 2 / 2
				printf "%.12g\n", s
			}
		}' "$1" "$2"
}
# is_proved DATA C N OPTION...: primal and dual are printed of N classes, the one is the objective, and the
# other near it
is_proved()
{
	local data=$1 c=$2 n=$3
	shift 3
	$train -c "$c" --gap 1e-9 --verbose "$@" "$data" m >out && worth m "$data" "$c" >p || return
	sed -n 's/^primal = \([^,]*\), dual = \([^,]*\),.*/\1 \2/p' out | head -n "$n" | paste -d ' ' p - >q && cat q &&
		awk -v n="$n" '{ d = ($1 - $2) / $1 } !(d ^ 2 <= 1e-12 && $2 - $3 <= 1e-6 * $1 && $3 <= $2) { exit 1 }
			END { exit NR != n }' q
}
ok 'two classes'                     is_proved heart 1 1
ok 'three classes'                   is_proved three_class 10 3
ok 'text of four classes'            is_proved text 1 4
ok 'hardly a loss left'              is_proved text 1e4 4
ok 'many rows'                       is_proved a1a 100 1
ok 'the same for any number of threads' \
	'for n in 1 2 5; do $train -q --threads $n text m.$n || exit; done; cmp m.1 m.2 && cmp m.2 m.5'
ok 'a model of LIBLINEAR' \
	'$train -q three_class m && head -n 3 m | tr "\n" "|" | grep -x "solver_type L2R_LR|nr_class 3|label 1 2 5|"'
ok 'classes with other names' \
	'sed "s/^-1/7/; s/^+1/-3/" heart >named && $train -q heart m && $train -q named n && sed 1,6d m >a && sed 1,6d n | cmp - a'

# ---- by other programs ----

if command -v liblinear-train >/dev/null; then
	# with a bias feature of 100 the constant costs next to nothing
	for c in 0.01 1 100; do
		for data in heart text; do
			ok "LIBLINEAR's -s 0 on $data, C = $c" \
				"$train -q -c $c --gap 1e-9 $data m && liblinear-train -q -s 0 -B 100 -e 1e-6 -c $c $data l &&
				worth m $data $c >p && worth l $data $c >q && near p q 1e-4"
		done
	done
	ok "LIBLINEAR's -s 7" \
		"$train -q --gap 1e-9 heart m && liblinear-train -q -s 7 -B 10 -e 1e-6 heart l && worth m heart 1 >p &&
		worth l heart 1 >q && near p q 1e-3"
	for data in heart three_class; do
		ok "liblinear-predict -b 1 says the same of $data" \
			"$train -q $data m && liblinear-predict -b 1 $data m p >a && svm-eval -b 1 $data m q >b && same_files p q &&
			same_files a b"
	done
else
	skip 'LIBLINEAR is not installed'
fi
sklearn=$(python_with sklearn)
if [ "$sklearn" ]; then
	cat >regression.py <<'END'
import sys, warnings
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
warnings.simplefilter("ignore")
X, y = load_svmlight_file(sys.argv[1])
weight = np.loadtxt(sys.argv[4]) if len(sys.argv) > 4 else None
text = open(sys.argv[2]).read().split("w\n", 1)
label = [int(v) for v in text[0].split("label ")[1].split("\n")[0].split()]
w = np.array([line.split() for line in text[1].splitlines()], float)
for k in range(w.shape[1]):
    other = LogisticRegression(C=float(sys.argv[3]), tol=1e-10, max_iter=10000)
    other.fit(X, np.where(y == label[k], 1, -1), weight)
    found = np.append(other.coef_[0], other.intercept_[0])
    ours = np.append(w[:X.shape[1], k], w[-1, k])
    assert np.allclose(found, ours, 1e-3, 1e-3), abs(found - ours).max()
END
	ok "scikit-learn's LogisticRegression"  '$train -q --gap 1e-11 heart m && $sklearn regression.py heart m 1'
	ok '... three classes'         '$train -q --gap 1e-11 -c 10 three_class m && $sklearn regression.py three_class m 10'
	ok '... weights of rows' \
		'awk "{ print NR % 3 + 0.5 }" heart >w && $train -q --gap 1e-11 -W w heart m && $sklearn regression.py heart m 1 w'
else
	skip 'scikit-learn is not installed'
fi

# ---- weights, folds, searches ----

ok 'a weight of a class is C of its rows' \
	'$train -q --gap 1e-11 -w-1 3 heart m && awk "{ print \$1 < 0 ? 3 : 1 }" heart >w && $train -q --gap 1e-11 -W w heart n && cmp m n'
ok 'rows twice are a C twice as large' \
	'cat heart heart >twice && $train -q --gap 1e-12 twice m && $train -q --gap 1e-12 -c 2 heart n &&
	sed 1,6d m >a && sed 1,6d n >b && near a b 1e-4'
ok '-v, and its probabilities' \
	'$train -q -v 5 -b 1 --metrics --cv-predictions t three_class >out && grep "^Cross Validation Accuracy = 7" out &&
	grep "^Log-loss = 0\.[67]" out && head -n 1 t | grep "p:1 p:2 p:5 1 2 5$"'
ok '-b 1 changes nothing' '$train -q three_class m && $train -q -b 1 three_class n && cmp m n'
ok 'probabilities that are right on the average' \
	'$train -q a1a m && svm-eval -q -b 1 a1a m p && awk "NR == 1 { k = \$2 == 1 ? 2 : 3; next } { s += \$k } END { print s / (NR - 1) }" p >a &&
	awk "{ s += \$1 > 0 } END { print s / NR }" a1a >b && near a b 1e-3'
ok 'a search' \
	'randsvm-grid -q -t 0 --loss logistic -log2c -3,1,2 -gnuplot null -out points --model m three_class >lines &&
	grep -e "--loss logistic" points && head -n 1 m | grep L2R_LR'
ok 'a time limit' \
	'$train -q --gap 1e-12 --time-limit 0.000001 text m 2>err; cat err && grep "time limit" err && svm-eval text m'
ok 'rp-project --fold' \
	'rp-project -q -k 3 -s map three_class z && $train -q z m && rp-project -r map --fold m folded &&
	svm-eval -q -b 1 z m p && svm-eval -q -b 1 three_class folded q && agree p q 100'

fail 1 '--loss logistic is for -t 0'             randsvm-train --loss logistic heart m
fail 1 '-s 3 is not for --loss logistic'         $train -s 3 heart m
fail 1 '--multiclass ovo is not for --loss logistic'  $train --multiclass ovo heart m
fail 1 '--mode direct is not for --loss logistic'     $train --mode direct heart m
fail 1 '--compact: is not for --loss logistic'        $train --compact heart m
fail 1 '--loss logistic is not for --start'           '$train -q heart m; $train --start m heart n'
fail 1 '--loss logistic is not for --checkpoint'      $train --checkpoint state heart m
fail 1 '--loss logistic: one has a single class'      'grep ^+1 heart >one; $train one m'
fail 1 'models of L2R_LR cannot be certified'         '$train -q heart m && svm-eval --certify heart m'
