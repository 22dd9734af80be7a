# A release: the version is the same wherever it is written.

# the number in VERSION; a snapshot has more behind it, such as 0.1.0-5-gabc123
read -r version <"$TOP/VERSION"
version=${version%-*-g*}

# says NAME FILE PATTERN: the first match of the sed pattern in FILE is the version
says()
{
	local found
	found=$(sed -n -E "s/$2/\1/p" "$1" | head -n 1)
	echo "$1: '$found', not $version"
	[ "$found" = "$version" ]
}
ok 'NEWS'                 says "$TOP/NEWS" '^randsvm ([^ ]*)$'
ok 'CITATION.cff'         says "$TOP/CITATION.cff" '^version: (.*)$'
ok 'debian/changelog'     says "$TOP/debian/changelog" '^randsvm \(([^)+]*).*$'
for page in "$TOP"/man/*.[157]; do
	ok "${page##*/}"          says "$page" '^\.TH .* "randsvm ([^"]*)" .*$'
done
command -v git >/dev/null && tag=$(git -C "$TOP" describe --exact-match --match 'v[0-9]*' 2>/dev/null) &&
	ok "tag $tag"             [ "$tag" = "v$version" ]
# the soname is that of the package, which lists its functions
soname=$(sed -n 's/^SONAME *= *//p' "$TOP/Makefile")
package=librandsvm${soname##*.}
ok 'package of the soname' \
	'grep -x "Package: $package" "$TOP/debian/control" && grep -F "/$soname" "$TOP/debian/$package.install" &&
	head -n 1 "$TOP/debian/$package.symbols" | grep -x "$soname $package #MINVER#"'
ok 'its functions' \
	'diff <(sed -n -E "s/^\t(rsv_.*);/\1/p" "$TOP/api/randsvm.map") \
	<(sed -n -E "s/^ (rsv_[^@]*)@.*/\1/p" "$TOP/debian/$package.symbols")'
