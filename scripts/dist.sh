#!/bin/sh
#
# dist.sh - pack the last commit as $BUILD/randsvm-VERSION.tar.gz, with a generated ./configure
#
# The same commit always gives the same bytes.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e
BUILD=${BUILD:-build}

[ -e .git ] || { echo 'make dist: only in a git checkout' >&2; exit 1; }
command -v autoconf >/dev/null || { echo 'make dist: autoconf not found: install autoconf' >&2; exit 1; }

full=$(./version.sh)
version=${full%-dirty}
[ "$full" = "$version" ] || echo 'make dist: uncommitted changes are not packed' >&2

name=randsvm-$version
mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/dist.XXXXXX")
trap 'rm -rf "$work"' EXIT

git archive --format=tar --prefix="$name/" HEAD | tar -x -C "$work" -f -
echo "$version" >"$work/$name/VERSION"
(cd "$work/$name" && autoconf && rm -rf autom4te.cache)
tar -C "$work" --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 \
	--numeric-owner -c -f - "$name" | gzip -9 -n >"$work/$name.tar.gz"
mv "$work/$name.tar.gz" "$BUILD/"
echo "$BUILD/$name.tar.gz"
