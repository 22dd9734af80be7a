# The pages of `make html`: they are made, every link leads somewhere, and a browser shows them.

need mandoc cmark-gfm python3

check_pages() { python3 "$TOP/test/pages.py" "$@"; }

ok 'make html'                              '"$TOP/scripts/pages.sh" "$PWD/html" | grep -x "$PWD/html/index.html"'
ok 'a page for each man page and each file of doc/' \
	'for page in "$TOP"/man/*.[157]; do [ -s html/${page##*/}.html ] || { echo "$page"; false; } || exit; done
	for page in "$TOP"/doc/*.md; do page=${page##*/}; [ -s html/${page%.md}.html ] || { echo "$page"; false; } || exit; done'
ok 'links, anchors and tags'                check_pages links html
ok 'nothing but text, pictures and one style' \
	'! ls html | grep -v -E "\.(html|svg|tsv|mk|yaml|h|cff)$|^(COPYING|NEWS|style\.css)$" &&
	! grep -l -i "<script\|@import\|url(" html/*.html html/style.css'
fail 1 'its Debian package is cmark-gfm'    'mkdir bare && for tool in dirname sh; do ln -s "$(command -v $tool)" bare; done
	PATH=$PWD/bare sh "$TOP/scripts/pages.sh" html'

# ---- what the checks find ----

# spoilt SED FILE: the pages with a change of one of them
spoilt()
{
	rm -rf spoilt && cp -r html spoilt && sed -i -E "$1" "spoilt/$2" && ! cmp -s "html/$2" "spoilt/$2"
}
fail 1 'features.html: no nowhere.html'     'spoilt "s#theorems\.html#nowhere.html#" features.html && check_pages links spoilt'
fail 1 'index.html: no #nowhere in'         'spoilt "s#(href=\"[a-z.]*)(\.html)\"#\1\2\#nowhere\"#" index.html && check_pages links spoilt'
fail 1 'never closed'                       'spoilt "s#</main>##" index.html && check_pages links spoilt'
fail 1 '<img> of http'                      'spoilt "s#src=\"#src=\"http://localhost/#" index.html && check_pages links spoilt'

# ---- in a browser ----

for browser in chromium chromium-browser google-chrome; do
	command -v $browser >/dev/null && break
	browser=
done
if [ -z "$browser" ]; then
	skip 'Chromium is not installed'
	finish
fi
ok 'pages at 360 and 1400 pixels'           check_pages browse "$browser" html
# one page alone, for speed
one_page() { spoilt "$1" "$2" && mkdir -p one && rm -f one/* && cp spoilt/"$2" spoilt/*.svg spoilt/style.css one && check_pages browse "$browser" one; }
fail 1 'pixels too wide'                    one_page 's#<main>#<main><p style="width:500px">wide</p>#' training.html
fail 1 'on the console'                     one_page 's#<main>#<main><script>console.log(1)</script>#' training.html
fail 1 'asks for http://localhost'          one_page 's#<main>#<main><img alt="" src="http://localhost:9/a.png">#' training.html
fail 1 'contrast'                           one_page 's#<main>#<main style="color:red"><style>body { color: \#777 }</style>#' training.html
