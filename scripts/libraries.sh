#!/bin/sh
#
# libraries.sh - print a header with the names of the shared libraries that are loaded at run time
#
#     scripts/libraries.sh NAME FLAGS [NAME FLAGS]...
#
# FLAGS are linker flags such as -lsvm or /opt/libsvm/libsvm.so.3.  For each pair it prints
#
#     #define NAME_FILES "libsvm.so.3"
#
# with the files for dlopen(3), separated by commas: those given by their path, and those that a
# program which is linked with the flags asks for by name; or NULL where FLAGS are empty, for a library
# that is to be done without.  From the environment: CC, LDFLAGS.
#
# SPDX-License-Identifier: BSD-3-Clause
CC=${CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# by_path FLAG...: the shared libraries among the flags, each as an absolute path
by_path()
{
	for flag in "$@"; do
		case $flag in
		-*) ;;
		*.so | *.so.*) echo "$(cd "$(dirname "$flag")" && pwd)/${flag##*/}" ;;
		esac
	done
}

# by_name FLAG...: what the linked program needs, but for the C and C++ libraries
by_name()
{
	echo 'int main(void) { return 0; }' >"$work/empty.c"
	# shellcheck disable=SC2086 # CC and LDFLAGS are words
	$CC $LDFLAGS -o "$work/empty" "$work/empty.c" -Wl,--no-as-needed "$@" >&2 || return
	readelf -d "$work/empty" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -v -E '^(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+|ld-linux[^.]*)\.so'
}

echo '/* made by make: the shared libraries that are loaded at run time */'
while [ $# -gt 1 ]; do
	if [ -z "$2" ]; then
		printf '#define %s_FILES NULL\n' "$1"
		shift 2
		continue
	fi
	# shellcheck disable=SC2086 # flags are words
	files=$(by_path $2)
	# shellcheck disable=SC2086
	[ "$files" ] || files=$(by_name $2)
	if [ -z "$files" ]; then
		echo "libraries.sh: no shared library in '$2'" >&2
		exit 1
	fi
	printf '#define %s_FILES %s\n' "$1" "$(echo "$files" | sed 's/.*/"&"/' | paste -s -d , -)"
	shift 2
done
