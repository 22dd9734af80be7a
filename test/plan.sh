# What --verbose tells of the plan of a training: four decisions, each with its reason.

. "$TOP/test/helpers.bash"

gzip -dc "$T/heart_scale.gz" >heart
svm-gen checkerboard -n 6000 board
cp "$T/three_class" .

# plans WAY OPTION...: the four lines, one of them like WAY (a pattern)
plans()
{
	local way=$1
	shift
	randsvm-train -q --verbose --threads 1 "$@" m 2>err || return
	[ "$(grep -cE '^randsvm-train: (solver|kernel values|precision|order of examples): .+ \(.+\)$' err)" = 4 ] &&
		grep -E "$way" err
}

ok 'all examples at once'            plans 'solver: all examples at once \(' heart
ok 'working sets'                    plans 'solver: random working sets that grow' --sample 60 heart
ok 'weights'                         plans 'solver: weights .*kernel is linear' -t 0 heart
ok 'as published'                    plans 'solver: .*as published' --mode paper --sample 60 heart
ok 'a budget'                        plans 'solver: .*limited size' --mode budget --budget 50 heart
ok "LIBSVM's steps"                  plans 'solver: .*steps .*indefinite' -t 3 heart
ok 'by class, as LIBSVM has it'      plans 'order of examples: by class .*indefinite' -t 3 heart
ok 'neighbours together'             plans 'order of examples: neighbours' -g 1000 board
ok 'a matrix of the only pair'       plans 'kernel values: the matrix of all examples' heart
ok 'no matrix without room'          plans 'kernel values: computed .*no room' -m 0.1 heart
ok 'values that pairs share'         plans 'kernel values: those within each class' three_class
ok 'a matrix that pairs share'       plans 'kernel values: .*all pairs .*too coarse' -c 1e7 three_class
ok 'doubles for a large C'           plans 'precision: double .*C is too large' -c 1e7 heart
ok 'floats for a small one'          plans 'precision: single' heart
ok 'once in a cross validation' \
	'[ "$(randsvm-train -q --verbose -v 3 heart 2>&1 | grep -c "^randsvm-train: solver: ")" = 1 ]'
ok 'nothing without --verbose'       streams 0 '' '' randsvm-train -q heart m
