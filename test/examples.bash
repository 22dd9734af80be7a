# examples.bash - run the examples of a page and compare what they print; for test/examples.sh and
# test/shards.sh, which read it by `. "$TOP/test/examples.bash"`
#
# An example is a line that begins with "$ ", between .EX and .EE of a man page or between two ``` of
# the others; where it ends in \ it goes on in the next line, and in lines that begin with "> ".  The
# lines after it, up to the next example or an empty line, are what it prints on both outputs
# together; if there are none, that is not looked at.  "..." stands for any lines.
#
# Numbers may be off by 1 % or 0.02, gaps by a factor of 2 and #iter at will, since they depend on the
# LIBSVM and the BLAS that are installed.  Blanks, and lines of nothing but dots and stars, do not count.
#
# The examples of a file run one after another in a folder with what is in testdata.
#
# SPDX-License-Identifier: BSD-3-Clause

# block LANGUAGE [N]: the Nth text of $page between ```LANGUAGE and ```
block()
{
	awk -v start="\`\`\`$1" -v n="${2:-1}" '$0 == start { inside = ++seen == n; next }
		/^```/ { inside = 0 } inside' "$page"
}

# markdown_examples FILE: the text of all examples, as a reader sees it
markdown_examples()
{
	awk '/^```/ { inside = !inside; print ""; next } inside' "$1"
}

# split FOLDER: example N of the text on standard input to FOLDER/N.command and N.expected
split()
{
	awk -v folder="$1" '
		/^\$ / { name = folder "/" ++n; to = name ".command"; sub(/^\$ /, "") }
		/^> / { print substr($0, 3) >(name ".command"); to = name (/\\$/ ? ".command" : ".expected"); next }
		/^$/ { to = "" }
		to { print >to }
		to && !/\\$/ { to = name ".expected" }'
}

# as_shown EXPECTED: the lines on standard input are those
as_shown()
{
	awk -v expected="$1" '
	function tidy(s)
	{
		gsub(/[ \t]+/, " ", s)
		gsub(/^ | $/, "", s)
		sub(/#iter = [0-9]+/, "#iter", s)
		return s
	}
	function near(x, y) { return (x - y) ^ 2 <= (0.02 + 0.01 * (x < 0 ? -x : x)) ^ 2 }
	function within_twice(x, y) { return x + 0 <= 2 * y && y + 0 <= 2 * x }
	# equal between the numbers, and these near each other
	function alike(a, b,   x, y, before)
	{
		while (match(a, number)) {
			before = substr(a, 1, RSTART - 1)
			x = substr(a, RSTART, RLENGTH)
			a = substr(a, RSTART + RLENGTH)
			if (!match(b, number) || substr(b, 1, RSTART - 1) != before)
				return 0
			y = substr(b, RSTART, RLENGTH)
			if (!near(x, y) && !(before ~ /gap = $/ && within_twice(x, y)))
				return 0
			b = substr(b, RSTART + RLENGTH)
		}
		return a == b
	}
	BEGIN {
		number = "[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?"
		while ((getline line <expected) > 0)
			if (line == "...")
				skip[n + 1] = 1
			else if (line !~ /^[.*]*$/)
				wanted[++n] = tidy(line)
		at = 1
	}
	/^[.*]*$/ { next }
	at <= n && alike(wanted[at], tidy($0)) { at++; next }
	!skip[at] { print "printed, but not shown: " $0; wrong = 1 }
	END {
		for (; at <= n; at++) {
			print "shown, but not printed: " wanted[at]
			wrong = 1
		}
		exit wrong
	}'
}

# example N: run it, compare
example()
{
	if ! bash -o pipefail -c "$(cat "../$1.command")" >"../$1.output" 2>&1; then
		cat "../$1.output"
		return 1
	fi
	[ ! -e "../$1.expected" ] || as_shown "../$1.expected" <"../$1.output"
}

# targets WORD...: the Makefile has those that are no settings
targets()
{
	local word
	for word; do
		case $word in
		*=*) ;;
		*) grep -q "^$word:" "$TOP/Makefile" || { echo "no target $word"; return 1; } ;;
		esac
	done
}

# examples FILE COMMAND: those that COMMAND finds in it
examples()
{
	local folder=${1##*/} command i
	mkdir "$folder" && cp -R "$T" "$folder/data" && cd "$folder/data" || return
	"$2" "$TOP/$1" | split ..
	ok "$1 has examples" test -e ../1.command
	for ((i = 1; ; i++)); do
		[ -e "../$i.command" ] || break
		command=$(cat "../$i.command")
		# shellcheck disable=SC2086
		case $command in
		make | make\ *) ok "$1: $command" targets ${command#make} ;;
		*) ok "$1: $command" example "$i" ;;
		esac
	done
	cd ../..
}
