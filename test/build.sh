# make: what it says where something is missing that it cannot do without.

# without the folders of the system no header is found
mkdir nothing
none="CPPFLAGS='-nostdinc -I$PWD/nothing'"
lacking() { make -C "$TOP" BUILD="$PWD/lacking" "$@" >said 2>&1; }

for package in libc6-dev libsvm-dev liblinear-dev zlib1g-dev; do
	ok "make names $package"    "! lacking $none && grep '^  $package (' said && ! grep '^  CC' said"
done
ok 'make says what installs them' \
	"! lacking $none && grep 'install.*libc6-dev libsvm-dev liblinear-dev zlib1g-dev$' said"
ok 'make without the compiler' \
	'! lacking CC=no-such-compiler && grep "^  gcc (command no-such-compiler)" said && ! grep "^  CC" said'
ok 'make without a library' \
	'! lacking BLAS=-lno-such-library && grep "no shared library in .-lno-such-library" said && ! grep "^  CC" said'
ok 'make with all that it needs'    'rm -rf lacking && lacking -n && ! grep "packages.sh make$" said'
