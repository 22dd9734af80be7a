# eval.bash - what the tests of svm-eval share: data, and numbers of a report
#
# SPDX-License-Identifier: BSD-3-Clause
. "$TOP/test/helpers.bash"
need python3

for file in heart_scale a1a; do
	gzip -dc "$T/$file.gz" >$file
done
cp "$T/three_class" "$T/sinc" .
awk 'NR % 2' three_class >train
awk 'NR % 2 == 0' three_class >rest
randsvm-train -q -b 1 train three.model
randsvm-train -q -b 1 heart_scale heart.model
randsvm-train -q -s 3 -c 10 sinc sinc.model

# value KEY [FILE]: that entry of a report, as JSON but for a string's quotes; of report.json if not said.  A report has an entry a
# line, and it is asked hundreds of times: to start Python for each would take longer than the tests
value() { sed -n "s/^\t\"$1\":\t\(.*[^,]\),*\$/\1/p" "${2:-report.json}" | sed 's/^"\(.*\)"$/\1/' | grep .; }

# is KEY LOW HIGH: an entry of report.json is a number in that range
is() { value "$1" | awk -v key="$1" -v low="$2" -v high="$3" '
	{ print key, $0; within = $0 != "null" && $0 + 0 >= low && $0 + 0 <= high }
	END { exit !within }'; }

# keys KEY WORDS: an object in report.json has these keys
keys() { [ "$(python3 -c 'import json, sys; print(*json.load(open("report.json"))[sys.argv[1]])' "$1")" = "$2" ]; }
