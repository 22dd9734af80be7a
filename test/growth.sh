# doc/scaling.md: the figures of its tables that are not measured are those of its model.

. "$TOP/test/examples.bash"
need awk

page=$TOP/doc/scaling.md
block awk >model.awk

# modelled: a line for each row of the tables that has a figure of the model; cells that are measured
# or empty are "-"
modelled()
{
	awk -F ' *[|] *' '
		/^## / { name = "" }
		/^## With a kernel/ { name = "kernel" }
		/^## A kernel as a map/ { name = "map" }
		/^## Linear/ { name = "linear" }
		/^## Memory and traffic/ { name = "ranks" }
		name && /^[|] [14]e[0-9] / {
			line = name
			for (i = 2; i < NF; i++)
				line = line " | " ($i == "" || $i ~ /[*][*]m/ ? "-" : $i)
			print line
		}' "$page"
}

# as_modelled: each of these lines is one of the model
as_modelled()
{
	awk -f model.awk >model && modelled | awk -F ' [|] ' '
		function key() { return $1 " " $2 ($1 == "ranks" ? " " $3 : "") }
		FILENAME == "model" { n++; line[key()] = $0; next }
		!(key() in line) {
			if (/[0-9] [A-Za-z]/) { print "not of the model: " $0; wrong = 1 }
			next
		}
		{
			split(line[key()], cell, " [|] ")
			for (i = 1; i <= NF; i++)
				if ($i != "-" && $i != cell[i]) { print key() ": " $i ", the model has " cell[i]; wrong = 1 }
			seen++
		}
		END { if (seen != n) print seen + 0 " rows of " n; exit wrong || seen != n || !n }' model -
}
ok 'the tables are those of the model'      as_modelled
ok 'other sizes' \
	'awk -v n=3e6 -v ranks=4 -v threads=8 -f model.awk >out && head -n 1 out | grep -x "[0-9.]* \(s\|min\)" && [ "$(wc -l <out)" = 2 ]'
