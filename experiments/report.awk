# report.awk - the report in Markdown, from tables.tsv, published.tsv, expected.tsv and results
#
#     awk -v results=results/results.tsv -f judge.awk -f report.awk \
#        tables.tsv published.tsv expected.tsv results/results.tsv
#
# A table of the report has a line for each row and column of a table of results.  The line has, for
# each quantity, our value and the published value, if one is known, and at its end the verdict of
# judge.awk; seconds, which depend on the machine, are not in it.  If a value differs from the
# published one, a note says why.  Below the title of the table stand the make target that makes it
# and its verdict, and below the table the bounds that its values were held against.  With
# -v only=TABLE the output is that table alone.
#
# SPDX-License-Identifier: BSD-3-Clause
function print_head()
{
	print "# The tables of the papers, reproduced\n"
	print "`make -C experiments" (quick ? " QUICK=1" : "") "` makes this report. Each number of ours comes from a seed and a"
	print "pipeline of the programs. The published numbers are in `experiments/published.tsv`.\n"
	print "Numbers are means, with standard deviations in brackets: over seeds, over generated data sets, or"
	print "over several divisions of one data set into folds. For each generated data set there is one cross"
	print "validation, with one projection for each fold; the papers repeat both ten times.\n"
	print "Seconds are processor time on one core, of the phases that the programs report: of choosing or"
	print "projecting features and of training, without reading and writing files. They depend on the machine."
	print ""
	print "`make -C experiments check` judges each number. \"Agrees\" says no more than this: it lies within the"
	print "published standard deviation, or within one percent where none is published, or within 1.5 points if it is"
	print "an error of D1, D2 or D3, and keeps the bounds of `experiments/expected.tsv`, which are those of theory and"
	print "of independent programs; where nothing is published, it keeps the bounds. The published deviations of text"
	print "are as large as the numbers themselves, so that there it says little. If a number differs from the"
	print "published one, a note must say why. Seconds are compared, too, but do not count in the verdicts.\n"
	print "The data are those of `svm-gen` and `testdata/`, and, with `make DATA=FOLDER`, public sets in FOLDER"
	print "that do not come with randsvm; `experiments/data.tsv` has the names of their files."
	if (quick)
		print "\nThis is a quick run: three of the ten folds, and fewer and smaller data sets, without verdicts."
}
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

# letters(): a to z for i = 0 to 25, then aa, ab, ...
function letters(i) { return (i < 26 ? "" : letters(int(i / 26) - 1)) sprintf("%c", 97 + i % 26) }
# letter(): the letters of a note of the table; a new note gets the next
function letter(note)
{
	if (!(note in letter_of)) {
		letter_of[note] = letters(n_notes)
		note_of[n_notes++] = note
	}
	return letter_of[note]
}
function cells(table, line, quantity,    key, mark)
{
	key = table FS line FS quantity
	mark = !(key in our) ? (key in their ? why_none[key] : "") : found[key] == "differs" ? why[key] : \
		found[key] == "fails" ? "check: " failure_of[key] : ""
	mark = mark == "" ? "" : " <sup>" letter(mark) "</sup>"
	return " " number(our[key], spread[key]) " |" (!((table, quantity) in published) ? "" : \
		" " number(their[key], deviation[key]) mark " |")
}
# judge(): the verdict of each number of the table, and how many have which; the bounds are those of a
# full run
function judge(table,    i, j, key)
{
	split("", count)
	if (quick)
		return
	for (i = 1; i <= n_lines[table]; i++)
		for (j = 1; j <= n_quantities[table]; j++) {
			key = table FS line_of[table, i] FS quantity_of[table, j]
			if (!(key in our))
				continue
			found[key] = verdict(key)
			failure_of[key] = failure
			if (!is_time(key))
				count[found[key]]++
		}
}
# line_verdict(): that of a line: the worst of its numbers
function line_verdict(table, line,    j, key, worst)
{
	for (j = 1; j <= n_quantities[table]; j++) {
		key = table FS line FS quantity_of[table, j]
		if (!is_time(key) && rank[found[key]] > rank[worst])
			worst = found[key]
	}
	return worst == "fails" ? "**fails**" : worst
}
function print_verdict()
{
	if (count["agrees"] + count["differs"] + count["fails"] > 0)
		printf "Check: %d numbers agree, %d differ as noted, %d fail.\n\n", \
			count["agrees"], count["differs"], count["fails"]
}
# print_bounds(): the reasons of the bounds that judged a number of the table
function print_bounds(table,    i, title, told)
{
	for (i = 1; i <= n_bounds; i++) {
		if (!((table, i) in applied) || reason[i] in told)
			continue
		if (!title++)
			print "\nExpected, by theory or by an independent program:\n"
		print "- " reason[i]
		told[reason[i]]
	}
}
function print_table(table,    i, j, row, judged)
{
	judged = count["agrees"] + count["differs"] + count["fails"] > 0
	split("", letter_of)
	n_notes = 0
	printf "| data, method | columns or rows |"
	for (j = 1; j <= n_quantities[table]; j++)
		printf " %s |%s", quantity_of[table, j], ((table, quantity_of[table, j]) in published ? " published |" : "")
	print (judged ? " check |" : "")
	printf "|---|---|"
	for (j = 1; j <= n_quantities[table]; j++)
		printf "---:|%s", ((table, quantity_of[table, j]) in published ? "---:|" : "")
	print (judged ? "---|" : "")
	for (i = 1; i <= n_lines[table]; i++) {
		split(line_of[table, i], row, FS)
		printf "| %s | %s |", row[1], row[2]
		for (j = 1; j <= n_quantities[table]; j++)
			printf "%s", cells(table, line_of[table, i], quantity_of[table, j])
		print (judged ? " " line_verdict(table, line_of[table, i]) " |" : "")
	}
	for (i = 0; i < n_notes; i++)
		print (i ? "" : "\n") "<sup>" letters(i) "</sup> " note_of[i] (i < n_notes - 1 ? "  " : "")
}
END {
	rank["agrees"] = 1
	rank["differs"] = 2
	rank["fails"] = 3
	for (i = 1; i <= n_results; i++) {
		split(result_order[i], part, FS)
		note_line(part[1], part[2] FS part[3], part[4])
	}
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
		judge(name[i])
		print_verdict()
		n_pictures = split(pictures[i], picture, " ")
		for (j = 1; j <= n_pictures && !only; j++)
			print "![" title[i] "](" picture[j] ")\n"
		print_table(name[i])
		print_bounds(name[i])
	}
}
