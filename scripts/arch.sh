#!/bin/bash
#
# arch.sh ARCH [NAME...] - build for another architecture, and run tests there, in emulation
#
#     make check-arch ARCH=s390x        big endian, 64 bits
#     make check-arch ARCH=i386         32 bits, whose doubles are in SSE2's registers
#     make check-arch ARCH=arm64        fused multiply-add, characters without a sign
#     make check-arch ARCH=riscv64      a NaN of other bits
#
# mmdebstrap unpacks a root of the architecture, with the libraries and nothing installed, in
# $BUILD-ARCH.root; Debian's cross compiler builds programs and unit tests with it in $BUILD-ARCH, with
# warnings as errors; qemu-user runs them, through WRAP of test/run.  The tests named, or else those of
# `default` below: unit tests of what depends on sizes and orders of bytes, and the checksums of all
# bytes that are promised on any machine (test/bytes.sh).  Emulated, these take some ten minutes.
#
# From the environment: BUILD; CCACHE, a command in front of the compiler.  The last line is "N passed,
# N failed".
#
# SPDX-License-Identifier: BSD-3-Clause
cd "$(dirname "$0")/.." || exit 1

architecture=$1
shift
compiler='' suite=bookworm link_root=''
case $architecture in
s390x) triplet=s390x-linux-gnu qemu=s390x ;;
arm64) triplet=aarch64-linux-gnu qemu=aarch64 ;;
# Debian 12 has no packages of it; those of 13 have a newer C library than the cross compiler's
riscv64) triplet=riscv64-linux-gnu qemu=riscv64 suite=trixie link_root=yes ;;
i386) triplet=i386-linux-gnu qemu=i386 compiler=i686-linux-gnu ;;
*)
	echo 'arch.sh: ARCH is s390x, arm64, riscv64 or i386' >&2
	exit 1
	;;
esac
compiler=${compiler:-$triplet}
build=${BUILD:-build}-$architecture
root=$(pwd)/$build.root

default='bytes gen fold unit/base unit/matrix unit/svmlight_read unit/svmlight_write unit/decimal unit/decimal_32
	unit/binary unit/mapfile unit/projection unit/hadamard unit/fourier unit/model unit/input unit/output
	unit/order unit/sizes unit/selection_map unit/checkpoint unit/rows unit/certificate unit/smo unit/float'

for program in mmdebstrap "qemu-$qemu-static" "$compiler-gcc"; do
	command -v "$program" >/dev/null && continue
	echo "arch.sh: $program is missing: apt-get install mmdebstrap qemu-user-static gcc-$compiler" \
		"libc6-dev-$architecture-cross" >&2
	exit 1
done

# the sources of security updates may be behind for one of the architectures
if [ ! -e "$root/usr/include/zlib.h" ]; then
	rm -rf "$root"
	mmdebstrap --quiet --variant=extract --architectures="$architecture" \
		--include=libc6-dev,libsvm-dev,liblinear-dev,libopenblas-dev,zlib1g-dev,libstdc++6,libatomic1 \
		"$suite" "$root" "deb http://deb.debian.org/debian $suite main" || exit 1
fi
# what Debian's base-files and alternatives would do
[ -e "$root/lib" ] || ln -s usr/lib "$root/lib" || exit 1
for file in libopenblas.so libopenblas.so.0 libblas.so.3 liblapack.so.3; do
	ln -sf "openblas-pthread/$file" "$root/usr/lib/$triplet/$file" || exit 1
done

# ISA_FLAGS: the hot loops at -O3 take a cross compiler ten minutes, and the bytes are the same
make -j"$(nproc || echo 1)" BUILD="$build" CC="${CCACHE:+$CCACHE }$compiler-gcc --sysroot=$root" \
	CFLAGS='-O2 -Wall -Wextra -Werror' LDFLAGS="${link_root:+-L$root/usr/lib/$triplet}" \
	ISA_FLAGS='-O2 -Wno-psabi' HAVE_MPI=no HAVE_ISAL=no \
	AR="$compiler-ar" LD="$compiler-ld" OBJCOPY="$compiler-objcopy" programs unit || exit 1

[ $# -gt 0 ] || set -- $default
# the programs' libraries are found below the root
WRAP="qemu-$qemu-static -L $root" BUILD=$build BIN=$build/bin OPENBLAS_NUM_THREADS=1 TEST_TIMEOUT=7200 \
	test/run "$@"
