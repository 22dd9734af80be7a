# Libraries that are missing where the program runs: all that can be done without them is done, and the
# rest refused with the name of the library.
. "$TOP/test/helpers.bash"

if grep -q '"/' "$BUILD/libraries.h"; then
	skip 'the libraries are loaded by their paths'
	return
fi
zcat "$T/heart_scale.gz" >heart
zcat "$T/a1a.gz" | head -n 500 >a1a
randsvm-train -q heart model
echo old >kept

# each of them is an empty file here, which no program can load
mkdir broken
for file in $(sed -n 's/^#define [A-Z]*_FILES \(.*\)/\1/p' "$BUILD/libraries.h" | tr -d '",'); do
	[ "$file" = NULL ] || : >"broken/$file"
done
has() { grep -q "^#define $1_FILES \"" "$BUILD/libraries.h"; }
bare() { (LD_LIBRARY_PATH=broken "$@"); }

ok '--version fails for none of them' \
	'bare svm-eval --version >out && grep "^LIBSVM none, LIBLINEAR none, zlib [0-9.]*, BLAS none$" out &&
	grep "^inflating with zlib [0-9]" out'
ok 'predictions are the same'         'bare svm-eval -q heart model p1 && svm-eval -q heart model p2 && cmp p1 p2'
ok 'so are models'                    'for t in 0 1 2 3; do bare randsvm-train -q -t $t heart m1 &&
	randsvm-train -q -t $t heart m2 && cmp m1 m2 || exit; done'

# ---- LIBSVM, LIBLINEAR: refused where they are asked for ----

# refused NAME COMMAND...: the library cannot be loaded, and the command says so and leaves 'kept' alone
refused()
{
	! bare "${@:2}" >out 2>err && cat err && grep "^$2: .*cannot load $1\." err && [ ! -s out ] &&
		[ "$(cat kept)" = old ]
}
# proved FILE OPTION...: randsvm-train without LIBSVM finds an optimum, as it does with it
proved() { bare randsvm-train "${@:2}" "$1" m1 | tail -n 1 >own && grep "violators = 0" own; }
if has LIBSVM; then
	ok '--mode direct without LIBSVM' refused libsvm randsvm-train -q --mode direct heart kept
	ok '--mode reweight, likewise'    refused libsvm randsvm-train -q --mode reweight heart kept
	printf '+1 1:1 2:3\n-1 1:2 2:4\n+1 1:0\n' >few
	printf '1 1:1 2:3\n1 1:2 2:4\n' >one
	for s in 0 1 2 3 4; do
		ok "a few rows, -s $s"         proved few -s $s
		ok "a single class, -s $s" \
			"bare randsvm-train -q -s $s one m1 && svm-eval -q one m1 p1 && randsvm-train -q -s $s one m2 && svm-eval -q one m2 p2 && near p1 p2 1e-3"
	done
else
	skip 'there is no LIBSVM'
fi
if has LIBLINEAR; then
	ok 'fs-select -m l1 without LIBLINEAR' refused liblinear fs-select -q -m l1 -k 3 heart kept
else
	skip 'there is no LIBLINEAR'
fi

# ---- ISA-L: zlib unpacks ----

if has ISAL; then
	ok 'rows are unpacked by zlib'    'bare randsvm-train -q "$T/heart_scale.gz" m1 && randsvm-train -q heart m2 && cmp m1 m2'
	ok 'a part of a gzip file is said' \
		'head -c 3000 "$T/heart_scale.gz" >cut.gz && ! bare randsvm-train -q cut.gz m 2>err && cat err && grep "^randsvm-train: cut.gz: " err'
else
	skip 'ISA-L is not used'
fi

# ---- a BLAS: loops of our own ----

# alike COMMAND...: without it the command prints the same numbers, but for their last digits, and rows
# of 100 columns at most
alike()
{
	bare "$@" >own && "$@" >library && near <(filled 100 own) <(filled 100 library) 1e-9
}
if has BLAS; then
	for test in blas nystrom leverage_landmarks; do
		[ -x "$BUILD/test/test_$test" ] || continue
		ok "unit/$test without a BLAS"     "bare '$BUILD/test/test_$test'"
	done
	ok 'principal components'         alike rp-project -q -m pca -k 3 heart
	ok '... of more features'         alike rp-project -q -m pca -k 20 a1a
	ok 'landmarks'                    alike rp-project -q -m nystrom -g 0.1 -k 50 a1a
	for method in bss leverage rrqr lpsvm rfe; do
		ok "fs-select -m $method"      alike fs-select -q -m $method -k 4 heart
	done
	ok 'the geometry of rows'         'bare svm-eval --geometry heart >g1 && svm-eval --geometry heart >g2 && near g1 g2 1e-9'
	ok 'a search'                     'bare randsvm-grid -q -v 3 -log2c -1,3,2 -log2g -3,1,2 -out null -png null a1a >g1 &&
		randsvm-grid -q -v 3 -log2c -1,3,2 -log2g -3,1,2 -out null -png null a1a >g2 && cmp g1 g2'
	ok 'a linear model of many rows'  'bare randsvm-train -q -t 0 a1a m1 && randsvm-train -q -t 0 a1a m2 &&
		bare svm-eval -q --scores a1a m1 p1 && svm-eval -q --scores a1a m2 p2 && near p1 p2 1e-6'
else
	skip 'there is no BLAS'
fi
