# The command lines of randsvm-train and svm-eval, as svm-train and svm-predict have theirs.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/heart_scale.gz" | head -n 100 >h100
randsvm-train -q h100 model

train_usage='Usage: randsvm-train [options] training_set_file [model_file]'
eval_usage='Usage: svm-eval [options] test_file model_file'

# ---- too few arguments: the usage on stdout, nothing on stderr, exit status 1 ----

ok 'no arguments'                     streams 1 "$train_usage" '' randsvm-train
ok 'options alone'                    streams 1 "$train_usage" '' randsvm-train -c 3
ok 'an option last: -c'               streams 1 "$train_usage" '' randsvm-train -c
ok 'an option last: -q'               streams 1 "$train_usage" '' randsvm-train -q
ok 'an option last: -h'               streams 1 "$train_usage" '' randsvm-train -h
ok 'usage | grep'                     'randsvm-train 2>&1 | grep -q "^Usage: "'
ok 'usage begins with Usage'          'randsvm-train | head -n 1 | grep -q "^Usage: "'
ok 'svm-eval: no arguments'           streams 1 "$eval_usage" '' svm-eval
ok 'svm-eval: one file'               streams 1 "$eval_usage" '' svm-eval h100
ok 'svm-eval: -b alone'               streams 1 "$eval_usage" '' svm-eval -b
ok 'svm-eval: -b 1 alone'             streams 1 "$eval_usage" '' svm-eval -b 1
ok 'svm-eval: -q alone'               streams 1 "$eval_usage" '' svm-eval -q

# svm-train's options and their arguments are named as it names them
option_lines() { "$1" | sed -n 's/^ *-/-/p' | sed -e 's/ *:.*//' -e 's/   *.*//' -e 's/, --quiet$//'; }
if command -v svm-train >/dev/null; then
	ok 'usage has the options of svm-train' \
		'option_lines randsvm-train >ours; option_lines svm-train >theirs; test -s theirs && ! grep -v -x -F -f ours theirs'
else
	skip 'svm-train is not installed'
fi

# ---- --help and --version ----

ok 'train --help'                     streams 0 "$train_usage" '' randsvm-train --help
ok 'train --version'                  streams 0 'LIBSVM ' '' randsvm-train --version
ok 'train --help, other options'      streams 0 "$train_usage" '' randsvm-train -q -c 3 --help h100
ok 'eval --help'                      streams 0 "$eval_usage" '' svm-eval --help
ok 'eval --version'                   streams 0 'LIBLINEAR ' '' svm-eval --version
ok '--version names the program'      'randsvm-train --version | head -n 1 | grep -q "^randsvm-train [0-9]"'
ok '--version names zlib and BLAS'    'randsvm-train --version | grep zlib | grep -q BLAS'
if grep -q 'GenuineIntel' /proc/cpuinfo && grep -q ' avx2 ' /proc/cpuinfo &&
	randsvm-train --version | grep -q DYNAMIC_ARCH; then
	ok 'kernels of OpenBLAS for this processor' 'randsvm-train --version | grep -E "Haswell|SkylakeX"'
	ok '... or those asked for' 'OPENBLAS_CORETYPE=Nehalem randsvm-train --version | grep Nehalem'
fi

# ---- libraries that are loaded when they are called, not when a program starts ----

# links_none: no program is linked with one of them
links_none()
{
	local program
	for program in randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen svm-convert; do
		readelf -d "$BIN/$program" >dynamic && grep -q 'NEEDED.*libc\.' dynamic || return
		! grep NEEDED dynamic | grep -E 'svm|linear|blas|lapack|gfortran|stdc|isal|json' || return
	done
}
ok 'linked with no such library'      links_none

# ---- --help and --version, misused ----

fail 1 'Unknown option: --help=x'     randsvm-train --help=x h100 m

# ---- unknown options ----

ok 'unknown letter'                   streams 1 '' 'Unknown option: -x' randsvm-train -x 1 h100 m
ok 'unknown letter before a file'     streams 1 '' 'Unknown option: -x' randsvm-train -x h100
ok 'unknown letter of a word'         streams 1 '' 'Unknown option: -j' randsvm-train -jump 1 h100 m
ok '-- alone'                         streams 1 "$train_usage" '' randsvm-train --
ok 'unknown name'                     streams 1 '' 'Unknown option: --nope' randsvm-train --nope h100 m
ok 'unknown name with a value'        streams 1 '' 'Unknown option: --nope=3' randsvm-train --nope=3 h100 m
ok 'a name cut short'                 streams 1 '' 'Unknown option: --mod' randsvm-train --mod direct h100 m
ok 'a name in capitals'               streams 1 '' 'Unknown option: --Mode' randsvm-train --Mode direct h100 m
ok '--=x'                             streams 1 '' 'Unknown option: --=x' randsvm-train --=x h100 m
ok 'svm-eval: unknown letter'         streams 1 '' 'Unknown option: -x' svm-eval -x 1 h100 model p
ok 'svm-eval: -v is not an option'    streams 1 '' 'Unknown option: -v' svm-eval -v h100 model p
ok 'svm-eval: unknown name'           streams 1 '' 'Unknown option: --nope' svm-eval --nope h100 model p
ok 'no model from all of these'       test ! -e m

# ---- the second character is the option ----

# models ARGUMENTS... / ARGUMENTS...: the same model, whichever way the options are written
models()
{
	local first=()
	while [ "$1" != / ]; do
		first+=("$1")
		shift
	done
	shift
	randsvm-train -q "${first[@]}" h100 m1 && randsvm-train -q "$@" h100 m2 && cmp m1 m2
}

ok '-cost 3 is -c 3'                  models -c 3 / -cost 3
ok '-cost 3 is not the default'       'randsvm-train -q -cost 3 h100 m; ! cmp -s m model'
ok '-shape 1 is -s 1'                 models -s 1 / -shape 1
ok '-verbose 5 is -v 5' \
	'randsvm-train -q -verbose 5 h100 >a && randsvm-train -q -v 5 h100 >b && grep Cross a && cmp a b'
ok '-- ends the options' \
	'cp h100 ./-q && randsvm-train -q -- -q -m && svm-eval -q -- -q -m -- && [ -s ./-m ] && [ -s ./-- ] &&
	rp-project -q -k 2 -- -q | cmp - <(rp-project -q -k 2 h100) && svm-fold -v 3 -f 1 --test -- -q >/dev/null &&
	svm-gen twonorm -n 5 -- -n && [ -s ./-n ]; r=$?; rm -f ./-q ./-m ./-- ./-n; exit $r'
for command in 'randsvm-train h100 /dev/null' 'svm-eval h100 model' 'rp-project -k 2 h100 /dev/null' 'fs-select -k 2 h100 /dev/null' \
	'svm-fold -v 3 -f 1 --test h100 /dev/null' 'svm-convert h100 /dev/null' \
	'randsvm-grid -log2c 0,0,1 -log2g 0,0,1 -out null -png null h100'; do
	ok "--quiet: ${command%% *}"    "${command/ / --quiet } >a 2>b && ${command/ / -q } 2>&1 >c | cmp - b && cmp a c"
done
fail 1 "randsvm-train: write '-q', not '-qz': options are not joined"  randsvm-train -qz h100 m
fail 1 "svm-eval: write '-q', not '-qz': options are not joined"       svm-eval -qz h100 model p
fail 1 "randsvm-train: write '-z', not '-zq': options are not joined"  randsvm-train -zq h100 m
fail 1 "rp-project: write '-q', not '-qz'"                             rp-project -qz -k 2 h100 m
ok '-qz as svm-train has it'            'randsvm-train --strict -qz h100 m && [ -s m ]; r=$?; rm -f m; exit $r'
ok '-quiet is -q'                     streams 0 '' '' randsvm-train -quiet h100 m
ok '-q takes no argument'             streams 0 '' '' randsvm-train -q -c 3 h100 m
ok '-q twice'                         streams 0 '' '' randsvm-train -q -q h100 m
ok '-w1 2 is -w+1 2'                  models -w1 2 / -w+1 2
ok '-w-1 2'                           'randsvm-train -q -w-1 2 h100 m; ! cmp -s m model'
ok '-w 2 is of class 0' streams 0 '' 'WARNING: class label 0 specified in weight is not found' randsvm-train -q -w 2 \
	h100 m
ok 'the last of an option counts'     models -c 5 / -c 3 -c 5
ok 'a value may begin with -'         models -t 1 -r -1 / -r -1 -t 1
ok '-g 0 is the default'              models -g 0 / -s 0
ok '1e1 is 10'                        models -c 1e1 / -c 10
ok '+2 is 2'                          models -c +2 / -c 2

# ---- long options ----

ok '--mode=direct' \
	'randsvm-train --mode=direct h100 m && ! randsvm-train --mode=direct h100 m | grep Objective'
ok '--mode direct' \
	'randsvm-train --mode direct h100 m && ! randsvm-train --mode direct h100 m | grep Objective'
ok '--name=V, --name V, -letter'      models --seed=3 --sample=40 -c 2 / -c 2 --seed 3 --sample 40
ok 'a value with ='                   'randsvm-train -q --report=a=b h100 m && test -s a=b'
fail 1 '--mode: expected one of exact paper reweight budget direct'   randsvm-train --mode nope h100 m
fail 1 '--mode=: expected one of'     randsvm-train --mode= h100 m
fail 1 '--report: needs a value'      randsvm-train --report
fail 1 '--strict=1: takes no value'   randsvm-train --strict=1 h100 m
fail 1 "options go before the file names: '--strict'"      randsvm-train h100 m1 --strict
fail 1 "options go before the file names: '--report=x'"    randsvm-train --strict h100 --report=x
fail 1 "options go before the file names: '--report=x'"    randsvm-train h100 --report=x
fail 1 "options go before the file names: '--scores'"      svm-eval h100 model p --scores
fail 1 "options go before the file names: '--help'"        randsvm-train h100 --help

# ---- numbers are read whole, or refused ----

rm -f m

fail 1 "-c: expected a number, got '1x'"           randsvm-train -c 1x h100 m
fail 1 "-c: expected a number, got 'abc'"          randsvm-train -c abc h100 m
fail 1 "-c: expected a number, got ''"             randsvm-train -c '' h100 m
fail 1 "-c: expected a number, got 'h100'"         randsvm-train -q -c h100 m
fail 1 "-c: expected a number, got 'nan'"          randsvm-train -c nan h100 m
fail 1 "-g: expected a number, got '1,5'"          randsvm-train -g 1,5 h100 m
fail 1 "-g: expected a number, got '--'"           randsvm-train -g -- h100 m
fail 1 "-r: expected a number, got '1 '"           randsvm-train -r '1 ' h100 m
fail 1 "-n: expected a number, got '.'"            randsvm-train -n . h100 m
fail 1 "-p: expected a number, got '0.1.'"         randsvm-train -p 0.1. h100 m
fail 1 "-m: expected a number, got '100MB'"        randsvm-train -m 100MB h100 m
fail 1 "-e: expected a number, got '1e'"           randsvm-train -e 1e h100 m
fail 1 "-s: expected an integer, got '1.0'"        randsvm-train -s 1.0 h100 m
fail 1 "-t: expected an integer, got '2x'"         randsvm-train -t 2x h100 m
fail 1 "-d: expected an integer, got '1e0'"        randsvm-train -d 1e0 h100 m
fail 1 '-d: 99999999999 is not between'            randsvm-train -d 99999999999 h100 m
fail 1 "-h: expected an integer, got 'no'"         randsvm-train -h no h100 m
fail 1 "-b: expected an integer, got ''"           randsvm-train -b '' h100 m
fail 1 "-v: expected an integer, got '2x'"         randsvm-train -v 2x h100 m
fail 1 "-w1x: expected an integer, got '1x'"       randsvm-train -w1x 3 h100 m
fail 1 "-w1: expected a number, got '3x'"          randsvm-train -w1 3x h100 m
fail 1 "-w99999999999"                             randsvm-train -w99999999999 3 h100 m
fail 1 '-k: 0 is not between'                      randsvm-train -k 0 h100 m
fail 1 "-k: expected an integer, got '1.5'"        randsvm-train -k 1.5 h100 m
fail 1 '--epsilon: 0 is not between'               randsvm-train --epsilon 0 h100 m
fail 1 '--delta: 2 is not between'                 randsvm-train --delta 2 h100 m
fail 1 '--sample: 0 is not between'                randsvm-train --sample 0 h100 m
fail 1 '--sample-factor: 1 is not between'         randsvm-train --sample-factor 1 h100 m
fail 1 '--max-iter: 0 is not between'              randsvm-train --max-iter 0 h100 m
fail 1 '--threads: 0 is not between'               randsvm-train --threads 0 h100 m
fail 1 "--threads: expected an integer, got 'all'" randsvm-train --threads all h100 m
fail 1 '--seed: expected an integer'               randsvm-train --seed -1 h100 m
fail 1 '--seed: expected an integer'               randsvm-train --seed ' -1' h100 m
fail 1 '--seed: expected an integer'               randsvm-train --seed 18446744073709551616 h100 m
ok     'the largest seed'                          randsvm-train -q --seed 18446744073709551615 h100 m1
fail 1 '-b: 2 is not between 0 and 1'              svm-eval -b 2 h100 model p
fail 1 "-b: expected an integer, got 'x'"          svm-eval -b x h100 model p
fail 1 '--threads: 1000 is not between'            svm-eval --threads 1000 h100 model p
ok     'no model from all of these'                test ! -e m -a ! -e p

# ---- what svm-train refuses ----

rm -f m

error() { streams 1 '' "ERROR: $1" randsvm-train "${@:2}" h100 m; }

ok '-s 5'                    error 'unknown svm type' -s 5
ok '-s -1'                   error 'unknown svm type' -s -1
ok '-t 5'                    error 'unknown kernel type' -t 5
ok '-t -1'                   error 'unknown kernel type' -t -1
ok '-d -1'                   error 'degree of polynomial kernel < 0' -t 1 -d -1
ok '-g -1'                   error 'gamma < 0' -g -1
ok '-g -1 is not for -t 0'   'randsvm-train -q -t 0 -g -1 h100 m; r=$?; rm m; exit $r'
ok '-t 5 before -g -1'       error 'unknown kernel type' -t 5 -g -1
ok '-g -1 before -m 0'       error 'gamma < 0' -m 0 -g -1
ok '-m 0 before -e 0'        error 'cache_size <= 0' -e 0 -m 0
ok '-e 0 before -c 0'        error 'eps <= 0' -c 0 -e 0
ok '-c 0 before -n 0'        error 'C <= 0' -s 4 -n 0 -c 0
ok '-n 0 before -h 2'        error 'nu <= 0 or nu > 1' -s 1 -h 2 -n 0
ok '-h 2 before -b 2'        error 'shrinking != 0 and shrinking != 1' -b 2 -h 2
ok '-b 2 before -n 1'        error 'probability != 0 and probability != 1' -s 1 -n 1 -b 2
ok '-c 0'                    error 'C <= 0' -c 0
ok '-c -1'                   error 'C <= 0' -c -1
ok '-c 0, SVR'               error 'C <= 0' -s 3 -c 0
ok '-n 0'                    error 'nu <= 0 or nu > 1' -s 1 -n 0
ok '-n 1.5'                  error 'nu <= 0 or nu > 1' -s 2 -n 1.5
ok '-n infeasible'           error 'specified nu is infeasible' -s 1 -n 1
# no_margin OPTION...: an error that names nu, and no model
no_margin()
{
	rm -f m
	streams 1 '' 'with nu = 0.1: what nu leaves of them overlaps' randsvm-train -q -s 1 -n 0.1 "$@" m && [ ! -e m ]
}
gzip -dc "$T/heart_scale.gz" >heart
ok '-n too small, linear'    no_margin -t 0 heart
ok '-n too small, sigmoid'   no_margin -t 3 heart
ok '-n too small, a class'   no_margin -t 0 "$T/three_class"
ok 'the old model stands'    'echo old >m; randsvm-train -q -s 1 -n 0.1 -t 0 heart m; echo old | cmp - m'
ok '-n too small, --mode direct' 'randsvm-train -q --mode direct -s 1 -n 0.1 -t 0 heart m && grep "^SV" m'
rm -f m
ok '-p -1'                   error 'p < 0' -s 3 -p -1
ok '-m 0'                    error 'cache_size <= 0' -m 0
ok '-e 0'                    error 'eps <= 0' -e 0
ok '-h 2'                    error 'shrinking != 0 and shrinking != 1' -h 2
ok '-b 2'                    error 'probability != 0 and probability != 1' -b 2
ok '-v 1'                    streams 1 '' "randsvm-train: n-fold cross validation: n must >= 2; try 'randsvm-train --help'" randsvm-train -v 1 h100
ok '-v 0'                    streams 1 '' "randsvm-train: n-fold cross validation: n must >= 2; try 'randsvm-train --help'" randsvm-train -v 0 h100
ok '-v -3, before the file'  streams 1 '' "randsvm-train: n-fold cross validation: n must >= 2; try 'randsvm-train --help'" randsvm-train -v -3 nofile
ok 'no such file'            streams 1 '' "can't open input file nofile" randsvm-train nofile
ok 'no such test file'       streams 1 '' "can't open input file nofile" svm-eval nofile model p
ok 'no such model'           streams 1 '' "can't open model file nomodel" svm-eval h100 nomodel p
ok 'a folder for a model'    streams 1 '' "can't open model file ." svm-eval h100 . p
ok 'no folder for the model' streams 1 '' "can't save model to file none/m" randsvm-train h100 none/m
ok 'one line says which and why' 'randsvm-train nofile 2>e; [ "$(cat e)" = "can'\''t open input file nofile: No such file or directory" ]'
ok 'no model from all of these'  test ! -e m -a ! -e p

# an -n or -p that is not used is not looked at, nor -c by one-class
ok '-n 2, C-SVC'             randsvm-train -q -n 2 h100 m1
ok '-p -1, C-SVC'            randsvm-train -q -p -1 h100 m1
ok '-c 0, one-class'         randsvm-train -q -s 2 -c 0 h100 m1

# ---- quiet ----

ok 'train -q'                streams 0 '' '' randsvm-train -q h100 m1
ok 'train -q --verbose'      'randsvm-train -q --verbose h100 m1 >out && test ! -s out'
ok 'train -q -v'             streams 0 'Cross Validation Accuracy = ' '' randsvm-train -q -v 5 h100
ok 'train -q -v, one line'   '[ "$(randsvm-train -q -v 5 h100 | wc -l)" = 1 ]'
ok 'eval -q'                 streams 0 '' '' svm-eval -q h100 model p1
ok 'without -q'              streams 0 'optimization finished' '' randsvm-train h100 m1
ok 'eval without -q'         streams 0 'Accuracy = ' '' svm-eval h100 model p1
ok 'no progress in a file'   streams 0 'Accuracy = ' '' svm-eval heart model p1

# input that takes its time: more than a pipe holds, so that the reader is there before it waits
slowly() { for n in 1 2 3 4 5; do cat heart; done; sleep 0.7; tail -n +51 heart; }
ok 'no progress in a file, even so'   'slowly | streams 0 "optimization finished" "" randsvm-train - m1'
ok '--progress' \
	'slowly | streams 0 "optimization finished" "reading: " randsvm-train --progress - m1'
ok '--progress is whole lines in a file' \
	'grep -x "randsvm-train: reading: [0-9]* MB, [0-9]* MB/s" stderr && ! grep -a "[[:cntrl:]]" stderr'
# a second of work on one core; with a sanitizer that is fewer pairs
n=150
[ "$SANITIZE" ] && n=60
svm-gen twonorm -n $((60 * n)) | awk -v n=$n '{ $1 = NR % n; print }' >many
ok '--progress counts pairs' \
	'randsvm-train -q --threads 1 --progress many m1 2>err; [ ! -s err ] &&
	randsvm-train --threads 1 --progress many m1 2>err >/dev/null; cat err;
	grep -x "randsvm-train: training: pair [0-9]* of $((n * (n - 1) / 2)).*" err'
ok '--progress -q'                    'slowly | streams 0 "" "" randsvm-train --progress -q - m1'
ok 'eval --progress'                  'slowly | streams 0 "Accuracy = " "predicting: " svm-eval --progress - model p1'

# ---- file names ----

mkdir -p sub/deep cwd
cp h100 sub/deep/data.txt
cp h100 sub/data
ok 'the model is in the current folder' \
	'(cd cwd; randsvm-train -q ../sub/deep/data.txt; files_are data.txt.model;
	same_files ../model data.txt.model)'
ok 'no model beside the data'             test ! -e sub/deep/data.txt.model
ok 'absolute names'                       '(cd cwd; randsvm-train -q "$PWD/../sub/data"; test -s data.model)'
ok 'no model with -v'                     '(cd sub/deep; randsvm-train -q -v 3 data.txt m; files_are data.txt)'
ok 'strict: options end at the first file' \
	'(cd cwd; rm -f ./*; randsvm-train --strict ../h100 -q >out; files_are out -q; test -s out;
	same_files ../model ./-q)'
ok 'strict: further arguments are ignored' \
	'(cd cwd; rm -f ./*; randsvm-train --strict -q ../h100 m -c 3 extra; files_are m; same_files ../model m)'
ok 'strict: so they are by svm-eval'       svm-eval --strict h100 model p1 extra -q
ok 'names with blanks' \
	'cp h100 "a b"; randsvm-train -q "a b" "m o"; same_files model "m o"; svm-eval "a b" "m o" "p o";
	test -s "p o"'
ok 'long names'                           'n=$(printf "%0240d" 1); cp h100 $n; randsvm-train -q $n && test -s $n.model'
fail 1 "can't open input file"            'randsvm-train -q "$(printf "%05000d" 1)" m'
fail 1 'File name too long'               'randsvm-train -q "$(printf "%05000d" 1)"'
fail 1 "can't save model to file"         'randsvm-train -q h100 "$(printf "%05000d" 1)"'
fail 1 "can't open input file"            randsvm-train -q '' m
fail 1 "can't save model to file"         randsvm-train -q h100 ''
ok 'control bytes in a name'              'streams 1 "" "can'"'"'t open input file a?b?c?: No such file" randsvm-train -q $'"'a\\nb\\033c\\r'"' m && [ "$(wc -l <stderr)" = 1 ]'
ok 'bytes in a name that are no UTF-8'    'streams 1 "" "can'"'"'t open input file ??a: No such file" svm-eval $'"'\\377\\303a'"' model'
ok 'UTF-8 in a name'                      'streams 1 "" "can'"'"'t open model file größe.模型: No such file" svm-eval h100 größe.模型'
ok 'a control byte for an option'         'streams 1 "" "Unknown option: -?" randsvm-train $'"'-\\033'"' h100 m'
ok 'svm-eval without an output file'      '(cd cwd; rm -f ./*; svm-eval ../h100 ../model | grep Accuracy; files_are)'
