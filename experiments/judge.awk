# judge.awk - judges results/results.tsv by the published numbers and by bounds; for check.awk and report.awk
#
# Files, in this order: published.tsv, expected.tsv, and results, whose name is -v results=FILE.
#
# A result agrees with a published number if it lies within the published standard deviation of it, or
# within one percent of it where none is published.  If it does not, published.tsv must say why: then it
# differs as noted.  Besides, each result must keep the bounds of expected.tsv, which are those of a
# right implementation.  A result that lies outside of one, or differs without a note, fails.
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
	key = $1 FS $2 FS $3 FS $4
	our[key] = $5
	spread[key] = $6
	if (!($1 in has_results))
		table_of[++n_with_results] = $1
	has_results[$1]
	result_order[++n_results] = key
}

function is_far(key,    d, s)
{
	if (key ~ /features$/)
		return our[key] != their[key]
	d = our[key] - their[key]
	s = deviation[key] == "" ? 0.01 * their[key] : deviation[key]
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
			", and no note says why ours differs"
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
