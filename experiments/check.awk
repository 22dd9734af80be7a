# check.awk - are the results as they must be?  Verdicts of judge.awk, a line for each failure and table
#
#     awk -v results=results/results.tsv -f judge.awk -f check.awk published.tsv expected.tsv \
#        results/results.tsv
#
# With -v quick=1 results may be missing.  The last line is "N passed, N failed"; exit status 1 if
# any failed, or if there was nothing to judge.
#
# SPDX-License-Identifier: BSD-3-Clause
function fail(table, text)
{
	count[table, "fails"]++
	print "FAILED: " table ": " text
}
function shown(key,    part)
{
	split(key, part, FS)
	return part[2] (part[3] == "" ? "" : ", " part[3]) ": " part[4]
}
END {
	for (i = 1; i <= n_results; i++) {
		key = result_order[i]
		split(key, part, FS)
		found = verdict(key)
		if (found == "fails")
			fail(part[1], shown(key) " " our[key] ": " failure)
		else if (!is_time(key))
			count[part[1], found]++
	}
	for (i = 1; i <= n_published && !quick; i++) {
		split(order[i], part, FS)
		if (part[1] in has_results && !(order[i] in our) && why_none[order[i]] == "")
			fail(part[1], shown(order[i]) ": published, but we have no number and no reason")
	}
	for (i = 1; i <= n_bounds && !quick; i++)
		if (!(i in used))
			fail("expected.tsv", "line " bound_line[i] " is about no result")
	for (i = 1; i <= n_with_results; i++) {
		table = table_of[i]
		printf "%-28s %3d agree, %3d differ as noted, %d fail\n", table, count[table, "agrees"], \
			count[table, "differs"], count[table, "fails"]
	}
	for (k in count) {
		split(k, part, SUBSEP)
		if (part[2] == "fails")
			failed += count[k]
		else if (part[2] != "")
			passed += count[k]
	}
	print passed + 0 " passed, " failed + 0 " failed"
	exit failed > 0 || passed == 0
}
