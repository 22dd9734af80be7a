# rules.awk - rules for make from plans.tsv and data.tsv: one for each result
#
#     awk -v mode=full -v folder=work/full -v have="orl mnist.t" -f rules.awk \
#        tables.tsv plans.tsv data.tsv >work/full.mk
#
# mode is full, quick or check; `have` lists the files in $DATA, without .gz.  A result is a file
# folder/TABLE/DATA.METHOD.COLUMN.SEED.  One command makes it, which is given all it needs to know
# in its environment, and it depends on the programs that have a part in it.  A variable results_TABLE
# has the names of all results of a table, and folder/tables/TABLE depends on them.
#
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
	FS = "\t"
	mode_column = mode == "full" ? 1 : mode == "quick" ? 2 : 3
	n_have = split(have, list, " ")
	for (i = 1; i <= n_have; i++)
		is_there[list[i]]
	n_programs = split("randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen", programs, " ")
	# what the scripts run; other programs are named in the tables
	runs["train"] = "svm-eval"
	runs["validate"] = runs["shares"] = "rp-project svm-fold randsvm-train svm-eval"
	runs["relevant"] = runs["validate"] " fs-select"
	runs["chosen"] = runs["leverage"] = "fs-select randsvm-train svm-eval"
	runs["search"] = "randsvm-grid svm-eval"
	runs["loop"] = "randsvm-grid rp-project"
	runs["tradeoff"] = "rp-project randsvm-train svm-eval"
}
function stop(text)
{
	print "rules.awk: " FILENAME ":" FNR ": " text >"/dev/stderr"
	exit 1
}
# has_data(): are the files $DATA/NAME.gz there that the commands name?
function has_data(commands)
{
	while (match(commands, /\$DATA\/[^ ]*\.gz/)) {
		if (!(substr(commands, RSTART + 6, RLENGTH - 9) in is_there))
			return 0
		commands = substr(commands, RSTART + RLENGTH)
	}
	return 1
}
# result(): the file of a result
function result(method, column, seed,    name)
{
	name = data "." method "." column "." seed
	gsub(/[^A-Za-z0-9.-]+/, "-", name)
	gsub(/-*\.[-.]*/, ".", name)
	sub(/^\./, "", name)
	return folder "/" table "/" name
}
# title(): a comma in a list stands for a space
function title(name) { gsub(/,/, " ", name); return name == "-" ? "" : name }
# set(): an assignment in the environment of the command
function set(name, value) { return name "='" value "' " }
function print_rule(method, column, seed,    file, needs, command, i, script)
{
	file = result(method, column, seed)
	if (column ~ /^r\(/) {
		split(column, part, /[(.)]/)
		needs = column = result(part[2], part[3], seed)
	}
	command = set("table", table) set("data", data) set("method", title(method)) \
		set("column", title(column)) set("seed", seed) set("train", train) \
		"\\\n\t" set("generate", generate) \
		"\\\n\t" set("test", test) \
		"\\\n\t" plan[5]
	gsub(/\$seed/, seed, command)
	script = plan[5]
	sub(/\.sh.*/, "", script)
	sub(/.*\//, "", script)
	for (i = 1; i <= n_programs; i++)
		if ((command " " runs[script]) ~ ("[^a-z-]" programs[i] "($|[^a-z-])"))
			needs = needs " work/programs/" programs[i]
	gsub(/\$/, "$$", command)
	print file ": " needs "\n\t@mkdir -p $(@D)\n\t" command " >$@.tmp\n\tmv $@.tmp $@\n"
	results[table] = results[table] " " file
	# tables that are made of results of others
	if (method ~ /^paper/)
		results["randsvm-ends"] = results["randsvm-ends"] " " file
	if (table ~ /^projection-[0-9]$/)
		results["projection-times"] = results["projection-times"] " " file
}
/^#/ { next }
FILENAME == "tables.tsv" { tables[$1]; next }
FILENAME == "plans.tsv" { lines[$1, ++n_lines[$1]] = $0; next }
NF != 8 { stop("not 8 columns") }
!($1 in tables) && $1 != "tradeoff" { stop("no table '" $1 "' in tables.tsv") }
!($4 in n_lines) { stop("no plan '" $4 "' in plans.tsv") }
/'/ { stop("a single quote") }
!has_data($0) { next }
{
	for (i = 1; i <= NF; i++)
		if ($i == "-")
			$i = ""
	table = $1; data = $2; train = $6; generate = $7; test = $8
	split($5, n_seeds, " ")
	for (line = 1; line <= n_lines[$4]; line++) {
		split(lines[$4, line], plan, FS)
		split(plan[4], which, " ")
		n = which[mode_column] == "-" ? 0 : n_seeds[mode_column]
		if (n > 1 && which[mode_column] == "once")
			n = 1
		n_methods = split(plan[2], methods, " ")
		for (m = 1; m <= n_methods; m++) {
			n_columns = split(plan[3], columns, " ")
			for (c = 1; c <= n_columns; c++)
				for (seed = 1; seed <= n; seed++)
					print_rule(methods[m], columns[c] == "rows" ? $3 : columns[c], seed)
		}
	}
}
END {
	for (table in results)
		print "results_" table " =" results[table] "\n" folder "/tables/" table ": $(results_" table ")"
}
