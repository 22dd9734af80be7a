# rp-project's kernel maps: the map that the seed names, products that are kernel values, a linear
# machine that learns as one with the kernel; and clear errors.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
head -n 30 heart >few
head -n 20 a1a >few_wide

# ---- the map ----

# defined KERNEL FREQUENCIES K D FILE: the values are those of the definition, computed by other means
defined()
{
	rp-project -m rff --kernel "$1" --frequencies "$2" -g 0.3 -k "$3" -d "$4" --seed 4294967301 "$5" ours &&
		python3 "$TOP/test/plain_maps.py" rff "$1" "$2" 0.3 4294967301 "$3" "$4" "$5" >plain &&
		filled "$3" ours >full && near full plain 1e-11
}
if command -v python3 >/dev/null; then
	ok 'independent frequencies as defined'                  defined rbf independent 10 13 few
	ok 'an odd number of columns as defined'                 defined rbf independent 37 13 few
	ok 'laplace as defined'                                  defined laplace independent 37 13 few
	ok 'orthogonal, few features: two blocks and a part'     defined rbf orthogonal 59 13 few
	ok 'orthogonal, many features'                           defined rbf orthogonal 9 119 few_wide
	ok 'orthogonal, many features: two blocks and a part'    defined rbf orthogonal 601 70 few
	# sketched DEGREE COEF0 K: the same of tensorsketch
	sketched()
	{
		rp-project -m tensorsketch --degree "$1" --coef0 "$2" -g 0.3 -k "$3" --seed 4294967301 few ours &&
			python3 "$TOP/test/plain_maps.py" tensorsketch "$1" "$2" 0.3 4294967301 "$3" 13 few >plain &&
			filled "$3" ours >full && near full plain 1e-11
	}
	ok 'tensorsketch as defined'                             sketched 3 0.7 64
	ok 'tensorsketch: the bits of a number of columns'       sketched 2 1 37
	ok 'tensorsketch: degree 1, without a constant'          sketched 1 0 16
	ok 'tensorsketch: five sketches, one column'             sketched 5 0.2 1
else
	skip 'no python3'
fi
few_rows()
{
	local kind
	for kind in 'rbf --frequencies orthogonal' 'rbf --frequencies independent' laplace; do
		head -n 2 few | rp-project -m rff --kernel $kind -g 0.5 -k 5 -d 13 --seed 18446744073709551615
		head -n 2 few | rp-project -m rff --kernel $kind -g 0.5 -k 4 -d 13 --single
	done
	head -n 2 few | rp-project -m rff -k 5 -d 100
	head -n 2 few | rp-project -m tensorsketch -g 0.5 --coef0 1 -k 6
	head -n 2 few | rp-project -m tensorsketch -g 0.5 --degree 2 -k 4 --single --seed 18446744073709551615
}
# these bytes on any machine: new ones break everybody's maps
same 'rows of every kind' maps few_rows
ok 'gamma is 1 / number of features' \
	'rp-project -m rff -k 8 heart a && rp-project -m rff -k 8 -g 0.07692307692307693 heart | cmp - a &&
	rp-project -m rff -k 8 -d 13 <heart | cmp - a'
ok 'gamma 0: a constant'  'rp-project -m rff -k 8 -g 0 few | cut -d " " -f 2- | sort -u | grep -x "1:0.5 3:0.5 5:0.5 7:0.5"'
ok 'a row without features' 'echo 1 | rp-project -m rff -k 4 -g 1 -d 3 | tr ":" " " >a; echo "1 1 .7071067811865476 3 .7071067811865476" | near a - 1e-15'
ok 'laplace needs no number of features' 'rp-project -m rff --kernel laplace -g 1 -k 4 <heart >a && [ $(wc -l <a) = 270 ]'
ok '--single is near' \
	'rp-project -m rff -k 16 heart >a && rp-project --single -m rff -k 16 heart >b &&
	tr ":" " " <a >c && tr ":" " " <b >d && near c d 1e-7 && ! cmp -s c d'

# ---- the same bytes, however the rows come ----

svm-gen relevant -n 2000 -d 60 -k 5 narrow
svm-gen relevant -n 2000 -d 100 -k 5 wide
while read -r name tolerance options; do
	rp-project -m $options -g 0.1 -k 24 wide >whole 2>err || cat err
	ok "$name: any number of threads" \
		"for n in 1 2 3 7; do rp-project -m $options -g 0.1 -k 24 --threads \$n wide | cmp - whole || exit; done"
	ok "$name: pipe, gzip, shards by a saved map" \
		"rp-project -m $options -g 0.1 -k 24 -s map wide x && cmp x whole && rp-project -r map <wide | cmp - whole &&
		gzip -c wide | rp-project -r map | cmp - whole && rm -f shard.* && split -n l/5 wide shard. &&
		ls shard.?? | xargs -P 2 -I % rp-project -r map % %.out && cat shard.??.out | cmp - whole"
	ok "$name: --binary" \
		"rp-project -r map --binary wide | rp-project -m none | tr ' ' '\n' | sed 's/.*://' >a &&
		tr ' ' '\n' <whole | sed 's/.*://' | near a - $tolerance"
done <<-'END'
	transforms 0 rff
	independent 0 rff --frequencies independent
	laplace 0 rff --kernel laplace
	single 1e-7 rff --single
	tensorsketch 0 tensorsketch --coef0 1
	tensorsketch_single 1e-5 tensorsketch --degree 2 --single
END
ok 'axes: threads and pipe' \
	'rp-project -m rff -k 130 --threads 1 narrow >a && rp-project -m rff -k 130 --threads 3 -d 60 <narrow | cmp - a'

# ---- products are kernel values ----

if command -v python3 >/dev/null; then
	for kernel in rbf laplace; do
		ok "$kernel: error of products" "rp-project -m rff --kernel $kernel -g 0.2 -k 4000 few z && python3 -c \"
import math
def rows(name):
    return [{int(j): float(v) for j, v in (f.split(':') for f in line.split()[1:])} for line in open(name)]
x, z = rows('few'), rows('z')
worst = 0
for a in range(30):
    for b in range(a + 1):
        diff = [x[a].get(j, 0) - x[b].get(j, 0) for j in range(1, 14)]
        size = sum(abs(v) for v in diff) if '$kernel' == 'laplace' else sum(v * v for v in diff)
        error = sum(v * z[b].get(t, 0) for t, v in z[a].items()) - math.exp(-0.2 * size)
        worst = max(worst, abs(error))
print(worst)
exit(not 0 < worst < math.sqrt(4 / 4000 * math.log(2 * 465 / 0.01)))\""
	done
fi
ok 'columns of --epsilon' \
	'rp-project -m rff --epsilon 0.2 -g 1 heart x 2>err && cat err && grep "^rp-project: k = 370, " err &&
	rp-project -q -m rff -k 370 -g 1 heart | cmp - x'
ok '... of tensorsketch' \
	'rp-project -m tensorsketch --degree 2 --epsilon 0.5 -g 1 heart x 2>err && cat err &&
	grep "^rp-project: k = 640 = (3^degree - 1) / 0.05 / E^2" err &&
	rp-project -q -m tensorsketch --degree 2 -k 640 -g 1 heart | cmp - x'
# 10,000 rows in two dimensions, a pattern that no linear machine learns
ok 'a linear machine learns a checkerboard' \
	'svm-gen checkerboard -n 4000 board && svm-gen checkerboard -n 2000 --first 4001 board.t &&
	rp-project -m rff -g 2 -k 300 -s board.map board z && randsvm-train -q -c 10 -t 0 z model &&
	rp-project -r board.map board.t | svm-eval - model >of_map && randsvm-train -q -c 10 -g 2 board exact &&
	svm-eval board.t exact >of_kernel && cat of_map of_kernel && for f in of_map of_kernel; do
	tr -dc "0-9.% " <$f | cut -d % -f 1; done | tr "\n" " " | awk "{ exit !(\$1 > 85 && \$1 > \$2 - 5) }"'

# a circle, which a polynomial of degree 2 tells from what is outside
ok 'a linear machine learns a circle' \
	'awk "BEGIN { srand(3); for (i = 0; i < 600; i++) { x = 4 * rand() - 2; y = 4 * rand() - 2; print x * x + y * y < 1.5 ? 1 : -1, \"1:\" x, \"2:\" y } }" >ring &&
	rp-project -m tensorsketch --degree 2 --coef0 1 -g 1 -k 64 ring z && randsvm-train -q -c 10 -t 0 z model && svm-eval z model >line &&
	cat line && tr -dc "0-9.% " <line | awk "{ exit !(\$1 + 0 > 95) }"'

# ---- the saved map ----

ok 'the file of a map' \
	'rp-project -m rff -g 0.25 -k 3 -s map heart x && grep -v checksum map | tr "\n" " " |
	grep -x "randsvm-projection 1 method rff columns 3 features 13 seed 1 precision double kernel rbf gamma 0.25 frequencies orthogonal "'
ok '--report names the map' \
	'rp-project -m rff --kernel laplace -g 0.25 -k 3 --report r heart x && tr -d "[:space:]" <r |
	grep "\"method\":\"rff\",\"columns\":3.*\"kernel\":\"laplace\",\"gamma\":0.25,\"orthogonal\":false"'
ok '--verbose'  'rp-project --verbose -m rff -k 3 heart x 2>&1 | grep "rff: 3 columns, seed 1, kernel rbf, gamma 0.0769231, orthogonal frequencies"'

ok 'tensorsketch: the file of a map' \
	'rp-project -m tensorsketch -g 0.25 --coef0 1 -k 3 -s map.ts heart x && grep -v checksum map.ts | tr "\n" " " |
	grep -x "randsvm-projection 1 method tensorsketch columns 3 features 13 seed 1 precision double kernel polynomial gamma 0.25 degree 3 coef0 1 "'
ok 'tensorsketch: gamma is 1 / number of features' \
	'rp-project -m tensorsketch -k 8 heart a && rp-project -m tensorsketch -k 8 -g 0.07692307692307693 heart | cmp - a &&
	rp-project -m tensorsketch -k 8 -d 13 <heart | cmp - a'
ok 'tensorsketch: gamma 0, coef0 1: a constant' \
	'rp-project -m tensorsketch -g 0 --coef0 1 -k 8 heart | cut -d " " -f 2- | sort -u >a; [ $(wc -l <a) = 1 ] && tr " " "\n" <a | cut -d : -f 2 | awk "{ s += \$1 * \$1 } END { exit !(s > .9999999999 && s < 1.0000000001) }"'
ok 'tensorsketch: --report' \
	'rp-project -m tensorsketch --degree 2 --coef0 1 -g 0.25 -k 3 --report r heart x && tr -d "[:space:]" <r |
	grep "\"seed\":1.*\"method\":\"tensorsketch\",\"columns\":3.*\"kernel\":\"polynomial\",\"gamma\":0.25,\"degree\":2,\"coef0\":1"'
ok 'tensorsketch: --verbose'  'rp-project --verbose -m tensorsketch -g 1 -k 3 heart x 2>&1 | grep "tensorsketch: 3 columns, seed 1, degree 3, gamma 1, coef0 0"'

# ---- errors ----

fail 1 '--fold: is not for tensorsketch'                 rp-project -r map.ts --fold model
fail 1 '--recover: is not for tensorsketch'              rp-project -r map.ts --recover heart --sv-indices i model
fail 1 '--kernel rbf: is not for tensorsketch'           rp-project -m tensorsketch --kernel rbf -g 1 -k 3 heart
fail 1 '--frequencies'                                   rp-project -m tensorsketch --frequencies independent -k 3 heart
ok 'from a pipe'                                         'rp-project -m tensorsketch -k 3 heart x && cat heart | rp-project -m tensorsketch -k 3 | cmp - x'
fail 1 'broken: tensorsketch has no kernel rbf'          "sed '/^checksum/d; /^degree/d; /^coef0/d; s/polynomial/rbf/' map.ts >broken; crc=\$(gzip -c broken | tail -c 8 | od -An -tx4 -N4 | tr -d ' ');
	echo checksum \$crc >>broken; rp-project -r broken heart"
fail 1 'overflow'                                        'echo "1 1:1e200" | rp-project -m tensorsketch -g 1 -k 4'
fail 1 'only rbf has orthogonal frequencies'             rp-project -m rff --kernel laplace --frequencies orthogonal -k 3 heart
fail 1 'orthogonal frequencies are for 1 to 16384 features, not 16385' \
	rp-project -m rff --frequencies orthogonal -d 16385 -k 3 heart
ok 'beyond, independent by default' \
	'rp-project -m rff -g 1 -d 16385 -k 3 heart x && rp-project -m rff --frequencies independent -g 1 -k 3 heart | cmp - x'
fail 1 'feature 13 above 12'                             'head -n 1 heart | rp-project -m rff -k 3 -d 12'
fail 1 'standard input:1:7: feature 14 above 13'         'rp-project -q -m rff -k 3 -s map heart x; echo "1 1:1 14:1" | rp-project -r map'
fail 1 'feature 0 below 1'                               'echo "1 0:1" | rp-project -r map'
fail 1 '-g: -1 is not between'                           rp-project -m rff -g -1 -k 3 heart
fail 1 '-g: is not for rs'                               rp-project -m rs -g 1 -k 3 heart
fail 1 '--rank: is not for rff'                          rp-project -m rff --epsilon 0.5 --rank 3 heart
fail 1 '--kernel rbf is not for cw'                       rp-project --kernel rbf -k 3 heart
fail 1 '--kernel: expected one of rbf laplace'           rp-project -m rff --kernel tanh -k 3 heart
fail 1 'cannot use -r and -g simultaneously'             rp-project -r map -g 1 heart
fail 1 '--fold: is not for rff'                          rp-project -r map --fold model
fail 1 '--recover: is not for rff'                       rp-project -r map --recover heart --sv-indices i model
fail 1 '-k: is missing'                                  rp-project -m rff heart
fail 1 'overflow'                                        'echo "1 1:1e308 2:1e308" | rp-project -m rff -g 1e10 -d 2 -k 4'
while IFS='|' read -r change text; do
	fail 1 "$text" "sed '/^checksum/d; $change' map >broken; crc=\$(gzip -c broken | tail -c 8 | od -An -tx4 -N4 | tr -d ' ');
	echo checksum \$crc >>broken; rp-project -r broken heart"
done <<-'END'
	s/gamma .*/gamma -1/|broken:8: 'gamma' must be a number from 0
	s/features 13/features 0/|broken: orthogonal frequencies are for 1 to 16384 features, not 0
	s/kernel rbf/kernel laplace/|broken: only rbf has orthogonal frequencies
	/^gamma/d|broken:9: 'gamma' is missing
END

# ---- nystrom ----

# near_files A B LIMIT: numbers of svm-predict's output files, of the same lines
near_files()
{
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] && near "$1" "$2" "$3"
}
ok 'products with landmarks are kernel values' \
	'rp-project -m nystrom -g 0.2 -k 30 few z 2>err; cat err; rp-project -m nystrom -g 0.2 -k 30 -s map few x 2>err &&
	grep -x "columns 30" map && python3 -c "
import math
def rows(name):
    return [{int(j): float(v) for j, v in (f.split(\":\") for f in line.split()[1:])} for line in open(name)]
x, z = rows(\"few\"), rows(\"z\")
for a in range(30):
    for b in range(30):
        exact = math.exp(-0.2 * sum((x[a].get(j, 0) - x[b].get(j, 0)) ** 2 for j in range(1, 14)))
        got = sum(v * z[b].get(t, 0) for t, v in z[a].items())
        assert abs(got - exact) < 1e-9, (a, b, got, exact)"'
ok 'landmarks are drawn by the keys of rows' \
	'awk "{ print \$1, \"1:\" NR }" heart >numbered && rp-project -m nystrom -g 1e-6 -k 9 --seed 3 -s map numbered x 2>err; cat err
	rp-project -m nystrom -g 10 -k 9 --seed 3 -s map numbered x && sed -n "/^data/,\$p" map | sed "1d; \$d" | awk "{ print \$NF }" | sort -n >got &&
	python3 -c "
import sys
sys.path.insert(0, \"$TOP/test\")
from plain_projection import draw, first64
keys = sorted((first64(draw(3, 0x44, i, 0)), i) for i in range(270))[:9]
print(*sorted(i + 1 for _, i in keys), sep=\"\n\")" | cmp - got'
rp-project -m nystrom -g 0.1 -k 24 -s map wide whole
ok 'nystrom: any number of threads' \
	'for n in 1 2 3 7; do rp-project -m nystrom -g 0.1 -k 24 -s other --threads $n wide | cmp - whole &&
	cmp map other || exit; done'
ok 'nystrom: pipe, gzip, shards by a saved map' \
	'rp-project -r map <wide | cmp - whole && gzip -c wide | rp-project -r map | cmp - whole && rm -f shard.* &&
	split -n l/5 wide shard. && ls shard.?? | xargs -P 2 -I % rp-project -r map % %.out && cat shard.??.out | cmp - whole'
ok 'nystrom: --binary' \
	'rp-project -r map --binary wide | rp-project -m none | tr " " "\n" | sed "s/.*://" >a &&
	tr " " "\n" <whole | sed "s/.*://" | near a - 0'
ok 'rows that are the same have one column' \
	'yes "1 1:1 3:2" | head -n 50 >equal && rp-project -m nystrom -k 10 -g 1 equal x 2>err && cat err &&
	grep "k = 1, the rank of the kernel matrix of 10 landmarks" err && [ "$(sort -u x | tr ":" " " | awk "{ print \$1, \$2, sprintf(\"%.12g\", \$3) }")" = "1 1 1" ]'
ok 'gamma 0: one column' \
	'rp-project -q -m nystrom -k 10 -g 0 few x && cut -d " " -f 2- x | tr ":" " " | awk "{ if (\$1 != 1 || NF != 2 || sprintf(\"%.12g\", \$2) != 1) exit 1 }"'
ok 'more landmarks than rows' \
	'rp-project -m nystrom -g 0.5 -k 100 few x 2>err && cat err && grep "the data have 30 rows, fewer than -k 100" err'
ok 'nystrom: gamma is 1 / number of features' \
	'rp-project -m nystrom -k 5 heart a && rp-project -m nystrom -k 5 -g 0.07692307692307693 heart | cmp - a'
ok 'nystrom: --report' \
	'rp-project -m nystrom --kernel polynomial --degree 2 --coef0 1 -g 0.25 -k 3 --report r heart x && tr -d "[:space:]" <r |
	grep "\"seed\":1.*\"method\":\"nystrom\",\"columns\":3.*\"kernel\":\"polynomial\",\"gamma\":0.25,\"degree\":2,\"coef0\":1"'

# three rows of another cluster among 300: landmarks by leverage have one of them, uniform ones none
awk 'BEGIN { for (i = 0; i < 300; i++) printf "1 1:%g 2:%g\n", i % 17 / 17, i % 100 == 0 ? 9 : i % 13 / 13 }' >unequal
ok '--landmarks leverage: the small cluster' \
	'for seed in 1 2 3 4 5; do rp-project -q -m nystrom -g 0.05 -k 15 --seed $seed --landmarks leverage -s map unequal x &&
	rp-project -q -m nystrom -g 0.05 -k 15 --seed $seed --landmarks uniform -s other unequal x &&
	echo $(grep -c " 2 9$" map other); done | tee counts && ! grep "map:0" counts && grep "other:0" counts'
ok 'any number of threads' \
	'rp-project -q -m nystrom -g 0.1 -k 24 --landmarks leverage -s map wide whole && ! cmp map other &&
	for n in 1 2 3 7; do rp-project -q -m nystrom -g 0.1 -k 24 --landmarks leverage -s other --threads $n wide | cmp - whole &&
	cmp map other || exit; done'
ok 'equal rows, gamma 0, more landmarks than rows' \
	'rp-project -q -m nystrom -k 10 -g 1 --landmarks leverage equal x && rp-project -q -m nystrom -k 10 -g 0 --landmarks leverage wide x &&
	rp-project -m nystrom -k 100 -g 1 --landmarks leverage few x 2>err && grep "the data have 30 rows" err &&
	rp-project -q -m nystrom -k 100 -g 1 few | cmp - x'
ok 'gamma of leverage is 1 / number of features' \
	'rp-project -q -m nystrom -k 5 --landmarks leverage heart a && rp-project -q -m nystrom -k 5 --landmarks leverage -g 0.07692307692307693 heart | cmp - a'
fail 1 '--landmarks: expected one of'                      rp-project -m nystrom --landmarks all -k 3 heart
fail 1 '--landmarks leverage is not for rff'                rp-project -m rff --landmarks leverage -k 3 heart

# ---- --fold of landmarks: the chain's predictions by the folded model alone ----

# folds MAP TRAIN TEST: decision values of the chain and of the folded model agree
folds()
{
	rp-project -r "$1" "$2" z && randsvm-train -q -t 0 $4 z linear && rp-project -r "$1" --fold linear folded &&
		rp-project -r "$1" "$3" | svm-eval --scores - linear chain && svm-eval --scores "$3" folded direct &&
		near_files chain direct 1e-6
}
head -n 1000 a1a >train && tail -n 600 a1a >test
rp-project -m nystrom -g 0.03 -k 80 -s map.rbf train x
rp-project -m nystrom --kernel polynomial -g 0.05 --coef0 1 --degree 2 -k 80 -s map.poly train x
ok 'rbf'                        folds map.rbf train test
ok 'polynomial'                 folds map.poly train test
ok 'its kernel and landmarks'   'grep -x "kernel_type polynomial" folded && grep -x "degree 2" folded && grep -x "nr_sv 80 0" folded && grep -x "coef0 1" folded'
ok 'regression'                 folds map.rbf train test '-s 3 -p 0.2'
ok 'one-class'                  folds map.rbf train test '-s 2 -n 0.2'
svm-gen relevant -n 300 -d 8 -k 4 two_classes
awk '{ $1 = 1 + NR % 4; print }' two_classes >four
rp-project -m nystrom -g 0.2 -k 20 -s map.four four x
ok 'four classes'               folds map.four four two_classes
ok 'landmarks for each class but the last' 'grep -x "nr_sv 20 20 20 0" folded'
if command -v svm-predict >/dev/null; then
	ok 'svm-predict takes it' 'svm-predict four folded theirs && rp-project -r map.four four | svm-eval - linear by_chain && cmp by_chain theirs'
else
	skip 'no svm-predict'
fi

# ---- --certificate: errors of pairs, computed by other means ----

# certified KERNEL BOUND OPTIONS...: mean and largest error of the pairs that the seed names; BOUND is that of
# rff, nystrom or tensorsketch
certified()
{
	local kernel=$1 bound=$2
	shift 2
	rp-project "$@" --kernel "$kernel" -g 0.3 --certificate --report r few z >lines 2>err && cat lines &&
		python3 - "$kernel" "$bound" "$TOP/test" <<-'END'
			import json, math, sys
			sys.path.insert(0, sys.argv[3])
			from plain_projection import draw, first64, second64, unit
			def rows(name):
			    return [{int(j): float(v) for j, v in (f.split(":") for f in line.split()[1:])} for line in open(name)]
			def dot(a, b):
			    return sum(v * b.get(j, 0) for j, v in a.items())
			def kernel(a, b):
			    if sys.argv[1] == "polynomial":
			        return (0.3 * dot(a, b)) ** 3
			    d = [abs(a.get(j, 0) - b.get(j, 0)) for j in range(1, 14)]
			    return math.exp(-0.3 * (sum(d) if sys.argv[1] == "laplace" else sum(v * v for v in d)))
			x, z = rows("few"), rows("z")
			n, pairs = len(x), 100000
			seed = 0 if sys.argv[2] == "nystrom" else 1
			error = [[abs(kernel(a, b) - dot(c, d)) for b, d in zip(x, z)] for a, c in zip(x, z)]
			total = largest = bound = 0
			for p in range(pairs):
			    w = draw(seed, 0x45, p, 0)
			    i = int(unit(first64(w)) * n)
			    j = (i + 1 + int(unit(second64(w)) * (n - 1))) % n
			    total += error[i][j]
			    largest = max(largest, error[i][j])
			    if sys.argv[2] == "nystrom":
			        bound = max(bound, math.sqrt(error[i][i] * error[j][j]))
			    if sys.argv[2] == "tensorsketch":
			        bound = max(bound, math.sqrt(26 / 40 * kernel(x[i], x[i]) * kernel(x[j], x[j])))
			if sys.argv[2] == "rff":
			    bound = math.sqrt(4 * math.log(2 * pairs / 0.05) / (41 ** 2 / 42 if sys.argv[1] == "laplace" else 40))
			c = json.load(open("r"))["certificate"]
			print(c, total / pairs, largest, bound)
			assert c["pairs"] == pairs and (largest <= bound or sys.argv[2] == "tensorsketch")
			for key, value in ("mean_error", total / pairs), ("largest_error", largest), ("error_bound", bound):
			    assert abs(c[key] - value) < 1e-9 * value + 1e-12, key
		END
}
if command -v python3 >/dev/null; then
	ok 'certificate of rff'                    certified rbf rff -m rff -k 40
	ok 'certificate of laplace'                certified laplace rff -m rff -k 41
	ok 'certificate of nystrom'                certified rbf nystrom -m nystrom -k 9
	ok 'certificate of a polynomial kernel'    certified polynomial nystrom -m nystrom -k 9
	ok 'certificate of tensorsketch'           certified polynomial tensorsketch -m tensorsketch -k 40
else
	skip 'no python3'
fi
ok 'certificate of a map restored, of other rows' \
	'rp-project -r map.rbf --certificate test x >lines && cat lines && grep -x "pairs = 100000, columns = 80" lines'
ok 'certificate of all rows' \
	'rp-project -q -m nystrom -g 0.3 -k 30 --certificate few x | awk "/^error/ { exit !(\$NF < 1e-9) }"'
ok 'certificate of one row' 'head -n 1 few | rp-project -m rff --kernel laplace -g 1 -k 8 --certificate - x | grep "largest = [0-9.]*e-1[5-9]\|largest = 0$"'

fail 1 'of LIBLINEAR'"'"'s kind cannot be one with a kernel' \
	'rp-project -r map.rbf train z && randsvm-train -q -t 0 --model-format liblinear z weights && rp-project -r map.rbf --fold weights'
fail 1 'the map 20 columns: it was trained on other data'  'rp-project -r map.rbf train z && randsvm-train -q -t 0 z linear && rp-project -r map.four --fold linear'
ok 'standard input is read twice, a file or a pipe, plain or gzipped' \
	'for m in nystrom rff "nystrom --landmarks leverage" "rff --kernel laplace"; do
	rp-project -m $m -g 0.3 -k 3 heart x && rp-project -m $m -g 0.3 -k 3 <heart | cmp - x &&
	cat heart | rp-project -m $m -g 0.3 -k 3 | cmp - x && gzip -c heart | rp-project -m $m -g 0.3 -k 3 | cmp - x ||
	exit 1; done'
fail 1 '--kernel laplace: is not for nystrom'             rp-project -m nystrom --kernel laplace -k 3 heart
fail 1 '--epsilon: is not for nystrom'                    rp-project -m nystrom --epsilon 0.1 heart
fail 1 '--single: is not for nystrom'                     rp-project -m nystrom --single -k 3 heart
fail 1 '--degree: is not for nystrom'                     rp-project -m nystrom --degree 2 -k 3 heart
fail 1 '--frequencies orthogonal is not for nystrom'      rp-project -m nystrom --frequencies orthogonal -k 3 heart
fail 1 'rff has the kernels rbf and laplace alone'        rp-project -m rff --kernel polynomial -k 3 heart
fail 1 '--recover: is not for nystrom'                    rp-project -r map.rbf --recover heart --sv-indices i model
fail 1 '-d: is not for nystrom'                           rp-project -r map.rbf --fold linear -d 3
fail 1 'a weight is not finite' \
	'echo "1 4:1" | rp-project -q -m rs -k 2 -s map >x && printf "%s\n" "solver_type L2R_L2LOSS_SVC_DUAL" \
	"nr_class 2" "label 1 -1" "nr_feature 2" "bias -1" w 1.7e308 1.7e308 >large && rp-project -r map --fold large'
fail 1 'a kernel value of two landmarks is too large'     rp-project -m nystrom --kernel polynomial -g 1e200 -k 3 heart
fail 1 'all kernel values of the landmarks are 0'         rp-project -m nystrom --kernel polynomial -g 0 -k 3 heart
while IFS='|' read -r change text; do
	fail 1 "$text" "sed '/^checksum/d; $change' map.four >broken; crc=\$(gzip -c broken | tail -c 8 | od -An -tx4 -N4 | tr -d ' ');
	echo checksum \$crc >>broken; rp-project -r broken four"
done <<-'END'
	9s/ [0-9.e-]*$//|broken:9: expected 2 numbers, then pairs of an index and a value
	9s/ [0-9]* [0-9.e-]*$/ 9 1/|broken:9: features must ascend, to 8 at most
	9s/ [0-9]* [0-9.e-]*$/ 8 x/|broken:9:
	s/kernel rbf/kernel laplace/|nystrom has no kernel laplace
	s/features 8/features 7/|features must ascend, to 7 at most
END
