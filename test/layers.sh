#!/bin/sh
#
# layers.sh - check that the folders of lib/ are layers, and what else binds all sources
#
#   - a file of lib/LAYER/ includes "layer/name.h" of its own layer or an earlier one; files
#     of cmd/common/, api/ and shim/ include those and their neighbours, files of cmd/PROGRAM/ these
#     and "common/name.h"; of another program they include what BORROWED lists below
#   - what a file names, functions and tables, is in no later folder, and no files name each other
#     in a circle; seen in the objects of $BUILD, if it has any
#   - another project's header is seen by its one adapter only (FOREIGN below), and so is the
#     header with the names of the shared libraries (libraries.h)
#   - lib/ does not print, end the program or read the environment (BANNED below), nor do its
#     messages name options of the programs
#   - a switch over kernel types or machines names each and has no default
#   - the drawing in lib/README, which the order of the folders is taken from, is that of
#     CONTRIBUTING.md, and has each folder
#   - nobody but lib/base/ looks at the bound of memory: loops have no duty for it (mem_spill.h)
#   - no two sources have the same name
#   - a header compiles alone, and twice: it has `#pragma once`
#   - a test is skipped for a reason that scripts/fresh allows on a bare Debian, or that is none there
#     (ELSEWHERE below)
#   - git tracks nothing but what a folder may have (MAY_HAVE below)
#   - lib/, cmd/, api/ and shim/ have no more lines of code than CODE_LIMIT: what comes in says what
#     goes out
#
# Comments and strings do not count.  From the environment: BUILD, CC, CPPFLAGS.  Prints a line for each
# violation, then "layers: N checks, M failed"; exit status 1 if any.
#
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1

# 72800; 1,500 for the road from raw data to an answer one can trust, and 1,500 for models that leave
# the house and give their reasons
CODE_LIMIT=75800

# the rooms of the drawing in lib/README, from its last line upwards, each line from left to right
drawing=$(grep '^    [a-z]' lib/README)
LAYERS=$(echo "$drawing" | sed -n '3,$p' | sed 's/^    //; s/    *[a-z].*//; s/  */ /g' | sed '1!G; h; $!d')

sources=$(ls lib/*/*.[ch] api/*.[ch] shim/*.[ch] cmd/*/*.[ch] 2>/dev/null)

look_inside()
{
	awk -v layers="$(echo $LAYERS)" '
	BEGIN {
		n = split(layers, names)
		for (i = 1; i <= n; i++)
			layer[names[i]] = i
		layer["api"] = layer["shim"] = layer["cmd/common"] = n + 1
		n_programs = split("train grid eval project convert select fold gen mpi", names, " ")
		for (i = 1; i <= n_programs; i++)
			layer["cmd/" names[i]] = n + 2
		for (i = 1; i < ARGC; i++)
			known[ARGV[i]] = 1

		# BORROWED: which folder of a program may include which header of another
		borrowed["cmd/grid"] = "\\.\\./train/train(_options)?\\.h"
		borrowed["cmd/mpi"] = "\\.\\./train/train_group\\.h"

		# FOREIGN: which header (a pattern), where it may be included (a pattern)
		foreign["zlib\\.h"] = "lib/io/gzip\\.c"
		foreign["(isa-l|isa-l/.*|igzip_lib)\\.h"] = "lib/io/gzip\\.c"
		foreign["(libsvm/)?svm\\.h"] = "(lib/train/libsvm_adapter\\.c|lib/matrix/svm_header\\.h)"
		foreign["(liblinear/)?linear\\.h"] = "lib/linear/liblinear_adapter\\.c"
		foreign["mpi\\.h"] = "cmd/mpi/group_mpi\\.c"
		foreign["(.*/)?(cblas|lapacke?|f77blas|openblas_config)\\.h"] = "lib/matrix/blas\\.c"

		# the files that load a shared library, each the one that its make-made name is for
		loads = "^lib/(io/gzip|matrix/blas|train/libsvm_adapter|linear/liblinear_adapter)\\.c$"

		# BANNED: what no file of lib/ calls
		banned = "(printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|perror|" \
			"exit|_exit|_Exit|quick_exit|abort|getenv|secure_getenv)"
	}

	function complain(text)
	{
		print FILENAME ":" FNR ": " text
		failed++
	}

	# strip(s): s without comments; the text of strings and characters goes to no_strings only
	function strip(s,    out, c, two, quote)
	{
		out = no_strings = ""
		while (s != "") {
			c = substr(s, 1, 1)
			two = substr(s, 1, 2)
			if (in_comment) {
				if (two == "*/") {
					in_comment = 0
					s = substr(s, 3)
				} else {
					s = substr(s, 2)
				}
				continue
			}
			if (two == "//")
				break
			if (two == "/*") {
				in_comment = 1
				s = substr(s, 3)
				continue
			}
			out = out c
			no_strings = no_strings c
			s = substr(s, 2)
			if (c != "\"" && c != "\047")
				continue
			quote = c
			while (s != "") {
				c = substr(s, 1, 1)
				if (c == "\\") {
					out = out substr(s, 1, 2)
					s = substr(s, 3)
					continue
				}
				out = out c
				s = substr(s, 2)
				if (c == quote)
					break
			}
			no_strings = no_strings quote
		}
		return out
	}

	function included(name, quoted,    parts, folder, path)
	{
		checks++
		for (path in foreign)
			if (name ~ ("^" path "$") && FILENAME !~ ("^" foreign[path] "$"))
				complain("only " foreign[path] " includes " name)
		folder = split(name, parts, "/") == 2 ? parts[1] : ""
		if (!quoted) {
			if (folder in layer)
				complain("<" name "> is ours: write it in quotes")
			return
		}
		if (name == "libraries.h") {
			if (FILENAME !~ loads)
				complain("only " loads " includes " name)
		} else if (name == "export_text.h") {
			if (FILENAME !~ /^lib\/export\/export_(c|onnx)\.c$/)
				complain("only the writers of lib/export include " name)
		} else if (here in borrowed && name ~ ("^" borrowed[here] "$")) {
			sub(/^\.\./, "cmd", name)
			if (!(name in known))
				complain("no " name)
		} else if (folder == "" && here ~ /^(cmd|api|shim)/) {
			if (name !~ /^(version|completion_scripts)\.h$/ && !((here "/" name) in known))
				complain("no " here "/" name)
		} else if (folder == "common" && here ~ /^cmd/) {
			if (here == "cmd/common" || !(("cmd/" name) in known))
				complain("no cmd/" name " or a neighbour of it")
		} else if (!(folder in layer) || folder ~ /^(api|shim)$/) {
			complain("\"" name "\" is not of the form \"layer/name.h\"")
		} else if (!(("lib/" name) in known)) {
			complain("no lib/" name)
		} else if (here in layer && layer[folder] > layer[here]) {
			complain(here " includes the later layer " folder " (" name ")")
		}
	}

	FNR == 1 {
		split(FILENAME, path, "/")
		here = path[1] == "lib" ? path[2] : path[1] == "cmd" ? "cmd/" path[2] : path[1]
		in_comment = 0
		checks++
		if (!(here in layer))
			complain(here " is not among the layers")
	}

	{
		if (in_comment == 0 && $0 !~ /[\/"\047]/)
			code = no_strings = $0
		else
			code = strip($0)
	}

	code ~ /^[ \t]*#[ \t]*include/ {
		if (match(code, /"[^"]*"/))
			included(substr(code, RSTART + 1, RLENGTH - 2), 1)
		else if (match(code, /<[^>]*>/))
			included(substr(code, RSTART + 1, RLENGTH - 2), 0)
		next
	}

	here !~ /^(cmd|mpi|shim)/ && no_strings ~ ("(^|[^A-Za-z0-9_.>])" banned "[ \t]*\\(") {
		match(no_strings, "(^|[^A-Za-z0-9_.>])" banned "[ \t]*\\(")
		name = substr(no_strings, RSTART, RLENGTH - 1)
		gsub(/[^A-Za-z_]/, "", name)
		complain("lib/ does not call " name "()")
	}

	here !~ /^(cmd|mpi|shim)/ && no_strings ~ /(^|[^A-Za-z0-9_])stderr([^A-Za-z0-9_]|$)/ {
		complain("lib/ does not use stderr")
	}

	here !~ /^(cmd|mpi|shim)/ && code ~ /"([^"]*[^A-Za-z0-9_-])?--[a-z]/ {
		complain("lib/ does not name options of programs: see enum error_remedy")
	}

	# the compiler names the places that a new kernel or machine has to be thought of
	code ~ /(^|[^A-Za-z_])switch \(/ {
		by_type = 0
	}

	code ~ /^[ \t]*case (KERNEL|MACHINE)_/ {
		by_type = 1
	}

	by_type && code ~ /^[ \t]*default:/ {
		complain("a switch over kernels or machines has no default")
	}

	here != "base" && no_strings ~ /(^|[^A-Za-z0-9_])(mem_trim|spill_|ledger_)/ {
		complain("only lib/base looks at the bound of memory")
	}

	FILENAME != "lib/matrix/blas.c" && no_strings ~ /(^|[^A-Za-z0-9_])[sdcz][a-z0-9]+_[ \t]*\(/ {
		complain("only lib/matrix/blas.c names Fortran functions")
	}

	END {
		print "counted", checks + 0, failed + 0
	}
	' "$@"
}

# A program's own tables and settings, in cmd/, are read by all of its files: functions alone count.
# $* are the sources
look_at_objects()
{
	build=${BUILD:-build}
	find "$build/lib" "$build/cmd" "$build/api" "$build/shim" -name '*.o' 2>/dev/null | sort |
		xargs nm -A -P -g 2>/dev/null | awk -v build="$build/" -v layers="$(echo $LAYERS)" '
	BEGIN {
		n = split(layers, names)
		for (i = 1; i <= n; i++)
			layer[names[i]] = i
		for (i = 1; i < ARGC; i++)
			known[ARGV[i]] = 1
		ARGC = 1
	}

	# "FILE.o: SYMBOL TYPE ...", of hot loops FILE.VARIANT.o
	{
		file = substr($1, length(build) + 1)
		sub(/(\.(v3|v4|base))?\.o:$/, ".c", file)
		if (!(file in known))
			next
		if ($3 == "U")
			uses[file, $2] = 1
		else if ($3 ~ /^[TWi]$/ || $3 ~ /^[A-Z]$/ && (file !~ /^cmd/ || file ~ /common/))
			home[$2] = file
	}

	function floor_of(file,    part)
	{
		split(file, part, "/")
		return part[1] == "lib" ? layer[part[2]] : n + 1
	}

	# leave(end): take files out of the graph from which no arrow, or to which none, leads
	function leave(end,    arrow, two, busy, gone, k)
	{
		do {
			split("", busy)
			for (arrow in left) {
				split(arrow, two, SUBSEP)
				busy[two[end]] = 1
			}
			gone = 0
			for (arrow in left) {
				split(arrow, two, SUBSEP)
				if (!(two[3 - end] in busy)) {
					delete left[arrow]
					gone++
				}
			}
		} while (gone)
	}

	END {
		for (use in uses) {
			split(use, pair, SUBSEP)
			to = home[pair[2]]
			if (to == "" || to == pair[1])
				continue
			checks++
			left[pair[1], to] = left[pair[1], to] " " pair[2]
			if (floor_of(pair[1]) < floor_of(to)) {
				print pair[1] ": names " pair[2] " of the later " to
				failed++
			}
		}
		leave(1)
		leave(2)
		for (arrow in left) {
			split(arrow, pair, SUBSEP)
			print pair[1] ": in a circle by" left[arrow] " of " pair[2]
			failed++
		}
		print "counted", checks + 0, failed + 0
	}
	' "$@"
}

checks=0 failed=0
complain()
{
	echo "$1"
	failed=$((failed + 1))
}

# take LOOK: the complaints and counts of a function over all sources
take()
{
	# shellcheck disable=SC2086
	report=$("$1" $sources) || complain "$1: awk failed"
	echo "$report" | grep -v '^counted '
	# shellcheck disable=SC2046
	set -- $(echo "$report" | sed -n 's/^counted //p')
	checks=$((checks + ${1:-0})) failed=$((failed + ${2:-0}))
}
take look_inside
take look_at_objects

checks=$((checks + 1))
twice=$(ls lib/*/*.[ch] api/*.[ch] shim/*.[ch] cmd/*/*.[ch] \
	test/unit/*.[ch] fuzz/*.[ch] bench/*.[ch] 2>/dev/null |
	sed 's:.*/::' | sort | uniq -d)
for name in $twice; do
	complain "more than one file is called $name"
done

for header in $(ls lib/*/*.h shim/*.h cmd/*/*.h test/unit/*.h 2>/dev/null); do
	checks=$((checks + 1))
	# shellcheck disable=SC2086
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		${CC:-cc} -D_GNU_SOURCE -Ilib $CPPFLAGS -I. -Icmd -Ishim -std=gnu11 -Wall -Wextra -Werror \
			-fsyntax-only -x c - || complain "$header: does not compile alone"
done

# MAY_HAVE: whether a tracked file has a place here; in the root and in the folders whose files have
# no common form each is named, so that a new one is added here on purpose
may_have()
{
	case $1 in
	.clang-format | .clang-tidy | .gitignore) ;;
	CITATION.cff | CONTRIBUTING.md | COPYING | NEWS | README.md | SECURITY.md | VERSION) ;;
	Makefile | config.mk.in | configure.ac | version.sh | pyproject.toml) ;;
	.ci/run) ;;
	bench/common.sh | bench/time_*.c | bench/timing.h) ;;
	bench/landscape | bench/methods | bench/predict | bench/progress | bench/project | bench/ranks | bench/read) ;;
	bench/callers | bench/convert | bench/bounds | bench/calibration | bench/grid | bench/latency | bench/limits | bench/maps | bench/maps_tradeoff | bench/objective | bench/rounding) ;;
	bench/same_bytes | bench/scale | bench/scaling | bench/select | bench/shim | bench/text | bench/train | bench/words) ;;
	debian/control | debian/rules | debian/changelog | debian/copyright | debian/source/format) ;;
	debian/*.install | debian/*.examples | debian/*.symbols) ;;
	debian/tests/control | debian/tests/quick-start) ;;
	doc/*/* | scripts/*/* | man/*/*) return 1 ;;
	doc/*.md | doc/*.mk | doc/*.yaml | doc/page.html | doc/style.css | doc/*.svg | doc/*.gp | doc/*.tsv) ;;
	experiments/results/*/*) return 1 ;;
	experiments/results/report.md | experiments/results/results.tsv | experiments/results/*.svg) ;;
	experiments/*/*) return 1 ;;
	experiments/Makefile | experiments/*.sh | experiments/*.awk | experiments/*.gp | experiments/*.tsv) ;;
	scripts/fresh | scripts/randsvm-run | scripts/check_certificate.py | scripts/python_folder.py | scripts/python_reference.py | scripts/wheel_backend.py | scripts/*.sh | scripts/*.h | scripts/completion.* | scripts/export.*.in) ;;
	man/*.[157]) ;;
	lib/README | test/short) ;;
	lib/*/*/* | cmd/*/*/* | test/*/*/* | fuzz/*/*/*/*) return 1 ;;
	lib/*/*.[ch] | cmd/*/*.[ch]) ;;
	api/*/* | shim/*/*) return 1 ;;
	api/*.[ch] | api/randsvm.map) ;;
	python/randsvm/*/*) return 1 ;;
	python/randsvm/*.py | python/randsvm/py.typed) ;;
	shim/*.[ch] | shim/libsvm.map) ;;
	test/run | test/refusals | test/unit/*.[ch] | test/expected/gen | test/expected/maps | test/expected/project | \
	test/expected/select | test/expected/bytes) ;;
	test/unit/* | test/expected/*) return 1 ;;
	test/*.sh | test/*.bash | test/*.py | test/fault_shim.c) ;;
	fuzz/run | fuzz/*.[ch] | fuzz/corpus/*/*) ;;
	testdata/README | testdata/*.gz | testdata/heart.csv | testdata/sinc | testdata/three_class | testdata/bad/*) ;;
	testdata/stored/*/*/*) return 1 ;;
	testdata/stored/*/*) ;;
	*) return 1 ;;
	esac
}

while read -r name; do
	checks=$((checks + 1))
	case $name in
	unit/*) file=test/unit/test_${name#unit/}.c ;;
	*) file=test/$name.sh ;;
	esac
	[ -e "$file" ] || complain "test/short: no $file"
done <test/short

# ELSEWHERE: the reasons, from their first word, that scripts/fresh is to count as failures: it installs
# these packages, has no sanitizer, and may mount
ELSEWHERE='.*sanitizers|(many classes|long rows): their |memory is not to be limited|the libraries are loaded by '
ELSEWHERE=$ELSEWHERE'|(no |.*: no |.*: )?(svm-|liblinear-|gnuplot|python3|svm\.h|librandsvm |module randsvm )'
ELSEWHERE=$ELSEWHERE'|there is no (BLAS|LIBLINEAR|LIBSVM)|LIBLINEAR is not |ISA-L is not used|CITATION\.cff: Python has no yaml'
ELSEWHERE=$ELSEWHERE'|Python has (no yaml or|another version of Unicode)|env (cannot|does not) |(flock|mandoc) is not '
ELSEWHERE=$ELSEWHERE'|GNU parallel is not |(no file system|tmpfs) can|control groups cannot |mpirun.* forwards no '
ELSEWHERE=$ELSEWHERE"|scikit-learn's tests: no pytest|a wheel|"'\$shell is not installed'
allowed=$(sed -n "s/^allowed='\(.*\)'$/\1/p" scripts/fresh)
[ "$allowed" ] || complain 'scripts/fresh: no list of reasons to skip a test'
reasons=$(grep "\<skip ['\"]" test/*.sh test/*.bash | sed "s/:.*\<skip ['\"]/: skips a test: /")
checks=$((checks + $(echo "$reasons" | wc -l)))
while IFS= read -r reason; do
	[ ! "$reason" ] || complain "$reason, which neither scripts/fresh allows nor ELSEWHERE in $0 has"
done <<END
$(echo "$reasons" | grep -v -E "skips a test:(.*:)? ($allowed|$ELSEWHERE)")
END

checks=$((checks + 2))
rooms=$(echo $LAYERS | tr ' ' '\n' | sort)
[ "$rooms" = "$(find lib -mindepth 2 -name '*.c' | cut -d / -f 2 | sort -u)" ] ||
	complain 'the drawing of lib/README does not have the folders of lib/'
[ "$(grep -F -x -c "$drawing" CONTRIBUTING.md)" = "$(echo "$drawing" | wc -l)" ] ||
	complain 'CONTRIBUTING.md has another drawing than lib/README'

# a release has no git
tracked=$(git ls-files 2>/dev/null)
for file in $tracked; do
	checks=$((checks + 1))
	may_have "$file" || complain "$file: this folder is not for such a file (may_have in $0)"
done

checks=$((checks + 1))
code=$(scripts/code_lines.sh | sed -n 's/^all *\([0-9]*\) .*/\1/p')
[ "${code:-0}" -gt 0 ] && [ "$code" -le $CODE_LIMIT ] ||
	complain "${code:-no} lines of code by scripts/code_lines.sh, which may be $CODE_LIMIT"

echo "layers: $checks checks, $failed failed"
[ $failed = 0 ]
