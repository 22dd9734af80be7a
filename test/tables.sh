# Small files in the habits of other programs: rows as a person expects them, or a refusal that helps.

need svm-convert python3

kinds='R pandas spreadsheet Weka NumPy Octave Fortran SQL printed statistics matrix encoding packed'
for kind in $kinds; do
	ok "$kind"  python3 "$TOP/test/tables.py" "$kind"
done
ok 'each file is of one of these kinds' \
	'diff <(python3 "$TOP/test/tables.py" --list | cut -d, -f 1 | sort -u) <(printf "%s\n" $kinds | sort)'
