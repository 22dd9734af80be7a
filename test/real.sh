# Exact mode against svm-train on real data sets, which are not part of a release.

. "$TOP/test/helpers.bash"
need svm-train svm-predict svm-scale
need_data

# set NAME ROWS: the first rows of a data set as they are
set_of() { gzip -dc "$DATA/$1.gz" | head -n "$2" >"$1"; }

# scaled NAME ROWS OPTION...: likewise, scaled by svm-scale
scaled()
{
	gzip -dc "$DATA/$1.gz" | head -n "$2" >raw && svm-scale "${@:3}" raw >"$1" 2>scale.err
}

# exact SAMPLE DATA OPTION...: from a first sample of that size, objectives of all pairs within
# 1e-4, no violators, a relative gap below 1e-3, and 99.8 % of the predictions
exact()
{
	local sample=$1 data=$2
	shift 2
	svm-train "$@" "$data" m1 >out1 &&
		randsvm-train --verbose --sample "$sample" "$@" "$data" m2 >out2 2>err2 || return
	grep 'randsvm-train: solver: ' err2 && close_objectives out1 out2 1e-4 &&
		proved out2 0.02 && svm-predict "$data" m1 p1 && svm-eval "$data" m2 p2 &&
		agree p1 p2 99.8
}

# exact_values SAMPLE DATA OPTION...: likewise for regression, targets scaled to 0..1;
# predictions are at most 0.002 apart
exact_values()
{
	local sample=$1 data=$2
	shift 2
	set -- -s 3 -e 0.0001220703125 "$@"
	svm-train "$@" "$data" m1 >out1 &&
		randsvm-train --verbose --sample "$sample" "$@" "$data" m2 >out2 2>err2 || return
	grep 'randsvm-train: solver: ' err2 && close_objectives out1 out2 1e-4 &&
		proved out2 0.02 && svm-predict "$data" m1 p1 && svm-eval "$data" m2 p2 &&
		near p1 p2 0.002
}

# ---- two classes ----

set_of a1a 1605
ok 'a1a, linear'                 exact 200 a1a -t 0
ok 'a1a, polynomial'             exact 200 a1a -t 1 -g 0.125
ok 'a1a, RBF'                    exact 200 a1a
scaled svmguide1 3089
ok 'svmguide1, RBF'              exact 300 svmguide1
ok 'svmguide1, polynomial'       exact 300 svmguide1 -t 1 -d 2 -g 1 -r 1
ok 'svmguide1, large C'          exact 300 svmguide1 -c 64 -g 2
scaled spambase 4601 -l 0
ok 'spambase, linear'            exact 500 spambase -t 0 -c 4
ok 'spambase, RBF'               exact 500 spambase
set_of diabetes_scale 768
ok 'diabetes, linear'            exact 150 diabetes_scale -t 0
ok 'diabetes, RBF'               exact 150 diabetes_scale
set_of w8a 8000
ok 'w8a, RBF'                    exact 500 w8a -g 0.0625
ok 'w8a, weighted'               exact 500 w8a -g 0.0625 -w1 4
set_of rcv1-ccat-small 1000
ok 'rcv1, linear'                exact 200 rcv1-ccat-small -t 0
set_of ijcnn1 6000
ok 'ijcnn1, RBF'                 exact 300 ijcnn1 -g 1 -c 4
ok 'ijcnn1, by default' \
	'randsvm-train -g 1 -c 4 ijcnn1 m2 >out2 && proved out2 0.02 && svm-train -g 1 -c 4 ijcnn1 m1 >out1 &&
	close_objectives out1 out2 1e-4'
scaled madelon 600
ok 'madelon, RBF'                exact 150 madelon -g 0.015625
set_of agaricus 3000
ok 'agaricus, linear'            exact 200 agaricus -t 0
gzip -dc "$DATA/skin_nonskin.gz" | awk 'NR % 40 == 0' >raw
svm-scale raw >skin 2>scale.err
ok 'skin, RBF'                   exact 300 skin -g 4
set_of sonar 208
ok 'sonar, RBF'                  exact 60 sonar -g 0.5 -c 4

# ---- more classes ----

set_of dna 2000
ok 'dna, linear'                 exact 300 dna -t 0 -c 0.0625
ok 'dna, RBF'                    exact 300 dna -g 0.015625 -c 4
scaled satimage 3000
ok 'satimage, RBF'               exact 200 satimage -g 0.5
ok 'satimage, polynomial'        exact 200 satimage -t 1 -d 2 -g 0.25 -r 1
set_of usps 2000
ok 'usps, RBF'                   exact 200 usps -g 0.0078125 -c 8
ok 'usps, polynomial'            exact 150 usps -t 1 -g 0.0078125
set_of letter.scale 4000
ok 'letter, RBF'                 exact 100 letter.scale -g 0.5 -c 4

# ---- regression ----

for data in cpusmall space_ga cadata housing; do
	scaled $data 3000 -l 0 -y 0 1
	ok "$data, RBF"          exact_values 250 $data -g 2 -p 0.03125
done
ok 'cpusmall, linear'            exact_values 250 cpusmall -t 0 -p 0.0625
ok 'space_ga, polynomial'        exact_values 250 space_ga -t 1 -d 2 -g 1 -r 1 -p 0.03125
ok 'housing, linear'             exact_values 100 housing -t 0 -p 0.0625

# ---- a model and other data ----

gzip -dc "$T/a9a.gz" | head -n 6000 >a9a
gzip -dc "$T/a9a.t.gz" >a9a.t
ok 'a9a, 6000 rows'              exact 500 a9a
ok 'a9a.t by svm-train'"'"'s model'  'svm-predict a9a.t m1 p1 && svm-eval "$T/a9a.t.gz" m1 p2 && same_files p1 p2'
ok 'a9a.t by ours'               'svm-eval "$T/a9a.t.gz" m2 p2 && agree p1 p2 99.8'
