# --spill FILE: rows that are kept in a file, the same results, and nothing that is stale, damaged
# or somebody else's.

. "$TOP/test/helpers.bash"

need python3

gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .
svm-gen twonorm -q -n 20000 -o rows

# train WHAT DATA OPTION...: with the rows in 'kept', of which WHAT is told (kept, mapped, or the
# misfit as well); the model and the lines are those without it
train()
{
	local what=$1 data=$2
	shift 2
	randsvm-train --verbose "$@" "$data" m0 >out0 2>err0 || return
	randsvm-train --verbose --spill kept "$@" "$data" m1 >out1 2>err1
	grep -E ' in kept| from kept|note' err1
	same_files m0 m1 && cmp out0 out1 || return
	case $what in
	mapped) grep -qx 'randsvm-train: rows mapped from kept' err1 && ! grep -q note: err1 ;;
	kept) grep -qx 'randsvm-train: rows kept in kept' err1 && ! grep -q note: err1 ;;
	*) grep -qx 'randsvm-train: rows kept in kept' err1 && grep -qx "randsvm-train: note: spill file kept $what: made anew" err1 ;;
	esac
}

# twice DATA OPTION...: the first run keeps rows, later ones map them
twice()
{
	rm -f kept
	train kept "$@" --threads 1 && train mapped "$@" --threads 2 && train mapped "$@" --threads 1
}

# ---- the same bytes ----

ok 'kernel'                     twice heart -g 0.1
ok 'linear'                     twice rows -t 0
ok 'three classes'              twice three_class -g 0.1
ok 'one against the rest'       twice three_class -t 0 --multiclass ovr
ok 'regression'                 twice sinc -s 3
ok 'squared loss'               twice heart -t 0 --loss squared
ok 'nu'                         twice heart -s 1
ok 'one class'                  twice heart -s 2 -t 2
ok 'probabilities'              twice heart -b 1
ok 'paper'                      twice heart --mode paper -k 20
ok 'reweight'                   twice heart --mode reweight -k 3 --max-iter 3 --solver native
ok 'budget'                     twice rows --mode budget --budget 100
ok 'direct'                     twice heart --mode direct
ok 'many working sets'          twice rows -g 0.05
ok 'balanced, indices, compact' twice heart -t 0 -w auto --compact --sv-indices indices
ok 'rows without entries'       'printf "1\n-1\n1 2:1\n-1 3:1\n" >bare && twice bare && printf "1\n2\n" >barest && twice barest -s 3'
ok 'compressed'                 'gzip -c heart >packed && twice packed'
ok 'the binary form'            'rp-project -m scale -l -1 -u 1 --binary heart binary && twice binary'
ok 'what svm-train takes'       'printf "1 1:nan 2:1\n-1 2:3\n" >nan && twice nan --allow-nonfinite --mode direct'
ok 'cross validation'           'randsvm-train -q -v 3 heart >a && for i in 1 2; do randsvm-train -q -v 3 --spill folds heart | cmp - a || exit; done'
ok 'a start'                    'rm -f kept && randsvm-train -q -c 3 heart begun && train kept heart --start begun && train mapped heart --start begun'
ok 'the report'                 'for i in 0 1 2; do s=(--spill told); [ $i = 0 ] && s=(); randsvm-train -q "${s[@]}" --report r$i heart m && python3 -c "import json, sys; r = json.load(sys.stdin); [r.pop(k) for k in list(r) if \"seconds\" in k or \"memory\" in k or k == \"argv\"]; r[\"settings\"].pop(\"spill\", 0); print(r)" <r$i >told$i || exit; done; same_files told0 told1 told2'
ok 'a name that ends in .gz'    'randsvm-train -q --spill k.gz heart m0 && streams 0 "" "rows mapped from k.gz" randsvm-train -q --verbose --spill k.gz heart m && cmp m m0'
ok 'a checkpoint'               'rm -f kept && train kept rows -t 0 && randsvm-train -q -t 0 --checkpoint state --checkpoint-every 0 --time-limit 0.01 --spill kept rows a; randsvm-train -q -t 0 --checkpoint state rows b && randsvm-train -q -t 0 rows c && cmp b c'

# bounded OPTION...: within a bound, with arrays in files beside the one that is kept
bounded()
{
	local mb
	mb=$(randsvm-train --memory 3 "$@" m 2>&1 | sed -n 's/.* too small: \([0-9]*\) MB would do$/\1/p')
	mkdir -p in && rm -f in/*
	randsvm-train -q "$@" m0 || return
	for mb in ${mb:-25} ${mb:-25} 300; do
		randsvm-train -q --memory $mb --spill in/kept "$@" m1 && cmp m0 m1 && (cd in && files_are kept) || return
	done
}
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind have memory of their own'
else
	ok 'with --memory'              bounded -g 0.05 rows
	ok 'with --memory, linear'      bounded -t 0 rows
fi

# ---- other data ----

# replaced COMMAND: 'data', of which rows are kept, is changed by the command
replaced()
{
	cp heart data
	touch -d '2020-01-01' data
	rm -f kept
	train kept data -q && eval "$1"
}
other='is of other data'
ok 'one character'              replaced 'sed -i 3s/0/9/ data; train "$other" data && train mapped data'
ok '... the time kept'          replaced 'cp data d2; sed -i 3s/0/9/ data; touch -r d2 data; [ $(stat -c %s%Y data) = $(stat -c %s%Y d2) ] && train "$other" data'
ok '... the file replaced'      replaced 'sed 3s/0/9/ data >d2; touch -r data d2; mv d2 data; train "$other" data'
ok 'a row more'                 replaced 'tail -n 1 data >>data; train "$other" data'
ok 'another file'               replaced 'train "$other" sinc -s 3 && train "$other" data'
ok 'compressed meanwhile'       replaced 'gzip data; train "$other" data.gz'
ok 'touched'                    replaced 'touch data; train mapped data'
ok '... compressed, binary'     'for data in packed binary; do rm -f kept; train kept $data && touch $data && train mapped $data || exit; done'
ok 'moved'                      replaced 'mv data d3; train mapped d3'
ok 'copied'                     replaced 'cp data d4; train mapped d4'
ok 'other options'              replaced 'train "is of the same data, read by other options" data --strict && train mapped data --strict'
ok 'a row that --strict refuses' 'printf "1 1:1\n\n-1 1:2\n" >gap && twice gap && ! randsvm-train -q --strict --spill kept gap m && train mapped gap'
ok 'quiet'                      replaced 'streams 0 "" "" randsvm-train -q --spill kept heart m'
ok 'a failure keeps nothing'    'echo "1 1:x" >wrong; rm -f kept; ! randsvm-train -q --spill kept wrong m && [ ! -e kept ]'

# ---- a file that is damaged, or somebody else's ----

# damaged COMMAND TEXT: the kept file, put out of order by the command
damaged()
{
	cp whole kept
	eval "$1"
	train "$2" heart && cmp whole kept && train mapped heart
}
# flipped PLACE...: a bit of the byte there
flipped()
{
	local place
	for place; do
		damaged "python3 -c 'f = open(\"kept\", \"r+b\"); f.seek($place); b = f.read(1)[0]; f.seek($place); f.write(bytes([b ^ 4]))'" "${misfit:-is damaged}" || return
	done
}
randsvm-train -q --spill whole heart m
size=$(stat -c %s whole)
ok 'cut short'                  'for n in 0 1 7 8 12 100 135 136 65536 100000 $((size - 1)); do damaged "truncate -s $n kept" "is damaged" || exit; done'
ok 'longer'                     damaged 'echo >>kept' 'is damaged'
ok 'a bit of the header'        flipped 16 24 32 40 48 56 104 108 112 116 128 132
ok 'a bit of the arrays'        flipped 65536 $((65536 * 2 + 9)) $((65536 * 3)) $((size - 1))
ok 'a bit of the version'       'misfit="is of another version or machine" flipped 8 11 12'
ok 'zeros'                      damaged 'truncate -s 136 kept; truncate -s $size kept' 'is damaged'
# foreign FILE: refused, and as it was
foreign()
{
	cp "$1" before
	streams 1 '' 'not a file of kept rows' randsvm-train -q --spill "$1" heart never && cmp "$1" before && [ ! -e never ]
}
ok 'a model'                    foreign m
ok 'the data'                   foreign heart
ok 'compressed data'            foreign packed
ok 'a kept file, compressed'    'gzip -c whole >whole.gz; foreign whole.gz'
fail 1 "'m1' and 'm1' are the same file"   randsvm-train --spill m1 heart m1
ok 'a new model of that name'   'streams 1 "" "are the same file" randsvm-train --spill new heart new && [ ! -e new ]'
fail 1 'rows that --spill keeps: name the data'   randsvm-train whole m
fail 1 'rows that --spill keeps: name the data'   svm-eval heart whole
ok 'a link'                     'ln -s real link; randsvm-train -q --spill link heart m && [ -L link ] && [ -s real ] && streams 0 "" "rows mapped from link" randsvm-train -q --verbose --spill link heart m'

# ---- what cannot be ----

fail 1 'rows of standard input cannot be kept'  'randsvm-train --spill k - m <heart'
fail 1 'it is no regular file'                  'randsvm-train --spill k <(cat heart) m'
fail 1 'not standard output'                    randsvm-train --spill - heart m
fail 1 'neither a folder nor a regular file'    randsvm-train --spill /dev/null heart m
fail 1 "cannot write 'none/k': No such file"    randsvm-train --spill none/k heart m
fail 1 "cannot write 'none/k': No such file"    randsvm-train --memory 200 --spill none/k heart m
fail 1 "the folder 'none/'"                     randsvm-train --memory 200 --spill none/ heart m
fail 1 'needs --memory where it names a folder' randsvm-train --spill . heart m
fail 1 "can't open input file none"             randsvm-train --spill k none m
for program in rp-project fs-select; do
	fail 1 '--spill takes a folder here'    $program -k 3 --memory 200 --spill whole heart m
done
fail 1 '--spill takes a folder here'            svm-eval --memory 200 --spill whole heart m
ok 'and no file of it'                          '[ ! -e k ]'

# full: a folder of 1 MB, where the rows of before stay
full()
{
	mkdir -p small && mount -t tmpfs -o size=1m none small || return
	randsvm-train -q --spill small/kept heart m && cp small/kept before
	streams 1 '' "cannot write 'small/kept': No space left on device" \
		randsvm-train -q -t 0 --spill small/kept rows never
	set -- $? "$(cd small && ls -A)"
	cmp small/kept before
	set -- $(($1 + $?)) "$2"
	# and rows that somebody else keeps are mapped
	mount -o remount,ro small &&
		streams 0 '' 'rows mapped from small/kept' randsvm-train -q --verbose --memory 200 --spill small/kept heart mapped
	set -- $(($1 + $?)) "$2"
	umount small
	[ "$1 $2" = '0 kept' ] && [ ! -e never ]
}
if mkdir -p small && mount -t tmpfs -o size=1m none small 2>/dev/null && umount small; then
	ok 'a full disk'                full
else
	skip 'tmpfs cannot be mounted here'
fi
# cut: the file is emptied while its rows are mapped
cut()
{
	local pid status try
	for ((try = 0; try < 20; try++)); do
		cp rows.kept kept
		: >stderr
		randsvm-train --verbose --spill kept "$@" rows never 2>stderr &
		pid=$!
		event $pid 'grep "rows mapped from kept" stderr'
		kill -STOP $pid && : >kept
		kill -CONT $pid
		wait $pid
		status=$?
		[ $status = 0 ] || break # else it had ended
	done
	cat stderr
	[ $status = 1 ] && [ ! -e never ] && ! compgen -G '.never*' &&
		[ "$(tail -n 1 stderr)" = 'randsvm-train: --spill: a file that is mapped was cut short, or cannot be read' ]
}
randsvm-train -q --spill rows.kept -t 0 rows m
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind have handlers of their own'
else
	ok 'cut while it is mapped'     cut -g 0.05
fi
# killed: at any moment there is nothing, or a whole file
killed()
{
	local ms
	mkdir dead
	for ms in 005 010 020 030 040 060 090; do
		rm -f dead/*
		randsvm-train -q -t 0 -c 100 --spill dead/kept rows m2 &
		sleep 0.$ms
		kill -9 $! 2>/dev/null
		wait $!
		[ -z "$(ls -A dead)" ] && continue
		(cd dead && files_are kept) &&
			streams 0 '' 'rows mapped from dead/kept' randsvm-train -q --verbose -t 0 --spill dead/kept rows m2 || return
	done
}
ok 'killed'                     killed
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind have memory of their own'
else
	ok 'little address space'       'randsvm-train -q -t 0 rows m && cramped m "20 40 60 80 100 150 300" randsvm-train -q -t 0 --threads 1 --spill thin rows m3'
fi
