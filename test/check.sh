# svm-eval --check: all bad rows of a file, in their order, in the parser's words.

. "$TOP/test/helpers.bash"

ln -s "$T/bad" bad

# counted ROWS BAD [MORE]: the last line of "out"
counted() { [ "$(tail -n 1 out)" = "$1 rows read, $2 bad$3" ]; }

# ---- one defect a file ----

# alike: of each file in testdata/bad what --check says is what a training says of its first bad row
alike()
{
	local file status
	for file in bad/*; do
		case $file in *.model) continue ;; esac
		randsvm-train -q -s 3 --mode direct "$file" m >said 2>&1
		svm-eval --check "$file" >out 2>err
		status=$?
		if grep -q 'Wrong input format' said; then
			sed 's/.*Wrong input format at line [0-9]*: //' said >want
			head -n 1 out | cmp - want && [ ! -s err ] && [ $status = 1 ] || return
			echo "$file"
		elif [ -s err ]; then
			sed 's/^svm-eval/randsvm-train/' err | cmp - said && [ ! -s out ] && [ $status = 1 ] || return
		else
			[ $status = 0 ] && grep -x '[0-9]* rows read, 0 bad' out || return
		fi
	done >listed
	[ "$(grep -c '^bad/' listed)" -ge 35 ]
}
ok 'the words are those of a training'   alike
ok 'no row'                              'for file in empty newlines comments; do streams 1 "" "svm-eval: bad/$file: no examples" svm-eval --check bad/$file || exit; done'
ok 'blanks behind colons are told, but for comments' \
	'printf "1 1: 3 2:\\t4\n1 1:3 # a: b\n2 x\n1 2:\\t4\n" | streams 1 "4 rows read, 1 bad" "note: 3 values are behind a colon and a blank" svm-eval --check - && streams 0 "" "" svm-eval -q --check <(echo "1 1: 3")'
ok 'a good file' \
	'svm-eval --check "$T/heart_scale.gz" >out && counted 270 0 && [ "$(wc -l <out)" = 1 ]'
ok '-q: the status alone' \
	'streams 1 "" "" svm-eval -q --check bad/comma && streams 0 "" "" svm-eval -q --check "$T/heart_scale.gz"'
ok '--report' \
	'! svm-eval -q --check bad/comma --report r && python3 -c "import json; a = json.load(open(\"r\")); exit((a[\"rows\"], a[\"bad_rows\"]) != (3, 1))"'

# ---- tables, by a chain ----

(echo a,b,y; for i in $(seq 60); do echo "$((i % 7)).$i,k$((i % 3)),c$((i % 2))"; done) >table.csv
svm-convert -l y -s columns --labels names table.csv table.rows
randsvm-train -q -t 0 table.rows table.model
svm-eval --chain table.chain columns names table.model
ok 'a good table'       'svm-eval --check table.csv table.chain >out && counted 60 0'
(head -n 5 table.csv; printf '1.2,k1\nx,k1,c1\n1,new,c0\n2,k1,other\n2,k1,\n3,"k1,c0\n2,k2,c0\n') >some.csv
ok 'records are bad that have no prediction' '
	svm-eval -q --on-error answer some.csv table.chain answers; ! svm-eval --check some.csv table.chain >out 2>err &&
	sed -n "s/^error: //p" answers | cmp - <(head -n -1 out) && counted 11 4 && grep "some.csv:8: column .b.: .new. is none of the categories" err &&
	cat some.csv | streams 1 "11 rows read, 4 bad" "note: standard input:8" svm-eval --check - table.chain'
ok 'a table of other columns'   streams 1 '' "no column 'b'" svm-eval --check <(cut -d , -f 1,2 table.csv | sed 's/b/c/') table.chain
ok 'of a model, and of a chain of rows, rows are checked' '
	printf "x\n-1 1\n" >ranges; for f in 1 2 3 4; do echo "$f 0 10"; done >>ranges; svm-eval --chain rows.chain ranges table.model; printf "1 1:1\n1 2:x\n" >rows
	for by in table.model rows.chain; do ! svm-eval --check rows $by >out && counted 2 1 || exit; done'

# ---- many of them ----

# 60000 lines, every third or so bad in a way that is known here: the file "many", and in "truth" the
# LINE:COLUMN of each bad one.  A stretch without any is longer than what is read at a time.
python3 - <<'END'
import random
random.seed(5)
good = ["1 1:.5 7:2", "-1", "+1 3:1e3 # a:b", "2 qid:4 1:1", "", "# c", "  0 5:0x1p3\t", "1 1:1\r"]
bad = [("1 2:1 2:1", 7), ("x 1:1", 1), ("1 1:", 5), ("1 1:nan", 5), ("1 a:1", 3), ("1:1 2:1", 1),
       ("1,2 1:1", 1), ("1 3", 3), ("1 1:1 -2:1", 7), ("1 2147483648:1", 3), ("1 1:1;2:1", 5),
       ("1 qid:x", 3), ("1 1:1\r2 1:1", 6), ("1 1:1 # a\rb", 10), ("inf 1:1", 1), ("1 1:1e999", 5),
       ("1 1:\0", 5), ("\x1b[31m 1:1", 1)]
with open("many", "w", newline="") as many, open("truth", "w") as truth:
    for line in range(1, 60001):
        if 20000 < line < 45000 or random.random() < .7:
            many.write(random.choice(good) + "\n")
        else:
            text, column = random.choice(bad)
            many.write(text + "\n")
            truth.write(f"{line}:{column}\n")
END

ok 'each where it is' \
	'! svm-eval --check many >out && grep "^many:" out | cut -d : -f 2,3 | diff - <(head -n 5000 truth) >/dev/null &&
	[ "$(wc -l <out)" = 5001 ] && counted "$(grep -v -c -x -E " *(#.*)?" many)" "$(wc -l <truth)" "; the first 5000 are listed"'
ok 'for any number of threads' \
	'for n in 1 2 5; do svm-eval --threads $n --check many | cmp - out || exit; done'
ok 'of a pipe, however it comes' \
	'sed "s/^many:/standard input:/" out >want; svm-eval --check - <many | cmp - want && cat many | svm-eval --check - | cmp - want &&
	(head -c 100000 many; sleep 0.1; tail -c +100001 many) | svm-eval --check - | cmp - want'
ok 'of gzip' \
	'gzip -c many >many.gz; svm-eval --check many.gz | sed "s/^many.gz:/many:/" | cmp - out'
ok 'of several files' \
	'printf "many\nbad/comma\n" >list; ! svm-eval --check @list >all && [ "$(head -n 5000 all)" = "$(head -n 5000 out)" ] &&
	printf "bad/comma\nbad/descend\n" >list && ! svm-eval --check @list >out && grep "^bad/comma:2:6:" out &&
	grep "^bad/descend:2:12:" out && counted 6 2'
# the good rows are those that are read without the bad ones
ok 'nothing else is wrong' \
	'cut -d : -f 1 truth | sed "s/$/d/" >lines; sed -f lines many >left; svm-eval --check left >out && counted "$(grep -v -c -x -E " *(#.*)?" left)" 0'
ok '--allow-nonfinite and --strict' \
	'printf "1 1:nan\n\n1 qid:1 1:1\n# c\n2 x\n" >some; ! svm-eval --check some >out && counted 3 2 &&
	! svm-eval --allow-nonfinite --check some >out && counted 3 1 && ! svm-eval --strict --check some >out && counted 5 5'

# peak FILE: kilobytes of memory that its check takes
peak()
{
	svm-eval -q --threads 2 --report r --check "$1"
	python3 -c 'import json; print(json.load(open("r"))["peak_memory_bytes"] >> 10)'
}
ok 'memory does not depend on how many there are' \
	'yes "1 1:1 1:1 2:3" | head -n 20000 >few; yes "1 1:1 1:1 2:3" | head -n 1000000 >more; a=$(peak few) b=$(peak more);
	echo "$a and $b kB"; ((b < a + 8000))'

# ---- svm-checkdata: without lines that one of both reads: its labels may be several, indices any integer ----

if command -v svm-checkdata >/dev/null; then
	ok 'svm-checkdata finds the same lines' \
		'grep -v -a -P "#|qid|0x|^ *$|^1,2 |e999|2147483648|[\r\0]" many | head -n 4000 >plain
		python3 "$(command -v svm-checkdata)" plain | sed -n "s/^line \([0-9]*\):.*/\1/p" | uniq >theirs
		svm-eval --check plain | sed -n "s/^plain:\([0-9]*\):.*/\1/p" >ours
		[ "$(wc -l <ours)" -gt 500 ] && diff ours theirs'
else
	skip 'svm-checkdata is not installed'
fi

# ---- what stays an error ----

ok 'a missing file'      streams 1 '' "can't open input file none" svm-eval --check none
ok 'half a gzip file' \
	'head -c 25000 many.gz >half.gz; ! svm-eval --check half.gz >out 2>err && grep "end too early" err && [ "$(wc -l <err)" = 1 ]'
ok 'bytes that are no text' \
	'(echo 1 x; head -c 1000000 /dev/zero; echo; echo 1) | streams 1 "standard input:1:3:" "standard input:2:1: " svm-eval --check - &&
	! grep "rows read" stdout'
ok 'rows in binary form' \
	'rp-project -q -m none --binary "$T/heart_scale.gz" b; svm-eval --check b >out && counted 270 0'
ok 'the first bad one of them' \
	'printf "1 1:1\n1 1:nan\n" | rp-project -q -m none --allow-nonfinite --binary - b; streams 1 "" "b: block 1: row 2: a value is not finite" svm-eval --check b'
fail 1 'No space left'   'svm-eval --check many >/dev/full'
fail 1 "one file name too many: 'model'"   svm-eval --check many table.chain model
fail 1 'svm-eval: cannot use -b and --check simultaneously'          svm-eval -b 1 --check many
fail 1 'svm-eval: cannot use --check and --on-error simultaneously'  svm-eval --on-error answer --check many
fail 1 'svm-eval: cannot use --metrics and --check simultaneously'   svm-eval --metrics --check many
