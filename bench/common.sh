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
