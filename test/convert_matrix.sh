# Matrices of NumPy, scipy and MatrixMarket as rows, judged by NumPy and scipy themselves.

. "$TOP/test/helpers.bash"

need svm-convert
numpy=$(python_with numpy)

# rows FILE OPTION...: the rows of a file, on one line
rows() (
	set -o pipefail
	svm-convert -q "${@:2}" "$1" | tr '\n' '|'
)
# gives ROWS FILE OPTION...: the rows of the file are these
gives()
{
	local got
	got=$(rows "${@:2}")
	echo "$got"
	[ "$got" = "$1" ]
}

# ---- MatrixMarket ----

mtx() { printf "%%%%MatrixMarket matrix $1\n%% a comment\n\n$2" >m.mtx; }

mtx 'coordinate real general' '3 4 4\n1 4 0.5\n3 2 -2e0\n1 1 1\n3 1 7\n'
ok 'coordinates'              gives '0 1:1 4:0.5|0|0 1:7 2:-2|' m.mtx --no-label
ok 'the label is a column'    gives '1 3:0.5|0|7 1:-2|' m.mtx -l 1
ok 'the last column'          gives '0.5 1:1|0|0 1:7 2:-2|' m.mtx -l -1
ok 'a pipe'                   'svm-convert -q -l 1 <m.mtx >piped; svm-convert -q -l 1 m.mtx | cmp - piped'
ok 'gzipped'                  'gzip <m.mtx >m.gz; svm-convert -q -l 1 m.gz | cmp - piped'
printf 'no\nyes\nno\n' >classes
ok 'names of classes'         gives '1 1:1 4:0.5|2|1 1:7 2:-2|' m.mtx --labels-of classes -s columns --labels labels
ok 'their list'               '[ "$(tr "\n" "|" <labels)" = "1 no|2 yes|" ]'
printf 'yes\nyes\nyes\n' >later
ok 'classes restored'         gives '2 1:1 4:0.5|2|2 1:7 2:-2|' m.mtx --labels-of later -r columns
printf '1.5\n\n-2\n7e1\n' >targets
ok 'targets'                  gives '1.5 1:1 4:0.5|-2|70 1:7 2:-2|' m.mtx --labels-of targets
printf '1\nNA\n2\n' >gaps
fail 1 "gaps:2: column '1': 'NA' is a missing label"       svm-convert --labels-of gaps m.mtx
ok 'a label that drops'       gives '1 1:1 4:0.5|2 1:7 2:-2|' m.mtx --labels-of gaps --missing drop
printf '1\n2\n' >few
printf '1\n2\n3\n4\n' >many
fail 1 'few: 2 labels, fewer than the rows of m.mtx'       svm-convert --labels-of few m.mtx
fail 1 'many: more labels than the 3 rows of m.mtx'        svm-convert --labels-of many m.mtx
fail 1 "'maybe' is none of the classes"                    'sed s/yes/maybe/ later >l; svm-convert -r columns --labels-of l m.mtx'
printf '%%%%MatrixMarket matrix coordinate real general\n9000000000000000 2 1\n1 1 1\n' >endless.mtx
fail 1 'endless.mtx:2: '    svm-convert --no-label endless.mtx
{ printf '\223NUMPY\1\0v\0'; printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (5000000000000, 0), }"; } >endless.npy
fail 1 'endless.npy: NumPy array: too many rows without columns' svm-convert --no-label endless.npy
mtx 'coordinate pattern symmetric' '3 3 2\n2 1\n3 3\n'
ok 'a pattern, symmetric'     gives '0 2:1|0 1:1|0 3:1|' m.mtx --no-label
mtx 'coordinate integer skew-symmetric' '2 2 1\n2 1 5\n'
ok 'skew-symmetric'           gives '0 2:-5|0 1:5|' m.mtx --no-label
mtx 'coordinate real general' '2 2 3\n1 2 5\n1 2 1\n2 2 0\n'
ok 'entries of one place'     gives '0 2:6|0|' m.mtx --no-label
mtx 'array real general' '2 3\n1\n2\n3\n4\n0\n6\n'
ok 'an array'                 gives '0 1:1 2:3|0 1:2 2:4 3:6|' m.mtx --no-label
mtx 'array real symmetric' '2 2\n1\n2\n3\n'
ok 'an array, symmetric'      gives '0 1:1 2:2|0 1:2 2:3|' m.mtx --no-label
mtx 'array real general' '2 2\n1\nnan\n3\n4\n'
fail 1 'm.mtx: row 2, column 1: a missing value (NaN)'     svm-convert --no-label m.mtx
ok 'missing: zero'            gives '0 1:1 2:3|0 2:4|' m.mtx --no-label --missing zero
ok 'missing: drop'            gives '0 1:1 2:3|' m.mtx --no-label --missing drop

# refused TEXT KIND BODY
refused() { mtx "$2" "$3"; fail 1 "$1" svm-convert --no-label m.mtx; }
refused 'm.mtx:5: outside of the matrix'                   'coordinate real general' '2 2 1\n3 1 5\n'
refused 'm.mtx:5: outside of the matrix'                   'coordinate real general' '2 2 1\n1 0 5\n'
refused 'm.mtx: 2 entries promised, 1 found'               'coordinate real general' '2 2 2\n1 1 5\n'
refused 'm.mtx:6: more lines than promised'                'coordinate real general' '2 2 1\n1 1 5\n1 2 5\n'
refused 'm.mtx:5: expected row, column and value'          'coordinate real general' '2 2 1\n1 1 x\n'
refused 'm.mtx:5: expected row and column'                 'coordinate pattern general' '2 2 1\n1 1 5\n'
refused 'm.mtx:5: not finite'                              'coordinate real general' '2 2 1\n1 1 inf\n'
refused 'm.mtx: too few numbers'                           'array real general' '2 2\n1\n2\n3\n'
refused 'm.mtx:4: symmetric, but not square'               'array real symmetric' '2 3\n1\n2\n3\n'
refused 'm.mtx:1: its numbers are complex'                 'coordinate complex general' '1 1 0\n'
refused 'm.mtx:1: its numbers are complex'                 'coordinate complex hermitian' '1 1 0\n'
refused 'm.mtx:1: its numbers are none of'                 'coordinate logical general' '1 1 0\n'
refused 'm.mtx:1: its symmetry is none of'                 'coordinate real diagonal' '1 1 0\n'
refused 'm.mtx:6: above the diagonal of a symmetric matrix' 'coordinate real symmetric' '2 2 2\n2 1 5\n1 2 5\n'
refused 'm.mtx:5: not below the diagonal of a skew matrix' 'coordinate real skew-symmetric' '2 2 1\n2 2 5\n'
refused 'm.mtx:5: not below the diagonal of a skew matrix' 'coordinate real skew-symmetric' '2 2 1\n1 2 5\n'
refused 'm.mtx: 2000000000 rows, and 3 entries: --force writes all' 'coordinate real general' '2000000000 2000000000 3\n1 1 1\n5 5 1\n2000000000 1 1\n'
mtx 'coordinate real general' '1000001 2 2\n1000001 1 1\n5 2 1\n'
fail 1 '1000001 rows, and 2 entries'  svm-convert --no-label m.mtx
ok 'empty rows by --force'    '[ "$(svm-convert --no-label --force m.mtx | grep -c "^0$")" = 999999 ]'
mtx 'coordinate real general' '1000000 2 2\n1000000 1 1\n5 2 1\n'
ok 'a million rows'           '[ "$(svm-convert --no-label m.mtx | tail -n 1)" = "0 1:1" ]'
mtx 'coordinate unsigned-integer general' '1 2 1\n1 2 7\n'
ok 'unsigned integers'        gives '0 2:7|' m.mtx --no-label
mtx 'coordinate integer hermitian' '2 2 1\n2 1 5\n'
ok 'hermitian integers'       gives '0 2:5|0 1:5|' m.mtx --no-label
refused 'm.mtx:4: expected rows, columns and entries'      'coordinate real general' '2 2\n'

# ---- options that are for tables ----

mtx 'array real general' '2 2\n1\n2\n3\n4\n'
fail 1 'where are the labels'                              svm-convert m.mtx
fail 1 'is not for a MatrixMarket file'                    svm-convert -l 1 --names n m.mtx
fail 1 'columns 1 to 2, and no names'                      svm-convert -l 3 m.mtx
fail 1 'columns 1 to 2, and no names'                      svm-convert -l y m.mtx
fail 1 '--missing mean is for tables'                      svm-convert -l 1 --missing mean m.mtx
fail 1 'these need --labels-of'                            svm-convert -l 1 -s s m.mtx
fail 1 'is not for a table of delimited text'              'printf "y,x\n1,2\n" >t; svm-convert --labels-of classes t'
fail 1 'm.mtx: NumPy array: it does not begin as one'      svm-convert --from npy -l 1 m.mtx

# ---- NumPy ----

if [ ! "$numpy" ]; then
	skip 'no NumPy'
	return
fi
cat >arrays.py <<'END_OF_PYTHON'
import sys, numpy as np
seed = int(sys.argv[1])
r = np.random.default_rng(seed)
types = ['<f2', '>f2', '<f8', '>f8', '<f4', '>f4', 'i1', '<i2', '>i2', '<i4', '>i4', '<i8', '>i8', 'u1', '<u2', '>u4', '<u8', '?']
for k, t in enumerate(types):
    n, d = r.integers(1, 50), r.integers(1, 9) if k != seed % 18 else 5000
    x = r.normal(size=(n, d)) * 50
    x[r.random((n, d)) < .3] = 0
    x = (np.abs(x) if 'u' in t else x).astype(t)
    if seed % 2:
        x = np.asfortranarray(x)
    np.lib.format.write_array(open('%d.npy' % k, 'wb'), x, version=(1 + seed % 3, 0))
    with open('%d.rows' % k, 'w') as f:
        for row in x:
            f.write('0' + ''.join(' %d:%.17g' % (j + 1, float(v)) for j, v in enumerate(row) if v != 0) + '\n')
END_OF_PYTHON
for seed in 1 2 3 4 5 6; do
	ok "NumPy's types and orders, $seed" \
		"$numpy arrays.py $seed && for k in {0..17}; do svm-convert -q --no-label --digits 17 \$k.npy got || exit 1
		rp-project -q -m none \$k.rows expected && rp-project -q -m none got again && cmp again expected || exit 1; done"
done
"$numpy" -c '
import numpy as np
np.save("x.npy", np.array([[1, 0, np.nan], [4, 5, 6.5]]))
np.save("y.npy", np.array([3, -1]))
np.save("text.npy", np.array(["a", "b"]))
names = ["b\"", "a", "b\"", "\u00e9\u20ac\U0001f600", ""]
np.save("unicode.npy", np.array(names)); np.save("big.npy", np.array(names, dtype=">U5"))
np.save("bytes.npy", np.array([n.encode() for n in names]))
np.savez("texts.npz", y=np.array(names)); np.savez_compressed("packed.npz", y=np.array(names))
open("texts.csv", "w").write("".join("\"%s\"\n" % n.replace("\"", "\"\"") for n in names))
np.save("digits.npy", np.array(["-1", "+1"]))
np.save("five.npy", np.arange(5.)); np.save("half.npy", np.array([[1.5, 6e-8], [65504, -2]], dtype="f2"))
np.save("bools.npy", np.array([True, False])); np.save("zero.npy", np.array([-0., 1.]))
np.save("long.npy", np.zeros((2, 2), dtype="g")); np.save("dates.npy", np.zeros(2, dtype="M8[D]"))
np.save("objects.npy", np.array([None, 1]))
np.save("deep.npy", np.zeros((2, 2, 2)))
np.save("complex.npy", np.zeros((2, 2), dtype="c16"))
np.save("inf.npy", np.array([[1, np.inf]])); np.save("inflabel.npy", np.array([1, np.inf]))
np.save("record.npy", np.zeros(3, dtype=[("a", "f8")]))
np.save("number.npy", np.float64(3))
np.savez("both.npz", X=np.array([[1, 2], [0, 4]]), y=np.array([7, 8]))
np.savez_compressed("one.npz", np.array([[1, 2], [0, 4]]))
np.savez("other.npz", A=np.zeros((2, 2)), B=np.zeros(2))'
ok 'labels in an array'       gives '3 1:1|-1 1:4 2:5 3:6.5|' x.npy --labels-of y.npy --missing zero
fail 1 'x.npy: row 1, column 3: a missing value (NaN)'     svm-convert --no-label x.npy
ok 'missing: drop'            gives '-1 1:4 2:5 3:6.5|' x.npy --labels-of y.npy --missing drop
fail 1 'row 1: the label is missing'                       svm-convert -l 3 --missing zero x.npy
ok 'from a pipe'              'svm-convert -q -l 1 --missing zero - <x.npy | grep -x "4 1:5 2:6.5"'
ok 'gzipped'                  'gzip <x.npy | svm-convert -q -l 1 --missing zero - | grep -x "4 1:5 2:6.5"'
fail 1 'of texts, labels alone are read'                   svm-convert --no-label text.npy
for file in unicode.npy big.npy bytes.npy texts.npz packed.npz; do
	ok "texts as labels, $file"  \
		"svm-convert -q --missing drop --labels-of texts.csv --labels names five.npy >e && svm-convert -q --missing drop --labels-of $file --labels labels five.npy | cmp - e && cmp labels names"
done
ok 'texts of digits'          gives '-1 1:1|1 1:4 2:5 3:6.5|' x.npy --labels-of digits.npy --missing zero
ok 'truth values'             gives '1 1:1|0 1:4 2:5 3:6.5|' x.npy --labels-of bools.npy --missing zero
ok 'a label of -0'            gives '0 1:1|1 1:4 2:5 3:6.5|' x.npy --labels-of zero.npy --missing zero
fail 1 'inflabel.npy: row 2: the label is not finite'      svm-convert --labels-of inflabel.npy --missing zero x.npy
ok 'half precision'           gives '5.960464477539063e-08 1:1.5|-2 1:65504|' half.npy -l 2
fail 1 "its type is 'f16': complex numbers, long doubles"                      svm-convert --no-label long.npy
fail 1 "its type is 'M8[D]'"                     svm-convert --no-label dates.npy
fail 1 "its type is 'O'"    svm-convert --no-label objects.npy
fail 1 'more than two dimensions'                          svm-convert --no-label deep.npy
fail 1 "its type is 'c16': complex"                      svm-convert --no-label complex.npy
fail 1 'row 1, column 2: not finite'                       svm-convert --no-label inf.npy
fail 1 'records of several fields'                         svm-convert --no-label record.npy
fail 1 'a number, no array'                                svm-convert --no-label number.npy
fail 1 'cut short'                                         'head -c 140 x.npy | svm-convert --no-label --missing zero -'
fail 1 'more bytes than'                                   '(cat x.npy; echo) | svm-convert --no-label --missing zero -'
ok 'X and y of an archive'    gives '7 1:1 2:2|8 2:4|' both.npz --labels-of both.npz
ok 'the only array'           gives '0 1:1 2:2|0 2:4|' one.npz --no-label
fail 1 "nor an array called 'X'"                           svm-convert --no-label other.npz
fail 1 'cannot be read from a pipe'                        'svm-convert --no-label <both.npz'

# ---- scipy ----

scipy=$(python_with scipy)
if [ ! "$scipy" ]; then
	skip 'no scipy'
	return
fi
cat >sparse.py <<'END_OF_PYTHON'
import sys, numpy as np, scipy.sparse as sp, scipy.io as io
seed = int(sys.argv[1])
r = np.random.default_rng(seed)
n, d = r.integers(1, 300), r.integers(1, 20000)
x = sp.random(n, d, density=r.random() * .05, format='csr', random_state=seed,
              data_rvs=lambda k: r.normal(size=k)).astype(['<f8', '<f4'][seed % 2])
x.data[r.random(x.nnz) < .1] = 0
if seed % 3 == 0:   # entries of a row in no order, some twice
    for i in range(n):
        p = r.permutation(np.arange(x.indptr[i], x.indptr[i + 1]))
        x.indices[x.indptr[i]:x.indptr[i + 1]] = x.indices[p]
        x.data[x.indptr[i]:x.indptr[i + 1]] = x.data[p]
    x.has_sorted_indices = False
sp.save_npz('x.npz', x, compressed=seed % 4 < 2)
for form in 'csc', 'coo', 'bsr':
    y = sp.coo_matrix((x.data, (np.repeat(np.arange(n), np.diff(x.indptr)), x.indices)), shape=x.shape) if form == 'coo' else x.asformat(form)
    if form == 'bsr':
        y = x.tobsr((3 if n % 3 == 0 else 1, 2 if d % 2 == 0 else 1))
    sp.save_npz(form + '.npz', y, compressed=seed % 2)
c = x.tocoo()
p = r.permutation(c.nnz)
io.mmwrite('x.mtx', sp.coo_matrix((c.data[p], (c.row[p], c.col[p])), shape=c.shape), precision=17)
with open('expected', 'w') as f:
    for i in range(n):
        row = sorted((j, v) for j, v in zip(x.indices[x.indptr[i]:x.indptr[i + 1]], x.data[x.indptr[i]:x.indptr[i + 1]]) if v)
        f.write('0' + ''.join(' %d:%.17g' % (j + 1, float(v)) for j, v in row) + '\n')
s = sp.random(40, 40, density=.1, random_state=seed)
s = s + s.T
io.mmwrite('s.mtx', s, symmetry='symmetric', precision=17)
s = s.tocsr()
with open('symmetric', 'w') as f:
    for i in range(40):
        f.write('0' + ''.join(' %d:%.17g' % (j + 1, v) for j, v in sorted(zip(s[i].indices, s[i].data))) + '\n')
END_OF_PYTHON
for seed in 1 2 3 4 5 6 7 8; do
	ok "sparse matrices, $seed" \
		"$scipy sparse.py $seed && for f in x.npz x.mtx csc.npz coo.npz bsr.npz; do svm-convert -q --no-label --digits 17 \$f got &&
		cmp got expected || exit 1; done; svm-convert -q --no-label --digits 17 s.mtx | cmp - symmetric"
done
"$scipy" -c '
import scipy.sparse as sp, numpy as np
x = sp.csr_matrix(np.arange(600.).reshape(20, 30))
sp.save_npz("csr.npz", x); sp.save_npz("csc.npz", x.tocsc()); sp.save_npz("dia.npz", sp.eye(3, format="dia")); sp.save_npz("bsr.npz", x.tobsr((5, 3))); sp.save_npz("coo.npz", x.tocoo()); sp.save_npz("stored.npz", x, compressed=False)'
fail 1 "csc.npz: sparse matrix: an entry beyond its shape"  '"$scipy" -c "
import numpy as np; d = dict(np.load(\"csc.npz\")); d[\"indices\"][3] = 20; np.savez(\"bad.csc.npz\", **d)"; svm-convert --no-label bad.csc.npz'
for form in bsr coo csc; do
	fail 1 'few.npz: sparse matrix: '  '"$scipy" -c "
import numpy as np; d = dict(np.load(\"'$form'.npz\")); d[\"data\"] = d[\"data\"][:-1]; np.savez(\"few.npz\", **d)"; svm-convert --no-label few.npz'
done
fail 1 'such as DIA: save X.tocsr()'                       svm-convert --no-label dia.npz
fail 1 'cut.npz: zip archive: cut short: it has no directory'   'head -c 1000 csr.npz >cut.npz; svm-convert --no-label cut.npz'
# a bit that is wrong, anywhere in the data
flip() { "$scipy" -c "
import sys, zipfile
b = bytearray(open('$1', 'rb').read()); z = zipfile.ZipFile('$1'); m = z.getinfo('data.npy')
b[m.header_offset + 30 + len('data.npy') + 20 + m.compress_size // 2] ^= 1
open('flipped.npz', 'wb').write(b)"; }
fail 1 'flipped.npz: zip archive: a member is damaged'     'flip csr.npz; svm-convert --no-label flipped.npz'
fail 1 "flipped.npz: zip archive: a member's checksum is wrong"  'flip stored.npz; svm-convert --no-label flipped.npz'

# ---- integers of more digits than a double holds ----

# rounded PLACE FILE OPTION...: a note tells of the first one, at this place; -: there is no note
rounded()
{
	local note
	note=$(svm-convert "${@:3}" "$2" 2>&1 >rows | grep "more digits than a double holds")
	echo "$note"
	[ "${note%%: \'*}" = "${1:+svm-convert: note: $1}" ] && [ -z "$(svm-convert -q "${@:3}" "$2" 2>&1 >rows)" ]
}
mtx 'coordinate integer symmetric' '3 3 2\n2 1 9007199254740992\n3 1 -9007199254740993\n'
ok 'coordinates, rounded'       rounded m.mtx:6 m.mtx --no-label
mtx 'array real general' '2 2\n1\n2\n9007199254740993\n9007199254740995\n'
ok 'an array, rounded'          rounded m.mtx:7 m.mtx -l 1
mtx 'array integer general' '2 2\n1\n2\n9007199254740994\n-18014398509481984\n'
ok 'an array, not rounded'      rounded '' m.mtx -l 1
printf '1\n-9007199254740995\n' >long
ok 'labels, rounded'            rounded "long:2: column '1'" m.mtx --labels-of long
if [ "$numpy" ]; then
	"$numpy" - <<'END'
import numpy as np
X = np.array([[1, 2**60, 3], [2**53 + 1, -2**63, 2**53 + 3]])
np.save("big", X)
np.save("columns", np.asfortranarray(X))
np.save("swapped", X.astype(">i8"))
np.save("negative", np.array([[1, 2], [3, -2**62 - 1]]))
np.save("unsigned", np.array([[1, 2**63], [2**64 - 1, 3]], np.uint64))
np.save("exact", np.array([[1, 2**53 + 2], [2**62, -2**63]]))
np.save("labels", np.array([7, 2**53 + 1]))
np.savez("archive", X=X)
np.save("many", np.where(np.arange(9000) == 8192, 2**53 + 1, 1).reshape(3000, 3))
END
	for name in big.npy columns.npy swapped.npy archive.npz; do
		ok "$name, rounded" rounded "$name: row 2, column 1" $name --no-label
	done
	ok 'negative, rounded'          rounded 'negative.npy: row 2, column 2' negative.npy --no-label
	ok 'unsigned, rounded'          rounded 'unsigned.npy: row 2, column 1' unsigned.npy --no-label
	ok 'behind those read at once'  rounded 'many.npy: row 2731, column 3' many.npy --no-label
	ok 'not rounded'                rounded '' exact.npy --no-label
	ok 'labels of an array'         rounded 'labels.npy: number 2' exact.npy --labels-of labels.npy
fi
scipy=$(python_with scipy)
if [ "$scipy" ]; then
	"$scipy" - <<'END'
import numpy as np, scipy.sparse as sparse
X = np.array([[1, 0, 2**53 + 1], [0, 3, 4]])
for form in "csr", "csc", "coo":
    sparse.save_npz(form, getattr(sparse, form + "_matrix")(X))
END
	ok 'csr, rounded'               rounded 'csr.npz: number 2' csr.npz --no-label
	ok 'csc, rounded'               rounded 'csc.npz: number 3' csc.npz --no-label
	ok 'coo, rounded'               rounded 'coo.npz: number 2' coo.npz --no-label
fi
