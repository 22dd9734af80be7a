#!/bin/bash
#
# stored.sh FOLDER - make files that later versions must read: testdata/stored/VERSION
#
# Models, maps, choices of features, columns of tables, results of searches, states of trainings and
# reports, each made of a few rows of testdata by the programs first in PATH, and beside each what was
# predicted, mapped, chosen or trained by it.  test/stored.sh and unit/api_stored read them; `contents`
# there says what is what, a line each: kind, name, rows.  Once made for a version they stay.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e
T=$(cd "$(dirname "$0")/../testdata" && pwd)
mkdir -p "$1"
cd "$1"
: >contents

gzip -dc "$T/heart_scale.gz" | head -n 50 >heart
head -n 12 heart >few
head -n 50 "$T/three_class" >three
head -n 50 "$T/sinc" >sinc

# model NAME ROWS OPTION...: a model, and the predictions of its rows with decision values
model()
{
	local name=$1 rows=$2
	shift 2
	randsvm-train -q "$@" "$rows" "$name.model"
	svm-eval -q --scores "$rows" "$name.model" "$name.predicted"
	echo "model $name $rows" >>contents
}
model c_svc heart -c 2
model polynomial heart -t 1 -d 2 -r 1 -g 0.1
model sigmoid heart -t 3 -g 0.01
model linear heart -t 0
model weights heart -t 0 --compact
model probabilities three -b 1
model nu_svc three -s 1 -n 0.3
model classes_and_rest three -t 0 --multiclass ovr
model one_class heart -s 2 -n 0.2
model regression sinc -s 3 -p 0.05
model nu_regression sinc -s 4 -b 1
model liblinear heart -t 0 --model-format liblinear

# map NAME OPTION...: a map by heart, and a few of its rows
map()
{
	local name=$1
	shift
	rp-project -q -s "$name.map" "$@" heart /dev/null
	rp-project -q -r "$name.map" few "$name.mapped"
	echo "map $name few" >>contents
}
for method in rs fht cw countsketch osnap gaussian uniform achlioptas li pca nystrom tensorsketch; do
	map "$method" -m "$method" -k 4
done
map rff -m rff -k 4 -g 0.1
map scale -m scale -l 0

# choices of features, and a few rows with these alone
for method in bss leverage rrqr rfe lpsvm l1 t f uniform; do
	fs-select -q -m "$method" -k 4 -s "$method.choice" heart /dev/null
	fs-select -q -r "$method.choice" few "$method.chosen"
	echo "choice $method few" >>contents
done

# a table of mixed columns, and what becomes of it
printf 'id,colour,size,label\n1,red,2.5,yes\n2,blue,,no\n3,red,7,no\n4,green,1e3,yes\n' >table
svm-convert -q -l label --missing zero --ignore id -s table.columns --labels table.labels table table.rows
echo 'table table table' >>contents

rp-project -q --binary -m none three binary.rows
echo 'rows binary three' >>contents

randsvm-grid -q -log2c -1,3,2 -log2g -5,-1,2 -v 3 -out grid.points -png null heart >grid.lines
echo 'search grid heart' >>contents

randsvm-train -q --report report.json -c 2 heart /dev/null
echo 'report report heart' >>contents

# a training that was killed once it had a state, and its model after all
for ((try = 0; try < 1000; try++)); do
	rm -f state.checkpoint
	randsvm-train -q --threads 1 --sample 8 -c 1000 --checkpoint state.checkpoint --checkpoint-every 0 \
		three unborn 2>/dev/null &
	while ! [ -e state.checkpoint ] && kill -0 $! 2>/dev/null; do :; done
	kill -9 $! 2>/dev/null || true
	wait $! 2>/dev/null || true
	[ ! -e state.checkpoint ] || break
done
rm -f unborn .[!.]*
[ -e state.checkpoint ]
randsvm-train -q --threads 1 --sample 8 -c 1000 three state.model
echo 'state state three' >>contents
