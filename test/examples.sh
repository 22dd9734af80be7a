# The examples of the man pages and of README.md run, and print what they say they print.
#
# An example is a line that begins with "$ ", between .EX and .EE in a man page, between two
# lines of ``` in README.md; a line that ends in \ goes on in the next.  The lines after it
# are what it prints, on both outputs together; none at all: that is not looked at.  "..." stands
# for any lines, white space and lines of dots and asterisks do not count, and numbers may be off by one
# percent or 0.02, iterations by any amount: they depend on LIBSVM's version.
# Each file has a folder of its own with what is in testdata.

need svm-train svm-scale svm-grid liblinear-train

# man_examples FILE, readme_examples FILE: the plain text of all examples
man_examples()
{
	sed -n '/^\.EX/,/^\.EE/ { s/^\..*//; p }' "$1" |
		sed -e 's/\\&//g' -e "s/\\\\(aq/'/g" -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

readme_examples()
{
	awk '/^```/ { inside = !inside; print ""; next } inside' "$1"
}

# split < TEXT: N.command, N.expected for each example, and what is no part of one dropped
split()
{
	awk '/^\$ / { name = ++n; sub(/^\$ /, ""); print >(name ".command"); more = /\\$/; next }
	     /^$/ { name = ""; next }
	     more { print >(name ".command"); more = /\\$/; next }
	     name { print >(name ".expected") }'
}

# as_shown EXPECTED < OUTPUT
as_shown()
{
	awk -v expected="$1" '
	function squeeze(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
	function alike(a, b,   x, y)
	{
		gsub(/#iter = [0-9]+/, "#iter", a); gsub(/#iter = [0-9]+/, "#iter", b)
		while (match(a, number)) {
			x = substr(a, RSTART, RLENGTH)
			before = substr(a, 1, RSTART - 1); a = substr(a, RSTART + RLENGTH)
			if (!match(b, number) || before != substr(b, 1, RSTART - 1)) return 0
			y = substr(b, RSTART, RLENGTH); b = substr(b, RSTART + RLENGTH)
			if ((x - y) ^ 2 > (0.02 + 0.01 * (x < 0 ? -x : x)) ^ 2) return 0
		}
		return a == b
	}
	BEGIN {
		number = "[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?"
		while ((getline line <expected) > 0)
			if (line == "..." || line !~ /^[.*]*$/) wanted[++n] = squeeze(line)
		at = 1
	}
	/^[.*]*$/ { next }
	at <= n && wanted[at] != "..." && alike(wanted[at], squeeze($0)) { at++; next }
	at <= n && wanted[at] == "..." { if (at < n && alike(wanted[at + 1], squeeze($0))) at += 2; next }
	{ print "not in the documentation: " $0; wrong = 1 }
	END {
		if (wanted[at] == "...") at++
		for (; at <= n; at++) { print "not printed: " wanted[at]; wrong = 1 }
		exit wrong
	}'
}

# example NUMBER: run it, show what it prints, compare
example()
{
	bash -o pipefail -c "$(cat "../$1.command")" >"../$1.output" 2>&1 || { cat "../$1.output"; return 1; }
	[ ! -e "../$1.expected" ] || as_shown "../$1.expected" <"../$1.output"
}

# examples FILE COMMAND...: those that COMMAND finds in it
examples()
{
	local file=$1 folder=${1##*/} i command
	mkdir -p "$folder/data" && cd "$folder" || return
	"$2" "$TOP/$file" | split
	cp "$T"/* data
	cd data || return
	ok "$file has examples" test -e ../1.command
	for ((i = 1; ; i++)); do
		[ -e "../$i.command" ] || break
		command=$(cat "../$i.command")
		case $command in
		make*) ok "$file: $command" targets "$command" ;;
		*a9a*) ;;		# takes long; `make demo` does it
		*) ok "$file: $command" example "$i" ;;
		esac
	done
	cd ../..
}

# targets "make TARGET...": the Makefile has them
targets()
{
	local word
	for word in ${1#make}; do
		case $word in
		*=* | -*) ;;
		*) grep -q "^$word:" "$TOP/Makefile" || { echo "no target $word"; return 1; } ;;
		esac
	done
}

for page in "$TOP"/man/*.[15]; do
	examples "man/${page##*/}" man_examples
done
examples README.md readme_examples
