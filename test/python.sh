# The module randsvm of Python, as it is installed in the folder $INSTALLED.

if [ "$SANITIZE" ]; then
	skip 'a program without sanitizers cannot load it'
	return
fi

. "$TOP/test/helpers.bash"

learns=$(python_with sklearn)
python=${learns:-$(python_with numpy)}
if [ -z "$python" ]; then
	skip 'Python: no numpy'
	return
fi
where=$INSTALLED
[ "$where" != / ] || where=/usr
module=$(find "$where" -path '*-packages/randsvm/__init__.py' -printf '%h\n' 2>/dev/null | head -n 1)
module=${module%/randsvm}
if [ -z "$module" ]; then
	skip "Python: no module randsvm in ${INSTALLED#"$TOP"/}"
	return
fi

# where the library is not two folders above the module, as in Debian's layout, the loader is to find it
if [ "$INSTALLED" != / ] && [ ! -e "$module/../../librandsvm.so.0" ]; then
	LD_LIBRARY_PATH=$(find "$where" -name librandsvm.so.0 -printf '%h\n' | head -n 1)
	export LD_LIBRARY_PATH
fi

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" "$T/sinc" .

# check NAME...: functions of python_checks.py, without scikit-learn, which takes a second to load
mkdir without
echo 'raise ImportError' | tee without/sklearn.py >without/numpy.py
mkdir bare && mv without/sklearn.py bare
check() { PYTHONPATH=bare:$module "$python" -B "$TOP/test/python_checks.py" "$@"; }

# ---- the library ----

ok 'structs are those of the header' \
	'check declarations >sizes.c && ${CC:-cc} -I"$TOP/api" -o sizes sizes.c && ./sizes'
fail 1 'randsvm needs numpy'          env PYTHONPATH=without:"$module" "$python" -B -c 'import randsvm'
mkdir libraries && echo text >libraries/librandsvm.so.0
fail 1 'cannot load librandsvm.so.0'  'mkdir alone && cp -r "$module/randsvm" alone && LD_LIBRARY_PATH=libraries PYTHONPATH=bare:alone "$python" -B -c "import randsvm"'
ok 'a library of that name' \
	'echo "int other;" >other.c && ${CC:-cc} -shared -fPIC -o libraries/librandsvm.so.0 other.c'
fail 1 'has no function rsv_version'  'LD_LIBRARY_PATH=libraries check rows'

# ---- what it computes ----

ok 'rows'           check rows
ok 'errors'         check errors
ok 'interruption'   check interruption
ok 'overflow'       check overflow
ok 'memory'         check memory
ok 'pickles'        check pickles
ok 'model files'    check files
ok 'parameters'     check parameters
ok 'scalars'        check scalars
ok 'refusals'       check refusals
ok 'names'          check names
ok 'arguments'      check arguments
ok 'masks'          check masks
ok 'labels'         check labels
ok 'sparse arrays'  check sparse_damages
ok 'arrays of all kinds' \
	'PYTHONPATH=bare:$module "$python" -B "$TOP/test/python_matrix.py" --pairs'

# like the programs: the same bytes of models and predictions
like_train()
{
	check train a1a model "C=10, gamma=.01" && randsvm-train -q -c 10 -g .01 a1a theirs && cmp model theirs &&
		check predict model heart >ours && svm-eval -q heart theirs by_program && cmp ours by_program
}
ok 'randsvm-train, svm-eval'   like_train
ok '... a chain'               'rp-project -q -m scale -s ranges heart scaled && randsvm-train -q scaled m && svm-eval --chain chain ranges m &&
	check predict chain heart >ours && svm-eval -q heart chain by_program && cmp ours by_program'
ok '... values without ranges are told' \
	'check predict chain heart 2>told >ours && ! grep range told && sed "1s/$/ 40:1 41:2/; 3s/$/ 40:3/" heart >odd && check predict chain odd 2>told | cmp - ours &&
	grep "UserWarning: 3 values are left out: their features have no range in the chain" told && check predict m odd 2>told >ours && ! grep range told'
ok '... and features behind the last of a model' \
	'sed "s/$/ 40:1 41:2/" heart >odd && check predict m odd 2>told >ours && svm-eval -q odd m by_program && cmp ours by_program &&
	grep "UserWarning: the last feature is 41, the model.s is 13, and 540 values are behind it" told && check predict m heart 2>told >ours && ! grep behind told'
ok 'exports as svm-eval does' \
	'mkdir out && for file in m chain; do for kind in c c-float onnx; do svm-eval -q --export $kind $file x.out &&
	PYTHONPATH=bare:$module "$python" -B -c "import randsvm; randsvm.Model.read(\"$file\").export(\"out/x.out\", \"$kind\")" &&
	cmp x.out out/x.out || exit 1; done; done'
ok '... -s 3'                  'check train sinc model "gamma=.5, epsilon=.05" SVR && randsvm-train -q -s 3 -p .05 -g .5 sinc theirs && cmp model theirs'
ok '... -s 2'                  'check train heart model "nu=.3, gamma=.1" OneClassSVM && randsvm-train -q -s 2 -n .3 -g .1 heart theirs && cmp model theirs'
ok '... --multiclass ovr'      'check train three_class model "kernel=\"linear\", multi_class=\"ovr\"" && randsvm-train -q -t 0 --multiclass ovr three_class theirs && cmp model theirs'
ok '... -v'                    '[ "$(check validate heart "C=2, gamma=.1")" = "$(randsvm-train -q -v 5 -c 2 -g .1 heart)" ]'
ok 'search'                    check search
ok 'folds that are given'      check given_folds
ok 'rows far from 0'           check offsets
ok 'certificates of a model'   'randsvm-train -q -c 2 -g .1 heart theirs && check certify theirs heart'
ok 'rp-project'                'check project heart ours && rp-project -k 5 heart | sed s/^+// >theirs && cmp ours theirs'
trains() { PYTHONPATH=bare:$module "$python" -B "$TOP/test/python_training.py" "$@"; }
ok 'time_limit, callback'      trains ends
ok 'RANDSVM_CERTIFICATES'      trains certificates
maps() { PYTHONPATH=bare:$module "$python" -B "$TOP/test/python_maps.py" "$@"; }
ok 'maps of kernels'           maps values
# same_map KIND PARAMETERS OPTION...: rp-project with these options makes the bytes of the class
same_map()
{
	maps write "$1" "$2" && shift 2 &&
		rp-project "$@" -s theirs.map heart | sed s/^+// >theirs && cmp ours.map theirs.map && cmp ours theirs
}
ok '... rff'                   same_map RBFSampler 'gamma=.2, n_components=9, random_state=4' -m rff -g .2 -k 9 --seed 4
ok '... rff, laplace'          same_map RBFSampler 'kernel="laplace", gamma=.2' -m rff --kernel laplace -g .2 -d 13 -k 100
ok '... tensorsketch'          same_map PolynomialCountSketch 'degree=3, coef0=2, n_components=11' -m tensorsketch -g 1 --degree 3 --coef0 2 -d 13 -k 11
ok '... nystrom'               same_map Nystroem 'n_components=20, random_state=2' -m nystrom -k 20 --seed 2
ok '... nystrom, leverage'     same_map Nystroem '"poly", degree=2, landmarks="leverage", n_components=20' -m nystrom --kernel polynomial --degree 2 --coef0 1 --landmarks leverage -k 20
for n in $(seq 13); do echo "feature $n"; done >names
ok 'names of a choice are those of columns' '
	sed "s/.*/\"&\"  /" names >quoted && fs-select -q -m f -k 4 -s plain heart /dev/null && for file in names quoted; do for to in "" --renumber; do
		fs-select -q -m f -k 4 $to --names $file -s named heart /dev/null && fs-select -q -m f -k 4 $to -s plain heart /dev/null &&
		check names_of_choice named plain names || exit; done; done'
ok '... and of chains' '
	rp-project -q -m scale -s r heart | tee scaled | fs-select -q -m f -k 8 --renumber -s eight >x8 && fs-select -q -m f -k 8 --renumber --names names -s eight.names scaled x8
	fs-select -q -m f -k 5 --renumber -s five x8 x5; sed 1d <(fs-select -r eight.names --list) | sort -n | cut -d " " -f 4- >names8
	fs-select -q -m f -k 5 --renumber --names names8 -s five.names x8 x5; randsvm-train -q x5 m5
	svm-eval --chain plain.chain r eight five m5; svm-eval --chain c1 r eight.names five m5; svm-eval --chain c2 r eight five.names m5
	svm-eval --chain c3 r eight.names five.names m5; gzip -c c3 >c4
	check names_of_chain names plain.chain c1 c2 c3 c4 && ln -s c1 link && check names_of_chain names plain.chain link && check predict <(cat c1) heart >a && check predict c1 heart | cmp - a'
ok 'fs-select'                 '[ "$(check select heart)" = "$(fs-select -m f -k 4 -s saved heart /dev/null >/dev/null && check selected saved)" ]'
ok 'scaling'                   check scaling
ok 'folded maps'               check folding
ok 'reduced models'            check reducing
ok 'Shapley values'             check explaining
ok 'weights of rows' check weights
ok 'groups of rows' check groups
ok 'classes'                   check classes
ok 'maps and back'             check inverses
ok 'ends of trainings'         check ends
ok 'options of classes'        check options
ok 'linear machines'           check linear
ok 'docstrings'                check documented
ok 'callable kernels'          check kernels

# ---- the example of the page ----

ok 'python.md' \
	'awk "/^\`\`\`/ { inside = 0 } inside { print } /^\`\`\`python/ { inside = 1 }" "$TOP/doc/python.md" >example.py && [ -s example.py ] &&
	PYTHONPATH=bare:$module "$python" -B example.py a1a >said &&
	awk "/^the optimum is between/ { n += \$5 <= \$7 && \$7 - \$5 < 1e-3 * \$7 } END { exit n != 1 }" said && svm-eval a1a model &&
	awk "/^.'\''odd'\'' '\''even'\''. by/ { n += \$4 < \$6 / 3 } END { exit n != 1 }" said'

# ---- scikit-learn ----

if [ "$learns" ]; then
	learn() { PYTHONPATH=$module "$python" -B -W ignore "$TOP/test/python_sklearn.py" "$@"; }
	ok "scikit-learn's machines"   learn machines
	ok '... and their votes'       learn votes
	ok 'check_estimator()'         learn estimators
	ok "scikit-learn's messages"   learn messages
	grid() { PYTHONPATH=$module "$python" -B -W ignore "$TOP/test/python_search.py" "$@"; }
	ok 'GridSearchCV'              grid classes two_classes pipelines regressions splitters refusals contexts
	ok '... and what it leaves'    grid fallbacks
	ok 'patch_sklearn()'           learn drop_in
	ok "scikit-learn's weights"    learn weights
	ok 'workers of joblib'         learn workers
	printf '%s\n' 'import sys' 'from sklearn.svm import SVC' 'from sklearn.model_selection import GridSearchCV' \
		'print(sys.argv[1:], SVC.__module__, GridSearchCV.fit.__module__, __name__)' >program.py
	runs() { PYTHONPATH=$module:. "$python" -B -m randsvm "$@"; }
	ok 'python3 -m randsvm'                 '[ "$(runs program.py -x 1)" = "['\''-x'\'', '\''1'\''] randsvm._drop_in randsvm._shared __main__" ]'
	ok '... -m module'                      '[ "$(runs -m program -x)" = "['\''-x'\''] randsvm._drop_in randsvm._shared __main__" ]'
	ok '... --help'                         'runs --help | grep -F -q "script.py [argument]..."'
	fail 1 "cannot open 'none.py'"          runs none.py
	fail 1 'which script?'                  runs
	ok 'python-api.md is of the docstrings' \
		'PYTHONPATH=$module "$python" -B "$TOP/scripts/python_reference.py" >page && diff page "$TOP/doc/python-api.md"'
	if "$python" -c 'import pytest, sklearn; assert sklearn.__version__.startswith("1.2.")' 2>/dev/null; then
		ok "scikit-learn's tests"       'PYTHONPATH=$module "$python" -B -W ignore "$TOP/test/sklearn_stock.py"'
	else
		skip "scikit-learn's tests: no pytest, or other tests than those of scikit-learn 1.2"
	fi
else
	skip 'Python: no scikit-learn'
fi
