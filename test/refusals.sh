# What one front refuses all refuse: the table test/refusals, at programs, the C library, Python and
# LIBSVM's interface.

if [ "$SANITIZE" ]; then
	skip 'a program without sanitizers cannot load the libraries'
	return
fi

. "$TOP/test/helpers.bash"

python=$(python_with numpy)
where=$INSTALLED
[ "$where" != / ] || where=/usr
module=$(find "$where" -path '*-packages/randsvm/__init__.py' -printf '%h\n' 2>/dev/null | head -n 1)
module=${module%/randsvm}
if [ -z "$python" ] || [ -z "$module" ]; then
	skip 'no numpy, or no module randsvm that is installed'
	return
fi

if [ "$INSTALLED" != / ] && [ ! -e "$module/../../librandsvm.so.0" ]; then
	LD_LIBRARY_PATH=$(find "$where" -name librandsvm.so.0 -printf '%h\n' | head -n 1)
	export LD_LIBRARY_PATH
fi

# scikit-learn takes a second to load
mkdir bare files && echo 'raise ImportError' >bare/sklearn.py

# tries TABLE FRONT: the cells of a front
tries()
{
	PYTHONPATH=bare:$module "$python" -B "$TOP/test/refusals.py" "$1" "files" "$2"
}

ok 'programs'            tries "$TOP/test/refusals" program
ok 'the C library'       tries "$TOP/test/refusals" call
ok 'Python'              tries "$TOP/test/refusals" python
ok "LIBSVM's interface"  tries "$TOP/test/refusals" shim

# the driver tells what a front takes that the table refuses, and the other way round
wrong='ARGUMENT | randsvm-train -q two m | train("two") | SVC().fit(*two) | train("two") |'
echo "$wrong" >taken
echo 'OK | randsvm-train -q -c 0 two m | train("two", C=0) | SVC(C=0).fit(*two) | train("two", C=0) |' >refused
for front in program call python shim; do
	fail 1 'NOT 1'  tries taken $front
	fail 1 'NOT 1'  tries refused $front
done
