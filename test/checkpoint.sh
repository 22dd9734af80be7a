# randsvm-train --checkpoint: killed at any moment, the same command comes to the same bytes
#
# From the environment: KILLS, how often each training is killed (3).

. "$TOP/test/helpers.bash"

svm-gen twonorm -q -n 10000 --seed 1 twonorm
svm-gen friedman -q -n 4000 friedman
svm-gen text -q -n 3000 text
svm-gen twonorm -q -n 80000 --seed 2 large
gzip -kf twonorm
cp "$T/three_class" .

# killed OPTION... DATA: kill -9 at random moments of the time it takes, and go on, until it ends
killed()
{
	local before after status kill kept=0
	before=$(date +%s%N)
	randsvm-train "$@" m1 >out1 || return
	after=$(date +%s%N)
	rm -f state m2
	for ((kill = 0; kill < ${KILLS:-3}; kill++)); do
		randsvm-train --checkpoint state --checkpoint-every 0 "$@" m2 >out2 2>err2 &
		sleep "$(awk -v time=$(((after - before) / 1000000)) -v r=$RANDOM 'BEGIN { print time * r / 32768 / 1000 }')"
		kill -9 $! 2>/dev/null
		wait $!
		status=$?
		[ $status = 0 ] || [ $status = 137 ] || { cat err2; return 1; }
		[ -e state ] && kept=$((kept + 1))
	done 2>/dev/null
	echo "killed $kill times, $kept times with a state"
	randsvm-train --checkpoint state "$@" m2 >out2 && same_files m1 m2 && same_files out1 out2 &&
		[ ! -e state ]
}

ok 'C-SVC'                 killed -g 0.05 twonorm
ok 'C-SVC, one thread'     killed --threads 1 -g 0.05 -c 10 twonorm
ok 'C-SVC, gzip'           killed -g 0.05 --gap 0.0001 twonorm.gz
ok 'epsilon-SVR'           killed -s 3 -c 10 friedman
ok 'nu-SVC'                killed -s 1 -n 0.1 -g 0.05 twonorm
ok 'nu-SVR'                killed -s 4 -n 0.3 --threads 1 friedman
ok 'one-class'             killed -s 2 -n 0.05 -g 0.05 twonorm
ok 'three classes'         killed --sample 20 -c 1000 three_class
ok 'three classes, a thread' killed --sample 20 -c 1000 --threads 1 three_class
ok 'linear'                killed -t 0 -c 10 text
ok 'linear, few columns'   killed -t 0 -c 100 --threads 1 twonorm
ok 'squared losses'        killed -t 0 --loss squared -c 10 text
ok 'polynomial'            killed -s 3 -t 1 -d 2 -r 1 -c 10 friedman
ok 'budget'                killed --mode budget --budget 500 --bag 3 -g 0.05 twonorm

# ---- signals ----

# signalled SIGNAL ROUND OPTION...: the signal when that round is told ends it with status 143
signalled()
{
	local signal=$1 round=$2 n
	shift 2
	rm -f state m2
	randsvm-train --checkpoint state --verbose "$@" m2 >out2 2>err2 &
	for ((n = 0; n < 1000; n++)); do
		grep -q "^round $round:" err2 && break
		sleep 0.02
	done
	kill -s "$signal" $!
	wait $!
	n=$?
	cat err2
	[ $n = 143 ] && [ -s state ] && [ ! -e m2 ] && holds err2 'the same command goes on from state'
}

randsvm-train -q -g 0.05 large large.m
for signal in TERM USR1; do
	ok "SIG$signal"        signalled $signal 3 -g 0.05 large
	ok 'and on'            'randsvm-train -q --checkpoint state -g 0.05 large m2 && same_files large.m m2 && [ ! -e state ]'
done
ok 'no file is left but the state'  'signalled TERM 2 -g 0.05 large && ! compgen -G ".*tmp*" && ! compgen -G "*.tmp"'
ok 'that another number of threads takes up' 'randsvm-train -q --threads 1 --checkpoint state -g 0.05 large m2 && same_files large.m m2'
rm -f state
ok 'without it SIGUSR1 kills'       'randsvm-train -q -g 0.05 large m2 & sleep 0.2; kill -USR1 $!; wait $!; [ $? = 138 ]'
ok 'ignored signals stay so'        '(trap "" TERM; exec randsvm-train -q --checkpoint state -g 0.05 large m2) & sleep 1; kill $!; wait $! && same_files large.m m2'
ok 'a time limit keeps it'          'randsvm-train -q --checkpoint state --time-limit 1 -g 0.05 large m2 2>err && { [ ! -s err ] || [ -e state ]; } && randsvm-train -q --checkpoint state -g 0.05 large m2 && same_files large.m m2 && [ ! -e state ]'

# ---- a file of something else ----

randsvm-train -q -g 0.05 twonorm twonorm.m
signalled TERM 3 -g 0.05 large >/dev/null
cp state kept
# refused TEXT OPTION...: refused, with one line, and the file stays as it is
refused()
{
	local text=$1
	shift
	streams 1 '' "$text" randsvm-train --checkpoint state "$@" m2 && [ "$(wc -l <stderr)" = 1 ] && same_files state kept
}
ok 'another C'             refused 'randsvm-train: state: checkpoint is of -c 1, this is -c 10' -g 0.05 -c 10 large
ok 'two other options'     refused 'checkpoint is of -g 0.05, --seed 1, this is -g 0.1, --seed 2' -g 0.1 --seed 2 large
ok 'a weight'              refused 'checkpoint is of -w none, this is -w 1:5' -g 0.05 -w1 5 large
ok 'another mode'          refused 'checkpoint is of --mode exact, --budget 0, this is --mode budget, --budget 100' -g 0.05 --mode budget --budget 100 large
ok 'other data'            refused 'checkpoint is of data 80000 rows' -g 0.05 twonorm
ok 'a label'               'sed "7s/^[-+]1/-1/; 8s/^[-+]1/+1/; 9s/^[-+]1/+1/" large >label; refused "checkpoint is of data 80000 rows" -g 0.05 label'
ok 'a row elsewhere'       '(sed 1d large; head -n 1 large) >turned; refused "checkpoint is of data 80000 rows" -g 0.05 turned'
ok 'the same data, gzip'   'gzip -kf large && randsvm-train -q --checkpoint state -g 0.05 large.gz m2 && same_files large.m m2; r=$?; cp kept state; exit $r'
ok 'and by a pipe'         'cat large | randsvm-train -q --checkpoint state -g 0.05 - m2 && same_files large.m m2; r=$?; cp kept state; exit $r'

broken() { fail 1 "$1" "$2 >state; randsvm-train --checkpoint state -g 0.05 large m2"; }
size=$(stat -c %s kept)
for part in 5 100 $((size / 2)) $((size - 1)); do
	broken 'state: ' "head -c $part kept"
done
broken 'state: not a checkpoint'            'echo hello'
broken 'state: not a checkpoint'            ':'
broken 'damaged or cut short'               "head -c $((size / 2)) kept"
broken 'damaged or cut short'               "(head -c $((size / 2)) kept; echo; tail -c +$((size / 2 + 2)) kept)"
broken 'damaged or cut short'               '(cat kept; echo)'
broken 'another version'                    'sed "1s/ 1 / 2 /" kept'
fail 1 'state: Is a directory'              'rm state; mkdir state; randsvm-train --checkpoint state -g 0.05 large m2'
rm -rf state
fail 1 "can't write checkpoint none/state: No such file or directory" randsvm-train --checkpoint none/state nowhere m2
fail 1 'are the same file'                  'cp kept m2; randsvm-train --checkpoint m2 -g 0.05 large m2'
fail 1 'needs a file'                       randsvm-train --checkpoint - twonorm m2
fail 1 'needs --checkpoint'                 randsvm-train --checkpoint-every 5 twonorm m2
fail 1 '-v: is not for --checkpoint'        randsvm-train --checkpoint state -v 3 twonorm
fail 1 '-b: is not for --checkpoint'        randsvm-train --checkpoint state -b 1 twonorm m2
for mode in paper reweight direct; do
	fail 1 '--mode: is not for --checkpoint'    randsvm-train --checkpoint state --mode $mode twonorm m2
done
fail 1 '--solver: is not for --checkpoint'  randsvm-train --checkpoint state --solver libsvm twonorm m2
fail 1 '--multiclass: is not for --checkpoint' randsvm-train --checkpoint state -t 0 --multiclass ovr text m2
ok 'where LIBSVM trains, a note'            'head -n 4 twonorm >four && streams 0 "optimization finished" "--checkpoint has no effect" randsvm-train --checkpoint state four m2 && [ ! -e state ]'

# ---- a full disk ----

# a limit on the size of files, under which the model goes to a pipe
ok 'no room: the training goes on'          '(ulimit -f 100; randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 twonorm - 2>err) | cat >m2; same_files twonorm.m m2 && holds err "warning: can'\''t write checkpoint state: " && [ ! -e state ]'
ok 'and the state before stays'             'cp kept state; (ulimit -f 100; timeout -s KILL 2 randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 large - 2>err) | cat >m2; [ ! -e state ] || same_files state kept'
rm -f state
mkdir small
if mount -t tmpfs -o size=100k none small 2>/dev/null; then
	ok 'a full disk'   'randsvm-train -q --checkpoint small/state --checkpoint-every 0 -g 0.05 twonorm m2 2>err && same_files twonorm.m m2 && holds err "No space left on device" && [ -z "$(ls -A small)" ]'
	umount small
else
	skip 'no file system can be mounted here'
fi
