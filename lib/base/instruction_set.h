/*
 * instruction_set.h - which copy of the hot loops this machine should run
 *
 * Files of hot loops are compiled once per instruction set (ISA_SOURCES in the Makefile); a table
 * of the copies, indexed by this enum, stands beside their users.  A copy's symbols end in _base,
 * _v3 or _v4; the latter two exist where HAVE_ISA_VARIANTS is defined.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_INSTRUCTION_SET_H
#define RANDSVM_INSTRUCTION_SET_H

enum instruction_set {
	INSTRUCTION_SET_BASELINE,
	INSTRUCTION_SET_V3,	/* x86-64-v3: AVX2 */
	INSTRUCTION_SET_V4	/* x86-64-v4: AVX-512 */
};

/* instruction_set_best() - the best there is a copy for; baseline if copies were not made */
enum instruction_set instruction_set_best(void);

/*
 * INSTRUCTION_SET_COPIES() - DO(suffix) for the suffix of every copy there is
 * INSTRUCTION_SET_TABLE() - the initialiser of an array of CODE(suffix), indexed by the enum
 */
#ifdef HAVE_ISA_VARIANTS
#define INSTRUCTION_SET_COPIES(DO) DO(base); DO(v3); DO(v4)
#define INSTRUCTION_SET_TABLE(CODE) \
	{ [INSTRUCTION_SET_BASELINE] = CODE(base), [INSTRUCTION_SET_V3] = CODE(v3), \
	  [INSTRUCTION_SET_V4] = CODE(v4) }
#else
#define INSTRUCTION_SET_COPIES(DO) DO(base)
#define INSTRUCTION_SET_TABLE(CODE) { [INSTRUCTION_SET_BASELINE] = CODE(base) }
#endif

/* instruction_set_name() - "baseline", "x86-64-v3" or "x86-64-v4" */
const char *instruction_set_name(enum instruction_set set);

#endif
