# Tables of delimited text as rows, judged by Python's reader of CSV.

. "$TOP/test/helpers.bash"

need svm-convert python3

# rows TEXT OPTION...: the rows of a table, on one line
rows() (
	set -o pipefail
	printf "$1" | svm-convert -q "${@:2}" | tr '\n' '|'
)
# gives ROWS TEXT OPTION...: the rows of the table are these
gives()
{
	local got
	got=$(rows "${@:2}")
	echo "$got"
	[ "$got" = "$1" ]
}

ok 'numbers and categories'   gives '2 1:1 3:1|1 2:1 3:2|' 'a,b,y\nu,1,no\nv,2,maybe\n' -l y
ok 'the label by its number'  gives '2 1:1 3:1|1 2:1 3:2|' 'a,b,y\nu,1,no\nv,2,maybe\n' -l 3
ok 'labels that are numbers'  gives '-1 1:5|2.5 1:6|' 'y,x\n-1,5\n2.5,6\n' -l y
ok 'no labels'                gives '0 1:-1 2:5|0 1:2.5 2:6|' 'y,x\n-1,5\n2.5,6\n' --no-label
ok 'tabs'                     gives '1 1:2 2:3|' 'y\tx,z\tu\n1\t2\t3\n' -l y
ok 'semicolons'               gives '1 1:2.5|' 'y;x\n1;2,5\n' -l y --decimal-comma
ok 'a delimiter named'        gives '1 1:1|' 'y x;z;u\n1 2;3\n' -l y --delimiter blank
ok 'texts with two blanks, between tabs'  gives '1 1:1|2 2:1|' 'label\ttext\nham\tWhat?  2 of us\nspam\tWin\n' -l label
ok 'their numbers, too'  gives '1 1:1 3:1|-1 2:1 4:1|' 'y\tname\ttel\n1\tAnn\t12  34\n-1\tBob\t56  78\n' -l y --categories tel
ok 'words below words, and gaps'  gives '2 1:12 3:1|1 1:7 2:1|' 'good  12 -\nbad   7 +\n' -l 1
ok 'columns that are not aligned' gives '1 1:5.1 2:3.5|1 1:4.9 2:3|2 1:7 2:3.2|' '5.1  3.5 setosa\n4.9  3.0 setosa\n7.0  3.2 versicolor\n' -l 3
ok 'quotes that decimal commas need'  gives '0 1:5.1 2:3|1 1:5 2:4|' '"5,1",3,0\n5,4,1\n' -l 3 --decimal-comma
ok 'records of signs'          gives '2 2:1|1 1:1|' 'strand,y\n-,-\n+,+\n' -l y
ok 'a restored name of rows' \
	'printf "a b y\nr1 1 2 pos\nr2 3 4 neg\n" >named && svm-convert -q -l y --header -s learned named first && svm-convert -q -r learned named second && cmp first second'
ok 'commas after commas'       gives '1 1:2 2:3|0 1:5 2:6|' '1,2,3\n0,5,6\n' -l 1
ok 'numbers in a comment'      gives '1 1:2|-1 1:3|' '# 1,2\n1,2\n-1,3\n' -l 1
ok 'the category None'         gives '1 1:1|2 2:1|2 1:1|' 'y,x\n1,None\n2,low\n2,None\n' -l y
ok 'the class None'            gives '1 1:3|2 1:4|' 'x,y\n3,None\n4,low\n' -l y
ok 'blanks at both ends'      gives '0 1:1.5 2:18|1 1:22.25|' ' 1.5  18.00  0 \n22.25   0.00 1\n' -l -1 --delimiter blank
ok 'blanks and a quoted name' gives '18 1:8 2:307 4:1|15 1:8 3:1|' '18.0  8   307.0\t"b ""b"""\n15.0  8   ?\t"a"\n' -l 1 --missing zero
ok 'blanks, CRLF'             gives '1 1:2|3 1:4|' '1.0e+00 2.0e+00\r\n3.0e+00 4.0e+00 \r\n' -l 1
ok 'one blank between fields' gives '1 1:1 2:2|2 1:3 2:4|' '1 2 p\n3 4 q\n' -l -1
ok 'blanks within texts'      gives '6 2:1|7 1:1|' 'first name,y\nJohn Smith,6\nA B,7\n' -l y
ok 'dates with blanks'        gives '6 1:1 3:5|7 2:1 3:6|' '2020-01-01 10:00,5,6\n2020-01-01 11:00,6,7\n' -l -1
ok 'empty fields between tabs' gives '1 2:3|4 1:5 2:6|' '1\t\t3\n4\t5\t6\n' -l 1 --missing zero
ok 'decimal commas'           gives '1 1:1.5 2:2.5|2 1:2.5 2:3.5|' '1,5;2,5;1\n2,5;3,5;2\n' -l -1 --decimal-comma
ok '... and decimal points'  gives '1 1:1.5|-1 1:2.5|' 'y;x\n1.0;1.5\n-1.0;2,5\n' -l y --decimal-comma
ok 'decimal commas, aligned'  gives '1 1:1.5 2:2.5|2 1:2.5 2:3.5|' '1,5  2,5  1\n2,5  3,5  2\n' -l -1 --decimal-comma
ok "Fortran's exponents"       gives '1 1:2 2:0.3|-30 1:0.04 2:5|' ' 0.1D+01 0.2d+01 0.3D+00\n-0.3D+02 0.4D-01 5.\n' -l 1
ok 'a D without a sign is text' gives '1 1:1|2 2:1|' 'y,x\n1,12D3\n2,12D4\n' -l y
ok "R's matrix"                gives '1 1:2 2:3|4 1:5 2:6|' '     [,1] [,2] [,3]\n[1,]    1    2    3\n[2,]    4    5    6\n' -l 2
ok 'bars'                     gives '0 1:1 2:2|1 1:3 2:4|' 'a|b|y\n1|2|0\n3|4|1\n' -l y
ok 'no header'                gives '1 1:2|3 1:4|' '1,2\n3,4\n' -l 1
ok 'a header of numbers'      gives '3 1:4|' '1,2\n3,4\n' -l 1 --header
ok 'a column ignored'         gives '1 1:2|' 'y,id,x\n1,8,2\n' -l y --ignore id
ok 'numbers as categories'    gives '1 1:1 3:7|2 2:1 3:8|' 'y,code,x\n1,3,7\n2,5,8\n' -l y --categories code
ok 'no last line end'         gives '1 1:2|' 'y,x\n1,2' -l y
ok 'CRLF'                     gives '1 1:1 2:2|' 'y,x,z\r\n1,"a\r\nb",2\r\n' -l y
ok 'empty lines'              gives '1 1:2|1 1:3|' '\ny,x\n\n1,2\n\n\n1,3\n' -l y
ok 'the mark of UTF-8'        gives '1 1:2|' '\xef\xbb\xbfy,x\n1,2\n' -l y
ok 'blanks around fields'     gives '1 1:2 2:1|' 'y , x,z\n 1, 2 , a \n' -l y
ok 'quotes'                   gives '1 1:1|2 2:1|' 'y,x\n1,"a, ""b"""\n2,"c"\n' -l y
fail 1 'this is no text'          rows 'y,x\n1,NA\0z\n2,b\n' -l y
fail 1 'input:2: text behind a quoted field'  rows 'y,x\n"1"\r,2\n' -l y

# ---- columns that other programs aligned, judged by the same table as CSV ----

cat >aligned.py <<'END_OF_PYTHON'
import csv, random, sys
r = random.Random(int(sys.argv[1]))
names = ['y', 'size', 'kind', 'd']
rows = [[r.choice([1, 2]), round(r.gauss(0, 50), 3), r.choice(['plain', 'a b', 'say "x"']), r.randrange(1000)]
        for _ in range(r.randrange(3, 30))]
numbers = [[row[0], row[1], row[3]] for row in rows]
quoted = lambda v: '"%s"' % v.replace('"', '""') if isinstance(v, str) else str(v)
def write(name, lines):
    open(name, 'w').write(''.join(line + '\n' for line in lines))
def write_csv(name, rows):
    csv.writer(open(name, 'w', newline='')).writerows(rows)
def right(rows):
    width = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [' '.join(v.rjust(w) for v, w in zip(row, width)) for row in rows]
write_csv('numbers.csv', numbers)
write_csv('named.csv', [names] + rows)
write('numbers.savetxt', [' '.join('%.18e' % v for v in row) for row in numbers])
write('numbers.fortran', [''.join('%16.9G' % v for v in row) + '  ' for row in numbers])
write('numbers.housing', right([[' %.4f' % v for v in row] for row in numbers]))
write('numbers.tab', ['%d   %.3f\t%d' % tuple(row) for row in numbers])
write('named.table', [' '.join('"%s"' % n for n in names)] +
      [' '.join(['"%d"' % (k + 1)] + [quoted(v) for v in row]) for k, row in enumerate(rows)])
write('named.print', right([[''] + names] + [[str(k + 1)] + [quoted(v) for v in row] for k, row in enumerate(rows)]))
END_OF_PYTHON
aligned()
{
	python3 aligned.py "$1" || return 1
	local file label
	for file in numbers.* named.*; do
		[[ $file = named.* ]] && label=y || label=1
		svm-convert -q -l $label "${file%.*}.csv" expected && svm-convert -q -l $label "$file" got || return 1
		cmp expected got || { head -3 "$file"; return 1; }
	done 2>&1
}
for seed in 1 2 3 4 5 6 7 8; do
	ok "aligned columns, $seed" aligned $seed
done

# ---- names of columns ----

# notes TEXT OPTION...: the notes on a table
notes() { printf "$1" | svm-convert "${@:2}" 2>&1 >/dev/null; }

years='gene,2001,2002,class\na,1.5,2,u\nb,2.5,3,v\nc,1,0,u\n'
ok 'years, the label named'   gives '1 1:1.5 2:2|2 1:2.5 2:3|1 1:1|' "$years" -l class --ignore gene
ok 'years, its number'        'notes "$years" -l 4 | grep "line 1 is taken for a record, and has texts that no other line has"'
ok 'a heading, its number'    gives '1 1:1.5 2:2|2 1:2.5 2:3|1 1:1|' "$years" -l 4 --ignore 1 --header
ok 'the last column'          gives '1 1:1.5 2:2|2 1:2.5 2:3|1 1:1|' "$years" -l -1 --ignore 1 --header
ok 'years below a text'       gives '1 1:5 2:6|2 1:7 2:8|' '2001,2002,class\n5,6,1\n7,8,2\n' -l 3
ok 'a note on it' \
	'notes "2001,class\n5,1\n" -l 2 | grep "input:1: is taken for the names of the columns: if it is a record"'
ok 'years restored'           'printf "$years" | svm-convert -q -l class --ignore gene -s y.columns >y.rows &&
	printf "$years" | svm-convert -r y.columns | cmp - y.rows'
ok 'texts and numbers, no names' \
	gives '2 1:1 3:7|1 2:1 3:8|2 1:1 3:9|' 'a,7,v\nb,8,u\na,9,v\n' -l 3
ok 'no note on them'          '[ -z "$(notes "a,7,v\nb,8,u\na,9,v\n" -l 3)" ]'
ok 'names of rows are left out' gives '1 1:3|2 1:4|' ',y,x\nr1,a,3\nr2,b,4\n' -l y
ok 'a note on these'          'notes ",y,x\nr1,a,3\nr2,b,4\n" -l y | grep "first column has no name"'
ok 'as write.table writes them' gives '1 1:3|2 1:4|' 'y x\nr1 a 3\nr2 b 4\n' -l y --header
ok 'its names in quotes'      gives '1 1:3|2 1:4|' '"y" "x"\n"r1" "a" 3\n"r2" "b" 4\n' -l y
ok 'names twice'              gives '1 1:4|' 'y,x,x,x\n1,3,4,5\n' -l y --ignore x,x.2
ok 'two columns of a name where one was learned' '
	printf "y,x,z\n1,3,4\n2,5,1\n" | svm-convert -q -l y --ignore z -s one.columns - rows
	printf "z,x,z,y\n1,3,4,2\n" | svm-convert -q -r one.columns | grep -x "2 1:3" &&
	! printf "x,x,y\n1,3,4\n" | svm-convert -q -r one.columns 2>said && grep "columns 1 and 2 have the same name, .x." said &&
	printf "y,x,x\n1,3,4\n2,5,1\n" | svm-convert -q -l y -s two.columns - rows && printf "y,x,x\n1,3,4\n" | svm-convert -q -r two.columns'
ok 'a note on the last'       'notes "y,x,x\n1,3,4\n" -l y | grep "same name: column 3 is called .x.1."'
ok 'a column without a name'  gives '1 1:3|' 'y,,x\n1,9,3\n' -l y --ignore 2
ok 'identifiers' \
	'{ echo y,a,b; seq 12 | sed "s/.*/1,p&,&/"; } | svm-convert -l y 2>&1 >rows |
	grep -c "column .a. has another text in each row\|column .b. counts the rows" | grep -x 2'
ok '... but for a few' \
	'{ echo y,a; seq 20 | sed "s/.*/1,p&/"; echo 2,p3; } | svm-convert -l y 2>&1 >rows | grep "column .a. has another text in nearly each row"'

# ---- columns whose values tell the label, as names of groups do (test/plain_group_column.py) ----

# notes, quiet, told KIND COLUMNS OPTION...: what is said of a table; no note; a note on the column that is left
notes()
{
	python3 "$TOP/test/plain_group_column.py" "$1" >groups.csv && svm-convert -l y --ignore "$2" "${@:3}" groups.csv rows 2>said && cat said
}
quiet() { notes "$@" && ! grep "rows of one label" said; }
told()
{
	notes "$@" &&
		[ "$(grep -c "has rows of one label" said)" -le 1 ] &&
		grep "^svm-convert: note: groups.csv: column .[a-z]*.: \(nearly \)\?each of 100 values has rows of one label: .* --group '[a-z]*', else keep it or --ignore it$" said
}
for kind in 'in turn' shuffled 'wrong 5' three; do
	ok "groups by name, $kind"           "told '$kind' number | grep 'who'"
	ok "groups by number, $kind"         "told '$kind' who | grep 'number'"
	ok "groups by number as categories"  "told '$kind' who --categories number | grep 'number'"
done
ok 'one note'                       'told "in turn" site | grep who'
for kind in chance rare values 'wrong 6'; do
	ok "no groups: $kind"              "quiet '$kind' site"
done
for kind in threshold fractions; do
	ok "no groups: $kind of a number"  "quiet '$kind' who"
done
ok 'groups that are told'           'quiet "in turn" site --group who && quiet "in turn" who,number && quiet "in turn" site -q'
ok 'groups in ARFF' \
	'python3 "$TOP/test/plain_group_column.py" shuffled >groups.csv
	{ echo @relation r; echo "@attribute y {0,1}"; echo "@attribute who {$(seq -s , -f P%g 0 99)}"; echo "@attribute site string"
	  echo "@attribute number numeric"; echo "@attribute x numeric"; echo @data; sed 1d groups.csv; } >groups.arff
	svm-convert -l y groups.arff rows 2>&1 | grep "column .who.: each of 100 values has rows of one label"'
ok '... and later tables have no such note' 'svm-convert -q -l y -s of.groups groups.csv rows && svm-convert -r of.groups groups.csv rows 2>&1 | cmp - /dev/null'

# ---- missing values ----

table='y,x,c\n1,4,u\n2,,v\n3,8,?\n'
fail 1 "standard input:3: column 'x': '' is a missing value"  rows "$table" -l y
ok 'drop'   gives '1 1:4 2:1|' "$table" -l y --missing drop
ok 'zero'   gives '1 1:4 2:1|2 3:1|3 1:8|' "$table" -l y --missing zero
ok 'mean'   gives '1 1:4 2:1|2 1:6 3:1|3 1:8|' "$table" -l y --missing mean
ok 'mark'   gives '1 1:4 3:1|2 2:1 4:1|3 1:8 5:1|' "$table" -l y --missing mark
ok 'mark of a column that had none to learn from: the mean, or no category, told once' \
	'printf "y,x,c\n1,4,u\n2,8,v\n" >known; printf "y,x,c\n1,,u\n2,8,?\n1,NA,v\n" >later; svm-convert -q --missing mark -l y -s marks known /dev/null
	svm-convert -r marks later 2>told | tr "\n" "|" | grep -xF "1 1:6 2:1|2 1:8|1 1:6 3:1|" && cat told && [ $(wc -l <told) -eq 1 ] &&
	grep "^svm-convert: note: later: column .x. had no missing value .* stands for 3 such values$" told &&
	svm-convert -q -r marks later 2>&1 >/dev/null | cmp - /dev/null && svm-convert -r marks known 2>&1 >/dev/null | cmp - /dev/null'
fail 1 "column 'y': '' is a missing label"  rows 'y,x\n,1\n' -l y --missing zero
ok 'a label that drops' gives '2 1:3|' 'y,x\nNA,1\n2,3\n' -l y --missing drop

# ---- texts among numbers ----

censored='y,x\n1,4\n1,5\n1,6\n1,7\n1,8\n1,9\n1,10\n1,11\n1,12\n2,<0.1\n'
few='y,x\n1,4\n1,5\n2,<0.1\n'
comma='y;x\n1;4\n1;5,5\n2;6\n'
fail 1 "standard input:11: column 'x': '<0.1' is not a number, as 9 of 10 values are: --na"  rows "$censored" -l y
fail 1 "standard input:11: column 'x': '<0.1' is not a number, as 9 of 10"  rows "$censored" -l x
fail 1 "standard input:3: column 'x': '5,5' is not a number: is it one with --decimal-comma" rows "$comma" -l y
ok 'categories all the same'  '[ "$(rows "$censored" -l y --categories x | tail -c 7)" = "2 10:1|" ]'
ok 'a text for a missing value' \
	'[ "$(rows "$censored" -l y --na "n.d.,<0.1" --missing zero -s na.columns | tail -c 10)" = "|1 1:12|2|" ]'
ok 'its text restored'        '[ "$(printf "$few" | svm-convert -r na.columns | tail -n 1)" = 2 ]'
ok 'a note' \
	'printf "$few" | svm-convert -l y >rows 2>note &&
	grep "input:4: column .x.: .<0.1. is not a number, as 2 of 3 values are: all are taken for categories" note'
for text in n.d. '<5' low; do
	ok "'$text' for most of the values" \
		"printf 'y,x\n1,4\n1,5\n1,$text\n2,$text\n2,$text\n2,$text\n2,$text\n' | svm-convert -l y 2>&1 >rows |
		grep \"column 'x': '$text' is not a number, as 2 of 7 values are: all are taken for categories, unless --na names it\""
done
for text in NaT '\\N' '#DIV/0!' '#VALUE!' '#ref!' '#NAME?' '#NUM!' '#NULL!' '#N/A'; do
	fail 1 "is a missing value: svm-convert --missing says"  rows "y,x\n1,4\n1,5\n2,$text\n" -l y
	ok "'$text' is missing"  '[ "$(rows "y,x\n1,4\n1,5\n2,$text\n" -l y --missing zero)" = "1 1:4|1 1:5|2|" ]'
done
for text in '<NULL>' '[null]' '-nan'; do
	ok "$text, among texts, too"  gives '1 1:1|2|1 2:1|' "y,x\n1,a\n2,$text\n1,b\n" -l y --missing zero
done
for text in - -- . .. '*' None nil n.a. Unknown; do
	fail 1 "input:3: column 'x': '$text' is a missing value" rows "y,x\n1,2.5\n2,$text\n" -l y
	ok "$text among numbers"      gives '1 1:2.5|2 2:1|' "y,x\n1,2.5\n2,$text\n" -l y --missing mark
	ok "$text among texts"        gives '1 1:1|2 2:1|' "y,x\n1,${text}\n2,zz\n" -l y
	ok "$text in a later table"   \
		'printf "y,x\n1,2.5\n2,3\n" | svm-convert -q -l y -s learned >later; printf "y,x\n1,%s\n" "'"$text"'" | svm-convert -q -r learned --missing zero | grep -qx 1'
done
fail 1 "'none' is a missing label"    rows 'x,y\n1,2\n2,none\n' -l y
ok 'plus and minus are classes' gives '1 1:3|2 1:4|' 'x,y\n3,+\n4,-\n' -l y
# rounded NUMBER: a note names the number, which no double is
rounded() { (echo x,y && echo 7,1 && echo "$1,1" && echo 1,2) | svm-convert -l y 2>&1 >rows | grep "input:3: column 'x': '$1' has more digits than a double holds"; }
for n in 9007199254740993 -12345678901234567 123456789012345678901234567890; do
	ok "the integer $n"  rounded $n
done
for n in 9007199254740992 9007199254740994 -12345678901234568 18446744073709551616 1e300 12345678901234567.5; do
	ok "the number $n"  "! rounded $n"
done
ok '... in a later table'  'printf "x,y\n7,1\n2,2\n" | svm-convert -q -l y -s learned >rows; printf "x,y\n3,1\n9007199254740993,2\n" | svm-convert -r learned 2>&1 >rows | grep "input:3: column .x.: .9007199254740993. has more digits"'
ok '... as a category'  '! printf "x,y\n12345678901234567,1\n12345678901234568,2\n" | svm-convert -l y --categories x 2>&1 | grep digits'
ok 'categories with commas'   gives '1 1:1|1 2:1|2 3:1|' "$comma" -l y --decimal-comma --categories x
ok 'labels as classes'        gives '1 1:4|2 1:5|' 'y,x\n7,4\n8,5\n' -l y --categories y
ok 'a name with a comma'      gives '1 1:3|' 'y,"a,b",c,x\n1,1,2,3\n' -l y --ignore '"a,b",c'

# decorated TEXT OTHER: a column of such numbers stops the program, which names what is no number in
# them, unless it is one of categories
decorated()
{
	printf 'y;price\n1;%s\n2;%s\n' "$1" "$1" >decorated.csv
	svm-convert -l y --categories price decorated.csv 2>note | cmp - <(printf '1 1:1\n2 1:1\n') && [ ! -s note ] &&
	! svm-convert -q -l y decorated.csv 2>note && grep -F "column 'price': '$1' is no number for its '$2'" note
}
while IFS='|' read -r text other; do
	ok "'$text' is a number but for '$other'"  decorated "$text" "$other"
done <<'END_OF_TEXTS'
$120|$
5%|%
1,234|,
1,234,567.5|,
1 234| 
1'234|'
$1,234|$
(12)|(
5 €|€
€5|€
¥5|¥
￥5|￥
1.2e3*|*
END_OF_TEXTS
fail 1 "'1.234,5' is no number for its '.'"  rows 'y;x\n1;1.234,5\n2;2.345,5\n' -l y --decimal-comma
fail 1 "'1.234' is no number for its '.'"    rows 'y;x\n1;1.234\n2;2.345\n' -l y --decimal-comma
fail 1 "'1,234' is not a number: is it one with --decimal-comma"  rows 'y;x\n1;1,234\n2;1,5\n' -l y
# begun TEXT OTHER: of such a column there is a note, unless it is one of categories
begun()
{
	printf 'y;x\n1;%s\n2;%s\n' "$1" "$1" >begun.csv
	svm-convert -l y begun.csv 2>&1 >rows | grep -F "column 'x': '$1' has a number, and '$2' beside it" &&
	svm-convert -l y --categories x begun.csv 2>&1 >rows2 && cmp rows rows2
}
while IFS='|' read -r text other; do
	ok "'$text' has a number"  begun "$text" "$other"
done <<'END_OF_TEXTS'
12 kg|kg
<0.5|<
12:30|:
2024-01-01|-
1/2|/
~3 m|~
18-25|-
5号|号
5円|円
EUR 5|EUR
Rs. 5|Rs
R$5|R
END_OF_TEXTS
ok 'texts without such notes' '[ -z "$(notes "y;x\n1;a1\n2;H2O\n1;b 3\n" -l y)" ]'
ok 'nor these'                 '[ -z "$(notes "y;x\n1;b 3\n2;A5\n1;room 3\n" -l y)" ]'
ok 'columns without a name or value' gives '1 1:2|2 1:3|' 'y,x,,\n1,2,,\n2,3,,\n' -l y

# ---- before the first record ----

ok 'a line sep='            gives '1 1:2.5|' 'sep=;\r\ny;x\r\n1;2,5\r\n' -l y --decimal-comma
ok '... in quotes, a bar'   gives '1 1:2|' '"sep=|"\n"a,b"|y\n2|1\n' -l y
ok '... which --delimiter overrides' gives '1 1:2|' 'sep=;\na;b,y\n2,1\n' -l y --delimiter comma
ok 'comments'               gives '1 1:2|' '# of 2024, by "x\n##\n#\ny,x\n1,2\n' -l y
ok 'names in a comment'     gives '3 1:1 2:2|' '# made here\n# a,b,y\n1,2,3\n' -l y
ok 'no comments'            gives '1 2:2|3 1:4|' '#N/A,2,1\n4,0,3\n' -l 3 --no-header --missing zero
ok 'lines are counted'      'rows "sep=,\n# c\ny,x\n1,2\n2\n" -l y 2>&1 | grep "standard input:5: 1 field, not 2"'

# ---- what was learned ----

printf 'sex,age,dose,outcome\nf,41,1.5,good\nm,37,,bad\n"f",82,2e-1,"good"\nm,52,3,"so ""so"""\n' >patients
svm-convert -q -l outcome --missing mean -s columns --names names --labels labels patients rows
ok 'names'              '[ "$(tr "\n" "|" <names)" = "sex=f|sex=m|age|dose|" ]'
ok 'labels'             '[ "$(tr "\n" "|" <labels)" = "1 bad|2 good|3 so \"so\"|" ]'
ok 'restored: the same' 'svm-convert -q -r columns patients | cmp - rows'
ok 'a pipe'             'cat patients | svm-convert -q -l outcome --missing mean | cmp - rows'
ok 'gzipped'            'gzip <patients >p.gz && svm-convert -q -l outcome --missing mean p.gz | cmp - rows'
ok 'binary'             'svm-convert -q -r columns --binary patients | rp-project -q -m none - | cmp - rows'
ok 'its columns in another order' \
	'awk -F, "{ print \$4 \",\" \$2 \",x,\" \$1 \",\" \$3 }" patients | svm-convert -q -r columns | cmp - rows'
ok 'without labels' \
	'cut -d , -f 1-3 patients | svm-convert -r columns 2>note | cmp - <(sed "s/^[0-9]* //" rows) &&
	grep "no column .outcome.: rows have no labels" note'
ok 'labels of 0' \
	'cut -d , -f 1-3 patients | svm-convert -q -r columns --no-label | cmp - <(sed "s/^[0-9]*/0/" rows)'
ok 'a label that is missing' \
	'sed s/bad/NA/ patients | svm-convert -r columns 2>note | cmp - <(sed "s/^1 //" rows) &&
	grep "standard input: 1 rows have no label" note'
ok 'it is not of the others' \
	'sed s/bad/NA/ patients | svm-convert -q -r columns --positive good | cut -d " " -f 1 | tr "\n" "|" |
	grep -xF "1|2:1|1|-1|"'
ok 'another rule for missing values' \
	'svm-convert -q -r columns --missing drop patients | cmp - <(sed 2d rows)'
fail 1 '--missing mark: columns was saved without it'  svm-convert -r columns --missing mark patients
fail 1 'row 1 has no label, and the binary form cannot say so' \
	'cut -d , -f 1-3 patients | svm-convert -q -r columns --binary'

# ---- memory ----

# within MB: the most memory of the run that wrote the report
within() { python3 -c 'import json, sys; mb = json.load(open("report"))["peak_memory_bytes"] / 2**20; print(mb); sys.exit(mb > int(sys.argv[1]))' "$1"; }

ok 'the rest of standard input' \
	'printf "a line\ny,x\n1,5\n2,6\n" >later &&
	(read -r line && svm-convert -q -l y) <later | tr "\n" "|" | grep -xF "1 1:5|2 1:6|"'
if [ -z "$SANITIZE$WRAP" ]; then
	{ echo y,t,x; yes "1,$(printf %2000s | tr ' ' a),2" | head -n 30000; } >long.csv
	ok 'standard input that is a file is read twice' \
		'svm-convert -q -l y --ignore t --report report <long.csv >rows2 && within 20 && [ "$(wc -l <rows2)" = 30000 ]'
	ok 'a pipe within a bound' \
		'cat long.csv | svm-convert -q -l y --ignore t --memory 30 --spill . --report report - rows3 && cmp rows2 rows3 && within 40'
	ok 'without a bound it is kept in memory' \
		'cat long.csv | svm-convert -q -l y --ignore t --report report - rows4 && cmp rows2 rows4 && ! within 50'
	rm long.csv
fi

# ---- identifiers ----

ids='y,who,x\n1,"a\nb",2\n2,,3\n1,c d,\n2,e,5\n'
ok 'identifiers of rows'    gives '1 1:2 # a b|2 1:3|2 1:5 # e|' "$ids" -l y --id who --missing drop -s id.columns
ok 'restored'               gives '1 1:2 # a b|2 1:3|2 1:5 # e|' "$ids" -r id.columns
ok 'named later'            'sed "s/^/P,/" patients | svm-convert -q -r columns --id P | cmp - <(sed "s/$/ # P/" rows)'
fail 1 "has no column 'who'"  svm-convert -r columns --id who patients
(echo who,y,a; for i in $(seq 1500); do echo "P$((i % 1400 < 100 ? i % 1400 : i)),$((i % 2)),$((i * 7 % 13))"; done) >again.csv
ok 'identifiers that come again, in other batches too, are told' '
	svm-convert -l y --id who again.csv a 2>said; cat said; n=$(cut -d , -f 1 again.csv | sort | uniq -d | wc -l)
	grep -F "column '"'who'"': $n of 1500 rows have the identifier of an earlier one: if such rows belong together, as those of a patient, say --group '"'who'"' too" said &&
	for o in "--group who" "--group 1 --missing drop" -q; do svm-convert -l y --id who $o again.csv a 2>said; ! grep earlier said || exit; done
	svm-convert -l y --id who <(uniq -u again.csv | awk -F, -v OFS=, "{ \$1 = \$1 (NR > 1 ? NR : \"\"); print }") a 2>said; ! grep earlier said &&
	svm-convert -l y --id who -s c again.csv a 2>/dev/null && svm-convert -r c again.csv b 2>said; ! grep earlier said && cmp a b'
fail 1 "cannot use"         svm-convert -l 1 --id 2 --binary patients
# ---- groups ----

by_patient='y,who,x\n1,bo,2\n2,al,3\n1, bo,4\n2,"c d",5\n'
ok 'groups of rows'         gives '1 qid:1 1:2|2 qid:2 1:3|1 qid:1 1:4|2 qid:3 1:5|' "$by_patient" -l y --group who -s group.columns
ok '... restored, numbered anew' \
	'printf "who,x\nzo,2\nbo,3\nzo,4\n" | svm-convert -q -r group.columns | tr "\n" "|" | grep -xF "qid:1 1:2|qid:2 1:3|qid:1 1:4|"'
ok '... of a table without them' \
	'printf "y,x\n1,2\n2,3\n" | svm-convert -q -r group.columns | tr "\n" "|" | grep -xF "1 1:2|2 1:3|"'
ok '... named later'        'sed "s/^/P,/" patients | svm-convert -q -r columns --group P | cmp - <(sed "s/ / qid:1 /" rows)'
ok '... and identifiers by the same column' \
	gives '1 qid:1 1:2 # bo|2 qid:2 1:3 # al|1 qid:1 1:4 # bo|2 qid:3 1:5 # c d|' "${by_patient/ bo/bo}" -l y --id who --group who -s both.columns
ok '... restored'           gives '1 qid:1 1:2 # bo|2 qid:2 1:3 # al|1 qid:1 1:4 # bo|2 qid:3 1:5 # c d|' "${by_patient/ bo/bo}" -r both.columns
ok '... of more rows than a batch' \
	'{ echo y,g,x; for i in $(seq 3000); do echo "$((i % 2)),g$((i / 7)),$i"; done; } >many.csv && svm-convert -q -l y --group g many.csv |
	awk "\$2 != \"qid:\" int(NR / 7) + 1 { exit 1 } END { exit NR != 3000 }"'
fail 1 'standard input:3: field 2, the group of the row, is missing'  'printf "y,who,x\n1,bo,2\n2,,3\n" | svm-convert -l y --group who'
fail 1 'standard input:3: field 2, the group of the row, is missing'  'printf "y,who,x\n1,bo,2\n2,NA,3\n" | svm-convert -l y --group who --missing mean'
ok '... or left out'        gives '1 qid:1 1:2|2 qid:2 1:5|' 'y,who,x\n1,bo,2\n2,,3\n2,al,5\n' -l y --group who --missing drop
fail 1 "has no column 'whom'"  'printf "$by_patient" | svm-convert -l y --group whom'
fail 1 'cannot use'            svm-convert -l 1 --group 2 --binary patients
fail 1 'is not for'            'printf "$by_patient" | svm-convert -l y --group who --to csv'
lost='rows have qid, which only the output as rows in text has: groups are left out'
fail 0 "svm-convert: note: standard input: $lost"  'printf "$by_patient" | svm-convert -r group.columns --binary - x'
ok 'qid and comments of rows that are renumbered' \
	'printf "+1 qid:3 0:2 # a\n-1 qid:4 1:5\n" | svm-convert -q --zero-based in | tr "\n" "|" | grep -xF "1 qid:3 1:2 # a|-1 qid:4 2:5|"'
printf '1 qid:1 1:2\n2 qid:2 1:3\n1 qid:1 1:4 2:1\n2 qid:3 1:5\n' >grouped
for p in 'svm-convert --from svmlight' 'rp-project -m none' 'rp-project -m scale' 'fs-select -m f -k 1'; do
	fail 0 "note: grouped: $lost"       "rm -f x; $p --binary grouped x"
	ok "no such note: $p"               "{ $p grouped y && $p -q --binary grouped z; } 2>&1 | grep -c groups | grep -x 0; rm -f y z"
done
fail 0 "svm-convert: note: grouped: $lost"  'rm -f y; svm-convert --to csv grouped y'
# the chain: scaled, with features chosen, and divided, rows still have their groups
ok 'qid is handed on' \
	'{ echo y,who,a,b; for i in $(seq 60); do echo "$((i / 6 % 2)),p$((i / 6)),$i,$((i * i % 7))"; done; } >chain.csv
	svm-convert -q -l y --group who chain.csv chain1 && rp-project -q -m scale -s r chain1 chain2 &&
	fs-select -q -k 1 chain2 chain3 && svm-fold -v 5 -f 2 --train --stratified --by-qid chain3 chain4 &&
	randsvm-train -q -v 3 --by-qid chain4 && cmp <(cut -d " " -f 2 chain1) <(cut -d " " -f 2 chain3) &&
	[ "$(cut -d " " -f 2 chain4 | sort -u | wc -l)" -lt "$(cut -d " " -f 2 chain1 | sort -u | wc -l)" ]'

ok 'a category that is new' \
	'sed "s/^m,37/x,37/" patients | svm-convert -r columns 2>note | sed -n 2p | grep -x "1 3:37 4:.*" &&
	grep "note: standard input:3: column .sex.: .x. is none of the categories that were learned, as 1 value$" note'
fail 1 "column 'outcome': 'awful' is none of the classes" 'sed s/bad/awful/ patients | svm-convert -q -r columns'
fail 1 "column 'age': 'old' is not a number"              'sed s/41/old/ patients | svm-convert -q -r columns'
fail 1 "no column 'age'"                                  'sed s/age/years/ patients | svm-convert -q -r columns'
fail 1 'bad:15: the checksum does not fit'                  'sed s/good/food/ columns >bad && svm-convert -r bad patients'
ok 'nothing was learned: no file' \
	'! svm-convert -q -l outcome -s none --names none2 patients none3 && [ ! -e none ] && [ ! -e none2 ] && [ ! -e none3 ]'
ok 'a model of it' \
	'for i in 1 2 3 4 5 6; do sed 1d patients; done | svm-convert -q -l 4 --missing zero --no-header - more &&
	randsvm-train -q more model && svm-eval -q more model answers && [ -s answers ]'

# ---- errors ----

fail 1 '-l is missing'                                svm-convert patients
fail 1 "patients has no column 'colour'"              svm-convert -l colour patients
fail 1 'the table is empty'                           rows '' -l 1
fail 1 'a heading, and no records'                    rows 'x,y\n' -l 1
fail 1 "standard input:3: 1 field, not 2"             rows 'y,x\n1,2\n3\n' -l y
fail 1 "no column 'z' (the first of 2 is '1'): line 1 was taken for a record; --header" rows 'x,y\n1,2\n' -l z --no-header
fail 1 'standard input:1: lines end with CR alone'    rows '1,2\r3,4\r5,6\n' -l 1
fail 1 'standard input:1: lines end with CR alone'    rows '%%%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 2\r' -l 1
fail 1 'standard input:1: lines end with CR alone'    rows 'a,y\r1,2\r' -l y
fail 1 "standard input:2: a quoted field does not end" rows 'y,x\n1,"a\n2,b\n' -l y
fail 1 "standard input:2: text behind a quoted field" rows 'y,x\n1,"a"b\n' -l y
fail 1 "has more than 20000 different texts"          '{ echo y,x; seq -f "1,a%.0f" 20001; } | svm-convert -l y'
fail 1 'cannot use'                                   svm-convert -l y --no-label patients

printf '1,2\n' >other.csv
printf '1 1:2\n' >other.rows
fail 1 "other.csv holds a table: say --force to replace it by the output file"  svm-convert -q -l heart "$T/heart.csv" other.csv
ok 'it is as it was'        '[ "$(cat other.csv)" = 1,2 ]'
fail 1 "other.rows holds rows of data: say --force"   svm-convert -q -l heart --to csv "$T/heart.csv" other.rows
ok 'replaced by force'      'svm-convert -q -l heart --force "$T/heart.csv" other.csv && grep -q : other.csv'
ok 'rows replaced'          'svm-convert -q -l heart "$T/heart.csv" other.csv'

# ---- Python's csv ----

# random tables with quotes, delimiters and line ends in their fields
cat >tables.py <<'END'
import csv, random, sys
random.seed(int(sys.argv[1]))
n, texts = random.randrange(1, 400), ['a', 'b,c', 'd "e"', 'f\ng', ' h', 'i"', '', '7']
kinds = [random.choice('nnc') for _ in range(random.randrange(1, 9))]
def field(kind):
    if kind == 'c':
        return random.choice(texts[:6])
    return random.choice(['%.6g' % random.gauss(0, 10 ** random.randrange(-9, 9)), str(random.randrange(-3, 3))])
rows = [[field(k) for k in kinds] for _ in range(n)]
with open('table.csv', 'w', newline='') as f:
    w = csv.writer(f, lineterminator=random.choice(['\n', '\r\n']),
                   quoting=random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    w.writerow(['y'] + ['x%d' % k for k in range(len(kinds))])
    for i, r in enumerate(rows):
        w.writerow([i % 3] + r)
with open('table.csv', newline='') as f:
    read = list(csv.reader(f))[1:]
columns = list(zip(*[[x.strip(' \t') for x in r] for r in read]))[1:]
start, places = 1, []
for k, c in zip(kinds, columns):
    values = sorted(set(c), key=lambda x: x.encode()) if k == 'c' else None
    places.append((start, values))
    start += len(values) if values else 1
with open('expected', 'w') as f:
    for r in read:
        entries = []
        for (first, values), x in zip(places, r[1:]):
            x = x.strip(' \t')
            if values:
                entries.append((first + values.index(x), 1.0))
            elif float(x) != 0:
                entries.append((first, float(x)))
        f.write(' '.join([r[0]] + ['%d:%r' % e for e in entries]) + '\n')
END
cat >same.py <<'END'
import sys
def rows(name):
    return [[l.split()[0]] + [(int(e.split(':')[0]), float(e.split(':')[1])) for e in l.split()[1:]] for l in open(name)]
sys.exit(rows(sys.argv[1]) != rows(sys.argv[2]))
END
for seed in 1 2 3 4 5 6 7 8; do
	ok "as Python reads it, $seed" \
		"python3 tables.py $seed && svm-convert -q -l y table.csv rows && python3 same.py rows expected &&
		svm-convert -q -l y - <table.csv | cmp - rows"
done
# lines longer than what is read at a time, and fields across its ends
ok 'long records' \
	'python3 -c "
print(\"y,t,\" + \",\".join(\"x%d\" % i for i in range(60000)))
for r in range(3):
    print(\"%d,\\\"%s\\\",\" % (r, \"q,\\n\" * 100000) + \",\".join(str(r + i) for i in range(60000)))" >long &&
	svm-convert -q -l y long | awk "{ n += NF } END { print n; exit n != 180005 }"'
