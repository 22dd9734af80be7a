# Programs that link LIBSVM run on our engine: svm-train, svm-predict, Python's svmutil, a program
# of the test's own, each over LIBSVM itself and over the shim.

if [ "$SANITIZE" ]; then
	skip 'a program without sanitizers cannot load it'
	return
fi

. "$TOP/test/helpers.bash"

need svm-train

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/a9a.t.gz" | head -n 1000 >a.t
cp "$T/three_class" "$T/sinc" .

# shimmed PROGRAM...: run it over the shim
shimmed() { LD_PRELOAD=$SHIM "$@"; }

# by_path PROGRAM...: likewise, by the name that the program loads LIBSVM by
by_path() { LD_LIBRARY_PATH=${SHIM%/*} "$@"; }

# ---- what it exports ----

# exports: all that svm.h declares, one name of C++ (shim/host.c), and no more
exports()
{
	local header=/usr/include/libsvm/svm.h
	nm -D --defined-only "$SHIM" | awk '{ print $3 }' | LC_ALL=C sort >exported
	{
		sed -nE 's/^.*[ *](svm_[a-z_]+)\(.*\);$/\1/p' "$header"
		echo libsvm_version
		echo _Z29svm_set_print_string_functionPFvPKcE
	} | LC_ALL=C sort >declared
	diff declared exported
}

if [ -e /usr/include/libsvm/svm.h ]; then
	ok 'symbols' exports
else
	skip 'symbols: no svm.h'
fi

# binds HOW: svm-train calls the svm_train() of the shim
binds() { "$1" env LD_DEBUG=bindings svm-train -q three_class m 2>&1 | grep -F "to $SHIM " | grep -F "\`svm_train'"; }

ok 'by LD_PRELOAD'      binds shimmed
ok 'by LD_LIBRARY_PATH' binds by_path

# ---- svm-train and svm-predict ----

printf -- '-1 1:-1 2:-1\n1 1:1 2:1\n' >opposite
ok 'a word where probabilities are upside down' \
	'shimmed svm-train -q -t 0 -b 1 opposite m >out; shimmed svm-train -t 0 -b 1 opposite m | grep "WARNING: probabilities contradict" &&
	! shimmed svm-train -t 0 opposite m | grep contradict'

awk 'BEGIN { for (i = 0; i < 40; i++) print i % 2 * 2 - 1, "1:" 1e4 + i * 7 % 40, "2:" i * 11 % 40 }' >coarse
awk '{ sub(/1:1/, "1:"); print }' coarse >fine
for v in '' '-v 2'; do
	ok "a word where doubles are too coarse $v" \
		"model=\$([ -n '$v' ] || echo m); shimmed svm-train -t 1 -d 2 -r 1 $v coarse \$model | grep 'WARNING: C times the largest kernel value' &&
		! shimmed svm-train -t 1 -d 2 -r 1 -g .001 $v fine \$model | grep 'kernel value'"
done

# rate FILE: what svm-predict or svm-train -v says in the end
rate() { sed -nE 's/^.*(Accuracy|Mean squared error|Squared correlation coefficient) = ([-+.0-9e]+)(%?).*/\2/p' "$1"; }

# near A B TOLERANCE: two columns of numbers agree
near()
{
	paste "$1" "$2" | awk -v tolerance="$3" '
		{ n++; d = $1 - $2; if (d < 0) d = -d; size = $1 < 0 ? -$1 : $1 }
		NF != 2 || !(d <= tolerance * (size > 1 ? size : 1)) { print; bad = 1 }
		END { exit bad || !n }'
}

# trains DATA TEST TOLERANCE ARGUMENTS...: objectives agree, models are read by svm-predict over
# either, and predict alike
trains()
{
	local data=$1 test=$2 tolerance=$3
	shift 3
	svm-train "$@" "$data" plain.model >plain.out &&
		shimmed svm-train "$@" "$data" shim.model >shim.out || return
	# LIBSVM's advice about -h is about its own time
	diff <(grep -v 'using -h' plain.out | lines_of -) <(lines_of shim.out) || return
	close_objectives plain.out shim.out "$tolerance" || return
	svm-predict "$test" plain.model plain.p >plain.rate &&
		svm-predict "$test" shim.model shim.p >shim.rate &&
		shimmed svm-predict "$test" shim.model shimmed.p >shimmed.rate || return
	near shim.p shimmed.p 1e-12 && near <(rate shim.rate) <(rate shimmed.rate) 1e-5 || return
	near <(rate plain.rate) <(rate shim.rate) 0.005
}

ok 'C-SVC'              trains a1a a.t 1e-3 -c 1 -g 0.05
ok 'C-SVC, linear'      trains heart heart 1e-3 -t 0 -c 2
ok 'C-SVC, polynomial'  trains heart heart 1e-3 -t 1 -g 0.25 -r 1
ok 'C-SVC, sigmoid'     trains heart heart 1e-2 -t 3 -g 0.0625
ok 'C-SVC, weights'     trains heart heart 1e-3 -w1 4 -w-1 0.5
ok 'three classes'      trains three_class three_class 1e-3 -c 10
ok 'nu-SVC'             trains heart heart 1e-2 -s 1
ok 'one-class'          trains a1a a.t 1e-3 -s 2 -e 1e-6
ok 'epsilon-SVR'        trains sinc sinc 1e-3 -s 3 -c 10
ok 'nu-SVR'             trains sinc sinc 1e-3 -s 4 -c 10

# gram: rows of heart as rows of their own linear kernel
gram()
{
	awk '{ y[NR] = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); x[NR, a[1]] = a[2] } }
		END {
			for (i = 1; i <= NR; i++) {
				printf "%s 0:%d", y[i], i
				for (j = 1; j <= NR; j++) {
					s = 0
					for (k = 1; k <= 13; k++)
						s += x[i, k] * x[j, k]
					printf " %d:%.17g", j, s
				}
				print ""
			}
		}' heart
}

gram >gram
ok 'precomputed'        trains gram gram 1e-3 -t 4 -c 2

# probable ARGUMENTS...: probabilities of both models are near each other, and add up to 1
probable()
{
	local data=$1
	shift
	svm-train -q -b 1 "$@" "$data" plain.model && shimmed svm-train -q -b 1 "$@" "$data" shim.model &&
		svm-predict -b 1 "$data" plain.model plain.p >plain.rate &&
		shimmed svm-predict -b 1 "$data" shim.model shim.p >shim.rate &&
		svm-predict -b 1 "$data" shim.model shimmed.p >shimmed.rate || return
	cmp shim.p shimmed.p && cmp shim.rate shimmed.rate || return
	near <(sed 1d plain.p | cut -d' ' -f2) <(sed 1d shim.p | cut -d' ' -f2) 0.01
}

ok 'probabilities'               probable heart
ok 'probabilities, three classes' probable three_class -c 10

# probable_values: both models of a regression have nearly the same distribution of errors
probable_values()
{
	svm-train -q -s 3 -b 1 sinc plain.model && shimmed svm-train -q -s 3 -b 1 sinc shim.model &&
		near <(sed -n 's/^probA //p' plain.model) <(sed -n 's/^probA //p' shim.model) 0.01
}

ok 'probabilities, regression' probable_values

# validates DATA TOLERANCE ARGUMENTS...: the rates of -v agree: the folds are the same
validates()
{
	local data=$1 tolerance=$2
	shift 2
	svm-train -q "$@" "$data" >plain.out && shimmed svm-train -q "$@" "$data" >shim.out &&
		near <(rate plain.out) <(rate shim.out) "$tolerance"
}

# one row in a thousand on the other side is a tie
ok '-v, C-SVC'       validates a1a 0.002 -v 5 -c 1 -g 0.05
ok '-v, C-SVC, -b 1' validates heart 0.005 -v 5 -b 1
ok '-v, nu-SVC'      validates heart 0.005 -v 3 -s 1
ok '-v, one-class'   validates heart 0.01 -v 3 -s 2
ok '-v, epsilon-SVR' validates sinc 0.005 -v 4 -s 3
ok '-v, all rows'    validates sinc 0.005 -v 1000 -s 3

# ---- messages and errors ----

ok   'the only output is the print function' 'shimmed svm-train -q heart m >out 2>&1 && [ ! -s out ]'
fail 1 "can't save model to file missing/m" shimmed svm-train -q heart missing/m
ok   'a weight of no class is told' 'shimmed svm-train -w7 2 heart m | grep -F "WARNING: class label 7 specified in weight is not found"'
ok   'more folds than rows are told' 'head -n 20 heart >few; shimmed svm-train -v 30 few | grep -F "WARNING: # folds > # data."'
ok   'one class' 'grep ^+1 heart >single; shimmed svm-train single m | grep -F "WARNING: training data in only one class."; shimmed svm-predict single m p | grep -F "Accuracy = 100%"'
fail 1 "can't open model file" shimmed svm-predict heart "$T/bad/cut.model" p

# ---- our own programs load LIBSVM by the same name ----

ok 'randsvm-train --mode direct over it' 'shimmed randsvm-train -q --mode direct heart direct.model && shimmed svm-train -q heart m && cmp m direct.model'
ok 'randsvm-train -v --mode direct'      'shimmed randsvm-train --mode direct -v 3 heart | grep -F "Cross Validation Accuracy"'

# ---- a program ----

cat >program.c <<'END'
#include <libsvm/svm.h>
#include <stdio.h>
#include <stdlib.h>

static int n_lines;

static void count(const char *text)
{
	for (; *text; text++)
		n_lines += *text == '\n';
}

int main(void)
{
	enum { N = 200 };
	static struct svm_node node[N][4];
	static struct svm_node *x[N];
	static double y[N], target[N];
	struct svm_problem prob = { N, y, x };
	struct svm_parameter param = { .svm_type = C_SVC, .kernel_type = RBF, .gamma = 0.5,
		.cache_size = 10, .eps = 1e-6, .C = 3, .shrinking = 1 };
	struct svm_model *m;
	double value[3];
	int hits = 0, label[3], *index;

	srand(5);
	for (int i = 0; i < N; i++) {
		double a = rand() / (double)RAND_MAX, b = rand() / (double)RAND_MAX;

		x[i] = node[i];
		node[i][0] = (struct svm_node){ 1, a };
		node[i][1] = (struct svm_node){ 2, b };
		node[i][2].index = -1;
		y[i] = a * a + b < 0.5 ? 7 : a > b ? -2 : 0;
	}
	svm_set_print_string_function(count);
	srand(1);
	svm_cross_validation(&prob, &param, 4, target);
	for (int i = 0; i < N; i++)
		hits += target[i] == y[i];
	m = svm_train(&prob, &param);
	svm_get_labels(m, label);
	index = malloc(svm_get_nr_sv(m) * sizeof(*index));
	svm_get_sv_indices(m, index);
	printf("version %d, %d of %d, %d lines, %d vectors, first %d, labels %d %d %d\n",
		libsvm_version, hits, N, n_lines, svm_get_nr_sv(m), index[0], label[0], label[1],
		label[2]);
	for (int i = 0; i < N; i += 20) {
		double p = svm_predict_values(m, x[i], value);

		printf("%g: %.4f %.4f %.4f\n", p, value[0] + 1e-5, value[1] + 1e-5, value[2] + 1e-5);
	}
	free(index);
	svm_free_and_destroy_model(&m);
	svm_destroy_param(&param);
	return m != NULL;
}
END

# alike: the program prints the same over both, but for as many lines as LIBSVM has dots in
alike()
{
	${CC:-cc} -o program program.c -lsvm || return
	./program | sed 's/[0-9]* lines/lines/' >plain.out
	shimmed ./program | sed 's/[0-9]* lines/lines/' >shim.out
	[ "$(wc -l <shim.out)" = 11 ] && diff plain.out shim.out
}

if [ -e /usr/include/libsvm/svm.h ]; then
	ok 'a program' alike
else
	skip 'a program: no svm.h'
fi

# ---- a module that has a LIBSVM of its own, as R's e1071 has ----

cat >host.c <<'END'
#include <libsvm/svm.h>
#include <stdio.h>

int libsvm_version = VERSION;

struct svm_model *svm_train(const struct svm_problem *prob, const struct svm_parameter *param)
{
	(void)prob, (void)param;
	puts("svm_train of its own");
	return NULL;
}

double svm_predict(const struct svm_model *model, const struct svm_node *x)
{
	(void)model, (void)x;
	puts("svm_predict of its own");
	return 5;
}

double run(int weight)
{
	static struct svm_node node[][2] = { { { 1, -1 }, { -1, 0 } }, { { 1, 1 }, { -1, 0 } } };
	static struct svm_node *x[] = { node[0], node[1] };
	static double y[] = { -1, 1 }, factor = 2;
	struct svm_problem prob = { 2, y, x };
	struct svm_parameter param = { .svm_type = C_SVC, .kernel_type = LINEAR, .cache_size = 1,
		.eps = 1e-3, .C = 1, .nr_weight = weight != 0, .weight_label = &weight,
		.weight = &factor };

	return svm_predict(svm_train(&prob, &param), x[1]);
}
END
cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *host = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	double (*run)(int) = host ? (double (*)(int))dlsym(host, "run") : NULL;

	if (!run)
		return 1;
	for (int i = 0; i < 2; i++)
		printf("predicts %g\n", run(argc > 2 ? atoi(argv[2]) : 0));
	return 0;
}
END

# host NAME VERSION: a module with that version of LIBSVM
host() { ${CC:-cc} -shared -fPIC -DVERSION="$2" -o "$1.so" host.c; }

# left_alone NAME: the module's own functions are called, and one line says so
left_alone()
{
	shimmed ./load "./$1.so" 2>err >out && ./load "./$1.so" >plain && diff plain out &&
		[ "$(grep -c 'of its own' out)" = 4 ] &&
		[ "$(grep -c "WARNING: .*/$1.so has LIBSVM .* not replaced" err)" = 1 ]
}

if [ -e /usr/include/libsvm/svm.h ]; then
	version=$(sed -n 's/^#define LIBSVM_VERSION //p' /usr/include/libsvm/svm.h)
	ok 'modules with a LIBSVM' '${CC:-cc} -o load load.c -ldl && host same "$version" &&
		host other "$([ "$version" -ge 330 ] && echo 329 || echo 330)" && host old 316'
	ok 'it is replaced, and silent' 'shimmed ./load ./same.so >out 2>&1 && [ "$(sort -u out)" = "predicts 1" ]'
	ok '... but for warnings' 'shimmed ./load ./same.so 7 2>err >out && [ "$(sort -u out)" = "predicts 1" ] &&
		grep -F "WARNING: class label 7" err'
	ok 'a later LIBSVM is left alone, or an earlier one' left_alone other
	ok '... and a very old one' left_alone old
else
	skip 'a module with a LIBSVM: no svm.h'
fi

# ---- Perl, whose module has the runtime library of C++ from LIBSVM alone ----

cat >script.pl <<'END'
use Algorithm::SVM;
use Algorithm::SVM::DataSet;

open(my $rows, '<', 'three_class') or die;
my @data;
while (<$rows>) {
	my ($label, @features) = split;
	s/.*:// for @features;
	push @data, Algorithm::SVM::DataSet->new(Label => $label, Data => \@features);
}
my $svm = Algorithm::SVM->new(Type => 'C-SVC', Kernel => 'radial', C => 10, Gamma => 0.5);
$svm->train(@data);
$svm->save('perl.model');
my $read = Algorithm::SVM->new(Model => 'perl.model');
my @hits = (grep({ $svm->predict($_) == $_->label } @data), grep({ $read->predict($_) == $_->label } @data));
print 'RESULT ', scalar(@hits), ' ', join(',', $svm->getLabels), ' ', int($svm->validate(4)), "\n";
END

# perl_alike: the script has the same result over both
perl_alike()
{
	perl script.pl | grep ^RESULT >plain.out && shimmed perl script.pl | grep ^RESULT >shim.out &&
		diff plain.out shim.out
}

if perl -MAlgorithm::SVM -e 1 2>/dev/null; then
	ok 'Algorithm::SVM' perl_alike
else
	skip 'Perl: no Algorithm::SVM'
fi

# ---- Python ----

python=/usr/bin/python3
if ! $python -c 'import svmutil, scipy, numpy' 2>/dev/null; then
	skip 'Python: no svmutil, scipy or numpy'
	return
fi
ok 'svmutil over LIBSVM'   "$python" -W ignore "$TOP/test/shim_svmutil.py" save results
ok 'svmutil over the shim' shimmed "$python" -W ignore "$TOP/test/shim_svmutil.py" compare results

# ---- rows that are no kernel's: LIBSVM trains on them, and so does the shim, with a word ----

printf '%s\n' '1 0:1 1:4 2:1' '-1 0:1 1:1 2:5' >ones
printf '%s\n' '1 0:1 1:4 2:1' '-1 0:2 1:3 2:5' >lopsided
printf '%s\n' '1 0:1 1:4 2:1' '-1 0:2 1:1 2:5' >gram
ok 'one serial number for all rows' '[ "$(LD_PRELOAD=$SHIM svm-train -t 4 ones m | grep -c "WARNING: rows 1 and 2 differ")" = 1 ]'
ok 'a kernel that is not symmetric' '[ "$(LD_PRELOAD=$SHIM svm-train -t 4 lopsided m | grep -c "WARNING: the kernel is not symmetric")" = 1 ]'
ok '... and one that is'            '! LD_PRELOAD=$SHIM svm-train -t 4 gram m | grep WARNING'
