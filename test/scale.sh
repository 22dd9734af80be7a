# rp-project -m scale, normalise, none: the values of svm-scale, its range files, the same rows however
# they come; and clear errors.

. "$TOP/test/helpers.bash"

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart
# test rows with features that the training rows do not have, or have the same in all rows
printf '+1 1:2 3:5 7:1\n-1 1:4 2:-3 3:5\n+1 2:1e-3 3:5 9:0.5 # tail\n' >train
printf -- '-1 1:3 4:2\n2.5 qid:7 1:9 2:0.1 3:6 9:-1\n1\n' >new
sed 's/ qid:7//' new >plain

# ---- svm-scale ----

# the link of the name svm-scale, beside the libsvm.so.3 that is ours, too
scale=${SHIM%/*}/svm-scale

# same_rows OURS THEIRS: the same entries, and labels of the same value
same_rows()
{
	awk '{ $1 = sprintf("%.15g", $1); sub(/ *(#.*)?$/, ""); sub(/ qid:[0-9]*/, ""); print }' "$1" >same.a
	awk '{ $1 = sprintf("%.15g", $1); sub(/ *$/, ""); print }' "$2" >same.b
	[ -s same.a ] && diff_quietly same.a same.b
}
# as_svm_scale TRAIN TEST [OPTION...]: the same ranges, byte for byte, and values to six digits
as_svm_scale()
{
	local train=$1 test=$2 theirs=("${@:3}")
	svm-scale "${theirs[@]}" -s their.range "$train" >their.train
	svm-scale -r their.range "$test" >their.test
	[ "$3" = -y ] && set -- "$1" "$2" --range-y "$4,$5" "${@:6}"
	rp-project -q -m scale "${@:3}" --digits 6 -s our.range "$train" our.train &&
		rp-project -q -r their.range --digits 6 "$test" our.test &&
		cmp our.range their.range && same_rows our.train their.train && same_rows our.test their.test
}
if command -v svm-scale >/dev/null; then
	ok 'as svm-scale'               as_svm_scale train plain
	ok 'as svm-scale: heart'        as_svm_scale heart heart
	ok 'as svm-scale: a1a'          as_svm_scale a1a heart
	ok 'as svm-scale -l 0'          as_svm_scale a1a a1a -l 0
	ok 'as svm-scale -l -3 -u -0.5' as_svm_scale train plain -l -3 -u -0.5
	ok 'as svm-scale -y'            as_svm_scale "$T/sinc" "$T/sinc" -y -2 0.75
	ok 'as svm-scale -y -l'         as_svm_scale train plain -y 3 4 -l 0
	ok 'svm-scale reads our ranges' \
		'rp-project -q -m scale -s r heart x && svm-scale -r r heart >scaled &&
		rp-project -q -m scale --digits 6 heart x && same_rows x scaled'

	# linked [OPTION...]: the link of that name writes the bytes of svm-scale, and says the same
	linked()
	{
		svm-scale -s r1 "$@" >t1 2>e1 && "$scale" -s r2 "$@" >t2 2>e2 && diff r1 r2 &&
			diff_quietly t1 t2 && diff e1 e2 || return
		for data in train plain heart a1a; do
			svm-scale -r r1 $data >t1 2>e1 && "$scale" -r r1 $data >t2 2>e2 && diff_quietly t1 t2 &&
				diff <(grep -v scaled.to.0 e1) <(grep -v scaled.to.0 e2) &&
				{ ! grep -q scaled.to.0 e1 || grep "^WARNING: feature index .* appeared in file $data .*scaled to 0" e2; } &&
				gzip -c $data | "$scale" -r r1 - 2>/dev/null | diff_quietly t1 - || return
		done
	}
	for options in '' '-l 0' '-u 0.5 -l -3' '-y -2 0.75' '-y 0 1 -l 0 -u 1e5' '-l -0.25'; do
		for data in train plain heart a1a "$T/sinc"; do
			# shellcheck disable=SC2086
			ok "the link svm-scale $options: ${data##*/}"   linked $options $data
		done
	done
	seq 300 | awk 'BEGIN { srand(5) } { printf "%.4g", rand() * 3 - 1; for (j = 1; j < 9; j++) if (rand() < .6)
		printf " %d:%.*g", j * j, 1 + 16 * rand(), (rand() - .5) * exp(rand() * 60 - 30); print "" }' >drawn
	for options in '' '-y 0 1' '-l -0.5 -u 0.125'; do
		# shellcheck disable=SC2086
		ok "the link svm-scale $options: numbers of all sizes"  linked $options drawn
	done
	ok 'the link svm-scale: its usage' \
		'svm-scale >t1; "$scale" >t2; [ $? = 1 ] && cmp t1 t2 && "$scale" -l >t2; cmp t1 t2 &&
		"$scale" train plain >t2; cmp t1 t2'
else
	skip 'no svm-scale'
fi
svm_scale() { "$scale" "$@"; }
for bad in '-l 1 -u 0 train' '-l 1 -u 1 train' '-y 1 1 train'; do
	# shellcheck disable=SC2086
	fail 1 'svm-scale: inconsistent lower/upper specification'  svm_scale $bad
done
fail 1 'svm-scale: cannot use -r and -s simultaneously'             svm_scale -r r -s s train
fail 1 'svm-scale: unknown option: -x'                              svm_scale -x 1 train
fail 1 "svm-scale: can't open input file none: No such file"        svm_scale none
fail 1 "svm-scale: can't open range file none: No such file"        svm_scale -r none train
fail 1 'svm-scale: -l: expected a number'                           svm_scale -l 1x train
fail 1 'svm-scale: Wrong input format at line 1: rows:1:5:'                                         'echo "1 2:x" >rows; svm_scale rows'
fail 1 'svm-scale: train:1:'                                        svm_scale -r train train
ok 'rp-project -m scale -r'     'rp-project -q -m scale -s r train /dev/null && rp-project -q -r r plain >t1 && rp-project -q -m scale -r r plain | cmp - t1'
fail 1 'cannot use -r and -m simultaneously'    rp-project -m none -r r plain
fail 1 'cannot use -r and -m simultaneously'    'rp-project -q -k 2 -s map train /dev/null; rp-project -m scale -r map plain'

# ---- ranges ----

printf 'x\n0 10\n1 0 4\n2 -3 0.001\n7 0 1\n9 0 0.5\n' >range
ok 'the ranges, as they are documented'  'rp-project -q -m scale -l 0 -u 10 -s r train x && cmp r range'
ok 'values of a range file' \
	'printf "1 1:1 2:-1 7:0.25\n" | rp-project -q -r range |
	cmp - <(printf "1 1:2.5 2:6.664445184938354 7:2.5\n")'
ok 'zeros that become numbers' \
	'printf "1\n" | rp-project -r range 2>err | cmp - <(printf "1 2:9.99666777740753\n") && cat err &&
	grep "note: 0 values were read and 1 written" err'
ok 'values outside of the range'   'printf "1 1:8 2:0.001\n" | rp-project -q -r range | cmp - <(printf "1 1:20 2:10\n")'
ok 'features without a range are left out, with a note' \
	'printf "1 2:-3 4:1\n1 2:-3 3:1 4:2\n" | rp-project -r range 2>err | cmp - <(printf "1\n1\n") && cat err &&
	grep "note: 3 values are left out: their features, the first is 3," err'
ok 'a constant feature is left out, with a note' \
	'printf "1 1:1 2:5 3:0 4:7\n2 1:2 2:5 3:0 4:7\n" >constant && rp-project -m scale constant 2>err |
	cmp - <(printf "1 1:-1\n2 1:1\n") &&
	grep -x "rp-project: note: 2 features are left out, the first is 2, because all rows have the same value there (svm-scale does so, too)" err &&
	rp-project -m scale - <constant 2>&1 >x | cmp - err && streams 0 "" "" rp-project -q -m scale constant x'
ok '-q: no notes'                  streams 0 '' '' rp-project -q -r range a1a x
ok 'feature 0 is a feature' \
	'printf "1 0:1 1:1\n1 0:3 1:2\n1 1:3\n" | rp-project -q -m scale -s r |
	cmp - <(printf "1 0:-0.33333333333333337 1:-1\n1 0:1\n1 0:-1 1:1\n") && grep -x "0 0 3" r'
ok 'blanks and CR LF in ranges' \
	'sed "s/ /  \t/g; s/$/ \r/" range >crlf && rp-project -q -r crlf train |
	cmp - <(rp-project -q -r range train)'
ok 'ranges in gzip, both ways' \
	'rp-project -q -m scale -s r.gz train x && gzip -dc r.gz | cmp - <(rp-project -q -m scale -s - train y) &&
	rp-project -q -r r.gz train | cmp - x'
ok 'a single value has no range' \
	'printf "x\n-1 1\n1 2 2\n2 0 1\n" >r && printf "1 1:5 2:1\n" | rp-project -q -r r |
	cmp - <(printf "1 2:1\n")'
ok 'huge and tiny values' \
	'printf "1 1:1e300 2:1e-300\n1 1:-5e299\n" | rp-project -q -m scale |
	cmp - <(printf "1 1:1 2:1\n1 1:-1 2:-1\n")'
ok 'labels as they were, unless they are scaled' \
	'rp-project -q -m scale -l 0 new | cut -d " " -f 1 | cmp - <(printf -- "-1\n2.5\n1\n") &&
	rp-project -q -m scale --range-y 0,7 new | cut -d " " -f 1,2 |
	cmp - <(printf -- "0 1:-0.33333333333333337\n7 qid:7\n4 1:-1\n")'

# ---- rows ----

# however_they_come OPTION...: file, pipe, gzip, binary form, any number of threads: the same bytes
however_they_come()
{
	local n
	rp-project -q "$@" -s r whole x && [ -s x ] || return
	cat whole | rp-project -q "$@" -s s | cmp - x && cmp r s &&
		gzip -c whole | rp-project -q "$@" - y && cmp x y && gzip -c whole >whole.gz &&
		rp-project -q "$@" whole.gz | cmp - x || return
	for n in 1 2 5; do
		rp-project -q "$@" --threads $n -s s whole y && cmp x y && cmp r s || return
		cat whole | rp-project -q "$@" --threads $n -s s - y && cmp x y && cmp r s || return
	done
	{ cat whole; sleep 0.1; } | rp-project -q -r r | cmp - x
}
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat a1a train; done >whole
ok 'scale: however the rows come'      however_they_come -m scale
ok 'scale -l 0: however the rows come' however_they_come -m scale -l 0 --range-y 1,2
ok 'scale: parts with the ranges of the whole' \
	'rp-project -q -m scale -s r whole x && { head -n 5000 whole | rp-project -q -r r; tail -n +5001 whole |
	rp-project -q -r r; } | cmp - x'
for method in normalise none; do
	ok "$method: however the rows come" \
		"rp-project -m $method whole x && cat whole | rp-project -m $method | cmp - x && gzip -c whole |
		rp-project -m $method --threads 3 | cmp - x && rp-project -m $method --threads 1 whole | cmp - x"
done
ok 'qid and comments stay' \
	'printf "+1 qid:3 2:4 # a b\n" | rp-project -m none | cmp - <(printf "+1 qid:3 2:4 # a b\n") &&
	printf "+1 qid:3 2:4 # a b\n" | rp-project -m normalise | cmp - <(printf "+1 qid:3 2:1 # a b\n") &&
	rp-project -q -m scale train | grep -c "# tail"'
ok 'none: text as it was'              'rp-project -m none heart | cmp - <(sed "s/ *$//" heart)'
ok 'none: text, binary form, and back' \
	'rp-project -m none --binary heart b && rp-project -m none b >x && rp-project -m none --binary x c &&
	cmp b c && awk "{ \$1 += 0; print }" heart | cmp - x'
ok 'none: gzip' \
	'rp-project -m none heart x.gz && gzip -dc x.gz | cmp - <(rp-project -m none heart)'
ok 'normalise: 3, 4, 5' \
	'printf "1 1:3 9:-4\n2\n1 2:0\n1 5:1e-310 6:0\n1 1:0x3p600 2:0x4p600\n" | rp-project -m normalise |
	cmp - <(printf "1 1:0.6 9:-0.8\n2\n1\n1 5:1\n1 1:0.6 2:0.8\n")'
ok 'normalise: length 1' \
	'rp-project -m normalise whole |
	awk "{ s = 0; for (i = 2; i <= NF && \$i != \"#\"; i++) { split(\$i, a, \":\"); s += a[2] ^ 2 } if (NF > 1 && (s - 1) ^ 2 > 1e-28) exit 1 }"'
ok 'normalise: nan stays' \
	'printf "1 1:nan 2:4\n1 1:inf 2:4\n" | rp-project --allow-nonfinite -m normalise |
	cmp - <(printf "1 1:nan 2:4\n1 1:inf 2:4\n")'
ok 'no rows: no rows, and a note' \
	'for o in "-m none" "-m normalise" "-r range"; do printf "" | rp-project $o >x 2>err && cat err &&
	[ ! -s x ] && grep "no examples" err || exit; done'
ok 'a chain: scale, choose, train' \
	'rp-project -q -m scale -s r heart | fs-select -q -m f -k 5 -s five | randsvm-train -q - m &&
	rp-project -q -r r heart | fs-select -q -r five | svm-eval - m | grep Accuracy'
ok '--verbose' \
	'cat train | rp-project -m scale --verbose 2>err >x && cat err && grep "second time from memory" err &&
	grep "scale: ranges of 4 features" err && rp-project -m scale --verbose train 2>err >x &&
	grep "reading train twice" err'
ok 'a report' \
	'rp-project -q -m scale -l 0 --report r.json train x && json_has r.json map data settings &&
	grep "\"method\":[[:space:]]*\"scale\"" r.json && grep "\"lower\":[[:space:]]*0" r.json'

# ---- wrong ----

fail 1 'no examples'                              'printf "" | rp-project -m scale'
fail 1 'no examples'                              'printf "" >empty; rp-project -m scale empty'
fail 1 '-l: 1 is not below the -u of 1'           rp-project -m scale -l 1 train
fail 1 '--range-y: expected LOWER,UPPER'          rp-project -m scale --range-y 3 train
fail 1 '--range-y: expected LOWER,UPPER'          rp-project -m scale --range-y 3,2 train
fail 1 '--range-y: expected LOWER,UPPER'          rp-project -m scale --range-y 0,inf train
fail 1 'a value of feature 2 is not finite'       'printf "1 2:nan\n" | rp-project -m scale --allow-nonfinite'
fail 1 'a target is not finite' \
	'printf "nan 2:1\n" | rp-project -m scale --range-y 0,1 --allow-nonfinite'
fail 1 'row 1: overflow: a scaled value is too large' \
	'printf "x\n-1 1\n1 0 1e-300\n" >r; printf "1 1:1e300\n" | rp-project -q -r r'
fail 1 '-k: is not for scale'                     rp-project -m scale -k 3 train
fail 1 '--seed: is not for none'                  rp-project -m none --seed 3 train
fail 1 '-s: is not for normalise'                 rp-project -m normalise -s map train x
fail 1 '--certificate: is not for scale'          rp-project -m scale --certificate train x
fail 1 '--certificate: is not for scale'          rp-project -r range --certificate train x
fail 1 '--fold: is not for scale'                 rp-project -r range --fold heart folded
fail 1 '-l: is not for normalise'                 rp-project -m normalise -l 0 train
fail 1 '-u: is not for cw'                        rp-project -k 4 -u 2 train
fail 1 '--range-y: is not for cw'                 rp-project -k 4 --range-y 0,2 train
for option in '-l 0' '-u 1' '--range-y 0,1'; do
	fail 1 "cannot use -r and ${option%% *}"  "rp-project -r range $option train"
done
# wrong_range LINE REASON TEXT: a range file that is refused
wrong_range()
{
	printf "$3" >wrong
	fail 1 "wrong:$1: $2" rp-project -q -r wrong train
}
wrong_range 2 'expected the range of the scaled labels'  'y\n1\n'
wrong_range 3 'expected least and largest label'         'y\n0 1\nx\n'
wrong_range 4 'expected a line with x'                   'y\n0 1\n2 3\n1 2 3\n'
wrong_range 2 'expected the range of the scaled features' 'x\n'
wrong_range 2 'expected the range of the scaled features' 'x\n0 inf\n'
wrong_range 2 'expected the range of the scaled features' 'x\n0 1 2\n'
wrong_range 2 'the range of the scaled features is empty' 'x\n1 1\n'
wrong_range 3 'expected a feature, its least'            'x\n0 1\n1 2\n'
wrong_range 3 'expected a feature, its least'            'x\n0 1\n\n1 2 3\n'
wrong_range 4 'features are integers and ascend'         'x\n0 1\n2 0 1\n2 0 1\n'
wrong_range 3 'features are integers and ascend'         'x\n0 1\n1.5 0 1\n'
wrong_range 3 'features are integers and ascend'         'x\n0 1\n-1 0 1\n'
wrong_range 3 'features are integers and ascend'         'x\n0 1\n2147483648 0 1\n'
wrong_range 3 'the least value is above the largest'     'x\n0 1\n1 3 2\n'
fail 1 "no map file has the method scale" \
	'rp-project -k 2 -s map train x; sed "s/^method cw/method scale/" map >n;
	grep -v "^checksum\|^blocks\|^copies\|^width" n >o;
	sum=$(python3 -c "import zlib; print(\"%08x\" % zlib.crc32(open(\"o\", \"rb\").read()))");
	echo "checksum $sum" >>o; rp-project -r o train'
