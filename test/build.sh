# make: what it says where something is missing that it cannot do without.

# without the folders of the system no header is found
mkdir nothing
none="CPPFLAGS='-nostdinc -I$PWD/nothing'"
lacking() { make -C "$TOP" BUILD="$PWD/lacking" "$@" >said 2>&1; }

for package in libc6-dev zlib1g-dev; do
	ok "make names $package"    "! lacking $none && grep '^  $package (' said && ! grep '^  CC' said"
done
ok 'make says what installs them' \
	"! lacking $none && grep 'install libc6-dev zlib1g-dev$' said"
ok '... and what can be done without, at what cost' \
	"! lacking $none && grep '^Not found.*apt-get install libsvm-dev liblinear-dev libisal-dev' said &&
	grep '^  liblinear-dev (header linear.h): fs-select -m l1 is refused$' said"
ok 'make without the compiler' \
	'! lacking CC=no-such-compiler && grep "^  gcc (command no-such-compiler)" said && ! grep "^  CC" said'
ok 'make without a library' \
	'! lacking BLAS=-lno-such-library && grep "no shared library in .-lno-such-library" said && ! grep "^  CC" said'
ok 'make with all that it needs' \
	'rm -rf lacking && lacking "$PWD/lacking/libraries.h" && ! grep -E "^  lib(svm|linear|openblas)" said'
ok 'make without what is not wanted' \
	'rm -rf lacking && lacking HAVE_LIBSVM=no HAVE_LIBLINEAR=no HAVE_BLAS=no HAVE_ISAL=no "$PWD/lacking/libraries.h" &&
	! grep "^Not found" said && [ "$(tail -n +2 lacking/libraries.h)" = "#define BLAS_FILES NULL" ]'

# ---- ./configure in another folder ----

if command -v autoconf >/dev/null && [ -w "$TOP" ]; then
	mkdir source elsewhere
	(cd source && cp "$TOP/configure.ac" "$TOP/config.mk.in" "$TOP/VERSION" "$TOP/version.sh" "$TOP/Makefile" . &&
		cp -r "$TOP/scripts" . && autoconf) || return
	ok 'configure without what can be missing' \
		'cd elsewhere && env -u CFLAGS ../source/configure --without-libsvm --without-liblinear --without-blas --without-isal --without-mpi --includedir=/x >said &&
		[ "$(grep -c "^HAVE_[A-Z]* *= no" config.mk)" = 5 ] && grep "^includedir *= /x" config.mk'
	ok 'its Makefile builds there' \
		'cd elsewhere && make "$PWD/build/libraries.h" && grep "BLAS_FILES NULL" build/libraries.h && [ ! -e ../source/build ]'
	ok 'a compiler for another machine is not this one' \
		'cd elsewhere && ! env -u CC -u CFLAGS ../source/configure --host=nothing-linux-gnu >said 2>&1 && grep "compiles for .*, not for nothing-linux-gnu" said'
	ok 'CROSS=yes: nothing that is built is run' \
		'! make -C source CROSS=yes check-built >said 2>&1 && grep "builds for another machine" said &&
		! make -C source CROSS=yes -n install | grep -e --completion'
else
	skip 'no autoconf'
fi
