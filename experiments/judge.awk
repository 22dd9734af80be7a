# judge.awk - judges results/results.tsv by the published numbers and by bounds; for check.awk and report.awk
#
# The table projection-times has no results of its own: its ratios of seconds are made here, from results.
#
# Files, in this order: published.tsv, expected.tsv, and results, whose name is -v results=FILE.
#
# A result agrees with a published number if it lies within the published standard deviation of it, or
# within one percent of it where none is published, or within the tolerance that published.tsv gives
# instead.  If it does not, published.tsv must say why: then it differs as noted.  Besides, each result
# must keep the bounds of expected.tsv, which are those of a right implementation.  A result that lies
# outside of one, or differs without a note, fails.
#
# SPDX-License-Identifier: BSD-3-Clause
BEGIN { FS = OFS = "\t" }
/^#/ && FILENAME != results { next }
FILENAME == "published.tsv" {
	key = $1 FS $2 FS $3 FS $4
	their[key] = $5
	deviation[key] = $6
	why[key] = $7
	why_none[key] = $8
	tolerance[key] = $9
	published[$1, $4]
	order[++n_published] = key
}
# table, row, column, quantity, row and column to compare with, least, most, reason; see expected.tsv
FILENAME == "expected.tsv" {
	n_bounds++
	bound_of[$1 FS $4] = bound_of[$1 FS $4] " " n_bounds
	bound_row[n_bounds] = "^(" $2 ")$"
	bound_column[n_bounds] = "^(" $3 ")$"
	reference[n_bounds] = $5
	least[n_bounds] = $6
	most[n_bounds] = $7
	reason[n_bounds] = $8
	bound_line[n_bounds] = FNR
}
FILENAME == results {
	spread[$1 FS $2 FS $3 FS $4] = $6
	note_result($1, $2 FS $3 FS $4, $5)
}
# note_result(): remember a result; `rest` is its row, column and quantity
function note_result(table, rest, value)
{
	our[table FS rest] = value
	if (!(table in has_results))
		table_of[++n_with_results] = table
	has_results[table]
	result_order[++n_results] = table FS rest
}

# ratio(): a line of the table of times, with the ratio of two of our results, and of the two published
# ones where the published ratio is "="
function ratio(line, quantity, dividend, divisor,    key)
{
	key = "projection-times" FS line FS quantity
	if (dividend in our && divisor in our && our[divisor] > 0 && !(key in our))
		note_result("projection-times", line FS quantity, sprintf("%.3g", our[dividend] / our[divisor]))
	if (key in their && their[key] == "=")
		their[key] = sprintf("%.3g", their[dividend] / their[divisor])
}
# ratios(): the ratios that the seconds of a projection, ours or published, are part of
function ratios(key,    part, data, line)
{
	split(key, part, FS)
	if (part[1] !~ /^projection-[0-9]$/ || part[2] !~ / (cw|rs|fht)$/)
		return
	data = part[1] FS part[2]
	sub(/ [^ ]*$/, "", data)
	line = part[2] FS part[3]
	if (part[4] == "seconds")
		ratio(line, "seconds of all features / seconds", data " full" FS "full" FS part[4], key)
	else if (part[4] == "seconds to reduce" && part[2] !~ / cw$/)
		ratio(line, "seconds to reduce / those of cw", key, data " cw" FS part[3] FS part[4])
}
END {
	n_with_ratios = n_results
	for (i = 1; i <= n_with_ratios; i++)
		ratios(result_order[i])
	for (i = 1; i <= n_published; i++)
		ratios(order[i])
}

# is_far(): is the result outside of what the published number allows?
function is_far(key,    d, s)
{
	if (key ~ /features$/)
		return our[key] != their[key]
	d = our[key] - their[key]
	s = tolerance[key] != "" ? tolerance[key] : deviation[key] != "" ? deviation[key] : 0.01 * their[key]
	return d > s || d < -s
}
function is_time(key) { return key ~ /seconds[^\t]*$/ }

# breach(): what is wrong with a result by bound i, or nothing; a name of features is matched with `least`
function breach(key, i,    part, other, value)
{
	split(key, part, FS)
	value = our[key]
	if (part[4] == "features")
		return value ~ least[i] ? "" : "not as expected: " reason[i]
	if (reference[i] != "") {
		other = reference[i]
		if (other !~ /@/)
			other = other "@" part[3]
		sub(/@/, FS, other)
		other = part[1] FS other FS part[4]
		if (!(other in our))
			return ""
		value -= our[other]
	}
	if (least[i] != "" && value < least[i] || most[i] != "" && value > most[i])
		return sprintf("%s%s is not in [%s, %s]: %s", reference[i] == "" ? "" : "difference ", \
			value, least[i], most[i], reason[i])
	return ""
}
# verdict(): "agrees", "differs" (as noted), "fails", or nothing where nothing is known; says why in failure
function verdict(key,    part, list, n, i, wrong, found)
{
	failure = ""
	split(key, part, FS)
	if (key in their)
		found = is_far(key) ? why[key] != "" ? "differs" : "fails" : "agrees"
	if (found == "fails")
		failure = "published " their[key] (deviation[key] == "" ? "" : " (" deviation[key] ")") \
			(tolerance[key] == "" ? "" : ", tolerance " tolerance[key]) ", and no note says why ours differs"
	n = split(bound_of[part[1] FS part[4]], list, " ")
	for (i = 1; i <= n; i++) {
		if (part[2] !~ bound_row[list[i]] || part[3] !~ bound_column[list[i]])
			continue
		used[list[i]]
		applied[part[1], list[i]]
		if (found == "")
			found = "agrees"
		wrong = breach(key, list[i])
		if (wrong != "") {
			found = "fails"
			failure = failure (failure == "" ? "" : "; ") wrong
		}
	}
	return found
}
