# make demo: what it prints is whole sentences with the numbers of its own lines.

need awk

ok 'it runs to its end' \
	'"$TOP/scripts/demo.sh" >text 2>err; r=$?; cat text err; [ $r = 0 ] && [ ! -s err ] && grep -q "^Where to go next" text'

# one line for each paragraph, such as `   That took 0.7 seconds. ...`, without commands and output
awk '/^   [A-Z]/ { open = 1 } !/^   [^ ]/ { if (open) print ""; open = 0 }
     open { sub(/^ +/, ""); printf "%s ", $0 }' text | sed 's/ $//' >paragraphs
ok 'sentences have no empty places' \
	'cat paragraphs; [ $(grep -c . paragraphs) -ge 5 ] && ! grep -E "  +[(a-z0-9]|\(\)|: *\)|= *\(|\( *[:)]|[a-z] [.,]|= *[.,]" paragraphs'
ok 'its numbers are those of the line of the proof' \
	'line=$(grep -m 1 "^ *Objective" text); echo "$line"
	gap=$(expr "$line" : ".* to gap = \([^,]*\),") && relative=$(expr "$line" : ".* relative gap = \([^,]*\),") &&
	grep -E "^That took [0-9.]+ seconds\. .* by more than $gap \(relative: $relative\)\.$" paragraphs'
