# doc/shards.md: what it shows is run, shards joined are the whole, and its warnings are true.

. "$TOP/test/helpers.bash"
. "$TOP/test/examples.bash"
need awk

page=$TOP/doc/shards.md

# ---- the examples ----

# moreutils has another program of that name
if parallel --version 2>/dev/null | grep -q GNU; then
	export PARALLEL=--will-cite PARALLEL_HOME=$PWD/parallel
	mkdir parallel
	examples doc/shards.md markdown_examples
else
	skip 'GNU parallel is not installed'
fi

# ---- what Hadoop and Spark start ----

mkdir pipes && cd pipes || exit 1
for program in rp-project fs-select svm-eval; do
	ln -s "$(command -v "$program")" .
done
gzip -dc "$T/a9a.gz" | head -n 4000 >rows
gzip -dc "$T/a9a.t.gz" | head -n 3000 >test
rp-project -q -m scale -l 0 -s ranges rows scaled
fs-select -q -k 20 -s chosen rows chosen.rows
randsvm-train -q rows a9a.model >/dev/null
markdown_examples "$page" | sed -n '/accuracy.awk <</,/^> END$/ { /^> END$/!s/^> //p }' >accuracy.awk
markdown_examples "$page" | sed -n '/extremes.awk <</,/^> END$/ { /^> END$/!s/^> //p }' >extremes.awk

# hadoop_jobs: one a line: input, mapper and reducer, with bars between
hadoop_jobs()
{
	markdown_examples "$page" | sed -e ':a' -e '/\\$/ { N; s/ *\\\n */ /; ba' -e '}' | awk '
		function option(name,   value) {
			if (!match($0, name " ('\''[^'\'']*'\''|[^ ]*)"))
				return ""
			value = substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1)
			gsub(/'\''/, "", value)
			return value
		}
		/^hadoop jar/ { print option("-input") "|" option("-mapper") "|" option("-reducer") }'
}

spark_jobs()
{
	markdown_examples "$page" | sed -n 's/^sc.textFile("\(.*\)").pipe("\(.*\)").saveAsTextFile(.*/\1|\2/p'
}

# mapped INPUT COMMAND: the outputs of COMMAND for three shards and an empty one, joined
mapped()
{
	local shard
	rm -f shard.*
	command split -n l/3 "$1" shard.
	: >shard.ab-empty
	for shard in shard.*; do
		PATH=.:$PATH $2 <"$shard" || return
	done
}

# named_once: without further lines of names
named_once() { awk '/^label/ && NR > 1 { next } { print }'; }

# whole_from_shards INPUT COMMAND: they are what one process makes of the whole
whole_from_shards()
{
	mapped "$1" "$2" | named_once >joined
	[ "${PIPESTATUS[0]}" = 0 ] && PATH=.:$PATH $2 <"$1" >whole && same_files whole joined
}

# reduced INPUT MAPPER REDUCER: what the reducer makes of sorted lines with a tab at their ends
reduced()
{
	mapped "$1" "$2" | sed 's/$/\t/' | LC_ALL=C sort | $3
}

n=0
while IFS='|' read -r input mapper reducer; do
	n=$((n + 1))
	if [ "$reducer" ]; then
		ok "Hadoop: $mapper, $reducer"  'reduced "$input" "$mapper" "$reducer" >reduced.$n && [ -s reduced.$n ]'
	else
		ok "Hadoop: $mapper"            whole_from_shards "$input" "$mapper"
	fi
done < <(hadoop_jobs)
ok 'the accuracy is that of the whole' \
	'svm-eval test a9a.model >out && sed "s/ (classification)//" out | cmp - reduced.5'
ok 'the ranges are those of the whole'      same_files ranges reduced.6
ok 'all jobs were found'                    '[ $n = 6 ] && [ "$(spark_jobs | wc -l)" = 4 ]'
while IFS='|' read -r input command; do
	ok "Spark: $command"                 whole_from_shards "$input" "$command"
done < <(spark_jobs)
ok 'ranges with tabs at the ends'           'sed "s/$/\t/" ranges >tabs && rp-project -q -r tabs rows | cmp - scaled'
# trained_in_parts: a model of rows that a job of Spark has mapped is that of the rows mapped by one process
trained_in_parts()
{
	local map train
	map=$(spark_jobs | sed -n 's/^rows|\(rp-project -q -m rff .*\)/\1/p')
	train=$(markdown_examples "$page" | sed -n "s/^hadoop fs -cat 'mapped\/part-\*' | \(randsvm-train .*\)/\1/p")
	mapped rows "$map" | $train && mv rff.model parts.model && $map rows | $train &&
		same_files parts.model rff.model && $map test | svm-eval - rff.model | grep '^Accuracy = 8'
}
ok 'Spark: a linear machine of features'    trained_in_parts
ok 'rows with tabs at the ends' \
	'sed "s/$/\t/" rows >tabs && rp-project -q -k 8 tabs | cmp - <(rp-project -q -k 8 rows) &&
	fs-select -q -r chosen tabs | cmp - chosen.rows && svm-eval tabs a9a.model |
	cmp - <(svm-eval rows a9a.model)'

# ---- extremes of shards ----

# ranges_joined FILE: the ranges of the extremes of shards are those of FILE
ranges_joined()
{
	mapped "$1" 'awk -f extremes.awk' | rp-project -q -m scale -s joined - /dev/null &&
		rp-project -q -m scale -s whole.range "$1" /dev/null && same_files whole.range joined
}
svm-gen twonorm -n 300 -d 4 >dense
printf '1 1:2 2:-3 4:5 5:1\n1 1:2 2:-3e-1 4:5\n2 1:2 2:-3 5:1\n1 1:3 2:-3 5:1\n1 1:3 2:-.5 5:1\n' >constant
rm -f joined
ok 'ranges of dense rows'                   ranges_joined dense
ok 'ranges of features constant in a shard' ranges_joined constant
ok '... which ranges of shards do not show' \
	'rp-project -q -m scale -s r <(head -n 2 constant) /dev/null && ! grep "^1 " r'

# ---- predictions ----

# measured_joined MODEL TEST OPTION...: predictions of shards, joined and judged
measured_joined()
{
	local model=$1 test=$2
	shift 2
	mapped "$test" "svm-eval -q --allow-empty --with-labels $* - $model -" | svm-eval --measure - >joined &&
		svm-eval --metrics "$@" "$test" "$model" predicted |
		sed "s/ (classification)//; s/ (regression)//; /^Prob\|^Model\|^z:/d" >whole &&
		sed -i "s/ (classification)//; s/ (regression)//" joined && same_files whole joined
}
gzip -dc "$T/heart_scale.gz" >heart
randsvm-train -q -s 3 "$T/sinc" sinc.model >/dev/null
randsvm-train -q "$T/three_class" three.model >/dev/null
randsvm-train -q -b 1 heart heart.model >/dev/null
ok 'measures of a regression'               measured_joined sinc.model "$T/sinc"
ok 'measures of three classes'              measured_joined three.model "$T/three_class" --scores
ok 'measures of probabilities'              measured_joined heart.model heart -b 1

# ---- warnings ----

printf '1 1:1 2:2 3:3 4:4\n' >short
printf '1 8:1\n' | cat short - >long
ok 'fht by the features of a shard' \
	'rp-project -q -m fht -k 4 short >a && rp-project -q -m fht -k 4 long | head -n 1 >b && ! cmp -s a b &&
	rp-project -q -m fht -d 8 -k 4 short | cmp - b'
ok 'li by the features of a shard' \
	'rp-project -q -m li -k 16 short >a && rp-project -q -m li -k 16 long | head -n 1 >b && ! cmp -s a b &&
	rp-project -q -m li -d 8 -k 16 short | cmp - b && rp-project -q -m li --sparsity 2 -k 16 short >a &&
	rp-project -q -m li --sparsity 2 -k 16 long | head -n 1 | cmp - a'
fail 1 'feature 8 above 4'                  rp-project -q -m rs -k 4 -d 4 long
: >empty
ok 'empty shards' \
	'rp-project -q -k 8 empty && fs-select -q -r chosen empty && svm-eval -q --allow-empty empty a9a.model - &&
	svm-eval --allow-empty empty a9a.model && ! rp-project -q -m scale -s r empty && ! svm-eval empty a9a.model'
ok 'ranges leave out' \
	'rp-project -q -m scale -s r dense /dev/null; echo "1 8:1" | rp-project -r r 2>&1 |
	grep "note: 1 values are left out: their features, the first is 8,"'
ok 'svm-fold of a shard is another' \
	'tail -n 150 heart >part && svm-fold -v 5 -f 1 --test part >a && svm-fold -v 5 --list heart | tail -n 150 |
	paste -d "|" - part | sed -n "s/^1|//p" >b && ! cmp -s a b'

# ---- its scripts, with stand-ins for what starts the tasks ----

need python3
mkdir tasks && cd tasks || exit 1
gzip -dc "$T/heart_scale.gz" >rows
randsvm-grid -q --threads 1 -out whole.out -png null rows >/dev/null
cat >sbatch <<-'END'
	#!/bin/bash
	# runs a job at once, for each number of its array
	tasks=1-1
	while [ $# -gt 0 ]; do
		case $1 in
		--array=*) tasks=${1#*=} ;;
		--wrap) command=$2; shift ;;
		esac
		shift
	done
	for task in $(seq ${tasks/-/ }); do
		SLURM_ARRAY_TASK_ID=$task sh -c "$command" >>jobs || exit
	done
	echo 7
END
chmod +x sbatch

# merged: the results of ten shares, joined, are those of the whole
merged() { [ "$(ls rows.*of10.out | wc -l)" = 10 ] && same_files whole.out rows.out; }

# shares N: the script of the page that makes shares of a grid, and its Nth one in Python, which starts them
shares()
{
	rm -f rows.*
	{ block python 1; block python "$1"; } >script.py
	python3 "$TOP/test/engines.py" script.py && randsvm-grid -q --merge -out rows.out rows.*of10.out && merged
}

# mapped_batches FILE: the DataFrame of its rows, mapped
mapped_batches()
{
	rm -rf mapped && cp "$1" rows && block python 4 >script.py && python3 "$TOP/test/engines.py" script.py &&
		cat mapped/part-* >parts
}
map=$(spark_jobs | sed -n 's/^rows|\(rp-project -q -m rff .*\)/\1/p')
ok 'Slurm: a grid'                          'block sh >script && PATH=.:$PATH bash -e script && merged'
ok 'Ray: a grid'                            shares 2
ok 'Spark: a grid'                          shares 3
ok 'a task that fails ends the job' \
	'echo "1 1:x" >rows && ! python3 "$TOP/test/engines.py" script.py 2>err && grep "CalledProcessError" err'
ok 'Spark: batches mapped'                  'mapped_batches ../rows && $map rows | cmp - parts'
ok 'Spark: a batch that fails ends the job' \
	'echo "1 1:x" >>../rows && ! mapped_batches ../rows 2>err && grep "RuntimeError: rp-project: " err'
ok 'all scripts were found'                 '[ -s script.py ] && [ -z "$(block python 5)$(block sh 2)" ]'
