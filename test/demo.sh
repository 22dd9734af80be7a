# make demo: what it prints is whole sentences with the numbers of its own lines.

need awk

ok 'it runs to its end' \
	'"$TOP/scripts/demo.sh" >text 2>err; r=$?; cat text err; [ $r = 0 ] && [ ! -s err ] && grep -q "^Where to go next" text'

# one line for each paragraph, such as `   That took 0.7 seconds. ...`, without commands and output
awk '/^   [A-Z]/ { open = 1 } !/^   [^ ]/ { if (open) print ""; open = 0 }
     open { sub(/^ +/, ""); printf "%s ", $0 }' text | sed 's/ $//' >paragraphs
ok 'sentences have no empty places' \
	'cat paragraphs; [ $(grep -c . paragraphs) -ge 5 ] && ! grep -E "  +[(a-z0-9]|\(\)|: *\)|= *\(|\( *[:)]|[a-z] [.,]|= *[.,]" paragraphs'
ok 'nor those of its numbers' \
	'grep -E "^That took [0-9.]+ seconds\. .* this one \([0-9.e+]+\) by more than gap \+ 2 rounding = [0-9.e-]+ \(relative: [0-9.e-]+\)\.$" paragraphs'
ok 'its bound is that of the line of the proof' \
	'line=$(grep -m 1 "^ *primal = " text); echo "$line"; grep -o "rounding = [0-9.e-]* (relative: [0-9.e-]*)" paragraphs >bound; cat bound
	echo "$line" | tr -d "," | awk -v of="$(tr -d "():" <bound)" "{ split(of, got, \" \"); bound = \$9 + 2 * \$12
		exit !(got[3] > .95 * bound && got[3] < 1.05 * bound && got[5] == \$16 &&
		       got[3] / \$3 > .9 * \$16 && got[3] / \$3 < 1.1 * \$16) }"'
