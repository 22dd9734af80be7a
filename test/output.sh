# What is written: whole or not at all, checked to the last byte, and old files stand.

. "$TOP/test/helpers.bash"

# the tests are in a folder of which they know every file
gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/a9a.gz" >a9a
printf '+1 1:1e308 2:1\n-1 1:-1e308 2:3\n+1 1:3 2:1e308\n-1 1:-1e308 2:4\n' >huge
a1a=$PWD/a1a a9a=$PWD/a9a huge=$PWD/huge three=$T/three_class
mkdir clean
cp heart clean
cd clean || exit

randsvm-train -q heart model
svm-eval -q heart model predictions
echo '+1 1:x' >bad
mkdir folder
kept=(heart model predictions bad folder stdout stderr)
touch stdout stderr

# nothing_else NAME...: the current folder has the files from above, and these
nothing_else() { files_are "${kept[@]}" "$@"; }

# ---- what cannot be written ----

ok 'model to a full disk' streams 1 'Total nSV' "can't save model to file /dev/full: No space left on device" \
	randsvm-train heart /dev/full
ok 'model to a full disk, -q' streams 1 '' "can't save model to file /dev/full: No space left on device" \
	randsvm-train -q heart /dev/full
ok 'a folder is missing, which is noticed before training' streams 1 '' \
	"can't save model to file none/m: No such file or directory" randsvm-train heart none/m
ok 'and does not take the time' streams 1 '' "can't save model to file none/m" timeout 20 randsvm-train --mode \
	direct -c 1000 -g 1 "$a9a" none/m
ok 'the model is a folder' streams 1 '' "can't save model to file folder: Is a directory" randsvm-train heart folder
ok 'a path through a file' streams 1 '' "can't save model to file heart/m: Not a directory" randsvm-train heart \
	heart/m
ok 'predictions to a full disk' streams 1 '' "can't write output file /dev/full: No space left on device" svm-eval \
	heart model /dev/full
ok 'predictions, no folder' streams 1 '' "can't open output file none/p: No such file or directory" svm-eval heart \
	model none/p
ok 'predictions to a folder' streams 1 '' "can't open output file folder: Is a directory" svm-eval heart model \
	folder
ok 'report to a full disk' streams 1 '' "can't save report to file /dev/full: No space left on device" randsvm-train \
	-q --report /dev/full heart /dev/null
ok 'report, no folder' streams 1 '' "can't save report to file none/r: No such file or directory" randsvm-train -q \
	--report none/r heart /dev/null
ok 'indices to a full disk' streams 1 '' "can't save indices to file /dev/full: No space left on device" \
	randsvm-train -q --sv-indices /dev/full heart /dev/null
ok 'indices, no folder' streams 1 '' "can't save indices to file none/i: No such file or directory" randsvm-train -q \
	--sv-indices none/i heart /dev/null
ok 'svm-eval: report' streams 1 '' "can't write report file /dev/full: No space left on device" svm-eval --report \
	/dev/full heart model
ok 'no file from all of these'   nothing_else
if [ "$(id -u)" = 0 ]; then
	skip 'root may write everything'
else
	ok 'a folder not to write to'  'mkdir locked; chmod 500 locked; streams 1 "" "can'\''t save model to file locked/m: Permission denied" randsvm-train heart locked/m; r=$?; rmdir locked; exit $r'
	ok 'a model not to write to'   'cp model m; chmod 400 m; streams 1 "" "can'\''t save model to file m: Permission denied" randsvm-train heart m && cmp m model; r=$?; rm -f m; exit $r'
fi

# a limit on the size of files is a disk that gets full
limited()
{
	(ulimit -f 1; "${@:2}" 2>&1; echo "exit status $?") | cat >stdout
	grep -F -e "$1" stdout && grep -x 'exit status 1' stdout
}
ok 'model larger than allowed'       limited 'File too large' randsvm-train -q "$a1a" m
ok 'predictions larger than allowed' limited 'File too large' svm-eval -q "$a1a" model p
ok 'neither is there'                nothing_else
rm -f m .m.tmp* p .p.tmp*

# ---- what a killed process left ----

echo half | tee .m.tmp4268-722755785 .m.tmp4268-722755786 .m.tmp4268-mine .mm.tmp4268-722755785 >/dev/null
# held_by_another COMMAND...: while another process holds the second file
held_by_another()
{
	(flock 9 && "$@") 9>>.m.tmp4268-722755786
}
ok 'training beside such files'      held_by_another randsvm-train -q "$a1a" m
ok 'an unfinished file is removed'   '[ ! -e .m.tmp4268-722755785 ]'
ok 'one that is held is not'         '[ -s .m.tmp4268-722755786 ]'
ok 'nor are files of other names'    '[ -s .m.tmp4268-mine ] && [ -s .mm.tmp4268-722755785 ]'
ok 'until it is held no more'        randsvm-train -q "$a1a" m
ok 'it is removed then'              '[ ! -e .m.tmp4268-722755786 ]'
rm -f m .m.tmp* .mm.tmp*

# ---- the old file stands ----

# stands FILE COMMAND...: COMMAND fails, FILE is as it was, and no other file is there
stands()
{
	local file=$1 status
	echo old >"$file"
	"${@:2}"
	status=$?
	[ $status != 0 ] && [ "$(cat "$file")" = old ] && nothing_else "$file"
	status=$?
	rm -f "$file"
	return $status
}

ok 'bad input'                   stands m randsvm-train bad m
ok 'no input'                    stands m randsvm-train none m
ok 'truncated input'             stands m randsvm-train "$T/bad/gzip_cut.gz" m
ok 'wrong options'               stands m randsvm-train -c 0 heart m
ok 'numbers that are none'       stands m randsvm-train -c 1x heart m
ok 'classes that are none'       stands m randsvm-train "$T/bad/label_fraction" m
ok 'indices cannot be written'   stands m randsvm-train -q --sv-indices /dev/full heart m
ok 'the report cannot be written'    stands m randsvm-train -q --report /dev/full heart m
ok 'nor then are indices'            stands i randsvm-train -q --report /dev/full --sv-indices i heart /dev/null
ok 'nor if the model cannot be'      stands i randsvm-train -q --sv-indices i heart /dev/full
ok 'nor the report'                  stands r randsvm-train -q --report r heart /dev/full
ok 'svm-eval: bad input'         stands p svm-eval bad model p
ok 'svm-eval: truncated input'   stands p svm-eval "$T/bad/gzip_cut.gz" model p
ok 'svm-eval: no model'          stands p svm-eval heart none p
ok 'svm-eval: a damaged model'   stands p svm-eval heart "$T/bad/cut_vector.model" p
ok 'svm-eval: no probabilities'  stands p svm-eval -b 1 heart model p
ok 'a model in place of its data'        stands m randsvm-train m m
ok 'predictions in place of the data'    stands p svm-eval p model p
ok 'predictions in place of the model'   stands p svm-eval heart p p

# ---- a model that svm-eval would refuse ----

for s in '-t 0' '-t 1' '-s 1 -t 1' '-s 2 -t 1' '-s 4 -t 0'; do
	# shellcheck disable=SC2086
	ok "values of 1e308, $s"             stands m randsvm-train -q $s "$huge" m
	# shellcheck disable=SC2086
	fail 1 'finite'                      randsvm-train -q $s "$huge" m
done
# an rbf kernel of rows so far apart is that of the identity: it does not overflow
ok 'values of 1e308 and an rbf kernel' \
	'randsvm-train -q "$huge" m && svm-eval "$huge" m | grep "^Accuracy = 100%"; r=$?; rm -f m; exit $r'
ok 'no margin'                           stands m randsvm-train -q -s 1 -n 1e-300 "$huge" m
fail 1 'no margin'                       randsvm-train -q -s 1 -n 1e-300 "$huge" m
ok 'as svm-train writes it' \
	'randsvm-train -q --mode direct --verbose "$huge" m 2>err &&
	grep -x "randsvm-train: rho is not finite: svm-eval refuses this model" err && grep "^rho .*nan" m; r=$?;
	rm -f m err; exit $r'

# a class of weight 0 is one that is left out: as by svm-train, but with a constant that is finite
for w in '-w1 0' '-w-1 0' '-w1 0 -t 0' '-w1 0 -b 1' '-w1 0 --sample 60'; do
	ok "$w" \
		"randsvm-train -q $w heart m && svm-eval -q heart m p &&
		[ \"\$(sort -u p)\" = $([ "$w" = '-w-1 0' ] && echo 1 || echo -1) ]; r=\$?; rm -f m p; exit \$r"
done
ok 'one of three classes left out' \
	'randsvm-train -q -w1 0 "$three" m && grep -x "rho 1 1 -0[.]00.*" m && svm-eval -q "$three" m p &&
	! grep -x 1 p; r=$?; rm -f m p; exit $r'

# ---- signals ----

# ended_late SIGNAL: that comes when the predictions are there and standard output has no room yet
ended_late()
{
	local pid
	mkfifo room
	exec 9<>room
	head -c 65536 /dev/zero >&9
	env --default-signal=INT,TERM,HUP svm-eval heart model p >room 9>&- &
	pid=$!
	event $pid '[ -e p ] && sleep 0.5' || return
	kill -s "$1" $pid
	head -c 65536 <&9 >/dev/null
	wait $pid
	set -- $?
	same_files p predictions || set -- 1
	rm -f p room
	return "$1"
}
for signal in TERM HUP; do
	ok "SIG$signal when all is written"     ended_late $signal
done

# interrupted SIGNAL STATUS PATTERN COMMAND...: the command is sent the signal as soon as it has
# an unfinished file
interrupted()
{
	local signal=$1 status=$2 pattern=$3 pid
	shift 3
	env --default-signal=INT,TERM,HUP,QUIT,USR1,ALRM,XCPU,SEGV "$@" >/dev/null 2>&1 &
	pid=$!
	event $pid "unfinished $pid '$pattern'" || echo 'no unfinished file'
	kill -s "$signal" $pid
	wait $pid
	set -- $? "$status"
	echo "exit status $1"
	[ "$1" = "$2" ]
}

slow=(--mode direct -c 1000 -g 1 "$a9a")
if env --default-signal=INT true 2>/dev/null; then
	for s in 'INT 130' 'TERM 143' 'HUP 129' 'QUIT 131' 'USR1 138' 'ALRM 142' 'XCPU 152'; do
		# shellcheck disable=SC2086
		ok "training, ${s% *}"           interrupted $s '.m.tmp*' randsvm-train "${slow[@]}" m
		ok "after ${s% *}"               nothing_else
		rm -f m .m.tmp*
	done
	echo old >m
	ok 'training, TERM, an older model'      interrupted TERM 143 '.m.tmp*' randsvm-train "${slow[@]}" m
	ok 'it stands'                           '[ "$(cat m)" = old ] && nothing_else m'
	ok 'training, KILL'                      interrupted KILL 137 '.m.tmp*' randsvm-train "${slow[@]}" m
	ok 'the older model stands even so'      '[ "$(cat m)" = old ]; rm -f m .m.tmp*'
	ok 'working sets, TERM'                  interrupted TERM 143 '.m.tmp*' randsvm-train -c 1000 -g 1 "$a9a" m
	ok 'after TERM'                          nothing_else

	# a test file that does not end
	evaluated()
	{
		local writer
		mkfifo fifo
		(head -n 100 heart; exec sleep 1000) >fifo &
		writer=$!
		interrupted "$@" svm-eval fifo model p
		set -- $?
		kill $writer
		rm fifo
		return "$1"
	}
	ok 'predicting, TERM'                    evaluated TERM 143 '.p.tmp*'
	ok 'after TERM, no predictions'          nothing_else
	ok 'predicting, INT'                     evaluated INT 130 '.p.tmp*'
	ok 'after INT, no predictions'           nothing_else
else
	skip 'env cannot reset signals'
fi

# what nohup is for
hangs_up()
{
	local pid status
	mkfifo fifo
	(trap '' HUP; exec randsvm-train -q - m) <fifo &
	pid=$!
	exec 3>fifo
	head -n 100 heart >&3
	event $pid "tr '\\0' ' ' </proc/$pid/cmdline | grep 'randsvm-train -q - m'"
	kill -s HUP $pid
	tail -n +101 heart >&3
	exec 3>&-
	wait $pid
	status=$?
	rm fifo
	[ $status = 0 ] && same_files m model
}
ok 'nohup'                               hangs_up
rm -f m fifo

# ---- standard output ----

fail 1 'cannot write standard output' 'randsvm-train heart m >&-'
ok 'no model or a good one'      'test ! -e m || same_files m model; r=$?; rm -f m; exit $r'
ok 'closed, -q: a good model'    'randsvm-train -q heart m >&-; same_files m model; r=$?; rm -f m; exit $r'
ok 'closed, --mode direct' \
	'randsvm-train -q --mode direct heart m1; randsvm-train --mode direct heart m >&-; test ! -e m ||
	same_files m m1; r=$?; rm -f m m1; exit $r'
ok 'closed, a report' \
	'randsvm-train --report r.json heart m >&-; r=0; if [ -e r.json ]; then head -n 1 r.json | grep -x "{";
	r=$?; fi; rm -f m r.json; exit $r'
fail 1 'cannot write standard output' 'svm-eval heart model p >&-'
ok 'no predictions or good ones' 'test ! -e p || same_files p predictions; r=$?; rm -f p; exit $r'
fail 1 "can't save model to file -" 'randsvm-train heart - >&-'
fail 1 'cannot write standard output' 'randsvm-train --help >&-'
ok 'closed stderr: a good model' 'randsvm-train -w7 3 heart m 2>&- && same_files m model; r=$?; rm -f m; exit $r'
ok 'closed stdin: a good model'  'randsvm-train heart m <&- && same_files m model; r=$?; rm -f m; exit $r'
ok 'all closed'                  'randsvm-train -q heart m <&- >&- 2>&-; same_files m model; r=$?; rm -f m; exit $r'
fail 1 'cannot write standard output: No space left on device'   'randsvm-train heart m >/dev/full'
ok 'the model is good'           'same_files m model; r=$?; rm -f m; exit $r'
fail 1 'cannot write standard output: No space left on device'   'randsvm-train --mode direct heart m >/dev/full'
fail 1 'cannot write standard output: No space left on device'   'randsvm-train -v 3 heart >/dev/full'
fail 1 'cannot write standard output: No space left on device'   'randsvm-train --help >/dev/full'
fail 1 'cannot write standard output: No space left on device'   'randsvm-train --version >/dev/full'
fail 1 ''                                                        'randsvm-train >/dev/full'
fail 1 'cannot write standard output: No space left on device'   'svm-eval heart model >/dev/full'
fail 1 "can't save model to file -: No space left on device"     'randsvm-train -q heart - >/dev/full'
fail 1 "can't write standard output: No space left on device"      'svm-eval -q heart model - >/dev/full'
fail 1 "can't save report to file -: No space left on device"    'randsvm-train -q --report - heart m >/dev/full'
ok 'quiet needs none' \
	'randsvm-train -q heart m >/dev/full && svm-eval -q heart model p >/dev/full; r=$?; rm -f m p; exit $r'

# in_closed_pipe COMMAND...: nobody reads what COMMAND writes
in_closed_pipe()
{
	local status
	mkfifo fifo
	: <fifo &
	exec 3>fifo
	wait $!
	"$@" >&3
	status=$?
	exec 3>&-
	rm fifo
	return $status
}

if env --default-signal=PIPE true 2>/dev/null; then
	# ends STATUS TEXT COMMAND...: so does COMMAND in a closed pipe, its messages having TEXT, or none
	ends()
	{
		in_closed_pipe env --default-signal=PIPE "${@:3}" 2>err
		set -- $? "$1" "$2"
		cat err
		[ "$1" = "$2" ] && holds err "$3"
		set -- $?
		rm err
		return "$1"
	}
	ok 'a closed pipe: as others end'          ends 141 '' randsvm-train heart m
	ok 'predictions to it'                     ends 141 '' svm-eval -q heart model -
	ok 'accuracy to it'                        ends 141 '' svm-eval heart model
	ok 'help to it'                            ends 141 '' svm-eval --help
	ok 'a model to it' \
		'echo old >m; ends 141 "" randsvm-train -q --sv-indices m heart - && [ "$(cat m)" = old ] &&
		rm m && nothing_else'
	ok 'an older model stands' \
		'echo old >m; ends 141 "" randsvm-train --sample 60 heart m && [ "$(cat m)" = old ] && rm m &&
		nothing_else'
	ok 'but not for what is read no further' \
		'randsvm-train heart m | grep -q "Total nSV" && same_files m model; r=$?; rm -f m; exit $r'
	ok 'another pipe that is closed: an error' 'ends 1 "can'"'"'t save model to file /dev/fd/3: Broken pipe" sh -c "randsvm-train -q heart /dev/fd/3 3>&1 >/dev/null"'
	ok 'so where the signal is ignored' \
		'in_closed_pipe env --ignore-signal=PIPE randsvm-train heart m 2>err; [ $? = 1 ] &&
		grep -x "randsvm-train: cannot write standard output: Broken pipe" err; r=$?; rm -f m err; exit $r'
else
	skip 'env does not know --default-signal'
fi

# ---- the model and the predictions on standard output ----

ok 'model on stdout, lines on stderr' \
	'randsvm-train heart - >o 2>e; same_files o model && grep "Total nSV" e && grep "^Objective" e; r=$?;
	rm -f o e; exit $r'
ok 'so with --mode direct' \
	'randsvm-train -q --mode direct heart m; randsvm-train --mode direct heart - >o 2>e; same_files o m &&
	grep "Total nSV" e; r=$?; rm -f m o e; exit $r'
ok 'so with working sets' \
	'randsvm-train --sample 60 heart - >o 2>e; head -n 1 o | grep -x "svm_type c_svc" && ! grep Objective o &&
	grep "^Objective" e; r=$?; rm -f o e; exit $r'
# json COMMAND...: standard output is one object of JSON, and standard error has TEXT of the results
json()
{
	"${@:2}" >stdout 2>stderr
	cat stdout stderr
	python3 -c 'import json; assert json.load(open("stdout"))["schema_version"] == 1' && grep -e "$1" stderr
}
echo '1 1' >pairs
ok 'report alone on standard output: training'  json '^obj = ' randsvm-train --report - heart m
ok '... cross validation'                       json '^Cross Validation Accuracy' randsvm-train -q -v 3 --report - heart
ok '... its measures' json '^Balanced accuracy' randsvm-train -q -v 3 --metrics --report - heart
ok '... prediction'                             json '^Accuracy' svm-eval --report - heart model x
ok '... measures of a file'                     json '^Accuracy' svm-eval --report - --measure pairs
ok '... geometry'                               json '^radius' svm-eval --report - --geometry heart --reference heart
ok '... a certificate of a model'               json '^Objective' svm-eval --report - --certify heart model
ok '... a certificate of a map'                 json '^rank' rp-project --certificate -k 4 --report - heart x.rows
ok '... a certificate of a choice'              json '^rows' fs-select --certificate -k 4 --report - heart x.out
ok 'predictions of a cross validation alone' \
	'randsvm-train -q -v 3 --cv-predictions x heart >a; randsvm-train -q -v 3 --cv-predictions - heart 2>b |
	cmp - x && cmp a b'
ok 'with -v no model goes to standard output'   'randsvm-train -q -v 3 heart - 2>/dev/null | cmp - a'
rm -f a b m x pairs x.out x.rows
ok 'model on /dev/stdout'                'randsvm-train -q heart /dev/stdout | cmp - model'
ok 'model in a pipe'                     'randsvm-train -q heart - | svm-eval heart - | grep -F "(234/270)"'
ok 'predictions on stdout' \
	'svm-eval heart model - >o 2>e; same_files o predictions && grep Accuracy e; r=$?; rm -f o e; exit $r'
ok 'predictions on stdout, -b 1' \
	'randsvm-train -q -b 1 heart - | svm-eval -b 1 heart - - 2>/dev/null | head -n 1 | grep -x "labels 1 -1"'
ok 'model to a named pipe' \
	'mkfifo fifo; randsvm-train -q heart fifo & cmp fifo model; r=$?; rm fifo; exit $r'
ok 'a file called -'                     'randsvm-train -q heart ./- && same_files ./- model; r=$?; rm -f ./-; exit $r'

# ---- gzip ----

ok 'model.gz'                            'randsvm-train -q heart m.gz && gzip -t m.gz && gzip -dc m.gz | cmp - model'
ok 'svm-eval reads it'                   'svm-eval -q heart m.gz p && same_files p predictions'
ok 'predictions.gz' \
	'svm-eval -q heart model p.gz && gzip -t p.gz && gzip -dc p.gz | cmp - predictions'
ok 'the same bytes again'                'cp m.gz m2.gz; randsvm-train -q heart m.gz && same_files m.gz m2.gz'
ok '-z' \
	'randsvm-train -q -z heart m && gzip -dc m | cmp - model && svm-eval -z heart m p | grep Accuracy &&
	gzip -dc p | cmp - predictions'
ok '-z on stdout' \
	'randsvm-train -q -z heart - | gzip -dc | cmp - model && svm-eval -q -z heart model - | gzip -dc |
	cmp - predictions'
ok '-z and .gz compress once'            'randsvm-train -q -z heart m.gz && gzip -dc m.gz | cmp - model'
ok 'report.gz and indices.gz' \
	'randsvm-train -q --report r.gz --sv-indices i.gz heart m && gzip -t r.gz && gzip -t i.gz &&
	[ "$(gzip -dc i.gz | wc -l)" = 132 ]'
rm -f ./*.gz m p

# ---- links and permissions ----

ok 'a link is followed' \
	'echo old >real; ln -s real m; randsvm-train -q heart m && test -L m && same_files real model; r=$?;
	rm -f m real; exit $r'
ok 'a link to what is not there yet' \
	'ln -s real m; randsvm-train -q heart m && test -L m && same_files real model; r=$?; rm -f m real; exit $r'
ok 'permissions are kept' \
	'echo old >m; chmod 640 m; randsvm-train -q heart m && [ "$(stat -c %a m)" = 640 ]; r=$?; rm -f m; exit $r'
ok 'the umask counts' \
	'umask 027; randsvm-train -q heart m && [ "$(stat -c %a m)" = 640 ]; r=$?; rm -f m; exit $r'
ok 'nothing but what was asked for'      nothing_else

# ---- --sv-indices ----

# rows_of DATA INDICES MODEL: the data's rows with these numbers are the model's vectors
rows_of()
{
	awk 'NR == FNR { $1 = ""; row[NR] = $0; next } { print row[$1] }' "$1" "$2" >rows
	sed '1,/^SV/d' "$3" | sed -E 's/ $//; s/^([^ :]+ )+/ /' >vectors
	same_files rows vectors
}
ok 'indices, direct'                     'randsvm-train -q --mode direct --sv-indices i heart m && rows_of heart i m'
ok 'indices, default'                    'randsvm-train -q --sv-indices i heart m && rows_of heart i m'
ok 'indices, working sets'               'randsvm-train -q --sample 50 --sv-indices i heart m && rows_of heart i m'
ok 'indices, three classes' \
	'randsvm-train -q --sample 50 --sv-indices i "$three" m && rows_of "$three" i m'
ok 'indices, regression' \
	'randsvm-train -q --sample 50 -s 3 --sv-indices i "$T/sinc" m && rows_of "$T/sinc" i m'
ok 'indices, lines skipped do not count' \
	'(echo "# x"; echo; cat heart) >h; randsvm-train -q --sv-indices i h m && rows_of heart i m'
ok 'indices on stdout'                   'randsvm-train -q --sv-indices - heart m >i && rows_of heart i m'
rm -f rows vectors i m h

# ---- --report ----

need python3

training=(schema_version tool version settings seed data seconds_per_phase cpu_seconds_per_phase primal dual gap gap_bound rounding relative_gap violators
	rounds n_sv n_bsv seconds peak_memory_bytes stop_reason)
reported() { randsvm-train -q --report r "$@" m && python3 -m json.tool r && json_has r "${training[@]}"; }

# report KEY...: the value there in r; keys of objects and positions in arrays lead there
report() { python3 -c 'import functools, json, sys; print(functools.reduce(lambda r, k: r[int(k) if k.isdigit() else k], sys.argv[1:], json.load(open("r"))))' "$@"; }

# told NAME: a report of a run that writes to NAME has that, a byte that is not UTF-8 being U+FFFD
told()
{
	randsvm-train -q --report r heart "$1" && python3 - "$1" <<-'END'
		import json, os, sys
		is_, be = json.load(open("r"))["argv"][-1], os.fsencode(sys.argv[1]).decode(errors="replace")
		sys.exit(0 if is_ == be else "%r, not %r" % (is_, be))
	END
}
ok 'report: quotes and backslashes'      told 'a "b" \c\\'
ok 'report: what is no character'        told $'a\tb\nc\rd\be\ff\x01g\x1f\x7f'
ok 'report: letters of all lengths'      told $'caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xff'

ok 'report: whose the memory was' \
	'svm-gen twonorm -q -n 5000 -o large && randsvm-train -q --report r large m && json_has r memory &&
	[ "$(report peak_memory_bytes)" -gt "$(report memory peak_array_bytes)" ] &&
	report memory at_peak 0 owner | grep "^smo/" &&
	[ "$(report memory at_peak 0 bytes)" -ge "$(report memory at_peak 1 bytes)" ]'
ok '--verbose: whose the memory was' \
	'randsvm-train -q --verbose large m 2>err && rm large &&
	grep "^randsvm-train: memory: [0-9.]* MB at most, [0-9.]* MB of them in large arrays$" err &&
	grep "^randsvm-train: memory: *[0-9.]* MB smo/" err && rp-project -q --verbose -k 8 heart x 2>err &&
	grep "MB at most" err'
ok 'report, default'                     reported heart
ok 'report: what was trained' \
	'[ "$(report tool) $(report data rows) $(report data entries) $(report data max_index) $(report data classes)" = "randsvm-train 270 3378 13 2" ]'
ok 'report: how' \
	'[ "$(report settings mode) $(report settings C) $(report seed) $(report violators) $(report n_sv) $(report n_bsv)" = "exact 1 1 0 132 107" ]'
ok 'report: the objective'               'report dual | grep "^100[.]877"'
ok 'report, working sets'                reported --sample 60 --seed 18446744073709551615 heart
ok 'report: why it stopped' \
	'[ "$(report stop_reason)" = "no violators left" ] && [ "$(report rounds)" -gt 1 ]'
ok 'report: the seed to its last digit'  '[ "$(report seed)" = 18446744073709551615 ]'
ok 'report, three classes' \
	'reported --sample 60 "$three" && [ "$(report pairs 2 label_b)" = 5 ] && report pairs 0 primal'
ok 'report, paper' \
	'reported --mode paper -k 20 heart && [ "$(report stop_reason)" = "|SV| >= k" ]'
ok 'report, regression'                  reported -s 3 "$T/sinc"
ok 'report, -v' \
	'randsvm-train -q --report r -v 3 heart >out && json_has r accuracy seconds &&
	[ "$(report accuracy | cut -c 1-7)" = 83.7037 ]'
ok 'report, -v, regression' \
	'randsvm-train -q --report r -v 3 -s 3 "$T/sinc" >out && json_has r mse squared_correlation'
ok 'report, --mode direct' \
	'randsvm-train -q --mode direct --report r heart m && json_has r seconds peak_memory_bytes'
ok 'report, nu-SVC' \
	'randsvm-train -q -s 1 --report r heart m && json_has r seconds peak_memory_bytes'
ok 'report, one class' \
	'grep "^+1" heart >one; randsvm-train -q --report r one m && python3 -m json.tool r'
ok 'report: a name with quotes' \
	'cp heart "a\"b\\c"; randsvm-train -q --report r "a\"b\\c" m && [ "$(report data file)" = "a\"b\\c" ]'
ok 'report: a name that is no UTF-8' \
	'n=$(printf "a\377b"); cp heart "$n"; randsvm-train -q --report r "$n" m && python3 -m json.tool r'
ok 'report of svm-eval' \
	'svm-eval --report r heart model &&
	json_has r schema_version tool version settings rows accuracy seconds peak_memory_bytes &&
	[ "$(report rows) $(report correct)" = "270 234" ]'
ok 'report of svm-eval, regression' \
	'randsvm-train -q -s 3 "$T/sinc" m && svm-eval --report r "$T/sinc" m && json_has r mse r2'
ok 'report: not a number is null' \
	'head -n 1 "$T/sinc" >one; svm-eval --report r one m && [ "$(report r2)" = None ]'
ok 'report on stdout'                    'randsvm-train -q --report - heart m | python3 -m json.tool'
