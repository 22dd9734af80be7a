# svm-eval --labels: names of classes in predictions, tables, pictures and weights; --top by column.

. "$TOP/test/helpers.bash"

need randsvm-train svm-eval svm-convert python3

gzip -dc "$T/heart_scale.gz" >heart
cp "$T/three_class" three
randsvm-train -q -t 0 heart two.model
randsvm-train -q -t 0 three three.model
randsvm-train -q -t 0 --multiclass ovr three ovr.model
sort -n three | cut -d ' ' -f 1 | uniq | awk '{ print $1, "class no. " $1 }' >names3
printf -- '-1 well\n1 ill; or %s\n' "it's" >names2

# named FILE: the lines of FILE with each label of three classes replaced by its name, each column alone
ok 'predictions' \
	'svm-eval -q three three.model plain && svm-eval -q --labels names3 three three.model named &&
	sed "s/.*/\"class no. &\"/" plain | cmp - named'
ok 'two classes' \
	'svm-eval -q heart two.model plain && svm-eval -q --labels names2 heart two.model named &&
	sed -e "s/^-1$/well/" -e "s/^1$/\"ill; or it'\''s\"/" plain | cmp - named'
ok 'scores' \
	'svm-eval -q --scores --labels names2 heart two.model s && head -n 1 s | grep -x "label \"ill; or it.s\"/well" &&
	sed 1d s | grep -E "^(well|\"ill; or it.s\") -?[0-9]"'
# blanks: only the widths and the names differ
ok 'measures' \
	'svm-eval --metrics three three.model >plain && svm-eval --metrics --labels names3 three three.model >named &&
	cmp <(sed "s/class no\. //g; s/^ *//" named | tr -s " ") <(sed "s/^ *//" plain | tr -s " ") && grep -q "class no. 1 " named'
ok 'AUC' \
	'svm-eval --metrics --labels names2 heart two.model | grep "(class ill; or it.s against well)"'
ok 'a table' \
	'svm-eval -q --with-labels --scores heart two.model t &&
	diff <(svm-eval --measure t --labels names2) <(svm-eval --metrics --labels names2 heart two.model)'
ok 'beside labels' \
	'svm-eval -q --with-labels three three.model t && svm-eval -q --with-labels --labels names3 three three.model named &&
	sed -E "2,\$ s/([0-9]+) ([0-9]+)/\"class no. \1\" \"class no. \2\"/" t | cmp - named'
fail 1 "expected a number, or a name of --labels, got 'class no. 1'"       svm-eval --measure named
# what is measured by names is what is measured by numbers, whatever is in the names
for names in names3 odd3; do
	printf '1 a#b\n2 a#b c\n5 a\td # e\n' >odd3
	ok "measured by the names of $names" \
		"svm-eval -q --with-labels --scores --labels $names three three.model named && grep -q '^\"a#b c\" \"a#b\" \|^\"class' named &&
		diff <(svm-eval --measure named --labels $names) <(svm-eval --metrics --labels $names three three.model)"
done
fail 1 "x:2: expected a number, or a name of --labels, got 'ill'"              'printf "label prediction\nill ill\n" >x; svm-eval --measure x --labels names3'
# ---- names that are numbers, of other classes or of none: the measures are those of labels ----

for names in '2|1|5' '0|1|other' '2|5|1' '1.0|2|1' 'nan|x|1' '-1|0|2'; do
	paste -d ' ' <(printf '1\n2\n5\n') <(tr '|' '\n' <<<"$names") >numbered
	ok "numbers for names: $names" \
		'svm-eval -q --with-labels --scores --labels numbered three three.model named && svm-eval -q --with-labels --scores three three.model plain &&
		svm-eval --metrics --labels numbered three three.model >all; for t in named plain; do svm-eval --measure $t --labels numbered | cmp - all || exit; done
		svm-eval -q --labels numbered three three.model out && ! grep "\"" out'
done
# lines by hand: words that mean one class only, and what means two
printf '1 2\n2 b\n5 7\n' >twos
measured() { printf 'label prediction\n%s\n' "$@" >x; svm-eval --measure x --labels twos; }
ok 'a bare number that is a label is the label'  'measured "1 1" "2 2" "5 2" | grep "(2/3)"'
ok '... in quotes it is a name'                  'measured "1 \"2\"" "\"2\" b" "7 5" | grep "(2/3)"'
ok '... a name that is no label needs none'      'measured "7 5" "\"2\" 7" | grep "(1/2)"'
for rows in '"2 b"' '"2 2" "b b"' '"b b" "7 7" "2 1"' '"2 \"2\""'; do
	fail 1 'names of classes beside numbers that are labels and names of others: put such names in quotes' "measured $rows"
done
ok 'an unknown label beside a class nan' \
	'printf "1 nan\n2 b\n" >nans; printf "label prediction\n\"nan\" \"nan\"\nnan \"nan\"\nb b\n" >x; svm-eval --labels nans --measure x 2>told | grep "(2/2)" && grep "1 rows have no label" told'
ok 'the report' \
	'svm-eval -q --metrics --labels names3 --report r.json three three.model && grep "\"name\":.*class no. 2" r.json'
# names that are labels of other classes, read without the names
for columns in '1/2|.5' 'p:1 p:2|.5 .5' '1 2|.5 .5'; do
	printf 'label prediction %s\n"2" "2" %s\n' "${columns%|*}" "${columns#*|}" >x
	fail 1 "x:2: the name of a class, which --labels explains: '2'" 'svm-eval --measure x'
done
printf '1 2\n2 1\n' >exchanged
ok '... refused also by --calibrate, and as is right with them' \
	'svm-gen twonorm -n 200 >normal && sed "s/^[+]*1/1/; s/^-1/2/" normal >rows2 && randsvm-train -q -t 0 rows2 m &&
	svm-eval -q --with-labels --scores --labels exchanged rows2 m p && ! svm-eval --measure p && ! svm-eval --calibrate c p && [ ! -e c ] &&
	svm-eval --measure p --labels exchanged | cmp - <(svm-eval --metrics --labels exchanged rows2 m)'
ok 'columns are called by labels, which is told where names are others' \
	'svm-eval --with-labels --scores --labels exchanged rows2 m p 2>&1 | grep "^svm-eval: note: columns are called by labels: 1 stands for the class .2.$" &&
	printf "1 a\n2 b\n" >plain && ! svm-eval --with-labels --scores --labels plain rows2 m p 2>&1 | grep note'
printf '1 a\n2 a\n' >alike
fail 1 'alike:2: another class has this name'  svm-eval --labels alike rows2 m o
ok 'classes called as columns are' \
	'printf "1 label\n2 prediction\n" >columns && svm-eval -q --labels columns --with-labels rows2 m p && svm-eval --labels columns --measure p | cmp - <(svm-eval --metrics --labels columns rows2 m | grep -v AUC)'
for group in '""' nan; do
	printf 'label prediction group\n1 1 %s\n' "$group" >x
	fail 1 "x:2: expected the name of a group, got '" 'svm-eval --measure x'
done

# ---- a tab in a name, and two long ones that differ at their ends ----

long=$(printf 'a%.0s' $(seq 60))
printf '1 with\ta tab\n2 %s one\n5 %s two\n' "$long" "$long" >odd
ok 'tables: as many columns by the rule of CSV, and whole names' \
	'svm-eval -q --labels odd --roc r.tsv --pr p.tsv three three.model && for t in r p; do
		python3 -c "import csv, sys; rows = list(csv.reader(sys.stdin, delimiter=\"\\t\")); assert all(len(row) == 4 for row in rows)
print(*sorted({row[0] for row in rows[1:]}), sep=\"\\n\")" <$t.tsv | cmp - <(cut -d " " -f 2- odd | LC_ALL=C sort) || exit
	done'
ok 'the report: whole names' \
	'svm-eval -q --metrics --labels odd --report r.json three three.model &&
	grep "\"name\":.*\"$long two\"" r.json && grep "\"with\\\\ta tab\"" r.json'
ok 'predictions: whole names' \
	'svm-eval -q --labels odd three three.model named && sort -u named | cmp - <(sed "s/^[0-9]* \(.*\)/\"\1\"/" odd | sort)'

# ---- names that a line could be taken apart at: back to numbers by the rule (test/plain_words.py) ----

svm-eval -q --with-labels --scores three three.model three.cv
randsvm-train -q -b 1 -t 0 three sure.model
n=0
for names in 'a|a,b|b' '-|--|-,-' 'a b|a|b a' '"|""|" "' 'a/b|b|a' '#|a#|error: a' 'a"b|"a|a"' 'x\ty|x|y' 'plain|names|stay' '7|x, 1|z'; do
	names=$(printf %b "$names") n=$((n + 1))
	paste -d ' ' <(printf '1\n2\n5\n') <(printf '%s\n' "$names" | tr '|' '\n') >words$n
	ok "words: $names" \
		"same() { svm-eval -q \"\$@\" numbers && svm-eval -q --labels words$n \"\$@\" named && python3 '$TOP/test/plain_words.py' words$n numbers named; }
		same three three.model && same --scores three three.model && same --scores three ovr.model && same -b 1 --scores three sure.model &&
		same --calibrate three.cv --sets 0.95 three three.model && same --calibrate three.cv --sets 0.6 --scores three three.model &&
		for m in three ovr; do svm-eval --weights \$m.model >numbers && svm-eval --weights --labels words$n \$m.model >named && python3 '$TOP/test/plain_words.py' words$n numbers named || exit; done"
done
ok '... measured, joined and with tabs' \
	'for k in 1 2 3 4 5 6 7 8 9; do svm-eval -q --with-labels --scores --labels words$k three three.model named && sed "1!s/ \(\S*\)$/\t\1 # end/" named >tabs &&
		cat tabs named | svm-eval --measure - --labels words$k >joined && svm-eval --metrics --labels words$k <(cat three three) three.model | cmp - joined || exit; done'
ok 'words of names without such characters are the names' 'svm-eval -q --labels words9 three three.model named && ! grep "\"" named'
ok 'quotes that none needs, as R writes them' \
	'printf "label prediction\nplain names\nstay stay\n" >bare && sed "s/\([a-z]\+\)/\"\1\"/g" bare >quoted; cat quoted
	svm-eval --measure quoted --labels words9 | diff - <(svm-eval --measure bare --labels words9) && ! svm-eval --measure <(sed "s/\"plain\"/&s/" quoted) --labels words9'
head -n 1 names3 >one
fail 1 'one: no name of class 2 of the model'         svm-eval -q --labels one three three.model named
fail 1 'names2: no name of class 2 of the model'      svm-eval --weights --labels names2 three.model
fail 1 'names3: no name of class -1 of the model'     svm-eval --labels names3 heart two.model
randsvm-train -q -s 3 heart values.model
fail 1 'names2: the model is of a regression'         svm-eval --labels names2 heart values.model
ok 'names of further classes' \
	'(cat names3; echo "7 none") >four; svm-eval -q --labels four three three.model a && svm-eval -q --labels names3 three three.model b && cmp a b'
fail 1 "names:2: expected the number of a class"      'printf "1 a\nb 2\n" >names; svm-eval --labels names heart two.model'
fail 1 "names:2: this class has a name already"       'printf "1 a\n1 b\n" >names; svm-eval --labels names heart two.model'
fail 1 "names: no names of classes"                   'printf "" >names; svm-eval --labels names heart two.model'
fail 1 'there are no examples of class ill'           'grep ^-1 heart >minus; svm-eval -q --labels names2 --pr p.tsv minus two.model'
fail 1 "can't open input file nowhere"                svm-eval --labels nowhere heart two.model

# ---- from a table to names again ----

ok 'a table and back' \
	'awk "{ print (\$1 > 0 ? \"ill\" : \"well\") }" heart >words && cut -d " " -f 2- heart | sed "s/^/0 /" | svm-convert --to csv --no-label - x.csv &&
	paste -d , <(echo state; cat words) x.csv >t.csv && svm-convert -q -l state --labels l t.csv rows &&
	randsvm-train -q rows m && svm-eval -q --labels l rows m named &&
	[ "$(paste -d " " words named | awk "\$1 == \$2" | wc -l)" -gt 220 ]'

# ---- weights ----

ok 'the heading'              'svm-eval --weights --labels names3 ovr.model | head -n 1 | grep -x "#index \"class no. 1\" \"class no. 2\" \"class no. 5\""'
ok 'pairs'                    'svm-eval --weights --labels names3 three.model | head -n 1 |
	grep -x "#index \"class no. 1\"/\"class no. 2\" \"class no. 1\"/\"class no. 5\" \"class no. 2\"/\"class no. 5\""'
# each column by itself: the features of largest weight of all
for model in three ovr; do
	ok "the top of each column, $model" \
		"svm-eval --weights $model.model >all && svm-eval --weights --top 2 $model.model >top && for c in 2 3 4; do
			head -n 1 all | cut -d ' ' -f 1,\$c
			sed -e 1d -e '/^constant/d' all | cut -d ' ' -f 1,\$c | awk '{ print (\$2 < 0 ? -\$2 : \$2), \$0 }' |
				sort -k 1,1gr -k 2,2n | head -n 2 | cut -d ' ' -f 2-
			grep ^constant all | cut -d ' ' -f 1,\$c
		done | cmp - top"
done
ok 'the top of one sign' \
	'svm-eval --weights ovr.model >all && for sign in plus minus; do for c in 2 3 4; do
		head -n 1 all | cut -d " " -f 1,$c
		sed -e 1d -e "/^constant/d" all | cut -d " " -f 1,$c | awk -v s=$sign "s == \"plus\" ? \$2 > 0 : \$2 < 0" |
			sort -k 2,2g$([ $sign = plus ] && echo r) | head -n 2
		grep ^constant all | cut -d " " -f 1,$c
	done >two; svm-eval --weights --top 2 --sign $sign ovr.model | cmp - two || exit; done; wc -l <two'

# ---- pictures ----

if command -v gnuplot >/dev/null; then
	ok 'pictures' \
		'svm-eval -q --labels names2 --roc r.svg --pr p.svg --plot c.svg heart two.model &&
		for f in r p c; do grep "ill; or it" $f.svg || exit 1; done'
	# labels of 105 classes: every fourth, so that none covers another
	ok 'many classes' \
		'awk "BEGIN { for (i = 0; i < 630; i++) print i % 105 + 1000, i % 105 + 1 \":1\" }" >many && randsvm-train -q -t 0 many many.model &&
		svm-eval -q --plot m.svg many many.model && grep -c ">10[0-9][0-9]</text>\|>110[0-9]<" m.svg >n; cat n; [ $(cat n) -lt 70 ]'
else
	skip 'no gnuplot'
fi
