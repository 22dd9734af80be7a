# svm-gen: the same bytes for a seed, whatever else; and clear errors.

. "$TOP/test/helpers.bash"

kinds='twonorm ringnorm checkerboard friedman separable relevant text'
usage='Usage: svm-gen KIND -n ROWS [options] [output_file]'

# ---- the data ----

# these bytes on any machine: new ones break everybody's recorded results
few_rows()
{
	svm-gen twonorm -n 2 -d 3
	svm-gen ringnorm -n 2 -d 3
	svm-gen ringnorm -n 2 -d 3 --variant printed
	svm-gen checkerboard -n 4 --seed 18446744073709551615
	svm-gen checkerboard -n 4 --seed 18446744073709551615 --noise 0.5
	svm-gen friedman -n 3 -d 5
	svm-gen separable -n 2 -d 4 --tau 0.25
	svm-gen relevant -n 2 -d 5 -k 3
	svm-gen twonorm -n 2 --first 1000000000000000 -d 1
	svm-gen text -n 3 -d 40 --words 4 -k 20
}
same 'rows of every kind' gen few_rows

ok 'as many features as asked for'   'svm-gen relevant -n 3 -d 70 | awk "NF != 71 { exit 1 }"'
ok 'twonorm has 20'                  'svm-gen twonorm -n 3 | awk "NF != 21 { exit 1 }"'
ok 'ringnorm has 20'                 'svm-gen ringnorm -n 3 | awk "NF != 21 { exit 1 }"'
ok 'checkerboard has 2'              'svm-gen checkerboard -n 3 | awk "NF != 3 { exit 1 }"'
ok 'friedman has 10'                 'svm-gen friedman -n 3 | awk "NF != 11 { exit 1 }"'
ok 'separable has 5000'              'svm-gen separable -n 3 | awk "NF != 5001 { exit 1 }"'
ok 'relevant has 1000'               'svm-gen relevant -n 3 | awk "NF != 1001 { exit 1 }"'
ok 'labels are +1 and -1' \
	'for k in twonorm ringnorm checkerboard separable relevant text; do svm-gen $k -n 100 | cut -d " " -f 1 |
	sort -u | tr -d "\n" | grep -x -e "+1-1" || exit; done'
ok 'targets are numbers' \
	'svm-gen friedman -n 1000 >f && ! grep "^[+]" f && cut -d " " -f 1 f | sort -u | wc -l | grep -x 1000'
ok 'indices ascend from 1' \
	'svm-gen relevant -n 50 | tr " " "\n" | sed -n "s/:.*//p" |
	awk "/:/ { next } \$1 != (NR - 1) % 1000 + 1 { exit 1 }"'
ok 'at most 8 decimals'              '! svm-gen relevant -n 100 | grep -E "[.][0-9]{9}|e-(09|[1-9])"'
ok 'another seed, other values' \
	'[ "$(for seed in 1 2 3 4294967297; do svm-gen twonorm -n 1 --seed $seed; done |
	cut -d " " -f 2 | sort -u | wc -l)" = 4 ]'
ok 'seed 1 is the default'           'svm-gen twonorm -n 9 >a && svm-gen twonorm -n 9 --seed 1 >b && cmp a b'
ok 'noise turns labels round' \
	'svm-gen checkerboard -n 5000 >a && svm-gen checkerboard -n 5000 --noise 0.2 >b &&
	cut -d " " -f 2- a >a.x && cut -d " " -f 2- b >b.x && cmp a.x b.x && n=$(diff a b | grep -c "^<") &&
	echo "$n labels" && [ "$n" -gt 850 ] && [ "$n" -lt 1150 ]'
ok 'tau moves the plane' \
	'n=$(svm-gen separable -d 50 -n 5000 --tau 1.0364 | grep -c "^+") && echo "$n positive" &&
	[ "$n" -gt 630 ] && [ "$n" -lt 870 ]'

ok 'text: 50000 words, 70 a row' \
	'svm-gen text -n 5000 |
	awk "{ n += NF - 1; split(\$NF, a, \":\"); if (a[1] > d) d = a[1] } END { print n / NR, d; exit !(n / NR > 68 && n / NR < 72 && d > 49900 && d <= 50000) }"'
ok 'text: --words' \
	'svm-gen text -n 5000 --words 7 |
	awk "{ n += NF - 1 } END { print n / NR; exit !(n / NR > 6.7 && n / NR < 7.3) }"'
ok 'text: rows have length 1' \
	'svm-gen text -n 500 |
	awk "{ s = 0; for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); s += a[2] ^ 2 } if (s < 1 - 1e-6 || s > 1 + 1e-6) exit 1 }"'
ok 'text: noise is 0.08' \
	'svm-gen text -n 5000 >a && svm-gen text -n 5000 --noise 0 >b && cut -d " " -f 2- a >a.x &&
	cut -d " " -f 2- b >b.x && cmp a.x b.x && n=$(diff a b | grep -c "^<") && echo "$n labels" &&
	[ "$n" -gt 320 ] && [ "$n" -lt 480 ]'
ok 'text: -k 1 leaves few rows positive' \
	'n=$(svm-gen text -n 2000 --noise 0 -k 1 | grep -c "^+") && echo "$n positive" && [ "$n" -lt 1100 ] &&
	svm-gen text -n 9 -k 5000 >a && svm-gen text -n 9 -k 1 >b && cut -d " " -f 2- a >a.x &&
	cut -d " " -f 2- b | cmp a.x -'

# ---- rows stand alone ----

# begins KIND FEATURES: the first 500 of 30000 rows are those of -n 500
begins() { svm-gen "$1" -d "$2" -n 30000 >all && svm-gen "$1" -d "$2" -n 500 >few && head -n 500 all | cmp - few; }
# parts KIND FEATURES: three parts joined are the whole
parts()
{
	svm-gen "$1" -d "$2" -n 10000 >all && svm-gen "$1" -d "$2" -n 1 >joined &&
		svm-gen "$1" -d "$2" -n 7777 --first 2 >>joined &&
		svm-gen "$1" -d "$2" -n 2222 --first 7779 >>joined && cmp joined all
}
# threads KIND FEATURES: any number of them writes the same
threads()
{
	svm-gen "$1" -d "$2" -n 20001 --threads 1 >one || return
	for n in 2 3 7; do svm-gen "$1" -d "$2" -n 20001 --threads $n | cmp - one || return; done
}
for kind in $kinds; do
	d=11
	[ $kind = checkerboard ] && d=2
	[ $kind = relevant ] && d=40
	[ $kind = text ] && d=300
	ok "$kind: fewer rows are a beginning" begins $kind $d
	ok "$kind: parts make the whole"       parts $kind $d
	ok "$kind: any number of threads"      threads $kind $d
done
ok 'wide rows, any number of threads' \
	'svm-gen separable -d 100001 -n 7 --threads 1 >a && svm-gen separable -d 100001 -n 7 --threads 4 | cmp - a'

# ---- where it goes ----

svm-gen twonorm -n 5000 >plain
ok 'a file'                          'svm-gen twonorm -n 5000 file && cmp file plain'
ok 'a minus'                         'svm-gen twonorm -n 5000 - | cmp - plain'
ok '.gz' \
	'svm-gen twonorm -n 5000 x.gz && gzip -dc x.gz | cmp - plain && [ $(wc -c <x.gz) -lt 800000 ]'
ok '-z'                              'svm-gen twonorm -z -n 5000 file && gzip -dc <file | cmp - plain'
ok '-z last, to a pipe'              'svm-gen twonorm -n 5000 -z | gzip -dc | cmp - plain'
ok 'nothing but data'                'streams 0 "+1 1:" "" svm-gen twonorm -n 50'
ok 'progress' \
	'svm-gen twonorm -n 1000000 --threads 1 --progress 2>err >/dev/null && grep -a "generating: .*%" err'
ok '-q: no progress'                 'svm-gen twonorm -n 400000 --progress -q /dev/null 2>err && [ ! -s err ]'
ok 'a closed pipe ends it silently' \
	'svm-gen twonorm -n 100000 2>err | head -n 1 >/dev/null; [ "${PIPESTATUS[0]}" = 141 ] && [ ! -s err ]'
fail 1 "can't write output file /dev/full: No space left on device"   svm-gen twonorm -n 5000 /dev/full
fail 1 "can't write standard output: No space left on device"           'svm-gen twonorm -n 5000 >/dev/full'
fail 1 "can't open output file none/x: No such file or directory"     svm-gen twonorm -n 5 none/x
ok 'an old file stands after an error' \
	'(ulimit -f 1; svm-gen twonorm -n 5000 file; [ $? = 1 ]) 2>err; grep "File too large" err &&
	gzip -dc <file | cmp - plain && ! ls .file.tmp*'

# ---- into the other programs ----

ok 'svm-gen | randsvm-train' \
	'svm-gen checkerboard -n 1500 | randsvm-train -q -g 2 -c 100 - m &&
	svm-gen checkerboard -n 2000 --first 1501 | svm-eval - m >line && cat line &&
	awk "{ exit !(\$3 + 0 > 93) }" line'
ok 'friedman is a regression' \
	'svm-gen friedman -n 1000 | randsvm-train -q -s 3 -g 0.3 -c 100 -p 1 - m &&
	svm-gen friedman -n 1000 --seed 2 | svm-eval - m >line && cat line &&
	awk "/^Mean/ { exit !(\$5 < 2.5) }" line'

# ---- the command line ----

ok 'no arguments'                    streams 1 '' "svm-gen: the kind of data comes first" svm-gen
ok '--help'                          streams 0 "$usage" '' svm-gen --help
ok 'KIND --help'                     streams 0 "$usage" '' svm-gen friedman --help
ok '--version'                       streams 0 'svm-gen ' '' svm-gen --version
ok 'a kind alone'                    streams 1 '' 'svm-gen: -n is missing: how many rows?' svm-gen twonorm
ok '-n without a number'             streams 1 '' 'svm-gen: -n: needs a value; try' svm-gen twonorm -n
ok 'the kind last'                   streams 1 '' 'svm-gen: the kind of data comes first' svm-gen -n 5 twonorm
ok 'no such kind' streams 1 '' "svm-gen: no kind of data is called 'threenorm'" svm-gen threenorm -n 5
ok 'options after the file'          streams 1 '' "options go before the file names: '-n'" svm-gen twonorm out -n 5
fail 1 "options go before the file names: '--seed'"         svm-gen twonorm -n 5 out --seed 3
fail 1 "svm-gen: one file name too many: 'b'"              svm-gen twonorm -n 5 a b
fail 1 'Unknown option: --row'                              svm-gen twonorm --row 5
fail 1 "-n: expected an integer, got '1e5'"                 svm-gen twonorm -n 1e5
fail 1 "-n: 0 is not between"                               svm-gen twonorm -n 0
fail 1 "-d: 0 is not between"                               svm-gen twonorm -n 5 -d 0
fail 1 "--seed: expected an integer from 0 to 2^64 - 1"     svm-gen twonorm -n 5 --seed -1
fail 1 "--first: 0 is not between"                          svm-gen twonorm -n 5 --first 0
fail 1 "--noise: 1.5 is not between 0 and 1"                svm-gen twonorm -n 5 --noise 1.5
fail 1 "--variant: expected one of breiman printed"         svm-gen ringnorm -n 5 --variant other
fail 1 "--threads: 0 is not between"                        svm-gen twonorm -n 5 --threads 0
fail 1 "svm-gen: --noise: is not for friedman"              svm-gen friedman -n 5 --noise 0.1
fail 1 "svm-gen: --variant printed is not for twonorm"             svm-gen twonorm -n 5 --variant printed
fail 1 "svm-gen: --tau: is not for relevant"                svm-gen relevant -n 5 --tau 1
fail 1 "svm-gen: -k: is not for separable"                  svm-gen separable -n 5 -k 3
fail 1 "svm-gen: --words: is not for twonorm"               svm-gen twonorm -n 5 --words 5
fail 1 "svm-gen: --tau: is not for text"                    svm-gen text -n 5 --tau 1
fail 1 "svm-gen: --variant printed is not for text"                svm-gen text -n 5 --variant printed
fail 1 "svm-gen: text has 8 or more features, not 7"        svm-gen text -n 5 -d 7 --words 1
fail 1 "svm-gen: 70 words a row: must be 1 to a quarter of the 100 features" svm-gen text -n 5 -d 100
fail 1 "svm-gen: 51 of 50 features cannot be relevant"      svm-gen text -n 5 -d 50 --words 5 -k 51
fail 1 "svm-gen: checkerboard has 2 features, not 3"        svm-gen checkerboard -n 5 -d 3
fail 1 "svm-gen: friedman has 5 or more features, not 4"    svm-gen friedman -n 5 -d 4
fail 1 "svm-gen: 40 of 20 features cannot be relevant"      svm-gen relevant -n 5 -d 20
ok 'no file from all of these'       '! ls out a b'
