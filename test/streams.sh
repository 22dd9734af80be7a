# The programs that pass rows on: rows that come slowly, in parts, or not at all.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
head -n 40 heart >h40
randsvm-train -q heart model
fs-select -q -k 3 -s chosen heart /dev/null
rp-project -q -k 3 -s map heart /dev/null

# ---- a row that comes is answered before the next one, and before the end ----

# answers COMMAND...: to each of three rows on its standard input it writes a line before the next
# row is sent; as many as it writes for a file of them.  A line that never comes takes a minute.
answers()
{
	local i row line
	head -n 3 heart | "$@" >expected || return
	coproc FILTER { "$@"; }
	exec 7>&"${FILTER[1]}" 8<&"${FILTER[0]}"
	eval "exec ${FILTER[1]}>&-"
	for i in 1 2 3; do
		row=$(sed -n ${i}p heart)
		echo "$row" >&7
		read -r -t 60 line <&8 || { echo "no answer to row $i"; exec 7>&- 8<&-; return 1; }
		echo "$line" >>answered
	done
	exec 7>&- 8<&-
	wait
	sed 's/ *$//' expected >expected.trimmed
	diff expected.trimmed answered
}
slowly() { rm -f answered; answers "$@"; }

ok 'svm-eval'                   slowly svm-eval -q - model -
ok 'svm-eval, rows of nothing' \
	'(printf "1:1\n\n# no words\n"; sed 1,3d heart) >h && cp heart labelled && mv h heart && slowly svm-eval -q - model -
	status=$?; mv labelled heart; return $status'
ok 'rp-project'                 slowly rp-project -r map
ok 'rp-project, new map'        slowly rp-project -m gaussian -k 4
ok 'fs-select -r'               slowly fs-select -r chosen
ok 'svm-fold'                   slowly svm-fold -v 99 -f 98 --train
ok 'svm-fold --threads 1'       slowly svm-fold -v 99 -f 98 --train --threads 1
ok 'a chain'                    slowly bash -c 'rp-project -r map | rp-project -k 2 | svm-fold -v 99 -f 98 --train'
ok 'a gzip member for a row' \
	'slowly bash -c '"'"'while IFS= read -r line; do echo "$line" | gzip -c; done | svm-eval -q - model -'"'"

# ---- the same bytes, however the rows arrive ----

# trickling FILE: its lines one after another
trickling() { while IFS= read -r line; do echo "$line"; sleep 0.012; done <"$1"; }

# same_if_slow COMMAND...: from standard input
same_if_slow() { "$@" <h40 >fast && trickling h40 | "$@" >slow && same_files fast slow; }

ok 'svm-eval: the same'         same_if_slow svm-eval -q --scores - model -
for method in fht cw gaussian; do
	ok "rp-project, $method: the same"  same_if_slow rp-project -m $method -k 8 -d 13
done
ok 'rp-project --binary: the same'  same_if_slow rp-project -k 8 --binary
ok 'fs-select -r: the same'     same_if_slow fs-select -r chosen
ok 'fs-select -r --binary: the same'  same_if_slow fs-select -r chosen --binary
ok 'svm-fold: the same'         same_if_slow svm-fold -v 4 -f 2 --test
ok 'compressed: the same'       same_if_slow svm-fold -v 4 -f 2 --train -z

# parts of lines: the beginning of one waits for its end
broken() { printf '+1 1:0.'; sleep 0.1; printf '5 2:1\n-1 1:1'; sleep 0.1; printf ' 2:3\n1'; sleep 0.1; printf ' 4:1'; }
ok 'lines in pieces'            'broken >whole; broken | rp-project -k 3 >a; rp-project -k 3 whole b; same_files a b'
ok 'an error in a late line' \
	'{ head -n 2 heart; sleep 0.1; echo "1 1:x"; } | rp-project -k 3 >a 2>e; [ $? = 1 ] &&
	[ "$(wc -l <a)" = 2 ] && grep "rp-project: Wrong input format at line 3: standard input:3:5: " e'

# ---- parts without a row ----

: >empty
printf '# a comment\n\n' >comments
gzip -c empty >empty.gz

# passes TEXT COMMAND...: nothing comes out, status 0, and a note that -q silences
passes()
{
	local text=$1
	shift
	streams 0 '' "$text" "$@" && [ "$(wc -l <stderr)" = 1 ] && streams 0 '' '' "$1" -q "${@:2}"
}

for part in empty comments empty.gz; do
	ok "rp-project, $part"          passes "rp-project: note: $part: no examples" rp-project -k 3 $part
	ok "fs-select -r, $part"        passes "fs-select: note: $part: no examples" fs-select -r chosen $part
	for folds in --stratified --svm-train-order --by-qid; do
		ok "svm-fold $folds, $part" passes "svm-fold: note: $part: no examples" svm-fold -v 3 -f 1 --test \
			$folds $part
	done
	ok "svm-eval, $part"            passes 'svm-eval: note: no examples' svm-eval --allow-empty $part model -
	ok "svm-eval, $part, no output" passes 'svm-eval: note: no examples' svm-eval --allow-empty $part model
	for to in '' - p; do
		# shellcheck disable=SC2086
		ok "svm-eval, $part, $to: is not to be empty" streams 1 '' "svm-eval: $part: no examples" \
			svm-eval -q $part model $to
	done
done
ok 'no file from an empty one'          '[ ! -e p ]'
ok 'the end of a pipeline'              'cat none 2>/dev/null | streams 1 "" "svm-eval: standard input: no examples" svm-eval - model -'
ok 'an empty pipe'                      'passes "svm-eval: note: no examples" svm-eval --allow-empty - model - </dev/null'
ok 'an empty output file'               'svm-eval -q --allow-empty empty model p && [ -e p ] && [ ! -s p ]'
ok 'scores: the line of names'          '[ "$(svm-eval -q --allow-empty --scores empty model -)" = "label 1/-1" ]'
ok 'binary: empty, and it can be read'  'fs-select -q -r chosen --binary empty | rp-project -q -k 2 >x && [ ! -s x ]'
ok 'parts, of which one is empty' \
	'{ rp-project -q -r map h40; rp-project -q -r map empty; } | cmp - <(rp-project -r map h40)'
fail 1 'svm-eval: empty: no examples'   svm-eval empty model
ok 'measures beside predictions' \
	'svm-eval --allow-empty --metrics empty model p 2>err && [ ! -s p ] && grep -x "svm-eval: note: no examples" err'
fail 1 'svm-eval: empty: no examples'   svm-eval --metrics empty model
fail 1 'empty: no examples'             fs-select -k 3 empty
fail 1 'empty: no examples'             randsvm-train empty m

# ---- what rows are called ----

awk '{ print $0 " # patient " NR }' h40 >named
ok 'comments go with predictions' \
	'svm-eval -q h40 model p; svm-eval -q --comments named model q; cut -d " " -f 1 q | cmp - p &&
	[ "$(sed -n 7p q)" = "$(sed -n 7p p) # patient 7" ]'
ok 'only on request'                    'svm-eval -q h40 model p; svm-eval -q named model q; same_files p q'
ok 'behind scores' \
	'[ "$(svm-eval -q --scores --comments named model - | sed -n 8p)" = \
	"$(svm-eval -q --scores h40 model - | sed -n 8p) # patient 7" ]'
ok 'rows without one' \
	'{ head -n 1 named; sed -n 2p h40; } >some; svm-eval -q --comments some model q; sed -n 2p q |
	grep -x -e "[-1]*"'
ok 'without labels' \
	'cut -d " " -f 2- named >bare; svm-eval -q --comments bare model p; svm-eval -q --comments named model q;
	same_files p q'
ok 'through a projection' \
	'rp-project -q -r map named | randsvm-train -q - pm; rp-project -q -r map named |
	svm-eval -q --comments - pm - | tail -n 1 | grep " # patient 40$"'
ok 'long comments' \
	'(head -n 1 h40 | tr -d "\n"; printf " #"; head -c 100000 /dev/zero | tr "\0" x; echo) >long;
	[ "$(svm-eval -q --comments long model - | wc -c)" -gt 100003 ]'
ok 'the binary form has none' \
	'rp-project -q -k 3 --binary named b; rp-project -q -k 3 h40 | randsvm-train -q - bm;
	svm-eval -q --comments b bm - | grep -c -v "#" | grep -x 40'
