# randsvm-train-mpi: models and lines are those of randsvm-train, for any ranks and threads.

. "$TOP/test/helpers.bash"
. "$TOP/test/mpi.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a9a.gz" | head -n 3000 >a3000
cp "$T/three_class" "$T/sinc" .
svm-gen twonorm -q -n 20000 --seed 1 >twonorm

# counts REPORT: the work, whichever rank did it
counts() { sed -n '/^\t"work":/,/^\t}/p' "$1"; }

# together PROGRAM LEAST "N:THREADS..." OPTION... DATA: the model, the lines, what is said and the work
# are randsvm-train's, the latter unless memory is bounded, or pairs are $dealt; at least LEAST requests
# where there are several ranks
together()
{
	local program=$1 least=$2 n threads each
	randsvm-train --report alone.report "${@:4}" alone.model >alone.out 2>alone.err &&
		counts alone.report | grep per_floor || return
	for each in $3; do
		n=${each%:*} threads=${each#*:}
		ranks "$n" "$program" --report report --threads "$threads" "${@:4}" model >out 2>err &&
			cmp alone.model model && cmp alone.out out &&
			{ [[ $* = *--memory* || $dealt ]] || diff <(counts alone.report) <(counts report); } || return
		sed '/: note: rank 0 did all of it/d; s/^randsvm-train-mpi/randsvm-train/' err |
			diff alone.err - || return
		[ "$n" = 1 ] || [ "$(requests report)" -ge "$least" ] || return
	done
}

all='1:2 2:1 3:2 4:1 7:2'
ok 'a9a'                           together "$small" 5 "$all 1:1 2:2 3:1 4:2 7:1" -c 10 -g 0.01 --sample 100 a3000
ok 'heart_scale'                   together "$small" 5 "$all" -c 1 -g 0.05 --sample 20 heart
ok 'three classes'                 together "$small" 5 "$all" -c 1 -g 0.5 --sample 20 three_class
ok 'a regression'                  together "$small" 5 "$all" -s 3 -p 0.05 --sample 20 sinc
ok 'in double precision'           together "$small" 2 '2:2 3:1' -s 3 -c 1000 -g 0.01 --sample 20 sinc
ok 'a polynomial'                  together "$small" 2 '2:2 3:1' -t 1 -d 2 -g 0.1 -r 1 --sample 20 heart
ok 'an indefinite kernel'          together "$small" 1 '2:2 3:1' -s 1 -t 3 -g 2 -r 0 --sample 7 three_class
ok 'weights'                       together "$small" 2 '3:1' -w1 3 -w-1 0.5 --sample 20 heart
# pairs that ranks train, whose kernel values a cache of 1 MB does not hold in one matrix
head -n 1400 a3000 | awk '{ $1 = NR % 7 * (NR % 3 + 1); print }' >many
dealt=yes
ok 'pairs are dealt'               together "$small" 1 "$all" -m 1 -g 0.05 many
ok 'one request'                   '[ "$(requests report)" = 1 ]'
ok 'with weights'                  together "$small" 1 '2:2 3:1' -m 1 -c 100 -g 0.2 -w3 5 -w12 0.1 many
ok 'of nu-SVC'                     together "$small" 1 '2:1 4:2' -m 1 -s 1 -n 0.05 -g 0.05 many
ok 'of a polynomial'               together "$small" 1 '2:2 3:1' -m 1 -t 1 -d 2 -g 0.1 -r 1 --sample 20 many
ok 'of an indefinite kernel'       together "$small" 1 '2:1 4:2' -m 1 -t 3 -g 0.02 -r -1 many
ok 'more ranks than pairs' \
	'cat three_class three_class >twice && together "$small" 1 "4:1 7:2" -m 1 -g 0.5 twice'
ok 'under a bound of memory'       together "$small" 1 3:1 -m 1 --memory 400 -g 0.05 many
ok 'a limit of time' \
	'ranks 3 "$small" -m 1 --time-limit 1e-3 -g 0.05 many model 2>&1 >out | grep "reaching the time limit" &&
	grep -x "nr_class $(cut -d " " -f 1 many | sort -u | wc -l)" model'
ok 'no margin' \
	'! randsvm-train -q -m 1 -s 1 -n 1e-9 -t 3 many m 2>err1 && grep "no margin" err1 &&
	! ranks 3 "$small" -q -m 1 -s 1 -n 1e-9 -t 3 many m 2>err && sed "s/^randsvm-train-mpi/randsvm-train/" err |
	grep -x -F -f err1'
dealt=
awk '{ print NR % 5 / 2 }' heart >rows.w
ok 'weights of rows'               together "$small" 0 '3:1' -W rows.w --sample 20 heart
for s in 1 2 4; do
	ok "-s $s"                 together "$small" 1 '2:2 3:1' -s $s -n 0.3 --sample 20 heart
done
ok 'a linear kernel'               together "$small" 0 "$all" -t 0 -c 10 a3000
ok 'linear, three classes'         together "$small" 0 '2:2 3:1' -t 0 three_class
ok 'linear, weights'               together "$small" 0 '2:2 3:1' -t 0 -w1 3 heart
for s in 1 2 3 4; do
	ok "linear, -s $s"         together "$small" 0 '2:2 3:1' -t 0 -s $s -n 0.4 heart
done
# rows of so many entries that each rank keeps its lists: products, packs, and lanes of descent
linear_on_ranks()
{
	svm-gen text -q -n 57000 -d 1500 --words 80 --seed 3 text &&
		together "$small" 20 '2:1 3:2 7:1' -t 0 text &&
		together "$small" 100 '4:2' -t 0 -c 10 -w1 2 text &&
		together "$small" 20 '5:1' -t 0 -s 3 -p 0.5 text
}
ok 'linear, many entries'          linear_on_ranks
# columns that all rows have, far from 0 some of them, and so few that the Newton step has their matrix
dense_on_ranks()
{
	svm-gen friedman -q -n 90000 -d 50 --seed 4 dense && svm-gen twonorm -q -n 8200 -d 600 --seed 5 wide &&
		awk '{ for (j = 2; j < 9; j += 3) { split($j, x, ":"); $j = x[1] ":" x[2] + 10 ^ j } print }' dense >far &&
		together "$small" 12 '3:2 7:1' -s 3 -t 0 dense && together "$small" 12 '3:1' -s 3 -t 0 -c .01 far &&
		together "$small" 8 '4:1' -t 0 -c 100 wide
}
ok 'linear, dense'                 dense_on_ranks
# those of other machines come to rank 0
ok 'linear, many entries, -s 2' \
	'together "$small" 0 "3:1" -t 0 -s 2 text && together "$small" 0 "2:2" -t 0 --loss squared text'
ok 'budget'                        together "$small" 1 '2:2 3:1' --mode budget --budget 60 heart
ok 'budget, several models'        together "$small" 1 '3:2' --mode budget --budget 60 --bag 3 heart
# 1 in the last bit of a value, or in its column: rows of one norm that are not equal
awk 'BEGIN { for (i = 0; i < 1600; i++) print (i * i % 11 < 2 + i % 25 / 4 ? 1 : -1), "1:" 3 + i % 25 / 8,
	i % 2 ? "4:0.30000000000000004" : "5:0.3" }' >alike
ok 'rows that are nearly equal'    together "$small" 5 '2:1 3:2' -c 10 -g 0.5 --sample 20 alike
ok 'more ranks than rows' \
	'head -n 5 heart >five && together "$small" 0 7:1 five && head -n 40 heart >forty &&
	together "$small" 0 7:1 --sample 5 forty'
ok 'a start' \
	'randsvm-train -q -c 0.5 heart start.model && together "$small" 1 2:1 --start start.model --sample 20 heart'

# ---- reading ----

# read_by_all: what all ranks read is what one reads: rows, lines, remarks, and errors with their lines
read_by_all()
{
	local n
	randsvm-train "$@" a >out1 2>err1
	local status=$?
	for n in 2 3 7; do
		ranks $n "$small" "$@" b >out 2>err
		[ $? = $status ] && cmp out1 out && { [ $status != 0 ] || cmp a b; } || return
		# mpirun has lines of its own
		sed 's/^randsvm-train-mpi/randsvm-train/' err | grep -x -F -f err1 | diff err1 - || return
	done
}
sed 's/$/\r/' heart >crlf
{ echo '# a comment'; head -n 30 heart; echo; printf '1 1:1 2:2 3:3'; } >odd
awk 'NR == 20 { $1 = "12345678901234567890" } { print }' heart >rounded
awk '{ print $1, "qid:" NR % 7, $2, $3 }' heart >qids
ok 'lines that end with CRLF'      read_by_all crlf
ok 'comments, no last line end'    read_by_all odd
ok 'an integer that is rounded'    read_by_all -s 3 rounded
ok 'groups'                        read_by_all qids
for line in 1 2 100 269 270; do
	awk -v n=$line 'NR == n { $3 = "2:x" } { print }' heart >wrong
	ok "line $line is malformed" read_by_all wrong
done
awk 'NR == 30 || NR == 200 { $3 = "2:x" } { print }' heart >wrong
ok 'two lines are malformed'       read_by_all wrong
gzip -c wrong >wrong.gz
gzip -c odd >odd.gz
rp-project -q -m none --binary heart heart.bin
ok 'a malformed line in gzip'      read_by_all wrong.gz
ok 'gzip goes to all ranks'        read_by_all odd.gz
ok 'the binary form'               read_by_all heart.bin
for part in 10 20 30 40 50 60 70 80 90; do
	tail -n +$part heart | head -n 10 | rp-project -q -m none --binary - -
done >blocks
ok 'blocks of the binary form'     read_by_all blocks
ok 'the last one is cut short'     'head -c -40 blocks >short && read_by_all short'

# files: the class of three_class that comes last is first in the last file
mkdir files
sort -r three_class >files/all
command split -n l/8 files/all files/part.
gzip files/part.a[bdf]
head -c -1 files/part.ac >files/part.ac.cut && rm files/part.ac
: >files/part.aba
gzip -c files/part.aba >files/part.abb.gz
rp-project -q -m none --binary files/part.ag files/part.ag.rows && rm files/part.ag
ls files/part.* >parts
ok 'several files'                 read_by_all @parts
ok 'all of them plain text'        'gzip -dc files/part.*b.gz >b.text && read_by_all files/part.aa b.text files/part.ae'
ok 'as one file'                   '$small -q files/all b && $small -q @parts a && cmp a b'
gzip -c files/all >files/all.gz
ok 'fewer files than ranks'        read_by_all files/all.gz odd.gz
ok 'gzip of several members'       'cat files/part.*.gz >files/members.gz && read_by_all files/members.gz'
fail 1 'empty: no examples'        'ls files/part.ab[ab]* >empty; ranks 2 "$small" -q @empty a'
ok 'a malformed line in the third' read_by_all files/part.aa files/part.ab.gz wrong files/part.ae wrong.gz
ok 'and before others'             read_by_all wrong files/part.aa files/part.ab.gz files/part.ae
ok 'a cut gzip'                    'head -c 300 wrong.gz >cut.gz && read_by_all files/part.aa files/part.ab.gz cut.gz wrong'
ok 'rounded in the third'          read_by_all -s 3 odd.gz sinc rounded crlf
# rank 1 elsewhere: without the file, and with another one of its name
mkdir none other
cp crlf other/heart
apart() { timeout 60 $mpirun -n 1 "$small" -q "${@:2}" m : -n 1 -wdir "$PWD/$1" "$small" -q "${@:2}" m; }
fail 1 "rank 1 of 2: $(hostname): heart: No such file or directory" apart none heart
fail 1 "rank 1 of 2: $(hostname): heart: another file of this name" apart other heart
fail 1 "rank 1 of 2: $(hostname): blocks: No such file or directory" apart none blocks
# of two files rank 1 reads the second
fail 1 "rank 1 of 2: $(hostname): odd.gz: No such file or directory" apart none files/all.gz odd.gz
gzip -c crlf >other/odd.gz
fail 1 "rank 1 of 2: $(hostname): odd.gz: another file of this name" apart other files/all.gz odd.gz

# ---- the program itself ----

ok 'what is large is shared'       together "$BIN/randsvm-train-mpi" 3 '2:1 3:2' -g 0.05 twonorm
ok 'what is small is not'          together "$BIN/randsvm-train-mpi" 0 '2:1' heart
ok 'and then nothing is sent'      '[ "$(requests report)" = 0 ] && holds err "note: rank 0 did all of it"'
ok 'gzip' \
	'gzip -c heart >heart.gz && ranks 2 "$small" -q --sample 20 heart.gz a &&
	randsvm-train -q --sample 20 heart b && cmp a b'
# the least that is accepted, with what MPI itself takes
least=$(ranks 3 "$small" --memory 3 -g 0.05 twonorm model 2>&1 | sed -n 's/.*too small: \([0-9]*\) MB would do$/\1/p')
ok 'with little memory' \
	'together "$small" 5 "2:2 3:1" --memory $((least + 2)) -g 0.05 twonorm &&
	! grep -E "\"peak_file_bytes\":[[:blank:]]*0," report'
ok 'a pipe'                        'ranks 2 "$small" -q --sample 20 - a <heart && cmp a b'
ok 'the model to a pipe'           'ranks 2 "$small" -q --sample 20 heart - | cmp b -'
ok 'the report of ranks' \
	'ranks 3 "$small" -q --report r --sample 20 -c 10 a3000 a &&
	for key in ranks requests bytes_sent bytes_received seconds_waiting sum_seconds cpu_seconds peak_array_bytes;
	do grep -q "\"$key\"" r || exit; done'
ok 'all rows have a rank' \
	'[ "$(sed -n "/\"rank\"/,\$s/.*\"rows\":[[:blank:]]*\([0-9]*\).*/\1/p" r |
	awk "{ n += \$1 } END { print n, NR }")" = "3000 3" ]'
ok 'a line of ranks'               'ranks 2 "$small" -q --verbose --sample 20 heart a 2>&1 | grep "2 ranks: "'
ok 'unlike machines' \
	'TEST_BASELINE_RANK=1 ranks 2 "$small" -q --sample 20 -c 10 a3000 a &&
	TEST_BASELINE_RANK=-1 ranks 1 "$small" -q --sample 20 -c 10 a3000 b && cmp a b'

# ---- refusals and errors: once, and status 1 ----

# once STATUS TEXT N OPTION...: one line with the text, and one of ours at all
once()
{
	local status=$1 text=$2
	shift 2
	ranks "$1" randsvm-train-mpi "${@:2}" >out 2>&1 </dev/null
	[ $? = "$status" ] && [ "$(grep -c -F -e "$text" out)" = 1 ] &&
		[ "$(grep -c '^randsvm-train-mpi: ' out)" -le 1 ] || { cat out; return 1; }
}

printf '1 1:1\n-1 1:x\n' >bad
ok 'an error in the input'         once 1 "bad:2" 3 bad model
ok 'no such file'                  once 1 "can't open input file" 3 missing model
ok 'and no model' \
	'[ ! -e model.tmp ] && rm -f model && ! ranks 2 randsvm-train-mpi bad model && [ ! -e model ]'
ok '--help'                        once 0 'Usage: randsvm-train-mpi' 3 --help
ok '--version'                     once 0 'LIBSVM ' 2 --version
ok 'no arguments'                  once 1 'Usage: randsvm-train-mpi' 2
ok 'an unknown option'             once 1 'Unknown option: --sampel' 3 --sampel 3 heart
for option in '-v 5' '-b 1' '--mode direct' '--mode paper' '--mode reweight' '--solver libsvm' '-t 4' '--multiclass ovr -t 0 --model-format liblinear'; do
	ok "$option" once 1 \
		"$(echo "$option" | cut -d ' ' -f 1,2) is for randsvm-train: of the 2 ranks only one would work" 2 \
		$option heart model
done
ok 'alone they are fine' \
	'ranks 1 randsvm-train-mpi -q -v 5 heart && ranks 1 randsvm-train-mpi -q -t 0 heart m && randsvm-train -q -t 0 heart n && cmp m n'
# doc/cluster.md: landmarks of a shard, shards mapped side by side, a linear machine
mapped_shards()
{
	gzip -dc "$T/a1a.gz" | command split -n r/4 - part. && rp-project -q -m nystrom -g 0.03 -k 40 -s landmarks part.aa x &&
		printf '%s\n' part.a? | xargs -P 2 -I % rp-project -q -r landmarks --threads 1 % %.z &&
		cat part.a?.z >mapped && cat part.a? | rp-project -q -r landmarks - whole && cmp whole mapped &&
		randsvm-train -q -t 0 mapped linear.model &&
		rp-project -r landmarks --fold linear.model kernel.model && grep -x 'nr_sv 40 0' kernel.model &&
		cat part.a? | svm-eval - kernel.model | grep '^Accuracy = 8'
}
ok 'kernels as maps'               mapped_shards
ok 'without mpirun'                'randsvm-train-mpi -q heart a && randsvm-train -q heart b && cmp a b'
ok 'a full disk'                   '[ ! -e /dev/full ] || once 1 "No space left" 2 -q heart /dev/full'

# work_together: the ranks have begun; sets $pid to one of them.  Rank 0 holds the model, which is
# opened after MPI has started on all
work_together()
{
	local rank holds=
	# the ranks themselves, not what started them
	for rank in $(pgrep -f "$PWD/lost/model"); do
		[ "$(cat "/proc/$rank/comm")" = randsvm-train-m ] || continue
		if find "/proc/$rank/fd" -lname "$PWD/lost/*" | grep .; then
			holds=yes
		else
			pid=$rank
		fi
	done
	[ "$holds" ] && [ "$pid" ]
}

# killed: all ranks end when one is lost, and no file is left
killed()
{
	local pid=
	rm -rf lost && mkdir lost
	timeout 100 $mpirun -n 2 randsvm-train-mpi -q -c 1000 -g 1 --max-iter 1000000 -e 1e-9 twonorm "$PWD/lost/model" >out 2>&1 &
	event $! work_together || return
	kill -KILL "$pid"
	wait $!
	[ $? != 0 ] && [ -s out ] && [ -z "$(ls lost)" ]
}
ok 'a rank is killed'              killed

# ---- checkpoints ----

# taken_up: SIGUSR1 to mpirun ends it with the status of rank 0, and other ranks go on from there
taken_up()
{
	struck USR1 '[ -s state ]' afresh $mpirun -n 2 randsvm-train-mpi -q --threads 1 -g 0.05 -c 100 --checkpoint state --checkpoint-every 0 twonorm m2
	[ $? = 143 ] && [ -s state ] && grep -q 'the same command goes on from state' stdout stderr &&
		ranks 3 randsvm-train-mpi -q --threads 1 -g 0.05 -c 100 --checkpoint state twonorm m2 && cmp m1 m2 && [ ! -e state ]
}
afresh() { rm -f state; exec "$@"; }
if [ "$mpirun" = mpirun.mpich ]; then
	skip 'mpirun.mpich forwards no SIGUSR1'
else
	randsvm-train -q -g 0.05 -c 100 twonorm m1
	ok 'a checkpoint'          taken_up
fi

# ---- tasks of a launcher that is not MPI's ----

ok 'one of many tasks' \
	'OMPI_COMM_WORLD_SIZE=8 randsvm-train heart a 2>&1 |
	grep -F "one of 8 tasks: each trains alone; randsvm-train-mpi trains together"'
ok 'Slurm' \
	'SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 randsvm-train heart a 2>&1 >/dev/null |
	grep -x "randsvm-train: warning: one of 4 tasks: each trains alone; randsvm-train-mpi trains together"'
ok 'said once'                     '! SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 randsvm-train heart a 2>&1 | grep tasks'
ok 'not where svm-train is silent' '! PMI_SIZE=4 randsvm-train --mode direct heart a 2>&1 | grep tasks'
ok 'with -q too'                   'SLURM_STEP_NUM_TASKS=4 randsvm-train -q heart a 2>&1 | grep tasks'
ok 'a single task'                 '! SLURM_STEP_NUM_TASKS=1 randsvm-train heart a 2>&1 | grep tasks'
fail 1 'start it by'               'SLURM_STEP_NUM_TASKS=8 randsvm-train-mpi heart a'
