# fs-select: what supervised means; sizes and certificates; the rows written, the same however they
# come and on any number of threads.

. "$TOP/test/select.bash"

# ---- supervised ----

randsvm-train -q -t 0 --sv-indices sv a1a m
ok '--rows sv: the support vectors, in the order of the data' \
	'sort -n sv | awk "NR == FNR { sv[\$1]; next } FNR in sv" - a1a >rows &&
	fs-select -q -m uniform -k 200 --all-features --rows sv a1a | diff - <(sed "s/ *\$//" rows)'
for method in bss leverage top rrqr uniform; do
	ok "$method: supervised is unsupervised on the support vectors" \
		"fs-select -q -m $method -k 90 --list a1a >x &&
		fs-select -q --unsupervised -m $method -k 90 --list rows | near - x 1e-6"
done
ok 'rfe: likewise' \
	'fs-select -q -m rfe -k 90 --list a1a | cut -d " " -f 1 | sort >x &&
	fs-select -q --unsupervised -m rfe -k 90 --list rows | cut -d " " -f 1 | sort | cmp - x'
ok 'retraining on the support vectors gives the whole objective' \
	'fs-select -q -m top -k 123 --rows sv a1a small && randsvm-train -t 0 a1a m >x &&
	randsvm-train -t 0 small m >y && [ "$(wc -l <small)" -lt 800 ] && close_objectives x y 1e-4'
ok '-c counts' \
	'[ "$(fs-select -q -c 0.01 -m top -k 200 --rows sv a1a | wc -l)" != "$(wc -l <rows)" ]'
ok 'several classes: the support vectors of all pairs' \
	'randsvm-train -q -t 0 --sv-indices s "$three" m && sort -n s |
	awk "NR == FNR { sv[\$1]; next } FNR in sv" - "$three" >pairs &&
	fs-select -q -m uniform -k 9 --rows sv "$three" | diff - <(sed "s/ *\$//" pairs)'
ok 'several classes: rfe'            'fs-select -q -m rfe -k 2 --list "$three" | awk "{ n++ } END { exit n != 2 }"'
ok '--regression' \
	'randsvm-train -q -s 3 -t 0 --sv-indices s "$sinc" m &&
	fs-select -q --regression -m uniform -k 9 --rows sv "$sinc" | wc -l | grep -x "$(grep -c . s)" &&
	fs-select -q --regression -m rfe -k 1 "$sinc" >x &&
	[ "$(fs-select -q --regression -p 0.5 -m top -k 1 --rows sv "$sinc" | wc -l)" != "$(grep -c . s)" ]'
ok '--unsupervised looks at no label' \
	'fs-select -q --unsupervised -m top -k 1 "$sinc" >x &&
	fs-select -q --unsupervised -m bss -k 20 --list a1a >x && sed "s/^[^ ]*/7.5/" a1a |
	fs-select -q --unsupervised -m bss -k 20 --list | cmp - x'

# ---- sizes, and certificates ----

svm-gen relevant -n 10 -d 300 -k 3 --seed 4 wider
ok '--epsilon' \
	'fs-select --unsupervised --epsilon 0.5 --list short 2>err >x && cat err &&
	grep "^fs-select: k = 198 = .* rank rho = 10 (by the paper: 9 rho / E^2 = 360, and 36 rho / E^2 = 1440 for an error E of the squared margin)$" err &&
	grep "= 117 suffice" err && fs-select -q --unsupervised -k 117 --certificate short 2>&1 >x | tee lines &&
	awk "/^squared margin: / { exit !(\$3 >= .5) }" lines'
ok '--epsilon with estimates: their rank' \
	'fs-select --unsupervised -m approx-leverage --epsilon 2 --list --verbose wider 2>err >x && cat err &&
	grep "^fs-select: k = 19 = .* rho = 10 " err && ! grep "^rank" err'
ok '--epsilon with a sketch: its rank' \
	'fs-select --unsupervised -m approx-bss -T 3 --epsilon 2 --list short 2>err >x && cat err &&
	grep "^fs-select: k = 6 = .* rho = 3 " err && [ "$(wc -l <x)" = 6 ]'
ok 'the bounds of bss, --verbose' \
	'svm-gen relevant -n 20 -d 300 -k 9 wide &&
	fs-select --unsupervised -k 60 --verbose --list wide 2>err >x && grep "^eigenvalues" err |
	awk "{ print; exit !(\$8 >= \$12 && \$10 + 0 <= \$14 && \$12 > 0.178 && \$12 < 0.179 && \$14 > 2.48 && \$14 < 2.49) }"'
ok 'its certificate says the same' \
	'fs-select --unsupervised -k 60 --verbose --certificate wide x 2>err >lines && cat lines err &&
	grep -x "rows = 20, rank = 20, features = 60" lines &&
	a=$(sed -n "s/^lambda_min = \([^,]*\), lambda_max = \([^,]*\),.*/\1 \2/p" lines) &&
	b=$(sed -n "s/^fs-select: eigenvalues.* from \([^ ]*\) to \([^,]*\),.*/\1 \2/p" err) &&
	near <(echo $a) <(echo $b) 1e-5'
ok 'to standard error, where rows go to standard output' \
	'fs-select --unsupervised -k 60 --certificate wide 2>err >x && grep "^rows = 20" err &&
	fs-select --unsupervised -k 60 wide | cmp - x'
ok 'fewer features than the rank' \
	'fs-select -q --unsupervised -m top -k 5 --certificate heart x |
	grep "lambda_min is 0, as there are fewer features than the rank: nothing holds from below"'
# certified_whole OPTIONS...: the rank is that of the rows, not what --rank-tol leaves of it
certified_whole()
{
	fs-select -q --unsupervised -m top -k 13 --certificate "$@" heart x >lines && cat lines &&
		grep -x 'rows = 270, rank = 13, features = 13' lines
}
ok '--rank-tol is for the choice alone'      certified_whole --rank-tol 0.5
ok 'all features change nothing' \
	'fs-select -q --unsupervised -m top -k 13 --certificate heart x >lines && cat lines &&
	near <(sed -n "s/^lambda_min = \([^,]*\), lambda_max = \([^,]*\),.*/\1 \2/p" lines) <(echo 1 1) 1e-9'
# margins FILE C: 1 / |w|^2 of the machine trained on FILE
margin()
{
	randsvm-train -q -t 0 -c "$2" -e 1e-6 "$1" margin.model &&
		awk -v rows="$1" '/^SV/ { body = 1; next }
			body { for (i = 2; i <= NF; i++) { split($i, a, ":"); w[a[1]] += $1 * a[2] } }
			END { for (j in w) s += w[j] * w[j]; print 1 / s }' margin.model
}
# margin_holds C METHOD K: the margin trained after the choice is within what the certificate says
margin_holds()
{
	fs-select -q --unsupervised -m "$2" -k "$3" --certificate wide small >lines || return
	margin wide "$1" >before && margin small "$1" >after && cat lines before after &&
		paste -d ' ' before after <(sed -n 's/^squared margin: \([^ ]*\) to \([^ ]*\) times.*/\1 \2/p' lines) |
		awk '{ r = $2 / $1; print "ratio", r; exit !(NF == 4 && r >= $3 * (1 - 1e-4) && r <= $4 * (1 + 1e-4)) }'
}
for c in 1e-4 0.01 1 100; do
	ok "bss: the margin is as certified, C = $c" margin_holds $c bss 60
done
ok 'leverage: the margin is as certified'        margin_holds 0.01 leverage 150
ok 'top: the margin is as certified'             margin_holds 0.01 top 100
ok 'supervised: rows of the certificate are the support vectors' \
	'fs-select -q -m top -k 123 --certificate a1a x | grep "^rows = $(wc -l <rows), "'

# ---- rows ----

ok 'only the features chosen' \
	'fs-select -q -m top -k 7 --list a1a | cut -d " " -f 1 | sort -n >x && fs-select -q -m top -k 7 a1a |
	tr " " "\n" | sed -n "s/:.*//p" | sort -nu | cmp - x'
ok 'values as they were'             'fs-select -q --unsupervised -m top -k 13 heart | cmp - <(sed "s/ *\$//" heart)'
ok 'labels stay as they are' \
	'printf "+1 1:1\n1.50 1:2\n-0 2:1\n" | fs-select --unsupervised -m top -k 2 | cut -d " " -f 1 |
	tr "\n" " " | grep -x -e "+1 1.50 -0 "'
ok 'qid and comments stay' \
	'printf "3 qid:7 1:1 5:1 #a: b \n# alone\n\n2 2:1\n" | fs-select -q --unsupervised -m rrqr -k 1 >out &&
	cat out && grep -x -e "3 qid:7 1:1 #a: b" out && [ $(wc -l <out) = 2 ]'
ok 'they stay with -r' \
	'printf "3 qid:7 1:1 5:1 #a: b \n\n2 2:1\n" >q && fs-select -q --unsupervised -m rrqr -k 1 -s map q x &&
	fs-select -r map q | cmp - x && grep "^3 qid:7 1:1 #a: b" x'
ok 'bss: values times weights' \
	'fs-select -q --unsupervised -k 20 -s map wide x &&
	fs-select -q --unsupervised -k 20 --no-rescale wide y &&
	awk "FNR == NR { if (/^[0-9]/) w[\$1] = \$2; next } { printf \"%s\", \$1; for (i = 2; i <= NF; i++) { split(\$i, a, \":\"); printf \" %d:%.17g\", a[1], a[2] * w[a[1]] } print \"\" }" map y |
	tr ":" " " >z && tr ":" " " <x | near - z 1e-14 && ! cmp x y'
ok 'leverage too; others not' \
	'fs-select -q --unsupervised -m leverage -k 20 wide x &&
	fs-select -q --unsupervised -m leverage --no-rescale -k 20 wide y && ! cmp -s x y &&
	for m in top rrqr rfe uniform; do fs-select -q --unsupervised -m $m -k 20 wide x &&
	fs-select -q --unsupervised --no-rescale -m $m -k 20 wide y && cmp x y &&
	fs-select -q --unsupervised --rescale -m $m -k 20 wide y && cmp x y || exit; done'
ok '--renumber' \
	'fs-select -q --unsupervised -m top -k 5 -s map wide x &&
	fs-select -q --unsupervised -m top -k 5 --renumber wide y && sed -n "/^[0-9]/p" map | cut -d " " -f 1 |
	sort -n | awk "{ printf \"s/ %d:/ %d:/g\n\", \$1, NR }" >numbers && sed -f numbers x | cmp - y'
ok '--digits' \
	'fs-select -q --unsupervised -k 50 --digits 3 wide | tr " " "\n" | sed -n "s/.*://p" | tr -d ".-" |
	sed "s/e.*//; s/^0*//" | awk "length > 3 { exit 1 }"'
ok '-z and .gz' \
	'fs-select -q -k 20 a1a plain && fs-select -q -k 20 a1a x.gz && gzip -dc x.gz | cmp - plain &&
	fs-select -q -z -k 20 a1a x && gzip -dc <x | cmp - plain'
ok '--binary is read by all' \
	'fs-select -q -k 20 a1a text && fs-select -q -k 20 --binary a1a bin && randsvm-train -q -t 0 text m1 &&
	randsvm-train -q -t 0 bin m2 && cmp m1 m2 && fs-select -q -k 9 --list text >x &&
	fs-select -q -k 9 --list bin | cmp - x'
ok '--binary through pipes'          'fs-select -q -k 20 --binary a1a | randsvm-train -q -t 0 - m3 && cmp m1 m3'

# ---- the same bytes, however the rows come, on any number of threads ----

svm-gen relevant -n 150 -d 400 -k 20 --noise 0.1 whole
for method in $methods; do
	options=
	case $method in approx-*) options=-T\ 16 ;; esac
	[ $method != approx-leverage ] || options=
	fs-select -q -m $method $options -k 60 -s map.$method whole out.$method
	ok "$method: any number of threads" \
		"for n in 1 2 3; do fs-select -q -m $method $options -k 60 --threads \$n -s map whole o &&
		cmp map map.$method && cmp o out.$method || exit; done"
	ok "$method: gzip, pipe, minus" \
		"gzip -c whole | fs-select -q -m $method $options -k 60 | cmp - out.$method && cat whole |
		fs-select -q -m $method $options -k 60 - - | cmp - out.$method"
	ok "$method: -r does the same" \
		"fs-select -r map.$method whole | cmp - out.$method && cat whole |
		fs-select -r map.$method --threads 3 - x && cmp x out.$method && head -n 20 whole |
		fs-select -r map.$method | cmp - <(head -n 20 out.$method)"
done
ok 'many rows' \
	'for i in $(seq 60); do cat heart; done >many &&
	fs-select -q --unsupervised -k 5 -m top --threads 1 -s map many x &&
	fs-select -r map many --threads 3 >/dev/null 2>&1; fs-select --threads 3 -r map many | cmp - x &&
	[ "$(wc -l <x)" = 16200 ]'
