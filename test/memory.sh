# --memory and --spill: the same bytes within the bound, and errors where there is no room.

. "$TOP/test/helpers.bash"

if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind have memory of their own'
	return
fi

need python3

mkdir spill
svm-gen twonorm -q -n 100000 -o rows
svm-gen friedman -q -n 30000 -o waves
head -n 3000 waves >few
head -n 40000 rows >fewer
svm-gen checkerboard -q -n 20000 -o board
gzip -dc "$T/a9a.gz" >a9a
gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .

# least COMMAND...: the bound that the message names
least() { "$1" --memory 3 "${@:2}" 2>&1 | sed -n 's/.* --memory 3 is too small: \([0-9]*\) MB would do$/\1/p'; }

# in_files REPORT: megabytes of arrays in files
in_files() { python3 -c 'import json, sys; print(json.load(open("r"))["memory"]["peak_file_bytes"] >> 20)'; }

# within MB: the most memory of the run that wrote the report; a quarter above the bound and 32 MB are
# for pages of libraries that come in after it was set, and for what threads map between two looks
within() { python3 -c 'import json, sys; mb = json.load(open("r"))["peak_memory_bytes"] / 2**20; print(mb); sys.exit(mb > 1.25 * int(sys.argv[1]) + 32)' "$1"; }

# steady MB FILE COMMAND...: its standard output goes to FILE, and it is within MB: once in three runs, as on a
# busy machine the thread that drops pages may come late; what does not keep to the bound never is
steady()
{
	for _ in 1 2 3; do
		"${@:3}" >"$2" || return
		! within "$1" || return 0
	done
	return 1
}

# bounded OPTION... DATA: with the least bound that is told, and a larger one, the same model and lines
bounded()
{
	local threads mb run
	mb=$(least randsvm-train "$@" m)
	echo "least: $mb"
	randsvm-train --threads 1 "$@" m0 >out0 || return
	for run in "300 2" "$mb 1" "$mb 2"; do
		mb=${run% *} threads=${run#* }
		steady $mb out1 randsvm-train --threads $threads --memory $mb --spill spill --report r "$@" m1 &&
			same_files m0 m1 && same_files out0 out1 && [ -z "$(ls -A spill)" ] || return
	done
	in_files >mb_in_files
}
# spilled OPTION... DATA: bounded, with some array in a file
spilled() { bounded "$@" && cat mb_in_files && [ "$(cat mb_in_files)" -gt 0 ]; }

# ---- the same bytes ----

ok 'kernel'                          spilled -g 0.05 fewer
ok 'linear'                          spilled -t 0 rows
ok 'linear, squared'                 spilled -t 0 --loss squared rows
ok 'regression'                      bounded -s 3 -g 0.3 -p 1 few
ok 'regression, linear'              spilled -s 3 -t 0 waves
ok 'budget'                          bounded --mode budget --budget 500 -g 10 board
ok 'a9a, linear'                     spilled -t 0 a9a
ok 'a9a, kernel'                     bounded -g 0.01 a9a
# large: twice and more of the bound
large()
{
	local mb
	svm-gen twonorm -q -n 300000 -o large && randsvm-train -q -t 0 --report r large m0 && ! within 100 || return
	for mb in 80 100; do
		steady $mb out1 randsvm-train -q -t 0 --threads 2 --memory $mb --spill spill --report r large m1 && same_files m0 m1 || return
	done
	rm large
}
ok 'rows of more than the bound'     large
ok 'heart'                           bounded heart
ok 'three classes'                   bounded three_class
ok 'three classes, linear'           bounded -t 0 three_class
# wide: few dense rows of many columns, whose kernel values are kept in doubles where there is room
awk 'BEGIN { srand(1); for (i = 0; i < 1200; i++) { s = i % 3 + 1; for (j = 1; j <= 1210; j++) s = s " " j ":" rand() + rand() + rand() + rand() - 2 + i % 3 / 20; print s } }' >wide
ok 'a matrix that is larger'         bounded -g 0.0005 -c 10 wide
ok 'sinc'                            bounded -s 3 sinc
ok 'nu-SVR'                          bounded -s 4 -n 0.2 sinc
# kernel: a precomputed one of 2,500 rows, which are not in the order of their numbers
python3 - >kernel <<'E'
import math, random
random.seed(1)
n = 2500
value = ['%.4g' % math.exp(-d / 40) for d in range(n)]
for i in list(range(0, n, 2)) + list(range(1, n, 2)):
    values = ' '.join('%d:%s' % (j + 1, value[abs(i - j)]) for j in range(n))
    print(random.choice((1, -1)) if random.random() < .2 else 1 if i % 500 < 250 else -1, '0:%d' % (i + 1), values)
E
# faults COMMAND...: how many pages it touched that were not mapped; its standard output goes to a
faults() { python3 -c 'import resource, subprocess, sys; subprocess.check_call(sys.argv[1:], stdout=open("a", "w")); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt)' "$@"; }
# paged OPTION...: the same bytes, and each row comes in a few times: not at every element, which is what makes
# memory overflow too.  A fault maps 64 KB, and other programs may keep the thread that looks from its processor.
paged()
{
	local model=m n
	case $1 in -v) model= ;; esac
	randsvm-train -q -t 4 "$@" kernel $model >a && mv ${model:-a} expected || return
	steady 34 n faults randsvm-train -q -t 4 "$@" --memory 34 --spill spill --report r kernel $model && n=$(cat n) &&
		echo "$n faults" && same_files ${model:-a} expected && [ $n -le 80000 ] && [ -z "$(ls -A spill)" ]
}
for s in 0 1 2 3 4; do
	ok "precomputed, -s $s"              paged -s $s -n 0.2
done
ok 'precomputed, cross validation'   paged -v 3
ok 'precomputed, probabilities'      paged -b 1
# its cache, of 100 MB otherwise, is a smaller one
libsvm="randsvm-train -q --mode budget --budget 500 -s 1 -n 0.05 -g 10"
ok 'LIBSVM within the bound' \
	"$libsvm board m0 && $libsvm --memory 45 --report r board m1 && same_files m0 m1 && within 45"
ok 'cross validation' \
	'randsvm-train -q -t 0 -v 3 rows >a && randsvm-train -q -t 0 -v 3 --memory 32 rows | cmp - a'
ok 'probabilities' \
	'randsvm-train -q -t 0 -b 1 a9a m && randsvm-train -q -t 0 -b 1 --memory 32 a9a m1 && cmp m m1'
ok 'from a pipe' \
	'randsvm-train -q -t 0 rows m && cat rows | randsvm-train -q -t 0 --memory 32 - m1 && cmp m m1'
ok 'from a compressed file' \
	'gzip -1c rows >rows.gz && randsvm-train -q -t 0 --memory 32 rows.gz m1 && cmp m m1'
# many: classes of three rows, whose scores are many small curves, or one array that can be in a file
awk '{ c = $1 = NR % 500 + 1; for (j = 2; j <= NF; j++) { split($j, v, ":"); c = c * 16807 % 2147483647
	$j = v[1] ":" v[2] + 20 * c / 2147483647 } print }' rows | head -n 4500 >many
ok 'curves of many classes' \
	'head -n 1500 many >few_many && randsvm-train -q -t 0 --multiclass ovr few_many m &&
	svm-eval --metrics many m >a && svm-eval --metrics --memory 32 --spill spill --report r many m >b &&
	same_files a b && within 32'
ok 'the other programs' \
	'for mb in 32 400; do fs-select -m approx-leverage -k 9 --memory $mb --spill spill rows >a.$mb &&
	rp-project -m pca -k 5 --memory $mb --spill spill rows >b.$mb &&
	svm-fold -v 3 -f 1 --train --memory $mb rows >c.$mb && svm-gen twonorm -n 9 --memory $mb >d.$mb &&
	svm-eval --memory $mb rows m >e.$mb || exit; done; for x in a b c d e; do same_files $x.32 $x.400 || exit;
	done; fs-select -m approx-leverage -k 9 rows | cmp - a.32 && rp-project -m pca -k 5 rows | cmp - b.32'
# projected OPTION...: rows of text with the least bound, and the same bytes for any threads
projected()
{
	local mb threads
	mb=$(least rp-project "$@" text a)
	rp-project -q --threads 1 "$@" text a || return
	for threads in 1 2 4; do
		rp-project -q --threads $threads --memory $mb --spill spill --report r "$@" text b &&
			same_files a b && within $mb && [ -z "$(ls -A spill)" ] || return
	done
}
svm-gen text -q -n 15000 -d 1000000 -o text
ok 'rows of a random matrix'         projected -m gaussian -k 20
ok 'long rows of a random matrix'    projected -m uniform -k 700 --single
# products DATA COMMAND...: something has to be in memory, such as a matrix of products, and the bound that
# the message names has the room
products()
{
	local mb data=$1
	shift
	mb=$(least "$@" $data a)
	"$@" $data >expected && ! "$1" --memory $mb "${@:2}" $data 2>err || return
	mb=$(sed -n "s/.* a bound of $mb MB on memory is too small: \([0-9]*\) MB would do.*/\1/p" err)
	"$1" --memory $mb --spill spill --report r "${@:2}" $data >a && same_files a expected && within $mb &&
		[ -z "$(ls -A spill)" ]
}
ok 'principal components'            products wide rp-project -q -m pca -k 5
ok 'leverage scores'                 products wide fs-select -q --unsupervised -m leverage -k 20
ok 'what LIBLINEAR allocates'        products wide fs-select -q -m l1 -k 20
ok 'the same, beside more in files'  products text fs-select -q -m l1 -k 20
svm-gen relevant -q -n 1500 -d 2000 -o broad
# by ranges of columns: pages of all columns come in some times, and not for each row
ok 'a matrix is transposed' \
	'set -- fs-select -q --unsupervised -m approx-bss -T 64 -k 100 && mb=$(least "$@" broad a) && "$@" broad >expected &&
	n=$(faults "$@" --memory $mb --spill spill --report r broad) && echo "$n faults" && [ $n -le 60000 ] &&
	same_files a expected && within $mb'

# ---- in a control group ----

# grouped MB COMMAND...: in a control group of so many megabytes below that of this shell (cgroup v1, or v2 where
# memory is delegated to it); the kernel ends what takes more
grouped()
{
	local folder status
	folder=$(group_folder)/randsvm.$BASHPID
	mkdir "$folder" || return
	echo $(($1 << 20)) >"$folder/$limit_name"
	shift
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$folder" "$@"
	status=$?
	rmdir "$folder"
	return $status
}
# group_folder: of the control group for memory that this shell is in
group_folder()
{
	local own=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	[ -e "$own/memory.limit_in_bytes" ] || own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
	echo "$own"
}
limit_name=memory.max
[ ! -e "$(group_folder)/memory.limit_in_bytes" ] || limit_name=memory.limit_in_bytes
# survives COMMAND... DATA: with the least bound, in a group of that, a quarter and 32 MB: the same bytes
survives()
{
	local mb
	mb=$(least "$@" m)
	rm -f m0 m1
	"$@" m0 >out0 || return
	grouped $((mb * 5 / 4 + 32)) "$1" --memory $mb --spill spill "${@:2}" m1 >out1 &&
		same_files m0 m1 && cmp out0 out1 && [ -z "$(ls -A spill)" ]
}
if (grouped 32 true && ! grouped 16 python3 -c 'b"1" * (64 << 20)') 2>/dev/null; then
	ok 'in a group: kernel'      survives randsvm-train -g 0.05 fewer
	ok 'in a group: linear'      survives randsvm-train -t 0 rows
	ok 'in a group: precomputed' survives randsvm-train -t 4 kernel
	ok 'in a group: a projection' survives rp-project -q -m gaussian -k 20 text
	ok 'in a group: components'  survives rp-project -q -m pca -k 5 rows
	ok 'in a group: selection'   survives fs-select -q --unsupervised -m approx-leverage -k 9 rows
else
	skip 'control groups cannot be made here'
fi

# ---- what is taken without a bound ----

# a_row BYTES: the arrays of the run that wrote the report, at most so much for each of 100,000 rows
a_row() { python3 -c 'import json, sys; b = json.load(open("r"))["memory"]["peak_array_bytes"] / 1e5; print(b); sys.exit(b > int(sys.argv[1]))' "$1"; }
# data are 248 bytes a row, and kernel rows of the members and of the core each take up to 64 MB
ok 'bytes a row'                     'randsvm-train -q --threads 1 -g 0.05 --report r rows m && a_row 870'

# ---- errors ----

ok 'too small: what would do' \
	'streams 1 "" "randsvm-train: --memory 3 is too small: " randsvm-train -q --memory 3 heart m &&
	mb=$(sed -n "s/.*small: \([0-9]*\) MB would do$/\1/p" stderr) &&
	randsvm-train -q --memory $mb -g 1 heart m && ! randsvm-train -q --memory $((mb - 3)) heart m'
ok 'what LIBSVM needs of a kernel matrix' \
	'! randsvm-train -q --mode budget --budget 50 -s 1 -n 0.2 -t 4 --memory 40 kernel m 2>err &&
	mb=$(sed -n "s/.*small: \([0-9]*\) MB would do$/\1/p" err) &&
	randsvm-train -q --mode budget --budget 50 -s 1 -n 0.2 -t 4 --memory $mb --report r kernel m && within $mb'
awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 1500, "1:" i * 7 % 11, "2:" i * 13 % 17 }' >couples
ok 'a grid asks for the memory of the model, which LIBSVM trains, before it searches' \
	'! randsvm-grid -v 2 -t 0 -log2c 0,0,1 -png null -out null --model m --memory 60 couples >out 2>err &&
	grep "too small: [0-9]* MB would do" err && [ ! -s out ]'
fail 1 "--memory: '0' is not between 1 and" randsvm-train --memory 0 heart m
fail 1 "--memory: '900K' is not between 1 and" randsvm-train --memory 900K heart m
fail 1 "--memory: '9999999999T' is not between 1 and" randsvm-train --memory 9999999999T heart m
fail 1 "--memory: expected megabytes, or a number with K, M, G or T, got 'many'" randsvm-train --memory many heart m
ok 'wrong sizes' \
	'for x in 4X G "" -5 " 5" 0x10 inf nan 5GX 5iB 1.5.5 4GBB;
	do ! randsvm-train -q --memory "$x" heart m 2>err &&
	grep -q "^randsvm-train: --memory: expected megabytes" err || exit; done'
# megabytes TEXT: what a program makes of a size
megabytes() { randsvm-train -q --report r --memory "$1" heart m && python3 -c 'import json; print(json.load(open("r"))["settings"]["memory"])'; }
ok 'sizes' \
	'[ "$(megabytes 300) $(megabytes 500M) $(megabytes 4G) $(megabytes 1.5g) $(megabytes 2T) $(megabytes 204800K) $(megabytes 1GB) $(megabytes 1GiB)" = "300 500 4096 1536 2097152 200 1024 1024" ]'
ok 'svm-fold keeps a pipe in files' \
	'svm-gen twonorm -q -n 200000 | svm-fold -q -v 3 -f 1 --train --svm-train-order --memory 30 --spill spill --report r - folded &&
	within 30 && svm-gen twonorm -q -n 200000 | svm-fold -q -v 3 -f 1 --train --svm-train-order - folded2 &&
	same_files folded folded2 && rm folded folded2'
ok 'sizes, other programs' \
	'for p in "fs-select -m approx-leverage -k 9" "rp-project -k 5" "svm-fold -v 3 -f 1 --train";
	do $p --memory 0.1G heart >/dev/null || exit; ! $p --memory 1Q heart 2>err && grep "megabytes" err || exit;
	done'
fail 1 'needs --memory'              randsvm-train --spill spill heart m
fail 1 "--spill takes a folder here" fs-select -k 3 --memory 50 --spill heart heart m
fail 1 "the folder 'none'"           fs-select -k 3 --memory 50 --spill none heart m
fail 1 '--mode direct is not for --memory' randsvm-train --memory 50 --mode direct heart m
fail 1 '--solver libsvm is not for --memory' randsvm-train --memory 50 --solver libsvm heart m
killed()
{
	struck KILL 'find /proc/$pid/fd -lname "*/spill/*" | grep .' randsvm-train -q -t 0 --memory 32 --spill spill -c 1000 rows m2
	[ $? = 137 ] && [ -z "$(ls -A spill)" ]
}
ok 'killed: nothing is left'         killed
# full OPTION...: a folder of 3 MB
full()
{
	mkdir -p small && mount -t tmpfs -o size=3m none small || return
	streams 1 '' "into the folder 'small': No space left on device" \
		randsvm-train -q -t 0 --memory 32 --spill small rows m4
	set -- $? "$(ls -A small)"
	umount small
	[ "$1" = 0 ] && [ -z "$2" ] && [ ! -e m4 ]
}
if mkdir -p small && mount -t tmpfs -o size=3m none small 2>/dev/null && umount small; then
	ok 'a full disk'             full
else
	skip 'tmpfs cannot be mounted here'
fi
# narrow OPTION... DATA: as much address space as there may be, an answer or an error
narrow()
{
	randsvm-train -q "$@" m &&
		cramped m '30 60 80 100 150 200 250 300 400 600 800' randsvm-train -q --memory 40 "$@" m3
}
ok 'little address space'            narrow -t 0 rows
ok 'the same with a kernel'          narrow -g 0.05 fewer

# ---- tables ----

# a row of many columns: refused with a bound, which does
seq -s , 1 100000 >wide.csv
ok 'a wide table' \
	'mb=$(svm-convert -q -l 1 --memory 30 wide.csv 2>&1 | sed -n "s/.*is too small: \([0-9]*\) MB would do$/\1/p"); echo $mb; [ $mb -gt 30 ] &&
	svm-convert -q -l 1 --memory $mb --report r wide.csv wide.rows && within $mb && svm-convert -q -l 1 wide.csv | cmp - wide.rows'
# a field of fifty megabytes, which is left out; the rest takes no more than another table
{ printf 'y,x,z\n1,"'; head -c 50000000 /dev/zero | tr '\0' a; printf '",2\n2,b,3\n'; } >long
ok 'a long field'                    'svm-convert -q -l y --ignore x --memory 30 --report r long >out && within 30 && [ "$(cat out)" = "$(printf "1 1:2\n2 1:3")" ]'
fail 1 "...' is too long for a category" svm-convert -q -l y long
