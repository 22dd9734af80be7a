# Little address space (ulimit -v, as batch systems set it) or stack (ulimit -s): a result or an error,
# soon, no file.
#
# A program that tries again for ever is ended by the limit on CPU time, its status is then 137.

. "$TOP/test/helpers.bash"

if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind need much address space'
	return
fi

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
randsvm-train -q -t 0 heart linear_model
# OpenBLAS with as many threads as it likes
unset OPENBLAS_NUM_THREADS

# limited KB COMMAND...
limited()
{
	ulimit -v "$1"
	ulimit -t 60
	ulimit -c 0
	"${@:2}"
}

# sweep FROM TO STEP COMMAND...: with FROM, FROM + STEP, ... TO MB the command writes
# what it writes without a limit, or says that memory is short and leaves no file; each happens
sweep()
{
	local mb status n_written=0 n_short=0 from=$1 to=$2 step=$3
	shift 3
	rm -rf swept unlimited
	mkdir swept unlimited
	(cd unlimited && "$@") >/dev/null || return
	for ((mb = from; mb <= to; mb += step)); do
		# what does not even let the dynamic linker finish is not looked at
		(limited $((mb * 1000 - 500)) "$1" --help) >/dev/null 2>&1 || continue
		(cd swept && limited $((mb * 1000)) "$@") 2>messages
		status=$?
		cat messages
		echo "$mb MB: exit status $status" swept/*
		if [ $status = 0 ] && diff -r swept unlimited; then
			n_written=$((n_written + 1))
		elif [ $status = 1 ] && grep 'out of memory' messages && [ -z "$(ls swept)" ]; then
			n_short=$((n_short + 1))
		else
			return 1
		fi
		rm -f swept/*
	done
	[ $n_written -gt 0 ] && [ $n_short -gt 0 ]
}

# ---- The buffers of the BLAS: 128 MB each ----

fail 1 'out of memory'                   limited 102400 randsvm-train -q -t 0 --threads 1 a1a m
ok 'no model'                            '! compgen -G "m*" | grep -v messages'
ok 'what needs no library'               limited 15000 randsvm-train --help
ok 'a small machine' \
	'limited 150000 randsvm-train -q heart m && randsvm-train -q heart m1 && same_files m m1'
ok 'linear'                              sweep 60 300 40 randsvm-train -q -t 0 --threads 1 ../a1a m
ok 'linear, threads'                     sweep 100 500 80 randsvm-train -q -t 0 --threads 4 ../a1a m
for m in bss approx-bss leverage approx-leverage top rrqr lpsvm; do
	ok "fs-select, $m" sweep 90 290 100 fs-select -q --unsupervised -m $m -k 5 --threads 1 ../heart out
done
ok 'fs-select, threads'                  sweep 100 500 80 fs-select -q --unsupervised -k 5 --threads 4 ../heart out
ok 'principal components'                sweep 100 300 40 rp-project -q -m pca -k 3 --threads 1 ../heart out
ok 'rank and radius'                     sweep 100 300 40 svm-eval -q --geometry ../heart --threads 1 ../linear_model

# ---- LIBSVM, which does not check what malloc() gives it ----

ok 'LIBSVM'                              sweep 6 36 1 randsvm-train -q --mode direct --threads 1 ../a1a m
ok 'LIBSVM, cross validation'            sweep 6 36 3 randsvm-train -q --mode direct -v 3 --threads 1 ../a1a
ok 'LIBSVM, probabilities'               sweep 6 36 3 randsvm-train -q --mode direct -b 1 --threads 1 ../a1a m
ok 'LIBSVM in working sets'              sweep 6 36 3 randsvm-train -q --solver libsvm --sample 500 --threads 1 ../a1a m

# ---- The stack ----

# stack KB COMMAND...: what the command writes without a limit on the stack
stack()
{
	rm -rf swept unlimited
	mkdir swept unlimited
	(cd unlimited && "${@:2}" >stdout) && (cd swept && ulimit -s "$1" && "${@:2}" >stdout) && diff -r swept unlimited
}
for program in randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen svm-convert; do
	ok "$program, a small stack"     stack 64 $program --version
done
ok 'an unlimited stack'                  stack unlimited rp-project --version
ok 'beside a large environment'          'export X=$(head -c 30000 /dev/zero | tr "\0" x); stack 64 svm-fold --version'
for kb in 192 512; do
	ok "threads, $kb KB"             stack $kb randsvm-train -q --threads 8 ../a1a m
	ok "linear, $kb KB"              stack $kb randsvm-train -q --threads 8 -t 0 ../a1a m
	ok "rows, $kb KB"                stack $kb rp-project -q -m fht -k 100 --threads 8 ../a1a out
done
# too small for what is to be done
fail 1 'svm-gen: out of stack: ulimit -s 512 is enough'   'ulimit -s 32; svm-gen twonorm -n 9 -q -o out'
ok 'and no file'                         '! compgen -G "*out*"'
