# example.mk - how good is a chain of programs on new rows?  A nested cross validation with make
#
#     make -s -f example.mk DATA=heart_scale.gz          measures of the whole chain; -j4 works
#     make -s -f example.mk DATA=heart_scale.gz chosen   how many folds chose each feature
#     make -s -f example.mk DATA=heart_scale.gz model    the chain for later rows, from all rows
#
# The chain chooses K features and trains a linear SVM with the parameter C.  Nothing in it may see
# the rows that it is tested by: neither the choice of features nor the choice of K and C.  So each
# outer fold has a search of its own, in inner folds of its training part:
#
#     DATA --svm-fold--> F/train --svm-fold--> inner parts --fs-select, randsvm-train--> F/I.inner
#                  \                  F/I.inner of all I --> F/best, the K and C of most merit
#                   \   F/train, F/best --fs-select, randsvm-train--> F/chosen, F/model
#                    +-> F/test, F/chosen, F/model --fs-select -r, svm-eval--> F/predicted
#     F/predicted of all F --svm-eval --measure--> measures
#
# Where no features are chosen and only parameters are searched, `randsvm-grid --nested 5` does all
# of this alone, and with --by-qid keeps rows together as SPLIT does below.
#
# Results are in work/; an interrupted make goes on where it stopped, and one with other settings
# begins anew.  Settings, on the command line or below:
#
#     SPLIT=--by-qid    keeps rows that belong together in one fold, outer and inner, such as the
#                       samples of a patient: write qid:P with the number P of the patient behind
#                       each label, as in "1 qid:7 3:0.5" (svm-convert --group does); all programs
#                       hand it on; SPLIT='--by-qid --stratified' looks at the classes too
#     SEED=2            other folds
#     SCALE=1           brings features to a RANGE first, which each fold learns from its training
#                       part alone; RANGE='-l 0' keeps the zeros of data without negative values
#     TRAIN='randsvm-train -q -t 0 -s 3' SELECT='fs-select -q -m rfe --regression' SPLIT=
#                       a regression
#     SELECT='fs-select -q -m rfe --names FILE'   shows names in F/chosen and in "make chosen"
#     SELECT='rp-project -q' APPLY='rp-project -q'   projects instead of choosing features
#     SCORES=--scores   adds the AUC, where the classes are 1 and -1; decision values of other
#                       classes may change their sign from fold to fold
#
# SPDX-License-Identifier: BSD-3-Clause
DATA     = heart_scale.gz
FOLDS    = 1 2 3 4 5
INNER    = 1 2 3
FEATURES = 3 6 9
COSTS    = 0.1 1 10
SELECT   = fs-select -q -m rfe
APPLY    = fs-select -q
TRAIN    = randsvm-train -q -t 0
SPLIT    = --stratified
SEED     = 1
SCALE    =
RANGE    = -l -1 -u 1
SCORES   =
W        = work

SETTINGS = DATA FOLDS INNER FEATURES COSTS SELECT APPLY TRAIN SPLIT SEED SCALE RANGE SCORES

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec
.ONESHELL:
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.PHONY: all chosen model clean always

all: $W/measures
	cat $<

# Everything depends on this file, which is written only if the settings are others.
$W/settings: export text = $(foreach s,$(SETTINGS),$s = $($s);)
$W/settings: always
	mkdir -p $W
	printf '%s\n' "$$text" | cmp -s - $@ || printf '%s\n' "$$text" >$@

# Without SCALE these do nothing, and S is empty.  In F and in the inner parts of F:
#     train --learn--> train.scaled, ranges        test, ranges --scale--> test.scaled
S = $(if $(SCALE),.scaled)
learn = $(if $(SCALE),rp-project -q -m scale $(RANGE) -s $1/ranges $1/train $1/train$S)
scale = $(if $(SCALE),rp-project -q -r $1/ranges $1/test $1/test$S)

# ---- outer folds ----

fold = svm-fold --seed $(SEED) $(SPLIT)

# what there is to say of the folds is said once
$W/%/train: $(DATA) $W/settings
	mkdir -p $(@D)
	$(fold) $(if $(filter $(firstword $(FOLDS)),$*),,-q) -v $(words $(FOLDS)) -f $* --train $< $@

$W/%/test: $(DATA) $W/settings
	mkdir -p $(@D)
	$(fold) -q -v $(words $(FOLDS)) -f $* --test $< $@

# the chain, with the K and C that were best inside the training part; the map appears last
$W/%/chosen: $W/%/train $W/%/best
	read -r k c <$W/$*/best
	$(call learn,$W/$*)
	$(SELECT) -k $$k -s $@.tmp $<$S | $(TRAIN) -c $$c - $W/$*/model
	mv $@.tmp $@

$W/%/predicted: $W/%/test $W/%/chosen
	$(call scale,$W/$*)
	$(APPLY) -r $W/$*/chosen $<$S | svm-eval -q --with-labels $(SCORES) - $W/$*/model $@

# the predictions of all test parts, with one heading, are one for each row of DATA
$W/measures: $(FOLDS:%=$W/%/predicted)
	awk 'NR == 1 { head = $$0; print }
	     FNR > 1 { print }
	     FNR == 1 && $$0 != head { print "the folds have other columns" >"/dev/stderr"; exit 1 }
	    ' $^ >$W/predicted
	svm-eval --measure $W/predicted --report $W/measures.json >$@

# ---- the search, inside a training part ----

# the merit in the lines of svm-eval: how many rows are right, or the mean squared error times -1
merit = sed -n 's/^Accuracy.*(\([0-9]*\)\/.*/\1/p; s/^Mean squared error = \([0-9][^ ]*\).*/-\1/p'

# F/I.inner: a line "K C MERIT" for each K and C, where $(*D) is F and $(*F) is I
$W/%.inner: $W/$$(*D)/train
	d=$W/$(*D)/inner$(*F)
	mkdir -p $$d
	for part in train test; do
	    $(fold) -q -v $(words $(INNER)) -f $(*F) --$$part $< $$d/$$part
	done
	$(call learn,$$d)
	$(call scale,$$d)
	for k in $(FEATURES); do
	    $(SELECT) -k $$k -s $$d/chosen $$d/train$S $$d/train.$$k
	    $(APPLY) -r $$d/chosen $$d/test$S $$d/test.$$k
	    for c in $(COSTS); do
	        $(TRAIN) -c $$c $$d/train.$$k $$d/model
	        merit=$$(svm-eval $$d/test.$$k $$d/model | $(merit))
	        echo "$$k $$c $${merit:?svm-eval prints neither accuracy nor mean squared error}"
	    done
	done >$@

# of several that are equally good the first: few features, a small C
$W/%/best: $$(foreach i,$(INNER),$W/$$*/$$i.inner)
	cat $^ | awk '
	    { p = $$1 " " $$2; if (!(p in merit)) order[++n] = p; merit[p] += $$3 }
	    END {
	        best = order[1]
	        for (i = 2; i <= n; i++) if (merit[order[i]] > merit[best]) best = order[i]
	        print best
	    }' >$@

# ---- what else is asked for ----

# how many folds chose a feature, the feature, and its name if the selection has one; features that
# all folds choose are there for a reason
chosen: $(FOLDS:%=$W/%/chosen)
	if ! grep -q '^randsvm-selection' $<; then
	    echo "SELECT chooses no features: $^ are maps"
	    exit
	fi
	grep -h '^[0-9]' $^ | cut -d ' ' -f 1,4- | sort | uniq -c | sort -k 1,1nr -k 2,2n

# all rows are the training part
$W/all/train: $(DATA) $W/settings
	mkdir -p $(@D)
	$(if $(filter %.gz,$(DATA)),gzip -dc,cat) $< >$@

model: $W/all/chosen
	echo "K and C: $$(cat $W/all/best)"
	new="$(if $(SCALE),rp-project -q -r $W/all/ranges NEW_ROWS | $(APPLY),$(APPLY))"
	echo "$$new -r $W/all/chosen$(if $(SCALE),, NEW_ROWS) | svm-eval - $W/all/model"

clean:
	rm -rf $W
