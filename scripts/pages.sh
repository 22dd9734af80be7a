#!/bin/sh
#
# pages.sh - build the pages of `make html`
#
#     scripts/pages.sh FOLDER
#
# `pages` below lists them: a source, and the name of the page in the navigation.  cmark-gfm makes
# HTML of Markdown, mandoc of man pages; doc/page.html is around it.  All files of the site are in
# one folder, so that links lose their folders: `../man/randsvm.7` becomes `randsvm.7.html`, and
# README.md is index.html.
#
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C.UTF-8
export LC_ALL
folder=${1:?usage: scripts/pages.sh FOLDER}
cd "$(dirname "$0")/.." || exit 1

# a line without a bar begins a group of the navigation
pages='First steps
README.md|What it is
doc/install.md|Install
doc/tutorial.md|Tutorial
doc/text.md|Tutorial: text
doc/guide.md|Guide: which method
doc/questions.md|Questions
doc/libsvm.md|Coming from LIBSVM
doc/python.md|From Python
doc/r.md|From R and others
Subjects
doc/training.md|How training works
doc/features.md|Fewer features
doc/calibration.md|Probabilities and sets
doc/recipes.md|Recipes
doc/deploy.md|Models elsewhere
doc/shards.md|Shards
doc/cluster.md|Several machines
doc/scaling.md|From laptop to cluster
doc/library.md|Library
doc/python-api.md|Python: classes
Evidence
doc/performance.md|Performance
doc/testing.md|Testing
doc/theorems.md|Papers and theorems
doc/certificates.md|Certificates
experiments/results/report.md|Experiments
CONTRIBUTING.md|Source tree
SECURITY.md|Security
Manual
man/randsvm.7|Overview
man/randsvm-formats.5|Formats of files'
for page in man/*.1; do
	name=${page#man/}
	pages="$pages
$page|${name%.1}"
done
index=options.html

# what pages link to besides pages
files='doc/*.svg doc/*.tsv doc/*.mk doc/*.yaml experiments/results/*.svg api/randsvm.h CITATION.cff COPYING NEWS'

for tool in cmark-gfm mandoc; do
	command -v $tool >/dev/null || {
		echo "pages.sh: $tool is not installed; its Debian package is $tool" >&2
		exit 1
	}
done

# target SOURCE: the file of the page
target()
{
	case $1 in
	README.md) echo index.html ;;
	*.md) basename "$1" .md | sed 's/$/.html/' ;;
	*) echo "${1##*/}.html" ;;
	esac
}

# navigation: links to all pages that are there
navigation()
{
	echo "$pages" | while IFS='|' read -r source name; do
		if [ -z "$name" ]; then
			printf '%s<h2>%s</h2>\n<ul>\n' "$list" "$source"
			list='</ul>
'
		elif [ -e "$source" ]; then
			printf '<li><a href="%s">%s</a></li>\n' "$(target "$source")" "$name"
		fi
	done
	printf '<li><a href="%s">Index of options</a></li>\n</ul>\n' "$index"
}

# body SOURCE: the HTML of a page, with links to files of one folder
body()
{
	case $1 in
	*.md)
		cmark-gfm --unsafe -e table "$1" |
			sed -E -e 's#(href|src)="[^":]*/([^":/]*)"#\1="\2"#g' -e 's#"README\.md("|\#)#"index.html\1#g' \
				-e 's#(href="[^":]*)\.md("|\#)#\1.html\2#g' -e 's#(href="[^":]*\.[157])"#\1.html"#g'
		;;
	*)
		mandoc -T html -O fragment "$1" | sed -E "s#<b>($manuals)</b>\(([157])\)#<a href=\"\1.\2.html\">&</a>#g"
		;;
	esac | sed -E 's#<table( class="tbl")?>#<div class="wide">&#; s#</table>#&</div>#
			s#<p>(<img [^>]*>)</p>#<div class="wide">\1</div>#' |
		sed -E '/class="(head|foot)"/,/<\/table>/ s#</table></div>#</table>#'
}

# headings: give each heading of Markdown the id that GitHub gives it, and put a list of the sections
# before the second one
headings()
{
	sed -E -e ':a' -e '/^<h[1-6][^>]*>/ { /<\/h[1-6]>/! { N; s/\n */ /; ba' -e '} }' | awk '
	function text(s) { gsub(/<[^>]*>/, "", s); return s }
	function id(s)
	{
		s = tolower(text(s))
		gsub(/&[a-z]*;|[^a-z0-9_ -]/, "", s)
		gsub(/ /, "-", s)
		return s (seen[s]++ ? "-" seen[s] - 1 : "")
	}
	/^<h[1-6]>/ { $0 = substr($0, 1, 3) " id=\"" id($0) "\"" substr($0, 4) }
	/^<h2 id=|^<h1 class="Sh"/ {
		match($0, /id="[^"]*"/)
		list = list "<li><a href=\"#" substr($0, RSTART + 4, RLENGTH - 4) ">" text($0) "</a></li>\n"
		if (!n++)
			first = NR
	}
	{ line[NR] = $0 }
	END {
		for (i = 1; i <= NR; i++) {
			if (i == first && n > 2)
				print "<details class=\"contents\"><summary>On this page</summary>\n<ul>\n" list "</ul></details>"
			print line[i]
		}
	}'
}

# terms: all that is described in a list of a manual, by its words, with the pages that do
terms()
{
	echo '<h1>Index of options</h1>'
	echo '<p>Options, commands and words of the manual, and the pages that describe them.</p>'
	echo '<dl class="terms">'
	for manual in man/*.[157]; do
		mandoc -T html -O fragment "$manual" | sed -n "s|^ *<dt id=\"\([^\"]*\)\"><a[^>]*>\(.*\)|\2@${manual##*/}#\1|p"
	done | sed -e 's/<[^>]*>//g' -e 's/ *@/@/' | sort -f -t @ -k 1,1 | awk -F @ '
		$1 != last { printf "%s<dt><code>%s</code></dt><dd>", last == "" ? "" : "</dd>\n", $1; last = $1 }
		{ split($2, page, "#"); printf "<a href=\"%s.html#%s\">%s</a> ", page[1], page[2], page[1] }
		END { print "</dd>" }'
	echo '</dl>'
}

# page FILE NAME: put the page around $work/body
page()
{
	navigation | sed "s#href=\"$1\"#& aria-current=\"page\"#" >"$work/navigation"
	title="$2 - randsvm"
	sed -e "s#@title@#$title#" -e "s#@version@#$version#" -e "/@navigation@/ { r $work/navigation" -e 'd' -e '}' \
		-e "/@body@/ { r $work/body" -e 'd' -e '}' doc/page.html >"$folder/$1"
}

mkdir -p "$folder" && work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
version=$(./version.sh)
manuals=$(ls man | sed 's/\.[157]$//' | paste -s -d '|')
# shellcheck disable=SC2086
cp doc/style.css $files "$folder" || exit 1
echo "$pages" | while IFS='|' read -r source name; do
	if [ "$name" ] && [ -e "$source" ]; then
		body "$source" | headings >"$work/body"
		page "$(target "$source")" "$name"
	fi
done
terms >"$work/body"
page "$index" 'Index of options'
echo "$folder/index.html"
