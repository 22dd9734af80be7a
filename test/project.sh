# rp-project: the map that the seed names, the same however the rows come; models folded back;
# and clear errors.

. "$TOP/test/helpers.bash"

usage='Usage: rp-project [options] [data_file [output_file]]'
methods='rs fht cw countsketch osnap gaussian uniform achlioptas li'

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart
head -n 30 heart >few

# ---- the map ----

# defined METHOD K [MORE OPTIONS]: the values are those of the definition, computed by other means; MORE
# is what the plain program takes, OPTIONS what rp-project does
defined()
{
	local method=$1 k=$2 more=$3
	shift 3
	rp-project -m "$method" -k "$k" --seed 5 "$@" few >ours &&
		python3 "$TOP/test/plain_projection.py" "$method" 5 "$k" 13 few $more >plain &&
		filled "$k" ours >full && near full plain 1e-13
}
if command -v python3 >/dev/null; then
	ok 'rs as defined'                       defined rs 37 ''
	ok 'gaussian as defined'                 defined gaussian 37 ''
	ok 'uniform as defined'                  defined uniform 37 ''
	ok 'achlioptas as defined'               defined achlioptas 37 ''
	ok 'li as defined'                       defined li 37 ''
	ok 'li --sparsity as defined'            defined li 37 5 --sparsity 5
	ok 'fht as defined'                      defined fht 9 ''
	ok 'fht with replacement as defined'     defined fht 9 with-replacement --with-replacement
	ok 'fht with replacement, more columns than outputs' defined fht 40 with-replacement --with-replacement
	ok 'cw of 32 columns as defined'         defined cw 32 ''
	ok 'cw of 64 columns as defined'         defined cw 64 ''
	ok 'cw of 15 columns as defined'         defined cw 15 ''
	ok 'cw --cw as defined'                  defined cw 24 2,3,4 --cw 2,3,4
	ok 'osnap as defined'                    defined osnap 12 ''
	ok 'countsketch as defined'              defined countsketch 10 ''
else
	skip 'no python3'
fi

# these bytes on any machine: new ones break everybody's maps
few_rows()
{
	local method
	for method in $methods; do
		head -n 2 few | rp-project -m "$method" -k 4 -d 13 --seed 18446744073709551615
	done
	head -n 2 few | rp-project -q -m cw -k 32 --digits 6
	head -n 2 few | rp-project -m gaussian -k 3 --single
	head -n 2 few | rp-project -m fht --with-replacement -k 4 -d 13 --seed 18446744073709551615
}
same 'rows of every method' project few_rows

ok 'as many columns as asked for' \
	'for m in rs fht gaussian uniform; do rp-project -m $m -k 7 heart | awk "NF != 8 { exit 1 }" || exit; done'
ok 'columns ascend, none beyond' \
	'rp-project -m countsketch -k 9 heart |
	awk "{ p = 0; for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); if (a[1] <= p || a[1] > 9 || a[2] == 0) exit 1; p = a[1] } }"'
ok 'seed 1 is the default'          'rp-project -k 8 heart >a && rp-project -k 8 --seed 1 heart | cmp - a'
ok 'another seed, another map' \
	'[ "$(for s in 1 2 3 4294967297; do rp-project -m rs -k 8 --seed $s few | head -n 1; done | sort -u | wc -l)" = 4 ]'
ok 'fewer columns are a beginning' \
	'rp-project -m rs -k 4 few | tr ":" " " >a && rp-project -m rs -k 16 few | cut -d " " -f 1-5 | tr ":" " " |
	awk -v CONVFMT=%.17g "{ for (i = 3; i <= 9; i += 2) \$i *= 2; print }" >b && near a b 1e-14'
ok 'an isometry' \
	'rp-project -m fht -k 16 --certificate heart x >lines && grep "E = [0-9.]*e-1[0-9]$" lines'
ok 'index 0 has a row'              'printf "1 0:2 1:1\n" | rp-project -k 4 | grep -c "^1 "'
fail 1 'feature 0 below 1'          'printf "1 0:2 1:1\n" | rp-project -m fht -d 4 -k 4'

# ---- rows ----

ok 'labels stay as they are' \
	'printf "+1 1:1\n1.50 1:2\n-0 2:1\n" | rp-project -k 4 | cut -d " " -f 1 | tr "\n" " " |
	grep -x -e "+1 1.50 -0 "'
ok 'qid and comments stay' \
	'printf "3 qid:7 1:1 #a: b \n# alone\n\n2 2:1\n" | rp-project -k 1 -m rs >out && cat out &&
	grep -x -e "3 qid:7 1:-*1 #a: b" out && [ $(wc -l <out) = 2 ]'
ok 'pca: so do they all' \
	'printf "+1 qid:2 1:1 # c\n-1 1:2 2:1\n" >q && rp-project -m pca -k 1 q | grep "^+1 qid:2 1:.* # c$"'
ok 'no features, no values'         'printf "1\n2 3:0\n" | rp-project -k 4 | tr "\n" " " | grep -x "1 2 "'
ok '--digits' \
	'rp-project -m gaussian -k 5 --digits 3 heart | tr " " "\n" | sed -n "s/.*://p" | tr -d ".-" |
	sed "s/e.*//; s/^0*//" | awk "length > 3 { exit 1 }"'
ok '--digits rounds' \
	'rp-project -m gaussian -k 5 --digits 6 heart | tr ":" " " >a && rp-project -m gaussian -k 5 heart |
	tr ":" " " >b && near a b 1e-5'
ok '--single is near' \
	'for m in rs fht cw; do rp-project -m $m -k 16 heart >a && rp-project --single -m $m -k 16 heart >b &&
	tr ":" " " <a >c && tr ":" " " <b >d && near c d 2e-6 || exit; done'
ok 'crlf'                           'sed "s/\$/\r/" heart | rp-project -k 8 >a && rp-project -k 8 heart | cmp - a'

# ---- the same bytes, however the rows come ----

svm-gen relevant -n 3000 -d 60 -k 5 wide
for method in $methods; do
	rp-project -m $method -k 24 -d 60 wide >whole
	cp whole "whole.$method"
	ok "$method: any number of threads" \
		"for n in 1 2 3 7; do rp-project -m $method -k 24 -d 60 --threads \$n wide | cmp - whole.$method ||
		exit; done"
	ok "$method: gzip, pipe, minus" \
		"gzip -c wide | rp-project -m $method -k 24 -d 60 | cmp - whole.$method && cat wide |
		rp-project -m $method -k 24 -d 60 - - | cmp - whole.$method"
	ok "$method: shards" \
		"rm -f shard.* && split -n l/5 wide shard. && ls shard.?? |
		xargs -P 2 -I % rp-project -m $method -k 24 -d 60 % %.out && cat shard.??.out | cmp - whole.$method"
done
ok 'a pipe through split --filter'  'split -n r/1 --filter="rp-project -k 24 -m rs -d 60" wide | cmp - whole.rs'
ok 'many short rows' \
	'yes "1 3:1" | head -n 300000 >short && rp-project -m rs -k 64 short >a && [ $(sort -u a | wc -l) = 1 ] &&
	[ $(wc -l <a) = 300000 ]'
ok 'memory does not grow with rows' 'for n in 1 8; do for i in $(seq $n); do cat short; done | rp-project -m rs -k 8 --digits 2 --threads 2 --report r$n - /dev/null || exit; done; python3 -c "
import json
a, b = (json.load(open(n))[\"peak_memory_bytes\"] for n in (\"r1\", \"r8\"))
print(a, b)
exit(b > a + (32 << 20))"'

# ---- saved maps ----

for method in $methods pca; do
	ok "$method: -s, then -r" \
		"rp-project -m $method -k 6 -s map.$method heart a && rp-project -r map.$method heart | cmp - a &&
		rp-project -r map.$method few | cmp - <(head -n 30 a)"
done
ok 'li --sparsity and fht --with-replacement are kept' \
	'rp-project -m li --sparsity 2.5 -k 6 -s map heart a && rp-project -r map heart | cmp - a &&
	rp-project -m fht --with-replacement -k 6 -s map heart a && rp-project -r map heart | cmp - a &&
	grep -x "replacement yes" map && grep -x "replacement no" map.fht'
ok '--single and --cw are kept' \
	'rp-project --single --cw 2,2,3 -s map heart a && rp-project -r map heart | cmp - a &&
	grep -x "precision single" map && grep -x "width 3" map'
ok 'a gzipped map' \
	'rp-project -k 6 -s map.gz heart a && gzip -dc map.gz | cmp - map.cw && rp-project -r map.gz heart |
	cmp - a && gzip -c map.cw >packed && rp-project -r packed heart | cmp - a'
ok 'fht: test data may have more features, up to the next power of two' \
	'rp-project -m fht -k 4 -s map heart a && printf "1 16:1\n" | rp-project -r map | grep "^1 1:" &&
	! rp-project -r map <<<"1 17:1" 2>err && grep "feature 17 above 16" err'
ok 'known bytes of a map' \
	'printf "randsvm-projection 1\nmethod cw\ncolumns 32\nfeatures 13\nseed 1\nprecision double\nblocks 1\ncopies 4\nwidth 8\n" >known &&
	rp-project -k 32 -s map heart /dev/null && head -n -1 map | cmp - known &&
	grep -x "checksum [0-9a-f]\{8\}" map'
sed 's/^seed 1/seed 2/' map.cw >damaged
head -n 4 map.cw >cut
sed 's/projection 1/projection 2/' map.cw >newer
fail 1 'damaged:'                    rp-project -r damaged heart
fail 1 'cut:'                        rp-project -r cut heart
fail 1 'newer:1:'                    rp-project -r newer heart
fail 1 'heart:1:'                    rp-project -r heart heart
sed 's/^columns 6/columns 2147483647/' map.pca | sed '$d' >huge
printf 'checksum %s\n' "$(gzip -c huge | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' ')" >>huge
fail 1 'huge:7: expected 2147483647 numbers' rp-project -r huge heart
fail 1 "can't open map file none: No such file or directory"   rp-project -r none heart

# fht: the map says how its outputs were drawn, and maps of earlier versions mean what they did
printf '+1 1:0.5 3:-2\n-1 2:1 8:0.25\n' >eight
earlier_map()
{
	printf 'randsvm-projection 1\nmethod fht\ncolumns 4\nfeatures 8\nseed 1\nprecision double\n%s' "$1"
}
earlier_map $'replacement yes\nchecksum 478ca343\n' >earlier.yes
earlier_map $'replacement no\nchecksum fb59d825\n' >earlier.no
earlier_map $'checksum 00000000\n' >earlier.none
if command -v python3 >/dev/null; then
	# means MAP [with-replacement]
	means() { rp-project -r "$1" eight >ours && python3 "$TOP/test/plain_projection.py" fht 1 4 8 eight $2 >plain && filled 4 ours >full && near full plain 1e-13; }
	ok 'an old map with replacement'     means earlier.yes with-replacement
	ok 'an old map without'              means earlier.no
fi
ok 'the same maps are written today' \
	'rp-project -q -m fht -k 4 -d 8 -s map eight x && cmp map earlier.no &&
	rp-project -q -m fht --with-replacement -k 4 -d 8 -s map eight y && cmp map earlier.yes && ! cmp x y'
fail 1 'earlier.none:'                   rp-project -r earlier.none eight

# ---- pca ----

ok 'pca: all components, the same predictions' \
	'rp-project -m pca -k 13 -s map heart p && randsvm-train -q -t 0 heart m1 && randsvm-train -q -t 0 p m2 &&
	svm-eval --scores heart m1 s1 >x && svm-eval --scores p m2 s2 >y && cat x y && near s1 s2 0.01'
ok 'pca: fewer components than asked for' \
	'rp-project -m pca -k 50 heart p 2>err && grep "13 principal components" err && awk "NF > 14 { exit 1 }" p'
ok 'standard input is read twice, a file or a pipe, plain or gzipped' \
	'for m in "pca -k 2" "fht -k 2" "li -k 2" scale; do rp-project -m $m heart x && rp-project -m $m <heart | cmp - x &&
	cat heart | rp-project -m $m | cmp - x && gzip -c heart | rp-project -m $m | cmp - x &&
	rp-project -m $m <(cat heart) | cmp - x || exit 1; done'
ok '... of a pipe in binary form' \
	'svm-convert --binary heart piped.bin && for m in "pca -k 2" scale; do rp-project -m $m piped.bin x && cat piped.bin | rp-project -m $m | cmp - x || exit 1; done'
ok 'only a pipe is kept in memory' \
	'rp-project --verbose -m scale <heart 2>err >x; ! grep memory: err | grep twice && cat heart |
	rp-project --verbose -m scale 2>err >y; grep "twice, the second time from memory" err && cmp x y'

# ---- binary ----

ok '--binary is read by all' \
	'rp-project -k 32 heart text && rp-project -k 32 --binary heart bin && randsvm-train -q -t 0 text m1 &&
	randsvm-train -q -t 0 bin m2 && cmp m1 m2 && svm-eval text m1 p1 >a && svm-eval bin m1 p2 >b &&
	cmp p1 p2 && cmp a b && rp-project -m rs -k 5 text x && rp-project -m rs -k 5 bin y &&
	diff <(cut -d " " -f 2- x) <(cut -d " " -f 2- y)'
ok '--binary through pipes' \
	'rp-project -k 32 --binary heart | randsvm-train -q -t 0 - m3 && cmp m1 m3 &&
	rp-project -k 32 --binary -z heart | randsvm-train -q -t 0 - m4 && cmp m1 m4'
ok '--binary --single is smaller' \
	'rp-project -k 32 --single --binary heart small && [ $(wc -c <small) -lt $(( $(wc -c <bin) * 3 / 4 )) ] &&
	rp-project -k 32 --single heart a && rp-project -m rs -k 3 small | cut -d " " -f 2- | tr ":" " " >b &&
	rp-project -m rs -k 3 a | cut -d " " -f 2- | tr ":" " " >c && near b c 1e-5'
ok 'joined shards in binary' \
	'split -n l/3 heart part. && for p in part.a?; do rp-project -k 32 --binary $p $p.bin || exit; done;
	cat part.a?.bin | randsvm-train -q -t 0 - m5 && cmp m1 m5'
head -c 3000 bin >cut_bin
{ head -c 2000 bin; printf x; tail -c +2002 bin; } >damaged_bin
fail 1 'cut_bin: block 1: cut short' rp-project -m rs -k 2 cut_bin
fail 1 'damaged_bin: block 1:'       randsvm-train damaged_bin m
fail 1 'no_end: block 2:'            'head -c -32 bin >no_end; randsvm-train no_end m'

# ---- folding ----

# folds MAP_OPTIONS... -- TRAIN...: scores by the folded model are those by the projection
folds()
{
	local data=$1
	shift
	local map=()
	while [ "$1" != -- ]; do map+=("$1"); shift; done
	shift
	rp-project "${map[@]}" -s map "$data" small && "$@" small m >/dev/null &&
		rp-project -r map --fold m folded && svm-eval --scores small m s1 >a &&
		svm-eval --scores "$data" folded s2 >b && cat a b && near s1 s2 1e-4
}
ok 'fold: two classes'               folds a1a -m cw -k 32 -- randsvm-train -q -t 0
ok 'fold: svm-predict reads it'      'svm-predict a1a folded p | grep "$(sed "s/ (.*//" a)"'
ok 'fold: fht'                       folds a1a -m fht -k 50 -- randsvm-train -q -t 0
ok 'fold: pca'                       folds a1a -m pca -k 10 -- randsvm-train -q -t 0
ok 'fold: three classes'             folds "$T/three_class" -m rs -k 3 -- randsvm-train -q -t 0
ok 'fold: regression'                folds "$T/sinc" -m gaussian -k 2 -- randsvm-train -q -s 3 -t 0
ok 'fold: one class'                 folds heart -m rs -k 5 -- randsvm-train -q -s 2 -t 0
awk 'BEGIN { CONVFMT = "%.17g" } { for (i = 2; i <= NF; i++) { split($i, p, ":"); $i = p[1] ":" p[2] + 1e6 } print }' heart >far
sed 's/ \([0-9]*\):/ 0:0.5 \1:/' heart >from_0
ok 'fold: features far from 0' \
	'rp-project -m pca -k 13 -s map far small && randsvm-train -q -t 0 --compact small m &&
	rp-project -r map --fold m folded && svm-eval small m s1 >a && svm-eval far folded s2 >b && cat a b &&
	cmp a b && grep "= 8[67]" a'
ok 'fold: feature 0'                 folds from_0 -m rs -k 5 -- randsvm-train -q -t 0
if command -v liblinear-train >/dev/null; then
	ok 'fold: LIBLINEAR, with a bias'    folds a1a -m cw -k 32 -- liblinear-train -q -B 1
	ok 'fold: LIBLINEAR, without'        folds a1a -m uniform -k 20 -- liblinear-train -q -s 0
	ok 'fold: LIBLINEAR, pca'            folds a1a -m pca -k 8 -- liblinear-train -q
	ok 'fold: LIBLINEAR, many classes'   folds "$T/three_class" -m rs -k 3 -- liblinear-train -q -s 4
else
	skip 'no liblinear-train'
fi
randsvm-train -q heart rbf
randsvm-train -q -t 0 heart wide_model
rp-project -m rs -k 4 -s map heart small
ok 'fold: -d that leaves features out' \
	'rp-project -k 4 -s map heart small && randsvm-train -q -t 0 small m &&
	rp-project -r map --fold m -d 5 folded 2>err &&
	grep -x "rp-project: note: -d: features 6 to 13, which the map was made for, get no weights" err &&
	rp-project -q -r map --fold m -d 5 folded 2>err && ! [ -s err ] &&
	rp-project -r map --fold m -d 13 folded 2>err && ! [ -s err ]'
# many pairs of classes, each of which gets weights for all features
svm-gen text -q -n 30 | awk '{ $1 = NR % 5; print }' >pairs
rp-project -q -k 8 -s pairs.map pairs small
ok 'a note where the folded model is larger' \
	'randsvm-train -q -t 0 small m && rp-project -r pairs.map --fold m folded 2>err &&
	n=$(sed -n "s/^rp-project: note: --fold: \([0-9]*\) numbers in place of \([0-9]*\): without it the model is smaller, and needs the map$/\1 \2/p" err) &&
	echo $n && [ ${n% *} -gt ${n#* } ] && [ $(sed "1,/^SV/d" folded | grep -o ":" | wc -l) -le ${n% *} ] &&
	[ $(stat -c %s folded) -gt $(stat -c %s m) ] &&
	rp-project -q -r pairs.map --fold m folded 2>err && ! [ -s err ]'
ok '... but not of two classes'               'awk "{ \$1 = NR % 2; print }" small >two && randsvm-train -q -t 0 two m &&
	rp-project -r pairs.map --fold m folded 2>err && ! [ -s err ]'
fail 1 "the model's kernel is not linear"             rp-project -r map --fold rbf unborn
fail 1 'the model has feature 13, the map 4 columns'  rp-project -r map --fold wide_model unborn
fail 1 '--fold: wide_model: the map has no feature 17' \
	'rp-project -m fht -k 13 -s map16 heart x && rp-project -r map16 --fold wide_model -d 17 unborn'
fail 1 "can't open model file none"                   rp-project -r map --fold none unborn
fail 1 '--fold needs -r'                              rp-project --fold rbf unborn
ok 'no file from these'                               '! ls unborn'

# ---- sizes and certificates ----

ok '--epsilon and --rank' \
	'rp-project -m cw --epsilon 0.5 --rank 13 heart x 2>err && cat err && grep "^rp-project: k = 288 = " err &&
	grep "(--cw 1,32,9: " err && grep "order of magnitude" err && rp-project --cw 1,32,9 heart | cmp - x'
# features of a1a are indicators, which 4 copies do not suffice for
zcat "$T/a1a.gz" >a1a
ok '... keep to the error, mostly' \
	'for seed in $(seq 12); do rp-project -q --epsilon 0.5 --rank 98 --certificate --seed $seed a1a x; done >lines &&
	cat lines && sed -n "s/.*, E = //p" lines | awk "{ n += \$1 <= 0.5 } END { exit !(NR == 12 && n >= 6) }"'
ok 'the certificate' \
	'rp-project -m rs -k 200 --certificate heart x >lines && cat lines &&
	grep -x "rank = 13, columns = 200" lines && grep "^squared radius: " lines'
ok 'to standard error, where rows go to standard output' \
	'rp-project -m rs -k 20 --certificate heart 2>err >x && grep "^rank = 13" err &&
	rp-project -m rs -k 20 heart | cmp - x'
ok 'fewer columns than the rank'     'rp-project -m rs -k 5 --certificate heart x | grep "nothing holds from below"'
# the margin changes by kappa at most, whatever C; the radius by the eigenvalues
bounds()
{
	rp-project -m rs -k 300 --certificate --report r heart small >/dev/null || return
	for c in 0.1 1000; do
		for f in heart small; do
			randsvm-train -q -t 0 -c $c -e 1e-6 $f m.$f || return
		done
		svm-eval --geometry small --reference heart --report g.$c m.small m.heart || return
	done
	python3 -c '
import json
c = json.load(open("r"))["certificate"]
low, high, kappa = c["lambda_min"], c["lambda_max"], c["kappa"]
print(c)
assert 0 < low <= 1 <= high
assert abs(max(high - 1, 1 - low) - c["epsilon_measured"]) < 1e-9
for name in "g.0.1", "g.1000":
    g = json.load(open(name))
    print(g["margin2_ratio"], g["radius2_ratio"])
    assert 1 / kappa <= g["margin2_ratio"] <= kappa and g["margin2_ratio"] != 1
    assert low - 1e-3 <= g["radius2_ratio"] <= high + 1e-3'
}
ok 'the margin is as certified'      bounds
ok 'a report' \
	'rp-project -k 8 --report r heart x &&
	json_has r tool version settings seed map data values_written seconds cpu_seconds_per_phase peak_memory_bytes'

# ---- the command line ----

ok 'no arguments'                    streams 1 '' "rp-project: -k: is missing" rp-project
ok '--help'                          streams 0 "$usage" '' rp-project --help
ok '--version'                       streams 0 'rp-project ' '' rp-project --version
ok '--verbose' \
	'rp-project -m fht -k 3 --verbose heart x 2>err && grep "reading heart twice" err &&
	grep "fht: 3 columns, seed 1" err'
ok 'progress' \
	'{ cat a1a; sleep 0.7; cat a1a; } | rp-project -m rs -k 30 --progress - /dev/null 2>err;
	grep -a "projecting" err'
ok '-z and .gz' \
	'rp-project -k 8 heart p8 && rp-project -k 8 heart x.gz && gzip -dc x.gz | cmp - p8 &&
	rp-project -z -k 8 heart x && gzip -dc <x | cmp - p8'
ok 'an old file stands after an error' \
	'cp heart old && { cat heart; echo "1 x"; } >bad; ! rp-project -k 4 bad old 2>err && cat err &&
	cmp old heart && ! ls old?*'
fail 1 'Wrong input format at line 2: standard input:2:3:'     'printf "1 1:1\n2 x\n" | rp-project -k 4'
fail 1 "-k: is missing: how many features shall the rows have" rp-project heart
fail 1 '-k: 0 is not between'                                  rp-project -k 0 heart
fail 1 '-k: expected an integer'                               rp-project -k 1e3 heart
fail 1 '-m: expected one of rs fht cw'                         rp-project -m fft -k 3 heart
for method in $methods; do
	fail 1 'Wrong input format at line 1: heart:1:91: feature 13 above 12' rp-project -m $method -d 12 -k 3 \
		heart unborn
done
fail 1 'standard input:1:7: feature 5 above 4'                 'printf "1 2:1 5:1 6:1\n" | rp-project -d 4 -k 3'
fail 1 'binary: block 1: row 1: feature 13 above 12' \
	'rp-project -m rs -k 13 --binary heart binary; rp-project -d 12 -k 3 binary unborn'
fail 1 'standard input:2:9: feature 0 below 1' \
	'printf "1 qid:3 1:1\n2 qid:3 0:1\n" | rp-project -m fht -d 4 -k 3'
fail 1 '-d: is not for pca'                                    rp-project -m pca -d 13 -k 3 heart
fail 1 '--single: is not for pca'                              rp-project -m pca --single -k 3 heart
ok 'no file from these, either'                                '! ls unborn'
fail 1 '--cw: 2 times 3 times 4 is not -k 25'                  rp-project --cw 2,3,4 -k 25 heart
fail 1 '--cw: is not for rs'                                       rp-project -m rs --cw 2,3,4 heart
fail 1 '--sparsity: is not for rs'                                 rp-project -m rs -k 3 --sparsity 4 heart
fail 1 '--with-replacement: is not for rs'                        rp-project -m rs -k 3 --with-replacement heart
fail 1 '-k: fht of 16 features has 16 columns at most: say -k 16, which changes no length, or --with-replacement' \
	rp-project -m fht -k 17 heart unborn
fail 1 '-k: fht of 13 features has 16 columns at most'         'rp-project -m fht -d 13 -k 17 <heart'
ok 'fht --epsilon takes no more than all' \
	'rp-project -m fht --epsilon 0.5 --rank 13 --certificate heart x 2>err >lines && cat err &&
	grep "k = 16, with which fht changes no length" err && grep "columns = 16" lines &&
	rp-project -q -m fht -k 16 heart | cmp - x'
fail 1 'cannot use -r and -k simultaneously'                   rp-project -r map -k 3 heart
fail 1 'cannot use -r and -s simultaneously'                   rp-project -r map -s x heart
fail 1 'cannot use --binary and --digits simultaneously' rp-project -k 3 --binary --digits 3 heart
fail 1 '--epsilon needs --rank'                                 rp-project --epsilon 0.5 heart
fail 1 '--certificate: is not for pca'                         rp-project -m pca -k 3 --certificate heart x
fail 1 "one file name too many: 'c'"                           rp-project -k 3 heart b c
fail 1 "can't open input file none: No such file"              rp-project -k 3 none
fail 1 "can't open output file none/x: No such file"           rp-project -k 3 heart none/x
fail 1 'No space left'                                         'rp-project -k 3 heart >/dev/full'
fail 1 "can't write output file /dev/full: No space left"      rp-project -k 200 a1a /dev/full
if [ "$SANITIZE$WRAP" ]; then
	skip 'memory is not to be limited'
else
	fail 1 '1000000000 columns need 28 GB of memory, more than 4.1 GB' \
		'ulimit -v 4000000; rp-project -m rs -k 1000000000 heart'
	for method in cw countsketch osnap; do
		fail 1 '1000000000 columns need 8.62 GB of memory, more than 8.5 GB' \
			"ulimit -v 8300000; head -n 1 heart | rp-project -m $method -k 1000000000"
	done
	fail 1 '5000000 columns need 3.28 GB of memory, more than 2.05 GB; try --threads 1' \
		'ulimit -v 2000000; rp-project -m rs --threads 2 -k 5000000 heart'
	ok 'of few rows as many columns' \
		'ulimit -v 1000000; head -n 1 heart |
		rp-project -m rs --threads 2 -k 5000000 --digits 1 - /dev/null'
	ok 'a sparse map lists few columns' \
		'ulimit -v 200000; head -n 1 heart | rp-project --threads 1 -k 20000000 - /dev/null'
	ok 'and of a sparse map' \
		'ulimit -v 1000000; rp-project --threads 2 -k 5000000 heart | wc -l | grep -x " *270"'
fi
ok 'a closed pipe ends it silently' \
	'rp-project -k 200 a1a 2>err | head -c 1 >x; [ "${PIPESTATUS[0]}" = 141 ] && [ ! -s err ]'
ok 'all outputs or none' \
	'for f in a b c; do echo old >$f; done; ! rp-project -k 3 -s /dev/full --report b heart a &&
	! rp-project -k 3 -s b --report /dev/full heart a && ! rp-project -k 3 -s /dev/full --report b heart new &&
	cat a b c && [ "$(cat a b c | uniq -c | tr -s " ")" = " 3 old" ] && ! ls new .*.tmp*'
ok 'no rows in, no rows out' \
	'[ -z "$(rp-project -r map.cw </dev/null)" ] && rp-project -r map.cw --binary </dev/null 2>err >x &&
	grep "no examples" err && rp-project -r map.cw --binary few >y && cat x y | rp-project -m rs -k 3 >a &&
	rp-project -m rs -k 3 y | cmp - a && rp-project -q -k 3 /dev/null x 2>err && [ ! -s x -a ! -s err ]'
fail 1 'no examples'                                           'rp-project -k 3 -s unborn </dev/null'
fail 1 'no examples'                                           rp-project -k 3 --certificate /dev/null
fail 1 'rp-project: standard_big: row 2: overflow' \
	'printf "1 1:1\n1 1:1e308 2:1e308 3:1e308\n" >standard_big; rp-project -m rs -k 4 standard_big unborn'
fail 1 'far: values are too large for principal components' \
	'printf "1 1:1.7e308\n1 1:-1.7e308\n" >far; rp-project -m pca -k 1 far unborn'
fail 1 'too large for --single'                                'echo "1 1:1e39" | rp-project --single -k 2 - unborn'
fail 1 'too large for --single' \
	'echo "1 1:1e39" | rp-project --single --binary -k 2 - unborn'
ok 'overflow, if asked for'            'rp-project --allow-nonfinite -m rs -k 4 standard_big | grep inf'
fail 1 'one: no principal components: all rows are the same'   'echo "1 1:1" >one; rp-project -m pca -k 2 one unborn'
fail 1 'pca'                                                   rp-project -r map.pca --certificate heart unborn
fail 1 '--sparsity: 6e8 is not between 1 and 1e+06'            rp-project -m li -k 3 --sparsity 6e8 heart unborn
fail 1 '--epsilon: is not for pca'                             rp-project -m pca --epsilon 0.5 --rank 3 heart unborn
fail 1 '--epsilon: 100 is not between'                         rp-project --epsilon 100 --rank 1 heart unborn
fail 1 'cannot use --fold and --certificate' rp-project -r map.rs --fold wide_model --certificate unborn
fail 1 'cannot use --fold and --binary' rp-project -r map.rs --fold wide_model --binary unborn
fail 1 'cannot use --fold and --digits' rp-project -r map.rs --fold wide_model --digits 3 unborn
fail 1 'rp-project: --cw: expected Q,A,V'                      rp-project --cw 2,3 heart unborn
ok 'no file from any of these'                                 '! ls unborn'
ok 'more columns than the cache can hold rows' \
	'for m in gaussian uniform achlioptas li;
	do rp-project -m $m -d 13 -k 1048577 --digits 1 --threads 1 <<<"1 3:1" | tr " " "\n" | tail -n 1 |
	grep "^1048[0-9]*:" || exit; done'
ok 'the seed of pca is in the report'  'rp-project -m pca -k 2 --seed 7 --report r heart x && grep "\"seed\":	*7" r'
ok 'columns that no row has are no lack of columns' \
	'for s in 1 2 3 4 5 6 7 8; do printf "1 1:1\n1 2:1\n1 3:1\n" |
	rp-project -m countsketch -k 6 --certificate --seed $s - x; done >lines &&
	grep "lambda_min is 0: nothing" lines && ! grep "fewer columns" lines'
fail 1 "'heart' and 'heart' are the same file"                 rp-project -k 3 heart heart
fail 1 "'nn' and './nn' are the same file"                     rp-project -k 3 -s nn heart ./nn
cp heart own
fail 1 "standard output and own are the same file"              'rp-project -k 3 own >>own'
fail 1 "standard output and own are the same file"              'rp-project -k 3 own - >>own'
fail 1 "own and standard input are the same file"               'rp-project -k 3 - own <own'
fail 1 "own and standard input are the same file"               'rp-project -k 3 -s own - out <own'
fail 1 "standard output and standard input are the same file"   'rp-project -k 3 - <own >>own'
ok 'no output became its input' 'cmp heart own'
fail 1 "'-' and '-' are both standard output"                  rp-project -k 3 -s - heart
fail 1 "'/dev/stdout' and '-' are both standard output"        'rp-project -k 3 --report - heart /dev/stdout >x'
fail 1 "'-' and 'oo' are both standard output"                 'rp-project -k 3 -s oo heart >oo'
ok 'rows to standard output by another name' \
	'rp-project -m rs -k 20 --certificate heart /dev/stdout 2>err | cmp - <(rp-project -m rs -k 20 heart) &&
	grep "^rank = 13" err'

# ---- rows without a label ----

printf 'qid:3 1:2 # c\n13:1 #d\n2 2:1\n# none\nqid:4 13:1\n' >unlabelled
ok 'kept as they are'                'grep -v "^#" unlabelled >x && rp-project -m none unlabelled | cmp - x'
ok 'normalised' \
	'printf "qid:3 1:1 # c\n13:1 #d\n2 2:1\nqid:4 13:1\n" >x && rp-project -m normalise unlabelled | cmp - x'
ok 'projected as with a label' \
	'rp-project -q -k 4 -s label.map heart x && sed "s/^/7 /;s/^7 2 /7 /;s/^7 #/#/" unlabelled >labelled &&
	rp-project -r label.map labelled | sed "s/^7 //" >x && rp-project -r label.map unlabelled | sed "s/^2 //" |
	cmp - x'
ok 'scaled, and no label to scale' \
	'rp-project -q -m scale --range-y 0,1 -s label.range heart x && rp-project -q -r label.range unlabelled |
	cut -d " " -f 1 >x; cat x; sed -n 1p x | grep -x qid:3 && sed -n 2p x | grep "^[0-9]*:" && sed -n 3p x |
	grep -x "[0-9.]*"'
ok 'a row of nothing is still a row' 'rp-project -q -m scale -l 0 -s label.range - x2 <<<"1 1:1 2:2
2 2:0" && rp-project -q -r label.range - <<<"3:1" | grep -x 1:0'
ok 'behind one without a label so is an empty line' \
	'printf "1:2\n\n# none\n2 2:1\n\n" | rp-project -m none | cmp - <(printf "1:2\n1:0\n1:0 # none\n2 2:1\n")'
fail 1 'row 1 has no label, and the binary form cannot say so' rp-project -m none --binary unlabelled
fail 1 "expected a label, got 'qid:3'"  rp-project -r label.map --strict unlabelled
fail 1 "expected a label, got 'qid:3'"  rp-project -k 2 unlabelled
fail 1 "expected a label, got 'qid:3'"  rp-project -m scale unlabelled
fail 1 "expected a label, got 'qid:3'"  'rp-project -m scale <unlabelled'
fail 1 "expected a label, got 'qid:3'"  rp-project -m none --binary --allow-nonfinite unlabelled
