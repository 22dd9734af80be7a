#!/bin/sh
#
# packages.sh - find the tools and libraries that are missing, and install them
#
#     scripts/packages.sh demo|check|lint|ci
#
# Says what is missing before anything is installed, and nothing when nothing is.
# Installs with apt-get, as root or through sudo; elsewhere it prints the names and
# stops.
#
# From the environment, as the Makefile gives them: CC, CPPFLAGS, BLAS, BUILD (a folder
# for one note, see below), and WITHOUT_LIBSVM, WITHOUT_LIBLINEAR, WITHOUT_ISAL for
# what is elsewhere or not wanted.
#
# SPDX-License-Identifier: BSD-3-Clause
purpose=${1:-demo}
CC=${CC:-cc}
BLAS=${BLAS:--lopenblas}
note=${BUILD:-build}/isal-not-to-be-had

# need PACKAGE WHAT: remember a missing package
need()
{
	case " $packages " in
	*" $1 "*) ;;
	*)
		packages="$packages $1"
		list="$list  $1 ($2)
"
		;;
	esac
}

# tool COMMAND PACKAGE
tool()
{
	command -v "$1" >/dev/null 2>&1 || need "$2" "command $1"
}

# module NAME PACKAGE: one of Python's, for the first python3 or Debian's own
module()
{
	python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null ||
		need "$2" "Python module $1"
}

# The headers that are there, one word each.  Without a compiler, those in the usual places.
headers_found()
{
	if command -v "${CC%% *}" >/dev/null 2>&1; then
		# shellcheck disable=SC2086
		for h in $headers; do
			printf '#if __has_include(<%s>)\n%s\n#endif\n' "$h" "$h"
		done | $CC $CPPFLAGS -E -P -x c - 2>/dev/null
	else
		for h in $headers; do
			for d in /usr/include /usr/local/include; do
				[ -e "$d/$h" ] && echo "$h"
			done
		done
	fi
}

# header NAME PACKAGE
header()
{
	case " $found " in
	*" $1 "*) ;;
	*) need "$2" "header $1" ;;
	esac
}

library()
{
	if command -v "${CC%% *}" >/dev/null 2>&1; then
		case $($CC -print-file-name="$1") in
		*/*) return ;;
		esac
	fi
	need "$2" "library $1"
}

look()
{
	packages= list= optional=
	case ${CC%% *} in
	*clang*) tool "${CC%% *}" clang ;;
	*) tool "${CC%% *}" gcc ;;
	esac
	headers='stdio.h libsvm/svm.h svm.h linear.h zlib.h cjson/cJSON.h isa-l.h'
	# shellcheck disable=SC2046
	found=$(echo $(headers_found))
	header stdio.h libc6-dev
	case " $found " in
	*" svm.h "*) ;;
	*) [ "$WITHOUT_LIBSVM" ] || header libsvm/svm.h libsvm-dev ;;
	esac
	[ "$WITHOUT_LIBLINEAR" ] || header linear.h liblinear-dev
	header zlib.h zlib1g-dev
	header cjson/cJSON.h libcjson-dev
	case $BLAS in
	*-lopenblas*) library libopenblas.so libopenblas-dev ;;
	esac
	case " $found " in
	*" isa-l.h "*) ;;
	*) [ "$WITHOUT_ISAL" ] || optional=libisal-dev ;;
	esac
	tool gzip gzip
	case $purpose in
	demo) return ;;
	check | ci)
		# gnuplot-nox: libsvm-tools wants some gnuplot, and this is the small one
		tool svm-train libsvm-tools
		tool gnuplot gnuplot-nox
		tool python3 python3
		tool liblinear-train liblinear-tools
		tool mandoc mandoc
		tool groff groff-base
		tool cmp diffutils
		;;
	esac
	case $purpose in
	lint)
		tool clang-tidy clang-tidy
		tool cppcheck cppcheck
		tool mandoc mandoc
		;;
	ci)
		tool clang clang
		tool clang-format clang-format
		tool git git
		tool autoconf autoconf
		tool mmdebstrap mmdebstrap
		tool unshare util-linux
		module sklearn python3-sklearn
		;;
	esac
}

# apt PACKAGE...: install; the list of packages is fetched only if it seems to be too old
apt()
{
	# shellcheck disable=SC2086
	set -- $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
		--no-install-recommends install "$@"
	"$@" >"$log" 2>&1 && return
	$sudo apt-get -q update >"$log" 2>&1
	"$@" >"$log" 2>&1
}

stop()
{
	echo "packages.sh: $1" >&2
	exit 1
}

look
[ -z "$packages$optional" ] && exit 0

can_install=
sudo=
if command -v apt-get >/dev/null 2>&1; then
	if [ "$(id -u)" = 0 ]; then
		can_install=yes
	elif command -v sudo >/dev/null 2>&1; then
		can_install=yes sudo=sudo
	fi
fi

# libisal-dev only makes reading gzip faster: ask nobody for a password for its sake
# alone, and do not try again where it could not be had.
if [ -z "$packages" ]; then
	if [ -z "$can_install" ] || [ "$sudo" ] || [ -e "$note" ]; then
		exit 0
	fi
fi

if [ "$packages" ]; then
	printf 'For "make %s" these packages are missing (Debian names):\n%s' "$purpose" "$list"
fi
if [ -z "$can_install" ]; then
	if command -v apt-get >/dev/null 2>&1; then
		stop "not root and no sudo; as root run: apt-get install$packages"
	fi
	stop "no apt-get here; install these with your package manager:$packages"
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
if [ "$packages" ]; then
	echo "Installing them, which can take some minutes: ${sudo:+sudo }apt-get install$packages"
	# shellcheck disable=SC2086
	if ! apt $packages; then
		tail -n 20 "$log" >&2
		stop "apt-get could not install$packages"
	fi
fi
if [ "$optional" ] && [ ! -e "$note" ]; then
	echo "Installing $optional, which is optional (gzip files are read faster)"
	if ! apt $optional; then
		echo "$optional is not to be had; going on without it"
		mkdir -p "${note%/*}" && : >"$note"
	fi
fi

look
[ -z "$packages" ] || stop "installed, but still not found:
$list"
