# svm-eval --summary: lines of JSON, by the definition (test/plain_summary.py).

need python3

gzip -dc "$T/heart_scale.gz" | awk '{ for (k = 2; k <= NF; k++) { split($k, x, ":"); $k = x[1] ":" x[2] * (NR % 50 ? 1 : 7) } print }' >heart
gzip -dc "$T/heart_scale.gz" | rp-project -q -m scale -l 0 -s ranges - scaled
randsvm-train -q -c 10 -g 0.1 scaled model
printf '1 good\n-1 "rather"bad\n' >labels
svm-eval --chain all ranges labels model
awk 'NR % 40 == 7 { print "what" } NR % 60 == 8 { print $0, "20:1" ; next } { print }' heart >odd
rp-project -q -m scale -s three.ranges "$T/three_class" three.scaled
randsvm-train -q three.scaled three.model
randsvm-train -q -t 0 --multiclass ovr three.scaled rest.model

# told N ROWS MODEL [RANGES]: the lines are those of the definition
told()
{
	svm-eval -q --on-error answer --summary "$1" --scores "$2" "$3" answers 2>lines &&
		python3 "$TOP/test/plain_summary.py" "$1" "$2" answers lines $4 && cat lines
}
for n in 1 2 7 100 270 1000; do
	ok "ranges, names, bad rows: every $n" "told $n odd all ranges | grep -c '^{.*}\$' | grep -x $((($(wc -l <odd) + n - 1) / n))"
done
ok 'of all kinds there are some' \
	"told 1000 odd all ranges >seen && ! grep -E '\"(refused|unknown_features|out_of_range)\": 0' seen && cat seen && grep -F '\\\"rather\\\"bad' seen"
ok 'without ranges'      'told 100 scaled model'
ok '... features above those of the model' \
	'sed "5s/\$/ 99:1/; 9s/\$/ 99:1/" scaled >more; told 100 more model | head -n 1 | grep "\"unknown_features\": 2"'
ok 'several classes'     'told 50 three.scaled three.model'
ok '... each against the rest' 'told 50 three.scaled rest.model'
ok '... ranges'          'svm-eval --chain three.chain three.ranges three.model && told 9 "$T/three_class" three.chain three.ranges'
ok 'a regression'        'randsvm-train -q -s 3 scaled r && told 100 scaled r | grep -L predicted | grep . && ! grep predicted lines'
ok 'one-class'           'randsvm-train -q -s 2 scaled o && told 100 scaled o | grep "\"predicted\": {\"1\": "'
ok 'the same for any threads, from a pipe' \
	'for i in $(seq 40); do cat odd; done >many
	for t in 1 2 4; do gzip -c many | svm-eval -q --threads $t --on-error answer --summary 77 - all /dev/null 2>lines.$t; done
	cmp lines.1 lines.2 && cmp lines.1 lines.4 && [ "$(wc -l <lines.1)" -gt 100 ]'
ok 'nothing but the lines is changed' \
	'svm-eval -q --on-error answer odd all a && svm-eval -q --on-error answer --summary 5 odd all b 2>lines && cmp a b'
ok 'lines come as rows do' \
	'mkfifo asked; svm-eval -q --summary 2 asked all - >/dev/null 2>lines & exec 3>asked; head -n 2 heart >&3
	for i in $(seq 200); do [ -s lines ] && break; sleep 0.1; done; cat lines; n=$(wc -l <lines); exec 3>&-; wait; [ "$n" = 1 ]'
ok 'rows without labels' 'sed "s/^[^ ]* //" scaled >bare; told 100 bare model >a; told 100 scaled model | cmp - a'
ok 'no row, no line'     'svm-eval -q --allow-empty --summary 2 /dev/null all - 2>lines; ! grep . lines'

# ---- tables ----

cp "$T/heart.csv" .
svm-convert -q --missing mean -l heart -s columns --labels words heart.csv rows
rp-project -q -m scale -s csv.ranges rows csv.scaled
randsvm-train -q csv.scaled csv.model
svm-eval --chain csv.chain columns csv.ranges words csv.model
sed '7s/^[^,]*,[^,]*/,unheard/; 30s/^[^,]*/900/; 31s/^[^,]*,[^,]*/,/' heart.csv >odd.csv
# counted N: the answers are those of the definition; the table's counts, line by line
counted()
{
	svm-eval -q --summary "$1" --scores odd.csv csv.chain answers 2>lines &&
		sed 's/"out_of_range": [0-9]*/"out_of_range": 0/' lines >bare && python3 "$TOP/test/plain_summary.py" "$1" - answers bare &&
		python3 -c 'import json
for line in open("lines"):
	v = json.loads(line)
	print(v["out_of_range"], v["missing_values"], v["unknown_categories"], v["left_out"], v["unknown_words"])'
}
ok 'a table: missing values, categories, ranges'  'counted 1000 | grep -x "1 3 1 0 0"'
ok '... in the line of their rows'   'counted 10 >c; sed -n 1p c | grep -x "0 1 1 0 0" && sed -n 3p c | grep -x "1 2 0 0 0" && [ "$(sort -u c | wc -l)" = 3 ]'
ok '... of a row each'               'counted 1 >c; sed -n 6p c | grep -x "0 1 1 0 0" && sed -n 29p c | grep -x "1 0 0 0 0" && sed -n 30p c | grep -x "0 2 0 0 0" && [ "$(sort -u c | wc -l)" = 4 ]'
ok '... rows that are left out' \
	'svm-convert -q --missing drop -l heart -s c2 odd.csv r2 && randsvm-train -q r2 m2 && svm-eval --chain drop c2 m2 &&
	svm-eval -q --summary 1000 odd.csv drop - 2>&1 >/dev/null | grep "\"rows\": 268, .*\"left_out\": 2,"'
sed '9s/,[^,]*$//; 12s/.*/x&/' odd.csv >bad.csv
ok '... that are refused' \
	'svm-eval -q --on-error answer --summary 10 bad.csv csv.chain - 2>&1 >/dev/null | head -n 3 >c; sed -n 1p c | grep "\"rows\": 9, \"refused\": 1," && sed -n 2p c | grep "\"rows\": 9, \"refused\": 1," && sed -n 3p c | grep "\"refused\": 0,"'
printf 'text,y\nthe cat,1\na dog,2\nthe dog,2\na cat,1\n' >texts.csv
ok '... words that were not learned' \
	'svm-convert -q -l y --text text -s c3 texts.csv r3 && randsvm-train -q r3 m3 && svm-eval --chain words.chain c3 m3 &&
	printf "text\nthe red cat\na cat\nblue bird\n" | svm-eval -q --summary 2 - words.chain - 2>seen; cat seen
	sed -n 1p seen | grep "\"unknown_words\": 1," && sed -n 2p seen | grep "\"unknown_words\": 2,"'

fail 1 '--summary: 0 is not between'     svm-eval --summary 0 heart all
fail 1 'weights'         svm-eval --summary 5 --weights model
fail 1 'cannot use'      svm-eval --summary 5 --check heart
