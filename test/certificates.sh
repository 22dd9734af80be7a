# svm-eval --certificate, and a checker that shares no code with the programs.

. "$TOP/test/eval.bash"
need python3

checker=$TOP/scripts/check_certificate.py

# proved DATA OPTION...: the certificate of the model m holds; what the checker says is in 'said'
proved()
{
	local data=$1
	shift
	svm-eval -q --force --certify "$data" --certificate certificate "$@" m 2>err
	python3 "$checker" certificate "$data" m >said
}

ok 'a hundred models of all machines and kernels, and altered ones' \
	'mkdir drawn && cd drawn && python3 "$TOP/test/certificates.py" "$checker" 1 100'

# the certificate of training is of another constant, and of another multiple of w, than the file has
awk 'BEGIN { srand(9); for (i = 0; i < 40; i++) { y = i % 2 * 2 - 1; printf "%d", y; for (j = 1; j <= 6; j++) printf " %d:%.6f", j, 1000 + .7 * y + 3 * rand() - 1.5; print "" } }' >apart
for option in '-t 0 -c 1e6' '-t 2 -g .5 -c 1e9' '-t 2 -g .01 -c 1e6'; do
	ok "separable, $option"  "randsvm-train -q $option apart m && proved apart -c ${option##* }"
done

head -40 heart_scale >some
randsvm-train -q -t 0 some m
ok 'objective, optimum and gap are those of the lines' \
	'proved some && grep "^the certificate holds: objective <= [0-9.e-]*, optimum >= [0-9.e-]*, gap <= [0-9.e-]*$" said &&
	svm-eval -q --report report.json --certify some m &&
	is dual "$(sed -n "s/.*optimum >= \([^,]*\),.*/\1/p" said | awk "{ printf \"%.17g\", \$1 - 1e-9 }")" \
		"$(sed -n "s/.*optimum >= \([^,]*\),.*/\1/p" said | awk "{ printf \"%.17g\", \$1 + 1e-9 }")"'
ok 'gzipped data, as the same bytes' 'gzip -c some >packed.gz && python3 "$checker" certificate packed.gz m'
ok 'an indefinite kernel has a dual, and no optimum' \
	'randsvm-train -q -t 3 some m && proved some && grep ", dual >= " said'
ok 'rows of weight 0 have no number' \
	'seq 40 | awk "{ print \$1 % 3 }" >w && randsvm-train -q -W w some m &&
	svm-eval -q --force --certify some -W w --certificate certificate m && python3 "$checker" certificate some m w'
printf '1 1:1\n1 1:2\n' >one
ok 'a model without a decision function' \
	'randsvm-train -q one m && svm-eval --certify one m 2>err && grep "^svm-eval: note: .* no decision function" err &&
	! svm-eval -q --force --certify one --certificate other m 2>err && grep "^svm-eval: .*no decision function" err &&
	! svm-eval -q --certify one --predict one m 2>err && grep "^svm-eval: .*no decision function" err && [ ! -e other ]'
ok '-w auto'  'randsvm-train -q -w auto some m && proved some -w auto'

if python3 -c 'import ctypes; ctypes.CDLL("libmpfr.so.6")' 2>x; then
	ok '--exact: lines of a linear kernel, and of one that rounds' \
		'randsvm-train -q -t 0 some m && svm-eval --certify some --exact m >lines &&
		[ "$(grep -c "^exact: " lines)" = 2 ] && grep "^exact: gap <= [0-9.e-]*, nothing rounded$" lines &&
		randsvm-train -q -t 3 some m && svm-eval --certify some --exact m >lines 2>x &&
		grep "^exact: objective <= [0-9.e-]*, dual >= [0-9.e-]*$" lines && ! grep "nothing rounded" lines'
	ok '--exact: a pipe, and with --predict' \
		'randsvm-train -q some m && svm-eval --certify - --exact m <some >lines && grep "^exact: gap" lines &&
		svm-eval --certify some --exact --predict some m >lines && grep "^exact: gap" lines'
fi
# unproved OPTION...: --exact says so
unproved() { svm-eval --exact "$@" >lines 2>x; [ "$(grep -c '^exact: nothing is proved' lines)" = 1 ]; }
ok '--exact: models without multipliers, wrong parameters' \
	'randsvm-train -q -t 0 --compact some m && unproved --certify some m &&
	randsvm-train -q -t 0 --model-format liblinear some m && unproved --certify some m &&
	randsvm-train -q some m && unproved --certify some -c 0.1 m'
mkdir broken && : >broken/libmpfr.so.6
fail 1 "(Debian's package libmpfr6)" \
	'LD_LIBRARY_PATH=broken svm-eval -q --certify some --exact m'

# refused OPTION...: no certificate, and no file
refused()
{
	rm -f none
	streams 1 '' 'no proof to repeat' svm-eval -q --certificate none "$@" && [ ! -e none ]
}

ok 'weights, a kernel of a file, another training set, wrong parameters' \
	'randsvm-train -q -t 0 --compact some m && refused --certify some m &&
	randsvm-train -q -t 0 --model-format liblinear some m && refused --certify some m &&
	printf "1 0:1 1:2 2:0\n-1 0:2 1:0 2:2\n" >matrix && randsvm-train -q -t 4 matrix m && refused --certify matrix m &&
	randsvm-train -q some m && head -20 some >fewer && refused --certify fewer m &&
	refused --certify some -c 0.1 m'
fail 1 'read again for its checksum'  'randsvm-train -q some m; svm-eval --certify - --certificate none m <some'
fail 1 'read again for its checksum'  'cat m | svm-eval --certify some --certificate none -'
fail 1 '--certificate needs --certify'  svm-eval --certificate none some m
