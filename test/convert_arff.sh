# Tables in ARFF as rows, judged by a reader of one page and, where it is installed, by scipy's.

. "$TOP/test/helpers.bash"

need svm-convert python3

# table BODY: a table with the attributes below
table()
{
	cat >t.arff <<-'END_OF_TABLE'
	% a comment
	@RELATION 'some weather'

	@attribute "the outlook" {sunny, 'quite rainy', over\cast}
	@Attribute	humidity	NUMERIC
	@attribute wind real   % of the sea
	@attribute play {yes,no}
	@DATA
	END_OF_TABLE
	printf "$1" >>t.arff
}
# gives ROWS OPTION...: the rows of the table are these
gives()
{
	local got
	got=$(set -o pipefail; svm-convert -q "${@:2}" t.arff | tr '\n' '|')
	echo "$got"
	[ "$got" = "$1" ]
}

table "sunny,85,1.5,no\n%% a comment\n'quite rainy' , 80,-2 ,yes\n\n\"sunny\",0,1e2,no\n"
ok 'dense'                    gives '2 1:1 4:85 5:1.5|1 2:1 4:80 5:-2|2 1:1 5:100|' -l play
ok 'the label by its number'  gives '2 1:1 4:85 5:1.5|1 2:1 4:80 5:-2|2 1:1 5:100|' -l 4
ok 'names'                    'svm-convert -q -l play --names n --labels l t.arff rows &&
	[ "$(tr "\n" "|" <n)" = "the outlook=sunny|the outlook=quite rainy|the outlook=over\\\\cast|humidity|wind|" ] &&
	[ "$(tr "\n" "|" <l)" = "1 yes|2 no|" ]'
ok 'a pipe'                   'svm-convert -q -l play <t.arff | cmp - rows'
ok 'CRLF'                     'sed "s/$/\r/" t.arff | svm-convert -q -l play | cmp - rows'
ok 'ignored, and a target'    gives '85 1:1.5|80 1:-2|0 1:100|' -l humidity --ignore 'the outlook,play'
ok 'numbers as categories'    gives '2 1:1 6:1 7:1.5|1 2:1 5:1 7:-2|2 1:1 4:1 7:100|' -l play --categories humidity
ok 'saved'                    'svm-convert -q -l play -s columns t.arff again && cmp again rows'
# classes and categories of a part of the rows are those of all
ok 'the order declared'       'sed /85/d t.arff >part.arff && svm-convert -q -l play part.arff | cmp - <(sed 1d rows)'
ok 'a table without 2 columns' \
	'sed -e /^@Attribute/d -e "s/^\([^@%,]*\),[^,]*,/\1,/" t.arff >less.arff
	svm-convert -r columns less.arff 2>&1 | grep "no column .humidity."'
ok 'CSV by the columns'       'printf "play,wind,humidity,the outlook\nno,1.5,85,sunny\n" | svm-convert -q -r columns |
	cmp - <(head -n 1 rows)'
table '{1 85, 2 1.5, 3 no}\n{ 0 "quite rainy" ,2 -2}\n{}\n{0 ?,1 3}\n'
ok 'sparse'                   gives '2 1:1 4:85 5:1.5|1 2:1 5:-2|1 1:1|1 4:3|' -l play --missing zero
fail 1 "t.arff:12: column 'the outlook': '?' is a missing value"  svm-convert -l play t.arff
ok 'drop'                     gives '2 1:1 4:85 5:1.5|1 2:1 5:-2|1 1:1|' -l play --missing drop
ok 'mark'                     gives '2 1:1 5:85 6:1.5|1 2:1 6:-2|1 1:1|1 4:1 5:3|' -l play --missing mark
table 'sunny,?,1,no\nsunny,3,2,no\nsunny,5,3,no\n'
ok 'mean'                     gives '2 1:1 4:4 5:1|2 1:1 4:3 5:2|2 1:1 4:5 5:3|' -l play --missing mean
printf '@relation r\n@attribute a {NA,null}\n@attribute s string\n@attribute y {1,2}\n@data\nNA,"?",2\nnull,\x27it\\\x27s\x27,1\n' >t.arff
ok 'only ? is missing'        gives '2 1:1 3:1|1 2:1 4:1|' -l y

# comments, blanks and weights as Weka takes them
printf '@relation r\n@attribute x numeric%%c\n@attribute y{a b , c} %% {d}\n@data %% e\n1\ta\n2 c %% f\n{0 3 1 b} %% g\n{0\t3,}\n4,b,\n5,  b%%h\n' >t.arff
ok 'blanks and comments'      gives '1 1:1|3 1:2|2 1:3|1 1:3|2 1:4|2 1:5|' -l y
fail 1 'standard input:2: relational attributes are not read' 'printf "@relation r\n@attribute b relational\n" | svm-convert -l 1'

# refused TEXT BODY
refused() { table "$2"; fail 1 "$1" svm-convert -l play t.arff; }
refused "t.arff:9: column 'the outlook': 'foggy' is none of the values declared"  'foggy,1,2,no\n'
refused "t.arff:9: column 'humidity': 'x' is not a number"                       'sunny,x,2,no\n'
refused 't.arff:10: fewer values than attributes'                                'sunny,1,2,no\nsunny,1,2\n'
refused 't.arff:9: more values than attributes'                                  'sunny,1,2,no,3\n'
refused 't.arff:9: weights of records are not read'                              'sunny,1,2,no, {3}\n'
refused 't.arff:9: a quoted word does not end'                                   '"sunny,1,2,no\n'
refused 't.arff:9: text behind a quoted word'                                    '"sunny"x,1,2,no\n'
refused 't.arff:9: numbers of attributes must ascend'                            '{1 2,1 3}\n'
refused 't.arff:9: no attribute has such a number'                               '{4 2}\n'
refused 't.arff:9: a sparse record does not end'                                 '{1 2\n'
refused 't.arff:9: weights of records are not read'                              'sunny 1 2 no {3}\n'
refused 't.arff:9: weights of records are not read'                              '{1 2} {3}\n'
refused 't.arff:9: a brace that no sparse record begins'                         'sunny,1,2,no}\n'
refused 't.arff:9: text behind a record'                                         '{1 2} x\n'
fail 1 'no @data'                                   'echo @relation x | svm-convert -l 1'
fail 1 'standard input:2: its type is none of'      'printf "@relation x\n@attribute a colour\n" | svm-convert -l 1'
fail 1 'standard input:3: two attributes have'      'printf "@relation x\n@attribute a real\n@attribute a real\n" | svm-convert -l 1'
fail 1 'standard input:2: a value is declared twice' 'printf "@relation x\n@attribute a {b,b}\n" | svm-convert -l 1'
fail 1 'standard input:2: expected @attribute or @data' 'printf "@relation x\n1,2\n" | svm-convert -l 1'
fail 1 'is not for a table in ARFF'                 svm-convert -l play --header t.arff

# ---- random tables ----

cat >tables.py <<'END_OF_PYTHON'
import random, sys
random.seed(int(sys.argv[1]))
words = ['a', 'b c', "it's", 'd,e', 'f%g', 'h"i', '{j}', 'k\\l', '?', ' m ', '5']
def quoted(w):
    if w.isalnum() and random.random() < .5:
        return w
    q = random.choice('\'"')
    return q + w.replace('\\', '\\\\').replace(q, '\\' + q) + q
n, d = random.randrange(1, 200), random.randrange(1, 9)
values = [random.sample(words, random.randrange(1, 9)) if random.random() < .4 else None for _ in range(d)]
first, at = [], 1
for v in values:
    first.append(at)
    at += len(v) if v else 1
with open('t.arff', 'w') as f, open('expected', 'w') as e:
    f.write('@relation r\n')
    for k, v in enumerate(values):
        f.write('@attribute x%d %s\n' % (k, '{' + ', '.join(map(quoted, v)) + '}' if v else 'numeric'))
    f.write('@attribute y {u,v,w}\n@data\n')
    for i in range(n):
        row = [random.choice(v) if v else random.choice([0, random.randrange(-9, 9), round(random.gauss(0, 99), 3)]) for v in values]
        y = random.choice('uvw')
        e.write(' '.join(['%d' % ('uvw'.index(y) + 1)] + ['%d:%r' % (first[k] + v.index(x), 1) if v else '%d:%r' % (first[k], x)
                for k, (v, x) in enumerate(zip(values, row)) if v or x]) + '\n')
        text = [quoted(x) if v else repr(x) for v, x in zip(values, row)] + [y]
        if random.random() < .5:
            f.write(random.choice([',', ', ', ' ,\t']).join(text) + '\n')
        else:
            skip = lambda k: random.random() < .8 and (row[k] == (values[k][0] if values[k] else 0) if k < d else y == 'u')
            f.write('{' + ', '.join('%d %s' % (k, t) for k, t in enumerate(text) if not skip(k)) + '}\n')
END_OF_PYTHON
for seed in 1 2 3 4 5 6 7 8; do
	ok "a random table, $seed"    "python3 tables.py $seed && svm-convert -q -l y t.arff rows && svm-convert -q -l y - <t.arff | cmp - rows &&
		rp-project -q -m none expected | cmp - <(rp-project -q -m none rows)"
done

scipy=$(python_with scipy.io.arff)
if [ ! "$scipy" ]; then
	skip 'no scipy'
	return
fi
printf "@relation r\n@attribute outlook {sunny, rainy, dry}\n@attribute a numeric\n@attribute b real
@attribute play {yes,no}\n@data\nsunny,85,1.5,no\nrainy,80,-2,yes\nsunny,0,1e2,no\n" >t.arff
ok 'as scipy reads it'        "$scipy -c '
from scipy.io import arff
data, meta = arff.loadarff(\"t.arff\")
out = meta[\"outlook\"][1]
for r in data:
    x = [1 + out.index(r[0].decode())]
    print(meta[\"play\"][1].index(r[3].decode()) + 1, \"%d:1\" % x[0], *[\"%d:%g\" % (k, v) for k, v in ((4, r[1]), (5, r[2])) if v])' >expected &&
	svm-convert -q -l play t.arff | cmp - expected"
