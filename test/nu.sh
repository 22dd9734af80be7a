# nu-SVC, one-class and nu-SVR on working sets: against svm-train, and on data made to break them.

. "$TOP/test/helpers.bash"
need svm-train

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" | head -n 800 >a800
cp "$T/three_class" "$T/sinc" .

# grid DATA OPTION...: all nu and gamma; the first subset is of 60 examples, and svm-train's tolerance
# so small that it adds little to the difference
grid()
{
	local data=$1 nu g
	shift
	for nu in 0.1 0.3 0.6; do
		for g in 0.01 0.1 1; do
			svm-train -n $nu -g $g "$@" -e 1e-6 "$data" m1 >out1 &&
				randsvm-train --sample 60 -n $nu -g $g "$@" "$data" m2 >out2 &&
				close_objectives out1 out2 1e-4 && proved out2 1e-3 && continue
			# where there is next to no margin svm-train's model is one of rounding errors
			grep -q 'C = -\|C = [0-9]\{4\}' out1 && continue
			echo "-n $nu -g $g"
			return 1
		done
	done
}

# kernel_matrix DATA ROWS COLUMNS LARGEST [DEGREE]: products of rows, or (product / 10 + 1)^3, for -t 4,
# times scales of the rows whose squares are from 1 to LARGEST
kernel_matrix()
{
	awk -v n="$2" -v d="$3" -v largest="$4" -v degree="${5:-1}" '
		NR <= n { y[NR] = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); x[NR, a[1]] = a[2] } }
		END {
			for (i = 1; i <= n; i++)
				scale[i] = largest ^ (i * 7919 % n / n / 2)
			for (i = 1; i <= n; i++) {
				printf "%s 0:%d", y[i], i
				for (j = 1; j <= n; j++) {
					s = 0
					for (k = 1; k <= d; k++)
						s += x[i, k] * x[j, k]
					printf " %d:%.17g", j, scale[i] * scale[j] * (degree == 3 ? (s / 10 + 1) ^ 3 : s)
				}
				print ""
			}
		}' "$1"
}

ok 'one-class, heart'            grid heart -s 2
ok 'one-class, heart, -t 1'      grid heart -s 2 -t 1 -r 1
ok 'nu-SVC, heart'               grid heart -s 1 -e 1e-5
ok 'nu-SVC, heart, -t 1'         grid heart -s 1 -e 1e-5 -t 1 -r 1
ok 'nu-SVR, heart'               grid heart -s 4
ok 'nu-SVR, heart, -t 1'         'head -n 120 heart >h120; grid h120 -s 4 -t 1 -r 1'
ok 'nu-SVR, sinc'                grid sinc -s 4
if [ "$SANITIZE" ]; then
	skip 'too much for sanitizers'
else
	ok 'one-class, a1a'      grid a800 -s 2
	ok 'nu-SVR, a1a'         grid a800 -s 4
fi

# same_values OPTION...: svm-predict reads the model, and decides as it does by svm-train's; the
# decision values of free support vectors of one-class are 0, but for rounding
same_values()
{
	svm-train -q -e 1e-5 "$@" m1 && randsvm-train -q --sample 60 -e 1e-5 "$@" m2 || return
	svm-predict heart m1 p1 && svm-predict heart m2 p2 && agree p1 p2 90
}
ok 'one-class: svm-predict'      same_values -s 2 -n 0.2 heart
ok 'nu-SVC: svm-predict'         same_values -s 1 -n 0.4 heart
ok 'nu-SVR: values' \
	'svm-train -q -e 1e-5 -s 4 sinc m1 && randsvm-train -q --sample 60 -e 1e-5 -s 4 sinc m2 &&
	svm-predict sinc m1 p1 && svm-predict sinc m2 p2 && near p1 p2 1e-3'
ok '-e reaches the digits' \
	'svm-train -e 1e-7 -s 1 -n 0.5 heart m >out1 && randsvm-train -e 1e-6 -s 1 -n 0.5 heart m >out2 &&
	close_objectives out1 out2 1e-6'

# ---- same bytes for any number of threads and any time; another seed, the same optimum ----

svm-gen ringnorm -n 3000 ring
svm-gen friedman -n 2000 friedman
same_bytes()
{
	randsvm-train --sample 100 --threads 1 "$@" m1 >out1 &&
		randsvm-train --sample 100 --threads 3 "$@" m3 >out3 && same_files m1 m3 &&
		cmp out1 out3 && proved out1 1e-3 &&
		randsvm-train --sample 100 --seed 7 "$@" m3 >out3 && close_objectives out1 out3 1e-4
}
ok 'threads: one-class'          same_bytes -s 2 -n 0.1 -g 0.05 ring
ok 'threads: nu-SVC'             same_bytes -s 1 -n 0.2 -g 0.05 ring
ok 'threads: nu-SVR'             same_bytes -s 4 -n 0.3 -c 10 -g 0.5 friedman
ok 'threads: three classes'      same_bytes -s 1 -n 0.5 three_class

# equal examples are trained as one
awk '{ print; print; print }' heart >thrice
ok 'equal examples, one-class' \
	'svm-train -e 1e-5 -s 2 -n 0.2 thrice m >out1 && randsvm-train --sample 60 -s 2 -n 0.2 thrice m >out2 &&
	close_objectives out1 out2 1e-4 && proved out2 1e-3'
ok 'equal examples, nu-SVC' \
	'svm-train -e 1e-5 -s 1 -n 0.4 thrice m >out1 && randsvm-train --sample 60 -s 1 -n 0.4 thrice m >out2 &&
	close_objectives out1 out2 1e-4 && proved out2 1e-3'

# ---- data and nu made to break it ----

# finite OPTION...: proved, and svm-predict reads it
finite()
{
	randsvm-train "$@" m >out && proved out 1e-3 && ! grep -E 'nan|inf' m out
}
printf '+1 1:1\n-1 1:2\n' >two
printf '1.5 1:1\n' >single
for i in 1 2 3 4 5 6 7 8; do echo '+1 1:1 2:3'; done >equal
(cat equal; sed 's/^+1/-1/' equal) >both
(echo '+1 1:1'; for i in 1 2 3 4 5 6; do echo "-1 1:$i"; done) >rare
ok 'one-class: nu = 1'           finite -s 2 -n 1 heart
ok 'one-class: nu = 1/l'         finite -s 2 -n 0.0037037037 heart
ok 'one-class: two rows'         finite -s 2 two
ok 'one-class: a single row'     finite -s 2 single
ok 'one-class: equal rows'       finite -s 2 equal
ok 'one-class: equal, nu = 1'    finite -s 2 -n 1 equal
ok 'nu-SVC: two rows'            finite -s 1 two
ok 'nu-SVC: two rows, nu = 1'    finite -s 1 -n 1 two
ok 'nu-SVC: the largest nu'      finite -s 1 -n 0.88888888 heart
ok 'nu-SVC: r less than -e'      finite -s 1 -n 0.01 heart
ok 'nu-SVC: a class of one row'  'sed 2,3d rare | finite -s 1 -n 0.2 -'
ok 'nu-SVR: two rows, nu = 1'    finite -s 4 -n 1 two
ok 'nu-SVR: a single row'        finite -s 4 single
ok 'nu-SVR: equal targets'       'finite -s 4 equal && svm-predict equal m p && [ "$(sort -u p)" = 1 ]'
ok 'nu-SVR: targets that differ' finite -s 4 both
ok 'nu-SVR: nu = 1'              finite -s 4 -n 1 heart
ok 'nu-SVR: nu = 1, odd rows'    'sed 1d heart | finite -s 4 -n 1 --sample 61 -'
ok 'nu-SVR: nu = 1/l'            finite -s 4 -n 0.0037037037 heart

# Without noise the tube vanishes and most of the sums is slack.
awk 'BEGIN { for (i = 0; i < 700; i++) { x = (i * 37 % 700) / 35 - 10; printf "%.9g 1:%.9g\n", x ? sin(x) / x : 1, x } }' >smooth
ok 'nu-SVR without noise' \
	'for s in 2000 50; do randsvm-train --sample $s -s 4 -g 1 -c 0.01 -n 0.9 -e 1e-6 smooth m >out &&
	proved out 1e-3 && grep "^epsilon = [-]*0.0000" out || exit 1; done'
ok '... against svm-train' \
	'svm-train -e 1e-6 -s 4 -g 1 -c 0.01 -n 0.9 smooth m >out1 && close_objectives out1 out 1e-4'
ok 'as smooth, and a larger C' \
	'for c in 1 10; do randsvm-train --verbose -s 4 -g 1 -c $c -n 0.9 smooth m >out && near_gap out 1e-9 || exit 1; done'

# The core of a working set has taken all of the slack: its steps end where it has no violation.
svm-gen twonorm -q -n 2001 >many
ok 'nu-SVR of over 2000 rows' \
	'randsvm-train -s 4 -n 0.2 many m >out && proved out 1e-3 && sed -n "s/.*#iter = //p" out |
	awk "{ exit !(\$1 < 100000) }"'

# Multipliers of 1e4 that nearly cancel: float kernel values left a dual of -63, and 0 is feasible
awk 'BEGIN { x = 1; for (i = 0; i < 300; i++) { x = (x * 69069 + 1) % 4294967296; a = x / 4294967296 * 6; printf "%.9f 1:%.6f\n", sin(a), a } }' >sines
ok 'no dual below 0' \
	'randsvm-train -s 3 -p 0 -g 1 -c 1e4 sines m >out && sed -n "s/^obj = \([^,]*\),.*/\1/p" out |
	awk "{ exit !(\$1 < 0) }"'

# ---- rows outside a one-class model ----

awk 'BEGIN { srand(11); for (i = 0; i < 60; i++) { printf "1"; for (j = 1; j <= 3; j++) printf " %d:%.6f", j, rand() + rand() + rand() + rand() - 2; print "" } }' >cloud
gzip -dc "$T/a1a.gz" >a1a
# outside NU DATA: how many rows svm-predict has outside of model m is at most a share of nu
outside()
{
	svm-predict "$2" m p >/dev/null && awk -v nu="$1" '$1 < 0 { n++ } END { print n + 0 " of " NR; exit n > nu * NR }' p
}
for n in .001 .02 .1 .3; do
	for a in '-g .9 cloud' '-g 9 cloud' '-t 1 -r 1 cloud' '-t 3 heart' '-g .1 heart' '-t 0 heart' '-g .05 a1a' '-t 0 cloud'; do
		ok "at most nu of the rows are outside: -n $n $a" "randsvm-train -q -s 2 -n $n $a m && outside $n ${a##* }"
		ok '... without a violator, and it stays repaired' \
			"svm-eval --certify ${a##* } -n $n --repair mended m >out && grep ' violators = 0$' out && grep 'repaired = 0 of 1' out && same_files m mended"
	done
done
ok 'a constant repaired leaves as many outside as training does' \
	'randsvm-train -q -s 2 -n .1 -g .1 heart m && sed "s/^rho .*/rho 6.6/" m >moved && rm m &&
	svm-eval --certify heart -n .1 --repair m moved >out 2>err; grep "repaired = 1 of 1" out && outside .1 heart'
ok 'LIBSVM: a note' \
	'streams 0 "nSV = " "of the training rows are outside the model, and -n 0.03125 allows 3.12 %" randsvm-train --mode direct -s 2 -g .875 -n .03125 cloud m &&
	svm-train -q -s 2 -g .875 -n .03125 cloud m1 && same_files m m1'
ok 'else none' 'streams 0 "nSV = " "" randsvm-train -s 2 -g .9 -n .02 cloud m && [ ! -s stderr ]'

# ---- nu that nothing can be done with ----

# Reduced hulls that meet: svm-train writes a model of rounding errors, here C = inf
fail 1 'no margin between classes 1 and -1 with nu = 0.5' randsvm-train -s 1 both m
fail 1 'no margin between classes 1 and -1 with nu = 0.1' randsvm-train -s 1 -n 0.1 rare m
# r^2 is 0, or w is rounding: an error, and the old model
kernel_matrix heart 120 13 1 >kernel120
for n in 1e-300 1e-160 1e-20; do
	ok "-n $n: no margin"            'for a in "-t 0 heart" "-t 1 heart" "-t 2 heart" "-t 2 three_class" "-t 4 kernel120"; do echo old >m; streams 1 "" "no margin between classes" randsvm-train -q -s 1 -n '$n' $a m && grep -x old m || exit; done'
done
# centred DIGITS: the linear kernel of rows that come as x and -x, with so many digits
centred()
{
	awk -v form=" %d:%.$1g" 'BEGIN {
		srand(3); n = 400
		for (i = 0; i < n; i += 2) { x[i] = rand() * 3; y[i] = rand() - .5; x[i + 1] = -x[i]; y[i + 1] = -y[i] }
		for (i = 0; i < n; i++) {
			printf "1 0:%d", i + 1
			for (j = 0; j < n; j++)
				printf form, j + 1, x[i] * x[j] + y[i] * y[j]
			print ""
		} }'
}
for digits in 17 6; do
	centred $digits >rows
	for n in .1 .5; do
		ok "one-class, the origin among the rows, $digits digits, -n $n" \
			'streams 0 "" "no plane separates the rows from the origin" randsvm-train -q -s 2 -n '$n' -t 4 rows m && sed 1,/^SV/d m | grep -q . &&
			streams 0 "Objective 0, " "no plane separates" randsvm-train -s 2 -n '$n' -t 4 rows m'
	done
done
ok 'one-class, next to nothing'           'randsvm-train -s 2 -t 1 -n 1e-10 heart m >out && proved out 1e-2'
# overlapping SEED: few rows of whole numbers, many of them equal
overlapping()
{
	awk -v seed="$1" 'BEGIN {
		srand(seed); n = 10 + int(rand() * 60); d = 1 + int(rand() * 4)
		for (i = 0; i < n; i++) {
			printf "%d", rand() < .5 ? 1 : -1
			for (j = 1; j <= d; j++)
				printf " %d:%g", j, int(rand() * 7 - 3) * (seed % 3 ? 1 : .37)
			print ""
		} }'
}
# margin_or_error: a model is written where the primal proves a margin, and no other
margin_or_error()
{
	local seed nu t e models=0
	for seed in 3 14 23 26 28 34 44 56 57; do
		overlapping $seed >rows
		for nu in .05 .1 .2 .3; do
			for t in 0 1 2; do
				for e in 1e-3 1e-6; do
					randsvm-train -s 1 -t $t -n $nu -e $e -g 1 rows m >out 2>err ||
						{ grep -q 'no margin between' err && continue; return 1; }
					grep -q '^Objective -[0-9]' out || { echo "$seed $nu $t $e"; return 1; }
					models=$((models + 1))
				done
			done
		done
	done
	echo $models models
	[ $models -gt 4 ]
}
ok 'a margin that the primal proves, or none' margin_or_error
# rows 2.4e-5 apart, whose kernel values are 1 in floats, as the linear machine has them: f is the
# same up to 2 gamma
ok 'a margin that floats do not see' \
	'awk "BEGIN { for (i = 0; i < 40; i++) { y = i % 2 ? 1 : -1; print y, \"1:\" (i * 7 % 13 + y) * 2.4e-5 } }" >near;
	randsvm-train -s 1 -n 0.7 -g 0.5 near m >out && randsvm-train -s 1 -n 0.7 -t 0 near m2 >out2 &&
	proved out 5e-3 && close_objectives out out2 1e-6'

kernel_matrix heart 120 13 1e14 >kernel120
ok 'a w of rounding is no margin' \
	'streams 1 "" "no margin between classes 1 and -1" randsvm-train -q -s 1 -n 0.2 -t 4 kernel120 m'
# Kernel values from 1 to 1e16: the step of a pair is lost in the rounding of its multipliers, and
# svm-train takes it ten million times
for degree in 1 3; do
	kernel_matrix heart 30 13 1e16 $degree >kernel30
	ok "steps that move nothing, degree $degree" \
		'randsvm-train -s 1 -t 4 kernel30 m >out 2>err; grep "^Objective" out |
		awk "{ sub(/.*relative gap = /, \"\"); exit !(\$1 + 0 < 1e-9 && \$1 + 0 > -1e-9) }" &&
		grep "#iter = [0-9]\{1,5\}$" out'
done
ok 'no model then'               'rm -f m; ! randsvm-train -q -s 1 both m && [ ! -e m ]'
fail 1 'specified nu is infeasible' randsvm-train -s 1 -n 0.9 heart m
fail 1 'specified nu is infeasible' randsvm-train -s 1 -n 0.5 rare m
# LIBSVM is neither asked nor loaded: it would crash where memory runs out
for s in 1 2 4; do
	ok "-s $s without LIBSVM" \
		"LD_DEBUG=files LD_DEBUG_OUTPUT=loaded randsvm-train -q -s $s -n 0.3 heart m && [ -s m ] &&
		grep -h -c 'file=.*libz' loaded.* && ! grep libsvm loaded.*; r=\$?; rm -f loaded.*; exit \$r"
done
for mode in paper reweight; do
	for s in 1 2 4; do
		fail 1 "--mode $mode is for -s 0 and -s 3" randsvm-train --mode $mode -s $s heart m
	done
done

# ---- ended early ----

# early OPTION...: a model that svm-predict reads, and a primal that is not below the optimum's; nu-SVR's
# sums are limits, so that there is a dual
early()
{
	local bound='dual unknown'
	[ $2 = 4 ] && bound='relative gap = '
	randsvm-train --sample 100 "$@" m >out && proved out 1e-3 &&
		streams 0 "$bound" 'reaching the time limit' \
			randsvm-train --sample 100 --time-limit 0.000001 --report r "$@" m || return
	svm-predict ring m p && json_has r primal dual stop_reason && cat out stdout | awk '
		/^Objective/ { p[++n] = $2 + 0 }
		END { print p[1], p[2]; exit !(n == 2 && p[2] >= p[1]) }'
}
ok '--time-limit, one-class'     early -s 2 -n 0.1 -g 0.05 ring
ok '--time-limit, nu-SVC'        early -s 1 -n 0.2 -g 0.05 ring
ok 'no margin yet is no fault of nu' \
	'svm-gen twonorm -n 3000 --noise 0.05 >noisy && randsvm-train -q -s 1 -n 0.05 -g 0.05 noisy m &&
	streams 1 "" "no margin so far between classes 1 and -1" randsvm-train -q --sample 100 \
	--time-limit 0.000001 -s 1 -n 0.05 -g 0.05 noisy none_yet && [ ! -e none_yet ]'
ok '--time-limit, nu-SVR'        early -s 4 -n 0.3 -c 10 -g 0.5 ring
ok '--time-limit, equal rows'    'awk "{ print; print }" ring >twice && early -s 2 -n 0.1 -g 0.05 twice'
ok '--gap' \
	'randsvm-train --sample 100 --gap 0.01 --report r -s 2 -n 0.1 -g 0.05 ring m >out &&
	json_has r relative_gap && grep -q "the duality gap asked for" r'
ok '--sv-indices' \
	'randsvm-train --sv-indices i -s 2 heart m >out && [ "$(wc -l <i)" = "$(sed -n "s/total_sv //p" m)" ]'
ok '-v as svm-train' \
	'for s in 1 2; do svm-train -s $s -n 0.4 -v 5 heart | grep ^Cross >a &&
	randsvm-train -q -s $s -n 0.4 -v 5 heart | cmp a - || exit 1; done'

# far_margin: rows far from 0, whose gap rounding makes 0 or less: C, which is over r, does not depend
# on how small -e is
far_margin()
{
	for seed in 1 2 5; do
		awk -v seed=$seed 'BEGIN {
			srand(seed)
			for (i = 0; i < 30; i++) {
				x = -6
				noise = -6
				for (k = 0; k < 12; k++) {
					x += rand()
					noise += rand()
				}
				printf "%d 1:%.12f\n", (x + .5 * noise > 0) ? 1 : -1, 1000 + x
			}
		}' >far
		for e in 1e-5 1e-7; do
			randsvm-train --force -s 1 -n 0.5 -g 1e-4 -e $e far m | sed -n 's/^C = //p'
		done | awk '{ c[NR] = $1 } END { print c[1], c[2]; exit !(NR == 2 && (c[1] / c[2] - 1) ^ 2 < 2.5e-9) }' ||
			return
	done
}
ok 'a margin of rows far from 0' far_margin
