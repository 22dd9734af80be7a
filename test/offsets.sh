# Rows far from 0: an rbf kernel does not know the origin.  What is said of rows with an offset is
# what is said of the same rows without, which are the reference; the offsets are exact in doubles.

. "$TOP/test/helpers.bash"

need python3

# rows N CLASSES EXTRA: N rows of two columns 0 .. 99 with 6 binary digits behind the point, of
# classes that are rings, some wrong; and EXTRA columns of which a row has few
rows()
{
	awk -v n="$1" -v k="$2" -v extra="$3" 'function draw(m) { s = (s * 16807) % 2147483647; return s % m }
	BEGIN { s = 4711 + n
		for (i = 0; i < n; i++) {
			x = draw(6400) / 64; y = draw(6400) / 64
			r = int(((x - 50) ^ 2 + (y - 50) ^ 2) / 5001 * k * 1.5)
			c = draw(20) ? (r < k ? r : k - 1) : draw(k)
			line = sprintf("%d 1:%.6f 2:%.6f", c, x, y)
			for (j = 0; j < extra; j++) if (!draw(5)) line = line " " (j + 3) ":" draw(30)
			print line } }'
}
moved() { python3 "$TOP/test/plain_offset.py" "$@"; }

rows 120 2 0 >dense
rows 120 3 30 >sparse
rows 6 3 0 | awk '{ $1 = NR % 3; print }' >few
awk '{ $1 += NR % 7 / 7; print }' dense >targets
declare -A offsets=([6]='1000000' [9]='4000000000 -1700000000' [11]='- 100000000000'
	[12]='1700000000000 1e10' [13]='-10000000000000')
for o in "${!offsets[@]}"; do
	for data in dense sparse few targets; do
		moved ${offsets[$o]} <$data >$data.$o
	done
done

# figures COMMAND...: the first numbers of the last line it prints, but for those of all pairs
figures() { "$@" >out 2>err && grep -v -e "^all " -e "^worst: " -e "^Work, " out | tail -n 1 | grep -o -E '[-]?[0-9.]+(e[-+]?[0-9]+)?' | head -n 2; }

# alike TOLERANCE DATA OFFSET COMMAND...: the same figures with and without the offset; FILE in the
# command is the data
alike()
{
	local tolerance=$1 data=$2 offset=$3
	shift 3
	figures "${@/#FILE/$data}" >a && figures "${@/#FILE/$data.$offset}" >b || return
	paste a b
	[ -s a ] && near a b "$tolerance"
}

for o in "${!offsets[@]}"; do
	for data in dense sparse; do
		for options in '' '-s 1 -n .2' '-s 2 -n .2' '-b 1' '--mode paper' '--mode budget --budget 60' '--solver libsvm' \
			'--threads 2'; do
			ok "train, $data, 1e$o: $options" \
				alike 3e-3 $data $o randsvm-train --verbose $options -g .003 -c 10 FILE m
		done
		ok "-v, $data, 1e$o"                 alike 1e-9 $data $o randsvm-train -v 5 -g .003 -c 10 -e 1e-6 FILE
		ok "-v N, $data, 1e$o"               alike 1e-9 $data $o randsvm-train -v 120 -g .003 -e 1e-6 FILE
		ok "-v -b 1, $data, 1e$o"            alike 1e-9 $data $o randsvm-train -v 3 -b 1 -g .003 -e 1e-6 FILE
		ok "grid, $data, 1e$o" \
			alike 1e-9 $data $o randsvm-grid -log2c 0,4,4 -log2g -8,-2,3 -v 3 -e 1e-6 --gnuplot null FILE
	done
	ok "three classes of two rows, 1e$o"         alike 3e-3 few $o randsvm-train --verbose -g .001 -c 10 FILE m
	ok "epsilon-SVR, 1e$o"                       alike 3e-3 targets $o randsvm-train --verbose -s 3 -g .003 FILE m
	ok "nu-SVR, 1e$o"                            alike 3e-3 targets $o randsvm-train --verbose -s 4 -g .003 FILE m
	ok "the file, 1e$o" \
		"randsvm-train -q -g .003 dense m && randsvm-train -q -g .003 dense.$o m2 &&
		svm-eval -q --scores dense m a && svm-eval -q --scores dense.$o m2 b && near a b 2e-3 &&
		svm-eval --certify dense.$o m2 >out && sed -nE 's/.*relative gap = ([^,]*).*/0 \\1/p' out >gap &&
		awk '{ exit !(\$2 < 1e-3) }' gap"
	ok "epsilon-SVR, -v, 1e$o"                   alike 1e-4 targets $o randsvm-train -v 4 -s 3 -e 1e-6 -g .003 FILE
done

# a column that some rows have not is not shifted, and its kernel values are differences
moved 10000 --gaps <dense >gap
moved 10000000000 --gaps <dense >gap.far
for options in '' '-s 2 -n .2' '-b 1'; do
	ok "a column with gaps: $options"            alike 3e-3 gap far randsvm-train --verbose $options -g .02 FILE m
done
ok 'a column with gaps: -v'                          alike 1e-9 gap far randsvm-train -v 5 -e 1e-6 -g .02 FILE
ok 'a column with gaps: few' \
	'moved 100 1e10 --gaps <few >few.far; randsvm-train -g .1 -c 10 few.far m >out && proved out 1e-3'

# a linear machine whose constant is free does not know it either, where machines make predictions alone
for o in 6 9 11 12; do
	ok "linear, -v, 1e$o"                        alike 1e-9 dense $o randsvm-train -t 0 -v 5 -e 1e-6 FILE
	ok "linear, -v -b 1, 1e$o"                   alike 1e-9 sparse $o randsvm-train -t 0 -v 5 -b 1 -e 1e-6 FILE
	ok "linear, -v, nu, 1e$o"                    alike 1e-3 targets $o randsvm-train -t 0 -s 4 -v 5 -e 1e-6 FILE
	ok "linear, -v, few, 1e$o"                   alike 1e-9 few $o randsvm-train -t 0 -c .001 -v 2 -e 1e-6 FILE
	ok "linear, -v, regression, 1e$o"            alike 1e-3 targets $o randsvm-train -t 0 -s 3 -v 5 -e 1e-6 FILE
	ok "linear, grid, 1e$o" \
		alike 1e-9 dense $o randsvm-grid -log2c 0,4,4 -t 0 -v 3 -e 1e-6 --gnuplot null FILE
	ok "linear, sigmoids, 1e$o" \
		"randsvm-train -q -t 0 -b 1 dense a.m && randsvm-train -q -t 0 -b 1 dense.$o b.m
		grep prob a.m >a && grep prob b.m >b && near a b 1e-3"
done

# ... but support vectors in model files make sums of products of rows as they are: weights do not
note='the model is written as with --compact: rows lie so far from 0 that'
for o in 6 9; do
	ok "linear, far, 1e$o" "randsvm-train -q -t 0 -c 10 dense m && streams 0 'relative gap' '$note' randsvm-train -t 0 -c 10 dense.$o m2 &&
		svm-eval -q --scores dense m a && svm-eval -q --scores dense.$o m2 b && near a b 2e-3"
	ok "... --compact"             streams 0 'relative gap' '' randsvm-train -t 0 -c 10 --compact dense.$o m3
	ok '... is the same file'      same_files m2 m3
done
ok 'linear, near'                      streams 0 'relative gap' '' randsvm-train -t 0 dense m

# of three classes the last two are near one another, and the first is far from both
three()
{
	gzip -dc "$T/heart_scale.gz" | awk -v offset="$1" 'function row(class, far, j) {
		printf "%d", class
		for (j = 1; j <= 13; j++) printf " %d:%.6f", j, offset + far + x[j]
		print "" }
	{ split("", x); for (k = 2; k <= NF; k++) { split($k, entry, ":"); x[entry[1]] = entry[2] }
	  if (NR <= 30) row(1, 100); else row($1 > 0 ? 2 : 3, 0) }'
}
three 0 >three
three 1e9 >three.far
ok 'linear, near: three classes'   streams 0 '' '' randsvm-train -q -t 0 three m
ok 'linear, far: the second pair'  streams 0 'relative gap' "$note" randsvm-train -t 0 three.far m

# svm-train's own values are rounding errors there, and --mode direct has them
ok '--mode direct says so' streams 0 '' 'rows lie so far from 0' randsvm-train -q --mode direct dense.11 m
ok '... with -v'           streams 0 'Accuracy' 'rows lie so far from 0' randsvm-train -q -v 2 --mode direct dense.11
ok '... of such rows only' streams 0 '' '' randsvm-train -q --mode direct dense m
ok '... of rbf kernels'    '! randsvm-train -q --mode direct -t 1 -g 1e-12 few.9 m 2>&1 | grep "lie so far"'

# polynomial kernels know the origin, and doubles hold nothing of such rows: -v and searches refuse what
# training refuses, and rate the same rows without the offset
rows 40 2 0 >some
moved - 100000000000 <some >some.far
rows 60 3 0 | moved - 100000000000 >more.far
void='no solution.*: C times the largest kernel value is .*, too much for doubles'
void() { ! "$@" >out 2>err && grep "$void" err && ! grep -E 'Cross Validation|^[-0-9]' out; }
for options in '-t 1' '-t 1 -d 2 -r 1' '-s 3 -t 1'; do
	ok "polynomial, $options"           void randsvm-train -q $options some.far m
	ok "... -v"                         void randsvm-train -q -v 2 $options some.far
	ok '... -v N'                       void randsvm-train -q -v 40 $options some.far
	for memory in 100 .00001; do
		ok "... grid, -m $memory"   void randsvm-grid -log2c 0,4,4 -log2g null -v 2 $options -m $memory --gnuplot null some.far
		ok "... near"               randsvm-grid -log2c -30,-30,1 -log2g null -v 2 $options -m $memory --gnuplot null some
	done
done
ok '... with probabilities'                 void randsvm-train -q -v 2 -t 1 -b 1 some.far
ok '... three classes'                      void randsvm-train -q -v 2 -t 1 more.far
ok '... points that have a solution are rated' \
	'randsvm-grid -log2c 0,0,1 -log2g -62,0,62 -t 1 -v 2 --gnuplot null some.far >out 2>err &&
	grep "^.local. 0 0 failed" out && grep "^.local. 0 -62 [0-9]" out && tail -n 1 out | grep "^1.0 2.168.*e-19 " &&
	grep "1 points cannot be trained; the first: no solution" err'
ok '... whatever the number of threads' \
	'for t in 1 2; do randsvm-grid -log2c -9,9,9 -log2g -4,0,2 -t 1 -v 5 --threads $t --gnuplot null some.far >out.$t 2>err.$t; done
	grep "cannot be trained" err.1 && cmp err.1 err.2'

# solutions that violate nothing, as computed, and of which rounding leaves nothing proved: one verdict with
# -q and without, of training, of folds and of searches; and none of the same rows in doubles that hold them
moved - 10000 <some >some.coarse
moved - 10000 <dense >dense.coarse
verdict() { "$@" >out 2>err; echo $?; grep -o -E 'no solution|no margin|the largest kernel value' err | sort -u; }
# same OPTION... FILE [MODEL]: one verdict, with -q and without
same() { verdict randsvm-train "$@" >a; verdict randsvm-train -q "$@" >b; cat a b; cmp a b; }
for options in '-t 1 -d 2 -r 1' '-s 3 -t 1 -d 2 -r 1' '-s 4 -n .3 -t 1 -d 2 -r 1'; do
	for data in some dense; do
		ok "coarse, $data $options"  "same $options $data.coarse m && grep kernel a"
		ok '... -v'                  "same $options -v 3 $data.coarse && grep kernel a"
		ok '... -v, of many folds'   "same $options -v 20 $data.coarse && grep kernel a"
		for memory in 100 .00001; do
			ok "... grid, -m $memory" "randsvm-grid -log2c 0,0,1 -log2g null -v 3 $options -m $memory --gnuplot null $data.coarse >out 2>err
				cat err; grep 'largest kernel value is' err"
		done
		ok '... near'                "same $options -g .001 $data m && ! grep kernel a && same $options -g .001 -v 3 $data && ! grep kernel a"
	done
done
for options in '-t 1' '-t 1 -d 2 -r 1' '-t 3 -r 1 -g 1e9' '-s 1 -n .2 -t 1' '-s 1 -n .2 -t 1 -d 2 -r 1' '-s 2 -n .2 -t 1' '-s 3 -t 1'; do
	for data in some.coarse some.far more.far; do
		ok "-q, $data $options"      same $options $data m
		ok '... -v'                  same $options -v 2 $data
	done
done

# measures of regressions do not know the origin of the targets
for offset in 0 1700000000 1000000000000; do
	awk -v o=$offset 'BEGIN { for (i = 0; i < 40; i++) printf "%.0f 1:%d\n", o + i * 7 % 40, i * 7 % 40 + i % 3 }' >line.$offset
done
correlation() { sed -nE 's/.*Squared correlation coefficient = ([^ ]*).*/\1/p' "$1" >"$2"; }
for offset in 1700000000 1000000000000; do
	ok "squared correlation, $offset" "for o in 0 $offset; do
			randsvm-train -q -s 3 -t 0 -c 10 -p .01 line.\$o m && svm-eval line.\$o m >out.\$o || exit
		done
		correlation out.0 a && correlation out.$offset b && near a b 1e-4"
	ok "... -v, $offset" "for o in 0 $offset; do randsvm-train -q -s 3 -t 0 -c 10 -p .01 -v 4 line.\$o >out.\$o || exit; done
		correlation out.0 a && correlation out.$offset b && near a b 1e-3"
done
printf '7 1:1\n7 1:2\n7 1:3\n' >flat
ok 'no correlation of equal targets' streams 0 'correlation coefficient = ' 'undefined: all targets are equal' \
	randsvm-train -q -s 3 -v 3 flat
ok '... of equal predictions' 'randsvm-train -q -s 3 flat m; awk "{ \$1 = NR; print }" flat >rising
	svm-eval --report r rising m 2>err; grep "undefined: all predictions are equal" err && grep "squared_correlation.*null" r'

# over the shim svm-train is as exact
if [ "$SANITIZE" ] || ! command -v svm-train >program; then
	skip 'no svm-train, or a program without sanitizers, which cannot load the shim'
else
	for o in 9 12; do
		for data in dense sparse few; do
			ok "shim, $data, 1e$o"       alike 3e-3 $data $o env LD_PRELOAD="$SHIM" svm-train -q -v 2 -g .001 -e 1e-6 FILE
		done
	done
	ok 'shim, polynomial, -v: NaN, and why' \
		'LD_PRELOAD="$SHIM" svm-train -v 2 -s 3 -t 1 some.far >out 2>err; grep "Mean squared error = -*nan" out &&
		grep "^ERROR: svm_cross_validation: $void" err'
	ok 'shim, linear, far: a model, and a warning' \
		'LD_PRELOAD="$SHIM" svm-train -t 0 dense.9 m 2>&1 | grep "WARNING: rows lie so far from 0" && grep ^SV m'
	ok 'shim, linear, near: none' \
		'! LD_PRELOAD="$SHIM" svm-train -t 0 dense m 2>&1 | grep "lie so far"'
	ok 'shim, polynomial: a model, and a warning' \
		'LD_PRELOAD="$SHIM" svm-train -s 3 -t 1 some.far m >out 2>err && grep "WARNING: $void" out err && grep ^SV m'
fi
