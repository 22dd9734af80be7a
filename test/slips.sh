# Slips of the hand that are caught: wrong options and their order, wrong files, wrong data.
#
# Each is answered by one line on standard error that begins with the program's name.

. "$TOP/test/helpers.bash"

mkdir here
cd here || exit 1

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" >a1a
head -n 100 heart >h100
randsvm-train -q h100 model

# one_line COMMAND...: it fails with nothing on stdout and one line on stderr, which begins with the
# program's name; the files here are as they were
one_line()
{
	local status before
	before=$(ls -A)
	"$@" >../stdout 2>../stderr
	status=$?
	cat ../stdout ../stderr
	[ $status = 1 ] && [ ! -s ../stdout ] && [ "$(wc -l <../stderr)" = 1 ] &&
		grep "^$1: " ../stderr >/dev/null && diff <(echo "$before") <(ls -A)
}

# says TEXT COMMAND...: one_line, with this text
says() { one_line "${@:2}" && holds ../stderr "$1"; }

# ---- options behind the file names ----

for word in -c -q -x --strict; do
	ok "train: $word for a model"     says "randsvm-train: options go before the file names: '$word'" randsvm-train h100 $word 10
	ok "eval: $word behind"           says "svm-eval: options go before the file names: '$word'" svm-eval h100 model $word
	ok "project: $word behind"        says "rp-project: options go before the file names: '$word'" rp-project -k 3 h100 $word 10
	ok "select: $word behind"         says "fs-select: options go before the file names: '$word'" fs-select -k 3 h100 out $word 10
	ok "fold: $word behind"           says "svm-fold: options go before the file names: '$word'" svm-fold -v 3 h100 $word 10
	ok "gen: $word behind"            says "svm-gen: options go before the file names: '$word'" svm-gen twonorm -n 3 out $word 10
done
ok 'train: a third name'                  says "randsvm-train: one file name too many: 'extra'" randsvm-train h100 m extra
ok 'eval: a fourth name'                  says "svm-eval: one file name too many: 'extra'" svm-eval h100 model p extra
ok 'gen: two files'                       says "svm-gen: one file name too many: 'b'" svm-gen twonorm -n 3 a b
ok './-c is a file name'                  'mkdir cwd; (cd cwd; randsvm-train -q ../h100 ./-c && files_are -c && same_files ../model ./-c); rm -r cwd'
ok '- is one, too'                        'randsvm-train -q h100 - >m && same_files model m; rm -f m'

# ---- a file option that would take the next option for its file ----

ok 'train: --report -q'                   says "randsvm-train: --report: expected a file name, got '-q'; try" randsvm-train --report -q h100 m
ok 'project: -s -z'                       says "rp-project: -s: expected a file name, got '-z'" rp-project -k 5 -s -z h100 out
ok 'select: --names --list'               says "fs-select: --names: expected a file name, got '--list'" fs-select -k 5 --names --list h100
ok 'eval: --certify -c'                   says "svm-eval: --certify: expected a file name, got '-c'" svm-eval --certify -c 10 h100 model
ok 'project: --cw -k'                     says "rp-project: --cw: expected Q,A,V, got '-k'" rp-project --cw -k 8 h100
ok '--report - is standard output'        'fs-select -q -k 3 --report - h100 x | grep "\"program\""; rm -f x'
ok '--report=-q was meant so'             'randsvm-train -q --report=-q h100 m && test -s ./-q; rm -f m ./-q'
ok 'other values may begin with -'        'randsvm-train -q -t 1 -r -1 h100 m; rm -f m'

# ---- unknown options ----

for program in randsvm-train svm-eval rp-project fs-select svm-fold; do
	ok "$program: a letter"           says "$program: Unknown option: -x; try '$program --help'" $program -x 3 h100
	ok "$program: a letter, last"     says "$program: Unknown option: -x; try" $program -x
	ok "$program: a name"             says "$program: Unknown option: --nope; try '$program --help'" $program --nope h100
	ok "$program: --thread"           says "$program: Unknown option: --thread; did you mean '--threads'?" $program --thread 2 h100
	ok "$program: --hepl"             says "$program: Unknown option: --hepl; did you mean '--help'?" $program --hepl
	ok "$program: -V"                 "$program -V >a && $program --version >b && cmp a b; rm -f a b"
done
for program in svm-eval rp-project fs-select svm-fold svm-gen; do
	ok "$program: -h"                 "$program -h >a && $program --help >b && cmp a b; rm -f a b"
done
ok 'train: -h is shrinking'               'randsvm-train -q -h 0 h100 m; rm -f m'
ok 'a name cut short'                     says "did you mean '--certificate'?" rp-project --cert -k 4 h100
ok 'a letter wrong'                       says "did you mean '--stratified'?" svm-fold --startified -v 3 -f 1 --test h100
ok 'with a value'                         says "Unknown option: --sed=4; did you mean '--seed'?" rp-project --sed=4 -k 4 h100
ok 'one dash for two'                     says "rp-project: Unknown option: -seed; did you mean '--seed'?" rp-project -seed 4 -k 4 h100
ok 'a word for a letter'                  says "fs-select: write '-c', not '-cost'" fs-select -cost 4 -k 4 h100
ok 'a glued number'                       says "rp-project: write '-k 5', not '-k5'" rp-project -k5 h100
ok 'train: a glued number'                says "randsvm-train: write '-c 10', not '-c10'" randsvm-train -c10 h100 m
ok 'train: two of them'                   says "randsvm-train: write '-v 5', not '-v5'" randsvm-train -v5 -c10 h100 m
ok 'an option without its value'          says "svm-fold: -v: needs a value" svm-fold -v
ok 'no data from a wrong option'          'fs-select -x 3 h100 2>e | cmp - /dev/null; rm -f e'
