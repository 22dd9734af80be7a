# One table an option: --help, what a program does, and the settings in its report say the same.

. "$TOP/test/helpers.bash"

need python3

for name in heart_scale a1a; do
	gzip -dc "$T/$name.gz" >"$name"
done
head -n 200 a1a >a200
printf 'x,z\n1,2.5\n3,4\n' >table
randsvm-train -q -t 0 heart_scale linear.model
randsvm-train -q -b 1 heart_scale model
fs-select -q -k 5 -s chosen heart_scale chosen.rows
randsvm-train -q -t 0 chosen.rows chosen.model
rp-project -k 6 -s map heart_scale projected
randsvm-train -q -t 0 --sv-indices projected.i projected projected.model
randsvm-train -q -s 3 -t 0 --sv-indices projected.svr.i projected projected.svr

programs='randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen svm-convert'

# listed PROGRAM: a line for each option of --help: its word, a tab, all that is said of it
listed()
{
	"$1" --help | awk '
		function flush() { if (word) print word "\t" text; word = text = "" }
		/^  -/ {
			flush()
			word = $1; sub(/,$/, "", word)
			text = length($0) > 28 && substr($0, 27, 2) == "  " ? substr($0, 29) : ""
			next
		}
		substr($0, 1, 29) ~ /^ *[^ ]$/ && substr($0, 28, 1) == " " { text = text " " substr($0, 29); next }
		{ flush() }
		END { flush() }'
}

# ---- layout ----

# laid_out PROGRAM: no line beyond 80 columns, headings at the left, examples
laid_out()
{
	"$1" --help >help
	! grep -n -E '.{81}|[[:blank:]]$|	' help &&
		head -n 1 help | grep "^Usage: $1 " &&
		grep -c '^[A-Z][A-Za-z -]*:$' help | grep -v -x '[01]' &&
		grep -x 'Examples:' help
}
for program in $programs; do
	ok "$program --help"                    laid_out "$program"
done
ok 'defaults as they were before the options' \
	'[ "$(randsvm-train -c 77 -t 0 --mode paper --help)" = "$(randsvm-train --help)" ] && [ "$(randsvm-train -c 77)" = "$(randsvm-train --help)" ]'

# ---- defaults ----

# shown FILE: a report without the command line, and what differs from run to run
shown()
{
	python3 - "$1" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		for key in "argv", "seconds", "seconds_per_phase", "cpu_seconds_per_phase", "peak_memory_bytes", "memory":
		    report.pop(key, None)
		for round in report.get("progress", []):
		    del round["seconds"], round["cpu_seconds"]
		print(json.dumps(report, indent=1))
	END
}

# produced COMMAND...: all that it writes: its output, result file and report
produced()
{
	rm -f result report.json
	"$@" >output 2>&1 || { cat output; return 1; }
	cat output
	[ ! -e result ] || cat result
	[ ! -e report.json ] || shown report.json
}

# run_with PROGRAM OPTION [VALUE]: run it where the option matters, with the option if there is a value
run_with()
{
	local program=$1 option=$2 with=()
	[ $# = 2 ] || with=("$option" "$3")
	set -- --report report.json "${with[@]}"
	case $program:$option in
	randsvm-train:--bag) produced randsvm-train "$@" --mode budget --budget 60 heart_scale result ;;
	randsvm-train:--model-format) produced randsvm-train "$@" -t 0 heart_scale result ;;
	randsvm-train:-p) produced randsvm-train "$@" -s 3 heart_scale result ;;
	randsvm-train:-n) produced randsvm-train "$@" -s 1 heart_scale result ;;
	randsvm-train:-d | randsvm-train:-r) produced randsvm-train "$@" -t 1 heart_scale result ;;
	randsvm-train:--seed) produced randsvm-train "$@" --mode reweight -k 5 heart_scale result ;;
	randsvm-train:--epsilon | randsvm-train:--delta | randsvm-train:--sample-factor)
		produced randsvm-train "$@" --mode paper --sample 60 heart_scale result ;;
	randsvm-train:--checkpoint-every) produced randsvm-train --checkpoint state "$@" heart_scale result ;;
	randsvm-train:*) produced randsvm-train "$@" heart_scale result ;;
	randsvm-grid:-log2c) produced randsvm-grid "$@" -out result -png null -log2g -7,-7,1 heart_scale ;;
	randsvm-grid:-log2g) produced randsvm-grid "$@" -out result -png null -log2c 1,1,1 heart_scale ;;
	randsvm-grid:-c) produced randsvm-grid "$@" -out result -png null -log2c null -log2g -7,-5,2 heart_scale ;;
	randsvm-grid:-d | randsvm-grid:-r)
		produced randsvm-grid "$@" -out result -png null -t 1 -log2c 1,1,1 -log2g -5,-3,2 heart_scale ;;
	randsvm-grid:-n) produced randsvm-grid "$@" -out result -png null -s 1 -log2g -7,-5,2 heart_scale ;;
	randsvm-grid:-p | randsvm-grid:-log2p)
		produced randsvm-grid "$@" -out result -png null -s 3 -log2c 1,1,1 -log2g -7,-5,2 heart_scale ;;
	randsvm-grid:*) produced randsvm-grid "$@" -out result -png null -log2c 1,3,2 -log2g -7,-5,2 heart_scale ;;
	rp-project:-p) produced rp-project -r map --recover heart_scale --sv-indices projected.svr.i "$@" projected.svr result ;;
	rp-project:-w* | rp-project:--loss) produced rp-project -r map --recover heart_scale --sv-indices projected.i "$@" projected.model result ;;
	rp-project:-l | rp-project:-u) produced rp-project -q -m scale "$@" heart_scale result ;;
	rp-project:--degree | rp-project:--coef0)
		produced rp-project -m nystrom --kernel polynomial "$@" -k 20 heart_scale result ;;
	rp-project:--landmarks) produced rp-project -m nystrom "$@" -k 20 heart_scale result ;;
	rp-project:--kernel) produced rp-project -m rff "$@" -k 64 heart_scale result ;;
	rp-project:*) produced rp-project "$@" -k 64 heart_scale result ;;
	fs-select:-T) produced fs-select "$@" -m approx-bss --unsupervised -k 300 a1a result ;;
	fs-select:--sampling) produced fs-select "$@" -m leverage -k 5 heart_scale result ;;
	fs-select:--beyond) produced fs-select "$@" -m rrqr -k 100 a200 result ;;
	fs-select:--fraction) produced fs-select "$@" -m rfe -k 30 a200 result ;;
	fs-select:--loss) produced fs-select "$@" -m l1 -k 5 heart_scale result ;;
	fs-select:-p) produced fs-select -q "$@" --regression -k 5 heart_scale result ;;
	fs-select:--seed) produced fs-select "$@" -m uniform -k 5 heart_scale result ;;
	fs-select:*) produced fs-select -q "$@" -k 5 heart_scale result ;;
	svm-eval:-b) produced svm-eval "$@" heart_scale model result ;;
	svm-eval:--ball-tol) produced svm-eval "$@" --geometry heart_scale linear.model ;;
	svm-eval:--sign) produced svm-eval --weights --top 3 "${with[@]}" linear.model ;;
	svm-eval:--seed) produced svm-eval "$@" --metrics --intervals 0.9 heart_scale model ;;
	svm-eval:*) produced svm-eval "$@" --certify heart_scale linear.model ;;
	svm-fold:-s) produced svm-fold -v 5 -f 2 --test --svm-train-order "${with[@]}" heart_scale result ;;
	svm-fold:*) produced svm-fold -v 5 -f 2 --test "${with[@]}" heart_scale result ;;
	svm-convert:--words | svm-convert:--min-count | svm-convert:--counts | svm-convert:--norm)
		produced svm-convert "$@" --text 1 --no-label table result ;;
	svm-convert:*) produced svm-convert "$@" --no-label table result ;;
	svm-gen:--variant) produced svm-gen ringnorm -n 20 "${with[@]}" result ;;
	svm-gen:--tau) produced svm-gen separable -n 20 "${with[@]}" result ;;
	svm-gen:-k) produced svm-gen relevant -n 20 "${with[@]}" result ;;
	svm-gen:--words) produced svm-gen text -n 20 "${with[@]}" result ;;
	svm-gen:*) produced svm-gen twonorm -n 20 "${with[@]}" result ;;
	esac
}

# as_said PROGRAM OPTION DEFAULT: with that value the program does what it does without the option
as_said()
{
	local word=${2/#-wi/-w1}
	run_with "$1" "$2" >without && if [ "$2" = -wi ]; then
		# the weights themselves are in the report
		run_with "$1" "$word" "$3" | grep -v -E '"(weights|label|weight)"|[]{}[]' >with
		grep -v -E '"(weights|label|weight)"|[]{}[]' without >less && mv less without
	else
		run_with "$1" "$2" "$3" >with
	fi && test -s with && diff without with
}

# in_manual PROGRAM: its page has the same defaults, at the beginning of the first brackets
in_manual()
{
	mandoc -T ascii -O width=500 "$TOP/man/$1.1" | sed 's/.\x08//g' >page
	python3 - <<-'END'
		import re, sys
		page = open("page").read()
		start = page.index("\nOPTIONS") + 1
		entries = re.split(r"\n(?= {7}-)", page[start:re.search(r"\n[A-Z]", page[start:]).start() + start])
		shown = {}
		for entry in entries:
		    option = re.match(r" +(--?[A-Za-z0-9-]+)", entry)
		    default = re.search(r"\[([^]]*)\]", entry)
		    if option and default:
		        shown[option.group(1)] = default.group(1)
		wrong = 0
		for line in open("defaults"):
		    option, default = line.split()
		    if not re.match(re.escape(default) + r"([;,. ]|$)", shown.get(option, "")):
		        print(option, "is", default, "in --help, and in the manual:", shown.get(option))
		        wrong = 1
		sys.exit(wrong)
	END
}

for program in $programs; do
	listed "$program" | sed -n 's/^\([^	]*\)	.*[(; ]default \([^ ():\/]*\))$/\1 \2/p' >defaults
	ok "$program: --help has defaults"          test -s defaults
	if type mandoc >/dev/null 2>&1; then
		ok "$program: the manual has them too"      in_manual "$program"
	else
		skip 'mandoc is not installed'
	fi
	while read -r option value; do
		ok "$program: $option $value"       as_said "$program" "$option" "$value"
	done <defaults
done

# ---- the table of letters in randsvm(7) ----

# letters PROGRAM: a line for each option of one letter: the letter, a tab, all of its entry in --help
letters()
{
	"$1" --help | awk '
		function flush() { if (word) print word "\t" text; word = text = "" }
		/^  -[^-]/ { flush(); word = $1; sub(/,$/, "", word); text = $0; next }
		/^   / && word { text = text " " $0; next }
		{ flush() }
		END { flush() }'
}

# in_table COLUMN PROGRAM: what the table says of a letter is a word of its entry; no letter is missing
in_table()
{
	letters "$2" >letters
	sed -n '/^\.SH OPTION LETTERS/,/^\.TE/p' "$TOP/man/randsvm.7" | sed -n 's/^\\-/-/p' >table
	awk -F '\t' -v column="$1" '
		FILENAME == "letters" { entry[$1] = tolower($2); next }
		{ row[$1] = 1 }
		$column && !($1 in entry) { print $1 ": is no option"; wrong = 1; next }
		!$column && $1 in entry { print $1 ": is missing"; wrong = 1; next }
		$column && !index(entry[$1], $column) { print $1 ": is not " $column ": " entry[$1]; wrong = 1 }
		END {
			for (letter in entry)
				if (!(letter in row)) { print letter ": no such row"; wrong = 1 }
			exit wrong || !length(row)
		}' letters table
}
column=2
for program in randsvm-train svm-eval rp-project fs-select svm-fold svm-gen; do
	ok "randsvm(7): letters of $program"     in_table $column $program
	column=$((column + 1))
done

# ---- the name of the output ----

# as_last COMMAND... FILE -- NAME...: with -o FILE it writes what it writes to a file named last
as_last()
{
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	rm -f last given long
	"${command[@]}" "$@" last && "${command[@]}" -o given "$@" &&
		"${command[@]}" --output long "$@" >printed && same_files last given long && holds printed '' &&
		"${command[@]}" -o - "$@" 2>/dev/null | cmp - last
}
ok 'rp-project -o'                      as_last rp-project -q -k 3 -- heart_scale
ok 'rp-project --fold -o'               as_last rp-project -r map --fold projected.model --
ok 'fs-select --fold -o'                as_last fs-select -r chosen --fold chosen.model --
ok 'fs-select -o'                       as_last fs-select -q -k 3 -- heart_scale
ok 'svm-fold -o'                        as_last svm-fold -v 3 -f 1 --test -- heart_scale
ok 'svm-gen -o'                         as_last svm-gen twonorm -n 5 --
ok 'svm-eval -o'                        as_last svm-eval -q -- heart_scale model
ok '-o, rows from a pipe' \
	'rm -f given && rp-project -q -k 3 heart_scale last && rp-project -q -k 3 -o given <heart_scale &&
	same_files last given'
ok 'svm-eval -o -: accuracy elsewhere'  streams 0 '-1' 'Accuracy = ' svm-eval -o - heart_scale model
fail 1 "rp-project: one file name too many: 'b'"   rp-project -k 3 -o x heart_scale b
fail 1 "rp-project: one file name too many: 'b'"   rp-project -r map --fold projected.model -o x b
fail 1 "fs-select: one file name too many: 'b'"    fs-select -k 3 -o x heart_scale b
fail 1 "fs-select: one file name too many: 'b'"    fs-select -r chosen --fold chosen.model -o x b
fail 1 "svm-fold: one file name too many: 'b'"     svm-fold -v 3 -f 1 --test -o x heart_scale b
fail 1 "svm-gen: one file name too many: 'b'"      svm-gen twonorm -n 5 -o x b
fail 1 "svm-eval: one file name too many: 'b'"     svm-eval -o x heart_scale model b
fail 1 "are the same file"                         rp-project -k 3 -o heart_scale heart_scale
fail 1 'svm-eval: cannot use --certify and -o simultaneously'   svm-eval -o x --certify heart_scale model

# ---- the report ----

# reported PROGRAM KEYS EXEMPT REPORT...: each option but those exempt has a key in one of the
# reports' settings: one of KEYS, OPTION=KEY, or its name
reported()
{
	local program=$1 keys=$2 exempt=$3
	shift 3
	listed "$program" | cut -f 1 >options
	"$program" --help | sed -n 's/^  \(-.\), --\([^ ]*\).*/\1 \2/p' >names
	python3 - "$keys" "$exempt" "$@" <<-'END'
		import json, sys
		keys = dict(pair.split("=") for pair in sys.argv[1].split())
		exempt = sys.argv[2].split() + "-o -q -z --force --spill --report --progress --verbose --help --version".split()
		settings = {}
		for name in sys.argv[3:]:
		    settings.update(json.load(open(name))["settings"])
		names = dict(line.split() for line in open("names"))
		missing = []
		for option in open("options").read().split():
		    name = names.get(option, option.lstrip("-"))
		    if option not in exempt and name not in ("help", "version") and keys.get(option, name.replace("-", "_")) not in settings:
		        missing.append(option)
		sys.exit("not in the report: " + " ".join(missing) if missing else 0)
	END
}

randsvm-train -q -w1 1 --report train.json heart_scale m
rp-project -q --epsilon 0.5 --rank 3 --certificate --report project.json heart_scale /dev/null >lines
rp-project -q -r map --fold projected.model --report fold.json unfolded
rp-project -q -r map --recover heart_scale --sv-indices projected.i --report recover.json -w1 1 projected.model unfolded
rp-project -q -m scale --range-y 0,1 --report scale.json heart_scale /dev/null
sed 's/.*/1/' heart_scale >ones
fs-select -q -k 5 -W ones --report select.json heart_scale /dev/null
fs-select -q -r chosen --fold chosen.model --report select_fold.json unselected
yes "$(printf 'a\nb\nc')" | head -n 270 >groups
randsvm-train -q --sv-indices i heart_scale m
randsvm-train -q --start m --start-indices i -W ones --report started.json heart_scale m2
svm-eval -q --certify heart_scale -w1 1 -W ones --report certify.json linear.model >x
randsvm-train -q -s 2 -n 0.1 heart_scale outlier.model
svm-eval -q --certify heart_scale -n 0.1 --report certify_nu.json outlier.model >x
randsvm-train -q -v 2 --groups groups --metrics --report cv.json --cv-predictions predicted heart_scale >x
svm-eval -q --measure predicted --intervals 0.9 --groups groups --report measure.json
svm-eval -q --measure predicted --compare predicted --report compare.json
svm-eval -q --check heart_scale --report check.json
svm-eval -q --calibrate predicted --method isotonic --report calibrated.json heart_scale model
svm-eval -q --calibrate predicted --sets 0.9 --report sets.json heart_scale model
svm-eval -q --calibrate predicted --false-alarms 0.1 --report alarms.json heart_scale model
svm-eval -q --reduce 9 --retrain --report reduce.json heart_scale model small
svm-eval -q --geometry heart_scale --reference heart_scale --report geometry.json
svm-eval -q --explain 2 --report explain.json heart_scale model reasons
svm-fold -v 3 -f 2 --train --report part.json heart_scale part
svm-fold -v 3 -f 2 --test --svm-train-order --report order.json heart_scale x
svm-fold -v 3 -f 2 --test --groups groups --report grouped.json heart_scale x
svm-gen relevant -n 50 --report gen.json made

ok 'randsvm-train: a key for each option' reported randsvm-train \
	'-s=svm_type -t=kernel_type -d=degree -g=gamma -r=coef0 -c=C -n=nu -m=cache_mb -e=eps -h=shrinking -b=probability -wi=weights -W=row_weights -v=folds --gap=wanted_gap' \
	'--seed --sv-indices --cv-predictions --checkpoint --checkpoint-every' train.json cv.json started.json
ok 'rp-project: a key for each option' reported rp-project '-r=restored -l=lower -u=upper -wi=weights' \
	'-m -k -d -g --kernel --degree --coef0 --frequencies --seed --cw --sparsity --with-replacement --single -s --sv-indices' project.json fold.json scale.json recover.json
ok 'fs-select: a key for each option' reported fs-select '-m=method -k=k -c=C -e=eps -T=sketch_rows -r=restored -d=fold_features -W=row_weights' \
	'--unsupervised --seed -s --names' select.json select_fold.json
# the method used stands in calibrated.method
ok 'svm-eval: a key for each option' reported svm-eval '-b=probability -c=C -n=nu -e=eps -wi=weights -W=row_weights' \
	'--chain --export --on-error --roc --pr --plot --size --labels --weights --top --sign --names --repair --predict --certificate --allow-empty --calibrate --method --background' explain.json certify.json certify_nu.json geometry.json measure.json compare.json check.json reduce.json calibrated.json sets.json alarms.json
ok 'svm-fold: a key for each option' reported svm-fold '-v=folds -s=svm_type' \
	'--seed --lines --lines-output' part.json order.json grouped.json
ok 'svm-gen: a key for each option' reported svm-gen '' '--seed' gen.json

# setting KEY FILE: its value in the settings
setting() { python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[2]))["settings"][sys.argv[1]]))' "$1" "$2"; }
ok 'what was not given is the default' \
	'[ "$(setting C train.json) $(setting mode train.json) $(setting cache_mb train.json) $(setting k train.json)" = "1 \"exact\" null 0" ]'
ok 'what was given' \
	'randsvm-train -q -c 2.5 -m 50 --mode reweight -k 7 --separable --report r heart_scale m &&
	[ "$(setting C r) $(setting mode r) $(setting cache_mb r) $(setting k r) $(setting separable r)" = \
	"2.5 \"reweight\" 50 7 true" ]'
# words FILE; outside KEY.KEY FILE: the command line; a value outside the settings
words() { python3 -c 'import json, sys; a = json.load(open(sys.argv[1]))["argv"]; print(a[0].split("/")[-1], *a[1:])' "$1"; }
outside() { python3 -c 'import json, sys, functools; print(functools.reduce(lambda o, k: o[k], sys.argv[1].split("."), json.load(open(sys.argv[2]))))' "$1" "$2"; }
ok 'the command line' \
	'[ "$(words train.json)" = "randsvm-train -q -w1 1 --report train.json heart_scale m" ] &&
	[ "$(words measure.json)" = "svm-eval -q --measure predicted --intervals 0.9 --groups groups --report measure.json" ]'
ok 'the model and its constant' \
	'[ "$(outside model_file train.json)" = m ] && grep "^rho" m && randsvm-train -q -w1 1 heart_scale m &&
	python3 -c "import sys; a, b = map(float, sys.argv[1:]); exit(abs(a - b) > 1e-12)" \
	"$(outside rho train.json)" "$(sed -n "s/^rho //p" m)" &&
	! outside model_file cv.json'
ok 'a checksum of the rows' \
	'gzip -c heart_scale >packed && rp-project -q -m none --binary heart_scale binary &&
	for f in packed binary; do randsvm-train -q --report r "$f" m &&
	[ "$(outside data.crc32 r)" = "$(outside data.crc32 train.json)" ] || exit; done;
	sed "1s/^+1/-1/" heart_scale >other && randsvm-train -q --report r other m &&
	[ "$(outside data.crc32 r)" != "$(outside data.crc32 train.json)" ] &&
	fs-select -q -k 3 --report r heart_scale /dev/null &&
	[ "$(outside data.crc32 r)" = "$(outside data.crc32 train.json)" ]'

# ---- checksums: what one program wrote, the next one read ----

# reads_what_was_written FILE REPORT: training reads from the file what the report says was written
reads_what_was_written()
{
	randsvm-train -q -s 3 -t 0 --report read.json "$1" m && python3 - "$2" read.json <<-'END'
		import json, sys
		written, read = (json.load(open(name)) for name in sys.argv[1:])
		for key in "rows", "entries", "max_index", "crc32":
		    print(key, written["written"][key], read["data"][key])
		    if written["written"][key] != read["data"][key]:
		        sys.exit(1)
	END
}
# chained COMMAND...: with --report and heart, of which some values are 0, it writes what is read
sed 's/ 5:[^ ]*/ 5:0/' heart_scale >zeros
chained()
{
	rm -f chained
	"$@" --report written.json zeros chained >x && reads_what_was_written chained written.json
}
ok 'svm-fold: rows written'             'reads_what_was_written part part.json && chained svm-fold -v 4 -f 1 --test'
ok 'svm-fold, binary' \
	'rp-project -q -m none --binary zeros binary &&
	svm-fold -v 4 -f 1 --test --report written.json binary part2 && reads_what_was_written part2 written.json'
ok 'svm-fold, rows of a pipe' \
	'svm-fold -v 3 -f 2 --test --svm-train-order --report r <heart_scale |
	cmp - <(svm-fold -v 3 -f 2 --test --svm-train-order heart_scale) &&
	[ "$(outside written.crc32 r) $(outside data.crc32 r)" = \
	"$(outside written.crc32 order.json) $(outside data.crc32 order.json)" ]'
ok 'svm-fold: rows read' \
	'[ "$(outside data.crc32 part.json) $(outside data.crc32 order.json)" = \
	"$(outside data.crc32 train.json) $(outside data.crc32 train.json)" ] &&
	[ "$(outside data.groups grouped.json)" = 3 ]'
ok 'svm-fold --list writes no rows' \
	'svm-fold -v 3 --list --report r heart_scale x &&
	[ "$(outside data.crc32 r)" = "$(outside data.crc32 train.json)" ] && ! outside written r'
ok 'svm-gen' \
	'reads_what_was_written made gen.json && for kind in text friedman checkerboard;
	do svm-gen $kind -n 3000 --threads 2 --report r made && reads_what_was_written made r || exit; done'
ok 'svm-gen: what the kind took' \
	'[ "$(setting features gen.json) $(setting relevant gen.json) $(setting kind gen.json)" = \
	"1000 40 \"relevant\"" ]'
for with in '-k 7' '-k 7 --binary' '-k 7 --binary --single' '-m none' '-m none --binary' '-m scale' '-m normalise'; do
	ok "rp-project $with: rows written"     chained rp-project -q $with
done
ok 'fs-select: rows written'            chained fs-select -q -k 5
ok 'fs-select --binary'                 chained fs-select -q -k 5 --binary
ok 'fs-select --list writes no rows'    'fs-select -q -k 5 --list --report r zeros listing && ! outside written r'
ok 'fs-select -r: rows written'         chained fs-select -q -r chosen
ok 'rounded values: no checksum' \
	'for with in "--digits 3" --single; do rp-project -q -k 7 $with --report r heart_scale x &&
	[ "$(outside written.file r)" = x ] && ! outside written.crc32 r || exit; done'
ok 'filters: rows read' \
	'for command in "rp-project -k 3" "rp-project -m scale" "fs-select -r chosen";
	do $command -q --report r heart_scale /dev/null &&
	[ "$(outside data.crc32 r)" = "$(outside data.crc32 train.json)" ] || exit; done'

# crc FILE: of its bytes, as zlib has it
crc() { python3 -c 'import gzip, sys, zlib; f = sys.argv[1]; print(zlib.crc32((gzip.open if f.endswith(".gz") else open)(f, "rb").read()))' "$1"; }
# same_map COMMAND...: the reports of -s, of -r, and of neither have the checksum of the map
same_map()
{
	"$@" -q -s kept.gz --report r1 heart_scale /dev/null && "$@" -q --report r2 heart_scale /dev/null &&
		"$1" -q -r kept.gz --report r3 heart_scale /dev/null || return
	echo "$(crc kept.gz): $(outside map.crc32 r1) $(outside map.crc32 r2) $(outside map.crc32 r3)"
	[ "$(outside map.crc32 r1) $(outside map.crc32 r2) $(outside map.crc32 r3)" = "$(crc kept.gz) $(crc kept.gz) $(crc kept.gz)" ]
}
for method in cw fht li pca; do
	ok "rp-project -m $method: the map"     same_map rp-project -m $method -k 4
done
ok 'rp-project -m scale: the ranges'    same_map rp-project -m scale
ok 'fs-select: the choice'              same_map fs-select -k 4
ok 'another seed, another map' \
	'rp-project -q -k 4 --report r1 heart_scale x && rp-project -q -k 4 --seed 2 --report r2 heart_scale x &&
	[ "$(outside map.crc32 r1)" != "$(outside map.crc32 r2)" ]'

ok 'weights'                            '[ "$(setting weights certify.json)" = "[{\"label\": 1, \"weight\": 1}]" ]'

# ---- options that do not go together ----

fail 1 "svm-eval: --reference needs --geometry; try 'svm-eval --help'"   svm-eval --reference a1a heart_scale model
fail 1 'fs-select: --names needs --list or -s; try'                     fs-select --names x -k 3 heart_scale
fail 1 'svm-eval: cannot use --geometry and -z simultaneously; try'     svm-eval -z --geometry heart_scale
fail 1 'fs-select: cannot use -r and -k simultaneously; try'            fs-select --features 3 -r chosen heart_scale
fail 1 'rp-project: cannot use --cw and --epsilon simultaneously' rp-project --epsilon 0.5 --rank 3 --cw 1,2,3 \
	heart_scale
fail 1 'randsvm-train: '\''-'\'' and '\''-'\'' are both standard output'  randsvm-train --report - heart_scale -
