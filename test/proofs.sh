# What training proves, of random problems of all machines and kernels, holds for the file it wrote.

need randsvm-train svm-eval python3

ok '300 problems'  python3 "$TOP/test/proofs.py"

# holds DATA OPTION...: the objective and the gap of training are true, as svm-eval has them
holds()
{
	randsvm-train -q --report train.json "$@" m || return
	set -- "${@: -1}"
	svm-eval -q --certify "$1" --report eval.json $c m || return
	python3 - <<-'END'
		import json
		a, b = json.load(open("train.json")), json.load(open("eval.json"))
		for a, b in zip(a.get("pairs", [a]), b.get("pairs", [b])):
		    error = a["rounding"] + b["rounding"]
		    print(a["primal"], b["primal"], a["dual"], b["dual"], error, a["gap_bound"])
		    assert a["rounding"] >= 0 and abs(a["primal"] - b["primal"]) <= error
		    assert abs(a["dual"] - b["dual"]) <= error
		    assert b["primal"] - b["dual"] - 2 * b["rounding"] <= a["gap_bound"]
	END
}
svm-gen twonorm -q -n 2500 -d 8 --seed 3 rows
for c in '' '-c 1e4'; do
	ok "larger problems $c" holds $c -g .01 rows
done
# a matrix in floats that the pairs share, of which no rows are kept
awk 'BEGIN { srand(1); for (i = 0; i < 120; i++) { printf "%d", i % 3; for (j = 1; j <= 150; j++) printf " %d:%.6f", j, rand() + (i % 3 == j % 3) / 4; print "" } }' >short
c=
ok 'more columns than rows, three classes' holds -g .02 short
# an early end has a solution of a sample, whose multipliers may be beyond their bounds
svm-gen twonorm -q -n 30000 -d 12 --seed 6 many
ok 'an early end proves no more than is so' \
	'randsvm-train -q -c .01 -g .05 --report full.json many m && randsvm-train -q -c .01 -g .05 --time-limit .3 --report early.json many m2
	python3 -c "
import json
full, early = json.load(open(\"full.json\")), json.load(open(\"early.json\"))
print(full[\"primal\"], early[\"primal\"], early[\"rounding\"], early[\"gap_bound\"])
assert early[\"rounding\"] >= 0 and early[\"primal\"] + early[\"rounding\"] >= full[\"dual\"] - full[\"rounding\"]
assert early[\"gap_bound\"] >= early[\"primal\"] - early[\"rounding\"] - full[\"primal\"] - full[\"rounding\"]"'
