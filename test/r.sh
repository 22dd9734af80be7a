# randsvm-run: a command over the shim; R's e1071, which has a LIBSVM of its own, with it and without.

if [ "$SANITIZE" ]; then
	skip 'a program without sanitizers cannot load the shim'
	return
fi

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart

# run ARGUMENT...: randsvm-run as it is installed
run() { "$(ls -d "$INSTALLED"/*/*/bin "$INSTALLED"/*/bin 2>/dev/null | head -n 1)/randsvm-run" "$@"; }

# ---- randsvm-run ----

ok   '--help'                     'run --help | head -n 1 | grep -x "Usage: randsvm-run \[options\] COMMAND \[ARGUMENT\]..."'
ok   '--version'                  'run --version | grep -x -F "randsvm-run $("$TOP/version.sh")"'
fail 1 "randsvm-run: no command; try '--help'"           run
fail 1 "randsvm-run: no command"                         run --
fail 1 "randsvm-run: unknown option '-q'"                run -q true
fail 1 "randsvm-run: cannot run 'missing': no such"      run missing
fail 1 "randsvm-run: cannot run 'cd': no such"           run cd /
fail 1 "randsvm-run: --certificates: expected a file"    run --certificates
ok   'arguments and status stay'  '[ "$(run printf "%s|" "a b" "" -x "*")" = "a b||-x|*|" ] && ! run false && { run sh -c "exit 7"; [ $? = 7 ]; }'
ok   'input and output stay'      '[ "$(echo word | run cat)" = word ]'
ok   'what was preloaded stays'   '[ "$(LD_PRELOAD=$SHIM run sh -c "echo \$LD_PRELOAD" | sed "s/.*://")" = "$SHIM" ]'
if [ -e "$TOP/lib/libsvm/libsvm.so.3" ]; then
	ok   'the checkout has it'        '"$TOP/scripts/randsvm-run" true && "$TOP/scripts/randsvm-run" --version | grep -F "$("$TOP/version.sh")"'
fi
mkdir bin && cp "$TOP/scripts/randsvm-run" bin
fail 1 "randsvm-run: cannot find libsvm.so"              bin/randsvm-run true
mkdir -p 'a b'/bin 'a b'/lib/randsvm && cp "$SHIM" 'a b'/lib/randsvm && cp bin/randsvm-run 'a b'/bin
fail 1 "has a colon or space in its name"                'a b/bin/randsvm-run' true

# proofs NAME OPTION...: svm-train over the shim and randsvm-train have the same proof
proofs()
{
	rm -f proofs
	run --certificates=proofs svm-train -q "${@:2}" "$1" m && "$BIN/randsvm-train" -q --report report "${@:2}" "$1" m &&
		python3 - <<-'END'
			import json
			(line,), report = open("proofs"), json.load(open("report"))
			line = json.loads(line)
			pairs = [line] + line.get("pairs", [])
			assert len(pairs) == 1 + len(report.get("pairs", []))
			for ours, theirs in zip(pairs, [report] + report.get("pairs", [])):
			    for key in ("primal", "dual", "gap", "gap_bound", "rounding", "relative_gap", "violators",
			                "n_sv", "n_bsv", "rho", "label_a", "label_b", "stop_reason"):
			        assert ours.get(key) == theirs.get(key), (key, ours.get(key), theirs.get(key))
			assert line["rounding"] > 0 and line["gap_bound"] > 0 and line["tool"] == "libsvm.so"
			for key in ("rows", "max_index", "classes", "gamma"):
			    assert line["data"][key] == report["data"][key], key
			assert line["argv"][0] == "svm-train" and line["settings"]["C"] == report["settings"]["C"]
		END
}

# many: twenty processes at once leave twenty lines
many()
{
	rm -f proofs
	run --certificates proofs sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		svm-train -q "$1" m$i & done; wait' - "$T/three_class" &&
		python3 -c 'import json; assert len({json.loads(line)["process"] for line in open("proofs")}) == 20'
}

# strange: a quote, a backslash, a tab, and a byte that is no UTF-8 in an argument
strange()
{
	printf '1 1:1\n-1 1:2\n' >few
	rm -f proofs
	run --certificates proofs svm-train -q few "$(printf 'm"\\\377\t.')" &&
		python3 -c 'import json; assert json.load(open("proofs"))["argv"][-1] == "m\"\\\ufffd\t."'
}

if command -v svm-train >/dev/null && command -v python3 >/dev/null; then
	ok 'certificates'               proofs heart -c 2
	ok '... of pairs of classes'    proofs "$T/three_class" -c 10 -g 0.5
	ok '... of a regression'        proofs "$T/sinc" -s 3
	ok '... of many processes'      many
	ok '... of a single class'      'head -n 9 heart | sed "s/^[^ ]*/1/" >single; run --certificates single.proof svm-train -q single m &&
		python3 -c "import json; assert json.load(open(\"single.proof\"))[\"pairs\"] == []"'
	ok '... with strange arguments' strange
	ok '... that cannot be written' 'run --certificates missing/proofs svm-train heart m >out && [ -s m ] &&
		grep -F "WARNING: RANDSVM_CERTIFICATES: cannot write '"'"'$PWD/missing/proofs'"'"': No such file" out'
	ok 'no certificate unless asked' 'rm -f proofs; RANDSVM_CERTIFICATES= run svm-train -q heart m && [ ! -e proofs ]'
fi
if command -v svm-train >/dev/null; then
	ok 'svm-train' 'run env LD_DEBUG=bindings svm-train -q heart m 2>&1 | grep -F "/randsvm/libsvm.so.3 " | grep -F "\`svm_train"'
else
	skip 'svm-train: not installed'
fi

# ---- e1071 ----

if ! command -v Rscript >/dev/null || ! Rscript -e 'library(e1071)' >/dev/null 2>&1; then
	skip 'R: no Rscript, or no e1071'
	return
fi

cat >script.R <<'END'
# Trainings by e1071; prints lines: a name, a number, and how far it may be off at another optimum or fold draw.
suppressMessages(library(e1071))
say <- function(name, value, off) cat(sprintf("%s %.10g %g\n", name, as.numeric(value), off), sep = "")

# rows of a file in LIBSVM's format, as a matrix
read <- function(file) {
	words <- strsplit(readLines(file), " +")
	x <- matrix(0, length(words), 13)
	for (i in seq_along(words))
		for (word in strsplit(words[[i]][-1], ":"))
			x[i, as.integer(word[1])] <- as.numeric(word[2])
	list(x = x, y = factor(sapply(words, function(w) as.integer(w[1]))))
}
rows <- read("heart")

machine <- function(name, x, y, ..., off = 1e-3, of_rates = 0.005) {
	set.seed(1)
	m <- svm(x, y, ...)
	say(paste0(name, "-nSV"), m$tot.nSV, 0.02 * m$tot.nSV + 1)
	say(paste0(name, "-rho"), m$rho, off * 10)
	decided <- predict(m, x, decision.values = TRUE)
	values <- attr(decided, "decision.values")
	if (!is.null(values))
		say(paste0(name, "-values"), as.vector(values)[seq(1, length(values), 7)], off * 10)
	if (is.factor(y))
		say(paste0(name, "-hits"), mean(decided == y), of_rates)
	else
		say(paste0(name, "-mean"), mean(as.numeric(decided)), off)
	invisible(m)
}

machine("iris", iris[1:4], iris$Species)
machine("linear", iris[1:4], iris$Species, kernel = "linear", cost = 10)
machine("polynomial", iris[1:4], iris$Species, kernel = "polynomial", coef0 = 1)
machine("sigmoid", iris[1:4], iris$Species, kernel = "sigmoid", gamma = 0.05)
machine("heart", rows$x, rows$y, cost = 2)
machine("weights", rows$x, rows$y, class.weights = c("-1" = 1, "1" = 4))
machine("nu", rows$x, rows$y, type = "nu-classification", nu = 0.4, off = 1e-2)
machine("svr", iris[2:4], iris[[1]], epsilon = 0.05)
machine("nu-svr", iris[2:4], iris[[1]], type = "nu-regression", nu = 0.3, off = 1e-2)
machine("one-class", iris[1:4], NULL, type = "one-classification", nu = 0.2, off = 0.05)

set.seed(2)
m <- svm(rows$x, rows$y, cross = 5)
say("cross", m$accuracies, 1)
m <- svm(iris[2:4], iris[[1]], cross = 4)
say("cross-mse", m$MSE, 1e-3)
tuned <- tune.svm(Species ~ ., data = iris, gamma = 2^(-1:1), cost = 2^(0:2))
say("tune", tuned$best.performance, 0.01)
m <- svm(iris[1:4], iris$Species, probability = TRUE)
p <- attr(predict(m, iris[1:4], probability = TRUE), "probabilities")
say("probabilities", p[seq(1, length(p), 11)], 0.08)
say("sums", rowSums(p)[1:3], 1e-9)
END

ok 'e1071 by itself'     'Rscript script.R >plain 2>plain.err && [ -s plain ]'
ok 'e1071 over the shim' 'run --certificates e1071.proofs Rscript script.R >shim 2>shim.err'
# the same words of R itself, and no others
ok 'without a message'   cmp plain.err shim.err

# agree: each number is as near as its line allows
agree()
{
	paste plain shim | awk '
		{ off = $2 - $5 }
		$1 != $4 || !(off * off <= $3 * $3) { print; bad = 1 }
		END { exit bad || NR < 500 }'
}
ok 'all numbers agree' agree

# proved: all trainings of the script but those within cross validation of e1071 itself left a proof
proved()
{
	python3 - <<-'END'
		import json
		lines = [json.loads(line) for line in open("e1071.proofs")]
		assert len(lines) > 100, len(lines)
		assert all(line["relative_gap"] < 0.01 for line in lines if line["settings"]["kernel_type"] != 3)
		assert all("script.R" in " ".join(line["argv"]) for line in lines)
	END
}
if command -v python3 >/dev/null; then
	ok 'each training has a proof' proved
fi

# replaced: e1071 calls the shim, and not itself
replaced() { run env LD_DEBUG=bindings Rscript script.R 2>&1 >/dev/null | grep -F 'e1071.so' | grep -F "/randsvm/libsvm.so.3 " | grep -F "\`svm_train'"; }
ok 'it is the shim that trains' replaced
