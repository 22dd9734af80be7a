# files that earlier versions stored in testdata/stored are read, and mean what they meant: beside each
# is what was made of it then (scripts/stored.sh)

# near A B [TOLERANCE]: the same words, and numbers within 1e-5, or the tolerance, of each other
near()
{
	[ -s "$1" ] && paste -d '\n' "$1" "$2" | awk -v tolerance="${3:-1e-5}" '
	function differ(a, b) { return a != b && (a b ~ /[a-df-z]/ || !(a - b <= tolerance * size(a) && b - a <= tolerance * size(a))) }
	function size(a) { return a + 0 > 1 ? a + 0 : a + 0 < -1 ? -a : 1 }
	NR % 2 { line = $0; next }
	{
		n = split(line, a, "[ :]")
		bad = n != split($0, b, "[ :]")
		for (k = 1; k <= n && !bad; k++)
			bad = differ(a[k], b[k])
		if (bad) {
			print "line " NR / 2 ": " line " | " $0
			exit
		}
	}
	END { exit bad }'
}

predicts() { svm-eval -q --scores -o - "$2" "$1.model" >now && near now "$1.predicted"; }
maps() { rp-project -q -r "$1.map" "$2" >now && near now "$1.mapped"; }
chooses() { fs-select -q -r "$1.choice" "$2" >now && near now "$1.chosen"; }
unpacks() { rp-project -q -m none "$1.rows" >now && near now "$2"; }
tabulates() { svm-convert -q -r "$1.columns" "$1" >now && cmp now "$1.rows"; }
resumes() { randsvm-grid -q -log2c -1,3,2 -log2g -5,-1,2 -v 3 -out null -png null -resume "$1.points" "$2" >now &&
	! grep '^\[local\]' now && tail -n 1 now | cmp - <(tail -n 1 "$1.lines"); }

# all that a report had then it has now, of the same kind
reports()
{
	randsvm-train -q --report now.json -c 2 "$2" /dev/null && python3 - "$1.json" now.json <<'END_OF_PYTHON'
import json, sys
then, now = (json.load(open(name)) for name in sys.argv[1:])

def kept(old, new, path):
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return
    assert type(old) is type(new), f"{path}: {old} became {new}"
    for key in old if isinstance(old, dict) else ():
        assert key in new, f"{path}{key} is gone"
        kept(old[key], new[key], f"{path}{key}.")
    if isinstance(old, list) and old:
        assert new, f"{path} is empty"
        kept(old[0], new[0], path)

kept(then, now, "")
END_OF_PYTHON
}

# A state is for the version that wrote it, as the model is to have the bytes of a training without a
# break: any other says so, and leaves it.  Its form is still read: with the name of this version in it
# the training goes on, to decision values as near as -e 0.001 makes them where roundings differ.
continues()
{
	local options="-q --threads 1 --sample 8 -c 1000" version
	version=$(randsvm-train --version | sed -n '1s/.* //p')
	cp "$1.checkpoint" state
	if ! grep -qax "version $version" state; then
		! randsvm-train $options --checkpoint state "$2" made 2>messages && cat messages && [ ! -e made ] &&
			cmp state "$1.checkpoint" && grep version messages || return
		! grep 'of another version or machine' messages || return 0
	fi
	python3 - state "$version" <<'END_OF_PYTHON' &&
import re, sys, zlib
name, version = sys.argv[1:]
first, line, rest = open(name, "rb").read().split(b"\n", 2)
size = int(line.split()[1])
settings = re.sub(rb"(?m)^version .*$", b"version " + version.encode(), rest[:size])
open(name, "wb").write(b"%s\nsettings %d %08x\n" % (first, len(settings), zlib.crc32(settings)) +
                       settings + rest[size:])
END_OF_PYTHON
		randsvm-train $options --checkpoint state "$2" made >lines && cat lines && [ ! -e state ] &&
		svm-eval -q --scores -o - "$2" made >now && near now <(svm-eval -q --scores -o - "$2" "$1.model") 1e-2
}

for stored in "$T"/stored/*; do
	[ -s "$stored/contents" ] || continue
	mkdir "${stored##*/}" && cp "$stored"/* "${stored##*/}"
	while read -r kind name rows; do
		case $kind in
		model) how=predicts ;;
		map) how=maps ;;
		choice) how=chooses ;;
		rows) how=unpacks ;;
		table) how=tabulates ;;
		search) how=resumes ;;
		report) how=reports ;;
		state) how=continues ;;
		*) how=false ;;
		esac
		ok "${stored##*/}: $kind $name"  "cd ${stored##*/} && $how $name $rows"
	done <"$stored/contents"
done
ok 'there are files of 0.1.0'  '[ "$(wc -l <0.1.0/contents)" -ge 40 ]'
