# What is read, from where, and what is refused with which words.  testdata/bad has a defect a file.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a9a.gz" >a9a
head -n 60 heart >h60
ln -s "$T/bad" bad
randsvm-train -q heart heart.model

# ---- accepted: the same examples, however they are written ----

# model_of TEXT MODEL OPTION...: train on what printf makes of TEXT
model_of()
{
	printf "$1" | randsvm-train -q "${@:3}" - "$2"
}

# means TEXT OPTION...: these are the examples +1 1:0.5 3:2 and -1 2:1
means() { model_of "$1" m "${@:2}" && same_files usual m; }

model_of '+1 1:0.5 3:2\n-1 2:1\n' usual

ok 'no newline at the end'             means '+1 1:0.5 3:2\n-1 2:1'
ok 'CR LF'                             means '+1 1:0.5 3:2\r\n-1 2:1\r\n'
ok 'CR LF, the last CR alone'          means '+1 1:0.5 3:2\r\n-1 2:1\r'
ok 'tabs'                              means '+1\t1:0.5\t3:2\n-1\t2:1\n'
ok 'blanks before'                     means '  +1 1:0.5 3:2\n\t-1 2:1\n'
ok 'blanks after'                      means '+1 1:0.5 3:2  \n-1 2:1\t\n'
ok 'several blanks'                    means '+1   1:0.5 \t 3:2\n-1  2:1\n'
ok 'a blank after the colon'           means '+1 1: 0.5 3:\t2\n-1 2: 1\n'
ok '# and a text'                      means '+1 1:0.5 3:2 # first\n-1 2:1 #\n'
ok '# and a text with a colon'         means '+1 1:0.5 3:2 # a:b 9:9\n-1 2:1 # 3:x\n'
ok '# right after a value'             means '+1 1:0.5 3:2#first\n-1 2:1\n'
ok 'empty lines'                       means '\n+1 1:0.5 3:2\n\n\n-1 2:1\n\n'
ok 'lines of blanks'                   means '+1 1:0.5 3:2\n \t \n-1 2:1\n  '
ok 'lines that are comments'           means '# SVMlight\n+1 1:0.5 3:2\n #\n-1 2:1\n#'
ok 'qid'                               means '+1 qid:3 1:0.5 3:2\n-1 qid:4 2:1\n'
ok 'qid at the end'                    means '+1 1:0.5 3:2 qid:1\n-1 2:1 qid:2 # x\n'
ok '1 for +1'                          means '1 1:0.5 3:2\n-1 2:1\n'
ok 'labels as decimals'                means '1.0 1:0.5 3:2\n-1e0 2:1\n'
ok '.5 and 2.'                         means '+1 1:.5 3:2.\n-1 2:+1\n'
ok 'exponents'                         means '+1 1:5e-1 3:0.2E+1\n-1 2:1e0\n'
ok 'many digits'                       means '+1 1:0.500000000000000000000000000000 3:2.0000000000000\n-1 2:00001\n'
ok 'a byte order mark'                 means '\xef\xbb\xbf+1 1:0.5 3:2\n-1 2:1\n'
ok 'a byte order mark, no number'      means '\xef\xbb\xbf# x\n+1 1:0.5 3:2\n-1 2:1\n'
ok 'hexadecimal'                       means '+1 1:0x1p-1 3:0x2\n-1 2:0x1\n'
ok 'leading zeros in an index'         means '+1 01:0.5 0003:2\n-1 00000000000002:1\n'
ok '+ before an index'                 means '+1 +1:0.5 3:2\n-1 +2:1\n'
ok 'a row without features'            'model_of "+1\n-1 2:1\n" m && model_of "+1 \n-1\t2:1\n" m2 && same_files m m2'
ok 'feature 0'                         model_of '+1 0:1 1:0.5\n-1 2:1\n' m
ok 'an explicit zero'                  model_of '+1 1:0 2:1\n-1 2:-0\n' m
ok 'the largest index'                 model_of '+1 2147483647:1\n-1 2:1\n' m
ok 'the largest index is kept'         grep -q '2147483647:1 ' m
ok '1e-320'                            'model_of "+1 1:1e-320\n-1 1:1\n" m && grep " 1:9.9998.*e-321" m'
ok '1e-400 is 0'                       model_of '+1 1:1e-400\n-1 1:1\n' m
ok 'the largest double'                model_of '+1 1:1.7976931348623157e308\n-1 1:1\n' m -t 0 --mode direct
ok 'nan with --allow-nonfinite'        model_of '+1 1:nan\n-1 1:1\n' m --allow-nonfinite --mode direct
ok 'inf with --allow-nonfinite'        model_of '+1 1:-inf\n-1 1:Infinity\n' m --allow-nonfinite --mode direct
ok 'but no model of them' \
	'printf "+1 1:nan\n-1 1:1\n" |
	streams 1 "" "no finite solution" randsvm-train -q --allow-nonfinite -s 2 - nan.model'
ok 'svm-eval reads them too' \
	'printf "# x\n\n+1 qid:1 1:.5 # a:b\r\n-1 1: 2" | svm-eval - heart.model - | wc -l | grep -x " *2"'
ok 'svm-eval --allow-nonfinite' \
	'printf "1 1:nan\nnan 1:inf\n" | svm-eval --allow-nonfinite - heart.model - | wc -l | grep -x " *2"'
ok 'fractions are targets'             model_of '1.5 1:1\n1.7 1:2\n' m -s 3
ok 'fractions in one-class'            model_of '1.5 1:1\n1.7 1:2\n' m -s 2
ok 'fractions are labels of a test'    'printf "1.5 1:1\n" | svm-eval - heart.model | grep -F "0% (0/1)"'

# what svm-train accepts it reads the same
if command -v svm-train >/dev/null; then
	# both_read TEXT
	both_read() { printf "$1" >in && svm-train -q in m && randsvm-train -q in m2 && same_files m m2; }
	ok 'as svm-train: no newline'          both_read '+1 1:0.5 3:2\n-1 2:1'
	ok 'as svm-train: CR LF'               both_read '+1 1:0.5 3:2\r\n-1 2:1\r\n'
	ok 'as svm-train: tabs, blanks'        both_read '  +1\t1:0.5  3:2 \n\t-1 2:1\t\n'
	ok 'as svm-train: feature 0'           both_read '+1 0:7 1:0.5 3:2\n-1 0:-1\n'
	ok 'as svm-train: # text'              both_read '+1 1:0.5 3:2 # text\n-1 2:1\n'
	ok 'as svm-train: blank after colon'   both_read '+1 1: 0.5 3:2\n-1 2:1\n'
	ok 'as svm-train: forms of numbers'    both_read '0x1 1:0x1p-3 2:+1 3:1e-3 4:.5 5:1.\n-1 2:1\n'
	ok 'as svm-train: no features'         both_read '+1\n-1 2:1\n'
	ok 'as svm-train: nan and inf' \
		'printf "+1 1:nan\n-1 1:inf\n" >in && svm-train -q in m &&
		randsvm-train -q --allow-nonfinite --mode direct in m2 && same_files m m2'
else
	skip 'svm-train is not installed'
fi

# ---- refused: rc 1, one line, and no model ----

# bad NAME TEXT OPTION...: training on bad/NAME says so
bad()
{
	streams 1 '' "$2" randsvm-train -q "${@:3}" "bad/$1" none.model &&
		[ "$(wc -l <stderr)" = 1 ] && [ ! -e none.model ]
}

# bad_line NAME POSITION REASON: it is a line that is wrong
bad_line() { bad "$1" "Wrong input format at line ${2%:*}: bad/$1:$2: $3"; }

ok 'indices descend'            bad_line descend 2:12 'feature 2 after 3; indices must ascend'
ok 'an index twice'             bad_line duplicate 2:12 'feature 2 after 2; indices must ascend'
ok 'a negative index'           bad_line index_negative 2:8 'negative feature index'
ok 'index 2^31'                 bad_line index_large 2:4 'feature index too large'
ok 'index 2^32 + 1'             bad_line index_wraps 2:8 'feature index too large'
ok 'index 10^23'                bad_line index_huge 2:8 'feature index too large'
ok 'a word for an index'        bad_line index_word 2:8 "expected index:value, got 'two:1'"
ok 'a fraction for an index'    bad_line index_fraction 2:4 "expected index:value, got '1.5:1'"
ok 'no index'                   bad_line index_missing 2:8 "expected index:value, got ':1'"
ok 'a hexadecimal index'        bad_line index_hex 2:4 "expected index:value, got '0x1:1'"
ok 'no value'                   bad_line value_missing 2:6 'expected a value'
ok 'no value within'            bad_line value_missing_within 2:7 "expected a value, got '2:'"
ok 'a word for a value'         bad_line value_word 2:6 "expected a value, got 'one'"
ok 'a value with a tail'        bad_line value_tail 2:6 "expected a value, got '1x'"
ok 'two colons'                 bad_line value_two_colons 2:6 "expected a value, got '2:3'"
ok '1e400'                      bad_line value_overflow 2:6 'not finite: '"'"'1e400'"'"''
ok 'nan'                        bad_line value_nan 2:6 'not finite'
ok '-inf'                       bad_line value_infinite 2:6 'not finite'
ok 'no colon'                   bad_line no_colon 2:8 "expected index:value, got '2'"
ok 'junk'                       bad_line junk 2:8 "expected index:value, got 'junk'"
ok 'commas'                     bad_line comma 2:6 "expected a value, got '1,2:1'"
ok 'semicolons'                 bad_line semicolon 2:6 "expected a value, got '1;2:1'"
ok 'no label'                   bad_line label_missing 2:1 "expected a label, got '1:1'"
ok 'a word for a label'         bad_line label_word 2:1 "expected a label, got 'spam'"
ok 'two labels'                 bad_line label_two 2:1 "expected a label, got '-1,1'"
ok 'a sign for a label'         bad_line label_sign 2:1 "expected a label, got '-'"
ok 'nan for a label'            bad_line label_nan 2:1 'not finite'
ok '1e999 for a label'          bad_line label_overflow 2:1 'not finite'
ok 'a word for a qid'           bad_line qid_word 2:4 "expected qid:number, got 'qid:a'"
ok 'an empty qid'               bad_line qid_missing 2:4 "expected qid:number, got 'qid:'"
ok 'a byte 0'                   bad_line nul_byte 2:6 'expected a value'
ok 'control bytes'              bad_line control_bytes 2:8 'expected index:value'
ok 'control bytes do not come out' \
	'randsvm-train bad/control_bytes m 2>&1 | tr -d "\n" | grep -a "[[:cntrl:]]"; [ $? = 1 ]'
ok 'CR alone'                   bad_line cr_alone 1:13 "a CR within the line; if lines end with CR alone, tr '\\r' '\\n'"
for rows in '1 1:1 # c\r-1 1:2\r1 1:3\n-1 1:4' '# c\r1 1:1\r-1 1:2\r' '1:1\r2:3\r3:4\n' '1:1 \r2:3\n' '1\r2\r3'; do
	fail 1 'a CR within the line' "printf '$rows' | rp-project -m none"
	[[ $rows == 1:* ]] || fail 1 'a CR within the line' "printf '$rows' | svm-fold -v 2 -f 1 --train"
done
ok 'in an unfinished line'      bad_line no_final_newline 3:8 'feature 1 after 1; indices must ascend'
ok 'bzip2' bad bzip2.bz2 \
	'bad/bzip2.bz2: packed by bzip2, and only gzip is unpacked here: bzip2 -d FILE'
ok 'within gzip'                bad_line gzip_bad_line.gz 2:8 'feature 1 after 1; indices must ascend'
ok 'a fraction for a class' bad label_fraction \
	'bad/label_fraction: class labels are integers, but example 1 has 1.5'
ok 'a class of 2^31'            bad label_large '2147483648'
ok 'an empty file'              bad empty 'bad/empty: no examples'
ok 'empty lines alone'          bad newlines 'bad/newlines: no examples'
ok 'comments alone'             bad comments 'bad/comments: no examples'
ok 'gzip cut'                   bad gzip_cut.gz 'bad/gzip_cut.gz: gzip data end too early'
ok 'gzip cut in its header'     bad gzip_cut_header.gz 'bad/gzip_cut_header.gz: gzip data end too early'
ok 'gzip cut in its trailer'    bad gzip_cut_trailer.gz 'bad/gzip_cut_trailer.gz: gzip data end too early'
ok 'second member cut'          bad gzip_second_cut.gz 'bad/gzip_second_cut.gz: gzip data end too early'
ok 'wrong checksum'             bad gzip_crc.gz 'bad/gzip_crc.gz: gzip data are damaged'
ok 'wrong length'               bad gzip_length.gz 'bad/gzip_length.gz: gzip data are damaged'
ok 'gzip damaged'               bad gzip_damaged.gz 'bad/gzip_damaged.gz: gzip data'
ok 'unknown method'             bad gzip_method.gz 'bad/gzip_method.gz: gzip data are damaged'
ok 'text after gzip'            bad gzip_then_text.gz 'bad/gzip_then_text.gz: bytes after the gzip data'
ok 'no serial number' bad serial_missing 'Wrong input format: first column must be 0:sample_serial_number' -t 4
ok 'serial number too large'    bad serial_large 'Wrong input format: sample_serial_number out of range' -t 4
ok 'serial number 0'            bad serial_zero 'Wrong input format: sample_serial_number out of range' -t 4
ok 'a short row of a kernel'    bad kernel_row_short 'Wrong input format' -t 4
ok 'a gap in a row of a kernel' bad kernel_row_gap 'Wrong input format' -t 4
ok 'every file of testdata/bad is here' \
	'for f in bad/*; do n=${f#bad/}; case $n in *.model) continue;; esac;
	grep -q -E " bad(_line)? ${n//./[.]} " "$TOP/test/input.sh" || { echo "$n"; exit 1; }; done'

# fail_text MESSAGE TEXT OPTION...: likewise for what printf makes of TEXT, in a pipe
fail_text() { printf "$2" | streams 1 '' "$1" randsvm-train -q "${@:3}" - none.model; }

# long enough to be read in pieces: what follows must not be lost
zero_in_comment()
{
	local status
	{ printf '+1 1:1 # '; head -c 1500000 /dev/zero | tr '\0' x; printf '\0\n-1 1:2\n'; } >zero
	streams 1 '' 'Wrong input format at line 1: zero:1:1500010: a byte 0' randsvm-train -q zero m
	status=$?
	rm -f zero
	return $status
}
ok 'a byte 0 in a long comment' zero_in_comment
ok 'nan as a label of a class'  fail_text 'nan' 'nan 1:1\n-1 1:1\n' --allow-nonfinite
ok '1e400 is no infinity' fail_text 'Wrong input format at line 1: standard input:1:6: ' '+1 1:1e400\n-1 1:1\n' \
	--allow-nonfinite
ok '-1e400 neither' fail_text 'Wrong input format at line 1: standard input:1:6: ' '+1 1:-1e400\n-1 1:1\n' \
	--allow-nonfinite

# ---- refused, with advice ----

# advice TEXT DATA OPTION...: training on what printf makes of DATA is refused with this text
advice() { fail_text "$1" "$2" "${@:3}"; }

ok 'zstd' advice 'standard input: packed by zstd, and only gzip is unpacked here: zstd -d FILE' \
	'\x28\xb5\x2f\xfd\x04\x00abc\n'
ok 'xz' advice 'packed by xz, and only gzip is unpacked here: xz -d FILE' '\xfd7zXZ\x00\x00abc'
ok 'lz4' advice 'packed by lz4, and only gzip is unpacked here: lz4 -d FILE' '\x04\x22\x4d\x18abc'
ok 'zip'                        advice 'a zip archive: svm-convert reads those of NumPy (.npz); else unzip FILE' 'PK\x03\x04abc'
ok 'UTF-16'                     advice 'text in UTF-16: iconv' '\xff\xfe1\x00 \x00'
# packed files in the places of other files: the command that helps, whichever program
printf '1 1:1\n-1 1:2\n' >two && printf '\x28\xb5\x2f\xfd\x04\x00abc\n1\n' >packed
randsvm-train -q -t 0 two linear
for command in 'svm-eval two packed' 'svm-eval --weights packed' 'svm-eval --certify two packed' \
	'svm-eval --geometry two packed' 'svm-eval --measure packed' \
	'svm-eval --weights --names packed linear' 'rp-project -r packed two' \
	'fs-select -r packed two' 'fs-select -k 1 --list --names packed two'; do
	fail 1 'packed: packed by zstd, and only gzip is unpacked here: zstd -d FILE' "$command"
done
fail 1 'packed by bzip2, and only gzip is unpacked here: bzip2 -d FILE' 'printf "BZh91AY" >b; svm-eval two b'
fail 1 'text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE >NEW_FILE' 'printf "\xff\xfex\x00" >u; svm-eval two u'
fail 1 "csv:1: unknown key '1,2'; this looks like CSV, not like a model" 'printf "1,2\n" >csv; svm-eval two csv'
ok 'ranges are found, in a pipe too' 'rp-project -q -m scale -s range two x && rp-project -q -r range two | cmp - x &&
	rp-project -q -r <(cat range) two | cmp - x'
ok 'no junk on the terminal' \
	'printf "\x28\xb5\x2f\xfd\x04\x00\x1b[2J" | randsvm-train - m 2>&1 | tr -d "\n" | grep -a "[[:cntrl:]]";
	[ $? = 1 ]'
ok 'CSV' advice \
	"expected a label, got '5.1,3.5,1.4,setosa'; this looks like CSV, which svm-convert reads" \
	'5.1,3.5,1.4,setosa\n'
ok 'CSV with a header'          advice 'this looks like CSV' 'length,width,class\n5.1,3.5,1\n'
ok 'CSV with semicolons'        advice 'this looks like CSV' '5.1;3.5;1\n'
ok 'TSV'                        advice "expected index:value, got '3.5'; a table? svm-convert reads tables" '1\t3.5\t1.4\n'
ok 'TSV with a header'          advice "got 'length'; a table? svm-convert reads tables" 'length\twidth\n1\t2\n'
ok 'ARFF'                       advice 'this looks like ARFF, which svm-convert reads' '@relation iris\n'
ok 'a comment of ARFF'          advice 'a comment of ARFF? svm-convert reads ARFF' '%% 1. Title: iris\n@relation iris\n'
ok 'MatrixMarket'               advice 'this is MatrixMarket, which svm-convert reads' '%%%%MatrixMarket matrix coordinate real general\n'
ok 'NumPy'                      advice 'a NumPy array, which svm-convert reads' "\x93NUMPY\1\0v\0{'descr': '<f8', 'fortran_order': False\n"
ok 'an archive of NumPy'        advice 'a zip archive: svm-convert reads those of NumPy (.npz)' 'PK\3\4x\n'
ok 'Vowpal Wabbit' advice "expected index:value, got '|f'; this looks like Vowpal Wabbit's format" '1 |f a:1\n'
ok 'several labels'             advice "got '1,2' (a row has one label)" '1,2 1:1\n'
ok 'a word for a label'         advice "got 'spam' (labels are numbers)" 'spam 1:1\n'
ok 'no label' advice \
	"expected a label, got '1:0.5' (a row begins with its label; put 0 where it is not known, but leave out such rows to train, unless for a one-class SVM)" \
	'1:0.5 2:1\n'
ok '? for a label'              advice "got '?' (put 0 where the label is not known)" '? 1:0.5 2:1\n'
ok 'NA for a value' advice "expected a value, got 'NA' (leave out a value that is not known: it counts as 0)" \
	'1 1:0.5 2:NA\n'
ok '? for a value'              advice "got '?' (leave out" '1 1:? 2:1\n'
ok 'nan for a value'            advice "not finite: 'nan' (--allow-nonfinite accepts it)" '1 1:nan\n'
ok 'a model for data'           advice "got 'svm_type': this is a model, not data" "$(head -n 3 heart.model)\n"
ok 'a map for data'             'rp-project -k 3 -s map heart x; advice "got '"'randsvm-projection'"': this is a saved map, not data" "$(cat map)\n"'
ok 'a byte 0 after a comma'     advice 'expected a label' '1,\x002 1:2\n'

# svm-eval: the same words, and no predictions
bad_test()
{
	local f=bad/$1 text
	randsvm-train -q "$f" none.model 2>text
	text=$(sed 's/^randsvm-train: //' text)
	streams 1 '' "$text" svm-eval "$f" heart.model p && [ "$text" ] && [ ! -e p ] &&
		echo old >p.old && streams 1 '' "$text" svm-eval "$f" heart.model p.old &&
		[ "$(cat p.old)" = old ]
}
for f in bad/*; do
	case $f in
	*.model | bad/label_[fl][ra]* | bad/label_missing | bad/empty | bad/newlines | bad/comments | bad/serial_* | bad/kernel_*) ;;
	*) ok "svm-eval: ${f#bad/}" bad_test "${f#bad/}" ;;
	esac
done

# ---- --strict: svm-train's refusals ----

ok 'strict: fine'               means '  +1\t1: 0.5 3:2 # text\r\n-1 2:1' --strict
ok 'strict: empty line' fail_text 'Wrong input format at line 2: standard input:2:1: ' '+1 1:1\n\n-1 1:2\n' --strict
ok 'strict: empty first line' fail_text 'Wrong input format at line 1: standard input:1:1: ' '\n+1 1:1\n-1 1:2\n' \
	--strict
ok 'strict: empty last line' fail_text 'Wrong input format at line 3: standard input:3:1: ' '+1 1:1\n-1 1:2\n\n' \
	--strict
ok 'strict: line of blanks' fail_text 'Wrong input format at line 2: standard input:2:1: ' '+1 1:1\n \t\n-1 1:2\n' \
	--strict
ok 'strict: CR LF alone' fail_text 'Wrong input format at line 2: standard input:2:1: ' '+1 1:1\r\n\r\n-1 1:2\r\n' \
	--strict
ok 'strict: comment line' fail_text 'Wrong input format at line 1: standard input:1:1: ' '# x\n+1 1:1\n-1 1:2\n' \
	--strict
ok 'strict: colon in a comment' fail_text 'Wrong input format at line 1: standard input:1:8: ' \
	'+1 1:1 # a:b\n-1 1:2\n' --strict
ok 'strict: a byte order mark' fail_text 'Wrong input format at line 1: standard input:1:1: ' \
	'\xef\xbb\xbf+1 1:1\n-1 1:2\n' --strict
ok 'strict: qid' fail_text 'Wrong input format at line 1: standard input:1:4: ' '+1 qid:1 1:1\n-1 1:2\n' --strict
ok 'strict: svm-eval' \
	'printf "+1 1:1\n\n" >in;
	streams 1 "" "Wrong input format at line 2: in:2:1: " svm-eval --strict in heart.model p'
if command -v svm-train >/dev/null; then
	# both_refuse TEXT
	both_refuse()
	{
		printf "$1" >in
		svm-train -q in m 2>theirs && return 1
		streams 1 '' "$(cat theirs)" randsvm-train -q --strict in m
	}
	ok 'as svm-train: empty line'          both_refuse '+1 1:1\n\n-1 1:2\n'
	ok 'as svm-train: empty last line'     both_refuse '+1 1:1\n-1 1:2\n\n'
	ok 'as svm-train: comment line'        both_refuse '# x\n+1 1:1\n-1 1:2\n'
	ok 'as svm-train: colon in a comment'  both_refuse '+1 1:1 # a:b\n-1 1:2\n'
	ok 'as svm-train: qid'                 both_refuse '+1 qid:1 1:1\n-1 1:2\n'
	ok 'as svm-train: no value'            both_refuse '+1 1:1\n-1 1:\n'
	ok 'as svm-train: no colon'            both_refuse '+1 1:1\n-1 1 2:1\n'
	ok 'as svm-train: commas'              both_refuse '+1 1:1,2:1\n-1 1:1\n'
	ok 'as svm-train: unsorted'            both_refuse '+1 2:1 1:1\n-1 1:1\n'
	ok 'as svm-train: twice'               both_refuse '+1 1:1 1:1\n-1 1:1\n'
	ok 'as svm-train: negative'            both_refuse '+1 -1:1\n-1 1:1\n'
	ok 'as svm-train: labels 1,2'          both_refuse '1,2 1:1\n-1 1:1\n'
	ok 'as svm-train: 1e400'               both_refuse '+1 1:1e400\n-1 1:1\n'
	ok 'as svm-train: no label'            both_refuse '1:1\n-1 1:1\n'
fi

# ---- files that are no files ----

mkdir folder
ok 'a folder'                   streams 1 '' "can't open input file folder: Is a directory" randsvm-train folder m
ok 'a folder, svm-eval' streams 1 '' "can't open input file folder: Is a directory" svm-eval folder heart.model p
ok 'a missing file' streams 1 '' "can't open input file gone: No such file or directory" randsvm-train gone m
ok 'a path through a file'      streams 1 '' "can't open input file h60/x: Not a directory" randsvm-train h60/x m
ok 'a link to nowhere'          'ln -s gone link; streams 1 "" "can'\''t open input file link: No such file" randsvm-train link m'
ok '/dev/null'                  streams 1 '' '/dev/null: no examples' randsvm-train /dev/null m
ok 'an empty pipe'              ': | streams 1 "" "standard input: no examples" randsvm-train - m'
ok 'no standard input'          'streams 1 "" "can'\''t open input file -: Bad file descriptor" randsvm-train - m <&-'
if [ "$(id -u)" = 0 ]; then
	skip 'root may read everything'
else
	ok 'an unreadable file'         'cp h60 secret; chmod 0 secret; streams 1 "" "can'\''t open input file secret: Permission denied" randsvm-train secret m'
fi
if [ "$SANITIZE" ]; then
	skip 'sanitizers take more memory'
else
	ok 'a file without end that is no text' \
		'ulimit -v 1500000;
		streams 1 "" "/dev/zero: bytes 0: this is no text" timeout 20 randsvm-train /dev/zero m'
fi

# ---- the same bytes from everywhere ----

randsvm-train -q h60 plain
from() { randsvm-train -q "$1" m && same_files plain m; }

gzip -c h60 >h60.gz
(head -n 25 h60 | gzip -c; tail -n +26 h60 | gzip -9 -c) >members
ok 'gzip'                       from h60.gz
ok 'gzip by another name'       'cp h60.gz h60.txt; from h60.txt'
ok 'no gzip by that name'       'mkdir names; cp h60 names/h60.gz; from names/h60.gz'
ok 'two members'                from members
ok 'two members cut in a line'  '(head -c 1000 h60 | gzip -c; tail -c +1001 h60 | gzip -c) >x; from x'
ok 'an empty member between'    '(head -n 25 h60 | gzip -c; gzip -c </dev/null; tail -n +26 h60 | gzip -c) >x; from x'
ok 'a hundred members'          'while read -r line; do echo "$line" | gzip -c; done <h60 >x; from x'
ok 'gzip with a name inside'    'gzip -k -N -c h60 >x; from x'
ok 'zeros after gzip'           '(cat h60.gz; head -c 1000 /dev/zero) >x; from x'
ok 'a pipe, -'                  'cat h60 | from -'
ok 'a pipe, /dev/stdin'         'cat h60 | from /dev/stdin'
ok 'a file, -'                  'from - <h60'
ok 'a file, /dev/stdin'         'from /dev/stdin <h60'
ok 'a substitution'             from <(cat h60)
ok 'a slow pipe'                '(head -c 700 h60; sleep 0.2; tail -c +701 h60) | from -'
ok 'bytes one by one'           'dd if=h60 bs=1 status=none | from -'
ok 'a named pipe'               'mkfifo fifo; cat h60 >fifo & from fifo'
ok 'gzip in a pipe, -'          'cat h60.gz | from -'
ok 'gzip in a file, -'          'from - <h60.gz'
ok 'gzip in a substitution'     from <(cat members)
ok 'members in a slow pipe'     '(head -c 1500 members; sleep 0.2; tail -c +1501 members) | from -'
ok 'a file read from before' \
	'sed -n 1,5p h60 >x; (cat x h60) >y; (read -r a; read -r a; read -r a; read -r a; read -r a; from -) <y'
ok 'the default model of -' \
	'mkdir stdin; cd stdin; randsvm-train -q - <../h60; files_are stdin.model; same_files ../plain stdin.model'
ok 'svm-eval: gzip'             'svm-eval -q h60 plain p1; svm-eval -q members plain p2; same_files p1 p2'
ok 'svm-eval: a pipe'           'svm-eval -q h60 plain p1; cat h60.gz | svm-eval -q - plain p2; same_files p1 p2'
ok 'svm-eval: a substitution'   'svm-eval -q <(cat h60) <(gzip -c plain) p2; svm-eval -q h60 plain p1; same_files p1 p2'

# ---- many chunks, long lines ----

# every_way FILE OPTION...: one model for 1, 2 and 7 threads, plain, gzipped and through a pipe
every_way()
{
	local threads f=$1
	shift
	gzip -1 -c "$f" >f.gz
	randsvm-train -q "$@" --threads 1 "$f" m1 || return
	for threads in 1 2 7; do
		randsvm-train -q "$@" --threads $threads "$f" m2 && same_files m1 m2 &&
			randsvm-train -q "$@" --threads $threads f.gz m2 && same_files m1 m2 &&
			randsvm-train -q "$@" --threads $threads - m2 <f.gz && same_files m1 m2 &&
			cat "$f" | randsvm-train -q "$@" --threads $threads - m2 && same_files m1 m2 || return
	done
}

short='--mode paper -k 30 --sample 60 --max-iter 1'
# shellcheck disable=SC2086
ok 'two megabytes'              every_way a9a $short
ok 'all its rows are read' \
	'randsvm-train -q $short --report r a9a m; grep -w "\"rows\":.32561" r && grep -w "\"entries\":.451592" r'

awk 'BEGIN { for (i = 0; i < 12; i++) { printf i % 2 ? "+1" : "-1"; for (j = 1; j <= 40000 + 999 * i; j++) printf " %d:%d", j, (i * j) % 10; print "" } }' >long
ok 'lines of half a megabyte'   every_way long -t 0 --mode direct
awk 'BEGIN { printf "+1"; for (j = 1; j <= 1000000; j++) printf " %d:%d", j, j % 10; print ""; print "-1 1:1 1000001:1" }' >longer
ok 'a line of 10 megabytes' \
	'randsvm-train -q --threads 2 -t 0 longer m1 && grep -q "1000001:1 $" m1 && grep -q " 1000000:0 $" m1'
ok 'any number of threads' \
	'randsvm-train -q --threads 1 -t 0 longer m2 && same_files m1 m2 && gzip -1 -c longer |
	randsvm-train -q --threads 7 -t 0 - m2 && same_files m1 m2'
ok 'a long line last' \
	'(tail -n 1 longer; head -n 1 longer | tr -d "\n") >in; randsvm-train -q -t 0 in m2 &&
	[ "$(wc -c <m2)" = "$(wc -c <m1)" ]'
if command -v svm-train >/dev/null; then
	ok 'as svm-train reads long lines' \
		'svm-train -q -t 0 long m2 && randsvm-train -q --mode direct -t 0 long m3 && same_files m2 m3'
	ok 'as svm-train reads longer ones' \
		'svm-train -q -t 0 longer m2 && randsvm-train -q --mode direct -t 0 longer m3 && same_files m2 m3'
fi
ok 'a long comment'             '(printf "#"; head -c 3000000 /dev/zero | tr "\0" x; echo; cat h60) >in; from in'
ok 'many empty lines'           '(head -c 3000000 /dev/zero | tr "\0" "\n"; cat h60) >in; from in'
ok 'a long run of blanks'       '(head -c 3000000 /dev/zero | tr "\0" " "; cat h60) >in; from in'
ok 'svm-eval: many chunks' \
	'for n in 1 2 7; do svm-eval -q --threads $n a9a heart.model p$n || exit; done; same_files p1 p2 p7 &&
	[ "$(wc -l <p1)" = 32561 ]'

# a defect far behind is found in its line, by any number of threads
(cat a9a; echo '# comment'; echo; echo '+1 3:1 3:1'; head -n 3000 a9a) >late
late() { streams 1 '' 'Wrong input format at line 32564: late:32564:8: feature 3 after 3' "$@" && [ ! -e none ]; }
for n in 1 2 7; do
	ok "a late defect, $n threads"            late randsvm-train --threads $n late none
	ok "svm-eval: a late defect, $n threads"  late svm-eval --threads $n late heart.model none
done
ok 'the first of two defects'   '(echo "+1 1:x"; cat late) >in; streams 1 "" "at line 1: in:1:6:" randsvm-train in m'
ok 'a late defect in gzip' \
	'gzip -1 -c late >late.gz; streams 1 "" "at line 32564: late.gz:32564:8:" randsvm-train late.gz m'
ok 'late.gz cut' \
	'head -c 200000 late.gz >in; streams 1 "" "in: gzip data end too early" randsvm-train in m'

# ---- a file that changes between two passes over it ----

changed='data: was changed while it was read'
svm-gen twonorm -q -n 60000 whole
# grown PROGRAM OPTION...: a row is added when the first row has been written, which is too early for
# the second pass to have come to the end: the pipe holds 64 KB
grown()
{
	cp whole data
	"$@" data - 2>err | (read -r _; tail -n 1 whole | sed 's/[^:]*$/9999/' >>data; cat >rest)
	[ "${PIPESTATUS[0]}" = 1 ] && holds err "$1: $changed"
}
ok 'ranges'                    grown rp-project -m scale
ok 'principal components'      grown rp-project -m pca -k 3
ok 'the number of features'    grown rp-project -m fht -k 3
ok '... for li'                grown rp-project -m li -k 3
ok 'folds of svm-train'        grown svm-fold -v 5 -f 1 --train --svm-train-order

# edited PROGRAM OPTION...: a digit in the comment of the last row becomes another one, again and again
# while the program runs.  Where both passes saw the same, as they may, its output is deleted and it is
# run again, 20 times at most.
edited()
{
	local try i pid size
	(cat whole; echo '+1 3:1 # 0') >data
	size=$(stat -c %s data)
	for ((try = 0; try < 20; try++)); do
		rm -f out
		"$@" 2>err >/dev/null &
		pid=$!
		for ((i = 0; ; i++)); do
			kill -0 $pid 2>/dev/null || break
			printf %d $((i % 10)) | dd of=data bs=1 seek=$((size - 2)) conv=notrunc status=none
		done
		wait $pid || break
	done
	cat err
	holds err "$1: $changed"
}
rp-project -q -k 8 -s map whole small
randsvm-train -q -t 0 --sv-indices indices small small.model
randsvm-train -q -t 0 -c 0.001 whole model
ok 'dual recovery'             edited rp-project -q -r map --recover data --sv-indices indices small.model out
ok 'certificate'               edited svm-eval -q --certify data -c 0.001 model
ok 'no file from any of these' '! [ -e out ]'
