# svm-eval --chain: several files as one, with the predictions of the programs in a pipe.

gzip -dc "$T/heart_scale.gz" >heart
rp-project -q -m scale -l 0 -s ranges heart >scaled
rp-project -q -m pca -k 8 -s map scaled >mapped
fs-select -q -m rrqr -k 5 --renumber -s choice mapped >chosen
randsvm-train -q -c 10 -g 0.1 chosen model
printf '1 good\n-1 rather bad\n' >labels

# piped ROWS: what the programs make of rows
piped() { rp-project -q -r ranges "$1" | rp-project -q -r map | fs-select -q -r choice; }

# ---- predictions ----

ok 'predicts as the programs do' \
	'svm-eval --chain all ranges map choice model && svm-eval --scores heart all a &&
	piped heart | svm-eval --scores - model b && cmp a b'
ok '... measures too'           'svm-eval --metrics heart all >a; piped heart | svm-eval --metrics - model | cmp - a'
ok '... from a pipe, compressed' \
	'svm-eval --scores heart all a; gzip -c all >all.gz; cat all.gz | svm-eval --scores heart - b; cmp a b'
ok '... for any threads' \
	'for i in $(seq 20); do cat heart; done >many; svm-eval -q --threads 1 --scores many all a
	svm-eval -q --threads 3 --scores many all b && cmp a b'
ok '... rows without labels, comments' \
	'sed "s/^[^ ]* //; s/$/ # c/" heart >bare && piped bare | svm-eval -q --comments - model a &&
	svm-eval -q --comments bare all b && cmp a b && grep -q "1 # c" b'
ok 'any order, more than one of a kind' \
	'fs-select -q -m t -k 9 -s c1 heart | rp-project -q -m scale -s r1 >x && rp-project -q -m rs -k 6 -s m1 x >y &&
	rp-project -q -m scale -s r2 y | randsvm-train -q - model2 && svm-eval --chain two c1 r1 m1 r2 model2 &&
	svm-eval -q --scores heart two a && fs-select -q -r c1 heart | rp-project -q -r r1 | rp-project -q -r m1 |
	rp-project -q -r r2 | svm-eval -q --scores - model2 b && cmp a b'
for map in 'rff -g 0.1' 'nystrom -g 0.1' tensorsketch fht cw gaussian; do
	ok "a map: $map" \
		"rp-project -q -m $map -k 8 -s m heart | randsvm-train -q -t 0 - m.model && svm-eval --chain m.chain m m.model &&
		svm-eval -q --scores heart m.chain a && rp-project -q -r m heart | svm-eval -q --scores - m.model b && cmp a b"
done
rp-project -q -m scale --range-y 0,1 -s scaled.labels "$T/sinc" | randsvm-train -q -s 3 - scaled.sinc
fail 1 'scaled.labels: ranges of the labels, too, between which predictions would be: train on labels as they are' \
	'svm-eval --chain no scaled.labels scaled.sinc'
ok 'a model alone'              'svm-eval --chain one model && svm-eval -q chosen one a && svm-eval -q chosen model b && cmp a b'
ok 'probabilities, of LIBLINEAR too' \
	'randsvm-train -q -b 1 scaled p && svm-eval --chain p.chain ranges p && svm-eval -q -b 1 heart p.chain a &&
	rp-project -q -r ranges heart | svm-eval -q -b 1 - p b && cmp a b &&
	randsvm-train -q -t 0 --multiclass ovr scaled l && svm-eval --chain l.chain ranges l && svm-eval -q heart l.chain a &&
	svm-eval -q scaled l b && cmp a b'
ok 'names of classes' \
	'svm-eval --chain named ranges map choice labels model && svm-eval -q --scores heart named a &&
	piped heart | svm-eval -q --labels labels --scores - model b && cmp a b && grep -q "^.rather bad. " a'
ok '... others are given'       'sed s/good/fine/ labels >l2; svm-eval -q --labels l2 heart named a && grep -q "^fine" a && ! grep -q good a'
ok 'features without ranges are told' \
	'echo "1 1:1 40:3 41:2" | svm-eval - all 2>&1 | grep "2 values are left out: their features have no range in all"'
ok 'the data are the lines of the files' \
	'sed "1,/^data/d" all | sed "\$d" | cmp - <(cat ranges map choice model)'
ok 'features that no map takes are refused' \
	'rp-project -q -m fht -k 8 -s f heart | randsvm-train -q -t 0 - f.model; svm-eval --chain f.chain f f.model
	printf "1 1:1\n1 99:1\n" | svm-eval - f.chain 2>&1 | grep "feature 99 above 16"'
ok 'values that overflow are refused' \
	'printf "x\n-1 1\n1 0 1e-10\n" >tiny; printf "1 1:1\n-1 1:-1\n" | randsvm-train -q - t; svm-eval --chain t.chain tiny t
	printf "1 1:1\n1 1:1e308\n" | svm-eval - t.chain 2>&1 |
	grep -F "row 2: overflow: a value that the chain makes is too large"'

# wide: values around 100, as of times or weights
awk '{ for (k = 2; k <= NF; k++) { split($k, a, ":"); $k = a[1] ":" 100 + 20 * a[2] } print }' heart >wide
rp-project -q -m scale -s wide.ranges wide wide.scaled
randsvm-train -q wide.scaled wide.model
svm-eval --chain wide.chain wide.ranges wide.model
rp-project -q -m nystrom -k 20 -g 0.1 -s wide.map wide.scaled | randsvm-train -q -t 0 - mapped.model
svm-eval --chain forgot.chain wide.map mapped.model
svm-eval --chain whole.chain wide.ranges wide.map mapped.model
# alike ROWS CHAIN: the note
alike() { svm-eval "$1" "$2" 2>&1 | grep "note: the model hardly tells these rows apart"; }
ok 'rows that are scaled twice are told, of linear models and regressions without labels, too' \
	'sed "s/^[^ ]* //" wide.scaled >twice; randsvm-train -q -t 0 wide.scaled l && svm-eval --chain wide.linear wide.ranges l && randsvm-train -q -s 3 wide.scaled r &&
	svm-eval --chain wide.real wide.ranges r && for rows in wide.scaled twice; do for c in wide.chain whole.chain wide.linear wide.real; do
		svm-eval -q $rows $c o 2>said; ! grep . said && svm-eval $rows $c o 2>&1 | grep "note: of .*% of the rows most values are out of the chain.s ranges: are they" || exit; done; done'
ok '... and where ranges are left out, without labels, too' \
	'alike wide forgot.chain && sed "s/^[^ ]* //" wide >bare && alike bare forgot.chain'
ok '... of others there is no note'           '! alike wide wide.chain && ! alike wide whole.chain && ! alike heart all && ! alike <(head -n 20 wide.scaled) wide.chain &&
	for rows in wide heart; do svm-eval $rows wide.chain 2>&1; done | grep "note" >said; cat said; ! grep "note: of" <(svm-eval wide wide.chain 2>&1; svm-eval heart all 2>&1)'

fail 1 'svm-eval: standard input: row 1: overflow'  'echo 1 1:1e308 | svm-eval - t.chain'

# ---- tables ----

cp "$T/heart.csv" .
svm-convert -q -l heart -s columns --labels words heart.csv rows
rp-project -q -m scale -s csv.ranges rows csv.scaled
fs-select -q -m t -k 12 -s csv.choice csv.scaled | randsvm-train -q -c 10 - csv.model
svm-eval --chain csv.chain columns csv.ranges csv.choice words csv.model
(head -n 1 heart.csv; for i in $(seq 20); do sed 1d heart.csv; done) >many.csv
# told FILE: what the programs predict of a table
told() { svm-convert -q -r columns "$1" | rp-project -q -r csv.ranges | fs-select -q -r csv.choice |
	svm-eval -q --labels words --scores - csv.model -; }

ok 'a table is predicted as by the programs, by name' \
	'svm-eval -q --scores heart.csv csv.chain a && told heart.csv | cmp - a && grep -q "^presence " a'
ok '... for any threads, gzipped, in a pipe' \
	'told many.csv >a; for n in 1 2 5; do gzip -c many.csv | svm-eval -q --threads $n --scores - csv.chain b && cmp a b || exit 1; done'
ok '... measures'                   'svm-eval --metrics heart.csv csv.chain >a; fs-select -q -r csv.choice csv.scaled | svm-eval --metrics --labels words - csv.model | cmp - a'
ok '... without labels, columns in another order' \
	'cut -d, -f1-13 heart.csv >bare.csv; awk -F, -v OFS=, "{ t = \$1; \$1 = \$13; \$13 = t; print }" bare.csv >turned.csv
	svm-eval -q --scores turned.csv csv.chain a && svm-eval -q --scores heart.csv csv.chain b && cmp a b'
ok '... without names' \
	'sed 1d heart.csv >plain.csv; svm-convert -q --no-header -l 14 -s c2 plain.csv rows2 && randsvm-train -q rows2 m2 && svm-eval --chain plain.chain c2 m2 &&
	svm-eval -q plain.csv plain.chain a && svm-eval -q --labels words rows2 m2 b && cmp a b'
ok '... missing values, texts that were not learned' \
	'sed "3s/^[^,]*//; 4s/male/unheard/" heart.csv >odd.csv; svm-convert -q --missing mean -l heart -s c3 odd.csv r3; randsvm-train -q r3 m3
	svm-eval --chain odd.chain c3 m3 && svm-eval -q --scores odd.csv odd.chain a && svm-eval -q --labels words --scores r3 m3 b && cmp a b &&
	svm-eval odd.csv csv.chain 2>&1 | grep "odd.csv:3: " && sed "4s/male/unheard/" heart.csv >odd.csv &&
	svm-eval odd.csv csv.chain 2>&1 | grep "note: odd.csv:4: column .sex.: .unheard. is none of the categories .* as 1 value$"'
ok '... missing values of a column that has no mark: the mean of training, told and counted' \
	'sed "3s/^[^,]*//" heart.csv >odd.csv; sed "5,6s/^[^,]*//" heart.csv >later.csv; sed "5,6s/^[^,]*/?/; 7s/male//" heart.csv >both.csv
	for rule in mean mark; do svm-convert -q --missing $rule -l heart -s c.$rule heart.csv r.$rule; randsvm-train -q r.$rule m.$rule; done
	svm-convert -q --missing mark -l heart -s c.has odd.csv r.has; randsvm-train -q r.has m.has
	cmp m.mean m.mark && svm-eval --chain mean.chain c.mean m.mean && svm-eval --chain mark.chain c.mark m.mark && svm-eval --chain has.chain c.has m.has &&
	for t in later both; do svm-eval -q --scores $t.csv mean.chain a && svm-eval --scores $t.csv mark.chain b 2>told && cmp a b || exit 1; done
	cat told; grep "^svm-eval: note: both.csv: column .age. had no missing value .* stands for 3 such values$" told &&
	[ $(wc -l <told) -eq 1 ] && svm-eval later.csv has.chain >told 2>&1 && ! grep note told &&
	svm-eval --summary 1000 both.csv mark.chain - 2>&1 | grep "\"missing_values\": 3"'
ok '... rows that are left out are told' \
	'sed "3s/^[^,]*//; 5s/^[^,]*//" heart.csv >odd.csv; svm-convert -q --missing drop -l heart -s c4 odd.csv r4; randsvm-train -q r4 m4
	svm-eval --chain drop.chain c4 m4 && svm-eval odd.csv drop.chain a 2>told && svm-eval -q --labels words r4 m4 b && cmp a b && cat told &&
	grep "note: 2 rows with missing values have no prediction" told'
ok '... by the names of the columns where none are given, of classes alone' \
	'svm-eval --chain own.chain columns csv.ranges csv.choice csv.model && svm-eval -q --scores heart.csv own.chain a && told heart.csv | cmp - a &&
	randsvm-train -q -s 2 rows one.model && svm-eval --chain one.chain columns one.model && svm-eval -q heart.csv one.chain a && svm-eval -q rows one.model b && cmp a b'
fail 1 'plain.csv: no column' svm-eval plain.csv csv.chain
fail 1 "5: 2 fields, not 14"  'sed "5s/.*/1,2/" heart.csv | svm-eval - csv.chain'
fail 1 'no examples'          'head -n 1 heart.csv | svm-eval - csv.chain'
fail 1 'csv.chain: takes a table, one file, without --comments' svm-eval --comments heart.csv csv.chain x
fail 1 'rows: no column'      svm-eval rows csv.chain
fail 1 'plain.csv: 15 fields, and 14 columns'  'sed "1d; s/$/,9/" heart.csv >plain.csv; svm-eval plain.csv plain.chain'
fail 1 'csv.ranges: has features up to' 'svm-convert -q -l heart --ignore age,sex,pulse -s few heart.csv r4; svm-eval --chain no few csv.ranges csv.model'

fail 1 'words: no name of class -1 of the model'  'svm-convert -q -r columns --positive presence --labels sides heart.csv r5; randsvm-train -q r5 one.model; svm-eval --labels words r5 one.model'
fail 1 'class -1 of the model is none of the columns: make a chain of the files behind them' svm-eval --chain no columns one.model
printf '1 presence\n2 absence\n' >turned
for command in '--chain no columns csv.ranges csv.choice turned csv.model' '--labels turned heart.csv csv.chain'; do
	fail 1 'turned: the name of class 1 is that of class 2 in the columns' svm-eval $command
done
ok 'behind the columns, and by other names' \
	'svm-eval --chain one.chain sides one.model && svm-convert -q -r columns --positive presence heart.csv | svm-eval --metrics - one.chain | grep "class presence against not presence" &&
	printf "1 gesund\n2 krank\n" >german && svm-eval --chain german.chain columns csv.ranges csv.choice german csv.model && svm-eval -q --labels german heart.csv csv.chain - | grep -x krank'

# ---- weights ----

# csv.linear: of 6 features, which are numbered anew; seven.linear: of them of 7 before
fs-select -q -m t -k 7 --renumber -s seven.choice csv.scaled seven
fs-select -q -m rrqr -k 6 --renumber -s six.choice seven six
randsvm-train -q -t 0 six six.model
svm-eval --chain linear.chain columns csv.ranges seven.choice six.choice words six.model
svm-convert -q -l heart --names features heart.csv /dev/null
ok 'weights: those of the model, by the columns of the table' \
	'svm-eval --weights linear.chain >a 2>told && svm-eval --weights six.model >b && cut -d " " -f 1,3 a | sed 1d | cut -d " " -f 2 | diff - <(sed "1d; s/.* //" b) &&
	sed "1d; \$d" a | while read -r k name weight; do [ "$name" = "$(sed -n ${k}p features)" ] || exit 1; done && [ "$(wc -l <a)" = 8 ] &&
	grep "note: the weights are those of the values that linear.chain makes of the data" told'
ok '... the features are the ones that are chosen' \
	'svm-eval -q --weights linear.chain | sed "1d; \$d" | cut -d " " -f 1 >a
	paste -d " " a <(svm-eval --weights six.model | sed "1d; \$d" | cut -d " " -f 1) | while read -r data model; do
		printf "1 %s:1\n" "$data" | fs-select -q -r seven.choice | fs-select -q -r six.choice | grep -x "1 $model:1" || exit 1; done'
ok '... named by a choice, without columns' '
	fs-select -q -m t -k 7 --renumber --names features -s named.choice csv.scaled /dev/null
	svm-eval -q --weights linear.chain >a && for choice in named.choice seven.choice; do
		svm-eval --chain $choice.bare csv.ranges $choice six.choice words six.model && svm-eval -q --weights $choice.bare || exit; done >b
	cat a <(cut -d " " -f 1,3 a | sed "1s/.*/#index presence\/absence/") | cmp - b &&
	svm-convert -q -r columns heart.csv | svm-eval -q --explain 2 - named.choice.bare c && svm-eval -q --explain 2 heart.csv linear.chain d && cmp c d'
ok '... the largest, names of classes and of others' \
	'svm-eval -q --weights --top 1 linear.chain >a; cat a; grep "^#index name presence/absence" a && sed s/^/the_/ features >others &&
	svm-eval -q --weights --top 1 --names others linear.chain | grep "^[0-9]* the_[a-z]"'
ok '... of texts' \
	'printf "text,y\nthe cat,1\na dog,2\nthe dog,2\na cat,1\n" | svm-convert -q -l y --text text -s c5 - r5 && randsvm-train -q -t 0 r5 m5 && svm-eval --chain words.chain c5 m5 &&
	svm-eval --weights --top 1 --sign plus words.chain | grep "^[0-9]* cat "'
fail 1 '--names: few has 10 names for 25 features'         'head -n 10 features >few; svm-eval --weights --names few linear.chain'
fail 1 'svm-eval: --weights: a map in f.chain makes each feature of many' svm-eval --weights f.chain

# ---- names of features ----

# turned.columns: of the same table, its columns in another order; by.names: a choice that knows the names
awk -F, -v OFS=, '{ for (k = NF - 1; k > 0; k--) printf "%s,", $k; print $NF }' heart.csv >turned.csv
svm-convert -q -l heart -s turned.columns --names turned.names turned.csv /dev/null
fs-select -q -m t -k 7 --renumber --names features -s by.names csv.scaled by.seven
sed 1d <(fs-select -r by.names --list) | sort -n | cut -d ' ' -f 4- >seven.names
fs-select -q -m rrqr -k 6 --renumber --names seven.names -s by.six by.seven by.six.rows
randsvm-train -q -t 0 by.six.rows by.model
# line N FILE: its line N
line() { sed -n "$1p" "$2"; }
# f: the first feature in the choice, g: the least one of the model
f=$(fs-select -r by.names --list | sed -n 2p | cut -d ' ' -f 1)
g=$(svm-eval -q --weights linear.chain | sed -n 2p | cut -d ' ' -f 1)
ok 'a choice with the names of the columns, and of the choice before' \
	'svm-eval --chain by.chain columns csv.ranges by.names by.six by.model && svm-eval -q heart.csv by.chain a && svm-eval -q heart.csv linear.chain b && cmp a b &&
	svm-eval --chain rows.chain csv.ranges by.names by.six by.model && svm-eval -q --weights rows.chain | grep -c . | grep -x 8'
fail 1 "by.names: feature $f is '$(line "$f" features)', and '$(line "$f" turned.names)' in turned.columns: take rows, columns and names from one conversion of the table" \
	svm-eval --chain no turned.columns csv.ranges by.names by.six by.model
fail 1 "bad.six: feature 2 is 'else', and '$(line 2 seven.names)' in by.names: take rows" \
	'sed 2s/.*/else/ seven.names >others; fs-select -q -m t -k 7 --names others -s bad.six by.seven bad.rows
	svm-eval --chain no columns csv.ranges by.names bad.six by.model'
fail 1 'new.model: the choice before leaves out feature' \
	'fs-select -q -m t -k 5 -s kept csv.scaled kept.rows && fs-select -q -m t -k 5 --renumber csv.scaled new.rows && randsvm-train -q new.rows new.model
	svm-eval --chain no columns csv.ranges kept new.model'
fail 1 'new.choice: the choice before leaves out feature' \
	'fs-select -q -m t -k 3 -s new.choice new.rows three.rows && randsvm-train -q three.rows three.model && svm-eval --chain no kept new.choice three.model'
ok '... names that are the same but for blanks and quotes, some that are not known' \
	'sed "s/.*/\"&\"  /; ${f}s/.*//" features >quoted && fs-select -q -m t -k 7 --names quoted -s c6 csv.scaled x6 && randsvm-train -q x6 m6 && svm-eval --chain some.chain columns csv.ranges c6 m6'
ok '... none behind a map that makes features of many, or of columns of a hash' \
	'rp-project -q -m pca -k 8 -s p7 csv.scaled p.rows && fs-select -q -m t -k 3 --names turned.names -s c7 p.rows p3 && randsvm-train -q p3 m7 && svm-eval --chain x7 columns csv.ranges p7 c7 m7 &&
	printf "text,y\nthe cat,1\na dog,2\nthe dog,2\na cat,1\n" | svm-convert -q -l y --text text --hash 4 -s c8 - r8 && fs-select -q -m f -k 2 --names turned.names -s c9 r8 x8 && randsvm-train -q x8 m8 && svm-eval --chain x9 c8 c9 m8'
for chain in by rows; do
	for command in --weights '--explain 2'; do
		fail 1 "turned.names: feature $g is '$(line "$g" turned.names)', and '$(line "$g" features)' in $chain.chain: take rows" \
			svm-eval $command --names turned.names $([ "$command" = --weights ] || echo heart.csv) $chain.chain \
			$([ "$command" = --weights ] || echo -)
	done
done
ok '... others in their place'   'sed s/^/the_/ turned.names >others && svm-eval -q --weights --names others rows.chain | grep " the_"'

# ---- malformed rows ----

ok '--on-error answer: a line for each row, in its place' \
	'(head -n 3 heart; echo what; echo "1 3:x"; echo "1 5:1 2:1"; sed 1,3d heart) >bad.rows
	svm-eval -q --on-error answer bad.rows all a && svm-eval -q heart all b && sed 4,6d a | cmp - b &&
	sed -n 4,6p a | grep -c "^error: bad.rows:[456]:[0-9]*: " | grep -x 3'
ok '... for any threads' \
	'for i in $(seq 60); do cat bad.rows; done >many; svm-eval -q --threads 1 --on-error answer many all a &&
	svm-eval -q --threads 4 --on-error answer many all b && cmp a b && [ "$(wc -l <a)" = "$(wc -l <many)" ]'
ok '... features that the map does not take' \
	'printf "1 1:1\n1 99:1\n1 2:1\n" | svm-eval -q --on-error answer - f.chain - | sed -n 2p | grep "error: standard input:2:3: feature 99 above 16"'
ok '... rows that come slowly are answered at once' \
	'mkfifo asked told.by; svm-eval -q --on-error answer asked all told.by & exec 3>asked 4<told.by; echo bad >&3; read -r -t 20 a <&4; head -n 1 heart >&3
	read -r -t 20 b <&4; exec 3>&-; wait; [[ $a == "error: asked:1:1: "* ]] && [ "$b" = 1 ]'
ok '... all of them'          'echo bad | svm-eval -q --on-error answer - all - | grep -x "error: standard input:1:1: .*"'
# bad.csv: a record is missing a value, one has few fields, one a quote too many, one no class, one a word
sed '3s/^[^,]*//; 5s/.*/1,2/; 7s/^/"/; 9s/presence/what/; 11s/^[^,]*/x/; 12s/^[^,]*/"a"b/' heart.csv >bad.csv
ok '... of tables' \
	'svm-eval -q --on-error answer --scores bad.csv csv.chain a && svm-eval -q --scores heart.csv csv.chain b &&
	for k in 3 5 7 9 11 12; do sed -n ${k}p a | grep "^error: bad.csv:$k: " || exit 1; sed -i "${k}s/.*//" a b; done && cmp a b'
ok '... without --missing drop'  'svm-eval -q --on-error answer odd.csv drop.chain a && sed -n 2p a | grep "^error: odd.csv:3: " && [ "$(wc -l <a)" = 270 ]'
ok '... for any threads, gzipped, in pieces' \
	'(cat bad.csv; for i in $(seq 9); do sed 1d bad.csv; done) >many; svm-eval -q --on-error answer many csv.chain a && gzip -c many | svm-eval -q --threads 3 --on-error answer - csv.chain b &&
	sed "s/standard input/many/" b | cmp - a && (while read -r row; do echo "$row"; done <bad.csv) | svm-eval -q --on-error answer - csv.chain b && head -n 270 a | sed s/many/bad.csv/ >c && sed "s/standard input/bad.csv/" b | cmp - c'
# asks CHAIN ROW BAD ROW [HEADING]: each is answered before the next is asked
asks()
{
	rm -f asked told.by; mkfifo asked told.by; svm-eval -q --on-error answer asked "$1" told.by & exec 3>asked 4<told.by
	[ -z "$5" ] || echo "$5" >&3
	for row in "$2" "$3" "$4"; do echo "$row" >&3; read -r -t 20 answer <&4; echo "$answer"; done
	exec 3>&- 4<&-; wait
}
ok '... whose records come slowly' \
	'asks csv.chain "$(sed -n 2p heart.csv)" 1,2 "$(sed -n 3p heart.csv)" "$(head -n 1 heart.csv)" | diff - <(printf "presence\nerror: asked:3: 2 fields, not 14\nabsence\n")'
ok '... and have no heading' \
	'asks plain.chain "$(sed -n 2p heart.csv)" "$(sed -n 3p heart.csv | sed s/67/x/)" "$(sed -n 3p heart.csv)" >told; cat told; sed -n 2p told | grep "^error: asked:2: column .1.: .x. is not a number" && ! sed 2d told | grep error'
fail 1 'plain.csv: no column'    svm-eval --on-error answer plain.csv csv.chain x2
ok '... a byte 0' \
	'(head -n 2 heart.csv; printf "1,\0"; sed -n 3p heart.csv; printf "\0\n\n"; sed 1,2d heart.csv) >zeros
	svm-eval -q --on-error answer zeros csv.chain a && svm-eval -q heart.csv csv.chain b && sed 2,3d a | cmp - b &&
	sed -n 2,3p a | diff - <(printf "error: zeros:%d: a byte 0: this is no text\n" 3 4) && svm-eval -q --on-error answer - csv.chain - <zeros | sed "s/standard input/zeros/" | cmp - a'
fail 1 'a byte 0'                'svm-eval -q zeros csv.chain x2'
# row 2 and the last are too large, 3 is no row
(sed -n 1p heart; echo 1 1:1e308; echo what; sed 1d heart; echo 1 1:-1e308 2:1) >large
ok '... numbers of which the chain makes none' \
	'svm-eval --threads 1 --scores --with-labels --on-error answer large t.chain a 2>told >told.out && svm-eval --scores --with-labels heart t.chain b | cmp - told.out && sed "3,4d; \$d" a | cmp - b &&
	sed -n "3p; \$p" a | diff - <(yes "error: a value that the chain makes is too large" | head -n 2) && sed -n 4p a | grep "^error: large:3:" && cat told &&
	grep -x "svm-eval: note: errors in place of predictions: 3, the first: row 2: a value that the chain makes is too large" told'
ok '... for any threads, with a summary' \
	'for i in $(seq 60); do cat large; done >many; svm-eval --threads 1 --on-error answer many t.chain a 2>told && svm-eval --threads 4 --on-error answer --summary 400 many t.chain b 2>lines &&
	cmp a b && grep "note: errors in place of predictions: 180, " told && sed -n "s/.*\"refused\": \([0-9]*\),.*/\1/p" lines | awk "{ n += \$1 } END { print n }" | grep -x 180'
ok '... --measure leaves the answers out' \
	'svm-eval -q --with-labels --scores --on-error answer large t.chain a; svm-eval --measure a 2>told | sed 1q >c; svm-eval heart t.chain | cmp - c &&
	grep "note: a: 3 rows have no label or an error, and are left out" told'
ok '... and keeps a class of that name' \
	'printf "1 error:\n-1 good\n" >l3; printf "label prediction\nerror: good\ngood good\nerror: error:\n" >a; svm-eval --labels l3 --measure a | grep "(2/3)"'
ok '... -q says nothing'        'svm-eval -q --on-error answer large t.chain answers >told 2>&1; cat told; ! test -s told'
ok '... --explain'               'sed 3d large >large.rows; svm-eval --on-error answer --explain 2 large.rows t.chain x1 2>told && cat told && svm-eval -q --explain 2 heart t.chain x3 &&
	cut -f 1-3 x3 | cmp - <(sed "3d; \$d" x1 | cut -f 1-3) && sed -n "3p; \$p" x1 | grep -c "^error: Shapley values are not known" | grep -x 2 && grep "predictions: 2, the first: row 2: it is not explained" told'
# the end of a record of bytes 0 is not sought, and rows of the chain before it have their answers
fail 1 'a byte 0: this is no text'  '(cat heart.csv; cat /dev/zero) | timeout 60 svm-eval --on-error answer - csv.chain x2'
fail 1 'row 2: overflow'         'svm-eval -q large.rows t.chain x2'
fail 1 "expected a label, got 'what'" svm-eval --on-error stop bad.rows all x2
fail 1 'needs an output_file' svm-eval --on-error answer bad.rows all

# ---- refusals ----

fail 1 'ranges: has features up to 13, and map makes 8'       svm-eval --chain no map ranges model
fail 1 'model: has features up to 5, and map makes 8'     svm-eval --chain no ranges map model
fail 1 'model: is taken for model, and comes too late: a chain is columns, 4 maps at most, labels and a model' \
	svm-eval --chain no ranges model model
fail 1 'ranges: is taken for map-1, and comes too late' svm-eval --chain no labels ranges map choice model
fail 1 'labels: is taken for labels, and comes too late'    svm-eval --chain no ranges map choice labels labels model
fail 1 'ranges: is taken for map-1, and comes too late'    svm-eval --chain no model ranges
fail 1 'a chain ends with a model'                     svm-eval --chain no ranges
fail 1 'again: is the same as ranges'           'cp ranges again; svm-eval --chain no ranges map again choice model'
fail 1 'lines must end in LF alone, as written'        'sed "s/$/\r/" all >crlf; svm-eval heart crlf'
fail 1 'name its files behind model, the model last'   svm-eval --chain model
fail 1 'heart.csv: is no columns, map, labels or model'              svm-eval --chain no heart.csv model
fail 1 'map5: is taken for map-1, and comes too late' 'for k in 1 2 3 4 5; do rp-project -q -k 8 --seed $k -s map$k heart x; done; svm-eval --chain no map1 map2 map3 map4 map5 model'
fail 1 'this class has a name already'                 svm-eval --chain no ranges map choice heart model
fail 1 "nosuch: No such file"          svm-eval --chain no nosuch model
fail 1 'all: is no columns, map, labels or model' svm-eval --chain no ranges all model
fail 1 'the checksum does not fit'                     'sed "s/[.]1/.2/" map >bad; svm-eval --chain no ranges bad choice model'
fail 1 'one: no name of class -1 of the model'     'echo "1 a" >one; svm-eval --chain no ranges map choice one model'
fail 1 'labels: the model is of a regression' 'randsvm-train -q -s 3 scaled r; svm-eval --chain no ranges labels r'
fail 1 "'ranges' and 'ranges' are the same file"       svm-eval --chain ranges ranges model
ok 'nothing is left of them'                           '! test -e no'
fail 1 "all: the model's kernel is not linear" svm-eval --weights all
fail 1 'a chain is for predictions; name its model here' svm-eval --certify heart all
fail 1 'a chain is for predictions; name its model here' svm-eval --reduce 5 heart all out
fail 1 'a chain is for predictions; name its model here' svm-eval --geometry heart all
ok 'a changed byte anywhere is refused' \
	'n=$(wc -c <all); for at in $(seq 20 97 $((n - 1))); do
		{ head -c $at all; head -c 1 <(tail -c +$((at + 1)) all) | tr "0-9a-z\n" "1-90b-za0"; tail -c +$((at + 2)) all; } >bad
		cmp -s bad all || ! svm-eval heart bad >told 2>&1 || { echo "$at"; exit 1; }
		grep -q "bad:[0-9]*: " told || { cat told; exit 1; }
	done'
ok 'a chain that is cut anywhere is refused' \
	'for at in 1 9 14 15 20 40 400 2000 $(($(wc -c <all) - 1)); do head -c $at all >cut; ! svm-eval heart cut out 2>told || exit 1
		grep -q "model file cut: " told || exit 1; done; ! test -e out'

# signed FILE: the file with the checksum that it should have
signed() { sed '$d' "$1" | python3 -c 'import sys, zlib
b = sys.stdin.buffer.read()
sys.stdout.buffer.write(b + b"checksum %08x\n" % zlib.crc32(b))'; }

if command -v python3 >/dev/null; then
	fail 1 "expected data of"          'sed "s/^map-1 .*/map-1 9999/" all >b; signed b >bad; svm-eval heart bad'
	fail 1 "bad: map-2:1: expected"               'sed "s/^map-1 15/map-1 14/; s/^map-2 21/map-2 22/" all >b; signed b >bad; svm-eval heart bad'
	fail 1 'bad: map-1:3: expected'    'n=$(grep -n "^x$" all | cut -d: -f1); sed "$((n + 2))s/ .*//" all >b; signed b >bad; svm-eval heart bad'
	# renamed NAMES: by.chain as versions made it that did not compare names, with others in its choice
	renamed()
	{
		fs-select -q -m t -k 7 --renumber --names "$1" -s the.names csv.scaled the.rows
		python3 -c 'print(open("by.chain").read().replace(open("by.names").read(), open("the.names").read()), end="")' >b; signed b
	}
	ok 'a chain of before is read where its names are others' \
		'sed s/^/the_/ features >others; renamed others >old; ! cmp -s old by.chain && svm-eval -q heart.csv old old.p && svm-eval -q heart.csv by.chain new.p && cmp old.p new.p'
	fail 1 "bad: columns: feature $f is '$(line "$f" features)', and '$(line "$f" turned.names)' in map-2: take rows" \
		'renamed turned.names >bad; svm-eval heart.csv bad'
else
	skip 'no python3'
fi
