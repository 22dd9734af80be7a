# Rows in other formats, one class against the rest, and indices from 0.

. "$TOP/test/helpers.bash"

need svm-convert rp-project

printf 'sex,age,"the ""dose""",outcome\nf,41,1.5,good\nm,37,,"not, good"\nf,82,2e-1,good\nm,0,3,bad\n' >patients
svm-convert -q -l outcome --missing mean -s columns patients rows

# lines TEXT COMMAND...: its output, with | for line ends, is the text
lines()
{
	local got
	got=$(set -o pipefail; "${@:2}" | tr '\n' '|')
	echo "$got"
	[ "$got" = "$1" ]
}

# ---- formats ----

ok 'CSV'                      lines 'label,sex=f,sex=m,age,"the ""dose"""|good,1,0,41,1.5|"not, good",0,1,37,1.5666666666666667|good,1,0,82,0.2|bad,0,1,0,3|' \
	svm-convert -q -r columns --to csv patients
ok 'and read again'           'svm-convert -q -r columns --to csv patients | svm-convert -q -l label | cmp - rows'
ok 'no labels'                lines 'x1,x2,x3|1,0,2|0,0,0|' eval 'printf "1 1:1 3:2\n2\n" | svm-convert --to csv --no-label'
ok 'digits'                   lines 'label,x1|1,0.33|' eval 'printf "1 1:.333333\n" | svm-convert --to csv --digits 2'
for format in npy mtx; do
	ok "$format and back"         "svm-convert -q --to $format rows m && svm-convert -q -l 1 m | cmp - rows"
	ok "$format, no labels"       "svm-convert -q --to $format --no-label rows m && svm-convert -q --no-label m |
		cmp - <(sed 's/^[0-9]*/0/' rows)"
	ok "$format of a table"       "svm-convert -q -r columns --to $format patients m && svm-convert -q -l 1 m | cmp - rows"
	ok "$format of real data"     "svm-convert -q --to $format $T/a1a.gz a1a.m && svm-convert -q -l 1 a1a.m |
		cmp - <(zcat $T/a1a.gz | sed 's/^+//' | rp-project -q -m none -)"
	ok "$format, compressed"      "svm-convert -q --to $format -z rows m.gz && svm-convert -q -l 1 m.gz | cmp - rows"
	fail 1 'No space left'        svm-convert -q -l 1 --to $format a1a.m /dev/full
done
ok 'binary and back'          'svm-convert --binary rows b && svm-convert b | cmp - rows'
ok 'no rows'                  '! svm-convert --no-label --to npy /dev/null'
fail 1 'cannot use'           svm-convert --to npy --binary rows

numpy=$(python_with numpy)
if [ "$numpy" ]; then
	ok 'as NumPy reads it'        "svm-convert -q --to npy rows m.npy && $numpy -c '
import numpy as np
x = np.load(\"m.npy\")
e = np.zeros((4, 5))
for i, l in enumerate(open(\"rows\")):
    w = l.split()
    e[i, 0] = float(w[0])
    for p in w[1:]:
        e[i, int(p.split(\":\")[0])] = float(p.split(\":\")[1])
assert x.dtype == np.float64 and (x == e).all()'"
else
	skip 'no NumPy'
fi
scipy=$(python_with scipy.io)
if [ "$scipy" ]; then
	ok 'as scipy reads it'        "svm-convert -q --to mtx rows m.mtx && svm-convert -q --to npy rows m.npy && $scipy -c '
import numpy as np, scipy.io
assert (scipy.io.mmread(\"m.mtx\").toarray() == np.load(\"m.npy\")).all()'"
else
	skip 'no scipy'
fi

# ---- one class against the rest ----

ok 'a name'                   lines '1 good|-1 not good|' eval 'svm-convert -q -r columns --positive good --labels l patients >p; cat l'
ok 'its rows'                 'cmp p <(awk "{ \$1 = \$1 == 2 ? 1 : -1 } 1" rows)'
ok 'a number'                 'svm-convert -q --positive 2 rows | cmp - p'
ok 'in CSV'                   lines '1|-1|1|-1|' eval 'svm-convert -q -r columns --positive good --to csv patients | sed 1d | cut -d , -f 1'
ok 'of none'                  'svm-convert --positive 9 rows 2>&1 >/dev/null | grep "no row is of the class .9."'
fail 1 "there is no class 'fair'"  svm-convert -q -r columns --positive fair patients
fail 1 "there is no class '2'"     svm-convert -q -r columns --positive 2 patients
fail 1 "there is no class 'good'"  svm-convert -q --positive good rows
printf 'a\nb\na\nc\n' >classes
ok 'of a matrix'              'svm-convert -q --to npy --no-label rows m && svm-convert -q --labels-of classes --positive a m |
	cmp - <(awk "{ \$1 = NR % 2 ? 1 : -1 } 1" rows)'

# ---- indices from 0 ----

printf '1 0:5 3:6\n-1\n' >zero
ok 'in'                       lines '1 1:5 4:6|-1|' svm-convert --zero-based in zero
ok 'out'                      lines '1 0:5 3:6|-1|' eval 'svm-convert --zero-based in zero | svm-convert --zero-based out'
ok 'both'                     lines '1 0:5 3:6|-1|' svm-convert --zero-based both zero
ok 'as they are'              lines '1 0:5 3:6|-1|' svm-convert zero
ok 'in, to CSV'               lines 'label,x1,x2,x3,x4|1,5,0,0,6|-1,0,0,0,0|' svm-convert --zero-based in --to csv zero
ok 'of a table'               'svm-convert -q -r columns --zero-based out patients | svm-convert --zero-based in | cmp - rows'
fail 1 'feature 0 below 1'    svm-convert --to csv zero
fail 1 'feature 0 below 1'    svm-convert --zero-based out zero
fail 1 'above 2147483646'     'echo 1 2147483647:1 | svm-convert --zero-based in'
fail 1 'is not for a table'   svm-convert -r columns --zero-based in patients
fail 1 'is for --to svmlight' svm-convert --zero-based out --to csv rows
