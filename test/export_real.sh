# Programs and graphs of models of real data on whole test sets.  The data sets are not part of a
# release.  EXPORT_ROWS from the environment: train on so many rows, in place of a few.

. "$TOP/test/helpers.bash"
. "$TOP/test/export_helpers.bash"
need cc
need_data

# whole TEST MODEL: all rows in doubles, bit by bit, and in onnxruntime
whole()
{
	gzip -dc "$DATA/$1.gz" >test && svm-eval -q --export c "$2" m.c && known test &&
		svm-eval -q --scores rows "$2" told && cc -std=c99 -O1 -c m.c &&
		cc -O1 -o driver driver.c m.o -lm && ./driver rows told || return
	[ "$onnx_node" ] || return 0
	svm-eval -q --export onnx "$2" m.onnx && node run.js m.onnx rows >got && sed 1d told >expected &&
		near_expected
}

some() { gzip -dc "$DATA/$1.gz" | awk -v n="${EXPORT_ROWS:-$2}" 'NR <= n' >train; }

ok 'a9a'    'some a9a 1500 && randsvm-train -q -g 0.05 train model && whole a9a.t model'
ok 'letter' 'some letter.scale 2000 && randsvm-train -q -c 10 -g 2 train model && whole letter.scale.t model'
ok '20news, each class against the rest' \
	'some 20news-bydate 1000 && randsvm-train -q -t 0 --multiclass ovr train model && whole 20news-bydate.t model'
ok 'cadata, ranges and a regression of large coefficients' \
	'some cadata 1000 && rp-project -q -m scale -s ranges train | randsvm-train -q -s 3 -c 1e5 -p 3e4 - model &&
	svm-eval --chain chain ranges model && whole cadata chain'
