#!/bin/sh
#
# packages.sh - find the tools and libraries that are missing, and install them
#
#     scripts/packages.sh make|demo|check|check-all|html|lint|deb|ci
#
# Prints the missing packages before it installs them, and prints nothing if none is missing.  For
# `make` alone it installs nothing: it prints the command that does, and stops where nothing can be
# compiled.  LIBSVM, LIBLINEAR, OpenBLAS and ISA-L can be done without: it says what each absence costs.
# Installs with apt-get, as root or through sudo.  Without apt-get, root or sudo it prints the names
# of the packages and stops.
#
# The Makefile sets these environment variables: CC, CPPFLAGS, BLAS; BUILD, the folder of a note
# that a package that can be done without could not be installed; and WITHOUT_LIBSVM,
# WITHOUT_LIBLINEAR, WITHOUT_BLAS, WITHOUT_ISAL, for libraries that are in another place or not wanted.
#
# SPDX-License-Identifier: BSD-3-Clause
purpose=${1:-demo}
CC=${CC:-cc}
BLAS=${BLAS:--lopenblas}
note=${BUILD:-build}/packages-not-to-be-had

# need PACKAGE WHAT: remember PACKAGE as missing, because WHAT is not found
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

# tool COMMAND PACKAGE: need PACKAGE if COMMAND is not found
tool()
{
	command -v "$1" >/dev/null 2>&1 || need "$2" "command $1"
}

# module NAME PACKAGE: need PACKAGE if neither the first python3 nor Debian's has the module NAME
module()
{
	python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null ||
		need "$2" "Python module $1"
}

# headers_found: print those of $headers that the compiler finds; without a compiler, those in the
# usual folders
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

# wish PACKAGE WHAT COST: remember PACKAGE as missing; tests need it, other purposes pay the cost
wish()
{
	case $purpose:$1 in
	make:* | demo:* | *:libisal-dev)
		optional="$optional $1"
		wishes="$wishes  $1 ($2): $3
"
		;;
	*) need "$1" "$2" ;;
	esac
}

# header NAME PACKAGE [COST]: need PACKAGE, or wish it, if the header NAME is not found
header()
{
	case " $found " in
	*" $1 "*) ;;
	*) if [ "$3" ]; then wish "$2" "header $1" "$3"; else need "$2" "header $1"; fi ;;
	esac
}

# library NAME PACKAGE COST: wish PACKAGE if the compiler does not find the library
library()
{
	if command -v "${CC%% *}" >/dev/null 2>&1; then
		case $($CC -print-file-name="$1") in
		*/*) return ;;
		esac
	fi
	wish "$2" "library $1" "$3"
}

look()
{
	packages= list= optional= wishes=
	case $purpose in
	html | check-all | deb | ci)
		tool mandoc mandoc
		tool cmark-gfm cmark-gfm
		;;
	esac
	[ "$purpose" != html ] || return 0
	case ${CC%% *} in
	*clang*) tool "${CC%% *}" clang ;;
	*) tool "${CC%% *}" gcc ;;
	esac
	headers='stdio.h libsvm/svm.h svm.h linear.h zlib.h isa-l.h'
	# shellcheck disable=SC2046
	found=$(echo $(headers_found))
	header stdio.h libc6-dev
	header zlib.h zlib1g-dev
	case " $found " in
	*" svm.h "*) ;;
	*) [ "$WITHOUT_LIBSVM" ] || header libsvm/svm.h libsvm-dev \
		'--mode direct and reweight are refused, and there is no make shim' ;;
	esac
	[ "$WITHOUT_LIBLINEAR" ] || header linear.h liblinear-dev 'fs-select -m l1 is refused'
	case $WITHOUT_BLAS$BLAS in
	-lopenblas) library libopenblas.so libopenblas-dev \
		'components, landmarks, choices of features and searches take longer' ;;
	esac
	[ "$WITHOUT_ISAL" ] || header isa-l.h libisal-dev 'gzip files are read slower'
	[ "$purpose" != make ] || return 0
	tool gzip gzip
	case $purpose in
	demo) return ;;
	check | check-all | ci)
		# libsvm-tools depends on a gnuplot package; gnuplot-nox is the smallest
		tool svm-train libsvm-tools
		tool gnuplot gnuplot-nox
		tool liblinear-train liblinear-tools
		tool python3 python3
		tool cmp diffutils
		;;
	esac
	case $purpose in
	check-all | ci)
		tool groff groff-base
		tool parallel parallel
		tool socat socat
		tool zsh zsh
		tool pkg-config pkgconf
		module yaml python3-yaml
		module jsonschema python3-jsonschema
		;;
	esac
	case $purpose in
	deb | ci)
		tool autoconf autoconf
		tool dpkg-buildpackage dpkg-dev
		tool dh debhelper
		tool dh_python3 dh-python
		tool lintian lintian
		tool mpicc mpi-default-dev
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
		tool musl-gcc musl-tools
		tool c++ g++
		tool clang-format clang-format
		tool fish fish
		tool git git
		tool mpirun mpi-default-bin
		tool mmdebstrap mmdebstrap
		tool unshare util-linux
		module sklearn python3-sklearn
		module pytest python3-pytest
		module pip python3-pip
		module ensurepip python3-venv
		module svmutil python3-libsvm
		perl -MAlgorithm::SVM -e 1 2>/dev/null ||
			need libalgorithm-svm-perl 'Perl module Algorithm::SVM'
		;;
	esac
}

# apt PACKAGE...: install; if that fails, fetch the list of packages anew and try once more
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

if [ "$purpose" = make ] && [ "$optional" ]; then
	printf 'Not found, and done without (Debian names; %sapt-get install%s):\n%s' \
		"${sudo:+sudo }" "$optional" "$wishes"
fi
# Do not ask for a password for what can be done without, nor try again what could not be installed.
if [ -z "$packages" ]; then
	if [ "$purpose" = make ] || [ -z "$can_install" ] || [ "$sudo" ] || [ -e "$note" ]; then
		exit 0
	fi
fi

if [ "$packages" ]; then
	case $purpose in
	make) command='make' ;;
	*) command="make $purpose" ;;
	esac
	printf 'For "%s" these packages are missing (Debian names):\n%s' "$command" "$list"
fi
if [ -z "$can_install" ]; then
	if command -v apt-get >/dev/null 2>&1; then
		stop "not root and no sudo; as root run: apt-get install$packages"
	fi
	stop "no apt-get here; install these with your package manager:$packages"
fi
if [ "$purpose" = make ]; then
	stop "this command installs them: ${sudo:+sudo }apt-get install$packages"
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
	printf 'Installing what can be done without:\n%s' "$wishes"
	# shellcheck disable=SC2086
	if ! apt $optional; then
		echo "not to be had; going on without:$optional"
		mkdir -p "${note%/*}" && : >"$note"
	fi
fi

look
[ -z "$packages" ] || stop "installed, but still not found:
$list"
