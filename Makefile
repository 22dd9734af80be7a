# Makefile of randsvm: `make help` names the targets
#
# Works alone.  ./configure only writes config.mk, whose settings replace the ones
# below; `make NAME=value` replaces both.
#
# SPDX-License-Identifier: BSD-3-Clause

# Programs, each cmd/*/NAME.c with its main(); cmd/common/ is shared by all.  randsvm-train-mpi is
# added below.
PROGRAMS = randsvm-train randsvm-grid rp-project fs-select svm-eval svm-fold svm-gen svm-convert

# Files of hot loops, compiled once per instruction set as FILE.SUFFIX.o, with
# -DTILE_SUFFIX=SUFFIX to name their symbols; the library chooses at run time.
ISA_SOURCES = lib/base/rng_loops.c lib/project/dense_loops.c lib/project/hadamard_loops.c \
	lib/project/fourier_loops.c \
	lib/kernel/kernel_tile.c lib/kernel/float_tile.c lib/kernel/node_tile.c lib/kernel/factor_loops.c \
	lib/smo/smo_loops.c lib/linear/linear_loops.c

# where ../configure has written its settings, in another folder than this
CONFIG = config.mk
-include $(CONFIG)

CC       ?= cc
CFLAGS   ?= -O2 -g -Wall -Wextra
AR       ?= ar
LD       ?= ld
OBJCOPY  ?= objcopy
LIBISAL  ?= -lisal
INSTALL  ?= install
MPICC    ?= mpicc

PREFIX     ?= /usr/local
prefix     ?= $(PREFIX)
bindir     ?= $(PREFIX)/bin
libdir     ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
pkgconfigdir ?= $(libdir)/pkgconfig
# where the first python3 looks
pythondir  ?= $(or $(shell python3 scripts/python_folder.py $(PREFIX) 2>/dev/null),\
	$(PREFIX)/lib/python3/dist-packages)
datadir    ?= $(PREFIX)/share
mandir     ?= $(datadir)/man
docdir     ?= $(datadir)/doc/randsvm
bashdir    ?= $(datadir)/bash-completion/completions
zshdir     ?= $(datadir)/zsh/site-functions
fishdir    ?= $(datadir)/fish/vendor_completions.d

# Everything make writes is in $(BUILD); only the default also fills bin/ and lib/.
BUILD = build
ifneq ($(filter . .. / lib cmd test man fuzz bench scripts testdata,$(BUILD:%/=%)),)
$(error BUILD=$(BUILD): give a folder of its own)
endif
BIN     = $(if $(filter build,$(BUILD)),bin,$(BUILD)/bin)
# all of lib/, for the programs and the libraries below
LIBRARY = $(BUILD)/lib/engine.a
LIB     = $(if $(filter build,$(BUILD)),lib,$(BUILD)/lib)
# the public library, shared and static; the number grows when programs have to be compiled anew
SONAME  = librandsvm.so.0
PUBLIC_LIBRARIES = $(LIB)/$(SONAME) $(LIB)/librandsvm.a
# LIBSVM's interface to the engine, under the name by which programs load LIBSVM
SHIM    = $(LIB)/libsvm/$(LIBSVM_SONAME)

# CROSS=yes: programs of this build do not run here, which print the completions and pass the tests
CROSS ?= no
all: programs $(if $(filter yes,$(CROSS)),,completions)

# ---- libraries ----

# LIBSVM, LIBLINEAR, the BLAS and ISA-L are not linked but loaded when they are first called:
# a small training takes less time than loading them.  The flags here only say which
# shared libraries these are (scripts/libraries.sh).
#
# LIBSVM_DIR and LIBLINEAR_DIR name an installation (DIR/include, DIR/lib) or an
# unpacked source tree after `make lib`, which has the header in its top folder and
# only libNAME.so.N.
found_library = $(firstword $(wildcard $(foreach s,so so.*,$1/lib$2.$s $1/lib/lib$2.$s)))
library_flags = $(or $(found_library), \
	$(error no lib$2.so in '$1'; in a source tree run `make lib` first))

LIBSVM_LIBS    ?= $(if $(LIBSVM_DIR),$(call library_flags,$(LIBSVM_DIR),svm),-lsvm)
LIBSVM_SONAME  ?= $(or $(filter libsvm.so.%,$(notdir $(LIBSVM_LIBS))),libsvm.so.3)
LIBLINEAR_LIBS ?= $(if $(LIBLINEAR_DIR),$(call library_flags,$(LIBLINEAR_DIR),linear),-llinear)
# Each of them may be missing: HAVE_NAME, unless given, is whether it is found here.
LOADED = $(if $(filter yes,$(HAVE_LIBSVM)),LIBSVM $(call quoted,$(LIBSVM_LIBS))) \
	$(if $(filter yes,$(HAVE_LIBLINEAR)),LIBLINEAR $(call quoted,$(LIBLINEAR_LIBS))) \
	BLAS $(call quoted,$(if $(filter yes,$(HAVE_BLAS)),$(BLAS))) \
	$(if $(filter yes,$(HAVE_ISAL)),ISAL $(call quoted,$(LIBISAL)))

# Where svm.h is not in a folder libsvm/, as in a source tree, it is made reachable as
# <libsvm/svm.h> all the same, so that it is found before the system's.
flat_svm_h := $(if $(LIBSVM_DIR),$(if $(wildcard $(LIBSVM_DIR)/include/libsvm/svm.h),, \
	$(firstword $(wildcard $(LIBSVM_DIR)/svm.h $(LIBSVM_DIR)/include/svm.h))))

PATH_FLAGS = $(if $(flat_svm_h),-I$(BUILD)/flat) \
	$(foreach d,$(LIBSVM_DIR) $(LIBLINEAR_DIR),-I$d -I$d/include)

PROBE := $(shell $(CC) $(PATH_FLAGS) $(CPPFLAGS) $(CFLAGS) -E -P -x c scripts/probe.h 2>/dev/null)

# what is not wanted is not missed
UNWANTED := $(foreach l,LIBSVM LIBLINEAR BLAS ISAL,$(if $(HAVE_$l)$($l_DIR),WITHOUT_$l=1))
HAVE_LIBSVM    := $(or $(HAVE_LIBSVM),$(if $(LIBSVM_DIR)$(filter libsvm,$(PROBE)),yes,no))
HAVE_LIBLINEAR := $(or $(HAVE_LIBLINEAR),$(if $(LIBLINEAR_DIR)$(filter liblinear,$(PROBE)),yes,no))
HAVE_ISAL      := $(or $(HAVE_ISAL),$(if $(filter isal,$(PROBE)),yes,no))
HAVE_BLAS      := $(or $(HAVE_BLAS),$(if $(BLAS)$(filter /%,$(shell \
	$(CC) -print-file-name=libopenblas.so 2>/dev/null)),yes,no))
BLAS           ?= -lopenblas

# randsvm-train-mpi is built where the compiler of an MPI is found
ifndef HAVE_MPI
HAVE_MPI := $(if $(shell command -v $(MPICC)),yes,no)
endif
PROGRAMS += $(if $(filter yes,$(HAVE_MPI)),randsvm-train-mpi)

# of the libraries loaded only where to search for them
ENGINE_LIBS = -lz -lm -ldl -lpthread \
	$(filter -Wl$(comma)-rpath%,$(LIBSVM_LIBS) $(LIBLINEAR_LIBS) $(BLAS))
LIBS = $(ENGINE_LIBS)
comma = ,

# ---- flags ----

SANITIZE_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) \
	-fno-omit-frame-pointer -fno-sanitize-recover=all)

# an attack by data is to end the program at most: copies that fit their arrays, guarded stacks, tables
# of addresses that nothing writes after the start
HARDENING_CPPFLAGS = $(if $(SANITIZE),,$(if $(filter fortify,$(PROBE)),-D_FORTIFY_SOURCE=2))
HARDENING_CFLAGS   = $(if $(SANITIZE),,-fstack-protector-strong \
	$(if $(filter stack_clash,$(PROBE)),-fstack-clash-protection))
HARDENING_LDFLAGS  = -Wl,-z,relro,-z,now

# -ffp-contract=off: the same bytes with and without fused multiply-add; without x87's registers, whose
# numbers have more digits than doubles, too
# _FILE_OFFSET_BITS: files beyond 2 GB where a long has 32 bits
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(foreach l,LIBSVM LIBLINEAR ISAL,$(if $(filter yes,$(HAVE_$l)),-DHAVE_$l)) \
	$(if $(filter x86_64_levels,$(PROBE)),-DHAVE_ISA_VARIANTS) \
	-Ilib -I$(BUILD) $(PATH_FLAGS) $(HARDENING_CPPFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = $(HARDENING_CFLAGS) $(CFLAGS) -std=gnu11 -ffp-contract=off \
	$(if $(filter x87,$(PROBE)),-msse2 -mfpmath=sse) -pthread $(SANITIZE_FLAGS)
ALL_LDFLAGS  = -pthread $(SANITIZE_FLAGS) $(HARDENING_LDFLAGS) $(LDFLAGS) -Wl,--as-needed

ISA_VARIANTS = $(if $(filter x86_64_levels,$(PROBE)),v4 v3) base
# compilers prefer 256 bits unless told
ISA_FLAGS_v4 = -march=x86-64-v4 -mprefer-vector-width=512
ISA_FLAGS_v3 = -march=x86-64-v3
# AddressSanitizer at -O3 takes minutes for a file, with some checks of undefined behaviour at -O1 too.
# -g1: where variables are takes longer to find out than all else, and lines of calls remain
ISA_CHECKS   = -fno-sanitize=null,alignment,object-size,pointer-overflow
ISA_FLAGS    = $(if $(SANITIZE),-O1 $(if $(findstring address,$(SANITIZE)),$(ISA_CHECKS)),-O3) \
	$(if $(filter -g%,$(CFLAGS)),-g1) -Wno-psabi

COMPILE = $(CC) $(ALL_CPPFLAGS) $(MORE_CPPFLAGS) $(ALL_CFLAGS) $(SHARED_CFLAGS) $(MORE_CFLAGS) -MMD -MP -c
LINK    = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(MORE_LDFLAGS)

# ---- files ----

LIB_SOURCES   := $(sort $(wildcard lib/*/*.c))
MPI_SOURCES   := $(sort $(wildcard cmd/mpi/*.c))
MAIN_SOURCES  := $(filter-out $(MPI_SOURCES),$(sort $(wildcard $(PROGRAMS:%=cmd/*/%.c))))
CMD_SOURCES   := $(filter-out $(MAIN_SOURCES) $(MPI_SOURCES),$(sort $(wildcard cmd/*/*.c)))
UNIT_SOURCES  := $(sort $(wildcard test/unit/test_*.c))
FUZZ_SOURCES  := $(sort $(wildcard fuzz/fuzz_*.c))
BENCH_SOURCES := $(sort $(wildcard bench/*.c))
C_FILES       := $(sort $(wildcard \
	$(foreach d,lib/* api shim cmd/* test test/unit fuzz bench,$d/*.c $d/*.h)))
API_SOURCES   := $(sort $(wildcard api/*.c))
SHIM_SOURCES  := $(sort $(wildcard shim/*.c))

LIB_OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(ISA_SOURCES),$(LIB_SOURCES))) \
	$(foreach v,$(ISA_VARIANTS),$(patsubst %.c,$(BUILD)/%.$v.o,$(filter $(ISA_SOURCES),$(LIB_SOURCES))))
CMD_OBJECTS = $(CMD_SOURCES:%.c=$(BUILD)/%.o)
API_OBJECTS = $(API_SOURCES:%.c=$(BUILD)/%.o)
SHIM_OBJECTS = $(SHIM_SOURCES:%.c=$(BUILD)/%.o)
MPI_OBJECTS = $(MPI_SOURCES:%.c=$(BUILD)/%.o)
CMD_LIBRARY = $(BUILD)/cmd/libcmd.a
UNIT_TESTS  = $(patsubst test/unit/%.c,$(BUILD)/test/%,$(UNIT_SOURCES))
REPLAYS     = $(patsubst fuzz/fuzz_%.c,$(BUILD)/fuzz/replay_%,$(FUZZ_SOURCES))
FUZZERS     = $(FUZZ_SOURCES:%.c=$(BUILD)/%)
BENCHMARKS  = $(BENCH_SOURCES:%.c=$(BUILD)/%)

programs: $(PROGRAMS:%=$(BIN)/%) $(LIB)/libsvm/svm-scale
library: $(PUBLIC_LIBRARIES) $(BUILD)/randsvm.pc
shim: $(if $(filter yes,$(HAVE_LIBSVM)),$(SHIM) $(BUILD)/randsvm-run,without_shim)
unit: $(UNIT_TESTS) $(if $(filter yes,$(HAVE_MPI)),$(BUILD)/test/small_work_mpi)
replays: $(REPLAYS)
fuzzers: $(FUZZERS)
bench: programs $(BENCHMARKS)
programs library shim unit replays fuzzers bench:
	@:
without_shim:
	@echo 'make shim: left out, as there is no svm.h: install libsvm-dev'

# ---- rules ----

V = 0
Q = $(if $(filter 0,$(V)),@)
say = $(if $(filter 0,$(V)),@printf '  %-5s %s\n' '$1' '$2')

# $(call if_changed,FILE) reads the new contents of FILE; its time stamp stays when they do.
if_changed = { cat >$1.new; if cmp -s $1.new $1; then rm $1.new; else mv $1.new $1; fi; }
quoted = '$(subst ','\'',$1)'

# headers that are not there are told before the first file is compiled, all at once
LACKING = $(if $(PROBE),$(filter no_%,$(PROBE)),compiler)
READY = $(if $(LACKING),lacking) $(BUILD)/version.h $(BUILD)/libraries.h $(BUILD)/completion_scripts.h $(BUILD)/export_text.h \
	$(if $(flat_svm_h),$(BUILD)/flat/libsvm/svm.h)

$(BUILD)/%.o: %.c $(BUILD)/flags | $(READY)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $<

define isa_rule
$(BUILD)/%.$1.o: %.c $(BUILD)/flags | $(READY)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE) $$(ISA_FLAGS) $$(ISA_FLAGS_$1) -DTILE_SUFFIX=$1 -o $$@ $$<
endef
$(foreach v,$(ISA_VARIANTS),$(eval $(call isa_rule,$v)))

# shared libraries have the engine in them; they hide all of it, so that calls within are as direct
# as in a program
$(BUILD)/lib/%.o $(BUILD)/api/%.o $(BUILD)/shim/%.o: private SHARED_CFLAGS = -fPIC -fvisibility=hidden

# single precision promises no bits, only an error bound: fuse where the machine can.  Clang's
# "fast" fuses in one inlined copy of a loop what it leaves in another; gcc's "on" fuses nothing
$(ISA_VARIANTS:%=$(BUILD)/lib/kernel/float_tile.%.o): private MORE_CFLAGS = \
	-ffp-contract=$(if $(filter clang,$(PROBE)),on,fast)

# square roots of vectors, none of a negative number
$(ISA_VARIANTS:%=$(BUILD)/lib/base/rng_loops.%.o): private MORE_CFLAGS = -fno-math-errno

$(BUILD)/test/unit/%.o $(BUILD)/bench/%.o $(BUILD)/fuzz/%.o: private MORE_CPPFLAGS = -Itest/unit -Iapi -Ishim -Icmd -Icmd/train -Icmd/mpi
$(BUILD)/cmd/%.o: private MORE_CPPFLAGS = -Icmd

$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/sources
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJECTS)

$(LIB)/$(SONAME): private MORE_LDFLAGS = -shared -Wl,-soname,$(SONAME) -Wl,--version-script=api/randsvm.map \
	$(if $(SANITIZE),,-Wl,-z,defs)
$(LIB)/$(SONAME): private LIBS = $(ENGINE_LIBS)
$(LIB)/$(SONAME): $(API_OBJECTS) $(LIBRARY) api/randsvm.map
	$(link)
	@ln -sf $(SONAME) $(@D)/librandsvm.so

# one object, whose hidden symbols are local: programs that link it may have functions of the same
# names
$(LIB)/librandsvm.a: $(API_OBJECTS) $(LIBRARY)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(LD) -r -o $(BUILD)/api/randsvm.o $(API_OBJECTS) --whole-archive $(LIBRARY)
	$(Q)$(OBJCOPY) --localize-hidden $(BUILD)/api/randsvm.o
	$(Q)$(AR) rcs $@ $(BUILD)/api/randsvm.o

$(BUILD)/randsvm-run: scripts/randsvm-run FORCE
	@sed -e 's:@libdir@:$(libdir):' -e "s:@version@:$$(./version.sh):" $< | $(call if_changed,$@)

$(BUILD)/randsvm.pc: FORCE
	@printf '%s\n' 'Name: randsvm' 'Description: support vector machines for large data' \
		"Version: $$(sed 's/-.*//' VERSION)" 'Cflags: -I$(includedir)' \
		'Libs: -L$(libdir) -lrandsvm' 'Libs.private: $(ENGINE_LIBS)' | $(call if_changed,$@)

# LIBSVM is C++, and programs may have its runtime library from there alone, as Perl's
# Algorithm::SVM does; sanitizers' functions are in the program that loads the shim
CXX_RUNTIME = $(filter /%,$(shell $(CC) -print-file-name=libstdc++.so.6))
$(SHIM): private MORE_LDFLAGS = -shared -Wl,-soname,$(@F) -Wl,--version-script=shim/libsvm.map \
	$(if $(SANITIZE),,-Wl,-z,defs) -Wl,--push-state,--no-as-needed $(CXX_RUNTIME) -Wl,--pop-state
$(SHIM): $(SHIM_OBJECTS) $(LIBRARY) shim/libsvm.map
	$(link)

$(CMD_LIBRARY): $(CMD_OBJECTS) $(BUILD)/sources
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(CMD_OBJECTS)

define link
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
endef

define program_rule
$(BIN)/$(basename $(notdir $1)): $(1:%.c=$(BUILD)/%.o) $(CMD_LIBRARY) $(LIBRARY)
	$$(link)
endef
$(foreach m,$(MAIN_SOURCES),$(eval $(call program_rule,$m)))

# MPI's compiler calls ours, whichever MPI it is of
$(MPI_OBJECTS) $(BIN)/randsvm-train-mpi $(BUILD)/test/small_work_mpi: private override CC := OMPI_CC=$(call quoted,$(CC)) \
	MPICH_CC=$(call quoted,$(CC)) $(MPICC)

# its main() is randsvm-train's: see cmd/train/train_group.h
$(BIN)/randsvm-train-mpi: $(MPI_OBJECTS) $(BUILD)/cmd/train/randsvm-train.o $(CMD_LIBRARY) $(LIBRARY)
	$(link)

# rp-project by LIBSVM's name, in a folder of its own, for PATH
$(LIB)/libsvm/svm-scale: $(BIN)/rp-project
	@mkdir -p $(@D)
	$(Q)ln -sf ../../bin/rp-project $@

# completions for shells: $(BUILD)/completions/SHELL/FILE
completions_bash = $(PROGRAMS:%=$(BUILD)/completions/bash/%)
completions_zsh  = $(PROGRAMS:%=$(BUILD)/completions/zsh/_%)
completions_fish = $(PROGRAMS:%=$(BUILD)/completions/fish/%.fish)
completions: $(completions_bash) $(completions_zsh) $(completions_fish)

# its options are randsvm-train's, and to call it here would start MPI
define completion_rule
$(BUILD)/completions/$1/$2%$3: $(BIN)/%
	@mkdir -p $$(@D)
	$$(Q)$$< --completion=$1 >$$@
$(BUILD)/completions/$1/$2randsvm-train-mpi$3: $(BUILD)/completions/$1/$2randsvm-train$3
	$$(Q)sed -E '/^(#compdef|_|[[:space:]]*complete )/s/randsvm([-_])train/&\1mpi/g' $$< >$$@
endef
$(eval $(call completion_rule,bash))
$(eval $(call completion_rule,zsh,_))
$(eval $(call completion_rule,fish,,.fish))

$(BUILD)/test/small_work_mpi: $(BUILD)/test/unit/small_work_mpi.o $(BUILD)/cmd/mpi/group_mpi.o \
		$(BUILD)/cmd/train/randsvm-train.o $(CMD_LIBRARY) $(LIBRARY)
	$(link)

$(BUILD)/test/%: $(BUILD)/test/unit/%.o $(CMD_LIBRARY) $(LIBRARY)
	$(link)

$(BUILD)/test/test_api $(BUILD)/test/test_api_calls $(BUILD)/test/test_api_caller $(BUILD)/test/test_api_numbers $(BUILD)/test/test_api_interruption $(BUILD)/test/test_api_kernel $(BUILD)/test/test_api_stored: $(BUILD)/test/%: $(BUILD)/test/unit/%.o $(API_OBJECTS) $(LIBRARY)
	$(link)

$(BUILD)/test/test_shim $(BUILD)/test/test_shim_libsvm: $(BUILD)/test/%: $(BUILD)/test/unit/%.o $(SHIM_OBJECTS) $(LIBRARY)
	$(link)

# it compares with a function of LAPACK that the library does not call
$(BUILD)/test/test_rrqr: LIBS += $(BLAS)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(CMD_LIBRARY) $(LIBRARY)
	$(link)

$(BUILD)/fuzz/replay_%: $(BUILD)/fuzz/fuzz_%.o $(BUILD)/fuzz/replay.o $(LIBRARY)
	$(link)

$(BUILD)/fuzz/replay_api $(BUILD)/fuzz/fuzz_api: $(API_OBJECTS)
$(BUILD)/fuzz/replay_shim $(BUILD)/fuzz/fuzz_shim: $(SHIM_OBJECTS)

# only clang has it; see fuzz/run
$(BUILD)/fuzz/fuzz_%: private MORE_LDFLAGS = -fsanitize=fuzzer
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/fuzz_%.o $(LIBRARY)
	$(link)

# without the names of folders of the build
told_CFLAGS = $(filter-out $(foreach f,file debug macro,-f$f-prefix-map=%),$(ALL_CFLAGS))

$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@{ echo '/* made by make */'; \
	   printf '#define RANDSVM_VERSION "%s"\n' "$$(./version.sh)"; \
	   printf '%s, %s\n' "$$($(CC) --version | head -n 1)" $(call quoted,$(told_CFLAGS)) | \
	   sed -e 's/[\\"]/\\&/g' -e 's/.*/#define RANDSVM_COMPILER "&"/'; } | $(call if_changed,$@)

$(BUILD)/libraries.h: $(BUILD)/flags scripts/libraries.sh | $(if $(LACKING),lacking)
	$(Q)CC=$(call quoted,$(CC)) LDFLAGS=$(call quoted,$(LDFLAGS)) scripts/libraries.sh $(LOADED) >$@
	@$(if $(LACKING),,$(packages) make)

# a script as a string of C, by the name of its shell
$(BUILD)/completion_scripts.h: $(patsubst %,scripts/completion.%,bash zsh fish)
	@mkdir -p $(@D)
	@{ echo '/* made by make */'; for f in $^; do \
	   echo "#define COMPLETION_$${f##*.}" | tr '[:lower:]' '[:upper:]' | sed 's/^#DEFINE \(.*\)/#define \1 \\/'; \
	   sed -e 's/[\"]/\\&/g' -e 's/.*/"&\\n" \\/' $$f; echo; done; } >$@

# the texts of exported programs and graphs, likewise
$(BUILD)/export_text.h: scripts/export.c.in scripts/export.onnx.in
	@mkdir -p $(@D)
	@{ echo '/* made by make */'; for f in c onnx; do \
	   echo "static const char export_text_$$f[] ="; \
	   sed -e 's/[\"]/\\&/g' -e 's/.*/"&\\n"/' scripts/export.$$f.in; echo ';'; done; } >$@

$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call quoted,$(COMPILE)) \
	   $(call quoted,$(foreach v,$(ISA_VARIANTS),$v $(ISA_FLAGS) $(ISA_FLAGS_$v))) \
	   $(call quoted,$(LINK) $(LIBS)) $(LOADED) | $(call if_changed,$@)

# so that a library loses the objects of a source that went away
$(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(LIB_OBJECTS) $(CMD_OBJECTS) | $(call if_changed,$@)

$(BUILD)/flat/libsvm/svm.h: FORCE
	@mkdir -p $(@D)
	@echo '#include "$(abspath $(flat_svm_h))"' | $(call if_changed,$@)

-include $(patsubst %.o,%.d,$(LIB_OBJECTS) $(API_OBJECTS) $(SHIM_OBJECTS) $(CMD_OBJECTS) \
	$(MPI_OBJECTS) $(MAIN_SOURCES:%.c=$(BUILD)/%.o) \
	$(UNIT_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/test/unit/small_work_mpi.o $(FUZZ_SOURCES:%.c=$(BUILD)/%.o) \
	$(BENCH_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/fuzz/replay.o)

# ---- demo and tests ----

# Install what is missing, then start make afresh: what it looked for may be there now.
packages = CC=$(call quoted,$(CC)) CPPFLAGS=$(call quoted,$(PATH_FLAGS) $(CPPFLAGS)) \
	BLAS=$(call quoted,$(BLAS)) BUILD=$(call quoted,$(BUILD)) \
	$(UNWANTED) scripts/packages.sh
again = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc || echo 1))

lacking:
	@$(packages) make

# for rules that run what is built
runs_here = $(if $(filter yes,$(CROSS)),$(error $(CC) builds for another machine: run this there))

demo:
	$(runs_here)@$(packages) demo
	$(again) programs
	@BIN=$(BIN) scripts/demo.sh

# what a user needs to trust the build, test/short, or the tests named; and all of them
short_units = $(patsubst unit/%,$(BUILD)/test/test_%,$(shell grep '^unit/' test/short))
check:
	@$(packages) $(if $(TESTS),check-all,check)
	$(again) programs $(if $(SANITIZE),,library shim) $(if $(TESTS),unit replays,$(short_units))
	+@$(MAKE) --no-print-directory TESTS=$(call quoted,$(or $(TESTS),short)) check-built

check-all:
	@$(packages) check-all
	$(again) programs $(if $(SANITIZE),,library shim) unit replays
	+@$(MAKE) --no-print-directory check-built

# tests of the library see what is installed alone
check-built:
	$(runs_here)$(if $(SANITIZE),,@$(MAKE) --no-print-directory DESTDIR=$(abspath $(BUILD))/installed install >/dev/null)
	@scripts/code_lines.sh
	@BUILD=$(BUILD) BIN=$(BIN) SHIM=$(abspath $(SHIM)) CC=$(call quoted,$(CC)) CPPFLAGS=$(call quoted,$(ALL_CPPFLAGS)) \
	   SANITIZE=$(SANITIZE) test/run $(TESTS)

# ---- long tests: doc/testing.md ----

# all faults of up to MOST calls of a kind, samples by SEED of more
MOST = 100
SEED = 1
check-faults:
	@$(packages) check-all
	$(again) programs
	@PATH=$(abspath $(BIN)):$$PATH CC=$(call quoted,$(CC)) OPENBLAS_NUM_THREADS=1 \
	   test/faults.py --most $(MOST) --seed $(SEED)

check-numbers:
	@$(packages) check-all
	$(again) programs
	@PATH=$(abspath $(BIN)):$$PATH OPENBLAS_NUM_THREADS=1 test/extremes.py --seed $(SEED)

# hours; MUTANTS of them, drawn by SEED
MUTANTS = 100
check-mutants:
	@$(packages) check-all
	@BUILD=$(BUILD) CC=$(call quoted,$(CC)) test/mutants.py --count $(MUTANTS) --seed $(SEED)

# each target of fuzz/, command lines, and arrays for the Python module, for SECONDS
SECONDS = 60
ASAN = BUILD=build-asan SANITIZE=address,undefined
fuzz:
	+@s=0; for f in $(FUZZ_SOURCES:fuzz/fuzz_%.c=%); do fuzz/run $$f --time=$(SECONDS) || s=1; done; \
	   for t in commands python; do $(MAKE) --no-print-directory fuzz-$$t || s=1; done; exit $$s

fuzz-commands:
	@$(packages) check-all
	$(again) $(ASAN) programs
	@BIN=build-asan/bin test/commands.py --seconds $(SECONDS) --seed $(SEED)

fuzz-python:
	@$(packages) check-all
	$(again) library
	@LD_LIBRARY_PATH=lib PYTHONPATH=python "$$(bash -c '. test/helpers.bash; python_with numpy')" -B \
	   test/python_matrix.py --seconds $(SECONDS) --seed $(SEED)

# lines of api/ and shim/ that tests run
coverage:
	@$(packages) check-all
	@scripts/coverage.sh

# ARCH=s390x, arm64, riscv64 or i386, in emulation
check-arch:
	@BUILD=$(BUILD) scripts/arch.sh $(ARCH) $(TESTS)

lint:
	@$(packages) lint
	$(again) -k --output-sync=target lint-tidy lint-cppcheck lint-man

LINT_FLAGS = $(ALL_CPPFLAGS) -Itest/unit -Iapi -Ishim -Icmd -Icmd/train -Icmd/mpi -DTILE_SUFFIX=base

# a file at a time: given many, clang-tidy 14 misjudges va_list
lint-tidy: $(READY)
	$(call say,LINT,clang-tidy)
	$(Q)printf '%s\n' $(filter %.c,$(C_FILES)) | xargs -P "$$(nproc || echo 1)" -I FILE \
	   clang-tidy --quiet FILE -- $(LINT_FLAGS) -std=gnu11 -Wall -Wextra

# uninitvar, uninitStructMember: cppcheck 2.10 does not see a struct being assigned whole
lint-cppcheck: $(READY)
	$(call say,LINT,cppcheck)
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	   --suppress=missingIncludeSystem \
	   --suppress=uninitvar --suppress=uninitStructMember --suppress=ctuuninitvar --error-exitcode=1 \
	   $(filter -D% -I%,$(LINT_FLAGS)) $(filter %.c,$(C_FILES))

lint-man:
	$(call say,LINT,mandoc)
	$(Q)for page in $(wildcard man/*.[157]); do mandoc -T lint -W warning $$page || exit 1; done

# pages to read in a browser
html:
	@$(packages) html
	@rm -rf $(BUILD)/html
	@scripts/pages.sh $(BUILD)/html

format:
	clang-format -i $(C_FILES)

format-check:
	clang-format --dry-run -Werror $(C_FILES)

# ---- installation and release ----

MAN1 := $(filter-out $(if $(filter yes,$(HAVE_MPI)),,man/randsvm-train-mpi.1),$(wildcard man/*.1))
MAN5 := $(wildcard man/*.5)
MAN7 := $(wildcard man/*.7)

# $(call installed,DO) is $(call DO,MODE,FILES,FOLDER) for all that is installed
define installed
$(call $1,755,$(PROGRAMS:%=$(BIN)/%),$(bindir))
$(if $(filter yes,$(HAVE_LIBSVM)),$(call $1,755,$(BUILD)/randsvm-run,$(bindir)))
$(if $(filter yes,$(HAVE_LIBSVM)),$(call $1,644,$(SHIM),$(libdir)/randsvm))
$(call $1,644,$(PUBLIC_LIBRARIES),$(libdir))
$(call $1,644,api/randsvm.h,$(includedir))
$(call $1,644,$(BUILD)/randsvm.pc,$(pkgconfigdir))
$(call $1,644,$(wildcard python/randsvm/*.py) python/randsvm/py.typed,$(pythondir)/randsvm)
$(call $1,644,$(MAN1),$(mandir)/man1)
$(call $1,644,$(MAN5),$(mandir)/man5)
$(call $1,644,$(MAN7),$(mandir)/man7)
$(if $(filter yes,$(CROSS)),,$(call $1,644,$(completions_bash),$(bashdir)))
$(if $(filter yes,$(CROSS)),,$(call $1,644,$(completions_zsh),$(zshdir)))
$(if $(filter yes,$(CROSS)),,$(call $1,644,$(completions_fish),$(fishdir)))
$(call $1,644,README.md NEWS CITATION.cff scripts/check_certificate.py,$(docdir))
$(call $1,644,$(wildcard $(addprefix doc/*.,md mk svg tsv yaml)),$(docdir)/doc)
endef
put    = $(INSTALL) -d $(DESTDIR)$3 && $(INSTALL) -m $1 $2 $(DESTDIR)$3
remove = rm -f $(addprefix $(DESTDIR)$3/,$(notdir $2))

install: all library $(if $(filter yes,$(HAVE_LIBSVM)),shim)
	$(INSTALL) -d $(DESTDIR)$(libdir)/randsvm
	$(call installed,put)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/librandsvm.so
	ln -sf $(bindir)/rp-project $(DESTDIR)$(libdir)/randsvm/svm-scale

uninstall:
	$(call installed,remove)
	rm -f $(DESTDIR)$(libdir)/librandsvm.so $(DESTDIR)$(libdir)/randsvm/svm-scale
	rm -rf $(DESTDIR)$(pythondir)/randsvm/__pycache__
	-rmdir $(DESTDIR)$(docdir)/doc $(DESTDIR)$(docdir) $(DESTDIR)$(libdir)/randsvm \
		$(DESTDIR)$(pythondir)/randsvm

dist:
	@BUILD=$(BUILD) scripts/dist.sh

deb:
	@$(packages) deb
	@BUILD=$(BUILD) scripts/deb.sh $(DEB_FLAGS)

# A folder is removed only if it is one of ours: it has a file 'flags'.
clean:
	@for d in $(BUILD); do if [ -f "$$d/flags" ]; then rm -rf "$$d"; fi; done
	$(if $(filter build,$(BUILD)),@rm -rf bin lib/librandsvm.* lib/libsvm)

distclean: clean
	@for d in build-*; do if [ -f "$$d/flags" ]; then rm -rf "$$d"; fi; done
	@rm -rf autom4te.cache config.log config.status config.mk
	@if [ -e .git ]; then rm -f configure configure~; fi

help:
	@echo 'make                 programs in bin/'
	@echo 'make demo            install what is missing, build, and show what the programs do'
	@echo 'make check           install what is missing, build, run the short tests (TESTS="unit layers": those)'
	@echo 'make check-all       the same with all tests'
	@echo 'make check-faults    calls of the C library fail one after another (MOST=100 SEED=1)'
	@echo 'make check-numbers   data of extreme values, judged by exact arithmetic (SEED=1)'
	@echo 'make check-arch      tests on another architecture, in emulation (ARCH=s390x, arm64, riscv64, i386)'
	@echo 'make coverage        lines of api/ and shim/ that tests run, by gcov'
	@echo 'make check-mutants   wrong lines of lib/, which tests must notice (MUTANTS=100 SEED=1)'
	@echo 'make fuzz            all targets of fuzz/, command lines of a grammar, arrays for Python (SECONDS=60)'
	@echo 'make fuzz-commands   command lines alone (SECONDS=60 SEED=1)'
	@echo 'make fuzz-python     arrays alone, of all types, orders, shapes and flags (SECONDS=60 SEED=1)'
	@echo 'make install         to PREFIX=$(PREFIX); DESTDIR= is put in front; make uninstall'
	@echo 'make lint, format    clang-tidy, cppcheck, mandoc -T lint; clang-format'
	@echo 'make html            pages to read in a browser, in build/html'
	@echo 'make dist            randsvm-VERSION.tar.gz of the last commit, with ./configure'
	@echo 'make deb             Debian packages of the last commit, in build/deb (DEB_FLAGS=--twice: compare)'
	@echo 'make library         lib/librandsvm.a, lib/$(SONAME), for programs in C'
	@echo 'make shim            lib/libsvm/$(notdir $(SHIM)), for programs that link LIBSVM'
	@echo 'make unit, replays, fuzzers, bench     parts'
	@echo 'make clean, distclean'
	@echo
	@echo 'CC= CFLAGS= CPPFLAGS= LDFLAGS=   as usual; V=1 shows the commands'
	@echo 'BUILD=build-clang                another folder, so that builds stand side by side'
	@echo 'SANITIZE=address,undefined       with a BUILD= of its own'
	@echo 'BLAS="-llapack -lblas"           instead of $(BLAS)'
	@echo 'LIBSVM_DIR= LIBLINEAR_DIR=       an installation or a source tree after make lib'
	@echo 'HAVE_MPI=no, MPICC=mpicc.mpich   without randsvm-train-mpi, or by another MPI'
	@echo 'HAVE_LIBSVM=no HAVE_LIBLINEAR=no HAVE_BLAS=no HAVE_ISAL=no   without them, though they are there'

FORCE:
.PHONY: all programs completions library shim unit replays fuzzers bench demo check check-all check-built check-faults check-numbers check-arch \
	check-mutants coverage fuzz fuzz-commands fuzz-python \
	lint lint-tidy lint-cppcheck lint-man html format format-check install uninstall dist deb clean distclean help lacking \
	without_shim FORCE
.SECONDARY:
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
