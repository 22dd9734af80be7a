# Which older files are replaced: those of a run before, and not what a slip of the hand names.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
head -n 100 heart >h100
head -n 40 heart >part2
gzip -c part2 >part2.gz
rp-project -m none --binary part2 >part2.rows
touch part2.rows
printf 'a,b\n1,2\n3,4\n' >table
randsvm-train -q h100 model
rp-project -q -k 3 -s map h100 small
seq 270 >numbers
rp-project -q -m scale -s ranges h100 small
svm-scale -y 0 1 -s ranges.y h100 >small
svm-eval --chain chain ranges model
printf '2\n39\nbody\ntop of head\n' >words
printf '1 ill\n-1 well\n' >labels
randsvm-train -q -v 3 --cv-predictions cv h100
mkdir older
cp -p part2 part2.gz part2.rows table model map ranges ranges.y chain words labels cv older

# spares FILE COMMAND...: the file is refused in one line that names the cure, before any work, and
# nothing is lost; with --force as the first option the command replaces it
spares()
{
	local file=$1 before status
	shift
	before=$(ls -A)
	"$@" >older/stdout 2>older/stderr
	status=$?
	cat older/stdout older/stderr
	[ $status = 1 ] && [ "$(grep -c '' older/stderr)" = 1 ] &&
		grep "^$1: $file holds .*: say --force to replace it by the " older/stderr && diff <(echo "$before") <(ls -A) && cmp "$file" "older/${file##*/}" || return
	if [ "$1" = svm-gen ]; then "$1" "$2" --force "${@:3}"; else "$1" --force "${@:2}"; fi >/dev/null || return
	! cmp -s "$file" "older/${file##*/}"
	status=$?
	cp -p "older/${file##*/}" "$file"
	return $status
}

# ---- data that another program made ----

printf '1.5  18.00 2.3  0\n22.25  0.00 17.1 1\n' >blanks
cp -p blanks older
printf 'a,y\n1,2\n3,4\n' >table.y
ok 'svm-convert: a table of blanks'     spares blanks svm-convert -q -l y table.y blanks
for rows in part2 part2.gz part2.rows; do
	ok "svm-fold: $rows"            spares $rows svm-fold -v 3 -f 1 --test heart $rows
	ok "rp-project: $rows"          spares $rows rp-project -q -k 4 heart $rows
	ok "fs-select: $rows"           spares $rows fs-select -q -k 3 heart $rows
	ok "svm-convert: $rows"         spares $rows svm-convert heart $rows
	ok "svm-gen: $rows"             spares $rows svm-gen twonorm -n 10 $rows
	ok "svm-convert --to: $rows"    spares $rows svm-convert --to csv heart $rows
	ok "lines: $rows"               spares $rows svm-fold -v 3 -f 1 --test --lines numbers --lines-output $rows heart /dev/null
	ok "list: $rows"                spares $rows fs-select -q -k 3 --list heart $rows
	ok "report: $rows"              spares $rows rp-project -q -k 4 --report $rows heart /dev/null
	ok "map: $rows"                 spares $rows rp-project -q -k 4 -s $rows heart /dev/null
	ok "model: $rows"               spares $rows randsvm-train -q heart $rows
	ok "predictions: $rows"         spares $rows svm-eval -q heart model $rows
	ok "of a validation: $rows"     spares $rows randsvm-train -q -v 3 --cv-predictions $rows heart
	ok "indices: $rows"             spares $rows randsvm-train -q --sv-indices $rows heart /dev/null
	ok "results: $rows"             spares $rows randsvm-grid -q -log2c 0,0,1 -log2g 0,0,1 -out $rows -png null heart
	rm -f out
done
ok 'a table: rows'                  spares table rp-project -q -k 4 heart table
ok 'a table: a model'               spares table randsvm-train -q heart table
ok 'a table: predictions'           spares table svm-eval -q heart model table
ok 'a table: a table'               spares table svm-convert --to csv heart table
printf 'Survey of 1998\n\nname,age,y\nAda,3,1\n"Bo, jr.",4,2\n' >titled
printf '# exported\nMeasurements\nroom 7\nx;y\n1,5;2\n2,5;3\n' >titled2
cp -p titled titled2 older
for table in titled titled2; do
	ok "a table behind a title: rows, $table"         spares $table rp-project -q -k 4 heart $table
	ok "a table behind a title: a model, $table"      spares $table randsvm-train -q heart $table
	ok "a table behind a title: predictions, $table"  spares $table svm-eval -q heart model $table
	ok "a table behind a title: folds, $table"        spares $table svm-fold -v 3 -f 1 --test heart $table
done
gzip -dc "$T/heart_scale.gz" | sed 's/^-1/2/; s/^+1 1:0/3 1:0/' >classes
ok 'lines of results are no table'  'randsvm-train classes x >said && randsvm-train -q heart said && rm classes x said'
ok 'a model: rows'                  spares model rp-project -q -k 4 heart model
ok 'a model: a report'              spares model rp-project -q -k 4 --report model heart /dev/null
ok 'a map: rows'                    spares map fs-select -q -k 4 heart map
ok 'a map: predictions'             spares map svm-eval -q heart model map
# what stands beside a model: by what another program makes, and a model by none of them
for file in ranges ranges.y chain words labels cv; do
	ok "$file: rows"                spares $file rp-project -q -m scale heart $file
	[ $file = cv ] || ok "$file: a model"               spares $file randsvm-train -q heart $file
	ok "$file: predictions"         spares $file svm-eval -q heart model $file
	ok "$file: a list"              spares $file fs-select -q -k 3 --list heart $file
	[[ $file == ranges* ]] || ok "$file: a map" spares $file rp-project -q -k 4 -s $file heart /dev/null
done
cp ranges ranges2
cp model model2
for file in ranges map labels words cv model table part2 numbers; do
	cp -p $file older
	ok "$file: a chain"             spares $file svm-eval --chain $file ranges2 model2
done
ok 'a chain by a chain'             'cp chain x && svm-eval --chain x ranges model && : >x && svm-eval --chain x ranges model; r=$?; rm x; exit $r'
ok 'ranges by a map'                'cp ranges x && rp-project -q -k 4 -s x heart y && rp-project -q -m scale -s x heart y; r=$?; rm x y; exit $r'
ok 'predictions by name and tables of them, again' \
	'for i in 1 2; do svm-eval -q --labels labels heart model x && svm-eval -q --with-labels heart model y && randsvm-train -q -v 3 --cv-predictions z heart || exit; done; rm x y z'
ok 'predictions of another program' 'for text in "1\n-1\n" "labels 1 -1\n1 .9 .1\n" "1.5 # c\n"; do printf "$text" >x && svm-eval -q heart model x || exit; done; rm x'
printf -- '-1\n+1\n# none\n-1 qid:1\n+1 3:1\n' >bare
printf '\xef\xbb\xbf-1 1:2\n+1 3:1\n' >marked
cp -p bare marked older
ok 'rows that begin without features'   spares bare rp-project -q -k 4 heart bare
ok 'rows behind a byte-order mark'      spares marked randsvm-train -q heart marked
ok 'the files that a shell lists'       'cp heart part1; spares part2 rp-project -q -k 4 part[12]; r=$?; rm part1; exit $r'
ok 'a link to data'                     'ln -s part2 link; rp-project -q -k 4 heart link; [ $? = 1 ] && cmp part2 older/part2; r=$?; rm link; exit $r'

# ---- runs that are repeated ----

# repeated FILE COMMAND...: twice the command, and then its mark is that of nobody else
repeated()
{
	local file=$1
	shift
	for ((i = 0; i < 2; i++)); do "$@" >/dev/null || return; done
	touch -r "$file" time
	for other in 'rp-project -q -k 4' 'fs-select -q -k 3' svm-convert 'svm-fold -v 3 -f 1 --test'; do
		# shellcheck disable=SC2086
		[ "${other%% *}" = "$1" ] || ! $other heart "$file" 2>/dev/null || return
	done
	! svm-gen twonorm -n 10 "$file" 2>/dev/null || [ "$1" = svm-gen ] || return
	[ ! time -nt "$file" ] && [ ! time -ot "$file" ]
	set -- $?
	rm -f time "$file"
	return "$1"
}
for file in out out.gz; do
	ok "rp-project: $file"              repeated $file rp-project -q -k 4 heart $file
	ok "rp-project --binary: $file"     repeated $file rp-project -q -k 4 --binary heart $file
	ok "fs-select: $file"               repeated $file fs-select -q -k 3 heart $file
	ok "svm-fold: $file"                repeated $file svm-fold -v 3 -f 1 --test heart $file
	ok "svm-convert: $file"             repeated $file svm-convert heart $file
	ok "svm-convert --to csv: $file"    repeated $file svm-convert --to csv heart $file
	ok "svm-convert --to mtx: $file"    repeated $file svm-convert --to mtx heart $file
	ok "a redirected output: $file" \
		"rp-project -q -k 4 heart >$file && repeated $file rp-project -q -k 5 heart $file"
done
ok 'svm-convert --to npy'           repeated out svm-convert --to npy heart out
ok 'svm-gen in a loop'              'for i in 1 2 3; do svm-gen twonorm -n 9 --seed $i x || exit; done; rm x'
ok 'a loop over inputs, and over numbers' \
	'for f in heart h100 part2; do for k in 3 4; do rp-project -q -k $k $f x || exit; done; done; rm x'
ok 'predictions with tabs, and their curves' \
	'for i in 1 2; do svm-eval -q --with-labels --scores --roc roc.tsv --pr pr.tsv heart model x || exit; done; rm x roc.tsv pr.tsv'
ok 'models, maps, lists, reports of other programs' \
	'cp model m && randsvm-train -q heart m && cp map s && fs-select -q -k 3 -s s heart x &&
	fs-select -q -k 3 --list heart l && echo "{}" >r && rp-project -q -k 3 --report r heart y; r=$?; rm m s x l r y; exit $r'
ok 'an empty file, and devices' \
	'for to in empty empty.gz /dev/null; do [ -e $to ] || : >$to; rp-project -q -k 4 heart $to || exit; done; rm empty empty.gz'
ok 'a file that a shell has open' \
	'rp-project -q -k 4 heart >four; { echo "1 1:1"; rp-project -q -k 4 heart /dev/stdout; } >x &&
	rp-project -q -k 4 heart /dev/fd/3 3>>x && [ "$(wc -l <x)" = 541 ] && tail -n 270 x | cmp - four; r=$?; rm four x; exit $r'
ok 'moved, and copied with its time' \
	'rp-project -q -k 4 heart x && mv x y && cp -p y z && rp-project -q -k 3 heart y && rp-project -q -k 3 heart z; r=$?; rm y z; exit $r'

# ---- written to since ----

# changed COMMAND: x, an output of a program, is changed by the command and then data like any other
changed()
{
	rp-project -q -k 4 heart x && eval "$1" && cp x old && rp-project -q -k 4 heart x 2>err
	set -- $?
	cat err
	[ "$1" = 1 ] && cmp x old && rp-project -q --force -k 4 heart x && rp-project -q -k 5 heart x
	set -- $?
	rm -f x old err
	return "$1"
}
ok 'a row more'                     changed 'echo "1 1:1" >>x'
ok 'edited'                         changed 'sed -i s/1:/1:1/ x'
ok 'edited in place'                changed 'printf 9 | dd of=x bs=1 conv=notrunc status=none'
ok 'copied over'                    changed 'cp part2 x'
ok 'sorted'                         changed 'sort x -o x'
ok 'a file system of whole seconds' changed 'touch -d "@$(stat -c %Y x)" x'
ok 'the end of what a shell writes' changed '{ echo "1 1:1"; rp-project -q -k 4 heart; } >x'
ok 'the time is that of the write, to a millisecond' \
	'touch before; rp-project -q -k 4 heart x; sleep 0.01; touch after; [ ! x -ot before ] && [ ! x -nt after ]; r=$?; rm before x after; exit $r'
