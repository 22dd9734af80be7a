# -t 0 for the machines of nu: nu-SVC, one-class and nu-SVR against svm-train over a grid of nu, and at
# the ends of what nu can be.

. "$TOP/test/helpers.bash"

linear_data

# solves DATA OPTION...: training says that it is the optimum, by the linear engine in one round
solves()
{
	local data=$1
	shift
	randsvm-train -t 0 "$@" "$data" m >out && proved out 1e-4
}

# ---- against svm-train ----

# grid DATA TOLERANCE "OPTION..." NU...: objectives of svm-train, which its floats may round, and
# predictions like its own, but of one class, whose free support vectors are on the border
grid()
{
	local data=$1 tolerance=$2 options=$3 nu
	shift 3
	for nu; do
		svm-train -t 0 -n $nu $options "$data" m1 >out1 &&
			solves "$data" -n $nu $options && close_objectives out1 out $tolerance &&
			svm-eval "$data" m1 p1 >/dev/null && svm-eval "$data" m p >/dev/null &&
			case $options in
			*'-s 4'*) near p1 p 1e-2 ;;
			*'-s 1'*) agree p1 p 99 ;;
			esac && continue
		echo "-n $nu"
		return 1
	done
}

if type svm-train >/dev/null 2>&1; then
	ok 'one-class, heart'                grid heart 1e-4 '-s 2' .05 .1 .37 .7 .93
	ok 'one-class, a1a'                  grid a1a 1e-4 '-s 2' .01 .1 .51
	ok 'one-class, many features'        grid text 1e-4 '-s 2 -e .0001' .1 .5
	ok 'nu-SVC, heart'                   grid heart 1e-4 '-s 1 -e .0001' .37 .51 .77
	ok 'nu-SVC, a1a'                     grid a1a 1e-4 '-s 1' .41 .46
	ok 'nu-SVC, many features'           grid text 1e-4 '-s 1 -e .0001' .1 .5
	ok 'nu-SVC, three classes'           grid three_class 1e-3 '-s 1 -e .0001' .613 .79
	ok 'nu-SVR, sinc'                    grid sinc 1e-4 '-s 4 -e .0001' .1 .37 .8
	awk '{ $1 = $1 > 0 ? 1 : -1; print }' sinc >bump
	for s in 1 2 4; do
		[ $s = 1 ] && data=bump || data=sinc
		ok "-s $s, monomials" \
			"svm-train -t 1 -r 1 -d 2 -e .0001 -s $s -n .613 $data m1 >out1 &&
			randsvm-train -t 1 -r 1 -d 2 -s $s -n .613 $data m >out && proved out 1e-4 &&
			close_objectives out1 out 1e-4 && [ \$(grep -h '^rho' m1 m |
			awk '{ d = \$2 - d } END { print d * d < 1e-4 }') = 1 ]"
	done
	ok 'nu-SVR, friedman'                grid friedman 1e-4 '-s 4 -c 10 -e .0001' .1 .37 .8
else
	skip 'no svm-train'
fi

# ---- what nu means ----

# vectors FILE: total_sv of a model
vectors() { sed -n 's/^total_sv //p' "$1"; }

ok 'nu l is between nBSV and nSV' \
	'solves heart -s 2 -n .3 && [ "$(vectors m)" -ge 81 ] && sed -n "s/.*nBSV = //p" out |
	awk "{ exit \$1 > 81 }"'
ok 'nu-SVC is C-SVC at the C it prints' \
	'solves heart -s 1 -n .5 -e 1e-7 && c=$(sed -n "s/^C = //p" out) &&
	randsvm-train -t 0 -c $c heart m2 >out2 && svm-eval heart m p && svm-eval heart m2 p2 && agree p p2 99'
ok 'nu-SVR is epsilon-SVR at the epsilon' \
	'solves sinc -s 4 -n .4 -e 1e-7 && e=$(sed -n "s/^epsilon = //p" out) &&
	randsvm-train -t 0 -s 3 -p $e sinc m2 >out2 && svm-eval sinc m p && svm-eval sinc m2 p2 && near p p2 1e-3'
ok 'nu = 1'                                  'solves heart -s 2 -n 1 && ! grep -i -E "inf|nan" m'
ok 'nu = 1, regression: no tube'             'solves sinc -s 4 -n 1 && grep -E "^epsilon = -?0\.0000" out'
ok 'nu = 1 / l'                              'solves heart -s 2 -n 0.0037037037037037037'
ok 'targets on a line, large C' \
	'seq 1 40 | awk "{ print 3 * \$1 + 1, \"1:\" \$1 / 10 }" >exact && solves exact -s 4 -n .9 -c 1000 &&
	svm-eval --metrics exact m | tee q && ! grep nan q'
ok 'one row'                                 'echo "1 1:2 3:1" >one && solves one -s 2 -n .5'
ok 'two rows' \
	'printf "1 1:2\n-1 1:1\n" >two && solves two -s 1 -n .5 && solves two -s 4 -n .5'
awk 'BEGIN { srand(1); for (i = 0; i < 300; i++) printf "0 1:%.4f 2:%.4f 3:%.4f\n", rand() - .5, rand() - .5, rand() - .5 }' >around
ok 'the origin among the rows: no gap' \
	'for o in "" "-n .1" "-t 1 -d 1";
	do streams 0 "Objective 0, optimal to gap = " \
	"warning: no plane separates the rows from the origin" randsvm-train -t 0 -s 2 $o around m &&
	grep "^obj = 0.000000, rho = " stdout || exit; done; randsvm-train -q -t 0 -s 2 around m;
	svm-eval --certify around m | grep "relative gap = 0,"'
ok '... and no warning where it is not' \
	'awk "{ print \$1, \"1:2\", \$3, \$4 }" around >beside &&
	streams 0 "" "" randsvm-train -q -t 0 -s 2 beside m && streams 0 "" "" randsvm-train -q -s 2 around m'
ok 'rows without entries'                    'yes 1 | head -n 50 >empty && randsvm-train -q -t 0 -s 2 -n .1 empty m'
ok 'all rows equal'                          'yes "1 1:.5 7:2" | head -n 50 >same && solves same -s 2 -n .33'
ok 'hulls that meet are refused' \
	'streams 1 "" "there is no margin between classes 1 and -1 with nu = 0.1" randsvm-train -q -t 0 -s 1 -n .1 \
	heart m.none &&
	[ ! -e m.none ]'
ok '... as is a nu that no class can have' \
	'streams 1 "" "specified nu is infeasible" randsvm-train -q -t 0 -s 1 -n .95 heart m.none &&
	[ ! -e m.none ]'

# ---- the command ----

# 20,000 rows of 70 entries: the epochs of coordinate descent run in two lanes
svm-gen text -n 20000 -d 20000 -o lanes >out.gen
ok "two lanes of coordinate descent: solved, and the same bytes for any threads" \
	'for n in 1 2 3; do randsvm-train -t 0 --threads $n lanes m.$n >out.$n; done;
	same_files m.1 m.2 m.3 && same_files out.1 out.2 out.3 && grep "violators = 0" out.1'

# millions_of DATA: entries that the engine passes
millions_of()
{
	randsvm-train --verbose -t 0 "$1" m | sed -n 's/^Work, in millions: \([0-9]*\).*/\1/p'
}
sort -s -k1,1 lanes >by_label
ok '... rows sorted by label: no more work' \
	'[ $((2 * $(millions_of by_label))) -lt $((3 * $(millions_of lanes))) ]'
# ranges of as many entries are of very different numbers of rows
awk '{ NF = 4 } 1' lanes | cat - lanes >unlike
ok '... rows of unlike lengths' \
	'for n in 1 3; do randsvm-train -t 0 --threads $n unlike m.$n >out.$n; done;
	same_files m.1 m.3 && grep "violators = 0" out.1'

for s in 1 2 4; do
	ok "-s $s: the same bytes for any threads" \
		"for n in 1 2 5; do randsvm-train -t 0 -s $s -n .3 --threads \$n text m.\$n >out.\$n; done;
		same_files m.1 m.2 m.5 && same_files out.1 out.2 out.5"
	ok "-s $s: gzipped, from a pipe" \
		"randsvm-train -q -t 0 -s $s -n .5 heart m && gzip -c heart |
		randsvm-train -q -t 0 -s $s -n .5 - m2 && same_files m m2"
	ok "-s $s: weights of the features" \
		"randsvm-train -q -t 0 -s $s -n .5 --compact heart m && svm-eval heart m p &&
		randsvm-train -q -t 0 -s $s -n .5 heart m2 && svm-eval heart m2 q && same_files p q"
done
