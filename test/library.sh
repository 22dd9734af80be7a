# The library, as a program meets it: by what is installed in the folder $INSTALLED alone.  The
# programs of doc/library.md are built in C and C++, shared and static, and agree with ours.

if [ "$SANITIZE" ]; then
	skip 'a program without sanitizers cannot load it'
	return
fi

. "$TOP/test/helpers.bash"

need pkg-config randsvm-train svm-eval

# the root of the machine itself is searched where packages put things
where=$INSTALLED
[ "$where" != / ] || where=/usr
PKG_CONFIG_LIBDIR=$(find "$where" -name randsvm.pc -printf '%h\n' 2>/dev/null | head -n 1)
if [ -z "$PKG_CONFIG_LIBDIR" ]; then
	skip "no librandsvm in ${INSTALLED#"$TOP"/}"
	return
fi
libdir=${PKG_CONFIG_LIBDIR%/pkgconfig}
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR=${INSTALLED%/}
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
CC=${CC:-cc}

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/a9a.t.gz" | head -n 3000 >a.t
cp "$T/three_class" .

ok 'version' '[ "$(pkg-config --modversion randsvm)" = "$(sed "s/-.*//" "$TOP/VERSION")" ]'

# ---- what it exports ----

# functions_of FILE: names of the functions that the header declares, macros left out
functions_of()
{
	$CC -E -P "$1" | tr '\n' ' ' | grep -o -E '\<rsv_[a-z_]+\(' | tr -d '(' | sort -u
}
header=$(find "$where" -name randsvm.h -path '*include*' | head -n 1)
ok 'shared: the functions of the header, and no more' \
	'diff <(nm -D --defined-only "$libdir/librandsvm.so.0" | awk "\$3 ~ /^rsv/ { sub(/@.*/, \"\", \$3); print \$3 }" | sort) \
	<(functions_of "$header")'
ok 'shared: nothing else' \
	'! nm -D --defined-only "$libdir/librandsvm.so.0" | grep -v -E " (rsv_[a-z_]+(@@RANDSVM_0)?|RANDSVM_0)$"'
ok 'static: the same functions' \
	'diff <(nm -g --defined-only "$libdir/librandsvm.a" | awk "NF == 3 { print \$3 }" | sort) <(functions_of "$header")'
ok 'its soname'  'objdump -p "$libdir/librandsvm.so.0" | grep -x -E " *SONAME +librandsvm.so.0"'

# ---- the programs of the page ----

# block NAME: the program of doc/library.md that begins with a comment of its name
block() { awk -v name="/* $1 */" '/^```/ { inside = 0 } $0 == name { inside = 1 } inside' "$TOP/doc/library.md" >"$1"; [ -s "$1" ]; }

# built NAME: by $CC against what is installed
built()
{
	# shellcheck disable=SC2046
	$CC -Wall -Wextra -Werror -o "$1" "$1.c" $(pkg-config --cflags --libs randsvm) -Wl,-rpath,"$libdir"
}
for program in train predict reduce strings; do
	ok "$program.c"     block $program.c
	ok "$program"       built $program
done
ok 'train: the model of randsvm-train' \
	'./train a1a model && randsvm-train -q -c 10 -g .01 a1a theirs && cmp model theirs'
ok 'train: bounds of the optimum' \
	'./train a1a model | awk "/^1 against -1/ { exit !(\$8 <= \$10 && \$10 - \$8 < 1e-3 * \$10) } { exit 1 }"'
ok 'train: each pair'    '[ "$(./train three_class m3 | wc -l)" = 3 ]'
ok 'predict'             './predict model <a.t >ours && svm-eval -q a.t model predicted && cmp ours predicted'
ok 'predict: gzipped'    'gzip <a.t | ./predict model | cmp - predicted'
ok 'predict: a chain, as svm-eval' \
	'rp-project -q -m scale -s ranges a1a scaled && rp-project -q -m rff -g .05 -k 40 -s map scaled | randsvm-train -q -t 0 - small &&
	svm-eval --chain chain ranges map small && ./predict chain <a.t >ours && svm-eval -q a.t chain by_chain && cmp ours by_chain'
cp "$T/heart.csv" . && svm-convert -q -l heart -s columns heart.csv heart.rows && randsvm-train -q heart.rows heart.model
fail 1 'heart.chain: a chain that begins with columns of a table' \
	'svm-eval --chain heart.chain columns heart.model && ./predict heart.chain <heart.rows'
ok 'reduce'              './reduce a1a >lines && [ "$(grep -c % lines)" = 2 ] &&
	awk -F": " "{ if (!(\$2 > 70)) exit 1 }" lines'
ok 'strings'             'awk "BEGIN { srand(1); for (k = 0; k < 600; k++) { t = \"\"; while (length(t) < 8) t = t substr(k % 2 ? \"abcd\" : \"cdef\", int(4 * rand()) + 1, 1); print k % 2, t } }" | ./strings >lines &&
	awk "{ exit !(\$1 > .95 * \$3 && \$(NF - 3) < \$(NF - 1) / 3) }" lines'
fail 1 'usage: train'                 ./train
fail 1 'nowhere: No such file'        ./train nowhere m
fail 1 'Wrong input format at line 1' 'echo "1 1:x" | ./predict model'
echo '1 0:1 1:1 2:0
2 0:2 1:0 2:1' >gram
fail 1 'rows have 1 kernel values'    'randsvm-train -q -t 4 gram of_gram && echo "1 1:1" | ./predict of_gram'
ok 'no model was left' '! ./train nowhere none && [ ! -e none ]'
ok 'static' \
	'$CC -o static train.c $(pkg-config --cflags randsvm) "$libdir/librandsvm.a" $(pkg-config --static --libs-only-l randsvm | sed s/-lrandsvm//) &&
	./static a1a m && cmp m model'
ok 'static: it hides its own names' \
	'echo "void mem_free(void *p) { (void)p; } int error_memory(void) { return 0; }" >names.c &&
	$CC -o hidden train.c names.c $(pkg-config --cflags randsvm) "$libdir/librandsvm.a" -lz -lm -ldl -lpthread && ./hidden a1a m && cmp m model'
if command -v c++ >/dev/null; then
	ok 'C++' \
		'printf "#include <randsvm.h>\nint main() { rsv_training t; rsv_training_init(&t); return t.degree != 3; }\n" >c.cc &&
		c++ -Wall -Wextra -Werror -o cc c.cc $(pkg-config --cflags --libs randsvm) -Wl,-rpath,"$libdir" && ./cc'
	ok 'C++: a program of the page' \
		'sed "s/to.predicted = malloc/to.predicted = (double *)malloc/; s/= arg;/= (struct job *)arg;/" predict.c >predict.cc &&
		c++ -o predict++ predict.cc $(pkg-config --cflags --libs randsvm) -Wl,-rpath,"$libdir" && ./predict++ model <a.t | cmp - predicted'
else
	skip 'C++: no compiler'
fi
