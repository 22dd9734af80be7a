#!/bin/sh
#
# deb.sh [--twice] - build the Debian packages of the last commit in the folder $BUILD/deb
#
# Packs a release with dist.sh, unpacks it in that folder, builds there, and has lintian look at the
# packages.  A commit that is no release gets a version that comes after the last one in
# debian/changelog.  All dates are those of the changelog or of the commit, so the same commit gives
# the same bytes.  --twice builds once more in another folder and compares.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e
BUILD=${BUILD:-build}
# the settings of the make that calls this are not those of the package
unset MAKEFLAGS MFLAGS MAKELEVEL

stop()
{
	echo "make deb: $1" >&2
	exit 1
}

# build FOLDER: build the packages of $tarball in FOLDER
build()
{
	rm -rf "$1"
	mkdir -p "$1"
	tar -x -z -C "$1" -f "$tarball"
	(
		cd "$1/randsvm-$version"
		read -r last <debian/changelog
		if [ "$last" = "${last#*("$package")}" ]; then
			{
				printf 'randsvm (%s) UNRELEASED; urgency=medium\n\n' "$package"
				printf '  * Snapshot.\n\n -- %s  %s\n\n' "$maintainer" "$date"
				cat debian/changelog
			} >debian/changelog.new
			mv debian/changelog.new debian/changelog
		fi
		dpkg-buildpackage -us -uc -b
	)
}

for tool in dpkg-buildpackage dh lintian; do
	command -v $tool >/dev/null || stop "$tool not found: install dpkg-dev, debhelper and lintian"
done
tarball=$(scripts/dist.sh | tail -n 1)
version=${tarball##*/randsvm-}
version=${version%.tar.gz}
# 0.1.0-5-gabc is 0.1.0+5.gabc in Debian, where a hyphen is something else
package=$(echo "$version" | sed 's/-/+/; s/-/./g')
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
date=$(git log -1 --format=%cD)

build "$BUILD/deb"
lintian --fail-on error --allow-root "$BUILD"/deb/*.changes
if [ "$1" = --twice ]; then
	build "$BUILD/deb-again/in-another-folder"
	for file in "$BUILD"/deb/*.deb; do
		cmp "$file" "$BUILD/deb-again/in-another-folder/${file##*/}"
	done
	echo 'both builds give the same bytes'
	rm -rf "$BUILD/deb-again"
fi
ls "$BUILD"/deb/*.deb
