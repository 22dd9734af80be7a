# svm-fold: lines as they are, each in one test part; the same folds whatever the input's form.

. "$TOP/test/helpers.bash"

usage='Usage: svm-fold -v N -f I --train|--test [options] [data_file [output_file]]'

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
cp "$T/three_class" "$T/sinc" .
nl=$'\n'

# partition DATA N OPTION...: test parts are all lines in order, once; training parts the others
partition()
{
	local data=$1 n=$2 i
	shift 2
	: >tests
	for i in $(seq "$n"); do
		svm-fold -v "$n" -f "$i" --test "$@" "$data" >part || return
		svm-fold -v "$n" -f "$i" --train "$@" "$data" >rest || return
		in_order "$data" part rest || return
		cat part >>tests
	done
	sort tests >a && sort "$data" | cmp - a
}

# in_order WHOLE A B: WHOLE is A and B merged, each in its order (lines are told apart)
in_order()
{
	awk -v a="$2" -v b="$3" '
		BEGIN { more_a = getline x <a; more_b = getline y <b }
		more_a > 0 && $0 == x { more_a = getline x <a; next }
		more_b > 0 && $0 == y { more_b = getline y <b; next }
		{ print "line " NR " is in neither"; exit 1 }
		END { exit more_a > 0 || more_b > 0 }' "$1"
}

# lines of their own: no two alike
awk '{ print $0 " # line " NR }' heart >told
awk '{ print $0 " # line " NR }' three_class >three
awk '{ print $0 " # line " NR }' sinc >targets

# ---- partitions ----

for n in 2 7 10; do
	ok "$n folds"                  partition told $n
	ok "$n folds, stratified"      partition told $n --stratified
	ok "$n folds, as svm-train"    partition told $n --svm-train-order
done
ok 'three classes'                  partition three 4 --stratified
ok 'targets'                        partition targets 3 --svm-train-order -s 3
ok 'more folds than rows' \
	'head -n 3 told >few && for i in $(seq 20); do svm-fold -q -v 20 -f $i --test few; done | sort |
	cmp - <(sort few)'
ok 'an empty part is remarked on' \
	'for i in $(seq 20); do svm-fold -v 20 -f $i --test few; done 2>&1 >/dev/null |
	grep "no row of 3 is in the test part of fold"'

# ---- which rows ----

# shares DATA N: no two folds differ by more than one row of a class
shares()
{
	local i
	for i in $(seq "$2"); do
		svm-fold -v "$2" -f "$i" --test --stratified "$1" | cut -d ' ' -f 1 | sort | uniq -c
	done | awk -v n="$2" '
		{ if (!($2 in count) || $1 < low[$2]) low[$2] = $1; if ($1 > high[$2]) high[$2] = $1; count[$2]++ }
		END { for (c in count) { print c, low[c], high[c], count[c]; if (high[c] - low[c] > 1 || count[c] != n) exit 1 } }'
}
ok 'stratified: shares of a1a'      shares a1a 10
ok 'stratified: shares of three classes'  shares three_class 7
ok 'plain: about equal sizes' \
	'svm-gen checkerboard -n 20000 >board && for i in 1 2 3 4; do svm-fold -v 4 -f $i --test board | wc -l;
	done | tee /dev/stderr | awk "\$1 < 4750 || \$1 > 5250 { exit 1 }"'
ok 'plain: a row stays where it is' \
	'head -n 5000 board >begin && svm-fold -v 3 -f 2 --test begin >a && svm-fold -v 3 -f 2 --test board |
	head -n $(wc -l <a) | cmp - a'
ok 'stratified: likewise' \
	'svm-fold -v 3 -f 2 --test --stratified begin >a && svm-fold -v 3 -f 2 --test --stratified board |
	head -n $(wc -l <a) | cmp - a'
ok 'the same label, written otherwise' \
	'sed -e "1~2s/^+1/1.0/" told >other && for f in told other; do svm-fold -v 3 -f 2 --test --stratified $f |
	sed "s/.*#//" >$f.lines; done && cmp told.lines other.lines'
ok 'another seed, other folds' \
	'[ "$(for s in 1 2 3 18446744073709551615; do svm-fold -v 5 -f 1 --test --seed $s told | md5sum; done | sort -u | wc -l)" = 4 ]'
ok 'likewise, stratified' \
	'[ "$(for s in 1 2 3; do svm-fold -v 5 -f 1 --test --stratified --seed $s told | md5sum; done | sort -u | wc -l)" = 3 ]'
ok 'seed 1 is the default' \
	'svm-fold -v 5 -f 1 --test told >a && svm-fold -v 5 -f 1 --test --seed 1 told | cmp - a'

# ---- groups, lists, totals ----

awk '{ print int(NR / 7) }' told >groups
awk '{ l = $1; $1 = ""; print l " qid:" int(NR / 7) $0 }' told >queries
ok '--list is where rows go' \
	'for o in "" --stratified --svm-train-order; do svm-fold -q -v 4 --list $o told | paste -d " " - told |
	sed -n "s/^3 //p" >a; svm-fold -q -v 4 -f 3 --test $o told | cmp - a || exit; done'
fail 1 'say --force to replace it'     'cp heart rows; svm-fold -v 4 --list heart rows'
ok '--list replaces rows by --force' \
	'svm-fold -v 4 --list --force heart rows && svm-fold -v 4 --list heart rows && svm-fold -v 4 --list heart |
	cmp - rows'
ok 'groups stay together' \
	'partition told 5 --groups groups && svm-fold -v 5 --list --groups groups told | paste - groups | sort -u |
	wc -l | grep -x 39'
ok '... in folds of even size' \
	'svm-fold -v 5 --list --groups groups told | sort | uniq -c |
	awk "\$1 < 48 || \$1 > 61 { exit 1 } END { exit NR != 5 }"'
ok '... by another seed otherwise' \
	'! cmp <(svm-fold -v 5 --list --groups groups told) <(svm-fold -v 5 --list --seed 2 --groups groups told)'
ok '... whatever they are called' \
	'sed "s/^/patient /" groups >named;
	cmp <(svm-fold -v 5 --list --groups groups told) <(svm-fold -v 5 --list --groups named told)'
ok 'the same by qid' \
	'svm-fold -v 5 --list --by-qid queries | cmp - <(svm-fold -v 5 --list --groups groups told)'
ok '... from a pipe' \
	'partition queries 3 --by-qid && cat queries | svm-fold -v 5 --list --by-qid |
	cmp - <(svm-fold -v 5 --list --by-qid queries)'
ok 'a large group first' \
	'(yes a | head -n 100; seq 170) >uneven && svm-fold -v 2 --list --groups uneven told | sort | uniq -c |
	awk "\$1 != 135 { exit 1 }"'
fail 1 'few:271: more groups than the 270 rows of told'  '(cat groups; echo 9) >few; svm-fold -v 3 --list --groups few told'
fail 1 'more examples than few has groups'     'head -n 100 groups >few; svm-fold -v 3 --list --groups few told'
fail 1 '39 groups are not enough for 40 folds' svm-fold -v 40 --list --groups groups told
fail 1 'groups: 39 groups are not'                svm-fold -v 40 --list --groups groups told
fail 1 'three: 1 group is not enough for 5 folds'   'head -n 3 groups >three; svm-fold -v 5 --list --groups three told'
fail 1 'svm-fold: three: 1 group is not enough for 2 folds' \
	'head -n 3 groups >three; head -n 3 told | svm-fold -v 2 --list --groups three'
fail 1 'groups:1: more groups than the 0 rows of -'    'svm-fold -v 3 --list --groups groups </dev/null'
fail 1 'svm-fold: packed: packed by zstd, and only gzip is unpacked here: zstd -d FILE' \
	'printf "\x28\xb5\x2f\xfdabc\n1\n2\n" >packed; svm-fold -v 2 --list --groups packed told'
ok 'qid 01 is qid 1, and 00 is 0' \
	'printf "%s\n" "1 qid:01 1:1" "1 qid:1 1:1" "1 qid:0 1:1" "1 qid:00 1:1" "1 qid:10 1:1" |
	svm-fold -v 3 --list --by-qid >x && sed -n 1p x >a && sed -n 2p x | cmp - a && sed -n 3p x >a &&
	sed -n 4p x | cmp - a && [ "$(sort -u x | wc -l)" = 3 ]'
ok 'blanks at the end of a name' \
	'sed "1~2s/$/ \t/" groups >blanks && svm-fold -v 5 --list --groups blanks told |
	cmp - <(svm-fold -v 5 --list --groups groups told)'
fail 1 'example 1 has no qid, and its group is not known'  svm-fold -v 3 --list --by-qid told
fail 1 "can't open groups file none"           svm-fold -v 3 --list --groups none told

# 30 classes of five rows, dealt to four folds: remainders must not add up
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 30, "1:" i }' >many
ok 'stratified: totals of many classes' \
	'svm-fold -q -v 4 --list --stratified many | sort | uniq -c | tee /dev/stderr |
	awk "\$1 < 37 || \$1 > 38 { exit 1 } END { exit NR != 4 }" && shares many 4'
ok 'a remark on small classes' \
	'svm-fold -v 7 --list --stratified many 2>&1 >/dev/null |
	grep "30 of 30 classes have fewer rows than there are folds" &&
	svm-fold -v 5 --list --stratified many 2>&1 >/dev/null | wc -l | grep -x 0'

# validated N DATA OPTION...: correct answers over the folds are those of svm-train -v, up to SLACK:
# ties of votes go to the class that comes first, which the order of the rows decides
SLACK=0
validated()
{
	local n=$1 data=$2 i right
	shift 2
	svm-train -q "$@" -e 1e-6 -v "$n" "$data" >said || return
	right=$(for i in $(seq "$n"); do
		svm-fold -v "$n" -f "$i" --train --svm-train-order "$data" >part &&
		svm-fold -v "$n" -f "$i" --test --svm-train-order "$data" >rest &&
		svm-train -q "$@" -e 1e-6 part m && svm-predict rest m p || exit
	done | sed -n 's/.*(\(.*\)\/.*/\1/p' | awk '{ s += $1 } END { print s }')
	cat said
	awk -v right="$right" -v n="$(wc -l <"$data")" '
		{ print right, n; d = right - $5 * n / 100; exit d ^ 2 > (slack + 0.01) ^ 2 }' slack="$SLACK" said
}
if command -v svm-train >/dev/null && command -v svm-predict >/dev/null; then
	ok "svm-train's folds"             validated 5 heart
	ok "svm-train's folds of three classes"  'SLACK=2; validated 4 three_class'
	ok "svm-train's folds of a1a"      validated 3 a1a -t 0
	ok 'folds as many as rows: leave one out'  'head -n 40 heart >h40 && validated 40 h40 -g 0.1'
else
	skip 'svm-train is not installed'
fi
ok "randsvm-train's folds, another seed"  '
	right=$(for i in 1 2 3; do
		svm-fold -v 3 -f $i --train --svm-train-order --seed 7 heart >part &&
		svm-fold -v 3 -f $i --test --svm-train-order --seed 7 heart >rest &&
		randsvm-train -q -e 1e-6 part m && svm-eval rest m || exit
	done | sed -n "s/.*(\(.*\)\/.*/\1/p" | awk "{ s += \$1 } END { print s }")
	randsvm-train -q -e 1e-6 -v 3 --seed 7 heart | tee /dev/stderr |
		awk -v right=$right "{ exit !(sprintf(\"%g%%\", right / 2.7) == \$5) }"'

# ---- lines as they are ----

printf '# not a row\n+1   1:1.50 3:0x10 # a tail: 1 \n\n  -1.0 qid:7 2:1e-3\t\r\n2 1:0\n -1 5:1' >odd
ok 'byte for byte' \
	'svm-fold -q -v 2 -f 1 --test odd >a && svm-fold -q -v 2 -f 1 --train odd >b && sort a b >c &&
	{ grep ":" odd | grep -v "^#"; } | sort | cmp - c'
ok '... and from a pipe in svm-train order' \
	'for p in test train; do cat odd | svm-fold -v 2 -f 1 --$p --svm-train-order -s 3; done | sort | cmp - c'
ok 'bare labels' \
	'seq 50 >bare && for i in 1 2 3; do svm-fold -v 3 -f $i --test bare; done | sort -n | cmp - bare'
ok 'a very long line' \
	'{ cat told; awk "BEGIN { printf 1; for (j = 1; j < 300000; j++) printf \" %d:0.5\", j; print \"\" }";
	} >long && for i in 1 2; do svm-fold -v 2 -f $i --test long; done | sort | cmp - <(sort long)'

# ---- the same whatever the input's form ----

for kind in '' --stratified --svm-train-order; do
	svm-fold -v 4 -f 3 --train $kind board part
	ok "${kind:-plain}: any number of threads"  'for n in 1 2 3 7; do svm-fold -v 4 -f 3 --train '"$kind"' --threads $n board | cmp - part || exit; done'
	ok "${kind:-plain}: pipe, gzip, /dev/stdin" 'gzip -c board >board.gz && svm-fold -v 4 -f 3 --train '"$kind"' board.gz | cmp - part && cat board.gz | svm-fold -v 4 -f 3 --train '"$kind"' | cmp - part && svm-fold -v 4 -f 3 --train '"$kind"' /dev/stdin <board | cmp - part && svm-fold -v 4 -f 3 --train '"$kind"' - <board | cmp - part'
	ok "${kind:-plain}: what is left of standard input" \
		'(for i in 1 2 3 4 5; do read -r line; done; svm-fold -v 4 -f 3 --train '"$kind"' --threads 2 -) <board >a &&
		tail -n +6 board >rest && svm-fold -v 4 -f 3 --train '"$kind"' rest | cmp - a && ! cmp -s a part'
	rp-project -m rs -k 3 board text
	rp-project -m rs -k 3 --binary board bin
	rp-project -m rs -k 3 --single --binary board bin4
	# a row as text, from any form
	read_back() { rp-project -m li -k 4 -d 3 --sparsity 1 "$1" | cut -d ' ' -f 2-; }
	ok "${kind:-plain}: binary"        'svm-fold -v 4 -f 3 --train '"$kind"' text >a && svm-fold -v 4 -f 3 --train '"$kind"' bin >b && [ "$(head -c 1 b)" = "$(head -c 1 bin)" ] && cmp <(read_back a) <(read_back b) && cat bin | svm-fold -v 4 -f 3 --train '"$kind"' | cmp - b && for n in 1 3; do svm-fold -v 4 -f 3 --train '"$kind"' --threads $n bin | cmp - b || exit; done'
	# halves FORM: the two parts of a binary file have all its rows, and those of the text's
	halves()
	{
		svm-fold -v 4 -f 3 --train $1 "$2" >a && svm-fold -v 4 -f 3 --test $1 "$2" >b &&
			cmp <(read_back "$2" | sort) <({ read_back a; read_back b; } | sort) &&
			cmp <(read_labels a) <(svm-fold -v 4 -f 3 --train $1 "$3" | awk '{ print $1 + 0 }')
	}
	read_labels() { rp-project -m rs -k 1 "$1" | awk '{ print $1 + 0 }'; }
	ok "${kind:-plain}: binary floats stay floats"  'halves "'$kind'" bin4 board && svm-fold -v 4 -f 3 --train '"$kind"' bin >b && [ $(wc -c <a) -lt $(( $(wc -c <b) * 3 / 4 )) ]'
	ok "${kind:-plain}: shards of both joined"  'cat bin4 bin >joined && cat board board >twice && halves "'$kind'" joined twice && svm-fold -v 4 -f 3 --train '"$kind"' <joined | cmp - a'
done
ok 'memory does not grow with the rows' \
	'svm-gen twonorm -n 20000 >rows && gzip -c rows >r1 && cat r1 r1 r1 r1 r1 r1 r1 r1 >r8 &&
	if [ -z "$SANITIZE$WRAP" ]; then (ulimit -v 200000;
	svm-fold -v 4 -f 1 --train --stratified --threads 1 r8 /dev/null); fi'
ok 'stratified: a class of each row' \
	'seq 600000 | sed "s/$/ 1:1/" >own && (ulimit -t 15; svm-fold -v 2 -f 1 --train --stratified own a &&
	svm-fold -v 2 -f 1 --test --stratified own b) && [ "$(sort -n a b | cmp - own && echo same)" ]'

# ---- into the other programs ----

ok 'svm-fold | randsvm-train' \
	'svm-fold -v 5 -f 1 --train --stratified heart | randsvm-train -q - m &&
	svm-fold -v 5 -f 1 --test --stratified heart | svm-eval - m | tee /dev/stderr |
	awk "{ exit !(\$3 + 0 > 70) }"'

# ---- where it goes, and errors ----

svm-fold -v 4 -f 3 --train board part
ok '.gz'                            'svm-fold -v 4 -f 3 --train board x.gz && gzip -dc x.gz | cmp - part'
ok '-z'                             'svm-fold -z -v 4 -f 3 --train board x && gzip -dc <x | cmp - part'
ok 'progress' \
	'svm-fold -v 4 -f 3 --train --progress --threads 1 2>err >/dev/null < <(cat r8 r8 r8 r8 r8 r8);
	grep -a "reading" err'
ok 'an old file stands after an error' \
	'echo old >file && { cat heart; echo "1 x"; } >bad; ! svm-fold -v 2 -f 1 --test bad file 2>err &&
	cat err && [ "$(cat file)" = old ] && ! ls file?*'
ok 'a closed pipe ends it silently' \
	'svm-fold -v 4 -f 3 --train r8 2>err | head -n 1 >/dev/null; [ "${PIPESTATUS[0]}" = 141 ] && [ ! -s err ]'
fail 1 "can't write standard output: No space left on device"      'svm-fold -v 4 -f 3 --train board >/dev/full'
fail 1 'Wrong input format at line 2: standard input:2:3:'      'printf "1 1:1\n2 x\n" | svm-fold -v 4 -f 3 --train'
fail 1 'empty line (--strict)' \
	'printf "1 1:1\n\n" | svm-fold -v 4 -f 3 --train --strict'
ok 'no rows in, no rows out'             'printf "" | streams 0 "" "no examples" svm-fold -v 4 -f 3 --train'
fail 1 '2 examples are not enough for 4 folds' \
	'head -n 2 heart | svm-fold -v 4 -f 3 --train --svm-train-order'
for order in --svm-train-order --by-qid '--groups none_of_them' --stratified; do
	ok "... $order" \
		": >none_of_them; printf '' |
		streams 0 '' 'svm-fold: note: -: no examples' svm-fold -v 4 -f 3 --train $order &&
		[ ! -s stdout ] && svm-fold -q -v 4 --list $order none_of_them"
done
fail 1 '1.5' \
	'printf "1 1:1\n1.5 1:2\n1 1:3\n" | svm-fold -v 2 -f 1 --train --svm-train-order'
fail 1 'cut_bin: block 1: cut short' \
	'head -c 1000 bin >cut_bin; svm-fold -v 2 -f 1 --train cut_bin'
fail 1 "can't open input file none: No such file or directory"  svm-fold -v 2 -f 1 --train none
fail 1 "can't open output file none/x: No such file"            svm-fold -v 2 -f 1 --train heart none/x
fail 1 'heart'                                                  svm-fold -v 2 -f 1 --train heart heart

# ---- the command line ----

ok 'no arguments'                   streams 1 '' "svm-fold: -v is missing" svm-fold
ok '--help'                         streams 0 "$usage" '' svm-fold --help
ok '--version'                      streams 0 'svm-fold ' '' svm-fold --version
fail 1 '-v is missing'                                          svm-fold -f 1 --train heart
fail 1 '-f is missing'                                          svm-fold -v 3 --train heart
fail 1 'either --train or --test'                               svm-fold -v 3 -f 1 heart
fail 1 'either --train or --test'                               svm-fold -v 3 -f 1 --test --train heart
fail 1 'there is no fold 4 of 3'                                svm-fold -v 3 -f 4 --test heart
fail 1 '-v: 1 is not between'                                   svm-fold -v 1 -f 1 --test heart
fail 1 'cannot use --svm-train-order and --stratified' svm-fold -v 3 -f 1 --test --stratified --svm-train-order \
	heart
fail 1 '-s needs --svm-train-order'                             svm-fold -v 3 -f 1 --test -s 0 heart
fail 1 '-s: 5 is not between'                                   svm-fold -v 3 -f 1 --test --svm-train-order -s 5 heart
fail 1 "one file name too many: 'c'"                            svm-fold -v 3 -f 1 --test heart b c
