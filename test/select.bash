# select.bash - what the tests of fs-select share: data, methods, and a list without its heading
#
# SPDX-License-Identifier: BSD-3-Clause
. "$TOP/test/helpers.bash"

usage='Usage: fs-select [options] [training_set_file [output_file]]'
methods='bss approx-bss leverage approx-leverage top rrqr rfe rmb lpsvm l1 t f uniform'

# the features of --list, without the heading; else the program as it is
fs-select()
{
	case " $* " in
	*' --list '*) command fs-select "$@" | sed '/^#/d'; return "${PIPESTATUS[0]}" ;;
	*) command fs-select "$@" ;;
	esac
}

gzip -dc "$T/a1a.gz" >a1a
gzip -dc "$T/heart_scale.gz" >heart
three=$T/three_class sinc=$T/sinc
svm-gen relevant -n 10 -d 30 -k 3 --seed 4 short
svm-gen relevant -n 40 -d 12 -k 3 --seed 4 tall
