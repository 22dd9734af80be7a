# Files of other programs, packed files, marks of UTF-8: in the place of any input.

need svm-convert randsvm-train svm-eval rp-project fs-select python3

printf '1 1:1 2:2\n-1 1:2 2:1\n1 1:1.5 2:3\n-1 1:3 2:1\n' >rows
randsvm-train -q -t 0 rows model && rp-project -q -m countsketch -k 2 -s map rows projected
fs-select -q -m bss -k 1 -s selection rows chosen
printf 'y,x\n1,2\n2,3\n' >table && svm-convert -q -l y -s columns --names names table converted
printf '1\n2\n1\n1\n' >weights && printf 'label prediction\n1 1\n-1 -1\n' >predictions
printf '%%%%MatrixMarket matrix coordinate real general\n4 2 2\n1 1 1\n4 2 1\n' >matrix.mtx
printf '@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1,a\n2,b\n' >table.arff
printf 'x\n-1 1\n1 1 3\n2 1 3\n' >ranges

# Each input and a program that reads it: FILE is the file.
readers=(
	'rows randsvm-train -q FILE none'
	'model svm-eval -q rows FILE'
	'map rp-project -q -r FILE rows'
	'selection fs-select -q -r FILE rows'
	'ranges rp-project -q -r FILE rows'
	'columns svm-convert -q -r FILE table'
	'table svm-convert -q -l y FILE'
	'matrix.mtx svm-convert -q --no-label FILE'
	'table.arff svm-convert -q -l y FILE'
	'weights randsvm-train -q -W FILE rows none'
	'weights svm-convert -q --labels-of FILE matrix.mtx'
	'predictions svm-eval --measure FILE'
	'names fs-select -q -m bss -k 1 --list --names FILE converted'
)

# run_reader COMMAND FILE: what the program writes
run_reader() { eval "${1/FILE/$2}"; }

# ---- the mark of UTF-8 changes nothing ----

same_with_mark()
{
	local file=${1%% *} command=${1#* }
	{ printf '\xef\xbb\xbf' && cat "$file"; } >marked && gzip -c marked >marked.gz || return 1
	run_reader "$command" "$file" >plain.out || return 1
	[ -e none ] && mv none none.plain
	for marked in marked marked.gz; do
		run_reader "$command" $marked | cmp - plain.out || return 1
		[ ! -e none ] || cmp none none.plain || return 1
	done
}
for reader in "${readers[@]}"; do
	rm -f none none.plain
	ok "a mark: $reader" same_with_mark "$reader"
done
fail 1 'standard input:1:1: a byte order mark' "printf '\xef\xbb\xbf1 1:1\n' | rp-project -m none --strict"
ok 'as many bytes looked at as there are' \
	'printf "MATLAB\nSQLite format\nMATLAB\nMATLAB\n" | tee classes | svm-convert -q --no-label >/dev/null; svm-convert -q --labels-of classes --labels learned matrix.mtx >/dev/null; printf "1 MATLAB\n2 SQLite format\n" | cmp - learned'
ok 'a part of a mark is text' 'printf "\xef\xbb,y\n1,2\n" | svm-convert -q -l y --names part >/dev/null; head -c 2 part | cmp - <(printf "\xef\xbb")'

# ---- formats that no program reads ----

# name BYTES: files of that format begin so, and messages have that text
formats=(
	'packed by xz|\xfd7zXZ\0\0\4'       'packed by zstd|\x28\xb5\x2f\xfd\4\0'
	'packed by lz4|\x04\x22\x4d\x18d'   'packed by bzip2|BZh91AY&SY'
	'packed by lzma|\x5d\0\0\x80\0'     'packed by compress|\x1f\x9d\x90a'
	'text in UTF-16|\xff\xfe1\0'        'text in UTF-16|\xfe\xff\0001'
	'text in UTF-16|1\0 \0001\0:\0'     'text in UTF-16|\0001\0 \0001'
	'a workbook of Excel|\xd0\xcf\x11\xe0\xa1\xb1' 'Parquet|PAR1\25\4'
	'Arrow|ARROW1\0\0'                  'HDF5|\x89HDF\r\n\x1a\n'
	'MATLAB|MATLAB 5.0 MAT-file, Platform' 'SPSS|$FL2@(#) SPSS'
	'SQLite|SQLite format 3\0'          'a pickle of Python|\x80\4\x95\1\0'
	"R's data|X\n\0\0\0\3\0"            'a picture|\x89PNG\r\n\x1a\n'
	'a picture|\xff\xd8\xff\xe0'        'a document in PDF|%%PDF-1.7\n'
	'a program|\x7fELF\2\1\1'           'HTML|<!DOCTYPE html>\n<html>'
	'JSON lines|{"label": 1, "x1": 0.5}\n' 'JSON|[{"label": 1}]\n'
	'JSON|[\n {"label": 1}]\n'          'SAS|HEADER RECORD*******LIBRARY'
	'this is no text|\0\0\0\0\0'
)
refused()
{
	local command=${1#* }
	printf "${2#*|}" >foreign && cat rows >>foreign && gzip -c foreign >foreign.gz || return 1
	for foreign in foreign foreign.gz; do
		run_reader "$command" $foreign >out 2>&1 && return 1
		grep -qF "${2%%|*}" out || { cat out; return 1; }
	done
}
for format in "${formats[@]}"; do
	for reader in "${readers[@]}"; do
		ok "${format%%|*}: $reader" refused "$reader" "$format"
	done
done
fail 1 'a zip archive'              'printf "PK\3\4abc" | randsvm-train - none'
fail 1 'a workbook or document, as of Excel: save it as CSV' \
	'python3 -c "import zipfile; zipfile.ZipFile(\"book\", \"w\").writestr(\"[Content_Types].xml\", \"\")"; svm-convert -l y book'
fail 1 'HTML'                       'printf "\n\n<!DOCTYPE html>\n<html lang=\"en\">\n" | svm-convert -l 1'
fail 1 'JSON'                       'printf " {\"label\": 1}\n" | svm-convert -l 1'
fail 1 'lists in brackets'          'printf "[[1. 2. 3.]\n [4. 5. 6.]]\n" | svm-convert -l 1'
fail 1 'packed by gzip twice'       'gzip -c table | gzip | svm-convert -l y'
fail 1 'this is no text'            'printf "\1\2\3\n" | svm-convert -l 1'
fail 1 'this is no text'            '{ seq 3000; printf "1\0\n"; } | svm-convert --no-label'
ok 'zeros are not read to their end' \
	'head -c 100000000 /dev/zero | svm-convert -l 1; set -- "${PIPESTATUS[@]}"; [ "$1 $2" = "141 1" ]'
ok 'nor those within a table' \
	'{ echo 1,2; head -c 100000000 /dev/zero; } | svm-convert -l 1; set -- "${PIPESTATUS[@]}"; [ "$1 $2" = "141 1" ]'

# ---- tables of which nothing is known ----

fail 1 'no column is left for features: the table has one; is there a --delimiter' 'seq 5 | svm-convert -l 1'
fail 1 'no column is left for features' 'svm-convert -l y --ignore x table'
ok 'MatrixMarket with one %'        'sed s/%%/%/ matrix.mtx | svm-convert -q --no-label | cmp - <(svm-convert -q --no-label matrix.mtx)'
