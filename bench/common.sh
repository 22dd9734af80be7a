# common.sh - functions that the benchmark scripts share
#
# A script sources it with the checkout as the current folder.
#
# SPDX-License-Identifier: BSD-3-Clause
# for python_with
. test/helpers.bash
export OPENBLAS_NUM_THREADS=1 LC_ALL=C
DATA=${RANDSVM_DATA:-../shared/data}
RUNS=${RUNS:-5}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/randsvm-bench.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT

# seconds COMMAND...: print the least wall time of $RUNS runs; fail if a run fails
seconds() {
	local best= start end
	for ((run = 0; run < RUNS; run++)); do
		start=$EPOCHREALTIME
		"$@" >/dev/null 2>"$WORK/stderr" || { cat "$WORK/stderr" >&2; return 1; }
		end=$EPOCHREALTIME
		best=$(awk -v a="$start" -v b="$end" -v best="$best" \
			'BEGIN { t = b - a; print best == "" || t < best ? t : best }')
	done
	echo "$best"
}

# ratio A B: print A / B with two decimals
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# machine: print cores, processor and version of randsvm in one line
machine() {
	echo "$(nproc) cores, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)," \
		"$(bin/randsvm-train --version | head -1)"
}

# holds EXPRESSION: is it true in awk?
holds() { awk "BEGIN { exit !($1) }"; }

# ---- data: each command prints a data set ----

# gen KIND ROWS
gen() { bin/svm-gen "$1" -n "$2"; }
file() { gzip -dc "$DATA/$1.gz"; }
# mnist, divided NAME: pixels are divided by 255
mnist() { cat "$DATA/mnist.part1.gz" "$DATA/mnist.part2.gz" | gzip -dc | divide; }
divided() { file "$1" | divide; }
divide() { awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] ":" a[2] / 255 } print }'; }
# scaled NAME DIVISOR: features are scaled to 0 .. 1, and targets divided
scaled() { file "$1" | scale 0 | awk -v divisor="$2" '{ $1 /= divisor; print }'; }
# class NAME A: the rows of class A
class() { file "$1" | classes "$2" "$2"; }
# digit D: the rows of mnist of that digit
digit() { mnist | classes "$1" "$1"; }
# pair NAME A B: the rows of classes A and B
pair() { file "$1" | classes "$2" "$3"; }

# ---- parts of the data set on standard input ----

# scale LOW [OPTIONS]: features are scaled to LOW .. 1; options are those of svm-scale
scale() { cat >"$WORK/raw" && svm-scale -l "$1" -u 1 "${@:2}" "$WORK/raw" 2>/dev/null; }
# classes A B: the rows of classes A and B
classes() { awk -v a="$1" -v b="$2" '$1 == a || $1 == b'; }
# evenly N: N rows in equal distances, all if there are fewer
evenly() {
	awk -v n="$1" '
		{ row[NR] = $0 }
		END { for (i = 1; i <= NR; i++) if (int(i * n / NR) > int((i - 1) * n / NR)) print row[i] }'
}

# ---- results of training ----

# objective FILE: print the sum of the objectives of all pairs of classes; of nu-SVC times r^2, which
# is 1 / C^2: obj / r^2, as it is printed, has the error of r twice
objective() {
	awk '/^C = / { c = $3 } /^obj = / { sum += c ? $3 / (c * c) : $3 } END { printf "%.10g", sum }' "$1"
}

# doubts FILE MOST: print what is wrong with the certificates in FILE; gaps must be at most MOST
doubts() {
	awk -v most="$2" '
		function after(name) { return match($0, name) ? substr($0, RSTART + RLENGTH) + 0 : 1 }
		/^Objective / {
			n++
			if (after("relative gap = ") > gap)
				gap = after("relative gap = ")
			violators += after("violators = ")
		}
		END {
			if (!n)
				print "no certificate"
			else if (violators)
				print violators " violators"
			else if (!(gap <= most))
				print "gap " gap
		}' "$1"
}

# reference_key DATA OPTIONS...: print what the time of svm-train depends on: machine, program, data
# and options
reference_key() {
	echo "$(sum_of <(nproc; grep -m 1 'model name' /proc/cpuinfo))" \
		"$(sum_of "$(command -v svm-train)") $(sum_of "$1") ${*:2}"
}
sum_of() { cksum <"$1" | tr ' ' -; }
