# The man pages are well formed and say what the programs say; the citation is what the format demands.

. "$TOP/test/helpers.bash"

need groff mandoc

# quiet COMMAND...: succeeds if the command prints nothing
quiet()
{
	local out
	out=$("$@" 2>&1)
	echo "$out"
	[ -z "$out" ]
}

# the options among the words on standard input, sorted
options()
{
	grep -o -E '(^|[ ,|[])--?[A-Za-z][A-Za-z0-9-]*' | sed 's/^[^-]*//' | sort -u
}

# options that `PROGRAM --help` lists: in lines beginning with one, up to what explains it
help_options()
{
	"$1" --help | sed -n 's/^  -/-/p' | sed 's/   *.*//' | options
}

# the lines of a man page that head a paragraph
tags()
{
	awk '/^\.T[PQ]/ { tag = 1; next }
	     tag { print }
	     /^\.IP/ { sub(/^\.IP */, ".B "); print }
	     { tag = 0 }' "$1"
}

page_options()
{
	{
		printf '.TH TAGS 1 2026-01-01\n.SH TAGS\n'
		tags "$1" | sed 's/$/\n.br/'
	} | mandoc -T ascii -O width=500 | sed 's/.\x08//g' | options
}

# the page that explains the options of a program
page_of()
{
	echo "${1%-mpi}.1"
}

same_options()
{
	local page
	page=$(page_of "$1")
	help_options "$1" >help
	page_options "$TOP/man/$page" >page
	[ -s help ] || echo "no options found in $1 --help"
	comm -23 help page | sed "s/\$/ is in $1 --help, not in man\/$page/"
	comm -13 help page | sed "s/\$/ is in man\/$page, not in $1 --help/"
	[ -s help ] && cmp -s help page
}

# help_outline PROGRAM, page_outline PROGRAM: the groups of options, and the first word of each, in order
help_outline()
{
	"$1" --help | sed -n '/^Examples:/q; s/^\([A-Z][A-Za-z -]*\):$/\1/p; s/^  \(-[^ ,]*\).*/\1/p'
}

page_outline()
{
	sed 's/\\-/-/g' "$TOP/man/$(page_of "$1")" | awk '
		/^\.SH / { inside = $2 == "OPTIONS"; next }
		!inside { next }
		/^\.SS / { print substr($0, 5) }
		tag { gsub(/^\.[A-Z]+ /, ""); sub(/^-w i /, "-wi "); sub(/[ ,"].*/, ""); print }
		{ tag = /^\.TP/ }'
}

same_outline()
{
	help_outline "$1" >help
	page_outline "$1" >page
	[ -s help ] && diff help page
}

# paragraph PAGE OPTION: the first sentences that explain the option, up to one on LIBSVM, labels or values
paragraph()
{
	awk -v tag="\\-\\-${2//-/\\-}" '
		/^\.(TP|SS|SH)/ { inside = 0 }
		inside && !/^(LIBSVM|Labels|Values|With|This)/ { print }
		inside && /^(LIBSVM|Labels|Values|With|This)/ { inside = 0 }
		after && index($0, tag) { inside = 1 }
		{ after = /^\.TP/ }' "$1"
}

# alike OPTION PAGE...: the pages explain it in the same words
alike()
{
	local page option=$1
	shift
	for page; do
		paragraph "$page" "$option" >words
		[ -s words ] || { echo "$page: no paragraph"; return 1; }
		[ -e "words.$option" ] || cp words "words.$option"
		diff "words.$option" words || { echo "$page"; return 1; }
	done
}

for page in "$TOP"/man/*.[157]; do
	[ -e "$page" ] || continue
	name=man/${page##*/}
	ok "$name: groff has no warnings"    quiet groff -t -man -Tascii -ww -z "$page"
	# of text alone: man pages ask for no warnings of their tables
	ok "$name: nor in narrow and wide windows" \
		"for w in 60 72 100 160; do quiet groff -t -man -Tutf8 -ww -z -rLL=\${w}n '$page' || exit; done"
	ok "$name: mandoc has no warnings"  mandoc -T lint -W warning "$page"
	# a bare - becomes a hyphen, which nobody can copy into a shell
	ok "$name: options are written \\-" quiet grep -n -E '(^|[^\\A-Za-z0-9])-[A-Za-z-]' <(tags "$page")
done

for program in "$BIN"/*; do
	program=${program##*/}
	ok "$program has a man page"                 test -e "$TOP/man/$program.1"
	ok "$program: man page and --help agree"     same_options "$program"
	ok "$program: options in the same order"     same_outline "$program"
done

ok 'randsvm-run: man page and --help agree'        'PATH=$TOP/scripts:$PATH; same_options randsvm-run && same_outline randsvm-run'

pages=$(ls "$TOP"/man/*.1 | grep -v -e -mpi -e -run)
for option in progress version; do
	ok "--$option is explained alike"            alike $option $pages
done
ok '--threads is explained alike'                alike threads $(echo "$pages" | grep -v svm-convert)
for option in strict allow-nonfinite; do
	ok "--$option is explained alike"            alike $option $(echo "$pages" | grep -v -E 'svm-(gen|convert)')
done
ok '--report is explained alike'                 alike report $pages
ok '--verbose is explained alike'                alike verbose "$TOP"/man/{randsvm-train,rp-project}.1

# guide_tables: doc/guide.md has each line of the tables that are made of doc/maps.tsv
guide_tables()
{
	"$TOP/bench/maps_tradeoff" --guide | grep . >tables
	[ -s tables ] && ! grep -v -x -F -f "$TOP/doc/guide.md" tables
}
ok 'doc/guide.md has the tables of doc/maps.tsv' guide_tables

# citation: CITATION.cff has what the Citation File Format 1.2.0 demands
citation()
{
	"$python" - "$TOP" <<-'END'
		import sys, yaml
		top = sys.argv[1]
		cff = yaml.load(open(top + "/CITATION.cff"), yaml.BaseLoader)
		persons = {"family-names", "given-names", "name-particle", "name-suffix", "affiliation", "orcid"}
		kinds = {"article", "book", "conference-paper", "generic", "proceedings", "report", "thesis"}

		def check(entry, keys, where):
		    missing = [key for key in keys if not entry.get(key)]
		    assert not missing, (where, "lacks", missing)
		    for author in entry["authors"]:
		        assert set(author) <= persons or author.get("name"), (where, author)
		    if "year" in entry:
		        assert 1900 < int(entry["year"]) < 2100, (where, entry["year"])
		    assert "conference" not in entry or entry["conference"].get("name"), where

		check(cff, ["cff-version", "message", "title", "authors", "license", "version"], "the program")
		assert cff["cff-version"] == "1.2.0" and cff["type"] == "software", cff
		for paper in cff["references"]:
		    check(paper, ["type", "title", "authors", "year"], paper.get("title"))
		    assert paper["type"] in kinds, paper
		readme = " ".join(open(top + "/README.md").read().split())
		for paper in cff["references"]:
		    assert paper["title"] in readme, paper["title"]
	END
}
python=$(python_with yaml)
if [ "$python" ]; then
	ok 'CITATION.cff'                                citation
else
	skip 'CITATION.cff: Python has no yaml'
fi
