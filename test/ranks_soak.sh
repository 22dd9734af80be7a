# randsvm-train-mpi: trainings drawn at random, with the models and lines of randsvm-train; SOAK=N draws N, SEED=N others

. "$TOP/test/helpers.bash"
. "$TOP/test/mpi.bash"

draws=${SOAK:-$([ "$SANITIZE$WRAP" ] && echo 12 || echo 60)}
RANDOM=${SEED:-52}

# ---- data ----

# .c: two classes; .m: several; .r: a regression
gzip -dc "$T/heart_scale.gz" >heart.c
gzip -dc "$T/a1a.gz" >a1a.c
cp "$T/three_class" three.m
cp "$T/sinc" sinc.r
svm-gen twonorm -q -n 700 -d 5 --seed 1 >twonorm.c
svm-gen ringnorm -q -n 1500 --seed 2 >ringnorm.c
svm-gen checkerboard -q -n 900 --seed 3 >checkerboard.c
svm-gen friedman -q -n 600 --seed 4 >friedman.r
svm-gen relevant -q -n 200 -d 60 --seed 5 >relevant.c
svm-gen text -q -n 800 -d 900 --words 12 --seed 6 >text.c
# pairs of so many rows are dealt to the ranks
svm-gen checkerboard -q -n 1500 --seed 8 | awk '{ $1 = NR % 7 * (NR % 3 + 1); print }' >many.m
svm-gen separable -q -n 5 -d 3 --seed 7 >few.c
# fields of the square are classes; rows far from 0; integers, some rows of which are equal
awk '{ split($2, a, ":"); split($3, b, ":"); $1 = int(a[2]) + 2 * (b[2] > 2); print }' checkerboard.c >fields.m
awk '{ for (j = 2; j <= NF; j++) { split($j, a, ":"); $j = a[1] ":" a[2] + 1000 } print }' twonorm.c >far.c
awk '{ for (j = 2; j <= NF; j++) { split($j, a, ":"); $j = a[1] ":" int(2 * a[2]) } print }' twonorm.c >integers.c
data=(*.c *.c *.m *.m *.r)
for file in *.[cmr]; do
	awk '{ print NR % 4 / 2 }' "$file" >"$file.weights"
	gzip -c "$file" >"$file.gz"
	split -n l/3 "$file" "$file.part." && ls "$file".part.* >"$file.list"
	rp-project -q -m none --binary "$file" "$file.binary"
done

# with OPTION VALUE...: the option with one of the values; sometimes N: true once in N times
of() { shift $((RANDOM % $#)); one=$1; }
with() { of "${@:2}"; options+=" $1 $one"; }
sometimes() { ((RANDOM % $1 == 0)); }

# ---- a training ----

# draw: sets $options and, of several words, $input
draw()
{
	options=
	of "${data[@]}"
	file=$one
	case $file in
	*.r) with -s 3 3 4 && with -p 0.05 0.2 ;;
	*) with -s 0 0 0 0 0 1 2 ;;
	esac
	with -t 2 2 2 2 2 1 1 3 0
	with -c 0.1 1 1 10 100
	with -g 0.01 0.05 0.5 2
	with -r 0 1
	with -d 2 3
	with -n 0.1 0.3
	sometimes 3 || with --sample 7 20 60
	[[ $options = *'-s 0'* ]] && sometimes 3 && with -w1 0.3 5 && with -w-1 2
	sometimes 6 && with -W "$file.weights"
	sometimes 10 && with --mode budget && with --budget 40
	sometimes 6 && with -e 0.1 0.00001
	sometimes 8 && with --gap 0.0001
	[ "$file" != many.m ] || with -m 1
	sometimes 4 && with --memory "$least"
	of "$file" "$file" "$file.gz" - @"$file.list" "$file.binary" "$(echo "$file".part.*)"
	input=$one
	of 1 2 2 3 4 5
	n_ranks=$one
	of 1 2 3
	threads=$one
	# one in four is by the program as it is, which leaves what is small to rank 0
	of "$small" "$small" "$small" randsvm-train-mpi
	program=$one
}

# train FILE PROGRAM...: with the drawn options and input; the model and what is said in FILE.*
train()
{
	rm -f "$1.model"
	# shellcheck disable=SC2086
	timeout 300 "${@:2}" --report "$1.report" $options $input "$1.model" <"$file" >"$1.out" 2>"$1.err"
}

# alike: the model, the lines and the remarks of both, or the same refusal
alike()
{
	local status
	train alone randsvm-train --threads "$((1 + n_ranks % 2))"
	status=$?
	train ranks $mpirun -n "$n_ranks" "$program" --threads "$threads"
	[ $? = $status ] && [ $status -le 1 ] || { cat ranks.err; return 1; }
	# what was printed before a failure depends on which pair came to it first
	[ $status = 1 ] || { cmp alone.out ranks.out && cmp alone.model ranks.model; } || return
	# a remark that only who has all entries makes; mpirun has lines of its own about status 1
	sed -i '/ have no other row near/d' alone.err
	sed '/: note: rank 0 did all of it/d; / have no other row near/d; s/randsvm-train-mpi/randsvm-train/g' ranks.err >said
	[ $status = 0 ] || { grep -x -F -f alone.err said >kept; mv kept said; }
	diff alone.err said || return
	echo "$status $(requests ranks.report)" >>all
}

# the least bound that all trainings accept, with what MPI itself takes
least=$($mpirun -n 5 "$small" --memory 3 a1a.c model 2>&1 | sed -n 's/.*too small: \([0-9]*\) MB would do$/\1/p')
least=$((least + 2))
for ((k = 0; k < draws; k++)); do
	draw
	ok "$n_ranks ranks, $threads threads: ${program##*/}$options $input" alike
done
# what was drawn is mostly trained, and by sums on ranks
ok 'enough was trained'            'awk "{ n += \$1 == 0; sums += \$2 > 0 } END { exit !(n >= .6 * NR && sums >= .2 * NR) }" all'
