# means.awk - means and standard deviations of results, in the order of the first ones; lists of
# features, and points of a search, are copied
#
# SPDX-License-Identifier: BSD-3-Clause
function number(x, digits) { return sprintf(x < 10 ^ digits ? "%." digits "g" : "%.0f", x) }
BEGIN { FS = OFS = "\t" }
$4 == "r" { next }
{
	key = $1 OFS $2 OFS $3 OFS $4
	if (!(key in n))
		order[++n_keys] = key
	n[key]++
	d = $5 - mean[key]
	mean[key] += d / n[key]
	squares[key] += d * ($5 - mean[key])
	last[key] = $5
}
END {
	for (i = 1; i <= n_keys; i++) {
		key = order[i]
		if (key ~ /features$|^search-points/)
			print key, last[key], ""
		else
			print key, number(mean[key], 4), (n[key] > 1 ? number(sqrt(squares[key] / (n[key] - 1)), 2) : "")
	}
}
