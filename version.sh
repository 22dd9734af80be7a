#!/bin/sh
#
# version.sh - print the version of this source tree
#
# In a git checkout: the nearest tag v* and what came after it, as git describe
# says; without such a tag the number in VERSION, the count of commits and the
# last one (0.1.0-5-gabc123).  "-dirty" follows when tracked files were changed.
# Elsewhere (a release): what VERSION says.
#
# SPDX-License-Identifier: BSD-3-Clause
cd "$(dirname "$0")" || exit 1
read -r number <VERSION || exit 1

describe()
{
	[ -e .git ] || return 1
	described=$(git describe --tags --always --dirty --match 'v[0-9]*' 2>/dev/null) || return 1
	case $described in
	v*) echo "${described#v}" ;;
	*) echo "$number-$(git rev-list --count HEAD)-g$described" ;;
	esac
}

describe || echo "$number"
