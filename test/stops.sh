# Ends before the optimum: --gap, --time-limit and Ctrl-C leave a model and say how good it is.
#
# Nothing here fails because a machine is slow: what must be interrupted goes on for very long.

. "$TOP/test/helpers.bash"

n=20000
[ "$SANITIZE" ] && n=5000
svm-gen checkerboard --noise 0.02 -n $n board
svm-gen checkerboard -n 500 --first 1000001 board.t
svm-gen twonorm -n 3000 two
awk 'NR <= 6000 { $1 = ($1 > 0) + ($2 ~ /[0-4]$/ ? 2 : 0); print }' board >four_class
cp "$T/three_class" "$T/sinc" .
board=(-g 10 -c 10 board)

# honest FILE: bounds of the gap are not below 0 in all certificates of an output, and all is finite
honest()
{
	grep '^Objective' "$1" | tr -d , | awk '
		{ print; match($0, /gap = [^ ]*/); gap = substr($0, RSTART + 6) + 0 }
		/nan|inf/ || !RSTART || gap < -1e-9 * $2 || !($2 > 0) { bad = 1 }
		END { exit bad || !NR }'
}

# worth OUTPUT DATA C: of two classes the primal is not above that of w = 0, which is twice C times the
# rows of the smaller class
worth()
{
	awk -v C="$3" 'FNR == NR { n[$1 > 0]++; next }
		/^(Objective|primal)/ { primal = $($1 == "primal" ? 3 : 2) + 0; seen = 1 }
		END {
			most = 2 * C * (n[0] < n[1] ? n[0] : n[1])
			print "primal " primal ", that of w = 0 is " most
			exit !seen || primal > most * (1 + 1e-5)
		}' "$2" "$1"
}

# readable MODEL TEST: svm-predict, or else svm-eval, reads it
readable()
{
	local predict=svm-predict
	command -v svm-predict >/dev/null || predict=svm-eval
	$predict "$2" "$1" predicted && [ "$(wc -l <predicted)" = "$(wc -l <"$2")" ]
}

# report FILE KEY
report() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"; }

# ---- --gap ----

# gap_reached TOL REASON OPTION...: a gap of at most TOL, and why
gap_reached()
{
	local gap=$1 reason=$2
	shift 2
	streams 0 'relative gap = ' '' randsvm-train --gap "$gap" --report r "$@" m || return
	honest stdout && [ "$(report r stop_reason)" = "$reason" ] &&
		awk -v got="$(report r relative_gap)" -v most="$gap" 'BEGIN { exit !(got <= most) }'
}
# says WORDS OPTION...: the words before the gap of a proof, which fits into 80 columns where training has ended
says()
{
	randsvm-train "${@:2}" m >out 2>err; tail -n 1 out
	tail -n 1 out | grep -E -x "Objective -?[0-9.]+, $1 gap = [0-9.e-]+, relative gap = [0-9.e-]+, violators = [0-9]+" &&
		{ [[ $1 = [ns]* ]] || [ "$(tail -n 1 out | wc -L)" -le 80 ]; }
}
ok 'the words of an optimum'         says 'optimal to' "${board[@]}"
ok '... of an end by --gap'          says '--gap met:' --gap .005 -g 1 -c .01 two
ok '... of another end'              says 'stopped early at' --mode paper -k 600 --sample 1000 -c .1 two
ok '... of a bound that says little' says 'nothing is proved:' --mode paper -k 20 --sample 50 "${board[@]}"
ok '... of a sigmoid kernel'         says 'nothing is proved .indefinite kernel.:' -t 3 two
awk 'BEGIN { for (i = 1; i <= 60; i++) { x[i] = i * 37 % 61 / 30 - 1; y[i] = i * 23 % 59 / 30 - 1 }
	for (i = 1; i <= 60; i++) {
		printf "%d 0:%d", (x[i] + y[i] / 3 > 0 ? 1 : -1), i
		for (j = 1; j <= 60; j++)
			printf " %d:%.17g", j, x[i] * x[j] - y[i] * y[j] / 9
		print ""
	} }' >indefinite
ok '... of a precomputed one'        says 'nothing is proved .indefinite kernel.:' -t 4 indefinite
asked='the duality gap asked for'
ok '--gap 0.1'                       gap_reached 0.1 "$asked" "${board[@]}"
ok '--gap 0.001'                     gap_reached 0.001 "$asked" "${board[@]}"
ok 'fewer steps for less' \
	'for g in 0.1 1e-6; do randsvm-train --gap $g "${board[@]}" m | sed -n "s/.*#iter = //p"; done |
	tr "\n" " " | awk "{ print; exit !(\$1 < \$2) }"'
ok '--gap with LIBSVM'               gap_reached 0.05 "$asked" --solver libsvm --sample 300 "${board[@]}"
ok '--gap, paper'                   gap_reached 0.9 "$asked" --mode paper -k 2500 --sample 2500 -g 0.05 two
ok '--gap, classes'                  gap_reached 0.2 "$asked" --sample 200 -g 10 four_class
ok '--gap, regression'               gap_reached 0.2 "$asked" --sample 60 -s 3 -c 16 sinc
awk 'BEGIN {
	srand(3)
	for (i = 0; i < 2600; i++) {
		x = 6 * rand() - 3
		z = rand()
		printf "%.4f 1:%.4f 2:%.4f\n", sin(3 * x) + z * z + 0.1 * rand(), x, z
	}
}' >wave
ok '--gap, beyond what -e asks for'  gap_reached 0.001 "$asked" -s 3 -c 100 -g 1 wave
ok 'a gap that is there anyhow'      'randsvm-train --gap 1e-12 "${board[@]}" m >out && proved out 1e-3'
ok '--verbose says why' streams 0 '' 'the duality gap asked for' randsvm-train -q --verbose --gap 0.1 "${board[@]}" \
	m
ok 'LIBSVM alone' streams 0 '' 'warning: --gap is ignored: LIBSVM' randsvm-train -q --gap 0.1 --mode direct \
	three_class m
fail 1 '--gap: 0 is not between'     randsvm-train --gap 0 board m
fail 1 '--gap: 2 is not between'     randsvm-train --gap 2 board m

# ---- --time-limit ----

# over before it begins
over()
{
	streams 0 'Objective ' 'warning: reaching the time limit: the model so far is written' \
		randsvm-train --time-limit 0.00001 --report r "$@" m && [ "$(report r stop_reason)" = 'time limit' ]
}
limited() { over "$@" && honest stdout; }
# of nu-SVC and one-class, whose multipliers of a sample are not feasible for all rows
unproved() { over "$@" && grep -x 'Objective -\{0,1\}[0-9.]*, nothing is proved: dual unknown, violators = [0-9]*' stdout; }
ok 'time limit'                      limited "${board[@]}"
ok 'a model of more than nothing'    '[ "$(grep "^total_sv" m | tr -dc 0-9)" -gt 10 ]'
ok 'and worth more than w = 0'       worth stdout board 10
ok 'svm-predict reads it'            readable m board.t
ok 'time limit, -t 0'                'limited -t 0 -c 1e6 board && worth stdout board 1e6'
ok 'time limit, squared loss'        'limited -t 0 --loss squared -c 1e6 board && honest stdout'
ok 'time limit, budget'              'limited --mode budget --budget 1000 "${board[@]}" && worth stdout board 10'
for s in 1 2 4; do
	what=unproved
	[ $s = 4 ] && what=limited
	ok "time limit, -s $s"               $what -s $s -n 0.1 -g 0.05 --sample 200 two
	ok 'svm-predict reads it'            readable m two
done
# whenever it ends: a limit that is reached sooner or later, or not at all
at_any_time()
{
	local limit
	for limit in 0.03 0.1 0.2 0.3 0.5 0.8; do
		randsvm-train -q --time-limit $limit --report r "$@" board m 2>stderr || return
		python3 -c 'import json; r = json.load(open("r")); print("primal =", r["primal"], "dual =", r["dual"])
assert r["primal"] >= r["dual"] - 1e-9 * r["primal"]' >stdout && worth stdout board 1e4 || return
	done
}
ok 'any limit'                       at_any_time -g 10 -c 1e4
ok 'any limit, -t 0'                 at_any_time -t 0 -c 1e4
ok 'any limit, budget'               at_any_time --mode budget --budget 1500 -g 10 -c 1e4
ok 'time limit, classes'             'limited --sample 200 -g 10 four_class && [ "$(grep -c "^Objective" stdout)" = 6 ]'
ok 'svm-predict reads that'          readable m four_class
ok 'time limit, regression'          limited --sample 60 -s 3 -c 16 -e 1e-6 sinc
ok 'time limit, paper'               limited --mode paper -k 900 --sample 1000 "${board[@]}"
ok 'time limit, paper, native'       limited --mode paper --solver native -k 900 --sample 1000 "${board[@]}"
ok 'time limit, reweight'            limited --mode reweight -k 15 "${board[@]}"
ok 'time limit, LIBSVM in exact'     limited --solver libsvm --sample 300 "${board[@]}"
ok 'a limit that is not reached'     streams 0 'violators = 0' '' randsvm-train --time-limit 100000 "${board[@]}" m
ok 'and changes nothing'             'randsvm-train -q "${board[@]}" m1 && same_files m m1'
rm -f m
fail 1 'time limit reached during cross validation: nothing is written' randsvm-train -q --time-limit 0.00001 -v 3 \
	"${board[@]}"
fail 1 'time limit reached during cross validation: nothing is written' randsvm-train -q --time-limit 0.00001 -b 1 \
	"${board[@]}" m
ok 'no model'                        '! compgen -G "m*" | grep -v m1'
fail 1 '--time-limit: 0 is not between'  randsvm-train --time-limit 0 board m

# ---- --fail-on-gap ----

rm -f m
fail 1 'above --fail-on-gap 0.01: no model is written' randsvm-train -q --time-limit 0.00001 --fail-on-gap 0.01 \
	"${board[@]}" m
ok 'no model is there'               '[ ! -e m ]'
ok 'a gap that is small enough'      'randsvm-train -q --fail-on-gap 0.01 "${board[@]}" m && same_files m m1'
fail 1 'cannot use -v and --fail-on-gap' randsvm-train -q -v 3 --fail-on-gap 0.01 "${board[@]}"

# ---- Ctrl-C ----

if ! env --default-signal=INT true 2>/dev/null; then
	skip 'env cannot reset signals'
	return
fi

# interrupt WHEN COMMAND...: SIGINT as soon as WHEN succeeds; again and again, if $again
interrupt()
{
	local when=$1 pid
	shift
	: >stderr
	env --default-signal=INT "$@" >stdout 2>stderr &
	pid=$!
	event $pid "$when"
	kill -s INT $pid
	while [ "$again" ] && kill -s INT $pid 2>/dev/null; do
		sleep 0.05
	done
	wait $pid
	set -- $?
	cat stdout stderr
	echo "exit status $1"
	[ "$1" = 130 ] # of a program that died by SIGINT, or says so itself
}

mkdir clean
cp board board.t four_class clean
cd clean || return
touch stdout stderr
kept=(board board.t four_class stdout stderr)
# nobody waits for the end of these
endless=(--sample 500 -c 1e9 -g 1 -e 1e-9)

again=
ok 'Ctrl-C' interrupt 'grep "round 1:" stderr' randsvm-train --verbose --report r "${endless[@]}" board m
ok 'a warning'                       holds stderr 'warning: interrupted: the model so far is written'
ok 'an honest gap'                   honest stdout
ok 'and a model worth something'     worth stdout board 1e9
ok 'in the report, too'              '[ "$(report r stop_reason)" = interrupted ]'
ok 'svm-predict reads the model'     readable m board.t
rm -f predicted
ok 'nothing is left over'            files_are "${kept[@]}" m r
# at_any_moment OPTION...: Ctrl-C later and later, from before there is a model
at_any_moment()
{
	local moment
	for moment in 0.02 0.1 0.2 0.4 0.8 1.6; do
		rm -f m
		timeout -s INT $moment env --default-signal=INT randsvm-train "$@" "${endless[@]}" board m >stdout 2>stderr
		[ ! -e m ] || { honest stdout && worth stdout board 1e9; } || return
	done
}
ok 'Ctrl-C at any moment'            at_any_moment
ok 'Ctrl-C at any moment, -t 0'      at_any_moment -t 0
ok 'Ctrl-C at any moment, budget'    at_any_moment --mode budget --budget 1500
rm -f m r predicted
# pairs trained at once tell of their rounds when they end, which these do not
ok 'Ctrl-C, classes' \
	'interrupt "grep solver: stderr && sleep 1" randsvm-train --verbose --sample 200 "${endless[@]}" \
	four_class m &&
	honest stdout && [ "$(grep -c "^Objective" stdout)" = 6 ]'
ok 'svm-predict reads that model'    readable m four_class
rm -f m r predicted
ok 'Ctrl-C, -v' interrupt 'grep "round 1:" stderr' randsvm-train --verbose -v 3 "${endless[@]}" board
ok 'no result' \
	'! grep "Cross Validation" stdout && holds stderr "interrupted during cross validation: nothing is written"'
ok 'Ctrl-C, -b 1' interrupt 'grep "round 1:" stderr' randsvm-train --verbose -b 1 --report r "${endless[@]}" board m
ok 'no model, no report'             files_are "${kept[@]}"
again=yes
ok 'Ctrl-C twice kills' interrupt 'grep "solver: " stderr' randsvm-train --verbose --solver libsvm --sample \
	$((n - 1)) "${endless[@]}" board m
ok 'and leaves nothing'              files_are "${kept[@]}"
again=
reading()
{
	local writer
	mkfifo fifo
	(head -n 100 board; exec sleep 1000) >fifo &
	writer=$!
	interrupt 'unfinished $pid ".r.tmp*"' randsvm-train --report r fifo m
	set -- $?
	kill $writer
	rm fifo
	return "$1"
}
ok 'Ctrl-C while reading'            reading
ok 'leaves nothing'                  files_are "${kept[@]}"
