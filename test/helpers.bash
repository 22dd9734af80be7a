# helpers.bash - what several of test/NAME.sh use; `. "$TOP/test/helpers.bash"` reads it
#
# The functions are commands of cases: their exit status says whether all was as it should
# be, their output why not.
#
# SPDX-License-Identifier: BSD-3-Clause

# streams STATUS OUT ERR COMMAND...: the exit status, a text on stdout, a text on stderr; an
# empty text: nothing there at all
streams()
{
	local status=$1 out=$2 err=$3 got
	shift 3
	"$@" >stdout 2>stderr
	got=$?
	echo "exit status $got, stdout:"
	cat stdout
	echo 'stderr:'
	cat stderr
	[ "$got" = "$status" ] && holds stdout "$out" && holds stderr "$err"
}

# holds FILE TEXT: FILE has TEXT in it; or nothing at all, if TEXT is empty
holds()
{
	if [ "$2" ]; then
		grep -q -a -F -e "$2" "$1"
	else
		[ ! -s "$1" ]
	fi
}

# unfinished PID PATTERN: the process writes a file that has a name like PATTERN, or none yet
unfinished()
{
	compgen -G "$2" || find "/proc/$1/fd" -lname '*/#* (deleted)' | grep .
}

# event PID COMMAND: wait until COMMAND succeeds, however long that takes; fails if the process ends
# before
event()
{
	until eval "$2" >/dev/null 2>&1; do
		kill -0 "$1" 2>/dev/null || return
		sleep 0.01
	done
}

# struck SIGNAL WHEN COMMAND...: COMMAND is sent the signal as soon as WHEN succeeds, a command that
# may use $pid; its exit status.  Its output is in the files stdout and stderr.  Where COMMAND had
# ended well before the signal, as it may on a busy machine, it is run again, 20 times at most.
struck()
{
	local signal=$1 when=$2 pid status try
	shift 2
	for ((try = 0; try < 20; try++)); do
		: >stdout
		: >stderr
		"$@" >stdout 2>stderr &
		pid=$!
		event $pid "$when" && kill -s "$signal" $pid 2>/dev/null
		wait $pid
		status=$?
		[ $status = 0 ] || break
	done
	cat stderr
	echo "exit status $status"
	return $status
}

# both A B COMMAND...: run COMMAND with program A and with B in place of the word PROGRAM and A.* and
# B.* in place of RESULT; then exit status, stdout, stderr (but for svm-eval's notes, which are not
# svm-predict's) and result files are the same
#
# `both svm-train randsvm-train PROGRAM -q heart RESULT`
both()
{
	local a=$1 b=$2
	shift 2
	one_of_both "$a" a "$@"
	one_of_both "$b" b "$@"
	diff_quietly a.status b.status && diff_quietly a.stdout b.stdout &&
		diff_quietly a.stderr b.stderr && diff_quietly a.result b.result
}

# one_of_both PROGRAM NAME COMMAND...
one_of_both()
{
	local program=$1 name=$2
	shift 2
	rm -f "$name.result"
	set -- "${@/#PROGRAM/$program}"
	"${@/#RESULT/$name.result}" >"$name.stdout" 2>"$name.stderr"
	echo "exit status $?" >"$name.status"
	sed -i '/^svm-eval: note: /d' "$name.stderr"
	[ -e "$name.result" ] || echo 'no file' >"$name.result"
}

diff_quietly()
{
	cmp -s "$1" "$2" && return
	diff -a "$1" "$2" | head -n 20
	return 1
}

# same_files FILE FILE...: all are there, not empty, and equal
same_files()
{
	local file
	for file; do
		[ -s "$file" ] && cmp "$1" "$file" || return
	done
}

# linear_data: heart, a1a, three_class, sinc, text and friedman, the data for linear kernels
linear_data()
{
	gzip -dc "$T/heart_scale.gz" >heart
	gzip -dc "$T/a1a.gz" >a1a
	cp "$T/three_class" "$T/sinc" .
	svm-gen text -n 900 --seed 3 >text
	svm-gen friedman -n 300 >friedman
}

# files_are NAME...: these and no others are in the current folder
files_are()
{
	diff <(for name; do echo "$name"; done | sort) <(ls -A | sort)
}

# lines_of FILE: the lines that svm-train prints, without its dots, and N for each number
lines_of() { grep -v -E '^[.*]+$|^$' "$1" | grep -v -E '^(Objective|primal|worst|Work|all [0-9]+ pairs)' | sed -E 's/[-+0-9.]+/N/g'; }

# close_objectives FILE FILE TOLERANCE: the 'obj =' lines of two outputs agree pair by pair, to
# a relative TOLERANCE
close_objectives()
{
	grep '^obj' "$1" >objectives.a
	grep '^obj' "$2" >objectives.b
	paste objectives.a objectives.b | tr -d , | awk -v tolerance="$3" '
		{ d = $3 - $9; if (d < 0) d = -d; size = $3 < 0 ? -$3 : $3 }
		NF != 12 || !(d <= tolerance * size) { print "objectives", $3, "and", $9; bad = 1 }
		END { exit bad || !NR }'
}

# near_gap FILE MOST: as proved(), but of the gap that --verbose prints, without the bound of rounding
near_gap()
{
	grep '^primal' "$1" | awk -v most="$2" -F '[=,]' '
		!($6 <= most * ($2 < 0 ? -$2 : $2)) || !/violators = 0( |$)/ { print; bad = 1 }
		END { exit bad || !NR }'
}

# proved FILE GAP: the certificates in the output of a training all have no violators and a relative
# gap of at most GAP; there is at least one
proved()
{
	grep '^Objective' "$1" | awk -v most="$2" '
		!match($0, /relative gap = [^,]*/) { bad = 1 }
		{ gap = substr($0, RSTART + 15, RLENGTH - 15) + 0 }
		!(gap <= most) || !/violators = 0( |$)/ { print; bad = 1 }
		END { exit bad || !NR }'
}

# agree FILE FILE PERCENT: at least so many lines are the same in two files of predictions
agree()
{
	paste -d '|' "$1" "$2" | awk -F '|' -v percent="$3" '
		$1 == $2 && $1 != "" { n++ }
		END { printf "%d of %d lines agree\n", n, NR; exit !(NR && 100 * n >= percent * NR) }'
}

# filled K FILE: rows as `label value value ...`, zeros too
filled()
{
	awk -v k="$1" '{
		split("", x)
		for (i = 2; i <= NF; i++) {
			split($i, pair, ":")
			x[pair[1]] = pair[2]
		}
		printf "%s", $1
		for (t = 1; t <= k; t++)
			printf " %s", t in x ? x[t] : 0
		print ""
	}' "$2"
}

# near FILE FILE TOLERANCE: the files have the same words, numbers up to
# TOLERANCE * max(1, |number|) apart
near()
{
	paste -d '|' "$1" "$2" | awk -F '|' -v tolerance="$3" '
		function number(s) { return s ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ }
		{
			n = split($1, a, " ")
			if (split($2, b, " ") != n || !n)
				bad = 1
			for (i = 1; i <= n; i++) {
				if (a[i] == b[i])
					continue
				d = a[i] - b[i]; d = d < 0 ? -d : d
				size = a[i] < 0 ? -a[i] : a[i] + 0; size = size < 1 ? 1 : size
				if (d > most)
					most = d
				if (!number(a[i]) || !number(b[i]) || d > tolerance * size) {
					print "line " NR ": " a[i] " and " b[i]
					bad = 1
				}
			}
		}
		END { print "largest difference", most + 0; exit bad || !NR }'
}

# json_has FILE KEY...: a JSON object that has these keys
json_has()
{
	python3 - "$@" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		missing = [key for key in sys.argv[2:] if key not in report]
		sys.exit("missing: " + " ".join(missing) if missing else 0)
	END
}

# python_with MODULE: prints the first python3 that can import MODULE; nothing if none can
python_with()
{
	local python
	for python in python3 /usr/bin/python3; do
		"$python" -c "import $1" 2>/dev/null && echo "$python" && return
	done
}

# cramped MODEL "MB ..." COMMAND...: in each of so many MB of address space the command, whose last
# argument is the model, writes the bytes of MODEL or says that memory is short; and both happen
cramped()
{
	local expected=$1 sizes=$2 mb n_short=0 n_done=0
	shift 2
	for mb in $sizes; do
		(ulimit -v $((mb * 1000)); ulimit -c 0; "$@") 2>err
		case $? in
		0) same_files "$expected" "${!#}" || return; n_done=$((n_done + 1)) ;;
		1) cat err; grep -E 'out of memory|cannot start a thread' err || return; n_short=$((n_short + 1)) ;;
		*) echo "$mb MB: died"; cat err; return 1 ;;
		esac
		rm -f "${!#}"
	done
	[ $n_short -gt 0 ] && [ $n_done -gt 0 ]
}
