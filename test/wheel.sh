# The wheel of the Python package, made of the library that is built, and what pip makes of it where
# there is no library of ours: in a folder of its own, in a venv.

. "$TOP/test/helpers.bash"

python=$(python_with 'pip, numpy')
if [ "$SANITIZE" ] || [ -z "$python" ]; then
	skip "a wheel: ${SANITIZE:+a program without sanitizers cannot load it}${SANITIZE:-no pip}"
	return
fi
library=$(find "$([ "$INSTALLED" = / ] && echo /usr || echo "$INSTALLED")" -name librandsvm.so.0 | head -n 1)
[ "$library" ] || { skip "a wheel: no library in ${INSTALLED#"$TOP"/}"; return; }

pip() { PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "$python" -m pip --no-cache-dir -q "$@"; }
offline='--no-index --no-deps'

ok 'pip wheel .'     'RANDSVM_LIBRARY=$library pip wheel $offline -w wheels "$TOP"'
ok 'one, for any Python 3 and a glibc' \
	'ls wheels && [ "$(ls wheels | grep -c "^randsvm-$(cat "$TOP/VERSION")-py3-none-manylinux_2_[0-9]*_$(uname -m).whl$")" = 1 ]'
ok 'with the library, types and licence' \
	'"$python" -m zipfile -l wheels/*.whl | awk "{ print \$1 }" | grep -c -x -E "randsvm/(librandsvm.so.0|py.typed|_machines.py)|.*/COPYING" | grep -x 4'
fail 1 'modules run where they are' 'RANDSVM_LIBRARY=$library pip install $offline --target edited -e "$TOP"'

# uses_it PYTHON: a machine of rows of text, by the library that is in the wheel, and no other
uses_it()
{
	env -u LD_LIBRARY_PATH PYTHONPATH="$2" "$1" -B - <<-'END'
		import os, randsvm
		from randsvm import _library
		assert os.path.dirname(_library.librandsvm._name) == os.path.dirname(randsvm.__file__)
		rows = randsvm.read_rows("heart")
		machine = randsvm.SVC(gamma=0.1).fit(rows)
		print(f"{(machine.predict(rows) == rows.labels).mean():.4f}", randsvm.__version__)
	END
}
gzip -dc "$T/heart_scale.gz" >heart
randsvm-train -q -g .1 heart model
right=$(svm-eval -q heart model said && paste -d ' ' said heart | awk '{ n += $1 == $2 + 0 } END { printf "%.4f", n / NR }')
right="$right $(cat "$TOP/VERSION")"
ok 'in a folder'     'pip install $offline --target alone wheels/*.whl && [ "$(uses_it "$python" alone)" = "$right" ]'
if "$python" -c 'import venv' 2>/dev/null; then
	# make install asks the first python3 where it looks below the prefix
	ok 'the folder of a venv, of a user, of Debian' \
		'"$python" -m venv --without-pip seen && [ "$(seen/bin/python "$TOP/scripts/python_folder.py" "$PWD/seen")" = "$(seen/bin/python -c "import sysconfig; print(sysconfig.get_path(\"purelib\"))")" ] &&
		[ "$("$python" "$TOP/scripts/python_folder.py" ~/.local)" = "$("$python" -m site --user-site)" ] && "$python" "$TOP/scripts/python_folder.py" "$("$python" -c "import sys; print(sys.prefix)")" | grep -q -x -F -f <("$python" -c "import sys; print(*filter(None, sys.path), sep=\"\n\")")'
	ok 'in a venv'   '"$python" -m venv --system-site-packages --without-pip v && pip --python v/bin/python install $offline wheels/*.whl &&
		[ "$(uses_it v/bin/python "")" = "$right" ] && v/bin/python -c "from importlib.metadata import version; print(version(\"randsvm\"))" | grep -q -x -f "$TOP/VERSION"'
	touch before
	# as it is said on the page, but for make, whose library this one is
	ok 'pip install .' 'RANDSVM_LIBRARY=$library pip --python v/bin/python install $offline --force-reinstall "$TOP" && uses_it v/bin/python "" && ! find "$TOP"/python "$TOP"/scripts -name __pycache__ -prune -o -type f -newer before -print | grep .'
	ok '... and out' 'pip --python v/bin/python uninstall -y randsvm && ! find v -name "*randsvm*" | grep .'
else
	skip 'a wheel in a venv: no module venv'
fi
