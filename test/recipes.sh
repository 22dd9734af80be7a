# doc/recipes.md: its examples, and its files for make, Snakemake and systemd.

. "$TOP/test/examples.bash"
need awk make socat

page=$TOP/doc/recipes.md

# moreutils has another program of that name
if parallel --version 2>/dev/null | grep -q GNU; then
	export PARALLEL=--will-cite PARALLEL_HOME=$PWD/parallel
	mkdir parallel
	examples doc/recipes.md markdown_examples
else
	skip 'GNU parallel is not installed'
fi

mkdir make && cp "$T/heart_scale.gz" make && cd make || exit 1
block make >Makefile
ok 'make: all of it' 'make -s && grep "^Accuracy = [89]" measures'
ok 'make: nothing twice' 'make -q'
ok 'make: later data' 'touch -d "1 hour" heart_scale.gz && ! make -q'
cd ..

ok 'the program that systemd starts' \
	'block ini 2 | grep -x "ExecStart=/usr/bin/svm-eval -q --allow-empty - /var/lib/score/heart.model -"'

need snakemake
mkdir snake && cp "$T/heart_scale.gz" snake && cd snake || exit 1
block python >Snakefile
ok 'Snakemake' \
	'HOME=$PWD snakemake -q -j 2 && [ "$(grep -h ^Accuracy measures.* | wc -l)" = 9 ]'
