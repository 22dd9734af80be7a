# fs-select: selections saved and applied, models of chosen features, reports, and clear errors.

. "$TOP/test/select.bash"
svm-gen relevant -n 150 -d 400 -k 20 --noise 0.1 whole
fs-select -q -m bss -k 60 -s map.bss whole out.bss

# ---- saved selections ----

ok 'known bytes of a selection' \
	'printf "1 1:3 2:4\n2 2:1\n" | fs-select -q --unsupervised -m top -k 2 --renumber -s map - x && cat map &&
	printf "randsvm-selection 1\nmethod top\nrescale no\nrenumber yes\nselected 2\ndata 2\n" |
	cmp - <(head -n 6 map) && tail -n 1 map | grep -x "checksum [0-9a-f]\{8\}" && [ "$(wc -l <map)" = 9 ]'
ok 'test data: chosen features, no others' \
	'printf "7 1:5 3:6 9:1\n8 3:1\n" | fs-select -r map | cmp - <(printf "7 1:5\n8\n")'
ok 'a linear model needs no -r' \
	'fs-select -q -m rfe -k 5 -s five heart heart.five && randsvm-train -q -t 0 heart.five five.model &&
	fs-select -r five heart | svm-eval --scores - five.model five.a &&
	svm-eval --scores heart five.model five.b && cmp five.a five.b'
ok 'rows without a label stay so' \
	'printf "qid:3 1:2 # c\n99:1 #d\n2 2:1\n# none\nqid:4 99:1\n" >unlabelled &&
	fs-select -r five unlabelled >x; cat x; printf "qid:3 # c\n1:0 #d\n2\nqid:4\n" | cmp - x &&
	(command svm-eval -q x five.model unl.out 2>&1; [ "$(wc -l <unl.out)" = 4 ])'
ok '... and are predicted as with one' \
	'sed "s/^[^ ]* //" heart >bare && fs-select -r five bare | svm-eval -q --scores - five.model bare.out &&
	cmp bare.out five.a'
fail 1 'row 1 has no label, and the binary form cannot say so' fs-select -r five --binary unlabelled
fail 1 "expected a label, got 'qid:3'"  fs-select -r five --strict unlabelled
fail 1 "expected a label, got 'qid:3'"  fs-select -k 1 unlabelled
ok 'a gzipped one'                   'gzip -c map.bss >packed && fs-select -r packed whole | cmp - out.bss'
ok 'most chosen features without values' \
	'echo "1 99:1" | fs-select -r five 2>&1 >out.five |
	grep -x "fs-select: note: 5 of 5 chosen features have no value in these rows" &&
	fs-select -r five heart 2>&1 >out.five | cmp - /dev/null && echo "1 99:1" |
	fs-select -q -r five 2>&1 >out.five | cmp - /dev/null'
ok '-r --binary' \
	'fs-select -r map.bss --binary whole | randsvm-train -q -t 0 - a && randsvm-train -q -t 0 out.bss b &&
	cmp a b'
ok '-r --list' \
	'fs-select -r map.bss --list >x && sed -n "/^[0-9]/p" map.bss | cmp - x &&
	fs-select -r map.bss --list - listed && sed 1d listed | cmp x -'
ok '-r --list leaves data alone' \
	'cp whole data && fs-select -r map.bss --list data >x && cmp data whole &&
	fs-select -r map.bss --list data listed && sed 1d listed | cmp x - && cmp data whole'
for i in $(seq 450); do echo "feature $i"; done >names
ok '--names in --list' \
	'fs-select -q -m top -k 9 --names names --list whole >x && cat x && ! awk "{ print \$1, \$5 }" x |
	grep -v "^\([0-9]*\) \1$" && ! grep -v " feature " x'
ok '--names in -s, and back' \
	'fs-select -q -m bss -k 60 --names names -s named whole xs && cmp xs out.bss && fs-select -r named whole |
	cmp - out.bss && grep "^[0-9]" named | cut -d " " -f 1-3 | cmp - <(grep "^[0-9]" map.bss) &&
	grep -c " feature [0-9]*$" named | grep -x 60'
ok '-r --names'                      'fs-select -r map.bss --names names --list | cmp - <(grep "^[0-9]" named)'
ok 'blanks after names, gzip' \
	'printf "first  \t\r\n\nthird\nfourth" | gzip -c >few.gz && printf "1 1:1 2:2 3:3 4:4\n" |
	fs-select -q --unsupervised -m uniform -k 4 --names few.gz --list - | sort -n | cut -d " " -f 1,4- |
	cmp - <(printf "1 first\n2\n3 third\n4 fourth\n")'
ok '-r --list of what has names'        'fs-select -r named --list >x && grep "^[0-9]" named | cmp - x'
ok '-r --names of others'              'sed s/^/the_/ names >others; fs-select -r named --names others --list | cut -d " " -f 4 | grep -c "^the_" | grep -x 60'
f=$(fs-select -r named --list | head -n 1 | cut -d ' ' -f 1)
fail 1 "turned: feature $f is 'feature $(($(wc -l <names) + 1 - f))', and 'feature $f' in named: take rows" \
	'sed -n "1!G; h; \$p" names >turned; fs-select -r named --names turned --list'
fail 1 'fs-select: --names: few.gz has 4 names, and feature ' fs-select -r named --names few.gz --list
seq 13 | sed 's/^/name/' >thirteen
fail 1 'fs-select: --names: few.gz has 4 names for 13 features' fs-select -m rfe -k 3 --names few.gz --list heart
ok 'names with a header'                '(echo "\"x\""; cat thirteen) >fourteen; fs-select -m rfe -k 3 --names fourteen --list heart 2>err >x && grep -x "fs-select: note: --names: fourteen has 14 names, and the highest feature is 13: line 1, '"'x'"', names feature 1" err'
ok '... and -q'                         'streams 0 " name" "" fs-select -q -m rfe -k 3 --names fourteen --list heart'
ok 'names with a blank last line' \
	'(cat thirteen; echo) >fourteen; streams 0 " name" "" fs-select -m rfe -k 3 --names fourteen --list heart'
ok 'the first of many names' \
	'(printf "a%.0s" {1..50}; echo; cat thirteen) >more;
	fs-select -m rfe -k 3 --names more --list heart 2>err >x && grep "line 1, .a\{40\}., names feature 1$" err'
ok 'quotes around names' \
	'sed "s/.*/\"&\"/; 3s/^/\"1\",/" thirteen >quoted &&
	fs-select -q -m rfe -k 13 -s named13 --names quoted --list heart >x &&
	fs-select -q -m rfe -k 13 --names thirteen --list heart | sed "s/ name3\$/ \"1\",\"name3\"/" | cmp - x &&
	fs-select -r named13 --list | cmp - x'
awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = (a[1] - 1) ":" a[2] } print }' heart >zero
ok 'features from 0' \
	'fs-select -m rfe -k 3 --names thirteen --list zero 2>err | cut -d " " -f 4 >x &&
	grep -x "fs-select: note: --names: the data count features from 0: line 1 of thirteen names feature 0" err &&
	fs-select -q -m rfe -k 3 --names thirteen --list heart | cut -d " " -f 4 | cmp - x'
ok 'features from 0, saved' \
	'fs-select -q -m rfe -k 3 --names thirteen -s saved zero rows && fs-select -r saved --list |
	awk "{ if (\$4 != \"name\" (\$1 + 1)) exit 1 }"'
fail 1 'fs-select: --names: few.gz has 4 names for 13 features, which count from 0' fs-select -m rfe -k 3 --names \
	few.gz --list zero
ok '--list has a heading' \
	'command fs-select -q -k 60 --list whole | head -n 1 | grep -x "#index weight score" &&
	command fs-select -q -k 60 --names names --list whole | head -n 1 | grep -x "#index weight score name" &&
	command fs-select -r map.bss --list | head -n 1 | grep -x "#index weight score" &&
	command fs-select -r named --list | head -n 1 | grep -x "#index weight score name"'
ok 'joined by join(1)' \
	'awk "{ print NR, \$0 }" names | sort -k 1b,1 >numbered && grep "^[0-9]" map.bss | sort -k 1b,1 |
	join - numbered | sort >x && grep "^[0-9]" named | sort | cmp - x'
sed 's/^rescale yes/rescale no/' map.bss >damaged
head -n 8 map.bss >cut
sed 's/selection 1/selection 2/' map.bss >newer
# signed FILE: its checksum made right
signed()
{
	python3 - "$1" <<-'END'
		import sys, zlib
		text = open(sys.argv[1], "rb").read()
		text = text[:text.rindex(b"checksum ")]
		open(sys.argv[1], "wb").write(text + b"checksum %08x\n" % zlib.crc32(text))
	END
}
sed '8p; 7d' map.bss >twice && signed twice
sed '7s/^[0-9]* /-3 /' map.bss >negative && signed negative
sed '7s/^\([0-9]*\) .*/\1 1/' map.bss >fewer && signed fewer
fail 1 'damaged:'                            fs-select -r damaged whole
fail 1 'cut:'                                fs-select -r cut whole
fail 1 'newer:1:'                            fs-select -r newer whole
fail 1 'heart:1:'                            fs-select -r heart heart
fail 1 'is selected twice'                   fs-select -r twice whole
fail 1 'negative:7: no feature index'        fs-select -r negative whole
fail 1 'fewer:7: '                           fs-select -r fewer whole
fail 1 "can't open selection file none: No such file or directory"  fs-select -r none heart
ok '-m l1: the tolerance in the report' \
	'fs-select -q -m l1 -k 3 --report r.json heart xr && grep "\"l1_eps\":.0.01," r.json &&
	grep "\"eps\":.0.001," r.json && fs-select -q -m l1 -e 0.25 -k 3 --report r.json heart xr &&
	grep "\"l1_eps\":.0.25," r.json && fs-select -q -m rfe -k 3 --report r.json heart xr && ! grep l1_eps r.json'
fail 1 "can't open names file none: No such file or directory"      fs-select -k 3 --names none --list heart

# ---- models of chosen features ----

# folds DATA SELECT_OPTIONS... -- TRAIN...: scores by the folded model are those by the chosen features, and
# its weights are those that plain_fold.py makes
folds()
{
	local data=$1
	shift
	local select=()
	while [ "$1" != -- ]; do select+=("$1"); shift; done
	shift
	command fs-select -q "${select[@]}" -s saved "$data" small && "$@" small m >/dev/null &&
		command fs-select -r saved --fold m folded && svm-eval -q --scores small m s1 &&
		svm-eval -q --scores "$data" folded s2 && near s1 s2 1e-6 || return
	type python3 >/dev/null 2>&1 || return 0
	python3 "$TOP/test/plain_fold.py" m saved >a && python3 "$TOP/test/plain_fold.py" folded >b && near a b 1e-12
}
ok 'fold: two classes, weights'      folds a1a --unsupervised -m bss -k 40 -- randsvm-train -q -t 0
ok 'fold: svm-predict reads it'      'svm-predict a1a folded p && svm-eval -q a1a folded q && cmp p q'
ok 'fold: with all digits'           folds a1a --unsupervised -m leverage -k 40 -- randsvm-train -q -t 0 --compact
ok 'fold: renumbered, weights'       folds a1a --unsupervised -m leverage -k 40 --renumber -- randsvm-train -q -t 0
ok 'fold: renumbered, no weights'    folds a1a -m rfe -k 20 --renumber -- randsvm-train -q -t 0
ok 'fold: weights that are not used' folds a1a --unsupervised -m bss --no-rescale -k 40 -- randsvm-train -q -t 0
ok 'fold: three classes'             folds "$three" --unsupervised -m leverage -k 3 --renumber -- randsvm-train -q -t 0
ok 'fold: regression'                folds short --regression -m leverage -k 12 -- randsvm-train -q -s 3 -t 0
ok 'fold: one class'                 folds heart --unsupervised -m bss -k 5 --rank-tol 0.2 -- randsvm-train -q -s 2 -t 0
ok 'fold: weights of probabilities'  folds heart --unsupervised -m leverage -k 8 -- randsvm-train -q -t 0 -b 1
ok '... which are kept' \
	'svm-eval -q -b 1 small m p1 && svm-eval -q -b 1 heart folded p2 && near p1 p2 1e-6'
sed 's/ \([0-9]*\):/ 0:0.5 \1:/' heart >from_0
ok 'fold: feature 0' \
	'folds from_0 --unsupervised -m leverage -k 60 --sampling iid -- randsvm-train -q -t 0 && grep "^0 0 " a'
ok 'fold: feature 0 was renumbered' \
	'folds from_0 --unsupervised -m leverage -k 60 --renumber -- randsvm-train -q -t 0 && grep "^0 0 " a'
ok 'fold: feature 0 and LIBLINEAR' \
	'randsvm-train -q -t 0 --model-format liblinear small m &&
	streams 1 "" "fs-select: --fold: m: feature 0 was chosen, which models of LIBLINEAR cannot have" command \
	fs-select -r saved --fold m unborn'
if command -v liblinear-train >/dev/null; then
	ok 'fold: LIBLINEAR, with a bias'    folds a1a --unsupervised -m bss -k 40 -- liblinear-train -q -B 1
	ok 'fold: LIBLINEAR, without' folds a1a --unsupervised -m leverage -k 40 --renumber -- liblinear-train -q -s \
		0
	ok 'fold: LIBLINEAR, many classes'   folds "$three" --unsupervised -m bss -k 3 -- liblinear-train -q -s 4
	ok 'fold: LIBLINEAR, -d' \
		'folds a1a --unsupervised -m bss -k 40 -- liblinear-train -q &&
		fs-select -r saved --fold m -d 200 folded200 && grep -x "nr_feature 200" folded200 &&
		sed "1,/^w/d" folded >a && sed "1,/^w/d" folded200 >b && [ "$(wc -l <b)" = 200 ] &&
		head -n "$(wc -l <a)" b | cmp - a && tail -n +"$(($(wc -l <a) + 1))" b | sort -u | grep -x "0 *" &&
		svm-eval -q a1a folded s1 && svm-eval -q a1a folded200 s2 && cmp s1 s2 &&
		svm-eval --certify a1a folded200 2>&1 | grep "^Objective"'
else
	skip 'no liblinear-train'
fi
# of all features it is not the optimum, and of those that were chosen it is
ok 'fold: certified on all features' \
	'fs-select -q -m rfe -k 40 -s saved a1a small && randsvm-train -q -t 0 small m &&
	fs-select -r saved --fold m folded && randsvm-train -q -t 0 a1a full &&
	primal() { svm-eval --verbose --certify "$@" 2>/dev/null | sed -n "s/^primal = \([0-9.]*\).*/\1/p"; } &&
	primal small m >x && primal a1a folded >y && near x y 1e-5 && primal a1a full >z && cat x y z &&
	awk "{ if (NR > 1 && \$1 <= last) exit 1; last = \$1 }" z y'
ok 'fold: gzip, pipe, minus' \
	'gzip -c m >packed_m && fs-select -r saved --fold packed_m | cmp - folded && cat m |
	fs-select -r saved --fold - folded.gz && gzip -dc folded.gz | cmp - folded &&
	fs-select -r saved --fold m -z - | gzip -dc | cmp - folded && gzip -c saved >packed_s &&
	fs-select -r packed_s --fold m --threads 3 | cmp - folded'
ok 'fold: a compact model' \
	'randsvm-train -q -t 0 --compact small m2 && fs-select -r saved --fold m2 |
	svm-eval --scores a1a - x >/dev/null && svm-eval --scores small m y >/dev/null && near x y 1e-6'
ok 'fold: the report' \
	'fs-select -r saved --fold m --report r.json x.model && cmp x.model folded && grep "\"file\":.\"m\"" r.json &&
	grep "\"fold\":.\"m\"" r.json && ! grep "\"written\"" r.json'
randsvm-train -q a1a rbf
randsvm-train -q -t 0 a1a wide_model
cp folded same_folded
fail 1 "fs-select: --fold: rbf: the model's kernel is not linear"  fs-select -r saved --fold rbf folded
fail 1 'fs-select: --fold: wide_model: the model has feature '     fs-select -r saved --fold wide_model folded
ok '... which was not chosen' \
	'fs-select -r saved --fold wide_model unborn 2>&1 |
	grep "feature [0-9]*, which the selection does not have: it was trained on other data$"'
ok 'fold: a map of other data' \
	'fs-select -q -m rfe -k 5 --renumber -s five.r heart h5 &&
	streams 1 "" "the model has feature 6, which the selection does not have" fs-select -r five.r --fold m unborn'
fail 1 "can't open model file none: No such file"                  fs-select -r saved --fold none folded
fail 1 "can't open selection file none: No such file"              fs-select -r none --fold m folded
fail 1 'damaged'                     'head -c 200 saved >damaged; fs-select -r damaged --fold m folded'
fail 1 'cut_m'                       'head -c 400 m >cut_m; fs-select -r saved --fold cut_m folded'
fail 1 '--fold needs -r'             fs-select --fold m folded
fail 1 '-d needs --fold'             fs-select -r saved -d 200 a1a folded
fail 1 '-d: feature [0-9]* was chosen, and 5 is less' \
	'fs-select -r saved --fold m -d 5 folded 2>&1 | grep "feature [0-9]* was" |
	sed "s/feature [0-9]* was/feature [0-9]* was/"; exit 1'
fail 1 'one file name too many'      fs-select -r saved --fold m folded a1a
for with in --list --binary '--digits 3' --strict --allow-nonfinite; do
	fail 1 'simultaneously'      fs-select -r saved --fold m $with folded
done
fail 1 'simultaneously'              fs-select -r saved --fold m --renumber folded
fail 1 'are the same file'           fs-select -r saved --fold m m
fail 1 'a1a holds rows of data'      fs-select -r saved --fold m a1a
ok 'fold: nothing from these'        'cmp folded same_folded && ! ls unborn'
ok 'fold: no features' \
	'printf "1 1:0\n-1 2:0\n" >empties && fs-select -q --unsupervised -m uniform -k 1 -s nothing empties x &&
	printf "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nlabel 1 -1\nnr_sv 1 0\nSV\n1 \n" >m0 &&
	fs-select -r nothing --fold m0 m1 && grep -x "rho 0.5" m1 && svm-eval heart m1'

# ---- what remains of the program ----

ok 'a report'                        'fs-select -m bss -k 60 --certificate --report r whole x >/dev/null && json_has r schema_version tool version settings seed seconds_per_phase selection certificate data map seconds peak_memory_bytes && python3 -c "
import json
r = json.load(open(\"r\"))
print(r)
s, c = r[\"selection\"], r[\"certificate\"]
assert r[\"map\"][\"features\"] == s[\"features\"] <= s[\"wanted\"] == 60
assert r[\"data\"][\"rows\"] == 150 and 0 < s[\"rows_chosen_by\"] <= 150
assert abs(s[\"least_eigenvalue\"] - c[\"lambda_min\"]) < 1e-9 or s[\"rank\"] < c[\"rank\"]
assert set(r[\"seconds_per_phase\"]) == {\"read\", \"train\", \"choose\", \"certify\", \"write\"}
"'
ok 'a report of -r'                  'fs-select -r map.bss --report r whole x && python3 -c "
import json
r = json.load(open(\"r\"))
crc = r[\"map\"].pop(\"crc32\")
assert crc > 0
assert r[\"map\"] == {\"method\": \"bss\", \"features\": $(grep -c "^[0-9]" map.bss), \"rescaled\": True, \"renumbered\": False}, r
assert r[\"data\"][\"rows\"] == 150 and r[\"settings\"][\"restored\"] == \"map.bss\", r
"'
ok 'no arguments'                    streams 1 '' "fs-select: -k: is missing" fs-select
ok '--help'                          streams 0 "$usage" '' fs-select --help
ok '--version'                       streams 0 'fs-select ' '' fs-select --version
ok '-q: nothing on standard error'   streams 0 '' '' fs-select -q -m leverage -k 30 a1a x
ok '--verbose' \
	'fs-select -m bss -k 30 --verbose a1a x 2>err && cat err && grep "of 1605 rows are support vectors" err &&
	grep "^fs-select: rank " err'
ok 'progress' \
	'{ cat a1a; sleep 0.7; cat a1a; } | fs-select -q --unsupervised -m top -k 3 - x && { cat a1a; sleep 0.7;
	cat a1a; } | fs-select --unsupervised -m top -k 3 --progress --threads 1 - x 2>err; grep -a "reading" err'
ok 'an old file stands after an error' \
	'cp heart old && cp heart kept && { cat heart; echo "1 x"; } >bad;
	! fs-select -k 4 -s kept bad old 2>err && cat err && cmp old heart && cmp kept heart &&
	! fs-select -r map.bss bad old 2>err && cmp old heart && ! ls | grep "^old.\|^kept."'
ok 'no new file after an error' \
	'! fs-select -k 4 -s unborn --report unborn2 bad unborn3 2>err && ! ls | grep unborn'
fail 1 'Wrong input format at line 2: standard input:2:3:'  'printf "1 1:1\n2 x\n" | fs-select -k 1'
fail 1 '-k: is missing: how many features?'           fs-select heart
fail 1 '-k: 0 is not between'                         fs-select -k 0 heart
fail 1 '-k: expected an integer'                      fs-select -k 1e3 heart
fail 1 '-m: expected one of bss approx-bss'           fs-select -m best -k 3 heart
fail 1 'cannot use -k and --epsilon simultaneously'   fs-select -k 3 --epsilon 0.5 heart
fail 1 'cannot use -k and --nu simultaneously'        fs-select -m lpsvm -k 3 --nu 0.5 heart
fail 1 '-T: is not for bss'                           fs-select -m bss -T 3 -k 3 heart
fail 1 '--sampling iid is not for top'                   fs-select -m top --sampling iid -k 3 heart
fail 1 '--sampling: expected one of iid bernoulli'    fs-select -m leverage --sampling x -k 3 heart
fail 1 '--beyond none is not for rfe'                     fs-select -m rfe --beyond none -k 3 heart
fail 1 '--fraction: is not for bss'                   fs-select -m bss --fraction 0.5 -k 3 heart
fail 1 '--one: is not for bss'                        fs-select -m bss --one -k 3 heart
fail 1 '--rank-tol: is not for rrqr'                  fs-select -m rrqr --rank-tol 0.1 -k 3 heart
fail 1 '--rank-tol: is not for approx-leverage'       fs-select -m approx-leverage --rank-tol 0.1 --epsilon 1 heart
fail 1 'more than 100000000 features to be selected' \
	'printf "1 1:1 2147483647:1\n-1 2:1\n" | fs-select --unsupervised -m rrqr --beyond lapack -k 2147483647'
fail 1 '-p: is for --regression'                      fs-select -p 7 -k 3 heart
for option in '-c 5' '-e 0.5' --regression; do
	fail 1 "cannot use --unsupervised and ${option%% *}" "fs-select --unsupervised $option -k 3 heart"
done
for option in --renumber --rescale --no-rescale; do
	fail 1 "cannot use --list and $option"            fs-select --list $option -k 3 heart
done
fail 1 'cannot use -r --list and --strict'            fs-select -r map.bss --list --strict
fail 1 "only one file can come from standard input"   'fs-select -r - <map.bss'
fail 1 "only one file can come from standard input"   'fs-select -k 3 --names - -s x <names'
fail 1 'more than 100000000 draws'                    fs-select --unsupervised -m leverage -k 100000001 heart
fail 1 'more than 100000000 draws'                    fs-select --unsupervised -m leverage --epsilon 1e-6 heart
for method in $methods; do
	fail 1 'feature 2 of row 2 is not finite' \
		"printf '1 1:1\n-1 1:2 2:nan\n' | fs-select --allow-nonfinite --unsupervised -m $method -k 1"
done
printf 'old\n' >kept
fail 1 "can't write selection file /dev/full: No space left" fs-select -q -k 3 -s /dev/full heart kept
fail 1 "can't write report file /dev/full: No space left"    fs-select -q -k 3 --report /dev/full -s kept heart x
ok 'an old file stands where another output fails'    'printf "old\n" | cmp - kept'
fail 1 'cannot use --fraction and --one simultaneously' fs-select -m rfe --one --fraction 0.5 -k 3 heart
fail 1 '20001 classes: there can be 20000 at most (for targets say --regression' \
	"ulimit -t 20; seq 20001 | sed 's/\$/ 1:1/' | fs-select -m l1 --unsupervised -k 1"
seq 2001 | awk '{ print $1, "1:1", "2:" $1 % 7 }' >identities
cat identities identities >twice
for options in '' '-m top' '-m l1' '-m rfe --unsupervised' '-m rmb --unsupervised'; do
	fail 1 'classes of one row each have 2001000 pairs, each to be trained: there can be 2000 classes at most, or any number with bss, unsupervised (' \
		"ulimit -t 20; fs-select $options -k 1 identities"
	fail 1 '2001 classes have 2001000 pairs, each to be trained: there can be 2000 classes at most, or any number with f (' \
		"ulimit -t 20; fs-select $options -k 1 twice"
done
ok 'as many classes as can be trained'  'head -n 2000 identities | fs-select -q -m top -k 1 | wc -l | grep -x " *2000"'
for options in '-m f' '--regression -m top' '--unsupervised -m bss' '--unsupervised -m l1'; do
	ok "more classes: $options"     "fs-select -q $options -k 1 twice | wc -l | grep -x ' *4002'"
done
rm identities twice
ok 'without machines any number of classes' \
	'seq 20001 | sed "s/\$/ 1:1/" | fs-select -m top --unsupervised -k 1 | wc -l | grep -x " *20001"'
if [ "$SANITIZE$WRAP" ]; then
	skip 'memory is not to be limited'
else
	seq 300 | awk '{ print $1, "1:" $1 % 7, "2:" $1 % 11, "3:" $1 % 13 }' >own
	seq 250 | awk '{ printf "%d", $1; for (j = 1; j <= 300; j++) printf " %d:%d", j, $1 * j % 13; print "" }' >wide
	for method in rfe rmb; do
		ok "$method: one pair of classes in memory" \
			"(ulimit -v 120000; fs-select --threads 1 --unsupervised -m $method -k 1 --list own)"
		ok '... in a supervised choice' \
			"(ulimit -v 120000; fs-select --threads 1 -m $method -k 2 own | wc -l | grep -x ' *300')"
		ok '... with products of the rows' \
			"(ulimit -v 200000; fs-select --threads 1 --unsupervised -m $method -k 270 --list wide)"
	done
fi
fail 1 '--nu: is not for rfe'                         fs-select --nu 0.5 heart
fail 1 '--all-features: is not for top'               fs-select -m top --all-features -k 3 heart
fail 1 '--regression: is not for lpsvm'               fs-select -m lpsvm --regression -k 1 "$sinc"
fail 1 'cannot use --unsupervised and --supervised'     fs-select --supervised --unsupervised -k 3 heart
fail 1 'cannot use --no-rescale and --rescale'          fs-select --rescale --no-rescale -k 3 heart
fail 1 '--rows sv: there are no support vectors'      fs-select --unsupervised --rows sv -k 3 heart
fail 1 'cannot use --binary and --digits'               fs-select -k 3 --binary --digits 3 heart
fail 1 'cannot use --list and --binary'               fs-select -k 3 --list --binary heart
fail 1 'cannot use --list and --rows'                 fs-select -k 3 --list --rows sv heart
fail 1 '--names needs --list or -s'                     fs-select -k 3 --names names heart
for option in '-k 3' '-s x' '-m top' '--epsilon 1' '-c 1' '--rows sv' --certificate --rescale \
	--renumber '--seed 2' --unsupervised --one '-e 0.1'; do
	fail 1 "cannot use -r and ${option%% *} simultaneously"  "fs-select -r map.bss $option heart"
done
fail 1 "one file name too many: 'c'"                  fs-select -k 3 heart b c
fail 1 "can't open input file none: No such file"     fs-select -k 3 none
fail 1 "can't open output file none/x: No such file"  fs-select -k 3 heart none/x
fail 1 "can't open selection file none/x: No such"    fs-select -k 3 -s none/x heart x
fail 1 'No space left'                                'fs-select -q -k 3 heart >/dev/full'
fail 1 'standard input: no examples'                  'printf "" | fs-select -k 3'
ok 'no rows in, no rows out'             'printf "" | streams 0 "" "no examples" fs-select -r map.bss'
fail 1 'heart'                                        fs-select -k 3 heart heart
fail 1 'names'                                        fs-select -k 3 --names names -s names heart x
