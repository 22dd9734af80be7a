# randsvm-train --checkpoint: killed at any moment, the same command comes to the same bytes
#
# From the environment: KILLS, how often each training is killed (3; with a sanitizer once, as
# unit/checkpoint goes on from all states there).

. "$TOP/test/helpers.bash"

svm-gen twonorm -q -n 10000 --seed 1 twonorm
svm-gen friedman -q -n 4000 friedman
svm-gen text -q -n 3000 text
rows=30000
svm-gen twonorm -q -n $rows --seed 2 large
gzip -kf twonorm
(svm-gen twonorm -q -n 3000 && svm-gen ringnorm -q -n 1500 | sed 's/^[+-]1/2/') >three_class

# killed OPTION... DATA: kill -9 at random moments after the first state was written, and go on, until
# it ends.  A kill that came too late is made up for by another one, in half of the time.
killed()
{
	local before most pid status try hits=0 kills=${KILLS:-$([ "$SANITIZE" ] && echo 1 || echo 3)}
	before=$(date +%s%N)
	randsvm-train "$@" m1 >out1 || return
	most=$((($(date +%s%N) - before) / 1000000))
	rm -f state m2
	for ((try = 0; hits < kills && try < 5 * kills; try++)); do
		randsvm-train --checkpoint state --checkpoint-every 0 "$@" m2 >out2 2>err2 &
		pid=$!
		event $pid '[ -e state ]'
		sleep "$(awk -v ms=$((most * RANDOM / 32768)) 'BEGIN { print ms / 1000 }')"
		kill -9 $pid
		wait $pid
		status=$?
		case $status in
		0) most=$((most / 2)) ;;
		137) hits=$((hits + 1)) ;;
		*) cat err2; return 1 ;;
		esac
	done 2>/dev/null
	echo "killed $hits times in $try runs"
	[ $((2 * hits)) -ge "$kills" ] &&
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
ok 'three classes'         killed --sample 100 -c 10 three_class
ok 'three classes, a thread' killed --sample 100 -c 10 --threads 1 three_class
ok 'linear'                killed -t 0 -c 10 text
ok 'linear, few columns'   killed -t 0 -c 100 --threads 1 twonorm
ok 'squared losses'        killed -t 0 --loss squared -c 10 text
ok 'polynomial'            killed -s 3 -t 1 -d 2 -r 1 -c 10 friedman
ok 'budget'                killed --mode budget --budget 500 --bag 3 -g 0.05 twonorm

# ---- signals ----

# signalled SIGNAL ROUND OPTION...: the signal when that round is told ends it with status 143
signalled()
{
	struck "$1" "grep '^round $2:' stderr" afresh randsvm-train --checkpoint state --verbose "${@:3}" m2
	[ $? = 143 ] && [ -s state ] && [ ! -e m2 ] && holds stderr 'the same command goes on from state'
}
afresh() { rm -f state m2; exec "$@"; }

randsvm-train -q -g 0.05 large large.m
for signal in TERM USR1 HUP; do
	ok "SIG$signal"        signalled $signal 3 -g 0.05 large
	ok 'and on' \
		'randsvm-train -q --checkpoint state -g 0.05 large m2 && same_files large.m m2 && [ ! -e state ]'
done
# in a folder of its own: kill -9 between two calls of the system may leave a file .state.tmp...
mkdir clean
ln large clean
ok 'no file is left but the state'  'cd clean && signalled TERM 2 -g 0.05 large && files_are large state stdout stderr'
ok 'that another number of threads takes up' \
	'mv clean/state . && randsvm-train -q --threads 1 --checkpoint state -g 0.05 large m2 &&
	same_files large.m m2'
rm -f state
ok 'without it SIGUSR1 kills' \
	'struck USR1 "grep round.1: stderr" randsvm-train -q --verbose -g 0.05 large m2; [ $? = 138 ]'
# ignoring SIGNAL...: the training is sent the signals when it has kept a state, and ends well
ignoring()
{
	local pid signal
	rm -f state
	(trap "" "$@"; exec randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 large m2) &
	pid=$!
	event $pid '[ -e state ]'
	for signal; do
		kill -s "$signal" $pid || pid=
	done
	wait && same_files large.m m2 || return
	[ "$pid" ] || ignoring "$@" # it had ended before
}
ok 'ignored signals stay so'        ignoring TERM HUP

# limited STATUS OPTION...: the time limit strikes between the first state and the end; how long that
# is, is tried out
limited()
{
	local limit
	for limit in 0.1 0.15 0.2 0.3 0.4 0.6 0.8 1 1.3 1.6 2 2.5 3 4 5 6 8 10 13 16 20 25 30 40 60; do
		rm -f state
		randsvm-train -q --checkpoint state --time-limit $limit -g 0.05 "${@:2}" large m2 2>err
		[ $? = "$1" ] || return
		[ ! -e state ] || break
		holds err 'time limit' || break # it has ended
	done
	echo "limit $limit"
	[ -e state ] && holds err 'reaching the time limit'
}
ok 'a time limit keeps it'          limited 0
ok 'and on from there' \
	'randsvm-train -q --checkpoint state -g 0.05 large m2 && same_files large.m m2 && [ ! -e state ]'

ok 'a gap that is too large, too'   limited 1 --fail-on-gap 1e-9
ok 'and on from there, with a gap' \
	'randsvm-train -q --checkpoint state -g 0.05 large m2 && same_files large.m m2 && [ ! -e state ]'

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
ok 'another mode' refused 'checkpoint is of --mode exact, --budget 0, this is --mode budget, --budget 100' -g 0.05 \
	--mode budget --budget 100 large
ok 'other data'            refused "checkpoint is of data $rows rows" -g 0.05 twonorm
ok 'a label' \
	'sed "7s/^[-+]1/-1/; 8s/^[-+]1/+1/; 9s/^[-+]1/+1/" large >label;
	refused "checkpoint is of data $rows rows" -g 0.05 label'
ok 'a row elsewhere' \
	'(sed 1d large; head -n 1 large) >turned; refused "checkpoint is of data $rows rows" -g 0.05 turned'
ok 'the same data, gzip' \
	'gzip -kf large && randsvm-train -q --checkpoint state -g 0.05 large.gz m2 && same_files large.m m2; r=$?;
	cp kept state; exit $r'
ok 'and by a pipe' \
	'cat large | randsvm-train -q --checkpoint state -g 0.05 - m2 && same_files large.m m2; r=$?;
	cp kept state; exit $r'

broken() { fail 1 "$1" "$2 >state; randsvm-train --checkpoint state -g 0.05 large m2"; }
size=$(stat -c %s kept)
for part in 5 100 $((size / 2)) $((size - 1)); do
	broken 'state: ' "head -c $part kept"
done
broken 'state: not a checkpoint'            'echo hello'
broken 'damaged or cut short'               "head -c $((size / 2)) kept"
# the byte in the middle becomes another one, whichever it is
changed()
{
	head -c "$1" kept
	tail -c +$(($1 + 1)) kept | head -c 1 | LC_ALL=C tr '\000-\377' '\001-\377\000'
	tail -c +$(($1 + 2)) kept
}
broken 'damaged or cut short'               "changed $((size / 2))"
broken 'damaged or cut short'               '(cat kept; echo)'
broken 'another version'                    'sed "1s/ [0-9]* / 99 /" kept'
fail 1 'state: Is a directory'              'rm state; mkdir state; randsvm-train --checkpoint state -g 0.05 large m2'
rm -rf state
fail 1 "can't write checkpoint none/state: No such file or directory" randsvm-train --checkpoint none/state nowhere m2
fail 1 'are the same file'                  'cp kept m2; randsvm-train --checkpoint m2 -g 0.05 large m2'
fail 1 'needs a file'                       randsvm-train --checkpoint - twonorm m2
fail 1 'needs --checkpoint'                 randsvm-train --checkpoint-every 5 twonorm m2
fail 1 '-v 3 is not for --checkpoint'        randsvm-train --checkpoint state -v 3 twonorm
fail 1 '-b 1 is not for --checkpoint'        randsvm-train --checkpoint state -b 1 twonorm m2
for mode in paper reweight direct; do
	fail 1 "--mode $mode is not for --checkpoint"    randsvm-train --checkpoint state --mode $mode twonorm m2
done
fail 1 '--solver libsvm is not for --checkpoint'  randsvm-train --checkpoint state --solver libsvm twonorm m2
fail 1 '--multiclass ovr is not for --checkpoint' randsvm-train --checkpoint state -t 0 --multiclass ovr text m2
ok 'where LIBSVM trains, a note' \
	'head -n 4 twonorm >four &&
	streams 0 "optimization finished" "--checkpoint has no effect" randsvm-train --checkpoint state four m2 &&
	[ ! -e state ]'

# ---- which file ----

resumed() { [ "$(python3 -c 'import json; print(json.load(open("r")).get("resumed"))')" = "$1" ]; }
ok 'an empty file is no state yet' \
	': >state && randsvm-train -q --checkpoint state --report r -g 0.05 twonorm m2 &&
	same_files twonorm.m m2 && [ ! -e state ]'
if command -v python3 >/dev/null; then
	ok 'which the report tells'         resumed False
	ok 'and where it went on' \
		'cp kept state && touch -d "2026-01-31 23:59:58" state && randsvm-train --checkpoint state --report r -g 0.05 large m2 2>err >/dev/null &&
		resumed True && holds err "note: going on from state, written 2026-01-31 23:59:58"'
	ok 'nothing of it without'          'randsvm-train -q --report r -g 0.05 twonorm m2 && resumed None'
fi
ok '-q does not tell' \
	'cp kept state && randsvm-train -q --checkpoint state -g 0.05 large m2 2>err && [ ! -s err ]'

# by_link: the file that a symbolic link leads to is written and removed; the link stays
by_link()
{
	struck TERM 'grep "^round 3:" stderr' linked randsvm-train --checkpoint link --verbose -g 0.05 large m2
	[ $? = 143 ] && [ -L link ] && [ -s far/state ] && [ ! -L far/state ] &&
		randsvm-train -q --checkpoint link -g 0.05 large m2 && same_files large.m m2 && [ -L link ] && [ -z "$(ls -A far)" ]
}
linked() { rm -rf far link; mkdir far; ln -s far/state link; exec "$@"; }
ok 'a symbolic link'                        by_link

# while_written OPTION... DATA: the model is held up by a pipe that is full; the outcome is kept
while_written()
{
	rm -f full && mkfifo full && exec 9<>full && dd if=/dev/zero bs=4096 count=16 >&9 2>/dev/null || return
	struck TERM 'grep "^stopped" stderr' afresh randsvm-train --checkpoint state --verbose "$@" full
	[ $? = 143 ] && holds stderr 'the same command goes on from state' && [ -s state ] &&
		randsvm-train --checkpoint state "$@" m2 2>err >/dev/null && holds err "going on from state" &&
		randsvm-train -q "$@" m3 && same_files m2 m3
}
ok 'a signal while the model is written'    while_written -g 0.05 large
ok '... a model of one buffer'              while_written -t 0 --compact twonorm
fail 1 "can't write checkpoint /dev/null: not a regular file" randsvm-train --checkpoint /dev/null twonorm m2
ok 'a named pipe' \
	'mkfifo fifo &&
	streams 1 "" "checkpoint fifo: not a regular file" randsvm-train --checkpoint fifo twonorm m2'

# shared NAME: a second run with the same file, perhaps by another name, waits, and goes on where the
# first one was killed
shared()
{
	local other=$1 first second status
	rm -f state
	randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 large m2 2>err &
	first=$!
	event $first '[ -s state ]'
	kill -STOP $first
	: >stderr
	randsvm-train --checkpoint "$other" -g 0.05 large m3 >stdout 2>stderr &
	second=$!
	event $second 'grep waiting stderr'
	kill -9 $first
	wait $first
	status=$?
	wait $second || { cat stderr; return 1; }
	[ $status = 137 ] || { shared "$other"; return; } # it had ended before
	cat stderr
	[ "$(head -n 1 stderr)" = "randsvm-train: note: $other: another run writes this checkpoint: waiting for its end" ] &&
		holds stderr "note: going on from $other" && same_files large.m m3 && [ ! -e state ]
}
rm -f link
ln -s state link
ok 'two runs'                               shared state
ok 'another path'                           shared "$PWD/state"
ok 'another name'                           shared link
if command -v flock >/dev/null; then
	ok 'one that does not end' \
		'streams 1 "" "randsvm-train: state: another run writes this checkpoint; each run needs a file of its own" flock .state.lock randsvm-train -q --checkpoint state twonorm m4 &&
		[ "$(wc -l <stderr)" = 1 ] && [ ! -e m4 ]'
	rm -f .state.lock
else
	skip 'flock is not installed'
fi
ok 'and a lock is left by none'             '[ ! -e .state.lock ]'

# ---- a full disk ----

# a limit on the size of files, under which the model goes to a pipe
ok 'no room: the training goes on'          '(ulimit -f 100; randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 twonorm - 2>err) | cat >m2; same_files twonorm.m m2 && holds err "warning: can'\''t write checkpoint state: " && [ ! -e state ]'
# no_room: kill -9 when a state could not be written
no_room()
{
	struck KILL "grep 'write checkpoint state' stderr" no_room_for randsvm-train -q --checkpoint state --checkpoint-every 0 -g 0.05 large -
	[ $? = 137 ] && same_files state kept
}
no_room_for() { cp kept state; ulimit -f 100; exec "$@" > >(cat >/dev/null); }
ok 'and the state before stays'             no_room
rm -f state
mkdir small
if mount -t tmpfs -o size=100k none small 2>/dev/null; then
	ok 'a full disk' \
		'randsvm-train -q --checkpoint small/state --checkpoint-every 0 -g 0.05 twonorm m2 2>err &&
		same_files twonorm.m m2 && holds err "No space left on device" && [ -z "$(ls -A small)" ]'
	umount small
else
	skip 'no file system can be mounted here'
fi
