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
#                  \                  F/I.inner of all I --> F/best, the K and C with most right
#                   \   F/train, F/best --fs-select, randsvm-train--> F/chosen, F/model
#                    +-> F/test, F/chosen, F/model --fs-select -r, svm-eval--> F/predicted
#     F/predicted of all F --svm-eval --measure--> measures
#
# Results are in work/; an interrupted make goes on where it stopped.  Change a setting only after
# `make -f example.mk clean`.  To project instead of choosing features, say SELECT='rp-project -q'
# and APPLY='rp-project -q'.  Where the classes are 1 and -1, SCORES=--scores adds the AUC; decision
# values of other classes may change their sign from fold to fold.
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
SCORES   =
W        = work

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec
.ONESHELL:
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.PHONY: all chosen model clean

all: $W/measures
	cat $<

# ---- outer folds ----

$W/%/train: $(DATA)
	mkdir -p $(@D)
	svm-fold -v $(words $(FOLDS)) -f $* --train --stratified $< $@

$W/%/test: $(DATA)
	mkdir -p $(@D)
	svm-fold -v $(words $(FOLDS)) -f $* --test --stratified $< $@

# the chain, with the K and C that were best inside the training part; the map appears last
$W/%/chosen: $W/%/train $W/%/best
	read -r k c <$W/$*/best
	$(SELECT) -k $$k -s $@.tmp $< | $(TRAIN) -c $$c - $W/$*/model
	mv $@.tmp $@

$W/%/predicted: $W/%/test $W/%/chosen
	$(APPLY) -r $W/$*/chosen $< | svm-eval -q --with-labels $(SCORES) - $W/$*/model $@

# the predictions of all test parts, with one heading, are one for each row of DATA
$W/measures: $(FOLDS:%=$W/%/predicted)
	awk 'NR == 1 { head = $$0; print }
	     FNR > 1 { print }
	     FNR == 1 && $$0 != head { print "the folds have other columns" >"/dev/stderr"; exit 1 }
	    ' $^ >$W/predicted
	svm-eval --measure $W/predicted --report $W/measures.json >$@

# ---- the search, inside a training part ----

# F/I.inner: a line "K C RIGHT" for each K and C, where $(*D) is F and $(*F) is I
$W/%.inner: $W/$$(*D)/train
	d=$W/$(*D)/inner$(*F)
	mkdir -p $$d
	for part in train test; do
	    svm-fold -v $(words $(INNER)) -f $(*F) --$$part --stratified $< $$d/$$part
	done
	for k in $(FEATURES); do
	    $(SELECT) -k $$k -s $$d/chosen $$d/train $$d/train.$$k
	    $(APPLY) -r $$d/chosen $$d/test $$d/test.$$k
	    for c in $(COSTS); do
	        $(TRAIN) -c $$c $$d/train.$$k $$d/model
	        echo "$$k $$c $$(svm-eval $$d/test.$$k $$d/model)"
	    done
	done | sed 's/Accuracy.*(\([0-9]*\)\/.*/\1/' >$@

# of several that are equally good the first: few features, a small C
$W/%/best: $$(foreach i,$(INNER),$W/$$*/$$i.inner)
	cat $^ | awk '
	    { p = $$1 " " $$2; if (!(p in right)) order[++n] = p; right[p] += $$3 }
	    END {
	        best = order[1]
	        for (i = 2; i <= n; i++) if (right[order[i]] > right[best]) best = order[i]
	        print best
	    }' >$@

# ---- what else is asked for ----

# of a selection; features that all folds choose are there for a reason
chosen: $(FOLDS:%=$W/%/chosen)
	grep -h '^[0-9]' $^ | cut -d ' ' -f 1 | sort -n | uniq -c | sort -k 1,1nr -k 2,2n

# all rows are the training part
$W/all/train: $(DATA)
	mkdir -p $(@D)
	$(if $(filter %.gz,$(DATA)),gzip -dc,cat) $< >$@

model: $W/all/chosen
	echo "K and C: $$(cat $W/all/best)"
	echo "$(APPLY) -r $W/all/chosen NEW_ROWS | svm-eval - $W/all/model"

clean:
	rm -rf $W
