# report.awk - the report in Markdown, from tables.tsv, published.tsv and results.tsv
#
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
	FS = OFS = "\t"
	print "# The papers' tables, made again\n"
	print "Made by `make -C experiments" (quick ? " QUICK=1" : "") "`: every number of ours comes from a seed and a pipeline of the"
	print "programs, those published from `published.tsv`. Means, with standard deviations over folds, seeds and data sets in brackets; seconds are"
	print "of the processor, one core, and depend on the machine."
	print "Where data sets are drawn anew there is one cross validation and one projection for each fold; the papers"
	print "repeat both ten times."
	if (quick)
		print "\nThis is a quick run: three of the ten folds, fewer data sets, and smaller ones."
}
/^#/ { next }
function number(x, s) { return s == "" || s == 0 ? x : x " (" s ")" }
FILENAME == "tables.tsv" { name[++n] = $1; title[n] = $2; text[n] = $3; picture[n] = $4 }
FILENAME == "published.tsv" {
	key = $1 FS $2 FS $3 FS $4
	mean[key] = $5
	deviation[key] = $6
	why[key] = $7
}
FILENAME == results {
	key = $1 FS $2 FS $3 FS $4
	far = 0
	if (key in mean) {
		d = $5 - mean[key]
		# without a deviation: equal to the last digit but a hundredth
		s = deviation[key] == "" ? 0.01 * mean[key] : deviation[key]
		far = $4 == "features" ? $5 != mean[key] : d > s || d < -s
	}
	line[$1] = line[$1] "| " $2 " | " $3 " | " $4 " | " number($5, $6) " | " \
		number(mean[key], deviation[key]) " | " (far ? why[key] : "") " |\n"
}
END {
	for (i = 1; i <= n; i++) {
		print "\n## " title[i] "\n\n" text[i] "\n"
		if (!line[name[i]]) {
			print "Left out: its data do not come with randsvm (`DATA=FOLDER` says where they are)."
			continue
		}
		if (picture[i])
			print "![" title[i] "](" picture[i] ")\n"
		print "| data, method | columns or rows | | ours | published | why they differ |"
		print "|---|---|---|---:|---:|---|"
		printf "%s", line[name[i]]
	}
}
