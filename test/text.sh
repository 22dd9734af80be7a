# Texts as rows of their words, judged by scikit-learn's vectorizers and by Python's characters.

. "$TOP/test/helpers.bash"
LC_ALL=C.UTF-8

need svm-convert python3

# has WORDS TEXT OPTION...: the text has these words, in the order of their bytes
has()
{
	printf "y,text\n1,\"$2\"\n" | svm-convert -q -l y --text text --names names "${@:3}" - rows &&
	[ "$(paste -s -d ' ' names | tee /dev/stderr)" = "$1" ]
}
# rows OPTION...: the rows of the texts of the file `texts`, a label and a text in each line, on one line
rows() { svm-convert -q --delimiter first -l 1 --text 2 "$@" texts | paste -s -d '|'; }
# gives ROWS OPTION...
gives() { [ "$(rows "${@:2}" | tee /dev/stderr)" = "$1" ]; }

# ---- words ----

ok 'small letters'           has 'a cat s the' "The cat's a-CAT; the"
ok 'letters of all scripts'  has '3 größe äss ça не они 書' 'Größe ÄSS Ça Не ОНИ 書 3€'
ok 'marks stay in words'     has $'cafe\u0301x हिन्दी' $'CAFE\u0301X हिन्दी \u0301'
ok "but by scikit-learn's rule" has 'ab_1 cafe' $'CAFE\u0301x ab_1 y' --words sklearn
ok 'between blanks'          has "A-b c's x É" "x A-b  c's\tÉ" --words blanks
ok 'pairs of words'          has 'a b b c' 'A b. c' --ngrams 2,2
echo 'a the' >stop
ok 'words left out'          has 'b c' 'A b the C' --stop stop
ok 'words left out are words of the rule' '
	has "b c" "A b the C" --stop <(printf "\"A\" The;\n") && has "a the" "A a the The" --words blanks --stop <(echo "A The")'
fail 1 ': is not UTF-8'  has '' 'a' --stop <(printf 'a \377')
fail 1 'standard input: is not UTF-8'  "echo 1 a >line; printf 'a \\377' | svm-convert --delimiter first -l 1 --text 2 --stop - line"
ok 'pairs around them'       'has "b c" "A b the C" --stop stop --ngrams 2,2'
fail 1 'no column is left for features'  has '' '... !'

# every letter, digit and mark of Python's Unicode, and its small letter, is one here
cat >letters.py <<'END_OF_PYTHON'
import subprocess, sys, unicodedata
def kind(c):
    return 1 if c.isalnum() else 2 * (unicodedata.category(c)[0] == 'M')
every = [chr(c) for c in range(33, 0x31350) if unicodedata.category(chr(c)) not in ('Cn', 'Co', 'Cs') and c != 34]
with open('letters.csv', 'w') as f:
    f.write('y,text\n1,"%s"\n' % ' '.join('x%sx' % c for c in every))
subprocess.run('svm-convert -q -l y --text text --names names letters.csv rows', shell=True, check=True)
small = lambda c: c.lower() if len(c.lower()) == 1 else 'i'
expected = {'x%sx' % small(c) for c in every if kind(c)} | {'x'}
got = set(open('names').read().split('\n')[:-1])
sys.exit(got != expected and str((sorted(got - expected)[:9], sorted(expected - got)[:9])))
END_OF_PYTHON
if [ "$(python3 -c 'import unicodedata; print(unicodedata.unidata_version)')" = 14.0.0 ]; then
	ok 'all characters'          'LC_ALL=C.UTF-8 python3 letters.py'
	ok 'the table of them'       'LC_ALL=C.UTF-8 python3 -B "$TOP/test/letter_runs.py" | cmp - "$TOP/lib/tables/letter_runs.c"'
else
	skip "Python has another version of Unicode"
fi

# ---- values ----

printf 'ham\tthe cat the hat\nspam "the" dog\n\nspam no \n' >texts
ok 'counts'            gives '1 1:1 3:1 5:2|2 2:1 5:1|2 4:1' --norm none
ok 'once'              gives '1 1:1 3:1 5:1|2 2:1 5:1|2 4:1' --norm none --counts once
ok 'rare words are left out' gives '1 1:2|2 1:1|2' --norm none --min-count 2
ok 'length 1'          gives '1 1:1|2 1:1|2' --min-count 2
ok 'quotes are text'   '! rows --norm none --stop <(echo the) | grep 5:'
ok 'a text a line'     '[ "$(printf "no, the \"dog\n\"cat\" x\n" | svm-convert -q --no-label --delimiter none --text 1 --norm none -s one | paste -s -d "|")" = "0 2:1 3:1 4:1|0 1:1 5:1" ] &&
	printf "the, cat\n" | svm-convert -q --no-label --delimiter none -r one | grep -x "0 1:1 4:1"'
ok '... with a heading' 'printf "a text\nb, c\n" | svm-convert -q --no-label --header --delimiter none --text "a text" --names names - rows && [ "$(paste -s names)" = "b	c" ]'
fail 1 'svm-convert: -l is missing: each line is one text: say --no-label --text 1'  'svm-convert --delimiter none texts'
fail 1 'svm-convert: -l is missing: say -l 1 --text 2'                               'svm-convert --delimiter first texts'
ok 'accents of their own are told, in later texts too' \
	'printf "1 caf\303\251\n2 tea\n" >nfc; printf "1 cafe\314\201\n2 tea\n" >nfd; svm-convert -s c --delimiter first -l 1 --text 2 nfc r 2>told; cat told; ! grep accents told && randsvm-train -q -t 0 r m && svm-eval --chain words.chain c m &&
	svm-convert --delimiter first -l 1 --text 2 nfd 2>&1 >/dev/null | grep "note: nfd: column .2.: accents are characters of their own" && svm-convert -r c nfd 2>&1 >/dev/null | grep accents && svm-eval nfd words.chain 2>&1 | grep accents &&
	svm-convert -q -r c nfd >r2 2>told && ! test -s told && ! cmp r r2'
# open e and o of IPA, and the dotted ones of Yoruba, which have one accent composed, and the tone alone
ok '... accents that composed texts have are not' \
	'printf "1 \311\233\314\203 k\311\224\314\200\n2 \341\272\271\314\201 \341\273\215\314\200\n" | svm-convert --delimiter first -l 1 --text 2 - - 2>told >/dev/null && ! grep accents told &&
	for word in "\316\261\314\201" "\320\270\314\206" "\316\221\314\201" "o\314\243\314\200" "E\314\201"; do
		printf "1 $word\n2 x\n" | svm-convert --delimiter first -l 1 --text 2 - - 2>told >/dev/null; grep "accents are characters" told || exit; done'
ok '... marks of scripts that have them alone are not' 'printf "1 \340\244\225\340\244\277\n2 x\n" | svm-convert --delimiter first -l 1 --text 2 - - 2>told >/dev/null && ! grep accents told'
ok 'a label alone'     '! printf "1\n" | svm-convert --delimiter first -l 1 --text 2'

# of both columns, each has length 1 and the other's names behind its own
printf 'y,a,b,n\n1,x y,x,5\n2,y,z,6\n' >two.csv
ok 'two columns and numbers' \
	'[ "$(svm-convert -q -l y --text a,b --names names two.csv | tail -n 1)" = "2 2:1 4:1 5:6" ] && [ "$(paste -s -d " " names)" = "a=x a=y b=x b=z n" ]'
ok 'told with --verbose' 'svm-convert --verbose -l y --text a,b two.csv rows 2>&1 | grep "4 columns: 1 of numbers, 0 of categories, 2 of text, 0 left out; 5 features"'
ok 'an empty text is none'  '[ "$(printf "y,t\n1,NA\n2,\n" | svm-convert -q -l y --text t | paste -s -d "|")" = "1 1:1|2" ]'

# ---- by columns saved ----

# kept OPTION...: rows by columns that were saved are the same, from a pipe and from a gzipped file, too
kept()
{
	svm-convert -q --delimiter first -l 1 --text 2 -s columns "$@" texts first &&
	svm-convert -q --delimiter first -r columns texts | cmp - first &&
	gzip -c texts >texts.gz && svm-convert -q --delimiter first -r columns texts.gz | cmp - first &&
	cat texts | svm-convert -q --delimiter first -l 1 --text 2 "$@" | cmp - first
}
ok 'a vocabulary'      kept
ok 'with weights'      kept --tfidf --ngrams 1,3 --counts log --norm none
ok 'words left out'    kept --stop stop --words blanks
ok 'a hash'            kept --hash 5 --ngrams 1,2
ok 'a hash with weights' kept --hash 5 --tfidf
# rows are made of what was kept of each text, which is left out with its row, or did not fit
printf 'y,n,a,b\n1,5,x y,z\n,6,q x,z z\n2,,x,y\n1,7,y y,w\n' >gaps.csv
ok 'rows left out' 'svm-convert -q -l y --missing drop --text a,b -s columns gaps.csv first && [ "$(wc -l <first)" = 2 ] &&
	svm-convert -q -r columns gaps.csv | cmp - first'
seq 1 70000 | sed "s/.*/& the & a & and & of &/" >many
ok 'what memory has no room for' 'svm-convert -q --delimiter first -l 1 --text 2 --min-count 2 -s columns many first &&
	svm-convert -q --delimiter first -l 1 --text 2 --min-count 2 --memory 40 many | cmp - first &&
	svm-convert -q --delimiter first -r columns many | cmp - first'
ok 'other words count for none' \
	'svm-convert -q --delimiter first -l 1 --text 2 -s columns texts first; [ "$(printf "\tmore CAT\n" | svm-convert -q --delimiter first -r columns)" = 1:1 ]'
ok 'a note on texts without words' \
	'printf "\tcat\n\tnone of them\n\t\n" | svm-convert --delimiter first -r columns 2>&1 >rows | grep "column .2.: 2 of 3 texts have no words that are features"'
ok 'names by columns saved' 'svm-convert -q --delimiter first -r columns --names names texts rows && [ "$(paste -s -d " " names)" = "cat dog hat no the" ]'
ok 'hashed twice the same' \
	'[ "$(rows --hash 10 --norm none | sed "s/-//g" | tr " |" "\n\n" | grep -c :)" = 6 ]'

# ---- what is refused ----

ok 'a cure for many texts' \
	'{ echo y,t; seq 21000 | sed "s/.*/1,a text &/"; } | svm-convert -l y 2>&1 | grep "more than 20000 different texts: --text makes features"'

printf 'y,t\n1,a\n2,caf\351\n' >latin.csv
fail 1 "latin.csv:3: column 't': 'caf?' is not UTF-8"  svm-convert -l y --text t latin.csv
fail 1 "latin.csv:3: column 't': 'caf?' is not UTF-8"  svm-convert -l y --text t --hash 9 latin.csv out
ok 'nothing was written'  '[ ! -e out ]'
for ngrams in 2 0,1 2,1 1,x 1,10 ''; do
	fail 1 "--ngrams LEAST,MOST: two numbers from 1 to 9" svm-convert -l y --text a --ngrams "$ngrams" two.csv
done
fail 1 'no column'        svm-convert -l y --text c two.csv
fail 1 "column 'a' has texts that become features, and is to be the label"  svm-convert -l a --text a,b two.csv
fail 1 '1 field, not 2: --delimiter says what is between fields, and none where lines are texts' \
	"printf 'a text\nof words\nword\n' | svm-convert --no-label --text 1"
fail 1 'needs --text'     svm-convert -l y --tfidf two.csv
fail 1 'features of a hash have no names'  svm-convert -l y --text a --hash 3 --names names two.csv rows
fail 1 'no column is left for features'    svm-convert -q -l y --text a,b --ignore n --min-count 9 two.csv rows

# altered SED: the saved columns, changed and with their checksum made right again
altered()
{
	svm-convert -q -l y --text a --tfidf -s columns two.csv rows
	sed -e "$1" columns | sed '$d' >changed
	python3 -c 'import zlib; print("checksum %08x" % zlib.crc32(open("changed", "rb").read()))' >sum
	cat sum >>changed
	svm-convert -r changed two.csv 2>&1
}
ok 'columns as they are'  altered ''
fail 1 "expected 2 numbers"          altered 's/^weights 1.*/weights 1/'
fail 1 "weights of words are missing" altered '/^weights 1/d; s/^\(lines\|data\) 9/\1 8/'
fail 1 "texts without a rule"        altered '/^words/d; /^least/d; /^most/d; /^hash/d; /^counts/d; /^weights tf/d; /^norm/d; /^delimiter/d'

# ---- lines as texts: the columns know it ----

printf '%s\n' '1 good day' '2 bad, bad night' '1 "good' '2 night"' >lines
cut -d ' ' -f 2- lines >bare
# told RULE COLUMN FILE: by columns learned with --delimiter RULE, with and without its being said
told()
{
	svm-convert -q --delimiter "$1" "${@:4}" --text "$2" -s of.lines "$3" rows && svm-convert -q -r of.lines "$3" | cmp - rows &&
		[ "$(wc -l <rows)" = 4 ] && svm-convert -q --delimiter tab -r of.lines "$3" | wc -l | grep -v 4
}
ok 'the delimiter first is kept'   'told first 2 lines -l 1'
ok '... and none'                  'told none 1 bare --no-label'
ok '... in a chain, too' \
	'svm-convert -q --delimiter first -l 1 --text 2 -s c lines r && randsvm-train -q -t 0 r m && svm-eval --chain ch c m &&
	svm-eval -q --scores lines ch a && svm-eval -q --scores r m b && cmp a b && sed "s/^./ /" lines | svm-eval -q --on-error answer - ch - | wc -l | grep -x 4'
fail 1 "texts without a rule"        altered 's/^least 1/least 2/'
fail 1 "a name is there twice"       altered 's/^category y/category x/'

# ---- scikit-learn ----

python=$(python_with sklearn)
if [ "$python" ]; then
	for corpus in pages code letters; do
		ok "scikit-learn's rows, $corpus" \
			"LC_ALL=C.UTF-8 $python -B -W ignore \"$TOP/test/sklearn_text.py\" $corpus \"$TOP/doc\" \"$TOP/man\""
	done
else
	skip 'scikit-learn is not installed'
fi
