# report.awk - the report in Markdown, from tables.tsv, published.tsv and results.tsv
#
# A table of the report has a line for each row and column of a table of results.  The line has, for
# each quantity, our value and the published value, if one is known.  If the two differ by more than
# the published standard deviation, or by more than one percent where none is published, a note says
# why.  Below its title stands the make target that makes the table; with -v only=TABLE the output is
# that table alone.
#
# SPDX-License-Identifier: BSD-3-Clause
BEGIN { FS = OFS = "\t" }
function print_head()
{
	print "# The tables of the papers, reproduced\n"
	print "`make -C experiments" (quick ? " QUICK=1" : "") "` makes this report. Each number of ours comes from a seed and a"
	print "pipeline of the programs. The published numbers are in `published.tsv`.\n"
	print "Numbers are means, with standard deviations in brackets: over seeds, over generated data sets, or"
	print "over several divisions of one data set into folds. For each generated data set there is one cross"
	print "validation, with one projection for each fold; the papers repeat both ten times.\n"
	print "Seconds are processor time on one core, of whole programs that read and write files. They depend"
	print "on the machine, and on the other work that it did."
	if (quick)
		print "\nThis is a quick run: three of the ten folds, and fewer and smaller data sets."
}
/^#/ { next }
FILENAME == "tables.tsv" { name[++n] = $1; title[n] = $2; text[n] = $3; pictures[n] = $4; next }

# note_line(): remember a line and a quantity of a table, in the order of the first call for each
function note_line(table, line, quantity)
{
	if (!((table, line) in lines))
		line_of[table, ++n_lines[table]] = line
	lines[table, line]
	if (!((table, quantity) in quantities))
		quantity_of[table, ++n_quantities[table]] = quantity
	quantities[table, quantity]
}
function number(x, s) { return s == "" ? x : x " (" s ")" }
FILENAME == "published.tsv" {
	key = $1 FS $2 FS $3 FS $4
	their[key] = $5
	deviation[key] = $6
	why[key] = $7
	why_none[key] = $8
	published[$1, $4]
	order[++n_published] = key
}
FILENAME == results {
	key = $1 FS $2 FS $3 FS $4
	our[key] = $5
	spread[key] = $6
	note_line($1, $2 FS $3, $4)
}

function is_far(key,    d, s)
{
	if (key ~ /features$/)
		return our[key] != their[key]
	d = our[key] - their[key]
	s = deviation[key] == "" ? 0.01 * their[key] : deviation[key]
	return d > s || d < -s
}
# letter(): the letter of a note of the table; a new note gets the next letter
function letter(note)
{
	if (!(note in letter_of)) {
		letter_of[note] = sprintf("%c", 97 + n_notes)
		note_of[n_notes++] = note
	}
	return letter_of[note]
}
function cells(table, line, quantity,    key, mark)
{
	key = table FS line FS quantity
	mark = !(key in their) ? "" : !(key in our) ? why_none[key] : is_far(key) ? why[key] : ""
	mark = mark == "" ? "" : " <sup>" letter(mark) "</sup>"
	return " " number(our[key], spread[key]) " |" (!((table, quantity) in published) ? "" : \
		" " number(their[key], deviation[key]) mark " |")
}
function print_table(table,    i, j, q, row)
{
	split("", letter_of)
	n_notes = 0
	printf "| data, method | columns or rows |"
	for (j = 1; j <= n_quantities[table]; j++)
		printf " %s |%s", quantity_of[table, j], ((table, quantity_of[table, j]) in published ? " published |" : "")
	printf "\n|---|---|"
	for (j = 1; j <= n_quantities[table]; j++)
		printf "---:|%s", ((table, quantity_of[table, j]) in published ? "---:|" : "")
	print ""
	for (i = 1; i <= n_lines[table]; i++) {
		split(line_of[table, i], row, FS)
		printf "| %s | %s |", row[1], row[2]
		for (j = 1; j <= n_quantities[table]; j++)
			printf "%s", cells(table, line_of[table, i], quantity_of[table, j])
		print ""
	}
	for (i = 0; i < n_notes; i++)
		print (i ? "" : "\n") "<sup>" sprintf("%c", 97 + i) "</sup> " note_of[i] (i < n_notes - 1 ? "  " : "")
}
END {
	for (i = 1; i <= n_published; i++) {
		split(order[i], part, FS)
		if (part[1] in n_lines)
			note_line(part[1], part[2] FS part[3], part[4])
	}
	if (!only)
		print_head()
	for (i = 1; i <= n; i++) {
		if (only && name[i] != only)
			continue
		print "\n## " title[i] "\n\n" text[i] "\n"
		print "`make -C experiments" (quick ? " QUICK=1 " : " ") name[i] "` makes this table.\n"
		if (!n_lines[name[i]]) {
			print "Left out: the data of this table do not come with randsvm. `make DATA=FOLDER` reads them from FOLDER."
			continue
		}
		n_pictures = split(pictures[i], picture, " ")
		for (j = 1; j <= n_pictures && !only; j++)
			print "![" title[i] "](" picture[j] ")\n"
		print_table(name[i])
	}
}
