# doc/questions.md: the programs say what the page says that they say.

need awk

cp "$T/heart.csv" .
gzip -dc "$T/heart_scale.gz" >heart
gzip -c heart | head -c 2000 >cut.gz
awk '{ $2 = "1:" substr($2, 3) * 10000; print }' heart >unscaled
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] ":" a[2] * 50 + 50 } print }' heart >hundreds
svm-gen text -q -n 300 >text
fs-select -q -k 20 text few
rp-project -q -m scale -s ranges heart scaled
rp-project -q -k 5 heart projected
svm-convert -q -l heart -s columns heart.csv rows
randsvm-train -q heart model >/dev/null
randsvm-train -q projected projected.model >/dev/null
randsvm-train -q "$T/three_class" three.model >/dev/null
head -c 500 model >half
mkdir genes
printf 'y,G1,G2\na,1,2\nb,2,1\na,1,3\nb,3,1\n' | svm-convert -q -l y --names genes/names - genes/rows
fs-select -q -m t -k 1 --names genes/names -s genes/choice genes/rows genes/few
randsvm-train -q genes/few genes/model
printf 'y,G2,G1\na,2,1\nb,1,2\n' | svm-convert -q -l y -s genes/columns - /dev/null

# what newcomers do, a command a line
cat >commands <<-'END'
	randsvm-train heart.csv m
	printf '1 1:2 3:4\n2 1:x\n' | randsvm-train - m
	printf '1 3:2 1:4\n' | randsvm-train - m
	printf '1 1:nan\n-1 1:2\n' | randsvm-train - m
	printf '1.5 1:1\n-1 1:2\n' | randsvm-train - m
	seq 60 | awk '{ print $1, "1:" $1 }' | randsvm-train - m
	randsvm-train cut.gz m
	printf '1 0:1 1:2\n-1 0:2 1:1\n' | randsvm-train - m
	randsvm-train -t 4 heart m
	svm-convert heart.csv r
	sed 's/^70/NA/' heart.csv | svm-convert -l heart - r
	sed 's/none/other/' heart.csv | svm-convert -r columns - r
	sed '3s/,female//' heart.csv | svm-convert -l heart - r
	randsvm-train -B 1 heart m
	randsvm-train -s 2 -t 0 heart m
	randsvm-train -s 3 heart m
	randsvm-train -v 5 heart -c 1
	randsvm-train --mode budget heart m
	randsvm-train -w3 5 heart m
	randsvm-train unscaled m
	randsvm-train hundreds m
	randsvm-train few m
	randsvm-train -p 100 -s 3 "$T/sinc" m
	randsvm-train -c 10000 -g 1 --time-limit 0.0001 unscaled m
	randsvm-train -c 10000 -g 1 --fail-on-gap 1e-12 heart m
	randsvm-train --memory 1 heart m
	svm-eval heart projected.model
	svm-eval unscaled model
	head -n 200 hundreds >h && randsvm-train -q h m && tail -n 70 hundreds | svm-eval - m
	printf '3 1:1\n' | svm-eval - model
	svm-eval heart half
	svm-eval -b 1 heart model
	randsvm-train -q -t 0 --multiclass ovr "$T/three_class" ovr.model && svm-eval -b 1 "$T/three_class" ovr.model
	svm-eval --threshold 0 "$T/three_class" three.model
	(echo name; seq 13) >names; fs-select --list --names names -k 3 heart
	randsvm-train -v 5 -t 0 few m
	fs-select -k 20 heart /dev/null
	rp-project -r ranges text /dev/null
	cd genes && svm-eval --chain whole columns choice model
END
while read -r command; do
	(eval "$command") >/dev/null
done <commands >said 2>&1

# numbers depend on the machine
numbers() { sed -E 's/[0-9][0-9.e+-]*/N/g'; }
numbers <said >said.numbers

# said MESSAGE: one of the commands says so, up to numbers
said() { echo "$1" | numbers | grep -F -x -f - said.numbers; }

awk '/^```/ { inside = !inside; next } inside' "$TOP/doc/questions.md" >messages
while read -r message; do
	ok "$message" said "$message"
done <messages
ok 'a message of each command'              '[ "$(wc -l <messages)" = "$(wc -l <commands)" ]'
