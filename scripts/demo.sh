#!/bin/sh
#
# demo.sh - train and test on two bundled data sets, with explanations; `make demo` runs it
#
# The environment variable BIN names the folder of the programs (default bin).
#
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
case ${BIN:=bin} in
/*) ;;
*) BIN=$top/$BIN ;;
esac
PATH=$BIN:$PATH
data=$top/testdata
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# run COMMAND...: print COMMAND and run it, with its output in the file 'out', its time in $seconds
run()
{
	printf '    $ %s\n' "$*"
	start=$(date +%s.%N)
	"$@" >out 2>err
	status=$?
	seconds=$(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
	[ $status = 0 ] && return
	sed 's/^/      /' out err
	echo
	echo "The demonstration stops here: ${1##*/} failed with exit status $status." >&2
	exit 1
}

# show BEGINNING...: print the lines of 'out' that begin with BEGINNING
show()
{
	for beginning; do
		if ! grep "^$beginning" out >shown; then
			cat out
			echo "The demonstration stops here: no line '$beginning' in this output." >&2
			exit 1
		fi
		sed 's/^/      /' shown
	done
}

# accuracy: print the accuracy in 'out', in the form 86.7%
accuracy()
{
	sed -n 's/^Accuracy = \([0-9.]*\)%.*/\1/p' out | awk '{ printf "%.1f%%", $1 }'
}

# proof NAME: print the number 'NAME = number' of the line in 'out' that begins with Objective
proof()
{
	sed -n "s/^Objective .* $1 = \([^,]*\).*/\1/p" out | grep . && return
	echo "The demonstration stops here: no '$1' in the line of the proof." >&2
	return 1
}

# link the data sets, so that the command lines printed have file names without a folder
ln -s "$data/heart_scale.gz" "$data/a9a.gz" "$data/a9a.t.gz" . || exit 1

cat <<'EOF'

randsvm: svm-train and svm-predict for large data
=================================================

1. Heart disease: 270 patients, 13 measurements each (heart_scale)

   randsvm-train takes svm-train's options and writes svm-train's model file.
   It reads gzipped files directly.

EOF
run randsvm-train heart_scale.gz heart.model
show obj nSV Total
run svm-eval heart_scale.gz heart.model heart.predicted
show Accuracy
ours=$(accuracy)
if command -v svm-train >/dev/null && command -v svm-predict >/dev/null; then
	gzip -dc heart_scale.gz >heart_scale
	if svm-train -q heart_scale theirs.model && svm-predict heart_scale theirs.model theirs >out; then
		echo
		echo "   The installed svm-train and svm-predict: $(accuracy) on the same patients, ours $ours."
	fi
fi

cat <<'EOF'

2. Census: does a person earn more than 50,000 dollars? 32,561 people, 123 features (a9a)

   randsvm-train trains on a random sample of the people and adds people that violate
   the optimality conditions.  It ends when none of the 32,561 violates them.

EOF
run randsvm-train a9a.gz a9a.model
show obj nSV Total Objective
trained=$seconds
gap=$(proof 'optimal to gap') && relative=$(proof 'relative gap') || exit 1
cat <<EOF

   That took $trained seconds. The line that begins with Objective is a proof over all 32,561
   people: no model has an objective that is smaller than this one by more than $gap
   (relative: $relative).

   The model is tested on 16,281 people that were not in the training data:

EOF
run svm-eval a9a.t.gz a9a.model a9a.predicted
show Accuracy
cat <<EOF

   The output file has the predicted label of each of them, one per line ($seconds seconds).

3. Census again, with 64 random combinations of the 123 features

   rp-project computes them in one pass; the same seed gives the same combinations for
   other data.  --fold converts the model to the original features.

EOF
run rp-project -k 64 -s a9a.map a9a.gz a9a.projected
run randsvm-train -t 0 a9a.projected small.model
show Objective
run rp-project -r a9a.map --fold small.model folded.model
run svm-eval a9a.t.gz folded.model
show Accuracy
cat <<'EOF'

4. Census again, with 20 chosen features of the 123

   fs-select trains an SVM on fewer and fewer features, without those of the smallest weights.
   -r writes the same features of other data.

EOF
run fs-select -q -k 20 -s chosen a9a.gz a9a.selected
run randsvm-train -t 0 a9a.selected selected.model
show Objective
run fs-select -r chosen a9a.t.gz a9a.t.selected
run svm-eval a9a.t.selected selected.model
show Accuracy
cat <<EOF

Where to go next
   doc/tutorial.md            from a table to a model
   doc/libsvm.md              which command replaces which of LIBSVM
   bin/randsvm-train --help   all options; man ./man/randsvm-train.1
   make check                 the tests
   make install               to /usr/local, or PREFIX=...
EOF
